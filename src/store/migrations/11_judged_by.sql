-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE judgement_document(judgement INTEGER NOT NULL REFERENCES judgement, n INTEGER NOT NULL, kind TEXT, name
    TEXT, content INTEGER NOT NULL REFERENCES content, PRIMARY KEY(judgement, n)) STRICT, WITHOUT ROWID;
