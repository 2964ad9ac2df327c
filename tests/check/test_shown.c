/* SPDX-License-Identifier: Apache-2.0 */
/* What a check says of itself for reports: plain words, facts that are listed, metrics that are drawn. */
#include <string.h>

#include "../unit_test.h"
#include "assay/base/text.h"
#include "assay/check/check.h"
#include "assay/reasons/check.h"

static void a_metric_without_words_is_told_by_its_name(void **state)
{
    const struct check bare = {.name = "moon"};
    size_t rank = 0;

    (void)state;
    assert_null(check_plain(&bare, "moon.phase", &rank));
    assert_int_equal(rank, PLAIN_RANK_LAST);
    assert_null(check_plain(NULL, "moon.phase", &rank));
    assert_false(check_draws_curve("moon.phase"));
    assert_null(check_gpu_table("moon.phase"));
    assert_false(check_lists("moon.phase"));
}

/* A new check is complete with the words in its own file. */
static void a_check_speaks_of_its_metrics_in_its_own_words(void **state)
{
    const struct check moon = {
        .name = "moon",
        .plain = PLAIN_WORDS({"moon.dust.*", PLAIN(ecc_is_off, PLAIN_MEASURED)},
                             {"moon.*", PLAIN(part_is_hot, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)})};
    const struct plain_words *row;
    size_t dust = 0, phase = 0;

    (void)state;
    row = check_plain(&moon, "moon.phase", &phase);
    assert_ptr_equal(row->words, &sentence_part_is_hot);
    assert_int_equal(row->values[3], PLAIN_NOTHING);
    row = check_plain(&moon, "moon.dust.height", &dust);
    assert_ptr_equal(row->words, &sentence_ecc_is_off);
    assert_true(dust < phase);
}

/* ... and of what it shares with others in theirs. */
static void a_metric_means_the_same_in_every_check(void **state)
{
    const struct check moon = {.name = "moon"};
    size_t rank;

    (void)state;
    assert_ptr_equal(check_plain(&moon, "gpu_burn.errors", &rank)->words, &sentence_gpu_burn_counts_errors);
    assert_ptr_equal(check_plain(&moon, "window.temperature.max", &rank)->words, &sentence_part_is_hot);
}

/* That GPU 4 computes wrong results is said before that it is slow. */
static void the_worst_speaks_first(void **state)
{
    const struct check *burn = check_find("gpu-burn"), *nccl = check_find("nccl-all-reduce");
    size_t errors, speed, hot, busbw;

    (void)state;
    check_plain(burn, "gpu_burn.errors", &errors);
    check_plain(burn, "gpu_burn.gflops", &speed);
    check_plain(burn, "window.temperature.max", &hot);
    assert_true(errors < speed && speed < hot && hot < PLAIN_RANK_LAST);
    /* Why it is slow stands in its other items. */
    assert_non_null(check_plain(nccl, "nccl.all_reduce.busbw", &busbw));
    assert_int_equal(busbw, PLAIN_RANK_LAST);
}

static void each_fact_is_listed_once(void **state)
{
    static const char *const hosts[] = {
        "gpu.name",     "driver.version", "cuda.version", "fabric_manager.version", "fabric_manager.state",
        "nccl.version", "dcgm.version"};
    size_t count = 0;

    (void)state;
    for (; check_listed(LISTED_HOSTS, count) != NULL; count++)
        assert_string_equal(check_listed(LISTED_HOSTS, count)->fact, hosts[count]);
    assert_int_equal(count, ARRAY_SIZE(hosts));
    assert_true(check_listed(LISTED_GPUS, 0) != NULL && check_listed(LISTED_BOARDS, 0) != NULL);
    assert_true(check_lists("system.serial") && check_lists("gpu.uuid"));
}

/* Each row can be reached: an earlier one does not take all of its metrics. */
static void no_row_hides_another(void **state)
{
    size_t count, rank, again;
    const struct check *const *checks = check_list(&count);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        const struct plain_words *rows = checks[i]->plain;

        for (size_t k = 0; rows != NULL && rows[k].metric != NULL; k++) {
            assert_ptr_equal(check_plain(checks[i], rows[k].metric, &rank), &rows[k]);
            for (size_t n = 0; n < k; n++) {
                check_plain(checks[i], rows[n].metric, &again);
                assert_true(again < rank || rank == PLAIN_RANK_LAST);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_metric_without_words_is_told_by_its_name),
        cmocka_unit_test(a_check_speaks_of_its_metrics_in_its_own_words),
        cmocka_unit_test(a_metric_means_the_same_in_every_check),
        cmocka_unit_test(the_worst_speaks_first),
        cmocka_unit_test(each_fact_is_listed_once),
        cmocka_unit_test(no_row_hides_another),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
