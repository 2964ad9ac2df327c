# SPDX-License-Identifier: Apache-2.0
"""An acceptance of 8 hosts in two units, told through the command line, from the first run to the hand-over.

Week 1: node2 has a bad GPU and node7 has lost one. Running node2 again until it passes changes nothing; its GPU is
swapped, three of three follow, and unit su1 is accepted. Week 3: node9, a spare, takes node7's place; all is accepted.
And a waiver: who, why, until when.

The runs happen seconds apart. That they are weeks apart is written into the test's own database behind them, and nowhere
else: run and attempt times are moved, nothing of what was measured.
"""

import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import time

from cluster import ASSAY, FOLDER, Lab, Tap, assay, environment, write

tap = Tap()
DAY = 86400
DATABASE = os.path.join(FOLDER, "assay.db")
SUITE = {
    "name": "site", "title": "What this site agreed on", "purpose": "delivery",
    "steps": [
        {"check": "reachable"},
        {"check": "gpu-inventory", "needs": ["reachable"]},
        {"check": "ecc", "needs": ["gpu-inventory"]},
        {"check": "nccl-all-gather", "scope": "group", "by": "unit", "needs": ["ecc"],
         "arguments": {"begin": "8G", "end": "8G", "iterations": 5}, "sizes_judged": ["8G"],
         "limits": [{"metric": "nccl.all_gather.busbw", "floor": 300, "unit": "GB/s", "source": "contract 7.1",
                     "status": "contract"}]},
    ],
}


def site_hostfile(lab):
    """The lab's hosts in two units of four, and a spare."""
    with open(lab.hostfile, encoding="utf-8") as file:
        lines = file.read().splitlines()
    lines = [line for line in lines if not line.startswith("node10 ")]
    for number in range(1, 10):
        at = next(i for i, line in enumerate(lines) if line.startswith(f"node{number} "))
        lines[at] = re.sub(r"unit=\S+", f"unit=su{(number - 1) // 4 + 1}" if number < 9 else "role=spare", lines[at])
    return write("hosts", "\n".join(lines) + "\n")


def move(run, days):
    """The run was so many days ago."""
    with sqlite3.connect(DATABASE) as database:
        database.execute("UPDATE run SET started=started-?1, ended=ended-?1 WHERE id=?2", (days * DAY, run))
        database.execute("UPDATE attempt SET sent=sent-?1, began=began-?1, ended=ended-?1 WHERE run=?2", (days * DAY, run))


def run(days_ago, *words):
    done = assay("run", "--progress", "none", "-o", "report.html", *words)
    found = re.search(r"^run: (\d+)$", done.stdout, re.MULTILINE)
    if not found:
        raise RuntimeError(f"no run: {done.stdout} {done.stderr}")
    move(int(found[1]), days_ago)
    return found[1], done


def day(days_ago):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() - days_ago * DAY))


def units(done):
    """{unit: verdict} and the whole, as the command's last lines tell them."""
    found = dict(re.findall(r"^unit: (\S+): ([a-z ]+) \(", done.stdout, re.MULTILINE))
    return {**found, "whole": re.search(r"^verdict: ([a-z ]+)", done.stdout, re.MULTILINE)[1]}


def stands(done, su1, su2, whole, what):
    status = {"accept": 0, "reject": 1, "incomplete": 2, "accept with exceptions": 3}[whole]
    tap.same((units(done) if done.stdout else {}, done.returncode), ({"su1": su1, "su2": su2, "whole": whole}, status), what,
             done.stdout, done.stderr)


def acceptance(*words):
    return assay("acceptance", *words)


def next_run(days_ago, folder):
    """What `status --next` wrote, carried out line by line: the words of the next runs."""
    with open(os.path.join(FOLDER, folder, "commands"), encoding="utf-8") as file:
        lines = [shlex.split(line) for line in file.read().splitlines()]
    return [run(days_ago - 0.01 * i, *line[2:])[0] for i, line in enumerate(lines)], lines


# ecc of node2 passed once since the swap; with it failed, its unit's test was never run.
OWED = [("node2", "ecc"), ("node2", "ecc"), ("node[1-4]", "nccl-all-gather")]


