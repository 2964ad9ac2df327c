# SPDX-License-Identifier: Apache-2.0
"""usage: test_slurm_transport.py assay [HOSTS] [STORY...]

A cluster whose nodes take no SSH: a real Slurm over hosts without sshd, reached by its steps (transport=slurm).
"""

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import namespaces
from cluster import ASSAY, FOLDER, PATIENCE_S, Report, Tap, assay, closing_lines, environment, start, wait_until
from namespaces import Hosts, command, write
from slurm import Slurm

STORY_WORDS = [word for word in sys.argv[2:] if not word.isdigit()]
COUNT = int(([word for word in sys.argv[2:] if word.isdigit()] or [3])[0])
NOBODY = 65534
STAGED = [f"node{number} tools" for number in range(1, COUNT + 1)]  # where `assay stage` puts them
STRANGE = "00000000-1111-2222-3333-444444444444"  # an attempt of another database
PLATFORM = {"name": "plain.json", "title": "hosts without GPUs, taken for one GPU each", "source": "this test",
            "gpus": {"count": 1, "models": ["none"], "pci_ids": ["10de:2330"]}, "nvlink": {"links": 0},
            "nvswitch": False, "fabric_state": False, "driver_minimum": "525.60.13"}
tap = Tap()


def step(name, line, pattern="(?<word>done)", **more):
    """One of the check `command`, which passes when the line prints that word."""
    return {"check": "command", "name": name, "needs": ["reachable"], "retries": 0,
            "arguments": {"command": line, "pattern": pattern},
            "limits": [{"metric": "command.word", "equal": "done", "source": "this test", "status": "contract"}], **more}


def words(name, *steps, hosts_file="hostfile", launcher=None):
    suite = write(f"{FOLDER}/{name}.json", json.dumps({
        "name": name, "title": name, "purpose": "trial", "steps": [{"check": "reachable"}, *steps],
        **({"launcher": launcher} if launcher else {})}))
    return ("run", "-H", f"{FOLDER}/{hosts_file}", "-s", suite, "--db", f"{FOLDER}/{name}.db", "--progress", "none", "-o",
            f"{FOLDER}/{name}.html")


def run(name, *steps, **more):
    return assay(*words(name, *steps, **more), SLURM_CONF=slurm.conf)


def resume(name):
    return assay("run", "--resume", "1", "--db", f"{FOLDER}/{name}.db", "--progress", "none", "-o", f"{FOLDER}/{name}.html",
                 SLURM_CONF=slurm.conf)


def outcomes(name, check="command"):
    """{(step, host): (outcome of its word, cause)}"""
    return {(step["name"], step["target"]): (item["outcome"], item["cause"]) for step, item in Report(f"{FOLDER}/{name}.db").outcomes()
            if step["check"] == check and item["metric"] != "sound"}


def attempts(name, of):
    report = Report(f"{FOLDER}/{name}.db")
    return [attempt for attempt in report.json["attempts"] if report.steps[attempt["step"]]["name"] == of]


def verdict(done):
    return done.returncode, (closing_lines(done.stdout) or {}).get("verdict")


def nothing_is_left(story):
    def left():
        return [line for line in hosts.processes() if "slurmd" not in line and "slurmstepd" not in line]
    tap.ok(wait_until(lambda: not left(), 20), f"{story}: no process is left on any host", left())
    tap.same([spool for spool in hosts.spools() if spool not in STAGED], [], f"{story}: no spool is left")
    tap.ok(wait_until(lambda: slurm.ask("squeue", "-h").stdout == "", 20), f"{story}: nothing is left in the queue",
           slurm.ask("squeue").stdout)


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return sorted(file.read().split())


def everything_comes_back():
    big = f"{FOLDER}/big"
    command("dd", "if=/dev/urandom", f"of={big}", "bs=100000", "count=30")
    done = run("whole", step("both", "echo done; echo to the other stream >&2; hostname >>" + f"{FOLDER}/touched"),
               step("big", f"cat {big}; echo; echo done"), step("bad", "echo done; exit 7"),
               step("late", "echo done; sleep 600", timeout_s=5))
    found = outcomes("whole")
    tap.same(verdict(done), (2, "incomplete"), "over Slurm: it runs to its end, and what did not pass is said", done.stdout, done.stderr)
    tap.same({host for (name, host), item in outcomes("whole", "reachable").items() if item[0] == "pass"},
             {host.name for host in hosts.list}, "over Slurm: hosts without sshd are reached")
    tap.same({name: {item[0] for (other, _), item in found.items() if other == name} for name in ("both", "big")},
             {"both": {"pass"}, "big": {"pass"}}, "over Slurm: commands pass that should", found)
    tap.same(lines_of(f"{FOLDER}/touched"), sorted(host.hostname for host in hosts.list), "over Slurm: each ran once on each host")
    tap.same({attempt["end"] for attempt in attempts("whole", "late")}, {"deadline"}, "over Slurm: a deadline is kept")
    bad = [item for step, item in Report(f"{FOLDER}/whole.db").outcomes() if step["name"] == "bad" and item["metric"] == "sound"]
    tap.ok(bad and all(item["outcome"] != "pass" and "7" in item["cause"] for item in bad), "over Slurm: an exit status comes back", bad)
    streams = {(capture["stream"], capture["length"]) for attempt in attempts("whole", "big") for capture in attempt["captures"]}
    tap.ok(any(stream == "stdout" and length > 3000000 for stream, length in streams), "over Slurm: megabytes of bytes come whole", streams)
    tap.same({attempt["transport"] for attempt in attempts("whole", "both")}, {"slurm"}, "over Slurm: the transport is told")
    nothing_is_left("over Slurm")


def what_comes_at_the_same_time():
    """Four commands on a host, each with long lines to both streams: no byte of one is in another's."""
    def digits(first):
        return "\n".join(f"{number:0200d}" for number in range(first, first + 2000))

    names = [f"many{number}" for number in range(4)]
    done = run("together", *(step(name, f"seq -f %0200.0f {number}000000 {number}001999; seq -f %0200.0f {number}500000 {number}501999 >&2; "
                                        "echo done", exclusive="none") for number, name in enumerate(names, 1)))
    tap.same(verdict(done), (0, "accept"), "four at a time: all pass", done.stdout, done.stderr)
    found = {name: assay("logs", "1", "node1", name, "--db", f"{FOLDER}/together.db").stdout for name in names}
    tap.same([(name, stream) for number, name in enumerate(names, 1) for stream in (0, 500000)
              if digits(number * 1000000 + stream) not in found[name]], [], "four at a time: each has all lines of both streams, in their order")
    tap.same([(name, other) for number, name in enumerate(names, 1) for other in names
              if other != name and f"{number * 1000000 + 7:0200d}" in found[other]], [], "four at a time: and none of another's")


def slow(name, seconds=6):
    """A step that leaves a line of its host, once, and ends after a while."""
    write(f"{FOLDER}/{name}.touched", "")
    return step("slow", f"hostname -s >>{FOLDER}/{name}.touched; sleep {seconds}; echo done")


def begun_on(name):
    return [line.split(".")[0] for line in lines_of(f"{FOLDER}/{name}.touched")]


ALL = [f"node{number}" for number in range(1, COUNT + 1)]


