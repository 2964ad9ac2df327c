/* SPDX-License-Identifier: Apache-2.0 */
#include "../says_test.h"
#include "assay/report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/files.h"
#include "assay/base/json.h"
#include "assay/base/printable.h"
#include "assay/reasons/any.h"
#include "assay/reasons/judge.h"
#include "sample_record.h"

enum { REPORT_BYTES = 64 << 20 };

static const struct sample faulty = {.hosts = 8, .units = 2, .faults = true};
static const struct sample clean = {.hosts = 4, .units = 1};
static const struct sample hostile = {.hosts = 2, .units = 1, .hostile = true};

/* As the page has it: whole. */
#define PAIR(from, to) "<span class=\"nb\">" from "-&gt;" to "</span>"

/* The report in the arena. */
static const char *report_of(struct arena *arena, const struct record *record, const char *format,
                             size_t *ret_length)
{
    const struct report_format *row = report_format_find(format);
    cleanup_text struct text out = {0};

    assert_non_null(row);
    text_init(&out, REPORT_BYTES);
    row->write(record, LANGUAGE_EN, &out);
    assert_false(out.clipped);
    if (ret_length != NULL)
        *ret_length = out.length;
    return arena_strndup(arena, out.bytes, out.length);
}

static struct json *json_of(struct arena *arena, const struct record *record)
{
    size_t length;
    const char *bytes = report_of(arena, record, "json", &length);
    struct error err = {0};
    struct json *json = json_parse(arena, "report", bytes, length, &err);

    if (json == NULL)
        fail_msg("%s", err.text);
    return json;
}

static void expect_contains(const char *text, const char *needle)
{
    if (strstr(text, needle) == NULL)
        fail_msg("the report does not name \"%s\"", needle);
}

static size_t count_of(const char *text, const char *needle)
{
    size_t count = 0;

    for (text = strstr(text, needle); text != NULL; text = strstr(text + 1, needle))
        count++;
    return count;
}

/* -- Formats ----------------------------------------------------------------------------------------------
 */

static void formats_are_found_by_their_names(void **state)
{
    size_t count;
    const struct report_format *list = report_format_list(&count);

    (void)state;
    assert_true(count >= 6);
    for (size_t i = 0; i < count; i++)
        assert_ptr_equal(report_format_find(list[i].name), &list[i]);
    assert_null(report_format_find("pdf"));
    assert_null(report_format_find(""));
}

static void the_same_record_gives_the_same_bytes(void **state)
{
    static const char *const formats[] = {"html", "text", "json", "csv", "junit", "prometheus"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
        struct arena *arena = arena_create();
        const struct record *record = sample_record(arena, &faulty);
        const char *first = report_of(arena, record, formats[i], NULL);

        assert_string_equal(first, report_of(arena, record, formats[i], NULL));
        assert_string_equal(first, report_of(arena, sample_record(arena, &faulty), formats[i], NULL));
        assert_true(strlen(first) > 2000);
        arena_destroy(arena);
    }
}

static bool collect(void *context, const char *bytes, size_t length)
{
    struct text *collected = context;

    text_add(collected, bytes, length);
    return !collected->clipped;
}

static void a_report_that_is_written_while_it_is_made_has_the_same_bytes(void **state)
{
    struct arena *arena = arena_create();
    const struct record *record = sample_record(arena, &faulty);
    const struct report_format *formats;
    size_t count, largest = 0;

    (void)state;
    formats = report_format_list(&count);
    for (size_t i = 0; i < count; i++) {
        cleanup_text struct text pieces = {0}, collected = {0};
        size_t length, held;
        const char *whole = report_of(arena, record, formats[i].name, &length);

        text_init(&collected, REPORT_BYTES);
        text_init_draining(&pieces, collect, &collected);
        formats[i].write(record, LANGUAGE_EN, &pieces);
        held = pieces.length;
        text_drain(&pieces);
        assert_false(pieces.clipped);
        assert_int_equal(collected.length, length);
        assert_memory_equal(collected.bytes, whole, length);
        largest = length - held > largest ? length - held : largest;
    }
    assert_true(largest > 1 << 18); /* most of the largest was handed on before its end */
    arena_destroy(arena);
}

static void all_samples_differ(void **state)
{
    struct arena *arena = arena_create();

    (void)state;
    assert_string_not_equal(report_of(arena, sample_record(arena, &faulty), "html", NULL),
                            report_of(arena, sample_record(arena, &clean), "html", NULL));
    arena_destroy(arena);
}

/* -- Hostile output ---------------------------------------------------------------------------------------
 */

static void expect_harmless(const char *format)
{
    struct arena *arena = arena_create();
    size_t length;
    const char *report = report_of(arena, sample_record(arena, &hostile), format, &length);

    assert_int_equal(strlen(report), length); /* no NUL */
    assert_says_not(report, "<script>");      /* the page's own one has attributes */
    assert_says(report, "alert(1)");
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)report[i];

        if ((byte < 0x20 && byte != '\n') || byte == 0x7f)
            fail_msg("%s holds the control byte 0x%02x at %zu", format, byte, i);
        if (byte == 0xc2 && (unsigned char)report[i + 1] < 0xa0)
            fail_msg("%s holds a C1 control at %zu", format, i);
        if (byte == 0xff)
            fail_msg("%s holds a byte that is not UTF-8 at %zu", format, i);
    }
    if (strcmp(format, "json") != 0)
        assert_says_not(report, "\xe2\x80\xae"); /* right-to-left override */
    arena_destroy(arena);
}

static void html_never_holds_markup_or_controls_of_a_host(void **state)
{
    (void)state;
    expect_harmless("html");
}

static void text_never_holds_terminal_escapes_of_a_host(void **state)
{
    (void)state;
    expect_harmless("text");
}

static void json_never_holds_raw_markup_or_controls_of_a_host(void **state)
{
    (void)state;
    expect_harmless("json");
}

static void junit_never_holds_markup_or_controls_of_a_host(void **state)
{
    (void)state;
    expect_harmless("junit");
}

/* The schema allows keys of later versions; here a key that it does not know is one that nobody documented. */
static struct json *strict_schema(struct arena *arena)
{
    static const char loose[] = "\"additionalProperties\": true", strict[] = "\"additionalProperties\":false";
    cleanup_text struct text text = {0};
    struct error err = {0};
    struct json *schema;

    text_init(&text, 1 << 20);
    if (file_read(REPORT_SCHEMA, &text, &err) < 0)
        fail_msg("%s", err.text);
    for (char *at = text.bytes; (at = strstr(at, loose)) != NULL;)
        memcpy(at, strict, sizeof strict - 1);
    schema = json_parse(arena, "report.schema.json", arena_strdup(arena, text.bytes), text.length, &err);
    if (schema == NULL)
        fail_msg("%s", err.text);
    return schema;
}

