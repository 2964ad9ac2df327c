# SPDX-License-Identifier: Apache-2.0
"""Whoever tries until a sick cluster passes: that it was rejected before stands beside the verdict, whatever was done to hide it.

One host has lost a power supply, which a hostfile with bmc=none does not let anybody see. Each story begins with the same
run, which was rejected.

usage: test_rejected_before.py ASSAY
"""

import contextlib
import json
import os
import re
import signal
import sqlite3
import time

from cluster import Lab, PATIENCE_S, Tap, assay, start

tap = Tap()
STEPS = [{"check": "reachable"}, {"check": "privilege", "needs": ["reachable"]}, {"check": "gpu-inventory", "needs": ["reachable"]},
         {"check": "bmc", "needs": ["privilege"], "when": {"bmc": True}}]
BURN = {"check": "gpu-burn", "needs": ["privilege"], "arguments": {"seconds": 60}, "gate": ["gpu_burn.errors"]}
REJECTED = "1 run over the same hosts, or some of them, was rejected: 1."


def suite(lab, name, steps):
    return lab.write(f"{name}.json", {"name": "delivery", "title": name, "purpose": "delivery", "steps": steps})


def hosts(lab, name, count, silent=True, rename=None):
    """The first so many hosts of the lab; silent: nobody may ask their BMCs."""
    with open(lab.hostfile, encoding="utf-8") as file:
        text = "".join(line for line in file if not (found := re.match(r"node(\d+)\b", line)) or int(found[1]) <= count)
    if silent:
        text = re.sub(r"^(node\d+)", r"\1 bmc=none", text, flags=re.M)
    return lab.write(name, re.sub(r"^node(\d+)", rename + r"\1", text, flags=re.M) if rename else text)


def run(lab, database, hostfile, path, *options):
    return assay("run", "-H", hostfile, "-s", path, "--db", database, "--progress", "none", "-o",
                 os.path.join(lab.folder, "report.html"), *options)


def a_copy(lab, name):
    """A database in which the cluster was rejected once."""
    path = os.path.join(lab.folder, f"{name}.db")
    with sqlite3.connect(lab.database) as source, sqlite3.connect(path) as copy:
        source.backup(copy)
    return path


def notes(done):
    return "".join(line for line in done.stdout.splitlines(True) if line.startswith("note: "))


def told(done, sentences, what):
    tap.ok(done.returncode in (0, 3) and all(sentence in notes(done) for sentence in sentences), what, done.returncode, done.stdout, done.stderr)


def other_names(lab):
    database = a_copy(lab, "names")
    told(run(lab, database, hosts(lab, "renamed", 2, rename="gpu"), lab.few), [REJECTED], "under other names they are the same hosts, by their GPUs")


def one_host_more(lab):
    database = a_copy(lab, "more")
    told(run(lab, database, hosts(lab, "three", 3), lab.few), [REJECTED], "with one host more they are the same hosts")
    told(run(lab, a_copy(lab, "fewer"), hosts(lab, "one", 1), lab.few), [REJECTED, "No test between hosts was made: there is one host."],
         "and with one host less; that a single one has nothing between hosts is said")
    done = run(lab, database, hosts(lab, "three", 3), lab.few)
    tap.ok(done.returncode == 0 and "rejected" not in notes(done), "after one that was accepted over all of them it is not said again", done.stdout)


def accepted_in_part(lab):
    database = a_copy(lab, "part")
    run(lab, database, hosts(lab, "first", 1), lab.few)
    told(run(lab, database, hosts(lab, "silent", 2), lab.few), [REJECTED], "that one of the hosts was accepted since does not settle it for the other")