def begin(name, *steps):
    """A run that was met while its slow step runs on all hosts."""
    child = start(*words(name, *(steps or (slow(name),))), SLURM_CONF=slurm.conf)
    tap.ok(wait_until(lambda: begun_on(name) == ALL, 60), f"{name}: it has begun on all hosts", begun_on(name))
    return child


def end(child):
    out, err = child.communicate(timeout=PATIENCE_S)
    return subprocess.CompletedProcess(child.args, child.returncode, out, err)


def kill(child):
    child.kill()
    child.communicate()


def passed_once(name, done, story):
    tap.same((verdict(done), {item[0] for item in outcomes(name).values()}), ((0, "accept"), {"pass"}), f"{story}: all pass",
             done.stdout, done.stderr)
    tap.same(begun_on(name), ALL, f"{story}: nothing ran twice")


def a_controller_is_killed():
    for moment in (0.7, 2):
        name = f"early{moment}"
        child = start(*words(name, slow(name, 2)), SLURM_CONF=slurm.conf)
        wait_until(lambda: os.path.exists(f"{FOLDER}/{name}.db"), 20)
        time.sleep(moment)
        kill(child)
        passed_once(name, resume(name), f"a controller killed {moment} s after it began")
        nothing_is_left(f"a controller killed {moment} s after it began")
    kill(begin("killed"))
    tap.ok(wait_until(lambda: "extern" not in slurm.ask("squeue", "-h", "-s", "-o", "%i").stdout and
                      sorted(slurm.ask("squeue", "-h", "-s", "-o", "%j").stdout.split()) == ["assay-watch", "batch"], 20),
           "a killed controller: its steps end, its job stays, and what waits for its end", slurm.ask("squeue", "-s").stdout)
    passed_once("killed", resume("killed"), "a killed controller, resumed while the command runs")
    kill(begin("over"))
    time.sleep(8)
    passed_once("over", resume("over"), "a killed controller, resumed when the command has ended")
    nothing_is_left("a killed controller")


def states(name):
    """Of the attempts so far, as the database has them now: a controller that is at work is not asked."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{FOLDER}/{name}.db?mode=ro", uri=True)) as database:
            return [state for (state,) in database.execute("SELECT state FROM attempt")]
    except sqlite3.Error:
        return []


def instead_of(program, line):
    """A PATH with a program of that name before Slurm's own, which is $real there."""
    folder = f"{FOLDER}/instead-{program}"
    os.makedirs(folder, exist_ok=True)
    write(f"{folder}/{program}", f"#!/bin/sh\nreal={shutil.which(program)}\n{line}\n", 0o755)
    return f"{folder}:{os.environ['PATH']}"


def dies(name, *steps, **more):
    """A run whose controller is killed by something that it asks."""
    done = assay(*words(name, *steps), SLURM_CONF=slurm.conf, **more)
    tap.same(done.returncode, -signal.SIGKILL, f"{name}: its controller is killed", done.stdout, done.stderr)


def goes_on(name, story):
    passed_once(name, resume(name), story)
    nothing_is_left(story)


def a_controller_is_killed_before_a_host_is_reached():
    dies("submitted", slow("submitted", 1), PATH=instead_of("sbatch", '"$real" "$@"; kill -KILL $PPID'))
    tap.same(len(slurm.ask("squeue", "-h").stdout.splitlines()), 1, "killed as Slurm takes the job: the job is there")
    goes_on("submitted", "killed as Slurm takes the job")
    other = slurm.start_job("node1")
    child = start(*words("pending", slow("pending", 1)), SLURM_CONF=slurm.conf)
    tap.ok(wait_until(lambda: " PD " in slurm.ask("squeue").stdout, 30), "pending: its job waits", slurm.ask("squeue").stdout)
    kill(child)
    slurm.ask("scancel", other)
    goes_on("pending", "killed while the job waits")


def killed_after_the_last_output(name):
    """Whether it was, before it had ended; then it goes on."""
    child = start(*words(name, slow(name, 1)), SLURM_CONF=slurm.conf)
    wait_until(lambda: states(name) == ["ended"] * 2 * COUNT, 60)
    kill(child)
    if Report(f"{FOLDER}/{name}.db").json["run"]["state"] == "ended":
        return False
    goes_on(name, "killed after the last output")
    return True


def a_controller_is_killed_after_all_is_done():
    write(f"{FOLDER}/large", "".join(f"{number:0999d}\n" for number in range(12000)))
    write(f"{FOLDER}/fetched.touched", "")
    child = begin("fetched", step("slow", f"cat {FOLDER}/large; echo done; hostname -s >>{FOLDER}/fetched.touched"))
    time.sleep(1)
    kill(child)
    tap.same(states("fetched").count("sent"), COUNT, "killed while output comes: it has not come yet", states("fetched"))
    goes_on("fetched", "killed while output comes")
    lengths = {capture["length"] for attempt in attempts("fetched", "slow") for capture in attempt["captures"] if capture["stream"] == "stdout"}
    tap.ok(lengths and min(lengths) > 12000000, "killed while output comes: it is whole", lengths)
    tap.ok(any(killed_after_the_last_output(f"judged{turn}") for turn in range(8)), "killed after the last output: before the run has ended")
    dies("given-back", slow("given-back", 1), PATH=instead_of("scancel", "kill -KILL $PPID"))
    tap.same(len(slurm.ask("squeue", "-h").stdout.splitlines()), 1, "killed as it gives back: the job is there still")
    goes_on("given-back", "killed as it gives back")
    done = assay(*words("kept", slow("kept", 1)), SLURM_CONF=slurm.conf, PATH=instead_of("scancel", "echo no >&2; exit 1"))
    tap.ok(done.returncode == 0 and "are not released: no; `scancel --name=assay-" in done.stderr, "Slurm does not take it back: that is said", done.stderr)
    done = assay("cancel", "1", "--db", f"{FOLDER}/kept.db", SLURM_CONF=slurm.conf)
    tap.same(done.returncode, 0, "and `assay cancel` gives it back, though the run had ended", done.stdout, done.stderr)
    nothing_is_left("a job that was kept")
    away = "echo 'scancel: error: Unable to contact slurm controller (connect failure)' >&2; echo >>%s/asked; exit 1" % FOLDER
    child = start(*words("left", slow("left", 1)), SLURM_CONF=slurm.conf, PATH=instead_of("scancel", away))
    tap.ok(wait_until(lambda: os.path.exists(f"{FOLDER}/asked"), 60), "slurmctld is away at the end: the job cannot be given back")
    tap.ok(wait_until(lambda: os.path.getsize(f"{FOLDER}/asked") > 1, 30), "it is tried again")
    child.send_signal(signal.SIGINT)
    done = end(child)
    tap.same(verdict(done), (0, "accept"), "Ctrl-C ends the waiting, and not the run", done.stdout, done.stderr)
    tap.ok("are not released: scancel: error: Unable to contact slurm controller" in done.stderr, "and what is not given back is said", done.stderr)
    done = assay("cancel", "1", "--db", f"{FOLDER}/left.db", SLURM_CONF=slurm.conf)
    tap.same(done.returncode, 0, "`assay cancel` gives it back later", done.stdout, done.stderr)
    nothing_is_left("a job that was given back later")


