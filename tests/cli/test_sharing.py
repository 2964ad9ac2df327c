# SPDX-License-Identifier: Apache-2.0
"""usage: test_sharing.py assay

A cluster that others use too: a real Slurm of four nodes with real sshd, of which one has a job. It is named with its
owner and left alone, the others are tested; and Slurm's own words make the hostfile.
"""

import json
import os
import shutil
import signal
import sys

import namespaces
from cluster import FOLDER, Report, Tap, assay, closing_lines, start, wait_until
from namespaces import Hosts, command, write
from slurm import Slurm

COUNT, BUSY = 4, "node2"
PLATFORM = {"name": "plain.json", "title": "hosts without GPUs, taken for one GPU each", "source": "this test",
            "gpus": {"count": 1, "models": ["none"], "pci_ids": ["10de:2330"]}, "nvlink": {"links": 0},
            "nvswitch": False, "fabric_state": False, "driver_minimum": "525.60.13"}
tap = Tap()


def suite(name, touched):
    """A test that leaves a line of its host in a file."""
    return write(f"{FOLDER}/{name}.json", json.dumps({
        "name": name, "title": name, "purpose": "trial", "environment": {"SLURM_CONF": slurm.conf},
        "steps": [{"check": "reachable"},
                  {"check": "command", "needs": ["reachable"], "retries": 0,
                   "arguments": {"command": f"echo done; hostname >>{touched}; squeue -h -t running -w $(hostname -s) -o '%N %j' "
                                            f">>{touched}.jobs", "pattern": "(?<done>done)"},
                   "limits": [{"metric": "command.done", "equal": "done", "source": "this test", "status": "contract"}]}]}))


def run(name, *words):
    """The run's end, the outcomes of the active step by host with its first item, and the hosts that it ran on."""
    write(f"{FOLDER}/{name}.touched", "")
    return ended(name, assay(*words_of(name), *words, SLURM_CONF=slurm.conf))


def words_of(name):
    return ("run", "-H", f"{FOLDER}/cluster", "-s", suite(name, f"{FOLDER}/{name}.touched"), "--db", f"{FOLDER}/{name}.db",
            "--progress", "none", "-o", f"{FOLDER}/{name}.html")


def ended(name, done):
    """As run has it."""
    if closing_lines(done.stdout) is None:
        tap.ok(False, f"{name}: it runs to its end", done.stdout, done.stderr)
    steps = {}
    for step, item in Report(f"{FOLDER}/{name}.db").outcomes():
        if step["check"] == "command":
            steps[step["target"]] = item
    return done, steps, ran_on(name)


def ran_on(name):
    with open(f"{FOLDER}/{name}.touched", encoding="utf-8") as file:
        return sorted(line.split(".")[0] for line in file.read().split())


def inventory():
    """What Slurm says is a hostfile, which the runs below go by."""
    made = assay("inventory", "slurm", "-o", f"{FOLDER}/inventory", cwd=FOLDER, SLURM_CONF=slurm.conf)
    with open(f"{FOLDER}/inventory", encoding="utf-8") as file:
        lines = [line for line in file.read().splitlines() if not line.startswith("#")]
    tap.same((made.returncode, lines),
             (0, ["defaults scheduler=slurm", f"node[1-2] address={namespaces.NETWORK}.[1-2] leaf=leaf1 label.partition=all",
                  f"node[3-4] address={namespaces.NETWORK}.[3-4] leaf=leaf2 label.partition=all"]),
             "inventory: nodes, addresses, leaves and partition of a real Slurm", made.stdout, made.stderr)
    for words in (["scontrol", "show", "nodes"], ["scontrol", "show", "topology"], ["sinfo", "-N", "-l"]):
        write(f"{FOLDER}/{words[0]}-{words[-1]}", slurm.ask(*words).stdout)
    saved = assay("inventory", "slurm", f"{FOLDER}/scontrol-topology", f"{FOLDER}/scontrol-nodes", f"{FOLDER}/sinfo--l")
    tap.same([line for line in saved.stdout.splitlines() if not line.startswith("#")], lines,
             "inventory: from saved outputs it is the same", saved.stdout, saved.stderr)
    with open(hostfile, encoding="utf-8") as file:
        access = [word for word in file.read().split() if word.split("=")[0] in ("user", "identity", "known_hosts", "port")]
    write(f"{FOLDER}/cluster", " ".join(["defaults", "platform=plain.json", "slots=1", *sorted(set(access))]) +
          "\n" + "\n".join(lines) + "\n")


def busy_nodes_are_left_alone():
    """One has a job, another an allocation in which nothing runs yet: it is its owner's all the same."""
    job, held_by = slurm.start_job(BUSY), slurm.allocate("node3")
    done, steps, ran = run("busy")
    others = {host.name for host in hosts.list} - {BUSY, "node3"}
    tap.same((done.returncode, (closing_lines(done.stdout) or {}).get("verdict")), (2, "incomplete"),
             "busy nodes: the run is incomplete, for they are owed", done.stdout, done.stderr)
    tap.same({name: item["outcome"] for name, item in steps.items()},
             {BUSY: "not run", "node3": "not run", **{name: "pass" for name in others}}, "busy nodes: they are not tested, the others are")
    cause = steps[BUSY]["cause"]
    tap.ok(f"Slurm job {job}" in cause and "root" in cause and "somebody" in cause, "a busy node: job, user and name are told",
           cause)
    tap.ok(f"Slurm job {held_by} of root" in steps["node3"]["cause"], "an allocation in which nothing runs yet: it is named",
           steps["node3"])
    tap.same(ran, sorted(others), "busy nodes: nothing was started on them")
    slurm.ask("scancel", job, held_by)
    tap.ok(wait_until(lambda: slurm.idle() == COUNT, 30), "busy nodes: the jobs are ended")


