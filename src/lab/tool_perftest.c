/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ib_write_bw, ib_send_bw and their siblings for latency. The server leaves its device's name in the host's folder,
 * by its port, where the client finds it: that stands for the connection. Between an HCA and itself no data leaves
 * the adapter, so its link does not count.
 */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/base/scan.h"
#include "lab_private.h"

#define LINE "---------------------------------------------------------------------------------------\n"
#define WIRE_SHARE 0.981 /* of the rate: 392.4 of 400 */
#define GPU_SHARE 0.95   /* from the memory of a GPU: 380 of 400 */
#define BOTH_SHARE 1.97  /* of one direction, in both at once */
#define LATENCY_IB 1.34  /* us, over two switches */
#define LATENCY_ROCE 2.9

struct request {
    unsigned hca, port;
    double size, iterations;
    bool gpu, both;     /* from the memory of a GPU; in both directions at once */
    const char *server; /* the host to connect to; NULL: it is the server itself */
};

static bool is_latency(const struct tool *tool)
{
    return strcmp(strrchr(tool->name, '_'), "_lat") == 0;
}

static unsigned hca_named(const char *word)
{
    struct slice name = slice_of(word);
    uint64_t number;

    return scan_text(&name, "mlx5_") && scan_u64(name, &number) && number < LAB_HCAS ? (unsigned)number
                                                                                     : LAB_HCAS;
}

static struct request read_request(const struct tool *tool)
{
    struct request request = {.hca = LAB_HCAS, .port = 18515, .size = 65536, .iterations = 5000};

    for (int i = 1; i < tool->argc; i++) {
        const char *word = tool->argv[i], *value = i + 1 < tool->argc ? tool->argv[i + 1] : "";
        double number = 0;

        if (word[0] != '-') {
            request.server = word;
            continue;
        }
        request.gpu |= strncmp(word, "--use_cuda=", 11) == 0;
        request.both |= strcmp(word, "-b") == 0 || strcmp(word, "--bidirectional") == 0;
        scan_double(slice_of(value), &number);
        if (strcmp(word, "-d") == 0)
            request.hca = hca_named(value);
        else if (strcmp(word, "-p") == 0)
            request.port = (unsigned)number;
        else if (strcmp(word, "-s") == 0)
            request.size = number;
        else if (strcmp(word, "-n") == 0)
            request.iterations = number;
        else
            continue;
        i++;
    }
    return request;
}

/* The server's HCA, once it is there; a busy machine starts it a little later. */
static unsigned connect_to(const char *path)
{
    for (int tries = 0; tries < 30; tries++) {
        cleanup_text struct text text = {0};
        struct error err = {0};

        text_init(&text, 64);
        if (file_exists(path) && file_read(path, &text, &err) == 0) {
            unlink(path);
            return hca_named(text.bytes);
        }
        usleep(100000);
    }
    return LAB_HCAS;
}

static void print_head(const struct tool *tool, const struct request *request)
{
    bool ethernet = tool->lab->ethernet;
    unsigned hca = request->hca;

    printf(LINE
           "                    %s%s %s Test\n Dual-port       : OFF\t\tDevice         : mlx5_%u\n"
           " Number of qps   : 1\t\tTransport type : IB\n Connection type : RC\t\tUsing SRQ      : OFF\n"
           " PCIe relax order: ON\n ibv_wr* API     : ON\n TX depth        : 128\n CQ Moderation   : 100\n"
           " Mtu             : 4096[B]\n Link type       : %s\n%s Max inline data : 0[B]\n"
           " rdma_cm QPs\t : OFF\n Data ex. method : Ethernet\n" LINE,
           strncmp(tool->name, "ib_send", 7) == 0 ? "Send" : "RDMA_Write",
           request->both ? " Bidirectional" : "", is_latency(tool) ? "Latency" : "BW", hca,
           ethernet ? "Ethernet" : "IB", ethernet ? " GID index       : 3\n" : "");
    printf(" local address: LID 0x%02x QPN 0x0128 PSN 0x5d4f4b RKey 0x1fff00 VAddr 0x007f0e7e200000\n"
           " remote address: LID 0x%02x QPN 0x0129 PSN 0x1ac0e1 RKey 0x1fff01 VAddr 0x007f0e7e300000\n" LINE,
           tool->host->number * LAB_HCAS + hca + 2, tool->host->number * LAB_HCAS + hca + 3);
}

