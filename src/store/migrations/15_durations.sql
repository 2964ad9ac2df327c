-- SPDX-License-Identifier: Apache-2.0
-- How long the attempts of a step work in all; 0: they are counted.
ALTER TABLE shape ADD COLUMN repeat_for_s INTEGER NOT NULL DEFAULT 0;
