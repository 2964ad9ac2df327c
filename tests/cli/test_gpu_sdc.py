# SPDX-License-Identifier: Apache-2.0
"""The checks that run assay-probe-gpu from suite to report, with the probe itself on CPU threads: one SM of one GPU computes
wrong, a word of its memory is not kept.

usage: test_gpu_sdc.py ASSAY ASSAY_PROBE_GPU
"""

import json
import os
import sys

from cluster import FOLDER, Lab, Report, Tap, assay

tap = Tap()
SMALL = {"sdc": "--gpus 8 --sms 3 --depth 4", "memory": "--gpus 8 --memory 1 --windows 2", "compute": "--gpus 8 --windows 2",
         "links": "--gpus 8 --windows 2", "training": "--gpus 8"}
UNITS = ["special", "tensor-tf32", "tensor-fp64", "reduce", "atomic", "hbm", "tensor-fp8"]
SDC = [{"check": "gpu-sdc", "arguments": {"backend": "host", "seconds": 600}}]
TRAINING = [{"check": "training-step", "timeout_s": 36000, "arguments": {"backend": "host", "steps": 8}}]
# In one suite: what they say is looked at one by one, for how fast a CPU's threads are says nothing.
SPEEDS = [{"check": "gpu-memory", "timeout_s": 36000, "arguments": {"backend": "host", "passes": 1}},
          {"check": "gpu-compute", "timeout_s": 36000, "arguments": {"backend": "host", "types": "bf16,fp8", "sizes": "32", "seconds": 1, "warmup": 1}},
          {"check": "gpu-links", "timeout_s": 36000, "arguments": {"backend": "host"}}]


