/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/exclusive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay/base/clock.h"
#include "assay/base/program.h"
#include "assay/base/scan.h"
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"
#include "assay/run/slurm_job.h"

enum { POLL_S = 3, SETTLE_S = 5, SPARE_MINUTES = 60 };

enum claim_state { CLAIM_WAITING, CLAIM_OURS, CLAIM_REFUSED };

/* Beside the claim of the same number that the checks see. */
struct request {
    enum claim_state state;
    const char *reason; /* why Slurm lets it wait: "Resources" */
    bool seen;          /* in the answer that is being read */
};

struct exclusive {
    struct arena *arena;
    const char *name; /* of the jobs */
    const char *words;
    double limit_s, until; /* Unix time, s */
    unsigned minutes;      /* time limit of a job, unless the words say another */
    bool together;         /* one job for all: their steps are how they are reached */
    bool takes_no_more;    /* nothing is asked for that is not there */
    struct check_claims claims;
    LIST_OF(struct request) requests;
    struct program question; /* squeue, while it runs */
    double next_question;
};

/* -- The document -- */

const char *exclusive_document(struct arena *arena, const struct exclusive_options *options,
                               struct error *err)
{
    struct slice rest = slice_of(options->via);
    double minutes;

    if (!scan_text(&rest, "slurm") || (rest.length > 0 && !scan_text(&rest, ":"))) {
        error_set(err, ERROR_USAGE, "--exclusive-via '%s'; expected slurm or slurm:WORDS for sbatch",
                  options->via);
        return NULL;
    }
    if (!scan_double(slice_of(options->minutes), &minutes) || !(minutes > 0 && minutes < 1e6)) {
        error_set(err, ERROR_USAGE, "--exclusive-wait '%s'; expected minutes, more than 0", options->minutes);
        return NULL;
    }
    return arena_printf(arena, "wait %.0f s\nsbatch %.*s\n", ceil(minutes * 60), slice_print(rest));
}

static bool read_document(const struct document *document, struct exclusive *exclusive)
{
    struct slice rest = document->bytes, line, number;

    if (!scan_line(&rest, &line) || !scan_text(&line, "wait ") || !scan_word(&line, &number) ||
        !scan_double(number, &exclusive->limit_s) || !scan_line(&rest, &line) || !scan_text(&line, "sbatch"))
        return false;
    exclusive->words = arena_strndup(exclusive->arena, line.bytes, line.length);
    return true;
}

/* -- Asking -- */

static void push_words(struct arena *arena, const char *text, struct hostlist *words)
{
    struct slice rest = slice_of(text), word;

    while (scan_word(&rest, &word))
        *list_push(arena, &words->names) = arena_strndup(arena, word.bytes, word.length);
}

static const char *first_line(struct arena *arena, const char *text)
{
    return arena_strndup(arena, text, strcspn(text, "\r\n"));
}

/* How many GPUs Slurm knows of on the host: "gpu:h100:8(S:0-1)", "gpu:8,mps:800"; 0: none, or it does not say. */
static unsigned gpus_known(const struct exclusive *exclusive, const char *host)
{
    const char *words[] = {"sinfo", "--noheader", "--nodes", host, "--format=%G", NULL}, *out, *complaint;
    struct error ignored = {0};
    struct slice count;
    uint64_t gpus = 0;

    if (program_run(exclusive->arena, words, NULL, &out, &complaint, &ignored) != 0 ||
        strncmp(out, "gpu:", 4) != 0)
        return 0;
    count = (struct slice){out + 4, strcspn(out + 4, "(,\n")};
    while (slice_find(count, ":") != (size_t)-1)
        count = slice_from(count, slice_find(count, ":") + 1);
    return scan_u64(count, &gpus) && gpus <= 64 ? (unsigned)gpus : 0;
}

/* Steps have what was asked for by name, and not what an exclusive job has beside it: all memory, and all GPUs where Slurm counts
   them, or else no test would see one. A node that fails is a result, and must not end the job of all others. */
static void push_for_steps(const struct exclusive *exclusive, const struct hostlist *hosts,
                           struct hostlist *words)
{
    unsigned gpus = gpus_known(exclusive, hosts->names.items[0]);

