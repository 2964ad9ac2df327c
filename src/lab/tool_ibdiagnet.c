/* SPDX-License-Identifier: Apache-2.0 */
/* ibdiagnet -i HCA -p 1 -o FOLDER --skip pm: the summary on stdout, and FOLDER/ibdiagnet2.lst with the fabric's links. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "assay/base/scan.h"
#include "lab_private.h"

static const char *option_of(const struct tool *tool, const char *name)
{
    for (int i = 1; i + 1 < tool->argc; i++)
        if (strcmp(tool->argv[i], name) == 0)
            return tool->argv[i + 1];
    return "";
}

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
        60000 + unit * LAB_HCAS + hca->rail, place.port_number);
    fprintf(file, "PHY=%ux LOG=ACT SPD=%u\n", lanes > 0 ? lanes : 1, full / 4);
}

static int write_links(const struct lab *lab, const char *folder)
{
    char path[4096];
    FILE *file;

    snprintf(path, sizeof path, "%s/ibdiagnet2.lst", folder);
    if ((mkdir(folder, 0755) < 0 && errno != EEXIST) || (file = fopen(path, "we")) == NULL)
        return -1;
    for (unsigned number = 1; number <= lab->hosts; number++) {
        struct lab_host host;

        lab_host_init(&host, lab, number);
        for (unsigned i = 0; i < LAB_HCAS; i++)
            if (host.hcas[i].present && host.hcas[i].up)
                print_link(file, &host, i);
    }
    return fclose(file);
}

int tool_ibdiagnet(struct tool *tool)
{
    struct slice name = slice_of(option_of(tool, "-i"));
    const char *folder = option_of(tool, "-o");
    uint64_t number;

    printf("----------\nRunning version:   \"IBDIAGNET 2.13.0.MLNX20230817.g0a1b2c3\",\"IBDIAG "
           "2.1.1.g0a1b2c3\"\n");
    if (!scan_text(&name, "mlx5_") || !scan_u64(name, &number) || number >= LAB_HCAS || *folder == '\0' ||
        !tool->host->hcas[number].present || !lab_is_root() || tool->lab->ethernet) {
        printf("-E- Failed to set port for device: %s\n-F- Cannot open the IB device\n",
               option_of(tool, "-i"));
        return 1;
    }
    if (write_links(tool->lab, folder) < 0) {
        printf("-E- Failed to open %s/ibdiagnet2.lst: %s\n", folder, strerror(errno));
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