def run(name, lab, faults, steps=SDC, hosts=None, said="", who="*"):
    """faults: {host: words of the probe}; of hosts of whom nothing is said it is sound. said: what sed makes of what it prints on `who`."""
    small = "".join(f"{test}) set -- \"$@\" {text} ;;\n" for test, text in SMALL.items())
    words = "".join(f"{host}) set -- \"$@\" {text} ;;\n" for host, text in faults.items())
    program = os.path.join(FOLDER, f"{name}-probe")
    with open(program, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\ncase $1 in\n{small}esac\ncase $(hostname) in\n{words}esac\n{os.path.abspath(sys.argv[2])} "$@"')
        file.write(f""" | case $(hostname) in {who}) sed '{said}' ;; *) cat ;; esac\n""" if said else "\n")
    os.chmod(program, 0o755)
    suite = os.path.join(FOLDER, f"{name}.json")
    with open(suite, "w", encoding="utf-8") as file:
        json.dump({"name": name, "title": name, "tools": {"assay-probe-gpu": {"path": program}},
                   "steps": steps}, file)
    database = os.path.join(FOLDER, f"{name}.db")
    done = assay("run", "-H", lab.hostfile, "-s", suite, "--db", database, "--progress", "none",
                 *(["--hosts", hosts] if hosts else []), "-o", os.path.join(FOLDER, f"{name}.html"))
    return done, Report(database)


def bad(report):
    """But for the backend, which leaves every such run undecided: CPU threads are no GPUs; and how fast they are, beside whatever else runs
    here, is no matter of these tests."""
    return {(tuple(step["members"]), item["metric"], item["subject"], item["outcome"]) for step, item in report.outcomes()
            if item["outcome"] not in ("pass", "recorded") and item["metric"] not in ("probe.backend", "training.forward")}


with Lab("lab", 3) as lab:
    done, report = run("sound", lab, {})
    tap.same((done.returncode, bad(report)), (2, set()), "of sound hosts all gates of the probe pass", done.stdout, done.stderr)
    tap.same([item["outcome"] for _, item in report.outcomes() if item["metric"] == "probe.backend"], ["inconclusive"] * 3,
             "and each is undecided: CPU threads are no GPUs")
    tap.same(sorted(unit for unit, _ in {(item["subject"], item["measured"]) for _, item in report.outcomes() if item["metric"] == "sdc.digest"}), sorted(UNITS),
             "what no GPU has shown to be as the host computes it they answer alike")
    tap.same({(item["measured"], item["remark"]) for _, item in report.outcomes("record") if item["metric"] == "advised.sdc_digest"},
             {("not known", False)}, "and nobody has told what is right")
    done, report = run("golden", lab, {}, hosts="node1", said='s/"architecture": "[^"]*"/"architecture": "sm_90"/')
    tap.ok([item["remark"] for _, item in report.outcomes("record") if item["metric"] == "advised.sdc_digest"] == [True],
           "where others of the architecture gave another answer, that is remarked on", report.bad(), done.stderr)
    done, report = run("wrong", lab, {"node2": "--inject gpu=5,sm=1,unit=tensor-bf16,bits=0x1000,from=40"})
    found = bad(report)
    tap.ok(done.returncode == 1 and (("node2",), "sdc.answers", "gpu5", "fail") in found
           and {host for host, _, _, _ in found} == {("node2",)}, "an SM that computes wrong fails its GPU, and no other host", found)
    causes = " ".join(item["cause"] for step, item in report.outcomes() if item["outcome"] == "fail")
    tap.ok("sdc.answers is SM 1: tensor-bf16 from round 40 on" in causes and "bits 0x00001000, expected right" in causes,
           "SM, unit, round and bits are named", causes)
    done, report = run("peer", lab, {"node2": "--inject gpu=5,sm=1,unit=peer,bits=0x1000"})
    found = bad(report)
    tap.ok(done.returncode == 1 and (("node2",), "sdc.answers", "gpu5", "fail") in found
           and {host for host, _, _, _ in found} == {("node2",)}, "copies to others that bring wrong words fail the GPU that sends them", found)
    causes = " ".join(item["cause"] for step, item in report.outcomes() if item["outcome"] == "fail")
    tap.ok("sdc.answers is copies by peer gpu5->gpu6: wrong from round 17 on" in causes and "(and 6 more)" in causes, "and the pairs are named", causes)
    done, report = run("fp8", lab, {}, said='/"tensor-fp8"/s/"digest": "0x[0-9a-f]*"/"digest": "0x0123456789abcdef"/', who="node2")
    tap.same((done.returncode, bad(report)), (1, {(("node2",), "sdc.digest", "tensor-fp8", "fail")}),
             "of fp8 too: a host all of whose SMs answer otherwise than the other hosts' fails", done.stderr)
    done, report = run("part", lab, {"node3": "--units integer"})
    found = bad(report)
    tap.ok(done.returncode != 0 and (("node3",), "sdc.digest", "special", "inconclusive") in found,
           "a unit that one host did not try is undecided there", found)
    done, report = run("speeds", lab, {"node2": "--inject gpu=5,offset=0x8008,bits=0x10"}, SPEEDS, "node2")
    said = {(item["metric"], item["subject"]): item for _, item in report.outcomes()}
    gates = {metric: {item["outcome"] for (name, _), item in said.items() if name == metric}
             for metric in ("gpu_memory.covered", "gpu_compute.bf16.32")}
    tap.same(gates, {metric: {"pass"} for metric in gates}, "memory and products of each GPU are measured", gates, report.bad())
    links = [item for (metric, _), item in said.items() if metric.startswith("gpu_links.")]
    tap.ok(len(links) == 4 * 8 + 2 * 56 + 3 * 8 and all(item["measured"].endswith(" GB/s") for (metric, _), item in said.items()
                                                           if metric.startswith("gpu_links.")), "and all links", links[:1])
    tap.same({subject for (metric, subject), item in said.items() if metric == "gpu_memory.contents" and "word at" in item["cause"]},
             {"gpu5"},
             "the GPU fails whose memory does not keep a bit")
    tap.ok("word at 0x8008: pattern address, bits 0x0000000000000010, 16 times" in said["gpu_memory.contents", "gpu5"]["cause"],
           "word, pattern and bits are named", said["gpu_memory.contents", "gpu5"])
    tap.same({item["outcome"] for _, item in report.outcomes("record") if item["metric"] == "gpu_compute.fp8.32"}, {"recorded"},
             "a type that an architecture may lack is only recorded")
    done, report = run("trained", lab, {}, TRAINING)
    tap.same((done.returncode, bad(report)), (2, set()), "hosts that train to the same losses pass", done.stdout, done.stderr)
    tap.same(len({item["measured"] for _, item in report.outcomes() if item["metric"] == "training.digest"}), 1,
             "for their digests are the same")
    done, report = run("astray", lab, {"node2": "--inject gpu=5,bits=0x4000,from=4,period=2"}, TRAINING)
    found = bad(report)
    tap.ok(done.returncode == 1 and {item for item in found if item[1] == "training.answers"} == {(("node2",), "training.answers", "gpu5", "fail")}
           and {host for host, _, _, _ in found} == {("node2",)}, "one bit of one gradient fails its GPU, and no other host", found)
    tap.ok((("node2",), "training.digest", "", "fail") in found, "whose host trains to other losses than the others", found)
    causes = " ".join(item["cause"] for step, item in report.outcomes() if item["outcome"] == "fail")
    tap.ok("training.answers is gradients from step 4 on in 2 steps, expected right" in causes, "what and since when is named", causes)
with Lab("old", 2, options=("--profile", "hgx-a100")) as lab:
    lack = 's/^{"unit": "tensor-fp8".*/{"unit": "tensor-fp8", "not_tried": "this architecture has no tensor cores for fp8"}/'
    done, report = run("lack", lab, {}, said=lack)
    tap.same((done.returncode, bad(report)), (2, set()), "GPUs without fp8 are not asked for it", done.stderr)
    tap.ok("tensor-fp8" not in {item["subject"] for _, item in report.outcomes() if item["metric"] == "sdc.digest"}, "nor is it told that they passed")
with Lab("new", 2) as lab:
    done, report = run("lacks", lab, {}, said=lack)
    tap.same((done.returncode, bad(report)), (2, {((f"node{i}",), "sdc.digest", "tensor-fp8", "inconclusive") for i in (1, 2)}),
             "those that have it are undecided where it was not tried", done.stderr)
tap.end()
