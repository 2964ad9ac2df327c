/* SPDX-License-Identifier: Apache-2.0 */
/* storage-clients, storage-shared and gpu-power: what becomes of the rows that the hosts print. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "assay/check/check.h"

enum { ROWS_BYTES = 1 << 20 };
#define BEGIN 1000.0
#define SLOT_S 25.0 /* a job of 20 s, and the pause */

/* A check over so many hosts, and the rows that it printed. */
struct stage {
    struct arena *arena;
    struct check_context context;
    struct text rows;
    struct reading reading;
};

static void stage_begin(struct stage *stage, struct arena *arena, const char *check, const char *arguments,
                        size_t hosts)
{
    static const char platform[] =
        "{\"name\": \"bare\", \"title\": \"a host\", \"source\": \"test\", \"gpus\": {\"count\": 2, \"models\": "
        "[\"T\"], \"pci_ids\": [\"10de:2330\"]}, \"nvlink\": {\"links\": 0}, \"nvswitch\": false, \"fabric_state\": "
        "false, \"driver_minimum\": \"525.60.13\"}";
    const char *lines = "defaults platform=bare mounts=/data\n";
    const struct host **members = arena_array(arena, const struct host *, hosts);
    struct error err = {0};
    const struct hostfile *hostfile;
    const struct suite *suite;

    for (size_t i = 1; i <= hosts; i++)
        lines = arena_printf(arena, "%sn%zu address=10.0.0.%zu\n", lines, i, i);
    hostfile = hostfile_parse(arena, "hosts", slice_of(lines), &err);
    suite = suite_parse(arena, "suite",
                        slice_of(arena_printf(arena,
                                              "{\"name\": \"s\", \"steps\": [{\"check\": \"%s\", \"scope\": "
                                              "\"cluster\", \"arguments\": {%s}}]}",
                                              check, arguments)),
                        &err);
    if (hostfile == NULL || suite == NULL)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < hosts; i++)
        members[i] = &hostfile->hosts.items[i];
    *stage = (struct stage){.arena = arena};
    stage->context = (struct check_context){.arena = arena,
                                            .suite = suite,
                                            .step = &suite->steps.items[0],
                                            .platform = platform_parse(arena, "p", slice_of(platform), &err),
                                            .check = check_find(check),
                                            .members = members,
                                            .member_count = hosts,
                                            .timescale = 1};
    if (stage->context.platform == NULL ||
        check_arguments_valid(stage->context.check, stage->context.step, &err) < 0)
        fail_msg("%s", err.text);
    text_init(&stage->rows, ROWS_BYTES);
    text_printf(&stage->rows, "clients.begin\t\t%.3f\n", BEGIN);
}

/* Host number `host` answers, and its clock is so far ahead. */
static void asked(struct stage *stage, size_t host, const char *works, double ahead)
{
    text_printf(&stage->rows,
                "client.asked\tn%zu\t900.0\nclient.login\tn%zu\tyes\nclient.clock\tn%zu\t%.3f 900.200\n",
                host, host, host, 900.190 + ahead);
    if (works != NULL)
        text_printf(&stage->rows, "client.works\tn%zu\t%s\n", host, works);
}

static void placed(struct stage *stage, size_t host, size_t of)
{
    text_printf(&stage->rows, "client.place\tn%zu\t0\nclient.sees\tn%zu\t%zu of %zu\n", host, host, of, of);
}

enum way { READS, WRITES };
/* fio's terse line of a job that only reads or only writes. */
static void did(struct stage *stage, const char *job, enum way way, size_t host, size_t turn, size_t level,
                double late, double mbs, double seconds)
{
    double since = (double)turn * SLOT_S;

    text_printf(
        &stage->rows, "client.begun.%s.%zu\tn%zu\t%.3f %.3f %.3f\nclient.fio.%s.%zu\tn%zu\t3;fio-3.33;%s;0;0",
        job, level, host, since, BEGIN + since + late - 0.010, BEGIN + since + late, job, level, host, job);
    for (enum way direction = READS; direction <= WRITES; direction++) {
        double on = direction == way;

        text_printf(&stage->rows, ";%.0f;%.0f;%.0f;%.0f", on * mbs * 1e6 / 1024 * seconds,
                    on * mbs * 1e6 / 1024, on * mbs, on * seconds * 1000);
        text_put(&stage->rows, ";0;0;0;0;1;1;1;1");
        for (size_t i = 0; i < 20; i++)
            text_printf(&stage->rows, ";%zu%%=1", i);
        text_put(&stage->rows, ";1;1;1;1;0;0;0%;0;0");
    }
    text_put(&stage->rows, ";1%;1%;1;1;1\n");
}

