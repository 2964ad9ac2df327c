# SPDX-License-Identifier: Apache-2.0
"""assay preflight over simulated hosts: what is to be mended is told once, with all hosts that have it, and nobody else is
named."""

import json
import re
import shutil
import signal
import sqlite3

from cluster import FOLDER, Lab, PATIENCE_S, Tap, assay, start, wait_until

tap = Tap()

# {what a person calls it: (hosts, its outcome)}
FAULTS = ["node2:clock-skew", "node3:no-space", "node4:tool-missing:gpu_burn", "node14:tool-missing:gpu_burn",
          "node5:key-refused", "node6:down", "node7:host-key-changed", "node8:names-unknown", "node9:sudo-refused",
          "node10:memlock", "node11:driver-version", "node12:nccl-version", "node13:peer-key-refused",
          "node17:monitor:nv-hostengine", "node18:monitor:nv-hostengine"]
RIGHT = {"clock": ("node2", "fail"), "disk space": ("node3", "fail"), "tool missing": ("node[4,14]", "inconclusive"),
         "login refused": ("node5", "inconclusive"), "connection refused": ("node6", "fail"),
         "host key changed": ("node7", "inconclusive"), "name resolution": ("node8", "fail"),
         "sudo refused": ("node9", "inconclusive"), "locked memory": ("node10", "fail"), "driver": ("node11", "fail"),
         "NCCL": ("node12", "fail"), "ssh between hosts": ("node13", "inconclusive"),
         "two names for one host": ("node[15-16]", "fail")}
COMMANDS = {"login refused": "ssh-copy-id", "host key changed": "ssh-keygen -R '[127.1.0.7]", "clock": "chronyc",
            "disk space": "du -xh -d 2 /var/tmp", "sudo refused": "NOPASSWD"}
UNASKED = "node[5-7]"


def named(lab):
    """The same hosts, which reach each other by name."""
    path = f"{lab.folder}/hostfile.named"
    with open(lab.hostfile, encoding="utf-8") as file, open(path, "w", encoding="utf-8") as out:
        for line in file:
            name = line.split()[0] if line.strip() else ""
            out.write(f"{line.rstrip()} mpi_address={name}\n" if name.startswith("node") else line)
    return path


def hosts(lab, name, *words):
    return assay("preflight", named(lab), "--db", f"{FOLDER}/{name}.db", "--progress", "none", *words)


def a_healthy_cluster():
    with Lab("healthy", 3) as lab:
        done = hosts(lab, "healthy")
        tap.same((done.returncode, done.stdout), (0, "clean: 3 of 3 hosts: node[1-3]\nrun: 1\nto fix: 0\n"),
                 "healthy hosts: nothing is to be mended, and that is said", done.stderr)
        tap.same(lab.processes(), [], "healthy hosts: nothing is left on them")
        one = hosts(lab, "one", "--hosts", "node2", "-s", "smoke")
        tap.same((one.returncode, one.stdout.splitlines()[0]), (0, "clean: 1 of 1 host: node2"),
                 "one host, and another suite: it is asked alone", one.stdout, one.stderr)
        old = assay("hosts", named(lab), "--db", f"{FOLDER}/old.db", "--progress", "none", "-l", "node2", "-s", "smoke")
        tap.same((old.returncode, old.stdout), (one.returncode, one.stdout), "by its older name, and -l for --hosts, it does the same",
                 old.stderr)
        shown = assay("show", "1", "--db", f"{FOLDER}/healthy.db")
        run = assay("run", "-H", named(lab), "-s", "smoke", "--steps", "reachable", "--db", f"{FOLDER}/healthy.db",
                    "--progress", "none", "-o", f"{FOLDER}/healthy.html")
        with open(f"{FOLDER}/healthy.html", encoding="utf-8") as file:
            page = file.read()
        tap.same(("run 1" in page.lower(), page.count('<section id="preflight"'), "3 of 3 hosts needed no fix" in page), (True, 1, True),
                 "the next report of this hostfile has the preflight in its appendix", run.stdout, run.stderr)
        tap.ok("preflight" in shown.stdout and shown.returncode == 0, "the preflight is kept and shown as a run", shown.stdout)


def hosts_that_do_not_fold():
    """Every second host of many: what is shown of them fits into a terminal, and lacks none."""
    path, database, count = f"{FOLDER}/odd.hosts", f"{FOLDER}/odd.db", 60
    numbers = {str(2 * i + 1) for i in range(count)}
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"gpu{number} platform=hgx-h100 address=127.9.0.{number} port=1\n" for number in numbers)
    assay("run", "-H", path, "-s", "smoke", "--steps", "reachable", "--db", database, "--progress", "none", "-o", f"{FOLDER}/odd.html")
    lines = assay("show", "--db", database).stdout.splitlines()
    named = set(re.findall(r"\d+", re.search(r"gpu\[([\d,\s]+)\]", "\n".join(lines)).group(1)))
    tap.same(([line for line in lines if len(line) > 80 and not line.startswith("all of it: ")], named), ([], numbers),
             "hosts of which every second one ran fit into 80 columns, and none is left out", "\n".join(lines))


