# SPDX-License-Identifier: Apache-2.0
"""usage: test_attacks.py assay KIND WRITE_DATABASE [N/COUNT]

The attacks of one kind, which is a file of this folder (KIND.py): each row of it must come out as it says. WRITE_DATABASE: the
program that some kinds need. N/COUNT: of each COUNT rows the N-th.
"""

import importlib
import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))

import attack  # noqa: E402
from cluster import Tap  # noqa: E402

tap = Tap()
importlib.import_module(sys.argv[2])
attack.run_all(tap, *map(int, sys.argv[4].split("/")) if len(sys.argv) > 4 else ())
tap.end()
