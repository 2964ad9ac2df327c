# SPDX-License-Identifier: Apache-2.0
"""An acceptance made of partial runs: a last look counts only with its first look, and a load of what it looks at in between, in the same run.

usage: test_acceptance_looks.py ASSAY
"""

import json
import os
import re
import shlex

from cluster import FOLDER, Lab, Tap, assay

# Between the looks a command of the suite counts for the port: as much as is in the file COUNTED of the host.
COUNT = """cd "$ASSAY_LAB_ROOT/sys/class/infiniband/mlx5_3/ports/1/counters" && [ -f ../COUNTED ] || { echo counted 0; exit 0; }
while read -r name more; do echo $(($(cat "$name") + more)) >new && mv new "$name"; done <../COUNTED; echo counted 1"""
BUSBW = {"arguments": {"begin": "8G", "end": "8G", "iterations": 5}, "sizes_judged": ["8G"],
         "limits": [{"metric": "nccl.all_gather.busbw", "floor": 30, "unit": "GB/s", "source": "contract 7.1", "status": "contract"}]}


def late(steps):
    """The same with its first look behind all tests, none of which it needs: a run begins with it."""
    return [steps[0], *[step for step in steps[2:-1] if step.get("name") != "between"], {**steps[-1], "needs": []}, steps[1]]


def suite(name, *loads):
    path = os.path.join(FOLDER, f"{name}.json")
    with open(path, "w", encoding="utf-8") as file:
        steps = [
            {"check": "reachable"},
            {"check": "fabric-counters", "needs": ["reachable"]},
            {"check": "gpu-inventory", "needs": ["reachable"]},
            {"name": "between", "check": "command", "needs": ["fabric-counters"],
             "arguments": {"command": COUNT, "pattern": "^counted (?<counted>[0-9]+)$", "metric_prefix": "site"}, "record": ["site.*"]},
            *({"name": "load", "check": "nccl-all-gather", "needs": ["gpu-inventory"], **load, **BUSBW} for load in loads),
            {"name": "fabric-counters-after", "check": "fabric-counters", "last": True, "needs": ["fabric-counters"]},
        ]
        json.dump({"name": name, "title": name, "purpose": "delivery", "steps": late(steps) if name == "late" else steps}, file)
    return path


tap = Tap()
DATABASE = os.path.join(FOLDER, "looks.db")
LOOKS = {"fabric-counters", "fabric-counters-after"}
LOADED = LOOKS | {"load", "gpu-inventory", "reachable"}
ALONE = suite("alone", {"scope": "host"})
TOGETHER = suite("together", {"scope": "cluster"})  # nothing loads a host alone
LATE = suite("late", {"scope": "cluster"})
BOTH = suite("both", {"scope": "host", "name": "nvlinks"}, {"scope": "cluster"})  # what loads a host alone does not load its ports


def acceptance(*words):
    return assay("acceptance", *words, "--db", DATABASE)


def run(*words):
    done = assay("run", "--progress", "none", "-o", "report.html", *words)
    found = re.search(r"^run: (\d+)$", done.stdout, re.MULTILINE)
    if not found:
        raise RuntimeError(f"no run: {done.stdout} {done.stderr}")
    return found[1]


def next_lines(name):
    """What `status --next` writes: (words, hosts, steps) of each command."""
    folder = os.path.join(FOLDER, f"todo-{name}")
    acceptance("status", name, "--next", folder)
    with open(os.path.join(folder, "commands"), encoding="utf-8") as file:
        lines = [shlex.split(line)[2:] for line in file.read().splitlines()]
    return [(words, words[words.index("--hosts") + 1], set(words[words.index("--steps") + 1].split(","))) for words in lines]


def missing(done):
    return [line for line in done.stdout.splitlines() if line.startswith("missing: ")]


def verdict(done):
    return re.search(r"^verdict: ([a-z ]+?)(?: \(|$)", done.stdout, re.MULTILINE)[1]


def partial_runs(lab, name, path, idle):
    """What was tested in one run, and looked at twice in another, is owed; what is written next settles it."""
    given = ("-H", lab.hostfile, "-s", path)
    acceptance("create", name, *given)
    tested = run(*given, "--db", DATABASE, "--steps", "reachable,fabric-counters,gpu-inventory,between,load")
    looked = run(*given, "--db", DATABASE, "--steps", "fabric-counters,fabric-counters-after")
    done = acceptance("add", name, tested, looked)
    tap.ok(verdict(done) == "incomplete" and missing(done) == [
        f"missing: fabric-counters-after on 2 hosts: node[1-2]: the pass in run {looked} no longer counts: it is from a run in which no test {idle} "
        "between its two looks"],
           f"{name}: two looks with no load between them do not count", done.stdout, done.stderr)
    again = run(*given, "--db", DATABASE, "--hosts", "node1", "--steps", "fabric-counters,fabric-counters-after")
    done = acceptance("add", name, again)
    tap.same(verdict(done), "incomplete", f"{name}: nor do they the next time", done.stdout)
    lines = next_lines(name)
    tap.same([line[1:] for line in lines], [("node[1-2]", LOADED)], f"{name}: what is run next has the first look and a load")
    done = acceptance("add", name, *[run(*words) for words, _, _ in lines])
    tap.ok(verdict(done) == "accept" and done.returncode == 0, f"{name}: which is accepted", done.stdout, done.stderr)


