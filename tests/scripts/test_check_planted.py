# SPDX-License-Identifier: Apache-2.0
"""scripts/check-planted: exactly what was planted, each where it is."""
import copy
import json
import os
import subprocess
import sys
import tempfile

import tap

SCRIPT = os.path.join(sys.argv[1], "scripts", "check-planted")
FAULTS = ["node1:p2p:2-5=12", "node2:burn-faulty:4"]
STEPS = [("node1", "p2p-bandwidth"), ("node2", "gpu-burn"), ("node3", "gpu-burn"), ("node1", "nccl-all-reduce"),
         ("3 hosts: node[1-3]", "nccl-all-reduce-cluster")]


def members(target):
    return ["node1", "node2", "node3"] if " " in target else [target]


GOOD = {
    "run": {"state": "ended"},
    "verdict": "reject",
    "verdicts": [{"scope": "run", "name": "", "verdict": "reject", "pass": 3}] +
                [{"scope": "host", "name": f"node{i}", "verdict": "accept" if i == 3 else "reject", "pass": 1}
                 for i in (1, 2, 3)],
    "steps": [{"target": target, "check": check, "members": members(target)} for target, check in STEPS],
    "outcomes": [{"step": step, "subject": subject, "outcome": outcome} for step, subject, outcome in [
        (0, "gpu2->gpu5", "fail"), (0, "gpu5->gpu2", "fail"), (0, "gpu0->gpu1", "pass"), (1, "gpu4", "fail"),
        (2, "gpu4", "pass"), (3, "", "not run"), (4, "", "not run")]],
}


def case(name, change, said):
    def check():
        report = copy.deepcopy(GOOD)
        change(report)
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(report, file)
            file.flush()
            done = subprocess.run([sys.executable, SCRIPT, file.name, "3", *FAULTS], stderr=subprocess.PIPE, text=True,
                                  check=False)
        tap.same((done.returncode, said in done.stderr, bool(done.stderr)), (1 if said else 0, True, bool(said)))
    return name, check


def outcome(index, **fields):
    return lambda report: report["outcomes"][index].update(fields)


def verdict(index, **fields):
    return lambda report: report["verdicts"][index].update(fields)


CASES = [
    case("what was planted and nothing else", lambda report: None, ""),
    case("a fault that was missed", outcome(3, outcome="pass"), "planted and not found: node2 gpu-burn gpu4"),
    case("half of a pair", outcome(1, outcome="pass"), "planted and not found: node1 p2p-bandwidth gpu5->gpu2"),
    case("the right fault at another GPU", outcome(3, subject="gpu3"), "found and not planted: node2 gpu-burn gpu3"),
    case("the right fault on another host", outcome(3, step=2), "found and not planted: node3 gpu-burn gpu4"),
    case("one fault too many", outcome(4, outcome="fail"), "found and not planted: node3 gpu-burn gpu4"),
    case("something inconclusive", outcome(2, outcome="inconclusive"), "left open: node1 p2p-bandwidth gpu0->gpu1"),
    case("a healthy host that was not tested", outcome(4, outcome="not run"), "not run without cause: node3 gpu-burn gpu4"),
    case("a healthy host without a pass", verdict(3, **{"pass": 0}), "node3: verdict accept with 0 passes"),
    case("a healthy host that is not accepted", verdict(3, verdict="incomplete"), "node3: verdict incomplete"),
    case("a faulty host that is accepted", verdict(1, verdict="accept"), "node1: verdict accept"),
    case("a host that is not in the report", lambda report: report["verdicts"].pop(), "2 hosts, not 3"),
    case("a run that has not ended", lambda report: report["run"].update(state="running"), "the run is 'running'"),
]

tap.run(CASES)
