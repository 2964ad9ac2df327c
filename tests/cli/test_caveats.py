# SPDX-License-Identifier: Apache-2.0
"""Whoever wants a sick cluster accepted: what he took away stands beside the verdict, in every form that people read first.

One host has lost a power supply and a mount. By a hostfile that declares neither it is accepted, and so is a run that its
own contract rejected, once it is judged by another one.

usage: test_caveats.py ASSAY
"""

import json
import os
import re
import sqlite3
import subprocess
from xml.etree import ElementTree

from cluster import Lab, Report, Tap, assay

tap = Tap()
STEPS = [{"check": "reachable"}, {"check": "privilege", "needs": ["reachable"]},
         {"check": "bmc", "needs": ["privilege"], "when": {"bmc": True}},
         {"check": "storage", "needs": ["reachable"], "when": {"mounts": True}}]
COPIES = {"check": "nvbandwidth", "needs": ["reachable"], "arguments": {"tests": "host_to_device_memcpy_ce device_to_host_memcpy_ce"}}
METRIC = "nvbandwidth.host_to_device_memcpy_ce"


def suite(lab, name, steps):
    return lab.write(f"{name}.json", {"name": "delivery", "title": "Handover", "purpose": "delivery", "steps": steps})


def run(lab, hostfile, path, *options):
    return assay("run", "-H", hostfile, "-s", path, "--db", lab.database, "--progress", "none",
                 "-o", os.path.join(lab.folder, "report.html"), *options)


def forms(lab, done, number):
    """What stands beside the verdict: at the terminal, in the text, on the page, for programs and for whoever shows their tests."""
    text = assay("report", number, "--db", lab.database, "--format", "text", "-o", "-").stdout
    page = assay("report", number, "--db", lab.database, "-o", "-").stdout
    report = json.loads(assay("report", number, "--db", lab.database, "--format", "json", "-o", "-").stdout)
    suites = ElementTree.fromstring(assay("report", number, "--db", lab.database, "--format", "junit", "-o", "-").stdout)
    head = " ".join(text.split("\n\n")[0].split())
    verdict = page[page.index('class="verdict'):page.index('<dl class="identity">')]
    return [done.stdout, head, " ".join(re.sub(r"<[^>]+>", " ", verdict).split()), report["caveat"], suites.get("name")], report


def said_in_all(what, sentences, told):
    missing = [(sentence, form) for sentence in sentences for form in told if sentence not in form]
    tap.same(missing, [], what)


def a_hostfile_that_is_silent(lab):
    path = suite(lab, "few", STEPS)
    with open(lab.hostfile, encoding="utf-8") as file:
        lines = file.read()
    silent = lab.write("silent", re.sub(r" mounts=\S+", " bmc=none", lines) +
                   "node9 address=127.1.0.1 port=9 role=spare\n")
    done = run(lab, lab.hostfile, path)
    tap.same((done.returncode, Report(lab.database).verdict), (1, "reject"), "with all that the hostfile declares the host is rejected",
             done.stdout, done.stderr)
    rows = json.loads(assay("report", "1", "--db", lab.database, "--format", "json", "-o", "-").stdout)["not_judged"]
    tap.same([(row["step"], row["metric"], "fio_folder" in row["detail"]) for row in rows if row["kind"] == "argument"],
             [("storage", "storage.*.bandwidth", True)], "that nobody measured how fast storage is, is told as not judged", rows)
    done = run(lab, silent, path)
    told, report = forms(lab, done, 2)
    tap.same([row for row in report["not_judged"] if row["kind"] == "argument"], [], "once: where storage was not tested at all, that is told")
    tap.same((done.returncode, report["verdict"]), (0, "accept"), "without it the run is accepted", done.stdout, done.stderr)
    said_in_all("and says which tests were left out for that, that a spare was not tested, and that a run before was rejected",
                ("These tests were left out, as the hostfile lacks the word that each needs (in parentheses): bmc (bmc=), storage (mounts=).",
                 "1 spare of the hostfile was not tested: node9.",
                 "The hostfile divides all times by 100 (timescale), as for simulated hosts: tests were that much shorter.",
                 "1 run over the same hosts, or some of them, was rejected: 1."), told)
    tap.same([row["detail"] for row in report["not_judged"] if row["kind"] == "spare"], ["node9"], "the spare is listed as not judged")
    planned = " ".join(assay("plan", "-H", silent, "-s", path).stdout.split())
    tap.ok("note: beside the verdict the report will say: " in planned and "bmc (bmc=), storage (mounts=). 1 spare" in planned,
           "the plan says it before anything is run", planned)
    series = [assay("report", number, "--db", lab.database, "--format", "prometheus", "-o", "-").stdout for number in ("1", "2")]
    tap.same([re.findall(r"^assay_verdict_caveat\{.*\} ([01])$", text, re.M) for text in series], [["0"], ["1"]],
             "Prometheus is told that there is something to read")
    assay("site", os.path.join(lab.folder, "site"), "--db", lab.database, "--lang", "en")
    with open(os.path.join(lab.folder, "site", "index.html"), encoding="utf-8") as file:
        rows = re.findall(r'<tr><th scope="row" data-name="Run">.*?</tr>', file.read(), re.S)
    tap.same(["see the note at its verdict" in row for row in rows], [True, False], "the index of the site points to it")


