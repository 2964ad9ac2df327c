/* SPDX-License-Identifier: Apache-2.0 */
#include "changes.h"

#include <string.h>

#include "assay/reasons/any.h"
#include "view.h"

static bool same_word(const struct outcome *a, const struct outcome *b)
{
    return (a == NULL) == (b == NULL) && (a == NULL || a->word == b->word);
}

static bool has_value(const struct outcome *outcome)
{
    return outcome->measured != NULL;
}

static bool is_one_row(const struct item_change *a, const struct item_change *b)
{
    if (strcmp(a->suite_step, b->suite_step) != 0 || !same_word(a->before, b->before) ||
        !same_word(a->after, b->after))
        return false;
    if (a->before != NULL && a->after != NULL && !has_value(a->after) && !has_value(b->after))
        return strcmp(a->target, b->target) == 0;
    if (strcmp(a->slot->metric, b->slot->metric) != 0 || strcmp(a->slot->at, b->slot->at) != 0)
        return false;
    return a->before == NULL || a->after == NULL ||
           (reason_equal(a->before->measured, b->before->measured) &&
            reason_equal(a->after->measured, b->after->measured));
}

void changes_fold(struct arena *arena, const struct item_change *changes, size_t count, size_t most,
                  struct change_rows *ret_rows)
{
    *ret_rows = (struct change_rows){0};
    for (size_t i = 0; i < count; i++) {
        size_t row = ret_rows->items.count;

        while (row > 0 && !is_one_row(ret_rows->items.items[row - 1].first, &changes[i]))
            row--;
        if (row > 0)
            ret_rows->items.items[row - 1].count++;
        else if (ret_rows->items.count < most)
            *list_push(arena, &ret_rows->items) = (struct change_row){&changes[i], 1};
        else
            ret_rows->left_out++;
    }
}

const char *change_who(struct arena *arena, enum report_language language, const struct change_row *row)
{
    const char *subject = row->first->slot->subject;
    const char *one = arena_printf(arena, "%s%s%s", reason_said(arena, language, row->first->target_said),
                                   *subject != '\0' ? " " : "", subject);

    return row->count == 1
               ? one
               : language_say(arena, language, TEXT_ITEMS_FIRST, count_text(arena, row->count), one);
}

/* "pass, 379.1 GB/s" */
static const struct reason *outcome_text(struct arena *arena, const struct outcome *outcome)
{
    const struct reason *word = reason_word(arena, outcome_name(outcome->word));

    return has_value(outcome) ? reason(arena, clause, word, outcome->measured) : word;
}

const char *side_text(struct arena *arena, enum report_language language, const struct outcome *outcome)
{
    if (outcome == NULL)
        return language_text(language, TEXT_NOT_THERE);
    return reason_said(arena, language, outcome_text(arena, outcome));
}

const char *change_row_text(struct arena *arena, enum report_language language, const struct change_row *row)
{
    return arena_printf(arena, "%s, %s %s: %s -> %s", change_who(arena, language, row),
                        row->first->suite_step, row->first->slot->metric,
                        side_text(arena, language, row->first->before),
                        side_text(arena, language, row->first->after));
}

const char *drop_text(struct arena *arena, const struct earlier *earlier, size_t finding)
{
    const struct history_finding *drop = &earlier->findings->findings.items[finding];
    const struct history_subject *subject = &earlier->findings->subjects.items[drop->subject];
    const struct history_series *series = &earlier->findings->series.items[drop->series];

    return arena_printf(arena, "%s%s%s%s: %s %s: %.5g -> %.5g %s, %+.1f%%", subject->name,
                        strcmp(subject->name, subject->place) != 0 ? " (" : "",
                        strcmp(subject->name, subject->place) != 0 ? subject->place : "",
                        strcmp(subject->name, subject->place) != 0 ? ")" : "", series->suite_step,
                        series->metric, series->points.items[0].value,
                        series->points.items[series->points.count - 1].value, series->unit,
                        drop->change * 100);
}

const char *earlier_sentence(struct arena *arena, enum report_language language,
                             const struct earlier *earlier)
{
    const struct comparison *comparison = &earlier->comparison;
    size_t drops = 0;

    if (earlier->number == 0)
        return language_text(language, TEXT_EARLIER_NONE);
    for (size_t i = 0; i < earlier->findings->findings.count; i++)
        drops += earlier->findings->findings.items[i].kind == HISTORY_DROP;
    return arena_printf(
        arena, "%s %s",
        language_say(arena, language, TEXT_EARLIER_RUN, arena_printf(arena, "%lld", earlier->number),
                     time_text(arena, earlier->started),
                     reason_said(arena, language,
                                 reason_word(arena, standing_verdict(&earlier->standing, earlier->verdict)))),
        language_say(arena, language, TEXT_EARLIER_COUNTS, count_text(arena, comparison->worse.count),
                     count_text(arena, comparison->better.count), count_text(arena, comparison->texts.count),
                     count_text(arena, comparison->gone.count), count_text(arena, comparison->added.count),
                     count_text(arena, comparison->same), count_text(arena, drops)));
}
