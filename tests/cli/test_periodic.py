# SPDX-License-Identifier: Apache-2.0
"""test_periodic.py ASSAY SCRIPTS: what a timer calls tests a simulated cluster again and again: while jobs run, with numbers that
Prometheus reads and an alert for the host that goes bad; and the units of systemd are sound."""
import http.server
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import threading

from cluster import ASSAY, FOLDER, Lab, PATIENCE_S, Tap, environment

tap = Tap()
SCRIPTS = os.path.abspath(sys.argv[2])
ETC, TEXTFILES, BIN = (os.path.join(FOLDER, name) for name in ("etc", "textfiles", "bin"))
UNITS = os.path.join(SCRIPTS, "systemd")


class Receiver(http.server.BaseHTTPRequestHandler):
    posts = []

    def do_POST(self):
        Receiver.posts.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def periodic(*words):
    return subprocess.run([os.path.join(SCRIPTS, "periodic"), *words], cwd=os.path.join(FOLDER, "state"), stdin=subprocess.DEVNULL,
                          env=environment(PATH=f"{BIN}:{os.environ['PATH']}", TEXTFILES=TEXTFILES), capture_output=True, text=True,
                          timeout=PATIENCE_S, check=False)


def numbers():
    with open(os.path.join(TEXTFILES, "assay-cluster.prom"), encoding="utf-8") as file:
        return file.read()


def run_under(lab):
    shutil.copy(lab.hostfile, os.path.join(ETC, "cluster.hosts"))
    done = periodic("cluster", ETC)
    posts, Receiver.posts = Receiver.posts, []
    return done, [{(row["subject"], row["state"]) for row in post["alerts"]} for post in posts]


def series():
    for folder in (ETC, TEXTFILES, BIN, os.path.join(FOLDER, "state")):
        os.mkdir(folder)
    os.symlink(ASSAY, os.path.join(BIN, "assay"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    config = os.path.join(ETC, "cluster.alert.json")
    with open(config, "w", encoding="utf-8") as file:
        json.dump({"receivers": [{"name": "ops", "kind": "json", "url": f"http://127.0.0.1:{server.server_port}/"}]}, file)
    os.chmod(config, 0o600)
    with Lab("lab", 2, faults=["node1:gpu-busy:3"]) as lab:
        done, posts = run_under(lab)
        tap.ok(done.returncode == 0 and "verdict: passed" in done.stdout and posts == [], "hosts where jobs run are accepted, and nobody is alerted", done.stdout, done.stderr, posts)
        path = os.path.join(TEXTFILES, "assay-cluster.prom")
        tap.same((os.listdir(TEXTFILES), stat.S_IMODE(os.stat(path).st_mode)), (["assay-cluster.prom"], 0o644), "the text file is whole, and node_exporter may read it")
        tap.ok(os.path.getsize(os.path.join(FOLDER, "state/cluster.html")) > 10000, "the report is there")
    with Lab("lab", 2, faults=["node2:ecc-uncorrected:4"]) as lab:
        done, posts = run_under(lab)
        tap.ok(done.returncode == 0 and "verdict: failed" in done.stdout, "a bad verdict is told by alerts and not by the service's failure", done.stdout, done.stderr)
        tap.same(posts, [{("node2", "new")}], "the host that went bad is alerted of, and no other")
        tap.ok(re.search(r'^assay_worse_items\{[^}]*name="node2"\} [1-9]', numbers(), re.MULTILINE), "and is worse than in the last accepted run", numbers()[-500:])
    if shutil.which("promtool") is None:
        tap.skip("Prometheus reads the text file", "promtool is not installed")
    else:
        done = subprocess.run(["promtool", "check", "metrics"], input=numbers(), capture_output=True, text=True, check=False)
        tap.same((done.returncode, done.stderr), (0, ""), "Prometheus reads the text file")
    os.unlink(os.path.join(ETC, "cluster.hosts"))
    tap.same(periodic("cluster", ETC).returncode, 64, "without a hostfile it fails, so that the service does")


def units():
    """As meson installs them, but for the programs, which are those of this folder, and for man pages that are not installed here."""
    names = sorted(os.listdir(UNITS))
    tap.same([name for name in names if "@" in name],
             ["assay-alert@.service.in", "assay-alert@.timer", "assay-periodic@.service.in", "assay-periodic@.timer"], "there are services and timers")
    if shutil.which("systemd-analyze") is None:
        tap.skip("systemd takes the units", "there is no systemd-analyze")
        return
    os.mkdir(os.path.join(FOLDER, "units"))
    files = []
    for name in (name for name in names if "@" in name):
        with open(os.path.join(UNITS, name), encoding="utf-8") as file:
            text = file.read().replace("@LIBEXECDIR@/assay/periodic", os.path.join(SCRIPTS, "periodic")).replace("@BINDIR@/assay", ASSAY)
        files.append(os.path.join(FOLDER, "units", name.removesuffix(".in")))
        with open(files[-1], "w", encoding="utf-8") as file:
            file.write(re.sub(r"^Documentation=.*\n", "", text, flags=re.MULTILINE))
    done = subprocess.run(["systemd-analyze", "verify", *files], capture_output=True, text=True, check=False)
    tap.same((done.returncode, done.stderr), (0, ""), "systemd takes the units")


units()
series()
tap.end()
