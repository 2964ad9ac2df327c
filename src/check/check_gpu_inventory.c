/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GPUs that the platform promises: the PCI bus and the driver must both see them, and see the same ones.
 * A GPU that lspci shows and nvidia-smi does not has fallen off; one that neither shows is missing. No two GPUs of the
 * run are one, and all of a platform are built alike, in what stands in `alike`.
 *
 *   gpu.inforom   ok | corrupted: nvidia-smi says so in a line of its own
 *   gpu.gsp       its firmware: driver's | N/A (the driver runs without it) | version. A driver brings its own, so
 *                 a host with another driver is not another GPU for it
 *   gpu.board     its serial number | none: it tells none | module: that of another GPU on the same module or board
 *   gpu.ecc_after_reset .mig_after_reset   unchanged, or the mode that waits for a reset
 *   gpu.memory_of_model   yes | "79511 MiB, of 80 GB": of a platform with models of several sizes, by the GPU's own name
 *   advised.gsp   yes | which GPU runs without it
 */
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/check.h"
#include "assay/reasons/words.h"

#include "rules.h"
#include "smi.h"

#define MIB_OF_GIB 1024.0

static double memory_mib(const struct platform *platform)
{
    return platform->gpu_memory_gib * MIB_OF_GIB;
}

static double pcie_generation(const struct platform *platform)
{
    return platform->pcie_generation;
}

static double pcie_lanes(const struct platform *platform)
{
    return platform->pcie_lanes;
}

/* What all GPUs of a platform have alike, unless the suite says which are allowed. */
static const struct alike {
    const char *metric;
    bool optional; /* some GPUs do not have it: "N/A", which is alike too */
    bool
        as_good; /* a part that was replaced may have another, and is as good: it is named and does not fail */
    const char *right; /* NULL: whatever most have */
    /* What the platform declares at least: hosts that lack the same are alike too. 0, NULL: nothing */
    double (*least)(const struct platform *platform);
    const char *unit;
} alike[] = {
    {"gpu.vbios"},
    {"gpu.inforom_image", .optional = true},
    {"gpu.gsp"},
    {"gpu.memory_total", .least = memory_mib, .unit = "MiB"},
    {"pcie.generation.max", .least = pcie_generation, .unit = ""},
    {"pcie.width.max", .least = pcie_lanes, .unit = ""},
    {"gpu.ecc_after_reset", .right = "unchanged"},
    {"gpu.mig_after_reset", .right = "unchanged"},
    {"gpu.part_number", .as_good = true},
};

#define BOARD_UNTOLD "none"
#define BOARD_OF_MODULE "module"

enum { ALIKE_COUNT = ARRAY_SIZE(alike) };

static const char *allowed_fault(const struct check_context *context)
{
    json_each (value, json_get(context->step->arguments, ALLOWED_ARGUMENT)) {
        bool known = false;

        for (size_t i = 0; i < ALIKE_COUNT; i++)
            known |= strcmp(alike[i].metric, value->key) == 0;
        if (!known)
            return arena_printf(context->arena, "\"allowed\" names %s, which is nothing that is compared",
                                value->key);
    }
    return NULL;
}

static void command_lspci(const struct check_context *context, struct text *out)
{
    command_tool(context, out, "lspci");
    text_put(out, " -D -nn -d 10de:");
}

/* The first fact of `name` in one whose value no fact of `other` in the second has; NULL: all are there. */
static const char *missing_in(const struct reading *one, const char *name, bool by_subject,
                              const struct reading *two, const char *other, bool other_by_subject)
{
    list_each (fact, one->facts) {
        const char *address = by_subject ? fact->subject : fact->value;
        bool found = false;

        if (strcmp(fact->name, name) != 0)
            continue;
        for (size_t k = 0; k < two->facts.count && !found; k++)
            found = strcmp(two->facts.items[k].name, other) == 0 &&
                    strcmp(address,
                           other_by_subject ? two->facts.items[k].subject : two->facts.items[k].value) == 0;
        if (!found)
            return address;
    }
    return NULL;
}

static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (; *list != '\0'; list += strcspn(list, "|"), list += *list == '|')
        if (strcspn(list, "|") == length && memcmp(list, word, length) == 0)
            return true;
    return false;
}

