/* SPDX-License-Identifier: Apache-2.0 */
/* What a host says of its kernel and its clock: uname, date, timedatectl, getent. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lab_private.h"

int tool_uname(struct tool *tool)
{
    const char *const values[] = {"Linux",
                                  tool->host->name,
                                  tool->host->kernel,
                                  "#132-Ubuntu SMP",
                                  tool->host->board->arm ? "aarch64" : "x86_64",
                                  "GNU/Linux"};
    static const char letters[] = "snrvmo"; /* the order in which they are printed, whatever was asked for */
    bool asked[sizeof letters - 1] = {false}, any = false;
    const char *between = "";

    for (int i = 1; i < tool->argc; i++)
        for (size_t k = 0; k < sizeof letters - 1; k++)
            if (tool->argv[i][0] == '-' &&
                (strchr(tool->argv[i], letters[k]) != NULL || strchr(tool->argv[i], 'a') != NULL))
                any = asked[k] = true;
    if (!any)
        asked[0] = true;
    for (size_t k = 0; k < sizeof letters - 1; k++)
        if (asked[k]) {
            printf("%s%s", between, values[k]);
            between = " ";
        }
    printf("\n");
    return 0;
}

/* The real date, of the moment that this host takes for now. */
int tool_date(struct tool *tool)
{
    char **argv = arena_array(tool->arena, char *, (size_t)tool->argc + 2);
    struct timespec now;
    int count = 0;

    clock_gettime(CLOCK_REALTIME, &now);
    argv[count++] = tool->argv[0];
    if (tool->host->clock_skew != 0)
        argv[count++] = arena_printf(tool->arena, "--date=@%lld.%09ld",
                                     (long long)now.tv_sec + (long long)tool->host->clock_skew, now.tv_nsec);
    for (int i = 1; i < tool->argc; i++)
        argv[count++] = tool->argv[i];
    execv("/usr/bin/date", argv);
    execv("/bin/date", argv);
    return 127;
}

/* getent ahosts NAME...: the hosts of the lab, as one another's /etc/hosts has them. */
int tool_getent(struct tool *tool)
{
    int rc = tool->argc > 2 && strcmp(tool->argv[1], "ahosts") == 0 ? 0 : 1;

    for (int i = 2; rc != 1 && i < tool->argc; i++) {
        unsigned number = lab_host_number(tool->lab, tool->argv[i]);

        if (number == 0 || (tool->host->names_unknown && number != tool->host->number)) {
            rc = 2;
            continue;
        }
        for (size_t k = 0; k < 3; k++)
            printf("10.0.%-10s %-6s %s\n", arena_printf(tool->arena, "%u.%u", number / 250, number % 250 + 1),
                   k == 0   ? "STREAM"
                   : k == 1 ? "DGRAM"
                            : "RAW",
                   k == 0 ? tool->argv[i] : "");
    }
    return rc;
}

int tool_timedatectl(struct tool *tool)
{
    bool synchronized = tool->host->clock_skew == 0;

    if (tool_has(tool, "NTPSynchronized")) {
        printf("%s%s\n", strcmp(tool->argv[tool->argc - 1], "--value") == 0 ? "" : "NTPSynchronized=",
               synchronized ? "yes" : "no");
        return 0;
    }
    printf("               Time zone: Etc/UTC (UTC, +0000)\nSystem clock synchronized: %s\n"
           "              NTP service: active\n",
           synchronized ? "yes" : "no");
    return 0;
}
