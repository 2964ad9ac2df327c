/* SPDX-License-Identifier: Apache-2.0 */
/*
 * iperf3 and ping: the network that the hosts' addresses lie in, which is not that of the HCAs. The server leaves its mark in the
 * host's folder, by its port, where the client finds it: that stands for the connection.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "assay/base/files.h"
#include "assay/base/scan.h"
#include "lab_private.h"

#define LINE_GBITS 23.5 /* of 25 that the ports have */
#define LINE_MS 0.12
#define ITSELF "itself.lab" /* an end elsewhere that is the host which asks */
#define STALLED 0.001       /* what was on its way */
#define RETRANSMITTED 40    /* segments a second, of a healthy line with many streams */

enum {
    LINE_MTU = 1500,
    HEADERS = 28 /* of IPv4 and ICMP */,
    RAMP_US = 20000,
    SERVER_TRIES = 3000,
    PORT = 5201
};

/* The number behind that option; else fallback. */
static double option(const struct tool *tool, const char *name, double fallback)
{
    double number = 0;

    for (int i = 1; i + 1 < tool->argc; i++)
        if (strcmp(tool->argv[i], name) == 0 && scan_double(slice_of(tool->argv[i + 1]), &number))
            return number;
    return fallback;
}

/* Of both ends the worse; 0: neither has the fault. */
static double worse(const struct tool *tool, unsigned other, enum fault_kind kind)
{
    const struct fault *here = fault_find(tool->lab, tool->host->number, kind);
    const struct fault *there = fault_find(tool->lab, other, kind);

    return fmax(here != NULL ? here->number : 0, there != NULL ? there->number : 0);
}

/* --- iperf3 --- */

/* "archive.lab": an end elsewhere, whose server serves for ever. It is no host: only what is wrong with the one that asks shows. */
static bool is_elsewhere(const char *name)
{
    size_t length = strlen(name);

    return length > 4 && strcmp(name + length - 4, ".lab") == 0;
}

static const char *meeting_place(const struct tool *tool, unsigned host, double port)
{
    return lab_meeting_place(tool->arena, tool->lab, host, arena_printf(tool->arena, "iperf3.%.0f", port));
}

/* Until its client has come; one that never comes does not keep it for ever. */
static int serve(const struct tool *tool)
{
    const char *place = meeting_place(tool, tool->host->number, option(tool, "-p", PORT));

    if (file_write(place, "", 0, 0644, &(struct error){0}) < 0)
        return 1;
    for (int tries = 0; tries < SERVER_TRIES && file_exists(place); tries++)
        usleep(RAMP_US);
    unlink(place);
    return 0;
}

static void print_sum(const char *name, double begin, double end, double gbits, double retransmits)
{
    printf("\t\t\"%s\":\t{\n\t\t\t\"start\":\t%.0f,\n\t\t\t\"end\":\t%.6f,\n\t\t\t\"seconds\":\t%.6f,\n"
           "\t\t\t\"bytes\":\t%.0f,\n\t\t\t\"bits_per_second\":\t%.3f,\n",
           name, begin, end, end - begin, gbits * 1e9 / 8 * (end - begin), gbits * 1e9);
    if (retransmits >= 0)
        printf("\t\t\t\"retransmits\":\t%.0f,\n", retransmits);
    printf("\t\t\t\"omitted\":\tfalse,\n\t\t\t\"sender\":\ttrue\n\t\t}");
}

static void print_connected(unsigned streams, const char *host, const char *server, double port)
{
    printf("\t\t\"connected\":\t[");
    for (unsigned i = 0; i < streams; i++)
        printf(
            "%s{\n\t\t\t\t\"socket\":\t%u,\n\t\t\t\t\"local_host\":\t\"%s\",\n\t\t\t\t\"remote_host\":\t\"%s\",\n\t\t\t\t\"remote_port\":\t%.0f\n\t\t\t}",
            i > 0 ? ", " : "", 5 + 2 * i, strcmp(server, ITSELF) == 0 ? server : host, server, port);
    printf("],\n");
}

static void print_head(const struct tool *tool, unsigned streams, const char *server, double seconds)
{
    printf("{\n\t\"start\":\t{\n");
    print_connected(streams, tool->host->name, server, option(tool, "-p", PORT));
    printf("\t\t\"version\":\t\"iperf 3.12\",\n\t\t\"system_info\":\t\"Linux %s\",\n"
           "\t\t\"timestamp\":\t{\n\t\t\t\"timesecs\":\t%lld\n\t\t}",
           tool->host->name, (long long)time(NULL));
    if (streams > 0)
        printf(",\n\t\t\"test_start\":\t{\n\t\t\t\"protocol\":\t\"TCP\",\n\t\t\t\"num_streams\":\t%u,\n"
               "\t\t\t\"duration\":\t%.0f,\n\t\t\t\"reverse\":\t%d\n\t\t}",
               streams, seconds, tool_has(tool, "-R"));
    printf("\n\t},\n");
}

/* Its exit status is 0: as that of 3.12 with -J. */
static int refuse(const struct tool *tool, const char *why)
{
    print_head(tool, 0, "", 0);
    printf(
        "\t\"intervals\":\t[],\n\t\"end\":\t{\n\t},\n\t\"error\":\t\"unable to connect to server: %s\"\n}\n",
        why);
    return 0;
}

/* What comes through in the i-th second, of 1. */
static double stalled(const struct tool *tool, unsigned other, unsigned i, unsigned seconds)
{
    return i >= seconds / 3 && i - seconds / 3 < worse(tool, other, FAULT_LINE_STALLS) ? 0 : 1;
}

