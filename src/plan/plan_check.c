/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a plan can be made of this suite, hostfile and baseline, and would judge what it says it judges. */
#include <arpa/inet.h>
#include <fnmatch.h>
#include <netinet/in.h>
#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/base/nearest.h"
#include "assay/reasons/plan.h"
#include "plan_private.h"

enum { GATES_NAMED = 5 /* gates without a limit that an error names */ };

/* Where nothing is like it, the hosts are named, as far as a line holds them. */
static int refuse_host(const struct hostfile *hostfile, const char *asked, const char *const *names,
                       size_t count, struct error *err)
{
    enum { NAMED_BYTES = 200 };
    struct did_you_mean meant = did_you_mean_host(asked, names, count);
    struct arena *arena = arena_create();
    const char *all = hostlist_fold(arena, names, count);
    bool named = *meant.text == '\0' && strlen(all) <= NAMED_BYTES;
    int rc = error_set(err, ERROR_USAGE, "--hosts: %s has no host '%s'%s%s%s", hostfile->path, asked,
                       meant.text, named ? "; it has " : "", named ? all : "");

    arena_destroy(arena);
    return rc;
}

static int check_hosts_named(const struct hostfile *hostfile, const struct hostlist *asked, struct error *err)
{
    size_t count = hostfile->hosts.count;
    cleanup_free const char **names = mem_alloc((count + 1) * sizeof *names);

    for (size_t i = 0; i < count; i++)
        names[i] = hostfile->hosts.items[i].name;
    for (size_t i = 0; i < asked->names.count; i++)
        if (!word_is_among(asked->names.items[i], names, count))
            return refuse_host(hostfile, asked->names.items[i], names, count, err);
    return 0;
}

/* Where nothing is like it, the steps are named, as far as a line holds them. */
static int refuse_step(const struct suite *suite, const char *asked, const char *const *names, size_t count,
                       struct error *err)
{
    enum { NAMED_BYTES = 400 };
    struct did_you_mean meant = did_you_mean(asked, names, count);
    cleanup_text struct text list = {0};

    text_init(&list, 1 << 16);
    for (size_t i = 0; i < count && *meant.text == '\0'; i++)
        if (list.length < NAMED_BYTES)
            text_printf(&list, "%s%s", i == 0 ? "; it has " : ", ", names[i]);
        else if (i + 1 == count)
            text_put(&list, ", ...");
    return error_set(err, ERROR_USAGE, "--steps: %s has no step '%s'%s%s", suite->path, asked, meant.text,
                     list.bytes != NULL ? list.bytes : "");
}

static int check_steps_named(const struct suite *suite, const struct hostlist *asked, struct error *err)
{
    size_t count = suite->steps.count;
    cleanup_free const char **names = mem_alloc((count + 1) * sizeof *names);

    for (size_t i = 0; i < count; i++)
        names[i] = suite->steps.items[i].name;
    for (size_t i = 0; i < asked->names.count; i++)
        if (!word_is_among(asked->names.items[i], names, count))
            return refuse_step(suite, asked->names.items[i], names, count, err);
    return 0;
}

int check_names(const struct builder *builder, struct error *err)
{
    const struct hostlist *hosts = builder->options->hosts, *steps = builder->options->steps;

    if (hosts != NULL && check_hosts_named(builder->sources->hostfile, hosts, err) < 0)
        return -1;
    return steps != NULL ? check_steps_named(builder->sources->suite, steps, err) : 0;
}

static int unknown_check(const struct suite_step *step, struct error *err)
{
    size_t count;
    const struct check *const *all = check_list(&count);
    const char *names[64], *near;

    for (size_t i = 0; i < count && i < 64; i++)
        names[i] = all[i]->name;
    near = nearest_word(step->check, names, count < 64 ? count : 64);
    return json_error(err, step->at, "unknown check '%s'%s%s%s; `assay plan --checks` lists them",
                      step->check, near != NULL ? ", did you mean '" : "", near != NULL ? near : "",
                      near != NULL ? "'" : "");
}

