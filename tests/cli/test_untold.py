# SPDX-License-Identifier: Apache-2.0
"""Drivers that do not say why clocks of GPUs are lowered, in a test beside which all GPUs compute.

usage: test_untold.py ASSAY
"""

import json
import os

from cluster import FOLDER, Lab, Report, Tap, assay, plain

SUITE = {"name": "untold", "title": "untold", "purpose": "soak", "steps": [
    {"name": "under-load", "check": "nccl-all-gather", "scope": "cluster", "isolate": False, "record": ["nccl.*.busbw"], "timeout_s": 3600,
     "arguments": {"begin": "8G", "end": "8G", "iterations": 500, "beside": "gpu-burn"}}]}

tap = Tap()
suite = os.path.join(FOLDER, "untold.json")
with open(suite, "w", encoding="utf-8") as file:
    json.dump(SUITE, file)
with Lab("untold", 2, speed=100) as lab:
    # The word of nvidia-smi for a field that a GPU has not.
    lab.wrap("nvidia-smi", f'case "$ASSAY_LAB_HOST $*" in node1*utilization.gpu*) . {lab.folder}/untold;; *utilization.gpu*) . {lab.folder}/others;; esac')

    def run(name, others):
        for file, silent in (("untold", True), ("others", others)):
            with open(os.path.join(lab.folder, file), "w", encoding="utf-8") as words:
                words.write('[ -n "$UNTOLD" ] || { UNTOLD=1 "$0" "$@" | sed -u "s/0x[0-9a-fA-F]*$/[N\\/A]/"; exit; }\n' if silent else ":\n")
        database = os.path.join(FOLDER, f"{name}.db")
        done = assay("run", "-H", lab.hostfile, "-s", suite, "--db", database, "--progress", "none", "-o", os.path.join(FOLDER, f"{name}.html"))
        report = Report(database)
        return done, {item["subject"]: (plain(item["outcome"]), item["cause"]) for _, item in report.outcomes() if item["metric"] == "beside.slowdown"}

    done, items = run("one", False)
    tap.ok(items["node1"][0] == "inconclusive" and "not told, while it is read on node2" in items["node1"][1] and items["node2"][0] == "pass",
           "a host whose driver does not say it is undecided where another one's does", items, done.stdout)
    done, items = run("all", True)
    tap.ok({word for word, _ in items.values()} == {"pass"} and "why clocks of GPUs are lowered (nvidia-smi) on node[1-2]" in done.stdout,
           "where none does it stands beside the verdict", items, done.stdout)
tap.end()
