# SPDX-License-Identifier: Apache-2.0
"""A fabric that is 5% slow as a whole is remarked, one that is 10% slow fails, a right one passes; `scripts/bench sizes` does
more hosts. Or, of a fabric that is slow everywhere alike, each port between two hosts.

usage: test_slow_fabric.py ASSAY HOSTS [even]
"""

import sys

from cluster import Tap
from slow_fabric import AIMS, word_of, words_of_ports

tap = Tap()
hosts = int(sys.argv[2])
EVEN = sys.argv[3:] == ["even"]
for percent, aim in AIMS:
    if EVEN:
        words = words_of_ports(hosts, percent)
        tap.same((set(words), len(words)), ({aim}, hosts * 16),
                 f"{hosts} hosts between which everything is {percent}% slow: {aim} of each port, both ways")
    else:
        tap.same(word_of(hosts, percent), aim, f"{hosts} hosts whose fabric is {percent}% slow: {aim}")
tap.end()
