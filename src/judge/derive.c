/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/judge/derive.h"
#include "assay/base/nearest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/robust.h"
#include "assay/base/text.h"
#include "assay/judge/peers.h"
#include "assay/model/sighting.h"
#include "assay/parse/parser.h"
#include "judge_private.h"

struct sample {
    const struct shape *shape;
    const struct slot *slot;
    const struct step *step;
    size_t record;
    double value;
};

/* What a run saw of its hosts' hardware; of the host i from first[i] to first[i + 1]. */
struct seen {
    struct sightings sightings;
    size_t *first;
};

struct work {
    struct arena *arena;
    const struct record *const *records;
    size_t count;
    const struct platform *platform;
    const struct baseline *base;
    struct seen *seen; /* of each record */
    LIST_OF(struct sample) samples;
    struct derivation *derivation;
};

/* --- which values --------------------------------------------------------------------------------------------------- */

static bool is_rate_or_latency(const char *unit)
{
    static const char *const units[] = {"GB/s", "Gb/s", "GFLOP/s", "TFLOP/s", "Mpps", "us"};

    return word_is_among(unit, units, ARRAY_SIZE(units));
}

/* What the check itself holds against a word or number of its own (the rate that a port has come up with) is known
   exactly and not measured. */
static bool is_measured(const struct slot *slot)
{
    const struct metric *metric = metric_find(slot->metric);

    if (metric == NULL || metric->better == BETTER_NEITHER || !is_rate_or_latency(metric->unit))
        return false;
    for (size_t i = 0; i < slot->own_count; i++)
        if (slot->own[i].rule != RULE_PLAUSIBLE && slot->own[i].rule != RULE_FLOOR &&
            slot->own[i].rule != RULE_CEILING)
            return false;
    return slot->size_bytes <= 0 || slot->duty == DUTY_GATE || slot->duty_note != NULL;
}

/* A part of a host that the judge remarked on, beside the same on other hosts or for a limit that can fail an item; "" the
   host as a whole. Of a remark on a pair both: which of them it is about stands in its text only. */
struct odd_part {
    const struct host *host;
    const char *place;
};
struct odd_parts {
    LIST_OF(struct odd_part) items;
};

static void find_odd(const struct work *work, const struct record *record, struct odd_parts *ret_odd)
{
    *ret_odd = (struct odd_parts){0};
    array_each (outcome, record->judgement.outcomes, record->judgement.outcome_count) {
        const struct step *step = &record->plan->steps.items[outcome->step];
        const char *ends[2];
        size_t count;

        if (!outcome->remark || strcmp(outcome->held->status, limit_status_name(LIMIT_GUESS)) == 0)
            continue;
        count = subject_ends(work->arena, step->shape->slots[outcome->slot].subject, ends);
        for (size_t k = 0; k < step->member_count; k++)
            for (size_t m = 0; m < (step->member_count == 1 ? count : 1); m++)
                *list_push(work->arena, &ret_odd->items) =
                    (struct odd_part){step->members[k], step->member_count == 1 ? ends[m] : ""};
    }
}

/* What an odd part took part in: its own values, and those of its whole host. */
static bool is_odd(const struct work *work, const struct odd_parts *odd, const struct step *step,
                   const char *subject)
{
    const char *ends[2];
    size_t count = odd->items.count > 0 ? subject_ends(work->arena, subject, ends) : 0;

    for (size_t i = 0; i < odd->items.count; i++)
        for (size_t k = 0; k < step->member_count; k++) {
            const struct odd_part *part = &odd->items.items[i];

            if (part->host != step->members[k])
                continue;
            if (*part->place == '\0' || step->member_count > 1)
                return true;
            for (size_t m = 0; m < count; m++)
                if (*ends[m] == '\0' || strcmp(ends[m], part->place) == 0)
                    return true;
        }
    return false;
}

static void take_record(struct work *work, size_t index)
{
    const struct record *record = work->records[index];
    const struct judgement *judgement = &record->judgement;
    struct odd_parts odd;

    find_odd(work, record, &odd);
    array_each (outcome, judgement->outcomes, judgement->outcome_count) {
        const struct step *step = &record->plan->steps.items[outcome->step];
        const struct slot *slot = &step->shape->slots[outcome->slot];

        if (step->origin != ORIGIN_SUITE || step_advises(step) ||
            strcmp(step->shape->platform, work->platform->name) != 0 ||
            (outcome->word != OUTCOME_PASS && outcome->word != OUTCOME_RECORDED) || !(outcome->value > 0) ||
            !is_measured(slot))
            continue;
        if (is_odd(work, &odd, step, slot->subject))
            work->derivation->remarked++;
        else
            *list_push(work->arena, &work->samples) =
                (struct sample){step->shape, slot, step, index, outcome->value};
    }
}

