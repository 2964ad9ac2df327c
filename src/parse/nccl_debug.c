/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What NCCL's own log lines tell.
 *
 * Facts: nccl.version; nccl.network, as "Using network IB" names it; and one nccl.transport for each
 * transport that a channel was connected by: P2P, SHM, C2C, NET/IB, NET/Socket, NET/AWS Libfabric, COLLNET,
 * NVLS, and NET/IB/GDRDMA where the network reads and writes GPU memory itself.
 */
#include "nccl_run.h"

#include <string.h>

enum { MAX_WARNINGS = 20 };

static void add_transport(struct reading *reading, struct slice name)
{
    for (size_t i = 0; i < reading->facts.count; i++)
        if (strcmp(reading->facts.items[i].name, "nccl.transport") == 0 &&
            slice_equal(name, reading->facts.items[i].value))
            return;
    reading_fact(reading, "nccl.transport", "", name);
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
    if (slice_contains(slice_from(rest, second), "GDRDMA"))
        add_transport(reading, slice_of(arena_printf(reading->arena, "%.*s/GDRDMA", (int)(first + 1 + second),
                                                     via.bytes)));
}

static void take_warning(struct reading *reading, struct slice text)
{
    const char *line = utf8_clean(reading->arena, text);
    size_t warnings = 0;

    for (size_t i = 0; i < reading->findings.count; i++) {
        if (strcmp(reading->findings.items[i].code, "nccl.warn") != 0)
            continue;
        if (strcmp(reading->findings.items[i].text, line) == 0 || ++warnings >= MAX_WARNINGS)
            return;
    }
    reading_finding(reading, SEVERITY_WARNING, "nccl.warn", "", "%s", line);
}

static void take_info(struct reading *reading, struct slice text)
{
    size_t via = slice_find(text, " via ");
    struct slice rest = text, word;

    if (scan_text(&rest, "Using network ")) {
        rest = slice_trim(rest);
        nccl_fact(reading, "nccl.network", arena_strndup(reading->arena, rest.bytes, rest.length));
    } else if (slice_starts(text, "Channel ") && via != (size_t)-1) {
        take_channel(reading, slice_from(text, via + 5));
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
            nccl_fact(reading, "nccl.version", arena_strndup(reading->arena, word.bytes, word.length));
        }
    }
}

bool nccl_debug_line(struct slice line, struct reading *reading)
{
    size_t info = slice_find(line, "NCCL INFO "), warn = slice_find(line, "NCCL WARN ");

    if (info != (size_t)-1)
        take_info(reading, slice_trim(slice_from(line, info + 10)));
    else if (warn != (size_t)-1)
        take_warning(reading, slice_trim(slice_from(line, warn + 10)));
    else if (slice_starts(line, "NCCL version "))
        take_info(reading, line);
    else
        return slice_contains(line, "NCCL TRACE ") || slice_contains(line, "NCCL ABORT ");
    return true;
}
