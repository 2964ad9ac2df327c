# SPDX-License-Identifier: Apache-2.0
"""usage: test_faults_controller.py assay

What happens if the controller itself is in trouble: its database, its disk, its terminal, its limits, its clock. Each row
is a run over simulated hosts; what is named here and not here is in tests/cli/test_resume.py (killed at any moment, Ctrl-C)
and tests/cli/test_namespaces.py (cables).
"""

import json
import os
import pty
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
# pylint: disable=wrong-import-position
import namespaces  # noqa: E402,F401  (mounts of our own)
import cluster  # noqa: E402
from cluster import FOLDER, Lab, Report, Tap, assay, closing_lines, start, wait_until  # noqa: E402
from namespaces import command, write  # noqa: E402

command("ip", "link", "set", "lo", "up")
tap = Tap()
SANITIZED = b"__asan_init" in open(cluster.ASSAY, "rb").read()


def folder(name, mount=""):
    path = f"{FOLDER}/{name}"
    os.makedirs(path)
    if mount:
        command("mount", "-t", "tmpfs", "-o", mount, "tmpfs", path)
    return path


def words(place, suite="", *more):
    return ["run", "-H", lab.hostfile, "-s", suite or quick_suite, "--db", f"{place}/assay.db", "--progress", "none", "-o", f"{place}/report.html",
            *more]


def told(place, status, pattern, name, *more, **environment):
    """It ends at once with that status, and says that."""
    done = assay(*words(place, "", *more), **environment)
    tap.ok(done.returncode == status and re.search(pattern, done.stderr), name, f"found  {done.returncode}: {done.stderr}",
           f"wanted {status}: {pattern}", done.stdout)
    return done


def accepted(place, done, name):
    tap.ok(done.returncode == 0 and (closing_lines(done.stdout) or {}).get("verdict") == "accept", name, done.returncode,
           done.stdout, done.stderr)
    with sqlite3.connect(f"{place}/assay.db") as connection:
        tap.same(connection.execute("PRAGMA integrity_check").fetchone()[0], "ok", f"{name}; the database is whole")


# -- the database --