def a_slip(suite):
    """What cannot begin leaves no database."""
    database = os.path.join(FOLDER, "slip.db")
    done = assay("acceptance", "create", "su", "-H", os.path.join(FOLDER, "none"), "-s", suite, "--db", database)
    tap.ok(done.returncode == 64 and "No such file" in done.stderr and not os.path.exists(database), "no hostfile: that is said, and no database is made", done)


def week_1(lab, hostfile, suite):
    made = acceptance("create", "su", "-H", hostfile, "-s", suite)
    tap.ok(made.returncode == 0 and "8 hosts" in made.stdout, "an acceptance is created from hostfile and suite", made.stdout,
           made.stderr)
    missing = [line for line in acceptance("status", "su").stdout.splitlines() if line.startswith("missing: ")]
    tap.same(missing, ["missing: reachable, gpu-inventory, ecc on 8 hosts: node[1-8]: no run has shown it yet",
                       "missing: nccl-all-gather on 4 hosts: node[1-4]: no run has shown it yet",
                       "missing: nccl-all-gather on 4 hosts: node[5-8]: no run has shown it yet"],
             "before the first run the status has one line for each reason and target, with its steps")
    first, _ = run(21, "-H", hostfile, "-s", suite)
    stands(acceptance("add", "su", first), "reject", "reject", "reject", "the first run rejects both units")
    report = json.loads(acceptance("report", "su", "--format", "json").stdout)
    sick = {row["target"]: row for row in report["faults"]}
    tap.same([(sick[host]["state"], sick[host]["step"], sick[host]["part"], sick[host]["run"]) for host in ("node2", "node7")],
             [("failed", "ecc", "GPU 3", 1), ("failed", "gpu-inventory", "", 1)], "which host failed, in what and in which run, is told", sick)
    tap.ok(re.fullmatch(r"GPU 3: \d{13}", sick["node2"]["serial"]) and "uncorrected memory errors" in sick["node2"]["problem"] and
           sick["node2"]["source"] and sick["node2"]["remedy"] and "does not answer on the bus" in sick["node7"]["problem"],
           "with the part's serial number, what was measured, where the limit is from and what to do", sick)
    text, page = (acceptance("report", "su", "--format", form).stdout for form in ("text", "html"))
    heads = [text.find(f"\n{head}\n") for head in ("WHAT HAS FAILED OR IS WAIVED", "OPEN OR WAIVED", "WHAT HAPPENED")]
    parts = [page.find(f'<section id="{name}">') for name in ("units", "faults", "reached", "open", "story", "runs", "signatures")]
    tap.ok(heads == sorted(heads) and heads[0] > 0 and parts == sorted(parts) and parts[0] > 0,
           "what is wrong stands first, then what was reached, and the history behind it", heads, parts)
    marks = "serial " + sick["node2"]["serial"].split(": ")[1]
    tap.ok(sick["node2"]["marks"] == marks and f"failed on node2, GPU 3 ({marks}), in run 1: " in text and f">{marks}</small>" in page,
           "also as text and on paper", text)
    who = "the administrator (reset, power cycle); if it stays, the vendor (replacement, support)"
    tap.ok(sick["node2"]["hands"] == who and f"Who acts: {who}" in " ".join(text.split()) and f"Who acts: {who}</small>" in page,
           "and who acts on it, as the page of repair says", sick["node2"])
    told = acceptance("status", "su").stdout
    tap.ok("\nnext: when node2 is fixed: assay acceptance event su repair node2 --item gpu3 --note TEXT    # a part was replaced: swap, not repair\n" in told and
           told.splitlines()[-3].startswith("next: ") and told.endswith("\nacceptance: su\nverdict: reject\n"),
           "what to type next is the last thing before the verdict", told)
    alone, done = run(20.9, "-H", hostfile, "-s", suite, "--hosts", "node2", "--steps", "reachable,gpu-inventory")
    left_out = [line for line in done.stdout.splitlines() if "left out" in line]
    tap.ok(done.returncode == 2 and len(left_out) == 1 and
           left_out[0].startswith("note: not asked for: 2 steps on 1 host, left out by --steps; this was on purpose, and nothing is shown of it: ") and
           f"`assay acceptance add NAME {alone}`" in left_out[0] and
           "\nanswer: 2 tests passed on node2, all that were asked for. This is a part of a delivery.\n" in done.stdout and
           f"\npart of a delivery (1 of 8 hosts, 2 of 4 steps): nothing found; not an acceptance\nnext: assay acceptance add su {alone}\n" in done.stdout and
           "\nverdict: incomplete\n" in done.stdout and "open" not in done.stdout.replace("The host is OK", ""),
           "what it was not asked for is one line and nothing to settle; what was asked for has passed, and what comes next is said", done.stdout)
    page = assay("report", alone, "-o", "-").stdout
    tap.ok("2 tests passed on node2, all that were asked for." in page and "did not pass" not in page.split("<section")[0], "in its report too",
           page[:4000])
    part = " ".join(assay("report", alone, "--format", "text", "-o", "-").stdout.split())
    told = re.search(r"Only (\d+) of (\d+) gates were asked for, and these were met; (\d+) were not asked for and are not shown, so nothing is "
                     "accepted by this run alone\\.", part)
    tap.ok(told and int(told[1]) + int(told[3]) == int(told[2]) and "NOT RUN node2, ecc, nccl-all-gather cause not asked for" in part,
           "its report says how much it shows, and has one entry for all the rest", part[:3000])
    stands(acceptance("add", "su", alone), "reject", "reject", "reject", "a run of some steps on one host may be added")
    twice = acceptance("add", "su", alone)
    tap.ok(twice.returncode == 64 and "part of su already" in twice.stderr, "a run is added once", twice.stderr)

    swapped = assay("lab", "swap", "node2", "gpu3", "--dir", lab.folder)
    tap.same(swapped.stdout, "another GPU is gpu3 of node2\n", "what was exchanged in the lab is said")
    again, _ = run(20.5, "-H", hostfile, "-s", suite, "--hosts", "node2")
    done = acceptance("status", "su")
    tap.ok(f"left out: 1 run of the same suite, limits and hosts; nothing is accepted until it is added: assay acceptance add su {again}" in
           done.stdout, "a run that nobody added is named, with the command that adds it", done.stdout)
    report = json.loads(acceptance("report", "su", "--format", "json").stdout)
    with open(os.path.join(os.path.dirname(__file__), "../../suites/delivery.json"), encoding="utf-8") as file:
        built_in = len(json.load(file)["steps"])
    note = f"By a suite of its own, which leaves out {built_in - 4} of the {built_in} tests of the built-in delivery, and weakens or changes"
    page = acceptance("report", "su", "--format", "html").stdout
    told = (done.stdout, acceptance("report", "su", "--format", "text").stdout.split("WHAT HAPPENED")[0], report["caveat"],
            page.split('<section id="units">')[0])
    tap.same([note in words for words in told], [True] * 4, "that its suite asks for less than the built-in delivery is said beside the verdict",
             told[0], told[1])
    cluster = "Simulated cluster of 10 hosts"
    tap.ok(report["cluster"] == cluster and all(f"{cluster} \xb7 " in words for words in (told[1], told[3])),
           "what is to be signed names the cluster, on paper, as text and for programs", report["cluster"], told[1])
    tap.ok("gpu-burn" in next(row["step"] for row in report["not_judged"] if row["kind"] == "not_in_suite") and '<section id="unjudged">' in page,
           "and by name where it says what is not judged", report["not_judged"][:3])
    tap.ok(report["left_out"] == [int(again)] and "left out, not added yet" in report["story"][-1]["text"],
           "and told in the report", report["story"])
    done = acceptance("add", "su", again)
    stands(done, "reject", "reject", "reject", "that it passes now replaces no fail")
    tap.ok("unrecorded swap of the GPU gpu3 on node2" in done.stdout and not swapped.returncode,
           "a GPU that was swapped in silence is said", done.stdout, swapped.stderr)

    done = acceptance("event", "su", "swap", "node2", "--item", "gpu3", "--when", day(20.7), "--note", "RMA 4711")
    tap.ok("to be retested: ecc on node2: 1 of 3" in done.stdout and "unrecorded" not in done.stdout,
           "with the swap on record, what passed since is the first of three", done.stdout, done.stderr)
    done = acceptance("status", "su", "--next", "next")
    runs, lines = next_run(20.2, "next")
    tap.same([(line[line.index("--hosts") + 1], line[line.index("--steps") + 1]) for line in lines], OWED,
             "the commands that are written run what is owed, as often as it is owed, and no more", done.stdout, done.stderr)
    stands(acceptance("add", "su", *runs), "accept", "reject", "reject", "after three of three unit su1 is accepted, in week 1")


