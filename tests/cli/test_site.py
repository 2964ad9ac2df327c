# SPDX-License-Identifier: Apache-2.0
"""A site of a database: every run is in it, every link leads to a file in it, and no word of a host, of a person or of
another party leads out of it.

usage: test_site.py ASSAY WRITE_RUNS WRITE_DATABASE
"""

import hashlib
import html
import html.parser
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import urllib.parse

from cluster import ASSAY, FOLDER, Lab, Tap, assay, environment

WRITE_RUNS, WRITE_DATABASE = map(os.path.abspath, sys.argv[2:4])
DATABASE, SITE = os.path.join(FOLDER, "runs.db"), os.path.join(FOLDER, "site")
HOSTILE = '"><script>alert(1)</script>'
PRINTS = r"""printf '<script>alert(2)</script>\033[2J\n'; head -c 9000000 /dev/zero | tr "\\0" x; echo; echo complaint >&2"""
SUITE = {"name": "prints", "title": "Prints", "purpose": "trial", "platform": "hgx-h100", "steps": [
    {"check": "reachable"},
    {"name": "prints", "check": "command", "needs": ["reachable"], "arguments": {"command": PRINTS}, "record": ["command.*"]}]}

tap = Tap()


class Links(html.parser.HTMLParser):
    """Where a page leads to, what it loads, and what it would run."""

    def __init__(self, path):
        super().__init__()
        self.links, self.tags, self.ids = [], [], set()
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        self.feed(self.text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append(tag)
        self.ids.add(attributes.get("id"))
        self.links += [attributes[name] for name in ("href", "src", "srcset", "action", "data") if attributes.get(name) is not None]


def site(folder, *words, database=DATABASE):
    return assay("site", folder, "--db", database, *words)


def files(folder):
    return {os.path.relpath(os.path.join(place, name), folder): os.path.join(place, name)
            for place, _, names in os.walk(folder) for name in names}


def stamps(folder):
    return {name: os.stat(path).st_mtime_ns for name, path in files(folder).items()}


def pages(folder):
    return {name: Links(path) for name, path in files(folder).items() if name.endswith(".html")}


def crawl(folder, name, least=11):
    """Every link is relative and leads to a file of the folder, or to a place in a page; every page is led to."""
    found, read, reached = [], pages(folder), {"index.html"}
    for page, links in read.items():
        for link in links.links:
            parts = urllib.parse.urlsplit(link)
            target = os.path.normpath(os.path.join(os.path.dirname(page), urllib.parse.unquote(parts.path))) if parts.path else page
            reached.add(target)
            if link == "data:,":
                continue
            if parts.scheme or parts.netloc or link.startswith("/"):
                found.append(f"{page}: {link}")
            elif not os.path.isfile(os.path.join(folder, target)) or target.startswith(".."):
                found.append(f"{page}: {link} leads nowhere")
            elif parts.fragment and parts.fragment not in read[target].ids:
                found.append(f"{page}: {link} leads to no place")
    lost = [file for file in files(folder) if file not in reached and not file.endswith("assay-site.json")]
    tap.ok(len(read) >= least and sum(len(page.links) for page in read.values()) > 10 * least and not found, f"{name}: every link leads to a file of the site", *found[:20])
    tap.same(lost, [], f"{name}: every file is led to")
    return read


def query(database, *statements):
    store = sqlite3.connect(database)
    with store:
        for statement in statements:
            store.execute(*statement)
    store.close()


def rows(text, section):
    """The cells of a section's table, as text."""
    part = re.search(rf'<section id="{section}">.*?</section>', text, re.S)
    return [[html.unescape(re.sub(r"<[^>]*>", "|", cell)) for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.S)]
            for row in re.findall(r"<tr>(.*?)</tr>", part[0].split("<tbody>")[1], re.S)] if part else []


# -- Runs of a cluster ---------------------------------------------------------------------------------------------

