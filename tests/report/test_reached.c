/* SPDX-License-Identifier: Apache-2.0 */
/* What was reached beside each limit, what was not tested, and why. */
#include "../unit_test.h"

#include <math.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/judge.h"
#include "assay/report/report.h"
#include "reached.h"
#include "sample_record.h"
#include "unplanned.h"

static const struct sample faulty = {.hosts = 8, .units = 2, .faults = true};
static const struct sample clean = {.hosts = 4, .units = 1};

static const struct reached_row *row_of(const struct reached *reached, const char *step, const char *metric)
{
    for (size_t i = 0; i < reached->items.count; i++)
        if (strcmp(reached->items.items[i].suite_step, step) == 0 &&
            strcmp(reached->items.items[i].metric, metric) == 0)
            return &reached->items.items[i];
    fail_msg("%s has no %s", step, metric);
    return NULL;
}

static const char *html_of(struct arena *arena, const struct record *record)
{
    struct text out = {0};
    const char *html;

    text_init(&out, (size_t)64 << 20);
    report_format_find("html")->write(record, LANGUAGE_EN, &out);
    html = arena_strndup(arena, out.bytes, out.length);
    text_release(&out);
    return html;
}

static void the_worst_value_is_named_with_its_place_and_limit_though_it_failed(void **state)
{
    struct arena *arena = arena_create();
    const struct view *view = view_create(arena, sample_record(arena, &faulty));
    const struct reached_row *row;
    struct reached reached;

    (void)state;
    reached_of(view, &reached);
    row = row_of(&reached, "p2p-bandwidth", "p2p.unidirectional.enabled");
    assert_non_null(row->worst);
    assert_true(row->worst->value < 13);
    assert_true(row->median > 345);
    assert_string_equal(reason_english(arena, row->gate), ">= 345 GB/s");
    assert_int_equal(strncmp(reason_english(arena, reached_where(view, row)), "node3, gpu", 10), 0);
    assert_int_equal(row->hosts, 7); /* one of them did not come to it */
    assert_int_equal(row->hosts_owed, 8);
    assert_true(fabs(row->margin - (row->worst->value / 345 - 1)) < 1e-9);
    arena_destroy(arena);
}

/* What peers ask of one part is no limit of all the others, and its value still is the lowest. */
static void a_part_that_its_peers_fail_is_the_lowest_of_the_row_of_all(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &clean);
    const struct view *view = view_create(arena, record);
    struct reached reached;
    const struct reached_row *row;
    struct outcome *slow;

    (void)state;
    reached_of(view, &reached);
    row = row_of(&reached, "p2p-bandwidth", "p2p.unidirectional.enabled");
    slow = &record->judgement.outcomes[row->worst - record->judgement.outcomes];
    slow->word = OUTCOME_FAIL;
    slow->value = 346;
    slow->measured = reason_text(arena, "346 GB/s");
    outcome_held_own(arena, slow)->status = "peers";
    outcome_held_own(arena, slow)->gate =
        limit_gate_of_record(arena, reason_text(arena, ">= 360 GB/s (380 of its peers with 5% tolerance)"));
    reached_of(view_create(arena, record), &reached);
    row = row_of(&reached, "p2p-bandwidth", "p2p.unidirectional.enabled");
    assert_ptr_equal(row->worst, slow);
    assert_string_equal(reason_english(arena, row->gate), ">= 345 GB/s");
    arena_destroy(arena);
}

static void the_first_page_of_what_passed_shows_numbers_and_that_of_a_reject_does_not(void **state)
{
    struct arena *arena = arena_create();
    char *accepted = arena_strdup(arena, html_of(arena, sample_record(arena, &clean)));
    char *rejected = arena_strdup(arena, html_of(arena, sample_record(arena, &faulty)));

    (void)state;
    *strstr(accepted, "</header>") = '\0';
    assert_non_null(strstr(accepted, "What was reached"));
    /* Of a test one row: both directions together come nearer to their limit than one. */
    assert_non_null(strstr(accepted, "&gt;= 700 GB/s"));
    assert_null(strstr(accepted, "345 GB/s"));
    assert_non_null(strstr(rejected, "<section id=\"reached\""));
    *strstr(rejected, "</header>") = '\0';
    assert_null(strstr(rejected, "What was reached"));
    arena_destroy(arena);
}

static void what_was_not_tested_stands_on_paper_whole_with_its_cause(void **state)
{
    struct arena *arena = arena_create();
    const char *html = html_of(arena, sample_record(arena, &faulty));
    const char *table = strstr(html, "compact unrun");

    (void)state;
    assert_non_null(table);
    table = arena_strndup(arena, table, (size_t)(strstr(table, "</table>") - table));
    assert_non_null(strstr(table, "fault "));
    assert_null(strstr(table, "on-screen"));
    arena_destroy(arena);
}

/* Every host has one step in the plan, which calls its platform so. */
static const char *why(struct arena *arena, const char *hosts, const char *platform, const char *when)
{
    struct error err = {0};
    const struct hostfile *hostfile = hostfile_parse(arena, "hosts", slice_of(hosts), &err);
    const struct json *json = json_parse(arena, "when", arena_strdup(arena, when), strlen(when), &err);

    struct shape shape = {.suite_step = "reachable", .platform = platform};
    struct plan plan = {0};

    assert_non_null(hostfile);
    assert_non_null(json);
    array_each (host, hostfile->hosts.items, hostfile->hosts.count) {
        const struct host **members = arena_array(arena, const struct host *, 1);

        members[0] = host;
        *list_push(arena, &plan.steps) =
            (struct step){.shape = &shape, .members = members, .member_count = 1};
    }
    return reason_english(
        arena, unplanned_why(unplanned_hosts_of(arena, hostfile, &plan, "hgx-h100", platform), json));
}

static void a_test_that_was_not_planned_says_what_the_hostfile_lacks(void **state)
{
    struct arena *arena = arena_create();

    (void)state;
    assert_string_equal(why(arena, "node1\nnode2\n", "hgx-h100", "{\"bmc\": \"redfish\"}"),
                        "the hostfile does not say at which address the BMC is (bmc=ADDRESS)");
    assert_string_equal(why(arena, "node1 leaf=l1\nnode2 leaf=l1\n", "hgx-h100", "{\"leaves_min\": 2}"),
                        "it needs 2 leaves, and the hostfile has 1");
    assert_string_equal(why(arena, "node1 leaf=l2\nnode2 leaf=l1\nnode3 leaf=l2\nnode4 leaf=l1\n", "hgx-h100",
                            "{\"leaves_min\": 3}"),
                        "it needs 3 leaves, and the hostfile has 2");
    assert_string_equal(why(arena, "node1\nnode2\n", "hgx-h100", "{\"hosts_min\": 4, \"mounts\": true}"),
                        "it needs 4 hosts, and the hostfile has 2; the hostfile declares no storage "
                        "(mounts=/data,/scratch)");
    assert_string_equal(why(arena, "node1 platform=./site.json\nnode2 platform=./site.json\n", "site-h100",
                            "{\"bmc\": \"redfish\"}"),
                        "the hostfile does not say at which address the BMC is (bmc=ADDRESS)");
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worst_value_is_named_with_its_place_and_limit_though_it_failed),
        cmocka_unit_test(a_part_that_its_peers_fail_is_the_lowest_of_the_row_of_all),
        cmocka_unit_test(the_first_page_of_what_passed_shows_numbers_and_that_of_a_reject_does_not),
        cmocka_unit_test(what_was_not_tested_stands_on_paper_whole_with_its_cause),
        cmocka_unit_test(a_test_that_was_not_planned_says_what_the_hostfile_lacks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
