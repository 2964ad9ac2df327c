# SPDX-License-Identifier: Apache-2.0
"""test_tonight.py ASSAY: which tests to repeat tonight, chosen from the runs of a simulated cluster over weeks, one of whose hosts goes
bad again and again; the choice as suites that run; without a history; and what is refused.

The runs are made one after the other, in the cluster as it is when it is well and in the one that has the defect; only the times at which
they were started are set back, in the test's own database.
"""

import json
import os
import re
import sqlite3
import time

from cluster import FOLDER, Lab, Tap, assay

HOSTS, DAY_S = 4, 86400
GOOD, BAD = [], ["node2:ecc-uncorrected:3"]
# Days ago, and what was wrong then: the acceptance, and weeks in which node2's GPU 3 is repaired twice.
WEEKS = [(60, GOOD), (40, BAD), (39, GOOD), (20, BAD), (18, GOOD), (3, GOOD)]

tap = Tap()
database, menu, tonight = (os.path.join(FOLDER, name) for name in ("weeks.db", "menu.json", "tonight.json"))


def plan(*words, db=database, **more):
    return assay("periodic", "plan", *words, *(("--db", db) if db else ()), **more)


def told(*words, **more):
    done = plan(*words, "--format", "json", **more)
    return json.loads(done.stdout) if done.returncode == 0 else {"failed": done.stderr}


def test_of(answer, step):
    return next((row for row in answer["tests"] if row["step"] == step), None)


def one_run(number, days_ago, faults, suite=menu):
    done = assay("run", "-H", (bad if faults else good).hostfile, "-s", suite, "--db", database, "--progress", "none",
                 "-o", os.path.join(FOLDER, "report.html"))
    began = time.time() - days_ago * DAY_S
    store = sqlite3.connect(database)
    with store:
        store.execute("UPDATE run SET started=?, ended=? WHERE id=?", (began, began + 60, number))
    store.close()
    return done.returncode


def without_history(hostfile):
    empty = os.path.join(FOLDER, "empty.db")
    sqlite3.connect(empty).close()
    tap.ok(plan("-H", hostfile, db=os.path.join(FOLDER, "none.db")).returncode == 64, "a database that is named and is not there is refused")
    folder = os.path.join(FOLDER, "new")
    os.mkdir(folder)
    done = plan("-H", hostfile, db=None, cwd=folder)
    tap.ok(done.returncode == 0 and "rests on public rates alone" in done.stdout and os.listdir(folder) == [],
           "where there is no database yet it rests on public rates, says so, and makes none", done.stdout, done.stderr)
    tap.ok("of no host that it is healthy" in done.stdout and "not chosen among" in done.stdout and "nccl-all-gather-cluster" in done.stdout,
           "it says what it does not say, and what it left out", done.stdout)
    tap.ok(re.search(r"^tonight: [0-9.]+ host hours of [0-9.]+ that all tests take on 4 hosts \((1\d|20)(\.\d+)?%\)$", done.stdout, re.M),
           "unless it is told, it takes a fifth of the hours of all tests", done.stdout)
    chinese = plan("-H", hostfile, "--lang", "zh", db=None, cwd=folder).stdout
    tap.ok("仅依据公开故障率" in chinese and "tonight" not in chinese, "in Chinese too", chinese)
    answer = told("-H", hostfile, db=None, cwd=folder)
    tap.ok(answer.get("runs") == 0 and all(rate["found"] == 0 and abs(rate["per_host_hour"] / rate["public_per_host_hour"] - 1) < 1e-9 for rate in answer["rates"]),
           "with the same numbers for programs", answer)


