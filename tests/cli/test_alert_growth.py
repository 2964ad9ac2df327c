# SPDX-License-Identifier: Apache-2.0
"""test_alert_growth.py ASSAY: a folder that grew between two runs is told with how much, and how full its file system is, as grave as the
file of receivers says; the text report says it too. The hosts are simulated, the receiver is real."""

import http.server
import json
import os
import threading

from cluster import FOLDER, Lab, Tap, assay

tap = Tap()
posts = []


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        posts.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def write(name, document, mode=0o600):
    path = f"{FOLDER}/{name}"
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file)
    os.chmod(path, mode)
    return path


SUITE = write("space.json", {"name": "space", "title": "space", "purpose": "periodic", "steps": [
    {"check": "reachable"}, {"check": "space", "needs": ["reachable"], "retries": 0}]})


def run(*faults):
    with Lab("grows", 2, faults) as lab:
        done = assay("run", "-H", lab.hostfile, "-s", SUITE, "--db", f"{FOLDER}/space.db", "--progress", "none", "-o", f"{FOLDER}/space.html")
    if done.returncode != 0:
        raise RuntimeError(done.stdout + done.stderr)


def alerts(name, growth):
    """Severity and problems of each alert that run 2 raises."""
    posts.clear()
    config = {"receivers": [{"name": "all", "kind": "json", "least": "info", "url": f"http://127.0.0.1:{server.server_port}/"}]}
    if growth is not None:
        config["growth"] = growth
    done = assay("alert", 2, "--to", write(f"{name}.json", config), "--state", f"{FOLDER}/{name}.state", "--db", f"{FOLDER}/space.db")
    return done, [(alert["severity"], alert["subject"], json.dumps(alert)) for post in posts for alert in post["alerts"]]


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
run()
run("node2:logs-grown:40")

done, raised = alerts("usual", None)
tap.same((done.returncode, raised), (0, []), "growth that fills nothing within a month is not told by itself", done.stdout, done.stderr)
for word, grades in (("info", {"info": {"grown_gib": 40}, "critical": {"grown_gib": 41}}),
                     ("warning", {"info": {"grown_gib": 1}, "warning": {"filled_percent": 10}, "critical": {"filled_percent": 60}}),
                     ("critical", {"critical": {"filled_percent": 5}})):
    done, raised = alerts(word, grades)
    tap.ok([(severity, subject) for severity, subject, _ in raised] == [(word, "node2")] and "/var/log grew by 40.0 GiB since run 1" in raised[0][2]
           and "its file system is 14% full" in raised[0][2], f"by the thresholds of the file it is {word}, of that host alone", raised, done.stderr)
done, _ = alerts("wrong", {"critical": {"days": 7}})
tap.ok(done.returncode == 64 and "days" in done.stderr and "wrong.json" in done.stderr, "a threshold that does not exist is named", done.stderr)
shown = " ".join(assay("show", 2, "--full", "--db", f"{FOLDER}/space.db").stdout.split())
tap.ok("node2: /var/log grew by 40.0 GiB since run 1" in shown and "node1: /var/log" not in shown, "the text report says it too", shown)
tap.end()
