# SPDX-License-Identifier: Apache-2.0
"""What another party's bundle, report, manifest or database can do to whoever is given it: nothing but be read."""

import contextlib
import difflib
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

from attack import PARTY, READER, Skip, attack, expect
from bundle_tools import BLOCK, Bundle, header, made_up, packed, path, renamed, rows
from cluster import ASSAY, assay, environment, start

LATE_S = 60  # no attack may hold us longer, on a busy machine and with sanitizers
ROOM_KIB = 768 << 10  # of which a sanitizer may take most


def write(name, data):
    with open(path(name), "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())
    return name


def read(name):
    with open(path(name), "rb") as file:
        return file.read()


def make():
    """theirs.db with b.tar.zst and the signed r.html; own.db, a reject."""
    made_up("own.db")
    renamed("own.db")
    made_up("theirs.db", output=b"what theirs said\n")
    expect(assay("export", "--db", "theirs.db", "-o", "b.tar.zst"), 0)
    if shutil.which("ssh-keygen"):
        for name in ("vendor", "forger"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", path(name)], check=True, stdin=subprocess.DEVNULL)
        write("signers", b"vendor@v.example " + read("vendor.pub"))
        expect(assay("report", "--db", "theirs.db", "--sign", "vendor", "-o", "r.html"), 0)


def need_keys():
    if not os.path.exists(path("vendor")):
        raise Skip("there is no ssh-keygen")


def fresh():
    return Bundle(path("b.tar.zst"))


def told_of_own(database):
    """All that an own run says of itself."""
    said = [assay(*words, "--db", database).stdout.replace(database, "DATABASE") for words in
            (("show", 1), ("show", 1, "--full"), ("report", 1, "--format", "json"), ("report", 1, "--format", "csv"), ("waive", "--list", 1),
             ("history", "--format", "json"))]
    assert all(len(text) > 1000 for text in said[1:3]), said
    return said


def survives(done):
    """It ended by itself, with a word."""
    assert done.returncode in (0, 1, 2, 64, 70), f"exit {done.returncode}: {done.stderr[-2000:]}"
    assert "Sanitizer" not in done.stderr and "runtime error" not in done.stderr, done.stderr[-4000:]


def is_own(database):
    """Byte for byte, without a journal beside it; else row by row, which takes as long as an import."""
    beside = [name for name in os.listdir(path("")) if name.startswith(f"{database}-")]
    return (read(database) == read("own.db") and not beside) or rows(database) == rows("own.db")


def refused(file, *words, verified=True):
    database = "target.db"
    shutil.copy(path("own.db"), path(database))
    began = time.monotonic()
    done = assay("import", "--db", database, file)
    survives(done)
    lacking = [word for word in words if word not in done.stdout + done.stderr]
    assert done.returncode != 0 and not lacking, f"exit {done.returncode}, not said: {lacking}\n{done.stdout}{done.stderr}"
    assert is_own(database), "it changed the database"
    assert time.monotonic() - began < LATE_S, "it took too long"
    if verified:
        done = assay("verify", file)
        survives(done)
        assert done.returncode == 1 and "verified: no" in done.stdout, f"verify: exit {done.returncode}: {done.stdout}{done.stderr}"


def schema(name, what, sql, *words):
    """A row whose run.db has more in it than assay makes."""
    @attack(PARTY, f"a bundle whose database has {what}", "refused, and nothing changed")
    def try_it():
        bundle = fresh()
        with bundle.database() as database:
            database.executescript(sql)
        refused(bundle.write(f"{name}.tar.zst"), *words)


make()

# -- Tables ----------------------------------------------------------------------------------------------------------------


@attack(PARTY, "a bundle whose judgement does not REFERENCE its run", "refused; run 1 of the importer stays a reject")
def try_unreferenced_judgement():
    bundle = fresh()
    with bundle.database() as database:
        database.execute("UPDATE verdict SET word='accept'")
    bundle.change_schema("judgement", "run INTEGER NOT NULL REFERENCES run", "run INTEGER NOT NULL")
    refused(bundle.write("judgement.tar.zst"), "judgement")
    assert "reject" in assay("show", 1, "--db", "own.db").stdout.lower()


@attack(PARTY, "a bundle whose waivers do not REFERENCE their run, for a run of the importer", "refused; no waiver on own runs")
def try_unreferenced_waiver():
    bundle = fresh()
    bundle.change_schema("waiver", "run INTEGER NOT NULL REFERENCES run", "run INTEGER NOT NULL")
    refused(bundle.write("waiver.tar.zst"), "waiver")


for table, old, new in (("attempt", "uuid TEXT NOT NULL UNIQUE", "uuid TEXT NOT NULL"), ("finding", "text TEXT NOT NULL", "text TEXT"),
                        ("verdict", "CHECK(fail>=0)", ""), ("slot_limit", "value REAL", "value ANY"), ("run_host", "STRICT, ", "")):
    @attack(PARTY, f"a bundle whose table {table} asks less of its rows", "refused, and nothing changed")
    def try_lax(table=table, old=old, new=new):
        bundle = fresh()
        bundle.change_schema(table, old, new)
        refused(bundle.write("lax.tar.zst"), table)


schema("trigger", "a trigger", "CREATE TRIGGER t AFTER INSERT ON word BEGIN DELETE FROM run; END", "tables are not those")
schema("view", "a view in the place of a table", "DROP TABLE finding; CREATE VIEW finding AS SELECT 1 AS reading", "tables are not those")
schema("more", "a table more", "CREATE TABLE more(a)", "tables are not those")
schema("index", "an index more", "CREATE INDEX more ON word(length(text))", "tables are not those")
schema("virtual", "a virtual table", "CREATE VIRTUAL TABLE more USING fts5(a)", "tables are not those")
schema("column", "a generated column", "ALTER TABLE run ADD COLUMN more TEXT AS (hex(zeroblob(1000000000)))", "tables are not those")
schema("statistics", "statistics of its own", "ANALYZE; UPDATE sqlite_stat1 SET stat='0 0'", "tables are not those")
schema("foreign-id", "another program's number", "PRAGMA application_id=1", "not a database of assay")
schema("later", "a format of the future", "PRAGMA user_version=99", "format is 99")
schema("formatless", "no format", "PRAGMA user_version=0", "format is 0")
schema("wal", "a journal of its own", "PRAGMA journal_mode=WAL; CREATE TABLE more(a); DROP TABLE more")


@attack(PARTY, "a bundle of an old format with a trigger that would write gigabytes", "refused before anything acts, nothing left behind")
def try_migrating_trigger():
    bundle, place = fresh(), path("tmp-trigger")
    os.makedirs(place, exist_ok=True)
    with bundle.database() as database:
        database.executescript("""CREATE TRIGGER grow AFTER UPDATE ON part BEGIN INSERT INTO word(text) WITH RECURSIVE n(i) AS
            (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i<2000000) SELECT i||hex(randomblob(500)) FROM n; END; PRAGMA user_version=1""")
    file = bundle.write("migrating.tar.zst")
    before = rows("own.db")
    for words in (("verify", file), ("import", "--db", "own.db", file)):
        done = assay(*words, TMPDIR=place)
        survives(done)
        assert done.returncode != 0, done.stdout
    assert rows("own.db") == before and os.listdir(place) == [], os.listdir(place)


# -- Rows ------------------------------------------------------------------------------------------------------------------

def tampered(name, what, sql, *words, must="refused, and nothing changed"):
    @attack(PARTY, f"a bundle with {what}", must)
    def try_it():
        bundle = fresh()
        with bundle.database() as database:
            database.executescript("PRAGMA foreign_keys=OFF;" + sql)
        refused(bundle.write(f"{name}.tar.zst"), *words)


tampered("two", "a second run in it", "INSERT INTO run SELECT 2,'9'||substr(uuid,2),state,started,ended,suite,suite_title,hostfile,program,"
         "controller_pid,controller_start,controller_host FROM run", "2 runs")
tampered("stray", "rows of a run that is not there", "INSERT INTO judgement VALUES(99,'stray',77,'',0,'')", "rows that are missing")
tampered("acceptance", "an acceptance in it", "INSERT INTO acceptance VALUES(1,'u','mine',0)", "acceptance")
tampered("event", "pseudonyms in it", "INSERT INTO pseudonym VALUES('host','node1',7)", "pseudonym")
tampered("origin", "an origin that says who signed it", "INSERT INTO origin SELECT id,0,'b',replace(hex(zeroblob(32)),'0','a'),0,'vendor@v.example',0 FROM run",
         "origin")
tampered("bytes", "evidence inside its database", "INSERT INTO blob SELECT id,0,x'00' FROM content LIMIT 1", "blob")
tampered("limit", "other limits under the hash of the agreed ones", "INSERT INTO slot_limit SELECT shape,n,0,metric,NULL,NULL,0,0,0.0,0.0,'one of',0.0,"
         "'Enabled|Disabled',0.0,NULL,NULL,'tool',NULL,0,0.0 FROM slot", "do not have the hash", must="refused: own later runs are judged by own limits")
tampered("duty", "gates that became records under the hash of the agreed ones", "UPDATE slot SET duty='record'", "do not have the hash")
tampered("null", "NULL where none may be", "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql=replace(sql,'text TEXT NOT NULL','text TEXT') "
         "WHERE name='finding'; PRAGMA writable_schema=RESET; UPDATE finding SET text=NULL; PRAGMA writable_schema=ON; "
         "UPDATE sqlite_schema SET sql=replace(sql,'severity TEXT NOT NULL,\n    text TEXT,','severity TEXT NOT NULL,\n    text TEXT NOT NULL,') WHERE name='finding'; "
         "PRAGMA writable_schema=RESET")
tampered("nul", "texts that end before their bytes do", "UPDATE outcome SET cause='fine'||char(0)||'not at all'", "NUL")
tampered("second-judgement", "a later judgement that nobody signed", "INSERT INTO judgement SELECT id+1,'f'||substr(uuid,2),run,baselines,now+1,inputs "
         "FROM judgement; INSERT INTO outcome SELECT judgement+1,step,slot,'pass','',remedy,measured,value,limit_text,gate,source,status,remark FROM outcome",
         "no one signs")
tampered("later-waiver", "a waiver that is later than its judgement, and that nobody signed", "INSERT INTO waiver SELECT "
         "'aaaaaaaa-0000-4000-8000-000000000001',step.run,key,attempt.uuid,'Mallory','trust me',now+1,4000000000.0 FROM step,attempt,judgement WHERE "
         "attempt.run=step.run AND attempt.step=step.n LIMIT 1", "no one signs")
tampered("nameless", "a run whose UUID is a number of the importer's", "UPDATE run SET uuid='1'", "")
tampered("word", "a word of no vocabulary", "UPDATE outcome SET word='splendid'")
tampered("beyond", "outcomes of steps that are not there", "UPDATE outcome SET step=step+100000")
tampered("verdictless", "a judgement without a verdict", "DELETE FROM verdict", "no verdict")
tampered("going-on", "a run that is still going on, by a process of the importer's machine", "UPDATE run SET state='running'", "still going on")
tampered("deep", "readings within readings within readings", "UPDATE reading SET parent=n-1 WHERE n>0")
tampered("other-run", "another run than that of its manifest", "UPDATE run SET uuid='9'||substr(uuid,2)", "run of its manifest")
tampered("large", "a text of 20 MB in a row", "UPDATE run SET suite_title=hex(zeroblob(10000000))")


@attack(PARTY, "a bundle whose attempts have the UUIDs of the importer's own", "refused, and nothing changed")
def try_same_attempts():
    shutil.copy(path("own.db"), path("twin.db"))
    with contextlib.closing(sqlite3.connect(path("twin.db"))) as database:
        database.execute("UPDATE run SET uuid='7c0e0000-0000-4a11-9d00-0000000000ee'")
        database.execute("UPDATE judgement SET uuid='f'||substr(uuid,2)")
        database.commit()
    expect(assay("export", "--db", "twin.db", "-o", "twin.tar.zst"), 0)
    refused("twin.tar.zst", verified=False)


@attack(PARTY, "a bundle of a run that the importer has, with another verdict", "refused, and nothing changed")
def try_same_run():
    shutil.copy(path("own.db"), path("same.db"))
    with contextlib.closing(sqlite3.connect(path("same.db"))) as database:
        database.execute("UPDATE verdict SET word='accept'")
        database.commit()
    expect(assay("export", "--db", "same.db", "-o", "same.tar.zst"), 0)
    before = rows("own.db")
    expect(assay("import", "--db", "own.db", "same.tar.zst"), 1, "CONTRADICTED: the verdict is 'accept'", "imported: nothing")
    assert rows("own.db") == before


# -- What came in stays theirs -----------------------------------------------------------------------------------------------

def imported(name, database="theirs.db", *words):
    """own.db with their run as number 2."""
    shutil.copy(path("own.db"), path(name))
    expect(assay("export", "--db", database, "-o", f"{name}.tar.zst"), 0)
    expect(assay("import", "--db", name, f"{name}.tar.zst", *words), 0, "run: 2")
    return name


@attack(PARTY, "a whole bundle", "own verdict, waivers, limits, history and reports are byte for byte what they were")
def try_import():
    before, said = rows("own.db"), told_of_own("own.db")
    imported("with.db")
    after = rows("with.db")
    lost = {table: [row for row in kept if row not in set(after[table])] for table, kept in before.items()}
    assert all(not gone for gone in lost.values()), lost
    for now, then in zip(told_of_own("with.db"), said):
        assert now == then, "".join(difflib.unified_diff(then.splitlines(True), now.splitlines(True)))


@attack(PARTY, "a whole bundle", "wherever it is shown it says that it was imported, and is unsigned")
def try_origin_shown():
    name = imported("shown.db")
    for words in (("list",), ("show", 2), ("report", 2, "--format", "text"), ("report", 2, "--format", "html"),
                  ("report", 2, "--format", "json"), ("report", 2, "--format", "junit"), ("report", 2, "--format", "prometheus")):
        said = assay(*words, "--db", name).stdout
        assert re.search("imported|\"origin\"", said, re.I), (words, said[:2000])
    assert "unsigned" in assay("show", 2, "--db", name).stdout
    assert json.loads(assay("report", 2, "--format", "json", "--db", name).stdout)["run"]["origin"]["signers"] == ""
    assert "mported" not in assay("show", 1, "--db", name).stdout


@attack(PARTY, "a bundle is imported after the own run", "what is asked without a number is still asked of the own run")
def try_last_run():
    name = imported("last.db")
    assert assay("show", "--db", name).stdout == assay("show", 1, "--db", name).stdout


@attack(PARTY, "a bundle is imported with its signed report", "the signer is told; by a key that nobody vouches for it is unsigned")
def try_signers():
    need_keys()
    shutil.copy(path("own.db"), path("signed.db"))
    expect(assay("import", "--db", "signed.db", "b.tar.zst", "--report", "r.html", "--signers", "signers"), 0, "signed by vendor@v.example")
    assert "vendor@v.example" in assay("show", 2, "--db", "signed.db").stdout
    shutil.copy(path("own.db"), path("unknown.db"))
    before = rows("unknown.db")
    expect(assay("import", "--db", "unknown.db", "b.tar.zst", "--report", "r.html"), 2, "UNKNOWN KEY", "imported: nothing")
    expect(assay("import", "--db", "unknown.db", "b.tar.zst", "--signers", "signers"), 64, "give --report")
    assert rows("unknown.db") == before


@attack(PARTY, "a redacted bundle is imported with its signed report", "what stands in the place of what was signed is nobody's word: unsigned")
def try_redacted_signers():
    need_keys()
    shutil.copy(path("own.db"), path("redacted.db"))
    expect(assay("export", "--redact", "--db", "theirs.db", "-o", "red.tar.zst"), 0)
    done = assay("verify", "r.html", "--signers", "signers", "--bundle", "red.tar.zst")
    expect(done, 2, "NOT CHECKED", "verified: in part", "not proved: that the evidence is of this run")
    assert "and the evidence are" not in done.stdout, done.stdout
    done = assay("import", "--db", "redacted.db", "red.tar.zst", "--report", "r.html", "--signers", "signers")
    expect(done, 0, "NOT CHECKED", "unsigned")
    assert "origin: imported" in done.stdout and "vendor@v.example" not in done.stdout.split("origin: imported")[1], done.stdout


def merged(folder, *sources):
    """`assay merge --signers` of what lies in a folder into a copy of own.db; whether nothing of it was taken, and what was said."""
    name = f"{folder}/own.db"
    shutil.copy(path("own.db"), path(name))
    before, said = rows(name), told_of_own(path(name))
    done = assay("merge", *(f"{folder}/{source}" for source in sources), "--signers", "signers", "--db", name)
    survives(done)
    assert told_of_own(path(name)) == said, "an own run is not what it was"
    return rows(name) == before, done


def laid_out(folder, report, *sources):
    """A folder with that report of r.html's three files, under its name, and the sources."""
    os.makedirs(path(folder))
    for source in sources:
        shutil.copy(path(source), path(folder))
    for suffix in ("", ".manifest", ".manifest.1.sig") if report else ():
        shutil.copy(path(report + suffix), path(f"{folder}/{report}{suffix}"))


@attack(PARTY, "runs that nobody signed, or a stranger, are merged with --signers", "none is taken, each is named")
def try_merge_unsigned():
    need_keys()
    expect(assay("report", "--db", "theirs.db", "--sign", "forger", "-o", "g.html"), 0)
    for folder, report in (("merge-bare", None), ("merge-forged", "g.html")):
        laid_out(folder, report, "b.tar.zst", "theirs.db")
        untouched, done = merged(folder, "b.tar.zst", "theirs.db")
        expect(done, 2, "2 not signed", " 0 taken", "run 1: NOT SIGNED")
        assert untouched, folder


@attack(PARTY, "a signed report stands beside another run under its UUID, or one with another verdict", "none is taken under that signature")
def try_merge_under_a_signature():
    need_keys()
    laid_out("merge-other", "r.html", "own.db")
    os.rename(path("merge-other/own.db"), path("merge-other/theirs.db"))
    store = sqlite3.connect(path("merge-other/theirs.db"))  # under the UUID that was signed
    uuid = assay("verify", "r.html", "--signers", "signers").stdout.split("signed: run: ")[1].split()[0]
    with store:
        store.execute("UPDATE run SET uuid=?", (uuid,))
    store.close()
    laid_out("merge-verdict", "r.html", "theirs.db")
    store = sqlite3.connect(path("merge-verdict/theirs.db"))
    with store:
        store.execute("UPDATE verdict SET word=CASE word WHEN 'accept' THEN 'reject' ELSE 'accept' END")
    store.close()
    for folder in ("merge-other", "merge-verdict"):
        untouched, done = merged(folder, "theirs.db")
        assert done.returncode == 1 and untouched and "CHANGED, not taken" in done.stdout, (folder, done.returncode, done.stdout, done.stderr)
    laid_out("merge-honest", "r.html", "theirs.db", "b.tar.zst")
    untouched, done = merged("merge-honest", "theirs.db", "b.tar.zst")
    expect(done, 0, "1 taken", "1 there already", "0 not signed", "signed by vendor@v.example")


@attack(PARTY, "a bundle that was imported unsigned comes again, with its signed report", "who signed it is told from then on")
def try_signed_later():
    need_keys()
    shutil.copy(path("own.db"), path("later.db"))
    expect(assay("import", "--db", "later.db", "b.tar.zst"), 0, "unsigned")
    expect(assay("import", "--db", "later.db", "b.tar.zst"), 0, "is there already", "nothing is imported")
    expect(assay("import", "--db", "later.db", "b.tar.zst", "--report", "r.html", "--signers", "signers"), 0, "is there already")
    assert "signed by vendor@v.example" in assay("show", 2, "--db", "later.db").stdout


@attack(PARTY, "another run comes under the UUID of one that was imported", "refused, and nothing changed")
def try_squatted():
    shutil.copy(path("own.db"), path("squatted.db"))
    expect(assay("import", "--db", "squatted.db", "b.tar.zst"), 0, "run: 2")
    shutil.copy(path("theirs.db"), path("squatter.db"))
    with contextlib.closing(sqlite3.connect(path("squatter.db"))) as database:
        database.execute("UPDATE run SET suite_title='another'")
        database.commit()
    expect(assay("export", "--db", "squatter.db", "-o", "squatter.tar.zst"), 0)
    before = rows("squatted.db")
    expect(assay("import", "--db", "squatted.db", "squatter.tar.zst"), 1, "has the UUID of this one", "nothing is imported")
    assert rows("squatted.db") == before


def waived():
    """theirs, with a waiver for what failed and a verdict that rests on it."""
    shutil.copy(path("theirs.db"), path("waived.db"))
    with contextlib.closing(sqlite3.connect(path("waived.db"))) as database:
        judgement, step, slot = database.execute("SELECT judgement,step,slot FROM outcome WHERE word='fail' LIMIT 1").fetchone()
        key, = database.execute("SELECT key FROM step WHERE run=1 AND n=?", (step,)).fetchone()
        attempt, = database.execute("SELECT uuid FROM attempt WHERE run=1 AND step=? ORDER BY n DESC", (step,)).fetchone()
        uuid = "aaaaaaaa-0000-4000-8000-000000000001"
        database.execute("INSERT INTO waiver VALUES(?,1,?,?,'Mallory','trust me',(SELECT now FROM judgement),4000000000.0)", (uuid, key, attempt))
        database.execute("INSERT INTO waived_item SELECT ?,0,metric,subject,at,'' FROM slot WHERE n=? AND shape=(SELECT run_shape.shape FROM step "
                         "JOIN run_shape ON run_shape.run=step.run AND run_shape.n=step.shape WHERE step.run=1 AND step.n=?)", (uuid, slot, step))
        database.execute("INSERT INTO outcome_waiver VALUES(?,?,?,?)", (judgement, step, slot, uuid))
        database.commit()
    return uuid


@attack(PARTY, "a bundle brings a waiver for what failed", "it is shown as theirs, and not in force until somebody adopts it by name")
def try_foreign_waiver():
    uuid = waived()
    name = imported("foreign-waiver.db", "waived.db")
    expect(assay("waive", "--list", 2, "--db", name), 0, uuid, "another party's, and not in force")
    expect(assay("waive", 2, "--adopt", uuid, "--db", name), 64, "--who")
    with contextlib.closing(sqlite3.connect(path(name))) as database:
        assert database.execute("SELECT count(*) FROM adoption").fetchone() == (0,)


@attack(READER, "a run with waivers, judged before judgements told when, is exported", "refused, with what to do")
def try_timeless_judgement():
    waived()
    with contextlib.closing(sqlite3.connect(path("waived.db"))) as database:
        database.execute("UPDATE waiver SET made=1e9")
        database.execute("UPDATE judgement SET now=0")
        database.commit()
    expect(assay("export", "--db", "waived.db", "-o", "timeless.tar.zst"), 64, "judge it again first: assay judge 1")


@attack(PARTY, "a bundle brings an adoption of its own waiver", "refused, and nothing changed")
def try_foreign_adoption():
    uuid = waived()
    expect(assay("export", "--db", "waived.db", "-o", "adopted.tar.zst"), 0)
    bundle = Bundle(path("adopted.tar.zst"))
    with bundle.database() as database:
        database.execute("INSERT INTO adoption VALUES(?,'you','yes',1.0)", (uuid,))
    refused(bundle.write("adopted.tar.zst"), "adoption")


@attack(PARTY, "an imported run names a process of this machine as its controller", "cancel and resume touch nothing")
def try_controller():
    victim = subprocess.Popen(["sleep", "60"])
    try:
        with open(f"/proc/{victim.pid}/stat", encoding="ascii") as file:
            ticks = file.read().rsplit(") ", 1)[1].split()[19]
        shutil.copy(path("theirs.db"), path("controlled.db"))
        with contextlib.closing(sqlite3.connect(path("controlled.db"))) as database:
            boot = open("/proc/sys/kernel/random/boot_id", encoding="ascii").read().strip()
            database.execute("UPDATE run SET state='interrupted',controller_pid=?,controller_start=?,controller_host=?",
                             (victim.pid, f"{boot} {ticks}", os.uname().nodename))
            database.commit()
        name = imported("controller.db", "controlled.db")
        before = rows(name)
        for words in (("cancel", 2), ("run", "--resume", 2)):
            done = assay(*words, "--db", name)
            survives(done)
            assert done.returncode != 0, done.stdout
        assert victim.poll() is None, "it was ended"
        assert rows(name) == before
    finally:
        victim.kill()
        victim.wait()


# -- The archive -------------------------------------------------------------------------------------------------------------

def evidence(bundle):
    return [at for at, (name, _) in enumerate(bundle.pieces) if name.startswith("capture/")]


def archive(name, what, *words):
    """The function below changes the pieces of a bundle."""
    def register(change):
        @attack(PARTY, f"a bundle in which {what}", "refused, and named by verify")
        def try_it():
            bundle = fresh()
            written = change(bundle)
            refused(written or bundle.write(f"{name}.tar.zst"), *words)
        return change
    return register


@archive("swapped", "two outputs have each other's name", "its manifest")
def swap(bundle):
    first, second = evidence(bundle)[:2]
    bundle.pieces[first][0], bundle.pieces[second][0] = bundle.pieces[second][0], bundle.pieces[first][0]


@archive("exchanged", "two outputs have each other's bytes")
def exchange(bundle):
    at = [index for index in evidence(bundle) if len(bundle.pieces[index][1]) > 0]
    first, second = at[0], next(index for index in at if bundle.pieces[index][1] != bundle.pieces[at[0]][1])
    bundle.pieces[first][1], bundle.pieces[second][1] = bundle.pieces[second][1], bundle.pieces[first][1]


@archive("extra", "a piece more stands at its end", "names nothing more")
def extra(bundle):
    bundle.pieces.append(["capture/extra/stdout", b"more"])


@archive("between", "a piece more stands in the middle", "its manifest names")
def between(bundle):
    bundle.pieces.insert(evidence(bundle)[1], ["capture/extra/stdout", b"more"])


@archive("less", "the last piece is missing", "is not in it")
def less(bundle):
    bundle.pieces.pop()


@archive("order", "the pieces stand in another order", "its manifest names")
def order(bundle):
    at = evidence(bundle)
    bundle.pieces.insert(at[0], bundle.pieces.pop(at[3]))


@archive("twice", "run.db is there twice")
def twice(bundle):
    bundle.pieces.insert(3, ["run.db", bundle["run.db"]])


@archive("headless", "run.db comes first", "where manifest belongs")
def headless(bundle):
    bundle.pieces.insert(0, bundle.pieces.pop(2))


@archive("traversal", "a piece is called ../../etc/passwd", "its manifest names")
def traversal(bundle):
    bundle.pieces[evidence(bundle)[0]][0] = "../../../../etc/passwd"


@archive("behind", "there is something behind its end, in the frame", "behind its end")
def behind(bundle):
    return bundle.write("behind.tar.zst", behind=b"x" * BLOCK)


@archive("frames", "there is another frame behind it", "behind its end")
def frames(bundle):
    return bundle.write("frames.tar.zst", frames=packed(b"another archive"))


@archive("report", "report.json is another one", "report.json is not")
def another_report(bundle):
    bundle["report.json"] = b"{}"


@archive("database", "run.db is another one than its manifest says", "run.db is")
def another_database(bundle):
    bundle["run.db"] = bundle["run.db"] + bytes(4096)


@archive("shorter", "an output is shorter than run.db says", "bytes long")
def shorter(bundle):
    piece = next(bundle.pieces[at] for at in evidence(bundle) if len(bundle.pieces[at][1]) > 1)
    piece[1] = piece[1][:-1]


@archive("repeated", "the manifest says twice which run it is of", "no line of a manifest")
def repeated(bundle):
    bundle["manifest"] = bundle["manifest"].replace(b"\nrun: ", b"\nrun: 7c0e0000-0000-4a11-9d00-0000000000aa\nrun: ", 1)


@archive("unbounded", "the manifest does not say how large run.db is", "earlier assay")
def unbounded(bundle):
    bundle["manifest"] = re.sub(rb"run\.db bytes: .*\n", b"", bundle["manifest"])


PEAK = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")


def bounded(file, *words):
    """Its peak of memory is what the kernel saw, told by a small parent: a child's counts from its parent's on."""
    done = subprocess.run([sys.executable, "-c", PEAK, ASSAY, "verify", path(file)], env=environment(), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True, check=True)
    assert 0 < int(done.stdout) < ROOM_KIB, f"{done.stdout} KiB"
    refused(file, *words)


@attack(PARTY, "a small bundle whose manifest unpacks to gigabytes", "refused in bounded memory and time")
def try_manifest_bomb():
    bundle = fresh()
    bounded(bundle.write("bomb.tar.zst", tar=[header("manifest", 8 << 30, 8 << 30), *[bytes(1 << 26)] * 8]))


@attack(PARTY, "a small bundle whose output unpacks to gigabytes", "refused in bounded memory and time")
def try_output_bomb():
    bundle = fresh()
    bundle.pieces[evidence(bundle)[0]][1] = bytes(1 << 28)
    bounded(bundle.write("output-bomb.tar.zst"))


@attack(PARTY, "a small bundle with an output of 300 MB, as its database says", "refused before it is unpacked")
def try_admitted_bomb():
    bundle = fresh()
    at = evidence(bundle)[0]
    name, data = bundle.pieces[at]
    bundle.pieces[at][1] = bytes(300 << 20)
    bundle.rehash(name)
    with bundle.database() as database:
        database.execute("UPDATE content SET sha256=?, length=? WHERE sha256=?",
                         (hashlib.sha256(bundle[name]).hexdigest(), 300 << 20, hashlib.sha256(data).hexdigest()))
    refused(bundle.write("admitted.tar.zst"), "is longer than any")


@attack(PARTY, "a database with hundreds of megabytes of zeros behind its pages", "refused in bounded memory and time")
def try_long_database():
    bundle = fresh()
    bundle["run.db"] = bundle["run.db"] + bytes(1 << 28)
    bundle.rehash("run.db")
    bounded(bundle.write("long.tar.zst"), "than the pages that it says it has")


@attack(PARTY, "a bundle of a few hundred bytes whose database unpacks to 256 MiB", "refused while it is unpacked")
def try_database_bomb():
    bundle = fresh()
    report, zeros = b"{}", 1 << 28
    bundle.say("run.db bytes", zeros)
    head = bundle["manifest"].decode().split("\n\n", 1)[0]
    manifest = f"{head}\n\n{hashlib.sha256(report).hexdigest()}  report/report.json\n".encode()
    pieces = [header("manifest", len(manifest)), manifest, bytes(-len(manifest) % BLOCK), header("report.json", len(report)), report,
              bytes(-len(report) % BLOCK), header("run.db", zeros), bytes(zeros)]
    bounded(bundle.write("database-bomb.tar.zst", tar=pieces), "unpacks to more than any")


# -- Report, manifest, signatures --------------------------------------------------------------------------------------------

def copy_signed(name):
    need_keys()
    os.makedirs(path(name), exist_ok=True)
    for file in ("r.html", "r.html.manifest", "r.html.manifest.1.sig", "signers"):
        shutil.copy(path(file), path(name))
    return path(name)


@attack(PARTY, "an older report under another name", "verify says which run was signed, with its verdict, and that the name is another")
def try_renamed():
    folder = copy_signed("renamed")
    for end in ("", ".manifest", ".manifest.1.sig"):
        os.rename(f"{folder}/r.html{end}", f"{folder}/assay-report-99.html{end}")
    done = assay("verify", "assay-report-99.html", "--signers", "signers", cwd=folder)
    uuid = next(iter(rows("theirs.db", lambda table: table == "run")["run"])).split("'")[1]
    expect(done, 0, "NOTE: its name was r.html when it was signed", f"signed: run: {uuid}", "signed: verdict: reject", "signed: hosts: 8",
           "signed: suite:", "signed: begun:", "not proved:")
    expect(assay("verify", "assay-report-99.html", "--signers", "signers", "--expect-run", "7c0e0000-0000-4a11-9d00-0000000000ff",
                 cwd=folder), 1, "--expect-run", "verified: no")
    expect(assay("verify", "assay-report-99.html", "--signers", "signers", "--expect-verdict", "accept", cwd=folder), 1,
           "--expect-verdict", "verified: no")
    expect(assay("verify", "assay-report-99.html", "--signers", "signers", "--expect-run", uuid, "--expect-verdict", "reject",
                 cwd=folder), 0, "verified: yes")


@attack(PARTY, "a manifest whose head says accept over a run that was rejected, well signed", "found when the evidence is there")
def try_lying_head():
    folder = copy_signed("lying")
    manifest = read("r.html.manifest").replace(b"\nverdict: reject\n", b"\nverdict: accept\n")
    write("lying/r.html.manifest", manifest)
    os.remove(f"{folder}/r.html.manifest.1.sig")
    subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-n", "assay-report", "-f", path("vendor"), "r.html.manifest"], cwd=folder, check=True,
                   stdin=subprocess.DEVNULL, capture_output=True)
    os.rename(f"{folder}/r.html.manifest.sig", f"{folder}/r.html.manifest.1.sig")
    expect(assay("verify", "r.html", "--signers", "signers", "--bundle", path("b.tar.zst"), cwd=folder), 1,
           "it is of verdict 'reject', and the report of 'accept'", "verified: no")
    expect(assay("verify", "r.html", "--signers", "signers", "--db", path("theirs.db"), cwd=folder), 1,
           "the manifest says of the run 'verdict: accept'", "verified: no")


def swapping_keygen(folder):
    """A PATH on which ssh-keygen puts the signed files in place first, as whoever shares the folder could at that moment."""
    os.makedirs(f"{folder}/bin", exist_ok=True)
    with open(f"{folder}/bin/ssh-keygen", "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\ncp '{path('r.html.manifest')}' '{path('r.html.manifest.1.sig')}' '{folder}'\n"
                   f"exec {shutil.which('ssh-keygen')} \"$@\"\n")
    os.chmod(f"{folder}/bin/ssh-keygen", 0o755)
    return f"{folder}/bin:{os.environ['PATH']}"


@attack(PARTY, "a forged manifest, and the signed one in its place while ssh-keygen starts", "what was read is what is verified: it is not signed")
def try_swapped_manifest():
    folder = copy_signed("swapped")
    write("swapped/r.html.manifest", read("r.html.manifest").replace(b"\nverdict: reject\n", b"\nverdict: accept\n"))
    done = assay("verify", "r.html", "--signers", "signers", cwd=folder, PATH=swapping_keygen(folder))
    assert read("swapped/r.html.manifest") == read("r.html.manifest"), "the wrapper did not run"
    expect(done, 1, "it is no signature of this manifest", "verified: no")


@attack(PARTY, "another signature in its place while ssh-keygen starts", "the one that was read is the one that is judged")
def try_swapped_signature():
    folder = copy_signed("swapped-signature")
    signed = read("r.html.manifest.1.sig")
    write("swapped-signature/r.html.manifest.1.sig", signed.replace(b"U1NI", b"U1NJ"))
    done = assay("verify", "r.html", "--signers", "signers", cwd=folder, PATH=swapping_keygen(folder))
    assert read("swapped-signature/r.html.manifest.1.sig") == signed, "the wrapper did not run"
    expect(done, 1, "it is no signature of this manifest", "verified: no")


@attack(PARTY, "more signatures than anybody gives", "refused at once")
def try_many_signatures():
    folder = copy_signed("many")
    for number in range(2, 200):
        shutil.copy(f"{folder}/r.html.manifest.1.sig", f"{folder}/r.html.manifest.{number}.sig")
    ends_soon("verify", "r.html", "--signers", "signers", cwd=folder)
    expect(assay("verify", "r.html", "--signers", "signers", cwd=folder), 64, "more than 100 are not looked at")


@attack(PARTY, "a manifest with a million keys", "refused at once")
def try_many_keys():
    folder = copy_signed("keys")
    head, entries = read("r.html.manifest").split(b"\n\n", 1)
    write("keys/r.html.manifest", head + b"".join(b"\nkey %d: x" % number for number in range(1000000)) + b"\n\n" + entries)
    ends_soon("verify", "r.html", "--signers", "signers", cwd=folder)


@attack(PARTY, "a bundle that is cut while it is read", "import ends with a word, and nothing changed")
def try_cut_meanwhile():
    shutil.copy(path("own.db"), path("cut.db"))
    before = rows("cut.db")
    for wait in (0.005, 0.02, 0.05):
        shutil.copy(path("b.tar.zst"), path("cutting.tar.zst"))
        child = start("import", "--db", path("cut.db"), path("cutting.tar.zst"))
        time.sleep(wait)
        os.truncate(path("cutting.tar.zst"), 100)
        assert child.wait(LATE_S) in (0, 64, 70), child.returncode
        if child.returncode == 0:
            shutil.copy(path("own.db"), path("cut.db"))
    assert rows("cut.db") == before, "it changed the database"


@attack(PARTY, "a report signed by somebody whom nobody vouches for", "no plain success, and its words are nobody's")
def try_unknown_signer():
    need_keys()
    expect(assay("report", "--db", "theirs.db", "--sign", "forger", "-o", "f.html"), 0)
    expect(assay("verify", "f.html", "--signers", "signers"), 2, "UNKNOWN KEY", "UNSIGNED, anyone could have written this:", "verified: in part")


def ends_soon(*words, cwd):
    began = time.monotonic()
    done = assay(*words, cwd=cwd, patience=LATE_S)
    survives(done)
    assert done.returncode not in (0,) and time.monotonic() - began < LATE_S, (done.returncode, done.stdout)


for end in (".manifest.1.sig", ".manifest", ""):
    @attack(PARTY, f"a FIFO in the place of REPORT{end}", "verify ends, and does not verify")
    def try_fifo(end=end):
        folder = copy_signed(f"fifo{end}")
        os.remove(f"{folder}/r.html{end}")
        os.mkfifo(f"{folder}/r.html{end}")
        ends_soon("verify", "r.html", "--signers", "signers", cwd=folder)


@attack(PARTY, "a FIFO in the place of a bundle", "import and verify end, and nothing changed")
def try_fifo_bundle():
    os.mkfifo(path("fifo.tar.zst"))
    for words in (("verify", "fifo.tar.zst"), ("import", "--db", "own.db", "fifo.tar.zst")):
        ends_soon(*words, cwd=path(""))


@attack(PARTY, "a large bundle, and verify is killed in the middle", "nothing is left behind on the disk")
def try_killed():
    place = path("tmp-killed")
    os.makedirs(place, exist_ok=True)
    for wait in (0, 0.01, 0.03, 0.1, 0.2):
        child = start("verify", path("b.tar.zst"), TMPDIR=place)
        time.sleep(wait)
        child.send_signal(signal.SIGKILL)
        child.wait()
    assert os.listdir(place) == [], os.listdir(place)


# -- Terminals ---------------------------------------------------------------------------------------------------------------

ESCAPES = "\x1b]0;owned\x07\x1b[2J\x1b[31m"


def harmless(done):
    survives(done)
    shown = [letter for letter in done.stdout + done.stderr if (ord(letter) < 32 and letter not in "\n\t") or 0x7f <= ord(letter) < 0xa0]
    assert not shown, (shown[:5], done.args)


@attack(PARTY, "terminal escapes in the database of a bundle", "none reaches the terminal, in any command")
def try_escapes_in_database():
    shutil.copy(path("theirs.db"), path("escapes.db"))
    with contextlib.closing(sqlite3.connect(path("escapes.db"))) as database:
        for table, column in (("run", "suite"), ("run", "suite_title"), ("run", "hostfile"), ("run", "program"), ("run", "controller_host"),
                              ("judgement", "baselines"), ("outcome", "cause"), ("outcome", "measured"), ("verdict", "name"), ("run_host", "name"),
                              ("run_host", "unit"), ("document", "name"), ("finding", "text"), ("attempt", "text")):
            condition = "WHERE scope<>'run'" if table == "verdict" else ""
            database.execute(f"UPDATE {table} SET {column}={column}||? {condition}", (ESCAPES,))
        database.commit()
    shutil.copy(path("own.db"), path("plain.db"))
    for words in (("export", "--db", "escapes.db", "-o", "escapes.tar.zst"), ("verify", "escapes.tar.zst"),
                  ("import", "--db", "plain.db", "escapes.tar.zst"), ("list", "--db", "plain.db"), ("show", 2, "--db", "plain.db"),
                  ("report", 2, "--format", "text", "--db", "plain.db"), ("waive", "--list", 2, "--db", "plain.db"),
                  ("compare", 1, 2, "--db", "plain.db"), ("history", "--imported", "--db", "plain.db"), ("attach", 2, "--db", "plain.db"),
                  ("judge", 2, "--db", "plain.db"), ("prune", "--keep", 1, "--dry-run", "--db", "plain.db"), ("show", "--db", "escapes.db")):
        harmless(assay(*words))


@attack(PARTY, "terminal escapes in a manifest", "none reaches the terminal")
def try_escapes_in_manifest():
    folder = copy_signed("escapes")
    for text in (rb"\nverdict: \\x1b]0;owned\\x07", rb"\nsuite: \\x1b[2J", rb"\nmore: \\x9b31m"):
        write("escapes/r.html.manifest", re.sub(rb"\nverdict: reject", text.replace(rb"\\", rb"\\\\"), read("r.html.manifest"), 1))
        harmless(assay("verify", "r.html", "--signers", "signers", "--bundle", path("b.tar.zst"), cwd=folder))
    write("escapes/r.html.manifest", read("r.html.manifest") + b"0" * 64 + rb"  capture/\x1b[31mowned  note \x1b]0;x\x07" + b"\n")
    harmless(assay("verify", "r.html", "--signers", "signers", "--db", path("theirs.db"), cwd=folder))
    bundle = fresh()
    bundle.pieces[evidence(bundle)[0]][0] = "capture/\x1b[31mowned"
    harmless(assay("verify", bundle.write("named.tar.zst")))
    os.rename(path("named.tar.zst"), path("\x1b[31mnamed.tar.zst"))
    harmless(assay("verify", "\x1b[31mnamed.tar.zst"))


# -- A database that somebody else wrote ---------------------------------------------------------------------------------------

@attack(PARTY, "a database with a trigger is named by --db", "refused before it acts")
def try_trigger_in_database():
    shutil.copy(path("theirs.db"), path("acting.db"))
    with contextlib.closing(sqlite3.connect(path("acting.db"))) as database:
        database.execute("CREATE TRIGGER t AFTER INSERT ON judgement BEGIN UPDATE verdict SET word='accept'; END")
        database.commit()
    for words in (("show",), ("list",), ("judge", 1), ("verify", "r.html", "--signers", "signers")):
        done = assay(*words, "--db", "acting.db")
        survives(done)
        assert done.returncode not in (0, 3) and "triggers" in done.stdout + done.stderr, (words, done.stdout, done.stderr)


@attack(READER, "a database with NULL where none may be is shown", "told as damage, never a crash")
def try_nulls():
    for table, column in (("run", "suite"), ("run_host", "name"), ("shape", "platform"), ("step", "origin_note"), ("finding", "text"),
                          ("attempt", "text"), ("outcome", "gate"), ("verdict", "name"), ("judgement", "baselines"), ("host_label", "key")):
        shutil.copy(path("theirs.db"), path("nulls.db"))
        with contextlib.closing(sqlite3.connect(path("nulls.db"), isolation_level=None)) as database:
            text, = database.execute("SELECT sql FROM sqlite_schema WHERE name=?", (table,)).fetchone()
            database.execute("PRAGMA writable_schema=ON")
            database.execute("UPDATE sqlite_schema SET sql=? WHERE name=?", (re.sub(rf"\b({column} \w+) NOT NULL", r"\1", text), table))
            database.execute("PRAGMA writable_schema=RESET")
            database.execute("PRAGMA foreign_keys=OFF")
            there = database.execute(f'UPDATE "{table}" SET "{column}"=NULL').rowcount
        done = assay("show", "--db", "nulls.db")
        survives(done)
        assert there == 0 or (done.returncode == 70 and "damaged" in done.stderr), (table, column, done.returncode, done.stderr)