static void wrote(struct stage *stage, size_t host, size_t turn, size_t level, double late, double mbs,
                  double seconds)
{
    did(stage, "write", WRITES, host, turn, level, late, mbs, seconds);
}

static void stage_read(struct stage *stage)
{
    struct attempt attempt = {0};
    struct part *part = list_push(stage->arena, &attempt.parts);

    text_put(&stage->rows, "key-value end\n");
    *part = (struct part){.name = "clients",
                          .command = "",
                          .began = true,
                          .ended = true,
                          .out = {stage->rows.bytes, stage->rows.length}};
    parser_run(parser_find("key-value"), part->out, stage->arena, &part->reading);
    reading_init(&stage->reading, stage->arena, stage->context.check->name);
    stage->context.check->read(&stage->context, &attempt, &stage->reading);
    text_release(&stage->rows);
}

static const char *fact(const struct stage *stage, const char *name, const char *subject)
{
    const char *value = reading_get_fact(&stage->reading, name, subject);

    return value != NULL ? value : "(none)";
}

static double number(const struct stage *stage, const char *metric, const char *subject)
{
    const struct measurement *measurement = reading_get(&stage->reading, metric, subject);

    return measurement != NULL ? measurement->value : NAN;
}

/* Why there is no value; NULL: nothing says so. */
static const struct reason *reason_of_lack(const struct stage *stage, const char *metric, const char *subject)
{
    const char *code = arena_printf(stage->arena, "%s.unread", metric);

    for (size_t i = 0; i < stage->reading.findings.count; i++)
        if (strcmp(stage->reading.findings.items[i].code, code) == 0 &&
            strcmp(stage->reading.findings.items[i].subject, subject) == 0)
            return stage->reading.findings.items[i].what;
    return NULL;
}

static const char *lacking(const struct stage *stage, const char *metric, const char *subject)
{
    const struct reason *why = reason_of_lack(stage, metric, subject);

    return why != NULL ? reason_english(stage->arena, why) : "(nothing)";
}

static const char *advice(const struct stage *stage, const char *metric, const char *subject)
{
    return reason_english(stage->arena,
                          check_remedy(stage->context.check, metric, reason_of_lack(stage, metric, subject)));
}

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-4))
        fail_msg("%g, expected %g", value, expected);
}

#define WRITE "\"jobs\": [\"write\"]"

/* Four hosts; each gets as much as mbs[level] says. */
static void sweep_of_four(struct stage *stage, struct arena *arena, const double mbs[3])
{
    stage_begin(stage, arena, "storage-clients", WRITE, 4);
    for (size_t host = 1; host <= 4; host++) {
        asked(stage, host, "yes", 0);
        placed(stage, host, 4);
        for (size_t i = 0; i < 3; i++)
            if (host <= (size_t)1 << i)
                wrote(stage, host, i, (size_t)1 << i, 0.1, mbs[i], 20);
    }
}

static void the_sum_of_all_clients_is_told_and_where_it_ceases_to_grow(void **state)
{
    static const double fair[] = {1000, 1000, 520}, free[] = {1000, 990, 980};
    struct stage stage;

    sweep_of_four(&stage, *state, fair);
    stage_read(&stage);
    assert_int_equal(stage.reading.status, READING_COMPLETE);
    assert_near(number(&stage, "clients.write.bandwidth", "1 clients"), 1.0);
    assert_near(number(&stage, "clients.write.bandwidth", "2 clients"), 2.0);
    assert_near(number(&stage, "clients.write.bandwidth", "4 clients"), 2.08);
    assert_string_equal(fact(&stage, "clients.write.together", "4 clients"), "yes");
    assert_near(number(&stage, "clients.write.knee", ""), 2);
    assert_string_equal(
        fact(&stage, "clients.write.scaling", ""),
        "1: 1, 2: 2, 4: 2.08 GB/s; the knee is at 2 clients: from there on it grows 4.0% per doubling");
    sweep_of_four(&stage, *state, free);
    stage_read(&stage);
    assert_near(number(&stage, "clients.write.knee", ""), 4);
    assert_non_null(strstr(fact(&stage, "clients.write.scaling", ""), "no knee up to 4 clients"));
}

