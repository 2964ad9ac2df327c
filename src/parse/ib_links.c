/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/parse/ib_links.h"

#include <ctype.h>
#include <string.h>

#include "ib_link_words.h"

enum { HEX_DIGITS = 16 };

static bool scan_hex(struct slice text, unsigned long long *ret_value)
{
    *ret_value = 0;
    for (size_t i = 0; i < text.length; i++) {
        int byte = tolower((unsigned char)text.bytes[i]);

        if (!isxdigit(byte))
            return false;
        *ret_value = *ret_value * 16 + (unsigned)(isdigit(byte) ? byte - '0' : byte - 'a' + 10);
    }
    return text.length > 0 && text.length <= HEX_DIGITS;
}

static bool decimal_of_hex(struct arena *arena, struct slice text, struct slice *ret_decimal)
{
    unsigned long long value;

    if (!scan_hex(text, &value))
        return false;
    *ret_decimal = slice_of(arena_printf(arena, "%llu", value));
    return true;
}

bool ib_link_state(struct slice text, struct slice *ret_state)
{
    static const char *const words[][2] = {
        {"ACT", "Active"}, {"ARM", "Armed"}, {"INI", "Initializing"}, {"DWN", "Down"}, {"DOWN", "Down"}};

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (slice_equal(text, words[i][0])) {
            *ret_state = slice_of(words[i][1]);
            return true;
        }
    return false;
}

struct slice ib_link_width(struct arena *arena, struct slice text)
{
    uint64_t lanes;
    struct slice rest = text;

    if (scan_digits(&rest, &lanes) && slice_equal_nocase(rest, "x"))
        return slice_of(arena_printf(arena, "%lluX", (unsigned long long)lanes));
    return slice_of("");
}

/* "NodeGUID:9c63c00300a1b2c8" */
static bool scan_field(struct slice *rest, const char *name, struct slice *ret_value)
{
    struct slice after = *rest, word;

    if (!scan_word(&after, &word) || !scan_text(&word, name) || !scan_text(&word, ":"))
        return false;
    *ret_value = word;
    *rest = after;
    return true;
}

static const char *node_word(struct slice type)
{
    return slice_starts(type, "CA")   ? "CA"
           : slice_starts(type, "SW") ? "Switch"
           : slice_starts(type, "Rt") ? "Router"
                                      : "";
}

/* "{ CA-SM Ports:01 ... {gpu1 mlx5_0} LID:01F4 PN:01 } " */
static bool scan_end(struct arena *arena, struct slice *line, struct ib_link_end *ret_end)
{
    static const char *const fields[] = {"Ports", "SystemGUID", "NodeGUID", "PortGUID",
                                         "VenID", "DevID",      "Rev"};
    struct slice rest = *line, type, values[ARRAY_SIZE(fields)], lid, port;
    unsigned long long guid, device;
    size_t close;

    if (!scan_text(&rest, "{ ") || !scan_word(&rest, &type))
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
        if (!scan_field(&rest, fields[i], &values[i]))
            return false;
    rest = slice_trim(rest);
    ret_end->name = slice_of("");
    if (scan_text(&rest, "{")) {
        close = slice_find(rest, "} LID:");
        if (close == (size_t)-1)
            return false;
        ret_end->name = slice_trim((struct slice){rest.bytes, close});
        rest = slice_from(rest, close + 1);
    }
    if (!scan_field(&rest, "LID", &lid) || !scan_field(&rest, "PN", &port) ||
        !decimal_of_hex(arena, lid, &ret_end->lid) || !decimal_of_hex(arena, port, &ret_end->port) ||
        !scan_hex(values[2], &guid))
        return false;
    rest = slice_trim(rest);
    if (!scan_text(&rest, "}"))
        return false;
    ret_end->device = scan_hex(values[5], &device) ? (unsigned)device : 0;
    ret_end->node = node_word(type);
    ret_end->guid = slice_of(arena_printf(arena, "0x%016llx", guid));
    *line = slice_trim(rest);
    return true;
}

bool ib_link_scan(struct arena *arena, struct slice line, struct ib_link *ret_link)
{
    struct slice rest = line, width, state, speed = {"", 0};

    if (!scan_end(arena, &rest, &ret_link->ends[0]) || !scan_end(arena, &rest, &ret_link->ends[1]) ||
        !scan_word(&rest, &width) || !scan_text(&width, "PHY=") || !scan_word(&rest, &state) ||
        !scan_text(&state, "LOG=") || !ib_link_state(state, &ret_link->state))
        return false;
    /* The oldest do not tell the speed. */
    if (scan_word(&rest, &speed) && !scan_text(&speed, "SPD="))
        return false;
    ret_link->width = ib_link_width(arena, width);
    ret_link->physical = slice_of("");
    ret_link->speed = slice_contains(speed, "?") ? slice_of("") : speed;
    return true;
}
