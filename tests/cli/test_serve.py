# SPDX-License-Identifier: Apache-2.0
"""`assay serve` as who looks at it by HTTP: the pages of `assay site`, from this machine only, and nothing that changes anything.

usage: test_serve.py ASSAY WRITE_RUNS
"""

import hashlib
import http.client
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time

from cluster import ASSAY, FOLDER, Tap, assay, environment

WRITE_RUNS = os.path.abspath(sys.argv[2])
DATABASE, SITE = os.path.join(FOLDER, "runs.db"), os.path.join(FOLDER, "site")

tap = Tap()


class Server:
    """One that runs on a free port, and is ended by its own process id."""

    def __init__(self, *words):
        # What is freed is given back at once under the sanitizer too: its quarantine would be taken for growth.
        surroundings = environment()
        surroundings["ASAN_OPTIONS"] = surroundings.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1:thread_local_quarantine_size_kb=64"
        self.process = subprocess.Popen([ASSAY, "serve", "--port", "0", "--db", DATABASE, *words], env=surroundings,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.said = self.process.stdout.readline() + self.process.stdout.readline()
        self.port = int(re.search(r"http://127\.0\.0\.1:(\d+)/\n", self.said)[1])

    def ask(self, path, method="GET", host=None, body=None):
        """Status, headers and bytes. The path goes out as it is."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.putrequest(method, path, skip_host=True)
        if host != "":
            connection.putheader("Host", host or f"127.0.0.1:{self.port}")
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        result = answer.status, answer.headers, answer.read()
        connection.close()
        return result

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(timeout=20), self.process.stderr.read()


def digest():
    with open(DATABASE, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


subprocess.run([WRITE_RUNS, DATABASE, "clean", "faulty", "stopped"], env=environment(), check=True)
assay("site", SITE, "--db", DATABASE)
before = digest()
server = Server()
try:
    tap.ok(f"ssh -N -L {server.port}:127.0.0.1:{server.port} " in server.said, "it says where it is, and how to come there", server.said)

    # -- The same pages ------------------------------------------------------------------------------------------------
    wrong, count = [], 0
    for place, _, names in os.walk(SITE):
        for name in names:
            path = os.path.relpath(os.path.join(place, name), SITE)
            if name == "assay-site.json":
                continue
            with open(os.path.join(SITE, path), "rb") as file:
                expected = file.read()
            status, headers, got = server.ask("/" + path)
            kind = {"html": "text/html", "css": "text/css", "txt": "text/plain"}[path.rsplit(".", 1)[1]]
            count += 1
            if status != 200 or got != expected or headers["Content-Type"] != kind + "; charset=utf-8":
                wrong.append((path, status, headers["Content-Type"], len(got), len(expected)))
    tap.ok(count > 11 and not wrong, "every file of a site is served, byte by byte", count, *wrong[:20])
    status, headers, got = server.ask("/")
    tap.ok(status == 200 and b'href="runs/2/index.html"' in got, "/ is the index", status)
    policy = headers["Content-Security-Policy"]
    tap.ok("default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "script-src 'sha256-" in policy
           and headers["X-Content-Type-Options"] == "nosniff", "with a strict policy", headers.as_string())
    status, headers, got = server.ask("/", "HEAD")
    tap.ok(status == 200 and got == b"" and int(headers["Content-Length"]) > 1000, "HEAD has no body", status)

    status, _, got = server.ask("/site.css", body=b"x" * 300000)
    tap.ok(status == 200 and got == server.ask("/site.css")[2], "what is sent along with GET is passed over", status)

    # -- What is refused -------------------------------------------------------------------------------------------------
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"):
        status, headers, _ = server.ask("/", method, body=b"x" if method in ("POST", "PUT", "PATCH") else None)
        tap.ok(status == 405 and headers["Allow"] == "GET, HEAD", f"{method} is refused", status)
    for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1", f"127.0.0.1:{server.port + 1}", f"localhost:{server.port}.evil.example",
                 f"127.0.0.1:{server.port}@evil.example"):
        status, _, got = server.ask("/", host=host)
        tap.ok(status == 421 and b"<html" not in got, f"Host: {host} is refused", status)
    tap.ok(server.ask("/", host="")[0] == 400, "and so is none")
    tap.ok(server.ask("/", host=f"localhost:{server.port}")[0] == 200, "localhost is a name of this machine")
    for path in ("/../../../../etc/passwd", "/runs/../../../../etc/passwd", "/runs/1/outputs/../../../../runs.db", "/%2e%2e/%2e%2e/etc/passwd",
                 "/runs.db", "/assay.db", "//etc/passwd", "/runs/1", "/runs/1/", "/runs/9/index.html", "/runs/01/index.html", "/runs/-1/index.html",
                 "/runs/99999999999999999999/index.html", "/compare/2-1.html", "/history/hosts/../../../x", "/site.css/x",
                 "/acceptances/.html", "/index.html/"):
        status, _, got = server.ask(path)
        tap.ok(status == 404 and b"root:" not in got and b"SQLite format" not in got, f"{path} is no page", status, got[:100])
    status, headers, got = server.ask("/index.html%00.txt")
    tap.ok(status == 404 or (headers["Content-Type"] == "text/html; charset=utf-8" and got == server.ask("/")[2]), "no byte splits a name from its type", status,
           headers.as_string())
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as link:
        link.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"x" * 70000)
        try:
            answer = link.recv(100)
        except ConnectionError:
            answer = b""
    tap.ok(not answer.startswith(b"HTTP/1.1 200"), "a request without end is cut", answer)
    others = [line.split()[1] for line in open("/proc/net/tcp", encoding="ascii").readlines()[1:]
              if line.split()[3] == "0A" and int(line.split()[1].split(":")[1], 16) == server.port]
    tap.same(others, [f"0100007F:{server.port:04X}"], "no other address is listened on")

    # -- Others at the same time -------------------------------------------------------------------------------------------
    slow = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(5)]
    for number, link in enumerate(slow):
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        link.sendall(b"GET /runs/1/index.html HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % server.port + (b"\r\n" if number % 2 else b""))
    began = time.monotonic()
    status, _, _ = server.ask("/site.css")
    tap.ok(status == 200 and time.monotonic() - began < 20, "who reads or asks slowly stops nobody else", status, time.monotonic() - began)
    for link in slow:
        link.close()
    tap.ok(digest() == before, "nothing of all this changed the database")
    subprocess.run([WRITE_RUNS, DATABASE, "faulty"], env=environment(), check=True)
    status, _, got = server.ask("/")
    tap.ok(status == 200 and b'href="runs/4/index.html"' in got and server.ask("/runs/4/index.html")[0] == 200 and server.ask("/compare/2-4.html")[0] == 200,
           "a run that another process writes is there at once", status)

    # -- What cannot be read, and what it costs to ask often --------------------------------------------------------------------
    subprocess.run([WRITE_RUNS, DATABASE, "clean"], env=environment(), check=True)
    with sqlite3.connect(DATABASE) as damage:
        damage.execute("UPDATE run_host SET role = 'nobody' WHERE run = 5")
    status, _, got = server.ask("/")
    listed = re.search(rb'<th scope="row" data-name="Run">5</th>.*?</tr>', got, re.S)
    tap.ok(status == 200 and listed and b"cannot be read: " in listed[0] and got.count(b"cannot be read: ") == 1 and b'href="runs/2/index.html"' in got
           and b"v-" not in listed[0], "a run that cannot be read is listed with the reason and no verdict, beside the others", status, listed and listed[0], got[-3000:])
    with sqlite3.connect(DATABASE) as change:
        change.execute("UPDATE run SET suite = ? WHERE id = 3", ("s" * 200000,))
    paths = ["/runs/1/index.html", "/compare/1-2.html", "/history/index.html", "/acceptances/x.html", "/runs/3/live.html", "/runs/3/events", "/nothing"]

    def ask_often(count):
        """The index again and again, each time of another database, and other pages in between; returns what the server holds, KiB."""
        with sqlite3.connect(DATABASE, isolation_level=None) as change:
            for number in range(count):
                change.execute("UPDATE run SET state = ? WHERE id = 3", (("cancelled", "interrupted")[number % 2],))
                server.ask("/")
                server.ask(paths[number % len(paths)])
        with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])
    few, many = ask_often(15), ask_often(60)
    tap.ok(many - few < 6000, "120 requests more, of what changes, take no more memory", few, many)

    # -- Ports and ends ----------------------------------------------------------------------------------------------------
    done = assay("serve", "--port", server.port, "--db", DATABASE)
    tap.ok(done.returncode == 64 and f"port {server.port} is in use" in done.stderr and "--port 0" in done.stderr, "a port in use: what to do", done.stderr)
    for number, name in ((signal.SIGTERM, "SIGTERM"), (signal.SIGINT, "SIGINT")):
        link = socket.create_connection(("127.0.0.1", server.port), timeout=20)
        status, said = server.end(number)
        link.close()
        tap.ok(status == 0 and said == "", f"{name} ends it cleanly", status, said)
        if number == signal.SIGTERM:
            server = Server("--lang", "zh")
            tap.ok(b'<html lang="zh-CN">' in server.ask("/")[2], "in Chinese where asked")
finally:
    if server.process.poll() is None:
        server.process.kill()
for words, expected in ((("x",), "unexpected word 'x'"), (("--port", "65536"), "is not a port"), (("--port", "-1"), "is not a port"), (("--lang", "fr"), "unknown language 'fr'")):
    done = assay("serve", *words, "--db", DATABASE)
    tap.ok(done.returncode == 64 and expected in done.stderr, f"serve {' '.join(words)}: refused by its word", done.stderr)
done = assay("serve", "--db", os.path.join(FOLDER, "nothing.db"))
tap.ok(done.returncode == 64 and not os.path.exists(os.path.join(FOLDER, "nothing.db")), "a database that is not there is refused, and not made", done.stderr)
tap.end()
