/* SPDX-License-Identifier: Apache-2.0 */
/* dmidecode, lscpu and lsblk: what the host is made of, as its firmware and its kernel tell it. */
#include <stdlib.h>
#include <string.h>

#include "assay/base/scan.h"
#include "lab_private.h"

/* A serial number: always the same for the same part of the same host. */
static unsigned serial(const struct lab_host *host, const char *what, unsigned number)
{
    return (unsigned)((lab_noise(host->number, what, number) + 1) * 0x7fffffff);
}

/* Whether the type is in the list that was asked for: numbers and the words of -t. */
static bool wanted(const char *types, unsigned type)
{
    static const struct {
        const char *word;
        unsigned first, second;
    } words[] = {{"bios", 0, 0},    {"system", 1, 1},    {"baseboard", 2, 2},
                 {"chassis", 3, 3}, {"processor", 4, 4}, {"memory", 16, 17}};

    for (const char *at = types; at != NULL && *at != '\0'; at += strcspn(at, ","), at += *at == ',') {
        size_t length = strcspn(at, ",");
        uint64_t number;

        if (scan_u64((struct slice){at, length}, &number) && number == type)
            return true;
        for (size_t i = 0; i < ARRAY_SIZE(words); i++)
            if (strlen(words[i].word) == length && memcmp(words[i].word, at, length) == 0 &&
                (words[i].first == type || words[i].second == type))
                return true;
    }
    return types == NULL;
}

static void print_firmware(const struct lab_host *host, const char *types)
{
    const struct lab_board *board = host->board;

    if (wanted(types, 0))
        printf("Handle 0x0000, DMI type 0, 26 bytes\nBIOS Information\n\tVendor: %s\n\tVersion: %s\n"
               "\tRelease Date: %s\n\tROM Size: 32 MB\n\tCharacteristics:\n\t\tPCI is supported\n"
               "\t\tUEFI is supported\n\tBIOS Revision: 5.32\n\n",
               board->bios_vendor, host->bios_version, board->bios_date);
    if (wanted(types, 1))
        printf("Handle 0x0001, DMI type 1, 27 bytes\nSystem Information\n\tManufacturer: %s\n"
               "\tProduct Name: %s\n\tVersion: 0123456789\n\tSerial Number: A%08u\n"
               "\tUUID: %08x-9b3f-ef11-8000-3cecef%06x\n\tWake-up Type: Power Switch\n\n",
               board->vendor, board->product, serial(host, "system", 0) % 100000000,
               serial(host, "system uuid", 0), host->number);
    if (wanted(types, 2))
        printf("Handle 0x0002, DMI type 2, 15 bytes\nBase Board Information\n\tManufacturer: %s\n"
               "\tProduct Name: %s\n\tVersion: 1.10\n\tSerial Number: OM%09u\n\n",
               board->vendor, board->board, serial(host, "board", 0) % 1000000000);
    if (wanted(types, 3))
        printf("Handle 0x0003, DMI type 3, 22 bytes\nChassis Information\n\tManufacturer: %s\n"
               "\tType: Other\n\tSerial Number: C8%010u\n\n",
               board->vendor, serial(host, "chassis", 0));
}

static void print_processors(const struct lab_host *host)
{
    const struct lab_board *board = host->board;

    for (unsigned i = 0; i < board->sockets; i++)
        printf("Handle 0x%04X, DMI type 4, 48 bytes\nProcessor Information\n\tSocket Designation: CPU%u\n"
               "\tType: Central Processor\n\tManufacturer: %s\n\tVersion: %s\n\tMax Speed: %u MHz\n"
               "\tStatus: Populated, Enabled\n\tSerial Number: Not Specified\n\tCore Count: %u\n"
               "\tCore Enabled: %u\n\tThread Count: %u\n\n",
               0x40 + i, i + 1, board->cpu_maker, board->cpu, board->cpu_mhz_max, board->cores, board->cores,
               board->cores * board->threads);
}

static void print_module(const struct lab_host *host, unsigned slot)
{
    const struct lab_board *board = host->board;
    unsigned half = board->dimm_count / board->sockets, channel = slot % half / 2;

    printf("Handle 0x%04X, DMI type 17, 92 bytes\nMemory Device\n\tArray Handle: 0x0020\n"
           "\tTotal Width: 80 bits\n\tData Width: 64 bits\n",
           0x100 + slot);
    if (slot + 1 == host->dimm_missing)
        printf("\tSize: No Module Installed\n");
    else
        printf("\tSize: %u GB\n", board->dimm_gib);
    printf(
        "\tForm Factor: DIMM\n\tSet: None\n\tLocator: P%u-DIMM%c%u\n\tBank Locator: P%u_Node%u_Channel%u\n",
        slot / half + 1, 'A' + channel, slot % 2 + 1, slot / half, slot / half, channel);
    if (slot + 1 == host->dimm_missing)
        printf("\tType: Unknown\n\tType Detail: None\n\n");
    else
        printf("\tType: %s\n\tType Detail: Synchronous Registered (Buffered)\n\tSpeed: %u MT/s\n"
               "\tManufacturer: %s\n\tSerial Number: %08X\n\tAsset Tag: Not Specified\n\tPart Number: %s\n"
               "\tRank: 2\n\tConfigured Memory Speed: %u MT/s\n\n",
               board->dimm_type, board->dimm_mts, board->dimm_maker, serial(host, "dimm", slot),
               board->dimm_part, board->dimm_mts);
}

