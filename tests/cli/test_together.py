# SPDX-License-Identifier: Apache-2.0
"""Runs of two controllers judged as one: who is odd among all hosts, what each run's verdict says of it, in every form of the report;
and what is not judged as one is named, with nothing stored.

usage: test_together.py ASSAY
"""

import json
import os
import re
import shutil
import sqlite3

from cluster import FOLDER, Lab, Report, Tap, assay

tap = Tap()
STEPS = [{"check": "reachable"}, {"check": "gpu-inventory", "needs": ["reachable"]}, {"check": "driver", "needs": ["reachable"]}]
NAMES = {"node3": "node1", "node4": "zeta-oven", "node5": "yak-barn", "node6": "ibex-hill"}


def path(name):
    return os.path.join(FOLDER, name)


def suite(name, **more):
    with open(path(f"{name}.json"), "w", encoding="utf-8") as file:
        json.dump({"name": name, "title": name, "platform": "hgx-h100", "steps": STEPS, **more}, file)
    return path(f"{name}.json")


def hostfile(lab, name, keep, names):
    """The lab's, with only these hosts, under names of another site."""
    with open(lab.hostfile, encoding="utf-8") as file:
        lines = file.read().splitlines()
    with open(path(name), "w", encoding="utf-8") as file:
        for line in lines:
            host = line.split(" ")[0]
            if not host.startswith("node"):
                file.write(line + "\n")
            elif host in keep:
                file.write(line.replace(host, names.get(host, host), 1) + "\n")
    return path(name)


def run(hosts, steps, database):
    return assay("run", "-H", hosts, "-s", steps, "--db", path(database), "--progress", "none", "-o", path("report.html"))


def judge(*runs, database="all.db"):
    return assay("judge", *runs, "--db", path(database))


def drivers(number, database="all.db"):
    """{host: (outcome, cause)} of its driver's version."""
    return {step["target"]: (item["outcome"], item["cause"]) for step, item in Report(path(database), number).outcomes()
            if item["metric"] == "driver.version"}


def words_of(number, database="all.db"):
    return {host: word for host, (word, _) in drivers(number, database).items()}


def judgements(database="all.db"):
    store = sqlite3.connect(path(database))
    try:
        return store.execute("SELECT count(*) FROM judgement").fetchone()[0]
    finally:
        store.close()


def refused(name, why, *words, database="all.db"):
    before = judgements(database)
    done = judge(*words, database=database)
    tap.ok(done.returncode == 64 and all(part in done.stderr for part in why), name, done.returncode, done.stdout, done.stderr)
    tap.same(judgements(database), before, f"{name}: nothing is stored")


with Lab("site", 6, faults=("node2:driver-version",)) as lab:
    light, other = suite("light"), suite("other", note="an older one")
    here, there = hostfile(lab, "here", ("node1", "node2"), {}), hostfile(lab, "there", NAMES, NAMES)
    for hosts, steps, database in (here, light, "a.db"), (there, light, "b.db"), (there, other, "c.db"), (lab.hostfile, light, "d.db"):
        done = run(hosts, steps, database)
        tap.ok(done.returncode in (0, 1, 2), f"a run into {database}", done.returncode, done.stdout, done.stderr)

done = assay("merge", path("a.db"), path("b.db"), path("c.db"), path("d.db"), "--db", path("all.db"))
tap.ok("4 taken" in done.stdout, "the runs of four databases come into one", done.stdout, done.stderr)
tap.same((words_of(1), set(words_of(2).values())), ({"node1": "fail", "node2": "fail"}, {"pass"}), "of two hosts nobody knows which is odd")

# --- as one --------------------------------------------------------------------------------------------------------------

