/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons in JSON, for programs: as text to show, and as data to go by. */
#ifndef ASSAY_REASON_JSON_H
#define ASSAY_REASON_JSON_H

#include "assay/base/json.h"
#include "assay/model/reason.h"

/*
 * Three members of the object that is open: KEY, what it says in English; KEY_code, its sentence; and KEY_args, a list: an
 * argument is a text, or {"code": ..., "args": [...]} where it is a reason, or null where that says nothing. Of NULL: "", ""
 * and []. The text is made in the arena.
 */
void reason_write(struct arena *arena, struct json_writer *writer, const char *key,
                  const struct reason *reason);

#endif
