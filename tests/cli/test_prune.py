# SPDX-License-Identifier: Apache-2.0
"""Old runs are forgotten on request, and never one that somebody leans on."""

import os
import re

from cluster import FOLDER, Lab, Tap, assay

tap = Tap()
DATABASE = os.path.join(FOLDER, "runs.db")


def run(lab, host):
    return assay("run", "-H", lab.hostfile, "-s", "smoke", "--hosts", host, "--db", DATABASE, "--progress", "none", "-o",
                 os.path.join(FOLDER, "report.html")).returncode


def listed():
    """Numbers of the runs that there are."""
    return [int(number) for number in re.findall(r"^ *([0-9]+)  ", assay("list", "--db", DATABASE).stdout, re.M)]


def prune(*words):
    return assay("prune", "--db", DATABASE, *words)


with Lab("prune", 2, ["node2:gpu-missing:3"]) as lab:
    statuses = [run(lab, host) for host in ("node2", "node1", "node2", "node2", "node2")]
accepted, waived = 2, 3
tap.same(statuses, [1, 0, 1, 1, 1], "of five runs the second is accepted, the others are rejected")
done = assay("waive", waived, "--host", "node2", "--check", "gpu-inventory", "--who", "Li Wei", "--why",
             "known", "--until", "2099-01-01", "--db", DATABASE)
tap.ok(done.stdout.startswith("waiver: "), "a failure of the third is waived", done.stdout, done.stderr)

tap.same(prune().returncode, 64, "without a word about what stays nothing is done")
done = prune("--keep", 1, "--dry-run")
tap.same((done.returncode, listed()), (0, [5, 4, 3, 2, 1]), "--dry-run: all are still there", done.stdout, done.stderr)
tap.ok(re.search(r"^run 4 .* would go", done.stdout, re.M) and "2 would be forgotten, 3 stay" in done.stdout,
       "--dry-run: it says which would go", done.stdout)
done = prune("--keep", 1, "--older-than", 1)
tap.same((done.returncode, listed()), (0, [5, 4, 3, 2, 1]), "--older-than: none is old enough", done.stdout)
done = prune("--keep", 1)
tap.same((done.returncode, listed()), (0, [5, 3, 2]), "--keep 1: the newest, the accepted and the waived one stay",
         done.stdout, done.stderr)
tap.ok(re.search(r"^run 2 .* stays: it passed$", done.stdout, re.M) and
       re.search(r"^run 3 .* stays: it has a waiver$", done.stdout, re.M), "each that stays says why", done.stdout)
before, after = re.search(r"database: ([0-9.]+) MiB, was ([0-9.]+) MiB", done.stdout).group(2, 1)
tap.ok(float(after) < float(before), "the database is smaller", done.stdout)
tap.same(assay("report", accepted, "--db", DATABASE, "--format", "json", "-o", "-").returncode, 0,
         "what stayed can be reported")
tap.same(assay("show", 4, "--db", DATABASE).returncode, 64, "what was forgotten is no run any more")
tap.end()
