# SPDX-License-Identifier: Apache-2.0
"""What is judged, and judged again: a slow GPU beside its peers, clauses of a contract, retests, waivers, a baseline of
one's own. One lab, one run over all its hosts; the rest is read from the database.

usage: test_judgement.py ASSAY
"""

import json
import os
import re

from cluster import Lab, Report, Tap, assay

tap = Tap()
STEPS = [{"check": "reachable"},
         {"check": "p2p-bandwidth", "needs": ["reachable"]},
         {"check": "gpu-burn", "needs": ["reachable"], "arguments": {"seconds": 60}}]
CLAUSE = {"clause": "4.2", "metric": "p2p.unidirectional.enabled", "floor": 366, "unit": "GB/s", "source": "annex C"}
WAIVED = ("--host", "node3", "--check", "p2p-bandwidth", "--who", "Li Wei", "--why", "replaced in week 20", "--until", "2099-01-01")
# On node1 every second try fails; elsewhere all are well.
FLICKER = ('n=0; [ "$ASSAY_LAB_HOST" != node1 ] || n=$(cat {0} 2>/dev/null || echo 0); echo $((n + 1)) >{0}; '
           'echo "light $((n % 2))"')


def suite(lab, name, steps):
    return lab.write(f"{name}.json", {"name": name, "title": name, "steps": steps})


def run(lab, path, *options):
    return assay("run", "-H", lab.hostfile, "-s", path, "--db", lab.database, "--progress", "none",
                 "-o", os.path.join(lab.folder, "report.html"), *options)


def again(lab, *words):
    return assay(*words, "--db", lab.database)


def text_of(lab, number):
    return " ".join(again(lab, "report", number, "--format", "text", "-o", "-").stdout.split())


def peers(tap, lab):
    """Seven percent slower and above every floor: remarked on by name, and nobody else is."""
    done = run(lab, suite(lab, "peers", STEPS))
    report = Report(lab.database)
    remarked = {(step["target"], match[1]) for duty in ("gate", "record") for step, item in report.outcomes(duty)
                if item["remark"] and (match := re.match(r"remark: (gpu\d) is ", item["cause"]))}
    others = [(step["target"], item["cause"]) for duty in ("gate", "record") for step, item in report.outcomes(duty)
              if item["remark"] and not re.match(r"remark: gpu\d is ", item["cause"])]
    tap.same((done.returncode, report.verdict), (0, "accept"), "a slow GPU within all limits fails nothing", done.stdout, done.stderr)
    tap.same((remarked, others), ({("node3", "gpu2")}, []), "it is remarked on beside its peers, and nobody else is")
    tap.ok("gpu2 is" in text_of(lab, 1), "the report says so")


def contract(tap, lab):
    """A clause outranks the baseline; waivers are for what is shown."""
    path = lab.write("contract.json", {"name": "site7", "limits": [CLAUSE]})
    first = Report(lab.database).json["run"]["judgement"]
    done = again(lab, "judge", 1, "--contract", path)
    report = Report(lab.database)
    failed = {(step["target"], "gpu2" in item["subject"], item["gate"], item["source"].split(":")[0])
              for step, item in report.outcomes() if item["outcome"] == "fail"}
    tap.same((done.returncode, report.verdict), (1, "reject"), "what a clause asks for and was not met rejects the run", done.stdout,
             done.stderr)
    judgement = report.json["run"]["judgement"]
    tap.same(failed, {("node3", True, ">= 366 GB/s", "site7, clause 4.2")}, "by its gate and not the baseline's, that GPU only")
    tap.ok("gate of p2p-bandwidth p2p.unidirectional.enabled: >= 345 GB/s -> >= 366 GB/s (335 items)\n" in done.stdout and
           f"\nbefore: judgement {first}, passed, against baseline hgx-h100 " in done.stdout and
           f"\njudgement: {judgement}\nrun: 1\nverdict: failed\n" in done.stdout,
           "judge says which gates are others, and what the judgement before it was", done.stdout[-1500:])
    shown = text_of(lab, 1)
    tap.ok("site7, clause 4.2" in shown and judgement in shown and report.json["run"]["uuid"] in shown,
           "the report names the clause, the run and the judgement", shown[:3000])
    kept = [(one["kind"], one["name"]) for one in report.json["documents"] if one["judgement"]]
    tap.same(kept, [("contract", "site7")], "the contract is kept with the judgement")
    os.remove(path)
    done = again(lab, "waive", 1, *WAIVED)
    uuid = re.search(r"waiver: ([0-9a-f-]{36})", done.stdout)
    tap.same((done.returncode, Report(lab.database).verdict), (3, "accept with exceptions"), "what is waived is what is shown: by the clauses, which are kept", done.stdout,
             done.stderr)
    done = again(lab, "waive", 1, "--withdraw", uuid[1] if uuid else "", "--who", "Wang", "--why", "a mistake")
    tap.same((done.returncode, Report(lab.database).verdict), (1, "reject"), "without it the clause rejects again", done.stdout, done.stderr)


