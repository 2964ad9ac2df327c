# SPDX-License-Identifier: Apache-2.0
"""What a port or GPU counts between two tests, with nothing under load: no window sees it, the run's last look does.

usage: test_looked_twice.py ASSAY
"""

import json
import os
import re

from cluster import FOLDER, Lab, Report, Tap, assay

# Between the looks a command of the suite counts for the port: as much as is in the file COUNTED of the host.
COUNT = """cd "$ASSAY_LAB_ROOT/sys/class/infiniband/mlx5_3/ports/1/counters" && [ -f ../COUNTED ] || { echo counted 0; exit 0; }
while read -r name more; do echo $(($(cat "$name") + more)) >new && mv new "$name"; done <../COUNTED; echo counted 1"""
SUITE = {
    "name": "looked-twice", "title": "looked twice", "purpose": "trial", "steps": [
        {"check": "reachable"},
        {"check": "fabric-counters", "needs": ["reachable"]},
        {"name": "between", "check": "command", "needs": ["fabric-counters"],
         "arguments": {"command": COUNT, "pattern": "^counted (?<counted>[0-9]+)$", "metric_prefix": "site"}, "record": ["site.*"]},
        {"name": "fabric-counters-after", "check": "fabric-counters", "needs": ["between"]},
    ]}
# Of each host: what its port counts in between, and what becomes of the second look.
HOSTS = {
    "node1": ({}, {}),
    "node2": ({"link_downed": 1}, {"link_downed": r"ib\.counter\.link_downed is (\d+), 1 more than the \d+ that it was when the run first read it"}),
    "node3": ({"symbol_error": 9}, {}),
    "node4": ({"symbol_error": 11}, {"symbol_error": r"is \d+, 11 more than the \d+ that it was"}),
    "node5": ({"local_link_integrity_errors": 1, "port_rcv_errors": 3}, {"local_link_integrity_errors": r"1 more than the 0 that it was"}),
    "node6": ({"link_downed": -1}, {"link_downed": r"less than the 3 that it was .* not known"}),  # cleared meanwhile
}

tap = Tap()
suite = os.path.join(FOLDER, "looked-twice.json")
with open(suite, "w", encoding="utf-8") as file:
    json.dump(SUITE, file)
# Who has a fault has a tree of its own: this one has counted long ago.
with Lab("looked-twice", len(HOSTS), [f"{host}:link-downs:mlx5_3=3" for host in HOSTS], speed=10) as lab:
    for host, (counted, _) in HOSTS.items():
        folder = os.path.join(lab.folder, "hosts", host, "root/sys/class/infiniband/mlx5_3/ports/1")
        with open(os.path.join(folder, "COUNTED"), "w", encoding="utf-8") as file:
            file.write("".join(f"{name} {more}\n" for name, more in counted.items()))
    database = os.path.join(FOLDER, "looked-twice.db")
    done = assay("run", "-H", lab.hostfile, "-s", suite, "--db", database, "--progress", "none", "-o", os.path.join(FOLDER, "looked-twice.html"))
    report = Report(database)
    tap.same(done.returncode, 1, "the run failed", done.stdout, done.stderr)
    counted = {step["target"]: item["value"] for step, item in report.outcomes("record") if item["metric"] == "site.counted"}
    tap.same(set(counted.values()), {1}, "each host has counted as this test says", counted)
    for host, (more, expected) in HOSTS.items():
        bad = {item["metric"].rsplit(".", 1)[-1]: item for step, item in report.outcomes()
               if step["target"] == host and item["outcome"] != "pass"}
        word = "inconclusive" if min(more.values(), default=0) < 0 else "fail"
        tap.ok(bad.keys() == expected.keys() and all(bad[name]["outcome"] == word and bad[name]["subject"] == "mlx5_3/1"
                                                      and re.search(cause, bad[name]["cause"]) for name, cause in expected.items()),
               f"{host}: {', '.join(f'{name} {number:+d}' for name, number in more.items()) or 'nothing counted'}: {', '.join(expected) or 'nothing'} {word if expected else 'fails'}",
               {name: (item["step"], item["cause"]) for name, item in bad.items()})
    first = {(item["duty"], item["outcome"]) for step, item in report.outcomes("gate") + report.outcomes("record")
             if step["name"] == "fabric-counters" and item["metric"] == "ib.counter.link_downed"}
    tap.same(first, {("record", "recorded")}, "a first look is only recorded: there is nothing to compare with")
    alone = os.path.join(FOLDER, "alone.db")
    done = assay("run", "-H", lab.hostfile, "-s", suite, "--db", alone, "--hosts", "node1", "--steps", "reachable,fabric-counters-after", "--progress", "none",
                 "-o", os.path.join(FOLDER, "alone.html"))
    last = [(item["outcome"], item["cause"]) for _, item in Report(alone).outcomes() if item["metric"] == "ib.counter.link_downed"]
    tap.ok(done.returncode == 2 and {word for word, _ in last} == {"inconclusive"}, "a last look without a first one decides nothing", last[:2], done.stdout[-600:])
    steps = {report.steps[item["step"]]["name"] for item in report.json["outcomes"] if item["outcome"] == "fail"}
    tap.same(steps, {"fabric-counters-after"}, "and only by the second look")
    tap.ok("grows by no more than 10, or 120 an hour where that is more" in assay("plan", "-H", lab.hostfile, "-s", suite, "--full").stdout,
           "the plan says by how much it may grow")
