/* SPDX-License-Identifier: Apache-2.0 */
/* `assay logs`: what the hosts of a stored run printed, as the database keeps it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "assay/base/nearest.h"
#include "assay/base/pattern.h"
#include "assay/report/report.h"
#include "cli.h"

enum { LINE_BYTES = 64 << 20 };

struct request {
    const char *db, *grep;
    unsigned attempt; /* 0: of a step the newest; with --grep and in the list all */
    bool only_stderr, raw;
    struct hostlist hosts; /* none: all */
    const char *step;      /* NULL: all */
    struct pattern *pattern;
    struct arena *arena;
    struct store *store;
    const struct record *record;
    size_t found; /* lines that match */
};

/* ---- which attempts ---- */

static bool has_host(const struct request *request, const struct step *step)
{
    for (size_t i = 0; i < request->hosts.names.count; i++)
        for (size_t k = 0; k < step->member_count; k++)
            if (strcmp(request->hosts.names.items[i], step->members[k]->name) == 0)
                return true;
    return request->hosts.names.count == 0;
}

static const struct step *step_of(const struct request *request, const struct attempt *attempt)
{
    return &request->record->plan->steps.items[attempt->step];
}

static bool is_newest(const struct request *request, const struct attempt *attempt)
{
    for (size_t i = 0; i < request->record->attempts.count; i++)
        if (request->record->attempts.items[i].step == attempt->step &&
            request->record->attempts.items[i].n > attempt->n)
            return false;
    return true;
}

static bool is_asked_for(const struct request *request, const struct attempt *attempt)
{
    const struct step *step = step_of(request, attempt);

    if ((request->step != NULL && strcmp(step->shape->suite_step, request->step) != 0) ||
        !has_host(request, step))
        return false;
    if (request->attempt > 0)
        return attempt->n == request->attempt;
    return request->step == NULL || request->pattern != NULL || is_newest(request, attempt);
}

/* What was asked for must be there: an empty answer to a mistyped name would look like silence of the host. */
static int no_such(const struct request *request, const char *kind, const char *word,
                   struct did_you_mean meant, struct error *err)
{
    return error_set(err, ERROR_USAGE, "run %lld has no %s '%s' (`assay logs %lld` lists what there is)%s",
                     request->record->number, kind, word, request->record->number, meant.text);
}

static int check_hosts(const struct request *request, struct error *err)
{
    const struct plan *plan = request->record->plan;
    const char **names = arena_array(request->arena, const char *, plan->hosts.count + 1);

    for (size_t i = 0; i < plan->hosts.count; i++)
        names[i] = plan->hosts.items[i]->name;
    for (size_t i = 0; i < request->hosts.names.count; i++) {
        size_t k = 0;

        while (k < plan->hosts.count && strcmp(names[k], request->hosts.names.items[i]) != 0)
            k++;
        if (k == plan->hosts.count)
            return no_such(request, "host", request->hosts.names.items[i],
                           did_you_mean_host(request->hosts.names.items[i], names, plan->hosts.count), err);
    }
    return 0;
}

static int check_step(const struct request *request, struct error *err)
{
    const struct plan *plan = request->record->plan;
    const char **names = arena_array(request->arena, const char *, plan->shapes.count + 1);

    if (request->step == NULL)
        return 0;
    for (size_t i = 0; i < plan->shapes.count; i++) {
        names[i] = plan->shapes.items[i]->suite_step;
        if (strcmp(names[i], request->step) == 0)
            return 0;
    }
    return no_such(request, "step", request->step, did_you_mean(request->step, names, plan->shapes.count),
                   err);
}

/* ---- what is printed ---- */

static void print_list_head(void)
{
    cli_print("%-26s  %3s  %-12s  %4s  %9s  %10s  %10s  %s\n", "step", "try", "ended", "exit", "took, s",
              "stdout", "stderr", "on");
}

