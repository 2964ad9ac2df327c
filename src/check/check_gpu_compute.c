/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-probe-gpu compute: how fast each GPU multiplies matrices, in each type. That a product was measured is a gate; how
 * fast it was is judged by the limits that the platform has for that type and size, and by all other GPUs of the run: a
 * GPU's arithmetic is the same wherever it sits.
 */
#include <string.h>

#include "assay/base/scan.h"
#include "assay/reasons/check.h"
#include "assay/reasons/parse.h"

#include "probe_gpu.h"
#include "rules.h"

static void put_list(const struct check_context *context, struct text *out, const char *argument)
{
    text_printf(out, " --%s ", argument);
    text_shell_quote(out, check_text(context, argument));
}

static void command(const struct check_context *context, struct text *out)
{
    probe_gpu_command(context, out, "compute");
    put_list(context, out, "types");
    put_list(context, out, "sizes");
    text_printf(out, " --seconds %.0f --warmup %.0f", probe_gpu_seconds(context, "seconds"),
                probe_gpu_seconds(context, "warmup"));
}

static const char *const types[] = {"bf16", "fp16", "fp8", "tf32", "fp64", "int8", NULL};

/* The next of a list with commas, in the arena; NULL: there is none. */
static const char *next_of(struct arena *arena, struct slice *list)
{
    size_t length = 0;
    const char *word;

    if (list->length == 0)
        return NULL;
    while (length < list->length && list->bytes[length] != ',')
        length++;
    word = arena_strndup(arena, list->bytes, length);
    *list = slice_from(*list, length + (length < list->length));
    return word;
}

static bool is_in(struct arena *arena, const char *text, const char *wanted)
{
    struct slice list = slice_of(text);
    const char *word;

    while ((word = next_of(arena, &list)) != NULL)
        if (strcmp(word, wanted) == 0)
            return true;
    return false;
}

static void slots_of_product(const struct check_context *context, struct slot_list *slots, const char *type,
                             const char *size)
{
    const char *name = arena_printf(context->arena, "gpu_compute.%s.%s", type, size);
    bool may_lack = is_in(context->arena, check_text(context, "may_lack"), type);
    const struct limit *measured = rules_new(
        context, LIMITS RULES_EQUAL(name, "measured", PROBE_GPU_NOT_MEASURED, .inconclusive = true));

    for (unsigned i = 0; i < context->platform->gpu_count; i++) {
        const char *gpu = arena_printf(context->arena, "gpu%u", i);

        slot_add(context, slots, name, gpu, NULL, may_lack ? DUTY_RECORD : DUTY_GATE,
                 may_lack ? NULL : measured);
        slot_add(context, slots, arena_printf(context->arena, "%s.random.warm", name), gpu, NULL, DUTY_RECORD,
                 NULL);
        slot_add(context, slots, arena_printf(context->arena, "%s.p1", name), gpu, NULL, DUTY_RECORD, NULL);
    }
}

static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    struct slice sizes = slice_of(check_text(context, "sizes"));
    const char *size, *type;

    probe_gpu_slots(context, slots);
    while ((size = next_of(context->arena, &sizes)) != NULL) {
        struct slice list = slice_of(check_text(context, "types"));

        while ((type = next_of(context->arena, &list)) != NULL)
            slots_of_product(context, slots, type, size);
    }
}

static int names_valid(const struct check_context *context, const char *argument, struct error *err)
{
    struct slice list = slice_of(check_text(context, argument));
    const char *word;

    while ((word = next_of(context->arena, &list)) != NULL) {
        size_t i = 0;

        while (types[i] != NULL && strcmp(types[i], word) != 0)
            i++;
        if (types[i] == NULL)
            return json_error(err, json_get(context->step->arguments, argument),
                              "%s: '%s' is none of bf16, fp16, fp8, tf32, fp64, int8", argument, word);
    }
    return 0;
}

