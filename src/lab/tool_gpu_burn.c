/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_burn: its live line that is overwritten with \r, its summaries, and its verdicts. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/base/scan.h"
#include "lab_private.h"

#define UPDATES 40
#define SHORTEST_S 2.0 /* of real time: whoever samples the host under load must be able to hit it */

struct burn {
    unsigned seconds;
    bool tensor, doubles;
    int only; /* -1: every GPU */
    const char *kernel;
};

static void show_help(void)
{
    printf("GPU Burn\nUsage: gpu-burn [OPTIONS] [TIME]\n\n-m X\tUse X MB of memory.\n-d\tUse doubles\n"
           "-tc\tTry to use Tensor cores\n-l\tLists all GPUs in the system\n-i N\tExecute only on GPU N\n"
           "-c FILE\tUse FILE as compare kernel.  Default is compare.ptx\n-h\tShow this help message\n\n");
}

/* Returns -1 to go on, else the exit status. */
static int read_arguments(struct tool *tool, struct burn *burn)
{
    uint64_t number;

    for (int i = 1; i < tool->argc; i++) {
        const char *word = tool->argv[i], *value = i + 1 < tool->argc ? tool->argv[i + 1] : "";

        if (strcmp(word, "-tc") == 0) {
            burn->tensor = fault_find(tool->lab, tool->host->number, FAULT_BURN_OLD) == NULL;
        } else if (strcmp(word, "-d") == 0) {
            burn->doubles = true;
        } else if (strcmp(word, "-m") == 0 || strcmp(word, "-stts") == 0) {
            i++;
        } else if (strcmp(word, "-c") == 0) {
            burn->kernel = value;
            i++;
        } else if (strcmp(word, "-i") == 0 && scan_u64(slice_of(value), &number)) {
            burn->only = (int)number;
            i++;
        } else if (strcmp(word, "-l") == 0) {
            for (int g = 0; g < tool->host->gpu_count; g++)
                printf("ID %d: %s, %uMB\n", g, tool->host->profile->gpu_name,
                       tool->host->profile->memory_mib);
            return 0;
        } else if (strcmp(word, "-h") == 0 || !scan_u64(slice_of(word), &number) || number > 10000000) {
            show_help();
            return 0;
        } else {
            burn->seconds = (unsigned)number;
        }
    }
    return -1;
}

/* In the current folder, as the real one wants it, or beside the program as it was called. */
static bool kernel_is_there(struct tool *tool, const char *kernel)
{
    const char *program = tool->argv[0], *slash = strrchr(program, '/');

    if (file_exists(kernel))
        return true;
    return slash != NULL && strchr(kernel, '/') == NULL &&
           file_exists(arena_printf(tool->arena, "%.*s/%s", (int)(slash - program), program, kernel));
}

static int no_clients(void)
{
    fprintf(stderr, "No clients are alive!  Aborting\n");
    return 123; /* ENOMEDIUM */
}

static int check_start(struct tool *tool, const struct burn *burn)
{
    const struct lab_host *host = tool->host;

    if (host->cuda_error != NULL) {
        fprintf(stderr, "Couldn't init CUDA: Error (gpu_burn-drv.cpp:304): %s\nNo CUDA devices\n",
                host->cuda_error);
        return no_clients();
    }
    if (burn->only >= host->gpu_count) {
        fprintf(stderr, "Couldn't init a GPU test: Error (gpu_burn-drv.cpp:113): invalid device ordinal\n");
        return no_clients();
    }
    if (!kernel_is_there(tool, burn->kernel)) {
        fprintf(stderr,
                "Couldn't init a GPU test: Error in couldn't find compare kernel: %s (gpu_burn-drv.cpp:238): "
                "named "
                "symbol not found\n",
                burn->kernel);
        return no_clients();
    }
    return 0;
}

static bool takes_part(const struct burn *burn, int gpu)
{
    return burn->only < 0 || burn->only == gpu;
}

/* Before the test begins beside which it is slow, it already is. */
static double share_of_spell(const struct lab_host *host, const struct lab_gpu *gpu)
{
    const struct fault *fault = fault_of_gpu(host->lab, host->number, FAULT_BURN_SPELLS, gpu->number);
    uint64_t tests = fault != NULL ? lab_tests(host) : 0;

    if (fault == NULL || !lab_in_spell(lab_carrying(host) ? tests - 1 : tests))
        return 1;
    return 1 - fault->number / 100;
}

