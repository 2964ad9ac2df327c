/* SPDX-License-Identifier: Apache-2.0 */
/* The board without a terminal: events in, lines out. Time is what the test says. */
#include <string.h>

#include "../unit_test.h"
#include "assay/base/printable.h"
#include "assay/base/text.h"
#include "board_lines.h"
#include "board_plain.h"

enum { HOSTS = 208, BURN_S = 240 };

/* A suite of three steps on each host, "reachable", "gpu-burn" and "dcgm-diag", and one over all of them. */
struct world {
    struct arena *arena;
    struct plan plan;
    struct board_state *state;
    struct board_plain plain;
    double now;
};

static void add_step(struct world *world, const struct shape *shape, const struct host **members,
                     size_t count)
{
    *list_push(world->arena, &world->plan.steps) =
        (struct step){.shape = shape, .origin = ORIGIN_SUITE, .members = members, .member_count = count};
}

static const struct shape *add_shape(struct world *world, const char *name, unsigned expected_s,
                                     enum exclusivity exclusive)
{
    struct shape *shape = arena_new(world->arena, struct shape);

    *shape = (struct shape){.suite_step = name,
                            .check = name,
                            .scope = "host",
                            .variant = "",
                            .expected_s = expected_s,
                            .exclusive = exclusive,
                            .timeout_s = 3600,
                            .repeat = 1};
    *list_push(world->arena, &world->plan.shapes) = shape;
    return shape;
}

static void world_open(struct world *world, size_t hosts)
{
    static const char *const names[] = {"reachable", "gpu-burn", "dcgm-diag"};
    const struct host **members;

    *world = (struct world){.arena = arena_create(), .now = 1e9};
    world->plan.arena = world->arena;
    for (size_t i = 0; i < hosts; i++) {
        struct host *host = arena_new(world->arena, struct host);

        *host =
            (struct host){.name = arena_printf(world->arena, "node%zu", i + 1), .leaf = "", .timescale = 1};
        *list_push(world->arena, &world->plan.hosts) = host;
    }
    members = arena_array(world->arena, const struct host *, hosts);
    for (size_t i = 0; i < hosts; i++)
        members[i] = world->plan.hosts.items[i];
    for (size_t k = 0; k < 3; k++) {
        const struct shape *shape = add_shape(world, names[k], k == 0 ? 10 : BURN_S, EXCLUSIVE_HOST);

        for (size_t i = 0; i < hosts; i++)
            add_step(world, shape, &members[i], 1);
    }
    add_step(world, add_shape(world, "all-reduce-cluster", 120, EXCLUSIVE_FABRIC), members, hosts);
    world->state = board_state_create(&world->plan, "run 6: delivery, 208 hosts", 0, world->now);
}

static void world_close(struct world *world)
{
    board_state_destroy(world->state);
    arena_destroy(world->arena);
}

static void begin(struct world *world, size_t step)
{
    struct board_news news = {.event = BOARD_STARTED, .step = step, .subject = "", .reason = ""};

    board_state_note(world->state, &news, world->now);
}

static void end(struct world *world, size_t step, enum step_state state, enum outcome_word word,
                const char *subject, const char *reason)
{
    struct board_news news = {.event = BOARD_ENDED,
                              .step = step,
                              .state = state,
                              .word = word,
                              .subject = subject,
                              .reason = reason};

    board_state_note(world->state, &news, world->now);
}

static void passed(struct world *world, size_t step)
{
    end(world, step, STEP_PASSED, OUTCOME_PASS, "", "");
}

static void broke(struct world *world, size_t step, const char *subject, const char *reason)
{
    end(world, step, STEP_FAILED, OUTCOME_FAIL, subject, reason);
}

/* All lines, each with a line break. */
static const char *screen(struct world *world, unsigned width, unsigned height, bool utf8)
{
    struct board_look look = {width, height, utf8};
    struct board_picture picture;
    const char *text = "";

    board_draw(world->arena, world->state, &look, world->now, &picture);
    assert_true(picture.lines.count < height);
    for (size_t i = 0; i < picture.lines.count; i++) {
        const char *line = "";

        for (size_t k = 0; k < picture.lines.items[i].spans.count; k++)
            line = arena_printf(world->arena, "%s%s", line, picture.lines.items[i].spans.items[k].text);
        assert_true(printable_width(line) < width);
        text = arena_printf(world->arena, "%s%s\n", text, line);
    }
    return text;
}