def a_stage_is_killed():
    tools = make_tools("many", 40)
    remove_tools()
    child = start("stage", "-H", f"{FOLDER}/hostfile", tools, "--direct", SLURM_CONF=slurm.conf)
    tap.ok(wait_until(lambda: len(slurm.ask("squeue", "-h", "-s").stdout.splitlines()) >= 1, 30), "a stage: its steps are there")
    tap.ok(wait_until(lambda: any("assay-0/stage-" in line for line in left_of("none")), 30), "a stage: blocks are on their way", left_of("none"))
    kill(child)
    tap.ok(wait_until(lambda: slurm.ask("squeue", "-h").stdout == "", 60), "a killed stage: its allocations end with it", slurm.ask("squeue").stdout)
    tap.ok(wait_until(lambda: not [line for line in hosts.processes() if "slurm" not in line], 20), "a killed stage: no process is left", hosts.processes())
    tap.ok(left_of("none"), "a killed stage: what was under way lies there")
    done = staged(tools)
    tap.same(done.returncode, 0, "a killed stage: another one brings the tools", done.stdout, done.stderr)
    tap.same(left_of(version_of(done)), [], "a killed stage: and removes what that one left")
    tap.ok(wait_until(lambda: slurm.ask("squeue", "-h").stdout == "", 60), "a killed stage: nothing is left in the queue")
    remove_tools()


def make_tools(name, megabytes):
    os.makedirs(f"{FOLDER}/{name}/bin")
    command("dd", "if=/dev/urandom", f"of={FOLDER}/{name}/bin/tool", "bs=1000000", f"count={megabytes}")
    os.chmod(f"{FOLDER}/{name}/bin/tool", 0o755)
    return f"{FOLDER}/{name}"


def var_tmp(host):
    return f"/proc/{host.child.pid}/root/var/tmp"


def staged(*words, **more):
    return assay("stage", "-H", f"{FOLDER}/hostfile", *words, SLURM_CONF=slurm.conf, **more)


def left_of(version):
    """What lies on hosts beside that version."""
    return [f"{host.name} {found}" for host in hosts.list for found in
            subprocess.run(["find", var_tmp(host), "-mindepth", "1", "(", "-path", f"*/tools/{version}", "-prune", "-o", "-printf", "%P\\n", ")"],
                           capture_output=True, text=True, check=True).stdout.split("\n") if found not in ("", "assay-0", "assay-0/tools", "assay-locks-0")]


def version_of(done):
    return [line.split()[1] for line in done.stdout.splitlines() if line.startswith("version: ")][0]


def rows_of(done):
    return {line.split()[0]: line.split(None, 1)[1] for line in done.stdout.splitlines() if line.startswith("node")}


def tools_are_broadcast():
    size = 100 if COUNT >= 8 else 24
    tools = make_tools("broadcast", size)
    remove_tools()
    began = time.monotonic()
    done = staged(tools)
    print(f"# {size} MB to {COUNT} hosts in {time.monotonic() - began:.1f} s")
    version = version_of(done)
    tap.same((done.returncode, rows_of(done)), (0, {host: "broadcast" for host in ALL}), "sbcast: all hosts have the tools by it", done.stdout, done.stderr)
    tap.ok(f"broadcast by Slurm: {size}.0 MB, to {COUNT} hosts" in done.stdout and "sent from here: 0.0 MB" in done.stdout,
           "sbcast: nothing went through the sessions", done.stdout)
    tap.same({subprocess.run(["cmp", f"{tools}/bin/tool", f"{var_tmp(host)}/assay-0/tools/{version}/bin/tool"], check=False).returncode
              for host in hosts.list}, {0}, "sbcast: each has every byte")
    tap.same(left_of(version), [], "sbcast: and nothing beside it")
    tap.ok(wait_until(lambda: slurm.ask("squeue", "-h").stdout == "", 20), "sbcast: the job is given back", slurm.ask("squeue").stdout)
    done = staged(tools)
    tap.same((done.returncode, set(rows_of(done).values())), (0, {"has it"}), "sbcast: who has it is sent nothing", done.stdout, done.stderr)
    other = slurm.start_job("node1")
    path = f"{var_tmp(hosts.list[1])}/assay-0/tools/{version}/bin/tool"
    with open(path, "r+b") as file:
        file.write(b"damage")
    done = staged(tools, "--hosts", "node2,node3")
    tap.ok(done.returncode == 0 and rows_of(done)["node2"].startswith("broadcast: what was there before was damaged") and rows_of(done)["node3"] == "has it",
           "sbcast: a damaged copy is replaced, and a host that has it gets nothing", done.stdout, done.stderr)
    done = staged(make_tools("busy", 5))
    tap.ok(done.returncode == 2 and rows_of(done)["node1"].startswith("not reached") and {rows_of(done)[host] for host in ALL[1:]} == {"broadcast"},
           "sbcast: a busy host is not waited for", done.stdout, done.stderr)
    slurm.ask("scancel", other)
    tap.ok(wait_until(lambda: slurm.idle() == COUNT, 60), "sbcast: all is idle again")
    done = staged(make_tools("planned", 5), PATH=instead_of("sinfo", '"$real" "$@" | sed "s/ idle$/ planned/"'))
    tap.same((done.returncode, rows_of(done)), (0, {host: "broadcast" for host in ALL}), "sbcast: a node that a waiting job may want later is idle",
             done.stdout, done.stderr)
    tap.ok(wait_until(lambda: slurm.idle() == COUNT, 60), "sbcast: and it is given back")
    job = allocated(f"--nodes={COUNT}")
    done = staged(make_tools("inside-tools", 5), "--hosts", "node[1-2]", SLURM_JOB_ID=job)
    tap.same((done.returncode, rows_of(done), slurm.ask("squeue", "-h", "-o", "%i").stdout.split()), (0, {"node1": "broadcast", "node2": "broadcast"}, [job]),
             "sbcast: inside an allocation it uses that", done.stdout, done.stderr)
    tap.ok(not os.path.exists(f"{var_tmp(hosts.list[2])}/assay-0/tools/{version_of(done)}") and
           not [line for line in left_of(version_of(done)) if ".part" in line], "sbcast: and another node of it gets nothing", left_of(version))
    give_back(job)
    remove_tools()


def remove_tools():
    for host in hosts.list:
        shutil.rmtree(f"{var_tmp(host)}/assay-0", ignore_errors=True)


def tools_of_who_is_not_root():
    """Slurm writes as whoever stages, and only where nobody else may: what others put in the way is neither followed nor written over."""
    os.chmod(FOLDER, 0o755)
    tools = make_tools("somebodys", 5)
    for host in hosts.list:  # of somebody else, who knows what the folder will be called
        os.makedirs(f"{var_tmp(host)}/elsewhere", exist_ok=True)
    os.symlink("elsewhere", f"{var_tmp(hosts.list[0])}/assay-{NOBODY}")
    done = somebody("stage", "-H", f"{FOLDER}/hostfile", tools)
    version, rows = version_of(done), rows_of(done)
    tap.ok(rows["node1"].startswith("failed") and {rows[host] for host in ALL[1:]} == {"broadcast"}, "who is not root: by sbcast, but through no link", done.stdout, done.stderr)
    owners = {(path.split("/", 1)[0], os.stat(f"{var_tmp(host)}/{path}").st_uid, os.stat(f"{var_tmp(host)}/{path}").st_mode & 0o77) for host in hosts.list[1:]
              for path in (f"assay-{NOBODY}/tools/{version}", f"assay-{NOBODY}/tools/{version}/bin/tool")}
    tap.same(owners, {(f"assay-{NOBODY}", NOBODY, 0)}, "who is not root: it is his alone")
    tap.same([os.listdir(f"{var_tmp(host)}/elsewhere") for host in hosts.list], [[]] * COUNT, "who is not root: nothing came elsewhere")
    os.remove(f"{var_tmp(hosts.list[0])}/assay-{NOBODY}")
    for host in hosts.list:
        shutil.rmtree(f"{var_tmp(host)}/assay-{NOBODY}", ignore_errors=True)
        os.rmdir(f"{var_tmp(host)}/elsewhere")