def events_of_many(hostfile, suite):
    """One line for many hosts; what names nothing of the acceptance is refused, and then nothing is recorded."""
    assert acceptance("create", "many", "-H", hostfile, "-s", suite).returncode == 0

    def told():
        return [(event["kind"], event["host"], event["item"])
                for event in json.loads(acceptance("report", "many", "--format", "json").stdout)["events"]]

    for words, why in ((("node[1-3,99]",), "'node99' is not a host"), (("node1", "--item", "gpu8"), r"'gpu8' is neither a GPU \(gpu0 to gpu7\)"),
                       (("node1", "--item", "mlx5_12"), "nor an HCA of node1"), (("node1", "--what", "paint"), "not one of settings, cable"),
                       (("node1", "--hosts", "node2"), "named twice"), ((), "name the hosts")):
        done = acceptance("event", "many", "repair", *words)
        tap.ok(done.returncode == 64 and re.search(why, done.stderr) and told() == [], f"refused: repair {' '.join(words)}", done.stderr)
    done = acceptance("event", "many", "note", "node1", "--what", "cable")
    tap.ok(done.returncode == 64 and "--what belongs to repair and swap" in done.stderr, "a note is no work", done.stderr)
    done = acceptance("event", "many", "repair", "--hosts", "node[1-4]", "--what", "reseat", "--item", "mlx5_3", "--note", "batch 7")
    tap.ok("event: 4 hosts: reseating of mlx5_3 on node[1-4]: batch 7\n" in done.stdout, "many hosts are one line", done.stdout, done.stderr)
    tap.same(told(), [("reseat", f"node{i}", "mlx5_3") for i in range(1, 5)], "and each has its event")
    done = acceptance("event", "many", "swap", "node[5-6]", "--what", "cable")
    tap.ok("event: 2 hosts: recabling of node[5-6]\n" in done.stdout, "a range stands in the place of a host", done.stdout, done.stderr)


