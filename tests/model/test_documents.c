/* SPDX-License-Identifier: Apache-2.0 */
/* Suites, platforms, baselines: those that are built in load, and wrong ones say what is wrong and where. */
#include <stdlib.h>
#include <string.h>

#include "../arena_test.h"
#include "assay/base/files.h"
#include "assay/model/advisory.h"
#include "assay/model/reason.h"
#include "assay/model/suite.h"

#define GIB 1073741824.0

static const char *source_root;

static int load(struct arena *arena, const char *kind, const char *name, struct error *err)
{
    if (strcmp(kind, "suites") == 0)
        return suite_load(arena, name, err) != NULL ? 0 : -1;
    if (strcmp(kind, "platforms") == 0)
        return platform_load(arena, name, err) != NULL ? 0 : -1;
    if (strcmp(kind, "baselines") == 0)
        return baseline_load(arena, name, err) != NULL ? 0 : -1;
    if (strcmp(kind, "advisories") == 0)
        return advisories_load(arena, name, err) != NULL ? 0 : -1;
    return strcmp(kind, "schemas") == 0 || strcmp(kind, "repair") == 0 ? 0 : -1;
}

static void every_document_that_is_built_in_loads(void **state)
{
    size_t count;
    const struct builtin *rows = builtin_list(&count);

    assert_true(count >= 11);
    for (size_t i = 0; i < count; i++) {
        struct error err = {0};

        if (load(*state, rows[i].kind, rows[i].name, &err) < 0)
            fail_msg("%s/%s: %s", rows[i].kind, rows[i].name, err.text);
        assert_ptr_equal(builtin_find(rows[i].kind, rows[i].name), &rows[i]);
    }
}

static void platforms_say_what_applies(void **state)
{
    struct error err = {0};
    const struct platform *a100 = platform_load(*state, "hgx-a100", &err);
    const struct platform *h100 = platform_load(*state, "hgx-h100", &err);
    const char *file = arena_printf(*state, "%s/suites/platforms/hgx-h200.json", source_root);
    const struct platform *h200 = platform_load(*state, file, &err);

    assert_non_null(a100);
    assert_int_equal(a100->gpu_count, 8);
    assert_int_equal(a100->gpu_models.count, 2);
    assert_int_equal(a100->nvlink_links, 12);
    assert_true(a100->nvlink_gbs == 25);
    assert_true(a100->nvlink_ceiling_gbs == 300);
    assert_true(a100->nvswitch);
    assert_false(a100->fabric_state);
    assert_string_equal(a100->driver_minimum, "450.80.02");
    assert_true(a100->power_limit_w == 400);
    assert_non_null(h100);
    assert_string_equal(h100->gpu_models.items[0], "NVIDIA H100 80GB HBM3");
    assert_string_equal(h100->gpu_pci_ids.items[0], "10de:2330");
    assert_int_equal(h100->nvlink_links, 18);
    assert_true(h100->nvlink_gbs == 26.562);
    assert_true(h100->nvlink_ceiling_gbs == 450);
    assert_true(h100->fabric_state);
    assert_int_equal(h100->hcas.count, 8);
    assert_string_equal(h100->hcas.items[7], "mlx5_7");
    assert_true(h100->hca_gbits == 400);
    assert_int_equal(platform_time(h100, "dcgm-diag"), 0); /* the check itself knows best */
    assert_non_null(h200);
    assert_string_equal(h200->name, "hgx-h200");
}

static void times_are_found_by_check(void **state)
{
    struct platform platform = {0};

    *list_push(*state, &platform.times) = (struct platform_time){"dcgm-diag", 900};
    assert_int_equal(platform_time(&platform, "dcgm-diag"), 900);
    assert_int_equal(platform_time(&platform, "reachable"), 0);
}

/* The first limit of the platform's baseline that applies. */
static const struct limit *first(struct arena *arena, const char *platform, const char *metric,
                                 const char *scope, unsigned hosts, double size)
{
    const struct baseline *baseline = baseline_for_platform(arena, &(struct platform){.name = platform});

    assert_non_null(baseline);
    for (size_t i = 0; i < baseline->limits.count; i++)
        if (limit_applies(&baseline->limits.items[i], metric, "gpu0->gpu1", scope, hosts, size))
            return &baseline->limits.items[i];
    return NULL;
}

