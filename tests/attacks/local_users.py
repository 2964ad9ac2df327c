# SPDX-License-Identifier: Apache-2.0
"""What another user of a host tries against the tests that run there. Each row is a host of its own: the real program with
transport=local in mounts and processes apart, where /var/tmp, /tmp and /dev/shm are the host's own. Mallory has no other
rights than to log in; she has made ready what the row says before the run begins, or goes on during it."""

import json
import os
import shutil
import subprocess

import time

from attack import USER, Skip, attack
from cluster import ASSAY, FOLDER, Report, environment

ROOT, MALLORY, ALICE, BOB = 0, 47300, 47301, 47302
OWNERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "check", "sh", "owners.sh")
HOST = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation", "private"]
BEGIN = f"""
mount --bind {FOLDER} /mnt && cd /mnt && mount --bind {os.path.dirname(ASSAY)} /mnt/program || exit
for d in /var/tmp /tmp /dev/shm; do mount -t tmpfs -o mode=1777,size=64m tmpfs $d || exit; done
boot=$(cat /proc/sys/kernel/random/boot_id)
as() {{ uid=$1; shift; setpriv --reuid "$uid" --regid "$uid" --clear-groups "$@"; }}
mallory() {{ as {MALLORY} "$@"; }}
run() {{ as "$1" /mnt/program/{os.path.basename(ASSAY)} run -H hostfile -s "$2.json" --db "$3/assay.db" --progress none -o "$3/report.html"; }}
"""
PLATFORM = {"name": "plain.json", "title": "hosts without GPUs, taken for one GPU each", "source": "this test",
            "gpus": {"count": 1, "models": ["none"], "pci_ids": ["10de:2330"]}, "nvlink": {"links": 0},
            "nvswitch": False, "fabric_state": False, "driver_minimum": "525.60.13"}
PATIENCE_S = 100
# At a tenth of their time: pauses between two questions, and the time that a window may take.
HOSTFILE = "defaults platform=plain.json slots=1 timescale=10\nnode1 transport=local\n"
BOUND_S = 60  # of all of it, with what is prepared: that the question ran into its own deadline, of 30, the outcome would tell


def write(path, text, mode=0o644):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def command(name, line):
    """A suite that runs it and wants "done" from it."""
    write(f"{FOLDER}/{name}.json", json.dumps({"name": name, "title": name, "purpose": "trial", "steps": [
        {"check": "reachable"},
        {"check": "command", "needs": ["reachable"], "arguments": {"command": line, "pattern": "^(?<done>done)$"},
         "limits": [{"metric": "command.done", "equal": "done", "source": "this test", "status": "contract"}]}]}))


def prepare():
    if os.geteuid() != 0:
        raise Skip("needs root, to be several users")
    tried = subprocess.run([*HOST, "sh", "-c", "mount -t tmpfs tmpfs /var/tmp"], capture_output=True, text=True, check=False)
    if tried.returncode != 0 or shutil.which("setpriv") is None:
        raise Skip(f"no namespaces here: {tried.stderr}")
    os.chmod(FOLDER, 0o755)
    write(f"{FOLDER}/{PLATFORM['name']}", json.dumps(PLATFORM))
    write(f"{FOLDER}/hostfile", HOSTFILE)
    command("test", "touch /mnt/r/ran; echo done")
    os.makedirs(f"{FOLDER}/program", exist_ok=True)
    for name in ("r", "r2"):
        shutil.rmtree(f"{FOLDER}/{name}", ignore_errors=True)
        os.mkdir(f"{FOLDER}/{name}")
        os.chmod(f"{FOLDER}/{name}", 0o777)


def on_a_host(script):
    """Runs it there, to its end; seconds."""
    prepare()
    began = time.monotonic()
    done = subprocess.run([*HOST, "bash", "-c", BEGIN + script], env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=PATIENCE_S, check=False)
    return done, time.monotonic() - began


def told(folder="r"):
    """outcome, cause and attempts of the active step, and the run's verdict."""
    report = Report(f"{FOLDER}/{folder}/assay.db")
    items = [item for step, item in report.outcomes() if step["check"] == "command"]
    tries = [attempt for attempt in report.json["attempts"] if report.steps[attempt["step"]]["check"] == "command"]
    return items[0]["outcome"], items[0].get("cause", ""), len(tries), report.verdict


