# SPDX-License-Identifier: Apache-2.0
"""What is between a run and its end: cut connections, a killed controller, Ctrl-C.

The tests on the hosts are started once and only once, their own result counts, and nothing of them is left.
"""

import os
import re
import shutil
import signal
import sqlite3
import time
import uuid

from cluster import FOLDER, Lab, PATIENCE_S, Report, Tap, assay, closing_lines, start, wait_until, write

SPEED = 200  # a burn of 1800 s takes 9 s, long enough to be met in its middle
SUITE = {
    "name": "burn", "purpose": "trial",
    "steps": [
        {"check": "reachable"},
        {"check": "privilege", "needs": ["reachable"]},
        {"check": "gpu-burn", "needs": ["privilege"], "arguments": {"seconds": 1800}},
        {"check": "nccl-all-gather", "scope": "cluster", "needs": ["gpu-burn"],
         "arguments": {"begin": "1G", "end": "8G"}, "sizes_judged": ["8G"]},
    ],
}

tap = Tap()


class Begun:
    """A run of the burn suite on two hosts, met in the middle of both burns."""

    def __init__(self, name, first, *options):
        self.hosts = [f"node{first}", f"node{first + 1}"]
        self.database = os.path.join(FOLDER, f"{name}.db")
        self.page = os.path.join(FOLDER, f"{name}.html")
        self.child = start("run", "-H", lab.hostfile, "-s", suite, "--db", self.database, "--progress", "none",
                           "--hosts", ",".join(self.hosts), "-o", self.page, *options)
        enough = all if not options else any
        self.burning = wait_until(lambda: enough(host in lab.burning() for host in self.hosts), 40)
        time.sleep(1)

    def end(self):
        self.out, self.err = self.child.communicate(timeout=PATIENCE_S)
        return self.child.returncode

    def kill(self):
        self.child.kill()
        self.end()

    def resume(self, *options):
        return assay("run", "--resume", 1, "--db", self.database, "--progress", "none", "-o", self.page, *options)

    def starts(self):
        return [lab.starts_of("gpu_burn").count(host) for host in self.hosts]

    def state(self):
        """As `assay list` shows it."""
        line = assay("list", "--db", self.database).stdout.splitlines()[1]
        return re.split(r"  +", line.strip())[2]

    def burns(self):
        """(attempts, outcome, how the last one ended, seconds) of each host's burn."""
        report = Report(self.database)
        found = []
        for step in report.steps:
            if step["check"] == "gpu-burn":
                last = report.json["attempts"][step["attempts"][-1]]
                found.append((len(step["attempts"]), step["outcome"], last["end"], last["ended"] - last["began"]))
        return found


def whole_burns(begun):
    """Each burn was one attempt that passed by its own result after its whole time."""
    burns = begun.burns()
    return len(burns) == 2 and all(burn[:3] == (1, "pass", "ran") and burn[3] > 1800 / SPEED for burn in burns)


def a_connection_is_cut(tell):
    begun = Begun("cut", 1)
    tell.ok(begun.burning, "cut connection: the burns have begun")
    lab.cut(1)
    lab.cut(2)
    time.sleep(2)
    lab.cut(2)
    tell.same((begun.end(), closing_lines(begun.out)["verdict"]), (0, "accept"),
              "cut connection: the run is accepted as if nothing had been", begun.out, begun.err)
    tell.same(begun.starts(), [1, 1], "cut connection: each burn was started once")
    tell.ok(whole_burns(begun), "cut connection: the burns' own results count", begun.burns())
    report = Report(begun.database)
    tell.ok(sorted(attempt["connections"] for attempt in report.json["attempts"])[-1] > 1,
            "cut connection: the report tells of more than one connection")
    tell.same(report.left_behind(), [], "cut connection: nothing is left on the hosts")


