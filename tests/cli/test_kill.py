# SPDX-License-Identifier: Apache-2.0
"""A controller that is killed at any moment, and again while it resumes: nothing is lost, and nothing is done twice.

usage: test_kill.py ASSAY [MOMENTS [SEED]]

Each story is a run on two hosts of its own whose controller is killed (SIGKILL) at a moment that the seed gives, in
half of the stories its successor too. What it comes to is compared with a run that nobody disturbed: the same items with
the same outcomes, as many measurements, and on the hosts each tool started as often, which the lab counts.
"""

import collections
import json
import os
import random
import re
import sqlite3
import sys
import time

from cluster import FOLDER, Lab, PATIENCE_S, Report, Tap, assay, start

MOMENTS = int(sys.argv[2]) if len(sys.argv) > 2 else 4
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
TOGETHER = 4  # stories at a time: more of them only wait for the processor
SUITE = {
    "name": "all-kinds", "purpose": "trial",
    "steps": [
        {"check": "reachable"},
        {"check": "privilege", "needs": ["reachable"]},
        {"check": "gpu-inventory", "needs": ["reachable"]},
        {"check": "p2p-bandwidth", "needs": ["privilege", "gpu-inventory"]},
        {"check": "gpu-burn", "needs": ["p2p-bandwidth"], "arguments": {"seconds": 600}, "repeat": 2},
        {"check": "mpi-launch", "scope": "cluster", "needs": ["reachable"]},
        {"check": "nccl-all-gather", "scope": "cluster", "needs": ["gpu-burn", "mpi-launch"],
         "arguments": {"begin": "1G", "end": "8G"}, "sizes_judged": ["8G"]},
    ],
}
TOOLS = ("p2pBandwidthLatencyTest", "gpu_burn", "all_gather_perf", "mpirun")  # of what loads a host; looking may be repeated

tap = Tap()


def events(stream):
    """What the progress tells of steps, one after the other."""
    for line in stream:
        if not line.startswith("{"):
            print(f"# {line.rstrip()}", flush=True)
        elif line.endswith("}\n") and (event := json.loads(line))["event"] in ("started", "ended"):
            yield event


def difference(found, wanted):
    """What only one of both has, a line each."""
    lists = [[repr(row) for row in (value.items() if isinstance(value, dict) else value)] for value in (found, wanted)]
    return [f"found only {row}" for row in lists[0] if row not in lists[1]][:9] + \
           [f"wanted too {row}" for row in lists[1] if row not in lists[0]][:9]


class Story:
    """One run, in a database of its own, on the hosts number `first` and the one behind."""

    def __init__(self, name, first):
        self.hosts = [f"node{first}", f"node{first + 1}"]
        self.database = os.path.join(FOLDER, f"{name}.db")
        self.told = set()  # (step, target) that the progress told to have ended
        self.seen = 0  # events

    def words(self):
        more = ("--db", self.database, "--progress", "json", "-o", self.database + ".html")
        if self.number_of_runs():
            return ("run", "--resume", 1, *more)
        return ("run", "-H", lab.hostfile, "-s", suite, "--hosts", ",".join(self.hosts), *more)

    def number_of_runs(self):
        if not os.path.exists(self.database):
            return 0
        return len(assay("list", "--db", self.database).stdout.splitlines()[1:])

    def note(self, event):
        self.seen += 1
        if event["event"] == "ended":
            self.told.add((event["step"], event["target"]))

    def run(self, kill_after=None, pause=0.0):
        """To its end, or to so many events and this much more, s: then it is killed. Its exit status."""
        child = start(*self.words())
        left = kill_after
        for event in events(child.stderr) if left != 0 else ():
            self.note(event)
            left = left - 1 if left is not None else None
            if left == 0:
                break
        if kill_after is not None:
            time.sleep(pause)
            child.kill()
        for event in events(child.stderr):
            self.note(event)
        self.out = child.communicate(timeout=PATIENCE_S)[0]
        return child.returncode

    def whole(self):
        """What SQLite makes of the file; "ok"."""
        if not self.number_of_runs():
            return "ok"
        with sqlite3.connect(self.database) as connection:
            return connection.execute("PRAGMA integrity_check").fetchone()[0]

    def starts(self):
        return {tool: [lab.starts_of(tool).count(host) for host in self.hosts] for tool in TOOLS}

    def in_place(self, text):
        """The text, the hosts called by their place."""
        return re.sub(r"node\d+", lambda found: f"host {self.hosts.index(found[0])}", text)

    def came_to(self):
        """What does not depend on when: items and their outcomes, measurements, attempts that count, what is left. What
        was sampled beside a test is more or less as that took longer or shorter."""
        report = Report(self.database)
        attempts = report.json["attempts"]
        ran = [attempt for attempt in attempts if attempt["end"] != "cancelled"]
        steps = [(step["name"], self.in_place(" ".join(step["members"]))) for step in report.steps]
        return {
            "verdict": report.verdict,
            "steps": sorted(steps),
            "items": sorted((*steps[item["step"]], item["metric"], self.in_place(item["subject"]), item["at"],
                             item["duty"], item["outcome"]) for item in report.json["outcomes"]),
            "attempts": collections.Counter(steps[attempt["step"]] for attempt in ran),
            "ends": {attempt["end"] for attempt in ran},
            "measurements": collections.Counter(f'{steps[attempt["step"]]} {measured["metric"]}' for attempt in ran
                                                for measured in attempt["reading"]["measurements"]
                                                if not measured["metric"].startswith("window.")),
            "starts": self.starts(),
            "left behind": report.left_behind(),
        }

    def lost(self):
        """Steps that were told to have ended, and of which no attempt that has ended is kept."""
        report = Report(self.database)
        kept = {(step["name"], step["target"]) for step in report.steps
                if any(report.json["attempts"][number]["state"] == "ended" for number in step["attempts"])}
        return self.told - kept


