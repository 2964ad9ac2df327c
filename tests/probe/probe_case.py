# SPDX-License-Identifier: Apache-2.0
"""Cases of the probes' tests, as TAP."""

import signal
import subprocess
import sys

count = failures = 0


def ok(good, name, told=""):
    global count, failures
    count += 1
    failures += not good
    print(f"{'ok' if good else 'not ok'} {count} - {name}", flush=True)
    if not good:
        for line in str(told).splitlines()[:30]:
            print(f"# {line[:300]}", flush=True)


def same(found, wanted, name, told=""):
    ok(found == wanted, name, f"found  {found!r}\nwanted {wanted!r}\n{told}")


def by_mpirun(words):
    """What came of it. Anew where mpirun died: 4.1 loses its way among the words of an MPI_Abort ("Data unpack would read past end of
    buffer"), mostly to no harm."""
    for _ in range(5):
        done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != -signal.SIGSEGV:
            break
    return done


def end():
    print(f"1..{count}")
    sys.exit(failures > 0)
