# SPDX-License-Identifier: Apache-2.0
"""A resumed run answers the question that it was begun with: another suite or baseline is refused, with what differs;
another hostfile is taken where hosts were added or swapped, and said."""

import json
import os
import re
import sqlite3
import sys

from cluster import FOLDER, Lab, Report, Tap, assay, closing_lines, start, wait_until, write

BASELINE = os.path.join(sys.argv[2], "suites", "baselines", "hgx-h100.json")
SUITE = {"name": "burn", "purpose": "trial", "steps": [
    {"check": "reachable"},
    {"check": "privilege", "needs": ["reachable"]},
    {"check": "gpu-burn", "needs": ["privilege"], "arguments": {"seconds": 1200}},
    {"check": "nccl-all-gather", "scope": "cluster", "needs": ["gpu-burn"],
     "arguments": {"begin": "1G", "end": "8G"}, "sizes_judged": ["8G"]}]}

tap = Tap()


def hosts(name, *numbers, change=lambda line: line):
    """A hostfile of these hosts of the lab."""
    with open(lab.hostfile, encoding="utf-8") as file:
        lines = file.read().splitlines()
    kept = [line for line in lines if not line.startswith("node") or int(line.split()[0][4:]) in numbers]
    return write(name, "\n".join(change(line) for line in kept) + "\n")


def resume(*words):
    return assay("run", "--resume", 1, *words, "--db", database, "--progress", "none", "-o", database + ".html")


def refused(name, words, *told):
    done = resume(*words)
    tap.ok(done.returncode == 64 and all(part in done.stderr for part in told), f"{name}: refused, and said why",
           done.returncode, done.stdout, done.stderr, *told)


def documents():
    with sqlite3.connect(database) as connection:
        return connection.execute("SELECT * FROM document").fetchall()


def edited(path, name, pattern, text):
    """A copy with the first place that the pattern finds replaced."""
    with open(path, encoding="utf-8") as file:
        before = file.read()
    after = re.sub(pattern, text, before, count=1)
    assert after != before
    return write(name, after)


