# SPDX-License-Identifier: Apache-2.0
"""Runs that somebody wants out of the way of an acceptance, or made to show what they have not: by a clock that was set, by
forgetting them, by softer documents, by programs that were brought along, and by time that runs faster.

That a clock was set is written into the test's own database behind the run, and nowhere else: its times are moved, nothing of what was
measured.

usage: test_acceptance_picked.py ASSAY [STORY]...
"""

import contextlib
import json
import os
import re
import sqlite3
import sys

from cluster import FOLDER, Lab, Tap, assay, write

tap = Tap()
HOUR = 3600
BURN = {"check": "gpu-burn", "needs": ["reachable"], "arguments": {"seconds": 60}}
GATE = {**BURN, "gate": ["gpu_burn.errors"]}


class Site:
    """A lab of two hosts, of which the second is sick until it is healed, a suite, and a database."""

    def __init__(self, name, lab, *steps):
        self.lab, self.database = lab, os.path.join(FOLDER, f"{name}.db")
        self.suite = write(f"{name}.json", {"name": name, "title": name, "purpose": "delivery", "steps": [{"check": "reachable"}, *steps]})

    def run(self, *words):
        done = assay("run", "--progress", "none", "-o", "report.html", "-H", self.lab.hostfile, "-s", self.suite, *words, "--db", self.database)
        if not re.search(r"^run: \d+$", done.stdout, re.MULTILINE):
            raise RuntimeError(f"no run: {done.stdout} {done.stderr}")
        return done

    def create(self):
        return self.say("create", "-H", self.lab.hostfile, "-s", self.suite)

    def say(self, verb, *words):
        return assay("acceptance", verb, "su", *words, "--db", self.database)

    def of(self, command, *words):
        return assay(command, *words, "--db", self.database)

    def move(self, run, seconds):
        """The controller's clock was so far ahead (or, below 0, behind) in that run."""
        with contextlib.closing(sqlite3.connect(self.database)) as database, database:
            database.execute("UPDATE run SET started=started+?1, ended=ended+?1 WHERE id=?2", (seconds, run))
            database.execute("UPDATE attempt SET sent=sent+?1, began=began+?1, ended=ended+?1 WHERE run=?2", (seconds, run))

    def heal(self):
        done = assay("lab", "heal", "node2", "--dir", self.lab.folder)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)


def verdict(done):
    return (found[1] if (found := re.search(r"^verdict: ([a-z ]+?)(?: \(|$)", done.stdout, re.MULTILINE)) else None), done.returncode


def notes(done):
    return "".join(line for line in done.stdout.splitlines(True) if line.startswith("note: "))


def a_clock_that_was_ahead():
    """The failing run is dated an hour later than now."""
    with Lab("ahead", 2, ["node2:burn-faulty:5"]) as lab:
        site = Site("ahead", lab, BURN)
        site.create()
        site.run()
        site.move(1, HOUR)
        done = site.say("add", 1)
        tap.ok(verdict(done) == ("reject", 1) and "The controller's clock was ahead in 1 run: 1." in notes(done),
               "a run from the future that is added counts, and is told", done.stdout, done.stderr)
        site.heal()
        second = site.run()
        tap.ok("1 run over the same hosts, or some of them, was rejected: 1." in notes(second),
               "a run tells of a rejected one that was made before it, whatever its clock said", second.stdout, second.stderr)
        done = site.say("add", 2)
        tap.ok(verdict(done) == ("reject", 1) and re.search(r"^failed: gpu-burn on node2: ", done.stdout, re.M),
               "the fail stands beside the later pass", done.stdout)
        report = json.loads(site.say("report", "--format", "json").stdout)
        tap.ok(report["verdict"] == "reject" and "clock was ahead" in report["caveat"] and any("run 1 " in row["text"] for row in report["story"]),
               "and the report has it", report["verdict"], report["caveat"], report["story"])


