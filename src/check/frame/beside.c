/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fault that only shows while the GPUs compute and the fabric carries at once (power, heat, a supply that sags) is seen by
 * no test of either. So a collective may have gpu_burn beside it: the first rank of each host starts it, waits until each
 * GPU does work, then is the program as all others are, and ends gpu_burn behind it. It is one command, one deadline and one
 * mark: what ends the test ends the load, and a test is taken up again with it.
 *
 * What it found each host leaves to be asked for after the test by a session of its own, as with witness.c: what rank 0
 * prints of other hosts would be rank 0's word.
 *
 * A GPU serves two programs in turn (NVIDIA, "Multi-Process Service": without MPS kernels of two processes do not run at the
 * same time), so the collective is slower by a factor that nobody publishes. No limit of GPUs at rest holds for it: its
 * bandwidth has a name of its own, and is compared with itself over the slices of a soak.
 */
#include "beside.h"

#include <math.h>
#include <string.h>

#include "assay/base/robust.h"
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"
#include "assay/reasons/parse.h"
#include "assay/reasons/words.h"

#include "rules.h"
#include "samples.h"
#include "script.h"
#include "window.h"
#include "window_rows.h"

#define NOT_TOLD "not told"

enum {
    ROUNDS_LEAST = 50,
    STARTING_S = 120,  /* gpu_burn does work by then: it compares its first products after some seconds */
    LONGER_S = 60,     /* it is not done before the test's deadline */
    MEMORY_SHARE = 8,  /* of the GPU's memory it takes one in so many, of which the collective has no need */
    MEMORY_MIB = 4096, /* where the platform does not say how much there is */
};

const char *check_beside(const struct suite_step *step)
{
    const struct json *given = json_get(step->arguments, BESIDE_ARGUMENT);

    return given != NULL && given->type == JSON_STRING && *given->string != '\0' ? given->string : NULL;
}

const char *beside_fault(const struct check_context *context)
{
    const char *beside = check_beside(context->step);

    if (beside == NULL)
        return NULL;
    if (strcmp(beside, BESIDE_GPU_BURN) != 0)
        return "\"beside\" is not \"" BESIDE_GPU_BURN "\"";
    if (context->step->by != NULL && strcmp(context->step->by, "rail") == 0)
        return "\"beside\" loads whole hosts, and \"by\" is \"rail\"";
    return NULL;
}

void beside_script(const struct check_context *context, struct text *out)
{
    const struct suite_tool *tool = check_tool(context, "gpu_burn");
    double memory = context->platform->gpu_memory_gib * 1024 / MEMORY_SHARE,
           pause_s = 1 / context->timescale > 0.1 ? 1 / context->timescale : 0.1;

    script_set_number(out, "memory_mib", memory > 0 ? floor(memory) : MEMORY_MIB, 0);
    script_set_number(out, "pause_s", pause_s, 1);
    script_set_number(out, "rounds", fmax(ceil(STARTING_S / context->timescale / pause_s), ROUNDS_LEAST), 0);
    script_set_number(out, "every_s", samples_interval_s(context), 0);
    script_set(out, "gpu_burn", tool->folder == NULL ? tool->path : "");
    script_tool_exec(context, out, "gpu_burn", "gpu_burn");
    script_tool_exec(context, out, "nvidia_smi", "nvidia-smi");
    text_put(out, script_beside);
}

void beside_seconds(const struct check_context *context, struct text *out)
{
    text_printf(out, "\"$((ASSAY_DEADLINE * %.0f + %d))\"", ceil(context->timescale), LONGER_S);
}

/* Of a single host's test it is of the test as a whole. */
static const char *subject_of(const struct check_context *context, size_t member)
{
    return context->member_count > 1 ? context->members[member]->name : "";
}

/* What nvidia-smi saw of a host's GPUs, in the order of beside.sh; of each GPU, and so of all, the worst. */
static const struct {
    const char *metric, *unit;
    bool least;
} seen[] = {{"beside.temperature.max", "C", false},
            {"beside.power.max", "W", false},
            {"beside.clock.min", "MHz", true}};

enum { SEEN = ARRAY_SIZE(seen) };

