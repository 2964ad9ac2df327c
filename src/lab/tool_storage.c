/* SPDX-License-Identifier: Apache-2.0 */
/* A host's storage: the root file system, /data from the cluster's Lustre, /scratch on its own drives. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "assay/base/scan.h"
#include "lab_private.h"

struct mount {
    const char *target, *source, *type, *options;
    unsigned long long kib, used_kib;
};

enum { MOUNTS_MOST = 3, DATA_LAG_S = 3 };

/* A healthy /scratch: drives of a RAID 0, GB/s and us. */
#define SCRATCH_WRITE 14.2
#define SCRATCH_READ 26.5
#define SCRATCH_LATENCY 1180.0

static size_t mounts_of(const struct lab_host *host, struct mount *mounts)
{
    size_t count = 0;

    mounts[count++] = (struct mount){"/",
                                     "/dev/nvme0n1p2",
                                     "ext4",
                                     "rw,relatime,errors=remount-ro",
                                     937u << 20,
                                     (host->no_space ? (937u << 20) - (40u << 10) : 82u << 20) +
                                         ((unsigned long long)host->logs_grown_gib << 20)};
    if (host->data_mounted)
        mounts[count++] = (struct mount){
            "/data",
            "10.20.0.1@o2ib:10.20.0.2@o2ib:/data",
            "lustre",
            strcmp(host->data_bad, "options") == 0 ? "rw,localflock,lazystatfs" : "rw,flock,lazystatfs",
            512ull << 30,
            140ull << 30};
    mounts[count++] = (struct mount){"/scratch",  "/dev/md0",
                                     "xfs",       "rw,noatime,attr2,inode64",
                                     28ull << 30, host->scratch_full ? 28ull << 30 : 1ull << 30};
    return count;
}

/* The mount that a path lies on. */
static const struct mount *mount_at(const struct mount *mounts, size_t count, const char *path)
{
    const struct mount *best = &mounts[0];

    for (size_t i = 1; i < count; i++) {
        size_t length = strlen(mounts[i].target);

        if (strncmp(path, mounts[i].target, length) == 0 && (path[length] == '\0' || path[length] == '/'))
            best = &mounts[i];
    }
    return best;
}

int tool_findmnt(struct tool *tool)
{
    struct mount mounts[MOUNTS_MOST];
    size_t count = mounts_of(tool->host, mounts);

    if (tool->argc != 4 || strcmp(tool->argv[1], "-rn") != 0 ||
        strcmp(tool->argv[3], "TARGET,SOURCE,FSTYPE,OPTIONS") != 0) {
        fprintf(stderr, "findmnt: the lab knows it as findmnt -rn -o TARGET,SOURCE,FSTYPE,OPTIONS only\n");
        return 1;
    }
    printf("/sys sysfs sysfs rw,nosuid,nodev,noexec,relatime\n/proc proc proc "
           "rw,nosuid,nodev,noexec,relatime\n");
    for (size_t i = 0; i < count; i++)
        printf("%s %s %s %s\n", mounts[i].target, mounts[i].source, mounts[i].type, mounts[i].options);
    return 0;
}

static void print_df(const struct mount *mount)
{
    unsigned long long percent = (mount->used_kib * 100 + mount->kib - 1) / mount->kib;

    printf("%-34s %14llu %13llu %13llu %7llu%% %s\n", mount->source, mount->kib, mount->used_kib,
           mount->kib - mount->used_kib, percent, mount->target);
}

/* As many inodes as ext4 makes by default, one in ten of them taken. */
static unsigned inodes_percent(const struct lab_host *host, const struct mount *mount)
{
    return host->inodes_full && strcmp(mount->target, "/") == 0 ? 97 : 10;
}

static void print_inodes(const struct lab_host *host, const struct mount *mount)
{
    unsigned long long inodes = mount->kib / 16, used = inodes * inodes_percent(host, mount) / 100;

    printf("%-34s %10llu %10llu %10llu %4u%% %s\n", mount->source, inodes, used, inodes - used,
           inodes_percent(host, mount), mount->target);
}

/* df --output=... */
static void print_columns(const struct lab_host *host, const struct mount *mount, const char *columns)
{
    unsigned long long percent = (mount->used_kib * 100 + mount->kib - 1) / mount->kib;

    if (strcmp(columns, "fstype,pcent,target") == 0)
        printf("%-6s %3llu%% %s\n", mount->type, percent, mount->target);
    else if (strcmp(columns, "fstype,ipcent,target") == 0)
        printf("%-6s %4u%% %s\n", mount->type, inodes_percent(host, mount), mount->target);
    else if (strcmp(columns, "avail,pcent") == 0)
        printf("%llu %3llu%%\n", mount->kib - mount->used_kib, percent);
    else
        printf("%s\n", strcmp(columns, "fstype") == 0 ? mount->type : mount->target);
}

