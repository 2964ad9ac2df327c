# SPDX-License-Identifier: Apache-2.0
"""Who looks for passwords: in memory, core dumps, swap, command lines, environments, files. Real sshd and sudo want them, of a
user that only the mount namespace of this test knows."""

import glob
import http.server
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import string
import subprocess
import sys
import threading
import time

import cluster
import people
from attack import NETWORK, READER, USER, Skip, attack
from cluster import FOLDER, Report, assay, start_program, wait_until

NEEDED = ("/usr/sbin/sshd", "ssh-keygen", "sudo", "unshare", "mount", "openssl")
INSIDE = "ASSAY_TEST_NAMESPACE"
LOOP = f"127.{random.randrange(64, 250)}.{random.randrange(256)}"  # a loopback network of our own
PIECE = 8          # so much of a password is as bad as all of it
LARGE = 4 << 30    # AddressSanitizer's own mappings; nothing else is as large
SLEEP_S = 3


def go_inside():
    """Into a mount namespace of our own, where that is possible; else the reason why it is not."""
    if os.environ.get(INSIDE) == "yes":
        return ""
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if os.geteuid() != 0:
        return "needs root, to give a private namespace users of its own"
    if missing:
        return f"not installed: {', '.join(missing)}"
    tried = subprocess.run(["unshare", "--mount", "--propagation", "private", "mount", "--bind", "/etc/passwd", "/etc/passwd"],
                           capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        return f"no private mounts here: {tried.stderr.strip()}"
    shutil.rmtree(FOLDER)
    os.execvpe("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable, *sys.argv], {**os.environ, INSIDE: "yes"})
    return ""


WHY_NOT = go_inside()
_port = []


def a_password():
    """With what a shell might take for its own; new for each test, so that nothing else is called that."""
    letters = "".join(random.choices(string.ascii_letters + string.digits, k=24))
    return f"{letters[:8]} $'\"{letters[8:16]}\\n{letters[16:]}"


people.PASSWORD = a_password()   # steward's, of sshd and of sudo
people.PORTERS = a_password()    # a wrong one, here


def write(name, text, mode=0o644):
    path = f"{FOLDER}/{name}"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


def free_port():
    with socket.create_server((f"{LOOP}.1", 0)) as found:
        return found.getsockname()[1]


WAYS = {1: "PasswordAuthentication yes\nUsePAM no", 2: "PasswordAuthentication no\nKbdInteractiveAuthentication yes\nUsePAM yes",
        3: "PasswordAuthentication yes\nUsePAM no", 4: "PasswordAuthentication no\nUsePAM no"}


def hosts():
    """Their hostfile: one asks for a password, one by questions, one is reached by the ssh program, and one takes a key only."""
    if WHY_NOT:
        raise Skip(WHY_NOT)
    if not _port:
        os.chmod(FOLDER, 0o755)
        people.add_users()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", "/var/tmp"], check=True)  # no locks of other tests
        os.mkdir(f"{FOLDER}/sudoers.d")
        subprocess.run(["mount", "--bind", f"{FOLDER}/sudoers.d", "/etc/sudoers.d"], check=True)
        people.bind("sudoers", "Defaults !syslog\nroot ALL=(ALL) ALL\nsteward ALL=(ALL) ALL\n", "/etc/sudoers", 0o440)
        for name in ("host_key", "login_key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{FOLDER}/{name}"], check=True)
        os.makedirs("/run/sshd", exist_ok=True)
        _port.append(free_port())
        for number, settings in WAYS.items():
            config = write(f"sshd_config.{number}", f"ListenAddress {LOOP}.{number}:{_port[0]}\nHostKey {FOLDER}/host_key\nPidFile none\n"
                           f"StrictModes no\nMaxStartups 100\nAuthorizedKeysFile {f'{FOLDER}/login_key.pub' if number == 4 else 'none'}\n{settings}\n")
            with open(f"{FOLDER}/sshd.{number}.log", "w", encoding="utf-8") as log:
                start_program(["/usr/sbin/sshd", "-D", "-e", "-f", config], stderr=log)
            if not wait_until(lambda file=log.name: "listening on" in open(file, encoding="utf-8").read(), 20):
                raise RuntimeError("sshd does not answer")
    with open(f"{FOLDER}/host_key.pub", encoding="utf-8") as file:
        key = " ".join(file.read().split()[:2])
    known = write("known_hosts", "".join(f"[{LOOP}.{number}]:{_port[0]} {key}\n" for number in WAYS))
    lines = [f"defaults user=steward become=sudo port={_port[0]} platform=hgx-h100 known_hosts={known} timescale=100"]
    more = {3: " transport=openssh", 4: f" identity={FOLDER}/login_key"}
    lines += [f"node{number} address={LOOP}.{number}{more.get(number, '')}" for number in WAYS]
    return write("hosts", "\n".join(lines) + "\n")


def suite():
    arguments = {"command": f"echo user $(id -u); sleep {SLEEP_S}", "pattern": "^user (?<uid>\\d+)$", "as_root": True}
    return write("suite.json", json.dumps({"name": "s", "title": "s", "steps": [
        {"check": "command", "arguments": arguments, "exclusive": "none", "limits": [{"metric": "command.uid", "equal": 0, "source": "s", "status": "contract"}]}]}))


def begin(name, *words, numbers=(1, 2), password=None):
    """assay run on these hosts, with both passwords by descriptors, or sudo's alone where all take a key."""
    login, sudo = people.descriptor(password or people.PASSWORD), people.descriptor(people.PASSWORD)
    by_password = ("--password-fd", str(login)) if set(numbers) != {4} else ()
    words = ("run", "-H", hosts(), "-s", suite(), "--db", f"{FOLDER}/{name}.db", "-o", f"{FOLDER}/{name}.html", "--progress", "plain",
             "--hosts", ",".join(f"node{number}" for number in numbers), *by_password, "--sudo-password-fd", str(sudo), *words)
    child = start_program([cluster.ASSAY, *words], cwd=FOLDER, env=cluster.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, pass_fds=(login, sudo), start_new_session=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)))
    os.close(login)
    os.close(sudo)
    return child


