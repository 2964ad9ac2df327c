/* SPDX-License-Identifier: Apache-2.0 */
/* lspci: the devices of a host as its buses show them. */
#include <string.h>

#include "lab_private.h"

struct device {
    unsigned domain, bus;
    const char *class_code, *class_name, *vendor, *id, *name;
    unsigned generation, width;
    unsigned generation_now, width_now; /* 0: as they can be */
    bool dead;                          /* answers no configuration cycle */
};

struct view {
    bool domain, numbers, names_too, verbose;
    const char *filter; /* VENDOR:[DEVICE] */
    const char *slot;
    bool acs; /* Access Control Services are on */
};

static const char *speed_of(unsigned generation)
{
    static const char *const speeds[] = {"0", "2.5", "5", "8", "16", "32", "64"};

    return speeds[generation];
}

static bool wanted(const struct view *view, const struct device *device)
{
    char slot[24];

    snprintf(slot, sizeof slot, "%04x:%02x:00.0", device->domain, device->bus);
    if (view->slot != NULL && strcmp(view->slot, slot) != 0 &&
        (device->domain > 0 || strcmp(view->slot, slot + 5) != 0))
        return false;
    if (view->filter == NULL)
        return true;
    if (strncmp(view->filter, device->vendor, 4) != 0)
        return false;
    return strlen(view->filter) <= 5 || strncmp(view->filter + 5, device->id, 4) == 0;
}

static void print_device(const struct view *view, const struct device *device)
{
    char domain[8] = "";
    const char *revision = device->dead ? "ff" : "a1";
    unsigned generation = device->generation_now > 0 ? device->generation_now : device->generation;
    unsigned width = device->width_now > 0 ? device->width_now : device->width;
    char acs = view->acs ? '+' : '-';

    if (!wanted(view, device))
        return;
    if (view->domain || device->domain > 0)
        snprintf(domain, sizeof domain, "%04x:", device->domain);
    if (view->numbers && !view->names_too)
        printf("%s%02x:00.0 %s: %s:%s (rev %s)\n", domain, device->bus, device->class_code, device->vendor,
               device->id, revision);
    else if (view->names_too)
        printf("%s%02x:00.0 %s [%s]: %s [%s:%s] (rev %s)\n", domain, device->bus, device->class_name,
               device->class_code, device->name, device->vendor, device->id, revision);
    else
        printf("%s%02x:00.0 %s: %s (rev %s)\n", domain, device->bus, device->class_name, device->name,
               revision);
    if (!view->verbose)
        return;
    if (device->dead) {
        printf("\t!!! Unknown header type 7f\n\tKernel driver in use: nvidia\n\n");
        return;
    }
    printf(
        "\tControl: I/O- Mem+ BusMaster+ SpecCycle- MemWINV- VGASnoop- ParErr+ Stepping- SERR+ FastB2B- "
        "DisINTx+\n"
        "\tStatus: Cap+ 66MHz- UDF- FastB2B- ParErr- DEVSEL=fast >TAbort- <TAbort- <MAbort- >SERR- <PERR- "
        "INTx-\n"
        "\tLatency: 0\n\tNUMA node: %d\n"
        "\tCapabilities: [60] Express (v2) Endpoint, MSI 00\n"
        "\t\tDevCap:\tMaxPayload 256 bytes, PhantFunc 0, Latency L0s unlimited, L1 <64us\n"
        "\t\tDevSta:\tCorrErr- NonFatalErr- FatalErr- UnsupReq- AuxPwr- TransPend-\n"
        "\t\tLnkCap:\tPort #0, Speed %sGT/s, Width x%u, ASPM not supported\n"
        "\t\t\tClockPM+ Surprise- LLActRep- BwNot- ASPMOptComp+\n"
        "\t\tLnkSta:\tSpeed %sGT/s (%s), Width x%u (%s)\n"
        "\t\t\tTrErr- Train- SlotClk+ DLActive- BWMgmt- ABWMgmt-\n"
        "\tCapabilities: [148 v1] Access Control Services\n"
        "\t\tACSCap:\tSrcValid- TransBlk- ReqRedir- CmpltRedir- UpstreamFwd- EgressCtrl- DirectTrans-\n"
        "\t\tACSCtl:\tSrcValid%c TransBlk- ReqRedir%c CmpltRedir%c UpstreamFwd%c EgressCtrl- DirectTrans-\n"
        "\tKernel driver in use: %s\n\n",
        device->bus < 0x80 ? 0 : 1, speed_of(device->generation), device->width, speed_of(generation),
        generation < device->generation ? "downgraded" : "ok", width,
        width < device->width ? "downgraded" : "ok", acs, acs, acs, acs,
        strcmp(device->vendor, "15b3") == 0 ? "mlx5_core" : "nvidia");
}