def a_contract_that_was_exchanged(lab):
    path = suite(lab, "copies", [STEPS[0], COPIES])
    strict, lax = ({"name": "site7", "limits": [{"clause": "4.1", "metric": METRIC, "floor": floor, "unit": "GB/s"}]} for floor in (60, 48))
    done = run(lab, lab.hostfile, path, "--contract", lab.write("strict.json", strict))
    tap.same(done.returncode, 1, "the contract rejects the run", done.stdout, done.stderr)
    done = assay("judge", 3, "--db", lab.database, "--contract", lab.write("lax.json", lax))
    told, report = forms(lab, done, 3)
    tap.same((done.returncode, report["verdict"]), (0, "accept"), "judged by another of the same name it is accepted", done.stdout)
    said_in_all("and says that it was judged again, by what",
                ("Judged again, by other documents than those that the run was made with: contract site7.",), told[1:])


def limits_of_ones_own(lab):
    """A word such as `contract` or `datasheet` is what the suite says of itself."""
    limit = {"metric": METRIC, "floor": 1, "unit": "GB/s", "source": "as agreed", "status": "contract"}
    done = run(lab, lab.hostfile, suite(lab, "weak", [STEPS[0], {**COPIES, "limits": [limit]}]))
    told, report = forms(lab, done, 4)
    tap.same((done.returncode, report["verdict"]), (0, "accept"), "a limit of the suite's own is what it is judged by", done.stdout, done.stderr)
    said_in_all("and the run says that it is weaker than the built-in one",
                ("1 test is judged by weaker limits than the built-in ones: see Not judged.",), told)
    rows = [(row["step"], row["metric"], row["detail"].split(" (limit of a cloud")[0]) for row in report["not_judged"]
            if row["kind"] == "weaker_limit"]
    tap.same(rows, [("nvbandwidth", METRIC, "judged by >= 1 GB/s (as agreed); built in is >= 48 GB/s")], "with both, and both sources")
    words = ("plan", "-H", lab.hostfile, "-s", os.path.join(lab.folder, "weak.json"))
    planned, data = assay(*words).stdout, json.loads(assay(*words, "--format", "json").stdout)
    caveat = next(line for line in planned.splitlines() if line.startswith("note: beside the verdict the report will say: ")).split(": ", 2)[2]
    # A run before it is what no document causes.
    tap.same(caveat, report["caveat"].split(" Before it, and since")[0], "the plan says before it what stands beside the verdict then")
    section = planned[planned.index("\nNot judged"):].splitlines()[1:]
    tap.ok(any(f"nvbandwidth, {METRIC} (hgx-h100): judged by >= 1 GB/s (as agreed); built in is >= 48 GB/s" in line for line in section) and
           any("divides all durations by 100" in line for line in section), "and has the details that it points to", section)
    tap.ok(data["caveat"] == caveat and data["notes"] == [f"beside the verdict the report will say: {caveat}"],
           "for programs too", data["notes"], caveat)
    tap.same(data["not_judged"],
             [{key: row[key] for key in ("kind", "step", "metric", "platform", "detail")} for row in report["not_judged"]], "with the rows of its report")


