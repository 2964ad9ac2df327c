# SPDX-License-Identifier: Apache-2.0
"""scripts/count-cases: nothing that was not heard of may count as passed."""
import json
import os
import subprocess
import sys
import tempfile

import tap

SCRIPT = os.path.join(sys.argv[1], "scripts", "count-cases")


def program(stdout, result="OK", returncode=0, name="assay / one"):
    return {"name": name, "stdout": stdout, "result": result, "returncode": returncode}


def count(programs, names=("one",), log=True):
    """(PASSED, FAILED, SKIPPED) and the lines above."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("log", "tests")]
        if log:
            with open(paths[0], "w", encoding="utf-8") as file:
                file.write("".join(json.dumps(one) + "\n" for one in programs))
        with open(paths[1], "w", encoding="utf-8") as file:
            json.dump([{"name": name} for name in names], file)
        done = subprocess.run([sys.executable, SCRIPT, *paths], stdout=subprocess.PIPE, text=True, check=True)
    lines = done.stdout.splitlines()
    return tuple(map(int, lines[-1].split())), lines[:-1]


def case(name, programs, wanted, said="", names=("one",), log=True):
    def check():
        counts, lines = count(programs, names, log)
        tap.same((counts, said in "\n".join(lines)), (wanted, True))
    return name, check


FAIL = {"result": "FAIL", "returncode": 1}
CASES = [
    case("cases are counted, not programs", [program("1..2\nok 1 - a\nok 2 - b\n")], (2, 0, 0)),
    case("the plan may come last", [program("ok 1 - a\n1..1\n")], (1, 0, 0)),
    case("a failed case is named", [program("1..2\nok 1 - a\nnot ok 2 - b\n", **FAIL)], (1, 1, 0), "failed: one: b"),
    case("what was said before and after a failed case is shown with it",
         [program("1..2\n# about a\nok 1 - a\n# got 1, wanted 2\nnot ok 2 - b\n# see c\n", **FAIL)], (1, 1, 0),
         "failed: one: b\n    got 1, wanted 2\n    see c"),
    case("a program that crashed failed, with its cases that did not come",
         [program("1..3\nok 1 - a\n", result="ERROR", returncode=-11)], (1, 2, 0), "ended by signal 11"),
    case("a crash before the plan", [program("", result="ERROR", returncode=-6)], (0, 1, 0), "it ran no case"),
    case("a program without a case is not green", [program("hello\n")], (0, 1, 0), "it ran no case"),
    case("an empty plan is not green", [program("1..0\n")], (0, 1, 0), "it ran no case"),
    case("cases without a plan may not be all", [program("ok 1 - a\n")], (1, 1, 0), "it announced no number of cases"),
    case("exit status 1 after cases that were all ok", [program("1..1\nok 1 - a\n", **FAIL)], (1, 1, 0),
         "the program is not (FAIL, exit status 1)"),
    case("a leak found at the end", [program("1..1\nok 1 - a\n", result="ERROR", returncode=-6)], (1, 1, 0)),
    case("more cases than announced", [program("1..1\nok 1 - a\nok 2 - b\n", result="ERROR")], (2, 1, 0)),
    case("a time out", [program("1..2\nok 1 - a\n", result="TIMEOUT", returncode=-15)], (1, 1, 0), "TIMEOUT"),
    case("a skipped case and its reason", [program("1..1\nok 1 - a # SKIP no sshd\n")], (0, 0, 1),
         "skipped: one: a: no sshd"),
    case("a skipped case of cmocka: the reason is the line before",
         [program("1..1\n# SKIP needs root\nok 1 # SKIP a_full_disk\n")], (0, 0, 1), "one: a_full_disk: needs root"),
    case("a skipped program and its reason", [program("1..0 # SKIP no chromium\n", result="SKIP")], (0, 0, 1),
         "one: all of it: no chromium"),
    case("'not ok' that asks to be excused has failed", [program("1..1\nnot ok 1 - a # SKIP later\n", **FAIL)], (0, 1, 0)),
    case("a test that meson did not run", [program("1..1\nok 1 - a\n")], (1, 1, 0), "failed: two: it was not run",
         names=("one", "two")),
    case("no results at all", [], (0, 1, 0), "it was not run", log=False),
    case("a word that begins with ok is no case", [program("okay\n1..1\nok 1 - a\n")], (1, 0, 0)),
]

tap.run(CASES)
