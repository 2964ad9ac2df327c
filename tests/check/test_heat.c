/* SPDX-License-Identifier: Apache-2.0 */
/* How near a GPU came to its own slowdown, by what nvidia-smi tells of it. */
#include <math.h>
#include <stdio.h>

#include "../unit_test.h"
#include "heat.h"
#include "samples.h"

/* NAN: not told. */
struct told {
    double most, margin, slows_at, slows_at_margin;
    bool cut; /* the sampler was gone before the test had ended */
};

static const char *said_of(struct told told)
{
    static char said[80];
    struct arena *arena = arena_create();
    struct reading reading;
    const double values[] = {told.most, told.margin, told.slows_at, told.slows_at_margin};
    static const char *const metrics[] = {"window.temperature.max", "window.temperature.margin",
                                          "window.temperature.slows_at",
                                          "window.temperature.slows_at_margin"};
    const char *fact;

    reading_init(&reading, arena, "gpu-burn");
    if (!told.cut)
        reading_fact(&reading, SAMPLES_WATCHED, "gpu3", slice_of("to the end"));
    for (size_t i = 0; i < ARRAY_SIZE(values); i++)
        if (!isnan(values[i]))
            reading_measure(&reading, metrics[i], "gpu3", values[i], "C");
    read_heat(&reading);
    fact = reading_get_fact(&reading, HEAT_SLOWDOWN, "gpu3");
    snprintf(said, sizeof said, "%s", fact != NULL ? fact : "nobody knows");
    arena_destroy(arena);
    return said;
}

static void a_gpu_that_tells_a_margin_is_judged_by_it(void **state)
{
    (void)state;
    assert_string_equal(said_of((struct told){66, 21, NAN, -2, false}), HEAT_NOT_REACHED);
    /* The software slows it down, and its own reasons say so; the hardware does not. */
    assert_string_equal(said_of((struct told){88, -1, NAN, -2, false}), HEAT_NOT_REACHED);
    assert_string_equal(said_of((struct told){89, -2, NAN, -2, false}),
                        "T.Limit of -2 C reached, slowdown at -2 C");
    assert_string_equal(said_of((struct told){91, -4, NAN, -2, false}),
                        "T.Limit of -4 C reached, slowdown at -2 C");
    /* Where one had the least margin before it was hottest, the two do not make a temperature. */
    assert_string_equal(said_of((struct told){60, -4, NAN, -2, false}),
                        "T.Limit of -4 C reached, slowdown at -2 C");
    /* A driver that tells no threshold: the margin's own zero. */
    assert_string_equal(said_of((struct told){86, 1, NAN, NAN, false}), HEAT_NOT_REACHED);
    assert_string_equal(said_of((struct told){87, 0, NAN, NAN, false}),
                        "T.Limit of 0 C reached, slowdown at 0 C");
}

static void a_gpu_that_tells_a_temperature_is_judged_by_that(void **state)
{
    (void)state;
    assert_string_equal(said_of((struct told){88, NAN, 89, NAN, false}), HEAT_NOT_REACHED);
    assert_string_equal(said_of((struct told){89, NAN, 89, NAN, false}), "89 C reached, slowdown at 89 C");
}

static void what_was_not_told_is_not_taken_for_cool(void **state)
{
    (void)state;
    assert_string_equal(said_of((struct told){120, NAN, NAN, NAN, false}), HEAT_NOT_TOLD);
    assert_string_equal(said_of((struct told){120, NAN, NAN, -2, false}), HEAT_NOT_TOLD);
    /* Nor is a GPU too hot whose driver has 0 for a temperature that it does not know. */
    assert_string_equal(said_of((struct told){60, NAN, 0, NAN, false}), HEAT_NOT_TOLD);
    assert_string_equal(said_of((struct told){60, 21, 0, -2, false}), HEAT_NOT_REACHED);
    assert_string_equal(said_of((struct told){NAN, 21, NAN, -2, false}), "nobody knows");
    /* What a sampler saw that was gone too early is not all there was; what was too hot, was. */
    assert_string_equal(said_of((struct told){66, 21, NAN, -2, true}), "nobody knows");
    assert_string_equal(said_of((struct told){91, -4, NAN, -2, true}),
                        "T.Limit of -4 C reached, slowdown at -2 C");
}

/* What the sampler tells of throttling, whose only line of a GPU came in the first second. up: how long the test lasted by the
   host's uptime; 0: it is not told. */
static const char *throttling_after(double lasted, double up)
{
    static char said[80];
    static const char line[] = "2026/05/01 12:34:56.789, 0, 40, N/A, 90.12, 345, 5, 0, 0x0000000000000001\n";
    struct arena *arena = arena_create();
    struct attempt attempt = {.began = 1000, .ended = 1000 + lasted};
    const struct check_context context = {.arena = arena};
    struct reading reading;
    const char *fact;

    attempt.up_began = up > 0 ? 5000 : 0;
    attempt.up_ended = attempt.up_began + up;
    reading_init(&reading, arena, "gpu-burn");
    *list_push(arena, &attempt.parts) =
        (struct part){.name = "samples", .began = true, .ended = true, .out = slice_of(line)};
    read_samples(&context, &attempt, &reading);
    fact = reading_get_fact(&reading, "window.throttle.hw_thermal_slowdown", "gpu0");
    snprintf(said, sizeof said, "%s", fact != NULL ? fact : "nobody knows");
    arena_destroy(arena);
    return said;
}

static void a_sampler_that_hung_has_not_seen_the_test(void **state)
{
    (void)state;
    assert_string_equal(throttling_after(60, 0), "Not Active");
    assert_string_equal(throttling_after(1800, 0), "nobody knows");
    /* It had ended long before its controller, which was killed meanwhile, heard of it. */
    assert_string_equal(throttling_after(7200, 60), "Not Active");
    assert_string_equal(throttling_after(60, 1800), "nobody knows");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gpu_that_tells_a_margin_is_judged_by_it),
        cmocka_unit_test(a_gpu_that_tells_a_temperature_is_judged_by_that),
        cmocka_unit_test(what_was_not_told_is_not_taken_for_cool),
        cmocka_unit_test(a_sampler_that_hung_has_not_seen_the_test),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