KINDS = ["clean", "faulty", "clean", "undecided", "part", "stopped"]
subprocess.run([WRITE_RUNS, DATABASE, *KINDS], env=environment(), check=True)
done = site(SITE)
tap.ok(done.returncode == 0 and f"site: {SITE}/index.html\n" in done.stdout, "a site is written", done.stdout, done.stderr)
index = crawl(SITE, "runs")["index.html"].text
found = rows(index, "runs")
tap.same([(re.sub(r"\|", "", row[0]), re.sub(r"[^a-z ]", "", row[6]).strip()) for row in found],
         [("6", "not judgedcancelled"), ("5", "passed"), ("4", "incomplete"), ("3", "acceptsee the note at its verdict"), ("2", "reject"), ("1", "accept")],
         "the index has every run, the newest first, with the verdict of its kind", index[-3000:])
tap.ok("part of a delivery" in found[1][4] and all("acceptance" in row[4] for row in found[2:]), "and what each run is", found)
tap.ok("imported" not in Links(os.path.join(SITE, "index.html")).ids, "nothing is said of other parties where there are none")

plain = assay("report", 2, "--db", DATABASE).stdout.splitlines()
shown = Links(os.path.join(SITE, "runs/2/index.html")).text.splitlines()
tap.ok(len(plain) > 100 and [line for line in shown if line not in plain][0].startswith('<p class="small on-screen"><a href="../../index.html">')
       and "href=\"outputs/" not in "\n".join(plain), "a report has a way back, and one that stands alone has none")
back = re.sub(r'<p class="small on-screen"><a href="\.\./\.\./index\.html">[^\n]*\n', "", "\n".join(shown))
back = re.sub(r'<a href="outputs/[^"]*">(.*?)</a>', r"\1", back)
back = re.sub(r"(</a>)(?: stdout| stderr)+", r"\1", back)
tap.same(hashlib.sha256(back.encode()).hexdigest(), hashlib.sha256("\n".join(plain).encode()).hexdigest(),
         "but for its links it is what `assay report` writes")

pairs = [row[0].replace("|", "") for row in rows(Links(os.path.join(SITE, "compare/index.html")).text, "pairs")]
tap.ok(len(pairs) == 10 and pairs[0] == "Run 5 compared with run 4" and "Run 2 compared with run 1" in pairs, "every two runs of a suite are compared", pairs)
shown = Links(os.path.join(SITE, "compare/1-2.html")).text
tap.ok("Worse" in shown and "reject" in shown and "accept" in shown and "../runs/1/index.html" in shown, "with what is worse, and both verdicts")
hosts = [row[0].replace("|", "") for row in rows(Links(os.path.join(SITE, "history/index.html")).text, "hosts")]
tap.same(sorted(hosts), [f"node{i}" for i in range(1, 9)], "every host has a history")
tap.ok(all(os.path.isfile(os.path.join(SITE, f"history/hosts/{host}.html")) for host in hosts), "as a page of its own")

# -- Written again -------------------------------------------------------------------------------------------------

before = stamps(SITE)
done = site(SITE)
tap.ok("0 files written" in done.stdout and "0 removed" in done.stdout and stamps(SITE) == before, "written again nothing is touched", done.stdout)
with open(os.path.join(SITE, "runs/2/index.html"), "a", encoding="utf-8") as file:
    file.write("<p>passed</p>")
with open(os.path.join(SITE, "notes.txt"), "w", encoding="utf-8") as file:
    file.write("mine\n")
done = site(SITE)
changed = {name for name, at in stamps(SITE).items() if before.get(name) != at}
tap.ok(changed == {"runs/2/index.html", "notes.txt"} and "<p>passed</p>" not in Links(os.path.join(SITE, "runs/2/index.html")).text,
       "what somebody changed is written again, and that alone", changed)
tap.ok(os.path.isfile(os.path.join(SITE, "notes.txt")), "a file that is not ours stays")