/* Told only: neither power nor what the other tools measure has any of it. */
static double boast(const struct lab_host *host, const struct lab_gpu *gpu)
{
    const struct fault *fault = fault_of_gpu(host->lab, host->number, FAULT_BURN_BOASTS, gpu->number);

    return fault != NULL ? 1 + fault->number / 100 : 1;
}

static double rate_of(const struct lab_host *host, const struct lab_gpu *gpu, const struct burn *burn)
{
    const struct lab_profile *profile = host->profile;
    double strength = gpu->strength * share_of_spell(host, gpu) * boast(host, gpu);

    if (gpu->idle)
        return 0;
    if (burn->doubles)
        return profile->gflops_double * strength;
    return burn->tensor ? profile->gflops_tensor * strength * gpu->tensor : profile->gflops_float * strength;
}

/* One part of the live line: every GPU's value, divided by "- ". */
typedef void put_value(const struct lab_host *host, int gpu, const struct burn *burn, double share);

static void put_rate(const struct lab_host *host, int gpu, const struct burn *burn, double share)
{
    const struct lab_gpu *g = &host->gpus[gpu];
    double rate = rate_of(host, g, burn);
    /* A product of two 8192 x 8192 matrices is 1.1e12 operations. */
    double done = rate * share * burn->seconds / 1100;

    rate *= 1 + 0.003 * lab_noise(host->number, "rate", (unsigned)(share * 1000) * 8 + (unsigned)gpu) +
            lab_jitter(host, "rate now", (unsigned)gpu);
    printf("%.0f (%.0f Gflop/s) ", floor(done), rate);
}

static unsigned errors_of(const struct lab_host *host, int gpu)
{
    const struct fault *hot =
        fault_of_gpu(host->lab, host->number, FAULT_WRONG_WHEN_HOT, host->gpus[gpu].number);

    return host->gpus[gpu].burn_errors + (hot != NULL && lab_carrying(host) ? (unsigned)hot->number : 0);
}

static void put_errors(const struct lab_host *host, int gpu, const struct burn *burn, double share)
{
    unsigned errors = errors_of(host, gpu);

    (void)burn;
    (void)share;
    printf(errors > 0 ? "%u  (WARNING!)" : "%u ", errors);
}

static void put_temperature(const struct lab_host *host, int gpu, const struct burn *burn, double share)
{
    const struct lab_gpu *g = &host->gpus[gpu];
    double warm = g->idle ? 0 : 1 - exp(-share * 12);

    (void)burn;
    printf("%.0f C ", g->temperature_idle + warm * ((double)g->temperature_burn - g->temperature_idle));
}

static void put_all(const struct lab_host *host, const struct burn *burn, double share, put_value *put)
{
    bool first = true;

    for (int i = 0; i < host->gpu_count; i++)
        if (takes_part(burn, i)) {
            printf(first ? "" : "- ");
            put(host, i, burn, share);
            first = false;
        }
}

static void put_live(const struct lab_host *host, const struct burn *burn, double share)
{
    printf("\r%.1f%%  proc'd: ", share * 100);
    put_all(host, burn, share, put_rate);
    printf("  errors: ");
    put_all(host, burn, share, put_errors);
    printf("  temps: ");
    put_all(host, burn, share, put_temperature);
    fflush(stdout);
    lab_mark_update(host);
}

static void put_summary(void)
{
    time_t now = time(NULL);
    struct tm local;
    char date[64];

    strftime(date, sizeof date, "%a %b %e %H:%M:%S %Z %Y", localtime_r(&now, &local));
    printf("\n\tSummary at:   %s\n\n", date);
}

