# SPDX-License-Identifier: Apache-2.0
"""Who makes a test over many hosts slow: named through the whole program, and nobody else; also after a killed controller.

usage: test_isolation.py ASSAY [all]

One case among a few hosts, or all of fault_cases.py, and what else comes of a search.
"""

import json
import os
import re
import sqlite3
import sys

from cluster import FOLDER, Lab, Report, Tap, assay, closing_lines, start, wait_until
from fault_cases import CABLING_FABRIC, ISOLATED, Slow

ALL = sys.argv[2:] == ["all"]
CASES = ISOLATED if ALL else [Slow(12, "{5}:nic-slow:mlx5_2=30", "host", "{5}", "on its way into the fabric")]
LEAF = 8
NARROW = 10  # two leaves; a search that finds nobody uses all its rounds
SWAPPED = "node7"  # of the first case's hosts
SUITE = {
    "name": "wide", "title": "One collective over all hosts", "purpose": "trial",
    "steps": [
        {"check": "reachable"},
        {"check": "nccl-all-gather", "scope": "cluster", "needs": ["reachable"],
         "arguments": {"begin": "4G", "end": "8G"}, "sizes_judged": ["8G"],
         "limits": [{"metric": "nccl.all_gather.busbw", "floor": 300, "unit": "GB/s", "source": "site",
                     "status": "contract"}]},
    ],
}

tap = Tap()


# Everybody to everybody, so that all hosts of a leaf send over its uplinks at once.
ALLTOALL = {"check": "nccl-alltoall",
            "limits": [{"metric": "nccl.alltoall.busbw", "floor": 40, "unit": "GB/s", "source": "site", "status": "contract"}]}


def write_suite(name, **of_step):
    path = os.path.join(FOLDER, f"{name}.json")
    steps = [SUITE["steps"][0], {**SUITE["steps"][1], **of_step}]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({**SUITE, "steps": steps}, file)
    return path


def named(text, first):
    """{N} is the N-th of the hosts that begin with `first`."""
    return re.sub(r"\{(\d+)\}", lambda match: f"node{first + int(match[1]) - 1}", text)


def arguments(lab, name, first, hosts, suite):
    return ("run", "-H", lab.hostfile, "-s", suite, "--db", os.path.join(FOLDER, f"{name}.db"), "--progress", "none",
            "--hosts", f"node[{first}-{first + hosts - 1}]", "-o", os.path.join(FOLDER, f"{name}.html"))


def rejected(report):
    """Names of the hosts that the run rejects."""
    return [verdict["name"] for verdict in report.json["verdicts"]
            if verdict["scope"] == "host" and verdict["verdict"] == "failed"]


def parts(report):
    return [step for step in report.steps if step["origin"] == "isolate"]


def broken(report):
    """Parts that said nothing: how their attempts ended."""
    attempts = report.json["attempts"]
    ends = [(step["round"], step["target"], [(attempts[n]["end"], attempts[n]["text"]) for n in step["attempts"]])
            for step in parts(report)]
    return [row for row in ends if [end for end, _ in row[2]] != ["ran"]]


def first_of(number):
    """Each case has hosts of its own in one lab, and begins with a leaf."""
    return 1 + sum(case.hosts for case in CASES[:number])


