# SPDX-License-Identifier: Apache-2.0
"""A vendor edits his own database and hands over its run. What the outputs and documents in it contradict is taken from him by none of
the ways into the buyer's database: neither what he says was read in the outputs, nor what he says was asked.

usage: test_foreign.py ASSAY
"""

import json
import os
import re
import shutil
import sqlite3

from cluster import FOLDER, Lab, Tap, assay

tap = Tap()
STEPS = [{"check": "reachable"}, {"check": "privilege", "needs": ["reachable"]}]
PHY = {"check": "ib-phy", "needs": ["privilege"]}
SICK_PORT, SOUND_PORT = "mlx5_3/1", "mlx5_2/1"
NOTE = "neither judged nor adopted"


def path(name):
    return os.path.join(FOLDER, name)


def write_suite(name, steps):
    with open(path(name), "w", encoding="utf-8") as file:
        json.dump({"name": "site", "title": "Handover", "purpose": "delivery", "steps": steps}, file)


def run(lab, suite, database, hostfile=None):
    return assay("run", "-H", hostfile or lab.hostfile, "-s", path(suite), "--db", path(database), "--progress", "none", "-o", path("report.html"))


def forged(name, statements, source="vendor.db"):
    """A copy of the vendor's database, edited by him: by SQL, or a function of it."""
    shutil.copy(path(source), path(name))
    with sqlite3.connect(path(name)) as database:
        for statement in statements:
            if callable(statement):
                statement(database)
            else:
                assert database.execute(statement).rowcount > 0, statement
    return path(name)


def say_accept(database):
    """As in a run without a fault: outcomes, verdicts, nobody accused."""
    cause, remedy = database.execute("SELECT cause, remedy FROM outcome WHERE word='pass'").fetchone()
    database.execute("UPDATE outcome SET word='pass', cause=?, remedy=? WHERE word NOT IN ('pass', 'recorded')", (cause, remedy))
    database.execute("UPDATE verdict SET word='accept', pass=pass+fail+inconclusive+not_run, fail=0, inconclusive=0, not_run=0, accused=0")


SICK_ATTEMPT = ("(SELECT attempt FROM reading JOIN measurement ON reading=reading.id JOIN word ON word.id=metric "
                "WHERE word.text LIKE 'phy.%' AND value BETWEEN 1e-13 AND 1e-11)")


def say_sound(database):
    """What the parsers read of the sick port is what they read of the one beside it."""
    attempt = database.execute(f"SELECT {SICK_ATTEMPT}").fetchone()[0]
    of_it = f"reading IN (SELECT id FROM reading WHERE attempt={attempt})"
    text = ("(SELECT text FROM measurement AS m WHERE m.reading=measurement.reading AND m.metric=measurement.metric AND "
            f"m.subject=(SELECT id FROM word WHERE text='{SOUND_PORT}'))")
    assert database.execute(f"UPDATE measurement SET text={text} WHERE {of_it} AND text IS NOT NULL AND {text} IS NOT NULL AND "
                            f"subject=(SELECT id FROM word WHERE text='{SICK_PORT}')").rowcount > 0
    assert database.execute(f"UPDATE measurement SET value=1e-16 WHERE {of_it} AND value BETWEEN 1e-13 AND 1e-11").rowcount > 0
    database.execute(f"DELETE FROM finding WHERE {of_it} AND severity='fault'")


OF_PHY = "(SELECT id FROM shape WHERE suite_step='ib-phy')"
RECORD_ONLY = f"UPDATE slot SET duty='record' WHERE shape IN {OF_PHY}"
NAME_DRAWN = f"UPDATE shape SET digest='12345678-1111-4111-8111-111111111111' WHERE id IN {OF_PHY}"
CLIPPED = ("UPDATE capture SET clipped=1, tail=content, sha256=(SELECT sha256 FROM content WHERE id=capture.content){} "
           "WHERE stream='stdout' AND attempt IN (SELECT attempt.id FROM attempt JOIN step ON step.run=attempt.run AND step.n=attempt.step "
           "JOIN run_shape ON run_shape.run=step.run AND run_shape.n=step.shape JOIN shape ON shape.id=run_shape.shape "
           "JOIN member ON member.run=step.run AND member.step=step.n AND member.host=1 WHERE suite_step='ib-phy')")


def handed_over(database, number=1, way="import"):
    """The buyer's database with the run in it, and what was said when it came."""
    name = os.path.basename(database)
    buyer, bundle = path(f"{way}-{name}"), path(f"{name}.tar.zst")
    if way == "merge":
        return buyer, assay("merge", database, "--db", buyer)
    made = assay("export", number, "--db", database, "-o", bundle)
    assert made.returncode == 0, made.stderr
    return buyer, assay("import", bundle, "--db", buyer)


def adopted(lab, buyer, number=1):
    made = assay("acceptance", "create", "su", "-H", lab.hostfile, "-s", path("site.json"), "--db", buyer)
    assert made.returncode == 0, made.stderr
    return assay("acceptance", "add", "su", number, "--adopt", "Buyer", "--note", "as agreed", "--db", buyer)


