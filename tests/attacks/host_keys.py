# SPDX-License-Identifier: Apache-2.0
"""Who stands in the network between us and a host: with another key, or with algorithms that can be broken. What OpenSSH's
client makes of the same known_hosts is asked of it, case by case."""

import base64
import hashlib
import hmac
import json
import os
import random
import shlex
import shutil
import socket
import struct
import subprocess
import threading
import time

from attack import NETWORK, Skip, attack
from cluster import FOLDER, Report, assay, start_program, wait_until

LOOP = f"127.{random.randrange(64, 250)}.{random.randrange(256)}"  # a loopback network of our own
KINDS = ("ed25519", "ecdsa", "rsa")
SUITE = {"name": "reach", "title": "reach", "steps": [{"check": "reachable"}]}
_servers = {}


def write(name, text, mode=0o600):
    path = f"{FOLDER}/{name}"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def make_key(name, *words):
    path = f"{FOLDER}/{name}"
    if not os.path.exists(path):
        subprocess.run(["ssh-keygen", "-q", "-N", "", "-f", path, *words], check=True)
    return " ".join(read(f"{path}.pub").split()[:2])


def keys():
    """The host's keys, another one, that of an authority; and ours."""
    make_key("login", "-t", "ed25519")
    made = {kind: make_key(f"host_{kind}", "-t", kind) for kind in KINDS}
    return {**made, "other": make_key("other", "-t", "ed25519"), "other_rsa": make_key("other_rsa", "-t", "rsa"),
            "ca": make_key("ca", "-t", "ed25519")}


def can_bind(port):
    try:
        with socket.create_server((f"{LOOP}.3", port)) as found:
            return found.getsockname()[1]
    except OSError:
        return 0


def server(name, kinds, port=0, settings=""):
    """A real sshd with host keys of these kinds, at all loopback addresses, or at LOOP.3 for port 22: its port."""
    if name in _servers:
        return _servers[name]
    if not os.path.exists("/usr/sbin/sshd") or shutil.which("ssh-keygen") is None:
        raise Skip("there is no sshd here")
    port = can_bind(port)
    if port == 0:
        raise Skip("the port cannot be had")
    keys()
    if os.geteuid() == 0:
        os.makedirs("/run/sshd", exist_ok=True)
    listen = f"ListenAddress {LOOP}.3:22\n" if port == 22 else f"ListenAddress 0.0.0.0:{port}\nAllowUsers *@127.*\n"
    config = write(f"sshd.{name}", listen + "".join(f"HostKey {FOLDER}/host_{kind}\n" for kind in kinds) +
                   f"AuthorizedKeysFile {FOLDER}/login.pub\nPidFile none\nStrictModes no\nUsePAM no\nPermitRootLogin yes\n"
                   f"MaxStartups 200\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nSetEnv HOME={FOLDER} ASSAY_SPOOL={FOLDER}/spool\n"
                   f"{settings}\n")
    log = open(f"{FOLDER}/sshd.{name}.log", "w", encoding="utf-8")
    start_program(["/usr/sbin/sshd", "-D", "-e", "-f", config], stderr=log)
    if not wait_until(lambda: "listening on" in read(log.name), 20):
        raise RuntimeError(f"sshd: {read(log.name)}")
    _servers[name] = port
    return port


def reach(name, hosts, *words):
    """{host: (came in, its cause, the transport)} of one run over these: [(name, address, port, known_hosts)]"""
    user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
    lines = [f"defaults user={user} identity={FOLDER}/login platform=hgx-h100"]
    lines += [f"{host} address={address} port={port} known_hosts={known}" for host, address, port, known in hosts]
    db = f"{FOLDER}/{name}.db"
    done = assay("run", "-H", write(f"{name}.hosts", "\n".join(lines) + "\n"), "-s", write("reach.json", json.dumps(SUITE)), "--db", db,
                 "--progress", "none", "-o", f"{FOLDER}/{name}.html", *words)
    assert os.path.exists(db), done.stderr
    report = Report(db)
    ways = {report.steps[attempt["step"]]["target"]: attempt["transport"].split()[0].strip(",") for attempt in report.json["attempts"]}
    told = {}
    for step, item in report.outcomes():
        if item["metric"] == "reachable" or step["target"] not in told:
            told[step["target"]] = (item["outcome"] == "pass", item["cause"] + " " + item["remedy"], ways.get(step["target"], ""))
    assert set(told) == {host for host, *_ in hosts}, (told, done.stderr)
    return told


