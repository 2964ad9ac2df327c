/* SPDX-License-Identifier: Apache-2.0 */
#include "truth_fleet.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/model.h"
#include "dice.h"

/* The middle of what the sources of suites/baselines/hgx-h100.json measured on healthy hosts. Of host copies they give a
   limit only: 55 is what PCIe of generation 5 leaves of 63 GB/s. Of small messages any number does: there is no limit.

   Where they measured several healthy ones, of which the lowest and the highest are told, these lie as far apart as so many
   normal ones do on average: d2 standard deviations (NIST/SEMATECH e-Handbook 6.3.2). Copies are tables of a host's 56 pairs,
   d2 4.6; all_reduce is of 10 hosts and of four more, d2 3.4; host copies of three hosts of 8 GPUs, Azure's virtual machines
   among them, d2 3.9; left out is a table with 46.8 from device to host, which Azure's own gate of 48 calls faulty. */
static const struct nominal {
    const char *metric;
    double value;
    double lowest, highest, d2; /* of healthy ones; d2 0: not told */
    bool copy;                  /* the check repeats the number before it under another name */
    double most; /* a port's rate: where the scatter would make it faster, it is as fast as that; 0: none */
} nominals[] = {
    {"p2p.unidirectional.enabled", 379.5, 365, 394, 4.6, false},
    {"p2p.bidirectional.enabled", 757, 739, 775, 4.6, false},
    {"p2p.latency.gpu.enabled", 2.8, 2.3, 3.35, 4.6, false},
    {"nvbandwidth.host_to_device_memcpy_ce", 55, 52, 55.4, 3.9, false},
    {"nvbandwidth.device_to_host_memcpy_ce", 55, 52, 55.2, 3.9, false},
    {"nccl.all_reduce.busbw", 480, 478.9, 483, 3.4, false},
    {"nccl.all_gather.busbw", 320, 0, 0, 0, false}, /* over 10 to 16 hosts */
    {"rdma.write.bandwidth", 392, 0, 0, 0, false, 400},
    {"gpu_burn.gflops", 51500, 0, 0, 0, false},
    {"gpu_burn.float.gflops", 51500, 0, 0, 0, true},
    /* As one H100 had them: docs/guide/probes.md. */
    {"gpu_compute.bf16.8192.random.warm", 714, 0, 0, 0, false},
    {"gpu_compute.bf16.16384.random.warm", 710, 0, 0, 0, false},
    {"gpu_compute.fp16.8192.random.warm", 685, 0, 0, 0, false},
    {"gpu_compute.fp16.16384.random.warm", 686, 0, 0, 0, false},
    {"gpu_compute.fp8.8192.random.warm", 1166, 0, 0, 0, false},
    {"gpu_compute.fp8.16384.random.warm", 1255, 0, 0, 0, false},
    {"gpu_compute.tf32.8192.random.warm", 359, 0, 0, 0, false},
    {"gpu_compute.tf32.16384.random.warm", 375, 0, 0, 0, false},
    {"gpu_compute.fp64.8192.random.warm", 60, 0, 0, 0, false},
    {"gpu_compute.fp64.16384.random.warm", 64, 0, 0, 0, false},
    {"gpu_compute.int8.8192.random.warm", 1338, 0, 0, 0, false},
    {"gpu_compute.int8.16384.random.warm", 1308, 0, 0, 0, false},
};

static const struct nominal *nominal_of(const struct slot *slot)
{
    for (size_t i = 0; i < ARRAY_SIZE(nominals); i++)
        if (strcmp(nominals[i].metric, slot->metric) == 0)
            return &nominals[i];
    return NULL;
}

/* The plan's shapes are this program's own. */
static void keep_measured(const struct plan *plan)
{
    for (size_t i = 0; i < plan->shapes.count; i++) {
        struct shape *shape = (struct shape *)plan->shapes.items[i];
        size_t kept = 0;

        for (size_t k = 0; k < shape->slot_count; k++)
            if (nominal_of(&shape->slots[k]) != NULL)
                shape->slots[kept++] = shape->slots[k];
        shape->slot_count = kept;
    }
}

