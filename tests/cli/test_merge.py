# SPDX-License-Identifier: Apache-2.0
"""Many controllers, one truth: the runs of several databases in one, in any order, however often, whatever ends it; and what is not
as a controller writes it is refused, with the database as it was.

usage: test_merge.py ASSAY WRITE_RUNS WRITE_DATABASE [KILLS]
"""

import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

from cluster import ASSAY, FOLDER, Lab, Report, Tap, assay, environment, start

WRITE_RUNS, WRITE_DATABASE = (os.path.abspath(word) for word in sys.argv[2:4])
KILLS = int(sys.argv[4]) if len(sys.argv) > 4 else 2
tap = Tap()


def path(name):
    return os.path.join(FOLDER, name)


def merge(target, *sources):
    return assay("merge", *sources, "--db", path(target), cwd=FOLDER)


def ask(database, sql, *values):
    store = sqlite3.connect(path(database))
    try:
        return store.execute(sql, values).fetchall()
    finally:
        store.close()


def change(database, *statements):
    store = sqlite3.connect(path(database))
    with store:
        for statement in statements:
            store.execute(statement)
    store.close()


def settled(database):
    """Without a WAL, so that its file is all of it."""
    store = sqlite3.connect(path(database))
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.execute("PRAGMA journal_mode=DELETE")
    store.close()


def copied(name, to):
    shutil.copy(path(name), path(to))
    return to


def runs_of(database):
    """What a reader can tell of each run but its number and how it came here."""
    told = {}
    for number, uuid in ask(database, "SELECT id,uuid FROM run"):
        document = json.loads(assay("report", number, "--format", "json", "--db", path(database), "-o", "-").stdout)
        document["run"].pop("number", None)
        for key in ("origin", "earlier", "compared_with", "assay"):
            document.pop(key, None)
            document["run"].pop(key, None)
        told[uuid] = json.dumps(document, sort_keys=True)
    return told


def rows_of(database):
    tables = [row[0] for row in ask(database, "SELECT name FROM sqlite_schema WHERE type='table' ORDER BY name")]
    return {table: ask(database, f'SELECT count(*) FROM "{table}"')[0][0] for table in tables if not table.startswith("sqlite_")}


def hashes_of(folder, names=None):
    found = {}
    for name in names or sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = (hashlib.sha256(file.read()).hexdigest(), os.stat(os.path.join(folder, name)).st_mtime_ns)
    return found


def refused(source, why, name):
    """It is refused with that word, and what was there is as it was."""
    before = rows_of("kept.db")
    done = merge("kept.db", source)
    tap.ok(done.returncode == 64 and why in done.stdout + done.stderr, f"{name}: refused", done.returncode, done.stdout, done.stderr)
    tap.same(rows_of("kept.db"), before, f"{name}: nothing of it is taken")


# --- real runs of two controllers, whose hosts have the same names ------------------------------------------------------

with open(path("light.json"), "w", encoding="utf-8") as file:
    json.dump({"name": "light", "title": "light", "platform": "hgx-h100",
               "steps": [{"check": "reachable"}, {"check": "gpu-inventory", "needs": ["reachable"]}, {"check": "p2p-bandwidth", "needs": ["reachable"]},
                         {"check": "gpu-burn", "needs": ["reachable"], "arguments": {"seconds": 60}}]}, file)


def two_runs(place, seed):
    with Lab(place, 2, options=("--seed", seed)) as lab:
        done = [assay("run", "-H", lab.hostfile, "-s", path("light.json"), "--db", path(f"{place}.db"), "--progress", "none",
                      "-o", path(f"{place}.html")) for _ in range(2)]
    return place, done


with concurrent.futures.ThreadPoolExecutor() as pool:
    for place, both in pool.map(two_runs, ("here", "there"), (3, 4)):
        for done in both:
            tap.ok(done.returncode in (0, 1, 2, 3), f"a run of the controller {place}", done.returncode, done.stdout, done.stderr)

