#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: test_stream.py ASSAY_PARSE SOURCE_ROOT

Outputs that are much larger than what may be held of them. How much memory they take is compared with that of shorter
ones, so that it holds for a build with sanitizers too; what is asserted is that it does not grow. The burn here has an
update for every second of 72 hours: 260 000 of them, 85 MB for 8 GPUs.
"""
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

PARSE, ROOT = sys.argv[1:3]
MOST_GROWTH_KB = 4096
cases = 0


def case(ok, name, remark=""):
    global cases
    cases += 1
    print(f"{'ok' if ok else 'not ok'} {cases} - {name}")
    if not ok:
        print(f"# {remark}")


def load_bench():
    loader = importlib.machinery.SourceFileLoader("bench_parse", os.path.join(ROOT, "scripts/benches/parse"))
    loader_spec = importlib.util.spec_from_loader("bench_parse", loader)
    module = importlib.util.module_from_spec(loader_spec)
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def parse(tool, path):
    """The reading, and the peak of memory in KB. What was freed must be there to be used again."""
    options = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"
    child = subprocess.Popen([PARSE, tool, path], stdout=subprocess.PIPE, env={**os.environ, "ASAN_OPTIONS": options})
    out = child.stdout.read()
    _, _, usage = os.wait4(child.pid, 0)
    return json.loads(out), usage.ru_maxrss


def burn(path, updates, errors_at=None):
    """gpu_burn's output with so many updates; errors_at: that one alone shows errors of GPU 5."""
    gpus = range(8)
    with open(path, "w", encoding="ascii") as out:
        for gpu in gpus:
            out.write(f"GPU {gpu}: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-0000-0000-00000000000{gpu})\n")
        out.write(f"Using compare file: compare.ptx\nBurning for {updates} seconds.\n")
        for n in range(updates):
            work = " - ".join(f"{(n + 1) * 40 + gpu} (5123{gpu} Gflop/s)" for gpu in gpus)
            errors = " - ".join("912  (WARNING!)" if n == errors_at and gpu == 5 else "0 " for gpu in gpus)
            temperatures = " - ".join(f"{61 + gpu} C" for gpu in gpus)
            out.write(f"\r{100 * (n + 1) / updates:.1f}%  proc'd: {work}   errors: {errors}  temps: {temperatures} ")
            if (n + 1) % (updates // 10) == 0:
                out.write("\n\tSummary at:   Fri Jul 19 08:41:10 UTC 2024\n\n")
        out.write("\nKilling processes.. done\n\nTested 8 GPUs:\n")
        for gpu in gpus:
            out.write(f"\tGPU {gpu}: OK\n")


def kernel_log(path, count):
    with open(path, "w", encoding="ascii") as out:
        for n in range(count):
            out.write(f"[{n}.123456] NVRM: Xid (PCI:0000:9b:00): 31, pid=1234, name=python, Ch 00000001\n")
        out.write(f"[{count}.123456] NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus.\n")


def check_nccl(folder):
    bench, found = load_bench(), {}
    for megabytes in (10, 100):
        path = os.path.join(folder, "nccl.log")
        rows = bench.write_log(path, megabytes * 1000000)
        found[megabytes] = parse("nccl-tests", path)
    reading = found[100][0]
    case(reading["reading"] == "complete" and sum(m["metric"] == "nccl.all_reduce.busbw" for m in reading["measurements"]) == 2 * rows,
         "a table in a log of 100 MB is read as it is", reading["reason"])
    case({(f["name"], f["value"]) for f in reading["facts"] if f["name"] == "nccl.transport"} ==
         {("nccl.transport", "P2P"), ("nccl.transport", "NET/IB"), ("nccl.transport", "NET/IB/GDRDMA")},
         "the lines that tell the transport are among those that are read", str(reading["facts"]))
    case(found[100][1] - found[10][1] < MOST_GROWTH_KB, "a log ten times as long takes no more memory",
         f"{found[10][1]} KB, then {found[100][1]} KB")


def check_prefixes(folder):
    """What stands before the lines hides nothing, be it of lines that are passed over or of one with a failure in it."""
    path, written = os.path.join(folder, "nccl.log"), os.path.join(folder, "prefixed.log")
    load_bench().write_log(path, 2000000)
    with open(path, encoding="ascii") as log:
        lines = log.read().splitlines()
    failure = "gpu-01: Test NCCL failure common.cu:392 'unhandled system error'"
    middle = len(lines) // 2
    plain, _ = parse("nccl-tests", path)
    for name, prefix, rank in [("tags of mpirun", "[1,{}]<stdout>:", 32), ("times", "2026-07-19T08:41:10.{:06}Z ", 1000000),
                               ("labels of srun", "{:2}: ", 32), ("tags and times", "[1,{}]<stdout>:[2026-07-19 08:41:10] ", 32)]:
        with open(written, "w", encoding="ascii") as out:
            out.writelines(prefix.format(n % rank) + line + "\n" for n, line in enumerate(lines))
        case(parse("nccl-tests", written)[0] == plain, f"{name} before each line of a log change nothing")
        with open(written, "w", encoding="ascii") as out:
            out.writelines(prefix.format(n % rank) + line + (" " + failure if n == middle else "") + "\n"
                           for n, line in enumerate(lines))
        reading, _ = parse("nccl-tests", written)
        case("NCCL INFO" in lines[middle] and reading["reading"] == "failed",
             f"{name} before each line do not hide a failure behind one of them", reading["reason"])


def check_burn(folder):
    path = os.path.join(folder, "burn.out")
    burn(path, 20000)
    short = parse("gpu-burn", path)
    burn(path, 260000, errors_at=130000)
    reading, memory = parse("gpu-burn", path)
    faults = [(f["code"], f["subject"]) for f in reading["findings"] if f["severity"] == "fault"]
    case(short[0]["reading"] == "complete" and not short[0]["findings"], "a short burn without errors is clean", short[0]["reason"])
    case(reading["reading"] == "complete" and faults == [("gpu_burn.errors", "gpu5")],
         "errors in the middle of a 72-hour burn alone are found", f"{reading['reading']} {faults}")
    case(memory - short[1] < MOST_GROWTH_KB, "a 72-hour burn takes no more memory than a short one", f"{short[1]} KB, then {memory} KB")


def check_flood(folder):
    path = os.path.join(folder, "kernel.log")
    kernel_log(path, 5000)
    short = parse("xid", path)
    kernel_log(path, 300000)
    reading, memory = parse("xid", path)
    texts = [f["text"] for f in reading["findings"] if f["code"] == "xid.31"]
    case(len(texts) == 1001 and texts[-1] == "299000 more like these", "a flood of one Xid is counted, and that is said", str(texts[-1:]))
    case([f["subject"] for f in reading["findings"] if f["code"] == "xid.79"] == ["0000:1b:00"], "the flood hides no other Xid")
    case(("xid.count", "300001") in [(f["name"], f["value"]) for f in reading["facts"]], "all lines are counted")
    case(memory - short[1] < MOST_GROWTH_KB, "a flood takes no more memory than what is reported of it", f"{short[1]} KB, then {memory} KB")


def main():
    with tempfile.TemporaryDirectory(prefix="assay-stream-") as folder:
        check_nccl(folder)
        check_prefixes(folder)
        check_burn(folder)
        check_flood(folder)
    print(f"1..{cases}")


main()
