/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "assay/robust.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_median_is_the_middle_one_or_between_the_middle_two),
        cmocka_unit_test(one_wild_value_does_not_move_sigma),
        cmocka_unit_test(deviations_are_those_of_the_normal_distribution),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
