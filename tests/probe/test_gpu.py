# SPDX-License-Identifier: Apache-2.0
"""assay-probe-gpu as a host runs it, by its host backend.

usage: test_gpu.py ASSAY_PROBE_GPU FAKE_NVML
"""

import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import time

from probe_case import end, ok, same

PROGRAM = sys.argv[1]
SENSED = {**os.environ, "LD_LIBRARY_PATH": os.path.dirname(os.path.abspath(sys.argv[2]))}
UNITS = ["integer", "fma32", "fma64", "special", "tensor-bf16", "tensor-fp16", "tensor-int8", "shuffle", "shared", "memory",
         "tensor-fp8", "tensor-tf32", "tensor-fp64", "reduce", "atomic", "hbm", "copy-engine", "peer"]
ROUNDS = 16 * len(UNITS)  # in which each input of each unit comes once
SMALL = ("--backend", "host", "--gpus", "2", "--sms", "3", "--depth", "4")


def probe(*words, env=None):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60, check=False, env=env)
    return done, [json.loads(line) for line in done.stdout.splitlines() if line]


def by_key(lines, key):
    return [line for line in lines if next(iter(line)) == key]


done, lines = probe("sdc", *SMALL, "-n", str(ROUNDS))
same((done.returncode, lines[-1]["end"], lines[-1]["rounds"]), (0, "ok", ROUNDS), "sound GPUs pass", done.stderr)
same([line["unit"] for line in by_key(lines, "unit")], UNITS, "every unit is told of")
ok(all("digest" in line for line in by_key(lines, "unit")), "with the digest of its answers, which hosts are compared by")
same([(line["gpu"], line["sms"], line["sms_reached"], line["sms_wrong"]) for line in by_key(lines, "gpu")],
         [(0, 3, 3, 0), (1, 3, 3, 0)], "every SM of every GPU was reached")
digests = {line["unit"]: line["digest"] for line in by_key(lines, "unit")}
_, again = probe("sdc", *SMALL, "-n", str(2 * ROUNDS))
same({line["unit"]: line["digest"] for line in by_key(again, "unit")}, digests, "the same digests however long it runs")
_, short = probe("sdc", *SMALL, "-n", "20")
ok(not any("digest" in line for line in by_key(short, "unit")), "none where not all inputs came")

done, lines = probe("sdc", *SMALL, "-n", str(ROUNDS), "--inject", "gpu=1,sm=2,unit=special,lane=7,bits=0x30,from=40")
wrong = by_key(lines, "wrong_gpu")
same((done.returncode, lines[-1]["end"]), (1, "wrong"), "a wrong answer is the exit status", done.stderr)
same([{key: line[key] for key in ("wrong_gpu", "sm", "unit", "first_round", "lane", "bits")} for line in wrong],
         [{"wrong_gpu": 1, "sm": 2, "unit": "special", "first_round": 3 + 3 * len(UNITS), "lane": 7, "bits": "0x00000030"}],
         "GPU, SM, unit, round, lane and bits are named")
same([line["sms_wrong"] for line in by_key(lines, "gpu")], [0, 1], "and counted")
ok(lines[0]["injected"] is True and again[0]["injected"] is False, "that it was done on purpose is told")
for unit, peers in (("copy-engine", [None]), ("peer", [0])):
    done, lines = probe("sdc", *SMALL, "-n", str(ROUNDS), "--inject", f"gpu=1,sm=2,unit={unit},lane=7,bits=0x30,from=40")
    same([(line["wrong_gpu"], line.get("sm"), line.get("peer"), line["unit"], line["uuid"], line["bits"]) for line in by_key(lines, "wrong_gpu")],
         [(1, None, peer, unit, "HOST-1", "0x00000030") for peer in peers], f"of {unit} no SM is named, but the GPU, and the one that it copied to")
    same([(line["sms_wrong"], line.get("copies_wrong", 0)) for line in by_key(lines, "gpu")], [(0, 0), (0, len(peers))], "and counted as such")
    same((done.returncode, lines[-1]["end"]), (1, "wrong"), "and it is the exit status", done.stderr)
