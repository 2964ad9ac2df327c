# SPDX-License-Identifier: Apache-2.0
"""Two hosts lose a GPU each in one test across four: both fail, and neither a waiver nor a repair of another host settles that.
Where more went wrong than is told, all of whom something was to be said fail, and nobody else.

usage: test_blamed.py ASSAY
"""

import json
import os
import re

from cluster import FOLDER, Lab, Report, Tap, assay

SUITE = {"name": "blamed", "title": "Blamed", "purpose": "delivery", "platform": "hgx-h100",
         "steps": [{"check": "reachable"}, {"check": "gpu-inventory"}, {"check": "mpi-launch", "scope": "cluster"},
                   {"name": "all", "check": "nccl-all-gather", "scope": "cluster", "arguments": {"begin": "8G", "end": "8G"},
                    "sizes_judged": ["8G"]}]}

tap = Tap()
database = os.path.join(FOLDER, "blamed.db")
suite = os.path.join(FOLDER, "blamed.json")
with open(suite, "w", encoding="ascii") as file:
    json.dump(SUITE, file)


def waive(host):
    return assay("waive", "1", "--db", database, "--host", host, "--check", "all", "--who", "Chen", "--why", "known", "--until", "2099-01-01")


def settled():
    """What the campaign says of the test: its state, and who has yet to be repaired."""
    lines = [line for line in assay("acceptance", "status", "c", "--db", database).stdout.splitlines() if ": all on 4 hosts" in line]
    return [(line.split(":")[0], re.findall(r"repair or swap of (\S+)", line)) for line in lines]


with Lab("blamed", 4, ["node1:xid-cluster:2=79", "node3:xid-cluster:5=79"]) as lab:
    done = assay("run", "-H", lab.hostfile, "-s", suite, "--db", database, "--progress", "none", "-o", os.path.join(FOLDER, "b.html"))
    report = Report(database)
    tap.same({f"node{i}": report.verdict_of(f"node{i}") for i in range(1, 5)},
             {"node1": "reject", "node2": "accept", "node3": "reject", "node4": "accept"},
             "each of the two hosts fails, and no other", done.stdout, done.stderr)
    tap.ok(any("node[1,3]" in line and "at fault in tests across hosts" in line for line in done.stdout.splitlines()), "the recap says by what",
           done.stdout)
    fixes = [line for line in done.stdout.splitlines() if line.startswith("fix: ")]
    tap.ok(len(fixes) == 1 and fixes[0].startswith("fix: node[1,3] ") and "follow the action of the line" in fixes[0],
           "the fault names both, and what to do about an Xid", fixes)
    tap.ok(waive("node2").returncode == 64, "what is about others is not waived for a host")
    refused = waive("node1")
    tap.ok(refused.returncode == 64 and "by others of its hosts" in refused.stderr, "nor for one of two", refused.stderr)
    created = assay("acceptance", "create", "c", "-H", lab.hostfile, "-s", suite, "--db", database)
    added = assay("acceptance", "add", "c", "1", "--db", database)
    tap.same(settled(), [("failed", ["node1"])], "in a campaign it has failed until the first of them is repaired", created.stderr, added.stderr)
    repaired = assay("acceptance", "event", "c", "repair", "node2", "--db", database)
    tap.same((repaired.stderr, settled()), ("", [("failed", ["node1"])]), "a repair of a host that it is not about settles nothing",
             repaired.stdout)
    assay("acceptance", "event", "c", "repair", "node1", "--db", database)
    tap.same(settled(), [("failed", ["node3"])], "nor does that of one of the two")
    assay("acceptance", "event", "c", "repair", "node3", "--db", database)
    tap.same(settled(), [("to be retested", [])], "when both were repaired it is to be retested")



def units():
    """The verdict of each unit, by what the campaign says."""
    return dict(re.findall(r"^unit: (\w+): ([\w ]+) \(", assay("acceptance", "status", "u", "--db", database).stdout, re.M))


with Lab("units", 4, ["node3:xid-cluster:5=79"]) as lab:
    database = os.path.join(FOLDER, "units.db")
    with open(lab.hostfile, encoding="utf-8") as file:
        lines = file.read()
    with open(lab.hostfile, "w", encoding="utf-8") as file:
        file.write(re.sub(r"^(node[34] .*)unit=su1", r"\1unit=su2", lines, flags=re.M))
    done = assay("run", "-H", lab.hostfile, "-s", suite, "--db", database, "--progress", "none", "-o", os.path.join(FOLDER, "u.html"))
    tap.same({row["name"]: row["verdict"] for row in Report(database).json["verdicts"] if row["scope"] == "unit"},
             {"su1": "accept", "su2": "reject"}, "the unit of the host at fault fails", done.stdout, done.stderr)
    assay("acceptance", "create", "u", "-H", lab.hostfile, "-s", suite, "--db", database)
    assay("acceptance", "add", "u", "1", "--db", database)
    tap.same(units(), {"su1": "accept", "su2": "reject"}, "in a campaign as well")
    assay("acceptance", "event", "u", "repair", "node3", "--db", database)
    tap.same(units(), {"su1": "accept", "su2": "incomplete"}, "until that host was repaired: then it is to be retested")

