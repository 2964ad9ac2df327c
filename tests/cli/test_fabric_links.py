# SPDX-License-Identifier: Apache-2.0
"""The step fabric-links over a lab of three units, with leaves, spines and cores: every link is loaded and proven, a link that is
slow, has errors or is not active is named, and nothing passes by counters that stand still.

usage: test_fabric_links.py ASSAY
"""

import json
import os
import re

from cluster import FOLDER, Lab, Report, Tap, assay

HOSTS, LINKS = 24, 576  # 192 adapters, as many uplinks of 24 leaves, and as many of 24 spines
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


with Lab("healthy", HOSTS) as lab:
    report, items, said = run(lab, "healthy")
    proven = {item["value"] for _, item in report.outcomes("record") if item["metric"] == "links.proven"}
    tap.same((report.verdict, others(items)), ("accept", {"pass"}), "a healthy fabric passes", said)
    tap.same(len([key for key in items if key[0] == "links.host"]), 8 * HOSTS, "each adapter's own link is an item of its host")
    tap.same(proven, {100}, "all links are proven", said)

    # The flows say that they were fast.
    change_counters(lab, STAND_STILL, UNTOLD)
    report, items, said = run(lab, "still")
    bad = ("links.unproven", ""), ("links.agree", "")
    tap.same((report.verdict, {outcome(items, *key) for key in bad}), ("incomplete", {"inconclusive"}),
             "counters of switches that stand still prove nothing, however fast the flows were", said)
    tap.ok(f"384 of {LINKS} links" in cause(items, "links.unproven") and "MF0;l1r0:MQM9700/U1 port 9 - MF0;s1:MQM9700/U1 port 1" in said,
           "the terminal names links that are not proven", said)
    tap.ok("less than half of what the flows report" in cause(items, "links.agree"), "and says that counters and flows disagree", said)
    untold = ("links.host", "node5 mlx5_3")
    tap.same((outcome(items, *untold), {item["outcome"] for key, item in items.items() if key[0] == "links.host" and key != untold}),
             ("inconclusive", {"pass"}), "a host's link whose errors nobody told does not pass, and the others do", said)

with Lab("slow", HOSTS, ["node9:uplink-slow:40", "node5:nic-slow:mlx5_3=20"]) as lab:
    report, items, said = run(lab, "slow")
    tap.ok(outcome(items, "links.slow") == "fail" and re.search(re.escape(uplink(2)) + r": \d+ flows at 58% of the rate, expected",
                                                               cause(items, "links.slow")), "a slow uplink is named", said)
    slow = ("links.host", "node5 mlx5_3")
    tap.ok(outcome(items, *slow) == "fail" and "flows over it at 39% of the rate" in cause(items, *slow) and report.verdict_of("node5") == "reject",
           "a slow link of a host is that host's", said)
    tap.same(others(items, ("links.slow", ""), slow, ("links.unproven", "")), {"pass"}, "no other link is suspected", said)

    change_counters(lab, STAND_STILL)
    report, items, said = run(lab, "withheld")
    tap.same((outcome(items, "links.slow"), outcome(items, *slow), "fail" in {item["outcome"] for item in items.values()}),
             ("inconclusive", "inconclusive", False), "where counters contradict the ways of flows, no link is accused of a slow one", said)

# Of the sweep two links are changed: the flows and counters stay those of a healthy fabric.
with Lab("trained", HOSTS) as lab:
    lab.wrap("ibdiagnet", after=r"""; rc=$?
sed -i -e '/{node5 mlx5_3}/s/PHY=4x/PHY=1x/' -e '/{MF0;l2r0:.*{MF0;s16:/s/PHY=4x/PHY=2x/' -e '/{MF0;s16:.*{MF0;l2r0:/s/PHY=4x/PHY=2x/' "$6/ibdiagnet2.lst"
exit $rc""")
    report, items, said = run(lab, "trained")
    tap.ok(outcome(items, "links.slow") == "fail" and f"{uplink(2)}: it runs at 200 Gb/s, most links like it at 400 Gb/s" in cause(items, "links.slow"),
           "an uplink that trained with half of its lanes is named", said)
    tap.ok(outcome(items, *slow) == "fail" and "it runs at 100 Gb/s, most links like it at 400 Gb/s" in cause(items, *slow),
           "a link of a host that trained with one lane is that host's", said)
    tap.same("fail" in others(items, ("links.slow", ""), slow), False, "no other link is accused", said)

with Lab("errors", HOSTS, ["node17:uplink-errors", "node5:link-ber:mlx5_3=1e-9", "node9:uplink-idle"]) as lab:
    report, items, said = run(lab, "errors")
    tap.ok(outcome(items, "links.errors") == "fail" and cause(items, "links.errors").count(" errors in ") == 1 and uplink(3) in cause(items, "links.errors"),
           "an uplink with errors is named, and no other", said)
    erring = ("links.host", "node5 mlx5_3")
    tap.ok(outcome(items, *erring) == "fail" and "errors in" in cause(items, *erring), "errors on a host's link are that host's", said)
    tap.ok(outcome(items, "links.unproven") == "inconclusive" and f"{uplink(2)}: not active" in cause(items, "links.unproven"),
           "an uplink that is not active is listed, and the fabric is not passed", said)
    tap.same(others(items, ("links.errors", ""), erring, ("links.unproven", "")), {"pass"}, "no other link is suspected", said)

tap.end()