one = probe("sdc", "--backend", "host", "--gpus", "1", "--sms", "1", "--depth", "4", "-n", str(ROUNDS))[1]
same([(line["unit"], line["not_tried"]) for line in by_key(one, "unit") if "not_tried" in line], [("peer", "there is one GPU only")],
     "what there is no unit for is told as not tried")
done, lines = probe("sdc", "--backend", "host", "--gpus", "1", "--sms", "1", "--units", "peer")
ok(done.returncode == 70 and "none of these units can be tried here" in lines[-1]["reason"], "and where nothing is left to try that is no success", lines[-1])
alone = probe("sdc", "--backend", "host", "--gpus", "1", "--sms", "1", "-n", "40", "--inject", "sm=0,unit=fma64")[1]
same([line["unit"] for line in by_key(alone, "wrong_gpu")], ["fma64"], "of one SM alone, wrong from the first round on, too")
split = probe("sdc", "--backend", "host", "--gpus", "1", "--sms", "2", "-n", "40", "--inject", "sm=0,unit=special")[1]
ok(split[-1]["end"] == "wrong" and "no answer has the majority" in split[-1]["reason"] and not by_key(split, "wrong_gpu"),
       "where nobody can tell which of two is right, nobody is named and nothing passes", split[-1])

# One SM is one thread, so what it worked is at most the time less the rests, however busy this machine is.
begun, used = time.monotonic(), os.times()
done, lines = probe("sdc", "--backend", "host", "--gpus", "1", "--sms", "1", "--depth", "4", "--seconds", "3", "--swing", "1")
worked = os.times().children_user + os.times().children_system - used.children_user - used.children_system
same((done.returncode, lines[-1]["end"]), (0, "ok"), "work and rest in turn is as right as work without rest", done.stderr)
ok(0 < worked <= time.monotonic() - begun - 0.9, "and rests in between", (worked, time.monotonic() - begun, lines[-1]))

# What NVML says of them before
done, lines = probe("sdc", *SMALL, "-n", "18", env=SENSED)
same([line.get("serial") for line in by_key(lines, "gpu")], ["1650924000000", "1650924000001"], "serial numbers are told", done.stderr)
done, lines = probe("sdc", *SMALL, "-n", "18", "--inject", "gpu=1,sm=0,unit=integer", env=SENSED)
same([(line["uuid"], line["serial"]) for line in by_key(lines, "wrong_gpu")], [("HOST-1", "1650924000001")], "also of the GPU that is wrong")
for more, text in (({"FAKE_NVML_MIG": "1"}, "GPU 1 (HOST-1): MIG is on"), ({"FAKE_NVML_MODE": "2"}, "GPU 1 (HOST-1): its compute mode is prohibited"),
                   ({"FAKE_NVML_PROCESS": "/usr/bin/python3"}, "GPU 1 (HOST-1): process 4711 (/usr/bin/python3) works on it"),
                   ({"FAKE_NVML_PROCESS": "python3", "FAKE_NVML_PROCESSES": "100"}, "GPU 1 (HOST-1): process 4711 (python3) works on it")):
    done, lines = probe("sdc", *SMALL, "-n", "18", env={**SENSED, **more})
    ok(done.returncode == 69 and lines[-1]["end"] == "unfit" and text in lines[-1]["reason"], f"refused before any work: {text}", done.stdout)
done, lines = probe("sdc", *SMALL[:2], "--gpus", "1", "--sms", "1", "-n", "18", env={**SENSED, "FAKE_NVML_PROCESS": "python3", "FAKE_NVML_MIG": "1"})
same((done.returncode, lines[-1]["end"]), (0, "ok"), "a GPU that is not tested may be anybody's", done.stdout)
same(probe("sdc", *SMALL, "-n", "18", env={**SENSED, "FAKE_NVML_MODE": "3"})[0].returncode, 0, "and in exclusive mode one process may work")

