# SPDX-License-Identifier: Apache-2.0
"""A soak: killed and cancelled, it is incomplete, and goes on for what is left; what comes and goes is named with when.

usage: test_soak.py ASSAY
"""

import json
import os
import re
import signal

from cluster import FOLDER, Lab, PATIENCE_S, Report, Tap, assay, start

STEP = "soak-cluster"
METRIC = "nccl.all_gather.loaded.busbw"
DATABASE = os.path.join(FOLDER, "soak.db")
AGAIN = ("--db", DATABASE, "--progress", "json", "-o", os.path.join(FOLDER, "soak.html"))
SPEED = 600
OWED_S = 14400 / SPEED  # of --duration 4h: some forty slices, and enough of them where the machine is busy

tap = Tap()


def slices(report):
    numbers = [number for step in report.steps if step["name"] == STEP and step["origin"] == "suite"
               for number in step["attempts"]]
    return [report.json["attempts"][number] for number in numbers]


def item(report):
    """The judged bandwidth over all hosts."""
    return next(item for step, item in report.outcomes()
                if step["name"] == STEP and step["origin"] == "suite" and item["metric"] == METRIC)


def after_slices(count, number, *words):
    """Starts the program, and sends it the signal in the slice behind so many; its exit status and output."""
    child = start(*words)
    seen = 0
    for line in child.stderr:
        if line.startswith("{") and (event := json.loads(line)).get("step") == STEP:
            seen += event["event"] == "started"
            if seen == count + 1:
                child.send_signal(number)
                break
    rest = child.communicate(timeout=PATIENCE_S)
    return child.returncode, *rest


def healthy(tap, lab):
    """Hosts without the fault; as short as a soak may be: where slices take longer than expected they are too few, which is said."""
    database = os.path.join(FOLDER, "healthy.db")
    done = assay("run", "-H", lab.hostfile, "-s", "soak", "--hosts", "node[1-2]", "--duration", "1h", "--db", database,
                 "--progress", "none", "-o", os.path.join(FOLDER, "healthy.html"))
    report = Report(database)
    found, enough = item(report), len(slices(report)) >= 8
    tap.ok((done.returncode, report.verdict) == ((0, "accept") if enough else (2, "incomplete")) and "not an acceptance" in done.stdout,
           "a soak of healthy hosts passes, and accepts nothing", done.stdout, done.stderr)
    shorter = rf"It loaded the hosts for ([\d.]+) s; the built-in soak does for 1d 00h 00m\. The hostfile divides all times by {SPEED} \(timescale\)"
    forms = {name: assay("report", 1, "--db", database, "--format", name, "-o", "-").stdout for name in ("text", "html", "junit", "json")}
    told = [re.search(shorter, " ".join(re.sub(r"&#40;", "(", text).split())) for text in (done.stdout, *forms.values())]
    tap.ok(all(told), "in every form it says that it was shorter than its title, and hastened", done.stdout, told)
    seen = sum(one["ended"] - one["began"] for one in slices(report) if one["end"] == "ran")
    tap.ok(told[0] and 3600 / SPEED <= float(told[0][1]) <= seen + 0.1, "for as long as its slices worked, by the clocks of the hosts",
           told[0] and told[0][1], seen)
    tap.ok(found["outcome"] == "pass" if enough else found["outcome"] == "inconclusive" and "slices are too few to tell" in found["cause"],
           "its slices pass by one another; too few would show nothing", found)
    loads = [(item["metric"], item["subject"], item["outcome"]) for step, item in report.outcomes()
             if step["name"] == STEP and item["metric"].startswith("beside.") and item["duty"] == "gate"]
    tap.same(sorted(loads), [(f"beside.{what}", f"node{host}", "pass") for what in ("load", "results", "slowdown") for host in (1, 2)],
             "gpu_burn loaded each host all the time, found nothing, and no clock was lowered for heat")