# Of the machine: AER of devices, EDAC of memory, packets that PCIe sent a GPU again. Each device is compared with itself.
NEW = 'cd "$ASSAY_LAB_ROOT" && if [ -d NEW ]; then cp -r NEW/. .; fi; if [ -f STRUCK ]; then : >../struck; fi; if [ -f GONE ]; then rm -r sys/devices/system/edac/mc; fi; echo counted 1'
MACHINE = {
    "name": "machine-twice", "title": "looked twice", "purpose": "trial", "steps": [
        {"check": "reachable"},
        {"check": "bom", "needs": ["reachable"]}, {"check": "health", "needs": ["reachable"], "record": ["gpu.*"]},
        {"name": "between", "check": "command", "needs": ["bom", "health"],
         "arguments": {"command": NEW, "pattern": "^counted (?<counted>[0-9]+)$", "metric_prefix": "site"}, "record": ["site.*"]},
        {"name": "bom-after", "check": "bom", "last": True, "needs": ["between"]},
        {"name": "health-after", "check": "health", "last": True, "needs": ["between"], "record": ["gpu.*"]},
    ]}
AER, EDAC = "sys/bus/pci/devices/0000:18:00.0/aer_dev_", "sys/devices/system/edac/mc/mc0/"
# Of each host: files before, files in between, and what fails in the last looks.
MACHINES = {
    "node1": ({}, {}, {}),
    "node2": ({}, {AER + "fatal": "DLP 1\nTOTAL_ERR_FATAL 1\n"}, {"aer.fatal": r"aer.fatal is 1, 0000:18:00.0: 1 more than the 0 that it was"}),
    "node3": ({AER + "nonfatal": "TOTAL_ERR_NONFATAL 4\n"}, {AER + "nonfatal": "TOTAL_ERR_NONFATAL 5\n"}, {"aer.nonfatal": "1 more than the 4 that it was"}),
    "node4": ({EDAC + "ce_count": "2\n"}, {EDAC + "ce_count": "42\n", AER + "correctable": "TOTAL_ERR_COR 300\n"}, {}),
    # What another device had counted long ago hides nothing.
    "node5": ({"sys/bus/pci/devices/0000:2a:00.0/aer_dev_correctable": "TOTAL_ERR_COR 900000\n"}, {AER + "correctable": "TOTAL_ERR_COR 700\n"},
              {"aer.correctable": r"0000:18:00.0: 700 more than the 0"}),
    "node6": ({}, {EDAC + "ue_count": "1\n", EDAC + "ce_count": "1000000\n"}, {"edac.ue": "mc0: 1 more", "edac.ce": "mc0: 1000000 more than the 0"}),
    # Who counts no more has nothing to say.
    "node8": ({EDAC + "ce_count": "0\n"}, {"GONE": ""}, {"edac.controllers": "edac.controllers is 0, less than the 1 that it was"}),
    "node7": ({}, {"STRUCK": ""}, {"pcie.replays": "pcie.replays is 500, 500 more than the 0 that it was"}),
}
machine = os.path.join(FOLDER, "machine-twice.json")
with open(machine, "w", encoding="utf-8") as file:
    json.dump(MACHINE, file)


