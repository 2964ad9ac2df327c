/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu-burn: progress updates joined by CR, then a verdict for each GPU.
 *
 * The program exits 0 with FAULTY GPUs, and calls a GPU OK on which nothing ever ran; it also forgets errors
 * at each summary. So a reading is complete only with a verdict for every GPU that it says it tested, the
 * errors of all updates count, and a GPU without work at the end is a fault (gpu_burn.idle).
 *
 * Numbers are the last update's, hence they are given only once the verdicts have come: before that a later
 * update may change them.
 *
 * With -i N the program tests device N and calls it "GPU 0". Where the only column belongs to the only
 * "Initialized device N", the subject is gpuN.
 */
#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "frame.h"

#include <stdio.h>
#include <string.h>

/* MAX_RUNS: what one output may hold of runs; of more, the reading says that it is not whole. */
enum { MAX_GPUS = 1024, MAX_RUNS = 2000, SUBJECT_BYTES = 32 };

enum verdict { VERDICT_NONE, VERDICT_OK, VERDICT_FAULTY };

struct gpu {
    double gflops, errors, errors_max, temperature, temperature_max, power;
    int64_t processed;
    bool has_gflops, has_temperature, has_power;
    bool worked; /* in some update */
    bool died;
    enum verdict verdict;
};

/* What a progress line shows. */
struct update {
    struct gpu gpus[MAX_GPUS];
    size_t count;
};

struct burn {
    struct frame frame;
    struct update update;
    LIST_OF(struct gpu) gpus;
    size_t columns;  /* of the last update; 0 before the first */
    uint64_t tested; /* as announced; 0 before that */
    size_t verdicts;
    size_t inits;                /* "Initialized device" lines of different devices */
    uint64_t init_device;        /* the first of them */
    const struct reason *damage; /* why the text cannot be whole */
    bool ours;                   /* a line that can only be gpu-burn's was seen */
};

static struct slice one_of(struct slice *rest, const char *separator)
{
    size_t at = slice_find(*rest, separator);
    struct slice item = at == (size_t)-1 ? *rest : (struct slice){rest->bytes, at};

    *rest = at == (size_t)-1 ? slice_from(*rest, rest->length) : slice_from(*rest, at + strlen(separator));
    return slice_trim(item);
}

static struct gpu *gpu_at(struct burn *burn, size_t index)
{
    while (burn->gpus.count <= index)
        list_push(burn->frame.reading->arena, &burn->gpus);
    return &burn->gpus.items[index];
}

/* "6783 (16942 Gflop/s)" */
static bool scan_work(struct slice item, struct gpu *gpu)
{
    struct slice word;

    if (!scan_word(&item, &word) || !scan_i64(word, &gpu->processed) || !scan_text(&item, " (") ||
        !scan_word(&item, &word))
        return false;
    gpu->has_gflops = scan_double(word, &gpu->gflops);
    return slice_equal(item, " Gflop/s)");
}

/* "0", "30472096  (WARNING!)", "-1  (DIED!)" */
static bool scan_errors(struct slice item, struct gpu *gpu)
{
    struct slice word;
    int64_t errors;

    if (!scan_word(&item, &word) || !scan_i64(word, &errors))
        return false;
    item = slice_trim(item);
    if (item.length > 0 && !slice_equal(item, "(WARNING!)") && !slice_equal(item, "(DIED!)"))
        return false;
    gpu->died = gpu->died || errors < 0 || slice_equal(item, "(DIED!)");
    /* The count is a C int that wraps; a negative one is no count but never means "none". */
    gpu->errors = errors < 0 ? 0 : (double)errors;
    return true;
}

/* "62 C", "418 W" or "--" off the front: what follows the last item on its line is another program's text. */
static bool scan_gauge(struct slice *rest, const char *unit, double *ret_value, bool *ret_known)
{
    struct slice word;

    if (!scan_word(rest, &word))
        return false;
    *ret_known = !slice_equal(word, "--");
    if (!*ret_known)
        return true;
    return scan_double(word, ret_value) && scan_word(rest, &word) && slice_equal(word, unit);
}