def a_clock_that_was_ahead_and_not_added():
    with Lab("left", 2, ["node2:burn-faulty:5"]) as lab:
        site = Site("left", lab, BURN)
        site.create()
        site.run()
        site.move(1, HOUR)
        site.heal()
        site.run()
        done = site.say("add", 2)
        tap.ok(verdict(done) == ("incomplete", 2) and re.search(r"^left out: .*\b1\b", done.stdout, re.M), "a run from the future is left out, and holds it back",
               done.stdout, done.stderr)


def a_clock_that_was_behind():
    """The failing run is dated before the acceptance was made."""
    with Lab("behind", 2, ["node2:burn-faulty:5"]) as lab:
        site = Site("behind", lab, BURN)
        site.create()
        site.run()
        site.move(1, -HOUR)
        site.heal()
        site.run()
        done = site.say("add", 2)
        tap.ok(verdict(done) == ("incomplete", 2) and re.search(r"^left out: .*\b1\b", done.stdout, re.M),
               "a run that was made after the acceptance is of it, whatever its clock said", done.stdout, done.stderr)


def passes_from_the_future():
    """Three passes, dated behind a repair of what failed only after them."""
    with Lab("passes", 2) as lab:
        site, sick = Site("passes", lab, BURN), os.path.join(lab.folder, "sick")
        lab.wrap("gpu_burn", after=f""" | if [ -e {sick} ] && [ "$ASSAY_LAB_HOST" = node2 ]; then sed 's/GPU 5: OK/GPU 5: FAULTY/'; else cat; fi""")
        site.create()
        for number in (1, 2, 3):
            site.run()
            site.move(number, HOUR)
        write(sick, "")
        site.run()
        os.remove(sick)
        for number in (1, 2, 3, 4):
            done = site.say("add", number)
        told = verdict(done)
        done = site.say("event", "repair", "node2")
        tap.ok(told == ("reject", 1) and verdict(done) == ("incomplete", 2) and "clock was ahead in 3 runs: 1, 2, 3" in notes(done),
               "what passed by a clock that was ahead is not behind a repair", told, done.stdout, done.stderr)


def forgotten():
    """The part of it that failed is to be forgotten."""
    with Lab("forgotten", 2, ["node1:burn-faulty:5"]) as lab:
        site = Site("forgotten", lab, BURN)
        site.create()
        site.run("--hosts", "node1")
        done = assay("lab", "heal", "node1", "--dir", lab.folder)
        site.run()
        tap.same(verdict(site.say("add", 2)), ("incomplete", 2), "a part that failed and was not added holds an acceptance back", done.stderr)
        done = site.of("prune", "--keep", 1)
        tap.ok(re.search(r"^run 1 of .* stays: it answers the question of acceptance su and is none of its runs", done.stdout, re.M),
               "prune keeps it and says why", done.stdout, done.stderr)
        tap.same(verdict(site.say("status")), ("incomplete", 2), "so that the acceptance is still held back")
        done = site.of("prune", "--keep", 1, "--rejected")
        tap.ok(re.search(r"^run 1 of .* goes: ", done.stdout, re.M), "it goes where somebody says so", done.stdout, done.stderr)


def judged_softly():
    """What was rejected is judged again by documents of somebody's own, until it is not any more."""
    with Lab("softly", 2, ["node2:gpu-slow:2=6"]) as lab:
        rate = {"metric": "p2p.unidirectional.enabled", "floor": 366, "unit": "GB/s", "source": "annex C"}
        site = Site("softly", lab, {"check": "p2p-bandwidth", "needs": ["reachable"], "limits": [{**rate, "status": "contract"}]})
        soft = write("soft.json", {"name": "soft", "limits": [{**rate, "clause": "1", "floor": 100}]})
        tap.same([site.run().returncode for _ in range(2)], [1, 1], "two runs are rejected")
        done = site.of("judge", 2, "--contract", soft)
        tap.same(done.returncode, 0, "by a softer contract the second is accepted", done.stdout, done.stderr)
        third = site.run()
        tap.ok("2 runs over the same hosts, or some of them, were rejected: 1, 2." in notes(third) and
               "Judged again, by other documents or as one with other runs, which takes nothing of that back: run 2: accept." in notes(third),
               "the next run tells of both, and of what it was judged since", third.stdout, third.stderr)
        done = site.of("prune", "--keep", 1, "--dry-run")
        tap.ok(re.search(r"^run 1 .* stays: it was rejected", done.stdout, re.M) and re.search(r"^run 2 .* stays: ", done.stdout, re.M), "prune keeps them",
               done.stdout, done.stderr)


