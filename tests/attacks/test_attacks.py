# SPDX-License-Identifier: Apache-2.0
"""usage: test_attacks.py assay KIND [FILE...]

The attacks of one kind, which is a file of this folder (KIND.py): each row of it must come out as it says. FILE: programs
that the kind needs, see there.
"""

import importlib
import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))

import attack  # noqa: E402
from cluster import Tap  # noqa: E402

tap = Tap()
importlib.import_module(sys.argv[2])
attack.run_all(tap)
tap.end()