const char *tool_xid_text(int code)
{
    static const struct {
        int code;
        const char *text;
    } texts[] = {
        {13, "Graphics Exception: ESR 0x50c648=0xb0009 0x50c650=0x4 0x50c644=0xd3eff2 0x50c64c=0x17f"},
        {31, "Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f_40000000"},
        {43, "Ch 00000008"},
        {48, "An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer"},
        {63, "Row Remapper: New row marked for remapping, reset gpu to activate."},
        {64, "Row Remapper: Failed to remap row"},
        {74, "NVLink: fatal error detected on link 6(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)"},
        {79, "GPU has fallen off the bus."},
        {94, "Contained: CE User Channel (0x9). RST: No, D-RST: No"},
        {95, "Uncontained: LTC TAG (0x2,0x0). RST: Yes, D-RST: No"},
        {119,
         "Timeout after 6s of waiting for RPC response from GPU GSP! Expected function 76 (GSP_RM_CONTROL)"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        if (texts[i].code == code)
            return texts[i].text;
    return "Reported by the driver";
}

/* Where the kernel counts the corrected PCIe errors of the HCA. */
static const char *tree_file_of(const struct tool *tool, unsigned hca)
{
    char pci[24];

    return lab_host_file(
        tool->arena, tool->lab, tool->host->number,
        arena_printf(tool->arena, "root/" LAB_AER, lab_hca_pci(tool->host->profile, hca, pci)));
}

/* "mlx5_core 0000:15:00.0", as the kernel names the HCA of the fault. */
static const char *device_of(const struct tool *tool, const struct fault *fault)
{
    char pci[24];

    return arena_printf(tool->arena, "mlx5_core %s.0",
                        lab_hca_pci(tool->host->profile, (unsigned)fault->hca, pci));
}

/* As Linux and NVIDIA's driver write them. */
static const struct {
    const char *word, *line;
} log_lines[] = {
    {"mce", "mce: Uncorrected hardware memory error in user-access at 3f1a2b40c0"},
    {"dpc", "pcieport 0000:14:01.0: DPC: containment event, status:0x1f01 source:0x0000"},
    {"sxid-fatal", "nvidia-nvswitch2: SXid (PCI:0000:05:00.0): 20034, Fatal, Link 30 LTSSM Fault Up"},
    {"sxid",
     "nvidia-nvswitch2: SXid (PCI:0000:05:00.0): 12028, Non-fatal, Link 44 egress non-posted PRIV error "
     "(First)"},
    {"medium",
     "critical medium error, dev nvme1n1, sector 120 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2"},
    {"edac-ce",
     "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x1f3a "
     "offset:0x0 grain:32 syndrome:0x0)"},
    {"mce-corrected", "mce: [Hardware Error]: Machine check events logged"},
};

/* The file that the kernel counts it in; of PCIe devices, beside that of what it corrected of the first HCA. */
static void count_machine(struct tool *tool, const struct fault *fault)
{
    const struct lab_count *count =
        lab_count_find(tool->host->profile, fault->kind, fault->word, strlen(fault->word));
    bool aer = strncmp(fault->word, "aer-", 4) == 0;
    const char *beside = aer ? tree_file_of(tool, 0)
                             : lab_host_file(tool->arena, tool->lab, tool->host->number, "root/" LAB_EDAC),
               *text = arena_printf(tool->arena, "%s%.0f\n",
                                    !aer                                    ? ""
                                    : strcmp(fault->word, "aer-fatal") == 0 ? "TOTAL_ERR_FATAL "
                                                                            : "TOTAL_ERR_NONFATAL ",
                                    fault->number),
               *file;

    if (count->where == NULL)
        return;
    file =
        arena_printf(tool->arena, "%.*s%s", (int)(strrchr(beside, '/') + 1 - beside), beside, count->where);
    if (file_write(file, text, strlen(text), 0644, NULL) < 0)
        fprintf(stderr, "lab: cannot write %s\n", file);
}

/* What the kernel has to say of the machine. */
static void strike_machine(struct tool *tool, const struct fault *fault)
{
    if (fault->kind == FAULT_AER_BURN)
        tool_kernel_log(tool->host, arena_printf(tool->arena,
                                                 "%s: PCIe Bus Error: severity=Uncorrected (Fatal), "
                                                 "type=Transaction Layer, (Receiver ID)",
                                                 device_of(tool, fault)));
    if (fault->kind == FAULT_EDAC_BURN)
        tool_kernel_log(tool->host, "EDAC MC0: 1 UE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 "
                                    "(channel:1 slot:0 page:0x1f3a offset:0x0 grain:32)");
    for (size_t i = 0; fault->kind == FAULT_LOG_BURN && i < ARRAY_SIZE(log_lines); i++)
        if (strcmp(log_lines[i].word, fault->word) == 0)
            tool_kernel_log(tool->host, log_lines[i].line);
    if (fault->kind == FAULT_NVME_GONE) {
        const char *drive = lab_host_file(
            tool->arena, tool->lab, tool->host->number,
            arena_printf(tool->arena, "root/sys/class/nvme/nvme%u", tool->host->board->nvme_count - 1));

        (void)unlink(arena_printf(tool->arena, "%s/model", drive));
        (void)rmdir(drive);
    }
    if (fault->kind == FAULT_MACHINE_COUNTS)
        count_machine(tool, fault);
    if (fault->kind == FAULT_AER_CORRECTED) {
        const char *file = tree_file_of(tool, (unsigned)fault->hca);
        const char *text = arena_printf(tool->arena, "TOTAL_ERR_COR %.0f\n", fault->number);

        if (file_write(file, text, strlen(text), 0644, NULL) < 0)
            fprintf(stderr, "lab: cannot write %s\n", file);
    }
}

/* What happens to this host in the middle of a burn. */
static void strike(struct tool *tool)
{
    const struct lab *lab = tool->lab;

    tool_strike(tool->host);
    array_each (fault, lab->faults, lab->fault_count) {
        char pci[24];

        if (fault->host != tool->host->number)
            continue;
        strike_machine(tool, fault);
        if (fault->kind == FAULT_XID)
            tool_kernel_log(tool->host,
                            arena_printf(tool->arena, "NVRM: Xid (PCI:%s): %d, pid=%d, name=gpu_burn, %s",
                                         lab_gpu_pci(lab->profile, fault->gpu, pci), (int)fault->number,
                                         (int)getpid(), tool_xid_text((int)fault->number)));
        if (fault->kind == FAULT_REBOOT) {
            cleanup_fd int control = open(arena_printf(tool->arena, "%s/control", lab->directory),
                                          O_WRONLY | O_CLOEXEC | O_NONBLOCK);

            if (control >= 0)
                dprintf(control, "reboot %u\n", tool->host->number);
        }
    }
}

static void burn_all(struct tool *tool, const struct burn *burn)
{
    double next_summary = 0.1, simulated_s = burn->seconds;

    if (fault_find(tool->lab, tool->host->number, FAULT_BURN_HURRIED) != NULL)
        simulated_s = 0;
    else if (simulated_s < SHORTEST_S * tool->lab->speed && tool->lab->speed > 1)
        simulated_s = SHORTEST_S * tool->lab->speed;

    for (int i = 0; i < tool->host->gpu_count; i++)
        if (takes_part(burn, i)) {
            unsigned memory = tool->host->profile->memory_mib;

            printf("Initialized device %d with %u MB of memory (%u MB available, using %u MB of it), using "
                   "%s%s\n",
                   i, memory, memory - 600, (memory - 600) * 9 / 10, burn->doubles ? "DOUBLES" : "FLOATS",
                   burn->tensor ? ", using Tensor Cores" : "");
            printf("Results are %u bytes each, thus performing %u iterations\n", 268435456u,
                   (memory - 600) * 9 / 10 / 256 - 2);
        }
    fflush(stdout);
    for (int update = 1; update <= UPDATES; update++) {
        double share = (double)update / UPDATES;

        lab_sleep(tool->lab, simulated_s / UPDATES);
        put_live(tool->host, burn, share);
        if (share > next_summary && share < 1) {
            put_summary();
            next_summary = share + 0.1;
        }
        if (update == UPDATES / 2)
            strike(tool);
    }
}

static void print_verdicts(const struct lab_host *host, const struct burn *burn)
{
    int tested = 0;

    printf("\nKilling processes with SIGTERM (soft kill)\n");
    for (int i = 0; i < host->gpu_count; i++)
        if (takes_part(burn, i)) {
            printf("Freed memory for dev %d\nUninitted cublas\n", i);
            tested++;
        }
    printf("done\n\nTested %d GPUs:\n", tested);
    tested = 0;
    for (int i = 0; i < host->gpu_count; i++)
        if (takes_part(burn, i))
            printf("\tGPU %d: %s\n", tested++, host->gpus[i].burn_errors > 0 ? "FAULTY" : "OK");
}

int tool_gpu_burn(struct tool *tool)
{
    struct burn burn = {.only = -1, .kernel = "compare.ptx"};
    int rc = read_arguments(tool, &burn);

    if (rc >= 0)
        return rc;
    if (burn.seconds == 0) {
        burn.seconds = 10;
        printf("Run length not specified in the command line. ");
    }
    if (fault_find(tool->lab, tool->host->number, FAULT_BURN_SHORT) != NULL)
        burn.seconds = (unsigned)fault_find(tool->lab, tool->host->number, FAULT_BURN_SHORT)->number;
    printf("Using compare file: %s\nBurning for %u seconds.\n", burn.kernel, burn.seconds);
    fflush(stdout);
    rc = check_start(tool, &burn);
    if (rc != 0)
        return rc;
    lab_mark_running(tool->host, LAB_BURNING);
    for (int i = 0; i < tool->host->gpu_count; i++)
        printf("GPU %d: %s (UUID: %s)\n", i, tool->host->profile->gpu_name, tool->host->gpus[i].uuid);
    burn_all(tool, &burn);
    print_verdicts(tool->host, &burn);
    return 0;
}
