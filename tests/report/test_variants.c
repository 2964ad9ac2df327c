/* SPDX-License-Identifier: Apache-2.0 */
/* Variants of a step compared: what is called a difference, and what the report advises. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../unit_test.h"
#include "assay/report/report.h"
#include "variants.h"

static struct spread of(size_t count, const double *values)
{
    double copy[16];

    memcpy(copy, values, count * sizeof *values);
    return spread_of(copy, count);
}

static void repeats_give_their_median_and_how_far_they_lie_apart(void **state)
{
    struct spread spread = of(5, (double[]){181, 179, NAN, 180, 183});

    (void)state;
    assert_int_equal(spread.count, 4);
    assert_true(spread.median == 180.5);
    assert_true(spread.low == 179);
    assert_true(spread.high == 183);
    spread = of(1, (double[]){NAN});
    assert_int_equal(spread.count, 0);
    assert_true(isnan(spread.median) && isnan(spread.low) && isnan(spread.high));
}

static void a_difference_within_the_noise_is_none(void **state)
{
    static const struct {
        size_t count, other_count;
        double values[5], others[5];
        enum difference word;
        double noise; /* in %, rounded */
    } cases[] = {
        {5, 5, {100, 101, 99, 100, 100}, {106, 106, 106, 106, 106}, DIFFERENCE_FASTER, 2},
        {5, 5, {100, 101, 99, 100, 100}, {94, 94, 94, 94, 94}, DIFFERENCE_SLOWER, 2},
        {5, 5, {100, 104, 98, 100, 100}, {105, 105, 105, 105, 105}, DIFFERENCE_NONE, 6},
        /* Either's noise counts; of few repeats both together. */
        {5, 5, {100, 100, 100, 100, 100}, {105, 102, 109, 105, 105}, DIFFERENCE_NONE, 7},
        {3, 3, {98, 100, 102}, {107, 105, 109}, DIFFERENCE_NONE, 8},
        {5, 5, {98, 100, 102, 100, 100}, {107, 105, 109, 107, 107}, DIFFERENCE_FASTER, 4},
        /* Quiet repeats make no difference of nothing. */
        {3, 3, {100, 100, 100}, {100.9, 100.9, 100.9}, DIFFERENCE_NONE, 0},
        {2, 3, {100, 100}, {200, 200, 200}, DIFFERENCE_UNKNOWN, NAN},
        {3, 2, {100, 100, 100}, {200, 200}, DIFFERENCE_UNKNOWN, NAN},
        {3, 0, {100, 100, 100}, {0}, DIFFERENCE_UNKNOWN, NAN},
        {3, 3, {0, 0, 0}, {1, 1, 1}, DIFFERENCE_UNKNOWN, NAN},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct spread a = of(cases[i].count, cases[i].values), b = of(cases[i].other_count, cases[i].others);
        struct contrast contrast = spread_contrast(&a, &b);

        if (contrast.word != cases[i].word || isnan(contrast.noise) != isnan(cases[i].noise) ||
            (!isnan(contrast.noise) && round(contrast.noise * 100) != cases[i].noise))
            fail_msg("case %zu: %s, noise %g", i, difference_name(contrast.word), contrast.noise);
    }
}

/* -1 .. 1, by the sum of twelve: near enough to a normal distribution. */
static double normal(unsigned long long *seed)
{
    double sum = -6;

    for (int i = 0; i < 12; i++) {
        *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
        sum += (double)(*seed >> 33) / 2147483648.0;
    }
    return sum;
}

static size_t differences_called(size_t repeats, double change)
{
    enum { TRIALS = 10000 };
    unsigned long long seed = 7;
    size_t called = 0;

    for (size_t i = 0; i < TRIALS; i++) {
        double a[8], b[8];
        struct spread left, right;

        for (size_t k = 0; k < repeats; k++) {
            a[k] = 100 * (1 + 0.02 * normal(&seed));
            b[k] = 100 * (1 + change) * (1 + 0.02 * normal(&seed));
        }
        left = spread_of(a, repeats);
        right = spread_of(b, repeats);
        called += spread_contrast(&left, &right).word != DIFFERENCE_NONE;
    }
    return called;
}

/* The figures that spread.h promises, with a little room. */
static void noise_alone_is_seldom_called_a_difference(void **state)
{
    (void)state;
    assert_in_range(differences_called(3, 0), 1, 180);
    assert_in_range(differences_called(5, 0), 1, 60);
    assert_in_range(differences_called(8, 0), 0, 20);
    assert_in_range(differences_called(5, 0.10), 9300, 10000);
}

/* --- a run of variants --- */

#define GIB 1073741824.0

struct tuned {
    struct arena *arena;
    struct record *record;
    struct host *host;
};

