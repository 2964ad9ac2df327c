# SPDX-License-Identifier: Apache-2.0
"""scripts/mutate: what it breaks still stands in the source, once each; a row that went stale is named."""
import os
import shutil
import subprocess
import sys
import tempfile

import tap

ROOT = sys.argv[1]
FEWEST_ROWS = 17


def check(root):
    done = subprocess.run([sys.executable, os.path.join(root, "scripts/mutate"), "--check"], stdout=subprocess.PIPE, text=True,
                          check=False)
    return done.returncode, done.stdout.splitlines()


def every_row_stands_once():
    status, rows = check(ROOT)
    tap.same([row for row in rows if not row.startswith("ok")], [])
    tap.same((status, len(rows) >= FEWEST_ROWS), (0, True))


def a_stale_row_is_named():
    """In a copy where one line that is to be broken was written anew, and one stands twice."""
    files = sorted({row.rsplit(" in ", 1)[1] for row in check(ROOT)[1]})
    with tempfile.TemporaryDirectory() as folder:
        for name in ["scripts/mutate", *files]:
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            shutil.copy(os.path.join(ROOT, name), os.path.join(folder, name))
        with open(os.path.join(folder, "src/judge/peers.c"), "w", encoding="utf-8"):
            pass
        guard = os.path.join(folder, "src/run/guard.sh")
        with open(guard, encoding="utf-8") as file:
            text = file.read()
        with open(guard, "w", encoding="utf-8") as file:
            file.write(text + text)
        status, rows = check(folder)
    stale = [row.split("  ", 1)[1] for row in rows if row.startswith("STALE")]
    tap.same((status, stale), (70, [
        "peers accuse on noise: 0 time(s) in src/judge/peers.c",
        "a command outlives its deadline: 2 time(s) in src/run/guard.sh",
        "what was cut off is kept whole: 2 time(s) in src/run/guard.sh",
        "a host that rebooted goes on: 2 time(s) in src/run/guard.sh",
    ]))


tap.run([("every row of the mutations stands once in its file", every_row_stands_once),
         ("a row that no longer fits the source is named", a_stale_row_is_named)])