def forgotten(lab):
    database = a_copy(lab, "prune")
    run(lab, database, hosts(lab, "other", 3), suite(lab, "trial", STEPS), "--steps", "reachable")
    done = assay("prune", "--keep", 1, "--db", database)
    tap.ok("run 1 of" in done.stdout and "it was rejected, and later deliveries of its hosts have to tell that" in done.stdout,
           "prune keeps a delivery that was rejected, and says why", done.stdout, done.stderr)
    told(run(lab, database, hosts(lab, "silent", 2), lab.few), [REJECTED], "so that it is still said")
    done = assay("prune", "--keep", 1, "--rejected", "--db", database)
    tap.ok(re.search(r"^run 1 .* goes: ", done.stdout, re.M), "it goes where somebody says so", done.stdout, done.stderr)


def waived(lab):
    database = a_copy(lab, "waive")
    full = hosts(lab, "full", 2, silent=False)
    run(lab, database, full, lab.few)
    done = assay("waive", 2, "--host", "node2", "--check", "bmc", "--who", "Li Wei", "--why", "known", "--until", "2099-01-01", "--db", database)
    tap.same(done.returncode, 3, "the second run is accepted with exceptions", done.stdout, done.stderr)
    told(run(lab, database, hosts(lab, "silent", 2), lab.few),
         [REJECTED, "1 run over the same hosts, or some of them, was accepted only with waivers: 2."],
         "the third tells of it, and of the first")


