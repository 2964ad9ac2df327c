/* SPDX-License-Identifier: Apache-2.0 */
/* Which page of repair is about which failure: the first row that fits. */
#include "assay/check/repair.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "assay/reasons/check.h"
#include "assay/reasons/parse.h"
#include "assay/reasons/words.h"

/* What a BMC reports of a part, by whichever way it is asked. */
#define OF_BMC(page_, words_)                              \
    {"bmc", "bmc.*_faults", page_, NULL, words_},          \
    {                                                      \
        "redfish", "redfish.*_faults", page_, NULL, words_ \
    }

static const struct repair_row {
    const char *check, *metric, *page;
    const struct sentence *about; /* the row is for causes that have this; NULL: for all */
    const char *words; /* and for causes with one of these words, '|' between them; NULL: for all */
} rows[] = {
    /* What the kernel or a GPU says, whichever test it came in. */
    {"*", "*", "xid", &sentence_xid_line_explained},
    {"*", "*", "gpu-memory", &sentence_row_not_remapped},
    {"*", "*", "gpu-memory", &sentence_memory_unrepairable},
    {"*", "*", "gpu-memory", &sentence_sram_errors_beyond_allowed},
    {"*", "window.ecc*", "gpu-memory", NULL},
    {"*", "window.nvlink*", "nvlink", NULL},
    {"*", "window.gpu*", "gpu-missing", NULL},
    {"*", "window.hardware", "pcie", NULL},
    {"*", "window.drives", "drive", NULL},
    {"*", "window.ports", "port", NULL},
    {"*", "window.links", "port", NULL},
    {"*", "window.temperature*", "heat", NULL},
    {"*", "window.throttle*", "heat", NULL},
    {"*", "window.clock*", "gpu-slow", NULL},
    {"*", "beside.slowdown", "heat", NULL},
    {"*", "beside.results", "gpu-wrong", NULL},
    {"*", "beside.gflops", "gpu-slow", NULL},
    {"*", "beside.*", NULL, NULL},
    {"*", "window.*", NULL, NULL},
    {"*", "kernel.log", NULL, NULL},

    {"reachable", "sound", "host-down", NULL},

    {"gpu-inventory", "gpu.count", "gpu-missing", NULL},
    {"gpu-inventory", "pci.*", "gpu-missing", NULL},
    {"gpu-inventory", "gpu.uuid", "gpu-missing", NULL},
    {"gpu-inventory", "gpu.board", "gpu-missing", NULL},
    {"gpu-inventory", "gpu.*_after_reset", "gpu-settings", NULL},
    {"gpu-inventory", "pcie.*", "pcie", NULL},
    {"gpu-inventory", "gpu.vbios*", "firmware", NULL},
    {"gpu-inventory", "gpu.gsp*", "driver", NULL},
    {"gpu-inventory", "advised.gsp", "driver", NULL},
    {"gpu-inventory", "gpu.inforom*", "rma", NULL},
    {"gpu-inventory", "*", "gpu-missing", NULL},
    {"driver", "*", "driver", NULL},
    {"gpu-settings", "gpu.power_limit_default", "rma", NULL},
    {"gpu-settings", "*", "gpu-settings", NULL},
    {"health", "gpu.throttle.hw_power_brake", "power", NULL},
    {"health", "pcie.*", "pcie", NULL},
    {"health", "gpu.t*", "heat", NULL},
    {"health", "*", "gpu-memory", NULL},
    {"ecc", "*", "gpu-memory", NULL},
    {"xid", "*", "xid", NULL},
    {"fabric-manager", "*", "fabric-manager", NULL},
    {"nvlink-domain", "*", "imex", NULL},
    {"nvlink", "*", "nvlink", NULL},
    {"topology", "topo.link", "nvlink", NULL},
    {"topology", "*", "pcie", NULL},
    {"pcie-link", "*", "pcie", NULL},
    {"p2p-bandwidth", "p2p.*", "nvlink", NULL},
    {"nvbandwidth", "nvbandwidth.host_*", "pcie", NULL},
    {"nvbandwidth", "nvbandwidth.device_to_host_*", "pcie", NULL},
    {"nvbandwidth", "nvbandwidth.*", "nvlink", NULL},
    {"gpu-links", "gpu_links.up*", "pcie", NULL},
    {"gpu-links", "gpu_links.down*", "pcie", NULL},
    {"gpu-links", "gpu_links.*", "nvlink", NULL},

    {"gpu-burn", "*gflops*", "gpu-slow", NULL},
    {"gpu-burn", "gpu_burn.lasted", "program", NULL},
    {"gpu-burn", "*", "gpu-wrong", NULL},
    {"gpu-sdc", "*", "gpu-wrong", NULL},
    {"gpu-memory", "gpu_memory.wrong_words", "gpu-wrong", NULL},
    {"gpu-memory", "gpu_memory.contents", "gpu-wrong", NULL},
    {"gpu-memory", "sound", "gpu-wrong", NULL},
    {"gpu-memory", "*", "gpu-slow", NULL},
    {"gpu-compute", "*", "gpu-slow", NULL},
    {"dcgm-diag", "*", "gpu-wrong", NULL},
    {"training-step", "training.tflops", "gpu-slow", NULL},
    {"training-step", "training.forward", "gpu-slow", NULL},
    {"training-step", "*", "gpu-wrong", NULL},
    {"training-hosts", "probe.hosts", "launch", NULL},
    {"training-hosts", "training.tflops", "slow-host", NULL},
    {"training-hosts", "training.host_forward", "slow-host", NULL},
    {"training-hosts", "training.*", "gpu-wrong", NULL},
    {"gpu-power", "power.*", "power", NULL},

    {"ib-port", "ib.firmware", "firmware", NULL},
    {"ib-port", "*", "port", NULL},
    {"ib-phy", "*", "port", NULL},
    {"fabric-counters", "eth.*_discards_phy", "roce", NULL},
    {"fabric-counters", "*", "port", NULL},
    {"fabric-links", "links.typical", "slow-host", NULL},
    {"fabric-links", "links.*", "port", NULL},
    {"ethernet-links", "links.*", "port", NULL},
    {"fabric-phy", "quality.*", "port", NULL},
    {"roce", "*", "roce", NULL},
    {"cabling", "cabling.rail", "cabling", NULL},
    {"cabling*", "cabling.rate*", "port", NULL},
    {"cabling*", "*", "cabling", NULL},
    {"rdma-*", "rdma.*", "slow-host", NULL},
    {"nccl-*", "*wrong*", "gpu-wrong", NULL},
    {"nccl-*", "nccl.rounds", "program", NULL},
    {"nccl-*", "nccl.*", "slow-host", NULL},
    {"probe-collective", "*wrong*", "gpu-wrong", NULL},
    {"probe-collective", "probe.*", "slow-host", NULL},
    {"mpi-launch", "*", "launch", NULL},
    {"line", "*", "line", NULL},

    {"bom", "aer.*", "pcie", NULL},
    {"bom", "edac.*", "host-memory", NULL},
    {"bom", "dimm.*", "host-memory", NULL},
    {"bom", "advised.memory", "host-memory", NULL},
    {"bom", "nvme.*", "drive", NULL},
    {"bom", "sound", "drive", NULL},
    {"bom", "nvswitch.*", "firmware", NULL},
    {"bom", "cpu.*", "os", NULL},
    {"bmc", "bmc.firmware", "firmware", NULL},
    {"bmc", "bmc.clock", NULL, NULL},
    /* What it says of an event comes before where that was: a hot DIMM is hot. None of these is power. */
    OF_BMC("pcie", "Bus Fatal|Bus Uncorrectable|PCI SERR|PCI PERR"),
    OF_BMC("heat", "Temp|Thermal|Fan|Cooling"),
    OF_BMC("nvlink", "NVLink|NVSwitch"),
    OF_BMC("xid", "GPU"),
    OF_BMC("host-memory", "Uncorrectable|ECC|Machine Check|IERR|Memory|DIMM|Processor|CPU"),
    OF_BMC("drive", "Drive|NVMe|In Critical Array|In Failed Array"),
    OF_BMC("pcie", "PCI"),
    {"bmc", "*", "power", NULL},
    {"redfish", "redfish.firmware*", "firmware", NULL},
    {"redfish", "redfish.*_faults", "power", NULL},
    {"redfish", "redfish.power_supplies", "power", NULL},
    {"redfish", "redfish.fans", "heat", NULL},
    {"redfish", "redfish.boot_mode", "firmware", NULL},
    {"redfish", "redfish.secure_boot", "firmware", NULL},
    {"redfish", "*", "posture", NULL},
    {"bmc-network", "*", "posture", NULL},
    {"os", "bios.*", "firmware", NULL},
    {"os", "*", "os", NULL},
    {"space", "*", "space", NULL},
    {"md-raid", "*", "drive", NULL},
    {"setup", "setup.free_space", "space", NULL},
    {"container-runtime", "*", "containers", NULL},
    {"ssh-hardening", "*", "posture", NULL},
    {"posture", "*", "posture", NULL},
    {"advisories", "advisories.tables", NULL, NULL},
    {"advisories", "advisories.nvidia_driver*", "driver", NULL},
    {"advisories", "advisories.dcgm*", "driver", NULL},
    {"advisories", "*", "containers", NULL},
    {"support", "support.tables", NULL, NULL},
    {"support", "support.nvidia_driver*", "driver", NULL},
    {"support", "*", "os", NULL},
    {"storage", "storage.*.runtime", "program", NULL},
    {"storage*", "*", "storage", NULL},
    {"object-store", "*", "storage", NULL},
    {"ascend-npu", "*", "npu", NULL},
};