def told(done):
    return done.returncode, done.stdout, done.stderr


def what_was_read(lab):
    database = forged("read.db", [say_sound, say_accept])
    done = assay("show", 1, "--db", database)
    tap.ok("VERDICT: ACCEPT" in " ".join(done.stdout.split()), "in the vendor's database the sick run is accepted", done.stdout[:500])
    for way in ("import", "merge"):
        buyer, came = handed_over(database, way=way)
        tap.same((came.returncode, NOTE in came.stdout), (0, False), f"it comes in by {way}", came.stdout, came.stderr)
        done = assay("judge", 1, "--db", buyer)
        tap.same(done.returncode, 1, "judged here it is rejected", *told(done))
        done = adopted(lab, buyer)
        tap.ok(done.returncode == 1 and "verdict: reject" in done.stdout,
               "an acceptance that adopts it reads its outputs too, and is rejected", *told(done))


def what_was_asked(lab):
    buyer, came = handed_over(forged("drawn.db", [RECORD_ONLY, NAME_DRAWN, say_accept]))
    tap.ok(came.returncode == 64 and "do not have the hash" in came.stderr, "items under a name that was drawn are refused", *told(came))
    buyer, came = handed_over(path("drawn.db"), way="merge")
    tap.ok("do not have the hash" in came.stdout and "REFUSED" in came.stdout, "by merge too", *told(came))

    buyer, came = handed_over(path("vendor.db"))
    with sqlite3.connect(buyer) as database:  # as with a hash that was made again
        assert database.execute(RECORD_ONLY).rowcount > 0
    done = assay("judge", 1, "--db", buyer)
    tap.ok(done.returncode == 64 and NOTE in done.stderr and "step ib-phy of node1: not as there is " in done.stderr,
           "a plan that only records what its suite judges is not judged, and the item is named", *told(done))
    done = adopted(lab, buyer)
    tap.ok(done.returncode == 64 and NOTE in done.stderr, "nor adopted", *told(done))

    # Run by a suite that asks for less, in which then the one that was agreed on is put.
    for name, steps, what in (("less.json", STEPS, "step ib-phy of node1 is missing there"),
                              ("lax.json", [*STEPS, {**PHY, "retries": 5}], "step ib-phy of node1: not as there is how often it may be tried again")):
        write_suite(name, steps)
        shutil.copy(path("vendor.db"), path(f"{name}.0"))
        ran = run(lab, name, f"{name}.0")
        assert "run: 2" in ran.stdout, ran.stdout
        database = forged(f"{name}.db", ["UPDATE document SET content=(SELECT content FROM document WHERE run=1 AND kind='suite') "
                                         "WHERE run=2 AND kind='suite'"], f"{name}.0")
        buyer, came = handed_over(database, 2)
        tap.ok(came.returncode == 0 and NOTE in came.stdout and what in came.stdout, f"{name}: who takes it in is told what was not asked", *told(came))
        done = assay("judge", 1, "--db", buyer)
        tap.ok(done.returncode == 64 and what in done.stderr, "it is not judged", *told(done))
        buyer, came = handed_over(database, way="merge")
        tap.ok(f"NOTE: the plan of this run does not hold here, so it is {NOTE}" in came.stdout and what in came.stdout, "merged, it is told too", *told(came))
        tap.same(came.stdout.count(NOTE), 1, "and the run beside it is not", came.stdout)


def what_was_kept(lab):
    """Which outputs are too long to be kept is not for him to say."""
    for name, how, more in (("short.db", "of its own length", ""), ("long.db", "as long as one that is clipped", ", length=9437184")):
        database = forged(name, [CLIPPED.format(more), say_sound, say_accept])
        for way in ("import", "merge"):
            buyer, came = handed_over(database, way=way)
            tap.ok("not to be kept whole is too short" in came.stdout + came.stderr and not os.path.exists(f"{buyer}-wal") and
                   "run: 1" not in came.stdout, f"an output {how}, whose ends are not those of a clipped one, is refused by {way}", *told(came))
            if os.path.exists(buyer):
                os.unlink(buyer)

    buyer, came = handed_over(forged("honest.db", [say_sound, say_accept]))
    attempts = len(json.loads(assay("report", 1, "--format", "json", "--db", buyer, "-o", "-").stdout)["attempts"])
    with sqlite3.connect(buyer) as database:  # as with ends of their length
        assert database.execute(CLIPPED.format(", length=9437184")).rowcount == 1
    sentence = f"1 of {attempts} attempts of another party were not read again here"
    done = assay("judge", 1, "--db", buyer)
    tap.ok(done.returncode == 0 and f"1 of {attempts} attempts not read again" in done.stdout, "of a long output the vendor's word is believed", *told(done))
    report = json.loads(assay("report", 1, "--format", "json", "--db", buyer, "-o", "-").stdout)
    shown = " ".join(assay("show", 1, "--db", buyer).stdout.split())
    page = re.sub(r"<[^>]+>", " ", assay("report", 1, "--db", buyer, "-o", "-").stdout)
    tap.same([sentence in (text or "") for text in (report["caveat"], shown, page)], [True] * 3, "and that stands beside the verdict", report["caveat"], shown[:800])
    done = adopted(lab, buyer)
    tap.ok(sentence in " ".join(assay("acceptance", "report", "su", "--format", "text", "-o", "-", "--db", buyer).stdout.split()),
           "of the acceptance too", *told(done))