def freeze(child, database):
    """Stop the controller where it holds no lock of its database, or nobody else could write to it."""
    for _ in range(1000):
        child.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, child.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        try:
            with contextlib.closing(sqlite3.connect(database, timeout=0, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                other.execute("ROLLBACK")
            return
        except sqlite3.OperationalError:
            child.send_signal(signal.SIGCONT)
            time.sleep(0.01)
    raise TimeoutError(f"{database}: locked whenever its controller was stopped")


def broken_off(lab):
    """The controller is killed as soon as somebody has seen a fail: nobody has judged the run, and nobody will."""
    database = os.path.join(lab.folder, "killed.db")
    slow = suite(lab, "slow", [*STEPS, {**BURN, "arguments": {"seconds": 36000}}])
    child = start("run", "-H", hosts(lab, "full", 2, silent=False), "-s", slow, "--db", database, "--progress", "json",
                  "-o", os.path.join(lab.folder, "killed.html"))
    for line in child.stderr:
        event = json.loads(line) if line.startswith("{") else {}
        if (event.get("event"), event.get("step"), event.get("target")) == ("ended", "bmc", "node2"):
            break
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=PATIENCE_S)
    told(run(lab, database, hosts(lab, "silent", 2), lab.few),
         ["1 run over the same hosts, or some of them, was broken off after tests had failed: 1."],
         "a run that was killed after a fail is told")


def stopped(lab):
    """The controller is stopped as soon as somebody has seen a fail: it lives, and the run counts as running for ever."""
    database = os.path.join(lab.folder, "stopped.db")
    silent, slow = hosts(lab, "silent", 2), suite(lab, "slow", [*STEPS, {**BURN, "arguments": {"seconds": 36000}}])
    few = suite(lab, "lax", STEPS[:3])
    first = start("run", "-H", hosts(lab, "full", 2, silent=False), "-s", slow, "--db", database, "--progress", "json",
                  "-o", os.path.join(lab.folder, "stopped.html"))
    for line in first.stderr:
        event = json.loads(line) if line.startswith("{") else {}
        if (event.get("event"), event.get("step"), event.get("target")) == ("ended", "bmc", "node2"):
            break
    freeze(first, database)
    try:
        running = "1 run over the same hosts, or some of them, is still running or was never ended, after tests had failed: 1."
        told(run(lab, database, silent, few), [running], "a run whose controller was stopped after a fail is told")
        assay("acceptance", "create", "su", "-H", silent, "-s", few, "--db", database)
        done = assay("acceptance", "add", "su", 2, "--db", database)
        waits = "Nothing is accepted until each such run has ended or was cancelled (assay cancel; with --lost if its controller is lost)."
        tap.ok(done.returncode == 2 and running in notes(done) and waits in notes(done),
               "and an acceptance over its hosts is incomplete", done.returncode, done.stdout, done.stderr)
        report = json.loads(assay("acceptance", "report", "su", "--format", "json", "--db", database).stdout)
        tap.same([report["verdict"], [row["text"] for row in report["story"] if "run 1" in row["text"]]],
                 ["incomplete", ["run 1 over node[1-2]: still running or never ended, after tests had failed; nothing is accepted until it has ended"]],
                 "its report says which run", report["story"])
        third = run(lab, database, hosts(lab, "third", 3, silent=True), few, "--hosts", "node3")
        tap.ok("still running" not in notes(third), "a run over other hosts says nothing of it", third.stdout, third.stderr)
    finally:
        first.send_signal(signal.SIGCONT)
    done = assay("cancel", 1, "--db", database)
    first.communicate(timeout=PATIENCE_S)
    tap.same(done.returncode, 0, "it is cancelled", done.stdout, done.stderr)
    done = assay("acceptance", "status", "su", "--db", database)
    tap.ok(done.returncode == 0 and waits not in notes(done) and "run 1" not in done.stdout and
           re.search("(rejected|broken off after tests had failed): 1", notes(done)),
           "once it was cancelled nothing is held back, and the note tells of it", done.returncode, done.stdout, done.stderr)


def lost(lab):
    """The machine of the controller is lost, so nobody can ask whether it still lives: somebody decides, by name, and that is kept. What comes
    back of it changes nothing."""
    database = os.path.join(lab.folder, "lost.db")
    silent, slow = hosts(lab, "silent", 2), suite(lab, "slow", [*STEPS, {**BURN, "arguments": {"seconds": 36000}}])
    few = suite(lab, "lax", STEPS[:3])
    first = start("run", "-H", hosts(lab, "full", 2, silent=False), "-s", slow, "--db", database, "--progress", "json",
                  "-o", os.path.join(lab.folder, "lost.html"))
    for line in first.stderr:
        event = json.loads(line) if line.startswith("{") else {}
        if (event.get("event"), event.get("step"), event.get("target")) == ("ended", "bmc", "node2"):
            break
    freeze(first, database)
    try:
        with contextlib.closing(sqlite3.connect(database)) as site, site:
            site.execute("UPDATE run SET controller_host = 'login9' WHERE id = 1")
        run(lab, database, silent, few)
        assay("acceptance", "create", "su", "-H", silent, "-s", few, "--db", database)
        held = assay("acceptance", "add", "su", 2, "--db", database)
        tap.ok(held.returncode == 2 and "with --lost if its controller is lost" in notes(held), "it holds an acceptance back, which says the way out",
               held.stdout, held.stderr)
        said = ("--who", "Li Wei", "--why", "its disk died")
        refused = assay("cancel", 1, "--db", database)
        tap.ok(refused.returncode == 64 and "with --lost login9 --who NAME --why TEXT" in refused.stderr, "cancel says how too", refused.stderr)
        for words, text in ((("--lost", "login8", *said), "run 1 is driven from login9, not from login8"),
                            (("--lost", "login9"), "--lost, --who and --why go together"), (said, "--lost, --who and --why go together")):
            refused = assay("cancel", 1, "--db", database, *words)
            tap.ok(refused.returncode == 64 and text in refused.stderr, f"refused: {text}", refused.stdout, refused.stderr)
        done = assay("cancel", 1, "--db", database, "--lost", "login9", *said, "-o", os.path.join(lab.folder, "lost.html"))
        tap.same(done.returncode, 0, "who says which machine is lost ends its run", done.stdout, done.stderr)
    finally:
        first.send_signal(signal.SIGCONT)
    _, complaint = first.communicate(timeout=PATIENCE_S)
    tap.ok(first.returncode not in (0, 1, 2, 3) and "was given up for lost and ended from another machine" in complaint,
           "the controller that comes back keeps nothing more", first.returncode, complaint[-500:])
    report = json.loads(assay("report", 1, "--format", "json", "--db", database).stdout)
    burns = {item["outcome"] for item in report["outcomes"] if report["steps"][item["step"]]["name"] == "gpu-burn" and item["duty"] == "gate"}
    tap.same([burns, [row["name"] for row in report["documents"] if row["kind"] == "change"]],
             [{"not run"}, ["ended from another machine, because its controller login9 is lost; decided by Li Wei: its disk died"]],
             "what it had not finished stays not run, and who decided it is told", report["documents"])
    done = assay("acceptance", "status", "su", "--db", database)
    tap.ok(done.returncode == 0 and "still running" not in done.stdout and re.search("(rejected|broken off after tests had failed): 1", notes(done)),
           "the acceptance goes on, and tells of it", done.returncode, done.stdout, done.stderr)


def stopped_of_it(lab):
    """A part of the acceptance's own question, in which nothing has failed, may go on beside it; where something has, it waits."""
    database = os.path.join(lab.folder, "own.db")
    full, few = hosts(lab, "full", 2, silent=False), suite(lab, "slow", [*STEPS, {**BURN, "arguments": {"seconds": 36000}}])
    assay("acceptance", "create", "su", "-H", full, "-s", few, "--db", database)

    def begin(host):
        child = start("run", "-H", full, "-s", few, "--db", database, "--hosts", host, "--progress", "json",
                      "-o", os.path.join(lab.folder, f"{host}.html"))
        for line in child.stderr:
            event = json.loads(line) if line.startswith("{") else {}
            if (event.get("event"), event.get("step")) == ("ended", "bmc"):
                break
        freeze(child, database)
        return child

    def story():
        report = json.loads(assay("acceptance", "report", "su", "--format", "json", "--db", database).stdout)
        return [row["text"].split(":")[0] for row in report["story"] if "still running" in row["text"]]

    healthy = begin("node1")
    before = story()
    sick = begin("node2")
    tap.same([before, story()], [[], ["run 2 over node2"]], "of runs of its own question that go on, the one that has failed is told")
    for child in (healthy, sick):
        child.send_signal(signal.SIGCONT)
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=PATIENCE_S)


