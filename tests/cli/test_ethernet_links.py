# SPDX-License-Identifier: Apache-2.0
"""The step ethernet-links over a lab on Ethernet, whose switches hash: every link is loaded and proven by counters of hosts and switches; an
uplink that is slow, has errors or is not active is named, and nothing passes that no counter has seen.

usage: test_ethernet_links.py ASSAY
"""

import os
import re
import sys

from cluster import FOLDER, Lab, Report, Tap, assay, write
from link_items import cause, items_of, others, outcome

HOSTS = 16
ADAPTERS, LINKS = 8 * HOSTS, 3 * 8 * HOSTS  # as many links above the leaves, and above the spines, as adapters
tap = Tap()


def suite(name, **arguments):
    steps = [{"check": "reachable"}, {"check": "ethernet-links", "scope": "cluster", "needs": ["reachable"], "arguments": arguments}]
    return write(f"{name}.json", {"name": "links", "title": "Every link", "purpose": "trial", "steps": steps}, folder=FOLDER)


def run(lab, name, **arguments):
    """The report, {(metric, subject): the item} of what is judged, {metric: value} of what is recorded, and what the terminal said."""
    database = os.path.join(FOLDER, f"{name}.db")
    done = assay("run", "-H", lab.hostfile, "-s", suite(name, **arguments), "--db", database, "--progress", "none", "-o",
                 os.path.join(FOLDER, f"{name}.html"))
    report = Report(database)
    items = items_of(report, "ethernet-links")
    recorded = {item["metric"]: item["value"] for step, item in report.outcomes("record") if step["check"] == "ethernet-links"}
    return report, items, recorded, done.stdout + done.stderr


def uplink(unit):
    """The last one of the unit's first leaf, as the lab's faults have it."""
    return f"l{unit}r0 swp16 - s{8 * unit} swp1"


SLOW, ERRORS, UNPROVEN, AGREE = (("links." + word, "") for word in ("slow", "errors", "unproven", "agree"))
HCA = ("links.host", "node5 mlx5_3")


def of_what_is_told(tell):
    with Lab("healthy", HOSTS, options=["--fabric", "roce"]) as lab:
        planned = assay("plan", "-H", lab.hostfile, "-s", "site").stdout
        with open(lab.hostfile, encoding="utf-8") as file:
            silent = write("silent", re.sub(r" uplinks=\S+", "", file.read()), folder=FOLDER)
        left_out = assay("plan", "-H", silent, "-s", "site").stdout
        tell.ok(re.search(r"^  ethernet-links +all 16 hosts ", planned, re.M) and
                "ethernet-links: the hostfile declares no cables between switches" in left_out, "the step is of the suite site where the hostfile names the uplinks", planned, left_out)
        report, items, recorded, said = run(lab, "healthy")
        tell.same((report.verdict, others(items)), ("accept", {"pass"}), "a healthy fabric passes", said)
        tell.same(len([key for key in items if key[0] == "links.host"]), ADAPTERS, "each adapter's own link is an item of its host")
        tell.ok(recorded["links.links"] == LINKS and recorded["links.proven"] >= 99.9 and recorded["links.expected"] >= 99.9 and recorded["links.rounds"] >= 3,
                "all links are expected to carry load, and proven", recorded, said)

        report, items, recorded, said = run(lab, "hosts-only", switch_counters="false")
        tell.same((report.verdict, {outcome(items, *key) for key in (UNPROVEN, AGREE, SLOW, ERRORS)}, "fail" in others(items)),
                  ("incomplete", {"inconclusive"}, False), "without counters of switches nothing between them passes, and nothing fails", said)
        tell.ok("links between switches are expected to have carried load, and nobody has proven it" in cause(items, *UNPROVEN) and
                f"{LINKS - ADAPTERS} of {LINKS} links" in cause(items, *UNPROVEN) and f"{uplink(1)}: what it carried is not reported both ways" in said,
                "it is said that they are expected to have, and which they are", said)
        tell.same(others({key: item for key, item in items.items() if key[0] == "links.host"}), {"inconclusive"},
                  "nor do links of hosts pass, of whose leaf's errors nobody told", said)

        # What the switches' monitoring collected before.
        stale = f"cd {lab.folder}; cat last 2>/dev/null || cat switch-counters.csv; cp switch-counters.csv last"
        report, items, recorded, said = run(lab, "stale", switch_counters=stale)
        tell.ok(outcome(items, *AGREE) == "inconclusive" and "counters of both ends of a link differ by more than a tenth" in cause(items, *AGREE) and
                report.verdict == "incomplete", "counters of another time than the hosts' are not believed", said)
        # Both ends of a link alike: as if two rounds were one.
        twice = f"awk -F , -v OFS=, '$1 ~ /^[sc]/ || $2 !~ /^swp[1-8]$/ {{ $3 *= 2; $4 *= 2 }} {{ print }}' OFMT=%.0f CONVFMT=%.0f {lab.folder}/switch-counters.csv"
        report, items, recorded, said = run(lab, "twice", switch_counters=twice)
        tell.ok(outcome(items, *AGREE) == "inconclusive" and "more in a round than their declared rate allows" in cause(items, *AGREE),
                "nor those of more than links can carry", said)
        leaves_only = f"grep -v '^l[0-9]*r[0-9],swp[1-8],' {lab.folder}/switch-counters.csv"
        report, items, recorded, said = run(lab, "leaves-only", switch_counters=leaves_only)
        tell.ok(outcome(items, *AGREE) == "inconclusive" and "only one end reports counters" in cause(items, *AGREE),
                "nor those that no port to a host ties to the hosts'", said)
        cut = f"head -c -3 {lab.folder}/switch-counters.csv"
        report, items, recorded, said = run(lab, "cut", switch_counters=cut)
        tell.ok(others(items) == {"inconclusive"} and "expected node,port,out_octets,in_octets[,errors]" in said, "nor those that break off", said)


