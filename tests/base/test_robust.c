/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "../unit_test.h"
#include "assay/base/arena.h"
#include "assay/base/robust.h"

static void the_median_is_the_middle_one_or_between_the_middle_two(void **state)
{
    double odd[] = {9, -1, 4}, even[] = {4, 1, 1000, 2};

    (void)state;
    assert_true(robust_median(odd, 3) == 4);
    assert_true(robust_median(even, 4) == 3);
    assert_true(isnan(robust_median(odd, 0)));
}

static void one_wild_value_does_not_move_sigma(void **state)
{
    double values[] = {10, 11, 9, 12, 8, 1e9, 10};

    (void)state;
    assert_true(fabs(robust_sigma(values, 7, 10) - 1.4826) < 1e-12);
}

/* Tables of the normal distribution. */
static void deviations_are_those_of_the_normal_distribution(void **state)
{
    (void)state;
    assert_true(fabs(robust_deviation_at(0.025) - 1.95996) < 0.0005);
    assert_true(fabs(robust_deviation_at(0.001) - 3.09023) < 0.0005);
    assert_true(fabs(robust_deviation_at(1e-6) - 4.75342) < 0.0005);
}

/* Box and Muller, from a sequence that is the same everywhere. */
static double normal(uint64_t *seed)
{
    double parts[2];

    for (size_t i = 0; i < 2; i++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        parts[i] = ((double)(*seed >> 11) + 1) / 9007199254740993.0;
    }
    return sqrt(-2 * log(parts[0])) * cos(6.283185307179586 * parts[1]);
}

/* The whole point of it: of 100 bounds from so many values, 95 or more leave out no more than one of 1,000. */
static void a_bound_holds_as_often_as_it_says(void **state)
{
    static const size_t counts[] = {12, 20, 48, 400};
    enum { TRIALS = 2000 };
    uint64_t seed = 1;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
        size_t held = 0;

        for (size_t trial = 0; trial < TRIALS; trial++) {
            double values[400], median, sigma;

            for (size_t k = 0; k < counts[i]; k++)
                values[k] = normal(&seed);
            median = robust_median(values, counts[i]);
            sigma = robust_sigma(values, counts[i], median);
            held += median - robust_tolerance_factor(counts[i], 0.001, 0.95) * sigma < -3.0902;
        }
        /* 0.015 is three standard errors. */
        assert_true((double)held / TRIALS > 0.95 - 0.015);
    }
    assert_true(isnan(robust_tolerance_factor(6, 0.001, 0.95)));
    assert_true(isnan(robust_tolerance_factor(0, 0.001, 0.95)));
    assert_true(fabs(robust_tolerance_factor(20, 0.001, 0.95) - 5.84) < 0.01);
    assert_true(robust_tolerance_factor(100000, 0.001, 0.95) > 3.0902);
    assert_true(robust_tolerance_factor(100000, 0.001, 0.95) < 3.12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_median_is_the_middle_one_or_between_the_middle_two),
        cmocka_unit_test(one_wild_value_does_not_move_sigma),
        cmocka_unit_test(deviations_are_those_of_the_normal_distribution),
        cmocka_unit_test(a_bound_holds_as_often_as_it_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
