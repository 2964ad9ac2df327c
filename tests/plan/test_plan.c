/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: over which hosts a step of the suite runs, what keeps others away meanwhile, and what is refused. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "../arena_test.h"
#include "assay/base/files.h"
#include "assay/base/text.h"
#include "assay/model/suite.h"
#include "assay/plan/plan_build.h"

#define RACKS                                                                              \
    "n1 unit=u1 rack=r1 leaf=l1\nn2 unit=u1 rack=r1 leaf=l2\nn3 unit=u1 rack=r2 leaf=l1\n" \
    "n4 unit=u2 rack=r2 leaf=l2\nn5 unit=u2 rack=r3 leaf=l2\n"

struct sample {
    struct arena *arena;
    struct plan_sources sources;
    struct plan_notes notes;
    struct plan *plan;
    struct error err;
};

/* contract NULL: none; only_host NULL: all. */
static struct sample make_by_contract(const char *hosts, const char *purpose, const char *steps,
                                      const char *contract, const char *only_host)
{
    struct sample sample = {.arena = arena_create()};
    struct hostlist one = {0};
    struct plan_options options = {.run_uuid = "0ddba11-0000-4000-8000-000000000000",
                                   .hosts = only_host != NULL ? &one : NULL};
    const char *suite = arena_printf(sample.arena,
                                     "{\"name\": \"s\", \"purpose\": \"%s\", \"platform\": \"hgx-h100\", "
                                     "\"steps\": [\n%s]}",
                                     purpose, steps);
    const struct hostfile *hostfile = hostfile_parse(sample.arena, "hosts", slice_of(hosts), &sample.err);
    const struct suite *parsed =
        hostfile != NULL ? suite_parse(sample.arena, "suite", slice_of(suite), &sample.err) : NULL;

    if (only_host != NULL)
        *list_push(sample.arena, &one.names) = only_host;
    if (parsed == NULL ||
        plan_sources_load(sample.arena, hostfile, parsed, NULL, &sample.sources, &sample.err) < 0)
        return sample;
    if (contract != NULL) {
        sample.sources.limits.contract =
            contract_parse(sample.arena, "contract", slice_of(contract), &sample.err);
        if (sample.sources.limits.contract == NULL)
            return sample;
    }
    sample.plan = plan_build(sample.arena, &sample.sources, &options, &sample.notes, &sample.err);
    return sample;
}

static struct sample make(const char *hosts, const char *purpose, const char *steps)
{
    return make_by_contract(hosts, purpose, steps, NULL, NULL);
}

static void put_members(struct text *out, const struct step *step)
{
    for (size_t i = 0; i < step->member_count; i++)
        text_printf(out, "%s%s", i > 0 ? "+" : "", step->members[i]->name);
}

/* "n1+n2 leaf; n3 not run": members of each step of the suite step, and what it claims. */
static const char *told(struct sample *sample, const char *suite_step)
{
    cleanup_text struct text out = {0};

    text_init(&out, 4096);
    if (sample->plan == NULL)
        fail_msg("%s", sample->err.text);
    for (size_t i = 0; i < sample->plan->steps.count; i++) {
        const struct step *step = &sample->plan->steps.items[i];

        if (strcmp(step->shape->suite_step, suite_step) != 0)
            continue;
        text_put(&out, out.length > 0 ? "; " : "");
        put_members(&out, step);
        text_printf(&out, " %s",
                    step->origin == ORIGIN_LEFT_OUT ? "not run" : exclusivity_name(step->shape->exclusive));
        assert_true((step->origin == ORIGIN_LEFT_OUT) == (step->origin_note != NULL));
    }
    return arena_strdup(sample->arena, out.bytes);
}

static const char *note_at(const struct sample *sample, size_t n)
{
    return reason_english(sample->arena, sample->notes.notes.items[n].what);
}

#define GATHER(keys) "{\"check\": \"nccl-all-gather\", " keys "}"

#define NVL72 "defaults platform=gb200-nvl72\n"

/* More hosts than one domain has: which of them NVLinks join cannot be guessed. */
static void racks_of_nvlinks_must_be_told(void **state)
{
    struct sample sample = make(NVL72 "[1-19]\n", "trial", GATHER("\"scope\": \"pair\""));

    (void)state;
    assert_null(sample.plan);
    assert_string_equal(sample.err.text,
                        "hosts:2:1: host '1' has no rack, and step 'nccl-all-gather' of the suite groups "
                        "hosts by it; expected rack=NAME on its line or on the defaults line");
    arena_destroy(sample.arena);
}

static unsigned deadline_of(const char *hosts, const char *step)
{
    struct sample sample = make(hosts, "trial", step);
    unsigned deadline_s;

    if (sample.plan == NULL)
        fail_msg("%s", sample.err.text);
    deadline_s = step_deadline_s(&sample.plan->steps.items[0]);
    arena_destroy(sample.arena);
    return deadline_s;
}

/* Turns that a loaded lab cannot take faster are no hang of the test: 9 of 4 s, and 6 s before them. */
static void a_simulated_test_has_the_time_that_its_turns_take(void **state)
{
#define SHARED "{\"check\": \"storage-shared\", \"scope\": \"cluster\"}"
    (void)state;
    assert_true(deadline_of("defaults mounts=/data timescale=600\na address=127.0.0.1\nb address=127.0.0.2\n",
                            SHARED) >= 2 * 42);
    assert_int_equal(
        deadline_of("defaults mounts=/data timescale=600\na address=127.0.0.1\nb address=127.0.0.2\n",
                    GATHER("\"scope\": \"cluster\"")),
        30);
    assert_in_range(deadline_of("defaults mounts=/data\na\nb\n", SHARED), 300, 600);
}

