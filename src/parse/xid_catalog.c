/* SPDX-License-Identifier: Apache-2.0 */
#include "xid_catalog.h"

#include <stddef.h>

#define IGNORED XID_IGNORE, SEVERITY_INFO
#define FAULT(action) action, SEVERITY_FAULT
#define WARNING(action) action, SEVERITY_WARNING
#define INFO(action) action, SEVERITY_INFO

static const struct xid_meaning xids[] = {
    {1, "invalid or corrupted push buffer stream", WARNING(XID_INVESTIGATE)},
    {2, "invalid or corrupted push buffer stream", WARNING(XID_INVESTIGATE)},
    {3, "invalid or corrupted push buffer stream", WARNING(XID_INVESTIGATE)},
    {4, "invalid or corrupted push buffer stream", WARNING(XID_INVESTIGATE)},
    {6, "invalid or corrupted push buffer stream", WARNING(XID_INVESTIGATE)},
    {7, "invalid or corrupted push buffer address", WARNING(XID_INVESTIGATE)},
    {8, "GPU stopped processing", WARNING(XID_RESTART_APP)},
    {9, "driver error programming the GPU", WARNING(XID_INVESTIGATE)},
    {11, "invalid or corrupted push buffer stream", WARNING(XID_RESTART_APP)},
    {12, "driver error handling a GPU exception", WARNING(XID_INVESTIGATE)},
    {13, "graphics engine exception: usually the program, sometimes the hardware", WARNING(XID_RESTART_APP)},
    {16, "display engine hung", WARNING(XID_INVESTIGATE)},
    {18, "bus mastering disabled in PCI configuration space", WARNING(XID_INVESTIGATE)},
    {19, "display engine error", WARNING(XID_INVESTIGATE)},
    {24, "GPU semaphore timeout", WARNING(XID_INVESTIGATE)},
    {25, "invalid or illegal push buffer stream", WARNING(XID_RESTART_APP)},
    {31, "GPU memory page fault: usually an illegal address in the program", WARNING(XID_RESTART_APP)},
    {32, "invalid or corrupted push buffer stream: program, driver or PCIe signal quality",
     WARNING(XID_RESTART_APP)},
    {37, "driver firmware error", WARNING(XID_INVESTIGATE)},
    {38, "driver firmware error", WARNING(XID_INVESTIGATE)},
    {39, "copy engine exception", WARNING(XID_RESTART_APP)},
    {40, "copy engine exception", WARNING(XID_RESTART_APP)},
    {41, "copy engine exception", WARNING(XID_RESTART_APP)},
    {42, "video processor exception", WARNING(XID_INVESTIGATE)},
    {43, "the program's channel was stopped after a fault; the GPU itself stays usable", WARNING(XID_IGNORE)},
    {44, "graphics engine fault during a context switch", INFO(XID_IGNORE)},
    {45, "channels torn down, as after an earlier error or a killed program", WARNING(XID_INVESTIGATE)},
    {46, "GPU stopped processing", FAULT(XID_RESET_GPU)},
    {47, "video processor exception", WARNING(XID_INVESTIGATE)},
    {48, "double bit ECC error", FAULT(XID_INVESTIGATE)},
    {54, "auxiliary power is not connected to the GPU board", FAULT(XID_CHECK_POWER)},
    {56, "display engine error", WARNING(XID_INVESTIGATE)},
    {57, "error programming the video memory interface", WARNING(XID_INVESTIGATE)},
    {58, "unstable video memory interface, or clock mode errors seen by software", WARNING(XID_INVESTIGATE)},
    {59, "internal microcontroller error", WARNING(XID_INVESTIGATE)},
    {60, "video processor exception", WARNING(XID_INVESTIGATE)},
    {61, "internal microcontroller breakpoint or warning", WARNING(XID_INVESTIGATE)},
    {62, "internal microcontroller halt", FAULT(XID_RESET_GPU)},
    {63, "row remapping or page retirement recorded: takes effect at the next GPU reset",
     INFO(XID_RESET_GPU)},
    {64, "row remapping or page retirement could not be recorded", FAULT(XID_RESET_GPU)},
    {65, "video processor exception", WARNING(XID_INVESTIGATE)},
    {66, "illegal access by the driver", IGNORED},
    {67, "illegal access by the driver", IGNORED},
    {68, "video decoder exception", WARNING(XID_RESTART_APP)},
    {69, "graphics engine class error", WARNING(XID_RESTART_APP)},
    {70, "copy engine exception", WARNING(XID_RESTART_APP)},
    {71, "copy engine exception", WARNING(XID_RESTART_APP)},
    {72, "copy engine exception", WARNING(XID_RESTART_APP)},
    {73, "video encoder exception", WARNING(XID_INVESTIGATE)},
    {74, "NVLink error: the link, its peer or the other GPU", FAULT(XID_INVESTIGATE)},
    {76, "non-fatal violation in the video processor", INFO(XID_INVESTIGATE)},
    {77, "non-fatal violation in the video processor", INFO(XID_INVESTIGATE)},
    {78, "vGPU start error", WARNING(XID_UPDATE)},
    {79, "GPU has fallen off the bus: power, slot, heat or the board itself", FAULT(XID_RESTART_NODE)},
    {80, "corrupted data sent to the GPU", WARNING(XID_RESTART_APP)},
    {81, "VGA subsystem error", WARNING(XID_INVESTIGATE)},
    {82, "JPEG engine error", WARNING(XID_INVESTIGATE)},
    {83, "video decoder error", WARNING(XID_INVESTIGATE)},
    {84, "video decoder error", WARNING(XID_INVESTIGATE)},
    {88, "video decoder error", WARNING(XID_INVESTIGATE)},
    {89, "video decoder error", WARNING(XID_INVESTIGATE)},
    {92, "high rate of single bit ECC errors", WARNING(XID_IGNORE)},
    {93, "non-fatal violation of provisioned InfoROM wear limit", IGNORED},
    {94, "contained uncorrectable ECC error: the program that used the page was ended",
     WARNING(XID_RESTART_APP)},
    {95, "uncontained uncorrectable ECC error", FAULT(XID_RESET_GPU)},
    {96, "video decoder error", WARNING(XID_INVESTIGATE)},
    {97, "video decoder error", WARNING(XID_INVESTIGATE)},
    {98, "JPEG engine error", WARNING(XID_INVESTIGATE)},
    {99, "optical flow accelerator error", WARNING(XID_INVESTIGATE)},
    {106, "SMBus message test", IGNORED},
    {107, "SMBus message test", IGNORED},
    {109, "context switch timeout", FAULT(XID_RESET_GPU)},
    {110, "security fault: the GPU's own processor violated its protection", FAULT(XID_RESET_GPU)},
    {119, "the GPU system processor (GSP) did not answer in time", FAULT(XID_RESET_GPU)},
    {120, "the GPU system processor (GSP) reported an error", FAULT(XID_RESET_GPU)},
    {121, "chip-to-chip link error that was corrected", INFO(XID_IGNORE)},
    {122, "SPI flash read failure", WARNING(XID_CONTACT_SUPPORT)},
    {123, "SPI flash write failure", WARNING(XID_RESET_GPU)},
    {124, "SPI flash erase failure", WARNING(XID_RESET_GPU)},
    {125, "InfoROM file system failure", WARNING(XID_CONTACT_SUPPORT)},
    {136, "link training failed", WARNING(XID_RESET_GPU)},
    {137, "NVLink fault: a peer's access was refused", WARNING(XID_IGNORE)},
    {140, "unrecovered ECC error", FAULT(XID_RESET_GPU)},
    {141, "a page fault was handled", IGNORED},
    {143, "GPU could not be initialised", FAULT(XID_RESET_GPU)},
    {144, "NVLink 5: SAW error", FAULT(XID_INVESTIGATE)},
    {145, "NVLink 5: RLW error", FAULT(XID_INVESTIGATE)},
    {146, "NVLink 5: TLW error", FAULT(XID_INVESTIGATE)},
    {147, "NVLink 5: TREX error", FAULT(XID_INVESTIGATE)},
    {148, "NVLink 5: NVLPW or control error", FAULT(XID_INVESTIGATE)},
    {149, "NVLink 5: NETIR error", FAULT(XID_INVESTIGATE)},
    {150, "NVLink 5: MSE error", FAULT(XID_INVESTIGATE)},
    {151, "key rotation error", WARNING(XID_RESTART_APP)},
    {154, "the GPU's recovery action has changed", WARNING(XID_FOLLOW_TEXT)},
    {155, "NVLink switched off by software", WARNING(XID_RESET_GPU)},
    {156, "resource retirement recorded: takes effect at the next GPU reset", WARNING(XID_RESET_GPU)},
    {157, "resource retirement could not be recorded", WARNING(XID_IGNORE)},
    {158, "fatal timeout in the GPU", WARNING(XID_RESET_GPU)},
    {160, "channel retirement recorded", IGNORED},
    {161, "channel retirement could not be recorded", INFO(XID_IGNORE)},
};

