# SPDX-License-Identifier: Apache-2.0
"""A cluster that is reached through a bastion only, with real sshd: one connection to it carries all hosts, said in the
hostfile or in the ssh configuration; where it forbids forwarding that is named, and assay runs on it. The bastion may want a
password, and another one than the hosts."""

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys

import cluster
from namespaces import NETWORK, Hosts, command, write
from cluster import FOLDER, PATIENCE_S, Report, Tap, assay, closing_lines, start_program, wait_until
from people import PASSWORD, PORTERS, Watcher, add_users, assay_with, descriptor

COUNT = 4
BASTION = f"{NETWORK}.1"
CONTROLLER = f"{NETWORK}.254"
FORBIDDING = 2222  # two more sshds of the bastion
ASKING = 2223      # and of node2 and node3
BEHIND = [f"node{number}" for number in range(2, COUNT + 1)]

tap = Tap()
if shutil.which("openssl") is None:
    print("1..0 # SKIP not installed: openssl")
    sys.exit(0)


def cut_off(host):
    """Whatever the controller sends there, no answer comes back."""
    command("nsenter", "-t", str(host.child.pid), "-n", "ip", "route", "add", "blackhole", f"{CONTROLLER}/32")


def start_another(host, port, settings):
    """One more sshd there."""
    with open(hosts.config, encoding="utf-8") as file:
        text = file.read().replace("PasswordAuthentication no\n", "").replace("UsePAM no\n", "")
    config = write(f"{FOLDER}/{host.name}.{port}", f"{text}Port {port}\n{settings}\n")
    with open(hosts.known_hosts, encoding="utf-8") as file:
        key = file.read().split("\n", 1)[0].split(" ", 1)[1]
    with open(hosts.known_hosts, "a", encoding="utf-8") as file:
        file.write(f"[{host.address}]:{port} {key}\n")
    with open(log_of(host, port), "w", encoding="utf-8") as log:
        start_program(["nsenter", "-t", str(host.child.pid), "-m", "-n", "-u", "/usr/sbin/sshd", "-D", "-e", "-f", config],
                      stderr=log)
    wait_until(lambda: "Server listening" in text_of(log_of(host, port)), 10)


def hostfile(name, *keys, address=True, login=True):
    words = ["platform=hgx-h100", *keys]
    words += [f"identity={hosts.identity}", f"known_hosts={hosts.known_hosts}", "user=root"] if login else []
    lines = [f"defaults {' '.join(words)}"]
    lines += [f"{host} address={NETWORK}.{host[4:]}" if address else host for host in BEHIND]
    return write(f"{FOLDER}/{name}", "\n".join(lines) + "\n")


def log_of(host, port=22):
    return f"{hosts.folder}/{host.name}.log" if port == 22 else f"{FOLDER}/{host.name}.{port}.log"