static void hosts_come_together_as_the_suite_says(void **state)
{
    static const struct {
        const char *hosts, *step, *right;
    } cases[] = {
        {RACKS, GATHER("\"scope\": \"host\""), "n1 host; n2 host; n3 host; n4 host; n5 host"},
        {RACKS, GATHER("\"scope\": \"cluster\""), "n1+n2+n3+n4+n5 fabric"},
        /* Along the leaves: n1 n3 | n2 n4 n5; two of five pairs go across. */
        {RACKS, GATHER("\"scope\": \"pair\""),
         "n1+n3 leaf; n3+n2 fabric; n2+n4 leaf; n4+n5 leaf; n5+n1 fabric"},
        {RACKS, GATHER("\"scope\": \"pair\", \"by\": \"ring\", \"exclusive\": \"host\""),
         "n1+n3 host; n3+n2 host; n2+n4 host; n4+n5 host; n5+n1 host"},
        {RACKS, GATHER("\"scope\": \"pair\", \"by\": \"disjoint\""), "n1+n3 leaf; n2+n4 leaf; n4+n5 leaf"},
        {"a\nb\nc\nd\n", GATHER("\"scope\": \"pair\", \"by\": \"disjoint\""), "a+b fabric; c+d fabric"},
        {"a\nb\n", GATHER("\"scope\": \"pair\""), "a+b fabric"},
        {RACKS, GATHER("\"scope\": \"group\", \"by\": \"unit\""), "n1+n2+n3 fabric; n4+n5 leaf"},
        {RACKS, GATHER("\"scope\": \"group\", \"by\": \"leaf\""), "n1+n3 leaf; n2+n4+n5 leaf"},
        /* Hosts of both take turns; of three leaves each is with both others, of one there is none. */
        {RACKS, GATHER("\"scope\": \"group\", \"by\": \"leaves\""), "n1+n2+n3+n4+n5 fabric"},
        {"a leaf=1\nb leaf=1\nc leaf=2\nd leaf=2\ne leaf=3\n",
         GATHER("\"scope\": \"group\", \"by\": \"leaves\", \"exclusive\": \"leaf\""),
         "a+c+b+d leaf; c+e+d leaf; e+a+b leaf"},
        {"a leaf=1\nb leaf=1\n", GATHER("\"scope\": \"group\", \"by\": \"leaves\""), ""},
        /* All together: each ring goes to another leaf at every host, as far as there are others, and the head stays. */
        {"a leaf=1\nb leaf=1\nc leaf=2\nd leaf=2\ne leaf=3\nf leaf=3\n",
         GATHER("\"scope\": \"cluster\", \"by\": \"leaves\""), "a+c+e+b+d+f fabric"},
        {"a leaf=1\nb leaf=2\nc leaf=2\nd leaf=2\ne leaf=2\nf leaf=1\n",
         GATHER("\"scope\": \"cluster\", \"by\": \"leaves\""), "a+c+d+f+e+b fabric"},
        {"a\nb\nc\n", GATHER("\"scope\": \"cluster\", \"by\": \"leaves\""), "a+b+c fabric"},
        {RACKS, GATHER("\"scope\": \"group\", \"by\": 3"), "n1+n2+n3 fabric; n4+n5 leaf"},
        {"[1-7]\n", GATHER("\"scope\": \"group\", \"by\": 3"), "1+2+3 fabric; 4+5+6+7 fabric"},
        {"[1-8]\n", GATHER("\"scope\": \"group\", \"by\": 3"), "1+2+3 fabric; 4+5+6 fabric; 7+8 fabric"},
        {"[1-2]\n", GATHER("\"scope\": \"group\", \"by\": 16"), "1+2 fabric"},
        /* Nobody to go with: owed, and not run. */
        {RACKS, GATHER("\"scope\": \"group\", \"by\": \"rack\""), "n1+n2 fabric; n3+n4 fabric; n5 not run"},
        {"a\n", GATHER("\"scope\": \"pair\""), "a not run"},
        /* Racks whose hosts NVLinks join: no pair crosses a border; who is alone there has no partner. */
        {NVL72 "a rack=1\nb rack=1\nc rack=1\nd rack=2\ne rack=2\nf rack=3\n", GATHER("\"scope\": \"pair\""),
         "a+b fabric; b+c fabric; c+a fabric; d+e fabric; f not run"},
        {NVL72 "a rack=1\nb rack=2\nc rack=1\nd rack=2\n",
         GATHER("\"scope\": \"pair\", \"by\": \"disjoint\""), "a+c fabric; b+d fabric"},
        {NVL72 "a rack=1\nb rack=2\n", GATHER("\"scope\": \"pair\""), "a not run; b not run"},
        {NVL72 "a\nb\n", GATHER("\"scope\": \"pair\""), "a+b fabric"},
        {"a\n", GATHER("\"scope\": \"group\", \"by\": 4"), "a not run"},
        {"a\n", GATHER("\"scope\": \"cluster\""), "a not run"},
        {"a\nb platform=hgx-h200\nc\n", GATHER("\"scope\": \"pair\""), "a+c fabric; b not run"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sample sample = make(cases[i].hosts, "trial", cases[i].step);

        if (strcmp(told(&sample, "nccl-all-gather"), cases[i].right) != 0)
            fail_msg("%s: %s\nexpected %s", cases[i].step, told(&sample, "nccl-all-gather"), cases[i].right);
        arena_destroy(sample.arena);
    }
}

#define RACKS_CLAUSES                                                                         \
    "{\"name\": \"c\", \"title\": \"t\", \"limits\": [{\"clause\": \"1\", \"metric\": "       \
    "\"nccl.all_reduce.busbw\", "                                                             \
    "\"racks_min\": 2, \"floor\": 180, \"unit\": \"GB/s\"}, {\"clause\": \"2\", \"metric\": " \
    "\"nccl.all_reduce.busbw\", \"racks_max\": 1, \"floor\": 800, \"unit\": \"GB/s\"}]}"

/* The floor that the step's all_reduce of 8G is held to. */
static double floor_of(const struct sample *sample, const struct shape *shape)
{
    static const double bytes = 8.0 * 1024 * 1024 * 1024;

    for (size_t i = 0; i < shape->slot_count; i++) {
        const struct slot *slot = &shape->slots[i];
        struct slot_limits found;

        if (strcmp(slot->metric, "nccl.all_reduce.busbw") != 0 || slot->size_bytes != bytes)
            continue;
        slot_limits_find(sample->arena, &sample->sources.limits, shape, slot, &found);
        for (size_t k = 0; k < found.limits.count; k++)
            if (found.limits.items[k]->rule == RULE_FLOOR && limit_enforceable(found.limits.items[k]))
                return found.limits.items[k]->value;
    }
    return 0;
}

/* What NVLinks reach is owed within one rack alone, and by groups of one size that lie in one. */
static void limits_follow_from_where_the_members_are(void **state)
{
    static const struct {
        const char *hosts, *scope, *contract;
        double floors[2]; /* of each step */
    } cases[] = {
        {NVL72 "[1-4] rack=a\n", "\"scope\": \"cluster\"", NULL, {790}},
        {NVL72 "[1-4]\n", "\"scope\": \"cluster\"", NULL, {790}},
        {NVL72 "[1-2] rack=a\n[3-4] rack=b\n", "\"scope\": \"cluster\"", NULL, {150}},
        {NVL72 "[1-3] rack=a\n4 rack=b\n", "\"scope\": \"group\", \"by\": 2", NULL, {790, 150}},
        {NVL72 "1 rack=b\n[2-4] rack=a\n", "\"scope\": \"group\", \"by\": 2", NULL, {150, 790}},
        {NVL72 "[1-3] rack=a\n4 rack=b\n", "\"scope\": \"group\", \"by\": 2", RACKS_CLAUSES, {800, 180}},
        /* What full racks reach holds for racks that have hosts enough; one that has few holds up all. */
        {NVL72 "[1-18] rack=a\n[19-36] rack=b\n", "\"scope\": \"cluster\"", NULL, {753}},
        {NVL72 "[1-18] rack=a\n[19-27] rack=b\n", "\"scope\": \"cluster\"", NULL, {753}},
        {NVL72 "[1-18] rack=a\n[19-24] rack=b\n", "\"scope\": \"cluster\"", NULL, {363}},
        {NVL72 "[1-18] rack=a\n19 rack=b\n", "\"scope\": \"cluster\"", NULL, {150}},
        {NVL72 "[1-18] rack=a\n[19-36] rack=b\n[37-41] rack=c\n", "\"scope\": \"cluster\"", NULL, {363}},
        {NVL72 "[1-18] rack=a\n[19-36] rack=b\n[37-38] rack=c\n", "\"scope\": \"cluster\"", NULL, {150}},
        /* Where NVLinks end in the hosts a rack is no border. */
        {"[1-2] rack=a\n[3-4] rack=b\n", "\"scope\": \"cluster\"", NULL, {300}},
        {"[1-2] rack=a\n[3-4] rack=b\n", "\"scope\": \"cluster\"", RACKS_CLAUSES, {800}},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sample sample =
            make_by_contract(cases[i].hosts, "trial",
                             arena_printf(*state, "{\"check\": \"nccl-all-reduce\", %s}", cases[i].scope),
                             cases[i].contract, NULL);

        if (sample.plan == NULL)
            fail_msg("case %zu: %s", i, sample.err.text);
        assert_int_equal(sample.plan->steps.count, cases[i].floors[1] > 0 ? 2 : 1);
        for (size_t k = 0; k < sample.plan->steps.count; k++)
            if (floor_of(&sample, sample.plan->steps.items[k].shape) != cases[i].floors[k])
                fail_msg("case %zu, step %zu: %g", i, k,
                         floor_of(&sample, sample.plan->steps.items[k].shape));
        arena_destroy(sample.arena);
    }
}

/* The built-in platform, whose adapters have names, as a file in the folder. */
static void write_named_adapters(struct arena *arena, const char *folder)
{
    static const char unnamed[] = "\"names\": []";
    struct slice bytes = builtin_find("platforms", "gb200-nvl72")->bytes;
    const char *text = arena_strndup(arena, bytes.bytes, bytes.length), *at = strstr(text, unnamed);
    struct error err = {0};

    assert_non_null(at);
    text = arena_printf(arena, "%.*s\"names\": [\"mlx5_0\", \"mlx5_1\", \"mlx5_2\", \"mlx5_3\"]%s",
                        (int)(at - text), text, at + strlen(unnamed));
    if (file_write(arena_printf(arena, "%s/gb200-nvl72.json", folder), text, strlen(text), 0600, &err) < 0)
        fail_msg("%s", err.text);
}

/* A host of one GPU has no pair of GPUs: what the suite says of pairs is said of others. A name of nothing is an error. */
static void a_suite_says_of_one_gpu_what_it_says_of_eight(void **state)
{
    static const char one_gpu[] =
        "{\"name\": \"one\", \"title\": \"One GPU\", \"source\": \"a test\", \"gpus\": {\"count\": 1, "
        "\"models\": [\"NVIDIA H200\"], \"pci_ids\": [\"10de:2335\"]}, \"nvlink\": {\"links\": 0}, \"nvswitch\": false, \"fabric_state\": false}";
    char folder[] = "/tmp/assay-plan-XXXXXX";
    struct sample sample;
    struct error err = {0};
    const char *hosts;

    assert_non_null(mkdtemp(folder));
    if (file_write(arena_printf(*state, "%s/one.json", folder), one_gpu, strlen(one_gpu), 0600, &err) < 0)
        fail_msg("%s", err.text);
    hosts = arena_printf(*state, "n1 platform=%s/one.json\n", folder);
    sample = make(hosts, "trial",
                  "{\"check\": \"gpu-links\", \"gate\": [\"gpu_links.one_way\"]}, "
                  "{\"check\": \"p2p-bandwidth\", \"record\": [\"p2p.latency.gpu.enabled\"]}");
    if (sample.plan == NULL)
        fail_msg("%s", sample.err.text);
    assert_string_equal(told(&sample, "gpu-links"), "n1 host");
    assert_string_equal(told(&sample, "p2p-bandwidth"), "");
    assert_true(sample.notes.notes.count > 0);
    assert_non_null(strstr(note_at(&sample, sample.notes.notes.count - 1),
                           "step gpu-links: \"gate\" names gpu_links.one_way, and hosts of "));
    arena_destroy(sample.arena);
    sample = make(hosts, "trial", "{\"check\": \"gpu-links\", \"gate\": [\"gpu_links.one_wya\"]}");
    assert_null(sample.plan);
    assert_string_equal(sample.err.text, "suite:2:1: step 'gpu-links': \"gate\" names 'gpu_links.one_wya', "
                                         "which is not a metric of check 'gpu-links'");
    arena_destroy(sample.arena);
    assert_int_equal(directory_remove(folder, &err), 0);
}

/* Adapters alone carry the same within a rack and across: their pairs are peers of one another. */
static void pairs_of_adapters_are_of_one_shape_whatever_their_racks(void **state)
{
    static const struct {
        const char *step;
        size_t shapes;
    } rows[] = {{"{\"check\": \"rdma-pair\", \"scope\": \"pair\", \"by\": \"ring\"}", 1},
                {"{\"check\": \"nccl-all-gather\", \"scope\": \"group\", \"by\": 2}", 2}};
    char folder[] = "/tmp/assay-plan-XXXXXX";
    struct error err = {0};

    assert_non_null(mkdtemp(folder));
    write_named_adapters(*state, folder);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct sample sample = make(arena_printf(*state,
                                                 "defaults platform=%s/gb200-nvl72.json\n[1-3] rack=a\n"
                                                 "[4-6] rack=b\n",
                                                 folder),
                                    "trial", rows[i].step);

        if (sample.plan == NULL)
            fail_msg("%s", sample.err.text);
        assert_int_equal(sample.plan->shapes.count, rows[i].shapes);
        arena_destroy(sample.arena);
    }
    assert_int_equal(directory_remove(folder, &err), 0);
}