/* All product names, each once: "NVIDIA H100 80GB HBM3"; "" when a GPU is without one. */
static const char *models(const struct reading *smi, struct arena *arena)
{
    const char *text = "";

    list_each (fact, smi->facts) {
        const char *name = reading_get_fact(smi, "gpu.name", fact->subject);

        if (strcmp(fact->name, "gpu.pci_address") != 0)
            continue;
        if (name == NULL)
            return "";
        if (!has_word(text, name))
            text = arena_printf(arena, "%s%s%s", text, *text != '\0' ? "|" : "", name);
    }
    return text;
}

static void tell_gsp(struct reading *out, const struct reading *smi, const char *gpu)
{
    const char *firmware = reading_get_fact(smi, "gpu.gsp_firmware", gpu),
               *driver = reading_get_fact(smi, "driver.version", "");

    if (firmware != NULL && driver != NULL && strcmp(firmware, driver) == 0)
        reading_fact_said(out, "gpu.gsp", gpu, REASON(gsp_of_driver));
    else
        reading_fact(out, "gpu.gsp", gpu, slice_of(firmware != NULL ? firmware : "N/A"));
}

/* The GPU's warning, by its address; what no GPU has stays a complaint of the whole. */
static const char *inforom_of(struct reading *out, const char *address)
{
    const char *state = "ok";

    for (size_t i = 0; i < out->findings.count; i++) {
        struct finding *finding = &out->findings.items[i];

        if (strcmp(finding->code, "gpu.inforom") == 0 && strcmp(finding->subject, address) == 0)
            state = "corrupted";
    }
    return state;
}

static bool is_gpus_address(const struct reading *smi, const char *address)
{
    for (size_t i = 0; i < smi->facts.count; i++)
        if (strcmp(smi->facts.items[i].name, "gpu.pci_address") == 0 &&
            strcmp(smi->facts.items[i].value, address) == 0)
            return true;
    return false;
}

/* What comes of the mode when the GPU is reset; the mode of now is judged by gpu-settings. */
static void tell_pending(struct reading *out, const char *fact, const char *gpu, const char *now,
                         const char *then)
{
    const char *mode = reading_get_fact(out, now, gpu), *pending = reading_get_fact(out, then, gpu);

    if (mode != NULL && pending != NULL)
        reading_fact(out, fact, gpu, slice_of(strcmp(mode, pending) == 0 ? "unchanged" : pending));
}

/* One of a lower number in the host has it too. */
static bool is_with_one_before(const struct reading *smi, unsigned number, const char *serial)
{
    for (unsigned i = 0; i < number; i++) {
        const char *other = reading_get_fact(smi, "gpu.serial", arena_printf(smi->arena, "gpu%u", i));

        if (other != NULL && strcmp(other, serial) == 0)
            return true;
    }
    return false;
}

/* Modules of several GPUs have one number: its first GPU answers for it. They are where NVLinks join hosts, as in NVL72, on some
   PCIe boards without NVLink, and of Grace and Blackwell also where NVLink stays in the host, as in GB200 NVL4. */
static bool has_modules(const struct platform *platform)
{
    if (platform->nvlink_domain_hosts > 1 || platform->nvlink_links == 0)
        return true;
    for (size_t i = 0; i < platform->gpu_models.count; i++)
        if (strncmp(platform->gpu_models.items[i], "NVIDIA GB", strlen("NVIDIA GB")) == 0)
            return true;
    return false;
}

static void tell_board(const struct check_context *context, const struct reading *smi, unsigned number,
                       const char *gpu, struct reading *out)
{
    const char *serial = reading_get_fact(smi, "gpu.serial", gpu);

    if (serial == NULL || strcmp(serial, "N/A") == 0 || strspn(serial, "0") == strlen(serial))
        serial = BOARD_UNTOLD;
    else if (has_modules(context->platform) && is_with_one_before(smi, number, serial))
        serial = BOARD_OF_MODULE;
    reading_fact(out, "gpu.board", gpu, slice_of(serial));
}

/* "NVIDIA A100-SXM4-80GB": 80; 0 where the name has none ("NVIDIA GB200"). */
static double gb_of_name(const char *name)
{
    for (const char *at = strstr(name, "GB"); at != NULL; at = strstr(at + 1, "GB")) {
        const char *digits = at;
        double number;

        while (digits > name && digits[-1] >= '0' && digits[-1] <= '9')
            digits--;
        if (scan_double((struct slice){digits, (size_t)(at - digits)}, &number))
            return number;
    }
    return 0;
}