static void json_keeps_to_its_schema_and_has_no_key_beside_it(void **state)
{
    const struct sample *samples[] = {&faulty, &clean, &hostile};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct arena *arena = arena_create();
        struct json *report = json_of(arena, sample_record(arena, samples[i]));
        struct error err = {0};

        if (json_schema_check(strict_schema(arena), report, &err) < 0)
            fail_msg("%s", err.text);
        arena_destroy(arena);
    }
}

static void json_gives_hostile_strings_back_unchanged(void **state)
{
    struct arena *arena = arena_create();
    const struct json *report = json_of(arena, sample_record(arena, &hostile));
    const char *cluster = json_string(json_get(report, "run"), "hostfile", "");

    (void)state;
    assert_int_equal(strncmp(cluster, "<script>alert(1)</script>\x1b]0;evil\x07\"'&\xc2\x9b", 39), 0);
    arena_destroy(arena);
}

static void text_fits_a_terminal_of_80_columns(void **state)
{
    const struct sample *samples[] = {&faulty, &clean, &hostile};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct arena *arena = arena_create();
        const char *report = report_of(arena, sample_record(arena, samples[i]), "text", NULL);
        size_t column = 0;

        for (; *report != '\0'; report++) {
            column = *report == '\n' ? 0 : column + (((unsigned char)*report & 0xc0) != 0x80);
            assert_true(column <= 80);
        }
        arena_destroy(arena);
    }
}

static void what_waits_for_several_is_said_with_what_there_is_of_it(void **state)
{
    struct arena *arena = arena_create();
    const char *html = report_of(arena, sample_record(arena, &faulty), "html", NULL);

    (void)state;
    expect_contains(html, "not run because of more than one of the faults");
    assert_says_not(html, "several of these faults");
    arena_destroy(arena);
}

static void text_in_chinese_fits_too_and_says_no_english_of_its_own(void **state)
{
    static const char *const own[] = {"VERDICT", "FAILURES", "COVERAGE", "remedy", "measured with"};
    const struct sample *samples[] = {&faulty, &clean, &hostile};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct arena *arena = arena_create();
        cleanup_text struct text out = {0};
        char *line, *rest;

        text_init(&out, (size_t)1 << 24);
        report_format_find("text")->write(sample_record(arena, samples[i]), LANGUAGE_ZH, &out);
        assert_says(out.bytes, "验收结论：");
        for (size_t k = 0; k < ARRAY_SIZE(own); k++)
            assert_says_not(out.bytes, own[k]);
        for (line = strtok_r(out.bytes, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
            if (printable_width(line) > 80)
                fail_msg("%zu columns: %s", printable_width(line), line);
        arena_destroy(arena);
    }
}

/* -- HTML -------------------------------------------------------------------------------------------------
 */

static bool is_void(struct slice name)
{
    static const char *const names[] = {"meta", "link", "br", "wbr", "col", "!DOCTYPE"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (slice_equal(name, names[i]))
            return true;
    return false;
}

/* Every tag that opens is closed, in order; attribute values are quoted; '<' is nowhere else but in the script. */
static void expect_balanced(const char *html)
{
    struct slice open[64];
    size_t depth = 0;

    for (const char *at = strchr(html, '<'); at != NULL; at = strchr(at, '<')) {
        bool closing = at[1] == '/';
        const char *name = at + 1 + closing, *end = at;
        struct slice word = {name, strcspn(name, " >/")};

        for (bool quoted = false; *end != '\0' && (quoted || *end != '>'); end++)
            quoted ^= *end == '"';
        assert_int_equal(*end, '>');
        if (closing) {
            assert_true(depth > 0);
            depth--;
            if (open[depth].length != word.length || memcmp(open[depth].bytes, word.bytes, word.length) != 0)
                fail_msg("</%.*s> closes <%.*s>", slice_print(word), slice_print(open[depth]));
        } else if (!is_void(word) && end[-1] != '/') {
            assert_true(depth < 64);
            open[depth++] = word;
        }
        at = slice_equal(word, "script") && !closing ? strstr(end, "</script>") : end;
        assert_non_null(at);
    }
    assert_int_equal(depth, 0);
}

static void html_tags_are_balanced(void **state)
{
    struct arena *arena = arena_create();

    (void)state;
    expect_balanced(report_of(arena, sample_record(arena, &faulty), "html", NULL));
    expect_balanced(report_of(arena, sample_record(arena, &clean), "html", NULL));
    expect_balanced(report_of(arena, sample_record(arena, &hostile), "html", NULL));
    arena_destroy(arena);
}

/* Each href="#x" has an id="x", and no id is there twice. How many links there are. */
static size_t expect_links(const char *html)
{
    struct arena *arena = arena_create();
    size_t links = 0;

    for (const char *at = strstr(html, "href=\"#"); at != NULL; at = strstr(at + 1, "href=\"#"), links++) {
        size_t length = strcspn(at + 7, "\"");
        const char *id = arena_printf(arena, " id=\"%.*s\"", (int)length, at + 7);

        if (count_of(html, id) != 1)
            fail_msg("%s is there %zu times", id, count_of(html, id));
    }
    arena_destroy(arena);
    return links;
}

static void html_links_lead_somewhere(void **state)
{
    const struct sample *samples[] = {&faulty, &clean, &hostile};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct arena *arena = arena_create();

        assert_true(expect_links(report_of(arena, sample_record(arena, samples[i]), "html", NULL)) > 20);
        arena_destroy(arena);
    }
}

static void html_fetches_nothing(void **state)
{
    struct arena *arena = arena_create();
    const char *html = report_of(arena, sample_record(arena, &faulty), "html", NULL);

    (void)state;
    assert_says_not(html, "http:");
    assert_says_not(html, "https:");
    assert_says_not(html, " src=");
    assert_says_not(html, "@import");
    assert_says_not(strstr(html, "<script") + 1, "<script"); /* one, and that inside of the page */
    arena_destroy(arena);
}

/* -- Entries ----------------------------------------------------------------------------------------------
 */

static bool is_bad_gate(const struct record *record, const struct outcome *outcome)
{
    const struct shape *shape = record->plan->steps.items[outcome->step].shape;

    return shape->slots[outcome->slot].duty == DUTY_GATE && outcome->word != OUTCOME_PASS;
}

static void expect_each_once(const struct record *record, struct arena *arena)
{
    struct report_entry *entries;
    size_t count = report_entries(arena, record, &entries), bad = 0, listed = 0;
    unsigned *seen = arena_array(arena, unsigned, record->judgement.outcome_count);

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < entries[i].items; k++) {
            size_t index = (size_t)(entries[i].outcomes[k] - record->judgement.outcomes);

            assert_true(index < record->judgement.outcome_count);
            assert_int_equal(entries[i].word, record->judgement.outcomes[index].word);
            seen[index]++;
            listed++;
        }
    for (size_t i = 0; i < record->judgement.outcome_count; i++) {
        bool is_bad = is_bad_gate(record, &record->judgement.outcomes[i]);

        assert_int_equal(seen[i], is_bad ? 1 : 0);
        bad += is_bad;
    }
    assert_int_equal(listed, bad);
}