# -- Memory --

def pieces():
    return [password.encode()[at:at + PIECE] for password in (people.PASSWORD, people.PORTERS)
            for at in range(0, len(password) - PIECE + 1, PIECE)]


def has_piece(data):
    return any(piece in data for piece in pieces())


def mappings(pid):
    """(first, last, what it is, its flags) of what can be read and is there. Whether it may be locked: AddressSanitizer makes
    nothing of mlock()."""
    found, head, sanitized = [], None, False
    with open(f"/proc/{pid}/smaps", encoding="utf-8", errors="replace") as file:
        for line in file:
            if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
                words = line.split()
                first, last = (int(word, 16) for word in words[0].split("-"))
                head, there = (first, last, words[5] if len(words) > 5 else "", words[1]), 0
                sanitized |= last - first >= LARGE
            elif line.startswith(("Rss:", "Swap:")):
                there += int(line.split()[1])
            elif line.startswith("VmFlags:") and there > 0 and head[3][0] == "r" and head[1] - head[0] < LARGE:
                found.append((*head[:3], line.split()[1:]))
    return found, sanitized


def search(pid):
    """[(kept: in memory that is locked and in no core dump, what the mapping is)] of where a piece of the password stands."""
    found, (there, sanitized) = [], mappings(pid)
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for first, last, name, flags in there:
            try:
                memory.seek(first)
                data = memory.read(last - first)
            except (OSError, ValueError):
                continue
            if has_piece(data):
                found.append(({"dd"} | (set() if sanitized else {"lo"}) <= set(flags), f"{name or 'anonymous'} {first:x} {' '.join(flags)}"))
    return found