def sbcast_does_not_go():
    """Then the tools come as before, and why is said; and what sbcast brings is nobody's word."""
    lies = ('for last; do :; done; case $last in */.stage-*) ;; *) exec "$real" "$@" ;; esac; head -c 8000000 /dev/zero >%s/zeros; '
            'exec "$real" --force "$3" %s/zeros "$last"' % (FOLDER, FOLDER))
    short = 'for last; do :; done; head -c 1000000 /dev/zero >%s/few; exec "$real" --force "$3" %s/few "$last"' % (FOLDER, FOLDER)
    for name, line, word in (("refused", "echo 'sbcast: error: not here' >&2; exit 1", "sbcast: error: not here"),
                             ("silent", "exit 3", "sbcast ended (status 3, signal 0)"),
                             ("lying", lies.replace('"$3"', '"$2"'), "bin/tool arrived damaged"), ("short", short.replace('"$3"', '"$2"'), "it arrived incomplete")):
        done = staged(make_tools(name, 8), PATH=instead_of("sbcast", line))
        version = version_of(done)
        tap.ok(done.returncode == 0 and {row.split(":")[0] for row in rows_of(done).values()} <= {"pushed", "passed on by node1"} and
               all(word in row and "not by sbcast" in row for row in rows_of(done).values()), f"sbcast that is {name}: the sessions bring it, and why is said",
               done.stdout, done.stderr)
        tap.same({subprocess.run(["cmp", f"{FOLDER}/{name}/bin/tool", f"{var_tmp(host)}/assay-0/tools/{version}/bin/tool"], check=False).returncode
                  for host in hosts.list}, {0}, f"sbcast that is {name}: each has every byte")
        tap.same(left_of(version), [], f"sbcast that is {name}: and nothing beside it")
        remove_tools()
    done = staged(make_tools("direct", 5), "--direct")
    tap.same((done.returncode, set(rows_of(done).values())), (0, {"pushed"}), "--direct: no sbcast", done.stdout, done.stderr)
    folder = f"{FOLDER}/without-sbcast"
    os.makedirs(folder)
    for place in ("/usr/bin", "/usr/sbin"):
        for program in os.listdir(place):
            if program != "sbcast" and not os.path.exists(f"{folder}/{program}"):
                os.symlink(f"{place}/{program}", f"{folder}/{program}")
    done = staged(make_tools("without", 5), PATH=folder)
    tap.ok(done.returncode == 0 and all("sbcast cannot be started" in row for row in rows_of(done).values()), "no sbcast: that is said", done.stdout, done.stderr)
    remove_tools()


def a_host_is_to_blame():
    """It cannot write the file: the others get it by sbcast all the same."""
    tools = make_tools("blamed", 8)
    line = ('for last; do :; done; [ ! -e %s/first ] || exec "$real" "$@"; : >%s/first; there=/proc/%d/root$last; mkdir "$there"; '
            '"$real" "$@"; rc=$?; rmdir "$there"; exit $rc' % (FOLDER, FOLDER, hosts.list[1].child.pid))
    done = staged(tools, PATH=instead_of("sbcast", line))
    rows = rows_of(done)
    tap.ok(done.returncode == 0 and "REQUEST_FILE_BCAST(node2)" in rows["node2"] and {rows[host] for host in ALL if host != "node2"} == {"broadcast"},
           "a host that sbcast fails for: the others have it by sbcast, it by its session", done.stdout, done.stderr)
    tap.same(left_of(version_of(done)), [], "a host that sbcast fails for: nothing is left")
    remove_tools()


def who_cannot_take_what_was_sent():
    """It stands in the way there already, so it is neither taken nor left lying."""
    tools = make_tools("in-the-way", 8)
    version = version_of(staged(tools, "--dry-run"))
    part = f"{var_tmp(hosts.list[1])}/assay-0/tools/.{version}.part"
    os.makedirs(part, 0o755)
    for folder in (part.rsplit("/", 1)[0], part.rsplit("/", 2)[0]):
        os.chmod(folder, 0o700)
    os.chmod(part, 0o755)
    done = staged(tools)
    rows = rows_of(done)
    tap.ok(done.returncode == 1 and rows["node2"].startswith("failed") and {rows[host] for host in ALL if host != "node2"} == {"broadcast"},
           "a host that cannot take it: the others have it", done.stdout, done.stderr)
    tap.same([line for line in left_of(version) if "/.stage-" in line], [], "a host that cannot take it: what was sent there goes")
    remove_tools()


def hosts_that_share_a_folder():
    """The first that has made the version removes what the others make theirs of."""
    shared = f"{FOLDER}/shared/tools"
    os.makedirs(f"{FOLDER}/shared", 0o700)
    inside = ["nsenter", "-t", str(hosts.list[1].child.pid), "-m"]
    command(*inside, "mount", "-t", "tmpfs", "tmpfs", "/usr/local/bin")
    write(f"/proc/{hosts.list[1].child.pid}/root/usr/local/bin/chmod",
          '#!/bin/sh\ncase $2 in */files.*) n=0; while [ -e "$2" ] && [ $n -lt 200 ]; do n=$((n + 1)); sleep 0.1; done ;; esac\nexec /bin/chmod "$@"\n', 0o755)
    tools = make_tools("shared-tools", 8)
    done = staged(tools, "--root", shared)
    version = version_of(done)
    tap.same((done.returncode, {row.split(":")[0] for row in rows_of(done).values()} | {"has it"}, sorted(os.listdir(shared))),
             (0, {"broadcast", "has it"}, [version]), "hosts that share the folder: all have what one of them made", done.stdout, done.stderr)
    command(*inside, "umount", "/usr/local/bin")
    shutil.rmtree(f"{FOLDER}/shared")


def the_common_job():
    """What is in its way, what is none of its business, and what it does without."""
    done = staged(make_tools("untold", 5), PATH=instead_of("sinfo", "echo 'slurm_load_node: Unable to contact slurm controller' >&2; exit 1"))
    tap.ok(done.returncode == 0 and all("Unable to contact slurm controller" in row for row in rows_of(done).values()),
           "sinfo fails: its words are told", done.stdout, done.stderr)
    remove_tools()
    done = staged(make_tools("profile", 5), SALLOC_PARTITION="none", SINFO_PARTITION="none", SBCAST_SIZE="none")
    tap.same((done.returncode, rows_of(done)), (0, {host: "broadcast" for host in ALL}), "options of Slurm in a profile: they are for what a person starts",
             done.stdout, done.stderr)
    remove_tools()
    tap.ok(wait_until(lambda: slurm.idle() == COUNT, 60), "all is idle again")
    busy = instead_of("salloc", "case $* in *node2*|*'node['*) echo 'salloc: error: Unable to allocate resources: Requested nodes are busy' >&2; exit 1 ;; esac; "
                      'exec "$real" "$@"').split(":")[0]
    done = staged(make_tools("stuck", 5), PATH=f"{busy}:" + instead_of("sinfo", '"$real" "$@" | sed "/^node2 /s/ idle$/ completing/"'))
    rows = rows_of(done)
    tap.ok(done.returncode == 0 and {rows[host] for host in ALL if host != "node2"} == {"broadcast"} and "not by sbcast" in rows["node2"],
           "a node that stays in completing: the others do without it", done.stdout, done.stderr)
    remove_tools()


