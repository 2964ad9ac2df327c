/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What reads bytes that come from outside, one row each: every parser by its tool's name, the readers of hostfiles,
 * hostlists, suites, platforms, baselines, advisories, JSON, links and cabling of fabrics, what hosts answer, from the channel to the report (answers.h), and what
 * another party hands us: bundles and databases (databases.h).
 *
 * Built with -Dfuzz=true this is a libFuzzer program: fuzz --target=NAME [libFuzzer's arguments]; without, it
 * reads files: fuzz --target=NAME FILE... (exit status 1: one is refused) or, with --target=all, each file by every row. fuzz --targets lists
 * them. scripts/fuzz runs them all.
 */
#include "assay/base/files.h"
#include "assay/fabric/ecmp.h"
#include "assay/fabric/ethernet.h"
#include "assay/model/advisory.h"
#include "assay/model/hostfile.h"
#include "assay/model/limit.h"
#include "assay/model/manifest.h"
#include "assay/model/platform.h"
#include "assay/model/redact.h"
#include "assay/model/suite.h"
#include "assay/parse/inventory.h"
#include "assay/parse/parser.h"

#include "answers.h"
#include "databases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUT_MOST = 64 << 20, OUTPUT_MOST = 256 << 20 };

/* What holds for a reading of any bytes whatever; ends the program where it does not. */
static void hold(bool what, const char *said, const struct reading *reading)
{
    if (what)
        return;
    fprintf(stderr, "fuzz: the reading of %s: %s\n", reading->tool, said);
    abort();
}

static void check_values(const struct reading *reading)
{
    hold(reading->status == READING_COMPLETE || reading->reason != NULL, "not complete, and no reason why",
         reading);
    hold(reading->status != READING_COMPLETE || reading->reason == NULL, "complete, and a reason why not",
         reading);
    for (size_t i = 0; i < reading->measurements.count; i++)
        hold(isfinite(reading->measurements.items[i].value), "a measurement is not finite", reading);
    for (size_t i = 0; i < reading->runs.count; i++)
        check_values(&reading->runs.items[i]);
}

static void read_output(const struct parser *parser, struct slice bytes)
{
    struct arena *arena = arena_create();
    cleanup_text struct text out = {0};
    struct json_writer writer;
    struct reading reading;
    struct error err = {0};

    parser_run(parser, bytes, arena, &reading);
    check_values(&reading);
    text_init(&out, OUTPUT_MOST);
    json_writer_init(&writer, &out, false);
    reading_write(&reading, &writer);
    hold(json_parse(arena, "reading", out.bytes, out.length, &err) != NULL, err.text, &reading);
    arena_destroy(arena);
}

static bool reads_hostfile(struct arena *arena, struct slice bytes, struct error *err)
{
    return hostfile_parse(arena, "input", bytes, err) != NULL;
}

static bool reads_hostlist(struct arena *arena, struct slice bytes, struct error *err)
{
    struct hostlist list = {0};

    if (hostlist_expand(arena, arena_strndup(arena, bytes.bytes, bytes.length), &list, err) < 0)
        return false;
    hostlist_fold(arena, list.names.items, list.names.count);
    return true;
}

static bool reads_inventory(struct arena *arena, struct slice bytes, struct error *err)
{
    struct inventory inventory = {0};
    struct text text = {0};
    bool good;

    text_init(&text, (size_t)1 << 30);
    good = inventory_read(arena, &inventory, "input", bytes, err) == 0 &&
           inventory_write(arena, &inventory, &text, err) == 0;
    text_release(&text);
    return good;
}

static bool reads_suite(struct arena *arena, struct slice bytes, struct error *err)
{
    return suite_parse(arena, "input", bytes, err) != NULL;
}

static bool reads_platform(struct arena *arena, struct slice bytes, struct error *err)
{
    return platform_parse(arena, "input", bytes, err) != NULL;
}

static bool reads_baseline(struct arena *arena, struct slice bytes, struct error *err)
{
    return baseline_parse(arena, "input", bytes, err) != NULL;
}

static bool reads_advisories(struct arena *arena, struct slice bytes, struct error *err)
{
    return advisories_parse(arena, "input", bytes, err) != NULL;
}

static bool reads_json(struct arena *arena, struct slice bytes, struct error *err)
{
    return json_parse(arena, "input", bytes.bytes, bytes.length, err) != NULL;
}

static bool reads_manifest(struct arena *arena, struct slice bytes, struct error *err)
{
    struct manifest manifest, again;
    struct text text = {0};
    bool same;

    if (manifest_parse(arena, "input", bytes, &manifest, err) < 0)
        return false;
    text_init(&text, (size_t)1 << 30);
    manifest_write(&manifest, &text);
    same = manifest_parse(arena, "again", (struct slice){text.bytes, text.length}, &again, err) == 0 &&
           again.entries.count == manifest.entries.count;
    text_release(&text);
    if (!same)
        abort();
    return true;
}

/* Counters as assay-probe-links leaves them: what does not grow contradicts every flow that says to have sent. false: they
   are no such rows. */
static bool read_rows(struct arena *arena, const struct fabric *fabric,
                      const struct fabric_measured *measured, struct slice text)
{
    bool *ways = arena_array(arena, bool, fabric->ports.count);
    struct fabric_counted_rounds counted;
    struct error err = {0};

    if (fabric_read_counter_rows(arena, fabric, "rows", text, &counted, &err) < 0)
        return false;
    if (counted.readings.count == measured->ends.count + 1 &&
        fabric_contradict(arena, fabric, measured, counted.readings.items, 1, ways) > fabric->ports.count)
        abort();
    return true;
}

static void cut_parts(struct slice bytes, struct slice *ret_parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t end = slice_find(bytes, "--\n");

        ret_parts[i] = (struct slice){bytes.bytes, end != (size_t)-1 ? end : bytes.length};
        bytes = slice_from(bytes, end != (size_t)-1 ? end + 3 : bytes.length);
    }
}

