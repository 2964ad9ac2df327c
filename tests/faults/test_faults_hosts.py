# SPDX-License-Identifier: Apache-2.0
"""usage: test_faults_hosts.py assay

One run over a fleet in which each host has a fault of its own (table.py): every fault has its outcome, with its cause and
what to do about it, and nobody else is worse for it.
"""

import json
import os
import re
import shutil
import threading
import time

import fleet
from fleet import PLACE, Cable, Host, Proxy, vanish, write
from cluster import Report, Tap, assay, closing_lines, marked, wait_until, plain
from table import DEAD_FILES, FAULTS, FLOOD_MB, SOUND_HOSTS

PLATFORM = {"name": "plain.json", "title": "hosts without GPUs, taken for one GPU each", "source": "this test",
            "gpus": {"count": 1, "models": ["none"], "pci_ids": ["10de:2330"]}, "nvlink": {"links": 0},
            "nvswitch": False, "fabric_state": False, "driver_minimum": "525.60.13"}
LIMITS = [{"metric": "command.rate", "floor": 40, "unit": "GB/s", "source": "this test", "status": "contract"},
          {"metric": "command.version", "same": True, "source": "this test", "status": "contract"}]
PATTERN = r"^rate: (?<rate>[0-9.]+) GB/s, version (?<version>[0-9.]+)$"
DEADLINE_S = max(30, FLOOD_MB // 30)  # the flood takes less, beside fifty other hosts on two busy processors
PATIENCE_S = fleet.PATIENCE_S + DEADLINE_S
UNKILLED_S = 16  # so long behind its deadline: TERM, KILL, and the first proof that it is not gone
UNPLUGGED_S = 24  # longer than a connection lives without an answer
tap = Tap()


def measure(name, **more):
    return {"name": name, "check": "command", "needs": ["reachable"], "retries": 0, "timeout_s": DEADLINE_S, "limits": LIMITS,
            "arguments": {"command": "/opt/measure", "pattern": PATTERN, "units": {"rate": "GB/s"}, **more}}


def make_hosts():
    hosts = []
    for row in SOUND_HOSTS + FAULTS:
        if row.needs and not shutil.which(row.needs) and not os.path.exists(row.needs):
            tap.skip(f"{row.host}: {row.what}", f"not there: {row.needs}")
        else:
            hosts.append(Host(row, len(hosts) + 1))
    return hosts


def start_hosts(hosts):
    """The cables that are there."""
    cables = []
    for host in hosts:
        if host.row.way == "vanish":
            vanish(host)
        if host.row.way == "cable":
            cables.append(Cable(host))
            cables[-1].start()
        if host.row.between:
            Proxy(host, host.row.between)
        if host.row.started and not host.row.way:
            host.start()
    started = [host for host in hosts if host.row.started]
    if not wait_until(lambda: all(host.answers() for host in started), 30):
        raise RuntimeError("\n".join(f"{host.name}: {host.log()}" for host in started if not host.answers()))
    return cables


def unplug(cable):
    """In the middle of its test."""
    if wait_until(lambda: os.path.exists(f"{cable.host.folder}/began"), PATIENCE_S):
        cable.cut()
        time.sleep(UNPLUGGED_S)
        cable.mend()


def revive(server, host, unkilled):
    """Lets go who waits for the dead file system, after its test is over; unkilled gets the command lines of those whom
    nobody could kill."""
    if wait_until(lambda: os.path.exists(f"{host.folder}/began"), PATIENCE_S):
        time.sleep(DEADLINE_S + UNKILLED_S)
        unkilled += marked(f"ASSAY_DEADLINE={DEADLINE_S}")
        server.kill()


def run(name, hosts, steps, *words):
    suite = write(f"{PLACE}/{name}.json", json.dumps({"name": name, "title": name, "purpose": "trial",
                                                      "steps": [{"check": "reachable"}, *steps]}))
    done = assay("run", "-H", fleet.hostfile(hosts), "-s", suite, "--db", f"{PLACE}/{name}.db", "--progress", "plain", "-o",
                 f"{PLACE}/{name}.html", *words, cwd=PLACE, patience=PATIENCE_S, SSH_AUTH_SOCK=f"{PLACE}/agent.gone")
    if closing_lines(done.stdout) is None:
        tap.ok(False, f"{name}: it runs to its end", done.stdout[-3000:], done.stderr[-6000:])
    return done, Report(f"{PLACE}/{name}.db")


def first_bad(report, host):
    """step, outcome, cause and remedy of the first item that is not a pass; of a pass "" and the outcome."""
    for found, item in report.outcomes():
        if found["target"] == host and item["outcome"] != "pass":
            return found["name"], item["outcome"], item["cause"], item["remedy"]
    return "", "pass", "", ""


def judge(report, host):
    row = host.row
    step, outcome, cause, remedy = first_bad(report, host.name)
    verdicts = [plain(item["verdict"]) for item in report.json["verdicts"] if item["scope"] == "unit" and item["name"] == host.name]
    connections = max(attempt["connections"] for attempt in report.json["attempts"]
                      if report.steps[attempt["step"]]["target"] == host.name)
    good = ((step, outcome, verdicts) == (row.step, row.outcome, [row.verdict]) and connections >= row.connections * (row.connections > 1)
            and re.search(row.cause, cause) and re.search(row.todo, f"{cause} {remedy}"))
    tap.ok(good, f"{row.host}: {row.what}: {row.outcome}", f"found  {step}: {outcome}: {cause}", f"to do  {remedy}",
           f"wanted {row.step}: {row.outcome}: {row.cause}", f"to do  {row.todo}", f"{verdicts}, {connections} connections",
           host.log()[-500:] if host.child else "")


def a_fleet_of_faults(hosts, cables, server):
    for cable in cables:
        threading.Thread(target=unplug, args=(cable,), daemon=True).start()
    unkilled = []
    for host in hosts:
        if server and host.name == "unkillable":
            threading.Thread(target=revive, args=(server, host, unkilled), daemon=True).start()
    began = time.monotonic()
    done, report = run("faults", hosts, [{"check": "privilege", "needs": ["reachable"]}, measure("measure")])
    print(f"# {len(hosts)} hosts in {time.monotonic() - began:.0f} s", flush=True)
    tap.same((done.returncode, report.verdict, report.json["run"]["state"]), (1, "reject", "ended"),
             "a fleet of faults: the run goes on to its end, and rejects", done.stderr[-5000:])
    for host in hosts:
        judge(report, host)
    if server:
        tap.ok(any(fleet.DEAD_DATA in line for line in unkilled), "unkillable: KILL did not end it", unkilled)
    return done


def nothing_gets_out(done, hosts):
    told = [done.stdout, done.stderr]
    for form in ("text", "json", "csv", "html"):
        told.append(assay("report", 1, "--format", form, "--db", f"{PLACE}/faults.db", "-o", "-").stdout)
    tap.same([sum(ord(letter) < 32 and letter not in "\n\r\t" for letter in text) for text in told], [0] * len(told),
             "no control character of a host reaches a terminal or a report")
    tap.ok(all("owned" in text for text in told[2:]), "though what it said is shown")
    size = os.path.getsize(f"{PLACE}/faults.db")
    tap.ok(size < 8 << 20, "the database stays small whatever they print", size)
    tap.same(marked(f"ASSAY_DEADLINE={DEADLINE_S}"), [], "nothing of a test runs on")
    # The one that reboots only seems to: what ran there runs on, and its folder with it.
    left = [f"{host.name}: {path}" for host in hosts if host.child and not host.row.reboots for place in ("var/tmp", "tmp", "dev/shm")
            if os.path.isdir(spool := f"/proc/{host.child.pid}/root/{place}/assay-0") for path in os.listdir(spool)]
    tap.same(left, [], "no folder of a test stays on a host")


def root_that_is_none(hosts):
    some = [host for host in hosts if host.name in ("no-root", "password", "talker", "sound1")]
    done, report = run("as-root", some, [measure("measure-as-root", as_root=True)])
    found = {host.name: first_bad(report, host.name) for host in some}
    tap.same((done.returncode, report.verdict), (2, "incomplete"), "a step as root: incomplete where root is not to be had",
             done.stdout)
    tap.same({name: item[1] for name, item in found.items()},
             {host.name: "pass" if host.name in ("sound1", "talker") else "inconclusive" for host in some},
             "a step as root: no answer of another user is taken for root's")
    tap.ok("root is asked for, and visitor is not" in found["no-root"][2], "a step as root: whose answer it would be is said",
           found["no-root"])


def two_controllers(hosts):
    host = next(host for host in hosts if host.name == "sound2")
    write(f"{host.folder}/opt/measure", "#!/bin/sh\ntouch $FAULT/began; while [ ! -e $FAULT/over ]; do sleep 0.1; done; "
          + fleet.SOUND + "\n", 0o755)
    first = []
    other = threading.Thread(target=lambda: first.append(run("first", [host], [measure("measure")])))
    other.start()
    wait_until(lambda: os.path.exists(f"{host.folder}/began"), 60)
    done, report = run("second", [host], [measure("measure")])
    write(f"{host.folder}/over", "")
    other.join()
    step, outcome, cause, _ = first_bad(report, host.name)
    tap.same((done.returncode, step, outcome), (2, "measure", "not run"), "two controllers on one host: the second leaves it alone",
             done.stdout, done.stderr)
    tap.ok(first[0][1].json["run"]["uuid"] in cause or "root@" in cause, "two controllers on one host: it says whose the host is", cause)
    tap.same((first[0][0].returncode, first[0][1].verdict), (0, "accept"), "two controllers on one host: the first is undisturbed")


fleet.settle()
write(f"{PLACE}/{PLATFORM['name']}", json.dumps(PLATFORM))
all_hosts = make_hosts()
servers = [fleet.dead_files(folder) for folder in (fleet.DEAD_HOMES, fleet.DEAD_DATA) if os.path.exists(DEAD_FILES)]
ended = a_fleet_of_faults(all_hosts, start_hosts(all_hosts), servers[-1] if servers else None)
nothing_gets_out(ended, all_hosts)
root_that_is_none(all_hosts)
two_controllers(all_hosts)
tap.end()
