# SPDX-License-Identifier: Apache-2.0
"""usage: test_namespaces.py assay assay-probe-collective [measured|ended]

Runs over real hosts with real sshd and real mpirun between them: a collective across hosts, of which one is slow, or
hangs. What a collective leaves when it hangs, or when the controller is killed, is looked for on every host.
"""

import json
import os
import signal
import sys
import time

import namespaces
from cluster import FOLDER, PATIENCE_S, Report, Tap, assay, closing_lines, start, wait_until
from namespaces import MPI, Hosts, write

PROBE = os.path.abspath(sys.argv[2])
COUNT, SLOW = 8, 6
TURNS = 2  # the hosts share this machine's CPUs: what else keeps them busy may make one more slow, but not twice
FEW, FEW_HOSTS = 4, "node[1-4]"  # for what hangs
# 10 Mbit/s are 0.00125 GB/s, which a healthy ring comes near where the CPUs are free; with a slow host in it, it cannot
# exceed 0.000375.
RATE, SLOW_RATE, FLOOR_GBS = "10mbit", "3mbit", 0.0005
BUSBW = "probe.all_reduce.busbw"
PLATFORM = {"name": "plain.json", "title": "hosts without GPUs, taken for one GPU each", "source": "this test",
            "gpus": {"count": 1, "models": ["none"], "pci_ids": ["10de:2330"]}, "nvlink": {"links": 0},
            "nvswitch": False, "fabric_state": False, "driver_minimum": "525.60.13"}
HANG_S = 45  # deadline of a step that hangs: on a slow machine it has printed nothing before 15
# For a run over all hosts. Where something takes the CPUs away for a moment, a search may take a host to be slow at times,
# and goes on until that is told from chance: up to 60 rounds of 6 to 16 seconds.
SETTLE_S = 30  # after a deadline: grace, the daemons' own timeout, sweeps

tap = Tap()


def suite(name, program=PROBE, **step):
    steps = [{"check": "reachable"},
             {"check": "probe-collective", "scope": "cluster", "needs": ["reachable"],
              "arguments": {"backend": "host", "begin": "512K", "end": "512K", "iterations": 2, "warmup": 1},
              "sizes_judged": ["512K"], "timeout_s": 120,
              "limits": [{"metric": BUSBW, "floor": FLOOR_GBS, "unit": "GB/s", "source": "site", "status": "contract"}],
              **step}]
    return write(f"{FOLDER}/{name}.json", json.dumps(
        {"name": name, "title": name, "purpose": "delivery", "launcher": MPI, "steps": steps,
         "tools": {"assay-probe-collective": {"path": program}}}))


def words(name, program=PROBE, **step):
    return ["run", "-H", hostfile, "-s", suite(name, program, **step), "--db", f"{FOLDER}/{name}.db", "--progress",
            "plain", "-o", f"{FOLDER}/{name}.html"]


def verdict(done):
    return done.returncode, (closing_lines(done.stdout) or {}).get("verdict")


def items(report, metric):
    """{subject: item} of the step across all hosts, not of what isolation made of it."""
    return {item["subject"]: item for duty in ("gate", "record") for step, item in report.outcomes(duty)
            if step["name"] == "probe-collective" and step["origin"] == "suite" and item["metric"] == metric}


def last_attempt(report):
    return report.json["attempts"][[step for step in report.steps if step["name"] == "probe-collective"][0]["attempts"][-1]]


def number(item):
    return float(item["measured"].split()[0])


def what_is_left():
    """Processes on any host, and spools of attempts."""
    return hosts.processes() + hosts.spools()


def a_healthy_cluster():
    done = assay(*words("healthy"))
    report = Report(f"{FOLDER}/healthy.db")
    tap.same(verdict(done), (2, "incomplete"), "healthy hosts: undecided, as CPUs say nothing of GPUs", done.stdout, done.stderr)
    tap.same({item["metric"] for _, item in report.outcomes("gate") if item["outcome"] != "pass"}, {"probe.backend"},
             "healthy hosts: and by nothing else")
    tap.same({metric: items(report, metric)[""]["measured"] for metric in ("probe.ranks", "probe.hosts", "probe.backend")},
             {"probe.ranks": str(COUNT), "probe.hosts": str(COUNT), "probe.backend": "host"},
             "healthy hosts: a rank on each of them took part")
    tap.same((items(report, BUSBW)[""]["outcome"], items(report, "probe.all_reduce.wrong")[""]["outcome"]),
             ("pass", "pass"), "healthy hosts: bandwidth is measured, and no data is wrong")
    tap.same({(host, item["outcome"]) for host, item in items(report, "probe.host_path").items()},
             {(host.name, "recorded") for host in hosts.list}, "healthy hosts: the best path of each is written down")
    tap.same(what_is_left(), [], "healthy hosts: nothing is left on any of them")


