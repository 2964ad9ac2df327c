# SPDX-License-Identifier: Apache-2.0
"""assay stage: tools come to all hosts over one thin line, go on where they were, and are what they were to the last byte.

The bastion is a relay that counts: whatever the controller and the hosts say to each other goes through it.
"""

import hashlib
import json
import os
import re
import shlex
import signal
import socket
import threading
import time

from cluster import FOLDER, Lab, Report, Tap, assay, start, wait_until, wrapped

tap = Tap()
MB = 1_000_000


class Relay:
    """One TCP relay for all hosts of a lab: they are at addresses of its own, and every byte is counted."""

    def __init__(self, lab, net, rate=None):
        self.bytes, self.lock, self.rate = 0, threading.Lock(), rate
        self.hostfile = os.path.join(lab.folder, "relayed")
        with open(lab.hostfile, encoding="utf-8") as file:
            text = file.read()
        self.port = int(re.search(r"port=(\d+)", text)[1])
        lines = [re.sub(r"known_hosts=\S+", f"known_hosts={lab.folder}/relayed.known", re.search("^defaults .*$", text, re.M)[0])]
        for line in text.split("\n"):
            if not (found := re.match(r"(node(\d+)) address=(\S+)(.*)", line)):
                continue
            own = f"127.{net}.0.{found[2]}"
            lines.append(f"{found[1]} address={own} mpi_address={found[1]}{found[4]}")
            self._listen(own, found[3])
        with open(self.hostfile, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")

    def _listen(self, address, host):
        server = socket.create_server((address, self.port), backlog=64)
        threading.Thread(target=self._accept, args=(server, host), daemon=True).start()

    def _accept(self, server, host):
        while True:
            client = server.accept()[0]
            try:
                there = socket.create_connection((host, self.port))
            except OSError:
                client.close()
                continue
            for pair in ((client, there), (there, client)):
                threading.Thread(target=self._pump, args=pair, daemon=True).start()

    def _pump(self, source, sink):
        try:
            while data := source.recv(1 << 16):
                sink.sendall(data)
                with self.lock:
                    self.bytes += len(data)
                if self.rate is not None:
                    time.sleep(len(data) / self.rate)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def make_tools(name, size):
    folder = os.path.join(FOLDER, name)
    os.makedirs(f"{folder}/bin")
    os.makedirs(f"{folder}/lib")
    with open(f"{folder}/bin/all_reduce_perf", "wb") as file:
        file.write(os.urandom(size * 2 // 3))
    with open(f"{folder}/lib/libnccl.so.2", "wb") as file:
        file.write(os.urandom(size - size * 2 // 3))
    with open(f"{folder}/bin/compare.ptx", "w", encoding="ascii") as file:
        file.write(name)
    os.chmod(f"{folder}/bin/all_reduce_perf", 0o755)
    return folder


def stage(*words, relay):
    return assay("stage", "-H", relay.hostfile, "--accept-new-host-keys", *words)


def said(done, key):
    found = re.search(rf"^{key}: (.*)$", done.stdout, re.MULTILINE)
    return found[1] if found else ""


def copies(done):
    found = re.search(r"([0-9.]+) copies", said(done, "sent from here"))
    return float(found[1]) if found else -1


def rows(done):
    return dict(re.findall(r"^(node\d+) +(.*)$", done.stdout, re.MULTILINE))


def tree_of(folder):
    """Path -> mode for its owner, and hash."""
    found = {}
    for path, _, names in os.walk(folder):
        for name in names:
            whole = os.path.join(path, name)
            with open(whole, "rb") as file:
                digest = hashlib.sha256(file.read()).hexdigest()
            found[os.path.relpath(whole, folder)] = (oct(os.stat(whole).st_mode & 0o100), digest)
    found.pop(".assay-manifest", None)
    return found


def on_host(lab, number, version):
    return f"{lab.folder}/hosts/node{number}/tools/{version}"


def a_cluster_of_64_behind_one_bastion(test):
    size, tools = 16 * MB, make_tools("tools64", 16 * MB)
    with Lab("lab64", 64) as lab:
        relay = Relay(lab, 9)
        done = stage(tools, relay=relay)
        version = said(done, "version")
        test.same((done.returncode, said(done, "hosts")), (0, "64 of 64 have it"), "64 hosts get the tools",
                  done.stdout, done.stderr)
        test.same(copies(done), 1.0, "one copy leaves the controller", done.stdout)
        test.ok(size < relay.bytes <= 1.3 * size, "little more than one copy goes through the bastion",
                f"{relay.bytes / size:.2f} copies")
        wanted = tree_of(tools)
        wrong = [i for i in range(1, 65) if tree_of(on_host(lab, i, version)) != wanted]
        test.same(wrong, [], "every host has every byte, and what may be executed")
        modes = {oct(os.stat(os.path.join(path, name)).st_mode & 0o077)
                 for path, folders, names in os.walk(f"{lab.folder}/hosts/node64/tools") for name in folders + names}
        test.same(modes, {"0o0"}, "they are private to the login user")
        test.same(sorted(os.listdir(f"{lab.folder}/hosts/node9/tools")), [version], "nothing else is left there")
        passed = [by for by in rows(done).values() if by.startswith("passed on by node")]
        test.ok(len(passed) == 63 and len(set(passed)) > 10, "hosts pass them on to each other", done.stdout)

        before = relay.bytes
        with open(f"{on_host(lab, 5, version)}/lib/libnccl.so.2", "r+b") as file:
            file.seek(MB)
            file.write(b"another")
        done = stage(tools, "--hosts", "node[1-8]", relay=relay)
        test.ok(done.returncode == 0 and list(rows(done).values()).count("has it") == 7 and copies(done) == 0,
                "who has them is sent nothing", done.stdout, done.stderr)
        test.ok("lib/libnccl.so.2" in rows(done).get("node5", "") and tree_of(on_host(lab, 5, version)) == wanted,
                "a byte that changed on a host is found, and mended by another host", done.stdout)
        test.ok(relay.bytes - before < 2 * MB, "and that costs the bastion next to nothing", relay.bytes - before)


def an_interrupted_transfer(test):
    size, tools = 20 * MB, make_tools("tools-cut", 20 * MB)
    with Lab("lab-cut", 1) as lab:
        relay = Relay(lab, 11, rate=6 * MB)
        child = start("stage", "-H", relay.hostfile, "--accept-new-host-keys", tools)
        version = said(assay("stage", "--dry-run", tools), "version")
        stream = f"{lab.folder}/hosts/node1/tools/.{version}.part/stream"
        came = wait_until(lambda: os.path.exists(stream) and os.path.getsize(stream) >= 8 << 20, 60)
        child.send_signal(signal.SIGKILL)
        child.wait()
        test.ok(came and not os.path.exists(on_host(lab, 1, version)), "what is not whole is not seen as a version")
        time.sleep(0.5)
        with open(stream, "r+b") as file:
            file.seek(5 << 20)
            byte = file.read(1)
            file.seek(5 << 20)
            file.write(bytes([byte[0] ^ 1]))
        before, relay.rate = relay.bytes, None
        done = stage(tools, relay=relay)
        test.ok(done.returncode == 0 and 0 < copies(done) < 0.9, "killed, it goes on with what is missing",
                done.stdout, done.stderr)
        test.ok(relay.bytes - before < 0.95 * size, "and sends no more than that", (relay.bytes - before) / size)
        test.same(tree_of(on_host(lab, 1, version)), tree_of(tools), "a block that was damaged meanwhile is sent again")


def hosts_in_trouble(test):
    tools = make_tools("tools-bad", 5 * MB)
    faults = ("node2:no-space", "node3:down", "node4:peer-key-refused", "node5:key-refused")
    with Lab("lab-bad", 6, faults) as lab:
        relay = Relay(lab, 13)
        done = stage(tools, "--hosts", "node4", relay=relay)
        test.same((done.returncode, rows(done)), (0, {"node4": "pushed"}), "one host is enough", done.stderr)
        done = stage(tools, relay=relay)
        found, version = rows(done), said(done, "version")
        test.same((done.returncode, said(done, "hosts")), (1, "3 of 6 have it"), "who cannot take them fails the staging",
                  done.stdout, done.stderr)
        test.ok(re.match(r"failed: no space: .* MiB free, and \d+ MiB are needed", found["node2"]), "a full disk is named",
                found["node2"])
        test.ok(found["node3"].startswith("not reached: ") and found["node5"].startswith("not reached: ")
                and "key" in found["node5"], "hosts that cannot be reached are told apart", done.stdout)
        test.ok("from node4: ssh node4 ended with 255" in done.stdout and 1 <= copies(done) <= 2
                and tree_of(on_host(lab, 6, version)) == tree_of(tools),
                "where a host cannot pass them on, it is said, and they come from elsewhere", done.stdout)
        done = stage(tools, "--hosts", "node3", relay=relay)
        test.same(done.returncode, 2, "nobody reached: undecided", done.stdout)
        done = stage(tools, "--hosts", "node6", "--root", f"{FOLDER}/none/at/all", relay=relay)
        test.ok(done.returncode == 1 and "is not a private folder" in rows(done).get("node6", ""),
                "a place that cannot be had is named", done.stdout)


def a_host_that_lies(test):
    """What it says is its folder would stand on command lines: of sbcast here, of ssh and sh on other hosts."""
    tools = make_tools("toolslies", MB)
    with Lab("lablies", 3) as lab:
        with open(f"{lab.folder}/bin/timeout", "w", encoding="ascii") as file:
            file.write('#!/bin/sh\ncase $ASSAY_LAB_HOST in node2) echo "root --send-libs=/x" ;; node3) echo "root /x\'; touch y; \'" ;; esac\n'
                       'exec /usr/bin/timeout "$@"\n')
        os.chmod(f"{lab.folder}/bin/timeout", 0o755)
        done = assay("stage", "-H", lab.hostfile, tools)
        test.ok(done.returncode != 0 and "1 of 3 have it" in said(done, "hosts") and
                all("the host's answer is invalid" in rows(done).get(host, "") for host in ("node2", "node3")),
                "a folder that is an option, or more than a folder, is none", done.stdout, done.stderr)


def old_versions(test):
    old, new = make_tools("tools-old", MB), make_tools("tools-new", MB)
    with Lab("lab-old", 2) as lab:
        relay = Relay(lab, 15)
        versions = [said(stage(tools, relay=relay), "version") for tools in (old, new)]
        done = stage("--list", relay=relay)
        test.ok(all(done.stdout.count(f"version {version} ") == 2 for version in versions) and done.returncode == 0,
                "all versions are listed", done.stdout, done.stderr)
        holder = os.fork()
        if holder == 0:
            place = on_host(lab, 2, versions[0])
            os.execve("/bin/sleep", ["sleep", "60"], {"PATH": f"{place}/bin:/bin", "ASSAY_ATTEMPT": "a-b-c-d-e"})
        try:
            done = stage("--remove", versions[0][:12], relay=relay)
        finally:
            os.kill(holder, signal.SIGKILL)
            os.waitpid(holder, 0)
        test.ok(done.returncode == 1 and "is in use by attempt a-b-c-d-e" in rows(done).get("node2", "")
                and os.path.exists(on_host(lab, 2, versions[0])), "one in use stays", done.stdout)
        done = stage("--remove", versions[0][:12], relay=relay)
        left = [sorted(os.listdir(f"{lab.folder}/hosts/node{i}/tools")) for i in (1, 2)]
        test.same((done.returncode, left), (0, [[versions[1]], [versions[1]]]), "an old one is removed, no other",
                  done.stdout, done.stderr)


def a_run_with_staged_tools(test):
    tools = make_tools("tools-run", 20000)
    with Lab("lab-run", 2) as lab:
        with open(f"{lab.folder}/opt/gpu-burn/gpu_burn", encoding="utf-8") as file:
            script = wrapped(file.read(), f'echo "$0" >>{lab.folder}/burnt')
        with open(f"{tools}/bin/gpu_burn", "w", encoding="utf-8") as file:
            file.write(script)
        os.chmod(f"{tools}/bin/gpu_burn", 0o755)
        with open(f"{FOLDER}/burn.json", "w", encoding="utf-8") as file:
            json.dump({"name": "burn", "purpose": "delivery", "search_path": [f"{lab.folder}/opt/gpu-burn"], "steps": [
                {"check": "reachable"}, {"check": "tools", "arguments": {"tools": {"gpu_burn": ""}}, "needs": ["reachable"]},
                {"check": "gpu-burn", "arguments": {"seconds": 30}, "retries": 0}]}, file)
        version = said(assay("stage", "-H", lab.hostfile, tools), "version")
        run = ("run", "-H", lab.hostfile, "-s", f"{FOLDER}/burn.json", "--progress", "none", "--tools", tools)
        done = assay(*run, "--db", f"{FOLDER}/burn.db")
        with open(f"{lab.folder}/burnt", encoding="utf-8") as file:
            burnt = sorted(set(file.read().split()))
        test.same(burnt, [f"{on_host(lab, i, version)}/bin/gpu_burn" for i in (1, 2)], "a run starts the staged tools",
                  done.stdout, done.stderr)
        report = Report(f"{FOLDER}/burn.db").json
        documents = {(d["kind"], d["sha256"]) for d in report["documents"]}
        test.ok(done.returncode == 0 and ("tools", version) in documents, "its report has the manifest of every hash",
                documents, done.stdout)
        paths = [o["measured"] for o in report["outcomes"] if o["metric"] == "tool.path"]
        test.ok(len(paths) == 2 and all(version in path for path in paths), "and where each tool was found", paths)
        with open(f"{on_host(lab, 2, version)}/bin/gpu_burn", "a", encoding="utf-8") as file:
            file.write("# another\n")
        done = assay(*run, "--db", f"{FOLDER}/burn2.db", "--steps", "reachable,gpu-burn")
        test.ok(done.returncode == 2 and "is not what was staged" in done.stdout and "node2" in done.stdout,
                "a tool that is another since is not run, and nothing in its place", done.stdout, done.stderr)
        again_with_the_same_tools(test, lab, tools)


def again_with_the_same_tools(test, lab, tools):
    """What an acceptance says is to be run next is run with the tools of its runs, by the manifest that they have kept."""
    database = ("--db", f"{FOLDER}/burn2.db")
    assay("acceptance", "create", "su", "-H", lab.hostfile, "-s", f"{FOLDER}/burn.json", *database)
    assay("acceptance", "add", "su", "1", *database)
    told = assay("acceptance", "status", "su", "--next", f"{FOLDER}/todo", *database)
    with open(f"{FOLDER}/todo/commands", encoding="utf-8") as file:
        commands = [shlex.split(line) for line in file]
    test.same({tuple(words[-4:]) for words in commands}, {("--tools", f"{FOLDER}/todo/tools.manifest", *database)},
              "an acceptance repeats the tools of its runs", told.stdout, told.stderr)
    assay("stage", "-H", lab.hostfile, tools)
    done = [assay(*words[1:], "--progress", "none") for words in commands]
    found = {item["outcome"] for run in range(2, 2 + len(commands)) for step, item in Report(f"{FOLDER}/burn2.db", run).outcomes()
             if step["name"] == "gpu-burn" and item["outcome"] != "not run"}
    test.same(found, {"pass"}, "and their manifest is enough to run them", commands, [each.stdout + each.stderr for each in done])


def wrong_words(test):
    tools = make_tools("tools-words", 1000)
    for words, told in [(["-H", "none", "a", "b"], "unexpected word 'b'"), ([tools], "the hostfile is missing"),
                        (["-H", "none"], "DIR is missing"), (["-H", "none", "--remove", "../x"], "--remove '../x'"),
                        (["-H", "none", "--list", tools], "do not take a DIR"), (["-n", f"{FOLDER}/nothing"], "nothing")]:
        done = assay("stage", *words)
        test.ok(done.returncode == 64 and told in done.stderr, f"{told!r} is told", done.stderr)


tap.together([a_cluster_of_64_behind_one_bastion, an_interrupted_transfer, hosts_in_trouble, a_host_that_lies, old_versions,
              a_run_with_staged_tools, wrong_words])
tap.end()
