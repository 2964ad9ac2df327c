# SPDX-License-Identifier: Apache-2.0
"""Only an acceptance can be signed: what a trial, or a run of some hosts or steps, says of itself in every form.

usage: test_standing.py ASSAY
"""

import json
import os
import re
import shutil
import subprocess

from cluster import FOLDER, Lab, Tap, assay

tap = Tap()
STEPS = [{"check": "reachable"}, {"check": "gpu-inventory", "needs": ["reachable"]}]
HOSTS = 3


def suite(purpose):
    path = os.path.join(FOLDER, f"{purpose}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"name": "site", "title": "What this site asks", "purpose": purpose, "steps": STEPS}, file)
    return path


def run(lab, purpose, *words, status=0):
    """stdout, and the report of the run as each form has it."""
    done = assay("run", "-H", lab.hostfile, "-s", suite(purpose), "--db", "db", "--progress", "none", *words, cwd=FOLDER)
    if done.returncode != status:
        raise RuntimeError(f"{words}: exit {done.returncode}: {done.stdout} {done.stderr}")
    return done.stdout


def form(number, name, *words):
    return assay("report", number, "--db", "db", "--format", name, "-o", "-", *words, cwd=FOLDER).stdout


def page_of(stdout):
    path = re.search(r"^report: (.*)$", stdout, re.M)[1]
    with open(path, encoding="utf-8") as file:
        return os.path.basename(path), file.read()


def title_of(page):
    return re.search(r"<title>(.*?)</title>", page, re.S)[1]


def acceptance(lab):
    out = run(lab, "delivery")
    name, page = page_of(out)
    document = json.loads(form(1, "json"))
    tap.ok("\nverdict: accept\n" in out and "not an acceptance" not in out and name == "assay-report-1.html",
           "a delivery over all hosts and steps is accepted, and its file is a report", out, name)
    tap.ok("acceptance report" in title_of(page) and 'id="signatures"' in page and "do not sign this document" in page and "By signing" not in page,
           "where it is signed, it says that a simulated one cannot be", title_of(page))
    tap.same((document["document"], document["verdict"]),
             ({"kind": "acceptance", "acceptance": True, "hosts": HOSTS, "hosts_owed": HOSTS, "steps": 2, "steps_owed": 2}, "accept"),
             "programs see that it is an acceptance")


def says_what_it_is(number, out, kind, title, share, words):
    """words: (verdict, what was found, exit status)"""
    verdict, found, status = words
    name, page = page_of(out)
    line = f"{title}{f' ({share})' if share else ''}: {found}; not an acceptance\nrun: {number}\nverdict: {verdict}\n"
    sentence = f"This run is a {title} and not an acceptance{': ' + share if share else ''}."
    tap.ok(line in out and name == f"assay-{kind}-{number}.html", f"{kind} {share}: the terminal and the file name say what it is", out)
    tap.ok(title in title_of(page) and "not an acceptance" in title_of(page) and sentence in page and 'id="signatures"' not in page
           and "By signing" not in page, f"{kind} {share}: so do title and first lines, and there are no lines to sign", title_of(page))
    text = form(number, "text")
    simulated, first = text.split("VERDICT: ", 1)
    tap.ok(simulated.startswith("Simulated: ") and simulated.count("\n") == 2 and first.startswith(f"{verdict.upper()}\n") and
           sentence in " ".join(first.split("\n")[:4]),
           f"{kind} {share}: so does the text", text[:400])
    document = json.loads(form(number, "json"))
    tap.same((document["document"]["kind"], document["document"]["acceptance"], document["verdict"], document["exit_status"]),
             (kind, False, verdict, status), f"{kind} {share}: so does JSON")
    tap.ok({row["verdict"] for row in document["verdicts"]} <= {"passed", "failed", "incomplete"},
           f"{kind} {share}: no host or unit of it is accepted or rejected", document["verdicts"])
    junit, prometheus = form(number, "junit"), form(number, "prometheus")
    tap.ok(f": {verdict}. {sentence}" in junit.split("\n")[1], f"{kind} {share}: so does JUnit", junit[:300])
    tap.ok(f'scope="run",name="",verdict="{verdict}"' in prometheus and 'verdict="accept' not in prometheus and
           'verdict="reject' not in prometheus and f'kind="{kind}"' in prometheus, f"{kind} {share}: so does Prometheus",
           prometheus[:1500])


def others(lab):
    says_what_it_is(2, run(lab, "delivery", "--hosts", "node1,node2"), "part", "part of a delivery", f"2 of {HOSTS} hosts",
                    ("passed", "nothing found", 0))
    text, page, document = form(2, "text"), form(2, "html"), json.loads(form(2, "json"))
    tap.ok(re.search(rf"^ *unit +su1, 2 of {HOSTS} hosts: passed", text, re.M) and f"su1, 2 of {HOSTS} hosts" in page and
           [(row["hosts"], row["hosts_owed"]) for row in document["verdicts"] if row["scope"] == "unit"] == [(2, HOSTS)],
           "a unit of which some hosts were tested says how many", text[:1500])
    says_what_it_is(3, run(lab, "delivery", "--steps", "reachable", status=2), "part", "part of a delivery", "1 of 2 steps",
                    ("incomplete", "nothing found", 2))
    says_what_it_is(4, run(lab, "trial"), "trial", "trial", "", ("passed", "nothing found", 0))
    says_what_it_is(5, run(lab, "tuning"), "tuning", "comparison of settings", "", ("passed", "nothing found", 0))
    says_what_it_is(6, run(lab, "periodic", "--hosts", "node1"), "periodic", "periodic check", f"1 of {HOSTS} hosts",
                    ("passed", "nothing found", 0))


def chinese():
    page, text = form(2, "html", "--lang", "zh"), form(2, "text", "--lang", "zh")
    tap.ok("并非验收" in title_of(page) and f"本次运行为交付测试的一部分，并非验收：{HOSTS} 台主机中的 2 台。" in page and
           'id="signatures"' not in page, "in Chinese too", title_of(page))
    tap.ok(text.split("\n")[0].startswith("模拟：") and text.split("\n")[1].startswith("结论：") and "验收结论" not in text.split("\n")[1] and
           "并非验收" in text, "and as text", text[:300])


def lists():
    listed = assay("list", "--db", "db", cwd=FOLDER).stdout
    found = {row.split()[0]: tuple(word for word in ("accept", "passed", "incomplete", "part", "trial", "tuning", "periodic", "acceptance")
                                   if word in row.split()) for row in listed.split("\n")[1:] if row}
    tap.same((found["1"], found["2"], found["3"], found["4"]),
             (("accept", "acceptance"), ("passed", "part"), ("incomplete", "part"), ("passed", "trial")),
             "the list of runs says of each what it is", listed)
    pruned = assay("prune", "--db", "db", "--keep", 1, "--dry-run", cwd=FOLDER).stdout
    tap.ok(re.search(r"run 1 of .* stays: it was accepted\n", pruned) and re.search(r"run 4 of .* stays: it passed\n", pruned),
           "only an acceptance was accepted", pruned)


def broken(lab):
    out = run(lab, "trial", status=1)
    says_what_it_is(7, out, "trial", "trial", "", ("failed", "something failed", 1))
    again = assay("judge", 7, "--db", "db", cwd=FOLDER)
    tap.ok(again.returncode == 1 and "verdict: failed\n" in again.stdout, "judged again it is no rejection either", again.stdout)
    out = run(lab, "delivery", status=1)
    tap.ok("\nverdict: reject\n" in out, "a delivery over all hosts is rejected", out)


def idle_gate(lab):
    """Of one GPU there are no pairs: what the suite gates of pairs judges nothing."""
    path, platform, hosts = (os.path.join(FOLDER, name) for name in ("idle.json", "one.json", "idle.hosts"))
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"name": "idle", "title": "Idle", "purpose": "trial", "steps": [
            STEPS[0], {"check": "gpu-links", "gate": ["gpu_links.one_way", "gpu_links.up"]}]}, file)
    with open(platform, "w", encoding="utf-8") as file:
        json.dump({"name": "one", "title": "One GPU", "source": "this test", "nvlink": {"links": 0}, "nvswitch": False, "fabric_state": False,
                   "gpus": {"count": 1, "models": ["NVIDIA H100 80GB HBM3"], "pci_ids": ["10de:2330"]}}, file)
    with open(lab.hostfile, encoding="utf-8") as file, open(hosts, "w", encoding="utf-8") as out:
        out.write(re.sub(r"platform=\S+", f"platform={platform}", file.read()))
    planned = assay("plan", "-H", hosts, "-s", path)
    tap.ok(planned.stdout.count('"gate" names') == 1 and '"gate" names gpu_links.one_way, and hosts of one have nothing'
           in " ".join(planned.stdout.split()), "the plan says what a suite gates that these hosts have not", planned.stdout, planned.stderr)
    done = assay("run", "-H", hosts, "-s", path, "--db", "idle.db", "--progress", "none", "-o", "idle.html", cwd=FOLDER)
    text = assay("report", 1, "--db", "idle.db", "--format", "text", "-o", "-", cwd=FOLDER).stdout
    tap.ok("gpu-links, gpu_links.one_way (one): the suite judges it, and these hosts have nothing that it is measured of"
           in " ".join(text.split()), "and so does the report", text, done.stderr)


