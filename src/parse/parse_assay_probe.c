/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our own probe, assay-probe-collective: a line of JSON each for what was measured, the sizes, the ranks and the
 * end. The head says how many sizes and ranks will come, and the end that all was done, so that nothing that is
 * cut or lost passes for whole.
 *
 * Subjects of what is told of ranks are "node3/rank5": host and rank.
 */
#include <math.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "loose_json.h"
#include "probe_lines.h"

enum { MAX_RUNS = 1000, MAX_RANKS = 1 << 20 };

struct probe_run {
    struct frame frame;
    const char *collective, *type, *redop;
    double ranks, sizes; /* as announced */
    double ranks_seen, sizes_seen;
    double wrong, last_size;
    bool *rank_seen;             /* by rank */
    const struct reason *damage; /* why the text cannot be whole */
    bool seen;                   /* a line of ours was */
    bool full;                   /* no more runs are read */
    bool began, ended, ended_wrong;
};

/* A number that must be there. */
static bool take_number(struct probe_run *run, const struct json *line, const char *key, double *ret_number)
{
    return probe_line_number(run->frame.reading, line, key, -INFINITY, ret_number, &run->damage);
}

static void take_head(struct probe_run *run, const struct json *head)
{
    static const char *const facts[] = {"program", "collective", "backend", "mpi", "nccl", "cuda", "driver"};
    static const char *const numbers[] = {"ranks", "hosts", "iterations"};
    struct arena *arena = run->frame.reading->arena;

    run->began = true;
    run->collective = json_string(head, "collective", "unknown");
    run->type = json_string(head, "type", "");
    run->redop = json_string(head, "redop", "");
    for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
        if (json_string(head, facts[i], NULL) != NULL)
            reading_fact(run->frame.reading, arena_printf(arena, "probe.%s", facts[i]), "",
                         slice_of(json_string(head, facts[i], "")));
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
        if (json_number(head, numbers[i], -1) >= 0)
            reading_fact(run->frame.reading, arena_printf(arena, "probe.%s", numbers[i]), "",
                         slice_of(arena_printf(arena, "%.0f", json_number(head, numbers[i], 0))));
    reading_fact(run->frame.reading, "probe.validation", "",
                 slice_of(json_boolean(head, "check", false) ? "1" : "0"));
    if (!take_number(run, head, "ranks", &run->ranks) || !take_number(run, head, "sizes", &run->sizes))
        return;
    if (json_number(head, "assay_probe", 0) != 1)
        run->damage = REASON(other_probe_version);
    if (run->ranks < 1 || run->ranks > MAX_RANKS)
        run->damage = REASON(number_of_ranks_invalid);
    else
        run->rank_seen = arena_array(arena, bool, (size_t)run->ranks);
}

static void measure_size(struct probe_run *run, double size, const char *what, double value, const char *unit)
{
    struct reading *reading = run->frame.reading;
    struct measurement *measurement = reading_measure(
        reading, arena_printf(reading->arena, "probe.%s.%s", run->collective, what), "", value, unit);

    reading_at_number(reading, measurement, "size_bytes", size);
    reading_at_text(reading, measurement, "place", slice_of("out"));
    reading_at_text(reading, measurement, "type", slice_of(run->type));
    reading_at_text(reading, measurement, "redop", slice_of(run->redop));
}

