/* SPDX-License-Identifier: Apache-2.0 */
/* Two runs beside each other: outcomes and texts item by item, numbers where they differ beyond noise. */
#include <string.h>

#include "assay/base/json.h"
#include "assay/base/printable.h"
#include "assay/report/report.h"
#include "report_formats.h"

struct change_list {
    const struct item_change *items;
    size_t count;
};

/* The same change of the same step on one host is one line. */
static bool same_line(const struct item_change *a, const struct item_change *b)
{
    return strcmp(a->target, b->target) == 0 && strcmp(a->suite_step, b->suite_step) == 0 &&
           a->before->word == b->before->word && a->after->word == b->after->word;
}

/* The same new text everywhere is one line: a driver that was changed on all hosts. */
static bool same_text(const struct item_change *a, const struct item_change *b)
{
    return strcmp(a->suite_step, b->suite_step) == 0 && strcmp(a->slot->metric, b->slot->metric) == 0 &&
           reason_equal(a->before->measured, b->before->measured) &&
           reason_equal(a->after->measured, b->after->measured);
}

static void put_words(struct arena *arena, const char *title, struct change_list list, struct text *out)
{
    for (size_t i = 0, next; i < list.count; i = next) {
        const struct item_change *change = &list.items[i];

        for (next = i; next < list.count && same_line(&list.items[next], change);)
            next++;
        text_put(out, i == 0 ? arena_printf(arena, "\n%s\n", title) : "");
        printable_put(out, arena_printf(arena, "  %s %s: %s -> %s, %zu item%s: %s%s%s", change->target,
                                        change->suite_step, outcome_name(change->before->word),
                                        outcome_name(change->after->word), next - i, next - i == 1 ? "" : "s",
                                        change->slot->metric, *change->slot->subject != '\0' ? " " : "",
                                        change->slot->subject));
        if (change->after->cause != NULL) {
            text_put(out, ": ");
            printable_put(out, reason_english(arena, change->after->cause));
        }
        text_put(out, "\n");
    }
}

static bool same_alone(const struct item_change *a, const struct item_change *b)
{
    return strcmp(a->target, b->target) == 0 && strcmp(a->suite_step, b->suite_step) == 0 &&
           a->after->word == b->after->word;
}

/* What only the second run has is worse than nothing, but is what its verdict comes from. */
static void put_alone(struct arena *arena, struct change_list list, struct text *out)
{
    bool any = false;

    for (size_t i = 0, next; i < list.count; i = next) {
        const struct item_change *change = &list.items[i];

        for (next = i; next < list.count && same_alone(&list.items[next], change);)
            next++;
        if (change->after->word != OUTCOME_FAIL)
            continue;
        text_put(out, any ? "" : "\nfailed, and only in the second\n");
        any = true;
        printable_put(out, arena_printf(arena, "  %s %s: %s, %zu item%s: %s%s%s", change->target,
                                        change->suite_step, outcome_name(change->after->word), next - i,
                                        next - i == 1 ? "" : "s", change->slot->metric,
                                        *change->slot->subject != '\0' ? " " : "", change->slot->subject));
        if (change->after->cause != NULL) {
            text_put(out, ": ");
            printable_put(out, reason_english(arena, change->after->cause));
        }
        text_put(out, "\n");
    }
}

static void put_texts(struct arena *arena, struct change_list list, struct text *out)
{
    bool *told = arena_array(arena, bool, list.count);
    bool any = false;

    for (size_t i = 0; i < list.count; i++) {
        const struct item_change *change = &list.items[i];
        size_t times = 0;

        for (size_t k = i; k < list.count && !told[i]; k++)
            if (!told[k] && same_text(&list.items[k], change)) {
                times++;
                told[k] = k != i;
            }
        if (told[i])
            continue;
        text_put(out, any ? "" : "\nchanged\n");
        any = true;
        printable_put(out, arena_printf(arena, "  %s%s %s%s%s: %s -> %s", times == 1 ? change->target : "",
                                        times == 1 ? "" : arena_printf(arena, "%zu items", times),
                                        change->slot->metric,
                                        *change->slot->subject != '\0' && times == 1 ? " " : "",
                                        times == 1 ? change->slot->subject : "",
                                        reason_english(arena, change->before->measured),
                                        reason_english(arena, change->after->measured)));
        text_put(out, "\n");
    }
}

