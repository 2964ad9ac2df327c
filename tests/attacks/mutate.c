/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mutate_bundles [--tap] [--tell] [--jobs=N] N [SEED [VARIANT]]: N variants of a good bundle, each imported, and after each
 * all that the importer had before is compared row by row, with what he is shown of it. Prints a line for each class of
 * mutations and then "mutate: N variants, R refused, T taken, changed C". With VARIANT only that one, and what came of it;
 * --tell: what came of each. --tap: as a test. --jobs: in so many processes.
 * Exit status: 0 nothing of the importer's changed, 1 something did, 70 there is nothing to begin with.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "variants.h"

enum { LONGEST_S = 60, SHOWN_IN_FULL = 8, MOST_JOBS = 64 };

static char at_work[800]; /* which variant, for a crash */

static void last_words(int number)
{
    static const char crashed[] = "\nmutate: it crashed, or took too long, at ";

    if (write(STDERR_FILENO, crashed, sizeof crashed - 1) < 0 ||
        write(STDERR_FILENO, at_work, strlen(at_work)) < 0 || write(STDERR_FILENO, "\n", 1) < 0)
        _exit(1);
    signal(number, SIG_DFL);
    raise(number);
}

static void listen_to_signals(void)
{
    static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM};

    for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
        signal(signals[i], last_words);
}

struct counts {
    size_t refused[CLASSES], taken[CLASSES], changed;
};

/* Unless each of them is taken as it is, nothing is tried. */
static int try_bases(struct parties *parties)
{
    char said[1200];

    for (size_t i = 0; i < parties->bases.count; i++) {
        struct variant variant;
        enum fate fate;

        variant_plain(parties, i, &variant);
        fate = parties_import(parties, (struct slice){variant.bundle.bytes, variant.bundle.length}, true,
                              said, sizeof said);
        variant_release(&variant);
        if (fate != FATE_TAKEN) {
            fprintf(stderr, "mutate: the good bundle (%s) is not taken: %s\n", parties->bases.items[i].name,
                    said);
            return -1;
        }
    }
    return 0;
}

static uint64_t seed_of(uint64_t seed, size_t number)
{
    return seed * 1000003 + number;
}

static void try_one(struct parties *parties, uint64_t seed, size_t number, struct counts *counts, bool tell)
{
    struct chance chance = {.state = seed_of(seed, number)};
    struct variant variant;
    char said[1200];
    enum fate fate;

    snprintf(at_work, sizeof at_work, "variant %zu of seed %llu", number, (unsigned long long)seed);
    alarm(LONGEST_S);
    variant_make(parties, &chance, &variant);
    snprintf(at_work, sizeof at_work, "variant %zu of seed %llu: %s", number, (unsigned long long)seed,
             variant.said);
    fate = parties_import(parties, (struct slice){variant.bundle.bytes, variant.bundle.length},
                          number % SHOWN_IN_FULL == 0, said, sizeof said);
    alarm(0);
    counts->refused[variant.class] += fate == FATE_REFUSED;
    counts->taken[variant.class] += fate != FATE_REFUSED;
    counts->changed += fate == FATE_CHANGED;
    if (tell || fate == FATE_CHANGED)
        printf("%s: %s: %s\n", at_work,
               fate == FATE_CHANGED ? "CHANGED"
               : fate == FATE_TAKEN ? "taken"
                                    : "refused",
               said);
    variant_release(&variant);
}

static void print_counts(const struct counts *counts, size_t count, bool tap)
{
    size_t refused = 0, taken = 0;

    for (size_t i = 0; i < CLASSES; i++) {
        refused += counts->refused[i];
        taken += counts->taken[i];
        printf("%s%s: variants %zu refused %zu taken %zu\n", tap ? "# " : "", mutation_class_names[i],
               counts->refused[i] + counts->taken[i], counts->refused[i], counts->taken[i]);
    }
    printf("%smutate: %zu variants, %zu refused, %zu taken, changed %zu\n",
           !tap                   ? ""
           : counts->changed == 0 ? "ok 1 - "
                                  : "not ok 1 - ",
           count, refused, taken, counts->changed);
}