def a_broadcast_is_cut_off():
    """Ctrl-C, kill -9 of the controller, and scancel, while it is on its way: nothing of it stays."""
    tools = make_tools("cut", 60)
    slow = instead_of("sbcast", 'for last; do :; done; : >%s/sending; exec "$real" "$@" --size=1m' % FOLDER)
    for story in ("Ctrl-C", "kill -9", "scancel"):
        if os.path.exists(f"{FOLDER}/sending"):
            os.remove(f"{FOLDER}/sending")
        child = start("stage", "-H", f"{FOLDER}/hostfile", tools, SLURM_CONF=slurm.conf, PATH=slow)
        tap.ok(wait_until(lambda: os.path.exists(f"{FOLDER}/sending") and any("/.stage-" in line for line in left_of("none")), 30),
               f"{story}: the broadcast is on its way", left_of("none"))
        if story == "scancel":
            slurm.ask("scancel", "--name=assay")
        else:
            child.send_signal(signal.SIGINT if story == "Ctrl-C" else signal.SIGKILL)
        done = end(child)
        if story != "scancel":
            tap.same(done.returncode, 130 if story == "Ctrl-C" else -9, f"{story}: it ends", done.stdout, done.stderr)
        else:
            tap.ok(done.returncode == 0 and all("not by sbcast" in row for row in rows_of(done).values()),
                   "scancel: no session asks for that job any more, and each brings it in one of its own", done.stdout, done.stderr)
            remove_tools()
        tap.ok(wait_until(lambda: slurm.ask("squeue", "-h").stdout == "" and slurm.idle() == COUNT, 60), f"{story}: the job is given back", slurm.ask("squeue").stdout)
        tap.ok(wait_until(lambda: not [line for line in left_of("none") if ".part" in line or "/.stage-" in line], 10), f"{story}: nothing of it is left on any host", left_of("none"))
        tap.same([line for line in hosts.processes() if "slurm" not in line], [], f"{story}: no process is left")
    done = staged(tools)
    tap.same((done.returncode, set(rows_of(done).values())), (0, {"broadcast"}), "and the next one brings it", done.stdout, done.stderr)
    tap.same(left_of(version_of(done)), [], "and leaves nothing beside it")
    remove_tools()


def the_common_job_ends_under_blocks():
    """What was at work on a host is killed with it: that is nobody's fault, and each host is brought them in a session of its own."""
    there = f"/proc/{hosts.list[0].child.pid}/root/usr/local/bin"
    inside = ["nsenter", "-t", str(hosts.list[0].child.pid), "-m"]
    command(*inside, "mount", "-t", "tmpfs", "tmpfs", "/usr/local/bin")
    for what, program, held in (("a block", "dd", "*of=*/stream*"), ("the last step", "cp", "*/.assay-manifest*")):
        begun, over = f"{FOLDER}/{program}-begun", f"{FOLDER}/{program}-over"
        write(f"{there}/{program}", f'#!/bin/sh\ncase $* in {held}) [ -e {over} ] || {{ : >{begun}; sleep 60; }} ;; esac\nexec /bin/{program} "$@"\n', 0o755)
        child = start("stage", "-H", f"{FOLDER}/hostfile", make_tools(f"ends-{program}", 8), SLURM_CONF=slurm.conf, PATH=instead_of("sbcast", "exit 3"))
        tap.ok(wait_until(lambda begun=begun: os.path.exists(begun), 60), f"the common job ends: {what} is under way")
        write(over, "")
        slurm.ask("scancel", "--name=assay")
        done = end(child)
        rows = rows_of(done)
        tap.ok(done.returncode == 0 and "was killed" in rows["node1"], f"the common job ends under {what}: all have the tools, and what ended is said", done.stdout, done.stderr)
        tap.same(left_of(version_of(done)), [], f"the common job ends under {what}: and nothing beside them")
        tap.ok(wait_until(lambda: slurm.idle() == COUNT, 60), f"the common job ends under {what}: all is idle again", slurm.ask("squeue").stdout)
        os.remove(f"{there}/{program}")
        remove_tools()
    command(*inside, "umount", "/usr/local/bin")


def everything_on(host):
    """As proctrack/cgroup does it at the end of a session's step: all that it has begun on that host is killed. Other steps are the
    batch script and what it starts."""
    for line in host.processes():
        pid = line.split()[1]
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                told = file.read()
            if any(word in told for word in (b"slurm_script", b"srun", b"sleep\x0010", b"told_to_end")):
                continue
            with open(f"/proc/{pid}/environ", "rb") as file:
                if b"SLURM_JOB_ID=" in file.read() and "slurmstepd" not in line:
                    os.kill(int(pid), signal.SIGKILL)
        except OSError:
            continue


def steps_that_take_all_with_them():
    child = begin("cgroup")
    kill(child)
    everything_on(hosts.list[0])
    done = resume("cgroup")
    found = outcomes("cgroup")
    tap.same({host: item[0] for (_, host), item in found.items()}, {"node1": "inconclusive", "node2": "pass", "node3": "pass"},
             "steps that take all with them: what was lost is no pass", done.stdout, done.stderr)
    tap.same({attempt["end"] for attempt in attempts("cgroup", "slow")}, {"ran", "lost"}, "steps that take all with them: it is told as lost")
    tap.same(begun_on("cgroup"), ALL, "steps that take all with them: nothing ran twice")
    nothing_is_left("steps that take all with them")


def the_steps_break():
    child = begin("broken")
    for pid in filter(str.isdigit, os.listdir("/proc")):  # of this test's own namespace
        try:
            with open(f"/proc/{pid}/comm", encoding="ascii") as file:
                if file.read().strip() == "srun":
                    os.kill(int(pid), signal.SIGKILL)
        except OSError:
            continue
    passed_once("broken", end(child), "all srun are killed in the middle")
    nothing_is_left("all srun are killed in the middle")


def slurmctld_is_away():
    child = begin("away", slow("away", 20), step("next", "echo done", needs=["slow"]))
    time.sleep(10)  # it saves its state every few seconds: a job that it lost has its number given to the next, and Slurm drains the node
    slurm.controller.kill()
    slurm.controller.wait()
    time.sleep(60)
    slurm.begin_controller()
    passed_once("away", end(child), "slurmctld is away for a while")
    nothing_is_left("slurmctld is away for a while")


def the_job_is_cancelled():
    child = begin("cancelled", slow("cancelled", 300))
    slurm.ask("scancel", *slurm.jobs(f"assay-{Report(f'{FOLDER}/cancelled.db').json['run']['uuid']}", "running"))
    began = time.monotonic()
    done = end(child)
    tap.ok(time.monotonic() - began < 120, "scancel in the middle: the run does not wait for what cannot come", time.monotonic() - began)
    tap.same(verdict(done), (2, "incomplete"), "scancel in the middle: the run is incomplete", done.stdout, done.stderr)
    found = outcomes("cancelled")
    tap.ok(all(item[0] in ("inconclusive", "not run") and "Slurm" in item[1] for item in found.values()),
           "scancel in the middle: that Slurm has ended it is said", found)
    tap.same(begun_on("cancelled"), ALL, "scancel in the middle: nothing ran twice")
    is_free_again("scancel in the middle", "cancelled")