    *list_push(exclusive->arena, &words->names) = "--mem=0";
    *list_push(exclusive->arena, &words->names) = "--no-kill";
    if (gpus > 0)
        *list_push(exclusive->arena, &words->names) = arena_printf(exclusive->arena, "--gres=gpu:%u", gpus);
}

/* The number of a job with these hosts, or NULL with what sbatch says against it. The words of the user come last, so that
   they hold. */
static const char *submit(struct exclusive *exclusive, const struct hostlist *hosts, const char **ret_why,
                          struct error *err)
{
    struct arena *arena = exclusive->arena;
    const char *own[] = {
        "sbatch",
        "--parsable",
        arena_printf(arena, "--nodes=%zu", hosts->names.count),
        "--exclusive",
        "--no-requeue",
        "--chdir=/",
        "--output=/dev/null",
        arena_printf(arena, "--job-name=%s", exclusive->name),
        arena_printf(arena, "--nodelist=%s", hostlist_fold(arena, hosts->names.items, hosts->names.count)),
        arena_printf(arena, "--time=%u", exclusive->minutes)};
    struct hostlist words = {0};
    const char *out, *complaint;
    size_t digits;
    int status;

    for (size_t i = 0; i < ARRAY_SIZE(own); i++)
        *list_push(arena, &words.names) = own[i];
    if (exclusive->together)
        push_for_steps(exclusive, hosts, &words);
    push_words(arena, exclusive->words, &words);
    *list_push(arena, &words.names) = "--wrap";
    *list_push(arena, &words.names) =
        exclusive->together ? slurm_job_script(arena) : "while sleep 3600; do :; done";
    *list_push(arena, &words.names) = NULL;
    status = program_run(arena, words.names.items, NULL, &out, &complaint, err);
    if (status < 0)
        return NULL;
    digits = strspn(out, "0123456789");
    *ret_why = *complaint != '\0' ? first_line(arena, complaint) : "sbatch gave no job";
    return status == 0 && digits > 0 ? arena_strndup(arena, out, digits) : NULL;
}

static struct check_claim *claim_of(const struct exclusive *exclusive, const char *host, size_t *ret_index)
{
    for (size_t i = 0; i < exclusive->claims.items.count; i++)
        if (strcmp(exclusive->claims.items.items[i].host, host) == 0) {
            *ret_index = i;
            return &exclusive->claims.items.items[i];
        }
    return NULL;
}

static void add_claim(struct exclusive *exclusive, const char *host, const char *job,
                      const struct reason *refused)
{
    struct arena *arena = exclusive->arena;

    *list_push(arena, &exclusive->claims.items) =
        (struct check_claim){arena_strdup(arena, host), job, refused};
    *list_push(arena, &exclusive->requests) =
        (struct request){.state = refused != NULL ? CLAIM_REFUSED : CLAIM_WAITING, .reason = ""};
}

/* By one job. */
static int claim_hosts(struct exclusive *exclusive, const struct hostlist *hosts, struct error *err)
{
    const char *why = "", *job = submit(exclusive, hosts, &why, err);

    if (job == NULL && err->code != 0)
        return -1;
    for (size_t i = 0; i < hosts->names.count; i++)
        add_claim(exclusive, hosts->names.items[i], job != NULL ? job : "",
                  job != NULL ? NULL : reason(exclusive->arena, slurm_gives_no_job, why));
    return 0;
}

static int claim_host(struct exclusive *exclusive, const char *host, struct error *err)
{
    struct hostlist one = {0};

    *list_push(exclusive->arena, &one.names) = host;
    return claim_hosts(exclusive, &one, err);
}

/* -- Slurm's answers -- */

static void refuse(struct exclusive *exclusive, size_t index, const struct reason *why)
{
    exclusive->requests.items[index].state = CLAIM_REFUSED;
    exclusive->claims.items.items[index].refused = why;
}

/* "12|PENDING|node2|Resources": job, state, the nodes that were asked for, and why it waits. */
struct row {
    struct slice job, state, node, reason;
};