database = os.path.join(FOLDER, "changed.db")
suite = write("suite.json", SUITE)
with Lab("changed", 4, speed=200) as lab:
    lab.count_starts("gpu_burn")
    cluster = hosts("cluster", 1, 2)
    child = start("run", "-H", cluster, "-s", suite, "-b", BASELINE, "--db", database, "--progress", "none", "-o",
                  database + ".html")
    tap.ok(wait_until(lambda: all(lab.is_burning(host) for host in ("node1", "node2")), 60), "the burns have begun")
    child.kill()
    child.communicate()

    kept = documents()
    other = write("other.json", json.dumps(SUITE).replace("1200", "600"))
    refused("another suite", ("-s", other), "steps[gpu-burn].arguments.seconds is 600, and was 1200 when the run began",
            "not the suite that run 1 was started with")
    lower = edited(BASELINE, "hgx-h100.json", r'"floor": 345', '"floor": 300')
    refused("another baseline", ("-b", lower), "limits[p2p.unidirectional.enabled].floor is 300, and was 345",
            "not the baseline that run 1 was started with")
    refused("hosts left out", ("--hosts", "node1"), "--hosts")
    refused("other tools", ("--tools", FOLDER), "--tools")
    refused("a host that is gone", ("-H", hosts("fewer", 1)), "node2 of the run is not in it")
    refused("another unit", ("-H", hosts("unit", 1, 2, change=lambda line: line.replace("unit=su1", "unit=su7"))),
            "unit of node1 is su7, and was su1")
    tap.ok(documents() == kept and len(kept) > 3, "what was refused left nothing in the database", documents(), kept)

    changed = hosts("changed-cluster", 1, 2, 3,
                    change=lambda line: line.replace("node2 address=127.1.0.2", "node2 address=127.1.0.4"))
    told = "node3 was added; node2 was swapped: address 127.1.0.2 -> 127.1.0.4; 6 steps more"
    child = start("run", "--resume", 1, "-H", changed, "-s", write("same.json", json.dumps(SUITE, indent=3)), "-b", BASELINE,
                  "--db", database, "--progress", "none", "-o", database + ".html")
    tap.ok(wait_until(lambda: all(lab.is_burning(host) for host in ("node3", "node4")), 60),
           "a host added, another swapped, the suite written otherwise: the run goes on with them")
    child.kill()
    tap.ok(told in child.communicate()[1], "what was added and swapped is said on the terminal")
    done = resume()
    tap.same((done.returncode, (closing_lines(done.stdout) or {}).get("verdict")), (0, "accept"),
             "killed and resumed once more it comes to its verdict", done.stdout, done.stderr)
    report = Report(database)
    shown = assay("show", 1, "--db", database).stdout
    tap.ok(told in " ".join(shown.split()), "and in the report", shown[:2000])
    tap.same([document["kind"] for document in report.json["documents"]].count("hostfile"), 2,
             "the run keeps both hostfiles")
    tap.same(sorted(lab.starts_of("gpu_burn")), ["node1", "node2", "node3", "node4"],
             "the burns: on the host that stayed once, on the two machines called node2 once each, and on the new one")
    tap.same(sorted((step["name"], " ".join(step["members"]), step["outcome"]) for step in report.steps),
             [("gpu-burn", "node1", "pass"), ("gpu-burn", "node2", "pass"), ("gpu-burn", "node3", "pass"),
              ("nccl-all-gather", "node1 node2", "pass"), ("nccl-all-gather", "node1 node2 node3", "pass"),
              ("privilege", "node1", "pass"), ("privilege", "node2", "pass"), ("privilege", "node2", "pass"),
              ("privilege", "node3", "pass"),
              ("reachable", "node1", "pass"), ("reachable", "node2", "pass"), ("reachable", "node2", "pass"),
              ("reachable", "node3", "pass")],
             "owed: all of before, what the machine before had shown again, the new host's, and the group of all")
    burns = [report.json["attempts"][number]["end"] for step in report.steps for number in step["attempts"]
             if (step["name"], step["members"]) == ("gpu-burn", ["node2"])]
    tap.same(burns, ["cancelled", "ran"], "what ran on the machine before speaks of neither, and nothing rebooted")
    tap.same(lab.processes(), [], "nothing runs on the hosts in the end")

    # Two names have exchanged their machines: what one showed is not the other's.
    database = os.path.join(FOLDER, "exchanged.db")
    child = start("run", "-H", hosts("pair", 3, 4), "-s", suite, "-b", BASELINE, "--db", database, "--progress", "none", "-o",
                  database + ".html")
    tap.ok(wait_until(lambda: all(lab.is_burning(host) for host in ("node3", "node4")), 60), "exchanged: the burns have begun")
    child.kill()
    child.communicate()
    other = {"3": "4", "4": "3"}
    exchanged = hosts("exchanged-pair", 3, 4, change=lambda line: re.sub(r"address=127\.1\.0\.([34])",
                                                                         lambda found: f"address=127.1.0.{other[found[1]]}", line))
    done = resume("-H", exchanged)
    tap.ok("node3 was swapped: address 127.1.0.3 -> 127.1.0.4; node4 was swapped: address 127.1.0.4 -> 127.1.0.3" in done.stderr,
           "exchanged: that both are other machines is said", done.stdout, done.stderr)
    tap.same((done.returncode, (closing_lines(done.stdout) or {}).get("verdict")), (0, "accept"), "exchanged: the run comes to its verdict",
             done.stdout, done.stderr)
    report = Report(database)
    ends = {}
    for step in report.steps:
        ends.setdefault((step["name"], " ".join(step["members"])), []).extend(
            report.json["attempts"][number]["end"] for number in step["attempts"])
    tap.same(ends, {**{(name, host): ["ran", "ran"] for name in ("reachable", "privilege") for host in ("node3", "node4")},
                    **{("gpu-burn", host): ["cancelled", "ran"] for host in ("node3", "node4")}, ("nccl-all-gather", "node3 node4"): ["ran"]},
             "exchanged: all that was asked of either is asked again, and what was under way speaks of neither")
    tap.same(sorted(lab.starts_of("gpu_burn"))[2:], ["node3"] * 3 + ["node4"] * 3, "exchanged: each machine burns for its new name")
tap.end()