int check_step(struct arena *arena, const struct suite *suite, size_t index, struct error *err)
{
    static const struct {
        const char *name;
        enum scope scope;
    } scopes[] = {
        {"host", SCOPE_HOST}, {"pair", SCOPE_PAIR}, {"group", SCOPE_GROUP}, {"cluster", SCOPE_CLUSTER}};
    const struct suite_step *step = &suite->steps.items[index];
    const struct check *check = check_find(step->check);
    const char *expected = "";
    enum exclusivity exclusive;
    unsigned allowed;
    bool fits = false;

    if (check == NULL)
        return unknown_check(step, err);
    allowed = check->scopes != 0 ? check->scopes : SCOPE_HOST;
    for (size_t i = 0; i < ARRAY_SIZE(scopes); i++) {
        if ((allowed & scopes[i].scope) != 0)
            expected =
                arena_printf(arena, "%s%s'%s'", expected, *expected != '\0' ? ", " : "", scopes[i].name);
        fits |= strcmp(scopes[i].name, step->scope) == 0 && (allowed & scopes[i].scope) != 0;
    }
    if (!fits)
        return json_error(err, step->at, "check '%s' cannot run with scope '%s'; expected %s", check->name,
                          step->scope, expected);
    if (step->by != NULL && strcmp(step->by, "rail") == 0 && (allowed & SCOPE_RAIL) == 0)
        return json_error(err, json_get(step->at, "by"), "check '%s' cannot run by rail", check->name);
    if (step->by != NULL && strcmp(step->by, "line") == 0 && (allowed & SCOPE_LINE) == 0)
        return json_error(err, json_get(step->at, "by"), "check '%s' cannot run by line", check->name);
    if (step->exclusive != NULL && !exclusivity_parse(step->exclusive, &exclusive))
        return json_error(err, step->at,
                          "step '%s': unknown \"exclusive\" '%s'; expected none, host, leaf or fabric",
                          step->name, step->exclusive);
    for (size_t i = 0; i < step->needs.count; i++)
        if (suite_step_index(suite, step->needs.items[i]) >= index)
            return json_error(err, step->needs_at.items[i],
                              "step '%s' needs '%s', which is not an earlier step", step->name,
                              step->needs.items[i]);
    return check_arguments_valid(check, step, err);
}

static int check_host(const struct builder *builder, const struct suite_step *suite_step,
                      const struct platform *platform, const struct host *host, struct error *err)
{
    const struct plan_sources *sources = builder->sources;
    const struct check *check = check_find(suite_step->check);
    struct check_context context = {
        .arena = builder->arena,
        .suite = sources->suite,
        .step = suite_step,
        .platform = platform,
        .check = check,
        .members = &host,
        .member_count = 1,
    };

    return host_platform(sources, host) == platform
               ? check->host_valid(&context, sources->hostfile->path, err)
               : 0;
}

/* And its spares, each of which may have to stand in. */
static int check_hosts_of(const struct builder *builder, const struct suite_step *suite_step,
                          const struct platform *platform, struct error *err)
{
    const struct plan *plan = builder->plan;
    const struct hostfile *hostfile = builder->sources->hostfile;
    bool no_spares = plan_takes_no_spares(builder->arena, plan, hostfile);

    for (size_t i = 0; i < plan->hosts.count; i++)
        if (check_host(builder, suite_step, platform, plan->hosts.items[i], err) < 0)
            return -1;
    for (size_t i = 0; i < hostfile->hosts.count && !no_spares; i++)
        if (hostfile->hosts.items[i].role == ROLE_SPARE &&
            check_host(builder, suite_step, platform, &hostfile->hosts.items[i], err) < 0)
            return -1;
    return 0;
}

int check_hosts(const struct builder *builder, size_t suite_index, struct error *err)
{
    const struct plan_sources *sources = builder->sources;
    const struct suite_step *suite_step = &sources->suite->steps.items[suite_index];

    if (check_find(suite_step->check)->host_valid == NULL || left_out_by_user(builder, suite_step) != NULL)
        return 0;
    for (size_t i = 0; i < sources->platforms.count; i++)
        if (plan_applies(builder->arena, sources, suite_step, sources->platforms.items[i], NULL) &&
            check_hosts_of(builder, suite_step, sources->platforms.items[i], err) < 0)
            return -1;
    return 0;
}

void note_left_out(struct builder *builder)
{
    const struct plan *plan = builder->plan;
    const char *names = NULL, *last = "";

    list_each (step, plan->steps) {
        if (step->origin != ORIGIN_LEFT_OUT || step_advises(step) ||
            strcmp(step->shape->suite_step, last) == 0)
            continue;
        last = step->shape->suite_step;
        names = names == NULL ? last : arena_printf(builder->arena, "%s, %s", names, last);
    }
    if (names != NULL)
        add_note(builder, reason(builder->arena, steps_will_not_run, names));
}

