/* SPDX-License-Identifier: Apache-2.0 */
#include "sample.h"
#include "../unit_test.h"

#include <math.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/judge.h"
#include "assay/reasons/model.h"

static void add_document(struct arena *arena, struct documents *documents, const char *kind, const char *name,
                         struct slice bytes)
{
    struct document *document = list_push(arena, documents);

    *document = (struct document){.kind = kind, .name = name, .bytes = bytes};
    sha256_hex(bytes.bytes, bytes.length, document->sha256);
}

static struct host *add_host(struct record *record, const char *name)
{
    struct host *host = arena_new(record->arena, struct host);

    *host = (struct host){.name = arena_strdup(record->arena, name),
                          .address = "10.0.0.1",
                          .mpi_address = "gpu-ib",
                          .unit = "",
                          .rack = "",
                          .leaf = "",
                          .transport = "auto",
                          .timescale = 1,
                          .line = 1 + (unsigned)record->plan->hosts.count,
                          .column = 1};
    *list_push(record->arena, &record->plan->hosts) = host;
    return host;
}

static void add_hosts(struct record *record)
{
    struct host *host = add_host(record, "gpu001");

    add_host(record, "gpu002");
    *host = (struct host){.name = "gpu001",
                          .address = "fe80::1%eth0",
                          .mpi_address = "gpu001-ib",
                          .user = "оператор",
                          .identity = "/home/ops/\xff\xfe/id_ed25519",
                          .jump = "ops@bastion:2222",
                          .known_hosts = "",
                          .platform = "hgx-h100",
                          .unit = "su1",
                          .rack = "r1",
                          .leaf = "l3",
                          .transport = "openssh",
                          .slots = 8,
                          .port = 65535,
                          .role = ROLE_SPARE,
                          .become_root = true,
                          .timescale = 12.5,
                          .line = 7,
                          .column = 3};
    *list_push(record->arena, &host->labels) = (struct host_label){"row", "A"};
    *list_push(record->arena, &host->labels) = (struct host_label){"客户", ""};
    host->scheduler = SCHEDULER_KUBERNETES;
    *list_push(record->arena, &host->rails) = (struct host_rail){"mlx5_0", "leaf1", "Ethernet1/12:1", 7, 9};
    *list_push(record->arena, &host->rails) = (struct host_rail){"mlx5_1", "leaf2", "", 7, 40};
    *list_push(record->arena, &host->lines) = (struct host_line){"far", "archive.example", 5301};
    *list_push(record->arena, &host->lines) = (struct host_line){"v6", "fd00::1", 0};
}

static const struct limit own_limits[] = {
    {.metric = "gpu_burn.*",
     .rule = RULE_EQUAL,
     .text = "ok",
     .source = "cancelled",
     .origin = REASON(cancelled),
     .status = LIMIT_TOOL,
     .note = REASON(host_rebooted)},
    {.metric = "nccl.all_reduce.busbw",
     .subject = "",
     .scope = "cluster",
     .hosts_min = 2,
     .hosts_max = 64,
     .size_min = 8,
     .size_max = 8589934592.0,
     .rule = RULE_FLOOR,
     .value = 345.25,
     .most = 400.5,
     .tolerance = 0.02,
     .unit = "GB/s",
     .source = "nccl#1264",
     .status = LIMIT_FIELD,
     .inconclusive = true},
};

static struct shape *add_shape(struct record *record, const char *name, size_t slots)
{
    struct shape *shape = arena_new(record->arena, struct shape);

    *shape = (struct shape){.sha256 = arena_printf(record->arena, "%064zx", record->plan->shapes.count),
                            .check = "nccl",
                            .suite_step = arena_strdup(record->arena, name),
                            .scope = "host",
                            .variant = "",
                            .platform = "hgx-h100",
                            .hosts = 1,
                            .slots = arena_array(record->arena, struct slot, slots),
                            .slot_count = slots,
                            .expected_s = 60,
                            .timeout_s = 600,
                            .retries = 1,
                            .repeat = 1};
    for (size_t i = 0; i < slots; i++)
        shape->slots[i] = (struct slot){
            .metric = "nccl.all_reduce.busbw",
            .subject = arena_printf(record->arena, "gpu%zu->gpu%zu", i / 8, i % 8),
            .at = "",
            .duty = DUTY_GATE,
        };
    *list_push(record->arena, &record->plan->shapes) = shape;
    return shape;
}

