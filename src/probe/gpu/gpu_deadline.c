/* SPDX-License-Identifier: Apache-2.0 */
/* A GPU that hangs holds a thread in the driver for good, so the end is told from a signal handler, by what may be called
   there. */
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gpu.h"

double gpu_now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void tell(const char *line, int status)
{
    size_t length = strlen(line);
    ssize_t written = write(STDOUT_FILENO, line, length);

    _exit(written == (ssize_t)length ? status : GPU_BROKEN);
}

static bool tells_end;

static void late(int number)
{
    (void)number;
    if (!tells_end)
        _exit(GPU_LATE);
    tell("\n{\"end\": \"late\", \"reason\": \"the deadline was over: a round did not come to its end\"}\n",
         GPU_LATE);
}

enum { PATIENCE_S = 5 /* of who was asked to end, until the round in hand has come to its end */ };
static volatile sig_atomic_t stop_asked;

static void stop(int number)
{
    (void)number;
    stop_asked = 1;
    (void)alarm(PATIENCE_S);
}

bool gpu_stop_asked(void)
{
    return stop_asked != 0;
}

void gpu_deadline_start(unsigned seconds, bool tells)
{
    struct sigaction action = {.sa_handler = late};

    tells_end = tells;
    (void)sigaction(SIGALRM, &action, NULL);
    action.sa_handler = stop;
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGINT, &action, NULL);
    (void)alarm(seconds);
}

void gpu_deadline_stop(void)
{
    (void)alarm(0);
}
