# SPDX-License-Identifier: Apache-2.0
"""What several runs claim together, and none of them alone: an acceptance does not take it for shown.

usage: test_acceptance_claims.py ASSAY [STORY]...
"""

import json
import os
import re
import shlex
import sqlite3
import sys
import time

from cluster import FOLDER, Lab, Tap, assay

tap = Tap()


def suite(name, *steps):
    path = os.path.join(FOLDER, f"{name}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"name": name, "title": name, "purpose": "delivery", "steps": [{"check": "reachable"}, *steps]}, file)
    return path


def hostfile(lab, name, *changes):
    """The lab's, changed: (host, pattern, replacement), of which each finds something."""
    with open(lab.hostfile, encoding="utf-8") as file:
        lines = file.read().splitlines()
    for host, pattern, replacement in changes:
        at = next(i for i, line in enumerate(lines) if line.startswith(f"{host} "))
        lines[at], count = re.subn(pattern, replacement, lines[at])
        if count == 0:
            raise RuntimeError(f"no {pattern} in {lines[at]}")
    path = os.path.join(FOLDER, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return path


class Acceptance:
    """One of its own database, and the runs for it."""

    def __init__(self, name, hosts, path):
        self.name, self.hosts, self.suite = name, hosts, path
        self.database = os.path.join(FOLDER, f"{name}.db")
        done = self.say("create", "-H", hosts, "-s", path)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)

    def say(self, verb, *words):
        return assay("acceptance", verb, self.name, *words, "--db", self.database)

    def run(self, *words, hosts=None):
        done = assay("run", "--progress", "none", "-o", "report.html", "-H", hosts or self.hosts, "-s", self.suite, *words, "--db",
                     self.database)
        found = re.search(r"^run: (\d+)$", done.stdout, re.MULTILINE)
        if not found:
            raise RuntimeError(f"no run: {done.stdout} {done.stderr}")
        return found[1]

    def is_now(self, done, wanted, told, what):
        """The whole, and of what is not passed a line with these words; None: there is none."""
        found = re.search(r"^verdict: ([a-z ]+?)(?: \(|$)", done.stdout, re.MULTILINE)
        lines = [line for line in done.stdout.splitlines() if re.match(r"(missing|failed|to be retested): ", line)]
        good = bool(found) and found[1] == wanted and (lines == [] if told is None else any(told in line for line in lines))
        tap.ok(good, what, wanted, told, done.stdout, done.stderr)


def heal(lab, host):
    """With the same parts."""
    done = assay("lab", "heal", host, "--dir", lab.folder)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)


def another_hostfile():
    """What a host lacks is not asked of it in the run, and owed all the same."""
    with Lab("asked", 2, ["node2:mount-missing"]) as lab:
        path = suite("asked", {"check": "storage", "needs": ["reachable"]})
        less = hostfile(lab, "less", ("defaults", r"mounts=\S+", "mounts=/scratch"))
        todo = Acceptance("asked", hostfile(lab, "honest"), path)
        number = todo.run(hosts=less)
        done = todo.say("add", number)
        todo.is_now(done, "incomplete", "a run whose hostfile has for node2 mounts /scratch, where the acceptance has /data,/scratch",
                    "a pass of a run that asked for fewer mounts does not count")
        heal(lab, "node2")
        again = todo.run()
        todo.is_now(todo.say("add", again), "accept", None, "asked for all of them by a run of its own it counts")


def slow_and_tested_again():
    """One host is slow beside the others, each by a run of its own, and is tested until it is not."""
    with Lab("slow", 4, [f"node3:gpu-slow:{gpu}=15" for gpu in range(8)]) as lab:
        path = suite("slow", {"check": "gpu-inventory", "needs": ["reachable"]}, {"check": "gpu-burn", "needs": ["gpu-inventory"]})
        todo = Acceptance("slow", hostfile(lab, "slow-hosts"), path)
        runs = [todo.run("--hosts", "node3")]
        heal(lab, "node3")
        runs.append(todo.run("--hosts", "node[1-2,4]"))
        todo.is_now(todo.say("add", *runs), "reject", "compared over all runs: gpu", "who is slow beside the others has failed")
        runs = [todo.run("--hosts", "node3") for _ in range(2)]
        todo.is_now(todo.say("add", *runs), "reject", "no repair or swap was recorded since run 1", "and is not better by being tested again")
        todo.is_now(todo.say("event", "repair", "node3", "--note", "new fans"), "incomplete", "0 of 3 passes after the repair",
                    "work on it takes three passes")
        runs = [todo.run("--hosts", "node3") for _ in range(3)]
        todo.is_now(todo.say("add", *runs), "accept", None, "and with these it is accepted")


