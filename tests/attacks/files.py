# SPDX-License-Identifier: Apache-2.0
"""Files that a user named. Whatever has the name already, a command writes what was asked, or says why not, and no more."""

import json
import os
import stat
import subprocess
import sys
import threading

from attack import PARTY, USER, Skip, attack, expect
from cluster import FOLDER, Lab, assay, environment

HOSTFILE = "defaults user=ops platform=hgx-h100 slots=8\nnode[1-8] address=10.0.0.[1-8]\n"
NODES = """NodeName=node1 Arch=x86_64 CPUTot=96 Gres=gpu:8 NodeAddr=10.0.0.1 NodeHostName=node1 State=IDLE Partitions=gpu
NodeName=node2 Arch=x86_64 CPUTot=96 Gres=gpu:8 NodeAddr=10.0.0.2 NodeHostName=node2 State=IDLE Partitions=gpu
"""
NOBODY = 65534


def path(name):
    return os.path.join(FOLDER, name)


def write(name, text):
    with open(path(name), "w", encoding="utf-8") as file:
        file.write(text)


def made_up():
    """A database with a run in it, once."""
    if not os.path.exists(path("run.db")):
        write("hosts", HOSTFILE)
        write("output", "nothing\n")
        write("inventory", NODES)
        subprocess.run([sys.argv[3], path("run.db"), path("hosts"), path("output")], env=environment(), check=True)
        with Lab("lab", 6) as lab:
            write("suite.json", json.dumps({"name": "small", "purpose": "delivery", "steps": [{"check": "p2p-bandwidth"}]}))
            done = assay("run", "-H", lab.hostfile, "-s", "suite.json", "--db", "lab.db", "--report", "lab.html")
            expect(done, 0, "verdict: accept")
            expect(assay("acceptance", "create", "su", "-H", lab.hostfile, "-s", "suite.json", "--db", "lab.db"), 0)


# Each command that writes a file by name; the name follows.
COMMANDS = (
    ("report", "--db", "run.db", "-o"),
    ("report", "--db", "run.db", "--format", "json", "-o"),
    ("export", "--db", "run.db", "-o"),
    ("export", "--db", "run.db", "--redact", "-o"),
    ("history", "--db", "run.db", "node1", "-o"),
    ("compare", "--db", "run.db", "1", "1", "-o"),
    ("inventory", "slurm", "inventory", "-o"),
    ("baseline", "derive", "--db", "lab.db", "1", "-o"),
    ("acceptance", "report", "su", "--db", "lab.db", "-o"),
)


def words_of(command):
    return " ".join(command[:2])


def each(run):
    """What run(command) says was wrong, of each command."""
    made_up()
    wrong = [(words_of(command), said) for command in COMMANDS if (said := run(command)) is not None]
    assert not wrong, wrong


def beside(folder):
    return sorted(os.listdir(folder))


def fresh(name):
    folder = path(name)
    os.makedirs(folder)
    return folder


@attack(USER, "a regular file is named", "it is written whole, and nothing is left beside it")
def plain():
    folder = fresh("plain")

    def one(command):
        name = os.path.join(folder, f"f{COMMANDS.index(command)}")
        with open(name, "w", encoding="utf-8") as file:
            file.write("old")
        done = assay(*command, name)
        return None if done.returncode in (0, 1, 2) and os.path.getsize(name) > 3 else (done.returncode, done.stderr)
    each(one)
    assert beside(folder) == [f"f{number}" for number in range(len(COMMANDS))], beside(folder)


def device_node(folder, name, minor):
    """As /dev/null (minor 3) and /dev/full (7), in a folder of ours: who fails here must not cost the machine its own."""
    node = os.path.join(folder, name)
    try:
        os.mknod(node, stat.S_IFCHR | 0o666, os.makedev(1, minor))
        with open(node, "rb"):
            pass
    except OSError as why:
        raise Skip(f"no device node can be made here: {why}") from why
    return node


@attack(USER, "-o names a device node, as root", "the device is written to and stays one")
def device():
    folder = fresh("devices")
    node = device_node(folder, "null", 3)

    def one(command):
        done = assay(*command, node)
        status = os.stat(node)
        kept = stat.S_ISCHR(status.st_mode) and status.st_rdev == os.makedev(1, 3)
        return None if done.returncode in (0, 1, 2) and kept and beside(folder) == ["null"] else (done.stderr, beside(folder))
    each(one)


@attack(USER, "-o names a link to a file", "the link stays a link, and the file that it names is written")
def link():
    folder = fresh("links")

    def one(command):
        name, target = os.path.join(folder, "link"), os.path.join(folder, "target")
        with open(target, "w", encoding="utf-8") as file:
            file.write("old")
        if not os.path.islink(name):
            os.symlink("target", name)
        done = assay(*command, name)
        good = done.returncode in (0, 1, 2) and os.path.islink(name) and os.path.getsize(target) > 3
        return None if good and beside(folder) == ["link", "target"] else (done.stderr, beside(folder))
    each(one)


@attack(USER, "-o names a link to nothing", "it is refused, and nothing is made at its end")
def dangling():
    folder = fresh("dangling")
    os.symlink("nothing", os.path.join(folder, "link"))

    def one(command):
        done = assay(*command, os.path.join(folder, "link"))
        return None if done.returncode == 64 and "is a link to" in done.stderr and beside(folder) == ["link"] else done.stderr
    each(one)


