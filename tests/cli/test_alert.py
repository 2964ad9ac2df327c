# SPDX-License-Identifier: Apache-2.0
"""test_alert.py ASSAY WRITE_RUNS EXAMPLE: alerts reach real HTTP receivers, when they are due and not before, and nothing that was
not taken counts as told. Runs are made up; the clock is simulated; the receivers, and curl, are real."""
import base64
import hashlib
import hmac
import http.server
import json
import os
import shutil
import ssl
import subprocess
import sys
import threading
import time
import urllib.parse

from cluster import FOLDER, Tap, assay

tap = Tap()
WRITE_RUNS, EXAMPLE = os.path.abspath(sys.argv[2]), sys.argv[3]
START = "2026-03-01T20:00:00"
TOKEN = "0f4c-very-secret-token"


class Receiver(http.server.ThreadingHTTPServer):
    """Takes what is posted. `answers` are given first, one each; "hang" is none."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.posts, self.answers, self.let_go = [], [], threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self, path):
        return f"http://127.0.0.1:{self.server_port}{path}"

    def taken(self):
        """What came since the last question."""
        posts, self.posts = self.posts, []
        return posts


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.posts.append((self.path, self.headers, json.loads(body), len(body)))
        answer = self.server.answers.pop(0) if self.server.answers else (200, {"errcode": 0, "errmsg": "ok"})
        if answer == "hang":
            self.server.let_go.wait(30)
            return
        text = json.dumps(answer[1]).encode()
        self.send_response(answer[0])
        if answer[0] == 302:
            self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


class Place:
    """A database with runs, who is told, and a clock."""

    def __init__(self, name, *kinds, **receivers):
        self.folder = os.path.join(FOLDER, name)
        os.mkdir(self.folder)
        self.db, self.config = os.path.join(self.folder, "assay.db"), os.path.join(self.folder, "alert.json")
        subprocess.run([WRITE_RUNS, self.db, *kinds], check=True)
        self.tell({"receivers": [{"name": key, **rest} for key, rest in receivers.items()]})

    def tell(self, config):
        with open(os.path.join(self.folder, "alert.json"), "w", encoding="utf-8") as file:
            json.dump(config, file)
        os.chmod(self.config, 0o600)

    def alert(self, *words, after=0, **more):
        """At so many seconds after the beginning."""
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(after + time.mktime(time.strptime(START, "%Y-%m-%dT%H:%M:%S")) - time.timezone))
        done = assay("alert", *words, "--to", self.config, "--db", self.db, "--now", at, **more)
        if TOKEN in done.stdout + done.stderr or TOKEN in self.state():
            tap.ok(False, "no secret is told or kept", done.stdout, done.stderr)
        return done

    def state(self):
        if not os.path.exists(self.db + ".alerts"):
            return ""
        with open(self.db + ".alerts", encoding="utf-8") as file:
            return file.read()


def states(post):
    return {(row["subject"], row["state"]) for row in post[2]["alerts"]}


def forms():
    """Each kind of receiver gets its own form, and what is in it helps."""
    receiver = Receiver()
    place = Place("forms", "clean", "faulty",
                  wecom={"kind": "wecom", "url": receiver.url(f"/wecom?key={TOKEN}")},
                  dingtalk={"kind": "dingtalk", "url": receiver.url(f"/dingtalk?access_token={TOKEN}"), "secret": "SEC" + TOKEN},
                  slack={"kind": "slack", "url": receiver.url(f"/slack/{TOKEN}")},
                  all={"kind": "json", "url": receiver.url("/json"), "least": "info"})
    first = place.alert(1)
    tap.same((first.returncode, receiver.taken(), first.stdout.count("nothing is due")), (0, [], 4), "of a run without faults nobody is told", first.stderr)
    done = place.alert(2)
    posts = {post[0].split("?")[0].split("/")[1]: post for post in receiver.taken()}
    tap.same((done.returncode, sorted(posts)), (0, ["dingtalk", "json", "slack", "wecom"]), "of one with faults each is told once", done.stdout, done.stderr)
    told = posts["json"][2]
    alerts = {row["subject"]: row for row in told["alerts"]}
    tap.same({row["state"] for row in told["alerts"]}, {"new"}, "all of it is new", told)
    tap.ok({"node3", "node5", "node6"} <= set(alerts) and "node1" not in alerts, "each faulty host is one alert, and a good one none", sorted(alerts))
    tap.same(alerts["node6"]["severity"], "critical", "a fail is critical")
    tap.ok(any("gpu-burn" in row["text"] and "in run 1: pass" in row["text"] for row in alerts["node6"]["problems"]),
           "what it was in the last accepted run stands beside it", alerts["node6"])
    tap.same(alerts["node2"]["severity"], "warning", "what was decided in the last accepted run, and is not now, is a warning", alerts["node2"])
    tap.ok(any(row["key"].startswith("lower ") and row["severity"] == "warning" for alert in alerts.values() for row in alert["problems"]),
           "a rate that is lower than in the last accepted run is a warning", alerts)
    content = posts["wecom"][2]["markdown"]["content"]
    tap.ok(posts["wecom"][2]["msgtype"] == "markdown" and len(content.encode()) <= 4096 and "**critical: node6**, new" in content and "assay: " in content,
           "WeCom's form, within its 4,096 bytes", content)
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(posts["dingtalk"][0]).query)
    stamp = query["timestamp"][0]
    sign = base64.b64encode(hmac.new(f"SEC{TOKEN}".encode(), f"{stamp}\nSEC{TOKEN}".encode(), hashlib.sha256).digest()).decode()
    tap.ok(posts["dingtalk"][2]["markdown"]["title"].startswith("assay: ") and posts["dingtalk"][3] <= 20000, "DingTalk's form", posts["dingtalk"][2])
    tap.same((query["sign"][0], query["access_token"][0], abs(time.time() - int(stamp) / 1000) < 60), (sign, TOKEN, True), "and it is signed as DingTalk wants it")
    tap.ok("*critical: node6*, new" in posts["slack"][2]["text"], "Slack's form", posts["slack"][2])
    trial = place.alert("--try", http_proxy="http://127.0.0.1:9", ALL_PROXY="http://127.0.0.1:9")
    tap.same((trial.returncode, len(receiver.taken()), trial.stdout.count("took a message")), (0, 4, 4), "--try tries each way, and to this machine it is by no proxy", trial.stdout, trial.stderr)


def intervals():
    """Repeated 5, 10, 20, 40 and 80 minutes after the one before, and not a second earlier."""
    receiver = Receiver()
    place = Place("intervals", "clean", "faulty", "faulty", "undecided", "part", "clean", ops={"kind": "json", "url": receiver.url("/json")})
    place.alert(2)
    receiver.taken()
    found, last = [], 0
    for minutes in (5, 15, 35, 75, 155, 235):
        early = place.alert(after=minutes * 60 - 1)
        if receiver.taken() or early.returncode != 0:
            found.append(f"early at {minutes}: {early.stderr}")
        place.alert(after=minutes * 60)
        found.append([states(post) == {(subject, "repeated") for subject, _ in states(post)} for post in receiver.taken()])
        last = minutes * 60
    tap.same(found, [[True]] * 6, "at 5, 15, 35, 75, 155 and 235 minutes, and not a second before")
    again = place.alert(3, after=last + 60)
    tap.same((again.returncode, receiver.taken()), (0, []), "another run that says the same begins nothing anew", again.stdout, again.stderr)
    undecided = place.alert(4, after=last + 120)
    posts = receiver.taken()
    tap.ok(undecided.returncode == 0 and len(posts) == 1 and all(state != "over" for _, state in states(posts[0])) and ("the run", "new") in states(posts[0]),
           "a run that decided nothing ends no alert, and is one itself", undecided.stderr, posts)
    part = place.alert(5, after=last + 180)
    posts = receiver.taken()
    # node2 had failed nothing but was not decided before, and is in this run; the others are not.
    over = {subject for post in posts for subject, state in states(post) if state == "over"}
    tap.ok(part.returncode == 0 and over <= {"node1", "node2", "the run"} and "node2" in over, "a run of some hosts ends the alerts of these only", part.stderr, posts)
    place.alert(6, after=last + 240)
    posts = receiver.taken()
    tap.ok(len(posts) == 1 and {state for _, state in states(posts[0])} == {"over"} and {"node3", "node6"} <= {subject for subject, _ in states(posts[0])},
           "when all passes again, that is told of each", posts)
    silent = [place.alert(after=last + hours * 3600).stdout for hours in (1, 30)]
    tap.same((silent, receiver.taken()), (["ops: nothing is due\n"] * 2, []), "once")
    old = place.alert(3, after=last + 300)
    tap.ok(old.returncode == 64 and "started before run 6" in old.stderr, "an older run is not taken", old.stderr)


def refusals():
    """A delivery that failed is said and tried again, and counts for nothing."""
    receiver = Receiver()
    place = Place("refusals", "faulty",
                  wecom={"kind": "wecom", "url": receiver.url(f"/wecom?key={TOKEN}"), "least": "critical", "timeout_s": 1})
    reasons = []
    for answer, words in (((500, {}), "HTTP 500"), ((200, {"errcode": 93000, "errmsg": f"invalid webhook url {TOKEN}"}), "errcode 93000;"),
                          ((200, {"errcode": 45009, "errmsg": "api freq out of limit"}), "errcode 45009: api freq out of limit"),
                          ((200, {"text": "welcome to the hotel"}), "no errcode"), ((302, {}), "HTTP 302, and redirects are not followed")):
        receiver.answers.append(answer)
        done = place.alert(*([1] if not reasons else []), after=len(reasons))
        reasons.append((done.returncode, words in done.stderr, len(receiver.taken())))
    tap.same(reasons, [(2, True, 1)] * 5, "HTTP 500, two error codes, an answer of somebody else, a redirect: not told, and why", done.stderr)
    receiver.answers.append("hang")
    seen, over = [], threading.Event()

    def look():
        while not over.wait(0.02):
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open(f"/proc/{pid}/cmdline", "rb") as file:
                        words = file.read().split(b"\0")
                except OSError:
                    continue
                if words[:1] == [b"curl"]: # those of other tests too: none of them has to do with this token
                    seen.append(b" ".join(words).decode())
    watcher = threading.Thread(target=look)
    watcher.start()
    began = time.monotonic()
    done = place.alert(after=10)
    took = time.monotonic() - began
    over.set()
    watcher.join()
    receiver.let_go.set()
    tap.ok(done.returncode == 2 and "did not answer in time" in done.stderr and took < 20, "one that hangs is given up after its time", took, done.stderr)
    tap.same(("curl -q -K - " in seen, [words for words in seen if TOKEN in words]), (True, []), "what is secret is on no command line", set(seen))
    receiver.taken()
    done = place.alert(after=11)
    posts = receiver.taken()
    tap.ok(done.returncode == 0 and len(posts) == 1 and "new" in posts[0][2]["markdown"]["content"], "then it is told as new", done.stderr, posts)
    receiver.shutdown()
    receiver.server_close()
    done = place.alert(after=11 + 300)
    tap.ok(done.returncode == 2 and "nobody answers" in done.stderr, "nobody there: not told", done.stderr)


def certificates():
    if shutil.which("openssl") is None:
        tap.skip("a certificate that nobody signed", "there is no openssl")
        return
    key, certificate = os.path.join(FOLDER, "key.pem"), os.path.join(FOLDER, "certificate.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj",
                    "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)
    receiver = Receiver()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    receiver.socket = context.wrap_socket(receiver.socket, server_side=True)
    place = Place("certificates", "faulty", ops={"kind": "json", "url": f"https://localhost:{receiver.server_port}/{TOKEN}"})
    done = place.alert(1)
    tap.ok(done.returncode == 2 and "certificate is not valid" in done.stderr and not receiver.taken(), "a certificate that nobody signed is not trusted", done.stderr)
    done = place.alert(after=1, CURL_CA_BUNDLE=certificate)
    tap.ok(done.returncode == 0 and len(receiver.taken()) == 1, "and one of the site's authority is, when that is named", done.stderr)


def large():
    """A thousand hosts that failed are one message, and it arrives whole."""
    receiver = Receiver()
    place = Place("large", "clean", ops={"kind": "json", "url": receiver.url("/json")})
    text = "the cause \\ of \"it\" " + "x" * 80
    with open(place.db + ".alerts", "w", encoding="utf-8") as file:
        json.dump({"schema": 1, "series": [], "alerts": [
            {"suite": "s", "hostfile": "h", "subject": f"node{number}", "severity": "critical", "over": False, "note": "", "since": 0, "ended": 0,
             "run": 1, "revision": 1, "problems": [{"severity": "critical", "key": "k", "text": text}], "told": []} for number in range(1250)]}, file)
    done = place.alert()
    posts = receiver.taken()
    tap.ok(done.returncode == 0 and len(posts) == 1 and posts[0][3] > 150000, "a message of a thousand hosts arrives", done.stderr, posts[0][3] if posts else "")
    shown = posts[0][2]["alerts"] if posts else []
    tap.same((len(shown) + posts[0][2]["left_out"] if posts else 0, {problem["text"] for row in shown for problem in row["problems"]}), (1250, {text}),
             "unchanged, and those that are left out are counted")


def no_more_runs():
    receiver = Receiver()
    place = Place("silence", "clean", "stopped", "clean", ops={"kind": "json", "url": receiver.url("/json")})
    with open(place.config, encoding="utf-8") as file:
        place.tell({**json.load(file), "no_run_after_h": 26})
    started = 3 * 3600 - 8 * 3600  # of the second run, after the beginning: 15:00
    place.alert(2, after=0)
    tap.same([states(post) for post in receiver.taken()], [{("the run", "new")}], "a run that was stopped is told of")
    place.alert(after=started + 26 * 3600 - 1)
    early = [states(post) for post in receiver.taken()]
    place.alert(after=started + 26 * 3600 + 1)
    late = [states(post) for post in receiver.taken()]
    tap.ok(("the timer", "new") not in set().union(*early) and ("the timer", "new") in set().union(*late), "when no run comes any more, that is told", early, late)
    place.alert(3, after=started + 26 * 3600 + 2)
    tap.ok(("the run", "over") in states(receiver.taken()[0]), "a run that ends well ends that of the one that did not")


def configurations():
    receiver = Receiver()
    place = Place("configurations", "faulty", ops={"kind": "json", "url": receiver.url("/json")})
    secret = os.path.join(place.folder, "url")
    with open(secret, "w", encoding="ascii") as file:
        file.write(receiver.url(f"/{TOKEN}") + "\n")
    row = {"name": "ops", "kind": "json"}
    cases = [
        ([{**row, "url": f"http://example.org/{TOKEN}"}], "https:// is needed"), ([{**row, "url": f"ftp://x/{TOKEN}"}], "begins neither"),
        ([{**row, "url": f"https://x/{TOKEN}\n"}], "no URL has"), ([row], "neither url nor url_file"),
        ([{**row, "url_file": secret}], "can be read by others"), ([{**row, "url": receiver.url("/")}] * 2, "appears twice"),
        ([{**row, "url": receiver.url("/"), "lest": "info"}], "did you mean \"least\""), ([{**row, "url": receiver.url("/"), "secret": "x"}], "only dingtalk")]
    os.chmod(secret, 0o644)
    found = []
    for receivers, words in cases:
        place.tell({"receivers": receivers})
        done = place.alert(1)
        found.append((done.returncode, words in done.stderr) if words in done.stderr else (done.returncode, done.stderr))
    tap.same(found, [(64, True)] * len(cases), "what is wrong with a file of receivers is said, and no secret with it")
    os.chmod(secret, 0o600)
    place.tell({"receivers": [{**row, "url_file": secret}]})
    done = place.alert(1)
    tap.same((done.returncode, [post[0] for post in receiver.taken()]), (0, [f"/{TOKEN}"]), "a URL may lie in a file of its own", done.stderr)
    with open(EXAMPLE, encoding="utf-8") as file:
        place.tell(json.load(file))
    done = assay("alert", "--to", place.config, "--state", os.path.join(place.folder, "nothing"))
    tap.same((done.returncode, done.stdout.count("nothing is due")), (0, 4), "the example is read", done.stderr)
    os.chmod(place.config, 0o640)
    done = place.alert(1)
    tap.ok(done.returncode == 64 and "chmod 600" in done.stderr, "a file that others can read is refused", done.stderr)


if shutil.which("curl") is None:
    tap.skip("alerts", "curl is not installed: NO ALERT WAS SENT")
else:
    for story in (forms, intervals, refusals, certificates, large, no_more_runs, configurations):
        story()
tap.end()
