# SPDX-License-Identifier: Apache-2.0
"""usage: test_launch.py assay

mpi-launch over real hosts with real sshd and real mpirun between them: it starts on all of them, or names the host
that stops it.
"""

import json
import shutil
import socket
import sys

import namespaces
from cluster import FOLDER, Report, Tap, assay, closing_lines
from namespaces import MPI, NETWORK, Hosts, command, write
from slurm import Slurm

COUNT, BAD = 4, "node3"
PLATFORM = {"name": "plain.json", "title": "hosts without GPUs, taken for one GPU each", "source": "this test",
            "gpus": {"count": 1, "models": ["none"], "pci_ids": ["10de:2330"]}, "nvlink": {"links": 0},
            "nvswitch": False, "fabric_state": False, "driver_minimum": "525.60.13"}
OTHER = f"{NETWORK}.103"  # a second address of the bad host
SILENT = f"{NETWORK}.253"  # of somebody who takes connections and says nothing
LAUNCHER = {**MPI, "agent_arguments": ["-o", "BatchMode=yes", "-o", "ConnectTimeout=3"]}
SLURM_CONF = f"{FOLDER}/slurm.conf"
tap = Tap()


def run(story, hostfile, launcher=None):
    """The report of a run, its last lines, and the outcomes of the launch: {(metric, subject): item}."""
    suite = write(f"{FOLDER}/{story}.json", json.dumps({
        "name": story, "title": story, "purpose": "delivery",
        "environment": {"SLURM_CONF": SLURM_CONF}, "launcher": launcher or LAUNCHER,
        # What stands for nccl-tests here: a program that holds a library's version.
        "tools": {"all_reduce_perf": {"path": write(f"{FOLDER}/nccl", "#!/bin/sh\n# NCCL version 2.21.5+cuda12.4\n", 0o755)}},
        "steps": [{"check": "reachable"}, {"check": "mpi-launch", "scope": "cluster", "needs": ["reachable"]}]}))
    done = assay("run", "-H", hostfile, "-s", suite, "--db", f"{FOLDER}/{story}.db", "--progress", "none", "-o",
                 f"{FOLDER}/{story}.html")
    items = {(item["metric"], item["subject"]): item for step, item in Report(f"{FOLDER}/{story}.db").outcomes()
             if step["name"] == "mpi-launch"}
    return done, (closing_lines(done.stdout) or {}).get("verdict"), items


def bad(items, outcome):
    return {place for place, item in items.items() if item["outcome"] == outcome}


def with_address(story, address):
    """The hostfile, with another mpi_address of the bad host."""
    with open(hostfile, encoding="utf-8") as file:
        text = file.read().replace(f"mpi_address={NETWORK}.{BAD[4:]}\n", f"mpi_address={address}\n")
    return write(f"{hosts.folder}/{story}", text)


def it_starts_on_all():
    done, verdict, items = run("healthy", hostfile)
    tap.same((done.returncode, verdict, bad(items, "fail") | bad(items, "inconclusive")), (0, "accept", set()),
             "healthy hosts: a launch on 2 and on all 4 of them passes", done.stdout, done.stderr)
    tap.same({subject for metric, subject in items if metric == "launch.started"}, {host.name for host in hosts.list},
             "healthy hosts: each is known to have started")
    tap.same(hosts.processes(), [], "healthy hosts: nothing is left on any of them")


def nobody_answers():
    with socket.create_server((SILENT, 22)):
        done, verdict, items = run("silent", with_address("silent", SILENT))
    tap.same((verdict, bad(items, "fail")), ("reject", {("launch.login", BAD)}),
             "a silent sshd: the host is named, and no other", done.stdout, done.stderr)
    tap.ok("banner exchange" in items[("launch.login", BAD)]["cause"], "a silent sshd: that is what is said",
           items[("launch.login", BAD)])
    tap.same(items[("launch.hosts", "2 hosts")]["outcome"], "pass", "a silent sshd: the others are launched on")
    done, verdict, items = run("refused", with_address("refused", SILENT))
    tap.same((verdict, bad(items, "fail")), ("reject", {("launch.login", BAD)}),
             "nobody listens: the host is named, and no other", done.stdout, done.stderr)
    tap.ok("Connection refused" in items[("launch.login", BAD)]["cause"], "nobody listens: that is what is said",
           items[("launch.login", BAD)])