def an_acceptance(lab):
    """Its runs have one suite. What another one has shown of the same hosts is no part of it, and nothing to be silent of."""
    database = a_copy(lab, "acceptance")
    silent, few = hosts(lab, "silent", 2), suite(lab, "lax", STEPS[:3])
    assay("acceptance", "create", "su", "-H", silent, "-s", few, "--db", database)
    run(lab, database, silent, few)
    done = assay("acceptance", "add", "su", 2, "--db", database)
    told(done, [REJECTED], "an acceptance tells which runs over its hosts were rejected by another suite")
    report = json.loads(assay("acceptance", "report", "su", "--format", "json", "--db", database).stdout)
    tap.same([REJECTED in report["caveat"], [row["text"] for row in report["story"] if "run 1" in row["text"]]],
             [True, ["run 1 over node[1-2]: reject; by other documents, so not part of the acceptance"]], "and its history lists them", report["story"])


def parts(lab):
    """Whoever leaves out the test or the host that fails was told by a part of a delivery what it shows."""
    full, silent = hosts(lab, "full", 2, silent=False), hosts(lab, "silent", 2)
    for name, options in (("steps", ("--steps", "reachable,privilege,bmc")), ("hosts", ("--hosts", "node2"))):
        database = os.path.join(lab.folder, f"part-{name}.db")
        done = run(lab, database, full, lab.few, *options)
        tap.same(done.returncode, 1, f"a part by --{name} fails", done.stdout, done.stderr)
        told(run(lab, database, silent, lab.few), ["Before it 1 part of a delivery over the same hosts, or some of them, failed: 1."],
             "the whole delivery behind it tells that it failed")
        done = assay("prune", "--keep", 1, "--dry-run", "--db", database)
        tap.ok("run 1 of" in done.stdout and "it failed, and later deliveries of its hosts have to tell that" in done.stdout,
               "prune keeps it, and says why", done.stdout, done.stderr)
        done = run(lab, database, silent, lab.few)
        tap.ok(done.returncode == 0 and "failed: 1" not in notes(done), "once they were accepted it is not said again", done.stdout)

    database = os.path.join(lab.folder, "part-acceptance.db")
    run(lab, database, full, lab.few, "--hosts", "node2")
    run(lab, database, full, lab.few, "--hosts", "node1")
    few = suite(lab, "lax", STEPS[:3])
    assay("acceptance", "create", "su", "-H", silent, "-s", few, "--db", database)
    run(lab, database, silent, few)
    done = assay("acceptance", "add", "su", 3, "--db", database)
    told(done, ["Before it 1 part of a delivery over the same hosts, or some of them, failed: 1."], "an acceptance tells which parts failed, and no other")
    report = json.loads(assay("acceptance", "report", "su", "--format", "json", "--db", database).stdout)
    tap.same([row["text"] for row in report["story"] if re.search("run [12] ", row["text"])],
             ["run 1 over node2: failed; by other documents, so not part of the acceptance"], "and its history lists it", report["story"])


