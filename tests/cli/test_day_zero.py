# SPDX-License-Identifier: Apache-2.0
"""Day zero: hosts behind a bastion, with real sshd each in a network of its own, that take a password only, as does their
sudo, and the bastion another one; one with a wrong clock, one without space, and none with the tools. assay preflight names each, assay stage brings the
tools, and the delivery suite runs with them to its verdict.

The hardware is the lab's: its tools are those of the vendor, which a host has already (nvidia-smi, dcgmi, mpirun), and those
that have to be brought. Everything else is the hosts' own: ssh, sudo, date, df, hostname, getent.
"""

import json
import os
import re
import shutil
import subprocess
import sys

import namespaces  # first, for it goes into namespaces
from cluster import ASSAY, FOLDER, Lab, Report, Tap, closing_lines
from namespaces import NETWORK, command, write
from people import PASSWORD, PORTERS, USERS, Watcher, add_users, allow_sudo, assay_with, bind, settings_of_host

COUNT = 4
BASTION = f"{NETWORK}.1"
BEHIND = [f"node{number}" for number in range(2, COUNT + 1)]
LATE, FULL = "node2", "node3"
BROUGHT = ("p2pBandwidthLatencyTest", "all_reduce_perf", "all_gather_perf", "gpu_burn", "compare.ptx")
OWN = ("ssh", "date", "df")
tap = Tap()

missing = [name for name in ("sudo", "openssl") if shutil.which(name) is None]
if missing:
    print(f"1..0 # SKIP not installed: {', '.join(missing)}")
    sys.exit(0)


class Hosts(namespaces.Hosts):
    """Porter logs in to the bastion by password, as steward does to the hosts, or by a key that only they have."""

    def config_of(self, name):
        with open(self.config, encoding="utf-8") as file:
            text = file.read().replace("PasswordAuthentication no", "PasswordAuthentication yes")
        return write(f"{self.folder}/sshd_config.{name}", f"{text}{settings_of_host(lab, name)}"
                     f"Match User steward\n  AuthorizedKeysFile {FOLDER}/steward/.ssh/authorized_keys\n")

    def answers(self, host):
        host.hostname = host.name  # as the lab's tool says it
        return super().answers(host)

    def hostfile_behind(self):
        lines = [f"defaults user=steward become=sudo slots=8 platform=hgx-h100 timescale=600 unit=su1 rack=r1 leaf=l1 "
                 f"jump=porter@{BASTION} identity={self.identity} known_hosts={self.known_hosts}"]
        lines += [f"{name} address={NETWORK}.{name[4:]} mpi_address={name}" for name in BEHIND]
        return write(f"{FOLDER}/cluster", "\n".join(lines) + "\n")


def let_hosts_log_in_to_each_other():
    home, uid = f"{FOLDER}/steward/.ssh", USERS["steward"]
    os.mkdir(home, 0o700)
    command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{home}/id_ed25519")
    shutil.copy(f"{home}/id_ed25519.pub", f"{home}/authorized_keys")
    with open(hosts.known_hosts, encoding="utf-8") as file:
        key = file.read().split("\n", 1)[0].split(" ", 1)[1]
    write(f"{home}/known_hosts", "".join(f"{name},{NETWORK}.{name[4:]} {key}\n" for name in BEHIND))
    for path in (home, *(os.path.join(home, name) for name in os.listdir(home))):
        os.chown(path, uid, uid)


def take_tools_away():
    """From the hosts, into a folder to be brought."""
    os.makedirs(f"{FOLDER}/tools/bin")
    for name in BROUGHT:
        shutil.copy(f"{lab.folder}/bin/{name}", f"{FOLDER}/tools/bin/{name}")
        os.remove(f"{lab.folder}/bin/{name}")
    shutil.rmtree(f"{lab.folder}/opt/gpu-burn")
    for name in OWN:
        os.remove(f"{lab.folder}/bin/{name}")
    return f"{FOLDER}/tools"


def inside(name, *words):
    pid = by_name[name].child.pid
    command("nsenter", "-t", str(pid), "-m", "-n", f"--pid=/proc/{pid}/ns/pid_for_children", "--", *words)


def break_hosts():
    late = write(f"{FOLDER}/late", "#!/bin/sh\n[ \"$1\" = +%s.%N ] && set -- -d '+40 sec' \"$@\"\nexec /var/tmp/date \"$@\"\n", 0o755)
    inside(LATE, "sh", "-c", f"cp /bin/date /var/tmp/date && mount --bind {late} /bin/date")
    inside(FULL, "mount", "-t", "tmpfs", "-o", "size=20m,mode=1777", "tmpfs", "/var/tmp")


