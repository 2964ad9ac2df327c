# SPDX-License-Identifier: Apache-2.0
"""Healthy hosts are accepted by `delivery`, and nothing is remarked; `scripts/bench sizes` does all platforms at more hosts.

usage: test_healthy.py ASSAY SOURCE [all]

Two hosts of the H100, a tray of the GB200; `all`: one and two hosts of every built-in platform.
"""

import json
import os
import re
import sys

from cluster import FOLDER, Tap, assay
from healthy import PLATFORMS, deliver

tap = Tap()
built_in = {name[:-5] for name in os.listdir(os.path.join(sys.argv[2], "suites", "platforms"))}
tap.same(set(PLATFORMS), built_in - {"atlas-800t-a2"}, "each built-in platform of GPUs is tried, and no other")
ALL = sys.argv[3:] == ["all"]
SOME = {"hgx-h100": (2,), "gb200-nvl72": (1,)}  # one host owes no test across hosts
HOSTS = {platform: (1, 2) for platform in PLATFORMS} if ALL else SOME
for platform, numbers in HOSTS.items():
    for hosts in numbers:
        done, report, found = deliver(platform, hosts)
        gates = report.outcomes()
        tap.same((done.returncode, report.verdict, dict(found)), (0, "accept", {}),
                 f"{hosts} healthy hosts of {platform} are accepted and nothing is remarked", done.stderr)
        tap.ok(len(gates) > 150 * hosts and {item["outcome"] for _, item in gates} == {"pass"},
               f"{hosts} of {platform}: every gate passes, and there are gates", len(gates))
        tap.ok({step["name"] for step in report.steps} >= {"gpu-burn", "dcgm-diag", "p2p-bandwidth", "nccl-all-reduce", "ecc-after"}
               and (hosts == 1 or any(step["name"] == "nccl-all-gather-cluster" for step in report.steps)),
               f"{hosts} of {platform}: GPUs, links and fabric were loaded")

# A clause that nothing is judged by would have the run refused.
done, report, found = deliver("hgx-h100", 2, by_draft=True)
others = {item["metric"] for _, item in report.outcomes() if item["status"] != "contract"}
with open(os.path.join(FOLDER, "hgx-h100-2-by-draft.json"), encoding="utf-8") as file:
    told = set(re.findall(r"[a-z][a-z0-9_.]+[a-z0-9_]", json.load(file)["note"]))
tap.same((done.returncode, report.verdict, dict(found)), (0, "accept", {}), "two healthy hosts are accepted by the contract that `contract init` writes",
         done.stderr)
tap.ok(len(others) <= 25 and not others - told, "every gate is judged by one of its clauses, but for those that its note names", len(others), others - told)
carried = [item["value"] for step, item in report.outcomes("record") if item["metric"] == "window.ib.bytes" and step["name"] == "nccl-all-gather-cluster"]
tap.ok(len(carried) == 1 and carried[0] and float(carried[0]) > 16 * 2 ** 30, "what each host's adapters carried at least is told, for a contract", carried)

# What the run of two hosts measured of the cluster is what `assay worth` goes by.
asked = assay("worth", "--db", os.path.join(FOLDER, "hgx-h100-2-.db"), "-N", "8B", "-D", "1T", "-t", "tf32", "-f", "json")
worth = json.loads(asked.stdout or "{}")
tap.same((asked.returncode, worth.get("gpus", {}).get("value"), {key: (one["origin"], one["gpus"]) for key, one in worth.get("inputs", {}).items()}),
         (0, 16, {"gemm": ("measured", 16), "hbm": ("not measured", None), "reduce_scatter": ("measured", 16), "all_gather": ("measured", 16),
                  "power": ("measured", 16), "memory": ("measured", 16)}), "what a training takes is told by what was measured", asked.stderr)
tap.ok(200 < worth["inputs"]["gemm"]["value"] < worth["inputs"]["gemm"]["median"] < 494.7 and 500 < worth["inputs"]["power"]["value"] < 750,
       "the slowest GPU counts, and the power under load", worth["inputs"])
bare = assay("worth", "--db", os.path.join(FOLDER, "hgx-h100-2-.db"), "-N", "8B", "-D", "1T")
tap.ok(bare.returncode == 64 and "bf16 GEMM rate was not measured" in bare.stderr, "a burn is no rate of bf16", bare.stderr)
tap.end()