static int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

/* What one rack carries says nothing of two. A host stands in one. */
static unsigned racks_of(const struct shape *shape)
{
    return shape->hosts > 1 ? shape->racks : 0;
}

static int compare_keys(const struct sample *a, const struct sample *b)
{
    int order = strcmp(a->slot->metric, b->slot->metric);

    if (order == 0)
        order = compare_numbers(a->shape->hosts, b->shape->hosts);
    if (order == 0)
        order = compare_numbers(racks_of(a->shape), racks_of(b->shape));
    if (order == 0 && racks_of(a->shape) > 1)
        order = compare_numbers(a->shape->rack_hosts, b->shape->rack_hosts);
    return order != 0 ? order : compare_numbers(a->slot->size_bytes, b->slot->size_bytes);
}

static int compare_samples(const void *left, const void *right)
{
    const struct sample *a = left, *b = right;
    int order = compare_keys(a, b);

    if (order == 0)
        order = compare_numbers((double)a->record, (double)b->record);
    return order != 0 ? order : compare_numbers(a->value, b->value);
}

/* --- how many are independent --------------------------------------------------------------------------------------- */

struct names {
    LIST_OF(const char *) items;
};

static size_t distinct(struct names *names)
{
    size_t count = 0;

    if (names->items.count > 0)
        qsort(names->items.items, names->items.count, sizeof *names->items.items, text_compare);
    for (size_t i = 0; i < names->items.count; i++)
        count += i == 0 || strcmp(names->items.items[i], names->items.items[i - 1]) != 0;
    return count;
}

static void see(struct work *work, size_t index)
{
    const struct plan *plan = work->records[index]->plan;
    struct seen *seen = &work->seen[index];
    size_t next = 0;

    sightings_of_record(work->arena, work->records[index], &seen->sightings);
    seen->first = arena_array(work->arena, size_t, plan->hosts.count + 1);
    for (size_t i = 0; i <= plan->hosts.count; i++) {
        while (next < seen->sightings.items.count && seen->sightings.items.items[next].host < i)
            next++;
        seen->first[i] = next;
    }
}

/* What the run saw in that place, else where it is. */
static const char *identity_of(const struct work *work, size_t record, size_t host, const char *place)
{
    const struct seen *seen = &work->seen[record];

    for (size_t i = seen->first[host]; i < seen->first[host + 1]; i++) {
        const struct sighting *one = &seen->sightings.items.items[i];

        if (strcmp(one->position, place) == 0 && item_kind_is_hardware(one->kind))
            return one->identity;
    }
    return arena_printf(work->arena, "%s %s", work->records[record]->plan->hosts.items[host]->name, place);
}

/* Its place among the plan's; `near`: where to look first, that of the sample before. */
static size_t host_number(const struct plan *plan, const struct host *host, size_t near)
{
    for (size_t i = 0; i < plan->hosts.count; i++)
        if (plan->hosts.items[(near + i) % plan->hosts.count] == host)
            return (near + i) % plan->hosts.count;
    return PEERS_NONE;
}

/* By name and by what was seen there: a host may have another name or other parts later, and what was seen in one run
   may not have been looked at in another. The fewer counts. */
struct parts {
    struct names by_name, by_identity;
    size_t host; /* of the last one */
};

static void add_part(const struct work *work, struct parts *parts, size_t record, const struct host *host,
                     const char *place)
{
    const char *name = arena_printf(work->arena, "%s %s", host->name, place);
    size_t number = host_number(work->records[record]->plan, host, parts->host);

    *list_push(work->arena, &parts->by_name.items) = name;
    if (number == PEERS_NONE) { /* of a spare, which is not of the plan's hosts */
        *list_push(work->arena, &parts->by_identity.items) = name;
        return;
    }
    parts->host = number;
    *list_push(work->arena, &parts->by_identity.items) = identity_of(work, record, number, place);
}

static size_t count_parts(struct parts *parts)
{
    size_t by_name = distinct(&parts->by_name), by_identity = distinct(&parts->by_identity);

    return by_name < by_identity ? by_name : by_identity;
}

static void count_items(const struct work *work, const struct sample *samples, size_t count,
                        struct limit_measured *measured)
{
    struct parts hosts = {0}, parts = {0};
    size_t most = 1;

