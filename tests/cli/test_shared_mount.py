# SPDX-License-Identifier: Apache-2.0
"""usage: test_shared_mount.py ASSAY

A mount that all hosts of a lab share: each thing that may be wrong with it on one host is named, on that host and on no other, by
storage-shared or storage-clients; what needs all of them is undecided, and never passes. Nothing is left on the mount.
"""

import json
import os
import re

from cluster import FOLDER, Lab, Report, Tap, assay

# Turns are real seconds: they do not fit into the deadlines of so fast a lab.
TIMEOUT_S = 240000

# What stops a host: the fault and words of the cause, all of client.works.
STOPPED = {3: ("data-bad:read-only", "Read-only file system"), 4: ("data-bad:full", "No space left on device"),
           5: ("data-bad:stale", "Stale file handle"), 6: ("data-bad:hangs", "did not answer within"),
           7: ("mount-missing", "nothing is mounted on /data")}
# What is wrong between hosts that can work: with the item that fails.
WRONG = {3: ("data-bad:corrupts", "shared.data", "what it reads is not what node\\d wrote"),
         4: ("data-bad:lags", "shared.(file|line)", "is [2-9]"),
         5: ("data-bad:locks", "shared.lock", "it got the lock that node\\d held"),
         6: ("data-bad:options", "shared.mount", "localflock, while most hosts have flock")}

tap = Tap()


def step(name, **arguments):
    return {"check": f"storage-{name}", "scope": "cluster", "needs": ["reachable"], "timeout_s": TIMEOUT_S, "retries": 0,
            "retests": 1, "arguments": arguments}


def run(lab, name, *steps):
    suite, database = os.path.join(FOLDER, f"{name}.json"), os.path.join(FOLDER, f"{name}.db")
    with open(suite, "w", encoding="utf-8") as file:
        json.dump({"name": name, "title": name, "purpose": "delivery", "steps": [{"check": "reachable"}, *steps]}, file)
    done = assay("run", "-H", lab.hostfile, "-s", suite, "--db", database, "--progress", "none", "-o",
                 os.path.join(FOLDER, f"{name}.html"))
    return done, Report(database)


def failed(report):
    """{host: [(metric, cause)]}"""
    found = {}
    for _, item in report.outcomes():
        if item["outcome"] == "fail":
            found.setdefault(item["subject"], []).append((item["metric"], item["cause"]))
    return found


def left_on(lab):
    return [name for name in os.listdir(os.path.join(lab.folder, "data")) if name.startswith("assay-")]


def of_stopped_hosts():
    with Lab("stopped", 8, [f"node{host}:{fault}" for host, (fault, _) in STOPPED.items()]) as lab:
        done, report = run(lab, "stopped", step("shared", size="1M"))
        found = failed(report)
        for host, (fault, words) in STOPPED.items():
            tap.ok(any(metric == "client.works" and words in cause for metric, cause in found.get(f"node{host}", [])),
                   f"{fault}: the host cannot work there, and why is said", found, done.stderr)
        tap.same(sorted(found), [f"node{host}" for host in sorted(STOPPED)], "nobody else is accused", found)
        # The hanging one still has it.
        tap.ok(len(left_on(lab)) <= 1, "nothing else is left on the mount", left_on(lab))


def of_hosts_that_differ():
    with Lab("differ", 7, [f"node{host}:{fault}" for host, (fault, _, _) in WRONG.items()]) as lab:
        done, report = run(lab, "differ", step("shared", size="1M"))
        found = failed(report)
        for host, (fault, metric, words) in WRONG.items():
            tap.ok(any(re.fullmatch(metric, name) and re.search(words, cause) for name, cause in found.get(f"node{host}", [])),
                   f"{fault}: it is named with the item that fails", found, done.stderr)
        tap.same(sorted(found), [f"node{host}" for host in sorted(WRONG)], "nobody else is accused", found)
        tap.same(left_on(lab), [], "nothing is left on the mount")


def of_a_host_apart():
    with Lab("apart", 3, ["node2:data-bad:apart"]) as lab:
        done, report = run(lab, "apart", step("clients", jobs=["write"]))
        found = failed(report)
        tap.ok(list(found) == ["node2"] and "it sees the files of 1 of 3 hosts" in found["node2"][0][1],
               "data-bad:apart: who works on a file system of its own is named, and nobody else", found, done.stderr)


def of_a_slow_client():
    with Lab("slow", 7, ["node3:client-slow:40"]) as lab:
        done, report = run(lab, "slow", step("clients", jobs=["write", "checkpoint", "restore"]))
        found = failed(report)
        tap.ok(list(found) == ["node3"] and "below the median of its 6 peers" in found["node3"][0][1],
               "client-slow: who gets less than the others beside it is named, and nobody else", found, done.stderr)
        tap.same({metric for metric, _ in found.get("node3", [])}, {"client.write.bandwidth", "client.checkpoint.bandwidth"},
                 "by what it writes as long as all do, and by its checkpoint", found)
        restored = [item["subject"] for _, item in report.outcomes("record") if item["metric"] == "client.restore.bandwidth" and
                    item["measured"]]
        tap.same(restored, ["node1"] * 4, "one host restores what 1, 2, 4 and 7 wrote", done.stderr)
        knee = [item["measured"] for _, item in report.outcomes("record") if item["metric"] == "clients.write.knee"]
        tap.same(knee, ["4"], "the knee is where the lab's servers are full", done.stderr)
        tap.same(left_on(lab), [], "nothing is left on the mount")


for story in (of_stopped_hosts, of_hosts_that_differ, of_a_host_apart, of_a_slow_client):
    story()
tap.end()
