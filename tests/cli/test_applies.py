# SPDX-License-Identifier: Apache-2.0
"""A delivery takes in what applies: by hostfile and platform, with its reason, and never by silence.

usage: test_applies.py ASSAY
"""

import json
import os
import re

from cluster import FOLDER, Lab, Report, Tap, assay, write

tap = Tap()
CABLES = " ".join(f"rail.mlx5_{i}=leaf{i}" for i in range(8))


def plan_of(name, text):
    """Of each conditional step on its first platform: (taken in, assumed, reason)."""
    done = assay("plan", "-H", write(name, text), "-s", "delivery", "--format", "json")
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    plan = json.loads(done.stdout)
    planned = {shape["step"] for shape in plan["plan"] if shape["runs"]}
    chosen = {}
    for choice in plan["applies"]:
        chosen.setdefault(choice["step"], (choice["taken"], choice["assumed"], choice["reason"]))
        tap.ok(choice["taken"] == (choice["step"] in planned) or choice["platform"] != plan["applies"][0]["platform"],
               f"{name}: {choice['step']} is planned if it was taken in, and only then")
        tap.ok(choice["reason"], f"{name}: {choice['step']} says why")
    return chosen, planned


def taken(chosen):
    return {step for step, (is_taken, _, _) in chosen.items() if is_taken}


ETHERNET = f"defaults platform=hgx-h100 fabric=ethernet probe=gpu mounts=/data,/scratch {CABLES}\nn[1-8]\n"
chosen, planned = plan_of("ethernet", ETHERNET)
tap.ok({"roce", "cabling-lldp", "storage", "bmc", "rdma-pair", "rdma-gpudirect", "rdma-latency", "gpu-sdc"} <= taken(chosen),
       "on Ethernet: RoCE settings, cables by LLDP, storage, BMC, every rail, and silent data corruption where the probe is", chosen)
tap.ok({"setup", "nvbandwidth"} <= planned, "set-up and copies between host and GPUs are for all", planned)
tap.ok(not {"cabling", "cabling-fabric"} & planned, "what InfiniBand's tools ask is left out")

chosen, planned = plan_of("bare", "defaults platform=hgx-h100\nn[1-8]\n")
tap.ok(not {"roce", "cabling", "cabling-lldp", "storage", "gpu-sdc"} & planned, "what nobody declared is left out", planned)
tap.ok("rail.HCA" in chosen["cabling"][2] and "mounts=" in chosen["storage"][2] and "probe=gpu" in chosen["gpu-sdc"][2], "with the words that would take it in", chosen)
tap.ok(chosen["roce"][1] and "assumed" in chosen["roce"][2], "that it is no Ethernet is told as an assumption", chosen["roce"])

chosen, planned = plan_of("no-bmc", "defaults platform=hgx-h100 bmc=none\nn1\n")
tap.ok("bmc" not in planned and "bmc=none" in chosen["bmc"][2], "a BMC is only left out where the hostfile denies it", chosen)
tap.ok(not {"mpi-launch", "rdma-pair", "nccl-all-reduce-cluster"} & planned, "one host has no fabric to test", planned)
tap.ok("hostfile has 1" in chosen["rdma-pair"][2], "and the plan says so", chosen["rdma-pair"])

chosen, planned = plan_of("npus", "defaults platform=atlas-800t-a2\nn[1-2]\n")
tap.ok("has no GPUs" in chosen["gpu-burn"][2] and "gpu-burn" not in planned, "what a platform does not have is named", chosen)

# A platform that is told by another name would be judged by little, and hosts of two would never meet.
def platform(name, base="hgx-h100", **other):
    with open(os.path.join(os.path.dirname(__file__), f"../../suites/platforms/{base}.json"), encoding="utf-8") as file:
        known = json.load(file)
    return write(f"{name}.json", json.dumps({**known, "name": name, "$schema": "", **other}))


def planned_as(name, path):
    """The whole plan of eight hosts of it, and every limit in it, but for the platform's name."""
    done = assay("plan", "-H", write(name, f"defaults platform={path}\nn[1-8]\n"), "-s", "delivery", "--full")
    return done.stdout.replace(name, "PLATFORM").splitlines() or done.stderr


