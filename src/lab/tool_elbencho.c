/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elbencho 3 on the shared /data. Services that mpirun starts on all of their hosts are one process, which leaves a mark for the first
 * host, where who measures finds it; --quit takes it away.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay/base/files.h"
#include "assay/base/scan.h"
#include "lab_private.h"

enum { WAIT_TRIES = 600, WAIT_US = 20000, HOSTS_MOST = 1024, SERVE_TRIES = 30000 };

/* --- services --- */

static const char *mark_of(const struct tool *tool)
{
    return lab_meeting_place(tool->arena, tool->lab, tool->host->number, "elbencho.services");
}

int tool_elbencho_over(struct tool *tool, struct lab_host *hosts, size_t count, unsigned ranks)
{
    const char *mark = mark_of(tool);
    char text[32];

    (void)hosts;
    (void)ranks;
    if (!tool_has(tool, "--service")) {
        fprintf(stderr, "The lab starts elbencho on several hosts with --service only.\n");
        return 1;
    }
    snprintf(text, sizeof text, "%zu", count);
    if (file_write(mark, text, strlen(text), 0644, &(struct error){0}) < 0)
        return 1;
    for (int tries = 0; tries < SERVE_TRIES; tries++) {
        if (!file_exists(mark))
            return 0;
        usleep(WAIT_US);
    }
    unlink(mark); /* of nobody's --quit */
    return 0;
}

static bool read_mark(const char *mark, uint64_t *ret_started)
{
    cleanup_text struct text text = {0};

    text_init(&text, 64);
    return file_exists(mark) && file_read(mark, &text, &(struct error){0}) == 0 &&
           scan_u64((struct slice){text.bytes, text.length}, ret_started);
}

/* It is waited for until the mark is there and written. */
static bool are_ready(const struct tool *tool, size_t count)
{
    const char *mark = mark_of(tool);
    uint64_t started;

    for (int tries = 0; tries < WAIT_TRIES; tries++) {
        if (read_mark(mark, &started))
            return started == count;
        usleep(WAIT_US);
    }
    return false;
}

/* --- a phase --- */

struct client {
    struct lab_host host;
    const char *service;
    double seconds;
};

struct work {
    struct tool *tool;
    struct client *clients;
    size_t count;
    double bytes, block, threads; /* of each file; of a request; files of a host */
};

static const char *elapsed(struct arena *arena, double seconds)
{
    unsigned minutes = (unsigned)(seconds / 60);

    if (seconds < 1)
        return arena_printf(arena, "%.0fms", seconds * 1000);
    return minutes > 0 ? arena_printf(arena, "%um%.3fs", minutes, seconds - 60 * minutes)
                       : arena_printf(arena, "%.3fs", seconds);
}

static int compare_seconds(const void *a, const void *b)
{
    double left = ((const struct client *)a)->seconds, right = ((const struct client *)b)->seconds;

    return (left > right) - (left < right);
}

static void print_row(const char *phase, const char *label, double first, double last)
{
    printf("%-11s %-17s: %11.0f %11.0f\n", phase, label, first, last);
}

/* Each host does its own part at its own pace. */
static void do_phase(struct work *work, const char *phase, const char *direction)
{
    struct arena *arena = work->tool->arena;
    double rate = lab_data_rate(direction, (unsigned)work->count, work->block) * 1e9,
           part = work->bytes * work->threads, all = part * (double)work->count, first, last, by_first = 0;

    for (size_t i = 0; i < work->count; i++) {
        const struct lab_host *host = &work->clients[i].host;

        work->clients[i].seconds =
            part / (rate * host->data_speed * (1 + 0.01 * lab_noise(host->number, direction, 1)));
    }
    qsort(work->clients, work->count, sizeof *work->clients, compare_seconds);
    first = work->clients[0].seconds;
    last = work->clients[work->count - 1].seconds;
    for (size_t i = 0; i < work->count; i++)
        by_first += part * first / work->clients[i].seconds;
    lab_sleep(work->tool->lab, last);
    printf("%-11s %-17s: %11s %11s\n", phase, "Elapsed time", elapsed(arena, first), elapsed(arena, last));
    print_row("", "IOPS", by_first / work->block / first, all / work->block / last);
    print_row("", "Throughput MiB/s", by_first / first / 1048576, all / last / 1048576);
    print_row("", "Total MiB", by_first / 1048576, all / 1048576);
    printf("%-11s %-17s: [ ", "", "Svc compl. time");
    for (size_t i = 0; i < work->count; i++)
        printf("%s=%s ", work->clients[i].service, elapsed(arena, work->clients[i].seconds));
    printf("]\n---\n");
}

