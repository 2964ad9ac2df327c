-- SPDX-License-Identifier: Apache-2.0
-- Which item, by its identity, an attempt saw at which place of which host of the run. Of runs before this version
-- nothing is known, and nothing is made up.
CREATE TABLE item(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, identity TEXT NOT NULL, UNIQUE(kind, identity))
    STRICT;
CREATE TABLE sighting(attempt INTEGER NOT NULL REFERENCES attempt, host INTEGER NOT NULL, position INTEGER NOT NULL
    REFERENCES word, item INTEGER NOT NULL REFERENCES item, serial INTEGER REFERENCES word, PRIMARY KEY(attempt,
    host, position, item)) STRICT, WITHOUT ROWID;
CREATE INDEX sighting_item ON sighting(item);