HCAS = {"names": [f"mlx5_{i}" for i in range(4)], "gbits": 400}
site, like, four = platform("site-h100"), platform("like-h100", like="hgx-h100"), platform("four-h100", like="hgx-h100", hcas=HCAS)
known, alike, fewer = planned_as("hgx-h100", "hgx-h100"), planned_as("like-h100", like), planned_as("four-h100", four)
tap.same(alike, known, "what is known of a platform holds for one that is like it, and its plan is the same")
published = [line for line in known if "nccl.all_reduce.busbw" in line and "field: " in line]
tap.ok(len(published) == 2 and len([line for line in fewer if line in published]) == 1
       and [line for line in fewer if "p2p." in line] == [line for line in known if "p2p." in line],
       "with other HCAs only what is known of one host", published)

# NVLinks end at the rack, and pairs of GPUs with them; adapters do not. Nobody is left out in silence.
trays = write("trays", f"defaults platform={platform('site-gb200', 'gb200-nvl72', like='gb200-nvl72', hcas=HCAS)}\na rack=1\nb rack=1\nc rack=2\n")
done = assay("plan", "-H", trays, "-s", "delivery", "--format", "json")
rows = [(row["step"], row["steps"], row["runs"], row["note"]) for row in json.loads(done.stdout)["plan"]
        if row["step"] in ("rdma-pair", "nccl-all-gather-pairs")]
tap.same(rows, [("rdma-pair", 3, True, ""), ("nccl-all-gather-pairs", 1, True, ""),
                ("nccl-all-gather-pairs", 1, False, "it needs 2 hosts of platform site-gb200 in rack 2, there is 1")],
         "a host that is alone in its rack owes the pair that it cannot make; its adapters are tested, and are peers of those within a rack", done.stderr)

for name, text, words in (
        ("silent", f"defaults platform={site}\na\n", 'write "like": "hgx-h100" into its file, or give a baseline'),
        ("false", f"defaults platform={platform('false-h100', like='hgx-h200')}\na\n", "other GPUs, NVLinks or NVSwitches than 'hgx-h200'"),
        ("unknown", f"defaults platform={platform('odd-h100', like='site-h100')}\na\n", "'site-h100', which is not built in"),
        ("apart", f"a platform=hgx-h100\nb platform={like}\n", "hosts of platform hgx-h100 and of like-h100 would never be tested"),
        ("haste", "defaults platform=hgx-h100 timescale=60\na address=10.0.0.7\n", ":2:1: host 'a' divides all times by 60 (timescale)"),
        ("leaf", "defaults platform=hgx-h100\na leaf=l1\nb\n", ":3:1: host 'b' has no leaf=, and 'a' on line 2 has leaf=l1"),
        ("rack", "defaults platform=gb200-nvl72\na rack=r1\nb\n", ":3:1: host 'b' has no rack=, and 'a' on line 2 has rack=r1"),
        ("mixed", "defaults platform=hgx-h100\na fabric=ethernet\nb\n", ":3:1: fabric of host 'b' is nothing, and of 'a'"),
        ("word", "defaults platform=hgx-h100 fabric=token-ring\na\n", "expected infiniband or ethernet"),
        ("mount", "defaults platform=hgx-h100 mounts=data\na\n", "expected mount points"),
        ("probe", "defaults platform=hgx-h100 probe=yes\na\n", ":1:34: probe is 'yes'; expected gpu"),
        ("some", "defaults platform=hgx-h100\na probe=gpu\nb\n", ":3:1: probe of host 'b' is nothing, and of 'a' on line 2 gpu"),
        ("half", f"defaults platform=hgx-h100\na {CABLES}\nb\n", "host 'b' declares no rail for mlx5_0")):
    done = assay("plan", "-H", write(name, text), "-s", "delivery")
    tap.ok(done.returncode == 64 and words in done.stderr, f"{name} is refused with its line", done.stderr)

done = assay("plan", "-H", write("text", ETHERNET), "-s", "delivery", "--full")
tap.ok("taken in  roce (roce, hgx-h100): the hostfile says fabric=ethernet" in done.stdout and
       "left out  cabling-fabric (cabling-fabric, hgx-h100): the hostfile says fabric=ethernet" in done.stdout,
       "assay plan --full lists both with the reason", done.stdout[-3000:])

