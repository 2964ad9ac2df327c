/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What NCCL's own log lines tell.
 *
 * Facts: nccl.version; nccl.network, as the first "Using network IB" names it, and of each host that says so
 * nccl.host_network and nccl.host_hcas ("mlx5_0,mlx5_1", in NCCL's order); and one nccl.transport for each
 * transport that a channel was connected by: P2P, SHM, C2C, NET/IB, NET/Socket, NET/AWS Libfabric, COLLNET,
 * NVLS, and NET/IB/GDRDMA where the network reads and writes GPU memory itself.
 */
#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "nccl_run.h"

#include <stdio.h>
#include <string.h>

enum { WARNING_BYTES = 300 };

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

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

/* memcmp for the few bytes that are compared in each of millions of lines. */
static inline bool are_same(const char *a, const char *b, size_t length)
{
    uint64_t x, y;
    size_t at = 0;

    if (length < sizeof x)
        return memcmp(a, b, length) == 0;
    for (; at + sizeof x <= length; at += sizeof x) {
        memcpy(&x, a + at, sizeof x);
        memcpy(&y, b + at, sizeof y);
        if (x != y)
            return false;
    }
    memcpy(&x, a + length - sizeof x, sizeof x);
    memcpy(&y, b + length - sizeof y, sizeof y);
    return x == y;
}

/* Whether a channel over this path was seen before; mostly it was the last one. */
static bool path_is_known(struct nccl_debug *debug, struct slice via)
{
    for (size_t i = 0, at = debug->last_path; i < NCCL_PATHS; i++, at = (at + 1) % NCCL_PATHS)
        if (debug->paths[at].length == via.length &&
            are_same(debug->paths[at].bytes, via.bytes, via.length)) {
            debug->last_path = at;
            return true;
        }
    return false;
}

static void remember_path(struct nccl_debug *debug, struct slice via)
{
    if (via.length == 0 || via.length > NCCL_PATH_BYTES)
        return;
    memcpy(debug->paths[debug->next_path].bytes, via.bytes, via.length);
    debug->paths[debug->next_path].length = via.length;
    debug->next_path = (debug->next_path + 1) % NCCL_PATHS;
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
    reading_finding(reading, SEVERITY_WARNING, "nccl.warn", "", reason(reading->arena, text, text));
}

void nccl_debug_finish(struct nccl_debug *debug, struct reading *reading)
{
    if (debug->more_warnings > 0)
        reading_finding(reading, SEVERITY_WARNING, "nccl.warn", "",
                        reason(reading->arena, more_warnings, debug->more_warnings));
}

/* "node1" of "node1:4242:4310 [3] ", also behind a time; empty when there is none. */
static struct slice host_of(struct slice head)
{
    struct slice word, before = {"", 0}, host = {"", 0};
    size_t colon;

    while (scan_word(&head, &word)) {
        if (word.bytes[0] == '[')
            host = before;
        before = word;
    }
    colon = slice_find(host, ":");
    return (struct slice){host.bytes, colon != (size_t)-1 ? colon : 0};
}

/* Ranks of one host say the same; what one says otherwise is a fact of its own. */
static void fact_of_host(struct reading *reading, const char *name, struct slice host, struct slice value)
{
    const char *subject;

    if (host.length == 0)
        return;
    for (size_t i = 0; i < reading->facts.count; i++)
        if (strcmp(reading->facts.items[i].name, name) == 0 &&
            slice_equal(host, reading->facts.items[i].subject) &&
            slice_equal(value, reading->facts.items[i].value))
            return;
    subject = arena_strndup(reading->arena, host.bytes, host.length);
    reading_fact(reading, name, subject, value);
}

/* "Using [0]mlx5_0:1/IB [1]={[0] mlx5_1:1/IB [1] mlx5_2:1/IB} [RO]; OOB eth0:10.0.0.1<0>" -> "mlx5_0,mlx5_1,mlx5_2" */
static void take_hcas(struct reading *reading, struct slice host, struct slice rest)
{
    const char *names = "";
    struct slice word;
    size_t end = slice_find(rest, ";");

    if (end != (size_t)-1)
        rest.length = end;
    while (scan_word(&rest, &word)) {
        size_t from, colon;

        while (word.length > 0 && word.bytes[word.length - 1] == '}')
            word.length--;
        from = word.length;
        while (from > 0 && (is_letter(word.bytes[from - 1]) || is_digit(word.bytes[from - 1]) ||
                            strchr("_-.:/", word.bytes[from - 1]) != NULL))
            from--;
        word = slice_from(word, from);
        colon = slice_find(word, ":");
        if (colon == (size_t)-1 || colon == 0)
            continue;
        names = arena_printf(reading->arena, "%s%s%.*s", names, *names != '\0' ? "," : "", (int)colon,
                             word.bytes);
    }
    fact_of_host(reading, "nccl.host_hcas", host, slice_of(names));
}

/* Lines whose host matters. */
static void take_host(struct reading *reading, struct slice host, struct slice text)
{
    if (scan_text(&text, "Using network "))
        fact_of_host(reading, "nccl.host_network", host, slice_trim(text));
    else if (scan_text(&text, "NET/IB : Using "))
        take_hcas(reading, host, text);
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
        if (!path_is_known(debug, rest)) {
            remember_path(debug, rest);
            take_channel(reading, rest);
        }
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
            debug->has_version = true;
        }
    }
}