static size_t gated_bandwidths(const struct sample *sample, const char *metric)
{
    size_t count = 0;

    for (size_t i = 0; i < sample->plan->shapes.count; i++)
        for (size_t k = 0; k < sample->plan->shapes.items[i]->slot_count; k++)
            count += fnmatch(metric, sample->plan->shapes.items[i]->slots[k].metric, 0) == 0 &&
                     sample->plan->shapes.items[i]->slots[k].duty == DUTY_GATE;
    return count;
}

/* Each rail has items and a command of its own: one GPU and one HCA of each host. */
static void a_step_by_rail_is_run_for_each_rail(void **state)
{
    struct sample sample = make("[1-3]\n", "delivery", GATHER("\"scope\": \"group\", \"by\": \"rail\""));
    struct check_context context;
    cleanup_text struct text command = {0};

    (void)state;
    if (sample.plan == NULL)
        fail_msg("%s", sample.err.text);
    assert_int_equal(sample.plan->steps.count, 8);
    assert_int_equal(sample.plan->shapes.count, 8);
    assert_string_equal(step_target(sample.arena, &sample.plan->steps.items[3]), "3 hosts: [1-3], mlx5_3");
    assert_int_equal(gated_bandwidths(&sample, "nccl.all_gather.rail.busbw"), 2 * 8);
    assert_int_equal(gated_bandwidths(&sample, "nccl.all_gather.busbw"), 0);
    text_init(&command, 64 * 1024);
    plan_context(sample.arena, &sample.sources, &sample.plan->steps.items[3], &context);
    assert_int_equal(check_rail(&context), 3);
    check_command_file(&context, &command);
    for (size_t i = 0; i < 4; i++) {
        static const char *const words[] = {" -np 3 ", " -x CUDA_VISIBLE_DEVICES=3 ",
                                            " -x NCCL_IB_HCA==mlx5_3 ", " -g 1"};

        if (strstr(command.bytes, words[i]) == NULL)
            fail_msg("'%s' is not in: %s", words[i], command.bytes);
    }
    arena_destroy(sample.arena);
}