static void add_shapes(struct record *record)
{
    struct shape *shape = add_shape(record, "burn", 2);

    shape->retries = 2;
    shape->repeat = 3;
    shape->retests = 2;
    shape->repeat_for_s = 86400;
    shape->as_root = true;
    shape->slots[0] = (struct slot){.metric = "nccl.all_reduce.busbw",
                                    .subject = "",
                                    .at = "size_bytes=8589934592 place=out",
                                    .size_bytes = 8589934592.0,
                                    .duty = DUTY_GATE,
                                    .own = own_limits,
                                    .own_count = 2};
    shape->slots[1].duty = DUTY_RECORD;
    shape->slots[1].duty_note =
        reason(record->arena, noted, "the baseline has only a guess", REASON(cancelled));
    shape->slots[1].own = &own_limits[1];
    shape->slots[1].own_count = 1;
    *add_shape(record, "alle zusammen – 全部", 0) = (struct shape){.sha256 = "s2",
                                                                   .check = "cluster",
                                                                   .suite_step = "alle zusammen – 全部",
                                                                   .scope = "cluster",
                                                                   .variant = "mlx5_3",
                                                                   .platform = "",
                                                                   .hosts = 2,
                                                                   .timeout_s = 4000000000U,
                                                                   .exclusive = EXCLUSIVE_FABRIC,
                                                                   .as_root = true,
                                                                   .passive = true};
}

static struct step *add_step(struct record *record, size_t shape, size_t first_host, size_t members,
                             size_t needs)
{
    struct plan *plan = record->plan;
    struct step *step = list_push(record->arena, &plan->steps);

    *step = (struct step){.key = arena_printf(record->arena, "key-%zu", plan->steps.count),
                          .shape = plan->shapes.items[shape],
                          .members = arena_array(record->arena, const struct host *, members),
                          .member_count = members,
                          .needs = needs > 0 ? arena_array(record->arena, size_t, needs) : NULL,
                          .need_count = needs};
    for (size_t i = 0; i < members; i++)
        step->members[i] = plan->hosts.items[first_host + i];
    for (size_t i = 0; i < step->shape->slot_count; i++)
        if (step->shape->slots[i].duty == DUTY_GATE)
            plan->gate_count++;
        else
            plan->record_count++;
    for (size_t i = 0; i < needs; i++)
        step->needs[i] = i;
    return step;
}

static struct record *empty_record(struct arena *arena)
{
    struct record *record = arena_new(arena, struct record);
    char uuid[UUID_SIZE];

    uuid_create(uuid);
    *record = (struct record){.arena = arena,
                              .uuid = arena_strdup(arena, uuid),
                              .started = 1789000000.125,
                              .suite = "délivrance",
                              .suite_title = "",
                              .hostfile = "/srv/hosts",
                              .program = "assay 0.1.0",
                              .plan = arena_new(arena, struct plan)};
    record->plan->arena = arena;
    record->plan->run_uuid = record->uuid;
    return record;
}

/* Words of ours, and what a tool may print to be taken for them. */
static void fill_words(struct reading *reading)
{
    static const char *const printed[] = {
        "[N/A]",    "[\"host_rebooted\"]", "[\"text\",\"x\"]", "[\"about\",\"a\nb\",\"c\"]", "[\"no such\"]",
        "cancelled"};

    reading_fact_said(reading, "in.ours", "", REASON(host_rebooted));
    reading_fact_said(
        reading, "in.ours", "gpu0",
        reason(reading->arena, about, "gpu0 \"x\" \\", reason(reading->arena, text, "cancelled")));
    for (size_t i = 0; i < ARRAY_SIZE(printed); i++)
        reading_fact(reading, "as.printed", "", slice_of(printed[i]));
    reading_finding(reading, SEVERITY_WARNING, "of.words", "",
                    reason(reading->arena, also, REASON(host_rebooted),
                           reason(reading->arena, ended_by_signal, 9, "[\"cancelled\"]")));
}

