/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fabric of NVLinks that reaches beyond the host, as in a rack of NVL72. Its manager runs on the switch trays, so no
 * service of the host tells how it is; each GPU does, by the driver: whether it was taken in, into which domain (cluster
 * UUID) and into which partition of that (clique). A GPU that was not taken in, or into another partition than its
 * siblings, looks healthy, and its traffic goes over the network instead.
 *
 * facts    nvlink.domain      "UUID, clique N" of the first GPU; "none" where it is in no domain. One in each rack
 *          nvlink.domain.one  "yes": all GPUs are in that; "no: gpu2 is in none", "no: gpu2 is in ..., gpu0 in ..."
 *          imex.service       active, inactive, ...: what exports memory to other hosts of the domain; without it they reach each
 *                             other by the network only. Where jobs start one of their own, the step records it
 *          imex.node, imex.nodes, advised.imex  how the host's node of the IMEX domain is, and the domain: see family/imex.h
 */
#include <string.h>

#include "assay/base/scan.h"
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"
#include "family/imex.h"
#include "rules.h"
#include "smi.h"

#define NO_NODES "none" /* where nothing runs that could be in a domain */

enum { UNKNOWN_RELEASE = 100000 };

/* N/A, nothing but zeros, or "N/A" in brackets as older drivers write it: not a member. */
static bool is_member(const char *cluster)
{
    return cluster != NULL && *cluster != '\0' && strstr(cluster, "N/A") == NULL &&
           strspn(cluster, "0-") != strlen(cluster);
}

static const char *domain_of(const struct reading *out, const char *gpu)
{
    const char *cluster = reading_get_fact(out, "fabric.cluster", gpu),
               *clique = reading_get_fact(out, "fabric.clique", gpu);

    return is_member(cluster) && clique != NULL ? arena_printf(out->arena, "%s, clique %s", cluster, clique)
                                                : NULL;
}

/* The first GPU that has none, or another one than gpu0; NULL when there is no such. */
static const struct reason *odd_gpu(const struct check_context *context, struct reading *out,
                                    const char **ret_domain)
{
    *ret_domain = domain_of(out, "gpu0");
    for (unsigned i = 0; i < context->platform->gpu_count; i++) {
        const char *gpu = arena_printf(out->arena, "gpu%u", i), *domain = domain_of(out, gpu);

        if (domain == NULL)
            return reason(out->arena, gpu_in_no_domain, gpu);
        if (strcmp(domain, *ret_domain) != 0)
            return reason(out->arena, gpu_in_other_domain, gpu, domain, *ret_domain);
    }
    return NULL;
}

/* The state of the service, the host's addresses, and what the service's tool prints. */
static void read_imex(const struct attempt *attempt, struct reading *out)
{
    const struct part *imex = attempt_part(attempt, "imex");
    struct slice rest = imex != NULL ? imex->out : slice_of(""), service, addresses;
    const char *domain;

    if (!scan_line(&rest, &service) || slice_trim(service).length == 0)
        return;
    reading_fact(out, "imex.service", "", slice_trim(service));
    if (!slice_equal(slice_trim(service), "active")) {
        reading_fact(out, "imex.node", "", slice_of(IMEX_NOT_TOLD));
        reading_fact(out, "imex.nodes", "", slice_of(NO_NODES));
        return; /* that fails, and says it all, or the step records it */
    }
    if (!scan_line(&rest, &addresses))
        addresses = slice_of("");
    imex_read(out, addresses, rest);
    domain = reading_get_fact(out, "imex.domain", "");
    reading_fact(out, "advised.imex", "", slice_of(domain));
}

static void read_domain(const struct check_context *context, const struct attempt *attempt,
                        struct reading *out)
{
    const struct reason *odd;
    const char *domain;