with Lab("ports", 3, [f"node2:link-flap:mlx5_{hca}" for hca in (1, 2, 5)]) as lab:
    again = os.path.join(FOLDER, "again.json")
    with open(again, "w", encoding="ascii") as file:
        json.dump(SUITE | {"steps": [SUITE["steps"][0], *SUITE["steps"][2:], SUITE["steps"][3] | {"name": "again"}]}, file)
    done = assay("run", "-H", lab.hostfile, "-s", again, "--db", os.path.join(FOLDER, "p.db"), "--progress", "none",
                 "-o", os.path.join(FOLDER, "p.html"))
    fixes = [line for line in done.stdout.splitlines() if line.startswith("fix: ")]
    tap.ok("failed 2 (all, again)" in done.stdout and len(fixes) == 1 and fixes[0].startswith("fix: node2 mlx5_1, mlx5_2, mlx5_5: "),
           "three ports of one host that two tests find are one fault", done.stdout, done.stderr)

with Lab("noisy", 7, [f"node{i}:link-flap:mlx5_{hca}" for i in range(1, 5) for hca in range(8)] + ["node5:link-flap:mlx5_3"]) as lab:
    noisy = os.path.join(FOLDER, "noisy.db")
    done = assay("run", "-H", lab.hostfile, "-s", suite, "--db", noisy, "--progress", "none", "-o", os.path.join(FOLDER, "n.html"))
    report = Report(noisy)
    tap.same([report.verdict_of(f"node{i}") for i in range(1, 8)], ["reject"] * 5 + ["accept"] * 2,
             "where more links flapped than are told, all whose links did fail, and the others have passed", done.stdout)
    causes = [item["cause"] for _, item in report.outcomes() if item["metric"] == "window.links"]
    tap.ok(len(causes) == 1 and re.search(r"; and more of node(5|\[\d[\d,-]*5\])", causes[0]), "who they are is told", causes)

with Lab("loud", 10, [f"node{i}:xid-cluster:{gpu}=79" for i in range(1, 10) for gpu in range(8)]) as lab:
    loud = os.path.join(FOLDER, "loud.db")
    done = assay("run", "-H", lab.hostfile, "-s", suite, "--db", loud, "--progress", "none", "-o", os.path.join(FOLDER, "l.html"))
    report = Report(loud)
    tap.same([report.verdict_of(f"node{i}") for i in range(1, 11)], ["reject"] * 9 + ["accept"],
             "where more GPUs are complained of than are told, so do all of whom something was to be said", done.stdout)

with Lab("unread", 4, ["node2:link-flap:mlx5_1", "node3:hca-missing:mlx5_4"]) as lab:
    unread, alone = os.path.join(FOLDER, "unread.db"), os.path.join(FOLDER, "alone.json")
    with open(alone, "w", encoding="ascii") as file:  # who is slow is not searched for: that would name the host anyway
        json.dump(SUITE | {"steps": [SUITE["steps"][0], SUITE["steps"][3] | {"isolate": False}]}, file)
    done = assay("run", "-H", lab.hostfile, "-s", alone, "--db", unread, "--progress", "none", "-o", os.path.join(FOLDER, "r.html"))
    report = Report(unread)
    causes = [item["cause"] for _, item in report.outcomes() if item["metric"] == "window.links"]
    tap.ok(len(causes) == 1 and "node2 mlx5_1/1: 1; not known of node3" in causes[0], "whose ports could not be read is told", causes)
    tap.same([report.verdict_of(f"node{i}") for i in range(1, 5)], ["accept", "reject", "incomplete", "accept"],
             "and that host has not passed", done.stdout)

with Lab("down", 2, ["node2:link-down:mlx5_2"]) as lab:
    down, ports = os.path.join(FOLDER, "down.db"), os.path.join(FOLDER, "ports.json")
    with open(ports, "w", encoding="ascii") as file:
        json.dump(SUITE | {"steps": [SUITE["steps"][0], {"check": "ib-port"}]}, file)
    done = assay("run", "-H", lab.hostfile, "-s", ports, "--db", down, "--progress", "none", "-o", os.path.join(FOLDER, "d.html"))
    report = Report(down)
    rates = [item["outcome"] for _, item in report.outcomes() if item["metric"] == "ib.rate" and item["outcome"] != "pass"]
    tap.same((rates, [line for line in done.stdout.splitlines() if line.startswith("answer: ")]),
             (["inconclusive"], ["answer: 1 of 2 hosts is OK. Fix 1 fault."]), "the rate that a port has not while it is down is no point of its own",
             done.stdout, done.stderr)
tap.end()
