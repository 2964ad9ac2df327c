/* SPDX-License-Identifier: Apache-2.0 */
/* /sys/class/infiniband as mlx5_core and the kernel's rdma layer fill it. */
#include <string.h>

#include "lab_private.h"

static const char *const counters[] = {"VL15_dropped",
                                       "excessive_buffer_overrun_errors",
                                       "link_downed",
                                       "link_error_recovery",
                                       "local_link_integrity_errors",
                                       "port_rcv_constraint_errors",
                                       "port_rcv_errors",
                                       "port_rcv_remote_physical_errors",
                                       "port_rcv_switch_relay_errors",
                                       "port_xmit_constraint_errors",
                                       "port_xmit_discards",
                                       "symbol_error"};
static const char *const traffic[] = {
    "multicast_rcv_packets", "multicast_xmit_packets", "port_rcv_data",
    "port_rcv_packets",      "port_xmit_data",         "port_xmit_packets",
    "port_xmit_wait",        "unicast_rcv_packets",    "unicast_xmit_packets"};
static const char *const hw_counters[] = {"duplicate_request",
                                          "implied_nak_seq_err",
                                          "local_ack_timeout_err",
                                          "np_cnp_sent",
                                          "np_ecn_marked_roce_packets",
                                          "out_of_buffer",
                                          "out_of_sequence",
                                          "packet_seq_err",
                                          "req_cqe_error",
                                          "req_cqe_flush_error",
                                          "req_remote_access_errors",
                                          "req_remote_invalid_request",
                                          "req_transport_retries_exceeded",
                                          "resp_cqe_error",
                                          "resp_cqe_flush_error",
                                          "resp_local_length_error",
                                          "resp_remote_access_errors",
                                          "rnr_nak_retry_err",
                                          "roce_adp_retrans",
                                          "roce_slow_restart",
                                          "rp_cnp_handled",
                                          "rx_icrc_encapsulated"};

static const char *generation_of(unsigned gbits)
{
    return gbits >= 800 ? "XDR" : gbits >= 400 ? "NDR" : gbits >= 200 ? "HDR" : "EDR";
}

/* A link of less than the whole rate has lost lanes. */
static void put_rate(struct tree *tree, const struct lab_host *host, const struct lab_hca *hca,
                     const char *port)
{
    unsigned full = host->profile->hca_rate, lanes = hca->rate * 4 / full;

    if (!hca->up)
        tree_file(tree, tree_path(tree, "%s/rate", port), "10 Gb/sec (4X SDR)\n");
    else
        tree_file(tree, tree_path(tree, "%s/rate", port), "%u Gb/sec (%uX %s)\n", hca->rate,
                  lanes > 0 ? lanes : 1, generation_of(full));
}

static unsigned counter_of(const struct lab_hca *hca, const char *name)
{
    if (strcmp(name, "symbol_error") == 0)
        return hca->symbol_errors;
    return strcmp(name, "link_downed") == 0 ? hca->link_downed : 0;
}

static void put_port(struct tree *tree, const struct lab_host *host, const struct lab_hca *hca,
                     const char *port)
{
    tree_file(tree, tree_path(tree, "%s/state", port), hca->up ? "4: ACTIVE\n" : "1: DOWN\n");
    tree_file(tree, tree_path(tree, "%s/phys_state", port), hca->up ? "5: LinkUp\n" : "2: Polling\n");
    put_rate(tree, host, hca, port);
    tree_file(tree, tree_path(tree, "%s/link_layer", port),
              host->lab->ethernet ? "Ethernet\n" : "InfiniBand\n");
    tree_file(tree, tree_path(tree, "%s/lid_mask_count", port), "0\n");
    tree_file(tree, tree_path(tree, "%s/lid", port), "0x1f\n");
    tree_file(tree, tree_path(tree, "%s/pkeys/0", port), "0xffff\n");
    tree_file(tree, tree_path(tree, "%s/pkeys/1", port), host->extra_partition ? "0x8123\n" : "0x0000\n");
    for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
        tree_file(tree, tree_path(tree, "%s/counters/%s", port, counters[i]), "%u\n",
                  counter_of(hca, counters[i]));
    for (size_t i = 0; i < ARRAY_SIZE(traffic); i++)
        tree_file(tree, tree_path(tree, "%s/counters/%s", port, traffic[i]), "%zu\n",
                  strstr(traffic[i], "_data") != NULL ? 0 : 90210 + 1117 * i);
    for (size_t i = 0; i < ARRAY_SIZE(hw_counters); i++)
        tree_file(tree, tree_path(tree, "%s/hw_counters/%s", port, hw_counters[i]), "0\n");
}