void beside_slots(const struct check_context *context, struct slot_list *slots)
{
    static const struct limit loaded[] =
        RULES_EQUAL("beside.load", "all the time",
                    "assay: gpu_burn worked before the test began and when it ended", .inconclusive = true);
    static const struct limit right[] =
        RULES_EQUAL("beside.results", "right", "gpu_burn compares its products");
    static const struct limit no_slowdown[] = {{.metric = "beside.slowdown",
                                                .rule = RULE_ONE_OF,
                                                .text = "none|" NOT_TOLD,
                                                .status = LIMIT_TOOL,
                                                .source = "assay"},
                                               {.metric = "beside.slowdown",
                                                .rule = RULE_READ,
                                                .text = "none",
                                                .status = LIMIT_TOOL,
                                                .inconclusive = true,
                                                .note = REASON(throttle_reasons_of_gpus),
                                                .source = "assay"},
                                               {0}};
    /* Recorded, and remarked on: GPUs of one test do the same work, and nobody has published by how much healthy ones differ. */
    static const struct limit of_others[] =
        RULES(.metric = "beside.of_others", .rule = RULE_FLOOR, .value = 85, .unit = "%",
              .status = LIMIT_TOOL, .source = "assay: GPUs of one test do the same work");
    static const struct {
        const char *metric;
        enum duty duty;
        const struct limit *limits;
    } rows[] = {
        {"beside.load", DUTY_GATE, loaded},           {"beside.results", DUTY_GATE, right},
        {"beside.slowdown", DUTY_GATE, no_slowdown},  {"beside.gflops", DUTY_RECORD, NULL},
        {"beside.of_others", DUTY_RECORD, of_others}, {"beside.temperature.max", DUTY_RECORD, NULL},
        {"beside.power.max", DUTY_RECORD, NULL},      {"beside.clock.min", DUTY_RECORD, NULL},
    };

    /* The hosts' items of a metric stand next to one another: they are compared. */
    for (size_t k = 0; k < ARRAY_SIZE(rows); k++)
        for (size_t i = 0; i < context->member_count; i++)
            slot_add(context, slots, rows[k].metric, subject_of(context, i), NULL, rows[k].duty,
                     rows[k].limits);
}

struct rates {
    LIST_OF(double) items; /* Gflop/s of all GPUs of the test */
};

/* What one host left, taken apart. */
struct load {
    struct slice loaded; /* "yes" */
    unsigned gpus;
    double slowest; /* Gflop/s */
    struct rates *all;
    const struct reason *wrong;
    struct slice watched;                 /* "yes" */
    unsigned expected, gpus_with_reasons, /* of the platform; of those */
        gpus_without;                     /* whose driver has no such field */
    double seen[SEEN];                    /* NAN: no number */
    const struct reason *slowdown;
};

/* "gpu3=51234:0" */
static bool scan_gpu(struct arena *arena, struct slice word, struct load *load)
{
    struct slice name = word;
    size_t equals = slice_find(word, "="), colon = slice_find(word, ":");
    double rate, errors;

    if (equals == (size_t)-1 || colon == (size_t)-1 || colon < equals || !scan_text(&name, "gpu") ||
        !scan_double((struct slice){word.bytes + equals + 1, colon - equals - 1}, &rate) ||
        !scan_double(slice_from(word, colon + 1), &errors))
        return false;
    name = (struct slice){word.bytes, equals};
    if (errors != 0)
        load->wrong = reason_also(
            arena, load->wrong,
            reason(arena, about, name,
                   errors < 0 ? REASON(gpu_burn_died_on_it)
                              : reason(arena, wrong_results, arena_printf(arena, "%.0f", errors))));
    load->slowest = load->gpus == 0 ? rate : fmin(load->slowest, rate);
    load->gpus++;
    *list_push(arena, &load->all->items) = rate;
    return true;
}

static bool next_cell(struct slice *rest, const char *end, struct slice *ret_cell)
{
    size_t at = slice_find(*rest, end);

    if (rest->length == 0)
        return false;
    *ret_cell = (struct slice){rest->bytes, at != (size_t)-1 ? at : rest->length};
    *rest = slice_from(*rest, at != (size_t)-1 ? at + 1 : rest->length);
    return true;
}

/* "0x44"; "untold", of a driver that has no reasons; "-" */
static bool scan_reasons(struct arena *arena, const char *gpu, struct slice word, struct load *load)
{
    uint64_t reasons;
    const char *names;

    if (slice_equal(word, "-"))
        return true;
    if (slice_equal(word, "untold")) {
        load->gpus_without++;
        return true;
    }
    if (!samples_read_reasons(word, &reasons))
        return false;
    load->gpus_with_reasons++;
    names = samples_slowdowns(arena, reasons);
    if (names != NULL)
        load->slowdown =
            reason_also(arena, load->slowdown, reason(arena, about, gpu, reason_text(arena, names)));
    return true;
}

/* "saw3=71:690:1410:0x24" */
static bool scan_seen(struct arena *arena, struct slice word, struct load *load)
{
    struct slice cell;
    uint64_t gpu;

    if (!scan_text(&word, "saw") || !next_cell(&word, "=", &cell) || !scan_u64(cell, &gpu))
        return false;
    /* A card beside those of the platform is loaded by nobody. */
    if (gpu >= load->expected)
        return true;
    for (size_t i = 0; i < SEEN; i++) {
        double number;

        if (!next_cell(&word, ":", &cell))
            return false;
        if (slice_equal(cell, "-"))
            continue;
        if (!scan_double(cell, &number))
            return false;
        load->seen[i] = seen[i].least ? fmin(load->seen[i], number) : fmax(load->seen[i], number);
    }
    return scan_reasons(arena, arena_printf(arena, "gpu%u", (unsigned)gpu), word, load);
}

