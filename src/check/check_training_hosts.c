/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-probe-gpu-mpi training: the steps of training-step (check_training_step.c) over all GPUs of several hosts, a rank of MPI
 * on each host, gradients exchanged through NCCL between all of them. Each GPU must have the losses and gradients that most have,
 * to the last bit. How fast a host's slowest GPU is until it waits for others is compared with the other hosts, and who comes late
 * to the exchanges is named. Whole steps are recorded: no public figure is a limit of them, see training-step. So a pass says
 * nothing of the fabric, which the checks of NCCL judge.
 *
 * facts    training.host        of each member: right, or what of its GPUs is wrong
 *          training.stragglers  "node3 (last to 97% of exchanges, by 4.1% of a step)"; none
 * metrics  training.host_forward, training.host_late   of each member, its GPU that is worst
 *          training.host_last     of each member: exchanges to which one of its GPUs came last
 */
#include <math.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/check.h"
#include "assay/reasons/parse.h"

#include "launcher.h"
#include "probe_gpu.h"
#include "rules.h"

static const char program[] = "assay-probe-gpu-mpi";

/* Who is last to most exchanges, and by what is no noise of the hosts' common begin of a step. */
#define LAST_PERCENT 50.0
#define LATE_PERCENT 1.0

static void command(const struct check_context *context, struct text *out)
{
    /* Its log would come between the lines that are read: ranks share one output. */
    static const struct suite_variable variables[] = {{"NCCL_DEBUG", "WARN"}};
    const struct launch launch = {
        .ranks_per_host = 1, .variables = variables, .variable_count = ARRAY_SIZE(variables)};

    launcher_tool(context, &launch, program, out);
    text_printf(out, " training --backend %s --steps %.0f", check_text(context, "backend"),
                check_number(context, "steps"));
    command_probe_deadline(out);
}

static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    probe_gpu_slots(context, slots);
    slot_add(context, slots, "probe.hosts", "", NULL, DUTY_GATE,
             rules_new(context, LIMITS RULES_EQUAL("probe.hosts",
                                                   arena_printf(context->arena, "%zu", context->member_count),
                                                   "assay: the members of the step")));
}

/* --- what the hosts' GPUs say --- */

struct host_trained {
    double forward, late;       /* of its GPU that is worst; NAN: not told */
    double last;                /* of all of them; NAN likewise */
    unsigned right, told;       /* GPUs; numbers */
    const struct reason *wrong; /* NULL: nothing */
};

static void take_measurement(struct host_trained *host, const struct measurement *measurement)
{
    if (strcmp(measurement->metric, "training.forward") == 0)
        host->forward = fmin(host->forward, measurement->value);
    else if (strcmp(measurement->metric, "training.late") == 0)
        host->late = fmax(host->late, measurement->value);
    else if (strcmp(measurement->metric, "training.last") == 0)
        host->last = isnan(host->last) ? measurement->value : host->last + measurement->value;
    else
        return;
    host->told++;
}

static void take_answers(struct arena *arena, struct host_trained *host, const struct fact *fact)
{
    const char *slash = strchr(fact->subject, '/');
    const struct reason *said = fact->said != NULL ? fact->said : reason_text(arena, fact->value);

    if (reason_is(said, answers_right))
        host->right++;
    else
        host->wrong =
            reason_also(arena, host->wrong, reason(arena, about, slash != NULL ? slash + 1 : "", said));
}

/* By member, and one more, which is nobody's; stranger: whose, NULL where all were members. */
static struct host_trained *take_all(const struct check_context *context, const struct reading *reading,
                                     const char **ret_stranger)
{
    struct host_trained *hosts = arena_array(reading->arena, struct host_trained, context->member_count + 1);
    const char *stranger = NULL;
    size_t member = 0;

    for (size_t i = 0; i <= context->member_count; i++)
        hosts[i].forward = hosts[i].late = hosts[i].last = NAN;
    for (size_t i = 0; i < reading->measurements.count; i++) {
        const struct measurement *measurement = &reading->measurements.items[i];

        if (strchr(measurement->subject, '/') == NULL)
            continue;
        member = check_member_of(context, measurement->subject, member);
        take_measurement(&hosts[member], measurement);
    }
    for (size_t i = 0; i < reading->facts.count; i++) {
        const struct fact *fact = &reading->facts.items[i];

        if (strcmp(fact->name, "training.answers") != 0)
            continue;
        member = check_member_of(context, fact->subject, member);
        take_answers(reading->arena, &hosts[member], fact);
        if (member == context->member_count)
            stranger = fact->subject;
    }
    *ret_stranger = stranger;
    return hosts;
}

/* Or the worst of its GPUs may be the one that is missing. */
static bool all_told(const struct check_context *context, const struct host_trained *host)
{
    enum { NUMBERS = 3 }; /* of each GPU: forward, late, last */

    return host->told == NUMBERS * context->platform->gpu_count && !isnan(host->forward) &&
           !isnan(host->late) && !isnan(host->last);
}

