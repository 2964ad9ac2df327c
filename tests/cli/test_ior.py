# SPDX-License-Identifier: Apache-2.0
"""usage: test_ior.py ASSAY

storage-ior and storage-mdtest over real hosts with real sshd, mpirun, ior and mdtest, where these are installed: what they print is
read in full, data that another host changed is found and named, and nothing is left in the folder.
"""

import json
import os
import shutil
import sys

from namespaces import MPI, Hosts, write
from cluster import FOLDER, Report, Tap, assay

COUNT = 3
DATA = f"{FOLDER}/data"
# Before the run that compares, the first rank changes eight bytes that another one wrote.
CHANGES = """#!/bin/sh
case "$OMPI_COMM_WORLD_RANK $*" in
'0 '*' -R '*) printf 12345678 | dd of="$(ls {data}/assay-clients-*/data.00000001)" bs=8 seek=100 conv=notrunc 2>/dev/null ;;
esac
exec {ior} "$@"
"""
tap = Tap()
missing = [name for name in ("ior", "mdtest") if shutil.which(name) is None]
if missing:
    print(f"1..0 # SKIP not installed: {', '.join(missing)}")
    sys.exit(0)


def step(check, **arguments):
    return {"check": check, "scope": "cluster", "needs": ["reachable"], "retries": 0, "retests": 1,
            "arguments": {"mount": DATA, "ranks_per_host": 2, **arguments}}


def run(name, ior, *steps):
    suite = write(f"{FOLDER}/{name}.json", json.dumps(
        {"name": name, "title": name, "purpose": "trial", "launcher": MPI, "steps": [{"check": "reachable"}, *steps],
         "tools": {"ior": {"path": ior}, "mdtest": {"path": shutil.which("mdtest")}}}))
    database = f"{FOLDER}/{name}.db"
    done = assay("run", "-H", hostfile, "-s", suite, "--db", database, "--progress", "none", "-o", f"{FOLDER}/{name}.html")
    return done, Report(database)


os.mkdir(DATA)
hosts = Hosts(COUNT, "1gbit")
hostfile = hosts.hostfile("plain", "atlas-800t-a2")
for layout in ("files", "shared"):
    done, report = run(layout, shutil.which("ior"), step("storage-ior", layout=layout, transfer="64K", block="256M", seconds=1),
                       step("storage-mdtest", files=50, directory="own" if layout == "files" else "shared"))
    measured = {item["metric"]: item["measured"] for _, item in report.outcomes("record")}
    tap.same((done.returncode, report.bad()), (0, {}), f"{layout}: real hosts pass", done.stdout, done.stderr)
    tap.ok(all(measured.get(metric) for metric in ("ior.write.bandwidth", "ior.read.bandwidth", "ior.read.time", "ior.version",
                                                   "mdtest.file.create", "mdtest.file.remove")),
           f"{layout}: each number is there", measured)
wrapped = write(f"{FOLDER}/changing-ior", CHANGES.format(data=DATA, ior=shutil.which("ior")), 0o755)
done, report = run("changed", wrapped, step("storage-ior", transfer="64K", block="1M"))
bad = {item["metric"]: item["cause"] for _, item in report.outcomes() if item["outcome"] == "fail"}
tap.ok(done.returncode == 1 and "ior.wrong" in bad, "data that was changed is found", bad, done.stderr)
if any(item["metric"] == "ior.version" and item["measured"].startswith("3.") for _, item in report.outcomes("record")):
    tap.ok("which node1 wrote" in bad.get("sound", ""), "IOR 3.3 says in which file: who wrote it is named", bad)
tap.same([os.listdir(DATA), hosts.processes(), hosts.spools()], [[], [], []], "nothing is left of it")
tap.end()
