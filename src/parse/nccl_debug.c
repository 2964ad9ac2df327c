/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What NCCL's own log lines tell.
 *
 * Facts: nccl.version; nccl.network, as "Using network IB" names it; and one nccl.transport for each
 * transport that a channel was connected by: P2P, SHM, C2C, NET/IB, NET/Socket, NET/AWS Libfabric, COLLNET,
 * NVLS, and NET/IB/GDRDMA where the network reads and writes GPU memory itself.
 */
#include "nccl_run.h"

#include <stdio.h>
#include <string.h>

enum { WARNING_BYTES = 300 };

static void add_transport(struct reading *reading, struct slice name)
{
    for (size_t i = 0; i < reading->facts.count; i++)
        if (strcmp(reading->facts.items[i].name, "nccl.transport") == 0 &&
            slice_equal(name, reading->facts.items[i].value))
            return;
    reading_fact(reading, "nccl.transport", "", name);
}

static void fact_once(struct reading *reading, const char *name, struct slice value)
{
    if (reading_get_fact(reading, name, "") == NULL)
        reading_fact(reading, name, "", value);
}

/* "NET/IB/0/GDRDMA", "P2P/CUMEM/read", "SHM/direct/direct" */
static void take_channel(struct reading *reading, struct slice via)
{
    size_t end = slice_find(via, " comm "), first, second;
    struct slice rest;

    if (end != (size_t)-1)
        via.length = end;
    first = slice_find(via, "/");
    if (first == (size_t)-1 || !slice_starts(via, "NET/")) {
        if (first != (size_t)-1)
            via.length = first;
        if (slice_starts(via, "P2P") || slice_starts(via, "SHM") || slice_starts(via, "C2C") ||
            slice_starts(via, "COLLNET") || slice_starts(via, "NVLS"))
            add_transport(reading, via);
        return;
    }
    rest = slice_from(via, first + 1);
    second = slice_find(rest, "/");
    if (second == (size_t)-1)
        return;
    add_transport(reading, (struct slice){via.bytes, first + 1 + second});
    if (slice_contains(slice_from(rest, second), "GDRDMA")) {
        char name[NCCL_PATH_BYTES];

        snprintf(name, sizeof name, "%.*s/GDRDMA", (int)(first + 1 + second), via.bytes);
        add_transport(reading, slice_of(name));
    }
}

/* Whether a channel over this path was seen before; if not, it is now. */
static bool path_is_known(struct nccl_debug *debug, struct slice via)
{
    if (via.length > NCCL_PATH_BYTES)
        return false;
    for (size_t i = 0; i < NCCL_PATHS; i++)
        if (debug->paths[i].length == via.length && memcmp(debug->paths[i].bytes, via.bytes, via.length) == 0)
            return true;
    memcpy(debug->paths[debug->next_path].bytes, via.bytes, via.length);
    debug->paths[debug->next_path].length = via.length;
    debug->next_path = (debug->next_path + 1) % NCCL_PATHS;
    return false;
}

/* Each text once, and no more than so many; the others are counted. */
static void take_warning(struct nccl_debug *debug, struct slice text, struct reading *reading)
{
    if (text.length > WARNING_BYTES)
        text.length = WARNING_BYTES;
    for (size_t i = 0; i < debug->warning_count; i++)
        if (debug->warnings[i].length == text.length &&
            memcmp(debug->warnings[i].bytes, text.bytes, text.length) == 0)
            return;
    if (debug->warning_count == NCCL_WARNINGS) {
        debug->more_warnings++;
        return;
    }
    text.bytes = arena_strndup(reading->arena, text.bytes, text.length);
    debug->warnings[debug->warning_count++] = text;
    reading_finding(reading, SEVERITY_WARNING, "nccl.warn", "", "%.*s", slice_print(text));
}

void nccl_debug_finish(struct nccl_debug *debug, struct reading *reading)
{
    if (debug->more_warnings > 0)
        reading_finding(reading, SEVERITY_WARNING, "nccl.warn", "", "%zu more lines with warnings",
                        debug->more_warnings);
}

void nccl_debug_info(struct nccl_debug *debug, struct slice text, struct reading *reading)
{
    bool is_channel = slice_starts(text, "Channel ");
    size_t via = is_channel ? slice_find(text, " via ") : (size_t)-1;
    struct slice rest = text, word;

    if (scan_text(&rest, "Using network ")) {
        rest = slice_trim(rest);
        fact_once(reading, "nccl.network", rest);
    } else if (is_channel && via != (size_t)-1) {
        rest = slice_from(text, via + 5);
        if (!path_is_known(debug, rest))
            take_channel(reading, rest);
    } else if (slice_starts(text, "NVLS comm ") || slice_starts(text, "Connected NVLS tree")) {
        add_transport(reading, slice_of("NVLS"));
    } else if (slice_starts(text, "Connected CollNet") || slice_starts(text, "CollNet comm ")) {
        add_transport(reading, slice_of("COLLNET"));
    } else if (slice_find(text, "NCCL version ") != (size_t)-1) {
        rest = slice_from(text, slice_find(text, "NCCL version ") + 13);
        if (scan_word(&rest, &word)) {
            size_t plus = slice_find(word, "+");

            if (plus != (size_t)-1)
                word.length = plus;
            fact_once(reading, "nccl.version", word);
        }
    }
}

bool nccl_debug_line(struct nccl_debug *debug, struct slice line, struct reading *reading)
{
    size_t info = slice_find(line, "NCCL INFO "), warn = slice_find(line, "NCCL WARN ");

    if (info != (size_t)-1)
        nccl_debug_info(debug, slice_trim(slice_from(line, info + 10)), reading);
    else if (warn != (size_t)-1)
        take_warning(debug, slice_trim(slice_from(line, warn + 10)), reading);
    else if (slice_starts(line, "NCCL version "))
        nccl_debug_info(debug, line, reading);
    else
        return slice_contains(line, "NCCL TRACE ") || slice_contains(line, "NCCL ABORT ");
    return true;
}
