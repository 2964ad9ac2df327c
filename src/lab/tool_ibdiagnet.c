/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ibdiagnet -i HCA -p 1 -o FOLDER [--skip pm] [--get_phy_info] [--get_cable_info]: the summary on stdout, and in FOLDER the fabric's
 * links (ibdiagnet2.lst), the switches' forwarding tables (ibdiagnet2.fdbs) and what ports count (tool_ibdiagnet_ports.c).
 *
 * Above the leaves of a unit stand spines of its own, which join its rails, and above all spines the cores. Tables of so
 * many switches are long: of labs of more than LAB_FABRIC_HOSTS_MOST hosts only the links of the hosts are told.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "assay/base/scan.h"
#include "assay/fabric/fabric.h"
#include "lab_private.h"

static void print_link(FILE *file, const struct lab_host *host, unsigned number)
{
    const struct lab_hca *hca = &host->hcas[number];
    unsigned full = host->profile->hca_rate, lanes = hca->rate * 4 / full,
             unit = lab_unit(host->lab, host->number);
    struct lab_place place = lab_rail(host->lab, host->number, hca->rail);

    fprintf(
        file,
        "{ CA Ports:01 SystemGUID:a088c203%04x%02x00 NodeGUID:a088c203%04x%02x00 PortGUID:a088c203%04x%02x00 "
        "VenID:000002C9 DevID:1021 Rev:00000000 {%s mlx5_%u} LID:%04X PN:01 } ",
        host->number, number, host->number, number, host->number, number, host->name, number,
        host->number * LAB_HCAS + number + 2);
    fprintf(
        file,
        "{ SW Ports:41 SystemGUID:9c63c203%04x%02x00 NodeGUID:9c63c203%04x%02x00 PortGUID:9c63c203%04x%02x00 "
        "VenID:000002C9 DevID:D2F2 Rev:000000A0 {MF0;%s:MQM9700/U1} LID:%04X PN:%02X } ",
        unit, hca->rail, unit, hca->rail, unit, hca->rail, place.switch_name,
        40000 + unit * LAB_HCAS + hca->rail, place.port_number);
    fprintf(file, "PHY=%ux LOG=ACT SPD=%u\n", lanes > 0 ? lanes : 1, full / 4);
}

/* As many uplinks as a leaf has hosts, fewer where the lab is oversubscribed. */
struct fabric *lab_grow(struct arena *arena, const struct lab *lab)
{
    double up = lab_leaf_hosts(lab) / lab->oversubscription;
    struct fabric_tree tree = {.hosts = lab->hosts,
                               .rails = LAB_HCAS,
                               .down = lab_leaf_hosts(lab),
                               .up = up < 1 ? 1 : (unsigned)up,
                               .pod_leaves = LAB_HCAS,
                               .gbits = lab->profile->hca_rate};

    tree.cores = tree.up * LAB_HCAS;
    return fabric_grow_tree(arena, &tree);
}

uint32_t lab_last_uplink(const struct lab *lab, const struct fabric *fabric, unsigned host)
{
    const char *name = arena_printf(fabric->arena, "l%ur0", lab_unit(lab, host));

    list_each (node, fabric->nodes) {
        unsigned last = node->port_count;

        while (last > 0 && node->ports[last - 1] == FABRIC_NONE)
            last--;
        if (strcmp(node->name, name) == 0)
            return node->ports[last - 1];
    }
    return FABRIC_NONE;
}

/* Ports of leaves to hosts are as in lab_rail. */
int lab_write_uplinks(struct arena *arena, const struct lab *lab, const char *path)
{
    const struct fabric *fabric = lab_grow(arena, lab);
    const struct fabric_port *ports = fabric->ports.items;
    FILE *file = fopen(path, "we");

    if (file == NULL)
        return -1;
    for (uint32_t i = 0; i < fabric->ports.count; i++)
        if (ports[i].far > i && !fabric_is_host_link(fabric, i))
            fprintf(file, "%s,swp%u,%s,swp%u,%u\n", fabric->nodes.items[ports[i].node].name, ports[i].number,
                    fabric->nodes.items[ports[ports[i].far].node].name, ports[ports[i].far].number,
                    lab->profile->hca_rate);
    return fclose(file);
}