static void take_size(struct probe_run *run, const struct json *line)
{
    double size, moved, time, algbw, busbw, spread, wrong;

    if (!take_number(run, line, "size_bytes", &size) || !take_number(run, line, "moved_bytes", &moved) ||
        !take_number(run, line, "time_us", &time) || !take_number(run, line, "algbw", &algbw) ||
        !take_number(run, line, "busbw", &busbw) || !take_number(run, line, "spread_us", &spread))
        return;
    if (size <= run->last_size || time <= 0 || fabs(moved / time / 1e3 - algbw) > 1e-3 * algbw) {
        run->damage = REASON(sizes_do_not_add_up);
        return;
    }
    run->last_size = size;
    run->sizes_seen++;
    measure_size(run, size, "time", time, "us");
    measure_size(run, size, "algbw", algbw, "GB/s");
    measure_size(run, size, "busbw", busbw, "GB/s");
    measure_size(run, size, "spread", spread, "us");
    if (!loose_number(line, "wrong", &wrong))
        return;
    measure_size(run, size, "wrong", wrong, "");
    run->wrong += wrong;
    if (wrong > 0)
        reading_finding(run->frame.reading, SEVERITY_FAULT,
                        arena_printf(run->frame.reading->arena, "probe.%s.wrong", run->collective), "",
                        reason(run->frame.reading->arena, wrong_elements_at_size,
                               arena_printf(run->frame.reading->arena, "%.0f", wrong),
                               arena_printf(run->frame.reading->arena, "%.0f", size)));
}

static void take_rank(struct probe_run *run, const struct json *line)
{
    static const struct {
        const char *key, *metric, *unit;
    } rows[] = {
        {"late_us", "probe.late", "us"},
        {"late_max_us", "probe.late_max", "us"},
        {"duration_us", "probe.duration", "us"},
        {"clock_error_us", "probe.clock_error", "us"},
        {"last", "probe.last", ""},
        {"rounds", "probe.rounds", ""},
        {"path", "probe.path", "GB/s"},
    };
    const char *host = json_string(line, "host", ""), *straggler = json_string(line, "straggler", NULL),
               *subject;
    double rank, value;

    if (!take_number(run, line, "rank", &rank))
        return;
    if (run->rank_seen == NULL || rank < 0 || rank >= run->ranks || run->rank_seen[(size_t)rank] ||
        *host == '\0') {
        run->damage = REASON(rank_not_expected);
        return;
    }
    run->rank_seen[(size_t)rank] = true;
    run->ranks_seen++;
    subject = arena_printf(run->frame.reading->arena, "%s/rank%.0f", host, rank);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (loose_number(line, rows[i].key, &value))
            reading_measure(run->frame.reading, rows[i].metric, subject, value, rows[i].unit);
    if (json_string(line, "device", NULL) != NULL)
        reading_fact(run->frame.reading, "probe.device", subject, slice_of(json_string(line, "device", "")));
    if (straggler == NULL)
        return;
    reading_fact(run->frame.reading, "probe.straggler", subject, slice_of(straggler));
    reading_finding(run->frame.reading, SEVERITY_WARNING, "probe.straggler", subject,
                    strcmp(straggler, "path") == 0 ? REASON(rank_has_slow_paths) : REASON(rank_arrives_last));
}

static void take_end(struct probe_run *run, const struct json *line)
{
    const char *how = json_string(line, "end", ""), *reason = json_string(line, "reason", NULL);
    struct arena *arena = run->frame.reading->arena;

    run->ended = true;
    run->ended_wrong = strcmp(how, "wrong") == 0;
    json_each (rank, json_get(line, "waiting_for"))
        reading_finding(
            run->frame.reading, SEVERITY_WARNING, "probe.not_arrived",
            arena_printf(arena, "%s/rank%.0f", json_string(rank, "host", "?"), json_number(rank, "rank", -1)),
            REASON(all_waited_for_rank));
    if (strcmp(how, "ok") != 0 && !run->ended_wrong)
        frame_fail(&run->frame, slice_of(reason != NULL ? reason : how));
}

static void take_line(struct probe_run *run, struct slice text, const char *key)
{
    const struct json *line = probe_line_read(run->frame.reading, text, run->ended, &run->damage);

    if (line == NULL)
        return;
    if (strcmp(key, "end") == 0)
        take_end(run, line);
    else if (strcmp(key, "assay_probe") == 0)
        take_head(run, line);
    else if (!run->began)
        run->damage = REASON(beginning_missing);
    else if (strcmp(key, "size_bytes") == 0)
        take_size(run, line);
    else if (strcmp(key, "rank") == 0)
        take_rank(run, line);
}