static bool has_sizes(const struct platform *platform)
{
    return platform->gpu_models.count > 1;
}

/* Less than a GiB of it is the driver's own. */
static void tell_memory_of_model(struct reading *out, const struct reading *smi, const char *gpu)
{
    const struct measurement *memory = reading_get(smi, "gpu.memory_total", gpu);
    const char *name = reading_get_fact(smi, "gpu.name", gpu);
    double named = name != NULL ? gb_of_name(name) : 0;

    if (memory == NULL || name == NULL)
        return;
    if (memory->value > (named - 1) * MIB_OF_GIB)
        reading_fact(out, "gpu.memory_of_model", gpu, slice_of("yes"));
    else
        reading_fact_said(out, "gpu.memory_of_model", gpu,
                          reason(out->arena, memory_less_than_named, memory->value, named));
}

/* The first that runs without the GPU's own firmware; of one that does not tell it nothing is said. */
static void advise_gsp(struct reading *out, const struct platform *platform)
{
    bool all = true;

    for (unsigned i = 0; i < platform->gpu_count; i++) {
        const char *gpu = arena_printf(out->arena, "gpu%u", i),
                   *firmware = reading_get_fact(out, "gpu.gsp", gpu);

        all &= firmware != NULL;
        if (firmware != NULL && strcmp(firmware, "N/A") == 0) {
            reading_fact_said(out, "advised.gsp", "", reason(out->arena, gpu_without_gsp, gpu));
            return;
        }
    }
    if (all)
        reading_fact(out, "advised.gsp", "", slice_of("yes"));
}

/* Of each GPU that nvidia-smi shows whole. */
static void tell_builds(const struct check_context *context, const struct reading *smi, struct reading *out)
{
    for (unsigned i = 0; i < context->platform->gpu_count; i++) {
        const char *gpu = arena_printf(context->arena, "gpu%u", i);
        const char *address = reading_get_fact(smi, "gpu.pci_address", gpu);

        if (address == NULL)
            continue;
        reading_fact(out, "gpu.inforom", gpu, slice_of(inforom_of(out, address)));
        tell_gsp(out, smi, gpu);
        tell_memory_of_model(out, smi, gpu);
        tell_board(context, smi, i, gpu, out);
        tell_pending(out, "gpu.ecc_after_reset", gpu, "ecc.mode", "ecc.mode_pending");
        tell_pending(out, "gpu.mig_after_reset", gpu, "gpu.mig", "gpu.mig_pending");
        for (size_t k = 0; k < ALIKE_COUNT; k++)
            if (alike[k].optional && reading_get_fact(smi, alike[k].metric, gpu) == NULL)
                reading_fact(out, alike[k].metric, gpu, slice_of("N/A"));
    }
    for (size_t i = 0; i < out->findings.count; i++) {
        struct finding *finding = &out->findings.items[i];

        if (strcmp(finding->code, "gpu.inforom") == 0 && !is_gpus_address(smi, finding->subject))
            finding->severity = SEVERITY_FAULT;
    }
}

/* Module of the baseboard that no GPU says to be in, where one is missing and all others say which they are in: "5"; NULL. */
static const char *free_module(const struct check_context *context, const struct reading *smi)
{
    const char *free = NULL;
    unsigned count = context->platform->gpu_count, told = 0, absent = 0;

    for (unsigned module = 1; module <= count; module++) {
        const char *number = arena_printf(context->arena, "%u", module);
        unsigned here = 0;

        list_each (fact, smi->facts)
            here += strcmp(fact->name, "gpu.module_id") == 0 && strcmp(fact->value, number) == 0;
        told += here == 1;
        absent += here == 0;
        free = here == 0 ? number : free;
    }
    return absent == 1 && told == count - 1 ? free : NULL;
}

/* One of lspci that nvidia-smi does not show is why the count is short: nvidia-smi numbers the others anew, so that a number names
   another one, and only its address and its place say which one it is. */
static void tell_lost(struct reading *out, const char *address, const char *module)
{
    struct finding *finding = reading_get_finding(out, "pci.dead", address);
    const struct reason *why = finding != NULL ? finding->what : REASON(on_the_bus_only);

    if (finding == NULL)
        finding = reading_finding_add(out, SEVERITY_FAULT, "gpu.lost", "");
    if (finding == NULL)
        return;
    finding->subject = "";
    finding->what = module != NULL ? reason(out->arena, gpu_lost_at_module, address, module, why)
                                   : reason(out->arena, gpu_lost_at, address, why);
}

