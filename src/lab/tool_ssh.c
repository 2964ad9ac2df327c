/* SPDX-License-Identifier: Apache-2.0 */
/* ssh from one host of the lab to another, and what a login there asks of the network: ip and ldd. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab_private.h"

static const struct {
    enum fault_kind kind;
    const char
        *text; /* %1$s: the host as it was named, %2$s: the port, %3$s: the user; none may be left out */
} troubles[] = {
    {FAULT_DOWN, "ssh: connect to host %1$s port %2$s: Connection refused%3$.0s"},
    {FAULT_PEER_DOWN, "ssh: connect to host %1$s port %2$s: Connection refused%3$.0s"},
    {FAULT_SILENT,
     "Connection timed out during banner exchange\nConnection to %1$s port %2$s timed out%3$.0s"},
    {FAULT_PEER_SILENT,
     "Connection timed out during banner exchange\nConnection to %1$s port %2$s timed out%3$.0s"},
    {FAULT_KEY_REFUSED, "%3$s@%1$s: Permission denied (publickey).%2$.0s"},
    {FAULT_PEER_KEY_REFUSED, "%3$s@%1$s: Permission denied (publickey).%2$.0s"},
    {FAULT_HOST_KEY_CHANGED, "Host key verification failed.%1$.0s%2$.0s%3$.0s"},
    {FAULT_PEER_KEY_UNKNOWN, "Host key verification failed.%1$.0s%2$.0s%3$.0s"},
};

const char *lab_login_trouble(const struct tool *tool, const char *name)
{
    const struct lab *lab = tool->lab;
    unsigned host = lab_host_number(lab, name);

    if (host == 0)
        return arena_printf(tool->arena, "ssh: Could not resolve hostname %s: Name or service not known",
                            name);
    for (size_t i = 0; i < ARRAY_SIZE(troubles); i++)
        if (fault_find(lab, host, troubles[i].kind) != NULL) {
            struct text text = {0};
            const char *kept;

            text_init(&text, 512);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            text_printf(&text, troubles[i].text, name, arena_printf(tool->arena, "%u", lab->port), lab->user);
#pragma GCC diagnostic pop
            kept = arena_strdup(tool->arena, text.bytes);
            text_release(&text);
            return kept;
        }
    return NULL;
}

void lab_enter_host(const struct tool *tool, unsigned host)
{
    setenv("ASSAY_LAB_HOST", arena_printf(tool->arena, "node%u", host), 1);
    setenv("ASSAY_LAB_BOOT_ID", lab_host_file(tool->arena, tool->lab, host, "boot_id"), 1);
    setenv("ASSAY_LAB_ROOT", lab_host_file(tool->arena, tool->lab, host, "root"), 1);
    setenv("PATH", lab_host_path(tool->arena, tool->lab, host), 1);
    setenv("ASSAY_STAGE", lab_host_file(tool->arena, tool->lab, host, "tools"), 1);
    setenv("HOME", lab_host_file(tool->arena, tool->lab, host, "home"), 1);
}

/* ssh [OPTIONS] HOST COMMAND...: options with a word of their own are those below. */
int tool_ssh(struct tool *tool)
{
    static const char with_word[] = "oFiplJLRDbcEemOQSWw";
    const char *command = "", *trouble, *name;
    int i = 1;

    for (; i < tool->argc && tool->argv[i][0] == '-'; i++)
        if (tool->argv[i][1] != '\0' && strchr(with_word, tool->argv[i][1]) != NULL &&
            tool->argv[i][2] == '\0')
            i++;
    if (i + 1 >= tool->argc) {
        fprintf(stderr, "usage: ssh [options] destination command\n");
        return 255;
    }
    name = tool->argv[i];
    trouble = lab_login_trouble(tool, name);
    if (trouble != NULL) {
        fprintf(stderr, "%s\n", trouble);
        return 255;
    }
    for (i++; i < tool->argc; i++)
        command = arena_printf(tool->arena, "%s%s%s", command, *command != '\0' ? " " : "", tool->argv[i]);
    lab_enter_host(tool, lab_host_number(tool->lab, name));
    execl("/bin/sh", "sh", "-c", command, NULL);
    return 255;
}

/* ip -o addr show scope global */
int tool_ip(struct tool *tool)
{
    unsigned number = tool->host->number;

    if (tool->argc < 2 || strcmp(tool->argv[1], "-o") != 0) {
        fprintf(stderr, "Usage: ip [ OPTIONS ] OBJECT { COMMAND | help }\n");
        return 255;
    }
    printf("2: %s    inet 10.0.%u.%u/16 brd 10.0.255.255 scope global %s\\       valid_lft forever "
           "preferred_lft "
           "forever\n",
           tool->host->interface, number / 250, number % 250 + 1, tool->host->interface);
    return 0;
}

/* ldd PROGRAM: of nccl-tests. */
int tool_ldd(struct tool *tool)
{
    const char *root = getenv("ASSAY_LAB_ROOT");

    if (tool->argc != 2) {
        fprintf(stderr, "ldd: missing file arguments\nTry `ldd --help' for more information.\n");
        return 1;
    }
    printf("\tlinux-vdso.so.1 (0x00007ffd5a5f2000)\n"
           "\tlibnccl.so.2 => %s/usr/lib/x86_64-linux-gnu/libnccl.so.2 (0x00007f2b4c000000)\n"
           "\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f2b4be00000)\n",
           root != NULL ? root : "");
    return 0;
}

/* ldconfig -p: of NCCL. */
int tool_ldconfig(struct tool *tool)
{
    const char *root = getenv("ASSAY_LAB_ROOT");

    (void)tool;
    printf("1 libs found in cache `/etc/ld.so.cache'\n\tlibnccl.so.2 (libc6,x86-64) => "
           "%s/usr/lib/x86_64-linux-gnu/libnccl.so.2\n",
           root != NULL ? root : "");
    return 0;
}
