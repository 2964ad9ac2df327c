-- SPDX-License-Identifier: Apache-2.0
ALTER TABLE shape ADD COLUMN variant TEXT NOT NULL DEFAULT '';
