/* SPDX-License-Identifier: Apache-2.0 */
#include "power_clock.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "gpu.h"

enum { ANSWER_MS = 5000, ANSWER_BYTES = 64 };
/* Of seconds since 1970 in a double, with something to spare. */
#define RESOLUTION_S 2e-6

struct power_bounds power_bounds_none(void)
{
    return (struct power_bounds){-INFINITY, INFINITY};
}

void power_bounds_take(struct power_bounds *bounds, double asked_s, double answer_s, double came_s)
{
    bounds->least = fmax(bounds->least, asked_s - answer_s);
    bounds->most = fmin(bounds->most, came_s - answer_s);
}

bool power_bounds_clock(const struct power_bounds *bounds, struct power_clock *ret_clock)
{
    if (!isfinite(bounds->least) || !isfinite(bounds->most) || bounds->least > bounds->most + RESOLUTION_S)
        return false;
    *ret_clock = (struct power_clock){(bounds->least + bounds->most) / 2,
                                      fmax(bounds->most - bounds->least, RESOLUTION_S) / 2};
    return true;
}

/* A line of stdin; its bytes are read one by one, for what comes behind it is another answer. */
static bool read_line(char text[ANSWER_BYTES])
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

    for (unsigned at = 0; at + 1 < ANSWER_BYTES; at++) {
        if (poll(&input, 1, ANSWER_MS) != 1 || read(STDIN_FILENO, &text[at], 1) != 1)
            return false;
        if (text[at] == '\n') {
            text[at] = '\0';
            return true;
        }
    }
    return false;
}

static bool ask_stdin(unsigned number, double *ret_answer)
{
    char text[ANSWER_BYTES], *end;

    printf("{\"ping\": %u}\n", number);
    fflush(stdout);
    if (!read_line(text))
        return false;
    *ret_answer = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*ret_answer);
}

static bool ask_realtime(unsigned number, double *ret_answer)
{
    struct timespec now;

    (void)number;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0)
        return false;
    *ret_answer = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
    return true;
}

bool power_clock_read(bool by_stdin, struct power_clock *ret_clock)
{
    struct power_bounds bounds = power_bounds_none();

    for (unsigned i = 0; i < POWER_PINGS; i++) {
        const double asked = gpu_now_s();
        double answer;

        if (!(by_stdin ? ask_stdin : ask_realtime)(i, &answer))
            return false;
        power_bounds_take(&bounds, asked, answer, gpu_now_s());
    }
    return power_bounds_clock(&bounds, ret_clock);
}
