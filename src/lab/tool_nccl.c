/* SPDX-License-Identifier: Apache-2.0 */
/* all_reduce_perf and its siblings, in the layout of nccl-tests 2.17: alone on a host, or under mpirun. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/base/scan.h"
#include "lab_private.h"

#define NCCL_TESTS_VERSION "2.17.6"

struct arguments {
    double smallest, largest, step, tuned;
    unsigned factor, gpus, threads, iterations, warmup, checks;
};

static const struct test {
    const char *name;
    enum collective collective;
    const char *redop;
    bool per_rank;      /* the count column is of one rank, and sizes are whole multiples of it */
    bool checked_twice; /* the in-place result is checked too */
} tests[] = {
    {"all_reduce_perf", ALL_REDUCE, "sum", false, true},
    {"all_gather_perf", ALL_GATHER, "none", true, true},
    {"reduce_scatter_perf", REDUCE_SCATTER, "sum", true, true},
    {"alltoall_perf", ALLTOALL, "none", true, false},
    {"sendrecv_perf", SENDRECV, "sum", false, false},
};

static const struct test *find_test(const char *name)
{
    const char *slash = strrchr(name, '/');

    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        if (strcmp(tests[i].name, slash != NULL ? slash + 1 : name) == 0)
            return &tests[i];
    return NULL;
}

/* "8", "128M", "16G": -1 when it is none. */
static double read_size(const char *text)
{
    static const char suffixes[] = "KMGT";
    struct slice rest = slice_of(text);
    uint64_t number;
    const char *suffix;

    if (!scan_digits(&rest, &number))
        return -1;
    if (rest.length == 0)
        return (double)number;
    suffix = strchr(suffixes, rest.bytes[0] >= 'a' ? rest.bytes[0] - 32 : rest.bytes[0]);
    if (suffix == NULL || (rest.length != 1 && !slice_equal_nocase(slice_from(rest, 1), "B")))
        return -1;
    return (double)number * exp2(10.0 * (double)(suffix - suffixes + 1));
}

static int usage(const char *name)
{
    fprintf(stderr,
            "USAGE: %s \n\t[-t,--nthreads <num threads>] \n\t[-g,--ngpus <gpus per thread>] \n"
            "\t[-b,--minbytes <min size in bytes>] \n\t[-e,--maxbytes <max size in bytes>] \n",
            name);
    return 1;
}

static int read_arguments(struct tool *tool, struct arguments *arguments)
{
    *arguments = (struct arguments){32 << 20, 32 << 20, 1 << 20, 1, 1, 1, 1, 20, 1, 1};
    for (int i = 1; i < tool->argc; i++) {
        const char *word = tool->argv[i], *value = i + 1 < tool->argc ? tool->argv[++i] : NULL;
        double number = value != NULL ? read_size(value) : -1;

        if (word[0] != '-' || number < 0 || strlen(word) != 2)
            return usage(tool->argv[0]);
        switch (word[1]) {
        case 'b':
            arguments->smallest = number;
            break;
        case 'e':
            arguments->largest = number;
            break;
        case 'i':
            arguments->step = fmax(number, 1);
            break;
        case 'f':
            arguments->factor = (unsigned)number;
            break;
        case 'g':
            arguments->gpus = (unsigned)number;
            break;
        case 't':
            arguments->threads = (unsigned)number;
            break;
        case 'n':
            arguments->iterations = (unsigned)number;
            break;
        case 'w':
            arguments->warmup = (unsigned)number;
            break;
        case 'c':
            arguments->checks = (unsigned)number;
            break;
        case 'm':
        case 'N':
        case 'p':
        case 'T':
        case 'a':
        case 'C':
        case 'G':
        case 'R':
            break;
        default:
            return usage(tool->argv[0]);
        }
    }
    if (arguments->smallest > arguments->largest) {
        fprintf(stderr, "invalid sizes for minbytes and maxbytes\n");
        return 1;
    }
    return arguments->gpus == 0 || arguments->threads == 0 ? usage(tool->argv[0]) : 0;
}

