/* SPDX-License-Identifier: Apache-2.0 */
/* nvidia-smi: the table, -L, topo -m, nvlink; the queries are in tool_nvidia_smi_query.c. */
#include <string.h>
#include <time.h>

#include "assay/base/scan.h"
#include "lab_private.h"

#define RULE "+-----------------------------------------+------------------------+----------------------+\n"
#define WIDE "+-----------------------------------------------------------------------------------------+\n"

static void print_gpu(const struct lab_host *host, const struct lab_gpu *gpu, int index)
{
    struct gpu_now now = gpu_now(host, gpu);
    char bus[24];

    printf("| %3d  %-30s%3s  |   %s Off | %20s |\n", index, host->profile->gpu_name,
           gpu->persistence ? "On" : "Off", lab_bus_id(gpu, bus), gpu->ecc ? "0" : "Off");
    printf("| N/A %4uC    P0%15uW /%5uW |%8uMiB /%7uMiB |%7u%% %12s |\n", now.temperature, now.power_w,
           gpu->power_limit, now.memory_used_mib, host->profile->memory_mib, now.utilization, "Default");
    printf("|%41s|%24s| %20s |\n" RULE, "", "", gpu->mig ? "Enabled" : "Disabled");
}

static void print_processes(const struct lab_host *host, int only)
{
    struct gpu_process process;
    int found = 0;

    printf("\n" WIDE
           "| Processes:                                                                              |\n"
           "|  GPU   GI   CI        PID   Type   Process name                              GPU Memory |\n"
           "|        ID   ID                                                               Usage      |\n"
           "|=========================================================================================|\n");
    for (int i = 0; i < host->gpu_count; i++)
        if ((only < 0 || only == i) && gpu_process(host, &host->gpus[i], &process)) {
            printf("|  %3d   N/A  N/A   %7d      C   %-42s%7uMiB |\n", i, process.pid, process.name,
                   process.memory_mib);
            found++;
        }
    if (found == 0)
        printf(
            "|  No running processes found                                                             |\n");
    printf(WIDE);
}

static int print_table(const struct lab_host *host, int only)
{
    time_t now = time(NULL);
    struct tm local;
    char date[64];

    strftime(date, sizeof date, "%a %b %e %H:%M:%S %Y", localtime_r(&now, &local));
    printf("%s\n" WIDE "| NVIDIA-SMI %-22s Driver Version: %-14s CUDA Version: %-8s |\n"
           "|-----------------------------------------+------------------------+----------------------+\n"
           "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n"
           "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n"
           "|                                         |                        |               MIG M. |\n"
           "|=========================================+========================+======================|\n",
           date, host->driver, host->driver, host->profile->cuda);
    for (int i = 0; i < host->gpu_count; i++)
        if (only < 0 || only == i)
            print_gpu(host, &host->gpus[i], i);
    print_processes(host, only);
    return 0;
}

static void print_name(const struct lab_host *host, int index)
{
    printf("GPU %d: %s (UUID: %s)\n", index, host->profile->gpu_name, host->gpus[index].uuid);
}

static int print_list(const struct lab_host *host, int only)
{
    for (int i = 0; i < host->gpu_count; i++)
        if (only < 0 || only == i)
            print_name(host, i);
    return 0;
}

/* Devices of which there are `count`, in halves by socket. */
static const char *topo_between(int a, int b, unsigned count)
{
    int half = (int)count / 2;

    return a / half == b / half ? "NODE" : "SYS";
}

/* GPU k is on the switch of HCA k; where there are fewer HCAs, two GPUs share one. */
static const char *topo_to_hca(const struct lab_host *host, int gpu, int hca)
{
    const struct lab_profile *profile = host->profile;
    int nearest = gpu * (int)profile->hcas / (int)profile->gpus;

    /* A superchip has no PCIe switch: its adapters hang on the processor. */
    if (nearest == hca && !host->hcas[hca].far && profile->pci_domain[0] == 0)
        return "PXB";
    return topo_between(nearest, hca, profile->hcas);
}

