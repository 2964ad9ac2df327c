/* SPDX-License-Identifier: Apache-2.0 */
/* The report for terminals and mail: 80 columns, the verdict first. */
#include "report_formats.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "alike.h"
#include "assay/base/printable.h"
#include "assay/check/check.h"
#include "assay/model/evidence.h"
#include "assay/model/suite.h"
#include "changes.h"
#include "distributions.h"
#include "gates.h"
#include "history_shown.h"
#include "language.h"
#include "matrix.h"
#include "method.h"
#include "names.h"
#include "out_of_use.h"
#include "pairs.h"
#include "reached.h"
#include "retests.h"
#include "searches.h"
#include "slices.h"
#include "unjudged.h"
#include "variants.h"
#include "view.h"

enum { COLUMNS = 80, STEP_COLUMNS = 24, HOST_COLUMNS = 30, CELL_COLUMNS = 5, NUMBER_COLUMNS = 8 };

struct letter {
    struct text *out;
    struct arena *arena;
    enum report_language language;
    const struct view *view;
    struct report_entry *entries;
    size_t entry_count;
};

static const char *number(const struct letter *letter, size_t count)
{
    return count_text(letter->arena, count);
}

static void put_blanks(struct text *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_put(out, " ");
}

/* One printable line in the arena. What a mail reader might take for a tag loses its '<'. */
static const char *clean(struct arena *arena, const char *string)
{
    cleanup_text struct text line = {0}, safe = {0};

    text_init(&line, 1 << 20);
    text_init(&safe, 1 << 20);
    printable_line(&line, string);
    for (const char *at = line.bytes; *at != '\0'; at++)
        if (*at == '<' && at[1] != '\0' && strchr("=<- ", at[1]) == NULL)
            text_put(&safe, "\xe2\x80\xb9");
        else
            text_add(&safe, at, 1);
    return arena_strndup(arena, safe.bytes, safe.length);
}

/* Without the blanks of the last column. */
static void end_line(struct text *out)
{
    while (out->length > 0 && out->bytes[out->length - 1] == ' ')
        out->length--;
    text_put(out, "\n");
}

/* The string padded to a width; one that is longer ends in "..". */
static void put_column(struct letter *letter, const char *string, size_t width)
{
    const char *rest = clean(letter->arena, string);
    bool cut = printable_width(rest) > width;
    size_t room = cut ? width - 2 : width;
    struct slice character;

    while (printable_next(&rest, &character) && printable_columns(&character) <= room) {
        text_add(letter->out, character.bytes, character.length);
        room -= printable_columns(&character);
    }
    if (cut)
        text_put(letter->out, "..");
    put_blanks(letter->out, room);
}

/* Bytes of the next word that fit into `room` columns, and how many columns they take. A wide character, as of
   Chinese, is a word of its own, with the mark that closes behind it. One that is longer, as names of many hosts, ends behind a comma. */
static size_t next_word(const char *string, size_t room, size_t *ret_width)
{
    const char *at = string, *next = string, *comma = string;
    struct slice character;
    size_t width = 0, last = 0, wide, comma_width = 0;

    for (; *at != '\0' && *at != ' '; at = next, width += wide, last = wide) {
        printable_next(&next, &character);
        wide = printable_columns(&character);
        if (width + wide > room) {
            *ret_width = comma > string ? comma_width : width;
            return (size_t)((comma > string ? comma : at) - string);
        }
        if (width > 0 && (wide == 2 || last == 2) && !printable_closes(&character))
            break;
        if (*at == ',') {
            comma = next;
            comma_width = width + wide;
        }
    }
    *ret_width = width;
    return (size_t)(at - string);
}

/* Label, then the string wrapped at COLUMNS with all lines after the first indented as deep. */
static void put_wrapped(struct letter *letter, const char *label, size_t indent, const char *string)
{
    const char *at = clean(letter->arena, string);
    size_t column = indent, width, length, blank = 0;

    text_put(letter->out, label);
    put_blanks(letter->out, indent > printable_width(label) ? indent - printable_width(label) : 0);
    for (; *at != '\0'; at += length, column += width, blank = 0) {
        for (; *at == ' '; at++)
            blank = 1;
        if (*at == '\0')
            break;
        length = next_word(at, COLUMNS - indent, &width);
        if (column > indent && column + blank + width > COLUMNS) {
            text_put(letter->out, "\n");
            put_blanks(letter->out, indent);
            column = indent;
        } else if (column > indent) {
            put_blanks(letter->out, blank);
            column += blank;
        }
        text_add(letter->out, at, length);
    }
    text_put(letter->out, "\n");
}

static void put_rule(struct letter *letter, const char *title)
{
    text_printf(letter->out, "\n%s\n", title);
    for (size_t i = 0; i < COLUMNS; i++)
        text_put(letter->out, "-");
    text_put(letter->out, "\n");
}

static void put_field(struct letter *letter, const char *label, const char *value)
{
    put_wrapped(letter, label, 16, *value != '\0' ? value : "-");
}

/* -- Head -------------------------------------------------------------------------------------------------
 */

/* fail: also those that are waived. */
static const char *counts_text(struct letter *letter, size_t fail, size_t waived, size_t inconclusive,
                               size_t not_run, size_t pass, size_t recorded)
{
    return sayf(letter, waived > 0 ? TEXT_L_COUNTS_WAIVED : TEXT_L_COUNTS, number(letter, fail),
                number(letter, inconclusive), number(letter, not_run), number(letter, pass),
                number(letter, recorded), number(letter, waived));
}

