/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/advice.h"

#include <fnmatch.h>

#define DOCUMENTATION "NCCL documentation, environment variables"

/* value: as the shell matches it; the first row that fits counts. */
static const struct row {
    const char *name, *value, *why, *source;
} rows[] = {
    {"NCCL_ALGO", "*",
     "leave it unset: since NCCL 2.24 nothing falls back to another algorithm, so all_gather and "
     "reduce_scatter fail "
     "with Tree, and one algorithm is not best at every size",
     "nccl#790, " DOCUMENTATION},
    {"NCCL_MIN_NRINGS", "*", "outdated: the old name of NCCL_MIN_NCHANNELS, and NCCL_MIN_CTAS since 2.17",
     DOCUMENTATION},
    {"NCCL_MIN_NCHANNELS", "*",
     "outdated since 2.17, which has NCCL_MIN_CTAS; the default depends on the platform", DOCUMENTATION},
    {"NCCL_NET_GDR_LEVEL", "[0-9]*",
     "numbers changed their meaning between versions: use PIX, PXB, PHB or SYS, or leave it unset",
     DOCUMENTATION},
    {"NCCL_IB_TIMEOUT", "2[1-9]",
     "4.096 us x 2^N for each of 8 tries: 22 means 17 s each and more than two minutes in all, in which a "
     "bad link is "
     "not seen; the default is 20",
     DOCUMENTATION},
    {"NCCL_IB_TIMEOUT", "3[0-9]", "4.096 us x 2^N for each of 8 tries: hours in which a bad link is not seen",
     DOCUMENTATION},
    {"NCCL_IB_RETRY_CNT", "[89]", "InfiniBand has three bits for it: 7 is the most, and the default",
     DOCUMENTATION},
    {"NCCL_IB_RETRY_CNT", "[0-9][0-9]*", "InfiniBand has three bits for it: 7 is the most, and the default",
     DOCUMENTATION},
    {"NCCL_IB_QPS_PER_CONNECTION", "[!1]*",
     "helps only where routes are chosen by hash (ECMP), and costs elsewhere; the default is 1",
     DOCUMENTATION},
    {"NCCL_IB_QPS_PER_CONNECTION", "1?*",
     "helps only where routes are chosen by hash (ECMP), and costs elsewhere; the default is 1",
     DOCUMENTATION},
    {"NCCL_IB_GID_INDEX", "*",
     "since 2.21 NCCL finds it; a fixed number is wrong on hosts that have other addresses, and without "
     "meaning on "
     "InfiniBand",
     DOCUMENTATION},
    {"NCCL_IB_PCI_RELAXED_ORDERING", "1",
     "fails where it is not supported; the default, 2, uses it where it is", DOCUMENTATION},
    {"NCCL_IB_HCA", "[!=^]*",
     "a name also matches all names that start with it, mlx5_1 also mlx5_10: put = before the list, or use "
     "\"hcas\" "
     "of the "
     "launcher; HCAs that are left out are rails that are not tested",
     DOCUMENTATION},
    {"NCCL_SHM_DISABLE", "1", "sends what stays inside a host over its network adapters", DOCUMENTATION},
    {"NCCL_P2P_DISABLE", "1", "leaves NVLink out, which is to be tested", DOCUMENTATION},
    {"NCCL_NVLS_ENABLE", "0", "leaves out the multicast of NVSwitch: all_reduce falls to the speed of a ring",
     DOCUMENTATION},
    {"NCCL_IB_DISABLE", "1", "leaves InfiniBand and RoCE out, which are to be tested: NCCL goes over sockets",
     DOCUMENTATION},
    {"NCCL_TOPO_FILE", "*",
     "describes one host, for virtual machines that hide it, and no cluster; a wrong one makes NCCL slow",
     DOCUMENTATION},
    {"NCCL_IB_CUDA_SUPPORT", "*", "was removed in NCCL 2.4 and does nothing", DOCUMENTATION},
    {"NCCL_DEBUG_FILE", "*", "hides NCCL's lines, so that the network which was used is not known", "assay"},
    {"NET_DEVICES", "*", "not a variable of NCCL, nor of UCX (UCX_NET_DEVICES)", DOCUMENTATION},
    {"UCX_TLS", "*", "concerns MPI, which only starts the ranks; NCCL does not use UCX", DOCUMENTATION},
};

static void look_at(struct arena *arena, const char *place, const struct suite_variable *variable,
                    struct advice *advice)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (fnmatch(rows[i].name, variable->name, 0) == 0 &&
            fnmatch(rows[i].value, variable->value, 0) == 0) {
            *list_push(arena, &advice->notes) =
                arena_printf(arena, "%s: %s=%s: %s (%s)", place, variable->name, variable->value, rows[i].why,
                             rows[i].source);
            return;
        }
}

static void look_at_variants(struct arena *arena, const struct suite_step *step, struct advice *advice)
{
    for (size_t i = 0; i < step->variants.count; i++) {
        const struct suite_variant *variant = &step->variants.items[i];

        for (size_t k = 0; k < variant->environment.count; k++)
            look_at(arena, arena_printf(arena, "%s.variants.%s", step->name, variant->name),
                    &variant->environment.items[k], advice);
    }
}

void advice_of_suite(struct arena *arena, const struct suite *suite, struct advice *ret_advice)
{
    *ret_advice = (struct advice){0};
    for (size_t i = 0; i < suite->environment.count; i++)
        look_at(arena, "environment", &suite->environment.items[i], ret_advice);
    for (size_t i = 0; i < suite->tools.count; i++) {
        const struct suite_tool *tool = &suite->tools.items[i];

        for (size_t k = 0; k < tool->environment.count; k++)
            look_at(arena, arena_printf(arena, "tools.%s.environment", tool->name),
                    &tool->environment.items[k], ret_advice);
    }
    for (size_t i = 0; i < suite->launcher.environment.count; i++)
        look_at(arena, "launcher.environment", &suite->launcher.environment.items[i], ret_advice);
    for (size_t i = 0; i < suite->steps.count; i++)
        look_at_variants(arena, &suite->steps.items[i], ret_advice);
}
