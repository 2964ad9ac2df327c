# SPDX-License-Identifier: Apache-2.0
"""usage: test_clients.py ASSAY [HOSTS]

Storage under many clients, over real hosts with real sshd (4 of them, or HOSTS, at most 16) against a real file server: GlusterFS,
which needs no module of the kernel but FUSE. The server's line carries what four hosts send. The knee is there, a host whose
line is slow is named, and who mounts something else. With more hosts than six it is a measurement (scripts/bench clients): what
assay says is compared with fio, run by hand on all hosts in the same minute; a line `bench ...` for each figure.
"""

import json
import math
import shutil
import subprocess
import sys
import time

import namespaces
from cluster import FOLDER, Report, Tap, assay, start_program, wait_until
from namespaces import Hosts, command, write

COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 4
MANY = COUNT > 6  # so many that peers tell who is slow
RATE, SERVER_RATE, SLOW_RATE = "20mbit", "80mbit", "2mbit"
KNEE, SLOW, SECONDS = 4, COUNT - 1, 12 if MANY else 4
PORT = 24999
FLAGS = "--ioengine=psync --group_reporting"
SIZE = "64M"
PLATFORM = {"name": "plain.json", "title": "hosts without GPUs, taken for one GPU each", "source": "this test",
            "gpus": {"count": 1, "models": ["none"], "pci_ids": ["10de:2330"]}, "nvlink": {"links": 0},
            "nvswitch": False, "fabric_state": False, "driver_minimum": "525.60.13"}
BRICK = "volume posix\n type storage/posix\n option directory {brick}\nend-volume\n" \
        "volume locks\n type features/locks\n subvolumes posix\nend-volume\n" \
        "volume io\n type performance/io-threads\n subvolumes locks\nend-volume\n" \
        "volume server\n type protocol/server\n option transport-type tcp\n option transport.socket.bind-address {address}\n" \
        " option transport.socket.listen-port {port}\n option auth.addr.io.allow *\n subvolumes io\nend-volume\n"
MOUNT = "volume client\n type protocol/client\n option transport-type tcp\n option remote-host {address}\n" \
        " option remote-port {port}\n option remote-subvolume io\nend-volume\n"

tap = Tap()
missing = [name for name in ("fio", "glusterfsd", "glusterfs") if shutil.which(name) is None]
if missing:
    print(f"1..0 # SKIP not installed: {', '.join(missing)}")
    sys.exit(0)


def on(host, *words):
    """A program in the host's namespaces."""
    return ["nsenter", "-t", str(pid_of(host)), "-m", "-n", "-u", "-p", *words]


def pid_of(host):
    """Of the host's own first process: unshare's child is in its namespaces."""
    with open(f"/proc/{host.child.pid}/task/{host.child.pid}/children", encoding="ascii") as file:
        return int(file.read().split()[0])


def serve(server):
    """Its line is shaped both ways, and fair among the hosts where the kernel can."""
    brick = f"{FOLDER}/brick"
    command("mkdir", "-p", brick)
    for name, where in ((server.port, []), ("eth0", ["nsenter", "-t", str(server.child.pid), "-n"])):
        command(*where, "tc", "qdisc", "replace", "dev", name, "root", "handle", "1:", "tbf", "rate", SERVER_RATE, "burst", "64kb",
                "latency", "200ms")
        subprocess.run([*where, "tc", "qdisc", "add", "dev", name, "parent", "1:1", "fq_codel"], capture_output=True, check=False)
    volume = write(f"{FOLDER}/server.vol", BRICK.format(brick=brick, address=server.address, port=PORT))
    return start_program(on(server, "glusterfsd", "-N", "-f", volume, "-l", f"{FOLDER}/server.log"))


def mount(host, server):
    volume = write(f"{FOLDER}/client.vol", MOUNT.format(address=server.address, port=PORT))
    command(*on(host, "sh", "-c", f"mkdir -p /mnt && mount -t tmpfs tmpfs /mnt && mkdir /mnt/data && "
                                  f"exec glusterfs -f {volume} -l {FOLDER}/{host.name}.log /mnt/data"))


def step(name, **arguments):
    return {"check": f"storage-{name}", "scope": "cluster", "needs": ["reachable"], "retries": 0, "retests": 2,
            "arguments": {"mount": "/mnt/data", **arguments}}


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
    started = [subprocess.Popen(on(host, "fio", "--name=hand", f"--filename=/mnt/data/hand-{host.name}", "--rw=write", "--bs=1M",
                                   f"--size={SIZE}", f"--runtime={SECONDS}", "--time_based", "--fallocate=none", *FLAGS.split(),
                                   "--output-format=json"), stdout=subprocess.PIPE, text=True) for host in clients]
    told = [json.loads(child.communicate()[0])["jobs"][0]["write"]["bw_bytes"] for child in started]
    command(*on(clients[0], "sh", "-c", "rm -f /mnt/data/hand-*"))
    return sum(told) / 1e9