/* Lanes that the GPU of this place has; of one that does not answer nobody asks. */
static unsigned lanes_of(const struct lab_host *host, int number)
{
    for (int i = 0; i < host->gpu_count; i++)
        if (host->gpus[i].number == number)
            return host->gpus[i].pcie_width;
    return 0;
}

static void print_hca(const struct tool *tool, const struct view *view, unsigned number)
{
    const struct lab_profile *profile = tool->host->profile;

    print_device(view, &(struct device){.domain = profile->hca_domain[number],
                                        .bus = lab_hca_bus(profile, number),
                                        .class_code = "0207",
                                        .class_name = "Infiniband controller",
                                        .vendor = "15b3",
                                        .id = profile->hca_pci,
                                        .name = profile->hca_name,
                                        .generation = profile->hca_rate >= 800 ? 6 : profile->pcie_generation,
                                        .width = PCIE_LANES,
                                        .width_now = tool->host->hcas[number].pcie_width});
}

/* A link at rest trains down to save power; one whose GPU knows more than its slot stays below what the GPU can. */
static void print_gpu(struct tool *tool, const struct view *view, int number)
{
    const struct lab_profile *profile = tool->host->profile;
    unsigned can =
        profile->pcie_device_generation > 0 ? profile->pcie_device_generation : profile->pcie_generation;

    print_device(view,
                 &(struct device){
                     .domain = profile->pci_domain[number],
                     .bus = profile->pci_bus[number],
                     .class_code = "0302",
                     .class_name = "3D controller",
                     .vendor = "10de",
                     .id = profile->device_id,
                     .name = arena_printf(tool->arena, "NVIDIA Corporation %s", profile->pci_name),
                     .generation = can,
                     .width = 16,
                     .generation_now = lab_burning(tool->host) != 0 ? profile->pcie_generation : 1,
                     .width_now = lanes_of(tool->host, number),
                     .dead = fault_of_gpu(tool->lab, tool->host->number, FAULT_GPU_MISSING, number) != NULL});
}

unsigned lab_switch_bus(const struct lab_profile *profile, unsigned number)
{
    return 0x05 + (profile->pcie_generation == 4 ? 0xf0 : 0) + number;
}

static void print_switches(const struct tool *tool, const struct view *view)
{
    const struct lab_profile *profile = tool->host->profile;
    bool ampere = profile->pcie_generation == 4;

    for (unsigned i = 0; profile->switch_pci != NULL && i < LAB_SWITCHES; i++)
        print_device(view, &(struct device){.bus = lab_switch_bus(profile, i),
                                            .class_code = "0680",
                                            .class_name = "Bridge",
                                            .vendor = "10de",
                                            .id = profile->switch_pci,
                                            .name = arena_printf(tool->arena, "NVIDIA Corporation %s",
                                                                 profile->switch_name),
                                            .generation = ampere ? 4 : 5,
                                            .width = ampere ? 4 : 2});
}

static void print_devices(struct tool *tool, const struct view *view)
{
    const struct lab_profile *profile = tool->host->profile;

    print_switches(tool, view);
    for (unsigned i = 0; i < profile->gpus || i < profile->hcas; i++) {
        if (i < profile->hcas && tool->host->hcas[i].present)
            print_hca(tool, view, i);
        if (i < profile->gpus)
            print_gpu(tool, view, (int)i);
    }
}

int tool_lspci(struct tool *tool)
{
    struct view view = {.acs = tool->host->acs};

    for (int i = 1; i < tool->argc; i++) {
        const char *word = tool->argv[i];

        if (strcmp(word, "-d") == 0 && i + 1 < tool->argc) {
            view.filter = tool->argv[++i];
        } else if (strcmp(word, "-s") == 0 && i + 1 < tool->argc) {
            view.slot = tool->argv[++i];
        } else if (strcmp(word, "--version") == 0) {
            printf("lspci version 3.7.0\n");
            return 0;
        } else if (word[0] == '-') {
            view.domain |= strchr(word, 'D') != NULL;
            view.names_too |= strstr(word, "nn") != NULL;
            view.numbers |= strchr(word, 'n') != NULL;
            view.verbose |= strchr(word, 'v') != NULL;
        }
    }
    print_devices(tool, &view);
    return 0;
}