static bool is_planned(const struct plan *plan, const char *suite_step)
{
    list_each (step, plan->steps)
        if (step->origin != ORIGIN_LEFT_OUT &&
            (suite_step == NULL || strcmp(step->shape->suite_step, suite_step) == 0))
            return true;
    return false;
}

int note_not_for_hosts(struct builder *builder, struct error *err)
{
    cleanup_text struct text refused = {0};

    text_init(&refused, 1 << 16);
    if (builder->options->steps == NULL)
        return 0;
    list_each (choice, builder->notes->choices) {
        if (choice->taken || !in_list(builder->options->steps, choice->step) ||
            is_planned(builder->plan, choice->step))
            continue;
        add_note(builder, reason(builder->arena, asked_step_not_for_hosts, choice->step, choice->why));
        text_printf(&refused, "%s%s: %s", refused.length > 0 ? "; " : "", choice->step,
                    reason_english(builder->arena, choice->why));
    }
    return refused.length == 0 || is_planned(builder->plan, NULL)
               ? 0
               : error_set(err, ERROR_USAGE, "--steps: nothing that it names is for these hosts: %s",
                           refused.bytes);
}

/* What a step does beyond its hosts, once for each that will run. */
void note_warnings(struct builder *builder)
{
    const struct plan *plan = builder->plan;
    const char *last = "";

    list_each (step, plan->steps) {
        const struct check *check = check_find(step->shape->check);

        if (check == NULL || check->warning == NULL || step->origin == ORIGIN_LEFT_OUT ||
            strcmp(step->shape->suite_step, last) == 0)
            continue;
        last = step->shape->suite_step;
        add_note(builder, reason(builder->arena, step_warns, last, check->warning));
    }
}

/* In a ring, which goes from each member to the next one: those whose next one hangs on another leaf, by their place in the
   hostfile. */
static void mark_senders(const struct builder *builder, const struct step *step, bool *sends)
{
    for (size_t i = 0; i < step->member_count; i++) {
        const struct host *host = step->members[i], *next = step->members[(i + 1) % step->member_count];

        sends[host - builder->sources->hostfile->hosts.items] |= strcmp(host->leaf, next->leaf) != 0;
    }
}

/* Of a single leaf, or where none is declared, nothing is known. */
static bool takes_turns(const struct builder *builder, const struct step *step)
{
    const struct suite *suite = builder->sources->suite;
    size_t index, i = 1;

    if (step->origin != ORIGIN_SUITE || step->member_count < 2)
        return false;
    index = suite_step_index(suite, step->shape->suite_step);
    if (index == (size_t)-1 || suite->steps.items[index].by == NULL ||
        strcmp(suite->steps.items[index].by, "leaves") != 0)
        return false;
    while (i < step->member_count && strcmp(step->members[i]->leaf, step->members[0]->leaf) == 0)
        i++;
    return i < step->member_count;
}

void note_uplinks(struct builder *builder)
{
    const struct plan *plan = builder->plan;
    const struct hostfile *hostfile = builder->sources->hostfile;
    bool *sends = arena_array(builder->arena, bool, hostfile->hosts.count);
    const char **silent = arena_array(builder->arena, const char *, plan->hosts.count);
    const char *name = NULL;
    size_t count = 0;

    for (size_t i = 0; i < plan->steps.count; i++)
        if (takes_turns(builder, &plan->steps.items[i])) {
            mark_senders(builder, &plan->steps.items[i], sends);
            name = plan->steps.items[i].shape->suite_step;
        }
    for (size_t i = 0; name != NULL && i < plan->hosts.count; i++)
        if (!sends[plan->hosts.items[i] - hostfile->hosts.items])
            silent[count++] = plan->hosts.items[i]->name;
    if (name != NULL)
        add_note(builder, count > 0 ? reason(builder->arena, hosts_send_over_uplinks_but, name,
                                             plan->hosts.count - count, plan->hosts.count,
                                             hostlist_fold(builder->arena, silent, count))
                                    : reason(builder->arena, hosts_send_over_uplinks, name, plan->hosts.count,
                                             plan->hosts.count));
}

