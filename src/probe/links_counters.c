/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "assay/base/text.h"
#include "links.h"

/* A counter of 16 bits at its end counts no more. */
enum { SYMBOL_ERRORS_MOST = 65535 };

static int64_t read_number(const char *path)
{
    cleanup_file FILE *file = fopen(path, "re");
    int64_t value = -1;

    return file != NULL && fscanf(file, "%" SCNd64, &value) == 1 ? value : -1;
}

static int64_t read_own(const struct links_options *options, const char *name)
{
    cleanup_free char *path =
        mem_printf("%s/class/infiniband/%s/ports/1/counters/%s", options->sys, options->hca, name);

    return read_number(path);
}

/* Frames that came in broken. The symbols of InfiniBand's counter nobody counts on Ethernet: it stays 0. */
static int64_t read_broken_frames(const struct links_options *options)
{
    cleanup_free char *at =
        mem_printf("%s/class/infiniband/%s/ports/1/gid_attrs/ndevs/0", options->sys, options->hca);
    cleanup_file FILE *file = fopen(at, "re");
    cleanup_free char *path = NULL;
    char name[64];

    if (file == NULL || fscanf(file, "%63s", name) != 1)
        return -1;
    path = mem_printf("%s/class/net/%s/statistics/rx_crc_errors", options->sys, name);
    return read_number(path);
}

struct links_own links_own_counters(const struct links_options *options)
{
    struct links_own own = {.sent = read_own(options, "port_xmit_data"),
                            .received = read_own(options, "port_rcv_data")};

    own.errors = options->cables != NULL ? read_broken_frames(options) : read_own(options, "symbol_error");
    if (options->cables == NULL && own.errors >= SYMBOL_ERRORS_MOST)
        own.errors = -1;
    return own;
}

static unsigned lid_of(const struct fabric *fabric, const struct fabric_port *port)
{
    const struct fabric_node *node = &fabric->nodes.items[port->node];

    return node->kind == FABRIC_SWITCH ? node->lid : port->lid;
}

int links_write_ports(const char *path, const struct fabric *fabric)
{
    FILE *file = fopen(path, "we");
    bool bad;

    if (file == NULL)
        return -1;
    for (size_t i = 0; i < fabric->ports.count; i++)
        if (fabric->ports.items[i].far != FABRIC_NONE && lid_of(fabric, &fabric->ports.items[i]) != 0)
            fprintf(file, "%u %u\n", lid_of(fabric, &fabric->ports.items[i]), fabric->ports.items[i].number);
    bad = ferror(file) != 0;
    return fclose(file) != 0 || bad ? -1 : 0;
}

/* By posix_spawn, as glibc has it: a fork of this process would take pages from under its adapter. */
static bool ask(const struct links_options *options, const char *ports)
{
    cleanup_text struct text command = {0};

    if (options->ask == NULL)
        return false;
    text_init(&command, 1 << 16);
    text_printf(&command, "(%s) <", options->ask);
    text_shell_quote(&command, ports);
    text_put(&command, " >>");
    text_shell_quote(&command, options->counters);
    return !command.clipped && system(command.bytes) == 0;
}

static void put(FILE *file, char before, int64_t value)
{
    if (value < 0)
        fprintf(file, "%c-", before);
    else
        fprintf(file, "%c%" PRId64, before, value);
}

/* Octets of words of 4. */
static int64_t octets(int64_t words)
{
    return words < 0 ? -1 : 4 * words;
}

/* "node1,mlx5_0,9127,8123,0" */
static void write_own_octets(FILE *file, const struct links_plan *plan, const struct links_own *own)
{
    for (uint32_t i = 0; i < plan->fabric->ports.count; i++) {
        const char *name = fabric_port_name(plan->fabric, i);

        if (plan->rank_of[i] < 0)
            continue;
        fprintf(file, "%.*s,%s", (int)strcspn(name, " "), name, name + strcspn(name, " ") + 1);
        put(file, ',', octets(own[plan->rank_of[i]].sent));
        put(file, ',', octets(own[plan->rank_of[i]].received));
        put(file, ',', own[plan->rank_of[i]].errors);
        fputc('\n', file);
    }
}

static void write_own(FILE *file, const struct links_plan *plan, const struct links_own *own)
{
    for (size_t i = 0; i < plan->fabric->ports.count; i++) {
        const struct fabric_port *port = &plan->fabric->ports.items[i];

        if (plan->rank_of[i] < 0)
            continue;
        fprintf(file, "%u %u", port->lid, port->number);
        put(file, ' ', own[plan->rank_of[i]].sent);
        put(file, ' ', own[plan->rank_of[i]].received);
        put(file, ' ', own[plan->rank_of[i]].errors);
        fputc('\n', file);
    }
}

int links_write_counters(const struct links_options *options, const char *ports, size_t reading,
                         const struct links_plan *plan, const struct links_own *own)
{
    FILE *file = fopen(options->counters, reading == 0 ? "we" : "ae");
    bool asked, bad;

    if (file == NULL)
        return -1;
    fprintf(file, "# counters %zu\n", reading);
    bad = fflush(file) != 0;
    asked = ask(options, ports);
    bad |= fseek(file, 0, SEEK_END) != 0; /* behind what the command has written */
    if (options->cables != NULL)
        write_own_octets(file, plan, own);
    else if (!asked)
        write_own(file, plan, own);
    bad |= ferror(file) != 0;
    return fclose(file) != 0 || bad ? -1 : asked;
}
