# SPDX-License-Identifier: Apache-2.0
"""test_forms.py WRITE_SAMPLE SCHEMA: the forms for programs are read by other readers than ours, and tell the same."""
import csv
import io
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

WRITER, SCHEMA = sys.argv[1:3]
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?")
SERIES = re.compile(r'([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\]|\\["\\])*",?)*)\})? (-?[0-9.e+-]+)')
count = failures = 0


def same(found, wanted, name):
    global count, failures
    count += 1
    print(f"{'ok' if found == wanted else 'not ok'} {count} - {name}")
    if found != wanted:
        failures += 1
        print(f"# found  {str(found)[:600]}\n# wanted {str(wanted)[:600]}")


def write(sample, form):
    return subprocess.run([WRITER, sample, form], stdout=subprocess.PIPE, check=True).stdout.decode()


def try_csv(sample, report):
    text = write(sample, "csv")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    same({len(row) for row in rows} | {None in row or None in row.values() for row in rows}, {22, False},
         f"{sample}: each row of the CSV has all cells and no more")
    same(text.count("\r\n"), len(rows) + 1, f"{sample}: no cell holds a line break")
    cells = [(key, cell) for row in rows for key, cell in row.items() if cell and cell[0] in "=+-@\t\r＝＋－＠"]
    same([cell for cell in cells if cell[0] != "value"], [], f"{sample}: no cell is a formula")
    same([row["value"] for row in rows if row["value"] and not NUMBER.fullmatch(row["value"])], [],
         f"{sample}: numbers are numbers")
    items = {}
    for item in report["outcomes"]:
        step = report["steps"][item["step"]]
        key = step["name"], item["duty"], item["outcome"]
        items[key] = items.get(key, 0) + 1
    told = {(row["step"], row["duty"], row["outcome"]) for row in rows if row["duty"]}
    if sample != "hostile":
        same(set(items) - told, set(), f"{sample}: every outcome of every step stands in the CSV")
        bad = [row for row in rows if row["outcome"] == "fail" and row["duty"] == "gate"]
        same([row for row in bad if not row["gate"] or not row["cause"]], [], f"{sample}: a failure has its gate and cause")


def try_junit(sample, report):
    root = ET.fromstring(write(sample, "junit"))
    found = {tag: len(root.findall(f".//{tag}")) for tag in ("testcase", "failure", "error", "skipped")}
    cover = report["coverage"]
    same(found, {"testcase": cover["gates"], "failure": cover["fail"] - cover["waived"],
                 "error": cover["inconclusive"] + cover["not_run"], "skipped": cover["waived"]},
         f"{sample}: JUnit counts the gates as the report does, and none that was not decided is green")
    same([root.get(key) for key in ("tests", "failures", "errors", "skipped")],
         [str(found[key]) for key in ("testcase", "failure", "error", "skipped")], f"{sample}: its sums are those of its cases")


def try_prometheus(sample, report):
    lines = write(sample, "prometheus").splitlines()
    same([line for line in lines if not line.startswith("# ") and not SERIES.fullmatch(line)], [],
         f"{sample}: each line is a series or a comment")
    names = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    same(sorted(set(names)), sorted(names), f"{sample}: each series is explained once")
    sums = {re.search(r'outcome="([a-z ]+)"', line)[1]: float(line.split()[-1]) for line in lines if line.startswith("assay_gates{")}
    cover = report["coverage"]
    same(sums, {"pass": cover["pass"], "fail": cover["fail"] - cover["waived"], "waived": cover["waived"],
                "inconclusive": cover["inconclusive"], "not run": cover["not_run"]}, f"{sample}: its counts are the report's")
    same(sum(line.startswith("assay_gate_outcome{") for line in lines), cover["gates"] - cover["pass"],
         f"{sample}: each gate that is not passed has a series")
    worse = sum(float(line.split()[-1]) for line in lines if line.startswith("assay_worse_items{"))
    same(worse, len(report["earlier"]["worse"]) if sample == "worse" else 0, f"{sample}: what is worse is counted as in the report")
    same([line for line in lines if 'scope="run"' in line][0].split('verdict="')[1].split('"')[0], report["verdict"],
         f"{sample}: the verdict of the run is the report's")


def try_schema(sample, report):
    global count
    try:
        import jsonschema
    except ImportError:
        count += 1
        print(f"ok {count} - {sample}: the JSON keeps to its schema # SKIP python3-jsonschema is not installed; ours looked at it")
        return
    with open(SCHEMA, encoding="utf-8") as file:
        errors = jsonschema.Draft202012Validator(json.load(file)).iter_errors(report)
    same([f"{list(error.path)}: {error.message}" for error in errors][:5], [], f"{sample}: the JSON keeps to its schema")


for name in ("faulty", "worse", "clean", "hostile"):
    told = json.loads(write(name, "json"))
    try_csv(name, told)
    try_junit(name, told)
    try_prometheus(name, told)
    try_schema(name, told)
print(f"1..{count}")
sys.exit(1 if failures else 0)
