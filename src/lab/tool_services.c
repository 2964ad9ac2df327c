/* SPDX-License-Identifier: Apache-2.0 */
/* docker, containerd, nvidia-ctk, nvidia-container-cli, sshd and ipmitool, as far as somebody asks them how they are. */
#include <string.h>
#include <time.h>

#include "lab_private.h"

static bool asks(const struct tool *tool, const char *word)
{
    for (int i = 1; i < tool->argc; i++)
        if (strstr(tool->argv[i], word) != NULL)
            return true;
    return false;
}

int tool_docker(struct tool *tool)
{
    if (asks(tool, "--version"))
        printf("Docker version 27.3.1, build ce12230\n");
    else if (asks(tool, "CgroupDriver"))
        printf("systemd\n");
    else if (asks(tool, "DefaultRuntime"))
        printf("runc\n");
    else
        fprintf(stderr, "docker: the lab has no containers\n");
    return asks(tool, "--version") || asks(tool, "info") ? 0 : 1;
}

int tool_containerd(struct tool *tool)
{
    printf("containerd containerd.io %s 7f7fdf5fed64eb6a7caf99b3e12efcf9d60e311c\n", tool->host->containerd);
    return 0;
}

int tool_nvidia_ctk(struct tool *tool)
{
    printf("NVIDIA Container Toolkit CLI version %s\ncommit: 2f1bc0a1c3\n", tool->host->toolkit);
    return 0;
}

int tool_nvidia_container_cli(struct tool *tool)
{
    printf(
        "cli-version: %s\nlib-version: %s\nbuild date: 2026-05-21T13:47+00:00\nbuild revision: 6eda4d76c8\n"
        "build compiler: x86_64-linux-gnu-gcc-7 7.5.0\nbuild platform: x86_64\n",
        tool->host->toolkit, tool->host->toolkit);
    return 0;
}

int tool_sshd(struct tool *tool)
{
    if (!asks(tool, "-T")) {
        fprintf(stderr, "sshd: no hostkeys available -- exiting.\n");
        return 1;
    }
    if (!lab_is_root()) {
        fprintf(stderr, "sshd: no hostkeys available -- exiting.\n");
        return 1;
    }
    printf("port 22\naddressfamily any\npermitrootlogin %s\npubkeyauthentication yes\n"
           "passwordauthentication no\nkbdinteractiveauthentication no\nhostbasedauthentication no\n"
           "permitemptypasswords no\nx11forwarding no\nmaxauthtries 6\n"
           "authorizedkeysfile .ssh/authorized_keys .ssh/authorized_keys2\nsubsystem sftp "
           "/usr/lib/openssh/sftp-server\n",
           tool->host->root_login ? "yes" : "without-password");
    return 0;
}

/* What is wrong with the BMC: a word of the fault. */
static bool bmc_is(const struct tool *tool, const char *what)
{
    return strcmp(tool->host->bmc_bad, what) == 0;
}

/* The BMC's clock is its own: half an hour behind. */
static const char *bmc_time(struct arena *arena, time_t seconds_ago, const char *between)
{
    time_t when = time(NULL) - 1800 - seconds_ago;
    struct tm at;

    gmtime_r(&when, &at);
    return arena_printf(arena, "%02d/%02d/%04d%s%02d:%02d:%02d", at.tm_mon + 1, at.tm_mday, at.tm_year + 1900,
                        between, at.tm_hour, at.tm_min, at.tm_sec);
}

static int print_sel(struct tool *tool)
{
    const struct lab_host *host = tool->host;

    bool ahead = bmc_is(tool, "clock-ahead"), full = bmc_is(tool, "log-full");

    if (asks(tool, "time"))
        printf("%s\n", bmc_time(tool->arena, ahead ? -3 * 86400 : 0, " "));
    else if (asks(tool, "info"))
        printf("SEL Information\nVersion          : 1.5 (v1.5, v2 compliant)\nEntries          : %u\n"
               "Free Space       : %u bytes \nOverflow         : %s\n",
               2 + (host->psu_lost > 0 ? 2 : 0) + ahead, full ? 0 : 16345, full ? "true" : "false");
    else
        /* A supply that was changed at the installation is an old story. */
        printf("   1 | %s | Event Logging Disabled SEL | Log area reset/cleared | Asserted\n"
               "   2 | %s | Power Supply PSU1 Status | Power Supply AC lost | Asserted\n",
               bmc_time(tool->arena, 40 * 86400, " | "), bmc_time(tool->arena, 30 * 86400, " | "));
    if (ahead && asks(tool, "list"))
        printf("   3 | %s | Memory P1-DIMMA1 | Uncorrectable ECC | Asserted\n",
               bmc_time(tool->arena, 3600, " | "));
    if (host->psu_lost > 0 && asks(tool, "list"))
        printf("   3 | %s | Power Supply PSU%u Status | Power Supply AC lost | Asserted\n"
               "   4 | %s | Power Unit Redundancy | Redundancy Lost | Asserted\n",
               bmc_time(tool->arena, 600, " | "), host->psu_lost, bmc_time(tool->arena, 598, " | "));
    return 0;
}

static int print_sensors(struct tool *tool)
{
    const struct lab_host *host = tool->host;

    for (unsigned i = 1; asks(tool, "Power Supply") && i <= host->board->psu_count; i++)
        printf("PSU%u Status      | %02Xh | ok  | 10.%u | Presence detected%s\n", i, 0xc7 + i, i,
               host->psu_lost == i ? ", Power Supply AC lost" : "");
    for (unsigned i = 1; asks(tool, "Fan") && i <= 4; i++)
        printf("FAN%u             | %02Xh | ok  | 29.%u | %u RPM\n", i, 0x40 + i, i, 8400 + 70 * i);
    return 0;
}

static int print_firmware(struct tool *tool)
{
    printf("Device ID                 : 32\nDevice Revision           : 1\nFirmware Revision         : %s\n"
           "IPMI Version              : 2.0\nManufacturer ID           : 10876\n"
           "Aux Firmware Rev Info     : \n    0x00\n    0x00\n    0x00\n    0x00\n",
           tool->host->bmc_firmware);
    return 0;
}

int tool_ipmitool(struct tool *tool)
{
    if (!lab_is_root()) {
        fprintf(stderr,
                "Could not open device at /dev/ipmi0 or /dev/ipmi/0 or /dev/ipmidev/0: Permission denied\n");
        return 1;
    }
    if (tool->argc > 2 && strcmp(tool->argv[1], "sel") == 0)
        return print_sel(tool);
    if (tool->argc > 2 && strcmp(tool->argv[1], "sdr") == 0)
        return print_sensors(tool);
    if (tool->argc > 2 && strcmp(tool->argv[1], "mc") == 0)
        return print_firmware(tool);
    fprintf(stderr, "Invalid command: %s\n", tool->argc > 1 ? tool->argv[1] : "");
    return 1;
}