def of_cables(tell):
    with Lab("cables", HOSTS, options=["--fabric", "roce"]) as lab:
        with open(os.path.join(lab.folder, "uplinks.csv"), encoding="utf-8") as file:
            plan = file.read()
        host = "node1.dc1.example,rdma0,l1r0,swp1,400\n"
        whole = write("whole.csv", "Node,Port,Node,Port,Gb/s\n" + host + plan.replace(",", " , "), folder=FOLDER)
        report, items, recorded, said = run(lab, "whole", uplinks=whole)
        tell.same((report.verdict, recorded["links.links"]), ("accept", LINKS), "a plan may tell hosts' cables too, as they do", said)
        report, items, recorded, said = run(lab, "other", uplinks=write("other.csv", host.replace("swp1,", "swp2,") + plan, folder=FOLDER))
        tell.ok(others(items) == {"inconclusive"} and "a port has one link" in said, "refused: a plan that tells a host's cable otherwise than the host", said)
        report, items, recorded, said = run(lab, "broken", uplinks=write("broken.csv", plan[:-2], folder=FOLDER))
        tell.ok(others(items) == {"inconclusive"} and "its last line breaks off" in said, "refused: a plan that breaks off", said)
        report, items, recorded, said = run(lab, "none", uplinks="/dev/null")
        tell.ok(outcome(items, *UNPROVEN) == "inconclusive" and "of 16 leaves no link to other switches is declared: l1r0" in cause(items, *UNPROVEN),
                "without cables above the leaves their links are not passed", said)
        # A switch whose uplinks the plan has forgotten.
        part = "".join(line for line in plan.splitlines(True) if not line.startswith("l2r3,"))
        report, items, recorded, said = run(lab, "part", uplinks=write("part.csv", part, folder=FOLDER))
        tell.ok(outcome(items, *UNPROVEN) == "inconclusive" and "of 1 leaf no link to other switches is declared: l2r3" in cause(items, *UNPROVEN),
                "nor those of the one leaf that the plan leaves out", said)
        # One cable of a leaf, which carries its eighth all the same: the lab loads declared cables only.
        part = "".join(line for line in plan.splitlines(True) if not line.startswith("l2r0,swp16,")) + "l2r1,swp99,s1,swp99,400\n"
        eighth = (f"awk -F , -v OFS=, '($1 == \"l2r0\" && $2 !~ /^swp[1-8]$/) || ($1 ~ /^s(9|1[0-5])$/ && $2 == \"swp1\") "
                  f"{{ $3 *= 7/8; $4 *= 7/8 }} {{ print }}' OFMT=%.0f CONVFMT=%.0f {lab.folder}/switch-counters.csv")
        report, items, recorded, said = run(lab, "cable", uplinks=write("cable.csv", part, folder=FOLDER), switch_counters=eighth)
        tell.ok(outcome(items, *UNPROVEN) == "inconclusive" and "that a cable is not declared" in cause(items, *UNPROVEN) and
                "l2r0: its 7 links 87.5% of it" in cause(items, *UNPROVEN) and report.verdict == "incomplete",
                "nor the links of a leaf that sends more than those that are declared carry", said)
        fewer = [item for _, item in report.outcomes("record") if item["metric"] == "links.uplinks"]
        tell.ok(len(fewer) == 1 and fewer[0]["remark"] and "l2r0: 7 links to other switches, while others like it have 8" in str(fewer[0]),
                "and it is remarked that the leaf has fewer than others", fewer)
        tell.ok("l2r1: 9 links to other switches, while others like it have 8" in str(fewer) and fewer[0]["cause"].count("others like it") == 2,
                "or more, and no leaf that has as many as most", fewer)
        lab.wrap("lldpctl", before='[ "$ASSAY_LAB_HOST" != node3 ] || { echo "cannot connect to lldpd" >&2; exit 1; }')
        report, items, recorded, said = run(lab, "no-lldp")
        tell.ok(others(items) == {"inconclusive"} and "ranks are of no adapter, or of several, that the fabric calls so: node3 mlx5_0" in said, "a host without LLDP is named", said)


