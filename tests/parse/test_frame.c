/* SPDX-License-Identifier: Apache-2.0 */
/* The frame with a grammar of three words: "item" is one, "failed ..." a failure, "begin" another run. */
#include <string.h>

#include "../unit_test.h"
#include "frame.h"

struct listing {
    struct frame frame;
    unsigned items, lines;
};

static void read_line(void *state, struct slice line)
{
    struct listing *listing = state;

    if (slice_equal(line, "begin") && listing->items > 0)
        frame_next_run(listing);
    listing->lines++;
    listing->items += slice_equal(line, "item");
    if (slice_starts(line, "failed"))
        frame_fail(&listing->frame, line);
}

static bool is_whole(void *state, struct slice tail)
{
    (void)state;
    return slice_equal(tail, "item");
}

static void end(void *state)
{
    struct listing *listing = state;

    reading_count(listing->frame.reading, "items", listing->items);
    reading_count(listing->frame.reading, "lines", listing->lines);
    if (listing->items == 0)
        frame_strange(&listing->frame);
    frame_lacks_end(&listing->frame);
    if (listing->items == 1)
        reading_lacks(listing->frame.reading,
                      reason_text(listing->frame.reading->arena, "one item is not enough"));
}

enum { RAW = FRAME_RAW | FRAME_RUNS, DOCUMENT = FRAME_RUNS, STREAM = FRAME_RUNS | FRAME_STREAM };

static const struct reading *read_text(const char *text, unsigned flags)
{
    static struct arena *arena;
    static struct reading reading;
    struct grammar grammar = {.state_bytes = sizeof(struct listing),
                              .flags = flags,
                              .line = read_line,
                              .is_whole = is_whole,
                              .end = end};
    struct parser parser = {.name = "test", .grammar = &grammar};

    arena_destroy(arena);
    arena = arena_create();
    parser_run(&parser, slice_of(text), arena, &reading);
    return &reading;
}

static void assert_reading(const struct reading *reading, enum reading_status status, const char *reason)
{
    assert_int_equal(reading->status, status);
    assert_string_equal(reason_english(reading->arena, reading->reason), reason);
}

static void what_weighs_most_stands_and_of_the_same_weight_what_is_said_first(void **state)
{
    struct arena *arena = arena_create();
    struct reading reading;

    (void)state;
    reading_init(&reading, arena, "test");
    reading_whole(&reading);
    assert_reading(&reading, READING_COMPLETE, "");
    reading_lacks(&reading, reason_text(arena, "3 rows"));
    reading_lacks(&reading, reason_text(arena, "the end"));
    assert_reading(&reading, READING_PARTIAL, "3 rows");
    reading_strange(&reading, reason_text(arena, "not ours"));
    reading_lacks(&reading, reason_text(arena, "the end"));
    assert_reading(&reading, READING_UNRECOGNISED, "not ours");
    reading_failed(&reading, reason_text(arena, "crashed"));
    reading_strange(&reading, reason_text(arena, "not ours"));
    reading_failed(&reading, reason_text(arena, "crashed again"));
    assert_reading(&reading, READING_FAILED, "crashed");
    arena_destroy(arena);
}

static void lines_are_trimmed_and_none_is_blank_unless_they_are_asked_for_as_they_are(void **state)
{
    (void)state;
    assert_string_equal(reading_get_fact(read_text("item\n\n  item \n", DOCUMENT), "items", ""), "2");
    assert_string_equal(reading_get_fact(read_text("item\n\n  item \n", DOCUMENT), "lines", ""), "2");
    assert_string_equal(reading_get_fact(read_text("item\n\n  item \n", RAW), "items", ""), "1");
    assert_string_equal(reading_get_fact(read_text("item\n\n  item \n", RAW), "lines", ""), "3");
}

static void the_last_line_counts_when_it_is_ended_or_can_be_no_other(void **state)
{
    static const unsigned flags[] = {DOCUMENT, STREAM};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
        assert_reading(read_text("item\nitem\nmo", flags[i]), READING_PARTIAL, "the last line is incomplete");
        assert_reading(read_text("item\nitem", flags[i]), READING_COMPLETE, "");
        assert_reading(read_text("item\nitem\n  ", flags[i]), READING_COMPLETE, "");
    }
}

static void a_text_without_anything_of_the_tool_shows_its_first_line(void **state)
{
    (void)state;
    assert_reading(read_text("\n  other\nmore\n", STREAM), READING_UNRECOGNISED, "other");
    assert_reading(read_text("other", DOCUMENT), READING_UNRECOGNISED, "other");
    assert_reading(read_text("", STREAM), READING_UNRECOGNISED, "empty");
}

static void each_run_has_its_own_state_failure_and_status(void **state)
{
    const struct reading *reading =
        read_text("item\nfailed once\nfailed twice\nbegin\nitem\nitem\nbegin\nitem\n", STREAM);

    (void)state;
    assert_int_equal(reading->runs.count, 3);
    assert_reading(&reading->runs.items[0], READING_FAILED, "failed once");
    assert_reading(&reading->runs.items[1], READING_COMPLETE, "");
    assert_reading(&reading->runs.items[2], READING_PARTIAL, "one item is not enough");
    assert_string_equal(reading_get_fact(&reading->runs.items[1], "items", ""), "2");
    assert_reading(reading, READING_FAILED, "run 1 of 3: failed once");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_weighs_most_stands_and_of_the_same_weight_what_is_said_first),
        cmocka_unit_test(lines_are_trimmed_and_none_is_blank_unless_they_are_asked_for_as_they_are),
        cmocka_unit_test(the_last_line_counts_when_it_is_ended_or_can_be_no_other),
        cmocka_unit_test(a_text_without_anything_of_the_tool_shows_its_first_line),
        cmocka_unit_test(each_run_has_its_own_state_failure_and_status),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("frame", tests, NULL, NULL);
}
