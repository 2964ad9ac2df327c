# SPDX-License-Identifier: Apache-2.0
"""assay merge --signers: of databases and bundles of others only what somebody has signed who is known, as he signed it.

usage: test_merge_signed.py ASSAY
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys

from cluster import FOLDER, Lab, Tap, assay

tap = Tap()
SUITE = {"name": "site", "title": "What this site agreed on", "purpose": "delivery",
         "steps": [{"check": "reachable"}, {"check": "ecc", "needs": ["reachable"]}]}
if shutil.which("ssh-keygen") is None:
    print("1..0 # SKIP there is no ssh-keygen")
    sys.exit(0)


MOST_REPORTS = 10000  # that are looked at in one folder


def path(name):
    return os.path.join(FOLDER, name)


def write(name, text):
    with open(path(name), "w", encoding="utf-8") as file:
        file.write(text)
    return path(name)


def source(name, *files, database="theirs.db", statements=()):
    """A folder with their database and some of what was signed; the database's path in it."""
    os.makedirs(path(name))
    shutil.copy(path(database), path(f"{name}/theirs.db"))
    for file in files:
        for suffix in ("", ".manifest", ".manifest.1.sig"):
            shutil.copy(path(file + suffix), path(f"{name}/{file}{suffix}"))
    store = sqlite3.connect(path(f"{name}/theirs.db"))
    with store:
        for statement in statements:
            store.execute(statement)
    store.close()
    return f"{name}/theirs.db"


def merge(target, *sources, signers="signers"):
    return assay("merge", *sources, "--signers", path(signers), "--db", path(target), cwd=FOLDER)


def runs(database):
    """{UUID: who signed it} of the runs there."""
    if not os.path.exists(path(database)):
        return {}
    store = sqlite3.connect(path(database))
    try:
        return dict(store.execute("SELECT uuid,signers FROM run JOIN origin ON origin.run=run.id"))
    finally:
        store.close()


def told(done, status, *words):
    return done.returncode == status and all(word in done.stdout + done.stderr for word in words)


def sign(number, name, key, database="theirs.db", format_="html"):
    done = assay("report", number, "--db", database, "--format", format_, "--sign", path(key), "-o", name, cwd=FOLDER)
    assert done.returncode == 0, done.stderr


# --- two runs of theirs, an acceptance that has both, and keys ---------------------------------------------------------

write("site.json", json.dumps(SUITE))
with Lab("theirs", 2) as lab:
    for turn in range(2):
        if turn == 1:
            words = ("--db", path("theirs.db"))
            assay("acceptance", "create", "su", "-H", lab.hostfile, "-s", path("site.json"), *words)
        done = assay("run", "-H", lab.hostfile, "-s", path("site.json"), "--db", path("theirs.db"), "--progress", "none", "-o", path("run.html"))
        tap.same(done.returncode, 0, f"run {turn + 1} of theirs", done.stdout, done.stderr)
for name in ("vendor", "forger", "witness"):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", path(name)], check=True, stdin=subprocess.DEVNULL)
with open(path("vendor.pub"), encoding="utf-8") as public:
    write("signers", "vendor@v.example " + public.read())
with open(path("witness.pub"), encoding="utf-8") as public, open(path("signers"), encoding="utf-8") as known:
    write("both", known.read() + "witness@w.example " + public.read())
sign(1, "r1.html", "vendor")
sign(2, "r2.html", "vendor")
sign(2, "f2.html", "forger")
sign(1, "w1.html", "witness")
store = sqlite3.connect(path("theirs.db"))
first, second = (uuid for (uuid,) in store.execute("SELECT uuid FROM run ORDER BY id"))
store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
store.close()

# --- databases --------------------------------------------------------------------------------------------------------

done = merge("none.db", source("bare"))
tap.ok(told(done, 2, "run 1: NOT SIGNED, not taken", "run 2: NOT SIGNED, not taken", "0 taken", "2 not signed") and runs("none.db") == {},
       "without a signed report beside it nothing is taken, and each run is named", done.returncode, done.stdout, done.stderr)
done = merge("one.db", source("one", "r1.html"))
tap.ok(told(done, 2, "run 1: taken, as number 1, signed by vendor@v.example", "run 2: NOT SIGNED", "1 taken", "1 not signed"),
       "what is signed is taken, with who signed it, and the other run is not", done.returncode, done.stdout, done.stderr)