static struct check_fault fault_of(struct arena *arena, const struct finding *finding)
{
    struct check_fault fault = {.item = "gpu.count"};

    if (reason_is(finding->what, gpu_lost_at_module))
        fault.remedy = reason(arena, reseat_gpu_at_module, reason_argument_text(finding->what, 1),
                              reason_argument_text(finding->what, 2));
    else if (reason_is(finding->what, gpu_lost_at))
        fault.remedy = reason(arena, reseat_gpu_at, reason_argument_text(finding->what, 1));
    return fault.remedy != NULL ? fault : (struct check_fault){.item = NULL};
}

static void tell_all_lost(const struct check_context *context, const struct reading *lspci,
                          const struct reading *smi, struct reading *out)
{
    const char *module = free_module(context, smi);

    list_each (fact, lspci->facts)
        if (strcmp(fact->name, "pci.gpu") == 0 && !is_gpus_address(smi, fact->subject))
            tell_lost(out, fact->subject, module);
}

static void read_both(const struct check_context *context, const struct attempt *attempt, struct reading *out)
{
    const struct reading *lspci = &attempt->parts.items[0].reading, *smi = &attempt->parts.items[1].reading;
    const char *unknown, *names;

    read_parts(context, attempt, out);
    smi_leave_to_owner(context, out);
    if (out->status != READING_COMPLETE)
        return;
    names = models(smi, context->arena);
    if (*names != '\0')
        reading_fact(out, "gpu.models", "", slice_of(names));
    tell_builds(context, smi, out);
    advise_gsp(out, context->platform);
    tell_all_lost(context, lspci, smi, out);
    unknown = missing_in(smi, "gpu.pci_address", false, lspci, "pci.gpu", true);
    if (unknown != NULL)
        reading_finding(out, SEVERITY_FAULT, "gpu.unknown", "",
                        reason(out->arena, gpu_not_in_lspci, unknown));
}

#define ONCE "assay: no two GPUs are one"

static const struct limit *alike_rules(const struct check_context *context, const struct alike *row)
{
    const char *metric = row->metric;
    double least = row->least != NULL ? row->least(context->platform) : 0;
    struct limit *rules = arena_array(context->arena, struct limit, 3);
    size_t count = 0;

    if (least > 0)
        rules[count++] = (struct limit){.metric = metric,
                                        .rule = RULE_FLOOR,
                                        .value = least,
                                        .unit = row->unit,
                                        .status = LIMIT_TOOL,
                                        .source = RULES_OF_PLATFORM(context)};
    rules[count] = row->right != NULL
                       ? (struct limit){.metric = metric,
                                        .rule = RULE_EQUAL,
                                        .text = row->right,
                                        .status = LIMIT_TOOL,
                                        .source = "nvidia-smi"}
                       : (struct limit){.metric = metric,
                                        .rule = RULE_SAME,
                                        .status = LIMIT_TOOL,
                                        .source = "assay: hosts of one platform are built alike"};
    return rules_or_allowed(context, metric, rules);
}

static const struct limit memory_rules[] = RULES_EQUAL("gpu.memory_of_model", "yes", "nvidia-smi");
static const struct limit gsp_advice[] =
    RULES_EQUAL("advised.gsp", "yes", "NVIDIA's driver README, GSP firmware: on by default");

static void slots_of_platform(const struct check_context *context, struct slot_list *slots)
{
    const struct platform *platform = context->platform;
    const char *expected = arena_printf(context->arena, "%u", platform->gpu_count), *allowed = "";
    const struct limit *count =
        rules_new(context, LIMITS RULES_EQUAL("*.count", expected, RULES_OF_PLATFORM(context)));

    for (size_t i = 0; i < platform->gpu_models.count; i++)
        allowed =
            arena_printf(context->arena, "%s%s%s", allowed, i > 0 ? "|" : "", platform->gpu_models.items[i]);
    slot_add(context, slots, "gpu.count", "", NULL, DUTY_GATE, count);
    slot_add(context, slots, "pci.gpu.count", "", NULL, DUTY_GATE, count);
    slot_add(context, slots, "gpu.models", "", NULL, DUTY_GATE,
             rules_new(context, LIMITS RULES_ONE_OF("gpu.models", allowed, RULES_OF_PLATFORM(context))));
    for (size_t i = 0; i < ALIKE_COUNT; i++) {
        const struct limit *rules = alike_rules(context, &alike[i]);

        for (unsigned k = 0; k < platform->gpu_count; k++)
            slot_add(context, slots, alike[i].metric, arena_printf(context->arena, "gpu%u", k), NULL,
                     alike[i].as_good ? DUTY_RECORD : DUTY_GATE, rules);
    }
    for (unsigned k = 0; has_sizes(platform) && k < platform->gpu_count; k++)
        slot_add(context, slots, "gpu.memory_of_model", arena_printf(context->arena, "gpu%u", k), NULL,
                 DUTY_GATE, memory_rules);
    if (platform->row_remapper) /* GPUs that came before it have no such firmware */
        rules_advise(context, slots, "gpu.gsp", gsp_advice);
}