static void baselines_hold_the_published_figures(void **state)
{
    static const struct {
        const char *platform, *metric, *scope;
        unsigned hosts;
        double size, value;
        enum limit_status status;
    } cases[] = {
        {"hgx-a100", "p2p.unidirectional.enabled", "host", 1, 0, 250, LIMIT_FIELD},
        {"hgx-a100", "p2p.bidirectional.enabled", "host", 1, 0, 390, LIMIT_FIELD},
        {"hgx-a100", "nccl.all_reduce.busbw", "host", 1, 8 * GIB, 220, LIMIT_FIELD},
        {"hgx-a100", "nccl.all_gather.busbw", "host", 1, 8 * GIB, 215, LIMIT_GUESS},
        {"hgx-a100", "nccl.all_reduce.busbw", "cluster", 2, 8 * GIB, 175, LIMIT_FIELD},
        {"hgx-a100", "nccl.all_gather.busbw", "cluster", 8, 8 * GIB, 168, LIMIT_FIELD},
        {"hgx-a100", "nccl.all_reduce.busbw", "cluster", 33, 8 * GIB, 140, LIMIT_GUESS},
        {"hgx-h100", "p2p.unidirectional.enabled", "host", 1, 0, 345, LIMIT_FIELD},
        {"hgx-h100", "p2p.bidirectional.enabled", "host", 1, 0, 700, LIMIT_FIELD},
        {"hgx-h100", "p2p.latency.gpu.enabled", "host", 1, 0, 4, LIMIT_FIELD},
        {"hgx-h100", "nccl.all_reduce.busbw", "host", 1, 16 * GIB, 455, LIMIT_FIELD},
        {"hgx-h100", "nccl.reduce_scatter.busbw", "host", 1, 8 * GIB, 330, LIMIT_FIELD},
        {"hgx-h100", "nccl.alltoall.busbw", "host", 1, 8 * GIB, 325, LIMIT_FIELD},
        {"hgx-h100", "nccl.all_reduce.busbw", "cluster", 1, 8 * GIB, 455, LIMIT_FIELD}, /* a group of one */
        {"hgx-h100", "nccl.all_reduce.busbw", "cluster", 2, 8 * GIB, 408, LIMIT_FIELD},
        {"hgx-h100", "nccl.all_reduce.busbw", "cluster", 3, 8 * GIB, 300, LIMIT_FIELD},
        {"hgx-h100", "nccl.all_reduce.busbw", "cluster", 32, 8 * GIB, 300, LIMIT_GUESS},
        {"hgx-h100", "nccl.all_gather.busbw", "cluster", 16, 8 * GIB, 300, LIMIT_FIELD},
        {"hgx-h100", "nccl.all_gather.busbw", "cluster", 17, 8 * GIB, 285, LIMIT_GUESS},
        {"hgx-h200", "p2p.unidirectional.enabled", "host", 1, 0, 335, LIMIT_VENDOR},
        {"hgx-h200", "p2p.bidirectional.enabled", "host", 1, 0, 700, LIMIT_GUESS},
        {"hgx-h200", "p2p.latency.gpu.enabled", "host", 1, 0, 4, LIMIT_GUESS},
        {"hgx-h200", "nccl.all_reduce.busbw", "host", 1, 8 * GIB, 455, LIMIT_FIELD},
        {"hgx-h200", "nccl.all_gather.busbw", "host", 1, 8 * GIB, 345, LIMIT_FIELD},
        {"v100-sxm2", "nccl.all_reduce.busbw", "host", 1, 8 * GIB, 110, LIMIT_VENDOR},
        {"hgx-a800", "nccl.all_reduce.busbw", "host", 1, 8 * GIB, 150, LIMIT_VENDOR},
        {"hgx-h800", "p2p.unidirectional.enabled", "host", 1, 0, 150, LIMIT_VENDOR},
        {"hgx-h20", "p2p.unidirectional.enabled", "host", 1, 0, 330, LIMIT_GUESS},
        {"hgx-b200", "nccl.all_reduce.busbw", "host", 1, 8 * GIB, 795, LIMIT_FIELD},
        {"hgx-b300", "nccl.all_reduce.busbw", "host", 1, 8 * GIB, 800, LIMIT_VENDOR},
        {"gb200-nvl72", "nccl.all_reduce.busbw", "host", 1, 8 * GIB, 645, LIMIT_FIELD},
        {"gb200-nvl72", "nccl.all_gather.busbw", "cluster", 18, 8 * GIB, 580, LIMIT_FIELD},
        {"gb300-nvl72", "nccl.alltoall.busbw", "cluster", 8, 8 * GIB, 540, LIMIT_VENDOR},
        /* DCGM's minima by cublasSgemm, which gpu_burn calls too. */
        {"hgx-a100", "gpu_burn.float.gflops", "host", 1, 0, 13200, LIMIT_PROVISIONAL},
        {"hgx-a800", "gpu_burn.float.gflops", "host", 1, 0, 13950, LIMIT_PROVISIONAL},
        {"hgx-h800", "gpu_burn.float.gflops", "host", 1, 0, 40000, LIMIT_PROVISIONAL},
        {"hgx-h20", "gpu_burn.float.gflops", "host", 1, 0, 17700, LIMIT_PROVISIONAL},
        {"hgx-b200", "gpu_burn.float.gflops", "host", 1, 0, 36949, LIMIT_PROVISIONAL},
        {"hgx-b300", "gpu_burn.float.gflops", "host", 1, 0, 36825, LIMIT_PROVISIONAL},
        {"gb200-nvl72", "gpu_burn.float.gflops", "host", 1, 0, 15225, LIMIT_PROVISIONAL},
        {"gb300-nvl72", "gpu_burn.float.gflops", "host", 1, 0, 48750, LIMIT_PROVISIONAL},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct limit *limit =
            first(*state, cases[i].platform, cases[i].metric, cases[i].scope, cases[i].hosts, cases[i].size);

        assert_non_null(limit);
        assert_true(limit->value == cases[i].value);
        assert_int_equal(limit->status, cases[i].status);
        assert_true(strlen(limit->source) > 10);
    }
    /* A healthy H100 shows 401 at 128M: small sizes have no limit. */
    assert_null(first(*state, "hgx-h100", "nccl.all_reduce.busbw", "host", 1, 134217728));
    assert_null(baseline_for_platform(*state, &(struct platform){.name = "atlas-800t-a2"}));
}

/* A floor above what the hardware can carry would fail every healthy host. */
static void no_copy_limit_exceeds_the_datasheet(void **state)
{
    static const char *const platforms[] = {"hgx-a100", "hgx-h100", "hgx-h200"};

    for (size_t i = 0; i < 3; i++) {
        struct error err = {0};
        const struct platform *platform = platform_load(*state, platforms[i], &err);
        const struct limit *one = first(*state, platforms[i], "p2p.unidirectional.enabled", "host", 1, 0);
        const struct limit *both = first(*state, platforms[i], "p2p.bidirectional.enabled", "host", 1, 0);
        const struct limit *fabric =
            first(*state, platforms[i], "nccl.all_gather.busbw", "cluster", 8, 8 * GIB);

        assert_true(one->value < platform->nvlink_ceiling_gbs);
        assert_true(both->value < 2 * platform->nvlink_ceiling_gbs);
        assert_true(fabric->value < platform->hca_gbits / 8 * (double)platform->hcas.count);
    }
}

static const struct suite_step *step_of(const struct suite *suite, const char *name)
{
    for (size_t i = 0; i < suite->steps.count; i++)
        if (strcmp(suite->steps.items[i].name, name) == 0)
            return &suite->steps.items[i];
    fail_msg("no step %s", name);
    return NULL;
}

