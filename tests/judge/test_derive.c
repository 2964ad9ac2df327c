/* SPDX-License-Identifier: Apache-2.0 */
/* Baselines from accepted runs: what becomes a figure, what is refused and why, and what `baseline check` finds. */
#include <math.h>
#include <string.h>

#include "../arena_test.h"
#include "assay/judge/derive.h"

#define GIB 1073741824.0

/* An accepted run of one step on each host, or of one over all hosts; every item has a value from a function. */
struct trial {
    const char *metric, *step, *arguments; /* arguments make the shape another one */
    unsigned hosts, gpus;                  /* gpus 0: one item a host, of no subject */
    bool pairs;                            /* copies from each GPU to each other one */
    bool together;                         /* one step over all hosts */
    unsigned each, racks;                  /* steps over so many hosts, in so many racks */
    double size_bytes;
    enum duty duty;
    double (*value)(unsigned host, unsigned a, unsigned b);
};

static double even(unsigned host, unsigned a, unsigned b)
{
    return 400 + (host * 31 + a * 17 + b * 7) % 5; /* median 402, MAD 1 */
}

static double with_one_lower(unsigned host, unsigned a, unsigned b)
{
    return host == 2 && a == 3 ? 390 : even(host, a, b);
}

static double with_one_slow(unsigned host, unsigned a, unsigned b)
{
    return host == 2 && a == 3 ? 350 : even(host, a, b);
}

static double beyond_nvlink(unsigned host, unsigned a, unsigned b)
{
    return even(host, a, b) * 8;
}

static double microseconds(unsigned host, unsigned a, unsigned b)
{
    return even(host, a, b) / 160;
}

static struct slot *make_slots(struct arena *arena, const struct trial *trial, size_t *ret_count)
{
    unsigned gpus = trial->gpus > 0 ? trial->gpus : 1, others = trial->pairs ? gpus : 1;
    struct slot *slots = arena_array(arena, struct slot, (size_t)gpus * others);

    *ret_count = 0;
    for (unsigned a = 0; a < gpus; a++)
        for (unsigned b = 0; b < others; b++) {
            if (trial->pairs && a == b)
                continue;
            slots[(*ret_count)++] =
                (struct slot){.metric = trial->metric,
                              .subject = trial->gpus == 0 ? ""
                                         : trial->pairs   ? arena_printf(arena, "gpu%u->gpu%u", a, b)
                                                          : arena_printf(arena, "gpu%u", a),
                              .at = "",
                              .size_bytes = trial->size_bytes,
                              .duty = trial->duty};
        }
    return slots;
}

static struct shape *make_shape(struct arena *arena, const struct trial *trial)
{
    struct shape *shape = arena_new(arena, struct shape);

    *shape = (struct shape){.sha256 = trial->arguments != NULL ? trial->arguments : "one",
                            .check = "c",
                            .suite_step = trial->step != NULL ? trial->step : "s",
                            .scope = trial->together ? "cluster" : "host",
                            .variant = "",
                            .platform = "hgx-h100",
                            .hosts = trial->together   ? trial->hosts
                                     : trial->each > 0 ? trial->each
                                                       : 1,
                            .racks = trial->racks,
                            .rack_hosts = trial->racks > 0 ? trial->each / trial->racks : 0};
    shape->slots = make_slots(arena, trial, &shape->slot_count);
    return shape;
}

static void judge_all(struct record *record, const struct trial *trial)
{
    const struct plan *plan = record->plan;
    struct judgement *judgement = &record->judgement;
    size_t slots = plan->shapes.items[0]->slot_count;

    judgement->outcomes = arena_array(record->arena, struct outcome, plan->steps.count * slots);
    for (size_t i = 0; i < plan->steps.count; i++)
        for (size_t k = 0; k < slots; k++) {
            unsigned a = trial->pairs ? (unsigned)k / (trial->gpus - 1) : (unsigned)k;

            judgement->outcomes[judgement->outcome_count++] = (struct outcome){
                .step = i,
                .slot = k,
                .word = trial->duty == DUTY_GATE ? OUTCOME_PASS : OUTCOME_RECORDED,
                .value = trial->value((unsigned)i, a, trial->pairs ? (unsigned)k % (trial->gpus - 1) : 0),
                .held = &held_to_nothing};
        }
}