def is_found(number, case):
    first = first_of(number)

    def story(tell):
        name = case.name
        subject = named(case.subject, first)
        if case.kind == "leaf":
            subject = f"l{(int(re.search(r'node([0-9]+)', subject)[1]) - 1) // LEAF + 1}"
        done = assay(*arguments(lab, name, first, case.hosts, suite))
        report = Report(os.path.join(FOLDER, f"{name}.db"))
        found = [(item["kind"], item["subject"], item["place"]) for item in report.json["accusations"]]

        tell.same(found, [(case.kind, subject, case.place)], f"{name}: {case.kind} {subject} is accused and nobody else",
                  report.json["searches"], broken(report), done.stderr)
        tell.same((done.returncode, report.verdict), (1, "reject"), f"{name}: the run is rejected")
        tell.same(rejected(report), [subject] if case.kind == "host" else [],
                  f"{name}: of the hosts only the accused one is rejected")
        tell.same([search["candidates"] for search in report.json["searches"]], [""], f"{name}: nothing is left open")
        tell.ok(re.search(rf"^fail: (leaf |path )?{re.escape(subject)} isolation: ", done.stdout, re.M) is not None,
                f"{name}: the last lines name it", done.stdout)
        fails = [line for line in done.stdout.splitlines() if line.startswith(("fail: ", "inconclusive: "))]
        tell.ok(" isolation: " in fails[0] and len(fails) > 1 and
                all(line.endswith(f"{subject} makes it slow") for line in fails[1:]),
                f"{name}: it stands first, and the tests that it made slow point there", done.stdout)
        tell.same({item["outcome"] for step, item in report.outcomes("record") if step["origin"] == "isolate"},
                  {"recorded"}, f"{name}: what the parts measure is only recorded")
        tell.same([step for step, _ in report.outcomes() if step["origin"] == "isolate"], [],
                  f"{name}: the parts owe no gate")
        with open(os.path.join(FOLDER, f"{name}.html"), encoding="utf-8") as file:
            page = file.read()
        tell.ok("Isolation: what slows tests across hosts" in page and subject in page, f"{name}: the report shows it")
        again = assay("judge", 1, "--db", os.path.join(FOLDER, f"{name}.db"))
        second = Report(os.path.join(FOLDER, f"{name}.db"))
        tell.same((again.returncode, second.json["accusations"], second.json["searches"]),
                  (1, report.json["accusations"], report.json["searches"]),
                  f"{name}: judged again it accuses the same", again.stdout, again.stderr)

    story.__name__ = f"{case.name} is found"
    return story


def a_fabric_that_cannot_carry_all(tell):
    with Lab("narrow", NARROW, options=("--oversubscription", 2)) as narrow:
        done = assay(*arguments(narrow, "narrow", 1, NARROW, write_suite("all-to-all", **ALLTOALL)))
        report = Report(os.path.join(FOLDER, "narrow.db"))
        tell.same((report.json["accusations"], rejected(report)), ([], []),
                  "a healthy fabric with uplinks 2:1 accuses nobody", report.json["searches"], done.stderr)
        tell.same([search["candidates"] for search in report.json["searches"]], [f"{NARROW} hosts: node[1-{NARROW}]"],
                  "and says among whom it lies")
        tell.ok(f"not isolated: nccl-alltoall among {NARROW} hosts" in done.stdout, "so do the last lines", done.stdout)


def a_minute_that_is_not_enough(tell):
    """The same fabric, whose search takes 16 rounds or more; these last five seconds or more each."""
    with Lab("minute", NARROW, options=("--oversubscription", 2), speed=4) as narrow:
        done = assay(*arguments(narrow, "minute", 1, NARROW, write_suite("all-to-all", **ALLTOALL)), "--isolate-minutes", 1)
        report = Report(os.path.join(FOLDER, "minute.db"))
        rounds = len({step["round"] for step in parts(report)})
        spent = [report.json["attempts"][n] for step in parts(report) for n in step["attempts"]]
        conclusions = [search["conclusion"] for search in report.json["searches"]]

        tell.ok(1 < rounds < 16, "--isolate-minutes: a search that would take more ends after some rounds", rounds, done.stderr)
        tell.ok(len(spent) > 0 and max(row["ended"] for row in spent) - min(row["began"] for row in spent) < 90,
                "--isolate-minutes: no round is begun that would end much later", spent)
        tell.ok(len(conclusions) == 1 and f"the time that isolation may take, 1 minute, was not enough, after {rounds} rounds" in
                conclusions[0], "--isolate-minutes: the report says what was not enough", conclusions)
        tell.same((report.json["accusations"], [search["candidates"] for search in report.json["searches"]]),
                  ([], [f"{NARROW} hosts: node[1-{NARROW}]"]), "--isolate-minutes: nobody is accused, and all may be to blame")
        tell.same((done.returncode, report.verdict), (1, "reject"), "--isolate-minutes: the slow test is a fail all the same")


