# SPDX-License-Identifier: Apache-2.0
"""usage: test_line.py ASSAY

Lines between real hosts (namespaces.py) with real iperf3 and ping: what the kernel lets a host send, loses on its way, or lets
vanish because it is too large, is what the check `line` says of it; and of nobody else.
"""

import json
import shutil
import subprocess
import sys

import namespaces
from cluster import FOLDER, Report, Tap, assay
from namespaces import Hosts, command, write

RATE, SLOW, ONE_OF = 200, 50, 10  # Mbit/s, Mbit/s; so many packets, of which one is lost
PORTS = (5311, 5312)  # of servers that others run
MTU = 1400  # of node4's port on the switch: its own end still says 1500
PLATFORM = {"name": "plain.json", "title": "hosts without GPUs, taken for one GPU each", "source": "this test",
            "gpus": {"count": 1, "models": ["none"], "pci_ids": ["10de:2330"]}, "nvlink": {"links": 0},
            "nvswitch": False, "fabric_state": False, "driver_minimum": "525.60.13"}
LIMITS = [{"metric": "line.bandwidth", "floor": 0.5 * RATE / 1000, "unit": "Gb/s", "source": "this test", "status": "contract"},
          {"metric": "line.loss", "ceiling": 1, "unit": "%", "source": "this test", "status": "contract"}]

tap = Tap()
missing = [name for name in ("iperf3", "ping") if shutil.which(name) is None]
if missing:
    print(f"1..0 # SKIP not installed: {', '.join(missing)}")
    sys.exit(0)


def run(name, members):
    """Lines of the pairs next to each other of these hosts, as a ring."""
    suite = write(f"{FOLDER}/{name}.json", json.dumps({"name": name, "title": name, "purpose": "trial", "steps": [
        {"check": "reachable"},
        {"check": "line", "scope": "pair", "needs": ["reachable"], "retries": 0, "limits": LIMITS,
         "arguments": {"seconds": 1, "pings": 20, "streams": 4}}]}))
    done = assay("run", "-H", hostfile, "-s", suite, "--db", f"{FOLDER}/{name}.db", "--progress", "none", "--hosts", members,
                 "-o", f"{FOLDER}/{name}.html")
    if "run:" not in done.stdout:
        raise RuntimeError(done.stderr)
    return done, Report(f"{FOLDER}/{name}.db")


def found(report, metric):
    """{pair: [measured]} of the gates and of what is recorded."""
    told = {}
    for duty in ("gate", "record"):
        for step, item in report.outcomes(duty):
            if item["metric"] == metric and item["measured"]:
                told.setdefault(step["target"], []).append(item["measured"])
    return told


def numbers(report, metric):
    return {pair: [float(word.split()[0]) for word in words] for pair, words in found(report, metric).items()}


def bad(report):
    """Which metrics of which pairs failed."""
    return {(step["target"], item["metric"]) for step, item in report.outcomes() if item["outcome"] != "pass"}


def pair(a, b):
    return f"2 hosts: node[{a}{'-' if b == a + 1 else ','}{b}]"


hosts = Hosts(4, f"{RATE}mbit")
by_name = {host.name: host for host in hosts.list}
write(f"{FOLDER}/{PLATFORM['name']}", json.dumps(PLATFORM))
hostfile = hosts.hostfile("hostfile", PLATFORM["name"])

done, report = run("healthy", "node1,node2,node3")
rates = numbers(report, "line.bandwidth")
tap.same((done.returncode, bad(report)), (0, set()), "healthy lines pass", done.stdout, done.stderr)
# The sender counts what it hands to the kernel, which keeps some of it: of a test of seconds a good share. Unshaped it would be Gbit/s.
tap.ok(len(rates) >= 2 and all(0.7 * RATE < 1000 * value < 1.5 * RATE for values in rates.values() for value in values),
       "what a line carries is what the kernel lets it carry", rates)
tap.ok(all(values == ["1500"] for values in found(report, "line.mtu").values()) and
       all(values == ["yes"] for values in found(report, "line.whole").values()), "packets of the interface's size arrive",
       found(report, "line.mtu"), found(report, "line.whole"))

by_name["node2"].shape(f"{SLOW}mbit")
done, report = run("slow", "node1,node2,node3")
tap.same({target for target, metric in bad(report) if metric == "line.bandwidth"}, {pair(1, 2), pair(2, 3)},
         "a host that sends slowly is in both lines that fail", done.stdout, numbers(report, "line.bandwidth"))
by_name["node2"].shape(f"{RATE}mbit")

# Ends that nobody logs in to: node2 serves on two ports as if it were elsewhere, and is in no hostfile of that run.
servers = [subprocess.Popen(["nsenter", "-t", str(by_name["node2"].child.pid), "-n", "iperf3", "-s", "-p", str(port)], stdout=subprocess.DEVNULL)
           for port in PORTS]