/* The HCAs that the host sees, which is what the tool numbers. */
static int nics_of(const struct lab_host *host, int nics[LAB_HCAS])
{
    int count = 0;

    for (int i = 0; i < LAB_HCAS; i++)
        if (host->hcas[i].present)
            nics[count++] = i;
    return count;
}

/* Of a pair that has one less each, one is lost. */
static unsigned links_between(const struct lab_host *host, const struct lab_gpu *a, const struct lab_gpu *b)
{
    unsigned links = lab_links_between(host->profile, a->number, b->number),
             active = a->links_active < b->links_active ? a->links_active : b->links_active,
             lost = host->profile->links - active;

    return links > lost ? links - lost : 0;
}

static void print_affinity(const struct lab_host *host, int socket)
{
    int cores = (int)host->board->cores, first = socket * cores, all = cores * (int)host->board->sockets;

    printf("\t%d-%d", first, first + cores - 1);
    if (host->board->threads > 1)
        printf(",%d-%d", all + first, all + first + cores - 1);
    printf("\t%d\t\tN/A\n", socket);
}

static void print_topo_row(const struct lab_host *host, int row)
{
    const struct lab_gpu *gpu = &host->gpus[row];
    int nics[LAB_HCAS], count = nics_of(host, nics);

    printf("GPU%d", row);
    for (int i = 0; i < host->gpu_count; i++) {
        unsigned links = links_between(host, gpu, &host->gpus[i]);

        if (i == row)
            printf("\t X ");
        else if (links == 0)
            printf("\t%s", topo_between(gpu->number, host->gpus[i].number, host->profile->gpus));
        else
            printf("\tNV%u", links);
    }
    for (int i = 0; i < count; i++)
        printf("\t%s", topo_to_hca(host, gpu->number, nics[i]));
    print_affinity(host, gpu->number / ((int)host->profile->gpus / 2));
}

static void print_nic_row(const struct lab_host *host, const int nics[LAB_HCAS], int count, int row)
{
    printf("NIC%d", row);
    for (int g = 0; g < host->gpu_count; g++)
        printf("\t%s", topo_to_hca(host, host->gpus[g].number, nics[row]));
    for (int i = 0; i < count; i++)
        printf("\t%s", i == row ? " X " : topo_between(nics[row], nics[i], host->profile->hcas));
    printf("\t\t\t\n");
}

static void print_legend(void)
{
    printf("\nLegend:\n\n"
           "  X    = Self\n"
           "  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., "
           "QPI/UPI)\n"
           "  NODE = Connection traversing PCIe as well as the interconnect between PCIe Host Bridges within "
           "a NUMA "
           "node\n"
           "  PHB  = Connection traversing PCIe as well as a PCIe Host Bridge (typically the CPU)\n"
           "  PXB  = Connection traversing multiple PCIe bridges (without traversing the PCIe Host Bridge)\n"
           "  PIX  = Connection traversing at most a single PCIe bridge\n"
           "  NV#  = Connection traversing a bonded set of # NVLinks\n\nNIC Legend:\n\n");
}

static int print_topo(const struct lab_host *host)
{
    int nics[LAB_HCAS], count = nics_of(host, nics);

    for (int i = 0; i < host->gpu_count; i++)
        printf("\tGPU%d", i);
    for (int i = 0; i < count; i++)
        printf("\tNIC%d", i);
    printf("\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n");
    for (int i = 0; i < host->gpu_count; i++)
        print_topo_row(host, i);
    for (int i = 0; i < count; i++)
        print_nic_row(host, nics, count, i);
    print_legend();
    for (int i = 0; i < count; i++)
        printf("  NIC%d: mlx5_%d\n", i, nics[i]);
    printf("\n");
    return 0;
}

