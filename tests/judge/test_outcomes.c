/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of outcomes, row by row: what a host's commands printed and how they ended goes in, the words come out.
 * Plan, command marks, parsers, checks and judge are the real ones; only the hosts are made up here.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../arena_test.h"
#include "../says_test.h"
#include "assay/judge/judge.h"
#include "assay/plan/plan_build.h"

#define PLATFORM(name, links, switched, more) PLATFORM_OF("T", name, links, switched, more)
#define PLATFORM_OF(model, name, links, switched, more)                                        \
    "{\"name\": \"" name                                                                       \
    "\", \"title\": \"two GPUs\", \"source\": \"test\", \"gpus\": {\"count\": 2, \"models\": " \
    "[\"" model "\"], \"pci_ids\": [\"10de:2330\"]}, \"nvlink\": {\"links\": " links           \
    "}, \"nvswitch\": " switched ", "                                                          \
    "\"fabric_state\": false, \"driver_minimum\": \"525.60.13\"" more "}"
static const char *const platform_texts[] = {
    PLATFORM("duo", "0", "false", ""), PLATFORM_OF("NVIDIA H100 80GB HBM3", "hopper", "0", "false", ""),
    PLATFORM("linked", "2, \"link_gbs\": 25", "false", ""),
    PLATFORM("switched", "18, \"link_gbs\": 26.562, \"ceiling_gbs\": 450", "true", ""),
    PLATFORM("railed", "0", "false", ", \"hcas\": {\"names\": [\"mlx5_0\"], \"gbits\": 400}")};

/* One NCCL step with one message size, so that its output fits a screen. */
#define NCCL_STEP(more)                                                                                \
    "{\"check\": \"nccl-all-reduce\", \"needs\": [\"reachable\"], \"arguments\": {\"begin\": \"8G\", " \
    "\"end\": \"8G\"}" more "}"
#define FLOOR(status)                                                                             \
    ", \"limits\": [{\"metric\": \"nccl.all_reduce.busbw\", \"floor\": 455, \"unit\": \"GB/s\", " \
    "\"source\": \"test\", "                                                                      \
    "\"status\": \"" status "\"}]"
#define SUITE(purpose, step) SUITE_ON("duo", purpose, step)
#define SUITE_ON(platform, purpose, step)                                                         \
    "{\"name\": \"s\", \"title\": \"t\", \"purpose\": \"" purpose "\", \"platform\": \"" platform \
    "\", \"steps\": "                                                                             \
    "[{\"check\": \"reachable\"}, {\"check\": \"driver\", \"needs\": [\"reachable\"]}, " step "]}"

#define NCCL_OUTPUT(busbw, average, wrong, verdict)                                                          \
    "# nThread 1 nGpus 2 minBytes 8589934592 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 " \
    "agg "                                                                                                   \
    "iters: 1 validation: 1 graph: 0\n"                                                                      \
    "#\n# Using devices\n"                                                                                   \
    "#  Rank  0 Group  0 Pid   4242 on  node1 device  0 [0x19] NVIDIA H100 80GB HBM3\n"                      \
    "#  Rank  1 Group  0 Pid   4242 on  node1 device  1 [0x3b] NVIDIA H100 80GB HBM3\n"                      \
    "#\n"                                                                                                    \
    "#                                                              out-of-place                       "     \
    "in-place\n"                                                                                             \
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw " \
    "  busbw #wrong\n"                                                                                       \
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s) " \
    " (GB/s)\n"                                                                                              \
    "  8589934592    2147483648     float     sum      -1    17943  478.74  " busbw "      " wrong           \
    "    17943  478.74  478.74      0\n"                                                                     \
    "# Out of bounds values : " verdict "\n"                                                                 \
    "# Avg bus bandwidth    : " average "\n#\n"

static const char good[] = NCCL_OUTPUT("478.74", "478.74", "0", "0 OK");

/* --- a made-up cluster ------------------------------------------------------------------------------------------- */

struct world {
    struct arena *arena;
    struct plan_sources sources;
    struct record record;
    struct error err;
};

static void world_begin_with(struct world *world, const char *suite, const char *hosts,
                             const struct hostlist *steps)
{
    struct plan_options options = {.run_uuid = "00000000-0000-4000-8000-000000000000", .steps = steps};
    struct plan_notes notes;
    struct plan_sources *sources = &world->sources;

    *world = (struct world){.arena = arena_create()};
    sources->hostfile = hostfile_parse(world->arena, "hosts", slice_of(hosts), &world->err);
    sources->suite = suite_parse(world->arena, "suite", slice_of(suite), &world->err);
    if (sources->hostfile == NULL || sources->suite == NULL)
        fail_msg("%s", world->err.text);
    sources->limits.suite = sources->suite;
    for (size_t i = 0; i < ARRAY_SIZE(platform_texts); i++)
        *list_push(world->arena, &sources->platforms) =
            platform_parse(world->arena, "platform", slice_of(platform_texts[i]), &world->err);
    world->record = (struct record){.arena = world->arena, .state = RUN_ENDED};
    world->record.plan = plan_build(world->arena, sources, &options, &notes, &world->err);
}

static void world_begin(struct world *world, const char *suite, const char *hosts)
{
    world_begin_with(world, suite, hosts, NULL);
}

/* Planned again, by a contract. */
static void agree(struct world *world, const char *contract)
{
    struct plan_options options = {.run_uuid = "00000000-0000-4000-8000-000000000000"};
    struct plan_notes notes;

    world->sources.limits.contract =
        contract_parse(world->arena, "contract", slice_of(contract), &world->err);
    if (world->sources.limits.contract == NULL)
        fail_msg("%s", world->err.text);
    world->record.plan = plan_build(world->arena, &world->sources, &options, &notes, &world->err);
}

static void world_end(struct world *world)
{
    arena_destroy(world->arena);
}

static size_t find_step(const struct world *world, const char *name, const char *host)
{
    const struct plan *plan = world->record.plan;

    for (size_t i = 0; i < plan->steps.count; i++)
        if (strcmp(plan->steps.items[i].shape->suite_step, name) == 0 &&
            strcmp(plan->steps.items[i].members[0]->name, host) == 0)
            return i;
    fail_msg("no step %s on %s", name, host);
    return 0;
}

static struct attempt *add_attempt(struct world *world, const char *step, const char *host,
                                   enum attempt_end end)
{
    struct attempt *attempt;
    size_t index = find_step(world, step, host);
    unsigned n = 1;

    list_each (earlier, world->record.attempts)
        n += earlier->step == index;
    attempt = list_push(world->arena, &world->record.attempts);
    *attempt = (struct attempt){
        .step = index,
        .n = n,
        .uuid = "11111111-1111-4111-8111-111111111111",
        .state = ATTEMPT_ENDED,
        .end = end,
        .what = end == ATTEMPT_RAN ? NULL : reason_text(world->arena, "what the transport says"),
        .boot_id = "",
        .command = ""};
    attempt->captures[0] = (struct capture){.stream = "stdout", .bytes = {"", 0}};
    attempt->captures[1] = (struct capture){.stream = "stderr", .bytes = {"", 0}};
    return attempt;
}

/* rc < 0: the part's last mark never came. */
static const char *marked(struct arena *arena, const char *uuid, const char *part, const char *output, int rc)
{
    const char *begun = arena_printf(arena, "@assay-part %s begin %s\n%s", uuid, part, output);

    return rc < 0 ? begun : arena_printf(arena, "%s\n@assay-part %s end %s %d\n", begun, uuid, part, rc);
}

#define GPU(number, bus, errors, more)                                                                  \
    "<gpu id=\"00000000:" bus ":00.0\"><product_name>T</product_name><uuid>GPU-" number "</uuid>"       \
    "<ecc_errors><volatile><sram_correctable>0</sram_correctable><sram_uncorrectable>0"                 \
    "</sram_uncorrectable><dram_correctable>0</dram_correctable><dram_uncorrectable>" errors            \
    "</dram_uncorrectable></volatile></ecc_errors><temperature><gpu_temp>38 C</gpu_temp></temperature>" \
    "<processes>" more "</processes></gpu>\n"
#define GPUS(errors, more)                                                                     \
    "<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n<driver_version>550.90.07</driver_version>\n" \
    "<attached_gpus>2</attached_gpus>\n" GPU("0", "19", "4", "")                               \
        GPU("1", "3B", errors, more) "</nvidia_smi_log>\n"
#define PROCESS \
    "<process_info><pid>4711</pid><type>C</type><process_name>python3</process_name></process_info>"

#define LINK(number, recoveries, crc)                                                        \
    "\t Link " number ": Replay Errors: 0\n\t Link " number ": Recovery Errors: " recoveries \
    "\n\t Link " number ": CRC Errors: " crc "\n"
#define NVLINKS(of_gpu1) \
    "GPU 0: T (UUID: GPU-0)\n" LINK("0", "0", "0") LINK("1", "0", "0") "GPU 1: T (UUID: GPU-1)\n" of_gpu1

#define DRIVES(warning, errors)                                                          \
    "nvme.warning\tnvme0\t0\nnvme.media_errors\tnvme0\t0\nnvme.warning\tnvme1\t" warning \
    "\nnvme.media_errors\tnvme1\t" errors "\nnvme.drives\t\t2\nkey-value end\n"

struct printed {
    const char *part, *output;
    int rc;
    const char *err; /* NULL: nothing */
};

/* What a healthy member says before and after a test. */
static const struct printed healthy[2][8] = {
    {{"owners", "", 0},
     {"gpus", GPUS("0", ""), 0},
     {"nvlink", NVLINKS(LINK("0", "1", "0") LINK("1", "0", "7")), 0},
     {"fabric", "", 0},
     {"hardware", "aer.devices\t\t40\nkey-value end\n", 0},
     {"drives", DRIVES("0", "3"), 0},
     {"log-start", "1.5\n", 0},
     {0}},
    {{"owners", "", 0},
     {"gpus", GPUS("0", ""), 0},
     {"nvlink", NVLINKS(LINK("0", "1", "0") LINK("1", "0", "7")), 0},
     {"fabric", "", 0},
     {"hardware", "aer.devices\t\t40\nkey-value end\n", 0},
     {"drives", DRIVES("0", "3"), 0},
     {"kernel-log", "[ 9.0] quiet\n", 0},
     {0}},
};

static const struct printed *printed_otherwise(const struct printed *parts, const char *part)
{
    for (; parts != NULL && parts->part != NULL; parts++)
        if (strcmp(parts->part, part) == 0)
            return parts;
    return NULL;
}

static struct window *add_window(struct world *world, struct attempt *attempt, size_t member,
                                 enum window_role role, const struct printed *otherwise)
{
    struct window *window = list_push(world->arena, &attempt->windows);
    const char *out = "", *err = "";

    for (const struct printed *part = healthy[role]; part->part != NULL; part++) {
        const struct printed *printed = printed_otherwise(otherwise, part->part);

        printed = printed != NULL ? printed : part;
        out = arena_printf(world->arena, "%s%s", out,
                           marked(world->arena, attempt->uuid, printed->part, printed->output, printed->rc));
        err = arena_printf(world->arena, "%s%s", err,
                           marked(world->arena, attempt->uuid, printed->part, "", printed->rc));
        if (printed->rc < 0)
            break; /* an output that ends early has nothing behind it */
    }
    *window = (struct window){.member = member, .role = role, .end = ATTEMPT_RAN, .boot_id = "b"};
    window->captures[0] = (struct capture){.stream = "stdout", .bytes = slice_of(out)};
    window->captures[1] = (struct capture){.stream = "stderr", .bytes = slice_of(err)};
    return window;
}

static void read_attempt(struct world *world, struct attempt *attempt)
{
    struct check_context context;

    plan_context(world->arena, &world->sources, &world->record.plan->steps.items[attempt->step], &context);
    check_read(&context, attempt);
}

/* What the last member says before and after the test, where it is not what a healthy one says. */
static struct attempt *ran_between(struct world *world, const char *step, const char *host,
                                   const struct printed *parts, const struct printed *before,
                                   const struct printed *after)
{
    struct attempt *attempt = add_attempt(world, step, host, ATTEMPT_RAN);
    const struct step *planned = &world->record.plan->steps.items[attempt->step];
    const char *out = "", *err = "";

    for (; parts->part != NULL; parts++) {
        out = arena_printf(world->arena, "%s%s", out,
                           marked(world->arena, attempt->uuid, parts->part, parts->output, parts->rc));
        err = arena_printf(world->arena, "%s%s", err,
                           marked(world->arena, attempt->uuid, parts->part,
                                  parts->err != NULL ? parts->err : "", parts->rc));
    }
    attempt->captures[0].bytes = slice_of(out);
    attempt->captures[1].bytes = slice_of(err);
    for (int role = WINDOW_BEFORE; !check_find(planned->shape->check)->passive && role <= WINDOW_AFTER;
         role++)
        for (size_t i = 0; i < planned->member_count; i++)
            add_window(world, attempt, i, (enum window_role)role,
                       i + 1 < planned->member_count ? NULL
                       : role == WINDOW_BEFORE       ? before
                                                     : after);
    read_attempt(world, attempt);
    return attempt;
}

static struct attempt *ran_with(struct world *world, const char *step, const char *host,
                                const struct printed *parts, const struct printed *after)
{
    return ran_between(world, step, host, parts, NULL, after);
}

static void ran(struct world *world, const char *step, const char *host, const struct printed *parts)
{
    ran_with(world, step, host, parts, NULL);
}

#define RAN(world, step, host, ...) ran(world, step, host, (const struct printed[]){__VA_ARGS__, {0}})