# -- Case by case, as OpenSSH's own client --

ONE = None  # each case's own address, {one} in the lines below

# Name, the address asked, which of the servers, known_hosts, and why ours may refuse what OpenSSH takes.
CASES = [
    ("nothing is known", ONE, "all", ""),
    ("the key is known", ONE, "all", "[{one}]:{port} {ed25519}"),
    ("another key is known", ONE, "all", "[{one}]:{port} {other}"),
    ("another key and the key", ONE, "all", "[{one}]:{port} {other}\n[{one}]:{port} {ed25519}"),
    ("the key at another port", ONE, "all", "[{one}]:1 {ed25519}"),
    ("another key at another port", ONE, "all", "[{one}]:1 {other}"),
    ("the key by the plain name", ONE, "all", "{one} {ed25519}"),
    ("another key by the plain name", ONE, "all", "{one} {other}"),
    ("the key by the plain name, another with the port", ONE, "all", "{one} {ed25519}\n[{one}]:{port} {other}"),
    ("a star for all, the key", ONE, "all", "* {ed25519}"),
    ("a star for all, another key", ONE, "all", "* {other}"),
    ("a star for all but this one", ONE, "all", "*,![{one}]:{port} {other}"),
    ("a negation first", ONE, "all", "![{one}]:{port},* {other}"),
    ("a negation of another", ONE, "all", "!elsewhere,* {other}"),
    ("only a negation of another", ONE, "all", "!elsewhere {other}"),
    ("a negation, and the same key on a line of its own", ONE, "all", "!*,* {ed25519}\n[{one}]:{port} {other}"),
    ("a star in the address, the key", ONE, "all", "[{loop}.*]:{port} {ed25519}"),
    ("a star in the address, another key", ONE, "all", "[{loop}.*]:{port} {other}"),
    ("a star in the address without a port, another key", ONE, "all", "{loop}.* {other}"),
    ("a star in the address without a port, the key", ONE, "all", "{loop}.* {ed25519}"),
    ("a star for the port, another key", ONE, "all", "[{one}]:* {other}"),
    ("question marks, another key", ONE, "all", "[{loop}.1??]:{port} {other}"),
    ("too few question marks, another key", ONE, "all", "[{loop}.??]:{port} {other}"),
    ("a list with it in the middle, another key", ONE, "all", "a,[{one}]:{port},b {other}"),
    ("a list with a pattern, the key", ONE, "all", "a,[{loop}*,b {ed25519}"),
    ("capitals in the file, another key", "localhost", "all", "[LOCALHOST]:{port} {other}"),
    ("capitals in the file, the key", "localhost", "all", "[LocalHost]:{port} {ed25519}"),
    ("capitals in what is asked, another key", "LocalHost", "all", "[localhost]:{port} {other}"),
    ("capitals in a pattern, another key", "localhost", "all", "*LOCAL* {other}"),
    ("nothing is known of a name", "LocalHost", "all", ""),
    ("hashed, the key", ONE, "all", "{hash} {ed25519}"),
    ("hashed, another key", ONE, "all", "{hash} {other}"),
    ("hashed by a hash that is none", ONE, "all", "|1|AAAA|BBBB {other}"),
    ("only ecdsa is known, and it is the key", ONE, "all", "[{one}]:{port} {ecdsa}"),
    ("only ecdsa is known, and the host has it no more", ONE, "one", "[{one}]:{port} {ecdsa}"),
    ("only RSA is known, and it is the key", ONE, "all", "[{one}]:{port} {rsa}"),
    ("only RSA is known, and it is another", ONE, "all", "[{one}]:{port} {other_rsa}"),
    ("only RSA is known, and the host has it no more", ONE, "one", "[{one}]:{port} {rsa}"),
    ("RSA by a pattern, and it is another", ONE, "all", "* {other_rsa}"),
    ("another RSA key, and the key", ONE, "all", "[{one}]:{port} {other_rsa}\n[{one}]:{port} {ed25519}"),
    ("the key is revoked", ONE, "one", "@revoked * {ed25519}\n[{one}]:{port} {ed25519}"),
    ("the key is revoked, and nothing else is known", ONE, "one", "@revoked * {ed25519}"),
    ("another key is revoked", ONE, "all", "@revoked * {other}"),
    ("the key is revoked for another host", ONE, "one", "@revoked elsewhere {ed25519}", "revoked anywhere is revoked"),
    ("an authority for all, and the host has no certificate", ONE, "all", "@cert-authority * {ca}"),
    ("an authority for others", ONE, "all", "@cert-authority elsewhere {ca}"),
    ("an authority for all, and another key", ONE, "all", "@cert-authority * {ca}\n* {other}"),
    ("the certificate of a known authority", ONE, "signed", "@cert-authority * {ca}"),
    ("the certificate of a known authority, and another key", ONE, "signed", "@cert-authority * {ca}\n* {other}"),
    ("a marker that nobody knows", ONE, "all", "@revoke [{one}]:{port} {ed25519}", "the line is not read"),
    ("comments, blanks and a comment behind", ONE, "all", "# hosts\n\n  \t[{one}]:{port}\t{other}  the old one"),
    ("a commented line", ONE, "all", "#[{one}]:{port} {other}"),
    ("CR LF, the key", ONE, "all", "[{one}]:{port} {ed25519}\r\n"),
    ("CR LF, another key", ONE, "all", "[{one}]:{port} {other}\r\n"),
    ("a line without a key", ONE, "all", "[{one}]:{port}\n", "the line is not read"),
    ("a key that is cut", ONE, "all", "[{one}]:{port} ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI", "the line is not read"),
    ("a key of SSH 1", ONE, "all", "[{one}]:{port} 1024 35 1234567"),
    ("no newline at the end", ONE, "all", "elsewhere {other}"),
]
BY_NO_NEWLINE = {"no newline at the end"}