def what_is_honest(lab):
    buyer, came = handed_over(path("vendor.db"))
    done = assay("judge", 1, "--db", buyer)
    tap.same((came.returncode, NOTE in came.stdout, done.returncode), (0, False, 1), "a run as it was made comes in without a word, and is judged", *told(done))
    bundle = path("redacted.tar.zst")
    assert assay("export", 1, "--db", path("vendor.db"), "--redact", "-o", bundle).returncode == 0
    buyer = path("redacted.db")
    came = assay("import", bundle, "--db", buyer)
    done = assay("judge", 1, "--db", buyer)
    tap.same((came.returncode, NOTE in came.stdout, done.returncode), (0, False, 1), "so is one that was redacted", *told(came), *told(done))
    handed_on = path("handed-on.tar.zst")
    out = assay("export", 1, "--db", buyer, "-o", handed_on)
    came = assay("import", handed_on, "--db", path("third.db"))
    done = assay("judge", 1, "--db", path("third.db"))
    tap.same((out.returncode, came.returncode, done.returncode), (0, 0, 1), "and one that was redacted and is handed on", *told(came), *told(done))


def what_was_redacted(lab):
    """A word of an output by which its fault is known, replaced: the parser finds nothing, and that is no pass."""
    write_suite("xid.json", [*STEPS, {"check": "gpu-inventory", "needs": ["reachable"]}, {"check": "xid", "needs": ["privilege", "gpu-inventory"]}])
    done = run(lab, "xid.json", "xid.db")
    tap.ok(done.returncode == 1 and "79, pid=" in done.stdout, "a GPU that fell off the bus is rejected", *told(done))
    with open(path("words"), "w", encoding="utf-8") as file:
        file.write("NVRM\n")
    bundle, buyer = path("xid.tar.zst"), path("xid-buyer.db")
    done = assay("export", 1, "--db", path("xid.db"), "--redact", "--redact-words", path("words"), "-o", bundle)
    tap.same(done.returncode, 0, "it is exported with a word of the kernel's log replaced", *told(done))
    came = assay("import", bundle, "--db", buyer)
    sentence = "Redacted: words in its documents and outputs were replaced"
    for when in ("as it came", "judged here"):
        if when == "judged here":
            done = assay("judge", 1, "--db", buyer)
            tap.ok(done.returncode == 1 and "verdict: reject" in done.stdout, "judged here it stays rejected", *told(came), *told(done))
        shown = " ".join(assay("show", 1, "--db", buyer).stdout.split())
        page = " ".join(re.sub(r"<[^>]+>", " ", assay("report", 1, "--db", buyer, "-o", "-").stdout).split())
        head = page[:page.index("Judgement")]
        tap.same([text in shown for text in (sentence, "(redacted)")] + [text in head for text in (sentence, "(redacted)")], [True] * 4,
                 f"{when}: that it was redacted stands on the first page", shown[:600], head[:900])
    done = assay("judge", 1, "--db", buyer)
    items = json.loads(assay("report", 1, "--format", "json", "--db", buyer, "-o", "-").stdout)["outcomes"]
    causes = [item["cause"] for item in items if item["outcome"] == "fail"]
    tap.ok(causes and all("in the judgement that came with these redacted outputs: " in cause for cause in causes),
           "what failed says by whose word, however often it is judged", *told(done), causes)
    shutil.copy(path("site.json"), path("kept.json"))
    shutil.copy(path("xid.json"), path("site.json"))
    done = adopted(lab, buyer)
    shutil.copy(path("kept.json"), path("site.json"))
    tap.ok(done.returncode == 64 and "exported without --redact" in done.stderr, "no acceptance adopts it, and the way out is told", *told(done))

    with sqlite3.connect(buyer) as database:
        for table in ("outcome", "outcome_waiver", "verdict", "search", "accusation", "accusation_step", "judgement_document", "judgement"):
            database.execute(f"DELETE FROM {table}")
    done = assay("judge", 1, "--db", buyer)
    tap.ok(done.returncode == 64 and "exported without --redact" in done.stderr, "one that nobody judged before is not judged", *told(done))


with Lab("foreign", 2, faults=[f"node2:link-ber:{SICK_PORT.split('/', maxsplit=1)[0]}=1e-12"]) as the_lab:
    write_suite("site.json", [*STEPS, PHY])
    the_run = run(the_lab, "site.json", "vendor.db")
    tap.same(the_run.returncode, 1, "a link with errors is rejected where it is tested", *told(the_run))
    what_is_honest(the_lab)
    what_was_read(the_lab)
    what_was_asked(the_lab)
    what_was_kept(the_lab)
with Lab("redacted", 2, faults=["node2:xid-before:3=79"]) as the_lab:
    what_was_redacted(the_lab)
tap.end()
