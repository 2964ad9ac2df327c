/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "fixtures.h"

static size_t count_facts(const struct reading *reading, const char *name, const char *text)
{
    size_t count = 0;

    for (size_t i = 0; i < reading->facts.count; i++)
        count += strcmp(reading->facts.items[i].name, name) == 0 &&
                 strstr(reading->facts.items[i].value, text) != NULL;
    return count;
}

/* The only link of a filtered text, whatever its subject. */
static double only_link(const struct reading *reading, const char *metric)
{
    double value = -1;

    for (size_t i = 0; i < reading->measurements.count; i++)
        if (strcmp(reading->measurements.items[i].metric, metric) == 0)
            value = reading->measurements.items[i].value;
    return value;
}

/* {"speed": "16GT/s", "width": 16} */
static void check_link(struct text *wrong, const struct json *fact, const struct reading *reading,
                       const char *speed_metric, const char *width_metric)
{
    const struct json *speed = json_get(fact, "speed");
    char found[32];

    snprintf(found, sizeof found, "%gGT/s", only_link(reading, speed_metric));
    fact_string(wrong, speed, found);
    fact_number(wrong, json_get(fact, "width"), only_link(reading, width_metric));
}

static const char *full_address(const char *address, char *buffer, size_t size)
{
    snprintf(buffer, size, "0000:%s", address);
    return buffer;
}

static bool has_finding(const struct reading *reading, const char *code, const char *subject)
{
    for (size_t i = 0; i < reading->findings.count; i++)
        if (strcmp(reading->findings.items[i].code, code) == 0 &&
            strcmp(reading->findings.items[i].subject, subject) == 0)
            return true;
    return false;
}

/* [["01:00.0", "Speed 2.5GT/s (downgraded), Width x8 (downgraded)"]]: these and no others. */
static void check_downgraded(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    size_t expected = 0;

    json_each (pair, fact) {
        const char *address = pair->items->string, *text = pair->items->next->string;
        char subject[32];
        bool narrow = strstr(strstr(text, "Width"), "downgraded") != NULL;
        bool slow = strstr(text, "GT/s (downgraded)") != NULL;

        full_address(address, subject, sizeof subject);
        if (has_finding(reading, "pcie.width_downgraded", subject) != narrow ||
            has_finding(reading, "pcie.speed_downgraded", subject) != slow)
            fact_wrong(wrong, fact, "%s is not found so", address);
        expected += (size_t)narrow + (size_t)slow;
    }
    if (count_findings(reading, NULL, "downgraded") != expected)
        fact_wrong(wrong, fact, "expected %zu findings", expected);
}

static void check_dead(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    json_each (item, fact) {
        char subject[32];

        if (!has_finding(reading, "pci.dead", full_address(item->string, subject, sizeof subject)))
            fact_wrong(wrong, fact, "%s is not found", item->string);
    }
    if (count_findings(reading, "pci.dead", NULL) != fact->count)
        fact_wrong(wrong, fact, "others are found too");
}

static void check_no_gpus(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    json_each (item, fact) {
        char subject[32];

        if (reading_get_fact(reading, "pci.gpu", full_address(item->string, subject, sizeof subject)) != NULL)
            fact_wrong(wrong, fact, "%s counts as a GPU", item->string);
    }
}

void check_lspci(const char *path, const struct json *facts, const struct reading *reading,
                 struct text *wrong)
{
    (void)path;
    json_each (fact, facts) {
        if (strcmp(fact->key, "cap") == 0)
            check_link(wrong, fact, reading, "pcie.link.speed.max", "pcie.link.width.max");
        else if (strcmp(fact->key, "sta") == 0)
            check_link(wrong, fact, reading, "pcie.link.speed", "pcie.link.width");
        else if (strcmp(fact->key, "speed_downgraded") == 0)
            fact_true(wrong, fact, count_findings(reading, "pcie.speed_downgraded", NULL) > 0, "otherwise");
        else if (strcmp(fact->key, "width_downgraded") == 0)
            fact_true(wrong, fact, count_findings(reading, "pcie.width_downgraded", NULL) > 0, "otherwise");
        else if (strcmp(fact->key, "slot") == 0) {
            if (count_facts(reading, "pci.slot", fact->string) != 1)
                fact_wrong(wrong, fact, "no such slot");
        } else if (strcmp(fact->key, "dead_mark") == 0) {
            if (count_findings(reading, "pci.dead", fact->string) == 0)
                fact_wrong(wrong, fact, "no finding says so");
        } else if (strcmp(fact->key, "nvidia") == 0)
            fact_number(wrong, fact, (double)count_facts(reading, "pci.gpu", "yes"));
        else if (strcmp(fact->key, "nvidia_gpus") == 0 || strcmp(fact->key, "nvidia_3d_controllers") == 0)
            fact_number(wrong, fact, (double)count_facts(reading, "pci.gpu", "yes"));
        else if (strcmp(fact->key, "nvidia_devices") == 0)
            fact_number(wrong, fact, (double)count_facts(reading, "pci.name", "NVIDIA"));
        else if (strcmp(fact->key, "lines") == 0)
            fact_number(wrong, fact, (double)count_facts(reading, "pci.name", ""));
        else if (strcmp(fact->key, "downgraded") == 0)
            check_downgraded(wrong, fact, reading);
        else if (strcmp(fact->key, "dead") == 0)
            check_dead(wrong, fact, reading);
        else if (strcmp(fact->key, "other_vga") == 0)
            check_no_gpus(wrong, fact, reading);
        else
            fact_wrong(wrong, fact, "is not compared");
    }
}
