/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit_test.h"
#include "assay/base/text.h"

#include <string.h>

enum { LINES = 100000, MOST_HELD = 1 << 20 };

/* What a drain was given; it takes `most` bytes and no more. */
struct taken {
    struct text text;
    size_t most;
    unsigned refused;
};

static bool take(void *context, const char *bytes, size_t length)
{
    struct taken *taken = context;

    if (taken->text.length + length > taken->most) {
        taken->refused++;
        return false;
    }
    text_add(&taken->text, bytes, length);
    return true;
}

static void put_lines(struct text *text)
{
    for (unsigned i = 0; i < LINES; i++)
        text_printf(text, "line %u\n", i);
}

static void a_text_that_drains_hands_on_all_of_it_and_holds_little(void **state)
{
    struct taken taken = {.most = SIZE_MAX};
    cleanup_text struct text text = {0}, whole = {0};

    (void)state;
    text_init(&whole, SIZE_MAX);
    put_lines(&whole);
    text_init(&taken.text, SIZE_MAX);
    text_init_draining(&text, take, &taken);
    put_lines(&text);
    assert_true(whole.length > MOST_HELD);
    assert_true(text.capacity <= MOST_HELD);
    text_drain(&text);
    assert_int_equal(text.length, 0);
    assert_false(text.clipped);
    assert_int_equal(taken.text.length, whole.length);
    assert_memory_equal(taken.text.bytes, whole.bytes, whole.length);
    text_release(&taken.text);
}

static void its_writer_can_look_back_a_little(void **state)
{
    struct taken taken = {.most = SIZE_MAX};
    cleanup_text struct text text = {0};

    (void)state;
    text_init(&taken.text, SIZE_MAX);
    text_init_draining(&text, take, &taken);
    for (unsigned i = 0; i < LINES; i++) {
        text_put(&text, "line   ");
        while (text.length > 0 && text.bytes[text.length - 1] == ' ')
            text.bytes[--text.length] = '\0';
        text_put(&text, "\n");
    }
    text_drain(&text);
    assert_int_equal(taken.text.length, LINES * strlen("line\n"));
    assert_null(strchr(taken.text.bytes, ' '));
    text_release(&taken.text);
}

static void a_drain_that_fails_is_not_asked_again_and_the_text_is_clipped(void **state)
{
    struct taken taken = {.most = 0};
    cleanup_text struct text text = {0};

    (void)state;
    text_init(&taken.text, SIZE_MAX);
    text_init_draining(&text, take, &taken);
    put_lines(&text);
    put_lines(&text);
    text_drain(&text);
    assert_true(text.clipped);
    assert_int_equal(taken.refused, 1);
    assert_true(text.capacity <= MOST_HELD);
    text_release(&taken.text);
}

static void a_text_with_a_limit_drops_what_is_beyond_it_and_says_so(void **state)
{
    cleanup_text struct text text = {0};

    (void)state;
    text_init(&text, 5);
    text_put(&text, "12345");
    assert_false(text.clipped);
    text_put(&text, "6");
    assert_true(text.clipped);
    assert_string_equal(text.bytes, "12345");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_that_drains_hands_on_all_of_it_and_holds_little),
        cmocka_unit_test(its_writer_can_look_back_a_little),
        cmocka_unit_test(a_drain_that_fails_is_not_asked_again_and_the_text_is_clipped),
        cmocka_unit_test(a_text_with_a_limit_drops_what_is_beyond_it_and_says_so),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