static bool is_idle(const struct lab *lab, const struct fabric *fabric, uint32_t way)
{
    for (size_t i = 0; i < lab->fault_count; i++)
        if (lab->faults[i].kind == FAULT_UPLINK_IDLE &&
            fabric_link_of(fabric, way) ==
                fabric_link_of(fabric, lab_last_uplink(lab, fabric, lab->faults[i].host)))
            return true;
    return false;
}

/* A leaf's as in print_link: its GUID has the unit and the rail. */
unsigned lab_switch_lid(const struct fabric *fabric, uint32_t number)
{
    const struct fabric_node *node = &fabric->nodes.items[number];

    return node->name[0] == 'l'
               ? 40000 + (unsigned)(node->guid >> 16 & 0xffff) * LAB_HCAS + (unsigned)(node->guid >> 8 & 0xff)
               : 45000 + number;
}

static void print_switch_end(FILE *file, const struct fabric *fabric, uint32_t port)
{
    const struct fabric_port *at = &fabric->ports.items[port];
    const struct fabric_node *node = &fabric->nodes.items[at->node];
    unsigned long long guid = node->guid;

    fprintf(file,
            "{ SW Ports:41 SystemGUID:%016llx NodeGUID:%016llx PortGUID:%016llx VenID:000002C9 DevID:D2F2 "
            "Rev:000000A0 {MF0;%s:MQM9700/U1} LID:%04X PN:%02X } ",
            guid, guid, guid, node->name, lab_switch_lid(fabric, at->node), at->number);
}

static void print_uplinks(FILE *file, const struct lab *lab, const struct fabric *fabric)
{
    const struct fabric_port *ports = fabric->ports.items;

    for (uint32_t i = 0; i < fabric->ports.count; i++) {
        if (ports[i].far < i || fabric_is_host_link(fabric, i))
            continue;
        print_switch_end(file, fabric, i);
        print_switch_end(file, fabric, ports[i].far);
        fprintf(file, "PHY=4x LOG=%s SPD=%u\n", is_idle(lab, fabric, i) ? "INI" : "ACT",
                lab->profile->hca_rate / 4);
    }
}

/*
 * The port to a destination. Around an idle link: up by the uplink before it; and down, to those hosts of its leaf that its
 * spine leads to, as to the hosts beside them. Slots and uplinks of a leaf are of one order (fabric_tree.c).
 */
static unsigned port_to(const struct lab *lab, const struct fabric *fabric, const struct fabric_node *node,
                        uint32_t to)
{
    uint32_t at_leaf = fabric->ports.items[to].far;
    const struct fabric_node *leaf = &fabric->nodes.items[fabric->ports.items[at_leaf].node];
    unsigned slot = fabric->ports.items[at_leaf].number, down = lab_leaf_hosts(lab), up = 0;
    unsigned lid = fabric->ports.items[to].lid, port = node->routes[lid];

    while (down + up + 1 < leaf->port_count && leaf->ports[down + up + 1] != FABRIC_NONE)
        up++;
    if (node == leaf || up < 2)
        return port;
    if (is_idle(lab, fabric, node->ports[port]) && node->name[0] == 'l')
        return port - 1;
    if (slot < 2 || !is_idle(lab, fabric, leaf->ports[down + (slot - 1) % up + 1]))
        return port;
    return node->routes[fabric->ports.items[fabric->ports.items[leaf->ports[slot - 1]].far].lid];
}