void report_compare_text(struct arena *arena, const struct history *history,
                         const struct history_findings *findings, const struct comparison *comparison,
                         struct text *out)
{
    const struct history_choice all = {0};

    const struct history_run *first = &history->runs.items[0], *second = &history->runs.items[1];

    text_printf(
        out,
        "run %lld (%s) and run %lld (%s): %zu items the same, %zu worse, %zu better, %zu with another text; "
        "%zu only in the first, %zu only in the second\n",
        first->number, first->word, second->number, second->word, comparison->same, comparison->worse.count,
        comparison->better.count, comparison->texts.count, comparison->only_before, comparison->only_after);
    if (strcmp(first->suite, second->suite) != 0) {
        text_put(out, "the suites differ: ");
        printable_put(out, first->suite);
        text_put(out, " and ");
        printable_put(out, second->suite);
        text_put(out, "; only what both have is compared\n");
    }
    if (comparison->judged.count > 0)
        text_printf(
            out,
            "%zu item%s passed in the second, and in the first only recorded: neither better nor worse\n",
            comparison->judged.count, comparison->judged.count == 1 ? "" : "s");
    put_words(arena, "worse", (struct change_list){comparison->worse.items, comparison->worse.count}, out);
    put_words(arena, "better", (struct change_list){comparison->better.items, comparison->better.count}, out);
    put_alone(arena, (struct change_list){comparison->added.items, comparison->added.count}, out);
    put_texts(arena, (struct change_list){comparison->texts.items, comparison->texts.count}, out);
    text_put(out, "\n");
    report_history_text(arena, history, findings, &all, out);
}

/* Of an item that one of the runs does not have there is no word and no value. */
static void put_side(struct json_writer *json, struct arena *arena, const char *word, const char *measured,
                     const struct outcome *outcome)
{
    json_member(json, word, outcome != NULL ? outcome_name(outcome->word) : "");
    json_member(json, measured, outcome != NULL ? reason_english(arena, outcome->measured) : "");
}

static void put_changes(struct json_writer *json, struct arena *arena, const char *key,
                        struct change_list list)
{
    json_member_array(json, key);
    list_each (change, list) {
        json_open_object(json);
        json_member(json, "target", change->target);
        json_member(json, "step", change->suite_step);
        json_member(json, "metric", change->slot->metric);
        json_member(json, "subject", change->slot->subject);
        json_member(json, "at", change->slot->at);
        put_side(json, arena, "before", "measured_before", change->before);
        put_side(json, arena, "after", "measured_after", change->after);
        json_member(json, "cause", change->after != NULL ? reason_english(arena, change->after->cause) : "");
        json_close_object(json);
    }
    json_close_array(json);
}

void compare_put(struct json_writer *json, const struct comparison *comparison)
{
    cleanup_arena struct arena *arena = arena_create();

    json_member_count(json, "same", comparison->same);
    json_member_count(json, "only_before", comparison->only_before);
    json_member_count(json, "only_after", comparison->only_after);
    put_changes(json, arena, "worse", (struct change_list){comparison->worse.items, comparison->worse.count});
    put_changes(json, arena, "better",
                (struct change_list){comparison->better.items, comparison->better.count});
    put_changes(json, arena, "judged",
                (struct change_list){comparison->judged.items, comparison->judged.count});
    put_changes(json, arena, "changed",
                (struct change_list){comparison->texts.items, comparison->texts.count});
    put_changes(json, arena, "gone", (struct change_list){comparison->gone.items, comparison->gone.count});
    put_changes(json, arena, "added", (struct change_list){comparison->added.items, comparison->added.count});
}

void report_compare_json(struct arena *arena, const struct history *history,
                         const struct history_findings *findings, const struct comparison *comparison,
                         struct text *out)
{
    const struct history_choice all = {0};
    struct json_writer writer, *json = &writer;

    json_open_document(json, out, 1);
    compare_put(json, comparison);
    json_key(json, "history");
    report_history_put(arena, history, findings, &all, json);
    json_close_object(json);
    text_put(out, "\n");
}
