/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit_test.h"
#include "assay/report/site.h"

#include <string.h>

#include "sample_record.h"

static void a_plain_word_is_its_own_name(void **state)
{
    static const char *const words[] = {
        "node1", "gpu-burn", "a", "rack7.node_3", "0", "nccl-all-reduce-cluster", "context"};
    struct arena *arena = arena_create();

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        assert_string_equal(site_name(arena, words[i]), words[i]);
    arena_destroy(arena);
}

/* Each is another file, also on a file system without capitals, and none leads out of its folder. */
static void any_other_word_has_a_name_of_its_own(void **state)
{
    static const char *const words[] = {"",
                                        ".",
                                        "..",
                                        "../x",
                                        "/etc/passwd",
                                        "a/b",
                                        "a\\b",
                                        "Node1",
                                        "NODE1",
                                        ".node1",
                                        "node1.",
                                        "-rf",
                                        "con",
                                        "nul.txt",
                                        "com1",
                                        "lpt9.x",
                                        "a b",
                                        "a  b",
                                        "a\nb",
                                        "\xff\xfe",
                                        "<b>",
                                        "a=b",
                                        "a%2fb",
                                        "a#b",
                                        "a?b",
                                        "_a",
                                        "\x1b[2J",
                                        "node1=0000000000000000",
                                        "\xe4\xb8\xbb"};
    struct arena *arena = arena_create();
    const char *names[ARRAY_SIZE(words)];

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        names[i] = site_name(arena, words[i]);
        assert_true(strlen(names[i]) > 17 && strlen(names[i]) < 120);
        assert_int_equal(strspn(names[i], "abcdefghijklmnopqrstuvwxyz0123456789-=._"), strlen(names[i]));
        assert_int_equal(names[i][strlen(names[i]) - 17], '=');
        assert_null(strchr("-=._", names[i][0]));
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(names[i], names[k]);
    }
    arena_destroy(arena);
}

static void a_long_word_is_cut_and_told_from_others_with_its_beginning(void **state)
{
    struct arena *arena = arena_create();
    char first[4096], second[4096];

    (void)state;
    memset(first, 'x', sizeof first - 1);
    first[sizeof first - 1] = '\0';
    memcpy(second, first, sizeof first);
    second[sizeof second - 2] = 'y';
    assert_true(strlen(site_name(arena, first)) < 120);
    assert_string_not_equal(site_name(arena, first), site_name(arena, second));
    arena_destroy(arena);
}

static void every_output_of_a_run_has_a_place_of_its_own(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &(struct sample){.hosts = 4, .units = 1, .faults = true});
    struct site_place place;
    size_t count = 0;

    (void)state;
    for (size_t i = 0; i < record->attempts.count; i++)
        record->attempts.items[i].captures[0].length = 1;
    /* The same test comes again on the same hosts, as a search or a repeat does it. */
    record->plan->steps.items[1].shape = record->plan->steps.items[0].shape;
    record->plan->steps.items[1].members = record->plan->steps.items[0].members;
    record->plan->steps.items[1].member_count = record->plan->steps.items[0].member_count;
    site_place_of(arena, record, &place);
    for (size_t i = 0; i < record->attempts.count; i++)
        for (size_t k = 0; k < i; k++)
            if (record->attempts.items[i].step != record->attempts.items[k].step ||
                record->attempts.items[i].n != record->attempts.items[k].n) {
                assert_string_not_equal(place.outputs[SITE_STDOUT][i], place.outputs[SITE_STDOUT][k]);
                count++;
            }
    assert_true(count > 100);
    arena_destroy(arena);
}

/* 54 MB of 20,000 hosts otherwise, which nobody opens. */
static void of_very_many_parts_those_stand_in_the_list_that_have_a_story(void **state)
{
    enum { PARTS = 25001, MOVED = 12345 };
    static const struct history_subject known = {"GPU", "node1 gpu0", 1};
    struct arena *arena = arena_create();
    struct history history = {0};
    struct site_history shown = {.history = &history};
    struct text out = {0};

    (void)state;
    for (size_t i = 0; i < PARTS; i++) {
        const char *name = arena_printf(arena, "GPU-%zu.", i);

        *list_push(arena, &shown.subjects) = (struct site_subject){
            .kind = SITE_PART, .name = name, .path = "x.html", .has_page = i == MOVED, .known = &known};
    }
    text_init(&out, (size_t)64 << 20);
    site_history_list(&shown, SITE_PART, LANGUAGE_EN, &out);
    assert_in_range(out.length, 1, 100000);
    assert_non_null(strstr(out.bytes, "GPU-12345."));
    assert_null(strstr(out.bytes, "GPU-12344."));
    assert_non_null(strstr(out.bytes, "25,001"));
    text_release(&out);
    shown.subjects.count = PARTS - 1;
    text_init(&out, (size_t)64 << 20);
    site_history_list(&shown, SITE_PART, LANGUAGE_EN, &out);
    assert_non_null(strstr(out.bytes, "GPU-12344."));
    text_release(&out);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_word_is_its_own_name),
        cmocka_unit_test(any_other_word_has_a_name_of_its_own),
        cmocka_unit_test(a_long_word_is_cut_and_told_from_others_with_its_beginning),
        cmocka_unit_test(every_output_of_a_run_has_a_place_of_its_own),
        cmocka_unit_test(of_very_many_parts_those_stand_in_the_list_that_have_a_story),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
