/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dcgmi diag. A test that is skipped was not done, whatever the table's colour: what the suite owes must say
 * pass on every GPU by name.
 */
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/check.h"
#include "assay/reasons/parse.h"

#include "rules.h"

/* From which level a test of GPUs is part of `dcgmi diag -r LEVEL` (docs.nvidia.com/datacenter/dcgm: DCGM Diagnostics). */
static const struct {
    const char *slug;
    unsigned level;
} tests[] = {
    {"gpu_memory", 2},      {"pcie", 2},           {"memory_bandwidth", 3}, {"diagnostic", 3},
    {"targeted_stress", 3}, {"targeted_power", 3}, {"memtest", 4},          {"pulse_test", 4},
};

enum { LEVEL_OF_LOAD = 3 }; /* targeted_stress, targeted_power */

/* What every level runs first, on the host as a whole. DCGM 4 says one word for all: "software". */
static const char *const deployment[] = {
    "denylist",         "nvml_library",          "cuda_main_library",         "permissions_and_os_blocks",
    "persistence_mode", "environment_variables", "page_retirement_row_remap", "graphics_processes",
    "inforom",
};

static void command(const struct check_context *context, struct text *out)
{
    command_tool(context, out, "dcgmi");
    text_printf(out, " diag -r %.0f -j", check_number(context, "level"));
}

static const struct limit done_and_passed[] = {
    {.metric = "dcgm.*",
     .rule = RULE_ONE_OF,
     .text = "pass|warn|fail",
     .source = "dcgmi diag",
     .status = LIMIT_TOOL,
     .note = REASON(skipped_test_not_done),
     .inconclusive = true},
    {.metric = "dcgm.*", .rule = RULE_EQUAL, .text = "pass", .source = "dcgmi diag", .status = LIMIT_TOOL},
    {0},
};

/* Whether all of them were done; what one of them found is told by itself. */
static void tell_deployment(struct reading *out)
{
    const char *missing = "";

    if (reading_get_fact(out, "dcgm.software", "host") == NULL)
        for (size_t i = 0; i < ARRAY_SIZE(deployment); i++)
            if (reading_get_fact(out, arena_printf(out->arena, "dcgm.%s", deployment[i]), "host") == NULL)
                missing = arena_add_word(out->arena, missing, deployment[i]);
    if (*missing != '\0')
        reading_fact_said(out, "dcgm.deployment", "", reason(out->arena, tests_not_done, missing));
    else
        reading_fact(out, "dcgm.deployment", "", slice_of("done"));
}

static void read_diag(const struct check_context *context, const struct attempt *attempt, struct reading *out)
{
    read_parts(context, attempt, out);
    if (out->status == READING_COMPLETE)
        tell_deployment(out);
}

static void test_slots(const struct check_context *context, struct slot_list *slots, const char *slug)
{
    for (unsigned i = 0; i < context->platform->gpu_count; i++)
        slot_add(context, slots, arena_printf(context->arena, "dcgm.%s", slug),
                 arena_printf(context->arena, "gpu%u", i), NULL, DUTY_GATE, done_and_passed);
}

/* NVIDIA's extended utility diagnostics are a package of their own, and run where it is installed. What they find is told
   as of any test; that they were not there is written down. */
static void eud_slots(const struct check_context *context, struct slot_list *slots)
{
    enum { LEVEL_OF_EUD = 3 };
    const struct limit *rules =
        rules_new(context, LIMITS RULES_ONE_OF("dcgm.eud_test", "pass|skip", "dcgmi diag"));

    for (unsigned i = 0; check_number(context, "level") >= LEVEL_OF_EUD && i < context->platform->gpu_count;
         i++)
        slot_add(context, slots, "dcgm.eud_test", arena_printf(context->arena, "gpu%u", i), NULL, DUTY_RECORD,
                 rules);
}

static void slots_of_level(const struct check_context *context, struct slot_list *slots)
{
    const struct json *owed = json_get(context->step->arguments, "tests");

    eud_slots(context, slots);

    json_each (test, owed)
        test_slots(context, slots, test->string);
    for (size_t i = 0; owed == NULL && i < ARRAY_SIZE(tests); i++)
        if (tests[i].level <= check_number(context, "level"))
            test_slots(context, slots, tests[i].slug);
}

static unsigned expected_s(const struct check_context *context)
{
    static const unsigned seconds[] = {10, 180, 1200, 7200};
    double level = check_number(context, "level");

    return seconds[level < 4 ? (size_t)level - 1 : 3];
}

/* Those below have no test among their own that keeps the GPUs busy. */
static bool is_quick(const struct check_context *context)
{
    return check_number(context, "level") < LEVEL_OF_LOAD;
}

const struct check check_dcgm_diag = {
    .name = "dcgm-diag",
    .title = "DCGM diagnostics",
    .summary = "dcgmi diag: every required test passes on every GPU; skipped is not passed",
    .on = ON_GPUS,
    .concerns = OF_GPU,
    .as_root = true,
    .exclusive = EXCLUSIVE_HOST,
    .window = true,
    .loads = LOAD_GPUS | LOAD_NVLINKS,
    .slight = is_quick,
    .arguments = ARGUMENTS(
        {"level", ARGUMENT_COUNT, "3",
         "dcgmi diag -r: 1 seconds, 2 about 2 minutes, 3 about 15 minutes, 4 an hour or more", MORE_IS_MORE},
        {"tests", ARGUMENT_LIST, NULL,
         "tests that every GPU must pass, by their names in the report; default: those of the level",
         WORDS_ARE_MORE}),
    .parts = PARTS({"main", "dcgm-diag", command, NULL}),
    .items = ITEMS({"dcgm.deployment", PER_TARGET, NULL, DUTY_GATE,
                    LIMITS RULES_EQUAL("dcgm.deployment", "done", "dcgmi diag", .inconclusive = true,
                                       .note = REASON(untold_test_not_done))},
                   {"dcgm.version", PER_TARGET, NULL, DUTY_RECORD, NULL}),
    /* By what DCGM says of the test; a fail of a test itself stands last. */
    .remedies =
        REMEDIES({"dcgm.inforom", REASON(mend_inforom)},
                 {"*", REASON(mend_inforom), .about = &sentence_says_of_inforom},
                 {"*", REASON(mend_inforom), .about = &sentence_inforom_test_says},
                 {"dcgm.*", REASON(ask_for_level_that_runs), .about = &sentence_no_value_in_whole_output},
                 {"dcgm.*", REASON(mend_why_test_was_skipped), .about = &sentence_test_skipped},
                 {"dcgm.*", REASON(do_what_dcgm_warns_of), .about = &sentence_test_warned},
                 {"dcgm.*", REASON(reset_gpu_diagnose_again)}, {"sound", REASON(see_hostengine_runs)}),
    .more_slots = slots_of_level,
    .plain = PLAIN_WORDS({"dcgm.*", PLAIN(dcgm_test_not_passed, PLAIN_PART, PLAIN_MEASURED, PLAIN_METRIC)}),
    .listed = LISTED({LISTED_HOSTS, "dcgm.version", REASON(title_dcgm)}),
    .expected = expected_s,
    .read = read_diag,
};
