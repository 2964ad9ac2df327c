/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvbandwidth: copies between host memory and each GPU, which no other test measures, and between GPUs by the
 * copy engines. The tool is built by few sites: where it is missing nothing of that is known.
 */
#include <string.h>

#include "assay/check/check.h"
#include "assay/check/loads.h"
#include "assay/reasons/check.h"

#define DEFAULT_TESTS                                                                    \
    "host_to_device_memcpy_ce device_to_host_memcpy_ce device_to_device_memcpy_read_ce " \
    "device_to_device_memcpy_write_ce"

static void command(const struct check_context *context, struct text *out)
{
    struct slice tests = slice_of(check_text(context, "tests")), test;

    command_tool(context, out, "nvbandwidth");
    text_put(out, " -t");
    while (scan_word(&tests, &test)) {
        text_put(out, " ");
        text_shell_quote(out, arena_strndup(context->arena, test.bytes, test.length));
    }
}

/* Subjects are the cells as the tool's titles name them: reads point from row to column, writes back. */
static void add_pairs(const struct check_context *context, struct slot_list *slots, const char *metric,
                      const char *arrow, enum duty duty)
{
    unsigned gpus = context->platform->gpu_count;

    for (unsigned a = 0; a < gpus; a++)
        for (unsigned b = 0; b < gpus; b++)
            if (a != b)
                slot_add(context, slots, metric, arena_printf(context->arena, "gpu%u%sgpu%u", a, arrow, b),
                         NULL, duty, NULL);
}

static void add_gpus(const struct check_context *context, struct slot_list *slots, const char *metric,
                     const char *arrow)
{
    for (unsigned i = 0; i < context->platform->gpu_count; i++)
        slot_add(context, slots, metric, arena_printf(context->arena, "cpu0%sgpu%u", arrow, i), NULL,
                 DUTY_GATE, NULL);
}

static void slots_of_tests(const struct check_context *context, struct slot_list *slots)
{
    struct slice tests = slice_of(check_text(context, "tests")), test;

    while (scan_word(&tests, &test)) {
        const char *metric = arena_printf(context->arena, "nvbandwidth.%.*s", slice_print(test));

        if (slice_starts(test, "host_to_device_memcpy_"))
            add_gpus(context, slots, metric, "->");
        else if (slice_starts(test, "device_to_host_memcpy_"))
            add_gpus(context, slots, metric, "<-");
        else if (slice_starts(test, "device_to_device_memcpy_read_"))
            add_pairs(context, slots, metric, "->", DUTY_GATE);
        else if (slice_starts(test, "device_to_device_memcpy_write_"))
            add_pairs(context, slots, metric, "<-", DUTY_RECORD);
        slot_add(context, slots, arena_printf(context->arena, "%s.sum", metric), "", NULL, DUTY_RECORD, NULL);
    }
}

/* A test that was waived, or that was not asked for by this name, gave no number. */
static const char *arguments_fault(const struct check_context *context)
{
    struct slice tests = slice_of(check_text(context, "tests")), test;

    return scan_word(&tests, &test) ? NULL : "names no test";
}

const struct check check_nvbandwidth = {
    .name = "nvbandwidth",
    .title = "Host and GPU copies",
    .summary = "nvbandwidth: copies between host and each GPU, and between GPUs, by the copy engines",
    .on = ON_GPUS,
    .concerns = OF_GPU,
    .window = true,
    .loads = LOAD_GPUS,
    .slight = loads_slightly,
    .as_root = true,
    .exclusive = EXCLUSIVE_HOST,
    .arguments = ARGUMENTS({"tests", ARGUMENT_TEXT, DEFAULT_TESTS,
                            "test cases of nvbandwidth, blanks between them", WORDS_ARE_MORE}),
    .arguments_fault = arguments_fault,
    .parts = PARTS({"main", "nvbandwidth", command, NULL}),
    .remedies =
        REMEDIES({"nvbandwidth.host_*", REASON(see_memory_of_both_sockets)},
                 {"nvbandwidth.device_to_host_*", REASON(see_pcie_link_and_bios)},
                 {"nvbandwidth.*", REASON(see_nvlinks_of_both_gpus)}, {"sound", REASON(does_cuda_start)}),
    .more_slots = slots_of_tests,
    .plain = PLAIN_WORDS(
        {"nvbandwidth.*", PLAIN(gpu_copies_with_host_slowly, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)}),
    .expected_s = 120,
    .read = read_parts,
};