def judged_as_one(lab):
    """Beside a worse run the rejected one looks well: what it is alone stands beside it, and its own verdict stays."""
    database = a_copy(lab, "company")
    run(lab, database, hosts(lab, "third", 3, silent=False), suite(lab, "few", STEPS), "--hosts", "node3")
    with sqlite3.connect(database) as site:  # as where all others are worse
        other = assay("judge", 1, 2, "--db", database)
        run_2 = site.execute("SELECT uuid FROM run WHERE id=2").fetchone()[0]
        site.execute("UPDATE verdict SET word='accept' WHERE scope='run' AND judgement=(SELECT max(id) FROM judgement WHERE run=1)")
    tap.ok(other.returncode == 1, "two runs are judged as one", other.stdout, other.stderr)
    shown = " ".join(assay("show", 1, "--db", database).stdout.split())
    tap.ok(f"Judged as one with run 2 ({run_2}), whose hosts it was compared with too; judged alone: reject." in shown,
           "that the verdict is another one alone stands beside it", shown[:800])
    told(run(lab, database, hosts(lab, "silent", 2), lab.few),
         [REJECTED, "Judged again, by other documents or as one with other runs, which takes nothing of that back: run 1: accept."],
         "and later ones still tell that it was rejected")


def tried_again(lab):
    """A GPU that crashes a program now and then is no good one, however often it passes when it is tried again."""
    mark = os.path.join(lab.folder, "crashed")
    lab.wrap("gpu_burn", f'if [ "$ASSAY_LAB_HOST" = node1 ] && [ ! -e {mark} ]; then touch {mark}; kill -SEGV $$; fi')
    database = os.path.join(lab.folder, "again.db")
    told(run(lab, database, hosts(lab, "silent", 2), suite(lab, "burn", [*STEPS, BURN])),
         ["1 test passed only when tried again, after a program had crashed, been cut off or decided nothing: gpu-burn node1."],
         "a test that passed only after its program had crashed is told on the first page")


with Lab("rejected", 3, faults=["node2:sel-psu"], speed=600) as lab:
    lab.database = os.path.join(lab.folder, "runs.db")
    lab.few = suite(lab, "few", STEPS)
    first = run(lab, lab.database, hosts(lab, "full", 2, silent=False), lab.few)
    tap.same(first.returncode, 1, "with all that the hostfile declares the cluster is rejected", first.stdout, first.stderr)
    for story in (other_names, one_host_more, accepted_in_part, forgotten, waived, an_acceptance, parts, judged_as_one, tried_again, broken_off, stopped, lost, stopped_of_it):
        story(lab)
tap.end()