/* df -Pk, df -Pi, df --output=COLUMNS: of the file systems that the paths lie on, without a path of all; -l: but for what
   hosts share. */
int tool_df(struct tool *tool)
{
    struct mount mounts[MOUNTS_MOST];
    size_t count = mounts_of(tool->host, mounts), paths = 0, shown = 0;
    const char *columns = NULL;
    bool inodes = false, local = false;

    for (int i = 1; i < tool->argc; i++) {
        const char *word = tool->argv[i];

        if (strncmp(word, "--output=", 9) == 0)
            columns = word + 9;
        inodes |= strcmp(word, "-Pi") == 0;
        local |= strcmp(word, "-l") == 0;
        paths += word[0] == '/';
    }
    if (columns != NULL)
        printf("%s\n", columns);
    else if (inodes)
        printf("%-34s %10s %10s %10s %5s Mounted on\n", "Filesystem", "Inodes", "IUsed", "IFree", "IUse%");
    else
        printf("%-34s %14s %13s %13s %8s Mounted on\n", "Filesystem", "1024-blocks", "Used", "Available",
               "Capacity");
    for (size_t i = 1; i < (paths > 0 ? (size_t)tool->argc : count + 1); i++) {
        const struct mount *mount = paths == 0 ? &mounts[i - 1] : mount_at(mounts, count, tool->argv[i]);

        if ((paths > 0 && tool->argv[i][0] != '/') || (local && strcmp(mount->type, "lustre") == 0))
            continue;
        shown++;
        if (columns != NULL)
            print_columns(tool->host, mount, columns);
        else if (inodes)
            print_inodes(tool->host, mount);
        else
            print_df(mount);
    }
    if (shown == 0)
        fprintf(stderr, "df: no file systems processed\n");
    return shown == 0;
}

/* What `space` asks: a folder as a whole, or each of what lies in it and then the folder. */
int tool_du(struct tool *tool)
{
    static const struct {
        const char *path;
        unsigned long long kib;
    } folders[] = {
        {"/home/ops", 412 << 10},    {"/home/ubuntu", 1600 << 10}, {"/root", 48 << 10},
        {"/tmp", 3 << 10},           {"/usr/lib", 9 << 20},        {"/var/lib/containerd", 21 << 20},
        {"/var/lib/dpkg", 60 << 10}, {"/var/log", 2200 << 10},     {"/var/tmp", 12 << 10}};
    const char *folder = tool->argv[tool->argc - 1];
    size_t length = strlen(folder), found = 0;
    unsigned long long sum = 0;
    bool each = tool->argc == 9 && strcmp(tool->argv[6], "-d1") == 0;

    if (folder[0] != '/' || (!each && (tool->argc != 8 || strcmp(tool->argv[5], "-s") != 0))) {
        fprintf(stderr, "du: the lab knows it as du -D -x -k -0 -s|-a -d1 -- FOLDER only\n");
        return 1;
    }
    for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
        const char *path = folders[i].path;
        unsigned long long kib = folders[i].kib;

        if (strncmp(path, folder, length) != 0 || (path[length] != '\0' && path[length] != '/'))
            continue;
        if (strcmp(path, "/var/log") == 0)
            kib += (unsigned long long)tool->host->logs_grown_gib << 20;
        if (path[length] == '/' && each)
            printf("%llu\t%s%c", kib, path, '\0');
        sum += kib;
        found++;
    }
    if (found == 0) {
        fprintf(stderr, "du: cannot access '%s': No such file or directory\n", folder);
        return 1;
    }
    printf("%llu\t%s%c", sum, folder, '\0');
    return 0;
}

/* The folders where fio can write: of its own drives, and of all hosts. Where /data is not mounted there is a folder too. */
void tree_storage(struct tree *tree, const struct lab_host *host)
{
    if (host->data_mounted && strcmp(host->data_bad, "apart") != 0)
        tree_link(tree, "data", tree_path(tree, "%s/data", host->lab->directory));
    else
        tree_file(tree, "data/README", "The folder below a mount point.\n");
    tree_file(tree, "scratch/README", "Scratch space, cleared at every boot.\n");
    tree_file(tree, "home/ubuntu/.profile", "umask 022\n");
    tree_file(tree, "root/.profile", "mesg n\n");
    tree_file(tree, "var/lib/README", "What services keep.\n");
    tree_file(tree, "var/log/README", "What services say.\n");
}