def week_3(hostfile, suite):
    wrong = acceptance("event", "su", "spare", "node7", "--by", "node8")
    tap.ok(wrong.returncode == 64 and "node8 is not a free spare" in wrong.stderr, "only a spare stands in", wrong.stderr)
    done = acceptance("event", "su", "spare", "node7", "--by", "node9", "--when", day(7))
    stands(done, "accept", "incomplete", "incomplete", "with a spare in its place, what node7 owed is owed by node9")
    done = acceptance("status", "su", "--next", "next3")
    runs, lines = next_run(6.9, "next3")
    with open(os.path.join(FOLDER, "next3", "hostfile"), encoding="utf-8") as file:
        hosts = [line.split()[0] for line in file]
    tap.same((hosts.index("node9"), [line[line.index("--hosts") + 1] for line in lines]), (hosts.index("node6") + 1, ["node[5-6,8-9]"]),
             "the next hostfile has the spare in the place of the host, and the line names those that are to be run", done.stdout, hosts)
    shown = json.loads(assay("report", runs[0], "--format", "json", "-o", "-").stdout)
    tap.same((shown["document"]["kind"], shown["document"]["hosts"], shown["document"]["hosts_owed"], shown["verdict"]),
             ("part", 4, 8, "incomplete"), "a run of what is owed says that it is a part, and accepts nothing by itself", shown["document"])
    stands(acceptance("add", "su", *runs), "accept", "accept", "accept", "the whole is accepted in week 3")
    other = write("other.json", {**SUITE, "title": "Easier"})
    refused, _ = run(0, "-H", hostfile, "-s", other, "--hosts", "node1", "--steps", "reachable")
    done = acceptance("add", "su", refused)
    tap.ok(done.returncode == 64 and "another suite" in done.stderr, "a run of another suite is refused", done.stderr)


