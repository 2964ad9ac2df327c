/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mutate_bundles [--tap] [--tell] N [SEED [VARIANT]]: N variants of a good bundle, each imported, and after each all that the importer had
 * before is compared row by row, with what he is shown of it. Prints a line for each class of mutations and then
 * "mutate: N variants, R refused, T taken, changed C". With VARIANT only that one, and what came of it; --tell: what came of each. --tap: as a test.
 * Exit status: 0 nothing of the importer's changed, 1 something did, 70 there is nothing to begin with.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "variants.h"

enum { LONGEST_S = 60, SHOWN_IN_FULL = 8 };

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

    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
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
};

static bool take_options(int argc, char **argv, struct options *ret_options)
{
    unsigned long numbers[3] = {0, 1, 0};
    size_t given = 0;

    *ret_options = (struct options){0};
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--tap") == 0)
            ret_options->tap = true;
        else if (strcmp(argv[i], "--tell") == 0)
            ret_options->tell = true;
        else if (given < 3)
            numbers[given++] = strtoul(argv[i], NULL, 10);
    ret_options->count = numbers[0];
    ret_options->seed = numbers[1];
    ret_options->only = numbers[2];
    return numbers[0] > 0;
}

static int try_all(struct parties *parties, const struct options *options)
{
    struct counts counts = {0};
    size_t first = options->only > 0 ? options->only : 1, last = options->only > 0 ? first : options->count;

    if (options->tap)
        printf("1..1\n");
    for (size_t i = first; i <= last; i++)
        try_one(parties, options->seed, i, &counts, options->tell || options->only > 0);
    print_counts(&counts, last - first + 1, options->tap);
    return counts.changed == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct options options;
    struct error err = {0};
    struct parties *parties;
    int status = 70;

    if (!take_options(argc, argv, &options)) {
        fprintf(stderr, "usage: mutate_bundles [--tap] [--tell] N [SEED [VARIANT]]\n");
        return 64;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    listen_to_signals();
    parties = parties_create(&err);
    if (parties != NULL && try_bases(parties) == 0)
        status = try_all(parties, &options);
    if (*err.text != '\0')
        fprintf(stderr, "mutate: %s\n", err.text);
    parties_destroy(parties);
    return status;
}
