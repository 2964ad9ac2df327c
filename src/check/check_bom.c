/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each host is made of, with serial numbers: the asset list of the report. Hosts of one platform are
 * bought alike, so processors, memory and NVMe drives must be the same on all; a memory slot that is empty on
 * one host only is named.
 *
 *   dimm.*, cpu.*, psu.*, bios.*, system.*, board.*, chassis.*   by dmidecode (root)
 *   disk.model .size .serial (nvme0n1)   by lsblk     cpu.logical, cpu.sockets, numa.nodes   by lscpu
 *   nic.model (PCI address)              by lspci     gpu.*   by nvidia-smi
 *   nvme.health "well", or what drives warn of (a finding too), or why they were not asked   by nvme smart-log (root)
 *   nvme.read   "yes", "none" without drives, or why one was not asked: undecided where another host was
 *   nvswitch.firmware (PCI address)      by the driver, in /proc/driver/nvidia-nvswitch
 *   aer.correctable .nonfatal .fatal, edac.ce .ue   what the kernel counted of devices and memory since boot, of each the largest;
 *               in a run that looks twice at a host by how much that of each device grew (RULE_GROWN)
 *   nvme.kinds "8 x SAMSUNG ... 3840755982336 B"   nic.kinds   gpu.kinds   nvswitch.kinds   of all together
 */
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/check.h"
#include "assay/reasons/words.h"

#include "kinds.h"
#include "rules.h"
#include "script.h"
#include "window_growth.h"

static void command_dmidecode(const struct check_context *context, struct text *out)
{
    command_tool(context, out, "dmidecode");
    text_put(out, " -t 0,1,2,3,4,16,17,39,127");
}

static void command_lspci(const struct check_context *context, struct text *out)
{
    command_tool(context, out, "lspci");
    text_put(out, " -D -nn");
}

static bool is_nic(const char *class)
{
    return strstr(class, "[0200]") != NULL || strstr(class, "[0207]") != NULL;
}

/* Of hundreds of devices the network adapters. */
static void add_nics(struct reading *out, const struct reading *lspci)
{
    struct kinds kinds = {.arena = out->arena};

    list_each (fact, lspci->facts) {
        const char *name;

        if (strcmp(fact->name, "pci.class") != 0 || !is_nic(fact->value))
            continue;
        name = reading_get_fact(lspci, "pci.name", fact->subject);
        if (name == NULL)
            continue;
        reading_fact(out, "nic.model", fact->subject, slice_of(name));
        kinds_count(&kinds, name);
    }
    kinds_tell(out, "nic.kinds", &kinds);
}

static void add_gpus(struct reading *out, const struct reading *smi)
{
    static const char *const kept[] = {"gpu.name",  "gpu.serial", "gpu.uuid",       "gpu.pci_address",
                                       "gpu.vbios", "gpu.part",   "gpu.board_part", "driver.version"};
    struct kinds kinds = {.arena = out->arena};

    list_each (fact, smi->facts) {
        for (size_t k = 0; k < ARRAY_SIZE(kept); k++)
            if (strcmp(fact->name, kept[k]) == 0)
                reading_fact(out, fact->name, fact->subject, slice_of(fact->value));
        if (strcmp(fact->name, "gpu.name") == 0)
            kinds_count(&kinds, fact->value);
    }
    kinds_tell(out, "gpu.kinds", &kinds);
}

/* One whose firmware was not told is undecided by its own row, and then so are they all together. */
static void add_switches(struct reading *out)
{
    struct kinds kinds = {.arena = out->arena};

    if (reading_is_unread(out, "nvswitch.firmware"))
        return;
    for (size_t i = 0; i < out->facts.count; i++)
        if (strcmp(out->facts.items[i].name, "nvswitch.firmware") == 0)
            kinds_count(&kinds, out->facts.items[i].value);
    kinds_tell(out, "nvswitch.kinds", &kinds);
}

static void add_drives(struct reading *out)
{
    struct kinds kinds = {.arena = out->arena};

    if (reading_get_fact(out, "disk.read", "") == NULL)
        return;
    for (size_t i = 0; i < out->facts.count; i++) {
        const struct fact *fact = &out->facts.items[i];
        const char *model = reading_get_fact(out, "disk.model", fact->subject);

        if (strcmp(fact->name, "disk.size") == 0 && strncmp(fact->subject, "nvme", 4) == 0)
            kinds_count(&kinds,
                        arena_printf(out->arena, "%s %s", model != NULL ? model : "unnamed", fact->value));
    }
    kinds_tell(out, "nvme.kinds", &kinds);
}