# memory
FAST = ("--backend", "host", "--gpus", "2", "--windows", "2")
done, lines = probe("memory", *FAST, "--memory", "2", "--passes", "1")
same((done.returncode, lines[-1]["end"], lines[0]["rows"]), (0, "ok", 14), "sound memory passes", done.stderr)
same([(line["gpu"], line["stream"]) for line in by_key(lines, "stream")],
     [(gpu, name) for gpu in (0, 1) for name in ("copy", "read", "write", "triad")], "every stream of every GPU is told of")
ok(all(0 < line["least"] <= line["gbps"] <= line["best"] and line["windows"] == 2 for line in by_key(lines, "stream")),
   "with its median between the slowest window and the fastest", lines)
same({(line["pattern"], line["compared_bytes"] >> 20) for line in by_key(lines, "pattern")}, {("address", 4), ("inversions", 24), ("random", 4)},
     "all memory is compared: twice with addresses and random words, three times with each of four inversions")
same([(line["memory_bytes"], line["covered_bytes"], line["wrong_words"]) for line in by_key(lines, "gpu")], [(2 << 20, 2 << 20, 0)] * 2,
     "how much was covered is told")
done, lines = probe("memory", *FAST, "--memory", "2", "--passes", "2", "--inject", "gpu=1,offset=0x101008,bits=0x10")
same((done.returncode, lines[-1]["end"]), (1, "wrong"), "a bit that memory does not keep is the exit status", done.stderr)
same([{key: line[key] for key in ("wrong_word", "pattern", "offset", "got", "expected", "bits", "times")} for line in by_key(lines, "wrong_word")],
     [{"wrong_word": 1, "pattern": "address", "offset": "0x101008", "got": "0x0000000000101018", "expected": "0x0000000000101008",
       "bits": "0x0000000000000010", "times": 32}], "the word is named once, with its offset, bits and how often")
same([(line["gpu"], line["wrong_words"]) for line in by_key(lines, "gpu")], [(0, 0), (1, 32)], "and counted, in every pattern")

# What is slow on purpose is compared by its best window: the machine that tests run on may take a CPU away in any other.

# compute
ONE = ("--seconds", "1", "--warmup", "1", "--sizes", "32")
done, lines = probe("compute", *FAST, *ONE, "--types", "bf16,fp8", "--inject", "gpu=1,slow=99")
same((done.returncode, lines[-1]["end"], lines[0]["rows"], lines[0]["data"]), (0, "ok", 4, "random"), "products are measured", done.stderr)
rates = [line for line in by_key(lines, "gemm") if "tflops" in line]
same([(line["gemm"], line["size"], line["gpu"]) for line in rates], [("bf16", 32, 0), ("bf16", 32, 1)], "of each GPU, type and size")
ok(all(0 < line["least"] <= line["p1"] <= line["tflops"] <= line["best"] for line in rates), "over windows of time", rates)
ok(rates[1]["best"] < rates[0]["best"] / 10, "a slow GPU is told as slow", rates)
same([line["not_measured"] for line in by_key(lines, "gemm") if "tflops" not in line], ["this architecture has no fp8"] * 2,
     "what was not measured says why")

ok(not any("clock_mhz" in line or "series" in line for line in rates), "without NVML nothing is said of clocks", rates)
sensed = by_key(probe("compute", "--backend", "host", "--gpus", "3", "--windows", "2", *ONE, "--types", "bf16", env=SENSED)[1], "gemm")
same([(line.get("clock_mhz"), line.get("power_w"), line.get("temperature_c"), line.get("reasons")) for line in sensed],
     [(1900, 612.5, 61, "sw_power_cap"), (1700, 612.5, 81, "sw_power_cap, hw_thermal_slowdown"), (None,) * 4],
     "clock, power, temperature and reasons stand beside the rate, of the GPUs that NVML knows", sensed)
