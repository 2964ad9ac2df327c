/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "assay/model/reading.h"
#include "assay/reasons/any.h"

static int make_arena(void **state)
{
    *state = arena_create();
    return 0;
}

static int drop_arena(void **state)
{
    arena_destroy(*state);
    return 0;
}

static void a_long_reason_is_cut_between_characters(void **state)
{
    char chinese[401 * 3 + 1] = "";
    struct reading reading;

    for (size_t i = 0; i < 401; i++)
        memcpy(chinese + i * 3, "\xE5\x8D\xA1", 4);
    for (size_t shift = 0; shift < 3; shift++) {
        const char *quoted = arena_printf(*state, "%.*s%s", (int)shift, "ab", chinese), *said;
        size_t length;

        reading_init(&reading, *state, "tool");
        reading_set(&reading, READING_FAILED, reason_quote(*state, slice_of(quoted)));
        said = reason_english(*state, reading.reason);
        length = strlen(said);
        assert_true(length > 290 && length <= 300);
        assert_int_equal((length - (shift < 2 ? shift : 2)) % 3, 0);
        assert_null(strstr(said, "\xEF\xBF\xBD"));
    }
}

static void a_reason_is_one_printable_line(void **state)
{
    struct reading reading;

    reading_init(&reading, *state, "tool");
    reading_set(&reading, READING_PARTIAL, reason_text(*state, "a\nb\x1b[31m\x7f\xFFz"));
    assert_string_equal(reason_english(*state, reading.reason), "a b [31m \xEF\xBF\xBDz");
    reading_set(&reading, READING_COMPLETE, reason_text(*state, "ignored"));
    assert_null(reading.reason);
}

static void bad_bytes_become_replacement_characters(void **state)
{
    assert_string_equal(utf8_clean(*state, (struct slice){"a\0b", 3}), "a\xEF\xBF\xBD"
                                                                       "b");
    assert_string_equal(utf8_clean(*state, slice_of("\xC0\x80")), "\xEF\xBF\xBD\xEF\xBF\xBD");
    assert_string_equal(utf8_clean(*state, slice_of("\xE5\x8D")), "\xEF\xBF\xBD\xEF\xBF\xBD");
    assert_string_equal(utf8_clean(*state, slice_of("\xE5\x8D\xA1")), "\xE5\x8D\xA1");
}

static void measurements_are_written_as_the_contract_says(void **state)
{
    struct reading reading;
    struct measurement *measurement;
    struct json_writer writer;
    cleanup_text struct text out = {0};

    reading_init(&reading, *state, "nccl-tests");
    reading_set(&reading, READING_COMPLETE, NULL);
    reading_fact(&reading, "nccl.version", "", slice_of("2.18.5"));
    measurement = reading_measure(&reading, "nccl.all_reduce.busbw", "", 481.0, "GB/s");
    reading_at_number(&reading, measurement, "size_bytes", 8589934592.0);
    reading_at_text(&reading, measurement, "place", slice_of("out"));
    assert_string_equal(at_text(*state, measurement), "size_bytes=8589934592 place=out");
    reading_finding(&reading, SEVERITY_FAULT, "x.y", "gpu1",
                    reason(*state, about, "x", reason(*state, text, "3 errors")));
    text_init(&out, 4096);
    json_writer_init(&writer, &out, true);
    reading_write(&reading, &writer);
    assert_non_null(strstr(out.bytes, "\"schema\": 1, \"tool\": \"nccl-tests\", \"reading\": \"complete\""));
    assert_non_null(strstr(out.bytes, "{\"metric\": \"nccl.all_reduce.busbw\", \"subject\": \"\", \"at\": "
                                      "{\"size_bytes\": 8589934592, \"place\": \"out\"}, \"value\": 481, "
                                      "\"unit\": \"GB/s\"}"));
    assert_non_null(strstr(out.bytes, "{\"code\": \"x.y\", \"subject\": \"gpu1\", \"severity\": \"fault\", "
                                      "\"text\": \"x: 3 errors\"}"));
    assert_null(strstr(out.bytes, "_code"));
    text_reset(&out);
    json_writer_init(&writer, &out, true);
    reading_write_coded(*state, &reading, &writer);
    assert_non_null(strstr(out.bytes, "\"reason\": \"\", \"reason_code\": \"\", \"reason_args\": []"));
    assert_non_null(strstr(out.bytes, "\"text\": \"x: 3 errors\", \"text_code\": \"about\", \"text_args\": "
                                      "[\"x\", \"3 errors\"]}"));
    assert_string_equal(reading_get_fact(&reading, "nccl.version", ""), "2.18.5");
    assert_null(reading_get_fact(&reading, "nccl.version", "gpu0"));
}

/* A reason never changes once it is made: who holds it may have stored it. */
static void what_a_flood_leaves_out_is_counted_in_a_reason_of_its_own(void **state)
{
    struct reading reading;
    const struct reason *one;

    reading_init(&reading, *state, "xid");
    for (size_t i = 0; i < FINDINGS_ALIKE + 1; i++)
        reading_finding(&reading, SEVERITY_WARNING, "xid.63", "", reason(*state, text, "a row"));
    reading_settle(&reading);
    assert_int_equal(reading.findings.count, FINDINGS_ALIKE + 1);
    one = reading.findings.items[FINDINGS_ALIKE].what;
    assert_string_equal(reason_english(*state, one), "1 more like these");
    for (size_t i = 0; i < 41; i++)
        reading_finding(&reading, SEVERITY_FAULT, "xid.63", "", reason(*state, text, "a row"));
    reading_settle(&reading);
    assert_int_equal(reading.findings.count, FINDINGS_ALIKE + 1);
    assert_string_equal(reason_english(*state, reading.findings.items[FINDINGS_ALIKE].what),
                        "42 more like these");
    assert_int_equal(reading.findings.items[FINDINGS_ALIKE].severity, SEVERITY_FAULT);
    assert_string_equal(reason_english(*state, one), "1 more like these");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_long_reason_is_cut_between_characters, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(a_reason_is_one_printable_line, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(bad_bytes_become_replacement_characters, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(measurements_are_written_as_the_contract_says, make_arena,
                                        drop_arena),
        cmocka_unit_test_setup_teardown(what_a_flood_leaves_out_is_counted_in_a_reason_of_its_own, make_arena,
                                        drop_arena),
    };

    return cmocka_run_group_tests_name("reading", tests, NULL, NULL);
}