def is_free_again(story, name):
    """After a job that was taken away: what an attempt had written stays on its host, for nobody could fetch it. The next run of
    the same database that reaches the host removes it, and that alone."""
    tap.ok(wait_until(lambda: not hosts.processes("sleep 300"), 20), f"{story}: nothing goes on on any host", hosts.processes())
    tap.ok(wait_until(lambda: slurm.idle() == COUNT, 60), f"{story}: Slurm has its nodes back", slurm.ask("sinfo", "-N").stdout)
    for host in hosts.list:
        os.mkdir(f"{var_tmp(host)}/assay-0/{STRANGE}", 0o700)
    tap.ok(len(hosts.spools()) > COUNT, f"{story}: what was written lies there", hosts.spools())
    done = assay(*words(f"{name}-next", slow(f"{name}-next", 1))[:5], "--db", f"{FOLDER}/{name}.db", "--progress", "none", "-o", f"{FOLDER}/{name}-next.html",
                 SLURM_CONF=slurm.conf)
    tap.same(verdict(done), (0, "accept"), f"{story}: the next run passes", done.stdout, done.stderr)
    tap.same([spool for spool in hosts.spools() if spool not in STAGED], [f"node{number} {STRANGE}" for number in range(1, COUNT + 1)],
             f"{story}: and removes what lay there, but for what it does not know")
    for host in hosts.list:
        os.rmdir(f"{var_tmp(host)}/assay-0/{STRANGE}")
    tap.ok(not [lock for host in hosts.list for lock in os.listdir(f"{var_tmp(host)}/assay-locks-0")], f"{story}: no lock is left",
           [os.listdir(f"{var_tmp(host)}/assay-locks-0") for host in hosts.list])
    tap.ok(wait_until(lambda: slurm.idle() == COUNT, 60), f"{story}: and gives its job back")


def the_watch_is_killed():
    """What waits for the job's end is not what decides on it: while the job is there, nothing ends."""
    child = begin("watched", slow("watched", 12))
    slurm.ask("scancel", slurm.ask("squeue", "-h", "-s", "-o", "%i %j").stdout.split(" assay-watch")[0].split()[-1])
    passed_once("watched", end(child), "the watch is cancelled in the middle")
    nothing_is_left("the watch is cancelled in the middle")


def nobody_is_there_when_the_job_ends():
    """The controller is killed, and then the job is cancelled: nothing of ours stays at work on hosts that Slurm gives to others."""
    kill(begin("alone", slow("alone", 300)))
    uuid = Report(f"{FOLDER}/alone.db").json["run"]["uuid"]
    time.sleep(3)
    tap.ok(len(hosts.processes("sleep 300")) >= COUNT, "nobody is there: it goes on while the job is there", hosts.processes())
    slurm.ask("scancel", *slurm.jobs(f"assay-{uuid}", "running"))
    tap.ok(wait_until(lambda: not [line for line in hosts.processes() if "slurm" not in line], 30), "nobody is there: it ends with the job", hosts.processes())
    tap.ok(wait_until(lambda: slurm.idle() == COUNT, 60), "nobody is there: Slurm has its nodes back")
    done = resume("alone")
    tap.same({item[0] for item in outcomes("alone").values()}, {"inconclusive"}, "nobody is there: what was lost is no pass", done.stdout, done.stderr)
    tap.same(begun_on("alone"), ALL, "nobody is there: nothing ran twice")
    nothing_is_left("nobody is there")


def the_job_is_preempted():
    child = begin("preempted", slow("preempted", 300))
    job = slurm.start_job("node2", "-p", "urgent")
    began = time.monotonic()
    done = end(child)
    tap.ok(time.monotonic() - began < 120, "preempted: the run does not wait for what cannot come", time.monotonic() - began)
    tap.same(verdict(done), (2, "incomplete"), "preempted: the run is incomplete", done.stdout, done.stderr)
    found = outcomes("preempted")
    tap.ok(len(found) == COUNT and all(item[0] in ("inconclusive", "not run") and "Slurm" in item[1] for item in found.values()) and
           any("preempted" in item[1].lower() for item in found.values()),
           "preempted: that Slurm has ended it is said", found)
    tap.same(begun_on("preempted"), ALL, "preempted: nothing ran twice")
    tap.same(slurm.ask("squeue", "-h", "-j", job, "-o", "%T").stdout.strip(), "RUNNING", "preempted: whoever came is left alone")
    slurm.ask("scancel", job)
    is_free_again("preempted", "preempted")


def drain(state):
    slurm.ask("scontrol", "update", "nodename=node2", f"state={state}", "reason=test")


def a_node_is_drained():
    """In the middle: what has begun goes on, as Slurm has it. Before: the job waits for it, and then all of the run is said not to have run."""
    child = begin("drained", slow("drained", 6), step("next", "echo done", needs=["slow"]))
    drain("drain")
    passed_once("drained", end(child), "a node drained in the middle")
    nothing_is_left("a node drained in the middle")
    name = "waits"
    write(f"{FOLDER}/{name}.touched", "")
    done = assay(*words(name, slow(name, 1)), "--exclusive-wait", "0.2", SLURM_CONF=slurm.conf)
    found = {**outcomes(name), **outcomes(name, "reachable")}
    tap.ok(done.returncode == 2 and found and all(item[0] in ("inconclusive", "not run") for item in found.values()),
           "a node that is drained: nothing passes", found, done.stdout, done.stderr)
    waited = [item[1] for item in outcomes(name, "reachable").values()]
    tap.ok(len(waited) == COUNT and all("Slurm has not given it to assay within 0.2 min" in cause and "node2" in cause for cause in waited), "a node that is drained: why the job waited is said", waited, done.stderr)
    nothing_is_left("a node that is drained")
    done = assay(*words("others", slow("others", 1)), "--hosts", "node1,node3", SLURM_CONF=slurm.conf)
    tap.same(verdict(done), (0, "accept"), "a node that is drained: without it the others pass", done.stdout, done.stderr)
    drain("resume")
    tap.ok(wait_until(lambda: slurm.idle() == COUNT, 60), "the node is back")


def a_job_that_is_over_is_resumed():
    name = "again"
    kill(begin(name, slow(name, 300)))
    before = slurm.jobs(f"assay-{Report(f'{FOLDER}/{name}.db').json['run']['uuid']}")
    slurm.ask("scancel", *before)
    for host in hosts.list:
        everything_on(host)
    tap.ok(wait_until(lambda: slurm.idle() == COUNT, 60), "a job that is over is resumed: the nodes are free again")
    done = resume(name)
    tap.same({item[0] for item in outcomes(name).values()}, {"inconclusive"}, "a job that is over is resumed: what was lost is no pass",
             done.stdout, done.stderr)
    tap.same({attempt["end"] for attempt in attempts(name, "slow")}, {"lost"}, "a job that is over is resumed: it is told as lost")
    tap.same(begun_on(name), ALL, "a job that is over is resumed: nothing ran twice")
    nothing_is_left("a job that is over is resumed")


