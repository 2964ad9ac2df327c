/* SPDX-License-Identifier: Apache-2.0 */
/* assay acceptance: the campaign over many runs. Every word of it only adds; nothing that was said before changes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "assay/app/campaign.h"
#include "assay/app/proof.h"
#include "assay/app/question.h"
#include "assay/app/sources.h"
#include "assay/base/cleanup.h"
#include "assay/base/clock.h"
#include "assay/base/files.h"
#include "assay/reasons/any.h"
#include "assay/report/report.h"
#include "cli.h"

enum { REPORT_BYTES = 1024 * 1024 * 1024 };

struct words {
    int argc;
    char **argv;
    struct arena *arena;
    struct store *store;
    struct error *err;
};

/* -- create ---------------------------------------------------------------------------------------------------- */

static int create(struct words *words, struct question *plan, const char *name)
{
    struct acceptance *acceptance = arena_new(words->arena, struct acceptance);
    struct record documents = {.arena = words->arena};
    char uuid[UUID_SIZE];

    uuid_create(uuid);
    if (question_make(words->arena, plan, uuid, words->err) < 0 ||
        campaign_check_suite(plan->sources.suite, words->err) < 0)
        return cli_fail(words->err);
    question_documents(words->arena, plan, words->argc, words->argv, &documents);
    *acceptance = (struct acceptance){.arena = words->arena, .uuid = uuid, .name = name, .made = clock_now()};
    for (size_t i = 0; i < documents.documents.count; i++)
        *list_push(words->arena, &acceptance->documents) = documents.documents.items[i];
    if (plan->baseline != NULL) {
        struct document *option = list_push(words->arena, &acceptance->documents);

        *option = (struct document){"baseline option", plan->baseline, "", slice_of(plan->baseline)};
        sha256_hex(option->bytes.bytes, option->bytes.length, option->sha256);
    }
    if (store_put_acceptance(words->store, acceptance, words->err) < 0)
        return cli_fail(words->err);
    cli_print(
        "acceptance: %s\n%zu hosts, %zu steps, %zu gates; add runs with `assay acceptance add %s RUN`\n",
        name, plan->plan->hosts.count, plan->plan->steps.count, plan->plan->gate_count, name);
    return EXIT_ACCEPT;
}

static int command_create(struct words *words, int first, const struct question *plan)
{
    struct question copy = *plan;

    return create(words, &copy, words->argv[first]);
}

/* -- how it stands --------------------------------------------------------------------------------------------- */

static void print_lines(const struct acceptance *acceptance)
{
    struct acceptance_line *lines;
    size_t count = acceptance_lines(acceptance->arena, acceptance, &lines);

    for (size_t i = 0; i < count; i++)
        cli_print("%s: %s on %s: %s\n", requirement_state_name(lines[i].state), lines[i].step,
                  reason_english(acceptance->arena, lines[i].targets),
                  reason_english(acceptance->arena, lines[i].why));
    for (size_t i = 0; i < acceptance->conflicts.count; i++)
        cli_print("hardware: %s\n", reason_english(acceptance->arena, acceptance_conflict_text(
                                                                          acceptance->arena, acceptance, i)));
    for (size_t i = 0; i < acceptance->changes.count; i++)
        if (!acceptance->changes.items[i].recorded)
            cli_print("hardware: %s\n",
                      reason_english(acceptance->arena, change_text(acceptance->arena, acceptance,
                                                                    &acceptance->changes.items[i])));
}

static int print_state(const struct acceptance *acceptance)
{
    const struct reason *left_out = acceptance_left_out_text(acceptance->arena, acceptance);

    print_lines(acceptance);
    if (left_out != NULL)
        cli_print("left out: %s\n", reason_english(acceptance->arena, left_out));
    for (size_t i = 1; i < acceptance->verdicts.count; i++)
        cli_print("unit: %s: %s (%s)\n", acceptance->verdicts.items[i].unit,
                  verdict_name(acceptance->verdicts.items[i].word),
                  reason_english(acceptance->arena,
                                 acceptance_counts_text(acceptance->arena, &acceptance->verdicts.items[i])));
    cli_print("acceptance: %s\nverdict: %s\n", acceptance->name,
              reason_english(acceptance->arena, acceptance_verdict_text(acceptance->arena, acceptance)));
    return verdict_exit_status(acceptance->verdicts.items[0].word);
}

