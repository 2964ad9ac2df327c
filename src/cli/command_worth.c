/* SPDX-License-Identifier: Apache-2.0 */
/* What a measured cluster is worth: how long a training takes on it. Touches no host. */
#include <stddef.h>
#include <string.h>

#include "assay/base/files.h"
#include "assay/judge/judge.h"
#include "assay/report/report.h"
#include "assay/worth/worth.h"
#include "cli.h"

enum { WORTH_BYTES = 16 * 1024 * 1024 };

/* Numbers that a question is made of: their options, and where they go. */
#define OF(member) offsetof(struct worth_question, member)
static const struct number_row {
    const char *heading; /* of those that begin here; NULL: they go on */
    const char *name;
    char letter;
    const char *argument, *help;
    size_t offset;
} number_rows[] = {
    {"the training", "params", 'N', "N", "parameters: 405B, 8e9", OF(parameters)},
    {NULL, "tokens", 'D', "D", "tokens: 15.6T, 2e12", OF(tokens)},
    {NULL, "active", 0, "N", "parameters that a token activates, of a mixture of experts; default: all",
     OF(activated)},
    {NULL, "batch", 0, "TOKENS", "tokens of a global batch; default 4M", OF(batch_tokens)},
    {NULL, "layers", 0, "N", "with --hidden and --sequence: attention counts too", OF(layers)},
    {NULL, "hidden", 0, "N", "width of a layer", OF(hidden)},
    {NULL, "sequence", 0, "TOKENS", "length of a sequence", OF(sequence)},
    {"the machine", "gpus", 'g', "N", "on so many GPUs like these; default: those of the run", OF(gpus)},
    {NULL, "days", 0, "DAYS", "how many GPUs make it in so many days?", OF(days)},
    {NULL, "model-parallel", 0, "N", "GPUs that hold one copy of the model; default: by their memory",
     OF(model_parallel)},
    {NULL, "gpu-mtbf", 0, "HOURS",
     "hours of one GPU between unexpected interruptions; default 50677, of Llama 3", OF(gpu_mtbf_h)},
    {NULL, "checkpoint-seconds", 0, "S", "for which the training waits for a checkpoint; default 10",
     OF(checkpoint_s)},
    {NULL, "restart-seconds", 0, "S", "to be back at work; default 600", OF(restart_s)},
    {NULL, "host-watts", 0, "W", "what a host draws beside its GPUs; default: not counted", OF(host_watts)},
    {NULL, "pue", 0, "X", "of the site; default 1, the machines alone", OF(pue)},
    {"in place of what the run measured, and marked so", "gemm-tflops", 0, "X",
     "of the slowest GPU, in that type", OF(given[WORTH_GEMM])},
    {NULL, "hbm-gbs", 0, "X", "of the slowest GPU", OF(given[WORTH_HBM])},
    {NULL, "reduce-scatter-gbs", 0, "X", "bus bandwidth as nccl-tests prints it",
     OF(given[WORTH_REDUCE_SCATTER])},
    {NULL, "all-gather-gbs", 0, "X", "likewise", OF(given[WORTH_ALL_GATHER])},
    {NULL, "gpu-watts", 0, "X", "of a GPU under load", OF(given[WORTH_POWER])},
    {NULL, "gpu-memory-gib", 0, "X", "of a GPU", OF(given[WORTH_MEMORY])},
    {NULL, "peak-tflops", 0, "X", "dense, for MFU alone; default: of the part", OF(peak_tflops)},
};
enum { NUMBERS = ARRAY_SIZE(number_rows), ROWS_MOST = NUMBERS + 12 };

/* As they were typed; numbers in the order of number_rows. */
struct words {
    const char *numbers[NUMBERS], *type, *efficiency;
    const char *db, *format, *lang, *output;
};