static void end(void *state)
{
    struct probe_run *run = state;
    struct reading *reading = run->frame.reading;

    probe_lines_end(reading, run->seen, run->ended, run->damage, REASON(no_probe_collective_output));
    if (!run->began || run->sizes_seen != run->sizes || run->ranks_seen != run->ranks)
        reading_lacks(reading, reason(reading->arena, sizes_or_ranks_missing,
                                      arena_printf(reading->arena, "%.0f", run->sizes_seen),
                                      arena_printf(reading->arena, "%.0f", run->sizes),
                                      arena_printf(reading->arena, "%.0f", run->ranks_seen),
                                      arena_printf(reading->arena, "%.0f", run->ranks)));
    if (run->ended_wrong != (run->wrong > 0))
        reading_lacks(reading, REASON(end_and_sizes_differ));
}

/* The first key of a line of ours; NULL: it is none. Rounds (--arrivals) are for people. */
static const char *key_of(struct slice line)
{
    static const char *const keys[] = {"assay_probe", "size_bytes", "rank", "end"};

    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        if (probe_line_has(line, keys[i]))
            return keys[i];
    return NULL;
}

static void begin(void *state)
{
    struct probe_run *run = state;

    run->collective = "unknown";
}

static void read_line(void *state, struct slice line)
{
    struct probe_run *run = state;
    const char *key = run->full ? NULL : key_of(line);

    if (key == NULL)
        return;
    if (run->began && strcmp(key, "assay_probe") == 0) {
        run->full = run->frame.all->runs.count >= MAX_RUNS;
        if (run->full) {
            run->damage = REASON(too_many_runs);
            return;
        }
        frame_next_run(run);
    }
    run->seen = true;
    take_line(run, line, key);
}

const struct parser parse_assay_probe = {
    .name = "assay-probe",
    .version = 1,
    .summary = "assay-probe-collective: bandwidth of a collective, and who is slow",
    .metrics = METRICS(
        {"probe.*.busbw", "GB/s", BETTER_HIGHER, "bus bandwidth by nccl-tests' formulas, of the slowest rank",
         true},
        {"probe.*.algbw", "GB/s", BETTER_HIGHER, "size / time"},
        {"probe.*.time", "us", BETTER_LOWER, "time of a round, of the slowest rank"},
        {"probe.*.spread", "us", BETTER_LOWER,
         "time between the first and the last rank's arrival at a round, median"},
        {"probe.*.wrong", "", BETTER_LOWER, "elements that came out wrong"},
        {"probe.late", "us", BETTER_LOWER, "how much later than the middle rank this one arrives, median"},
        {"probe.late_max", "us", BETTER_LOWER, "the same, at most"},
        {"probe.duration", "us", BETTER_NEITHER,
         "time this rank spends in a round, median; those that wait spend more"},
        {"probe.clock_error", "us", BETTER_LOWER, "how well the host's clock is known against rank 0's"},
        {"probe.last", "", BETTER_LOWER, "rounds in which this rank arrived last"},
        {"probe.rounds", "", BETTER_NEITHER, "rounds that were looked at"},
        {"probe.path", "GB/s", BETTER_HIGHER, "the best path of this rank to another host"},
        {"probe.host_path", "GB/s", BETTER_HIGHER,
         "of a host: the least of its ranks' best paths (check probe-collective)"},
        {"probe.host_late", "us", BETTER_LOWER,
         "of a host: the most of its ranks' lateness (check probe-collective)"}),
    .grammar = GRAMMAR(.state_bytes = sizeof(struct probe_run), .flags = FRAME_STREAM | FRAME_RUNS,
                       .begin = begin, .line = read_line, .end = end),
};