static int load_and_print(struct words *words, const char *name)
{
    struct campaign campaign;
    struct acceptance *acceptance = NULL;

    if (campaign_load(words->arena, words->store, name, &campaign, words->err) == 0)
        acceptance = campaign_at(&campaign, clock_now(), words->err);
    return acceptance != NULL ? print_state(acceptance) : cli_fail(words->err);
}

/* -- add ------------------------------------------------------------------------------------------------------- */

/* Another party's run counts only where somebody here takes it in by name and with a reason, and that is told for ever. */
static int tell_adoption(struct words *words, const struct record *record, const char *who, const char *why,
                         struct acceptance_event *ret_event)
{
    const char *origin = run_origin_text(words->arena, record->origin);
    double now = clock_now();
    char uuid[UUID_SIZE];

    if (who == NULL || *who == '\0' || *why == '\0')
        return error_set(
            words->err, ERROR_USAGE,
            "run %lld was made by another party (%s); who adopts it, and why? --adopt WHO --note TEXT",
            record->number, origin);
    uuid_create(uuid);
    *ret_event = (struct acceptance_event){
        .uuid = arena_strdup(words->arena, uuid),
        .kind = EVENT_NOTE,
        .host = arena_printf(words->arena, "run %lld", record->number),
        .item = "",
        .spare = "",
        .note = arena_printf(words->arena, "adopted by %s: %s (%s)", who, why, origin),
        .at = now,
        .made = now,
    };
    return 0;
}

static int add_run(struct words *words, const struct campaign *campaign, const char *word, const char *who,
                   const char *why)
{
    long long number = store_find_run(words->store, word, words->err);
    struct record *record =
        number > 0 ? store_load_lean(words->store, words->arena, number, sighting_rests_on, words->err)
                   : NULL;
    struct acceptance_event adoption;

    if (record == NULL || campaign_check_run(campaign, record, words->err) < 0 ||
        (record->origin != NULL && tell_adoption(words, record, who, why, &adoption) < 0))
        return -1;
    return store_add_acceptance_run(words->store, campaign->kept, number, clock_now(),
                                    record->origin != NULL ? &adoption : NULL, words->err);
}

static int command_add(struct words *words, int first, const char *who, const char *why)
{
    struct campaign campaign;

    if (campaign_load(words->arena, words->store, words->argv[first], &campaign, words->err) < 0)
        return cli_fail(words->err);
    for (int i = first + 1; i < words->argc; i++)
        if (add_run(words, &campaign, words->argv[i], who, why) < 0)
            return cli_fail(words->err);
    return load_and_print(words, words->argv[first]);
}

/* -- event ----------------------------------------------------------------------------------------------------- */

static const struct host *find_host(const struct hostfile *hostfile, const char *name)
{
    for (size_t i = 0; i < hostfile->hosts.count; i++)
        if (strcmp(hostfile->hosts.items[i].name, name) == 0)
            return &hostfile->hosts.items[i];
    return NULL;
}

static bool is_hca(const struct host *host, const struct platform *platform, const char *word)
{
    for (size_t i = 0; i < host->rails.count; i++)
        if (strcmp(host->rails.items[i].hca, word) == 0)
            return true;
    for (size_t i = 0; platform != NULL && i < platform->hcas.count; i++)
        if (strcmp(platform->hcas.items[i], word) == 0)
            return true;
    return false;
}

/* "gpu3" of a platform with four of them and more. */
static bool is_gpu(const struct platform *platform, const char *word)
{
    struct slice rest = slice_of(word);
    uint64_t number;

    return platform != NULL && scan_text(&rest, "gpu") && scan_digits(&rest, &number) && rest.length == 0 &&
           number < platform->gpu_count;
}

static int check_item(const struct campaign *campaign, const struct host *host, const char *item,
                      struct error *err)
{
    const struct platform *platform = host_platform(&campaign->sources, host);

    if (*item == '\0' || is_gpu(platform, item) || is_hca(host, platform, item))
        return 0;
    return error_set(err, ERROR_USAGE,
                     "--item '%s' is neither a GPU (gpu0 to gpu%u) nor an HCA of %s, which is a %s", item,
                     platform != NULL && platform->gpu_count > 0 ? platform->gpu_count - 1 : 0, host->name,
                     platform != NULL ? platform->name : "host of no known platform");
}

