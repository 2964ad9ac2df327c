/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "assay/options.h"
#include "assay/scan.h"
#include "gpu.h"

/* As the command line has them. */
struct words {
    const char *backend, *units, *inject;
    unsigned seconds, rounds, depth, deadline_s, gpus, sms;
};

static const char usage[] =
    "usage: assay-probe-gpu sdc [OPTION]...\n\n"
    "Gives every SM of every GPU of this host the same work, and looks whether all give the same answer: "
    "silent\n"
    "data corruption. Lines of JSON on stdout, the last of which has the key \"end\".\n\n";

static const char more[] =
    "\nExit status: 0 done, 1 an answer was wrong, 64 wrong usage, 69 no GPU or one that cannot be tested,\n"
    "70 CUDA failed, 75 the deadline was over.\n";

enum { ROWS = 10 };

static void fill_rows(struct words *words, struct option_row *rows)
{
    const struct option_row all[] = {
        {"backend", 0, OPTION_STRING, "NAME", &words->backend,
         "cuda, host (CPU threads that stand for GPUs), or auto: cuda (default)"},
        {"seconds", 's', OPTION_COUNT, "S", &words->seconds,
         "how long, and each input once at least (default 10)"},
        {"rounds", 'n', OPTION_COUNT, "N", &words->rounds, "instead: so many rounds"},
        {"units", 'u', OPTION_STRING, "LIST", &words->units, "only these units, with commas between them"},
        {"depth", 0, OPTION_COUNT, "N", &words->depth, "steps of each chain of operations (default 256)"},
        {"deadline", 0, OPTION_COUNT, "SECONDS", &words->deadline_s,
         "end it all after so long (default 600)"},
        {"gpus", 0, OPTION_COUNT, "N", &words->gpus, "of the host backend (default 8)"},
        {"sms", 0, OPTION_COUNT, "N", &words->sms, "SMs of each, of the host backend (default 16)"},
        {"inject", 0, OPTION_STRING, "FAULT", &words->inject,
         "turn bits of an answer over, for tests: gpu=0,sm=17,unit=fma32,bits=0x1000,from=450,period=3"},
        OPTION_END,
    };

    memcpy(rows, all, sizeof all);
}

void gpu_options_help(void)
{
    struct words words = {0};
    struct option_row rows[ROWS];
    struct text out;

    fill_rows(&words, rows);
    text_init(&out, 1 << 16);
    text_put(&out, usage);
    options_help(rows, &out);
    text_put(&out, "\nUnits:");
    for (unsigned unit = 0; unit < WORK_UNITS; unit++)
        text_printf(&out, " %s", work_names[unit]);
    text_put(&out, "\n");
    text_put(&out, more);
    fputs(out.bytes, stdout);
    text_release(&out);
}

static int read_units(struct gpu_options *options, const char *words, struct error *err)
{
    struct slice rest = slice_of(words != NULL ? words : "");

    for (unsigned unit = 0; unit < WORK_UNITS; unit++)
        options->units[unit] = words == NULL;
    while (rest.length > 0) {
        const char *comma = memchr(rest.bytes, ',', rest.length);
        struct slice word = {rest.bytes, comma != NULL ? (size_t)(comma - rest.bytes) : rest.length};
        bool known = false;

        for (unsigned unit = 0; unit < WORK_UNITS; unit++)
            if (slice_equal(word, work_names[unit]))
                options->units[unit] = known = true;
        if (!known)
            return error_set(err, ERROR_USAGE, "--units: '%.*s' is none; --help lists them", (int)word.length,
                             word.bytes);
        rest = slice_from(rest, word.length + (comma != NULL));
    }
    return 0;
}

/* A release is what goes to customers' hosts: nobody turns bits over there by mistake. */
static int read_injection(struct gpu_options *options, const char *words, struct error *err)
{
    if (words == NULL)
        return 0;
#ifndef PROBE_WITH_INJECTION
    return error_set(err, ERROR_USAGE, "--inject: this build cannot; build with -Dinjection=enabled");
#endif
    return injection_parse(words, &options->injection, err);
}

static int read_words(struct gpu_options *options, const struct words *words, struct error *err)
{
    *options = (struct gpu_options){.backend = words->backend,
                                    .rounds = words->rounds,
                                    .seconds = words->seconds,
                                    .depth = words->depth,
                                    .deadline_s = words->deadline_s,
                                    .host_gpus = words->gpus,
                                    .host_sms = words->sms};
    if (strcmp(words->backend, "auto") != 0 && strcmp(words->backend, "host") != 0 &&
        strcmp(words->backend, "cuda") != 0)
        return error_set(err, ERROR_USAGE, "--backend is '%s'; expected auto, host or cuda", words->backend);
    if (words->gpus > GPU_MOST || words->sms > GPU_SMS_MOST)
        return error_set(err, ERROR_USAGE, "--gpus %u --sms %u; expected at most %d and %d", words->gpus,
                         words->sms, GPU_MOST, GPU_SMS_MOST);
    if (words->depth > WORK_DEPTH_MOST)
        return error_set(err, ERROR_USAGE, "--depth is %u; expected at most %d", words->depth,
                         WORK_DEPTH_MOST);
    if (read_units(options, words->units, err) < 0)
        return -1;
    return read_injection(options, words->inject, err);
}

int gpu_options_read(struct gpu_options *options, int argc, char **argv, struct error *err)
{
    struct words words = {
        .backend = "auto", .seconds = 10, .depth = 256, .deadline_s = 600, .gpus = 8, .sms = 16};
    struct option_row rows[ROWS];
    bool help = false;
    int first;

    fill_rows(&words, rows);
    first = options_parse(rows, argc, argv, &help, err);
    if (first < 0)
        return -1;
    if (help)
        return 1;
    if (first >= argc)
        return error_set(err, ERROR_USAGE, "no test is named; expected sdc");
    if (strcmp(argv[first], "sdc") != 0 || first + 1 < argc)
        return error_set(err, ERROR_USAGE, "'%s' is not a test; expected sdc",
                         strcmp(argv[first], "sdc") != 0 ? argv[first] : argv[first + 1]);
    return read_words(options, &words, err);
}