def the_controller_is_killed(tell):
    begun = Begun("killed", 3)
    tell.ok(begun.burning, "killed controller: the burns have begun")
    begun.kill()
    tell.ok(all(lab.is_burning(host) for host in begun.hosts), "killed controller: the burns go on without it")
    tell.same(begun.state(), "interrupted", "killed controller: the run is listed as interrupted")
    done = begun.resume()
    tell.same((done.returncode, (closing_lines(done.stdout) or {}).get("verdict")), (0, "accept"),
              "killed controller: --resume ends the same run with its verdict", done.stdout, done.stderr)
    tell.same(begun.starts(), [1, 1], "killed controller: each burn was started once")
    tell.ok(whole_burns(begun), "killed controller: the burns' own results count", begun.burns())
    tell.same(Report(begun.database).left_behind(), [], "killed controller: nothing is left on the hosts")
    again = begun.resume()
    tell.ok(again.returncode == 64 and "has ended" in again.stderr, "killed controller: an ended run is not resumed",
            again.stderr)


def the_burns_end_while_nobody_looks(tell):
    begun = Begun("late", 5)
    begun.kill()
    tell.ok(wait_until(lambda: lab.burning().isdisjoint(begun.hosts), 40),
            "late resume: the burns end by themselves")
    done = begun.resume()
    tell.same((done.returncode, begun.starts()), (0, [1, 1]), "late resume: what ended meanwhile is taken, not run again",
              done.stdout, done.stderr)
    tell.ok([burn[:3] for burn in begun.burns()] == [(1, "pass", "ran")] * 2, "late resume: its result counts",
            begun.burns())
    tell.same(Report(begun.database).left_behind(), [], "late resume: nothing is left on the hosts")


def interrupted(tell, name, first, number):
    begun = Begun(name, first)
    begun.child.send_signal(number)
    status = begun.end()
    report = Report(begun.database)
    said = closing_lines(begun.out) or {}

    tell.same((status, said.get("verdict")), (130, "incomplete"), f"{name}: exit status 130, verdict incomplete",
              begun.out, begun.err)
    tell.same((report.json["run"]["state"], begun.state()), ("cancelled", "cancelled"), f"{name}: the run is cancelled")
    tell.same({step["outcome"] for step in report.steps if step["check"] in ("gpu-burn", "nccl-all-gather")},
              {"not run"}, f"{name}: the tests are ended, not waited for, and did not run")
    tell.ok(all(item["cause"] for _, item in report.outcomes() if item["outcome"] == "not run"),
            f"{name}: each of them says why")
    tell.same({step["outcome"] for step in report.steps if step["check"] == "privilege"}, {"pass"},
              f"{name}: what had ended is kept")
    lines = begun.out.splitlines()
    steps = len(report.steps)
    tell.ok(re.search(rf"^cancelled; 0 of 2 hosts done, \d+ of {steps} tests; continue with `assay run --resume 1 --db {begun.database}`$", begun.out, re.M),
            f"{name}: how far it came, and how to go on", begun.out)
    found = [line for line in lines if line.startswith(("fail:", "fix:", "inconclusive:", "open:"))]
    tell.same(found, [], f"{name}: what was ended is no finding")
    tell.same((report.left_behind(), [host for host in begun.hosts if lab.is_burning(host)]), ([], []),
              f"{name}: nothing is left running on the hosts")
    # Links of the lab lead to what is in it, many times.
    tell.same([f"{folder}/{found}" for folder, folders, files in os.walk(lab.folder) for found in folders + files
               if found.startswith(report.json["run"]["uuid"])], [],
              f"{name}: no lock of it keeps the next run out")


def an_interrupt_from_the_keyboard(tell):
    interrupted(tell, "SIGINT", 7, signal.SIGINT)


