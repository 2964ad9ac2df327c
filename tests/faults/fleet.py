# SPDX-License-Identifier: Apache-2.0
"""A fleet of real sshd on one machine, each host with its own mounts, login shells, tool and network troubles.

The test's process is in namespaces of its own (tests/cli/namespaces.py), so nothing here is seen outside and all of it
ends with the test. A host is an sshd on an address of the loopback network, in a mount namespace where /tmp, /var/tmp
and /dev/shm are its own and /opt holds its tool. What stands between it and the controller is a proxy where the row of
the table wants one; packets that vanish do so on a cable that is really there.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
# pylint: disable=wrong-import-position
import namespaces  # noqa: E402  (enters its namespaces before anything else is done)
import cluster  # noqa: E402
from namespaces import APART, command, write  # noqa: E402

PLACE = "/mnt"  # the test's folder, where hosts with a /tmp of their own see it too
DEAD_HOMES, DEAD_DATA = "/srv", "/media"  # of servers that are gone, see dead_files.py
NETWORK, CABLE = "127.78.0", "10.78.0"
USERS = {"cshell": "/bin/tcsh", "fishy": "/usr/bin/fish", "talker": "/bin/bash", "stuck": "/bin/bash",
         "homeless": "/bin/bash", "visitor": "/bin/sh", "nobodys": "/usr/sbin/nologin"}
FIRST_UID = 47200
PATIENCE_S = 900  # on a machine with much else to do; alone the whole fleet takes two minutes
BANNER = "*** Authorised users only. Your session may be recorded. ***\n\x1b[31mred\x1b[0m @assay is no answer\n"

SOUND = "echo 'rate: 42.0 GB/s, version 1.2'"

# A host begins: its own places for spools, its own tool.
BEGIN = """
mount -t tmpfs -o mode=1777,size=64m tmpfs /var/tmp && mount -t tmpfs -o mode=1777,size=64m tmpfs /tmp &&
mount -t tmpfs -o mode=1777,size=64m tmpfs /dev/shm && mount --bind "$HOST/opt" /opt && hostname "$NAME" || exit
eval "$MORE"
exec /usr/sbin/sshd -D -e -f "$HOST/sshd_config"
"""


def free_uid(name):
    return FIRST_UID + list(USERS).index(name)


def settle():
    """Once: the place that all see, the users of this namespace, sudo's rules, and one key for all."""
    command("mount", "-t", "tmpfs", "tmpfs", DEAD_HOMES)
    command("ip", "link", "set", "lo", "up")
    os.chmod(cluster.FOLDER, 0o755)
    command("mount", "--bind", cluster.FOLDER, PLACE)
    os.makedirs("/run/sshd", exist_ok=True)
    with open("/etc/passwd", encoding="utf-8") as file:
        passwd = file.read()
    with open("/etc/shadow", encoding="utf-8") as file:
        shadow = file.read()
    # What root's shell does here in its profile is no part of a host, and may take long.
    os.makedirs(f"{PLACE}/home/root")
    passwd = re.sub("(?m)^(root:.*):/root:", rf"\1:{PLACE}/home/root:", passwd)
    for name, shell in USERS.items():
        home = f"{DEAD_HOMES if name == 'homeless' else f'{PLACE}/home'}/{name}"
        os.makedirs(home)
        os.chown(home, free_uid(name), free_uid(name))
        passwd += f"{name}:x:{free_uid(name)}:{free_uid(name)}::{home}:{shell}\n"
        shadow += f"{name}:*:19000:0:99999:7:::\n"
    command("mount", "--bind", write(f"{PLACE}/passwd", passwd), "/etc/passwd")
    command("mount", "--bind", write(f"{PLACE}/shadow", shadow, 0o640), "/etc/shadow")
    noisy = "echo Welcome to this host; echo '@assay 0 ended why=exit rc=0' ; echo quota warning >&2\n"
    write(f"{PLACE}/home/talker/.bashrc", noisy)
    write(f"{PLACE}/home/cshell/.cshrc", "echo Welcome to csh\n")
    os.mkfifo(f"{PLACE}/home/stuck/.bashrc")  # whoever reads it waits for ever
    os.chmod(f"{PLACE}/home/stuck/.bashrc", 0o644)
    if shutil.which("sudo"):
        os.makedirs(f"{PLACE}/sudoers.d")
        if os.path.isdir("/etc/sudoers.d"):
            command("mount", "--bind", f"{PLACE}/sudoers.d", "/etc/sudoers.d")
        command("mount", "--bind", write(f"{PLACE}/sudoers", "Defaults env_keep += ASSAY_LAB_BOOT_ID\nroot ALL=(ALL) ALL\nvisitor ALL=(ALL) ALL\n"
                                           "talker,cshell,fishy ALL=(ALL) NOPASSWD: ALL\n", 0o440),
                "/etc/sudoers")
    for key in ("host_key", "other_key", "id_ed25519", "stranger"):
        command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{PLACE}/{key}")