static struct record *run_of(struct arena *arena, long long number, struct trial trial)
{
    struct record *record = arena_new(arena, struct record);
    const struct shape *shape = make_shape(arena, &trial);

    *record = (struct record){.arena = arena,
                              .number = number,
                              .uuid = arena_printf(arena, "run-%lld", number),
                              .suite = "delivery",
                              .started = 1793000000,
                              .plan = arena_new(arena, struct plan)};
    record->judgement.uuid = "judgement-1";
    record->judgement.baselines = reason_text(arena, "hgx-h100 for hgx-h100 (SHA-256 0)");
    record->plan->arena = arena;
    *list_push(arena, &record->plan->shapes) = shape;
    for (unsigned i = 0; i < trial.hosts; i++) {
        struct host *host = arena_new(arena, struct host);

        host->name = arena_printf(arena, "node%u", i);
        *list_push(arena, &record->plan->hosts) = host;
    }
    for (unsigned i = 0; i < trial.hosts; i += shape->hosts)
        *list_push(arena, &record->plan->steps) =
            (struct step){.key = "",
                          .shape = shape,
                          .members = (const struct host **)&record->plan->hosts.items[i],
                          .member_count = shape->hosts};
    judge_all(record, &trial);
    return record;
}

static const struct platform *h100(struct arena *arena)
{
    struct error err = {0};

    return platform_load(arena, "hgx-h100", &err);
}

static const struct derived *derive(struct arena *arena, const struct record *const *records, size_t count,
                                    const struct baseline *base)
{
    struct derivation *derivation = arena_new(arena, struct derivation);

    judge_derive(arena, records, count, h100(arena), base, derivation);
    assert_int_equal(derivation->figures.count, 1);
    return &derivation->figures.items[0];
}

static const struct derived *derive_from(struct arena *arena, struct trial trial)
{
    const struct record *record = run_of(arena, 1, trial);

    return derive(arena, &record, 1, NULL);
}

static const struct trial burn = {
    .metric = "gpu_burn.gflops", .hosts = 6, .gpus = 8, .duty = DUTY_RECORD, .value = even};
static const struct trial copies = {.metric = "p2p.unidirectional.enabled",
                                    .hosts = 6,
                                    .gpus = 8,
                                    .pairs = true,
                                    .duty = DUTY_GATE,
                                    .value = even};

static struct trial with_value(struct trial trial, double (*value)(unsigned, unsigned, unsigned))
{
    trial.value = value;
    return trial;
}

static void a_floor_is_the_median_less_so_many_mad(void **state)
{
    const struct derived *derived = derive_from(*state, burn);

    assert_null(derived->refused);
    assert_false(derived->ceiling);
    assert_int_equal(derived->measured.n, 48);
    assert_int_equal(derived->measured.values, 48);
    assert_int_equal(derived->measured.hosts, 6);
    assert_float_equal(derived->measured.median, 402, 1e-9);
    assert_float_equal(derived->measured.mad, 1, 1e-9);
    assert_float_equal(derived->factor, 4.40, 0.01);
    assert_float_equal(derived->value, 395.4, 1e-9); /* 402 - 4.40 x 1.4826 = 395.47, rounded down */
    assert_string_equal(derived_name(*state, derived), "gpu_burn.gflops over 1 host");
    assert_string_equal(derived_text(*state, derived),
                        "floor 395.4 GFLOP/s: median 402 less 4.4 x 1.4826 x MAD 1; n "
                        "48 (48 values, 6 hosts)");
}

static void of_a_latency_it_is_a_ceiling(void **state)
{
    struct trial trial = with_value(copies, microseconds);
    const struct derived *derived;

    trial.metric = "p2p.latency.gpu.enabled";
    derived = derive_from(*state, trial);
    assert_null(derived->refused);
    assert_true(derived->ceiling);
    assert_true(derived->value > derived->worst);
    assert_true(derived->value > derived->measured.median &&
                derived->value < 1.05 * derived->measured.median);
}

