/* SPDX-License-Identifier: Apache-2.0 */
/* Which simulated tools there are, and the faults of a tool itself: missing, hanging, crashing. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "assay/base/scan.h"
#include "lab_private.h"

static const struct tool_row {
    const char *name;
    tool_main *run;
} tools[] = {
    {"nvidia-smi", tool_nvidia_smi},
    {"nvidia-bug-report.sh", tool_nvidia_bug_report},
    {"lspci", tool_lspci},
    {"systemctl", tool_systemctl},
    {"nvidia-imex-ctl", tool_imex},
    {"nv-fabricmanager", tool_fabric_manager},
    {"dcgmi", tool_dcgmi},
    {"gpu_burn", tool_gpu_burn},
    {"p2pBandwidthLatencyTest", tool_p2p},
    {"nvbandwidth", tool_nvbandwidth},
    {"assay-probe-gpu", tool_probe_gpu},
    {"assay-probe-gpu-mpi", tool_probe_gpu},
    {"assay-probe-links", tool_probe_links},
    {"all_reduce_perf", tool_nccl},
    {"all_gather_perf", tool_nccl},
    {"reduce_scatter_perf", tool_nccl},
    {"alltoall_perf", tool_nccl},
    {"sendrecv_perf", tool_nccl},
    {"mpirun", tool_mpirun},
    {"ssh", tool_ssh},
    {"ip", tool_ip},
    {"ldd", tool_ldd},
    {"ldconfig", tool_ldconfig},
    {"dmesg", tool_dmesg},
    {"journalctl", tool_journalctl},
    {"sudo", tool_sudo},
    {"ibstat", tool_ibstat},
    {"iblinkinfo", tool_iblinkinfo},
    {"ibdiagnet", tool_ibdiagnet},
    {"mlxlink", tool_mlxlink},
    {"lldpctl", tool_lldpctl},
    {"mlnx_qos", tool_mlnx_qos},
    {"dcb", tool_dcb},
    {"ib_write_bw", tool_ib_bw},
    {"ib_send_bw", tool_ib_bw},
    {"ib_write_lat", tool_ib_bw},
    {"ib_send_lat", tool_ib_bw},
    {"ethtool", tool_ethtool},
    {"hostname", tool_hostname},
    {"id", tool_id},
    {"uname", tool_uname},
    {"date", tool_date},
    {"timedatectl", tool_timedatectl},
    {"dmidecode", tool_dmidecode},
    {"lscpu", tool_lscpu},
    {"lsblk", tool_lsblk},
    {"docker", tool_docker},
    {"containerd", tool_containerd},
    {"nvidia-ctk", tool_nvidia_ctk},
    {"nvidia-container-cli", tool_nvidia_container_cli},
    {"sshd", tool_sshd},
    {"ss", tool_ss},
    {"smpquery", tool_smpquery},
    {"saquery", tool_saquery},
    {"ipmitool", tool_ipmitool},
    {"findmnt", tool_findmnt},
    {"df", tool_df},
    {"du", tool_du},
    {"getent", tool_getent},
    {"fio", tool_fio},
    {"ior", tool_ior},
    {"mdtest", tool_mdtest},
    {"elbencho", tool_elbencho},
    {"dd", tool_dd},
    {"flock", tool_flock},
    {"curl", tool_curl},
    {"iperf3", tool_iperf3},
    {"ping", tool_ping},
    {"rmcpping", tool_rmcpping},
    {"npu-smi", tool_npu_smi},
    {"nvme", tool_nvme},
};

#define TOOL_COUNT (ARRAY_SIZE(tools))

const char *const *tool_names(size_t *ret_count)
{
    static const char *names[TOOL_COUNT];

    for (size_t i = 0; i < TOOL_COUNT; i++)
        names[i] = tools[i].name;
    *ret_count = TOOL_COUNT;
    return names;
}

static const struct tool_row *tool_find(const char *name)
{
    for (size_t i = 0; i < TOOL_COUNT; i++)
        if (strcmp(tools[i].name, name) == 0)
            return &tools[i];
    return NULL;
}

static void hang(void)
{
    signal(SIGTERM, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    for (;;)
        pause();
}

/* The tool's output, in memory; a child runs it, since some tools turn into the command they are given. */
static int output_in_memory(struct tool *tool, const struct tool_row *row)
{
    int memory = memfd_create("output", MFD_CLOEXEC), rc;
    pid_t pid;

    fflush(NULL);
    pid = memory >= 0 ? fork() : -1;
    if (pid == 0) {
        dup2(memory, STDOUT_FILENO);
        rc = row->run(tool);
        fflush(stdout);
        _exit(rc);
    }
    if (pid > 0)
        waitpid(pid, NULL, 0);
    return memory;
}