#define TUNE(keys)                                                                                      \
    "{\"name\": \"tune\", \"check\": \"nccl-all-gather\", \"arguments\": {\"begin\": \"1G\", \"end\": " \
    "\"1G\"}, "                                                                                         \
    "\"variants\": {\"default\": {}, \"mlx5_0\": {\"NCCL_ALGO\": \"Ring\", \"A\": \"b c\"}}" keys "}"

static const char *command_of_step(struct sample *sample, size_t step)
{
    struct check_context context;
    cleanup_text struct text command = {0};

    text_init(&command, 64 * 1024);
    plan_context(sample->arena, &sample->sources, &sample->plan->steps.items[step], &context);
    check_command_file(&context, &command);
    return arena_strdup(sample->arena, command.bytes);
}

/* Each set of hosts is tested under each variant; nothing of that is a gate, not even in a delivery. */
static void variants_are_planned_one_after_the_other_and_judge_nothing(void **state)
{
    struct sample sample = make("[1-3]\n", "delivery", TUNE(", \"scope\": \"pair\", \"by\": \"disjoint\""));
    const struct plan *plan = sample.plan;
    static const char *const targets[] = {"2 hosts: [1-2], default", "2 hosts: [1-2], mlx5_0",
                                          "2 hosts: [2-3], default", "2 hosts: [2-3], mlx5_0"};

    (void)state;
    if (plan == NULL)
        fail_msg("%s", sample.err.text);
    assert_int_equal(plan->steps.count, 4);
    assert_int_equal(plan->shapes.count, 2);
    assert_int_equal(plan->gate_count, 0);
    assert_true(plan->record_count > 0);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(step_target(sample.arena, &plan->steps.items[i]), targets[i]);
        assert_true(step_advises(&plan->steps.items[i]));
        assert_int_equal(plan->steps.items[i].shape->repeat, 5);
        assert_string_equal(reason_english(sample.arena, plan->steps.items[i].origin_note),
                            i % 2 == 0 ? "with no variables of its own" : "with NCCL_ALGO=Ring A=b c");
    }
    assert_int_equal(sample.notes.notes.count, 2);
    assert_string_equal(
        note_at(&sample, 0),
        "step tune is advice only: its variants are compared with each other and do not affect "
        "the verdict");
    assert_memory_equal(note_at(&sample, 1), "tune.variants.mlx5_0: NCCL_ALGO=Ring: leave", 43);
    arena_destroy(sample.arena);
}

/* What is left of each attempt when its windows are no work decides how many there are. */
static void a_soak_is_planned_for_as_long_as_it_lasts(void **state)
{
    struct sample sample = make(
        "[1-3]\n", "soak", GATHER("\"scope\": \"cluster\", \"expected_s\": 270, \"repeat_for_s\": 86400"));
    const struct step *step;

    (void)state;
    if (sample.plan == NULL)
        fail_msg("%s", sample.err.text);
    step = &sample.plan->steps.items[0];
    assert_int_equal(step->shape->repeat_for_s, 86400);
    assert_true(step_repeat_for_s(step) == 86400);
    assert_true(step_expected_s(step) == 300);
    assert_true(plan_step_s(step) == 320 * 300);
    arena_destroy(sample.arena);
}

static const struct slot *find_slot(const struct shape *shape, const char *metric, const char *subject)
{
    for (size_t i = 0; i < shape->slot_count; i++)
        if (strcmp(shape->slots[i].metric, metric) == 0 && strcmp(shape->slots[i].subject, subject) == 0)
            return &shape->slots[i];
    return NULL;
}

#define LOADED                                                                                        \
    "\"scope\": \"pair\", \"by\": \"disjoint\", \"arguments\": {\"begin\": \"8G\", \"end\": \"8G\", " \
    "\"beside\": "                                                                                    \
    "\"gpu-burn\"}"