static void make_rows(struct words *words, struct option_row rows[ROWS_MOST])
{
    const struct option_row others[] = {
        OPTION_HEADING(
            "how it is computed: days = 6 N D / (GPUs x efficiency x ceiling) / useful share\n(arXiv:2001.08361; Young 1974, Daly 2006; all of it in man assay-worth)"),
        {"type", 't', OPTION_STRING, "TYPE", &words->type, "bf16, fp16, fp8 or tf32; default bf16"},
        {"efficiency", 0, OPTION_STRING, "RANGE", &words->efficiency,
         "share of the ceiling that the training achieves: 0.4-0.6; default: of public trainings"},
        OPTION_HEADING("the answer"),
        {"format", 'f', OPTION_STRING, "NAME", &words->format, "text or json"},
        CLI_LANG_ROW(&words->lang, ", of text"),
        CLI_OUTPUT_ROW(&words->output),
        CLI_DB_ROW(&words->db),
        OPTION_END,
    };
    size_t count = 0;

    for (size_t i = 0; i < NUMBERS; i++) {
        const struct number_row *number = &number_rows[i];

        if (number->heading != NULL)
            rows[count++] = (struct option_row)OPTION_HEADING(number->heading);
        rows[count++] = (struct option_row){number->name,     number->letter,     OPTION_STRING,
                                            number->argument, &words->numbers[i], number->help};
    }
    memcpy(&rows[count], others, sizeof others);
}

/* What was typed is read; whether it makes a training is for worth_answer to say. */
static int read_question(const struct words *words, struct worth_question *question, struct error *err)
{
    for (size_t i = 0; i < NUMBERS; i++)
        if (words->numbers[i] != NULL &&
            worth_number(number_rows[i].name, words->numbers[i],
                         (double *)(void *)((char *)question + number_rows[i].offset), err) < 0)
            return -1;
    if (question->parameters <= 0 || question->tokens <= 0)
        return error_set(err, ERROR_USAGE,
                         "which training? expected --params N and --tokens D, such as --params 405B --tokens "
                         "15.6T");
    if (!worth_type_find(words->type, &question->type))
        return error_set(err, ERROR_USAGE, "--type: '%s' is none; expected bf16, fp16, fp8 or tf32",
                         words->type);
    return words->efficiency == NULL
               ? 0
               : worth_share_range("efficiency", words->efficiency, &question->efficiency_low,
                                   &question->efficiency_high, err);
}

static const struct record *load(struct arena *arena, const char *db, const char *word, struct error *err)
{
    struct store *store = store_open(cli_database(db), true, err);
    const struct record *record = cli_load_lean(store, arena, word, cli_no_facts, err);

    store_close(store);
    return record != NULL && cli_is_judged(record, err) ? record : NULL;
}

static int show(struct arena *arena, const struct words *words, const char *run,
                enum report_language language, struct error *err)
{
    struct worth_question question = {0};
    struct worth_measured measured;
    struct worth_answer answer;
    const struct record *record;
    const struct reason *refusal;
    cleanup_text struct text out = {0};

    if (read_question(words, &question, err) < 0)
        return cli_fail(err);
    record = load(arena, words->db, run, err);
    if (record == NULL)
        return cli_fail(err);
    worth_measure(arena, record, &measured);
    refusal = worth_answer(arena, &measured, &question, &answer);
    if (refusal != NULL) {
        error_set(err, ERROR_USAGE, "%s", reason_english(arena, refusal));
        return cli_fail(err);
    }
    text_init(&out, WORTH_BYTES);
    if (strcmp(words->format, "json") == 0)
        report_worth_json(arena, record, &measured, &answer, &out);
    else
        report_worth_text(arena, record, &measured, &answer, language, &out);
    return file_write(words->output, out.bytes, out.length, 0644, err) < 0 ? cli_fail(err) : EXIT_ACCEPT;
}

/* false: said why. */
static bool is_valid(const struct words *words, int operands, const char *second,
                     enum report_language *ret_language)
{
    if (strcmp(words->format, "text") != 0 && strcmp(words->format, "json") != 0)
        cli_unknown_format("worth", words->format, "text or json");
    else if (!cli_language(words->lang, ret_language))
        cli_unknown_language("worth", words->lang);
    else if (operands > 1)
        cli_unexpected("worth", second);
    else
        return true;
    return false;
}

int command_worth(int argc, char **argv)
{
    struct words words = {.type = "bf16", .format = "text", .output = "-"};
    struct option_row rows[ROWS_MOST];
    struct error err = {0};
    enum report_language language;
    cleanup_arena struct arena *arena = NULL;
    int first, status;

    make_rows(&words, rows);
    if (!cli_options(rows, "worth [RUN] --params N --tokens D        (default: the last run)", argc, argv,
                     &first, &status))
        return status;
    if (!is_valid(&words, argc - first, first + 1 < argc ? argv[first + 1] : NULL, &language))
        return EXIT_USAGE;
    arena = arena_create();
    return show(arena, &words, first < argc ? argv[first] : NULL, language, &err);
}