static void print_row(const struct request *request, const struct attempt *attempt)
{
    const struct step *step = step_of(request, attempt);
    bool ended = attempt->state == ATTEMPT_ENDED;

    cli_print("%-26s  %3u  %-12s  %4d  %9.1f  %10llu  %10llu  %s\n", step->shape->suite_step, attempt->n,
              ended ? attempt_end_name(attempt->end) : "runs", attempt->rc,
              ended ? attempt->ended - attempt->began : 0.0, (unsigned long long)attempt->captures[0].length,
              (unsigned long long)attempt->captures[1].length, step_target(request->arena, step));
}

static void print_line(struct slice line)
{
    cleanup_text struct text text = {0};

    text_init(&text, LINE_BYTES);
    output_line(line, &text);
    cli_print_lines(text.bytes);
}

static void put_bytes(struct slice bytes)
{
    if (bytes.length > 0)
        fwrite(bytes.bytes, 1, bytes.length, stdout);
}

static void print_capture(const struct request *request, const struct capture *capture)
{
    cleanup_text struct text text = {0};

    if (request->raw) {
        put_bytes(capture->bytes);
        put_bytes(capture->tail);
        return;
    }
    text_init(&text, LINE_BYTES);
    output_capture(capture, &text);
    cli_print_lines(text.bytes);
}

static void print_heading(const struct request *request, const struct attempt *attempt)
{
    cleanup_text struct text text = {0};

    text_init(&text, LINE_BYTES);
    output_heading(request->record, attempt, &text);
    cli_print_lines(text.bytes);
}

static void print_output(const struct request *request, const struct attempt *attempt)
{
    if (!request->raw)
        print_heading(request, attempt);
    if (!request->only_stderr)
        print_capture(request, &attempt->captures[0]);
    if (!request->raw && !request->only_stderr && attempt->captures[1].length > 0)
        cli_print("# stderr:\n");
    if (!request->raw || request->only_stderr)
        print_capture(request, &attempt->captures[1]);
}

/* What a pattern may do is counted over all its searches (pattern.h): with a new one the line has that for itself. A line
   that takes more is an error, for one that was not looked at is not one without a match. */
static int find(struct request *request, struct slice line, bool *ret_found, struct error *err)
{
    enum pattern_result result = PATTERN_EXHAUSTED;

    for (int tries = 0; tries < 2 && result == PATTERN_EXHAUSTED; tries++) {
        size_t offset = 0;

        if (tries > 0) {
            pattern_destroy(request->pattern);
            request->pattern = pattern_create(request->grep, &offset, err);
            if (request->pattern == NULL)
                return -1;
            offset = 0;
        }
        result = pattern_next(request->pattern, line, &offset);
    }
    *ret_found = result == PATTERN_FOUND;
    return result != PATTERN_EXHAUSTED
               ? 0
               : error_set(err, ERROR_USAGE, "--grep '%s': it takes too many steps on a line; simplify it",
                           request->grep);
}

/* "node3 gpu-burn 2:117: GPU 3: FAULTY"; of stderr with "stderr" before the number of the line. */
static int search(struct request *request, const struct attempt *attempt, const struct capture *capture,
                  struct error *err)
{
    const struct step *step = step_of(request, attempt);
    const char *stream = strcmp(capture->stream, "stderr") == 0 ? "stderr " : "";
    struct slice rest = capture->bytes, line;

    for (size_t number = 1; output_next_line(&rest, &line); number++) {
        bool found;

        if (find(request, line, &found, err) < 0)
            return -1;
        if (!found)
            continue;
        request->found++;
        if (!request->raw)
            cli_print("%s %s %u:%s%zu: ", step_target(request->arena, step), step->shape->suite_step,
                      attempt->n, stream, number);
        print_line(line);
    }
    return 0;
}

static int show_attempt(struct request *request, struct attempt *attempt, struct error *err)
{
    cleanup_arena struct arena *arena = NULL;
    int result;

    if (request->step == NULL && request->pattern == NULL) {
        print_row(request, attempt);
        return 0;
    }
    arena = arena_create();
    result = store_load_evidence(request->store, arena, request->record, attempt, err);
    if (result == 0 && request->pattern == NULL)
        print_output(request, attempt);
    for (size_t i = request->only_stderr; result == 0 && request->pattern != NULL && i < 2; i++)
        result = search(request, attempt, &attempt->captures[i], err);
    return result;
}