    if (!smi_merge(context, attempt, out))
        return;
    odd = odd_gpu(context, out, &domain);
    if (odd == NULL)
        reading_fact(out, "nvlink.domain.one", "", slice_of("yes"));
    else
        reading_fact_said(out, "nvlink.domain.one", "", odd);
    reading_fact(out, "nvlink.domain", "", slice_of(domain != NULL ? domain : "none"));
    read_imex(attempt, out);
    /* Outputs of 560 show the bandwidth and not the summary; since which driver there is that, nobody has published. */
    smi_field_missing(out, "fabric.bandwidth", 560);
    smi_field_missing(out, "fabric.health", UNKNOWN_RELEASE);
    reading_set(out, READING_COMPLETE, NULL);
}

#define GUIDE "docs.nvidia.com/multi-node-nvlink-systems; NVML: fabric definitions"

#define IMEX_GUIDE "docs.nvidia.com/multi-node-nvlink-systems: IMEX runs on each host of the domain"

static const struct limit imex_advice[] = RULES_EQUAL("advised.imex", "UP", IMEX_GUIDE);

static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    rules_advise(context, slots, "imex.service", imex_advice);
}

static bool applies(const struct platform *platform)
{
    return platform->nvlink_domain_hosts > 0;
}

const struct check check_nvlink_domain = {
    .name = "nvlink-domain",
    .title = "NVLink domain",
    .summary = "where NVLinks reach other hosts: each GPU has joined the domain, all in one partition, "
               "at full bandwidth",
    .on = ON_GPUS,
    .concerns = OF_GPU,
    .passive = true,
    .applies = applies,
    .parts = PARTS({"nvidia-smi", "nvidia-smi", command_nvidia_smi_query, NULL},
                   {.name = "imex",
                    .script = "systemctl is-active nvidia-imex; [ $? -le 4 ] || exit; hostname -I; "
                              "timeout 20 nvidia-imex-ctl -N 2>&1 || true",
                    .typed = "systemctl is-active nvidia-imex; nvidia-imex-ctl -N"}),
    .items = ITEMS(
        {"fabric.state", PER_GPU, NULL, DUTY_GATE, LIMITS RULES_EQUAL("fabric.state", "Completed", GUIDE)},
        {"fabric.status", PER_GPU, NULL, DUTY_GATE, LIMITS RULES_EQUAL("fabric.status", "Success", GUIDE)},
        {"fabric.health", PER_GPU, NULL, DUTY_GATE,
         LIMITS RULES_ONE_OF("fabric.health", "Healthy|N/A|" SMI_NOT_IN_DRIVER, GUIDE)},
        {"fabric.bandwidth", PER_GPU, NULL, DUTY_GATE,
         LIMITS RULES_ONE_OF("fabric.bandwidth", "Full|N/A|" SMI_NOT_IN_DRIVER, GUIDE)},
        {"nvlink.domain.one", PER_TARGET, NULL, DUTY_GATE,
         LIMITS RULES_EQUAL("nvlink.domain.one", "yes", GUIDE)},
        {"nvlink.domain", PER_TARGET, NULL, DUTY_GATE,
         LIMITS RULES(.metric = "nvlink.domain", .rule = RULE_RACK, .status = LIMIT_TOOL, .source = GUIDE)},
        {"imex.service", PER_TARGET, NULL, DUTY_GATE,
         LIMITS RULES_EQUAL("imex.service", "active", IMEX_GUIDE)},
        {"imex.node", PER_TARGET, NULL, DUTY_GATE,
         LIMITS RULES_ONE_OF("imex.node", "READY|" IMEX_NOT_TOLD, IMEX_GUIDE)},
        {"imex.nodes", PER_TARGET, NULL, DUTY_GATE,
         LIMITS RULES(.metric = "imex.nodes", .rule = RULE_RACK, .status = LIMIT_TOOL,
                      .source = IMEX_GUIDE)}),
    .remedies = REMEDIES({"imex.service", REASON(see_imex_service)}, {"imex.node", REASON(see_imex_nodes)},
                         {"imex.nodes", REASON(see_imex_nodes)}, {"advised.imex", REASON(see_imex_domain)},
                         {"nvlink.domain", REASON(see_domain_of_tray)}, {"*", REASON(see_partition_of_tray)}),
    .more_slots = more_slots,
    .expected_s = 5,
    .read = read_domain,
};