def what_needed_the_faulty(lab):
    """Steps, and not the causes by which they fold."""
    path = suite(lab, "needs", [*STEPS[:3], {"check": "os", "needs": ["bmc"]}, {"check": "ecc", "needs": ["bmc"]}, {"check": "driver", "needs": ["bmc"]}])
    done = run(lab, lab.hostfile, path)
    tap.ok(done.returncode == 1 and "\nnot run: 3 steps that needed the above\n" in done.stdout and "not run 3\n" in done.stdout,
           "steps that needed what failed are counted one by one, as in the recap", done.stdout)


def a_judgement_that_was_forged(lab):
    """In the database of who made the run every fail has become a pass: what hosts printed is judged anew by who gets the bundle."""
    with sqlite3.connect(lab.database) as database:
        judgement = database.execute("SELECT max(id) FROM judgement WHERE run=1").fetchone()[0]
        cause, remedy = database.execute("SELECT cause, remedy FROM outcome WHERE judgement=? AND word='pass'", (judgement,)).fetchone()
        database.execute("UPDATE outcome SET word='pass', cause=?, remedy=? WHERE judgement=? AND word NOT IN ('pass', 'recorded')",
                         (cause, remedy, judgement))
        database.execute("UPDATE verdict SET word='accept', pass=pass+fail+inconclusive, fail=0, inconclusive=0 WHERE judgement=?",
                         (judgement,))
    bundle, other = (os.path.join(lab.folder, name) for name in ("forged.tar.zst", "buyer.db"))
    assay("export", 1, "--db", lab.database, "-o", bundle)
    assay("import", bundle, "--db", other)
    shown = " ".join(assay("show", 1, "--db", other).stdout.split())
    tap.ok("VERDICT: ACCEPT" in shown and "assay judge 1 judges it here" in shown, "a forged verdict is told as theirs, with how to judge it here",
           shown[:600])
    done = assay("judge", 1, "--db", other)
    tap.same((done.returncode, "verdict: reject" in done.stdout), (1, True), "judged here, the run is rejected", done.stdout, done.stderr)


def mounts_that_keep_nothing(lab):
    path = suite(lab, "stored", STEPS)
    with open(lab.hostfile, encoding="utf-8") as file:
        lines = file.read()
    for mounts, is_told in (("/", True), ("/proc", True), ("/sys,/dev/shm,/", True), ("/processed", False), ("/proc,/data", False)):
        hostfile = lab.write("kernel", re.sub(r" mounts=\S+", f" mounts={mounts}", lines))
        planned = " ".join(assay("plan", "-H", hostfile, "-s", path).stdout.split())
        tap.same("storage (mounts=)" in planned, is_told, f"mounts={mounts}: {'no storage is declared' if is_told else 'storage is'}", planned[:1500])


def a_waiver_that_ended(lab):
    """Signed or made after its end, the document must not say what held only until then."""
    number = re.search(r"(?m)^run: (\d+)$", run(lab, lab.hostfile, suite(lab, "waived", STEPS[:3])).stdout)[1]
    done = assay("waive", number, "--host", "node2", "--check", "bmc", "--who", "Li Wei", "--why", "known", "--until", "2099-01-01", "--db", lab.database)
    tap.same(done.returncode, 3, "accepted with a waiver", done.stdout, assay("show", number, "--db", lab.database).stdout)
    key = os.path.join(lab.folder, "key")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    signed = os.path.join(lab.folder, "signed.html")
    told, _ = forms(lab, done, number)
    tap.same([form for form in told[1:] if "No longer valid" in form], [], "while it lasts nothing is said")
    with sqlite3.connect(lab.database) as database:  # as when it is over
        database.execute("UPDATE waiver SET made=1000000000, until=1000003600 WHERE run=?", (number,))
    told, _ = forms(lab, done, number)
    said_in_all("once it is over the verdict is said not to hold",
                [f"No longer valid: the waiver by Li Wei, on which this verdict rests, ended at 2001-09-09 02:46:40 UTC. `assay judge {number}` judges the run again."],
                told[1:])
    done = assay("report", number, "--sign", key, "-o", signed, "--db", lab.database)
    tap.ok(done.returncode == 64 and "which ended at 2001-09-09 02:46:40 UTC, so it is not signed" in done.stderr and not os.path.exists(signed),
           "and nobody signs it", done.returncode, done.stdout, done.stderr)
    done = assay("judge", number, "--db", lab.database)
    tap.same(done.returncode, 1, "judged again it is rejected", done.stdout, done.stderr)


