/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ibdiagnet --get_phy_info: what each port counts (ibdiagnet2.net_dump_ext), and what its module tells (ibdiagnet2.db_csv,
 * section CABLE_INFO, of whose hundred columns these are a part).
 */
#include "assay/fabric/fabric.h"
#include "lab_private.h"

enum { MINUTES = 11523 }; /* for so long all ports have been counted */

struct files {
    const struct lab *lab;
    FILE *ports, *modules;
};

/* One end of a link. */
struct end {
    const char *type, *name;
    unsigned long long guid;
    unsigned lid, number, far_lid, far_number;
    bool inactive, odd;
    double effective, symbol; /* wrong after correction; 0: none was */
    double celsius;
    const char *fec;
};

static const char *rate_text(char text[16], double rate)
{
    if (rate > 0)
        snprintf(text, 16, "%.0e", rate);
    return rate > 0 ? text : "1.5e-254";
}

static void print_port(const struct files *files, const struct end *end)
{
    double bits = files->lab->profile->hca_rate * 1e9 * MINUTES * 60;
    char effective[16], symbol[16];

    fprintf(
        files->ports,
        "%s : 1/%u/%u   : %-3u : 0x%llx : %-5u : %-4s : LINK UP   : 4x      : %-7u : %u (%u) : %-19s : NO-RTR : 2e-09 : "
        "%-13s : %-10s : %-10.0f : %-13.0f : \"%s\"\n",
        end->type, (end->number + 1) / 2, 2 - end->number % 2, end->number, end->guid, end->lid,
        end->inactive ? "INI" : "ACT", files->lab->profile->hca_rate / 4, end->far_lid, end->far_number,
        end->fec, rate_text(effective, end->effective), rate_text(symbol, end->symbol), end->symbol * bits,
        end->effective * bits, end->name);
}

static void print_module(const struct files *files, const struct end *end)
{
    fprintf(
        files->modules,
        "0x%016llx,0x%016llx,%u,\"NVIDIA\",0x48b02d,\"%s\",\"MT23%05u%02uFT\",\"A3\",\"OSFP\",\"%s\",\"%s\",\"%.0fC\","
        "\"%s\",1412,1377,1520,1466,1218,1194,1306,1251,%d,0,0,0,\"75C\",\"-5C\",3981,91,3162,141\n",
        end->guid, end->guid, end->number, end->odd ? "MCP4Y10-N002" : "MMA4Z00-NS", end->lid, end->number,
        end->odd ? "Copper cable, unequalized" : "850 nm VCSEL, separable", end->odd ? "2 m" : "30 m",
        end->celsius, end->odd ? "N/A" : "46.120.242", end->celsius > 75);
}

static void print_end(const struct files *files, const struct end *end)
{
    print_port(files, end);
    print_module(files, end);
}

/* --- links of hosts --- */

static void print_host_link(const struct files *files, const struct lab_host *host, unsigned number)
{
    const struct lab *lab = files->lab;
    unsigned rail = host->hcas[number].rail, unit = lab_unit(lab, host->number);
    struct lab_place place = lab_rail(lab, host->number, rail);
    const struct fault *ber = fault_of_hca(lab, host->number, FAULT_LINK_BER, (int)number),
                       *leaf_ber = fault_of_hca(lab, host->number, FAULT_LEAF_BER, (int)number);
    char hca[64], leaf[64];
    struct end own = {.type = "CA",
                      .name = hca,
                      .guid = 0xa088c20300000000ULL | host->number << 16 | number << 8,
                      .lid = host->number * LAB_HCAS + number + 2,
                      .number = 1,
                      .effective = ber != NULL ? ber->number : 0,
                      .celsius = 48,
                      .fec = "MLNX_RS_544_514_PLR"},
               far = own;

    snprintf(hca, sizeof hca, "%s mlx5_%u", host->name, number);
    snprintf(leaf, sizeof leaf, "MF0;%s:MQM9700/U1", place.switch_name);
    far.type = "SW";
    far.name = leaf;
    far.guid = 0x9c63c20300000000ULL | unit << 16 | rail << 8;
    far.lid = own.far_lid = 40000 + unit * LAB_HCAS + rail;
    far.number = own.far_number = place.port_number;
    far.far_lid = own.lid;
    far.far_number = own.number;
    far.effective = leaf_ber != NULL ? leaf_ber->number : 0;
    print_end(files, &own);
    print_end(files, &far);
}

/* --- links between switches --- */