/* "gpu5->gpu2" and "gpu2->gpu5" are one path. */
static const char *part_name(struct arena *arena, const char *subject)
{
    const char *arrow = strpbrk(subject, "-<");
    const char *other = arrow != NULL ? arrow + 2 : NULL;

    if (other == NULL)
        return subject;
    if (strncmp(subject, other, strlen(other)) < 0)
        return arena_printf(arena, "%.*s %s", (int)(arrow - subject), subject, other);
    return arena_printf(arena, "%s %.*s", other, (int)(arrow - subject), subject);
}

/* Of each slot the place of its part among the shape's; returns how many there are. */
static size_t number_parts(struct arena *arena, const struct shape *shape, size_t *ret_numbers)
{
    const char **names = arena_array(arena, const char *, shape->slot_count + 1);
    size_t count = 0;

    for (size_t i = 0; i < shape->slot_count; i++) {
        const char *name = part_name(arena, shape->slots[i].subject);
        size_t k = 0;

        while (k < count && strcmp(names[k], name) != 0)
            k++;
        names[k] = name;
        count = k == count ? count + 1 : count;
        ret_numbers[i] = k;
    }
    return count;
}

/* "l12", "n12" -> 11 */
static size_t number_in(const char *name)
{
    uint64_t number = 1;

    (void)scan_u64(slice_of(name + 1), &number);
    return (size_t)number - 1;
}

static struct measurement *measured(struct attempt *attempt, const struct slot *slot)
{
    struct reading *reading = &attempt->reading;

    for (size_t i = 0; i < reading->measurements.count; i++) {
        struct measurement *measurement = &reading->measurements.items[i];

        if (strcmp(measurement->metric, slot->metric) == 0 &&
            strcmp(measurement->subject, slot->subject) == 0 &&
            strcmp(at_text(reading->arena, measurement), slot->at) == 0)
            return measurement;
    }
    return NULL;
}

/* The number of the part that was there before. */
static const double *number_of(const struct truth_fleet *fleet, size_t part)
{
    for (size_t i = fleet->values.count; i-- > 0;)
        if (fleet->values.items[i].parts[0] == part)
            return fleet->values.items[i].number;
    return NULL;
}

static void add_value(struct truth_fleet *fleet, struct attempt *attempt, const struct slot *slot,
                      const size_t *parts)
{
    const struct nominal *nominal = nominal_of(slot);
    struct measurement *measurement = measured(attempt, slot);
    const double *copy_of = nominal->copy ? number_of(fleet, parts[0]) : NULL;

    *list_push(fleet->run.record.arena, &fleet->values) = (struct truth_value){
        .number = &measurement->value,
        .nominal = nominal->value,
        .sign = metric_find(slot->metric)->better == BETTER_LOWER ? -1 : 1,
        .parts = {parts[0], parts[1]},
        .copy_of = copy_of,
        .most = nominal->most > 0 ? nominal->most : INFINITY,
        .measured = nominal->d2 > 0 ? log(nominal->highest / nominal->lowest) / nominal->d2 : 0,
        .share = 1};
}

static void add_parts(struct truth_fleet *fleet, size_t step, size_t count)
{
    for (size_t i = 0; i < count; i++)
        *list_push(fleet->run.record.arena, &fleet->parts) = (struct truth_part){.step = step};
}

enum { PAIR = 2 };

/* Of a step its parts, of which there are `count` by number_parts: those of the host, which are its own; of each of two hosts, which
   all pairs share and which begin with the first of them; or leaves. number: of the slot's. */
