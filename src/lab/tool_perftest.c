/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ib_write_bw. The server leaves its device's name in the host's folder, by its port, where the client finds
 * it: that stands for the connection. Between an HCA and itself no data leaves the adapter, so its link does
 * not count.
 */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "assay/cleanup.h"
#include "assay/files.h"
#include "assay/scan.h"
#include "lab_private.h"

#define LINE "---------------------------------------------------------------------------------------\n"
#define WIRE_SHARE 0.981 /* of the rate: 392.4 of 400 */

struct request {
    unsigned hca, port;
    double size, iterations;
    bool client;
};

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
            request.client = true;
            continue;
        }
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

/* The server's HCA, once it is there; as long as a client waits for a slow server. */
static unsigned connect_to(const char *path)
{
    for (int tries = 0; tries < 100; tries++) {
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

static void print_head(const struct tool *tool, unsigned hca)
{
    bool ethernet = tool->lab->ethernet;

    printf(LINE
           "                    RDMA_Write BW Test\n Dual-port       : OFF\t\tDevice         : mlx5_%u\n"
           " Number of qps   : 1\t\tTransport type : IB\n Connection type : RC\t\tUsing SRQ      : OFF\n"
           " PCIe relax order: ON\n ibv_wr* API     : ON\n TX depth        : 128\n CQ Moderation   : 100\n"
           " Mtu             : 4096[B]\n Link type       : %s\n%s Max inline data : 0[B]\n"
           " rdma_cm QPs\t : OFF\n Data ex. method : Ethernet\n" LINE,
           hca, ethernet ? "Ethernet" : "IB", ethernet ? " GID index       : 3\n" : "");
    printf(" local address: LID 0x%02x QPN 0x0128 PSN 0x5d4f4b RKey 0x1fff00 VAddr 0x007f0e7e200000\n"
           " remote address: LID 0x%02x QPN 0x0129 PSN 0x1ac0e1 RKey 0x1fff01 VAddr 0x007f0e7e300000\n" LINE,
           tool->host->number * LAB_HCAS + hca + 2, tool->host->number * LAB_HCAS + hca + 3);
}

static int run_client(const struct tool *tool, const struct request *request, const char *path)
{
    const struct lab_host *host = tool->host;
    unsigned server = connect_to(path), key = request->hca * LAB_HCAS + server;
    double rail = 1, gbits;

    if (server >= LAB_HCAS) {
        printf("Couldn't connect to localhost:%u\nUnable to open file descriptor for socket connection "
               "Unable to init the socket connection\n",
               request->port);
        return 1;
    }
    if (server != request->hca)
        rail = fmin(host->rail[request->hca], host->rail[server]);
    gbits =
        WIRE_SHARE * host->profile->hca_rate * rail * (1 + 0.001 * lab_noise(host->number, "perftest", key));
    print_head(tool, request->hca);
    printf(" #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n");
    printf(" %-10.0f %-15.0f %-18.2f %-18.2f \t\t   %.6f\n" LINE, request->size, request->iterations,
           gbits * 1.0002, gbits, gbits * 1e3 / 8 / request->size);
    return 0;
}

int tool_ib_write_bw(struct tool *tool)
{
    struct request request = read_request(tool);
    const char *path;
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
    snprintf(name, sizeof name, "ib_write_bw.%u", request.port);
    path = lab_host_file(tool->arena, tool->lab, tool->host->number, name);
    if (request.client)
        return run_client(tool, &request, path);
    snprintf(name, sizeof name, "mlx5_%u", request.hca);
    if (file_write(path, name, strlen(name), 0644, &(struct error){0}) < 0)
        return 1;
    /* The client ends it; one that never comes does not keep it for ever. */
    sleep(20);
    return 0;
}