def one_machine_under_two_names():
    """A host answers for another one in one run; and a spare is the machine that it replaces."""
    with Lab("names", 4, ["node3:mount-missing"]) as lab:
        path = suite("names", {"check": "storage", "needs": ["reachable"]}, {"check": "gpu-inventory", "needs": ["reachable"]})
        with open(lab.hostfile, encoding="utf-8") as file:
            places = {line.split()[0]: line for line in file if line.startswith("node")}
        place = re.search(r"address=(\S+)", places["node4"])[1]
        other = hostfile(lab, "other", ("node3", r"address=\S+", f"address={place}"), ("node4", r"address=\S+", "address=127.9.9.9"))
        todo = Acceptance("names", hostfile(lab, "names-hosts"), path)
        runs = [todo.run("--hosts", "node[1-2,4]"), todo.run("--hosts", "node3", "--steps", "reachable,gpu-inventory")]
        runs.append(todo.run("--hosts", "node3", "--steps", "reachable,storage", hosts=other))
        todo.is_now(todo.say("add", *runs), "incomplete", "are they two names of one machine?", "what another machine showed is not the host's")
        heal(lab, "node3")
        runs = [todo.run("--hosts", "node3"), todo.run("--hosts", "node4")]
        todo.is_now(todo.say("add", *runs), "accept", None, "with what each has shown itself since, it is accepted")


def one_serial_on_two_hosts():
    """Each alone in its run."""
    with Lab("serials", 3, ["node2:serial-twice:4", "node3:serial-twice:4"]) as lab:
        path = suite("serials", {"check": "gpu-inventory", "needs": ["reachable"]})
        todo = Acceptance("serials", hostfile(lab, "serials-hosts"), path)
        todo.is_now(todo.say("add", todo.run("--hosts", "node[1-2]"), todo.run("--hosts", "node3")), "incomplete", "gpu.board",
                    "a board that two hosts show, each in a run of its own, is neither's")


def a_spare_that_is_the_host_itself():
    """It stands in for the host that failed, under an address of its own in the acceptance, and of that host in the run."""
    with Lab("spare", 3, ["node2:burn-faulty:5"]) as lab:
        path = suite("spare", {"check": "gpu-inventory", "needs": ["reachable"]}, {"check": "gpu-burn", "needs": ["gpu-inventory"]})
        owed = hostfile(lab, "spare-hosts", ("node3", "$", " role=spare"))
        same = hostfile(lab, "same", ("node2", r"address=\S+", "address=127.9.9.9 role=spare"), ("node3", r"address=\S+", "address=127.1.0.2"))
        todo = Acceptance("spare", owed, path)
        todo.say("add", todo.run())
        heal(lab, "node2")
        todo.say("event", "spare", "node2", "--by", "node3")
        done = todo.say("add", todo.run(hosts=same))
        todo.is_now(done, "incomplete", "are they two names of one machine?", "a spare with the parts of the host that it replaces shows nothing")
        real = hostfile(lab, "real", ("node2", "$", " role=spare"))
        todo.is_now(todo.say("add", todo.run(hosts=real)), "accept", None, "and a real one does")


def crashed_again_and_again():
    """Twice in runs of its own, where there is nobody beside it."""
    with Lab("crash", 3, ["node3:tool-crash:gpu_burn"]) as lab:
        path = suite("crash", {"check": "gpu-inventory", "needs": ["reachable"]}, {"check": "gpu-burn", "needs": ["gpu-inventory"]})
        todo = Acceptance("crash", hostfile(lab, "crash-hosts"), path)
        runs = [todo.run("--hosts", "node3"), todo.run("--hosts", "node3")]
        heal(lab, "node3")
        runs.append(todo.run())
        todo.is_now(todo.say("add", *runs), "reject", "times on this host and not on others", "a test that crashed on one host only has failed there")