def a_corrupt_database():
    place = folder("corrupt")
    write(f"{place}/assay.db", "SQLite format 3\0" + "x" * 9000)
    told(place, 64, "assay.db.*(damaged|not a database)", "database corrupt: it is named before anything connects")
    os.remove(f"{place}/assay.db")
    assay(*words(place))
    with open(f"{place}/assay.db", "r+b") as file:
        for page in range(3, os.path.getsize(file.name) // 4096, 2):
            file.seek(4096 * page)
            file.write(b"\xff" * 4096)
    told(place, 64, "damaged", "database corrupt in its middle: so is that")
    done = assay("report", "1", "--db", f"{place}/assay.db", "-o", "-")
    tap.ok(done.returncode in (64, 70) and "accept" not in done.stdout, "database corrupt: no report is made of it", done)


def a_locked_database():
    place = folder("locked")
    assay(*words(place))
    with sqlite3.connect(f"{place}/assay.db", isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        told(place, 70, "locked|busy|another process", "database locked by another program: it is said, and how to find who")
        other.execute("ROLLBACK")
    child = start(*words(place))
    wait_until(lambda: runs(place) == 2)
    with sqlite3.connect(f"{place}/assay.db", isolation_level=None, timeout=20) as other:
        other.execute("BEGIN IMMEDIATE")
        time.sleep(2)
        other.execute("ROLLBACK")
    out, err = child.communicate(timeout=100)
    tap.ok(child.returncode == 0 and closing_lines(out), "database locked for two seconds of a run: it waits", out, err)


def runs(place):
    try:
        with sqlite3.connect(f"file:{place}/assay.db?mode=ro", uri=True) as connection:
            return connection.execute("SELECT count(*) FROM run").fetchone()[0]
    except sqlite3.Error:
        return 0


def a_read_only_folder():
    place = folder("read-only", "size=64m")
    command("mount", "-o", "remount,ro", place)
    told(place, 64, "(assay.db|read-only).*(read-only|Read-only file system|cannot be (written|made|created))", "read-only folder: it is named before anything connects")


# -- its disk --

def a_full_disk_at_the_start():
    place = folder("small", "size=8m")
    told(place, 64, "assay.db.*only .* are free.*--db", "disk full before the run: nothing is begun")
    tap.same(runs(place), 0, "disk full before the run: nothing is in the database")


def a_disk_that_fills_up():
    place = folder("fills", "size=40m")
    child = start(*words(place, slow_suite))
    wait_until(lambda: lab.is_burning("node1"), 60)
    with open(f"{place}/fill", "wb") as file:
        try:
            while True:
                file.write(bytes(1 << 20))
                file.flush()
        except OSError:
            pass
    out, err = child.communicate(timeout=100)
    tap.ok(child.returncode == 70 and re.search("make room|free some space", err) and "--resume 1" in err,
           "disk full during the run: it stops, and says how to go on", child.returncode, out, err)
    tap.ok("verdict:" not in out, "disk full during the run: it has no verdict", out)
    os.remove(f"{place}/fill")
    done = assay("run", "--resume", "1", "--db", f"{place}/assay.db", "--progress", "none", "-o", f"{place}/report.html")
    accepted(place, done, "disk full during the run: with room again it goes on to its end")


def no_room_for_the_report():
    place, full = folder("reported"), folder("tiny", "size=32k")
    done = assay("run", "-H", lab.hostfile, "-s", quick_suite, "--db", f"{place}/assay.db", "--progress", "none", "-o",
                 f"{full}/r.html")
    tap.ok(done.returncode == 70 and "the run is kept" in done.stderr and "assay report 1" in done.stderr,
           "no room for the report: the run is kept, and that is said", done.returncode, done.stderr)
    tap.same(os.listdir(full), [], "no room for the report: no half of one is left")


# -- its terminal and its signals --

def a_terminal_that_goes_away():
    place = folder("terminal")
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(cluster.ASSAY, [cluster.ASSAY, *map(str, words(place, slow_suite))], cluster.environment())
    wait_until(lambda: lab.is_burning("node1"), 60)
    os.close(terminal)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    report = Report(f"{place}/assay.db")
    tap.same((status, report.verdict, report.json["run"]["state"]), (0, "accept", "ended"),
             "terminal gone (SIGHUP): the run goes on to its end")


def a_reader_that_goes_away():
    place = folder("pipe")
    child = start(*words(place))
    child.stdout.close()
    child.stderr.close()
    child.wait(100)
    report = Report(f"{place}/assay.db")
    tap.same((report.verdict, report.json["run"]["state"]), ("accept", "ended"),
             "its output closed early: the run is kept to its end", child.returncode)


def a_request_to_end():
    place = folder("sigterm")
    child = start(*words(place, slow_suite))
    wait_until(lambda: lab.is_burning("node1"), 60)
    child.send_signal(signal.SIGTERM)
    out, err = child.communicate(timeout=60)
    tap.same((child.returncode, (closing_lines(out) or {}).get("verdict"), lab.is_burning("node1")), (130, "incomplete", False),
             "SIGTERM: what runs on the hosts is ended, the run is incomplete, exit status 130", out, err)


# -- its limits --

def few_descriptors():
    place = folder("descriptors")
    done = subprocess.run(["prlimit", "--nofile=32:32", cluster.ASSAY, *map(str, words(place))], env=cluster.environment(),
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=140, check=False)
    accepted(place, done, "32 file descriptors for 8 hosts: the run takes turns")
    place = folder("no-descriptors")
    done = subprocess.run(["prlimit", "--nofile=14:14", cluster.ASSAY, *map(str, words(place))], env=cluster.environment(),
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=140, check=False)
    tap.ok(done.returncode == 0 or (done.returncode in (2, 64, 70) and
                                    re.search("descriptors|open files", done.stdout + done.stderr)),
           "14 file descriptors: it takes turns, or names the limit; no host is accused", done.returncode, done.stdout, done.stderr)


def little_memory():
    """The kernel ends a controller that is out of memory; here its own sanitizer, or malloc, does, in the middle of its run."""
    place = folder("memory")
    # With its sanitizer it has 59 MB when its run begins, some 72 when the hosts burn, and 93 in the end.
    limit = {"ASAN_OPTIONS": "hard_rss_limit_mb=66:abort_on_error=1"} if SANITIZED else {}
    child = start(*words(place, slow_suite), **limit)
    if not SANITIZED and wait_until(lambda: lab.is_burning("node1"), 60):
        command("prlimit", "--pid", str(child.pid), "--as=1:1")
    out, err = child.communicate(timeout=140)
    tap.ok(child.returncode not in (0, 1, 3) and "verdict" not in out and re.search("rss|memory", err),
           "out of memory: the controller dies, and has no verdict", child.returncode, out, err[-600:])
    tap.same(runs(place), 1, "out of memory: its run is kept")
    done = assay("run", "--resume", "1", "--db", f"{place}/assay.db", "--progress", "none", "-o", f"{place}/report.html")
    accepted(place, done, "out of memory: --resume goes on to the end")


JUMP = r'''
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
/* Two seconds after the start the wall clock goes back by an hour, and later on by a day. */
int clock_gettime(clockid_t clock, struct timespec *ret)
{
    static int (*real)(clockid_t, struct timespec *);
    static time_t began;
    struct timespec now;
    int result;
    if (real == 0) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    result = real(clock, ret);
    if (clock != CLOCK_REALTIME || real(CLOCK_MONOTONIC, &now) != 0) return result;
    if (began == 0) began = now.tv_sec;
    if (now.tv_sec - began >= 4) ret->tv_sec += 86400;
    else if (now.tv_sec - began >= 2) ret->tv_sec -= 3600;
    return result;
}
'''


def a_clock_that_jumps():
    if shutil.which("gcc") is None:
        tap.skip("clock jumps", "not installed: gcc")
        return
    place = folder("clock")
    write(f"{place}/jump.c", JUMP)
    command("gcc", "-shared", "-fPIC", "-o", f"{place}/jump.so", f"{place}/jump.c", "-ldl")
    done = assay(*words(place, slow_suite), LD_PRELOAD=f"{place}/jump.so", ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0")
    accepted(place, done, "the clock jumps an hour back and a day ahead: the run is none the worse")
    report = Report(f"{place}/assay.db")
    took = [attempt["ended"] - attempt["began"] for attempt in report.json["attempts"]]
    tap.ok(min(took) >= 0 and max(took) < 600, "the clock jumps: no test took less than no time, or a day", min(took), max(took))


# -- its question --

def names_given_twice():
    place = folder("twice")
    for what, text, pattern in (
            ("an address", "a address=10.0.0.1\nb address=10.0.0.1\n", r"twice:2:\d+: address 10.0.0.1 .* 'a' on line 1"),
            ("a name", "a slots=8\nb slots=8\na slots=8\n", r"twice:3:\d+: host 'a' appears twice.* line 1")):
        write(f"{place}/twice", text)
        done = assay("plan", "-H", f"{place}/twice", "-s", "smoke")
        tap.ok(done.returncode == 64 and re.search(pattern, done.stderr), f"the hostfile has one twice: {what}", done.stderr)


# -- what hosts print --

PRINTS = r'''[ "$ASSAY_LAB_HOST" = node1 ] && head -c 3000000 /dev/zero | tr "\0" x; echo; echo "rate: 42"'''


def more_than_the_run_keeps():
    place = folder("evidence")
    suite = {"name": "prints", "title": "prints", "purpose": "trial", "platform": "hgx-h100", "steps": [
        {"check": "reachable"},
        {"check": "command", "needs": ["reachable"], "retries": 0,
         "arguments": {"command": PRINTS, "pattern": "^rate: (?<rate>[0-9]+)$"},
         "limits": [{"metric": "command.rate", "floor": 40, "unit": "count", "source": "this test", "status": "contract"}]}]}
    write(f"{place}/prints.json", json.dumps(suite))
    done = assay(*words(place, f"{place}/prints.json", "--max-evidence", "1M"))
    report = Report(f"{place}/assay.db")
    bad = {where: [(word, items[0]["cause"]) for word, items in found.items()] for where, found in report.bad().items()}
    tap.ok(done.returncode == 2 and list(bad) == [("node1", "command")] and bad["node1", "command"][0][0] == "inconclusive"
           and "evidence limit" in bad["node1", "command"][0][1],
           "more than the run keeps: inconclusive with the cause, and only where it was printed", bad, done.stdout, done.stderr)
    kept = report.json["evidence"]
    tap.ok(kept["run_limit_bytes"] == 1 << 20 and kept["dropped"] == 1 and 0 < kept["kept_bytes"] < 1 << 20,
           "more than the run keeps: the report tells the limits and that one was reached", kept)
    for form in ("text", "html"):
        told_there = " ".join(assay("report", 1, "--format", form, "--db", f"{place}/assay.db", "-o", "-").stdout.split())
        tap.ok("1,048,576 for the whole run" in told_there and "1 did not fit into the run" in told_there,
               f"more than the run keeps: so does its {form}", told_there[-1500:])
    again = assay("judge", 1, "--db", f"{place}/assay.db")
    tap.ok("0 of " in again.stdout and "verdict: incomplete" in again.stdout, "more than the run keeps: judged again it is the same",
           again.stdout, again.stderr)
    told(place, 64, "--max-evidence 'much'", "a limit that is none is refused", "--max-evidence", "much")


quick_suite, slow_suite = f"{FOLDER}/quick.json", f"{FOLDER}/slow.json"
write(quick_suite, '{"name": "quick", "title": "quick", "purpose": "trial", "platform": "hgx-h100", "steps": [{"check": "reachable"},'
      '{"check": "privilege", "needs": ["reachable"]}, {"check": "driver", "needs": ["privilege"], "record": ["*"]}]}')
write(slow_suite, '{"name": "slow", "title": "slow", "purpose": "trial", "platform": "hgx-h100", "steps": [{"check": "reachable"},'
      '{"check": "privilege", "needs": ["reachable"]},'
      '{"check": "gpu-burn", "needs": ["privilege"], "arguments": {"seconds": 1800}, "record": ["*"]}]}')
with Lab("lab", 8, speed=600, in_memory=False) as lab:
    for story in (a_corrupt_database, a_locked_database, a_read_only_folder, a_full_disk_at_the_start, a_disk_that_fills_up,
                  no_room_for_the_report, a_terminal_that_goes_away, a_reader_that_goes_away, a_request_to_end, few_descriptors,
                  little_memory, a_clock_that_jumps, names_given_twice, more_than_the_run_keeps):
        began = time.monotonic()
        story()
        print(f"# {story.__name__}: {time.monotonic() - began:.1f} s", flush=True)
tap.end()