def text_of(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def logins(host, port=22):
    """How many there were, and from where."""
    lines = [line.split() for line in text_of(log_of(host, port)).splitlines() if line.startswith("Accepted ")]
    return [words[words.index("from") + 1] for words in lines]


def run(name, path, *inside):
    """A run over what the hostfile names; inside: the words that take it to another place."""
    words = ["run", "-H", path, "-s", suite, "--progress", "none", "--db", f"{FOLDER}/{name}.db", "-o", f"{FOLDER}/{name}.html"]
    if not inside:
        return assay(*words)
    return subprocess.run([*inside, cluster.ASSAY, *words], cwd=FOLDER, env=cluster.environment(), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=PATIENCE_S, check=False)


def accepted(done):
    return done.returncode, (closing_lines(done.stdout) or {}).get("verdict")


def through_it(name, path):
    before = {host.name: len(logins(host)) for host in hosts.list}
    done = run(name, path)
    new = {host.name: logins(host)[before[host.name]:] for host in hosts.list}
    tap.same(accepted(done), (0, "accept"), f"{name}: the hosts behind the bastion are reached", done.stdout, done.stderr)
    tap.same(new.pop("node1"), [CONTROLLER], f"{name}: one login on the bastion")
    tap.same(new, {host: [BASTION] for host in BEHIND}, f"{name}: and one on each host, from the bastion")
    used = {attempt["transport"].split()[0] for attempt in Report(f"{FOLDER}/{name}.db").json["attempts"]}
    tap.same(used, {"ssh"}, f"{name}: by libssh2")


# -- A bastion that wants a password --

def attempts(host):
    """Passwords that were tried there and not taken."""
    return len(re.findall("Failed password for |PAM: Authentication failure for ", text_of(log_of(host, ASKING))))


def ask(name, path, login=None, jump=None):
    done = assay_with(login, None, "preflight", path, "-s", suite, "--progress", "none", "--db", f"{FOLDER}/{name}.db", jump=jump)
    return done, [line for line in done.stdout.splitlines() if line.startswith(("fail: ", "inconclusive: "))]


def run_with(name, path, login=None, jump=None):
    return assay_with(login, None, "run", "-H", path, "-s", suite, "--progress", "none", "--db", f"{FOLDER}/{name}.db", "-o",
                      f"{FOLDER}/{name}.html", jump=jump)


def right_passwords(keys, mixed):
    with Watcher() as watcher:
        done = run_with("jump-password", keys, jump=PORTERS)
        tap.same(accepted(done), (0, "accept"), "a bastion with a password: the hosts behind it are reached by key", done.stdout,
                 done.stderr)
        tap.same((logins(bastion, ASKING), attempts(bastion)), ([CONTROLLER], 0), "a bastion with a password: one login on it")
        done = run_with("two-passwords", mixed, PASSWORD, PORTERS)
        tap.same(accepted(done), (0, "accept"), "a host with another password, by the ssh program, behind two such bastions: "
                 "reached too", done.stdout, done.stderr)
        used = {attempt["transport"].split()[0] for attempt in Report(f"{FOLDER}/two-passwords.db").json["attempts"]}
        tap.same((used, [attempts(host) for host in hosts.list[:3]]), ({"openssh"}, [0, 0, 0]),
                 "a host with another password: at once")
    tap.same(watcher.seen, set(), "the passwords are in no command line and no environment")
    kept = [path for path in os.listdir(FOLDER) if "password" in path and os.path.isfile(f"{FOLDER}/{path}")]
    told = [path for path in kept if any(word in text_of(f"{FOLDER}/{path}") for word in ("'one' %s", "one 91"))]
    tap.same((len(kept) >= 4, told), (True, []), "and in no database and no report")


def wrong_passwords(keys, mixed):
    done, bad = ask("wrong", keys, jump="wrong")
    tap.ok(done.returncode == 2 and len(bad) == 1 and bad[0].startswith(f"inconclusive: node[2-{COUNT}]: jump host") and
           f"jump host {BASTION}: it does not accept the password of --ask-jump-password" in bad[0],
           "a wrong password for the bastion: said once, with its name, and no host is accused", done.stdout, done.stderr)
    tap.same(attempts(bastion), 1, "a wrong password for the bastion: tried once")
    done, bad = ask("none", keys)
    tap.ok(len(bad) == 1 and "--ask-jump-password" in bad[0], "no password for the bastion: it is said how to give one", bad)
    done, bad = ask("wrong-host", mixed, "wrong", PORTERS)
    tap.ok(len(bad) == 1 and "the host does not accept the password" in bad[0],
           "a wrong password for a host, by the ssh program: that is the cause", done.stdout, done.stderr)
    tap.same(attempts(by_name["node2"]), 1, "a wrong password for a host: tried once")


def run_at_a_terminal(keys, *words):
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(cluster.ASSAY, [cluster.ASSAY, "run", "-H", keys, "-s", suite, "--db", f"{FOLDER}/typed.db", "-o",
                                  f"{FOLDER}/typed.html", *words], {**cluster.environment(), "TERM": "xterm"})
    return pid, terminal


def interrupted(keys):
    pid, terminal = run_at_a_terminal(keys, "--ask-jump-code")
    told = read_until(terminal, "assword: ")
    os.write(terminal, b"abc\x03")
    told += read_until(terminal, "never")
    tap.same((os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), "abc" in told), (130, False),
             "at a terminal: Ctrl-C at a question ends the run", told)
    os.close(terminal)


def at_a_terminal(keys):
    """The password that was given is wrong, the one that is typed is right."""
    before, passed = attempts(bastion), descriptor("wrong")
    os.set_inheritable(passed, True)
    pid, terminal = run_at_a_terminal(keys, "--jump-password-fd", str(passed), "--ask-jump-code")
    os.close(passed)
    told = read_until(terminal, "assword: ")
    drawn = select.select([terminal], [], [], 1.5)[0]
    os.write(terminal, f"{PORTERS}\n".encode())
    told += read_until(terminal, "report: ")
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(terminal)
    tap.same(drawn, [], "at a terminal: nothing is drawn over a question")
    tap.same((status, f"jump host {BASTION} asks: " in told, told.count("asks: "), "%s $HOME" in told, attempts(bastion) - before),
             (0, True, 1, False, 1), "at a terminal: what the bastion asks then is shown once, with its name, and the answer not", told)


def end_sessions(user):
    """Those of sshd; there is nobody else in these namespaces."""
    ended = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = text_of(f"/proc/{pid}/cmdline").rstrip("\0 ")
        except OSError:
            continue
        if words == f"sshd: {user}":
            os.kill(int(pid), signal.SIGKILL)
            ended += 1
    return ended


