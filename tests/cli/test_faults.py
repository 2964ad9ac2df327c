# SPDX-License-Identifier: Apache-2.0
"""Each kind of fault of the lab, through the whole program: its one right outcome, and nothing else accused.

usage: test_faults.py ASSAY clean            what needs no fault, and whether each kind has a case
       test_faults.py ASSAY sample [I/N]     of the cases of all groups as many as it takes for each step to find one; of these the
                                             I-th, I+N-th, ...
       test_faults.py ASSAY GROUP            one of fault_cases.GROUPS: each fault alone on its host
       test_faults.py ASSAY GROUP FAULT...   of these the named ones, for whoever looks for a bug
       test_faults.py ASSAY GROUP found      instead of all of `delivery`, those of its steps that find the fault
       test_faults.py ASSAY harmless         those of all groups of `delivery` that nobody may be accused for

HOSTS=16 in the environment: each case alone in a run over so many hosts, with its host in their middle. What a case says of the head, or of
all of three hosts, does not hold there.

With `found`, and in the sample, a host is asked far less; what only the other steps could say wrongly is seen without it.
"""

import collections
import concurrent.futures
import json
import os
import re
import sys
import time

import cluster
import delivery
from cluster import FOLDER, Lab, Report, Tap, assay, closing_lines
from fault_cases import COLLECTIVES, GROUPS, ISOLATED, LAB_OPTIONS

AT_ONCE = 2  # runs
HOSTS_AT_ONCE = 8  # of a run: more would wait for this machine's CPUs, and be late
SHARE = 14  # faulty hosts of one run: beyond 16 hosts delivery has no limits of its own
MOST_TOGETHER = 6  # faults of one host that do it no harm
NAMES = r"node\d+|gpu\d|npu\d|mlx5_\d|/data|/scratch|/var/tmp|/var/log"  # what a subject names
# Of other fabrics, of BMCs over Redfish and of racks that NVLinks join (the groups roce and nvl72), of leaves (test_leaves.py), and what was found
# before the tests already.
UNSAMPLED = {"roce", "redfish", "cabling-lldp", "nvlink-domain", "nccl-all-gather-leaves"}
LONE = max(3, int(os.environ.get("HOSTS", 3)))  # hosts of a run that one case has for itself
EXIT = {"accept": 0, "reject": 1, "incomplete": 2}

tap = Tap()


def worst_of(cases):
    return max((case.verdict for case in cases), key=["accept", "incomplete", "reject"].index)