/* Links, routes, flows and counters, with "--" between. What is planned for a fabric can be written, and read again. */
static bool reads_links(struct arena *arena, struct slice bytes, struct error *err)
{
    struct fabric *fabric = fabric_new(arena);
    struct fabric_question question;
    struct fabric_schedule *schedule;
    struct fabric_measured measured;
    struct fabric_suspects suspects;
    struct fabric_counters counters[2];
    struct fabric_proven proven;
    struct slice parts[4];
    struct text text = {0};

    cut_parts(bytes, parts, ARRAY_SIZE(parts));
    if (fabric_read_links(fabric, "links", parts[0], err) < 0 ||
        fabric_read_routes(fabric, "routes", parts[1], err) < 0 ||
        fabric_take_part(arena, fabric, NULL, 0, &question, err) < 0)
        return false;
    question.rounds_most = 3;
    schedule = fabric_plan(arena, fabric, &question);
    text_init(&text, (size_t)1 << 30);
    fabric_write_flows(fabric, schedule, &text);
    if (schedule->flows.count > 0 &&
        (fabric_read_flows(arena, fabric, "again", (struct slice){text.bytes, text.length}, &measured, err) <
             0 ||
         measured.flows.count != schedule->flows.count))
        abort();
    text_release(&text);
    if (fabric_read_flows(arena, fabric, "flows", parts[2], &measured, err) < 0)
        return false;
    if (read_rows(arena, fabric, &measured, parts[3]))
        return true;
    if (fabric_read_counters(arena, fabric, "none", (struct slice){"", 0}, &counters[0], err) == 0 ||
        fabric_read_counters(arena, fabric, "counters", parts[3], &counters[1], err) < 0)
        return false;
    fabric_suspect_slow(arena, fabric, measured.flows.items, measured.flows.count, 0.9, &suspects);
    counters[0] = counters[1];
    fabric_prove(arena, fabric, counters, 1, 1, schedule->gaps, &proven);
    if (proven.covered > 0)
        abort(); /* nothing has grown */
    return true;
}