STORY = [("run 1 over node[1-9]", "reject", "reject"), ("run 2 over node2", "reject", "reject"),
         ("swap of gpu3 on node2: RMA 4711", "incomplete", "reject"), ("run 3 over node2", "incomplete", "reject"),
         ("run 4 over node2", "incomplete", "reject"), ("run 5 over node2", "incomplete", "reject"),
         ("run 6 over node[1-4]", "accept", "reject"),
         ("node9 replaces node7", "accept", "incomplete"), ("run 7 over node[5-6,8-9]", "accept", "accept")]


def the_report_tells_it():
    done = acceptance("report", "su", "--format", "json")
    report = json.loads(done.stdout)
    told = [(re.sub(r" \(recorded .* UTC\)$", "", moment["text"]) if moment["text"][:3] != "run" else moment["text"].split(": ")[0],
             *moment["verdicts"][1:]) for moment in report["story"]]
    tap.same(told, STORY, "the report tells exactly that story", done.stderr, *told)
    tap.same(sum(time.strftime(" (recorded %Y-") in moment["text"] for moment in report["story"]), 2,
             "and says of what was recorded later, when", *told)
    tap.same(report["story"][1]["text"], "run 2 over node2: a part: 2 tests, all passed", "a part that passed is not called incomplete")
    reached = [(row["step"], row["metric"], row["required"], row["source"], row["tests"]) for row in report["reached"]]
    tap.same(reached, [("nccl-all-gather", "nccl.all_gather.busbw", ">= 300 GB/s", "contract: contract 7.1", 2)], "and what was reached is told beside its limit")
    nearest = report["reached"][0]
    tap.ok(nearest["value"] >= 300 and f"{nearest['value']:g} GB/s" == nearest["measured"] and re.match(r"4 hosts: node\[.*\], size 8G", nearest["place"]),
           "with the value nearest to it and where it was measured", nearest)
    tap.same(report["faults"], [], "nothing is wrong any more")
    since = [moment["at"] for moment in report["story"] if moment["verdicts"][1] == "accept"]
    tap.ok(20 < (time.time() - since[0]) / DAY < 21 and 6 < (time.time() - report["story"][-1]["at"]) / DAY < 7,
           "unit su1 was accepted in week 1, the whole in week 3", since)
    ecc = next(row for row in report["requirements"] if (row["step"], row["members"]) == ("ecc", ["node2"]))
    tap.same([(row["run"], row["outcome"], row["counts"]) for row in ecc["shown"]],
             [(1, "fail", False), (3, "pass", True), (4, "pass", True), (5, "pass", True)], "each run that showed it is named")
    tap.same([(row["host"], row["position"], row["recorded"]) for row in report["changes"] if row["kind"] == "GPU"],
             [("node2", "gpu3", True)], "the swapped GPU is named, and that it is on record")
    text, html = (acceptance("report", "su", "--format", form).stdout for form in ("text", "html"))
    tap.ok("ACCEPTANCE su: accept" in text and "swap of gpu3 on node2: RMA 4711" in text, "as text", text)
    tap.ok(all(words in html for words in ("swap of gpu3 on node2: RMA 4711", "node9 replaces node7", "Sign-off", "8 in 2 units",
                                        "</html>")) and
           "http" not in html.split("</style>")[1], "and as one page that fetches nothing", html[-500:])


def it_is_told_in_chinese():
    done = acceptance("report", "su", "--lang", "zh")
    shown = re.sub(r"<style>.*?</style>|<script.*?</script>", "", done.stdout, flags=re.S)
    body = re.sub(r"<[^>]+>", " ", re.sub(r'<span lang="en">.*?</span>', "", shown, flags=re.S))
    tap.ok('<html lang="zh-CN">' in shown and all(words in body for words in ("验收过程", "更换 gpu3（node2）：RMA 4711", "接替",
           "第 1 次运行不通过", "已登记的更换", "验收签字")), "and in Chinese", body)
    prose = re.findall(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}", body)
    tap.same(prose, [], "without English sentences that are not marked as such")
    text = acceptance("report", "su", "--lang", "zh", "--format", "text").stdout
    tap.ok(text.startswith("模拟：这些主机上的时间快 600 倍；请勿签署本文件。\n验收 su：通过") and "整体 通过" in text, "as text too", text)
    wrong = acceptance("report", "su", "--lang", "fr")
    tap.ok(wrong.returncode == 64 and "expected en or zh" in wrong.stderr, "an unknown language is refused", wrong.stderr)


