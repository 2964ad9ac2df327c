/* SPDX-License-Identifier: Apache-2.0 */
/* When who is told of what, under a clock that is an argument; and that a message fits its receiver. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../unit_test.h"
#include "alert_private.h"
#include "assay/base/files.h"
#include "assay/base/json.h"

static const double start = 1772366400;
static const struct alert_receiver everybody = {.name = "everybody", .least = ALERT_INFO};
static const struct alert_receiver ops = {.name = "ops", .least = ALERT_CRITICAL};

struct place {
    struct arena *arena;
    struct alerts alerts;
    double now;
    long long run;
};

static struct place begin(void)
{
    struct arena *arena = arena_create();

    return (struct place){.arena = arena, .alerts = {.arena = arena}, .now = start};
}

static void end(struct place *place)
{
    arena_destroy(place->arena);
}

/* The next run says this of node1: one problem of that severity for each letter of keys. */
static void run(struct place *place, enum alert_severity severity, const char *keys, bool decided)
{
    struct alert_news news = {.suite = "periodic", .hostfile = "cluster", .whole = true};
    struct alert_condition *condition = list_push(place->arena, &news.conditions);
    struct error err = {0};

    news.run = ++place->run;
    news.started = start + (double)place->run;
    condition->subject = "node1";
    condition->decided = decided;
    for (const char *key = keys; *key != '\0'; key++) {
        const char *word = arena_printf(place->arena, "%c", *key);

        *list_push(place->arena, &condition->problems.items) = (struct alert_problem){severity, word, word};
    }
    assert_int_equal(alerts_take(&place->alerts, &news, place->now, &err), 0);
}

/* What is due to the receiver of the one alert that there can be; it is delivered. */
static enum alert_due told(struct place *place, const struct alert_receiver *receiver)
{
    struct alert_rows rows;
    enum alert_due due;

    alerts_due(place->arena, &place->alerts, receiver, place->now, &rows);
    if (rows.items.count == 0)
        return ALERT_QUIET;
    assert_int_equal(rows.items.count, 1);
    due = rows.items.items[0].due;
    alert_delivered(&place->alerts, rows.items.items[0].alert, receiver, due, place->now);
    return due;
}

static void what_lasts_is_repeated_at_growing_intervals(void **state)
{
    static const unsigned wanted[] = {5, 15, 35, 75, 155, 235, 315};
    struct place place = begin();
    size_t found = 0;

    (void)state;
    run(&place, ALERT_CRITICAL, "a", true);
    assert_int_equal(told(&place, &everybody), ALERT_NEW);
    /* Asked every ten seconds, with the same run again every hour. */
    for (unsigned seconds = 10; seconds <= 330 * 60; seconds += 10) {
        enum alert_due due;

        place.now = start + seconds;
        if (seconds % 3600 == 0)
            run(&place, ALERT_CRITICAL, "a", true);
        due = told(&place, &everybody);
        if (due == ALERT_QUIET)
            continue;
        assert_int_equal(due, ALERT_REPEATED);
        assert_true(found < ARRAY_SIZE(wanted));
        assert_int_equal(seconds, wanted[found++] * 60);
    }
    assert_int_equal(found, ARRAY_SIZE(wanted));
    end(&place);
}

static void what_gets_worse_is_told_at_once_and_begins_anew(void **state)
{
    struct place place = begin();

    (void)state;
    run(&place, ALERT_WARNING, "a", true);
    assert_int_equal(told(&place, &everybody), ALERT_NEW);
    place.now += 300;
    assert_int_equal(told(&place, &everybody), ALERT_REPEATED);
    place.now += 60;
    run(&place, ALERT_WARNING, "ab", true); /* one more problem */
    assert_int_equal(told(&place, &everybody), ALERT_WORSE);
    place.now += 60;
    run(&place, ALERT_CRITICAL, "ab", true); /* the same, and graver */
    assert_int_equal(told(&place, &everybody), ALERT_WORSE);
    place.now += 60;
    run(&place, ALERT_CRITICAL, "b", true); /* fewer */
    assert_int_equal(told(&place, &everybody), ALERT_QUIET);
    place.now += 240;
    assert_int_equal(told(&place, &everybody), ALERT_REPEATED);
    end(&place);
}