def weeks(hostfile):
    statuses = [one_run(number, *week) for number, week in enumerate(WEEKS, 1)]
    tap.same(statuses, [0, 1, 0, 1, 0, 0], "the runs: two of them find the defect, the others pass")
    answer = told("-H", hostfile, "-s", menu)
    gpu, ecc = answer["rates"][0], test_of(answer, "ecc")
    tap.same((answer["runs"], gpu["class"], gpu["found"], [rate["found"] for rate in answer["rates"][1:]]), (len(WEEKS), "GPU", 2, [0, 0, 0]),
             "both defects of the GPU are counted, and no other", answer["rates"])
    watched = HOSTS * (60 - 3) * 24
    tap.ok(0.5 * watched < gpu["watched_host_hours"] < 2 * watched and gpu["per_host_hour"] > 1.5 * gpu["public_per_host_hour"],
           "in the hours in which the hosts were watched", gpu)
    tap.ok(ecc and ecc["timed"] >= len(WEEKS) and ecc["coverage"]["GPU"] > 0.3, "what a test takes and what it sees is of this history", ecc)
    text = plan("-H", hostfile, "-s", menu, "--hours", f"{answer['all_host_hours'] / 2:.9f}").stdout
    tap.ok(re.search(r"node2 comes first: 2 such defects found there before", text) and "rests on 6 runs" in text, "the host that goes bad comes first, with why", text)
    few = told("-H", hostfile, "-s", menu, "--hours", f"{answer['all_host_hours'] / HOSTS * 1.01:.9f}")
    burns = [row["hosts"] for row in few["tests"] if row["step"] == "gpu-burn"]
    tap.ok(few["host_hours"] <= answer["all_host_hours"] / HOSTS * 1.01 and burns in ([], [["node2"]]), "the hours hold, and what is long is for that host", few)
    return few


def as_suites(hostfile):
    done = plan("-H", hostfile, "-s", menu, "-o", tonight, "--hours", "1000")
    commands = re.findall(r"^  (assay run .*)$", done.stdout, re.M)
    with open(tonight, encoding="utf-8") as file:
        suite = json.load(file)
    tap.ok(suite["purpose"] == "periodic" and suite["search_path"] == ["/usr/local/cuda/bin"] and suite["name"] == "tonight", "the suite is periodic, and has what the menu has", suite)
    tap.ok(len(commands) == 1 and commands[0].startswith(f"assay run -H {hostfile} -s {tonight} --hosts ") and "node[1-4]" in commands[0],
           "the command is printed, with the hosts folded", commands)
    ran = assay("run", "-H", bad.hostfile, "-s", tonight, "--hosts", "node[1-4]", "--db", database, "--progress", "none",
                "-o", os.path.join(FOLDER, "report.html"))
    tap.ok(ran.returncode == 1 and "verdict: failed" in ran.stdout, "it runs, finds the defect, and neither accepts nor rejects", ran.stdout, ran.stderr)
    answer = told("-H", hostfile, "-s", menu)
    tap.ok(answer["runs"] == len(WEEKS) + 1 and any(re.match("node2: GPUs and their links, found in the run of ", note) for note in answer["notes"]),
           "and the next plan knows of it", answer["notes"])
    tap.ok("node2 failed it and has not passed it since" in test_of(answer, "ecc")["why"], "and repeats what failed", answer["tests"])


def by_less(hostfile):
    """The same names, and something else is asked."""
    with open(menu, encoding="utf-8") as file:
        document = json.load(file)
    for step in document["steps"]:
        if step["check"] == "ecc":
            step["repeat"] = 2
    other = os.path.join(FOLDER, "other.json")
    with open(other, "w", encoding="utf-8") as file:
        json.dump({**document, "name": "other"}, file)
    tap.same(one_run(len(WEEKS) + 2, 0, GOOD, other), 0, "another suite's step of that name passes")
    answer = told("-H", hostfile, "-s", menu)
    tap.ok("node2 failed it and has not passed it since" in test_of(answer, "ecc")["why"], "which is no proof of the repair", answer["tests"])