static const char *capitals(struct arena *arena, const char *word)
{
    char *capital = arena_strdup(arena, word);

    for (char *at = capital; *at != '\0'; at++)
        if (*at >= 'a' && *at <= 'z')
            *at = (char)(*at - 'a' + 'A');
    return capital;
}

/* "Iron (hosts/iron), customer Acme, site Oslo"; only the hostfile where nobody gave a name. */
static const char *cluster_text(struct letter *letter)
{
    const struct record *record = letter->view->record;
    struct report_names names;
    const char *text;

    report_names_of(letter->arena, record, &names);
    text = names.titled ? arena_printf(letter->arena, "%s (%s)", names.title, record->hostfile)
                        : record->hostfile;
    if (*names.customer != '\0')
        text = arena_printf(letter->arena, "%s, %s", text, sayf(letter, TEXT_CUSTOMER_NAMED, names.customer));
    if (*names.site != '\0')
        text = arena_printf(letter->arena, "%s, %s", text, sayf(letter, TEXT_SITE_NAMED, names.site));
    return text;
}

static void write_head(struct letter *letter)
{
    const struct record *record = letter->view->record;
    const struct coverage *all = &letter->view->coverage;
    const struct reason *caveat = caveat_of_run(letter->arena, record),
                        *simulated = simulated_sentence(letter->arena, plan_timescale(record->plan));

    if (simulated != NULL)
        put_wrapped(letter, "", 0, said(letter, simulated));
    text_put(letter->out,
             sayf(letter, standing_is_acceptance(&record->standing) ? TEXT_L_VERDICT : TEXT_L_PLAIN_VERDICT,
                  capitals(letter->arena, said(letter, letter->view->verdict_text))));
    text_put(letter->out, "\n");
    if (!standing_is_acceptance(&record->standing))
        put_wrapped(letter, "", 0, said(letter, standing_sentence(letter->arena, &record->standing)));
    put_wrapped(letter, "", 0, said(letter, verdict_sentence(letter->view)));
    if (letter->view->verdict_note != NULL)
        put_wrapped(letter, "", 0, said(letter, letter->view->verdict_note));
    if (caveat != NULL)
        put_wrapped(letter, "", 0, said(letter, caveat));
    if (record->origin != NULL)
        put_wrapped(letter, "", 0, origin_note(letter->arena, letter->language, record));
    put_wrapped(letter, "", 0,
                counts_text(letter, all->fail, all->waived, all->inconclusive, all->not_run, all->pass,
                            all->records));
    text_put(letter->out, "\n");
    put_field(letter, say(letter, TEXT_L_CLUSTER), cluster_text(letter));
    put_field(letter, say(letter, TEXT_L_SUITE),
              sayf(letter, TEXT_SUITE_NAMED, word(letter, record->suite_title), record->suite));
    put_field(letter, say(letter, TEXT_L_HOSTS), count_text(letter->arena, record->plan->hosts.count));
    put_field(letter, say(letter, TEXT_L_RUN),
              sayf(letter, TEXT_L_RUN_STATE, arena_printf(letter->arena, "%lld", record->number),
                   record->uuid, word(letter, run_state_name(record->state))));
    if (record->origin != NULL)
        put_field(letter, say(letter, TEXT_L_ORIGIN),
                  origin_came(letter->arena, letter->language, record->origin));
    if (record->judgement.uuid != NULL)
        put_field(letter, say(letter, TEXT_L_JUDGEMENT), record->judgement.uuid);
    for (size_t i = 0; i < record->documents.count; i++)
        if (strcmp(record->documents.items[i].kind, CHANGE_DOCUMENT) == 0)
            put_field(letter, say(letter, TEXT_L_CHANGED),
                      said(letter, document_said(letter->arena, &record->documents.items[i])));
    put_field(letter, say(letter, TEXT_L_STARTED), time_text(letter->arena, record->started));
    put_field(letter, say(letter, TEXT_L_ENDED),
              record->ended > 0 ? sayf(letter, TEXT_L_AFTER, time_text(letter->arena, record->ended),
                                       duration_text(letter->arena, record->ended - record->started))
                                : say(letter, TEXT_NOT_ENDED));
    put_field(letter, say(letter, TEXT_L_JUDGED), said(letter, record->judgement.baselines));
    put_field(letter, say(letter, TEXT_L_MEASURED), record->program);
}

/* What the reader came for: how many hosts are fit, and a line for each cause, at most so many, with what to do. */
static void write_answer(struct letter *letter, size_t most)
{
    struct report_line *lines;
    const char *headline;
    size_t count = report_answer(letter->arena, letter->view->record, letter->language, &lines, &headline);

    if (*headline == '\0')
        return;
    put_rule(letter, say(letter, TEXT_L_ANSWER));
    put_wrapped(letter, "", 0, headline);
    for (size_t i = 0; i < count && i < most; i++) {
        bool names_part = *lines[i].part != '\0' && strstr(lines[i].problem, lines[i].part) == NULL;

        put_wrapped(letter, arena_printf(letter->arena, "%4zu. ", i + 1), 6,
                    sayf(letter, names_part ? TEXT_L_LINE_PART : TEXT_L_LINE, lines[i].target,
                         lines[i].problem, lines[i].part));
        if (*lines[i].remedy != '\0')
            put_wrapped(letter, "   ->", 6, lines[i].remedy);
        if (*lines[i].marks != '\0')
            put_wrapped(letter, "      ", 6, lines[i].marks);
        if (lines[i].hands != NULL)
            put_wrapped(letter, "      ", 6, sayf(letter, TEXT_A_WHO_ACTS, said(letter, lines[i].hands)));
    }
    if (count > most)
        put_wrapped(letter, "", 0, sayf(letter, TEXT_L_MORE_CAUSES, number(letter, count - most)));
}