def its_key_is_unknown():
    done, verdict, items = run("unknown", with_address("unknown", OTHER))
    tap.same((verdict, bad(items, "fail")), ("incomplete", set()),
             "a host key that the head does not know: undecided, nobody is accused", done.stdout, done.stderr)
    tap.ok("Host key verification failed" in items[("launch.login", BAD)]["cause"] and
           "known_hosts" in items[("launch.login", BAD)]["remedy"], "an unknown host key: cause and remedy are said",
           items[("launch.login", BAD)])


def another_machine_answers():
    """Every test between hosts would be of that machine. Here it is one of the others, so that a rank for each is one too many."""
    done, verdict, items = run("another", with_address("another", f"{NETWORK}.4"))
    tap.same((verdict, {subject for metric, subject in bad(items, "fail") if metric != "launch.hosts"}), ("reject", {BAD}),
             "another machine at mpi_address: the host is named, and no other", done.stdout, done.stderr)
    tap.ok(f"at the mpi_address of {BAD} another machine answers" in items[("launch.machine", BAD)]["cause"] and
           "correct the host's mpi_address" in items[("launch.machine", BAD)]["remedy"],
           "another machine at mpi_address: cause and remedy are said", items[("launch.machine", BAD)])


def lacking_interfaces(items):
    return {subject for metric, subject in bad(items, "fail") if metric == "launch.interfaces"}


def an_interface_is_missing():
    spare = {**LAUNCHER, "oob_interfaces": ["eth0", "spare0"]}
    done, verdict, items = run("nowhere", hostfile, spare)
    tap.same((verdict, lacking_interfaces(items)), ("reject", {host.name for host in hosts.list}),
             "an interface that no host has: alike on all is not right", done.stdout, done.stderr)
    inside = ["nsenter", "-t", str(hosts.list[int(BAD[4:]) - 1].child.pid), "-n", "ip"]
    command(*inside, "link", "add", "name", "spare0", "type", "bridge")
    command(*inside, "addr", "add", "10.99.0.1/24", "dev", "spare0")
    done, verdict, items = run("somewhere", hostfile, spare)
    command(*inside, "link", "del", "dev", "spare0")
    tap.same((verdict, lacking_interfaces(items)), ("reject", {host.name for host in hosts.list} - {BAD}),
             "an interface that one host has: the others are named", done.stdout, done.stderr)


def slurm_starts_on_all():
    if shutil.which("slurmctld") is None or shutil.which("slurmd") is None:
        tap.skip("Slurm: a launch by srun", "Slurm is not installed")
        return
    tap.ok(Slurm(hosts).begin(), "Slurm: its nodes are idle")
    done, verdict, items = run("slurm", hostfile, {"kind": "srun"})
    tap.same((done.returncode, verdict, bad(items, "fail") | bad(items, "inconclusive")), (0, "accept", set()),
             "Slurm: a launch by srun on 2 and on all 4 hosts passes", done.stdout, done.stderr)
    tap.ok(("launch.mpi", "node1") not in items and ("launch.started", "node4") in items,
           "Slurm: of mpirun nothing is owed", sorted(items))


write(f"{FOLDER}/{PLATFORM['name']}", json.dumps(PLATFORM))
command("ip", "link", "set", "lo", "up")
hosts = Hosts(COUNT, "1gbit")
hostfile = hosts.hostfile("hostfile", PLATFORM["name"])
command("ip", "addr", "add", f"{SILENT}/24", "dev", "switch0")
command("nsenter", "-t", str(hosts.list[int(BAD[4:]) - 1].child.pid), "-n", "ip", "addr", "add", f"{OTHER}/24", "dev", "eth0")
for story in (it_starts_on_all, nobody_answers, its_key_is_unknown, another_machine_answers, an_interface_is_missing, slurm_starts_on_all):
    if len(sys.argv) < 3 or sys.argv[2] in story.__name__:
        story()
tap.end()
