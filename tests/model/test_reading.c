/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "../arena_test.h"
#include "assay/model/plausible.h"
#include "assay/model/reading.h"
#include "assay/reasons/any.h"

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

/* The margin of a GPU that is cooler than the unsigned number it is counted down from; a limit in mW taken for W. */
static void what_no_part_can_show_is_not_recorded(void **state)
{
    struct reading reading;

    reading_init(&reading, *state, "nvidia-smi");
    reading_set(&reading, READING_COMPLETE, NULL);
    reading_measure(&reading, "gpu.temperature_margin", "gpu3", 2147483686.0, "C");
    reading_measure(&reading, "gpu.temperature", "gpu3", 41, "C");
    reading_measure(&reading, "gpu.power_limit", "gpu3", 700000, "W");
    reading_measure(&reading, "nccl.all_reduce.busbw", "", -1, "GB/s");
    reading_measure(&reading, "ecc.corrected", "gpu3", 18446744073709551615.0, "");
    reading_settle(&reading);
    assert_int_equal(reading.status, READING_COMPLETE);
    assert_int_equal(reading.measurements.count, 2);
    assert_non_null(reading_get(&reading, "gpu.temperature", "gpu3"));
    assert_non_null(reading_get(&reading, "ecc.corrected", "gpu3"));
    assert_int_equal(reading.findings.count, 3);
    assert_string_equal(reading.findings.items[0].code, "gpu.temperature_margin.unread");
    assert_string_equal(reading.findings.items[0].subject, "gpu3");
    assert_string_equal(
        reason_english(*state, reading.findings.items[0].what),
        "it says 2147483686 C, which no part of any kind can show (it would lie between -60 and 250): "
        "the number wrapped, or its unit was misread");
    reading_settle(&reading);
    assert_int_equal(reading.findings.count, 3);
}

static void bounds_themselves_are_plausible(void **state)
{
    double least, most;
    struct reading reading;

    assert_true(plausible_bounds("gpu_memory.covered", "%", &least, &most));
    reading_init(&reading, *state, "probe");
    reading_measure(&reading, "gpu_memory.covered", "gpu0", least, "%");
    reading_measure(&reading, "gpu_memory.covered", "gpu0", most, "%");
    reading_settle(&reading);
    assert_int_equal(reading.measurements.count, 2);
    assert_false(plausible_bounds("any", "furlongs", &least, &most));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(a_long_reason_is_cut_between_characters),
        ARENA_TEST(a_reason_is_one_printable_line),
        ARENA_TEST(bad_bytes_become_replacement_characters),
        ARENA_TEST(measurements_are_written_as_the_contract_says),
        ARENA_TEST(what_a_flood_leaves_out_is_counted_in_a_reason_of_its_own),
        ARENA_TEST(what_no_part_can_show_is_not_recorded),
        ARENA_TEST(bounds_themselves_are_plausible),
    };

    return cmocka_run_group_tests_name("reading", tests, NULL, NULL);
}