static int send_all(const struct tool *tool, unsigned other, const char *server)
{
    unsigned streams = (unsigned)option(tool, "-P", 1), seconds = (unsigned)option(tool, "-t", 10);
    double share = 1 - worse(tool, other, FAULT_LINE_SLOW) / 100, lost = worse(tool, other, FAULT_LINE_LOSSY);
    double retransmits = RETRANSMITTED + lost * 1000, sum = 0;

    /* TCP falls to a fraction where a few in a hundred are lost. */
    share /= 1 + 2 * lost;
    print_head(tool, streams, server, seconds);
    lab_sleep(tool->lab, seconds);
    printf("\t\"intervals\":\t[");
    for (unsigned i = 0; i < seconds; i++) {
        double gbits = LINE_GBITS * share * stalled(tool, other, i, seconds) *
                       (1 + 0.01 * lab_noise(tool->host->number * 100 + other, "line",
                                             i + (tool_has(tool, "-R") ? seconds : 0)));

        printf("%s{\n", i > 0 ? ", " : "");
        print_sum("sum", i, i + 1, gbits, retransmits);
        printf("\n\t}");
        sum += gbits;
    }
    printf("],\n\t\"end\":\t{\n");
    print_sum("sum_sent", 0, seconds, sum / seconds, retransmits * seconds);
    printf(",\n");
    print_sum("sum_received", 0, seconds, sum / seconds * 0.9995, -1);
    printf("\n\t}\n}\n");
    return 0;
}

int tool_iperf3(struct tool *tool)
{
    const char *server = tool_option(tool, "-c", ""), *place;
    unsigned other = lab_host_number(tool->lab, server);

    if (tool_has(tool, "-s"))
        return serve(tool);
    if (is_elsewhere(server))
        return send_all(tool, 0, server);
    if (other == 0)
        return refuse(tool, "Name or service not known");
    place = meeting_place(tool, other, option(tool, "-p", PORT));
    if (unlink(place) < 0)
        return refuse(tool, "Connection refused");
    return send_all(tool, other, server);
}

/* --- ping --- */

static double ping_ms(const struct tool *tool, unsigned other, unsigned i)
{
    return LINE_MS * (1 + 0.1 * lab_noise(tool->host->number * 100 + other, "ping", i));
}

/* One of so many a hundred, in their places. */
static bool is_lost(double percent, unsigned i)
{
    return floor((i + 1) * percent / 100) > floor(i * percent / 100);
}

static int send_pings(const struct tool *tool, unsigned other, const char *name, double size)
{
    unsigned count = (unsigned)option(tool, "-c", 5), returned = 0;
    double hole = worse(tool, other, FAULT_LINE_MTU), lost = worse(tool, other, FAULT_LINE_LOSSY);

    printf("PING %s (10.0.0.%u) %.0f(%.0f) bytes of data.\n", name, other, size, size + HEADERS);
    for (unsigned i = 0; i < count; i++) {
        if ((hole > 0 && size + HEADERS > LINE_MTU - hole) || is_lost(lost, i))
            continue;
        printf("%.0f bytes from 10.0.0.%u: icmp_seq=%u ttl=64 time=%.3f ms\n", size + 8, other, i + 1,
               ping_ms(tool, other, i));
        returned++;
    }
    printf(
        "\n--- %s ping statistics ---\n%u packets transmitted, %u received, %.4g%% packet loss, time %ums\n",
        name, count, returned, 100.0 * (count - returned) / count, count * 200);
    return returned == 0;
}

/* No host's address leads to its network, as a rule. */
static int ping_bmc(const struct tool *tool, const char *name)
{
    unsigned count = (unsigned)option(tool, "-c", 5), returned = lab_bmc_answers(tool->lab, name) ? count : 0;

    printf("PING %s (10.9.0.1) 56(84) bytes of data.\n\n--- %s ping statistics ---\n"
           "%u packets transmitted, %u received, %u%% packet loss, time 1002ms\n",
           name, name, count, returned, returned > 0 ? 0 : 100);
    return returned == 0;
}

/* FreeIPMI's: two pings to 623/udp. */
int tool_rmcpping(struct tool *tool)
{
    const char *name = tool->argc > 1 ? tool->argv[tool->argc - 1] : "";
    bool answers = lab_bmc_answers_rmcp(tool->lab, name);

    printf("rmcpping %s (10.9.0.1)\n", name);
    for (int i = 0; answers && i < 2; i++)
        printf("pong received from 10.9.0.1: message_tag=%d\n", i);
    printf("--- rmcpping %s statistics ---\n2 pings transmitted, %d pongs received in time, %s packet loss\n",
           name, answers ? 2 : 0, answers ? "0.0%" : "100.0%");
    return !answers;
}

int tool_ping(struct tool *tool)
{
    const char *name = tool->argc > 1 ? tool->argv[tool->argc - 1] : "";
    unsigned other = lab_host_number(tool->lab, name);
    double size = option(tool, "-s", 56);

    if (strstr(name, "-bmc") != NULL)
        return ping_bmc(tool, name);
    if (other == 0 && !is_elsewhere(name)) {
        fprintf(stderr, "ping: %s: Name or service not known\n", name);
        return 2;
    }
    if (tool_has(tool, "-M") && size + HEADERS > LINE_MTU) {
        printf("PING %s (10.0.0.%u) %.0f(%.0f) bytes of data.\n", name, other, size, size + HEADERS);
        fflush(stdout);
        fprintf(stderr, "ping: local error: message too long, mtu=%d\n", LINE_MTU);
        printf(
            "\n--- %s ping statistics ---\n1 packets transmitted, 0 received, +1 errors, 100%% packet loss, time 0ms\n",
            name);
        return 1;
    }
    return send_pings(tool, other, name, size);
}
