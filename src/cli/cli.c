/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "assay/evidence.h"
#include "assay/files.h"
#include "assay/remote.h"
#include "assay/text.h"
#include "exclusive.h"

enum { HELP_BYTES = 64 * 1024, MANIFEST_BYTES = 16 << 20 };

int cli_fail(const struct error *err)
{
    cli_warn("assay: %s\n", err->text);
    return err->code != ERROR_NONE ? (int)err->code : EXIT_INTERNAL;
}

/* Of "report [RUN]" the words that are typed as they stand: "report". */
static int command_length(const char *usage)
{
    size_t length = 0;

    for (const char *word = usage; *word >= 'a' && *word <= 'z';) {
        size_t letters = strspn(word, "abcdefghijklmnopqrstuvwxyz-");

        if (word[letters] != ' ' && word[letters] != '\0')
            break;
        length = (size_t)(word - usage) + letters;
        word += letters + strspn(word + letters, " ");
    }
    return (int)length;
}

bool cli_options(const struct option_row *rows, const char *name, int argc, char **argv, int *ret_first,
                 int *ret_status)
{
    cleanup_text struct text help = {0};
    struct error err = {0};
    bool wanted = false;

    *ret_first = options_parse(rows, argc, argv, &wanted, &err);
    if (*ret_first < 0) {
        error_wrap(&err, "%.*s", command_length(name), name);
        *ret_status = cli_fail(&err);
        return false;
    }
    if (!wanted)
        return true;
    text_init(&help, HELP_BYTES);
    options_help(rows, &help);
    cli_print("usage: assay %s\n\n", name);
    cli_print_lines(help.bytes);
    *ret_status = EXIT_ACCEPT;
    return false;
}

double cli_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int cli_time(const char *word, double *ret_time, bool *ret_day, struct error *err)
{
    static const char *const forms[] = {"%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"};

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        struct tm parts = {0}, real;
        const char *end = strptime(word, forms[i], &parts);
        time_t seconds;

        if (end == NULL || (*end != '\0' && strcmp(end, "Z") != 0))
            continue;
        real = parts;
        seconds = timegm(&real);
        /* The 31st of February is a slip, not the 3rd of March. */
        if (real.tm_mday != parts.tm_mday || real.tm_mon != parts.tm_mon || real.tm_hour != parts.tm_hour)
            continue;
        *ret_day = i == 0;
        *ret_time = (double)seconds;
        return 0;
    }
    return error_set(err, ERROR_USAGE, "'%s' is no date; expected 2026-03-01 or 2026-03-01T12:00 (UTC)",
                     word);
}

const char *cli_database(const char *option)
{
    const char *from_environment = getenv("ASSAY_DB");

    if (option != NULL)
        return option;
    return from_environment != NULL && *from_environment != '\0' ? from_environment : "assay.db";
}

struct store *cli_stored(const char *option, struct error *err)
{
    const char *path = cli_database(option);

    /* Opened for reading only, a missing file is an error with its own words; and else it would be made. */
    return store_open(path, !file_exists(path), err);
}

static int expand(struct arena *arena, const char *option, const char *text, struct hostlist *list,
                  struct error *err)
{
    if (hostlist_expand(arena, text, list, err) < 0)
        return error_wrap(err, "%s", option);
    return 0;
}