/* --- what goes wrong --- */

static void print_error(const struct client *client, const char *what)
{
    fprintf(stderr, "2026-11-28 08:10:43 ERROR: Errors on host %s:\n  2026-11-28 08:10:43 ERROR: %s\n",
            client->service, what);
}

static int fail(const struct work *work)
{
    for (size_t i = 0; i < work->count; i++) {
        int number = lab_data_trouble(&work->clients[i].host);

        if (number == 0)
            continue;
        print_error(&work->clients[i],
                    arena_printf(work->tool->arena, "File open failed. Path: /data/assay/data1; SysErr: %s",
                                 strerror(number)));
        return 1;
    }
    return 0;
}

static bool reads_wrong(const struct work *work)
{
    for (size_t i = 0; i < work->count; i++)
        if (strcmp(work->clients[i].host.data_bad, "corrupts") == 0) {
            print_error(&work->clients[i],
                        "Data verification failed. Offset: 4096; Expected value: 17; Actual value: 0");
            return true;
        }
    return false;
}

static int do_phases(struct work *work)
{
    const struct tool *tool = work->tool;

    printf("%-11s %-17s  %11s %11s\n%-11s %-17s  %11s %11s\n", "OPERATION", "RESULT TYPE", "FIRST DONE",
           "LAST DONE", "===========", "================", "==========", "=========");
    fflush(stdout);
    if (fail(work) != 0)
        return 1;
    if (tool_has(tool, "-w"))
        do_phase(work, "WRITE", "write");
    fflush(stdout);
    if (tool_has(tool, "-r") && tool_has(tool, "--verify") && reads_wrong(work))
        return 1;
    if (tool_has(tool, "-r"))
        do_phase(work, "READ", "read");
    return 0;
}

/* --- the whole --- */

static bool take_hosts(struct work *work, const char *words)
{
    struct slice rest = slice_of(words);

    work->clients = arena_array(work->tool->arena, struct client, HOSTS_MOST);
    while (rest.length > 0 && work->count < HOSTS_MOST) {
        size_t length = slice_find(rest, ",") < rest.length ? slice_find(rest, ",") : rest.length;
        const char *service = arena_strndup(work->tool->arena, rest.bytes, length);
        unsigned number = lab_host_number(work->tool->lab,
                                          arena_strndup(work->tool->arena, service, strcspn(service, ":")));

        if (number == 0)
            return false;
        work->clients[work->count].service = service;
        lab_host_init(&work->clients[work->count++].host, work->tool->lab, number);
        rest = slice_from(rest, length < rest.length ? length + 1 : length);
    }
    return work->count > 0;
}

static int quit(const struct tool *tool)
{
    if (unlink(mark_of(tool)) == 0)
        return 0;
    fprintf(stderr, "2026-11-28 08:10:43 ERROR: no service to end: %s\n", strerror(errno));
    return 1;
}

int tool_elbencho(struct tool *tool)
{
    struct work work = {.tool = tool,
                        .bytes = strtod(tool_option(tool, "-s", "0"), NULL),
                        .block = strtod(tool_option(tool, "-b", "1048576"), NULL),
                        .threads = strtod(tool_option(tool, "-t", "1"), NULL)};

    if (tool_has(tool, "--version")) {
        printf("elbencho\n * Version: 3.1.9\n * Net protocol version: 3.1.9\n");
        return 0;
    }
    if (tool_has(tool, "--quit"))
        return quit(tool);
    if (!take_hosts(&work, tool_option(tool, "--hosts", ""))) {
        fprintf(stderr, "2026-11-28 08:10:43 ERROR: the lab wants --hosts of its own\n");
        return 1;
    }
    if (!are_ready(tool, work.count)) {
        fprintf(stderr, "2026-11-28 08:10:43 ERROR: Waiting for service instances timed out.\n");
        return 1;
    }
    return do_phases(&work);
}
