/* SPDX-License-Identifier: Apache-2.0 */
#include "lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "assay/text.h"

/* All lines joined by '|', the tail after '~': the whole answer in one string. */
static void expect_flags(unsigned flags, const char *bytes, size_t length, const char *expected)
{
    struct arena *arena = arena_create();
    struct lines lines;
    cleanup_text struct text joined = {0};

    text_init(&joined, 65536);
    lines_read(arena, (struct slice){bytes, length}, flags, &lines);
    for (size_t i = 0; i < lines.count; i++)
        text_printf(&joined, "%.*s|", slice_print(lines.items[i].text));
    text_printf(&joined, "~%.*s", slice_print(lines.tail));
    assert_string_equal(joined.bytes, expected);
    arena_destroy(arena);
}

#define expect(bytes, expected) expect_flags(0, bytes, sizeof(bytes) - 1, expected)

static void line_ends_of_every_kind_end_a_line(void **state)
{
    (void)state;
    expect("", "~");
    expect("one\ntwo\r\nthree", "one|two|~three");
    expect("one\r\r\ntwo\n\n", "one|two||~");
    expect("\r50.0%  a\r60.0%  b\n", "|50.0%  a|60.0%  b|~");
    expect("\xef\xbb\xbfone \t\n  two\n", "one|  two|~");
}

static void terminal_escapes_are_removed(void **state)
{
    (void)state;
    expect("\x1b[1;32mgreen\x1b[0m text\n", "green text|~");
    expect("\x1b]0;title\x07prompt$ ls\n\x1b]8;;x\x1b\\link\n", "prompt$ ls|link|~");
    expect("\x1b(Bok\x1b=\x1b[Kay\n", "okay|~");
    expect("cut \x1b[1;3\nnext\n", "cut|next|~");
}

static void mpirun_tags_are_removed_and_remembered(void **state)
{
    static const char tagged[] = "[1,3]<stderr>:bad\n[prterun-h-7@1,0]<stdout>: # row\nplain\n";
    struct arena *arena = arena_create();
    struct lines lines;

    (void)state;
    lines_read(arena, slice_of(tagged), 0, &lines);
    assert_int_equal(lines.count, 3);
    assert_int_equal(lines.items[0].rank, 3);
    assert_true(lines.items[0].is_stderr);
    assert_int_equal(lines.items[1].rank, 0);
    assert_false(lines.items[1].is_stderr);
    assert_int_equal(lines.items[2].rank, RANK_NONE);
    arena_destroy(arena);
    expect("[1,0]<stdout>:   8\n[gpu-1,12]<stdout>:x\n[1,0][gpu-1:99]<stdout>:y\n", "   8|x|y|~");
    expect("Fri Jul 19 08:41:10 2024[1,0]<stdout>:z\n[1,0]stdout\n", "z|[1,0]stdout|~");
}

static void ranks_that_write_into_each_other_are_put_apart(void **state)
{
    (void)state;
    expect("[1,0]<stdout>:65.4[1,0]<stdout>:3\n", "65.43|~");
    expect("[1,0]<stdout>: 8 65.4[1,7]<stdout>:node7: log\n[1,0]<stdout>:3  1\n", "node7: log| 8 65.43  1|~");
    expect("[1,0]<stdout>:a[1,0]<stderr>:b\n[1,0]<stdout>:c\n", "b|ac|~");
    expect("banner[1,0]<stdout>:a\n[1,0]<stdout>:b[1,1]<stdout>:\n", "banner|a||~");
}

static void log_times_are_removed_unless_they_are_content(void **state)
{
    static const char journal[] = "Mar  1 12:00:00 gpu-1 burn[77]: done\n";

    (void)state;
    expect(journal, "done|~");
    expect_flags(LINES_KEEP_TIME, journal, sizeof journal - 1, "Mar  1 12:00:00 gpu-1 burn[77]: done|~");
    expect("2024-07-19T08:41:10.123+00:00 a\n[2024-07-19 08:41:10,5] b\n2024-07-19 08:41:10\n", "a|b||~");
    expect("2024-07-19T08:41:10Zzz\n2024-07-19\n", "2024-07-19T08:41:10Zzz|2024-07-19|~");
    expect("Fri Jul 19 08:41:10 2024       \n", "Fri Jul 19 08:41:10 2024|~");
    expect("2024-07-19T08:41:10Z [1,0]<stdout>:both\n", "both|~");
}

static void kubernetes_parts_are_joined(void **state)
{
    (void)state;
    expect("2024-07-19T08:41:10.1Z stdout P 12\n2024-07-19T08:41:10.2Z stderr F noise\n"
           "2024-07-19T08:41:10.3Z stdout F 34\n2024-07-19T08:41:10.4Z stdout F\n",
           "noise|1234||~");
    expect("2024-07-19T08:41:10.1Z stdout P 12\n", "~");
}

static void rank_labels_are_removed_only_where_they_must_be_labels(void **state)
{
    static const char few[] = "0: a\n 1: b\n[2] c\n", some[] = "0: a\nb\n2: c\n3: d\n";

    (void)state;
    expect("0: a\n\n 1: b\n[2] c\nplain\n3: d\n", "a||b|c|plain|d|~");
    expect("0: a\n 1: b\n", "0: a| 1: b|~");
    expect(some, "0: a|b|2: c|3: d|~");
    expect_flags(LINES_RANKS, some, sizeof some - 1, "a|b|c|d|~");
    expect_flags(LINES_RANKS, few, sizeof few - 1, "a|b|c|~");
    expect_flags(LINES_RANKS, "0:x\n12.5: y\n", 12, "0:x|12.5: y|~");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_ends_of_every_kind_end_a_line),
        cmocka_unit_test(terminal_escapes_are_removed),
        cmocka_unit_test(mpirun_tags_are_removed_and_remembered),
        cmocka_unit_test(ranks_that_write_into_each_other_are_put_apart),
        cmocka_unit_test(log_times_are_removed_unless_they_are_content),
        cmocka_unit_test(kubernetes_parts_are_joined),
        cmocka_unit_test(rank_labels_are_removed_only_where_they_must_be_labels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