static void every_gate_that_did_not_pass_is_in_one_entry(void **state)
{
    struct arena *arena = arena_create();
    const struct sample large = {.hosts = 70, .units = 3, .faults = true};

    (void)state;
    expect_each_once(sample_record(arena, &faulty), arena);
    expect_each_once(sample_record(arena, &clean), arena);
    expect_each_once(sample_record(arena, &hostile), arena);
    expect_each_once(sample_record(arena, &large), arena);
    arena_destroy(arena);
}

static const struct report_entry *entry_find(struct arena *arena, const struct report_entry *entries,
                                             size_t count, const char *target, const char *check)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(reason_english(arena, entries[i].target), target) == 0 &&
            strcmp(entries[i].check, check) == 0)
            return &entries[i];
    fail_msg("no entry for %s, %s", target, check);
    return NULL;
}

static void one_fault_is_one_entry_worst_first(void **state)
{
    struct arena *arena = arena_create();
    struct report_entry *entries;
    size_t count = report_entries(arena, sample_record(arena, &faulty), &entries);
    const struct report_entry *pair = entry_find(arena, entries, count, "node3", "p2p-bandwidth"),
                              *burn = entry_find(arena, entries, count, "node6", "gpu-burn");

    (void)state;
    assert_int_equal(count, 10);
    assert_string_equal(entries[0].check, "isolation"); /* whom it names is an entry before all others */
    assert_int_equal(entries[0].items, 0);
    assert_string_equal(reason_english(arena, pair->subjects), "gpu2->gpu5, gpu5->gpu2");
    assert_int_equal(pair->items, 4);
    assert_string_equal(reason_english(arena, pair->source), "field: nccl#1264");
    assert_string_equal(reason_english(arena, burn->subjects), "gpu4");
    assert_int_equal(burn->items, 2);
    entry_find(arena, entries, count, "node5", "p2p-bandwidth, nccl-all-reduce, dcgm-diag, gpu-burn");
    entry_find(arena, entries, count, "8 hosts: node[1-8]",
               "nccl-all-reduce-cluster, nccl-all-gather-cluster");
    for (size_t i = 1; i < count; i++)
        assert_true(entries[i - 1].word >= entries[i].word);
    arena_destroy(arena);
}

/* A record whose p2p items fail as the test says. */
static struct record *with_pairs(struct arena *arena, bool (*fails)(const char *subject))
{
    struct record *record = sample_record(arena, &clean);

    for (size_t i = 0; i < record->judgement.outcome_count; i++) {
        struct outcome *outcome = &record->judgement.outcomes[i];
        const struct step *step = &record->plan->steps.items[outcome->step];
        const struct slot *slot = &step->shape->slots[outcome->slot];

        if (strcmp(step->members[0]->name, "node2") == 0 && slot->duty == DUTY_GATE &&
            strstr(slot->subject, "->") != NULL && fails(slot->subject)) {
            outcome->word = OUTCOME_FAIL;
            outcome->cause = reason_text(arena, arena_printf(arena, "%s is slow", slot->subject));
        }
    }
    return record;
}

static bool touches_gpu6(const char *subject)
{
    return strstr(subject, "gpu6") != NULL;
}

static bool any_pair(const char *subject)
{
    return *subject != '\0';
}

static bool two_pairs(const char *subject)
{
    return strcmp(subject, "gpu0->gpu1") == 0 || strcmp(subject, "gpu4->gpu7") == 0;
}

static void all_slow_pairs_of_one_gpu_are_one_entry(void **state)
{
    struct arena *arena = arena_create();
    struct report_entry *entries;

    (void)state;
    assert_int_equal(report_entries(arena, with_pairs(arena, touches_gpu6), &entries), 1);
    assert_int_equal(entries[0].items, 28);
    assert_int_equal(report_entries(arena, with_pairs(arena, any_pair), &entries), 1);
    assert_int_equal(entries[0].items, 112);
    assert_int_equal(report_entries(arena, with_pairs(arena, two_pairs), &entries), 2);
    arena_destroy(arena);
}

static void an_equal_fault_on_many_hosts_is_one_entry(void **state)
{
    const struct sample large = {.hosts = 70, .units = 3};
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &large);
    struct report_entry *entries;

    (void)state;
    for (size_t i = 0; i < record->judgement.outcome_count; i++) {
        struct outcome *outcome = &record->judgement.outcomes[i];
        const struct shape *shape = record->plan->steps.items[outcome->step].shape;

        if (strcmp(shape->slots[outcome->slot].metric, "driver.version") == 0) {
            outcome->word = OUTCOME_FAIL;
            outcome->cause = reason_text(arena, "driver 470.57.02 is older than 525.60.13");
        }
    }
    assert_int_equal(report_entries(arena, record, &entries), 1);
    assert_string_equal(reason_english(arena, entries[0].target), "70 hosts: node[1-70]");
    arena_destroy(arena);
}

/* Each of a thousand hosts tells a number and a name of its own. */
static void hosts_that_differ_by_name_and_number_only_are_one_entry(void **state)
{
    const struct sample large = {.hosts = 70, .units = 3};
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &large);
    struct report_entry *entries;

    (void)state;
    for (size_t i = 0; i < record->judgement.outcome_count; i++) {
        struct outcome *outcome = &record->judgement.outcomes[i];
        const struct step *step = &record->plan->steps.items[outcome->step];

        if (strcmp(step->shape->slots[outcome->slot].metric, "driver.version") != 0)
            continue;
        outcome->word = OUTCOME_FAIL;
        outcome->value = 100 + (double)i;
        outcome->measured = reason_text(arena, arena_printf(arena, "%g GB/s", outcome->value));
        outcome->cause = reason_text(arena, arena_printf(arena, "%g GB/s on %s, expected >= 300 GB/s",
                                                         outcome->value, step->members[0]->name));
    }
    assert_int_equal(report_entries(arena, record, &entries), 1);
    assert_string_equal(reason_english(arena, entries[0].target), "70 hosts: node[1-70]");
    assert_says(reason_english(arena, entries[0].cause), "(and 67 more)");
    arena_destroy(arena);
}

