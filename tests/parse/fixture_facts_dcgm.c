/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "fixtures.h"

/* The fact's name for a test as the tool names it; versions differ, so this is a table of our own. */
static const char *fact_name(const char *test, char *buffer, size_t size)
{
    static const struct {
        const char *test, *name;
    } renamed[] = {
        {"Permissions and OS-related Blocks", "dcgm.permissions_and_os_blocks"},
        {"Environmental Variables", "dcgm.environment_variables"},
    };
    size_t length = (size_t)snprintf(buffer, size, "dcgm.%s", test);

    for (size_t i = 0; i < ARRAY_SIZE(renamed); i++)
        if (strcmp(test, renamed[i].test) == 0)
            return renamed[i].name;
    for (size_t i = 5; i < length && i < size; i++)
        buffer[i] = isalnum((unsigned char)buffer[i]) ? (char)tolower((unsigned char)buffer[i]) : '_';
    return buffer;
}

static size_t count_results(const struct reading *reading, const char *subject, const char *value)
{
    size_t count = 0;

    for (size_t i = 0; i < reading->facts.count; i++)
        count += strcmp(reading->facts.items[i].subject, subject) == 0 &&
                 strncmp(reading->facts.items[i].name, "dcgm.", 5) == 0 &&
                 strcmp(reading->facts.items[i].value, value) == 0;
    return count;
}

/* The tests of the list have this result, and no others have. */
static void check_tests(struct text *wrong, const struct json *fact, const struct reading *reading,
                        const char *value)
{
    char name[64];

    json_each (item, fact) {
        const char *found = reading_get_fact(reading, fact_name(item->string, name, sizeof name), "host");

        if (found == NULL || strcmp(found, value) != 0)
            fact_wrong(wrong, fact, "%s is %s", item->string, found != NULL ? found : "not there");
    }
    if (count_results(reading, "host", value) != fact->count)
        fact_wrong(wrong, fact, "found %zu", count_results(reading, "host", value));
}

/* Of each test, the result of the host and of each of the eight GPUs. */
static void check_all_tests(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    json_each (item, fact) {
        char name[64], subject[16];
        const char *code = fact_name(item->key, name, sizeof name), *found;

        for (unsigned gpu = 0; gpu <= 8; gpu++) {
            snprintf(subject, sizeof subject, gpu < 8 ? "gpu%u" : "host", gpu);
            found = reading_get_fact(reading, code, subject);
            if (found == NULL || strcasecmp(found, item->string) != 0)
                fact_wrong(wrong, item, "%s is %s", subject, found != NULL ? found : "not there");
        }
    }
}

static bool is_failed(const struct reading *reading)
{
    return count_results(reading, "host", "fail") > 0;
}

/* GPUs by the results that name them, or by the device ids of a table that names none. */
static size_t count_gpus(const struct reading *reading)
{
    const char *ids = reading_get_fact(reading, "dcgm.gpu_device_ids", "");
    size_t count = 0, listed = ids != NULL;
    char subject[16];

    for (const char *byte = ids; byte != NULL && *byte != '\0'; byte++)
        listed += *byte == ',';
    for (unsigned gpu = 0; gpu < 64; gpu++) {
        bool found = false;

        snprintf(subject, sizeof subject, "gpu%u", gpu);
        for (size_t i = 0; i < reading->facts.count && !found; i++)
            found = strcmp(reading->facts.items[i].subject, subject) == 0;
        count += found;
    }
    return count > 0 ? count : listed;
}

static size_t count_severity(const struct reading *reading, enum severity severity)
{
    size_t count = 0;

    for (size_t i = 0; i < reading->findings.count; i++)
        count += reading->findings.items[i].severity == severity;
    return count;
}

static void check_gpu_list(struct text *wrong, const struct json *fact, const struct reading *reading,
                           const char *value)
{
    json_each (item, fact) {
        char subject[16];

        snprintf(subject, sizeof subject, "gpu%.0f", item->number);
        if (count_results(reading, subject, value) != 1)
            fact_wrong(wrong, fact, "%s is not %s", subject, value);
    }
}

