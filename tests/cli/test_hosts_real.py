# SPDX-License-Identifier: Apache-2.0
"""assay preflight over real hosts with real sshd and mpirun: a wrong clock, no space, no tool, a changed host key, a cable
that is out, and one host under two names. Each is named once, and nobody else."""

import json
import os

from namespaces import MPI, NETWORK, Hosts, command, write
from cluster import FOLDER, Tap, assay

COUNT = 7
ALIAS = f"{NETWORK}.101"  # node1 has this address too
RIGHT = {"clock": "node2", "disk space": "node3", "tool missing": "node4", "host key changed": "node5",
         "two names for one host": "node1,other1",
         "launch across hosts": "other1"}  # which follows: the launch finds one host fewer than it was given

tap = Tap()


def inside(host, *words):
    command("nsenter", "-t", str(host.child.pid), "-m", "-n", "--", *words)


def write_suite():
    """NCCL is looked for in what is named all_reduce_perf, and nothing of a virtual machine's firmware is judged."""
    os.makedirs(f"{FOLDER}/tools")
    for tool in ("fio", "all_reduce_perf"):
        write(f"{FOLDER}/tools/{tool}", f"#!/bin/sh\n# NCCL version 2.21.5\necho {tool} 3.33\n", 0o755)
    steps = [{"check": "reachable"}, {"check": "os", "record": ["bios.*", "os.governor"]},
             {"check": "storage", "arguments": {"mounts": ["/"], "fio_folder": "/var/tmp"}, "record": ["*"]},
             {"check": "mpi-launch", "scope": "cluster"}]
    return write(f"{FOLDER}/site.json", json.dumps({
        "name": "site", "title": "site", "search_path": [f"{FOLDER}/tools"], "launcher": MPI, "steps": steps,
        "tools": {tool: {"path": f"{FOLDER}/tools/{tool}"} for tool in ("fio", "all_reduce_perf")}}))


def break_hosts(hosts):
    one, clock, space, tool, key, cable = hosts.list[:6]

    inside(one, "ip", "addr", "add", f"{ALIAS}/24", "dev", "eth0")
    late = write(f"{FOLDER}/date", "#!/bin/sh\n[ \"$1\" = +%s.%N ] && set -- -d '+40 sec' \"$@\"\nexec /var/tmp/date \"$@\"\n", 0o755)
    inside(clock, "sh", "-c", f"cp /bin/date /var/tmp/date && mount --bind {late} /bin/date")
    inside(space, "mount", "-t", "tmpfs", "-o", "size=100m", "tmpfs", "/var/tmp")
    inside(tool, "mount", "--bind", "/dev/null", f"{FOLDER}/tools/fio")
    with open(f"{FOLDER}/known.tmp", "w", encoding="utf-8") as out, open(hosts.known_hosts, encoding="utf-8") as file:
        lines = file.read().splitlines()
        command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{FOLDER}/other_key")
        with open(f"{FOLDER}/other_key.pub", encoding="utf-8") as other:
            wrong = " ".join(other.read().split()[:2])
        for line in lines:
            out.write(f"{key.address} {wrong}\n" if line.split()[0] == key.address else f"{line}\n")
        alias = f"{ALIAS} {lines[0].split(' ', 1)[1]}\n"
        out.write(alias)
    with open(hosts.known_hosts, "a", encoding="utf-8") as file:
        file.write(alias)  # that of the hosts themselves
    cable.plug("down")


hosts = Hosts(COUNT, "1gbit")
hostfile = hosts.hostfile("plain", "atlas-800t-a2")
suite = write_suite()
words = ("-s", suite, "--progress", "none", "--format", "json", "--db", f"{FOLDER}/real.db")
whole = json.loads(assay("preflight", hostfile, *words).stdout)
tap.same((whole["verdict"], whole["clean"], [mend["cause"] for mend in whole["mend"] if mend["outcome"] != "remark"]),
         ("passed", f"node[1-{COUNT}]", []), "real hosts that are as they should be: nothing is to be mended", whole)
break_hosts(hosts)
with open(hostfile, encoding="utf-8") as plain:
    text = plain.read().replace(hosts.known_hosts, f"{FOLDER}/known.tmp")
broken = write(f"{FOLDER}/broken", f"{text}other1 address={ALIAS} mpi_address={ALIAS}\n")
done = assay("preflight", broken, *words)
told = json.loads(done.stdout)
mends = [mend for mend in told["mend"] if mend["outcome"] != "remark"]
found = {mend["problem"]: mend["hostlist"] for mend in mends}
cut = [mend for mend in mends if mend["hostlist"] == "node6"]
tap.same({problem: where for problem, where in found.items() if where != "node6"}, RIGHT,
         "each problem is named with the host that has it, and no other", done.stdout, done.stderr)
tap.same((len(mends), [mend["check"] for mend in cut]), (len(RIGHT) + 1, ["reachable"]), "and once, with the host that is cut off",
         done.stdout)
tap.same((done.returncode, told["clean"]), (1, f"node{COUNT}"), "the others are clean")
tap.same([hosts.processes(), hosts.spools()], [[], []], "nothing is left on any of them")
tap.end()