/* Of GPUs that compute beside it: another number than at rest, with no floor of the baseline, and items of each host. */
static void a_test_under_load_is_held_to_its_own_slices(void **state)
{
    static const char *const steps[] = {
        GATHER(LOADED),
        GATHER(LOADED ", \"repeat_for_s\": 86400"),
        GATHER(LOADED ", \"repeat_for_s\": 86400, \"peers\": false"),
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        struct sample sample = make("[1-4]\n", "soak", steps[i]);
        const struct shape *shape;
        const struct slot *slot;
        struct slot_limits limits;
        bool series = false;

        if (sample.plan == NULL)
            fail_msg("%s", sample.err.text);
        assert_int_equal(sample.plan->shapes.count, 2);
        shape = sample.plan->shapes.items[1];
        slot = find_slot(shape, "nccl.all_gather.loaded.busbw", "");
        assert_non_null(slot);
        assert_int_equal(slot->duty, DUTY_GATE);
        assert_null(find_slot(shape, "nccl.all_gather.busbw", ""));
        assert_non_null(find_slot(shape, "beside.results", sample.plan->steps.items[1].members[1]->name));
        assert_null(find_slot(shape, "beside.results", sample.plan->steps.items[0].members[1]->name));
        slot_limits_find(sample.arena, &sample.sources.limits, shape, slot, &limits);
        for (size_t k = 0; k < limits.limits.count; k++) {
            assert_int_not_equal(limits.limits.items[k]->rule, RULE_FLOOR);
            series |= limits.limits.items[k]->rule == RULE_SERIES;
        }
        /* Where nothing would compare the slices, nothing is said to. */
        assert_int_equal(series, i == 1);
        assert_int_equal(slot_limits_enforceable(&limits), i == 1);
        arena_destroy(sample.arena);
    }
}

/* Over hosts the launcher gives them to all ranks; a variant that is called as an HCA is no rail. */
static void a_variant_sets_its_variables_and_no_others_are_set(void **state)
{
    struct sample wide = make("[1-2]\n", "trial", TUNE(", \"scope\": \"cluster\""));
    struct sample alone = make("[1-2]\n", "trial", TUNE(""));
    static const char given[] = " -x NCCL_ALGO=Ring -x A='b c' ",
                      exported[] = "export NCCL_ALGO=Ring\nexport A='b c'\n";

    (void)state;
    if (wide.plan == NULL || alone.plan == NULL)
        fail_msg("%s%s", wide.err.text, alone.err.text);
    assert_null(strstr(command_of_step(&wide, 0), "NCCL_ALGO"));
    assert_non_null(strstr(command_of_step(&wide, 1), given));
    assert_non_null(strstr(command_of_step(&wide, 1), " -np 16 "));
    assert_null(strstr(command_of_step(&alone, 0), "NCCL_ALGO"));
    assert_non_null(strstr(command_of_step(&alone, 1), exported));
    assert_string_equal(step_target(alone.arena, &alone.plan->steps.items[1]), "1, mlx5_0");
    arena_destroy(wide.arena);
    arena_destroy(alone.arena);
}

/* Steps that are left out with them leave no gate undone. */
static void variants_that_are_left_out_leave_the_verdict_alone(void **state)
{
    struct sample sample = make(
        "a\n", "trial", TUNE(", \"scope\": \"cluster\", \"repeat\": 2") ", " GATHER("\"name\": \"alone\""));

    (void)state;
    if (sample.plan == NULL)
        fail_msg("%s", sample.err.text);
    assert_int_equal(sample.plan->steps.items[0].origin, ORIGIN_LEFT_OUT);
    assert_true(step_advises(&sample.plan->steps.items[0]));
    for (size_t i = 0; i < sample.notes.notes.count; i++)
        assert_null(strstr(note_at(&sample, i), "incomplete"));
    assert_non_null(strstr(note_at(&sample, 0),
                           "; \"repeat\" is 2, and fewer than 3 cannot tell a difference from noise"));
    arena_destroy(sample.arena);
}

static void what_is_left_over_is_owed_and_says_why(void **state)
{
    struct sample sample = make(RACKS, "trial", GATHER("\"scope\": \"group\", \"by\": \"rack\""));
    const struct step *last = &sample.plan->steps.items[2];
    size_t gates = 0;

    (void)state;
    assert_string_equal(reason_english(sample.arena, last->origin_note),
                        "it needs 2 hosts of platform hgx-h100 in rack r3, there is 1");
    for (size_t i = 0; i < last->shape->slot_count; i++)
        gates += last->shape->slots[i].duty == DUTY_GATE;
    assert_true(gates > 0);
    assert_true(sample.plan->gate_count > 2 * gates);
    assert_string_equal(note_at(&sample, 0),
                        "the verdict can at best be `incomplete`, because these steps will not run: "
                        "nccl-all-gather");
    arena_destroy(sample.arena);
}

static void groups_of_equal_size_owe_the_same(void **state)
{
    struct sample sample = make("[1-9]\n", "trial", GATHER("\"scope\": \"group\", \"by\": 4"));

    (void)state;
    assert_string_equal(told(&sample, "nccl-all-gather"), "1+2+3+4 fabric; 5+6+7+8+9 fabric");
    assert_int_equal(sample.plan->shapes.count, 2);
    arena_destroy(sample.arena);
    sample = make("[1-12]\n", "trial", GATHER("\"scope\": \"group\", \"by\": 4"));
    assert_int_equal(sample.plan->steps.count, 3);
    assert_int_equal(sample.plan->shapes.count, 1);
    arena_destroy(sample.arena);
}

/* A pair waits for both of its hosts, a host for both of its pairs, the cluster for all pairs, each once. */
static void needs_are_those_of_the_members(void **state)
{
    struct sample sample =
        make("[1-4]\n", "trial",
             "{\"check\": \"reachable\"}, {\"name\": \"pairs\", \"check\": \"nccl-all-gather\", \"scope\": "
             "\"pair\", \"needs\": [\"reachable\"]}, {\"name\": \"alone\", \"check\": \"nccl-all-gather\", "
             "\"needs\": [\"pairs\"]}, {\"name\": \"all\", \"check\": \"nccl-all-gather\", \"scope\": "
             "\"cluster\", \"needs\": [\"pairs\"]}");
    const struct step *steps = sample.plan->steps.items;

    (void)state;
    assert_int_equal(sample.plan->steps.count, 4 + 4 + 4 + 1);
    assert_int_equal(steps[5].need_count, 2); /* 2+3 */
    assert_int_equal(steps[5].needs[0], 1);
    assert_int_equal(steps[5].needs[1], 2);
    assert_int_equal(steps[8].need_count, 2); /* 1: pairs 1+2 and 4+1 */
    assert_int_equal(steps[8].needs[0], 4);
    assert_int_equal(steps[8].needs[1], 7);
    assert_int_equal(steps[12].need_count, 4);
    arena_destroy(sample.arena);
}

