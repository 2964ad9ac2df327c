/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/question.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "assay/app/allocation.h"
#include "assay/app/exclusive.h"
#include "assay/app/sources.h"
#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/model/evidence.h"
#include "assay/run/remote.h"

enum { MANIFEST_BYTES = 16 << 20 };

static int expand(struct arena *arena, const char *option, const char *text, struct hostlist *list,
                  struct error *err)
{
    if (hostlist_expand(arena, text, list, err) < 0)
        return error_wrap(err, "%s", option);
    return 0;
}

/* By the folder they came from, or by the manifest that a run has kept. */
static const struct toolset *load_tools(struct arena *arena, const char *path, struct error *err)
{
    cleanup_text struct text manifest = {0};
    struct stat stat_of;

    if (stat(path, &stat_of) < 0 || !S_ISREG(stat_of.st_mode))
        return toolset_load(arena, path, err);
    text_init(&manifest, MANIFEST_BYTES);
    if (file_read(path, &manifest, err) < 0)
        return NULL;
    return toolset_parse(
        arena, path, (struct slice){arena_strndup(arena, manifest.bytes, manifest.length), manifest.length},
        err);
}

/* The tools that the hosts were brought, so that the run keeps every hash. */
static int take_tools(struct arena *arena, const struct question *question, struct plan_sources *sources,
                      struct error *err)
{
    struct staged *staged = arena_new(arena, struct staged);

    if (question->tools == NULL)
        return question->tools_root == NULL ? 0
                                            : error_set(err, ERROR_USAGE, "--tools-root is for --tools DIR");
    *staged = (struct staged){load_tools(arena, question->tools, err), question->tools_root};
    if (staged->toolset == NULL)
        return error_wrap(err, "--tools");
    sources->staged = staged;
    return 0;
}

/* The suite as --duration wants it. */
static const struct suite *take_duration(struct arena *arena, const struct suite *suite, const char *duration,
                                         struct error *err)
{
    unsigned seconds;

    if (suite == NULL || duration == NULL)
        return suite;
    if (seconds_parse(duration, &seconds))
        return suite_with_duration(arena, suite, seconds, err);
    error_set(err, ERROR_USAGE,
              "--duration '%s' is not a time; expected days, hours, minutes or seconds such as 24h, 90m or "
              "1h30m, at "
              "most 14d",
              duration);
    return NULL;
}

/* Every attempt that asks for root would be refused (remote.c): better told before the first. */
static int check_password(const struct question *question, struct error *err)
{
    for (size_t i = 0; question->sudo_password && i < question->plan->hosts.count; i++)
        if (host_is_over_slurm(question->plan->hosts.items[i]))
            return error_set(
                err, ERROR_USAGE,
                "--ask-sudo-password: %s has transport=slurm, and Slurm does not encrypt what it "
                "carries: sudo without a password is needed there",
                question->plan->hosts.items[i]->name);
    return 0;
}

static const struct host *first_over_slurm(const struct plan_sources *sources)
{
    for (size_t i = 0; i < sources->hostfile->hosts.count; i++)
        if (host_is_over_slurm(&sources->hostfile->hosts.items[i]))
            return &sources->hostfile->hosts.items[i];
    return NULL;
}

/* Between hosts with transport=slurm srun launches, and it does not know what is said to mpirun. */
static int check_launcher(const struct plan_sources *sources, struct error *err)
{
    const struct suite_launcher *launcher = &sources->suite->launcher;
    const struct host *host = first_over_slurm(sources);

    if (launcher->kind == LAUNCHER_SRUN || launcher->flags.count == 0 || host == NULL)
        return 0;
    return error_set(
        err, ERROR_USAGE,
        "suite %s: launcher.flags are for mpirun, and hosts with transport=slurm (%s) are launched "
        "on by srun; give the suite \"launcher\": {\"kind\": \"srun\"}",
        sources->suite->name, host->name);
}

static const char *built_in_suites(struct arena *arena)
{
    const char *names = "";

    builtin_each (row, "suites")
        names = arena_add_word(arena, names, row->name);
    return names;
}

int question_load(struct arena *arena, struct question *question, struct error *err)
{
    const struct hostfile *hostfile;
    const struct suite *suite;
    struct error of_suite = {0};

    if (question->hostfile == NULL)
        return error_set(err, ERROR_USAGE, "-H HOSTFILE is missing: expected -H HOSTFILE -s SUITE");
    if (question->suite == NULL)
        return error_set(
            err, ERROR_USAGE,
            "-s SUITE is missing: expected -H HOSTFILE -s SUITE, where SUITE is a file or one of: %s",
            built_in_suites(arena));
    hostfile = hostfile_load(arena, question->hostfile, err);
    suite = suite_load(arena, question->suite, &of_suite);
    if (hostfile == NULL || suite == NULL)
        return error_join(err, &of_suite);
    suite = take_duration(arena, suite, question->duration, err);
    if (suite == NULL ||
        plan_sources_load(arena, hostfile, suite, question->baseline, &question->sources, err) < 0)
        return -1;
    if (take_tools(arena, question, &question->sources, err) < 0)
        return -1;
    return sources_take_contract(arena, question->contract, &question->sources, err);
}

static void add_note(struct arena *arena, struct question *question, const struct reason *what)
{
    if (what != NULL)
        *list_push(arena, &question->notes.notes) = (struct plan_note){what};
}

/* Of a second plan from the same sources nothing is left to be decided, and what was holds. */
static void choose_way(struct arena *arena, struct question *question, const struct hostlist *hosts)
{
    const struct allocation_asked asked = {hosts, question->sources.suite, question->passwords,
                                           question->exclusive != NULL};
    const struct reason *way = allocation_take(arena, question->sources.hostfile, &asked);

    if (way != NULL)
        question->way = way;
}