/* What `nvidia-smi nvlink -e` tells of each link of NVLink 5, without its FEC's. */
static const struct {
    const char *name, *word; /* word: of a fault; NULL: it stays 0 */
} nvlink5_counters[] = {
    {"Malformed packet Errors", "malformed"},
    {"Buffer overrun Errors", "overrun"},
    {"Rx Errors", "rx"},
    {"Rx remote Errors", "rx-remote"},
    {"Rx General Errors", NULL},
    {"Local link integrity Errors", "integrity"},
    {"Tx discards", "discards"},
    {"Link recovery successful events", "recovery"},
    {"Link recovery failed events", "recovery-failed"},
};

static unsigned long long counted_on(const struct lab_host *host, const struct lab_gpu *gpu, const char *word)
{
    unsigned long long more = lab_counted(host, FAULT_NVLINK_COUNTS, gpu->number, word);

    return strcmp(word, "recovery") == 0 ? more + gpu->link_recoveries : more;
}

/* A rate is told of what was counted since the link came up; 15e-255 of nothing. */
static void print_rate(unsigned link, const char *name, unsigned long long errors)
{
    printf("\t Link %u: %s Errors: %llu\n\t Link %u: %s BER: %s\n", link, name, errors, link, name,
           errors > 0 ? "3e-12" : "15e-255");
}

/* last: of the GPU, the one that faults are of */
static void print_errors_nvlink5(const struct lab_host *host, const struct lab_gpu *gpu, unsigned link,
                                 bool last)
{
    unsigned long long recovered = last ? counted_on(host, gpu, "recovery") : 0,
                       failed = last ? counted_on(host, gpu, "recovery-failed") : 0;

    for (size_t i = 0; i < ARRAY_SIZE(nvlink5_counters); i++)
        printf("\t Link %u: %s: %llu\n", link, nvlink5_counters[i].name,
               last && nvlink5_counters[i].word != NULL ? counted_on(host, gpu, nvlink5_counters[i].word)
                                                        : 0);
    printf("\t Link %u: Total link recovery events: %llu\n", link, recovered + failed);
    print_rate(link, "Effective", last ? counted_on(host, gpu, "effective") : 0);
    print_rate(link, "Symbol", last ? counted_on(host, gpu, "symbol") : 0);
    printf("\t Link %u: FEC Errors - 0: 81234\n\t Link %u: FEC Errors - 1: 12\n", link, link);
}

static void print_errors(const struct lab_host *host, const struct lab_gpu *gpu, unsigned link)
{
    bool last = link + 1 == host->profile->links;

    if (lab_nvlink5(host->profile)) {
        print_errors_nvlink5(host, gpu, link, last);
        return;
    }
    printf("\t Link %u: Replay Errors: %llu\n\t Link %u: Recovery Errors: %u\n\t Link %u: CRC Errors: %u\n\n",
           link, last ? counted_on(host, gpu, "replay") : 0, link, last ? gpu->link_recoveries : 0, link,
           last ? gpu->link_crc : 0);
}

static int print_links(const struct lab_host *host, int only, bool errors)
{
    for (int i = 0; i < host->gpu_count; i++) {
        unsigned down = host->profile->links - host->gpus[i].links_active;

        if (only >= 0 && only != i)
            continue;
        print_name(host, i);
        for (unsigned link = 0; link < host->profile->links; link++) {
            if (link >= down && errors)
                print_errors(host, &host->gpus[i], link);
            else if (link >= down)
                printf("\t Link %u: %s GB/s\n", link, host->profile->link_rate);
            else if (!errors)
                printf("\t Link %u: <inactive>\n", link);
        }
    }
    return 0;
}

struct arguments {
    bool list, query, xml, version;
    const char *display, *gpu_fields, *app_fields, *format;
    int only;
    uint64_t every_s; /* -l; 0: once */
};

