-- SPDX-License-Identifier: Apache-2.0
-- The parts of slow tests that tell who makes them slow.
ALTER TABLE shape ADD COLUMN arguments TEXT;
ALTER TABLE step ADD COLUMN parent INTEGER NOT NULL DEFAULT 0;
ALTER TABLE step ADD COLUMN round INTEGER NOT NULL DEFAULT 0;
ALTER TABLE verdict ADD COLUMN accused INTEGER NOT NULL DEFAULT 0;
CREATE TABLE search(judgement INTEGER NOT NULL REFERENCES judgement, n INTEGER NOT NULL, step INTEGER NOT NULL,
    metric INTEGER REFERENCES word, size_bytes REAL, conclusion TEXT, candidates TEXT, PRIMARY KEY(judgement, n))
    STRICT, WITHOUT ROWID;
CREATE TABLE accusation(judgement INTEGER NOT NULL REFERENCES judgement, n INTEGER NOT NULL, step INTEGER NOT NULL,
    kind TEXT NOT NULL, subject TEXT, place TEXT NOT NULL, intermittent INTEGER NOT NULL, slow_tests INTEGER NOT
    NULL, fast_tests INTEGER NOT NULL, doubt REAL, PRIMARY KEY(judgement, n)) STRICT, WITHOUT ROWID;
CREATE TABLE accusation_step(judgement INTEGER NOT NULL, accusation INTEGER NOT NULL, n INTEGER NOT NULL, step
    INTEGER NOT NULL, PRIMARY KEY(judgement, accusation, n), FOREIGN KEY(judgement, accusation) REFERENCES
    accusation(judgement, n)) STRICT, WITHOUT ROWID;
