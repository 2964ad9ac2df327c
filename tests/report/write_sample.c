/* SPDX-License-Identifier: Apache-2.0 */
/* write_sample NAME FORMAT [LANGUAGE]: the report of one of the samples on stdout; for the browser test and for eyes. */
#include <stdio.h>
#include <string.h>

#include "assay/report/report.h"
#include "sample_earlier.h"
#include "sample_record.h"

static const struct {
    const char *name;
    struct sample sample;
    bool beside; /* a run without faults before it */
    bool whole;  /* with everything on paper */
} samples[] = {
    {"faulty", {.hosts = 8, .units = 2, .faults = true}},
    {"whole", {.hosts = 8, .units = 2, .faults = true}, .whole = true},
    {"worse", {.hosts = 8, .units = 2, .faults = true}, .beside = true},
    {"clean", {.hosts = 4, .units = 1}},
    {"sixteen", {.hosts = 16, .units = 2, .faults = true}},
    {"hostile", {.hosts = 2, .units = 1, .hostile = true}},
    {"fleet", {.hosts = 208, .units = 26, .faults = true}},
    {"large", {.hosts = 256, .units = 4, .faults = true}},
    {"huge", {.hosts = 1250, .units = 10, .faults = true}},
};

static struct record *record_of(struct arena *arena, size_t row)
{
    struct sample before = samples[row].sample;
    struct record *record = sample_record(arena, &samples[row].sample);

    before.faults = false;
    record->appendices = samples[row].whole ? ~0U : 0;
    return samples[row].beside ? sample_beside(arena, sample_record(arena, &before), record) : record;
}

int main(int argc, char **argv)
{
    const struct report_format *format = argc >= 3 ? report_format_find(argv[2]) : NULL;
    enum report_language language = LANGUAGE_EN;
    bool known = argc == 3 || (argc == 4 && report_language_find(argv[3], &language));
    struct arena *arena = arena_create();
    cleanup_text struct text out = {0};
    size_t i = 0;

    while (i < ARRAY_SIZE(samples) && (!known || strcmp(samples[i].name, argv[1]) != 0))
        i++;
    if (format == NULL || i == ARRAY_SIZE(samples)) {
        fprintf(
            stderr,
            "usage: write_sample faulty|whole|worse|clean|sixteen|hostile|fleet|large|huge FORMAT [en|zh]\n");
        arena_destroy(arena);
        return 64;
    }
    text_init(&out, (size_t)1 << 30);
    format->write(record_of(arena, i), language, &out);
    fwrite(out.bytes, 1, out.length, stdout);
    arena_destroy(arena);
    return out.clipped ? 70 : 0;
}
