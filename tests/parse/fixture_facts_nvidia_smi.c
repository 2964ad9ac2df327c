/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures.h"

static const char *gpu_fact(const struct reading *reading, unsigned gpu, const char *name)
{
    char subject[16];

    snprintf(subject, sizeof subject, "gpu%u", gpu);
    return reading_get_fact(reading, name, subject);
}

static double gpu_value(const struct reading *reading, unsigned gpu, const char *metric)
{
    char subject[16];
    const struct measurement *measurement;

    snprintf(subject, sizeof subject, "gpu%u", gpu);
    measurement = find_measurement(reading, metric, subject);
    return measurement != NULL ? measurement->value : -1e300;
}

static unsigned count_subjects(const struct reading *reading)
{
    unsigned count = 0;

    for (unsigned gpu = 0; gpu < 64; gpu++) {
        bool found = false;
        char subject[16];

        snprintf(subject, sizeof subject, "gpu%u", gpu);
        for (size_t i = 0; i < reading->facts.count && !found; i++)
            found = strcmp(reading->facts.items[i].subject, subject) == 0;
        count += found;
    }
    return count;
}

/* What the tool says it has, where it says so; else the GPUs that are there (a table that is cut says
 * nothing). */
static void check_count(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    const char *count = reading_get_fact(reading, "gpu.count", "");
    const struct measurement *measured = find_measurement(reading, "gpu.count", "");

    fact_number(wrong, fact, count != NULL ? strtod(count, NULL) : count_subjects(reading));
    if (measured != NULL)
        fact_number(wrong, fact, measured->value);
}

static void check_model(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    for (unsigned gpu = 0; gpu < count_subjects(reading); gpu++)
        fact_string(wrong, fact, gpu_fact(reading, gpu, "gpu.name"));
}

/* A list with one number, or one text with its unit ("0%"), for each GPU. */
static void check_list(struct text *wrong, const struct json *fact, const struct reading *reading,
                       const char *metric)
{
    unsigned gpu = 0;

    json_each (item, fact) {
        char *text = mem_printf("%g%%", gpu_value(reading, gpu, metric));

        if (item->type == JSON_NUMBER)
            fact_number(wrong, item, gpu_value(reading, gpu, metric));
        else
            fact_string(wrong, item, text);
        free(text);
        gpu++;
    }
}

/* The same number, or text with its unit, on every GPU. */
static void check_each(struct text *wrong, const struct json *fact, const struct reading *reading,
                       const char *metric)
{
    for (unsigned gpu = 0; gpu < count_subjects(reading); gpu++)
        fact_number(wrong, fact, gpu_value(reading, gpu, metric));
}

static void check_text_value(struct text *wrong, const struct json *fact, const struct reading *reading,
                             const char *metric, const char *unit)
{
    char *text = mem_printf("%.0f %s", gpu_value(reading, 0, metric), unit);

    fact_string(wrong, fact, text);
    free(text);
}

/* ["5/5"], ["16x/16x"]: maximum and current of every GPU. */
static void check_pairs(struct text *wrong, const struct json *fact, const struct reading *reading,
                        const char *unit, const char *first, const char *second)
{
    for (unsigned gpu = 0; gpu < count_subjects(reading); gpu++) {
        char found[64];

        snprintf(found, sizeof found, "%.0f%s/%.0f%s", gpu_value(reading, gpu, first), unit,
                 gpu_value(reading, gpu, second), unit);
        fact_string(wrong, fact->items, found);
    }
}

static void check_fabric(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    for (unsigned gpu = 0; gpu < count_subjects(reading); gpu++) {
        const char *state = gpu_fact(reading, gpu, "fabric.state");
        const char *status = gpu_fact(reading, gpu, "fabric.status");
        char found[64];

        snprintf(found, sizeof found, "%s/%s", state != NULL ? state : "?", status != NULL ? status : "?");
        fact_string(wrong, fact->items, found);
    }
}

static void check_first_remap(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    fact_number(wrong, json_get(fact, "correctable"), gpu_value(reading, 0, "remapped_rows.correctable"));
    fact_number(wrong, json_get(fact, "uncorrectable"), gpu_value(reading, 0, "remapped_rows.uncorrectable"));
    fact_string(wrong, json_get(fact, "pending"), gpu_fact(reading, 0, "remapped_rows.pending"));
    fact_string(wrong, json_get(fact, "failure"), gpu_fact(reading, 0, "remapped_rows.failure"));
}

/* [[0, 0, 4, "Yes", "No"]]: GPU, correctable, uncorrectable, pending, failure. */
static void check_remaps(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    json_each (row, fact) {
        const struct json *item = row->items;
        unsigned gpu = (unsigned)item->number;

        item = item->next;
        fact_number(wrong, item, gpu_value(reading, gpu, "remapped_rows.correctable"));
        item = item->next;
        fact_number(wrong, item, gpu_value(reading, gpu, "remapped_rows.uncorrectable"));
        item = item->next;
        fact_string(wrong, item, gpu_fact(reading, gpu, "remapped_rows.pending"));
        item = item->next;
        fact_string(wrong, item, gpu_fact(reading, gpu, "remapped_rows.failure"));
    }
}

static void check_clean_remaps(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    for (unsigned gpu = 0; gpu < count_subjects(reading); gpu++)
        if (gpu_value(reading, gpu, "remapped_rows.correctable") != 0 ||
            gpu_value(reading, gpu, "remapped_rows.uncorrectable") != 0 ||
            strcmp(gpu_fact(reading, gpu, "remapped_rows.pending"), "No") != 0 ||
            strcmp(gpu_fact(reading, gpu, "remapped_rows.failure"), "No") != 0)
            fact_wrong(wrong, fact, "gpu%u is not clean", gpu);
}