def killed(number, seed):
    def story(tell):
        chance = random.Random(seed)
        run = Story(f"seed{seed}", 3 + 2 * number)
        name = f"seed {seed}"
        told = []
        for kill in range(chance.choice((1, 1, 2, 3))):
            after = chance.randrange(0, max(1, undisturbed.seen - run.seen))
            pause = chance.choice((0, chance.uniform(0, 0.05), chance.uniform(0, 0.5)))
            status = run.run(after, pause)
            told.append(f"kill {kill + 1}: {after} events and {pause:.3f} s, status {status}")
            tell.same(run.whole(), "ok", f"{name}: the database is whole after kill {kill + 1}", *told)
            if run.number_of_runs():
                tell.same(run.lost(), set(), f"{name}: nothing that was told is lost", *told)
            if status != -9:
                break  # it was quicker
        if status == -9:
            tell.same(run.run(), 0, f"{name}: resumed it is accepted, after {'; '.join(told)}", run.out)
        found, wanted = run.came_to(), expected
        for what in wanted:
            tell.ok(found[what] == wanted[what], f"{name}: {what} as in a run that nobody disturbed",
                    *difference(found[what], wanted[what]), *told)
        tell.same((run.number_of_runs(), run.whole()), (1, "ok"), f"{name}: it is one run, in a database that is whole")

    story.__name__ = f"seed_{seed}"
    return story


suite = os.path.join(FOLDER, "suite.json")
with open(suite, "w", encoding="utf-8") as file:
    json.dump(SUITE, file)
print(f"# {MOMENTS} moments, seeds {SEED} to {SEED + MOMENTS - 1}", flush=True)
with Lab("killed", 2 + 2 * MOMENTS, speed=1200) as lab:
    for tool in TOOLS:
        lab.count_starts(tool)
    undisturbed = Story("undisturbed", 1)
    tap.same(undisturbed.run(), 0, "undisturbed: it is accepted", undisturbed.out)
    expected = undisturbed.came_to()
    tap.ok(expected["verdict"] == "accept" and expected["ends"] == {"ran"} and not expected["left behind"] and
           expected["starts"]["gpu_burn"] == [2, 2] and len(expected["items"]) > 100 and
           expected["attempts"][("gpu-burn", "host 0")] == 2, "undisturbed: everything ran as often as it should",
           expected["verdict"], expected["ends"], expected["left behind"], expected["starts"], expected["attempts"])
    for first in range(0, MOMENTS, TOGETHER):
        tap.together([killed(number, SEED + number) for number in range(first, min(first + TOGETHER, MOMENTS))])
    tap.same(lab.processes(), [], "nothing runs on the hosts in the end")
tap.end()
