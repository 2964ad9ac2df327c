/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "assay/base/arena.h"
#include "assay/base/options.h"
#include "assay/base/scan.h"
#include "probe.h"

/* As the command line has them. */
struct words {
    const char *collective, *backend, *begin, *end, *warmup, *path_bytes, *trouble, *witness;
    unsigned factor, iterations, deadline_s;
    bool no_check, arrivals;
};

static const char usage[] = "usage: mpirun ... assay-probe-collective [OPTION]...\n\n"
                            "One collective over all ranks, size by size, as nccl-tests does it: time, bus "
                            "bandwidth, data checked. Beyond\n"
                            "that it shows which rank is late and which host has no fast path to any other. "
                            "Lines of JSON on stdout, the\n"
                            "last of which has the key \"end\".\n\n";

static const char more[] =
    "\nTROUBLE is for tests: hang:RANK, crash:RANK, wrong:RANK, or late:RANK:MICROSECONDS.\n\n"
    "Exit status: 0 done, 1 data came out wrong, 64 wrong usage, 69 a rank cannot take part or hosts do not "
    "fit\n"
    "together, 70 MPI, NCCL or CUDA failed, 75 the deadline was over.\n";

static void fill_rows(struct words *words, struct option_row *rows)
{
    const struct option_row all[] = {
        {"collective", 'c', OPTION_STRING, "NAME", &words->collective,
         "all_reduce (default), all_gather, reduce_scatter, alltoall or sendrecv (a ring)"},
        {"backend", 0, OPTION_STRING, "NAME", &words->backend,
         "nccl, host (CPU and MPI), or auto: nccl where there are GPUs (default)"},
        {"begin", 'b', OPTION_STRING, "SIZE", &words->begin, "smallest message (default 1M)"},
        {"end", 'e', OPTION_STRING, "SIZE", &words->end, "largest message (default: the smallest)"},
        {"factor", 'f', OPTION_COUNT, "N", &words->factor, "each size is N times the one before (default 2)"},
        {"iterations", 'n', OPTION_COUNT, "N", &words->iterations, "timed rounds of each size (default 20)"},
        {"warmup", 'w', OPTION_STRING, "N", &words->warmup, "rounds before the clock starts (default 5)"},
        {"path-size", 0, OPTION_STRING, "SIZE", &words->path_bytes,
         "message between hosts for the paths, 0: leave them out (default: the largest message, at most "
         "64M)"},
        {"deadline", 0, OPTION_COUNT, "SECONDS", &words->deadline_s,
         "end it all after so long and say which rank did not arrive (default 600)"},
        {"no-check", 0, OPTION_FLAG, NULL, &words->no_check, "do not check the data"},
        {"arrivals", 0, OPTION_FLAG, NULL, &words->arrivals,
         "print each round: when each rank came, and how long it took"},
        {"witness", 0, OPTION_STRING, "PATH", &words->witness,
         "the first rank of each host leaves there, as the text of a symbolic link, what it saw"},
        {"trouble", 0, OPTION_STRING, "TROUBLE", &words->trouble,
         "something goes wrong on purpose, see below"},
        OPTION_END,
    };

    memcpy(rows, all, sizeof all);
}
enum { ROWS = 14 };

void options_print_help(void)
{
    struct words words = {0};
    struct option_row rows[ROWS];
    cleanup_text struct text out = {0};

    fill_rows(&words, rows);
    text_init(&out, 1 << 16);
    text_put(&out, usage);
    options_help(rows, &out);
    text_put(&out, more);
    fputs(out.bytes, stdout);
}

/* "8", "64K", "1M", "2G": powers of 1024, as nccl-tests has them. */
static int read_size(const char *option, const char *word, size_t *ret_size, struct error *err)
{
    static const char letters[] = "KMG";
    struct slice rest = slice_of(word);
    uint64_t number;
    const char *letter;
    unsigned shift = 0;

    if (!scan_digits(&rest, &number) || number > (UINT64_MAX >> 34))
        return error_set(err, ERROR_USAGE, "--%s is '%s'; expected a size: 65536, 64K, 1M, 2G", option, word);
    if (rest.length == 1 && (letter = strchr(letters, rest.bytes[0])) != NULL)
        shift = 10 * (unsigned)(letter - letters + 1);
    else if (rest.length > 0)
        return error_set(err, ERROR_USAGE, "--%s is '%s'; expected a size: 65536, 64K, 1M, 2G", option, word);
    *ret_size = number << shift;
    return 0;
}

