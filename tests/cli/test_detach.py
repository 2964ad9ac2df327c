# SPDX-License-Identifier: Apache-2.0
"""Runs that outlive their terminal: begun in the background, followed from elsewhere, and ended by another process."""

import os
import re
import signal

from cluster import FOLDER, Lab, PATIENCE_S, Report, Tap, assay, start, wait_until, write

SUITE = {"name": "burn", "purpose": "trial", "steps": [
    {"check": "reachable"},
    {"check": "privilege", "needs": ["reachable"]},
    {"check": "gpu-burn", "needs": ["privilege"], "arguments": {"seconds": 600}, "retries": 0}]}
LONG = {**SUITE, "steps": [*SUITE["steps"][:2], {**SUITE["steps"][2], "arguments": {"seconds": 20000}}]}

tap = Tap()


def words(name, suite, host, *more):
    return ("run", "-H", lab.hostfile, "-s", suite, "--db", f"{FOLDER}/{name}.db", "--hosts", host, "-o",
            f"{FOLDER}/{name}.html", *more)


def detached(name, suite, host):
    """Its log, and the process that drives it, once the burn is on."""
    folder = os.path.join(FOLDER, name)
    os.mkdir(folder)
    done = assay(*words(name, suite, host, "--detach"), cwd=folder)
    found = re.fullmatch(r"run: 1\nlog: (\S+)\n", done.stdout)
    tap.ok(done.returncode == 0 and found, f"{name}: --detach says the run's number and its log", done.stdout, done.stderr)
    return os.path.join(folder, found[1])


def verdict(done):
    found = re.search(r"^run: 1\nverdict: (.*)\Z", done.stdout.rstrip("\n"), re.M)
    return done.returncode, found and found[1]


def driver(name):
    """The run's controller: what has its database open."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                line = file.read().decode(errors="replace")
        except OSError:
            continue
        if f"{FOLDER}/{name}.db" in line and "\0run\0" in line:
            return int(pid)
    return None


def followed(tell):
    log = detached("followed", short, "node1")
    done = assay("attach", "--db", f"{FOLDER}/followed.db")
    tell.same(verdict(done), (0, "passed"),
              "attach follows to the end, with the run's exit status", done.stdout, done.stderr)
    tell.ok(re.search(r" gpu-burn on node1: ran after ", done.stdout), "attach tells of each attempt", done.stdout)
    wait_until(lambda: driver("followed") is None)
    with open(log, encoding="utf-8") as file:
        text = file.read()
    tell.ok(f"report: {FOLDER}/followed.html" in text and os.path.exists(f"{FOLDER}/followed.html") and "gpu-burn" in text,
            "the log has progress and the last lines, and the report is there", text)
    tell.same(os.stat(log).st_mode & 0o777, 0o600, "the log is for its owner only")
    tell.same(assay("attach", 1, "--db", f"{FOLDER}/followed.db").returncode, 0, "attach to what is over tells all the same")


def cancelled(tell):
    detached("cancelled", long, "node2")
    tell.ok(wait_until(lambda: lab.is_burning("node2"), 60), "cancel: the burn is on")
    follower = start("attach", 1, "--db", f"{FOLDER}/cancelled.db")
    done = assay("cancel", 1, "--db", f"{FOLDER}/cancelled.db")
    tell.same((*verdict(done), lab.is_burning("node2")), (0, "incomplete", False),
              "cancel: nothing runs any more when it returns", done.stdout, done.stderr)
    report = Report(f"{FOLDER}/cancelled.db")
    tell.same((report.json["run"]["state"], report.left_behind()), ("cancelled", []), "cancel: the run is cancelled")
    out, err = follower.communicate(timeout=PATIENCE_S)
    tell.same(follower.returncode, 130, "cancel: who follows it is told", out, err)
    done = assay("cancel", 1, "--db", f"{FOLDER}/cancelled.db")
    tell.ok(done.returncode == 0 and re.search(r"^run 1 was cancelled at \d{4}-\d\d-\d\d .* UTC; nothing is left to cancel", done.stdout) and
            f"`assay show 1 --db {FOLDER}/cancelled.db`" in done.stdout and "recap" not in done.stdout, "cancel: once more is no error, and says when it ended", done.stdout, done.stderr)


def orphaned(tell):
    detached("orphaned", long, "node3")
    tell.ok(wait_until(lambda: lab.is_burning("node3"), 60), "a dead controller: the burn is on")
    os.kill(driver("orphaned"), signal.SIGKILL)
    wait_until(lambda: driver("orphaned") is None)
    done = assay("attach", 1, "--db", f"{FOLDER}/orphaned.db")
    tell.ok(done.returncode == 2 and f"`assay run --resume 1 --db {FOLDER}/orphaned.db`" in done.stderr, "a dead controller: attach says so", done.stdout,
            done.stderr)
    tell.ok(lab.is_burning("node3"), "a dead controller: the burn goes on without it")
    done = assay("cancel", 1, "--db", f"{FOLDER}/orphaned.db", "-o", f"{FOLDER}/orphaned.html")
    tell.same((done.returncode, lab.is_burning("node3")), (0, False), "a dead controller: cancel ends the burn in its place",
              done.stdout, done.stderr)
    tell.same(Report(f"{FOLDER}/orphaned.db").json["run"]["state"], "cancelled", "a dead controller: the run is cancelled")


def refused(tell):
    done = assay("run", "-H", f"{FOLDER}/nowhere", "-s", short, "--db", f"{FOLDER}/none.db", "--detach")
    tell.same((done.returncode, done.stdout, "nowhere" in done.stderr), (64, "", True),
              "--detach: what is wrong from the beginning is said on the terminal", done.stderr)
    for command in (("cancel", 9), ("attach", 9), ("cancel",)):
        tell.same(assay(*command, "--db", f"{FOLDER}/followed.db").returncode, 64, f"{' '.join(map(str, command))}: refused")


short, long = write("short.json", SUITE), write("long.json", LONG)
with Lab("detach", 3, speed=200) as lab:
    tap.together([followed, cancelled, orphaned])
    tap.together([refused])
    tap.same(lab.processes(), [], "nothing runs on the hosts in the end")
tap.end()