static int refuse_host(const struct campaign *campaign, const char *host, struct error *err)
{
    const struct hostfile *hostfile = campaign->sources.hostfile;
    size_t count = hostfile->hosts.count;
    cleanup_free const char **names = mem_alloc((count + 1) * sizeof *names);

    for (size_t i = 0; i < count; i++)
        names[i] = hostfile->hosts.items[i].name;
    return error_set(err, ERROR_USAGE, "'%s' is not a host of acceptance %s%s", host, campaign->kept->name,
                     did_you_mean_host(host, names, count).text);
}

/* A slip here would leave a fail unmended, or mend another: each word must name something. */
static int check_event(const struct campaign *campaign, const struct acceptance_event *event,
                       struct error *err)
{
    struct acceptance *kept = campaign->kept;
    const struct hostfile *effective = hostfile_with_spares(kept->arena, campaign->sources.hostfile,
                                                            kept->events.items, kept->events.count, err);
    const struct host *host = find_host(campaign->sources.hostfile, event->host);

    if (effective == NULL)
        return -1;
    if (host == NULL)
        return refuse_host(campaign, event->host, err);
    if (check_item(campaign, host, event->item, err) < 0)
        return -1;
    if ((event->kind == EVENT_SPARE) != (*event->spare != '\0'))
        return error_set(err, ERROR_USAGE,
                         event->kind == EVENT_SPARE ? "which spare replaces it? --by SPARE"
                                                    : "--by SPARE belongs to the event spare");
    if (event->at > event->made)
        return error_set(err, ERROR_USAGE,
                         "--when lies in the future; an event is recorded when it has happened");
    return event->kind == EVENT_SPARE && hostfile_with_spares(kept->arena, effective, event, 1, err) == NULL
               ? -1
               : 0;
}

static int read_when(const char *word, double now, double *ret_at, struct error *err)
{
    bool day;

    *ret_at = now;
    return word == NULL ? 0 : cli_time(word, ret_at, &day, err);
}

/* What the words say of it; hosts and UUID come later. */
struct event_words {
    struct acceptance_event event;
    const char *what, *hosts, *when;
};

static int read_kind(const char *word, const char *what, enum event_kind *ret_kind, struct error *err)
{
    if (!event_kind_parse(word, ret_kind) || *ret_kind > EVENT_NOTE)
        return error_set(err, ERROR_USAGE, "'%s' is not an event; expected repair, swap, spare or note",
                         word);
    if (what == NULL)
        return 0;
    if (*ret_kind != EVENT_REPAIR && *ret_kind != EVENT_SWAP)
        return error_set(err, ERROR_USAGE, "--what belongs to repair and swap: what was done");
    return event_what_parse(what, ret_kind)
               ? 0
               : error_set(err, ERROR_USAGE,
                           "--what '%s' is none of settings, cable, firmware, reseat and part", what);
}

static int read_hosts(struct words *words, int operand, const char *option, struct hostlist *ret_hosts)
{
    bool given = operand < words->argc;

    if (given == (option != NULL))
        return error_set(words->err, ERROR_USAGE,
                         given ? "the hosts are named twice, as HOSTS and by --hosts"
                               : "name the hosts: HOSTS, or --hosts LIST: node[1-4],node7");
    return hostlist_expand(words->arena, given ? words->argv[operand] : option, ret_hosts, words->err);
}

/* One event of each host, alike but for its UUID. */
static int make_events(struct words *words, const struct campaign *campaign, const struct hostlist *hosts,
                       const struct acceptance_event *like, struct acceptance_event *events)
{
    for (size_t i = 0; i < hosts->names.count; i++) {
        char uuid[UUID_SIZE];

        uuid_create(uuid);
        events[i] = *like;
        events[i].uuid = arena_strdup(words->arena, uuid);
        events[i].host = hosts->names.items[i];
        if (check_event(campaign, &events[i], words->err) < 0)
            return -1;
    }
    if (like->kind == EVENT_SPARE && hosts->names.count > 1)
        return error_set(words->err, ERROR_USAGE, "a spare replaces one host");
    return 0;
}

