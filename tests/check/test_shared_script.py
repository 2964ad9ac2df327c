# SPDX-License-Identifier: Apache-2.0
"""What storage_shared.sh tells of files that it cannot read to their end: nothing, and never that they hold something else.

usage: test_shared_script.py SOURCE
"""

import hashlib
import os
import subprocess
import sys
import tempfile
import time

SOURCE = sys.argv[1]
sys.path.insert(0, os.path.join(SOURCE, "tests", "scripts"))
import tap  # noqa: E402


def reads_of(others):
    """What the first of these hosts reads of each, its own among them; each of the others is bytes, None (nothing) or "folder"."""
    count = 1 + len(others)
    with tempfile.TemporaryDirectory() as root:
        shared = os.path.join(root, "data", "assay-clients-a")
        os.makedirs(shared)
        for place in range(count):
            with open(os.path.join(shared, f"n{place}.here"), "w", encoding="ascii"):
                pass
        for place, content in enumerate(others, 1):
            path = os.path.join(shared, f"{place}.data")
            if content == "folder":
                os.mkdir(path)
            elif content is not None:
                with open(path, "wb") as file:
                    file.write(content)
        done = subprocess.run(["sh", os.path.join(SOURCE, "src", "check", "sh", "storage_shared.sh"), f"n0 0 {count} {int(time.time()) + 2}.0"], text=True, capture_output=True,
                              check=False, env=dict(os.environ, LC_ALL="C", ASSAY_LAB_ROOT=root, ASSAY_ATTEMPT="a", folder="/data", bytes="70000", slot_s="0.3"))
        rows = [line.split("\t") for line in done.stdout.splitlines()]
        wrote = [row[2].split()[0] for row in rows if row[0] == "shared.wrote"]
        read = [row[2].split()[1:] for row in rows if row[0] == "shared.read.0"]
        return wrote, read


def whole_and_not():
    wrote, read = reads_of([b"x" * 70000, None, "folder"])
    tap.same((len(wrote), read), (1, [[*wrote, hashlib.sha256(b"x" * 70000).hexdigest()[:16], "-", "-"]]))


tap.run([("of a file that is not there, or cannot be read to its end, nothing is told", whole_and_not)])