static bool scan_gauges(struct slice *rest, const char *unit, struct gpu *gpus, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct slice word;
        double value = 0;
        bool known, is_power = unit[0] == 'W';

        if (i > 0 && (!scan_word(rest, &word) || !slice_equal(word, "-")))
            return false;
        if (!scan_gauge(rest, unit, &value, &known))
            return false;
        *(is_power ? &gpus[i].has_power : &gpus[i].has_temperature) = known;
        *(is_power ? &gpus[i].power : &gpus[i].temperature) = value;
    }
    return true;
}

/* An update of its own, so that a damaged line changes nothing. */
static bool scan_update(struct slice line, struct update *update)
{
    size_t work_at = slice_find(line, "proc'd:"), errors_at = slice_find(line, "errors:"),
           temps_at = slice_find(line, "temps:"), count = 0;
    struct slice work, errors, gauges;

    update->count = 0;
    if (errors_at == (size_t)-1 || temps_at == (size_t)-1 || work_at > errors_at || errors_at > temps_at)
        return false;
    work = slice_trim((struct slice){line.bytes + work_at + 7, errors_at - work_at - 7});
    errors = slice_trim((struct slice){line.bytes + errors_at + 7, temps_at - errors_at - 7});
    gauges = slice_from(line, temps_at + 6);
    while (work.length > 0 && update->count < MAX_GPUS) {
        struct gpu *gpu = &update->gpus[update->count++];

        *gpu = (struct gpu){0};
        if (!scan_work(one_of(&work, " - "), gpu))
            return false;
    }
    for (; errors.length > 0; count++)
        if (count >= update->count || !scan_errors(one_of(&errors, "- "), &update->gpus[count]))
            return false;
    if (count != update->count || !scan_gauges(&gauges, "C", update->gpus, count))
        return false;
    gauges = slice_trim(gauges);
    if (scan_text(&gauges, "power:") && !scan_gauges(&gauges, "W", update->gpus, count))
        return false;
    return count > 0;
}

static void take_update(struct burn *burn, struct slice line)
{
    const struct update *update = &burn->update;

    if (!scan_update(line, &burn->update) || (burn->columns != 0 && update->count != burn->columns)) {
        burn->damage = REASON(progress_line_damaged);
        return;
    }
    burn->columns = update->count;
    for (size_t i = 0; i < update->count; i++) {
        struct gpu *gpu = gpu_at(burn, i), old = *gpu;

        *gpu = update->gpus[i];
        gpu->died = gpu->died || old.died;
        gpu->worked = old.worked || gpu->processed > 0;
        gpu->errors_max = old.errors_max > gpu->errors ? old.errors_max : gpu->errors;
        gpu->temperature_max =
            old.temperature_max > gpu->temperature ? old.temperature_max : gpu->temperature;
    }
}

/* "GPU 3: OK" below "Tested 8 GPUs:". */
static void take_verdict(struct burn *burn, struct slice line)
{
    uint64_t index;
    struct gpu *gpu;

    line = slice_trim(line);
    if (!scan_text(&line, "GPU ") || !scan_digits(&line, &index) || index >= burn->tested ||
        !scan_text(&line, ": "))
        return;
    line = slice_trim(line);
    if (!slice_equal(line, "OK") && !slice_equal(line, "FAULTY"))
        return;
    gpu = gpu_at(burn, index);
    if (gpu->verdict != VERDICT_NONE)
        burn->damage = REASON(two_verdicts_for_gpu);
    else
        burn->verdicts++;
    if (gpu->verdict != VERDICT_FAULTY)
        gpu->verdict = slice_equal(line, "OK") ? VERDICT_OK : VERDICT_FAULTY;
}

/* "..., using FLOATS, using Tensor Cores": in what it computes, of which alone its rate is one. */
static void take_arithmetic(struct burn *burn, struct slice line)
{
    bool doubles = slice_contains(line, "using DOUBLES");
    const char *name = slice_contains(line, "Tensor Cores") ? (doubles ? "double-tensor" : "tensor")
                       : doubles                            ? "double"
                                                            : "float";

    if ((doubles || slice_contains(line, "using FLOATS")) &&
        reading_get_fact(burn->frame.reading, "gpu_burn.arithmetic", "") == NULL)
        reading_fact(burn->frame.reading, "gpu_burn.arithmetic", "", slice_of(name));
}