static void add_measurement(struct tuned *tuned, struct attempt *attempt, const char *metric, double size,
                            const char *place, double value)
{
    struct measurement *measurement = list_push(tuned->arena, &attempt->reading.measurements);

    *measurement = (struct measurement){.metric = metric, .subject = "", .value = value, .unit = "GB/s"};
    *list_push(tuned->arena, &measurement->at) =
        (struct at_field){"size_bytes", arena_printf(tuned->arena, "%.0f", size), true};
    *list_push(tuned->arena, &measurement->at) = (struct at_field){"place", place, false};
}

/* One repeat: at both sizes. */
static struct attempt *add_repeat(struct tuned *tuned, double at_1g, double at_2g)
{
    struct attempt *attempt = list_push(tuned->arena, &tuned->record->attempts);

    *attempt = (struct attempt){.step = tuned->record->plan->steps.count - 1,
                                .n = 1,
                                .uuid = "u",
                                .state = ATTEMPT_ENDED,
                                .end = ATTEMPT_RAN,
                                .boot_id = "b",
                                .command = "",
                                .transport = reason_text(tuned->arena, "local")};
    attempt->captures[0].stream = "stdout";
    attempt->captures[1].stream = "stderr";
    reading_init(&attempt->reading, tuned->arena, "nccl-all-reduce");
    attempt->reading.status = READING_COMPLETE;
    add_measurement(tuned, attempt, "nccl.all_reduce.algbw", GIB, "out", at_1g);
    add_measurement(tuned, attempt, "nccl.all_reduce.algbw", GIB, "in", 1);
    add_measurement(tuned, attempt, "nccl.all_reduce.algbw", 2 * GIB, "out", at_2g);
    return attempt;
}

/* soundness: why the variant is in trouble; "" it is not. */
static void add_variant(struct tuned *tuned, const char *name, const char *settings, const char *soundness)
{
    static const char *const metrics[] = {"sound", "nccl.all_reduce.busbw", "nccl.all_reduce.busbw"};
    struct plan *plan = tuned->record->plan;
    struct shape *shape = arena_new(tuned->arena, struct shape);
    struct step *step = list_push(tuned->arena, &plan->steps);

    *shape = (struct shape){.sha256 = name,
                            .check = "nccl-all-reduce",
                            .suite_step = "tune",
                            .scope = "host",
                            .variant = name,
                            .platform = "p",
                            .hosts = 1,
                            .slots = arena_array(tuned->arena, struct slot, 3),
                            .slot_count = 3,
                            .repeat = 5};
    *step = (struct step){
        .key = name, .shape = shape, .origin_note = reason_text(tuned->arena, settings), .member_count = 1};
    step->members = arena_array(tuned->arena, const struct host *, 1);
    step->members[0] = tuned->host;
    for (size_t i = 0; i < 3; i++) {
        struct outcome *outcome =
            &tuned->record->judgement.outcomes[tuned->record->judgement.outcome_count++];

        shape->slots[i] = (struct slot){.metric = metrics[i], .subject = "", .at = ""};
        shape->slots[i].size_bytes = GIB * (double)i;
        *outcome = (struct outcome){.step = plan->steps.count - 1,
                                    .slot = i,
                                    .cause = i == 0 ? reason_text(tuned->arena, soundness) : NULL,
                                    .remark = i == 0 && *soundness != '\0',
                                    .value = NAN,
                                    .held = &held_to_nothing};
    }
}

static void begin(struct tuned *tuned)
{
    enum { OUTCOMES_MOST = 32 };
    struct arena *arena = arena_create();
    struct record *record = arena_new(arena, struct record);

    *tuned = (struct tuned){.arena = arena, .record = record, .host = arena_new(arena, struct host)};
    *tuned->host =
        (struct host){.name = "node1", .address = "a", .unit = "", .rack = "", .leaf = "", .timescale = 1};
    *record = (struct record){.arena = arena,
                              .number = 1,
                              .uuid = "00000000-0000-4000-8000-000000000000",
                              .state = RUN_ENDED,
                              .suite = "s",
                              .suite_title = "t",
                              .hostfile = "h",
                              .program = "assay",
                              .plan = arena_new(arena, struct plan)};
    record->plan->arena = arena;
    record->plan->run_uuid = record->uuid;
    *list_push(arena, &record->plan->hosts) = tuned->host;
    record->judgement.uuid = "j";
    record->judgement.baselines = reason_text(arena, "none");
    record->judgement.outcomes = arena_array(arena, struct outcome, OUTCOMES_MOST);
}

static const struct tuning *only_tuning(struct tuned *tuned)
{
    struct tunings tunings;

    tunings_collect(view_create(tuned->arena, tuned->record), &tunings);
    assert_int_equal(tunings.items.count, 1);
    return &tunings.items.items[0];
}