static bool is_chance(double value)
{
    return value >= 0 && value <= 1;
}

/* What is planned for a fabric of Ethernet can be written, and is expected as chances are. */
static void plan_streams(struct arena *arena, const struct fabric *fabric,
                         const struct fabric_question *question)
{
    const struct fabric_ecmp_plan *plan = fabric_ecmp_plan(arena, fabric, question, 4);
    struct fabric_measured measured;
    struct text text = {0};
    struct error err = {0};

    for (size_t i = 0; i < plan->schedule->ends.count; i++)
        if (!is_chance(plan->expected[i]))
            abort();
    for (size_t way = 0; way < fabric->ports.count; way++)
        if (!is_chance(plan->chances[way]))
            abort();
    text_init(&text, (size_t)1 << 30);
    fabric_write_flows(fabric, plan->schedule, &text);
    if (plan->schedule->flows.count > 0 &&
        (fabric_read_flows(arena, fabric, "again", (struct slice){text.bytes, text.length}, &measured, &err) <
             0 ||
         measured.flows.count != plan->schedule->flows.count))
        abort();
    text_release(&text);
}

/* A plan of the cabling, what a leaf says by LLDP, counters as CSV and by ethtool, with "--" between. */
static bool reads_cabling(struct arena *arena, struct slice bytes, struct error *err)
{
    struct fabric_cabling_options options = {.host_gbits = 400, .switch_gbits = 800};
    struct fabric_cabling *cabling = fabric_cabling_new(arena);
    struct fabric *fabric = fabric_new(arena);
    struct fabric_remarks remarks;
    struct fabric_counters counters;
    struct fabric_question question;
    struct slice parts[4];

    cut_parts(bytes, parts, ARRAY_SIZE(parts));
    if ((parts[0].length > 0 && fabric_cabling_read_plan(cabling, "plan", parts[0], err) < 0) ||
        (parts[1].length > 0 && fabric_cabling_read_lldp(cabling, "leaf1", "leaf1", parts[1], err) < 0) ||
        fabric_cabling_build(cabling, &options, fabric, &remarks, err) < 0)
        return false;
    fabric_no_counters(arena, fabric, &counters);
    if ((parts[2].length > 0 && fabric_read_counter_csv(cabling, "counters", parts[2], &counters, err) < 0) ||
        (parts[3].length > 0 && fabric_read_ethtool(cabling, "gpu1", "gpu1", parts[3], &counters, err) < 0) ||
        fabric_take_part(arena, fabric, NULL, 0, &question, err) < 0)
        return false;
    question.rounds_most = 3;
    plan_streams(arena, fabric, &question);
    return true;
}

/* Twice the same, and every edit lies where it says. */
static bool reads_redacted(struct arena *arena, struct slice bytes, struct error *err)
{
    struct redactor *redactor = redactor_create(arena, NULL, NULL);
    struct redact_edits edits = {0};
    struct text text = {0};
    size_t at = 0, given = 0, taken = 0;

    (void)err;
    redactor_know_host(redactor, "node1.example.org");
    redactor_know_host(redactor, "10.0.0.1");
    redactor_know_user(redactor, "ops");
    text_init(&text, (size_t)1 << 30);
    redact(redactor, bytes, &text, arena, &edits);
    for (size_t i = 0; i < edits.list.count; i++) {
        if (edits.list.items[i].at < at || edits.list.items[i].taken == 0)
            abort();
        at = edits.list.items[i].at + edits.list.items[i].taken;
        given += edits.list.items[i].given;
        taken += edits.list.items[i].taken;
    }
    if (at > bytes.length || text.length + taken != bytes.length + given)
        abort();
    text_release(&text);
    return true;
}

