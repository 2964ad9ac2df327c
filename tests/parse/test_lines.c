/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit_test.h"
#include "lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/text.h"

static ssize_t pull_slice(void *context, char *buffer, size_t size)
{
    struct slice *rest = context;

    if (size > rest->length)
        size = rest->length;
    memcpy(buffer, rest->bytes, size);
    *rest = slice_from(*rest, size);
    return (ssize_t)size;
}

static void expect_pulled(unsigned flags, struct slice bytes, size_t refill, const char *expected)
{
    cleanup_source struct source source = {0};
    cleanup_lines struct line_reader reader = {0};
    cleanup_text struct text joined = {0};
    struct line line;

    text_init(&joined, 65536);
    source_of_pull(&source, pull_slice, &bytes, refill);
    lines_open(&reader, &source, flags);
    while (lines_next(&reader, &line))
        text_printf(&joined, "%.*s|", slice_print(line.text));
    text_printf(&joined, "~%.*s", slice_print(lines_tail(&reader)));
    assert_string_equal(joined.bytes, expected);
    assert_false(source.is_lossy);
}

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
    for (size_t refill = 1; refill < 20; refill += 3)
        expect_pulled(flags, (struct slice){bytes, length}, refill, expected);
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

static void what_waits_after_an_output_is_no_part_of_it(void **state)
{
    (void)state;
    expect("a\n[root@gpu01 ~]# ", "a|~");
    expect("a\nops@gpu01:~$", "a|~");
    expect("a\ngpu01:~ # ", "a|~");
    expect("a\nbash-5.1$ ", "a|~");
    expect("a\n[root@gpu01 ~]# nvidia-s", "a|~[root@gpu01 ~]# nvidia-s");
    expect("a\n12.5%", "a|~12.5%");
    expect("```\na\n```text\nb\n```", "a|b|~");
    expect("a\n``` is no fence\n", "a|``` is no fence|~");
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

static void marks_of_quotation_are_removed_where_all_lines_have_them(void **state)
{
    (void)state;
    expect("> one\n>\n>   two\n> 3\n> 4", "one||  two|3|~4");
    expect("> one\n> two\nthree\n", "> one|> two|three|~");
    expect("one\n> two\n> three\n> four\n", "one|> two|> three|> four|~");
    expect_flags(LINES_RANKS, "> 0: a\n> b\n> c\n", 15, "a|b|c|~");
}

static void blanks_of_web_pages_are_blanks(void **state)
{
    (void)state;
    expect("a\xc2\xa0\xc2\xa0"
           "b\n40\xc2\xb0\n\xc2\xa0x\n\xc2",
           "a  b|40\xc2\xb0| x|~\xc2");
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
    expect("Mar 01 12:00:00.123456 gpu-1 burn[77]: precise\n", "precise|~");
    expect("2024-03-01T12:00:00+0000 gpu-1 burn[77]: iso\n2024-03-01T12:00:00Z gpu-1 kernel: k\n", "iso|k|~");
    expect("[sudo] password for ops: +--+\n[sudo] password for ops: \n", "+--+||~");
    expect("[12:00:00] a\n[12:00:00.5] b\n[12:00] c\n", "a|b|[12:00] c|~");
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

static void host_labels_are_removed_where_the_first_lines_have_the_same(void **state)
{
    static const char kernel[] = "nvidia-nvswitch0: a\nnvidia-nvswitch0: b\nnvidia-nvswitch0: c\n";

    (void)state;
    expect("node01: a\nnode01:\nnode01:  b\nnode01: c\nnode02: d\nnode01: 2024-07-19T08:41:10Z "
           "e\nplain\nnode01: 5",
           "a|| b|c|node02: d|e|plain|~5");
    expect("node01: a\nnode02: b\nnode03: c\n", "node01: a|node02: b|node03: c|~");
    expect("NVRM: a\nNVRM: b\nNVRM: c\n", "NVRM: a|NVRM: b|NVRM: c|~");
    expect("node01: a\nnode01: b\n", "node01: a|node01: b|~");
    expect_flags(LINES_KEEP_LABEL, kernel, sizeof kernel - 1,
                 "nvidia-nvswitch0: a|nvidia-nvswitch0: b|nvidia-nvswitch0: c|~");
}

static void a_rule_of_a_table_needs_no_end(void **state)
{
    (void)state;
    expect("| a |\n+-----------------------+", "| a ||+-----------------------+|~");
    expect("a\n--------------------", "a|--------------------|~");
    expect("a\n-------", "a|~-------");
    expect("a\n---------------------- b", "a|~---------------------- b");
}

static void what_is_long_or_quotes_is_no_prompt(void **state)
{
    (void)state;
    expect("a\n{\"x\": 1}ops@node01:~#", "a|~{\"x\": 1}ops@node01:~#");
    expect("a\nops@node01:~# ", "a|~");
}

/* bytes, then so many of fill, then end: the lines of it, pulled. */
static void expect_lossy(const char *begin, size_t count, const char *end, bool is_lossy,
                         const char *expected)
{
    size_t length = strlen(begin) + count + strlen(end);
    char *bytes = malloc(length);
    struct slice rest = {bytes, length};
    cleanup_source struct source source = {0};
    cleanup_lines struct line_reader reader = {0};
    cleanup_text struct text joined = {0};
    struct line line;

    memcpy(bytes, begin, strlen(begin));
    memset(bytes + strlen(begin), 'x', count);
    memcpy(bytes + strlen(begin) + count, end, strlen(end));
    text_init(&joined, 65536);
    source_of_pull(&source, pull_slice, &rest, 0);
    lines_open(&reader, &source, 0);
    while (lines_next(&reader, &line))
        if (line.text.length < 100)
            text_printf(&joined, "%.*s|", slice_print(line.text));
        else
            text_printf(&joined, "(%zu)|", line.text.length);
    text_printf(&joined, "~%zu", lines_tail(&reader).length);
    assert_string_equal(joined.bytes, expected);
    assert_int_equal(source.is_lossy, is_lossy);
    free(bytes);
}

static void a_line_that_is_too_long_is_left_out_and_said(void **state)
{
    (void)state;
    expect_lossy("a\n", LINE_BYTES, "\nb\n", false, "a|(1048576)|b|~0");
    expect_lossy("a\n", LINE_BYTES + 1, "\nb\n", true, "a|b|~0");
    expect_lossy("a\n", 3 * LINE_BYTES, "\r\n\rb\nc", true, "a||b|~1");
    expect_lossy("a\n", 2 * LINE_BYTES, "", true, "a|~0");
    expect_lossy("a\n", 100, "", false, "a|~100");
}

#define FIFTY "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"

static void pieces_that_make_a_line_too_long_are_left_out_and_said(void **state)
{
    static const char joined[] = "[1,1]<stdout>:other\n[1,0]<stdout>:tail\n[1,0]<stdout>:next\n";
    static const char parts[] = "\n2024-07-19T08:41:10.1Z stdout F 12\n2024-07-19T08:41:10.1Z stdout F 34\n";

    (void)state;
    expect_lossy("[1,0]<stdout>:", 200, joined, false, "other|(204)|next|~0");
    expect_lossy("[1,0]<stdout>:", LINE_BYTES - 100, joined, false, "other|(1048480)|next|~0");
    expect_lossy("[1,0]<stdout>:" FIFTY "[1,1]<stdout>:o\n[1,0]<stdout>:", LINE_BYTES - 34, joined, true,
                 "o|other|next|~0");
    expect_lossy("2024-07-19T08:41:10.1Z stdout P ", LINE_BYTES - 40, parts, false, "(1048538)|34|~0");
    expect_lossy("2024-07-19T08:41:10.1Z stdout P " FIFTY "\n2024-07-19T08:41:10.1Z stdout P ",
                 LINE_BYTES - 33, parts, true, "34|~0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_ends_of_every_kind_end_a_line),
        cmocka_unit_test(what_waits_after_an_output_is_no_part_of_it),
        cmocka_unit_test(terminal_escapes_are_removed),
        cmocka_unit_test(mpirun_tags_are_removed_and_remembered),
        cmocka_unit_test(ranks_that_write_into_each_other_are_put_apart),
        cmocka_unit_test(marks_of_quotation_are_removed_where_all_lines_have_them),
        cmocka_unit_test(blanks_of_web_pages_are_blanks),
        cmocka_unit_test(log_times_are_removed_unless_they_are_content),
        cmocka_unit_test(kubernetes_parts_are_joined),
        cmocka_unit_test(a_line_that_is_too_long_is_left_out_and_said),
        cmocka_unit_test(pieces_that_make_a_line_too_long_are_left_out_and_said),
        cmocka_unit_test(rank_labels_are_removed_only_where_they_must_be_labels),
        cmocka_unit_test(host_labels_are_removed_where_the_first_lines_have_the_same),
        cmocka_unit_test(a_rule_of_a_table_needs_no_end),
        cmocka_unit_test(what_is_long_or_quotes_is_no_prompt),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
