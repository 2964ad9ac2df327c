# SPDX-License-Identifier: Apache-2.0
"""Many runs in a row on one database: what they cost in the end is what they cost in the beginning.

usage: soak.py ASSAY [RUNS]      at least 20; prints one line a figure; exit status 0 when every aim is met

Two hosts of four are tested at a time. One pair has a fault, so that its runs are rejected and may be forgotten; every
tenth run is of the other pair and accepted, and stays.
"""

import json
import os
import re
import sqlite3
import statistics
import subprocess
import sys
import time

from cluster import ASSAY, FOLDER, Lab, assay, environment

ACCEPTED_EVERY = 10
RUNS = max(2 * ACCEPTED_EVERY, int(sys.argv[2]) if len(sys.argv) > 2 else 200)
KEPT = 10  # runs that prune is asked to keep
SUITE = {
    "name": "soak", "purpose": "trial",
    "steps": [
        {"check": "reachable"},
        {"check": "privilege", "needs": ["reachable"]},
        {"check": "gpu-inventory", "needs": ["reachable"]},
        {"check": "gpu-burn", "needs": ["privilege"], "arguments": {"seconds": 120}},
        {"check": "mpi-launch", "scope": "cluster", "needs": ["reachable"]},
    ],
}
PLACES = [os.path.join(FOLDER, name) for name in ("work", "temporary", "database")]
DATABASE = os.path.join(PLACES[2], "assay.db")

missed = 0


def figure(name, value, unit, aim, met):
    """One line, in the form of scripts/bench."""
    global missed
    missed += not met
    words = "aim=- met=-" if aim == "none" else f"aim={aim} met={'yes' if met else 'no'}"
    print(f"soak {name} value={value:.6g} unit={unit} {words}", flush=True)