static bool are_alike(const struct verdict *a, const struct verdict *b)
{
    return a->word == b->word && a->accused == 0 && b->accused == 0 && a->pass == b->pass &&
           a->fail == b->fail && a->waived == b->waived && a->inconclusive == b->inconclusive &&
           a->not_run == b->not_run && a->recorded == b->recorded;
}

/* Of a unit of which not all hosts were tested; else NULL. */
static const struct reason *share_of(const struct letter *letter, const struct verdict *verdict)
{
    return standing_unit_share(letter->arena, &letter->view->record->standing, verdict->name);
}

static void write_unit(struct letter *letter, const struct verdict *verdict, const char *const *names,
                       size_t count)
{
    enum text_key text = count > 1              ? TEXT_L_UNITS_ARE
                         : verdict->accused > 0 ? TEXT_L_UNIT_ACCUSED
                                                : TEXT_L_UNIT_IS;
    const char *name = hostlist_fold(letter->arena, names, count);
    const struct reason *share = share_of(letter, verdict);

    put_field(letter, say(letter, TEXT_L_UNIT),
              sayf(letter, text,
                   share == NULL ? name : sayf(letter, TEXT_UNIT_SHARE, name, said(letter, share)),
                   word(letter, standing_verdict(&letter->view->record->standing, verdict->word)),
                   counts_text(letter, verdict->fail + verdict->waived, verdict->waived,
                               verdict->inconclusive, verdict->not_run, verdict->pass, verdict->recorded)));
}

/* Units that say the same share a line: what is wrong must not stand below two pages of what is well. */
static void write_units(struct letter *letter)
{
    const struct judgement *judgement = &letter->view->record->judgement;
    const char **names = arena_array(letter->arena, const char *, judgement->verdict_count + 1);
    bool *told = arena_array(letter->arena, bool, judgement->verdict_count + 1);

    for (size_t i = 0; i < judgement->verdict_count; i++) {
        const struct verdict *verdict = &judgement->verdicts[i];
        size_t count = 0;

        if (strcmp(verdict->scope, "unit") != 0 || told[i])
            continue;
        for (size_t k = i; k < judgement->verdict_count; k++) {
            const struct verdict *other = &judgement->verdicts[k];

            if (k == i || (strcmp(other->scope, "unit") == 0 && are_alike(verdict, other) &&
                           reason_equal(share_of(letter, verdict), share_of(letter, other)))) {
                told[k] = true;
                names[count++] = other->name;
            }
        }
        write_unit(letter, verdict, names, count);
    }
}

/* -- Entries ----------------------------------------------------------------------------------------------
 */

/* The subjects of a failure are named; of what was never decided their number says enough. */
static const char *gate_line_text(struct letter *letter, const struct report_entry *entry,
                                  const struct gate_line *line)
{
    const char *origin = said(letter, limit_origin(letter->arena, line->status, line->source));
    const char *text =
        arena_printf(letter->arena, "%s%s%s%s%s", line->metric, line->at != NULL ? say(letter, TEXT_AT) : "",
                     said(letter, line->at), line->gate != NULL ? " " : "", said(letter, line->gate));

    if (*origin != '\0')
        text = sayf(letter, TEXT_L_FROM, text, origin);
    if (entry->word == OUTCOME_FAIL && line->subjects != NULL)
        return sayf(letter, TEXT_L_SUBJECTS, text, said(letter, line->subjects));
    return line->items > 1 ? sayf(letter, TEXT_L_ITEMS, text, number(letter, line->items)) : text;
}

static const char *entry_label(const struct letter *letter, enum text_key key)
{
    return arena_printf(letter->arena, "      %s", say(letter, key));
}

static void write_gates(struct letter *letter, const struct report_entry *entry)
{
    struct gate_lines lines;

    gate_lines_of_entry(letter->view, entry, &lines);
    for (size_t i = 0; i < lines.items.count; i++)
        put_wrapped(letter, i == 0 ? entry_label(letter, TEXT_L_GATES) : "", 16,
                    gate_line_text(letter, entry, &lines.items.items[i]));
}

static void write_entry(struct letter *letter, size_t index)
{
    const struct report_entry *entry = &letter->entries[index];
    const char *title = sayf(letter, entry->subjects != NULL ? TEXT_L_ENTRY_OF : TEXT_L_ENTRY,
                             capitals(letter->arena, word(letter, outcome_name(entry->word))),
                             said(letter, entry->target), entry->check, said(letter, entry->subjects));

    put_wrapped(letter, arena_printf(letter->arena, "%4zu. ", index + 1), 6, title);
    put_wrapped(letter, entry_label(letter, TEXT_L_CAUSE), 16, said(letter, entry->cause));
    if (entry->remedy != NULL)
        put_wrapped(letter, entry_label(letter, TEXT_L_REMEDY), 16, said(letter, entry->remedy));
    if (entry->waiver != NULL)
        put_wrapped(letter, entry_label(letter, TEXT_L_WAIVED), 16, said(letter, entry->waiver));
    /* Of what did not run its steps are named; their metrics alone would only tell that many are missing. */
    if (entry->word != OUTCOME_NOT_RUN)
        write_gates(letter, entry);
    text_put(letter->out, "\n");
}