def run_as(user, before, *, outcome, words=(), absent=(), bound_s=BOUND_S, suite="test"):
    """A run of that user where `before` was done: what becomes of its test, what the cause says, and in bounded time."""
    done, seconds = on_a_host(f"{before}\nmkdir -p /mnt/r\nrun {user} {suite} /mnt/r\n")
    assert "verdict:" in done.stdout, done.stdout + done.stderr
    found, cause, tries, verdict = told()
    lacking = [word for word in words if word not in cause] + [word for word in absent if word in cause]
    assert (found, tries) == (outcome, 1) and not lacking and seconds < bound_s, (found, tries, cause, lacking, seconds)
    assert (done.returncode, verdict) == ((0, "accept") if outcome == "pass" else (2, "incomplete")), (done.returncode, verdict)
    assert os.path.exists(f"{FOLDER}/r/ran") == (outcome == "pass"), "a test that did not run has run, or the other way round"


# What was found: in the folder that all could write to, and in that of hers.
LITTER = """
for d in /var/tmp/assay-locks /var/tmp/assay-locks-%d; do
    mallory mkdir -p -m 777 $d
    mallory sh -c "cd $d && %s"
done
"""


def littered(line):
    return LITTER % (MALLORY, line)


@attack(USER, "a sparse file of 3 GB among the locks", "it costs nothing, and the test runs")
def sparse_file():
    run_as(ROOT, littered("truncate -s 3G x x.$boot"), outcome="pass")


@attack(USER, "a FIFO, a folder and links to /dev/zero, /etc/shadow and to itself among the locks",
        "none is opened or followed, and the test runs")
def what_is_no_lock():
    run_as(ROOT, littered("mkfifo p.$boot; mkdir d.$boot; ln -s /dev/zero z.$boot; ln -s /etc/shadow s.$boot; ln -s l.$boot l.$boot"),
           outcome="pass")


@attack(USER, "100,000 files among the locks", "they cost little, and the test runs")
def many_files():
    run_as(ROOT, f"mallory mkdir /var/tmp/assay-locks-{MALLORY}\n"
           f"mallory sh -c 'cd /var/tmp/assay-locks-{MALLORY} && seq -f file%.0f.'$boot' 100000 | xargs touch'", outcome="pass")


@attack(USER, "100,000 locks", "not run: she is named, in bounded time")
def many_locks():
    run_as(ROOT, f"mallory mkdir /var/tmp/assay-locks-{MALLORY}\nmallory python3 -c 'import os, sys\n"
           f"for n in range(100000): os.symlink(\"x\", \"/var/tmp/assay-locks-{MALLORY}/%d.%s\" % (n, sys.argv[1]))' $boot",
           outcome="not run", words=["holds more than 100 locks", f"uid {MALLORY}"])


@attack(USER, "2,000 folders that are named as those of locks", "not run: one whose it is, is named, in bounded time")
def many_folders():
    run_as(ROOT, "mallory sh -c 'cd /var/tmp && seq -f assay-locks-%.0f 50000 52000 | xargs mkdir'",
           outcome="not run", words=["more than 1000 folders", f"uid {MALLORY}"])


@attack(USER, "the folder of our locks is hers", "another place takes our lock, and the test runs")
def squatted_once():
    run_as(ROOT, "mallory mkdir -m 777 /var/tmp/assay-locks-0", outcome="pass")


@attack(USER, "the folder of our locks is a link, a folder and a file of hers, in all places", "not run: each is named, with her")
def squatted_everywhere():
    run_as(ROOT, "mallory ln -s /etc /var/tmp/assay-locks-0; mallory mkdir -m 777 /tmp/assay-locks-0; mallory touch /dev/shm/assay-locks-0",
           outcome="not run", words=["/var/tmp/assay-locks-0 is a symbolic link of", "/tmp/assay-locks-0 is a directory of",
                                     "/dev/shm/assay-locks-0 is a regular empty file of", f"uid {MALLORY}"])


@attack(USER, "she cannot be kept from filling or losing all places for locks", "not run, with each named; never without a lock")
def read_only():
    run_as(ROOT, "for d in /var/tmp /tmp /dev/shm; do mount -o remount,ro $d; done",
           outcome="not run", words=["no lock can be taken", "/var/tmp/assay-locks-0 cannot be created", "/dev/shm/assay-locks-0 cannot be created"])


CLAIM = f"""
mallory mkdir /var/tmp/assay-locks-{MALLORY}
up=$(cut -d. -f1 /proc/uptime)
mallory ln -s "%s 11111111-1111-4111-8111-111111111111 $((up + %d)) $((up + 90000)) 2026-01-01T00:00:00Z %s" \
    /var/tmp/assay-locks-{MALLORY}/x.$boot
"""