/* boot: as the guard says it; network: the last line of the answer. */
static void reached_machine(struct world *world, const char *host, const char *boot, const char *network)
{
    const char *output = arena_printf(world->arena, "h\nLinux 6 x86_64\nops\n%s\n", network);
    struct attempt *attempt =
        ran_with(world, "reachable", host, (const struct printed[]){{"main", output, 0}, {0}}, NULL);

    attempt->boot_id = boot;
    read_attempt(world, attempt);
}

static void reached(struct world *world, const char *host)
{
    reached_machine(world, host, host, "net:[1]");
}

static void nccl(struct world *world, const char *host, const char *output, int rc)
{
    RAN(world, "nccl-all-reduce", host, {"main", output, rc});
}

static const struct outcome *outcome_of(const struct world *world, const char *step, const char *host,
                                        const char *metric)
{
    const struct plan *plan = world->record.plan;
    size_t index = find_step(world, step, host);

    for (size_t i = 0; i < world->record.judgement.outcome_count; i++) {
        const struct outcome *outcome = &world->record.judgement.outcomes[i];

        if (outcome->step == index &&
            strcmp(plan->steps.items[index].shape->slots[outcome->slot].metric, metric) == 0)
            return outcome;
    }
    fail_msg("step %s owes no %s", step, metric);
    return NULL;
}

static const char *english(const struct world *world, const struct reason *reason)
{
    return reason_english(world->arena, reason);
}

static void assert_said(const struct world *world, const struct reason *reason, const char *words)
{
    if (!says(english(world, reason), words))
        fail_msg("'%s' does not say '%s'", english(world, reason), words);
}

static void judge(struct world *world)
{
    judge_run(&world->record, &world->sources.limits, "22222222-2222-4222-8222-222222222222");
}

#define assert_outcome(world, step, host, metric, expected, words)                          \
    do {                                                                                    \
        const struct outcome *got = outcome_of(world, step, host, metric);                  \
        const char *cause = english(world, got->cause);                                     \
                                                                                            \
        if (got->word != (expected) || !says(cause, words))                                 \
            fail_msg("%s of %s on %s: %s, '%s'; expected %s with '%s'", metric, step, host, \
                     outcome_name(got->word), cause, outcome_name(expected), words);        \
    } while (0)

#define assert_verdict(world, expected) assert_int_equal((world)->record.judgement.verdicts[0].word, expected)

#define BUSBW "nccl.all_reduce.busbw"
#define WRONG "nccl.all_reduce.wrong"
#define ONE "node1\n"
#define TWO "node1\nnode2\n"
#define CONTRACT SUITE("trial", NCCL_STEP(FLOOR("contract")))

static void driver(struct world *world, const char *host, const char *version)
{
    static const char xml[] =
        "<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM "
        "\"nvsmi_device_v12.dtd\">\n<nvidia_smi_log>\n"
        "\t<driver_version>%s</driver_version>\n\t<cuda_version>12.4</cuda_version>\n\t<attached_gpus>2</"
        "attached_gpus>\n"
        "\t<gpu id=\"00000000:19:00.0\">\n\t\t<product_name>T</product_name>\n\t</gpu>\n"
        "\t<gpu id=\"00000000:3B:00.0\">\n\t\t<product_name>T</product_name>\n\t</gpu>\n</nvidia_smi_log>\n";
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    RAN(world, "driver", host, {"nvidia-smi", arena_printf(world->arena, xml, version), 0});
#pragma GCC diagnostic pop
}

/* --- the rows ---------------------------------------------------------------------------------------------------- */

static void whole_output_within_limits_passes(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, CONTRACT, ONE);
    reached(&world, "node1");
    driver(&world, "node1", "550.90.07");
    nccl(&world, "node1", good, 0);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_PASS, "");
    assert_outcome(&world, "nccl-all-reduce", "node1", "sound", OUTCOME_PASS, "");
    assert_verdict(&world, VERDICT_ACCEPT);
    assert_int_equal(world.record.judgement.verdicts[0].not_run, 0);
    world_end(&world);
}

static void number_below_the_floor_fails_and_shows_the_gate(void **state)
{
    struct world world;
    const struct outcome *outcome;

    (void)state;
    world_begin(&world, CONTRACT, ONE);
    reached(&world, "node1");
    driver(&world, "node1", "550.90.07");
    nccl(&world, "node1", NCCL_OUTPUT("412.00", "445.37", "0", "0 OK"), 0);
    judge(&world);
    outcome = outcome_of(&world, "nccl-all-reduce", "node1", BUSBW);
    assert_int_equal(outcome->word, OUTCOME_FAIL);
    assert_true(outcome->value == 412);
    assert_string_equal(english(&world, outcome->held->gate), ">= 455 GB/s");
    assert_string_equal(english(&world, outcome->cause), BUSBW " is 412 GB/s, expected >= 455 GB/s");
    assert_string_equal(outcome->held->status, "contract");
    assert_verdict(&world, VERDICT_REJECT);
    world_end(&world);
}

static void more_than_the_links_carry_is_not_believed(void **state)
{
    struct world world;
    const struct outcome *outcome;

    (void)state;
    world_begin(&world, SUITE_ON("switched", "trial", NCCL_STEP(FLOOR("contract"))), ONE);
    reached(&world, "node1");
    nccl(&world, "node1", NCCL_OUTPUT("3045.00", "1761.87", "0", "0 OK"), 0);
    judge(&world);
    outcome = outcome_of(&world, "nccl-all-reduce", "node1", BUSBW);
    assert_int_equal(outcome->word, OUTCOME_INCONCLUSIVE);
    assert_string_equal(english(&world, outcome->cause),
                        BUSBW " is 3045 GB/s, which is not credible: expected <= 450 GB/s; it is about 8 "
                              "times that: is one of the two numbers in bits and the other in bytes?");
    assert_said(&world, outcome->remedy, "platform file");
    world_end(&world);
}

/* Beside one that is: of both places of a size, the other alone would pass. */
static void a_number_that_no_part_can_show_leaves_its_test_undecided(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, CONTRACT, ONE);
    reached(&world, "node1");
    driver(&world, "node1", "550.90.07");
    nccl(&world, "node1", NCCL_OUTPUT("304500000.00", "152250239.37", "0", "0 OK"), 0);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_INCONCLUSIVE,
                   "was not read: it says 304500000 GB/s, which no part of any kind can show");
    assert_verdict(&world, VERDICT_INCOMPLETE);
    world_end(&world);
}

#define RANGE                                                                                            \
    ", \"limits\": [{\"metric\": \"nccl.all_reduce.busbw\", \"range\": [460, 500], \"unit\": \"GB/s\", " \
    "\"tolerance\": 0.02, \"source\": \"test\", \"status\": \"vendor\"}]"

static void a_range_gates_below_and_above(void **state)
{
    static const struct {
        const char *output;
        enum outcome_word word;
        const char *words;
    } rows[] = {
        {NCCL_OUTPUT("450.81", "464.78", "0", "0 OK"), OUTCOME_PASS, ""},
        {NCCL_OUTPUT("450.79", "464.77", "0", "0 OK"), OUTCOME_FAIL, "is 450.79 GB/s, expected >= 450.8"},
        {NCCL_OUTPUT("510.00", "494.37", "0", "0 OK"), OUTCOME_PASS, ""},
        {NCCL_OUTPUT("510.01", "494.38", "0", "0 OK"), OUTCOME_FAIL, "is 510.01 GB/s, expected >= 450.8"},
        {NCCL_OUTPUT("3880.00", "2179.37", "0", "0 OK"), OUTCOME_FAIL,
         "about 8 times that: is one of the two numbers in bits and the other in bytes?"},
        {NCCL_OUTPUT("0.48", "239.61", "0", "0 OK"), OUTCOME_FAIL,
         "about 1/1000 of that: is one of the two numbers off by 1000"},
        {NCCL_OUTPUT("57.60", "268.17", "0", "0 OK"), OUTCOME_FAIL, "about 1/8 of that: "}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct world world;

        world_begin(&world, SUITE("trial", NCCL_STEP(RANGE)), ONE);
        reached(&world, "node1");
        nccl(&world, "node1", rows[i].output, 0);
        judge(&world);
        assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, rows[i].word, rows[i].words);
        assert_string_equal(
            english(&world, outcome_of(&world, "nccl-all-reduce", "node1", BUSBW)->held->gate),
            ">= 450.8 and <= 510 GB/s (460 to 500 with 2% tolerance)");
        assert_string_equal(
            english(&world, outcome_of(&world, "nccl-all-reduce", "node1", BUSBW)->held->limit),
            "range 460 to 500 GB/s, tolerance 2%");
        world_end(&world);
    }
}

static void judge_by(struct world *world, const char *contract)
{
    world->sources.limits.contract =
        contract_parse(world->arena, "contract", slice_of(contract), &world->err);
    if (world->sources.limits.contract == NULL)
        fail_msg("%s", world->err.text);
    judge(world);
}

static void a_contract_judges_a_stored_run_anew_and_says_what_it_could_not(void **state)
{
    struct world world;
    const struct outcome *outcome;

    (void)state;
    world_begin(&world, CONTRACT, ONE);
    reached(&world, "node1");
    nccl(&world, "node1", good, 0);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_PASS, "");
    judge_by(&world,
             "{\"name\": \"site7\", \"limits\": [{\"clause\": \"4.2\", \"metric\": \"nccl.*.busbw\", "
             "\"floor\": 480, \"unit\": \"GB/s\"}, {\"clause\": \"9\", \"metric\": \"gpu_burn.gflops\", "
             "\"floor\": 1, \"unit\": \"GFLOP/s\"}]}");
    outcome = outcome_of(&world, "nccl-all-reduce", "node1", BUSBW);
    assert_int_equal(outcome->word, OUTCOME_FAIL);
    assert_string_equal(english(&world, outcome->held->source), "site7, clause 4.2");
    assert_string_equal(outcome->held->status, "contract");
    assert_said(&world, world.record.judgement.baselines, "contract site7 (SHA-256 ");
    assert_said(&world, world.record.judgement.baselines,
                "nothing here measures its clause 9 (gpu_burn.gflops)");
    /* A number in another unit than the measured one decides nothing. */
    judge_by(&world, "{\"name\": \"site7\", \"limits\": [{\"clause\": \"4.2\", \"metric\": \"nccl.*.busbw\", "
                     "\"floor\": 400, \"unit\": \"Gb/s\"}]}");
    assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_INCONCLUSIVE,
                   "in another unit: >= 400 Gb/s");
    world_end(&world);
}

#define EIGHT "node[1-8]\n"

static struct world eight_of_which_one_has(const char *output, const char *suite)
{
    struct world world;

    world_begin(&world, suite, EIGHT);
    if (world.record.plan == NULL)
        fail_msg("%s", world.err.text);
    for (size_t i = 1; i <= 8; i++) {
        const char *host = arena_printf(world.arena, "node%zu", i);

        reached(&world, host);
        driver(&world, host, "550.90.07");
        nccl(&world, host, i == 5 ? output : good, 0);
    }
    judge(&world);
    return world;
}

#define FLOOR_300                                                                                 \
    ", \"limits\": [{\"metric\": \"nccl.all_reduce.busbw\", \"floor\": 300, \"unit\": \"GB/s\", " \
    "\"source\": "                                                                                \
    "\"test\", \"status\": \"contract\"}]"
#define SLOWER NCCL_OUTPUT("450.02", "464.38", "0", "0 OK")  /* 6% */
#define SLOWEST NCCL_OUTPUT("421.29", "450.01", "0", "0 OK") /* 12% */

/* What eight hosts say that write to one mount at once, 1, 2, 4 and all of them; one of them so fast, and of all eight what that
   share is of. */
static const char *written_by_eight(struct arena *arena, size_t odd, double odd_mbs, double share)
{
    const char *rows = "clients.begin\t\t1000\n";

    for (size_t host = 1; host <= 8; host++) {
        rows = arena_printf(
            arena,
            "%sclient.asked\tnode%zu\t900\nclient.login\tnode%zu\tyes\nclient.clock\tnode%zu\t900.01 "
            "900.02\nclient.works\tnode%zu\tyes\nclient.place\tnode%zu\t0\nclient.sees\tnode%zu\t8 of 8\n",
            rows, host, host, host, host, host, host);
        for (size_t turn = 0, level = 1; level <= 8; level *= 2, turn++) {
            double mbs = (host == odd ? odd_mbs : 1000 + (double)(host * 7 % 5)) * (level == 8 ? share : 1),
                   since = 25.0 * (double)turn;

            if (host > level)
                continue;
            rows = arena_printf(
                arena,
                "%sclient.begun.write.%zu\tnode%zu\t%.3f %.3f %.3f\nclient.fio.write.%zu\tnode%zu\t3;fio-3.33;w;0;0",
                rows, level, host, since, 1000 + since, 1000.01 + since, level, host);
            for (double direction = 0; direction < 2; direction++) {
                rows = arena_printf(arena, "%s;%.0f;%.0f;1;%.0f;0;0;0;0;1;1;1;1", rows, direction * mbs * 2e4,
                                    direction * mbs * 1000, direction * 20000);
                for (size_t i = 0; i < 20; i++)
                    rows = arena_printf(arena, "%s;%zu%%=1", rows, i);
                rows = arena_printf(arena, "%s;1;1;1;1;0;0;0%%;0;0", rows);
            }
            rows = arena_printf(arena, "%s;1%%;1%%;1;1;1\n", rows);
        }
    }
    return arena_printf(arena, "%skey-value end\n", rows);
}