static bool take_field(struct slice *rest, struct slice *ret_field)
{
    size_t bar = slice_find(*rest, "|");

    if (bar == (size_t)-1)
        return false;
    *ret_field = slice_trim((struct slice){rest->bytes, bar});
    *rest = slice_from(*rest, bar + 1);
    return true;
}

static bool read_row(struct slice line, struct row *ret_row)
{
    if (!take_field(&line, &ret_row->job) || !take_field(&line, &ret_row->state) ||
        !take_field(&line, &ret_row->node))
        return false;
    ret_row->reason = slice_trim(line);
    return true;
}

static bool waits(struct slice state)
{
    return slice_equal(state, "PENDING") || slice_equal(state, "CONFIGURING");
}

static void take_row(struct exclusive *exclusive, const struct row *row)
{
    struct arena *arena = exclusive->arena;

    for (size_t i = 0; i < exclusive->requests.count; i++) {
        struct request *request = &exclusive->requests.items[i];
        const char *job = exclusive->claims.items.items[i].job;

        if (!slice_equal(row->job, job))
            continue;
        request->seen = true;
        if (request->state == CLAIM_REFUSED)
            continue;
        request->reason = arena_strndup(arena, row->reason.bytes, row->reason.length);
        if (slice_equal(row->state, "RUNNING"))
            request->state = CLAIM_OURS;
        else if (!waits(row->state) || request->state == CLAIM_OURS)
            refuse(exclusive, i, reason(arena, slurm_ended_our_job, job, row->state));
    }
}

static void ask_squeue(const struct exclusive *exclusive, const char *words[6])
{
    words[0] = "squeue";
    words[1] = "--noheader";
    words[2] = "--states=all";
    words[3] = "--format=%i|%T|%n|%r";
    words[4] = arena_printf(exclusive->arena, "--name=%s", exclusive->name);
    words[5] = NULL;
}

static void take_answer(struct exclusive *exclusive, const char *answer)
{
    struct slice rest = slice_of(answer), line;
    struct row row;

    for (size_t i = 0; i < exclusive->requests.count; i++)
        exclusive->requests.items[i].seen = false;
    while (scan_line(&rest, &line))
        if (read_row(line, &row))
            take_row(exclusive, &row);
    for (size_t i = 0; i < exclusive->requests.count; i++)
        if (!exclusive->requests.items[i].seen && exclusive->requests.items[i].state != CLAIM_REFUSED)
            refuse(exclusive, i,
                   reason(exclusive->arena, slurm_lost_our_job, exclusive->claims.items.items[i].job));
}

static void adopt_job(struct exclusive *exclusive, const struct row *row)
{
    struct arena *arena = exclusive->arena;
    const char *job = arena_strndup(arena, row->job.bytes, row->job.length);
    struct hostlist nodes = {0};
    struct error ignored = {0};

    if (hostlist_expand(arena, arena_strndup(arena, row->node.bytes, row->node.length), &nodes, &ignored) < 0)
        return; /* not as we asked for it */
    for (size_t i = 0; i < nodes.names.count; i++)
        add_claim(exclusive, nodes.names.items[i], job, NULL);
}

/* What an earlier controller of this run asked for and has not lost. */
static void adopt_jobs(struct exclusive *exclusive, const char *answer)
{
    struct slice rest = slice_of(answer), line;
    struct row row;

    while (scan_line(&rest, &line))
        if (read_row(line, &row) && (waits(row.state) || slice_equal(row.state, "RUNNING")))
            adopt_job(exclusive, &row);
}

/* -- Waiting -- */

static size_t count_of(const struct exclusive *exclusive, enum claim_state state)
{
    size_t count = 0;

    for (size_t i = 0; i < exclusive->requests.count; i++)
        count += exclusive->requests.items[i].state == state;
    return count;
}

static void cancel_job(const struct exclusive *exclusive, const char *job)
{
    const char *words[] = {"scancel", job, NULL}, *out, *complaint;
    struct error ignored = {0};

    if (program_run(exclusive->arena, words, NULL, &out, &complaint, &ignored) != 0)
        return; /* it is released with the others at the end */
}