def asked(tap, lab):
    plan = assay("plan", "-H", lab.hostfile, "-s", "soak", "--full")
    tap.ok("note: beside the verdict the report will say: It loads the hosts for 2m 24s; the built-in soak does for 1d 00h 00m. "
           f"The hostfile divides all times by {SPEED} (timescale)" in plan.stdout, "the plan says that times are divided", plan.stdout[-1500:])
    real = os.path.join(FOLDER, "real")
    with open(real, "w", encoding="utf-8") as file:
        file.write("defaults slots=8 platform=hgx-h100\nnode[1-4]\n")
    told = assay("plan", "-H", real, "-s", "soak", "--full").stdout
    tap.ok(plan.returncode == 0 and "under load: gpu_burn on all GPUs" in plan.stdout and "until they have worked for 1d 00h 00m" in told and "about 1d 04h" in told
           and re.search(r"at most 591\.\d kWh, GPUs alone", told),
           "the plan tells how long a soak takes, and at most how much energy", told[-600:], plan.stderr)
    short = json.loads(assay("plan", "-H", real, "-s", "soak", "--duration", "90m", "--format", "json").stdout)
    row = next(row for row in short["plan"] if row["step"] == STEP)
    tap.ok(row["repeat_for_s"] == 5400 and 5400 <= row["whole_s"] <= 6300 and 30 < short["gpu_kwh_at_most"] < 40,
           "--duration is another one", row["repeat_for_s"], row["whole_s"], short["gpu_kwh_at_most"])
    for words, message in ((("--duration", "90"), "'90' is not a time; expected .* 24h, 90m"), (("--duration", "0h"), "'0h' is not a time"),
                           (("--duration", "5m"), "step soak-cluster lasts for 300 s, and a slice of it takes 330 s.*--duration 44m")):
        refused = assay("plan", "-H", real, "-s", "soak", *words)
        tap.ok(refused.returncode == 64 and re.search(message, refused.stderr), f"refused: {words[1]}", refused.stderr)
    refused = assay("plan", "-H", real, "-s", "smoke", "--duration", "1h")
    tap.ok(refused.returncode == 64 and "no step of the suite says repeat_for_s" in refused.stderr,
           "a duration of a suite that lasts for none is refused", refused.stderr)


def interrupted(tap, lab):
    status, _, err = after_slices(3, signal.SIGKILL, "run", "-H", lab.hostfile, "-s", "soak", "--duration", "4h", *AGAIN)
    tap.ok(status == -signal.SIGKILL, "the controller of a soak is killed in its fourth slice", status, err[-2000:])
    refused = assay("run", "--resume", 1, "--duration", "1h", "--db", DATABASE)
    tap.ok(refused.returncode == 64 and "duration of the run" in refused.stderr, "a resumed soak keeps its duration", refused.stderr)
    status, out, err = after_slices(2, signal.SIGINT, "run", "--resume", 1, *AGAIN)
    report = Report(DATABASE)
    found = item(report)
    tap.ok(status == 130 and "verdict: incomplete" in out, "resumed, and ended by Ctrl-C, it is incomplete", status, out, err[-2000:])
    tap.ok(found["outcome"] == "inconclusive" and re.search(rf"ran for [\d.]+ s of {OWED_S:g} s; the rest was not run", found["cause"]),
           "it says how long it worked of what it owes", found["cause"])
    done = assay("run", "--resume", 1, *AGAIN)
    return done, Report(DATABASE)