def spares(lab):
    with open(lab.hostfile, encoding="utf-8") as file:
        lines = file.read()
    with open(lab.hostfile, "w", encoding="utf-8") as file:
        file.write(re.sub(r"^(node3 .*)$", r"\1 role=spare", lines, flags=re.M))
    out = run(lab, "delivery")
    with open(lab.hostfile, "w", encoding="utf-8") as file:
        file.write(lines)
    tap.ok("\nverdict: accept\n" in out and "not an acceptance" not in out, "a spare that nobody needed is not owed", out)


def signed():
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", os.path.join(FOLDER, "key")], check=True,
                   stdin=subprocess.DEVNULL)
    with open(os.path.join(FOLDER, "key.pub"), encoding="ascii") as key, open(os.path.join(FOLDER, "signers"), "w", encoding="ascii") as file:
        file.write(f"vendor@v.example {key.read()}")
    done = assay("report", 2, "--db", "db", "--sign", "key", cwd=FOLDER)
    tap.ok(done.returncode == 0 and "assay-part-2.html.manifest" in done.stdout, "it can be signed as what it is", done.stdout, done.stderr)
    shown = assay("verify", "assay-part-2.html", "--signers", "signers", "--db", "db", cwd=FOLDER)
    tap.ok(shown.returncode == 0 and "signed: verdict: passed\n" in shown.stdout and
           f"signed: kind: part of a delivery and not an acceptance, 2 of {HOSTS} hosts\n" in shown.stdout,
           "what was signed says what it is", shown.stdout, shown.stderr)
    for word, status in (("accept", 1), ("passed", 0)):
        asked = assay("verify", "assay-part-2.html", "--signers", "signers", "--expect-verdict", word, cwd=FOLDER)
        tap.same(asked.returncode, status, f"who expects '{word}' of it is told", asked.stdout, asked.stderr)