/* Of how many values of that level it is said that they are shares of what was full. */
static size_t shares(const struct stage *stage, double level)
{
    size_t count = 0;
    double clients, any;

    for (size_t i = 0; i < stage->reading.measurements.count; i++) {
        const struct measurement *value = &stage->reading.measurements.items[i];

        count += strcmp(value->metric, "client.write.bandwidth") == 0 &&
                 measurement_at(value, "clients", &clients) && clients >= level && clients <= level &&
                 measurement_at(value, AT_SHARE, &any);
    }
    return count;
}

static void what_clients_have_of_full_servers_is_a_share_and_a_slow_client_makes_none(void **state)
{
    static const double full[] = {1000, 1000, 520}, free[] = {1000, 990, 980};
    struct stage stage;

    sweep_of_four(&stage, *state, full);
    stage_read(&stage);
    assert_int_equal(shares(&stage, 2), 0);
    assert_int_equal(shares(&stage, 4), 4);
    sweep_of_four(&stage, *state, free);
    stage_read(&stage);
    assert_int_equal(shares(&stage, 4), 0);
    stage_begin(&stage, *state, "storage-clients", WRITE, 4);
    for (size_t host = 1; host <= 4; host++) {
        asked(&stage, host, "yes", 0);
        placed(&stage, host, 4);
        for (size_t i = 0; i < 3; i++)
            if (host <= (size_t)1 << i)
                wrote(&stage, host, i, (size_t)1 << i, 0.1, host == 4 ? 100 : 1000, 20);
    }
    stage_read(&stage);
    assert_int_equal(shares(&stage, 4), 0);
}

static void a_client_that_starts_late_is_said_and_no_sum_is_made_of_it(void **state)
{
    struct stage stage;

    stage_begin(&stage, *state, "storage-clients", WRITE, 2);
    for (size_t host = 1; host <= 2; host++) {
        asked(&stage, host, "yes", 0);
        placed(&stage, host, 2);
    }
    wrote(&stage, 1, 0, 1, 0, 1000, 20);
    wrote(&stage, 1, 1, 2, 0, 1000, 20);
    wrote(&stage, 2, 1, 2, 7.5, 1000, 20);
    stage_read(&stage);
    assert_near(number(&stage, "client.late", "n2"), 7.5);
    assert_string_equal(fact(&stage, "clients.write.together", "2 clients"),
                        "n2: it started 7.5 s after the second that was agreed on");
    assert_true(isnan(number(&stage, "clients.write.bandwidth", "2 clients")));
    assert_true(isnan(number(&stage, "clients.write.knee", "")));
    assert_string_equal(lacking(&stage, "clients.write.bandwidth", "2 clients"),
                        "not all of these clients were measured at once");
    assert_near(number(&stage, "clients.write.bandwidth", "1 clients"), 1.0);
}

static void a_client_without_a_result_or_with_half_a_job_is_no_part_of_a_sum(void **state)
{
    struct stage stage;

    stage_begin(&stage, *state, "storage-clients", WRITE, 2);
    for (size_t host = 1; host <= 2; host++) {
        asked(&stage, host, "yes", 0);
        placed(&stage, host, 2);
    }
    wrote(&stage, 1, 0, 1, 0, 1000, 4);
    wrote(&stage, 1, 1, 2, 0, 1000, 20);
    text_put(&stage.rows, "client.fio.write.2\tn2\t\tfio_ended_with\t127\tsh: 1: fio: not found\n");
    stage_read(&stage);
    assert_string_equal(fact(&stage, "clients.write.together", "1 clients"),
                        "n1: its fio ran for 4.0 s instead of 20");
    assert_string_equal(fact(&stage, "clients.write.together", "2 clients"),
                        "n2: fio ended with exit status 127: sh: 1: fio: not found");
}

