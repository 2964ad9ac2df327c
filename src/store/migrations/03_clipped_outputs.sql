-- SPDX-License-Identifier: Apache-2.0
-- Until now `clipped` was said of an output of which the host kept the head only. Of a clipped one, content is the
-- head, and sha256 is that of all its bytes.
ALTER TABLE capture RENAME COLUMN clipped TO flooded;
ALTER TABLE window_capture RENAME COLUMN clipped TO flooded;
ALTER TABLE capture ADD COLUMN clipped INTEGER NOT NULL DEFAULT 0;
ALTER TABLE capture ADD COLUMN tail INTEGER REFERENCES content;
ALTER TABLE capture ADD COLUMN sha256 TEXT;