/* -i takes an index, a bus id or a UUID. */
static int find_gpu(const struct lab_host *host, const char *word)
{
    uint64_t index;

    for (int i = 0; i < host->gpu_count; i++) {
        char bus[24];

        lab_bus_id(&host->gpus[i], bus);
        if (strcmp(word, host->gpus[i].uuid) == 0 || strcasecmp(word, bus) == 0 ||
            strcasecmp(word, bus + 4) == 0)
            return i;
    }
    return scan_u64(slice_of(word), &index) && index < (uint64_t)host->gpu_count ? (int)index : -1;
}

/* The value of an option written as --name=value, --name value or -n value. */
static const char *value_of(struct tool *tool, int *at, const char *name)
{
    const char *word = tool->argv[*at];
    size_t length = strlen(name);

    if (strcmp(word, name) == 0 && *at + 1 < tool->argc)
        return tool->argv[++*at];
    if (strncmp(word, name, length) == 0 && word[length] == '=')
        return word + length + 1;
    return NULL;
}

static int read_arguments(struct tool *tool, struct arguments *arguments, int first)
{
    for (int i = first; i < tool->argc; i++) {
        const char *word = tool->argv[i], *value;

        if (strcmp(word, "-L") == 0 || strcmp(word, "--list-gpus") == 0) {
            arguments->list = true;
        } else if (strcmp(word, "-q") == 0 || strcmp(word, "--query") == 0) {
            arguments->query = true;
        } else if (strcmp(word, "-x") == 0 || strcmp(word, "--xml-format") == 0) {
            arguments->xml = true;
        } else if (strcmp(word, "--version") == 0) {
            arguments->version = true;
        } else if ((value = value_of(tool, &i, "-i")) != NULL ||
                   (value = value_of(tool, &i, "--id")) != NULL) {
            arguments->only = find_gpu(tool->host, value);
            if (arguments->only < 0) {
                printf("No devices were found\n");
                return 6;
            }
        } else if ((value = value_of(tool, &i, "-d")) != NULL ||
                   (value = value_of(tool, &i, "--display")) != NULL) {
            arguments->display = value;
        } else if ((value = value_of(tool, &i, "--query-gpu")) != NULL) {
            arguments->gpu_fields = value;
        } else if ((value = value_of(tool, &i, "--query-compute-apps")) != NULL) {
            arguments->app_fields = value;
        } else if ((value = value_of(tool, &i, "-l")) != NULL ||
                   (value = value_of(tool, &i, "--loop")) != NULL) {
            if (!scan_u64(slice_of(value), &arguments->every_s) || arguments->every_s == 0) {
                printf("Invalid value for loop.\n");
                return 1;
            }
        } else if ((value = value_of(tool, &i, "--format")) != NULL) {
            arguments->format = value;
        } else {
            printf("Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n");
            return 1;
        }
    }
    return 0;
}

static int query_apps(struct tool *tool, const char *fields, const char *format, int only)
{
    struct gpu_process process;
    bool units = strstr(format, "nounits") == NULL;

    if (strstr(format, "noheader") == NULL)
        printf("%s\n", fields);
    for (int i = 0; i < tool->host->gpu_count; i++) {
        const struct lab_gpu *gpu = &tool->host->gpus[i];
        char bus[24];
        struct slice rest = slice_of(fields);
        const char *separator = "";

        if ((only >= 0 && only != i) || !gpu_process(tool->host, gpu, &process))
            continue;
        while (rest.length > 0) {
            size_t comma = slice_find(rest, ",");
            struct slice field =
                slice_trim((struct slice){rest.bytes, comma != (size_t)-1 ? comma : rest.length});

            rest = slice_from(rest, comma != (size_t)-1 ? comma + 1 : rest.length);
            printf("%s", separator);
            separator = ", ";
            if (slice_equal(field, "pid"))
                printf("%d", process.pid);
            else if (slice_equal(field, "process_name") || slice_equal(field, "name"))
                printf("%s", process.name);
            else if (slice_equal(field, "used_memory") || slice_equal(field, "used_gpu_memory"))
                printf("%u%s", process.memory_mib, units ? " MiB" : "");
            else if (slice_equal(field, "gpu_uuid"))
                printf("%s", gpu->uuid);
            else if (slice_equal(field, "gpu_bus_id"))
                printf("%s", lab_bus_id(gpu, bus));
            else if (slice_equal(field, "gpu_name"))
                printf("%s", tool->host->profile->gpu_name);
            else if (slice_equal(field, "gpu_serial"))
                printf("%s", gpu->serial);
            else
                printf("[Unknown]");
        }
        printf("\n");
    }
    return 0;
}

