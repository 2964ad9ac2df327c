/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/reasons/check.h"

#include "nccl.h"
#include "rules.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "asymptote.h"
#include "beside.h"
#include "ceiling.h"
#include "computed.h"
#include "launcher.h"
#include "script.h"

/* Sizes that have limits where the suite does not say: small messages measure latency, not links. */
static const char *const judged_by_default[] = {"8G", "16G"};

static const struct argument arguments[] = {
    {"begin", ARGUMENT_SIZE, "1M", "smallest message (-b)", LESS_IS_MORE},
    {"end", ARGUMENT_SIZE, "16G", "largest message (-e)", MORE_IS_MORE},
    {"factor", ARGUMENT_COUNT, "2", "each size is this times the one before (-f)", LESS_IS_MORE},
    {"iterations", ARGUMENT_COUNT, "20", "timed rounds of each size (-n)", MORE_IS_MORE},
    {"warmup", ARGUMENT_COUNT, "5", "rounds before the clock starts (-w)", MORE_IS_MORE},
    BESIDE_ARGUMENT_ROW,
    {0},
};

enum { SCRIPT_BYTES = 16 * 1024 };

static const struct remedy remedies[] = {
    {"nccl.*.wrong", REASON(wrong_data_is_not_accepted)},
    {"nccl.out_of_bounds", REASON(wrong_data_is_not_accepted)},
    {"nccl.*busbw", REASON(soak_needs_more_slices), .about = &sentence_too_few_slices},
    {"nccl.*busbw", REASON(soak_varies), .about = &sentence_too_uneven_slices},
    {"nccl.*.loaded.busbw", REASON(slow_only_under_both_loads)},
    {"nccl.*.busbw", REASON(run_again_with_nccl_debug)},
    {"nccl.*.asymptotic*", REASON(mend_hosts_whose_pairs_did_not_run),
     .about = &sentence_too_few_smaller_groups},
    {"nccl.*.asymptotic*", REASON(run_again_with_more_iterations), .about = &sentence_noise_hides_a_fail},
    {"nccl.*.asymptotic*", REASON(look_at_what_many_hosts_share)},
    {"beside.load", REASON(see_whether_gpu_burn_runs_alone)},
    {"beside.slowdown", REASON(slowed_only_under_both_loads)},
    {"beside.results", REASON(wrong_only_under_both_loads)},
    {"sound", REASON(try_the_command_by_hand)},
    {"nccl.hosts", REASON(ranks_share_a_host)},
    {"nccl.net_*", REASON(nccl_not_over_all_rails)},
    {"nccl.rounds", REASON(fewer_rounds_than_asked)},
    {"nccl.ranks", REASON(not_all_gpus_took_part)},
    {0},
};

/* "all_reduce" of check nccl-all-reduce: the program's name less "_perf", and the metrics' middle. */
static const char *collective(const struct check_context *context)
{
    char *name = arena_strdup(context->arena, context->check->name + strlen("nccl-"));

    for (char *dash = name; (dash = strchr(dash, '-')) != NULL;)
        *dash = '_';
    return name;
}

static unsigned ranks_per_host(const struct check_context *context)
{
    return check_rail(context) >= 0 ? 1 : context->platform->gpu_count;
}

static unsigned rank_count(const struct check_context *context)
{
    return (unsigned)context->member_count * ranks_per_host(context);
}

/* Over one rail the bandwidth is that of one adapter: another number than that of whole hosts. And another is that of GPUs
   which compute beside it. */
static const char *busbw_metric(const struct check_context *context)
{
    return arena_printf(context->arena, "nccl.%s.%sbusbw", collective(context),
                        check_rail(context) >= 0              ? "rail."
                        : check_beside(context->step) != NULL ? "loaded."
                                                              : "");
}

static const char *busbw_subject(const struct check_context *context)
{
    return check_rail(context) >= 0 ? context->variant : "";
}

/* The largest message that is measured: of those that the step names the largest that finds room in a GPU's memory. */
static double largest(const struct check_context *context)
{
    double end = check_number(context, "end"), factor = check_number(context, "factor");
    double room = platform_message_room(context->platform), size = check_number(context, "begin");

    if (room <= 0 || end <= room || factor < 2)
        return end;
    while (size * factor <= end && size * factor <= room)
        size *= factor;
    return size;
}