/* 336 copies, but no more than four at a time on a host without a GPU in common. */
static void copies_between_two_are_half_as_many(void **state)
{
    const struct derived *derived = derive_from(*state, copies);

    assert_null(derived->refused);
    assert_int_equal(derived->measured.values, 336);
    assert_int_equal(derived->measured.n, 24);
}

static void the_same_hosts_again_add_values_and_no_items(void **state)
{
    const struct record *records[] = {run_of(*state, 1, copies), run_of(*state, 2, copies)};
    const struct derived *derived = derive(*state, records, 2, NULL);

    assert_int_equal(derived->measured.values, 672);
    assert_int_equal(derived->measured.n, 24);
    assert_int_equal(derived->measured.hosts, 6);
}

static void too_few_are_refused(void **state)
{
    struct trial few = burn, on_few_hosts = burn, over_all = burn;
    const struct derived *derived;

    few.gpus = 0;
    derived = derive_from(*state, few);
    assert_string_equal(derived->refused,
                        "too few: 6 independent items on 6 hosts, but 20 on 5 are needed; the same "
                        "hosts once more add none");
    on_few_hosts.hosts = 4;
    derived = derive_from(*state, on_few_hosts);
    assert_string_equal(derived->refused,
                        "too few: 32 independent items on 4 hosts, but 20 on 5 are needed; the same "
                        "hosts once more add none");
    over_all.metric = "nccl.all_gather.busbw";
    over_all.gpus = 0;
    over_all.hosts = 30;
    over_all.together = true;
    over_all.size_bytes = 8 * GIB;
    over_all.duty = DUTY_GATE;
    over_all.value = with_one_slow;
    derived = derive_from(*state, over_all);
    assert_int_equal(derived->measured.n, 1);
    assert_non_null(strstr(derived->refused, "too few: 1 independent item on 30 hosts"));
    assert_string_equal(derived_name(*state, derived), "nccl.all_gather.busbw over 30 hosts at 8G");
}

/* What was accepted stays acceptable; what lies a tenth below the others makes it no one kind. */
static void a_floor_fails_nothing_that_was_accepted(void **state)
{
    const struct derived *derived = derive_from(*state, with_value(burn, with_one_lower));

    assert_null(derived->refused);
    assert_float_equal(derived->value, 390, 1e-9);
    assert_non_null(strstr(derived_text(*state, derived), "floor 390 GFLOP/s: the worst accepted value"));
    derived = derive_from(*state, with_value(burn, with_one_slow));
    assert_string_equal(derived->refused,
                        "accepted values reach 350 GFLOP/s, 13% beyond the median 402: these are two "
                        "kinds of items, or a slow one was accepted");
}

static void more_than_the_links_carry_is_refused(void **state)
{
    const struct derived *derived = derive_from(*state, with_value(copies, beyond_nvlink));

    assert_non_null(strstr(derived->refused,
                           "is more than platform hgx-h100 can reach, 450 GB/s: rate of a GPU's "
                           "NVLinks; is a unit or factor wrong, or the platform file?"));
}

static double as_it_is_set(unsigned host, unsigned a, unsigned b)
{
    return (void)host, (void)a, (void)b, 26.562;
}

static void what_is_set_is_not_measured(void **state)
{
    assert_string_equal(derive_from(*state, with_value(burn, as_it_is_set))->refused,
                        "all values are the same: it is set and not measured");
}

static void other_arguments_are_another_measurement(void **state)
{
    struct trial tensor = burn;
    const struct record *records[2] = {run_of(*state, 1, burn), NULL};
    const struct derived *derived;

    tensor.arguments = "tensor";
    tensor.step = "burn-tc";
    records[1] = run_of(*state, 2, tensor);
    derived = derive(*state, records, 2, NULL);
    assert_non_null(strstr(derived->refused, "different ways, as step s of run 1 and step burn-tc of run 2"));
}

static const struct baseline *parse(struct arena *arena, const char *text)
{
    struct error err = {0};
    const struct baseline *baseline = baseline_parse(arena, "b.json", slice_of(text), &err);

    if (baseline == NULL)
        fail_msg("%s", err.text);
    return baseline;
}