done = judge(1, 2)
reports = [Report(path("all.db"), number) for number in (1, 2)]
uuids = [report.json["run"]["uuid"] for report in reports]
tap.ok(done.returncode == 1 and re.search(r"(?m)^run: 1\nverdict: ", done.stdout) and re.search(r"(?m)^run: 2\nverdict: ", done.stdout) and
       re.search(r"(?m)^node1 driver driver.version: fail -> pass$", done.stdout),
       "two runs are judged as one, and what changed in each is told", done.returncode, done.stdout, done.stderr)
tap.same((words_of(1), set(words_of(2).values())), ({"node1": "pass", "node2": "fail"}, {"pass"}), "with those of the other run the odd one is named")
tap.ok("while most hosts have" in drivers(1)["node2"][1], "and how it is odd", drivers(1))
tap.same((reports[0].verdict, reports[1].verdict), ("reject", "accept"), "each run has its own verdict")
for number, at in (1, 0), (2, 1):
    beside = f"judged as one with run {3 - number} ({uuids[1 - at]})"
    shown = assay("show", number, "--db", path("all.db")).stdout
    tap.ok(beside in json.dumps(reports[at].json) and beside in " ".join(shown.split()), f"run {number} says with which run it was judged",
           shown[:1500])
    html = assay("report", number, "--lang", "zh", "--db", path("all.db"), "-o", path("zh.html"))
    with open(path("zh.html"), encoding="utf-8") as file:
        page = file.read()
    tap.ok(html.returncode in (0, 1) and f"与 运行 {3 - number}（{uuids[1 - at]}） 合并判定" in page, f"and run {number} in Chinese", html.stderr)
done = assay("list", "--db", path("all.db"))
tap.same(done.stdout.count("(imported"), 4, "they remain the runs of other controllers", done.stdout)
done = assay("compare", 1, 2, "--db", path("all.db"))
tap.ok(done.returncode in (0, 1) and done.stderr == "", "they can be compared", done.returncode, done.stdout, done.stderr)

# A host of the other run that a cause names is known to nobody who redacts this one, and to no rule.
NAMED = '["is_shared_with","driver.version",["host_of_run","ibex-hill","2"]]'
shutil.copy(path("all.db"), path("named.db"))
store = sqlite3.connect(path("named.db"))
with store:
    store.execute("UPDATE outcome SET cause=? WHERE cause LIKE '%most_hosts%' AND judgement=(SELECT max(id) FROM judgement WHERE run=1)", (NAMED,))
store.close()
tap.same(drivers(1, "named.db")["node2"][1], "driver.version is shared with ibex-hill of run 2", "a cause names a host of the other run")
done = assay("export", 1, "--db", path("named.db"), "--redact", "-o", path("x.tar.zst"))
tap.same(done.returncode, 0, "such a run is exported redacted", done.stderr)
done = assay("import", path("x.tar.zst"), "--db", path("redacted.db"))
told = json.dumps(Report(path("redacted.db"), 1).json)
tap.ok("driver.version is shared with anon-host" in told and not re.search("ibex|oven|yak", told), "and tells no host of the other",
       done.stderr, re.findall("driver.version is shared[^\"]*", told))

done = judge(1)
tap.ok(words_of(1)["node1"] == "fail" and "judged as one" not in json.dumps(Report(path("all.db"), 1).json["run"]) and
       f"before: judgement {reports[0].json['run']['judgement']}, " in done.stdout and "judged as one with run 2" in done.stdout,
       "judged alone it is what it was, and says what it was judged with before", done.stdout)

# --- what is not -----------------------------------------------------------------------------------------------------------

refused("a run that is named twice", ("run 1 is named twice",), 1, 2, uuids[0])
refused("runs of two suites", ("runs 1 and 3 cannot be judged as one", "suite (light, other)"), 1, 3)
tap.ok("--baseline" not in judge(1, 3).stderr, "and it is not said that --baseline or --contract help there")
refused("a machine that is in two runs", ("node1 of run 2 and node3 of run 4 are one machine, by its GPUs", "give only the later run, 4"), 2, 4)
refused("a run that is not there", ("9",), 1, 9)
tap.end()