static void assert_has(const char *text, const char *wanted)
{
    if (text == NULL || wanted == NULL || strstr(text, wanted) == NULL)
        fail_msg("\n%s\nhas no '%s'", text != NULL ? text : "", wanted != NULL ? wanted : "");
}

static void assert_has_not(const char *text, const char *unwanted)
{
    if (text == NULL || unwanted == NULL || strstr(text, unwanted) != NULL)
        fail_msg("\n%s\nhas '%s'", text != NULL ? text : "", unwanted != NULL ? unwanted : "");
}

/* reachable is done; the burns are under way, and those of `done` hosts have passed. */
static void burn(struct world *world, size_t hosts, size_t done)
{
    for (size_t i = 0; i < hosts; i++)
        begin(world, i);
    world->now += 2;
    for (size_t i = 0; i < hosts; i++)
        passed(world, i);
    for (size_t i = 0; i < hosts; i++)
        begin(world, hosts + i);
    world->now += BURN_S;
    for (size_t i = 0; i < done; i++)
        passed(world, hosts + i);
}

static void a_screen_of_80_by_24(void **state)
{
    struct world world;

    (void)state;
    world_open(&world, HOSTS);
    burn(&world, HOSTS, 188);
    broke(&world, HOSTS + 190, "gpu3", "137 errors");
    broke(&world, HOSTS + 192, "gpu3", "12 errors");
    assert_string_equal(screen(&world, 80, 24, true),
                        "run 6: delivery, 208 hosts  2 failed                4 m 2 s gone, 5 to 7 m left\n"
                        "reachable          ██████████ 208/208            done in 2 s\n"
                        "gpu-burn           █████████▒ 190/208  2 failed  up to 5 s left\n"
                        "  failed node[191,193]: gpu3: 12 to 137 errors\n"
                        "dcgm-diag          ░░░░░░░░░░   0/208            to come\n"
                        "all-reduce-cluster ░░░░░░░░░░     0/1            to come\n");
    assert_has(screen(&world, 80, 24, false),
               "gpu-burn           #########- 190/208  2 failed  up to 5 s left\n");
    assert_has(screen(&world, 200, 50, false), "gpu-burn           ##");
    world_close(&world);
}

/* The end of a line is cut off: the number must not stand there. */
static void a_number_and_its_limit_are_seen_on_80_columns(void **state)
{
    static const char *const reason = "rdma.write.bandwidth is 12.1 GB/s, expected >= 384 GB/s";
    struct world world;

    (void)state;
    world_open(&world, HOSTS);
    burn(&world, HOSTS, 188);
    broke(&world, HOSTS + 190, "mlx5_3 and 1 more", reason);
    assert_has(screen(&world, 80, 24, true), "  failed node191: 12.1 GB/s, expected >= 384 GB/s\n");
    assert_has(screen(&world, 200, 50, true),
               arena_printf(world.arena, "  failed node191: mlx5_3 and 1 more: %s\n", reason));
    world_close(&world);
}

static void what_does_not_fit_is_one_line(void **state)
{
    struct world world;
    const char *text;

    (void)state;
    world_open(&world, HOSTS);
    burn(&world, HOSTS, 20);
    broke(&world, HOSTS + 30, "", "137 errors");
    text = screen(&world, 60, 5, true);
    assert_has(text, "gpu-burn ");
    assert_has(text, "  failed node31: 137 errors\n");
    assert_has(text, "+ 1 step done, 2 to come\n");
    assert_has_not(text, "dcgm-diag");
    /* However small it is, it stays within. */
    for (unsigned height = 2; height < 12; height++)
        for (unsigned width = 12; width < 90; width += 7)
            screen(&world, width, height, true);
    world_close(&world);
}