#define BASELINE(limits) "{\"name\": \"b\", \"platforms\": [\"hgx-h100\"], \"limits\": [\n" limits "]}"
#define COPIES(floor, status)                                                                 \
    "{\"metric\": \"p2p.*\", \"floor\": " floor ", \"unit\": \"GB/s\", \"status\": \"" status \
    "\", \"source\": \"a datasheet\"}"

static void no_limit_becomes_weaker(void **state)
{
    const struct record *record = run_of(*state, 1, copies);
    const struct derived *derived =
        derive(*state, &record, 1, parse(*state, BASELINE(COPIES("398", "field"))));

    assert_string_equal(derived->refused,
                        "floor 394 GB/s would be no stricter than what b has, >= 398 GB/s (field), "
                        "which stays");
    assert_null(derive(*state, &record, 1, parse(*state, BASELINE(COPIES("398", "guess"))))->refused);
    assert_null(derive(*state, &record, 1, parse(*state, BASELINE(COPIES("345", "field"))))->refused);
}

static double within_rack(unsigned host, unsigned a, unsigned b)
{
    return even(host, a, b) - 100;
}

static double across_racks(unsigned host, unsigned a, unsigned b)
{
    return even(host, a, b) - 160;
}

/* What two racks carry says nothing of one: neither what is derived, nor what stays, nor what is written. */
static void racks_are_told_apart(void **state)
{
    static const struct trial pairs = {.metric = "nccl.all_gather.busbw",
                                       .hosts = 60,
                                       .each = 2,
                                       .racks = 1,
                                       .size_bytes = 8.0 * (1u << 30),
                                       .duty = DUTY_GATE,
                                       .value = within_rack,
                                       .arguments = "within"};
    struct trial across = with_value(pairs, across_racks);
    const struct record *records[] = {run_of(*state, 1, pairs), NULL};
    const struct baseline *base =
        parse(*state, BASELINE("{\"metric\": \"nccl.*.busbw\", \"racks_max\": 1, \"floor\": 280, \"unit\": "
                               "\"GB/s\", \"status\": \"field\", \"source\": \"one rack\"}"));
    const struct platform *platform = h100(*state);
    const struct baseline *written;
    struct derivation derivation;
    struct baseline_flaws flaws;
    cleanup_text struct text out = {0};

    across.racks = 2;
    across.arguments = "across";
    records[1] = run_of(*state, 2, across);
    judge_derive(*state, records, 2, platform, base, &derivation);
    assert_int_equal(derivation.figures.count, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct derived *derived = &derivation.figures.items[i];

        if (derived->refused != NULL)
            fail_msg("%s", derived->refused);
        assert_int_equal(derived->racks, i + 1);
        assert_float_equal(derived->measured.median, i == 0 ? 302 : 242, 1e-9);
    }
    assert_string_equal(derived_name(*state, &derivation.figures.items[1]),
                        "nccl.all_gather.busbw over 2 hosts in 2 racks at 8G");
    text_init(&out, 1 << 20);
    derivation_write(*state, &derivation, records, 2, platform, base, "mine", &out);
    written = parse(*state, out.bytes);
    assert_int_equal(written->limits.count, 3);
    for (unsigned racks = 1; racks <= 2; racks++)
        assert_ptr_equal(baseline_find(written, "nccl.all_gather.busbw", "", "group", 2, racks, 2 / racks,
                                       8.0 * (1u << 30)),
                         &written->limits.items[racks - 1]);
    judge_baseline(*state, written, &platform, 1, &flaws);
    assert_int_equal(flaws.items.count, 0);
}

