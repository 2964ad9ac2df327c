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


def host(folder, files, sockets=None, tools=(), **environment):
    """The rows of a host that has these files and tools, {(name, subject): [values]}; ss prints sockets, or fails."""
    for name, text in files.items():
        path = os.path.join(folder, "root", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    os.makedirs(os.path.join(folder, "bin"), exist_ok=True)
    with open(os.path.join(folder, "sockets"), "w", encoding="utf-8") as file:
        file.write(sockets or "")
    for tool, text in (("ss", f"cat {folder}/sockets" if sockets else "exit 1"), ("sshd", "exit 1"), *tools):
        path = os.path.join(folder, "bin", tool)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)
    done = subprocess.run(["sh", os.path.join(SOURCE, "src", "check", "sh", "posture.sh")], cwd=folder, text=True, check=True,
                          capture_output=True, env=dict(os.environ, LC_ALL="C", PATH=f"{folder}/bin:{os.environ['PATH']}",
                                                        ASSAY_LAB_ROOT=os.path.join(folder, "root"), **environment))
    tap.same((done.stderr, done.stdout.endswith("\nkey-value end\n")), ("", True))
    tap.same(os.path.exists(os.path.join(folder, "ran")), False)
    rows = {}
    for line in done.stdout.splitlines()[:-1]:
        name, subject, value = line.split("\t", 2)
        rows.setdefault((name, subject), []).append(value)
    return rows


def of(rows, name):
    return {subject: values for (row, subject), values in rows.items() if row == name}


def try_host(files, sockets=None, **more):
    with tempfile.TemporaryDirectory() as folder:
        return host(folder, files, sockets, **more)


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


PORT = "sys/class/infiniband/mlx5_0/ports/1/"
SUBNET = {PORT + "link_layer": "InfiniBand\n", PORT + "pkeys/0": "0xffff\n", PORT + "lid": "0x1f\n"}
# As infiniband-diags prints them.
SMPQUERY = """case " $* " in *" -K "*) key=0x0000000000000000 ;; *) key='<not displayed>' ;; esac
echo "Mkey:............................$key"; echo 'ProtectBits:.....................0'"""
CPI = "case $* in *CPI) echo SA ClassPortInfo:; exit ;; *PKTR*) echo \"$*\" >>asked ;; esac\n"
SA_REFUSES = "echo 'ERROR: Query result returned 0x0200,  SA(SA_ERR_REQ_INVALID)'; exit 1"
SA_SILENT = "echo 'ibwarn: [4711] sa_query: umad_recv failed: attr 0x33: Connection timed out'; exit 1"
SA_TELLS = "echo 'PKeyTableRecord dump:'"
BY_ROOT = "Name:\topensm\nUid:\t0\t0\t0\t0\n"
ITEMS = ("sm_key", "sa_key", "sa_trust", "vs_key", "cc_key", "n2n_key")


def managed_by(*settings, options="-F\0/etc/opensm/opensm.conf\0"):
    """What is told of the keys where subnet managers run with such files."""
    files = dict(SUBNET)
    for i, text in enumerate(settings):
        files[f"proc/4{i}/comm"] = "opensm\n"
        files[f"proc/4{i}/status"] = BY_ROOT
        files[f"proc/4{i}/cmdline"] = "/usr/sbin/opensm\0" + options.replace("opensm.conf", f"opensm{i or ''}.conf")
        files[f"etc/opensm/opensm{i or ''}.conf"] = text
    rows = try_host(files)
    return [of(rows, "posture." + item)[""][0] for item in ITEMS]


def keys_of_subnets():
    tap.same(of(try_host(SUBNET, tools=[("smpquery", SMPQUERY)]), "posture.m_key"), {"": ["not set"]})
    tap.same(managed_by(), ["\tsubnet_manager_elsewhere"] * 6)
    usual = ["the usual one", "the usual one", "standard", "not set", "not set", "not set"]
    tap.same(managed_by("# opensm -c of 3.3.23\nm_key 0x0000000000000000\n\nsm_key 0x0000000000000001\n\n"
                        "# sa_key 0x77\nsa_key 0x0000000000000001\n\ncc_key 0x0000000000000000\n"), usual)
    tap.same(managed_by(""), usual)
    own = "m_key 0x0\nm_key_per_port TRUE\nsm_key 0x771d2fe77f553d47\nsa_key 23 # ours\nsa_enhanced_trust_model TRUE\n" \
          "vs_key_enable 2\nvs_key_ci_protect_bits 1\ncc_key_enable 2\ncc_key_protect_bit 0\nn2n_key_enable 1\n"
    told = ["its own", "its own", "enhanced", "enabled, protection 1", "enabled, protection 0", "disabled"]
    tap.same(managed_by(own), told)
    tap.same(managed_by(own, options="--config=/etc/opensm/opensm.conf\0"), told)
    tap.same(managed_by(own, options=""), told)
    tap.same(managed_by(own, options="-B\0--connect_roots\0--console\0off\0--console-port=10000\0--consolidate_ipv6_snm_req\0-f\0/k/F\0-F/etc/opensm/opensm.conf\0"), told)
    # What the file says is not all, or not the file that is meant.
    for words in ("-k\00x1", "-k0x1", "-Bk\00x1", "--smkey=0x1", "--smk\00x1", "-BF\0/other", "--conf=/other"):
        tap.same(managed_by(own, options=f"-F\0/etc/opensm/opensm.conf\0{words}\0"),
                 ["\tsubnet_manager_has_option\t" + words.split("=")[0].split("\0")[0]] * 6)
    # As opensm reads it: no key of 2, and "= 2" is 0.
    tap.same(managed_by("sa_key 0\nvs_key_enable = 2\nsa_enhanced_trust_model true\n")[1:4], ["none", "standard", "not set"])
    tap.same(managed_by("vs_key_enable 2\nm_key 0\nkey_mgr_seed 0x00\n")[3], "enabled, of no seed")
    tap.same(managed_by(own, "sa_key 1\n")[1], "its own; the usual one")
    rows = try_host(dict(SUBNET, **{"proc/4/comm": "opensm\n", "proc/4/status": BY_ROOT, "proc/4/cmdline": "opensm\0-F\0/none\0"}))
    tap.same([of(rows, "posture." + item) for item in ITEMS], [{"": ["\tfile_not_readable\t/none"]}] * 6)
    tap.same("771d2fe7" in str(managed_by(own)), False)
    tap.same({of(try_host({}), "posture." + item)[""][0] for item in ITEMS}, {"no InfiniBand"})
    rows = try_host(SUBNET, tools=[("smpquery", "echo 'Mkey:............................0x4711cafe'; echo 'ProtectBits: what'")])
    tap.same((list(of(rows, "posture.m_key")), "4711cafe" in str(rows)), ([""], False))


