/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "judge_private.h"

/* Of the text up to the word, all where it is not there. */
static size_t length_to(struct slice text, const char *word)
{
    size_t found = slice_find(text, word);

    return found < text.length ? found : text.length;
}

/* Takes the first end off the front, up to an arrow either way. */
static struct slice next_end(struct slice *rest)
{
    size_t there = length_to(*rest, "->"), back = length_to(*rest, "<-");
    struct slice end = {rest->bytes, there < back ? there : back};

    *rest = slice_from(*rest, end.length + (end.length < rest->length ? strlen("->") : 0));
    end.length = length_to(end, "/");
    return end;
}

size_t subject_ends(struct arena *arena, const char *subject, const char *ret_names[2])
{
    struct slice rest = slice_of(subject);
    size_t count = 0;

    do {
        struct slice end = next_end(&rest);

        if (!slice_starts(end, "cpu") && count < 2)
            ret_names[count++] = arena_strndup(arena, end.bytes, end.length);
    } while (rest.length > 0);
    return count;
}
