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

static int64_t read_own(const char *hca, const char *name)
{
    cleanup_free char *path = mem_printf("/sys/class/infiniband/%s/ports/1/counters/%s", hca, name);
    cleanup_file FILE *file = fopen(path, "re");
    int64_t value = -1;

    return file != NULL && fscanf(file, "%" SCNd64, &value) == 1 ? value : -1;
}

struct links_own links_own_counters(const char *hca)
{
    struct links_own own = {.sent = read_own(hca, "port_xmit_data"),
                            .received = read_own(hca, "port_rcv_data"),
                            .errors = read_own(hca, "symbol_error")};

    if (own.errors >= SYMBOL_ERRORS_MOST)
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

static void put(FILE *file, int64_t value)
{
    if (value < 0)
        fputs(" -", file);
    else
        fprintf(file, " %" PRId64, value);
}

static void write_own(FILE *file, const struct links_plan *plan, const struct links_own *own)
{
    for (size_t i = 0; i < plan->fabric->ports.count; i++) {
        const struct fabric_port *port = &plan->fabric->ports.items[i];

        if (plan->rank_of[i] < 0)
            continue;
        fprintf(file, "%u %u", port->lid, port->number);
        put(file, own[plan->rank_of[i]].sent);
        put(file, own[plan->rank_of[i]].received);
        put(file, own[plan->rank_of[i]].errors);
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
    if (!asked)
        write_own(file, plan, own);
    bad |= ferror(file) != 0;
    return fclose(file) != 0 || bad ? -1 : asked;
}