/* What the check measures where there is such a part: on a platform of one GPU there is no pair of GPUs. */
static bool is_measured_elsewhere(const struct check *check, const char *pattern)
{
    for (const struct item *item = check->items; item != NULL && item->metric != NULL; item++)
        if (fnmatch(pattern, item->metric, 0) == 0)
            return true;
    return false;
}

/* A pattern that names nothing that the check measures would silently gate, or stop gating, nothing. */
static int check_patterns(const struct suite_step *step, const char *key, const char *const *patterns,
                          size_t count, const struct shape *shape, struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        bool found = is_measured_elsewhere(check_find(shape->check), patterns[i]);

        for (size_t k = 0; k < shape->slot_count && !found; k++)
            found = strcmp(shape->slots[k].metric, SOUND_METRIC) != 0 &&
                    fnmatch(patterns[i], shape->slots[k].metric, 0) == 0;
        if (!found)
            return json_error(err, step->at,
                              "step '%s': \"%s\" names '%s', which is not a metric of check '%s'", step->name,
                              key, patterns[i], step->check);
    }
    return 0;
}

/*
 * Trees (Tree, NVLSTree) send each byte over the network once, whatever the bus bandwidth is computed from: on two
 * hosts all_reduce has shown 337 GB/s over 200 GB/s of adapters (nccl#1576, nccl-tests#153), and a fault of the
 * fabric hides behind that (nccl-tests#290).
 */
static int check_alone(struct builder *builder, const struct suite_step *step, const struct shape *shape,
                       struct error *err)
{
    const struct reason *why = REASON(two_hosts_decide_no_fabric), *remedy = REASON(collective_judged_beside);
    bool alone = false;

    for (size_t i = 0; i < shape->slot_count && !alone; i++)
        alone = reason_is(shape->slots[i].duty_note, recorded_on_two_hosts);
    if (alone && builder->sources->suite->delivery)
        return json_error(err, step->at, "step '%s': %s; expected %s", step->name,
                          reason_english(builder->arena, why), reason_english(builder->arena, remedy));
    if (alone)
        add_note(builder, reason(builder->arena, step_only_recorded, step->name, why, remedy));
    return 0;
}

/* Variants are compared by bandwidth, one message size with the same. */
static int check_variants(const struct suite_step *step, const struct shape *shape, struct error *err)
{
    for (size_t i = 0; i < shape->slot_count; i++)
        if (shape->slots[i].size_bytes > 0 && fnmatch("*.busbw", shape->slots[i].metric, 0) == 0)
            return 0;
    return step->variants.count == 0
               ? 0
               : json_error(err, json_get(step->at, "variants"),
                            "step '%s' has variants, and check '%s' measures no bandwidth by message size to "
                            "compare; expected a check of collectives",
                            step->name, step->check);
}

/* What finds no room in a GPU's memory is not measured; the plan says so. */
static bool is_too_large(struct builder *builder, const struct suite_step *step, const struct shape *shape,
                         const char *word, double size)
{
    const struct plan_sources *sources = builder->sources;
    double room = 0;

    for (size_t i = 0; i < sources->platforms.count; i++)
        if (strcmp(sources->platforms.items[i]->name, shape->platform) == 0)
            room = platform_message_room(sources->platforms.items[i]);
    if (room <= 0 || size <= room)
        return false;
    add_note(builder, reason(builder->arena, messages_without_room, step->name, word, shape->platform));
    return true;
}

/* A size that is to be judged and is never measured would judge nothing. */
static int check_sizes(struct builder *builder, const struct suite_step *step, const struct shape *shape,
                       struct error *err)
{
    size_t measured = 0;

    for (size_t i = 0; i < step->sizes_judged.count; i++) {
        const char *word = step->sizes_judged.items[i];
        bool found = false;
        double size;

        for (size_t k = 0; k < shape->slot_count && !found; k++)
            found = size_parse(word, &size) && shape->slots[k].size_bytes == size;
        measured += found;
        if (!found && !is_too_large(builder, step, shape, word, size_parse(word, &size) ? size : 0))
            return json_error(
                err, step->at,
                "step '%s': \"sizes_judged\" names '%s', which is not one of the sizes that it measures",
                step->name, word);
    }
    if (step->sizes_judged.count > 0 && measured == 0)
        return json_error(err, step->at,
                          "step '%s': none of the sizes of \"sizes_judged\" fits into the GPU memory of %s",
                          step->name, shape->platform);
    return 0;
}