const struct check check_gpu_inventory = {
    .name = "gpu-inventory",
    .title = "GPU inventory",
    .summary = "lspci and nvidia-smi agree on the GPUs that the platform promises; no two are one, all are "
               "built alike",
    .on = ON_GPUS,
    .concerns = OF_GPU,
    .passive = true,
    .arguments = ARGUMENTS(ALLOWED_ARGUMENT_ROW("{\"gpu.vbios\": \"96.00.89.00.01|96.00.99.00.01\"}")),
    .arguments_fault = allowed_fault,
    .parts = PARTS({"lspci", "lspci", command_lspci, NULL},
                   {"nvidia-smi", "nvidia-smi", command_nvidia_smi_query, NULL}),
    .items = ITEMS(
        {"gpu.uuid", PER_GPU, NULL, DUTY_GATE,
         LIMITS RULES(.metric = "gpu.uuid", .rule = RULE_DISTINCT, .status = LIMIT_TOOL, .source = ONCE)},
        {"gpu.board", PER_GPU, NULL, DUTY_GATE,
         LIMITS RULES(.metric = "gpu.board", .rule = RULE_DISTINCT, .text = BOARD_UNTOLD "|" BOARD_OF_MODULE,
                      .status = LIMIT_TOOL, .source = ONCE)},
        /* As it is told: GPUs of one GB200 or GB300 module share it, and some tell none. */
        {"gpu.serial", PER_GPU, NULL, DUTY_RECORD, NULL},
        {"gpu.inforom", PER_GPU, NULL, DUTY_GATE, LIMITS RULES_EQUAL("gpu.inforom", "ok", "nvidia-smi")},
        {"gpu.pci_address", PER_GPU, NULL, DUTY_RECORD, NULL}),
    .remedies = REMEDIES(
        {"gpu.count", REASON(find_missing_gpu)}, {"pci.gpu.count", REASON(find_device_on_pci_bus)},
        {"gpu.models", REASON(not_the_declared_platform)}, {"gpu.uuid", REASON(gpus_tell_one_identity)},
        {"gpu.board", REASON(gpus_tell_one_identity)}, {"gpu.inforom", REASON(power_cycle_then_replace_gpu)},
        {"gpu.ecc_after_reset", REASON(apply_pending_change)},
        {"gpu.mig_after_reset", REASON(apply_pending_change)}, {"gpu.gsp", REASON(compare_driver_parameters)},
        {"advised.gsp", REASON(compare_driver_parameters), .problem = "GSP firmware", .on_hosts = true},
        {"gpu.*", REASON(have_gpu_as_bought)}, {"pcie.*", REASON(compare_slot_settings)},
        {"sound", REASON(see_xid_lines_of_gpu)}, {"*", .problem = "GPUs", .on_hosts = true}),
    .more_slots = slots_of_platform,
    .plain = PLAIN_WORDS({"gpu.count*", PLAIN(gpus_found_are_others, PLAIN_MEASURED, PLAIN_REQUIRED)}),
    .listed = LISTED({LISTED_HOSTS, "gpu.name", REASON(word_gpus), .per_gpu = true},
                     {LISTED_GPUS, "gpu.name", REASON(title_name)},
                     {LISTED_GPUS, "gpu.uuid", REASON(title_uuid), .names = true},
                     {LISTED_GPUS, "gpu.serial", REASON(title_serial), .names = true},
                     {LISTED_GPUS, "gpu.pci", REASON(title_pci)}),
    .expected_s = 10,
    .read = read_both,
    .fault = fault_of,
};