static int read_trouble(struct probe_options *options, const char *word, struct error *err)
{
    static const struct {
        const char *name;
        enum trouble trouble;
    } kinds[] = {{"hang:", TROUBLE_HANG},
                 {"crash:", TROUBLE_CRASH},
                 {"wrong:", TROUBLE_WRONG},
                 {"late:", TROUBLE_LATE}};
    struct slice rest = slice_of(word);
    uint64_t rank, us = 0;

    for (size_t i = 0; i < ARRAY_SIZE(kinds) && options->trouble == TROUBLE_NONE; i++)
        if (scan_text(&rest, kinds[i].name))
            options->trouble = kinds[i].trouble;
    if (options->trouble == TROUBLE_NONE || !scan_digits(&rest, &rank) || rank > INT_MAX ||
        (options->trouble == TROUBLE_LATE && (!scan_text(&rest, ":") || !scan_digits(&rest, &us))) ||
        rest.length > 0)
        return error_set(
            err, ERROR_USAGE,
            "--trouble is '%s'; expected hang:RANK, crash:RANK, wrong:RANK or late:RANK:MICROSECONDS", word);
    options->trouble_rank = (int)rank;
    options->trouble_us = (double)us;
    return 0;
}

static int read_sizes(struct probe_options *options, const struct words *words, struct error *err)
{
    enum { PATH_BYTES = 64 << 20 };

    if (read_size("begin", words->begin, &options->begin, err) < 0)
        return -1;
    options->end = options->begin;
    if (words->end != NULL && read_size("end", words->end, &options->end, err) < 0)
        return -1;
    if (options->begin < sizeof(float) || options->begin > options->end)
        return error_set(err, ERROR_USAGE, "sizes from %zu to %zu bytes: there is none", options->begin,
                         options->end);
    if (words->factor < 2)
        return error_set(err, ERROR_USAGE, "--factor is %u; expected 2 or more", words->factor);
    options->factor = words->factor;
    options->path_bytes = options->end < PATH_BYTES ? options->end : PATH_BYTES;
    if (words->path_bytes != NULL && read_size("path-size", words->path_bytes, &options->path_bytes, err) < 0)
        return -1;
    /* It travels in the buffers of the collective. */
    if (options->path_bytes > options->end)
        return error_set(err, ERROR_USAGE, "--path-size is larger than the largest message");
    return 0;
}

static int read_words(struct probe_options *options, const struct words *words, struct error *err)
{
    uint64_t warmup;

    *options = (struct probe_options){.backend = words->backend,
                                      .iterations = words->iterations,
                                      .deadline_s = words->deadline_s,
                                      .check = !words->no_check,
                                      .arrivals = words->arrivals,
                                      .witness = words->witness,
                                      .trouble_rank = -1};
    options->collective = collective_find(words->collective);
    if (options->collective == NULL)
        return error_set(
            err, ERROR_USAGE,
            "--collective is '%s'; expected all_reduce, all_gather, reduce_scatter, alltoall or sendrecv",
            words->collective);
    if (strcmp(words->backend, "auto") != 0 && strcmp(words->backend, "host") != 0 &&
        strcmp(words->backend, "nccl") != 0)
        return error_set(err, ERROR_USAGE, "--backend is '%s'; expected auto, host or nccl", words->backend);
    if (!scan_u64(slice_of(words->warmup), &warmup) || warmup > 1000000)
        return error_set(err, ERROR_USAGE, "--warmup is '%s'; expected a whole number", words->warmup);
    options->warmup = (unsigned)warmup;
    if (words->iterations > 1000000)
        return error_set(err, ERROR_USAGE, "--iterations is %u; expected at most 1000000", words->iterations);
    if (words->trouble != NULL && read_trouble(options, words->trouble, err) < 0)
        return -1;
    return read_sizes(options, words, err);
}

int options_read(struct probe_options *options, int argc, char **argv, struct error *err)
{
    struct words words = {.collective = "all_reduce",
                          .backend = "auto",
                          .begin = "1M",
                          .warmup = "5",
                          .factor = 2,
                          .iterations = 20,
                          .deadline_s = 600};
    struct option_row rows[ROWS];
    bool help = false;
    int first;

    fill_rows(&words, rows);
    first = options_parse(rows, argc, argv, &help, err);
    if (first < 0)
        return -1;
    if (help)
        return 1;
    if (first < argc)
        return error_set(err, ERROR_USAGE, "'%s' is no option", argv[first]);
    return read_words(options, &words, err);
}
