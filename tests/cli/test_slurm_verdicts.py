# SPDX-License-Identifier: Apache-2.0
"""usage: test_slurm_verdicts.py assay

The same hosts by both ways: real sshd, then real Slurm. On each host of the namespaces the tools of a simulated one answer, so that
the whole of what is asked of a GPU host is asked, some of which have faults: over Slurm each item is judged as it is over SSH.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys

import namespaces  # goes into namespaces of its own first
from cluster import FOLDER, Lab, Report, Tap, assay, closing_lines, wait_until
from namespaces import Hosts, command, write
from slurm import Slurm

COUNT = 4
FAULTS = ("node2:gpu-missing:3", "node2:link-down:mlx5_6", "node3:dcgm:3", "node3:nvlink-down:2-5", "node4:fabric-manager-dead",
          "node4:hca-firmware:28.36.1010")
missing = [name for name in ("slurmctld", "slurmd", "srun", "sbatch") if shutil.which(name) is None]
if missing:
    print(f"1..0 # SKIP not installed: slurm-wlm ({', '.join(missing)})")
    sys.exit(0)
tap = Tap()


class LabHosts(Hosts):
    """Hosts whose logins see what a login on the simulated host of that name sees."""

    def __init__(self, lab, count):
        self.seen = {f"node{number}": self.environment_of(lab, number) for number in range(1, count + 1)}
        super().__init__(count, "1gbit")

    @staticmethod
    def environment_of(lab, number):
        with open(lab.hostfile, encoding="utf-8") as file:
            port = [word.removeprefix("port=") for word in file.read().split() if word.startswith("port=")][0]
        told = subprocess.run(["ssh", "-F", "none", "-o", f"UserKnownHostsFile={lab.folder}/known_hosts", "-i",
                                          f"{lab.folder}/id_ed25519", "-p", port, f"root@127.1.0.{number}", "env"],
                                         capture_output=True, text=True, check=True).stdout
        kept = dict(line.split("=", 1) for line in told.splitlines() if "=" in line)
        return {name: value for name, value in kept.items() if name.startswith("ASSAY_") or name in ("PATH", "HOME") or name.endswith("SAN_OPTIONS")}

    def config_of(self, name):
        with open(self.config, encoding="utf-8") as file:
            text = file.read()
        words = " ".join(f'"{key}={value}"' for key, value in self.seen[name].items())
        return write(f"{self.folder}/{name}.sshd", f"{text}SetEnv {words}\n")


    def answers(self, host):
        return subprocess.run([*self.login(), f"root@{host.address}", "hostname"], capture_output=True, text=True, check=False).stdout.strip() == host.name

    def login(self):
        return ["ssh", "-F", "none", "-o", "BatchMode=yes", "-o", f"UserKnownHostsFile={self.known_hosts}", "-i", self.identity]


class LabSlurm(Slurm):
    """Likewise the steps, which a site's prolog for tasks gives their environment."""

    def __init__(self, hosts):
        super().__init__(hosts, sharing="NO")
        for name, seen in hosts.seen.items():
            write(f"{self.folder}/{name}.env", "".join(f"export {key}={value}\n" for key, value in seen.items()))
        prolog = write(f"{self.folder}/prolog", f'#!/bin/sh\nexec /bin/cat {shlex.quote(self.folder)}/"$SLURMD_NODENAME".env\n', 0o755)
        with open(self.conf, "a", encoding="utf-8") as file:
            file.write(f"TaskProlog={prolog}\n")


def hostfile(lab, hosts, name, words):
    """The lab's, with the addresses of our hosts and another way to them."""
    with open(lab.hostfile, encoding="utf-8") as file:
        lines = file.read().splitlines()
    kept = [word for line in lines if line.startswith("defaults ") for word in line.split()
            if not word.startswith(("user=", "port=", "identity=", "known_hosts="))]
    rows = [" ".join(f"address={hosts.list[number].address}" if word.startswith("address=") else word for word in line.split())
            for number, line in enumerate(line for line in lines if line.startswith("node"))]
    return write(f"{FOLDER}/{name}.hosts", "\n".join([f"{' '.join(kept)} {words}", *rows]) + "\n")


def trial():
    """`delivery` as no delivery: that refuses hosts which are simulated elsewhere than on this machine."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../suites/delivery.json"), encoding="utf-8") as file:
        return write(f"{FOLDER}/trial.json", json.dumps({**json.load(file), "purpose": "trial"}))


def run(name, hosts_file, steps, **more):
    done = assay("run", "-H", hosts_file, "-s", trial(), "--steps", ",".join(steps), "--db", f"{FOLDER}/{name}.db", "--progress", "none",
                 "-o", f"{FOLDER}/{name}.html", **more)
    tap.ok(closing_lines(done.stdout) is not None, f"{name}: it runs to its end", done.stdout, done.stderr)
    return done, Report(f"{FOLDER}/{name}.db")


def items(report):
    """{what is judged, where: how} of gates and records."""
    found = {}
    for item in report.json["outcomes"]:
        step = report.steps[item["step"]]
        if step["origin"] == "left out":
            continue
        key = (step["name"], step["target"], step["variant"], step["origin"], item["metric"], item["subject"], item["at"])
        found.setdefault(key, []).append((item["outcome"], item["duty"], item["cause"] if item["outcome"] in ("fail", "not run") else ""))
    return found


def steps_of_a_host():
    """The names of delivery's steps for one host each."""
    plan = json.loads(assay("plan", "-H", lab.hostfile, "-s", "delivery", "--format", "json").stdout)
    return sorted({shape["step"] for shape in plan["plan"] if shape["hosts"] == 1})


command("ip", "link", "set", "lo", "up")
lab = Lab("lab", COUNT, FAULTS)
hosts = LabHosts(lab, COUNT)
slurm = LabSlurm(hosts)
if tap.ok(slurm.begin(), "Slurm: its nodes are idle", slurm.log()):
    steps = steps_of_a_host()
    login = f"user=root port=22 identity={hosts.identity} known_hosts={hosts.known_hosts}"
    by_ssh, ssh = run("ssh", hostfile(lab, hosts, "ssh", login), steps)
    by_slurm, over = run("slurm", hostfile(lab, hosts, "slurm", "transport=slurm"), steps, SLURM_CONF=slurm.conf)
    left, right = items(ssh), items(over)
    words = {row[0] for rows in left.values() for row in rows}
    tap.ok(words == {"pass", "fail", "inconclusive", "not run", "recorded"} and len(left) > 5000, "what is compared has every outcome", words, len(left))
    tap.same((by_slurm.returncode, closing_lines(by_slurm.stdout)["verdict"]), (by_ssh.returncode, closing_lines(by_ssh.stdout)["verdict"]),
             "over Slurm: the verdict is that of SSH")
    tap.same([over.verdict_of(host.name) for host in hosts.list], [ssh.verdict_of(host.name) for host in hosts.list],
             "over Slurm: the verdict of each host is that of SSH")
    tap.same(sorted(set(left) ^ set(right)), [], "over Slurm: the same items are judged as over SSH")
    other = [f"{key}: {left[key]} {right.get(key)}" for key in left if left[key] != right.get(key)]
    tap.same(other, [], "over Slurm: each is judged as over SSH")
    tap.ok(wait_until(lambda: slurm.ask("squeue", "-h").stdout == "", 20), "nothing is left in the queue")
    tap.same(hosts.spools(), [], "nothing is left on the hosts")
lab.down()
tap.end()