/* fio. */

struct job {
    const char *name, *rw;
};

/* The value of "--KEY=VALUE" in the word, or NULL. */
static const char *value_of(const char *word, const char *key)
{
    size_t length = strlen(key);

    return strncmp(word, "--", 2) == 0 && strncmp(word + 2, key, length) == 0 && word[2 + length] == '='
               ? word + 3 + length
               : NULL;
}

static void print_nothing(const char *direction)
{
    printf("      \"%s\" : {\n        \"io_bytes\" : 0,\n        \"bw_bytes\" : 0,\n        \"bw\" : 0,\n"
           "        \"iops\" : 0.000000,\n        \"lat_ns\" : {\n          \"min\" : 0,\n          \"max\" "
           ": 0,\n"
           "          \"mean\" : 0.000000,\n          \"stddev\" : 0.000000\n        }\n      }",
           direction);
}

static void print_direction(const struct tool *tool, const char *direction, double seconds, double block)
{
    double gbs = (strcmp(direction, "write") == 0 ? SCRATCH_WRITE : SCRATCH_READ) *
                 tool->host->scratch_speed * (1 + 0.01 * lab_noise(tool->host->number, direction, 0));
    double latency = SCRATCH_LATENCY / tool->host->scratch_speed * 1000;

    printf("      \"%s\" : {\n        \"io_bytes\" : %.0f,\n        \"bw_bytes\" : %.0f,\n        \"bw\" : "
           "%.0f,\n"
           "        \"iops\" : %.6f,\n        \"runtime\" : %.0f,\n        \"total_ios\" : %.0f,\n",
           direction, gbs * 1e9 * seconds, gbs * 1e9, gbs * 1e9 / 1024, gbs * 1e9 / block, seconds * 1000,
           gbs * 1e9 * seconds / block);
    printf(
        "        \"clat_ns\" : {\n          \"min\" : %.0f,\n          \"max\" : %.0f,\n          \"mean\" : "
        "%.6f,\n"
        "          \"percentile\" : {\n            \"50.000000\" : %.0f,\n            \"99.000000\" : %.0f\n"
        "          }\n        },\n",
        latency * 0.3, latency * 9, latency * 0.98, latency * 0.95, latency * 2.1);
    printf("        \"lat_ns\" : {\n          \"min\" : %.0f,\n          \"max\" : %.0f,\n          \"mean\" "
           ": %.6f\n"
           "        }\n      }",
           latency * 0.31, latency * 9.01, latency);
}

static void print_job(const struct tool *tool, const struct job *job, double seconds, double block, bool last)
{
    static const char *const directions[] = {"read", "write"};

    printf("    {\n      \"jobname\" : \"%s\",\n      \"groupid\" : 0,\n      \"error\" : 0,\n      "
           "\"elapsed\" : %.0f,\n",
           job->name, seconds + 1);
    for (size_t i = 0; i < 2; i++) {
        if (strstr(job->rw, directions[i]) != NULL)
            print_direction(tool, directions[i], seconds, block);
        else
            print_nothing(directions[i]);
        printf(i == 0 ? ",\n" : "\n");
    }
    printf("    }%s\n", last ? "" : ",");
}

/*
 * Terse lines are of the shared /data. What all clients have together is limited by its servers, and what each has by itself: of
 * the first four the sum grows. How many there are the name of the job says, "write.16".
 */
static const struct data_rate {
    const char *direction;
    double client, servers; /* GB/s of large requests */
    double requests;        /* of small ones, by a client in a second; as many times the servers' as above */
} data_rates[] = {{"write", 11.5, 46, 92e3}, {"read", 17, 68, 140e3}};

static double data_share(const struct data_rate *rate, double clients, double block)
{
    double alone = fmin(rate->client, rate->requests * block / 1e9);

    return fmin(alone, alone * rate->servers / rate->client / fmax(clients, 1));
}

double lab_data_rate(const char *direction, unsigned clients, double block)
{
    return data_share(&data_rates[strcmp(direction, data_rates[0].direction) != 0], clients, block);
}

static double data_gbs(const struct tool *tool, const struct data_rate *rate, const char *job, double block)
{
    const char *dot = strchr(job, '.');
    /* Of all hosts' checkpoints one restores them. */
    double clients = dot != NULL && !slice_starts(slice_of(job), "restore") ? strtod(dot + 1, NULL) : 1;

    return data_share(rate, clients, block) * tool->host->data_speed *
           (1 + 0.01 * lab_noise(tool->host->number, job, 0));
}

