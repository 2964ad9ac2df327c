# SPDX-License-Identifier: Apache-2.0
"""Users with passwords, of sshd and of sudo, that only the test's own mount namespace knows; the test has to be in one."""

import os
import subprocess
import threading
import time

import cluster
from cluster import FOLDER

USERS = {"operator": 47113, "visitor": 47114, "steward": 47115, "porter": 47116}
PASSWORD = "it's $(a) \\n \"long\" one 91"  # steward's; with all that a shell might take for its own
PORTERS = "another 'one' %s $HOME 17"  # porter's, of jump hosts


def bind(name, text, target, mode=0o644):
    """The file of that name, here with another text."""
    path = os.path.join(FOLDER, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)
    subprocess.run(["mount", "--bind", path, target], check=True)


def hashed(password):
    return subprocess.run(["openssl", "passwd", "-6", "-stdin"], input=password, capture_output=True, text=True,
                          check=True).stdout.strip()


def add_users():
    """operator, who may use sudo, visitor, who may not, steward, of whom both sshd and sudo want a password, and porter, of
    whom sshd wants another."""
    hashes = {"steward": hashed(PASSWORD), "porter": hashed(PORTERS)}
    for path, line in (("/etc/passwd", "{name}:x:{uid}:{uid}::{home}:/bin/sh"),
                       ("/etc/shadow", "{name}:{hash}:19000:0:99999:7:::"),
                       ("/etc/group", "{name}:x:{uid}:")):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for name, uid in USERS.items():
            text += line.format(name=name, uid=uid, home=f"{FOLDER}/{name}",
                                hash=hashes.get(name, "*")) + "\n"
        bind(os.path.basename(path), text, path, 0o640 if "shadow" in path else 0o644)
    for name, uid in USERS.items():
        os.mkdir(f"{FOLDER}/{name}")
        os.chown(f"{FOLDER}/{name}", uid, uid)


def allow_sudo(lab):
    rules = (f'Defaults env_keep += "ASSAY_LAB_DIR ASSAY_LAB_HOST ASSAY_LAB_BOOT_ID ASSAY_LAB_ROOT"\n'
             f'Defaults secure_path="{lab.folder}/bin:/usr/sbin:/usr/bin:/sbin:/bin"\n'
             "root ALL=(ALL) ALL\noperator ALL=(ALL) NOPASSWD: ALL\nsteward ALL=(ALL) ALL\n")
    os.mkdir(f"{FOLDER}/sudoers.d")
    if os.path.isdir("/etc/sudoers.d"):
        subprocess.run(["mount", "--bind", f"{FOLDER}/sudoers.d", "/etc/sudoers.d"], check=True)
    bind("sudoers", rules, "/etc/sudoers", 0o440)
    os.remove(f"{lab.folder}/bin/sudo")  # here the real one is what is tried


def settings_of_host(lab, name):
    """Of sshd, so that who logs in finds himself on that host of the lab, with its tools."""
    return (f"SetEnv ASSAY_LAB_DIR={lab.folder} ASSAY_LAB_HOST={name} ASSAY_LAB_BOOT_ID={lab.folder}/hosts/{name}/boot_id "
            f"ASSAY_LAB_ROOT={lab.folder}/hosts/{name}/root PATH={lab.folder}/bin:/usr/local/bin:/usr/bin:/bin\n")


def descriptor(text):
    reading, writing = os.pipe()
    os.write(writing, f"{text}\n".encode())
    os.close(writing)
    return reading


def assay_with(login, sudo, *words, jump=None):
    """The program to its end, with passwords by descriptors; None: without."""
    words, passed = [str(word) for word in words], []
    for option, text in (("--password-fd", login), ("--sudo-password-fd", sudo), ("--jump-password-fd", jump)):
        if text is not None:
            passed.append(descriptor(text))
            words += [option, str(passed[-1])]
    done = subprocess.run([cluster.ASSAY, *words], cwd=FOLDER, env=cluster.environment(), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=cluster.PATIENCE_S, check=False, pass_fds=passed)
    for number in passed:
        os.close(number)
    return done


class Watcher:
    """Looks for the passwords where other users could see them, as long as the program runs."""

    def __init__(self):
        self.seen, self.over = set(), threading.Event()
        self.thread = threading.Thread(target=self.look)

    def look(self):
        while not self.over.is_set():
            for pid in filter(str.isdigit, os.listdir("/proc")):
                for name in ("cmdline", "environ"):
                    try:
                        with open(f"/proc/{pid}/{name}", "rb") as file:
                            text = file.read()
                        if any(password.encode() in text for password in (PASSWORD, PORTERS)):
                            self.seen.add(name)
                    except OSError:
                        continue
            time.sleep(0.02)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
