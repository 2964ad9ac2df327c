# SPDX-License-Identifier: Apache-2.0
"""Each kind of fault of the lab, through the whole program: its one right outcome, and nothing else accused.

usage: test_faults.py ASSAY GROUP    GROUP: one of fault_cases.GROUPS, or clean
"""

import collections
import concurrent.futures
import json
import os
import re
import sys

import cluster
from cluster import FOLDER, Lab, Report, Tap, assay, closing_lines
from fault_cases import Case, GROUPS, ISOLATED, LAB_OPTIONS

AT_ONCE = 8
NAMES = r"node\d+|gpu\d|npu\d|mlx5_\d|/data|/scratch|/var/tmp"  # what a subject names
EXIT = {"accept": 0, "reject": 1, "incomplete": 2}

tap = Tap()


def target_of(host, names):
    """As steps name it: "node5", or "3 hosts: node[4-6]" for all of a case."""
    first, last = names["a"], names["c"]
    return f"3 hosts: node[{first[4:]}-{last[4:]}]" if host == "all" else names[host]


def named(subject, names):
    """"b" and "b mlx5_2" with the name of that host."""
    first, *rest = subject.split(" ", 1)
    return " ".join([names.get(first, first), *rest])


def suite_of(case, number):
    """Its name, or the file that its document is written to."""
    if isinstance(case.suite, str):
        return case.suite
    path = os.path.join(FOLDER, f"{number}.suite.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(case.suite, file)
    return path


def run(lab, case, names, number):
    database = os.path.join(FOLDER, f"{number}.db")
    done = assay("run", "-H", lab.hostfile, "-s", suite_of(case, number), "--db", database, "--progress", "none",
                 "--hosts", ",".join(names.values()), "-o", os.path.join(FOLDER, f"{number}.html"))
    return done, Report(database)


def wrong_items(case, target, found, right):
    """Why the bad gates of one step are not the right ones; "" when they are."""
    word, subjects, cause = right
    items = found.get(word, [])
    others = {other for other in found if other != word}

    if {item["subject"] for item in items} != subjects:
        return f"{target}: {word} of {sorted({item['subject'] for item in items})}, expected {sorted(subjects)}"
    if others and not (case.numbers_undecided and others == {"inconclusive"}):
        return f"{target}: also {sorted(others)}"
    if not any(re.search(cause, item["cause"]) for item in items):
        return f"{target}: no cause has '{cause}': {items[0]['cause']}"
    if any(not item["cause"] for item in items):
        return f"{target}: an item without a cause"
    if case.remedy and not any(case.remedy in item["remedy"] + item["cause"] for item in items):
        return f"{target}: no remedy has '{case.remedy}': {items[0]['remedy']}"
    return ""


def wrong_entries(report, right):
    """The first page must name the same steps, and with a GPU's fault that GPU."""
    accused, texts = set(), {}
    for entry in report.entries:
        for number in entry["outcomes"] if entry["outcome"] != "not run" else []:
            item = report.json["outcomes"][number]
            step = report.steps[item["step"]]
            accused.add((step["target"], step["name"]))
            if item["outcome"] == entry["outcome"]:
                texts.setdefault((step["target"], step["name"], item["outcome"]), []).append(entry["subjects"])

    if accused != set(right):
        return f"entries name {sorted(accused)}"
    for (target, step), (word, subjects, _) in right.items():
        shown = set(re.findall(NAMES, " ".join(texts.get((target, step, word), []))))
        if "" not in subjects and not shown & set(re.findall(NAMES, " ".join(subjects))):
            return f"the entries of {target} {step} name {sorted(shown)}, expected {sorted(subjects)}"
    return ""


def wrong_substitutes(report, case):
    """What needs all hosts runs over those that are fit, where two are, and passes there."""
    added = [step for step in report.steps if step["origin"] == "substitute"]
    lost = {host for host, _ in case.right} - {"all"}
    across = [step for step in report.steps if step["origin"] == "suite" and len(step["members"]) == 3 and
              step["outcome"] != "pass"]  # what does not wait for the host's test has all hosts
    wanted = len(across) if len(lost) == 1 and not case.runs_on else 0

    if len(added) != wanted:
        return f"{len(added)} substitute steps, expected {wanted}"
    if any(step["outcome"] != "pass" for step in added):
        return f"substitutes: {[(step['name'], step['outcome']) for step in added]}"
    return ""


def wrong_remarks(case, names, report):
    """What watches the GPUs is recorded by each test of them, on the hosts that have it."""
    found = {item["step"] for _, item in report.outcomes("record")
             if item["remark"] and item["metric"] == "window.monitors" and re.search(case.remark or "^", item["cause"])}
    watched = {item["step"] for step, item in report.outcomes()
               if case.remark and item["metric"] == "window.processes" and names["b"] in step["members"]}

    return "" if found == watched and (found or not case.remark) else f"remarks on steps {found}, expected on {watched}"


def wrong(case, names, done, report):
    """Everything that is not as it must be, one line each."""
    right = {(target_of(host, names), step): (word, {named(subject, names) for subject in subjects}, cause)
             for (host, step), (word, subjects, cause) in case.right.items()}
    found = report.bad()
    said = closing_lines(done.stdout)

    yield "" if report.verdict == case.verdict else f"verdict {report.verdict}, expected {case.verdict}"
    yield "" if done.returncode == EXIT[case.verdict] else f"exit status {done.returncode}"
    yield "" if said and said["verdict"] == case.verdict else f"the last lines are: {done.stdout[-300:]}"
    yield "" if report.json["exit_status"] == done.returncode else "the report names another exit status"
    yield "" if set(found) == set(right) else f"bad are {sorted(found)}, expected {sorted(right)}"
    for target, what in right.items():
        if target in found:
            yield wrong_items(case, target, found[target], what)
    yield wrong_entries(report, right)
    yield wrong_substitutes(report, case)
    yield wrong_remarks(case, names, report)
    if not case.runs_on:
        yield from report.unrun_without_reason()
    yield from report.left_behind()


def tell(case, names, done, report):
    problems = [problem for problem in wrong(case, names, done, report) if problem]
    words = " and ".join(f"{what[0]} of {step}" for (_, step), what in list(case.right.items())[:2]) or "accept"

    tap.ok(not problems, f"{case.name}: {words}, and nothing else is accused", "\n".join(problems), done.stderr)


def number_hosts(cases):
    return [{host: f"node{3 * i + k + 1}" for k, host in enumerate("abc")} for i in range(len(cases))]


def try_all(group):
    cases = GROUPS[group]
    names = number_hosts(cases)
    faults = [f"{names[i][fault[0]]}{fault[1:]}" for i, case in enumerate(cases) for fault in case.faults]

    options = LAB_OPTIONS.get(group, ())
    with Lab(group, 3 * len(cases), faults, options=options) as lab, concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        jobs = [pool.submit(run, lab, cases[i], names[i], i) for i in range(len(cases))]
        for i, case in enumerate(cases):
            try:
                tell(case, names[i], *jobs[i].result())
            except Exception as problem:  # one case's trouble is its own
                tap.ok(False, f"{case.name} can be judged", repr(problem))
        tap.same(lab.processes(), [], "nothing runs on the hosts when the last run has ended")
    tap.same(cluster.marked(f"ASSAY_LAB_DIR={lab.folder}"), [], "nothing is left when the lab is down")


def every_kind_has_a_case():
    listed = {line.split()[0] for line in assay("lab", "faults").stdout.splitlines()}
    tried = {case.kind for cases in GROUPS.values() for case in cases} | {case.name for case in ISOLATED}

    tap.ok(len(listed) > 20, "assay lab faults lists the kinds of faults", listed)
    tap.same(tried, listed, "each kind of fault that the lab has is tried, and no other")


def a_clean_cluster():
    with Lab("clean", 4) as lab:
        database = os.path.join(FOLDER, "clean.db")
        done = assay("run", "-H", lab.hostfile, "-s", "delivery", "--db", database, "--progress", "none")
        report = Report(database)
        words = {item["outcome"] for _, item in report.outcomes()}
        pages = os.path.join(FOLDER, "assay-report-1.html")

        tap.same((done.returncode, report.verdict), (0, "accept"), "a healthy cluster of 4 is accepted", done.stderr)
        tap.same(closing_lines(done.stdout), {"run": 1, "verdict": "accept", "report": pages},
                 "a run ends with its number, its verdict and where its report lies", done.stdout)
        tap.same(words, {"pass"}, "every gate passes")
        tap.same({item["outcome"] for _, item in report.outcomes("record")}, {"recorded"}, "all else is recorded")
        tap.same(report.entries, [], "there is nothing to complain of")
        tap.ok(report.json["coverage"]["gates"] == report.json["coverage"]["pass"] == len(report.outcomes()) > 1000,
               "coverage counts each planned gate once", report.json["coverage"])
        tap.ok(all(item["gate"] and item["source"] for _, item in report.outcomes()),
               "every pass names the gate that was applied and where it comes from")
        tap.same({step["name"] for step in report.steps if len(step["members"]) == 4},
                 {"mpi-launch", "nccl-all-reduce-cluster", "nccl-all-gather-cluster"}, "three steps go over all hosts")
        tap.same({verdict["verdict"] for verdict in report.json["verdicts"]}, {"accept"},
                 "every host and unit is accepted")
        with open(pages, encoding="utf-8") as file:
            page = file.read()
        tap.ok("accept" in page and all(f"node{i}" in page for i in range(1, 5)) and page.rstrip().endswith("</html>"),
               "the report is whole and names every host")
        assets = report.json["assets"]
        parts = collections.Counter((item["host"], item["part"]) for item in assets)
        tap.ok(all(parts[(f"node{i}", part)] == count for i in range(1, 5)
                   for part, count in {"processor": 2, "memory": 32, "drive": 8, "GPU": 8, "network adapter": 8,
                                       "power supply": 6, "system": 1, "chassis": 1, "board": 1}.items()),
               "the asset list has every part of every host", parts)
        serials = [item["serial"] for item in assets if item["part"] in ("memory", "drive", "GPU", "power supply", "system")]
        tap.ok(all(serials) and len(set(serials)) == len(serials), "each with a serial number of its own")
        tap.ok("Bill of materials" in page and all(serial in page for serial in serials), "and the report shows them")
        tap.same(report.left_behind(), [], "nothing of it is left on the hosts")


def delivery_accepts_every_platform():
    """With all checks that it has; that of the H100 is looked at more closely above."""
    for profile in ("hgx-a100", "hgx-h200"):
        with Lab(f"clean-{profile}", 2, profile=profile) as lab:
            database = os.path.join(FOLDER, f"clean-{profile}.db")
            done = assay("run", "-H", lab.hostfile, "-s", "delivery", "--db", database, "--progress", "none")
            report = Report(database)
            words = {item["outcome"] for _, item in report.outcomes()}
            tap.same((done.returncode, report.verdict, words, report.entries), (0, "accept", {"pass"}, []),
                     f"healthy hosts of {profile} are accepted by delivery", done.stderr, report.bad())


def a_platform_of_npus_only():
    """Each NPU that the platform has is owed, and nothing of GPUs."""
    suite = os.path.join(os.path.dirname(os.path.abspath(__file__)), "suites", "npu.json")

    with Lab("npus", 2, ["node2:npu-fault:5"], profile="atlas-800t-a2") as lab:
        for hosts, expected in (("node1", (0, "accept")), ("node1,node2", (1, "reject"))):
            database = os.path.join(FOLDER, f"npus-{expected[0]}.db")
            done = assay("run", "-H", lab.hostfile, "-s", suite, "--db", database, "--progress", "none", "--hosts", hosts,
                         "-o", os.path.join(FOLDER, "npus.html"))
            report = Report(database)
            healthy = [item["subject"] for step, item in report.outcomes()
                       if item["metric"] == "npu.health" and item["outcome"] == "pass"]
            bad = {target: items for target, items in report.bad().items()}

            tap.same((done.returncode, report.verdict), expected, f"hosts of NPUs: {expected[1]}", done.stderr)
            tap.same({step["name"] for step in report.steps}, {"reachable", "privilege", "ascend-npu"},
                     "nothing of GPUs is planned where there are none")
            tap.same(len(healthy), 8 if expected[0] == 0 else 15, "each NPU is owed", healthy)
            tap.same({(target, item["subject"]) for target, words in bad.items() for items in words.values() for item in items},
                     set() if expected[0] == 0 else {(("node2", "ascend-npu"), "npu5")}, "and the sick one is named")


def every_platform_is_accepted(group):
    """By the suites of this group's cases; `delivery` is the group `clean`'s."""
    for profile in ("hgx-a100", "hgx-h100", "hgx-h200") if group in LAB_OPTIONS else ():
        with Lab(f"{group}-{profile}", 3, profile=profile, options=LAB_OPTIONS[group]) as lab:
            names = {"a": "node1", "b": "node2", "c": "node3"}
            for number, suite in enumerate({case.suite for case in GROUPS[group]} - {"delivery"}):
                done, report = run(lab, Case("", {}, suite=suite), names, f"{group}-{profile}-{number}")
                words = {item["outcome"] for _, item in report.outcomes()}
                tap.same((done.returncode, report.verdict, words), (0, "accept", {"pass"}),
                         f"healthy hosts of {profile} are accepted by this suite", done.stderr, report.bad())


def every_gate_is_tried(group):
    """The group's own answer would be green by itself if it were empty."""
    tap.ok(len(GROUPS[group]) > 5, f"the group '{group}' has its cases")


if sys.argv[2] == "clean":
    every_kind_has_a_case()
    a_clean_cluster()
    delivery_accepts_every_platform()
    a_platform_of_npus_only()
else:
    every_gate_is_tried(sys.argv[2])
    try_all(sys.argv[2])
    every_platform_is_accepted(sys.argv[2])
tap.end()