static void take_init(struct burn *burn, struct slice line)
{
    uint64_t device;

    take_arithmetic(burn, line);
    line = slice_from(line, slice_find(line, "Initialized device ") + 19);
    if (!scan_digits(&line, &device))
        return;
    if (burn->inits == 0)
        burn->init_device = device;
    if (burn->inits == 0 || device != burn->init_device)
        burn->inits++;
}

/* "GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-...)": nvidia-smi -L, which the program runs first. */
static void take_listed_gpu(struct burn *burn, struct slice line)
{
    struct slice name, uuid;
    uint64_t index;
    char subject[SUBJECT_BYTES];

    scan_text(&line, "GPU ");
    if (!scan_digits(&line, &index) || index >= MAX_GPUS || !scan_text(&line, ": ") ||
        !slice_contains(line, " (UUID: ") || !slice_ends(line, ")"))
        return;
    name = (struct slice){line.bytes, slice_find(line, " (UUID: ")};
    uuid = slice_from(line, name.length + strlen(" (UUID: "));
    uuid.length--;
    snprintf(subject, sizeof subject, "gpu%llu", (unsigned long long)index);
    if (reading_get_fact(burn->frame.reading, "gpu.uuid", subject) != NULL)
        return;
    reading_fact(burn->frame.reading, "gpu.name", subject, name);
    reading_fact(burn->frame.reading, "gpu.uuid", subject, uuid);
}

/* What the program or its children complain of. Only a failure under load speaks of the hardware. */
static const struct complaint {
    const char *needle, *code;
    enum severity severity;
    bool fails;
} complaints[] = {
    {"Failure during compute:", "gpu_burn.compute_failed", SEVERITY_FAULT, false},
    {"Couldn't init a GPU test:", "gpu_burn.init_failed", SEVERITY_WARNING, true},
    {"Couldn't init CUDA:", "gpu_burn.init_failed", SEVERITY_WARNING, true},
    {"No CUDA devices", "gpu_burn.no_devices", SEVERITY_WARNING, true},
    {"No clients are alive!", "gpu_burn.no_clients", SEVERITY_WARNING, true},
    {"Unable to open compare file", "gpu_burn.error", SEVERITY_WARNING, true},
    {"Couldn't open ", "gpu_burn.error", SEVERITY_WARNING, true},
    {"Error in ", "gpu_burn.error", SEVERITY_WARNING, true},
    {"error while loading shared libraries", "gpu_burn.error", SEVERITY_WARNING, true},
    {"command not found", "gpu_burn.error", SEVERITY_WARNING, true},
    {"Segmentation fault", "gpu_burn.error", SEVERITY_WARNING, true},
    {"no temps available", "gpu_burn.no_temperatures", SEVERITY_INFO, false},
};

static void take_complaint(struct burn *burn, struct slice line)
{
    array_each (complaint, complaints, ARRAY_SIZE(complaints)) {
        size_t at = slice_find(line, complaint->needle);

        if (at == (size_t)-1)
            continue;
        line = slice_trim(slice_from(line, at));
        reading_finding(burn->frame.reading, complaint->severity, complaint->code, "",
                        reason(burn->frame.reading->arena, text, line));
        if (complaint->fails)
            frame_fail(&burn->frame, line);
        return;
    }
}

static const char *subject_of(const struct burn *burn, size_t index)
{
    uint64_t device = burn->columns <= 1 && burn->inits == 1 ? burn->init_device : index;

    return arena_printf(burn->frame.reading->arena, "gpu%llu", (unsigned long long)device);
}

static void measure(struct burn *burn, const struct gpu *gpu, const char *subject)
{
    struct reading *reading = burn->frame.reading;

    if (gpu->has_gflops && !gpu->died)
        reading_measure(reading, "gpu_burn.gflops", subject, gpu->gflops, "GFLOP/s");
    if (!gpu->died) {
        reading_measure(reading, "gpu_burn.errors", subject, gpu->errors, "");
        reading_measure(reading, "gpu_burn.errors_max", subject, gpu->errors_max, "");
    }
    if (gpu->has_temperature)
        reading_measure(reading, "gpu_burn.temperature", subject, gpu->temperature, "C");
    if (gpu->temperature_max > 0)
        reading_measure(reading, "gpu_burn.temperature_max", subject, gpu->temperature_max, "C");
    if (gpu->has_power)
        reading_measure(reading, "gpu_burn.power", subject, gpu->power, "W");
}

