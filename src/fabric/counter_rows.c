/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "assay/fabric/flows.h"
#include "readings.h"

void fabric_no_counters(struct arena *arena, const struct fabric *fabric,
                        struct fabric_counters *ret_counters)
{
    double **all[] = {&ret_counters->sent, &ret_counters->received, &ret_counters->errors};

    for (size_t k = 0; k < ARRAY_SIZE(all); k++) {
        *all[k] = arena_array(arena, double, fabric->ports.count);
        for (size_t i = 0; i < fabric->ports.count; i++)
            (*all[k])[i] = NAN;
    }
}

/* "-" is not told. */
static bool scan_count(struct slice *rest, double unit, double *ret_value)
{
    struct slice word;
    uint64_t count;

    if (!scan_word(rest, &word))
        return false;
    *ret_value = NAN;
    if (slice_equal(word, "-"))
        return true;
    if (!scan_u64(word, &count))
        return false;
    *ret_value = (double)count * unit;
    return true;
}

/* "2052 1 9127346 812347 0". What the fabric does not have came up since it was looked at. */
static bool read_row(const struct fabric *fabric, struct slice rest, struct fabric_counters *counters)
{
    struct slice lid, number;
    uint64_t lid_value, number_value;
    double sent, received, errors;
    uint32_t port;

    if (!scan_word(&rest, &lid) || !scan_word(&rest, &number) || !scan_u64(lid, &lid_value) ||
        !scan_u64(number, &number_value) || !scan_count(&rest, 32, &sent) ||
        !scan_count(&rest, 32, &received) || !scan_count(&rest, 1, &errors) || slice_trim(rest).length > 0)
        return false;
    port = fabric_find_port(fabric, lid_value, number_value);
    if (port == FABRIC_NONE)
        return true;
    counters->sent[port] = sent;
    counters->received[port] = received;
    counters->errors[port] = errors;
    return true;
}

int fabric_read_counter_rows(struct arena *arena, const struct fabric *fabric, const char *file,
                             struct slice text, struct fabric_counted_rounds *ret_counted, struct error *err)
{
    struct slice line;
    unsigned number = 0;

    *ret_counted = (struct fabric_counted_rounds){0};
    while (scan_line(&text, &line)) {
        size_t count = ret_counted->readings.count;

        number++;
        line = slice_trim(line);
        if (reading_begins(line, count))
            fabric_no_counters(arena, fabric, list_push(arena, &ret_counted->readings));
        else if (count == 0 || !read_row(fabric, line, &ret_counted->readings.items[count - 1]))
            return error_set(err, ERROR_USAGE,
                             "%s:%u: '%.*s': expected '# counters %zu' or 'LID PORT SENT RECEIVED ERRORS'",
                             file, number, (int)(line.length < 120 ? line.length : 120), line.bytes, count);
    }
    return slice_trim(text).length > 0 ? error_set(err, ERROR_USAGE, "%s: its last line breaks off", file)
                                       : 0;
}