static void print_memory(const struct lab_host *host, const char *types)
{
    if (wanted(types, 16))
        printf(
            "Handle 0x0020, DMI type 16, 23 bytes\nPhysical Memory Array\n"
            "\tLocation: System Board Or Motherboard\n\tUse: System Memory\n"
            "\tError Correction Type: Multi-bit ECC\n\tMaximum Capacity: 8 TB\n\tNumber Of Devices: %u\n\n",
            host->board->dimm_count);
    for (unsigned i = 0; wanted(types, 17) && i < host->board->dimm_count; i++)
        print_module(host, i);
}

static void print_power(const struct lab_host *host)
{
    for (unsigned i = 0; i < host->board->psu_count; i++)
        printf("Handle 0x%04X, DMI type 39, 22 bytes\nSystem Power Supply\n\tPower Unit Group: 1\n"
               "\tLocation: PSU%u\n\tName: %s\n\tManufacturer: SUPERMICRO\n\tSerial Number: P%09u\n"
               "\tModel Part Number: %s\n\tMax Power Capacity: %u W\n\tStatus: Present, OK\n\tPlugged: Yes\n"
               "\tHot Replaceable: Yes\n\n",
               0x200 + i, i + 1, host->board->psu_model, serial(host, "psu", i) % 1000000000,
               host->board->psu_model, host->board->psu_watts);
}

int tool_dmidecode(struct tool *tool)
{
    const char *types = NULL;

    for (int i = 1; i < tool->argc; i++)
        if ((strcmp(tool->argv[i], "-t") == 0 || strcmp(tool->argv[i], "--type") == 0) && i + 1 < tool->argc)
            types = tool->argv[++i];
    printf("# dmidecode 3.3\n");
    if (!lab_is_root()) {
        fprintf(stderr, "/sys/firmware/dmi/tables/smbios_entry_point: Permission denied\n"
                        "/dev/mem: Permission denied\n");
        printf("Scanning /dev/mem for entry point.\n");
        return 1;
    }
    printf("Getting SMBIOS data from sysfs.\nSMBIOS 3.5.0 present.\n\n");
    print_firmware(tool->host, types);
    if (wanted(types, 4))
        print_processors(tool->host);
    print_memory(tool->host, types);
    if (wanted(types, 39))
        print_power(tool->host);
    if (wanted(types, 127))
        printf("Handle 0x7F00, DMI type 127, 4 bytes\nEnd Of Table\n\n");
    return 0;
}

int tool_lscpu(struct tool *tool)
{
    const struct lab_board *board = tool->host->board;
    unsigned cpus = board->sockets * board->cores * board->threads;

    printf("Architecture:                    %s\nCPU op-mode(s):                  32-bit, 64-bit\n"
           "CPU(s):                          %u\nOn-line CPU(s) list:             0-%u\n"
           "Vendor ID:                       %s\nModel name:                      %s\n"
           "Thread(s) per core:              %u\nCore(s) per socket:              %u\n"
           "Socket(s):                       %u\nNUMA node(s):                    %u\n",
           board->arm ? "aarch64" : "x86_64", cpus, cpus - 1, board->cpu_vendor, board->cpu, board->threads,
           board->cores, board->sockets, board->sockets);
    return 0;
}

/* lsblk -d -n -b -P -o NAME,TYPE,SIZE,MODEL,SERIAL and no other way. */
/* One of them is the system's, and smaller; the kernel numbers it where it finds it. */
int tool_lsblk(struct tool *tool)
{
    static const char system_model[] = "SAMSUNG MZ1L2960HCJR-00A07";
    const unsigned long long system_bytes = 960197124096;
    const struct lab_board *board = tool->host->board;
    bool last = fault_find(tool->lab, tool->host->number, FAULT_DRIVE_ORDER) != NULL;
    unsigned system = last ? board->nvme_count - 1 : 0;

    if (tool->argc != 7 || strcmp(tool->argv[6], "NAME,TYPE,SIZE,MODEL,SERIAL") != 0) {
        fprintf(stderr, "lsblk: the lab knows it as lsblk -d -n -b -P -o NAME,TYPE,SIZE,MODEL,SERIAL only\n");
        return 1;
    }
    printf("NAME=\"loop0\" TYPE=\"loop\" SIZE=\"67014656\" MODEL=\"\" SERIAL=\"\"\n");
    for (unsigned i = 0; i < tool->host->drives; i++)
        printf("NAME=\"nvme%un1\" TYPE=\"disk\" SIZE=\"%llu\" MODEL=\"%s\" SERIAL=\"S64HNE0T%06u\"\n", i,
               i == system ? system_bytes : board->nvme_bytes, i == system ? system_model : board->nvme_model,
               serial(tool->host, "nvme", i) % 1000000);
    return 0;
}
