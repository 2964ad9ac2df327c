# SPDX-License-Identifier: Apache-2.0
"""test_prometheus.py WRITE_SAMPLE ROOT: Prometheus' own tool reads what the report writes, the rules alert as they should,
and rules and dashboard speak of series that there are."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

WRITER, ROOT = sys.argv[1:3]
PROMTOOL = shutil.which("promtool")
SAMPLES = ("faulty", "worse", "clean", "hostile")
count = failures = 0


def ok(good, name, told=""):
    global count, failures
    count += 1
    print(f"{'ok' if good else 'not ok'} {count} - {name}")
    if not good:
        failures += 1
        print("\n".join(f"# {line[:300]}" for line in str(told).splitlines()[:40]))


def skip(name):
    global count
    count += 1
    print(f"ok {count} - {name} # SKIP promtool is not installed: it was not asked")


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def write(sample):
    return subprocess.run([WRITER, sample, "prometheus"], stdout=subprocess.PIPE, check=True).stdout.decode()


def promtool(name, *words, given=None):
    """It passes, and complains of nothing."""
    if PROMTOOL is None:
        return skip(name)
    done = subprocess.run([PROMTOOL, *words], input=given, capture_output=True, text=True, check=False)
    return ok(done.returncode == 0 and not done.stderr, name, done.stdout + done.stderr)


def without_labels(expression):
    return re.sub(r"\{\{.*?\}\}|\"[^\"]*\"", "", expression)


def series_of(text):
    return set(re.findall(r"\bassay_[a-z_]+", text))


def labels_of(samples):
    """{series: its labels}"""
    found = {}
    for line in samples.splitlines():
        if match := re.match(r"(assay_[a-z_]+)\{", line):
            found.setdefault(match[1], set()).update(re.findall(r'[{,]([a-z]+)="', line))
    return found


def matched_labels(expression):
    """(series, label) of each selector."""
    return {(name, label) for name, inside in re.findall(r"(assay_[a-z_]+)\{([^}]*)\}", expression)
            for label in re.findall(r"([a-z]+)\s*(?:=~|!~|!=|=)", re.sub(r'"[^"]*"', '""', inside))}


written = {sample: write(sample) for sample in SAMPLES}
explained = set(re.findall(r"^# TYPE (\S+)", written["worse"], re.MULTILINE))
labels = labels_of("".join(written.values()))
board = json.loads(text_of("reports/grafana-dashboard.json"))
rules = text_of("reports/prometheus-rules.yml")
expressions = {"a rule": re.findall(r"^\s*expr: (.*)$", rules, re.MULTILINE),
               "a panel": [target["expr"] for panel in board["panels"] for target in panel["targets"]],
               "a variable": [row["query"]["query"] for row in board["templating"]["list"] if row["type"] == "query"]}

for sample, text in written.items():
    promtool(f"{sample}: promtool finds nothing wrong with the text file", "check", "metrics", given=text)
promtool("promtool finds nothing wrong with the rules", "check", "rules", os.path.join(ROOT, "reports/prometheus-rules.yml"))
with tempfile.TemporaryDirectory() as folder:
    told, asked = os.path.join(folder, "test.yml"), os.path.join(folder, "panels.yml")
    with open(told, "w", encoding="utf-8") as file:
        file.write(text_of("tests/report/prometheus_rules_test.yml").replace("- RULES", "- " + os.path.join(ROOT, "reports/prometheus-rules.yml")))
    promtool("the rules alert when they should, and not when they should not", "test", "rules", told)
    with open(asked, "w", encoding="utf-8") as file:
        file.write("groups:\n- name: panels\n  rules:\n" + "".join(
            f"  - record: panel:number{number}\n    expr: {json.dumps(text)}\n" for number, text in enumerate(expressions["a panel"])))
    promtool("each panel's query is PromQL", "check", "rules", asked)
for kind, texts in expressions.items():
    ok(len(texts) >= 4, f"{kind}: there are some", texts)
    named = set().union(*(series_of(without_labels(text)) for text in texts))
    ok(named and named <= explained, f"{kind} speaks of series that the report writes", named - explained)
    used = set().union(*(matched_labels(text) for text in texts))
    ok(all(label in labels.get(name, ()) for name, label in used), f"{kind} asks for labels that they have",
       [(name, label) for name, label in used if label not in labels.get(name, ())])
ok(len({panel["id"] for panel in board["panels"]}) == len(board["panels"]), "each panel of the dashboard has its own number")
print(f"1..{count}")
sys.exit(1 if failures else 0)