# On a busy machine a window may end before NVML is asked.
ok(all(len(line["series"]) == line["windows"] and {tuple(row[1:]) for row in line["series"] if row[1:]} ==
       {(line["clock_mhz"], 612, line["temperature_c"], line["reasons"])} for line in sensed[:2]),
   "and of each window in which NVML was asked", sensed)

# links: five GPUs, so that one has no partner in each round
done, lines = probe("links", "--backend", "host", "--gpus", "5", "--windows", "2", "--inject", "gpu=1,slow=99")
same((done.returncode, lines[-1]["end"], lines[0]["rows"]), (0, "ok", 100), "links are measured", done.stderr)
same(sorted((line["from"], line["to"]) for line in by_key(lines, "peer_copy") if line["peer_copy"] == "one-way" and line["windows"] == 2),
     [(a, b) for a in range(5) for b in range(5) if a != b], "every ordered pair was in a round")
both = {(line["from"], line["to"]): line["gbps"] for line in by_key(lines, "peer_copy") if line["peer_copy"] == "both-ways"}
ok(len(both) == 20 and all(both[a, b] == both[b, a] > 0 for a, b in both), "and both ways at once, which is one figure of the two", both)
host = {(line["host_copy"], line["together"], line["gpu"]): line["best"] for line in by_key(lines, "host_copy")}
same(sorted(host), [(way, together, gpu) for way in ("down", "up") for together in (False, True) for gpu in range(5)],
     "from the host and to it, alone and together")
ok(all(host[way, False, 1] < host[way, False, 0] / 5 for way in ("up", "down")), "a slow link is told as slow", host)
everybody = {(line["all_copy"], line["gpu"]): line for line in by_key(lines, "all_copy")}
same(sorted(everybody), [(way, gpu) for way in ("all-to-all", "all-to-one", "one-to-all") for gpu in range(5)], "from all to each, from each to all, and all to all")
ok(all(0 < line["least"] <= line["gbps"] <= line["best"] and line["windows"] == 2 for line in everybody.values()), "each with its windows", everybody)
ok(all(everybody[way, 1]["best"] < everybody[way, 0]["best"] / 5 for way in ("one-to-all", "all-to-all")), "one that sends slowly is told as slow", everybody)
chases = {(line["from"], line["to"]): line for line in by_key(lines, "chase")}
same(sorted((key, line["chase"]) for key, line in chases.items()), [((a, b), "own" if a == b else "peer") for a in range(5) for b in range(5)],
     "each GPU reads words of each memory, its own too, one after the other")
ok(all(0 < line["least"] <= line["ns"] <= line["most"] and line["windows"] == 2 for line in chases.values())
   and chases[1, 2]["least"] > 5 * chases[0, 2]["least"], "and one that waits long is told as that", chases)
done, lines = probe("links", "--backend", "host", "--gpus", "1", "--windows", "1")
same((done.returncode, lines[-1]["end"], lines[0]["rows"], [next(iter(line)) for line in lines[1:-1]]), (0, "ok", 5, ["host_copy"] * 4 + ["chase", "gpu"]),
     "a GPU alone has its way to the host and its own memory", done.stderr)

# training
TRAIN = ("training", "--backend", "host", "--steps", "8")
done, lines = probe(*TRAIN, "--gpus", "3")
same((done.returncode, lines[-1]["end"], lines[0]["rows"], lines[0]["exchange"]), (0, "ok", 9, "threads"), "sound GPUs train", done.stderr)
steps = by_key(lines, "step")
same([line["step"] for line in steps], list(range(8)), "each step is told of")
ok(all(line["ms"] > 0 and 3 < line["loss"] < 5 for line in steps) and steps[4]["loss"] < steps[0]["loss"],
   "with its loss, which falls where a batch comes back, and its time", steps)
