/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep.h"

#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

#include <math.h>
#include <string.h>

#include "assay/base/robust.h"

#include "clients.h"

const struct sweep_job sweep_jobs[] = {
    {"write", "bandwidth", "GB/s", .fio = "write"},
    {"read", "bandwidth", "GB/s", .fio = "read", .needs = "write"},
    {"shared", "bandwidth", "GB/s", .fio = "read", .needs = "write"},
    {"randwrite", "iops", "", .fio = "write"},
    {"randread", "iops", "", .fio = "read", .needs = "write"},
    {"checkpoint", "bandwidth", "GB/s", .fio = "write", .once = true},
    {"restore", "bandwidth", "GB/s", .fio = "read", .needs = "checkpoint", .once = true, .by_first = true},
    {"create", "files", "", .counted = COUNTED_OWN},
    {"stat", "files", "", .needs = "create", .counted = COUNTED_OWN},
    {"delete", "files", "", .needs = "create"},
    {"fill", "files", "", .counted = COUNTED_OWN},
    {"list", "files", "", .needs = "fill", .counted = COUNTED_ALL},
    {"clear", "files", "", .needs = "fill"},
    {0},
};

/* fio counts in ms and KiB a second, and ends a job a few ms early or late. What was written is the product of both. */
#define RUNTIME_TOLERANCE 0.01
#define BYTES_TOLERANCE 0.05

bool sweep_has_job(const struct check_context *context, const char *name)
{
    const struct json *jobs = json_get(context->step->arguments, "jobs");

    json_each (named, jobs)
        if (strcmp(named->string, name) == 0)
            return true;
    return jobs == NULL;
}

const struct sweep_job *sweep_job(const struct check_context *context, size_t i)
{
    for (const struct sweep_job *job = sweep_jobs; job->name != NULL; job++)
        if (sweep_has_job(context, job->name) && i-- == 0)
            return job;
    return NULL;
}

size_t sweep_workers(const struct sweep_job *job, size_t level)
{
    return job->by_first ? 1 : level;
}

size_t sweep_level(const struct check_context *context, size_t i)
{
    size_t level = 1, all = context->member_count;

    for (; i > 0; i--) {
        if (level >= all)
            return 0;
        level = level * 2 < all ? level * 2 : all;
    }
    return level;
}

const char *sweep_subject(struct arena *arena, size_t level)
{
    return arena_printf(arena, "%zu clients", level);
}

const char *sweep_metric(struct arena *arena, const char *whose, const struct sweep_job *job,
                         const char *what)
{
    return arena_printf(arena, "%s.%s.%s", whose, job->name, what);
}

enum {
    PAUSE_S = 5,      /* fio starts, and what it wrote goes out */
    SLOT_LEAST_S = 3, /* where time is scaled */
    LATE_LEAST_S = 5,
};
/* So much of a job may have passed when the last of its clients begins. */
#define LATE_SHARE 0.1

double sweep_slot_s(const struct check_context *context)
{
    return clients_scaled_s(context, check_number(context, "seconds") + PAUSE_S, SLOT_LEAST_S);
}

double sweep_late_s(const struct check_context *context)
{
    double share = check_number(context, "seconds") * LATE_SHARE;

    return context->timescale > 1 ? fmax(share, LATE_LEAST_S) : share;
}

/* --- what the hosts said --- */

/* One client in one job of one level. */
struct result {
    bool begun, measured;
    double late, value, files;
    const struct reason *why; /* it is not measured */
};

struct sweep {
    struct clients clients;
    size_t job_count, level_count;
    struct result *results; /* by job, level and member */
};

static struct result *result_of(const struct sweep *sweep, size_t job, size_t level, size_t member)
{
    return &sweep->results[(job * sweep->level_count + level) * sweep->clients.count + member];
}

/* Of "write.4": which result of the member it speaks of; NULL: of none. */
static struct result *result_named(const struct sweep *sweep, struct slice name, size_t member,
                                   const struct sweep_job **ret_job)
{
    uint64_t clients;

    for (size_t k = 0; (*ret_job = sweep_job(sweep->clients.context, k)) != NULL; k++) {
        struct slice rest = name;

        if (!scan_text(&rest, (*ret_job)->name) || !scan_text(&rest, ".") || !scan_u64(rest, &clients))
            continue;
        for (size_t i = 0; i < sweep->level_count; i++)
            if (sweep_level(sweep->clients.context, i) == clients)
                return result_of(sweep, k, i, member);
    }
    return NULL;
}

