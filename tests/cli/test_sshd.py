# SPDX-License-Identifier: Apache-2.0
"""Steps of `delivery` against OpenSSH's sshd and sudo, as an ordinary user: the same outcomes as on the lab's own server.

usage: test_sshd.py ASSAY [all]      all: the whole of `delivery`

In a mount namespace of its own the machine has three more users, "operator" who may use sudo, "visitor" who may not, and
"steward" of whom both sshd and sudo want a password.
Nothing of that is seen outside of it. One sshd a host answers as that host of the lab: the simulated tools are first
on PATH, and the lab's marks are in the environment.
"""

import json
import os
import pty
import random
import shutil
import socket
import subprocess
import sys
import threading
import time

SELF = os.path.abspath(__file__)
NEEDED = ("/usr/sbin/sshd", "ssh-keygen", "sudo", "unshare", "mount", "openssl")
INSIDE = "ASSAY_TEST_NAMESPACE"
HOSTS = 3
FAULTS = ["node2:dcgm:3", "node2:p2p:0-1=45"]


def reason_to_skip():
    missing = [name for name in NEEDED if shutil.which(name) is None]

    if os.geteuid() != 0:
        return "needs root, to give a private namespace users of its own"
    if missing:
        return f"not installed: {', '.join(missing)}"
    tried = subprocess.run(["unshare", "--mount", "--propagation", "private", "mount", "--bind", "/etc/passwd",
                            "/etc/passwd"], capture_output=True, text=True, check=False)
    return f"no private mounts here: {tried.stderr.strip()}" if tried.returncode != 0 else ""


if os.environ.get(INSIDE) != "yes":
    REASON = reason_to_skip()
    if REASON:
        print(f"1..0 # SKIP {REASON}")
        sys.exit(0)
    os.execvpe("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable, SELF, *sys.argv[1:]],
               {**os.environ, INSIDE: "yes"})

# pylint: disable=wrong-import-position
import cluster  # noqa: E402
import delivery  # noqa: E402
from people import PASSWORD, USERS, Watcher, add_users, allow_sudo, assay_with, settings_of_host  # noqa: E402
from cluster import FOLDER, Lab, Report, Tap, assay, closing_lines, start_program, wait_until, write  # noqa: E402

os.chmod(FOLDER, 0o755)
shutil.copy2(cluster.ASSAY, os.path.join(FOLDER, "assay"))  # where other users can reach it
cluster.ASSAY = os.path.join(FOLDER, "assay")
NETWORK = f"127.77.{random.randrange(256)}"  # a loopback network of our own: no port of anybody else's is taken

tap = Tap()


def free_port():
    with socket.create_server((f"{NETWORK}.1", 0)) as found:
        return found.getsockname()[1]


def start_sshd(lab, number, port, keys=True, settings="PasswordAuthentication no\nUsePAM no"):
    name = f"node{number}"
    config = write(f"sshd_config.{name}.{port}", f"""
ListenAddress {NETWORK}.{number}
Port {port}
HostKey {FOLDER}/host_key
AuthorizedKeysFile {lab.folder + "/id_ed25519.pub" if keys else "none"}
PidFile {FOLDER}/sshd.{name}.{port}.pid
{settings}
StrictModes no
MaxStartups 100
{settings_of_host(lab, name)}
""")
    with open(f"{FOLDER}/sshd.{name}.{port}.log", "w", encoding="utf-8") as log:
        start_program(["/usr/sbin/sshd", "-D", "-e", "-f", config], stderr=log)


def answers(number, port):
    try:
        with socket.create_connection((f"{NETWORK}.{number}", port), 1) as connection:
            return connection.recv(4) == b"SSH-"
    except OSError:
        return False


