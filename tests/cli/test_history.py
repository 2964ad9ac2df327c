# SPDX-License-Identifier: Apache-2.0
"""Twelve months of a cluster in which one GPU gets slower, 0.7% a month: long before it fails a limit it is named. And one that
loses 2% from one month to the next, which no limit sees, and no comparison with the other GPUs of its run.

usage: test_history.py ASSAY

The runs are of the lab, where measurements differ a little from month to month. They are made one after the other;
only the time that each was started at is set back in the test's own database, so that they lie a month apart.
"""

import json
import os
import re
import sqlite3

from cluster import FOLDER, Lab, Tap, assay

MONTHS, MONTH_S, LOSS = 12, 2629800, 0.7
WELL = 5  # months, before the one in which it loses 2%
SLOW = "node2 gpu3"

tap = Tap()
database = os.path.join(FOLDER, "year.db")
suite = os.path.join(FOLDER, "year.json")


def history(*words, runs=database):
    return assay("history", *words, "--db", runs)


def findings(runs=database):
    done = history("--format", "json", runs=runs)
    told = json.loads(done.stdout)["findings"]
    return done.returncode, {finding["place"] for finding in told}, told


def one_month(month, lost, asked=suite, runs=database):
    """lost: percent, of the one GPU."""
    faults = [f"node2:gpu-slow:3={lost:.1f}"] if lost > 0 else []
    with Lab(f"month{month}", 2, faults, options=("--seed", month + 1)) as lab:
        done = assay("run", "-H", lab.hostfile, "-s", asked, "--db", runs, "--progress", "none", "-o",
                     os.path.join(lab.folder, "report.html"))
    store = sqlite3.connect(runs)
    with store:
        store.execute("UPDATE run SET started=?, ended=? WHERE id=?",
                      (1767225600 + month * MONTH_S, 1767225600 + month * MONTH_S + 60, month + 1))
    store.close()
    return done


with open(suite, "w", encoding="utf-8") as file:
    json.dump({"name": "year", "title": "light, once a month", "platform": "hgx-h100", "steps": [
        {"check": "reachable"}, {"check": "p2p-bandwidth", "needs": ["reachable"]},
        {"check": "gpu-burn", "needs": ["reachable"], "arguments": {"seconds": 60}}]}, file)

statuses, named, others, first = [], {}, set(), None
for month in range(MONTHS + 1):
    statuses.append(one_month(month, LOSS * month).returncode)
    code, places, told = findings()
    others |= places - {SLOW}
    if first is None and SLOW in places:
        first = month
    named[month] = code
rejected = statuses.index(1) if 1 in statuses else MONTHS + 1
tap.ok(first is not None and 1 < first <= 6, "the GPU is named in month 6 at the latest", first)
tap.ok(statuses[:7] == [0] * 7 and set(statuses) <= {0, 1}, "until then every run accepts it: all is within its limits",
       statuses)
tap.ok(7 < rejected < MONTHS, "months later it fails its limit for the first time", rejected)
tap.same(others, set(), "nothing else is named in any month")
tap.ok(named[0] == 0 and all(named[month] == 1 for month in range(first or 0, MONTHS + 1)),
       "the exit status says that something gets worse, from then on", named)
trends = [finding for finding in told if finding["kind"] == "trend" and finding["metric"] == "gpu_burn.gflops"]
tap.ok(len(trends) == 1 and abs(trends[0]["change"] + MONTHS * LOSS / 100) < 0.012, "how much it has lost is told", trends)

text = history()
tap.ok(re.search(rf"gets worse\n(  .*\n)*  .*{SLOW}: gpu-burn gpu_burn\.gflops: -\d\.\d% over 13 runs", text.stdout)
       is not None, "in words", text.stdout)
tap.ok(re.search(rf"fails again and again\n  .*{SLOW}: failed in \d runs of the 13 that are looked at, first in run \d+\n", text.stdout)
       is not None, "who fails again and again", text.stdout)
one = history(SLOW, "--metric", "gpu_burn.gflops")
tap.ok(len(re.findall(r"^  run +\d+  20\d\d-\d\d-\d\d .* \*?", one.stdout, re.M)) == 13, "one GPU's numbers, month by month",
       one.stdout)
fine = history("node1")
tap.same(fine.returncode, 0, "of a host that is as it was nothing is told", fine.stdout)
plot = history("--format", "svg")
tap.ok(plot.stdout.startswith("<svg ") and plot.stdout.count("<polyline") >= 1 and SLOW in plot.stdout, "as a plot")
nobody = history("node9")
tap.ok(nobody.returncode == 64 and re.search(r"'node9'; expected a host, a place or an identity, as (node\d), \1 gpu\d", nobody.stderr),
       "who is not known is refused, with examples", nobody.stderr)
for metric, words in (("gpu_burn.gflop", "did you mean 'gpu_burn.gflops'?"), ("colour", r"expected one such as \w+\.\S+$")):
    nothing = history("--metric", metric)
    tap.ok(nothing.returncode == 64 and re.search(f"called {metric}; {words}", nothing.stderr), f"nor is a rate {metric}", nothing.stderr)

last = rejected  # the number of the last run that accepted it
compared = assay("compare", 1, last, "--db", database)
tap.ok(compared.returncode == 1 and re.search(rf"gets worse\n  .*{SLOW}", compared.stdout) is not None,
       "the first run and the last that was accepted beside each other", compared.stdout, compared.stderr)