def files_of_users():
    files = {**SUBNET, "proc/4/comm": "opensm\n", "proc/4/status": BY_ROOT, "proc/4/cmdline": "opensm\0-F\0/mine\0", "mine": "sm_key 77\nsa_key 77\n"}

    def told(prepare=lambda root: None):
        with tempfile.TemporaryDirectory() as folder:
            host(folder, files)
            prepare(os.path.join(folder, "root"))
            return of(host(folder, {}), "posture.sm_key")[""][0]

    tap.same(told(), "its own")
    # `su` under this name belongs to root, but for who called it.
    files["proc/4/status"] = "Name:\topensm\nUid:\t12345\t0\t0\t0\n"
    tap.same(told(), "\tsubnet_manager_elsewhere")
    files["proc/4/status"] = BY_ROOT
    # Longer than memory: keys can stand behind what is read.
    tap.same(told(lambda root: os.truncate(os.path.join(root, "mine"), 1 << 42)), "\tfile_not_read_whole\t/mine")
    with tempfile.TemporaryDirectory() as folder:
        keys = {"etc/passwd": PASSWD, "h/.ssh/authorized_keys": KEYS[0] + " a\n"}
        host(folder, keys)
        os.truncate(os.path.join(folder, "root", "h/.ssh/authorized_keys"), 1 << 42)
        tap.same(of(host(folder, {}), "posture.keys"), {"": ["\tfile_not_read_whole\t/h/.ssh/authorized_keys"]})
    rows = try_host({"etc/passwd": PASSWD, "h/.ssh/authorized_keys": "#" * 1000000 + f"\n{KEYS[0]} behind\n"})
    tap.same((of(rows, "posture.key"), of(rows, "posture.keys")), ({}, {"": ["\tfile_not_read_whole\t/h/.ssh/authorized_keys"]}))


def usual_key_tried():
    def tried(saquery, asks="1"):
        rows = try_host(SUBNET, tools=[("smpquery", SMPQUERY), ("saquery", saquery)], try_sa_key=asks)
        return of(rows, "posture.sa_key_tried").get("", [None])[0]

    by_key = CPI + "case $* in *'--smkey 1 '*) {} ;; *) {} ;; esac"
    tap.same(tried(by_key.format(SA_TELLS, SA_REFUSES)), "the usual one is trusted")
    tap.same(tried(by_key.format(SA_TELLS, SA_SILENT)), "the usual one is trusted")
    tap.same(tried(by_key.format(SA_SILENT, SA_REFUSES)), "the usual one is not trusted")
    tap.same(tried(by_key.format(SA_SILENT, SA_TELLS)), "all are trusted, without a key")
    # Silence of a subnet administration that answers nobody proves nothing.
    tap.same(tried(SA_SILENT).split("\t")[0], "")
    tap.same(tried("[ -e asked ] || case $* in *CPI) echo SA ClassPortInfo:; exit ;; *' 1 '*) >asked ;; esac\n" + SA_SILENT).split("\t")[0], "")
    tap.same(tried("exit 1").split("\t")[0], "")
    tap.same(tried(SA_TELLS, "0"), None)
    del SUBNET[PORT + "lid"]
    tap.same(tried(CPI + SA_TELLS), "\tfile_not_readable\t/" + PORT + "lid")


def time_servers():
    rows = try_host({"etc/chrony.conf": "server\ta iburst\n#pool b\n", "etc/systemd/timesyncd.conf": "[Time]\nNTP=c d\n#FallbackNTP=e\n"})
    tap.same(of(rows, "posture.time_source"), {"a": ["chrony"], "c": ["timesyncd"], "d": ["timesyncd"]})


tap.run([
    ("accounts, and names that are commands or rows", accounts),
    ("keys of subnet managers, and none of them printed", keys_of_subnets),
    ("of files that are any user's root reads little, and those of his programs not at all", files_of_users),
    ("whether a subnet trusts the usual SA_Key", usual_key_tried),
    ("ports by ss, without those of loopback", ports_of_ss),
    ("ports by the kernel's tables", ports_of_the_kernel),
    ("whom sudo's rules are for", rules_of_sudo),
    ("authorized keys by fingerprint, never the key", authorized_keys),
    ("what is not there has no answer", what_is_not_there),
    ("time servers", time_servers),
])
