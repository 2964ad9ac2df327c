/* SPDX-License-Identifier: Apache-2.0 */
/* p2pBandwidthLatencyTest of the CUDA samples. */
#include "lab_private.h"

typedef double cell(const struct lab_host *host, int from, int to);

static double one(const struct lab_host *host, int from, int to)
{
    return from == to || lab_links_between(host->profile, host->gpus[from].number, host->gpus[to].number) > 0;
}

static double uni_off(const struct lab_host *host, int from, int to)
{
    return lab_p2p(host, from, to, false, false);
}

static double uni_on(const struct lab_host *host, int from, int to)
{
    return lab_p2p(host, from, to, true, false);
}

static double bi_off(const struct lab_host *host, int from, int to)
{
    return lab_p2p(host, from, to, false, true);
}

static double bi_on(const struct lab_host *host, int from, int to)
{
    return lab_p2p(host, from, to, true, true);
}

static double latency_off(const struct lab_host *host, int from, int to)
{
    return lab_latency(host, from, to, false);
}

static double latency_on(const struct lab_host *host, int from, int to)
{
    return lab_latency(host, from, to, true);
}

static double cpu_off(const struct lab_host *host, int from, int to)
{
    return from == to ? 2.9
                      : 5.1 * (1 + 0.05 * lab_noise(host->number, "cpu off", (unsigned)(from * 8 + to)));
}

static double cpu_on(const struct lab_host *host, int from, int to)
{
    return from == to ? 2.9 : 1.9 * (1 + 0.05 * lab_noise(host->number, "cpu on", (unsigned)(from * 8 + to)));
}

static void print_matrix(const struct lab_host *host, const char *corner, cell *value)
{
    printf("%s", corner);
    for (int to = 0; to < host->gpu_count; to++)
        printf("%6d ", to);
    printf("\n");
    for (int from = 0; from < host->gpu_count; from++) {
        printf("%6d ", from);
        for (int to = 0; to < host->gpu_count; to++)
            printf("%6.02f ", value(host, from, to));
        printf("\n");
    }
    fflush(stdout);
    lab_sleep(host->lab, 10);
}

static void print_access(const struct lab_host *host)
{
    for (int from = 0; from < host->gpu_count; from++)
        for (int to = 0; to < host->gpu_count; to++)
            if (from != to)
                printf("Device=%d %s Access Peer Device=%d\n", from,
                       one(host, from, to) > 0 ? "CAN" : "CANNOT", to);
    printf(
        "\n***NOTE: In case a device doesn't have P2P access to other one, it falls back to normal memcopy "
        "procedure.\nSo you can see lesser Bandwidth (GB/s) and unstable Latency (us) in those cases.\n\n");
    printf("P2P Connectivity Matrix\n     D\\D");
    for (int to = 0; to < host->gpu_count; to++)
        printf("%6d", to);
    printf("\n");
    for (int from = 0; from < host->gpu_count; from++) {
        printf("%6d\t", from);
        for (int to = 0; to < host->gpu_count; to++)
            printf("%6.0f", one(host, from, to));
        printf("\n");
    }
}

int tool_p2p(struct tool *tool)
{
    const struct lab_host *host = tool->host;

    if (host->cuda_error != NULL) {
        printf("[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]\n"
               "Cuda failure p2pBandwidthLatencyTest.cu:635: '%s'\n",
               host->cuda_error);
        return 1;
    }
    printf("[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]\n");
    for (int i = 0; i < host->gpu_count; i++)
        printf("Device: %d, %s, pciBusID: %x, pciDeviceID: 0, pciDomainID:%x\n", i, host->profile->gpu_name,
               host->gpus[i].pci_bus, host->gpus[i].pci_domain);
    print_access(host);
    printf("Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)\n");
    print_matrix(host, "   D\\D", uni_off);
    printf("Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n");
    print_matrix(host, "   D\\D", uni_on);
    printf("Bidirectional P2P=Disabled Bandwidth Matrix (GB/s)\n");
    print_matrix(host, "   D\\D", bi_off);
    printf("Bidirectional P2P=Enabled Bandwidth Matrix (GB/s)\n");
    print_matrix(host, "   D\\D", bi_on);
    printf("P2P=Disabled Latency Matrix (us)\n");
    print_matrix(host, "   GPU", latency_off);
    printf("\n");
    print_matrix(host, "   CPU", cpu_off);
    printf("P2P=Enabled Latency (P2P Writes) Matrix (us)\n");
    print_matrix(host, "   GPU", latency_on);
    printf("\n");
    print_matrix(host, "   CPU", cpu_on);
    printf("\nNOTE: The CUDA Samples are not meant for performance measurements. Results may vary when GPU "
           "Boost is "
           "enabled.\n");
    return 0;
}