tap.ok(list(runs("one.db")) == [first] and "vendor@v.example" in runs("one.db")[first], "and the run keeps it", runs("one.db"))
tap.ok("signed by vendor@v.example" in assay("show", 1, "--db", path("one.db")).stdout, "which is said where it is shown")
done = merge("two.db", source("two", "r1.html", "r2.html"))
tap.ok(told(done, 0, "2 taken", "0 not signed"), "a database of which all is signed comes whole", done.returncode, done.stdout, done.stderr)
done = merge("forged.db", source("forged", "f2.html"))
tap.ok(told(done, 2, "UNKNOWN KEY", "run 2: NOT SIGNED", "0 taken") and runs("forged.db") == {}, "by somebody whom the file does not name: not signed",
       done.returncode, done.stdout, done.stderr)
done = merge("nobody.db", "two/theirs.db", signers="nobody")
tap.ok(told(done, 64, "does not exist") and not os.path.exists(path("nobody.db")), "the file of signers is missing: nothing is done", done.stdout, done.stderr)

done = merge("edited.db", source("edited", "r1.html", "r2.html", statements=[
    "UPDATE measurement SET value=value+1 WHERE reading IN (SELECT reading.id FROM reading JOIN attempt ON attempt.id=reading.attempt WHERE attempt.run=1)"]))
tap.ok(told(done, 1, "CHANGED: table/measurement", "run 1: CHANGED, not taken", "run 2: taken", "1 changed") and list(runs("edited.db")) == [second],
       "a number that was changed since it was signed: that run is not taken", done.returncode, done.stdout, done.stderr)
place = source("again", "r1.html", "r2.html")
assay("judge", 1, "--db", place, cwd=FOLDER)
done = merge("again.db", place)
tap.ok(told(done, 1, "run 1: CHANGED, not taken", "judged again") and list(runs("again.db")) == [second],
       "with another judgement behind the signed one: not taken", done.returncode, done.stdout, done.stderr)
place = source("unjudged", "r1.html", "r2.html", statements=[
    f"DELETE FROM {table} WHERE judgement IN (SELECT id FROM judgement WHERE run=1)"
    for table in ("judgement_document", "outcome", "verdict", "search", "accusation_step", "accusation", "outcome_waiver")] +
    ["DELETE FROM judgement WHERE run=1"])
done = merge("unjudged.db", place)
tap.ok(told(done, 1, "run 1: CHANGED, not taken", "run 2: taken") and list(runs("unjudged.db")) == [second], "without the judgement that was signed: not taken",
       done.returncode, done.stdout, done.stderr)

# What is said of a run beside what was signed: a judgement before it, and a waiver behind it.
MORE = ["INSERT INTO judgement SELECT -7,'f'||substr(uuid,2),run,baselines,now-1,inputs FROM judgement WHERE run=1",
        "INSERT INTO verdict SELECT -7,n,scope,name,'accept with exceptions',pass,fail,inconclusive,not_run,recorded,accused,waived FROM verdict "
        "WHERE judgement=(SELECT max(id) FROM judgement WHERE run=1)",
        "INSERT INTO waiver SELECT 'aaaaaaaa-0000-4000-8000-000000000001',step.run,key,attempt.uuid,'Mallory','trust me',now+1,4000000000.0 "
        "FROM step,attempt,judgement WHERE step.run=1 AND attempt.run=1 AND attempt.step=step.n AND judgement.run=1 AND judgement.id>0 LIMIT 1"]


def said(database):
    """How many judgements and waivers are there."""
    store = sqlite3.connect(path(database))
    try:
        return store.execute("SELECT (SELECT count(*) FROM judgement),(SELECT count(*) FROM waiver)").fetchone()
    finally:
        store.close()


done = merge("more.db", source("more", "r1.html", statements=MORE))
tap.ok(told(done, 2, "run 1: taken") and said("more.db") == (1, 0), "of what is said of a run only what was signed comes", done.stdout, done.stderr, said("more.db"))
for place in ("more/theirs.db", source("grown", "r1.html", "r2.html", statements=MORE)):
    done = merge("more.db", place)
    tap.ok("run 1: there already, as number 1, signed by vendor@v.example" in done.stdout and "CHANGED" not in done.stdout,
           "and what did not come makes it no other run", done.stdout, done.stderr)
