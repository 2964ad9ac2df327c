# SPDX-License-Identifier: Apache-2.0
"""A plan of four times the hosts takes about four times as long: what looks at each host looks at it once.

usage: test_plan_size.py ASSAY
"""

import os
import resource

from cluster import FOLDER, Tap, assay

SMALL, TIMES, MOST = 1000, 4, 8  # MOST: of a plan that goes by the square it would be 16

tap = Tap()


def seconds(hosts):
    """Processor time of a plan; hosts stand on leaves of 16 in units of 256."""
    path = os.path.join(FOLDER, f"hosts{hosts}")
    with open(path, "w", encoding="ascii") as file:
        file.write("defaults platform=hgx-h100 fabric=infiniband mounts=/data\n")
        for first in range(1, hosts + 1, 16):
            file.write(f"n[{first:05}-{min(first + 15, hosts):05}] unit=u{first // 256 + 1} leaf=l{first // 16 + 1}\n")
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = assay("plan", "-H", path, "-s", "delivery")
    tap.ok(done.returncode == 0 and f"hosts: {hosts}" in done.stdout.replace(",", ""), f"{hosts} hosts are planned", done.stderr)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


small, large = seconds(SMALL), seconds(TIMES * SMALL)
tap.ok(large < MOST * small, f"{TIMES * SMALL} hosts take less than {MOST} times as long as {SMALL}", f"{small:.2f} s, {large:.2f} s")
tap.end()
