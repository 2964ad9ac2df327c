# SPDX-License-Identifier: Apache-2.0
"""usage: test_gpu_power.py ASSAY ASSAY_PROBE_GPU

gpu-power over two hosts and more with the probe itself on CPU threads: it is refused until somebody has agreed to it, says before it
runs what it does to a site, loads all hosts at the same moments, and names who goes away in its midst.
"""

import json
import os
import re
import sys

from cluster import FOLDER, Lab, Report, Tap, assay

tap = Tap()
AGREED = {"agreed": "A. Facility, 3 Nov", "backend": "host", "hz": "0.5,2", "seconds": 2, "ramp": 1}
# Turns are real seconds: they do not fit into the deadlines of so fast a lab.
TIMEOUT_S = 240000
# The login that it was started by is gone, and the probe with it.
GONE = """echo '{"assay_probe_gpu": 1, "test": "power", "backend": "host", "gpus": 8, "rows": 5, "edges": 10}'
echo '{"clock": "before", "uncertain_ms": 1, "moved_ms": 0}'
sleep 1
read -r _ _ _ shell _ <"/proc/$PPID/stat"
kill -9 "$shell" "$PPID"
exit 1
"""


def suite_of(name, arguments, program="assay-probe-gpu"):
    path = os.path.join(FOLDER, f"{name}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"name": name, "title": name, "tools": {"assay-probe-gpu": {"path": program}},
                   "steps": [{"check": "reachable"}, {"check": "gpu-power", "scope": "cluster", "needs": ["reachable"], "retries": 0,
                                                      "timeout_s": TIMEOUT_S, "arguments": arguments}]}, file)
    return path


def program_of(name, faults):
    """The probe with its eight GPUs; on the hosts that are named what stands there before it."""
    path = os.path.join(FOLDER, f"{name}-probe")
    cases = "".join(f"{host}:power)\n{text};;\n" for host, text in faults.items())
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\ncase $(hostname):$1 in\n{cases}esac\n'
                   f'exec {os.path.abspath(sys.argv[2])} "$@"\n')
    os.chmod(path, 0o755)
    return path


def run(name, hosts, faults):
    database = os.path.join(FOLDER, f"{name}.db")
    done = assay("run", "-H", lab.hostfile, "-s", suite_of(name, AGREED, program_of(name, faults)), "--hosts", hosts, "--db", database,
                 "--progress", "none", "-o", os.path.join(FOLDER, f"{name}.html"))
    return done, Report(database)


def outcomes(report, metric):
    return {item["subject"]: (item["outcome"], item["cause"] or item["measured"]) for kind in ("gate", "record")
            for _, item in report.outcomes(kind) if item["metric"] == metric}


def of_who_has_not_agreed():
    for arguments, words in (({}, "expected \"agreed\""), ({"agreed": "  "}, "expected \"agreed\""), ({**AGREED, "hz": "0.2,4"}, "0.05 to 3 Hz"),
                             ({**AGREED, "hz": "1,,2"}, "0.05 to 3 Hz"), ({**AGREED, "seconds": 400}, "more than 300 s")):
        done = assay("plan", "-H", lab.hostfile, "-s", suite_of("refused", arguments))
        tap.ok(done.returncode == 64 and words in done.stderr and re.search(r"refused\.json:\d+:\d+", done.stderr),
               f"refused, with file and line: {arguments}", done.stderr)
    done = assay("plan", "-H", lab.hostfile, "-s", suite_of("agreed", AGREED))
    tap.ok(done.returncode == 0 and "note: step gpu-power:" in done.stdout and "agree it with the facility" in done.stdout,
           "a plan says what it does to a site", done.stdout, done.stderr)


