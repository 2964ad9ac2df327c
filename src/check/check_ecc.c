/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the GPUs remember of memory errors: ECC counters, rows that were remapped, pages that were retired. A
 * GPU with a repair that waits for a reset, or one that could not be made, is not handed over.
 */
#include <string.h>

#include "assay/reasons/check.h"

#include "rules.h"
#include "smi.h"

/* How many pages of each GPU were retired, for whatever error. N/A, as GPUs with a row remapper say, is no number. */
static void count_retired(struct reading *out)
{
    size_t count = out->facts.count;

    for (size_t i = 0; i < count; i++) {
        const char *gpu = out->facts.items[i].subject;
        const struct measurement *single = reading_get(out, "retired_pages.single_bit", gpu),
                                 *twice = reading_get(out, "retired_pages.double_bit", gpu);

        if (strcmp(out->facts.items[i].name, "gpu.uuid") == 0 && single != NULL && twice != NULL)
            (void)reading_measure(out, "retired_pages.all", gpu, single->value + twice->value, "");
    }
}

static void read_memory(const struct check_context *context, const struct attempt *attempt,
                        struct reading *out)
{
    read_parts(context, attempt, out);
    smi_leave_to_owner(context, out);
    if (out->status != READING_COMPLETE)
        return;
    /* The first release in whose output each was seen on an A100 or later. */
    smi_field_missing(out, "ecc.sram_threshold_exceeded", 550);
    smi_field_missing(out, "ecc.unrepairable_memory", 595);
    smi_field_missing(out, "retired_pages.pending", 0);
    count_retired(out);
}

/* One that came in this run is one too many. */
static const struct limit uncorrectable_rules[] = {
    {.metric = "remapped_rows.uncorrectable",
     .rule = RULE_CEILING,
     .value = 512,
     .unit = "",
     .status = LIMIT_VENDOR,
     .source = "limit of a cloud: OCI 512 (oracle-quickstart/oci-hpc healthchecks)"},
    {RULE_NOT_GROWN("remapped_rows.uncorrectable")},
    {0}};

/* The count of the GPU's life stays where a driver that is loaded again has forgotten the other one. */
static void slots_of_life(const struct check_context *context, struct slot_list *slots)
{
    static const struct limit none_more[] = RULES(RULE_NOT_GROWN("ecc.aggregate.uncorrected"));
    bool again = rules_look_again(context);

    for (unsigned i = 0; i < context->platform->gpu_count; i++)
        slot_add(context, slots, "ecc.aggregate.uncorrected", arena_printf(context->arena, "gpu%u", i), NULL,
                 again ? DUTY_GATE : DUTY_RECORD, again ? none_more : NULL);
}

const struct check check_ecc = {
    .name = "ecc",
    .title = "GPU memory errors",
    .summary = "no uncorrected ECC error, no remapping that failed or waits for a reset, spare rows left",
    .on = ON_GPUS,
    .concerns = OF_GPU,
    .passive = true,
    .loads = LOAD_GPUS,
    .parts = PARTS({"nvidia-smi", "nvidia-smi", command_nvidia_smi_query, NULL}),
    .items = ITEMS(
        {"ecc.volatile.uncorrected", PER_GPU, NULL, DUTY_GATE,
         LIMITS RULES(
                 .metric = "ecc.volatile.uncorrected", .rule = RULE_CEILING, .value = 0, .unit = "",
                 .status = LIMIT_VENDOR,
                 .source =
                     "docs.nvidia.com/health-validation/reference/checks/xid: an uncorrected error (Xid 48) is "
                     "critical")},
        {"ecc.sram_threshold_exceeded", PER_GPU, NULL, DUTY_GATE,
         LIMITS RULES_ONE_OF("ecc.sram_threshold_exceeded", "No|N/A|" SMI_NOT_IN_DRIVER, "nvidia-smi")},
        {"ecc.unrepairable_memory", PER_GPU, NULL, DUTY_GATE,
         LIMITS RULES_ONE_OF("ecc.unrepairable_memory", "No|N/A|" SMI_NOT_IN_DRIVER, "nvidia-smi")},
        {"remapped_rows.pending", PER_REMAPPER, NULL, DUTY_GATE,
         LIMITS RULES_EQUAL("remapped_rows.pending", "No", "nvidia-smi")},
        {"remapped_rows.failure", PER_REMAPPER, NULL, DUTY_GATE,
         LIMITS RULES_EQUAL("remapped_rows.failure", "No", "nvidia-smi")},
        {"remapped_rows.uncorrectable", PER_REMAPPER, NULL, DUTY_GATE, uncorrectable_rules},
        {"remapped_rows.banks_none", PER_REMAPPER, NULL, DUTY_GATE,
         LIMITS RULES(.metric = "remapped_rows.banks_none", .rule = RULE_CEILING, .value = 0, .unit = "",
                      .status = LIMIT_FIELD,
                      .source = "leptonai/gpud, stas00/ml-engineering compute/accelerator/nvidia/debug.md: a "
                                "bank without spare "
                                "rows")},
        {"retired_pages.pending", PER_GPU, NULL, DUTY_GATE,
         LIMITS RULES_ONE_OF("retired_pages.pending", "No|N/A", "nvidia-smi")},
        {"retired_pages.all", PER_RETIRER, NULL, DUTY_GATE,
         LIMITS RULES(.metric = "retired_pages.all", .rule = RULE_CEILING, .value = 63, .unit = "",
                      .status = LIMIT_VENDOR, .source = "NVIDIA/DCGM nvvs: 63 retired pages and no more")},
        {"remapped_rows.correctable", PER_REMAPPER, NULL, DUTY_RECORD, NULL},
        {"ecc.volatile.corrected", PER_GPU, NULL, DUTY_RECORD, NULL},
        {"ecc.aggregate.corrected", PER_GPU, NULL, DUTY_RECORD, NULL}),
    .remedies = REMEDIES({"ecc.volatile.uncorrected", REASON(reset_gpu_if_again_diagnose)},
                         {"ecc.aggregate.uncorrected", REASON(reset_gpu_if_again_diagnose)},
                         {"ecc.*", REASON(more_than_maker_allows)},
                         {"remapped_rows.pending", REASON(reset_gpu_number_test_again)},
                         {"remapped_rows.*", REASON(run_field_diagnostic)},
                         {"retired_pages.all", REASON(run_field_diagnostic)},
                         {"retired_pages.pending", REASON(reset_gpu_test_again)},
                         {"sound", REASON(see_xid_lines_of_gpu)}),
    .more_slots = slots_of_life,
    .plain =
        PLAIN_WORDS({"ecc.volatile.uncorrected*", PLAIN(gpu_has_memory_errors, PLAIN_PART, PLAIN_MEASURED)},
                    {"remapped_rows.pending*", PLAIN(gpu_row_awaits_remap, PLAIN_PART)}),
    .expected_s = 5,
    .read = read_memory,
};