static int show(struct request *request, struct record *record, struct error *err)
{
    size_t shown = 0;

    if (check_hosts(request, err) < 0 || check_step(request, err) < 0)
        return -1;
    if (request->step == NULL && request->pattern == NULL)
        print_list_head();
    for (size_t i = 0; i < record->attempts.count; i++)
        if (is_asked_for(request, &record->attempts.items[i])) {
            if (show_attempt(request, &record->attempts.items[i], err) < 0)
                return -1;
            shown++;
        }
    if (shown == 0 && request->step != NULL)
        return error_set(err, ERROR_USAGE,
                         "run %lld has no such attempt; `assay logs %lld` lists what there is",
                         record->number, record->number);
    return 0;
}

/* ---- the pager ---- */

struct pager {
    FILE *pipe;
    int terminal;
};

/* What is to be read by a person goes through $PAGER; LESS as git sets it: short outputs stay on the screen. */
static void pager_start(struct pager *pager, const struct request *request)
{
    const char *program = getenv("PAGER");

    *pager = (struct pager){0};
    if (request->raw || !isatty(STDOUT_FILENO) || (program != NULL && *program == '\0'))
        return;
    setenv("LESS", "FRX", 0);
    pager->pipe = popen(program != NULL ? program : "less", "w");
    if (pager->pipe == NULL)
        return;
    pager->terminal = dup(STDOUT_FILENO);
    dup2(fileno(pager->pipe), STDOUT_FILENO);
}

static void pager_end(struct pager *pager)
{
    if (pager->pipe == NULL)
        return;
    fflush(stdout);
    dup2(pager->terminal, STDOUT_FILENO);
    close(pager->terminal);
    pclose(pager->pipe);
}

/* ---- the command ---- */

static int read_words(struct request *request, char **words, int count, struct error *err)
{
    size_t offset;

    if (count > 1 && hostlist_expand(request->arena, words[1], &request->hosts, err) < 0)
        return -1;
    if (count > 2)
        request->step = words[2];
    if (request->grep == NULL)
        return 0;
    request->pattern = pattern_create(request->grep, &offset, err);
    return request->pattern != NULL ? 0 : error_wrap(err, "--grep '%s'", request->grep);
}

static int logs(struct request *request, char **words, int count, struct error *err)
{
    struct record *record;
    struct pager pager;
    int result = -1;

    if (read_words(request, words, count, err) < 0)
        return -1;
    request->store = store_open(cli_database(request->db), true, err);
    record = cli_load_lean(request->store, request->arena, count > 0 ? words[0] : NULL, cli_no_facts, err);
    if (record != NULL) {
        request->record = record;
        pager_start(&pager, request);
        result = show(request, record, err);
        pager_end(&pager);
    }
    store_close(request->store);
    return result;
}

int command_logs(int argc, char **argv)
{
    struct request request = {0};
    const struct option_row rows[] = {
        {"attempt", 'n', OPTION_COUNT, "N", &request.attempt, "this try of the step; default: the last one"},
        {"stderr", 0, OPTION_FLAG, NULL, &request.only_stderr, "only what came on standard error"},
        {"grep", 'g', OPTION_STRING, "PATTERN", &request.grep,
         "only lines that match this (a Perl regular expression), of all attempts"},
        {"raw", 0, OPTION_FLAG, NULL, &request.raw,
         "the bytes as the host gave them: no headings, nothing made harmless for a terminal, no pager"},
        CLI_DB_ROW(&request.db),
        OPTION_END,
    };
    struct error err = {0};
    int first, status;

    if (!cli_options(rows, "logs [RUN [HOST [STEP]]]", argc, argv, &first, &status))
        return status;
    if (argc - first > 3) {
        cli_warn("assay: logs: unexpected '%s'; expected a run, a host and a step\n", argv[first + 3]);
        return EXIT_USAGE;
    }
    request.arena = arena_create();
    status = logs(&request, argv + first, argc - first, &err) < 0 ? cli_fail(&err) : EXIT_ACCEPT;
    if (status == EXIT_ACCEPT && request.pattern != NULL && request.found == 0)
        status = EXIT_REJECT;
    pattern_destroy(request.pattern);
    arena_destroy(request.arena);
    return status;
}