def searched_for_slow(name):
    """Whom a run accuses, by name. Where others keep the CPUs busy, further hosts may look slow at times, and that is
    then said of them: these do not count."""
    done = assay(*words(name))
    report = Report(f"{FOLDER}/{name}.db")
    return done, report, {one["subject"]: one for one in report.json["accusations"] if not one["intermittent"]}


def a_slow_host():
    slow = hosts.list[SLOW - 1]
    slow.shape(SLOW_RATE)
    done, report, accused = searched_for_slow("slow")
    for turn in range(1, TURNS):
        if len(accused) == 1:
            break
        print(f"# {sorted(accused)} were accused: if something else kept the CPUs busy, it will not again; turn {turn + 1} of {TURNS}")
        tap.ok(slow.name in accused, "a slow host: it is named, whoever else is", accused)
        done, report, accused = searched_for_slow(f"slow-{turn}")
    slow.shape(RATE)
    paths = {host: number(item) for host, item in items(report, "probe.host_path").items()}
    tap.same(verdict(done), (1, "reject"), "a slow host: rejected", done.stdout, done.stderr)
    tap.same(items(report, BUSBW)[""]["outcome"], "fail", "a slow host: the collective is below its limit")
    tap.same(min(paths, key=paths.get), slow.name, "a slow host: its best path is the slowest of all", paths)
    tap.ok(f"{slow.name} (path)" in items(report, "probe.stragglers")[""]["measured"],
           "a slow host: the probe names it", items(report, "probe.stragglers"))
    one = accused.get(slow.name, {})
    tap.same([one.get(key) for key in ("kind", "place", "fast_tests")], ["host", "on its way into the fabric", 0],
             "a slow host: tests of parts name it; none with it was fast, and alone it is fast", report.json["accusations"])
    tap.same(sorted(accused), [slow.name], "a slow host: they name no other")
    tap.same(what_is_left(), [], "a slow host: nothing is left on any of them")


# Ten times the bandwidth, in a tenth of the time.
LIE = r'$| = 1; s/"(algbw|busbw)": ([0-9.e+-]+)/"\"$1\": " . $2 * 10/ge; s/"time_us": ([0-9.e+-]+)/"\"time_us\": " . $1 \/ 10/ge'


def a_lying_rank_0():
    """It prints ten times the bandwidth; what the other hosts measured it never had in its hands."""
    program = write(f"{FOLDER}/lying.sh", f"""#!/bin/sh
[ "$OMPI_COMM_WORLD_RANK" = 0 ] || exec {PROBE} "$@"
{PROBE} "$@" | perl -pe '{LIE}'
""", 0o755)
    done = assay(*words("lying", program, retries=0, isolate=False), "--hosts", FEW_HOSTS)
    told = items(Report(f"{FOLDER}/lying.db"), BUSBW)[""]
    tap.same((verdict(done), told["outcome"]), ((2, "incomplete"), "inconclusive"), "a lying rank 0: no host bears it out",
             done.stdout, done.stderr)
    tap.ok("node2: it measured" in told["cause"] and "but the table says" in told["cause"],
           "a lying rank 0: each host says what it measured itself", told)
    tap.same(what_is_left(), [], "a lying rank 0: nothing is left on any host")


def a_host_without_a_word():
    """Somebody on node3 takes the witness's place first, which is known as soon as the test runs."""
    program = write(f"{FOLDER}/silent.sh", f"""#!/bin/sh
[ "$(hostname)" = node3 ] && ln -s "ranks=4 524288=1000" "/var/tmp/assay-witness-$ASSAY_ATTEMPT" && chown -h 12345 "/var/tmp/assay-witness-$ASSAY_ATTEMPT"
exec {PROBE} "$@"
""", 0o755)
    done = assay(*words("silent", program, retries=0, isolate=False), "--hosts", FEW_HOSTS)
    told = items(Report(f"{FOLDER}/silent.db"), BUSBW)[""]
    tap.same((verdict(done), told["outcome"]), ((2, "incomplete"), "inconclusive"),
             "a host without a word of its own: nothing passes by it", done.stdout, done.stderr)
    tap.ok("node3: it has no measurement of its own: its owner is the user with uid 12345" in told["cause"],
           "a host without a word of its own: whose lies in its place is told", told)


def hanging(name, deadline=HANG_S, **step):
    """On some of the hosts a collective whose rank 2 sleeps for ever; the probe's own deadline is far away.

    Who hangs is searched for with the same question, which would always hang, so here it is left out."""
    program = write(f"{FOLDER}/{name}.sh", f'#!/bin/sh\nexec {PROBE} "$@" --deadline 100000 --trouble hang:2\n', 0o755)
    return [*words(name, program, timeout_s=deadline, isolate=False, **step), "--hosts", FEW_HOSTS]


def hangs_as_owed(report, story):
    gates = [item for step, item in report.outcomes() if step["name"] == "probe-collective"]
    attempt = last_attempt(report)
    tap.same({item["outcome"] for item in gates}, {"inconclusive"},
             f"{story}: above one host it accuses nobody, every gate is inconclusive", gates)
    tap.same(attempt["end"], "deadline", f"{story}: the attempt ended at its deadline", attempt["text"])
    tap.ok(any(capture["stream"] == "stdout" and capture["length"] > 300 for capture in attempt["captures"]),
           f"{story}: what it had printed is kept", attempt["captures"])
    tap.same(what_is_left(), [], f"{story}: nothing is left on any host, neither ranks nor daemons")


