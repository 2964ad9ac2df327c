/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "fixtures.h"

static bool is_about_the_log(const char *key)
{
    /* The process and its start are not read, nor are the lines counted. */
    return strcmp(key, "lines") == 0 || strcmp(key, "pid") == 0 || strcmp(key, "since") == 0;
}

static void check_fact(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    static const struct {
        const char *key, *name;
    } named[] = {
        {"state", "fabric_manager.state"},
        {"sub", "fabric_manager.sub"},
        {"fm_version", "fabric_manager.version"},
        {"driver_version", "fabric_manager.driver_version"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(named); i++)
        if (strcmp(fact->key, named[i].key) == 0) {
            fact_string(wrong, fact, reading_get_fact(reading, named[i].name, ""));
            return;
        }
    fact_wrong(wrong, fact, "is not compared");
}

void check_fabric_manager(const char *path, const struct json *facts, const struct reading *reading,
                          struct text *wrong)
{
    (void)path;
    json_each (fact, facts) {
        char text[64];

        if (strcmp(fact->key, "cuda_error") == 0) {
            snprintf(text, sizeof text, "Error %.0f", fact->number);
            if (count_findings(reading, "fabric_manager.cuda_802", text) != 1)
                fact_wrong(wrong, fact, "no such finding");
        } else if (strcmp(fact->key, "reason") == 0) {
            if (count_findings(reading, "fabric_manager.version_mismatch", NULL) != 1)
                fact_wrong(wrong, fact, "no such finding");
        } else if (strcmp(fact->key, "errors") == 0) {
            fact_number(wrong, fact, (double)count_findings(reading, NULL, "[ERROR]"));
        } else if (strcmp(fact->key, "nvswitch_error") == 0) {
            snprintf(text, sizeof text, "fabric_manager.sxid.%.0f", fact->number);
            fact_number(wrong, fact, count_findings(reading, text, NULL) == 1 ? fact->number : -1);
        } else if (strcmp(fact->key, "nvswitch") == 0) {
            if (count_findings(reading, NULL, fact->string) != 1)
                fact_wrong(wrong, fact, "no finding names the switch");
            if (strstr(fact->string, reading->findings.items[0].subject) == NULL)
                fact_wrong(wrong, fact, "found %s", reading->findings.items[0].subject);
        } else if (strcmp(fact->key, "port") == 0) {
            snprintf(text, sizeof text, "port %.0f", fact->number);
            if (count_findings(reading, NULL, text) != 1)
                fact_wrong(wrong, fact, "no finding names the port");
        } else if (!is_about_the_log(fact->key)) {
            check_fact(wrong, fact, reading);
        }
    }
}
