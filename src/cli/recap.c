/* SPDX-License-Identifier: Apache-2.0 */
#include "recap.h"

#include <stdlib.h>
#include <string.h>

#include "assay/base/printable.h"
#include "assay/reasons/report.h"
#include "cli.h"

enum { LINES_MOST = 24, NAMES_MOST = 4, HOSTS_WIDTH = 40, COLUMNS = 80, LINE_BYTES = 1 << 20 };

/* Of steps, each once, wherever they stand in the plan. */
struct names {
    const char *text;
    LIST_OF(const char *) items;
};

/* Steps of a host, or of several, by how they ended. */
struct tally {
    const struct host *host; /* NULL: over several hosts */
    size_t ok, recorded, waived, failed, open, skipped;
    struct names failed_names, open_names;
    const char *verdict, *rest; /* as they are printed; equal ones are folded */
    bool left_out;              /* steps of the host, by --steps */
    bool printed;
};

/* The worst gate of each step. */
static enum outcome_word *worst_words(struct arena *arena, const struct record *record)
{
    enum outcome_word *worst = arena_array(arena, enum outcome_word, record->plan->steps.count);

    array_each (outcome, record->judgement.outcomes, record->judgement.outcome_count)
        if (outcome->word > worst[outcome->step])
            worst[outcome->step] = outcome->word;
    return worst;
}

/* Whether every fail of the step is waived. */
static bool *waived_steps(struct arena *arena, const struct record *record)
{
    bool *waived = arena_array(arena, bool, record->plan->steps.count);

    for (size_t i = 0; i < record->plan->steps.count; i++)
        waived[i] = true;
    array_each (outcome, record->judgement.outcomes, record->judgement.outcome_count)
        waived[outcome->step] &= outcome->word != OUTCOME_FAIL || outcome->waiver != NULL;
    return waived;
}

/* -- One line for each set of hosts -- */

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(struct tally *const *)a)->host->name, (*(struct tally *const *)b)->host->name);
}

/* One for each host, and the same by their names. */
static struct tally **index_tallies(struct arena *arena, const struct plan *plan, struct tally *tallies)
{
    struct tally **by_name = arena_array(arena, struct tally *, plan->hosts.count);

    for (size_t i = 0; i < plan->hosts.count; i++) {
        tallies[i] = (struct tally){.host = plan->hosts.items[i]};
        by_name[i] = &tallies[i];
    }
    qsort(by_name, plan->hosts.count, sizeof *by_name, compare_names);
    return by_name;
}

static struct tally *tally_of(struct tally **by_name, size_t count, const struct host *host)
{
    struct tally wanted = {.host = host}, *key = &wanted;
    struct tally **found = bsearch(&key, by_name, count, sizeof *by_name, compare_names);

    return found != NULL ? *found : NULL;
}

static void add_name(struct arena *arena, struct names *names, const char *name)
{
    size_t count;

    list_each (known, names->items)
        if (strcmp(*known, name) == 0)
            return;
    *list_push(arena, &names->items) = name;
    count = names->items.count;
    if (count <= NAMES_MOST + 1)
        names->text = arena_printf(arena, "%s%s%s", count > 1 ? names->text : "", count > 1 ? ", " : "",
                                   count > NAMES_MOST ? "..." : name);
}

static void count_step(struct arena *arena, struct tally *tally, const struct step *step,
                       enum outcome_word word, bool waived)
{
    const char *name = step->shape->suite_step;

    if (word == OUTCOME_FAIL && waived) {
        tally->waived++;
    } else if (word == OUTCOME_FAIL) {
        add_name(arena, &tally->failed_names, name);
        tally->failed++;
    } else if (word == OUTCOME_INCONCLUSIVE) {
        add_name(arena, &tally->open_names, name);
        tally->open++;
    } else if (word == OUTCOME_NOT_RUN) {
        tally->skipped++;
    } else if (word == OUTCOME_RECORDED) {
        tally->recorded++; /* nothing of it is judged: it may not even have run */
    } else {
        tally->ok++;
    }
}

struct telling {
    struct arena *arena;
    enum report_language language;
    const char *text; /* what is said so far */
};