/* Thirty steps are under way on the first host, which are more than the screen has lines, and an early one has failed. */
static void a_failure_is_seen_whatever_else_goes_on(void **state)
{
    struct world world;
    const char *text;

    (void)state;
    world_open(&world, 4);
    for (size_t i = 0; i < 30; i++)
        add_step(&world, add_shape(&world, arena_printf(world.arena, "look-%zu", i), 10, EXCLUSIVE_NONE),
                 world.plan.steps.items[0].members, 1);
    board_state_grow(world.state);
    burn(&world, 4, 3);
    broke(&world, 7, "gpu3", "137 errors");
    for (size_t i = 0; i < 30; i++)
        begin(&world, 13 + i);
    text = screen(&world, 80, 24, true);
    assert_has(text, "\ngpu-burn ");
    assert_has(text, "\n  failed node4: gpu3: 137 errors\nlook-0 ");
    assert_has(text, "+ 1 step done, 11 under way, 2 to come\n");
    world_close(&world);
}

static void who_is_waited_for(void **state)
{
    struct world world;

    (void)state;
    world_open(&world, 40);
    burn(&world, 40, 36);
    assert_has_not(screen(&world, 80, 24, true), "waits for");
    world.now += 600;
    assert_has(screen(&world, 80, 24, true),
               "  waits for node[37-40] (14 m; others took 4 m 0 s; deadline 60 m)\n");
    passed(&world, 40 + 37);
    passed(&world, 40 + 38);
    assert_has(screen(&world, 80, 24, true),
               "  waits for node[37,40] (14 m; others took 4 m 31 s; deadline 60 m)\n");
    world_close(&world);
}

/* What was 3 minutes is less after a minute without any event, never negative, and moves when it is late. */
static void time_left_goes_on(void **state)
{
    struct world world;
    struct board_left before, after;
    const char *late, *later;

    (void)state;
    world_open(&world, 8);
    burn(&world, 8, 8);
    for (size_t i = 0; i < 8; i++)
        begin(&world, 16 + i);
    before = board_state_left(world.state, world.now);
    after = board_state_left(world.state, world.now + 60);
    assert_true(after.low_s < before.low_s && after.high_s < before.high_s);
    for (double t = 0; t < 1e5; t += 77) {
        struct board_left all = board_state_left(world.state, world.now + t),
                          row = board_row_left(world.state, &world.state->rows.items[2], world.now + t);

        assert_true(0 <= all.low_s && all.low_s <= all.high_s && 0 <= row.low_s && row.low_s <= row.high_s);
    }
    before = board_row_left(world.state, &world.state->rows.items[2], world.now + 1000);
    late = board_left_text(world.arena, &before);
    after = board_row_left(world.state, &world.state->rows.items[2], world.now + 2000);
    later = board_left_text(world.arena, &after);
    assert_string_equal(late, "up to 4 m left");
    assert_string_equal(later, "up to 8 m left");
    world_close(&world);
}

/* Of what this run did, not of what the plan thought: 240 s were expected, and each takes 600. */
static void time_left_is_by_observed_speed(void **state)
{
    struct world world;
    struct board_left left;

    (void)state;
    world_open(&world, 8);
    for (size_t i = 0; i < 8; i++)
        begin(&world, 8 + i);
    world.now += 580;
    passed(&world, 8);
    world.now += 20;
    passed(&world, 9);
    world.now += 20;
    passed(&world, 10);
    left = board_row_left(world.state, &world.state->rows.items[1], world.now);
    assert_true(left.low_s < 1 && left.high_s > 15 && left.high_s < 60); /* those under way are late, too */
    begin(&world, 16);
    left = board_row_left(world.state, &world.state->rows.items[2], world.now);
    assert_true(left.low_s > 440 &&
                left.high_s < 800); /* no dcgm-diag has ended: expected, and as late as the burns */
    world_close(&world);
}

static void times_in_words(void **state)
{
    static const struct {
        double low_s, high_s;
        const char *text;
    } rows[] = {
        {0, 0, "up to 5 s left"},
        {0, 22, "up to 20 s left"},
        {41, 62, "40 to 60 s left"},
        {238, 242, "4 m left"},
        {240, 360, "4 to 6 m left"},
        {10, 600, "up to 10 m left"},
        {4000, 9000, "1.1 to 2.5 h left"},
        {3600 * 20, 3600 * 30, "20 to 30 h left"},
        {86400 * 3, 86400 * 3.5, "3.0 to 3.5 d left"},
    };
    struct arena *arena = arena_create();

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct board_left left = {rows[i].low_s, rows[i].high_s};

        assert_string_equal(board_left_text(arena, &left), rows[i].text);
    }
    assert_string_equal(board_time_text(arena, -5), "< 1 s");
    assert_string_equal(board_time_text(arena, 250), "4 m 10 s");
    assert_string_equal(board_time_text(arena, 6000), "1 h 40 m");
    arena_destroy(arena);
}