    for (size_t i = 0; i < count; i++) {
        const struct step *step = samples[i].step;
        const char *ends[2];
        size_t end_count = subject_ends(work->arena, samples[i].slot->subject, ends);

        for (size_t k = 0; k < step->member_count; k++)
            add_part(work, &hosts, samples[i].record, step->members[k], "");
        for (size_t k = 0; k < end_count && step->member_count == 1; k++) /* of a GPU's link that GPU */
            add_part(work, &parts, samples[i].record, step->members[0],
                     arena_strndup(work->arena, ends[k], strcspn(ends[k], ".")));
        most = end_count > most && step->member_count == 1 ? end_count : most;
    }
    measured->hosts = count_parts(&hosts);
    measured->n =
        samples->shape->hosts > 1 ? measured->hosts / samples->shape->hosts : count_parts(&parts) / most;
}

/* --- the figure ------------------------------------------------------------------------------------------------------ */

/* So that a document that is read again says the same. */
static double six_digits(double number)
{
    char text[32];
    double rounded = number;

    snprintf(text, sizeof text, "%.6g", number);
    return scan_double(slice_of(text), &rounded) ? rounded : number;
}

static double four_digits(double number, bool up)
{
    int shift = 3 - (int)floor(log10(number));
    double scale = pow(10, abs(shift)), whole = shift > 0 ? number * scale : number / scale;

    whole = up ? ceil(whole - 1e-9) : floor(whole + 1e-9);
    return shift > 0 ? whole / scale : whole * scale;
}

double derive_bound(const struct limit_measured *measured, bool ceiling)
{
    double sigma = fmax(ROBUST_SIGMAS_PER_MAD * measured->mad, PEERS_RESOLUTION * measured->median);
    double off = robust_tolerance_factor(measured->n, DERIVE_CHANCE, DERIVE_CONFIDENCE) * sigma;

    return ceiling ? measured->median + off : measured->median - off;
}

static void compute(const struct work *work, const struct sample *samples, size_t count,
                    struct derived *derived)
{
    double *values = arena_array(work->arena, double, count), bound;
    struct limit_measured *measured = &derived->measured;

    for (size_t i = 0; i < count; i++) {
        values[i] = samples[i].value;
        if (i == 0 || (derived->ceiling ? values[i] > derived->worst : values[i] < derived->worst))
            derived->worst = values[i];
    }
    count_items(work, samples, count, measured);
    measured->values = count;
    measured->median = robust_median(values, count);
    measured->mad = six_digits(robust_sigma(values, count, measured->median) / ROBUST_SIGMAS_PER_MAD);
    measured->median = six_digits(measured->median);
    derived->factor = robust_tolerance_factor(measured->n, DERIVE_CHANCE, DERIVE_CONFIDENCE);
    bound = derive_bound(measured, derived->ceiling);
    derived->value = derived->ceiling ? fmax(bound, derived->worst) : fmin(bound, derived->worst);
    if (derived->value != bound && !isnan(bound))
        derived->note = arena_printf(work->arena, "the worst accepted value, which is beyond %.5g", bound);
    derived->value = derived->value > 0 ? four_digits(derived->value, derived->ceiling) : (double)NAN;
}

/* --- what speaks against it ------------------------------------------------------------------------------------------ */

static const char *other_arguments(const struct work *work, const struct sample *samples, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (strcmp(samples[i].shape->sha256, samples[0].shape->sha256) != 0)
            return arena_printf(
                work->arena,
                "it was measured in different ways, as step %s of run %lld and step %s of run "
                "%lld, and a limit cannot tell these apart; give runs of one suite, or leave "
                "one of the steps out",
                samples[0].shape->suite_step, work->records[samples[0].record]->number,
                samples[i].shape->suite_step, work->records[samples[i].record]->number);
    return NULL;
}

static const char *too_few(const struct work *work, const struct derived *derived)
{
    const struct limit_measured *measured = &derived->measured;

    if (measured->n >= DERIVE_LEAST && measured->hosts >= DERIVE_LEAST_HOSTS)
        return NULL;
    return arena_printf(work->arena,
                        "too few: %zu independent item%s on %zu host%s, but %d on %d are needed; the same "
                        "hosts once more add none",
                        measured->n, measured->n == 1 ? "" : "s", measured->hosts,
                        measured->hosts == 1 ? "" : "s", DERIVE_LEAST, DERIVE_LEAST_HOSTS);
}