def a_run_is_cancelled():
    child = begin("interrupted", slow("interrupted", 300))
    child.send_signal(signal.SIGINT)
    done = end(child)
    tap.same(done.returncode, 130, "Ctrl-C: the run ends", done.stdout, done.stderr)
    nothing_is_left("Ctrl-C")


def a_launch_across_hosts():
    suite = write(f"{FOLDER}/launch.json", json.dumps({
        "name": "launch", "title": "launch", "purpose": "delivery",
        # What stands for nccl-tests here: a program that holds a library's version.
        "tools": {"all_reduce_perf": {"path": write(f"{FOLDER}/nccl", "#!/bin/sh\n# NCCL version 2.21.5+cuda12.4\n", 0o755)}},
        "steps": [{"check": "reachable"}, {"check": "mpi-launch", "scope": "cluster", "needs": ["reachable"]}]}))
    done = assay("run", "-H", f"{FOLDER}/hostfile", "-s", suite, "--db", f"{FOLDER}/launch.db", "--progress", "none", "-o",
                 f"{FOLDER}/launch.html", SLURM_CONF=slurm.conf)
    tap.same(verdict(done), (0, "accept"), "a launch across hosts without sshd: by srun, on 2 and on all of them", done.stdout, done.stderr)
    nothing_is_left("a launch across hosts")
    with open(suite, encoding="utf-8") as file:
        given = {**json.load(file), "launcher": {"flags": ["--mca", "pml", "ob1"]}}
    done = assay("run", "-H", f"{FOLDER}/hostfile", "-s", write(f"{FOLDER}/flags.json", json.dumps(given)), "--db", f"{FOLDER}/flags.db",
                 SLURM_CONF=slurm.conf)
    tap.ok(done.returncode == 64 and "launcher.flags are for mpirun" in done.stderr, "words for mpirun are refused, not dropped", done.stderr)


def what_comes_before_a_run():
    plan = assay("plan", *words("before", step("both", "echo done"))[1:5], SLURM_CONF=slurm.conf)
    tap.ok(f"transport: slurm, {COUNT} of {COUNT} hosts, in one job" in plan.stdout, "plan: how the hosts are reached is said", plan.stdout, plan.stderr)
    done = assay("preflight", f"{FOLDER}/hostfile", "-s", f"{FOLDER}/before.json", "--db", f"{FOLDER}/preflight.db", SLURM_CONF=slurm.conf)
    report = Report(f"{FOLDER}/preflight.db")
    tap.same({step["target"]: item["outcome"] for step, item in report.outcomes() if step["check"] == "reachable" and item["metric"] != "sound"},
             {host: "pass" for host in ALL}, "preflight: it reaches the hosts", done.stdout, done.stderr)
    tap.ok(wait_until(lambda: slurm.ask("squeue", "-h").stdout == "", 20), "preflight: its job is given back", slurm.ask("squeue").stdout)
    assay("preflight", f"{FOLDER}/hostfile", "-s", f"{FOLDER}/before.json", "--db", f"{FOLDER}/preflight.db", SLURM_CONF=slurm.conf)
    tap.same([f"{host.name} {name}" for host in hosts.list for name in os.listdir(var_tmp(host))], [], "preflight: another one leaves no folder on any host either")
    tap.ok(wait_until(lambda: slurm.ask("squeue", "-h").stdout == "", 20), "preflight: and its job is given back", slurm.ask("squeue").stdout)
    os.makedirs(f"{FOLDER}/tools/bin")
    write(f"{FOLDER}/tools/bin/gpu_burn", "#!/bin/sh\necho a tool\n", 0o755)
    done = assay("stage", "-H", f"{FOLDER}/hostfile", f"{FOLDER}/tools", SLURM_CONF=slurm.conf)
    tap.same((done.returncode, hosts.spools(), set(rows_of(done).values())), (0, STAGED, {"broadcast"}),
             "stage: it takes an allocation of the hosts, and brings the tools there", done.stdout, done.stderr)
    tap.ok(wait_until(lambda: slurm.ask("squeue", "-h").stdout == "", 20), "stage: they are given back", slurm.ask("squeue").stdout)


def allocated(*words):
    return slurm.ask("salloc", "--no-shell", "--exclusive", *words).stderr.split("job allocation ")[1].split()[0]


def give_back(job):
    slurm.ask("scancel", job)
    wait_until(lambda: slurm.idle() == COUNT, 60)


def an_allocation_that_is_there():
    job = allocated(f"--nodes={COUNT}")
    done = assay(*words("inside", slow("inside", 1)), SLURM_CONF=slurm.conf, SLURM_JOB_ID=job)
    passed_once("inside", done, "inside an allocation")
    tap.same(slurm.ask("squeue", "-h", "-o", "%i").stdout.split(), [job], "inside an allocation: it asks for no other, and leaves that")
    give_back(job)


def hostfile_with(name, text):
    """As the test's own, with other words behind the platform."""
    return write(f"{FOLDER}/{name}", f"defaults platform=plain.json slots=1 {text}\nnode[1-{COUNT}] address={namespaces.NETWORK}.[1-{COUNT}]\n")


def told(hosts_file, *more, suite="open", job=None):
    """What `assay plan` says of how the hosts are reached, in one line."""
    done = assay("plan", "-H", hosts_file, "-s", f"{FOLDER}/{suite}.json", *more, SLURM_CONF=slurm.conf, **({"SLURM_JOB_ID": job} if job else {}))
    return " ".join(line for line in done.stdout.splitlines() if line.startswith(("transport: ", "note: started inside"))) + done.stderr


def a_transport_that_nobody_named():
    open_file = hostfile_with("open", "scheduler=slurm")
    inside = words("open", slow("open", 5), hosts_file="open")
    job = allocated(f"--nodes={COUNT}")
    plan = told(open_file, job=job)
    tap.ok(f"transport: slurm, {COUNT} of {COUNT} hosts, in the allocation that this shell is in" in plan and f"inside job {job} of Slurm" in plan,
           "no transport, inside an allocation: the plan says that it is Slurm, and why", plan)
    tap.same(told(open_file), "", "no transport, outside: nothing is said of Slurm")
    child = start(*inside, SLURM_CONF=slurm.conf, SLURM_JOB_ID=job)
    tap.ok(wait_until(lambda: begun_on("open") == ALL, 60), "no transport, inside: hosts without sshd are reached", begun_on("open"))
    kill(child)
    write(f"{FOLDER}/open", open(open_file, encoding="utf-8").read() + "# another text, and nothing else\n")
    done = assay("run", "--resume", "1", "-H", open_file, "--db", f"{FOLDER}/open.db", "-o", f"{FOLDER}/open.html", SLURM_CONF=slurm.conf)
    tap.ok(done.returncode == 64 and "continue it inside one" in done.stderr, "no transport, resumed outside: it is no other run for that", done.stderr)
    done = assay("run", "--resume", "1", "-H", open_file, "--db", f"{FOLDER}/open.db", "--progress", "none", "-o", f"{FOLDER}/open.html",
                 SLURM_CONF=slurm.conf, SLURM_JOB_ID=job)
    passed_once("open", done, "no transport, resumed inside")
    tap.same({attempt["transport"] for attempt in attempts("open", "slow")}, {"slurm"}, "no transport, inside: the run tells it")
    for name, text, word in (("ssh", "transport=ssh", ""), ("local", "transport=local", ""), ("other", "user=somebody", "user=somebody")):
        plan = told(hostfile_with(name, text), job=job)
        tap.ok("transport: slurm" not in plan and word in plan and (word != "") == ("over SSH" in plan),
               f"inside an allocation: {text} is no step of Slurm", plan)
    give_back(job)
    plan = told(open_file, job=job)
    tap.ok("transport: slurm" not in plan and "over SSH" in plan, "inside a job that is over: the plan says that it is SSH", plan)
    job = allocated("-w", "node1,node2")
    plan = told(open_file, job=job)
    tap.ok("transport: slurm" not in plan and "the job does not have node3" in plan, "a job that lacks a host of the run: it is SSH, and that host is named", plan)
    plan = told(open_file, "--hosts", "node[1-2]", job=job)
    tap.ok("transport: slurm, 2 of 2 hosts" in plan, "and without that host it is Slurm", plan)
    give_back(job)


