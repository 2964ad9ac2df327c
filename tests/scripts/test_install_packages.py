# SPDX-License-Identifier: Apache-2.0
"""scripts/install-packages on machines that lack something: apt, sudo and the tools looked for are played by files."""
import os
import shutil
import subprocess
import sys
import tempfile

import tap

SCRIPT = os.path.join(sys.argv[1], "scripts", "install-packages")
NEEDED = ["sh", "grep", "cat", "mktemp", "tail", "rm", "env", "true", "dirname"]
THERE = ["gcc", "meson", "ninja", "python3", "clang", "clang-format-14", "shellcheck", "ssh", "tcsh", "fish", "busybox", "chromium",
         "pdftotext"]  # and no node: what drives the browser comes from another place


class Machine:
    """A PATH of our own. pkg-config knows every library but the missing ones; apt-get notes what it is asked for."""

    def __init__(self, folder, root, missing=(), apt="exit 0", sudo="exit 1", listed=True):
        self.folder, self.calls = folder, os.path.join(folder, "calls")
        for name in NEEDED:
            os.symlink(shutil.which(name), os.path.join(folder, name))
        for name in THERE:
            if name not in missing:
                self.write(name, "exit 0")
        libraries = "|".join(missing) or "none"
        self.write("pkg-config", f'case $2 in {libraries}) [ -e "{folder}/installed" ] ;; esac')
        self.write("id", f"echo {0 if root else 1000}")
        self.write("sudo", sudo)
        self.write("apt-cache", "echo '  Candidate: " + ("1.0" if listed else "(none)") + "'")
        if apt:
            self.write("apt-get", f'echo "$*" >>"{self.calls}"; {apt}')

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)

    def run(self, *groups):
        done = subprocess.run([os.path.join(self.folder, "sh"), SCRIPT, *groups], env={"PATH": self.folder}, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        calls = ""
        if os.path.exists(self.calls):
            with open(self.calls, encoding="utf-8") as file:
                calls = file.read()
        return done.returncode, done.stdout + done.stderr, calls


def case(name, check, groups=("build",), **machine):
    def tried():
        with tempfile.TemporaryDirectory() as folder:
            check(*Machine(folder, **machine).run(*groups))
    return name, tried


def silent(code, text, calls):
    tap.same((code, text, calls), (0, "", ""))


def installed(code, text, calls):
    tap.same((code, "libuv1-dev" in calls, "libssh2" in calls, "update" in calls), (0, True, False, False))
    tap.same("installing libuv1-dev" in text, True)


def updated_first(code, text, calls):
    tap.same((code, text, calls.split()[0]), (0, "install-packages: installing libuv1-dev\n", "update"))


def refused(why):
    def check(code, text, calls):
        line = "\n    apt-get install -y --no-install-recommends libuv1-dev\n"
        tap.same((code, why in text, line in text), (69, True, True))
    return check


def goes_on(code, text, calls):
    tap.same((code, " tcsh" in text, "only the tests that need them will skip" in text), (0, True, True))


def usage(code, text, calls):
    tap.same((code, "the groups are build, test, package and bench" in text, calls), (64, True, ""))


WORKS = 'case "$*" in *install*) : >"${0%/*}/installed" ;; esac'
CASES = [
    case("nothing is done or said when all is there", silent, root=True),
    case("root installs what is missing and nothing else", installed, root=True, missing=["libuv"], apt=WORKS),
    case("the package list is fetched when it does not know the package", updated_first, root=True, missing=["libuv"],
         apt=WORKS, listed=False),
    case("sudo without a password will do", installed, root=False, missing=["libuv"], apt=WORKS, sudo='shift; exec "$@"'),
    case("without root or sudo the one command to run is printed", refused("sudo wants a password"), root=False,
         missing=["libuv"]),
    case("apt without a network", refused("could not be installed"), root=True, missing=["libuv"], apt="exit 100"),
    case("apt that says it did and did not", refused("could not be installed"), root=True, missing=["libuv"]),
    case("a system without apt", refused("no apt-get"), root=True, missing=["libuv"], apt=None),
    case("what only some tests need does not stop the others", goes_on, groups=("build", "test"), root=False,
         missing=["tcsh"]),
    case("an unknown group", usage, groups=("bild",), root=True),
]

tap.run(CASES)