static void of_hosts_that_do_the_same_at_once_the_slow_one_is_named(void **state)
{
    static const double mbs[] = {800, 990};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(mbs); i++) {
        struct world world;
        const struct outcome *outcome;
        size_t failed = 0;

        world_begin(
            &world,
            SUITE("trial",
                  "{\"check\": \"storage-clients\", \"scope\": \"cluster\", \"arguments\": {\"mount\": "
                  "\"/data\", \"jobs\": [\"write\"]}}"),
            EIGHT);
        if (world.record.plan == NULL)
            fail_msg("%s", world.err.text);
        RAN(&world, "storage-clients", "node1", {"clients", written_by_eight(world.arena, 5, mbs[i], 1), 0});
        judge(&world);
        assert_outcome(&world, "storage-clients", "node1", "clients.write.together", OUTCOME_PASS, "");
        for (size_t k = 0; k < world.record.judgement.outcome_count; k++) {
            outcome = &world.record.judgement.outcomes[k];
            if (outcome->word != OUTCOME_FAIL)
                continue;
            assert_string_equal(
                world.record.plan->steps.items[outcome->step].shape->slots[outcome->slot].subject, "node5");
            assert_said(&world, outcome->cause, "node5 is 20");
            assert_said(&world, outcome->cause,
                        "below the median of its 7 peers, measured by 1 value of client.write.bandwidth");
            assert_said(&world, outcome->remedy, "slower than the others beside it");
            failed++;
        }
        assert_int_equal(failed, i == 0 ? 1 : 0);
        world_end(&world);
    }
}

/* One that is slow only where servers are full may just have been served last. */
static void who_has_the_least_of_full_servers_is_remarked_on_and_does_not_fail(void **state)
{
    struct world world;
    size_t remarked = 0;

    (void)state;
    world_begin(&world,
                SUITE("trial",
                      "{\"check\": \"storage-clients\", \"scope\": \"cluster\", \"arguments\": {\"mount\": "
                      "\"/data\", \"jobs\": [\"write\"]}}"),
                EIGHT);
    if (world.record.plan == NULL)
        fail_msg("%s", world.err.text);
    RAN(&world, "storage-clients", "node1", {"clients", written_by_eight(world.arena, 5, 700, 0.5), 0});
    judge(&world);
    for (size_t i = 0; i < world.record.judgement.outcome_count; i++) {
        const struct outcome *outcome = &world.record.judgement.outcomes[i];

        assert_int_not_equal(outcome->word, OUTCOME_FAIL);
        if (!outcome->remark)
            continue;
        assert_string_equal(world.record.plan->steps.items[outcome->step].shape->slots[outcome->slot].subject,
                            "node5");
        assert_said(&world, outcome->cause, "all hosts have less here than fewer of them have");
        assert_said(&world, outcome->cause, "below the median of its 7 peers");
        remarked++;
    }
    assert_int_equal(remarked, 1);
    world_end(&world);
}

static void who_stands_out_from_its_peers_is_remarked_or_fails_above_every_floor(void **state)
{
    static const struct {
        const char *output, *suite;
        enum outcome_word word;
        const char *words, *gate;
    } rows[] = {
        {SLOWER, SUITE("trial", NCCL_STEP(FLOOR_300)), OUTCOME_PASS,
         "remark: node5 is 6.0% (+-0.1%) below the median of its 7 peers, measured by 1 value of " BUSBW
         "; remark from 5%",
         ">= 454.8 GB/s (478.7 of its peers with 5% tolerance)"},
        {SLOWEST, SUITE("trial", NCCL_STEP(FLOOR_300)), OUTCOME_FAIL,
         "node5 is 12.0% (+-0.1%) below the median of its 7 peers, measured by 1 value of " BUSBW
         "; fail from 10%",
         ">= 430.9 GB/s (478.7 of its peers with 10% tolerance)"},
        {SLOWEST, SUITE("trial", NCCL_STEP(FLOOR_300 ", \"peers\": {\"fail\": 0.2}")), OUTCOME_PASS,
         "remark: node5 is 12.0%", ">= 454.8 GB/s (478.7 of its peers with 5% tolerance)"},
        {SLOWER, SUITE("trial", NCCL_STEP(FLOOR_300 ", \"peers\": {\"remark\": 0.02, \"fail\": 0.03}")),
         OUTCOME_FAIL, "fail from 3%", ">= 464.4 GB/s (478.7 of its peers with 3% tolerance)"},
        {SLOWEST, SUITE("trial", NCCL_STEP(FLOOR_300 ", \"peers\": false")), OUTCOME_PASS, "", ">= 300 GB/s"},
        /* A limit that is not met stays what failed it, and the peers are told beside it. */
        {SLOWEST, SUITE("trial", NCCL_STEP(FLOOR("contract"))), OUTCOME_FAIL,
         "expected >= 455 GB/s; node5 is 12.0%", ">= 455 GB/s"},
        /* What the suite only records fails nothing. */
        {SLOWEST, SUITE("trial", NCCL_STEP(", \"record\": [\"nccl.*.busbw\"]")), OUTCOME_RECORDED,
         "remark: node5 is 12.0%", ">= 454.8 GB/s (478.7 of its peers with 5% tolerance)"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct world world = eight_of_which_one_has(rows[i].output, rows[i].suite);
        const struct judgement *judgement = &world.record.judgement;
        size_t fails = 0, counted = 0;

        assert_outcome(&world, "nccl-all-reduce", "node5", BUSBW, rows[i].word, rows[i].words);
        assert_string_equal(
            english(&world, outcome_of(&world, "nccl-all-reduce", "node5", BUSBW)->held->gate), rows[i].gate);
        for (size_t k = 0; k < judgement->outcome_count; k++)
            fails += judgement->outcomes[k].word == OUTCOME_FAIL;
        assert_int_equal(judgement->verdicts[0].fail, fails);
        assert_int_equal(fails > 0, rows[i].word == OUTCOME_FAIL);
        counted = judgement->verdicts[0].pass + judgement->verdicts[0].fail +
                  judgement->verdicts[0].recorded + judgement->verdicts[0].inconclusive +
                  judgement->verdicts[0].not_run;
        assert_int_equal(counted, judgement->outcome_count);
        assert_verdict(&world, fails > 0 ? VERDICT_REJECT : VERDICT_ACCEPT);
        world_end(&world);
    }
}

#define FRACTION                                                                            \
    ", \"limits\": [{\"metric\": \"nccl.all_reduce.busbw\", \"fraction_of_ceiling\": 0.9, " \
    "\"source\": \"clause 3\", \"status\": \"contract\"}]"

static void fraction_of_the_ceiling_is_a_gate(void **state)
{
    static const struct {
        const char *output;
        enum outcome_word word;
    } rows[] = {{NCCL_OUTPUT("406.00", "442.37", "0", "0 OK"), OUTCOME_PASS},
                {NCCL_OUTPUT("404.00", "441.37", "0", "0 OK"), OUTCOME_FAIL}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct world world;
        const struct outcome *outcome;

        world_begin(&world, SUITE_ON("switched", "trial", NCCL_STEP(FRACTION)), ONE);
        reached(&world, "node1");
        nccl(&world, "node1", rows[i].output, 0);
        judge(&world);
        outcome = outcome_of(&world, "nccl-all-reduce", "node1", BUSBW);
        assert_int_equal(outcome->word, rows[i].word);
        assert_string_equal(english(&world, outcome->held->gate), ">= 405 GB/s");
        assert_said(&world, outcome->held->source, "90% of 450 GB/s");
        assert_said(&world, outcome->held->source, "clause 3");
        world_end(&world);
    }
}

/* 0.71 of the 450 GB/s of the links is 319.5. */
static void what_the_links_carry_decides_where_nobody_has_a_figure(void **state)
{
    static const struct {
        const char *output;
        enum outcome_word word;
    } rows[] = {{NCCL_OUTPUT("320.00", "399.37", "0", "0 OK"), OUTCOME_PASS},
                {NCCL_OUTPUT("319.00", "398.87", "0", "0 OK"), OUTCOME_FAIL}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct world world;
        const struct outcome *outcome;

        world_begin(&world, SUITE_ON("switched", "delivery", NCCL_STEP("")), ONE);
        reached(&world, "node1");
        nccl(&world, "node1", rows[i].output, 0);
        judge(&world);
        outcome = outcome_of(&world, "nccl-all-reduce", "node1", BUSBW);
        assert_int_equal(outcome->word, rows[i].word);
        assert_string_equal(english(&world, outcome->held->gate), ">= 319.5 GB/s");
        assert_string_equal(outcome->held->status, "computed");
        assert_said(&world, outcome->held->source, "0.71 of 450 GB/s");
        world_end(&world);
    }
}

/* What is told of a step while the run goes on. */
static void assert_worst(struct world *world, size_t step, enum outcome_word word, const char *cause)
{
    size_t count;
    struct outcome worst =
        judge_step_worst(world->arena, &world->record, &world->sources.limits, step, &count);

    assert_int_equal(worst.word, word);
    assert_said(world, worst.cause, cause);
    assert_int_equal(worst.step, step);
    assert_true((count > 0) == (word != OUTCOME_NOT_RUN));
}

static void wrong_values_fail_although_bandwidth_is_fine(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, CONTRACT, ONE);
    reached(&world, "node1");
    nccl(&world, "node1", NCCL_OUTPUT("478.74", "478.74", "3", "1 FAILED"), 1);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", WRONG, OUTCOME_FAIL, "3");
    assert_worst(&world, find_step(&world, "nccl-all-reduce", "node1"), OUTCOME_FAIL, "3");
    assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_PASS, "");
    world_end(&world);
}

static void missing_tool_is_inconclusive_and_named(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, CONTRACT, ONE);
    reached(&world, "node1");
    nccl(&world, "node1", "", 127);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", "sound", OUTCOME_INCONCLUSIVE, "tool missing");
    assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_INCONCLUSIVE, "tool missing");
    assert_said(&world, outcome_of(&world, "nccl-all-reduce", "node1", "kernel.log")->remedy, "install");
    assert_int_equal(
        judge_step(&world.record, &world.sources.limits, find_step(&world, "nccl-all-reduce", "node1")),
        STEP_FAILED);
    world_end(&world);
}

static void tool_without_its_library_names_the_library(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, CONTRACT, ONE);
    reached(&world, "node1");
    RAN(&world, "nccl-all-reduce", "node1",
        {"main", "", 127,
         "all_reduce_perf: error while loading shared libraries: libnccl.so.2: cannot open shared object file: No such "
         "file or directory"});
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", "sound", OUTCOME_INCONCLUSIVE,
                   "cannot start on the host: its library libnccl.so.2 is not found");
    assert_said(&world, outcome_of(&world, "nccl-all-reduce", "node1", "kernel.log")->remedy, "ldconfig");
    world_end(&world);
}

static void unknown_format_is_inconclusive(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, CONTRACT, ONE);
    reached(&world, "node1");
    nccl(&world, "node1", "all is well, busbw 500\n", 0);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_INCONCLUSIVE, "unknown output format");
    world_end(&world);
}

static void nothing_printed_with_status_0_never_passes(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, CONTRACT, ONE);
    reached(&world, "node1");
    nccl(&world, "node1", "", 0);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_INCONCLUSIVE, "");
    assert_outcome(&world, "nccl-all-reduce", "node1", "sound", OUTCOME_INCONCLUSIVE, "");
    world_end(&world);
}

static void guess_decides_nothing(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, SUITE("trial", NCCL_STEP(FLOOR("guess"))), ONE);
    reached(&world, "node1");
    nccl(&world, "node1", good, 0);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_INCONCLUSIVE, "guess");
    world_end(&world);
}

static void gate_without_any_limit_is_inconclusive_and_refused_in_a_delivery(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, SUITE("trial", NCCL_STEP("")), ONE);
    reached(&world, "node1");
    nccl(&world, "node1", good, 0);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_INCONCLUSIVE, "no baseline");
    world_end(&world);
    world_begin(&world, SUITE("delivery", NCCL_STEP("")), ONE);
    assert_null(world.record.plan);
    assert_non_null(strstr(world.err.text, BUSBW));
    world_end(&world);
}

static void crash_is_tried_again_and_fails_only_where_other_hosts_are_fine(void **state)
{
    struct world world;
    size_t step;

    (void)state;
    world_begin(&world, CONTRACT, TWO);
    reached(&world, "node1");
    reached(&world, "node2");
    step = find_step(&world, "nccl-all-reduce", "node1");
    assert_worst(&world, step, OUTCOME_NOT_RUN, "");
    nccl(&world, "node1", "# nThread 1", 139);
    assert_int_equal(judge_step(&world.record, &world.sources.limits, step), STEP_AGAIN);
    assert_worst(&world, step, OUTCOME_INCONCLUSIVE, "signal 11");
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", "sound", OUTCOME_INCONCLUSIVE, "signal 11");
    nccl(&world, "node1", "# nThread 1", 139);
    assert_int_equal(judge_step(&world.record, &world.sources.limits, step), STEP_FAILED);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", "sound", OUTCOME_INCONCLUSIVE, "signal 11");
    nccl(&world, "node2", good, 0);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", "sound", OUTCOME_FAIL, "not on others");
    world_end(&world);
}

static void crash_that_does_not_come_again_passes_with_a_remark(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, CONTRACT, ONE);
    reached(&world, "node1");
    nccl(&world, "node1", "# nThread 1", -1);
    nccl(&world, "node1", good, 0);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_PASS, "passed after 1 aborted attempt");
    assert_true(outcome_of(&world, "nccl-all-reduce", "node1", BUSBW)->remark);
    world_end(&world);
}