def a_swap_of_nothing():
    """The part that is said to be new is the old one."""
    with Lab("swap", 2, ["node2:burn-faulty:5"]) as lab:
        path = suite("swap", {"check": "gpu-inventory", "needs": ["reachable"]}, {"check": "gpu-burn", "needs": ["gpu-inventory"]})
        todo = Acceptance("swap", hostfile(lab, "swap-hosts"), path)
        runs = [todo.run()]
        with sqlite3.connect(todo.database) as database:
            ended = database.execute("SELECT max(ended) FROM run").fetchone()[0]
        heal(lab, "node2")
        time.sleep(2)
        runs += [todo.run("--hosts", "node2") for _ in range(3)]
        todo.say("add", *runs)
        when = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ended + 1))
        done = todo.say("event", "swap", "node2", "--item", "gpu5", "--note", "RMA", "--when", when)
        todo.is_now(done, "reject", "still shows GPU-", "a swap of a part that is still there replaces no fail")
        done = todo.say("event", "repair", "node2", "--note", "cleaned", "--when", when)
        todo.is_now(done, "accept", None, "a repair says nothing of which part is there")
        tap.ok("recorded only after tests had passed that count by it: node2." in done.stdout,
               "and that it was recorded when they had passed is said beside the verdict", done.stdout)


def a_clock_compared_with_nobody():
    """Alone in its run a host is as right as the controller's clock, which may have been moved."""
    with Lab("clocks", 3) as lab:
        path = suite("clocks", {"check": "os", "needs": ["reachable"]})
        todo = Acceptance("clocks", hostfile(lab, "clocks-hosts"), path)
        todo.is_now(todo.say("add", todo.run("--hosts", "node[1-2]"), todo.run("--hosts", "node3")), "incomplete",
                    "it is from a run in which os.clock_offset was read on no other host", "a clock that was compared with no other host's is not shown")
        folder = os.path.join(FOLDER, "clocks-todo")
        todo.say("status", "--next", folder)
        with open(os.path.join(folder, "commands"), encoding="utf-8") as file:
            words = shlex.split(file.read())[2:]
        tap.same((words[words.index("--hosts") + 1], words[words.index("--steps") + 1]), ("node[1,3]", "os"),
                 "what is to be run next has another host beside it", words)
        done = assay("run", "--progress", "none", "-o", "report.html", *words)
        number = re.search(r"^run: (\d+)$", done.stdout, re.MULTILINE)[1]
        todo.is_now(todo.say("add", number), "accept", None, "and that is accepted")


def failing_under_other_names():
    """The same machines by other names, after the acceptance was made."""
    with Lab("renamed", 2, ["node2:burn-faulty:5"]) as lab:
        path = suite("renamed", {"check": "gpu-inventory", "needs": ["reachable"]}, {"check": "gpu-burn", "needs": ["gpu-inventory"]})
        todo = Acceptance("renamed", hostfile(lab, "renamed-hosts"), path)
        blades = os.path.join(FOLDER, "blades")
        with open(lab.hostfile, encoding="utf-8") as file, open(blades, "w", encoding="utf-8") as renamed:
            renamed.write(re.sub(r"(?m)^node", "blade", file.read()))
        todo.run("--hosts", "blade2", hosts=blades)
        heal(lab, "node2")
        done = todo.say("add", todo.run())
        tap.ok("1 part of a delivery over the same hosts, or some of them, failed: 1." in done.stdout and "verdict: accept" in done.stdout,
               "what failed under other names is told beside the verdict", done.stdout)


STORIES = (another_hostfile, slow_and_tested_again, one_machine_under_two_names, one_serial_on_two_hosts, a_spare_that_is_the_host_itself,
           crashed_again_and_again, a_swap_of_nothing, a_clock_compared_with_nobody, failing_under_other_names)
for story in STORIES:
    if story.__name__ in sys.argv[2:] or not sys.argv[2:]:
        story()
tap.end()
