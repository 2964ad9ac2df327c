/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Versions on a host beside known security advisories. Which version fixes what is no matter of this file, but of tables
 * with a date (advisory.h): the built-in one, or those that the suite names. All is recorded, with a remark where a version
 * is too old; a suite that wants more puts the metrics into "gate".
 *
 *   advisories.PRODUCT.version   as the host says it, "not installed" where it is not there
 *   advisories.PRODUCT           "none known", "not installed", or the advisories whose fix it lacks. Without a value where
 *                                no table is complete for its branch
 *   advisories.tables            "current", or which of them was reviewed more than a year before
 */
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

#include "rules.h"
#include "script.h"
#include "tables_age.h"

#define NOT_INSTALLED "not installed"
#define NONE_KNOWN "none known"

static const struct product {
    const char *name, *metric, *version;
} products[] = {
    {"nvidia-driver", "advisories.nvidia_driver", "advisories.nvidia_driver.version"},
    {"nvidia-container-toolkit", "advisories.nvidia_container_toolkit",
     "advisories.nvidia_container_toolkit.version"},
    {"libnvidia-container", "advisories.libnvidia_container", "advisories.libnvidia_container.version"},
    {"dcgm", "advisories.dcgm", "advisories.dcgm.version"},
};

/* -- Reading -- */

/* The advisories whose fix this version lacks; NULL: none. */
static const struct reason *open_in(struct arena *arena, const struct advisories *table,
                                    const struct product *product, const char *version,
                                    const struct reason *open)
{
    list_each (row, table->rows) {
        const char *fix = strcmp(row->product, product->name) == 0 ? advisory_fix_for(row, version) : NULL;

        if (fix != NULL)
            open = reason_also(arena, open,
                               reason(arena, advisory_open, row->ids, fix, row->severity, row->published,
                                      row->status, row->source));
    }
    return open;
}

/* "580, 595"; NULL: the table does not speak of the product. */
static const char *branches_of(struct arena *arena, const struct advisories *table,
                               const struct product *product)
{
    const char *text = NULL;

    for (size_t i = 0; i < table->branches.count; i++)
        if (strcmp(table->branches.items[i].product, product->name) == 0)
            text = text == NULL ? table->branches.items[i].branch
                                : arena_printf(arena, "%s, %s", text, table->branches.items[i].branch);
    return text;
}

/* Why nobody can say that the version lacks no fix; NULL: a table is complete for it. */
static const struct reason *why_unknown(struct arena *arena, const struct advisory_tables *tables,
                                        const struct product *product, const char *version)
{
    const struct reason *why = NULL;

    for (size_t i = 0; i < tables->items.count; i++) {
        const struct advisories *table = tables->items.items[i];
        const char *branches = branches_of(arena, table, product);

        if (advisories_cover(table, product->name, version))
            return NULL;
        if (branches != NULL)
            why = reason_also(
                arena, why,
                reason(arena, branch_not_in_table, version, table->name, table->reviewed, branches));
    }
    return why != NULL ? why : REASON(product_in_no_table);
}

static void judge_product(struct reading *out, const struct advisory_tables *tables,
                          const struct product *product)
{
    const char *version = reading_get_fact(out, product->version, "");
    const struct reason *open = NULL, *unknown;

    if (version == NULL) {
        reading_unread(out, product->metric, "", reason(out->arena, no_version_told, product->name));
        return;
    }
    if (strcmp(version, NOT_INSTALLED) == 0) {
        reading_fact(out, product->metric, "", slice_of(NOT_INSTALLED));
        return;
    }
    for (size_t i = 0; i < tables->items.count; i++)
        open = open_in(out->arena, tables->items.items[i], product, version, open);
    unknown = strstr(version, "rc") != NULL ? reason(out->arena, version_is_candidate, version)
                                            : why_unknown(out->arena, tables, product, version);
    if (open != NULL)
        reading_fact_said(out, product->metric, "", reason(out->arena, about, version, open));
    else if (unknown != NULL)
        reading_unread(out, product->metric, "", unknown);
    else
        reading_fact(out, product->metric, "", slice_of(NONE_KNOWN));
}

static void read_versions(const struct check_context *context, const struct attempt *attempt,
                          struct reading *out)
{
    static const struct advisory_tables none;
    const struct advisory_tables *tables = context->advisories != NULL ? context->advisories : &none;

    read_parts(context, attempt, out);
    for (size_t i = 0; i < ARRAY_SIZE(products); i++)
        judge_product(out, tables, &products[i]);
    tables_tell_age(out, "advisories.tables", tables, attempt);
}

/* -- What is required -- */

#define TABLES "assay: tables of advisories that the suite names"

static void slots_of_products(const struct check_context *context, struct slot_list *slots)
{
    for (size_t i = 0; i < ARRAY_SIZE(products); i++) {
        const char *metric = products[i].metric;

        slot_add(context, slots, metric, "", NULL, DUTY_RECORD,
                 rules_new(context, LIMITS RULES_ONE_OF(metric, NONE_KNOWN "|" NOT_INSTALLED, TABLES)));
        slot_add(context, slots, products[i].version, "", NULL, DUTY_RECORD, NULL);
    }
}

const struct check check_advisories = {
    .name = "advisories",
    .title = "Security advisories",
    .summary =
        "versions of driver, container toolkit and DCGM beside known advisories; recorded unless the suite gates it",
    .concerns = OF_HOST,
    .passive = true,
    .advisories = true,
    .parts = PARTS(
        {"values", "key-value", .script = script_advisories,
         .typed =
             "cat /proc/driver/nvidia/version; nvidia-ctk --version; nvidia-container-cli --version; dcgmi --version"}),
    .items = ITEMS({"advisories.tables", PER_TARGET, NULL, DUTY_RECORD,
                    LIMITS RULES_EQUAL("advisories.tables", TABLES_CURRENT, TABLES)}),
    .remedies =
        REMEDIES({"advisories.tables", REASON(take_newer_table)}, {"*", REASON(update_fixed_version)}),
    .more_slots = slots_of_products,
    .expected_s = 5,
    .read = read_versions,
};
