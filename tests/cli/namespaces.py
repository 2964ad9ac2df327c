# SPDX-License-Identifier: Apache-2.0
"""Real hosts on one machine: each has a network, a name, processes and a spool of its own, and OpenSSH's sshd.

The test goes into namespaces of its own before it does anything (enter), and the hosts live in namespaces below
those. So nothing is named that could meet another test's names, and the kernel ends and removes everything with the
test's first process, however that ends.
"""

import os
import shutil
import subprocess
import sys

INSIDE = "ASSAY_TEST_NAMESPACES"
NEEDED = {"unshare": "util-linux", "nsenter": "util-linux", "ip": "iproute2", "tc": "iproute2",
          "/usr/sbin/sshd": "openssh-server", "ssh-keygen": "openssh-client", "mpirun": "openmpi-bin"}
APART = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation", "private"]


def reason_to_skip():
    missing = sorted({package for name, package in NEEDED.items() if shutil.which(name) is None})

    if os.geteuid() != 0:
        return "needs root, to make network namespaces"
    if missing:
        return f"not installed: {', '.join(missing)}"
    tried = subprocess.run([*APART, "--uts", "sh", "-c", "ip link add name s0 type bridge && ip link add name p0 type veth "
                            "peer name p1 && mount -t tmpfs tmpfs /var/tmp && tc qdisc add dev p0 root tbf rate 1mbit "
                            "burst 32kbit latency 50ms"], capture_output=True, text=True, check=False)
    return f"no namespaces here: {tried.stderr.strip()}" if tried.returncode != 0 else ""


def enter():
    """Goes on in namespaces of the test's own; does not come back where that cannot be."""
    if os.environ.get(INSIDE) == "yes":
        return
    reason = reason_to_skip()
    if reason:
        print(f"1..0 # SKIP {reason}")
        sys.exit(0)
    os.execvpe(APART[0], [*APART, sys.executable, *sys.argv], {**os.environ, INSIDE: "yes"})


enter()

# pylint: disable=wrong-import-position
import cluster  # noqa: E402

NETWORK = "10.77.0"
# Rings, as NCCL has them: the other ways of Open MPI are slow where ranks are no power of two.
MPI = {"oob_interfaces": ["eth0"],
       "flags": ["--oversubscribe", "--mca", "btl", "tcp,self", "--mca", "coll_tuned_use_dynamic_rules", "1",
                 "--mca", "coll_tuned_allreduce_algorithm", "4"]}
# What a host does before it is one: its cable is plugged in from outside.
BEGIN = """
mount -t tmpfs tmpfs /var/tmp && mount --bind "$HOME_OF_HOST" /root && hostname "$NAME" && ip link set lo up || exit
until ip link show eth0 >/dev/null 2>&1; do sleep 0.05; done
ip addr add "$ADDRESS/24" dev eth0 && ip link set eth0 up && ip route add default via "$GATEWAY" || exit
if [ -n "$CONFIG" ]; then /usr/sbin/sshd -D -e -f "$CONFIG" & else sleep infinity & fi
wait
"""


def command(*words):
    subprocess.run(words, check=True, capture_output=True, text=True)


def write(path, text, mode=0o644):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


