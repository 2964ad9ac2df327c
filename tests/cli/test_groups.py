# SPDX-License-Identifier: Apache-2.0
"""Steps over pairs, racks and rails of hosts, and who takes the place of a host that is not fit.

usage: test_groups.py ASSAY
"""

import json
import os

from cluster import FOLDER, Lab, Report, Tap, assay

tap = Tap()
COLLECTIVES = ("all-gather", "all-reduce", "reduce-scatter", "alltoall", "sendrecv")
SIZES = {"arguments": {"begin": "4G", "end": "8G", "iterations": 5}}


def run(lab, name, steps, *options, purpose="trial"):
    suite = os.path.join(lab.folder, f"{name}.json")
    database = os.path.join(lab.folder, f"{name}.db")
    with open(suite, "w", encoding="utf-8") as file:
        json.dump({"name": name, "title": name, "purpose": purpose, "steps": steps}, file)
    done = assay("run", "-H", lab.hostfile, "-s", suite, "--db", database, "--progress", "none",
                 "-o", os.path.join(lab.folder, f"{name}.html"), *options)
    return done, Report(database)


def collective(name, scope, **more):
    return {"name": f"{name}-{scope}", "check": f"nccl-{name}", "scope": scope, **SIZES, **more}


def words(report, step, metric="busbw"):
    """{hosts: outcome} of the judged bandwidths, or other items, of a step of the suite."""
    return {" ".join(at["members"]): item["outcome"] for at, item in report.outcomes()
            if at["name"] == step and item["metric"].endswith(metric)}


def pairs(tap):
    """One slow adapter makes both pairs of its host slow and no other."""
    with Lab("pairs", 5, ["node2:nic-slow:mlx5_3"]) as lab:
        steps = [{"check": "reachable"}, collective("all-gather", "pair", needs=["reachable"]),
                 collective("all-reduce", "pair", needs=["reachable"])]
        done, report = run(lab, "pairs", steps, purpose="delivery")
        right = {"node1 node2": "fail", "node2 node3": "fail", "node3 node4": "pass", "node4 node5": "pass",
                 "node5 node1": "pass"}
        tap.same(done.returncode, 1, "a slow adapter is rejected", done.stdout, done.stderr)
        tap.same(words(report, "all-gather-pair"), right, "both pairs of its host are slow, and no other")
        tap.same(words(report, "all-reduce-pair"), right, "all_reduce, judged beside all_gather, says the same")


def every_scope(tap):
    """Each collective, on a healthy cluster, at each scope."""
    with Lab("scopes", 4) as lab:
        steps = [{"check": "reachable"}]
        for scope in ("host", "pair", "group", "cluster"):
            by = {"by": 2} if scope == "group" else {}
            steps += [collective(name, scope, needs=["reachable"], **by) for name in COLLECTIVES]
        done, report = run(lab, "scopes", steps)
        tap.ok(done.returncode in (0, 2), "every collective runs at every scope", done.stdout, done.stderr)
        sound = {name: words(report, f"{name}-{scope}", "sound") for name in COLLECTIVES
                 for scope in ("host", "pair", "group", "cluster")}
        tap.ok(all(set(found.values()) == {"pass"} for found in sound.values()), "and ends as it should", sound)
        failed = [(step["name"], item["metric"], item["cause"]) for step, item in report.outcomes()
                  if item["outcome"] == "fail"]
        tap.same(failed, [], "nothing of a healthy cluster fails")


tap.together([pairs, every_scope])
tap.end()
