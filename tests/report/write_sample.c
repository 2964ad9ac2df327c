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
    bool beside;     /* a run without faults before it */
    bool whole;      /* with everything on paper */
    unsigned faults; /* on so many hosts a GPU that computes wrong results, */
    bool waived;     /* each of which is accepted */
} samples[] = {
    {"faulty", {.hosts = 8, .units = 2, .faults = true}},
    {"whole", {.hosts = 8, .units = 2, .faults = true}, .whole = true},
    {"worse", {.hosts = 8, .units = 2, .faults = true}, .beside = true},
    {"clean", {.hosts = 4, .units = 1}},
    {"waived", {.hosts = 16, .units = 1}, .faults = 9, .waived = true},
    {"crowded", {.hosts = 64, .units = 1}, .faults = 9},
    {"sixteen", {.hosts = 16, .units = 2, .faults = true}},
    {"hostile", {.hosts = 2, .units = 1, .hostile = true}},
    {"fleet", {.hosts = 208, .units = 26, .faults = true}},
    {"large", {.hosts = 256, .units = 4, .faults = true}},
    {"huge", {.hosts = 1250, .units = 10, .faults = true}},
};

/* With as much to say of each as any fault has. */
static void add_faults(struct record *record, unsigned hosts, bool waived)
{
    static const struct waiver waiver = {.uuid = "39ca58ea-f6c8-421d-bb17-d0bce0c8f91f",
                                         .who = "Li Wei",
                                         .why = "is exchanged with the next delivery of spare parts",
                                         .until = 1.8e9};
    struct judgement *judgement = &record->judgement;
    size_t last = (size_t)-1;

    for (size_t i = 0; i < judgement->outcome_count && hosts > 0; i++) {
        struct outcome *outcome = &judgement->outcomes[i];
        const struct step *step = &record->plan->steps.items[outcome->step];

        if (strcmp(step->shape->slots[outcome->slot].metric, "gpu_burn.errors") != 0 ||
            strcmp(step->shape->slots[outcome->slot].subject,
                   arena_printf(record->arena, "gpu%u", hosts % 8)) != 0 ||
            outcome->step == last)
            continue;
        last = outcome->step;
        outcome->word = OUTCOME_FAIL;
        outcome->value = 17 + hosts--;
        outcome->measured = reason_text(record->arena, arena_printf(record->arena, "%.0f", outcome->value));
        outcome->cause = outcome->measured;
        outcome->remedy = reason_text(
            record->arena,
            "find out which GPU it is by its serial number, reseat it and its cables, let it cool down, burn it "
            "again on its own for half an hour, and have it exchanged if it computes wrong results again; "
            "keep what it printed (`assay collect`), for whoever exchanges it asks for that");
        outcome->waiver = waived ? &waiver : NULL;
        judgement->verdicts[0].fail++;
        judgement->verdicts[0].pass--;
        judgement->verdicts[0].word = waived ? VERDICT_ACCEPT_WITH_EXCEPTIONS : VERDICT_REJECT;
    }
}

static struct record *record_of(struct arena *arena, size_t row)
{
    struct sample before = samples[row].sample;
    struct record *record = sample_record(arena, &samples[row].sample);

    add_faults(record, samples[row].faults, samples[row].waived);
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
            "usage: write_sample faulty|whole|worse|clean|waived|crowded|sixteen|hostile|fleet|large|huge FORMAT [en|zh]\n");
        arena_destroy(arena);
        return 64;
    }
    text_init(&out, (size_t)1 << 30);
    format->write(record_of(arena, i), language, &out);
    fwrite(out.bytes, 1, out.length, stdout);
    arena_destroy(arena);
    return out.clipped ? 70 : 0;
}
