# SPDX-License-Identifier: Apache-2.0
"""What `assay worth` answers, and what it refuses. The runs are made up; test_healthy.py asks of one of the lab.

usage: test_worth.py ASSAY WRITE_RUNS
"""

import json
import os
import subprocess
import sys

from cluster import FOLDER, Tap, assay

tap = Tap()
database = os.path.join(FOLDER, "runs.db")
subprocess.run([sys.argv[2], database, "clean", "faulty"], check=True)


def worth(*words):
    return assay("worth", *words, "--db", database)


GIVEN = ("--gemm-tflops", "730", "--gpu-memory-gib", "80", "--reduce-scatter-gbs", "360", "--all-gather-gbs", "360", "--gpu-watts", "650")
LLAMA = ("--params", "405B", "--tokens", "15.6T", "--batch", "16M", "--gpus", "16384")

none = worth(1, "-N", "8B", "-D", "1T")
tap.ok(none.returncode == 64 and "was not measured in this run" in none.stderr and "gpu-compute" in none.stderr and none.stdout == "",
       "a rate that was not measured is asked for, and no datasheet stands in for it", none.stderr)
done = worth(1, *LLAMA, *GIVEN, "--format", "json")
answer = json.loads(done.stdout)
tap.ok(done.returncode == 0 and answer["gpu_hours"]["low"] < 30.84e6 < answer["gpu_hours"]["high"], "Llama 3.1 405B took as long",
       answer["gpu_hours"])
tap.same({key: answer["inputs"][key]["origin"] for key in ("gemm", "hbm", "power")},
         {"gemm": "given", "hbm": "not measured", "power": "given"}, "where each number is from")
needed = json.loads(worth(1, *LLAMA, *GIVEN, "--days", "60", "--format", "json").stdout)["gpus_needed"]
tap.ok(16384 < needed["low"] < needed["high"], "how many GPUs make it in 60 days", needed)
text = worth(1, *LLAMA, *GIVEN)
tap.ok(text.returncode == 0 and "405e+" not in text.stdout and "(given)" in text.stdout and "days on 16384 GPUs" in text.stdout and
       "not measured: run a suite with the check `gpu-memory`" in text.stdout and "verdict" not in text.stdout, "in words", text.stdout)
tap.ok('The verdict of this run is "reject"' in worth(2, *LLAMA, *GIVEN).stdout, "of a run that failed it is said")
tap.ok("16384 个 GPU 上 " in worth(1, *LLAMA, *GIVEN, "--lang", "zh").stdout, "in Chinese")
for words, told in (
        ((), "which training?"), (("-N", "8B"), "which training?"), (("-N", "0", "-D", "1T"), "--params: 0 is not above 0"),
        (("-N", "8x", "-D", "1T"), "'8x' is no number"), (("-N", "nan", "-D", "1T"), "'nan' is no number"),
        (("-N", "8B", "-D", "-1"), "--tokens: -1 is not above 0"),
        (("-N", "8B", "-D", "1M", *GIVEN, "-g", "8"), "less than one batch"),
        (("-N", "8T", "-D", "1T", *GIVEN, "-g", "8"), "the state of 8T parameters"),
        (("-N", "8B", "-D", "1T", "-t", "int4"), "expected bf16, fp16, fp8 or tf32"),
        (("-N", "8B", "-D", "1T", "--efficiency", "1.5"), "is impossible"),
        (("-N", "8B", "-D", "1T", "--lang", "xx"), "unknown language 'xx'"),
        (("-N", "8B", "-D", "1T", "--format", "xml"), "unknown format 'xml'")):
    refused = worth(1, *words)
    tap.ok(refused.returncode == 64 and told in refused.stderr and refused.stdout == "", f"refused: {' '.join(words[:4])}: {told}",
           refused.stderr)
tap.same(worth(9, *LLAMA, *GIVEN).returncode, 64, "a run that is missing is refused")
tap.end()