/* A rate of the few files that it could make before is none. */
static void a_client_whose_files_the_storage_refuses_does_not_work(void **state)
{
    struct stage stage;

    stage_begin(&stage, *state, "storage-clients", "\"jobs\": [\"create\"]", 2);
    for (size_t host = 1; host <= 2; host++) {
        asked(&stage, host, "yes", 0);
        placed(&stage, host, 2);
    }
    text_put(&stage.rows, "client.files.create.2\tn2\t\tfolder_not_usable\t/data\tInput/output error\n");
    stage_read(&stage);
    assert_non_null(strstr(fact(&stage, "client.works", "n2"), "Input/output error"));
    assert_string_equal(fact(&stage, "client.works", "n1"), "yes");
    assert_true(isnan(number(&stage, "clients.create.files", "2 clients")));
}

static void counted(struct stage *stage, const char *job, size_t host, size_t turn, size_t level,
                    const char *files)
{
    double since = (double)turn * SLOT_S;

    text_printf(&stage->rows, "client.begun.%s.%zu\tn%zu\t%.3f %.3f %.3f\nclient.files.%s.%zu\tn%zu\t%s\n",
                job, level, host, since, BEGIN + since - 0.010, BEGIN + since, job, level, host, files);
}

/* A rate alone would not say that the folder never had the files. */
static void fewer_files_than_asked_for_are_told(void **state)
{
    struct stage stage;

    stage_begin(&stage, *state, "storage-clients",
                "\"jobs\": [\"fill\", \"list\", \"clear\"], \"files\": 500", 2);
    for (size_t host = 1; host <= 2; host++) {
        asked(&stage, host, "yes", 0);
        placed(&stage, host, 2);
    }
    counted(&stage, "fill", 1, 0, 1, "500 5");
    counted(&stage, "list", 1, 1, 1, "500 0.5");
    counted(&stage, "clear", 1, 2, 1, "500 1");
    for (size_t host = 1; host <= 2; host++) {
        counted(&stage, "fill", host, 3, 2, host == 1 ? "500 10" : "320 20");
        counted(&stage, "list", host, 4, 2, "820 0.5");
        counted(&stage, "clear", host, 5, 2, "410 1");
    }
    stage_read(&stage);
    assert_string_equal(fact(&stage, "clients.fill.whole", "1 clients"), "yes");
    assert_string_equal(fact(&stage, "clients.list.whole", "1 clients"), "yes");
    assert_near(number(&stage, "clients.fill.files", "2 clients"), 66);
    assert_string_equal(fact(&stage, "clients.fill.whole", "2 clients"), "320 of 500 files in its time");
    assert_string_equal(fact(&stage, "clients.list.whole", "2 clients"), "820 of 1000 files in its time");
    assert_string_equal(fact(&stage, "clients.clear.whole", "2 clients"), "(none)");
}

/* 1 GiB each. n2 wrote too little of it in its time; n1 restores what two of them wrote, in less time than a job has. */
static void a_checkpoint_is_whole_and_one_host_restores_all_of_them(void **state)
{
    struct stage stage;

    stage_begin(&stage, *state, "storage-clients", "\"jobs\": [\"checkpoint\", \"restore\"]", 2);
    for (size_t host = 1; host <= 2; host++) {
        asked(&stage, host, "yes", 0);
        placed(&stage, host, 2);
    }
    did(&stage, "checkpoint", WRITES, 1, 0, 1, 0, 1073.741824, 1);
    did(&stage, "restore", READS, 1, 1, 1, 0, 2000, 0.537);
    did(&stage, "checkpoint", WRITES, 1, 2, 2, 0, 1073.741824, 1);
    did(&stage, "checkpoint", WRITES, 2, 2, 2, 0, 40, 20);
    did(&stage, "restore", READS, 1, 3, 2, 0, 1900, 1.13);
    stage_read(&stage);
    assert_near(number(&stage, "clients.checkpoint.bandwidth", "1 clients"), 1.0737);
    assert_string_equal(fact(&stage, "clients.checkpoint.together", "2 clients"),
                        "n2: 0.8 of 1.07 GB were written in the time");
    assert_near(number(&stage, "clients.restore.bandwidth", "1 clients"), 2.0);
    assert_near(number(&stage, "clients.restore.bandwidth", "2 clients"), 1.9);
    assert_near(number(&stage, "client.restore.bandwidth", "n1"), 2.0);
    assert_true(isnan(number(&stage, "client.restore.bandwidth", "n2")));
    assert_true(isnan(number(&stage, "clients.restore.knee", "")));
    assert_string_equal(fact(&stage, "clients.restore.scaling", ""), "(none)");
}