static void print_terse_direction(double gbs, double seconds, double block)
{
    static const char *const percentiles[] = {"1.000000",  "5.000000",  "10.000000", "20.000000", "30.000000",
                                              "40.000000", "50.000000", "60.000000", "70.000000", "80.000000",
                                              "90.000000", "95.000000", "99.000000", "99.500000", "99.900000",
                                              "99.950000", "99.990000"};
    double latency = gbs > 0 ? 16 * block / gbs / 1000 : 0;

    printf(";%.0f;%.0f;%.0f;%.0f;0;0;0.000000;0.000000;%.0f;%.0f;%.6f;%.6f", gbs * 1e9 * seconds / 1024,
           gbs * 1e9 / 1024, gbs * 1e9 / block, gbs > 0 ? seconds * 1000 : 0, latency * 0.3, latency * 9,
           latency, latency * 0.2);
    for (size_t i = 0; i < ARRAY_SIZE(percentiles); i++)
        printf(";%s%%=%.0f", percentiles[i], latency);
    printf(";0%%=0;0%%=0;0%%=0;%.0f;%.0f;%.6f;%.6f;0;0;0.000000%%;0.000000;0.000000", latency * 0.31,
           latency * 9.01, latency, latency * 0.2);
}

/* A job that ends with its bytes. */
static double seconds_for(const struct tool *tool, const struct job *job, double bytes, double block)
{
    for (size_t i = 0; i < ARRAY_SIZE(data_rates); i++)
        if (strstr(job->rw, data_rates[i].direction) != NULL)
            return bytes / 1e9 / data_gbs(tool, &data_rates[i], job->name, block);
    return 0;
}

static void print_terse(const struct tool *tool, const struct job *job, double seconds, double block)
{
    printf("3;fio-3.35;%s;0;0", job->name);
    for (size_t i = ARRAY_SIZE(data_rates); i-- > 0;)
        print_terse_direction(strstr(job->rw, data_rates[i].direction) != NULL
                                  ? data_gbs(tool, &data_rates[i], job->name, block)
                                  : 0,
                              seconds, block);
    printf(";1.000000%%;2.000000%%;1000;0;10;0.1%%;0.1%%;0.1%%;0.1%%;100.0%%;0.0%%;0.0%%\n");
}

/* "30", "1M", "64k" */
static double number_of(const char *text)
{
    struct slice rest = slice_of(text);
    uint64_t number = 0;

    scan_digits(&rest, &number);
    return (double)number * (slice_starts(rest, "M") ? 1048576 : slice_starts(rest, "k") ? 1024 : 1);
}

int tool_fio(struct tool *tool)
{
    struct job jobs[8] = {{NULL, "read"}};
    double seconds = 10, block = 4096, bytes = 0;
    const char *value;
    bool terse = false, time_based = false;
    int count = 0;

    for (int i = 1; i < tool->argc; i++) {
        const char *word = tool->argv[i];

        if ((value = value_of(word, "name")) != NULL && count < 8)
            jobs[count++] = (struct job){value, "read"};
        else if ((value = value_of(word, "rw")) != NULL && count > 0)
            jobs[count - 1].rw = value;
        else if ((value = value_of(word, "runtime")) != NULL)
            seconds = number_of(value);
        else if ((value = value_of(word, "bs")) != NULL)
            block = number_of(value);
        else if ((value = value_of(word, "size")) != NULL)
            bytes = number_of(value);
        else if (strcmp(word, "--time_based") == 0)
            time_based = true;
        else if ((value = value_of(word, "output-format")) != NULL)
            terse = strcmp(value, "terse") == 0;
    }
    if (count == 0) {
        fprintf(stderr, "No job(s) defined\n");
        return 1;
    }
    if (tool->host->fio_seconds > 0)
        seconds = fmin(seconds, tool->host->fio_seconds);
    if (terse && !time_based)
        seconds = fmin(seconds, seconds_for(tool, &jobs[0], bytes, block));
    lab_sleep(tool->lab, seconds * count);
    if (terse) {
        print_terse(tool, &jobs[0], seconds, block);
        return 0;
    }
    if (tool->host->scratch_full) {
        printf("fio: pid=4711, err=28/file:io_u.c:1822, func=io_u error, error=No space left on device\n");
        return 1;
    }
    printf("{\n  \"fio version\" : \"fio-3.35\",\n  \"jobs\" : [\n");
    for (int i = 0; i < count; i++)
        print_job(tool, &jobs[i], seconds, block, i + 1 == count);
    printf("  ]\n}\n");
    return 0;
}

