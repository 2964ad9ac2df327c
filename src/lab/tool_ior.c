/* SPDX-License-Identifier: Apache-2.0 */
/* ior and mdtest 3.3 on the shared /data: one program over the ranks of all its hosts, as fast as the slowest of them lets it be. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay/base/scan.h"
#include "lab_private.h"

/* Of a client in a second, and of the servers for all. */
#define FILES_OF_CLIENT 9000.0
#define FILES_OF_SERVERS 52000.0

struct work {
    struct tool *tool;
    const struct lab_host *hosts;
    size_t count;
    unsigned ranks;
};

/* Bytes are given without a unit. */
static double number_behind(const struct tool *tool, const char *flag, double fallback)
{
    const char *word = tool_option(tool, flag, NULL);

    return word != NULL ? strtod(word, NULL) : fallback;
}

static unsigned per_host(const struct work *work)
{
    return work->ranks / (unsigned)work->count;
}

static const struct lab_host *host_of(const struct work *work, unsigned rank)
{
    return &work->hosts[rank / per_host(work)];
}

/* The share that the slowest host has of what it should: all wait for it. */
static double slowest(const struct work *work)
{
    double least = 1;

    for (size_t i = 0; i < work->count; i++)
        least = fmin(least, work->hosts[i].data_speed);
    return least;
}

static void print_command(const struct tool *tool)
{
    printf("%s", tool->name);
    for (int i = 1; i < tool->argc; i++)
        printf(" %s", tool->argv[i]);
    printf("\n");
}

int lab_data_trouble(const struct lab_host *host)
{
    static const struct {
        const char *bad;
        int number;
    } rows[] = {{"read-only", EROFS}, {"full", ENOSPC}, {"stale", ESTALE}};

    while (strcmp(host->data_bad, "hangs") == 0)
        pause();
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (strcmp(host->data_bad, rows[i].bad) == 0)
            return rows[i].number;
    return 0;
}

/* --- ior --- */

static void print_options(const struct work *work, double transfer, double block)
{
    const struct tool *tool = work->tool;

    printf("IOR-3.3.0: MPI Coordinated Test of Parallel I/O\nBegan               : Sat Nov 28 08:10:43 2026\n"
           "Command line        : ");
    print_command(tool);
    printf(
        "Machine             : Linux %s\nTestID              : 0\n\nOptions: \napi                 : POSIX\n"
        "test filename       : %s\naccess              : %s\nnodes               : %zu\n"
        "tasks               : %u\nclients per node    : %u\nrepetitions         : 1\n"
        "xfersize            : %.0f MiB\nblocksize           : %.0f MiB\n\nResults: \n\n"
        "access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   "
        "total(s)   iter\n",
        work->hosts[0].name, tool_option(tool, "-o", NULL),
        tool_has(tool, "-F") ? "file-per-process" : "single-shared-file", work->count, work->ranks,
        per_host(work), transfer / 1048576, block / 1048576);
}

static int fail_ior(const struct work *work)
{
    for (unsigned rank = 0; rank < work->ranks; rank += per_host(work)) {
        int number = lab_data_trouble(host_of(work, rank));

        if (number == 0)
            continue;
        printf("ior ERROR: open64(\"%s.%08u\", 66, 0664) failed, errno %d, %s (aiori-POSIX.c:412)\n",
               tool_option(work->tool, "-o", NULL), rank, number, strerror(number));
        return 255;
    }
    return 0;
}

/* A rank of the host whose reads come out wrong, by the file of the rank whose data it reads. What it wrote itself is right in its
   memory. */
static unsigned compare(const struct work *work)
{
    enum { ERRORS = 3 };
    unsigned shift = (unsigned)number_behind(work->tool, "-Q", 1), wrong = 0;

    for (unsigned rank = 0; shift % work->count != 0 && rank < work->ranks; rank++) {
        if (strcmp(host_of(work, rank)->data_bad, "corrupts") != 0)
            continue;
        printf("[%u] FAILED comparison of buffer containing 8-byte ints:\n[%u]   File name = %s.%08u\n"
               "[%u]   In transfer 7, %d errors between buffer indices 100 and 102.\n",
               rank, rank, tool_option(work->tool, "-o", NULL), (rank + shift * per_host(work)) % work->ranks,
               rank, ERRORS);
        wrong += ERRORS;
    }
    if (wrong > 0)
        printf("WARNING: incorrect data on read (%u errors found).\n", wrong);
    return wrong;
}