int question_build_plan(struct arena *arena, struct question *question, const char *run_uuid,
                        struct error *err)
{
    struct plan_options options = {.run_uuid = arena_strdup(arena, run_uuid)};
    struct hostlist hosts = {0}, steps = {0};

    if (question->hosts != NULL) {
        if (expand(arena, "--hosts", question->hosts, &hosts, err) < 0)
            return -1;
        options.hosts = &hosts;
    }
    if (question->steps != NULL) {
        if (expand(arena, "--steps", question->steps, &steps, err) < 0)
            return -1;
        options.steps = &steps;
    }
    choose_way(arena, question, options.hosts);
    if (check_launcher(&question->sources, err) < 0)
        return -1;
    question->plan = plan_build(arena, &question->sources, &options, &question->notes, err);
    if (question->plan == NULL || check_password(question, err) < 0)
        return -1;
    add_note(arena, question, question->way);
    add_note(arena, question, allocation_lacks_root(arena, question->plan));
    return 0;
}

int question_make(struct arena *arena, struct question *question, const char *run_uuid, struct error *err)
{
    return question_load(arena, question, err) < 0 ? -1 : question_build_plan(arena, question, run_uuid, err);
}

/* Of the step that has the most; twice as many as are expected, for where the fabric is faster. */
static size_t slices_of(const struct plan *plan)
{
    double most = 0;

    list_each (step, plan->steps)
        if (step->shape->repeat_for_s > 0 && step->origin != ORIGIN_LEFT_OUT)
            most = fmax(most, 2 * plan_step_s(step) / step_expected_s(step));
    return (size_t)most;
}

int question_evidence_limits(struct arena *arena, const struct question *question, struct record *record,
                             struct error *err)
{
    struct evidence_limits limits = {.stream_bytes = REMOTE_FLOOD_BYTES, .looking_bytes = REMOTE_READ_BYTES};
    double bytes = 0;

    if (question->max_evidence != NULL && (!size_parse(question->max_evidence, &bytes) || bytes < 1))
        return error_set(err, ERROR_USAGE, "--max-evidence '%s' is not a size such as 500M or 8G",
                         question->max_evidence);
    evidence_limits_set(&limits, (uint64_t)bytes, question->plan->hosts.count);
    if (question->max_evidence == NULL)
        evidence_limits_add(&limits, question->plan->hosts.count, slices_of(question->plan));
    document_add(arena, &record->documents, EVIDENCE_DOCUMENT, "evidence",
                 slice_of(evidence_limits_text(arena, &limits)));
    return 0;
}

static const char *names_line(struct arena *arena, const char *text, const char *key, const char *first,
                              const char *second)
{
    const char *value = first != NULL ? first : second;
    char *line;

    if (value == NULL || *value == '\0')
        return text;
    line = arena_strdup(arena, value);
    for (char *at = line; *at != '\0'; at++)
        if (*at == '\n' || *at == '\r')
            *at = ' ';
    return arena_printf(arena, "%s%s=%s\n", text, key, line);
}

const char *question_names_text(struct arena *arena, const struct hostfile_names *first,
                                const struct hostfile_names *second)
{
    const char *text = names_line(arena, "", "title", first->title, second->title);

    text = names_line(arena, text, "customer", first->customer, second->customer);
    return names_line(arena, text, "site", first->site, second->site);
}

void question_documents(struct arena *arena, const struct question *question, int argc, char **argv,
                        struct record *record)
{
    const struct plan_sources *sources = &question->sources;
    const char *words = "assay",
               *names = question_names_text(arena, &question->names, &sources->hostfile->names);

    for (int i = 0; i < argc; i++)
        words = arena_printf(arena, "%s %s", words, argv[i]);
    document_add(arena, &record->documents, "argv", "command line", slice_of(words));
    document_add(arena, &record->documents, "hostfile", question->hostfile, sources->hostfile->bytes);
    if (*names != '\0')
        document_add(arena, &record->documents, NAMES_DOCUMENT, "title, customer, site", slice_of(names));
    document_add(arena, &record->documents, "suite", question->suite, sources->suite->bytes);
    for (size_t i = 0; i < sources->platforms.count; i++)
        document_add(arena, &record->documents, "platform", sources->platforms.items[i]->name,
                     sources->platforms.items[i]->bytes);
    for (size_t i = 0; i < sources->limits.baselines.count; i++)
        if (sources->limits.baselines.items[i].baseline != NULL)
            document_add(arena, &record->documents, "baseline",
                         sources->limits.baselines.items[i].platform->name,
                         sources->limits.baselines.items[i].baseline->bytes);
    for (size_t i = 0; i < sources->advisories.items.count; i++)
        document_add(arena, &record->documents, "advisories", sources->advisories.items.items[i]->name,
                     sources->advisories.items.items[i]->bytes);
    if (sources->limits.contract != NULL)
        document_add(arena, &record->documents, "contract", question->contract,
                     sources->limits.contract->bytes);
    /* Its name is the place on the hosts, which a resumed run needs. */
    if (sources->staged != NULL)
        document_add(arena, &record->documents, "tools",
                     sources->staged->root != NULL ? sources->staged->root : TOOLS_STAGED,
                     sources->staged->toolset->manifest);
    if (question->exclusive != NULL)
        document_add(arena, &record->documents, EXCLUSIVE_DOCUMENT, "slurm", slice_of(question->exclusive));
}