static void who_is_told_of_less_hears_of_it_when_it_is_grave_and_when_no_longer(void **state)
{
    struct place place = begin();

    (void)state;
    run(&place, ALERT_WARNING, "a", true);
    assert_int_equal(told(&place, &ops), ALERT_QUIET);
    assert_int_equal(told(&place, &everybody), ALERT_NEW);
    run(&place, ALERT_CRITICAL, "a", true);
    assert_int_equal(told(&place, &ops), ALERT_NEW);
    run(&place, ALERT_WARNING, "a", true);
    assert_int_equal(told(&place, &ops), ALERT_OVER);
    assert_int_equal(told(&place, &ops), ALERT_QUIET);
    run(&place, ALERT_INFO, "", true);
    assert_int_equal(told(&place, &ops), ALERT_QUIET);
    assert_int_equal(told(&place, &everybody), ALERT_OVER);
    assert_int_equal(told(&place, &everybody), ALERT_QUIET);
    end(&place);
}

static void what_was_not_measured_ends_nothing(void **state)
{
    struct place place = begin();

    (void)state;
    run(&place, ALERT_CRITICAL, "a", true);
    assert_int_equal(told(&place, &ops), ALERT_NEW);
    run(&place, ALERT_INFO, "u", false);
    assert_int_equal(place.alerts.items.items[0].severity, ALERT_CRITICAL);
    assert_int_equal(place.alerts.items.items[0].problems.items.count, 2);
    assert_int_equal(told(&place, &ops), ALERT_WORSE);
    run(&place, ALERT_INFO, "", false);
    assert_false(place.alerts.items.items[0].over);
    run(&place, ALERT_INFO, "", true);
    assert_int_equal(told(&place, &ops), ALERT_OVER);
    /* And back before the note was sent: that is told too. */
    run(&place, ALERT_CRITICAL, "a", true);
    assert_int_equal(told(&place, &ops), ALERT_NEW);
    run(&place, ALERT_INFO, "", true);
    run(&place, ALERT_CRITICAL, "a", true);
    assert_int_equal(told(&place, &ops), ALERT_WORSE);
    end(&place);
}

static void nothing_counts_before_it_is_delivered(void **state)
{
    struct place place = begin();
    struct alert_rows rows;

    (void)state;
    run(&place, ALERT_CRITICAL, "a", true);
    for (unsigned i = 0; i < 3; i++, place.now += 4000) {
        alerts_due(place.arena, &place.alerts, &ops, place.now, &rows);
        assert_int_equal(rows.items.count, 1);
        assert_int_equal(rows.items.items[0].due, ALERT_NEW);
    }
    /* Over before anybody heard of it. */
    run(&place, ALERT_INFO, "", true);
    assert_int_equal(told(&place, &ops), ALERT_QUIET);
    end(&place);
}

static void a_clock_that_is_put_back_silences_nothing(void **state)
{
    struct place place = begin();

    (void)state;
    run(&place, ALERT_CRITICAL, "a", true);
    assert_int_equal(told(&place, &ops), ALERT_NEW);
    place.now -= 365 * 86400.0;
    assert_int_equal(told(&place, &ops), ALERT_REPEATED);
    assert_int_equal(told(&place, &ops), ALERT_QUIET);
    place.now += 600;
    assert_int_equal(told(&place, &ops), ALERT_REPEATED);
    end(&place);
}