/* Prints the first half of what the tool would print, and dies as a crashing program does. */
static void crash(struct tool *tool, const struct tool_row *row)
{
    const struct rlimit no_core = {0, 0};
    int memory = output_in_memory(tool, row);
    char buffer[4096];
    struct stat status;
    off_t left = memory >= 0 && fstat(memory, &status) == 0 ? status.st_size / 2 : 0;

    for (off_t at = 0; left > 0;) {
        ssize_t got = pread(memory, buffer, left < 4096 ? (size_t)left : sizeof buffer, at);

        if (got <= 0 || write(STDOUT_FILENO, buffer, (size_t)got) != got)
            break;
        at += got;
        left -= got;
    }
    setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
}

/* Of a host with NPUs nobody has installed what is for NVIDIA's GPUs. */
static bool is_of_nvidia(const char *name)
{
    static const char *const names[] = {"nvidia-smi", "dcgmi", "gpu_burn", "p2pBandwidthLatencyTest",
                                        "nvbandwidth"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return slice_ends(slice_of(name), "_perf");
}

const char *tool_option(const struct tool *tool, const char *name, const char *other)
{
    for (int i = 1; i + 1 < tool->argc; i++)
        if (strcmp(tool->argv[i], name) == 0)
            return tool->argv[i + 1];
    return other;
}

bool tool_has(const struct tool *tool, const char *name)
{
    for (int i = 1; i < tool->argc; i++)
        if (strcmp(tool->argv[i], name) == 0)
            return true;
    return false;
}

int tool_run(struct arena *arena, const struct lab *lab, unsigned number, const char *name, int argc,
             char **argv)
{
    const struct tool_row *row = tool_find(name);
    struct lab_host host;
    struct tool tool = {arena, lab, &host, name, argc, argv};

    lab_host_init(&host, lab, number);
    if (row == NULL || (lab->profile->npus && is_of_nvidia(name)) ||
        fault_of_tool(lab, number, FAULT_TOOL_MISSING, name) != NULL) {
        fprintf(stderr, "sh: 1: %s: not found\n", name);
        return 127;
    }
    if (fault_of_tool(lab, number, FAULT_TOOL_HANG, name) != NULL)
        hang();
    if (fault_of_tool(lab, number, FAULT_TOOL_CRASH, name) != NULL)
        crash(&tool, row);
    return row->run(&tool);
}

int lab_tool(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/'), *name = slash != NULL ? slash + 1 : argv[0];
    const char *directory = getenv("ASSAY_LAB_DIR"), *host = getenv("ASSAY_LAB_HOST");
    struct arena *arena = arena_create();
    struct error err = {0};
    struct lab *lab = directory != NULL && host != NULL ? lab_load(arena, directory, &err) : NULL;
    unsigned number = lab != NULL ? lab_host_number(lab, host) : 0;
    int rc = 70;

    if (number != 0)
        rc = tool_run(arena, lab, number, name, argc, argv);
    else
        fprintf(stderr, "%s: a tool of the simulated cluster: it runs on a host of assay lab only%s%s\n",
                name, *err.text != '\0' ? ": " : "", err.text);
    if (fflush(stdout) != 0 && rc == 0)
        rc = 1;
    arena_destroy(arena);
    return rc;
}

void tool_strike(const struct lab_host *host)
{
    cleanup_free char *path = mem_printf("%s/hosts/%s/struck", host->lab->directory, host->name);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

    if (fd >= 0)
        close(fd);
}

void tool_kernel_log(const struct lab_host *host, const char *line)
{
    cleanup_free char *path = mem_printf("%s/hosts/%s/kernel.log", host->lab->directory, host->name);
    cleanup_file FILE *log = fopen(path, "ae");
    struct timespec up;

    /* The kernel's clock, as in /proc/uptime: what a reader compares the stamp with. */
    clock_gettime(CLOCK_BOOTTIME, &up);
    if (log != NULL)
        fprintf(log, "[%5lld.%06ld] %s\n", (long long)up.tv_sec, up.tv_nsec / 1000, line);
}