# All labs have the same parts, and two sites have not.
change("there.db", "UPDATE item SET identity=identity || '-there'")

done = merge("ab.db", "here.db", "there.db")
tap.ok(done.returncode == 0 and "4 taken" in done.stdout, "all runs of two databases come into one", done.returncode, done.stdout, done.stderr)
merge("ba.db", "there.db")
merge("ba.db", "here.db")
ab, ba = runs_of("ab.db"), runs_of("ba.db")
tap.same(ab, ba, "one way round and the other are the same")
tap.same(ab, {**runs_of("here.db"), **runs_of("there.db")}, "each run is what it was where it was made, outputs and all")
rows = rows_of("ab.db")
done = merge("ab.db", "there.db", "here.db", "ba.db")
tap.ok(done.returncode == 0 and " 0 taken" in done.stdout and rows_of("ab.db") == rows, "once more adds nothing", done.stdout, done.stderr)
tap.ok(assay("logs", 3, "node1", "gpu-burn", "--db", path("ab.db")).returncode == 0, "outputs can be read there")
tap.ok(merge("ab.db", "ab.db").returncode == 64, "a database is not merged into itself")
done = assay("list", "--db", path("ab.db"))
tap.same(done.stdout.count("(imported"), 4, "the list says that they are of others", done.stdout)

# --- hosts of one name at two sites --------------------------------------------------------------------------------------


def past_of(database, host):
    """In how many runs it was measured; None: the history knows no such host."""
    done = assay("history", host, "--imported", "--format", "json", "--db", path(database))
    if done.returncode == 64:
        return None
    return max(len(row["points"]) for row in json.loads(done.stdout)["series"])


tap.same([past_of("ab.db", host) for host in ("node1", "here.db/node1", "there.db/node1", "here.db/node2", "there.db/node2")], [None, 2, 2, 2, 2],
         "node1 of one site and node1 of the other have each its own history")
asked = assay("history", "--db", path("ab.db"))
tap.ok(asked.stdout == "no judged run\n" and "without 4 judged runs of other parties; --imported" in asked.stderr, "which counts where it is asked for", asked.stderr)
asked = assay("history", "node1", "--db", path("ab.db"))
tap.ok(asked.returncode == 64 and "--imported" in asked.stderr, "and that is said to who asks for one host", asked.stderr)
merge("one.db", "here.db")
tap.same([past_of("one.db", host) for host in ("node1", "here.db/node1")], [2, None], "where there is one node1 it is node1")
for i, own in enumerate(("here", "there")):
    copied(f"{own}.db", f"controller{i}.db")
OF_NODE1 = "FROM sighting JOIN item ON item.id=item JOIN attempt ON attempt.id=attempt WHERE kind='gpu' AND host=0"
gpu = ask("here.db", f"SELECT min(identity) {OF_NODE1}")[0][0]
change("controller1.db", f"UPDATE item SET identity='{gpu}' WHERE id=(SELECT min(item.id) {OF_NODE1})")
merge("shared.db", "controller0.db", "controller1.db")
tap.same([past_of("shared.db", host) for host in ("node1", "node2", "controller0.db/node2", "controller1.db/node2")], [4, None, 2, 2],
         "a host in which two controllers saw one GPU is one host")

# --- judged again where it was made --------------------------------------------------------------------------------------

copied("ab.db", "kept.db")
first = ask("kept.db", "SELECT id FROM run WHERE uuid=?", ask("here.db", "SELECT uuid FROM run WHERE id=1")[0][0])[0][0]
done = assay("judge", 1, "--db", path("here.db"))
known = Report(path("here.db"), 1).json["run"]["judgement"]
done = merge("kept.db", "here.db")
tap.ok(done.returncode == 1 and "other is said" in done.stdout and "1 changed" in done.stdout and
       Report(path("kept.db"), first).json["run"]["judgement"] != known,
       "what a file says since of a run is not taken: nothing proves whose word it is", done.returncode, done.stdout, done.stderr)
