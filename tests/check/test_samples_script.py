# SPDX-License-Identifier: Apache-2.0
"""Which names samples.sh asks nvidia-smi for, by what the driver knows and how often it fails for a moment.

usage: test_samples_script.py SOURCE
"""

import os
import subprocess
import sys
import tempfile

SOURCE = sys.argv[1]
sys.path.insert(0, os.path.join(SOURCE, "tests", "scripts"))
import tap  # noqa: E402

NEW, OLD, MARGIN = "clocks_event_reasons.active", "clocks_throttle_reasons.active", "temperature.gpu.tlimit"
# It refuses fields that it does not know, and answers nothing in its first calls. What it is asked for again and again is printed.
TOOL = """n=$(cat calls 2>/dev/null || echo 0)
echo $((n + 1)) >calls
case " $* " in *" -l "*) printf '%s\\n' "$*"; exit 0 ;; esac
[ "$n" -ge "$fails" ] || exit 255
asked=${1#--query-gpu=}
for field in $(printf '%s' "$asked" | tr , ' '); do
    case " $knows " in *" $field "*) ;; *) exit 2 ;; esac
done
"""


def sampled(knows, fails):
    """The fields that it goes on with, of those that drivers differ in."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "tool"), "w", encoding="utf-8") as file:
            file.write(TOOL)
        script = os.path.join(SOURCE, "src", "check", "sh", "samples.sh")
        command = 'nvidia_smi() { exec sh ./tool "$@"; }; . "$0"'
        done = subprocess.run(["sh", "-c", command, script], cwd=folder, capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, "knows": " ".join(knows), "fails": str(fails)})
        fields = done.stdout.split(" ")[0].removeprefix("--query-gpu=").split(",")
        return [name for name in (NEW, OLD, MARGIN) if name in fields]


CASES = (
    ("a driver that knows all is asked for the new name and the margin", [NEW, OLD, MARGIN], 0, [NEW, MARGIN]),
    ("one that has dropped the old name too", [NEW, MARGIN], 0, [NEW, MARGIN]),
    ("one that knows no margin is not asked for it", [NEW, OLD], 0, [NEW]),
    ("one that knows the old name only is asked for that", [OLD], 0, [OLD]),
    ("one that knows the old name and the margin", [OLD, MARGIN], 0, [OLD, MARGIN]),
    ("where the first question failed for a moment, nothing is left out", [NEW, OLD, MARGIN], 1, [NEW, MARGIN]),
    ("nor the margin where the second failed too", [NEW, OLD, MARGIN], 2, [OLD, MARGIN]),
    ("the old name is not taken of a driver that has dropped it", [NEW, MARGIN], 2, [NEW, MARGIN]),
    ("nor where three failed", [NEW, MARGIN], 3, [NEW, MARGIN]),
    ("nor the margin left out where four did", [NEW, OLD, MARGIN], 4, [NEW, MARGIN]),
    ("a tool that answers nothing is asked for all, and what comes of it is told", [NEW], 99, [NEW, MARGIN]))


def goes_on_with(knows, fails, expected):
    found = sampled(knows, fails)
    assert found == expected, found


tap.run([("samples: " + title, lambda case=tuple(case): goes_on_with(*case)) for title, *case in CASES])
