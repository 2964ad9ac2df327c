/* SPDX-License-Identifier: Apache-2.0 */
/* iblinkinfo and lldpctl: what is at the other end of each cable. */
#include <string.h>

#include "assay/base/scan.h"
#include "lab_private.h"

#define RULE "-------------------------------------------------------------------------------\n"

/* One hop far from one HCA, as a check asks: -l -C mlx5_0 -P 1 -D 0 -n 1. NULL: asked for anything else. */
static const char *hca_asked(const struct tool *tool)
{
    const char *hca = NULL;
    bool line = false, own = false;

    for (int i = 1; i < tool->argc; i++) {
        const char *word = tool->argv[i], *value = i + 1 < tool->argc ? tool->argv[i + 1] : "";

        line |= strcmp(word, "-l") == 0;
        own |= strcmp(word, "-D") == 0 && strcmp(value, "0") == 0;
        if (strcmp(word, "-C") == 0)
            hca = value;
    }
    return line && own ? hca : NULL;
}

/* A link of less than the whole rate has lost lanes. */
static void print_link(const struct lab_host *host, unsigned number)
{
    const struct lab_hca *hca = &host->hcas[number];
    unsigned full = host->profile->hca_rate, lanes = hca->rate * 4 / full;
    double lane = full >= 800 ? 212.5 : full >= 400 ? 106.25 : full >= 200 ? 53.125 : 25.78125;
    struct lab_place place = lab_rail(host->lab, host->number, hca->rail);

    printf("0xa088c203%04x%02x00 \"%24s mlx5_%u\" %6u    1[  ] ==(", host->number, number, host->name, number,
           host->number * LAB_HCAS + number + 2);
    if (!hca->up) {
        printf("                Down/ Polling)==>             [  ] \"\" ( )\n");
        return;
    }
    printf(" %uX %16g Gbps Active/  LinkUp)==>  0x9c63c203%04x%02x00 %6u %4u[  ] \"MF0;%s:MQM9700/U1\" (",
           lanes > 0 ? lanes : 1, lane, lab_unit(host->lab, host->number), hca->rail,
           40000 + lab_unit(host->lab, host->number) * LAB_HCAS + hca->rail, place.port_number,
           place.switch_name);
    printf(lanes < 4 ? " Could be 4X)\n" : " )\n");
}

int tool_iblinkinfo(struct tool *tool)
{
    const char *asked = hca_asked(tool);
    struct slice name = slice_of(asked != NULL ? asked : "");
    uint64_t number;
    bool known = scan_text(&name, "mlx5_") && scan_u64(name, &number) && number < LAB_HCAS &&
                 tool->host->hcas[number].present;

    if (asked == NULL) {
        fprintf(stderr, "iblinkinfo: the lab answers -l -C HCA -P 1 -D 0 only\n");
        return 1;
    }
    if (!known || !lab_is_root() || tool->lab->ethernet) {
        fprintf(stderr,
                "ibwarn: [4711] mad_rpc_open_port: can't open UMAD port (%s:1)\n"
                "Failed to open %s port 1\n",
                asked, asked);
        return 1;
    }
    print_link(tool->host, (unsigned)number);
    return 0;
}

static void print_neighbour(const struct lab_host *host, unsigned number)
{
    const struct lab_hca *hca = &host->hcas[number];
    struct lab_place place = lab_rail(host->lab, host->number, hca->rail);
    char netdev[16];

    printf("Interface:    %s, via: LLDP, RID: %u, Time: 3 days, 02:11:09\n",
           lab_netdev(host->lab, number, netdev), hca->rail + 1);
    printf("  Chassis:     \n    ChassisID:    mac 9c:63:c2:03:%02x:%02x\n    SysName:      %s\n"
           "    SysDescr:     Cumulus Linux version 5.9.1 running on NVIDIA SN5600\n"
           "    Capability:   Bridge, on\n    Capability:   Router, on\n",
           lab_unit(host->lab, host->number) & 0xff, hca->rail, place.switch_name);
    printf("  Port:        \n    PortID:       ifname %s\n    PortDescr:    %s\n    TTL:          120\n" RULE,
           place.port, place.port);
}

/* -f keyvalue */
static void print_keys(const struct lab_host *host, unsigned number)
{
    const struct lab_hca *hca = &host->hcas[number];
    struct lab_place place = lab_rail(host->lab, host->number, hca->rail);
    char netdev[16];

    lab_netdev(host->lab, number, netdev);
    printf("lldp.%s.via=LLDP\nlldp.%s.rid=%u\nlldp.%s.age=3 days, 02:11:09\n", netdev, netdev, hca->rail + 1,
           netdev);
    printf("lldp.%s.chassis.mac=9c:63:c2:03:%02x:%02x\nlldp.%s.chassis.name=%s\n", netdev,
           lab_unit(host->lab, host->number) & 0xff, hca->rail, netdev, place.switch_name);
    printf("lldp.%s.chassis.Bridge.enabled=on\nlldp.%s.chassis.Router.enabled=on\n", netdev, netdev);
    printf("lldp.%s.port.ifname=%s\nlldp.%s.port.descr=%s\nlldp.%s.port.ttl=120\n", netdev, place.port,
           netdev, place.port, netdev);
}

/* Of InfiniBand there are no such neighbours. */
int tool_lldpctl(struct tool *tool)
{
    bool keys = strcmp(tool_option(tool, "-f", ""), "keyvalue") == 0;

    if (!lab_is_root()) {
        fprintf(stderr, "[WARN/control] unable to connect to socket /run/lldpd.socket: Permission denied\n"
                        "[WARN/lldpctl] unable to connect to lldpd daemon\n");
        return 1;
    }
    if (!keys)
        printf(RULE "LLDP neighbors:\n" RULE);
    for (unsigned i = 0; tool->lab->ethernet && i < LAB_HCAS; i++)
        if (tool->host->hcas[i].present && tool->host->hcas[i].up)
            (keys ? print_keys : print_neighbour)(tool->host, i);
    return 0;
}