/* -- Counts and verdicts ----------------------------------------------------------------------------------
 */

static double count_in(const struct json *report, const char *name)
{
    return json_number(json_get(report, "coverage"), name, -1);
}

static void json_counts_agree_with_its_outcomes(void **state)
{
    static const char *const words[] = {"pass", "fail", "inconclusive", "not run"}, *const keys[] = {
                                                                                        "pass", "fail",
                                                                                        "inconclusive",
                                                                                        "not_run"};
    struct arena *arena = arena_create();
    const struct record *record = sample_record(arena, &faulty);
    const struct json *report = json_of(arena, record), *outcomes = json_get(report, "outcomes");
    double sum = 0;

    (void)state;
    assert_int_equal(json_number(report, "schema", 0), 2);
    assert_int_equal(outcomes->count, record->judgement.outcome_count);
    for (size_t i = 0; i < 4; i++) {
        double counted = 0;

        json_each (outcome, outcomes)
            counted += strcmp(json_string(outcome, "outcome", ""), words[i]) == 0;
        assert_int_equal(counted, count_in(report, keys[i]));
        sum += counted;
    }
    assert_int_equal(sum, count_in(report, "gates"));
    assert_int_equal(outcomes->count - sum, count_in(report, "recorded"));
    assert_int_equal(count_in(report, "fail"), 10);
    assert_string_equal(json_string(report, "verdict", ""), "reject");
    assert_int_equal(json_number(report, "exit_status", -1), 1);
    arena_destroy(arena);
}

static void json_gives_every_outcome_its_gate_and_evidence(void **state)
{
    struct arena *arena = arena_create();
    const struct json *report = json_of(arena, sample_record(arena, &faulty));
    size_t judged = 0;

    (void)state;
    json_each (outcome, json_get(report, "outcomes")) {
        const struct json *evidence = json_get(outcome, "evidence");

        assert_non_null(json_get(outcome, "gate"));
        assert_non_null(evidence);
        if (strcmp(json_string(outcome, "outcome", ""), "pass") != 0 &&
            strcmp(json_string(outcome, "outcome", ""), "fail") != 0)
            continue;
        assert_true(*json_string(outcome, "gate", "") != '\0');
        assert_true(evidence->count > 0);
        json_each (item, evidence)
            assert_int_equal(strlen(item->string), 64);
        judged++;
    }
    assert_true(judged > 1000);
    arena_destroy(arena);
}

/* A reason in a reason, and a text in it. */
static void json_tells_what_is_said_by_code_and_arguments_too(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &clean);
    const struct json *outcome, *arguments;

    (void)state;
    record->judgement.outcomes[0].word = OUTCOME_FAIL;
    record->judgement.outcomes[0].cause =
        reason(arena, about, "gpu3", reason(arena, in_all_attempts, 2, reason(arena, text, "<broken>")));
    outcome = json_get(json_of(arena, record), "outcomes")->items;
    assert_string_equal(json_string(outcome, "cause", ""), "gpu3: in all 2 attempts: <broken>");
    assert_string_equal(json_string(outcome, "cause_code", ""), "about");
    arguments = json_get(outcome, "cause_args");
    assert_int_equal(arguments->count, 2);
    assert_string_equal(arguments->items->string, "gpu3");
    assert_string_equal(json_string(arguments->items->next, "code", ""), "in_all_attempts");
    arguments = json_get(arguments->items->next, "args");
    assert_int_equal(arguments->count, 2);
    assert_string_equal(arguments->items->string, "2");
    assert_string_equal(arguments->items->next->string, "<broken>");
    assert_string_equal(json_string(outcome, "duty_note_code", "?"), "");
    assert_int_equal(json_get(outcome, "duty_note_args")->count, 0);
    arena_destroy(arena);
}

/* As of a remark on a remark on a remark: a program gets all of it, and the writer does not end. */
static void json_of_a_reason_that_is_very_deep_is_cut_into_text(void **state)
{
    enum { DEPTH = 60 };
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &clean);
    const struct reason *cause = reason(arena, text, "the first");
    const struct json *at;
    size_t depth = 0;

    (void)state;
    for (size_t i = 0; i < DEPTH; i++)
        cause = reason(arena, noted, cause, "next");
    record->judgement.outcomes[0].word = OUTCOME_FAIL;
    record->judgement.outcomes[0].cause = cause;
    at = json_get(json_get(json_of(arena, record), "outcomes")->items, "cause_args");
    for (; at->items->type == JSON_OBJECT; depth++)
        at = json_get(at->items, "args");
    assert_in_range(depth, 4, 20);
    assert_int_equal(strncmp(at->items->string, "the first (next)", strlen("the first (next)")), 0);
    arena_destroy(arena);
}

/* Where a long name may be broken is no part of it. */
static const char *without_breaks(struct arena *arena, const char *html)
{
    static const char mark[] = "<wbr>";
    char *text = arena_strdup(arena, html), *at = text;

    while ((at = strstr(at, mark)) != NULL)
        memmove(at, at + strlen(mark), strlen(at + strlen(mark)) + 1);
    return text;
}

static void every_gate_that_did_not_pass_is_named_in_every_format(void **state)
{
    static const char *const formats[] = {"html", "text", "json"};
    struct arena *arena = arena_create();
    const struct record *record = sample_record(arena, &faulty);

    (void)state;
    for (size_t f = 0; f < 3; f++) {
        const char *report = without_breaks(arena, report_of(arena, record, formats[f], NULL));
        size_t named = 0;

        if (f < 2) /* the part before the tables that name everything */
            *strstr(report, f == 0 ? "<section id=\"coverage\"" : "\nHOSTS AND STEPS") = '\0';
        for (size_t i = 0; i < record->judgement.outcome_count; i++) {
            const struct outcome *outcome = &record->judgement.outcomes[i];
            const struct step *step = &record->plan->steps.items[outcome->step];

            if (!is_bad_gate(record, outcome))
                continue;
            named++;
            /* As text a test that did not run is told as one. */
            if (strcmp(formats[f], "text") != 0 || outcome->word != OUTCOME_NOT_RUN)
                expect_contains(report, step->shape->slots[outcome->slot].metric);
            expect_contains(report, step->shape->suite_step);
            if (step->member_count == 1)
                expect_contains(report, step->members[0]->name);
        }
        assert_int_equal(named, 206);
    }
    arena_destroy(arena);
}

