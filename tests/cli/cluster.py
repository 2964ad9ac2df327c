# SPDX-License-Identifier: Apache-2.0
"""What the end-to-end tests share: a folder that goes away, labs that end, the program itself, and TAP.

Everything is started below one temporary folder and ended with it, also when a test fails, is interrupted, or runs
into meson's time limit. What is left behind is looked for by the marks that every command of a host carries.
"""

import atexit
import concurrent.futures
import contextlib
import functools
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import memory

ASSAY = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
FOLDER = os.path.realpath(tempfile.mkdtemp(prefix="assay-cli-"))
# For one call of the program, so that one that hangs is ended: far above what any needs beside other tests on a slow
# machine. More where the program is slowed down on purpose.
PATIENCE_S = 900 * int(os.environ.get("ASSAY_PATIENCE", "1"))

_folders, _labs, _children = [FOLDER], [], []
_over = threading.Event()  # from now on nothing is started


def _clean():
    _over.set()
    for child in list(_children):
        if child.poll() is None:
            child.kill()
            child.wait()
    for lab in list(_labs):
        _run(["lab", "down", "--dir", lab.folder], FOLDER, PATIENCE_S, {})
    while lines := marked(f"ASSAY_TEST_FOLDER={FOLDER}"):
        for line in lines:
            try:
                os.kill(int(line.split()[0]), signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.05)
    for folder in _folders:
        shutil.rmtree(folder, ignore_errors=True)


def _stop(*_):
    """Cleans up at once: threads that wait for a program are not waited for."""
    try:
        _clean()
    finally:
        os._exit(1)


atexit.register(_clean)
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, _stop)