def put(folder, files):
    for path, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
            file.write(text)


with Lab("machine-twice", len(MACHINES), [f"{host}:machine-counts:edac-ce=1" for host in MACHINES] + ["node7:gpu-counts:2=pcie-replays"],
         speed=10) as lab:
    for host, (before, between, _) in MACHINES.items():
        root = os.path.join(lab.folder, "hosts", host, "root")
        put(root, before)
        put(root if "STRUCK" in between else os.path.join(root, "NEW"), between)
    database = os.path.join(FOLDER, "machine-twice.db")
    done = assay("run", "-H", lab.hostfile, "-s", machine, "--db", database, "--progress", "none", "-o", os.path.join(FOLDER, "machine-twice.html"))
    report = Report(database)
    for host, (_, between, expected) in MACHINES.items():
        bad = {item["metric"]: item for step, item in report.outcomes() if step["target"] == host and item["outcome"] != "pass" and item["metric"] not in ("sound", "nvme.read")}
        tap.ok(bad.keys() == expected.keys() and all(bad[name]["outcome"] == ("inconclusive" if name == "edac.controllers" else "fail") and re.search(cause, bad[name]["cause"]) and bad[name]["remedy"]
                                                      and report.steps[bad[name]["step"]]["name"].endswith("-after") for name, cause in expected.items()),
               f"{host}: {', '.join(between) or 'nothing'} between the looks: {', '.join(expected) or 'nothing'} fails", {name: item["cause"] for name, item in bad.items()}, done.stderr)
# Where a suite has its looks says nothing: the last one is the last.
turned = os.path.join(FOLDER, "turned.json")
with open(turned, "w", encoding="utf-8") as file:
    reachable, first, between, after = SUITE["steps"]
    json.dump({**SUITE, "name": "turned", "steps": [reachable, {key: value for key, value in {**after, "last": True}.items() if key != "needs"}, first, between]}, file)
with Lab("looked-twice-turned", 2, ["node1:link-downs:mlx5_3=3", "node2:link-downs:mlx5_3=3"], speed=10) as lab:
    with open(os.path.join(lab.folder, "hosts/node2/root/sys/class/infiniband/mlx5_3/ports/1/COUNTED"), "w", encoding="utf-8") as file:
        file.write("link_downed 2\n")
    database = os.path.join(FOLDER, "turned.db")
    done = assay("run", "-H", lab.hostfile, "-s", turned, "--db", database, "--progress", "none", "-o", os.path.join(FOLDER, "turned.html"))
    bad = {(step["target"], step["name"], item["metric"]): item["cause"] for step, item in Report(database).outcomes() if item["outcome"] != "pass"}
    tap.same((done.returncode, set(bad)), (1, {("node2", "fabric-counters-after", "ib.counter.link_downed")}),
             "a last look that the suite has before the first one is compared with it all the same", bad, done.stdout)
# An Ethernet port tells its links by its network device too.
with Lab("looked-twice-roce", 2, ["node1:link-downs:mlx5_3=3", "node2:link-downs:mlx5_3=3"], speed=10, options=("--fabric", "roce")) as lab:
    with open(os.path.join(lab.folder, "hosts/node2/root/sys/class/infiniband/mlx5_3/ports/1/COUNTED"), "w", encoding="utf-8") as file:
        file.write("link_downed 2\n")
    database = os.path.join(FOLDER, "roce.db")
    done = assay("run", "-H", lab.hostfile, "-s", suite, "--db", database, "--progress", "none", "-o", os.path.join(FOLDER, "roce.html"))
    bad = {(step["target"], item["metric"], item["subject"]): item["cause"] for step, item in Report(database).outcomes() if item["outcome"] != "pass"}
    tap.same((done.returncode, set(bad)), (1, {("node2", "ib.counter.link_downed", "mlx5_3/1"), ("node2", "eth.counter.link_down_events_phy", "mlx5_3/1")}),
             "on Ethernet a link that went down between the looks fails by what its network device counts", bad, done.stdout)
tap.end()