def comes_and_goes(tap, lab):
    """One of three hosts is slow in the 5th and 6th of 12 tests, and only while gpu_burn loads its GPUs; one of these computes less then."""
    done, report = interrupted(tap, lab)
    found, made = item(report), slices(report)
    ran = [one for one in made if one["end"] == "ran"]
    tap.ok(done.returncode == 1 and "verdict: failed" in done.stdout, "resumed to its end, it has failed", done.stdout, done.stderr[-2000:])
    tap.ok(len(ran) >= 8 and [one["n"] for one in made] == list(range(1, len(made) + 1)),
           "all slices are kept, one after the other", [(one["n"], one["end"]) for one in made])
    tap.ok(re.search(r"slow from \d{4}-\d\d-\d\d \d\d:\d\d:\d\d to [0-9: -]+ UTC \([12] of \d+ slices\): 1[01]\.\d% worse than the run's "
                     r"median 8[3-6](\.\d+)? GB/s; fail from 10%|slow [2-9] times \(\d+ of \d+ slices\), first from ", found["cause"])
           and found["outcome"] == "fail", "when it was slow is named, though every slice was within the limits", found["cause"])
    tap.ok(70 < found["value"] < 80 and found["cause"] in done.stdout, "the terminal says so too", found["value"], done.stdout)
    computed = {item["subject"]: item for step, item in report.outcomes("record")
                if step["name"] == STEP and step["origin"] == "suite" and item["metric"] == "beside.of_others"}
    spell = computed["node3"]
    tap.ok(spell["outcome"] == "recorded" and spell["remark"] and re.search(r"slow (from|[2-9] times).*worse than the run's median (9\d|100)(\.\d+)? %", spell["cause"]),
           "a GPU that computes less for a while is remarked on with its host and when", spell)
    tap.same([name for name, one in computed.items() if "slow" in (one["cause"] or "")], ["node3"], "and nobody else is")
    warm = {item["subject"]: item["value"] for step, item in report.outcomes("record")
            if step["name"] == STEP and item["metric"] == "beside.temperature.max"}
    tap.ok(len(warm) == 3 and all(40 < degrees < 90 for degrees in warm.values()), "the temperature of the hottest GPU of each host is kept", warm)
    worked = sum(one["ended"] - one["began"] for one in ran)
    tap.ok(worked >= OWED_S - 1, "it worked as long as it owes, whatever came between", worked)
    rest = [step["outcome"] for step in report.steps if step["name"] in ("cluster-before", "cluster-after")]
    tap.same(rest, ["pass", "pass"], "at rest the same hosts are as fast as they should be, before and after")
    after = {step["outcome"] for step in report.steps if step["name"].endswith("-after")}
    tap.ok(after == {"pass"}, "the closing looks came behind it", after)
    tap.same(report.left_behind(), [], "nothing is left behind")
    again = assay("judge", 1, "--db", DATABASE)
    tap.ok("fail" in again.stdout, "judged again it says the same", again.stdout, again.stderr)
    tap.same((item(Report(DATABASE))["outcome"], item(Report(DATABASE))["cause"]), ("fail", found["cause"]), "with the same words")
    text = assay("report", 1, "--db", DATABASE, "--format", "text", "-o", "-").stdout
    words = " ".join(text.split())
    row = re.search(rf"{STEP}, {METRIC} at size 8G, place out: (\d+) slices from .{{23}} to .{{23}}: lowest (\S+), median (\S+), highest (\S+) GB/s",
                    words)
    tap.ok("worse than the run's median" in words and row and int(row[1]) == len(ran) and abs(float(row[2]) - found["value"]) < 0.1
           and float(row[2]) < float(row[3]) <= float(row[4]), "the text says it, and has the series in one line", row and row.groups(), len(ran), found["value"], text[:6000])
    tap.ok(words.count(f"{STEP}, attempt ") <= 2, "slices that came to their end are not listed one by one", text[-6000:])
    with open(AGAIN[-1], encoding="utf-8") as file:
        page = file.read()
    tap.ok(page.count('<svg class="plot slices"') == 1, "the page draws the series")
    linked = set(re.findall(rf'<tbody id="e\d+"><tr><td><b>{STEP}', page))
    tap.ok(len(linked) >= len(made), "and has a place for each slice", len(linked), len(made))


with Lab("soak", 3, ["node3:slow-when-hot:11", "node3:burn-spells:5=40"], speed=SPEED) as cluster_of_three:
    asked(tap, cluster_of_three)
    healthy(tap, cluster_of_three)
    comes_and_goes(tap, cluster_of_three)
tap.end()