static const struct reason *first_fault(const struct reading *fio)
{
    for (size_t i = 0; i < fio->findings.count; i++)
        if (fio->findings.items[i].severity == SEVERITY_FAULT)
            return fio->findings.items[i].what;
    return NULL;
}

static double measured(const struct reading *fio, const struct sweep_job *job, const char *what)
{
    const struct measurement *measurement =
        reading_get(fio, arena_printf(fio->arena, "storage.%s.%s", job->fio, what), "");

    return measurement != NULL ? measurement->value : NAN;
}

/* Why it did less than was asked; NULL: it did not. Reading once may well take longer than its time, and is as fast as it was. */
static const struct reason *fell_short(const struct sweep *sweep, const struct sweep_job *job, double ran,
                                       double gbs)
{
    struct arena *arena = sweep->clients.out->arena;
    double seconds = check_number(sweep->clients.context, "seconds");
    double bytes = check_number(sweep->clients.context, "size");

    if (!job->once && (isnan(ran) || ran < seconds * (1 - RUNTIME_TOLERANCE)))
        return reason(arena, fio_ran_short, arena_printf(arena, "%.1f", isnan(ran) ? 0 : ran), seconds);
    if (job->once && !job->by_first && !(ran * gbs * 1e9 >= bytes * (1 - BYTES_TOLERANCE)))
        return reason(arena, wrote_less_in_time, arena_printf(arena, "%.3g", ran * gbs),
                      arena_printf(arena, "%.3g", bytes / 1e9));
    return NULL;
}

static void take_fio(const struct sweep *sweep, size_t member, struct result *result,
                     const struct sweep_job *job, const char *line)
{
    struct arena *arena = sweep->clients.out->arena;
    struct reading fio;

    parser_run(parser_find("fio"), slice_of(arena_printf(arena, "%s\n", line)), arena, &fio);
    result->value = measured(&fio, job, job->what);
    result->why = first_fault(&fio);
    if (result->why != NULL) {
        sweep->clients.list[member].fault = result->why;
        return;
    }
    if (fio.status != READING_COMPLETE)
        result->why = reason(arena, by_fio, fio.reason);
    else
        result->why = fell_short(sweep, job, measured(&fio, job, "runtime"), result->value);
    result->measured = result->why == NULL && !isnan(result->value);
}

static void take_files(const struct sweep *sweep, struct result *result, const char *value)
{
    double count = clients_number(value, 0), seconds = clients_number(value, 1);

    if (isnan(count) || isnan(seconds) || count <= 0 || seconds <= 0) {
        result->why = reason(sweep->clients.out->arena, files_in_seconds, value);
        return;
    }
    result->value = count / seconds;
    result->files = count;
    result->measured = true;
}

static void take_fact(void *state, size_t member, const struct fact *fact)
{
    struct sweep *sweep = state;
    struct slice name = slice_of(fact->name);
    const struct sweep_job *job;
    bool begun = scan_text(&name, "client.begun."), fio = scan_text(&name, "client.fio.");
    struct result *result;

    if (!begun && !fio && !scan_text(&name, "client.files."))
        return;
    result = result_named(sweep, name, member, &job);
    if (result == NULL || (!begun && fio != (job->fio != NULL)))
        return;
    if (begun) {
        result->late = clients_take_begun(&sweep->clients, member, fact->value);
        result->begun = !isnan(result->late);
    } else if (fio) {
        take_fio(sweep, member, result, job, fact->value);
    } else {
        take_files(sweep, result, fact->value);
    }
}

/* Why a row has no value. Where no file can be made or removed the storage has failed; fio may just not be there. */
static void take_finding(void *state, size_t member, const struct finding *finding)
{
    struct sweep *sweep = state;
    struct slice name = slice_of(finding->code);
    const struct sweep_job *job;
    struct result *result;
    bool files = scan_text(&name, "client.files.");

    if ((!files && !scan_text(&name, "client.fio.")) || !slice_ends(name, ".unread"))
        return;
    name.length -= strlen(".unread");
    result = result_named(sweep, name, member, &job);
    if (result == NULL)
        return;
    result->why = finding->what;
    if (files)
        sweep->clients.list[member].fault = finding->what;
}

/* --- the levels --- */