static void check_indexes(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    unsigned seen = 0;

    json_each (item, fact) {
        if (gpu_fact(reading, (unsigned)item->number, "gpu.name") == NULL)
            fact_wrong(wrong, fact, "gpu%g is missing", item->number);
        seen++;
    }
    if (count_subjects(reading) != seen)
        fact_wrong(wrong, fact, "others are there too");
}

static void check_error(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    static const struct {
        const char *error, *code;
        bool failed; /* nothing else came */
    } errors[] = {{"driver_not_loaded", "gpu.driver", true},
                  {"gpu_lost", "gpu.lost", true},
                  {"unknown_error", "gpu.unknown_error", false}};

    for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
        if (strcmp(errors[i].error, fact->string) == 0) {
            if (count_findings(reading, errors[i].code, NULL) != 1 ||
                (reading->status == READING_FAILED) != errors[i].failed)
                fact_wrong(wrong, fact, "no such finding");
            return;
        }
    fact_wrong(wrong, fact, "is not compared");
}

static bool check_numbers(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    static const struct {
        const char *key, *metric;
        void (*check)(struct text *, const struct json *, const struct reading *, const char *);
    } rows[] = {
        {"mem_used_mib", "gpu.memory_used", check_list},
        {"util", "gpu.utilization", check_list},
        {"temp_c", "gpu.temperature", check_list},
        {"power_w", "gpu.power", check_list},
        {"power_cap_w", "gpu.power_limit", check_each},
        {"mem_total_mib", "gpu.memory_total", check_each},
        {"mem_total_mib0", "gpu.memory_total", check_each},
        {"ecc_uncorr", "ecc.volatile.uncorrected", check_list},
        {"dram_correctable_volatile", "ecc.volatile.dram_corrected", check_each},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (strcmp(rows[i].key, fact->key) == 0) {
            rows[i].check(wrong, fact, reading, rows[i].metric);
            return true;
        }
    return false;
}

static void check_buses(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    unsigned gpu = 0;

    json_each (item, fact)
        fact_string(wrong, item, gpu_fact(reading, gpu++, "gpu.pci"));
}

static void check_key(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    const char *key = fact->key;

    if (strcmp(key, "driver") == 0 || strcmp(key, "smi") == 0)
        fact_string(wrong, fact, reading_get_fact(reading, "driver.version", ""));
    else if (strcmp(key, "cuda") == 0)
        fact_string(wrong, fact, reading_get_fact(reading, "cuda.version", ""));
    else if (strcmp(key, "gpus") == 0)
        check_count(wrong, fact, reading);
    else if (strcmp(key, "gpu_blocks") == 0 || strcmp(key, "csv_rows") == 0)
        fact_number(wrong, fact, count_subjects(reading));
    else if (strcmp(key, "model") == 0)
        check_model(wrong, fact, reading);
    else if (strcmp(key, "fabric") == 0)
        check_fabric(wrong, fact, reading);
    else if (strcmp(key, "pcie_gen_max_cur") == 0)
        check_pairs(wrong, fact, reading, "", "pcie.generation.max", "pcie.generation");
    else if (strcmp(key, "pcie_width_max_cur") == 0)
        check_pairs(wrong, fact, reading, "x", "pcie.width.max", "pcie.width");
    else if (strcmp(key, "first_gpu_remap") == 0)
        check_first_remap(wrong, fact, reading);
    else if (strcmp(key, "remapped_rows_not_clean") == 0)
        check_remaps(wrong, fact, reading);
    else if (strcmp(key, "remapped_rows") == 0)
        check_clean_remaps(wrong, fact, reading);
    else if (strcmp(key, "indexes") == 0)
        check_indexes(wrong, fact, reading);
    else if (strcmp(key, "bus0") == 0)
        fact_string(wrong, fact, gpu_fact(reading, 0, "gpu.pci"));
    else if (strcmp(key, "bus_ids") == 0)
        check_buses(wrong, fact, reading);
    else if (strcmp(key, "mig") == 0)
        fact_string(wrong, fact, gpu_fact(reading, 0, "gpu.mig"));
    else if (strcmp(key, "temp0") == 0)
        check_text_value(wrong, fact, reading, "gpu.temperature", "C");
    else if (strcmp(key, "mem_total0") == 0)
        check_text_value(wrong, fact, reading, "gpu.memory_total", "MiB");
    else if (strcmp(key, "err_fields") == 0)
        fact_number(wrong, fact, (double)count_findings(reading, "gpu.err", NULL));
    else if (strcmp(key, "error") == 0)
        check_error(wrong, fact, reading);
    else
        fact_wrong(wrong, fact, "is not compared");
}

void check_nvidia_smi(const char *path, const struct json *facts, const struct reading *reading,
                      struct text *wrong)
{
    (void)path;
    json_each (fact, facts) {
        char subject[16];

        if (strcmp(fact->key, "bus") == 0) {
            if (count_findings(reading, NULL, fact->string) != 1)
                fact_wrong(wrong, fact, "no finding names it");
        } else if (strcmp(fact->key, "gpu") == 0) {
            snprintf(subject, sizeof subject, "gpu%.0f", fact->number);
            if (reading->findings.count != 1 || strcmp(reading->findings.items[0].subject, subject) != 0)
                fact_wrong(wrong, fact, "no finding about it");
        } else if (strcmp(fact->key, "mig_devices") == 0) {
            /* The devices that a GPU is cut into are not read, only that it is. */
            if (strcmp(gpu_fact(reading, 0, "gpu.mig"), "Enabled") != 0)
                fact_wrong(wrong, fact, "MIG is not enabled");
        } else if (!check_numbers(wrong, fact, reading)) {
            check_key(wrong, fact, reading);
        }
    }
}
