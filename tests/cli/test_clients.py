# SPDX-License-Identifier: Apache-2.0
"""usage: test_clients.py ASSAY [HOSTS [SERVER [STORY...]]]

Storage under many clients, over real hosts with real sshd (4 of them, or HOSTS, at most 16) against a real file server: GlusterFS,
or with SERVER = sshfs the sftp of OpenSSH, with SERVER = nfs NFS-Ganesha; none of them needs a module of the kernel but FUSE. The server's line carries what
some of the hosts send. The knee is there, a host whose line is slow is named, and who mounts something else; a full or read-only disk, a
mount that is stale or hangs is what it is, on the hosts that have it. With more hosts than six it is a measurement (scripts/bench
clients): what assay says is compared with fio, run by hand on all hosts in the same minute; a line `bench ...` for each figure.
"""

import json
import math
import subprocess
import sys
import time

import file_servers
from cluster import FOLDER, Report, Tap, assay
from namespaces import Hosts, command, write

COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 4
KIND = sys.argv[3] if len(sys.argv) > 3 else "gluster"
MANY = COUNT > 6  # so many that peers tell who is slow
# The server's line is as wide as those of KNEE hosts. Where one of them is to be slow it is wider than all hosts' together, and a slow
# line is a third of the others'.
KNEE, SLOW, SECONDS = (4, COUNT - 1, 12) if MANY else (2, COUNT - 1, 4)
RATE, SERVER_RATE, WIDE_RATE, SLOW_RATE = "20mbit", f"{KNEE * 20}mbit", "400mbit", "6600kbit"
FLAGS = "--ioengine=psync --group_reporting"
BLOCK, SIZE = "256k", "64M"
DISK = f"{COUNT * 64 * 2}M"
PLATFORM = {"name": "plain.json", "title": "hosts without GPUs, taken for one GPU each", "source": "this test",
            "gpus": {"count": 1, "models": ["none"], "pci_ids": ["10de:2330"]}, "nvlink": {"links": 0},
            "nvswitch": False, "fabric_state": False, "driver_minimum": "525.60.13"}

tap = Tap()
BENCH = "clients" if KIND == "gluster" else f"clients-{KIND}"
reason = file_servers.reason_to_skip(KIND)
if reason:
    print(f"1..0 # SKIP {reason}")
    sys.exit(0)


def step(name, retests=2, **arguments):
    return {"check": f"storage-{name}", "scope": "cluster", "needs": ["reachable"], "retries": 0, "retests": retests,
            "arguments": {"mount": file_servers.MOUNT, **arguments}}


def run(name, *steps):
    suite = write(f"{FOLDER}/{name}.json", json.dumps(
        {"name": name, "title": name, "purpose": "trial", "steps": [{"check": "reachable"}, *steps]}))
    database = f"{FOLDER}/{name}.db"
    done = assay("run", "-H", hostfile, "-s", suite, "--db", database, "--progress", "none", "-o", f"{FOLDER}/{name}.html")
    return done, Report(database)


def values(report, metric):
    return {item["subject"]: item for duty in ("gate", "record") for _, item in report.outcomes(duty) if item["metric"] == metric}


def number(item):
    """NAN: it was not measured."""
    return float(item["measured"].split()[0]) if item["measured"] else math.nan


def by_hand():
    """GB/s that fio writes on all hosts at once, each told the same as the clients are."""
    started = [subprocess.Popen(host.enter("fio", "--name=hand", f"--filename={file_servers.MOUNT}/hand-{host.name}", "--rw=write",
                                           f"--bs={BLOCK}", f"--size={SIZE}", f"--runtime={SECONDS}", "--time_based",
                                           "--fallocate=none", *FLAGS.split(), "--output-format=json"),
                                stdout=subprocess.PIPE, text=True) for host in clients]
    told = [json.loads(child.communicate()[0])["jobs"][0]["write"]["bw_bytes"] for child in started]
    command(*clients[0].enter("sh", "-c", f"rm -f {file_servers.MOUNT}/hand-*"))
    return sum(told) / 1e9


def bench(figure, value, unit, aim, met):
    print(f"bench {BENCH} {figure} value={value} unit={unit} aim={aim} met={'-' if met is None else 'yes' if met else 'no'}")


def writing(retests):
    return step("clients", retests, jobs=["write"], seconds=SECONDS, size=SIZE, block=BLOCK, fio_flags=FLAGS)


def a_healthy_mount():
    begun = time.monotonic()
    done, report = run("healthy", writing(2))
    took, hand = time.monotonic() - begun, by_hand()
    sums = {subject: number(item) for subject, item in values(report, "clients.write.bandwidth").items() if item["measured"]}
    knee = number(values(report, "clients.write.knee")[""])
    all_clients = sums.get(f"{COUNT} clients", math.nan)
    off = abs(all_clients / hand - 1)
    tap.same(done.returncode, 0, "a healthy mount: nothing fails", done.stdout, done.stderr, report.bad())
    tap.same(knee, KNEE, "a healthy mount: the knee is where the server's line is full", sums)
    tap.ok(off <= 0.1, "a healthy mount: fio by hand says the same within a tenth", (all_clients, hand))
    tap.same(leftovers(), [], "a healthy mount: nothing is left on it")
    bench("hosts", COUNT, "hosts", "-", None)
    bench("knee", f"{knee:g}", "clients", KNEE, knee == KNEE)
    for subject, value in sums.items():
        bench(f"sum-of-{subject.split()[0]}", f"{value:.4f}", "GB/s", "-", None)
    bench("by-hand", f"{hand:.4f}", "GB/s", "-", None)
    bench("against-fio", f"{off * 100:.1f}", "%", 10, off <= 0.1)
    bench("took", f"{took:.0f}", "s", "-", None)