/* Why the client's value is not counted; NULL: it is. */
static const struct reason *missing(const struct sweep *sweep, const struct result *result)
{
    struct arena *arena = sweep->clients.out->arena;
    const char *late = arena_printf(arena, "%.1f", fabs(result->late));

    if (result->why != NULL)
        return result->why;
    if (!result->begun || !result->measured)
        return REASON(no_result_of_client);
    if (fabs(result->late) <= sweep_late_s(sweep->clients.context))
        return NULL;
    return result->late > 0 ? reason(arena, began_late, late) : reason(arena, began_early, late);
}

/* What the middle one of a level's clients has; NAN: none was measured. */
static double middle_of(const struct sweep *sweep, size_t k, size_t i)
{
    size_t level = sweep_level(sweep->clients.context, i), place = 0, count = 0;
    double *values = arena_array(sweep->clients.out->arena, double, level);

    for (size_t member = 0; member < sweep->clients.count && place < level; member++) {
        const struct result *result = result_of(sweep, k, i, member);

        if (!sweep->clients.list[member].placed)
            continue;
        place++;
        if (missing(sweep, result) == NULL)
            values[count++] = result->value;
    }
    return robust_median(values, count);
}

/* Whether the clients of a level share what fewer have for themselves: the middle one has less than in a smaller level. One that
   is slow by itself is not in the middle. */
static bool is_shared(const struct sweep *sweep, size_t k, size_t i)
{
    double middle = middle_of(sweep, k, i);

    for (size_t fewer = 0; fewer < i; fewer++)
        if (middle < middle_of(sweep, k, fewer) * (1 - SWEEP_SHARED))
            return true;
    return false;
}

static void tell_value(const struct sweep *sweep, const struct sweep_job *job, size_t level, size_t member,
                       double value, bool shared)
{
    struct reading *out = sweep->clients.out;
    struct measurement *measurement = reading_measure(out, sweep_metric(out->arena, "client", job, job->what),
                                                      sweep->clients.list[member].name, value, job->unit);

    reading_at_number(out, measurement, "clients", (double)level);
    if (shared)
        reading_at_number(out, measurement, AT_SHARE, 1);
}

/* The sum of a level's clients, which are the first of those that have a place; *ret_lacks: who is missing, or NULL. */
static double add_up(const struct sweep *sweep, const struct sweep_job *job, size_t k, size_t i,
                     const struct reason **ret_lacks)
{
    size_t level = sweep_level(sweep->clients.context, i), workers = sweep_workers(job, level), place = 0;
    struct arena *arena = sweep->clients.out->arena;
    bool shared = !job->by_first && is_shared(sweep, k, i);
    double sum = 0;

    for (size_t member = 0; member < sweep->clients.count && place < workers; member++) {
        const struct result *result = result_of(sweep, k, i, member);
        const struct reason *why;

        if (!sweep->clients.list[member].placed)
            continue;
        place++;
        why = missing(sweep, result);
        if (why != NULL) {
            *ret_lacks =
                reason_also(arena, *ret_lacks, reason(arena, about, sweep->clients.list[member].name, why));
            continue;
        }
        sum += result->value;
        tell_value(sweep, job, level, member, result->value, shared);
    }
    return sum;
}

/* A folder of a million files is one only where they came to be in time. */
static void tell_whole(const struct sweep *sweep, const struct sweep_job *job, size_t k, size_t i)
{
    struct reading *out = sweep->clients.out;
    size_t level = sweep_level(sweep->clients.context, i), place = 0;
    double asked =
        check_number(sweep->clients.context, "files") * (job->counted == COUNTED_ALL ? (double)level : 1);
    double fewest = asked;

    for (size_t member = 0; member < sweep->clients.count && place < level; member++) {
        if (!sweep->clients.list[member].placed)
            continue;
        place++;
        fewest = fmin(fewest, result_of(sweep, k, i, member)->files);
    }
    reading_fact_said(
        out, sweep_metric(out->arena, "clients", job, "whole"), sweep_subject(out->arena, level),
        fewest < asked ? reason(out->arena, files_fewer_in_time, arena_printf(out->arena, "%.0f", fewest),
                                arena_printf(out->arena, "%.0f", asked))
                       : reason_text(out->arena, "yes"));
}

