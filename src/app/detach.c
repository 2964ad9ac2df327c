/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/detach.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "assay/base/arena.h"
#include "assay/base/program.h"

enum { LOG_MODE = 0600 }; /* outputs of hosts may stand in it */

static void log_path(long long run, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "assay-run-%lld.log", run);
}

/* The child says its number when it goes on by itself; when it ends before that, it has said why. */
static int wait_for(struct detaching *detaching, pid_t child, int heard)
{
    char path[PATH_MAX];
    long long run = 0;
    ssize_t got;

    do
        got = read(heard, &run, sizeof run);
    while (got < 0 && errno == EINTR);
    close(heard);
    if (got != sizeof run)
        return program_wait(child, ERROR_INTERNAL);
    log_path(run, path);
    detaching->run = run;
    detaching->log = mem_strdup(path);
    return 0;
}

bool detach_begin(struct detaching *detaching, int *ret_status, struct error *err)
{
    int ends[2];
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) < 0) {
        error_set(err, ERROR_INTERNAL, "--detach: %s", strerror(errno));
        return true;
    }
    child = fork();
    if (child == 0) {
        close(ends[0]);
        detaching->told = ends[1];
        return false;
    }
    close(ends[1]);
    if (child > 0) {
        *ret_status = wait_for(detaching, child, ends[0]);
    } else {
        error_set(err, ERROR_INTERNAL, "--detach: %s", strerror(errno));
        close(ends[0]);
    }
    return true;
}

int detach_go(struct detaching *detaching, long long run, struct error *err)
{
    char path[PATH_MAX];
    int log, nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

    log_path(run, path);
    log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, LOG_MODE);
    if (log < 0 || nothing < 0)
        return error_set(err, ERROR_USAGE, "%s: %s; --detach writes a log into the working folder", path,
                         strerror(errno));
    setsid();
    fflush(stdout);
    if (dup2(nothing, STDIN_FILENO) < 0 || dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0 ||
        write(detaching->told, &run, sizeof run) != sizeof run)
        return error_set(err, ERROR_INTERNAL, "--detach: %s", strerror(errno));
    close(nothing);
    close(log);
    close(detaching->told);
    return 0;
}
