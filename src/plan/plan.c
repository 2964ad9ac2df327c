/* SPDX-License-Identifier: Apache-2.0 */
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "assay/base/sha256.h"
#include "assay/model/advice.h"
#include "assay/model/idle_gates.h"
#include "assay/reasons/any.h"
#include "assay/reasons/model.h"
#include "assay/reasons/plan.h"
#include "plan_private.h"

enum {
    TIMEOUT_FACTOR = 2,  /* a test may last so many times as long as expected, */
    TIMEOUT_BASE_S = 60, /* and this much more, before it counts as a hang */
    WINDOW_S = 30,       /* what is read before and after a test takes about so long */
};

static const char *platform_word(const struct plan_sources *sources, const struct host *host)
{
    return host->platform != NULL ? host->platform : sources->suite->platform;
}

/* By name, or by the path of a file that is called as the platform: ./racks/mine.json is mine. */
static bool is_called(const struct platform *platform, const char *word)
{
    const char *slash = strrchr(word, '/'), *file = slash != NULL ? slash + 1 : word;
    size_t length = strlen(platform->name);

    return strcmp(platform->name, word) == 0 ||
           (strncmp(platform->name, file, length) == 0 && strcmp(file + length, ".json") == 0);
}

const struct platform *host_platform(const struct plan_sources *sources, const struct host *host)
{
    for (size_t i = 0; i < sources->platforms.count; i++)
        if (is_called(sources->platforms.items[i], platform_word(sources, host)))
            return sources->platforms.items[i];
    return NULL;
}

