# SPDX-License-Identifier: Apache-2.0
"""usage: test_object_store.py ASSAY

The check `object-store` with real curl against real servers: one that speaks plain HTTP, and one behind TLS that checks every
signature of S3 (Signature Version 4) as it is documented. What the store does wrong is what the check says; nothing is left in it, and
the secret key is seen in no command line, no environment and no evidence.
"""

import hashlib
import hmac
import http.server
import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import threading
import urllib.parse

from cluster import FOLDER, Report, Tap, assay, write

KEY, SECRET, REGION = "AKIAEXAMPLE", "wJalr/XUtnFEMI+K7MDENGbPxRfiCYzEXAMPLEKEY", "eu-lab-1"
PLATFORM = {"name": "plain.json", "title": "hosts without GPUs, taken for one GPU each", "source": "this test",
            "gpus": {"count": 1, "models": ["none"], "pci_ids": ["10de:2330"]}, "nvlink": {"links": 0},
            "nvswitch": False, "fabric_state": False, "driver_minimum": "525.60.13"}
STREAMS, SIZE, GETS = 3, 256 << 10, 5

tap = Tap()
missing = [name for name in ("curl", "openssl", "cmp") if shutil.which(name) is None]
if missing:
    print(f"1..0 # SKIP not installed: {', '.join(missing)}")
    sys.exit(0)