static void fill_reading(struct reading *reading, unsigned seed)
{
    struct measurement *measurement;

    reading_fact(reading, "nccl.version", "", slice_of("2.18.5"));
    reading_fact(reading, "gpu.name", "gpu0", slice_of("NVIDIA H100 80GB – HBM3"));
    reading_fact(reading, "gpu.serial", "gpu0", slice_of(""));
    measurement = reading_measure(reading, "nccl.all_reduce.busbw", "", 481.0625 + seed, "GB/s");
    reading_at_number(reading, measurement, "size_bytes", 8589934592.0);
    reading_at_text(reading, measurement, "place", slice_of("out"));
    reading_at_text(reading, measurement, "odd=\"key\" \\", slice_of("a = \"b\" \\ c"));
    reading_at_text(reading, measurement, "none", slice_of(""));
    reading_measure(reading, "nccl.all_reduce.wrong", "gpu0", 0, "");
    reading_measure(reading, "gpu.power", "gpu0", NAN, "W");
    reading_measure(reading, "gpu.power", "gpu1", -1e-300, "W");
    reading_finding(reading, SEVERITY_FAULT, "gpu_burn.faulty", "gpu1",
                    reason_text(reading->arena, "GPU 1 FAULTY ü"));
    reading_finding(reading, SEVERITY_INFO, "x.y", "", NULL);
    fill_words(reading);
}

static void set_capture(struct record *record, struct capture *capture, const char *stream, size_t length,
                        unsigned seed)
{
    char *bytes = arena_alloc(record->arena, length + 1);

    for (size_t i = 0; i < length; i++)
        bytes[i] = (char)((i * 2654435761U + seed * 40503U) >> (i % 23));
    *capture = (struct capture){
        .stream = stream, .length = length, .bytes = {bytes, length}, .flooded = seed % 2 == 1};
    sha256_hex(bytes, length, capture->sha256);
}

static void add_part(struct record *record, struct attempt *attempt, const char *name, size_t from, size_t to)
{
    struct part *part = list_push(record->arena, &attempt->parts);

    *part = (struct part){.name = name,
                          .command = "dmesg --time-format iso | grep 'NVRM: Xid'",
                          .began = true,
                          .ended = from == 0,
                          .rc = -3,
                          .out = {attempt->captures[0].bytes.bytes + from, to - from}};
    if (from == 0)
        part->err = (struct slice){attempt->captures[1].bytes.bytes, attempt->captures[1].bytes.length};
    reading_init(&part->reading, record->arena, "xid");
    reading_set(&part->reading, READING_PARTIAL, reason_text(record->arena, "row 3 is cut"));
    reading_measure(&part->reading, "gpu.count", "", 8, "");
}

/* Runs within runs, and a status of each kind. */
static void add_runs(struct reading *reading)
{
    for (unsigned i = 0; i < 2; i++) {
        struct reading *run = list_push(reading->arena, &reading->runs);

        reading_init(run, reading->arena, "nccl-tests");
        reading_set(run, i == 0 ? READING_FAILED : READING_COMPLETE, reason(run->arena, tool_failed, i));
        fill_reading(run, i);
    }
    reading_init(list_push(reading->arena, &reading->runs.items[0].runs), reading->arena, "inner");
}

struct attempt *sample_attempt(struct record *record, size_t step, unsigned n, unsigned seed)
{
    struct attempt *attempt = list_push(record->arena, &record->attempts);
    char uuid[UUID_SIZE];

    uuid_create(uuid);
    *attempt = (struct attempt){.step = step,
                                .n = n,
                                .uuid = arena_strdup(record->arena, uuid),
                                .state = ATTEMPT_ENDED,
                                .end = ATTEMPT_DEADLINE,
                                .rc = 137,
                                .what = reason(record->arena, hang, 600),
                                .sent = 1789000001.5,
                                .began = 1789000002.25,
                                .ended = 1789000602.75,
                                .boot_id = "2ad4b3a5-0f7c-4b0e-8f0f-7d3a7b1b8f5e",
                                .up_began = 1234.56,
                                .up_ended = 1835.07,
                                .command = "#!/bin/sh\nnvidia-smi -q\n",
                                .transport = reason_text(record->arena, "ssh (libssh2 1.10.0)"),
                                .connections = 3};
    set_capture(record, &attempt->captures[0], "stdout", 200, seed);
    set_capture(record, &attempt->captures[1], "stderr", 17, seed);
    reading_init(&attempt->reading, record->arena, "nccl-tests");
    reading_set(&attempt->reading, READING_COMPLETE, NULL);
    fill_reading(&attempt->reading, seed);
    add_part(record, attempt, "main", 0, 150);
    add_part(record, attempt, "kernel-log", 150, 200);
    return attempt;
}