/* Of hosts whose parts are known by another name, limits are known too. */
static int check_like(const struct builder *builder, struct error *err)
{
    const struct run_limits *limits = &builder->sources->limits;

    for (size_t i = 0; i < limits->baselines.count; i++) {
        const struct platform *platform = limits->baselines.items[i].platform;
        const struct platform *twin =
            limits->baselines.items[i].baseline == NULL ? platform_twin(builder->arena, platform) : NULL;

        if (twin != NULL && baseline_for_platform(builder->arena, twin) != NULL)
            return error_set(
                err, ERROR_USAGE,
                "platform %s has the GPUs of %s but none of its limits, without which a delivery "
                "judges little; write \"like\": \"%s\" into its file, or give a baseline for it "
                "(--baseline)",
                platform->name, twin->name, twin->name);
    }
    return 0;
}

/* Whether hosts of two platforms have the same test over all hosts. */
static bool are_apart(const struct builder *builder, const struct suite_step *step,
                      const struct platform *ret_platforms[2])
{
    const struct plan *plan = builder->plan;
    const struct check *check = check_find(step->check);
    size_t count = 0;

    for (size_t i = 0; check != NULL && strcmp(step->scope, "cluster") == 0 && i < plan->hosts.count; i++) {
        const struct platform *platform = host_platform(builder->sources, plan->hosts.items[i]);

        if ((count > 0 && platform == ret_platforms[0]) || !check_applies(check, step, platform))
            continue;
        ret_platforms[count++] = platform;
        if (count == 2)
            return true;
    }
    return false;
}

/* Tests go over the hosts of one platform: hosts of two are two clusters, and each is handed over by itself. */
static int check_one_cluster(const struct builder *builder, struct error *err)
{
    const struct suite *suite = builder->sources->suite;

    list_each (step, suite->steps) {
        const struct platform *platforms[2];

        if (are_apart(builder, step, platforms))
            return error_set(
                err, ERROR_USAGE,
                "%s: hosts of platform %s and of %s would never be tested with each other (step %s), and a "
                "delivery of all would say that they were; expected hosts of one platform. Write a hostfile "
                "for each cluster; where it is one, and platforms differ by what they are called only, give "
                "all hosts the same",
                builder->sources->hostfile->path, platforms[0]->name, platforms[1]->name, step->name);
    }
    return 0;
}

static bool is_loopback(const char *address)
{
    struct in6_addr wide;
    struct in_addr narrow;

    if (inet_pton(AF_INET, address, &narrow) == 1)
        return ntohl(narrow.s_addr) >> 24 == IN_LOOPBACKNET;
    return inet_pton(AF_INET6, address, &wide) == 1 && IN6_IS_ADDR_LOOPBACK(&wide);
}

/* Real hosts lie elsewhere, and a burn of half an hour that took seconds there would show nothing. */
static int check_times(const struct builder *builder, struct error *err)
{
    const struct plan *plan = builder->plan;

    for (size_t i = 0; i < plan->hosts.count; i++) {
        const struct host *host = plan->hosts.items[i];

        if (host->timescale > 1 && !is_loopback(host->address))
            return error_set(
                err, ERROR_USAGE,
                "%s:%u:%u: host '%s' divides all times by %g (timescale), which is for simulated "
                "hosts, and they have an address of this machine (127.0.0.0/8, ::1) in a delivery; "
                "expected no timescale",
                builder->sources->hostfile->path, host->line, host->column, host->name, host->timescale);
    }
    return 0;
}

int check_delivery(const struct builder *builder, struct error *err)
{
    if (!builder->sources->suite->delivery)
        return 0;
    return check_like(builder, err) < 0 || check_one_cluster(builder, err) < 0 ? -1
                                                                               : check_times(builder, err);
}

/* Gates that nothing can decide. */
struct missing {
    size_t count;
    const struct reason *names; /* of the first GATES_NAMED */
};

static int check_limits(struct builder *builder, const struct shape *shape, struct missing *missing,
                        struct error *err)
{
    const char *last = "";

