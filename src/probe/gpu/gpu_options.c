/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "assay/base/arena.h"
#include "assay/base/options.h"
#include "assay/base/scan.h"
#include "gemm.h"
#include "gpu_threads.h"
#include "training.h"

/* As the command line has them; an option that another test has is unknown to this one. */
static struct words {
    const char *backend, *units, *types, *sizes, *inject, *hz, *at, *clock;
    unsigned seconds, swing, rounds, depth, deadline_s, gpus, sms, windows, passes, mib, warmup, steps,
        layers, seed, ramp;
} words = {.backend = "auto",
           .hz = "0.2,0.5,1,2,3",
           .clock = "realtime",
           .ramp = 30,
           .seconds = 10,
           .depth = 256,
           .deadline_s = 600,
           .gpus = 8,
           .sms = 16,
           .windows = 20,
           .warmup = 3,
           .passes = 4,
           .steps = 30,
           .seed = 1};

enum {
    SDC = 1 << GPU_TEST_SDC,
    MEMORY = 1 << GPU_TEST_MEMORY,
    COMPUTE = 1 << GPU_TEST_COMPUTE,
    LINKS = 1 << GPU_TEST_LINKS,
    TRAINING = 1 << GPU_TEST_TRAINING,
    POWER = 1 << GPU_TEST_POWER,
    ALL = (1 << GPU_TESTS) - 1
};

static const struct {
    unsigned tests;
    struct option_row option;
} table[] = {
    {ALL,
     {"backend", 0, OPTION_STRING, "NAME", &words.backend,
      "cuda, host (CPU threads that stand for GPUs), or auto: cuda (default)"}},
    {ALL,
     {"deadline", 0, OPTION_COUNT, "SECONDS", &words.deadline_s, "end it all after so long (default 600)"}},
    {ALL,
     {"inject", 0, OPTION_STRING, "FAULT", &words.inject,
      "something wrong on purpose, for tests: gpu=0,sm=17,unit=fma32,bits=0x1000,from=450,period=3; "
      "gpu=0,offset=0x1000; gpu=0,slow=20"}},
    {ALL, {"gpus", 0, OPTION_COUNT, "N", &words.gpus, "of the host backend (default 8)"}},
    {SDC | COMPUTE | POWER,
     {"seconds", 's', OPTION_COUNT, "S", &words.seconds,
      "how long; sdc: and each input once at least; compute: each type and size; power: each wave (default 10)"}},
    {SDC,
     {"swing", 0, OPTION_COUNT, "S", &words.swing,
      "work and rest so long in turn, so that power and heat go up and down (default: no rest)"}},
    {SDC, {"rounds", 'n', OPTION_COUNT, "N", &words.rounds, "instead: so many rounds"}},
    {SDC, {"units", 'u', OPTION_STRING, "LIST", &words.units, "only these units, with commas between them"}},
    {SDC, {"depth", 0, OPTION_COUNT, "N", &words.depth, "steps of each chain of operations (default 256)"}},
    {SDC, {"sms", 0, OPTION_COUNT, "N", &words.sms, "SMs of each GPU, of the host backend (default 16)"}},
    {COMPUTE,
     {"types", 't', OPTION_STRING, "LIST", &words.types, "only these types, with commas between them"}},
    {COMPUTE,
     {"sizes", 0, OPTION_STRING, "LIST", &words.sizes,
      "rows and columns of the matrices (default 8192,16384; of the host backend 64,96)"}},
    {COMPUTE, {"warmup", 'w', OPTION_COUNT, "S", &words.warmup, "seconds before each (default 3)"}},
    {MEMORY | COMPUTE | LINKS,
     {"windows", 0, OPTION_COUNT, "N", &words.windows, "of time, of each rate (default 20)"}},
    {TRAINING,
     {"steps", 'n', OPTION_COUNT, "N", &words.steps,
      "of the training, the first three as a warm-up (default 30)"}},
    {TRAINING,
     {"layers", 0, OPTION_COUNT, "N", &words.layers,
      "of the model (default: what there is memory for, up to 32; of the host backend 2)"}},
    {TRAINING, {"seed", 0, OPTION_COUNT, "N", &words.seed, "of weights and tokens (default 1)"}},
    {POWER,
     {"hz", 0, OPTION_STRING, "LIST", &words.hz,
      "frequencies of the waves, with commas between them (default 0.2,0.5,1,2,3)"}},
    {POWER, {"ramp", 0, OPTION_COUNT, "S", &words.ramp, "seconds of the ramp behind them (default 30)"}},
    {POWER,
     {"at", 0, OPTION_STRING, "SECONDS", &words.at,
      "when it begins, in seconds since 1970 by that clock (default 2 seconds after all is ready)"}},
    {POWER,
     {"clock", 0, OPTION_STRING, "NAME", &words.clock,
      "realtime: this host's (default); stdin: who reads a line {\"ping\": N} answers with its seconds since 1970"}},
    {MEMORY, {"passes", 0, OPTION_COUNT, "N", &words.passes, "so often with all patterns (default 4)"}},
    {MEMORY,
     {"memory", 0, OPTION_COUNT, "MIB", &words.mib,
      "of each GPU at most (default: all that is free; of the host backend 16)"}},
};