static void a_restore_of_checkpoints_that_are_not_whole_is_none(void **state)
{
    struct stage stage;

    stage_begin(&stage, *state, "storage-clients", "\"jobs\": [\"checkpoint\", \"restore\"]", 1);
    asked(&stage, 1, "yes", 0);
    placed(&stage, 1, 1);
    did(&stage, "checkpoint", WRITES, 1, 0, 1, 0, 1073.741824, 1);
    text_put(&stage.rows, "client.fio.restore.1\tn1\t\tcheckpoints_not_whole\t4096\t1073741824\n");
    stage_read(&stage);
    assert_string_equal(fact(&stage, "clients.restore.together", "1 clients"),
                        "n1: of the checkpoints 4096 bytes were written, and 1073741824 are to be read");
    assert_true(isnan(number(&stage, "clients.restore.bandwidth", "1 clients")));
}

static void jobs_that_lack_what_they_work_on_are_refused_with_its_name(void **state)
{
    static const struct {
        const char *jobs, *says;
    } rows[] = {
        {"\"read\"", "needs \"write\""},
        {"\"write\", \"restore\"", "needs \"checkpoint\""},
        {"\"create\", \"list\"", "needs \"fill\""},
        {"\"write\", \"write\"", "each once"},
        {"\"wirte\"", "each once"},
    };
    struct stage stage;

    stage_begin(&stage, *state, "storage-clients", WRITE, 2);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct suite_step step = *stage.context.step;
        const char *fault, *arguments = arena_printf(*state, "{\"jobs\": [%s]}", rows[i].jobs);

        step.arguments = json_parse(*state, "arguments", arguments, strlen(arguments), &(struct error){0});
        stage.context.step = &step;
        fault = stage.context.check->arguments_fault(&stage.context);
        assert_non_null(fault);
        assert_non_null(strstr(fault, rows[i].says));
    }
    text_release(&stage.rows);
}

static void who_cannot_work_there_is_told_and_what_lacks_of_the_levels(void **state)
{
    struct stage stage;

    stage_begin(&stage, *state, "storage-clients", WRITE, 4);
    asked(&stage, 1, "yes", 0);
    asked(&stage, 2, "mount_does_not_answer\t/data\t15", 0);
    asked(&stage, 3, "folder_not_usable\t/data\tmkdir: cannot create directory: Read-only file system", 0);
    text_put(&stage.rows, "client.asked\tn4\t900.0\nclient.silent\tn4\t255 Permission denied (publickey).\n");
    placed(&stage, 1, 1);
    wrote(&stage, 1, 0, 1, 0, 1000, 20);
    stage_read(&stage);
    assert_string_equal(fact(&stage, "client.works", "n1"), "yes");
    assert_string_equal(fact(&stage, "client.works", "n2"), "/data did not answer within 15 s");
    assert_string_equal(fact(&stage, "client.works", "n3"),
                        "/data cannot be used: mkdir: cannot create directory: Read-only file system");
    assert_string_equal(fact(&stage, "client.works", "n4"), "(none)");
    assert_string_equal(lacking(&stage, "client.works", "n4"), "Permission denied (publickey).");
    assert_string_equal(fact(&stage, "clients.write.together", "2 clients"),
                        "only 1 of 4 hosts can work there");
    assert_near(number(&stage, "clients.write.bandwidth", "1 clients"), 1.0);
}