#define REDUCE(keys) "{\"check\": \"nccl-all-reduce\", " keys "}"
#define SCATTER(keys) "{\"check\": \"nccl-reduce-scatter\", " keys "}"
#define PROBE(collective, keys)                                                                       \
    "{\"check\": \"probe-collective\", \"arguments\": {\"collective\": \"" collective "\", \"end\": " \
    "\"1G\"}, \"sizes_judged\": [\"1G\"], " keys "}"
#define PAIRS "\"scope\": \"pair\""
#define DISJOINT PAIRS ", \"by\": \"disjoint\""

static void all_reduce_on_two_hosts_is_not_judged_alone(void **state)
{
    static const struct {
        const char *hosts, *steps;
        bool judged;
    } cases[] = {
        {"a\nb\n", REDUCE("\"scope\": \"cluster\""), false},
        {"a\nb\nc\n", REDUCE("\"scope\": \"cluster\""), true},
        {"a\nb\n", REDUCE("\"scope\": \"host\""), true},
        {"a\nb\n", REDUCE("\"scope\": \"group\", \"by\": 2"), false},
        {"a\nb\nc\n", REDUCE(PAIRS), false},
        {"a\nb\nc\n", REDUCE(PAIRS) ", " GATHER(PAIRS), true},
        {"a\nb\nc\n", GATHER(DISJOINT) ", " REDUCE(DISJOINT), true},
        {"a\nb\nc\n", SCATTER(PAIRS) ", " REDUCE(PAIRS), true},
        {"a\nb\nc\n", REDUCE(PAIRS) ", " GATHER(DISJOINT), false},
        {"a\nb\nc\n", REDUCE(PAIRS) ", " GATHER("\"scope\": \"cluster\""), false},
        {"a\nb\nc\n", REDUCE(PAIRS) ", " GATHER(PAIRS ", \"record\": [\"*.busbw\"]"), false},
        {"a\nb\nc\n", REDUCE(PAIRS) ", {\"check\": \"nccl-sendrecv\", " PAIRS "}", false},
        {"a\nb\nc\n", REDUCE(PAIRS) ", " TUNE(", " PAIRS), false},
        {"a\nb\nc\n", REDUCE(PAIRS) ", " PROBE("all_gather", PAIRS), true},
        {"a\nb\nc\n", REDUCE(PAIRS) ", " PROBE("all_gather", DISJOINT), false},
        {"a\nb\nc\n", PROBE("all_reduce", PAIRS), false},
        {"a\nb\nc\n", PROBE("all_reduce", "\"scope\": \"cluster\""), true},
        {"a\nb\nc\n", PROBE("all_reduce", PAIRS) ", " REDUCE(PAIRS), false},
        {"a\nb\nc\n", PROBE("all_reduce", PAIRS) ", " PROBE("alltoall", PAIRS ", \"name\": \"each\""), true},
        {"a\nb\nc\n", PROBE("all_reduce", PAIRS) ", " GATHER(PAIRS), true},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sample trial = make(cases[i].hosts, "trial", cases[i].steps);
        struct sample delivery = make(cases[i].hosts, "delivery", cases[i].steps);

        if (trial.plan == NULL)
            fail_msg("%s: %s", cases[i].steps, trial.err.text);
        if ((gated_bandwidths(&trial, "*.all_reduce.busbw") > 0) != cases[i].judged)
            fail_msg("%s: expected it %s", cases[i].steps, cases[i].judged ? "judged" : "recorded");
        if (!cases[i].judged && (delivery.plan != NULL || strstr(delivery.err.text, "two hosts") == NULL))
            fail_msg("%s: %s", cases[i].steps, delivery.plan != NULL ? "accepted" : delivery.err.text);
        arena_destroy(trial.arena);
        arena_destroy(delivery.arena);
    }
}