def many_things_to_mend():
    with Lab("broken", 18, FAULTS) as lab:
        shutil.copy(f"{lab.folder}/hosts/node15/boot_id", f"{lab.folder}/hosts/node16/boot_id")
        done = hosts(lab, "broken", "--format", "json")
        told = json.loads(done.stdout)
        mends = [mend for mend in told["mend"] if mend["outcome"] != "remark"]
        tap.same({mend["problem"]: (mend["hostlist"], mend["outcome"]) for mend in mends}, RIGHT,
                 "each problem is told with the hosts that have it, and no other", done.stdout, done.stderr)
        tap.same(len(mends), len(RIGHT), "and once only")
        remarks = [mend for mend in told["mend"] if mend["outcome"] == "remark"]
        tap.same({mend["hostlist"] for mend in remarks} - {hosts_of for hosts_of, _ in RIGHT.values()}, {"node[17-18]"},
                 "remarks name nobody else, but whose GPUs are watched")
        watched = [(mend["problem"], mend["hostlist"], mend["commands"]) for mend in remarks if mend["problem"] == "monitor"]
        tap.same((watched, "nv-hostengine with profiling (pid 3141)" in done.stdout),
                 ([("monitor", "node[17-18]", ["dcgmi profile --pause"])], True),
                 "what disturbs tests is named with its process and the command that pauses it, and leaves its hosts clean", remarks)
        tap.same({problem: [word for mend in mends if mend["problem"] == problem for word in mend["commands"] if
                            command in word] != [] for problem, command in COMMANDS.items()},
                 {problem: True for problem in COMMANDS}, "the command that mends it stands beside it", done.stdout)
        tap.same((told["clean"], told["hosts"], done.returncode), ("node[1,17-18]", 18, 1),
                 "the others are clean, and the exit status says that something is to be mended")
        unasked = {entry["hostlist"]: entry["steps"] for entry in told["not_asked"]}
        tap.same(sorted(unasked), sorted([UNASKED, "node[1-4,8-18]"]), "what could not be asked is said", unasked)
        text = assay("preflight", lab.hostfile, "--hosts", "node[1-2],node6", "--db", f"{FOLDER}/text.db", "--progress", "none")
        lines = text.stdout.splitlines()
        tap.same([line.split(":")[:3] for line in lines if not line.startswith(" ")][:2],
                 [["fail", " node6", " connection refused"], ["fail", " node2", " clock"]], "as text: what, where, why",
                 text.stdout)
        tap.ok(re.search(r"^fail: node6: connection refused: connect to 127\.1\.0\.6 port \d+: ", text.stdout, re.M),
               "as text: of one host with its address, which may be what is wrong", text.stdout)
        tap.ok("clean: 1 of 3 hosts: node1" in lines and lines[-1] == "to fix: 2", "as text: who is clean, and how much there is to do",
               text.stdout)


def a_request_to_end():
    """What only looks is ended too: nobody waits until the tool that hangs meets its deadline."""
    with Lab("ended", 2, ["node1:tool-hang:nvidia-smi"]) as lab:
        child = start("preflight", named(lab), "--db", f"{FOLDER}/ended.db", "--progress", "none")
        wait_until(lambda: any("nvidia-smi" in line for line in lab.processes()), 60)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=PATIENCE_S)
        with sqlite3.connect(f"{FOLDER}/ended.db") as database:
            ends = {word for (word,) in database.execute("SELECT ending FROM attempt")}
        tap.same((child.returncode, "cancelled" in ends, lab.processes()), (130, True, []),
                 "Ctrl-C while a tool hangs: it is ended before its deadline, and nothing is left", ends, out, err)


def usage():
    for words, said in (((), "the hostfile is missing"), (("a", "b"), "unexpected word 'b'"),
                        (("a", "--format", "xml"), "--format 'xml'"), (("/nonexistent",), "/nonexistent")):
        done = assay("preflight", *words)
        tap.ok(done.returncode == 64 and said in done.stderr, f"assay preflight {' '.join(words)}: refused with the reason",
               done.returncode, done.stderr)


usage()
a_request_to_end()
a_healthy_cluster()
hosts_that_do_not_fold()
many_things_to_mend()
tap.end()