static void find_parts_of(const struct step *step, size_t leaves, size_t count, size_t first, size_t number,
                          size_t ret_parts[2])
{
    for (size_t k = 0; k < PAIR; k++)
        if (leaves > 0)
            ret_parts[k] = number_in(step->members[k]->leaf);
        else if (step->member_count == PAIR)
            ret_parts[k] = number_in(step->members[k]->name) * count + number;
        else
            ret_parts[k] = k == 0 ? first + number : TRUTH_NONE;
}

static void try_all(struct truth_fleet *fleet, size_t leaves)
{
    const struct plan *plan = fleet->run.record.plan;
    struct arena *arena = fleet->run.record.arena;
    size_t item = 0;

    add_parts(fleet, 0, leaves);
    fleet->of_item = arena_alloc(arena, fleet->run.items * sizeof *fleet->of_item);
    for (size_t i = 0; i < plan->steps.count; i++) {
        const struct step *step = &plan->steps.items[i];
        struct attempt *attempt = big_run_try(&fleet->run, i, true);
        size_t *numbers = arena_array(arena, size_t, step->shape->slot_count + 1), first = fleet->parts.count;
        size_t count = number_parts(arena, step->shape, numbers);

        if (leaves == 0 && step->member_count != PAIR)
            add_parts(fleet, i, count);
        else if (leaves == 0 && first == 0)
            add_parts(fleet, i, count * plan->hosts.count);
        for (size_t k = 0; k < step->shape->slot_count; k++, item++) {
            find_parts_of(step, leaves, count, first, numbers[k], fleet->of_item[item]);
            add_value(fleet, attempt, &step->shape->slots[k], fleet->of_item[item]);
        }
    }
}

void truth_fleet_make(struct arena *arena, size_t hosts, size_t hosts_per_leaf, const char *suite,
                      const char *const *steps, struct truth_fleet *ret_fleet)
{
    const char *hostfile = "";
    size_t leaves = hosts_per_leaf > 0 ? hosts / hosts_per_leaf : 0;

    *ret_fleet = (struct truth_fleet){0};
    for (size_t i = 0; i < leaves; i++)
        hostfile = arena_printf(arena, "%sn[%zu-%zu] platform=hgx-h100 slots=8 fabric=infiniband leaf=l%zu\n",
                                hostfile, i * hosts_per_leaf + 1, (i + 1) * hosts_per_leaf, i + 1);
    if (leaves == 0)
        hostfile = arena_printf(arena, "n[1-%zu] platform=hgx-h100 slots=8 fabric=infiniband\n", hosts);
    ret_fleet->leaves = leaves;
    big_run_plan(arena, hostfile, suite, steps, &ret_fleet->run);
    keep_measured(ret_fleet->run.record.plan);
    try_all(ret_fleet, leaves);
}

void truth_fleet_draw(struct truth_fleet *fleet, const struct truth_scatter *scatter, uint64_t *random)
{
    for (size_t i = 0; i < fleet->parts.count; i++) {
        struct truth_part *part = &fleet->parts.items[i];

        part->loss = 0;
        part->factor = scatter->spread * (scatter->within ? dice_uniform(random) - 0.5 : dice_normal(random));
    }
    for (size_t i = 0; i < fleet->values.count; i++) {
        struct truth_value *value = &fleet->values.items[i];
        double asked = hypot(scatter->noise, scatter->spread * (scatter->within ? 1 / sqrt(12) : 1));

        value->share = scatter->as_measured && value->measured > 0 ? fmin(1, value->measured / asked) : 1;
        value->noise = scatter->noise * dice_normal(random);
    }
}

static double level_of(const struct truth_fleet *fleet, size_t part, double share)
{
    return share * fleet->parts.items[part].factor + log1p(-fleet->parts.items[part].loss);
}