static void put_program(const struct check_context *context, const char *program, struct text *out)
{
    const struct suite_variable one_rail[] = {
        {"CUDA_VISIBLE_DEVICES", arena_printf(context->arena, "%d", check_rail(context))},
        {"NCCL_IB_HCA", arena_printf(context->arena, "=%s", context->variant)}};
    const struct launch launch = {
        .ranks_per_host = ranks_per_host(context),
        .variables = one_rail,
        .variable_count = check_rail(context) >= 0 ? 2 : 0,
        .under = check_beside(context->step) != NULL ? "sh -c \"$beside\" beside \"$seconds\"" : NULL};
    bool wide = launcher_is_wide(context);

    if (wide)
        launcher_tool(context, &launch, program, out);
    else if (check_beside(context->step) != NULL)
        text_put(out, "perf");
    else
        command_tool(context, out, program);
    text_printf(out, " -b %s -e %s -f %.0f -n %.0f -w %.0f -g %u", check_text(context, "begin"),
                size_text(context->arena, largest(context)), check_number(context, "factor"),
                check_number(context, "iterations"), check_number(context, "warmup"),
                wide ? 1 : context->platform->gpu_count);
}

/* Over hosts each rank has the script as a word of its own; on one host it is the part itself. */
static void put_beside(const struct check_context *context, const char *program, struct text *out)
{
    cleanup_text struct text script = {0};

    text_init(&script, SCRIPT_BYTES);
    beside_script(context, &script);
    text_put(out, "seconds=");
    beside_seconds(context, out);
    text_put(out, "\n");
    if (launcher_is_wide(context)) {
        script_set(out, "beside", arena_printf(context->arena, "%s%s", script_lab_root, script.bytes));
        put_program(context, program, out);
        return;
    }
    script_tool(context, out, "perf", program);
    text_put(out, "set -- \"$seconds\" ");
    put_program(context, program, out);
    text_put(out, "\n");
    text_put(out, script.bytes);
}

static void put_command(const struct check_context *context, struct text *out)
{
    const char *program = arena_printf(context->arena, "%s_perf", collective(context));

    if (check_beside(context->step) == NULL) {
        put_program(context, program, out);
        return;
    }
    script_begin(out, arena_printf(context->arena, "%s beside gpu_burn -tc", program));
    put_beside(context, program, out);
}

static bool is_measured(const struct check_context *context, double size)
{
    double end = largest(context), factor = check_number(context, "factor");

    for (double planned = check_number(context, "begin"); planned <= end; planned *= factor)
        if (planned == size)
            return true;
    return false;
}

/* Where the suite does not say which, and none of the usual sizes is measured, the largest is judged: bandwidth
   is never left out of the gates by a choice of sizes. */
static bool is_judged(const struct check_context *context, double size)
{
    const struct suite_step *step = context->step;
    bool usual = false;
    double judged;

    for (size_t i = 0; i < step->sizes_judged.count; i++)
        if (size_parse(step->sizes_judged.items[i], &judged) && judged == size)
            return true;
    if (step->sizes_judged.count > 0)
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(judged_by_default); i++) {
        if (!size_parse(judged_by_default[i], &judged))
            continue;
        if (judged == size)
            return true;
        usual |= is_measured(context, judged);
    }
    return !usual && size * check_number(context, "factor") > largest(context);
}

/* What slices at rest are held to says nothing of GPUs that compute beside it: what the links carry at most, and the series
   of its own slices, where it has one. */
static const struct limit *limits_of_loaded(const struct check_context *context)
{
    const struct limit *ceiling =
        ceiling_of_collective(context, collective(context), ranks_per_host(context));
    const struct suite_step *step = context->step;
    struct limit *limits = arena_array(context->arena, struct limit, 3);
    size_t count = 0;

    memset(limits, 0, 3 * sizeof *limits);
    if (ceiling != NULL)
        limits[count++] = *ceiling;
    if (step->repeat_for_s > 0 && !step->peers.off)
        limits[count++] = (struct limit){.metric = busbw_metric(context),
                                         .rule = RULE_SERIES,
                                         .value = 1 - step->peers.fail,
                                         .source = "assay: no figure is published for GPUs under both loads",
                                         .status = LIMIT_SELF};
    return count > 0 ? limits : NULL;
}