static void delivery_is_the_agreed_plan(void **state)
{
    /* In this order; what is passive may stand between. */
    static const char *const steps[] = {"reachable",
                                        "privilege",
                                        "gpu-inventory",
                                        "driver",
                                        "gpu-settings",
                                        "fabric-manager",
                                        "health",
                                        "ecc",
                                        "nvlink",
                                        "p2p-bandwidth",
                                        "nccl-all-reduce",
                                        "dcgm-diag",
                                        "gpu-burn",
                                        "nccl-all-reduce-cluster",
                                        "nccl-all-gather-cluster"};
    struct error err = {0};
    const struct suite *suite = suite_load(*state, "delivery", &err);
    const struct suite_step *p2p, *nccl, *fabric;

    assert_non_null(suite);
    assert_true(suite->delivery);
    for (size_t i = 1; i < ARRAY_SIZE(steps); i++)
        assert_true(step_of(suite, steps[i - 1]) < step_of(suite, steps[i]));
    p2p = step_of(suite, "p2p-bandwidth");
    assert_true(p2p->needs.count >= 5);
    assert_int_equal(p2p->record_without_limit.count, 3);
    nccl = step_of(suite, "nccl-all-reduce");
    assert_string_equal(nccl->scope, "host");
    assert_string_equal(json_string(nccl->arguments, "end", ""), "16G");
    assert_int_equal(nccl->sizes_judged.count, 2);
    assert_int_equal(nccl->retries, 1);
    assert_int_equal(nccl->repeat, 1);
    assert_true(nccl->isolate);
    assert_true(json_number(step_of(suite, "gpu-burn")->arguments, "seconds", 0) == 1800);
    fabric = step_of(suite, "nccl-all-gather-cluster");
    assert_string_equal(fabric->check, "nccl-all-gather");
    assert_string_equal(fabric->scope, "cluster");
    assert_true(fabric->needs.count >= 4);
    assert_string_equal(suite_tool(*state, suite, "gpu_burn")->path, "gpu_burn");
    assert_string_equal(suite_tool(*state, suite, "nvidia-smi")->path, "nvidia-smi");
    assert_null(suite_tool(*state, suite, "nvidia-smi")->folder);
    assert_int_equal(suite->launcher.mpi, LAUNCHER_MPI_AUTO);
    assert_string_equal(suite->launcher.bind_to, "none");
    assert_string_equal(suite->launcher.environment.items[0].name, "NCCL_DEBUG");
}

static void everything_of_a_suite_is_read(void **state)
{
    const char *text =
        "{\"name\": \"s\", \"title\": \"t\", \"platform\": \"hgx-h100\", \"search_path\": [\"/opt/a\"],\n"
        " \"environment\": {\"A\": \"1\"},\n"
        " \"tools\": {\"gpu_burn\": {\"path\": \"./gpu_burn\", \"folder\": \"/opt/gpu-burn\", "
        "\"environment\": "
        "{\"B\": \"2\"}}},\n"
        " \"steps\": [{\"check\": \"a\"}, {\"name\": \"x\", \"check\": \"a\", \"needs\": [\"a\"], \"gate\": "
        "[\"m.*\"], \"record\": [\"n\"], \"timeout_s\": 60, \"expected_s\": 30, \"retries\": 0, \"repeat\": "
        "3, "
        "\"isolate\": false, \"exclusive\": \"leaf\", \"limits\": [{\"metric\": \"m\", \"ceiling\": 5, "
        "\"unit\": \"us\", "
        "\"source\": "
        "\"contract 4.2\", \"status\": \"contract\", \"inconclusive\": true}]}]}";
    struct error err = {0};
    const struct suite *suite = suite_parse(*state, "s.json", slice_of(text), &err);
    const struct suite_step *step;

    assert_non_null(suite);
    assert_false(suite->delivery);
    assert_string_equal(suite->platform, "hgx-h100");
    assert_string_equal(suite->search_path.items[0], "/opt/a");
    assert_string_equal(suite->environment.items[0].name, "A");
    assert_string_equal(suite_tool(*state, suite, "gpu_burn")->folder, "/opt/gpu-burn");
    assert_string_equal(suite_tool(*state, suite, "gpu_burn")->environment.items[0].value, "2");
    step = &suite->steps.items[1];
    assert_string_equal(step->needs.items[0], "a");
    assert_int_equal(step->needs_at.items[0]->line, 4);
    assert_string_equal(step->gate.items[0], "m.*");
    assert_string_equal(step->record.items[0], "n");
    assert_int_equal(step->timeout_s, 60);
    assert_int_equal(step->expected_s, 30);
    assert_int_equal(step->retries, 0);
    assert_int_equal(step->repeat, 3);
    assert_false(step->isolate);
    assert_string_equal(step->exclusive, "leaf");
    assert_int_equal(step->limits.items[0].status, LIMIT_CONTRACT);
    assert_true(step->limits.items[0].inconclusive);
    assert_int_equal(suite->bytes.length, strlen(text));
}

static void variants_are_read_in_their_order(void **state)
{
    const char *text = "{\"name\": \"s\", \"steps\": [{\"check\": \"a\", \"variants\": {\"default\": {}, "
                       "\"ring\": {\"NCCL_ALGO\": "
                       "\"Ring\", \"X\": \"1\"}}}, {\"check\": \"b\", \"variants\": {\"c\": {}, \"d\": {}}, "
                       "\"repeat\": 2}]}";
    struct error err = {0};
    const struct suite *suite = suite_parse(*state, "s.json", slice_of(text), &err);
    const struct suite_step *step;

    assert_non_null(suite);
    step = &suite->steps.items[0];
    assert_int_equal(step->repeat, 5);
    assert_int_equal(step->variants.count, 2);
    assert_string_equal(step->variants.items[0].name, "default");
    assert_int_equal(step->variants.items[0].environment.count, 0);
    assert_string_equal(step->variants.items[1].name, "ring");
    assert_string_equal(step->variants.items[1].environment.items[0].name, "NCCL_ALGO");
    assert_string_equal(step->variants.items[1].environment.items[0].value, "Ring");
    assert_string_equal(step->variants.items[1].environment.items[1].name, "X");
    assert_ptr_equal(suite_variant_find(step, "ring"), &step->variants.items[1]);
    assert_null(suite_variant_find(step, "tree"));
    assert_null(suite_variant_find(step, NULL));
    assert_int_equal(suite->steps.items[1].repeat, 2);
}

#define STEP_KEYS                                                                          \
    "name, check, note, scope, by, arguments, variants, when, needs, last, gate, record, " \
    "record_without_limit, "                                                               \
    "limits, "                                                                             \
    "sizes_judged, "                                                                       \
    "timeout_s, expected_s, retries, repeat, repeat_for_s, retests, isolate, peers, exclusive"

