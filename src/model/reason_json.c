/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/reason_json.h"

/* Reasons within reasons; what lies deeper is its text, for a writer of JSON goes only so deep. */
enum { DEEPEST = 8 };

static void put_arguments(struct arena *arena, struct json_writer *writer, const struct reason *reason,
                          unsigned depth)
{
    json_open_array(writer);
    for (size_t i = 0; reason != NULL && i < reason->count; i++) {
        const struct reason *inner = reason->arguments[i].reason;

        if (reason->arguments[i].text != NULL || inner == NULL) {
            json_put_string(writer, reason->arguments[i].text);
        } else if (depth == DEEPEST) {
            json_put_string(writer, reason_english(arena, inner));
        } else {
            json_open_object(writer);
            json_member(writer, "code", inner->sentence->code);
            json_key(writer, "args");
            put_arguments(arena, writer, inner, depth + 1);
            json_close_object(writer);
        }
    }
    json_close_array(writer);
}

void reason_write(struct arena *arena, struct json_writer *writer, const char *key,
                  const struct reason *reason)
{
    json_member(writer, key, reason_english(arena, reason));
    json_member(writer, arena_printf(arena, "%s_code", key), reason != NULL ? reason->sentence->code : "");
    json_key(writer, arena_printf(arena, "%s_args", key));
    put_arguments(arena, writer, reason, 0);
}