def campaigns(lab):
    done = assay("acceptance", "create", "su", "-H", lab.hostfile, "-s", suite("trial"), "--db", "db", cwd=FOLDER)
    tap.ok(done.returncode == 64 and "nothing can be accepted by it" in done.stderr, "no acceptance is made of a trial", done.stderr)


def commands_that_are_told(lab):
    """What a message says to type is about the database that was named, wherever it is typed."""
    named = ("--db", "one more.db")
    done = assay("run", "-H", lab.hostfile, "-s", suite("trial"), *named, "--progress", "none", "-o", "/proc/report.html", cwd=FOLDER)
    tap.ok(done.returncode != 0 and "`assay report 1 -o FILE --db 'one more.db'`" in done.stderr, "a report that could not be written is told where its run is", done.stderr)
    shown = assay("show", *named, cwd=FOLDER)
    tap.ok(shown.stdout.endswith("all of it: assay show 1 --full --db 'one more.db'\n"), "so is who wants to see the whole of it", shown.stdout[-300:])
    made = assay("acceptance", "create", "su", "-H", lab.hostfile, "-s", suite("delivery"), *named, cwd=FOLDER)
    tap.ok("`assay acceptance add su RUN --db 'one more.db'`" in made.stdout, "and who is to add runs to an acceptance", made.stdout, made.stderr)


with Lab("clean", HOSTS) as cluster:
    acceptance(cluster)
    commands_that_are_told(cluster)
    others(cluster)
    chinese()
    lists()
    campaigns(cluster)
    idle_gate(cluster)
    if shutil.which("ssh-keygen"):
        signed()
with Lab("broken", HOSTS, ["node2:gpu-missing:3"]) as cluster:
    broken(cluster)
with Lab("spare", HOSTS) as cluster:
    spares(cluster)
tap.end()