static void a_host_that_sees_fewer_files_than_the_others_is_apart(void **state)
{
    struct stage stage;

    stage_begin(&stage, *state, "storage-clients", WRITE, 4);
    for (size_t host = 1; host <= 4; host++) {
        asked(&stage, host, "yes", 0);
        text_printf(&stage.rows, "client.place\tn%zu\t0\nclient.sees\tn%zu\t%d of 4\n", host, host,
                    host == 3 ? 1 : 3);
    }
    stage_read(&stage);
    assert_string_equal(fact(&stage, "client.works", "n1"), "(none)");
    assert_non_null(strstr(fact(&stage, "client.works", "n3"), "it sees the files of 1 of 4 hosts"));
}

static void a_clock_is_off_by_what_it_must_be_at_least(void **state)
{
    struct stage stage;

    stage_begin(&stage, *state, "storage-clients", WRITE, 3);
    asked(&stage, 1, "yes", 0);
    asked(&stage, 2, "yes", 40);
    asked(&stage, 3, "yes", -40);
    stage_read(&stage);
    assert_near(number(&stage, "client.clock", "n1"), 0);
    assert_near(number(&stage, "client.clock", "n2"), 39.99);
    assert_near(number(&stage, "client.clock", "n3"), 39.81);
}

/* --- storage-shared --- */

#define MOUNT "/data nas:/export nfs4 rw,vers=4.2,nconnect=16,proto=tcp,clientaddr=10.0.0.%zu"

/* Three hosts that find all in order: n1 leads the first round, n3 the second. */
static void shared_rows(struct stage *stage, size_t host, double found_s, const char *lock)
{
    size_t leaders[] = {1, 3};

    asked(stage, host, "yes", 0);
    placed(stage, host, 3);
    text_printf(&stage->rows, "client.mount\tn%zu\t" MOUNT "\n", host, host);
    for (size_t round = 1; round <= 2; round++) {
        double at = BEGIN + 30 * (double)round;

        if (host == leaders[round - 1]) {
            text_printf(&stage->rows, "shared.lock.%zu\tn%zu\theld %.3f %.3f\n", round, host, at, at + 9);
            text_printf(&stage->rows, "shared.made.file.%zu\tn%zu\t%.3f %.3f\n", round, host, at + 10,
                        at + 10.1);
            text_printf(&stage->rows, "shared.made.line.%zu\tn%zu\t%.3f %.3f\n", round, host, at + 20,
                        at + 20.1);
            continue;
        }
        text_printf(&stage->rows, "shared.lock.%zu\tn%zu\t%s %.3f %.3f\n", round, host, lock, at + 4,
                    at + 4.1);
        text_printf(&stage->rows, "shared.seen.file.%zu\tn%zu\t%.3f %.3f\n", round, host, at + 10 + found_s,
                    at + 10.2 + found_s);
        text_printf(&stage->rows, "shared.seen.line.%zu\tn%zu\t%.3f %.3f\n", round, host, at + 20, at + 20.3);
    }
    text_printf(&stage->rows, "shared.wrote\tn%zu\tsum%zu 1100.0\n", host, host);
}

static void shared_of_three(struct stage *stage, struct arena *arena, const double found_s[3],
                            const char *const locks[3])
{
    stage_begin(stage, arena, "storage-shared", "", 3);
    for (size_t host = 1; host <= 3; host++)
        shared_rows(stage, host, found_s[host - 1], locks[host - 1]);
}

static const double at_once[] = {0, 0, 0};
static const char *const refused[] = {"refused", "refused", "refused"};

static void what_all_hosts_find_alike_is_in_order(void **state)
{
    struct stage stage;

    shared_of_three(&stage, *state, at_once, refused);
    for (size_t host = 1; host <= 3; host++)
        text_printf(&stage.rows, "shared.read.0\tn%zu\t1110.0 sum1 sum2 sum3\n", host);
    stage_read(&stage);
    for (size_t host = 1; host <= 3; host++) {
        const char *name = arena_printf(*state, "n%zu", host);

        assert_string_equal(fact(&stage, "shared.data", name), "same");
        assert_string_equal(fact(&stage, "shared.lock", name), "exclusive");
        assert_string_equal(fact(&stage, "shared.mount", name), "as on the others");
        assert_near(number(&stage, "shared.file", name), 0.2);
    }
}