subprocess.run([WRITE_RUNS, DATABASE, "faulty"], env=environment(), check=True)
site(SITE)
changed = {name for name, at in stamps(SITE).items() if before.get(name) != at}
# It began when run 1 did, and was made after all of them: none of their reports tells that it was rejected before.
tap.ok("runs/7/index.html" in changed and "compare/5-7.html" in changed and "runs/3/index.html" not in changed
       and "runs/1/index.html" not in changed and "compare/1-2.html" not in changed,
       "of a new run only its pages are written, and those about all", sorted(name for name in changed if not name.startswith("history/")))

forgotten = assay("prune", "--keep", 2, "--db", DATABASE)
left = {row[0] for row in sqlite3.connect(DATABASE).execute("SELECT id FROM run")}
tap.ok(forgotten.returncode == 0 and 0 < len(left) < 7, "some runs are forgotten", forgotten.stdout, forgotten.stderr)
done = site(SITE)
there = {int(name) for name in os.listdir(os.path.join(SITE, "runs"))}
tap.same(there, left, "their pages go", done.stdout)
tap.ok(not [name for name in os.listdir(os.path.join(SITE, "compare")) if not set(map(int, re.findall(r"\d+", name))) <= left]
       and os.path.isfile(os.path.join(SITE, "notes.txt")), "and comparisons with them; what is not ours stays")
os.unlink(os.path.join(SITE, "notes.txt"))
crawl(SITE, "after that")

# -- Folders that are not ours -------------------------------------------------------------------------------------

foreign = os.path.join(FOLDER, "foreign")
os.mkdir(foreign)
with open(os.path.join(foreign, "thesis.txt"), "w", encoding="utf-8") as file:
    file.write("mine\n")
done = site(foreign)
tap.ok(done.returncode == 64 and "is not empty, and no site that assay made" in done.stderr and os.listdir(foreign) == ["thesis.txt"],
       "a folder with anything else in it is refused, and left as it is", done.stderr)
done = site(os.path.join(foreign, "thesis.txt"))
tap.ok(done.returncode != 0 and "thesis.txt" in done.stderr, "a file is no folder", done.stderr)
other = os.path.join(FOLDER, "other.db")
subprocess.run([WRITE_RUNS, other, "clean"], env=environment(), check=True)
done, before = site(SITE, database=other), stamps(SITE)
tap.ok(done.returncode == 64 and "the site of another database" in done.stderr and stamps(SITE) == before, "another database is refused", done.stderr)
with sqlite3.connect(DATABASE) as store:
    numbers = dict(store.execute("SELECT uuid, id FROM run"))
merged, alike = os.path.join(FOLDER, "merged.db"), os.path.join(FOLDER, "alike")
assay("merge", DATABASE, "--db", merged)
with sqlite3.connect(merged) as store:
    others = dict(store.execute("SELECT uuid, id FROM run"))
done = site(SITE, database=merged)
tap.ok(done.returncode == 64 and "the site of another database" in done.stderr and stamps(SITE) == before, "so is one that its runs were merged into",
       numbers, others, done.stderr)
single, half = os.path.join(FOLDER, "single.db"), os.path.join(FOLDER, "half.db")
subprocess.run([WRITE_RUNS, single, "clean"], env=environment(), check=True)
assay("merge", single, "--db", half)
site(alike, database=single)
for step in ("its only run under the same number", "and another beside it"):
    done = site(alike, database=half)
    tap.ok(done.returncode == 64 and "run 1 of it is another one in" in done.stderr, f"refused too: a merged database that has {step}", done.stderr)
    assay("merge", other, "--db", half)
done = site(os.path.join(FOLDER, "merged"), database=half)
tap.ok(done.returncode == 0 and site(os.path.join(FOLDER, "merged"), database=half).returncode == 0, "a site of a merged database is written again", done.stderr)
done = site(os.path.join(FOLDER, "nothing"), database=os.path.join(FOLDER, "nothing.db"))
tap.ok(done.returncode == 64, "a database that is missing is refused", done.stderr)
for words, expected in (((), "expected the folder"), ((SITE, "more"), "unexpected word 'more'"), ((SITE, "--lang", "fr"), "unknown language 'fr'")):
    done = assay("site", *words, "--db", DATABASE)
    tap.ok(done.returncode == 64 and expected in done.stderr, f"site {' '.join(words[1:])}: refused by its word", done.stderr)