#define RULES                                                                                                \
    "\"floor\" with \"unit\", \"ceiling\" with \"unit\", \"range\" with \"unit\", \"fraction_of_ceiling\", " \
    "\"fraction_of_groups\", "                                                                               \
    "\"equal\", \"one_of\", "                                                                                \
    "\"min_version\" or \"same\""

static void wrong_suites_are_told_by_line_and_column(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"{\"name\": \"s\"}", "s.json:1:1: the document has no \"steps\"; expected that key"},
        {"{\"name\": \"s\", \"steps\": []}",
         "s.json:1:24: steps is an empty list; expected a list of at least 1"},
        {"{\"name\": \"s\", \"steps\": [\n {\"check\": \"a\",\n  \"tiemout_s\": 5}]}",
         "s.json:3:3: unknown key \"tiemout_s\" in steps[0]; did you mean \"timeout_s\"? The keys here "
         "are " STEP_KEYS},
        {"{\"name\": \"s\", \"steps\": [\n {\"check\": \"a\",\n  \"timeout_s\": \"5\"}]}",
         "s.json:3:16: steps[0].timeout_s is \"5\"; expected a whole number"},
        {"{\"name\": \"s\", \"steps\": [{\"check\": \"a\", \"scope\": \"hots\"}]}",
         "s.json:1:49: steps[0].scope is \"hots\"; expected \"host\", \"pair\", \"group\" or \"cluster\"; "
         "did you mean "
         "\"host\"?"},
        {"{\"name\": \"s\", \"steps\": [{\"check\": \"a\"}, {\"check\": \"b\", \"needs\": [\"a\", \"c\"]}]}",
         "s.json:1:71: step \"b\" needs \"c\", which is not a step before it"},
        {"{\"name\": \"s\", \"steps\": [{\"check\": \"driver\", \"needs\": [\"driver\"]}]}",
         "s.json:1:55: step \"driver\" needs \"driver\", which is not a step before it"},
        {"{\"name\": \"s\", \"steps\": [{\"check\": \"a\"},\n {\"check\": \"a\"}]}",
         "s.json:2:2: step \"a\" appears twice, first on line 1; expected a \"name\" of its own"},
        {"{\"name\": \"s\", \"steps\": [{\"check\": \"a\", \"sizes_judged\": [\"8GB\"]}]}",
         "s.json:1:57: steps[0].sizes_judged[0] is \"8GB\"; expected a string such as \"8G\" (pattern "
         "^[1-9][0-9]{0,14}[KMG]?$)"},
        {"{\"name\": \"s\", \"steps\": [{\"check\": \"a\", \"sizes_judged\": [\"99999999999G\"]}]}",
         "s.json:1:57: sizes_judged holds \"99999999999G\"; expected a message size such as \"8G\", at most "
         "2^53 "
         "bytes"},
        {"{\"name\": \"s\", \"steps\": [{\"check\": \"a\", \"limits\": [{\"metric\": \"m\", \"source\": "
         "\"x\", "
         "\"status\": \"field\"}]}]}",
         "s.json:1:51: steps[0].limits[0] is an object; expected " RULES},
        {"{\"name\": \"s\", \"steps\": [{\"check\": \"a\", \"limits\": [{\"metric\": \"m\", \"source\": "
         "\"x\", "
         "\"status\": \"field\", \"floor\": 1}]}]}",
         "s.json:1:51: steps[0].limits[0] is an object; expected " RULES},
        {"{\"name\": \"s\", \"steps\": [{\"check\": \"a\", \"limits\": [{\"metric\": \"m\", \"source\": "
         "\"x\", "
         "\"status\": \"field\", \"floor\": 1, \"ceiling\": 2, \"unit\": \"us\"}]}]}",
         "s.json:1:51: steps[0].limits[0] is an object; expected only one of " RULES "; these are 2 of them"},
        {"{\"name\": \"s\", \"steps\": [{\"check\": \"a\", \"limits\": [{\"metric\": \"m\", \"source\": "
         "\"x\", "
         "\"status\": \"filed\", \"equal\": \"ok\"}]}]}",
         "s.json:1:92: steps[0].limits[0].status is \"filed\"; expected \"contract\", \"datasheet\", "
         "\"vendor\", "
         "\"field\", \"provisional\", \"guess\" or \"self\"; did you mean \"field\"?"},
        {"{\"name\": \"s\", \"steps\": [{\"check\": \"a\", \"limits\": [{\"metric\": \"m\", \"source\": "
         "\"x\", "
         "\"status\": \"field\", \"floor\": 1, \"unit\": \"GB/s\", \"hosts_min\": 4, \"hosts_max\": 3}]}]}",
         "s.json:1:158: hosts_max is 3, less than hosts_min; expected 4 or more"},
        {"{\"name\": \"s\", \"purpose\": \"delivrey\", \"steps\": [{\"check\": \"a\"}]}",
         "s.json:1:26: purpose is \"delivrey\"; expected \"delivery\", \"trial\", \"tuning\", \"periodic\", "
         "\"soak\" or \"preflight\"; did you mean "
         "\"delivery\"?"},
        {"{\"name\": \"s\", \"environment\": {\"A-B\": \"1\"}, \"steps\": [{\"check\": \"a\"}]}",
         "s.json:1:31: unknown key \"A-B\" in environment; expected a key that matches "
         "^[A-Za-z_][A-Za-z0-9_]*$"},
        {"{\"name\": \"s\", \"tools\": {\"t\": {\"folder\": \"bin\"}}, \"steps\": [{\"check\": \"a\"}]}",
         "s.json:1:41: tools.t.folder is \"bin\"; expected a string such as \"/opt/gpu-burn\" (pattern "
         "^/[^[:cntrl:]]*$)"},
        {"{\"name\": \"s\", \"launcher\": {\"flags\": \"-v\"}, \"steps\": [{\"check\": \"a\"}]}",
         "s.json:1:37: launcher.flags is \"-v\"; expected a list"},
        {"{\"name\": \"s\", \"launcher\": {\"mpi\": \"3\"}, \"steps\": [{\"check\": \"a\"}]}",
         "s.json:1:35: launcher.mpi is \"3\"; expected \"auto\", \"4\" or \"5\""},
        {"{\"name\": \"s\", \"launcher\": {\"kind\": \"srun\", \"oob_interfaces\": [\"eth0\"]}, \"steps\": "
         "[{\"check\": \"a\"}]}",
         "s.json:1:62: launcher.oob_interfaces is for mpirun, and launcher.kind is \"srun\""},
        {"{\"name\": \"s\", \"launcher\": {\"srun\": \"/opt/srun\"}, \"steps\": [{\"check\": \"a\"}]}",
         "s.json:1:36: launcher.srun is for srun, and launcher.kind is \"mpirun\""},
        {"{\"name\": \"s\", \"launcher\": {\"btl_interfaces\": [\"eth0,eth1\"]}, \"steps\": "
         "[{\"check\": \"a\"}]}",
         "s.json:1:47: launcher.btl_interfaces[0] is \"eth0,eth1\"; expected a string such as \"eth0\" or "
         "\"10.0.0.0/24\" (pattern ^[A-Za-z0-9][A-Za-z0-9_.:/@-]*$)"},
        {"{\"name\": \"s\", \"steps\": [{\"check\": \"a\", \"variants\": {\"b\": {}}}]}",
         "s.json:1:52: step \"a\" has 1 variant; expected two or more, for the others are compared with the "
         "first"},
        {"{\"name\": \"s\", \"steps\": [{\"check\": \"a\", \"variants\": [\"b\", \"c\"]}]}",
         "s.json:1:52: steps[0].variants is a list; expected an object"},
        {"{\"name\": \"s\", \"steps\": [{\"check\": \"a\", \"variants\": {\"b\": {}, \"c\": {\"A-B\": "
         "\"1\"}}}]}",
         "s.json:1:68: unknown key \"A-B\" in steps[0].variants.c; expected a key that matches "
         "^[A-Za-z_][A-Za-z0-9_]*$"},
        {"{\"name\": \"s\", \"steps\": [{\"check\": \"a\", \"variants\": {\"b\": {}, \"c d\": {}}}]}",
         "s.json:1:62: unknown key \"c d\" in steps[0].variants; expected a key that matches "
         "^[A-Za-z0-9][A-Za-z0-9._-]*$"},
        {"{\"name\": \"s\", \"steps\": [{\"check\": \"a\", \"variants\": {\"b\": {}, \"c\": {}}, \"gate\": "
         "[\"m\"]}]}",
         "s.json:1:80: step \"a\" has variants, which only advise and judge nothing; expected no \"gate\""},
        {"{\"name\": \"s\", \"steps\": [{\"check\": \"a\", \"variants\": {\"b\": {}, \"c\": {}}, "
         "\"sizes_judged\": [\"8G\"]}]}",
         "s.json:1:88: step \"a\" has variants, which only advise and judge nothing; expected no "
         "\"sizes_judged\""},
        {"{\"name\": \"s\", \"steps\": [{\"check\": \"a\", \"scope\": \"group\", \"by\": \"rail\", "
         "\"variants\": "
         "{\"b\": {}, \"c\": {}}}]}",
         "s.json:1:64: step \"a\" has variants and goes by rail; expected one of the two"},
        {"{\"name\": \"s\", \"steps\": [{\"check\": \"a\", \"exclusive\": \"none\", \"variants\": "
         "{\"b\": {}, \"c\": {}}}]}",
         "s.json:1:53: step \"a\" has variants, which are compared and so never run at the same time; "
         "expected "
         "\"host\", \"leaf\" or \"fabric\""},
        {"{\"name\": \"s\", \"steps\": [{\"check\": \"a\", \"variants\": {\"b\": {}, \"c\": {}}}, "
         "{\"check\": \"d\", "
         "\"needs\": [\"a\"]}]}",
         "s.json:1:98: step \"d\" needs \"a\", which has variants: it only advises, and passes nothing that "
         "could be needed"},
        {"{\"name\": \"s\", \"steps\": [{\"check\": \"a\", \"repeat\": 2, \"repeat_for_s\": 60}]}",
         "s.json:1:50: step \"a\" has \"repeat_for_s\" and \"repeat\"; expected one of them"},
        {"{\"name\": \"s\" \"steps\": []}", "s.json:1:14: found '\"' where ',' or '}' was expected"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err = {0};

        assert_null(suite_parse(*state, "s.json", slice_of(cases[i].text), &err));
        assert_string_equal(err.text, cases[i].message);
        assert_int_equal(err.code, ERROR_USAGE);
    }
}