# -- Allocations of its own --

EXCLUSIVE = ("--exclusive-via", "slurm:--comment=acceptance", "--exclusive-wait")


def begin_beside_a_job(name):
    """A run of a while, in allocations, on a cluster of which one node is busy; goes on once the others were tested."""
    job = slurm.start_job(BUSY)
    write(f"{FOLDER}/{name}.touched", "")
    child = start(*words_of(name), *EXCLUSIVE, "5", SLURM_CONF=slurm.conf)
    others = sorted(host.name for host in hosts.list if host.name != BUSY)
    tap.ok(wait_until(lambda: ran_on(name) == others, 60), f"{name}: what is free is tested while the busy node is waited for",
           ran_on(name))
    return job, child, others


def name_of_jobs(name):
    return f"assay-{Report(f'{FOLDER}/{name}.db').json['run']['uuid']}"


def held(name):
    return [state for state in slurm.jobs(name).values() if state in ("PENDING", "RUNNING")]


def a_busy_node_is_waited_for():
    job = slurm.start_job(BUSY)
    done, steps, ran = run("limit", *EXCLUSIVE, "0.3")
    others = sorted(host.name for host in hosts.list if host.name != BUSY)
    tap.same((done.returncode, ran, {host for host, item in steps.items() if item["outcome"] == "pass"}), (2, others, set(others)),
             "a node that Slurm does not give: it is not tested, the others are", done.stdout, done.stderr)
    cause = steps[BUSY]["cause"]
    tap.ok(steps[BUSY]["outcome"] == "not run" and f"Slurm job {job} of root (somebody)" in cause and
           "has not given it to assay within 0.3 min" in cause, "a node that Slurm does not give: owner, job and limit are told", cause)
    tap.ok(f"Slurm has given 3 of 4 hosts; waiting for {BUSY}, at most " in done.stderr,
           "a node that Slurm does not give: that it is waited for is said", done.stderr)
    with open(f"{FOLDER}/limit.touched.jobs", encoding="utf-8") as file:
        inside = sorted(file.read().split("\n"))
    name = name_of_jobs("limit")
    tap.same(inside[1:], [f"{host} {name}" for host in others], "each test runs inside an allocation of that node for assay alone")
    tap.same(held(name), [], "in the end they are given back")
    refused = assay(*words_of("refused"), "--exclusive-via", "slurm:--partition=none", SLURM_CONF=slurm.conf)
    runs = assay("list", "--db", f"{FOLDER}/refused.db")
    tap.ok(refused.returncode == 64 and "invalid partition" in refused.stderr and "refused" not in runs.stdout and runs.returncode == 0,
           "what Slurm refuses is said before anything begins, and no run is kept", refused.stderr, runs.stdout)
    slurm.ask("scancel", job)
    wait_until(lambda: slurm.idle() == COUNT, 30)


def a_controller_that_died_leaves_its_allocations_to_resume():
    job, child, others = begin_beside_a_job("died")
    child.kill()
    child.wait()
    name = name_of_jobs("died")
    before = slurm.jobs(name)
    tap.same(sorted(before.values()), ["PENDING", *["RUNNING"] * len(others)], "a controller that died: its allocations are there")
    slurm.ask("scancel", job)
    done, steps, ran = ended("died", assay("run", "--resume", "1", "--db", f"{FOLDER}/died.db", "--progress", "none", "-o",
                                           f"{FOLDER}/died.html", SLURM_CONF=slurm.conf))
    tap.same((done.returncode, {item["outcome"] for item in steps.values()}, ran), (0, {"pass"}, sorted([BUSY, *others])),
             "a controller that died: resumed, the node that has become free is tested too, and no other again", done.stdout, done.stderr)
    tap.same((sorted(slurm.jobs(name)), held(name)), (sorted(before), []),
             "a controller that died: its allocations are taken up, and given back in the end")
    wait_until(lambda: slurm.idle() == COUNT, 30)


def a_cancelled_run_gives_them_back():
    job, child, _ = begin_beside_a_job("cancelled")
    child.send_signal(signal.SIGINT)
    tap.same((child.wait(60), held(name_of_jobs("cancelled"))), (130, []), "a cancelled run: all allocations are given back")
    slurm.ask("scancel", job)
    wait_until(lambda: slurm.idle() == COUNT, 30)


missing = [name for name in ("slurmctld", "slurmd", "salloc") if shutil.which(name) is None]
if missing:
    print(f"1..0 # SKIP not installed: slurm-wlm ({', '.join(missing)})")
    sys.exit(0)
write(f"{FOLDER}/{PLATFORM['name']}", json.dumps(PLATFORM))
command("ip", "link", "set", "lo", "up")
hosts = Hosts(COUNT, "1gbit")
hostfile = hosts.hostfile("hostfile", PLATFORM["name"])
slurm = Slurm(hosts, leaves=2, sharing="NO")
if tap.ok(slurm.begin(), "Slurm: its nodes are idle", slurm.log()):
    for story in (inventory, busy_nodes_are_left_alone, a_busy_node_is_waited_for,
                  a_controller_that_died_leaves_its_allocations_to_resume, a_cancelled_run_gives_them_back):
        story()
tap.end()