whole = by_key(lines, "training")[0]
ok(0 < whole["least"] <= whole["p1"] <= whole["tflops"] <= whole["best"] and whole["windows"] == 5 and whole["tokens_per_s"] > 0,
   "the rates are those after the warm-up", whole)
ok(all(line["tflops"] > 0 and 0 <= line["late_percent"] and 0 <= line["last_percent"] <= 100 and line["steps_wrong"] == 0 for line in by_key(lines, "gpu")),
   "each GPU has its own rate, and how late it came", by_key(lines, "gpu"))


def trained(*words):
    told = probe(*TRAIN, *words)[1]
    return [(line["loss_bits"], line["digest"]) for line in by_key(told, "step")], by_key(told, "training")[0]["digest"]


same([trained("--gpus", gpus) for gpus in ("1", "2", "8")], [([(line["loss_bits"], line["digest"]) for line in steps], whole["digest"])] * 3,
     "one GPU, two and eight come to the same losses and gradients, to the last bit")
ok(trained("--gpus", "1", "--seed", "2")[1] != whole["digest"], "and to others with another seed")
done, lines = probe(*TRAIN, "--gpus", "3", "--inject", "gpu=2,bits=0x4000,from=3,period=2")
same((done.returncode, lines[-1]["end"]), (1, "wrong"), "a gradient with another bit is the exit status", done.stderr)
same([{key: line[key] for key in ("wrong_gpu", "what", "first_step", "steps")} for line in by_key(lines, "wrong_gpu")],
     [{"wrong_gpu": 2, "what": "gradients", "first_step": 3, "steps": 3}], "the GPU is named, since when and in how many steps")
same([line["steps_wrong"] for line in by_key(lines, "gpu")], [0, 0, 3], "and counted")
ok(by_key(lines, "step")[4]["loss_bits"] != steps[4]["loss_bits"], "and the host goes another way than sound ones from then on")
split = probe(*TRAIN, "--gpus", "2", "--inject", "gpu=1,from=4")[1]
ok(split[-1]["end"] == "wrong" and "step 4: no loss and gradients have the majority" in split[-1]["reason"] and not by_key(split, "wrong_gpu")
   and "digest" not in by_key(split, "training")[0], "where nobody can tell which of two is right, nobody is named and nothing passes", split[-1])
done, lines = probe(*TRAIN, "--gpus", "3", "--inject", "gpu=1,slow=97")
gpus = by_key(lines, "gpu")
ok(done.returncode == 0 and gpus[1]["tflops"] < min(gpus[0]["tflops"], gpus[2]["tflops"]) / 2
   and gpus[1]["late_percent"] > max(gpus[0]["late_percent"], gpus[2]["late_percent"]), "a GPU that makes the others wait is told as slow and late", gpus)
same(by_key(lines, "training")[0]["digest"], whole["digest"], "and trains to the same")

# power
SHORT = ("power", "--backend", "host", "--hz", "1,3", "--seconds", "2", "--ramp", "1")