/* One member, before and after, and a part that lies in each. */
static void add_windows(struct record *record, struct attempt *attempt)
{
    for (unsigned i = 0; i < 2; i++) {
        struct window *window = list_push(record->arena, &attempt->windows);
        struct part *part;

        *window = (struct window){.role = i == 0 ? WINDOW_BEFORE : WINDOW_AFTER,
                                  .end = i == 0 ? ATTEMPT_RAN : ATTEMPT_UNREACHABLE,
                                  .rc = (int)i,
                                  .what = i == 0 ? NULL : reason_text(record->arena, "no route"),
                                  .boot_id = "b",
                                  .began = 1789000002.5 + i,
                                  .ended = 1789000003.5 + i,
                                  .up_began = 7.25,
                                  .up_ended = 8.5};
        set_capture(record, &window->captures[0], "stdout", 300 + i, 40 + i);
        set_capture(record, &window->captures[1], "stderr", 20, 50 + i);
        add_part(record, attempt, i == 0 ? "gpus" : "kernel-log", 0, 0);
        part = &attempt->parts.items[attempt->parts.count - 1];
        part->aside = true;
        part->window = i + 1;
        part->out = (struct slice){window->captures[0].bytes.bytes + 10, 200};
        part->err = (struct slice){0};
    }
}

static void add_attempts(struct record *record)
{
    struct attempt *attempt = sample_attempt(record, 0, 1, 1);

    add_windows(record, attempt);

    attempt = sample_attempt(record, 0, 2, 2);
    /* Several blocks, the last one not whole; and a capture that was cut with nothing in it. */
    set_capture(record, &attempt->captures[0], "stdout", 3 * 65536 + 5, 9);
    set_capture(record, &attempt->captures[1], "stderr", 0, 0);
    attempt->captures[1].cut = true;
    attempt->captures[1].length = 12345;
    attempt->parts.count = 0;
    add_part(record, attempt, "main", 0, 3 * 65536);
    add_part(record, attempt, "never began", 196610, 196610);
    add_runs(&attempt->reading);
    /* Unreachable: no boot, no times of the host, nothing captured, nothing read. */
    attempt = sample_attempt(record, 1, 1, 3);
    *attempt = (struct attempt){.step = 1,
                                .n = 1,
                                .uuid = attempt->uuid,
                                .state = ATTEMPT_ENDED,
                                .end = ATTEMPT_UNREACHABLE,
                                .what = reason_text(record->arena, "no route to host"),
                                .sent = 1,
                                .began = NAN,
                                .up_began = NAN,
                                .command = "",
                                .captures = {{.stream = "stdout"}, {.stream = "stderr"}}};
    reading_init(&attempt->reading, record->arena, "");
}

static void add_outcomes(struct arena *arena, struct judgement *judgement)
{
    struct held_to *field = arena_new(arena, struct held_to);
    const struct outcome outcomes[] = {
        {.step = 0,
         .slot = 0,
         .word = OUTCOME_FAIL,
         .cause = reason(arena, also, reason(arena, tool_failed, "12.1 GB/s is below 345 GB/s"),
                         (const struct reason *)NULL),
         .remedy = reason_text(arena, "交换电缆"),
         .measured = reason_text(arena, "12.1 GB/s"),
         .value = 12.1,
         .held = field},
        {.step = 0,
         .slot = 1,
         .word = OUTCOME_RECORDED,
         .value = NAN,
         .held = &held_to_nothing,
         .remark = true},
        {.step = 1,
         .word = OUTCOME_NOT_RUN,
         .cause = REASON(cancelled),
         .value = NAN,
         .held = &held_to_nothing},
        {.step = 1,
         .slot = 1,
         .word = OUTCOME_INCONCLUSIVE,
         .cause = reason_text(arena, "[no row"),
         .remedy = REASON(free_and_cool_the_gpus),
         .value = -0.5,
         .held = &held_to_nothing},
    };

    *field = (struct held_to){.limit = reason_text(arena, "floor 345 GB/s, tolerance 0%"),
                              .gate = reason(arena, noted, ">= 345 GB/s", "[\"text\"]"),
                              .source = reason_text(arena, "nccl#1264"),
                              .status = "field"};
    judgement->outcome_count = ARRAY_SIZE(outcomes);
    judgement->outcomes = arena_array(arena, struct outcome, judgement->outcome_count);
    memcpy(judgement->outcomes, outcomes, sizeof outcomes);
}