@attack(USER, "in a folder as /tmp a link of his lies where root writes", "it is not followed")
def planted():
    if os.geteuid() != 0:
        raise Skip("only root can make another user's link")
    folder, victim = fresh("sticky"), path("victim")
    write("victim", "precious")
    os.chmod(folder, 0o1777)
    name = os.path.join(folder, "report.html")
    os.symlink(victim, name)
    os.lchown(name, NOBODY, NOBODY)

    def one(command):
        done = assay(*command, name)
        with open(victim, encoding="utf-8") as file:
            kept = file.read() == "precious"
        return None if kept and done.returncode == 64 and "is another user's" in done.stderr else (done.stderr, kept)
    each(one)


@attack(USER, "in such a folder a file of his that all may write lies there", "it is not filled, nor its permissions taken on")
def planted_file():
    if os.geteuid() != 0:
        raise Skip("only root can make another user's file")
    folder = fresh("sticky-file")
    os.chmod(folder, 0o1777)
    name = os.path.join(folder, "report.html")
    with open(name, "w", encoding="utf-8"):
        pass
    os.chmod(name, 0o666)
    os.chown(name, NOBODY, NOBODY)

    def one(command):
        done = assay(*command, name)
        return None if done.returncode == 64 and os.path.getsize(name) == 0 and beside(folder) == ["report.html"] else done.stderr
    each(one)


@attack(USER, "-o names a FIFO", "what is written comes out of it, and it stays one")
def fifo():
    folder = fresh("fifos")
    name = os.path.join(folder, "pipe")
    os.mkfifo(name)

    def one(command):
        got = []

        def read():
            with open(name, "rb") as file:
                got.append(file.read())
        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        done = assay(*command, name)
        reader.join(20)
        good = done.returncode in (0, 1, 2) and got and len(got[0]) > 3 and stat.S_ISFIFO(os.stat(name).st_mode)
        return None if good and beside(folder) == ["pipe"] else (done.returncode, done.stderr, beside(folder))
    each(one)


@attack(USER, "a bundle goes to standard output", "it is the bundle and nothing else")
def stream():
    made_up()
    expect(assay("export", "--db", "run.db", "-o", "whole.tar.zst"), 0)
    with open(path("whole.tar.zst"), "rb") as file:
        whole = file.read()
    os.symlink("/proc/self/fd/1", path("out"))
    for name in ("-", path("out"), "/proc/self/fd/1"):
        with open(path("streamed.tar.zst"), "wb") as out:
            done = subprocess.run([os.path.abspath(sys.argv[1]), "export", "--db", path("run.db"), "-o", name], stdout=out,
                                  stderr=subprocess.PIPE, env=environment(), cwd=FOLDER, check=False)
        size = os.path.getsize(path("streamed.tar.zst"))
        assert done.returncode == 0 and b"bundle: " in done.stderr and abs(size - len(whole)) < 200, (name, done.stderr, size)
        done = assay("verify", "streamed.tar.zst")
        expect(done, 2, "have the hashes", "verified: in part")


@attack(USER, "-o names a folder, or a file of which another name is kept", "it is refused in words, and both stay")
def refused():
    folder = fresh("refused")
    with open(os.path.join(folder, "first"), "w", encoding="utf-8") as file:
        file.write("old")
    os.link(os.path.join(folder, "first"), os.path.join(folder, "second"))

    def one(command):
        first, second = assay(*command, folder), assay(*command, os.path.join(folder, "second"))
        with open(os.path.join(folder, "second"), encoding="utf-8") as file:
            kept = file.read() == "old" and beside(folder) == ["first", "second"]
        said = "is a folder" in first.stderr and "hard links" in second.stderr
        return None if kept and said and (first.returncode, second.returncode) == (64, 64) else (first.stderr, second.stderr)
    each(one)


@attack(USER, "the disk fills up while a file is written", "the old file is there unchanged, and nothing half-written")
def full_disk():
    folder = fresh("full")
    name = os.path.join(folder, "file")
    with open(name, "w", encoding="utf-8") as file:
        file.write("old")

    def one(command):
        # A file may be no longer than 8 bytes: as a disk on which no more is left, for whoever writes it.
        done = subprocess.run(["bash", "-c", 'trap "" XFSZ; ulimit -f 0; exec "$@"', "bash", os.path.abspath(sys.argv[1]), *command,
                               name], env=environment(TMPDIR="/dev/shm"), cwd=FOLDER, capture_output=True, text=True, check=False)
        with open(name, encoding="utf-8") as file:
            kept = file.read() == "old"
        return None if kept and done.returncode not in (0, 1, 2) and beside(folder) == ["file"] else (done.returncode, done.stderr)
    each(one)


@attack(USER, "the device that -o names has no space left", "that is said, and the device stays one")
def full_device():
    folder = fresh("full-device")
    node = device_node(folder, "full", 7)

    def one(command):
        done = assay(*command, node)
        said = done.returncode == 70 and "full: No space left on device" in done.stderr
        return None if said and beside(folder) == ["full"] and stat.S_ISCHR(os.stat(node).st_mode) else done.stderr
    each(one)


@attack(PARTY, "a report is to be signed into a pipe", "it is refused, and no manifest is made in its folder")
def signed_pipe():
    made_up()
    folder = fresh("signed")
    os.mkfifo(os.path.join(folder, "pipe"))
    expect(assay("report", "--db", "run.db", "--sign", "nokey", "-o", os.path.join(folder, "pipe")), 64, "what is signed needs a file")
    assert beside(folder) == ["pipe"], beside(folder)


@attack(USER, "a bundle with outputs lies in a folder that others may read", "the file is its owner's alone")
def private():
    made_up()
    expect(assay("export", "--db", "run.db", "-o", "private.tar.zst"), 0)
    assert stat.S_IMODE(os.stat(path("private.tar.zst")).st_mode) == 0o600
