# SPDX-License-Identifier: Apache-2.0
"""The check `command`: the manual's own example on the simulated cluster, faults that it must find, suites that are refused.

usage: test_command.py ASSAY SOURCE_ROOT
"""

import json
import os
import re
import sys

from cluster import FOLDER, Lab, Report, Tap, assay

tap = Tap()

with open(os.path.join(sys.argv[2], "suites/README.md"), encoding="utf-8") as manual:
    EXAMPLE = json.loads(re.search(r"### Commands of your own.*?```json\n(.*?)```", manual.read(), re.S).group(1))


def write(name, document):
    path = os.path.join(FOLDER, name)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
    return path


def run(lab, suite, name, *words):
    database = os.path.join(FOLDER, f"{name}.db")
    done = assay("run", "-H", lab.hostfile, "-s", suite, "--db", database, "--progress", "none",
                 "-o", os.path.join(FOLDER, f"{name}.html"), *words)
    return done, Report(database)


def bad(report):
    """{(host, step): {outcome: subjects}}"""
    return {key: {word: {item["subject"] for item in items} for word, items in found.items()}
            for key, found in report.bad().items()}


def step(arguments, limits=(), **more):
    return {"name": "site", "platform": "hgx-h100",
            "steps": [{"check": "command", "arguments": arguments, "limits": list(limits), **more}]}


def limit(metric, **rule):
    return {"metric": metric, "source": "clause 1", "status": "contract", **rule}


def the_example():
    suite = write("example.json", EXAMPLE)
    faults = ["node2:ecc-off:4", "node3:tool-missing:nvidia-smi"]

    with Lab("example", 4, faults) as lab:
        done, report = run(lab, suite, "example", "--hosts", "node1,node4")
        gates = report.outcomes()
        tap.same((done.returncode, report.verdict), (0, "accept"), "the manual's example accepts healthy hosts",
                 done.stdout + done.stderr)
        tap.same(len([item for _, item in gates if item["metric"] == "command.temperature"]), 2 * 8,
                 "it owes the temperature of each GPU of each host")
        tap.ok(all(item["measured"] for found, item in gates if item["metric"] != "sound"), "every gate has a value")

        done, report = run(lab, suite, "faults", "--hosts", "node1,node2,node3,node4")
        tap.same(report.verdict, "reject", "it rejects a host whose GPU has ECC off", done.stderr)
        tap.same(bad(report), {
            ("node2", "gpu-ecc-and-heat"): {"fail": {"gpu4"}},
            ("node3", "gpu-ecc-and-heat"): {"inconclusive": {""} | {f"gpu{i}" for i in range(8)}},
        }, "it names that GPU; a host whose tool is missing is inconclusive, and nothing else is accused")
        tap.same(report.left_behind(), [], "nothing of it is left on the hosts")


