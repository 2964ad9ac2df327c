/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A flow on Ethernet: ib_write_bw from one adapter to another, for as long as a round lasts, with so many queue pairs. The kernel
 * takes the UDP source port of RoCE v2 from the numbers of both queue pairs, where nobody gives it a flow label; so each has its own,
 * and others in each round. What it sends is RDMA, which alone fills such links.
 *
 * A rank receives and sends at once. Its server is ended when its sender says that the flow is over.
 */
#include <mpi.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "assay/base/scan.h"
#include "assay/base/text.h"
#include "links.h"

enum {
    CONNECT_S = 20, /* servers take memory before they listen */
    LONGER_S = 60,  /* than the round: then a run is ended */
    TAG_OVER = 83,
    TOLD_BYTES = 1 << 16,
};

extern char **environ;

/* --- the tool --- */

static void put_command(const struct links_options *options, const struct links_place *own,
                        const struct links_place *server, bool sends, struct text *out)
{
    text_printf(out, "exec timeout -k 5 %.0f %s -d ", options->seconds + LONGER_S, options->flow);
    text_shell_quote(out, options->hca);
    if (own->gid_index >= 0)
        text_printf(out, " -x %d", own->gid_index);
    text_printf(out, " -F --report_gbits -q %u -s %zu -D %.0f -p %d", options->streams, options->bytes,
                options->seconds < 1 ? 1 : options->seconds, server->port);
    if (sends) {
        text_put(out, " ");
        text_shell_quote(out, server->address);
    }
    text_put(out, sends ? " 2>&1" : " >/dev/null 2>&1");
}

static pid_t start_server(const struct links_options *options, const struct links_place *own)
{
    cleanup_text struct text command = {0};
    char shell[] = "sh", flag[] = "-c";
    pid_t pid;

    text_init(&command, 1 << 16);
    put_command(options, own, own, false, &command);
    return posix_spawn(&pid, "/bin/sh", NULL, NULL, (char *[]){shell, flag, command.bytes, NULL}, environ) ==
                   0
               ? pid
               : -1;
}

static void end_server(pid_t pid)
{
    int status;

    if (pid < 0)
        return;
    kill(pid, SIGTERM);
    while (waitpid(pid, &status, 0) < 0 && kill(pid, 0) == 0)
        ;
}

/* "1048576    128301    0.00    392.41    0.046779": the average stands in the fourth column. */
static double read_rate(struct slice told)
{
    struct slice line;
    double gbits = 0;

    while (scan_line(&told, &line)) {
        struct slice word;
        uint64_t count;
        double number, average = 0;
        unsigned columns = 0;

        for (; scan_word(&line, &word); columns++) {
            if (columns < 2 ? !scan_u64(word, &count) : !scan_double(word, &number))
                break;
            if (columns == 3)
                average = number;
        }
        if (columns == 5 && slice_trim(line).length == 0)
            gbits = average;
    }
    return gbits;
}

/* Gb/s; 0: it came to nothing. */
static double run_client(const char *command, struct text *told)
{
    FILE *pipe = popen(command, "re");
    char piece[4096];
    size_t got;
    int status;

    text_reset(told);
    if (pipe == NULL)
        return 0;
    while ((got = fread(piece, 1, sizeof piece, pipe)) > 0)
        text_add(told, piece, got);
    status = pclose(pipe);
    return status == 0 ? read_rate((struct slice){told->bytes, told->length}) : 0;
}

static double send_by_tool(const struct links_options *options, const struct links_place *own,
                           const struct links_place *server)
{
    cleanup_text struct text command = {0}, told = {0};
    double began = MPI_Wtime(), gbits;

    if (server->address[0] == '\0')
        return 0;
    text_init(&command, 1 << 16);
    text_init(&told, TOLD_BYTES);
    put_command(options, own, server, true, &command);
    while ((gbits = run_client(command.bytes, &told)) == 0 &&
           strstr(told.bytes, "Couldn't connect") != NULL && MPI_Wtime() < began + CONNECT_S)
        usleep(200000);
    if (gbits == 0)
        fprintf(stderr, "assay-probe-links: %s to %s: no rate: %s\n", options->hca, server->address,
                told.bytes);
    return gbits;
}

double links_flow_by_tool(const struct links_options *options, struct links_part part, int rank,
                          const struct links_place *places)
{
    pid_t server = part.from >= 0 ? start_server(options, &places[rank]) : -1;
    MPI_Request over = MPI_REQUEST_NULL;
    double gbits = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    if (part.to >= 0) {
        gbits = send_by_tool(options, &places[rank], &places[part.to]);
        MPI_Isend(NULL, 0, MPI_BYTE, part.to, TAG_OVER, MPI_COMM_WORLD, &over);
    }
    if (part.from >= 0)
        MPI_Recv(NULL, 0, MPI_BYTE, part.from, TAG_OVER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&over, MPI_STATUS_IGNORE);
    end_server(server);
    return gbits;
}