def environment(**more):
    """Of the caller's environment only what a program needs: no ASSAY_DB, no agent, no proxies."""
    kept = ("PATH", "LD_LIBRARY_PATH", "ASSAY_LAB_PROGRAM", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS")
    return {**{name: os.environ[name] for name in kept if name in os.environ},
            "HOME": FOLDER, "LC_ALL": "C", "TZ": "UTC", "ASSAY_TEST_FOLDER": FOLDER, **more}


def _run(words, cwd, patience, more):
    try:
        return subprocess.run([ASSAY, *map(str, words)], cwd=cwd, env=environment(**more), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=patience, check=False)
    except subprocess.TimeoutExpired as late:  # what it had said is all there is to find the reason by
        for said in late.stdout, late.stderr:
            sys.stderr.write((said or b"").decode(errors="replace"))
        raise


def assay(*words, cwd=FOLDER, patience=PATIENCE_S, **more):
    """Runs the program to its end: returncode, stdout and stderr."""
    if _over.is_set():
        raise RuntimeError("the test is being ended")
    return _run(words, cwd, patience, more)


def start_program(words, **more):
    """Starts another program, which ends with the test."""
    child = subprocess.Popen(words, stdin=subprocess.DEVNULL, **more)
    _children.append(child)
    return child


def start(*words, cwd=FOLDER, **more):
    """Starts the program and returns at once. It leads a process group, so that signals reach it alone."""
    child = subprocess.Popen([ASSAY, *map(str, words)], cwd=cwd, env=environment(**more), stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    _children.append(child)
    return child


def wait_until(condition, seconds=30):
    """The condition's value as soon as it is true, or its last one."""
    until = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < until:
        time.sleep(0.05)
    return value


def marked(*marks):
    """pid and command line of the processes that have all these entries in their environment."""
    found, wanted = [], [mark.encode() for mark in marks]
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                text = file.read()
            if all(mark in text for mark in wanted) and all(mark in text.split(b"\0") for mark in wanted):
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    found.append(f"{pid} {file.read().replace(bytes(1), b' ').decode(errors='replace').strip()}")
        except OSError:
            continue
    return found


@functools.cache
def _in_memory():
    if memory.place() is None:
        return FOLDER
    _folders.append(tempfile.mkdtemp(prefix="assay-lab-", dir=memory.place()))
    return _folders[-1]


def wrapped(tool, before="", after=None):
    """What stands in the file of a lab's tool, with lines of a shell before and after its work."""
    first, work = tool.split("\n", 1)
    if first != "#!/bin/sh":
        work = f'exec {first.removeprefix("#!")} "$0" "$@"\n'
    if after is not None:
        work = work.replace("exec ", "", 1).rstrip("\n") + after + "\n"
    return f"#!/bin/sh\n{before}\n{work}"


class Lab:
    """A simulated cluster in a folder of its own; in FOLDER where other users, or other file systems, are to see it."""

    def __init__(self, name, hosts, faults=(), speed=600, profile="hgx-h100", options=(), in_memory=True):
        self.folder = os.path.join(_in_memory() if in_memory else FOLDER, name)
        self.hostfile = os.path.join(self.folder, "hostfile")
        words = [word for fault in faults for word in ("--fault", fault)]
        self.looking, self.looked, self.seen = threading.Lock(), -math.inf, set()
        if "--profile" not in options:
            words += ["--profile", profile]
        self.up = assay("lab", "up", hosts, "--dir", self.folder, "--speed", speed, *options, *words)
        _labs.append(self)
        if self.up.returncode != 0:
            raise RuntimeError(f"assay lab up: {self.up.stderr}")

    def write(self, name, document):
        return write(name, document, folder=self.folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.down()

    def down(self):
        if self in _labs:
            _labs.remove(self)
            done = assay("lab", "down", "--dir", self.folder)
            if done.returncode != 0:
                raise RuntimeError(f"assay lab down: {done.stderr}")

    def processes(self):
        """What runs on the hosts now."""
        return marked(f"ASSAY_LAB_DIR={self.folder}")

    def wrap(self, tool, before="", after=None):
        """The tool does something before it does its work, and after it: lines of a shell."""
        path = os.path.join(self.folder, "bin", tool)
        with open(path, encoding="utf-8") as file:
            script = wrapped(file.read(), before, after)
        with open(path, "w", encoding="utf-8") as file:
            file.write(script)

    def count_starts(self, tool):
        """From now on each start of the tool is counted; the number is that of starts_of()."""
        self.wrap(tool, f'echo "$ASSAY_LAB_HOST" >>{self.folder}/starts.{tool}')

    def logins(self):
        """Each host as often as it was logged in to."""
        with open(os.path.join(self.folder, "logins"), encoding="ascii") as file:
            return file.read().split()

    def starts_of(self, tool):
        try:
            with open(os.path.join(self.folder, f"starts.{tool}"), encoding="utf-8") as file:
                return file.read().split()
        except FileNotFoundError:
            return []

    def burning(self):
        """The hosts that gpu_burn runs on, as they were not long ago: stories that wait for it at the same time share one look."""
        with self.looking:
            if time.monotonic() - self.looked > 0.3:
                at = "ASSAY_LAB_HOST="
                self.seen = set()
                for line in marked(f"ASSAY_LAB_DIR={self.folder}"):
                    if " lab-tool " in line and "/gpu_burn" in line:
                        with contextlib.suppress(OSError), open(f"/proc/{line.split()[0]}/environ", encoding="utf-8", errors="replace") as file:
                            self.seen |= {word.removeprefix(at) for word in file.read().split("\0") if word.startswith(at)}
                self.looked = time.monotonic()
            return self.seen

    def is_burning(self, host):
        """gpu_burn runs there; the file alone says nothing, so its process is looked for."""
        return any(re.search(r" lab-tool \S*/gpu_burn", line)
                   for line in marked(f"ASSAY_LAB_DIR={self.folder}", f"ASSAY_LAB_HOST={host}"))

    def cut(self, number):
        """Breaks the connections of a host; what runs there goes on."""
        with open(os.path.join(self.folder, "control"), "w", encoding="ascii") as file:
            file.write(f"cut {number}\n")


# What a run that is no acceptance says instead (test_standing.py looks at the words). Most tests ask how a run of a suite
# of their own ended, and not what it may be shown as.
PLAIN = {"passed": "accept", "passed with exceptions": "accept with exceptions", "failed": "reject"}


def plain(verdict):
    return PLAIN.get(verdict, verdict)


class Report:
    """A run as `assay report --format json` tells it."""

    def __init__(self, database, run=1):
        self.done = assay("report", run, "--format", "json", "--db", database, "-o", "-")
        self.json = json.loads(self.done.stdout)
        self.verdict = plain(self.json["verdict"])
        self.steps = self.json["steps"]
        self.entries = self.json["entries"]

    def outcomes(self, duty="gate"):
        """(step, outcome) of each planned item."""
        return [(self.steps[item["step"]], item) for item in self.json["outcomes"] if item["duty"] == duty]

    def bad(self):
        """{(target, step): {word: its items}} of all gates that failed or could not be decided."""
        found = {}
        for step, item in self.outcomes():
            if item["outcome"] in ("fail", "inconclusive"):
                found.setdefault((step["target"], step["name"]), {}).setdefault(item["outcome"], []).append(item)
        return found

    def verdict_of(self, host):
        return [plain(row["verdict"]) for row in self.json["verdicts"] if (row["scope"], row["name"]) == ("host", host)][0]

    def stood_in(self, need, step):
        """Whether what did not pass over many hosts passed over fewer, which the step's are among."""
        whole = self.steps[need]
        return len(whole["members"]) > len(step["members"]) and any(
            other["origin"] == "substitute" and other["outcome"] == "pass" and set(step["members"]) <= set(other["members"]) and
            (other["name"], other["variant"]) == (whole["name"], whole["variant"]) for other in self.steps)

    def unrun_without_reason(self):
        """Steps whose state is not what their needs make of it: not run though all needs passed, or the reverse."""
        states, wrong = [], []
        for step in self.steps:
            owed = all(states[need] == "pass" or self.stood_in(need, step) for need in step["needs"])
            if owed == (step["outcome"] == "not run"):
                wrong.append(f"{step['target']} {step['name']}: {step['outcome']}")
            states.append(step["outcome"])
        return wrong

    def left_behind(self, users=(os.geteuid(),)):
        """Processes and spool folders of this run's attempts, which run on this very machine."""
        uuids = [attempt["uuid"] for attempt in self.json["attempts"]]
        spools = [f"{place}/assay-{user}" for place in ("/var/tmp", "/tmp", "/dev/shm") for user in users]
        found = [path for spool in spools for uuid in uuids if os.path.exists(path := f"{spool}/{uuid}")]
        wanted = {f"ASSAY_ATTEMPT={uuid}".encode() for uuid in uuids}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    if not wanted.isdisjoint(file.read().split(b"\0")):
                        found.append(f"process {pid}")
            except OSError:
                continue
        return found


def closing_lines(stdout):
    """The lines that `assay run` ends with, as a dictionary; None when they are not its last three."""
    found = re.search(r"(?:^|\n)run: (\d+)\nverdict: ([a-z ]+)\nreport: (/.+)\n$", stdout)
    return {"run": int(found[1]), "verdict": plain(found[2]), "report": found[3]} if found else None


class Recorder:
    """What one story of several found, to be told later."""

    def __init__(self):
        self.told = []

    def ok(self, good, name, *told):
        self.told.append((good, name, *told))
        return bool(good)

    def same(self, found, wanted, name, *told):
        return self.ok(found == wanted, name, f"found  {found!r}", f"wanted {wanted!r}", *told)


def write(name, document, mode=0o644, folder=FOLDER):
    """A file of text or JSON in the test's folder; its path."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(document if isinstance(document, str) else json.dumps(document))
    os.chmod(path, mode)
    return path


class Tap:
    """Test results, one line each; threads may add to it."""

    def __init__(self):
        self.count = self.failures = 0
        self.lock = threading.Lock()

    def _line(self, good, name, remark=""):
        self.count += 1
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}{remark}", flush=True)

    def _told(self, told):
        for line in str(told).splitlines()[:40]:
            print(f"# {line[:300]}", flush=True)

    def ok(self, good, name, *told):
        """One case. What is told goes with a failure."""
        with self.lock:
            self._line(good, name)
            if not good:
                self.failures += 1
                for part in told:
                    self._told(part)
        return bool(good)

    def skip(self, name, reason):
        with self.lock:
            self._line(True, name, f" # SKIP {reason}")

    def same(self, found, wanted, name, *told):
        return self.ok(found == wanted, name, f"found  {found!r}", f"wanted {wanted!r}", *told)

    def together(self, stories):
        """Runs all stories at once; each gets a recorder with ok and same. What they say is told in their order."""
        with concurrent.futures.ThreadPoolExecutor(len(stories)) as pool:
            recorders = [Recorder() for _ in stories]
            jobs = [pool.submit(story, recorder) for story, recorder in zip(stories, recorders)]
            for story, recorder, job in zip(stories, recorders, jobs):
                problem = job.exception()
                for told in recorder.told:
                    self.ok(*told)
                if problem is not None or not recorder.told:
                    self.ok(False, f"{story.__name__.replace('_', ' ')}: can be tried to its end", repr(problem))

    def end(self):
        print(f"1..{self.count}", flush=True)
        sys.exit(1 if self.failures or self.count == 0 else 0)