static void print_events(const struct words *words, const struct hostlist *hosts,
                         const struct acceptance_event *events)
{
    size_t count = hosts->names.count;
    struct acceptance_event all = events[0];

    if (count > 1)
        all.host = hostlist_fold(words->arena, hosts->names.items, count);
    cli_print("event: %s %s\n", count > 1 ? arena_printf(words->arena, "%zu hosts:", count) : all.uuid,
              reason_english(words->arena, event_text(words->arena, &all)));
}

static int command_event(struct words *words, int first, struct event_words *told)
{
    struct campaign campaign;
    struct acceptance_event *events;
    struct hostlist hosts = {0};

    told->event.made = clock_now();
    if (read_kind(words->argv[first + 1], told->what, &told->event.kind, words->err) < 0 ||
        read_hosts(words, first + 2, told->hosts, &hosts) < 0 ||
        read_when(told->when, told->event.made, &told->event.at, words->err) < 0 ||
        campaign_load(words->arena, words->store, words->argv[first], &campaign, words->err) < 0)
        return cli_fail(words->err);
    events = arena_array(words->arena, struct acceptance_event, hosts.names.count);
    if (make_events(words, &campaign, &hosts, &told->event, events) < 0 ||
        store_put_events(words->store, campaign.kept, events, hosts.names.count, words->err) < 0)
        return cli_fail(words->err);
    print_events(words, &hosts, events);
    return load_and_print(words, words->argv[first]);
}

/* -- withdraw -------------------------------------------------------------------------------------------------- */

static struct acceptance_event *find_event(const struct campaign *campaign, const char *uuid,
                                           struct error *err)
{
    const struct acceptance *kept = campaign->kept;
    const char *names = "";

    for (size_t i = 0; i < kept->events.count; i++) {
        struct acceptance_event *event = &kept->events.items[i];

        if (event->kind == EVENT_WITHDRAWAL || event->withdrawn)
            continue;
        if (strcmp(event->uuid, uuid) == 0)
            return event;
        names = arena_printf(kept->arena, "%s\n  %s %s", names, event->uuid,
                             reason_english(kept->arena, event_text(kept->arena, event)));
    }
    error_set(err, ERROR_USAGE, "'%s' is not a valid event of acceptance %s%s%s", uuid, kept->name,
              *names != '\0' ? "; there are:" : ", and there is none", names);
    return NULL;
}

/* Without it the rest must still be possible: its spare may stand for another host by now. */
static int withdraw(struct campaign *campaign, struct acceptance_event *event, struct error *err)
{
    struct acceptance *kept = campaign->kept;

    event->withdrawn = true;
    return hostfile_with_spares(kept->arena, campaign->sources.hostfile, kept->events.items,
                                kept->events.count, err) != NULL
               ? 0
               : -1;
}

static int command_withdraw(struct words *words, int first, const char *why)
{
    struct campaign campaign;
    struct acceptance_event *event, withdrawal;
    char uuid[UUID_SIZE];

    uuid_create(uuid);
    if (*why == '\0') {
        error_set(words->err, ERROR_USAGE, "why is it withdrawn? --note TEXT");
        return cli_fail(words->err);
    }
    if (campaign_load(words->arena, words->store, words->argv[first], &campaign, words->err) < 0)
        return cli_fail(words->err);
    event = find_event(&campaign, words->argv[first + 1], words->err);
    if (event == NULL || withdraw(&campaign, event, words->err) < 0)
        return cli_fail(words->err);
    withdrawal = (struct acceptance_event){
        .uuid = uuid,
        .kind = EVENT_WITHDRAWAL,
        .host = event->host,
        .item = event->uuid,
        .spare = "",
        .note =
            reason_encode(words->arena, reason(words->arena, noted, event_text(words->arena, event), why)),
        .at = clock_now(),
        .made = clock_now()};
    if (store_put_event(words->store, campaign.kept, &withdrawal, words->err) < 0)
        return cli_fail(words->err);
    cli_print("event: %s %s\n", uuid, reason_english(words->arena, event_text(words->arena, &withdrawal)));
    return load_and_print(words, words->argv[first]);
}

/* -- status ---------------------------------------------------------------------------------------------------- */

