# SPDX-License-Identifier: Apache-2.0
"""The check nvbandwidth with all its tests: healthy hosts, slow links, and no tool.

usage: test_nvbandwidth.py ASSAY
"""

import json
import os

from cluster import FOLDER, Lab, Report, Tap, assay

tap = Tap()


def run(lab, suite):
    database = os.path.join(lab.folder, "assay.db")
    done = assay("run", "-H", lab.hostfile, "-s", suite, "--db", database, "--progress", "none",
                 "-o", os.path.join(lab.folder, "report.html"))
    return done, Report(database)


def bad(report, outcome):
    return {(step["target"], item["subject"]) for step, item in report.outcomes() if item["outcome"] == outcome}


suite = os.path.join(FOLDER, "nvbandwidth.json")
with open(suite, "w", encoding="utf-8") as file:
    json.dump({"name": "copies", "title": "Copies by nvbandwidth", "purpose": "delivery",
               "steps": [{"check": "reachable"}, {"check": "nvbandwidth", "needs": ["reachable"]}]}, file)

for profile in ("hgx-a100", "hgx-h100", "hgx-h200"):
    with Lab(profile, 1, profile=profile) as lab:
        done, report = run(lab, suite)
        gates = [item for step, item in report.outcomes() if item["metric"].startswith("nvbandwidth.")]
        tap.same((report.verdict, len(gates)), ("accept", 8 + 8 + 56), f"{profile}: every copy is judged and passes",
                 done.stderr)

with Lab("slow", 3, ["node1:pcie-width:5=4", "node2:p2p:2-6=45", "node3:tool-missing:nvbandwidth"]) as lab:
    done, report = run(lab, suite)
    tap.same((done.returncode, report.verdict), (1, "reject"), "slow links are rejected", done.stderr)
    tap.same(bad(report, "fail"), {("node1", "cpu0->gpu5"), ("node1", "cpu0<-gpu5"), ("node2", "gpu2->gpu6"),
                                   ("node2", "gpu6->gpu2")}, "each at its GPUs, and no other")
    missing = [item for step, item in report.outcomes() if step["target"] == "node3" and step["name"] == "nvbandwidth"]
    tap.ok(len(missing) > 72 and all(item["outcome"] == "inconclusive" for item in missing),
           "without the tool nothing is decided", {item["outcome"] for item in missing})

tap.end()