static void all_that_is_wrong_in_a_suite_is_told_at_once(void **state)
{
    struct error err = {0};
    const char *form = "{\"name\": \"s\", \"titel\": 1, \"steps\": [\n"
                       " {\"check\": \"a\", \"tiemout_s\": 5, \"retries\": \"x\"},\n"
                       " {\"scope\": \"hots\"}]}";
    const char *meaning = "{\"name\": \"s\", \"steps\": [\n"
                          " {\"check\": \"a\", \"needs\": [\"x\", \"y\"], \"by\": \"ring\"},\n"
                          " {\"check\": \"a\"}]}";
    const char *twice = "{\"name\": \"s\", \"name\": 1, \"steps\": [{\"a\": 1, \"a\": 2}]}";

    assert_null(suite_parse(*state, "s.json", slice_of(form), &err));
    assert_int_equal(err.count, 5);
    assert_non_null(strstr(err.text, "s.json:1:15: unknown key \"titel\""));
    assert_string_equal(
        err.more,
        "s.json:2:17: unknown key \"tiemout_s\" in steps[0]; did you mean \"timeout_s\"?\n"
        "s.json:2:44: steps[0].retries is \"x\"; expected a whole number\n"
        "s.json:3:12: steps[1].scope is \"hots\"; expected \"host\", \"pair\", \"group\" or \"cluster\"; "
        "did you mean \"host\"?\n"
        "s.json:3:2: steps[1] has no \"check\"; expected that key");
    assert_null(suite_parse(*state, "s.json", slice_of(meaning), &err));
    assert_int_equal(err.count, 4);
    assert_null(suite_parse(*state, "s.json", slice_of(twice), &err));
    assert_int_equal(err.count, 2);
}

