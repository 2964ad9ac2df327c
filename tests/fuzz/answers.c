/* SPDX-License-Identifier: Apache-2.0 */
#include "answers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/judge/judge.h"
#include "assay/plan/plan_build.h"
#include "assay/report/report.h"
#include "guard.h"

enum {
    STREAMS_MOST = 4,
    STREAM_SEPARATOR = 0x1e,
    REPEATER = 0x01,
    REPEATED = 5000,
    LONGEST = 1 << 20,
    KEPT = 2000
};

static void hold(bool what, const char *said, const char *of)
{
    if (what)
        return;
    fprintf(stderr, "fuzz: %s: %s\n", said, of);
    abort();
}

void hold_words(const struct error *err, const char *of)
{
    hold(err->text[0] != '\0', "it cannot be read, and nobody says why", of);
}

/* The first line's words, and what is behind it between separators. */
struct input {
    struct slice words[4];
    struct slice streams[STREAMS_MOST];
};

static void split_input(struct slice bytes, struct input *ret_input)
{
    struct slice line = {"", 0};

    *ret_input = (struct input){0};
    (void)scan_line(&bytes, &line);
    for (size_t i = 0; i < 4; i++)
        if (!scan_word(&line, &ret_input->words[i]))
            ret_input->words[i] = slice_of("");
    for (size_t i = 0; i < STREAMS_MOST; i++) {
        const char *end = bytes.length > 0 ? memchr(bytes.bytes, STREAM_SEPARATOR, bytes.length) : NULL;
        size_t length = end != NULL ? (size_t)(end - bytes.bytes) : bytes.length;

        ret_input->streams[i] = (struct slice){bytes.bytes, length};
        bytes = slice_from(bytes, end != NULL ? length + 1 : length);
    }
}

/* ---- the guard ---- */

static struct slice expanded(struct arena *arena, struct slice bytes)
{
    cleanup_text struct text text = {0};

    text_init(&text, LONGEST);
    for (size_t i = 0; i < bytes.length; i++)
        if (bytes.bytes[i] == REPEATER && i + 1 < bytes.length)
            for (unsigned n = 0; n < REPEATED; n++)
                text_add(&text, bytes.bytes + i + 1, 1);
        else
            text_add(&text, bytes.bytes + i, 1);
    return (struct slice){arena_strndup(arena, text.length > 0 ? text.bytes : "", text.length), text.length};
}

/* An answer, in memory of its own. */
struct answer {
    struct guard_reply reply;
    struct arena *arena;
    struct remote_result result;
    bool whole;
};

static void take_answer(struct answer *answer, enum remote_verb verb, const struct slice streams[2],
                        size_t piece)
{
    const struct remote_job job = {.verb = verb, .uuid = ANSWERS_UUID, .command = "true", .clip_bytes = KEPT};

    answer->arena = arena_create();
    guard_reply_init(&answer->reply, &job, &(struct guard_frame){ANSWERS_UUID, ANSWERS_UUID});
    for (int i = GUARD_STDERR; i >= GUARD_STDOUT; i--)
        for (size_t at = 0; at < streams[i].length; at += piece)
            guard_reply_feed(&answer->reply, i, streams[i].bytes + at,
                             streams[i].length - at < piece ? streams[i].length - at : piece);
    guard_reply_result(&answer->reply, answer->arena, &answer->result);
    answer->whole = guard_reply_whole(&answer->reply);
}

static void release_answer(struct answer *answer)
{
    guard_reply_release(&answer->reply);
    arena_destroy(answer->arena);
}

static void check_answer(const struct answer *answer)
{
    const struct remote_result *result = &answer->result;

    hold(result->out.length <= KEPT && result->err.length <= KEPT, "more was kept than may be", "guard");
    hold(result->end == REMOTE_ENDED || result->what != NULL, "no answer, and no word why", "guard");
    hold(!answer->whole || result->end == REMOTE_ENDED, "whole, and not ended", "guard");
    hold(result->cut == (result->end == REMOTE_ENDED && !answer->whole), "cut, and nobody says so", "guard");
    hold(isfinite(result->up_began) && isfinite(result->up_ended), "a time is not finite", "guard");
}

