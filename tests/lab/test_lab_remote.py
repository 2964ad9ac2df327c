# SPDX-License-Identifier: Apache-2.0
"""The controller's own transport and guard against the hosts of a lab."""

import subprocess
import sys

from lab_case import Lab, Tap

tap = Tap()
REMOTE = sys.argv[2]
ENDED, UNREACHABLE, AUTH_REFUSED, HOST_KEY_CHANGED, SUDO_REFUSED = 0, 1, 2, 4, 5
WHY_EXIT, WHY_REBOOTED = 1, 5


def answers(lab, verb, command, hosts):
    """{host: (end, why, rc, connections, output or text)}"""
    done = subprocess.run([REMOTE, lab.directory, lab.options["port"], lab.options["user"], verb, command, str(hosts)],
                          stdout=subprocess.PIPE, text=True, timeout=60)
    found = {}
    for line in done.stdout.splitlines():
        words = line.split(" ", 5)
        if len(words) == 6 and words[0].isdigit():
            found[int(words[0])] = (*map(int, words[1:5]), words[5])
    return found


faults = ["node2:down", "node3:key-refused", "node4:host-key-changed", "node5:sudo-refused"]
with Lab(6, faults) as lab:
    found = answers(lab, "root", "hostname", 6)
    tap.ok(found.get(1) == (ENDED, WHY_EXIT, 0, 1, "node1") and found.get(6) == (ENDED, WHY_EXIT, 0, 1, "node6"),
           "healthy hosts answer the light guard through sudo", found)
    tap.ok([found.get(i, [None])[0] for i in (2, 3, 4, 5)] ==
           [UNREACHABLE, AUTH_REFUSED, HOST_KEY_CHANGED, SUDO_REFUSED],
           "down, key-refused, host-key-changed and sudo-refused are told apart", found)

with Lab(3, ["node2:tool-hang:dcgmi", "node3:reboot"]) as lab:
    found = answers(lab, "ensure", "timeout -k 1 1 dcgmi diag -r 1 >/dev/null; echo rc $?", 3)
    tap.ok([found.get(i, [None] * 5)[4] for i in (1, 2, 3)] == ["rc 0", "rc 137", "rc 0"],
           "the spooled guard ends a hanging tool on its host only", found)
    found = answers(lab, "ensure", "gpu_burn 1200 | tail -n 8 | grep -c OK", 3)
    tap.ok(found.get(1, [None] * 5)[4] == "8" and found.get(2, [None] * 5)[4] == "8", "a burn runs under the guard", found)
    tap.ok(found.get(3, [None] * 2)[:2] == (ENDED, WHY_REBOOTED), "a reboot during the burn is seen as one", found)

with Lab(60) as lab:
    found = answers(lab, "read", "hostname", 60)
    other = {i: found.get(i) for i in range(1, 61) if found.get(i, [""])[-1] != f"node{i}"}
    tap.ok(not other and len(found) == 60, "sixty hosts answer, each with its own name", other)

tap.end()
