# SPDX-License-Identifier: Apache-2.0
"""A hostfile has its own names for the hosts: what the fabric calls their adapters is found by how the hosts call themselves, and
told by the names of the hostfile.

usage: test_aliases.py ASSAY
"""

import os
import sys

from cluster import FOLDER, Lab, Report, Tap, assay, closing_lines, write
from fault_cases import CABLING_FABRIC

tap = Tap()
HCAS = [f"mlx5_{number}" for number in range(8)]


def hostfile(lab, name, names):
    """The lab's, with other names for its hosts; addresses and rails stay with the machines."""
    with open(lab.hostfile, encoding="utf-8") as file:
        lines = file.read().splitlines()
    words = [line.split(" ", 1) for line in lines]
    return write(name, "".join(" ".join([names.get(word[0], word[0]), *word[1:]]) + "\n" for word in words))


def run(lab, name, names):
    database = os.path.join(FOLDER, f"{name}.db")
    done = assay("run", "-H", hostfile(lab, name, names), "-s", CABLING_FABRIC, "--db", database, "--progress", "none",
                 "-o", os.path.join(FOLDER, f"{name}.html"))
    assert closing_lines(done.stdout), done.stdout + done.stderr
    report = Report(database)
    failed = {item["subject"] for _, item in report.outcomes() if item["outcome"] == "fail"}
    undecided = {item["subject"] for _, item in report.outcomes() if item["outcome"] == "inconclusive"}
    return done, report, database, failed, undecided


def judged_again(database):
    done = assay("judge", 1, "--db", database, "-o", database + ".html")
    return closing_lines(done.stdout) or done.stdout + done.stderr


ALIASES = {"node1": "gpu-a17", "node2": "gpu-a18", "node3": "gpu-a19"}
ROUND = {"node1": "node2", "node2": "node3", "node3": "node1"}  # names that others of them call themselves

with Lab("healthy", 3) as lab:
    for name, names in (("aliases", ALIASES), ("round", ROUND)):
        done, report, database, failed, undecided = run(lab, name, names)
        tap.same((done.returncode, failed, undecided), (0, set(), set()),
                 f"{name}: healthy hosts under other names than their own are passed", done.stdout, done.stderr)
        judged_again(database)
        tap.same(Report(database).verdict, "accept", f"{name}: and so they are when the run is judged again")
    unknown, *_, undecided = run(lab, "stranger", {"node1": "node1", "node2": "gpu-a18", "node3": "node2"})
    tap.same((unknown.returncode, undecided), (0, set()), "a name that another host calls itself is that host's only",
             unknown.stdout, unknown.stderr)

with Lab("swapped", 3, faults=["node2:rail-swap:4-6"]) as lab:
    for name, names, culprit in (("swapped-aliases", ALIASES, "gpu-a18"), ("swapped-round", ROUND, "node3")):
        done, report, database, failed, undecided = run(lab, name, names)
        tap.same((done.returncode, failed, undecided), (1, {f"{culprit} mlx5_4", f"{culprit} mlx5_6"}, set()),
                 f"{name}: a swapped rail is found, and named by the hostfile's name", done.stdout, done.stderr)
        tap.same([row["name"] for row in report.json["verdicts"] if row["scope"] == "host" and row["verdict"] == "failed"],
                 [culprit], f"{name}: of the hosts only that one fails")
tap.end()