static void reasons_that_are_alike_are_folded(void **state)
{
    static const struct {
        const char *first, *second, *both; /* NULL: they are two */
    } rows[] = {
        {"12.1 GB/s is below 345 GB/s", "11.9 GB/s is below 345 GB/s", "11.9 to 12.1 GB/s is below 345 GB/s"},
        {"no answer", "no answer", "no answer"},
        {"no answer", "no route", NULL},
        {"driver 550.54.15 is not 550.90.07", "driver 550.54.14 is not 550.90.07", NULL},
        {"mlx5_0 is down", "mlx5_1 is down", NULL},
        {"3 errors", "3 errors and more", NULL},
        {"3 errors", "errors", NULL},
        {"-5 C", "-7 C", NULL},
    };
    struct arena *arena = arena_create();

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct reasons_alike alike = reasons_alike_begin(arena, rows[i].first);

        assert_int_equal(reasons_alike_add(arena, &alike, rows[i].second), rows[i].both != NULL);
        assert_string_equal(reasons_alike_text(arena, &alike),
                            rows[i].both != NULL ? rows[i].both : rows[i].first);
    }
    arena_destroy(arena);
}

/* A name or a tool's words cannot move the cursor, begin a line or take more room than they are given. */
static void hostile_words(void **state)
{
    static const char evil[] = "\033[2J\033[1;1Hpassed\n\n\rall \xe2\x80\xae well\t\xff\x9b"
                               "31m";
    struct world world;
    cleanup_text struct text news = {0};
    const char *text;

    (void)state;
    world_open(&world, 3);
    ((struct host *)world.plan.hosts.items[0])->name = "node\0331m";
    burn(&world, 3, 1);
    broke(&world, 4, evil, evil);
    broke(&world, 5, "",
          "很长的原因很长的原因很长的原因很长的原因很长的原因很长的原因很长的原因很长的原因很长的原因");
    text = screen(&world, 80, 24, true);
    assert_has(text, "passed  ");
    for (const char *at = text; *at != '\0'; at++)
        assert_true(*at == '\n' || (unsigned char)*at >= ' ');
    assert_has_not(text, "\xe2\x80\xae");
    assert_has_not(text, "\x9b"
                         "31m");
    text = screen(&world, 80, 24, false);
    for (const char *at = text; *at != '\0'; at++)
        assert_true(*at == '\n' || (*at >= ' ' && *at <= '~'));
    text_init(&news, 1 << 20);
    board_plain_news(&world.plain, world.state, world.now, &news);
    for (const char *at = news.bytes; *at != '\0'; at++)
        assert_true((*at == '\n' && (at[1] == '\0' || strncmp(at + 1, "01:", 3) == 0)) ||
                    (unsigned char)*at >= ' ');
    world_close(&world);
}

/* A cancelled test is no failure; a retried one is not yet one. */
static void ended_by_us(void **state)
{
    struct world world;
    struct board_news again = {.event = BOARD_AGAIN, .subject = "", .reason = ""};
    const char *text;

    (void)state;
    world_open(&world, 4);
    burn(&world, 4, 2);
    again.step = 6;
    board_state_note(world.state, &again, world.now);
    assert_has_not(screen(&world, 80, 24, true), "failed");
    world.state->cancelling = true;
    end(&world, 6, STEP_FAILED, OUTCOME_NOT_RUN, "", "it was cancelled");
    end(&world, 7, STEP_FAILED, OUTCOME_NOT_RUN, "", "it was cancelled");
    text = screen(&world, 80, 24, true);
    assert_has(text, "gpu-burn           █████░░░░░ 4/4  2 not run  done in ");
    assert_has(text, "cancelling: ");
    assert_has_not(text, "failed");
    world_close(&world);
}

