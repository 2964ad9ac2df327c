/* SPDX-License-Identifier: Apache-2.0 */
/* mlnx_qos, dcb and ethtool: the network devices of the HCAs. */
#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/base/scan.h"
#include "lab_private.h"

static const struct lab_hca *find_device(const struct tool *tool, const char *name)
{
    unsigned number = name != NULL ? lab_netdev_hca(tool->lab, name) : LAB_HCAS;

    return number < LAB_HCAS && tool->host->hcas[number].present ? &tool->host->hcas[number] : NULL;
}

static void print_row(const char *label, unsigned set)
{
    printf("\t%-12s", label);
    for (unsigned i = 0; i < 8; i++)
        printf("%u   ", set == 8 ? i : set == i ? 1 : 0);
    printf("\n");
}

/* mlnx_qos -i DEVICE */
int tool_mlnx_qos(struct tool *tool)
{
    const char *name = tool->argc == 3 && strcmp(tool->argv[1], "-i") == 0 ? tool->argv[2] : NULL;
    const struct lab_hca *hca = find_device(tool, name);

    if (hca == NULL || !tool->lab->ethernet) {
        fprintf(stderr, "Netlink error: No such device\n");
        return 1;
    }
    printf("DCBX mode: OS controlled\nPriority trust state: dscp\ndscp2prio mapping:\n");
    for (unsigned i = 0; i < 8; i++)
        printf("\tprio:%u dscp:%02u,%02u,%02u,%02u,%02u,%02u,%02u,%02u,\n", i, 8 * i + 7, 8 * i + 6,
               8 * i + 5, 8 * i + 4, 8 * i + 3, 8 * i + 2, 8 * i + 1, 8 * i);
    printf(
        "default priority:\nReceive buffer size (bytes): 20016,156096,0,0,0,0,0,0,max_buffer_size=2097152\n"
        "Cable len: 7\nPFC configuration:\n");
    print_row("priority", 8);
    print_row("enabled", hca->pfc ? LAB_PRIORITY : 9);
    print_row("buffer", hca->pfc ? LAB_PRIORITY : 9);
    for (unsigned i = 0; i < 8; i++)
        printf("tc: %u ratelimit: unlimited, tsa: vendor\n\t priority:  %u\n", i, i);
    return 0;
}

/* dcb pfc show dev DEVICE */
int tool_dcb(struct tool *tool)
{
    bool asked = tool->argc == 5 && strcmp(tool->argv[1], "pfc") == 0 && strcmp(tool->argv[2], "show") == 0 &&
                 strcmp(tool->argv[3], "dev") == 0;
    const struct lab_hca *hca = find_device(tool, asked ? tool->argv[4] : NULL);

    if (hca == NULL || !tool->lab->ethernet) {
        fprintf(stderr, "Attribute read: No such device\n");
        return 1;
    }
    printf("pfc-cap 8 macsec-bypass off delay 0\nprio-pfc");
    for (unsigned i = 0; i < 8; i++)
        printf(" %u:%s", i, hca->pfc && i == LAB_PRIORITY ? "on" : "off");
    printf(" \n");
    return 0;
}

/* As the port counts it by now: what flapped in a test stands there. */
static uint64_t link_downs(const struct tool *tool, const struct lab_hca *hca)
{
    const char *path = lab_host_file(
        tool->arena, tool->lab, tool->host->number,
        arena_printf(tool->arena, "root/sys/class/infiniband/mlx5_%d/ports/1/counters/link_downed",
                     (int)(hca - tool->host->hcas)));
    cleanup_text struct text text = {0};
    uint64_t count;

    text_init(&text, 4096);
    if (file_read(path, &text, NULL) < 0 ||
        !scan_u64(slice_trim((struct slice){text.bytes, strcspn(text.bytes, "\n")}), &count))
        return hca->link_downed;
    return count;
}

static unsigned long long counted(const struct tool *tool, const struct lab_hca *hca, const char *counter)
{
    return lab_device_counted(tool->arena, tool->host, (int)(hca - tool->host->hcas), counter);
}

static int print_statistics(const struct tool *tool, const struct lab_hca *hca)
{
    printf("NIC statistics:\n     rx_packets: 90210\n     rx_bytes: 8119022\n     tx_packets: 88113\n"
           "     tx_bytes: 7930170\n     rx_out_of_buffer: 0\n     rx_crc_errors_phy: %llu\n"
           "     rx_symbol_err_phy: %llu\n     rx_discards_phy: %llu\n     tx_discards_phy: %llu\n"
           "     link_down_events_phy: %llu\n",
           counted(tool, hca, "rx_crc_errors_phy"),
           hca->symbol_errors + counted(tool, hca, "rx_symbol_err_phy"),
           counted(tool, hca, "rx_discards_phy"), counted(tool, hca, "tx_discards_phy"),
           (unsigned long long)link_downs(tool, hca));
    for (unsigned i = 0; i < 8; i++)
        printf("     rx_prio%u_pause: 0\n     tx_prio%u_pause: 0\n", i, i);
    return 0;
}

/* ethtool -S DEVICE, ethtool -i DEVICE */
int tool_ethtool(struct tool *tool)
{
    const char *what = tool->argc == 3 ? tool->argv[1] : "", *name = tool->argc == 3 ? tool->argv[2] : NULL;
    char pci[24];
    const struct lab_hca *hca = find_device(tool, name);

    if (hca == NULL) {
        fprintf(stderr, "Cannot get device %s: No such device\n", name != NULL ? name : "");
        return 71;
    }
    if (strcmp(what, "-S") == 0)
        return print_statistics(tool, hca);
    if (strcmp(what, "-i") != 0) {
        fprintf(stderr, "ethtool: bad command line argument(s)\nFor more information run ethtool -h\n");
        return 1;
    }
    printf(
        "driver: mlx5_core\nversion: 6.5.0\nfirmware-version: %s (MT_0000000838)\nexpansion-rom-version: \n"
        "bus-info: %s.0\nsupports-statistics: yes\nsupports-test: yes\n"
        "supports-eeprom-access: no\nsupports-register-dump: no\nsupports-priv-flags: yes\n",
        hca->firmware, lab_hca_pci(tool->host->profile, (unsigned)(hca - tool->host->hcas), pci));
    return 0;
}