/* Whose work it is, in this order: what needs nobody at the rack comes first, a new part last. */
enum { SETTINGS = 1, RESET = 2, RACK = 4, VENDOR = 8 };

/* As the page says below its title, by what it asks for. */
static const struct {
    const char *page;
    unsigned hands;
} acts[] = {
    {"cabling", RACK},
    {"containers", SETTINGS},
    {"drive", RACK | VENDOR},
    {"driver", SETTINGS | RESET},
    {"fabric-manager", SETTINGS | RESET},
    {"firmware", SETTINGS | RESET},
    {"gpu-memory", RESET | VENDOR},
    {"gpu-missing", RESET | RACK | VENDOR},
    {"gpu-settings", SETTINGS},
    {"gpu-slow", SETTINGS | RESET | RACK | VENDOR},
    {"gpu-wrong", RACK | VENDOR},
    {"heat", RACK | VENDOR},
    {"host-down", RESET | RACK | VENDOR},
    {"host-memory", RESET | RACK | VENDOR},
    {"imex", SETTINGS | RACK},
    {"launch", SETTINGS},
    {"line", SETTINGS},
    {"npu", RESET | RACK | VENDOR},
    {"nvlink", RESET | RACK | VENDOR},
    {"os", SETTINGS},
    {"pcie", RESET | RACK | VENDOR},
    {"port", RACK | VENDOR},
    {"posture", SETTINGS},
    {"power", SETTINGS | RACK},
    {"program", SETTINGS},
    {"rma", VENDOR},
    {"roce", SETTINGS},
    {"slow-host", SETTINGS | RACK},
    {"space", SETTINGS},
    {"storage", SETTINGS | VENDOR},
    {"xid", RESET | RACK | VENDOR},
};