static void add_judgement(struct record *record)
{
    struct judgement *judgement = &record->judgement;
    static const struct verdict verdicts[] = {
        {"run", "", VERDICT_REJECT, 1, 2, 3, 4, 5},
        {"unit", "su1", VERDICT_INCOMPLETE, 0, 0, 1, 0, 0},
        {"host", "gpu001", VERDICT_ACCEPT_WITH_EXCEPTIONS, 9, 0, 0, 0, 0, 2},
        {"host", "gpu002", VERDICT_ACCEPT, 9, 0, 0, 0, 1}};
    static size_t steps[] = {1, 2};
    const struct search searches[] = {
        {2, "nccl.all_reduce.busbw", 8589934592.0, REASON(host_rebooted), NULL},
        {1, "nccl.all_reduce.busbw", 8, NULL, reason(record->arena, hosts_of_step, 2, "gpu[001-002]")}};
    static struct accusation accusations[] = {
        {2, ACCUSED_HOST, "gpu001", PLACE_FABRIC, true, 3, 1, 1e-9, steps, 2},
        {2, ACCUSED_LINK, "gpu001 - gpu002", PLACE_UNKNOWN, false, 4, 0, NAN, NULL, 0}};
    char uuid[UUID_SIZE];

    uuid_create(uuid);
    judgement->search_count = ARRAY_SIZE(searches);
    judgement->searches = arena_array(record->arena, struct search, judgement->search_count);
    memcpy(judgement->searches, searches, sizeof searches);
    judgement->accusations = accusations;
    judgement->accusation_count = ARRAY_SIZE(accusations);
    judgement->uuid = arena_strdup(record->arena, uuid);
    judgement->baselines = reason(record->arena, noted, "hgx-h100", "sha256 1234");
    add_document(record->arena, &judgement->documents, "baseline", "hgx-h100",
                 slice_of("{\"name\": \"mine\"}"));
    add_outcomes(record->arena, judgement);
    judgement->verdict_count = ARRAY_SIZE(verdicts);
    judgement->verdicts = arena_array(record->arena, struct verdict, judgement->verdict_count);
    memcpy(judgement->verdicts, verdicts, sizeof verdicts);
}

struct record *sample_record(struct arena *arena)
{
    struct record *record = empty_record(arena);

    add_document(record->arena, &record->documents, "suite", "built-in/quick",
                 (struct slice){"{\"a\": \"\0\xff\"}", 11});
    add_document(record->arena, &record->documents, "hostfile", "hosts", (struct slice){"", 0});
    add_document(record->arena, &record->documents, "argv", "", slice_of("assay run -H hosts"));
    add_hosts(record);
    add_shapes(record);
    add_step(record, 0, 0, 1, 0);
    add_step(record, 0, 1, 1, 1);
    add_step(record, 1, 0, 2, 2);
    add_attempts(record);
    add_judgement(record);
    return record;
}

void sample_grow(struct record *record)
{
    struct step *step;

    add_host(record, "gpu003");
    add_shape(record, "63 of 64", 3);
    step = add_step(record, record->plan->shapes.count - 1, 1, 2, 1);
    step->origin = ORIGIN_SUBSTITUTE;
    step->origin_note = reason(record->arena, about, "6 of 8", REASON(cancelled));
    add_shape(record, "63 of 64", 1)->arguments = "{\"begin\": \"8G\"}";
    step = add_step(record, record->plan->shapes.count - 1, 1, 2, 0);
    step->origin = ORIGIN_ISOLATE;
    step->parent = 3;
    step->round = 2;
}

struct record *sample_large(struct arena *arena, size_t hosts, size_t steps, size_t slots)
{
    struct record *record = empty_record(arena);

    for (size_t i = 0; i < hosts; i++)
        add_host(record, arena_printf(arena, "gpu%05zu", i));
    for (size_t i = 0; i < steps; i++)
        add_shape(record, arena_printf(arena, "step %zu", i), slots);
    for (size_t i = 0; i < steps; i++)
        for (size_t k = 0; k < hosts; k++)
            add_step(record, i, k, 1, 0);
    return record;
}

static void must(int result, const struct error *err)
{
    if (result != 0)
        fail_msg("%s", err->text);
}

void sample_store(struct store *store, struct record *record)
{
    struct error err;

    must(store_begin_run(store, record, &err), &err);
    for (size_t i = 0; i < record->attempts.count; i++) {
        must(store_begin_attempt(store, record, &record->attempts.items[i], &err), &err);
        must(store_put_windows(store, record, &record->attempts.items[i], 0, &err), &err);
        must(store_end_attempt(store, record, &record->attempts.items[i], &err), &err);
        must(store_put_readings(store, record, &record->attempts.items[i], &err), &err);
    }
    if (record->judgement.uuid != NULL)
        must(store_put_judgement(store, record, &err), &err);
    record->state = RUN_ENDED;
    record->ended = 1789003600.5;
    must(store_end_run(store, record, record->state, record->ended, &err), &err);
}
