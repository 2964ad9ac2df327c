/* SPDX-License-Identifier: Apache-2.0 */
/* Who may enter a host, and by which doors: accounts, sudo, authorized keys and time servers as files, and ss. */
#include "lab_private.h"

/* A port of the kernel's choice: other on each host. */
enum { ANY_PORT = 39000 };

static void print_socket(bool udp, const char *address, const char *program)
{
    printf("%s   %s 0      %-5d %20s %15s:*", udp ? "udp" : "tcp", udp ? "UNCONN" : "LISTEN", udp ? 0 : 128,
           address, *address == '[' ? "[::]" : "0.0.0.0");
    if (lab_is_root())
        printf(" users:((\"%s\",pid=%d,fd=3))", program, 1180);
    printf("\n");
}

/* ss -lntup: the programs only for root. */
int tool_ss(struct tool *tool)
{
    const struct lab_host *host = tool->host;

    printf("Netid State  Recv-Q Send-Q   Local Address:Port   Peer Address:PortProcess\n");
    print_socket(true, "127.0.0.53%lo:53", "systemd-resolve");
    print_socket(true, "127.0.0.1:323", "chronyd");
    print_socket(true, "[::1]:323", "chronyd");
    print_socket(true, arena_printf(tool->arena, "0.0.0.0:%u", ANY_PORT + host->number), "rpc.statd");
    print_socket(false, "0.0.0.0:22", "sshd");
    print_socket(false, "[::]:22", "sshd");
    print_socket(false, "*:9100", "node_exporter");
    if (host->open_port > 0)
        print_socket(false, arena_printf(tool->arena, "0.0.0.0:%u", host->open_port), "nc");
    return 0;
}

/* The same where there is no ss. */
static void write_sockets(struct tree *tree, const struct lab_host *host)
{
    const char *const head =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n";
    const char *open =
        host->open_port > 0
            ? tree_path(tree, "   2: 00000000:%04X 00000000:0000 0A 00000000:00000000 00:00000000\n",
                        host->open_port)
            : "";

    tree_file(tree, "proc/net/tcp",
              "%s   0: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000\n"
              "   1: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000\n%s",
              head, open);
    tree_file(tree, "proc/net/tcp6",
              "%s   0: 00000000000000000000000000000000:238C 00000000000000000000000000000000:0000 0A\n",
              head);
    tree_file(tree, "proc/net/udp", "%s   0: 0100007F:0143 00000000:0000 07 00000000:00000000 00:00000000\n",
              head);
    tree_file(tree, "proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n");
}

#define OPERATOR "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdQcidOacHlTLq0vOlq39vmX+a4ikeuZeXXbaGDhKmY ops@login1"
#define STRANGER                                                                        \
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOCEEr9bguSeoWsdvnDAmnCrJqwlxU5WXE3nirljwjGk " \
    "<b>$(reboot)</b>\tposture.root\t`reboot`"

void tree_accounts(struct tree *tree, const struct lab_host *host)
{
    tree_file(tree, "etc/nsswitch.conf", "passwd:         files systemd\nhosts:          files dns\n");
    tree_file(tree, "etc/login.defs", "UID_MIN\t\t\t 1000\nUID_MAX\t\t\t60000\n");
    tree_file(tree, "etc/passwd",
              "root:x:0:0:root:/root:/bin/bash\n"
              "daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n"
              "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
              "ubuntu:x:1000:1000:Ubuntu:/home/ubuntu:/bin/bash\n%s",
              host->extra_user ? "toor:x:0:0::/root:/bin/sh\n" : "");
    tree_file(tree, "etc/shadow",
              "root:*:19700:0:99999:7:::\ndaemon:*:19700:0:99999:7:::\nnobody:*:19700:0:99999:7:::\n"
              "ubuntu:!:19700:0:99999:7:::\n%s",
              host->extra_user ? "toor::19700:0:99999:7:::\n" : "");
    tree_file(tree, "etc/group", "root:x:0:\nsudo:x:27:ubuntu\nubuntu:x:1000:\n");
    tree_file(tree, "etc/sudoers",
              "Defaults\tenv_reset\nroot\tALL=(ALL:ALL) ALL\n%%sudo\tALL=(ALL:ALL) ALL\n"
              "@includedir /etc/sudoers.d\n");
    tree_file(tree, "etc/sudoers.d/90-cloud-init-users",
              "# User rules for ubuntu\nubuntu ALL=(ALL) NOPASSWD:ALL\n");
    tree_file(tree, "etc/chrony/chrony.conf",
              "# time\nserver ntp1.example.com iburst\npool ntp.example.com\n");
    tree_file(tree, "home/ubuntu/.ssh/authorized_keys", "# of the operators\n" OPERATOR "\n%s",
              host->extra_key ? STRANGER "\n" : "");
    write_sockets(tree, host);
}