/* What the program says of a GPU that it could not even start on speaks of the program, not of the GPU. */
static void judge_gpu(struct burn *burn, const struct gpu *gpu, const char *subject, bool has_progress)
{
    struct reading *reading = burn->frame.reading;
    enum severity severity = gpu->worked || burn->frame.failure.length == 0 || gpu->errors_max > 0
                                 ? SEVERITY_FAULT
                                 : SEVERITY_WARNING;

    if (gpu->verdict == VERDICT_FAULTY)
        reading_finding(reading, severity, "gpu_burn.faulty", subject, REASON(gpu_burn_says_faulty));
    if (gpu->errors_max > 0)
        reading_finding(
            reading, severity, "gpu_burn.errors", subject,
            reason(reading->arena, wrong_results, arena_printf(reading->arena, "%.0f", gpu->errors_max)));
    if (gpu->died)
        reading_finding(reading, severity, "gpu_burn.died", subject,
                        gpu->worked ? REASON(process_died_under_load) : REASON(process_died_before_work));
    else if (has_progress && gpu->verdict != VERDICT_NONE &&
             (gpu->processed <= 0 || (gpu->has_gflops && gpu->gflops <= 0)))
        reading_finding(reading, severity, "gpu_burn.idle", subject,
                        reason(reading->arena, did_no_work, gpu->processed));
}

static void find_lacks(struct burn *burn)
{
    struct reading *reading = burn->frame.reading;

    if (burn->tested == 0)
        reading_lacks(reading, REASON(verdicts_missing));
    if (burn->verdicts < burn->tested)
        reading_lacks(reading,
                      reason(reading->arena, verdicts_not_of_all_gpus, burn->verdicts, burn->tested));
    if (burn->columns != burn->tested)
        reading_lacks(reading, reason(reading->arena, progress_not_of_all_gpus, burn->columns, burn->tested));
    if (burn->damage != NULL)
        reading_lacks(reading, burn->damage);
}

static void tell_gpus(struct burn *burn)
{
    bool final = burn->tested > 0 && burn->verdicts >= burn->tested;

    for (size_t i = 0; i < burn->gpus.count; i++) {
        const struct gpu *gpu = &burn->gpus.items[i];
        const char *subject = subject_of(burn, i);

        if (final && i < burn->columns)
            measure(burn, gpu, subject);
        if (gpu->verdict != VERDICT_NONE)
            reading_fact(burn->frame.reading, "gpu_burn.verdict", subject,
                         gpu->verdict == VERDICT_OK ? slice_of("ok") : slice_of("faulty"));
        judge_gpu(burn, gpu, subject, i < burn->columns);
    }
}

static bool is_progress(struct slice line)
{
    return slice_contains(line, "%") && slice_contains(line, "proc'd:");
}

/* Whether the line can only be gpu-burn's. */
static bool is_ours(struct slice line)
{
    static const char *const needles[] = {"Gflop/s",
                                          "Couldn't init a GPU test:",
                                          "Initialized device ",
                                          "Using compare file",
                                          "Failure during compute:",
                                          "Burning for ",
                                          "Couldn't init CUDA:",
                                          "No clients are alive!",
                                          "gpu_burn"};

    for (size_t i = 0; i < ARRAY_SIZE(needles); i++)
        if (slice_contains(line, needles[i]))
            return true;
    return slice_starts(slice_trim(line), "Tested ") && slice_ends(line, "GPUs:");
}