static void hang_is_inconclusive_once_and_fails_when_it_comes_again(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, CONTRACT, ONE);
    reached(&world, "node1");
    add_attempt(&world, "nccl-all-reduce", "node1", ATTEMPT_DEADLINE);
    assert_int_equal(
        judge_step(&world.record, &world.sources.limits, find_step(&world, "nccl-all-reduce", "node1")),
        STEP_AGAIN);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", "sound", OUTCOME_INCONCLUSIVE, "hang");
    add_attempt(&world, "nccl-all-reduce", "node1", ATTEMPT_DEADLINE);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", "sound", OUTCOME_FAIL, "2 times");
    world_end(&world);
}

static void broken_connection_under_what_changes_nothing_is_tried_again(void **state)
{
    struct world world;
    struct attempt *attempt;
    size_t step;

    (void)state;
    world_begin(&world, CONTRACT, TWO);
    step = find_step(&world, "reachable", "node1");
    attempt = add_attempt(&world, "reachable", "node1", ATTEMPT_UNREACHABLE);
    assert_int_equal(judge_step(&world.record, &world.sources.limits, step), STEP_FAILED);
    attempt->connections = 1;
    assert_int_equal(judge_step(&world.record, &world.sources.limits, step), STEP_AGAIN);
    attempt = add_attempt(&world, "reachable", "node1", ATTEMPT_UNREACHABLE);
    attempt->connections = 1;
    assert_int_equal(judge_step(&world.record, &world.sources.limits, step), STEP_FAILED);
    world_end(&world);
}

static void reboot_fails_the_test_whatever_the_tool_said(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, CONTRACT, ONE);
    reached(&world, "node1");
    add_attempt(&world, "nccl-all-reduce", "node1", ATTEMPT_REBOOTED);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", "sound", OUTCOME_FAIL, "rebooted");
    assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_INCONCLUSIVE, "rebooted");
    world_end(&world);
}

/* A good NCCL test after which the last member says this. */
#define AFTER(world, host, ...)                                                                \
    ran_with(world, "nccl-all-reduce", host, (const struct printed[]){{"main", good, 0}, {0}}, \
             (const struct printed[]){__VA_ARGS__, {0}})

static void an_uncorrectable_error_in_the_window_fails_a_test_that_looks_good(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, CONTRACT, ONE);
    reached(&world, "node1");
    AFTER(&world, "node1", {"gpus", GPUS("2", ""), 0});
    judge(&world);
    /* gpu0 has four from before the test: they are not of the test. */
    assert_outcome(&world, "nccl-all-reduce", "node1", "window.ecc.uncorrected", OUTCOME_FAIL, "gpu1: 2,");
    assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_PASS, "");
    world_end(&world);
}

static void a_counter_that_went_back_is_not_a_clean_one(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, CONTRACT, ONE);
    reached(&world, "node1");
    AFTER(&world, "node1",
          {"gpus",
           "<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n<attached_gpus>2</attached_gpus>\n" GPU(
               "0", "19", "0", "") GPU("1", "3B", "0", "") "</nvidia_smi_log>\n",
           0});
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", "window.ecc.uncorrected", OUTCOME_INCONCLUSIVE,
                   "no value");
    world_end(&world);
}

static void a_foreign_process_after_the_test_leaves_it_undecided_by_name(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, CONTRACT, ONE);
    reached(&world, "node1");
    AFTER(&world, "node1", {"gpus", GPUS("0", PROCESS), 0});
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", "window.processes", OUTCOME_INCONCLUSIVE,
                   "python3 (pid 4711) on gpu1 after the test");
    world_end(&world);
}

static void a_gpu_that_is_gone_after_the_test_fails_it(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, CONTRACT, ONE);
    reached(&world, "node1");
    AFTER(&world, "node1",
          {"gpus",
           "<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n<attached_gpus>1</attached_gpus>\n" GPU(
               "1", "3B", "0", "") "</nvidia_smi_log>\n",
           0});
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", "sound", OUTCOME_FAIL, "GPU-0");
    world_end(&world);
}

static void a_window_that_was_not_read_is_no_clean_one(void **state)
{
    static const char *const owed[] = {"window.read", "kernel.log", "window.processes",
                                       "window.ecc.uncorrected"};

    (void)state;
    for (int role = WINDOW_BEFORE; role <= WINDOW_AFTER; role++) {
        struct world world;
        struct attempt *attempt;
        struct window *window;

        world_begin(&world, CONTRACT, ONE);
        reached(&world, "node1");
        attempt = ran_with(&world, "nccl-all-reduce", "node1",
                           (const struct printed[]){{"main", good, 0}, {0}}, NULL);
        window = &attempt->windows.items[role];
        window->end = ATTEMPT_UNREACHABLE;
        window->what = reason_text(world.arena, "no route to host");
        window->captures[0].bytes = slice_of("");
        read_attempt(&world, attempt);
        judge(&world);
        assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_PASS, "");
        for (size_t i = 0; i < ARRAY_SIZE(owed); i++)
            assert_outcome(&world, "nccl-all-reduce", "node1", owed[i], OUTCOME_INCONCLUSIVE,
                           i < 3 ? "no route" : "no value");
        world_end(&world);
    }
}

#define PORT "/sys/class/infiniband/mlx5_0/ports/1/counters/link_downed:"

static void a_link_that_no_counter_was_read_of_did_not_stay_up(void **state)
{
    static const struct {
        const char *before, *after, *words;
        enum outcome_word word;
    } cases[] = {
        {PORT "1\n", PORT "1\n", "", OUTCOME_PASS},
        {PORT "1\n", PORT "3\n", "mlx5_0/1: 2,", OUTCOME_FAIL},
        {PORT "1\n", "", "no value", OUTCOME_INCONCLUSIVE},
        {"", PORT "1\n", "no value", OUTCOME_INCONCLUSIVE},
        {"", "", "no value", OUTCOME_INCONCLUSIVE}, /* no driver, or another place for the counters */
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct world world;

        world_begin(&world, SUITE_ON("railed", "trial", NCCL_STEP(FLOOR("contract"))), ONE);
        reached(&world, "node1");
        ran_between(&world, "nccl-all-reduce", "node1", (const struct printed[]){{"main", good, 0}, {0}},
                    (const struct printed[]){{"fabric", cases[i].before, 0}, {0}},
                    (const struct printed[]){{"fabric", cases[i].after, 0}, {0}});
        judge(&world);
        assert_outcome(&world, "nccl-all-reduce", "node1", "window.links", cases[i].word, cases[i].words);
        world_end(&world);
    }
}

static void an_nvlink_that_recovered_or_was_not_watched_did_not_stay_up(void **state)
{
    static const struct {
        const char *after, *words;
        int rc;
        enum outcome_word word;
    } cases[] = {
        {NVLINKS(LINK("0", "1", "0") LINK("1", "0", "7")), "", 0,
         OUTCOME_PASS}, /* what was before is not of the test */
        {NVLINKS(LINK("0", "1", "0") LINK("1", "0", "900")), "", 0,
         OUTCOME_PASS}, /* corrected, and a warning */
        {NVLINKS(LINK("0", "3", "0") LINK("1", "0", "7")), "gpu1.link0: 2 recoveries,", 0, OUTCOME_FAIL},
        {NVLINKS(LINK("0", "1", "0") LINK("1", "0", "1000007")),
         "gpu1.link1: 1000000 CRC errors, 100000 per second", 0, OUTCOME_FAIL},
        {NVLINKS(LINK("0", "0", "0") LINK("1", "0", "7")), "no value", 0,
         OUTCOME_INCONCLUSIVE}, /* it went back */
        {NVLINKS(LINK("0", "1", "0")), "no value", 0, OUTCOME_INCONCLUSIVE},
        {NVLINKS(""), "no value", 0, OUTCOME_INCONCLUSIVE},
        {"", "no value", 0, OUTCOME_INCONCLUSIVE},
        {NVLINKS(LINK("0", "1", "0") LINK("1", "0", "7")), "no value", -1, OUTCOME_INCONCLUSIVE},
        {NVLINKS(LINK("0", "1", "0") LINK("1", "0", "7")), "no value", 255, OUTCOME_INCONCLUSIVE},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct world world;
        struct attempt *attempt;

        world_begin(&world, SUITE_ON("linked", "trial", NCCL_STEP(FLOOR("contract"))), ONE);
        reached(&world, "node1");
        attempt = AFTER(&world, "node1", {"nvlink", cases[i].after, cases[i].rc});
        attempt->windows.items[WINDOW_BEFORE].ended = 1000;
        attempt->windows.items[WINDOW_AFTER].began = 1010;
        read_attempt(&world, attempt);
        judge(&world);
        assert_outcome(&world, "nccl-all-reduce", "node1", "window.nvlink", cases[i].word, cases[i].words);
        world_end(&world);
    }
}

#define LINK5(number, rx, effective, rate)                                                               \
    "\t Link " number ": Rx Errors: " rx "\n\t Link " number ": Effective Errors: " effective            \
    "\n\t Link " number ": Link recovery successful events: 0\n\t Link " number ": Effective BER: " rate \
    "\n\t Link " number ": FEC Errors - 0: 36140749276\n"
#define NVLINKS5(of_gpu1) \
    "GPU 0: T (UUID: GPU-0)\n" LINK5("0", "0", "0", "15e-255") "GPU 1: T (UUID: GPU-1)\n" of_gpu1

static void errors_that_nvlink_5_could_not_correct_fail_the_test(void **state)
{
    static const struct {
        const char *before, *after, *words;
        enum outcome_word word;
    } cases[] = {
        {LINK5("0", "2", "0", "15e-255"), LINK5("0", "2", "0", "15e-255"), "", OUTCOME_PASS},
        {LINK5("0", "2", "0", "15e-255"), LINK5("0", "3", "0", "15e-255"), "gpu1.link0: 1 receive errors,",
         OUTCOME_FAIL},
        {LINK5("0", "0", "0", "15e-255"), LINK5("0", "0", "7", "3e-12"),
         "gpu1.link0: 7 errors after correction,", OUTCOME_FAIL},
        {LINK5("0", "2", "0", "15e-255"), LINK5("0", "0", "0", "15e-255"), "no value", OUTCOME_INCONCLUSIVE},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct world world;

        world_begin(&world, SUITE_ON("linked", "trial", NCCL_STEP(FLOOR("contract"))), ONE);
        reached(&world, "node1");
        ran_between(&world, "nccl-all-reduce", "node1", (const struct printed[]){{"main", good, 0}, {0}},
                    (const struct printed[]){
                        {"nvlink", arena_printf(*state, NVLINKS5("%s"), cases[i].before), 0}, {0}},
                    (const struct printed[]){
                        {"nvlink", arena_printf(*state, NVLINKS5("%s"), cases[i].after), 0}, {0}});
        judge(&world);
        assert_outcome(&world, "nccl-all-reduce", "node1", "window.nvlink", cases[i].word, cases[i].words);
        if (i == 2)
            assert_true(
                outcome_of(&world, "nccl-all-reduce", "node1", "window.nvlink.ber.effective")->value ==
                3e-12);
        world_end(&world);
    }
}

#define COUNTED(symbols, retries, received)                                              \
    PORT "1\n/sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error:" symbols        \
         "\n/sys/class/infiniband/mlx5_0/ports/1/hw_counters/duplicate_request:" retries \
         "\n/sys/class/infiniband/mlx5_0/ports/1/hw_counters/packet_seq_err:" retries    \
         "\n/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data:" received "\n"

/* Two GPUs with links, and one adapter. */
#define RAILED(step) SUITE_ON("railed", "trial", step)
#define ACROSS_RAILED RAILED(NCCL_STEP(FLOOR("contract") ", \"scope\": \"pair\""))

static void a_port_whose_counter_can_count_no_further_is_not_known_to_be_clean(void **state)
{
    static const struct {
        const char *before, *after, *words;
        enum outcome_word word;
    } cases[] = {
        {COUNTED("65535", "0", "0"), COUNTED("65535", "0", "9"),
         "node2 mlx5_0/1: symbol_error is 65535, its largest", OUTCOME_INCONCLUSIVE},
        {COUNTED("65000", "0", "0"), COUNTED("65535", "0", "9"), "node2 mlx5_0/1: 535 symbol errors",
         OUTCOME_FAIL},
        {COUNTED("65530", "0", "0"), COUNTED("65535", "0", "9"), "node2 mlx5_0/1: symbol_error is 65535",
         OUTCOME_FAIL},
        {COUNTED("65534", "0", "0"), COUNTED("65534", "0", "9"), "", OUTCOME_PASS},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct world world;
        struct attempt *attempt;

        world_begin(&world, ACROSS_RAILED, TWO);
        if (world.record.plan == NULL)
            fail_msg("%s", world.err.text);
        reached(&world, "node1");
        reached(&world, "node2");
        attempt =
            ran_between(&world, "nccl-all-reduce", "node1", (const struct printed[]){{"main", good, 0}, {0}},
                        (const struct printed[]){{"fabric", cases[i].before, 0}, {0}},
                        (const struct printed[]){{"fabric", cases[i].after, 0}, {0}});
        /* The first member's are as they should be. */
        for (size_t k = 0; k < 2; k++)
            attempt->windows.items[2 * k].captures[0].bytes = slice_of(
                arena_printf(world.arena, "%s%s", marked(world.arena, attempt->uuid, "owners", "", 0),
                             marked(world.arena, attempt->uuid, "fabric", COUNTED("0", "0", "9"), 0)));
        read_attempt(&world, attempt);
        judge(&world);
        assert_outcome(&world, "nccl-all-reduce", "node1", "window.ports", cases[i].word, cases[i].words);
        world_end(&world);
    }
}