class Host:
    def __init__(self, hosts, number):
        self.name, self.address = f"node{number}", f"{NETWORK}.{number}"
        # Some hosts call themselves by their domain too.
        self.hostname = f"{self.name}.example" if number == 2 else self.name
        settings = {"NAME": self.hostname, "ADDRESS": self.address, "GATEWAY": f"{NETWORK}.254",
                    "HOME_OF_HOST": hosts.home, "CONFIG": hosts.config_of(self.name) if hosts.sshd else ""}
        with open(f"{hosts.folder}/{self.name}.log", "w", encoding="utf-8") as log:
            self.child = cluster.start_program([*APART, "--uts", "sh", "-c", BEGIN], stdout=log, stderr=log,
                                               env={**os.environ, **settings})
        mine = os.readlink("/proc/self/ns/net")
        cluster.wait_until(lambda: os.readlink(f"/proc/{self.child.pid}/ns/net") != mine, 10)
        self.network = os.readlink(f"/proc/{self.child.pid}/ns/net")
        self.port = f"port{number}"
        command("ip", "link", "add", "name", self.port, "type", "veth", "peer", "name", "eth0", "netns",
                str(self.child.pid))
        command("ip", "link", "set", self.port, "master", "switch0", "up")

    def shape(self, rate):
        """From now on the host sends no faster than that: \"200mbit\"."""
        command("nsenter", "-t", str(self.child.pid), "-n", "tc", "qdisc", "replace", "dev", "eth0", "root", "tbf",
                "rate", rate, "burst", "64kb", "latency", "200ms")

    def enter(self, *words):
        """The program's words, in the host's namespaces: unshare's child is the first process there."""
        with open(f"/proc/{self.child.pid}/task/{self.child.pid}/children", encoding="ascii") as file:
            return ["nsenter", "-t", file.read().split()[0], "-m", "-n", "-u", "-p", *words]

    def plug(self, state):
        """Its cable: \"down\" or \"up\"."""
        command("ip", "link", "set", self.port, state)

    def processes(self, program=""):
        """What runs there, sshd's and the host's own first process left out."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink(f"/proc/{pid}/ns/net") != self.network:
                    continue
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            line = b" ".join(words).decode(errors="replace").strip()
            ours = line == "" or line.startswith(("unshare ", "sshd:", "/usr/sbin/sshd ", "sleep infinity", f"sh -c {BEGIN[:9]}"))
            if not ours and program in line:
                found.append(f"{self.name} {pid} {line[:120]}")
        return found


class Hosts:
    """So many hosts on one switch, and the hostfile that leads to them. sshd: False, none of them has one."""

    def __init__(self, count, rate, sshd=True):
        self.sshd = sshd
        self.folder = f"{cluster.FOLDER}/hosts"
        self.home = f"{self.folder}/root"
        os.makedirs(f"{self.home}/.ssh", mode=0o700)
        os.makedirs("/run/sshd", exist_ok=True)
        self.make_keys(count)
        command("ip", "link", "add", "name", "switch0", "type", "bridge")
        command("ip", "addr", "add", f"{NETWORK}.254/24", "dev", "switch0")
        command("ip", "link", "set", "switch0", "up")
        command("ip", "link", "set", "lo", "up")
        self.list = [Host(self, number) for number in range(1, count + 1)]
        for host in self.list:
            host.shape(rate)
        if sshd and not cluster.wait_until(lambda: all(self.answers(host) for host in self.list), 20):
            raise RuntimeError(f"sshd does not answer: {self.logs()}")

    def make_keys(self, count):
        ssh = f"{self.home}/.ssh"
        for key in (f"{self.folder}/host_key", f"{ssh}/id_ed25519"):
            command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
        shutil.copy(f"{ssh}/id_ed25519.pub", f"{ssh}/authorized_keys")
        with open(f"{self.folder}/host_key.pub", encoding="utf-8") as file:
            key = " ".join(file.read().split()[:2])
        self.known_hosts = write(f"{ssh}/known_hosts",
                                 "".join(f"{NETWORK}.{number} {key}\n" for number in range(1, count + 1)))
        self.identity = f"{ssh}/id_ed25519"
        self.config = write(f"{self.folder}/sshd_config", f"HostKey {self.folder}/host_key\n"
                            f"AuthorizedKeysFile {ssh}/authorized_keys\nPidFile none\nUsePAM no\nStrictModes no\n"
                            "PasswordAuthentication no\nPermitRootLogin yes\nMaxStartups 100\n"
                            "Subsystem sftp internal-sftp\n")

    def config_of(self, _name):
        """Of that host's sshd."""
        return self.config

    def answers(self, host):
        return subprocess.run(["ssh", "-F", "none", "-o", "BatchMode=yes", "-o", "ConnectTimeout=2", "-o",
                               f"UserKnownHostsFile={self.known_hosts}", "-i", self.identity, f"root@{host.address}",
                               "hostname"], capture_output=True, text=True, check=False).stdout.strip() == host.hostname

    def logs(self):
        return "\n".join(open(f"{self.folder}/{host.name}.log", encoding="utf-8").read() for host in self.list)

    def hostfile(self, name, platform):
        lines = [f"defaults user=root port=22 identity={self.identity} known_hosts={self.known_hosts} "
                 f"platform={platform} unit=su1 rack=r1 leaf=l1"]
        lines += [f"{host.name} address={host.address} mpi_address={host.address}" for host in self.list]
        return write(f"{self.folder}/{name}", "\n".join(lines) + "\n")

    def processes(self, program=""):
        return [line for host in self.list for line in host.processes(program)]

    def spools(self):
        """Folders of attempts that the guard has left, as each host sees its own."""
        found = []
        for host in self.list:
            place = f"/proc/{host.child.pid}/root/var/tmp/assay-0"
            found += [f"{host.name} {name}" for name in (os.listdir(place) if os.path.isdir(place) else [])]
        return found