static const struct document *document_of(const struct acceptance *acceptance, const char *kind)
{
    for (size_t i = 0; i < acceptance->documents.count; i++)
        if (strcmp(acceptance->documents.items[i].kind, kind) == 0)
            return &acceptance->documents.items[i];
    return NULL;
}

static int write_document(const struct acceptance *acceptance, const char *kind, const char *path,
                          struct error *err)
{
    const struct document *document = document_of(acceptance, kind);

    return document == NULL ? 0 : file_write(path, document->bytes.bytes, document->bytes.length, 0644, err);
}

/* Of the last of its runs that had any: what is repeated is repeated with the same tools. */
static const struct document *tools_of(const struct acceptance *acceptance)
{
    for (size_t i = acceptance->runs.count; i-- > 0;) {
        const struct record *run = acceptance->runs.items[i];

        for (size_t k = 0; k < run->documents.count; k++)
            if (strcmp(run->documents.items[k].kind, "tools") == 0)
                return &run->documents.items[k];
    }
    return NULL;
}

static void put_tools(struct text *line, const struct acceptance *acceptance, const char *folder)
{
    const struct document *tools = tools_of(acceptance);

    if (tools == NULL)
        return;
    text_put(line, " --tools ");
    text_shell_quote(line, arena_printf(acceptance->arena, "%s/tools.manifest", folder));
    if (strcmp(tools->name, TOOLS_STAGED) != 0) {
        text_put(line, " --tools-root ");
        text_shell_quote(line, tools->name);
    }
}

static int write_tools(const struct acceptance *acceptance, const char *folder, struct error *err)
{
    const struct document *tools = tools_of(acceptance);

    return tools == NULL ? 0
                         : file_write(arena_printf(acceptance->arena, "%s/tools.manifest", folder),
                                      tools->bytes.bytes, tools->bytes.length, 0644, err);
}

static const char *join_names(struct arena *arena, const struct hostlist *list)
{
    const char *joined = "";

    for (size_t i = 0; i < list->names.count; i++)
        joined = arena_printf(arena, "%s%s%s", joined, i > 0 ? "," : "", list->names.items[i]);
    return joined;
}

/* The command line of one of the next runs. */
static const char *command_line(const struct acceptance *acceptance, const struct campaign_block *block,
                                const char *folder)
{
    const struct document *baseline = document_of(acceptance, "baseline option");
    const char *steps;
    cleanup_text struct text line = {0};

    text_init(&line, 1 << 20);
    text_put(&line, "assay run -H ");
    text_shell_quote(&line, arena_printf(acceptance->arena, "%s/hostfile", folder));
    text_put(&line, " -s ");
    text_shell_quote(&line, arena_printf(acceptance->arena, "%s/suite.json", folder));
    text_put(&line, " --hosts ");
    text_shell_quote(&line,
                     hostlist_fold(acceptance->arena, block->hosts.names.items, block->hosts.names.count));
    steps = join_names(acceptance->arena, &block->steps);
    text_put(&line, " --steps ");
    text_shell_quote(&line, steps);
    if (baseline != NULL) {
        text_put(&line, " --baseline ");
        text_shell_quote(&line, baseline->name);
    }
    if (document_of(acceptance, "contract") != NULL) {
        text_put(&line, " --contract ");
        text_shell_quote(&line, arena_printf(acceptance->arena, "%s/contract.json", folder));
    }
    put_tools(&line, acceptance, folder);
    return arena_strndup(acceptance->arena, line.bytes, line.length);
}

static int write_next(const struct acceptance *acceptance, const struct campaign_next *next,
                      const char *folder, struct error *err)
{
    struct arena *arena = acceptance->arena;
    const char *lines = "";
    size_t runs = 0;

    if (mkdir(folder, 0755) < 0 && errno != EEXIST)
        return error_set(err, ERROR_USAGE, "%s: %s", folder, strerror(errno));
    for (size_t i = 0; i < next->blocks.count; i++) {
        const struct campaign_block *block = &next->blocks.items[i];
        const char *line = command_line(acceptance, block, folder);

        for (unsigned k = 0; k < block->times; k++, runs++)
            lines = arena_printf(arena, "%s%s\n", lines, line);
    }
    if (file_write(arena_printf(arena, "%s/hostfile", folder), next->hostfile, strlen(next->hostfile), 0644,
                   err) < 0 ||
        write_document(acceptance, "suite", arena_printf(arena, "%s/suite.json", folder), err) < 0 ||
        write_document(acceptance, "contract", arena_printf(arena, "%s/contract.json", folder), err) < 0 ||
        write_tools(acceptance, folder, err) < 0 ||
        file_write(arena_printf(arena, "%s/commands", folder), lines, strlen(lines), 0644, err) < 0)
        return -1;
    cli_print("next: %s/commands: %zu run%s of exactly what is required\n", folder, runs,
              runs == 1 ? "" : "s");
    cli_print_lines(lines);
    return 0;
}

