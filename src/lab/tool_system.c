/* SPDX-License-Identifier: Apache-2.0 */
/* The operating system's side of a host: services, kernel log, sudo, hostname. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/base/scan.h"
#include "lab_private.h"

#define UNIT "nvidia-fabricmanager"

/* When the host booted, as seconds since the epoch. */
static time_t booted(void)
{
    struct timespec up;

    clock_gettime(CLOCK_BOOTTIME, &up);
    return time(NULL) - up.tv_sec;
}

static const char *date_text(struct arena *arena, time_t time_, const char *format)
{
    struct tm local;
    char date[80];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    strftime(date, sizeof date, format, localtime_r(&time_, &local));
#pragma GCC diagnostic pop
    return arena_strdup(arena, date);
}

/* systemctl. */

static bool is_fabric_manager(const char *unit)
{
    return strcmp(unit, UNIT) == 0 || strcmp(unit, UNIT ".service") == 0;
}

static bool is_imex(const char *unit)
{
    return strcmp(unit, "nvidia-imex") == 0 || strcmp(unit, "nvidia-imex.service") == 0;
}

static void unit_log(const struct lab_host *host, const char *stamp)
{
    printf("\n%s %s systemd[1]: Starting NVIDIA fabric manager service...\n", stamp, host->name);
    if (host->fabric_manager_active) {
        printf("%s %s nv-fabricmanager[2116]: Connected to 1 node.\n", stamp, host->name);
        printf("%s %s nv-fabricmanager[2116]: Successfully configured all the available NVSwitches to route "
               "GPU NVLink "
               "traffic. NVLink Peer-to-Peer support will be enabled once the GPUs are successfully "
               "registered with the "
               "NVLink fabric.\n",
               stamp, host->name);
        printf("%s %s systemd[1]: Started NVIDIA fabric manager service.\n", stamp, host->name);
    } else {
        printf("%s %s nv-fabricmanager[2114]: failed to initialize NVSwitch device on this system\n", stamp,
               host->name);
        printf("%s %s systemd[1]: " UNIT ".service: Control process exited, code=exited, status=1/FAILURE\n",
               stamp, host->name);
        printf("%s %s systemd[1]: Failed to start NVIDIA fabric manager service.\n", stamp, host->name);
    }
}

static int unit_status(struct tool *tool, const char *unit, bool with_log)
{
    const struct lab_host *host = tool->host;
    bool active = host->fabric_manager_active;
    time_t since = booted() + 41;
    long long minutes = (long long)(time(NULL) - since) / 60;
    const char *stamp = date_text(tool->arena, since, "%b %d %H:%M:%S");

    if (!is_fabric_manager(unit)) {
        fprintf(stderr, "Unit %s%s could not be found.\n", unit, strchr(unit, '.') != NULL ? "" : ".service");
        return 4;
    }
    printf("%s " UNIT ".service - NVIDIA fabric manager service\n"
           "     Loaded: loaded (/lib/systemd/system/" UNIT ".service; enabled; preset: enabled)\n"
           "     Active: %s since %s; %lldmin ago\n",
           active ? "●" : "×", active ? "active (running)" : "failed (Result: exit-code)",
           date_text(tool->arena, since, "%a %Y-%m-%d %H:%M:%S %Z"), minutes > 0 ? minutes : 1);
    printf("    Process: 2114 ExecStart=/usr/bin/nv-fabricmanager -c "
           "/usr/share/nvidia/nvswitch/fabricmanager.cfg "
           "(code=exited, status=%s)\n",
           active ? "0/SUCCESS" : "1/FAILURE");
    if (active)
        printf("   Main PID: 2116 (nv-fabricmanage)\n      Tasks: 18 (limit: 629145)\n     Memory: 18.3M\n"
               "        CPU: 4.102s\n     CGroup: /system.slice/" UNIT ".service\n"
               "             └─2116 /usr/bin/nv-fabricmanager -c "
               "/usr/share/nvidia/nvswitch/fabricmanager.cfg\n");
    else
        printf("        CPU: 31ms\n");
    if (with_log)
        unit_log(host, stamp);
    return active ? 0 : 3;
}