static bool same_bytes(struct slice a, struct slice b)
{
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

/* Another document of that name would size the plan of hosts that did not ask for it. */
static int add_platform(struct arena *arena, const struct platform *platform, const char *word,
                        struct plan_sources *sources, struct error *err)
{
    if (!is_called(platform, word))
        return error_set(err, ERROR_USAGE,
                         "%s: the platform's name is '%s'; expected the file's, or call the file %s.json",
                         word, platform->name, platform->name);
    for (size_t i = 0; i < sources->platforms.count; i++)
        if (strcmp(sources->platforms.items[i]->name, platform->name) == 0)
            return same_bytes(sources->platforms.items[i]->bytes, platform->bytes)
                       ? 0
                       : error_set(err, ERROR_USAGE,
                                   "%s: another platform of this run is called '%s' too, and says otherwise; "
                                   "expected "
                                   "a name of its own",
                                   word, platform->name);
    *list_push(arena, &sources->platforms) = platform;
    return 0;
}

struct words {
    LIST_OF(const char *) words; /* by which platforms were called so far */
};

static int load_platform(struct arena *arena, const struct hostfile *hostfile, const struct host *host,
                         struct words *known, struct plan_sources *sources, struct error *err)
{
    const char *word = platform_word(sources, host);
    const struct platform *platform;

    if (word == NULL)
        return error_set(
            err, ERROR_USAGE,
            "%s:%u:%u: host '%s' has no platform; expected platform=NAME on its line or on the defaults "
            "line, or \"platform\" in the suite",
            hostfile->path, host->line, host->column, host->name);
    for (size_t i = 0; i < known->words.count; i++)
        if (strcmp(known->words.items[i], word) == 0)
            return 0;
    *list_push(arena, &known->words) = word;
    platform = platform_load(arena, word, err);
    if (platform == NULL)
        return error_wrap(err, "%s:%u:%u: host '%s'", hostfile->path, host->line, host->column, host->name);
    return add_platform(arena, platform, word, sources, err);
}

/* Those of all hosts; of the hosts of one line what is wrong is told once. */
static int load_platforms(struct arena *arena, const struct hostfile *hostfile, struct plan_sources *sources,
                          struct error *err)
{
    struct words known = {0};
    unsigned told = 0;

    error_clear(err);
    list_each (host, hostfile->hosts) {
        struct error one = {0};

        if (host->line == told || load_platform(arena, hostfile, host, &known, sources, &one) == 0)
            continue;
        (void)error_join(err, &one);
        told = host->line;
    }
    return told == 0 ? 0 : -1;
}

/* Those that the suite names; else the built-in ones, where a step goes by them. */
static int load_advisories(struct arena *arena, struct plan_sources *sources, struct error *err)
{
    const struct suite *suite = sources->suite;
    static const char *const built_in[] = {"nvidia", "support"};
    const char *const *names = suite->advisories.items;
    size_t count = suite->advisories.count;

    for (size_t i = 0; i < suite->steps.count && count == 0; i++) {
        const struct check *check = check_find(suite->steps.items[i].check);

        if (check != NULL && check->advisories) {
            names = built_in;
            count = ARRAY_SIZE(built_in);
        }
    }
    for (size_t i = 0; i < count; i++) {
        const struct advisories *table = advisories_load(arena, names[i], err);

        if (table == NULL)
            return -1;
        *list_push(arena, &sources->advisories.items) = table;
    }
    return 0;
}

int plan_sources_load(struct arena *arena, const struct hostfile *hostfile, const struct suite *suite,
                      const char *baseline, struct plan_sources *ret_sources, struct error *err)
{
    const struct baseline *asked;

    *ret_sources = (struct plan_sources){.hostfile = hostfile, .suite = suite, .limits.suite = suite};
    if (load_platforms(arena, hostfile, ret_sources, err) < 0 || load_advisories(arena, ret_sources, err) < 0)
        return -1;
    for (size_t i = 0; i < ret_sources->platforms.count; i++) {
        const struct platform *platform = ret_sources->platforms.items[i];

        *list_push(arena, &ret_sources->limits.baselines) =
            platform_baseline(arena, platform, baseline_for_platform(arena, platform));
    }
    if (baseline == NULL)
        return 0;
    asked = baseline_load(arena, baseline, err);
    return asked != NULL ? run_limits_take(arena, &ret_sources->limits, asked, err) : -1;
}

bool in_list(const struct hostlist *list, const char *name)
{
    return list == NULL || hostlist_has(list, name);
}

bool matches_any(const char *const *patterns, size_t count, const char *metric)
{
    for (size_t i = 0; i < count; i++)
        if (fnmatch(patterns[i], metric, 0) == 0)
            return true;
    return false;
}

static bool has_enforceable(struct arena *arena, const struct run_limits *limits, const struct shape *shape,
                            const struct slot *slot)
{
    struct slot_limits of_slot;

    slot_limits_find(arena, limits, shape, slot, &of_slot);
    return slot_limits_enforceable(&of_slot);
}

static void set_duty(struct arena *arena, const struct run_limits *limits, const struct suite_step *step,
                     const struct shape *shape, struct slot *slot)
{
    /* That a command ended as it should is always a gate: nothing else of the step stands without it. */
    if (strcmp(slot->metric, SOUND_METRIC) == 0)
        return;
    if (matches_any(step->gate.items, step->gate.count, slot->metric))
        slot->duty = DUTY_GATE;
    /* What the parties agreed on is judged, whatever check and suite would make of it. */
    if (contract_limit(limits, shape, slot) != NULL) {
        slot->duty = DUTY_GATE;
        return;
    }
    if (slot->duty == DUTY_GATE && matches_any(step->record.items, step->record.count, slot->metric)) {
        slot->duty = DUTY_RECORD;
        slot->duty_note = REASON(only_recorded_by_suite);
    }
    if (slot->duty == DUTY_GATE &&
        matches_any(step->record_without_limit.items, step->record_without_limit.count, slot->metric) &&
        !has_enforceable(arena, limits, shape, slot)) {
        slot->duty = DUTY_RECORD;
        slot->duty_note = REASON(recorded_without_limit);
    }
}

/* What goes over adapters alone is the same within a rack and across: told apart, pairs on few racks would have too few
   peers. */
static bool is_of_racks(const struct check_context *context)
{
    return context->platform->nvlink_domain_hosts > 1 && context->check->on != ON_HCAS;
}

static const char *shape_hash(struct arena *arena, const struct shape *shape)
{
    struct sha256 *hash = sha256_create();
    char hex[SHA256_HEX_SIZE];
    const char *head =
        arena_printf(arena, "%s\n%s\n%s\n%s\n%s\n%u\n%s\n", shape->check, shape->suite_step, shape->scope,
                     shape->variant, shape->platform, shape->hosts, exclusivity_name(shape->exclusive));

    sha256_add(hash, head, strlen(head));
    /* Where NVLinks join the hosts of a rack, steps over several racks are another shape. */
    if (shape->racks > 1) {
        bool even = shape->racks * shape->rack_hosts == shape->hosts;
        const char *racks = even ? arena_printf(arena, "%u racks\n", shape->racks)
                                 : arena_printf(arena, "%u racks, %u hosts in the smallest\n", shape->racks,
                                                shape->rack_hosts);

        sha256_add(hash, racks, strlen(racks));
    }
    if (shape->arguments != NULL)
        sha256_add(hash, shape->arguments, strlen(shape->arguments) + 1);
    array_each (slot, shape->slots, shape->slot_count) {
        const char *row = arena_printf(arena, "%s\t%s\t%s\t%s\n", slot->metric, slot->subject, slot->at,
                                       duty_name(slot->duty));

        sha256_add(hash, row, strlen(row));
    }
    sha256_finish(hash, hex);
    return arena_strdup(arena, hex);
}

double plan_step_s(const struct step *step)
{
    const struct shape *shape = step->shape;
    const struct check *check = check_find(shape->check);
    double once = step_expected_s(step), owed = step_repeat_for_s(step);
    /* Of a slice the windows are no work. */
    double work = once * (check != NULL && check->window && shape->expected_s > WINDOW_S
                              ? 1 - (double)WINDOW_S / shape->expected_s
                              : 1);

    return shape->repeat_for_s > 0 ? ceil(owed / work) * once : once * shape->repeat;
}

static bool runs_over_the_same(const struct suite_step *a, const struct suite_step *b)
{
    return strcmp(a->scope, b->scope) == 0 && a->by_size == b->by_size &&
           strcmp(a->by != NULL ? a->by : "", b->by != NULL ? b->by : "") == 0;
}

/* Steps above host scope share the fabric: those within one leaf leave the others alone, where the hostfile
   declares leaves. */
static enum exclusivity exclusivity_of(const struct check_context *context)
{
    const struct suite_step *step = context->step;
    enum exclusivity exclusive = EXCLUSIVE_LEAF;

    if (step->exclusive != NULL && exclusivity_parse(step->exclusive, &exclusive))
        return exclusive;
    if (strcmp(step->scope, "host") == 0 || context->check->exclusive == EXCLUSIVE_NONE)
        return context->check->exclusive;
    if (strcmp(step->scope, "cluster") == 0)
        return EXCLUSIVE_FABRIC;
    for (size_t i = 0; i < context->member_count; i++)
        if (*context->members[i]->leaf == '\0' ||
            strcmp(context->members[i]->leaf, context->members[0]->leaf) != 0)
            return EXCLUSIVE_FABRIC;
    return EXCLUSIVE_LEAF;
}

/* At timescale 1, of which simulated hosts have their part. */
static unsigned timeout_of(const struct check_context *context, unsigned expected_s)
{
    struct check_context lab = *context;
    double needed_s = expected_s;

    lab.timescale = context->members[0]->timescale;
    if (lab.timescale > 1 && context->check->turns_s != NULL)
        needed_s = fmax(needed_s, context->check->turns_s(&lab) * lab.timescale);
    return (unsigned)ceil(needed_s) * TIMEOUT_FACTOR + TIMEOUT_BASE_S;
}

/* What a step would owe if it stood alone. */
static struct shape *shape_of(struct arena *arena, const struct plan_sources *sources,
                              const struct check_context *context)
{
    const struct check *check = context->check;
    const struct suite_step *step = context->step;
    struct shape *shape = arena_new(arena, struct shape);
    struct slot_list slots = {0};
    unsigned by_platform = platform_time(context->platform, check->name);

    shape->check = check->name;
    shape->suite_step = step->name;
    shape->scope = step->scope;
    shape->variant = context->variant;
    shape->platform = context->platform->name;
    shape->hosts = (unsigned)context->member_count;
    shape->racks = is_of_racks(context) ? host_racks(context->members, context->member_count) : 0;
    shape->rack_hosts = is_of_racks(context) ? host_racks_fewest(context->members, context->member_count) : 0;
    shape->expected_s = step->expected_s > 0 ? step->expected_s
                        : by_platform > 0    ? by_platform
                                             : check_expected_s(context);
    shape->timeout_s = step->timeout_s > 0 ? step->timeout_s : timeout_of(context, shape->expected_s);
    /* The window's two readings, and what a host needs to cool down: they have deadlines of their own. */
    if (check->window)
        shape->expected_s += WINDOW_S;
    shape->retries = step->retries;
    shape->repeat = step->repeat;
    shape->repeat_for_s = step->repeat_for_s;
    shape->retests = step->retests;
    shape->passive = check->passive;
    /* mpirun goes from host to host as the login user, who has the keys for it. What needs no list of the hosts stays
       on the head. */
    shape->as_root = (check->as_root || (check->root_asked != NULL && check->root_asked(context))) &&
                     (strcmp(step->scope, "host") == 0 || check->hosts_file == NULL);
    shape->exclusive = exclusivity_of(context);
    check_slots(context, &slots);
    shape->slots = slots.slots.items;
    shape->slot_count = slots.slots.count;
    for (size_t i = 0; i < shape->slot_count; i++)
        set_duty(arena, &sources->limits, step, shape, &shape->slots[i]);
    return shape;
}

/* A step of the suite over the same hosts whose bandwidth, which is judged, is what the fabric carries. */
static bool has_wire_beside(struct arena *arena, const struct plan_sources *sources,
                            const struct check_context *context)
{
    list_each (step, sources->suite->steps) {
        struct check_context other = *context;
        const struct shape *shape;

        other.step = step;
        other.check = check_find(step->check);
        if (other.check == NULL || step->variants.count > 0 || !runs_over_the_same(step, context->step) ||
            !plan_applies(arena, sources, step, context->platform, NULL))
            continue;
        shape = shape_of(arena, sources, &other);
        for (size_t k = 0; k < shape->slot_count; k++) {
            unsigned wire_hosts = check_wire_hosts(shape->slots[k].metric);

            if (shape->slots[k].duty == DUTY_GATE && wire_hosts > 0 && wire_hosts <= context->member_count)
                return true;
        }
    }
    return false;
}

/* Two hosts' all_reduce, whoever measures it, may show more than the fabric can do, and pass over a slow one. */
static void judge_not_alone(struct arena *arena, const struct plan_sources *sources,
                            const struct check_context *context, struct shape *shape)
{
    for (size_t i = 0; i < shape->slot_count && context->member_count > 1; i++)
        if (shape->slots[i].duty == DUTY_GATE &&
            context->member_count < check_wire_hosts(shape->slots[i].metric) &&
            !has_wire_beside(arena, sources, context)) {
            shape->slots[i].duty = DUTY_RECORD;
            shape->slots[i].duty_note = REASON(recorded_on_two_hosts);
        }
}

/* A part of another step judges nothing, and neither does a variant: not even that it ended as it should. */
static void only_record(struct shape *shape, const struct reason *note)
{
    for (size_t i = 0; i < shape->slot_count; i++) {
        shape->slots[i].duty = DUTY_RECORD;
        shape->slots[i].duty_note = note;
    }
}

static struct shape *make_shape(struct arena *arena, const struct plan_sources *sources,
                                const struct check_context *context, const char *arguments)
{
    struct shape *shape = shape_of(arena, sources, context);

    shape->arguments = arguments;
    if (arguments != NULL)
        only_record(shape, REASON(part_of_slow_test));
    else if (context->step->variants.count > 0)
        only_record(shape, REASON(variant_only_advises));
    else
        judge_not_alone(arena, sources, context, shape);
    shape->sha256 = shape_hash(arena, shape);
    return shape;
}

/* Such slots are of these members and no others. */
static bool names_members(const struct check_context *context)
{
    if (context->member_count > 1 && check_beside(context->step) != NULL)
        return true;
    for (const struct item *item = context->check->items; item != NULL && item->metric != NULL; item++)
        if (item->per == PER_MEMBER || item->per == PER_MEMBER_HCA)
            return true;
    return false;
}

static bool same_arguments(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool same_racks(const struct check_context *context, const struct shape *shape)
{
    return !is_of_racks(context) ||
           (shape->racks == host_racks(context->members, context->member_count) &&
            shape->rack_hosts == host_racks_fewest(context->members, context->member_count));
}

static const struct shape *find_or_make_shape(struct plan *plan, const struct plan_sources *sources,
                                              const struct check_context *context, const char *arguments)
{
    for (size_t i = names_members(context) ? 0 : plan->shapes.count; i-- > 0;) {
        const struct shape *shape = plan->shapes.items[i];

        if (strcmp(shape->suite_step, context->step->name) == 0 &&
            strcmp(shape->platform, context->platform->name) == 0 && shape->hosts == context->member_count &&
            strcmp(shape->variant, context->variant) == 0 && shape->exclusive == exclusivity_of(context) &&
            same_racks(context, shape) && same_arguments(shape->arguments, arguments))
            return shape;
    }
    *list_push(plan->arena, &plan->shapes) = make_shape(plan->arena, sources, context, arguments);
    return plan->shapes.items[plan->shapes.count - 1];
}

static const char *step_key(struct plan *plan, const struct step *step)
{
    struct sha256 *hash = sha256_create();
    char hex[SHA256_HEX_SIZE];

    sha256_add(hash, plan->run_uuid, strlen(plan->run_uuid));
    sha256_add(hash, step->shape->sha256, strlen(step->shape->sha256));
    sha256_add(hash, origin_name(step->origin), strlen(origin_name(step->origin)));
    for (size_t i = 0; i < step->member_count; i++)
        sha256_add(hash, step->members[i]->name, strlen(step->members[i]->name) + 1);
    if (step->round > 0) {
        const char *place =
            arena_printf(plan->arena, "%s %u", plan->steps.items[step->parent].key, step->round);

        sha256_add(hash, place, strlen(place));
    }
    sha256_finish(hash, hex);
    return arena_strdup(plan->arena, hex);
}

size_t push_step(struct plan *plan, const struct shape *shape, const struct member_set *set, struct step kind)
{
    struct step *step = list_push(plan->arena, &plan->steps);

    *step = kind;
    step->shape = shape;
    step->members = arena_array(plan->arena, const struct host *, set->count);
    memcpy(step->members, set->members, set->count * sizeof *set->members);
    step->member_count = set->count;
    step->key = step_key(plan, step);
    for (size_t i = 0; i < shape->slot_count; i++) {
        plan->gate_count += shape->slots[i].duty == DUTY_GATE;
        plan->record_count += shape->slots[i].duty == DUTY_RECORD;
    }
    return plan->steps.count - 1;
}

size_t plan_add_step(struct plan *plan, const struct plan_sources *sources,
                     const struct suite_step *suite_step, const struct platform *platform,
                     const struct member_set *set, enum step_origin origin)
{
    struct check_context context = {.arena = plan->arena,
                                    .suite = sources->suite,
                                    .step = suite_step,
                                    .platform = platform,
                                    .check = check_find(suite_step->check),
                                    .members = set->members,
                                    .member_count = set->count,
                                    .variant = set->variant,
                                    .timescale = 1};

    return push_step(plan, find_or_make_shape(plan, sources, &context, NULL), set,
                     (struct step){.origin = origin});
}

size_t suite_step_index(const struct suite *suite, const char *name)
{
    for (size_t i = 0; i < suite->steps.count; i++)
        if (strcmp(suite->steps.items[i].name, name) == 0)
            return i;
    return (size_t)-1;
}

/* Members stand in the hostfile. */
static struct step_list *steps_on(const struct builder *builder, size_t suite_index, const struct host *host)
{
    const struct hostfile *hostfile = builder->sources->hostfile;

    return &builder->steps_on[suite_index * hostfile->hosts.count + (size_t)(host - hostfile->hosts.items)];
}

/* Whether it is the first time that this step is said to need that one. */
static bool needs_newly(struct builder *builder, size_t step, size_t needed)
{
    while (builder->needed_by.count <= needed)
        *list_push(builder->aside, &builder->needed_by) = (size_t)-1;
    if (builder->needed_by.items[needed] == step)
        return false;
    builder->needed_by.items[needed] = step;
    return true;
}

/* A need counts where it is planned: a step that a platform does not have is not waited for. */
static void add_needs(struct builder *builder, size_t step_index, const struct suite_step *suite_step)
{
    struct step *step = &builder->plan->steps.items[step_index];
    struct step_list needs = {0};

    for (size_t i = 0; i < suite_step->needs.count; i++) {
        size_t need = suite_step_index(builder->sources->suite, suite_step->needs.items[i]);

        for (size_t k = 0; k < step->member_count; k++) {
            const struct step_list *needed = steps_on(builder, need, step->members[k]);

            for (size_t m = 0; m < needed->count; m++)
                if (needs_newly(builder, step_index, needed->items[m]))
                    *list_push(builder->now, &needs) = needed->items[m];
        }
    }
    list_settle(builder->arena, &needs);
    step->needs = needs.items;
    step->need_count = needs.count;
}

/* "with NCCL_ALGO=Ring" */
static const struct reason *variant_note(struct arena *arena, const struct suite_variant *variant)
{
    const char *variables = "";

    for (size_t i = 0; i < variant->environment.count; i++)
        variables = arena_printf(arena, "%s%s%s=%s", variables, i > 0 ? " " : "",
                                 variant->environment.items[i].name, variant->environment.items[i].value);
    return variant->environment.count > 0 ? reason(arena, with_variables, variables)
                                          : REASON(with_no_variables);
}

void add_note(struct builder *builder, const struct reason *what)
{
    list_push(builder->arena, &builder->notes->notes)->what = what;
}

const struct reason *left_out_by_user(const struct builder *builder, const struct suite_step *suite_step)
{
    return in_list(builder->options->steps, suite_step->name) ? NULL : REASON(left_out_by_steps);
}

/* The same for all platforms one after the other: ranks of different GPUs make no number that a limit could
 * speak of. */
static int plan_suite_step(struct builder *builder, size_t suite_index, const struct platform *platform,
                           struct error *err)
{
    const struct suite_step *suite_step = &builder->sources->suite->steps.items[suite_index];
    struct plan *plan = builder->plan;
    struct member_sets sets;

    if (plan_member_sets(builder->now, builder->sources, suite_step, platform, plan, &sets, err) < 0)
        return -1;
    list_each (set, sets.sets) {
        const struct suite_variant *variant = suite_variant_find(suite_step, set->variant);
        const struct reason *left_out = left_out_by_user(builder, suite_step);
        size_t step;

        if (left_out == NULL)
            left_out = set->left_out;
        step = plan_add_step(plan, builder->sources, suite_step, platform, set,
                             left_out != NULL ? ORIGIN_LEFT_OUT : ORIGIN_SUITE);
        /* What is left out is owed by the suite and not done by this run: it is counted as not run, so that
           the verdict knows of it. What needs it does not wait for it. */
        if (left_out != NULL) {
            plan->steps.items[step].origin_note = left_out;
            continue;
        }
        if (variant != NULL)
            plan->steps.items[step].origin_note = variant_note(builder->arena, variant);
        for (size_t k = 0; k < set->count; k++)
            *list_push(builder->aside, steps_on(builder, suite_index, set->members[k])) = step;
        add_needs(builder, step, suite_step);
    }
    arena_clear(builder->now);
    return 0;
}

/* On every platform that has what the step is about, and where the suite's conditions hold. */
static int plan_where_it_applies(struct builder *builder, size_t suite_index, struct error *err)
{
    const struct plan_sources *sources = builder->sources;
    const struct suite_step *step = &sources->suite->steps.items[suite_index];

    for (size_t p = 0; p < sources->platforms.count; p++) {
        struct plan_choice choice;
        bool taken = plan_applies(builder->arena, sources, step, sources->platforms.items[p], &choice);

        if (choice.why != NULL)
            *list_push(builder->arena, &builder->notes->choices) = choice;
        if (choice.assumed != NULL && !builder->assumed) {
            builder->assumed = true;
            add_note(builder, choice.assumed);
        }
        if (taken && plan_suite_step(builder, suite_index, sources->platforms.items[p], err) < 0)
            return -1;
    }
    return 0;
}

static void add_hosts(struct builder *builder)
{
    const struct hostfile *hostfile = builder->sources->hostfile;

    for (size_t i = 0; i < hostfile->hosts.count; i++)
        if (hostfile->hosts.items[i].role == ROLE_COMPUTE &&
            in_list(builder->options->hosts, hostfile->hosts.items[i].name))
            *list_push(builder->arena, &builder->plan->hosts) = &hostfile->hosts.items[i];
}

static void note_advice(struct builder *builder)
{
    struct advice advice;

    advice_of_suite(builder->arena, builder->sources->suite, &advice);
    for (size_t i = 0; i < advice.notes.count; i++)
        add_note(builder, advice.notes.items[i]);
}

/* What nobody should take for a part of the acceptance. */
static void note_variants(struct builder *builder)
{
    const struct suite *suite = builder->sources->suite;

    list_each (step, suite->steps)
        if (step->variants.count > 0 && left_out_by_user(builder, step) == NULL)
            add_note(builder, step->repeat < REPEATS_TELLING
                                  ? reason(builder->arena, step_only_advises_by_few, step->name, step->repeat,
                                           REPEATS_TELLING)
                                  : reason(builder->arena, step_only_advises, step->name));
}

static void note_idle_gates(struct builder *builder)
{
    struct idle_gates gates;

    idle_gates_find(builder->arena, builder->sources->suite, builder->plan, &gates);
    list_each (gate, gates.items)
        add_note(builder,
                 reason(builder->arena, gates_nothing_of, gate->step, gate->pattern, gate->platform));
}

/* Of all steps at once. */
static int check_steps(struct arena *arena, const struct suite *suite, struct error *err)
{
    int result = 0;

    error_clear(err);
    for (size_t i = 0; i < suite->steps.count; i++) {
        struct error one = {0};

        if (check_step(arena, suite, i, &one) < 0)
            result = error_join(err, &one);
    }
    return result;
}

/* What the suite asks of the hosts. Room that nothing fills takes no memory, while a list that grows is there twice. */
static int build_steps(struct builder *builder, struct error *err)
{
    struct plan *plan = builder->plan;
    size_t suite_steps = builder->sources->suite->steps.count;

    builder->steps_on =
        arena_array(builder->aside, struct step_list, suite_steps * builder->sources->hostfile->hosts.count);
    list_reserve(plan->arena, &plan->steps, suite_steps * plan->hosts.count);
    for (size_t i = 0; i < suite_steps; i++)
        if (check_hosts(builder, i, err) < 0 || plan_where_it_applies(builder, i, err) < 0)
            return -1;
    return 0;
}

static int build_steps_aside(struct builder *builder, struct error *err)
{
    int result;

    builder->aside = arena_create();
    builder->now = arena_create();
    result = build_steps(builder, err);
    builder->aside = arena_destroy(builder->aside);
    builder->now = arena_destroy(builder->now);
    return result;
}

struct plan *plan_build(struct arena *arena, const struct plan_sources *sources,
                        const struct plan_options *options, struct plan_notes *ret_notes, struct error *err)
{
    const struct suite *suite = sources->suite;
    struct plan *plan = arena_new(arena, struct plan);
    struct builder builder = {
        .arena = arena, .sources = sources, .options = options, .plan = plan, .notes = ret_notes};

    *ret_notes = (struct plan_notes){0};
    plan->arena = arena;
    plan->run_uuid = options->run_uuid;
    if (check_names(&builder, err) < 0 || check_site(sources, err) < 0)
        return NULL;
    add_hosts(&builder);
    if (plan->hosts.count == 0) {
        error_set(err, ERROR_USAGE, "%s: no host to test: all are spares", sources->hostfile->path);
        return NULL;
    }
    if (check_delivery(&builder, err) < 0 || check_steps(arena, suite, err) < 0)
        return NULL;
    if (build_steps_aside(&builder, err) < 0 || note_not_for_hosts(&builder, err) < 0)
        return NULL;
    note_left_out(&builder);
    note_warnings(&builder);
    note_uplinks(&builder);
    note_variants(&builder);
    note_advice(&builder);
    if (check_shapes(&builder, err) < 0)
        return NULL;
    note_floors(&builder);
    note_idle_gates(&builder);
    return plan;
}

/* A run that is resumed has it from before; plan->steps.count when it has not. */
static size_t find_substitute(const struct plan *plan, const struct step *original,
                              const struct host *const *members, size_t member_count)
{
    for (size_t i = 0; i < plan->steps.count; i++) {
        const struct step *step = &plan->steps.items[i];

        if (step->origin == ORIGIN_SUBSTITUTE && step->member_count == member_count &&
            strcmp(step->shape->suite_step, original->shape->suite_step) == 0 &&
            strcmp(step->shape->variant, original->shape->variant) == 0 &&
            memcmp(step->members, members, member_count * sizeof *members) == 0)
            return i;
    }
    return plan->steps.count;
}

size_t plan_add_substitute(struct plan *plan, const struct plan_sources *sources, size_t step,
                           const struct host *const *members, size_t member_count, const struct reason *note)
{
    const struct step *original = &plan->steps.items[step];
    const struct suite_step *suite_step =
        &sources->suite->steps.items[suite_step_index(sources->suite, original->shape->suite_step)];
    size_t added = find_substitute(plan, original, members, member_count);
    struct member_set set = {
        .members = (const struct host **)members, .count = member_count, .variant = original->shape->variant};

    if (added < plan->steps.count)
        return added;
    added =
        plan_add_step(plan, sources, suite_step, host_platform(sources, members[0]), &set, ORIGIN_SUBSTITUTE);
    plan->steps.items[added].origin_note = note;
    return added;
}

/* The suite's step as a part of it is run: with these arguments instead of its own of the same names. Parts of one
   round do not share what they measure. */
static const struct suite_step *part_of(struct arena *arena, const struct suite_step *step, const char *scope,
                                        const char *arguments)
{
    struct suite_step *part = arena_new(arena, struct suite_step);
    struct error err;
    struct json *object = json_parse(arena, "arguments", arguments, strlen(arguments), &err), **end;

    *part = *step;
    part->scope = scope;
    part->exclusive = exclusivity_name(EXCLUSIVE_HOST);
    part->repeat = 1;
    part->repeat_for_s = 0;
    part->retests = 0;
    part->arguments = object;
    if (object == NULL) /* a check wrote it, and the store keeps bytes: never */
        return part;
    for (end = &object->items; *end != NULL;)
        end = &(*end)->next;
    json_each (given, step->arguments) {
        if (json_get(object, given->key) != NULL)
            continue;
        *end = arena_new(arena, struct json);
        **end = *given;
        (*end)->next = NULL;
        end = &(*end)->next;
        object->count++;
    }
    return part;
}

size_t plan_add_isolation(struct plan *plan, const struct plan_sources *sources, size_t parent,
                          unsigned round, const struct host *const *members, size_t member_count,
                          double size_bytes)
{
    const struct shape *whole = plan->steps.items[parent].shape;
    const struct check *check = check_find(whole->check);
    const char *arguments = check->at_size(plan->arena, size_bytes);
    const struct suite_step *suite_step =
        &sources->suite->steps.items[suite_step_index(sources->suite, whole->suite_step)];
    struct check_context context = {
        .arena = plan->arena,
        .suite = sources->suite,
        .step = part_of(plan->arena, suite_step, member_count == 1 ? "host" : whole->scope, arguments),
        .platform = host_platform(sources, members[0]),
        .check = check,
        .members = members,
        .member_count = member_count,
        .variant = whole->variant,
        .timescale = 1};
    struct member_set set = {
        .members = (const struct host **)members, .count = member_count, .variant = whole->variant};
    const struct reason *note = reason(plan->arena, search_round, round, whole->suite_step);

    return push_step(
        plan, find_or_make_shape(plan, sources, &context, arguments), &set,
        (struct step){.origin = ORIGIN_ISOLATE, .origin_note = note, .parent = parent, .round = round});
}

void plan_context(struct arena *arena, const struct plan_sources *sources, const struct step *step,
                  struct check_context *ret_context)
{
    const struct host *head = step->members[0];

    *ret_context = (struct check_context){
        .arena = arena,
        .suite = sources->suite,
        .step = &sources->suite->steps.items[suite_step_index(sources->suite, step->shape->suite_step)],
        .platform = host_platform(sources, head),
        .check = check_find(step->shape->check),
        .members = step->members,
        .member_count = step->member_count,
        .variant = step->shape->variant,
        .as_root = step->shape->as_root,
        .staged = sources->staged,
        .advisories = &sources->advisories,
        .timescale = head->timescale >= 1 ? head->timescale : 1,
        .deadline_s = step_deadline_s(step),
        .run = sources->run,
    };
    if (step->shape->arguments != NULL)
        ret_context->step = part_of(arena, ret_context->step, step->shape->scope, step->shape->arguments);
}
