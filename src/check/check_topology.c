/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the parts of a host reach each other: every two GPUs over all the NVLinks that the platform has, each
 * compute HCA behind the same PCIe switch as a GPU. What decides beside it whether an HCA can write into a
 * GPU's memory (ACS, IOMMU, nvidia_peermem or dma-buf) must be the same on all hosts. What is right by NVIDIA's guides is
 * remarked on where all have it wrong alike (advised.*); whether it is, the RDMA and NCCL tests measure.
 */
#include <string.h>

#include "assay/reasons/check.h"

#include "boot_options.h"
#include "rules.h"

static void command_topo(const struct check_context *context, struct text *out)
{
    command_tool(context, out, "nvidia-smi");
    text_put(out, " topo -m");
}

static void command_acs(const struct check_context *context, struct text *out)
{
    command_tool(context, out, "lspci");
    text_put(out, " -vvv");
}

/* What the part printed, or an empty slice: these facts are written down where they can be had. */
static struct slice output_of(const struct attempt *attempt, const char *name)
{
    const struct part *part = attempt_part(attempt, name);

    return part != NULL && part->ended && part->rc == 0 ? part->out : (struct slice){"", 0};
}

/* "SrcValid+" in ACSCtl is a device that sends what GPUs and HCAs say to each other up to the CPU. Of a device whose
   capabilities were denied, as they are to all but root, nobody knows. */
static void add_acs(struct reading *out, struct slice lspci)
{
    struct slice line;
    unsigned controls = 0, on = 0, denied = 0;

    if (lspci.length == 0)
        return;
    while (scan_line(&lspci, &line)) {
        denied += slice_contains(line, "Capabilities: <access denied>");
        if (!slice_contains(line, "ACSCtl:"))
            continue;
        controls++;
        on += slice_contains(line, "SrcValid+");
    }
    reading_fact_said(out, "pci.acs_devices", "", reason(out->arena, acs_on_for_some, on, controls));
    if (on > 0 || denied == 0)
        reading_fact(out, "pci.acs", "", slice_of(on > 0 ? "on" : "off"));
    else
        reading_unread(out, "pci.acs", "", reason(out->arena, lspci_denied, denied));
}

static void add_iommu(struct reading *out, struct slice cmdline)
{
    const char *options = boot_options(out->arena, cmdline, boot_option_is_of_pci);

    if (cmdline.length == 0)
        return;
    if (strcmp(options, "none") != 0)
        reading_fact(out, "kernel.iommu", "", slice_of(options));
    else
        reading_fact_said(out, "kernel.iommu", "", REASON(kernel_default));
}

/* nvidia_peermem; without it dma-buf, which the open kernel modules of the driver have. */
static void add_gpudirect(struct reading *out, struct slice modules, struct slice driver)
{
    bool peermem = slice_contains(modules, "nvidia_peermem ") || slice_contains(modules, "nv_peer_mem ");
    bool open = slice_contains(driver, "Open Kernel Module");

    if (modules.length == 0)
        return;
    if (peermem)
        reading_fact(out, "gpudirect.rdma", "", slice_of("nvidia_peermem"));
    else
        reading_fact_said(out, "gpudirect.rdma", "",
                          open ? REASON(gpudirect_by_dma_buf) : REASON(no_gpudirect_modules));
}

/* Whether the kernel was told to translate what devices send each other; without a word of it nobody knows. */
static bool is_translating(struct slice options)
{
    struct slice word;
    bool on = false;

    while (scan_word(&options, &word)) {
        if (slice_equal(word, "iommu=pt") || slice_equal(word, "iommu.passthrough=1"))
            return false;
        on |= slice_equal(word, "intel_iommu=on") || slice_equal(word, "amd_iommu=on") ||
              slice_equal(word, "iommu=nopt") || slice_equal(word, "iommu.passthrough=0");
    }
    return on;
}