/* "right" where all of its GPUs have told so. */
static void tell_host(const struct check_context *context, const struct host_trained *host, const char *name,
                      const char *stranger, struct reading *out)
{
    if (host->wrong != NULL)
        reading_fact_said(out, "training.host", name, host->wrong);
    else if (host->right == context->platform->gpu_count)
        reading_fact_said(out, "training.host", name, REASON(answers_right));
    else if (stranger != NULL)
        reading_unread(out, "training.host", name,
                       reason(out->arena, training_of_a_stranger,
                              arena_printf(out->arena, "%.*s", (int)strcspn(stranger, "/"), stranger)));
    if (!all_told(context, host))
        return;
    reading_measure(out, "training.host_forward", name, host->forward, "TFLOP/s");
    reading_measure(out, "training.host_late", name, host->late, "%");
    reading_measure(out, "training.host_last", name, host->last, "%");
}

static const struct reason *straggler(struct arena *arena, const struct host_trained *host, const char *name)
{
    if (!(host->last >= LAST_PERCENT && host->late >= LATE_PERCENT))
        return NULL;
    return reason(arena, training_straggler, name, arena_printf(arena, "%.0f", host->last),
                  arena_printf(arena, "%.3g", host->late));
}

static void read_training(const struct check_context *context, const struct attempt *attempt,
                          struct reading *out)
{
    const struct host_trained *hosts;
    const struct reason *late = NULL, *one;
    const char *stranger;
    bool all = true;

    read_parts(context, attempt, out);
    hosts = take_all(context, out, &stranger);
    for (size_t i = 0; i < context->member_count; i++) {
        tell_host(context, &hosts[i], context->members[i]->name, stranger, out);
        all = all && all_told(context, &hosts[i]);
        if ((one = straggler(out->arena, &hosts[i], context->members[i]->name)) != NULL)
            late = reason_also(out->arena, late, one);
    }
    if (late != NULL)
        reading_fact_said(out, "training.stragglers", "", late);
    else if (all && out->status == READING_COMPLETE)
        reading_fact(out, "training.stragglers", "", slice_of("none"));
}

static unsigned expected_s(const struct check_context *context)
{
    enum {
        STEP_S = 4 /* of 32 layers on the slowest of these GPUs, exchanged over the fabric */,
        MAKING_S = 20 /* of weights and tokens */
    };

    return PROBE_GPU_OPENING_S + MAKING_S + (unsigned)context->member_count / 4 +
           STEP_S * (unsigned)check_number(context, "steps");
}

const struct check check_training_hosts = {
    .name = "training-hosts",
    .title = "Training step over hosts",
    .summary =
        "assay-probe-gpu-mpi: steps of a transformer on all GPUs of several hosts together: losses to the last bit, "
        "speed, which host comes late",
    .on = ON_GPUS,
    .scopes = SCOPE_HOSTS,
    .exclusive = EXCLUSIVE_HOST,
    .window = true,
    .loads = LOAD_GPUS | LOAD_NVLINKS,
    .loads_across = LOAD_PORTS,
    .arguments = ARGUMENTS(
        {"steps", ARGUMENT_COUNT, "30", "steps of the training, of which the first three are a warm-up"},
        PROBE_GPU_BACKEND_ROW),
    .arguments_valid = probe_gpu_steps_valid,
    .parts = PARTS({"main", "assay-probe-gpu", command, NULL}),
    .items = ITEMS(
        {"training.host", PER_MEMBER, NULL, DUTY_GATE,
         LIMITS RULES_EQUAL("training.host", "right", PROBE_GPU_SAME_WORK)},
        {"training.losses", PER_TARGET, NULL, DUTY_GATE,
         LIMITS RULES_EQUAL("training.losses", "all are numbers", PROBE_GPU_SAME_WORK)},
        {"training.host_forward", PER_MEMBER, NULL, DUTY_GATE, PROBE_GPU_MEASURED("training.host_forward")},
        {"training.tflops", PER_TARGET, NULL, DUTY_GATE, PROBE_GPU_MEASURED("training.tflops")},
        {"training.stragglers", PER_TARGET, NULL, DUTY_RECORD, NULL},
        {"training.host_late", PER_MEMBER, NULL, DUTY_RECORD, NULL},
        {"training.host_last", PER_MEMBER, NULL, DUTY_RECORD, NULL}, PROBE_GPU_TRAINING_RATES,
        {"training.digest", PER_TARGET, NULL, DUTY_RECORD, NULL}, PROBE_GPU_TRAINING_KIND),
    .more_slots = more_slots,
    .remedies =
        REMEDIES({"training.host", REASON(host_of_training_is_wrong)},
                 {"training.losses", REASON(training_goes_astray)},
                 {"training.host_forward", REASON(host_trains_slowly)},
                 {"training.tflops", REASON(see_training_stragglers)},
                 {"probe.hosts", REASON(see_which_ranks_did_not_start)},
                 {"sound", REASON(host_of_training_is_wrong), .about = &sentence_training_sums_wrong},
                 {"sound", REASON(host_of_training_is_wrong), .about = &sentence_training_answers_wrong},
                 {"sound", REASON(see_training_of_hosts_starts)}),
    .expected = expected_s,
    .read = read_training,
    .hosts_file = launcher_hosts_file,
};
