# SPDX-License-Identifier: Apache-2.0
"""A database in which one run is damaged: who looks at the others is shown them, and nobody is told that all is well.

usage: test_damaged.py ASSAY WRITE_RUNS
"""

import http.client
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys

from cluster import ASSAY, FOLDER, Tap, assay, environment

WRITE_RUNS = os.path.abspath(sys.argv[2])
WHOLE = os.path.join(FOLDER, "whole.db")
# What is damaged of run 2: a word of its own row, and one of what hangs on it.
DAMAGES = {"a word of its row": ("UPDATE run SET state = 'lost' WHERE id = 2", "'lost' is no run state"),
           "a word of its row is empty": ("UPDATE run SET state = '' WHERE id = 2", "'' is no run state"),
           "the role of its hosts": ("UPDATE run_host SET role = 'nobody' WHERE run = 2", "'nobody' is no host role")}

tap = Tap()


def ask(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path)
    answer = connection.getresponse()
    result = answer.status, answer.read().decode()
    connection.close()
    return result


def check_served(database, what, why):
    server = subprocess.Popen([ASSAY, "serve", "--port", "0", "--db", database, "--lang", "en"], env=environment(), stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
    try:
        port = int(re.search(r"http://127\.0\.0\.1:(\d+)/", server.stdout.readline() + server.stdout.readline())[1])
        status, got = ask(port, "/")
        row = re.search(r'<tr><th scope="row" data-name="Run">2</th>.*?</tr>', got, re.S)
        tap.ok(status == 200 and row and "cannot be read: " in row[0] and "v-" not in row[0], f"{what}: the index lists it with the reason, without a verdict",
               status, row and row[0], got[-2000:])
        tap.ok(got.count("<strong>cannot be read: ") == 1 and all(f'href="runs/{run}/index.html"' in got for run in (1, 3, 4)), f"{what}: and all others as they are",
               got[-3000:])
        status, got = ask(port, "/history/index.html")
        tap.ok(status == 200 and "Without run 2, which cannot be read: " in got and why.replace("'", "&#39;") in got, f"{what}: the history says that it is without it",
               status, got[-3000:])
        for path in ("/history/hosts/node3.html", "/runs/4/index.html", "/compare/3-4.html", "/runs/1/index.html"):
            tap.same(ask(port, path)[0], 200, f"{what}: {path} is shown")
        tap.ok(ask(port, "/runs/2/index.html")[0] == 500, f"{what}: its own report is not")
    finally:
        server.terminate()
        server.wait(timeout=20)


def check_commands(database, what, why, in_row):
    done = assay("list", "--db", database)
    row = next((line for line in done.stdout.splitlines() if line.startswith("    2 ")), "")
    tap.ok(done.returncode == 0 and len(done.stdout.splitlines()) == 5, f"{what}: the list has all runs", done.stdout, done.stderr)
    if in_row:
        tap.ok("damaged" in row and why in row and "reject" not in row, f"{what}: and calls it damaged", row)
    done = assay("history", "--db", database)
    tap.ok(done.returncode == 2 and "without run 2: " in done.stderr and why in done.stderr and "3 runs: 1 " in done.stdout,
           f"{what}: the history names what it is without, and does not end as if all were well", done.returncode, done.stdout, done.stderr)
    done = assay("report", 4, "--db", database, "--format", "text")
    tap.ok(done.returncode == 0 and "ACCEPT" in done.stdout, f"{what}: another run has its report", done.returncode, done.stderr)
    done = assay("report", 2, "--db", database, "--format", "text")
    tap.ok(done.returncode == 70 and why in done.stderr and done.stdout == "", f"{what}: it has none", done.returncode, done.stdout, done.stderr)
    if not in_row:
        done = assay("report", 3, "--db", database, "--format", "text")
        tap.ok(done.returncode == 0 and re.search(r"over the same\s+hosts,\s+or some of them,\s+was\s+rejected:\s+(run )?2\b", done.stdout),
               f"{what}: the next one tells that it was rejected", done.returncode, done.stdout, done.stderr)
    done = assay("acceptance", "report", "handover", "--db", database)
    tap.ok(done.returncode == 70 and why in done.stderr, f"{what}: no acceptance passes over it", done.returncode, done.stdout, done.stderr)
    if in_row:
        done = assay("prune", "--keep", 1, "--dry-run", "--db", database)
        tap.ok(re.search(r"run 2 .* stays: it cannot be read", done.stdout) is not None, f"{what}: it is not pruned", done.stdout, done.stderr)


def check_site(database, what, why):
    folder = os.path.join(FOLDER, "site")
    assay("site", folder, "--db", WHOLE, "--lang", "en")
    done = assay("site", folder, "--db", database, "--lang", "en")
    with open(os.path.join(folder, "index.html"), encoding="utf-8") as file:
        index = file.read()
    tap.ok(done.returncode == 2 and "run 2 cannot be read" in done.stderr and why in done.stderr, f"{what}: the site is written, and told to be without it",
           done.returncode, done.stdout, done.stderr)
    tap.ok(index.count("<strong>cannot be read: ") == 1 and 'href="runs/2/' not in index and 'href="acceptances/' not in index and 'href="runs/1/index.html"' in index,
           f"{what}: its index lists it so", index[-2000:])
    tap.ok(os.path.exists(os.path.join(folder, "runs/2/index.html")) and not os.path.exists(os.path.join(folder, "acceptances/handover.html")),
           f"{what}: what was written of it before stays, but no acceptance that may rest on it")
    done = assay("site", folder, "--db", WHOLE, "--lang", "en")
    with open(os.path.join(folder, "index.html"), encoding="utf-8") as file:
        tap.ok(done.returncode == 0 and "cannot be read" not in file.read(), f"{what}: with the whole database it is whole again", done.stderr)
    shutil.rmtree(folder)


subprocess.run([WRITE_RUNS, WHOLE, "clean", "faulty", "clean", "clean"], env=environment(), check=True)
with open(os.path.join(FOLDER, "hosts"), "w", encoding="utf-8") as file:
    file.write("node[1-8] platform=hgx-h100\n")
with open(os.path.join(FOLDER, "handover.json"), "w", encoding="utf-8") as file:
    json.dump({"name": "handover", "title": "Handover", "purpose": "delivery", "platform": "hgx-h100", "steps": [{"check": "reachable"}]}, file)
made = assay("acceptance", "create", "handover", "-H", os.path.join(FOLDER, "hosts"), "-s", os.path.join(FOLDER, "handover.json"), "--db", WHOLE)
tap.ok(made.returncode == 0, "an acceptance stands beside the runs", made.stderr)
for name, (change, reason) in DAMAGES.items():
    damaged = os.path.join(FOLDER, "damaged.db")
    shutil.copy(WHOLE, damaged)
    store = sqlite3.connect(damaged)
    with store:
        store.execute(change)
    store.close()
    check_commands(damaged, name, reason, "UPDATE run SET" in change)
    check_served(damaged, name, reason)
    check_site(damaged, name, reason)
    os.remove(damaged)
tap.end()