enum { MIB_MOST = 1 << 20 };
enum { ROWS = ARRAY_SIZE(table) };

static const char more[] =
    "\nExit status: 0 done, 1 an answer was wrong, 64 wrong usage, 69 no GPU or one that cannot be tested,\n"
    "70 CUDA failed, 75 the deadline was over.\n";

static void rows_of(unsigned tests, struct option_row rows[ROWS + 1])
{
    unsigned count = 0;

    for (unsigned i = 0; i < ROWS; i++)
        if (table[i].tests == tests || (tests != ALL && (table[i].tests & tests) != 0))
            rows[count++] = table[i].option;
    rows[count] = (struct option_row)OPTION_END;
}

static void put_test(struct text *out, unsigned number)
{
    const struct gpu_test *test = gpu_tests[number];
    struct option_row rows[ROWS + 1];
    unsigned count = 0;

    text_printf(out, "\nassay-probe-gpu %s [OPTION]...\n  %s\n", test->name, test->summary);
    for (unsigned i = 0; i < ROWS; i++)
        if (table[i].tests != ALL && (table[i].tests & (1u << number)) != 0)
            rows[count++] = table[i].option;
    rows[count] = (struct option_row)OPTION_END;
    options_help(rows, out);
}

void gpu_options_help(void)
{
    struct option_row rows[ROWS + 1];
    struct text out;

    text_init(&out, 1 << 16);
    text_put(&out,
             "usage: assay-probe-gpu TEST [OPTION]...\n\n"
             "What all GPUs of this host can do. Lines of JSON on stdout, the last of which has the key "
             "\"end\".\n\nOptions of every test:\n");
    rows_of(ALL, rows);
    options_help(rows, &out);
    for (unsigned test = 0; test < GPU_TESTS; test++)
        put_test(&out, test);
    text_put(&out, "\nUnits:");
    for (unsigned unit = 0; unit < WORK_UNITS; unit++)
        text_printf(&out, " %s", work_names[unit]);
    text_put(&out, "\nTypes:");
    for (unsigned type = 0; type < GEMM_TYPES; type++)
        text_printf(&out, " %s", gemm_names[type]);
    text_put(&out, "\n");
    text_put(&out, more);
    fputs(out.bytes, stdout);
    text_release(&out);
}

/* Names with commas between them, as which of them are meant; all where nothing is said. */
static int read_names(const char *option, const char *text, const char *const *names, unsigned count,
                      bool *ret_meant, struct error *err)
{
    struct slice rest = slice_of(text != NULL ? text : "");

    for (unsigned i = 0; i < count; i++)
        ret_meant[i] = text == NULL;
    while (rest.length > 0) {
        const char *comma = memchr(rest.bytes, ',', rest.length);
        struct slice word = {rest.bytes, comma != NULL ? (size_t)(comma - rest.bytes) : rest.length};
        bool known = false;

        for (unsigned i = 0; i < count; i++)
            if (slice_equal(word, names[i]))
                ret_meant[i] = known = true;
        if (!known)
            return error_set(err, ERROR_USAGE, "--%s: '%.*s' is none; --help lists them", option,
                             (int)word.length, word.bytes);
        rest = slice_from(rest, word.length + (comma != NULL));
    }
    return 0;
}

