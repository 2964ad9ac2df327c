# SPDX-License-Identifier: Apache-2.0
"""An acceptance that rests on runs of another controller, which were merged: who takes in one that passed leaves none aside that
failed on the same machines; runs of other machines under the same names are no matter.

usage: test_acceptance_merged.py ASSAY
"""

import json
import os
import re
import sqlite3

from cluster import FOLDER, Lab, Tap, assay

tap = Tap()
SUITE = {"name": "site", "title": "What this site agreed on", "purpose": "delivery",
         "steps": [{"check": "reachable"}, {"check": "ecc", "needs": ["reachable"]}]}


def path(name):
    return os.path.join(FOLDER, name)


def hostfile(lab, name, hosts):
    """The lab's hosts of these numbers, called node1 and so on."""
    with open(lab.hostfile, encoding="utf-8") as file:
        lines = file.read().splitlines()
    kept = [line for line in lines if not line.startswith("node")]
    for number, host in enumerate(hosts, 1):
        kept += [re.sub(r"^node\d+ ", f"node{number} ", line) for line in lines if line.startswith(f"node{host} ")]
    with open(path(name), "w", encoding="utf-8") as file:
        file.write("\n".join(kept) + "\n")
    return path(name)


def run(lab, database, hosts=(1, 2)):
    return assay("run", "-H", hostfile(lab, f"{database}.hosts", hosts), "-s", path("site.json"), "--db", path(database), "--progress", "none",
                 "-o", path("report.html")).returncode


def accepted(*databases):
    """What an acceptance says that takes in the first run of these, merged."""
    site = path("all-" + "-".join(databases))
    words = ("--db", site)
    for database in databases:
        assert assay("merge", path(database), *words).returncode == 0
    assert assay("acceptance", "create", "su", "-H", path("well.db.hosts"), "-s", path("site.json"), *words).returncode == 0
    return assay("acceptance", "add", "su", 1, "--adopt", "Chen", "--note", "seen it", *words)


with open(path("site.json"), "w", encoding="utf-8") as the_file:
    json.dump(SUITE, the_file)
with Lab("well", 2) as the_lab:
    tap.same(run(the_lab, "well.db"), 0, "two hosts pass")
    with open(path("well.db"), "rb") as well, open(path("both.db"), "wb") as copy:
        copy.write(well.read())
with Lab("sick", 4, ["node2:ecc-uncorrected:3", "node4:ecc-uncorrected:3"]) as the_lab:
    tap.same(run(the_lab, "sick.db"), 1, "and later fail")
    tap.same(run(the_lab, "both.db"), 1, "in the same database too")
    tap.same(run(the_lab, "other.db", (3, 4)), 1, "other machines of these names fail")
done = accepted("well.db")
tap.ok(done.returncode == 0 and "verdict: accept" in done.stdout, "the run that passed is adopted, and there is no other", done.stdout, done.stderr)
for sources, what in ((("well.db", "sick.db"), "another controller"), (("both.db",), "the same controller")):
    done = accepted(*sources)
    tap.ok(done.returncode == 2 and "add su 2" in done.stdout and "verdict: incomplete" in done.stdout,
           f"beside a later run of {what} on these machines, which failed and was merged too, nothing is accepted", done.returncode, done.stdout, done.stderr)
    done = assay("acceptance", "add", "su", 2, "--adopt", "Chen", "--note", "seen it", "--db", path("all-" + "-".join(sources)))
    tap.ok(done.returncode == 1 and "verdict: reject" in done.stdout, "and with it it is rejected", done.returncode, done.stdout, done.stderr)
done = accepted("well.db", "other.db")
tap.ok(done.returncode == 0 and "verdict: accept" in done.stdout, "a failed run of other machines under these names is no matter", done.returncode,
       done.stdout, done.stderr)

# A run that goes on is neither merged nor imported; one that is there all the same counts for nothing less.
with open(path("sick.db"), "rb") as sick, open(path("late.db"), "wb") as copy:
    copy.write(sick.read())
accepted("well.db", "late.db")
with sqlite3.connect(path("all-well.db-late.db")) as site:
    site.execute("UPDATE run SET state = 'running', ended = 0, controller_host = 'elsewhere' WHERE id = 2")
done = assay("acceptance", "status", "su", "--db", path("all-well.db-late.db"))
tap.ok(done.returncode == 2 and "verdict: incomplete" in done.stdout and
       "1 run over the same hosts, or some of them, is still running or was never ended, after tests had failed: 2." in done.stdout and
       "Nothing is accepted until each such run has ended or was cancelled" in done.stdout,
       "one that still counts as running, and in which tests have failed, holds it back", done.returncode, done.stdout, done.stderr)
tap.end()