def several_groups(hostfile):
    """As many hours as half of the hosts take: then not all have the same tests."""
    hours = told("-H", hostfile, "--hours", "100", db=None, cwd=FOLDER)["all_host_hours"]
    path = os.path.join(FOLDER, "some of it.json")
    done = plan("-H", hostfile, "-o", path, "--hours", str(hours * 0.3), db=None, cwd=FOLDER)
    commands = re.findall(r"^  assay run .* -s '(.*\.json)' --hosts '?([^ '\n]+)", done.stdout, re.M)
    tap.ok(len(commands) >= 2 and [os.path.basename(name) for name, _ in commands][:2] == ["some of it.json", "some of it-2.json"],
           "hosts with different tests get suites of their own", done.stdout, done.stderr)
    one = plan("-H", hostfile, "-o", path, "--hours", str(hours * 0.3), "--groups", "1", db=None, cwd=FOLDER)
    tap.same(len(re.findall(r"^  assay run ", one.stdout, re.M)), 1, "at most as many as are asked for", one.stdout, one.stderr)
    plan("-H", hostfile, "-o", path, "--hours", str(hours * 0.3), db=None, cwd=FOLDER)
    for name, hosts in commands:
        asked = assay("plan", "-H", hostfile, "-s", name, "--hosts", hosts)
        tap.ok(asked.returncode == 0 and "nvlink-domain" not in asked.stderr, f"{os.path.basename(name)} is a suite that can be planned", asked.stderr)


def refused(hostfile):
    across = os.path.join(FOLDER, "across.json")
    with open(across, "w", encoding="utf-8") as file:
        json.dump({"name": "across", "title": "over all hosts", "steps": [{"check": "mpi-launch", "scope": "cluster"}]}, file)
    broken = os.path.join(FOLDER, "broken.db")
    with open(broken, "w", encoding="utf-8") as file:
        file.write("no database " * 1000)
    for words, expected in (
            (("-H", hostfile, "--hours", "0"), "--hours '0'; expected host hours, a number above 0"),
            (("-H", hostfile, "--hours", "5h"), "--hours '5h'; expected host hours"),
            (("-H", hostfile, "--hours", "1e-9"), "host hours no test of suite delivery fits"),
            (("-H", hostfile, "--format", "yaml"), "unknown format 'yaml'; expected text or json"),
            (("-H", hostfile, "--lang", "fr"), "unknown language 'fr'"),
            (("-H", hostfile, "-o", "-"), "--output '-'; expected the name of a file"),
            (("-H", hostfile, "-o", hostfile), "is what --hostfile names, which would be written over"),
            (("-H", hostfile, "-s", menu, "-o", menu), "is what --suite names"),
            (("-H", hostfile, "-o", os.path.join(FOLDER, "periodic.json")), "has the name periodic, which a built-in suite has"),
            (("-H", hostfile, "-s", across), "no step of suite across is a test of one host"),
            (("-H", hostfile, "-s", "delivry"), "delivry"),
            (("-H", hostfile, "--hosts", "node9"), "node9"),
            (("-H", hostfile, "tonight"), "unexpected word 'tonight'"),
            ((), "-H HOSTFILE is missing"),
            (("-H", hostfile, "--db", broken), "broken.db")):
        done = plan(*words, db=None, cwd=FOLDER)
        tap.ok(done.returncode == 64 and expected in done.stderr and done.stdout == "", f"refused: {' '.join(map(os.path.basename, words))}", done.stdout, done.stderr)
    done = assay("periodic", "replan")
    tap.ok(done.returncode == 64 and "'replan' is not plan" in done.stderr, "another verb is refused", done.stderr)


with open(menu, "w", encoding="utf-8") as file:
    json.dump({"name": "menu", "title": "a few tests of one host", "platform": "hgx-h100", "search_path": ["/usr/local/cuda/bin"], "steps": [
        {"check": "reachable"}, {"check": "gpu-inventory", "needs": ["reachable"]}, {"check": "ecc", "needs": ["gpu-inventory"]},
        {"check": "ib-port", "needs": ["reachable"]}, {"check": "gpu-burn", "needs": ["gpu-inventory"], "arguments": {"seconds": 60}}]}, file)
hosts = os.path.join(FOLDER, "hosts")
with open(hosts, "w", encoding="utf-8") as file:
    file.write(f"node[1-{HOSTS}] platform=hgx-h100\n")
without_history(hosts)
several_groups(hosts)
refused(hosts)
with Lab("good", HOSTS, GOOD, options=("--seed", 1)) as good, Lab("bad", HOSTS, BAD, options=("--seed", 2)) as bad:
    weeks(hosts)
    as_suites(hosts)
    by_less(hosts)
tap.end()
