# SPDX-License-Identifier: Apache-2.0
"""The board of a run that another process drives, as a browser has it from `assay serve`: by HTTP and server-sent events.

usage: test_live.py ASSAY
"""

import http.client
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import time

from cluster import ASSAY, FOLDER, PATIENCE_S, Lab, Tap, assay, environment, start, wait_until

CLIENTS = 24  # as many as listen at a time
TITLE = "iron <script>alert(1)</script> \"'& \u202eRTL"
SUITE = {"name": "burn", "purpose": "trial", "steps": [
    {"check": "reachable"},
    {"check": "privilege", "needs": ["reachable"]},
    {"check": "gpu-burn", "needs": ["privilege"], "arguments": {"seconds": 600}, "retries": 0}]}
TWICE = {**SUITE, "steps": [*SUITE["steps"], {**SUITE["steps"][2], "name": "once-more"}]}
SOAK = {**SUITE, "steps": [*SUITE["steps"][:2], {"check": "gpu-burn", "needs": ["privilege"], "arguments": {"seconds": 120},
                                                 "repeat_for_s": 259200}]}
DATABASE = os.path.join(FOLDER, "runs.db")

tap = Tap()


class Server:
    def __init__(self):
        self.process = subprocess.Popen([ASSAY, "serve", "--port", "0", "--db", DATABASE, "--lang", "en"], env=environment(),
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.port = int(re.search(r"http://127\.0\.0\.1:(\d+)/\n", self.process.stdout.readline())[1])
        self.process.stdout.readline()

    def ask(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", path)
        answer = connection.getresponse()
        result = answer.status, answer.headers, answer.read().decode()
        connection.close()
        return result

    def listen(self, path):
        """The answer's status and headers, and a file of its lines."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", path)
        return connection.getresponse()

    def cpu_s(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def events(answer):
    """(kind, id, data), as EventSource takes them apart."""
    kind, number, data = "", "", []
    for line in iter(answer.readline, b""):
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name == "" and value == "" and data:
            yield kind, number, "\n".join(data)
            data = []
        elif name == "event":
            kind = value
        elif name == "id":
            number = value
        elif name == "data":
            data.append(value)


def begin(suite, *more):
    path = os.path.join(FOLDER, f"suite-{len(os.listdir(FOLDER))}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(suite, file)
    return start("run", "-H", lab.hostfile, "-s", path, "--db", DATABASE, "--progress", "none", "-o", f"{path}.html", *more)


def begun(number):
    """The run is in the database, and a burn is on."""
    def look():
        try:
            with sqlite3.connect(f"file:{DATABASE}?mode=ro", uri=True) as db:
                return db.execute("SELECT count(*) FROM run").fetchone()[0] >= number and lab.is_burning("node1")
        except sqlite3.OperationalError:
            return False
    return wait_until(look, 60)


def text_of(html):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html))


def to_the_end(server):
    run = begin(TWICE, "--title", TITLE)
    tap.ok(begun(2), "a run goes on")
    status, headers, page = server.ask("/runs/2/live.html")
    policy = headers["Content-Security-Policy"]
    tap.ok(status == 200 and "script-src 'self'" in policy and "connect-src 'self'" in policy and "unsafe" not in policy
           and headers["Cache-Control"] == "no-store" and headers["X-Content-Type-Options"] == "nosniff", "its page has a strict policy",
           status, headers.as_string())
    tap.ok(re.search(r'<th scope="row">gpu-burn.*?0/3', page, re.S) and "<noscript>" in page and "<style" not in page, "without JavaScript it has the board", page)
    tap.ok("&lt;script&gt;alert(1)" in page and "<script>alert" not in page and "\u202e" not in page, "a title is text", page[:3000])
    tap.ok('href="runs/2/live.html"' in server.ask("/")[2] and 'href="live.html"' in server.ask("/runs/2/index.html")[2],
           "index and report lead to it while it runs")
    script = server.ask("/board.js")
    tap.ok(script[0] == 200 and script[1]["Content-Type"].startswith("text/javascript") and "EventSource" in script[2], "its script is served", script[0])
    deaf = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    deaf.sendall(b"GET /runs/2/events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % server.port)
    answer, second = server.listen("/runs/2/events"), server.listen("/runs/2/events")
    tap.same((answer.status, answer.headers["Content-Type"], answer.headers["Cache-Control"]), (200, "text/event-stream", "no-store"),
             "its events are a stream that nobody keeps")
    told = list(events(answer))
    tap.same({kind for kind, _, _ in told[:-1]}, {"board"}, "boards come while it runs")
    tap.ok(len(told) > 2 and [int(number) for _, number, _ in told] == sorted({int(number) for _, number, _ in told}), "each is another, and numbered",
           [number for _, number, _ in told])
    texts = [text_of(data) for _, _, data in told]
    tap.ok(re.search(r"gpu-burn 0/3 .*? left ", texts[0]), "what is left is told", texts[0])
    tap.ok(re.search(r"Did not pass so far .* gpu-burn . failed node2 .*GPU|gpu-burn . failed node2 gpu", texts[-2], re.I), "and what failed, where and why", texts[-2])
    tap.ok(told[-1][0] == "over" and "The run has ended." in texts[-1] and 'href="index.html"' in told[-1][2], "the end leads to the report", told[-1])
    tap.ok(list(events(second))[-1][0] == "over", "who else listens has it too")
    deaf.close()
    run.communicate(timeout=PATIENCE_S)
    status, _, page = server.ask("/runs/2/live.html")
    tap.ok(status == 200 and "The run has ended." in page and "<script" not in page, "afterwards its page leads to the report", status, page)
    tap.ok("live.html" not in server.ask("/")[2] + server.ask("/runs/2/index.html")[2], "and nothing leads to it")
    answer = server.listen("/runs/2/events")
    tap.same([kind for kind, _, _ in events(answer)], ["over"], "its stream is at its end")
    for path in ("/runs/9/live.html", "/runs/9/events", "/runs/01/events", "/runs/2/events/", "/runs/0/events", "/runs/-1/events",
                 "/runs/99999999999999999999/events", "/runs//events"):
        tap.same(server.ask(path)[0], 404, f"{path} is nothing")


def killed(server):
    run = begin(SOAK)
    tap.ok(begun(3), "a long run goes on")
    answer = server.listen("/runs/3/events")
    stream = events(answer)
    soaks = next(text for text in (text_of(data) for _, _, data in stream) if re.search(r"\d slices? so far, over all hosts or groups; repeated for 21 m", text))
    tap.ok(re.search(r"0/3 (\d+ to )?\d+ m left", soaks), "of a soak its slices so far, and the time left", soaks)
    listeners = [server.listen("/runs/3/events") for _ in range(CLIENTS - 1)]
    tap.same([one.status for one in listeners], [200] * (CLIENTS - 1), "so many listen")
    status, _, said = server.ask("/runs/3/events")
    tap.ok(status == 503 and "As many as can be" in said and "<" not in said, "and no more: it says so", status, said)
    before, began = server.cpu_s(), time.monotonic()
    time.sleep(2)
    used = (server.cpu_s() - before) / (time.monotonic() - began)
    tap.ok(used < 0.5, "which is little work: one looks for all", used)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    last = next((text_of(data) for _, _, data in stream if "No controller" in data), "")
    tap.ok("assay run --resume 3" in last and "stopped" in last, "a controller that died: what to do", last)
    began = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    status, said = server.process.wait(timeout=20), server.process.stderr.read()
    tap.ok(status == 0 and said == "" and time.monotonic() - began < 5, "it ends cleanly while they listen", status, said, time.monotonic() - began)
    rest = list(stream)
    tap.ok(all(kind == "board" for kind, _, _ in rest), "and their streams end")


with Lab("live", 3, faults=["node2:burn-faulty:3"], speed=200) as lab:
    path = os.path.join(FOLDER, "short.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({**SUITE, "steps": SUITE["steps"][:1]}, file)
    assay("run", "-H", lab.hostfile, "-s", path, "--db", DATABASE, "--progress", "none", "-o", f"{path}.html")  # so that there is a database
    server = Server()
    try:
        to_the_end(server)
        killed(server)
    finally:
        if server.process.poll() is None:
            server.process.kill()
    assay("cancel", 3, "--db", DATABASE, "-o", f"{path}.html")
tap.end()
