/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "fixtures.h"

/* The n-th measurement of the metric, in the order of the table. */
static const struct measurement *nth(const struct reading *reading, const char *metric, size_t n)
{
    for (size_t i = 0; i < reading->measurements.count; i++)
        if (strcmp(reading->measurements.items[i].metric, metric) == 0 && n-- == 0)
            return &reading->measurements.items[i];
    return NULL;
}

static const struct fact *nth_fact(const struct reading *reading, const char *name, size_t n)
{
    for (size_t i = 0; i < reading->facts.count; i++)
        if (strcmp(reading->facts.items[i].name, name) == 0 && n-- == 0)
            return &reading->facts.items[i];
    return NULL;
}

/* [178.9, null]: nothing where the table has no number. */
static void check_numbers(struct text *wrong, const struct json *fact, const struct reading *reading,
                          const char *metric)
{
    size_t n = 0;

    json_each (item, fact) {
        const struct measurement *found;

        if (item->type == JSON_NULL)
            continue;
        found = nth(reading, metric, n++);
        if (found == NULL || found->value != item->number)
            fact_wrong(wrong, fact, "number %zu: expected %g, found %g", n, item->number,
                       found != NULL ? found->value : -1);
    }
    if (nth(reading, metric, n) != NULL)
        fact_wrong(wrong, fact, "more than %zu", n);
}

/* [[3412, 65536], [3189, 65536]] */
static void check_usage(struct text *wrong, const struct json *fact, const struct reading *reading,
                        const char *used, const char *total)
{
    size_t n = 0;

    json_each (pair, fact) {
        const struct measurement *is = nth(reading, used, n), *of = nth(reading, total, n);

        if (is == NULL || of == NULL || is->value != pair->items->number ||
            of->value != pair->items->next->number)
            fact_wrong(wrong, fact, "chip %zu has others", n);
        n++;
    }
}

/* The ids in the subjects: "npu0.chip1" is NPU 0 and chip 1. */
static void check_ids(struct text *wrong, const struct json *fact, const struct reading *reading, bool chips)
{
    size_t n = 0;

    json_each (item, fact) {
        const struct fact *health = nth_fact(reading, "npu.health", n++);
        unsigned npu = 0, chip = 0;
        char expected[64];

        if (health == NULL) {
            fact_wrong(wrong, fact, "only %zu chips", n - 1);
            return;
        }
        chip =
            strstr(health->subject, ".chip") != NULL ? (unsigned)(strchr(health->subject, '.')[5] - '0') : 0;
        npu = (unsigned)item->number;
        snprintf(expected, sizeof expected, "npu%u", npu);
        if (chips ? chip != npu : strncmp(health->subject, expected, strlen(expected)) != 0)
            fact_wrong(wrong, fact, "chip %zu is %s", n, health->subject);
    }
}

static void check_health(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    json_each (word, fact) {
        double count = 0;

        for (size_t i = 0; i < reading->facts.count; i++)
            count += strcmp(reading->facts.items[i].name, "npu.health") == 0 &&
                     strcmp(reading->facts.items[i].value, word->key) == 0;
        fact_number(wrong, word, count);
    }
}

static void check_texts(struct text *wrong, const struct json *fact, const struct reading *reading,
                        const char *name)
{
    for (size_t i = 0; nth_fact(reading, name, i) != NULL; i++)
        if (strcmp(nth_fact(reading, name, i)->value, fact->items->string) != 0)
            fact_wrong(wrong, fact, "found %s", nth_fact(reading, name, i)->value);
    if (nth_fact(reading, name, 0) == NULL)
        fact_wrong(wrong, fact, "found none");
}

static void check_phy_ids(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    size_t n = 0;

    json_each (item, fact) {
        const struct fact *found = nth_fact(reading, "npu.phy_id", n++);
        char expected[32];

        snprintf(expected, sizeof expected, "%g", item->number);
        if (found == NULL || strcmp(found->value, expected) != 0)
            fact_wrong(wrong, fact, "chip %zu has another", n);
    }
}

void check_npu_smi(const char *path, const struct json *facts, const struct reading *reading,
                   struct text *wrong)
{
    (void)path;
    json_each (fact, facts) {
        if (strcmp(fact->key, "npu_smi") == 0)
            fact_string(wrong, fact, reading_get_fact(reading, "npu_smi.version", ""));
        else if (strcmp(fact->key, "version") == 0)
            fact_string(wrong, fact, reading_get_fact(reading, "npu.driver.version", ""));
        else if (strcmp(fact->key, "npu_ids") == 0)
            check_ids(wrong, fact, reading, false);
        else if (strcmp(fact->key, "chips") == 0)
            check_ids(wrong, fact, reading, true);
        else if (strcmp(fact->key, "phy_ids") == 0)
            check_phy_ids(wrong, fact, reading);
        else if (strcmp(fact->key, "health") == 0)
            check_health(wrong, fact, reading);
        else if (strcmp(fact->key, "names") == 0)
            check_texts(wrong, fact, reading, "npu.name");
        else if (strcmp(fact->key, "temps") == 0)
            check_numbers(wrong, fact, reading, "npu.temperature");
        else if (strcmp(fact->key, "power_w") == 0)
            check_numbers(wrong, fact, reading, "npu.power");
        else if (strcmp(fact->key, "mem") == 0)
            check_usage(wrong, fact, reading, "npu.memory_used", "npu.memory_total");
        else if (strcmp(fact->key, "hbm") == 0)
            check_usage(wrong, fact, reading, "npu.hbm_used", "npu.hbm_total");
        else if (strcmp(fact->key, "rows") == 0) {
            double rows = 0;

            while (nth_fact(reading, "npu.health", (size_t)rows) != NULL)
                rows++;
            fact_number(wrong, fact, rows);
        } else
            fact_wrong(wrong, fact, "is not compared");
    }
}
