/* SPDX-License-Identifier: Apache-2.0 */
/* Which tests to repeat tonight: for people, and the same for programs. */
#include "assay/base/printable.h"
#include "assay/model/hostfile.h"
#include "assay/reasons/periodic.h"
#include "assay/report/report.h"

enum { LINE_BYTES = 1 << 20 };

static void put_said(struct arena *arena, enum report_language language, struct text *out, const char *indent,
                     const struct reason *said)
{
    cleanup_text struct text line = {0};

    text_init(&line, LINE_BYTES);
    printable_line(&line, reason_said(arena, language, said));
    text_printf(out, "%s%s\n", indent, line.bytes);
}

static const char *figure(struct arena *arena, double value)
{
    return arena_printf(arena, value >= 1000 ? "%.0f" : "%.3g", value);
}

static const struct reason *row_said(struct arena *arena, const struct report_periodic *periodic,
                                     const struct periodic_row *row)
{
    return reason(arena, periodic_row, periodic->fleet->tests.items[row->test].step, row->hosts.count,
                  figure(arena, row->hours), figure(arena, row->found));
}

static void put_rows(struct arena *arena, const struct report_periodic *periodic,
                     enum report_language language, struct text *out)
{
    for (size_t i = 0; i < periodic->tonight.rows.count; i++) {
        const struct periodic_row *row = &periodic->tonight.rows.items[i];

        text_printf(out, "%3zu. ", i + 1);
        put_said(arena, language, out, "", row_said(arena, periodic, row));
        put_said(arena, language, out, "     ", row->why);
        if (row->hosts.count < periodic->fleet->hosts.count)
            put_said(
                arena, language, out, "     ",
                reason(arena, periodic_row_hosts, hostlist_fold(arena, row->hosts.items, row->hosts.count)));
    }
}

void report_periodic_text(struct arena *arena, const struct report_periodic *periodic,
                          enum report_language language, struct text *out)
{
    const struct periodic_choice *choice = periodic->choice;

    put_said(arena, language, out, "",
             reason(arena, periodic_title, figure(arena, choice->hours), figure(arena, choice->all_hours),
                    periodic->fleet->hosts.count,
                    figure(arena, choice->all_hours > 0 ? 100 * choice->hours / choice->all_hours : 0)));
    put_said(arena, language, out, "",
             reason(arena, periodic_expected, figure(arena, choice->found), figure(arena, choice->all_found),
                    figure(arena, choice->hidden)));
    text_put(out, "\n");
    put_rows(arena, periodic, language, out);
    text_put(out, "\n");
    for (size_t i = 0; i < periodic->tonight.notes.count; i++)
        put_said(arena, language, out, "- ", periodic->tonight.notes.items[i]);
    text_put(out, "\n");
    put_said(arena, language, out, "",
             periodic->commands.count > 0 ? REASON(periodic_run_them) : REASON(periodic_no_suite));
    for (size_t i = 0; i < periodic->commands.count; i++)
        put_said(arena, language, out, "  ", reason_text(arena, periodic->commands.items[i]));
}

/* -- JSON --------------------------------------------------------------------------------------------------- */

static void put_names(struct json_writer *json, const char *key, const char *const *names, size_t count)
{
    json_member_array(json, key);
    for (size_t i = 0; i < count; i++)
        json_put_string(json, names[i]);
    json_close_array(json);
}

static void put_test(struct json_writer *json, struct arena *arena, const struct report_periodic *periodic,
                     const struct periodic_row *row)
{
    const struct periodic_test *test = &periodic->fleet->tests.items[row->test];

    json_open_object(json);
    json_member(json, "step", test->step);
    json_member(json, "check", test->check);
    put_names(json, "hosts", row->hosts.items, row->hosts.count);
    json_member_number(json, "host_hours", row->hours);
    json_member_number(json, "expected_found", row->found);
    json_member_number(json, "timed", (double)test->measured);
    json_member_object(json, "coverage");
    for (unsigned k = 0; k < PERIODIC_CLASSES; k++)
        json_member_number(json, periodic_class_name((enum periodic_class)k),
                           periodic->rates->cover[row->test][k]);
    json_close_object(json);
    json_member(json, "why", reason_english(arena, row->why));
    json_close_object(json);
}

static void put_group(struct json_writer *json, const struct report_periodic *periodic,
                      const struct periodic_group *group, const char *command)
{
    json_open_object(json);
    put_names(json, "hosts", group->hosts.items, group->hosts.count);
    json_member_number(json, "host_hours", group->hours);
    json_member_array(json, "steps");
    for (periodic_set rest = group->tests; rest != 0; rest &= rest - 1)
        json_put_string(json, periodic->fleet->tests.items[__builtin_ctzll(rest)].step);
    json_close_array(json);
    json_member(json, "command", command);
    json_close_object(json);
}

static void put_rates(struct json_writer *json, const struct report_periodic *periodic)
{
    json_member_array(json, "rates");
    for (unsigned k = 0; k < PERIODIC_CLASSES; k++) {
        json_open_object(json);
        json_member(json, "class", periodic_class_name((enum periodic_class)k));
        json_member_number(json, "found", periodic->rates->found[k]);
        json_member_number(json, "watched_host_hours", periodic->rates->hours[k]);
        json_member_number(json, "per_host_hour", periodic->rates->all[k]);
        json_member_number(json, "public_per_host_hour", periodic_public_rate((enum periodic_class)k));
        json_close_object(json);
    }
    json_close_array(json);
}

static void put_lists(struct json_writer *json, struct arena *arena, const struct report_periodic *periodic)
{
    const struct periodic_tonight *tonight = &periodic->tonight;

    json_member_array(json, "tests");
    for (size_t i = 0; i < tonight->rows.count; i++)
        put_test(json, arena, periodic, &tonight->rows.items[i]);
    json_close_array(json);
    json_member_array(json, "groups");
    for (size_t i = 0; i < tonight->groups.count; i++)
        put_group(json, periodic, &tonight->groups.items[i],
                  i < periodic->commands.count ? periodic->commands.items[i] : NULL);
    json_close_array(json);
    put_rates(json, periodic);
    json_member_array(json, "notes");
    for (size_t i = 0; i < tonight->notes.count; i++)
        json_put_string(json, reason_english(arena, tonight->notes.items[i]));
    json_close_array(json);
}

void report_periodic_json(struct arena *arena, const struct report_periodic *periodic, struct text *out)
{
    struct json_writer json;

    json_open_document(&json, out, 1);
    json_member_number(&json, "runs", (double)periodic->fleet->runs);
    json_member_number(&json, "hosts", (double)periodic->fleet->hosts.count);
    json_member_number(&json, "host_hours", periodic->choice->hours);
    json_member_number(&json, "all_host_hours", periodic->choice->all_hours);
    json_member_number(&json, "expected_found", periodic->choice->found);
    json_member_number(&json, "all_expected_found", periodic->choice->all_found);
    json_member_number(&json, "expected_hidden", periodic->choice->hidden);
    put_lists(&json, arena, periodic);
    json_close_object(&json);
    text_put(out, "\n");
}
