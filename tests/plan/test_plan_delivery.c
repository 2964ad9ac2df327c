/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in delivery suite on each built-in platform, on clusters of every size: it can be planned, and decides. */
#include <string.h>

#include "../unit_test.h"
#include "assay/model/suite.h"
#include "assay/plan/plan_build.h"

static const unsigned sizes[] = {1, 2, 8, 17, 33, 64, 129, 232, 1250};

struct cluster {
    struct arena *arena;
    struct plan_sources sources;
    const struct plan *plan;
    struct plan_notes notes;
};

static struct cluster plan_of(const char *platform, unsigned hosts)
{
    struct cluster cluster = {.arena = arena_create()};
    const struct plan_options options = {.run_uuid = "0ddba11-0000-4000-8000-000000000000"};
    struct error err = {0};
    struct text text = {0};
    const struct hostfile *hostfile;
    const struct suite *suite = suite_load(cluster.arena, "delivery", &err);

    text_init(&text, 1 << 20);
    text_printf(&text, "defaults platform=%s unit=u1 fabric=infiniband mounts=/data probe=gpu\n", platform);
    /* Racks as NVL72 has them: there which hosts NVLinks join must be told. */
    for (unsigned first = 1; first <= hosts; first += 18)
        text_printf(&text, "n[%04u-%04u] rack=r%u\n", first, first + 17 < hosts ? first + 17 : hosts,
                    first / 18);
    hostfile =
        hostfile_parse(cluster.arena, "hosts", slice_of(arena_strdup(cluster.arena, text.bytes)), &err);
    text_release(&text);
    if (hostfile == NULL || suite == NULL ||
        plan_sources_load(cluster.arena, hostfile, suite, NULL, &cluster.sources, &err) < 0)
        fail_msg("%s, %u hosts: %s", platform, hosts, err.text);
    cluster.plan = plan_build(cluster.arena, &cluster.sources, &options, &cluster.notes, &err);
    if (cluster.plan == NULL)
        fail_msg("%s, %u hosts: %s", platform, hosts, err.text);
    return cluster;
}

/* The limits of the cluster that can fail it; NULL for an item that is no gate of bandwidth. */
static const struct limit *decides(const struct cluster *cluster, const struct shape *shape,
                                   const struct slot *slot)
{
    struct slot_limits limits;

    if (slot->duty != DUTY_GATE || strstr(slot->metric, ".busbw") == NULL)
        return NULL;
    slot_limits_find(cluster->arena, &cluster->sources.limits, shape, slot, &limits);
    for (size_t i = 0; i < limits.limits.count; i++)
        if (limit_enforceable(limits.limits.items[i]) && limits.limits.items[i]->rule == RULE_FLOOR)
            return limits.limits.items[i];
    fail_msg("%s of %s on %s over %u hosts has no limit that decides", slot->metric, shape->suite_step,
             shape->platform, shape->hosts);
    return NULL;
}

static bool is_carried_out(const struct plan *plan, const struct shape *shape)
{
    for (size_t i = 0; i < plan->steps.count; i++)
        if (plan->steps.items[i].shape == shape && plan->steps.items[i].origin != ORIGIN_LEFT_OUT)
            return true;
    return false;
}

static size_t look_at(const struct cluster *cluster, const struct shape *shape)
{
    size_t gates = 0;

    for (size_t i = 0; is_carried_out(cluster->plan, shape) && i < shape->slot_count; i++) {
        const struct limit *limit = decides(cluster, shape, &shape->slots[i]);

        if (limit == NULL)
            continue;
        gates++;
        assert_true(limit_gate(limit) > 0);
        assert_true(*limit->source != '\0');
        assert_int_not_equal(limit->status, LIMIT_GUESS);
    }
    return gates;
}

static void a_delivery_is_planned_on_every_platform_at_every_size(void **state)
{
    size_t count;
    const struct builtin *all = builtin_list(&count);

    (void)state;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; strcmp(all[i].kind, "platforms") == 0 && k < ARRAY_SIZE(sizes); k++) {
            struct cluster cluster = plan_of(all[i].name, sizes[k]);
            size_t gates = 0;

            for (size_t m = 0; m < cluster.plan->shapes.count; m++)
                gates += look_at(&cluster, cluster.plan->shapes.items[m]);
            /* Two sizes on each host; of several hosts two collectives more. */
            if (cluster.sources.platforms.items[0]->gpu_count > 0)
                assert_true(gates >= (sizes[k] > 1 ? 3 : 1));
            arena_destroy(cluster.arena);
        }
}