def of_two_hosts(tell):
    done, report = run("together", "node[1-2]", {})
    tell.ok("agree it with the facility" in done.stderr, "and so does the run before it begins", done.stderr)
    tell.same(outcomes(report, "client.works"), {"node1": ("pass", "yes"), "node2": ("pass", "yes")}, "all hosts are at work", done.stdout)
    tell.same({word for word, _ in outcomes(report, "power.gpus").values()}, {"pass"}, "to the end", outcomes(report, "power.gpus"))
    phases = outcomes(report, "power.phase")
    numbers = [float(found.group(1)) for _, text in phases.values() for found in [re.search(r"([\d.]+) ms", text)] if found]
    tell.ok(len(numbers) == 2 and all(0 < number < 2000 for number in numbers), "how far from the agreed moments is measured on each", phases)
    tell.same(set(word for word, _ in phases.values()), {"pass" if number <= 10 else "inconclusive" for number in numbers},
              "and more than 10 ms is no pass", phases)
    tell.same({subject: word for subject, (word, _) in outcomes(report, "power.throttle").items()}, {"node1": "inconclusive", "node2": "inconclusive"},
              "what no driver tells is undecided")
    tell.same({word for word, _ in outcomes(report, "probe.backend").values()}, {"inconclusive"}, "as all that CPU threads do")
    tell.same(done.returncode, 2, "so the run is incomplete", done.stdout)


def of_who_goes_away(tell):
    done, report = run("gone", "node[3-6]", {"node4": GONE, "node5": 'set -- "$@" --gpus 2\n', "node6": "sleep 45\n"})
    found = outcomes(report, "power.gpus")
    tell.ok(done.returncode == 1 and found["node4"][0] == "fail" and "went away in the middle of the test" in found["node4"][1],
            "a host that goes away in its midst fails", found, done.stdout, done.stderr)
    tell.same((found["node3"][0], {host for host, (word, _) in found.items() if word == "fail"}), ("pass", {"node4"}), "and no other", found)
    tell.ok(outcomes(report, "power.phase")["node4"][0] == "inconclusive", "of which nothing else passes", outcomes(report, "power.phase"))
    tell.ok(found["node6"][0] == "inconclusive" and "it did not begin" in found["node6"][1] and "at which all begin" in found["node6"][1],
            "who is ready too late does not begin, and is undecided", found, done.stderr)
    tell.ok(found["node5"][0] == "inconclusive" and "2 of 8 GPUs" in found["node5"][1], "as is who has fewer GPUs at work than it should", found)


def of_whose_clock_is_low(tell):
    """The lab's own GPUs, which have an NVML; three hosts would be too few to tell one from the others."""
    database = os.path.join(FOLDER, "low.db")
    done = assay("run", "-H", low.hostfile, "-s", suite_of("low", {"agreed": "A. Facility, 3 Nov"}), "--db", database, "--progress", "none",
                 "-o", os.path.join(FOLDER, "low.html"))
    report = Report(database)
    tell.ok(done.returncode == 1 and re.search(r"node4 is 29\.\d% .*below the median of its 9 peers, measured by 1 value of power\.host_clock", done.stdout),
            "a host one of whose GPUs is held below the clock of all others fails", done.stdout, done.stderr)
    tell.ok(len(re.findall("^fail: ", done.stdout, re.M)) == 1 and "fix: node4: find out which GPU of the host has the lower clock" in done.stdout,
            "and no other, and what to do is said", done.stdout)
    held = outcomes(report, "power.held")
    tell.same({host: text for host, (_, text) in held.items()},
              {f"node{i}": "gpu3: held below its clocks for 1200 ms to keep the voltage at which it is reliable, for 0 ms by a limit of its board"
               if i == 4 else "none" for i in range(1, 11)}, "what held it is told", held)


# Two of one run, four of another: most of a run is waiting for the moment at which all begin.
with Lab("power", 6) as lab, Lab("low", 10, ["node4:power-sag:3"]) as low:
    of_who_has_not_agreed()
    tap.together([of_two_hosts, of_who_goes_away, of_whose_clock_is_low])
tap.end()