static void wrong_data_is_the_readers_unless_all_others_read_it_so(void **state)
{
    static const char *const rows[2][3] = {{"sum1 sum2 sum3", "sum1 other sum3", "sum1 sum2 sum3"},
                                           {"sum1 x sum3", "sum1 sum2 sum3", "sum1 x sum3"}};

    for (size_t i = 0; i < 2; i++) {
        struct stage stage;

        shared_of_three(&stage, *state, at_once, refused);
        for (size_t host = 1; host <= 3; host++)
            text_printf(&stage.rows, "shared.read.0\tn%zu\t1110.0 %s\n", host, rows[i][host - 1]);
        stage_read(&stage);
        assert_string_equal(fact(&stage, "shared.data", "n1"), "same");
        assert_string_equal(fact(&stage, "shared.data", "n2"),
                            i == 0 ? "what it reads is not what n2 wrote"
                                   : "what all others read is not what it wrote");
        assert_string_equal(fact(&stage, "shared.data", "n3"), "same");
    }
}

static void who_reads_before_it_is_written_says_nothing_of_it(void **state)
{
    struct stage stage;

    shared_of_three(&stage, *state, at_once, refused);
    text_put(&stage.rows, "shared.read.0\tn1\t1090.0 sum1 x sum3\nshared.read.0\tn2\t1110.0 sum1 sum2 -\n");
    stage_read(&stage);
    assert_string_equal(fact(&stage, "shared.data", "n1"), "(none)");
    assert_string_equal(fact(&stage, "shared.data", "n2"), "(none)");
    assert_string_equal(lacking(&stage, "shared.data", "n2"), "it has no result");
    assert_non_null(strstr(advice(&stage, "shared.data", "n2"), "with a smaller \"size\""));
}

static void what_is_found_surely_too_late_fails_and_what_may_be_is_undecided(void **state)
{
    static const double late[] = {0, 3, 0.85};
    struct stage stage;

    shared_of_three(&stage, *state, late, refused);
    stage_read(&stage);
    assert_near(number(&stage, "shared.file", "n1"), 0.2);
    assert_near(number(&stage, "shared.file", "n2"), 2.9);
    assert_true(isnan(number(&stage, "shared.file", "n3")));
    assert_non_null(strstr(lacking(&stage, "shared.file", "n3"), "it was found between 0.8 and 1."));
    assert_non_null(strstr(advice(&stage, "shared.file", "n3"), "run it again when both are idle"));
    assert_null(strstr(advice(&stage, "shared.file", "n2"), "idle"));
    assert_string_equal(lacking(&stage, "shared.data", "n1"), "it has no result");
}

static void a_lock_that_does_not_hold_is_its_own_hosts(void **state)
{
    static const char *const one[] = {"refused", "got", "refused"}, *const all[] = {"got", "got", "got"};
    struct stage stage;

    shared_of_three(&stage, *state, at_once, one);
    stage_read(&stage);
    assert_string_equal(fact(&stage, "shared.lock", "n1"), "exclusive");
    assert_string_equal(fact(&stage, "shared.lock", "n2"), "it got the lock that n1 held");
    assert_string_equal(fact(&stage, "shared.lock", "n3"), "exclusive");
    shared_of_three(&stage, *state, at_once, all);
    stage_read(&stage);
    for (size_t host = 1; host <= 3; host++)
        assert_string_not_equal(fact(&stage, "shared.lock", arena_printf(*state, "n%zu", host)), "exclusive");
}

static void an_odd_mount_option_is_named(void **state)
{
    struct stage stage;

    stage_begin(&stage, *state, "storage-shared", "", 3);
    for (size_t host = 1; host <= 3; host++) {
        asked(&stage, host, "yes", 0);
        text_printf(&stage.rows,
                    "client.mount\tn%zu\t/data nas:/export nfs4 rw,vers=%s,proto=tcp,clientaddr=10.0.0.%zu\n",
                    host, host == 2 ? "4.0" : "4.2,nconnect=16", host);
    }
    stage_read(&stage);
    assert_string_equal(fact(&stage, "shared.mount", "n1"), "as on the others");
    assert_string_equal(fact(&stage, "shared.mount", "n2"),
                        "vers=4.0, while most hosts have vers=4.2 nconnect=16");
}