/* NAN where not all of its clients were measured together. */
static double read_level(const struct sweep *sweep, const struct sweep_job *job, size_t k, size_t i)
{
    struct reading *out = sweep->clients.out;
    size_t level = sweep_level(sweep->clients.context, i);
    const char *subject = sweep_subject(out->arena, level);
    const char *together = sweep_metric(out->arena, "clients", job, "together");
    const char *metric = sweep_metric(out->arena, "clients", job, job->what);
    const struct reason *lacks = NULL;
    double sum = 0;

    if (sweep->clients.placed < level)
        lacks = reason(out->arena, only_so_many_work, sweep->clients.placed, sweep->clients.count);
    else
        sum = add_up(sweep, job, k, i, &lacks);
    if (lacks != NULL) {
        reading_fact_said(out, together, subject, lacks);
        reading_unread(sweep->clients.out, metric, subject, REASON(not_all_at_once));
        return NAN;
    }
    reading_fact(out, together, subject, slice_of("yes"));
    reading_measure(out, metric, subject, sum, job->unit);
    if (job->counted != COUNTED_NOT)
        tell_whole(sweep, job, k, i);
    return sum;
}

/* "1: 2.31, 2: 4.58, 4: 4.71 GB/s" */
static const char *sums_text(const struct sweep *sweep, const struct sweep_job *job, const double *sums)
{
    struct arena *arena = sweep->clients.out->arena;
    const char *text = "";

    for (size_t i = 0; i < sweep->level_count; i++)
        text = arena_printf(arena, "%s%s%zu: %.4g", text, i > 0 ? ", " : "",
                            sweep_level(sweep->clients.context, i), sums[i]);
    return arena_printf(arena, "%s%s%s", text, *job->unit != '\0' ? " " : "", job->unit);
}

static double growth_from(const struct sweep *sweep, const double *sums, size_t i)
{
    double from = (double)sweep_level(sweep->clients.context, i);
    double to = (double)sweep_level(sweep->clients.context, i + 1);

    return pow(sums[i + 1] / sums[i], 1 / log2(to / from)) - 1;
}

static void read_knee(const struct sweep *sweep, const struct sweep_job *job, const double *sums)
{
    struct reading *out = sweep->clients.out;
    const char *knee = sweep_metric(out->arena, "clients", job, "knee");
    const char *scaling = sweep_metric(out->arena, "clients", job, "scaling");
    size_t at = 0, last = sweep->level_count - 1, level;

    for (size_t i = 0; i <= last; i++)
        if (isnan(sums[i])) {
            reading_unread(sweep->clients.out, knee, "", REASON(not_all_levels_measured));
            reading_unread(sweep->clients.out, scaling, "", REASON(not_all_levels_measured));
            return;
        }
    while (at < last && growth_from(sweep, sums, at) >= SWEEP_GROWTH)
        at++;
    level = sweep_level(sweep->clients.context, at);
    reading_measure(out, knee, "", (double)level, "");
    reading_fact_said(out, scaling, "",
                      at < last
                          ? reason(out->arena, scaling_has_knee, sums_text(sweep, job, sums), level,
                                   arena_printf(out->arena, "%.1f", growth_from(sweep, sums, at) * 100))
                          : reason(out->arena, scaling_has_no_knee, sums_text(sweep, job, sums), level));
}

static void read_jobs(const struct sweep *sweep)
{
    double *sums = arena_array(sweep->clients.out->arena, double, sweep->level_count);
    const struct sweep_job *job;

    for (size_t k = 0; (job = sweep_job(sweep->clients.context, k)) != NULL; k++) {
        for (size_t i = 0; i < sweep->level_count; i++)
            sums[i] = read_level(sweep, job, k, i);
        if (!job->by_first)
            read_knee(sweep, job, sums);
    }
}

void sweep_read(const struct check_context *context, const struct attempt *attempt, struct reading *out)
{
    struct sweep sweep = {0};

    if (!clients_init(&sweep.clients, context, attempt, out))
        return;
    while (sweep_job(context, sweep.job_count) != NULL)
        sweep.job_count++;
    while (sweep_level(context, sweep.level_count) != 0)
        sweep.level_count++;
    sweep.results =
        arena_array(out->arena, struct result, sweep.job_count * sweep.level_count * sweep.clients.count);
    clients_read_rows(&sweep.clients, attempt, take_fact, take_finding, &sweep);
    clients_tell(&sweep.clients);
    read_jobs(&sweep);
}