static void end_waiting(struct exclusive *exclusive)
{
    const char *withdrawn = ""; /* the hosts of one job stand together */

    for (size_t i = 0; i < exclusive->requests.count; i++) {
        const char *job = exclusive->claims.items.items[i].job;

        if (exclusive->requests.items[i].state != CLAIM_WAITING)
            continue;
        refuse(exclusive, i,
               reason(exclusive->arena, slurm_gave_no_host_in_time,
                      arena_printf(exclusive->arena, "%.4g", exclusive->limit_s / 60), job,
                      exclusive->requests.items[i].reason));
        if (strcmp(job, withdrawn) != 0)
            cancel_job(exclusive, job);
        withdrawn = job;
    }
}

static void ask_again(struct exclusive *exclusive)
{
    const char *words[6], *out, *complaint;
    struct error err = {0};

    if (exclusive->question.pid != 0 && program_has_ended(&exclusive->question)) {
        /* Of a squeue that failed nothing is known: what is ours stays so. */
        if (program_end(exclusive->arena, &exclusive->question, &out, &complaint) == 0)
            take_answer(exclusive, out);
        exclusive->next_question = clock_now() + POLL_S;
    } else if (exclusive->question.pid == 0 && clock_now() >= exclusive->next_question) {
        ask_squeue(exclusive, words);
        if (program_start(words, NULL, &exclusive->question, &err) < 0)
            exclusive->next_question = clock_now() + POLL_S;
    }
}

const char *exclusive_poll(struct exclusive *exclusive)
{
    size_t ours = count_of(exclusive, CLAIM_OURS), refused = count_of(exclusive, CLAIM_REFUSED);

    ask_again(exclusive);
    if (clock_now() >= exclusive->until)
        end_waiting(exclusive);
    return ours != count_of(exclusive, CLAIM_OURS) || refused != count_of(exclusive, CLAIM_REFUSED)
               ? exclusive_state(exclusive)
               : NULL;
}

static const char *names_of(const struct exclusive *exclusive, enum claim_state state)
{
    struct hostlist names = {0};

    for (size_t i = 0; i < exclusive->requests.count; i++)
        if (exclusive->requests.items[i].state == state)
            *list_push(exclusive->arena, &names.names) = exclusive->claims.items.items[i].host;
    return hostlist_fold(exclusive->arena, names.names.items, names.names.count);
}

const char *exclusive_state(const struct exclusive *exclusive)
{
    struct arena *arena = exclusive->arena;
    const char *text = arena_printf(arena, "Slurm has given %zu of %zu hosts",
                                    count_of(exclusive, CLAIM_OURS), exclusive->requests.count);

    if (count_of(exclusive, CLAIM_WAITING) > 0)
        text = arena_printf(arena, "%s; waiting for %s, at most %.4g min more", text,
                            names_of(exclusive, CLAIM_WAITING),
                            ceil(fmax(exclusive->until - clock_now(), 0) / 6) / 10);
    if (count_of(exclusive, CLAIM_REFUSED) > 0)
        text = arena_printf(arena, "%s; without %s", text, names_of(exclusive, CLAIM_REFUSED));
    return text;
}

/* -- Beginning and end -- */

/* Twice what is expected of the host with the most to do, or of all in turn where so many work at once, and an hour: a
   limit for the case that nobody releases it. */
static unsigned minutes_of(const struct plan *plan, unsigned hosts_at_once)
{
    double most_s = 0, all_s = 0;

    for (size_t i = 0; i < plan->hosts.count; i++) {
        double host_s = 0;

        for (size_t k = 0; k < plan->steps.count; k++)
            if (step_has_host(&plan->steps.items[k], plan->hosts.items[i]))
                host_s += plan_step_s(&plan->steps.items[k]);
        most_s = fmax(most_s, host_s);
        all_s += host_s;
    }
    if (hosts_at_once > 0)
        most_s = fmax(most_s, all_s / hosts_at_once);
    return (unsigned)ceil(2 * most_s / 60) + SPARE_MINUTES;
}