static void print_head(const struct tool *tool, const struct test *test, const struct arguments *arguments)
{
    const char *version = tool->host->profile->nccl_version;

    printf("# nccl-tests version %s nccl-headers=%s nccl-library=%s\n# Collective test starting: %s\n",
           NCCL_TESTS_VERSION, version, version, test->name);
    printf("# nThread %u nGpus %u minBytes %.0f maxBytes %.0f step: %.0f(%s) warmup iters: %u iters: %u agg "
           "iters: 1 "
           "validation: %u graph: 0\n#\n# Using devices\n",
           arguments->threads, arguments->gpus, arguments->smallest, arguments->largest,
           arguments->factor > 1 ? arguments->factor : arguments->step,
           arguments->factor > 1 ? "factor" : "bytes", arguments->warmup, arguments->iterations,
           arguments->checks);
}

/* Why a host cannot take part, as the tool says it, or NULL. */
static const char *cuda_failure(const struct lab_host *host, unsigned gpus)
{
    if (host->cuda_error != NULL)
        return host->cuda_error;
    return gpus > (unsigned)host->gpu_count ? "invalid device ordinal" : NULL;
}

static int print_failure(const struct lab_host *host, const char *why)
{
    printf("%s: Test CUDA failure common.cu:1033 '%s'\n .. %s pid %d: Test failure common.cu:935\n",
           host->name, why, host->name, (int)getpid());
    return 2;
}

/* NCCL_IB_HCA "=mlx5_3": the only HCA in use; -1: there are several. */
static int only_rail(void)
{
    const char *list = getenv("NCCL_IB_HCA");
    struct slice rest = slice_of(list != NULL ? list : "");
    uint64_t number;

    if (!scan_text(&rest, "=mlx5_") || !scan_digits(&rest, &number) || rest.length > 0 || number >= LAB_HCAS)
        return -1;
    return (int)number;
}

/* The first GPU that CUDA shows to the program. */
static unsigned first_visible(void)
{
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    struct slice rest = slice_of(list != NULL ? list : "");
    uint64_t number;

    return scan_digits(&rest, &number) && number < LAB_GPUS ? (unsigned)number : 0;
}

static void print_devices(const struct lab_host *hosts, size_t host_count, unsigned per_host,
                          unsigned per_process)
{
    for (unsigned rank = 0; rank < per_host * host_count; rank++) {
        const struct lab_host *host = &hosts[rank / per_host];
        unsigned device = rank % per_host;
        char pci[24];

        printf("#  Rank %2u Group  0 Pid %6d on %10s device %2u [%s] %s\n", rank,
               (int)getpid() + (int)(rank / per_process), host->name, device,
               lab_gpu_pci(host->profile, host->gpus[first_visible() + device].number, pci),
               host->profile->gpu_name);
    }
}

/* What NCCL_DEBUG=INFO tells of the transport; one rank a host is enough to read it from. */
static void print_transport(const struct lab_host *host, unsigned rank, unsigned next, bool domain)
{
    int pid = (int)getpid(), used = 0;

    if (host->rdma) {
        printf("%s:%d:%d [0] NCCL INFO NET/IB : Using", host->name, pid, pid + 40);
        for (int hca = 0; hca < LAB_HCAS; hca++)
            if (host->hcas[hca].present && host->hcas[hca].up)
                printf(" [%d]mlx5_%d:1/IB", used++, hca);
        printf(" [RO]; OOB eth0:%s<0>\n%s:%d:%d [0] NCCL INFO Using network IB\n", host->name, host->name,
               pid, pid + 40);
    } else {
        printf("%s:%d:%d [0] NCCL INFO NET/IB : No device found.\n", host->name, pid, pid + 40);
        printf("%s:%d:%d [0] NCCL INFO NET/Socket : Using [0]eth0:%s<0>\n", host->name, pid, pid + 40,
               host->name);
        printf("%s:%d:%d [0] NCCL INFO Using network Socket\n", host->name, pid, pid + 40);
    }
    if (host->nvls)
        printf("%s:%d:%d [0] NCCL INFO NVLS multicast support is available on dev 0\n", host->name, pid,
               pid + 40);
    if (rank != next && domain)
        printf("%s:%d:%d [0] NCCL INFO MNNVL 1 cliqueId %u cliqueSize %u cliqueRank %u \n"
               "%s:%d:%d [0] NCCL INFO Channel 00/0 : %u[0] -> %u[0] via P2P/CUMEM\n",
               host->name, pid, pid + 40, host->gpus[0].clique, rank < next ? next : rank, rank, host->name,
               pid, pid + 52, rank, next);
    else if (rank != next)
        printf("%s:%d:%d [0] NCCL INFO Channel 00/0 : %u[0] -> %u[0] [send] via NET/%s/0%s\n", host->name,
               pid, pid + 52, rank, next, host->rdma ? "IB" : "Socket", host->rdma ? "/GDRDMA" : "");
}

