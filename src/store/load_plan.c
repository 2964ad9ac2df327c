/* SPDX-License-Identifier: Apache-2.0 */
/* Rows into the plan, pointers as in a fresh one: steps share shapes and hosts. */
#include <string.h>

#include "assay/reasons/any.h"
#include "store_private.h"

static const char *take_file(struct rows *rows, const struct host *host, const char *value)
{
    if (!host_is_file(value))
        rows_damage(rows, "the file of host %s is '%s'", host->name, value);
    return value;
}

static int load_labels(struct load *load, struct host *const *hosts, struct error *err)
{
    struct plan *plan = load->record->plan;
    struct rows rows;
    int got;

    if (rows_open(load->store, &rows, SELECT_LABELS, load->arena, NULL, err, INTEGER(load->record->number)) <
        0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0) {
        size_t n = take_index(&rows, plan->hosts.count, "host");
        const char *key, *value;

        if (rows.damage[0] != '\0')
            continue;
        key = take_text(&rows);
        value = take_text(&rows);
        if (strcmp(key, SCHEDULER_LABEL) == 0) {
            if (!host_scheduler_find(value, &hosts[n]->scheduler))
                rows_damage(&rows, "the scheduler of host %s is '%s'", hosts[n]->name, value);
        } else if (strcmp(key, FABRIC_LABEL) == 0) {
            hosts[n]->fabric = value;
        } else if (strcmp(key, MOUNTS_LABEL) == 0) {
            hosts[n]->mounts = value;
        } else if (strcmp(key, OBJECT_STORE_LABEL) == 0) {
            hosts[n]->object_store = value;
            if (!host_is_object_store(value))
                rows_damage(&rows, "the object store of host %s is '%s'", hosts[n]->name, value);
        } else if (strcmp(key, UPLINKS_LABEL) == 0) {
            hosts[n]->uplinks = take_file(&rows, hosts[n], value);
        } else if (strcmp(key, SWITCH_COUNTERS_LABEL) == 0) {
            hosts[n]->switch_counters = take_file(&rows, hosts[n], value);
        } else if (strcmp(key, PROBE_LABEL) == 0) {
            hosts[n]->probe = value;
            if (strcmp(value, "gpu") != 0)
                rows_damage(&rows, "the probe of host %s is '%s'", hosts[n]->name, value);
        } else if (strncmp(key, LINE_LABEL, strlen(LINE_LABEL)) == 0) {
            if (host_add_line(load->arena, hosts[n], key + strlen(LINE_LABEL), value) != NULL)
                rows_damage(&rows, "%s of host %s is '%s'", key, hosts[n]->name, value);
        } else if (strncmp(key, RAIL_LABEL, strlen(RAIL_LABEL)) != 0) {
            *list_push(load->arena, &hosts[n]->labels) = (struct host_label){key, value};
        } else if (host_add_rail(load->arena, hosts[n], key + strlen(RAIL_LABEL), value) != NULL) {
            rows_damage(&rows, "%s of host %s is '%s'", key, hosts[n]->name, value);
        }
    }
    return got;
}

static void take_host(struct rows *rows, struct host *host)
{
    host->name = take_text(rows);
    host->address = take_optional_text(rows);
    host->mpi_address = take_optional_text(rows);
    host->user = take_optional_text(rows);
    host->identity = take_optional_text(rows);
    host->jump = take_optional_text(rows);
    host->known_hosts = take_optional_text(rows);
    host->platform = take_optional_text(rows);
    host->unit = take_text(rows);
    host->rack = take_text(rows);
    host->leaf = take_text(rows);
    host->transport = take_text(rows);
    host->slots = take_unsigned(rows);
    host->port = take_unsigned(rows);
    host->role = (enum host_role)take_enum(rows, &vocabulary_role);
    host->become_root = take_bool(rows);
    host->timescale = take_real(rows);
    host->line = take_unsigned(rows);
    host->column = take_unsigned(rows);
}

static int load_hosts(struct load *load, struct error *err)
{
    struct plan *plan = load->record->plan;
    LIST_OF(struct host *) hosts = {0};
    struct rows rows;
    int got;

    if (rows_open(load->store, &rows, SELECT_HOSTS, load->arena, NULL, err, INTEGER(load->record->number)) <
        0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0) {
        struct host *host = arena_new(load->arena, struct host);

        take_host(&rows, host);
        *list_push(load->arena, &hosts) = host;
        *list_push(load->arena, &plan->hosts) = host;
    }
    return got < 0 ? -1 : load_labels(load, hosts.items, err);
}

/* As its column has it, for whoever hashes that. */
static const struct reason *note_as_kept(struct arena *arena, const char *word)
{
    struct reason_argument *argument;
    struct reason *kept;

    if (word == NULL || *word == '\0')
        return NULL;
    argument = arena_new(arena, struct reason_argument);
    kept = arena_new(arena, struct reason);
    argument->text = word;
    *kept = (struct reason){&sentence_text, 1, argument, 1};
    return kept;
}

static void take_source(struct load *load, const char *word, struct limit *limit)
{
    struct fact source = {.value = word};

    if (word != NULL && !load->as_kept)
        fact_decode(load->arena, word, &source);
    limit->source = source.value;
    limit->origin = source.said;
}