static const struct limit *limits_of_size(const struct check_context *context, double size)
{
    if (!is_judged(context, size))
        return ceiling_of_collective(context, collective(context), ranks_per_host(context));
    return check_beside(context->step) != NULL
               ? limits_of_loaded(context)
               : computed_of_collective(context, collective(context), ranks_per_host(context), size);
}

static void size_slots(const struct check_context *context, struct slot_list *slots, double size,
                       const struct limit *no_wrong)
{
    struct arena *arena = context->arena;
    const char *busbw = busbw_metric(context);
    const char *wrong = arena_printf(arena, "nccl.%s.wrong", collective(context));
    const char *out_of_place = arena_printf(arena, "size_bytes=%.0f place=out", size);

    slot_add(context, slots, busbw, busbw_subject(context), out_of_place,
             is_judged(context, size) ? DUTY_GATE : DUTY_RECORD, limits_of_size(context, size))
        ->size_bytes = size;
    slot_add(context, slots, wrong, "", out_of_place, DUTY_GATE, no_wrong)->size_bytes = size;
    /* In place nccl-tests overwrites what these send, and has nothing to compare with: it prints N/A. */
    if (strcmp(collective(context), "alltoall") == 0 || strcmp(collective(context), "sendrecv") == 0)
        return;
    slot_add(context, slots, wrong, "", arena_printf(arena, "size_bytes=%.0f place=in", size), DUTY_GATE,
             no_wrong)
        ->size_bytes = size;
}

/* Of rings over whole hosts. What it has to reach, smaller groups of the same hosts tell: a suite says it. */
static void asymptote_slot(const struct check_context *context, struct slot_list *slots)
{
    double end = largest(context), factor = check_number(context, "factor"), sizes[64];
    size_t count = 0;

    for (double size = check_number(context, "begin"); size <= end && count < ARRAY_SIZE(sizes);
         size *= factor)
        sizes[count++] = size;
    if (context->member_count > 1 && check_rail(context) < 0 && check_beside(context->step) == NULL &&
        asymptote_is_measured(collective(context), sizes, count))
        slot_add(context, slots, asymptote_metric(context, collective(context)), "", NULL, DUTY_RECORD, NULL);
}

static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    static const struct limit no_wrong[] = RULES_MOST("nccl.*", 0, "nccl-tests");
    const struct limit *all_ranks = rules_new(
        context, LIMITS RULES_EQUAL("nccl.ranks", arena_printf(context->arena, "%u", rank_count(context)),
                                    RULES_OF_PLATFORM(context)));
    double end = largest(context), factor = check_number(context, "factor");

    slot_add(context, slots, "nccl.ranks", "", NULL, DUTY_GATE, all_ranks);
    slot_add(
        context, slots, "nccl.rounds", "", NULL, DUTY_GATE,
        rules_new(context, LIMITS RULES_LEAST("nccl.rounds", check_number(context, "iterations"),
                                              "assay: as many as the suite asks for", .inconclusive = true,
                                              .note = REASON(another_program_ran))));
    nccl_net_slots(context, slots);
    slot_add(context, slots, "nccl.out_of_bounds", "", NULL, DUTY_GATE, no_wrong);
    for (double size = check_number(context, "begin"); size <= end; size *= factor)
        size_slots(context, slots, size, no_wrong);
    asymptote_slot(context, slots);
    if (check_beside(context->step) != NULL)
        beside_slots(context, slots);
}

const char *nccl_at_size(struct arena *arena, double size_bytes)
{
    const char *size = size_text(arena, size_bytes);

    return arena_printf(arena, "{\"begin\": \"%s\", \"end\": \"%s\"}", size, size);
}