done = assay("merge", "more/theirs.db", "--db", path("all.db"), cwd=FOLDER)
tap.same((done.returncode, said("all.db")), (0, (3, 1)), "without --signers all of it comes", done.stdout, done.stderr)
done = merge("all.db", "more/theirs.db")
tap.ok("run 1: there already, as number 1\n" in done.stdout and not any(runs("all.db").values()), "and is nobody's word afterwards", done.stdout, runs("all.db"))
place = source("swapped", "r1.html", "r2.html")
shutil.copy(path("r1.html"), path("swapped/r2.html"))
done = merge("swapped.db", place)
tap.ok(told(done, 1, "this is not the file that was signed", "run 2: CHANGED") and list(runs("swapped.db")) == [first],
       "a report that was exchanged vouches for nothing", done.returncode, done.stdout, done.stderr)
place = source("lying", "r1.html")
with open(path("lying/r1.html.manifest"), encoding="utf-8") as file:
    manifest = file.read()
write("lying/r1.html.manifest", manifest.replace(first, second))
done = merge("lying.db", place)
tap.ok(told(done, 2, "0 taken", "2 not signed") and runs("lying.db") == {}, "a manifest that was changed to be of another run: nobody signed that",
       done.returncode, done.stdout, done.stderr)
place = source("rubbish", "r1.html")
os.mkfifo(path("rubbish/a.manifest"))
os.mkdir(path("rubbish/b.manifest"))
os.symlink("/dev/zero", path("rubbish/c.manifest"))
os.symlink("r1.html.manifest", path("rubbish/d.html.manifest"))
write("rubbish/e.manifest", "assay manifest 1\nrun: " + first + "\n" * 3)
write("rubbish/f.html.manifest", manifest)
done = merge("rubbish.db", place)
tap.ok(told(done, 2, "1 taken", "1 not signed"), "what else lies there neither holds it up nor stands in the way", done.returncode, done.stdout, done.stderr)

place = source("many", "r1.html", "r2.html")
for i in range(MOST_REPORTS - 1):
    write(f"many/a{i}.manifest", "")
done = merge("many.db", place)
tap.ok(told(done, 2, f"{MOST_REPORTS + 1} manifests of reports lie beside it; the 1 that come last by their names are not looked at", "run 1: taken", "1 not signed"),
       "where more lie there than are looked at, that is told", done.returncode, done.stdout, done.stderr)

done = assay("merge", source("numbered", statements=["UPDATE attempt SET n=n+100 WHERE run=1"]), "--db", path("numbered.db"), cwd=FOLDER)
tap.ok("not in its place" in done.stdout + done.stderr and first not in runs("numbered.db"),
       "attempts that are not numbered from 1 in their order are no run's: earlier ones would not be looked at", done.returncode, done.stdout, done.stderr)

# --- what is there already ---------------------------------------------------------------------------------------------

done = assay("merge", "bare/theirs.db", "--db", path("known.db"), cwd=FOLDER)
tap.same((done.returncode, set(runs("known.db").values())), (0, {""}), "without --signers all is taken, as unsigned", done.stdout, done.stderr)
done = merge("known.db", "one/theirs.db")
tap.ok(told(done, 0, "run 1: there already, as number 1, signed by vendor@v.example", "run 2: there already, as number 2\n") and
       [bool(runs("known.db")[uuid]) for uuid in (first, second)] == [True, False], "of a run that is there who signed it is added", done.stdout, done.stderr)
merge("known.db", source("witnessed", "w1.html"), signers="both")
done = merge("known.db", "one/theirs.db")
tap.same([line.split(",")[0] for line in runs("known.db")[first].split("\n")], ["vendor@v.example", "witness@w.example"],
         "who is known to have signed it stays, and is named once", done.stdout, runs("known.db"))
assay("merge", "again/theirs.db", "--db", path("later.db"), cwd=FOLDER)
done = merge("later.db", "one/theirs.db")
tap.ok(not any(runs("later.db").values()) and done.returncode == 1, "but not to a verdict that he has not signed", done.returncode, done.stdout, runs("later.db"))

# --- an acceptance ------------------------------------------------------------------------------------------------------

done = assay("acceptance", "add", "su", 2, "--db", path("theirs.db"))
tap.ok("verdict: accept" in done.stdout, "their acceptance has the second run", done.stdout, done.stderr)
done = assay("acceptance", "report", "su", "-o", "su.html", "--sign", path("vendor"), "--db", "theirs.db", cwd=FOLDER)
tap.same(done.returncode, 0, "and is signed", done.stdout, done.stderr)
done = merge("su.db", source("su", "su.html"))
tap.ok(told(done, 2, "run 1: NOT SIGNED", "run 2: taken, as number 1, signed by vendor@v.example", "its acceptance 'su' stays there") and list(runs("su.db")) == [second],
       "a signed acceptance vouches for its runs, and for no other", done.returncode, done.stdout, done.stderr)