static void other_series_are_left_alone_and_hosts_that_are_gone_are_ended(void **state)
{
    struct place place = begin();
    struct alert_news other = {.suite = "smoke", .hostfile = "cluster", .run = 9, .whole = true};
    struct alert_news same = {.suite = "periodic", .hostfile = "cluster", .run = 10, .started = start + 99};
    struct error err = {0};

    (void)state;
    run(&place, ALERT_CRITICAL, "a", true);
    assert_int_equal(told(&place, &ops), ALERT_NEW);
    assert_int_equal(alerts_take(&place.alerts, &other, place.now, &err), 0);
    assert_int_equal(told(&place, &ops), ALERT_QUIET);
    assert_int_equal(alerts_take(&place.alerts, &same, place.now, &err), 0); /* of some hosts */
    assert_int_equal(told(&place, &ops), ALERT_QUIET);
    same.whole = true;
    assert_int_equal(alerts_take(&place.alerts, &same, place.now, &err), 0);
    assert_int_equal(told(&place, &ops), ALERT_OVER);
    same.started = start;
    assert_int_equal(alerts_take(&place.alerts, &same, place.now, &err), -1);
    assert_int_equal(err.code, ERROR_USAGE);
    end(&place);
}

static void what_is_kept_reads_back_the_same(void **state)
{
    struct place place = begin();
    struct alert_config config = {0};
    struct error err = {0};
    struct alerts again;
    const char *path = arena_printf(place.arena, "test-alert-%d.json", (int)getpid());

    (void)state;
    *list_push(place.arena, &config.receivers) = ops;
    run(&place, ALERT_CRITICAL, "ab", true);
    assert_int_equal(told(&place, &ops), ALERT_NEW);
    assert_int_equal(told(&place, &everybody), ALERT_NEW);
    alerts_tidy(&place.alerts, &config); /* everybody is no receiver any more */
    assert_int_equal(alerts_save(&place.alerts, path, &err), 0);
    assert_int_equal(alerts_load(place.arena, path, &again, &err), 0);
    assert_int_equal(again.items.items[0].told.count, 1);
    place.alerts = again;
    assert_int_equal(told(&place, &ops), ALERT_QUIET);
    run(&place, ALERT_CRITICAL, "ba", true);
    assert_int_equal(told(&place, &ops), ALERT_QUIET);
    place.now += 300;
    assert_int_equal(told(&place, &ops), ALERT_REPEATED);
    run(&place, ALERT_INFO, "", true);
    assert_int_equal(told(&place, &ops), ALERT_OVER);
    alerts_tidy(&place.alerts, &config);
    assert_int_equal(place.alerts.items.count, 0);
    assert_int_equal(file_write(path, "{\"schema\": 7}", 13, 0600, &err), 0);
    assert_int_equal(alerts_load(place.arena, path, &again, &err), -1);
    assert_int_equal(unlink(path), 0);
    end(&place);
}

static const char evil[] =
    "<@all> [x](http://x) *b* `c` \"q\" \\ & \x01\x1b[31m \xff\xfe 故障故障故障故障 averyveryverylongcause"
    "verylongverylongverylongverylongverylongverylongverylongverylongverylongverylongverylong";

/* 1,250 hosts with 20 problems each. */
static void a_cluster_in_ruins_fits_into_each_form(void **state)
{
    static const size_t most[] = {
        [ALERT_JSON] = 300000, [ALERT_WECOM] = 4096, [ALERT_DINGTALK] = 20000, [ALERT_SLACK] = 4000};
    struct place place = begin();
    struct alert_news news = {.suite = evil, .hostfile = evil, .run = 1, .whole = true};
    struct error err = {0};
    struct alert_rows rows;

    (void)state;
    for (unsigned i = 0; i < 1250; i++) {
        struct alert_condition *condition = list_push(place.arena, &news.conditions);

        condition->subject = arena_printf(place.arena, "node%u", i);
        for (unsigned k = 0; k < 20; k++)
            *list_push(place.arena, &condition->problems.items) =
                (struct alert_problem){ALERT_CRITICAL, arena_printf(place.arena, "%u", k), evil};
    }
    assert_int_equal(alerts_take(&place.alerts, &news, place.now, &err), 0);
    alerts_due(place.arena, &place.alerts, &ops, place.now, &rows);
    assert_int_equal(rows.items.count, 1250);
    for (enum alert_kind kind = ALERT_JSON; kind <= ALERT_SLACK; kind++) {
        const char *body = alert_body(place.arena, kind, &rows, place.now), *text;
        const struct json *document = json_parse(place.arena, "body", body, strlen(body), &err);

        if (document == NULL)
            fail_msg("%s", err.text);
        if (kind == ALERT_JSON) {
            double shown = (double)json_get(document, "alerts")->count;

            assert_true(strlen(body) < most[kind] && shown + json_number(document, "left_out", -1) == 1250);
            continue;
        }
        text = kind == ALERT_SLACK ? json_string(document, "text", "")
                                   : json_string(json_get(document, "markdown"),
                                                 kind == ALERT_WECOM ? "content" : "text", "");
        assert_true(kind == ALERT_DINGTALK ? strlen(body) <= most[kind] : strlen(text) <= most[kind]);
        assert_non_null(strstr(text, "assay: 1250 critical"));
        assert_non_null(strstr(text, "- and 15 more"));
        assert_non_null(strstr(text, " more: assay show"));
        assert_null(strpbrk(text, "<>[]`\x1b"));
    }
    end(&place);
}

