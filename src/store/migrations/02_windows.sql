-- SPDX-License-Identifier: Apache-2.0
-- What was read on the members right before and after an attempt: output and what it was.
CREATE TABLE window(attempt INTEGER NOT NULL REFERENCES attempt, n INTEGER NOT NULL, member INTEGER NOT NULL, role
    TEXT NOT NULL, ending TEXT NOT NULL, rc INTEGER NOT NULL, text TEXT, boot_id TEXT, began REAL, ended REAL,
    up_began REAL, up_ended REAL, PRIMARY KEY(attempt, n)) STRICT, WITHOUT ROWID;
CREATE TABLE window_capture(attempt INTEGER NOT NULL, window INTEGER NOT NULL, stream TEXT NOT NULL, length INTEGER
    NOT NULL, clipped INTEGER NOT NULL, cut INTEGER NOT NULL, content INTEGER REFERENCES content, PRIMARY
    KEY(attempt, window, stream), FOREIGN KEY(attempt, window) REFERENCES window(attempt, n)) STRICT, WITHOUT ROWID;

-- window: 0 for the attempt's own captures, else n + 1.
ALTER TABLE part ADD COLUMN aside INTEGER NOT NULL DEFAULT 0;
ALTER TABLE part ADD COLUMN window INTEGER NOT NULL DEFAULT 0;
UPDATE part SET aside=1 WHERE name IN (SELECT id FROM word WHERE text IN ('kernel-log', 'under-load'));