static bool same_slice(struct slice a, struct slice b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

static bool same_answer(const struct remote_result *a, const struct remote_result *b)
{
    return a->end == b->end && a->why == b->why && a->rc == b->rc && a->left == b->left && a->cut == b->cut &&
           a->out_clipped == b->out_clipped && a->err_clipped == b->err_clipped &&
           same_slice(a->out, b->out) && same_slice(a->err, b->err) && strcmp(a->boot_id, b->boot_id) == 0;
}

static void check_pieces(const struct answer *whole, enum remote_verb verb, const struct slice streams[2])
{
    static const size_t pieces[] = {1, 7, 4096};

    for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
        struct answer answer;

        if (pieces[i] == 1 && streams[0].length + streams[1].length > 4 * REPEATED)
            continue; /* as good as 7, and slow */
        take_answer(&answer, verb, streams, pieces[i]);
        check_answer(&answer);
        hold(same_answer(&whole->result, &answer.result), "another answer when it comes in pieces", "guard");
        release_answer(&answer);
    }
}

static void check_cuts(const struct answer *whole, enum remote_verb verb, const struct slice streams[2])
{
    for (size_t i = 1; i < 8; i++) {
        struct slice cut[2] = {{streams[0].bytes, streams[0].length * i / 8}, streams[1]};
        struct answer answer;

        take_answer(&answer, verb, cut, LONGEST);
        check_answer(&answer);
        hold(!answer.whole || same_answer(&whole->result, &answer.result), "another answer when it is cut",
             "guard");
        release_answer(&answer);
    }
}

bool reads_guard(struct arena *arena, struct slice bytes, struct error *err)
{
    static const struct {
        const char *word;
        enum remote_verb verb;
    } rows[] = {
        {"ensure", REMOTE_ENSURE}, {"read", REMOTE_READ}, {"cancel", REMOTE_CANCEL}, {"list", REMOTE_LIST}};
    struct input input;

    split_input(bytes, &input);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct slice streams[2];
        struct answer whole;

        if (!slice_equal(input.words[0], rows[i].word))
            continue;
        for (size_t k = 0; k < 2; k++)
            streams[k] = expanded(arena, input.streams[k]);
        take_answer(&whole, rows[i].verb, streams, LONGEST);
        check_answer(&whole);
        check_pieces(&whole, rows[i].verb, streams);
        check_cuts(&whole, rows[i].verb, streams);
        release_answer(&whole);
        return true;
    }
    error_set(err, ERROR_USAGE, "no verb");
    return false;
}

/* ---- attempts ---- */

/* Of each check the plan is the same for all inputs, made when it is first asked for; it stays. */
struct world {
    struct plan_sources sources;
    struct plan *plan; /* NULL: the check cannot be planned without arguments */
};

enum { CHECKS_MOST = 128 };

static void make_world(const struct check *check, struct world *world)
{
    static const char hosts[] = "defaults platform=hgx-h100 become=sudo user=ops\nnode1\n";
    static const struct plan_options options = {.run_uuid = "00000000-0000-4000-8000-000000000000"};
    struct arena *arena = arena_create();
    const char *text =
        arena_printf(arena, "{\"name\": \"one\", \"steps\": [{\"check\": \"%s\"}]}", check->name);
    const struct hostfile *hostfile = hostfile_parse(arena, "hosts", slice_of(hosts), NULL);
    const struct suite *suite = suite_parse(arena, "suite", slice_of(text), NULL);
    struct plan_notes notes;

    if (suite == NULL || plan_sources_load(arena, hostfile, suite, NULL, &world->sources, NULL) < 0)
        return;
    world->plan = plan_build(arena, &world->sources, &options, &notes, NULL);
}

/* NULL: there is no such check, or none without arguments. */
static const struct world *world_of(struct slice check)
{
    static struct world worlds[CHECKS_MOST];
    static bool made[CHECKS_MOST];
    size_t count;
    const struct check *const *checks = check_list(&count);

    hold(count <= CHECKS_MOST, "there are more checks than room for them", "attempt");
    for (size_t i = 0; i < count; i++)
        if (slice_equal(check, checks[i]->name)) {
            if (!made[i])
                make_world(checks[i], &worlds[i]);
            made[i] = true;
            return worlds[i].plan != NULL && worlds[i].plan->steps.count > 0 ? &worlds[i] : NULL;
        }
    return NULL;
}

static struct capture capture_of(const char *stream, struct slice bytes, struct slice how)
{
    struct capture capture = {.stream = stream,
                              .length = bytes.length,
                              .cut = slice_equal(how, "cut"),
                              .flooded = slice_equal(how, "flooded"),
                              .bytes = bytes};

    sha256_hex(bytes.bytes, bytes.length, capture.sha256);
    return capture;
}