static const char *beyond_its_capacity(const struct work *work, const struct sample *samples, size_t count,
                                       const struct derived *derived)
{
    const struct capacity *rate =
        check_capacity(work->arena, work->platform, derived->metric, derived->hosts);

    if (rate == NULL || derived->ceiling)
        return NULL;
    if (strcmp(rate->unit, derived->unit) != 0)
        return arena_printf(work->arena, "it is measured in %s, and the most that it can reach is %s",
                            derived->unit, rate->text);
    for (size_t i = 0; i < count; i++)
        if (samples[i].value > rate->most)
            return arena_printf(
                work->arena,
                "a value of %.6g %s is more than platform %s can reach, %s; is a unit or factor "
                "wrong, or the platform file?",
                samples[i].value, derived->unit, work->platform->name, rate->text);
    return NULL;
}

/* The rate that a link has come up with, a size that is set. */
static const char *no_noise(const struct sample *samples, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (samples[i].value != samples[0].value)
            return NULL;
    return "all values are the same: it is set and not measured";
}

static const char *two_kinds(const struct work *work, const struct derived *derived)
{
    double off = fabs(derived->worst / derived->measured.median - 1);

    if (off <= DERIVE_FURTHEST)
        return NULL;
    return arena_printf(
        work->arena,
        "accepted values reach %.6g %s, %.0f%% beyond the median %.6g: these are two kinds of "
        "items, or a slow one was accepted",
        derived->worst, derived->unit, off * 100, derived->measured.median);
}

static const char *weaker(const struct work *work, const struct sample *samples, size_t count,
                          const struct derived *derived)
{
    for (size_t i = 0; i < count && work->base != NULL; i++) {
        const struct limit *limit =
            baseline_find(work->base, derived->metric, samples[i].slot->subject, samples[i].shape->scope,
                          derived->hosts, derived->racks, derived->rack_hosts, derived->size_bytes);

        if (limit == NULL || !limit_enforceable(limit))
            continue;
        if (limit->rule == (derived->ceiling ? RULE_CEILING : RULE_FLOOR) &&
            strcmp(limit->unit, derived->unit) == 0 &&
            (derived->ceiling ? derived->value < limit_gate(limit) : derived->value > limit_gate(limit)))
            continue;
        return arena_printf(
            work->arena, "%s %.6g %s would be no stricter than what %s has, %s (%s), which stays",
            derived->ceiling ? "ceiling" : "floor", derived->value, derived->unit, work->base->name,
            reason_english(work->arena, limit_text(work->arena, limit)), limit_status_name(limit->status));
    }
    return NULL;
}

static const char *why_not(const struct work *work, const struct sample *samples, size_t count,
                           const struct derived *derived)
{
    const char *why = other_arguments(work, samples, count);

    why = why != NULL ? why : beyond_its_capacity(work, samples, count, derived);
    why = why != NULL ? why : too_few(work, derived);
    why = why != NULL ? why : no_noise(samples, count);
    why = why != NULL ? why : two_kinds(work, derived);
    if (why == NULL && isnan(derived->value))
        why = "the noise is as large as what is measured";
    return why != NULL ? why : weaker(work, samples, count, derived);
}

void judge_derive(struct arena *arena, const struct record *const *records, size_t count,
                  const struct platform *platform, const struct baseline *base,
                  struct derivation *ret_derivation)
{
    struct work work = {.arena = arena,
                        .records = records,
                        .count = count,
                        .platform = platform,
                        .base = base,
                        .seen = arena_array(arena, struct seen, count),
                        .derivation = ret_derivation};

    *ret_derivation = (struct derivation){0};
    for (size_t i = 0; i < count; i++) {
        see(&work, i);
        take_record(&work, i);
    }
    if (work.samples.count == 0)
        return;
    qsort(work.samples.items, work.samples.count, sizeof *work.samples.items, compare_samples);
    for (size_t i = 0, next; i < work.samples.count; i = next) {
        const struct sample *samples = &work.samples.items[i];
        const struct metric *metric = metric_find(samples->slot->metric);
        struct derived *derived = list_push(arena, &ret_derivation->figures);

        for (next = i; next < work.samples.count && compare_keys(&work.samples.items[next], samples) == 0;)
            next++;
        *derived =
            (struct derived){.metric = samples->slot->metric,
                             .unit = metric->unit,
                             .hosts = samples->shape->hosts,
                             .racks = racks_of(samples->shape),
                             .rack_hosts = racks_of(samples->shape) > 1 ? samples->shape->rack_hosts : 0,
                             .size_bytes = samples->slot->size_bytes,
                             .ceiling = metric->better == BETTER_LOWER,
                             .note = ""};
        compute(&work, samples, next - i, derived);
        derived->refused = why_not(&work, samples, next - i, derived);
    }
}
