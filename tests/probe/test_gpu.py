# SPDX-License-Identifier: Apache-2.0
"""assay-probe-gpu as a host runs it, by its host backend.

usage: test_gpu.py ASSAY_PROBE_GPU
"""

import json
import os
import re
import signal
import subprocess
import sys
import time

from probe_case import end, ok, same

PROGRAM = sys.argv[1]
UNITS = ["integer", "fma32", "fma64", "special", "tensor-bf16", "tensor-fp16", "tensor-int8", "shuffle", "shared", "memory"]
SMALL = ("--backend", "host", "--gpus", "2", "--sms", "3", "--depth", "4")


def probe(*words):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60, check=False)
    return done, [json.loads(line) for line in done.stdout.splitlines() if line]


def by_key(lines, key):
    return [line for line in lines if next(iter(line)) == key]


done, lines = probe("sdc", *SMALL, "-n", "160")
same((done.returncode, lines[-1]["end"], lines[-1]["rounds"]), (0, "ok", 160), "sound GPUs pass", done.stderr)
same([line["unit"] for line in by_key(lines, "unit")], UNITS, "every unit is told of")
ok(all("digest" in line for line in by_key(lines, "unit")), "with the digest of its answers, which hosts are compared by")
same([(line["gpu"], line["sms"], line["sms_reached"], line["sms_wrong"]) for line in by_key(lines, "gpu")],
         [(0, 3, 3, 0), (1, 3, 3, 0)], "every SM of every GPU was reached")
digests = {line["unit"]: line["digest"] for line in by_key(lines, "unit")}
_, again = probe("sdc", *SMALL, "-n", "320")
same({line["unit"]: line["digest"] for line in by_key(again, "unit")}, digests, "the same digests however long it runs")
_, short = probe("sdc", *SMALL, "-n", "20")
ok(not any("digest" in line for line in by_key(short, "unit")), "none where not all inputs came")

done, lines = probe("sdc", *SMALL, "-n", "160", "--inject", "gpu=1,sm=2,unit=special,lane=7,bits=0x30,from=40")
wrong = by_key(lines, "wrong_gpu")
same((done.returncode, lines[-1]["end"]), (1, "wrong"), "a wrong answer is the exit status", done.stderr)
same([{key: line[key] for key in ("wrong_gpu", "sm", "unit", "first_round", "lane", "bits")} for line in wrong],
         [{"wrong_gpu": 1, "sm": 2, "unit": "special", "first_round": 43, "lane": 7, "bits": "0x00000030"}],
         "GPU, SM, unit, round, lane and bits are named")
same([line["sms_wrong"] for line in by_key(lines, "gpu")], [0, 1], "and counted")
ok(lines[0]["injected"] is True and again[0]["injected"] is False, "that it was done on purpose is told")
alone = probe("sdc", "--backend", "host", "--gpus", "1", "--sms", "1", "-n", "40", "--inject", "sm=0,unit=fma64")[1]
same([line["unit"] for line in by_key(alone, "wrong_gpu")], ["fma64"], "of one SM alone, wrong from the first round on, too")
split = probe("sdc", "--backend", "host", "--gpus", "1", "--sms", "2", "-n", "40", "--inject", "sm=0,unit=special")[1]
ok(split[-1]["end"] == "wrong" and "no answer has the majority" in split[-1]["reason"] and not by_key(split, "wrong_gpu"),
       "where nobody can tell which of two is right, nobody is named and nothing passes", split[-1])

no_gpu = probe("sdc")[0].stderr  # by how it was built: without kernels, or with them where no driver is
ok("built without CUDA" in no_gpu or "no GPU can be used" in no_gpu, "without a GPU it says which of the two is missing", no_gpu)
for words, status, text in ((("sdc",), 69, "assay-probe-gpu: "), ((), 64, "no test is named"), (("sdx",), 64, "'sdx' is not a test"),
                            (("sdc", "--units", "fma"), 64, "--units: 'fma' is none"), (("sdc", "--sms", "9999"), 64, "expected at most"),
                            (("sdc", "--inject", "gpu=x"), 64, "expected gpu=N"), (("sdc", "--backend", "opencl"), 64, "auto, host or cuda")):
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
    by_hand = re.search(r"for one in ([a-z_ ]+); do set -- .*/src/base/", file.read()).group(1).split()
same(by_hand, re.findall(r"'\.\./base/(\w+)\.c'", built), "scripts/gpu-day compiles of base what the build does")
same(sorted(re.findall(r"'gpu/(\w+\.c)'", built)),
     sorted(name for name in os.listdir(os.path.join(ROOT, "src/probe/gpu")) if name.endswith(".c")),
     "and every file of the probe is in the build")
end()
