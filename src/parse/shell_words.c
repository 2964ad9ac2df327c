/* SPDX-License-Identifier: Apache-2.0 */
#include "shell_words.h"

#include <string.h>

/* What stands before the mark of a prompt: user@host, "gpu01:~ ", "bash-5.1", "sh-4.4". */
static bool names_a_place(struct slice text)
{
    enum { PROMPT_BYTES = 200 };

    if (text.length > PROMPT_BYTES || memchr(text.bytes, '"', text.length) != NULL)
        return false;
    return memchr(text.bytes, '@', text.length) != NULL || slice_contains(text, ":~") ||
           ((slice_starts(text, "bash-") || slice_starts(text, "sh-")) && !slice_contains(text, " "));
}

/* Length of the prompt at the front with its mark, 0 when there is none. */
static size_t prompt_length(struct slice line)
{
    size_t mark;

    for (mark = 0; mark < line.length; mark++)
        if (strchr("#$%>", line.bytes[mark]) != NULL &&
            (mark + 1 == line.length || line.bytes[mark + 1] == ' '))
            break;
    if (mark >= line.length)
        return 0;
    return mark == 0 || names_a_place((struct slice){line.bytes, mark}) ? mark + 1 : 0;
}

bool is_prompt(struct slice line)
{
    line = slice_trim(line);
    return line.length > 0 && prompt_length(line) == line.length;
}

bool prompt_command(struct slice line, struct slice *ret_command)
{
    size_t length;

    line = slice_trim(line);
    length = slice_starts(line, "+ ") ? 1 : prompt_length(line);
    if (length == 0 || length == line.length)
        return false;
    *ret_command = slice_trim(slice_from(line, length));
    return ret_command->length > 0;
}

bool is_shell_trouble(struct slice line)
{
    return slice_contains(line, "command not found") || slice_ends(line, ": not found") ||
           slice_ends(line, ": Permission denied") || slice_starts(line, "sudo: ") ||
           (slice_starts(line, "env: ") && slice_ends(line, "No such file or directory"));
}
