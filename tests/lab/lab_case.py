# SPDX-License-Identifier: Apache-2.0
"""What the tests of the lab share: TAP, a lab in a folder of its own, ssh to its hosts, its tools by hand."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import memory  # noqa: E402

PROGRAM = sys.argv[1]


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = 0

    def ok(self, passed, name, note=""):
        self.count += 1
        self.failed += 0 if passed else 1
        print(f"{'ok' if passed else 'not ok'} {self.count} - {name}", flush=True)
        for line in str(note).splitlines()[:30] if not passed else []:
            print(f"#   {line}")

    def skip(self, name, why):
        self.count += 1
        print(f"ok {self.count} - {name} # SKIP {why}", flush=True)

    def end(self):
        print(f"1..{self.count}")
        sys.exit(1 if self.failed else 0)


def program(*words, **options):
    return subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60,
                          **options)


def read_output(tool, text):
    """The parser's reading of the text; None when this build has no such parser."""
    done = program("parse", tool, input=text)
    return json.loads(done.stdout) if done.returncode == 0 else None


def marked(directory):
    """The processes that carry the lab's mark and are no zombies."""
    found = []
    mark = b"ASSAY_LAB_DIR=" + directory.encode() + b"\0"
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if mark in file.read():
                    found.append(int(pid))
        except OSError:
            pass
    return found


class Lab:
    """with Lab(hosts, faults) as lab: ... ; afterwards nothing of it is left."""

    def __init__(self, hosts, faults=(), *options):
        self.folder = tempfile.mkdtemp(prefix="assay-lab-", dir=memory.place())
        self.directory = os.path.realpath(os.path.join(self.folder, "lab"))
        words = [str(hosts), "--dir", self.directory, *options]
        for fault in faults:
            words += ["--fault", fault]
        self.up = program("lab", "up", *words)
        self.options = {}
        if self.up.returncode == 0:
            with open(os.path.join(self.directory, "hostfile")) as file:
                for line in file:
                    if line.startswith("defaults"):
                        self.options = dict(word.split("=", 1) for word in line.split()[1:])

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.down()
        shutil.rmtree(self.folder, ignore_errors=True)

    def down(self):
        return program("lab", "down", "--dir", self.directory)

    def path(self, *names):
        return os.path.join(self.directory, *names)

    def address(self, number):
        return f"127.1.{(number - 1) // 250}.{(number - 1) % 250 + 1}"

    def ssh_words(self, number, *options):
        return ["ssh", "-F", "/dev/null", "-o", "BatchMode=yes", "-o", "IdentitiesOnly=yes", "-o", "LogLevel=ERROR",
                "-o", "ConnectTimeout=5", "-o", f"UserKnownHostsFile={self.options['known_hosts']}",
                "-o", "GlobalKnownHostsFile=/dev/null", "-i", self.options["identity"], "-p", self.options["port"],
                "-l", self.options["user"], *options, self.address(number)]

    def ssh(self, number, command, *options, **keywords):
        return subprocess.run(self.ssh_words(number, *options) + [command], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=30, **({"stdin": subprocess.DEVNULL} | keywords))

    def run(self, number, command, timeout=30):
        """A command as the host would run it, without the connection."""
        host = self.path("hosts", f"node{number}")
        missing = os.path.join(host, "bin")
        path = missing if os.path.isdir(missing) else f"{self.path('bin')}:/usr/local/bin:/usr/bin:/bin"
        environment = {"PATH": path, "HOME": os.path.join(host, "home"), "ASSAY_LAB_DIR": self.directory,
                       "ASSAY_LAB_HOST": f"node{number}", "ASSAY_LAB_BOOT_ID": os.path.join(host, "boot_id"),
                       "ASSAY_LAB_ROOT": os.path.join(host, "root")}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LD_LIBRARY_PATH"):
            if name in os.environ:
                environment[name] = os.environ[name]
        return subprocess.run(["/bin/sh", "-c", command], env=environment, cwd=environment["HOME"], timeout=timeout,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              start_new_session=True)


def wait_until(condition, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return bool(condition())
