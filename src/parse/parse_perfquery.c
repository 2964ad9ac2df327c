/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfquery: the performance counters of InfiniBand ports, plain, -x and the tool's other attributes (-X, -S, -D,
 * -E, -T); its values are padded with dots.
 *
 * subject "lid2052/1": the tool knows the port by its LID; "lid2052/all" for all ports together
 * facts   ib.counter.NAME.exact  all digits of a counter beyond 2^53, which the measurement rounds
 * metric  ib.counter.NAME        as the tool writes it (PortXmitWait); data counters count units of 4 bytes
 * finding ib.counter_saturated   warning: a plain counter at its largest value counts no more (see ib_port.h)
 *         ib.warning             warning: the tool's own (ibwarn)
 *
 * A section is whole when its attribute's last counter was seen. A port that comes again begins another run.
 */
#include <ctype.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "frame.h"
#include "ib_port.h"
#include "shell_words.h"

enum attribute { PLAIN, EXTENDED, OTHER };

struct listing {
    struct frame frame;
    const char *subject; /* of the section, NULL outside */
    enum attribute attribute;
    bool more_announced, more; /* the counters of CapMask2, and that they were begun */
    bool closed;
    unsigned counters;
};

static void end_section(struct listing *listing)
{
    if (listing->subject == NULL)
        return;
    if (listing->counters == 0 || (listing->attribute != OTHER && !listing->closed))
        reading_lacks(listing->frame.reading,
                      reason(listing->frame.reading->arena, last_counter_missing, listing->subject));
    listing->subject = NULL;
}

static bool is_known(const struct listing *listing, const char *subject)
{
    for (size_t i = 0; i < listing->frame.reading->measurements.count; i++)
        if (strcmp(listing->frame.reading->measurements.items[i].subject, subject) == 0)
            return true;
    return false;
}

/* "Lid 2052 port 1 (CapMask: 0x5300 CapMask2: 0x0000002)" -> "lid2052/1" */
static const char *read_subject(struct arena *arena, struct slice text)
{
    struct slice node, port, rest;
    uint64_t lid;

    if (!slice_part(text, " port ", &node, &rest) || !scan_word(&rest, &port))
        return NULL;
    if (slice_equal(port, "255"))
        port = slice_of("all");
    rest = node;
    if (scan_text(&rest, "Lid ") && scan_u64(slice_trim(rest), &lid))
        return arena_printf(arena, "lid%u/%s", (unsigned)lid, utf8_clean(arena, port));
    return ib_subject(arena, node, port);
}

/* Bit 1 of CapMask2: the error counters are there with 64 bits too. */
static bool announces_more(struct slice line)
{
    struct slice digits = line;
    size_t length = 0;

    if (!scan_past(&digits, "CapMask2: 0x"))
        return false;
    while (length < digits.length && isxdigit((unsigned char)digits.bytes[length]))
        length++;
    return length > 0 && strchr("2367abefABEF", digits.bytes[length - 1]) != NULL;
}

/* "# Port extended counters: Lid 2052 port 1 (...)", "# PortXmitDiscardDetails counters: Lid 7 port 1" */
static bool read_header(struct listing *listing, struct slice line)
{
    struct slice rest = line;
    const char *subject;

    if (!slice_starts(line, "# ") || !scan_past(&rest, "counters: "))
        return false;
    subject = read_subject(listing->frame.all->arena, rest);
    if (subject == NULL)
        return false;
    end_section(listing);
    if (!frame_has_run(&listing->frame) || is_known(listing, subject))
        frame_begin_run(&listing->frame);
    listing->subject = subject;
    listing->attribute = slice_starts(line, "# Port extended counters") ? EXTENDED
                         : slice_starts(line, "# Port counters")        ? PLAIN
                                                                        : OTHER;
    listing->more_announced = announces_more(line);
    listing->more = listing->closed = false;
    listing->counters = 0;
    return true;
}

static bool closes(const struct listing *listing, struct slice name)
{
    if (listing->attribute == PLAIN)
        return slice_equal(name, "PortXmitWait") || slice_equal(name, "XmtWait");
    if (listing->more_announced || listing->more)
        return slice_equal(name, "QP1Dropped");
    return slice_equal_one(name, "PortMulticastRcvPkts", "MulticastRcvPkts", "PortRcvPkts", "RcvPkts");
}

/* "PortXmitWait:....................41864608" */
static void read_counter(struct listing *listing, struct slice line)
{
    size_t colon = slice_find(line, ":");
    struct slice name, value;

    if (listing->subject == NULL || colon == (size_t)-1 || colon == 0)
        return;
    name = (struct slice){line.bytes, colon};
    value = slice_from(line, colon + 1);
    while (value.length > 0 && value.bytes[0] == '.')
        value = slice_from(value, 1);
    value = slice_trim(value);
    if (!ib_is_device(name) || slice_ends(name, "Select"))
        return;
    if (slice_equal(name, "CounterSelect2"))
        listing->more = true;
    if (slice_contains(name, "Select") ||
        !ib_counter(listing->frame.reading, "ib.counter.", name, listing->subject, value))
        return;
    if (listing->attribute == PLAIN)
        ib_saturation(listing->frame.reading, name, listing->subject, value);
    listing->counters++;
    listing->closed = listing->closed || closes(listing, name);
}

static void read_line(void *state, struct slice line)
{
    struct listing *listing = state;
    bool trouble =
        slice_contains(line, "iberror:") || slice_starts(line, "ibpanic:") || is_shell_trouble(line);

    if (trouble)
        frame_fail(&listing->frame, line);
    else if (slice_starts(line, "ibwarn:"))
        reading_finding(listing->frame.all, SEVERITY_WARNING, "ib.warning", "",
                        reason(listing->frame.all->arena, text, line));
    else if (!read_header(listing, line))
        read_counter(listing, line);
}

static void end(void *state)
{
    struct listing *listing = state;

    end_section(listing);
    frame_ends_list(&listing->frame);
}

const struct parser parse_perfquery = {
    .name = "perfquery",
    .version = 1,
    .summary = "perfquery: performance counters of InfiniBand ports",
    .metrics = METRICS(
        {"ib.counter.*", "", BETTER_NEITHER, "a counter of the port, by the name that the tool gives it"}),
    .grammar = GRAMMAR(.state_bytes = sizeof(struct listing), .line = read_line, .end = end),
};