def status_of(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        name, rest = file.read().split("(", 1)[1].rsplit(")", 1)
    return name, int(rest.split()[1])


def family(pid):
    """{pid: name} of it and all below it."""
    parents = {}
    for other in filter(str.isdigit, os.listdir("/proc")):
        try:
            parents[int(other)] = status_of(other)
        except OSError:
            continue
    found = {pid: parents[pid][0]} if pid in parents else {}
    while more := {other: name for other, (name, parent) in parents.items() if parent in found and other not in found}:
        found.update(more)
    return found


def sleeps():
    """How many of the hosts' commands are at work."""
    count = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                count += file.read() == f"sleep\0{SLEEP_S}\0".encode()
        except OSError:
            continue
    return count


class Search:
    """What was found in all of them, in many moments."""

    def __init__(self):
        self.astray, self.kept, self.working, self.moments, self.others = set(), 0, 0, 0, set()

    def look(self, pid):
        """One moment: they all stand still."""
        members = family(pid)
        for one in members:
            try:
                os.kill(one, signal.SIGSTOP)
            except ProcessLookupError:
                pass
        self.moments += 1
        self.working += sleeps() > 0
        for one, name in members.items():
            try:
                for kept, where in search(one):
                    self.kept += kept
                    if not kept:
                        (self.astray if os.path.basename(os.readlink(f"/proc/{one}/exe")).startswith("assay") else self.others).add(f"{name}: {where}")
            except OSError:
                continue
        for one in members:
            try:
                os.kill(one, signal.SIGCONT)
            except ProcessLookupError:
                pass

    def judge(self):
        assert not self.astray, "\n".join(sorted(self.astray))
        assert self.kept > 0 and self.working > 0 and self.moments > self.working, vars(self)


def commands_ran_as_root(name, count, told=""):
    """So each host was logged in to, and took sudo's password."""
    uids = [item["measured"] for _, item in Report(f"{FOLDER}/{name}.db").outcomes() if item["metric"] == "command.uid"]
    assert uids == ["0"] * count, (uids, told)


def finished(name, child, count=2):
    """What the run said; it did what it should have."""
    out, err = child.communicate(timeout=cluster.PATIENCE_S)
    commands_ran_as_root(name, count, out + err)
    return out + err


def look_until_its_end(searched, child):
    while child.poll() is None:
        searched.look(child.pid)
        time.sleep(0.05)


def search_all(name, numbers):
    searched, child = Search(), begin(name, numbers=numbers)
    look_until_its_end(searched, child)
    finished(name, child, len(numbers))
    searched.judge()
    return searched.others


@attack(READER, "reads all memory of a run with passwords, and of all that it starts: before, while and after commands run",
        "no eight bytes of a password but in memory that is locked and left out of core dumps")
def memory():
    others = search_all("memory", (1, 2)) | search_all("key", (4,))
    assert not others, others


@attack(READER, "the same while a host takes its time over a password that is wrong", "the same")
def memory_during_login():
    searched, child = Search(), begin("wrong", numbers=(2,), password=people.PORTERS)
    look_until_its_end(searched, child)
    out, err = child.communicate()
    assert "does not accept the password" in out + err, out + err
    assert not searched.astray | searched.others and searched.kept > 0 and searched.moments >= 3, vars(searched)


@attack(READER, "the same where a host is reached by the ssh program", "the same of assay; what ssh itself keeps is in ssh alone")
def memory_beside_ssh():
    others = search_all("spawned", (2, 3))
    assert {where.split(":")[0] for where in others} <= {"ssh"}, others


@attack(READER, "the same of a run with --detach, which goes on in another process", "the same")
def detached():
    child = begin("detached", "--detach")
    out, err = child.communicate(timeout=cluster.PATIENCE_S)
    log = re.search(r"^log: (.*)$", out, re.M)
    assert log, out + err
    driver = [int(pid) for pid in filter(str.isdigit, os.listdir("/proc")) if names_database(pid, "detached.db")]
    searched = Search()
    while driver and names_database(driver[0], "detached.db"):
        searched.look(driver[0])
        time.sleep(0.05)
    commands_ran_as_root("detached", 2)
    searched.judge()


def names_database(pid, name):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return f"{FOLDER}/{name}".encode() in file.read()
    except OSError:
        return False


@attack(USER, "looks into command lines, environments, spools, temporary files, database, report and log of a run with passwords",
        "no eight bytes of a password anywhere")
def everywhere_else():
    with people.Watcher() as watcher:
        said = finished("files", begin("files", numbers=WAYS), len(WAYS))
    assert not has_piece(said.encode())
    assert not watcher.seen, watcher.seen
    places = [FOLDER, f"/var/tmp/assay-{people.USERS['steward']}", *glob.glob("/tmp/assay-ssh-*")]
    files = [os.path.join(folder, name) for place in places for folder, _, names in os.walk(place) for name in names]
    assert any(path.endswith("files.db") for path in files) and any(path.endswith("files.html") for path in files), files
    for path in files:
        if os.path.isfile(path) and not os.path.islink(path):
            with open(path, "rb") as file:
                assert not has_piece(file.read()), path
    exported = assay("export", "1", "--db", f"{FOLDER}/files.db", "-o", f"{FOLDER}/files.tar")
    shown = assay("report", "1", "--db", f"{FOLDER}/files.db", "--format", "json", "-o", "-")
    assert shown.returncode in (0, 1, 2, 3) and not has_piece((shown.stdout + shown.stderr + exported.stdout).encode()), shown.stderr


@attack(READER, "a core dump of the controller while a command runs", "no eight bytes of a password in it")
def core_dump():
    with open("/proc/sys/kernel/core_pattern", encoding="ascii") as file:
        pattern = file.read().strip()
    if pattern.startswith(("|", "/")):
        raise Skip(f"core dumps go elsewhere here: {pattern}")
    child = begin("dumped")
    assert wait_until(lambda: sleeps() > 0, 60), "no command runs"
    os.kill(child.pid, signal.SIGABRT)
    child.communicate(timeout=60)
    cores = glob.glob(f"{FOLDER}/{pattern.split('%')[0]}*")
    if child.returncode != -signal.SIGABRT or not cores:
        raise Skip(f"no core dump is written here: {child.returncode}, {cores}")
    with open(cores[0], "rb") as file:
        data = file.read()
    os.remove(cores[0])
    assert b"@assay-begin" in data, "the core dump is not the program's"
    assert not has_piece(data)
    assert wait_until(lambda: sleeps() == 0, 60), "the hosts' commands go on"


# -- Webhooks: their URLs are secrets --

class Receiver(http.server.ThreadingHTTPServer):
    """Takes whatever comes to this address; `leads_to`: and sends it on."""

    def __init__(self, address, leads_to=None, port=0):
        super().__init__((address, port), Handler)
        self.asked, self.leads_to = [], leads_to
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.server.asked.append(f"{self.command} {self.path} {self.headers.get('Authorization', '')}")
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(307 if self.server.leads_to else 200)
        if self.server.leads_to:
            self.send_header("Location", self.server.leads_to)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_CONNECT = do_POST

    def log_message(self, *_):
        pass


TOKEN = "tOkEn-4f9c2b71"


def tell(url, **more):
    """assay alert --try to this URL."""
    if shutil.which("curl") is None:
        raise Skip("there is no curl")
    path = write("alert.json", json.dumps({"receivers": [{"name": "ops", "kind": "json", "url": url}]}), 0o600)
    done = assay("alert", "--try", "--to", path, **more)
    assert TOKEN not in done.stdout + done.stderr, done.stderr
    return done


# {port} is that of two servers: ours at 127.0.0.1, and somebody else's, at EVIL.
EVIL = f"{LOOP}.66"
ELSEWHERE = [
    "http://127.0.0.1:{port}@{evil}:{port}/{token}", "http://127.0.0.1@{evil}:{port}/{token}", "http://localhost:1@{evil}:{port}/{token}",
    "http://[::1]:1@{evil}:{port}/{token}", "http://{evil}:{port}/{token}", "http://{evil}:{port}#@127.0.0.1/{token}",
    "http://{evil}:{port}?@127.0.0.1/{token}", "http://{evil}:{port}/@127.0.0.1/{token}", "http://127.0.0.1\\@{evil}:{port}/{token}",
    "http://127.0.0.1\t@{evil}:{port}/{token}", "http://127.0.0.1/{token}\r\nurl = http://{evil}:{port}/{token}",
    "http://127.0.0.1/{token}\"\nurl = \"http://{evil}:{port}/{token}", "http://{evil_number}:{port}/{token}", "http://localhost.{evil}:{port}/{token}",
    "http:\\\\{evil}:{port}/{token}", "gopher://{evil}:{port}/_{token}", "ftp://{evil}:{port}/{token}", "file:///etc/passwd#{token}",
    "HTTP://{evil}:{port}/{token}", "http:///{evil}:{port}/{token}", "http://{evil}:{port}/{token}" + "x" * 70000]
HERE = ["http://127.0.0.1:{port}/{token}", "HTTP://LocalHost:{port}/{token}", "http://127.1:{port}/{token}", "http://0x7f000001:{port}/{token}",
        "http://{evil}@127.0.0.1:{port}/{token}", "http://127.0.0.1:{port}/{token}#@{evil}/"]


def two_receivers(**more):
    evil = Receiver(EVIL)
    try:
        return Receiver("127.0.0.1", port=evil.server_port, **more), evil
    except OSError:
        evil.close()
        return two_receivers(**more)


@attack(NETWORK, f"webhook URLs with http:// that read as if they led to this machine, or lead there in other words: {len(ELSEWHERE)} and {len(HERE)}",
        "refused before anything is sent, or sent to this machine alone; no secret is told")
def webhooks():
    ours, evil = two_receivers()
    number = int.from_bytes(socket.inet_aton(EVIL), "big")
    words = {"port": ours.server_port, "evil": EVIL, "evil_number": number, "token": TOKEN}
    for url in (text.format(**words) for text in ELSEWHERE):
        done = tell(url)
        assert done.returncode == 64 and "the URL of receiver 'ops'" in done.stderr, (url, done.returncode, done.stderr)
    assert not ours.asked and not evil.asked, (ours.asked, evil.asked)
    for url in (text.format(**words) for text in HERE):
        done = tell(url, http_proxy=f"http://{EVIL}:{evil.server_port}", ALL_PROXY=f"http://{EVIL}:{evil.server_port}")
        assert done.returncode == 0, (url, done.returncode, done.stderr)
    ours.close()
    evil.close()
    assert len(ours.asked) == len(HERE) and all(f"/{TOKEN} " in line for line in ours.asked) and not evil.asked, (ours.asked, evil.asked)


@attack(NETWORK, "a webhook on this machine sends the message on to another one", "it is not followed, and that is said")
def redirects():
    ours, evil = two_receivers()
    ours.leads_to = f"http://{EVIL}:{evil.server_port}/{TOKEN}"
    done = tell(f"http://127.0.0.1:{ours.server_port}/{TOKEN}")
    ours.close()
    evil.close()
    assert done.returncode == 2 and "redirects are not followed" in done.stderr and len(ours.asked) == 1 and not evil.asked, (done.stderr, evil.asked)