static void check_info(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    for (unsigned gpu = 0; gpu < 8; gpu++) {
        bool expected = false, found = false;
        char subject[16];

        snprintf(subject, sizeof subject, "gpu%u", gpu);
        json_each (item, fact)
            expected = expected || item->number == gpu;
        for (size_t i = 0; i < reading->findings.count; i++)
            found = found || strcmp(reading->findings.items[i].subject, subject) == 0;
        if (expected != found)
            fact_wrong(wrong, fact, "%s: found %d", subject, found);
    }
}

static void check_key(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    const char *key = fact->key;
    char subject[16], name[64];

    if (strcmp(key, "dcgm_version") == 0) {
        fact_string(wrong, fact, reading_get_fact(reading, "dcgm.version", ""));
    } else if (strcmp(key, "driver") == 0) {
        fact_string(wrong, fact, reading_get_fact(reading, "driver.version", ""));
    } else if (strcmp(key, "gpus") == 0) {
        fact_number(wrong, fact, (double)count_gpus(reading));
    } else if (strcmp(key, "passed") == 0) {
        fact_number(wrong, fact, (double)count_results(reading, "host", "pass"));
    } else if (strcmp(key, "passed_gpus") == 0) {
        fact_number(wrong, fact, (double)count_gpus(reading));
        if (is_failed(reading))
            fact_wrong(wrong, fact, "a test failed");
    } else if (strcmp(key, "verdict") == 0) {
        fact_string(wrong, fact, is_failed(reading) ? "fail" : "pass");
    } else if (strcmp(key, "warning_blocks") == 0) {
        fact_number(wrong, fact, (double)count_severity(reading, SEVERITY_WARNING));
    } else if (strcmp(key, "test") == 0) {
        if (reading_get_fact(reading, fact_name(fact->string, name, sizeof name), "host") == NULL)
            fact_wrong(wrong, fact, "not there");
    } else if (strcmp(key, "error_gpu") == 0) {
        snprintf(subject, sizeof subject, "gpu%.0f", fact->number);
        if (count_findings(reading, "dcgm.error", NULL) != 1 ||
            strcmp(reading->findings.items[0].subject, subject) != 0)
            fact_wrong(wrong, fact, "no such finding");
    } else if (strcmp(key, "fragment") == 0) {
        fact_true(wrong, fact, reading->status == READING_PARTIAL, reading_status_name(reading->status));
    } else if (strcmp(key, "error") == 0) {
        if (count_findings(reading, NULL, "host engine") + count_findings(reading, NULL, fact->string) == 0)
            fact_wrong(wrong, fact, "no such finding");
    } else if (strcmp(key, "host") == 0) {
        if (count_findings(reading, NULL, fact->string) == 0 || reading->status != READING_FAILED)
            fact_wrong(wrong, fact, "not in a failed reading");
    } else if (strcmp(key, "root") == 0 || strcmp(key, "text_before_json") == 0) {
        if (reading->status != READING_COMPLETE)
            fact_wrong(wrong, fact, "not complete: %s", reason_english(reading->arena, reading->reason));
    } else {
        fact_wrong(wrong, fact, "is not compared");
    }
}

void check_dcgm(const char *path, const struct json *facts, const struct reading *reading, struct text *wrong)
{
    (void)path;
    json_each (fact, facts) {
        if (strcmp(fact->key, "failed_tests") == 0)
            check_tests(wrong, fact, reading, "fail");
        else if (strcmp(fact->key, "skipped_tests") == 0)
            check_tests(wrong, fact, reading, "skip");
        else if (strcmp(fact->key, "tests") == 0)
            check_all_tests(wrong, fact, reading);
        else if (strcmp(fact->key, "gpu") == 0)
            check_gpu_list(wrong, fact, reading, "fail");
        else if (strcmp(fact->key, "pass_gpus") == 0)
            check_gpu_list(wrong, fact, reading, "pass");
        else if (strcmp(fact->key, "gpus_with_info") == 0)
            check_info(wrong, fact, reading);
        else
            check_key(wrong, fact, reading);
    }
}