def bench(figure, value, unit, aim, met):
    print(f"bench clients {figure} value={value} unit={unit} aim={aim} met={'-' if met is None else 'yes' if met else 'no'}")


def a_healthy_mount():
    begun = time.monotonic()
    done, report = run("healthy", step("clients", jobs=["write", "create", "stat", "delete"], seconds=SECONDS, size=SIZE, files=64,
                                       fio_flags=FLAGS))
    took, hand = time.monotonic() - begun, by_hand()
    sums = {subject: number(item) for subject, item in values(report, "clients.write.bandwidth").items() if item["measured"]}
    knee = number(values(report, "clients.write.knee")[""])
    all_clients = sums.get(f"{COUNT} clients", math.nan)
    tap.same(done.returncode, 0, "a healthy mount: nothing fails", done.stdout, done.stderr, report.bad())
    tap.same(knee, KNEE, "a healthy mount: the knee is where the server's line is full", sums)
    tap.ok(abs(all_clients / hand - 1) <= 0.1 or (not MANY and all_clients > 0), "a healthy mount: fio by hand says the same within a tenth",
           (all_clients, hand))
    tap.same(leftovers(), [], "a healthy mount: nothing is left on it")
    bench("hosts", COUNT, "hosts", "-", None)
    bench("knee", f"{knee:g}", "clients", KNEE, knee == KNEE)
    bench("against-fio", f"{abs(all_clients / hand - 1) * 100:.1f}", "%", 10, abs(all_clients / hand - 1) <= 0.1)
    bench("sum-of-all", f"{all_clients:.4f}", "GB/s", "-", None)
    bench("by-hand", f"{hand:.4f}", "GB/s", "-", None)
    bench("took", f"{took:.0f}", "s", "-", None)


def one_file_system():
    done, report = run("shared", step("shared", size="1M"))
    tap.same(done.returncode, 0, "one file system: data, new files, lines, locks and options", done.stdout, done.stderr, report.bad())
    tap.same(leftovers(), [], "one file system: nothing is left on it")


def a_slow_client():
    slow = clients[SLOW - 1]
    slow.shape(SLOW_RATE)
    done, report = run("slow", step("clients", jobs=["write"], seconds=SECONDS, size=SIZE, fio_flags=FLAGS))
    slow.shape(RATE)
    parts = {item["subject"]: number(item) for _, item in report.outcomes("record")
             if item["metric"] == "client.write.bandwidth" and item["measured"]}
    failed = {item["subject"] for _, item in report.outcomes() if item["outcome"] == "fail"}
    tap.same(min(parts, key=parts.get, default=""), slow.name, "a slow client: it has the least of all", parts)
    tap.same(failed, {slow.name} if MANY else set(), "a slow client: it is named among its peers, and nobody else", done.stdout,
             done.stderr)
    bench("named", ",".join(sorted(failed)) or "nobody", "hosts", slow.name, failed == {slow.name})


def a_mount_that_is_another_one():
    apart = clients[1]
    command(*on(apart, "mount", "-t", "tmpfs", "tmpfs", "/mnt/data"))
    done, report = run("apart", step("shared", size="1M"))
    command(*on(apart, "umount", "/mnt/data"))
    failed = {item["subject"] for _, item in report.outcomes() if item["outcome"] == "fail"}
    tap.same((done.returncode, failed), (1, {apart.name}), "another file system on one host: it is named, and nobody else",
             done.stdout, done.stderr)


def a_read_only_mount():
    stuck = clients[1]
    command(*on(stuck, "mount", "-o", "remount,bind,ro", "/mnt/data"))
    done, report = run("read-only", step("shared", size="1M"))
    command(*on(stuck, "mount", "-o", "remount,bind,rw", "/mnt/data"))
    failed = {item["subject"]: item["cause"] for _, item in report.outcomes() if item["outcome"] == "fail"}
    tap.ok(done.returncode == 1 and set(failed) == {stuck.name} and "Read-only file system" in failed[stuck.name],
           "a read-only mount on one host: it is named, and nobody else", failed, done.stdout, done.stderr)


def leftovers():
    return subprocess.run(on(clients[0], "ls", "/mnt/data"), capture_output=True, text=True, check=True).stdout.split()


write(f"{FOLDER}/{PLATFORM['name']}", json.dumps(PLATFORM))
hosts = Hosts(COUNT + 1, RATE)
server, clients = hosts.list[-1], hosts.list[:-1]
hosts.list = clients
hostfile = hosts.hostfile("hostfile", PLATFORM["name"])
serve(server)
for client in clients:
    mount(client, server)
if not wait_until(lambda: all(subprocess.run(on(client, "findmnt", "/mnt/data"), capture_output=True, check=False).returncode == 0
                              for client in clients), 60):
    raise RuntimeError("the file system could not be mounted")
for story in (a_healthy_mount, a_slow_client) + (() if MANY else (one_file_system, a_mount_that_is_another_one, a_read_only_mount)):
    story()
tap.end()