struct options {
    bool tap, tell;
    size_t count, only;
    uint64_t seed;
    unsigned jobs;
};

static bool take_options(int argc, char **argv, struct options *ret_options)
{
    unsigned long numbers[3] = {0, 1, 0};
    size_t given = 0;

    *ret_options = (struct options){.jobs = 1};
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--tap") == 0)
            ret_options->tap = true;
        else if (strcmp(argv[i], "--tell") == 0)
            ret_options->tell = true;
        else if (strncmp(argv[i], "--jobs=", 7) == 0)
            ret_options->jobs = (unsigned)strtoul(argv[i] + 7, NULL, 10);
        else if (given < 3)
            numbers[given++] = strtoul(argv[i], NULL, 10);
    ret_options->count = numbers[0];
    ret_options->seed = numbers[1];
    ret_options->only = numbers[2];
    return numbers[0] > 0;
}

/* Every so manieth variant, in parties of its own. 0, or 70. */
static int try_share(const struct options *options, unsigned job, struct counts *counts)
{
    size_t first = options->only > 0 ? options->only : 1 + job,
           last = options->only > 0 ? first : options->count;
    struct error err = {0};
    struct parties *parties = parties_create(&err);
    int status = parties != NULL && try_bases(parties) == 0 ? 0 : 70;

    for (size_t i = first; status == 0 && i <= last; i += options->jobs)
        try_one(parties, options->seed, i, counts, options->tell || options->only > 0);
    if (*err.text != '\0')
        fprintf(stderr, "mutate: %s\n", err.text);
    parties_destroy(parties);
    return status;
}

/* A process whose last words are its counts. */
static FILE *begin_share(const struct options *options, unsigned job)
{
    struct counts counts = {0};
    int ends[2];

    if (pipe(ends) != 0)
        return NULL;
    if (fork() == 0) {
        int status = try_share(options, job, &counts);

        if (status == 0 && write(ends[1], &counts, sizeof counts) != (ssize_t)sizeof counts)
            status = 70;
        exit(status);
    }
    close(ends[1]);
    return fdopen(ends[0], "r");
}

static int end_share(FILE *pipe_end, struct counts *counts)
{
    struct counts share;
    bool whole = pipe_end != NULL && fread(&share, sizeof share, 1, pipe_end) == 1;

    if (pipe_end != NULL)
        fclose(pipe_end);
    (void)wait(NULL);
    for (size_t i = 0; whole && i < CLASSES; i++) {
        counts->refused[i] += share.refused[i];
        counts->taken[i] += share.taken[i];
    }
    counts->changed += whole ? share.changed : 0;
    return whole ? 0 : 70;
}

static int try_all(const struct options *options, struct counts *counts)
{
    FILE *shares[MOST_JOBS];
    int status = 0;

    for (unsigned i = 0; i < options->jobs; i++)
        shares[i] = begin_share(options, i);
    for (unsigned i = 0; i < options->jobs; i++)
        status |= end_share(shares[i], counts);
    return status;
}

int main(int argc, char **argv)
{
    struct options options;
    struct counts counts = {0};

    if (!take_options(argc, argv, &options) || options.jobs == 0 || options.jobs > MOST_JOBS) {
        fprintf(stderr, "usage: mutate_bundles [--tap] [--tell] [--jobs=N] N [SEED [VARIANT]]\n");
        return 64;
    }
    /* One thread, and thousands of small databases. */
    sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    setvbuf(stdout, NULL, _IOLBF, 0);
    listen_to_signals();
    if (options.tap)
        printf("1..1\n");
    if (options.only > 0)
        options.jobs = 1;
    if (try_all(&options, &counts) != 0)
        return 70;
    print_counts(&counts, options.only > 0 ? 1 : options.count, options.tap);
    return counts.changed == 0 ? 0 : 1;
}
