# SPDX-License-Identifier: Apache-2.0
"""A member host, or a tool under test, writes what only assay writes: marks of parts, the guard's answer, another table.

A tool of the lab becomes an attacker by lines of shell around it: those of `mpirun` are what a rank on some member prints,
for all that ranks print comes out there.
"""

import hashlib
import json
import os
import re
import sqlite3

from attack import MEMBER, TOOL, attack
from cluster import FOLDER, Lab, Report, assay

def step(collective, scope):
    floor = {"metric": f"nccl.{collective.replace('-', '_')}.busbw", "floor": 300, "unit": "GB/s", "source": "clause 1",
             "status": "contract"}
    return {"check": f"nccl-{collective}", "scope": scope, "arguments": {"begin": "1G", "end": "8G"}, "limits": [floor],
            "retries": 0}


ACROSS, ON_HOST = step("all-gather", "cluster"), step("all-reduce", "host")
SLOW = "node2:nic-slow:mlx5_3"

# What who knows ASSAY_ATTEMPT can write: ends of the part, and the light path's answer, on both streams.
MARKS = """for stream in 1 2; do
for part in main nvidia-smi; do printf '\\n@assay-part %s end %s 0\\n' "$ASSAY_ATTEMPT" $part; done >&$stream
printf '\\n@assay %s ended why=exit rc=0 up=1,2 left= out=0 err=0 clip=0,0 boot=%s text=\\n' "$ASSAY_ATTEMPT" \\
    "$(cat "${ASSAY_LAB_BOOT_ID:-/proc/sys/kernel/random/boot_id}")" >&$stream
done"""


def judged(lab, name, *steps):
    """Runs these steps and gives the program's end and the report."""
    suite = os.path.join(FOLDER, f"{name}.json")
    with open(suite, "w", encoding="utf-8") as file:
        json.dump({"name": name, "platform": "hgx-h100", "purpose": "trial", "steps": list(steps)}, file)
    done = assay("run", "-H", lab.hostfile, "-s", suite, "--db", suite + ".db", "--progress", "none",
                 "-o", suite + ".html")
    return done, Report(suite + ".db")


def causes(report):
    return " | ".join(item["cause"] for found in report.bad().values() for items in found.values() for item in items)


def held(done, report, status, *words):
    """The run came to this end, and says these words as a cause."""
    said = causes(report)
    assert done.returncode == status and all(word in said for word in words), (
        f"exit {done.returncode}, wanted {status} and {words}\n{said}\n{done.stdout}{done.stderr}")


# A healthy table as a rank can make one up, of the sizes that it was started with.
TABLE = """cat <<'END'
# nccl-tests version 2.17.6 nccl-headers=22109 nccl-library=22109
# Collective test starting: all_gather_perf
# nThread 1 nGpus 1 minBytes 1073741824 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
%s%s#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong 
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)         
%s# Out of bounds values : 0 OK
# Avg bus bandwidth    : 375 
#
# Collective test concluded: all_gather_perf
#

END
""" % ("".join(f"#  Rank {rank:2} Group  0 Pid   4711 on      node{rank // 8 + 1} device {rank % 8:2} [0000:1b:00] NVIDIA H100\n"
               for rank in range(16)),
       "".join(f"node{host}:9:9 [0] NCCL INFO NET/IB : Using {' '.join(f'[{i}]mlx5_{i}:1/IB' for i in range(8))} [RO]; "
               f"OOB eth0:node{host}<0>\nnode{host}:9:9 [0] NCCL INFO Using network IB\n" for host in (1, 2)),
       "".join(f"{size:12}  {size // 64:12}     float    none      -1  {size / 4e5:7.0f}  400.00  375.00       0"
               f"  {size / 4e5:7.0f}  400.00  375.00       0\n" for size in (1 << 30, 2 << 30, 4 << 30, 8 << 30)))


@attack(MEMBER, "a rank prints a healthy table and the marks of an end before the slow one comes",
        "the step is undecided and says that its output is forged")
def healthy_table_and_mark():
    with Lab("marks", 2, [SLOW]) as lab:
        done, report = judged(lab, "slow", ACROSS)
        held(done, report, 1)
        lab.wrap("mpirun", f'case $* in *_perf*) {TABLE}{MARKS}\n;; esac')
        done, report = judged(lab, "marks", ACROSS)
        held(done, report, 2, "its output is forged", "@assay-part")


@attack(MEMBER, "a rank prints a healthy table without marks, before and behind the slow one",
        "the worst of both counts; where neither fails, two tables for one test leave it undecided")
def healthy_table():
    with Lab("tables", 2, [SLOW]) as lab:
        lab.wrap("mpirun", f'case $* in *_perf*) {TABLE}\n;; esac')
        held(*judged(lab, "first", ACROSS), 1, "expected >= 300 GB/s")
        lab.wrap("mpirun", after=f'\ncase $* in *_perf*) {TABLE}\n;; esac')
        held(*judged(lab, "last", ACROSS), 1, "expected >= 300 GB/s")


    with Lab("twice", 2) as lab:
        lab.wrap("mpirun", f'case $* in *_perf*) {TABLE}\n;; esac')
        held(*judged(lab, "twice", ACROSS), 2, "2 tables for one test")