def an_interrupt_while_it_is_read_what_the_burns_left(tell):
    begun = Begun("after", 31)
    for host in begun.hosts:
        write(f"{lab.folder}/slow.{host}", "")
    wait_until(lambda: lab.burning().isdisjoint(begun.hosts), 40)
    begun.child.send_signal(signal.SIGINT)
    begun.end()
    found = [line for line in begun.out.splitlines() if line.startswith(("fail:", "fix:", "inconclusive:"))]
    tell.same(([burn[:3] for burn in begun.burns()], found), ([(1, "not run", "cancelled")] * 2, []),
              "SIGINT right after the burns: they are cancelled, and that they were not read is no finding", begun.out)
    for host in begun.hosts:
        os.remove(f"{lab.folder}/slow.{host}")
    done = begun.resume()
    tell.same((done.returncode, [burn[:3] for burn in begun.burns()]), (0, [(2, "pass", "ran")] * 2),
              "SIGINT right after the burns: --resume burns again", done.stdout, done.stderr)


def a_request_to_terminate(tell):
    interrupted(tell, "SIGTERM", 9, signal.SIGTERM)


def the_terminal_closes(tell):
    begun = Begun("SIGHUP", 11)
    begun.child.send_signal(signal.SIGHUP)
    tell.same((begun.end(), begun.starts()), (0, [1, 1]), "SIGHUP: a run goes on when its terminal closes", begun.err)
    tell.ok(whole_burns(begun), "SIGHUP: the burns' own results count", begun.burns())


def a_tool_that_ignores_signals(tell):
    """On node13 and node14 gpu_burn hangs and ignores SIGTERM."""
    begun = Begun("deaf", 13)
    begun.child.send_signal(signal.SIGINT)
    status = begun.end()
    words = {step["outcome"] for step in Report(begun.database).steps if step["check"] == "gpu-burn"}
    tell.same((status, words), (130, {"not run"}), "SIGINT: a tool that ignores SIGTERM is ended too, before its deadline")
    tell.same([host for host in begun.hosts if lab.is_burning(host)], [], "SIGINT: nothing of it is left running")


def two_interrupts(tell):
    begun = Begun("two interrupts", 17)
    begun.child.send_signal(signal.SIGINT)
    time.sleep(0.02)
    begun.child.send_signal(signal.SIGINT)
    status = begun.end()
    running = [attempt for attempt in Report(begun.database).json["attempts"] if attempt["state"] != "ended"]
    tell.ok(status == 130 and running, "SIGINT twice: the program waits for no test to be ended", status, running)
    tell.ok(wait_until(lambda: lab.burning().isdisjoint(begun.hosts), 40),
            "SIGINT twice: what runs on the hosts comes to its end there")
    for path in Report(begun.database).left_behind():
        shutil.rmtree(path, ignore_errors=True)


def another_run_has_the_hosts(tell):
    begun = Begun("first", 29)
    done = assay("run", "-H", lab.hostfile, "-s", suite, "--db", os.path.join(FOLDER, "second.db"), "--progress", "none",
                 "--hosts", begun.hosts[0], "--steps", "gpu-burn", "-o", os.path.join(FOLDER, "second.html"))
    tell.ok(done.returncode == 2 and re.search(rf"^not run: {begun.hosts[0]} gpu-burn: in use: assay run \S+ of \S+", done.stdout, re.M),
            "another run has the hosts: who, in the terminal too", done.stdout, done.stderr)
    tell.same((begun.end(), begun.starts()), (0, [1, 1]), "another run has the hosts: which goes on", begun.out, begun.err)


def a_run_has_one_controller(tell):
    begun = Begun("two", 15)
    done = begun.resume()
    tell.ok(done.returncode == 64 and "run 1" in done.stderr, "a run that goes on is not resumed beside it", done.stderr)
    begun.child.send_signal(signal.SIGINT)
    tell.same(begun.end(), 130, "and its own controller goes on undisturbed", begun.err)


def at_once(begun):
    """The most burns of a run that ran at the same time, by their own times."""
    report = Report(begun.database)
    attempts = [report.json["attempts"][number] for step in report.steps if step["check"] == "gpu-burn"
                for number in step["attempts"]]
    return max(sum(other["began"] <= one["began"] < other["ended"] for other in attempts) for one in attempts)


