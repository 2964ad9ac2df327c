/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/reasons/parse.h"

#include "ib_port.h"

#include <ctype.h>
#include <string.h>

enum { NAME_BYTES = 64, GUID_DIGITS = 16, LID_DIGITS = 8 };

struct word {
    const char *plain; /* lower case, without anything but letters and digits */
    const char *name;
};

/* Letters and digits of the text, in lower case, equal plain. */
static bool equals_plain(struct slice text, const char *plain)
{
    size_t at = 0;

    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];

        if (byte == ' ' || byte == '_' || byte == '-')
            continue;
        if (plain[at] == '\0' || tolower(byte) != plain[at++])
            return false;
    }
    return plain[at] == '\0';
}

/* Without the number before ("4: ") or behind (" (4)"). */
static struct slice without_number(struct slice text)
{
    struct slice rest = slice_trim(text);
    uint64_t number;
    size_t open;

    if (scan_digits(&rest, &number) && scan_text(&rest, ":"))
        text = rest;
    text = slice_trim(text);
    open = slice_find(text, " (");
    if (open != (size_t)-1 && slice_ends(text, ")"))
        text.length = open;
    return slice_trim(text);
}

static struct slice find_word(const struct word *words, struct slice text)
{
    for (; words->plain != NULL; words++)
        if (equals_plain(text, words->plain))
            return slice_of(words->name);
    return text;
}

struct slice ib_state_word(struct slice text)
{
    static const struct word words[] = {
        {"nop", "NoStateChange"},
        {"down", "Down"},
        {"init", "Initializing"},
        {"initializing", "Initializing"},
        {"initialize", "Initializing"},
        {"armed", "Armed"},
        {"active", "Active"},
        {"activedefer", "ActiveDefer"},
        {NULL, NULL},
    };
    struct slice word = without_number(text);

    scan_text(&word, "PORT_");
    return find_word(words, word);
}

struct slice ib_physical_word(struct slice text)
{
    static const struct word words[] = {
        {"nop", "NoStateChange"},
        {"nostatechange", "NoStateChange"},
        {"sleep", "Sleep"},
        {"polling", "Polling"},
        {"disabled", "Disabled"},
        {"portconfigurationtraining", "PortConfigurationTraining"},
        {"linkup", "LinkUp"},
        {"linkerrorrecovery", "LinkErrorRecovery"},
        {"linkerrorrecover", "LinkErrorRecovery"},
        {"phytest", "PhyTest"},
        {NULL, NULL},
    };

    return find_word(words, without_number(text));
}

struct slice ib_link_layer_word(struct slice text)
{
    static const struct word words[] = {
        {"ib", "InfiniBand"}, {"infiniband", "InfiniBand"}, {"ethernet", "Ethernet"}, {NULL, NULL}};

    return find_word(words, slice_trim(text));
}

struct slice ib_guid(struct arena *arena, struct slice text)
{
    struct slice rest = text;
    char digits[GUID_DIGITS + 1];
    size_t count = 0;

    scan_text(&rest, "0x");
    for (size_t i = 0; i < rest.length; i++) {
        if (rest.bytes[i] == ':')
            continue;
        if (count == GUID_DIGITS || !isxdigit((unsigned char)rest.bytes[i]))
            return text;
        digits[count++] = (char)tolower((unsigned char)rest.bytes[i]);
    }
    digits[count] = '\0';
    return count == GUID_DIGITS ? slice_of(arena_printf(arena, "0x%s", digits)) : text;
}

struct slice ib_lid(struct arena *arena, struct slice text)
{
    struct slice rest = text;
    unsigned lid = 0;

    if (!scan_text(&rest, "0x") || rest.length == 0 || rest.length > LID_DIGITS)
        return text;
    for (size_t i = 0; i < rest.length; i++) {
        unsigned char byte = (unsigned char)tolower((unsigned char)rest.bytes[i]);

        if (!isxdigit(byte))
            return text;
        lid = lid * 16 + (unsigned)(isdigit(byte) ? byte - '0' : byte - 'a' + 10);
    }
    return slice_of(arena_printf(arena, "%u", lid));
}