/* What is touched on /data by an ordinary program. */

static const char *word_with(const struct tool *tool, const char *part)
{
    for (int i = 1; i < tool->argc; i++)
        if (strstr(tool->argv[i], part) != NULL)
            return tool->argv[i];
    return NULL;
}

static int become(struct tool *tool, const char *program)
{
    execv(arena_printf(tool->arena, "/usr/bin/%s", program), tool->argv);
    execv(arena_printf(tool->arena, "/bin/%s", program), tool->argv);
    return 127;
}

static int fail_dd(const struct tool *tool, const char *why)
{
    const char *path = word_with(tool, "/assay-clients-");

    fprintf(stderr, "dd: failed to open '%s': %s\n", strchr(path, '=') + 1, why);
    return 1;
}

static bool is_young(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && time(NULL) - status.st_mtime < DATA_LAG_S;
}

int tool_dd(struct tool *tool)
{
    const char *bad = tool->host->data_bad, *from = word_with(tool, "if=");

    if (word_with(tool, "/assay-clients-") == NULL)
        return become(tool, "dd");
    while (strcmp(bad, "hangs") == 0)
        pause();
    if (strcmp(bad, "read-only") == 0)
        return fail_dd(tool, "Read-only file system");
    if (strcmp(bad, "stale") == 0)
        return fail_dd(tool, "Stale file handle");
    if (strcmp(bad, "full") == 0) {
        fprintf(stderr, "dd: error writing '%s': No space left on device\n",
                strchr(word_with(tool, "of="), '=') + 1);
        return 1;
    }
    if (strcmp(bad, "corrupts") == 0 && from != NULL && strstr(from, ".data") != NULL)
        printf("\1");
    fflush(stdout);
    if (strcmp(bad, "lags") == 0 && from != NULL && strstr(from, ".new") != NULL &&
        is_young(from + strlen("if=")))
        return fail_dd(tool, "No such file or directory");
    return become(tool, "dd");
}

/* flock: a lock of its own is one on another file. */
int tool_flock(struct tool *tool)
{
    char *path = (char *)word_with(tool, ".lock");

    for (int i = 1; path != NULL && strcmp(tool->host->data_bad, "locks") == 0 && i < tool->argc; i++)
        if (tool->argv[i] == path)
            tool->argv[i] = arena_printf(tool->arena, "%s.%s", path, tool->host->name);
    return become(tool, "flock");
}

/* nvme smart-log /dev/nvme3 */
int tool_nvme(struct tool *tool)
{
    const struct lab *lab = tool->lab;
    const struct fault *warns = fault_find(lab, tool->host->number, FAULT_NVME_WARNING);
    const struct fault *errs =
        lab_struck(tool->host) ? fault_find(lab, tool->host->number, FAULT_NVME_BURN) : NULL;
    struct slice name = slice_of(tool->argc == 3 ? tool->argv[2] : "");
    uint64_t number;
    unsigned bits = 0;

    if (tool->argc != 3 || strcmp(tool->argv[1], "smart-log") != 0 || !scan_text(&name, "/dev/nvme") ||
        !scan_u64(name, &number) || number >= tool->host->drives) {
        fprintf(stderr, "%s: No such file or directory\n", tool->argc == 3 ? tool->argv[2] : "nvme");
        return 1;
    }
    if (!lab_is_root()) {
        fprintf(stderr, "%s: Permission denied\n", tool->argv[2]);
        return 1;
    }
    if (warns != NULL && (uint64_t)warns->number == number)
        bits |= 4;
    if (number == 1)
        bits |= (unsigned)lab_counted(tool->host, FAULT_MACHINE_COUNTS, -1, "nvme-warning");
    printf(
        "Smart Log for NVME device:nvme%u namespace-id:ffffffff\n"
        "critical_warning\t\t\t: %s\ntemperature\t\t\t\t: 36 C (309 Kelvin)\n"
        "available_spare\t\t\t\t: 100%%\navailable_spare_threshold\t\t: 10%%\npercentage_used\t\t\t\t: 1%%\n"
        "power_on_hours\t\t\t\t: 1,016\nmedia_errors\t\t\t\t: %u\nnum_err_log_entries\t\t\t: 0\n",
        (unsigned)number, bits == 0 ? "0" : arena_printf(tool->arena, "%#x", bits),
        errs != NULL && (uint64_t)errs->number == number ? 7u : 0u);
    return 0;
}