static void print_debug(const struct lab_host *hosts, size_t host_count, unsigned per_host)
{
    const char *level = getenv("NCCL_DEBUG"), *version = hosts[0].profile->nccl_version;

    if (level == NULL || (strcasecmp(level, "INFO") != 0 && strcasecmp(level, "TRACE") != 0))
        return;
    printf("%s:%d:%d [0] NCCL INFO NCCL version %.1s.%.2s.%d+cuda%s\n", hosts[0].name, (int)getpid(),
           (int)getpid(), version, version + 1, (version[3] - '0') * 10 + version[4] - '0',
           hosts[0].profile->cuda);
    for (unsigned i = 0; i < host_count; i++)
        print_transport(&hosts[i], i * per_host, (unsigned)((i + 1) % host_count) * per_host,
                        lab_domains(hosts, host_count) == 1);
}

static void print_columns(void)
{
    printf("#\n"
           "#                                                              out-of-place                      "
           " in-place   "
           "       \n"
           "#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   "
           "algbw   "
           "busbw  #wrong \n"
           "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  "
           "(GB/s)  "
           "(GB/s)         \n");
}

static double bus_factor(enum collective collective, unsigned ranks)
{
    switch (collective) {
    case ALL_REDUCE:
        return 2.0 * (ranks - 1) / ranks;
    case ALL_GATHER:
    case REDUCE_SCATTER:
    case ALLTOALL:
        return (double)(ranks - 1) / ranks;
    case SENDRECV:
    case COLLECTIVES:
    default:
        return 1;
    }
}

/* One of the two measurements of a row; returns the time in us. */
static double print_place(double size, double busbw, double factor, long wrong)
{
    double algbw = factor > 0 ? busbw / factor : 0, time_us;
    const char *format = "  %7.2f  %6.2f  %6.2f";

    if (algbw <= 0)
        algbw = 600; /* one rank copies inside its GPU */
    time_us = fmax(size / algbw / 1e3, 4);
    if (time_us >= 100000)
        format = "  %7.0f  %6.2f  %6.2f";
    else if (time_us >= 10000)
        format = "  %7.1f  %6.2f  %6.2f";
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    printf(format, time_us, size / time_us / 1e3, size / time_us / 1e3 * factor);
#pragma GCC diagnostic pop
    if (wrong < 0)
        printf("     N/A");
    else
        printf("  %6ld", wrong);
    return time_us;
}

struct totals {
    double busbw, time_us;
    unsigned rows, wrong_cells;
};

/* No run is quite like the one before. */
static double this_time(unsigned host, double size)
{
    const char *attempt = getenv("ASSAY_ATTEMPT");

    return attempt != NULL ? 1 + 0.002 * lab_noise(host, attempt, (unsigned)log2(fmax(size, 1))) : 1;
}