merge("later.db", "here.db")
done = merge("later.db", "ab.db")
tap.ok(done.returncode == 1 and "other is said" in done.stdout, "and the other way round it is no less a conflict", done.stdout, done.stderr)
assay("judge", first, "--db", path("kept.db"))
ours = Report(path("kept.db"), first).json["run"]["judgement"]
done = merge("kept.db", "here.db")
tap.ok(done.returncode == 0 and "NOTE" in done.stdout and Report(path("kept.db"), first).json["run"]["judgement"] == ours,
       "once it is judged here, our own word is the last", done.returncode, done.stdout, done.stderr)
done = merge("here.db", "kept.db")
own = Report(path("here.db"), 1).json["run"]["judgement"]
tap.ok(own == known and done.returncode == 0 and "NOTE" in done.stdout, "and theirs is not changed by ours, where the run was made",
       done.returncode, done.stdout, done.stderr)

# --- a copy with one more judgement --------------------------------------------------------------------------------------

assay("export", 1, "-o", path("signed.tar.zst"), "--db", path("there.db"))
copied("there.db", "more.db")
assay("judge", 1, "--db", path("more.db"))  # by somebody else than who made the bundle
merge("victim.db", "more.db")
done = assay("import", path("signed.tar.zst"), "--db", path("victim.db"))
tap.ok(done.returncode == 1 and "CHANGED" in done.stdout + done.stderr,
       "a bundle does not vouch for a run behind whose verdict another has been put", done.returncode, done.stdout, done.stderr)
done = merge("victim.db", "signed.tar.zst")
tap.ok(done.returncode == 1 and "1 changed" in done.stdout, "nor is it taken for the same by a merge", done.returncode, done.stdout, done.stderr)

# --- what does not fit ends one source, not all --------------------------------------------------------------------------

copied("there.db", "state.db")
change("state.db", "UPDATE run SET state='zzz'")
done = merge("fresh.db", "state.db", "here.db")
tap.ok(done.returncode == 64 and "state.db" in done.stdout and " 0 taken" not in done.stdout,
       "a run that cannot be read is refused with its file named, and the next source is taken", done.returncode, done.stdout, done.stderr)

# --- another run with the same UUID --------------------------------------------------------------------------------------

copied("ab.db", "kept.db")
copied("there.db", "edited.db")
change("edited.db", "UPDATE measurement SET value=value*2 WHERE reading=(SELECT max(reading) FROM measurement WHERE value>0)")
rows = rows_of("kept.db")
done = merge("kept.db", "edited.db")
tap.ok(done.returncode == 1 and re.search(r"edited\.db, run \d+: CHANGED: .*not the same in measurement", done.stdout) and "1 changed" in done.stdout,
       "an edited number is a conflict: the run and the table are named", done.returncode, done.stdout, done.stderr)
tap.ok(rows_of("kept.db") == rows and runs_of("kept.db") == ab, "and nothing of it is taken")

# --- what is not as a controller writes it -------------------------------------------------------------------------------

settled("there.db")
evil = {"a trigger": ["CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM verdict; END"],
        "a view": ["CREATE VIEW v AS SELECT 1"],
        "a view in the place of a table": ["DROP TABLE pseudonym", "CREATE VIEW pseudonym AS SELECT text AS kind, text AS name, id AS n FROM word"],
        "a table of its own": ["CREATE TABLE extra(a)"],
        "a row of nobody": ["PRAGMA foreign_keys=OFF", "DELETE FROM run_host WHERE run=1"],
        "a waiver of what another run has": [
            "INSERT INTO waiver SELECT '00000000-0000-0000-0000-00000000000a',1,(SELECT key FROM step WHERE run=1 LIMIT 1),"
            "(SELECT uuid FROM attempt WHERE run=2 LIMIT 1),'x','y',1,2"],
        "an output longer than any": ["UPDATE content SET length=1<<40 WHERE id=(SELECT max(id) FROM content)"],
        "documents larger than those of any run": [
            "INSERT INTO document SELECT run,1000+n,kind,name,content FROM document WHERE run=1",
            "UPDATE content SET length=268435456 WHERE id IN (SELECT content FROM document WHERE run=1)"],
        "a run that is called by a number": ["UPDATE run SET uuid='000000000000000000000000000000000001' WHERE id=1"],
        "another program's file": ["PRAGMA application_id=7"],
        "a later format": ["PRAGMA user_version=9999"]}