static void tell(struct telling *telling, const struct reason *reason)
{
    const char *said = reason_said(telling->arena, telling->language, reason);

    telling->text =
        *telling->text != '\0' ? arena_printf(telling->arena, "%s  %s", telling->text, said) : said;
}

/* Where it stands with tests across hosts, which are none of its own. */
static void tell_across(struct telling *telling, const struct tally *tally, const struct verdict *verdict)
{
    if (verdict->fail > 0 && tally->failed == 0)
        tell(telling, REASON(recap_at_fault));
    /* Its own steps are all there: what did not run of it is with others. */
    if (verdict->word == VERDICT_INCOMPLETE && verdict->not_run > 0 && tally->skipped == 0 &&
        !tally->left_out)
        tell(telling, reason(telling->arena, recap_in_no_test, verdict->not_run));
    if (verdict->accused > 0)
        tell(telling, REASON(recap_makes_slow));
}

/* "ok 22  failed 2 (gpu-burn, p2p-bandwidth)". verdict: of a host; NULL */
static const char *rest_text(struct arena *arena, enum report_language language, const struct tally *tally,
                             const struct verdict *verdict)
{
    struct telling telling = {arena, language, ""};

    tell(&telling, reason(arena, recap_ok, tally->ok));
    if (tally->failed > 0)
        tell(&telling, reason(arena, recap_failed, tally->failed, tally->failed_names.text));
    if (tally->open > 0)
        tell(&telling, reason(arena, recap_open, tally->open, tally->open_names.text));
    if (tally->recorded > 0)
        tell(&telling, reason(arena, recap_recorded, tally->recorded));
    if (tally->waived > 0)
        tell(&telling, reason(arena, recap_waived, tally->waived));
    if (tally->skipped > 0)
        tell(&telling, reason(arena, recap_not_run, tally->skipped));
    if (verdict != NULL)
        tell_across(&telling, tally, verdict);
    return telling.text;
}

/* What --steps left out is no result, and parts that search who is slow are none of the host. */
static bool is_counted(const struct step *step)
{
    return step->origin != ORIGIN_LEFT_OUT && step->origin != ORIGIN_ISOLATE;
}

static void count_all(struct arena *arena, const struct record *record, struct tally *tallies,
                      struct tally *across)
{
    const struct plan *plan = record->plan;
    const enum outcome_word *worst = worst_words(arena, record);
    const bool *waived = waived_steps(arena, record);
    struct tally **by_name = index_tallies(arena, plan, tallies);

    *across = (struct tally){0};
    for (size_t i = 0; i < plan->steps.count; i++) {
        const struct step *step = &plan->steps.items[i];
        struct tally *tally =
            step->member_count > 1 ? across : tally_of(by_name, plan->hosts.count, step->members[0]);

        if (tally != NULL && step->origin == ORIGIN_LEFT_OUT)
            tally->left_out = true;
        if (tally != NULL && is_counted(step))
            count_step(arena, tally, step, worst[i], waived[i]);
    }
}

/* Verdicts of hosts come in the order of the plan's hosts. */
static void add_verdicts(struct arena *arena, enum report_language language, const struct record *record,
                         struct tally *tallies)
{
    const struct judgement *judgement = &record->judgement;
    size_t at = 0;

    for (size_t i = 0; i < record->plan->hosts.count; i++) {
        size_t found = at;

        while (found < judgement->verdict_count &&
               (strcmp(judgement->verdicts[found].scope, "host") != 0 ||
                strcmp(judgement->verdicts[found].name, tallies[i].host->name) != 0))
            found++;
        tallies[i].verdict = "";
        tallies[i].rest = rest_text(arena, language, &tallies[i], NULL);
        if (found == judgement->verdict_count)
            continue;
        tallies[i].verdict = reason_said(
            arena, language,
            reason_word(arena, standing_verdict(&record->standing, judgement->verdicts[found].word)));
        tallies[i].rest = rest_text(arena, language, &tallies[i], &judgement->verdicts[found]);
        at = found + 1;
    }
}