class Cost:
    """What one run took."""

    def __init__(self, number, accepted):
        words = ["run", "-H", lab.hostfile, "-s", suite, "--db", DATABASE, "--hosts",
                 "node1,node2" if accepted else "node3,node4", "--progress", "none", "-o", "report.html"]
        began = time.monotonic()
        child = subprocess.Popen([ASSAY, *words], cwd=PLACES[0], env=environment(TMPDIR=PLACES[1]),
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.told = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.accepted = accepted
        self.status, self.wanted = child.returncode, 0 if accepted else 1
        self.wall_s = time.monotonic() - began
        self.cpu_s = usage.ru_utime + usage.ru_stime
        self.memory_kib = usage.ru_maxrss
        self.server_descriptors = len(os.listdir(f"/proc/{server}/fd"))
        self.files = files_here()
        if self.status != self.wanted:
            print(f"soak: run {number} ended with status {self.status}: {self.told}", file=sys.stderr)


def files_here():
    """Those in the folders that a run may write in, and of the hosts, less what is there to stay."""
    found = [os.path.join(folder, name) for place in (*PLACES, os.path.join(lab.folder, "hosts"))
             for folder, _, names in os.walk(place) for name in names]
    return sorted(path for path in found if not path.startswith(DATABASE))


def rows(query):
    with sqlite3.connect(DATABASE) as connection:
        return [row[0] for row in connection.execute(query)]


def left_on_hosts():
    """Spools of our attempts and locks of our hosts, on this machine, and processes with our marks."""
    uuids = set(rows("SELECT uuid FROM attempt")) | set(rows("SELECT uuid FROM run"))
    found = []
    for place in ("/var/tmp", "/tmp", "/dev/shm"):
        folder = f"{place}/assay-{os.geteuid()}"
        names = os.listdir(folder) if os.path.isdir(folder) else []
        found += [f"{folder}/{name}" for name in names if any(uuid in name for uuid in uuids)]
    return found + [line for line in lab.processes() if " lab serve" not in line and str(server) != line.split()[0]]


def compare(name, costs, of, unit, most, slack):
    """The middle of the last fifth against that of the first; before that each host has been tested once."""
    part = max(1, len(costs) // 5)
    early, late = (statistics.median(of(cost) for cost in some) for some in (costs[:part], costs[-part:]))
    figure(f"{name}-early", early, unit, "none", True)
    figure(f"{name}-late", late, unit, f"<={most:g}x+{slack:g}", late <= most * early + slack)


def numbers():
    return [int(number) for number in re.findall(r"^ *([0-9]+)  ", assay("list", "--db", DATABASE).stdout, re.M)]


def prune():
    """Old runs go, accepted ones stay and can still be reported."""
    accepted = [number for number in range(1, RUNS + 1) if number % ACCEPTED_EVERY == 0]
    wanted = sorted({*accepted, *range(RUNS - KEPT + 1, RUNS + 1)}, reverse=True)
    before = os.path.getsize(DATABASE)
    done = assay("prune", "--keep", KEPT, "--db", DATABASE)
    figure("runs-after-prune", len(numbers()), "runs", len(wanted), done.returncode == 0 and numbers() == wanted)
    figure("database-after-prune", os.path.getsize(DATABASE) / 2**20, "MiB", f"<{before / 2**20:.3g}",
           os.path.getsize(DATABASE) < before)
    shown = [assay("show", number, "--db", DATABASE).returncode == 0 for number in accepted]
    figure("accepted-runs-shown-after-prune", sum(shown), "runs", len(accepted), all(shown))
    figure("integrity-after-prune", len(rows("PRAGMA integrity_check")), "lines", "ok",
           rows("PRAGMA integrity_check") == ["ok"])


for place in PLACES:
    os.mkdir(place)
suite = os.path.join(FOLDER, "soak.json")
with open(suite, "w", encoding="utf-8") as file:
    json.dump(SUITE, file)
with Lab("soak", 4, ["node3:gpu-missing:3"], speed=1200) as lab:
    with open(os.path.join(lab.folder, "lab.pid"), encoding="ascii") as file:
        server = int(file.read().split()[0])
    costs = [Cost(number, number % ACCEPTED_EVERY == 0) for number in range(1, RUNS + 1)]
    warm = costs[ACCEPTED_EVERY:]
    time.sleep(1)
    figure("runs", len(costs), "runs", RUNS, len(costs) == RUNS)
    figure("runs-as-they-should-end", sum(cost.status == cost.wanted for cost in costs), "runs", RUNS,
           all(cost.status == cost.wanted for cost in costs))
    figure("complaints", sum(cost.told != "" for cost in costs), "runs", 0, all(cost.told == "" for cost in costs))
    for kind, accepted in (("rejected", False), ("accepted", True)):
        some = [cost for cost in warm if cost.accepted == accepted]
        if some:
            compare(f"memory-of-{kind}", some, lambda cost: cost.memory_kib, "KiB", 1.02, 512)
            compare(f"cpu-of-{kind}", some, lambda cost: cost.cpu_s, "s", 1.25, 0.02)
    figure("wall-in-the-middle", statistics.median(cost.wall_s for cost in costs), "s", "none", True)
    compare("descriptors-of-the-hosts", warm, lambda cost: cost.server_descriptors, "descriptors", 1, 0)
    compare("files-here-and-on-hosts", warm, lambda cost: len(cost.files), "files", 1, 0)
    figure("temporary-files-left", len(os.listdir(PLACES[1])), "files", 0, not os.listdir(PLACES[1]))
    figure("beside-the-database", len(os.listdir(PLACES[2])), "files", "<=3", len(os.listdir(PLACES[2])) <= 3)
    left = left_on_hosts()
    figure("left-on-hosts", len(left), "folders and processes", 0, not left)
    figure("integrity", len(rows("PRAGMA integrity_check")), "lines", "ok", rows("PRAGMA integrity_check") == ["ok"])
    figure("database", os.path.getsize(DATABASE) / 2**20, "MiB", "none", True)
    figure("database-per-run", os.path.getsize(DATABASE) / 2**10 / RUNS, "KiB", "none", True)
    prune()
for line in left[:9] + [path for path in costs[-1].files if path not in warm[0].files][:9]:
    print(f"soak: left behind: {line}", file=sys.stderr)
sys.exit(1 if missed else 0)
