-- SPDX-License-Identifier: Apache-2.0
-- Never edited or deleted: who takes one back adds a withdrawal. A judgement names those it rests on, and the time
-- that it was made for.
CREATE TABLE waiver(uuid TEXT PRIMARY KEY, run INTEGER NOT NULL REFERENCES run, step_key TEXT NOT NULL, attempt TEXT
    NOT NULL REFERENCES attempt(uuid), who TEXT NOT NULL, why TEXT NOT NULL, made REAL NOT NULL, until REAL NOT
    NULL, FOREIGN KEY(run, step_key) REFERENCES step(run, key)) STRICT;
CREATE INDEX waiver_run ON waiver(run);
CREATE TABLE waived_item(waiver TEXT NOT NULL REFERENCES waiver, n INTEGER NOT NULL, metric INTEGER REFERENCES word,
    subject INTEGER REFERENCES word, at INTEGER REFERENCES word, hardware TEXT NOT NULL, PRIMARY KEY(waiver, n))
    STRICT, WITHOUT ROWID;
CREATE TABLE withdrawal(uuid TEXT PRIMARY KEY, waiver TEXT NOT NULL UNIQUE REFERENCES waiver, who TEXT NOT NULL, why
    TEXT NOT NULL, made REAL NOT NULL) STRICT;
ALTER TABLE judgement ADD COLUMN now REAL NOT NULL DEFAULT 0;
ALTER TABLE judgement ADD COLUMN inputs TEXT NOT NULL DEFAULT '';
ALTER TABLE verdict ADD COLUMN waived INTEGER NOT NULL DEFAULT 0;
CREATE TABLE outcome_waiver(judgement INTEGER NOT NULL REFERENCES judgement, step INTEGER NOT NULL, slot INTEGER NOT
    NULL, waiver TEXT NOT NULL REFERENCES waiver, PRIMARY KEY(judgement, step, slot)) STRICT, WITHOUT ROWID;