static void a_failure_shows_measured_value_gate_and_source(void **state)
{
    struct arena *arena = arena_create();
    const struct record *record = sample_record(arena, &faulty);
    const char *html = report_of(arena, record, "html", NULL), *text = report_of(arena, record, "text", NULL);

    (void)state;
    expect_contains(html, "12.1 GB/s");
    expect_contains(html, "&gt;= 345 GB/s");
    expect_contains(html, "field: nccl#1264");
    expect_contains(html, PAIR("gpu2", "gpu5") ", " PAIR("gpu5", "gpu2"));
    expect_contains(text, "p2p.unidirectional.enabled >= 345 GB/s (field: nccl#1264)");
    expect_contains(text, "VERDICT: REJECT");
    arena_destroy(arena);
}

static void what_was_sampled_is_drawn_and_the_worst_gpu_is_named(void **state)
{
    struct arena *arena = arena_create();
    const char *html = report_of(arena, sample_record(arena, &clean), "html", NULL);

    (void)state;
    assert_int_equal(count_of(html, "<svg class=\"plot course\""), 2 * clean.hosts);
    assert_int_equal(count_of(html, "highest: gpu6, 86 C"), clean.hosts);
    assert_int_equal(count_of(html, "lowest: gpu6, 1785 MHz"), clean.hosts);
    expect_contains(html, "300 s"); /* from the first point to the last */
    arena_destroy(arena);
}

static void what_was_sampled_in_a_large_run_is_drawn_where_a_test_did_not_pass(void **state)
{
    struct sample large = {.hosts = 40, .units = 2, .faults = true};
    struct arena *arena = arena_create();
    const char *html = report_of(arena, sample_record(arena, &large), "html", NULL);
    size_t drawn = count_of(html, "<svg class=\"plot course\"");

    (void)state;
    assert_true(drawn > 0 && drawn < 20);
    arena_destroy(arena);
}

static void whom_isolation_accuses_is_named_in_every_format(void **state)
{
    struct arena *arena = arena_create();
    const struct record *record = sample_record(arena, &faulty);
    const struct json *report = json_of(arena, record), *accused = json_get(report, "accusations")->items;
    const char *html = report_of(arena, record, "html", NULL), *text = report_of(arena, record, "text", NULL);

    (void)state;
    assert_says(html, "Isolation suspects path node3 - node4.");
    assert_says(html, "2 hosts: node[1-2]");
    assert_says(text, "SUSPECT       path node3 - node4: it slows nccl-all-gather-cluster");
    assert_says(text, "candidates    2 hosts: node[1-2]");
    assert_string_equal(json_string(accused, "kind", ""), "link");
    assert_string_equal(json_string(accused, "subject", ""), "node3 - node4");
    assert_string_equal(json_string(json_get(report, "searches")->items, "candidates", ""),
                        "2 hosts: node[1-2]");
    html = report_of(arena, sample_record(arena, &clean), "html", NULL);
    assert_says_not(html, "Isolation");
    arena_destroy(arena);
}

static void a_search_among_the_same_hosts_does_not_list_them_again(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &faulty);
    struct search twice[] = {record->judgement.searches[0], record->judgement.searches[0]};
    const struct step *step = &record->plan->steps.items[twice[0].step];
    const char *text;

    (void)state;
    record->judgement.searches = twice;
    record->judgement.search_count = ARRAY_SIZE(twice);
    text = report_of(arena, record, "text", NULL);
    assert_int_equal(count_of(text, arena_printf(arena, "on %s, by ", step_target(arena, step))),
                     2); /* the method too */
    expect_contains(text, arena_printf(arena, "on the same %zu hosts, by ", step->member_count));
    arena_destroy(arena);
}

/* The failed step of node7 again: both attempts are printed, the better one too. */
static void every_attempt_of_a_retest_is_printed(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &faulty);
    const char *html, *text;
    size_t failed = record->attempts.count,
           before = count_of(report_of(arena, record, "html", NULL), ">1 of 2</a>");

    (void)state;
    assert_says_not(report_of(arena, sample_record(arena, &clean), "text", NULL), "RETESTS");
    for (size_t i = 0; i < record->attempts.count; i++) {
        const struct step *step = &record->plan->steps.items[record->attempts.items[i].step];

        if (strcmp(step->shape->suite_step, "nccl-all-reduce") == 0 &&
            strcmp(step->members[0]->name, "node7") == 0)
            failed = i;
    }
    assert_true(failed < record->attempts.count);
    record->attempts.items[failed].n = 1;
    *list_push(arena, &record->attempts) = record->attempts.items[failed];
    record->attempts.items[record->attempts.count - 1].n = 2;
    html = report_of(arena, record, "html", NULL);
    text = report_of(arena, record, "text", NULL);
    assert_says(text, "RETESTS (every attempt");
    assert_says(text, "node7, nccl-all-reduce, attempt 1 of 2");
    assert_says(text, "node7, nccl-all-reduce, attempt 2 of 2");
    assert_says(html, "Retests: every attempt");
    assert_int_equal(count_of(html, ">1 of 2</a>"), before + 1);
    assert_int_equal(count_of(html, ">2 of 2</a>"), before + 1);
    assert_says(strstr(html, "id=\"retests\""), "nccl.all_reduce.busbw: ");
    arena_destroy(arena);
}

static void the_first_page_says_what_is_signed(void **state)
{
    struct arena *arena = arena_create();
    const struct record *record = sample_record(arena, &faulty);
    char *report = arena_strdup(arena, report_of(arena, record, "html", NULL));

    (void)state;
    *strstr(report, "<section id=\"failures\"") = '\0';
    expect_contains(report, "8 in 2 units");
    expect_contains(report, "64 identified, 64 declared");
    expect_contains(report, "1,492, of which");
    expect_contains(report, record->documents.items[1].sha256); /* the suite */
    expect_contains(report, "For the supplier");
    expect_contains(report, "For the customer");
    arena_destroy(arena);
}

static void a_failure_names_the_hardware_and_leaves_room_for_who_mends_it(void **state)
{
    struct arena *arena = arena_create();
    const char *report = report_of(arena, sample_record(arena, &faulty), "html", NULL);
    const char *burn = strstr(report, "node6 <span class=\"sep\">"),
               *end = burn != NULL ? strstr(burn, "</article>") : NULL;

    (void)state;
    assert_non_null(end);
    report = arena_strndup(arena, burn, (size_t)(end - burn));
    expect_contains(report, "node6, gpu4, serial 1652923000052");
    assert_says_not(report, "gpu3, serial");
    expect_contains(report, "To be fixed");
    arena_destroy(arena);
}

