/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the checks' own command files print where a check needs single values out of many places:
 *
 *   os.kernel<TAB><TAB>5.15.0-122-generic
 *   nvme.model<TAB>nvme0<TAB>SAMSUNG MZQL23T8HCLS-00A07
 *   os.clock_synchronized<TAB><TAB><TAB>sh: 1: timedatectl: not found
 *   key-value end
 *
 * A row is name, subject (may be empty) and value; a row without a value says behind it why there is none. Where a value has
 * tabs, and in what is said instead of one, it is the code of a sentence and its arguments: script_reason.h.
 * Lines of other forms (banners, complaints of a shell) are not ours and are passed over.
 *
 * facts    each row's name and subject, as they stand; a value that is a sentence, in words
 * finding  NAME.unread  info: why the row has no value
 *
 * Complete when the closing line was seen and nothing of ours came behind it.
 */
#include <string.h>

#include "assay/model/script_reason.h"
#include "assay/reasons/parse.h"

#include "frame.h"

#define CLOSING "key-value end"

struct rows {
    struct frame frame;
    size_t before, behind; /* the closing line */
    bool closed;
};

/* "os.kernel": small letters, digits and underscores, with at least one dot between them. */
static bool is_name(struct slice name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_.";

    for (size_t i = 0; i < name.length; i++)
        if (memchr(letters, name.bytes[i], sizeof letters - 1) == NULL)
            return false;
    return name.length > 2 && slice_contains(name, ".") && name.bytes[0] != '.' &&
           name.bytes[name.length - 1] != '.';
}

/* Takes what stands before the next tab off the front, and the tab. */
static bool take_field(struct slice *rest, struct slice *ret_field)
{
    size_t tab = slice_find(*rest, "\t");

    if (tab == (size_t)-1)
        return false;
    *ret_field = (struct slice){rest->bytes, tab};
    *rest = slice_from(*rest, tab + 1);
    return true;
}

/* false: the line is no row of ours. */
static bool read_row(struct reading *reading, struct slice rest)
{
    struct slice name, subject, value, whole;
    const char *about;

    if (!take_field(&rest, &name) || !is_name(name) || !take_field(&rest, &subject))
        return false;
    about = utf8_clean(reading->arena, slice_trim(subject));
    whole = rest;
    if (!take_field(&rest, &value)) {
        reading_fact(reading, utf8_clean(reading->arena, name), about, slice_trim(rest));
        return true;
    }
    if (slice_trim(value).length == 0) {
        reading_finding(reading, SEVERITY_INFO,
                        arena_printf(reading->arena, "%s.unread", utf8_clean(reading->arena, name)), about,
                        script_reason(reading->arena, rest, script_sentences));
        return true;
    }
    if (script_sentence(whole, script_sentences) == NULL)
        return false;
    reading_fact_said(reading, utf8_clean(reading->arena, name), about,
                      script_reason(reading->arena, whole, script_sentences));
    return true;
}

static void read_line(void *state, struct slice line)
{
    struct rows *rows = state;

    if (slice_equal(line, CLOSING))
        rows->closed = true;
    else
        *(rows->closed ? &rows->behind : &rows->before) += read_row(rows->frame.reading, line);
}

static void end(void *state)
{
    struct rows *rows = state;

    if (rows->before + rows->behind == 0)
        frame_strange(&rows->frame);
    if (!rows->closed)
        reading_lacks(rows->frame.reading, REASON(closing_line_missing));
    if (rows->behind > 0)
        reading_lacks(rows->frame.reading, REASON(rows_behind_closing_line));
}

const struct parser parse_key_value = {
    .name = "key-value",
    .version = 1,
    .summary = "rows of name, subject and value that the checks' own command files print",
    .metrics = METRICS(
        {"os.clock_skew", "s", BETTER_LOWER,
         "how far the host's clock is off the controller's at least, as the check `os` computes it"},
        {"setup.free_space", "MiB", BETTER_HIGHER,
         "free space of a folder, as the check `setup` asks for it"},
        {"setup.file_limit", "", BETTER_HIGHER, "files that a login may have open, likewise"},
        {"space.size", "MiB", BETTER_LOWER, "what a folder takes, as the check `space` sums it up"},
        {"space.largest", "MiB", BETTER_LOWER, "the largest of what lies in a folder, likewise"},
        {"space.left", "MiB", BETTER_HIGHER, "free space of the folder's file system, likewise"},
        {"space.filled", "%", BETTER_LOWER, "how much of that file system is used, likewise"},
        {"space.used_most", "%", BETTER_LOWER, "the fullest of the host's own file systems, likewise"},
        {"space.inodes_used_most", "%", BETTER_LOWER, "the same of inodes"},
        {"line.loss", "%", BETTER_LOWER,
         "small packets that did not come back, as the check `line` counts them"},
        {"line.latency", "us", BETTER_LOWER, "of those that did, there and back"},
        {"line.jitter", "us", BETTER_LOWER,
         "how much one of them differs from the one before, in the median"},
        {"object.bandwidth", "GB/s", BETTER_HIGHER,
         "of an object store, of all streams together, as the check `object-store` tells it", true},
        {"object.latency", "us", BETTER_LOWER, "of a small object of it, likewise", true},
        {"power.phase", "ms", BETTER_LOWER,
         "of a host whose GPUs are loaded at agreed moments: how far its load may have been from them, at most"},
        {"power.host_clock", "MHz", BETTER_HIGHER,
         "of a host at work: of the GPU whose SMs' clock was lowest", true, false, true},
        {"power.swing", "W", BETTER_NEITHER, "of a host: at work less idle, of the GPU that swung least"},
        {"power.sum.ramp", "W/s", BETTER_NEITHER, "of all hosts together, from idle to full load"},
        {"power.sum.*", "W", BETTER_NEITHER, "of all hosts together: .on at work, .off idle between, .peak"},
        {"client.clock", "s", BETTER_LOWER,
         "how far the host's clock is off that of the first host at least, as storage-clients computes it"},
        {"client.late", "s", BETTER_LOWER, "how far from the second agreed on the host started, likewise"},
        {"client.*.bandwidth", "GB/s", BETTER_HIGHER, "of one host on a shared mount, beside the others",
         .members = true},
        {"client.*.iops", "", BETTER_HIGHER, "requests in a second, likewise", .members = true},
        {"client.*.files", "", BETTER_HIGHER, "files made, looked at or removed in a second, likewise"},
        {"shared.file", "s", BETTER_LOWER,
         "how long after one host had made a file another found it, as storage-shared computes it"},
        {"shared.line", "s", BETTER_LOWER, "the same of a line appended to it"},
        {"clients.*.bandwidth", "GB/s", BETTER_HIGHER, "the sum of so many hosts at once"},
        {"clients.*.iops", "", BETTER_HIGHER, "requests in a second, likewise"},
        {"clients.*.files", "", BETTER_HIGHER, "files in a second, likewise"},
        {"clients.*.knee", "", BETTER_HIGHER, "the number of hosts from which on the sum hardly grows"}),
    .grammar = GRAMMAR(.state_bytes = sizeof(struct rows), .flags = FRAME_RAW, .line = read_line, .end = end),
};
