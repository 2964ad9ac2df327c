-- SPDX-License-Identifier: Apache-2.0
-- Further attempts while an item fails or is doubtful; the ceiling of a range.
ALTER TABLE shape ADD COLUMN retests INTEGER NOT NULL DEFAULT 0;
ALTER TABLE slot_limit ADD COLUMN most REAL DEFAULT 0;
