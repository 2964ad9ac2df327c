# SPDX-License-Identifier: Apache-2.0
"""usage: test_whole_site.py ASSAY SOURCE

The built-in suite `site`, whole, over a lab of two units of a fabric with BMCs and a shared mount: healthy hosts pass all of it, and
of four faults on four hosts each is named on its host, by its step, and nobody else.
"""

import json
import os
import sqlite3
import sys

from cluster import FOLDER, Lab, Report, Tap, assay

# Turns on storage are real seconds: they do not fit into the deadlines of so fast a lab, and are few.
TIMEOUT_S = 240000
JOBS = {"jobs": ["write", "read", "create"]}
FAULTS = {2: ("bmc-bad:fan-gone", "redfish"), 3: ("data-bad:options", "storage-shared"), 5: ("link-ber:mlx5_2", "ib-phy"),
          7: ("mount-missing", "storage")}
tap = Tap()
with open(os.path.join(sys.argv[2], "suites", "site.json"), encoding="utf-8") as file:
    suite = json.load(file)
del suite["$schema"]
for step in suite["steps"]:
    if step["check"] in ("storage-shared", "storage-clients"):
        step["timeout_s"] = TIMEOUT_S
    if step["check"] == "storage-clients":
        step["arguments"] = JOBS
OWED = {step["check"] for step in suite["steps"]} - {"object-store", "ethernet-links"}  # the lab declares no store, and is no Ethernet
path = os.path.join(FOLDER, "site.json")
with open(path, "w", encoding="utf-8") as file:
    json.dump(suite, file)


def run(name, faults=()):
    with Lab(name, 16, faults, options=("--bmc", "redfish")) as lab:
        with open(lab.hostfile, encoding="utf-8") as file:
            declared = file.read().replace("defaults ", "defaults line.archive=archive.lab:5301 ", 1)
        with open(lab.hostfile, "w", encoding="utf-8") as file:
            file.write(declared)
        database = os.path.join(FOLDER, f"{name}.db")
        done = assay("run", "-H", lab.hostfile, "-s", path, "--db", database, "--progress", "none", "-o", os.path.join(FOLDER, f"{name}.html"))
        return done, Report(database)


def looks_of(database):
    """{check: when its first attempt was sent, and when its last one had ended}."""
    with sqlite3.connect(database) as store:
        return {row[0]: row[1:] for row in store.execute(
            "SELECT shape.check_name, min(attempt.sent), max(attempt.ended) FROM attempt JOIN step ON step.run = attempt.run AND step.n = attempt.step "
            "JOIN run_shape ON run_shape.run = step.run AND run_shape.n = step.shape JOIN shape ON shape.id = run_shape.shape GROUP BY 1")}


done, report = run("healthy")
tap.same({step["check"] for step in report.steps}, OWED, "all that applies is asked", done.stderr)
tap.same(sum(step["variant"] == "archive" for step in report.steps), 16, "and the declared line of each host")
tap.same((done.returncode, report.bad()), (0, {}), "healthy hosts pass all of it", done.stdout, done.stderr)
times = looks_of(os.path.join(FOLDER, "healthy.db"))
tap.ok(times["fabric-links"][1] < min(times["fabric-phy"][0], times["ib-phy"][0]), "the quality of links is asked when all of them have been loaded", times)
done, report = run("faulty", [f"node{host}:{fault}" for host, (fault, _) in FAULTS.items()])
found = {(step["check"], (item["subject"] if len(step["members"]) > 1 else step["target"]).split()[0])
         for step, item in report.outcomes() if item["outcome"] == "fail"}
# The link with errors is seen by both that look at links, and who has no mount cannot work on it.
tap.same(found, {(check, f"node{host}") for host, (_, check) in FAULTS.items()} | {("fabric-links", "node5"), ("storage-shared", "node7")},
         "each fault is named on its host, and nobody else", done.stdout)
tap.end()