#define BURN_OUTPUT(verdict)                                                                         \
    "GPU 0: T (UUID: GPU-0)\nGPU 1: T (UUID: GPU-1)\nInitialized device 0 with 81000 MB of memory\n" \
    "100.0%  proc'd: 100 (900 Gflop/s) - 100 (900 Gflop/s)   errors: 0 - 0   temps: 60 C - 60 C\n"   \
    "Tested 2 GPUs:\n\tGPU 0: OK\n\tGPU 1: " verdict "\n"

/* How long a test has to last is in the check's own unit: nobody has mistaken it for another. */
static void what_the_check_asks_for_is_no_slip_of_a_unit(void **state)
{
    struct world world;
    struct attempt *attempt;

    (void)state;
    world_begin(&world, SUITE("trial", "{\"check\": \"gpu-burn\"}"), ONE);
    reached(&world, "node1");
    attempt = ran_between(&world, "gpu-burn", "node1",
                          (const struct printed[]){{"main", BURN_OUTPUT("OK"), 0}, {0}}, NULL, NULL);
    attempt->up_began = 100;
    attempt->up_ended = 102;
    read_attempt(&world, attempt);
    judge(&world);
    assert_outcome(&world, "gpu-burn", "node1", "gpu_burn.lasted", OUTCOME_FAIL,
                   "gpu_burn.lasted is 2 s, expected >= 1800 s");
    assert_null(
        strstr(english(&world, outcome_of(&world, "gpu-burn", "node1", "gpu_burn.lasted")->cause), "1/1000"));
    world_end(&world);
}

static void a_drive_that_fails_in_a_test_fails_it_and_one_that_was_not_asked_is_not_known(void **state)
{
#define NO_NVME "nvme.warning\tnvme0\t\tnvme smart-log: sh: nvme: not found, exit status 127\nkey-value end\n"
    static const struct {
        const char *before, *after, *hardware, *drives;
        enum outcome_word word;
    } cases[] = {
        {DRIVES("0", "3"), DRIVES("0", "3"), "", "read", OUTCOME_PASS},
        {DRIVES("4", "3"), DRIVES("4", "3"), "", "read",
         OUTCOME_PASS}, /* it is at rest that it is looked at */
        {DRIVES("0", "3"), DRIVES("0", "5"), "nvme1: 2 media errors of the drive,", "read", OUTCOME_FAIL},
        {DRIVES("0", "3"), DRIVES("12", "3"),
         "nvme1: the drive warns: it is no longer reliable; nvme1: the drive warns: it is read-only,", "read",
         OUTCOME_FAIL},
        {DRIVES("0", "3"), "nvme.warning\tnvme0\t0\nnvme.media_errors\tnvme0\t0\nkey-value end\n",
         "nvme1: the drive is missing", "read", OUTCOME_FAIL},
        {NO_NVME, NO_NVME, "", "not read: nvme0: nvme smart-log: sh: nvme: not found", OUTCOME_PASS},
        {DRIVES("0", "3"), DRIVES("0", "2"), "no value", "read", OUTCOME_INCONCLUSIVE}, /* it went back */
        {DRIVES("0", "3"), "", "", "not read: ", OUTCOME_PASS},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct world world;
        const char *drives;

        world_begin(&world, SUITE("trial", "{\"check\": \"gpu-burn\"}"), ONE);
        reached(&world, "node1");
        ran_between(&world, "gpu-burn", "node1",
                    (const struct printed[]){{"main", BURN_OUTPUT("OK"), 0}, {0}},
                    (const struct printed[]){{"drives", cases[i].before, 0}, {0}},
                    (const struct printed[]){{"drives", cases[i].after, 0}, {0}});
        judge(&world);
        assert_outcome(&world, "gpu-burn", "node1", "window.hardware", cases[i].word, cases[i].hardware);
        assert_outcome(&world, "gpu-burn", "node1", "window.drives", OUTCOME_RECORDED, "");
        drives = english(&world, outcome_of(&world, "gpu-burn", "node1", "window.drives")->measured);
        if (strncmp(drives, cases[i].drives, strlen(cases[i].drives)) != 0)
            fail_msg("%zu: %s", i, drives);
        world_end(&world);
    }
}

#define BURNT(most)                                                         \
    "2026/01/01 00:00:00.000, 0, " most ", 60, 690.00, 1900, 5, 100, 0x0\n" \
    "2026/01/01 00:00:00.000, 1, 61, 60, 690.00, 1900, 5, 100, 0x0\n"
#define SLOWS_AT(at)                                                                             \
    "<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n<attached_gpus>2</attached_gpus>\n"             \
    "<gpu id=\"00000000:19:00.0\"><product_name>T</product_name><uuid>GPU-0</uuid><temperature>" \
    "<gpu_temp>38 C</gpu_temp>" at "</temperature></gpu>\n"                                      \
    "<gpu id=\"00000000:3B:00.0\"><product_name>T</product_name><uuid>GPU-1</uuid></gpu>\n</nvidia_smi_log>\n"
#define OLDER "<gpu_temp_slow_threshold>89 C</gpu_temp_slow_threshold>"

/* No figure is declared for the platform of these hosts. */
static void a_gpu_that_reaches_its_own_slowdown_fails_and_one_that_tells_none_is_not_known(void **state)
{
    static const struct {
        const char *first, *most, *second; /* of node1 how it slows down and how warm gpu0 became; of node2 */
        enum outcome_word word;
        const char *words;
    } cases[] = {
        {SLOWS_AT(OLDER), "88", SLOWS_AT(OLDER), OUTCOME_PASS, ""},
        {SLOWS_AT(OLDER), "89", SLOWS_AT(OLDER), OUTCOME_FAIL, "89 C reached, slowdown at 89 C"},
        {SLOWS_AT(""), "88", SLOWS_AT(OLDER), OUTCOME_INCONCLUSIVE, "not told, while it is read on node2"},
        {SLOWS_AT(""), "99", SLOWS_AT(""), OUTCOME_PASS,
         "slowdown temperature of the GPUs (nvidia-smi) is read on no host of the run: not told"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct world world;

        world_begin(&world, SUITE("trial", "{\"check\": \"gpu-burn\"}"), TWO);
        for (size_t host = 0; host < 2; host++) {
            const char *name = host == 0 ? "node1" : "node2",
                       *gpus = host == 0 ? cases[i].first : cases[i].second;

            reached(&world, name);
            ran_between(
                &world, "gpu-burn", name,
                (const struct printed[]){
                    {"main", BURN_OUTPUT("OK"), 0},
                    {"samples",
                     host == 0 ? arena_printf(world.arena, BURNT("%s"), cases[i].most) : BURNT("61"), 0},
                    {0}},
                (const struct printed[]){{"gpus", gpus, 0}, {0}},
                (const struct printed[]){{"gpus", gpus, 0}, {0}});
        }
        judge(&world);
        assert_outcome(&world, "gpu-burn", "node1", "window.temperature.slowdown", cases[i].word,
                       cases[i].words);
        world_end(&world);
    }
}

/* A GPU of another kind that tells it says nothing of these; one of their own platform does. */
static void what_gpus_of_another_platform_tell_is_not_asked_of_these(void **state)
{
    static const struct {
        const char *hosts;
        enum outcome_word word;
        const char *words;
    } cases[] = {
        {"node1\nnode2 platform=linked\n", OUTCOME_PASS,
         "slowdown temperature of the GPUs (nvidia-smi) is read on no host of the run: not told"},
        {"node1\nnode2 platform=linked\nnode3\n", OUTCOME_INCONCLUSIVE,
         "not told, while it is read on node3"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct world world;

        world_begin(&world, SUITE("trial", "{\"check\": \"gpu-burn\"}"), cases[i].hosts);
        for (size_t host = 0; host < world.record.plan->hosts.count; host++) {
            const char *name = world.record.plan->hosts.items[host]->name,
                       *gpus = host == 0 ? SLOWS_AT("") : SLOWS_AT(OLDER);

            reached(&world, name);
            ran_between(
                &world, "gpu-burn", name,
                (const struct printed[]){{"main", BURN_OUTPUT("OK"), 0}, {"samples", BURNT("61"), 0}, {0}},
                (const struct printed[]){{"gpus", gpus, 0}, {0}},
                (const struct printed[]){{"gpus", gpus, 0}, {0}});
        }
        judge(&world);
        assert_outcome(&world, "gpu-burn", "node1", "window.temperature.slowdown", cases[i].word,
                       cases[i].words);
        world_end(&world);
    }
}

static void a_contract_may_name_what_a_test_added_to_any_counter(void **state)
{
    static const struct {
        const char *metric, *ceiling;
        enum outcome_word word;
    } cases[] = {
        {"window.ib.symbol_error", "3", OUTCOME_PASS},
        {"window.ib.symbol_error", "2", OUTCOME_FAIL},
        {"window.ib.duplicate_request", "6", OUTCOME_FAIL},
        {"window.ib.symbol_error.rate", "1e-6", OUTCOME_PASS},
        {"window.ib.symbol_error.rate", "1e-12", OUTCOME_FAIL},
        {"window.ib.duplicate_request.rate", "1e-6", OUTCOME_PASS},
        {"window.ib.duplicate_request.rate", "1e-12", OUTCOME_FAIL},
        {"window.ib.packet_seq_err.rate", "1e-6", OUTCOME_INCONCLUSIVE}, /* it goes by what the port sent */
        {"window.ib.link_downed", "0", OUTCOME_PASS},
        {"window.aer.correctable", "0", OUTCOME_PASS},
        {"window.ib.roce_adp_retrans", "1000", OUTCOME_INCONCLUSIVE}, /* the port has no such counter */
        {"window.edac.ce", "1000", OUTCOME_INCONCLUSIVE},             /* nor the host */
    };

    for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
        struct world world;
        bool agreed = i % 2 != 0;

        world_begin(&world, RAILED(NCCL_STEP(FLOOR("contract"))), ONE);
        if (agreed)
            agree(&world, arena_printf(*state,
                                       "{\"name\": \"site7\", \"limits\": [{\"clause\": \"6\", \"metric\": "
                                       "\"%s\", \"ceiling\": %s, \"unit\": \"%s\"}]}",
                                       cases[i / 2].metric, cases[i / 2].ceiling,
                                       strstr(cases[i / 2].metric, ".rate") != NULL ? "rate" : "count"));
        reached(&world, "node1");
        ran_between(&world, "nccl-all-reduce", "node1", (const struct printed[]){{"main", good, 0}, {0}},
                    (const struct printed[]){{"fabric", COUNTED("4", "0", "0"), 0}, {0}},
                    (const struct printed[]){{"fabric", COUNTED("7", "7", "1000000"), 0}, {0}});
        judge(&world);
        assert_outcome(&world, "nccl-all-reduce", "node1", cases[i / 2].metric,
                       agreed ? cases[i / 2].word : OUTCOME_RECORDED, "");
        world_end(&world);
    }
}

/* Whatever the windows of any check write down has a place of its own in the plan, by which it is agreed on. */
static void every_number_of_a_window_is_planned(void **state)
{
    struct world world;
    size_t numbers = 0;

    (void)state;
    world_begin(&world, ACROSS_RAILED, TWO);
    reached(&world, "node1");
    reached(&world, "node2");
    ran_between(&world, "nccl-all-reduce", "node1", (const struct printed[]){{"main", good, 0}, {0}},
                (const struct printed[]){{"fabric", COUNTED("4", "0", "0"), 0}, {0}},
                (const struct printed[]){{"fabric", COUNTED("7", "7", "1000000"), 0}, {0}});
    for (size_t i = 0; i < world.record.attempts.count; i++)
        for (size_t k = 0; k < world.record.attempts.items[i].reading.measurements.count; k++) {
            const char *metric = world.record.attempts.items[i].reading.measurements.items[k].metric;

            if (strncmp(metric, "window.ib.", 10) != 0)
                continue;
            judge(&world);
            (void)outcome_of(&world, "nccl-all-reduce", "node1", metric);
            numbers++;
        }
    assert_true(numbers > 3);
    world_end(&world);
}

static void a_clock_that_was_set_back_does_not_excuse_crc_errors(void **state)
{
    struct world world;
    struct attempt *attempt;

    (void)state;
    world_begin(&world, SUITE_ON("linked", "trial", NCCL_STEP(FLOOR("contract"))), ONE);
    reached(&world, "node1");
    attempt = AFTER(&world, "node1", {"nvlink", NVLINKS(LINK("0", "1", "0") LINK("1", "0", "1000007")), 0});
    attempt->windows.items[WINDOW_BEFORE].ended = 1000;
    attempt->windows.items[WINDOW_AFTER].began = 900;
    read_attempt(&world, attempt);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", "window.nvlink", OUTCOME_FAIL, "1000000 CRC errors");
    world_end(&world);
}

static void nvlinks_that_could_not_be_watched_before_are_unknown(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, SUITE_ON("linked", "trial", NCCL_STEP(FLOOR("contract"))), ONE);
    reached(&world, "node1");
    ran_between(&world, "nccl-all-reduce", "node1", (const struct printed[]){{"main", good, 0}, {0}},
                (const struct printed[]){{"nvlink", NVLINKS(""), 0}, {0}},
                (const struct printed[]){{"nvlink", NVLINKS(""), 0}, {0}});
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", "window.nvlink", OUTCOME_INCONCLUSIVE, "no value");
    world_end(&world);
}

/* all_gather beside it: on two hosts all_reduce is not judged alone. */
#define ACROSS                                                                                          \
    SUITE("trial",                                                                                      \
          NCCL_STEP(FLOOR("contract") ", \"scope\": \"cluster\"") ", {\"check\": \"nccl-all-gather\", " \
                                                                  "\"scope\": \"cluster\"}")