def a_swapped_rail(tell):
    """Nothing is slower for it, so no bandwidth tells; one sweep of the fabric does."""
    done = assay(*arguments(lab, "swapped", 1, CASES[0].hosts, CABLING_FABRIC))
    report = Report(os.path.join(FOLDER, "swapped.db"))
    failed = {item["subject"] for _, item in report.outcomes() if item["outcome"] == "fail"}
    tell.same((done.returncode, failed), (1, {f"{SWAPPED} mlx5_2", f"{SWAPPED} mlx5_3"}),
              "a swapped rail: both of its HCAs are named and no other", done.stdout, done.stderr)
    tell.same(rejected(report), [SWAPPED], "a swapped rail: of the hosts only that one is rejected")


def without_isolation(tell):
    path = write_suite("off", isolate=False)
    done = assay(*arguments(lab, "off", 17, 16, path))
    report = Report(os.path.join(FOLDER, "off.db"))
    tell.same((done.returncode, parts(report), report.json["searches"]), (1, [], []),
              '"isolate": false: the slow test is all that is run', done.stderr)


def a_controller_killed_in_a_round(tell):
    """Of these 16 hosts, node21 is slow."""
    words = arguments(lab, "killed", 17, 16, suite)
    database = os.path.join(FOLDER, "killed.db")

    def ended_parts():
        if not os.path.exists(database):
            return 0
        try:
            with sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=5) as connection:
                return connection.execute("SELECT count(*) FROM attempt JOIN step ON step.run=attempt.run AND "
                                          "step.n=attempt.step WHERE origin='isolate' AND state='ended'").fetchone()[0]
        except sqlite3.OperationalError:
            return 0

    child = start(*words)
    begun = wait_until(lambda: ended_parts() >= 5, 120)
    child.kill()
    child.communicate(timeout=30)
    before = Report(database)
    ended = {attempt["uuid"] for attempt in before.json["attempts"] if attempt["state"] == "ended"}
    tell.ok(begun and before.json["run"]["state"] == "interrupted", "killed in a round: the search had begun", begun)
    tell.same(before.json["accusations"], [], "killed in a round: nobody is accused yet")
    done = assay("run", "--resume", 1, "--db", database, "--progress", "none", "-o", os.path.join(FOLDER, "killed.html"))
    after = Report(database)
    keys = [step["key"] for step in after.steps]
    tell.same((done.returncode, [item["subject"] for item in after.json["accusations"]]), (1, ["node21"]),
              "killed in a round: --resume ends the search and names the host", after.json["searches"], done.stderr)
    tell.same(keys[:len(before.steps)], [step["key"] for step in before.steps],
              "killed in a round: the steps of the round are those that were planned")
    tell.same(len(set(keys)), len(keys), "killed in a round: no step is there twice")
    tell.ok(ended <= {attempt["uuid"] for attempt in after.json["attempts"]} and
            all(len(step["attempts"]) == 1 for step in parts(after)), "killed in a round: no part is run twice")
    tell.same(after.left_behind(), [], "killed in a round: nothing is left on the hosts")


suite = write_suite("wide")
faults = [named(case.fault, first_of(number)) for number, case in enumerate(CASES)]
with Lab("slow", first_of(len(CASES)), [*faults, f"{SWAPPED}:rail-swap:2-3"]) as lab:
    # One after the other: a host that a busy machine keeps from answering ends a search.
    for story in [*(is_found(number, case) for number, case in enumerate(CASES)), a_swapped_rail,
                  *([without_isolation, a_controller_killed_in_a_round] if ALL else [])]:
        tap.together([story])
    tap.same(lab.processes(), [], "nothing runs on the hosts in the end")
if ALL:
    tap.together([a_fabric_that_cannot_carry_all, a_minute_that_is_not_enough])
tap.end()