static void write_entries(struct letter *letter, bool failures)
{
    bool any = false;

    put_rule(letter, say(letter, failures ? TEXT_L_FAILURES : TEXT_L_UNDECIDED));
    for (size_t i = 0; i < letter->entry_count; i++)
        if ((letter->entries[i].word == OUTCOME_FAIL) == failures) {
            write_entry(letter, i);
            any = true;
        }
    if (!any)
        put_wrapped(letter, "", 0, say(letter, failures ? TEXT_NO_FAILURE : TEXT_ALL_DECIDED));
}

/* Commands stand unbroken, whatever their length, for they are to be pasted. */
static void write_out_of_use(struct letter *letter)
{
    struct out_of_use lines;

    out_of_use(letter->view, letter->entries, letter->entry_count, &lines);
    if (lines.lines.count == 0)
        return;
    put_rule(letter, say(letter, TEXT_OUT_OF_USE));
    put_wrapped(letter, "", 0, say(letter, TEXT_OUT_OF_USE_INTRO));
    for (size_t i = 0; i < lines.lines.count; i++)
        text_printf(letter->out, "%s\n", lines.lines.items[i]);
}

/* -- Isolation --------------------------------------------------------------------------------------------
 */

static const char *part_label(const struct letter *letter, enum text_key key)
{
    return arena_printf(letter->arena, "  %s", say(letter, key));
}

static void write_search(struct letter *letter, const struct search *search)
{
    const struct judgement *judgement = &letter->view->record->judgement;
    struct search_lines lines;

    put_wrapped(letter, "", 0, said(letter, search_title(letter->view, search)));
    put_field(letter, part_label(letter, TEXT_L_RESULT), said(letter, search->conclusion));
    if (search->candidates != NULL)
        put_field(letter, part_label(letter, TEXT_L_CANDIDATES), said(letter, search->candidates));
    put_field(letter, part_label(letter, TEXT_L_EFFORT), said(letter, search_effort(letter->view, search)));
    for (size_t i = 0; i < judgement->accusation_count; i++)
        if (judgement->accusations[i].step == search->step)
            put_field(letter, part_label(letter, TEXT_L_ACCUSED),
                      sayf(letter, TEXT_L_SUBJECTS,
                           said(letter, accused_text(letter->arena, &judgement->accusations[i])),
                           said(letter, accusation_text(letter->arena, letter->view->record,
                                                        &judgement->accusations[i]))));
    search_lines_collect(letter->view, search, &lines);
    list_each (line, lines.items)
        put_wrapped(
            letter,
            arena_printf(letter->arena, "  %s", sayf(letter, TEXT_L_ROUND, number(letter, line->round))), 16,
            sayf(letter, line->accuses != NULL ? TEXT_L_SPEAKS : TEXT_L_SUBJECTS, said(letter, line->hosts),
                 said(letter, line->measured), said(letter, line->accuses)));
}

static void write_searches(struct letter *letter)
{
    const struct judgement *judgement = &letter->view->record->judgement;

    if (judgement->search_count == 0)
        return;
    put_rule(letter, say(letter, TEXT_L_ISOLATION));
    for (size_t i = 0; i < judgement->search_count; i++)
        write_search(letter, &judgement->searches[i]);
}

/* -- Matrix and coverage ----------------------------------------------------------------------------------
 */

static const char *cell_word(const struct letter *letter, const struct cell *cell)
{
    if (!cell->planned)
        return "";
    switch (cell->word) {
    case OUTCOME_PASS:
        return say(letter, TEXT_L_C_PASS);
    case OUTCOME_FAIL:
        return say(letter, TEXT_L_C_FAIL);
    case OUTCOME_NOT_RUN:
        return "-";
    case OUTCOME_INCONCLUSIVE:
        return "?";
    case OUTCOME_RECORDED:
    default:
        return say(letter, TEXT_L_C_RECORDED);
    }
}

static void write_matrix(struct letter *letter)
{
    const struct matrix *matrix = matrix_create(letter->view);
    /* As many columns as fit beside the name; the others follow in a table of their own. */
    size_t across = (COLUMNS - HOST_COLUMNS) / CELL_COLUMNS;

    put_rule(letter, say(letter, TEXT_L_MATRIX));
    for (size_t i = 0; i < matrix->columns.count; i++)
        put_wrapped(letter, arena_printf(letter->arena, "%4zu = ", i + 1), 7, matrix->columns.items[i]);
    for (size_t first = 0; first < matrix->columns.count; first += across) {
        size_t end = first + across < matrix->columns.count ? first + across : matrix->columns.count;

        text_put(letter->out, "\n");
        put_column(letter, say(letter, TEXT_L_HOST), HOST_COLUMNS);
        for (size_t i = first; i < end; i++)
            put_column(letter, arena_printf(letter->arena, "%zu", i + 1), CELL_COLUMNS);
        end_line(letter->out);
        for (size_t row = 0; row < matrix->rows.count; row++) {
            put_column(letter, said(letter, matrix->rows.items[row].name), HOST_COLUMNS - 2);
            text_put(letter->out, "  ");
            for (size_t i = first; i < end; i++)
                put_column(letter, cell_word(letter, &matrix->rows.items[row].cells[i]), CELL_COLUMNS);
            end_line(letter->out);
        }
    }
}