/* "8192,16384" */
static int read_sizes(struct gpu_options *options, const char *text, struct error *err)
{
    struct slice rest = slice_of(text != NULL ? text : ""), word;
    uint64_t size;

    while (rest.length > 0) {
        const char *comma = memchr(rest.bytes, ',', rest.length);

        word = (struct slice){rest.bytes, comma != NULL ? (size_t)(comma - rest.bytes) : rest.length};
        if (!scan_u64(word, &size) || size < 16 || size > GEMM_SIZE_MOST || size % 16 != 0 ||
            options->size_count == GPU_SIZES_MOST)
            return error_set(err, ERROR_USAGE,
                             "--sizes: '%.*s'; expected at most %d sizes, multiples of 16 up to %d",
                             (int)word.length, word.bytes, GPU_SIZES_MOST, GEMM_SIZE_MOST);
        options->sizes[options->size_count++] = (unsigned)size;
        rest = slice_from(rest, word.length + (comma != NULL));
    }
    return 0;
}

/* "0.2,0.5,1,2,3" */
static int read_waves(struct power_plan *plan, const char *text, struct error *err)
{
    struct slice rest = slice_of(text), word;
    double hz;

    while (rest.length > 0) {
        const char *comma = memchr(rest.bytes, ',', rest.length);

        word = (struct slice){rest.bytes, comma != NULL ? (size_t)(comma - rest.bytes) : rest.length};
        if (!scan_double(word, &hz) || !(hz >= POWER_HZ_LEAST && hz <= POWER_HZ_MOST) ||
            plan->waves == POWER_WAVES_MOST)
            return error_set(err, ERROR_USAGE, "--hz: '%.*s'; expected at most %d frequencies of %g to %g",
                             (int)word.length, word.bytes, POWER_WAVES_MOST, POWER_HZ_LEAST, POWER_HZ_MOST);
        plan->hz[plan->waves++] = hz;
        rest = slice_from(rest, word.length + (comma != NULL));
    }
    return 0;
}

static int read_power(struct gpu_options *options, struct error *err)
{
    enum { LASTS_MOST_S = 300 };
    static struct power_schedule schedule;

    options->power.seconds = words.seconds;
    options->power.ramp_s = words.ramp;
    options->clock_by_stdin = strcmp(words.clock, "stdin") == 0;
    if (!options->clock_by_stdin && strcmp(words.clock, "realtime") != 0)
        return error_set(err, ERROR_USAGE, "--clock is '%s'; expected realtime or stdin", words.clock);
    if (words.at != NULL && (!scan_double(slice_of(words.at), &options->at_s) || !(options->at_s > 0) ||
                             !isfinite(options->at_s)))
        return error_set(err, ERROR_USAGE, "--at is '%s'; expected seconds since 1970", words.at);
    if (read_waves(&options->power, words.hz, err) < 0)
        return -1;
    if (!power_schedule_make(&options->power, &schedule) || schedule.end > LASTS_MOST_S ||
        schedule.edges > GPU_WINDOWS_MOST)
        return error_set(err, ERROR_USAGE,
                         "--hz %s --seconds %u --ramp %u; expected no more than %d s in all, and %d edges",
                         words.hz, words.seconds, words.ramp, LASTS_MOST_S, GPU_WINDOWS_MOST);
    return 0;
}

/* A release is what goes to customers' hosts: nobody turns bits over there by mistake. */
static int read_injection(struct gpu_options *options, struct error *err)
{
    if (words.inject == NULL)
        return 0;
#ifndef PROBE_WITH_INJECTION
    return error_set(err, ERROR_USAGE, "--inject: this build cannot; build with -Dinjection=enabled");
#endif
    return injection_parse(words.inject, &options->injection, err);
}

