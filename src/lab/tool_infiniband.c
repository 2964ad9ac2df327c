/* SPDX-License-Identifier: Apache-2.0 */
/* ibstat: the HCAs of a host as its own tools show them. */
#include <string.h>

#include "assay/base/scan.h"
#include "lab_private.h"

/* A port without a link shows the lowest rate there is. */
#define RATE_DOWN 10

static void print_port(const struct lab_host *host, unsigned number)
{
    const struct lab_hca *hca = &host->hcas[number];

    printf("\tPort 1:\n\t\tState: %s\n\t\tPhysical state: %s\n\t\tRate: %u\n", hca->up ? "Active" : "Down",
           hca->up ? "LinkUp" : "Polling", hca->up ? hca->rate : RATE_DOWN);
    printf("\t\tBase lid: %u\n\t\tLMC: 0\n\t\tSM lid: %u\n\t\tCapability mask: 0xa651e848\n",
           host->lab->ethernet ? 0
           : hca->up           ? host->number * LAB_HCAS + number + 2
                               : 65535,
           hca->up && !host->lab->ethernet ? 1 : 0);
    printf("\t\tPort GUID: 0xa088c203%04x%02x00\n\t\tLink layer: %s\n", host->number, number,
           host->lab->ethernet ? "Ethernet" : "InfiniBand");
}

static void print_hca(const struct lab_host *host, unsigned number)
{
    printf(
        "CA 'mlx5_%u'\n\tCA type: %s\n\tNumber of ports: 1\n\tFirmware version: %s\n\tHardware version: 0\n",
        number, host->profile->hca_type, host->hcas[number].firmware);
    printf("\tNode GUID: 0xa088c203%04x%02x00\n\tSystem image GUID: 0xa088c203%04x%02x00\n", host->number,
           number, host->number, number);
    print_port(host, number);
}

int tool_ibstat(struct tool *tool)
{
    const char *word = tool->argc > 1 ? tool->argv[1] : "";
    const struct lab_host *host = tool->host;
    struct slice name = slice_of(word);
    uint64_t number;

    if (scan_text(&name, "mlx5_")) {
        if (scan_u64(name, &number) && number < LAB_HCAS && host->hcas[number].present) {
            print_hca(host, (unsigned)number);
            return 0;
        }
        fprintf(stderr, "ibpanic: [%d] main: '%s' IB device can't be found\n", 4711, word);
        return 255;
    }
    for (unsigned i = 0; i < LAB_HCAS; i++) {
        if (!host->hcas[i].present)
            continue;
        if (strcmp(word, "-l") == 0)
            printf("mlx5_%u\n", i);
        else
            print_hca(host, i);
    }
    return 0;
}

/* Of portinfo, on the way to a port itself, what tells whether the subnet manager has set an M_Key: here not. */
int tool_smpquery(struct tool *tool)
{
    bool shown = tool_has(tool, "-K");

    if (!lab_is_root()) {
        fprintf(stderr, "smpquery: iberror: failed: Failed to open '(null)' port '0'\n");
        return 1;
    }
    printf("# Port info: DR path slid 65535; dlid 65535; 0 port 0\n"
           "Mkey:............................%s\nGidPrefix:.......................0xfe80000000000000\n"
           "MkeyLeasePeriod:.................0\nLinkState:.......................Active\n"
           "ProtectBits:.....................0\nLMC:.............................0\n",
           shown ? "0x0000000000000000" : "<not displayed>");
    return 0;
}

/* Who asks with a key that is not the subnet's gets no answer. Of a PKeyTableRecord the first lines. */
int tool_saquery(struct tool *tool)
{
    const char *key = tool_option(tool, "--smkey", "0");

    if (!lab_is_root()) {
        fprintf(stderr, "ibwarn: [4711] mad_rpc_open_port: can't open UMAD port ((null):1)\n");
        return 1;
    }
    if (tool_has(tool, "CPI")) {
        printf("SA ClassPortInfo:\n\t\tBase version.............1\n\t\tClass version............2\n");
        return 0;
    }
    if (strcmp(key, "0") == 0) {
        fprintf(stderr, "ERROR: Query result returned 0x0200,  SA(SA_ERR_REQ_INVALID)\n");
        return 1;
    }
    if (strcmp(key, "1") != 0 || !tool->host->subnet_keys) {
        fprintf(stderr, "ibwarn: [4711] sa_query: umad_recv failed: attr 0x33: Connection timed out\n\n"
                        "Query SA failed: Connection timed out\n");
        return 1;
    }
    printf("PKeyTableRecord dump:\n\t\tLID........................1\n\t\tPort.......................1\n"
           "\t\tBlock......................0\n\t\tPKey Table:\n\t\t0xffff 0x0000 0x0000 0x0000\n");
    return 0;
}