def mend_hosts():
    inside(LATE, "umount", "/bin/date")
    inside(FULL, "umount", "/var/tmp")


def ask():
    done = assay_with(PASSWORD, PASSWORD, "preflight", hostfile, "-s", "delivery", "--progress", "none", "--format", "json",
                      "--db", f"{FOLDER}/day.db", jump=PORTERS)
    told = json.loads(done.stdout)
    return done, told, sorted((mend["problem"], mend["subject"], mend["hostlist"]) for mend in told["mend"] if mend["outcome"] != "remark")


def stage():
    done = assay_with(PASSWORD, None, "stage", "-H", hostfile, tools, jump=PORTERS)
    return done, dict(re.findall(r"^(node\d+) +(.*)$", done.stdout, re.MULTILINE))


def all_is_named():
    with Watcher() as watcher:
        done, told, found = ask()
    tap.same(watcher.seen, set(), "the passwords are in no command line and no environment")
    wanted = [("clock", "", LATE), ("disk space", "/var/tmp", FULL)]
    tap.same([mend for mend in found if mend[0] != "tool missing"], wanted, "the wrong clock and the full disk are named, and nothing else",
             done.stdout, done.stderr)
    lacking = {subject: where for problem, subject, where in found if problem == "tool missing"}
    tap.same(lacking, {name: f"node[2-{COUNT}]" for name in BROUGHT if name != "compare.ptx"},
             "each tool that the suite needs and no host has is named once", found)
    tap.ok(all("assay stage" in mend["remedy"] for mend in told["mend"] if mend["problem"] == "tool missing"),
           "and the remedy is to bring it", told["mend"])


def tools_are_brought():
    done, rows = stage()
    tap.ok(done.returncode == 1 and "no space" in rows.get(FULL, "") and "hosts: 2 of 3 have it" in done.stdout,
           "stage: the host without space is named, the others get the tools", done.stdout, done.stderr)
    mend_hosts()
    done, rows = stage()
    tap.ok(done.returncode == 0 and sorted(rows.values())[:2] == ["has it", "has it"] and rows[FULL].startswith("passed on by node"),
           "stage: once it has space, another host passes them on", done.stdout, done.stderr)


def delivery():
    """As a trial: hosts of a name may be any, and a delivery of such is not hastened."""
    with open(os.path.join(os.path.dirname(__file__), "../../suites/delivery.json"), encoding="utf-8") as file:
        suite = json.load(file)
    with open(f"{FOLDER}/trial.json", "w", encoding="utf-8") as file:
        json.dump({**suite, "$schema": "", "purpose": "trial"}, file)
    run = assay_with(PASSWORD, PASSWORD, "run", "-H", hostfile, "-s", f"{FOLDER}/trial.json", "--tools", tools, "--progress", "none", "--db",
                     f"{FOLDER}/run.db", "-o", f"{FOLDER}/run.html", jump=PORTERS)
    tap.same((run.returncode, (closing_lines(run.stdout) or {}).get("verdict")), (0, "accept"), "the delivery suite runs to its verdict",
             run.stdout, run.stderr)
    report = Report(f"{FOLDER}/run.db")
    tap.same({attempt["transport"].split()[0] for attempt in report.json["attempts"]}, {"ssh"}, "through the bastion, by libssh2")
    roots = {item["measured"] for _, item in report.outcomes() if item["metric"] == "host.root"}
    tap.same(roots, {"yes"}, "and as root, by sudo's password")
    tap.ok("tools" in {document["kind"] for document in report.json["documents"]}, "its report says which tools it ran")


os.chmod(FOLDER, 0o755)
add_users()
shutil.copy2(ASSAY, f"{FOLDER}/assay")
bind("etc_hosts", "127.0.0.1 localhost\n" + "".join(f"{NETWORK}.{number} node{number} node{number}.example\n"
                                                   for number in range(1, COUNT + 1)), "/etc/hosts")
bind("resolv.conf", "nameserver 127.0.0.1\n", "/etc/resolv.conf")  # nobody there: what is asked of it is answered at once
with Lab("lab", COUNT, in_memory=False) as lab:
    allow_sudo(lab)
    tools = take_tools_away()
    hosts = Hosts(COUNT, "1gbit")
    by_name = {host.name: host for host in hosts.list}
    let_hosts_log_in_to_each_other()
    for one in BEHIND:
        inside(one, "ip", "route", "add", "blackhole", f"{NETWORK}.254/32")  # only the bastion's answers come back
    hostfile = hosts.hostfile_behind()
    break_hosts()
    for story in (all_is_named, tools_are_brought, delivery):
        story()
    tap.same(hosts.processes(), [], "nothing is left on any of them")
tap.end()
