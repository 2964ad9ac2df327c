# SPDX-License-Identifier: Apache-2.0
"""A healthy lab under the whole of `delivery`: what is not as it must be. Shared by test_healthy.py and scripts/benches/sizes."""

import collections
import os

from cluster import FOLDER, Lab, Report, assay

# Every built-in platform of GPUs that the lab can be.
PLATFORMS = ("hgx-h100", "hgx-h200", "hgx-h800", "hgx-h20", "hgx-a100", "hgx-a800", "hgx-b200", "hgx-b300", "gb200-nvl72",
             "gb300-nvl72", "v100-sxm2")
# Remarks that a healthy lab has, and why: {(platform, check, metric): reason}. There are none.
EXPLAINED = {}


def deliver(platform, hosts, faults=(), options=(), by_draft=False):
    """The run, its report, and what it says of items that are not pass or have a remark: {(step, word, metric): count}.
    by_draft: by the contract that `contract init` begins, as it is."""
    name = f"{platform}-{hosts}-{'-'.join(fault.replace(':', '_') for fault in faults)}{'by-draft' if by_draft else ''}"
    with Lab(name, hosts, faults, profile=platform) as lab:
        if by_draft:
            draft = os.path.join(FOLDER, f"{name}.json")
            assay("contract", "init", "-H", lab.hostfile, "-s", "delivery", "-o", draft)
            options = (*options, "--contract", draft)
        database = os.path.join(FOLDER, f"{name}.db")
        done = assay("run", "-H", lab.hostfile, "-s", "delivery", "--db", database, "--progress", "none", *options,
                     "-o", os.path.join(FOLDER, f"{name}.html"))
    report = Report(database)
    return done, report, not_right(platform, report)


def not_right(platform, report):
    found = collections.Counter()
    for item in report.json["outcomes"]:
        step = report.steps[item["step"]]
        words = [item["outcome"]] if item["outcome"] not in ("pass", "recorded") else []
        words += ["remark"] if item["remark"] and (platform, step["check"], item["metric"]) not in EXPLAINED else []
        for word in words:
            found[(step["name"], word, item["metric"], item["cause"])] += 1
    return found
