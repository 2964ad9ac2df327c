# SPDX-License-Identifier: Apache-2.0
"""usage: test_pairs.py ASSAY SOURCES

The matrix of every two GPUs of a host, of p2pBandwidthLatencyTest and of our own probe: in the text and in the HTML report, one beside
the other and how well they agree. And what the GPUs drew meanwhile is what `assay worth` goes by.
"""

import json
import os
import re
import sys

from cluster import FOLDER, Lab, Tap, assay

tap = Tap()
SUITE, DATABASE, PAGE = (os.path.join(FOLDER, name) for name in ("pairs.json", "pairs.db", "pairs.html"))
with open(os.path.join(sys.argv[2], "suites", "delivery.json"), encoding="utf-8") as file:
    search_path = json.load(file)["search_path"]
with open(SUITE, "w", encoding="utf-8") as file:
    json.dump({"name": "pairs", "title": "pairs", "purpose": "trial", "search_path": search_path,
               "steps": [{"check": name} for name in ("reachable", "gpu-inventory", "p2p-bandwidth", "gpu-links", "gpu-compute")]}, file)


def matrix(text, metric):
    """[row][column] of the first one of the metric, as words."""
    part = text[text.index(f"\n{metric}, "):]
    rows = re.findall(r"^ {5}\d (.*)$", part[:part.index("\n\n")], flags=re.M)[:8]
    return [re.findall(r"[\d.]+!?|-", row) for row in rows]


with Lab("lab", 2, ["node2:p2p:2-5=45"]) as lab:
    assay("run", "-H", lab.hostfile, "-s", SUITE, "--db", DATABASE, "--progress", "none", "-o", PAGE)
text = assay("show", 1, "--full", "--db", DATABASE).stdout
for metric in ("p2p.unidirectional.enabled", "gpu_links.one_way"):
    cells = matrix(text, metric)
    tap.ok([len(row) for row in cells] == [8] * 8 and all(cells[i][i] == "-" for i in range(8)), f"{metric} is a matrix", text)
    tap.same({(i, k) for i in range(8) for k in range(8) if cells[i][k].endswith("!")}, {(2, 5), (5, 2)}, "and marks who failed")
    tap.ok(350 < float(cells[0][1]) < 400 and float(cells[2][5][:-1]) < 50, "its figures are GB/s", cells)
tap.ok(100 < float(matrix(text, "gpu_links.chase")[0][1]) < 1000, "and so is the wait for a word of another's")
for metric in ("p2p.unidirectional.enabled", "p2p.bidirectional.enabled"):
    told = f"Of {metric}: 1.00 times at the median of 112 pairs"
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    tap.ok(told in " ".join(text.split()) and told in page and "<p><code>gpu_links.chase</code>, ns." in page.replace("<wbr>", ""), f"how well ours agrees with {metric} stands beside it", text)

answer = json.loads(assay("worth", 1, "--db", DATABASE, "-N", "8B", "-D", "1T", "-f", "json").stdout)
power = answer["inputs"]["power"]
tap.ok(power["metric"] == "gpu_compute.bf16.8192.power" and 600 < power["value"] < 750 and power["gpus"] == 16,
       "the power that a training takes is what the products drew", power)
tap.end()
