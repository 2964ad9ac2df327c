# SPDX-License-Identifier: Apache-2.0
"""The hosts of a lab as a real ssh client finds them."""

import hashlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

from lab_case import Lab, Tap, marked, program, wait_until

tap = Tap()
if shutil.which("ssh") is None:
    tap.skip("the lab answers a real ssh client", "no ssh client on this machine")
    tap.end()


def no_server(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def locks_of(path):
    """Who holds a lock on the file."""
    inode = str(os.stat(path).st_ino)
    with open("/proc/locks") as file:
        return sorted({int(words[-4]) for words in map(str.split, file) if words[-3].split(":")[-1] == inode})


with Lab(3) as lab:
    hostfile = lab.path("hostfile")
    tap.ok(lab.up.returncode == 0 and lab.up.stdout == f"hostfile: {hostfile}\n", "up prints where the hostfile lies",
           lab.up.stdout + lab.up.stderr)
    with open(hostfile) as file:
        text = file.read()
    tap.ok(len(re.findall(r"^node\d+ address=127\.1\.0\.\d unit=su1 rack=r1 leaf=l1 rail\.mlx5_0=l1r0:\d ", text, re.M)) == 3
           and "become=sudo" in text and "timescale=600" in text and "platform=hgx-h100" in text,
           "the hostfile names each host with address, unit, rack and leaf", text)
    tap.ok('\nreport title="Simulated cluster of 3 hosts"\n' in text, "a report of it is titled as that of a simulated cluster", text)
    names = [lab.ssh(i, "hostname").stdout.decode().strip() for i in (1, 2, 3)]
    tap.ok(names == ["node1", "node2", "node3"], "each address answers as its own host", names)

    done = lab.ssh(1, "echo out; echo err >&2; exit 7")
    tap.ok((done.returncode, done.stdout, done.stderr) == (7, b"out\n", b"err\n"),
           "exit status, stdout and stderr arrive apart", done)
    done = lab.ssh(1, "kill -SEGV $$")
    tap.ok(done.returncode == 255, "death by a signal is told as a signal, not as an exit status", done)
    done = lab.ssh(1, "pwd; echo $HOME $USER $ASSAY_LAB_HOST; cat $ASSAY_LAB_BOOT_ID")
    tap.ok(re.search(r"hosts/node1/home\n\S+hosts/node1/home \S+ node1\n[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\n$",
                     done.stdout.decode()) is not None, "a host has a home and a boot id of its own", done)

    ports = "/sys/class/infiniband/mlx5_*/ports/1/state"
    done = lab.ssh(1, f'cat "$ASSAY_LAB_ROOT"{ports}; sudo -n sh -c \'echo "$ASSAY_LAB_ROOT"\'; '
                      'mpirun -H node2:1 -np 1 sh -c \'echo "$ASSAY_LAB_ROOT"\'')
    tap.ok(done.stdout.decode() == "4: ACTIVE\n" * 8 + "".join(lab.path("hosts", f"node{i}", "root\n") for i in (1, 2)),
           "a host has files of its own, under sudo and for mpirun's ranks too", done)
    tap.ok(all(os.path.samefile(lab.path("hosts", f"node{i}", "root"), lab.path("root")) for i in (1, 2, 3)),
           "healthy hosts share their files")

    data = os.urandom(3_000_000)
    done = lab.ssh(2, "sha256sum", input=data, stdin=None)
    tap.ok(done.stdout.decode().split()[:1] == [hashlib.sha256(data).hexdigest()],
           "three megabytes of input arrive whole", done.stderr)
    done = lab.ssh(2, "cat", input=data, stdin=None)
    tap.ok(done.stdout == data, "three megabytes go there and back", len(done.stdout))

    # Several channels on one connection, one of which nobody reads.
    control = os.path.join(lab.folder, "s")
    master = subprocess.Popen(lab.ssh_words(3, "-M", "-S", control, "-N"), stdin=subprocess.DEVNULL)
    wait_until(lambda: os.path.exists(control), 5)
    shared = lab.ssh_words(3, "-S", control)
    stuck = subprocess.Popen(shared + ["yes"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    time.sleep(0.3)
    several = [subprocess.Popen(shared + [f"sleep 0.1; echo {i}"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
               for i in range(6)]
    answers = [each.communicate(timeout=20)[0] for each in several]
    tap.ok(answers == [b"%d\n" % i for i in range(6)],
           "a channel that nobody reads holds up none of its neighbours", answers)
    stuck.kill()
    stuck.communicate()

    # What leads a session of its own outlives the connection.
    lab.ssh(3, "setsid -f sh -c 'sleep 60' >/dev/null 2>&1 </dev/null; sleep 0.1", "-S", control)
    master.kill()  # an ssh that takes SIGTERM just before it polls sleeps on
    master.wait()
    tap.ok(len(marked(lab.directory)) > 0, "a process with a session of its own outlives the connection")

    done = program("lab", "status", "--dir", lab.directory)
    tap.ok(done.returncode == 0 and "running (pid" in done.stdout and "node3 127.1.0.3" in done.stdout,
           "status shows the server and its hosts", done.stdout)
    done = program("lab", "up", "2", "--dir", lab.directory)
    tap.ok(done.returncode == 64 and "assay lab down" in done.stderr, "a second lab in the same folder is refused",
           done.stderr)
    with open(lab.path("lab.pid")) as file:
        server = int(file.read())
    done = lab.down()
    tap.ok(done.returncode == 0 and marked(lab.directory) == [] and wait_until(lambda: no_server(server), 3),
           "down ends the server and everything that runs on the hosts", f"{done} {marked(lab.directory)}")
    done = lab.down()
    tap.ok(done.returncode == 0 and "no lab was running" in done.stdout, "down twice is no error", done)
    done = program("lab", "down", "--dir", os.path.join(lab.directory, "nowhere"))
    tap.ok(done.returncode == 64 and "nowhere: No such file or directory; --dir names the folder" in done.stderr,
           "a folder that does not exist is refused with what to say", done)
    done = program("lab", "status", "--dir", lab.directory)
    tap.ok(done.returncode == 1 and "not running" in done.stdout, "status tells that it is down", done)

    with open(lab.path("server.log")) as file:
        log = file.read()
    tap.ok(log == "", "the server had nothing to complain of", log)

# More hosts than one process has room for.
with Lab(2503, ["node2502:down"]) as lab:
    servers = [pid for pid in locks_of(lab.path("lab.pid"))]
    tap.ok(len(servers) == 2 and lab.ssh(1, "hostname").stdout == b"node1\n" and lab.ssh(2503, "hostname").stdout == b"node2503\n",
           "a lab too large for one process answers from two", f"{servers} {lab.up}")
    tap.ok(b"refused" in lab.ssh(2502, "hostname").stderr, "down: the connection is refused by the second process too")
    boots = [open(lab.path("hosts", f"node{i}", "boot_id")).read() for i in (3, 2503)]
    with open(lab.path("control"), "w") as control:
        control.write("reboot 3\nreboot 2503\n")
    tap.ok(wait_until(lambda: all(open(lab.path("hosts", f"node{i}", "boot_id")).read() not in boots for i in (3, 2503)), 5),
           "a host of either process reboots")
    os.kill(int(open(lab.path("lab.pid")).read()), signal.SIGKILL)
    tap.ok(wait_until(lambda: all(no_server(pid) for pid in servers), 5), "the first process killed, the others end too", servers)
    tap.ok(program("lab", "up", "2503", "--dir", lab.directory).returncode == 0, "and the lab can be started again")
    servers = [pid for pid in locks_of(lab.path("lab.pid"))]
    tap.ok(lab.down().returncode == 0 and wait_until(lambda: all(no_server(pid) for pid in servers), 5) and len(servers) == 2,
           "down ends all its processes", servers)

faults = ["node2:down", "node3:silent", "node4:key-refused", "node5:host-key-changed"]
with Lab(5, faults) as lab:
    tap.ok(lab.ssh(1, "hostname").stdout == b"node1\n", "a healthy host between faulty ones answers")
    done = lab.ssh(2, "hostname")
    tap.ok(done.returncode == 255 and b"refused" in done.stderr, "down: the connection is refused", done)
    with socket.create_connection((lab.address(3), int(lab.options["port"])), timeout=2) as silent:
        silent.settimeout(0.5)
        try:
            got = silent.recv(100)
        except socket.timeout:
            got = None
    tap.ok(got is None, "silent: the connection is taken and nothing is said", got)
    done = lab.ssh(4, "hostname")
    tap.ok(done.returncode == 255 and b"Permission denied (publickey)" in done.stderr, "key-refused: no key is taken",
           done)
    done = lab.ssh(5, "hostname")
    tap.ok(done.returncode == 255 and b"key verification failed" in done.stderr.lower(),
           "host-key-changed: known_hosts holds another key", done)

with Lab(2, ["node2:reboot"]) as lab:
    boot = lab.path("hosts", "node2", "boot_id")
    before = open(boot).read()
    began = time.monotonic()
    burn = lab.ssh(2, "setsid -f sleep 60 >/dev/null 2>&1; gpu_burn 600")
    after = open(boot).read()
    tap.ok(burn.returncode == 255 and b"Tested" not in burn.stdout and after != before,
           "reboot: the burn's connection breaks and the boot id is another one", burn.returncode)
    tap.ok(wait_until(lambda: marked(lab.directory) == [], 2), "reboot: nothing that ran on the host is left",
           marked(lab.directory))
    done = lab.ssh(2, "hostname")
    tap.ok(b"refused" in done.stderr, "reboot: the host refuses connections at first", done)
    tap.ok(lab.ssh(1, "hostname").stdout == b"node1\n", "reboot: its neighbour notices nothing")
    tap.ok(wait_until(lambda: lab.ssh(2, "hostname").stdout == b"node2\n", 8),
           "reboot: it comes back after some seconds")

with Lab(50) as lab:
    clients = [subprocess.Popen(lab.ssh_words(i) + ["hostname"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
               for i in range(1, 51)]
    answers = [each.communicate(timeout=60)[0].decode().strip() for each in clients]
    tap.ok(answers == [f"node{i}" for i in range(1, 51)], "fifty hosts answer at once, each with its own name", answers)

tap.end()