static const struct xid_meaning sxids[] = {
    {11004, "ingress invalid address: a GPU sent a request that the switch has no route for",
     WARNING(XID_INVESTIGATE)},
    {11012, "ingress single bit ECC errors above their threshold", WARNING(XID_INVESTIGATE)},
    {12028, "egress non-posted privilege error: a peer's access was refused, as after a program was killed",
     WARNING(XID_IGNORE)},
    {14017, "transmit buffer parity or ECC limit", WARNING(XID_INVESTIGATE)},
    {19084, "AN1 heartbeat timeout", WARNING(XID_INVESTIGATE)},
    {20001, "transmit replay: the link sent data again", WARNING(XID_INVESTIGATE)},
    {20009, "receive short error rate: signal quality of the link", WARNING(XID_INVESTIGATE)},
    {20012, "the link was trained again in full", WARNING(XID_INVESTIGATE)},
    {22013, "minion link interrupt", WARNING(XID_INVESTIGATE)},
    {24007, "source track timeout error", WARNING(XID_INVESTIGATE)},
    {28006, "multicast tag store credit timeout", WARNING(XID_INVESTIGATE)},
};

static const struct xid_meaning unknown_xid = {0, "not in the catalog", WARNING(XID_INVESTIGATE)};
static const struct xid_meaning fatal_sxid = {
    0, "fatal NVSwitch error: NVLink traffic through this switch stops", FAULT(XID_INVESTIGATE)};