/* What the addresses are differs from host to host; here all have those of the first. */
static void put_gids(struct tree *tree, const struct lab_host *host, unsigned number, const char *port)
{
    const struct lab_hca *hca = &host->hcas[number];
    const char *link_local = tree_path(tree, "fe80:0000:0000:0000:a288:c2ff:fe03:%02x00\n", number);
    const char *of_address = tree_path(tree, "0000:0000:0000:0000:0000:ffff:0a%02x:0001\n", number);
    unsigned count = !host->lab->ethernet ? 1 : hca->v2 ? 4 : 2;
    char netdev[16];

    for (unsigned i = 0; i < 16; i++) {
        bool second = hca->v2 ? i >= 2 : i >= 1;

        tree_file(tree, tree_path(tree, "%s/gids/%u", port, i), "%s",
                  i >= count ? "0000:0000:0000:0000:0000:0000:0000:0000\n"
                  : second   ? of_address
                             : link_local);
        if (i >= count)
            continue;
        tree_file(tree, tree_path(tree, "%s/gid_attrs/types/%u", port, i),
                  hca->v2 && i % 2 == 1 ? "RoCE v2\n" : "IB/RoCE v1\n");
        if (host->lab->ethernet)
            tree_file(tree, tree_path(tree, "%s/gid_attrs/ndevs/%u", port, i), "%s\n",
                      lab_netdev(host->lab, number, netdev));
    }
}

/* What the kernel tells of the link of a PCI device. */
static void put_pcie(struct tree *tree, const char *device, const char *speed, unsigned width)
{
    tree_file(tree, tree_path(tree, "sys/%s/current_link_speed", device), "%s\n", speed);
    tree_file(tree, tree_path(tree, "sys/%s/current_link_width", device), "%u\n", width);
    tree_file(tree, tree_path(tree, "sys/%s/max_link_speed", device), "%s\n", speed);
    tree_file(tree, tree_path(tree, "sys/%s/max_link_width", device), "%u\n", PCIE_LANES);
}

static void put_hca(struct tree *tree, const struct lab_host *host, unsigned number)
{
    static const char *const speeds[] = {"8.0 GT/s PCIe", "16.0 GT/s PCIe", "32.0 GT/s PCIe"};
    char address[24];
    const char *place = lab_hca_pci(host->profile, number, address);
    unsigned domain = host->profile->hca_domain[number], bus = lab_hca_bus(host->profile, number) - 1;
    const char *port = tree_path(tree, "devices/pci%04x:%02x/%04x:%02x:01.0", domain, bus, domain, bus);
    const char *pci = tree_path(tree, "%s/%s.0", port, place);
    const char *speed =
        host->profile->hca_rate >= 800 ? "64.0 GT/s PCIe" : speeds[host->profile->pcie_generation - 3];
    const char *device = tree_path(tree, "sys/%s/infiniband/mlx5_%u", pci, number);

    put_pcie(tree, port, speed, host->hcas[number].pcie_width);
    put_pcie(tree, pci, speed, host->hcas[number].pcie_width);
    tree_file(tree, tree_path(tree, LAB_AER, place), "TOTAL_ERR_COR 0\n");
    tree_file(tree, tree_path(tree, "%s/fw_ver", device), "%s\n", host->hcas[number].firmware);
    tree_file(tree, tree_path(tree, "%s/board_id", device), "%s\n", host->hcas[number].board);
    tree_file(tree, tree_path(tree, "%s/hca_type", device), "%s\n", host->profile->hca_type);
    tree_file(tree, tree_path(tree, "%s/hw_rev", device), "0\n");
    tree_file(tree, tree_path(tree, "%s/node_type", device), "1: CA\n");
    put_port(tree, host, &host->hcas[number], tree_path(tree, "%s/ports/1", device));
    put_gids(tree, host, number, tree_path(tree, "%s/ports/1", device));
    tree_link(tree, tree_path(tree, "%s/device", device), "../..");
    /* Classes are folders of links, as on a real host: what walks them without following finds nothing. */
    tree_link(tree, tree_path(tree, "sys/class/infiniband/mlx5_%u", number),
              tree_path(tree, "../../%s/infiniband/mlx5_%u", pci, number));
}

/* A subnet manager as it comes: opensm -c writes this file, of NVIDIA's with more of such lines. */
static void put_subnet_manager(struct tree *tree)
{
    tree_file(tree, "proc/4712/comm", "opensm\n");
    tree_file(tree, "proc/4712/status", "Name:\topensm\nUid:\t0\t0\t0\t0\n");
    tree_file(tree, "proc/4712/cmdline", "/usr/sbin/opensm\n-F\n/etc/opensm/opensm.conf\n");
    tree_file(tree, "etc/opensm/opensm.conf",
              "# M_Key value sent to all ports qualifying all Set(PortInfo)\nm_key 0x0000000000000000\n\n"
              "# SM_Key value of the SM used for SM authentication\nsm_key 0x0000000000000001\n\n"
              "# SM_Key value to qualify rcv SA queries as 'trusted'\nsa_key 0x0000000000000001\n\n"
              "cc_key_enable 0\nvs_key_enable 0\nn2n_key_enable 0\nkey_mgr_seed 0x0000000000000000\n");
}

void tree_infiniband(struct tree *tree, const struct lab_host *host)
{
    if (host->subnet_keys)
        put_subnet_manager(tree);
    if (fault_find(host->lab, host->number, FAULT_LINK_FLAP) != NULL ||
        fault_find(host->lab, host->number, FAULT_IB_BURST) != NULL ||
        fault_find(host->lab, host->number, FAULT_PORT_COUNTS) != NULL ||
        fault_find(host->lab, host->number, FAULT_AER_CORRECTED) != NULL ||
        fault_find(host->lab, host->number, FAULT_LYING_HEAD) != NULL)
        tree_private(tree); /* its counters change while the lab runs */
    for (unsigned i = 0; i < LAB_HCAS; i++)
        if (host->hcas[i].present)
            put_hca(tree, host, i);
}