def unmet(tap, lab):
    """A clause that no GPU meets is one thing to settle, and the run has failed all the same."""
    path = lab.write("unmet.json", {"name": "site7", "limits": [dict(CLAUSE, floor=900)]})
    done = again(lab, "judge", 1, "--contract", path)
    report = Report(lab.database)
    failed = [item for _, item in report.outcomes() if item["outcome"] == "fail"]
    tap.same((done.returncode, report.verdict, len(failed)), (1, "reject", 6 * 8 * 7), "a clause that no GPU meets rejects the run",
             done.stdout, done.stderr)
    shown = text_of(lab, 1)
    answer = shown[shown.index("WHAT TO FIX"):shown.index("FAILURES")]
    tap.ok("Fix 1 fault. 1. node[1-6]: nothing that was measured meets it: all 336 pairs of GPUs of 6 hosts are below the limit: "
           "p2p.unidirectional.enabled is 3" in answer and "required >= 900 GB/s (contract: site7, clause 4.2: annex C)" in answer and
           " 2. " not in answer, "it is one line that names the clause, and not one for each", answer)
    tap.ok("; the worst is node" in answer, "and who is the worst", answer)


def derive(tap, lab):
    """From runs that passed only; and the run is judged again by what was derived."""
    mine = os.path.join(lab.folder, "mine.json")
    done = again(lab, "baseline", "derive", 1, "-o", mine)
    tap.ok(done.returncode == 64 and "run 1 did not pass (failed)" in done.stderr and not os.path.exists(mine),
           "a run that was rejected is no measure", done.stderr)
    done = again(lab, "judge", 1)
    tap.same((done.returncode, Report(lab.database).verdict), (0, "accept"), "judged by its own documents it is as it was", done.stdout)
    tap.same(again(lab, "baseline", "derive", 1, "--base", "hgx-a100").returncode, 64, "not on the limits of other hardware")
    done = again(lab, "baseline", "derive", 1, "-o", mine)
    tap.ok(done.returncode == 0 and re.search(r"(?m)^left out: \d+ values? of what had a remark", done.stderr) and
           re.search(r"(?m)^derived gpu_burn.gflops over 1 host: floor \d+ GFLOP/s: median .* MAD .*; n 46 \(46 values, 6 hosts\)$",
                     done.stderr), "accepted runs give floors, without who was remarked on", done.stderr)
    done = assay("baseline", "check", mine)
    tap.same(done.returncode, 0, "which `check` finds no fault with", done.stdout[-500:], done.stderr)
    with open(mine, encoding="utf-8") as file:
        document = json.load(file)
    report = Report(lab.database)
    tap.same([(run["run"], run["judgement"]) for run in document["derived_from"]], [(report.json["run"]["uuid"], report.json["run"]["judgement"])],
             "and which says from which run and judgement")
    for limit in document["limits"]:
        if limit["metric"] == "p2p.unidirectional.enabled" and "measured" in limit:
            limit["floor"] = 370
            del limit["measured"]
    stricter = lab.write("stricter.json", document)
    done = again(lab, "judge", 1, "--baseline", stricter)
    tap.ok(done.returncode == 1 and re.search(r"(?m)^node3 p2p-bandwidth p2p.unidirectional.enabled gpu2->gpu\d: pass -> fail: ",
                                              done.stdout), "judged again by another baseline it says what changed", done.stdout[-800:])
    done = again(lab, "judge", 1, "--baseline", "hgx-a100")
    tap.ok(done.returncode == 64 and "hgx-a100 is for platform hgx-a100" in done.stderr, "not by one of other hardware", done.stderr)


def retests(tap, lab):
    """One of several tries fails: intermittent, which is a fail, with every try."""
    steps = [{"check": "reachable"},
             {"name": "light", "check": "command", "needs": ["reachable"], "retests": 2,
              "arguments": {"command": FLICKER.format(f"{lab.folder}/tries.$ASSAY_LAB_HOST"), "pattern": "^light (?<on>\\d)$"},
              "limits": [{"metric": "command.on", "equal": "0", "source": "site rules, 1", "status": "contract"}]}]
    with open(os.path.join(lab.folder, "tries.node1"), "w", encoding="ascii") as file:
        file.write("1\n")
    done = run(lab, suite(lab, "retests", steps), "--hosts", "node[1-2]")
    report = Report(lab.database, 2)
    tap.same({(step["target"], item["metric"], item["outcome"]) for step, item in report.outcomes() if step["name"] == "light" and
              item["metric"] == "command.on"}, {("node1", "command.on", "fail"), ("node2", "command.on", "pass")},
             "what fails now and then has failed, where it does", done.stdout, done.stderr)
    shown = text_of(lab, 2)
    tap.ok("intermittent" in shown and done.returncode == 1, "it is called intermittent", shown)
    tap.ok(re.search(r"attempt 1[^0-9].*attempt 2[^0-9].*attempt 3[^0-9]", shown), "and every attempt is printed", shown)


with Lab("judgement", 6, ["node3:gpu-slow:2=6"]) as lab:
    lab.database = os.path.join(lab.folder, "runs.db")
    for story in (peers, contract, unmet, derive, retests):
        story(tap, lab)
tap.end()
