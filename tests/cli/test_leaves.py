# SPDX-License-Identifier: Apache-2.0
"""One slow uplink of a leaf: tests in the order of the hostfile pass over it, and the pairs of leaves name it.

usage: test_leaves.py ASSAY
"""

import json
import os

from cluster import FOLDER, Lab, Report, Tap, assay

HOSTS = 24  # three leaves of the lab
LEAVES = "nccl-all-gather-leaves"

tap = Tap()


def run(lab, name, steps):
    """Outcome of the bandwidths of each step, by who is tested."""
    database = os.path.join(FOLDER, f"{name}.db")
    done = assay("run", "-H", lab.hostfile, "-s", "delivery", "--steps", f"reachable,mpi-launch,{steps}", "--db", database, "--progress", "none",
                 "-o", os.path.join(FOLDER, f"{name}.html"))
    report = Report(database)
    words = {}
    for step, item in report.outcomes():
        if item["metric"].endswith("busbw") and step["origin"] == "suite":
            words.setdefault((step["name"], step["target"].rpartition(", ")[2]), set()).add(item["outcome"])
    return done, report, words


def leaves(words, outcome):
    return {target for (step, target), found in words.items() if step == LEAVES and outcome in found}


with Lab("healthy", HOSTS) as lab:
    done, report, words = run(lab, "healthy", LEAVES)
    tap.same(leaves(words, "pass"), {"leaves l1 and l2", "leaves l2 and l3", "leaves l3 and l1"},
             "each leaf is tested with both of its neighbours, and is well", words, done.stderr)
    members = next(step["members"] for step in report.steps if step["target"].endswith("leaves l1 and l2"))
    leaf_of = {f"node{i}": (i - 1) // 8 for i in range(1, HOSTS + 1)}
    tap.ok(all(leaf_of[a] != leaf_of[b] for a, b in zip(members, members[1:] + members[:1])) and len(members) == 16,
           "each host sends to the other leaf: every uplink carries load at once", members)
    plan = json.loads(assay("plan", "-H", lab.hostfile, "-s", "delivery", "--format", "json").stdout)
    reasons = [choice["reason"] for choice in plan["applies"] if choice["step"] == "nccl-all-gather-leaves"]
    tap.same(reasons, ["it needs 2 leaves, and the hostfile has 3"], "the plan says why")
    tap.ok(any("24 of 24 hosts send over the uplinks of their leaf" in note for note in plan["notes"]),
           "and counts which uplinks are loaded", plan["notes"])

with Lab("uplink", HOSTS, ["node9:uplink-slow"]) as lab:
    done, report, words = run(lab, "uplink", f"{LEAVES},nccl-all-reduce-cluster,nccl-all-gather-cluster")
    before = {found for (step, _), outcomes in words.items() for found in outcomes
              if step in ("nccl-all-reduce-cluster", "nccl-all-gather-cluster")}
    tap.same(before, {"pass"}, "one ring over all hosts passes over a slow uplink", words, done.stderr)
    tap.same((leaves(words, "fail"), leaves(words, "pass")), ({"leaves l1 and l2", "leaves l2 and l3"}, {"leaves l3 and l1"}),
             "leaf l2 fails with both of its neighbours, which pass with each other", words, done.stderr)
    tap.same(report.verdict, "reject", "and the run fails")
    tap.same([line for line in done.stdout.splitlines() if line.startswith("fix: ")],
             ["fix: leaf l2: check the uplinks of that leaf (ports that are down, errors, cables and transceivers), and the adapters of its "
              "hosts (rdma-pair), then test again; step by step: `assay repair slow-host`"],
             "what is to be fixed is that leaf, once")
    causes = {item["cause"].rpartition("; leaf ")[2] for _, item in report.outcomes() if item["outcome"] == "fail"}
    tap.same(causes, {"l2 is as slow with its other neighbour, leaf l1 is faster with its own",
                      "l2 is as slow with its other neighbour, leaf l3 is faster with its own"}, "leaf l2 is named")

# One slow adapter makes all tests of its leaf slow: what else was tested says that it is no uplink.
with Lab("adapter", HOSTS, ["node9:nic-slow:mlx5_2=30"]) as lab:
    for name, steps, culprit in (("pairs", f"privilege,ib-port,rdma-pair,{LEAVES}", "node9 mlx5_2"),
                                 ("search", f"nccl-all-gather-cluster,{LEAVES}", "node9")):
        done, report, words = run(lab, name, steps)
        tap.same((leaves(words, "fail"), leaves(words, "pass")), ({"leaves l1 and l2", "leaves l2 and l3"}, {"leaves l3 and l1"}),
                 f"{name}: leaf l2 fails with both of its neighbours", words, done.stderr)
        causes = [item["cause"] for step, item in report.outcomes() if item["outcome"] == "fail" and step["name"] == LEAVES]
        tap.ok(causes and all(f"so is its host {culprit} in tests of its own" in cause for cause in causes), f"{name}: the host is named in its place",
               causes)
        fixes = [line for line in done.stdout.splitlines() if line.startswith("fix: ")]
        tap.ok(len(fixes) == 1 and fixes[0].startswith("fix: node9") and "uplinks of that leaf" not in fixes[0],
               f"{name}: one thing is to be fixed, which is that host's", fixes)

tap.end()