/* A drive that warns is bad, whatever it still does. One that was not asked is not known. */
static void add_health(struct reading *out, const struct reading *drives)
{
    struct arena *arena = out->arena;
    const struct reason *bad = NULL, *unread = NULL;
    bool any = false;

    list_each (fact, drives->facts) {
        if (strcmp(fact->name, "nvme.warning") != 0)
            continue;
        any = true;
        if (strcmp(fact->value, "0") == 0)
            continue;
        bad = reason_also(arena, bad,
                          reason(arena, about, fact->subject, reason(arena, critical_warning, fact->value)));
        reading_finding(out, SEVERITY_FAULT, "nvme.warning", fact->subject,
                        reason(arena, drive_gives_warning, fact->value));
    }
    for (size_t i = 0; i < drives->findings.count && unread == NULL; i++)
        unread = reason(arena, about, drives->findings.items[i].subject, drives->findings.items[i].what);
    if (unread != NULL)
        unread = reason(arena, not_read, unread);
    if (drives->status != READING_COMPLETE)
        unread = reason(arena, not_read, drives->reason);
    if (bad == NULL && unread == NULL)
        reading_fact(out, "nvme.health", "", slice_of("well"));
    else
        reading_fact_said(out, "nvme.health", "", bad != NULL ? bad : unread);
    if (unread != NULL)
        reading_fact_said(out, "nvme.read", "", unread);
    else
        reading_fact(out, "nvme.read", "", slice_of(any ? "yes" : "none"));
}

static size_t count_facts(const struct reading *reading, const char *name)
{
    size_t count = 0;

    for (size_t i = 0; i < reading->facts.count; i++)
        count += strcmp(reading->facts.items[i].name, name) == 0;
    return count;
}

/* Of all hosts alike a module may be missing: processors of one host take the same memory. */
static void add_balance(struct reading *out, const struct reading *board)
{
    size_t modules = count_facts(board, "dimm.size"), processors = count_facts(board, "cpu.model");

    if (modules == 0 || processors == 0 || reading_get_fact(board, "dimm.empty", "") == NULL)
        return;
    if (modules % processors == 0)
        reading_fact(out, "advised.memory", "", slice_of("even"));
    else
        reading_fact_said(out, "advised.memory", "",
                          reason(out->arena, modules_on_processors, modules, processors));
}

/* Without root the board tells nothing: that says something about rights, and nothing about the host. */
static void lack_board(struct reading *out, const struct reading *board)
{
    static const char *const owed[] = {"cpu.kinds", "dimm.kinds", "dimm.empty"};

    for (size_t i = 0; i < ARRAY_SIZE(owed); i++)
        reading_unread(out, owed[i], "", reason(out->arena, by_dmidecode, board->reason));
}

static void read_board(const struct check_context *context, const struct attempt *attempt,
                       struct reading *out)
{
    const struct reading *board = &attempt->parts.items[0].reading, *lspci = &attempt->parts.items[1].reading,
                         *smi = &attempt->parts.items[2].reading, *values = &attempt->parts.items[3].reading;
    const struct reading *owed[] = {board->status == READING_FAILED ? lspci : board, lspci, smi, values};

    const struct part *counters = attempt_part(attempt, "kernel-counters");

    (void)context;
    out->status = READING_COMPLETE;
    for (size_t i = 0; i < ARRAY_SIZE(owed); i++)
        if (owed[i]->status < out->status)
            reading_set(out, owed[i]->status, reason(out->arena, about, owed[i]->tool, owed[i]->reason));
    if (board->status == READING_FAILED) {
        lack_board(out, board);
    } else {
        reading_merge(out, board);
        add_balance(out, board);
    }
    reading_merge(out, values);
    if (counters != NULL && counters->reading.status == READING_COMPLETE)
        growth_kernel_largest(&counters->reading, out);
    if (lspci->status == READING_COMPLETE)
        add_nics(out, lspci);
    if (smi->status == READING_COMPLETE)
        add_gpus(out, smi);
    add_drives(out);
    add_switches(out);
    add_health(out, &attempt->parts.items[4].reading);
}

#define ALIKE "assay: hosts of one platform are built alike"

static const struct check_asset assets[] = {
    {"system", {{"system.product"}, {"system.manufacturer"}}, "system.serial"},
    {"chassis", {{"chassis.manufacturer"}}, "chassis.serial"},
    {"board", {{"board.product"}, {"board.manufacturer"}}, "board.serial"},
    {"firmware", {{"bios.version"}, {"bios.date"}, {"bios.vendor"}}, NULL},
    {"processor", {{"cpu.model"}, {"cpu.cores", .behind = " cores"}}, "cpu.serial"},
    {"memory",
     {{"dimm.size"}, {"dimm.type"}, {"dimm.configured_speed"}, {"dimm.manufacturer"}, {"dimm.part_number"}},
     "dimm.serial"},
    {"drive", {{"disk.size", .bytes = true}, {"disk.model"}}, "disk.serial"},
    {"network adapter", {{"nic.model"}}, NULL},
    {"GPU", {{"gpu.name"}, {"gpu.vbios"}, {"gpu.uuid"}}, "gpu.serial"},
    {"NVSwitch", {{"nvswitch.firmware"}}, NULL},
    {"power supply", {{"psu.name"}, {"psu.manufacturer"}, {"psu.model"}, {"psu.power"}}, "psu.serial"},
    {0},
};