static void take_limit(struct load *load, struct rows *rows, struct limit *limit)
{
    limit->metric = take_word(rows);
    limit->subject = take_optional_word(rows);
    limit->scope = take_optional_word(rows);
    limit->hosts_min = take_unsigned(rows);
    limit->hosts_max = take_unsigned(rows);
    limit->size_min = take_real(rows);
    limit->size_max = take_real(rows);
    limit->rule = (enum limit_rule)take_enum(rows, &vocabulary_rule);
    limit->value = take_real(rows);
    limit->text = take_optional_text(rows);
    limit->tolerance = take_real(rows);
    limit->unit = take_optional_word(rows);
    take_source(load, take_optional_word(rows), limit);
    limit->status = (enum limit_status)take_enum(rows, &vocabulary_limit);
    limit->note =
        load->as_kept ? note_as_kept(load->arena, take_optional_word(rows)) : take_optional_reason_word(rows);
    limit->inconclusive = take_bool(rows);
    limit->most = take_real(rows);
}

/* As many of each slot as it was said to have: a limit without a metric is none. */
static int check_limits(struct load *load, const struct shape *shape, size_t taken, struct error *err)
{
    size_t said = 0;

    for (size_t i = 0; i < shape->slot_count; i++)
        said += shape->slots[i].own_count;
    if (said == taken)
        return 0;
    return store_damage(load->store, err, "step %s has %zu limits, and its slots say %zu", shape->suite_step,
                        taken, said);
}

/* The slots know how many there are; the rows come in the order of the slots. */
static int load_slot_limits(struct load *load, int64_t id, struct shape *shape, struct error *err)
{
    struct rows rows;
    struct limit *limits = NULL;
    size_t slot = 0, taken = 0, all = 0;
    int got;

    if (rows_open(load->store, &rows, SELECT_SLOT_LIMITS, load->arena, load->names, err, INTEGER(id)) < 0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0) {
        size_t n = take_index(&rows, shape->slot_count, "slot");

        if (rows.damage[0] != '\0')
            continue;
        if (limits == NULL || n != slot) {
            limits = arena_array(load->arena, struct limit, shape->slots[n].own_count);
            shape->slots[n].own = limits;
            taken = 0;
        }
        slot = n;
        if (taken == shape->slots[n].own_count) {
            rows_damage(&rows, "slot %zu has more limits than it had", n);
            continue;
        }
        take_limit(load, &rows, &limits[taken++]);
        all++;
    }
    return got < 0 ? -1 : check_limits(load, shape, all, err);
}

static int load_slots(struct load *load, int64_t id, struct shape *shape, struct error *err)
{
    LIST_OF(struct slot) slots = {0};
    struct rows rows;
    int got;

    if (rows_open(load->store, &rows, SELECT_SLOTS, load->arena, load->names, err, INTEGER(id)) < 0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0) {
        struct slot *slot = list_push(load->arena, &slots);

        slot->metric = take_word(&rows);
        slot->subject = take_word(&rows);
        slot->at = take_word(&rows);
        slot->size_bytes = take_real(&rows);
        slot->duty = (enum duty)take_enum(&rows, &vocabulary_duty);
        slot->duty_note =
            load->as_kept ? note_as_kept(load->arena, take_word(&rows)) : take_reason_word(&rows);
        slot->own_count = take_unsigned(&rows);
    }
    shape->slots = slots.items;
    shape->slot_count = slots.count;
    return got < 0 ? -1 : load_slot_limits(load, id, shape, err);
}

static int64_t take_shape(struct rows *rows, struct shape *shape)
{
    int64_t id = take_integer(rows);

    shape->sha256 = take_text(rows);
    shape->check = take_text(rows);
    shape->suite_step = take_text(rows);
    shape->scope = take_text(rows);
    shape->variant = take_text(rows);
    shape->platform = take_text(rows);
    shape->hosts = take_unsigned(rows);
    shape->expected_s = take_unsigned(rows);
    shape->timeout_s = take_unsigned(rows);
    shape->retries = take_unsigned(rows);
    shape->repeat = take_unsigned(rows);
    shape->exclusive = (enum exclusivity)take_enum(rows, &vocabulary_exclusivity);
    shape->as_root = take_bool(rows);
    shape->passive = take_bool(rows);
    shape->arguments = take_optional_text(rows);
    shape->retests = take_unsigned(rows);
    shape->repeat_for_s = take_unsigned(rows);
    return id;
}

static int load_shapes(struct load *load, struct error *err)
{
    struct plan *plan = load->record->plan;
    struct rows rows;
    int got;

    if (rows_open(load->store, &rows, SELECT_SHAPES, load->arena, NULL, err, INTEGER(load->record->number)) <
        0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0) {
        struct shape *shape = arena_new(load->arena, struct shape);
        int64_t id = take_shape(&rows, shape);

        *list_push(load->arena, &plan->shapes) = shape;
        *list_push(load->arena, &load->shapes) = shape;
        if (load_slots(load, id, shape, err) < 0) {
            rows_close(&rows);
            return -1;
        }
    }
    return got;
}