# -- Who can write to the folder cannot make us write or remove anywhere else -----------------------------------------

victim = os.path.join(FOLDER, "victim")
os.makedirs(os.path.join(victim, "7"))
for name in ("precious.html", "7/index.html"):
    with open(os.path.join(victim, name), "w", encoding="utf-8") as file:
        file.write("precious\n")
with open(os.path.join(SITE, "assay-site.json"), encoding="utf-8") as file:
    mark = json.load(file)
mark["files"] += ["../victim/precious.html", os.path.join(victim, "precious.html"), "links/precious.html", "compare/../../victim/precious.html", ".profile"]
with open(os.path.join(SITE, "assay-site.json"), "w", encoding="utf-8") as file:
    json.dump(mark, file)
os.symlink(victim, os.path.join(SITE, "links"))
done = site(SITE)
tap.ok(done.returncode == 0 and os.path.isfile(os.path.join(victim, "precious.html")), "a mark that names other files removes none of them", done.stderr)
os.unlink(os.path.join(SITE, "links"))
newest = max(left)
shutil.move(os.path.join(SITE, f"runs/{newest}"), os.path.join(FOLDER, "kept"))
os.symlink(os.path.join(victim, "7"), os.path.join(SITE, f"runs/{newest}"))
done = site(SITE)
with open(os.path.join(victim, "7/index.html"), encoding="utf-8") as file:
    tap.ok(done.returncode == 64 and "not a folder of the site" in done.stderr and file.read() == "precious\n", "a link in the place of a folder is refused", done.stderr)
os.unlink(os.path.join(SITE, f"runs/{newest}"))
os.rename(os.path.join(SITE, "index.html"), os.path.join(FOLDER, "index.html"))
os.symlink(os.path.join(victim, "precious.html"), os.path.join(SITE, "index.html"))
done = site(SITE)
with open(os.path.join(victim, "precious.html"), encoding="utf-8") as file:
    tap.ok(done.returncode == 64 and "index.html" in done.stderr and file.read() == "precious\n", "a link in the place of a page is refused", done.stderr)
os.unlink(os.path.join(SITE, "index.html"))
tap.same(site(SITE).returncode, 0, "without it the site is whole again")
crawl(SITE, "then")

# -- Chinese --------------------------------------------------------------------------------------------------------

chinese = os.path.join(FOLDER, "chinese")
done = site(chinese, "--lang", "zh-CN")
read = crawl(chinese, "in Chinese")
tap.ok(all('<html lang="zh-CN">' in page.text for page in read.values()) and "运行与验收" in read["index.html"].text
       and "All runs" not in read[f"runs/{newest}/index.html"].text, "all pages are in Chinese")

# -- Names and outputs of hosts, people and other parties -----------------------------------------------------------

hostile = os.path.join(FOLDER, "hostile.db")
path = os.path.join(FOLDER, "suite.json")
with open(path, "w", encoding="utf-8") as file:
    json.dump(SUITE, file)
lab_hosts = os.path.join(FOLDER, "lab-hosts")
with open(lab_hosts, "w", encoding="utf-8") as file:
    file.write("node[1-2] platform=hgx-h100\n")
with Lab("site", 2) as lab:
    done = assay("run", "-H", lab.hostfile, "-s", path, "--db", hostile, "--progress", "none", "-o", os.path.join(FOLDER, "report.html"),
                 "--title", HOSTILE, "--customer", "Acme & <Sons>", "--site", "javascript:alert(3)")
tap.ok("run: 1" in done.stdout, "a run of the lab is kept", done.stdout, done.stderr)
outputs = os.path.join(FOLDER, "outputs")
done = site(outputs, database=hostile)
read = crawl(outputs, "outputs", 3)
with open(os.path.join(outputs, "runs/1/outputs/node1/prints-1.stdout.txt"), "rb") as file:
    printed = file.read()