/* Where a server on that host, with that port, leaves its device's name. */
static const char *meeting_place(const struct tool *tool, unsigned host, unsigned port)
{
    return lab_meeting_place(tool->arena, tool->lab, host,
                             arena_printf(tool->arena, "%s.%u", tool->name, port));
}

/* Half of a round trip; either end may be the slow one. */
static void print_latency(const struct tool *tool, const struct request *request, unsigned other)
{
    const struct fault *here =
        fault_of_hca(tool->lab, tool->host->number, FAULT_RDMA_LATENCY, (int)request->hca);
    const struct fault *there = fault_of_hca(tool->lab, other, FAULT_RDMA_LATENCY, (int)request->hca);
    double typical = tool->lab->ethernet ? LATENCY_ROCE : LATENCY_IB;

    typical += (here != NULL ? here->number : 0) + (there != NULL ? there->number : 0);
    typical *= 1 + 0.01 * lab_noise(tool->host->number, "latency", request->hca);
    printf(" #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    "
           "t_stdev[usec]   "
           "99%% percentile[usec]   99.9%% percentile[usec] \n");
    printf(" %-7.0f %-14.0f %-14.2f %-12.2f %-18.2f %-14.2f %-15.2f %-22.2f %-10.2f \n" LINE, request->size,
           request->iterations, typical * 0.96, typical * 4.1, typical, typical * 1.01, typical * 0.03,
           typical * 1.12, typical * 2.3);
}

static int run_client(const struct tool *tool, const struct request *request)
{
    const struct lab_host *host = tool->host;
    unsigned other = strcmp(request->server, "localhost") == 0 ? host->number
                                                               : lab_host_number(tool->lab, request->server);
    unsigned server = other > 0 ? connect_to(meeting_place(tool, other, request->port)) : LAB_HCAS;
    unsigned key = request->hca * LAB_HCAS + server;
    struct lab_host peer;
    double rail = 1, gbits;

    if (server >= LAB_HCAS) {
        printf("Couldn't connect to %s:%u\nUnable to open file descriptor for socket connection "
               "Unable to init the socket connection\n",
               request->server, request->port);
        return 1;
    }
    lab_host_init(&peer, tool->lab, other);
    if (server != request->hca || other != host->number)
        rail = fmin(host->rail[request->hca], peer.rail[server]);
    if (other != host->number)
        rail *= lab_spine_share((const struct lab_host[]){*host, peer}, 2);
    gbits = (request->gpu ? GPU_SHARE : WIRE_SHARE) * host->profile->hca_rate * rail *
            (request->both ? BOTH_SHARE : 1) * (1 + 0.001 * lab_noise(host->number, "perftest", key));
    print_head(tool, request);
    if (is_latency(tool)) {
        print_latency(tool, request, other);
        return 0;
    }
    printf(" #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n");
    printf(" %-10.0f %-15.0f %-18.2f %-18.2f \t\t   %.6f\n" LINE, request->size, request->iterations,
           gbits * 1.0002, gbits, gbits * 1e3 / 8 / request->size);
    return 0;
}

int tool_ib_bw(struct tool *tool)
{
    struct request request = read_request(tool);
    char name[32];

    if (request.hca >= LAB_HCAS || !tool->host->hcas[request.hca].present) {
        printf(" IB device not found\n Couldn't get device attributes\n");
        return 1;
    }
    if (!tool->host->hcas[request.hca].up) {
        printf(" Port number 1 state is Down\n Couldn't set the link layer\n Couldn't get context for the "
               "device\n");
        return 1;
    }
    if (request.server != NULL)
        return run_client(tool, &request);
    snprintf(name, sizeof name, "mlx5_%u", request.hca);
    if (file_write(meeting_place(tool, tool->host->number, request.port), name, strlen(name), 0644,
                   &(struct error){0}) < 0)
        return 1;
    /* Until its client has come; one that never comes does not keep it for ever. */
    for (int tries = 0; tries < 1000 && file_exists(meeting_place(tool, tool->host->number, request.port));
         tries++)
        usleep(20000);
    return 0;
}