static int unit_show(const struct tool *tool, const char *unit, const char *properties, bool value_only)
{
    bool ours = is_fabric_manager(unit), active = ours && tool->host->fabric_manager_active;
    const struct {
        const char *name, *value;
    } values[] = {
        {"Id", ours ? UNIT ".service" : unit},
        {"LoadState", ours ? "loaded" : "not-found"},
        {"ActiveState", active ? "active"
                        : ours ? "failed"
                               : "inactive"},
        {"SubState", active ? "running"
                     : ours ? "failed"
                            : "dead"},
        {"UnitFileState", ours ? "enabled" : ""},
        {"Result", ours && !active ? "exit-code" : "success"},
        {"ExecMainStatus", ours && !active ? "1" : "0"},
        {"MainPID", active ? "2116" : "0"},
        {"NRestarts", "0"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
        struct slice rest = slice_of(properties != NULL ? properties : values[i].name);
        bool wanted = false;

        while (rest.length > 0 && !wanted) {
            size_t comma = slice_find(rest, ",");

            if (comma == (size_t)-1)
                comma = rest.length;
            wanted = slice_equal((struct slice){rest.bytes, comma}, values[i].name);
            rest = slice_from(rest, comma + 1);
        }
        if (wanted)
            printf("%s%s%s\n", value_only ? "" : values[i].name, value_only ? "" : "=", values[i].value);
    }
    return 0;
}

static int unit_is(const struct tool *tool, const char *verb, const char *unit, bool quiet)
{
    bool imex = tool->host->profile->domain_hosts > 0 && is_imex(unit),
         ours = imex || is_fabric_manager(unit);
    bool active = ours && (imex ? tool->host->imex_active : tool->host->fabric_manager_active);

    if (strcmp(verb, "is-enabled") == 0) {
        if (!ours)
            fprintf(stderr, "Failed to get unit file state for %s: No such file or directory\n", unit);
        else if (!quiet)
            printf("enabled\n");
        return ours ? 0 : 1;
    }
    if (!quiet)
        printf("%s\n", active ? "active" : ours ? "failed" : "inactive");
    if (strcmp(verb, "is-failed") == 0)
        return ours && !active ? 0 : 1;
    return active ? 0 : 3;
}

int tool_systemctl(struct tool *tool)
{
    const char *verb = NULL, *unit = NULL, *properties = NULL;
    bool value_only = false, quiet = false, with_log = true;

    for (int i = 1; i < tool->argc; i++) {
        const char *word = tool->argv[i];

        if (strcmp(word, "-p") == 0 && i + 1 < tool->argc)
            properties = tool->argv[++i];
        else if (strncmp(word, "--property=", 11) == 0)
            properties = word + 11;
        else if (strcmp(word, "--value") == 0)
            value_only = true;
        else if (strcmp(word, "-q") == 0 || strcmp(word, "--quiet") == 0)
            quiet = true;
        else if (strcmp(word, "--lines=0") == 0 || strcmp(word, "-n0") == 0)
            with_log = false;
        else if (word[0] != '-' && verb == NULL)
            verb = word;
        else if (word[0] != '-')
            unit = word;
    }
    if (verb == NULL || unit == NULL) {
        fprintf(stderr, "Too few arguments.\n");
        return 1;
    }
    if (strcmp(verb, "status") == 0)
        return unit_status(tool, unit, with_log);
    if (strcmp(verb, "show") == 0)
        return unit_show(tool, unit, properties, value_only);
    if (strncmp(verb, "is-", 3) == 0)
        return unit_is(tool, verb, unit, quiet);
    fprintf(stderr, "Failed to %s %s: Interactive authentication required.\n", verb, unit);
    return 1;
}

int tool_fabric_manager(struct tool *tool)
{
    if (tool->argc == 2 && (strcmp(tool->argv[1], "--version") == 0 || strcmp(tool->argv[1], "-v") == 0)) {
        printf("Fabric Manager version is : %s\n", tool->host->fabric_manager);
        return 0;
    }
    fprintf(stderr, "fabric manager is running already\n");
    return 1;
}

/* The kernel log: what every boot says, then what has happened since. */

static void boot_lines(struct tool *tool, struct text *out)
{
    const struct lab_host *host = tool->host;
    char pci[24];

    text_printf(out,
                "[    0.000000] Linux version %s (buildd@lcy02-amd64-034) #132-Ubuntu SMP\n"
                "[    0.000000] Command line: BOOT_IMAGE=/boot/vmlinuz-%s root=UUID=6d1f ro iommu=pt\n"
                "[    0.004000] smpboot: Allowing %u CPUs, 0 hotplug CPUs\n"
                "[    2.113406] systemd[1]: Detected architecture %s.\n",
                host->kernel, host->kernel, host->board->sockets * host->board->cores * host->board->threads,
                host->board->arm ? "arm64" : "x86-64");
    text_printf(out, "[    9.402113] NVRM: loading NVIDIA UNIX %s Kernel Module  %s\n",
                host->board->arm ? "aarch64" : "x86_64", host->driver);
    for (unsigned i = 0; i < host->profile->hcas; i++)
        text_printf(out, "[   1%u.07%u311] mlx5_core %s.0: firmware version: %s\n", i / 4, i,
                    lab_hca_pci(host->profile, i, pci), host->profile->hca_firmware);
    for (int i = 0; i < (int)host->profile->gpus; i++)
        if (fault_of_gpu(tool->lab, host->number, FAULT_GPU_MISSING, i) != NULL)
            text_printf(out,
                        "[   14.882310] NVRM: Xid (PCI:%s): 79, pid='<unknown>', name=<unknown>, GPU has "
                        "fallen off the bus.\n",
                        lab_gpu_pci(host->profile, i, pci));
    text_put(out, "[   21.530201] nvidia-uvm: Loaded the UVM driver, major device number 506.\n"
                  "[   38.101772] IPv6: ADDRCONF(NETDEV_CHANGE): ens1f0: link becomes ready\n");
    for (size_t i = 0; i < tool->lab->fault_count; i++) {
        const struct fault *fault = &tool->lab->faults[i];

        if (fault->host == host->number && fault->kind == FAULT_XID_BEFORE)
            text_printf(out, "[   97.340118] NVRM: Xid (PCI:%s): %d, pid=2211, name=python3, %s\n",
                        lab_gpu_pci(host->profile, fault->gpu, pci), (int)fault->number,
                        tool_xid_text((int)fault->number));
    }
    text_put(out, "[  121.044871] systemd[1]: Startup finished in 14.2s (kernel) + 1min 46s (userspace).\n");
}

static void read_kernel_log(struct tool *tool, struct text *out)
{
    cleanup_text struct text later = {0};

    text_init(&later, 16 << 20);
    boot_lines(tool, out);
    if (file_read(lab_host_file(tool->arena, tool->lab, tool->host->number, "kernel.log"), &later, NULL) == 0)
        text_put(out, later.bytes);
}

/* Takes "[ secs.usecs] " off the front. */
static bool take_stamp(struct slice *line, double *ret_seconds)
{
    size_t end = slice_find(*line, "]");

    if (!slice_starts(*line, "[") || end == (size_t)-1 ||
        !scan_double(slice_trim((struct slice){line->bytes + 1, end - 1}), ret_seconds))
        return false;
    *line = slice_from(*line, end + 2);
    return true;
}

enum log_form { LOG_RAW, LOG_CTIME, LOG_ISO, LOG_SYSLOG, LOG_MONOTONIC };

static void print_log(struct tool *tool, enum log_form form, double since)
{
    cleanup_text struct text log = {0};
    struct slice rest, line;
    double seconds;
    time_t boot = booted();

    text_init(&log, 32 << 20);
    read_kernel_log(tool, &log);
    for (rest = (struct slice){log.bytes, log.length}; scan_line(&rest, &line);) {
        struct slice whole = line;
        time_t when;

        if (!take_stamp(&line, &seconds) || (double)boot + seconds < since)
            continue;
        when = boot + (time_t)seconds;
        if (form == LOG_CTIME)
            printf("[%s] %.*s\n", date_text(tool->arena, when, "%a %b %e %H:%M:%S %Y"), slice_print(line));
        else if (form == LOG_ISO)
            printf("%s,%06.0f%s %.*s\n", date_text(tool->arena, when, "%Y-%m-%dT%H:%M:%S"),
                   (seconds - (double)(time_t)seconds) * 1e6, "+00:00", slice_print(line));
        else if (form == LOG_SYSLOG)
            printf("%s %s kernel: %.*s\n", date_text(tool->arena, when, "%b %d %H:%M:%S"), tool->host->name,
                   slice_print(line));
        else if (form == LOG_MONOTONIC)
            printf("[%12.6f] %s kernel: %.*s\n", seconds, tool->host->name, slice_print(line));
        else
            printf("%.*s\n", slice_print(whole));
    }
}

/* From when on a log still has its lines, in s since the boot. */
enum { LOST_BEFORE = 120 };

static double kept_since(bool lost)
{
    return lost ? (double)booted() + LOST_BEFORE : 0;
}

int tool_dmesg(struct tool *tool)
{
    bool lost = fault_find(tool->lab, tool->host->number, FAULT_LOG_TURNED) != NULL ||
                fault_find(tool->lab, tool->host->number, FAULT_LOG_LOST) != NULL;
    enum log_form form = LOG_RAW;

    for (int i = 1; i < tool->argc; i++) {
        if (strcmp(tool->argv[i], "-T") == 0 || strcmp(tool->argv[i], "--ctime") == 0)
            form = LOG_CTIME;
        if (strcmp(tool->argv[i], "--time-format=iso") == 0)
            form = LOG_ISO;
    }
    print_log(tool, form, kept_since(lost));
    return 0;
}

int tool_journalctl(struct tool *tool)
{
    enum log_form form = LOG_SYSLOG;
    bool kernel = false;
    double since = 0, kept;

    for (int i = 1; i < tool->argc; i++) {
        const char *word = tool->argv[i], *value = i + 1 < tool->argc ? tool->argv[i + 1] : "";

        if (strcmp(word, "-k") == 0 || strcmp(word, "--dmesg") == 0)
            kernel = true;
        if (strcmp(word, "-o") == 0 && strcmp(value, "short-monotonic") == 0)
            form = LOG_MONOTONIC;
        if (strcmp(word, "--output=short-monotonic") == 0)
            form = LOG_MONOTONIC;
        if (strncmp(word, "--since=@", 9) == 0 && !scan_double(slice_of(word + 9), &since))
            since = 0;
        if ((strcmp(word, "--since") == 0 || strcmp(word, "-S") == 0) && value[0] == '@' &&
            !scan_double(slice_of(value + 1), &since))
            since = 0;
    }
    if (!kernel) {
        printf("-- No entries --\n");
        return 0;
    }
    kept = kept_since(fault_find(tool->lab, tool->host->number, FAULT_LOG_LOST) != NULL);
    print_log(tool, form, kept > since ? kept : since);
    return 0;
}

/* sudo and hostname. */

int tool_sudo(struct tool *tool)
{
    int i = 1;

    for (; i < tool->argc && tool->argv[i][0] == '-'; i++) {
        if (strcmp(tool->argv[i], "--") == 0) {
            i++;
            break;
        }
        if (strcmp(tool->argv[i], "-u") == 0 || strcmp(tool->argv[i], "-g") == 0)
            i++;
    }
    if (fault_find(tool->lab, tool->host->number, FAULT_SUDO_REFUSED) != NULL) {
        fprintf(stderr, "sudo: a password is required\n");
        return 1;
    }
    while (i < tool->argc && strchr(tool->argv[i], '=') != NULL && tool->argv[i][0] != '/')
        putenv(tool->argv[i++]);
    if (i >= tool->argc)
        return 0; /* sudo -n -v and the like */
    setenv("ASSAY_LAB_SUDO", "1", 1);
    execvp(tool->argv[i], tool->argv + i);
    fprintf(stderr, "sudo: %s: command not found\n", tool->argv[i]);
    return 1;
}

bool lab_is_root(void)
{
    return getenv("ASSAY_LAB_SUDO") != NULL || geteuid() == 0;
}

/* Under the simulated sudo this is root's id; else it is the true one. */
int tool_id(struct tool *tool)
{
    const char *option = tool->argc > 1 ? tool->argv[1] : "";

    if (getenv("ASSAY_LAB_SUDO") == NULL) {
        execv("/usr/bin/id", tool->argv);
        execv("/bin/id", tool->argv);
        return 127;
    }
    if (strcmp(option, "-u") == 0 || strcmp(option, "-g") == 0)
        printf("0\n");
    else if (strcmp(option, "-un") == 0 || strcmp(option, "-gn") == 0 || strcmp(option, "-nu") == 0)
        printf("root\n");
    else
        printf("uid=0(root) gid=0(root) groups=0(root)\n");
    return 0;
}

int tool_hostname(struct tool *tool)
{
    const char *option = tool->argc > 1 ? tool->argv[1] : "";
    char address[16];

    if (strcmp(option, "-I") == 0 || strcmp(option, "-i") == 0)
        printf("%s \n", lab_address(tool->host->number, address));
    else
        printf("%s\n", tool->host->name);
    return 0;
}

/* nvidia-bug-report.sh, of a host without gzip: it says where the report lies, and prints nothing of it. */
int tool_nvidia_bug_report(struct tool *tool)
{
    const char *path = tool_option(tool, "--output-file", "nvidia-bug-report.log");
    char pci[24];
    FILE *file;

    file = fopen(path, "w");
    if (file == NULL) {
        fprintf(stderr, "ERROR: Could not create %s.\n", path);
        return 1;
    }
    fprintf(
        file,
        "____________________________________________\n\nStart of NVIDIA bug report log file.  Please "
        "include this file, along\nwith a detailed description of your problem, when reporting a graphics\n"
        "driver bug via the NVIDIA Linux forum.\n\nuname: Linux %s\n",
        tool->host->name);
    for (int i = 0; i < tool->host->gpu_count; i++)
        fprintf(file, "%s NVIDIA %s\n", lab_gpu_pci(tool->lab->profile, (int)tool->host->gpus[i].number, pci),
                tool->host->gpus[i].uuid);
    fprintf(file, "\nEnd of NVIDIA bug report log file.\n");
    fclose(file);
    printf(
        "\nnvidia-bug-report.sh will now collect information about your\nsystem and create the file '%s'.\n\n"
        "Running nvidia-bug-report.sh... complete.\n",
        path);
    return 0;
}