@attack(TOOL, "it prints the marks of an end and crashes", "it is no pass")
def mark_and_crash():
    with Lab("crash", 1) as lab:
        held(*judged(lab, "healthy", ON_HOST), 0)
        lab.wrap("all_reduce_perf", after=f"\n{MARKS}\nkill -SEGV $$")
        held(*judged(lab, "crash", ON_HOST), 2, "its output is forged")


@attack(TOOL, "on the light path it prints marks and the guard's own answer, and then fails", "it is no pass")
def light_answer():
    steps = {"check": "driver"}, {"check": "ecc"}
    with Lab("light", 1) as lab:
        held(*judged(lab, "sound", *steps), 0)
        lab.wrap("nvidia-smi", after=f"\n{MARKS}\nkill -SEGV $$")
        done, report = judged(lab, "light", *steps)
        held(done, report, 2, "its output is forged")
        assert not [item for _, item in report.outcomes() if item["outcome"] == "pass"], report.outcomes()


@attack(MEMBER, "a rank prints healthy rows and closing lines, and something before each true one, on the same line",
        "the table is damaged, and no pass")
def hidden_rows():
    closing = [line for line in TABLE.splitlines() if line.strip()[:1].isdigit() or "bandwidth" in line or "bounds" in line]
    forged = "\\n".join(closing) + "\\n"
    with Lab("hidden", 2, [SLOW]) as lab:
        lab.wrap("mpirun", after=f""" | awk '$1 + 0 >= 1048576 || /bandwidth|bounds/ {{
    if (!done++) printf "{forged}"; printf "x" }} {{ print }}'""")
        held(*judged(lab, "hidden", ACROSS), 2, "a row comes after other output")


@attack(MEMBER, "the first host prints a healthy table of a test that never ran",
        "the counters of the other members' HCAs show it, and the step is undecided")
def lying_head():
    with Lab("liar", 2, ["node1:lying-head", SLOW]) as lab:
        held(*judged(lab, "liar", ACROSS), 2, "needs 8.59 GB or more over the HCAs of each host", "node2: ")
    with Lab("honest", 2) as lab:
        held(*judged(lab, "honest", ACROSS), 0)


# Of its own processes also what lies in pipes; to take it out of others' would disturb them.
SEARCH = """(
cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n'
for p in $(grep -lzxF "ASSAY_ATTEMPT=$ASSAY_ATTEMPT" /proc/[0-9]*/environ 2>/dev/null); do
    case $(readlink "${p%environ}fd/0") in
    pipe:* | *assay* | *deleted*) timeout 1 dd if="${p%environ}fd/0" iflag=nonblock bs=64k count=1 ;; esac
done 2>/dev/null
for f in "$ASSAY_DIR"/* "$ASSAY_DIR"/../*; do [ ! -f "$f" ] || cat "$f"; done 2>/dev/null
env; set; timeout 1 cat
) >>PLACE 2>&1"""


@attack(TOOL, "it looks for the secret in environments, arguments, files and pipes of all processes",
        "it is nowhere, and the two streams of no part have it")
def search():
    found = os.path.join(FOLDER, "found")
    with Lab("search", 1) as lab:
        for tool in ("all_reduce_perf", "nvidia-smi"):
            lab.wrap(tool, SEARCH.replace("PLACE", found))
        held(*judged(lab, "search", {"check": "driver"}, ON_HOST), 0)
    with open(found, "rb") as file:
        seen = file.read()
    with sqlite3.connect(os.path.join(FOLDER, "search.json.db")) as database:
        rows = database.execute("SELECT uuid,frame FROM attempt").fetchall()
    assert len(rows) == 2 and all(uuid.encode() in seen for uuid, _ in rows), "the search saw nothing"
    for _, frame in rows:
        words = [hashlib.sha256(f"{frame} {number}".encode()).hexdigest()[:32] for number in range(1, 9)]
        assert len(frame) == 32, rows
        for number, word in enumerate((frame, *words)):
            # What looks at the clocks may look once more when the test has ended: the spool has that end then, and its
            # word makes no other.
            left = re.sub(rb"\n@assay-part %s end \w+ [0-9]+\n" % word.encode(), b"", seen)
            at = left.find(word.encode())
            assert at < 0, (number, left[max(at - 300, 0) : at + 300])


@attack(TOOL, "it reads what the spool has of its output, writes an end with the word that it finds there, and crashes",
        "the word of a beginning makes no end")
def word_of_the_spool():
    take = """sleep 0.3; i=0; while [ $i -lt 3000 ]; do echo "# nothing to see"; i=$((i + 1)); done; sleep 0.3
word=$(sed -n 's/^@assay-part \\([^ ]*\\) .*/\\1/p' "$ASSAY_DIR/../out" | tail -n 1)
[ -n "$word" ] || echo "# the spool has no word"
for stream in 1 2; do printf '\\n@assay-part %s end main 0\\n' "$word" >&$stream; done; kill -SEGV $$"""
    with Lab("spool", 1) as lab:
        lab.wrap("all_reduce_perf", after="\n" + take)
        held(*judged(lab, "spool", ON_HOST), 2, "its output is forged")
        with sqlite3.connect(os.path.join(FOLDER, "spool.json.db")) as database:
            (frame,), = database.execute("SELECT frame FROM attempt").fetchall()
        begin = hashlib.sha256(f"{frame} 0".encode()).hexdigest()[:32]
        found = json.dumps(Report(os.path.join(FOLDER, "spool.json.db")).json)
        assert f"@assay-part {begin} end main" in found, "the attack did not find the word"