const char *nccl_arguments_fault(const struct check_context *context)
{
    /* nccl-tests takes a factor of 1 for none, and then adds a step of its own choice. */
    if (check_number(context, "factor") < 2)
        return "\"factor\" is less than 2";
    if (check_number(context, "begin") < 1 || check_number(context, "begin") > check_number(context, "end"))
        return "\"begin\" is larger than \"end\", or no size";
    return beside_fault(context);
}

/* The planned size that nccl-tests rounded down to this one, so that it divides among the ranks; 0: none. */
static double planned_size(const struct check_context *context, double size)
{
    enum { ALIGNMENT_BYTES = 64 }; /* of one rank's share: nccl-tests rounds to 4 elements, or to 16 bytes */
    double end = largest(context), factor = check_number(context, "factor");
    double slack = (double)rank_count(context) * ALIGNMENT_BYTES;

    for (double planned = check_number(context, "begin"); planned <= end && factor >= 2; planned *= factor)
        if (size <= planned && planned - size < slack && size > planned / 2)
            return planned;
    return 0;
}

static void name_planned_size(const struct check_context *context, struct measurement *measurement)
{
    struct at_field *fields = arena_array(context->arena, struct at_field, measurement->at.count);

    if (measurement->at.count > 0)
        memcpy(fields, measurement->at.items, measurement->at.count * sizeof *fields);
    measurement->at.items = fields;
    for (size_t i = 0; i < measurement->at.count; i++) {
        double size, planned;

        if (strcmp(fields[i].key, "size_bytes") != 0 || !scan_double(slice_of(fields[i].text), &size))
            continue;
        planned = planned_size(context, size);
        if (planned > 0 && planned != size)
            fields[i].text = arena_printf(context->arena, "%.0f", planned);
    }
}

/* Old versions do not print which collective they are; we know which one was started. */
static void name_collective(const struct check_context *context, struct measurement *measurement)
{
    static const char unknown[] = "nccl.unknown.";

    if (strncmp(measurement->metric, unknown, strlen(unknown)) == 0)
        measurement->metric = arena_printf(context->arena, "nccl.%s.%s", collective(context),
                                           measurement->metric + strlen(unknown));
}

static void name_as_planned(const struct check_context *context, struct measurement *measurement)
{
    if ((check_rail(context) < 0 && check_beside(context->step) == NULL) ||
        strcmp(measurement->metric, arena_printf(context->arena, "nccl.%s.busbw", collective(context))) != 0)
        return;
    measurement->metric = busbw_metric(context);
    measurement->subject = busbw_subject(context);
}

/* A finding METRIC.unread is of the same name as what it stands for. */
static void name_unread(const struct check_context *context, struct finding *finding)
{
    static const char unread[] = ".unread";
    size_t length = strlen(finding->code), tail = strlen(unread);
    struct measurement missing = {.subject = finding->subject};

    if (length < tail || strcmp(finding->code + length - tail, unread) != 0)
        return;
    missing.metric = arena_printf(context->arena, "%.*s", (int)(length - tail), finding->code);
    name_collective(context, &missing);
    name_as_planned(context, &missing);
    finding->code = arena_printf(context->arena, "%s%s", missing.metric, unread);
    finding->subject = missing.subject;
}

/* Each rank's lines come out together: one that prints a table of its own does not hide the true one, which is judged
   with it. */
void nccl_doubt_tables(const struct attempt *attempt, struct reading *out)
{
    const struct part *part = attempt_part(attempt, "main");

    if (part != NULL && part->reading.runs.count > 1)
        reading_doubt(out, reason(out->arena, several_tables, part->reading.runs.count));
}

/* As the program itself says how it was called; the sizes that it measured are items of their own. */
static void tell_rounds(struct reading *out)
{
    const char *said = reading_get_fact(out, "nccl.iterations", "");
    double rounds;

    if (said != NULL && scan_double(slice_of(said), &rounds))
        reading_measure(out, "nccl.rounds", "", rounds, "");
}