static void print_row(const struct test *test, const struct arguments *arguments,
                      const struct lab_host *hosts, size_t host_count, unsigned ranks, double size,
                      int traffic, struct totals *totals)
{
    double elements = floor(size / 4), factor = bus_factor(test->collective, ranks);
    long wrong = arguments->checks > 0 ? 0 : -1;

    if (test->per_rank) {
        elements = floor(elements / ranks);
        size = elements * 4 * ranks;
    }
    for (size_t i = 0; wrong >= 0 && i < host_count; i++)
        if (size >= 1 << 20 || size * arguments->factor > arguments->largest)
            wrong += hosts[i].nccl_wrong;
    printf("%12.0f  %12.0f  %8s  %6s  %6d", size, elements, "float", test->redop, -1);
    for (int place = 0; place < 2; place++) {
        double busbw = lab_busbw(hosts, host_count, ranks, only_rail(), test->collective, fmax(size, 1),
                                 lab_fabric_share(hosts, host_count, test->collective, traffic), place == 1);
        long shown = place == 1 && !test->checked_twice ? -1 : wrong;
        double time_us =
            print_place(size, busbw * arguments->tuned * this_time(hosts[0].number, size), factor, shown);

        totals->busbw += size / time_us / 1e3 * factor;
        totals->time_us += time_us * (arguments->iterations + arguments->warmup);
        totals->wrong_cells += shown > 0 ? 1 : 0;
        totals->rows++;
    }
    printf("\n");
    fflush(stdout);
}

static void add_to_counter(struct tool *tool, const struct lab_host *host, int hca, const char *folder,
                           const char *counter, uint64_t more)
{
    const char *path = lab_host_file(
        tool->arena, tool->lab, host->number,
        arena_printf(tool->arena, "root/sys/class/infiniband/mlx5_%d/ports/1/%s/%s", hca, folder, counter));
    cleanup_text struct text text = {0};
    uint64_t count = 0;

    text_init(&text, 4096);
    if (file_read(path, &text, NULL) < 0 ||
        !scan_u64(slice_trim((struct slice){text.bytes, strcspn(text.bytes, "\n")}), &count))
        return;
    text_reset(&text);
    text_printf(&text, "%llu\n", (unsigned long long)(count + more));
    if (file_write(path, text.bytes, text.length, 0644, NULL) < 0)
        fprintf(stderr, "lab: cannot write %s\n", path);
}

/* The link was down for a moment: one more than the driver has counted. */
static void flap_link(struct tool *tool, const struct lab_host *host, const struct fault *fault)
{
    add_to_counter(tool, host, fault->hca, "counters", "link_downed", 1);
}

static void count_at_port(struct tool *tool, const struct lab_host *host, const struct fault *fault)
{
    const struct lab_count *count =
        lab_count_find(host->profile, fault->kind, fault->word, strlen(fault->word));

    if (strcmp(count->where, LAB_ETHTOOL) == 0)
        lab_device_count(tool->arena, host, fault->hca, count->word, (uint64_t)fault->number);
    else
        add_to_counter(tool, host, fault->hca, count->where, count->word, (uint64_t)fault->number);
}

/* What the HCAs of a host count, in units of 4 bytes. Of many hosts it is not: each would need files of its own. */
static void carry(struct tool *tool, const struct lab_host *hosts, size_t host_count, double bytes)
{
    enum { HOSTS_MOST = 256 };
    struct error err;
    int rail = only_rail();

    for (size_t h = 0; host_count > 1 && host_count <= HOSTS_MOST && h < host_count; h++) {
        if (lab_tree_own(tool->lab, hosts[h].number, &err) < 0) {
            fprintf(stderr, "lab: %s\n", err.text);
            continue;
        }
        for (int hca = 0; hosts[h].rdma && hca < LAB_HCAS; hca++)
            if (hosts[h].hcas[hca].present && hosts[h].hcas[hca].up && (rail < 0 || rail == hca)) {
                add_to_counter(tool, &hosts[h], hca, "counters", "port_xmit_data",
                               (uint64_t)(bytes / 4 / hosts[h].profile->hcas) + 1);
                add_to_counter(tool, &hosts[h], hca, "counters", "port_rcv_data",
                               (uint64_t)(bytes / 4 / hosts[h].profile->hcas) + 1);
            }
    }
}

/* The first host makes a table up, as healthy hosts would have it. */
static bool make_up(const struct tool *tool, struct lab_host *hosts, size_t host_count)
{
    struct lab *without_faults = arena_new(tool->arena, struct lab);

    if (host_count < 2 || fault_find(tool->lab, hosts[0].number, FAULT_LYING_HEAD) == NULL)
        return false;
    *without_faults = *tool->lab;
    without_faults->fault_count = 0;
    for (size_t i = 0; i < host_count; i++)
        lab_host_init(&hosts[i], without_faults, hosts[i].number);
    return true;
}

