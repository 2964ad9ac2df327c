/* SPDX-License-Identifier: Apache-2.0 */
/* mlxlink -d HCA -p 1 [-m] -c: the link, its module and its bit error rates. */
#include <string.h>

#include "assay/base/scan.h"
#include "lab_private.h"

static void title(const char *text)
{
    printf("\n%s\n", text);
    for (size_t i = strlen(text); i > 0; i--)
        putchar('-');
    putchar('\n');
}

static void row(const char *label, const char *value)
{
    printf("%-35s: %s\n", label, value);
}

static void print_link(const struct tool *tool, const struct lab_hca *hca)
{
    title("Operational Info");
    row("State", hca->up ? "Active" : "Polling");
    row("Physical state", hca->up ? "LinkUp" : "ETH_AN_FSM_ENABLE");
    row("Speed", !hca->up                               ? "N/A"
                 : tool->lab->ethernet                  ? arena_printf(tool->arena, "%uG", hca->rate)
                 : tool->host->profile->hca_rate >= 800 ? "IB-XDR"
                 : tool->host->profile->hca_rate >= 400 ? "IB-NDR"
                 : tool->host->profile->hca_rate >= 200 ? "IB-HDR"
                                                        : "IB-EDR");
    row("Width", "4x");
    row("FEC", hca->up ? "Standard_RS-FEC - (544,514)" : "N/A");
    row("Loopback Mode", "No Loopback");
    row("Auto Negotiation", "ON");
    title("Troubleshooting Info");
    row("Status Opcode", hca->up ? "0" : "1024");
    row("Group Opcode", "N/A");
    row("Recommendation", hca->up ? "No issue was observed" : "Cable is unplugged");
    title("Tool Information");
    row("Firmware Version", hca->firmware);
    row("MFT Version", "mft 4.26.1-3");
}

static void print_module(const struct tool *tool, unsigned number)
{
    unsigned host = tool->host->number;
    const struct fault *hot = fault_of_hca(tool->lab, host, FAULT_MODULE_HOT, (int)number);
    bool dark = fault_of_hca(tool->lab, host, FAULT_MODULE_DARK, (int)number) != NULL;
    bool odd = fault_of_hca(tool->lab, host, FAULT_MODULE_ODD, (int)number) != NULL;
    bool longer = fault_of_hca(tool->lab, host, FAULT_CABLE_ODD, (int)number) != NULL;

    title("Module Info");
    row("Temperature [C]",
        arena_printf(tool->arena, "%.0f [-5..75]",
                     hot != NULL ? hot->number : 48 + 3 * lab_noise(host, "module", number)));
    row("Voltage [mV]", "3261.2 [2970..3630]");
    row("Rx Power Current [dBm]",
        arena_printf(tool->arena, "1.412,%s,1.520,1.466 [-10.41..6]", dark ? "-14.210" : "1.377"));
    row("Tx Power Current [dBm]", "1.218,1.194,1.306,1.251 [-8.508..5]");
    row("Identifier", "OSFP");
    row("Cable Type", "Optical Module (separated)");
    row("Vendor Name", "NVIDIA");
    row("Vendor Part Number", "MMA4Z00-NS400");
    row("Vendor Serial Number", arena_printf(tool->arena, "MT23%04u%02uFT", host, number));
    row("Rev", "A3");
    row("Transfer Distance [m]", longer ? "100" : "30");
    row("FW Version", odd ? "46.120.0150" : "46.120.0242");
}

static void print_rates(const struct tool *tool, unsigned number)
{
    enum { MINUTES = 11523 };
    const struct fault *ber = fault_of_hca(tool->lab, tool->host->number, FAULT_LINK_BER, (int)number);
    double bits = tool->host->hcas[number].rate * 1e9 * MINUTES * 60;
    const char *rate = ber != NULL ? arena_printf(tool->arena, "%.0E", ber->number) : "15E-255";

    title("Physical Counters and BER Info");
    row("Time Since Last Clear [Min]", arena_printf(tool->arena, "%d.4", MINUTES));
    if (!tool->lab->ethernet) {
        row("Symbol Errors", "0");
        row("Symbol BER", "15E-255");
    }
    row("Effective Physical Errors", arena_printf(tool->arena, "%.0f", ber != NULL ? ber->number * bits : 0));
    row("Effective Physical BER", rate);
    row("Raw Physical Errors Per Lane", "41200,39871,50224,44713");
    row("Link Down Counter", arena_printf(tool->arena, "%u", tool->host->hcas[number].link_downed));
    row("Link Error Recovery Counter", "0");
    row("Raw Physical BER", "2E-9");
    printf("\n");
}

int tool_mlxlink(struct tool *tool)
{
    struct slice name = slice_of(tool->argc > 2 && strcmp(tool->argv[1], "-d") == 0 ? tool->argv[2] : "");
    uint64_t number;

    if (!scan_text(&name, "mlx5_") || !scan_u64(name, &number) || number >= LAB_HCAS || !lab_is_root() ||
        !tool->host->hcas[number].present) {
        fprintf(stderr, "-E- Failed to open device: \"%s\", No such device or no permission.\n",
                tool->argc > 2 ? tool->argv[2] : "");
        return 1;
    }
    print_link(tool, &tool->host->hcas[number]);
    if (tool_has(tool, "-m"))
        print_module(tool, (unsigned)number);
    if (tool_has(tool, "-c"))
        print_rates(tool, (unsigned)number);
    return 0;
}
