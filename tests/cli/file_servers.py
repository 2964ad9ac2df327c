# SPDX-License-Identifier: Apache-2.0
"""Real file servers between hosts that are namespaces (namespaces.py), of kinds that need no module of the kernel but FUSE: one of
the hosts serves a disk of its own, which all others have as /mnt/data.

The disk is a tmpfs that only the server sees. So it can be full, or read-only, without a word of the test to the clients: they learn
of it by what the server says.
"""

import os
import shutil
import signal
import subprocess

from cluster import FOLDER, start_program, wait_until
from namespaces import command, write

MOUNT = "/mnt/data"
DISK = "/srv/disk"
SHARED = f"{DISK}/shared"  # what is served of it
PORT = 24999


def disk(server, size):
    command(*server.enter("sh", "-c", f"mount -t tmpfs tmpfs /srv && mkdir {DISK} && mount -t tmpfs -o size={size} tmpfs {DISK} && "
                                  f"mkdir {SHARED}"))


def line(server, rate):
    """The server's line, shaped both ways, and fair among the hosts where the kernel can."""
    for name, where in ((server.port, []), ("eth0", ["nsenter", "-t", str(server.child.pid), "-n"])):
        command(*where, "tc", "qdisc", "replace", "dev", name, "root", "handle", "1:", "tbf", "rate", rate, "burst", "64kb",
                "latency", "200ms")
        subprocess.run([*where, "tc", "qdisc", "replace", "dev", name, "parent", "1:1", "fq_codel"], capture_output=True, check=False)


class Gluster:
    """One process that serves, one on each client; no daemon that manages them."""

    programs = ("glusterfsd", "glusterfs")
    client = "glusterfs "
    locks = True
    # What the clients hear of such a disk.
    read_only = "Read-only file system"
    full = "No space left on device (df: 0 KiB free)"
    brick = (f"volume posix\n type storage/posix\n option directory {SHARED}\nend-volume\n"
             "volume locks\n type features/locks\n subvolumes posix\nend-volume\n"
             "volume io\n type performance/io-threads\n subvolumes locks\nend-volume\n"
             "volume server\n type protocol/server\n option transport-type tcp\n option transport.socket.bind-address {address}\n"
             " option transport.socket.listen-port {port}\n option auth.addr.io.allow *\n subvolumes io\nend-volume\n")
    volume = ("volume client\n type protocol/client\n option transport-type tcp\n option remote-host {address}\n"
              " option remote-port {port}\n option remote-subvolume io\nend-volume\n")

    def __init__(self, server):
        self.server = server
        file = write(f"{FOLDER}/server.vol", self.brick.format(address=server.address, port=PORT))
        start_program(server.enter("glusterfsd", "-N", "-f", file, "-l", f"{FOLDER}/server.log"))

    def words(self, host):
        file = write(f"{FOLDER}/client.vol", self.volume.format(address=self.server.address, port=PORT))
        # Caches are for less than the second within which others must find a file: by default they are for one second, which then is
        # neither kept nor missed.
        return f"glusterfs --attribute-timeout=0.2 --entry-timeout=0.2 -f {file} -l {FOLDER}/{host.name}.log {MOUNT}"


class Sshfs:
    """sftp of the server's own sshd. It has no locks: those of each client are its own. Of a full or a read-only disk it says "failure",
    and no more. What sshfs makes of that is another word for each call, and wrong where a folder is to be made: "File exists"."""

    programs = ("sshfs", "fusermount3")
    client = "sshfs "
    locks = False
    read_only = "File exists"
    full = "(df: 0 KiB free)"

    def __init__(self, server):
        self.server = server

    def words(self, _host):
        # Each write is on the server when it returns: else fio measures how much fits between sshfs and the line. Caches are for less than
        # the second within which others must find a file; by default they are for one second, which then is neither kept nor missed.
        return ("sshfs -o sshfs_sync,dir_cache=no,attr_timeout=0.2,entry_timeout=0.2,Ciphers=aes128-gcm@openssh.com "
                f"root@{self.server.address}:{SHARED} {MOUNT}")