    array_each (slot, shape->slots, shape->slot_count) {
        struct slot_limits of_slot;

        slot_limits_find(builder->arena, &builder->sources->limits, shape, slot, &of_slot);
        if (check_units(builder, slot, &of_slot, err) < 0)
            return -1;
        if (slot->duty != DUTY_GATE || strcmp(slot->metric, last) == 0 || slot_limits_enforceable(&of_slot))
            continue;
        last = slot->metric;
        if (missing->count++ < GATES_NAMED)
            missing->names = reason_also(
                builder->arena, missing->names,
                reason(builder->arena, gate_of_step, slot->metric, shape->suite_step, shape->platform));
    }
    return 0;
}

/* A soak of a minute would pass as one of a day. */
static int check_slices(const struct builder *builder, const struct suite_step *step,
                        const struct shape *shape, struct error *err)
{
    const struct plan *plan = builder->plan;
    double slice;

    for (size_t i = 0; shape->repeat_for_s > 0 && i < plan->steps.count; i++) {
        if (plan->steps.items[i].shape != shape)
            continue;
        slice = step_expected_s(&plan->steps.items[i]);
        if (plan_step_s(&plan->steps.items[i]) < SLICES_LEAST * slice)
            return json_error(err, step->at,
                              "step %s lasts for %u s, and a slice of it takes %u s: a slow spell is only "
                              "noticed among %d slices or more; expected at least %u s (--duration %um)",
                              step->name, shape->repeat_for_s, shape->expected_s, SLICES_LEAST,
                              SLICES_LEAST * shape->expected_s, (SLICES_LEAST * shape->expected_s + 59) / 60);
        return 0;
    }
    return 0;
}

static int check_shape(struct builder *builder, const struct shape *shape, struct missing *missing,
                       struct error *err)
{
    const struct suite *suite = builder->sources->suite;
    const struct suite_step *step = &suite->steps.items[suite_step_index(suite, shape->suite_step)];

    if (check_slices(builder, step, shape, err) < 0 || check_variants(step, shape, err) < 0 ||
        check_sizes(builder, step, shape, err) < 0 ||
        check_patterns(step, "gate", step->gate.items, step->gate.count, shape, err) < 0 ||
        check_patterns(step, "record", step->record.items, step->record.count, shape, err) < 0 ||
        check_patterns(step, "record_without_limit", step->record_without_limit.items,
                       step->record_without_limit.count, shape, err) < 0 ||
        check_alone(builder, step, shape, err) < 0)
        return -1;
    return check_limits(builder, shape, missing, err);
}

static int tell_missing(struct builder *builder, const struct missing *missing, struct error *err)
{
    bool others = missing->count > GATES_NAMED;

    if (missing->count == 0)
        return 0;
    if (builder->sources->suite->delivery)
        return error_set(
            err, ERROR_USAGE,
            "%s: a delivery suite must have an enforceable limit for every gate, and has none for: %s%s; "
            "give one (\"limits\" of the step, with a floor or a fraction_of_ceiling, or --baseline), or "
            "record the metric; `assay contract init -H %s -s %s -o contract.json` writes a contract to add "
            "them to",
            builder->sources->suite->path, reason_english(builder->arena, missing->names),
            others ? "; and others" : "", builder->sources->hostfile->path, builder->sources->suite->path);
    add_note(builder, others ? reason(builder->arena, gates_without_limit_and_others, missing->names)
                             : reason(builder->arena, gates_without_limit, missing->names));
    return 0;
}

static bool any_is_carried_out(const struct shape_steps *steps)
{
    for (size_t i = 0; i < steps->count; i++)
        if (steps->items[i]->origin != ORIGIN_LEFT_OUT)
            return true;
    return false;
}

int check_shapes(struct builder *builder, struct error *err)
{
    const struct plan *plan = builder->plan;
    const struct shape_steps *steps = plan_steps_by_shape(builder->arena, plan);
    struct missing missing = {0};
    const char *told = "";

    error_clear(err);
    for (size_t i = 0; i < plan->shapes.count; i++) {
        const struct shape *shape = plan->shapes.items[i];
        struct error one = {0};

        if (!any_is_carried_out(&steps[i]) || strcmp(shape->suite_step, told) == 0 ||
            check_shape(builder, shape, &missing, &one) == 0)
            continue;
        (void)error_join(err, &one);
        told = shape->suite_step;
    }
    if (*told != '\0')
        return -1;
    return check_clauses(builder, err) < 0 ? -1 : tell_missing(builder, &missing, err);
}