/* As good, on two hosts. */
static const char good_across[] =
    "# nThread 1 nGpus 1 minBytes 8589934592 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 "
    "agg "
    "iters: 1 validation: 1 graph: 0\n#\n# Using devices\n"
    "#  Rank  0 Group  0 Pid   4242 on  node1 device  0 [0x19] NVIDIA H100 80GB HBM3\n"
    "#  Rank  1 Group  0 Pid   4243 on  node1 device  1 [0x3b] NVIDIA H100 80GB HBM3\n"
    "#  Rank  2 Group  0 Pid   4242 on  node2 device  0 [0x19] NVIDIA H100 80GB HBM3\n"
    "#  Rank  3 Group  0 Pid   4243 on  node2 device  1 [0x3b] NVIDIA H100 80GB HBM3\n#\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   "
    "busbw "
    "#wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  "
    "(GB/s)\n"
    "  8589934592    2147483648     float     sum      -1    17943  478.74  718.11      0    17943  478.74  "
    "718.11   "
    "   0\n# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 718.11\n#\n";

static void an_xid_on_another_member_fails_the_test_and_names_the_host(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, ACROSS, TWO);
    ran_with(
        &world, "nccl-all-reduce", "node1", (const struct printed[]){{"main", good_across, 0}, {0}},
        (const struct printed[]){
            {"kernel-log", "[ 9.0] NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n", 0}, {0}});
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_PASS, "");
    assert_outcome(&world, "nccl-all-reduce", "node1", "sound", OUTCOME_FAIL, "node2 gpu1");
    world_end(&world);
}

static void a_member_that_rebooted_under_a_test_across_hosts_fails_it(void **state)
{
    struct world world;
    struct attempt *attempt;

    (void)state;
    world_begin(&world, ACROSS, TWO);
    attempt = ran_with(&world, "nccl-all-reduce", "node1",
                       (const struct printed[]){{"main", good_across, 0}, {0}}, NULL);
    attempt->windows.items[3].boot_id = "another";
    read_attempt(&world, attempt);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", "sound", OUTCOME_FAIL, "node2: the host rebooted");
    world_end(&world);
}

static void a_test_that_was_not_begun_is_undecided_and_says_why(void **state)
{
    struct world world;
    struct attempt *attempt;

    (void)state;
    world_begin(&world, CONTRACT, ONE);
    attempt = add_attempt(&world, "nccl-all-reduce", "node1", ATTEMPT_NOT_READY);
    attempt->what = reason_text(world.arena, "gpu1 is at 71 C and did not cool down");
    read_attempt(&world, attempt);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", "sound", OUTCOME_INCONCLUSIVE, "did not cool down");
    assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_INCONCLUSIVE, "did not cool down");
    world_end(&world);
}

static void a_host_that_nobody_knows_the_owner_of_was_not_tested(void **state)
{
    static const struct printed nobody_says[] = {{"owners", "", 3}, {0}};
    static const struct printed disk[] = {
        {"df", "", 0}, {"findmnt", "", 0}, {"fio", "", 0}, {"gds", "", 0}, {0}};
    struct world world;
    struct attempt *attempt;

    (void)state;
    world_begin(&world, CONTRACT, ONE);
    attempt = add_attempt(&world, "nccl-all-reduce", "node1", ATTEMPT_UNANSWERED);
    attempt->what = reason_text(world.arena, "it is not known who uses the host: no lock can be taken");
    read_attempt(&world, attempt);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_NOT_RUN, "no lock can be taken");
    assert_said(&world, outcome_of(&world, "nccl-all-reduce", "node1", "sound")->remedy,
                "its own folder for locks");
    world_end(&world);

    /* After the test: of a test of GPUs the item that asks for others, of all others everything. */
    world_begin(&world, CONTRACT, ONE);
    AFTER(&world, "node1", {"owners", "", 3});
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", "window.processes", OUTCOME_INCONCLUSIVE,
                   "not known: exit status 3 (after the test)");
    world_end(&world);
    world_begin(&world, SUITE("trial", "{\"check\": \"storage\", \"arguments\": {\"mounts\": [\"/tmp\"]}}"),
                ONE);
    (void)ran_with(&world, "storage", "node1", disk, nobody_says);
    judge(&world);
    assert_outcome(&world, "storage", "node1", "sound", OUTCOME_INCONCLUSIVE,
                   "it is not known who was using the host: exit status 3 (after the test)");
    world_end(&world);
}

static void xid_in_the_window_fails_a_test_that_looks_good(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, CONTRACT, ONE);
    reached(&world, "node1");
    AFTER(&world, "node1",
          {"kernel-log",
           "[ 9.0] NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=x, GPU has fallen off the bus.\n", 0});
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", "sound", OUTCOME_FAIL, "79");
    world_end(&world);
}

static void kernel_log_that_cannot_be_read_is_no_clean_one(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, CONTRACT, ONE);
    reached(&world, "node1");
    AFTER(&world, "node1", {"kernel-log", "", 3});
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", "kernel.log", OUTCOME_INCONCLUSIVE, "");
    assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_PASS, "");
    world_end(&world);
}

static void host_that_is_down_fails_only_if_another_answers(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, CONTRACT, TWO);
    add_attempt(&world, "reachable", "node1", ATTEMPT_UNREACHABLE);
    add_attempt(&world, "reachable", "node2", ATTEMPT_UNREACHABLE);
    judge(&world);
    assert_outcome(&world, "reachable", "node1", "sound", OUTCOME_INCONCLUSIVE, "");
    assert_verdict(&world, VERDICT_INCOMPLETE);
    reached(&world, "node2");
    judge(&world);
    assert_outcome(&world, "reachable", "node1", "sound", OUTCOME_FAIL, "");
    assert_outcome(&world, "reachable", "node1", "host.machine", OUTCOME_NOT_RUN, "what the transport says");
    assert_outcome(&world, "nccl-all-reduce", "node1", "sound", OUTCOME_NOT_RUN, "needs reachable");
    assert_verdict(&world, VERDICT_REJECT);
    world_end(&world);
}

static void test_that_did_not_run_since_a_host_was_lost_says_so(void **state)
{
    struct world world;

    (void)state;
    world_begin(
        &world,
        SUITE("trial", "{\"check\": \"mpi-launch\", \"scope\": \"cluster\", \"needs\": [\"reachable\"]}"),
        TWO);
    if (world.record.plan == NULL)
        fail_msg("%s", world.err.text);
    reached(&world, "node1");
    reached(&world, "node2");
    driver(&world, "node1", "550.90.07");
    add_attempt(&world, "driver", "node2", ATTEMPT_UNREACHABLE)->connections = 1;
    judge(&world);
    assert_outcome(&world, "mpi-launch", "node1", "sound", OUTCOME_NOT_RUN,
                   "the connection to node2 was lost before this step");
    world.record.state = RUN_INTERRUPTED;
    judge(&world);
    assert_outcome(&world, "mpi-launch", "node1", "sound", OUTCOME_NOT_RUN, "the run was interrupted");
    world_end(&world);
}

static void refusals_are_inconclusive(void **state)
{
    static const enum attempt_end ends[] = {ATTEMPT_AUTH_REFUSED,     ATTEMPT_HOST_KEY_UNKNOWN,
                                            ATTEMPT_HOST_KEY_CHANGED, ATTEMPT_SUDO_REFUSED,
                                            ATTEMPT_NO_ANSWER,        ATTEMPT_NO_SPOOL};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
        struct world world;

        world_begin(&world, CONTRACT, TWO);
        reached(&world, "node2");
        add_attempt(&world, "reachable", "node1", ends[i]);
        judge(&world);
        assert_outcome(&world, "reachable", "node1", "sound", OUTCOME_INCONCLUSIVE,
                       "what the transport says");
        world_end(&world);
    }
}

#define VARIANTS \
    ", \"variants\": {\"default\": {}, \"ring\": {\"NCCL_ALGO\": \"Ring\"}}, \"retries\": 0, \"repeat\": 1"

/* It says so, and neither rejects nor passes anything. */
static void a_variant_that_breaks_or_computes_wrongly_is_remarked_and_judges_nothing(void **state)
{
    static const struct {
        const char *output;
        int rc;
        bool remark;
    } cases[] = {
        {good, 0, false},
        {NCCL_OUTPUT("478.74", "478.74", "2", "2 FAILED"), 1, true},
        {NCCL_OUTPUT("478.74", "478.74", "0", "0 OK"), 139, true},
        {"", 3, true},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct world world;

        world_begin(&world, SUITE("trial", NCCL_STEP(VARIANTS)), "node1\n");
        if (world.record.plan == NULL)
            fail_msg("%s", world.err.text);
        reached(&world, "node1");
        nccl(&world, "node1", cases[i].output, cases[i].rc);
        judge(&world);
        for (size_t k = 0; k < world.record.judgement.outcome_count; k++)
            if (world.record.judgement.outcomes[k].step == find_step(&world, "nccl-all-reduce", "node1"))
                assert_int_equal(world.record.judgement.outcomes[k].word, OUTCOME_RECORDED);
        assert_int_equal(outcome_of(&world, "nccl-all-reduce", "node1", "sound")->remark, cases[i].remark);
        assert_int_equal(
            judge_step(&world.record, &world.sources.limits, find_step(&world, "nccl-all-reduce", "node1")),
            STEP_PASSED);
        world_end(&world);
    }
}

static void variants_alone_are_never_an_acceptance(void **state)
{
    struct world world;

    (void)state;
    world_begin(
        &world,
        "{\"name\": \"s\", \"title\": \"t\", \"platform\": \"duo\", \"purpose\": \"delivery\", \"steps\": ["
        "{\"check\": \"nccl-all-reduce\", \"arguments\": {\"begin\": \"8G\", \"end\": \"8G\"}" VARIANTS "}]}",
        "node1\n");
    if (world.record.plan == NULL)
        fail_msg("%s", world.err.text);
    nccl(&world, "node1", good, 0);
    judge(&world);
    assert_int_equal(world.record.judgement.verdicts[0].word, VERDICT_INCOMPLETE);
    world_end(&world);
}

static void one_of_three_repeats_that_fails_is_a_fail(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, SUITE("trial", NCCL_STEP(FLOOR("contract") ", \"repeat\": 3")), ONE);
    reached(&world, "node1");
    nccl(&world, "node1", good, 0);
    assert_int_equal(
        judge_step(&world.record, &world.sources.limits, find_step(&world, "nccl-all-reduce", "node1")),
        STEP_AGAIN);
    nccl(&world, "node1", NCCL_OUTPUT("300.00", "389.37", "0", "0 OK"), 0);
    nccl(&world, "node1", good, 0);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_FAIL, "intermittent, 1 of 3");
    assert_true(outcome_of(&world, "nccl-all-reduce", "node1", BUSBW)->value == 300);
    world_end(&world);
}

#define BAD_NCCL NCCL_OUTPUT("300.00", "389.37", "0", "0 OK")
#define NO_NCCL "" /* the tool is missing */

/* What the step is due to after each of these outputs, and what it comes to. */
static void retests_tell_intermittent_from_steady_and_settle_doubts(void **state)
{
    static const struct {
        const char *outputs[4];
        enum step_state states[4];
        enum outcome_word word;
        const char *words;
    } rows[] = {
        {{good}, {STEP_PASSED}, OUTCOME_PASS, ""},
        {{BAD_NCCL, good, good},
         {STEP_AGAIN, STEP_AGAIN, STEP_FAILED},
         OUTCOME_FAIL,
         "intermittent, 1 of 3 attempts failed: " BUSBW " is 300 GB/s"},
        {{BAD_NCCL, BAD_NCCL, BAD_NCCL},
         {STEP_AGAIN, STEP_AGAIN, STEP_FAILED},
         OUTCOME_FAIL,
         "in all 3 attempts: " BUSBW " is 300 GB/s"},
        {{NO_NCCL, good}, {STEP_AGAIN, STEP_PASSED}, OUTCOME_PASS, "passed after 1 aborted attempt"},
        {{NO_NCCL, NO_NCCL, NO_NCCL},
         {STEP_AGAIN, STEP_AGAIN, STEP_FAILED},
         OUTCOME_INCONCLUSIVE,
         "tool missing"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct world world;
        size_t step;

        world_begin(&world, SUITE("trial", NCCL_STEP(FLOOR("contract") ", \"retests\": 2")), ONE);
        step = find_step(&world, "nccl-all-reduce", "node1");
        reached(&world, "node1");
        for (size_t k = 0; rows[i].outputs[k] != NULL; k++) {
            enum step_state due;

            nccl(&world, "node1", rows[i].outputs[k], *rows[i].outputs[k] != '\0' ? 0 : 127);
            due = judge_step(&world.record, &world.sources.limits, step);
            if (due != rows[i].states[k])
                fail_msg("row %zu, attempt %zu: state %d, expected %d", i, k + 1, (int)due,
                         (int)rows[i].states[k]);
        }
        judge(&world);
        assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, rows[i].word, rows[i].words);
        world_end(&world);
    }
}

static void repeats_that_are_owed_are_not_passed_before_they_ran(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, SUITE("trial", NCCL_STEP(FLOOR("contract") ", \"repeat\": 3")), ONE);
    reached(&world, "node1");
    nccl(&world, "node1", good, 0);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_INCONCLUSIVE, "1 of 3");
    world_end(&world);
}

/* Slices of ten minutes each, from 2027-01-15 08:00 UTC on, of an hour and a half that is owed. */
static void soak_begin(struct world *world)
{
    world_begin(world, SUITE("soak", NCCL_STEP(FLOOR("contract") ", \"repeat_for_s\": 5400, \"retries\": 2")),
                ONE);
    if (world->record.plan == NULL)
        fail_msg("%s", world->err.text);
    reached(world, "node1");
}