static int adopt_all(struct exclusive *exclusive, struct error *err)
{
    const char *words[6], *out, *complaint;
    int status;

    ask_squeue(exclusive, words);
    status = program_run(exclusive->arena, words, NULL, &out, &complaint, err);
    if (status > 0)
        return error_set(err, ERROR_USAGE, "squeue failed: %s", first_line(exclusive->arena, complaint));
    if (status == 0)
        adopt_jobs(exclusive, out);
    return status;
}

static int claim_all(struct exclusive *exclusive, const struct plan *plan, struct error *err)
{
    struct hostlist missing = {0};
    size_t index;

    for (size_t i = 0; i < plan->hosts.count; i++)
        if (claim_of(exclusive, plan->hosts.items[i]->name, &index) == NULL)
            *list_push(exclusive->arena, &missing.names) = plan->hosts.items[i]->name;
    if (exclusive->together && missing.names.count > 0 && claim_hosts(exclusive, &missing, err) < 0)
        return -1;
    for (size_t i = 0; i < missing.names.count && !exclusive->together; i++)
        if (claim_host(exclusive, missing.names.items[i], err) < 0)
            return -1;
    if (count_of(exclusive, CLAIM_REFUSED) == exclusive->requests.count)
        return error_set(err, ERROR_USAGE, "%s: %s", exclusive->claims.items.items[0].host,
                         reason_english(exclusive->arena, exclusive->claims.items.items[0].refused));
    return 0;
}

/* How many hosts of the plan are reached by steps of Slurm. */
static size_t count_slurm(const struct plan *plan)
{
    size_t count = 0;

    for (size_t i = 0; i < plan->hosts.count; i++)
        count += host_is_over_slurm(plan->hosts.items[i]);
    return count;
}

int exclusive_check_plan(const struct plan *plan, struct error *err)
{
    size_t count = count_slurm(plan);

    return count == 0 || count == plan->hosts.count
               ? 0
               : error_set(
                     err, ERROR_USAGE,
                     "%zu of %zu hosts have transport=slurm; one job of Slurm has to hold all hosts of a run: "
                     "give it to all or to none, or choose with --hosts",
                     count, plan->hosts.count);
}

int exclusive_for_steps(struct arena *arena, const struct plan *plan, const char *minutes,
                        const char **document, struct error *err)
{
    if (exclusive_check_plan(plan, err) < 0)
        return -1;
    if (count_slurm(plan) == 0)
        return 0;
    if (*document != NULL || getenv("SLURM_JOB_ID") != NULL)
        return 0;
    *document = exclusive_document(
        arena, &(struct exclusive_options){"slurm", minutes != NULL ? minutes : EXCLUSIVE_MINUTES}, err);
    return *document != NULL ? 0 : -1;
}

const char *exclusive_steps_note(const struct record *record)
{
    const char *words[] = {"scontrol", "show", "config", NULL}, *out, *complaint, *line;
    struct error ignored = {0};

    if (count_slurm(record->plan) == 0 ||
        program_run(record->arena, words, NULL, &out, &complaint, &ignored) != 0)
        return NULL;
    line = strstr(out, "ProctrackType");
    if (line == NULL || strstr(first_line(record->arena, line), "cgroup") == NULL)
        return NULL;
    return "Slurm ends with a step all that it began (proctrack/cgroup): what runs on a host when its step or the "
           "controller ends is lost, is reported as lost, and is not run twice";
}

int exclusive_begin(const struct record *record, const struct plan_sources *sources, unsigned hosts_at_once,
                    enum exclusive_how how, struct exclusive **ret_exclusive, struct error *err)
{
    const struct document *document = document_find(&record->documents, EXCLUSIVE_DOCUMENT);
    struct exclusive *exclusive = arena_new(record->arena, struct exclusive);
    bool adopt = how != EXCLUSIVE_ASK;