class Run:
    """Cases in one run. packs: those of each host, {"b": "node4"}; one case that shares its run with none has three hosts."""

    def __init__(self, number, packs, first):
        self.number, self.cases = number, [case for pack in packs for case in pack]
        self.suite = self.cases[0].suite
        count = LONE if len(self.cases) == 1 else len(packs) + 2
        self.hosts = [f"node{first + i}" for i in range(count)]
        # A healthy host is the head, and another one is left to compare and to launch with.
        self.names = ([dict(zip("abc", self.hosts[count // 2 - 1:]))] if len(self.cases) == 1 else
                      [{"b": host} for host, pack in zip(self.hosts[1:-1], packs) for _ in pack])

    def faults(self):
        return [f"{names[fault[0]]}{fault[1:]}" for case, names in zip(self.cases, self.names) for fault in case.faults]

    def right(self, case, names):
        return {(self.target_of(host, names), step): (word, {named(subject, names) for subject in subjects}, cause)
                for (host, step), (word, subjects, cause) in case.right.items()}

    def target_of(self, host, names):
        """As steps name it: "node5", "2 hosts: node[5-6]" for the pair "bc", "2 hosts: node[4,6]" for "ac", or
        "3 hosts: node[4-6]" for all of a case."""
        members = self.hosts if host == "all" else [names[letter] for letter in host]
        if len(members) == 1:
            return members[0]
        gap = int(members[-1][4:]) - int(members[0][4:]) >= len(members)
        return f"{len(members)} hosts: node[{members[0][4:]}{',' if gap else '-'}{members[-1][4:]}]"

    def all_right(self):
        return {target: what for case, names in zip(self.cases, self.names)
                for target, what in self.right(case, names).items()}

    def hosts_of(self, condition):
        return {names["b"] for case, names in zip(self.cases, self.names) if condition(case)}


def runs_of(packs):
    """Packs of the same suite share a run where each concerns one host only; each other case has a run of its own."""
    together = {}
    for number, pack in enumerate(packs):
        together.setdefault(pack[0].suite_name if pack[0].shares and LONE == 3 else number, []).append(pack)
    runs, first = [], 1
    for shared in together.values():
        parts = -(-len(shared) // SHARE)
        for part in range(parts):
            runs.append(Run(len(runs), shared[part::parts], first))
            first += len(runs[-1].hosts)
    return runs


def is_harmless(case):
    return not case.right and not case.noted


def finds(case):
    return {step for _, step in case.right} | {step for step, _ in case.noted}


def sample():
    """The first case that a step finds, of each step; of those that share a run first, for these cost least."""
    found = set()
    cases = [case for group in GROUPS if not LAB_OPTIONS.get(group) for case in GROUPS[group]]
    for case in sorted(cases, key=lambda case: not case.shares):
        if finds(case) - found:
            found |= finds(case)
            yield case


def narrowed(cases):
    """The cases with as much of `delivery` as finds them. What only asks is shared by all; of tests that load the host those
    stand apart that find different things."""
    def loads(case):
        return tuple(name for name in delivery.steps() if name in finds(case) - delivery.asks())

    for number, load in enumerate(sorted({loads(case) for case in cases})):
        its = [case for case in cases if loads(case) == load]
        suite = delivery.part(f"found-{number}", *set().union(*map(finds, its)))
        for case in its:
            yield case.within(suite)


def named(subject, names):
    """"b" and "b mlx5_2" with the name of that host."""
    first, *rest = subject.split(" ", 1)
    return " ".join([names.get(first, first), *rest])


def suite_of(suite, number):
    """Its name, or the file that its document is written to."""
    if isinstance(suite, str):
        return suite
    path = os.path.join(FOLDER, f"{number}.suite.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(suite, file)
    return path


def say(text):
    """Runs go on at once: a line in one piece, on the stream that no result is read from."""
    sys.stderr.write(f"# {text}\n")
    sys.stderr.flush()


def carry_out(lab, suite, hosts, number):
    """Says when it begins and how long it took: all of delivery on a busy machine takes minutes in which nothing else is said."""
    name, began = suite if isinstance(suite, str) else suite["name"], time.monotonic()
    say(f"run {number} begins: suite {name} on {len(hosts)} hosts")
    database = os.path.join(FOLDER, f"{number}.db")
    done = assay("run", "-H", lab.hostfile, "-s", suite_of(suite, number), "--db", database, "--progress", "none",
                 "--hosts-at-once", HOSTS_AT_ONCE, "--hosts", ",".join(hosts), "-o", os.path.join(FOLDER, f"{number}.html"))
    if not closing_lines(done.stdout):
        raise RuntimeError(f"exit status {done.returncode}: {done.stderr[-2000:]}")
    say(f"run {number} ended after {time.monotonic() - began:.0f} s")
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


def entries_of(report):
    """The steps that the first page names, and of each what it says of whom: {(target, step): {word: subjects}}."""
    told = {}
    for entry in report.entries:
        for number in entry["outcomes"] if entry["outcome"] != "not run" else []:
            item = report.json["outcomes"][number]
            step = report.steps[item["step"]]
            words = told.setdefault((step["target"], step["name"]), {})
            if item["outcome"] == entry["outcome"]:
                words[item["outcome"]] = words.get(item["outcome"], "") + " " + entry["subjects"]
    return told


def wrong_entries(told, right):
    """The first page must name with a GPU's fault that GPU."""
    for (target, step), (word, subjects, _) in right.items():
        shown = set(re.findall(NAMES, told.get((target, step), {}).get(word, "")))
        if "" not in subjects and not shown & set(re.findall(NAMES, " ".join(subjects))):
            return f"the entries of {target} {step} name {sorted(shown)}, expected {sorted(subjects)}"
    return ""


def right_substitute(report, step):
    """What is held against smaller groups of the same hosts is undecided where the fit ones have fewer than two."""
    pairs = [pair for pair in report.steps if pair["name"] == "nccl-all-gather-pairs" and pair["outcome"] == "pass"
             and set(pair["members"]) <= set(step["members"])]
    return "inconclusive" if step["name"] == "nccl-all-gather-cluster" and len(step["members"]) > 2 and len(pairs) < 2 else "pass"


def launch_stoppers(report, run):
    """{step: hosts} of what is asked of all hosts, is needed by others, and names who stops it."""
    needed = {report.steps[need]["name"] for step in report.steps if len(step["members"]) > 1 for need in step["needs"]}
    found = {}
    for step, item in report.outcomes():
        if step["origin"] == "suite" and step["name"] in needed and len(step["members"]) == len(run.hosts) and \
                item["outcome"] in ("fail", "inconclusive") and item["subject"] in run.hosts:
            found.setdefault(step["name"], set()).add(item["subject"])
    return found


def wrong_substitutes(report, run):
    """What needs all hosts runs over those that are fit, where two are, and passes there."""
    wanted, known_late = {}, run.hosts_of(lambda case: case.runs_on)
    stopped = launch_stoppers(report, run)
    for step in report.steps:
        if step["origin"] == "suite" and len(step["members"]) == len(run.hosts) and step["outcome"] == "not run":
            lost = {host for need in step["needs"] if report.steps[need]["outcome"] != "pass"
                    for host in report.steps[need]["members"] if len(report.steps[need]["members"]) == 1} - known_late
            lost |= {host for need in step["needs"] for host in stopped.get(report.steps[need]["name"], ())}
            fit = [host for host in run.hosts if host not in lost]
            if lost and len(fit) > 1:
                wanted[step["name"]] = fit
    for name, lost in stopped.items():
        if len(run.hosts) - len(lost) > 1:
            wanted[name] = [host for host in run.hosts if host not in lost]
    added = [step for step in report.steps if step["origin"] == "substitute" and step["scope"] != "pair"]
    pairs = [step for step in report.steps if step["origin"] == "substitute" and step["scope"] == "pair"]

    if any(step["outcome"] != "pass" for step in pairs):
        return f"substitutes: {[(step['name'], step['members'], step['outcome']) for step in pairs]}"
    if {step["name"]: step["members"] for step in added} != wanted or len(added) != len(wanted):
        return f"substitutes: {[(step['name'], step['members']) for step in added]}, expected {wanted}"
    if any(step["outcome"] != right_substitute(report, step) for step in added):
        return f"substitutes: {[(step['name'], step['outcome']) for step in added]}"
    return ""


def wrong_remarks(report, run):
    """What watches the GPUs is recorded by each test of them, on the hosts that have it."""
    remarks = {case.remark for case in run.cases if case.remark}
    watchers = run.hosts_of(lambda case: case.remark)
    said = {item["step"]: item["cause"] for _, item in report.outcomes("record")
            if item["remark"] and item["metric"] == "window.monitors"
            and all(re.search(remark, item["cause"]) for remark in remarks)}
    found = set(said)
    watched = {item["step"] for step, item in report.outcomes()
               if item["metric"] == "window.processes" and item["outcome"] != "not run"
               and watchers & set(step["members"])}

    return "" if found == watched and bool(found) == bool(remarks) else f"remarks on steps {said}, expected on {watched}"


def wrong_notes(case, names, report):
    """Remarks of the host's own, which make it no worse."""
    found = {}
    for step, item in report.outcomes("record"):
        if item["remark"] and (step["target"] == names["b"] or item["subject"] == names["b"]
                               or (len(step["members"]) > 1 and f" {names['b']} " in item["cause"])):
            found.setdefault((step["name"], item["subject"]), []).append(item["cause"])
    noted = {(step, named(subject, names)): words for (step, subject), words in case.noted.items()}
    return "; ".join(f"{at}: no remark has '{words}': {found.get(at)}" for at, words in noted.items()
                     if not any(re.search(words, cause) for cause in found.get(at, [])))


def wrong_counts(case, names, report):
    """What was written down of the tests that the host was in."""
    found = {}
    for step, item in report.outcomes("record"):
        if names["b"] in step["members"] and item["value"] is not None:
            found.setdefault(item["metric"], set()).add(item["value"])
    return "; ".join(f"{metric} is {found.get(metric)}, not {value}" for metric, value in case.counted.items()
                     if value not in found.get(metric, ()))


def wrong_case(case, names, run, report, told):
    """What is not as it must be with this case's own hosts, one line each."""
    found, right = report.bad(), run.right(case, names)
    mine = {target for target in found if target[0] in names.values()}

    for target, what in right.items():
        yield wrong_items(case, target, found[target], what) if target in found else f"{target} is not accused"
    also = {target: [items[0]["cause"] for items in found[target].values()] for target in sorted(mine - set(right))}
    yield f"also accused are {also}" if also else ""
    yield wrong_entries(told, right)
    yield wrong_notes(case, names, report)
    yield wrong_counts(case, names, report)
    # What a test across hosts says of one of them is that host's fault, and no other's.
    if any(word == "fail" and cause.startswith("node[0-9]+ ") for word, _, cause in right.values()):
        for host in names.values():
            word = "reject" if host == names["b"] else "accept"
            yield "" if report.verdict_of(host) == word else f"the verdict of {host} is {report.verdict_of(host)}, not {word}"
    if len(run.cases) > 1:
        yield "" if report.verdict_of(names["b"]) == case.verdict else f"the host's verdict is {report.verdict_of(names['b'])}"


def wrong_run(run, done, report, told):
    """What is not as it must be with the run as a whole: above all nobody else is accused."""
    found, right, verdict = set(report.bad()), set(run.all_right()), worst_of(run.cases)
    said = closing_lines(done.stdout)
    run_on = run.hosts_of(lambda case: case.runs_on)

    yield "" if report.verdict == verdict else f"verdict {report.verdict}, expected {verdict}"
    yield "" if done.returncode == EXIT[verdict] else f"exit status {done.returncode}"
    yield "" if said and said["verdict"] == verdict else f"the last lines are: {done.stdout[-300:]}"
    yield "" if report.json["exit_status"] == done.returncode else "the report names another exit status"
    stood_in = {(step["target"], step["name"]) for step in report.steps if step["origin"] == "substitute"}  # wrong_substitutes
    found, told = found - stood_in, set(told) - stood_in
    yield "" if found == right else f"bad are beside {sorted(found - right)}, not bad are {sorted(right - found)}"
    yield "" if told == right else f"entries name beside {sorted(told - right)}, not {sorted(right - told)}"
    yield wrong_substitutes(report, run)
    yield wrong_remarks(report, run)
    if len(run.cases) > 1:
        for host in set(run.hosts) - run.hosts_of(lambda case: True):
            yield "" if report.verdict_of(host) == "accept" else f"{host} is healthy: {report.verdict_of(host)}"
    if len(run.cases) > 1 or not run_on:
        # What runs over several hosts, one of which is found only at the end, ran as well.
        yield from (line for line in report.unrun_without_reason()
                    if line.split()[0].rstrip(":") not in run_on and not (run_on and " hosts: " in line))
    yield from report.left_behind()


def tell(run, done, report):
    told = entries_of(report)
    for case, names in zip(run.cases, run.names):
        problems = list(filter(None, wrong_case(case, names, run, report, told)))
        words = " and ".join(f"{what[0]} of {step}" for (_, step), what in list(case.right.items())[:2]) or "accept"
        tap.ok(not problems, f"{case.name}: {words}, and nothing else of its hosts", "\n".join(problems), done.stderr)
    problems = list(filter(None, wrong_run(run, done, report, told)))
    tap.ok(not problems, f"{worst_of(run.cases)}, and nothing else is accused in the run of {', '.join(c.name for c in run.cases)}",
           "\n".join(problems), done.stderr)


def forget_leaves(lab):
    """The hosts of a case lie where they happen to: tests between leaves (test_leaves.py) would be owed by some."""
    with open(lab.hostfile, encoding="utf-8") as file:
        text = re.sub(r" leaf=\S+", "", file.read())
    with open(lab.hostfile, "w", encoding="utf-8") as file:
        file.write(text)


def try_all(group, packs):
    runs = runs_of(packs)
    faults = [fault for run in runs for fault in run.faults()]
    hosts = sum(len(run.hosts) for run in runs)

    with Lab(group, hosts, faults, options=LAB_OPTIONS.get(group, ())) as lab, \
            concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        forget_leaves(lab)
        jobs = [pool.submit(carry_out, lab, run.suite, run.hosts, run.number) for run in runs]
        for run, job in zip(runs, jobs):
            try:
                tell(run, *job.result())
            except Exception as problem:  # one run's trouble is its own
                tap.ok(False, f"the run of {', '.join(case.name for case in run.cases)} can be judged", repr(problem))
        tap.same(lab.processes(), [], "nothing runs on the hosts when the last run has ended")
    tap.same(cluster.marked(f"ASSAY_LAB_DIR={lab.folder}"), [], "nothing is left when the lab is down")


def every_kind_has_a_case():
    listed = set(re.findall(r"^  ([a-z][a-z0-9-]*)", assay("lab", "faults").stdout, re.M))
    # What only pairs of leaves show is tried by test_leaves.py, what all hosts mount by test_shared_mount.py, and links between
    # switches by test_fabric_links.py.
    tried = {"uplink-slow", "uplink-errors", "uplink-idle", "uplink-ber", "uplink-fec", "uplink-hot", "uplink-odd", "leaf-ber", "data-bad", "client-slow"} | {case.kind for cases in GROUPS.values() for case in cases} | {case.name for case in ISOLATED}

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
                 {"mpi-launch", "cabling-fabric", *COLLECTIVES}, "five steps go over all hosts")
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


def a_slow_gpu_of_few_hosts_is_named():
    """Its peers are the other GPUs of these hosts."""
    with Lab("few", 2, ["node2:burn-slow:3", "node2:burn-slow:5=12"]) as lab:
        for hosts, subjects in (("node1", set()), ("node2", {"gpu3", "gpu5"}), ("node1,node2", {"gpu3", "gpu5"})):
            database = os.path.join(FOLDER, f"few-{hosts}.db")
            done = assay("run", "-H", lab.hostfile, "-s", "delivery", "--db", database, "--progress", "none", "--hosts", hosts,
                         "--steps", "gpu-burn", "-o", os.path.join(FOLDER, "few.html"))
            bad = {item["subject"] for step, item in Report(database).outcomes() if item["outcome"] == "fail"}
            tap.same(bad, subjects, f"of {hosts} by Gflop/s {sorted(subjects) or 'nobody'} is accused", done.stderr)


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
    suites = {case.suite_name: case.suite for case in GROUPS[group] if case.suite != "delivery"}.values()
    options = LAB_OPTIONS.get(group, ())
    profiles = options[1:] if options[:1] == ("--profile",) else ("hgx-a100", "hgx-h100", "hgx-h200")
    for profile in profiles if group in LAB_OPTIONS else ():
        with Lab(f"{group}-{profile}", 3, profile=profile, options=() if profile in options else options) as lab:
            for number, suite in enumerate(suites):
                done, report = carry_out(lab, suite, ["node1", "node2", "node3"], f"{group}-{profile}-{number}")
                words = {item["outcome"] for _, item in report.outcomes()}
                tap.same((done.returncode, report.verdict, words), (0, "accept", {"pass"}),
                         f"healthy hosts of {profile} are accepted by this suite", done.stderr, report.bad())


def try_group(group):
    # The group's own answer would be green by itself if it were empty.
    tap.ok(len(GROUPS[group]) > 5, f"the group '{group}' has its cases")
    try_all(group, [[case] for case in GROUPS[group]])
    every_platform_is_accepted(group)


def try_cases(name, cases):
    """By the steps that find them, or the suite of their own."""
    of_delivery = [case for case in cases if case.suite == "delivery" and not is_harmless(case)]
    tap.ok(of_delivery, f"among '{name}' are cases that delivery finds")
    try_all(name, [[case] for case in [*narrowed(of_delivery), *(case for case in cases if case.suite != "delivery")]])


def try_found(group):
    try_cases(group, GROUPS[group])
    every_platform_is_accepted(group)


def try_sample(part="1/1"):
    cases = list(sample())
    unseen = set(delivery.steps()) - set().union(*map(finds, cases))
    tap.same(unseen, UNSAMPLED, "each step of delivery finds a fault, but for those with tests of their own")
    number, parts = map(int, part.split("/"))
    try_cases(f"sample-{number}", cases[number - 1::parts])


def try_harmless():
    """By the whole of `delivery`, several on a host: none can keep another from being accused."""
    cases = [case for group in GROUPS if group not in LAB_OPTIONS or not LAB_OPTIONS[group] for case in GROUPS[group]
             if case.suite == "delivery" and is_harmless(case)]
    tap.ok(len(cases) > 10, "there are cases that do no harm")
    shared = [case for case in cases if case.shares]
    try_all("harmless", [*(shared[i:i + MOST_TOGETHER] for i in range(0, len(shared), MOST_TOGETHER)),
                         *([case] for case in cases if not case.shares)])


if sys.argv[2] == "clean":
    every_kind_has_a_case()
    a_clean_cluster()
    a_slow_gpu_of_few_hosts_is_named()
    a_platform_of_npus_only()
elif sys.argv[2] == "sample":
    try_sample(*sys.argv[3:])
elif sys.argv[2] == "harmless":
    try_harmless()
elif sys.argv[3:] == ["found"]:
    try_found(sys.argv[2])
elif sys.argv[3:]:
    named_cases = [case for case in GROUPS[sys.argv[2]] if case.name in sys.argv[3:]]
    tap.same(sorted(case.name for case in named_cases), sorted(sys.argv[3:]), "each fault that is asked for has a case")
    try_all(sys.argv[2], [[case] for case in named_cases])
else:
    try_group(sys.argv[2])
tap.end()
