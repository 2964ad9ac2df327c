# SPDX-License-Identifier: Apache-2.0
"""Outputs that are too long to be stored: read whole, kept as head, tail, length and hash.

usage: test_captures.py ASSAY
"""

import json
import os
import sqlite3

from cluster import FOLDER, Lab, Report, Tap, assay

tap = Tap()
MEBIBYTE = 1 << 20

# gpu_burn's text of 72 hours, an update a second. It forgets errors at each summary, so its verdicts say OK
# whatever was in the middle. It lasts long enough to be sampled under load.
BURN = r'''#!/usr/bin/env python3
import fcntl, os, sys, time
# As the lab's own does, for the lab's GPUs to be at work.
burning = open(os.path.join(os.environ["ASSAY_LAB_DIR"], "hosts", os.environ["ASSAY_LAB_HOST"], "burning"), "w")
fcntl.lockf(burning, fcntl.LOCK_EX)
UPDATES, EIGHT = 259200, range(8)
work = " - ".join("1234567 (50123 Gflop/s)" for _ in EIGHT)
heat = " - ".join("67 C" for _ in EIGHT)
def update(errors):
    return (f"\r50.0%  proc'd: {work}   errors: " + " - ".join(errors) + f"   temps: {heat} ").encode()
out = sys.stdout.buffer
out.write(b"Using compare file: compare.ptx\nBurning for 259200 seconds.\n")
for i in EIGHT:
    out.write(f"GPU {i}: NVIDIA H100 80GB HBM3 (UUID: GPU-0000000{i}-0000-0000-0000-000000000000)\n".encode())
for i in EIGHT:
    out.write(f"Initialized device {i} with 81559 MB of memory (80959 MB available, using 72863 MB of it), using FLOATS\n".encode())
sound = update(["0"] * 8)
flawed = update(["0", "0", "0", "7  (WARNING!)"] + ["0"] * 4)
for block in range(UPDATES // 100):
    out.write(sound * 99 + (flawed if FLAWED and block == UPDATES // 200 else sound))
    if block % 500 == 499:
        out.write(b"\n\tSummary at:   Sat Nov 21 20:00:00 UTC 2026\n\n")
out.flush()
time.sleep(2)
out.write(b"\nKilling processes with SIGTERM (soft kill)\n")
for i in EIGHT:
    out.write(f"Freed memory for dev {i}\nUninitted cublas\n".encode())
out.write(b"done\n\nTested 8 GPUs:\n" + b"".join(f"\tGPU {i}: OK\n".encode() for i in EIGHT))
'''


def suite(name, program):
    os.mkdir(os.path.join(FOLDER, name))
    tool = os.path.join(FOLDER, name, "gpu_burn")
    with open(tool, "w", encoding="utf-8") as file:
        file.write(program)
    os.chmod(tool, 0o755)
    path = os.path.join(FOLDER, f"{name}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"name": name, "platform": "hgx-h100", "tools": {"gpu_burn": {"path": tool}},
                   "steps": [{"check": "gpu-burn", "arguments": {"seconds": 600}}]}, file)
    return path


def run(lab, name, program):
    database = os.path.join(FOLDER, f"{name}.db")
    done = assay("run", "-H", lab.hostfile, "-s", suite(name, program), "--db", database, "--progress", "none",
                 "-o", os.path.join(FOLDER, f"{name}.html"))
    return done, database


def failed(report):
    return sorted((item["metric"], item["subject"]) for items in report.bad().values() for word in items
                  for item in items[word])


def stored(database):
    """length, SHA-256, clipped, flooded and the stored bytes of each stdout, as far as they need no unpacking."""
    with sqlite3.connect(database) as store:
        return store.execute("SELECT c.length, c.sha256, c.clipped, c.flooded, head.length, tail.length "
                             "FROM capture c JOIN content head ON head.id=c.content "
                             "LEFT JOIN content tail ON tail.id=c.tail WHERE stream='stdout'").fetchall()


def judged_again(database, wanted):
    before = Report(database).outcomes()
    done = assay("judge", 1, "--db", database)
    report = Report(database)
    tap.ok(wanted in done.stdout and "0 of " in done.stdout and "not read again" in done.stdout,
           "judging again comes to the same and says what it did not read", done.stdout, done.stderr)
    tap.same(report.outcomes(), before, "no outcome changed by it")


def a_long_burn(lab):
    done, database = run(lab, "flawed", BURN.replace("FLAWED", "True"))
    report = Report(database)
    tap.ok(report.verdict == "reject" and any(subject == "gpu3" for _, subject in failed(report))
           and all(subject in ("gpu3", "") for _, subject in failed(report)),
           "a fault in the middle of a burn of 72 hours rejects, and only its GPU is accused", failed(report),
           done.stdout + done.stderr)
    rows = stored(database)
    tap.ok(len(rows) == 1 and rows[0][0] > 64 * MEBIBYTE and rows[0][2:] == (1, 0, MEBIBYTE, MEBIBYTE)
           and len(rows[0][1]) == 64, "head, tail, length and hash are stored", rows)
    tap.ok(os.path.getsize(database) < 4 * MEBIBYTE, "the database stays small", os.path.getsize(database))
    capture = report.json["attempts"][0]["captures"][0]
    tap.ok(capture["clipped"] and not capture["flooded"] and capture["sha256"] == rows[0][1], "the report says so", capture)
    with open(os.path.join(FOLDER, "flawed.html"), encoding="utf-8") as page:
        tap.ok("read in full; only head and tail are stored" in page.read(), "so does its page")
    tap.same(report.left_behind(), [], "nothing of it is left on the host")
    judged_again(database, "verdict: failed")


def a_sound_one(lab):
    done, database = run(lab, "sound", BURN.replace("FLAWED", "False"))
    report = Report(database)
    tap.same((done.returncode, report.verdict, failed(report)), (0, "accept", []), "a sound burn of 72 hours passes",
             done.stdout + done.stderr)
    tap.same([row[2] for row in stored(database)], [1], "it is stored the same way")
    judged_again(database, "verdict: passed")


with Lab("long", 1) as lab:
    a_long_burn(lab)
    a_sound_one(lab)
tap.end()