static const struct fault *fault_of_uplink(const struct lab *lab, const struct fabric *fabric,
                                           enum fault_kind kind, uint32_t link)
{
    for (size_t i = 0; i < lab->fault_count; i++)
        if (lab->faults[i].kind == kind &&
            fabric_link_of(fabric, lab_last_uplink(lab, fabric, lab->faults[i].host)) == link)
            return &lab->faults[i];
    return NULL;
}

static void print_switch_port(const struct files *files, const struct fabric *fabric, uint32_t port)
{
    const struct lab *lab = files->lab;
    const struct fabric_port *ports = fabric->ports.items;
    const struct fabric_node *node = &fabric->nodes.items[ports[port].node];
    uint32_t far = ports[port].far, link = fabric_link_of(fabric, port);
    bool leaf = node->name[0] == 'l';
    const struct fault *ber = leaf ? fault_of_uplink(lab, fabric, FAULT_UPLINK_BER, link) : NULL,
                       *hot = leaf ? fault_of_uplink(lab, fabric, FAULT_UPLINK_HOT, link) : NULL;
    char name[64];
    struct end end = {.type = "SW",
                      .name = name,
                      .guid = node->guid,
                      .lid = lab_switch_lid(fabric, ports[port].node),
                      .number = ports[port].number,
                      .far_lid = lab_switch_lid(fabric, ports[far].node),
                      .far_number = ports[far].number,
                      .inactive = fault_of_uplink(lab, fabric, FAULT_UPLINK_IDLE, link) != NULL,
                      .odd = fault_of_uplink(lab, fabric, FAULT_UPLINK_ODD, link) != NULL,
                      .symbol = ber != NULL ? ber->number : 0,
                      .celsius = hot != NULL ? hot->number : 51,
                      .fec = fault_of_uplink(lab, fabric, FAULT_UPLINK_FEC, link) != NULL
                                 ? "MLNX_RS_271_257_PLR"
                                 : "MLNX_RS_544_514_PLR"};

    snprintf(name, sizeof name, "MF0;%s:MQM9700/U1", node->name);
    print_end(files, &end);
}

/* --- both files --- */

static void print_headings(const struct files *files)
{
    fputs(
        "# This database file was automatically generated by IBDIAG\n\n\n"
        "Ty : #       : #IB : GUID : LID : Sta : PhysSta : LWA : LSA : Conn LID(#) : FEC mode : RTR : Raw BER : Effective BER : "
        "Symbol BER : Symbol Err : Effective Err : Node Desc\n",
        files->ports);
    fputs(
        "# This database file was automatically generated by IBDIAG\n\n\nSTART_CABLE_INFO\n"
        "NodeGuid,PortGuid,PortNum,Vendor,OUI,PN,SN,Rev,IdentifierStr,TypeDesc,LengthDesc,Temperature,FWVersion,RX1Power,RX2Power,"
        "RX3Power,RX4Power,TX1Power,TX2Power,TX3Power,TX4Power,HighTemperatureAlarm,LowTemperatureAlarm,HighTemperatureWarning,"
        "LowTemperatureWarning,AlarmTemperatureHighThresh,AlarmTemperatureLowThresh,RXPowerHighThresh,RXPowerLowThresh,"
        "TXPowerHighThresh,TXPowerLowThresh\n",
        files->modules);
}

int lab_write_ports(const struct lab *lab, const struct fabric *fabric, const char *folder)
{
    struct files files = {.lab = lab,
                          .ports = lab_open_in(folder, "ibdiagnet2.net_dump_ext"),
                          .modules = lab_open_in(folder, "ibdiagnet2.db_csv")};

    if (files.ports == NULL || files.modules == NULL)
        return -1;
    print_headings(&files);
    for (unsigned number = 1; number <= lab->hosts; number++) {
        struct lab_host host;

        lab_host_init(&host, lab, number);
        for (unsigned i = 0; i < LAB_HCAS; i++)
            if (host.hcas[i].present && host.hcas[i].up)
                print_host_link(&files, &host, i);
    }
    for (uint32_t i = 0; fabric != NULL && i < fabric->ports.count; i++)
        if (fabric->ports.items[i].far != FABRIC_NONE && !fabric_is_host_link(fabric, i))
            print_switch_port(&files, fabric, i);
    fputs("END_CABLE_INFO\n", files.modules);
    return fclose(files.ports) != 0 || fclose(files.modules) != 0 ? -1 : 0;
}