/* -- Between GPUs, as p2pBandwidthLatencyTest prints it ----------------------------------------------------
 */

enum { PAIR_COLUMNS = 8, PAIR_MAPS = 8 /* of a metric; the HTML report has all of them */ };

/* A pair that failed has a mark behind it. */
static void write_heat_row(struct letter *letter, const struct heat_map *map, size_t from, size_t first,
                           size_t end)
{
    text_printf(letter->out, "%6zu ", from);
    for (size_t cell = from * map->gpus + first; cell < from * map->gpus + end; cell++)
        if (isfinite(map->values[cell]))
            text_printf(letter->out, "%7.2f%c", map->values[cell], map->failing[cell] ? '!' : ' ');
        else
            text_put(letter->out, "      - ");
    end_line(letter->out);
}

static void write_heat_map(struct letter *letter, const struct heat_map *map)
{
    put_wrapped(letter, "", 2, heat_map_title(letter->arena, letter->language, letter->view, map));
    for (size_t first = 0; first < map->gpus; first += PAIR_COLUMNS) {
        size_t end = first + PAIR_COLUMNS < map->gpus ? first + PAIR_COLUMNS : map->gpus;

        text_put(letter->out, "   D\\D ");
        for (size_t to = first; to < end; to++)
            text_printf(letter->out, "%7zu ", to);
        end_line(letter->out);
        for (size_t from = 0; from < map->gpus; from++)
            write_heat_row(letter, map, from, first, end);
    }
}

static void write_heat_maps(struct letter *letter, const struct heat_maps *maps)
{
    const char *agrees = pair_agreement_text(letter->arena, letter->language, letter->view, maps->of);

    text_printf(letter->out, "\n%s, %s\n", maps->of->metric, maps->of->unit);
    if (agrees != NULL)
        put_wrapped(letter, "", 2, agrees);
    for (size_t i = 0; i < maps->items.count; i++)
        if (i < PAIR_MAPS || !maps->items.items[i].bad)
            write_heat_map(letter, &maps->items.items[i]);
}

static void write_pairs(struct letter *letter)
{
    struct heat_map_list all;

    heat_maps_collect(letter->view, &all);
    if (all.items.count == 0)
        return;
    put_rule(letter, say(letter, TEXT_P2P));
    put_wrapped(letter, "", 2, say(letter, TEXT_L_PAIRS_INTRO));
    for (size_t i = 0; i < all.items.count; i++)
        write_heat_maps(letter, &all.items.items[i]);
}

static void write_shared_steps(struct letter *letter)
{
    bool any = false;

    for (size_t i = 0; i < letter->view->step_count; i++) {
        const struct step_view *step = &letter->view->steps[i];

        if (step->step->member_count < 2 || step->step->origin == ORIGIN_ISOLATE)
            continue;
        if (!any)
            text_put(letter->out, "\n");
        any = true;
        put_wrapped(
            letter, "", 2,
            arena_printf(
                letter->arena, "%s%s%s",
                sayf(letter, TEXT_L_SHARED, capitals(letter->arena, word(letter, outcome_name(step->word))),
                     step->step->shape->suite_step, said(letter, step_target_said(letter->arena, step->step)),
                     number(letter, step->coverage.pass), number(letter, step->coverage.gates)),
                step->step->origin == ORIGIN_SUBSTITUTE ? "; " : "",
                step->step->origin == ORIGIN_SUBSTITUTE ? said(letter, step->step->origin_note) : ""));
    }
}

static void write_unjudged(struct letter *letter)
{
    struct unjudged_list list;

    unjudged_of_run(letter->view, &list);
    if (list.items.count == 0)
        return;
    put_rule(letter, say(letter, TEXT_L_UNJUDGED));
    for (size_t i = 0; i < list.items.count; i++)
        put_wrapped(letter, "", 2, unjudged_line(letter->arena, letter->language, &list.items.items[i]));
}

static void write_coverage_line(struct letter *letter, const char *name, const struct coverage *coverage)
{
    const size_t counts[] = {coverage->gates,        coverage->measured, coverage->pass,   coverage->fail,
                             coverage->inconclusive, coverage->not_run,  coverage->records};

    put_column(letter, name, STEP_COLUMNS);
    for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
        text_printf(letter->out, "%8s", count_text(letter->arena, counts[i]));
    text_put(letter->out, "\n");
}

static void write_coverage(struct letter *letter)
{
    static const enum text_key heads[] = {TEXT_L_OWED,    TEXT_L_VALUES,  TEXT_L_PASSED, TEXT_L_FAILED,
                                          TEXT_L_UNCLEAR, TEXT_L_NOT_RUN, TEXT_L_RECORD};
    const struct view *view = letter->view;
    struct coverage_rows rows;

    put_rule(letter, say(letter, TEXT_L_COVERAGE));
    put_column(letter, say(letter, TEXT_L_STEP), STEP_COLUMNS);
    for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
        put_blanks(letter->out, NUMBER_COLUMNS - printable_width(say(letter, heads[i])));
        text_put(letter->out, say(letter, heads[i]));
    }
    text_put(letter->out, "\n");
    coverage_rows_of(view, &rows);
    for (size_t i = 0; i < rows.items.count; i++)
        write_coverage_line(letter, rows.items.items[i].name, &rows.items.items[i].sum);
    write_coverage_line(letter, say(letter, TEXT_L_ALL_STEPS), &view->coverage);
}