int cli_take_contract(struct arena *arena, const char *file, struct plan_sources *sources, struct error *err)
{
    if (file == NULL)
        return 0;
    sources->limits.contract = contract_load(arena, file, err);
    return sources->limits.contract != NULL ? 0 : -1;
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
static int take_tools(struct arena *arena, const struct cli_plan *cli, struct plan_sources *sources,
                      struct error *err)
{
    struct staged *staged = arena_new(arena, struct staged);

    if (cli->tools == NULL)
        return cli->tools_root == NULL ? 0 : error_set(err, ERROR_USAGE, "--tools-root is for --tools DIR");
    *staged = (struct staged){load_tools(arena, cli->tools, err), cli->tools_root};
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
    error_set(
        err, ERROR_USAGE,
        "--duration '%s' is no time; expected days, hours, minutes or seconds such as 24h, 90m or 1h30m, at "
        "most 14d",
        duration);
    return NULL;
}

int cli_load_sources(struct arena *arena, struct cli_plan *cli, struct error *err)
{
    const struct hostfile *hostfile;
    const struct suite *suite;

    if (cli->hostfile == NULL || cli->suite == NULL)
        return error_set(err, ERROR_USAGE, "%s is missing: expected -H HOSTFILE -s SUITE",
                         cli->hostfile == NULL ? "-H HOSTFILE" : "-s SUITE");
    hostfile = hostfile_load(arena, cli->hostfile, err);
    suite = hostfile != NULL ? suite_load(arena, cli->suite, err) : NULL;
    suite = take_duration(arena, suite, cli->duration, err);
    if (suite == NULL || plan_sources_load(arena, hostfile, suite, cli->baseline, &cli->sources, err) < 0)
        return -1;
    if (take_tools(arena, cli, &cli->sources, err) < 0)
        return -1;
    return cli_take_contract(arena, cli->contract, &cli->sources, err);
}

int cli_build_plan(struct arena *arena, struct cli_plan *cli, const char *run_uuid, struct error *err)
{
    struct plan_options options = {.run_uuid = arena_strdup(arena, run_uuid)};
    struct hostlist hosts = {0}, steps = {0};

    if (cli->hosts != NULL) {
        if (expand(arena, "--hosts", cli->hosts, &hosts, err) < 0)
            return -1;
        options.hosts = &hosts;
    }
    if (cli->steps != NULL) {
        if (expand(arena, "--steps", cli->steps, &steps, err) < 0)
            return -1;
        options.steps = &steps;
    }
    cli->plan = plan_build(arena, &cli->sources, &options, &cli->notes, err);
    return cli->plan != NULL ? 0 : -1;
}

int cli_make_plan(struct arena *arena, struct cli_plan *cli, const char *run_uuid, struct error *err)
{
    return cli_load_sources(arena, cli, err) < 0 ? -1 : cli_build_plan(arena, cli, run_uuid, err);
}

void cli_add_document(struct arena *arena, struct documents *documents, const char *kind, const char *name,
                      struct slice bytes)
{
    struct document *document = list_push(arena, documents);

    document->kind = kind;
    document->name = name;
    document->bytes = bytes;
    sha256_hex(bytes.bytes, bytes.length, document->sha256);
}

/* Of the step that has the most; twice as many as are expected, for where the fabric is faster. */
static size_t slices_of(const struct plan *plan)
{
    double most = 0;

    for (size_t i = 0; i < plan->steps.count; i++) {
        const struct step *step = &plan->steps.items[i];

        if (step->shape->repeat_for_s > 0 && step->origin != ORIGIN_LEFT_OUT)
            most = fmax(most, 2 * plan_step_s(step) / step_expected_s(step));
    }
    return (size_t)most;
}

int cli_evidence_limits(struct arena *arena, const struct cli_plan *cli, struct record *record,
                        struct error *err)
{
    struct evidence_limits limits = {.stream_bytes = REMOTE_FLOOD_BYTES, .looking_bytes = REMOTE_READ_BYTES};
    double bytes = 0;

    if (cli->max_evidence != NULL && (!size_parse(cli->max_evidence, &bytes) || bytes < 1))
        return error_set(err, ERROR_USAGE, "--max-evidence '%s' is not a size such as 500M or 8G",
                         cli->max_evidence);
    evidence_limits_set(&limits, (uint64_t)bytes, cli->plan->hosts.count);
    if (cli->max_evidence == NULL)
        evidence_limits_add(&limits, cli->plan->hosts.count, slices_of(cli->plan));
    cli_add_document(arena, &record->documents, EVIDENCE_DOCUMENT, "evidence",
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

const char *cli_names_text(struct arena *arena, const struct hostfile_names *first,
                           const struct hostfile_names *second)
{
    const char *text = names_line(arena, "", "title", first->title, second->title);

    text = names_line(arena, text, "customer", first->customer, second->customer);
    return names_line(arena, text, "site", first->site, second->site);
}

void cli_documents(struct arena *arena, const struct cli_plan *cli, int argc, char **argv,
                   struct record *record)
{
    const struct plan_sources *sources = &cli->sources;
    const char *words = "assay", *names = cli_names_text(arena, &cli->names, &sources->hostfile->names);

    for (int i = 0; i < argc; i++)
        words = arena_printf(arena, "%s %s", words, argv[i]);
    cli_add_document(arena, &record->documents, "argv", "command line", slice_of(words));
    cli_add_document(arena, &record->documents, "hostfile", cli->hostfile, sources->hostfile->bytes);
    if (*names != '\0')
        cli_add_document(arena, &record->documents, NAMES_DOCUMENT, "title, customer, site", slice_of(names));
    cli_add_document(arena, &record->documents, "suite", cli->suite, sources->suite->bytes);
    for (size_t i = 0; i < sources->platforms.count; i++)
        cli_add_document(arena, &record->documents, "platform", sources->platforms.items[i]->name,
                         sources->platforms.items[i]->bytes);
    for (size_t i = 0; i < sources->limits.baselines.count; i++)
        if (sources->limits.baselines.items[i].baseline != NULL)
            cli_add_document(arena, &record->documents, "baseline",
                             sources->limits.baselines.items[i].platform->name,
                             sources->limits.baselines.items[i].baseline->bytes);
    if (sources->limits.contract != NULL)
        cli_add_document(arena, &record->documents, "contract", cli->contract,
                         sources->limits.contract->bytes);
    /* Its name is the place on the hosts, which a resumed run needs. */
    if (sources->staged != NULL)
        cli_add_document(arena, &record->documents, "tools",
                         sources->staged->root != NULL ? sources->staged->root : TOOLS_STAGED,
                         sources->staged->toolset->manifest);
    if (cli->exclusive != NULL)
        cli_add_document(arena, &record->documents, EXCLUSIVE_DOCUMENT, "slurm", slice_of(cli->exclusive));
}

/* A document of the run's own is not kept twice. */
static void add_judged_by(struct arena *arena, struct record *record, const char *kind, const char *name,
                          struct slice bytes)
{
    char sha256[SHA256_HEX_SIZE];

    sha256_hex(bytes.bytes, bytes.length, sha256);
    for (size_t i = 0; i < record->documents.count; i++)
        if (strcmp(record->documents.items[i].kind, kind) == 0 &&
            strcmp(record->documents.items[i].sha256, sha256) == 0)
            return;
    cli_add_document(arena, &record->judgement.documents, kind, name, bytes);
}

void cli_judged_by(struct record *record, const struct plan_sources *sources)
{
    const struct run_limits *limits = &sources->limits;

    for (size_t i = 0; i < limits->baselines.count; i++)
        if (limits->baselines.items[i].baseline != NULL)
            add_judged_by(record->arena, record, "baseline", limits->baselines.items[i].platform->name,
                          limits->baselines.items[i].baseline->bytes);
    if (limits->contract != NULL)
        add_judged_by(record->arena, record, "contract", limits->contract->name, limits->contract->bytes);
}

static int take_document(struct arena *arena, const struct document *document, const struct suite **suite,
                         struct plan_sources *sources, struct error *err)
{
    if (strcmp(document->kind, "suite") == 0) {
        *suite = suite_parse(arena, document->name, document->bytes, err);
        return *suite != NULL ? 0 : -1;
    }
    if (strcmp(document->kind, "hostfile") == 0) {
        sources->hostfile = hostfile_parse(arena, document->name, document->bytes, err);
        return sources->hostfile != NULL ? 0 : -1;
    }
    if (strcmp(document->kind, "platform") == 0) {
        const struct platform *platform = platform_parse(arena, document->name, document->bytes, err);

        if (platform == NULL)
            return -1;
        *list_push(arena, &sources->platforms) = platform;
    }
    if (strcmp(document->kind, "tools") == 0) {
        struct staged *staged = arena_new(arena, struct staged);

        staged->root = strcmp(document->name, TOOLS_STAGED) != 0 ? document->name : NULL;
        staged->toolset = toolset_parse(arena, document->name, document->bytes, err);
        sources->staged = staged;
        return staged->toolset != NULL ? 0 : -1;
    }
    if (strcmp(document->kind, "contract") == 0) {
        sources->limits.contract = contract_parse(arena, document->name, document->bytes, err);
        return sources->limits.contract != NULL ? 0 : -1;
    }
    return 0;
}

static int take_baseline(struct arena *arena, const struct document *document, struct plan_sources *sources,
                         struct error *err)
{
    const struct baseline *baseline;

    if (strcmp(document->kind, "baseline") != 0)
        return 0;
    baseline = baseline_parse(arena, document->name, document->bytes, err);
    if (baseline == NULL)
        return -1;
    for (size_t i = 0; i < sources->limits.baselines.count; i++)
        if (strcmp(sources->limits.baselines.items[i].platform->name, document->name) == 0)
            sources->limits.baselines.items[i] =
                platform_baseline(arena, sources->limits.baselines.items[i].platform, baseline);
    return 0;
}

int cli_sources_of_record(struct arena *arena, const struct record *record, const char *baseline,
                          struct plan_sources *ret_sources, struct error *err)
{
    const struct suite *suite = NULL;
    const struct baseline *other = NULL;

    *ret_sources = (struct plan_sources){0};
    for (size_t i = 0; i < record->documents.count; i++)
        if (take_document(arena, &record->documents.items[i], &suite, ret_sources, err) < 0)
            return error_wrap(err, "a document of run %lld", record->number);
    if (suite == NULL || ret_sources->hostfile == NULL)
        return error_set(err, ERROR_INTERNAL, "run %lld has lost its suite or hostfile", record->number);
    ret_sources->suite = ret_sources->limits.suite = suite;
    for (size_t i = 0; i < ret_sources->platforms.count; i++)
        *list_push(arena, &ret_sources->limits.baselines) =
            platform_baseline(arena, ret_sources->platforms.items[i], NULL);
    for (size_t i = 0; i < record->documents.count; i++)
        if (take_baseline(arena, &record->documents.items[i], ret_sources, err) < 0)
            return error_wrap(err, "a document of run %lld", record->number);
    if (baseline == NULL)
        return 0;
    other = baseline_load(arena, baseline, err);
    return other != NULL ? run_limits_take(arena, &ret_sources->limits, other, err) : -1;
}

int cli_sources_as_judged(struct arena *arena, const struct record *record, struct plan_sources *sources,
                          struct error *err)
{
    const struct documents *documents = &record->judgement.documents;
    const struct suite *suite; /* there is none among them */

    for (size_t i = 0; i < documents->count; i++)
        if (take_document(arena, &documents->items[i], &suite, sources, err) < 0 ||
            take_baseline(arena, &documents->items[i], sources, err) < 0)
            return error_wrap(err, "a document of judgement %s", record->judgement.uuid);
    return 0;
}