done = merge("su-edited.db", source("su-run", "su.html", statements=[
    "UPDATE measurement SET value=value+1 WHERE reading IN (SELECT reading.id FROM reading JOIN attempt ON attempt.id=reading.attempt WHERE attempt.run=2)"]))
tap.ok(done.returncode == 1 and "0 taken" in done.stdout, "of which a run was changed since: not taken", done.returncode, done.stdout, done.stderr)

# --- bundles ------------------------------------------------------------------------------------------------------------

for name, words in (("b1", ()), ("red", ("--redact",))):
    os.makedirs(path(name))
    assay("export", 1, "--db", path("theirs.db"), "-o", path(f"{name}/b.tar.zst"), *words)
done = merge("bundles.db", "b1/b.tar.zst")
tap.ok(told(done, 2, "NOT SIGNED, not taken", "0 taken", "1 not signed") and runs("bundles.db") == {}, "a bundle by itself: not signed", done.stdout, done.stderr)
for name in ("b1", "red"):
    for file in ("f2.html", "r1.html"):
        for suffix in ("", ".manifest", ".manifest.1.sig"):
            shutil.copy(path(file + suffix), path(f"{name}/{file}{suffix}"))
done = merge("bundles.db", "b1/b.tar.zst")
tap.ok(told(done, 0, "1 taken", "0 not signed") and "vendor@v.example" in runs("bundles.db").get(first, ""), "a bundle with its signed report beside it is taken",
       done.returncode, done.stdout, done.stderr)
assay("import", "b1/b.tar.zst", "--report", path("w1.html"), "--signers", path("both"), "--db", path("bundles.db"), cwd=FOLDER)
tap.same([line.split(",")[0] for line in runs("bundles.db")[first].split("\n")], ["vendor@v.example", "witness@w.example"],
         "by another report of it the other signer is added", runs("bundles.db"))


def beside(name, **files):
    """A folder with the bundle of the first run and files of that name, each a copy of the other; the bundle's path in it."""
    os.makedirs(path(name))
    shutil.copy(path("b1/b.tar.zst"), path(f"{name}/b.tar.zst"))
    for to, file in files.items():
        shutil.copy(path(file), path(f"{name}/{to.replace('_', '.')}"))
    return f"{name}/b.tar.zst"


SIGNED = {"r1_html": "r1.html", "r1_html_manifest": "r1.html.manifest", "r1_html_manifest_1_sig": "r1.html.manifest.1.sig"}
done = merge("moved.db", beside("moved", a_html_manifest="r1.html.manifest", b_html_manifest="r1.html.manifest", b_html="r1.html", **SIGNED))
tap.ok(told(done, 0, "1 taken", "0 changed", "0 refused", "a.html does not exist") and list(runs("moved.db")) == [first],
       "a report beside it that was moved away, and one whose signature is missing, stand in no other's way", done.returncode, done.stdout, done.stderr)
done = merge("unsigned.db", beside("unsigned", r1_html="r1.html", r1_html_manifest="r1.html.manifest"))
tap.ok(told(done, 2, "NOT SIGNED, not taken", "1 not signed", "0 changed") and runs("unsigned.db") == {},
       "where the signature was forgotten it is not signed, as of a database", done.returncode, done.stdout, done.stderr)
done = merge("stranger.db", beside("stranger", r1_html="f2.html", **{key: file for key, file in SIGNED.items() if key != "r1_html"}))
tap.ok(told(done, 1, "this is not the file that was signed", "1 changed") and runs("stranger.db") == {},
       "what is not as a known signer signed it was changed", done.returncode, done.stdout, done.stderr)
done = merge("edited-bundle.db", beside("edited-bundle", r1_html="r1.html", r1_html_manifest="f2.html.manifest", r1_html_manifest_1_sig="r1.html.manifest.1.sig"))
tap.ok(told(done, 2, "0 taken", "1 not signed") and runs("edited-bundle.db") == {}, "under the manifest of another run the signature is nobody's",
       done.returncode, done.stdout, done.stderr)
done = merge("red.db", "red/b.tar.zst")
tap.ok(told(done, 2, "0 taken", "1 not signed") and runs("red.db") == {}, "a redacted one is nobody's word", done.returncode, done.stdout, done.stderr)
tap.end()
