# SPDX-License-Identifier: Apache-2.0
"""The steps fabric-links and fabric-phy over a lab of several units, with leaves, spines and cores: every link is loaded and proven, a link
that is slow, has errors or is not active is named, and nothing passes by counters that stand still; a link of which its switch tells too
many errors, a hot module or what is unlike its kind is named, and nothing passes by rates that nobody tells.

usage: test_fabric_links.py ASSAY [UNITS]
"""

import os
import re
import sys

from cluster import FOLDER, Lab, Report, Tap, assay, wrapped, write
from link_items import cause, items_of, others, outcome

UNITS = int(sys.argv[2]) if len(sys.argv) > 2 else 2
HOSTS, LINKS = 8 * UNITS, 3 * 64 * UNITS  # 64 adapters of a unit, as many uplinks of its 8 leaves, and as many of its 8 spines
STEPS = [{"check": "reachable"}, {"check": "fabric-links", "scope": "cluster", "needs": ["reachable"]},
         {"check": "fabric-phy", "scope": "cluster", "needs": ["reachable"]}]


def suite(name, steps):
    return write(name, {"name": "links", "title": "Every link", "purpose": "trial", "steps": steps}, folder=FOLDER)


SUITE, QUALITY = suite("links.json", STEPS), suite("quality.json", [STEPS[0], STEPS[2]])
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


def run(lab, name, suite=SUITE):
    """The report, {(metric, subject): the item} of the gates of both steps, and what the terminal said."""
    database = os.path.join(FOLDER, f"{name}.db")
    done = assay("run", "-H", lab.hostfile, "-s", suite, "--db", database, "--progress", "none", "-o", os.path.join(FOLDER, f"{name}.html"))
    report = Report(database)
    return report, items_of(report, "fabric-links", "fabric-phy"), done.stdout + done.stderr


def recorded(report):
    """{metric: the item} of what fabric-phy only records."""
    return {item["metric"]: item for step, item in report.outcomes("record") if step["check"] == "fabric-phy"}


HCA = ("links.host", "node5 mlx5_3")