def start_hosts(lab):
    """One sshd a host, and the hostfile that leads to them."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{FOLDER}/host_key"], check=True)
    os.makedirs("/run/sshd", exist_ok=True)
    port = free_port()
    with open(f"{FOLDER}/host_key.pub", encoding="utf-8") as file:
        key = " ".join(file.read().split()[:2])
    for number in range(1, HOSTS + 1):
        start_sshd(lab, number, port)
    write("known_hosts", "".join(f"[{NETWORK}.{number}]:{port} {key}\n" for number in range(1, HOSTS + 1)))
    if not wait_until(lambda: all(answers(number, port) for number in range(1, HOSTS + 1)), 10):
        raise RuntimeError("sshd does not answer")
    return port


def write_hostfile(name, lab, port, user, openssh=()):
    lines = [f"defaults slots=8 user={user} become=sudo port={port} identity={lab.folder}/id_ed25519 "
             f"platform=hgx-h100 known_hosts={FOLDER}/known_hosts fabric=infiniband mounts=/data,/scratch timescale=600"]
    with open(lab.hostfile, encoding="utf-8") as file:
        cables = {line.split()[0]: " ".join(word for word in line.split() if word.startswith("rail.")) for line in file}
    lines += [f"node{number} address={NETWORK}.{number} mpi_address=node{number} unit=su1 rack=r1 leaf=l1 {cables[f'node{number}']}"
              f"{' transport=openssh' if number in openssh else ''}" for number in range(1, HOSTS + 1)]
    return write(name, "\n".join(lines) + "\n")


def suite():
    """Of each kind of step some: asked as the login user and as root, long as root, across hosts; and what finds the faults."""
    return "delivery" if sys.argv[2:] == ["all"] else write("suite.json", json.dumps(delivery.part(
        "some", "os", "bom", "driver", "xid", "ib-port", "p2p-bandwidth", "dcgm-diag", "rdma-pair", "nccl-all-gather-cluster")))


def run(name, hostfile, *words):
    database = f"{FOLDER}/{name}.db"
    done = assay("run", "-H", hostfile, "-s", suite(), "--db", database, "--progress", "none",
                 "-o", f"{FOLDER}/{name}.html", *words)
    return done, Report(database)


def outcomes(report):
    """All planned items and what became of them, without what the hosts measured."""
    steps = report.steps
    return {(steps[item["step"]]["name"], steps[item["step"]]["target"], item["metric"], item["subject"], item["at"]):
            (item["outcome"], item["duty"], item["gate"]) for item in report.json["outcomes"]}


def differing(one, other):
    keys = sorted(set(one) | set(other))
    return [f"{' '.join(key)}: {one.get(key)} there, {other.get(key)} here" for key in keys
            if one.get(key) != other.get(key)]


def same_outcomes(wanted, done, report, name):
    tap.same((done.returncode, report.verdict), (1, "reject"), f"{name}: the same verdict as on the lab's server",
             done.stdout, done.stderr)
    tap.same(differing(outcomes(wanted), outcomes(report)), [], f"{name}: the same outcome of every planned item")
    tap.same([(entry["outcome"], entry["target"], entry["check"], entry["subjects"]) for entry in report.entries],
             [(entry["outcome"], entry["target"], entry["check"], entry["subjects"]) for entry in wanted.entries],
             f"{name}: the same first page")
    tap.same(report.left_behind((0, *USERS.values())), [], f"{name}: nothing is left on the hosts")


def transports(report):
    """Of each host, by its steps."""
    found = {}
    for attempt in report.json["attempts"]:
        step = report.steps[attempt["step"]]
        if len(step["members"]) == 1:
            found.setdefault(step["target"], set()).add(attempt["transport"].split()[0])
    return found


def as_operator(lab, port, wanted):
    done, report = run("libssh2", write_hostfile("hosts", lab, port, "operator"))
    same_outcomes(wanted, done, report, "sshd and sudo")
    tap.same(transports(report), {f"node{number}": {"ssh"} for number in range(1, HOSTS + 1)},
             "sshd and sudo: over libssh2")
    logins = {item["measured"] for _, item in report.outcomes("record") if item["metric"] == "host.login"}
    roots = {item["measured"] for _, item in report.outcomes() if item["metric"] == "host.root"}
    tap.same((logins, roots), ({"operator"}, {"yes"}), "sshd and sudo: an ordinary user logs in, and root is reached")


def over_openssh(lab, port, wanted):
    done, report = run("openssh", write_hostfile("hosts.openssh", lab, port, "operator", openssh=(3,)))
    same_outcomes(wanted, done, report, "transport=openssh")
    tap.same(transports(report).get("node3"), {"openssh"}, "transport=openssh: one host goes over the ssh program")


def as_visitor(lab, port):
    done, report = run("visitor", write_hostfile("hosts.visitor", lab, port, "visitor"), "--hosts", "node1,node3")
    bad = report.bad()
    remedies = {item["cause"] + item["remedy"] for words in bad.values() for items in words.values() for item in items}

    tap.same((done.returncode, (closing_lines(done.stdout) or {}).get("verdict")), (2, "incomplete"),
             "sudo refused: the verdict is incomplete", done.stdout, done.stderr)
    tap.same({where: set(words) for where, words in bad.items()},
             {(host, "privilege"): {"inconclusive"} for host in ("node1", "node3")},
             "sudo refused: that is inconclusive, and nothing else is")
    tap.ok(remedies and all("NOPASSWD" in remedy for remedy in remedies), "sudo refused: the remedy is named", remedies)
    tap.same(report.unrun_without_reason(), [], "sudo refused: what needs root did not run, and the rest did")


# -- Passwords: one host takes a key, one a password, one asks by keyboard-interactive --

PASSWORD_WAYS = [(True, "PasswordAuthentication no\nUsePAM no"), (False, "PasswordAuthentication yes\nUsePAM no"),
                 (False, "PasswordAuthentication no\nKbdInteractiveAuthentication yes\nUsePAM yes")]


def start_password_hosts(lab, port):
    with open(f"{FOLDER}/host_key.pub", encoding="utf-8") as file:
        key = " ".join(file.read().split()[:2])
    for number, (keys, settings) in enumerate(PASSWORD_WAYS, 1):
        start_sshd(lab, number, port, keys, settings)
    with open(f"{FOLDER}/known_hosts", "a", encoding="utf-8") as file:
        file.writelines(f"[{NETWORK}.{number}]:{port} {key}\n" for number in range(1, HOSTS + 1))
    if not wait_until(lambda: all(answers(number, port) for number in range(1, HOSTS + 1)), 10):
        raise RuntimeError("sshd does not answer")


def ask_hosts(hostfile, name, login=None, sudo=None):
    """assay preflight, as text and as the run that it left."""
    return assay_with(login, sudo, "hosts", hostfile, "-s", "smoke", "--db", f"{FOLDER}/{name}.db", "--progress", "none")


def lines_of(done):
    """What is to be mended: where, what."""
    return sorted(tuple(line.split(": ")[1:3]) for line in done.stdout.splitlines()
                  if line.startswith(("fail: ", "inconclusive: ")))


def with_the_right_passwords(hostfile):
    with Watcher() as watcher:
        done = ask_hosts(hostfile, "passwords", PASSWORD, PASSWORD)
    report = Report(f"{FOLDER}/passwords.db")
    roots = {item["measured"] for _, item in report.outcomes() if item["metric"] == "host.root"}
    tap.same((done.returncode, lines_of(done), roots), (0, [], {"yes"}),
             "passwords: a key, a password and keyboard-interactive log in, and sudo gives root", done.stdout, done.stderr)
    html = assay("report", "1", "--db", f"{FOLDER}/passwords.db", "-o", f"{FOLDER}/passwords.html")
    kept = [done.stdout, done.stderr, json.dumps(report.json), html.stderr]
    for path in os.listdir(FOLDER):
        if path.startswith("passwords."):
            with open(os.path.join(FOLDER, path), "rb") as file:
                kept.append(file.read().decode(errors="replace"))
    tap.same([PASSWORD in text or "long" in text and "one 91" in text for text in kept], [False] * len(kept),
             "passwords: in no output, database or report")
    tap.same(watcher.seen, set(), "passwords: in no command line and no environment, as long as it runs")
    tap.same(report.left_behind((0, *USERS.values())), [], "passwords: nothing is left on the hosts")


def with_wrong_passwords(hostfile, port):
    done = ask_hosts(hostfile, "wrong-sudo", PASSWORD, "wrong")
    tap.same((done.returncode, lines_of(done)), (2, [("node[1-3]", "sudo refused")]),
             "a wrong password for sudo: said once for all hosts, and the rest is asked", done.stdout, done.stderr)
    tap.ok("does not accept the password" in done.stdout, "a wrong password for sudo: that is the cause", done.stdout)
    done = ask_hosts(hostfile, "wrong", "wrong", PASSWORD)
    tap.same((done.returncode, lines_of(done)), (2, [("node[2-3]", "login refused")]),
             "a wrong password for login: named with the hosts that wanted one", done.stdout, done.stderr)
    with open(f"{FOLDER}/sshd.node2.{port}.log", encoding="utf-8") as file:
        tap.same(file.read().count("Failed password"), 1, "a wrong password for login: tried once on a host")
    done = ask_hosts(hostfile, "none")
    tap.same((done.returncode, lines_of(done)), (2, [("node1", "sudo refused"), ("node[2-3]", "login refused")]),
             "without passwords: who wants one is named", done.stdout, done.stderr)


def read_until(terminal, words):
    text = ""
    while words not in text:
        try:
            text += os.read(terminal, 4096).decode(errors="replace")
        except OSError:
            break
    return text


def at_a_terminal(hostfile):
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(cluster.ASSAY, [cluster.ASSAY, "hosts", hostfile, "-s", "smoke", "--db", f"{FOLDER}/typed.db", "--progress",
                                  "none", "--ask-password", "--ask-sudo-password"], cluster.environment())
    told = read_until(terminal, "login on the hosts: ")
    os.write(terminal, f"{PASSWORD}\n".encode())
    told += read_until(terminal, "sudo on the hosts: ")
    os.write(terminal, f"{PASSWORD}\n".encode())
    told += read_until(terminal, "to fix: ")
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(terminal)
    tap.same((status, "clean: 3 of 3 hosts" in told, "one 91" in told), (0, True, False),
             "at a terminal: asked once for each, and not echoed", told)


def as_steward(lab, port):
    hostfile = write_hostfile("hosts.steward", lab, port, "steward")
    with_the_right_passwords(hostfile)
    with_wrong_passwords(hostfile, port)
    at_a_terminal(hostfile)


add_users()
with Lab("lab", HOSTS, FAULTS) as there, Lab("sshd", HOSTS, FAULTS, in_memory=False) as here:
    allow_sudo(here)
    sshd_port = start_hosts(here)
    _, on_lab = run("lab-server", there.hostfile)
    tap.same(on_lab.verdict, "reject", "the lab's own server gives what is compared with")
    as_operator(here, sshd_port, on_lab)
    over_openssh(here, sshd_port, on_lab)
    as_visitor(here, sshd_port)
    password_port = free_port()
    start_password_hosts(here, password_port)
    as_steward(here, password_port)
    tap.same(here.processes(), [], "nothing runs on the hosts in the end")
for uid in USERS.values():
    try:
        os.rmdir(f"/var/tmp/assay-{uid}")
    except OSError:
        pass
tap.end()