static void write_missed(struct letter *letter, const struct remark_line *line)
{
    const struct gate_line *gate = &line->gate;
    const char *missed = sayf(letter, TEXT_L_NOT_MET, number(letter, gate->items), said(letter, gate->gate),
                              said(letter, limit_origin(letter->arena, gate->status, gate->source)));

    put_wrapped(letter, "", 2,
                sayf(letter, gate->at != NULL ? TEXT_L_REMARK_AT : TEXT_L_REMARK, said(letter, line->targets),
                     gate->metric, missed, said(letter, line->example), said(letter, gate->at)));
}

static void write_remarks(struct letter *letter)
{
    struct remark_lines lines;

    if (letter->view->coverage.remarks == 0)
        return;
    remark_lines_of_run(letter->view, &lines);
    if (lines.missed > 0)
        put_rule(letter, say(letter, TEXT_L_REMARKS));
    for (size_t i = 0; i < lines.missed; i++)
        write_missed(letter, &lines.items.items[i]);
    if (lines.missed < lines.items.count)
        put_rule(letter, say(letter, TEXT_L_REMARKS_HOW));
    for (size_t i = lines.missed; i < lines.items.count; i++) {
        const struct remark_line *line = &lines.items.items[i];

        put_wrapped(letter, "", 2,
                    sayf(letter, TEXT_L_REMARK_HOW, said(letter, line->targets), line->gate.suite_step,
                         number(letter, line->gate.items), said(letter, line->example)));
    }
}

/* -- What was reached -------------------------------------------------------------------------------------- */

static const char *reached_value(struct letter *letter, double value, const char *unit)
{
    return arena_printf(letter->arena, "%s%s%s", distribution_number(letter->arena, value),
                        *unit != '\0' ? " " : "", unit);
}

static void write_reached_row(struct letter *letter, const struct reached_row *row)
{
    const char *name = arena_printf(letter->arena, "%s, %s", row->suite_step, row->metric);
    const char *hosts = sayf(letter, TEXT_OF, number(letter, row->hosts), number(letter, row->hosts_owed));

    if (row->at != NULL)
        name = arena_printf(letter->arena, "%s%s%s", name, say(letter, TEXT_AT), said(letter, row->at));
    if (row->worst == NULL) {
        put_wrapped(letter, "", 2, sayf(letter, TEXT_L_REACHED_NOTHING, name, hosts));
        return;
    }
    put_wrapped(letter, "", 2,
                sayf(letter, TEXT_L_REACHED_ROW, name, said(letter, row->worst->measured),
                     said(letter, reached_where(letter->view, row)),
                     reached_value(letter, row->median, row->unit),
                     row->gate != NULL ? said(letter, gate_bound(letter->arena, row->gate))
                                       : say(letter, TEXT_NONE_APPLIED),
                     said(letter, limit_origin(letter->arena, row->status, row->source)), hosts));
}

static void write_reached(struct letter *letter)
{
    struct reached reached;

    reached_of(letter->view, &reached);
    if (reached.items.count == 0)
        return;
    put_rule(letter, say(letter, TEXT_L_REACHED));
    for (size_t i = 0; i < reached.items.count; i++)
        write_reached_row(letter, &reached.items.items[i]);
}

static void write_alike(struct letter *letter)
{
    struct alike alike;

    alike_of(letter->view, &alike);
    if (alike.items.count == 0)
        return;
    put_rule(letter, say(letter, TEXT_L_ALIKE));
    list_each (row, alike.items)
        put_wrapped(letter, "", 2,
                    sayf(letter, TEXT_L_ALIKE_ROW, row->metric, row->platform, number(letter, row->items),
                         said(letter, alike_values(letter->arena, row))));
}

/* -- Retests ----------------------------------------------------------------------------------------------
 */

static void write_slices(struct letter *letter)
{
    struct slice_rows rows;

    slice_rows_of_run(letter->view, &rows);
    if (rows.items.count == 0)
        return;
    put_rule(letter, say(letter, TEXT_L_SLICES));
    list_each (row, rows.items)
        put_wrapped(
            letter, "", 2,
            sayf(letter, TEXT_L_SLICE, said(letter, step_target_said(letter->arena, row->step->step)),
                 arena_printf(letter->arena, "%s, %s", row->step->step->shape->suite_step, row->slot->metric),
                 said(letter, slot_at_text(letter->arena, row->slot)), number(letter, row->count),
                 time_text(letter->arena, row->from), time_text(letter->arena, row->to),
                 arena_printf(letter->arena, "%.4g", row->spread.low),
                 arena_printf(letter->arena, "%.4g", row->spread.median),
                 arena_printf(letter->arena, "%.4g %s", row->spread.high, row->unit)));
}

static void write_training(struct letter *letter, const struct worth_measured *measured,
                           const struct worth_example *example, enum worth_type type)
{
    struct worth_question question = example->question;
    struct worth_answer answer;
    const struct reason *said_of, *refusal;

    question.type = type;
    refusal = worth_answer(letter->arena, measured, &question, &answer);
    said_of = refusal != NULL ? worth_refusal_said(letter->arena, refusal)
                              : reason_also(letter->arena, worth_days_said(letter->arena, &answer),
                                            worth_energy_said(letter->arena, &answer));
    put_wrapped(letter, arena_printf(letter->arena, "  %s", example->title), STEP_COLUMNS,
                said(letter, said_of));
}

