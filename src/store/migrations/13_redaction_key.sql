-- SPDX-License-Identifier: Apache-2.0
-- What the hashes of originals are keyed with in redacted exports: made at the first of them, and in none.
CREATE TABLE redaction_key(id INTEGER PRIMARY KEY CHECK(id=1), key TEXT NOT NULL) STRICT;