class Nfs:
    """NFS-Ganesha, which serves without the kernel, by NFS version 3; its client is libnfs over FUSE (nfs_mount.c). It makes EFAULT of
    what it has no room for."""

    programs = ("ganesha.nfsd", "rpcbind", "cc", "pkg-config")
    libraries = ("libnfs", "fuse3")
    client = f"{FOLDER}/assay-nfs-mount "
    locks = False
    read_only = "Read-only file system"
    full = "(df: 0 KiB free)"
    settings = """NFS_CORE_PARAM {{ Protocols = 3; NFS_Port = {port}; MNT_Port = {mount_port};
 Enable_NLM = false; Enable_RQUOTA = false; Enable_UDP = false; }}
NFSv4 {{ RecoveryBackend = fs; RecoveryRoot = {folder}; }}
EXPORT {{ Export_Id = 1; Path = {disk}; Pseudo = /data; Access_Type = RW; Squash = No_Root_Squash; SecType = sys; Protocols = 3;
 FSAL {{ Name = VFS; }} }}
"""

    def __init__(self, server):
        self.server = server
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nfs_mount.c")
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", *self.libraries], capture_output=True, text=True, check=True).stdout
        command("cc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-o", f"{FOLDER}/assay-nfs-mount", source, *flags.split())
        folder = f"{FOLDER}/ganesha"
        os.makedirs(folder)
        file = write(f"{folder}/ganesha.conf",
                     self.settings.format(port=PORT, mount_port=PORT + 1, folder=folder, disk=DISK))
        # Without a port mapper it ends. That one has its socket in /run, which is this machine's own.
        start_program(server.enter("unshare", "-m", "sh", "-c", "mount -t tmpfs tmpfs /run && rpcbind && exec \"$@\"", "sh",
                                   "ganesha.nfsd", "-F", "-f", file, "-L", f"{FOLDER}/server.log", "-p", f"{folder}/pid"))
        if not wait_until(self.listens, 60):
            raise RuntimeError(f"the server does not listen; see {FOLDER}/server.log")

    def listens(self):
        return f":{PORT + 1} " in subprocess.run(self.server.enter("ss", "-ltn"), capture_output=True, text=True, check=True).stdout

    def words(self, _host):
        return f"{FOLDER}/assay-nfs-mount 'nfs://{self.server.address}{SHARED}?nfsport={PORT}&mountport={PORT + 1}' {MOUNT}"


KINDS = {"gluster": Gluster, "sshfs": Sshfs, "nfs": Nfs}


def reason_to_skip(kind):
    missing = [name for name in ("fio", *KINDS[kind].programs) if shutil.which(name) is None]
    if not missing:
        missing = [name for name in getattr(KINDS[kind], "libraries", ())
                   if subprocess.run(["pkg-config", "--exists", name], check=False).returncode != 0]

    if missing:
        return f"not installed: {', '.join(missing)}"
    try:
        os.close(os.open("/dev/fuse", os.O_RDWR))
    except OSError as error:
        return f"no FUSE here: {error}"
    return ""


def is_mounted(host):
    return subprocess.run(host.enter("mountpoint", "-q", MOUNT), capture_output=True, check=False).returncode == 0


def mount(kind, hosts):
    for host in hosts:
        command(*host.enter("sh", "-c", f"{{ mountpoint -q /mnt || mount -t tmpfs tmpfs /mnt; }} && mkdir -p {MOUNT} && "
                                        f"exec {kind.words(host)}"))
    if not wait_until(lambda: all(is_mounted(host) for host in hosts), 60):
        raise RuntimeError("the file system could not be mounted")


def tell_client(kind, host, number):
    """A signal to what mounts the file system there."""
    for _, pid, words in (entry.split(" ", 2) for entry in host.processes()):
        if words.startswith(kind.client):
            os.kill(int(pid), number)


class Stale:
    """What mounts it there has died: with `with`, for as long."""

    def __init__(self, kind, host):
        self.kind, self.host = kind, host

    def __enter__(self):
        tell_client(self.kind, self.host, signal.SIGKILL)
        wait_until(lambda: not is_mounted(self.host), 5)

    def __exit__(self, *_):
        command(*self.host.enter("umount", "-l", MOUNT))
        mount(self.kind, [self.host])


class Hanging:
    """What mounts it there does not answer."""

    def __init__(self, kind, host):
        self.kind, self.host = kind, host

    def __enter__(self):
        tell_client(self.kind, self.host, signal.SIGSTOP)

    def __exit__(self, *_):
        tell_client(self.kind, self.host, signal.SIGCONT)


class Server:
    """Two words in the server's namespaces: to break its disk, and to mend it."""

    def __init__(self, server, spoil, mend):
        self.server, self.spoil, self.mend = server, spoil, mend

    def __enter__(self):
        # What fills a disk ends with an error.
        subprocess.run(self.server.enter("sh", "-c", self.spoil), capture_output=True, check=False)

    def __exit__(self, *_):
        command(*self.server.enter("sh", "-c", self.mend))


def read_only(server):
    return Server(server, f"mount -o remount,ro {DISK}", f"mount -o remount,rw {DISK}")


class Gone:
    """What is served was taken away, and another folder has its name: with `with`, for as long as nobody mounts that one."""

    def __init__(self, kind, server, hosts):
        self.kind, self.server, self.hosts = kind, server, hosts

    def __enter__(self):
        command(*self.server.enter("sh", "-c", f"rm -r {SHARED} && mkdir {SHARED}"))

    def __exit__(self, *_):
        for host in self.hosts:
            command(*host.enter("umount", "-l", MOUNT))
        mount(self.kind, self.hosts)


def full(server):
    return Server(server, f"cat /dev/zero >{SHARED}/filler", f"rm -f {SHARED}/filler")