static void add_advised(struct reading *out)
{
    const char *acs = reading_get_fact(out, "pci.acs", ""),
               *iommu = reading_get_fact(out, "kernel.iommu", "");
    bool any = reading_get_fact(out, "gpudirect.rdma", "") != NULL;

    if (acs != NULL)
        reading_fact(out, "advised.acs", "", slice_of(acs));
    if (iommu != NULL)
        reading_fact(out, "advised.iommu", "",
                     slice_of(is_translating(slice_of(iommu)) ? iommu : "translates nothing"));
    if (any)
        for (size_t i = 0; i < out->facts.count; i++)
            any &= !reason_is(out->facts.items[i].said, no_gpudirect_modules);
    if (any)
        reading_fact(out, "advised.gpudirect", "", slice_of("possible"));
    else if (reading_get_fact(out, "gpudirect.rdma", "") != NULL)
        reading_fact_said(out, "advised.gpudirect", "", REASON(no_gpudirect_modules));
}

/* The nic column of the HCA: "nic3". */
static const char *nic_of(const struct reading *topo, const char *hca)
{
    for (size_t i = 0; i < topo->facts.count; i++)
        if (strcmp(topo->facts.items[i].name, "topo.nic") == 0 &&
            strcmp(topo->facts.items[i].value, hca) == 0)
            return topo->facts.items[i].subject;
    return NULL;
}

/* The closest connection of the HCA to any GPU, and how many GPUs have it. */
static void add_nearest(const struct check_context *context, struct reading *out, const char *hca)
{
    static const char *const nearness[] = {"PIX", "PXB", "PHB", "NODE", "SYS"};
    const char *nic = nic_of(out, hca);

    for (size_t k = 0; nic != NULL && k < ARRAY_SIZE(nearness); k++)
        for (unsigned i = 0; i < context->platform->gpu_count; i++) {
            const char *link =
                reading_get_fact(out, "topo.link", arena_printf(out->arena, "gpu%u-%s", i, nic));

            if (link == NULL || strcmp(link, nearness[k]) != 0)
                continue;
            reading_fact(out, "topo.nearest", hca, slice_of(nearness[k]));
            reading_fact(out, "topo.nearest_gpu", hca, slice_of(arena_printf(out->arena, "gpu%u", i)));
            return;
        }
}

static void read_topology(const struct check_context *context, const struct attempt *attempt,
                          struct reading *out)
{
    read_parts(context, attempt, out);
    if (out->status != READING_COMPLETE)
        return;
    for (size_t i = 0; i < context->platform->hcas.count; i++)
        add_nearest(context, out, context->platform->hcas.items[i]);
    add_acs(out, output_of(attempt, "acs"));
    add_iommu(out, output_of(attempt, "cmdline"));
    add_gpudirect(out, output_of(attempt, "modules"), output_of(attempt, "driver"));
    add_advised(out);
}

static const struct limit near_rules[] = {
    {.metric = "topo.nearest",
     .rule = RULE_ONE_OF,
     .text = "PIX|PXB",
     .source = "nccl#412: 24 GB/s of a 200 Gb/s HCA behind a GPU's PCIe switch, 16 behind the CPU",
     .status = LIMIT_VENDOR,
     .note = REASON(no_gpu_on_its_switch)},
    {0}};

#define ALIKE "assay: hosts of one platform are set up alike"

static const struct limit acs_advice[] =
    RULES_EQUAL("advised.acs", "off",
                "NCCL user guide, Troubleshooting: PCI Access Control Services (ACS), on bare metal");
static const struct limit iommu_advice[] =
    RULES_EQUAL("advised.iommu", "translates nothing",
                "CUDA, GPUDirect RDMA, Supported Systems: IOMMUs disabled or configured for pass-through");
static const struct limit gpudirect_advice[] = RULES_EQUAL(
    "advised.gpudirect", "possible", "NCCL user guide, Troubleshooting: GPU-to-NIC communication");