/* What happens to hosts while they run one test together. */
static void strike(struct tool *tool, const struct lab_host *hosts, size_t host_count)
{
    for (size_t h = 0; host_count > 1 && h < host_count; h++)
        for (size_t i = 0; i < tool->lab->fault_count; i++) {
            const struct fault *fault = &tool->lab->faults[i];
            char pci[24];

            if (fault->host != hosts[h].number)
                continue;
            if (fault->kind == FAULT_WRONG_WHEN_HOT || fault->kind == FAULT_BURN_SPELLS)
                lab_mark_running(&hosts[h], LAB_CARRYING);
            if (fault->kind == FAULT_LINK_FLAP)
                flap_link(tool, &hosts[h], fault);
            if (fault->kind == FAULT_IB_BURST)
                add_to_counter(tool, &hosts[h], fault->hca, "counters", "symbol_error",
                               (uint64_t)fault->number);
            if (fault->kind == FAULT_PORT_COUNTS)
                count_at_port(tool, &hosts[h], fault);
            if (fault->kind == FAULT_XID_CLUSTER)
                tool_kernel_log(&hosts[h],
                                arena_printf(tool->arena, "NVRM: Xid (PCI:%s): %d, reported by the driver",
                                             lab_gpu_pci(tool->lab->profile, fault->gpu, pci),
                                             (int)fault->number));
        }
}

static double share_of_spells(struct tool *tool, const struct lab_host *hosts, size_t host_count)
{
    double share = 1;

    for (size_t h = 0; host_count > 1 && h < host_count; h++) {
        const struct fault *hot = fault_find(tool->lab, hosts[h].number, FAULT_SLOW_WHEN_HOT);
        const struct fault *fault = hot != NULL && lab_burning(&hosts[h]) != 0
                                        ? hot
                                        : fault_find(tool->lab, hosts[h].number, FAULT_SLOW_SPELLS);
        bool counts = fault != NULL || fault_find(tool->lab, hosts[h].number, FAULT_BURN_SPELLS) != NULL;
        uint64_t number = counts ? lab_count_test(&hosts[h]) : 0;

        if (fault != NULL && lab_in_spell(number))
            share *= 1 - fault->number / 100;
    }
    return share;
}

/* A GPU serves two programs in turn: each has half of the time, and what goes from one GPU to another waits for the turns
   of both. A guess: nobody has published how much slower collectives are for it. */
static double share_of_burning(const struct lab_host *hosts, size_t host_count)
{
    for (size_t h = 0; h < host_count; h++)
        if (lab_burning(&hosts[h]) != 0)
            return 0.5 * 0.5;
    return 1;
}

static bool is_set(const char *name, const char *value)
{
    const char *given = getenv(name);

    return given != NULL && strcasecmp(given, value) == 0;
}

/* What variables that people tune with do: returns by how much the bandwidth changes over the network. */
static double take_settings(struct lab_host *hosts, size_t host_count)
{
    const char *queues = getenv("NCCL_IB_QPS_PER_CONNECTION");

    for (size_t i = 0; i < host_count; i++)
        if (is_set("NCCL_ALGO", "Ring") || is_set("NCCL_ALGO", "Tree") || is_set("NCCL_NVLS_ENABLE", "0"))
            hosts[i].nvls = false;
    if (host_count == 1 || queues == NULL || strcmp(queues, "1") == 0)
        return 1;
    /* Several queues take several ways where ways are chosen by hash; elsewhere they only cost. */
    return hosts[0].lab->ethernet ? 1.06 : 0.95;
}

/* Since NCCL 2.24 nothing else is tried in the place of an algorithm that cannot do the collective. */
static int refuse_algorithm(const struct lab_host *host, const struct test *test)
{
    printf("%s:%d:%d [0] NCCL WARN Error : no algorithm/protocol available for function %s with datatype "
           "ncclFloat32. NCCL_ALGO was set to Tree.\n%s: Test NCCL failure common.cu:1033 'invalid usage "
           "(run with NCCL_DEBUG=WARN for details)'\n .. %s pid %d: Test failure common.cu:935\n",
           host->name, (int)getpid(), (int)getpid(),
           test->collective == ALL_GATHER ? "AllGather" : "ReduceScatter", host->name, host->name,
           (int)getpid());
    return 3;
}

