/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GPUs that the platform promises: the PCI bus and the driver must both see them, and see the same ones.
 * A GPU that lspci shows and nvidia-smi does not has fallen off; one that neither shows is missing.
 */
#include <string.h>

#include "rules.h"
#include "smi.h"

static void command_lspci(const struct check_context *context, struct text *out)
{
    command_tool(context, out, "lspci");
    text_put(out, " -D -nn -d 10de:");
}

static const struct part_row parts[] = {{"lspci", "lspci", command_lspci, NULL},
                                        {"nvidia-smi", "nvidia-smi", command_nvidia_smi_query, NULL},
                                        {0}};

/* The first fact of `name` in one whose value no fact of `other` in the second has; NULL: all are there. */
static const char *missing_in(const struct reading *one, const char *name, bool by_subject,
                              const struct reading *two, const char *other, bool other_by_subject)
{
    for (size_t i = 0; i < one->facts.count; i++) {
        const struct fact *fact = &one->facts.items[i];
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

    for (size_t i = 0; i < smi->facts.count; i++) {
        const struct fact *fact = &smi->facts.items[i];
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

static void read_both(const struct check_context *context, const struct attempt *attempt, struct reading *out)
{
    const struct reading *lspci = &attempt->parts.items[0].reading, *smi = &attempt->parts.items[1].reading;
    const char *lost, *unknown, *names;

    read_parts(context, attempt, out);
    smi_leave_to_owner(context, out);
    if (out->status != READING_COMPLETE)
        return;
    names = models(smi, context->arena);
    if (*names != '\0')
        reading_fact(out, "gpu.models", "", slice_of(names));
    lost = missing_in(lspci, "pci.gpu", true, smi, "gpu.pci_address", false);
    unknown = missing_in(smi, "gpu.pci_address", false, lspci, "pci.gpu", true);
    if (lost != NULL)
        reading_finding(out, SEVERITY_FAULT, "gpu.lost", "",
                        "GPU %s is on the PCI bus, but nvidia-smi does not show it", lost);
    if (unknown != NULL)
        reading_finding(out, SEVERITY_FAULT, "gpu.unknown", "",
                        "nvidia-smi shows GPU %s, which lspci does not", unknown);
}

static const struct item items[] = {
    {"gpu.uuid", PER_GPU, NULL, DUTY_RECORD, NULL},
    {"gpu.serial", PER_GPU, NULL, DUTY_RECORD, NULL},
    {"gpu.pci_address", PER_GPU, NULL, DUTY_RECORD, NULL},
    {0},
};

static void slots_of_platform(const struct check_context *context, struct slot_list *slots)
{
    const struct platform *platform = context->platform;
    const char *expected = arena_printf(context->arena, "%u", platform->gpu_count), *allowed = "";
    const struct limit *count =
        rules_new(context, LIMITS RULES_EQUAL("*.count", expected, rules_platform(context)));

    for (size_t i = 0; i < platform->gpu_models.count; i++)
        allowed =
            arena_printf(context->arena, "%s%s%s", allowed, i > 0 ? "|" : "", platform->gpu_models.items[i]);
    slot_add(context, slots, "gpu.count", "", NULL, DUTY_GATE, count);
    slot_add(context, slots, "pci.gpu.count", "", NULL, DUTY_GATE, count);
    slot_add(context, slots, "gpu.models", "", NULL, DUTY_GATE,
             rules_new(context, LIMITS RULES_ONE_OF("gpu.models", allowed, rules_platform(context))));
}

static const struct remedy remedies[] = {
    {"gpu.count",
     "compare `nvidia-smi -L` with `lspci -d 10de:`; look for Xid 79 in `dmesg`; reseat or power-cycle the "
     "host, then have the GPU or its baseboard replaced"},
    {"pci.gpu.count",
     "the device is not on the PCI bus: power-cycle the host, check seating and the baseboard's power"},
    {"gpu.models", "the host is not what the hostfile's platform= says, or holds a wrong GPU"},
    {"sound", "see `dmesg` for Xid lines of that GPU; reset or power-cycle the host, then have it replaced"},
    {"*", .problem = "GPUs", .on_hosts = true},
    {0}};

const struct check check_gpu_inventory = {
    .name = "gpu-inventory",
    .title = "GPU inventory",
    .summary = "lspci and nvidia-smi agree on the GPUs that the platform promises",
    .on = ON_GPUS,
    .concerns = OF_GPU,
    .scopes = SCOPE_HOST,
    .passive = true,
    .parts = parts,
    .items = items,
    .remedies = remedies,
    .more_slots = slots_of_platform,
    .expected_s = 10,
    .read = read_both,
};