with Lab("roce", 2, options=("--fabric", "roce")) as lab:
    with open(lab.hostfile, encoding="utf-8") as file:
        silent = file.read().replace(" fabric=ethernet", "")
    database = os.path.join(FOLDER, "silent.db")
    done = assay("run", "-H", write("silent", silent), "-s", "delivery", "--steps", "reachable,ib-port", "--db", database,
                 "--progress", "none", "-o", os.path.join(FOLDER, "silent.html"))
    found = {(item["outcome"], item["metric"]) for step, item in Report(database).outcomes() if step["name"] == "ib-port"
             and item["outcome"] != "pass"}
    causes = " ".join(item["cause"] + item["remedy"] for _, item in Report(database).outcomes() if item["metric"] == "ib.link_layer")
    tap.same(found, {("inconclusive", "ib.link_layer")}, "Ethernet that nobody declared is found, and decides nothing", done.stderr)
    tap.ok("fabric=ethernet" in causes, "with what to say in the hostfile", causes)
    tap.ok("recap:" in done.stdout and "in no test across hosts" not in done.stdout,
           "what --steps left out of a host is not taken for tests across hosts that it was in none of", done.stdout)

with Lab("one", 1) as lab:
    database = os.path.join(FOLDER, "one.db")
    done = assay("run", "-H", lab.hostfile, "-s", "delivery", "--db", database, "--progress", "none",
                 "-o", os.path.join(FOLDER, "one.html"))
    tap.same((done.returncode, Report(database).verdict), (0, "accept"), "one healthy host is accepted", done.stderr)
    with open(os.path.join(FOLDER, "one.html"), encoding="utf-8") as file:
        untested = re.search("Not tested on these hosts: [^<]*", file.read())
    tap.ok(untested and "storage (the speed of storage from each host was not tested: the step has no argument fio_folder" in untested.group(),
           "its first page says that nobody measured how fast storage is", untested and untested.group())


# What was left out, or only written down, is in what is signed, and so is that two kinds of hosts never met.
with open(os.path.join(os.path.dirname(__file__), "../../suites/delivery.json"), encoding="utf-8") as file:
    TRIAL = write("trial.json", json.dumps({**json.load(file), "$schema": "", "purpose": "trial"}))
with Lab("two", 4) as lab:
    with open(lab.hostfile, encoding="utf-8") as file:
        lines = file.read().replace("mounts=/data,/scratch", "").splitlines()
    text = "\n".join(line + f" platform={site}" if line.startswith(("node3", "node4")) else line for line in lines) + "\n"
    database = os.path.join(FOLDER, "apart.db")
    done = assay("run", "-H", write("apart.hosts", text), "-s", TRIAL, "--steps", "reachable", "--db", database, "--progress",
                 "none", "-o", os.path.join(FOLDER, "apart.html"))
    shown = " ".join(assay("report", "--db", database, "--format", "text").stdout.split())
    for words, why in (("roce, the whole test (hgx-h100): the hostfile says fabric=infiniband", "a test that was left out"),
                       ("roce, the whole test (site-h100): the hostfile says fabric=infiniband", "the same on a platform of a file"),
                       ("p2p-bandwidth, p2p.unidirectional.enabled (site-h100): only recorded: no enforceable limit", "a number without a limit"),
                       ("nvlink-domain, the whole test (hgx-h100): hosts of this kind have no such part", "what hosts do not have"),
                       ("nccl-all-gather-cluster, the whole test (hgx-h100, site-h100): hosts of these platforms were never tested together",
                        "hosts that never met"),
                       ("the hostfile divides all durations by 600", "times that are cut short")):
        tap.ok(words in shown, f"the report names {why}", shown[2000:6000], done.stderr)
    rows = json.loads(assay("report", "--db", database, "--format", "json").stdout)["not_judged"]
    tap.same({row["kind"] for row in rows}, {"recorded", "condition", "platform", "never_met", "timescale"}, "scripts read it too")
    with open(os.path.join(FOLDER, "apart.html"), encoding="utf-8") as file:
        tap.ok('<section id="unjudged"' in file.read(), "and so does its page")

tap.end()