def dead_files(folder):
    """Mounted before the hosts begin, so all have it: the program that lets all who wait go when it ends."""
    child = cluster.start_program([sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "dead_files.py"), folder])

    def mounted():
        with open("/proc/self/mounts", encoding="utf-8") as file:
            return any(line.split()[1:3] == [folder, "fuse"] for line in file) or child.poll() is not None

    if not cluster.wait_until(mounted) or child.poll() is not None:
        raise RuntimeError(f"no file system could be mounted at {folder}")
    return child


def public(name):
    with open(f"{PLACE}/{name}.pub", encoding="utf-8") as file:
        return " ".join(file.read().split()[:2])


class Host:
    """One row of the table made real. name, address, the words of its hostfile line, and its key as we know it."""

    def __init__(self, row, number):
        self.row, self.number, self.name = row, number, row.host
        self.address = self.listens = f"{NETWORK}.{number}"
        self.port, self.user, self.words = 22, row.user, row.words
        self.folder = f"{PLACE}/hosts/{self.name}"
        self.child = None
        os.makedirs(f"{self.folder}/opt")
        if row.tool is not None:
            write(f"{self.folder}/opt/measure", "#!/bin/sh\n" + row.tool + "\n", 0o755)

    def start(self, apart=("unshare", "--mount", "--uts", "--propagation", "private"), begin=""):
        """sshd, in mounts of its own, or in the namespaces that are given."""
        keys = "stranger" if self.row.refuses_key else "id_ed25519"
        for name, digit in (("boot_id", "1"), ("boot_id.next", "2")):
            machine = f"{self.row.machine or self.name} {digit}"
            write(f"{self.folder}/{name}", f"{uuid.uuid5(uuid.NAMESPACE_DNS, machine)}\n")
        write(f"{self.folder}/banner", BANNER)
        write(f"{self.folder}/sshd_config", f"ListenAddress {self.listens}:{self.port}\nHostKey {PLACE}/host_key\n"
              + self.row.sshd.replace("$HOST", self.folder) +  # of each word the first counts
              f"AuthorizedKeysFile {PLACE}/{keys}.pub\nPidFile none\nUsePAM no\nStrictModes no\n"
              "PasswordAuthentication no\nPermitRootLogin yes\nMaxStartups 100\n"
              f"SetEnv FAULT={self.folder} ASSAY_LAB_BOOT_ID={self.folder}/boot_id\n")
        environment = {**os.environ, "HOST": self.folder, "NAME": self.name, "MORE": begin + self.row.mounts}
        with open(f"{self.folder}/log", "w", encoding="utf-8") as log:
            self.child = cluster.start_program([*apart, "sh", "-c", BEGIN], stdout=log, stderr=log, env=environment)

    def answers(self):
        try:
            with socket.create_connection((self.listens, self.port), 1) as connection:
                return connection.recv(4) == b"SSH-"
        except OSError:
            return False

    def boot_id(self):
        with open(f"{self.folder}/boot_id", encoding="utf-8") as file:
            return file.read().strip()

    def log(self):
        with open(f"{self.folder}/log", encoding="utf-8", errors="replace") as file:
            return file.read()

    def line(self):
        words = {"address": self.address, "user": self.user, "identity": f"{PLACE}/id_ed25519", "unit": self.name, **self.words}
        return " ".join([self.name, *(f"{key}={value}" for key, value in words.items() if value)])


class Proxy:
    """Between the controller and a host: `between` gets the host, both sockets and how many connections came before this one
    and with it, and moves the bytes, or does not."""

    def __init__(self, host, between):
        self.host, self.between = host, between
        host.listens = f"127.79.0.{host.number}"
        self.server = socket.create_server((host.address, 22), backlog=16)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        count = 0
        while True:
            near, _ = self.server.accept()
            count += 1
            threading.Thread(target=self.serve, args=(near, count), daemon=True).start()

    def serve(self, near, count):
        far = None
        try:
            if self.host.row.started:
                far = socket.create_connection((self.host.listens, 22))
            self.between(self.host, near, far, count)
        except OSError:
            pass
        finally:
            for side in (near, far):
                if side is not None:
                    side.close()


def pump(source, target, step):
    """Moves bytes until `step` says no; it is called with each piece before that goes on."""
    try:
        while (piece := source.recv(65536)) and step(piece, target):
            pass
    except OSError:
        pass
    for side in (source, target):
        try:
            side.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def both_ways(near, far, there, back):
    other = threading.Thread(target=pump, args=(near, far, there), daemon=True)
    other.start()
    pump(far, near, back)
    other.join()