static void print_results(const struct work *work, const char *direction, double transfer, double block)
{
    double bytes = block * work->ranks;
    double gbs = lab_data_rate(direction, (unsigned)work->count, transfer) * (double)work->count *
                 slowest(work) * (1 + 0.01 * lab_noise(work->hosts[0].number, direction, 0));
    double mib = gbs * 1e9 / 1048576, requests = gbs * 1e9 / transfer, seconds = bytes / gbs / 1e9;

    lab_sleep(work->tool->lab, fmin(seconds, number_behind(work->tool, "-D", seconds)));
    printf("%-9s %-10.2f %-10.2f 0.001505    %-10.0f %-10.2f 0.012946   %-10.6f 0.013720   %-10.6f 0   \n",
           direction, mib, requests, block / 1024, transfer / 1024, seconds, seconds);
    printf(
        "\nSummary of all tests:\nOperation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev   Max(OPs)   "
        "Min(OPs)  Mean(OPs)     StdDev    Mean(s) Stonewall(s) Stonewall(MiB) Test# #Tasks tPN reps\n"
        "%-9s %10.2f %10.2f %10.2f       0.00 %10.2f %10.2f %10.2f       0.00 %10.5f         NA            "
        "NA     0 %6u %3u    1\nFinished            : Sat Nov 28 08:10:45 2026\n",
        direction, mib, mib, mib, requests, requests, requests, seconds, work->ranks, per_host(work));
}

int tool_ior_over(struct tool *tool, struct lab_host *hosts, size_t count, unsigned ranks)
{
    const struct work work = {tool, hosts, count, ranks};
    double transfer = number_behind(tool, "-t", 262144), block = number_behind(tool, "-b", 1048576);
    unsigned wrong = 0;
    int rc;

    if (tool_option(tool, "-o", NULL) == NULL) {
        printf("ior ERROR: the lab wants -o FILE\n");
        return 1;
    }
    print_options(&work, transfer, block);
    rc = fail_ior(&work);
    if (rc != 0)
        return rc;
    if (tool_has(tool, "-R"))
        wrong = compare(&work);
    print_results(&work, tool_has(tool, "-w") ? "write" : "read", transfer, block);
    return (int)(wrong & 0xff);
}

/* --- mdtest --- */

int tool_mdtest_over(struct tool *tool, struct lab_host *hosts, size_t count, unsigned ranks)
{
    static const struct {
        const char *row;
        double share; /* of the rate at which files are made */
    } rows[] = {{"File creation", 1}, {"File stat", 3.1}, {"File read", 1.8}, {"File removal", 1.2}};
    const struct work work = {tool, hosts, count, ranks};
    double files = number_behind(tool, "-n", 0) * ranks;
    double rate = fmin(FILES_OF_CLIENT * (double)count, FILES_OF_SERVERS) * slowest(&work);

    printf("-- started at 11/28/2026 08:11:09 --\n\nmdtest-3.3.0 was launched with %u total task(s) on %zu "
           "node(s)\nCommand line used: ",
           ranks, count);
    print_command(tool);
    for (size_t i = 0; i < count; i++) {
        int number = lab_data_trouble(&hosts[i]);

        if (number == 0)
            continue;
        printf("11/28/2026 08:11:19: Process %zu: FAILED in create_file, unable to create file: %s\n",
               i * per_host(&work), strerror(number));
        return 1;
    }
    lab_sleep(tool->lab, files * 3 / rate);
    printf(
        "%u tasks, %.0f files\n\nSUMMARY rate: (of 1 iterations)\n   Operation                      Max            "
        "Min           Mean        Std Dev\n   ---------                      ---            ---           "
        "----        -------\n",
        ranks, files);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        printf("   %-26s: %14.3f %14.3f %14.3f %14.3f\n", rows[i].row, rate * rows[i].share * 1.1,
               rate * rows[i].share, rate * rows[i].share * 1.05, rate * rows[i].share * 0.05);
    printf("-- finished at 11/28/2026 08:11:10 --\n\n");
    return 0;
}

/* Without mpirun: one rank here. */
int tool_ior(struct tool *tool)
{
    return tool_ior_over(tool, tool->host, 1, 1);
}

int tool_mdtest(struct tool *tool)
{
    return tool_mdtest_over(tool, tool->host, 1, 1);
}
