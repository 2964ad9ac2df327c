/* SPDX-License-Identifier: Apache-2.0 */
/* Ending what runs on the hosts, found by the mark that every command of a lab has in its environment. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "assay/base/scan.h"
#include "lab_private.h"

#define ENVIRONMENT_MAX (256 * 1024)

/* Exactly this entry; one that ends in '=' stands for any value. */
static bool has_entry(const char *bytes, size_t length, const char *entry)
{
    bool any_value = entry[strlen(entry) - 1] == '=';
    size_t wanted = strlen(entry) + (any_value ? 0 : 1);

    while (length >= wanted) {
        const char *end = memchr(bytes, '\0', length);
        size_t size = end != NULL ? (size_t)(end - bytes) + 1 : length;

        if ((any_value ? size >= wanted : size == wanted) && memcmp(bytes, entry, wanted) == 0)
            return true;
        bytes += size;
        length -= size;
    }
    return false;
}

static bool is_marked(const char *pid, const char *lab_entry, const char *host_entry, char *buffer)
{
    char path[64];
    cleanup_fd int fd = -1;
    size_t length = 0;
    ssize_t got;

    snprintf(path, sizeof path, "/proc/%s/environ", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    while (length < ENVIRONMENT_MAX && (got = read(fd, buffer + length, ENVIRONMENT_MAX - length)) > 0)
        length += (size_t)got;
    return has_entry(buffer, length, lab_entry) && has_entry(buffer, length, host_entry);
}

static unsigned kill_marked(const char *lab_entry, const char *host_entry, char *buffer)
{
    DIR *proc = opendir("/proc");
    unsigned found = 0;
    uint64_t pid;

    if (proc == NULL)
        return 0;
    for (struct dirent *entry; (entry = readdir(proc)) != NULL;)
        if (scan_u64(slice_of(entry->d_name), &pid) && pid != (uint64_t)getpid() &&
            is_marked(entry->d_name, lab_entry, host_entry, buffer)) {
            kill((pid_t)pid, SIGKILL);
            found++;
        }
    closedir(proc);
    return found;
}

unsigned lab_sweep(const char *directory, unsigned host)
{
    cleanup_free char *lab_entry = mem_printf("ASSAY_LAB_DIR=%s", directory);
    cleanup_free char *host_entry =
        host != 0 ? mem_printf("ASSAY_LAB_HOST=node%u", host) : mem_strdup("ASSAY_LAB_HOST=");
    cleanup_free char *buffer = mem_alloc(ENVIRONMENT_MAX);
    unsigned left = 0;

    /* Twice none: a process that was being made during one walk is there in the next. */
    for (int tries = 0, clean = 0; tries < 250 && clean < 2; tries++) {
        struct timespec pause = {.tv_nsec = 20 * 1000000L};

        left = kill_marked(lab_entry, host_entry, buffer);
        clean = left == 0 ? clean + 1 : 0;
        if (left > 0)
            nanosleep(&pause, NULL);
    }
    return left;
}
