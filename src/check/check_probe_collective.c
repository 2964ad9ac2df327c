/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-probe-collective: our own program, which says more of a slow collective than nccl-tests does: which rank
 * arrives late, which host has no fast path. Limits in contracts speak of nccl-tests, so bandwidth is recorded
 * here unless the suite names sizes that are judged; that data is right and all take part is judged.
 *
 * The probe's own deadline is a little before the attempt's, so that it can name the rank that did not arrive.
 */
#include <math.h>
#include <string.h>

#include "assay/base/nearest.h"
#include "assay/reasons/check.h"

#include "launcher.h"
#include "nccl.h"
#include "rules.h"
#include "witness.h"

static const char program[] = "assay-probe-collective";

static const char *collective(const struct check_context *context)
{
    return check_text(context, "collective");
}

static unsigned rank_count(const struct check_context *context)
{
    return (unsigned)context->member_count * launcher_ranks_per_host(context);
}

/* Of two hosts a path between them does not tell which of them is slow. */
static bool has_paths(const struct check_context *context)
{
    return context->member_count > 2;
}

static void put_command(const struct check_context *context, struct text *out)
{
    const struct launch launch = {.ranks_per_host = launcher_ranks_per_host(context)};

    launcher_tool(context, &launch, program, out);
    text_printf(out, " -c %s --backend %s -b %s -e %s -f %.0f -n %.0f -w %.0f", collective(context),
                check_text(context, "backend"), check_text(context, "begin"), check_text(context, "end"),
                check_number(context, "factor"), check_number(context, "iterations"),
                check_number(context, "warmup"));
    if (!has_paths(context))
        text_put(out, " --path-size 0");
    witness_put_option(context, out);
    command_probe_deadline(out);
}

static const struct limit *must_be(const struct check_context *context, const char *metric, const char *text,
                                   const char *source)
{
    return rules_new(context, LIMITS RULES_EQUAL(metric, text, source));
}

/* Only what the suite asks for: nobody publishes limits for this program. */
static bool is_judged(const struct check_context *context, double size)
{
    const struct suite_step *step = context->step;
    double judged;

    for (size_t i = 0; i < step->sizes_judged.count; i++)
        if (size_parse(step->sizes_judged.items[i], &judged) && judged == size)
            return true;
    return false;
}

static void size_slots(const struct check_context *context, struct slot_list *slots, double size)
{
    static const struct limit no_wrong[] = RULES_MOST("probe.*", 0, "assay-probe-collective");
    struct arena *arena = context->arena;
    const char *at = arena_printf(arena, "size_bytes=%.0f place=out", size);

    slot_add(context, slots, arena_printf(arena, "probe.%s.busbw", collective(context)), "", at,
             is_judged(context, size) ? DUTY_GATE : DUTY_RECORD, NULL)
        ->size_bytes = size;
    slot_add(context, slots, arena_printf(arena, "probe.%s.wrong", collective(context)), "", at, DUTY_GATE,
             no_wrong)
        ->size_bytes = size;
}

/* What is told of single hosts. */
static void host_slots(const struct check_context *context, struct slot_list *slots)
{
    slot_add(context, slots, "probe.stragglers", "", NULL, DUTY_RECORD, NULL);
    for (size_t i = 0; i < context->member_count && context->member_count > 1; i++) {
        if (has_paths(context))
            slot_add(context, slots, "probe.host_path", context->members[i]->name, NULL, DUTY_RECORD, NULL);
        slot_add(context, slots, "probe.host_late", context->members[i]->name, NULL, DUTY_RECORD, NULL);
    }
}

static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    double end = check_number(context, "end"), factor = check_number(context, "factor");
    struct arena *arena = context->arena;

    slot_add(context, slots, "probe.ranks", "", NULL, DUTY_GATE,
             must_be(context, "probe.ranks", arena_printf(arena, "%u", rank_count(context)),
                     rules_platform(context)));
    slot_add(context, slots, "probe.hosts", "", NULL, DUTY_GATE,
             must_be(context, "probe.hosts", arena_printf(arena, "%zu", context->member_count),
                     "members of the step"));
    /* Also where a suite asks for the CPUs: what they and their network do decides nothing about GPUs. */
    slot_add(
        context, slots, "probe.backend", "", NULL, DUTY_GATE,
        rules_new(
            context,
            LIMITS RULES_EQUAL(
                "probe.backend", "nccl",
                "assay: a test of the collectives counts only where it ran on the GPUs (NCCL), not on CPUs",
                .inconclusive = true)));
    for (double size = check_number(context, "begin"); size <= end; size *= factor)
        size_slots(context, slots, size);
    host_slots(context, slots);
}

static bool is_one_of(const char *word, const char *const *words, size_t count)
{
    return word_is_among(word, words, count);
}

