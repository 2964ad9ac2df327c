/* SPDX-License-Identifier: Apache-2.0 */
/* lspci: the devices of a host as its buses show them. */
#include <string.h>

#include "lab_private.h"

#define SWITCHES 4

struct device {
    unsigned bus;
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
    char slot[16];

    snprintf(slot, sizeof slot, "%02x:00.0", device->bus);
    if (view->slot != NULL && strcmp(view->slot, slot) != 0 &&
        (strncmp(view->slot, "0000:", 5) != 0 || strcmp(view->slot + 5, slot) != 0))
        return false;
    if (view->filter == NULL)
        return true;
    if (strncmp(view->filter, device->vendor, 4) != 0)
        return false;
    return strlen(view->filter) <= 5 || strncmp(view->filter + 5, device->id, 4) == 0;
}

static void print_device(const struct view *view, const struct device *device)
{
    const char *domain = view->domain ? "0000:" : "";
    const char *revision = device->dead ? "ff" : "a1";
    unsigned generation = device->generation_now > 0 ? device->generation_now : device->generation;
    unsigned width = device->width_now > 0 ? device->width_now : device->width;
    char acs = view->acs ? '+' : '-';

    if (!wanted(view, device))
        return;
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

static const char *gpu_device_name(const struct lab_profile *profile)
{
    if (strcmp(profile->device_id, "2330") == 0)
        return "NVIDIA Corporation GH100 [H100 SXM5 80GB]";
    return strcmp(profile->device_id, "2335") == 0 ? "NVIDIA Corporation GH100 [H200 SXM 141GB]"
                                                   : "NVIDIA Corporation GA100 [A100 SXM4 80GB]";
}

/* Lanes that the GPU of this place has; of one that does not answer nobody asks. */
static unsigned lanes_of(const struct lab_host *host, int number)
{
    for (int i = 0; i < host->gpu_count; i++)
        if (host->gpus[i].number == number)
            return host->gpus[i].pcie_width;
    return 0;
}

static void print_devices(struct tool *tool, const struct view *view)
{
    const struct lab_profile *profile = tool->host->profile;
    bool ampere = profile->pcie_generation == 4;

    for (unsigned i = 0; i < SWITCHES; i++)
        print_device(view, &(struct device){.bus = 0x05 + (ampere ? 0xf0 : 0) + i,
                                            .class_code = "0680",
                                            .class_name = "Bridge",
                                            .vendor = "10de",
                                            .id = ampere ? "1af1" : "22a3",
                                            .name = ampere ? "NVIDIA Corporation GA100 [A100 NVSwitch]"
                                                           : "NVIDIA Corporation GH100 [H100 NVSwitch]",
                                            .generation = ampere ? 4 : 5,
                                            .width = ampere ? 4 : 2});
    for (int i = 0; i < LAB_GPUS; i++) {
        if (tool->host->hcas[i].present)
            print_device(view,
                         &(struct device){.bus = profile->pci_bus[i] - 3,
                                          .class_code = "0207",
                                          .class_name = "Infiniband controller",
                                          .vendor = "15b3",
                                          .id = ampere ? "101b" : "1021",
                                          .name = ampere ? "Mellanox Technologies MT28908 Family [ConnectX-6]"
                                                         : "Mellanox Technologies MT2910 Family [ConnectX-7]",
                                          .generation = profile->pcie_generation,
                                          .width = PCIE_LANES,
                                          .width_now = tool->host->hcas[i].pcie_width});
        print_device(view, &(struct device){.bus = profile->pci_bus[i],
                                            .class_code = "0302",
                                            .class_name = "3D controller",
                                            .vendor = "10de",
                                            .id = profile->device_id,
                                            .name = gpu_device_name(profile),
                                            .generation = profile->pcie_generation,
                                            .width = 16,
                                            .generation_now = lab_burning(tool->host) != 0 ? 0 : 1,
                                            .width_now = lanes_of(tool->host, i),
                                            .dead = fault_of_gpu(tool->lab, tool->host->number,
                                                                 FAULT_GPU_MISSING, i) != NULL});
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
