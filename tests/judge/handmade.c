/* SPDX-License-Identifier: Apache-2.0 */
#include "handmade.h"
#include "../unit_test.h"

#include <string.h>

static const struct limit floor_of_ten = {.metric = "score",
                                          .rule = RULE_FLOOR,
                                          .value = 10,
                                          .unit = "",
                                          .source = "by hand",
                                          .status = LIMIT_TOOL};

static const struct limit same_on_all = {
    .metric = "firmware", .rule = RULE_SAME, .source = "by hand", .status = LIMIT_TOOL};

static struct shape *add_shape(struct plan *plan, const char *name, const char *check, unsigned hosts,
                               const char *const *subjects, size_t count)
{
    struct shape *shape = arena_new(plan->arena, struct shape);

    *shape = (struct shape){.sha256 = name,
                            .check = check,
                            .suite_step = name,
                            .scope = hosts == 1 ? "host" : "group",
                            .variant = "",
                            .platform = "p",
                            .hosts = hosts,
                            .slots = arena_array(plan->arena, struct slot, count),
                            .slot_count = count,
                            .repeat = 1};
    for (size_t i = 0; i < count; i++)
        shape->slots[i] = (struct slot){.metric = "score",
                                        .subject = subjects[i],
                                        .at = "",
                                        .duty = DUTY_GATE,
                                        .own = &floor_of_ten,
                                        .own_count = 1};
    *list_push(plan->arena, &plan->shapes) = shape;
    return shape;
}

static struct step *add_step(struct plan *plan, const struct shape *shape, const char *place)
{
    struct step *step = list_push(plan->arena, &plan->steps);

    *step =
        (struct step){.key = arena_printf(plan->arena, "%s %s %s", plan->run_uuid, shape->suite_step, place),
                      .shape = shape,
                      .members = arena_array(plan->arena, const struct host *, plan->hosts.count)};
    return step;
}

static void add_unit(struct plan *plan, const char *unit)
{
    static const char *const subjects[] = {""};
    const struct host *members[64];
    struct step *step;
    size_t count = 0;

    for (size_t i = 0; i < plan->hosts.count; i++)
        if (strcmp(plan->hosts.items[i]->unit, unit) == 0)
            members[count++] = plan->hosts.items[i];
    if (count < 2)
        return;
    step = add_step(plan, add_shape(plan, "ring", "nccl-all-reduce", (unsigned)count, subjects, 1), unit);
    memcpy(step->members, members, count * sizeof *members);
    step->member_count = count;
}

static void add_hosts(struct plan *plan, const char *hosts)
{
    struct slice rest = slice_of(hosts), word;

    while (scan_word(&rest, &word)) {
        struct host *host = arena_new(plan->arena, struct host);
        const char *colon = memchr(word.bytes, ':', word.length);

        *host = (struct host){
            .name = arena_strndup(plan->arena, word.bytes, (size_t)(colon - word.bytes)),
            .unit = arena_strndup(plan->arena, colon + 1, word.length - (size_t)(colon + 1 - word.bytes)),
            .rack = "",
            .leaf = "",
            .timescale = 1};
        *list_push(plan->arena, &plan->hosts) = host;
    }
}

struct plan *handmade_plan(struct arena *arena, const char *hosts)
{
    static const char *const gpus[] = {"gpu0", "gpu1"}, *const hcas[] = {"mlx5_0", "mlx5_0"};
    struct plan *plan = arena_new(arena, struct plan);
    const struct shape *burn, *ports;

