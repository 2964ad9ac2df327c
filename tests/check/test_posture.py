# SPDX-License-Identifier: Apache-2.0
"""What posture.sh makes of a host whose names and comments are hostile, and of one that it may not read.

usage: test_posture.py SOURCE
"""

import os
import subprocess
import sys
import tempfile

SOURCE = sys.argv[1]
sys.path.insert(0, os.path.join(SOURCE, "tests", "scripts"))
import tap  # noqa: E402

KEYS = ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdQcidOacHlTLq0vOlq39vmX+a4ikeuZeXXbaGDhKmY",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOCEEr9bguSeoWsdvnDAmnCrJqwlxU5WXE3nirljwjGk"]
PASSWD = "root:x:0:0::/root:/bin/sh\n$(touch ran)::1000:27::/h:/bin/bash\na\\tb\tposture.root\tc:x:1001:5::/none:\n" \
         "toor:x:0:0::/none:/usr/sbin/nologin\nsystem:x:999:1::/none:/bin/sh\n+@net\n"
SOCKETS = """Netid State  Recv-Q Send-Q Local Address:Port Peer Address:PortProcess
tcp   LISTEN 0 128 127.0.0.1:631 0.0.0.0:* users:(("cupsd",pid=1,fd=3))
tcp   LISTEN 0 128 [::1]:631 [::]:*
udp   UNCONN 0 0 127.0.0.53%lo:53 0.0.0.0:*
tcp   LISTEN 0 128 0.0.0.0:22 0.0.0.0:* users:(("sshd",pid=1,fd=3),("systemd",pid=1,fd=9))
tcp   LISTEN 0 128 [::]:22 [::]:* users:(("sshd",pid=1,fd=4))
tcp   LISTEN 0 128 *:80 *:* users:(("$(touch ran)\tx",pid=1,fd=4))
udp   UNCONN 0 0 [fe80::1]%eth0:546 [::]:*
"""
TABLE = "  sl  local_address rem_address   st\n"


def host(folder, files, sockets=None):
    """The rows of a host that has these files, {(name, subject): [values]}; ss prints sockets, or fails."""
    for name, text in files.items():
        path = os.path.join(folder, "root", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    os.makedirs(os.path.join(folder, "bin"), exist_ok=True)
    with open(os.path.join(folder, "sockets"), "w", encoding="utf-8") as file:
        file.write(sockets or "")
    for tool, text in (("ss", f"cat {folder}/sockets" if sockets else "exit 1"), ("sshd", "exit 1")):
        path = os.path.join(folder, "bin", tool)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)
    done = subprocess.run(["sh", os.path.join(SOURCE, "src", "check", "sh", "posture.sh")], cwd=folder, text=True, check=True,
                          capture_output=True, env=dict(os.environ, LC_ALL="C", PATH=f"{folder}/bin:{os.environ['PATH']}",
                                                        ASSAY_LAB_ROOT=os.path.join(folder, "root")))
    tap.same((done.stderr, done.stdout.endswith("\nkey-value end\n")), ("", True))
    tap.same(os.path.exists(os.path.join(folder, "ran")), False)
    rows = {}
    for line in done.stdout.splitlines()[:-1]:
        name, subject, value = line.split("\t", 2)
        rows.setdefault((name, subject), []).append(value)
    return rows


def of(rows, name):
    return {subject: values for (row, subject), values in rows.items() if row == name}


def try_host(files, sockets=None):
    with tempfile.TemporaryDirectory() as folder:
        return host(folder, files, sockets)


def accounts():
    rows = try_host({"etc/passwd": PASSWD, "etc/shadow": "toor::1:0:9:7:::\nroot:*:1:0:9:7:::\n", "etc/group": "sudo:x:27:alice\n"})
    tap.same(of(rows, "posture.user"), {"root": ["uid 0"], "$(touch ran)": ["uid 1000"], "a\\tb?posture.root?c": ["uid 1001"]})
    tap.same(of(rows, "posture.root"), {"root": ["uid 0"], "toor": ["uid 0"]})
    tap.same(of(rows, "posture.open_account"), {"$(touch ran)": ["yes"], "toor": ["yes"]})
    tap.same(of(rows, "posture.sudoer"), {"alice": ["%sudo"], "$(touch ran)": ["%sudo"]})


def ports_of_ss():
    rows = try_host({"etc/passwd": PASSWD}, SOCKETS)
    tap.same(of(rows, "posture.port"), {"22/tcp": ["sshd"], "80/tcp": ["$(touch ran)?x"], "546/udp": ["?"]})
    tap.same(of(rows, "posture.ports_read"), {"": ["ss"]})


