/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/advice.h"

#include <fnmatch.h>

#include "assay/reasons/model.h"

#define DOCUMENTATION REASON(source_nccl_documentation)

/* value: as the shell matches it; the first row that fits counts. */
static const struct row {
    const char *name, *value;
    const struct reason *why, *source;
} rows[] = {
    {"NCCL_ALGO", "*", REASON(advice_leave_algo_unset), REASON(source_nccl_790_and_documentation)},
    {"NCCL_MIN_NRINGS", "*", REASON(advice_old_name_of_channels), DOCUMENTATION},
    {"NCCL_MIN_NCHANNELS", "*", REASON(advice_channels_are_ctas), DOCUMENTATION},
    {"NCCL_NET_GDR_LEVEL", "[0-9]*", REASON(advice_gdr_level_by_word), DOCUMENTATION},
    {"NCCL_IB_TIMEOUT", "2[1-9]", REASON(advice_timeout_minutes), DOCUMENTATION},
    {"NCCL_IB_TIMEOUT", "3[0-9]", REASON(advice_timeout_hours), DOCUMENTATION},
    {"NCCL_IB_RETRY_CNT", "[89]", REASON(advice_retries_at_most_seven), DOCUMENTATION},
    {"NCCL_IB_RETRY_CNT", "[0-9][0-9]*", REASON(advice_retries_at_most_seven), DOCUMENTATION},
    {"NCCL_IB_QPS_PER_CONNECTION", "[!1]*", REASON(advice_queue_pairs_for_ecmp), DOCUMENTATION},
    {"NCCL_IB_QPS_PER_CONNECTION", "1?*", REASON(advice_queue_pairs_for_ecmp), DOCUMENTATION},
    {"NCCL_IB_GID_INDEX", "*", REASON(advice_gid_index_is_found), DOCUMENTATION},
    {"NCCL_IB_PCI_RELAXED_ORDERING", "1", REASON(advice_relaxed_ordering_default), DOCUMENTATION},
    {"NCCL_IB_HCA", "[!=^]*", REASON(advice_exact_hca_names), DOCUMENTATION},
    {"NCCL_SHM_DISABLE", "1", REASON(advice_shared_memory_off), DOCUMENTATION},
    {"NCCL_P2P_DISABLE", "1", REASON(advice_nvlink_off), DOCUMENTATION},
    {"NCCL_NVLS_ENABLE", "0", REASON(advice_nvls_off), DOCUMENTATION},
    {"NCCL_IB_DISABLE", "1", REASON(advice_infiniband_off), DOCUMENTATION},
    {"NCCL_TOPO_FILE", "*", REASON(advice_topology_file_of_one_host), DOCUMENTATION},
    {"NCCL_IB_CUDA_SUPPORT", "*", REASON(advice_removed_does_nothing), DOCUMENTATION},
    {"NCCL_DEBUG_FILE", "*", REASON(advice_debug_file_hides), REASON(source_of_assay)},
    {"NET_DEVICES", "*", REASON(advice_no_variable_of_nccl), DOCUMENTATION},
    {"UCX_TLS", "*", REASON(advice_ucx_is_of_mpi), DOCUMENTATION},
};

static void look_at(struct arena *arena, const char *place, const struct suite_variable *variable,
                    struct advice *advice)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (fnmatch(rows[i].name, variable->name, 0) == 0 &&
            fnmatch(rows[i].value, variable->value, 0) == 0) {
            *list_push(arena, &advice->notes) = reason(
                arena, advice_on_setting, place,
                arena_printf(arena, "%s=%s", variable->name, variable->value), rows[i].why, rows[i].source);
            return;
        }
}

static void look_at_variants(struct arena *arena, const struct suite_step *step, struct advice *advice)
{
    list_each (variant, step->variants)
        for (size_t k = 0; k < variant->environment.count; k++)
            look_at(arena, arena_printf(arena, "%s.variants.%s", step->name, variant->name),
                    &variant->environment.items[k], advice);
}

void advice_of_suite(struct arena *arena, const struct suite *suite, struct advice *ret_advice)
{
    *ret_advice = (struct advice){0};
    for (size_t i = 0; i < suite->environment.count; i++)
        look_at(arena, "environment", &suite->environment.items[i], ret_advice);
    list_each (tool, suite->tools)
        for (size_t k = 0; k < tool->environment.count; k++)
            look_at(arena, arena_printf(arena, "tools.%s.environment", tool->name),
                    &tool->environment.items[k], ret_advice);
    for (size_t i = 0; i < suite->launcher.environment.count; i++)
        look_at(arena, "launcher.environment", &suite->launcher.environment.items[i], ret_advice);
    for (size_t i = 0; i < suite->steps.count; i++)
        look_at_variants(arena, &suite->steps.items[i], ret_advice);
}