for what, statements in evil.items():
    copied("there.db", "evil.db")
    change("evil.db", *statements)
    refused("evil.db", "refused", what)
with open(path("there.db"), "rb") as file:
    whole = file.read()
for what, data in {"cut in the middle": whole[:len(whole) // 8192 * 4096], "cut in its head": whole[:60],
                   "zeros in the middle": whole[:20480] + bytes(40960) + whole[61440:], "text": b"SQLite format 3\0 and so on" * 9}.items():
    with open(path("evil.db"), "wb") as file:
        file.write(data)
    refused("evil.db", "", what)
os.remove(path("evil.db"))
copied("there.db", "evil.db")
change("evil.db", "UPDATE blob SET zstd=(SELECT zstd FROM blob ORDER BY content LIMIT 1) WHERE content=(SELECT content FROM capture WHERE content IS NOT NULL "
       "AND attempt IN (SELECT id FROM attempt WHERE run=2) ORDER BY attempt DESC LIMIT 1)")
done = merge("part.db", "evil.db", "here.db")
tap.ok(done.returncode == 64 and "REFUSED" in done.stdout and len(ask("part.db", "SELECT id FROM run")) >= 2,
       "an output that is not that of its hash: its run is refused, and the others are taken", done.returncode, done.stdout, done.stderr)
os.mkfifo(path("pipe"))
tap.ok(merge("kept.db", "pipe").returncode == 64, "a pipe is not waited for")
tap.ok(merge("kept.db", "nothing.db").returncode == 64, "a file that is not there is named")

# --- sources that others hold -------------------------------------------------------------------------------------------

os.mkdir(path("held"))
shutil.copy(path("here.db"), path("held/here.db"))
reader = sqlite3.connect(path("held/here.db"))
reader.execute("SELECT count(*) FROM run").fetchall()
change("held/here.db", "CREATE TABLE x(a)", "DROP TABLE x")  # lies in the WAL
os.chmod(path("held/here.db"), 0o400)
os.chmod(path("held"), 0o500)
before = hashes_of(path("held"))
done = merge("held.db", "held/here.db")
tap.ok(done.returncode == 0 and "here.db-wal" in before and hashes_of(path("held")) == before,
       "of a source that is only for reading no byte changes, also of its WAL", done.returncode, done.stdout, done.stderr, before)
os.chmod(path("held"), 0o700)
reader.close()

os.mkdir(path("busy"))
subprocess.run([WRITE_RUNS, path("busy/busy.db"), "clean", "faulty"], env=environment(), check=True)
with subprocess.Popen([WRITE_RUNS, path("busy/busy.db"), "running"], env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
    writer.stdout.readline()
    before = hashes_of(path("busy"))
    done = merge("busy.db", "busy/busy.db")
    tap.ok(done.returncode == 2 and "2 taken" in done.stdout and re.search(r"run 3: not taken yet: it is going on", done.stdout),
           "of a controller that is running a run, all others are taken, and it is said", done.returncode, done.stdout, done.stderr)
    tap.same({name: told[0] for name, told in hashes_of(path("busy")).items() if not name.endswith("-shm")},
             {name: told[0] for name, told in before.items() if not name.endswith("-shm")}, "which does not notice")
    writer.stdin.close()

# --- an earlier format ---------------------------------------------------------------------------------------------------

copied("there.db", "older.db")
change("older.db", "PRAGMA user_version=15")
before = hashes_of(FOLDER, ["older.db"])
done = merge("older-merged.db", "older.db")
tap.ok(done.returncode == 0 and "2 taken" in done.stdout, "a source of an earlier format comes over", done.returncode, done.stdout, done.stderr)
tap.same(hashes_of(FOLDER, ["older.db"]), before, "and stays of that format")

# --- killed in the middle ------------------------------------------------------------------------------------------------

subprocess.run([WRITE_RUNS, path("many.db"), *["clean", "faulty", "part"] * 2], env=environment(), check=True)
took = time.monotonic()
merge("whole.db", "many.db", "here.db")
took = time.monotonic() - took
whole_runs = runs_of("whole.db")
for i in range(KILLS):
    child = start("merge", "many.db", "here.db", "--db", path("killed.db"))
    time.sleep(took * (i + 1) / (KILLS + 2))
    child.send_signal(signal.SIGKILL)
    child.communicate()
ended = assay("list", "--db", path("killed.db"))
done = merge("killed.db", "many.db", "here.db")
tap.ok(done.returncode == 0, f"killed {KILLS} times: repeated, it finishes", done.returncode, done.stdout, done.stderr, ended.stdout)
tap.same((rows_of("killed.db"), runs_of("killed.db"), ask("killed.db", "PRAGMA integrity_check")),
         (rows_of("whole.db"), whole_runs, [("ok",)]), "and nothing is there twice or by half")

# --- a full disk ---------------------------------------------------------------------------------------------------------

script = ('mkdir small && mount -t tmpfs -o size=500k tmpfs small && "$0" merge many.db here.db --db small/s.db; '
          'code=$?; cp small/s.db* .; exit $code')
full = subprocess.run(["unshare", "-m", "sh", "-c", script, ASSAY], cwd=FOLDER, env=environment(), capture_output=True, text=True, check=False)
if "unshare" in full.stderr or "mount:" in full.stderr:
    tap.skip("a full disk", "no file system of a test's own can be mounted here")
else:
    tap.ok(full.returncode == 70 and "disk is full" in full.stderr, "a full disk is an error", full.returncode, full.stdout, full.stderr)
    tap.ok(ask("s.db", "PRAGMA integrity_check") == [("ok",)], "the database is whole")
    done = merge("s.db", "many.db", "here.db")
    tap.ok(done.returncode == 0 and runs_of("s.db") == whole_runs, "with room, doing it again takes the rest", done.stdout, done.stderr)

# --- bundles ------------------------------------------------------------------------------------------------------------

assay("export", 2, "--db", path("there.db"), "-o", path("two.tar.zst"))
done = merge("bundles.db", "two.tar.zst", "controller0.db")
tap.ok(done.returncode == 0 and len(ask("bundles.db", "SELECT id FROM run")) == 3, "bundles and databases together", done.returncode, done.stdout, done.stderr)
done = merge("bundles.db", "two.tar.zst")
tap.ok(done.returncode == 0 and " 0 taken" in done.stdout and "1 there already" in done.stdout, "a bundle once more adds nothing", done.stdout, done.stderr)
done = merge("bundles.db", "there.db")
tap.ok(done.returncode == 0 and "1 taken" in done.stdout and "1 there already" in done.stdout, "a run that came by its bundle is known again",
       done.returncode, done.stdout, done.stderr)

# --- acceptances --------------------------------------------------------------------------------------------------------

with open(path("hosts"), "w", encoding="utf-8") as file:
    file.write("node[1-8] platform=hgx-h100\n")
with open(path("handover.json"), "w", encoding="utf-8") as file:
    json.dump({"name": "handover", "title": "Handover", "purpose": "delivery", "platform": "hgx-h100", "steps": [{"check": "reachable"}]}, file)
made = assay("acceptance", "create", "handover", "-H", path("hosts"), "-s", path("handover.json"), "--db", path("many.db"))
done = merge("whole.db", "many.db")
tap.ok(made.returncode == 0 and done.returncode == 0 and "its acceptance 'handover' stays there" in done.stdout and
       rows_of("whole.db")["acceptance"] == 0, "that an acceptance stays where it was made is said", made.stderr, done.stdout, done.stderr)
tap.end()