def tools_that_no_host_has(lab):
    """A drive that warns and a link with errors are seen by nobody, and no host is the odd one."""
    path = suite(lab, "unread", [*STEPS[:2], {"check": "bom", "needs": ["privilege"]}, {"check": "ib-phy", "needs": ["privilege"]}])
    done = run(lab, lab.hostfile, path)
    told, report = forms(lab, done, 1)
    tap.same((done.returncode, report["verdict"]), (0, "accept"), "hosts that all lack nvme and mlxlink are accepted", done.stdout, done.stderr)
    said_in_all("and the first lines say what was not read, by which tool, and where",
                ("Not read, for want of a tool or of the right to use it: NVMe health (nvme) on node[1-2], ib-phy (mlxlink) on node[1-2].",), told)
    tap.same([(row["step"], row["metric"]) for row in report["not_judged"] if row["kind"] == "recorded" and "read on no host" in row["detail"]],
             [("bom", "nvme.read"), ("ib-phy", "phy.read")], "both stand in Not judged")


def cables_declared_as_they_were_swapped(lab):
    with open(lab.hostfile, encoding="utf-8") as file:
        lines = file.read().splitlines()
    lines = [re.sub(r"rail\.mlx5_2=(\S+) rail\.mlx5_3=(\S+)", r"rail.mlx5_2=\2 rail.mlx5_3=\1", line) if line.startswith("node2 ") else line
             for line in lines]
    swapped = lab.write("swapped", "\n".join(lines) + "\n")
    planned = [" ".join(assay("plan", "-H", hostfile, "-s", suite(lab, "few", STEPS)).stdout.split()) for hostfile in (lab.hostfile, swapped)]
    tap.same(["Cables are declared" in text for text in planned], [False, True],
             "a hostfile that agrees with swapped cables is told from the others on the leaf", *planned)
    tap.ok("Cables are declared unlike those of most hosts on the same leaf: node2 (mlx5_2, mlx5_3)." in planned[1],
           "with the host and its HCAs", planned[1])


def hosts_that_took_turns(lab):
    path = suite(lab, "burn", [STEPS[0], COPIES])
    told = [forms(lab, run(lab, lab.hostfile, path, *options), number)[0]
            for number, options in ((1, ("--hosts-at-once", "3")), (2, ("--hosts-at-once", "4")), (3, ()))]
    sentence = ("In tests of single hosts only 3 of the 4 hosts were at work at a time (--hosts-at-once): the power, cooling and storage "
                "that they share were not loaded by all.")
    said_in_all("hosts that took turns: that they did not all work at once stands beside the verdict", [sentence], told[0])
    tap.same([form for forms_of in told[1:] for form in forms_of if "at work at a time" in form], [],
             "and of a run in which all could it does not")


with Lab("caveats", 2, faults=["node2:sel-psu", "node2:mount-missing"], speed=100) as lab:
    lab.database = os.path.join(lab.folder, "runs.db")
    for story in (a_hostfile_that_is_silent, a_contract_that_was_exchanged, limits_of_ones_own, a_judgement_that_was_forged, what_needed_the_faulty,
                  mounts_that_keep_nothing, a_waiver_that_ended):
        story(lab)
SICK = ["node2:nvme-warning:2", "node2:link-ber:mlx5_2=1e-9"]
with Lab("unread", 2, faults=SICK + [f"node{n}:tool-missing:{tool}" for n in (1, 2) for tool in ("mlxlink", "nvme")], speed=100) as lab:
    lab.database = os.path.join(lab.folder, "runs.db")
    tools_that_no_host_has(lab)
with Lab("declared", 4, speed=100) as lab:
    lab.database = os.path.join(lab.folder, "runs.db")
    hosts_that_took_turns(lab)
    cables_declared_as_they_were_swapped(lab)
tap.end()