    *ret_exclusive = NULL;
    exclusive->together = count_slurm(record->plan) > 0;
    exclusive->takes_no_more = how == EXCLUSIVE_TAKE_UP_ONLY;
    if (document == NULL && exclusive->together && getenv("SLURM_JOB_ID") == NULL &&
        !exclusive->takes_no_more)
        return error_set(
            err, ERROR_USAGE,
            "the run was started inside an allocation of Slurm, and its hosts have transport=slurm: "
            "continue it inside one with the same nodes (salloc -w NODES)");
    if (document == NULL || (exclusive->takes_no_more && !exclusive->together))
        return 0;
    exclusive->arena = record->arena;
    exclusive->name = arena_printf(record->arena, "assay-%s", record->uuid);
    exclusive->minutes = minutes_of(record->plan, hosts_at_once);
    if (!read_document(document, exclusive))
        return error_set(err, ERROR_INTERNAL, "the run's document on Slurm is not readable");
    if (sources->suite->launcher.kind == LAUNCHER_SRUN && !exclusive->together)
        return error_set(
            err, ERROR_USAGE,
            "--exclusive-via: srun, which suite %s launches by, cannot run across one job a host; "
            "use mpirun",
            sources->suite->name);
    exclusive->until = clock_now() + exclusive->limit_s;
    if ((adopt && adopt_all(exclusive, err) < 0) ||
        (!exclusive->takes_no_more && claim_all(exclusive, record->plan, err) < 0)) {
        const char *cause = arena_strdup(exclusive->arena, err->text);
        const char *kept = adopt ? NULL : exclusive_release(record, NULL);

        /* The cause first: it is what must not be cut. */
        return kept == NULL ? -1 : error_set(err, err->code, "%s; %s", cause, kept);
    }
    *ret_exclusive = exclusive;
    return 0;
}

void exclusive_settle(struct exclusive *exclusive)
{
    double until = clock_now() + SETTLE_S;

    do {
        usleep(100000);
        (void)exclusive_poll(exclusive);
    } while (count_of(exclusive, CLAIM_WAITING) > 0 && clock_now() < until);
}

const struct check_claims *exclusive_claims(const struct exclusive *exclusive)
{
    return &exclusive->claims;
}

const char *exclusive_job(const struct exclusive *exclusive, const char *host)
{
    size_t index;
    const struct check_claim *claim = claim_of(exclusive, host, &index);

    return claim != NULL && *claim->job != '\0' ? claim->job : NULL;
}

const struct reason *exclusive_refused(const struct exclusive *exclusive, const char *host)
{
    size_t index;
    const struct check_claim *claim = claim_of(exclusive, host, &index);

    return claim != NULL ? claim->refused : NULL;
}

bool exclusive_awaits(struct exclusive *exclusive, const struct host *host)
{
    struct error err = {0};
    size_t index;

    if (exclusive->takes_no_more)
        return false;
    if (claim_of(exclusive, host->name, &index) == NULL && claim_host(exclusive, host->name, &err) < 0)
        add_claim(exclusive, host->name, "", reason_text(exclusive->arena, err.text));
    return claim_of(exclusive, host->name, &index) != NULL &&
           exclusive->requests.items[index].state == CLAIM_WAITING;
}

/* What Slurm's programs say of a controller that is being restarted or replaced, and not of one that refuses. */
static bool is_away(const char *complaint)
{
    static const char *const words[] = {"Unable to contact slurm controller", "Socket timed out",
                                        "Zero Bytes were transmitted", "backup controller in standby"};

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (strstr(complaint, words[i]) != NULL)
            return true;
    return false;
}

const char *exclusive_release(const struct record *record, bool *ret_away)
{
    const char *name = arena_printf(record->arena, "--name=assay-%s", record->uuid);
    const char *words[] = {"scancel", name, NULL}, *out, *complaint = "";
    struct error err = {0};
    int status = 0;

    if (document_find(&record->documents, EXCLUSIVE_DOCUMENT) != NULL)
        status = program_run(record->arena, words, NULL, &out, &complaint, &err);
    if (ret_away != NULL)
        *ret_away = status > 0 && is_away(complaint);
    return status == 0
               ? NULL
               : arena_printf(record->arena, "jobs of Slurm are not released: %s; `scancel %s` does it",
                              status < 0 ? err.text : first_line(record->arena, complaint), name);
}