static const struct reader {
    const char *name;
    bool (*reads)(struct arena *arena, struct slice bytes, struct error *err);
} readers[] = {
    {"hostfile", reads_hostfile},   {"hostlist", reads_hostlist}, {"suite", reads_suite},
    {"platform", reads_platform},   {"baseline", reads_baseline}, {"advisories", reads_advisories},
    {"json", reads_json},           {"manifest", reads_manifest}, {"redacted", reads_redacted},
    {"inventory", reads_inventory}, {"guard", reads_guard},       {"attempt", reads_attempt},
    {"bundle", reads_bundle},       {"foreign", reads_foreign},   {"database", reads_database},
    {"import", reads_import},       {"links", reads_links},       {"cabling", reads_cabling},
};

enum { READERS = ARRAY_SIZE(readers) };

/* False: it is refused, which is with words. */
static bool read_document(const struct reader *reader, struct slice bytes)
{
    struct arena *arena = arena_create();
    struct error err = {0};
    bool read = reader->reads(arena, bytes, &err);

    if (!read && *err.text == '\0') {
        fprintf(stderr, "fuzz: %s was refused without a word\n", reader->name);
        abort();
    }
    arena_destroy(arena);
    return read;
}

/* The row's number: parsers first; -1: no such row. */
static int target = -1;

static const char *target_name(size_t number)
{
    size_t count;
    const struct parser *const *parsers = parser_list(&count);

    if (number < count)
        return parsers[number]->name;
    return number < count + READERS ? readers[number - count].name : NULL;
}

/* False: its bytes are refused; of parsers never, which read whatever comes. */
static bool run_target(size_t number, struct slice bytes)
{
    size_t count;
    const struct parser *const *parsers = parser_list(&count);

    if (number >= count)
        return read_document(&readers[number - count], bytes);
    read_output(parsers[number], bytes);
    return true;
}

static void set_target(const char *argument)
{
    static const char option[] = "--target=";

    if (strcmp(argument, "--targets") == 0) {
        for (size_t i = 0; target_name(i) != NULL; i++)
            puts(target_name(i));
        exit(0);
    }
    if (strncmp(argument, option, strlen(option)) != 0)
        return;
    for (size_t i = 0; target_name(i) != NULL; i++)
        if (strcmp(target_name(i), argument + strlen(option)) == 0)
            target = (int)i;
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    for (int i = 1; i < *argc; i++)
        set_target((*argv)[i]);
    if (target < 0) {
        fprintf(stderr, "fuzz: usage: fuzz --target=NAME ...; fuzz --targets lists them\n");
        exit(64);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    (void)run_target((size_t)target, (struct slice){(const char *)bytes, length});
    return 0;
}

#ifdef FUZZ_REPLAY
static int replay(const char *path, bool all)
{
    cleanup_text struct text input = {0};
    struct error err = {0};
    char *exact; /* of its own, so that reading past the end is found */
    int rc = 0;

    text_init(&input, INPUT_MOST);
    if (file_read(path, &input, &err) < 0) {
        fprintf(stderr, "fuzz: %s\n", err.text);
        return 1;
    }
    exact = mem_alloc(input.length);
    if (input.length > 0)
        memcpy(exact, input.bytes, input.length);
    for (size_t i = 0; target_name(i) != NULL; i++)
        if ((all || (int)i == target) && !run_target(i, (struct slice){exact, input.length}) && !all) {
            fprintf(stderr, "fuzz: %s is refused\n", path);
            rc = 1;
        }
    free(exact);
    return rc;
}

int main(int argc, char **argv)
{
    bool all = argc > 1 && strcmp(argv[1], "--target=all") == 0;
    int rc = 0;

    if (!all)
        LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "--", 2) != 0)
            rc |= replay(argv[i], all);
    return rc;
}
#endif