/* Healthy clusters of which somebody has published what they reach, in GB/s at 8G and more: none may fail. */
static void no_published_healthy_cluster_fails(void **state)
{
    static const struct {
        const char *platform, *metric;
        unsigned hosts;
        double reached;
    } rows[] = {
        {"hgx-h100", "nccl.all_reduce.busbw", 2, 430},      /* over RoCE: nccl#1221 */
        {"hgx-h100", "nccl.all_reduce.busbw", 4, 320},      /* over RoCE: nccl#1221 */
        {"hgx-h100", "nccl.all_reduce.busbw", 10, 316},     /* xxrjun/nccl-tests-cluster */
        {"hgx-h100", "nccl.all_gather.busbw", 10, 317},     /* xxrjun/nccl-tests-cluster */
        {"hgx-h100", "nccl.all_gather.busbw", 64, 280},     /* reduce_scatter: nccl#1229 */
        {"hgx-h100", "nccl.all_gather.busbw", 128, 260},    /* reduce_scatter: nccl#1229 */
        {"hgx-h200", "nccl.all_reduce.busbw", 248, 350},    /* nccl-tests#283 */
        {"hgx-h200", "nccl.all_gather.busbw", 2, 329},      /* Google a3-ultra */
        {"hgx-a100", "nccl.all_reduce.busbw", 2, 184},      /* sophia */
        {"hgx-b200", "nccl.all_reduce.busbw", 2, 430},      /* the same adapters as H100 */
        {"hgx-b200", "nccl.all_reduce.busbw", 4, 380},      /* stas00/ml-engineering */
        {"gb200-nvl72", "nccl.all_reduce.busbw", 360, 382}, /* coreweave/nccl-tests */
        {"gb300-nvl72", "nccl.all_gather.busbw", 8, 699},   /* NVIDIA/cluster-readiness-engine */
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct cluster cluster = plan_of(rows[i].platform, rows[i].hosts);
        size_t found = 0;

        for (size_t m = 0; m < cluster.plan->shapes.count; m++) {
            const struct shape *shape = cluster.plan->shapes.items[m];

            for (size_t k = 0; shape->hosts == rows[i].hosts && k < shape->slot_count; k++) {
                const struct limit *limit = strcmp(shape->slots[k].metric, rows[i].metric) == 0
                                                ? decides(&cluster, shape, &shape->slots[k])
                                                : NULL;

                if (limit != NULL && limit_gate(limit) > rows[i].reached)
                    fail_msg("%s over %u hosts: %g would fail at %g (%s)", rows[i].metric, rows[i].hosts,
                             rows[i].reached, limit_gate(limit), limit->source);
                found += limit != NULL;
            }
        }
        assert_true(found > 0);
        arena_destroy(cluster.arena);
    }
}

/* An A100 of 40 GB has no room for 16G three times: it is not asked, and the plan says so. */
static void messages_fit_the_memory_of_the_gpus(void **state)
{
    static const struct {
        const char *platform;
        double largest;
    } rows[] = {{"hgx-a100", 8}, {"v100-sxm2", 8}, {"hgx-h100", 16}};
    static const double gib = 1024.0 * 1024 * 1024;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct cluster cluster = plan_of(rows[i].platform, 2);
        double most = 0;

        for (size_t m = 0; m < cluster.plan->shapes.count; m++)
            for (size_t k = 0; k < cluster.plan->shapes.items[m]->slot_count; k++)
                if (cluster.plan->shapes.items[m]->slots[k].size_bytes > most)
                    most = cluster.plan->shapes.items[m]->slots[k].size_bytes;
        assert_true(most == rows[i].largest * gib);
        assert_int_equal(cluster.notes.notes.count > 0, rows[i].largest < 16);
        arena_destroy(cluster.arena);
    }
}

/* A step of ten times the rounds is not ended by the deadline of one. */
static void deadlines_follow_the_rounds(void **state)
{
    static const char *const rounds[] = {"20", "500"};
    unsigned expected[2];

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct arena *arena = arena_create();
        struct plan_sources sources;
        struct plan_notes notes = {0};
        struct error err = {0};
        const struct plan_options options = {.run_uuid = "0ddba11-0000-4000-8000-000000000000"};
        const char *text =
            arena_printf(arena,
                         "{\"name\": \"s\", \"purpose\": \"trial\", \"platform\": \"hgx-h100\", \"steps\": "
                         "[{\"check\": \"nccl-all-reduce\", \"arguments\": {\"iterations\": %s}}]}",
                         rounds[i]);
        const struct suite *suite = suite_parse(arena, "suite", slice_of(text), &err);
        const struct hostfile *hostfile = hostfile_parse(arena, "hosts", slice_of("a\n"), &err);
        const struct plan *plan = NULL;

        if (suite != NULL && plan_sources_load(arena, hostfile, suite, NULL, &sources, &err) == 0)
            plan = plan_build(arena, &sources, &options, &notes, &err);
        if (plan == NULL)
            fail_msg("%s", err.text);
        expected[i] = plan->shapes.items[0]->expected_s;
        arena_destroy(arena);
    }
    /* A minute for 25 rounds, the warm-up among them. */
    assert_int_equal(expected[1] - expected[0], 60 * 505 / 25 - 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_delivery_is_planned_on_every_platform_at_every_size),
        cmocka_unit_test(no_published_healthy_cluster_fails),
        cmocka_unit_test(messages_fit_the_memory_of_the_gpus),
        cmocka_unit_test(deadlines_follow_the_rounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