/* As the probe takes them. */
static int sizes_valid(const struct check_context *context, struct error *err)
{
    enum { SIZES_MOST = 4, SIZE_MOST = 32768 };
    struct slice list = slice_of(check_text(context, "sizes"));
    const char *word;
    unsigned count = 0;
    uint64_t size;

    while ((word = next_of(context->arena, &list)) != NULL)
        if (!scan_u64(slice_of(word), &size) || size < 16 || size > SIZE_MOST || size % 16 != 0 ||
            *word == '0' || ++count > SIZES_MOST)
            return json_error(err, json_get(context->step->arguments, "sizes"),
                              "sizes: '%s'; expected at most %d sizes, multiples of 16 up to %d", word,
                              SIZES_MOST, SIZE_MOST);
    return 0;
}

static int arguments_valid(const struct check_context *context, struct error *err)
{
    if (probe_gpu_valid(context, err) < 0 || names_valid(context, "types", err) < 0 ||
        names_valid(context, "may_lack", err) < 0)
        return -1;
    return sizes_valid(context, err);
}

static const char *arguments_fault(const struct check_context *context)
{
    return *check_text(context, "types") == '\0' || *check_text(context, "sizes") == '\0'
               ? "names no type or no size"
               : NULL;
}

static unsigned count_of(struct arena *arena, const char *text)
{
    struct slice list = slice_of(text);
    unsigned count = 0;

    while (next_of(arena, &list) != NULL)
        count++;
    return count;
}

static unsigned expected_s(const struct check_context *context)
{
    enum { FILLING_S = 3 /* of the matrices, and the search for the fastest way */ };
    unsigned each =
        (unsigned)check_number(context, "seconds") + (unsigned)check_number(context, "warmup") + FILLING_S;

    return PROBE_GPU_OPENING_S + each * count_of(context->arena, check_text(context, "types")) *
                                     count_of(context->arena, check_text(context, "sizes"));
}

const struct check check_gpu_compute = {
    .name = "gpu-compute",
    .title = "GPU arithmetic",
    .summary = "assay-probe-gpu: how fast each GPU multiplies matrices of random numbers, in each type, when "
               "it is warm",
    PROBE_GPU_OF_HOST,
    .loads = LOAD_GPUS,
    .arguments = ARGUMENTS(
        {"types", ARGUMENT_TEXT, "bf16,fp16,fp8,tf32,fp64,int8",
         "what is multiplied, with commas between them"},
        {"may_lack", ARGUMENT_TEXT, "fp8,int8", "which of them an architecture may not have"},
        {"sizes", ARGUMENT_TEXT, "8192,16384", "rows and columns of the matrices, with commas between them"},
        {"seconds", ARGUMENT_COUNT, "10", "how long each type and size is measured", MORE_IS_MORE},
        {"warmup", ARGUMENT_COUNT, "3", "seconds before each that are not", MORE_IS_MORE},
        PROBE_GPU_BACKEND_ROW),
    .arguments_valid = arguments_valid,
    .arguments_fault = arguments_fault,
    .parts = PARTS({"main", "assay-probe-gpu", command, NULL}),
    .items = ITEMS({"gpu_compute.uuid", PER_GPU, NULL, DUTY_RECORD, NULL},
                   {"probe.program", PER_TARGET, NULL, DUTY_RECORD, NULL},
                   {"probe.library", PER_TARGET, NULL, DUTY_RECORD, NULL}),
    .more_slots = more_slots,
    .remedies =
        REMEDIES({"gpu_compute.*", REASON(bring_cublaslt), .about = &sentence_product_not_measured},
                 {"gpu_compute.*", REASON(gpu_computes_slowly)}, {"sound", REASON(see_probe_gpu_starts)}),
    .plain =
        PLAIN_WORDS({"gpu_compute.*.warm",
                     PLAIN(gpu_multiplies_slowly, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED), .last = true}),
    .expected = expected_s,
    .read = read_parts,
};