def of_a_healthy_fabric(tell):
    with Lab("healthy", HOSTS) as lab:
        report, items, said = run(lab, "healthy")
        proven = {item["value"] for _, item in report.outcomes("record") if item["metric"] == "links.proven"}
        tell.same((report.verdict, others(items)), ("accept", {"pass"}), "a healthy fabric passes", said)
        tell.same(len([key for key in items if key[0] == "links.host"]), 8 * HOSTS, "each adapter's own link is an item of its host")
        tell.same(proven, {100}, "all links are proven", said)
        # At both ends of what is between switches, and at the leaf's of what leads to a host.
        tell.same((recorded(report)["quality.ports"]["value"], {item["measured"] for metric, item in recorded(report).items() if metric != "quality.ports"}),
                  (LINKS // 3 * 5, {"alike"}), "each port of a switch tells its rates, and all of a kind are alike", said)

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
        tell.ok(outcome(items, "quality.untold") == "inconclusive" and f"{uplink(1)}: its link is not active" in cause(items, "quality.untold"),
                "nor does the quality of an uplink pass that is not active", said)
        tell.same(others(items, ("links.errors", ""), ("links.slow", ""), HCA, trained, ("links.unproven", ""), ("quality.untold", "")), {"pass"},
                  "no other link is suspected", said)


def of_healthy_and_erring(tell):
    of_a_healthy_fabric(tell)
    of_links_with_errors(tell)


def of_bad_quality(tell):
    leaf, far = uplink(1).split(" - ")
    faults = ["node1:uplink-ber", "node1:uplink-hot", "node9:uplink-fec", "node9:uplink-odd", "node6:leaf-ber:mlx5_2", "node7:leaf-ber:mlx5_4=1e-20"]
    with Lab("quality", HOSTS, faults) as lab:
        report, items, said = run(lab, "quality", QUALITY)
        ber = f"{uplink(1)}: symbol bit error rate 1e-12, expected <= 1e-14, at {leaf}"
        tell.same((outcome(items, "quality.links"), cause(items, "quality.links").count("bit error rate")), ("fail", 1), "one uplink has too many errors", said)
        tell.ok(ber in cause(items, "quality.links") and ber in said, "an uplink with too many errors is named, with the end that sees them", said)
        hot = f"{uplink(1)}: the transceiver is at 78 C, outside its own limits -5 to 75, at {leaf}"
        tell.ok(outcome(items, "quality.modules") == "fail" and hot in cause(items, "quality.modules") and far not in cause(items, "quality.modules").replace(uplink(1), ""),
                "a hot module is named, and not the one at the other end", said)
        own = ("quality.host", "node6 mlx5_2")
        tell.ok(outcome(items, *own) == "fail" and "effective bit error rate 1e-09, expected <= 1e-14, at MF0;l1r2:MQM9700/U1 port 6" in cause(items, *own) and
                report.verdict_of("node6") == "reject", "what a leaf receives wrong from a host is that host's", said)
        tell.same(others(items, ("quality.links", ""), ("quality.modules", ""), own), {"pass"}, "nothing else fails, nor an error rate that is low enough", said)
        records, at = recorded(report), uplink(2).split(" - ")[0]
        odd = {"quality.fec": f"MLNX_RS_271_257_PLR at {at}, MLNX_RS_544_514_PLR at most", "quality.part": f"MCP4Y10-N002 at {at}, MMA4Z00-NS at most",
               "quality.cable": f"Copper cable, unequalized at {at}, 850 nm VCSEL, separable at most", "quality.length": f"2 m at {at}, 30 m at most"}
        for metric, words in odd.items():
            told = records[metric]["cause"]
            tell.ok(records[metric]["remark"] and f"{uplink(2)}: {words} ports of leaves to spines" in told and told.count(" at most ") == 1,
                    f"{metric}: the odd link is named, once", told)
        tell.same((records["quality.firmware"]["measured"], records["quality.type"]["measured"]), ("alike", "alike"), "what is alike is said to be", said)


def of_untold_quality(tell):
    """What ibdiagnet writes is changed: nothing passes by what is not there."""
    path = {"links": ("quality.links", ""), "modules": ("quality.modules", ""), "untold": ("quality.untold", ""), "host": ("quality.host", "node3 mlx5_1")}
    dump = '"$6/ibdiagnet2.net_dump_ext"'
    cases = (
        ("no option", f'; rm -f {dump}', {"links", "modules", "untold", "host"}, "ibdiagnet2.net_dump_ext: there is no such table in it"),
        ("another column", f'; sed -i "s/Effective BER/Post BER/" {dump}', {"links", "modules", "untold", "host"}, "ibdiagnet2.net_dump_ext: not understood: Ty"),
        ("cut", f'; truncate -s -7 {dump}', {"links", "modules", "untold", "host"}, "ibdiagnet2.net_dump_ext: the table breaks off"),
        ("no permission", rf'; sed -i -E "/MF0;(s1|l1r1):/s/: 2e-09 : [^\"]*/: N\/A : N\/A : N\/A : N\/A : N\/A : /" {dump}', {"untold", "host"}, "no rate is reported"),
        ("no cables", '; sed -i /CABLE_INFO/d "$6/ibdiagnet2.db_csv"', {"modules"}, "CABLE_INFO: there is no such table in it"),
        ("few errors", rf'; sed -i -E "/MF0;s1:/s/: 1.5e-254 +: 1.5e-254 +: 0 +:/: 1.5e-254 : 1e-12 : 12 :/" {dump}', {"untold"}, "by 12 errors, of which it may have 30 in 125 minutes"),
    )
    with Lab("untold", HOSTS) as lab:
        with open(os.path.join(lab.folder, "bin", "ibdiagnet"), encoding="utf-8") as file:
            as_it_was = file.read()

        def change(**lines):
            with open(os.path.join(lab.folder, "bin", "ibdiagnet"), "w", encoding="utf-8") as file:
                file.write(wrapped(as_it_was, **lines))

        for name, edit, undecided, words in cases:
            change(after=edit)
            report, items, said = run(lab, f"untold-{name.replace(' ', '-')}", QUALITY)
            found = {key for key, item in path.items() if outcome(items, *item) == "inconclusive"}
            tell.same((report.verdict, found), ("incomplete", undecided), f"{name}: what nobody tells is undecided, and fails nothing", said)
            tell.ok(words in said, f"{name}: the terminal says why", said)
        # A version that does not know the old option any more.
        change(before='case "$*" in *--get_cable_info*) echo "-E- Illegal argument"; exit 1 ;; esac')
        report, items, said = run(lab, "without-the-plugin", QUALITY)
        tell.same((report.verdict, others(items)), ("accept", {"pass"}), "an ibdiagnet without the plugin of cables is asked without it", said)


def of_quality(tell):
    of_bad_quality(tell)
    of_untold_quality(tell)


# Some labs at a time: their hosts wait as much as they work.
tap.together([of_healthy_and_erring, of_slow_links, of_quality])
tap.end()