static void write_worth(struct letter *letter)
{
    const struct record *record = letter->view->record;
    struct worth_measured measured;
    enum worth_type type;
    size_t count;
    const struct worth_example *examples = worth_examples(&count);

    worth_measure(letter->arena, record, &measured);
    if (!worth_type_measured(&measured, &type))
        return;
    put_rule(letter, say(letter, TEXT_L_WORTH));
    put_wrapped(letter, "", 0,
                sayf(letter, TEXT_WORTH_EXAMPLES_INTRO, worth_type_name(type),
                     arena_printf(letter->arena, "%lld", record->number)));
    for (size_t i = 0; i < count; i++)
        write_training(letter, &measured, &examples[i], type);
}

static void write_retests(struct letter *letter)
{
    struct retest_lines lines;

    retest_lines_of_run(letter->view, &lines);
    if (lines.items.count == 0)
        return;
    put_rule(letter, say(letter, TEXT_L_RETESTS));
    list_each (line, lines.items)
        put_wrapped(letter, "", 2,
                    sayf(letter, line->values != NULL ? TEXT_L_RETEST_VALUES : TEXT_L_RETEST,
                         said(letter, step_target_said(letter->arena, line->step->step)),
                         line->step->step->shape->suite_step, number(letter, line->attempt->n),
                         number(letter, line->step->attempts.count),
                         time_text(letter->arena, attempt_start(line->attempt)),
                         said(letter, attempt_end_text(letter->arena, line->attempt)),
                         said(letter, line->values)));
}

/* -- Tuning -----------------------------------------------------------------------------------------------
 */

static void write_sizes(struct letter *letter, const struct tuning *tuning)
{
    for (size_t i = 0; i < tuning->sizes.count; i++) {
        const char *line = "";

        for (size_t k = 0; k < tuning->columns.count; k++) {
            const char *against = said(letter, contrast_text(letter->arena, tuning, k, i));

            line = arena_printf(
                letter->arena, "%s%s%s %s%s%s", line, k > 0 ? "; " : "", tuning->columns.items[k].name,
                said(letter, spread_text(letter->arena, &tuning->columns.items[k].points[i].spread)),
                *against != '\0' ? ", " : "", against);
        }
        put_wrapped(letter,
                    arena_printf(letter->arena, "  %s", size_text(letter->arena, tuning->sizes.items[i])), 16,
                    line);
    }
}

static void write_tunings(struct letter *letter)
{
    struct tunings tunings;

    tunings_collect(letter->view, &tunings);
    if (tunings.items.count == 0)
        return;
    put_rule(letter, say(letter, TEXT_L_TUNING));
    for (size_t i = 0; i < tunings.items.count; i++) {
        const struct tuning *tuning = &tunings.items.items[i];

        put_wrapped(
            letter, "", 0,
            sayf(letter, TEXT_TUNING_TITLE, tuning->suite_step, said(letter, tuning->hosts), tuning->metric));
        for (size_t k = 0; k < tuning->advice.count; k++)
            put_field(letter, part_label(letter, TEXT_L_ADVICE), said(letter, tuning->advice.items[k]));
        if (i >= TUNINGS_TABLED)
            continue;
        for (size_t k = 0; k < tuning->columns.count; k++)
            put_field(letter, arena_printf(letter->arena, "  %s", tuning->columns.items[k].name),
                      said(letter, tuning->columns.items[k].settings));
        write_sizes(letter, tuning);
    }
}

/* -- An earlier run ---------------------------------------------------------------------------------------
 */

/* "node3: /var/log grew by ..." */
static const char *growth_line(const struct letter *letter, const struct history_growth *growth)
{
    const struct history *history = letter->view->record->earlier->history;

    return arena_printf(letter->arena, "%s: %s", growth->target,
                        history_growth_said(letter->arena, letter->language, history, growth));
}

static void write_earlier(struct letter *letter)
{
    enum { LINES = 10 };
    const struct earlier *earlier = letter->view->record->earlier;
    struct change_rows rows;

    if (earlier == NULL)
        return;
    put_rule(letter, say(letter, TEXT_L_EARLIER));
    put_wrapped(letter, "", 0, earlier_sentence(letter->arena, letter->language, earlier));
    if (earlier->number == 0)
        return;
    changes_fold(letter->arena, earlier->comparison.worse.items, earlier->comparison.worse.count, LINES,
                 &rows);
    for (size_t i = 0; i < rows.items.count; i++)
        put_wrapped(letter, "", 2,
                    sayf(letter, TEXT_L_WORSE,
                         change_row_text(letter->arena, letter->language, &rows.items.items[i])));
    if (rows.left_out > 0)
        put_wrapped(letter, "", 2, sayf(letter, TEXT_L_ITEMS_MORE, number(letter, rows.left_out)));
    for (size_t i = 0, told = 0; i < earlier->findings->findings.count && told < LINES; i++)
        if (earlier->findings->findings.items[i].kind == HISTORY_DROP) {
            put_wrapped(letter, "", 2, sayf(letter, TEXT_L_LOWER, drop_text(letter->arena, earlier, i)));
            told++;
        }
    for (size_t i = 0; i < earlier->findings->growths.count && i < LINES; i++)
        put_wrapped(letter, "", 2, growth_line(letter, &earlier->findings->growths.items[i]));
}

/* -- Method -----------------------------------------------------------------------------------------------
 */