def tampered(number, statement):
    """A copy of the database in which one thing was changed."""
    copy = os.path.join(FOLDER, f"tampered-{number}.db")
    with sqlite3.connect(copy) as database:
        with sqlite3.connect(DATABASE) as source:
            source.backup(database)
        if database.execute(statement).rowcount == 0:
            raise RuntimeError(f"nothing was changed: {statement}")
    return copy


def it_is_signed():
    """The report of the whole with all that it rests on; what comes later changes nothing of it."""
    if shutil.which("ssh-keygen") is None:
        tap.skip("what was signed can be proved", "there is no ssh-keygen")
        return
    key, signers = (os.path.join(FOLDER, name) for name in ("vendor", "signers"))
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    with open(key + ".pub", encoding="utf-8") as public:
        write("signers", "vendor@example " + public.read())
    done = acceptance("report", "su", "-o", "su.html", "--sign", key)
    tap.ok(done.returncode == 0 and "signature: su.html.manifest.1.sig" in done.stdout, "it is signed", done.stdout, done.stderr)
    acceptance("event", "su", "note", "node1", "--note", "handed over")
    done = acceptance("event", "su", "repair", "node3")
    stands(done, "incomplete", "accept", "incomplete", "a repair of a host makes void what it has shown")
    slip = re.search(r"^event: (\S+) repair of node3$", done.stdout, re.MULTILINE)[1]
    done = acceptance("withdraw", "su", "nothing", "--note", "x")
    tap.ok(done.returncode == 64 and f"{slip} repair of node3" in done.stderr, "a wrong UUID: the events are listed", done.stderr)
    done = acceptance("withdraw", "su", slip, "--note", "it was node13")
    stands(done, "accept", "accept", "accept", "what was recorded by mistake is withdrawn")
    report = json.loads(acceptance("report", "su", "--format", "json").stdout)
    tap.same([moment["text"] for moment in report["story"][-2:]],
             ["repair of node3", "withdrawn: repair of node3 (it was node13)"], "and both are told")
    verify = ("verify", "su.html", "--signers", signers, "--db")
    done = assay(*verify, DATABASE)
    tap.ok(done.returncode == 0 and "verified: yes" in done.stdout, "and verified, whatever was added since", done.stdout,
           done.stderr)
    for number, (statement, named) in enumerate([
            ("UPDATE event SET at=at-86400 WHERE item='gpu3'", "CHANGED: event/"),
            ("UPDATE outcome SET value=value+1 WHERE value>300", "/table/outcome"),
            ("DELETE FROM acceptance_run WHERE run=1", "it is not there")]):
        done = assay(*verify, tampered(number, statement))
        tap.ok(done.returncode == 1 and named in done.stdout, f"not after {statement.split(' WHERE')[0]}", done.stdout[:2000],
               done.stderr)


def a_waiver(hostfile, suite):
    number, done = run(0, "-H", hostfile, "-s", suite, "--hosts", "node10")
    tap.same(done.returncode, 1, "a host with a bad GPU is rejected", done.stdout, done.stderr)
    until = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 30 * DAY))
    words = ("--host", "node10", "--check", "ecc", "--who", "Li Wei", "--why", "replaced in week 20", "--until", until)
    over = assay("waive", number, *words[:-1], "2020-01-01")
    tap.ok(over.returncode == 64 and "is over" in over.stderr, "a waiver ends at a day to come", over.stderr)
    passed = assay("waive", number, *words[:3], "gpu-inventory", *words[4:])
    tap.ok(passed.returncode == 64 and "nothing of that failed" in passed.stderr, "what passed is not waived", passed.stderr)
    waived = assay("waive", number, *words)
    tap.ok(waived.returncode == 3 and waived.stdout.endswith("verdict: passed with exceptions: 1 waiver\n"),
           "a waived run is passed with exceptions, and the waiver is counted", waived.stdout, waived.stderr)
    shown = assay("show", number).stdout
    tap.ok("Li Wei, until" in shown and "PASSED WITH EXCEPTIONS: 1 WAIVER" in shown, "the waiver stands beside what it covers",
           shown[:1500])
    judged = assay("judge", number)
    tap.ok(judged.returncode == 3, "judged again it is the same", judged.stdout, judged.stderr)
    listed = assay("waive", "--list", number).stdout
    uuid = re.search(r"^waiver: (\S+) .*\(in force\)$", listed, re.MULTILINE)
    tap.ok(uuid and re.search(r"of gpu6, on GPU-", listed), "the list names what it covers, on which GPU", listed)
    back = assay("waive", number, "--withdraw", uuid[1], "--who", "Wang", "--why", "a mistake")
    tap.ok(back.returncode == 1 and back.stdout.endswith("verdict: failed\n"), "taken back, the run failed", back.stdout,
           back.stderr)
    tap.ok("withdrawn by Wang" in assay("waive", "--list", number).stdout, "the withdrawal stays on record beside it")


