/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether what a host runs is still supported by its maker on the day of the run. Until when what is supported is no matter of
 * this file, but of tables with a date (advisory.h): the built-in one, or those that the suite names. All is recorded, with a
 * remark where support has ended; a suite that wants more puts the metrics into "gate".
 *
 *   support.PRODUCT.version   as the host says it
 *   support.PRODUCT.until     the last day or month, where it is known
 *   support.PRODUCT           "supported", "not installed", or since when it is not. Without a value where nobody knows
 *   support.tables            "current", or which of them was reviewed more than a year before
 */
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

#include "rules.h"
#include "script.h"
#include "tables_age.h"

#define NOT_INSTALLED "not installed"
#define SUPPORTED "supported"

enum { DAY_LENGTH = 10 };

static const struct product {
    const char *name, *metric, *version, *until;
} driver = {"nvidia-driver", "support.nvidia_driver", "support.nvidia_driver.version",
            "support.nvidia_driver.until"},
  os = {"os", "support.os", "support.os.version", "support.os.until"},
  kernel = {"kernel", "support.kernel", "support.kernel.version", "support.kernel.until"};

static const struct product *const products[] = {&driver, &os, &kernel};

/* -- Reading -- */

/* "2027-06-01": what else a system writes there is no day. */
static bool is_day(const char *text)
{
    return strlen(text) == DAY_LENGTH && strspn(text, "0123456789") == strlen("2027") &&
           strspn(text, "0123456789-") == DAY_LENGTH;
}

/* What os-release(5) says of its own system, where no table does; NULL: nothing. */
static const struct support *own_end(const struct reading *out, const char *version)
{
    const char *end = reading_get_fact(out, "support.os.end", "");
    struct support *row;

    if (end == NULL || !is_day(end))
        return NULL;
    row = arena_new(out->arena, struct support);
    *row = (struct support){.product = os.name,
                            .branch = version,
                            .ends = end,
                            .status = "vendor",
                            .source = "SUPPORT_END, /etc/os-release"};
    return row;
}

static const struct support *row_of(const struct reading *out, const struct advisory_tables *tables,
                                    const struct product *product)
{
    const char *version = reading_get_fact(out, product->version, "");
    const struct support *row = version != NULL ? support_of(tables, product->name, version) : NULL;

    return row != NULL || version == NULL || product != &os ? row : own_end(out, version);
}

/* The kernel of a distribution is supported as long as that. */
static const struct support *row_of_kernel(const struct reading *out, const struct advisory_tables *tables)
{
    const struct support *row = row_of(out, tables, &kernel);
    const char *maker = reading_get_fact(out, "support.kernel.maker", "");

    return row == NULL && maker != NULL && strcmp(maker, "distribution") == 0 ? row_of(out, tables, &os)
                                                                              : row;
}

/* The day is after that day or month; a month is a shorter word. */
static bool is_over(const char *day, const char *end)
{
    return strncmp(day, end, strlen(end)) > 0;
}

static void tell_row(struct reading *out, const struct product *product, const char *version,
                     const struct support *row, const char *day)
{
    const struct reason *ended = NULL;

    if (row->ends != NULL)
        reading_fact(out, product->until, "", slice_of(row->ends));
    if (row->ends != NULL && is_over(day, row->ends))
        ended = reason(out->arena, support_ended, version, row->ends, row->status, row->source);
    else if (row->ends == NULL && strncmp(day, row->ended_by, strlen(row->ended_by)) >= 0)
        ended = reason(out->arena, support_ended_by, version, row->ended_by, row->status, row->source);
    if (ended != NULL)
        reading_fact_said(out, product->metric, "", ended);
    else if (row->ends != NULL)
        reading_fact(out, product->metric, "", slice_of(SUPPORTED));
}

static void judge_product(struct reading *out, const struct advisory_tables *tables,
                          const struct product *product, const char *day)
{
    const char *version = reading_get_fact(out, product->version, "");
    const struct support *row =
        product == &kernel ? row_of_kernel(out, tables) : row_of(out, tables, product);

    if (version == NULL || day == NULL)
        reading_unread(out, product->metric, "", reason(out->arena, no_version_told, product->name));
    else if (strcmp(version, NOT_INSTALLED) == 0)
        reading_fact(out, product->metric, "", slice_of(NOT_INSTALLED));
    else if (row == NULL)
        reading_unread(out, product->metric, "", reason(out->arena, support_in_no_table, version));
    else
        tell_row(out, product, version, row, day);
}

static void read_versions(const struct check_context *context, const struct attempt *attempt,
                          struct reading *out)
{
    static const struct advisory_tables none;
    const struct advisory_tables *tables = context->advisories != NULL ? context->advisories : &none;
    const char *day = day_of(out->arena, attempt, 0);

    read_parts(context, attempt, out);
    for (size_t i = 0; i < ARRAY_SIZE(products); i++)
        judge_product(out, tables, products[i], day);
    tables_tell_age(out, "support.tables", tables, attempt);
}

/* -- What is required -- */

#define TABLES "assay: tables of support dates that the suite names"

static void slots_of_products(const struct check_context *context, struct slot_list *slots)
{
    for (size_t i = 0; i < ARRAY_SIZE(products); i++) {
        const char *metric = products[i]->metric;

        slot_add(context, slots, metric, "", NULL, DUTY_RECORD,
                 rules_new(context, LIMITS RULES_ONE_OF(metric, SUPPORTED "|" NOT_INSTALLED, TABLES)));
        slot_add(context, slots, products[i]->version, "", NULL, DUTY_RECORD, NULL);
        slot_add(context, slots, products[i]->until, "", NULL, DUTY_RECORD, NULL);
    }
}

const struct check check_support = {
    .name = "support",
    .title = "Support by the makers",
    .summary =
        "until when driver, operating system and kernel are supported; recorded unless the suite gates it",
    .concerns = OF_HOST,
    .passive = true,
    .advisories = true,
    .parts = PARTS({"values", "key-value", .script = script_support,
                    .typed = "cat /proc/driver/nvidia/version /etc/os-release; uname -rv"}),
    .items = ITEMS({"support.tables", PER_TARGET, NULL, DUTY_RECORD,
                    LIMITS RULES_EQUAL("support.tables", TABLES_CURRENT, TABLES)}),
    .remedies = REMEDIES({"support.tables", REASON(take_newer_support_table)},
                         {"support.*", REASON(move_to_supported_branch)}),
    .more_slots = slots_of_products,
    .expected_s = 5,
    .read = read_versions,
};