/* "node1:4242:4310 [3] NCCL INFO " off the front of the line. From behind: the bracket is found at once, and what stands before it is short. */
static __attribute__((noinline)) bool take_head(struct nccl_debug *debug, struct slice *rest)
{
    enum { HEAD_BYTES = 200 };
    static const char mark[] = "] NCCL INFO ";
    size_t most = rest->length < HEAD_BYTES ? rest->length : HEAD_BYTES, at;
    const char *close, *bytes = rest->bytes;

    close = most > 0 ? memchr(bytes, ']', most) : NULL;
    if (close == NULL || !slice_starts(slice_from(*rest, (size_t)(close - bytes)), mark))
        return false;
    at = (size_t)(close - bytes);
    for (int number = 0; number < 3; number++) {
        size_t end = at;

        while (at > 0 && is_digit(bytes[at - 1]))
            at--;
        if (at == end || at < 3 || bytes[at - 1] != (number == 0 ? '[' : ':'))
            return false;
        at -= number == 0 ? 2 : 1;
        if (number == 0 && bytes[at] != ' ')
            return false;
    }
    while (at > 0 && (is_digit(bytes[at - 1]) || is_letter(bytes[at - 1]) || bytes[at - 1] == '-' ||
                      bytes[at - 1] == '.' || bytes[at - 1] == '_'))
        at--;
    if (at > 0 || !is_letter(bytes[0]))
        return false;
    at = (size_t)(close - bytes) + strlen(mark);
    debug->head_length = at <= sizeof debug->head ? at : 0;
    memcpy(debug->head, bytes, debug->head_length);
    *rest = slice_from(*rest, at);
    return true;
}

/* Whether the text ends with " via " and the path of the channel before. */
static bool is_last_path(const struct nccl_debug *debug, struct slice text)
{
    static const char mark[] = " via ";
    size_t length = debug->paths[debug->last_path].length, most = text.length - strlen(mark);
    const char *end = text.bytes + text.length;

    return length > 0 && text.length > strlen(mark) && length < most &&
           are_same(end - length, debug->paths[debug->last_path].bytes, length) &&
           memcmp(end - length - strlen(mark), mark, strlen(mark)) == 0;
}

/* What stands behind the head. */
static __attribute__((noinline)) bool is_old_text(struct nccl_debug *debug, struct slice text)
{
    const char *blank;
    struct slice path;

    text = slice_trim(text);
    if (text.length == 0)
        return true;
    switch (text.bytes[0]) {
    case 'C': /* "Channel ... via PATH", "Connected ...", "CollNet comm ..." */
        blank = memrchr(text.bytes, ' ', text.length);
        if (blank == NULL || blank - text.bytes < 12 || memcmp(blank - 4, " via", 4) != 0 ||
            !slice_starts(text, "Channel "))
            return false;
        path = slice_from(text, (size_t)(blank + 1 - text.bytes));
        return path_is_known(debug, path);
    case 'U': /* "Using network ..." */
    case 'N': /* "NVLS comm ...", "NCCL version ..." */
        return slice_starts(text, "NET/") && debug->has_version && !slice_starts(text, "NET/IB : Using ");
    default:
        return debug->has_version || !slice_contains(text, "NCCL version ");
    }
}

/* Mostly a line is a channel's, of the rank of the line before and over the same path. */
bool nccl_debug_is_old(struct nccl_debug *debug, struct slice line)
{
    size_t head = debug->head_length;

    if (head > 0 && line.length > head && are_same(line.bytes, debug->head, head)) {
        line = slice_from(line, head);
        if (is_last_path(debug, line) && slice_starts(line, "Channel "))
            return true;
    } else if (!take_head(debug, &line)) {
        return false;
    }
    return is_old_text(debug, line);
}

bool nccl_debug_line(struct nccl_debug *debug, struct slice line, struct reading *reading)
{
    size_t info = slice_find(line, "NCCL INFO "), warn = slice_find(line, "NCCL WARN ");

    if (info != (size_t)-1) {
        struct slice text = slice_trim(slice_from(line, info + 10));

        take_host(reading, host_of((struct slice){line.bytes, info}), text);
        nccl_debug_info(debug, text, reading);
    } else if (warn != (size_t)-1)
        take_warning(debug, slice_trim(slice_from(line, warn + 10)), reading);
    else if (slice_starts(line, "NCCL version "))
        nccl_debug_info(debug, line, reading);
    else
        return slice_contains(line, "NCCL TRACE ") || slice_contains(line, "NCCL ABORT ");
    return true;
}