def a_limit_of_hosts_at_work(tell):
    begun = Begun("turns", 19, "--hosts-at-once", 1)
    begun.kill()
    done = begun.resume()
    tell.same((done.returncode, begun.starts()), (0, [1, 1]), "hosts at once: the run is resumed", done.stdout, done.stderr)
    tell.ok("as when the run was started, 1 host is at work at a time" in done.stderr,
            "hosts at once: --resume says that it keeps to it", done.stderr)
    tell.same(at_once(begun), 1, "hosts at once: and never tests two at a time", begun.burns())
    begun = Begun("no-turns", 21, "--hosts-at-once", 1)
    begun.kill()
    done = begun.resume("--hosts-at-once", 2)
    tell.same((done.returncode, at_once(begun)), (0, 2), "hosts at once: --resume takes another number", done.stdout,
              done.stderr)


def a_host_is_rebooted_while_nobody_tests_it(tell):
    begun = Begun("rebooted", 23)
    begun.child.send_signal(signal.SIGINT)
    begun.end()
    with open(f"{lab.folder}/hosts/node23/boot_id", "w", encoding="ascii") as file:
        file.write(f"{uuid.uuid4()}\n")
    done = begun.resume()
    tell.same((done.returncode, closing_lines(done.stdout)["verdict"]), (0, "accept"),
              "rebooted between: the host is tested, not accused", done.stdout, done.stderr)


def set_back(database, seconds):
    """As if the controller's clock had been ahead by so much until it was killed, and had been set right since."""
    with sqlite3.connect(database) as store:
        store.execute("UPDATE run SET started=started+?", (seconds,))
        store.execute("UPDATE window SET began=began+?, ended=ended+? WHERE began>0", (seconds, seconds))
        for column in ("sent", "began", "ended"):
            store.execute(f"UPDATE attempt SET {column}={column}+? WHERE {column}>0", (seconds,))
        boot, ticks, base = store.execute("SELECT controller_start FROM run").fetchone()[0].split()
        store.execute("UPDATE run SET controller_start=?", (f"{boot} {ticks} {float(base) + seconds:.6f}",))


def the_controllers_clock_is_set_meanwhile(tell):
    for words, first, seconds in (("back", 25, 3600), ("forward", 27, -3600)):
        begun = Begun(f"clock-{words}", first)
        begun.kill()
        set_back(begun.database, seconds)
        done = begun.resume()
        report = Report(begun.database)
        run, attempts = report.json["run"], report.json["attempts"]
        tell.same((done.returncode, closing_lines(done.stdout)["verdict"]), (0, "accept"),
                  f"clock set {words}: the run is accepted as if nothing had been", done.stdout, done.stderr)
        tell.ok(0 < run["ended"] - run["started"] < 600, f"clock set {words}: the run took as long as it took", run)
        late = max(attempts, key=lambda attempt: attempt["sent"])
        early = [attempt["began"] for attempt in attempts if attempt is not late and attempt["ended"] > late["ended"]]
        tell.ok(not early and whole_burns(begun) and
                max(attempt["ended"] - attempt["began"] for attempt in attempts) < 600,
                f"clock set {words}: what came after comes after, and nothing took an hour", late, early)


suite = write("burn.json", SUITE)
with Lab("burns", 32, ["node13:tool-hang:gpu_burn", "node14:tool-hang:gpu_burn"], speed=SPEED) as lab:
    lab.count_starts("gpu_burn")
    lab.wrap("nvidia-smi", f'[ ! -e "{lab.folder}/slow.$ASSAY_LAB_HOST" ] || sleep 3')
    tap.together([a_connection_is_cut, the_controller_is_killed, the_burns_end_while_nobody_looks,
                  an_interrupt_from_the_keyboard, an_interrupt_while_it_is_read_what_the_burns_left,
                  a_request_to_terminate, the_terminal_closes, a_tool_that_ignores_signals, two_interrupts,
                  a_run_has_one_controller, a_limit_of_hosts_at_work, another_run_has_the_hosts,
                  a_host_is_rebooted_while_nobody_tests_it, the_controllers_clock_is_set_meanwhile])
    tap.same(lab.processes(), [], "nothing runs on the hosts in the end")
tap.end()