    plan->arena = arena;
    plan->run_uuid = "plan";
    add_hosts(plan, hosts);
    burn = add_shape(plan, "burn", "gpu-burn", 1, gpus, 2);
    ports = add_shape(plan, "ports", "ib-port", 1, hcas, 2);
    ports->slots[1].metric = "firmware";
    ports->slots[1].own = &same_on_all;
    for (size_t i = 0; i < plan->hosts.count; i++)
        for (int k = 0; k < 2; k++) {
            struct step *step = add_step(plan, k == 0 ? burn : ports, plan->hosts.items[i]->name);

            step->members[0] = plan->hosts.items[i];
            step->member_count = 1;
        }
    for (size_t i = 0; i < plan->hosts.count; i++) {
        bool first = true;

        for (size_t k = 0; k < i; k++)
            first &= strcmp(plan->hosts.items[k]->unit, plan->hosts.items[i]->unit) != 0;
        if (first)
            add_unit(plan, plan->hosts.items[i]->unit);
    }
    return plan;
}

struct record *handmade_run(struct arena *arena, const char *hosts, double began)
{
    struct record *record = arena_new(arena, struct record);

    *record = (struct record){.arena = arena,
                              .number = (long long)began,
                              .uuid = arena_printf(arena, "run at %g", began),
                              .state = RUN_ENDED,
                              .started = began,
                              .ended = began + 100,
                              .plan = handmade_plan(arena, hosts)};
    record->plan->run_uuid = record->uuid;
    for (size_t i = 0; i < record->plan->steps.count; i++)
        record->plan->steps.items[i].key =
            arena_printf(arena, "%s %s", record->uuid, record->plan->steps.items[i].key);
    return record;
}

size_t handmade_step(const struct plan *plan, const char *name, const char *host)
{
    for (size_t i = 0; i < plan->steps.count; i++)
        for (size_t k = 0; k < plan->steps.items[i].member_count; k++)
            if (strcmp(plan->steps.items[i].shape->suite_step, name) == 0 &&
                strcmp(plan->steps.items[i].members[k]->name, host) == 0)
                return i;
    fail_msg("no step %s on %s", name, host);
    return 0;
}

struct attempt *handmade_try_subject(struct record *record, const char *step, const char *host, double score,
                                     const char *subject, double other)
{
    size_t index = handmade_step(record->plan, step, host);
    const struct shape *shape = record->plan->steps.items[index].shape;
    struct attempt *attempt = list_push(record->arena, &record->attempts);
    double began = record->started + (double)record->attempts.count;

    *attempt = (struct attempt){
        .step = index,
        .n = 1,
        .uuid = arena_printf(record->arena, "%s attempt %zu", record->uuid, record->attempts.count),
        .state = ATTEMPT_ENDED,
        .end = ATTEMPT_RAN,
        .began = began,
        .ended = began + 1};
    reading_init(&attempt->reading, record->arena, "by hand");
    for (size_t i = 0; i < shape->slot_count; i++)
        if (shape->slots[i].own_count > 0 && shape->slots[i].own[0].rule == RULE_FLOOR)
            reading_measure(&attempt->reading, shape->slots[i].metric, shape->slots[i].subject,
                            strcmp(shape->slots[i].subject, subject) == 0 ? other : score, "");
    if (strcmp(step, "ports") == 0)
        reading_fact(&attempt->reading, "firmware", "mlx5_0", slice_of("28.1"));
    reading_set(&attempt->reading, READING_COMPLETE, NULL);
    return attempt;
}

struct attempt *handmade_try(struct record *record, const char *step, const char *host, double score)
{
    return handmade_try_subject(record, step, host, score, "nobody", 0);
}

void handmade_see(struct record *record, struct attempt *attempt, const char *tool, const char *fact,
                  const char *subject, const char *value)
{
    struct part *part = list_push(record->arena, &attempt->parts);

    *part = (struct part){.name = "main", .command = tool, .began = true, .ended = true};
    reading_init(&part->reading, record->arena, arena_strdup(record->arena, tool));
    reading_fact(&part->reading, fact, subject, slice_of(value));
    reading_set(&part->reading, READING_COMPLETE, NULL);
}

void handmade_judge(struct record *record)
{
    struct suite *suite = arena_new(record->arena, struct suite);
    struct run_limits limits = {.suite = suite};

    judge_run(record, &limits, "judgement");
}