static const struct xid_meaning unknown_sxid = {0, "NVSwitch error that is not in the catalog",
                                                WARNING(XID_INVESTIGATE)};

static const struct xid_meaning *find(const struct xid_meaning *rows, size_t count, unsigned number)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].number == number)
            return &rows[i];
    return NULL;
}

const struct xid_meaning *xid_find(unsigned number)
{
    const struct xid_meaning *row = find(xids, ARRAY_SIZE(xids), number);

    return row != NULL ? row : &unknown_xid;
}

const struct xid_meaning *sxid_find(unsigned number, bool fatal)
{
    const struct xid_meaning *row = find(sxids, ARRAY_SIZE(sxids), number);

    if (fatal)
        return &fatal_sxid;
    return row != NULL ? row : &unknown_sxid;
}

const char *xid_action_text(enum xid_action action)
{
    static const char *const texts[] = {
        [XID_IGNORE] = "none needed, if it stays alone",
        [XID_RESTART_APP] = "restart the program",
        [XID_RESET_GPU] = "reset the GPU",
        [XID_RESTART_NODE] = "restart the host; if it returns, check seating and power, then replace",
        [XID_CHECK_POWER] = "check power cables and seating",
        [XID_UPDATE] = "update driver and firmware",
        [XID_INVESTIGATE] = "investigate: follow the vendor's steps for this number",
        [XID_FOLLOW_TEXT] = "do what the message says",
        [XID_CONTACT_SUPPORT] = "contact the vendor's support",
    };

    return texts[action];
}