static void take_line(struct burn *burn, struct slice line)
{
    struct slice trimmed = slice_trim(line);

    if (is_progress(line))
        take_update(burn, line);
    else if (burn->tested > 0 && slice_starts(trimmed, "GPU "))
        take_verdict(burn, line);
    else if (slice_starts(trimmed, "GPU ") && slice_contains(line, " (UUID: "))
        take_listed_gpu(burn, trimmed);
    else if (scan_text(&trimmed, "Burning for ")) {
        uint64_t seconds;

        if (scan_digits(&trimmed, &seconds) &&
            reading_get_fact(burn->frame.reading, "gpu_burn.seconds", "") == NULL)
            reading_count(burn->frame.reading, "gpu_burn.seconds", seconds);
    } else if (scan_text(&trimmed, "Tested ")) {
        if (!scan_digits(&trimmed, &burn->tested) || !slice_equal(slice_trim(trimmed), "GPUs:") ||
            burn->tested > MAX_GPUS)
            burn->tested = 0;
    }
    if (slice_contains(line, "Initialized device "))
        take_init(burn, line);
    take_complaint(burn, line);
}

/* Past the last verdict: only another run begins with one of these. */
static bool begins_run(const struct burn *burn, struct slice line)
{
    return burn->tested > 0 && burn->verdicts >= burn->tested &&
           (slice_contains(line, "Burning for ") || slice_contains(line, " (UUID: ") ||
            slice_contains(line, "Using compare file") || is_progress(line));
}

static void read_line(void *state, struct slice line)
{
    struct burn *burn = state;

    if (begins_run(burn, line)) {
        if (burn->frame.all->runs.count < MAX_RUNS) {
            frame_next_run(burn);
            burn->ours = true;
        } else {
            burn->damage = REASON(too_many_runs);
        }
    }
    burn->ours = burn->ours || is_ours(line);
    take_line(burn, line);
}

/* A verdict is two words that no cut turns into others. */
static bool is_whole(void *state, struct slice tail)
{
    (void)state;
    return slice_ends(tail, ": OK") || slice_ends(tail, ": FAULTY");
}

static void end(void *state)
{
    struct burn *burn = state;
    struct slice tail = slice_trim(burn->frame.tail);

    /* What failed has failed, whether its line is ended or not. */
    take_complaint(burn, tail);
    tell_gpus(burn);
    if (!burn->ours && !is_ours(tail)) {
        burn->frame.failure.length = 0; /* anybody's */
        reading_strange(burn->frame.reading, REASON(no_gpu_burn_output));
    }
    find_lacks(burn);
}

const struct parser parse_gpu_burn = {
    .name = "gpu-burn",
    .version = 1,
    .summary = "gpu-burn: progress and verdicts",
    .metrics = METRICS(
        {"gpu_burn.gflops", "GFLOP/s", BETTER_HIGHER, "rate of the last update", true, true},
        {"gpu_burn.errors", "", BETTER_LOWER,
         "wrong results in the last update; the program forgets them at each summary"},
        {"gpu_burn.errors_max", "", BETTER_LOWER, "most wrong results shown in any update"},
        {"gpu_burn.temperature", "C", BETTER_LOWER, "temperature in the last update"},
        {"gpu_burn.temperature_max", "C", BETTER_LOWER, "highest temperature of any update"},
        {"gpu_burn.power", "W", BETTER_NEITHER, "power in the last update (newer versions)"},
        {"gpu_burn.*.gflops", "GFLOP/s", BETTER_HIGHER,
         "the same, of one kind of arithmetic: float, tensor, double"},
        {"beside.gflops", "GFLOP/s", BETTER_HIGHER,
         "rate of a host's slowest GPU while another test ran beside it"},
        {"beside.of_others", "%", BETTER_HIGHER, "the same, of the median of all GPUs of that test",
         .members = true},
        {"beside.temperature.max", "C", BETTER_LOWER, "highest of a host's GPUs meanwhile"},
        {"beside.power.max", "W", BETTER_NEITHER, "likewise"},
        {"beside.clock.min", "MHz", BETTER_HIGHER, "lowest SM clock of a host's GPUs at work meanwhile"},
        {"gpu_burn.lasted", "s", BETTER_HIGHER, "how long it burned, by its own word and the host's clock"}),
    .grammar = GRAMMAR(.state_bytes = sizeof(struct burn), .flags = FRAME_STREAM | FRAME_RUNS | LINES_RANKS,
                       .line = read_line, .is_whole = is_whole, .end = end),
};