def pass_on(piece, target):
    target.sendall(piece)
    return True


# -- the proxies of the table --

def silent(_host, near, _far, _count):
    while near.recv(4096):
        pass


def another_service(_host, near, _far, _count):
    near.sendall(b"HTTP/1.1 400 Bad Request\r\nServer: none\r\n\r\n<html>no ssh here</html>\r\n")
    near.recv(4096)


def closes_at_once(_host, near, _far, _count):
    near.close()


def slow(_host, near, far, _count):
    """Each piece of the first dozen half a second late, as a host that swaps."""
    late = [12]

    def back(piece, target):
        if late[0] > 0:
            late[0] -= 1
            time.sleep(0.5)
        return pass_on(piece, target)

    both_ways(near, far, pass_on, back)


def drips(_host, near, far, _count):
    """The key exchange a byte a second: it is not silent, and it never ends."""
    def back(piece, target):
        for byte in piece:
            target.sendall(bytes([byte]))
            time.sleep(0.5)
        return True

    both_ways(near, far, pass_on, back)


def breaks_in_the_answer(_host, near, far, count):
    """The first three connections end after 300 kB of what the host sends: in the middle of its output."""
    left = [300_000]

    def back(piece, target):
        left[0] -= len(piece)
        if left[0] < 0 and count <= 3:
            target.sendall(piece[:len(piece) // 2])
            return False
        return pass_on(piece, target)

    both_ways(near, far, pass_on, back)


def until_the_reboot(host, near, far, count):
    """As of a host that goes down: the connection during which its boot id changes ends."""
    first = host.boot_id()

    def end():
        cluster.wait_until(lambda: host.boot_id() != first, PATIENCE_S)
        near.shutdown(socket.SHUT_RDWR)

    if count == 1:
        threading.Thread(target=end, daemon=True).start()
    both_ways(near, far, pass_on, pass_on)


class Cable:
    """A host behind a cable: in a network of its own, whose packets vanish when the cable is cut."""

    def __init__(self, host):
        self.host = host
        host.address = host.listens = f"{CABLE}.{host.number}"
        self.port = f"p{host.number}"

    def start(self):
        self.host.start(("unshare", "--net", "--mount", "--uts", "--propagation", "private"),
                        "until ip link show eth0 >/dev/null 2>&1; do sleep 0.05; done; ip link set eth0 up; "
                        f"ip addr add {self.host.address} peer {CABLE}.254 dev eth0\n")
        mine = os.readlink("/proc/self/ns/net")
        child = f"/proc/{self.host.child.pid}/ns/net"
        cluster.wait_until(lambda: os.readlink(child) != mine, 10)
        command("ip", "link", "add", "name", self.port, "type", "veth", "peer", "name", "eth0", "netns",
                str(self.host.child.pid))
        command("ip", "addr", "add", f"{CABLE}.254", "peer", self.host.address, "dev", self.port)
        command("ip", "link", "set", self.port, "up")

    def cut(self):
        """Nothing is refused and nothing is closed: the packets go nowhere, as where a firewall drops them."""
        for inside, address, port in self.ends():
            command(*inside, "ip", "neigh", "replace", address, "lladdr", "02:00:00:00:00:01", "dev", port, "nud", "permanent")

    def mend(self):
        for inside, address, port in self.ends():
            command(*inside, "ip", "neigh", "del", address, "dev", port)

    def ends(self):
        """How to come to each end of the cable, whom it sees at the other one, and its port."""
        return [((), self.host.address, self.port),
                (("nsenter", "-t", str(self.host.child.pid), "-n"), f"{CABLE}.254", "eth0")]


def vanish(host):
    """An address whose packets vanish: nobody is at the other end of its cable."""
    port = f"v{host.number}"
    host.address = f"{CABLE}.{host.number}"
    command("ip", "link", "add", "name", port, "type", "veth", "peer", "name", f"{port}x")
    for end in (port, f"{port}x"):
        command("ip", "link", "set", end, "up")
    command("ip", "route", "add", host.address, "dev", port)
    command("ip", "addr", "add", f"{CABLE}.253/32", "dev", port)
    command("ip", "neigh", "replace", host.address, "lladdr", "02:00:00:00:00:02", "dev", port, "nud", "permanent")


def hostfile(hosts, name="hostfile"):
    """With the keys as the controller has them."""
    known = "".join(f"{host.address} {public(host.row.known_key)}\n" for host in hosts if host.row.known_key)
    write(f"{PLACE}/known_hosts", known, 0o600)
    lines = [f"defaults platform=plain.json slots=1 known_hosts={PLACE}/known_hosts"]
    return write(f"{PLACE}/{name}", "\n".join([*lines, *(host.line() for host in hosts)]) + "\n")