/* A built-in document with one piece of its text replaced: NULL with the message when it is refused. */
static const char *refusal(struct arena *arena, const char *kind, const char *name, const char *schema,
                           const char *old, const char *new)
{
    const struct builtin *row = builtin_find(kind, name);
    const char *at = strstr(row->bytes.bytes, old);
    struct error err = {0};
    struct slice text;

    assert_non_null(at);
    text = slice_of(arena_printf(arena, "%.*s%s%s", (int)(at - row->bytes.bytes), row->bytes.bytes, new,
                                 at + strlen(old)));
    assert_null(document_parse(arena, "t.json", text, schema, &err));
    assert_int_equal(err.code, ERROR_USAGE);
    return arena_strdup(arena, err.text);
}

static void wrong_platforms_are_told_by_line_and_column(void **state)
{
    assert_string_equal(
        refusal(*state, "platforms", "hgx-h100", "platform", "\"nvswitch\"", "\"nvswich\""),
        "t.json:16:3: unknown key \"nvswich\" in the document; did you mean \"nvswitch\"? The keys "
        "here are $schema, name, title, source, note, like, gpus, npus, nvlink, pcie, nvswitch, "
        "fabric_state, "
        "driver_minimum, hcas, times_s");
    assert_string_equal(
        refusal(*state, "platforms", "hgx-h100", "platform", "\"count\": 8", "\"count\": \"8\""),
        "t.json:8:14: gpus.count is \"8\"; expected a whole number");
    assert_string_equal(
        refusal(*state, "platforms", "hgx-h100", "platform", "\"10de:2330\"", "\"2330\""),
        "t.json:10:17: gpus.pci_ids[0] is \"2330\"; expected a string such as \"10de:2330\" (pattern "
        "^[0-9a-f]{4}:[0-9a-f]{4}$)");
    assert_string_equal(
        refusal(*state, "platforms", "hgx-h100", "platform", "\"nvswitch\": true", "\"nvswitch\": 1"),
        "t.json:16:15: nvswitch is 1; expected true or false");
    assert_string_equal(refusal(*state, "platforms", "atlas-800t-a2", "platform", "\"npus\": {\"count\": 8,",
                                "\"npus\": {\"count\": 0,"),
                        "t.json:7:21: npus.count is 0; expected 1 or more");
}

static void wrong_baselines_are_told_by_line_and_column(void **state)
{
    assert_string_equal(
        refusal(*state, "baselines", "hgx-h100", "baseline", "\"floor\"", "\"flor\""),
        "t.json:8:46: unknown key \"flor\" in limits[0]; did you mean \"floor\"? The keys here are "
        "metric, subject, scope, hosts_min, hosts_max, racks_min, racks_max, rack_hosts_min, size_min, "
        "size_max, floor, "
        "ceiling, "
        "range, fraction_of_ceiling, fraction_of_groups, equal, one_of, min_version, same, tolerance, "
        "derived_tolerance, unit, "
        "source, status, measured, note, inconclusive");
    assert_string_equal(refusal(*state, "baselines", "hgx-h100", "baseline", "345", "\"345\""),
                        "t.json:8:55: limits[0].floor is \"345\"; expected a number");
    assert_string_equal(
        refusal(*state, "baselines", "hgx-h100", "baseline", "\"GB/s\"", "\"GiB/s\""),
        "t.json:8:68: limits[0].unit is \"GiB/s\"; expected \"GB/s\", \"Gb/s\", \"B\", \"MiB\", \"us\", \"C\", "
        "\"W\", \"GFLOP/s\", \"TFLOP/s\", \"%\", \"Mpps\", \"count\", \"rate\" or \"s\"; did you mean "
        "\"GB/s\"?");
    assert_string_equal(refusal(*state, "baselines", "hgx-h100", "baseline", "\"status\": \"field\", ", ""),
                        "t.json:8:5: limits[0] has no \"status\"; expected that key");
}

static void times_are_read_as_people_write_them(void **state)
{
    static const char *const wrong[] = {"",   "24",  "h",   "24 h", "1m1h",   "1h1h",
                                        "0s", "15d", "-1h", "1.5h", "24hours"};
    static const struct {
        const char *text;
        unsigned seconds;
    } right[] = {{"24h", 86400}, {"90m", 5400},    {"1h30m", 5400},
                 {"45s", 45},    {"14d", 1209600}, {"1d2h3m4s", 93784}};
    unsigned seconds;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(right); i++) {
        assert_true(seconds_parse(right[i].text, &seconds));
        assert_int_equal(seconds, right[i].seconds);
    }
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
        assert_false(seconds_parse(wrong[i], &seconds));
}

/* The bytes are what is kept with a run: they say what was done, and nothing else of them is another. */
static void another_duration_is_another_number_in_the_suite(void **state)
{
    static const char text[] = "{\"name\": \"s\", \"title\": \"\xc3\xa4\", \"steps\": [{\"check\": \"a\", "
                               "\"note\": \"\xe6\xb5\x8b\", \"repeat_for_s\": 3600},\n {\"check\": \"b\"}, "
                               "{\"check\": \"c\", \"repeat_for_s\" : 86400, \"timeout_s\": 1}]}";
    static const char other[] = "{\"name\": \"s\", \"title\": \"\xc3\xa4\", \"steps\": [{\"check\": \"a\", "
                                "\"note\": \"\xe6\xb5\x8b\", \"repeat_for_s\": 5400},\n {\"check\": \"b\"}, "
                                "{\"check\": \"c\", \"repeat_for_s\" : 5400, \"timeout_s\": 1}]}";
    struct error err = {0};
    const struct suite *suite = suite_parse(*state, "s.json", slice_of(text), &err), *none;

    assert_non_null(suite);
    suite = suite_with_duration(*state, suite, 5400, &err);
    assert_non_null(suite);
    assert_string_equal(suite->bytes.bytes, other);
    assert_int_equal(suite->steps.items[0].repeat_for_s, 5400);
    assert_int_equal(suite->steps.items[1].repeat_for_s, 0);
    assert_int_equal(suite->steps.items[2].repeat_for_s, 5400);
    none = suite_load(*state, "smoke", &err);
    assert_null(suite_with_duration(*state, none, 5400, &err));
    assert_non_null(strstr(err.text, "smoke: no step of the suite says repeat_for_s"));
}