def what_is_waived_is_told(hostfile, suite):
    """What both sides sign says what they live with: the part, its numbers, who accepted it, and until when."""
    with open(hostfile, encoding="utf-8") as file:
        alone = write("node10", "".join(line for line in file if re.match(r"(defaults|node10) ", line)))
    assert acceptance("create", "one", "-H", alone, "-s", suite).returncode == 0
    number, _ = run(0, "-H", alone, "-s", suite)
    acceptance("add", "one", number)
    until = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 30 * DAY))
    assay("waive", number, "--host", "node10", "--check", "ecc", "--who", "Li Wei", "--why", "replaced in week 20", "--until", until)
    done = acceptance("status", "one")
    tap.ok(done.returncode == 3 and "\nnext: assay acceptance report one -o one.html\n" in done.stdout, "with a waiver it is accepted, and can be signed",
           done.stdout, done.stderr)
    report = json.loads(acceptance("report", "one", "--format", "json").stdout)
    tap.same([(row["state"], row["target"], row["part"], row["step"]) for row in report["faults"]], [("waived", "node10", "GPU 6", "ecc")],
             "what is waived is told by its part", report["faults"])
    told = report["faults"][0]
    tap.ok("uncorrected memory errors" in told["problem"] and "Li Wei, until 20" in told["remedy"] and told["serial"].startswith("GPU 6: "),
           "with its numbers, its serial number, and who waived it until when", told)
    lines = [moment["text"] for moment in report["story"] if "waiver" in moment["text"]]
    tap.ok(len(lines) == 1 and lines[0].startswith(f"waiver of ecc of gpu6 on node10 in run {number} by Li Wei, until 20"),
           "and its history says what the waiver covers", lines)


RING = {"name": "ring", "purpose": "delivery", "steps": [
    {"check": "reachable"},
    {"name": "pairs", "check": "nccl-all-gather", "scope": "pair", "by": "ring", "needs": ["reachable"], "peers": False,
     "arguments": {"begin": "8G", "end": "8G", "iterations": 5}, "sizes_judged": ["8G"],
     "record": ["nccl.all_gather.busbw"]},
    {"name": "unit", "check": "nccl-all-gather", "scope": "group", "by": "unit", "needs": ["reachable"],
     "arguments": {"begin": "8G", "end": "8G", "iterations": 5}, "sizes_judged": ["8G"],
     "limits": [{"metric": "nccl.all_gather.busbw", "fraction_of_groups": 0.5, "source": "its own pairs", "status": "self"}]}]}