static void write_method_step(struct letter *letter, const struct method_step *step)
{
    const char *hosts = method_noise_text(letter->arena, letter->language, &step->hosts),
               *repeats = method_noise_text(letter->arena, letter->language, &step->itself),
               *line = sayf(letter, TEXT_L_METHOD_STEP, step->suite_step,
                            method_targets(letter->arena, letter->language, step),
                            method_kinds_text(letter->arena, letter->language, step));

    if (*hosts != '\0')
        line = sayf(letter, TEXT_L_METHOD_NOISE_HOSTS, line, hosts);
    if (*repeats != '\0')
        line = sayf(letter, TEXT_L_METHOD_NOISE_REPEATS, line, repeats);
    put_wrapped(letter, "", 2, line);
    if (*step->command != '\0')
        put_wrapped(letter, "", 4, step->command);
}

static void write_method(struct letter *letter)
{
    struct method method;

    method_of_run(letter->view, letter->language, &method);
    put_rule(letter, say(letter, TEXT_L_METHOD));
    for (size_t i = 0; i < method.points.count; i++)
        put_wrapped(letter, "", 2,
                    sayf(letter, TEXT_L_METHOD_POINT, say(letter, method.points.items[i].title),
                         method.points.items[i].text));
    put_wrapped(letter, "", 0, say(letter, TEXT_METHOD_KINDS));
    list_each (kind, method.kinds.items)
        put_wrapped(letter, "", 2,
                    sayf(letter, kind->recorded > 0 ? TEXT_L_METHOD_KIND_RECORDED : TEXT_L_METHOD_KIND,
                         *kind->status != '\0' ? word(letter, kind->status) : say(letter, TEXT_NO_KIND),
                         say(letter, method_kind_text(kind->status)), number(letter, kind->gates),
                         number(letter, kind->not_passed), number(letter, kind->recorded)));
    put_wrapped(letter, "", 0, say(letter, TEXT_METHOD_STEPS));
    for (size_t i = 0; i < method.steps.count; i++)
        write_method_step(letter, &method.steps.items[i]);
    put_wrapped(letter, "", 0, say(letter, TEXT_METHOD_NOISE));
}

static void write_kept_limits(struct letter *letter)
{
    struct evidence_limits limits;
    struct evidence_sum sum;

    if (!evidence_limits_of(letter->view->record, &limits))
        return;
    evidence_count(letter->view->record, &sum);
    put_rule(letter, say(letter, TEXT_EVIDENCE));
    put_wrapped(letter, "", 2,
                sayf(letter, TEXT_EVIDENCE_LIMITS, number(letter, limits.stream_bytes),
                     number(letter, limits.looking_bytes), number(letter, limits.host_bytes),
                     number(letter, limits.run_bytes), number(letter, sum.kept_bytes)));
    put_wrapped(letter, "", 2,
                sum.flooded + sum.dropped == 0
                    ? say(letter, TEXT_EVIDENCE_LIMITS_MET)
                    : sayf(letter, TEXT_EVIDENCE_LIMITS_REACHED, number(letter, sum.flooded),
                           number(letter, sum.dropped)));
}

static void list_documents(struct letter *letter, const struct documents *documents)
{
    for (size_t i = 0; i < documents->count; i++)
        put_wrapped(letter, "", 2,
                    arena_printf(letter->arena, "%s %s %s", documents->items[i].sha256,
                                 word(letter, documents->items[i].kind),
                                 said(letter, document_said(letter->arena, &documents->items[i]))));
}

static void write_documents(struct letter *letter)
{
    const struct record *record = letter->view->record;

    put_rule(letter, say(letter, TEXT_L_DOCUMENTS));
    list_documents(letter, &record->documents);
    if (record->judgement.documents.count > 0)
        put_wrapped(letter, "", 0, say(letter, TEXT_JUDGED_BY));
    list_documents(letter, &record->judgement.documents);
}

void report_text(const struct record *record, enum report_language language, struct text *out)
{
    cleanup_arena struct arena *arena = arena_create();
    struct letter letter = {
        .out = out, .arena = arena, .language = language, .view = view_create(arena, record)};

    letter.entry_count = entries_of_view(letter.view, &letter.entries);
    write_head(&letter);
    write_units(&letter);
    write_answer(&letter, SIZE_MAX);
    write_entries(&letter, true);
    write_out_of_use(&letter);
    write_searches(&letter);
    write_entries(&letter, false);
    write_matrix(&letter);
    write_pairs(&letter);
    write_shared_steps(&letter);
    write_unjudged(&letter);
    write_reached(&letter);
    write_coverage(&letter);
    write_tunings(&letter);
    write_remarks(&letter);
    write_slices(&letter);
    write_worth(&letter);
    write_retests(&letter);
    write_earlier(&letter);
    write_method(&letter);
    write_alike(&letter);
    write_kept_limits(&letter);
    write_documents(&letter);
}

void report_summary(const struct record *record, enum report_language language, struct text *out)
{
    enum { CAUSES_TOLD = 24 };
    struct arena *arena = arena_create();
    struct letter letter = {
        .out = out, .arena = arena, .language = language, .view = view_create(arena, record)};

    write_head(&letter);
    write_units(&letter);
    write_answer(&letter, CAUSES_TOLD);
    letter.entry_count = report_entries(arena, record, &letter.entries);
    write_out_of_use(&letter);
    text_put(out, "\n");
    arena_destroy(arena);
}