static int command_status(struct words *words, int first, const char *folder)
{
    struct campaign campaign;
    struct acceptance *acceptance = NULL;
    struct campaign_next next;

    if (campaign_load(words->arena, words->store, words->argv[first], &campaign, words->err) == 0)
        acceptance = campaign_at(&campaign, clock_now(), words->err);
    if (acceptance == NULL || campaign_next(&campaign, acceptance, &next, words->err) < 0)
        return cli_fail(words->err);
    if (folder != NULL && next.blocks.count == 0)
        cli_print("next: nothing is to be run now\n");
    else if (folder != NULL && write_next(acceptance, &next, folder, words->err) < 0)
        return cli_fail(words->err);
    return print_state(acceptance);
}

/* -- report and list ------------------------------------------------------------------------------------------- */

static int sign_report(struct words *words, const struct campaign *campaign,
                       const struct acceptance *acceptance, const char *path, const struct text *report,
                       const char *key)
{
    struct manifest manifest;
    struct proof_files files;

    if (acceptance_manifest(words->arena, words->store, campaign->kept, NULL, &manifest, words->err) < 0)
        return -1;
    manifest_say(words->arena, &manifest, "name", acceptance->name);
    manifest_say(words->arena, &manifest, "verdict",
                 reason_english(words->arena, acceptance_verdict_text(words->arena, acceptance)));
    manifest_say(words->arena, &manifest, "as of", time_text(words->arena, acceptance->now));
    if (proof_write_signed(words->arena, &manifest, path, report, key, &files, words->err) < 0)
        return -1;
    cli_print_signed(&files);
    return 0;
}

struct report_options {
    const char *format, *lang, *output, *key;
};

static int command_report_of(struct words *words, int first, const struct report_options *options)
{
    const struct acceptance_format *row = acceptance_format_find(options->format);
    enum report_language language = LANGUAGE_EN;
    struct campaign campaign;
    struct acceptance *acceptance = NULL;
    cleanup_text struct text out = {0};

    if (row == NULL)
        error_set(words->err, ERROR_USAGE, "unknown format '%s'; expected html, text or json",
                  options->format);
    else if (!cli_language(options->lang, &language))
        error_set(words->err, ERROR_USAGE, "unknown language '%s'; expected en or zh", options->lang);
    else if (options->key != NULL && strcmp(options->output, "-") == 0)
        error_set(words->err, ERROR_USAGE, "what is signed needs a file: -o FILE");
    if (words->err->code != 0)
        return cli_fail(words->err);
    if (campaign_load(words->arena, words->store, words->argv[first], &campaign, words->err) == 0)
        acceptance = campaign_at(&campaign, clock_now(), words->err);
    if (acceptance == NULL || campaign_story(&campaign, acceptance, words->err) < 0)
        return cli_fail(words->err);
    text_init(&out, REPORT_BYTES);
    row->write(acceptance, language, &out);
    if ((options->key != NULL ? sign_report(words, &campaign, acceptance, options->output, &out, options->key)
                              : file_write(options->output, out.bytes, out.length, 0644, words->err)) < 0)
        return cli_fail(words->err);
    return verdict_exit_status(acceptance->verdicts.items[0].word);
}

static int command_list_all(struct words *words)
{
    struct acceptance_names names;

    if (store_list_acceptances(words->store, words->arena, &names, words->err) < 0)
        return cli_fail(words->err);
    for (size_t i = 0; i < names.items.count; i++)
        cli_print("%s\n", names.items.items[i]);
    return EXIT_ACCEPT;
}