static enum step_state slice(struct world *world, double busbw, int rc)
{
    const char *output =
        arena_printf(world->arena, NCCL_OUTPUT("%.2f", "%.2f", "0", "0 OK"), busbw, (busbw + 478.74) / 2);
    struct attempt *attempt;

    nccl(world, "node1", output, rc);
    attempt = &world->record.attempts.items[world->record.attempts.count - 1];
    attempt->n = (unsigned)world->record.attempts.count - 1;
    attempt->began = 1800000000 + 600.0 * attempt->n;
    attempt->ended = attempt->began + 600;
    return judge_step(&world->record, &world->sources.limits, find_step(world, "nccl-all-reduce", "node1"));
}

static void a_soak_goes_on_until_it_has_worked_as_long_as_it_owes(void **state)
{
    struct world world;

    (void)state;
    soak_begin(&world);
    for (int i = 0; i < 8; i++)
        assert_int_equal(slice(&world, 470 + i % 3, 0), STEP_AGAIN);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_INCONCLUSIVE,
                   "it ran for 80 min of 90 min; the rest was not run");
    assert_int_equal(world.record.judgement.verdicts[0].word, VERDICT_INCOMPLETE);
    assert_int_equal(slice(&world, 470, 0), STEP_PASSED);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_PASS, "");
    world_end(&world);
}

/* A crash is tried again, and its time is none of the work; what is left when the retries are spent is owed. */
static void what_breaks_off_in_a_soak_is_no_work(void **state)
{
    struct world world;

    (void)state;
    soak_begin(&world);
    for (int i = 0; i < 4; i++)
        slice(&world, 470 + i % 3, 0);
    assert_int_equal(slice(&world, 470, 139), STEP_AGAIN);
    for (int i = 0; i < 4; i++)
        assert_int_equal(slice(&world, 470 + i % 3, 0), STEP_AGAIN);
    assert_int_equal(slice(&world, 470, 139), STEP_AGAIN);
    assert_int_equal(slice(&world, 470, 139), STEP_FAILED);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_INCONCLUSIVE,
                   "it ran for 80 min of 90 min");
    world_end(&world);
}

static void what_was_slow_for_a_while_in_a_soak_is_named_with_when(void **state)
{
    static const struct {
        double slow; /* of the fifth and sixth slice */
        enum outcome_word word;
        const char *words;
    } rows[] = {
        {515, OUTCOME_FAIL,
         "slow from 2027-01-15 08:50 to 09:10 UTC (2 of 9 slices): 13.9% worse than the run's median 598 "
         "GB/s; "
         "fail from 10%"},
        {557, OUTCOME_PASS, "remark: slow from 2027-01-15 08:50 to 09:10 UTC (2 of 9 slices): 6.9% worse"},
        {598, OUTCOME_PASS, ""},
        {300, OUTCOME_FAIL, "intermittent, 2 of 9 attempts failed, first at 2027-01-15 08:50 UTC: "},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct world world;

        soak_begin(&world);
        for (int k = 0; k < 9; k++)
            slice(&world, k == 4 || k == 5 ? rows[i].slow : 598 + k % 3, 0);
        judge(&world);
        assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, rows[i].word, rows[i].words);
        world_end(&world);
    }
}

#define UNDER_LOAD                                                                                     \
    "{\"check\": \"nccl-all-reduce\", \"needs\": [\"reachable\"], \"arguments\": {\"begin\": \"8G\", " \
    "\"end\": \"8G\", \"beside\": \"gpu-burn\"}, \"repeat_for_s\": 5400, \"retries\": 2}"

/* No floor of GPUs at rest, however slow it is beside them; a series that is too short shows nothing. */
static void under_load_a_soak_is_judged_by_its_own_slices_alone(void **state)
{
    static const struct {
        double slow; /* of the fifth and sixth slice */
        int slices;
        enum outcome_word word;
        const char *words;
    } rows[] = {
        {86, 9, OUTCOME_FAIL, "(2 of 9 slices): 14.0% worse than the run's median 100 GB/s; fail from 10%"},
        {100, 9, OUTCOME_PASS, ""},
        {100, 7, OUTCOME_INCONCLUSIVE, "7 slices are too few"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct world world;

        world_begin(&world, SUITE("soak", UNDER_LOAD), ONE);
        if (world.record.plan == NULL)
            fail_msg("%s", world.err.text);
        reached(&world, "node1");
        for (int k = 0; k < rows[i].slices; k++)
            slice(&world, k == 4 || k == 5 ? rows[i].slow : 100 + k % 3 * 0.1, 0);
        judge(&world);
        assert_outcome(&world, "nccl-all-reduce", "node1", "nccl.all_reduce.loaded.busbw", rows[i].word,
                       rows[i].words);
        world_end(&world);
    }
}

static void the_host_with_another_driver_fails_and_a_tie_accuses_both(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, CONTRACT, "node1\nnode2\nnode3\n");
    driver(&world, "node1", "550.90.07");
    driver(&world, "node2", "550.54.14");
    driver(&world, "node3", "550.90.07");
    judge(&world);
    assert_outcome(&world, "driver", "node1", "driver.version", OUTCOME_PASS, "");
    assert_outcome(&world, "driver", "node2", "driver.version", OUTCOME_FAIL, "most hosts have 550.90.07");
    world_end(&world);
    world_begin(&world, CONTRACT, TWO);
    driver(&world, "node1", "550.90.07");
    driver(&world, "node2", "550.54.14");
    judge(&world);
    assert_outcome(&world, "driver", "node1", "driver.version", OUTCOME_FAIL,
                   "do not agree on one value: 1 x 550.54.14, 1 x 550.90.07");
    assert_outcome(&world, "driver", "node2", "driver.version", OUTCOME_FAIL, "do not agree");
    world_end(&world);
}

static void one_machine_under_two_names_fails_on_both_and_on_nobody_else(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, SUITE("trial", "{\"check\": \"os\"}"), "node1\nnode2\nnode3\nnode4\nnode5\nnode6\n");
    reached_machine(&world, "node1", "a1", "net:[1]");
    reached_machine(&world, "node2", "b2", "net:[1]");
    reached_machine(&world, "node3", "a1", "net:[1]");
    reached_machine(&world, "node4", "a1", "net:[2]");
    reached_machine(&world, "node5", "unknown", "net:[1]");
    reached_machine(&world, "node6", "unknown", "net:[1]");
    judge(&world);
    assert_outcome(&world, "reachable", "node1", "host.machine", OUTCOME_FAIL, "shared with node3");
    assert_outcome(&world, "reachable", "node2", "host.machine", OUTCOME_PASS, "");
    assert_outcome(&world, "reachable", "node3", "host.machine", OUTCOME_FAIL, "shared with node1");
    assert_outcome(&world, "reachable", "node4", "host.machine", OUTCOME_PASS, "");
    assert_outcome(&world, "reachable", "node5", "host.machine", OUTCOME_INCONCLUSIVE, "");
    assert_outcome(&world, "reachable", "node2", "sound", OUTCOME_PASS, "");
    world_end(&world);
}

static void an_old_driver_fails_and_a_short_version_is_undecided(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, CONTRACT, ONE);
    driver(&world, "node1", "470.57.02");
    judge(&world);
    assert_outcome(&world, "driver", "node1", "driver.version", OUTCOME_FAIL, "525.60.13");
    world_end(&world);
    world_begin(&world, CONTRACT, ONE);
    driver(&world, "node1", "525");
    judge(&world);
    assert_outcome(&world, "driver", "node1", "driver.version", OUTCOME_INCONCLUSIVE, "525.60.13");
    world_end(&world);
}

static void nothing_run_is_incomplete_and_says_why(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, CONTRACT, ONE);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", "sound", OUTCOME_NOT_RUN, "needs reachable");
    assert_verdict(&world, VERDICT_INCOMPLETE);
    assert_int_equal(world.record.judgement.verdicts[0].pass, 0);
    world_end(&world);
}

static void every_planned_item_has_exactly_one_outcome(void **state)
{
    struct world world;
    const struct verdict *verdict;

    (void)state;
    world_begin(&world, CONTRACT, TWO);
    reached(&world, "node1");
    nccl(&world, "node1", good, 0);
    judge(&world);
    verdict = &world.record.judgement.verdicts[0];
    assert_int_equal(world.record.judgement.outcome_count,
                     world.record.plan->gate_count + world.record.plan->record_count);
    assert_int_equal(verdict->pass + verdict->fail + verdict->inconclusive + verdict->not_run,
                     world.record.plan->gate_count);
    assert_int_equal(verdict->recorded, world.record.plan->record_count);
    world_end(&world);
}

static void a_limit_in_another_unit_is_refused(void **state)
{
    struct world world;

    (void)state;
    world_begin(
        &world,
        SUITE("trial", NCCL_STEP(", \"limits\": [{\"metric\": \"nccl.all_reduce.busbw\", \"floor\": 3640, "
                                 "\"unit\": \"Gb/s\", \"source\": \"test\", \"status\": \"contract\"}]")),
        ONE);
    assert_null(world.record.plan);
    assert_non_null(strstr(world.err.text, "Gb/s"));
    world_end(&world);
}

static void two_runs_in_one_output_count_with_the_worse_one(void **state)
{
    static const char both[] =
        NCCL_OUTPUT("300.00", "389.37", "0", "0 OK") NCCL_OUTPUT("478.74", "478.74", "0", "0 OK");
    struct world world;

    (void)state;
    world_begin(&world, CONTRACT, ONE);
    reached(&world, "node1");
    nccl(&world, "node1", both, 0);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_FAIL, "300");
    assert_true(outcome_of(&world, "nccl-all-reduce", "node1", BUSBW)->value == 300);
    world_end(&world);
}

static void count_of_a_list_that_is_cut_accuses_nobody(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, SUITE("trial", "{\"check\": \"gpu-inventory\"}"), ONE);
    RAN(&world, "gpu-inventory", "node1",
        {"lspci",
         "0000:19:00.0 3D controller [0302]: NVIDIA Corporation GH100 [H100 SXM5 80GB] [10de:2330] (rev "
         "a1)\n",
         -1});
    judge(&world);
    assert_outcome(&world, "gpu-inventory", "node1", "pci.gpu.count", OUTCOME_INCONCLUSIVE, "ends early");
    world_end(&world);
}

static void flooded_output_is_inconclusive_however_often_it_comes(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, CONTRACT, TWO);
    reached(&world, "node1");
    reached(&world, "node2");
    nccl(&world, "node2", good, 0);
    for (int i = 0; i < 2; i++) {
        nccl(&world, "node1", "# nThread 1", -1);
        world.record.attempts.items[world.record.attempts.count - 1].captures[0].flooded = true;
    }
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", "sound", OUTCOME_INCONCLUSIVE, "more was written");
    world_end(&world);
}

#define XID_OUTPUT "[ 9.0] NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=x, GPU has fallen off the bus.\n"

static void an_xid_is_named_beside_the_tools_own_verdict(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, SUITE("trial", "{\"check\": \"gpu-burn\"}"), ONE);
    ran_with(&world, "gpu-burn", "node1", (const struct printed[]){{"main", BURN_OUTPUT("FAULTY"), 0}, {0}},
             (const struct printed[]){{"kernel-log", XID_OUTPUT, 0}, {0}});
    judge(&world);
    for (size_t i = 0; i < world.record.judgement.outcome_count; i++) {
        const struct outcome *outcome = &world.record.judgement.outcomes[i];
        const struct step *step = &world.record.plan->steps.items[outcome->step];
        const struct slot *slot = &step->shape->slots[outcome->slot];

        if (strcmp(slot->metric, "gpu_burn.verdict") != 0)
            continue;
        assert_int_equal(outcome->word, strcmp(slot->subject, "gpu1") == 0 ? OUTCOME_FAIL : OUTCOME_PASS);
        if (outcome->word == OUTCOME_FAIL)
            assert_said(&world, outcome->cause, "Xid");
    }
    world_end(&world);
}

/* The datasheet's 67 TFLOP/s, and what a clock may add. */
static void more_than_a_gpu_computes_is_not_believed(void **state)
{
#define BURN_RATES(first, second)                                                                          \
    "GPU 0: T (UUID: GPU-0)\nGPU 1: T (UUID: GPU-1)\nInitialized device 0 with 81000 MB of memory, using " \
    "FLOATS\n100.0%  proc'd: 100 (" first " Gflop/s) - 100 (" second " Gflop/s)   errors: 0 - 0   temps: " \
    "60 C - 60 C\nTested 2 GPUs:\n\tGPU 0: OK\n\tGPU 1: OK\n"
    static const struct printed out[] = {{"main", BURN_RATES("91000", "51000"), 0}, {0}};
    struct world world;
    size_t believed = 0, not_believed = 0;

    (void)state;
    world_begin(&world, SUITE_ON("hopper", "trial", "{\"check\": \"gpu-burn\"}"), ONE);
    ran_with(&world, "gpu-burn", "node1", out, NULL);
    judge(&world);
    for (size_t i = 0; i < world.record.judgement.outcome_count; i++) {
        const struct outcome *outcome = &world.record.judgement.outcomes[i];
        const struct step *step = &world.record.plan->steps.items[outcome->step];
        const struct slot *slot = &step->shape->slots[outcome->slot];

        if (strcmp(slot->metric, "gpu_burn.float.gflops") != 0)
            continue;
        believed += strcmp(slot->subject, "gpu1") == 0 && !outcome->remark;
        if (strcmp(slot->subject, "gpu0") != 0)
            continue;
        assert_int_equal(outcome->word, OUTCOME_RECORDED);
        assert_true(outcome->remark);
        assert_said(&world, outcome->cause,
                    "is 91000 GFLOP/s, which is not credible: expected <= 73700 GFLOP/s");
        not_believed++;
    }
    assert_int_equal(believed, 1);
    assert_int_equal(not_believed, 1);
    world_end(&world);
}

