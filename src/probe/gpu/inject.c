/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/scan.h"
#include "memory.h"

static int unit_of(struct slice name)
{
    for (int unit = 0; unit < WORK_UNITS; unit++)
        if (slice_equal(name, work_names[unit]))
            return unit;
    return -1;
}

static bool number_of(struct slice text, uint64_t *ret_number)
{
    char buffer[32], *end;

    if (text.length == 0 || text.length >= sizeof buffer || text.bytes[0] == '-')
        return false;
    memcpy(buffer, text.bytes, text.length);
    buffer[text.length] = '\0';
    *ret_number = strtoull(buffer, &end, 0);
    return *end == '\0';
}

static bool take(struct injection *injection, struct slice key, struct slice value)
{
    uint64_t number = 0;

    if (slice_equal(key, "unit"))
        return (injection->unit = unit_of(value)) >= 0;
    if (!number_of(value, &number))
        return false;
    if (slice_equal(key, "gpu") && number < GPU_MOST)
        injection->gpu = (unsigned)number;
    else if (slice_equal(key, "host") && number < INT_MAX)
        injection->host = (int)number;
    else if (slice_equal(key, "sm") && number < GPU_SMS_MOST)
        injection->sm = (unsigned)number;
    else if (slice_equal(key, "lane") && number < WORK_WARPS * WORK_LANES)
        injection->lane = (int)number;
    else if (slice_equal(key, "bits") && number > 0 && number <= UINT32_MAX)
        injection->bits = (uint32_t)number;
    else if (slice_equal(key, "from"))
        injection->from = number;
    else if (slice_equal(key, "period") && number > 0)
        injection->period = number;
    else if (slice_equal(key, "one-in") && number > 0)
        injection->one_in = number;
    else if (slice_equal(key, "slow") && number < 100)
        injection->slow = (unsigned)number;
    else if (slice_equal(key, "offset")) {
        injection->offset = number;
        injection->in_memory = true;
    } else
        return false;
    return true;
}

int injection_parse(const char *text, struct injection *ret_injection, struct error *err)
{
    struct slice rest = slice_of(text);

    *ret_injection = (struct injection){
        .any = true, .host = -1, .unit = -1, .lane = -1, .bits = 1, .period = 1, .one_in = 1};
    while (rest.length > 0) {
        const char *comma = memchr(rest.bytes, ',', rest.length);
        struct slice word = {rest.bytes, comma != NULL ? (size_t)(comma - rest.bytes) : rest.length};
        const char *equals = memchr(word.bytes, '=', word.length);
        size_t at = equals != NULL ? (size_t)(equals - word.bytes) : word.length;

        if (equals == NULL || !take(ret_injection, (struct slice){word.bytes, at}, slice_from(word, at + 1)))
            return error_set(
                err, ERROR_USAGE,
                "--inject: '%.*s'; expected host=N, gpu=N, sm=N, unit=NAME, lane=N (of 128), bits=0x1000, "
                "from=ROUND, period=N, one-in=N, offset=BYTE or slow=PERCENT, commas between them",
                (int)word.length, word.bytes);
        rest = slice_from(rest, word.length + (comma != NULL));
    }
    return 0;
}

/* Chance is decided by the round, so that a run can be repeated. */
static bool is_its_turn(const struct injection *injection, uint64_t round)
{
    enum { SALT = 0x5dc };

    return round >= injection->from && (round - injection->from) % injection->period == 0 &&
           work_mix(round * 0x9e3779b97f4a7c15u + SALT) % injection->one_in == 0;
}

uint32_t injection_bits(const struct injection *injection, unsigned gpu, unsigned sm, enum work_unit unit,
                        unsigned lane, uint64_t round)
{
    if (!injection->any || injection->in_memory || injection->slow > 0 || gpu != injection->gpu ||
        sm != injection->sm || (injection->unit >= 0 && injection->unit != (int)unit) ||
        (injection->lane >= 0 && injection->lane != (int)lane) || !is_its_turn(injection, round))
        return 0;
    return injection->bits;
}

struct memory_fault injection_memory(const struct injection *injection, unsigned gpu)
{
    bool is_meant = injection->any && injection->in_memory && injection->gpu == gpu;

    return (struct memory_fault){injection->offset / sizeof(uint64_t), is_meant ? injection->bits : 0};
}

double injection_speed(const struct gpu_probe *probe, unsigned gpu)
{
    const struct injection *injection = &probe->options.injection;

    return injection->any && injection->gpu == gpu ? 1 - injection->slow / 100.0 : 1;
}