@attack(USER, "a lock of a run that does not exist, in the name of root", "not run: it says that the lock is hers")
def forged():
    run_as(ROOT, CLAIM % ("22222222-2222-4222-8222-222222222222", 50, "root@login1"), outcome="not run",
           words=["in use: assay run 22222222", f"according to a lock of UNKNOWN (uid {MALLORY})"])


@attack(USER, "such a lock that is fresh for ever, of a test that nobody runs", "it counts no longer than an honest one: the test runs")
def fresh_for_ever():
    run_as(ROOT, CLAIM % ("22222222-2222-4222-8222-222222222222", 10 ** 9, "root@login1"), outcome="pass")


@attack(USER, "escapes, newlines and the program's own words in a lock", "they reach nobody: not run, and she is named")
def forged_words():
    run_as(ROOT, CLAIM % ("22222222-2222-4222-8222-222222222222", 50, "$(printf '\\033[2J\\n? nobody\\n.\\n@assay-part x')"), outcome="not run",
           words=[f"(uid {MALLORY})"], absent=["\033", "\n"])


STORM = f"""
mallory sh -c 'while :; do for d in /var/tmp /tmp /dev/shm; do
    for f in $d/assay-locks-0/*; do n=${{f##*/}}; rm -f "$f"; ln -s "${{n%%.*}} x 1 1 2026-01-01T00:00:00Z nobody" "$f"
        mkdir $d/assay-locks-{MALLORY}; ln -s "${{n%%.*}} x 1 1 2026-01-01T00:00:00Z nobody" "$d/assay-locks-{MALLORY}/$n"; done
    rm -rf $d/assay-locks-0; mv $d/assay-locks-0 $d/gone; ln -s /etc $d/assay-locks-0
done; sleep 0.01; done' 2>/dev/null &
storm=$!
"""


@attack(USER, "she removes, renames and replaces our lock and its folder as fast as she can", "it stays, and the test runs under it")
def storm():
    prepare()
    command("seen", "touch /mnt/r/ran; sleep 1; [ -L /var/tmp/assay-locks-0/*.*.* ] && [ ! -L /var/tmp/assay-locks-0 ] && "
            "[ $(stat -c %u /var/tmp/assay-locks-0) = 0 ] && echo done")
    run_as(ROOT, "mkdir -m 755 /var/tmp/assay-locks-0\n" + STORM, outcome="pass", suite="seen")


@attack(USER, "a process of hers that is named slurmd", "not run where Slurm does not answer: pid and owner are named")
def forged_slurmd():
    run_as(ROOT, "cp /bin/sleep /mnt/slurmd; mallory /mnt/slurmd 60 &\nsleep 0.3", outcome="not run",
           words=["slurmd runs there (pid ", f"(uid {MALLORY})"])


@attack(USER, "an ordinary user tests where nobody sees the processes of others", "not run: nobody can say whose the host is")
def hidden():
    run_as(ALICE, "mount -o remount,hidepid=2 /proc", outcome="not run", words=["cannot see the processes of others"])


@attack(USER, "all places for outputs are hers", "inconclusive: each is named, with whose it is")
def squatted_spools():
    run_as(ALICE, f"mallory mkdir -m 777 /var/tmp/assay-{ALICE}; mallory ln -s /etc /tmp/assay-{ALICE}; mallory touch /dev/shm/assay-{ALICE}",
           outcome="inconclusive", words=[f"/var/tmp/assay-{ALICE} is a directory of", f"/tmp/assay-{ALICE} is a symbolic link of",
                                          f"/dev/shm/assay-{ALICE} is a regular empty file of"])


TOGETHER = """
run %d first /mnt/r >/mnt/r/out 2>&1 &
for n in $(seq 200); do [ -e /mnt/r/began ] && break; sleep 0.05; done
run %d test /mnt/r2
touch /mnt/r/over
wait $!
"""


def together(first, second):
    prepare()
    command("first", "touch /mnt/r/began; while [ ! -e /mnt/r/over ]; do sleep 0.1; done; echo done")
    done, _ = on_a_host(TOGETHER % (first, second))
    outcome, cause, _, verdict = told("r2")
    assert (outcome, verdict) == ("not run", "incomplete") and "in use: assay run " in cause and f"(uid {first})" in cause, (outcome, cause)
    assert not os.path.exists(f"{FOLDER}/r/ran"), "the second has run"
    assert told()[0::3] == ("pass", "accept"), (told(), done.stdout, done.stderr)


