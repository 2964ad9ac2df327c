-- SPDX-License-Identifier: Apache-2.0
-- No table changes. What columns held in English they hold as data from here on (reason.h), and what is there already
-- stays the text that it is. An older assay would show the data as it lies there, and compare with it.
SELECT 1