/* Takes out all that are like the first, and folds their names. */
static const char *fold(struct arena *arena, struct tally *tallies, size_t count, size_t first)
{
    const char **names = arena_array(arena, const char *, count);
    size_t alike = 0;

    for (size_t i = first; i < count; i++)
        if (!tallies[i].printed && strcmp(tallies[i].verdict, tallies[first].verdict) == 0 &&
            strcmp(tallies[i].rest, tallies[first].rest) == 0) {
            tallies[i].printed = true;
            names[alike++] = tallies[i].host->name;
        }
    return hostlist_fold(arena, names, alike);
}

struct recap_line {
    const char *hosts, *verdict, *rest;
};

/* In 80 columns, each line as far in as the first. */
static void put_rest(struct text *out, const char *rest, size_t indent)
{
    size_t column = printable_width(out->bytes);

    while (*rest != '\0') {
        size_t blanks = strspn(rest, " "), length = strcspn(rest + blanks, " ");

        if (column > indent && column + blanks + length > COLUMNS) {
            text_printf(out, "\n%*s", (int)indent, "");
            column = indent;
            rest += blanks;
            blanks = 0;
        }
        text_add(out, rest, blanks + length);
        column += blanks + length;
        rest += blanks + length;
    }
    text_put(out, "\n");
}

/* Names that are wider than their column have lines of their own, which end behind a comma. */
static void print_hosts(const char *hosts)
{
    enum { INDENT = 2, FURTHER_INDENT = 4 };
    cleanup_text struct text lines = {0};
    size_t column = INDENT;

    text_init(&lines, LINE_BYTES);
    text_printf(&lines, "%*s", INDENT, "");
    while (*hosts != '\0') {
        size_t length = strcspn(hosts, ",");

        length += hosts[length] == ',';
        if (column + length > COLUMNS) {
            text_printf(&lines, "\n%*s", FURTHER_INDENT, "");
            column = FURTHER_INDENT;
        }
        text_add(&lines, hosts, length);
        column += length;
        hosts += length;
    }
    text_put(&lines, "\n");
    cli_print_lines(lines.bytes);
}

/* As wide as it is on a terminal: a Chinese character takes two columns. */
static const char *padded(struct arena *arena, const char *text, size_t width)
{
    size_t has = printable_width(text);

    return arena_printf(arena, "%s%*s", text, width > has ? (int)(width - has) : 0, "");
}

static void print_line(struct arena *arena, const struct recap_line *line, size_t hosts_width,
                       size_t verdict_width)
{
    bool apart = printable_width(line->hosts) > hosts_width;
    cleanup_text struct text words = {0};

    if (apart)
        print_hosts(line->hosts);
    text_init(&words, LINE_BYTES);
    text_printf(&words, "  %s  %s  ", padded(arena, apart ? "" : line->hosts, hosts_width),
                padded(arena, line->verdict, verdict_width));
    put_rest(&words, line->rest, hosts_width + verdict_width + 6);
    cli_print_lines(words.bytes);
}

static void print_lines(struct arena *arena, enum report_language language, const struct recap_line *lines,
                        size_t count)
{
    size_t hosts_width = 0, verdict_width = 0;

    for (size_t i = 0; i < count; i++) {
        size_t hosts = printable_width(lines[i].hosts), verdict = printable_width(lines[i].verdict);

        hosts_width = hosts > hosts_width && hosts <= HOSTS_WIDTH ? hosts : hosts_width;
        verdict_width = verdict > verdict_width ? verdict : verdict_width;
    }
    cli_print("%s:\n", reason_said(arena, language, REASON(recap_head)));
    for (size_t i = 0; i < count && i < LINES_MOST; i++) {
        print_line(arena, &lines[i], hosts_width, verdict_width);
    }
    if (count > LINES_MOST)
        cli_print("  %s\n",
                  reason_said(arena, language, reason(arena, recap_more_lines, count - LINES_MOST)));
}