/* "racks_min": 1 is what is said of all where nothing is said. */
static void a_limit_of_any_racks_stands_before_those_of_some(void **state)
{
    static const struct {
        const char *first, *second;
        bool behind;
    } rows[] = {
        {"\"racks_min\": 1", "\"hosts_min\": 2", true},
        {"\"racks_min\": 2", "\"hosts_min\": 2", false},
        {"\"racks_max\": 4", "\"hosts_max\": 4", true}, /* there are no more racks than hosts */
        {"\"racks_max\": 4", "\"hosts_max\": 5", false},
        {"\"racks_max\": 2, \"rack_hosts_min\": 9", "\"racks_max\": 2", false},
        {"\"racks_max\": 2", "\"racks_max\": 2, \"rack_hosts_min\": 9", true},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct baseline *baseline = parse(
            *state,
            arena_printf(*state,
                         BASELINE("{\"metric\": \"nccl.*.busbw\", %s, \"floor\": 3, \"unit\": \"GB/s\", "
                                  "\"status\": \"field\", \"source\": \"a\"}, {\"metric\": "
                                  "\"nccl.*.busbw\", %s, \"floor\": 2, \"unit\": \"GB/s\", \"status\": "
                                  "\"field\", \"source\": \"a\"}"),
                         rows[i].first, rows[i].second));

        if (limit_is_behind(&baseline->limits.items[1], &baseline->limits.items[0]) != rows[i].behind)
            fail_msg("%s, then %s", rows[i].first, rows[i].second);
    }
}

static void small_messages_and_remarked_items_are_left_out(void **state)
{
    struct trial small = burn;
    struct record *record;
    struct derivation derivation;

    small.metric = "nccl.all_reduce.busbw";
    small.size_bytes = 1048576;
    record = run_of(*state, 1, small);
    judge_derive(*state, (const struct record *const *)&record, 1, h100(*state), NULL, &derivation);
    assert_int_equal(derivation.figures.count, 0);
    record = run_of(*state, 1, with_value(burn, with_one_slow));
    record->judgement.outcomes[19].remark = true;
    outcome_held_own(*state, &record->judgement.outcomes[19])->status = "guess";
    judge_derive(*state, (const struct record *const *)&record, 1, h100(*state), NULL, &derivation);
    assert_int_equal(derivation.remarked, 0);
    outcome_held_own(*state, &record->judgement.outcomes[19])->status = "peers";
    judge_derive(*state, (const struct record *const *)&record, 1, h100(*state), NULL, &derivation);
    assert_int_equal(derivation.remarked, 1);
    assert_null(derivation.figures.items[0].refused);
    assert_int_equal(derivation.figures.items[0].measured.values, 47);
}

static void what_is_written_is_read_and_sound(void **state)
{
    const struct record *record = run_of(*state, 1, copies);
    const struct baseline *base = parse(
        *state,
        BASELINE("{\"metric\": \"p2p.unidirectional.enabled\", \"hosts_max\": 1, \"floor\": 345, \"unit\": "
                 "\"GB/s\", "
                 "\"status\": \"field\", \"source\": \"nccl#1264\"}, {\"metric\": \"pcie.width\", \"equal\": "
                 "\"16\", \"status\": \"vendor\", \"source\": \"NVIDIA/DCGM nvvs\"}"));
    const struct platform *platform = h100(*state);
    struct derivation derivation;
    struct baseline_flaws flaws;
    const struct baseline *baseline;
    cleanup_text struct text out = {0};

    text_init(&out, 1 << 20);
    judge_derive(*state, &record, 1, platform, base, &derivation);
    derivation_write(*state, &derivation, &record, 1, platform, base, "mine", &out);
    baseline = parse(*state, out.bytes);
    assert_string_equal(baseline->name, "mine");
    assert_string_equal(json_string(json_get(baseline->document, "derived_from")->items, "run", ""), "run-1");
    assert_string_equal(json_string(json_get(baseline->document, "derived_from")->items, "started", ""),
                        "2026-10-26T07:33:20Z");
    assert_int_equal(baseline->limits.count, 2); /* what can never apply behind ours is gone */
    assert_float_equal(baseline->limits.items[0].value, 394, 1e-9);
    assert_int_equal(baseline->limits.items[0].status, LIMIT_FIELD);
    assert_int_equal(baseline->limits.items[0].measured->n, 24);
    assert_true(baseline->limits.items[0].derived > 0.0198 && baseline->limits.items[0].derived < 0.0201);
    assert_string_equal(baseline->limits.items[1].metric, "pcie.width");
    judge_baseline(*state, baseline, &platform, 1, &flaws);
    assert_int_equal(flaws.items.count, 0);
}

