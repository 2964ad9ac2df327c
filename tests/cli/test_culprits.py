# SPDX-License-Identifier: Apache-2.0
"""Who is to blame is said where the run proves it, once, and by what was measured: not in pairs, not by a number that nvidia-smi gave
to another GPU, and not by a limit that was met.

usage: test_culprits.py ASSAY
"""

import os
import re

import delivery
from cluster import Lab, Report, Tap, assay

tap = Tap()


def fixes(done):
    """What is to be fixed, a line each: "node2 mlx5_3 (by tests across hosts): ..."."""
    return re.findall(r"^fix: (.*)$", done.stdout, re.M)


def carried_out(lab, suite):
    database = os.path.join(lab.folder, "run.db")
    done = assay("run", "-H", lab.hostfile, "-s", lab.write("suite.json", suite), "--db", database, "--progress", "none",
                 "-o", os.path.join(lab.folder, "run.html"))
    return done, Report(database), database


def full(database):
    return re.sub(r"\s+", " ", assay("show", "--full", "--db", database).stdout)


# Two hosts drop out before the collectives, and of the two that are left one is slow: only pairs with others tell which.
with Lab("slow", 4, ["node3:ecc-uncorrected:5", "node2:nic-slow:mlx5_3", "node4:dcgm:2"]) as lab:
    done, report, database = carried_out(lab, delivery.part("slow", "dcgm-diag", "rdma-pair", "rdma-gpudirect",
                                                             "nccl-all-gather-pairs", "nccl-all-gather-cluster", "pcie-link"))
    across = [line for line in fixes(done) if not line.startswith(("node3", "node4"))]
    tap.same([line.split(":")[0] for line in across], ["node2 mlx5_3 (by tests across hosts)"],
             "a slow adapter is one fault of its host, with all tests that it slows", done.stdout, done.stderr)
    text = full(database)
    tap.ok(re.search(r"required \S+ 384 Gb/s; slow with node\[.*?\], each of which is fast with others; named by \d+ measurements", text) and
           not re.search(r"rdma.write.bandwidth[^;:]*(360|>= 38[0-35-9])", text),
           "it says by what it is known, and one limit everywhere", text[:4000])
    tap.same({host: report.verdict_of(f"node{host}") for host in (1, 2)}, {1: "accept", 2: "reject"},
             "the host is rejected, and the one that was tested with it is not", done.stdout)
    tap.ok("answer: 1 of 4 hosts is OK. Fix 3 faults.\n" in done.stdout, "the answer counts it once", done.stdout)
    tap.ok("those that were slow were of two hosts" in text, "the report says why nothing was searched", text[-3000:])
    made = assay("acceptance", "create", "culprits", "-H", lab.hostfile, "-s", os.path.join(lab.folder, "suite.json"), "--db", database)
    assay("acceptance", "add", "culprits", "1", "--db", database)
    status = re.sub(r"\s+", " ", assay("acceptance", "status", "culprits", "--db", database).stdout)
    tap.ok("because of node2 mlx5_3, which the pairs of that run show to be slow" in status and
           "when node2 is fixed" in status,
           "an acceptance says in words who it is", made.stderr, status)

# Nobody else is there to tell which of two is slow: then neither has passed.
with Lab("two", 2, ["node2:nic-slow:mlx5_3"]) as lab:
    done, report, database = carried_out(lab, delivery.part("two", "rdma-pair"))
    tap.same({host: report.verdict_of(f"node{host}") for host in (1, 2)}, {1: "incomplete", 2: "incomplete"},
             "of a pair that nothing explains neither host is cleared", done.stdout, done.stderr)
    tap.ok("answer: 0 of 2 hosts are OK. Fix 1 fault.\n" in done.stdout, "and neither counts as OK", done.stdout)

with Lab("parts", 4, ["node2:gpu-missing:4", "node1:module-hot:mlx5_1", "node4:sel-psu"]) as lab:
    done, report, database = carried_out(lab, delivery.part("parts", "ib-phy", *delivery.asks()))
    lines = fixes(done)
    tap.same(sorted(line.split(":")[0].split(",")[0].split(" ")[0] for line in lines), ["node1", "node2", "node4"],
             "three faults are three: a lost GPU, a hot module, a power supply", done.stdout, done.stderr)
    lost = next(line for line in lines if line.startswith("node2"))
    tap.ok("0000:9d:00.0" in lost and "module 5 of the baseboard" in lost, "a missing GPU is named by address and place", lost)
    tap.ok("settle" not in done.stdout, "no number that no GPU has is an open point", done.stdout)
    hot = [item for step, item in report.outcomes() if step["name"] == "ib-phy" and item["outcome"] == "fail"]
    tap.same([(item["subject"], item["measured"], item["gate"]) for item in hot], [("mlx5_1/1", "78 C", "module.temperature <= 75 C")],
             "a hot module tells its temperature and its own threshold", done.stdout)
    tap.ok("gates module.temperature <= 75 C (tool: the threshold that the module itself tells): mlx5_1/1" in full(database),
           "and so does the row of its gate")

tap.end()
