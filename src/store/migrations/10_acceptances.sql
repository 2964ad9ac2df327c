-- SPDX-License-Identifier: Apache-2.0
-- Runs and events are added, and nothing is edited: how an acceptance stands follows from them.
CREATE TABLE acceptance(id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, name TEXT NOT NULL UNIQUE, made REAL NOT
    NULL) STRICT;
CREATE TABLE acceptance_document(acceptance INTEGER NOT NULL REFERENCES acceptance, n INTEGER NOT NULL, kind TEXT,
    name TEXT, content INTEGER NOT NULL REFERENCES content, PRIMARY KEY(acceptance, n)) STRICT, WITHOUT ROWID;
CREATE TABLE acceptance_run(acceptance INTEGER NOT NULL REFERENCES acceptance, run INTEGER NOT NULL REFERENCES run,
    added REAL NOT NULL, PRIMARY KEY(acceptance, run)) STRICT, WITHOUT ROWID;
CREATE TABLE event(uuid TEXT PRIMARY KEY, acceptance INTEGER NOT NULL REFERENCES acceptance, kind TEXT NOT NULL,
    host TEXT NOT NULL, item TEXT NOT NULL, spare TEXT NOT NULL, note TEXT NOT NULL, at REAL NOT NULL, made REAL NOT
    NULL) STRICT;
CREATE INDEX event_acceptance ON event(acceptance);
