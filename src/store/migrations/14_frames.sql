-- SPDX-License-Identifier: Apache-2.0
-- The secret of the marks around an attempt's output; NULL: they have its uuid.
ALTER TABLE attempt ADD COLUMN frame TEXT;
