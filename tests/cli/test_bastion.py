# SPDX-License-Identifier: Apache-2.0
"""A cluster that is reached through a bastion only, with real sshd: one connection to it carries all hosts, said in the
hostfile or in the ssh configuration; where it forbids forwarding that is named, and assay runs on it."""

import json
import subprocess

import cluster
from namespaces import NETWORK, Hosts, command, write
from cluster import FOLDER, Report, Tap, assay, closing_lines, start_program, wait_until

COUNT = 4
BASTION = f"{NETWORK}.1"
CONTROLLER = f"{NETWORK}.254"
FORBIDDING = 2222  # another sshd of the bastion
BEHIND = [f"node{number}" for number in range(2, COUNT + 1)]

tap = Tap()


def cut_off(host):
    """Whatever the controller sends there, no answer comes back."""
    command("nsenter", "-t", str(host.child.pid), "-n", "ip", "route", "add", "blackhole", f"{CONTROLLER}/32")


def start_forbidding():
    with open(hosts.config, encoding="utf-8") as file:
        config = write(f"{FOLDER}/forbidding", f"{file.read()}Port {FORBIDDING}\nAllowTcpForwarding no\n")
    with open(hosts.known_hosts, encoding="utf-8") as file:
        key = file.read().split("\n", 1)[0].split(" ", 1)[1]
    with open(hosts.known_hosts, "a", encoding="utf-8") as file:
        file.write(f"[{BASTION}]:{FORBIDDING} {key}\n")
    with open(f"{FOLDER}/forbidding.log", "w", encoding="utf-8") as log:
        start_program(["nsenter", "-t", str(bastion.child.pid), "-m", "-n", "-u", "/usr/sbin/sshd", "-D", "-e", "-f", config],
                      stderr=log)


def hostfile(name, *keys, address=True, login=True):
    words = ["platform=hgx-h100", *keys]
    words += [f"identity={hosts.identity}", f"known_hosts={hosts.known_hosts}", "user=root"] if login else []
    lines = [f"defaults {' '.join(words)}"]
    lines += [f"{host} address={NETWORK}.{host[4:]}" if address else host for host in BEHIND]
    return write(f"{FOLDER}/{name}", "\n".join(lines) + "\n")


def logins(host, port=22):
    """How many there were, and from where."""
    path = f"{FOLDER}/forbidding.log" if port == FORBIDDING else f"{hosts.folder}/{host.name}.log"
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file if line.startswith("Accepted ")]
    return [words[words.index("from") + 1] for words in lines]


def run(name, path, *inside):
    """A run over what the hostfile names; inside: the words that take it to another place."""
    words = ["run", "-H", path, "-s", suite, "--progress", "none", "--db", f"{FOLDER}/{name}.db", "-o", f"{FOLDER}/{name}.html"]
    if not inside:
        return assay(*words)
    return subprocess.run([*inside, cluster.ASSAY, *words], cwd=FOLDER, env=cluster.environment(), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60, check=False)


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


hosts = Hosts(COUNT, "1gbit")
bastion = hosts.list[0]
for one in hosts.list[1:]:
    cut_off(one)
start_forbidding()
suite = write(f"{FOLDER}/login.json", json.dumps({"name": "login", "title": "login", "steps": [{"check": "reachable"}]}))

through_it("jump in the hostfile", hostfile("jump", f"jump={BASTION}"))

write(f"{FOLDER}/behind.conf", "".join(f"Host {name}\n  HostName {NETWORK}.{name[4:]}\n  ProxyJump {BASTION}\n" for name in BEHIND))
write(f"{FOLDER}/ssh_config", f"# as in real life\nInclude {FOLDER}/behind.conf\n")
command("mount", "--bind", f"{FOLDER}/ssh_config", "/etc/ssh/ssh_config")
through_it("jump in the ssh configuration", hostfile("configured", address=False))
command("umount", "/etc/ssh/ssh_config")

wait_until(lambda: "Server listening" in open(f"{FOLDER}/forbidding.log", encoding="utf-8").read(), 10)
done = assay("hosts", hostfile("forbidden", f"jump={BASTION}:{FORBIDDING}"), "-s", suite, "--progress", "none", "--format", "json",
             "--db", f"{FOLDER}/forbidden.db")
mends = json.loads(done.stdout)["mend"]
tap.same([(mend["problem"], mend["hostlist"], mend["outcome"]) for mend in mends],
         [("forwarding forbidden", f"node[2-{COUNT}]", "inconclusive")], "forwarding forbidden: named once, and accuses no host",
         done.stdout, done.stderr)
tap.ok(f"jump host {BASTION} forbids forwarding" in mends[0]["cause"] and "scripts/bundle" in json.dumps(mends[0]),
       "forwarding forbidden: by whom, and what to do", mends)
tap.same((done.returncode, logins(bastion, FORBIDDING)), (2, [CONTROLLER]), "forwarding forbidden: one login told it")

place = ["nsenter", "-t", str(bastion.child.pid), "-m", "-n", "-u"]
write(f"{FOLDER}/all_hosts", f"User root\nIdentityFile {hosts.identity}\nHost *\n  UserKnownHostsFile={hosts.known_hosts}\n")
command(*place, "mount", "--bind", f"{FOLDER}/all_hosts", "/etc/ssh/ssh_config")
on_it = run("on the bastion", hostfile("plain", login=False), *place, f"--pid=/proc/{bastion.child.pid}/ns/pid_for_children")
tap.same(accepted(on_it), (0, "accept"), "on the bastion itself the same hosts are reached, by what the ssh "
         "configuration says of all", on_it.stdout, on_it.stderr)
tap.same([hosts.processes("ssh -"), hosts.spools()], [[], []], "nothing is left on any of them")
tap.end()
