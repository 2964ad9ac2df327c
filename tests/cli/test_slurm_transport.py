# SPDX-License-Identifier: Apache-2.0
"""usage: test_slurm_transport.py assay [STORY]

A cluster whose nodes take no SSH: a real Slurm over hosts without sshd, reached by its steps (transport=slurm).
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import namespaces
from cluster import FOLDER, PATIENCE_S, Report, Tap, assay, closing_lines, start, wait_until
from namespaces import Hosts, command, write
from slurm import Slurm

COUNT = 3
PLATFORM = {"name": "plain.json", "title": "hosts without GPUs, taken for one GPU each", "source": "this test",
            "gpus": {"count": 1, "models": ["none"], "pci_ids": ["10de:2330"]}, "nvlink": {"links": 0},
            "nvswitch": False, "fabric_state": False, "driver_minimum": "525.60.13"}
tap = Tap()


def step(name, line, pattern="(?<word>done)", **more):
    """One of the check `command`, which passes when the line prints that word."""
    return {"check": "command", "name": name, "needs": ["reachable"], "retries": 0,
            "arguments": {"command": line, "pattern": pattern},
            "limits": [{"metric": "command.word", "equal": "done", "source": "this test", "status": "contract"}], **more}


def words(name, *steps, hosts_file="hostfile", launcher=None):
    suite = write(f"{FOLDER}/{name}.json", json.dumps({
        "name": name, "title": name, "purpose": "trial", "steps": [{"check": "reachable"}, *steps],
        **({"launcher": launcher} if launcher else {})}))
    return ("run", "-H", f"{FOLDER}/{hosts_file}", "-s", suite, "--db", f"{FOLDER}/{name}.db", "--progress", "none", "-o",
            f"{FOLDER}/{name}.html")


def run(name, *steps, **more):
    return assay(*words(name, *steps, **more), SLURM_CONF=slurm.conf)


def resume(name):
    return assay("run", "--resume", "1", "--db", f"{FOLDER}/{name}.db", "--progress", "none", "-o", f"{FOLDER}/{name}.html",
                 SLURM_CONF=slurm.conf)


def outcomes(name, check="command"):
    """{(step, host): (outcome of its word, cause)}"""
    return {(step["name"], step["target"]): (item["outcome"], item["cause"]) for step, item in Report(f"{FOLDER}/{name}.db").outcomes()
            if step["check"] == check and item["metric"] != "sound"}


def attempts(name, of):
    report = Report(f"{FOLDER}/{name}.db")
    return [attempt for attempt in report.json["attempts"] if report.steps[attempt["step"]]["name"] == of]


def verdict(done):
    return done.returncode, (closing_lines(done.stdout) or {}).get("verdict")


def nothing_is_left(story):
    def left():
        return [line for line in hosts.processes() if "slurmd" not in line and "slurmstepd" not in line]
    tap.ok(wait_until(lambda: not left(), 20), f"{story}: no process is left on any host", left())
    tap.same(hosts.spools(), [], f"{story}: no spool is left")
    tap.ok(wait_until(lambda: slurm.ask("squeue", "-h").stdout == "", 20), f"{story}: nothing is left in the queue",
           slurm.ask("squeue").stdout)


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return sorted(file.read().split())


def everything_comes_back():
    big = f"{FOLDER}/big"
    command("dd", "if=/dev/urandom", f"of={big}", "bs=100000", "count=30")
    done = run("whole", step("both", "echo done; echo to the other stream >&2; hostname >>" + f"{FOLDER}/touched"),
               step("big", f"cat {big}; echo; echo done"), step("bad", "echo done; exit 7"),
               step("late", "echo done; sleep 600", timeout_s=5))
    found = outcomes("whole")
    tap.same(verdict(done), (2, "incomplete"), "over Slurm: it runs to its end, and what did not pass is said", done.stdout, done.stderr)
    tap.same({host for (name, host), item in outcomes("whole", "reachable").items() if item[0] == "pass"},
             {host.name for host in hosts.list}, "over Slurm: hosts without sshd are reached")
    tap.same({name: {item[0] for (other, _), item in found.items() if other == name} for name in ("both", "big")},
             {"both": {"pass"}, "big": {"pass"}}, "over Slurm: commands pass that should", found)
    tap.same(lines_of(f"{FOLDER}/touched"), sorted(host.hostname for host in hosts.list), "over Slurm: each ran once on each host")
    tap.same({attempt["end"] for attempt in attempts("whole", "late")}, {"deadline"}, "over Slurm: a deadline is kept")
    bad = [item for step, item in Report(f"{FOLDER}/whole.db").outcomes() if step["name"] == "bad" and item["metric"] == "sound"]
    tap.ok(bad and all(item["outcome"] != "pass" and "7" in item["cause"] for item in bad), "over Slurm: an exit status comes back", bad)
    streams = {(capture["stream"], capture["length"]) for attempt in attempts("whole", "big") for capture in attempt["captures"]}
    tap.ok(any(stream == "stdout" and length > 3000000 for stream, length in streams), "over Slurm: megabytes of bytes come whole", streams)
    tap.same({attempt["transport"] for attempt in attempts("whole", "both")}, {"slurm"}, "over Slurm: the transport is told")
    nothing_is_left("over Slurm")


missing = [name for name in ("slurmctld", "slurmd", "srun", "sbatch") if shutil.which(name) is None]
if missing:
    print(f"1..0 # SKIP not installed: slurm-wlm ({', '.join(missing)})")
    sys.exit(0)
write(f"{FOLDER}/{PLATFORM['name']}", json.dumps(PLATFORM))
command("ip", "link", "set", "lo", "up")
hosts = Hosts(COUNT, "1gbit", sshd=False)
write(f"{FOLDER}/hostfile", f"defaults platform=plain.json slots=1 transport=slurm scheduler=slurm\nnode[1-{COUNT}] "
      f"address={namespaces.NETWORK}.[1-{COUNT}]\n")
slurm = Slurm(hosts, sharing="NO")
if tap.ok(slurm.begin(), "Slurm: its nodes are idle", slurm.log()):
    for story in (everything_comes_back,):
        if len(sys.argv) < 3 or sys.argv[2] in story.__name__:
            story()
tap.end()