/* As common.cu ends: what was moved wrongly is an exit status of its own. */
static int conclude(const struct lab_host *host, const struct test *test, const struct totals *totals)
{
    printf("# Out of bounds values : %u %s\n# Avg bus bandwidth    : %g \n#\n# Collective test concluded: "
           "%s\n#\n\n",
           totals->wrong_cells, totals->wrong_cells > 0 ? "FAILED" : "OK",
           totals->busbw / fmax(totals->rows, 1), test->name);
    if (totals->wrong_cells == 0)
        return 0;
    printf(" .. %s pid %d: Test failure common.cu:1189\n", host->name, (int)getpid());
    return 1;
}

int tool_nccl_over(struct tool *tool, struct lab_host *hosts, size_t host_count, unsigned processes)
{
    const struct test *test = find_test(tool->argv[0]);
    struct arguments arguments;
    struct totals totals = {0};
    double moved = 0;
    bool made_up,
        lacks_row = host_count > 1 && fault_find(tool->lab, hosts[0].number, FAULT_NCCL_ROW) != NULL;
    unsigned per_process, per_host, ranks;
    cleanup_fd int traffic = -1;
    int rc = read_arguments(tool, &arguments);

    if (rc != 0 || test == NULL)
        return rc != 0 ? rc : 1;
    if (tool->host->nccl_rounds > 0 && tool->host->nccl_rounds < arguments.iterations)
        arguments.iterations = tool->host->nccl_rounds;
    per_process = arguments.gpus * arguments.threads;
    per_host = processes / (unsigned)host_count * per_process;
    ranks = per_host * (unsigned)host_count;
    made_up = make_up(tool, hosts, host_count);
    print_head(tool, test, &arguments);
    for (size_t i = 0; i < host_count; i++) {
        const char *why = cuda_failure(&hosts[i], first_visible() + per_host);

        if (why != NULL)
            return print_failure(&hosts[i], why);
    }
    if (is_set("NCCL_ALGO", "Tree") && (test->collective == ALL_GATHER || test->collective == REDUCE_SCATTER))
        return refuse_algorithm(&hosts[0], test);
    arguments.tuned = take_settings(hosts, host_count) * share_of_spells(tool, hosts, host_count) *
                      share_of_burning(hosts, host_count);
    print_devices(hosts, host_count, per_host, per_process);
    print_debug(hosts, host_count, per_host);
    print_columns();
    traffic = lab_send(hosts, host_count, test->collective);
    lab_sleep(tool->lab, 6);
    strike(tool, hosts, host_count);
    for (double size = arguments.smallest, next; size <= arguments.largest; size = next) {
        double before = totals.time_us;

        next = arguments.factor > 1 ? size * arguments.factor : size + arguments.step;
        if (lacks_row && next > arguments.largest)
            break;
        print_row(test, &arguments, hosts, host_count, ranks, size, traffic, &totals);
        moved += 2 * size * (arguments.iterations + arguments.warmup);
        lab_sleep(tool->lab, (totals.time_us - before) / 1e6);
        if (size <= 0)
            break;
    }
    carry(tool, hosts, host_count, made_up ? 1 : moved);
    for (size_t i = 0; host_count > 1 && i < host_count; i++)
        if (fault_find(tool->lab, hosts[i].number, FAULT_WRONG_WHEN_HOT) != NULL ||
            fault_find(tool->lab, hosts[i].number, FAULT_BURN_SPELLS) != NULL)
            lab_await_update(&hosts[i]);
    return conclude(&hosts[0], test, &totals);
}

int tool_nccl(struct tool *tool)
{
    /* The tool may have been called by any path; its name decides which test it is. */
    tool->argv[0] = (char *)(uintptr_t)tool->name;
    return tool_nccl_over(tool, tool->host, 1, 1);
}