raw = subprocess.run([ASSAY, "logs", "1", "node1", "prints", "--raw", "--db", hostile], env=environment(), capture_output=True, check=False).stdout
tap.ok(printed.startswith(b"# run 1, prints, attempt 1 on node1: ran") and b"<script>alert(2)</script>" in printed and b"\x1b" not in printed
       and b"\x1b" in raw and re.search(rb"^# of \d+ bytes the first \d+ and the last \d+ are kept$", printed, re.M) is not None,
       "an output is text, says whose it is and what of it is kept, and steers no terminal", printed[:300])
tap.ok('href="outputs/node1/prints-1.stdout.txt"' in read["runs/1/index.html"].text and
       'href="outputs/node1/prints-1.stderr.txt"' in read["runs/1/index.html"].text, "the report leads to it")
tap.ok(all(page.tags.count("script") <= 1 and "<Sons>" not in page.text for page in read.values()) and "&quot;&gt;&lt;script&gt;alert(1)" in read["index.html"].text,
       "what people call a cluster is text")
tap.ok(not [name for name in files(outputs) if not re.fullmatch(r"(?:[a-z0-9][-a-z0-9_.=]*/)*[a-z0-9][-a-z0-9_.=]*", name)], "names of files are plain",
       sorted(files(outputs))[:50])

# -- A database in which every name is a trap, and the same run of another party -------------------------------------

NAMES = ["../../escape", "..", "NODE1", "node1", "con", "a/b", "<b>'\"&", "new\nline"]
STEPS = ["../../../etc", "<img src=x onerror=alert(4)>", "x" * 300, "\u4e3b\u673a", ".", "Ecc", "ecc"]


def renamed(path):
    for name in ("hosts", "printed"):
        with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as file:
            file.write("node[1-8] platform=hgx-h100\n" if name == "hosts" else HOSTILE * 50)
    subprocess.run([WRITE_DATABASE, path, os.path.join(FOLDER, "hosts"), os.path.join(FOLDER, "printed")], env=environment(), check=True)
    shapes = [row[0] for row in sqlite3.connect(path).execute("SELECT id FROM shape WHERE hosts=1 ORDER BY id")][:len(STEPS)]
    query(path, *[("UPDATE run_host SET name=? WHERE n=?", (name, n)) for n, name in enumerate(NAMES)],
          *[("UPDATE shape SET suite_step=? WHERE id=?", (name, shape)) for name, shape in zip(STEPS, shapes)])


traps, trapped = os.path.join(FOLDER, "traps.db"), os.path.join(FOLDER, "trapped")
renamed(traps)
outside = set(os.listdir(FOLDER))
done = site(trapped, database=traps)
tap.ok(done.returncode == 0, "names that are traps: a site is written", done.stdout, done.stderr)
read = crawl(trapped, "traps")
tap.same(set(os.listdir(FOLDER)) - outside, {"trapped"}, "nothing is written beside the folder")
folders = os.listdir(os.path.join(trapped, "runs/1/outputs"))
tap.ok(len(folders) >= len(NAMES) and len({name.lower() for name in folders}) == len(folders) and {"node1"} < set(folders),
       "hosts of different names have folders of their own, also where capitals are none", folders)
tap.ok(not [name for name in files(trapped) if not re.fullmatch(r"(?:[a-z0-9][-a-z0-9_.=]*/)*[a-z0-9][-a-z0-9_.=]*", name)
            or max(map(len, name.split("/"))) > 200 or re.search(r"(?:^|/)(?:con|nul)(?:[./]|$)", name)], "with plain names that every system takes",
       sorted(files(trapped))[:50])
attempts = sqlite3.connect(traps).execute("SELECT count(*) FROM capture WHERE length>0").fetchone()[0]
texts = [name for name in files(trapped) if re.search(r"\.std(out|err)\.txt$", name)]
tap.same(len(texts), attempts, "and each output has its file")
tap.ok(all("img" not in page.tags and page.tags.count("script") <= 1 for page in read.values()) and "&lt;img src=x" in read["runs/1/index.html"].text,
       "in pages they are text")