def address_of(number):
    return CASES[number][1] or f"{LOOP}.{number + 100}"


def rounds(ports):
    """The numbers of the cases, so that no round asks the same address and port twice."""
    made = []
    for number, case in enumerate(CASES):
        asked = (address_of(number).lower(), ports[case[2]])
        free = [taken for taken in made if asked not in taken]
        if not free:
            made.append({})
            free = made[-1:]
        free[0][asked] = number
    return [list(taken.values()) for taken in made]


def prepare():
    """Each case's known_hosts; and the servers."""
    made = keys()
    ports = {"all": server("all", KINDS), "one": server("one", ("ed25519",))}
    subprocess.run(["ssh-keygen", "-q", "-s", f"{FOLDER}/ca", "-I", "host", "-h", f"{FOLDER}/host_ed25519.pub"], check=True, capture_output=True)
    ports["signed"] = server("signed", ("ed25519",), settings=f"HostCertificate {FOLDER}/host_ed25519-cert.pub")
    texts = []
    for number, (name, _, which, lines, *_) in enumerate(CASES):
        port = ports[which]
        text = lines.format(one=address_of(number), loop=LOOP, port=port, hash="{hash}", **made) + ("" if name in BY_NO_NEWLINE or not lines else "\n")
        if "{hash}" in text:
            plain = write("hashing", text.replace("{hash}", f"[{address_of(number)}]:{port}"))
            subprocess.run(["ssh-keygen", "-q", "-H", "-f", plain], check=True, capture_output=True)
            text = read(plain)
        texts.append(text)
    return ports, texts


