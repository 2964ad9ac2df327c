# SPDX-License-Identifier: Apache-2.0
"""What `delivery` says of a fabric that is slow as a whole: pairs are as fast as ever, all together are not.

NVIDIA's and Microsoft's own fleets call 10% below their like a fail and 5% worth a look (superbenchmark's data-diagnosis.md,
gpu-fryer, ngc_multinode_perf): limit fraction_of_groups 0.9 of `delivery`, which remarks at half of that.
"""

import os

from cluster import FOLDER, Lab, Report, assay

# Per cent, and the word.
AIMS = ((0, "pass"), (5, "remark"), (10, "fail"))
STEPS = ("reachable", "mpi-launch", "nccl-all-gather-pairs", "nccl-all-gather-cluster")


def word_of(hosts, percent):
    """Of the bandwidth over all hosts beside that of its own pairs."""
    faults = [f"node{hosts // 2}:fabric-slow:{percent}"] if percent else []
    # What hundreds of logins and launches really take must fit into the deadlines, which the lab shortens by its speed.
    with Lab(f"slow-{hosts}-{percent}", hosts, faults, **({"speed": 60} if hosts > 64 else {})) as lab:
        database = os.path.join(FOLDER, f"slow-{hosts}-{percent}.db")
        done = assay("run", "-H", lab.hostfile, "-s", "delivery", "--steps", ",".join(STEPS), "--db", database, "--progress", "none",
                     "-o", os.path.join(FOLDER, f"slow-{hosts}-{percent}.html"))
    items = [item for step, item in Report(database).outcomes()
             if step["name"] == "nccl-all-gather-cluster" and item["metric"] == "nccl.all_gather.asymptotic"]
    if len(items) != 1:
        raise RuntimeError(f"{len(items)} items, exit status {done.returncode}: {done.stderr[-1000:]}")
    return "remark" if items[0]["remark"] and items[0]["outcome"] == "pass" else items[0]["outcome"]