static void read_tables(const struct check_context *context, const struct attempt *attempt,
                        struct reading *out)
{
    read_parts(context, attempt, out);
    nccl_doubt_tables(attempt, out);
    tell_rounds(out);
    nccl_net_read(context, attempt, out);
    for (size_t i = 0; i < out->measurements.count; i++) {
        name_collective(context, &out->measurements.items[i]);
        name_planned_size(context, &out->measurements.items[i]);
        name_as_planned(context, &out->measurements.items[i]);
    }
    for (size_t i = 0; i < out->findings.count; i++)
        name_unread(context, &out->findings.items[i]);
    beside_read(context, attempt, out);
    if (context->member_count > 1 && check_beside(context->step) == NULL)
        asymptote_read(context, collective(context), out);
}

static unsigned expected_s(const struct check_context *context)
{
    /* Start-up of ranks and connections, and a minute for all sizes at the usual number of rounds. */
    enum { START = 30, START_WIDE = 60, SIZES = 60, USUAL_ROUNDS = 25 };
    double rounds = check_number(context, "iterations") + check_number(context, "warmup");
    unsigned sizes = (unsigned)ceil(fmin(SIZES * fmax(rounds / USUAL_ROUNDS, 1), UINT_MAX / 8));

    return sizes + (launcher_is_wide(context) ? START_WIDE + (unsigned)context->member_count : START);
}

static const struct part_row parts[] = {{"main", "nccl-tests", put_command, NULL}, {0}};

/* Who speaks first is what says why it is slow, as that it does not go over the fabric. */
static const struct plain_words plain[] = {
    {"nccl.*.busbw", PLAIN(nccl_runs_slowly, PLAIN_MEASURED, PLAIN_REQUIRED, PLAIN_TEST), .last = true},
    {"nccl.*.wrong", PLAIN(nccl_gives_wrong_values, PLAIN_MEASURED, PLAIN_TEST), .last = true},
    {0}};
static const struct listed_fact listed[] = {{LISTED_HOSTS, "nccl.version", REASON(title_nccl)}, {0}};

/* By rail too: the star of the bandwidth. */
#define COLLECTIVE(name_, word_)                                                                             \
    const struct check check_nccl_##name_ = {                                                                \
        .name = "nccl-" word_,                                                                               \
        .title = "NCCL " #name_,                                                                             \
        .summary = #name_ "_perf on one host, or by mpirun across hosts: bus bandwidth by message size, no " \
                          "wrong values",                                                                    \
        .on = ON_GPUS,                                                                                       \
        .scopes = SCOPE_HOST | SCOPE_HOSTS | SCOPE_RAIL,                                                     \
        .as_root = true,                                                                                     \
        .exclusive = EXCLUSIVE_HOST,                                                                         \
        .window = true,                                                                                      \
        .loads = LOAD_NVLINKS,                                                                               \
        .loads_across = LOAD_PORTS,                                                                          \
        .arguments = arguments,                                                                              \
        .arguments_fault = nccl_arguments_fault,                                                             \
        .parts = parts,                                                                                      \
        .remedies = remedies,                                                                                \
        .plain = plain,                                                                                      \
        .listed = listed,                                                                                    \
        .curves = "nccl.*.busbw",                                                                            \
        .results = RESULTS("nccl.*.wrong", "nccl.out_of_bounds", "beside.results"),                          \
        .bandwidth = "nccl." #name_ ".*busbw",                                                               \
        .at_size = nccl_at_size,                                                                             \
        .more_slots = more_slots,                                                                            \
        .expected = expected_s,                                                                              \
        .read = read_tables,                                                                                 \
        .hosts_file = launcher_hosts_file,                                                                   \
    }

/* The collective that training spends its time in. */
COLLECTIVE(all_reduce, "all-reduce");
/* No algorithm can add up inside the fabric here, so the bandwidth of these two is the wire's own. */
COLLECTIVE(all_gather, "all-gather");
COLLECTIVE(reduce_scatter, "reduce-scatter");
/* Every rank to every other, so that all paths of the fabric are tried at once. */
COLLECTIVE(alltoall, "alltoall");
/* Each rank to the next one. Between hosts that is one adapter in each direction, so it says nothing of the others. In a part
   of the hosts, in their order, who were neighbours still are: the search for a slow path works. */
COLLECTIVE(sendrecv, "sendrecv");