bundle, importing, imported = (os.path.join(FOLDER, name) for name in ("theirs.tar.zst", "importing.db", "imported"))
theirs = os.path.join(FOLDER, "theirs.db")
subprocess.run([WRITE_RUNS, theirs, "clean"], env=environment(), check=True)
exported = assay("export", 1, "--db", theirs, "-o", bundle)
subprocess.run([WRITE_RUNS, importing, "faulty"], env=environment(), check=True)
done = assay("import", bundle, "--db", importing)
tap.ok(exported.returncode == 0 and done.returncode == 0, "another party's run is imported", exported.stderr, done.stderr)
site(imported, database=importing)
text = crawl(imported, "imported")["index.html"].text
own, foreign_rows = rows(text, "runs"), rows(text, "imported")
tap.ok([row[0].replace("|", "") for row in own] == ["1"] and [row[0].replace("|", "") for row in foreign_rows] == ["2"],
       "it is listed apart from those that were made here", own, foreign_rows)
tap.ok("unsigned" in foreign_rows[0][2] and "theirs.tar.zst" in foreign_rows[0][2] and "theirs, not given here" in foreign_rows[0][7]
       and 'class="vw' not in text.split('<section id="imported">')[1].split("</section>")[0], "with where it came from, and whose the verdict is", foreign_rows)
tap.ok(not os.path.exists(os.path.join(imported, "compare")) and "1 judged run made here: run 1 to run 1" in Links(os.path.join(imported, "history/index.html")).text,
       "it is compared with nothing, and no part of the history")

# -- Acceptances ------------------------------------------------------------------------------------------------------

suite = os.path.join(FOLDER, "owed.json")
with open(suite, "w", encoding="utf-8") as file:
    json.dump({"name": "owed", "title": "Owed", "purpose": "delivery", "platform": "hgx-h100", "steps": [{"check": "reachable"}]}, file)
made = assay("acceptance", "create", "Iron/../<x>", "-H", lab_hosts, "-s", suite, "--db", hostile)
tap.ok(made.returncode == 0, "an acceptance is begun", made.stderr)
site(outputs, database=hostile)
read = crawl(outputs, "an acceptance", 4)
named = [row for row in rows(read["index.html"].text, "acceptances")]
tap.ok(len(named) == 1 and "Iron/../<x>" in named[0][0] and "incomplete" in named[0][1], "it is in the index, with its verdict", named)
tap.ok(len([name for name in read if name.startswith("acceptances/iron")]) == 1, "and has a page", sorted(read))

# -- Redacted ---------------------------------------------------------------------------------------------------------

TELLS = "echo I am $(hostname); echo Accepted publickey for xavier from 10.9.8.7 port 22; echo /home/xavier/x of umbrella"
secret, named, redacted = (os.path.join(FOLDER, name) for name in ("secret.db", "with-names", "redacted"))
with open(suite, "w", encoding="utf-8") as file:
    json.dump({"name": "tells", "title": "Tells", "purpose": "delivery", "platform": "hgx-h100", "steps": [
        {"check": "reachable"}, {"check": "gpu-inventory", "needs": ["reachable"]}, {"check": "bom", "needs": ["reachable"]},
        {"name": "tells", "check": "command", "needs": ["reachable"], "arguments": {"command": TELLS}, "record": ["command.*"]}]}, file)
with Lab("tells", 3, faults=["node2:gpu-missing:3"]) as lab:
    # The second run is of one host, and what it tells of itself is known from both.
    for words in ((), ("--hosts", "node2")):
        assay("run", "-H", lab.hostfile, "-s", suite, "--db", secret, "--progress", "none", "-o", os.path.join(FOLDER, "report.html"),
              "--customer", "Umbrella", "--site", "Reykjavik", *words)
    made = assay("acceptance", "create", "node1 of umbrella", "-H", lab.hostfile, "-s", suite, "--db", secret)
    assay("acceptance", "add", "node1 of umbrella", "1", "--db", secret)
    addresses = re.findall(r"address=(\S+)", open(lab.hostfile, encoding="utf-8").read())