def lost(keys):
    """The bastion's end of the connection is ended as a command runs on each host behind it."""
    slow = write(f"{FOLDER}/slow.json", json.dumps({"name": "slow", "title": "slow", "steps": [
        {"check": "reachable"},
        {"check": "command", "needs": ["reachable"], "arguments": {
            "command": f"touch {FOLDER}/begun.$(hostname); sleep 3; echo done", "pattern": "(?<done>done)"},
         "limits": [{"metric": "command.done", "equal": "done", "source": "this test", "status": "contract"}]}]}))
    before = len(logins(bastion, ASKING)), attempts(bastion)
    passed = descriptor(PORTERS)
    run = subprocess.Popen([cluster.ASSAY, "run", "-H", keys, "-s", slow, "--progress", "none", "--db", f"{FOLDER}/lost.db", "-o",
                            f"{FOLDER}/lost.html", "--jump-password-fd", str(passed)], cwd=FOLDER, env=cluster.environment(),
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, pass_fds=[passed])
    os.close(passed)
    wait_until(lambda: sum(name.startswith("begun.") for name in os.listdir(FOLDER)) == len(BEHIND), 60)
    ended = end_sessions("porter")
    told = run.communicate(timeout=PATIENCE_S)[0]
    tap.same((ended > 0, run.returncode, len(logins(bastion, ASKING)) - before[0], attempts(bastion) - before[1]),
             (True, 0, 2, 0),
             "a connection to the bastion that is lost is made again with the password", told)


def read_until(terminal, words):
    text = ""
    while words not in text:
        try:
            text += os.read(terminal, 4096).decode(errors="replace")
        except OSError:
            break
    return text


def with_passwords():
    asking = "PasswordAuthentication yes\nMatch User porter,steward\n  AuthorizedKeysFile none"
    start_another(bastion, ASKING, f"UsePAM yes\nKbdInteractiveAuthentication yes\n{asking}")  # two ways to ask for it
    for host in (by_name["node2"], by_name["node3"]):
        start_another(host, ASKING, f"UsePAM no\n{asking}")
    keys = hostfile("keys", f"jump=porter@{BASTION}:{ASKING}")
    mixed = write(f"{FOLDER}/mixed", f"node2 address={NETWORK}.2 port={ASKING} user=steward "
                  f"jump=porter@{BASTION}:{ASKING},porter@{by_name['node3'].address}:{ASKING} "
                  f"transport=openssh platform=hgx-h100 identity={hosts.identity} known_hosts={hosts.known_hosts}\n")
    right_passwords(keys, mixed)
    wrong_passwords(keys, mixed)
    at_a_terminal(keys)
    interrupted(keys)
    lost(keys)


os.chmod(FOLDER, 0o755)
add_users()
hosts = Hosts(COUNT, "1gbit")
bastion = hosts.list[0]
by_name = {host.name: host for host in hosts.list}
for one in hosts.list[1:]:
    cut_off(one)
start_another(bastion, FORBIDDING, "PasswordAuthentication no\nUsePAM no\nAllowTcpForwarding no")
suite = write(f"{FOLDER}/login.json", json.dumps({"name": "login", "title": "login", "steps": [{"check": "reachable"}]}))

through_it("jump in the hostfile", hostfile("jump", f"jump={BASTION}"))

write(f"{FOLDER}/behind.conf", "".join(f"Host {name}\n  HostName {NETWORK}.{name[4:]}\n  ProxyJump {BASTION}\n" for name in BEHIND))
write(f"{FOLDER}/ssh_config", f"# as in real life\nInclude {FOLDER}/behind.conf\n")
command("mount", "--bind", f"{FOLDER}/ssh_config", "/etc/ssh/ssh_config")
through_it("jump in the ssh configuration", hostfile("configured", address=False))
command("umount", "/etc/ssh/ssh_config")

done = assay("preflight", hostfile("forbidden", f"jump={BASTION}:{FORBIDDING}"), "-s", suite, "--progress", "none", "--format", "json",
             "--db", f"{FOLDER}/forbidden.db")
mends = json.loads(done.stdout)["mend"]
tap.same([(mend["problem"], mend["hostlist"], mend["outcome"]) for mend in mends],
         [("forwarding forbidden", f"node[2-{COUNT}]", "inconclusive")], "forwarding forbidden: named once, and accuses no host",
         done.stdout, done.stderr)
tap.ok(f"jump host {BASTION} forbids forwarding" in mends[0]["cause"] and "scripts/bundle" in json.dumps(mends[0]),
       "forwarding forbidden: by whom, and what to do", mends)
tap.same((done.returncode, logins(bastion, FORBIDDING)), (2, [CONTROLLER]), "forwarding forbidden: one login told it")

with_passwords()

place = ["nsenter", "-t", str(bastion.child.pid), "-m", "-n", "-u"]
write(f"{FOLDER}/all_hosts", f"User root\nIdentityFile {hosts.identity}\nHost *\n  UserKnownHostsFile={hosts.known_hosts}\n")
command(*place, "mount", "--bind", f"{FOLDER}/all_hosts", "/etc/ssh/ssh_config")
on_it = run("on the bastion", hostfile("plain", login=False), *place, f"--pid=/proc/{bastion.child.pid}/ns/pid_for_children")
tap.same(accepted(on_it), (0, "accept"), "on the bastion itself the same hosts are reached, by what the ssh "
         "configuration says of all", on_it.stdout, on_it.stderr)
tap.same([hosts.processes("ssh -"), hosts.spools()], [[], []], "nothing is left on any of them")
tap.end()