same = assay("compare", 1, 2, "--db", database)
tap.ok(same.returncode == 0 and " 0 worse, 0 better" in same.stdout, "two months that are alike", same.stdout)
document = json.loads(assay("compare", 1, last, "--db", database, "--format", "json").stdout)
tap.same(document["worse"], [], "no outcome has changed")
tap.same({finding["place"] for finding in document["history"]["findings"]}, {SLOW}, "the number has")
worse = assay("compare", 1, last + 1, "--db", database)
tap.ok(worse.returncode == 1 and re.search(r"^worse\n  node2 p2p-bandwidth: pass -> fail, \d+ items?: ", worse.stdout, re.M)
       is not None, "what fails that did not", worse.stdout)
tap.same(assay("compare", 1, 99, "--db", database).returncode, 64, "a run that is missing is refused")


def earlier(*words):
    return json.loads(assay("report", *words, "--db", database, "--format", "json").stdout)["earlier"]


found = earlier(last + 1)
tap.ok(found["number"] == last and found["verdict"] == "passed" and found["worse"] and
       {change["after"] for change in found["worse"]} == {"fail"}, "a report has the last accepted run beside its own", found)
found = earlier(last, "--against", 1)
tap.ok(found["number"] == 1 and found["worse"] == [] and {drop["place"] for drop in found["lower"]} == {SLOW},
       "or the one that is asked for: what is lower than noise explains", found)
tap.same(earlier(1)["number"], 0, "the first run has none before it")
page = assay("report", last + 1, "--db", database).stdout
section = page[page.index('<section id="earlier"'):]
section = section[:section.index("</section>")]
tap.ok(f"run {last} of" in section and "node2" in section and "gpu3" in section, "with both values", section)
tap.ok(f"run {last} of" in assay("show", last + 1, "--full", "--db", database).stdout, "in a terminal too")
short, full = (assay("show", last + 1, *words, "--db", database).stdout for words in ((), ("--full",)))
tap.ok(re.search("^VERDICT:", short, re.M) and short.index("VERDICT:") < 100 and re.search(r"^ +1\. node2", short, re.M) and "\nrecap:\n" in short and len(short.splitlines()) < 70 and
       short.endswith(f"all of it: assay show {last + 1} --full --db {database}\n") and "DOCUMENTS (SHA-256)" not in short and "\nDOCUMENTS (SHA-256)\n" in full and full.count("\n") > 2 * short.count("\n"),
       "without --full it is the verdict, what to fix and how each host fared", short)
tap.ok(assay("show", last + 1, "--lang", "zh", "--db", database).stdout.count("\n结论"), "in Chinese where that is asked for")
tap.same(assay("report", 1, "--against", 99, "--db", database).returncode, 64, "a run to compare with that is missing is refused")
plain = assay("report", 1, "--db", database).stdout
named = assay("report", 1, "--db", database, "--title", "Iron <2>", "--customer", "Acme", "--site", "Oslo").stdout
tap.ok("<h1>Iron &lt;2&gt;</h1>" in named and "customer Acme" in named and "site Oslo" in named, "a report is called what it is asked to")
tap.ok("Acme" not in assay("report", 1, "--db", database).stdout, "and the run keeps its own name")
tap.ok("assay report 1 --appendix hosts" in plain, "what paper leaves out is said, with the command that prints it")
whole = assay("report", 1, "--db", database, "--appendix", "hosts", "--appendix", "commands").stdout
tap.ok('<section id="commands">' in whole and '<section id="evidence" class="on-screen">' in whole and
       "--appendix hosts" not in whole and "--appendix evidence" in whole, "appendices that are asked for are printed, and no others")
tap.ok("--appendix" not in assay("report", 1, "--db", database, "--appendix", "all").stdout, "all of them with one word")
wrong = assay("report", 1, "--db", database, "--appendix", "host")
tap.ok(wrong.returncode == 64 and "expected hosts, evidence, hardware, commands or all" in wrong.stderr, "an appendix that is missing is refused")

# By our own probe alone.
probes, months = os.path.join(FOLDER, "probe.json"), os.path.join(FOLDER, "probe.db")
with open(probes, "w", encoding="utf-8") as file:
    json.dump({"name": "probe", "title": "products, once a month", "platform": "hgx-h100", "steps": [
        {"check": "reachable"}, {"check": "gpu-compute", "needs": ["reachable"], "arguments": {"sizes": "8192"}}]}, file)
statuses = [one_month(month, 0, probes, months).returncode for month in range(WELL)]
before = findings(months)
statuses.append(one_month(WELL, 2, probes, months).returncode)
after = findings(months)
tap.same((statuses, before[:2]), ([0] * (WELL + 1), (0, set())), "five months are alike, and the sixth run passes too: 2% is within all limits")
tap.same(after[:2], (1, {SLOW}), "but beside its own earlier runs the GPU that lost 2% is named, and no other", after)
tap.ok(all(finding["metric"].startswith("gpu_compute.") and abs(finding["change"] + 0.02) < 0.008 for finding in after[2]),
       "with how much it lost", after[2])
text = history(runs=months).stdout
tap.ok(re.search(rf"gets worse\n(  .*\n)*  .*{SLOW}: gpu-compute gpu_compute\.\S+: -[12]\.\d%", text) is not None, "in words", text)
page = assay("report", WELL + 1, "--db", months).stdout
section = page[page.index('<section id="earlier"'):] if '<section id="earlier"' in page else ""
tap.ok(SLOW in section[:section.find("</section>")], "and in the report of the run that passed", section[:2000])
tap.end()