/* The step of that name fails on that host, and has another name. */
static void let_fail(struct record *record, const char *name, const char *host, const char *new_name)
{
    struct judgement *judgement = &record->judgement;

    for (size_t i = 0; i < judgement->outcome_count; i++) {
        const struct step *step = &record->plan->steps.items[judgement->outcomes[i].step];

        if (strcmp(step->shape->suite_step, name) == 0 && strcmp(step->members[0]->name, host) == 0 &&
            step->shape->slots[judgement->outcomes[i].slot].duty == DUTY_GATE)
            judgement->outcomes[i].word = OUTCOME_FAIL;
    }
    for (size_t i = 0; i < record->plan->steps.count; i++) {
        struct shape *shape = (struct shape *)(uintptr_t)record->plan->steps.items[i].shape;

        if (strcmp(shape->suite_step, name) == 0)
            shape->suite_step = new_name;
    }
}

/* Of a scheduler only where the hostfile says so; the commands are whole lines. */
static void hosts_that_failed_are_taken_out_of_use_by_their_scheduler(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &faulty);
    const char *formats[] = {"text", "html"};

    (void)state;
    assert_says_not(report_of(arena, record, "text", NULL), "state=drain");
    for (size_t i = 0; i < record->plan->hosts.count; i++) {
        struct host *host = arena_new(arena, struct host);
        const struct host *old = record->plan->hosts.items[i];

        *host = *old;
        host->scheduler = strcmp(host->name, "node8") == 0 ? SCHEDULER_KUBERNETES : SCHEDULER_SLURM;
        record->plan->hosts.items[i] = host;
        for (size_t k = 0; k < record->plan->steps.count; k++)
            for (size_t m = 0; m < record->plan->steps.items[k].member_count; m++)
                if (record->plan->steps.items[k].members[m] == old)
                    ((const struct host **)(uintptr_t)record->plan->steps.items[k].members)[m] = host;
    }
    for (size_t i = 0; i < 2; i++) {
        const char *report = report_of(arena, record, formats[i], NULL);

        expect_contains(report, "scontrol update nodename=node6 state=drain reason=");
        expect_contains(report, "kubectl cordon node8\n");
        expect_contains(report, "# RMA: node6 gpu");
        assert_says_not(report, "nodename=node1 "); /* it did not fail */
    }
    expect_contains(report_of(arena, record, "text", NULL), "\nscontrol update nodename=node6 state=drain ");
    let_fail(record, "dcgm-diag", "node6", "line-elsewhere");
    let_fail(record, "gpu-burn", "node6", "line");
    expect_contains(report_of(arena, record, "text", NULL), ": line-elsewhere, line'");
    for (const char *const *line =
             (const char *const[]){"\"kubectl cordon node8\"", "\"# RMA: node6 gpu",
                                   "\"scontrol update nodename=node6 state=drain reason=", NULL};
         *line != NULL; line++)
        expect_contains(strstr(report_of(arena, record, "json", NULL), "\"out_of_use\": ["), *line);
    arena_destroy(arena);
}

/* What is folded on the screen, and what links lead to, would be missing there. */
static void a_card_on_paper_has_its_gates_and_how_to_read_the_outputs(void **state)
{
    struct arena *arena = arena_create();
    const char *report = report_of(arena, sample_record(arena, &faulty), "html", NULL), *at, *end, *card;

    (void)state;
    at = strstr(report, "GPU 2 -&gt; GPU 5 copies at 12.1 GB/s; required \xe2\x89\xa5 345 GB/s</p>");
    assert_non_null(at);
    end = strstr(at, "</article>");
    assert_non_null(end);
    card = arena_strndup(arena, at, (size_t)(end - at));
    expect_contains(card, "<span class=\"on-paper\"><code>assay logs 12 node3 p2p-bandwidth</code></span>");
    at = strstr(card, "<div class=\"on-paper\">");
    assert_non_null(at);
    end = strstr(at, "</div>");
    assert_non_null(end);
    card = arena_strndup(arena, at, (size_t)(end - at));
    for (const char *const *cell =
             (const char *const[]){"p2p.<wbr>unidirectional.<wbr>enabled",
                                   PAIR("gpu2", "gpu5") ", " PAIR("gpu5", "gpu2"), "12.1 GB/s to 12.2 GB/s",
                                   "&gt;= 345 GB/s", "field: nccl#1264", NULL};
         *cell != NULL; cell++)
        expect_contains(card, *cell);
    arena_destroy(arena);
}

static void a_large_run_keeps_every_attempt_with_its_hash(void **state)
{
    struct arena *arena = arena_create();
    const struct record *record =
        sample_record(arena, &(struct sample){.hosts = 210, .units = 4, .faults = true});
    const char *report = report_of(arena, record, "html", NULL), *at;

    (void)state;
    at = strstr(report, "<section id=\"evidence\"");
    assert_non_null(at);
    assert_true(record->attempts.count > 2000);
    assert_int_equal(count_of(at, "<tbody id=\"e"), record->attempts.count);
    for (size_t i = 0; i < record->attempts.count; i += 97)
        expect_contains(at, record->attempts.items[i].captures[0].sha256);
    /* What did not pass is told in full. */
    expect_contains(at, "tests&quot; (line 212)");
    arena_destroy(arena);
}

static void a_clean_run_says_accept_and_lists_no_failure(void **state)
{
    struct arena *arena = arena_create();
    const struct record *record = sample_record(arena, &clean);
    struct report_entry *entries;

    (void)state;
    assert_int_equal(report_entries(arena, record, &entries), 0);
    expect_contains(report_of(arena, record, "text", NULL), "VERDICT: ACCEPT\n");
    expect_contains(report_of(arena, record, "html", NULL), "No gate failed.");
    assert_string_equal(json_string(json_of(arena, record), "verdict", ""), "accept");
    arena_destroy(arena);
}

/* -- Records that cannot be taken at their word -----------------------------------------------------------
 */

static void expect_verdict(struct arena *arena, const struct record *record, const char *verdict)
{
    const struct json *report = json_of(arena, record);

    assert_string_equal(json_string(report, "verdict", ""), verdict);
    assert_true(*json_string(report, "verdict_note", "") != '\0');
    expect_contains(report_of(arena, record, "html", NULL), json_string(report, "verdict_note", ""));
}

static void a_run_without_judgement_is_not_accepted(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &clean);

    (void)state;
    record->judgement = (struct judgement){0};
    expect_verdict(arena, record, "incomplete");
    assert_int_equal(count_in(json_of(arena, record), "pass"), 0);
    arena_destroy(arena);
}