/* Every GPU again and again until it is ended; however fast the lab runs, not faster than a disk is filled. */
static int query_again(struct tool *tool, struct arguments *arguments)
{
    enum { SHORTEST_MS = 200 };
    double pause_s = (double)arguments->every_s;
    const char *format = arguments->format;
    int rc;

    if (pause_s / tool->lab->speed < SHORTEST_MS / 1000.0)
        pause_s = SHORTEST_MS / 1000.0 * tool->lab->speed;
    while ((rc = nvidia_smi_query_csv(tool, arguments->gpu_fields, format, arguments->only)) == 0 &&
           fflush(stdout) == 0) {
        format = arena_printf(tool->arena, "%s,noheader", arguments->format);
        lab_sleep(tool->lab, pause_s);
        lab_host_init(tool->host, tool->lab, tool->host->number);
    }
    return rc;
}

static int subcommand(struct tool *tool)
{
    struct arguments arguments = {.only = -1};
    bool links = strcmp(tool->argv[1], "nvlink") == 0;
    int mode = 0;

    for (int i = 2; i < tool->argc; i++) {
        const char *word = tool->argv[i], *value;

        if ((value = value_of(tool, &i, "-i")) != NULL || (value = value_of(tool, &i, "--id")) != NULL)
            arguments.only = find_gpu(tool->host, value);
        else if (!links && (strcmp(word, "-m") == 0 || strcmp(word, "--matrix") == 0))
            mode = 'm';
        else if (links && (strcmp(word, "-s") == 0 || strcmp(word, "--status") == 0))
            mode = 's';
        else if (links && (strcmp(word, "-e") == 0 || strcmp(word, "--errorcounters") == 0))
            mode = 'e';
        else
            mode = 0;
    }
    if (mode == 0) {
        printf("ERROR: Option %s is not recognized. Please run 'nvidia-smi %s -h'.\n",
               tool->argc > 2 ? tool->argv[tool->argc - 1] : "", tool->argv[1]);
        return 1;
    }
    return mode == 'm' ? print_topo(tool->host) : print_links(tool->host, arguments.only, mode == 'e');
}

int tool_nvidia_smi(struct tool *tool)
{
    struct arguments arguments = {.only = -1, .format = "csv"};
    int rc;

    if (tool->argc > 1 && (strcmp(tool->argv[1], "topo") == 0 || strcmp(tool->argv[1], "nvlink") == 0))
        return subcommand(tool);
    rc = read_arguments(tool, &arguments, 1);
    if (rc != 0)
        return rc;
    lab_sleep(tool->lab, 1.5);
    if (arguments.version) {
        printf("NVIDIA-SMI version  : %s\nNVML version        : %.3s\nDRIVER version      : %s\nCUDA Version "
               "       : "
               "%s\n",
               tool->host->driver, tool->host->driver, tool->host->driver, tool->host->profile->cuda);
        return 0;
    }
    if (arguments.gpu_fields != NULL && arguments.every_s > 0)
        return query_again(tool, &arguments);
    if (arguments.gpu_fields != NULL)
        return nvidia_smi_query_csv(tool, arguments.gpu_fields, arguments.format, arguments.only);
    if (arguments.app_fields != NULL)
        return query_apps(tool, arguments.app_fields, arguments.format, arguments.only);
    if (arguments.list)
        return print_list(tool->host, arguments.only);
    if (arguments.query)
        return nvidia_smi_query(tool, arguments.xml, arguments.display, arguments.only);
    return print_table(tool->host, arguments.only);
}