there = by_name["node2"].address
ends = [f" line.archive={there}:{PORTS[0]}", f" line.archive={there}:{PORTS[0]} line.other={there}", ""]
with open(hostfile, encoding="utf-8") as file:
    lines = [line for line in file.read().splitlines() if not line.startswith("node2 ")]
declared = write(f"{FOLDER}/declared", "".join(
    line + "".join(end for i, end in zip((1, 3, 4), ends) if line.startswith(f"node{i} ")) + "\n" for line in lines))
suite = write(f"{FOLDER}/declared.json", json.dumps({"name": "declared", "title": "declared", "purpose": "trial", "steps": [
    {"check": "reachable"},
    {"check": "line", "scope": "host", "by": "line", "exclusive": "fabric", "needs": ["reachable"], "when": {"lines": True}, "retries": 0,
     "limits": LIMITS, "arguments": {"seconds": 1, "pings": 20, "streams": 4, "port": PORTS[1]}}]}))
done = assay("run", "-H", declared, "-s", suite, "--db", f"{FOLDER}/declared.db", "--progress", "none", "-o", f"{FOLDER}/declared.html")
report = Report(f"{FOLDER}/declared.db")
told = [(step["target"], step["variant"], float(item["measured"].split()[0]))
        for step, item in report.outcomes() if item["metric"] == "line.bandwidth"]
tap.same((done.returncode, {(target, line) for target, line, _ in told}),
         (0, {("node1, archive", "archive"), ("node3, archive", "archive"), ("node3, other", "other")}),
         "each declared line is measured, by its own port or the step's, from the hosts that declare it", done.stdout, done.stderr)
tap.ok(told and all(0.7 * RATE < 1000 * value < 1.5 * RATE for _, _, value in told), "it carries what the kernel lets it carry", told)
servers[0].terminate()
servers[0].wait()
done = assay("run", "-H", declared, "-s", suite, "--db", f"{FOLDER}/gone.db", "--progress", "none", "-o", f"{FOLDER}/gone.html")
open_ones = {(step["target"], step["variant"]) for step, item in Report(f"{FOLDER}/gone.db").outcomes() if item["outcome"] != "pass"}
tap.ok(done.returncode == 2 and {variant for _, variant in open_ones} == {"archive"} and "Connection refused" in done.stdout,
       "a server that is gone leaves its line undecided, and no other", done.stdout, open_ones)
servers[1].terminate()
servers[1].wait()

# An end that is the host itself.
itself = by_name["node3"]
command("nsenter", "-t", str(itself.child.pid), "-n", "ip", "link", "set", "lo", "up")
server = subprocess.Popen(["nsenter", "-t", str(itself.child.pid), "-n", "iperf3", "-s", "-p", str(PORTS[1])], stdout=subprocess.DEVNULL)
own = write(f"{FOLDER}/itself", "".join(line + (f" line.archive={itself.address}" if line.startswith("node3 ") else "") + "\n" for line in lines))
done = assay("run", "-H", own, "-s", suite, "--db", f"{FOLDER}/itself.db", "--progress", "none", "-o", f"{FOLDER}/itself.html")
tap.ok(done.returncode == 2 and f"both ends of the line are this host, by address {itself.address}" in done.stdout,
       "a line from a host to itself is none", done.stdout, done.stderr)
server.terminate()
server.wait()

LOSSY = "packets that are lost are counted on the line that loses them"
if shutil.which("nft") is None:
    tap.skip(LOSSY, "not installed: nftables")
else:
    command("nsenter", "-t", str(by_name["node3"].child.pid), "-n", "nft", "add table ip lossy; add chain ip lossy input "
            f"{{ type filter hook input priority 0; }}; add rule ip lossy input ip protocol icmp numgen inc mod {ONE_OF} 0 drop")
    done, report = run("lossy", "node1,node2,node3")
    lost = numbers(report, "line.loss")
    tap.ok((pair(2, 3), "line.loss") in bad(report) and abs(lost[pair(2, 3)][0] - 100 / ONE_OF) < 6 and lost[pair(1, 2)] == [0.0],
           LOSSY, lost, done.stdout)

command("ip", "link", "set", by_name["node4"].port, "mtu", str(MTU))
done, report = run("hole", "node1,node2,node4")
whole = found(report, "line.whole")
tap.ok(whole[pair(1, 2)] == ["yes"] and whole[pair(2, 4)] == ["lost"], "large packets that vanish are named, on the line where they do",
       whole, done.stdout)
tap.same(hosts.processes("iperf3"), [], "no server is left on any host")
tap.same(hosts.spools(), [], "nor anything else")
tap.end()