static void unknown_names_list_those_there_are(void **state)
{
    struct error err = {0};

    assert_null(platform_load(*state, "hgx-h10", &err));
    assert_non_null(strstr(err.text, "'hgx-h10' is not one of the built-in platforms; did you mean 'hgx-"));
    assert_non_null(strstr(err.text,
                           "they are atlas-800t-a2, gb200-nvl72, gb300-nvl72, hgx-a100, hgx-a800, hgx-b200, "
                           "hgx-b300, hgx-h100, hgx-h20, hgx-h200, hgx-h800, v100-sxm2;"));
    assert_null(suite_load(*state, "whatever", &err));
    assert_string_equal(err.text,
                        "'whatever' is not one of the built-in suites; they are collect, delivery, gpu, "
                        "periodic, site, smoke, soak, tuning; a file is "
                        "given with a '/' in its name or '.json' at its end");
    assert_null(suite_load(*state, "none.json", &err));
    assert_string_equal(err.text, "none.json: No such file or directory");
}

/* Suites and baselines describe limits in the same words. */
static void both_schemas_define_the_same_limit(void **state)
{
    const struct builtin *suite = builtin_find("schemas", "suite");
    const struct builtin *baseline = builtin_find("schemas", "baseline");
    const char *in_suite = strstr(suite->bytes.bytes, "\n    \"limit\": {\n");
    const char *in_baseline = strstr(baseline->bytes.bytes, "\n    \"limit\": {\n");

    (void)state;
    assert_non_null(in_suite);
    assert_non_null(in_baseline);
    assert_string_equal(in_suite, in_baseline);
}

/* Every key of "properties", at any depth, stands in the manual as `key`. */
static void find_undocumented(struct arena *arena, const struct json *schema, const char *manual)
{
    json_each (key, json_get(schema, "properties")) {
        if (strstr(manual, arena_printf(arena, "`%s`", key->key)) == NULL)
            fail_msg("suites/README.md does not explain `%s`", key->key);
    }
    json_each (member, schema)
        find_undocumented(arena, member, manual);
}

static void the_manual_explains_every_key(void **state)
{
    static const char *const schemas[] = {"suite", "platform", "baseline", "contract", "advisories"};
    const char *path = arena_printf(*state, "%s/suites/README.md", source_root);
    cleanup_text struct text manual = {0};
    struct error err = {0};

    text_init(&manual, 1 << 20);
    assert_int_equal(file_read(path, &manual, &err), 0);
    for (size_t i = 0; i < ARRAY_SIZE(schemas); i++) {
        const struct builtin *row = builtin_find("schemas", schemas[i]);
        const struct json *schema = json_parse(*state, schemas[i], row->bytes.bytes, row->bytes.length, &err);

        assert_non_null(schema);
        find_undocumented(*state, schema, manual.bytes);
    }
}

static void the_manual_s_example_loads(void **state)
{
    const char *path = arena_printf(*state, "%s/suites/README.md", source_root), *begin, *end;
    cleanup_text struct text manual = {0};
    struct error err = {0};

    text_init(&manual, 1 << 20);
    assert_int_equal(file_read(path, &manual, &err), 0);
    begin = strstr(manual.bytes, "```json\n");
    assert_non_null(begin);
    begin += strlen("```json\n");
    end = strstr(begin, "```");
    assert_non_null(end);
    if (suite_parse(*state, "example", (struct slice){begin, (size_t)(end - begin)}, &err) == NULL)
        fail_msg("%s", err.text);
}

#define ADVISORIES(branch, version)                                                                             \
    "{\"name\": \"ours\", \"reviewed\": \"2026-09-30\", \"branches\": {\"dcgm\": [\"3\"]}, \"advisories\": [\n" \
    "{\"ids\": [\"CVE-1-1\", \"CVE-1-2\"], \"product\": \"dcgm\", \"severity\": \"high\",\n"                    \
    "\"published\": \"2026-01-31\", \"status\": \"vendor\", \"source\": \"https://example.com/1\",\n"           \
    "\"fixed\": {" branch version "}}]}"

static void advisories_say_from_which_version_on_a_branch_is_fixed(void **state)
{
    struct error err = {0};
    const struct advisories *table = advisories_parse(
        *state, "ours.json", slice_of(ADVISORIES("\"3\": ", "\"3.3.9\", \"2\": \"3.1\"")), &err);
    const struct advisory *row;

    assert_non_null(table);
    assert_string_equal(table->reviewed, "2026-09-30");
    row = &table->rows.items[0];
    assert_string_equal(row->ids, "CVE-1-1, CVE-1-2");
    assert_string_equal(advisory_fix_for(row, "3.3.8"), "3.3.9");
    assert_string_equal(advisory_fix_for(row, "3"), "3.3.9"); /* nobody knows that it has the fix */
    assert_string_equal(advisory_fix_for(row, "2.4.5"), "3.1");
    assert_null(advisory_fix_for(row, "3.3.9"));
    assert_null(advisory_fix_for(row, "30.1")); /* of no branch that is concerned */
    assert_true(advisories_cover(table, "dcgm", "3.9"));
    assert_false(advisories_cover(table, "dcgm", "4.0"));
    assert_false(advisories_cover(table, "nvidia-driver", "3.9"));
}

#define SUPPORT(rows) "{\"name\": \"ours\", \"reviewed\": \"2026-11-29\", \"support\": [" rows "]}"
#define UNTIL(branch, key)                                   \
    "{\"product\": \"os\", \"branch\": \"" branch "\", " key \
    "\"status\": \"vendor\", \"source\": \"https://x/\"}"

static const struct advisories *support_table(void **state, const char *text)
{
    struct error err = {0};
    const struct advisories *table = advisories_parse(*state, "ours.json", slice_of(text), &err);

    if (table == NULL)
        fail_msg("%s", err.text);
    return table;
}