def of_bad_links(tell):
    with Lab("slow", HOSTS, ["node9:uplink-slow:60", "node5:nic-slow:mlx5_3=20", "node6:link-rate:mlx5_2=200"], options=["--fabric", "roce"]) as lab:
        report, items, recorded, said = run(lab, "slow")
        named = re.search(re.escape(uplink(2)) + r": it carried \d+% and \d+% of what the links beside it did", cause(items, *SLOW))
        tell.ok(outcome(items, *SLOW) == "inconclusive" and named and cause(items, *SLOW).count("it carried") == 1,
                "an uplink that is slow beside its siblings is named, and no other", said)
        tell.ok(outcome(items, *UNPROVEN) == "inconclusive" and re.search(re.escape(uplink(2)) + r": at most \d+% of its rate", cause(items, *UNPROVEN)),
                "and is not proven", said)
        tell.same((outcome(items, *HCA), cause(items, *HCA)), ("inconclusive", "links.host was not read: no counter proves that it carried half of its rate in both directions"),
                  "a host's link that carried too little is not passed", said)
        trained = ("links.host", "node6 mlx5_2")
        tell.ok(outcome(items, *trained) == "fail" and "it runs at 200 Gb/s, most links like it at 400 Gb/s" in cause(items, *trained),
                "one that runs at a lower rate than the others is that host's", said)
        tell.same((others(items, SLOW, UNPROVEN, HCA, trained), report.verdict_of("node6")), ({"pass"}, "reject"), "no other link is suspected", said)
        with open(os.path.join(lab.folder, "uplinks.csv"), encoding="utf-8") as file:
            plan = re.sub(r"^(l2r0,swp16,.*),400$", r"\1,200", re.sub(r"^(l2r1,swp9,.*),400$", r"\1,800", file.read(), flags=re.M), flags=re.M)
        plan = "".join(f"node6,mlx5_{rail},l1r{rail},swp6,400\n" for rail in range(8)) + plan
        report, items, recorded, said = run(lab, "declared", uplinks=write("declared.csv", plan, folder=FOLDER))
        told = [item["cause"] for _, item in report.outcomes("record") if item["metric"] == "links.uplinks" and item["remark"]]
        tell.ok(outcome(items, *SLOW) == "pass" and len(told) == 1 and told[0].count("declared with") == 2 and
                f"{uplink(2)}: declared with 200 Gb/s, while others beside it have 400" in told[0] and "declared with 800 Gb/s, while others beside it have 400" in told[0],
                "those that are declared with less or more than most are a remark, and no others", told, said)
        tell.same(outcome(items, *trained), "fail", "a host that trained slower than the plan has it is named, and hides nothing", said)
    with Lab("errors", HOSTS, ["node1:uplink-errors", "node9:uplink-idle"], options=["--fabric", "roce"]) as lab:
        report, items, recorded, said = run(lab, "errors")
        tell.ok(outcome(items, *ERRORS) == "fail" and uplink(1) in cause(items, *ERRORS) and cause(items, *ERRORS).count(" errors in ") == 1,
                "an uplink with errors is named, and no other", said)
        tell.ok(outcome(items, *UNPROVEN) == "inconclusive" and f"{uplink(2)}: at most 0% of its rate one way and 0% the other" in cause(items, *UNPROVEN),
                "one that is not active is listed, and the fabric is not passed", said)


def of_many_links(tell):
    with Lab("many", 48, ["node9:uplink-idle"], options=["--fabric", "roce"]) as lab:
        report, items, recorded, said = run(lab, "many")
        tell.ok(recorded["links.proven"] >= 99.9 and outcome(items, *UNPROVEN) == "inconclusive" and uplink(2) in cause(items, *UNPROVEN),
                "one link in a thousand that carried nothing is named, though as many may carry less than half", recorded, said)
        untold = (f"awk -F , -v OFS=, '($1 == \"l2r0\" && $2 == \"swp16\") || ($1 == \"s16\" && $2 == \"swp1\") {{ $3 = $4 = \"-\" }} {{ print }}' "
                  f"{lab.folder}/switch-counters.csv")
        report, items, recorded, said = run(lab, "untold", switch_counters=untold)
        tell.ok(recorded["links.proven"] >= 99.9 and outcome(items, *UNPROVEN) == "inconclusive" and
                f"{uplink(2)}: what it carried is not reported both ways" in cause(items, *UNPROVEN), "nor does one pass that nobody counted", recorded, said)
        tell.ok("in no round were all counters of 1 leaf reported" in cause(items, *UNPROVEN), "and its leaf is not weighed, which is said", said)


# Some labs at a time: their hosts wait as much as they work.
tap.together([of_what_is_told, of_cables, of_bad_links, of_many_links])
tap.end()