def ports_of_the_kernel():
    files = {"proc/net/tcp": TABLE + "   0: 00000000:0016 00000000:0000 0A\n   1: 0100007F:1F90 00000000:0000 0A\n"
                             "   2: 00000000:0051 00000000:0000 01\n",
             "proc/net/tcp6": TABLE + "   0: 00000000000000000000000001000000:0050 0:0 0A\n"
                              "   1: 0000000000000000FFFF00000100007F:0050 0:0 0A\n"
                              "   2: 00000000000000000000000000000000:238C 0:0 0A\n",
             "proc/net/udp": TABLE + "   0: 00000000:006F 00000000:0000 07\n"}
    tap.same(of(try_host(files), "posture.port"), {"22/tcp": ["?"], "9100/tcp": ["?"], "111/udp": ["?"]})
    rows = try_host({})
    tap.same((of(rows, "posture.ports"), of(rows, "posture.ports_read")), ({"": ["\tfile_not_readable\t/proc/net/tcp"]}, {}))


def rules_of_sudo():
    rows = try_host({
        "etc/passwd": "root:x:0:0::/root:/bin/sh\n", "etc/group": "wheel:x:10:\n",
        "etc/sudoers": "Defaults env_reset\nDefaults:zoe !authenticate\nUser_Alias OPS = carl, dan : X = %ops\nOPS ALL=(ALL) \\\n"
                       "  NOPASSWD: ALL\nX ALL=ALL\n#1005 ALL=ALL\n# NOPASSWD:\n@includedir /etc/sudoers.d\nposture.root\t\tx=ALL\n"
                       "%wheel ALL=(ALL) ALL\nroot ALL=(ALL) NOPASSWD: ALL\n",
        "etc/sudoers.d/a": "eve , `touch ran` ALL=(ALL) /bin/secret # NOPASSWD: no\n", "etc/sudoers.d/a.bak": "old ALL=ALL\n"})
    tap.same(sorted(of(rows, "posture.sudoer")), ["#1005", "%ops", "`touch", "carl", "dan", "eve", "posture.root", "zoe"])
    tap.same(sorted(of(rows, "posture.nopasswd")), ["carl", "dan", "zoe"])
    tap.same((of(rows, "posture.sudoers"), of(rows, "posture.root")), ({}, {"root": ["uid 0"]}))
    rows = try_host({"etc/passwd": PASSWD, "etc/group": "", "etc/sudoers": "#include /etc/other\n"})
    tap.same([of(rows, f"posture.{what}") for what in ("sudoers", "nopasswd")], [{"": ["\tsudo_rules_elsewhere\t/etc/other"]}] * 2)


def authorized_keys():
    text = f"# ours\n\n{KEYS[0]} <b>x</b>\tposture.root\t\x1b[31m y\nfrom=\"10.0.0.1\",command=\"ls\" {KEYS[1]} (odd) (x)\n"
    files = {"etc/passwd": PASSWD, "h/.ssh/authorized_keys": text}
    rows = try_host(files)
    tap.same([value.split(" ", 1)[1].replace("\x1b", "\\033") for value in of(rows, "posture.key")["$(touch ran)"]],
             ["<b>x</b>?posture.root?\\033[31m y", "(odd) (x)"])
    tap.same((len(of(rows, "posture.key")), of(rows, "posture.keys"), "AAAA" in str(rows)), (1, {}, False))
    files["h/.ssh/authorized_keys"] += "ssh-ed25519 AAAAnone lost\n"
    rows = try_host(files)
    tap.same(of(rows, "posture.keys"), {"": ["\tkeys_not_told\t/h/.ssh/authorized_keys"]})


def what_is_not_there():
    rows = try_host({})
    tap.same({what for what in ("ports", "users", "uid_0", "passwordless", "sudoers", "nopasswd", "keys", "time_sources")
              if ("posture." + what, "") in rows},
             {"ports", "users", "uid_0", "passwordless", "sudoers", "nopasswd", "keys", "time_sources"})


def time_servers():
    rows = try_host({"etc/chrony.conf": "server\ta iburst\n#pool b\n", "etc/systemd/timesyncd.conf": "[Time]\nNTP=c d\n#FallbackNTP=e\n"})
    tap.same(of(rows, "posture.time_source"), {"a": ["chrony"], "c": ["timesyncd"], "d": ["timesyncd"]})


tap.run([
    ("accounts, and names that are commands or rows", accounts),
    ("ports by ss, without those of loopback", ports_of_ss),
    ("ports by the kernel's tables", ports_of_the_kernel),
    ("whom sudo's rules are for", rules_of_sudo),
    ("authorized keys by fingerprint, never the key", authorized_keys),
    ("what is not there has no answer", what_is_not_there),
    ("time servers", time_servers),
])
