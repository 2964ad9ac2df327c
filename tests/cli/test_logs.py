# SPDX-License-Identifier: Apache-2.0
"""What the hosts of a stored run printed is listed, shown and searched, and cannot steer the terminal.

usage: test_logs.py ASSAY
"""

import json
import os
import subprocess

from cluster import ASSAY, FOLDER, Lab, Tap, assay, environment

DATABASE = os.path.join(FOLDER, "runs.db")
# Both streams, a progress that begins its line again, bytes that are no text, and what a terminal would obey.
PRINTS = r"""printf 'first\nat 10%%\rat 99%%\r\n\033]0;title\007\033[2Jlook\0here\377\n'; echo '@assay-part x begin main'; head -c 4000 /dev/zero | tr "\\0" x; echo; echo complaint >&2"""
AGAIN = "echo try >>{0}.$ASSAY_LAB_HOST; echo this is try $(wc -l <{0}.$ASSAY_LAB_HOST); [ $(wc -l <{0}.$ASSAY_LAB_HOST) -ge 2 ] || kill -9 $$"
SUITE = {"name": "logs", "title": "Logs", "purpose": "trial", "platform": "hgx-h100", "steps": [
    {"check": "reachable"},
    {"name": "prints", "check": "command", "needs": ["reachable"], "arguments": {"command": PRINTS}, "record": ["command.*"]},
    {"name": "again", "check": "command", "needs": ["reachable"], "retries": 1, "record": ["command.*"],
     "arguments": {"command": AGAIN.format(os.path.join(FOLDER, "tries"))}},
    {"check": "mpi-launch", "scope": "cluster", "needs": ["reachable"]}]}

tap = Tap()


def logs(*words):
    return assay("logs", *words, "--db", DATABASE)


def raw(*words):
    return subprocess.run([ASSAY, "logs", *words, "--raw", "--db", DATABASE], env=environment(), capture_output=True, check=False).stdout


path = os.path.join(FOLDER, "suite.json")
with open(path, "w", encoding="utf-8") as file:
    json.dump(SUITE, file)
with Lab("logs", 3) as lab:
    done = assay("run", "-H", lab.hostfile, "-s", path, "--db", DATABASE, "--progress", "none", "-o", os.path.join(FOLDER, "report.html"))
tap.ok("run: 1" in done.stdout, "the run is kept", done.stdout, done.stderr)

shown = logs("1").stdout
rows = [line.split() for line in shown.splitlines()[1:]]
tap.same(sorted((row[0], row[1], row[-1]) for row in rows if row[0] in ("prints", "again")),
         sorted([("prints", "1", f"node{i}") for i in (1, 2, 3)] + [("again", n, f"node{i}") for n in "12" for i in (1, 2, 3)]),
         "a list of all attempts: step, try, host", shown)
tap.same(logs().stdout, shown, "without a run it is the last one")
shown = logs("1", "node2").stdout
tap.ok("mpi-launch" in shown and "3 hosts: node[1-3]" in shown and "node1\n" not in shown,
       "of one host: its own attempts, and those over several hosts", shown)
tap.ok("node1\n" in logs("1", "node[1-2]").stdout and "node3\n" not in logs("1", "node[1-2]").stdout, "a range of hosts")

done = logs("1", "node2", "prints")
lines = done.stdout.splitlines()
tap.ok(lines[0].startswith("# run 1, prints, attempt 1 on node2: ran") and "first" in lines and "at 10%" in lines and "at 99%" in lines
       and lines.index("# stderr:") < lines.index("complaint"), "an output, then what came on stderr; progress line by line", done.stdout)
tap.ok("\x1b" not in done.stdout and "\x07" not in done.stdout and "\0" not in done.stdout and "look" in done.stdout and "here" in done.stdout,
       "nothing in it steers the terminal", repr(done.stdout))
tap.ok(b"\x1b]0;title\x07\x1b[2Jlook\0here\xff\n" in raw("1", "node2", "prints") and b"complaint" not in raw("1", "node2", "prints"),
       "--raw: the bytes themselves", raw("1", "node2", "prints"))
shown = logs("1", "node2", "prints", "--stderr").stdout
tap.ok("complaint" in shown and "first" not in shown, "--stderr: only that", shown)
tap.ok(b"complaint\n" in raw("1", "node2", "prints", "--stderr") and b"first" not in raw("1", "node2", "prints", "--stderr"), "--stderr --raw")

tap.ok("this is try 2" in logs("1", "node1", "again").stdout and "this is try 1" not in logs("1", "node1", "again").stdout,
       "of several attempts the last", logs("1", "node1", "again").stdout)
tap.ok("this is try 1" in logs("1", "node1", "again", "--attempt", 1).stdout, "--attempt: an earlier one")
tap.same(logs("1", "node1", "again", "--attempt", 7).returncode, 64, "--attempt: there is no such one")

found = logs("1", "--grep", "compl.int$|this is try")
tap.same(sorted(line.split(":")[0] for line in found.stdout.splitlines()),
         sorted([f"node{i} prints 1" for i in (1, 2, 3)] + [f"node{i} again {n}" for n in (1, 2) for i in (1, 2, 3)]),
         "--grep: in all outputs, of both streams and all attempts", found.stdout)
tap.ok("node1 prints 1:stderr " in found.stdout, "--grep: it says what came on stderr", found.stdout)
tap.same((logs("1", "--grep", "nobody said this").returncode, found.returncode), (1, 0), "--grep: 1 where no line matches")
tap.ok("node2 prints 1:" in logs("1", "--grep", "^@assay-part x").stdout, "--grep: a host hides no line behind what looks like our marks")
costly = logs("1", "--grep", "(x|xx){1,10}[0-9]|look")
tap.same((costly.returncode, costly.stdout.count("look")), (0, 3), "--grep: a costly pattern misses no line", costly.stderr)
hopeless = logs("1", "--grep", "(x|xx)+[0-9]")
tap.ok(hopeless.returncode == 64 and "too many steps" in hopeless.stderr, "--grep: a pattern that takes too long is refused, and finds not just nothing",
       hopeless.stdout[-200:], hopeless.stderr)
tap.ok("(" in (bad := logs("1", "--grep", "(")).stderr and bad.returncode == 64, "--grep: a pattern that is none", bad.stderr)

for words, expected in ((("1", "nod2"), "did you mean 'node2'?"), (("1", "node2", "print"), "did you mean 'prints'?"),
                        (("9",), "9"), (("1", "node1", "prints", "more"), "unexpected 'more'"), (("1", "node[1"), "node\\[1")):
    done = logs(*words)
    tap.ok(done.returncode == 64 and expected.replace("\\", "") in done.stderr and not done.stdout, f"logs {' '.join(words)}: refused by name",
           done.returncode, done.stdout, done.stderr)
piped = subprocess.run(f"{ASSAY} logs 1 --db {DATABASE} | head -n 1", shell=True, env=environment(), capture_output=True, text=True, check=False)
tap.same((piped.stdout.count("\n"), piped.stderr), (1, ""), "a reader that goes away early ends it silently")
tap.end()