/* Grace has its GPUs and adapters behind an IOMMU, and is made for it. */
static void advise(const struct check_context *context, struct slot_list *slots)
{
    if (context->platform->gpu_count == 0 || context->platform->hcas.count == 0)
        return;
    rules_advise(context, slots, "gpudirect.rdma", gpudirect_advice);
    if (context->platform->nvlink_domain_hosts > 0)
        return;
    rules_advise(context, slots, "pci.acs", acs_advice);
    rules_advise(context, slots, "kernel.iommu", iommu_advice);
}

static void slots_of_platform(const struct check_context *context, struct slot_list *slots)
{
    const struct platform *platform = context->platform;
    const struct limit *links;

    advise(context, slots);
    /* A switch, of the host or of its rack, joins every GPU with every other over all its links; without one it depends on
       the board. */
    if ((!platform->nvswitch && platform->nvlink_domain_hosts == 0) || platform->nvlink_links == 0)
        return;
    links = rules_new(
        context, LIMITS RULES_EQUAL("topo.link", arena_printf(context->arena, "NV%u", platform->nvlink_links),
                                    RULES_OF_PLATFORM(context)));
    for (unsigned a = 0; a < platform->gpu_count; a++)
        for (unsigned b = a + 1; b < platform->gpu_count; b++)
            slot_add(context, slots, "topo.link", arena_printf(context->arena, "gpu%u-gpu%u", a, b), NULL,
                     DUTY_GATE, links);
}

static bool applies(const struct platform *platform)
{
    return platform->gpu_count > 1 || platform->hcas.count > 0;
}

const struct check check_topology = {
    .name = "topology",
    .title = "Topology",
    .summary = "nvidia-smi topo -m: every GPU pair over all NVLinks, each compute HCA beside a GPU",
    .passive = true,
    .as_root = true,
    .applies = applies,
    .arguments = ARGUMENTS(ALLOWED_ARGUMENT_ROW("{\"kernel.iommu\": \"iommu=pt|kernel's default\"}")),
    .arguments_fault = rules_allowed_fault,
    .parts = PARTS({"topo", "nvidia-smi-topo", command_topo, NULL}, {"acs", NULL, command_acs, NULL},
                   {.name = "cmdline", .script = "cat \"$ASSAY_LAB_ROOT\"/proc/cmdline"},
                   {.name = "modules", .script = "cat \"$ASSAY_LAB_ROOT\"/proc/modules"},
                   {.name = "driver", .script = "cat \"$ASSAY_LAB_ROOT\"/proc/driver/nvidia/version"}),
    .items =
        ITEMS({"topo.nearest", PER_HCA, NULL, DUTY_GATE, near_rules},
              {"topo.nearest_gpu", PER_HCA, NULL, DUTY_RECORD, NULL},
              {"topo.cpu_affinity", PER_GPU, NULL, DUTY_RECORD, NULL},
              {"topo.numa_affinity", PER_GPU, NULL, DUTY_RECORD, NULL},
              {"pci.acs", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_SAME("pci.acs", ALIKE)},
              {"pci.acs_devices", PER_TARGET, NULL, DUTY_RECORD, NULL},
              {"kernel.iommu", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_SAME("kernel.iommu", ALIKE)},
              {"gpudirect.rdma", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_SAME("gpudirect.rdma", ALIKE)}),
    .remedies = REMEDIES(
        {"topo.link", REASON(see_nvlinks_and_fabric_manager)},
        {"topo.nearest", REASON(compare_slot_with_drawing)}, {"pci.acs", REASON(compare_acs_settings)},
        {"kernel.iommu", REASON(give_one_kernel_command_line)},
        {"gpudirect.rdma", REASON(load_nvidia_peermem)}, {"advised.acs", REASON(turn_acs_off)},
        {"advised.iommu", REASON(let_iommu_pass_through)}, {"advised.gpudirect", REASON(load_nvidia_peermem)},
        {"sound", REASON(does_nvidia_smi_answer)}),
    .more_slots = slots_of_platform,
    .expected_s = 10,
    .read = read_topology,
};