const struct check check_bom = {
    .name = "bom",
    .title = "Bill of materials",
    .summary =
        "processors, memory, NVMe drives, NICs, GPUs, power supplies with serials; the same on all hosts",
    .passive = true,
    .as_root = true,
    .arguments = ARGUMENTS(ALLOWED_ARGUMENT_ROW("{\"nvme.kinds\": \"8 x MODEL ... B|8 x OTHER ... B\"}")),
    .arguments_fault = rules_allowed_fault,
    .parts =
        PARTS({"dmidecode", "dmidecode", command_dmidecode, NULL}, {"lspci", "lspci", command_lspci, NULL},
              {"nvidia-smi", "nvidia-smi", command_nvidia_smi_query, NULL},
              {.name = "values", .parser = "key-value", .script = script_bom, .typed = "lscpu; lsblk"},
              {.name = "drives",
               .parser = "key-value",
               .script = script_drives,
               .typed = "nvme smart-log of each drive",
               .aside = true},
              {.name = "kernel-counters",
               .parser = "key-value",
               .script = script_window_hardware,
               .typed = "grep of error counters below /sys/bus/pci and /sys/devices/system/edac",
               .aside = true}),
    .items =
        ITEMS({"cpu.kinds", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_SAME("cpu.kinds", ALIKE)},
              {"cpu.logical", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_SAME("cpu.logical", ALIKE)},
              {"dimm.kinds", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_SAME("dimm.kinds", ALIKE)},
              {"dimm.empty", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_SAME("dimm.empty", ALIKE)},
              {"advised.memory", PER_TARGET, NULL, DUTY_RECORD,
               LIMITS RULES_EQUAL(
                   "advised.memory", "even",
                   "manufacturers of mainboards: every processor has equal memory modules in equal slots")},
              {"nvme.kinds", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_SAME("nvme.kinds", ALIKE)},
              {"nvme.health", PER_TARGET, NULL, DUTY_RECORD,
               LIMITS RULES_EQUAL("nvme.health", "well", "NVM Express, SMART log: critical warning",
                                  .inconclusive = true)},
              {"nvme.read", PER_TARGET, NULL, DUTY_GATE,
               LIMITS RULES_READ("nvme.read", REASON(health_of_drives), "NVM Express, SMART log")},
              {"nvswitch.kinds", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_SAME("nvswitch.kinds", ALIKE)},
              {"system.product", PER_TARGET, NULL, DUTY_RECORD, LIMITS RULES_SAME("system.product", ALIKE)},
              {"board.product", PER_TARGET, NULL, DUTY_RECORD, LIMITS RULES_SAME("board.product", ALIKE)},
              {"nic.kinds", PER_TARGET, NULL, DUTY_RECORD, LIMITS RULES_SAME("nic.kinds", ALIKE)},
              {"gpu.kinds", PER_TARGET, NULL, DUTY_RECORD, LIMITS RULES_SAME("gpu.kinds", ALIKE)},
              {"numa.nodes", PER_TARGET, NULL, DUTY_RECORD, LIMITS RULES_SAME("numa.nodes", ALIKE)},
              {"psu.kinds", PER_TARGET, NULL, DUTY_RECORD, LIMITS RULES_SAME("psu.kinds", ALIKE)},
              {"system.serial", PER_TARGET, NULL, DUTY_RECORD, NULL},
              {"chassis.serial", PER_TARGET, NULL, DUTY_RECORD, NULL},
              {"board.serial", PER_TARGET, NULL, DUTY_RECORD, NULL}),
    .more_slots = growth_kernel_slots,
    .remedies =
        REMEDIES({"aer.*", REASON(reseat_device_test_again)}, {"edac.*", REASON(reseat_memory_module)},
                 {"dimm.*", REASON(reseat_memory_module)}, {"advised.memory", REASON(reseat_memory_module)},
                 {"cpu.*", REASON(compare_processors)}, {"nvswitch.*", REASON(align_nvswitch_firmware)},
                 {"sound", REASON(replace_drive_that_warns)}, {"nvme.health", REASON(see_smart_log_of_drive)},
                 {"nvme.read", REASON(install_nvme_cli)}, {"nvme.*", REASON(reseat_unseen_drive)}),
    .listed = LISTED({LISTED_BOARDS, "system.serial", REASON(title_serial)},
                     {LISTED_BOARDS, "cpu.kinds", REASON(title_processors)},
                     {LISTED_BOARDS, "dimm.kinds", REASON(title_memory)},
                     {LISTED_BOARDS, "nvme.kinds", REASON(title_nvme)},
                     {LISTED_BOARDS, "gpu.kinds", REASON(word_gpus)}),
    .expected_s = 10,
    .read = read_board,
    .assets = assets,
};