/* -- the words ------------------------------------------------------------------------------------------------- */

static const struct verb {
    const char *name, *operands, *summary;
    int least, most; /* operands; -1: any number */
} verbs[] = {
    {"create", "NAME -H HOSTFILE -s SUITE [--baseline NAME] [--contract FILE]",
     "starts one: everything that the suite requires of these hosts must be shown", 1, 1},
    {"add", "NAME RUN... [--adopt WHO --note TEXT]",
     "adds runs, of all hosts and steps or of some; of the same suite and limits", 2, -1},
    {"event",
     "NAME repair|swap|spare|note HOSTS [--what WORK] [--item gpu3] [--by SPARE] [--note TEXT] [--when TIME]",
     "records what was done: only this, followed by three passes out of three, replaces a fail", 2, 3},
    {"withdraw", "NAME EVENT --note TEXT",
     "an event that was recorded by mistake no longer counts, but is still shown", 2, 2},
    {"status", "NAME [--next DIR]", "what is missing; writes hostfile, suite and commands of the next run", 1,
     1},
    {"report", "NAME [--format html|text|json] [--lang en|zh] [-o FILE] [--sign KEY]",
     "its state and its history", 1, 1},
    {"list", "", "the acceptances in the database", 0, 0},
};
enum { VERB_COUNT = ARRAY_SIZE(verbs) };

static int help(FILE *out)
{
    fprintf(out, "usage: assay acceptance VERB ...\n\nAn acceptance is a campaign over many runs.\n\n");
    for (size_t i = 0; i < VERB_COUNT; i++)
        fprintf(out, "  %s %s\n      %s\n", verbs[i].name, verbs[i].operands, verbs[i].summary);
    fprintf(out,
            "\nA fail is replaced by a recorded repair or swap followed by three passing attempts, or by a "
            "waiver\n"
            "(`assay waive`); never by running again until it passes. Exit status as of verdicts: 0 accept, "
            "1 reject,\n"
            "2 incomplete, 3 accept with exceptions. `assay acceptance VERB --help` lists the options.\n");
    return out == stdout ? EXIT_ACCEPT : EXIT_USAGE;
}

struct options {
    struct question plan;
    const char *db, *next, *adopt;
    struct report_options report;
    struct event_words told;
};

static int carry_out(struct words *words, const struct verb *verb, int first, struct options *options)
{
    if (strcmp(verb->name, "create") == 0)
        return command_create(words, first, &options->plan);
    if (strcmp(verb->name, "add") == 0)
        return command_add(words, first, options->adopt, options->told.event.note);
    if (strcmp(verb->name, "event") == 0)
        return command_event(words, first, &options->told);
    if (strcmp(verb->name, "withdraw") == 0)
        return command_withdraw(words, first, options->told.event.note);
    if (strcmp(verb->name, "status") == 0)
        return command_status(words, first, options->next);
    if (strcmp(verb->name, "report") == 0)
        return command_report_of(words, first, &options->report);
    return command_list_all(words);
}

static void refuse_verb(const char *word)
{
    const char *names[VERB_COUNT];

    for (size_t i = 0; i < VERB_COUNT; i++)
        names[i] = verbs[i].name;
    cli_refuse_verb("acceptance", word, names, VERB_COUNT);
}

static const struct verb *find_verb(const char *word)
{
    for (size_t i = 0; i < VERB_COUNT; i++)
        if (strcmp(verbs[i].name, word) == 0)
            return &verbs[i];
    return NULL;
}

