# SPDX-License-Identifier: Apache-2.0
"""Cases of the probes' tests, as TAP."""

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


def end():
    print(f"1..{count}")
    sys.exit(failures > 0)