def answered(*words, ahead=0.0):
    """What it asks for is answered by a clock that is so far ahead."""
    child = subprocess.Popen([PROGRAM, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    told = []
    for line in child.stdout:
        if line.startswith('{"ping"'):
            child.stdin.write(f"{time.time() + ahead:.9f}\n")
        else:
            told.append(json.loads(line))
    child.stdin.close()
    return child.wait(timeout=20), told


def late_of(lines):
    """The latest edge of all GPUs, s."""
    return max(line["late_ms"] for line in by_key(lines, "gpu")) / 1e3


# They wait for their edges, so they wait at once.
with concurrent.futures.ThreadPoolExecutor() as threads:
    mixed, both, with_lost, with_busy = [
        threads.submit(probe, *SHORT, "--gpus", gpus, env={**SENSED, **more})
        for gpus, more in (("3", {}), ("2", {}), ("2", {"FAKE_NVML_LOST": "1", "FAKE_NVML_HELD": "1"}), ("2", {"FAKE_NVML_BUSY": "1"}))]
done, lines = mixed.result()
same((done.returncode, lines[-1]["end"], lines[0]["rows"], lines[0]["edges"]), (0, "ok", 5, 2 * (2 + 6)), "waves and ramp are carried out", done.stderr)
same([(line["hz"], line["from_s"], line["to_s"]) for line in by_key(lines, "segment")], [(1, 0, 2), (3, 4, 6), (0, 8, 9)], "in their order")
gpus = by_key(lines, "gpu")
ok(all(line["edges"] == 16 and 0 < line["late_p99_ms"] <= line["late_ms"] < 1000 for line in gpus), "every edge was at a time that is told", gpus)
same([(line.get("power"), line.get("peak_w"), line.get("clock_mhz"), line.get("reasons")) for line in gpus],
     [("instant", 700, 1900, "sw_power_cap"), ("mean of a second", 612.5, 1700, "sw_power_cap, hw_thermal_slowdown"), (None,) * 4],
     "what the driver says stands beside it, of the moment where it can", gpus)
ok(all("on_w" not in line for line in by_key(lines, "segment")), "the host's power is not told where one GPU's is not known")
done, lines = both.result()
ok(all(1100 < line["on_w"] < 1320 and line["peak_w"] == 1312.5 for line in by_key(lines, "segment")), "else it is the sum of its GPUs", lines)
done, lines = with_lost.result()
lost = [(line["gpu"], line["why"]) for line in by_key(lines, "gpu") if "lost_s" in line]
same((done.returncode, lines[-1]["end"], lost), (1, "wrong", [(1, "NVML: GPU is lost")]), "a GPU that goes away is told, and the other one works to the end")
same([(line.get("reliability_ms"), line.get("board_limit_ms"), line.get("below_base_ms")) for line in by_key(lines, "gpu")], [(0, 0, 0), (120, 0, 0)],
     "how long a GPU was held down for its voltage's sake is told, of this test alone")
done, lines = with_busy.result()
same([line.get("reasons") for line in by_key(lines, "gpu")], [None, "sw_power_cap, hw_thermal_slowdown"],
     "that nothing slowed a GPU down is not said of a few samples; that something did is", done.stderr)
begin = time.time() + 3
status, lines = answered(*SHORT, "--gpus", "1", "--clock", "stdin", "--at", f"{begin + 50:.6f}", ahead=50)
took = time.time() - begin
clocks = by_key(lines, "clock")
ok(status == 0 and 8.9 < took < 9 + late_of(lines) + 2, "it begins at the moment by the clock that answers, and lasts as long as it says", took)
ok([line["clock"] for line in clocks] == ["before", "after"] and all(0 < line["uncertain_ms"] < 500 and line["moved_ms"] < 500 for line in clocks),
   "and says how well it knows that clock", clocks)
done, lines = probe(*SHORT, "--at", "1000000000")
ok(done.returncode == 69 and "after the moment at which all begin" in lines[-1]["reason"] and not by_key(lines, "clock"),
   "who comes too late does not begin", lines[-1])
done = subprocess.run([PROGRAM, *SHORT, "--clock", "stdin"], input="soon\n", capture_output=True, text=True, timeout=60, check=False)
ok(done.returncode == 69 and "nobody told what time it is" in done.stderr, "nor does who is told no time", done)
child = subprocess.Popen([PROGRAM, "power", "--backend", "host", "--gpus", "1", "--hz", "3"], stdout=subprocess.PIPE, text=True)
time.sleep(4)
child.send_signal(signal.SIGTERM)
lines = [json.loads(line) for line in child.communicate(timeout=20)[0].splitlines()]
ok(child.returncode == 70 and lines[-1]["end"] == "stopped" and 0 < by_key(lines, "gpu")[0]["edges"] < 60, "SIGTERM ends it between two edges", lines[-2:])

explained = probe("sdc", env={**SENSED, "FAKE_NVML_MODE": "3", "FAKE_NVML_PROCESS": "python3"})[0].stderr
if "built without CUDA" not in explained:
    ok("driver 580.159.04; GPU 1: its compute mode is exclusive; GPU 1: process 4711 (python3) works on it" in explained,
       "where CUDA does not start, what NVML says of why is told", explained)
no_gpu = probe("sdc")[0].stderr  # by how it was built: without kernels, or with them where no driver is
ok("built without CUDA" in no_gpu or "no GPU can be used" in no_gpu, "without a GPU it says which of the two is missing", no_gpu)
for words, status, text in ((("sdc",), 69, "assay-probe-gpu: "), ((), 64, "no test is named"), (("sdx",), 64, "'sdx' is not a test"),
                            (("sdc", "--units", "fma"), 64, "--units: 'fma' is none"), (("memory", "--units", "fma32"), 64, "unknown option '--units'"),
                            (("compute", "--types", "bf17"), 64, "--types: 'bf17' is none"), (("compute", "--sizes", "100"), 64, "multiples of 16"),
                            (("memory", "--memory", "9999999"), 64, "expected less than"), (("sdc", "--sms", "9999"), 64, "expected at most"),
                            (("training", "--steps", "9999"), 64, "expected at most"),
                            (("power", "--hz", "0.2,4"), 64, "frequencies of 0.05 to 3"), (("power", "--at", "soon"), 64, "seconds since 1970"),
                            (("power", "--clock", "mine"), 64, "realtime or stdin"), (("power", "--seconds", "900"), 64, "no more than 300 s"),
                            (("sdc", "--inject", "gpu=x"), 64, "expected host=N, gpu=N"), (("sdc", "--backend", "opencl"), 64, "auto, host or cuda")):
    done, lines = probe(*words)
    ok(done.returncode == status and text in done.stderr, f"refused with its reason: {' '.join(words) or 'no word'}", done)
    ok(status == 64 or lines[-1]["end"] == "unfit", "which the last line has too", lines)
done, lines = probe("sdc", *SMALL, "-s", "30", "--deadline", "1")
same((done.returncode, lines[-1]["end"]), (75, "late"), "a deadline ends it with a last line")
child = subprocess.Popen([PROGRAM, "sdc", *SMALL, "-s", "50", "--inject", "unit=integer"], stdout=subprocess.PIPE, text=True)
time.sleep(0.5)
child.send_signal(signal.SIGTERM)
lines = [json.loads(line) for line in child.communicate(timeout=20)[0].splitlines()]
ok(lines[-1]["end"] == "wrong" and by_key(lines, "wrong_gpu"), "who ends it early is told what was found by then", lines[-1:])

# Where there is a GPU nobody may find meson: scripts/gpu-day names what it compiles by itself, and must name all of it.
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
with open(os.path.join(ROOT, "src/probe/meson.build"), encoding="utf-8") as file:
    built = re.search(r"probe_gpu_sources = files\((.*?)\)", file.read(), re.S).group(1)
with open(os.path.join(ROOT, "scripts/gpu-day"), encoding="utf-8") as file:
    by_hand = {folder: words.split() for words, folder in re.findall(r"for one in ([a-z_ ]+); do set -- .*/src/(base|probe)/\$one", file.read())}
same(by_hand, {"probe": re.findall(r"'(\w+)\.c'", built), "base": re.findall(r"'\.\./base/(\w+)\.c'", built)},
     "scripts/gpu-day compiles of base and the probes what the build does")
same(sorted([*re.findall(r"'gpu/(\w+\.c)'", built), "world_alone.c", "world_mpi.c"]),
     sorted(name for name in os.listdir(os.path.join(ROOT, "src/probe/gpu")) if name.endswith(".c")),
     "and every file of the probe is in the build")
end()