#define MEASURED(floor, median, n)                                                                           \
    "{\"metric\": \"gpu_burn.gflops\", \"floor\": " floor ", \"unit\": \"GFLOP/s\", \"status\": \"field\", " \
    "\"source\": \"accepted runs\", \"measured\": {\"median\": " median                                      \
    ", \"mad\": 1, \"values\": 48, \"n\": " n ", \"hosts\": 6}}"

static void flaws_are_told_with_their_place(void **state)
{
    static const struct {
        const char *limits, *flaw;
        unsigned column;
        bool remark;
    } cases[] = {
        {COPIES("460", "field"), NULL, 0, false}, /* a pattern over several kinds is not held against one */
        {"{\"metric\": \"p2p.unidirectional.enabled\", \"floor\": 460, \"unit\": \"GB/s\", \"status\": "
         "\"field\", "
         "\"source\": \"nccl#1264\"}",
         "limits[0]: a floor of 460 GB/s for p2p.unidirectional.enabled is more than platform hgx-h100 can "
         "reach over "
         "1 host, 450 GB/s: rate of a GPU's NVLinks",
         51, false},
        {"{\"metric\": \"nvbandwidth.host_to_device_memcpy_ce\", \"floor\": 64, \"unit\": \"GB/s\", "
         "\"status\": "
         "\"field\", \"source\": \"nccl#1264\"}",
         "limits[0]: a floor of 64 GB/s for nvbandwidth.host_to_device_memcpy_ce is more than platform "
         "hgx-h100 can "
         "reach over 1 host, 63.015 GB/s: rate of a GPU's PCIe link",
         61, false},
        {"{\"metric\": \"rdma.write.bandwidth\", \"floor\": 404, \"unit\": \"Gb/s\", \"status\": \"field\", "
         "\"source\": \"nccl#1264\"}",
         "limits[0]: a floor of 404 Gb/s for rdma.write.bandwidth is more than platform hgx-h100 can reach "
         "over 1 "
         "host, 400 Gb/s: rate of an adapter",
         45, false},
        {"{\"metric\": \"nccl.all_gather.busbw\", \"hosts_min\": 2, \"floor\": 410, \"unit\": \"GB/s\", "
         "\"status\": "
         "\"field\", \"source\": \"nccl#1264\"}",
         "limits[0]: a floor of 410 GB/s for nccl.all_gather.busbw is more than platform hgx-h100 can reach "
         "over 2 "
         "hosts, 400 GB/s: computed from platform hgx-h100: rate of a host's adapters",
         62, false},
        {"{\"metric\": \"gpu_burn.float.gflops\", \"floor\": 70000, \"unit\": \"GFLOP/s\", \"status\": \"field\", "
         "\"source\": \"nccl#1264\"}",
         "limits[0]: a floor of 70000 GFLOP/s for gpu_burn.float.gflops is more than platform hgx-h100 can reach over 1 "
         "host, 67000 GFLOP/s: peak of the GPU's arithmetic by its datasheet",
         46, false},
        {"{\"metric\": \"rdma.write.bandwidth\", \"floor\": 48, \"unit\": \"GB/s\", \"status\": \"field\", "
         "\"source\": \"nccl#1264\"}",
         "limits[0].unit is \"GB/s\", and rdma.write.bandwidth is measured in \"Gb/s\"", 57, false},
        {COPIES("300",
                "field") ", {\"metric\": \"p2p.unidirectional.enabled\", \"floor\": 345, \"unit\": \"GB/s\", "
                         "\"status\": \"field\", \"source\": \"nccl#1264\"}",
         "limits[1], of p2p.unidirectional.enabled, never applies: limits[0] on line 2 comes before it and "
         "speaks of "
         "all that it does",
         96, false},
        {MEASURED("395.4", "402", "48"), NULL, 0, false},
        {MEASURED("401", "402", "48"),
         "limits[0]: a floor of 401 GFLOP/s does not follow from what was measured, median 402, MAD 1, n 48: "
         "that "
         "gives 395.5",
         40, false},
        {MEASURED("330", "402", "12"),
         "limits[0]: 48 values of 12 independent items on 6 hosts are too few for a figure; it takes 20 on 5",
         122, false},
        {"{\"metric\": \"pcie.width\", \"equal\": \"16\", \"status\": \"field\", \"source\": \"me\"}",
         "limits[0].source is \"me\": unfounded; expected what can be looked up, or status guess", 70, false},
        {COPIES("345", "guess"),
         "limits[0], of p2p.*, is a guess: it may remark, and neither fails nor passes anything", 61, true},
        {COPIES("345", "contract"),
         "limits[0], of p2p.*, has status contract, and in a baseline outranks nothing; clauses stand in a "
         "contract "
         "(--contract)",
         61, true},
        {"{\"metric\": \"p2p.bandwith\", \"floor\": 345, \"unit\": \"GB/s\", \"status\": \"field\", "
         "\"source\": "
         "\"nccl#1264\"}",
         "limits[0]: no check of assay measures p2p.bandwith; it is for a command of your own, or not the "
         "right word",
         12, true},
    };
    const struct platform *platform = h100(*state);

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct baseline *baseline =
            parse(*state, arena_printf(*state, "%s%s%s",
                                       "{\"name\": \"b\", \"platforms\": [\"hgx-h100\"], \"limits\": [\n",
                                       cases[i].limits, "]}"));
        struct baseline_flaws flaws;

        judge_baseline(*state, baseline, &platform, 1, &flaws);
        assert_int_equal(flaws.items.count, cases[i].flaw != NULL);
        if (cases[i].flaw == NULL)
            continue;
        assert_string_equal(flaws.items.items[0].text, cases[i].flaw);
        assert_int_equal(flaws.items.items[0].at->line, 2);
        assert_int_equal(flaws.items.items[0].at->column, cases[i].column);
        assert_int_equal(flaws.items.items[0].remark, cases[i].remark);
    }
}