/* A subnet manager routes to where a cable ends: of a swapped one that is the other rail's place. */
static void print_table(FILE *file, const struct lab *lab, const struct fabric *fabric,
                        const struct fabric_node *node)
{
    fprintf(file, "osm_ucast_mgr_dump_ucast_routes: Switch 0x%016llx\nLID    : Port : Hops : Optimal\n",
            (unsigned long long)node->guid);
    for (unsigned number = 1; number <= lab->hosts; number++) {
        struct lab_host host;

        lab_host_init(&host, lab, number);
        for (unsigned i = 0; i < LAB_HCAS; i++) {
            uint32_t port = fabric->by_lid[number * LAB_HCAS + host.hcas[i].rail + 2];

            if (host.hcas[i].present && host.hcas[i].up)
                fprintf(file, "0x%04x : %03u  : 00   : yes\n", number * LAB_HCAS + i + 2,
                        port_to(lab, fabric, node, port));
        }
    }
    fputc('\n', file);
}

FILE *lab_open_in(const char *folder, const char *name)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "we");
}

static int write_tables(const struct lab *lab, const struct fabric *fabric, const char *folder)
{
    FILE *file = lab_open_in(folder, "ibdiagnet2.fdbs");

    if (file == NULL)
        return -1;
    for (size_t i = 0; i < fabric->nodes.count; i++)
        if (fabric->nodes.items[i].kind == FABRIC_SWITCH)
            print_table(file, lab, fabric, &fabric->nodes.items[i]);
    return fclose(file);
}

static int write_files(const struct tool *tool, const char *folder)
{
    const struct lab *lab = tool->lab;
    struct fabric *fabric = lab->hosts <= LAB_FABRIC_HOSTS_MOST ? lab_grow(tool->arena, lab) : NULL;
    FILE *file;

    if ((mkdir(folder, 0755) < 0 && errno != EEXIST) ||
        (file = lab_open_in(folder, "ibdiagnet2.lst")) == NULL)
        return -1;
    for (unsigned number = 1; number <= lab->hosts; number++) {
        struct lab_host host;

        lab_host_init(&host, lab, number);
        for (unsigned i = 0; i < LAB_HCAS; i++)
            if (host.hcas[i].present && host.hcas[i].up)
                print_link(file, &host, i);
    }
    if (fabric != NULL)
        print_uplinks(file, lab, fabric);
    if (fclose(file) != 0 || (fabric != NULL && write_tables(lab, fabric, folder) < 0))
        return -1;
    return tool_has(tool, "--get_phy_info") ? lab_write_ports(lab, fabric, folder) : 0;
}

int tool_ibdiagnet(struct tool *tool)
{
    struct slice name = slice_of(tool_option(tool, "-i", ""));
    const char *folder = tool_option(tool, "-o", "");
    uint64_t number;

    printf("----------\nRunning version:   \"IBDIAGNET 2.13.0.MLNX20230817.g0a1b2c3\",\"IBDIAG "
           "2.1.1.g0a1b2c3\"\n");
    if (!scan_text(&name, "mlx5_") || !scan_u64(name, &number) || number >= LAB_HCAS || *folder == '\0' ||
        !tool->host->hcas[number].present || !lab_is_root() || tool->lab->ethernet) {
        printf("-E- Failed to set port for device: %s\n-F- Cannot open the IB device\n",
               tool_option(tool, "-i", ""));
        return 1;
    }
    if (write_files(tool, folder) < 0) {
        printf("-E- Failed to write into %s: %s\n", folder, strerror(errno));
        return 1;
    }
    printf("Discovery\n-I- Fabric Discover finished "
           "successfully\n---------------------------------------------\nSummary\n"
           "-I- Stage                               Warnings   Errors     Comment\n"
           "-I- Discovery                           0          0\n-I- Links Check                         0  "
           "        0\n"
           "-I- Speed / Width checks                0          0\n\n"
           "-I- You can find detailed errors/warnings in: %s/ibdiagnet2.log\n",
           folder);
    return 0;
}