static void what_cannot_be_grouped_is_refused(void **state)
{
    static const struct {
        const char *hosts, *step, *message;
    } cases[] = {
        {"a unit=u1\nb\n", GATHER("\"scope\": \"group\", \"by\": \"unit\""),
         "hosts:2:1: host 'b' has no unit, and step 'nccl-all-gather' of the suite groups hosts by it; "
         "expected unit=NAME on its line or on the defaults line"},
        {"a\n", GATHER("\"scope\": \"group\""),
         "suite:2:1: step \"nccl-all-gather\" has scope \"group\" and no \"by\", which says whose hosts come "
         "together; expected \"unit\", \"rack\", \"leaf\", \"leaves\", \"rail\", or how many hosts each, at "
         "least 2"},
        {"a\n", GATHER("\"scope\": \"group\", \"by\": \"ring\""),
         "suite:2:54: by is \"ring\"; expected \"unit\", \"rack\", \"leaf\", \"leaves\", \"rail\", or how "
         "many hosts "
         "each, at least 2"},
        {"a\n", GATHER("\"scope\": \"group\", \"by\": 1"),
         "suite:2:54: by is 1; expected \"unit\", \"rack\", \"leaf\", \"leaves\", \"rail\", or how many "
         "hosts each, at "
         "least 2"},
        {"a\n", GATHER("\"scope\": \"pair\", \"by\": 2"),
         "suite:2:53: by is 2; expected \"ring\" or \"disjoint\""},
        {"a\n", GATHER("\"scope\": \"cluster\", \"by\": \"unit\""),
         "suite:2:56: by is \"unit\"; expected \"leaves\", or no by"},
        {"a\n", GATHER("\"scope\": \"cluster\", \"by\": 2"),
         "suite:2:56: by is 2; expected \"leaves\", or no by"},
        {"a\n", GATHER("\"scope\": \"host\", \"by\": \"leaves\""),
         "suite:2:53: by is \"leaves\"; expected \"line\", or no by"},
        {"a\n", "{\"check\": \"gpu-burn\", \"by\": \"line\"}",
         "suite:2:29: check 'gpu-burn' cannot run by line"},
        {"a line.far=x\nb\n", "{\"check\": \"line\", \"by\": \"line\"}",
         "hosts:2:1: host 'b' has no line.NAME=ADDRESS, and step 'line' goes by line; expected it, or "
         "\"when\": {\"lines\": true} in the step"},
        {"a line.far=x\nb role=spare\n", "{\"check\": \"line\", \"by\": \"line\"}",
         "hosts:2:1: host 'b' has no line.NAME=ADDRESS, and step 'line' goes by line; expected it, or "
         "\"when\": {\"lines\": true} in the step"},
        {"a line.far=x\n", "{\"check\": \"line\", \"by\": \"line\", \"arguments\": {\"endpoint\": \"y\"}}",
         "suite:2:1: the arguments of check 'line' do not go together: \"endpoint\" does not go with \"by\": \"line\", whose ends the hostfile declares"},
        {"a\n", "{\"check\": \"probe-collective\", \"scope\": \"group\", \"by\": \"rail\"}",
         "suite:2:55: check 'probe-collective' cannot run by rail"},
        {"a\n", "{\"check\": \"gpu-burn\", \"variants\": {\"a\": {}, \"b\": {\"X\": \"1\"}}}",
         "suite:2:35: step 'gpu-burn' has variants, and check 'gpu-burn' measures no bandwidth by message "
         "size to compare; expected a check of collectives"},
        {"a\n", GATHER("\"scope\": \"group\", \"by\": \"rail\", \"arguments\": {\"beside\": \"gpu-burn\"}"),
         "suite:2:1: the arguments of check 'nccl-all-gather' do not go together: \"beside\" loads whole "
         "hosts, and \"by\" is \"rail\""},
        {"a\n", GATHER("\"arguments\": {\"beside\": \"stress\"}"),
         "suite:2:1: the arguments of check 'nccl-all-gather' do not go together: \"beside\" is not "
         "\"gpu-burn\""},
        {"a\n", "{\"check\": \"gpu-burn\", \"scope\": \"pair\"}",
         "suite:2:1: check 'gpu-burn' cannot run with scope 'pair'; expected 'host'"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sample sample = make(cases[i].hosts, "trial", cases[i].step);

        assert_null(sample.plan);
        assert_string_equal(sample.err.text, cases[i].message);
        arena_destroy(sample.arena);
    }
}

#define CLAUSE(number, rule) "{\"clause\": \"" number "\", \"metric\": " rule "}"
#define AGREED(limits) "{\"name\": \"site7\", \"limits\": [\n" limits "]}"
#define BURN(more) "{\"check\": \"gpu-burn\"" more "}"

/* The limit that decides an item, in words. */
static const char *decided_by(struct sample *sample, const char *metric)
{
    const struct shape *shape = sample->plan->shapes.items[0];
    struct slot_limits limits;

    for (size_t i = 0; i < shape->slot_count; i++) {
        if (strcmp(shape->slots[i].metric, metric) != 0)
            continue;
        slot_limits_find(sample->arena, &sample->sources.limits, shape, &shape->slots[i], &limits);
        return arena_printf(
            sample->arena, "%s %s (%s)", duty_name(shape->slots[i].duty),
            reason_english(sample->arena,
                           limit_text(sample->arena, limits.limits.items[limits.limits.count - 1])),
            limits.limits.items[limits.limits.count - 1]->source);
    }
    fail_msg("%s is not owed", metric);
    return "";
}

static void a_clause_of_the_contract_outranks_suite_and_baseline(void **state)
{
    static const char contract[] =
        AGREED(CLAUSE("4.2", "\"gpu_burn.temperature\", \"ceiling\": 75, \"unit\": \"C\""));
    static const struct {
        const char *step;
    } cases[] = {
        {BURN("")},
        {BURN(", \"limits\": [{\"metric\": \"gpu_burn.temperature\", \"ceiling\": 80, \"unit\": \"C\", "
              "\"source\": \"site\", \"status\": \"contract\"}]")},
        {BURN(", \"record\": [\"gpu_burn.temperature\"]")},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sample sample = make_by_contract("a\n", "delivery", cases[i].step, contract, NULL);

        if (sample.plan == NULL)
            fail_msg("%s: %s", cases[i].step, sample.err.text);
        assert_string_equal(decided_by(&sample, "gpu_burn.temperature"), "gate <= 75 C (site7, clause 4.2)");
        arena_destroy(sample.arena);
    }
}

static void a_clause_that_nothing_measures_never_looks_agreed(void **state)
{
    static const struct {
        const char *limits, *idle;
    } cases[] = {
        {CLAUSE("4.2", "\"gpu_burn.temperature\", \"ceiling\": 75, \"unit\": \"C\"") "," CLAUSE(
             "9", "\"gpu_burn.gflop\", \"floor\": 1, \"unit\": \"GFLOP/s\""),
         "9 (gpu_burn.gflop)"},
        {CLAUSE("5", "\"nccl.*.busbw\", \"floor\": 300, \"unit\": \"GB/s\", \"size_min\": \"8G\""),
         "5 (nccl.*.busbw)"},
        /* The one before it speaks of all that it speaks of. */
        {CLAUSE("4.1", "\"gpu_burn.temperature\", \"ceiling\": 80, \"unit\": \"C\"") "," CLAUSE(
             "4.2", "\"gpu_burn.temperature\", \"subject\": \"gpu0\", \"ceiling\": 75, \"unit\": \"C\""),
         "4.2 (gpu_burn.temperature)"},
        {CLAUSE("6",
                "\"gpu_burn.temperature\", \"ceiling\": 80, \"unit\": \"C\", \"platform\": \"hgx-h200\""),
         "6 (gpu_burn.temperature)"},
        /* Of what has no ceiling there is no fraction. */
        {CLAUSE("7", "\"gpu_burn.gflops\", \"fraction_of_ceiling\": 0.9"), "7 (gpu_burn.gflops)"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const char *contract = arena_printf(*state, AGREED("%s"), cases[i].limits);
        struct sample trial = make_by_contract("a\nb\n", "trial", BURN(""), contract, NULL);
        struct sample delivery = make_by_contract("a\nb\n", "delivery", BURN(""), contract, NULL);
        struct sample part = make_by_contract("a\nb\n", "delivery", BURN(""), contract, "a");
        const char *last;

        assert_null(delivery.plan);
        if (strstr(delivery.err.text, cases[i].idle) == NULL ||
            strncmp(delivery.err.text, "contract:2:", 11) != 0)
            fail_msg("%s", delivery.err.text);
        assert_non_null(trial.plan);
        assert_string_equal(contract_idle_text(trial.arena, &trial.sources.limits, trial.plan),
                            cases[i].idle);
        last = note_at(&trial, 0);
        if (strstr(last, "NOTHING HERE MEASURES") == NULL || strstr(last, cases[i].idle) == NULL)
            fail_msg("%s", last);
        /* One host of two, to be tested again: the others' run says the same of them. */
        if (i != 4)
            assert_non_null(part.plan);
        arena_destroy(trial.arena);
        arena_destroy(delivery.arena);
        arena_destroy(part.arena);
    }
}

/* What is only compared agrees to no clause of a contract. */
static void a_clause_that_only_variants_measure_never_looks_agreed(void **state)
{
    const char *contract =
        AGREED(CLAUSE("5", "\"nccl.all_gather.busbw\", \"floor\": 300, \"unit\": \"GB/s\""));
    struct sample trial =
        make_by_contract("[1-2]\n", "trial", TUNE(", \"scope\": \"cluster\""), contract, NULL);
    struct sample delivery =
        make_by_contract("[1-2]\n", "delivery", TUNE(", \"scope\": \"cluster\""), contract, NULL);

    (void)state;
    assert_null(delivery.plan);
    assert_non_null(strstr(delivery.err.text, "5 (nccl.all_gather.busbw)"));
    if (trial.plan == NULL)
        fail_msg("%s", trial.err.text);
    assert_int_equal(trial.plan->gate_count, 0);
    assert_string_equal(contract_idle_text(trial.arena, &trial.sources.limits, trial.plan),
                        "5 (nccl.all_gather.busbw)");
    arena_destroy(trial.arena);
    arena_destroy(delivery.arena);
}

/* With what each is: GPUs or NPUs, links or none, adapters or none. */
/* The plan of a built-in suite for two hosts of a built-in platform. */
static struct sample make_built_in(const char *platform, const char *suite)
{
    struct sample sample = {.arena = arena_create()};
    struct plan_options options = {.run_uuid = "0ddba11-0000-4000-8000-000000000000"};
    const char *hosts = arena_printf(sample.arena, "node[1-2] slots=4 platform=%s\n", platform);
    const struct hostfile *hostfile = hostfile_parse(sample.arena, "hosts", slice_of(hosts), &sample.err);

    if (plan_sources_load(sample.arena, hostfile, suite_load(sample.arena, suite, &sample.err), NULL,
                          &sample.sources, &sample.err) == 0)
        sample.plan = plan_build(sample.arena, &sample.sources, &options, &sample.notes, &sample.err);
    if (sample.plan == NULL)
        fail_msg("%s, %s: %s", suite, platform, sample.err.text);
    return sample;
}

static void the_built_in_suites_fit_every_built_in_platform(void **state)
{
    static const char *const suites[] = {"smoke", "periodic"};
    size_t count, tried = 0;
    const struct builtin *rows = builtin_list(&count);

    (void)state;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 2 && strcmp(rows[i].kind, "platforms") == 0; k++) {
            struct sample sample = make_built_in(rows[i].name, suites[k]);

            assert_true(sample.plan->gate_count > 0);
            tried++;
            arena_destroy(sample.arena);
        }
    assert_true(tried >= 24);
}

/* It is run while jobs of others run: no step of it may load a host, or be held up by what runs there. */
static void the_periodic_suite_only_looks(void **state)
{
    struct sample sample = make_built_in("hgx-h100", "periodic");

    (void)state;
    assert_true(sample.plan->shapes.count >= 15);
    assert_int_equal(sample.notes.notes.count, 0);
    for (size_t i = 0; i < sample.plan->shapes.count; i++) {
        const struct shape *shape = sample.plan->shapes.items[i];

        assert_true(shape->passive);
        for (size_t k = 0; k < shape->slot_count; k++)
            if (strcmp(shape->slots[k].metric, "gpu.compute_processes") == 0 ||
                strcmp(shape->slots[k].metric, "gpu.temperature") == 0)
                assert_int_equal(shape->slots[k].duty, DUTY_RECORD);
    }
    arena_destroy(sample.arena);
}

/* The limits of other hardware decide nothing. */
static void a_baseline_is_for_the_platforms_that_it_names(void **state)
{
    struct arena *arena = arena_create();
    struct error err = {0};
    struct plan_sources sources;
    const struct hostfile *hostfile =
        hostfile_parse(arena, "hosts", slice_of("node1 platform=hgx-h100\nnode2 platform=hgx-a100\n"), &err);
    const struct suite *suite = suite_load(arena, "smoke", &err);

    (void)state;
    assert_int_equal(plan_sources_load(arena, hostfile, suite, "hgx-a100", &sources, &err), 0);
    for (size_t i = 0; i < sources.limits.baselines.count; i++)
        assert_string_equal(sources.limits.baselines.items[i].baseline->name,
                            sources.limits.baselines.items[i].platform->name);
    assert_int_equal(plan_sources_load(arena, hostfile, suite, "hgx-h200", &sources, &err), -1);
    assert_int_equal(err.code, ERROR_USAGE);
    assert_non_null(strstr(err.text, "baseline hgx-h200 is for platform hgx-h200"));
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_built_in_suites_fit_every_built_in_platform),
        cmocka_unit_test(the_periodic_suite_only_looks),
        cmocka_unit_test(a_baseline_is_for_the_platforms_that_it_names),
        cmocka_unit_test(racks_of_nvlinks_must_be_told),
        cmocka_unit_test(hosts_come_together_as_the_suite_says),
        cmocka_unit_test(a_simulated_test_has_the_time_that_its_turns_take),
        ARENA_TEST(limits_follow_from_where_the_members_are),
        ARENA_TEST(pairs_of_adapters_are_of_one_shape_whatever_their_racks),
        cmocka_unit_test(a_step_by_rail_is_run_for_each_rail),
        ARENA_TEST(a_suite_says_of_one_gpu_what_it_says_of_eight),
        cmocka_unit_test(variants_are_planned_one_after_the_other_and_judge_nothing),
        cmocka_unit_test(a_soak_is_planned_for_as_long_as_it_lasts),
        cmocka_unit_test(a_test_under_load_is_held_to_its_own_slices),
        cmocka_unit_test(a_variant_sets_its_variables_and_no_others_are_set),
        cmocka_unit_test(a_clause_that_only_variants_measure_never_looks_agreed),
        cmocka_unit_test(variants_that_are_left_out_leave_the_verdict_alone),
        cmocka_unit_test(what_is_left_over_is_owed_and_says_why),
        cmocka_unit_test(groups_of_equal_size_owe_the_same),
        cmocka_unit_test(needs_are_those_of_the_members),
        cmocka_unit_test(all_reduce_on_two_hosts_is_not_judged_alone),
        cmocka_unit_test(what_cannot_be_grouped_is_refused),
        cmocka_unit_test(a_clause_of_the_contract_outranks_suite_and_baseline),
        ARENA_TEST(a_clause_that_nothing_measures_never_looks_agreed),
    };

    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