# (what, arguments, limits, outcomes of the gates by metric)
READINGS = [
    ("several matches in a line, the worst counts", {"command": "echo rate=7 rate=3 rate=9", "pattern": r"rate=(?<rate>\d+)"},
     [limit("command.rate", floor=5, unit="count")], {"sound": "pass", "command.rate": "fail"}),
    ("a number at the end without an end of line", {"command": "printf 'free 12.5'", "pattern": r"free (?<free>[\d.]+)",
                                                   "units": {"free": "GB/s"}},
     [limit("command.free", floor=12.5, unit="GB/s")], {"sound": "pass", "command.free": "pass"}),
    ("a version is a text", {"command": "echo v7.20", "pattern": r"v(?<v>\S+)"}, [limit("command.v", equal="7.20")],
     {"sound": "pass", "command.v": "pass"}),
    ("no line matches", {"command": "echo nothing", "pattern": r"rate=(?<rate>\d+)"},
     [limit("command.rate", ceiling=5, unit="count")], {"sound": "inconclusive", "command.rate": "inconclusive"}),
    ("no output at all", {"command": "true", "pattern": r"rate=(?<rate>\d+)"},
     [limit("command.rate", ceiling=5, unit="count")], {"sound": "inconclusive", "command.rate": "inconclusive"}),
    ("a group that took no part", {"command": "echo a=1", "pattern": r"a=(?<a>\d)|b=(?<b>\d)"},
     [limit("command.*", ceiling=5, unit="count")],
     {"sound": "pass", "command.a": "pass", "command.b": "inconclusive", "command.exit_status": "pass"}),
    ("a word where a number is owed", {"command": "echo t=hot", "pattern": r"t=(?<t>\w+)", "units": {"t": "C"}},
     [limit("command.t", ceiling=80, unit="C")], {"sound": "pass", "command.t": "inconclusive"}),
    ("another exit status than expected", {"command": "echo a=1; exit 3", "pattern": r"a=(?<a>\d)"},
     [limit("command.a", ceiling=5, unit="count")], {"sound": "inconclusive", "command.a": "inconclusive"}),
    ("an exit status that is judged", {"command": "exit 3", "exit_status": "any"},
     [limit("command.exit_status", equal=0)], {"sound": "pass", "command.exit_status": "fail"}),
    ("a program that is missing", {"command": "no-such-program-here", "exit_status": "any"},
     [limit("command.exit_status", equal=127)], {"sound": "inconclusive", "command.exit_status": "inconclusive"}),
    ("quotes, comments and brackets left open", {"command": "echo 'a=1' # ) it's (", "pattern": r"a=(?<a>\d)"},
     [limit("command.a", equal=1)], {"sound": "pass", "command.a": "pass"}),
    ("a pattern that runs wild", {"command": "echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "pattern": r"^(?<x>(a+)+)+$"},
     [limit("command.x", equal="no")], {"sound": "inconclusive", "command.x": "inconclusive"}),
]


def readings():
    with Lab("readings", 1) as lab:
        for number, (what, arguments, limits, wanted) in enumerate(READINGS):
            suite = write(f"reading{number}.json", step(arguments, limits, retries=0, exclusive="none"))
            done, report = run(lab, suite, f"reading{number}")
            found = {item["metric"]: item["outcome"] for _, item in report.outcomes()}
            tap.same(found, wanted, f"{what}: {', '.join(sorted(set(wanted.values())))}", done.stderr)


GOOD = {"command": "true", "pattern": r"(?<a>\d)"}
# (what, arguments, limits, what the message must have)
REFUSED = [
    ("a step that judges nothing", GOOD, [], "judges nothing"),
    ("no command", {"pattern": r"(?<a>\d)"}, [limit("command.a", equal=1)], 'needs an argument "command"'),
    ("a pattern that does not compile", {"command": "true", "pattern": r"(?<a>\d"}, [limit("command.a", equal=1)],
     r"suite.json:\d+:\d+: the pattern cannot be used: .*at its character \d+"),
    ("a pattern without named groups", {"command": "true", "pattern": r"(\d)"}, [limit("command.a", equal=1)], "named group"),
    ("a limit for no group", GOOD, [limit("command.b", equal=1)], r"suite.json:\d+:\d+: .*'command.b'"),
    ("a limit in another unit", {**GOOD, "units": {"a": "us"}}, [limit("command.a", floor=1, unit="GB/s")], "'GB/s'.*'us'"),
    ("an unknown unit", {**GOOD, "units": {"a": "furlong"}}, [limit("command.a", equal=1)], "'furlong'"),
    ("a unit for no group", {**GOOD, "units": {"b": "us"}}, [limit("command.a", equal=1)], "no group 'b'"),
    ("subjects that nobody lists", {"command": "true", "pattern": r"(?<subject>\w+) (?<a>\d)"}, [limit("command.a", equal=1)],
     "whose values are required"),
    ("a list that does not end", {"command": "true", "pattern": r"(?<subject>\w+) (?<a>\d)", "subjects": ["gpu[0-"]},
     [limit("command.a", equal=1)], "subjects: "),
    ("an exit status that is none", {**GOOD, "exit_status": "none"}, [limit("command.a", equal=1)], "exit_status: 'none'"),
    ("as_root that is no flag", {**GOOD, "as_root": "yes"}, [limit("command.a", equal=1)], "true or false"),
]


def refusals():
    with open(os.path.join(FOLDER, "hosts"), "w", encoding="utf-8") as file:
        file.write("node1 slots=8 platform=hgx-h100\n")
    for what, arguments, limits, wanted in REFUSED:
        write("suite.json", step(arguments, limits))
        done = assay("plan", "-H", "hosts", "-s", "./suite.json")
        tap.ok(done.returncode == 64 and re.search(wanted, done.stderr), f"{what} is refused", done.stderr)
    write("suite.json", step({**GOOD, "as_root": True}, [], record=["command.a"]))
    done = assay("plan", "-H", "hosts", "-s", "./suite.json", "--full")
    tap.ok(done.returncode == 0 and "as root" in done.stdout, "recording alone must be asked for, and root too", done.stderr,
           done.stdout)


the_example()
readings()
refusals()
tap.end()