static void whether_a_step_is_sound_cannot_be_left_to_the_record(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, SUITE("trial", NCCL_STEP(", \"record\": [\"*\"]")), ONE);
    reached(&world, "node1");
    nccl(&world, "node1", "", 0);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", "sound", OUTCOME_INCONCLUSIVE, "");
    assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_RECORDED, "");
    world_end(&world);
}

static void steps_that_are_left_out_are_not_run_and_nothing_is_accepted(void **state)
{
    struct arena *arena = arena_create();
    struct hostlist steps = {0};
    struct world world;

    (void)state;
    *list_push(arena, &steps.names) = "nccl-all-reduce";
    world_begin_with(&world, CONTRACT, ONE, &steps);
    nccl(&world, "node1", good, 0);
    judge(&world);
    assert_outcome(&world, "nccl-all-reduce", "node1", BUSBW, OUTCOME_PASS, "");
    assert_outcome(&world, "reachable", "node1", "sound", OUTCOME_NOT_RUN, "--steps");
    assert_verdict(&world, VERDICT_INCOMPLETE);
    world_end(&world);
    arena_destroy(arena);
}

static void step_across_hosts_is_owed_where_there_is_one_host_only(void **state)
{
    struct world world;
    const struct judgement *judgement = &world.record.judgement;

    (void)state;
    world_begin(&world,
                SUITE("delivery", "{\"name\": \"wide\", \"check\": \"nccl-all-reduce\", \"scope\": "
                                  "\"cluster\", \"arguments\": {\"begin\": \"8G\", \"end\": \"8G\"}}"),
                ONE);
    if (world.record.plan == NULL)
        fail_msg("%s", world.err.text);
    reached(&world, "node1");
    driver(&world, "node1", "550.90.07");
    judge(&world);
    assert_outcome(&world, "wide", "node1", "sound", OUTCOME_NOT_RUN, "needs 2 hosts of platform duo");
    assert_verdict(&world, VERDICT_INCOMPLETE);
    for (size_t i = 0; i < judgement->verdict_count; i++)
        if (strcmp(judgement->verdicts[i].scope, "host") == 0)
            assert_int_equal(judgement->verdicts[i].word, VERDICT_ACCEPT);
    world_end(&world);
}

static void the_host_that_stops_a_launch_is_rejected_and_no_other(void **state)
{
    static const char told[] =
        "launch.ssh\tnode1\tok\nlaunch.mpi_version\tnode1\tOpen MPI "
        "4.1.4\nlaunch.nccl_version\tnode1\t2.21.5\n"
        "launch.memlock\tnode1\tunlimited\nlaunch.hostname\tnode1\tn1\nlaunch.asked\tnode1\tyes\n"
        "launch.ssh\tnode2\t255 Connection timed out during banner exchange\n"
        "launch.answers\t1\tanswers: n1\nkey-value end\n";
    static const enum verdict_word words[] = {VERDICT_ACCEPT, VERDICT_REJECT};
    struct world world;
    const struct judgement *judgement = &world.record.judgement;
    size_t hosts = 0;

    (void)state;
    world_begin(&world, SUITE("trial", "{\"check\": \"mpi-launch\", \"scope\": \"cluster\"}"), TWO);
    if (world.record.plan == NULL)
        fail_msg("%s", world.err.text);
    for (size_t i = 0; i < 2; i++) {
        reached(&world, i == 0 ? "node1" : "node2");
        driver(&world, i == 0 ? "node1" : "node2", "550.90.07");
    }
    RAN(&world, "mpi-launch", "node1", {"launch", told, 0});
    judge(&world);
    assert_verdict(&world, VERDICT_REJECT);
    for (size_t i = 0; i < judgement->verdict_count; i++)
        if (strcmp(judgement->verdicts[i].scope, "host") == 0)
            assert_int_equal(judgement->verdicts[i].word, words[hosts++]);
    assert_int_equal(hosts, 2);
    world_end(&world);
}

static void sizes_that_would_judge_nothing_are_refused(void **state)
{
    static const struct {
        const char *step, *complaint;
    } cases[] = {
        {"{\"check\": \"nccl-all-reduce\", \"arguments\": {\"begin\": \"1G\", \"end\": \"4G\"}, "
         "\"sizes_judged\": [\"8G\"]}",
         "8G"},
        {"{\"check\": \"nccl-all-reduce\", \"arguments\": {\"begin\": \"8G\", \"end\": \"1G\"}}",
         "larger than"},
        {"{\"check\": \"nccl-all-reduce\", \"arguments\": {\"factor\": 1}}", "factor"},
        {"{\"check\": \"gpu-burn\", \"sizes_judged\": [\"8G\"]}", "8G"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct world world;
        struct arena *arena = arena_create();

        world_begin(&world,
                    arena_printf(arena,
                                 "{\"name\": \"s\", \"title\": \"t\", \"purpose\": \"trial\", "
                                 "\"platform\": \"duo\", \"steps\": [%s]}",
                                 cases[i].step),
                    ONE);
        if (world.record.plan != NULL || strstr(world.err.text, cases[i].complaint) == NULL)
            fail_msg("case %zu: '%s'", i, world.err.text);
        world_end(&world);
        arena_destroy(arena);
    }
}

static void bandwidth_of_the_largest_size_is_judged_where_the_usual_ones_are_not_measured(void **state)
{
    struct world world;
    const struct shape *shape;
    size_t gates = 0;

    (void)state;
    world_begin(&world,
                SUITE("trial", "{\"check\": \"nccl-all-reduce\", \"arguments\": {\"begin\": \"1G\", \"end\": "
                               "\"4G\"}}"),
                ONE);
    shape = world.record.plan->steps.items[find_step(&world, "nccl-all-reduce", "node1")].shape;
    for (size_t i = 0; i < shape->slot_count; i++)
        if (strcmp(shape->slots[i].metric, BUSBW) == 0 && shape->slots[i].duty == DUTY_GATE) {
            assert_true(shape->slots[i].size_bytes == 4294967296.0);
            gates++;
        }
    assert_int_equal(gates, 1);
    world_end(&world);
}

static void every_check_names_parsers_that_exist(void **state)
{
    size_t count;
    const struct check *const *checks = check_list(&count);

    (void)state;
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        assert_non_null(checks[i]->read);
        assert_true(checks[i]->expected_s > 0 || checks[i]->expected != NULL);
        for (const struct part_row *part = checks[i]->parts; part->name != NULL; part++)
            if (part->parser != NULL && parser_find(part->parser) == NULL)
                fail_msg("check %s: part %s names parser '%s', which is missing", checks[i]->name, part->name,
                         part->parser);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_output_within_limits_passes),
        cmocka_unit_test(number_below_the_floor_fails_and_shows_the_gate),
        cmocka_unit_test(more_than_the_links_carry_is_not_believed),
        cmocka_unit_test(more_than_a_gpu_computes_is_not_believed),
        cmocka_unit_test(a_number_that_no_part_can_show_leaves_its_test_undecided),
        cmocka_unit_test(a_range_gates_below_and_above),
        cmocka_unit_test(what_the_check_asks_for_is_no_slip_of_a_unit),
        cmocka_unit_test(who_stands_out_from_its_peers_is_remarked_or_fails_above_every_floor),
        cmocka_unit_test(of_hosts_that_do_the_same_at_once_the_slow_one_is_named),
        cmocka_unit_test(who_has_the_least_of_full_servers_is_remarked_on_and_does_not_fail),
        cmocka_unit_test(a_contract_judges_a_stored_run_anew_and_says_what_it_could_not),
        cmocka_unit_test(fraction_of_the_ceiling_is_a_gate),
        cmocka_unit_test(what_the_links_carry_decides_where_nobody_has_a_figure),
        cmocka_unit_test(wrong_values_fail_although_bandwidth_is_fine),
        cmocka_unit_test(missing_tool_is_inconclusive_and_named),
        cmocka_unit_test(tool_without_its_library_names_the_library),
        cmocka_unit_test(unknown_format_is_inconclusive),
        cmocka_unit_test(nothing_printed_with_status_0_never_passes),
        cmocka_unit_test(guess_decides_nothing),
        cmocka_unit_test(gate_without_any_limit_is_inconclusive_and_refused_in_a_delivery),
        cmocka_unit_test(crash_is_tried_again_and_fails_only_where_other_hosts_are_fine),
        cmocka_unit_test(crash_that_does_not_come_again_passes_with_a_remark),
        cmocka_unit_test(hang_is_inconclusive_once_and_fails_when_it_comes_again),
        cmocka_unit_test(broken_connection_under_what_changes_nothing_is_tried_again),
        cmocka_unit_test(reboot_fails_the_test_whatever_the_tool_said),
        cmocka_unit_test(an_uncorrectable_error_in_the_window_fails_a_test_that_looks_good),
        cmocka_unit_test(a_counter_that_went_back_is_not_a_clean_one),
        cmocka_unit_test(a_foreign_process_after_the_test_leaves_it_undecided_by_name),
        cmocka_unit_test(a_gpu_that_is_gone_after_the_test_fails_it),
        cmocka_unit_test(a_window_that_was_not_read_is_no_clean_one),
        cmocka_unit_test(a_link_that_no_counter_was_read_of_did_not_stay_up),
        cmocka_unit_test(an_nvlink_that_recovered_or_was_not_watched_did_not_stay_up),
        cmocka_unit_test(nvlinks_that_could_not_be_watched_before_are_unknown),
        cmocka_unit_test(a_clock_that_was_set_back_does_not_excuse_crc_errors),
        cmocka_unit_test(errors_that_nvlink_5_could_not_correct_fail_the_test),
        cmocka_unit_test(a_port_whose_counter_can_count_no_further_is_not_known_to_be_clean),
        cmocka_unit_test(a_gpu_that_reaches_its_own_slowdown_fails_and_one_that_tells_none_is_not_known),
        cmocka_unit_test(what_gpus_of_another_platform_tell_is_not_asked_of_these),
        cmocka_unit_test(a_contract_may_name_what_a_test_added_to_any_counter),
        cmocka_unit_test(a_drive_that_fails_in_a_test_fails_it_and_one_that_was_not_asked_is_not_known),
        cmocka_unit_test(every_number_of_a_window_is_planned),
        cmocka_unit_test(an_xid_on_another_member_fails_the_test_and_names_the_host),
        cmocka_unit_test(a_member_that_rebooted_under_a_test_across_hosts_fails_it),
        cmocka_unit_test(a_test_that_was_not_begun_is_undecided_and_says_why),
        cmocka_unit_test(a_host_that_nobody_knows_the_owner_of_was_not_tested),
        cmocka_unit_test(xid_in_the_window_fails_a_test_that_looks_good),
        cmocka_unit_test(kernel_log_that_cannot_be_read_is_no_clean_one),
        cmocka_unit_test(host_that_is_down_fails_only_if_another_answers),
        cmocka_unit_test(refusals_are_inconclusive),
        cmocka_unit_test(a_variant_that_breaks_or_computes_wrongly_is_remarked_and_judges_nothing),
        cmocka_unit_test(variants_alone_are_never_an_acceptance),
        cmocka_unit_test(one_of_three_repeats_that_fails_is_a_fail),
        cmocka_unit_test(retests_tell_intermittent_from_steady_and_settle_doubts),
        cmocka_unit_test(repeats_that_are_owed_are_not_passed_before_they_ran),
        cmocka_unit_test(a_soak_goes_on_until_it_has_worked_as_long_as_it_owes),
        cmocka_unit_test(what_breaks_off_in_a_soak_is_no_work),
        cmocka_unit_test(what_was_slow_for_a_while_in_a_soak_is_named_with_when),
        cmocka_unit_test(under_load_a_soak_is_judged_by_its_own_slices_alone),
        cmocka_unit_test(the_host_with_another_driver_fails_and_a_tie_accuses_both),
        cmocka_unit_test(one_machine_under_two_names_fails_on_both_and_on_nobody_else),
        cmocka_unit_test(an_old_driver_fails_and_a_short_version_is_undecided),
        cmocka_unit_test(nothing_run_is_incomplete_and_says_why),
        cmocka_unit_test(every_planned_item_has_exactly_one_outcome),
        cmocka_unit_test(a_limit_in_another_unit_is_refused),
        cmocka_unit_test(two_runs_in_one_output_count_with_the_worse_one),
        cmocka_unit_test(count_of_a_list_that_is_cut_accuses_nobody),
        cmocka_unit_test(flooded_output_is_inconclusive_however_often_it_comes),
        cmocka_unit_test(an_xid_is_named_beside_the_tools_own_verdict),
        cmocka_unit_test(whether_a_step_is_sound_cannot_be_left_to_the_record),
        cmocka_unit_test(steps_that_are_left_out_are_not_run_and_nothing_is_accepted),
        cmocka_unit_test(step_across_hosts_is_owed_where_there_is_one_host_only),
        cmocka_unit_test(the_host_that_stops_a_launch_is_rejected_and_no_other),
        cmocka_unit_test(test_that_did_not_run_since_a_host_was_lost_says_so),
        cmocka_unit_test(sizes_that_would_judge_nothing_are_refused),
        cmocka_unit_test(bandwidth_of_the_largest_size_is_judged_where_the_usual_ones_are_not_measured),
        cmocka_unit_test(every_check_names_parsers_that_exist),
    };

    return cmocka_run_group_tests_name("outcomes", tests, arena_begin, arena_end);
}