/* Gates and records that the step owes, and room for its members and needs. */
static void take_step(struct load *load, struct rows *rows, struct plan *plan)
{
    struct step *step = list_push(load->arena, &plan->steps);
    size_t shape;

    step->key = take_text(rows);
    shape = take_index(rows, plan->shapes.count, "shape");
    step->origin = (enum step_origin)take_enum(rows, &vocabulary_origin);
    step->origin_note = take_reason(rows);
    step->parent = take_index(rows, plan->steps.count, "parent");
    step->round = take_unsigned(rows);
    step->member_count = take_unsigned(rows);
    step->need_count = take_unsigned(rows);
    if (rows->damage[0] != '\0')
        return;
    step->shape = plan->shapes.items[shape];
    step->members = arena_array(load->arena, const struct host *, step->member_count);
    step->needs = step->need_count > 0 ? arena_array(load->arena, size_t, step->need_count) : NULL;
    for (size_t i = 0; i < step->shape->slot_count; i++)
        if (step->shape->slots[i].duty == DUTY_GATE)
            plan->gate_count++;
        else
            plan->record_count++;
}

static int load_members(struct load *load, struct error *err)
{
    struct plan *plan = load->record->plan;
    struct rows rows;
    int got;

    if (rows_open(load->store, &rows, SELECT_MEMBERS, load->arena, NULL, err, INTEGER(load->record->number)) <
        0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0) {
        size_t at = take_index(&rows, plan->steps.count, "step"), n, host;

        if (rows.damage[0] != '\0')
            continue;
        n = take_index(&rows, plan->steps.items[at].member_count, "member");
        host = take_index(&rows, plan->hosts.count, "host");
        if (rows.damage[0] == '\0')
            plan->steps.items[at].members[n] = plan->hosts.items[host];
    }
    return got;
}

/* Whoever looks at a step looks at its head, and at as many members as it says. */
static int check_members(struct load *load, struct error *err)
{
    const struct plan *plan = load->record->plan;

    for (size_t i = 0; i < plan->steps.count; i++) {
        const struct step *step = &plan->steps.items[i];
        size_t there = 0;

        while (there < step->member_count && step->members[there] != NULL)
            there++;
        if (there == 0 || there < step->member_count)
            return store_damage(load->store, err, "step %zu has %zu members, and says %zu", i, there,
                                step->member_count);
    }
    return 0;
}

static int load_needs(struct load *load, struct error *err)
{
    struct plan *plan = load->record->plan;
    struct rows rows;
    int got;

    if (rows_open(load->store, &rows, SELECT_NEEDS, load->arena, NULL, err, INTEGER(load->record->number)) <
        0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0) {
        size_t at = take_index(&rows, plan->steps.count, "step"), n, needs;

        if (rows.damage[0] != '\0')
            continue;
        n = take_index(&rows, plan->steps.items[at].need_count, "need");
        needs = take_index(&rows, at, "earlier step");
        if (rows.damage[0] == '\0')
            plan->steps.items[at].needs[n] = needs;
    }
    return got;
}

/*
 * Of steps of one shape it is the same wherever it matters, but for plans of versions that did not tell racks apart:
 * there the fewest, so that a step within a rack is not held to the less that is asked across racks.
 */
static void find_racks(struct load *load)
{
    const struct plan *plan = load->record->plan;

    for (size_t i = 0; i < plan->steps.count; i++) {
        const struct step *step = &plan->steps.items[i];
        unsigned racks = host_racks(step->members, step->member_count);
        unsigned fewest = host_racks_fewest(step->members, step->member_count);

        for (size_t k = 0; k < plan->shapes.count; k++) {
            struct shape *shape = load->shapes.items[k];

            if (plan->shapes.items[k] != step->shape)
                continue;
            if (shape->racks == 0 || racks < shape->racks)
                shape->racks = racks;
            if (fewest > shape->rack_hosts)
                shape->rack_hosts = fewest;
        }
    }
}

static int load_steps(struct load *load, struct error *err)
{
    struct plan *plan = load->record->plan;
    int64_t count = 0;
    struct rows rows;
    int got;

    if (store_ask(load->store, COUNT_STEPS, &count, err, INTEGER(load->record->number)) < 0 ||
        rows_open(load->store, &rows, SELECT_STEPS, load->arena, NULL, err, INTEGER(load->record->number)) <
            0)
        return -1;
    list_reserve(load->arena, &plan->steps, (size_t)count);
    while ((got = rows_next(&rows, err)) > 0)
        take_step(load, &rows, plan);
    if (got < 0 || load_members(load, err) < 0 || check_members(load, err) < 0)
        return -1;
    find_racks(load);
    return load_needs(load, err);
}

int load_plan(struct load *load, struct error *err)
{
    struct plan *plan = arena_new(load->arena, struct plan);

    plan->arena = load->arena;
    plan->run_uuid = load->record->uuid;
    load->record->plan = plan;
    if (load_hosts(load, err) < 0 || load_shapes(load, err) < 0)
        return -1;
    return load_steps(load, err);
}