static void what_dingtalk_signs_is_what_its_document_says(void **state)
{
    struct arena *arena = arena_create();

    (void)state;
    assert_string_equal(alert_sign(arena, "this is secret", 1577262236.757),
                        "timestamp=1577262236757&sign=hmPWwU%2B7lVdm3ZZz0r9tSfx0L4Q26jWOZr9%2BGs6EZQM%3D");
    arena_destroy(arena);
}

static void an_answer_is_believed_only_when_it_says_that_it_was_taken(void **state)
{
    static const struct {
        enum alert_kind kind;
        long status;
        const char *answer;
        bool taken;
    } cases[] = {
        {ALERT_JSON, 200, "", true},
        {ALERT_JSON, 204, "", true},
        {ALERT_JSON, 199, "", false},
        {ALERT_JSON, 301, "", false},
        {ALERT_JSON, 0, "", false},
        {ALERT_SLACK, 200, "ok", true},
        {ALERT_SLACK, 404, "no_service", false},
        {ALERT_WECOM, 200, "{\"errcode\":0,\"errmsg\":\"ok\"}", true},
        {ALERT_WECOM, 200, "{\"errcode\":\"0\"}", false},
        {ALERT_WECOM, 200, "{\"errcode\":93000}", false},
        {ALERT_WECOM, 200, "", false},
        {ALERT_DINGTALK, 200, "<html>", false},
        {ALERT_DINGTALK, 200, "{\"errcode\":310000,\"errmsg\":\"sign not match\"}", false},
        {ALERT_DINGTALK, 500, "{\"errcode\":0}", false},
    };
    struct arena *arena = arena_create();

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct alert_receiver receiver = {
            .name = "x", .kind = cases[i].kind, .url = "https://x/send?key=token"};
        const char *refusal = alert_refusal(arena, &receiver, cases[i].status, cases[i].answer);

        if ((refusal == NULL) != cases[i].taken)
            fail_msg("%zu: %s", i, refusal != NULL ? refusal : "taken");
    }
    arena_destroy(arena);
}