def somebody(*line, **more):
    """The program as a user who is not root."""
    return subprocess.run([ASSAY, *line], cwd=FOLDER, env=environment(SLURM_CONF=slurm.conf, HOME="/tmp", **more), user=NOBODY, group=NOBODY,
                          extra_groups=[], capture_output=True, text=True, timeout=PATIENCE_S, check=False)


def root_that_nobody_gives():
    os.chmod(FOLDER, 0o755)
    suite = write(f"{FOLDER}/roots.json", json.dumps({
        "name": "roots", "title": "roots", "purpose": "trial", "steps": [
            {"check": "reachable"}, {"check": "privilege", "needs": ["reachable"]}, {"check": "xid", "needs": ["reachable"]},
            {"check": "os", "needs": ["reachable"]}]}))
    tap.ok("steps of Slurm" not in assay("plan", "-H", f"{FOLDER}/hostfile", "-s", suite).stdout, "root over Slurm: who is root has it")
    plain, sudo = f"{FOLDER}/hostfile", hostfile_with("sudo", "transport=slurm become=sudo")
    plan = somebody("plan", "-H", plain, "-s", suite)
    tap.ok("steps of Slurm run as nobody, and the hostfile has no become=sudo" in plan.stdout and "undecided: privilege, xid\n" in plan.stdout,
           "root over Slurm: the plan says which steps want it and have it not", plan.stdout, plan.stderr)
    plan = somebody("plan", "-H", sudo, "-s", suite)
    tap.ok("are told no password" in plan.stdout and "undecided there: privilege, xid\n" in plan.stdout,
           "sudo over Slurm: the plan says which steps rest on it", plan.stdout, plan.stderr)
    os.makedirs(f"{FOLDER}/nobody", exist_ok=True)
    os.chown(f"{FOLDER}/nobody", NOBODY, NOBODY)
    for name, hosts_file in (("plain", plain), ("sudo", sudo)):
        done = somebody("run", "-H", hosts_file, "-s", suite, "--db", f"{FOLDER}/nobody/{name}.db", "--progress", "none",
                        "-o", f"{FOLDER}/nobody/{name}.html")
        tap.ok("steps of Slurm run as nobody" in done.stderr and "privilege, xid" in done.stderr, f"{name}: the run begins with that", done.stderr)
        report = Report(f"{FOLDER}/nobody/{name}.db")
        found = {(step["name"], step["target"]): item["outcome"] for step, item in report.outcomes()
                 if step["name"] in ("reachable", "privilege") and item["metric"] != "sound"}
        tap.same(found, {**{("reachable", host): "pass" for host in ALL}, **{("privilege", host): "inconclusive" for host in ALL}},
                 f"{name}: what wants root is undecided, and the rest is not", done.stdout, done.stderr)
    nothing_is_left("root that nobody gives")
    reading, writing = os.pipe()
    os.write(writing, b"secret\n")
    os.close(writing)
    asked = subprocess.run([ASSAY, "run", "-H", sudo, "-s", suite, "--db", f"{FOLDER}/asked.db", "--sudo-password-fd", str(reading)], cwd=FOLDER,
                           env=environment(SLURM_CONF=slurm.conf), pass_fds=[reading], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    os.close(reading)
    tap.ok(asked.returncode == 64 and "node1 has transport=slurm" in asked.stderr and not os.path.exists(f"{FOLDER}/asked.db"),
           "a password for sudo over Slurm: refused before anything begins", asked.stderr)


def what_is_wrong_is_said():
    write(f"{FOLDER}/unknown", "defaults platform=plain.json slots=1 transport=slurm\nnode9\n")
    done = run("unknown", hosts_file="unknown")
    tap.ok(done.returncode == 64 and "node9" in done.stderr and "Invalid node name" in done.stderr, "a node that Slurm does not know", done.stderr)
    write(f"{FOLDER}/mixed", "defaults platform=plain.json slots=1\nnode1 transport=slurm\nnode2\n")
    done = run("mixed", hosts_file="mixed")
    tap.ok(done.returncode == 64 and "1 of 2 hosts have transport=slurm" in done.stderr, "only some hosts over Slurm", done.stderr)
    done = assay(*words("nothing"), SLURM_CONF=slurm.conf, PATH=FOLDER)
    tap.ok(done.returncode == 64 and "sbatch" in done.stderr, "Slurm's commands are missing", done.stderr)


STORIES = {story.__name__: story for story in (
    what_comes_before_a_run, everything_comes_back, what_comes_at_the_same_time, an_allocation_that_is_there,
    a_transport_that_nobody_named, root_that_nobody_gives, a_launch_across_hosts,
    the_steps_break, a_controller_is_killed, a_controller_is_killed_before_a_host_is_reached, a_controller_is_killed_after_all_is_done,
    a_stage_is_killed, tools_are_broadcast, tools_of_who_is_not_root, sbcast_does_not_go, a_host_is_to_blame, who_cannot_take_what_was_sent, hosts_that_share_a_folder, the_common_job,
    the_common_job_ends_under_blocks, a_broadcast_is_cut_off, steps_that_take_all_with_them, slurmctld_is_away, the_job_is_cancelled, nobody_is_there_when_the_job_ends, the_watch_is_killed,
    the_job_is_preempted,
    a_node_is_drained, a_job_that_is_over_is_resumed,
    a_run_is_cancelled, what_is_wrong_is_said)}
missing = [name for name in ("slurmctld", "slurmd", "srun", "sbatch") if shutil.which(name) is None]
if missing:
    print(f"1..0 # SKIP not installed: slurm-wlm ({', '.join(missing)})")
    sys.exit(0)
write(f"{FOLDER}/{PLATFORM['name']}", json.dumps(PLATFORM))
command("ip", "link", "set", "lo", "up")
hosts = Hosts(COUNT, "1gbit", sshd=False)
write(f"{FOLDER}/hostfile", f"defaults platform=plain.json slots=1 transport=slurm scheduler=slurm\nnode[1-{COUNT}] "
      f"address={namespaces.NETWORK}.[1-{COUNT}]\n")
slurm = Slurm(hosts, sharing="NO", urgent=True)
if tap.ok(slurm.begin(), "Slurm: its nodes are idle", slurm.log()):
    for name in STORY_WORDS or STORIES:
        STORIES[name]()
tap.end()