static void an_accept_that_its_outcomes_deny_is_not_shown(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &clean);

    (void)state;
    record->judgement.outcome_count--; /* the last item was never judged */
    expect_verdict(arena, record, "incomplete");
    record->judgement.outcomes[0].word = OUTCOME_FAIL;
    expect_verdict(arena, record, "reject");
    arena_destroy(arena);
}

static void a_run_that_has_not_ended_is_not_accepted(void **state)
{
    static const enum run_state states[] = {RUN_RUNNING, RUN_INTERRUPTED, RUN_CANCELLED};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct arena *arena = arena_create();
        struct record *record = sample_record(arena, &clean);

        record->state = states[i];
        expect_verdict(arena, record, "incomplete");
        arena_destroy(arena);
    }
}

static void a_gate_that_was_only_recorded_is_no_pass(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &clean);

    (void)state;
    record->judgement.outcomes[0].word = OUTCOME_RECORDED;
    expect_verdict(arena, record, "incomplete");
    assert_int_equal(count_in(json_of(arena, record), "inconclusive"), 1);
    arena_destroy(arena);
}

static void an_empty_plan_is_not_accepted(void **state)
{
    static struct verdict accept = {.scope = "run", .name = "", .word = VERDICT_ACCEPT};
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &clean);

    (void)state;
    record->plan = arena_new(arena, struct plan);
    record->attempts.count = 0;
    record->judgement = (struct judgement){.verdicts = &accept, .verdict_count = 1};
    expect_verdict(arena, record, "incomplete");
    report_of(arena, record, "text", NULL);
    arena_destroy(arena);
}

static void a_running_attempt_shows_no_end(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &clean);

    (void)state;
    record->state = RUN_RUNNING;
    record->ended = 0;
    record->attempts.items[3].state = ATTEMPT_SENT;
    record->attempts.items[3].ended = 0;
    expect_contains(report_of(arena, record, "html", NULL), "no end seen");
    expect_contains(report_of(arena, record, "text", NULL), "not ended");
    arena_destroy(arena);
}

static void hosts_beyond_reading_share_rows_and_those_with_failures_do_not(void **state)
{
    const struct sample large = {.hosts = 70, .units = 2, .faults = true};
    struct arena *arena = arena_create();
    const char *html = report_of(arena, sample_record(arena, &large), "html", NULL);
    const char *matrix = strstr(html, "<section id=\"matrix\"");

    (void)state;
    assert_non_null(matrix);
    *strstr(matrix, "</section>") = '\0';
    expect_contains(matrix, "29 hosts: node[1,<wbr>4,<wbr>9-35]");
    expect_contains(matrix, "35 hosts: node[36-70]");
    expect_contains(matrix, "<th scope=\"row\">node3</th>");
    assert_int_equal(count_of(matrix, "<th scope=\"row\">node"), 6); /* 3, 5 to 8 and the undecided 2 */
    arena_destroy(arena);
}

/* The widths of all boxes of the map, and each sign that stands alone, are the cells of all hosts and steps. */
static void a_map_shows_every_host_of_a_large_run_and_leads_to_what_failed(void **state)
{
    enum { HOSTS = 300, STEPS = 10, CELL_WIDTH = 8 };
    const struct sample large = {.hosts = HOSTS, .units = 2, .faults = true};
    struct arena *arena = arena_create();
    const char *html = report_of(arena, sample_record(arena, &large), "html", NULL);
    const char *map = strstr(html, "</defs>"), *failed;
    size_t cells = 0;

    (void)state;
    assert_non_null(map);
    *strstr(map, "</figure>") = '\0';
    /* "M152 19h1000v12H152z": the boxes; the links over the columns end with "h-8z". */
    for (const char *at = strchr(map, 'h'); at != NULL; at = strchr(at + 1, 'h')) {
        char *end;
        size_t width = strtoul(at + 1, &end, 10);

        if (end > at + 1 && *end == 'v' && end[1 + strspn(end + 1, "0123456789")] == 'H')
            cells += width / CELL_WIDTH;
    }
    assert_int_equal(cells + 5 + 1, HOSTS * STEPS);
    assert_int_equal(count_of(map, ": fail</title>"), 5);
    assert_int_equal(count_of(map, ": inconclusive</title>"), 1);
    assert_int_equal(count_of(map, "tabindex=\"-1\""), HOSTS);
    failed = strstr(map, "<title>node3 p2p-bandwidth: fail</title>");
    assert_non_null(failed);
    while (strncmp(failed, "<a href=\"#e", strlen("<a href=\"#e")) != 0)
        failed--;
    failed = arena_printf(arena, " id=\"%.*s\"", (int)strcspn(failed + strlen("<a href=\"#"), "\""),
                          failed + strlen("<a href=\"#"));
    assert_int_equal(count_of(map + strlen(map) + 1, failed), 1);
    arena_destroy(arena);
}

/* The first failed gate of the sample, and of its verdicts only what a waiver of it leaves. */
static struct record *waived_record(struct arena *arena)
{
    struct record *record = sample_record(arena, &clean);
    struct outcome *outcome = &record->judgement.outcomes[0];
    struct waiver *waiver = list_push(arena, &record->waivers);

    while (record->plan->steps.items[outcome->step].shape->slots[outcome->slot].duty != DUTY_GATE)
        outcome++;
    *waiver = (struct waiver){.uuid = "0b5a-waiver",
                              .step_key = record->plan->steps.items[outcome->step].key,
                              .attempt = "a",
                              .who = "Li Wei",
                              .why = "replaced in <week> 20",
                              .made = 1772366400,
                              .until = 1775044800};
    outcome->word = OUTCOME_FAIL;
    outcome->cause = reason_text(arena, "it is too slow");
    outcome->waiver = waiver;
    record->judgement.verdicts[0].word = VERDICT_ACCEPT_WITH_EXCEPTIONS;
    return record;
}

/* A site of 20,000 is read by its units and by what is wrong; each host one by one would be 100 MB. */
static void of_a_site_only_hosts_that_did_not_pass_are_told_one_by_one(void **state)
{
    const struct sample site = {.hosts = 2600, .units = 26, .faults = true};
    struct arena *arena = arena_create();
    const struct record *record = sample_record(arena, &site);
    const char *html = report_of(arena, record, "html", NULL),
               *evidence = strstr(html, "<section id=\"evidence\"");
    const char *equipment = strstr(html, "<section id=\"equipment\"");

    (void)state;
    assert_true(strlen(html) < 3000000);
    expect_contains(html, "Of 2,600 hosts this section lists 6,");
    expect_contains(html, "assay report 12 -f json");
    assert_non_null(evidence);
    assert_says(evidence, ">node3<");
    assert_says(equipment, ">node8<");
    assert_says_not(evidence, ">node1000<");
    assert_says_not(equipment, ">node1000<");
    /* All of them are in the sums. */
    expect_contains(html, "2,594 ");
    expect_links(html);
    arena_destroy(arena);
}

