/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit_test.h"
#include "smi.h"

#include <string.h>

/* What gpu0 says of the field, when this driver's nvidia-smi shows it with that value (NULL: not at all). */
static void expect(const char *driver, const char *shown, const char *value, const char *unread)
{
    struct arena *arena = arena_create();
    struct reading reading;
    const char *found;

    reading_init(&reading, arena, "nvidia-smi");
    reading_fact(&reading, "gpu.uuid", "gpu0", slice_of("GPU-0"));
    if (driver != NULL)
        reading_fact(&reading, "driver.version", "", slice_of(driver));
    if (shown != NULL)
        reading_fact(&reading, "ecc.unrepairable_memory", "gpu0", slice_of(shown));
    smi_field_missing(&reading, "ecc.unrepairable_memory", 595);
    found = reading_get_fact(&reading, "ecc.unrepairable_memory", "gpu0");
    if (value != NULL)
        assert_string_equal(found, value);
    else
        assert_null(found);
    assert_int_equal(reading.findings.count, unread != NULL);
    if (unread != NULL) {
        assert_string_equal(reading.findings.items[0].code, "ecc.unrepairable_memory.unread");
        assert_string_equal(reading.findings.items[0].subject, "gpu0");
    }
    arena_destroy(arena);
}

static void a_missing_field_is_not_read_and_no_na(void **state)
{
    (void)state;
    expect("595.58.03", "No", "No", NULL);
    expect("595.58.03", "N/A", "N/A", NULL);
    expect("595.58.03", NULL, NULL, "");
    expect("535.129.03", NULL, SMI_NOT_IN_DRIVER, NULL);
    expect(NULL, NULL, NULL, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_missing_field_is_not_read_and_no_na)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