static void write_values(struct truth_fleet *fleet)
{
    for (size_t i = 0; i < fleet->values.count; i++) {
        struct truth_value *value = &fleet->values.items[i];
        double level = level_of(fleet, value->parts[0], value->share);

        if (value->parts[1] != TRUTH_NONE)
            level = fmin(level, level_of(fleet, value->parts[1], value->share));
        *value->number = value->copy_of != NULL
                             ? *value->copy_of
                             : fmin(value->most, value->nominal * exp(value->sign *
                                                                      (level + value->share * value->noise)));
    }
}

/* Whether the cause has the sentence, with that argument. */
static bool tells(struct arena *arena, const struct reason *cause, const struct sentence *sentence,
                  size_t argument, const char *text)
{
    if (cause == NULL)
        return false;
    if (reason_is_(cause, sentence) &&
        strcmp(reason_english(arena, reason_argument(arena, cause, argument)), text) == 0)
        return true;
    for (size_t i = 0; i < cause->count; i++)
        if (tells(arena, cause->arguments[i].reason, sentence, argument, text))
            return true;
    return false;
}

/* That a test between two leaves, or two hosts, is slow names neither: its cause does. ret_by_peers: whether peers name it. */
static bool names(const struct truth_fleet *fleet, struct arena *arena, size_t item, size_t side,
                  bool *ret_by_peers)
{
    const struct outcome *outcome = &fleet->judgement.outcomes[item];
    const struct step *step = &fleet->run.record.plan->steps.items[outcome->step];
    const char *host = step->members[side]->name, *subject = step->shape->slots[outcome->slot].subject;

    *ret_by_peers = outcome_stands_out(outcome);
    if (fleet->of_item[item][1] == TRUTH_NONE)
        return outcome->remark || outcome->word == OUTCOME_FAIL;
    if (fleet->leaves > 0)
        return tells(arena, outcome->cause, &sentence_leaf_slow_with_both, 2, step->members[side]->leaf);
    *ret_by_peers = tells(arena, outcome->cause, &sentence_below_peers, 1,
                          *subject == '\0' ? host : arena_printf(arena, "%s's %s", host, subject));
    return *ret_by_peers || tells(arena, outcome->cause, &sentence_slow_in_all_pairs, 2,
                                  *subject == '\0' ? host : arena_printf(arena, "%s %s", host, subject));
}

static void find_parts(struct truth_fleet *fleet, struct arena *arena)
{
    for (size_t i = 0; i < fleet->parts.count; i++)
        memset(fleet->parts.items[i].found, 0, sizeof fleet->parts.items[i].found);
    for (size_t i = 0; i < fleet->judgement.outcome_count; i++) {
        const struct outcome *outcome = &fleet->judgement.outcomes[i];

        for (size_t k = 0; k < 2 && fleet->of_item[i][k] != TRUTH_NONE; k++) {
            bool *found = fleet->parts.items[fleet->of_item[i][k]].found, by_peers;

            found[TRUTH_NAMED] |= names(fleet, arena, i, k, &by_peers);
            found[TRUTH_BY_PEERS] |= by_peers;
            found[TRUTH_FAILED] |= outcome->word == OUTCOME_FAIL;
        }
    }
}

void truth_fleet_judge(struct truth_fleet *fleet, struct arena *arena)
{
    struct record record = fleet->run.record;

    write_values(fleet);
    record.arena = arena;
    judge_run(&record, &fleet->run.sources.limits, "22222222-2222-4222-8222-222222222222");
    fleet->judgement = record.judgement;
    find_parts(fleet, arena);
}

void truth_figure(const char *name, const char *what, double value, const char *unit, enum truth_aim kind,
                  double aim)
{
    bool most = kind == AIM_MOST;

    if (kind == AIM_NONE)
        printf("bench truth %s.%s value=%.4g unit=%s aim=- met=-\n", name, what, value, unit);
    else
        printf("bench truth %s.%s value=%.4g unit=%s aim=%s%g met=%s\n", name, what, value, unit,
               most ? "<=" : ">=", aim, (most ? value <= aim : value >= aim) ? "yes" : "no");
    fflush(stdout);
}