static void add_windows(struct record *record, struct attempt *attempt, const struct input *input)
{
    for (int role = WINDOW_BEFORE; role <= WINDOW_AFTER; role++) {
        struct window *window = list_push(record->arena, &attempt->windows);

        *window = (struct window){.role = (enum window_role)role, .end = ATTEMPT_RAN, .boot_id = "b"};
        window->captures[0] = capture_of("stdout", input->streams[2 + role], slice_of(""));
        /* The same marks: a part ends on both. */
        window->captures[1] = capture_of("stderr", input->streams[2 + role], slice_of(""));
    }
}

/* false: the first line is not one. */
static bool add_attempt(const struct world *world, const struct input *input, struct record *record)
{
    struct attempt *attempt = list_push(record->arena, &record->attempts);
    char *end = arena_strndup(record->arena, input->words[1].bytes, input->words[1].length);
    struct check_context context;
    uint64_t rc;

    *attempt = (struct attempt){.n = 1,
                                .uuid = ANSWERS_UUID,
                                .state = ATTEMPT_ENDED,
                                .what = reason_text(record->arena, "what the transport says"),
                                .began = 1,
                                .ended = 2,
                                .boot_id = "",
                                .command = ""};
    if (!attempt_end_parse(end, &attempt->end) || !scan_u64(input->words[2], &rc) || rc > 255)
        return false;
    attempt->rc = (int)rc;
    if (attempt->end == ATTEMPT_RAN)
        attempt->what = NULL;
    attempt->captures[0] = capture_of("stdout", input->streams[0], input->words[3]);
    attempt->captures[1] = capture_of("stderr", input->streams[1], slice_of(""));
    plan_context(record->arena, &world->sources, &world->plan->steps.items[attempt->step], &context);
    if (context.check->window)
        add_windows(record, attempt, input);
    check_read(&context, attempt);
    return true;
}

static void check_outcomes(const struct record *record)
{
    const struct attempt *attempt = &record->attempts.items[0];
    bool broken = attempt->end != ATTEMPT_RAN || attempt->captures[0].cut || attempt->captures[0].flooded ||
                  reading_get_fact(&attempt->reading, OUTPUT_FORGED, "") != NULL;

    for (size_t i = 0; i < record->judgement.outcome_count; i++) {
        const struct outcome *outcome = &record->judgement.outcomes[i];
        const struct step *step = &record->plan->steps.items[outcome->step];
        const char *metric = step->shape->slots[outcome->slot].metric;

        hold(outcome->word != OUTCOME_PASS || (outcome->step == attempt->step && !broken), "a false pass",
             metric);
        hold(outcome->word != OUTCOME_PASS || strcmp(metric, SOUND_METRIC) == 0 ||
                 outcome->held->gate != NULL,
             "a pass without a gate", metric);
        hold(outcome->word == OUTCOME_PASS || outcome->word == OUTCOME_RECORDED || outcome->cause != NULL,
             "an outcome without a cause", metric);
    }
    hold(record->judgement.verdicts[0].word != VERDICT_ACCEPT || !broken, "a false verdict", "the run");
}

void check_reports(struct record *record)
{
    size_t count;
    const struct report_format *formats = report_format_list(&count);

    for (size_t i = 0; i < count; i++) {
        cleanup_text struct text out = {0};
        struct error err = {0};

        text_init(&out, (size_t)64 << 20);
        formats[i].write(record, LANGUAGE_EN, &out);
        for (size_t k = 0; k < out.length; k++)
            hold((unsigned char)out.bytes[k] >= 0x20 || strchr("\n\t\r", out.bytes[k]) != NULL,
                 "a control character in the report", formats[i].name);
        hold(strcmp(formats[i].name, "json") != 0 ||
                 json_parse(record->arena, "report", out.bytes, out.length, &err) != NULL,
             "the report is not valid", err.text);
    }
}

bool reads_attempt(struct arena *arena, struct slice bytes, struct error *err)
{
    struct record record = {.arena = arena,
                            .number = 1,
                            .uuid = "00000000-0000-4000-8000-000000000000",
                            .state = RUN_ENDED,
                            .started = 1,
                            .ended = 3,
                            .suite = "one",
                            .suite_title = "one",
                            .hostfile = "hosts",
                            .program = "assay",
                            .now = 3};
    const struct world *world;
    struct input input;

    split_input(bytes, &input);
    world = world_of(input.words[0]);
    if (world != NULL)
        record.plan = world->plan;
    if (world == NULL || !add_attempt(world, &input, &record)) {
        error_set(err, ERROR_USAGE, "no such check, or no such end");
        return false;
    }
    judge_run(&record, &world->sources.limits, "22222222-2222-4222-8222-222222222222");
    check_outcomes(&record);
    check_reports(&record);
    return true;
}