/* A floor that no healthy host can reach, a unit that nothing is measured in: not in what we hand out. */
static void the_built_in_baselines_have_no_flaw(void **state)
{
    size_t count, tried = 0;
    const struct builtin *rows = builtin_list(&count);

    for (size_t i = 0; i < count; i++) {
        const struct platform *platforms[16];
        const struct baseline *baseline;
        struct baseline_flaws flaws;
        struct error err = {0};

        if (strcmp(rows[i].kind, "baselines") != 0)
            continue;
        baseline = baseline_load(*state, rows[i].name, &err);
        assert_non_null(baseline);
        for (size_t k = 0; k < baseline->platforms.count; k++) {
            platforms[k] = platform_load(*state, baseline->platforms.items[k], &err);
            assert_non_null(platforms[k]);
        }
        judge_baseline(*state, baseline, platforms, baseline->platforms.count, &flaws);
        for (size_t k = 0; k < flaws.items.count; k++)
            if (!flaws.items.items[k].remark || strstr(flaws.items.items[k].text, "is a guess") == NULL)
                fail_msg("%s:%u: %s", rows[i].name, flaws.items.items[k].at->line, flaws.items.items[k].text);
        tried++;
    }
    assert_true(tried >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_floor_is_the_median_less_so_many_mad),
        cmocka_unit_test(of_a_latency_it_is_a_ceiling),
        cmocka_unit_test(copies_between_two_are_half_as_many),
        cmocka_unit_test(the_same_hosts_again_add_values_and_no_items),
        cmocka_unit_test(too_few_are_refused),
        cmocka_unit_test(a_floor_fails_nothing_that_was_accepted),
        cmocka_unit_test(more_than_the_links_carry_is_refused),
        cmocka_unit_test(what_is_set_is_not_measured),
        cmocka_unit_test(other_arguments_are_another_measurement),
        cmocka_unit_test(no_limit_becomes_weaker),
        cmocka_unit_test(racks_are_told_apart),
        cmocka_unit_test(a_limit_of_any_racks_stands_before_those_of_some),
        cmocka_unit_test(small_messages_and_remarked_items_are_left_out),
        cmocka_unit_test(what_is_written_is_read_and_sound),
        cmocka_unit_test(flaws_are_told_with_their_place),
        cmocka_unit_test(the_built_in_baselines_have_no_flaw),
    };

    return cmocka_run_group_tests_name("derive", tests, arena_begin, arena_end);
}