static void of_a_site_on_which_nothing_passed_no_more_are_told_than_can_be_read(void **state)
{
    const struct sample site = {.hosts = 2600, .units = 26};
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &site);
    const char *html;

    (void)state;
    record->judgement.outcome_count = 0;
    html = report_of(arena, record, "html", NULL);
    expect_contains(html, "Of 2,600 hosts this section lists 2,500,");
    arena_destroy(arena);
}

static void a_waiver_is_shown_beside_what_it_covers_and_counted(void **state)
{
    struct arena *arena = arena_create();
    const struct record *record = waived_record(arena);
    const char *text = report_of(arena, record, "text", NULL), *html = report_of(arena, record, "html", NULL);
    struct json *json = json_of(arena, record);
    const struct json *entry = json_get(json, "entries")->items;

    (void)state;
    expect_contains(text, "VERDICT: ACCEPT WITH EXCEPTIONS: 1 WAIVER");
    expect_contains(text, "waived    Li Wei, until 2026-04-01 12:00:00 UTC: replaced in");
    expect_contains(html, "accept with exceptions: 1 waiver");
    expect_contains(html, "replaced in &lt;week&gt; 20");
    assert_string_equal(json_string(json, "verdict", ""), "accept with exceptions");
    assert_string_equal(json_string(entry, "outcome", ""), "fail");
    assert_says(json_string(entry, "waiver", ""), "Li Wei");
    assert_int_equal(json_get(json, "waivers")->count, 1);
    arena_destroy(arena);
}

static void a_verdict_that_forgets_a_failure_beside_a_waiver_is_not_shown(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = waived_record(arena);
    struct outcome *other = &record->judgement.outcomes[record->judgement.outcome_count - 1];

    (void)state;
    while (record->plan->steps.items[other->step].shape->slots[other->slot].duty != DUTY_GATE)
        other--;
    assert_null(other->waiver);
    other->word = OUTCOME_FAIL;
    other->cause = reason_text(arena, "broken");
    assert_string_equal(json_string(json_of(arena, record), "verdict", ""), "reject");
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_are_found_by_their_names),
        cmocka_unit_test(the_same_record_gives_the_same_bytes),
        cmocka_unit_test(a_report_that_is_written_while_it_is_made_has_the_same_bytes),
        cmocka_unit_test(all_samples_differ),
        cmocka_unit_test(html_never_holds_markup_or_controls_of_a_host),
        cmocka_unit_test(text_never_holds_terminal_escapes_of_a_host),
        cmocka_unit_test(json_never_holds_raw_markup_or_controls_of_a_host),
        cmocka_unit_test(junit_never_holds_markup_or_controls_of_a_host),
        cmocka_unit_test(json_keeps_to_its_schema_and_has_no_key_beside_it),
        cmocka_unit_test(json_gives_hostile_strings_back_unchanged),
        cmocka_unit_test(text_fits_a_terminal_of_80_columns),
        cmocka_unit_test(text_in_chinese_fits_too_and_says_no_english_of_its_own),
        cmocka_unit_test(html_tags_are_balanced),
        cmocka_unit_test(html_links_lead_somewhere),
        cmocka_unit_test(html_fetches_nothing),
        cmocka_unit_test(every_gate_that_did_not_pass_is_in_one_entry),
        cmocka_unit_test(one_fault_is_one_entry_worst_first),
        cmocka_unit_test(all_slow_pairs_of_one_gpu_are_one_entry),
        cmocka_unit_test(an_equal_fault_on_many_hosts_is_one_entry),
        cmocka_unit_test(hosts_that_differ_by_name_and_number_only_are_one_entry),
        cmocka_unit_test(json_counts_agree_with_its_outcomes),
        cmocka_unit_test(json_gives_every_outcome_its_gate_and_evidence),
        cmocka_unit_test(json_tells_what_is_said_by_code_and_arguments_too),
        cmocka_unit_test(json_of_a_reason_that_is_very_deep_is_cut_into_text),
        cmocka_unit_test(every_gate_that_did_not_pass_is_named_in_every_format),
        cmocka_unit_test(a_failure_shows_measured_value_gate_and_source),
        cmocka_unit_test(what_was_sampled_is_drawn_and_the_worst_gpu_is_named),
        cmocka_unit_test(what_was_sampled_in_a_large_run_is_drawn_where_a_test_did_not_pass),
        cmocka_unit_test(whom_isolation_accuses_is_named_in_every_format),
        cmocka_unit_test(a_search_among_the_same_hosts_does_not_list_them_again),
        cmocka_unit_test(every_attempt_of_a_retest_is_printed),
        cmocka_unit_test(the_first_page_says_what_is_signed),
        cmocka_unit_test(a_failure_names_the_hardware_and_leaves_room_for_who_mends_it),
        cmocka_unit_test(hosts_that_failed_are_taken_out_of_use_by_their_scheduler),
        cmocka_unit_test(a_card_on_paper_has_its_gates_and_how_to_read_the_outputs),
        cmocka_unit_test(a_large_run_keeps_every_attempt_with_its_hash),
        cmocka_unit_test(a_clean_run_says_accept_and_lists_no_failure),
        cmocka_unit_test(a_run_without_judgement_is_not_accepted),
        cmocka_unit_test(an_accept_that_its_outcomes_deny_is_not_shown),
        cmocka_unit_test(a_run_that_has_not_ended_is_not_accepted),
        cmocka_unit_test(a_gate_that_was_only_recorded_is_no_pass),
        cmocka_unit_test(an_empty_plan_is_not_accepted),
        cmocka_unit_test(a_running_attempt_shows_no_end),
        cmocka_unit_test(a_map_shows_every_host_of_a_large_run_and_leads_to_what_failed),
        cmocka_unit_test(what_waits_for_several_is_said_with_what_there_is_of_it),
        cmocka_unit_test(of_a_site_only_hosts_that_did_not_pass_are_told_one_by_one),
        cmocka_unit_test(of_a_site_on_which_nothing_passed_no_more_are_told_than_can_be_read),
        cmocka_unit_test(a_waiver_is_shown_beside_what_it_covers_and_counted),
        cmocka_unit_test(a_verdict_that_forgets_a_failure_beside_a_waiver_is_not_shown),
        cmocka_unit_test(hosts_beyond_reading_share_rows_and_those_with_failures_do_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