void recap_print(const struct record *record, enum report_language language)
{
    cleanup_arena struct arena *arena = arena_create();
    size_t hosts = record->plan->hosts.count;
    struct tally *tallies = arena_array(arena, struct tally, hosts), across;
    LIST_OF(struct recap_line) lines = {0};

    count_all(arena, record, tallies, &across);
    add_verdicts(arena, language, record, tallies);
    for (size_t i = 0; i < hosts; i++)
        if (!tallies[i].printed)
            *list_push(arena, &lines) =
                (struct recap_line){fold(arena, tallies, hosts, i), tallies[i].verdict, tallies[i].rest};
    if (across.ok + across.recorded + across.waived + across.failed + across.open + across.skipped > 0)
        *list_push(arena, &lines) = (struct recap_line){reason_said(arena, language, REASON(recap_across)),
                                                        "", rest_text(arena, language, &across, NULL)};
    print_lines(arena, language, lines.items, lines.count);
}

size_t recap_not_run(const struct record *record)
{
    cleanup_arena struct arena *arena = arena_create();
    const enum outcome_word *worst = worst_words(arena, record);
    size_t count = 0;

    for (size_t i = 0; i < record->plan->steps.count; i++)
        count += is_counted(&record->plan->steps.items[i]) && worst[i] == OUTCOME_NOT_RUN;
    return count;
}

/* -- A run that was cancelled -- */

/* Steps that ended of themselves, and those that will not run because of them. */
static bool *settled_steps(struct arena *arena, const struct record *record)
{
    const struct plan *plan = record->plan;
    const enum outcome_word *worst = worst_words(arena, record);
    bool *settled = arena_array(arena, bool, plan->steps.count);

    for (size_t i = 0; i < record->attempts.count; i++)
        settled[record->attempts.items[i].step] = record->attempts.items[i].state == ATTEMPT_ENDED &&
                                                  record->attempts.items[i].end != ATTEMPT_CANCELLED;
    for (size_t i = 0; i < plan->steps.count; i++) {
        const struct step *step = &plan->steps.items[i];

        settled[i] |= step->origin == ORIGIN_LEFT_OUT;
        for (size_t k = 0; k < step->need_count; k++)
            settled[i] |= settled[step->needs[k]] && worst[step->needs[k]] > OUTCOME_PASS;
    }
    return settled;
}

/* Hosts of which each step of their own is settled. */
static size_t count_done(struct arena *arena, const struct record *record, const bool *settled)
{
    const struct plan *plan = record->plan;
    size_t done = 0;
    struct tally *tallies = arena_array(arena, struct tally, plan->hosts.count);
    struct tally **by_name = index_tallies(arena, plan, tallies);

    for (size_t i = 0; i < plan->steps.count; i++) {
        const struct step *step = &plan->steps.items[i];
        struct tally *tally = tally_of(by_name, plan->hosts.count, step->members[0]);

        if (tally != NULL && step->member_count == 1 && !settled[i])
            tally->skipped++;
    }
    for (size_t i = 0; i < plan->hosts.count; i++)
        done += tallies[i].skipped == 0;
    return done;
}

static size_t count_settled(const struct record *record, const bool *settled)
{
    size_t done = 0;

    for (size_t i = 0; i < record->plan->steps.count; i++)
        done += settled[i];
    return done;
}

void recap_print_headline(const struct record *record)
{
    cleanup_arena struct arena *arena = arena_create();
    size_t steps = record->plan->steps.count;

    cli_print("cancelled after %zu of %zu test%s\n", count_settled(record, settled_steps(arena, record)),
              steps, steps == 1 ? "" : "s");
}

void recap_print_cancelled(const struct record *record, const char *db, bool by_keyboard)
{
    cleanup_arena struct arena *arena = arena_create();
    const bool *settled = settled_steps(arena, record);
    size_t steps = record->plan->steps.count, hosts = record->plan->hosts.count;
    size_t done = count_settled(record, settled);

    cli_print(
        "cancelled%s; %zu of %zu host%s done, %zu of %zu test%s; continue with `assay run --resume %lld%s`\n",
        by_keyboard ? " by you" : "", count_done(arena, record, settled), hosts, hosts == 1 ? "" : "s", done,
        steps, steps == 1 ? "" : "s", record->number, cli_database_words(arena, db));
}