/* Of a resumed run: what had ended is there, and says nothing of how fast it is. */
static void what_ended_before(void **state)
{
    struct world world;
    struct board_news had = {.event = BOARD_TAKEN_UP, .state = STEP_PASSED, .subject = "", .reason = ""};

    (void)state;
    world_open(&world, 4);
    for (had.step = 0; had.step < 4; had.step++)
        board_state_note(world.state, &had, world.now);
    assert_has(screen(&world, 80, 24, true), "reachable          ██████████ 4/4  done before\n");
    assert_int_equal(world.state->timed, 0);
    world_close(&world);
}

static void a_log_has_what_a_person_would_note(void **state)
{
    struct world world;
    cleanup_text struct text news = {0};

    (void)state;
    world_open(&world, 40);
    text_init(&news, 1 << 20);
    burn(&world, 40, 0);
    board_plain_news(&world.plain, world.state, world.now, &news);
    assert_string_equal(news.bytes, "01:50:42  run 6: delivery, 208 hosts (times are UTC)\n"
                                    "01:50:42  gpu-burn begins on 40 hosts\n"
                                    "01:50:42  reachable done: 40 ok, in 2 s\n");
    text_reset(&news);
    for (size_t i = 0; i < 30; i++)
        passed(&world, 40 + i);
    broke(&world, 70, "", "137 errors");
    broke(&world, 71, "", "139 errors");
    end(&world, 72, STEP_FAILED, OUTCOME_INCONCLUSIVE, "", "deadline");
    board_plain_news(&world.plain, world.state, world.now, &news);
    assert_string_equal(news.bytes, "01:50:42  gpu-burn failed on node[31-32]: 137 to 139 errors\n"
                                    "01:50:42  gpu-burn could not be decided on node33: deadline\n");
    text_reset(&news);
    board_plain_news(&world.plain, world.state, world.now + 30, &news);
    assert_string_equal(news.bytes, "");
    board_plain_news(&world.plain, world.state, world.now + 60, &news);
    assert_has(news.bytes, "01:51:42  5 m 2 s gone, ");
    assert_has(news.bytes, ": 73 of 121 tests done; gpu-burn 33/40\n");
    text_reset(&news);
    board_plain_news(&world.plain, world.state, world.now + 90, &news);
    assert_string_equal(news.bytes, "");
    for (size_t i = 73; i < 80; i++)
        passed(&world, i);
    broke(&world, 80, "", "1 error");
    board_plain_news(&world.plain, world.state, world.now, &news);
    assert_has(news.bytes, "gpu-burn done: 37 ok, 2 failed, 1 open, in 4 m 0 s\n");
    world_close(&world);
}

/* A thousand reasons at once do not flood the log. */
static void a_flood_of_reasons(void **state)
{
    struct world world;
    cleanup_text struct text news = {0};
    size_t lines = 0;

    (void)state;
    world_open(&world, 1000);
    text_init(&news, 1 << 20);
    burn(&world, 1000, 0);
    board_plain_news(&world.plain, world.state, world.now, &news);
    text_reset(&news);
    for (size_t i = 0; i < 1000; i++)
        broke(&world, 1000 + i, "", arena_printf(world.arena, "gpu%zu is gone", i));
    board_plain_news(&world.plain, world.state, world.now, &news);
    for (const char *at = news.bytes; *at != '\0'; at++)
        lines += *at == '\n';
    assert_int_equal(lines, 14); /* 12 reasons, how many more, and that the step is done */
    assert_has(news.bytes, "and 988 more failures for other reasons\n");
    world_close(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_screen_of_80_by_24),
        cmocka_unit_test(a_number_and_its_limit_are_seen_on_80_columns),
        cmocka_unit_test(what_does_not_fit_is_one_line),
        cmocka_unit_test(a_failure_is_seen_whatever_else_goes_on),
        cmocka_unit_test(who_is_waited_for),
        cmocka_unit_test(time_left_goes_on),
        cmocka_unit_test(time_left_is_by_observed_speed),
        cmocka_unit_test(times_in_words),
        cmocka_unit_test(reasons_that_are_alike_are_folded),
        cmocka_unit_test(hostile_words),
        cmocka_unit_test(ended_by_us),
        cmocka_unit_test(what_ended_before),
        cmocka_unit_test(a_log_has_what_a_person_would_note),
        cmocka_unit_test(a_flood_of_reasons),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