static int arguments_valid(const struct check_context *context, struct error *err)
{
    static const char *const collectives[] = {"all_reduce", "all_gather", "reduce_scatter", "alltoall",
                                              "sendrecv"};
    static const char *const backends[] = {"nccl", "host"};
    const struct json *arguments_given = context->step->arguments;

    if (!is_one_of(collective(context), collectives, ARRAY_SIZE(collectives)))
        return json_error(
            err, json_get(arguments_given, "collective"),
            "collective: '%s'; expected all_reduce, all_gather, reduce_scatter, alltoall or sendrecv",
            collective(context));
    if (!is_one_of(check_text(context, "backend"), backends, ARRAY_SIZE(backends)))
        return json_error(err, json_get(arguments_given, "backend"), "backend: '%s'; expected nccl or host",
                          check_text(context, "backend"));
    return 0;
}

/* Of the ranks of a host the worst is the host's. */
static void measure_hosts(const struct check_context *context, struct reading *out, const char *from,
                          const char *to, const char *unit, bool least)
{
    double *worst = arena_array(out->arena, double, context->member_count + 1);
    size_t member = 0;

    for (size_t i = 0; i < context->member_count; i++)
        worst[i] = NAN;
    list_each (measurement, out->measurements) {
        if (strcmp(measurement->metric, from) != 0)
            continue;
        member = check_member_of(context, measurement->subject, member);
        worst[member] =
            least ? fmin(worst[member], measurement->value) : fmax(worst[member], measurement->value);
    }
    for (size_t i = 0; i < context->member_count; i++)
        if (!isnan(worst[i]))
            reading_measure(out, to, context->members[i]->name, worst[i], unit);
}

/* "node3 (path), node7 (late)", or "none" when the probe looked to its end. */
static void tell_stragglers(const struct check_context *context, struct reading *out)
{
    const char *all = NULL;
    size_t member = 0, last = context->member_count;

    for (size_t i = 0; i < out->facts.count; i++) {
        const struct fact *fact = &out->facts.items[i];

        if (strcmp(fact->name, "probe.straggler") != 0)
            continue;
        member = check_member_of(context, fact->subject, member);
        if (member == context->member_count || member == last)
            continue;
        last = member;
        all = arena_printf(out->arena, "%s%s%s (%s)", all != NULL ? all : "", all != NULL ? ", " : "",
                           context->members[member]->name, fact->value);
    }
    if (all != NULL || out->status == READING_COMPLETE)
        reading_fact(out, "probe.stragglers", "", slice_of(all != NULL ? all : "none"));
}

static void read_probe(const struct check_context *context, const struct attempt *attempt,
                       struct reading *out)
{
    read_parts(context, attempt, out);
    nccl_doubt_tables(attempt, out);
    measure_hosts(context, out, "probe.path", "probe.host_path", "GB/s", true);
    measure_hosts(context, out, "probe.late", "probe.host_late", "us", false);
    tell_stragglers(context, out);
    witness_read(context, attempt, out);
}

static unsigned expected_s(const struct check_context *context)
{
    return 120 + (unsigned)context->member_count;
}

const struct check check_probe_collective = {
    .name = "probe-collective",
    .title = "Collective, with arrivals of each rank",
    .summary = "assay-probe-collective by mpirun: bus bandwidth recorded, data checked, hosts named that are "
               "late or "
               "have no fast path",
    .scopes = SCOPE_HOST | SCOPE_HOSTS,
    .as_root = true,
    .exclusive = EXCLUSIVE_HOST,
    .witness = true,
    .bandwidth = "probe.*.busbw",
    .at_size = nccl_at_size,
    .arguments = ARGUMENTS(
        {"collective", ARGUMENT_TEXT, "all_reduce",
         "all_reduce, all_gather, reduce_scatter, alltoall or sendrecv"},
        {"backend", ARGUMENT_TEXT, "nccl", "nccl, or host: MPI over the CPUs, which says nothing of GPUs"},
        {"begin", ARGUMENT_SIZE, "1M", "smallest message", LESS_IS_MORE},
        {"end", ARGUMENT_SIZE, "1G", "largest message", MORE_IS_MORE},
        {"factor", ARGUMENT_COUNT, "4", "each size is this times the one before", LESS_IS_MORE},
        {"iterations", ARGUMENT_COUNT, "20", "timed rounds of each size", MORE_IS_MORE},
        {"warmup", ARGUMENT_COUNT, "5", "rounds before the clock starts", MORE_IS_MORE},
        {"ranks_per_host", ARGUMENT_COUNT, NULL, "ranks on each host; one for each GPU unless given"}),
    .arguments_fault = nccl_arguments_fault,
    .arguments_valid = arguments_valid,
    .parts = PARTS({"main", "assay-probe", put_command, NULL}),
    .remedies = REMEDIES({"probe.*.wrong", REASON(wrong_data_is_not_accepted)},
                         {"probe.*.busbw", REASON(see_probe_stragglers)},
                         {"probe.host_path", REASON(look_at_this_hosts_cables)},
                         {"sound", REASON(look_at_the_rank_that_did_not_arrive)},
                         {"probe.*", REASON(see_which_ranks_did_not_start)}),
    .results = RESULTS("probe.*.wrong"),
    .more_slots = more_slots,
    .expected = expected_s,
    .read = read_probe,
    .hosts_file = launcher_hosts_file,
};
