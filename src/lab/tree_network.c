/* SPDX-License-Identifier: Apache-2.0 */
/* /sys/class/net: the network devices of the HCAs, with what mlx5 adds to them. */
#include "lab_private.h"

static void put_device(struct tree *tree, const struct lab_host *host, unsigned number)
{
    const struct lab_hca *hca = &host->hcas[number];
    unsigned bus = lab_hca_bus(host->profile, number) - 1;
    char netdev[16], address[24];
    const char *name = lab_netdev(host->lab, number, netdev);
    const char *pci = tree_path(tree, "devices/pci%04x:%02x/%s.0/net/%s", host->profile->hca_domain[number],
                                bus, lab_hca_pci(host->profile, number, address), name);

    tree_file(tree, tree_path(tree, "sys/%s/mtu", pci), "%u\n", hca->mtu);
    tree_file(tree, tree_path(tree, "sys/%s/operstate", pci), hca->up ? "up\n" : "down\n");
    if (host->lab->ethernet && hca->up) /* of a device that is down the kernel tells none */
        tree_file(tree, tree_path(tree, "sys/%s/speed", pci), "%u\n", hca->rate * 1000);
    for (unsigned i = 0; host->lab->ethernet && i < 8; i++) {
        bool on = hca->ecn && i == LAB_PRIORITY;

        tree_file(tree, tree_path(tree, "sys/%s/ecn/roce_np/enable/%u", pci, i), on ? "1\n" : "0\n");
        tree_file(tree, tree_path(tree, "sys/%s/ecn/roce_rp/enable/%u", pci, i), on ? "1\n" : "0\n");
    }
    tree_link(tree, tree_path(tree, "sys/class/net/%s", name), tree_path(tree, "../../%s", pci));
}

void tree_network(struct tree *tree, const struct lab_host *host)
{
    for (unsigned i = 0; i < LAB_HCAS; i++)
        if (host->hcas[i].present)
            put_device(tree, host, i);
}
