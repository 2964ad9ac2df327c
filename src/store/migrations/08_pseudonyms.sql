-- SPDX-License-Identifier: Apache-2.0
-- What stands for a name in exports.
CREATE TABLE pseudonym(kind TEXT NOT NULL, name TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY(kind, name),
    UNIQUE(kind, n)) STRICT, WITHOUT ROWID;
