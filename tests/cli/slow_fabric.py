# SPDX-License-Identifier: Apache-2.0
"""What `delivery` says of a fabric that is slow as a whole: pairs are as fast as ever, all together are not.

NVIDIA's and Microsoft's own fleets call 10% below their like a fail and 5% worth a look (superbenchmark's data-diagnosis.md,
gpu-fryer, ngc_multinode_perf): limit fraction_of_groups 0.9 of `delivery`, which remarks at half of that.
"""

import json
import os

from cluster import FOLDER, Lab, Report, assay

# Per cent, and the word.
AIMS = ((0, "pass"), (5, "remark"), (10, "fail"))
STEPS = ("reachable", "mpi-launch", "nccl-all-gather-pairs", "nccl-all-gather-cluster")
PLATFORMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "suites", "platforms")


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


def name_adapters(lab, profile):
    """A platform file of the site's own, which names the adapters that the built-in one does not, for the lab's hostfile."""
    with open(os.path.join(PLATFORMS, f"{profile}.json"), encoding="utf-8") as file:
        known = json.load(file)
    hcas = {"names": [f"mlx5_{i}" for i in range(known["hcas"]["count"])], "gbits": known["hcas"]["gbits"]}
    named = lab.write("site.json", {**known, "name": "site", "like": profile, "$schema": "", "hcas": hcas})
    with open(lab.hostfile, encoding="utf-8") as file:
        hosts = file.read()
    with open(lab.hostfile, "w", encoding="utf-8") as file:
        file.write(hosts.replace(f"platform={profile}", f"platform={named}"))


def words_of_ports(hosts, percent, profile="hgx-b300"):
    """Of each port between two hosts, where all of the fabric is so slow alike; of a platform for which no cloud has a limit."""
    # In a ring of an even number of hosts every pair has one of these.
    faults = [f"node{number}:fabric-slow-all:{percent}" for number in range(1, hosts + 1, 2)] if percent else []
    with Lab(f"even-{hosts}-{percent}", hosts, faults, profile=profile) as lab:
        name_adapters(lab, profile)
        database = os.path.join(FOLDER, f"even-{hosts}-{percent}.db")
        assay("run", "-H", lab.hostfile, "-s", "delivery", "--steps", "reachable,mpi-launch,rdma-pair", "--db", database, "--progress", "none",
              "-o", os.path.join(FOLDER, f"even-{hosts}-{percent}.html"))
    return ["remark" if item["remark"] and item["outcome"] == "pass" else item["outcome"]
            for _, item in Report(database).outcomes() if item["metric"] == "rdma.write.bandwidth"]
