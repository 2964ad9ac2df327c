/* SPDX-License-Identifier: Apache-2.0 */
/* A host's storage: the root file system, /data from the cluster's Lustre, /scratch on its own drives. */
#include <math.h>
#include <string.h>

#include "assay/base/scan.h"
#include "lab_private.h"

struct mount {
    const char *target, *source, *type, *options;
    unsigned long long kib, used_kib;
};

enum { MOUNTS_MOST = 3 };

/* A healthy /scratch: drives of a RAID 0, GB/s and us. */
#define SCRATCH_WRITE 14.2
#define SCRATCH_READ 26.5
#define SCRATCH_LATENCY 1180.0

static size_t mounts_of(const struct lab_host *host, struct mount *mounts)
{
    size_t count = 0;

    mounts[count++] = (struct mount){"/",        "/dev/nvme0n1p2",
                                     "ext4",     "rw,relatime,errors=remount-ro",
                                     937u << 20, host->no_space ? (937u << 20) - (40u << 10) : 82u << 20};
    if (host->data_mounted)
        mounts[count++] = (struct mount){"/data",      "10.20.0.1@o2ib:10.20.0.2@o2ib:/data",
                                         "lustre",     "rw,flock,lazystatfs",
                                         512ull << 30, 140ull << 30};
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

/* df -Pi: as many inodes as ext4 makes by default, one in ten of them taken. */
static int print_inodes(const struct mount *mount)
{
    unsigned long long inodes = mount->kib / 16;

    printf("%-34s %10s %10s %10s %5s Mounted on\n%-34s %10llu %10llu %10llu %4d%% %s\n", "Filesystem",
           "Inodes", "IUsed", "IFree", "IUse%", mount->source, inodes, inodes / 10, inodes - inodes / 10, 10,
           mount->target);
    return 0;
}

int tool_df(struct tool *tool)
{
    struct mount mounts[MOUNTS_MOST];
    size_t count = mounts_of(tool->host, mounts), paths = 0;

    if (tool->argc == 3 && strcmp(tool->argv[1], "-Pi") == 0)
        return print_inodes(mount_at(mounts, count, tool->argv[2]));
    printf("%-34s %14s %13s %13s %8s Mounted on\n", "Filesystem", "1024-blocks", "Used", "Available",
           "Capacity");
    for (int i = 1; i < tool->argc; i++)
        if (tool->argv[i][0] == '/') {
            print_df(mount_at(mounts, count, tool->argv[i]));
            paths++;
        }
    for (size_t i = 0; paths == 0 && i < count; i++)
        print_df(&mounts[i]);
    return 0;
}

/* The folder where fio can write. */
void tree_storage(struct tree *tree, const struct lab_host *host)
{
    (void)host;
    tree_file(tree, "scratch/README", "Scratch space, cleared at every boot.\n");
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
    double seconds = 10, block = 4096;
    const char *value;
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
    }
    if (count == 0) {
        fprintf(stderr, "No job(s) defined\n");
        return 1;
    }
    if (tool->host->fio_seconds > 0)
        seconds = fmin(seconds, tool->host->fio_seconds);
    lab_sleep(tool->lab, seconds * count);
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

/* nvme smart-log /dev/nvme3 */
int tool_nvme(struct tool *tool)
{
    const struct lab *lab = tool->lab;
    const struct fault *warns = fault_find(lab, tool->host->number, FAULT_NVME_WARNING);
    const struct fault *errs =
        lab_struck(tool->host) ? fault_find(lab, tool->host->number, FAULT_NVME_BURN) : NULL;
    struct slice name = slice_of(tool->argc == 3 ? tool->argv[2] : "");
    uint64_t number;

    if (tool->argc != 3 || strcmp(tool->argv[1], "smart-log") != 0 || !scan_text(&name, "/dev/nvme") ||
        !scan_u64(name, &number) || number >= tool->host->drives) {
        fprintf(stderr, "%s: No such file or directory\n", tool->argc == 3 ? tool->argv[2] : "nvme");
        return 1;
    }
    if (!lab_is_root()) {
        fprintf(stderr, "%s: Permission denied\n", tool->argv[2]);
        return 1;
    }
    printf(
        "Smart Log for NVME device:nvme%u namespace-id:ffffffff\n"
        "critical_warning\t\t\t: %s\ntemperature\t\t\t\t: 36 C (309 Kelvin)\n"
        "available_spare\t\t\t\t: 100%%\navailable_spare_threshold\t\t: 10%%\npercentage_used\t\t\t\t: 1%%\n"
        "power_on_hours\t\t\t\t: 1,016\nmedia_errors\t\t\t\t: %u\nnum_err_log_entries\t\t\t: 0\n",
        (unsigned)number, warns != NULL && (uint64_t)warns->number == number ? "0x4" : "0",
        errs != NULL && (uint64_t)errs->number == number ? 7u : 0u);
    return 0;
}
