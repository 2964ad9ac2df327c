# SPDX-License-Identifier: Apache-2.0
"""A run of before reasons were data (format 15), in which they stand as the English that was printed: it is shown in both languages, also
by what only reads, and says the same as ever.

usage: test_earlier_format.py ASSAY WRITE_RUNS ROOT
"""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys

from cluster import FOLDER, Tap, assay, environment

WRITE_RUNS, ROOT = (os.path.abspath(word) for word in sys.argv[2:4])
NEW, OLD, LOCKED = (os.path.join(FOLDER, name) for name in ("new.db", "old.db", "locked.db"))
SENTENCE = re.compile(r'^SENTENCE\((\w+), (\d+), ((?:"(?:[^"\\]|\\.)*"\s*)+)\)', re.M)
tap = Tap()


def catalogue():
    """Code to English."""
    folder, found = os.path.join(ROOT, "include/assay/reasons"), {}
    for name in os.listdir(folder):
        if name.endswith(".def"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                for code, _, text in SENTENCE.findall(file.read()):
                    found[code] = "".join(json.loads(piece) for piece in re.findall(r'"(?:[^"\\]|\\.)*"', text))
    return found


ENGLISH = catalogue()


def said(form):
    if form is None or isinstance(form, str):
        return form or ""
    arguments = [said(argument) for argument in form[1:]]

    def shown(match):
        value, forms = arguments[int(match.group(1)) - 1], match.group(2)
        return value if forms is None else forms.split("|")[0 if value == "1" else 1]
    return re.sub(r"\{(\d)(?:\|([^}]*))?\}", shown, ENGLISH[form[0]])


def in_words(value):
    """None: it is no reason that is data."""
    if not isinstance(value, str) or not value.startswith('["'):
        return None
    try:
        form = json.loads(value)
    except ValueError:
        return None
    return said(form) if form[0] in ENGLISH else None


def age(database):
    """As an assay of format 15 left it; how many reasons became words."""
    store, changed = sqlite3.connect(database), 0
    store.isolation_level = None
    store.execute("PRAGMA foreign_keys=OFF")
    for (table,) in store.execute("SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_%'").fetchall():
        for _, column, kind, *_ in store.execute(f"PRAGMA table_info({table})").fetchall():
            if kind != "TEXT":
                continue
            for (value,) in store.execute(f"SELECT DISTINCT {column} FROM {table} WHERE {column} LIKE '[\"%'").fetchall():
                words = in_words(value)
                if words is not None:
                    changed += 1
                    # Two forms may be the same words, and a word stands once.
                    known = store.execute(f"SELECT 1 FROM {table} WHERE {column}=?", (words,)).fetchone()
                    while table == "word" and known is not None:
                        words += " "
                        known = store.execute(f"SELECT 1 FROM {table} WHERE {column}=?", (words,)).fetchone()
                    store.execute(f"UPDATE {table} SET {column}=? WHERE {column}=?", (words, value))
    store.execute("PRAGMA user_version=15")
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()
    return changed


def version(database):
    store = sqlite3.connect(database)
    try:
        return store.execute("PRAGMA user_version").fetchone()[0]
    finally:
        store.close()


def show(database, *words):
    return assay("show", "--full", *words, "--db", database, cwd=FOLDER)


def squeezed(text):
    return re.sub(r"\s+", " ", text)


subprocess.run([WRITE_RUNS, NEW, "faulty"], env=environment(), check=True)
newest = version(NEW)
store = sqlite3.connect(NEW)
store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
store.close()
shutil.copy(NEW, OLD)
changed = age(OLD)
tap.ok(changed >= 5, "the run has reasons that were data, and are words now", changed)
shutil.copy(OLD, LOCKED)

english = show(OLD)
tap.ok(english.returncode == 0 and squeezed(english.stdout) == squeezed(show(NEW).stdout), "in English it says what it said",
       english.returncode, english.stdout, english.stderr, show(NEW).stdout)
tap.same(version(OLD), newest, "what only reads brought it up to date, as there is no other way to read it")
chinese, new_chinese = show(OLD, "--lang", "zh"), show(NEW, "--lang", "zh")
tap.ok(chinese.returncode == 0 and len(re.findall("[\u4e00-\u9fff]", chinese.stdout)) > 100, "and in Chinese what has no arguments is Chinese",
       chinese.returncode, chinese.stdout, chinese.stderr)
tap.same(chinese.stdout.split("\n")[:3], new_chinese.stdout.split("\n")[:3], "its head is the same")
for form in ("html", "text", "json"):
    for language in ("en", "zh"):
        done = assay("report", "--format", form, "--lang", language, "-o", "report", "--db", OLD, cwd=FOLDER)
        tap.ok(done.returncode == 0, f"it has a report: {form}, {language}", done.returncode, done.stdout, done.stderr)
# Bounds in words are read as the numbers that they are: the plain words of a report need them.
reports = []
for database in (OLD, NEW):
    assay("report", "--format", "text", "-o", "report.txt", "--db", database, cwd=FOLDER)
    with open(os.path.join(FOLDER, "report.txt"), encoding="utf-8") as file:
        reports.append(re.findall(r"required [^;\n]*", squeezed(file.read())))
tap.ok(reports[0] == reports[1] and reports[0] != [], "what is required is said as ever", *reports)

# --- where it cannot be brought up to date -------------------------------------------------------------------------------

writer = sqlite3.connect(LOCKED, isolation_level=None)
writer.execute("PRAGMA journal_mode=DELETE")
writer.execute("BEGIN IMMEDIATE")
done = show(LOCKED)
tap.ok(done.returncode == 64 and "earlier format (15)" in done.stderr and "copy it" in done.stderr,
       "of a file that cannot be written it is said what to do", done.returncode, done.stderr)
writer.close()
tap.same(version(LOCKED), 15, "and it is left as it was")
tap.end()
