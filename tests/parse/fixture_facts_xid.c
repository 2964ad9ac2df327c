/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "fixtures.h"

static size_t count_at(const struct reading *reading, const char *code, const char *subject)
{
    size_t count = 0;

    for (size_t i = 0; i < reading->findings.count; i++)
        count += strcmp(reading->findings.items[i].code, code) == 0 &&
                 strcmp(reading->findings.items[i].subject, subject) == 0;
    return count;
}

/* {"0000:38:00": {"13": 16, "43": 1}}: these findings and no others. */
static void check_xids(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    size_t expected = 0;

    json_each (device, fact)
        json_each (xid, device) {
            char code[32];

            snprintf(code, sizeof code, "xid.%s", xid->key);
            fact_number(wrong, xid, (double)count_at(reading, code, device->key));
            expected += (size_t)xid->number;
        }
    if (reading->findings.count != expected)
        fact_wrong(wrong, fact, "expected %zu findings, found %zu", expected, reading->findings.count);
    if (reading->status != READING_COMPLETE)
        fact_wrong(wrong, fact, "not complete: %s", reason_english(reading->arena, reading->reason));
}

void check_xid(const char *path, const struct json *facts, const struct reading *reading, struct text *wrong)
{
    (void)path;
    json_each (fact, facts) {
        if (strcmp(fact->key, "xids") == 0) {
            check_xids(wrong, fact, reading);
        } else if (strcmp(fact->key, "link") == 0) {
            char link[32];

            snprintf(link, sizeof link, "link %.0f", fact->number);
            if (count_findings(reading, NULL, link) == 0)
                fact_wrong(wrong, fact, "no finding names the link");
        } else {
            fact_wrong(wrong, fact, "is not compared");
        }
    }
}