def seen_by_others():
    """The secret, in a command line or an environment of this machine but for this test's own."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for name in ("cmdline", "environ"):
            try:
                with open(f"/proc/{pid}/{name}", "rb") as file:
                    if int(pid) != os.getpid() and SECRET[:12].encode() in file.read():
                        found.append(f"{pid}/{name}")
            except OSError:
                pass  # it has ended
    return found


def signature_of(handler):
    """What the request must be signed with, by its own headers and the secret key."""
    said = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/aws4_request, ?SignedHeaders=([^,]+), ?"
                        r"Signature=([0-9a-f]{64})", handler.headers.get("Authorization", ""))
    if said is None or said[1] != KEY or said[3] != REGION:
        return None, None
    names = said[4].split(";")
    if not {"host", "x-amz-date"} <= set(names):
        return None, None
    path, _, query = handler.path.partition("?")
    canonical = "\n".join([handler.command, urllib.parse.quote(urllib.parse.unquote(path)), query,
                           *[f"{name}:{handler.headers[name].strip()}" for name in names], "", said[4],
                           handler.headers["x-amz-content-sha256"]])
    scope = f"{said[2]}/{REGION}/s3/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", handler.headers["x-amz-date"], scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = f"AWS4{SECRET}".encode()
    for word in (said[2], REGION, "s3", "aws4_request"):
        key = hmac.new(key, word.encode(), hashlib.sha256).digest()
    return said[5], hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


class Store(http.server.ThreadingHTTPServer):
    """Objects below /bucket/; the word behind that tells what it does wrong."""

    def __init__(self, signed):
        super().__init__(("127.0.0.1", 0), Handler)
        self.signed, self.objects, self.seen, self.puts = signed, {}, [], 0
        if signed:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(f"{FOLDER}/store.pem", f"{FOLDER}/store.key")
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.url = f"http{'s' if signed else ''}://localhost:{self.server_address[1]}/bucket"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass  # who does not trust the certificate ends the connection


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    @property
    def wrong(self):
        return self.path.split("/")[2]

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def refused(self):
        if self.server.signed:
            given, right = signature_of(self)
            if given is None or not hmac.compare_digest(given, right):
                return 403
        return 404 if not self.path.startswith("/bucket/") else 301 if self.wrong == "elsewhere" else 0

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.wrong == "s3":
            self.server.seen += seen_by_others()
        status = self.refused()
        if status == 0:
            self.server.objects[self.path] = body
            self.server.puts += 1
        self.answer(status or 200)

    def do_GET(self):
        status = self.refused() or (0 if self.path in self.server.objects else 404)
        body = self.server.objects.get(self.path, b"") if status == 0 else b"<Error/>"
        if status == 0 and len(body) > 4096 and self.path.endswith(".2"):
            if self.wrong == "flips":
                body = body[:-7] + bytes([body[-7] ^ 1]) + body[-6:]
            elif self.wrong == "short":
                body = body[:-1]
            elif self.wrong == "cuts":
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body[:1000])
                self.close_connection = True
                return
        self.answer(status or 200, body)

    def do_DELETE(self):
        status = self.refused() or (403 if self.wrong == "keeps" else 0)
        if status == 0:
            self.server.objects.pop(self.path, None)
        self.answer(status or 204)


def run(name, steps, tool=None):
    """The run, and of each step what became of each item: {metric: (outcome, cause or what was measured)}."""
    suite = {"name": name, "title": name, "purpose": "trial", "steps": [{"check": "reachable"}, *(
        {"check": "object-store", "name": step, "needs": ["reachable"], "retries": 0, "gate": ["object.*"],
         "limits": [{"metric": "object.bandwidth", "floor": 0.000001, "unit": "GB/s", "source": "this test", "status": "contract"},
                    {"metric": "object.latency", "ceiling": 60e6, "unit": "us", "source": "this test", "status": "contract"}],
         "arguments": {"endpoint": url, "streams": STREAMS, "size": str(SIZE), "gets": GETS, "seconds": 20, **arguments}}
        for step, (url, arguments) in steps.items())]}
    if tool is not None:
        suite["tools"] = {"curl": {"path": tool}}
    done = assay("run", "-H", hostfile, "-s", write(f"{name}.json", json.dumps(suite)), "--db", f"{FOLDER}/{name}.db",
                 "--progress", "none", "-o", f"{FOLDER}/{name}.html")
    if "run:" not in done.stdout:
        raise RuntimeError(done.stderr)
    found = {step: {} for step in steps}
    for step, item in Report(f"{FOLDER}/{name}.db").outcomes():
        if item["metric"].startswith("object."):
            found[step["name"]].setdefault(item["metric"], []).append((item["outcome"], item["cause"] or item["measured"] or ""))
    return done, found


def words(found):
    return {metric: sorted({word for word, _ in items}) for metric, items in found.items()}


def says(found, metric, pattern):
    return all(re.search(pattern, said) for _, said in found[metric])


def certificate(name, host):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={host}", "-addext",
                    f"subjectAltName=DNS:{host}", "-keyout", f"{FOLDER}/{name}.key", "-out", f"{FOLDER}/{name}.pem"],
                   check=True, capture_output=True)


ALL = ("object.bandwidth", "object.latency", "object.removed", "object.same")
GOOD = {metric: ["pass"] for metric in ALL}
UNDECIDED = {metric: ["inconclusive"] for metric in ALL}

write(PLATFORM["name"], json.dumps(PLATFORM))
hostfile = write("hostfile", f"defaults platform={PLATFORM['name']} slots=1\nnode1 transport=local\n")
certificate("store", "localhost")
certificate("other", "localhost")
keys = write("keys", f"[other]\naws_access_key_id = X\naws_secret_access_key = Y\n\n[lab]\naws_access_key_id = {KEY}\n"
             f"aws_secret_access_key={SECRET}\n\n[behind]\naws_access_key_id = Z\n", 0o600)
plain, store = Store(signed=False), Store(signed=True)
S3 = {"credentials": keys, "profile": "lab", "region": REGION, "ca": f"{FOLDER}/store.pem"}

done, found = run("s3", {"http": (f"{plain.url}/a", {}), "s3": (f"{store.url}/s3", S3)})
tap.same(words(found["http"]), GOOD, "a store that speaks plain HTTP is measured", found, done.stdout, done.stderr)
tap.same((plain.objects, plain.puts), ({}, STREAMS + 1), "what was put there is deleted")
tap.same((done.returncode, words(found["s3"])), (0, GOOD), "S3 takes what real curl signs, over TLS that is verified", found, done.stdout, done.stderr)
tap.same((store.objects, store.puts), ({}, STREAMS + 1), "what was put there is deleted, too")
with open(f"{FOLDER}/s3.html", encoding="utf-8") as file:
    report = file.read()
with subprocess.Popen(["sleep", "60"], env={**os.environ, "KEY": SECRET}) as careless:
    tap.ok(seen_by_others() == [f"{careless.pid}/environ"], "a key in an environment would be seen")
    careless.kill()
evidence = assay("report", "1", "--db", f"{FOLDER}/s3.db", "--format", "json").stdout + report
tap.ok(store.seen == [] and KEY not in evidence and SECRET[:12] not in evidence and "object.bandwidth" in evidence,
       "keys are in no command line, no environment and no evidence", store.seen)

done, found = run("different", {wrong: (f"{store.url}/{wrong}", S3) for wrong in ("flips", "short")})
for wrong, told in (("flips", "an object with one bit changed"), ("short", "an object that lacks its last byte")):
    tap.ok(found[wrong]["object.same"][0][0] == "fail" and says(found[wrong], "object.same", f"1 of {STREAMS} objects came back different") and
           done.returncode == 1 and store.objects == {}, f"{told} is not what was put", found, done.stdout)

REASONS = {
    "denied": (store.url, {**S3, "region": "eu-lab-2"}, r"denies access \(HTTP 403\)"),
    "unsigned": (store.url, {"ca": S3["ca"]}, r"denies access \(HTTP 403\)"),
    "nowhere": (store.url.replace("bucket", "pail"), S3, r"no such bucket, path or object \(HTTP 404\)"),
    "stranger": (store.url, {**S3, "ca": f"{FOLDER}/other.pem"}, r"certificate was not accepted, or TLS failed: curl: \(60\)"),
    "system": (store.url, {key: value for key, value in S3.items() if key != "ca"}, r"certificate was not accepted"),
    "closed": ("http://localhost:1/bucket", {}, r"was not reached: curl: \(7\)"),
    "keyless": (store.url, {**S3, "profile": "behind"}, "has no aws_access_key_id and aws_secret_access_key in section behind"),
    "fileless": (store.url, {**S3, "credentials": f"{FOLDER}/none"}, "none cannot be read"),
    "elsewhere": (store.url, S3, "answered with HTTP 301")}
done, found = run("undecided", {name: (f"{url}/{name}", arguments) for name, (url, arguments, _) in REASONS.items()} |
                  {wrong: (f"{store.url}/{wrong}", S3) for wrong in ("cuts", "keeps")})
tap.same(done.returncode, 2, "where nothing is decided the run is incomplete", done.stdout)
for name, (_, _, cause) in REASONS.items():
    tap.ok(words(found[name]) == UNDECIDED and all(says(found[name], metric, cause) for metric in found[name]),
           f"{name}: nothing is decided, and the cause is told", cause, found[name], done.stdout)
tap.ok(words(found["cuts"])["object.same"] == ["inconclusive"] and says(found["cuts"], "object.same", "was cut off: curl: \\(18\\)") and
       words(found["cuts"])["object.removed"] == ["pass"], "a transfer that is cut off is told as that", found["cuts"])
tap.ok(words(found["keeps"])["object.removed"] == ["inconclusive"] and
       says(found["keeps"], "object.removed", f"{STREAMS + 1} objects could not be deleted: {re.escape(store.url)}/keeps/assay-"),
       "what cannot be deleted is counted, and said where it is", found["keeps"])
tap.same(({path.split("/")[2] for path in store.objects}, plain.objects), ({"keeps"}, {}), "and nothing else is left")
done, found = run("curlless", {"curlless": (f"{plain.url}/a", {})}, tool=f"{FOLDER}/no-curl")
found = found["curlless"]
tap.ok(words(found) == UNDECIDED and says(found, "object.same", "curl is missing: .*no-curl"), "a host without curl is told as that", found)
tap.end()
