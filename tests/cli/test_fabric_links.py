# SPDX-License-Identifier: Apache-2.0
"""The step fabric-links over a lab of several units, with leaves, spines and cores: every link is loaded and proven, a link that is
slow, has errors or is not active is named, and nothing passes by counters that stand still.

usage: test_fabric_links.py ASSAY [UNITS]
"""

import json
import os
import re
import sys

from cluster import FOLDER, Lab, Report, Tap, assay

UNITS = int(sys.argv[2]) if len(sys.argv) > 2 else 2
HOSTS, LINKS = 8 * UNITS, 3 * 64 * UNITS  # 64 adapters of a unit, as many uplinks of its 8 leaves, and as many of its 8 spines
SUITE = os.path.join(FOLDER, "links.json")
with open(SUITE, "w", encoding="utf-8") as file:
    json.dump({"name": "links", "title": "Every link", "purpose": "trial",
               "steps": [{"check": "reachable"}, {"check": "fabric-links", "scope": "cluster", "needs": ["reachable"]}]}, file)
tap = Tap()
# Counters of switches that never grow.
STAND_STILL = r"s/^\(4[0-9][0-9][0-9][0-9] [0-9]*\) .*/\1 7 7 0/"
# LIDs of hosts are 2 + 8 * their number + the HCA's: node5 mlx5_3 tells no errors.
UNTOLD = r"s/^\(45 1 .*\) [0-9]*$/\1 -/"


def change_counters(lab, *edits):
    """What the program leaves of counters is changed before it is read."""
    expressions = " ".join(f"-e '{edit}'" for edit in edits)
    lab.wrap("mpirun", after=f"""; rc=$?
[ ! -s "$ASSAY_DIR/counters" ] || sed -i {expressions} "$ASSAY_DIR/counters"
exit $rc""")


def uplink(unit):
    """The last one of the unit's first leaf, as the lab's faults have it."""
    return f"MF0;l{unit}r0:MQM9700/U1 port 16 - MF0;s{8 * unit}:MQM9700/U1 port 1"


def run(lab, name):
    """The report, {(metric, subject): the item} of the step, and what the terminal said."""
    database = os.path.join(FOLDER, f"{name}.db")
    done = assay("run", "-H", lab.hostfile, "-s", SUITE, "--db", database, "--progress", "none", "-o", os.path.join(FOLDER, f"{name}.html"))
    report = Report(database)
    items = {(item["metric"], item["subject"]): item for step, item in report.outcomes() if step["check"] == "fabric-links"}
    return report, items, done.stdout + done.stderr


def outcome(items, metric, subject=""):
    return items[(metric, subject)]["outcome"]


def cause(items, metric, subject=""):
    return items[(metric, subject)]["cause"] or ""


def others(items, *named):
    """Outcomes of all items but these."""
    return {item["outcome"] for key, item in items.items() if key not in named}


HCA = ("links.host", "node5 mlx5_3")


def of_a_healthy_fabric(tell):
    with Lab("healthy", HOSTS) as lab:
        report, items, said = run(lab, "healthy")
        proven = {item["value"] for _, item in report.outcomes("record") if item["metric"] == "links.proven"}
        tell.same((report.verdict, others(items)), ("accept", {"pass"}), "a healthy fabric passes", said)
        tell.same(len([key for key in items if key[0] == "links.host"]), 8 * HOSTS, "each adapter's own link is an item of its host")
        tell.same(proven, {100}, "all links are proven", said)

        # The flows say that they were fast.
        change_counters(lab, STAND_STILL, UNTOLD)
        report, items, said = run(lab, "still")
        bad = ("links.unproven", ""), ("links.agree", "")
        tell.same((report.verdict, {outcome(items, *key) for key in bad}), ("incomplete", {"inconclusive"}),
                  "counters of switches that stand still prove nothing, however fast the flows were", said)
        tell.ok(f"{LINKS // 3 * 2} of {LINKS} links" in cause(items, "links.unproven") and
                "MF0;l1r0:MQM9700/U1 port 9 - MF0;s1:MQM9700/U1 port 1" in said, "the terminal names links that are not proven", said)
        tell.ok("less than half of what the flows report" in cause(items, "links.agree"), "and says that counters and flows disagree", said)
        tell.same((outcome(items, *HCA), {item["outcome"] for key, item in items.items() if key[0] == "links.host" and key != HCA}),
                  ("inconclusive", {"pass"}), "a host's link whose errors nobody told does not pass, and the others do", said)