def a_hang():
    done = assay(*hanging("hang"))
    report = Report(f"{FOLDER}/hang.db")
    tap.same(verdict(done), (2, "incomplete"), "a hang: the run is incomplete", done.stdout, done.stderr)
    tap.same(len([attempt for attempt in report.json["attempts"] if attempt["step"] == last_attempt(report)["step"]]), 2,
             "a hang: it is tried once more")
    hangs_as_owed(report, "a hang")


def a_rank_that_does_not_arrive():
    """Here the probe's own deadline is the earlier one, and it can say whom it waited for."""
    program = write(f"{FOLDER}/absent.sh", f'#!/bin/sh\nexec {PROBE} "$@" --trouble hang:2\n', 0o755)
    done = assay(*words("absent", program, timeout_s=30, retries=0, isolate=False), "--hosts", FEW_HOSTS)
    report = Report(f"{FOLDER}/absent.db")
    told = items(report, "sound")[""]
    tap.same((verdict(done), told["outcome"]), ((2, "incomplete"), "inconclusive"),
             "a rank that does not arrive: the run is incomplete", done.stdout, done.stderr)
    tap.ok("did not arrive: rank 2 on node3" in told["cause"], "a rank that does not arrive: it is named with its host",
           told)
    tap.same(what_is_left(), [], "a rank that does not arrive: nothing is left on any host")


def begun(name, **step):
    """A run that was met while the ranks of its collective wait for each other, on every host."""
    child = start(*hanging(name, **step))
    running = wait_until(lambda: len(hosts.processes(f"{PROBE} ")) >= FEW, 60)
    time.sleep(1)
    return child, running


def the_controller_is_killed():
    child, running = begun("killed", deadline=25, retries=0)
    tap.ok(running, "a killed controller: the collective had begun on every host", hosts.processes())
    child.kill()
    child.communicate()
    time.sleep(1)
    tap.ok(hosts.processes(f"{PROBE} "), "a killed controller: the collective goes on without it")
    left = wait_until(lambda: not hosts.processes(), 25 + SETTLE_S)
    tap.ok(left, "a killed controller: at the deadline all of it ends, on every host, with nobody to ask for it",
           hosts.processes())
    done = assay("run", "--resume", 1, "--db", f"{FOLDER}/killed.db", "--progress", "none", "-o", f"{FOLDER}/killed.html")
    tap.same(verdict(done), (2, "incomplete"), "a killed controller: --resume fetches what became of it", done.stdout,
             done.stderr)
    hangs_as_owed(Report(f"{FOLDER}/killed.db"), "a killed controller")


def a_host_is_cut_off():
    """Nobody can reach it any more, so what runs there has to end by itself."""
    cut = hosts.list[1]
    child, running = begun("cut", deadline=25, retries=0)
    tap.ok(running, "a host is cut off: the collective had begun on every host", hosts.processes())
    cut.plug("down")
    left = wait_until(lambda: not hosts.processes(), 25 + SETTLE_S)
    tap.ok(left, "a host is cut off: all of it ends at the deadline, there too", hosts.processes())
    cut.plug("up")
    out, err = child.communicate(timeout=PATIENCE_S)
    tap.ok(child.returncode == 2 and "verdict: incomplete" in out, "a host is cut off: the run is incomplete", out, err)
    tap.same(what_is_left(), [], "a host is cut off: nothing is left on any host")


def a_run_is_cancelled():
    child, running = begun("cancelled", deadline=600)
    tap.ok(running, "Ctrl-C: the collective had begun on every host", hosts.processes())
    child.kill()
    child.communicate()
    child = start("run", "--resume", 1, "--db", f"{FOLDER}/cancelled.db", "--progress", "none", "-o",
                  f"{FOLDER}/cancelled.html")
    time.sleep(3)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=PATIENCE_S)
    tap.same(child.returncode, 130, "Ctrl-C: of a run that was taken up after its controller was killed", out, err)
    tap.same(what_is_left(), [], "Ctrl-C: long before the deadline nothing is left on any host")


write(f"{FOLDER}/{PLATFORM['name']}", json.dumps(PLATFORM))
hosts = Hosts(COUNT, RATE)
hostfile = hosts.hostfile("hostfile", PLATFORM["name"])
STORIES = {"measured": (a_healthy_cluster, a_slow_host, a_lying_rank_0, a_host_without_a_word),
           "ended": (a_hang, a_rank_that_does_not_arrive, the_controller_is_killed, a_host_is_cut_off, a_run_is_cancelled)}
for kind, stories in STORIES.items():
    for story in stories:
        if len(sys.argv) < 4 or sys.argv[3] == kind:
            story()
tap.end()