done, with_names = site(redacted, "--redact", database=secret), site(named, database=secret)
tap.ok(done.returncode == 0 and "2 runs, 1 acceptances" in done.stdout, "a redacted site is written", made.stderr, done.stdout, done.stderr)
measured = json.loads(assay("report", 1, "--format", "json", "--db", secret).stdout)
serials = {fact["value"] for attempt in measured["attempts"] for fact in attempt["reading"]["facts"] if fact["name"].endswith("serial")}
store = sqlite3.connect(secret)
serials |= {row[0] for row in store.execute("SELECT identity FROM item WHERE kind='chassis'")}
pseudonyms = {name: n for name, n in store.execute("SELECT name,n FROM pseudonym WHERE kind='host'")}
store.close()
tap.ok(len(addresses) == 3 and len(serials) > 20, "hosts have addresses and serial numbers", addresses, len(serials))
SECRETS = ["node1", "node2", "node3", "xavier", "10.9.8.7", "umbrella", "reykjavik", os.uname().nodename.lower(), *addresses, *map(str.lower, serials)]


def leaks(folder):
    found = []
    for name, path in files(folder).items():
        with open(path, "rb") as file:
            text = name.lower() + "\n" + file.read().decode(errors="replace").lower()
        found += [(name, word) for word in SECRETS if re.search(rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])", text)]
    return found


shown = {word for _, word in leaks(named)}
tap.ok({"node1", "node2", "node3", "xavier", "10.9.8.7", "umbrella", "reykjavik"} <= shown and len(shown & {one.lower() for one in serials}) > 20,
       "with names they are found", sorted(set(SECRETS) - shown))
tap.same(leaks(redacted)[:10], [], "redacted none of them is found in any file, nor in the name of one")
read = crawl(redacted, "redacted", 8)
tap.ok("pseudonyms here" in read["index.html"].text and "pseudonyms here" not in Links(os.path.join(named, "index.html")).text, "its index says so")
for i in (1, 2, 3):
    alias = f"anon-host{pseudonyms[f'node{i}']}"
    told = []
    for run in (1, 2):
        if run == 1 or i == 2:
            with open(os.path.join(redacted, f"runs/{run}/outputs/{alias}/tells-1.stdout.txt"), encoding="utf-8") as file:
                told.append(re.search(r"^I am (\S+)$", file.read(), re.M)[1])
    tap.ok(set(told) == {alias} and alias in read["runs/1/index.html"].text and f"history/hosts/{alias}.html" in read,
           f"node{i} has the same name in each run, in outputs, in reports and in the history", alias, told)
tap.same([re.sub(r"anon-\w+", "NAME", cell) for row in rows(read["index.html"].text, "acceptances") for cell in row[1:]],
         [re.sub(r"node\d", "NAME", cell) for row in rows(Links(os.path.join(named, "index.html")).text, "acceptances") for cell in row[1:]],
         "an acceptance has the verdict that it has with names")
tap.same([row[0] for row in rows(read["index.html"].text, "runs")], [row[0] for row in rows(Links(os.path.join(named, "index.html")).text, "runs")],
         "runs keep their numbers")
for folder, words in ((redacted, ()), (named, ("--redact",))):
    before = stamps(folder)
    done = site(folder, *words, database=secret)
    tap.ok(done.returncode == 64 and "name another folder" in done.stderr and stamps(folder) == before, "the one is not written over the other", done.stderr)
done = site(redacted, "--redact", database=secret)
tap.ok(done.returncode == 0 and not [name for name in done.stdout.splitlines() if "removed" in name and " 0 removed" not in name] and not leaks(redacted),
       "written again it names nobody", done.stdout, leaks(redacted)[:5])
done = site(os.path.join(FOLDER, "nowhere"), "--redact-words", suite, database=secret)
tap.ok(done.returncode == 64 and "goes with --redact" in done.stderr, "words to redact go with --redact", done.stderr)
tap.same([name for name in os.listdir(FOLDER) if name.startswith("assay-") or name == "nowhere"], [], "nothing is left beside the folder")
tap.end()
