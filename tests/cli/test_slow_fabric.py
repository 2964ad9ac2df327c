# SPDX-License-Identifier: Apache-2.0
"""A fabric that is 5% slow as a whole is remarked, one that is 10% slow fails, a right one passes; `scripts/bench sizes` does
more hosts.

usage: test_slow_fabric.py ASSAY HOSTS
"""

import sys

from cluster import Tap
from slow_fabric import AIMS, word_of

tap = Tap()
hosts = int(sys.argv[2])
for percent, aim in AIMS:
    tap.same(word_of(hosts, percent), aim, f"{hosts} hosts whose fabric is {percent}% slow: {aim}")
tap.end()
