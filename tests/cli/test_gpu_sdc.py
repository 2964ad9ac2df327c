# SPDX-License-Identifier: Apache-2.0
"""The check gpu-sdc from suite to report, with the probe itself on CPU threads: one SM of one GPU computes wrong.

usage: test_gpu_sdc.py ASSAY ASSAY_PROBE_GPU
"""

import json
import os
import sys

from cluster import FOLDER, Lab, Report, Tap, assay

tap = Tap()
SMALL = "--gpus 8 --sms 3 --depth 4"


def run(name, lab, faults):
    """faults: {host: words of the probe}; of hosts of whom nothing is said it is sound."""
    words = "".join(f"{host}) set -- \"$@\" {text} ;;\n" for host, text in faults.items())
    program = os.path.join(FOLDER, f"{name}-probe")
    with open(program, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\nset -- "$@" {SMALL}\ncase $(hostname) in\n{words}esac\nexec {os.path.abspath(sys.argv[2])} "$@"\n')
    os.chmod(program, 0o755)
    suite = os.path.join(FOLDER, f"{name}.json")
    with open(suite, "w", encoding="utf-8") as file:
        json.dump({"name": name, "title": name, "tools": {"assay-probe-gpu": {"path": program}},
                   "steps": [{"check": "gpu-sdc", "arguments": {"backend": "host", "seconds": 600}}]}, file)
    database = os.path.join(FOLDER, f"{name}.db")
    done = assay("run", "-H", lab.hostfile, "-s", suite, "--db", database, "--progress", "none",
                 "-o", os.path.join(FOLDER, f"{name}.html"))
    return done, Report(database)


def bad(report):
    return {(tuple(step["members"]), item["metric"], item["subject"], item["outcome"]) for step, item in report.outcomes()
            if item["outcome"] not in ("pass", "recorded")}


with Lab("lab", 3) as lab:
    done, report = run("sound", lab, {})
    tap.same((done.returncode, bad(report)), (0, set()), "sound hosts pass", done.stdout, done.stderr)
    tap.same(len({item["measured"] for _, item in report.outcomes() if item["metric"] == "sdc.digest"}), 1,
             "what their host cannot compute they answer alike")
    done, report = run("wrong", lab, {"node2": "--inject gpu=5,sm=1,unit=tensor-bf16,bits=0x1000,from=40"})
    found = bad(report)
    tap.ok(done.returncode == 1 and (("node2",), "sdc.answers", "gpu5", "fail") in found
           and {host for host, _, _, _ in found} == {("node2",)}, "an SM that computes wrong fails its GPU, and no other host", found)
    causes = " ".join(item["cause"] for step, item in report.outcomes() if item["outcome"] == "fail")
    tap.ok("sdc.answers is SM 1: tensor-bf16 from round 44 on" in causes and "bits 0x00001000, expected right" in causes,
           "SM, unit, round and bits are named", causes)
    done, report = run("part", lab, {"node3": "--units integer"})
    found = bad(report)
    tap.ok(done.returncode != 0 and (("node3",), "sdc.digest", "special", "inconclusive") in found,
           "a unit that one host did not try is undecided there", found)
tap.end()
