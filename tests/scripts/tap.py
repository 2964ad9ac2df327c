# SPDX-License-Identifier: Apache-2.0
"""One TAP case each; a case that raises is a failed one, and the plan comes from the table, not from what ran."""
import sys
import traceback


def run(cases):
    print(f"1..{len(cases)}", flush=True)
    failed = False
    for number, (name, case) in enumerate(cases, 1):
        try:
            case()
            print(f"ok {number} - {name}", flush=True)
        except Exception:
            failed = True
            print("".join("# " + line + "\n" for line in traceback.format_exc().splitlines()), end="")
            print(f"not ok {number} - {name}", flush=True)
    sys.exit(1 if failed else 0)


def same(got, wanted):
    if got != wanted:
        raise AssertionError(f"got {got!r}, wanted {wanted!r}")