def by_openssh(address, port, known, mode):
    return subprocess.Popen(
        ["ssh", "-F", "none", "-T", "-p", str(port), "-i", f"{FOLDER}/login", "-o", f"UserKnownHostsFile={known}", "-o",
         "GlobalKnownHostsFile=/dev/null", "-o", f"StrictHostKeyChecking={mode}", *shlex.split(
             "-o IdentitiesOnly=yes -o BatchMode=yes -o HashKnownHosts=no -o UpdateHostKeys=no -o ConnectTimeout=30"), "--",
         address, "true"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def unhashed(line, name):
    """The line in the clear, where the system has a spawned ssh hash names (Debian does)."""
    _, _, salt, rest = (line.split("|", 3) + ["", "", ""])[:4]
    if not line.startswith("|1|"):
        return line
    made = base64.b64encode(hmac.new(base64.b64decode(salt), name.encode(), hashlib.sha1).digest()).decode()
    return f"{name}{rest.removeprefix(made)}"


def tell(came_in, before, known, name):
    after = read(known) if os.path.exists(known) else ""
    return ("in" if came_in else "refused", unhashed(after[len(before):], name) if after.startswith(before) else f"changed: {after}")


def compare(mode, *words):
    """What differs, but for what may; the list of what may must be right too."""
    ports, texts = prepare()
    wrong, ours, theirs, running = [], [], [], []
    for number, text in enumerate(texts):
        theirs.append(write(f"theirs.{mode}.{number}", text))
        ours.append(write(f"ours.{mode}.{number}", text))
    for number, (_, _, which, *_) in enumerate(CASES):
        running.append(by_openssh(address_of(number), ports[which], theirs[number], mode))
        if len(running) >= 4:
            running[-4].wait()
    found = {}
    for count, numbers in enumerate(rounds(ports)):
        found |= reach(f"cases.{mode}.{count}", [(f"case{number}", address_of(number), ports[CASES[number][2]], ours[number])
                                                 for number in numbers], *words)
    for number, (name, _, _, _, *may) in enumerate(CASES):
        known_as = f"[{address_of(number).lower()}]:{ports[CASES[number][2]]}"
        them = tell(running[number].wait() == 0, texts[number], theirs[number], known_as)
        us = tell(found[f"case{number}"][0], texts[number], ours[number], known_as)
        if name in BY_NO_NEWLINE:
            us = (us[0], us[1].removeprefix("\n"))
        # What OpenSSH does not take we never do; what it takes we may refuse where that is said, and then add nothing.
        if may and us != ("refused", "") or not may and us != them:
            wrong.append(f"{name}: ssh {them}, assay {us}: {found[f'case{number}'][1]}")
        if may and mode == "accept-new" and them[0] != "in":
            wrong.append(f"{name}: ssh refuses it too, it is no exception")
    assert not wrong, "\n".join(wrong)
    decided = {way for _, _, way in found.values()}
    assert "ssh" in decided, "libssh2 decided none"


@attack(NETWORK, f"{len(CASES)} known_hosts files, before a real sshd: host keys known, unknown, changed, by patterns, hashed, marked",
        "each host let in or refused as OpenSSH's client does it, and no file touched")
def as_openssh():
    compare("yes")


@attack(NETWORK, f"the same {len(CASES)} with --accept-new-host-keys",
        "the same line is added as by OpenSSH's client, or none")
def as_openssh_with_new_keys():
    compare("accept-new", "--accept-new-host-keys")


@attack(NETWORK, "another key than that under a wildcard line, with --accept-new-host-keys", "refused; the line is named; nothing is added")
def changed_under_a_wildcard():
    made, port = keys(), server("one", ("ed25519",))
    known = write("wild", f"# all of them\n[{LOOP}.*]:* {made['other']}\n")
    came_in, cause, way = reach("wild", [("node1", f"{LOOP}.2", port, known)], "--accept-new-host-keys")["node1"]
    assert not came_in and "not the one in known_hosts" in cause and f"{known} line 2" in cause and way == "ssh", cause
    assert read(known).count("\n") == 2, read(known)


@attack(NETWORK, "another key where the known_hosts file cannot be read, with --accept-new-host-keys", "refused: unread is not empty")
def unreadable_file():
    port = server("one", ("ed25519",))
    os.makedirs(f"{FOLDER}/folder", exist_ok=True)
    came_in, cause, _ = reach("unread", [("node1", f"{LOOP}.2", port, f"{FOLDER}/folder")], "--accept-new-host-keys")["node1"]
    assert not came_in and "cannot be read" in cause, cause


@attack(NETWORK, "another key at port 22", "refused; and the command that is told as the remedy does mend it")
def remedy_at_port_22():
    made, port = keys(), server("usual", ("ed25519",), 22)
    address = f"{LOOP}.3"
    known = write("usual", f"elsewhere {made['other']}\n{address} {made['other']}\n")
    write("usual.hosts", f"node1 address={address} identity={FOLDER}/login known_hosts={known} platform=hgx-h100\n")
    done = assay("hosts", f"{FOLDER}/usual.hosts", "-s", write("reach.json", json.dumps(SUITE)), "--db", f"{FOLDER}/usual.db", "--progress",
                 "none", "--format", "json")
    commands = [command for mend in json.loads(done.stdout)["mend"] for command in mend["commands"]]
    assert any("ssh-keygen -R" in command for command in commands), done.stdout
    subprocess.run(["sh", "-c", commands[0]], check=True, capture_output=True)
    assert read(known) == f"elsewhere {made['other']}\n", read(known)
    assert reach("mended", [("node1", address, port, known)], "--accept-new-host-keys")["node1"][0]


# -- Algorithms --

WEAK = ("sha1", "md5", "cbc", "arcfour", "3des", "blowfish", "cast128", "ripemd", "ssh-dss", "ssh-rsa", "none")
NAMES = ("kexalgorithms", "hostkeyalgorithms", "ciphers", "ciphers", "macs", "macs")


def key_exchange(connection):
    """The lists of the KEXINIT that the client sends."""
    connection.sendall(b"SSH-2.0-Attacker\r\n")
    stream = connection.makefile("rb")
    stream.readline()
    length, padding, kind = struct.unpack(">IBB", stream.read(6))
    payload = stream.read(length - 2)[:length - 2 - padding]
    assert kind == 20, kind
    lists, at = [], 16
    while len(lists) < 8:
        size = struct.unpack(">I", payload[at:at + 4])[0]
        lists.append(payload[at + 4:at + 4 + size].decode().split(","))
        at += 4 + size
    return lists


@attack(NETWORK, "a host that wants algorithms which can be broken", "the KEXINIT of libssh2 offers none, and nothing that OpenSSH's client would not")
def what_is_offered():
    listening, taken = socket.create_server((f"{LOOP}.1", 0)), []
    keys()

    def serve():
        connection, _ = listening.accept()
        with connection:
            taken.append(key_exchange(connection))
            time.sleep(0.1)
    thread = threading.Thread(target=serve)
    thread.start()
    port = listening.getsockname()[1]
    came_in, _, way = reach("offers", [("node1", f"{LOOP}.1 transport=ssh", port, write("none", ""))])["node1"]
    thread.join()
    listening.close()
    lists = taken[0]
    assert not came_in and way == "ssh" and all(lists[number] != [""] for number in range(6)), lists
    weak = [name for names in lists[:6] for name in names if any(word in name for word in WEAK)]
    assert not weak, weak
    said = dict(line.split(" ", 1) for line in subprocess.run(["ssh", "-F", "none", "-G", "host"], stdin=subprocess.DEVNULL, capture_output=True,
                                                              text=True, check=True).stdout.splitlines())
    beyond = [name for number, what in enumerate(NAMES) for name in lists[number] if name not in said[what].split(",")]
    assert not [name for name in beyond if not name.startswith(("ext-info", "kex-strict"))], beyond
    assert "none" in lists[6] and "none" in lists[7], lists  # no compression is not weak


@attack(NETWORK, "sshds that have only SHA-1 for the key exchange, CBC, MD5, or DSA", "refused, by libssh2 and by ssh, with what to do")
def only_weak_ones():
    hosts = []
    known = write("weak", f"* {keys()['ed25519']}\n")
    settings = {"kex": "KexAlgorithms diffie-hellman-group14-sha1", "cipher": "Ciphers aes128-cbc,3des-cbc", "mac": "Ciphers aes128-ctr\nMACs hmac-md5"}
    for name, setting in settings.items():
        port = server(name, ("ed25519",), settings=setting)
        hosts += [(name, f"{LOOP}.1 transport=ssh", port, known), (f"{name}-auto", f"{LOOP}.2", port, known)]
    told = reach("weak", hosts)
    for name, (came_in, cause, way) in told.items():
        assert not came_in and "KexAlgorithms" in cause and "update it" in cause, (name, cause)
        assert way == ("openssh" if name.endswith("auto") else "ssh"), (name, way)