@attack(USER, "two ordinary users test one host at once", "the second leaves it alone, and names the first")
def two_users():
    together(ALICE, BOB)


@attack(USER, "an ordinary user tests where root does, whose processes he does not see", "he leaves it alone, and names root")
def beside_root():
    together(ROOT, ALICE)


@attack(USER, "root tests where an ordinary user does", "root leaves it alone, and names him")
def root_beside():
    together(ALICE, ROOT)


RACE_S = 60  # what a slow machine may take of it
RACE = f"""
exec 2>/dev/null
export pause_s=0.1 limit_s=0 fresh_s=62 lease_s=100 who=x node=x
both=0 unanswered=0 held=0
until=$(($(date +%s) + {RACE_S}))
for n in $(seq 200); do
    [ "$(date +%s)" -lt "$until" ] || break
    rm -rf /var/tmp/assay-locks-*
    case $((n % 2)) in 0) other={ALICE} ;; 1) other=0 ;; esac
    run=A ASSAY_ATTEMPT=a sh /mnt/owners.sh before >/mnt/r/a & a=$!
    run=B ASSAY_ATTEMPT=b as $other sh /mnt/owners.sh before >/mnt/r/b & b=$!
    wait $a || unanswered=$((unanswered + 1)); wait $b || unanswered=$((unanswered + 1))
    ls /var/tmp/assay-locks-*/A.* >/mnt/r/la; ls /var/tmp/assay-locks-*/B.* >/mnt/r/lb
    for x in a b; do
        # who was told "nobody's" has a lock there, and who was not has none
        if [ -s /mnt/r/$x ]; then [ -s /mnt/r/l$x ] && both=$((both + 100)); else [ -s /mnt/r/l$x ] && held=$((held + 1)) || both=$((both + 100)); fi
    done
    [ -s /mnt/r/a ] || [ -s /mnt/r/b ] || both=$((both + 1))
done
echo "both $both, unanswered $unanswered"
[ $held -gt 10 ] && echo some
"""


@attack(USER, "two start at the same moment on a host without a folder for locks, up to 200 times", "never both, and no lock is lost")
def race():
    prepare()
    shutil.copy(OWNERS, f"{FOLDER}/owners.sh")
    done, _ = on_a_host(RACE)
    assert done.stdout.split("\n")[:2] == ["both 0, unanswered 0", "some"], done.stdout + done.stderr


# The attempt's number stands in the command line of the guard, where all users see it.
WATCH = f"""import os, re, sys
while True:
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = open("/proc/%s/cmdline" % pid, "rb").read().decode(errors="replace")
        except OSError:
            continue
        for uuid in re.findall("[0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}", words):
            try:
                os.symlink("/mnt/victim", "/mnt/scratch/assay-" + uuid)
            except OSError:
                pass
"""


@attack(USER, "links under the names of files that a test of storage might make, in a folder that all may write to",
        "none is written through")
def storage():
    prepare()
    write(f"{FOLDER}/victim", "precious")
    write(f"{FOLDER}/watch.py", WATCH)
    os.makedirs(f"{FOLDER}/bin", exist_ok=True)
    write(f"{FOLDER}/bin/fio", "#!/bin/sh\nls -A /mnt/scratch >/mnt/there; ls -l /proc/self/fd/9 >/mnt/opened\n"
          "echo overwritten >/proc/self/fd/9\necho none\n", 0o755)
    write(f"{FOLDER}/disk.json", json.dumps({
        "name": "disk", "title": "disk", "purpose": "trial", "search_path": ["/mnt/bin"], "steps": [
            {"check": "reachable"},
            {"check": "storage", "needs": ["reachable"], "record": ["*"], "retries": 0,
             "arguments": {"mounts": ["/tmp"], "fio_folder": "/mnt/scratch", "fio_size": "1M", "fio_seconds": 1}}]}))
    on_a_host("mkdir -p -m 777 /mnt/scratch; chmod 777 /mnt/scratch; mallory python3 /mnt/watch.py & sleep 0.5; run 0 disk /mnt/r")
    with open(f"{FOLDER}/there", encoding="utf-8") as file:
        assert "assay-" in file.read(), "no link was laid"
    with open(f"{FOLDER}/opened", encoding="utf-8") as file:
        opened = file.read()
    assert "(deleted)" in opened and "victim" not in opened, opened
    with open(f"{FOLDER}/victim", encoding="utf-8") as file:
        assert file.read() == "precious"