def late_look(lab):
    """Where the suite has its looks says nothing of what is between them."""
    given = ("-H", lab.hostfile, "-s", LATE)
    acceptance("create", "late", *given)
    done = acceptance("add", "late", run(*given, "--db", DATABASE))
    tap.ok(verdict(done) == "accept", "late: a run of all steps has its first look before its tests", done.stdout, done.stderr)
    acceptance("create", "late-parts", *given)
    tested = run(*given, "--db", DATABASE, "--steps", "reachable,gpu-inventory,load")
    looked = run(*given, "--db", DATABASE, "--steps", "reachable,fabric-counters,fabric-counters-after")
    done = acceptance("add", "late-parts", tested, looked)
    tap.ok(verdict(done) == "incomplete" and f"the pass in run {looked} no longer counts" in done.stdout, "late: two looks with no load between them do not count",
           done.stdout)
    lines = next_lines("late-parts")
    tap.same([line[1:] for line in lines], [("node[1-2]", LOADED)], "late: what is run next has the first look and a load")
    done = acceptance("add", "late-parts", *[run(*words) for words, _, _ in lines])
    tap.ok(verdict(done) == "accept", "late: which is accepted", done.stdout, done.stderr)


def light_load(lab):
    """A test that leaves the ports alone is no load for who looks at ports, where the suite has one that loads them."""
    given = ("-H", lab.hostfile, "-s", BOTH)
    acceptance("create", "both", *given)
    tested = run(*given, "--db", DATABASE, "--steps", "reachable,fabric-counters,gpu-inventory,between,nvlinks,load")
    light = run(*given, "--db", DATABASE, "--steps", "reachable,fabric-counters,gpu-inventory,nvlinks,fabric-counters-after")
    done = acceptance("add", "both", tested, light)
    tap.ok(verdict(done) == "incomplete" and missing(done) == [
        f"missing: fabric-counters-after on 2 hosts: node[1-2]: the pass in run {light} no longer counts: it is from a run in which no test of the "
        "suite that loads the host's ports ran between its two looks"], "a test on each host alone does not load its ports", done.stdout)
    lines = next_lines("both")
    tap.same([line[1:] for line in lines], [("node[1-2]", LOADED)], "both: what is run next loads the ports, and nothing else")
    done = acceptance("add", "both", *[run(*words) for words, _, _ in lines])
    tap.ok(verdict(done) == "accept", "both: which is accepted", done.stdout, done.stderr)


with Lab("acceptance-looks", 2, ["node2:link-downs:mlx5_3=3"], speed=600) as lab:
    acceptance("create", "empty", "-H", lab.hostfile, "-s", ALONE)
    tap.same([line[1:] for line in next_lines("empty")], [("node[1-2]", LOADED | {"between"})], "where all is owed nothing is added")
    partial_runs(lab, "alone", ALONE, "loaded the host")  # nothing of the suite loads ports
    partial_runs(lab, "together", TOGETHER, "of the suite that loads the host's ports ran")
    light_load(lab)
    late_look(lab)
    acceptance("event", "together", "repair", "node1", "--what", "cable")
    lines = next_lines("together")
    looks = [line[1:] for line in lines if "fabric-counters-after" in line[2]]
    tap.same(looks, [("node[1-2]", LOADED | {"between"})], "where only a test among all hosts loads one, all of them are asked for it")
    done = acceptance("add", "together", *[run(*words) for words, _, _ in lines])
    tap.ok(verdict(done) == "accept", "and that is accepted", done.stdout, done.stderr)
    with open(os.path.join(lab.folder, "hosts/node2/root/sys/class/infiniband/mlx5_3/ports/1/COUNTED"), "w", encoding="utf-8") as file:
        file.write("link_downed 1\n")
    bad = run("-H", lab.hostfile, "-s", ALONE, "--db", DATABASE, "--hosts", "node2", "--steps", "fabric-counters,between,fabric-counters-after")
    done = acceptance("add", "alone", bad)
    tap.ok(verdict(done) == "reject" and f"failed in run {bad}" in done.stdout, "a fail of such a run counts all the same", done.stdout, done.stderr)
tap.end()