static void a_support_date_is_that_of_the_last_table_that_has_the_branch(void **state)
{
    struct advisory_tables tables = {0};

    *list_push(*state, &tables.items) =
        support_table(state, SUPPORT(UNTIL("ubuntu-22.04", "\"ends\": \"2027-06-01\", ") ", " UNTIL(
                                 "rhel-7", "\"ended_by\": \"2024-07\", ")));
    assert_string_equal(support_of(&tables, "os", "ubuntu-22.04")->ends, "2027-06-01");
    assert_string_equal(support_of(&tables, "os", "rhel-7.9")->ended_by, "2024-07");
    assert_null(support_of(&tables, "os", "rhel-70"));
    assert_null(support_of(&tables, "kernel", "ubuntu-22.04"));
    *list_push(*state, &tables.items) =
        support_table(state, SUPPORT(UNTIL("ubuntu-22.04", "\"ends\": \"2032-04\", ")));
    assert_string_equal(support_of(&tables, "os", "ubuntu-22.04")->ends, "2032-04");
    assert_non_null(support_of(&tables, "os", "rhel-7.9"));
}

static void wrong_advisories_are_told_by_line_and_column(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {ADVISORIES("", ""), "ours.json:4:10: fixed is empty; expected a version for each branch"},
        {ADVISORIES("\"580\": ", "\"535.1\""),
         "ours.json:4:18: 535.1 is older than its branch 580; expected"},
        {ADVISORIES("\"3\": ", "\"new\""), "ours.json:4:16: advisories[0].fixed.3 is \"new\"; expected"},
        {"{\"name\": \"ours\", \"reviewed\": \"soon\", \"branches\": {}, \"advisories\": [1]}",
         "ours.json:1:30: reviewed is \"soon\"; expected"},
        {"{\"name\": \"ours\", \"reviewed\": \"2026-09-30\", \"branches\": {\"runc\": [\"1\"]}, \"advisories\": [1]}",
         "unknown key \"runc\" in branches"},
        {SUPPORT(UNTIL("rhel-9", "")), "ours.json:1:56: expected either ends or ended_by"},
        {SUPPORT(UNTIL("rhel-9", "\"ends\": \"2032-05\", \"ended_by\": \"2032-05\", ")),
         "expected either ends"},
        {SUPPORT(UNTIL("rhel-9", "\"ends\": \"2032-13\", ")), "ends is \"2032-13\"; expected"},
        {"{\"name\": \"ours\", \"reviewed\": \"2026-09-30\"}", "the table is empty; expected \"advisories\""},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err = {0};

        assert_null(advisories_parse(*state, "ours.json", slice_of(cases[i].text), &err));
        if (strstr(err.text, cases[i].message) == NULL)
            fail_msg("'%s' is not in '%s'", cases[i].message, err.text);
    }
}

/* A report in Chinese would stand there in English: reason_word() finds a text only by its row of the catalogue. */
static void said_in_chinese(struct arena *arena, const char *name, const struct reason *said)
{
    const char *english = reason_english(arena, said);

    if (*english != '\0' && strcmp(reason_said(arena, LANGUAGE_ZH, said), english) == 0)
        fail_msg("%s: \"%s\" has no row in reasons/baselines.def and languages/zh.def", name, english);
}

static void figures_of_built_in_baselines_say_in_chinese_where_they_come_from(void **state)
{
    size_t count, rows = 0;
    const struct builtin *list = builtin_list(&count);

    for (size_t i = 0; i < count; i++) {
        struct error err = {0};
        const struct baseline *baseline;

        if (strcmp(list[i].kind, "baselines") != 0)
            continue;
        baseline = baseline_load(*state, list[i].name, &err);
        assert_non_null(baseline);
        list_each (limit, baseline->limits) {
            said_in_chinese(*state, list[i].name, reason_word(*state, limit->source));
            if (limit->note != NULL)
                said_in_chinese(*state, list[i].name, limit->note);
            rows++;
        }
    }
    assert_true(rows > 200);
}

/* What no baseline says any more is taken out of the catalogue. */
static void the_catalogue_has_no_other_words_of_baselines(void **state)
{
    static const char *const sentences[] = {
#define SENTENCE(code, arguments, english) english,
#include "assay/reasons/baselines.def"
#undef SENTENCE
    };
    size_t count;
    const struct builtin *list = builtin_list(&count);

    for (size_t row = 0; row < ARRAY_SIZE(sentences); row++) {
        const char *json = arena_printf(*state, "\"%s\"", sentences[row]);
        bool found = false;

        for (size_t i = 0; i < count; i++)
            found |= strcmp(list[i].kind, "baselines") == 0 && slice_find(list[i].bytes, json) != (size_t)-1;
        if (!found)
            fail_msg("no baseline says \"%s\"", sentences[row]);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(every_document_that_is_built_in_loads),
        ARENA_TEST(platforms_say_what_applies),
        ARENA_TEST(times_are_found_by_check),
        ARENA_TEST(baselines_hold_the_published_figures),
        ARENA_TEST(no_copy_limit_exceeds_the_datasheet),
        ARENA_TEST(delivery_is_the_agreed_plan),
        ARENA_TEST(everything_of_a_suite_is_read),
        ARENA_TEST(variants_are_read_in_their_order),
        ARENA_TEST(wrong_suites_are_told_by_line_and_column),
        ARENA_TEST(all_that_is_wrong_in_a_suite_is_told_at_once),
        ARENA_TEST(wrong_platforms_are_told_by_line_and_column),
        ARENA_TEST(wrong_baselines_are_told_by_line_and_column),
        ARENA_TEST(advisories_say_from_which_version_on_a_branch_is_fixed),
        ARENA_TEST(a_support_date_is_that_of_the_last_table_that_has_the_branch),
        ARENA_TEST(figures_of_built_in_baselines_say_in_chinese_where_they_come_from),
        ARENA_TEST(the_catalogue_has_no_other_words_of_baselines),
        ARENA_TEST(wrong_advisories_are_told_by_line_and_column),
        ARENA_TEST(unknown_names_list_those_there_are),
        ARENA_TEST(times_are_read_as_people_write_them),
        ARENA_TEST(another_duration_is_another_number_in_the_suite),
        ARENA_TEST(the_manual_explains_every_key),
        ARENA_TEST(the_manual_s_example_loads),
        cmocka_unit_test(both_schemas_define_the_same_limit),
    };

    source_root = argc > 1 ? argv[1] : ".";
    return cmocka_run_group_tests_name("documents", tests, NULL, NULL);
}