def a_kit():
    """A program that prints better numbers comes with a kit."""
    with Lab("kit", 2) as lab:
        site = Site("kit", lab, GATE)
        kit = os.path.join(FOLDER, "kit")
        os.makedirs(f"{kit}/bin")
        with open(f"{lab.folder}/opt/gpu-burn/gpu_burn", encoding="utf-8") as own, open(f"{kit}/bin/gpu_burn", "w", encoding="utf-8") as file:
            file.write(own.read())
        os.chmod(f"{kit}/bin/gpu_burn", 0o755)
        staged = assay("stage", "-H", lab.hostfile, kit)
        site.create()
        done = site.run("--tools", kit)
        told = r"Programs that were brought to the hosts were run in place of theirs \(--tools, kit [0-9a-f]{12}\): gpu_burn\."
        tap.ok(re.search(told, notes(done)), "that programs came with a kit stands beside the verdict", staged.stderr, done.stdout, done.stderr)
        done = site.say("add", 1)
        tap.ok(re.search(told, notes(done)), "and beside that of an acceptance, with which kit", done.stdout, done.stderr)


def simulated():
    """Time runs faster in a lab: nobody can sign what it shows."""
    said = "Simulated: time runs 600 times as fast on these hosts; do not sign this document."
    with Lab("simulated", 2) as lab:
        site = Site("simulated", lab, {"check": "gpu-inventory", "needs": ["reachable"]})
        site.create()
        site.run()
        site.say("add", 1)

        def form(name, *words):
            return (site.of("report", 1, "--format", name, "-o", "-", *words) if not words else site.say("report", "--format", name)).stdout

        for what, words in (("run", ()), ("acceptance", ("acceptance",))):
            page, text = form("html", *words), " ".join(form("text", *words).split())
            body = page[page.index("<header"):]
            tap.ok(body.index(said) < body.index('class="kind"') and 'class="party"' not in page and 'class="signoff"' not in page,
                   f"{what}: the page begins with it, and has no lines to sign", page[:2000])
            tap.ok(text.startswith(said), f"{what}: the text begins with it", text[:300])
            tap.same(json.loads(form("json", *words))["simulated"], 600, f"{what}: programs read it")
        done = assay("run", "--progress", "none", "-o", "trial.html", "-H", lab.hostfile, "-s", site.suite, "--hosts", "node1", "--db", site.database)
        page, text = (site.of("report", 2, "--format", name, "-o", "-").stdout for name in ("html", "text"))
        tap.ok("not an acceptance" in text and " ".join(text.split()).startswith(said) and said in page[page.index("<header"):],
               "a trial, which could be signed too, begins with it", text[:300], done.stderr)
        plain = write("plain-hosts", re.sub(r" timescale=\S+", "", open(lab.hostfile, encoding="utf-8").read()))
        done = assay("run", "--progress", "none", "-o", "report.html", "-H", plain, "-s", site.suite, "--db", site.database)
        page = site.of("report", 3, "-o", "-").stdout
        tap.ok("Simulated:" not in page and 'class="party"' in page and json.loads(site.of("report", 3, "--format", "json", "-o", "-").stdout)["simulated"] is None,
               "where time runs as it does there are lines to sign", done.stdout, done.stderr)


STORIES = (a_clock_that_was_ahead, a_clock_that_was_ahead_and_not_added, a_clock_that_was_behind, passes_from_the_future, forgotten, judged_softly, a_kit,
           simulated)
for story in STORIES:
    if story.__name__ in sys.argv[2:] or not sys.argv[2:]:
        story()
tap.end()