def of_slow_links(tell):
    with Lab("slow", HOSTS, ["node9:uplink-slow:40", "node5:nic-slow:mlx5_3=20"]) as lab:
        report, items, said = run(lab, "slow")
        tell.ok(outcome(items, "links.slow") == "fail" and re.search(re.escape(uplink(2)) + r": \d+ flows at 58% of the rate, expected",
                                                                     cause(items, "links.slow")), "a slow uplink is named", said)
        tell.ok(outcome(items, *HCA) == "fail" and "flows over it at 39% of the rate" in cause(items, *HCA) and report.verdict_of("node5") == "reject",
                "a slow link of a host is that host's", said)
        tell.same(others(items, ("links.slow", ""), HCA, ("links.unproven", "")), {"pass"}, "no other link is suspected", said)

        change_counters(lab, STAND_STILL)
        report, items, said = run(lab, "withheld")
        tell.same((outcome(items, "links.slow"), outcome(items, *HCA), "fail" in {item["outcome"] for item in items.values()}),
                  ("inconclusive", "inconclusive", False), "where counters contradict the ways of flows, no link is accused of a slow one", said)


def of_links_with_errors(tell):
    """And of two that run with fewer lanes: they are changed in the sweep, flows and counters stay those of a healthy fabric."""
    trained = ("links.host", "node6 mlx5_3")
    with Lab("errors", HOSTS, [f"node{HOSTS - 7}:uplink-errors", "node5:link-ber:mlx5_3=1e-9", "node1:uplink-idle"]) as lab:
        lab.wrap("ibdiagnet", after=r"""; rc=$?
sed -i -e '/{node6 mlx5_3}/s/PHY=4x/PHY=1x/' -e '/{MF0;l2r1:.*{MF0;s16:/s/PHY=4x/PHY=2x/' -e '/{MF0;s16:.*{MF0;l2r1:/s/PHY=4x/PHY=2x/' "$6/ibdiagnet2.lst"
exit $rc""")
        report, items, said = run(lab, "errors")
        tell.ok(outcome(items, "links.errors") == "fail" and cause(items, "links.errors").count(" errors in ") == 1 and uplink(UNITS) in cause(items, "links.errors"),
                "an uplink with errors is named, and no other", said)
        tell.ok(outcome(items, *HCA) == "fail" and "errors in" in cause(items, *HCA), "errors on a host's link are that host's", said)
        tell.ok(outcome(items, "links.unproven") == "inconclusive" and f"{uplink(1)}: not active" in cause(items, "links.unproven"),
                "an uplink that is not active is listed, and the fabric is not passed", said)
        half = "MF0;l2r1:MQM9700/U1 port 16 - MF0;s16:MQM9700/U1 port 2: it runs at 200 Gb/s, most links like it at 400 Gb/s"
        tell.ok(outcome(items, "links.slow") == "fail" and half in cause(items, "links.slow") and cause(items, "links.slow").count("Gb/s, most") == 1,
                "an uplink that trained with half of its lanes is named, and no other", said)
        tell.ok(outcome(items, *trained) == "fail" and "it runs at 100 Gb/s, most links like it at 400 Gb/s" in cause(items, *trained),
                "a link of a host that trained with one lane is that host's", said)
        tell.same(others(items, ("links.errors", ""), ("links.slow", ""), HCA, trained, ("links.unproven", "")), {"pass"}, "no other link is suspected", said)


def of_healthy_and_erring(tell):
    of_a_healthy_fabric(tell)
    of_links_with_errors(tell)


# Two labs at a time: their hosts wait as much as they work.
tap.together([of_healthy_and_erring, of_slow_links])
tap.end()