/* Five hundred watts of one GPU do not stand for another one that stays idle. */
static void a_gpu_that_does_not_swing_is_seen_beside_one_that_does(void **state)
{
    static const char *const said[] = {
        "{\"assay_probe_gpu\": 1, \"test\": \"power\", \"program\": \"assay-probe-gpu 0.1.0\", \"backend\": \"cuda\", \"architecture\": \"sm_90\", \"gpus\": 2, \"rows\": 3, \"edges\": 4}",
        "{\"clock\": \"before\", \"uncertain_ms\": 0.1, \"moved_ms\": 0}",
        "{\"clock\": \"after\", \"uncertain_ms\": 0.1, \"moved_ms\": 0}",
        "{\"segment\": 0, \"hz\": 1, \"from_s\": 0, \"to_s\": 2, \"on_w\": 732.5, \"off_w\": 225, \"peak_w\": 760}",
        "{\"gpu\": 0, \"name\": \"T\", \"uuid\": \"A\", \"edges\": 4, \"late_ms\": 1, \"late_p99_ms\": 1, \"power\": \"instant\", \"peak_w\": 650, \"on_w\": 612.5, \"off_w\": 112.5, \"clock_mhz\": 1900, \"clock_least_mhz\": 1900, \"temperature_c\": 61}",
        "{\"gpu\": 1, \"name\": \"T\", \"uuid\": \"B\", \"edges\": 4, \"late_ms\": 1, \"late_p99_ms\": 1, \"power\": \"instant\", \"peak_w\": 650, \"on_w\": 120, \"off_w\": 112.5, \"clock_mhz\": 1900, \"clock_least_mhz\": 1900, \"temperature_c\": 61}",
        "{\"end\": \"ok\", \"rounds\": 2, \"seconds\": 4}"};
    struct stage stage;

    stage_begin(&stage, *state, "gpu-power", "\"agreed\": \"F\", \"hz\": \"1\"", 2);
    asked(&stage, 1, "yes", 0);
    placed(&stage, 1, 1);
    for (size_t i = 0; i < ARRAY_SIZE(said); i++)
        text_printf(&stage.rows, "client.power\tn1\t%s\n", said[i]);
    text_put(&stage.rows, "client.ended\tn1\t0\nclient.left\tn1\t0\n");
    stage_read(&stage);
    assert_string_equal(fact(&stage, "power.gpus", "n1"), "all at work to the end");
    assert_near(number(&stage, "power.swing", "n1"), 7.5);
    assert_non_null(strstr(lacking(&stage, "power.throttle", "n1"), "not often enough"));
}

static int setup(void **state)
{
    *state = arena_create();
    return 0;
}

static int teardown(void **state)
{
    arena_destroy(*state);
    return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_sum_of_all_clients_is_told_and_where_it_ceases_to_grow),
        CASE(what_clients_have_of_full_servers_is_a_share_and_a_slow_client_makes_none),
        CASE(a_client_that_starts_late_is_said_and_no_sum_is_made_of_it),
        CASE(a_client_without_a_result_or_with_half_a_job_is_no_part_of_a_sum),
        CASE(who_cannot_work_there_is_told_and_what_lacks_of_the_levels),
        CASE(a_checkpoint_is_whole_and_one_host_restores_all_of_them),
        CASE(a_restore_of_checkpoints_that_are_not_whole_is_none),
        CASE(jobs_that_lack_what_they_work_on_are_refused_with_its_name),
        CASE(a_client_whose_files_the_storage_refuses_does_not_work),
        CASE(fewer_files_than_asked_for_are_told),
        CASE(a_host_that_sees_fewer_files_than_the_others_is_apart),
        CASE(a_clock_is_off_by_what_it_must_be_at_least),
        CASE(what_all_hosts_find_alike_is_in_order),
        CASE(wrong_data_is_the_readers_unless_all_others_read_it_so),
        CASE(who_reads_before_it_is_written_says_nothing_of_it),
        CASE(what_is_found_surely_too_late_fails_and_what_may_be_is_undecided),
        CASE(a_lock_that_does_not_hold_is_its_own_hosts),
        CASE(an_odd_mount_option_is_named),
        CASE(a_gpu_that_does_not_swing_is_seen_beside_one_that_does),
    };

    return cmocka_run_group_tests_name("storage of several hosts", tests, NULL, NULL);
}