static unsigned hands_of(const char *page)
{
    for (size_t i = 0; i < ARRAY_SIZE(acts); i++)
        if (strcmp(acts[i].page, page) == 0)
            return acts[i].hands;
    return 0;
}

/* The bits in their order; a brief one has no words of what is done. */
static const struct {
    unsigned all; /* of these bits */
    const struct reason *told, *brief;
} parts[] = {
    {SETTINGS | RESET, REASON(acts_settings_reset), REASON(acts_administrator)},
    {SETTINGS, REASON(acts_settings), REASON(acts_administrator)},
    {RESET, REASON(acts_reset), REASON(acts_administrator)},
    {RACK, REASON(acts_rack), REASON(acts_technician)},
    {VENDOR, REASON(acts_vendor), REASON(word_vendor)},
};

const struct reason *repair_hands(struct arena *arena, const char *const *pages, size_t count, bool brief)
{
    const struct reason *who = NULL;
    unsigned hands = 0;

    for (size_t i = 0; i < count; i++)
        hands |= hands_of(pages[i]);
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        const struct reason *next = brief ? parts[i].brief : parts[i].told;

        if ((hands & parts[i].all) != parts[i].all)
            continue;
        hands &= ~parts[i].all;
        if (who == NULL)
            who = next;
        else
            who = brief ? reason(arena, acts_then_brief, who, next) : reason(arena, acts_then, who, next);
    }
    return who;
}

/* "SystemFan1" has the word Fan, "attempt" has not Temp. */
static bool begins_word(const char *text, const char *at)
{
    unsigned char before = at > text ? (unsigned char)at[-1] : ' ', first = (unsigned char)*at;

    return !isalpha(before) || (islower(before) && isupper(first));
}

static bool has_word(const char *text, const char *word, size_t length)
{
    for (const char *at = text; *at != '\0'; at++)
        if (strncasecmp(at, word, length) == 0 && begins_word(text, at))
            return true;
    return false;
}

static bool mentions_word(const struct reason *reason, const char *word, size_t length)
{
    for (size_t i = 0; reason != NULL && i < reason->count; i++)
        if (reason->arguments[i].text != NULL ? has_word(reason->arguments[i].text, word, length)
                                              : mentions_word(reason->arguments[i].reason, word, length))
            return true;
    return false;
}

static bool mentions_one(const struct reason *reason, const char *words)
{
    for (const char *word = words; *word != '\0'; word += word[0] == '|') {
        size_t length = strcspn(word, "|");

        if (mentions_word(reason, word, length))
            return true;
        word += length;
    }
    return false;
}

static bool is_about(const struct repair_row *row, const char *check, const char *metric,
                     const struct reason *cause)
{
    return fnmatch(row->check, check, 0) == 0 && fnmatch(row->metric, metric, 0) == 0 &&
           (row->about == NULL || reason_has_(cause, row->about)) &&
           (row->words == NULL || mentions_one(cause, row->words));
}

const char *repair_class(const char *check, const char *metric, const struct reason *cause)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (is_about(&rows[i], check, metric, cause))
            return rows[i].page;
    return NULL;
}

static bool is_there(const struct repair_pages *pages, const char *page)
{
    list_each (known, pages->items)
        if (strcmp(*known, page) == 0)
            return true;
    return false;
}

void repair_pages_of(struct arena *arena, const char *check, struct repair_pages *ret_pages)
{
    *ret_pages = (struct repair_pages){0};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (rows[i].page != NULL && strcmp(rows[i].check, "*") != 0 &&
            fnmatch(rows[i].check, check, 0) == 0 && !is_there(ret_pages, rows[i].page))
            *list_push(arena, &ret_pages->items) = rows[i].page;
}