void ib_fact(struct reading *reading, const char *name, const char *subject, struct slice value)
{
    struct slice kind = slice_of(name);

    value = slice_trim(value);
    if (slice_equal(kind, "ib.state"))
        value = ib_state_word(value);
    else if (slice_equal(kind, "ib.physical_state"))
        value = ib_physical_word(value);
    else if (slice_equal(kind, "ib.link_layer"))
        value = ib_link_layer_word(value);
    else if (slice_ends(kind, "_guid"))
        value = ib_guid(reading->arena, value);
    else if (slice_ends(kind, "lid"))
        value = ib_lid(reading->arena, value);
    if (value.length > 0)
        reading_fact(reading, name, subject, value);
}

const char *ib_subject(struct arena *arena, struct slice device, struct slice port)
{
    return arena_printf(arena, "%s/%s", utf8_clean(arena, device), utf8_clean(arena, port));
}

bool ib_is_device(struct slice text)
{
    for (size_t i = 0; i < text.length; i++)
        if (!isalnum((unsigned char)text.bytes[i]) && strchr("_-.", text.bytes[i]) == NULL)
            return false;
    return text.length > 0 && text.length <= NAME_BYTES;
}

bool ib_rate(struct reading *reading, const char *subject, struct slice text, struct slice state)
{
    struct measurement *rate;
    struct slice number, rest = slice_trim(text);
    double value;

    if (!scan_word(&rest, &number) || !scan_double(number, &value) || value < 0)
        return false;
    rest = slice_trim(rest);
    if (!scan_text(&rest, "Gb/sec"))
        scan_text(&rest, "Gb/s");
    rest = slice_trim(rest);
    if (rest.length > 0 && (!slice_starts(rest, "(") || !slice_ends(rest, ")")))
        return false;
    rate = reading_measure(reading, "ib.rate", subject, value, "Gb/s");
    if (state.length > 0)
        reading_at_text(reading, rate, "state", state);
    return true;
}

void ib_port_finding(struct reading *reading, const char *subject, struct slice state, struct slice physical)
{
    if (state.length == 0 || slice_equal(state, "Active"))
        return;
    reading_finding(reading, SEVERITY_INFO, "ib.port_not_active", subject,
                    reason(reading->arena, rate_of_no_link,
                           arena_printf(reading->arena, "%.*s%s%.*s", slice_print(state),
                                        physical.length > 0 ? ", " : "", slice_print(physical))));
}

bool ib_counter(struct reading *reading, const char *prefix, struct slice name, const char *subject,
                struct slice value)
{
    static const uint64_t exact = UINT64_C(1) << 53;
    const char *metric = arena_printf(reading->arena, "%s%s", prefix, utf8_clean(reading->arena, name));
    uint64_t number;

    if (name.length == 0 || !scan_u64(value, &number))
        return false;
    reading_measure(reading, metric, subject, (double)number, "");
    if (number > exact)
        reading_fact(reading, arena_printf(reading->arena, "%s.exact", metric), subject, value);
    return true;
}

/* Of the standard PortCounters attribute; the extended ones have 64 bits and never stand so. */
static const struct {
    const char *plain;
    uint64_t largest;
} error_counters[] = {
    {"symbolerror", 0xffff},
    {"symbolerrorcounter", 0xffff},
    {"linkerrorrecovery", 0xff},
    {"linkerrorrecoverycounter", 0xff},
    {"linkdowned", 0xff},
    {"linkdownedcounter", 0xff},
    {"portrcverrors", 0xffff},
    {"portrcvremotephysicalerrors", 0xffff},
    {"portrcvswitchrelayerrors", 0xffff},
    {"portxmitdiscards", 0xffff},
    {"portxmitconstrainterrors", 0xff},
    {"portrcvconstrainterrors", 0xff},
    {"locallinkintegrityerrors", 0xf},
    {"excessivebufferoverrunerrors", 0xf},
    {"vl15dropped", 0xffff},
    {"qp1dropped", 0xffff},
};

void ib_saturation(struct reading *reading, struct slice name, const char *subject, struct slice value)
{
    uint64_t number;

    if (!scan_u64(value, &number))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(error_counters); i++)
        if (number == error_counters[i].largest && equals_plain(name, error_counters[i].plain))
            reading_finding(reading, SEVERITY_WARNING, "ib.counter_saturated", subject,
                            reason(reading->arena, counter_saturated, name, value));
}