/* Each verb takes its own options and refuses those of others. */
static const struct option_row *rows_of(const struct verb *verb, struct options *options)
{
    static struct option_row rows[10];
    const struct {
        const char *verb;
        struct option_row row;
    } all[] = {
        {"create", {"hostfile", 'H', OPTION_STRING, "FILE", &options->plan.hostfile, "all hosts and spares"}},
        {"create", {"suite", 's', OPTION_STRING, "SUITE", &options->plan.suite, "the agreed test plan"}},
        {"create",
         {"baseline", 'b', OPTION_STRING, "NAME", &options->plan.baseline,
          "baseline file or built-in name for all hosts; default: by platform"}},
        {"create",
         {"contract", 0, OPTION_STRING, "FILE", &options->plan.contract,
          "limits agreed in a contract, which outrank all others"}},
        {"event",
         {"item", 0, OPTION_STRING, "NAME", &options->told.event.item,
          "the part: gpu3, mlx5_0; default: the host as a whole"}},
        {"event",
         {"what", 0, OPTION_STRING, "WORK", &options->told.what,
          "of repair and swap: settings, cable, firmware, reseat or part; only what that touches is required "
          "again"}},
        {"event",
         {"hosts", 0, OPTION_STRING, "LIST", &options->told.hosts,
          "the hosts, in the place of HOSTS: node[01-16],node20"}},
        {"event", CLI_LIMIT_ROW(&options->told.hosts)},
        {"event",
         {"by", 0, OPTION_STRING, "SPARE", &options->told.event.spare,
          "of a spare: the host (role=spare) that replaces it"}},
        {"add",
         {"adopt", 0, OPTION_STRING, "WHO", &options->adopt,
          "adopts imported runs, in this name; the report shows it"}},
        {"add", {"note", 0, OPTION_STRING, "TEXT", &options->told.event.note, "why they are taken in"}},
        {"event",
         {"note", 0, OPTION_STRING, "TEXT", &options->told.event.note, "what was done, for the report"}},
        {"withdraw", {"note", 0, OPTION_STRING, "TEXT", &options->told.event.note, "why, for the report"}},
        {"event",
         {"when", 0, OPTION_STRING, "TIME", &options->told.when,
          "when it happened: 2026-03-01T12:00 (UTC); default: now"}},
        {"status",
         {"next", 0, OPTION_STRING, "DIR", &options->next,
          "writes what the next run needs there, and its command line"}},
        {"report", {"format", 'f', OPTION_STRING, "NAME", &options->report.format, "html, text or json"}},
        {"report",
         {"lang", 'l', OPTION_STRING, "LANGUAGE", &options->report.lang,
          "en or zh, of html and text; default: by LC_ALL, LC_MESSAGES or LANG, else en"}},
        {"report",
         {"output", 'o', OPTION_STRING, "FILE", &options->report.output,
          "output file; default: standard output"}},
        {"report",
         {"sign", 0, OPTION_STRING, "KEY", &options->report.key,
          "with a manifest of all its runs, documents and events, signed by this SSH key"}},
        {NULL, {"db", 0, OPTION_STRING, "FILE", &options->db, "database; default $ASSAY_DB or assay.db"}},
    };
    size_t count = 0;

    for (size_t i = 0; i < ARRAY_SIZE(all); i++)
        if (all[i].verb == NULL || strcmp(all[i].verb, verb->name) == 0)
            rows[count++] = all[i].row;
    rows[count] = (struct option_row)OPTION_END;
    return rows;
}

static int run_verb(const struct verb *verb, int argc, char **argv)
{
    struct options options = {.report = {.format = "html", .output = "-"},
                              .told = {.event = {.item = "", .spare = "", .note = ""}}};
    struct error err = {0};
    struct words words = {.argc = argc, .argv = argv, .err = &err};
    char usage[256];
    int first, status;

    snprintf(usage, sizeof usage, "acceptance %s %s", verb->name, verb->operands);
    if (!cli_options(rows_of(verb, &options), usage, argc, argv, &first, &status))
        return status;
    if (argc - first < verb->least || (verb->most >= 0 && argc - first > verb->most)) {
        cli_warn("assay: acceptance %s: expected %s\n", verb->name, verb->operands);
        return EXIT_USAGE;
    }
    words.arena = arena_create();
    words.store = strcmp(verb->name, "create") == 0 ? store_open(cli_database(options.db), false, &err)
                                                    : cli_stored(options.db, &err);
    status = words.store != NULL ? carry_out(&words, verb, first, &options) : cli_fail(&err);
    store_close(words.store);
    arena_destroy(words.arena);
    return status;
}

int command_acceptance(int argc, char **argv)
{
    const struct verb *verb = argc > 1 ? find_verb(argv[1]) : NULL;

    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        return help(stdout);
    if (verb == NULL) {
        if (argc > 1)
            refuse_verb(argv[1]);
        return help(stderr);
    }
    return run_verb(verb, argc - 1, argv + 1);
}