def one_file_system():
    # What all read of all has to fit into a turn.
    file_servers.line(server, WIDE_RATE)
    done, report = run("shared", step("shared", 0, size="1M"))
    file_servers.line(server, SERVER_RATE)
    wrong = {(item["metric"], item["subject"]) for _, item in report.outcomes() if item["outcome"] != "pass"}
    unlocked = set() if kind.locks else {("shared.lock", host.name) for host in clients}
    locks = "locks too" if kind.locks else "locks are not"
    tap.same((done.returncode, wrong), (1 if unlocked else 0, unlocked), f"one file system: data, new files, lines and options, {locks}",
             done.stdout, done.stderr)
    tap.same(leftovers(), [], "one file system: nothing is left on it")
    bench("one-file-system", ",".join(sorted({metric for metric, _ in wrong})) or "all", "items", "all" if kind.locks else "shared.lock",
          wrong == unlocked)


def a_slow_client():
    slow = clients[SLOW - 1]
    slow.shape(SLOW_RATE)
    file_servers.line(server, WIDE_RATE)
    done, report = run("slow", writing(0))
    slow.shape(RATE)
    file_servers.line(server, SERVER_RATE)
    parts = {item["subject"]: number(item) for _, item in report.outcomes("record")
             if item["metric"] == "client.write.bandwidth" and item["measured"]}
    failed = ended(report, "fail")
    tap.same(min(parts, key=parts.get, default=""), slow.name, "a slow client: it has the least of all", parts)
    tap.same(set(failed), {slow.name} if MANY else set(), "a slow client: it is named among its peers, and nobody else", done.stdout,
             done.stderr)
    bench("named", ",".join(sorted(failed)) or "nobody", "hosts", slow.name, set(failed) == {slow.name})


def ended(report, outcome):
    """{subject: cause} of what ended so."""
    return {item["subject"]: item["cause"] for _, item in report.outcomes() if item["outcome"] == outcome}


def a_mount_that_is_another_one():
    apart = clients[1]
    command(*apart.enter("mount", "-t", "tmpfs", "tmpfs", file_servers.MOUNT))
    found("apart", "another file system on one host", [apart], f"sees the files of 1 of {COUNT} hosts", "inconclusive")
    command(*apart.enter("umount", file_servers.MOUNT))


def a_read_only_mount():
    stuck = clients[1]
    command(*stuck.enter("mount", "-o", "remount,bind,ro", file_servers.MOUNT))
    found("read-only-mount", "a read-only mount on one host", [stuck], "Read-only file system")
    command(*stuck.enter("mount", "-o", "remount,bind,rw", file_servers.MOUNT))


def a_read_only_disk():
    with file_servers.read_only(server):
        found("read-only", "a read-only disk of the server", clients, kind.read_only)


def a_full_disk():
    with file_servers.full(server):
        found("full", "a full disk of the server", clients, kind.full)
        tap.same(leftovers(), ["filler"], "a full disk of the server: nothing of the test is left on it")


def a_stale_mount():
    with file_servers.Stale(kind, clients[-1]):
        found("stale", "a stale mount of one host", clients[-1:], "Transport endpoint is not connected")


def a_stale_handle():
    if KIND != "nfs":
        tap.skip("a folder that was taken away and made anew", f"the server of {KIND} finds what it serves by its name")
        return
    with file_servers.Gone(kind, server, clients):
        found("handle", "a folder that was taken away and made anew", clients, "Stale file handle")


def a_mount_that_hangs():
    with file_servers.Hanging(kind, clients[1]):
        found("hangs", "a mount that hangs on one host", [clients[1]], "did not answer within")


def found(name, what, whom, words, others="pass"):
    """By few files of all clients: these cannot work, all of them in the same words, and all others could."""
    done, report = run(name, step("clients", 0, jobs=["create"], seconds=1, files=8))
    told, wanted = ended(report, "fail"), {host.name for host in whom}
    works = {item["subject"]: item["outcome"] for _, item in report.outcomes() if item["metric"] == "client.works"}
    tap.same((done.returncode, set(told)), (1, wanted), f"{what}: it is named, and nobody else", done.stdout, done.stderr)
    tap.same(works, {host.name: "fail" if host in whom else others for host in clients}, f"{what}: the others are {others}",
             done.stdout)
    tap.ok(len(set(told.values())) == 1 and words in next(iter(told.values())), f"{what}: it is one fault, in its words", told)
    bench(f"{name}-named", ",".join(sorted(told)) or "nobody", "hosts", ",".join(sorted(wanted)), set(told) == wanted)


def leftovers():
    return subprocess.run(clients[0].enter("ls", file_servers.MOUNT), capture_output=True, text=True, check=True).stdout.split()


STORIES = {"healthy": a_healthy_mount, "slow": a_slow_client, "shared": one_file_system, "apart": a_mount_that_is_another_one,
           "read-only-mount": a_read_only_mount, "read-only": a_read_only_disk, "full": a_full_disk, "stale": a_stale_mount,
           "handle": a_stale_handle, "hangs": a_mount_that_hangs}

write(f"{FOLDER}/{PLATFORM['name']}", json.dumps(PLATFORM))
hosts = Hosts(COUNT + 1, RATE)
server, clients = hosts.list[-1], hosts.list[:-1]
hosts.list = clients
hostfile = hosts.hostfile("hostfile", PLATFORM["name"])
file_servers.disk(server, DISK)
file_servers.line(server, SERVER_RATE)
kind = file_servers.KINDS[KIND](server)
file_servers.mount(kind, clients)
for story in sys.argv[4:] or STORIES:
    STORIES[story]()
tap.end()
