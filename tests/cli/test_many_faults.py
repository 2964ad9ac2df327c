# SPDX-License-Identifier: Apache-2.0
"""Different faults on different hosts in one delivery: each host is named with its own failure, and nobody else.

What is right of each fault is told by fault_cases.py. One of them slows others down: each group that is accused has that host
in it, and says so. Seven faults on 16 hosts; `all`, as scripts/bench thirty has it: thirty on 64.

usage: test_many_faults.py ASSAY [all]
"""

import os
import re
import sys
import time

from cluster import FOLDER, Lab, Report, Tap, assay
from fault_cases import COLLECTIVES, GROUPS

ALL = sys.argv[2:] == ["all"]
HOSTS = 64 if ALL else 16
AT_ONCE = 16  # more would wait for this machine's CPUs, and be late
EVERY = ("gpu-missing:3", "gpu-odd:4=vbios", "inforom:6", "p2p:2-5=45", "nvlink-down:2-5", "mig-on:1", "ecc-off:4",
         "remap-pending:7", "ecc-uncorrected:4=3", "reset-required:6", "xid-before:2=79", "power-limit:3", "clocks-locked:5",
         "dcgm:3", "burn-faulty:6", "burn-slow:5", "burn-short", "pcie-width:5=8", "throttle:1", "ecc-burn:2=3", "remap-burn:3",
         "nvme-gone", "nvlink-recovery:5", "fabric-manager-version", "nvls-off", "nic-far:mlx5_6", "link-rate:mlx5_4",
         "module-hot:mlx5_4", "kernel-version")
# Of those: what is told from other hosts, from the host's own GPUs, after the load, and by itself.
SOME = ("gpu-odd:4=vbios", "burn-slow:5", "burn-faulty:6", "nvme-gone", "nic-far:mlx5_6", "kernel-version")
ALONE = EVERY if ALL else SOME
SLOWING = "nic-slow:mlx5_3"
tap = Tap()


def case_of(name):
    """The one of a whole delivery on the H100."""
    found = [case for group, cases in GROUPS.items() if group != "nvl72" for case in cases if case.name == name and case.suite == "delivery"]
    if len(found) != 1:
        raise RuntimeError(f"{len(found)} cases are called {name}")
    return found[0]


def accused(report):
    """{step: its bad items}, by number."""
    found = {}
    for item in report.json["outcomes"]:
        if item["duty"] == "gate" and item["outcome"] in ("fail", "inconclusive"):
            found.setdefault(item["step"], []).append(item)
    return found


def wrong_host(case, host, report, bad):
    """What is not as the case says of its host alone."""
    mine = {report.steps[number]["name"]: items for number, items in bad.items() if report.steps[number]["members"] == [host]}
    right = {step: what for (_, step), what in case.right.items()}
    if set(mine) != set(right):
        return f"accused are {sorted(mine)}, expected {sorted(right)}"
    for step, (word, subjects, cause) in right.items():
        items = [item for item in mine[step] if item["outcome"] == word]
        if {item["subject"] for item in items} != subjects or not any(re.search(cause, item["cause"]) for item in items):
            return f"{step}: {word} of {sorted({item['subject'] for item in items})}: {items[0]['cause'] if items else 'nothing'}"
        if len(items) < len(mine[step]) and not case.numbers_undecided:
            return f"{step}: also {[item['cause'] for item in mine[step] if item['outcome'] != word][:3]}"
    return ""


# Every second host, so that each stands between healthy ones; both ends of the ring are healthy.
PLACES = {f"node{2 + 2 * i}": name for i, name in enumerate(ALONE + (SLOWING,))}
SLOW_HOST = next(host for host, name in PLACES.items() if name == SLOWING)
COUNT = 30 if ALL else 7
tap.same((len(PLACES), len({name.split(":")[0] for name in PLACES.values()})), (COUNT, COUNT), f"there are {COUNT} faults, each of another kind")
with Lab("many", HOSTS, [f"{host}:{name}" for host, name in PLACES.items()], speed=2000) as lab:
    database, begun = os.path.join(FOLDER, "many.db"), time.monotonic()
    done = assay("run", "-H", lab.hostfile, "-s", "delivery", "--db", database, "--progress", "none", "--hosts-at-once", AT_ONCE,
                 "-o", os.path.join(FOLDER, "many.html"))
    print(f"# the run took {time.monotonic() - begun:.0f} s", flush=True)
report = Report(database)
bad = accused(report)
tap.same((done.returncode, report.verdict), (1, "reject"), "the delivery is rejected", done.stderr)
for host, name in PLACES.items():
    case = case_of(name)
    if name != SLOWING:
        problem = wrong_host(case, host, report, bad)
        tap.ok(not problem, f"{host} {name}: named with its own failure", problem)
healthy = {f"node{i}" for i in range(1, HOSTS + 1)} - set(PLACES)
tap.same([f"{report.steps[number]['target']} {report.steps[number]['name']}" for number in bad
          if set(report.steps[number]["members"]) <= healthy], [], "no healthy host is accused, alone or with others")
tap.same({host: report.verdict_of(host) for host in healthy if report.verdict_of(host) != "accept"}, {}, "each healthy host is accepted")
groups = {number: items for number, items in bad.items() if len(report.steps[number]["members"]) > 1}
tap.same([f"{report.steps[number]['target']} {report.steps[number]['name']}" for number in groups
          if SLOW_HOST not in report.steps[number]["members"]], [], f"each group that is accused has {SLOW_HOST} in it")
rails = [items for number, items in groups.items() if report.steps[number]["name"] == "rdma-pair"]
tap.ok(len(rails) == 2 and all({item["subject"] for item in items} == {"mlx5_3"} for items in rails),
       "its adapter is named, with both of its neighbours", rails)
tap.same([(item["kind"], item["subject"]) for item in report.json["accusations"]], [("host", SLOW_HOST)],
         f"of all that groups were slowed by, {SLOW_HOST} is accused, and nobody else")
searched = [entry for entry in report.entries if entry["check"] in COLLECTIVES and entry["outcome"] == "fail"]
tap.same((len(searched) >= 2, [entry["cause"] for entry in searched if f"{SLOW_HOST} makes it slow" not in entry["cause"]]),
         (True, []), f"each failure of those that are searched points at {SLOW_HOST}")
shown = assay("show", "--db", database).stdout.splitlines()
tap.same([line for line in shown if len(line) > 80 and not line.startswith("all of it: ")], [], "show fits into 80 columns")
across = " ".join(" ".join(shown).split("  across hosts", 1)[1].split("all of it: ")[0].split())
names = re.findall(r"\(([^)]*)\)", across)[0].split(", ")
tap.ok("rdma-pair" in names and len(names) == len(set(names)), "show names each test across hosts once", across)
with open(os.path.join(FOLDER, "many.html"), encoding="utf-8") as file:
    burns = re.findall(r"<h3>(gpu-burn[^<]*)</h3>\s*<figure.*?</figure>\s*<table class=\"burn\">(.*?)</table>", file.read(), re.S)
rates = {name: [int(rate.replace(",", "")) for rate in re.findall(r">(\d+,\d+)<br>", table)] for name, table in burns}
tap.ok(set(rates) == {"gpu-burn", "gpu-burn-tensor"} and max(rates["gpu-burn"]) < 100000 < min(rates["gpu-burn-tensor"]),
       "what floats and what tensor cores do stand in tables of their own", {name: sorted(of)[:3] for name, of in rates.items()})
tap.end()
