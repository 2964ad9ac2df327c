# SPDX-License-Identifier: Apache-2.0
"""The check nvbandwidth with all its tests: healthy hosts, slow links, no tool, and a driver that knows of no NVLink.

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

# As on a GPU alone in a virtual machine: nvidia-smi nvlink prints nothing and exits with 0.
several = os.path.join(FOLDER, "several.json")
with open(several, "w", encoding="utf-8") as file:
    json.dump({"name": "copies", "title": "Copies by two tools", "purpose": "delivery",
               "steps": [{"check": "reachable"}, {"check": "nvlink"}, {"check": "nvbandwidth"}, {"check": "p2p-bandwidth"}]}, file)
with Lab("unseen", 1) as lab:
    lab.wrap("nvidia-smi", '[ "$1" = nvlink ] && exit 0')
    done, report = run(lab, several)
    points = [line for line in done.stdout.splitlines() if line.startswith("open: ")]
    tap.same((report.verdict, len(points)), ("incomplete", 2), "links that nvidia-smi does not list are one point around all tests", done.stdout)
    causes = {item["cause"] for step, item in report.outcomes() if step["name"] == "nvlink" and item["outcome"] == "inconclusive"}
    tap.ok(any("nvidia-smi printed nothing, as it does where its driver knows of no NVLink" in cause for cause in causes), "and told as what they are", causes)

tap.end()