static bool scan_load(struct arena *arena, struct slice words, unsigned gpus, struct rates *all,
                      struct load *load)
{
    struct slice word;

    *load = (struct load){.slowest = NAN, .all = all, .expected = gpus, .seen = {NAN, NAN, NAN}};
    if (!scan_word(&words, &word) || !scan_text(&word, "loaded="))
        return false;
    load->loaded = word;
    while (scan_word(&words, &word)) {
        if (scan_text(&word, "watched="))
            load->watched = word;
        else if (load->watched.length > 0 ? !scan_seen(arena, word, load) : !scan_gpu(arena, word, load))
            return false;
    }
    return true;
}

static const struct reason *load_said(const struct check_context *context, struct arena *arena,
                                      const struct load *load)
{
    unsigned gpus = context->platform->gpu_count;

    if (slice_equal(load->loaded, "late"))
        return reason(arena, no_load_in_time, STARTING_S);
    if (slice_equal(load->loaded, "ended"))
        return REASON(load_ended_early);
    if (!slice_equal(load->loaded, "yes"))
        return reason_quote(arena, load->loaded);
    if (load->gpus != gpus)
        return reason(arena, load_of_some_gpus, load->gpus, gpus);
    return REASON(all_the_time);
}

/* What was seen counts; that nothing was, only of all GPUs and to the end. Where none of the host's GPUs has such reasons, the other
   hosts answer. */
static void tell_slowdown(const struct check_context *context, struct reading *out, const char *subject,
                          const struct load *load)
{
    unsigned gpus = context->platform->gpu_count;

    if (load->slowdown != NULL)
        reading_fact_said(out, "beside.slowdown", subject, load->slowdown);
    else if (!slice_equal(load->watched, "yes"))
        reading_unread(out, "beside.slowdown", subject, REASON(watch_ended_early));
    else if (load->gpus_without == gpus)
        reading_fact(out, "beside.slowdown", subject, slice_of(NOT_TOLD));
    else if (load->gpus_with_reasons < gpus)
        reading_unread(out, "beside.slowdown", subject,
                       reason(out->arena, watched_some_gpus, load->gpus_with_reasons, gpus));
    else
        reading_fact_said(out, "beside.slowdown", subject, REASON(word_none));
}

static void unread(struct reading *out, const char *subject, const struct reason *why)
{
    static const char *const codes[] = {"beside.load.unread", "beside.results.unread",
                                        "beside.slowdown.unread", "beside.gflops.unread",
                                        "beside.of_others.unread"};

    for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
        reading_finding(out, SEVERITY_INFO, codes[i], subject, why);
}

/* How the slowest GPU of each host stands to the middle of all. */
static void compare(struct rates *all, struct reading *out)
{
    double median = all->items.count > 1 ? robust_median(all->items.items, all->items.count) : 0;
    size_t count = out->measurements.count;

    for (size_t i = 0; median > 0 && i < count; i++) {
        const struct measurement slowest = out->measurements.items[i];

        if (strcmp(slowest.metric, "beside.gflops") == 0)
            reading_measure(out, "beside.of_others", slowest.subject,
                            round(1000 * slowest.value / median) / 10, "%");
    }
}

void beside_read(const struct check_context *context, const struct attempt *attempt, struct reading *out)
{
    struct rates all = {0};

    for (size_t i = 0; check_beside(context->step) != NULL && i < context->member_count; i++) {
        const char *subject = subject_of(context, i);
        const struct reason *why;
        struct slice words = window_said(context, attempt, i, WINDOW_AFTER, WINDOW_BESIDE, &why);
        struct load load;

        if (why != NULL || !scan_load(out->arena, words, context->platform->gpu_count, &all, &load)) {
            unread(out, subject, why != NULL ? why : reason_quote(out->arena, words));
            continue;
        }
        reading_fact_said(out, "beside.load", subject, load_said(context, out->arena, &load));
        tell_slowdown(context, out, subject, &load);
        for (size_t k = 0; k < SEEN; k++)
            if (!isnan(load.seen[k]))
                reading_measure(out, seen[k].metric, subject, load.seen[k], seen[k].unit);
        if (load.gpus == 0)
            continue;
        reading_fact_said(out, "beside.results", subject,
                          load.wrong != NULL ? load.wrong : REASON(answers_right));
        reading_measure(out, "beside.gflops", subject, load.slowest, "GFLOP/s");
    }
    compare(&all, out);
}