static int read_words(struct gpu_options *options, struct error *err)
{
    const char *backend = words.backend;

    options->backend = backend;
    options->rounds = words.rounds;
    options->seconds = words.seconds;
    options->swing = words.swing;
    options->depth = words.depth;
    options->deadline_s = words.deadline_s;
    options->host_gpus = words.gpus;
    options->host_sms = words.sms;
    options->mib = words.mib;
    options->windows = words.windows;
    options->warmup_s = words.warmup;
    options->passes = words.passes;
    options->steps = words.steps;
    options->layers = words.layers;
    options->seed = words.seed;
    if (strcmp(backend, "auto") != 0 && strcmp(backend, "host") != 0 && strcmp(backend, "cuda") != 0)
        return error_set(err, ERROR_USAGE, "--backend is '%s'; expected auto, host or cuda", backend);
    if (words.gpus > GPU_MOST || words.sms > GPU_SMS_MOST)
        return error_set(err, ERROR_USAGE, "--gpus %u --sms %u; expected at most %d and %d", words.gpus,
                         words.sms, GPU_MOST, GPU_SMS_MOST);
    if (words.windows >= GPU_WINDOWS_MOST || words.mib > MIB_MOST)
        return error_set(err, ERROR_USAGE, "--windows %u --memory %u; expected less than %d and at most %d",
                         words.windows, words.mib, GPU_WINDOWS_MOST, MIB_MOST);
    if (words.depth > WORK_DEPTH_MOST)
        return error_set(err, ERROR_USAGE, "--depth is %u; expected at most %d", words.depth,
                         WORK_DEPTH_MOST);
    if (words.steps > TRAINING_STEPS_MOST || words.layers > TRAINING_LAYERS_MOST)
        return error_set(err, ERROR_USAGE, "--steps %u --layers %u; expected at most %d and %d", words.steps,
                         words.layers, TRAINING_STEPS_MOST, TRAINING_LAYERS_MOST);
    if (read_sizes(options, words.sizes, err) < 0 ||
        read_names("types", words.types, gemm_names, GEMM_TYPES, options->types, err) < 0)
        return -1;
    if (options->test == &gpu_test_power && read_power(options, err) < 0)
        return -1;
    if (read_names("units", words.units, work_names, WORK_UNITS, options->units, err) < 0)
        return -1;
    return read_injection(options, err);
}

/* The names of all tests; GPU_TESTS where the word is none of them. */
static unsigned find_test(const char *word)
{
    unsigned number = 0;

    while (number < GPU_TESTS && strcmp(gpu_tests[number]->name, word) != 0)
        number++;
    return number;
}

static int no_test(const char *word, struct error *err)
{
    char names[160] = "";
    size_t at = 0;

    for (unsigned i = 0; i < GPU_TESTS; i++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s%s",
                               i == 0              ? ""
                               : i + 1 < GPU_TESTS ? ", "
                                                   : " or ",
                               gpu_tests[i]->name);
    if (word == NULL)
        return error_set(err, ERROR_USAGE, "no test is named; expected %s", names);
    return error_set(err, ERROR_USAGE, "'%s' is not a test; expected %s", word, names);
}

/* The test comes first, for which options there are depends on it. */
int gpu_options_read(struct gpu_options *options, int argc, char **argv, struct error *err)
{
    struct option_row rows[ROWS + 1];
    const char *word = argc > 1 ? argv[1] : NULL; /* the parsing moves words */
    unsigned number;
    bool help = false;
    int first;

    *options = (struct gpu_options){0};
    if (word == NULL)
        return no_test(NULL, err);
    number = find_test(word);
    rows_of(number < GPU_TESTS ? 1u << number : ALL, rows);
    first = options_parse(rows, argc - (number < GPU_TESTS), argv + (number < GPU_TESTS), &help, err);
    if (help)
        return 1;
    if (number == GPU_TESTS)
        return no_test(word, err);
    if (first < 0)
        return -1;
    if (first < argc - 1)
        return error_set(err, ERROR_USAGE, "'%s' is too much: one test at a time", argv[first + 1]);
    options->test = gpu_tests[number];
    return read_words(options, err);
}