static void a_url_is_read_as_curl_reads_it(void **state)
{
    static const char beyond[] = "https:// is needed", scheme[] = "begins neither", odd[] = "no URL has";
    static const struct {
        const char *url, *read, *fault; /* fault NULL: none */
    } cases[] = {
        {"https://example.org/send?key=k", "https://example.org/send?key=k", NULL},
        {"HTTPS://example.org:8443/x#behind", "https://example.org:8443/x", NULL},
        {"https://name:word@example.org/x", "https://name:word@example.org/x", NULL},
        {"http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x", NULL},
        {"HTTP://LOCALHOST/x", "http://LOCALHOST/x", NULL},
        {"http://[::1]:80/x", "http://[::1]:80/x", NULL},
        {"http://127.1/x", "http://127.0.0.1/x", NULL},
        {"http://0x7f000001/x", "http://127.0.0.1/x", NULL},
        {"http://2130706433/x", "http://127.0.0.1/x", NULL},
        {"http://name@127.0.0.1/x", "http://name@127.0.0.1/x", NULL},
        {"http://127.0.0.1:1@127.0.0.2/", "", beyond},
        {"http://127.0.0.1@evil/", "", beyond},
        {"http://127.0.0.1:80@evil:80/", "", beyond},
        {"http://localhost.evil/", "", beyond},
        {"http://localhost%2eevil/", "", ""},
        {"http://127.0.0.1.evil/", "", beyond},
        {"http://evil#@127.0.0.1/", "", beyond},
        {"http://evil?@127.0.0.1/", "", beyond},
        {"http://evil/@127.0.0.1/", "", beyond},
        {"http://evil;127.0.0.1/", "", ""},
        {"http://127.0.0.2/", "", beyond},
        {"http://0/", "", ""},
        {"http://[::ffff:127.0.0.1]/", "", beyond},
        {"http://[::]/", "", beyond},
        {"http://127.0.0.1\\@evil/", "", odd},
        {"http://127.0.0.1\t@evil/", "", odd},
        {"http://127.0.0.1/\r\nurl = http://evil/", "", odd},
        {"http://127.0.0.1/\"\nurl", "", odd},
        {"http://127.0.0.1 @evil/", "", odd},
        {"http://\xc4\xb1.example/", "", odd},
        {"http://127.0.0\xe3\x80\x82"
         "1/",
         "", odd},
        {"https:///x", "https://x/", NULL},
        {"http:///127.0.0.1:1@evil/x", "", beyond},
        {"https://", "", ""},
        {"http://", "", ""},
        {"https://:443/", "", ""},
        {"https://example.org:99999/", "", ""},
        {"https://exa mple.org/", "", odd},
        {"file:///etc/passwd", "", scheme},
        {"FILE://localhost/etc/passwd", "", scheme},
        {"gopher://127.0.0.1/x", "", scheme},
        {"ftp://127.0.0.1/x", "", scheme},
        {"dict://127.0.0.1/x", "", scheme},
        {"127.0.0.1/x", "", ""},
        {"//127.0.0.1/x", "", ""},
        {"", "", ""},
        {"-o/tmp/x", "", ""},
    };
    struct arena *arena = arena_create();

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const char *read = "", *fault = alert_url_read(arena, cases[i].url, &read);
        bool taken = *cases[i].read != '\0';

        if (strcmp(read, cases[i].read) != 0 || (fault == NULL) != taken ||
            (fault != NULL && cases[i].fault != NULL && strstr(fault, cases[i].fault) == NULL))
            fail_msg("%s: '%s', %s", cases[i].url, read, fault != NULL ? fault : "no fault");
    }
    arena_destroy(arena);
}

static void a_url_without_end_is_refused(void **state)
{
    struct arena *arena = arena_create();
    const char *read;

    (void)state;
    assert_non_null(
        strstr(alert_url_read(arena, arena_printf(arena, "https://x/%070000d", 0), &read), "longer"));
    assert_string_equal(read, "");
    assert_null(alert_url_read(arena, arena_printf(arena, "https://x/%08000d", 0), &read));
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lasts_is_repeated_at_growing_intervals),
        cmocka_unit_test(what_gets_worse_is_told_at_once_and_begins_anew),
        cmocka_unit_test(who_is_told_of_less_hears_of_it_when_it_is_grave_and_when_no_longer),
        cmocka_unit_test(what_was_not_measured_ends_nothing),
        cmocka_unit_test(nothing_counts_before_it_is_delivered),
        cmocka_unit_test(a_clock_that_is_put_back_silences_nothing),
        cmocka_unit_test(other_series_are_left_alone_and_hosts_that_are_gone_are_ended),
        cmocka_unit_test(what_is_kept_reads_back_the_same),
        cmocka_unit_test(a_cluster_in_ruins_fits_into_each_form),
        cmocka_unit_test(what_dingtalk_signs_is_what_its_document_says),
        cmocka_unit_test(a_url_is_read_as_curl_reads_it),
        cmocka_unit_test(a_url_without_end_is_refused),
        cmocka_unit_test(an_answer_is_believed_only_when_it_says_that_it_was_taken),
    };

    return cmocka_run_group_tests_name("alert", tests, NULL, NULL);
}
