# SPDX-License-Identifier: Apache-2.0
"""usage: test_training_hosts.py ASSAY

training-hosts over six hosts: a healthy training passes, the host that all others wait for is named among them, and one whose GPUs
cannot be used, or on which the program is missing, stops it by name.
"""

import json
import os
import re

from cluster import FOLDER, Lab, Report, Tap, assay

tap = Tap()
HOSTS = 6


def suite():
    path = os.path.join(FOLDER, "trains.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"name": "trains", "title": "trains", "search_path": ["/usr/local/bin"], "steps": [
            {"check": "reachable"},
            {"check": "training-hosts", "scope": "cluster", "needs": ["reachable"], "retries": 0}]}, file)
    return path


def train(name, *faults, change=lambda lab: None):
    lab = Lab(name, HOSTS, faults)
    change(lab)
    database = os.path.join(FOLDER, f"{name}.db")
    done = assay("run", "-H", lab.hostfile, "-s", suite(), "--db", database, "--progress", "none", "-o", os.path.join(FOLDER, f"{name}.html"))
    lab.down()
    return done, Report(database)


def trained(report):
    """By metric and subject: outcome and cause, and what was measured."""
    return {(item["metric"], item["subject"]): (item["outcome"], item["cause"] or "", item["measured"]) for kind in ("gate", "record")
            for entry, item in report.outcomes(kind) if entry["name"] == "training-hosts"}


done, report = train("healthy")
found = trained(report)
tap.same((done.returncode, report.verdict, {outcome for outcome, _, _ in found.values()}), (0, "accept", {"pass", "recorded"}), "healthy hosts train together", done.stderr)
tap.same([(found["training.host", f"node{i + 1}"][2], float(found["training.host_forward", f"node{i + 1}"][2].split()[0]) > 300) for i in range(HOSTS)],
         [("right", True)] * HOSTS, "each is right, and has a speed of its own", found)
tap.same((found["probe.hosts", ""][2], found["training.stragglers", ""][2]), ("6", "none"), "all took part, and nobody was waited for", found)

done, report = train("slow", "node4:step-slow:6")
found = trained(report)
bad = {key: value for key, value in found.items() if value[0] == "fail"}
tap.same((done.returncode, sorted(bad)), (1, [("training.host_forward", "node4")]), "the host that all others wait for fails, and nobody else", bad)
tap.ok("below" in bad["training.host_forward", "node4"][1], "by its speed beside the others'", bad)
tap.ok(re.fullmatch(r"node4 \(last to 9[0-9]% of exchanges, by [68](\.\d+)?% of a step\)", found["training.stragglers", ""][2]), "and is told as a straggler",
       found["training.stragglers", ""])


GRADIENTS = {"wrong_gpu": 2, "host": "node3", "what": "gradients", "first_step": 0, "steps": 1, "got": "0x2", "expected": "0x1"}
SUMS = {"wrong_gpu": 5, "host": "node5", "what": "exchange", "first_step": 0, "steps": 1, "got": "0x7", "expected": "0x0"}


def said_by_program(*wrong, late=(), names=None, silent=None, **end):
    """As the program prints it; late: hosts all of whose GPUs are; names: as hosts call themselves; silent: a GPU that tells
    no speed; end: of its last line."""
    lines = [{"assay_probe_gpu": 1, "test": "training", "program": "assay-probe-gpu-mpi 0.1.0", "backend": "cuda", "hosts": HOSTS, "gpus": 8, "rows": 2,
              "library": "cuBLASLt 13.0.2", "exchange": "NCCL 2.27.3", "layers": 32, "hidden": 4096, "sequence": 2048, "batch": 4, "injected": False},
             {"step": 0, "loss": 11.7, "loss_bits": "0x413b3333", "digest": "0x1", "ms": 900},
             {"training": "bf16", "tflops": 430, "p1": 429, "least": 428, "best": 431, "tokens_per_s": 4e5, "step_ms": 900, "p99_ms": 901,
              "worst_ms": 902, "spread_percent": 1, "digest": "0x1"}, *wrong]
    bad = {(line["host"], line["wrong_gpu"]) for line in wrong}
    for host in (f"node{i + 1}" for i in range(HOSTS)):
        lines += [{key: value for key, value in {"gpu": gpu, "name": "NVIDIA H100 80GB HBM3", "host": (names or {}).get(host, host), "steps_wrong": int((host, gpu) in bad),
                   "tflops": 500, "p1": 499, "least": 498, "best": 501, "late_percent": 9 if host in late else 0.1,
                   "last_percent": 12 if host in late else 0.1}.items()
                   if (host, gpu) != silent or key in ("gpu", "name", "host", "steps_wrong")} for gpu in range(8)]
    lines.append({"end": "wrong" if wrong else "ok", "rounds": 1, "seconds": 9.1, **end})
    path = os.path.join(FOLDER, "said.out")
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(json.dumps(line) + "\n" for line in lines))
    return lambda lab: lab.wrap("mpirun", f'case "$*" in *assay-probe-gpu-mpi*) cat {path}; exit {int(lines[-1]["end"] != "ok")};; esac')


done, report = train("wrong", change=said_by_program(GRADIENTS, SUMS))
found = trained(report)
bad = {key: value for key, value in found.items() if value[0] == "fail"}
tap.same((done.returncode, {subject: value[2] for (metric, subject), value in bad.items() if metric == "training.host"}),
         (1, {"node3": "gpu2: gradients from step 0 on in 1 steps", "node5": "gpu5: exchanged sums from step 0 on in 1 steps"}),
         "a wrong answer fails its host, with GPU and step", bad)
done, report = train("late", change=said_by_program(late=("node2",), names={f"node{i + 1}": f"node{i + 1}.example.com" for i in range(HOSTS)}))
tap.same((done.returncode, trained(report)["training.stragglers", ""][2]), (0, "node2 (last to 96% of exchanges, by 9% of a step)"),
         "a host is a straggler by all of its GPUs, and known by its name without a domain", trained(report))
done, report = train("strange", change=said_by_program(names={"node6": "gpu-a6"}))
found = trained(report)
tap.ok(done.returncode == 2 and "told of gpu-a6" in found["training.host", "node6"][1], "a host that calls itself otherwise leaves it open, and that is said", found)
done, report = train("silent", change=said_by_program(silent=("node2", 3)))
found = trained(report)
tap.same((done.returncode, [key for key, value in found.items() if value[0] == "inconclusive"]), (2, [("training.host_forward", "node2")]),
         "a host one of whose GPUs tells no speed is undecided, and not as fast as the others", found)
tap.ok(("training.stragglers", "") not in found or found["training.stragglers", ""][2] != "none", "and nobody says that none is late", found)
done, report = train("apart", change=said_by_program(end="wrong", reason="step 0: no loss and gradients have the majority of the GPUs"))
found = trained(report)
tap.ok(done.returncode == 1 and found["sound", ""][0] == "fail" and "majority" in found["sound", ""][1] and
       not any(outcome == "pass" for (metric, _), (outcome, _, _) in found.items() if metric == "training.host"),
       "where no answer has the majority, no host is called right", found)

for fault in ("node2:gpu-missing:3", "node5:tool-missing:assay-probe-gpu-mpi"):
    done, report = train(fault.split(":")[1], fault)
    found = trained(report)
    tap.ok(done.returncode in (1, 2) and not any(outcome == "pass" for outcome, _, _ in found.values()), f"{fault}: nothing passes", found)
    if "gpu" in fault.split(":")[1]:
        tap.ok(any("node2: 7 GPUs" in cause for _, cause, _ in found.values()), f"{fault}: and the host is named", found)
tap.end()