static void fill(struct tuned *tuned)
{
    begin(tuned);
    add_variant(tuned, "default", "with no variables of its own", "");
    for (size_t i = 0; i < 5; i++)
        add_repeat(tuned, 100 + (double)(i % 3), 200);
    add_variant(tuned, "qps4", "with Q=4", "");
    for (size_t i = 0; i < 5; i++)
        add_repeat(tuned, 107.06, 200.1);
    add_variant(tuned, "ring", "with R=1", "2 wrong values");
    for (size_t i = 0; i < 5; i++)
        add_repeat(tuned, 300, 600);
    add_variant(tuned, "few", "with F=1", "");
    add_repeat(tuned, 150, 250);
    add_repeat(tuned, 150, 250)->reading.status = READING_PARTIAL;
    add_repeat(tuned, 150, 250)->end = ATTEMPT_DEADLINE;
}

static const char *contrast_of(const struct tuned *tuned, const struct tuning *tuning, size_t column,
                               size_t size)
{
    return reason_english(tuned->arena, contrast_text(tuned->arena, tuning, column, size));
}

static void each_variant_is_compared_with_the_first_and_advised_on_in_words(void **state)
{
    static const char *const advice[] = {
        "at 1G `qps4` is 6.0% faster than `default`, noise 2.0%",
        "at the other sizes, `qps4` and `default` differ by no more than noise, or than 1.0%",
        "do not use `ring`: 2 wrong values",
        "too few repeats of `few` or `default` to tell; 3 of each are needed",
    };
    struct tuned tuned;
    const struct tuning *tuning;

    (void)state;
    fill(&tuned);
    tuning = only_tuning(&tuned);
    assert_string_equal(tuning->metric, "nccl.all_reduce.algbw");
    assert_string_equal(reason_english(tuned.arena, tuning->hosts), "node1");
    assert_int_equal(tuning->sizes.count, 2);
    assert_int_equal(tuning->columns.count, 4);
    assert_int_equal(tuning->columns.items[3].points[0].spread.count, 1);
    assert_null(contrast_text(tuned.arena, tuning, 0, 0));
    assert_string_equal(contrast_of(&tuned, tuning, 1, 0), "6.0% faster");
    assert_string_equal(contrast_of(&tuned, tuning, 1, 1), "no difference");
    assert_null(contrast_text(tuned.arena, tuning, 2, 0));
    assert_string_equal(contrast_of(&tuned, tuning, 3, 0), "too few repeats to tell");
    assert_int_equal(tuning->advice.count, ARRAY_SIZE(advice));
    for (size_t i = 0; i < tuning->advice.count; i++)
        assert_string_equal(reason_english(tuned.arena, tuning->advice.items[i]), advice[i]);
    arena_destroy(tuned.arena);
}

static void nothing_is_compared_with_a_variant_that_computes_wrongly(void **state)
{
    struct tuned tuned;
    const struct tuning *tuning;

    (void)state;
    begin(&tuned);
    add_variant(&tuned, "default", "", "2 wrong values");
    add_variant(&tuned, "ring", "", "");
    for (size_t i = 0; i < 5; i++)
        add_repeat(&tuned, 300, 600);
    tuning = only_tuning(&tuned);
    assert_int_equal(tuning->advice.count, 1);
    assert_string_equal(reason_english(tuned.arena, tuning->advice.items[0]),
                        "`default` is not compared with the others: 2 wrong values");
    assert_null(contrast_text(tuned.arena, tuning, 1, 0));
    arena_destroy(tuned.arena);
}

static void advice_is_in_every_format_and_accepts_nothing(void **state)
{
    static const char *const formats[] = {"html", "text", "json"};
    struct tuned tuned;

    (void)state;
    fill(&tuned);
    for (size_t i = 0; i < 3; i++) {
        cleanup_text struct text out = {0};

        text_init(&out, 1 << 22);
        report_format_find(formats[i])->write(tuned.record, LANGUAGE_EN, &out);
        if (strstr(out.bytes, "`qps4` is 6.0% faster than `default`, noise 2.0%") == NULL ||
            strstr(out.bytes, "with Q=4") == NULL || strstr(out.bytes, "2 wrong values") == NULL)
            fail_msg("%s", out.bytes);
    }
    assert_int_equal(view_create(tuned.arena, tuned.record)->verdict, VERDICT_INCOMPLETE);
    arena_destroy(tuned.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeats_give_their_median_and_how_far_they_lie_apart),
        cmocka_unit_test(a_difference_within_the_noise_is_none),
        cmocka_unit_test(noise_alone_is_seldom_called_a_difference),
        cmocka_unit_test(each_variant_is_compared_with_the_first_and_advised_on_in_words),
        cmocka_unit_test(nothing_is_compared_with_a_variant_that_computes_wrongly),
        cmocka_unit_test(advice_is_in_every_format_and_accepts_nothing),
    };

    return cmocka_run_group_tests_name("variants", tests, NULL, NULL);
}