def a_test_beside_its_own_pairs(hostfile):
    """Four good hosts, one of which is repaired: its unit is judged by pairs of the same run, so these are run with it."""
    with open(hostfile, encoding="utf-8") as file:
        four = "".join(line for line in file if re.match(r"(defaults|node[1345]) ", line)).replace("su2", "su1")
    hosts, suite, database = write("four", four), write("ring.json", RING), os.path.join(FOLDER, "ring.db")

    def of_ring(*words):
        return assay(*words, "--db", database)

    assert of_ring("acceptance", "create", "ring", "-H", hosts, "-s", suite).returncode == 0
    done = of_ring("run", "--progress", "none", "-o", "report.html", "-H", hosts, "-s", suite)
    done = of_ring("acceptance", "add", "ring", "1") if done.returncode == 0 else done
    tap.ok(done.returncode == 0, "four hosts are accepted by a limit from their own pairs", done.stdout, done.stderr)
    of_ring("acceptance", "event", "ring", "repair", "node1")
    told = of_ring("acceptance", "status", "ring", "--next", "next-ring").stdout
    with open(os.path.join(FOLDER, "next-ring", "commands"), encoding="utf-8") as file:
        lines = [shlex.split(line) for line in file.read().splitlines()]
    steps = [line[line.index("--steps") + 1] for line in lines if line[line.index("--hosts") + 1] == "node[1,3-5]"]
    tap.same((len(steps), set(steps[0].split(","))), (1, {"pairs", "unit"}), "the unit is tested again beside its pairs", told)
    tap.ok(all(line[-2:] == ["--db", database] for line in lines) and "\nnext: sh next-ring/run " in told,
           "into the database of the acceptance, and what comes then is said", lines)
    path = os.path.dirname(ASSAY) + os.pathsep + os.environ["PATH"]
    done = subprocess.run(["sh", "next-ring/run"], cwd=FOLDER, env=environment(PATH=path), stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False)
    tap.ok(done.returncode == 0 and done.stdout.endswith("verdict: accept\n"), "the script that was written runs it all, and it is accepted", done.stdout,
           done.stderr)
    runs = json.loads(of_ring("acceptance", "report", "ring", "--format", "json").stdout)["runs"]
    tap.same([row["number"] for row in runs], list(range(1, len(lines) + 2)), "each run was added")


def anothers_run(hostfile, suite):
    """The last run, as another party would get it, taken into an acceptance of its own."""
    def theirs(*words):
        return assay(*words, "--db", "theirs.db")

    assert assay("export", "-o", "run.tar.zst").returncode == 0
    assert theirs("import", "run.tar.zst").returncode == 0
    assert theirs("acceptance", "create", "su", "-H", hostfile, "-s", suite).returncode == 0
    for words, what in (((), "without a name"), (("--adopt", "Chen"), "without a reason"), (("--note", "seen it"), "with a reason alone")):
        done = theirs("acceptance", "add", "su", 1, *words)
        tap.ok(done.returncode == 64 and "made by another party" in done.stderr and "--adopt WHO --note TEXT" in done.stderr,
               f"another party's run is not added {what}", done.stdout, done.stderr)
    done = theirs("acceptance", "add", "su", 1, "--adopt", "Chen", "--note", "seen it")
    tap.ok(done.returncode == 1 and done.stdout.endswith("verdict: reject\n"), "it is added by name, with a reason", done.stdout, done.stderr)
    again = theirs("acceptance", "add", "su", 1, "--adopt", "Lee", "--note", "again")
    theirs("acceptance", "report", "su", "-o", "theirs.html")
    with open(os.path.join(FOLDER, "theirs.html"), encoding="utf-8") as file:
        told = re.findall(r"adopted by [^<]*", file.read())
    tap.ok(again.returncode == 64 and "part of su already" in again.stderr and told and
           all("adopted by Chen: seen it (imported " in line for line in told),
           "it is taken in once, and the report tells by whom", again.stderr, told)


with Lab("lab", 10, ["node2:ecc-uncorrected:3", "node7:gpu-missing:5", "node10:ecc-uncorrected:6"]) as the_lab:
    HOSTS = site_hostfile(the_lab)
    a_slip(write("site.json", SUITE))
    week_1(the_lab, HOSTS, write("site.json", SUITE))
    events_of_many(HOSTS, os.path.join(FOLDER, "site.json"))
    week_3(HOSTS, os.path.join(FOLDER, "site.json"))
    the_report_tells_it()
    it_is_told_in_chinese()
    it_is_signed()
    a_waiver(the_lab.hostfile, write("alone.json", {**SUITE, "steps": SUITE["steps"][:3]}))
    what_is_waived_is_told(the_lab.hostfile, os.path.join(FOLDER, "alone.json"))
    anothers_run(the_lab.hostfile, os.path.join(FOLDER, "alone.json"))
    a_test_beside_its_own_pairs(HOSTS)
tap.end()
