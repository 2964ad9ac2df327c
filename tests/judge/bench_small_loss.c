/* SPDX-License-Identifier: Apache-2.0 */
/* bench_small_loss [TRIALS]: a host that is 1% slow among 1,250 whose values differ by 2% from one attempt to the next and by nothing
   else, tested again and again by steps of at most 99 attempts each (`repeat`), by the comparison of peers that judges runs, with
   `remark` 0.01: how many attempts of each host until it is named in 99 of 100 runs. Beside it how many a test takes that knows
   the noise. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "assay/base/scan.h"
#include "assay/judge/peers.h"
#include "dice.h"

enum { HOSTS = 1250, SLOW = 617, TRIALS = 200, REPEAT_MOST = 99, STEPS_MOST = 6 };
static const double noise = 0.02, loss = 0.01, power_aim = 0.99, wrong_aim = 0.001;
static const unsigned rounds[] = {99, 198, 297, 396, 495};

/* One-sided quantiles of the normal distribution, of 0.001 / 1250 and of 0.01. */
static const double quantile_wrong = 4.80, quantile_power = 2.33;

struct told {
    unsigned found, wrong;
};

static struct told try_once(unsigned count, uint64_t seed)
{
    struct arena *arena = arena_create();
    struct peers_value *values = arena_array(arena, struct peers_value, (size_t)HOSTS * count);
    struct peers_aspect steps[STEPS_MOST];
    size_t step_count = (count + REPEAT_MOST - 1) / REPEAT_MOST;
    struct peers_problem problem = {.positions = arena_array(arena, size_t, HOSTS),
                                    .subject_count = HOSTS,
                                    .aspects = steps,
                                    .aspect_count = step_count,
                                    .values = values,
                                    .value_count = (size_t)HOSTS * count};
    struct peers_findings findings;
    struct told told = {0};

    for (size_t i = 0; i < step_count; i++)
        steps[i] = (struct peers_aspect){.remark = loss, .fail = 0.07};
    for (size_t i = 0; i < problem.value_count; i++) {
        size_t host = i / count, step = i % count % step_count;
        double healthy = 370 * (1 + noise * dice_normal(&seed));

        values[i] = (struct peers_value){.series = step,
                                         .aspect = step,
                                         .subjects = {host, PEERS_NONE},
                                         .level = log(healthy * (host == SLOW ? 1 - loss : 1))};
    }
    peers_compare(arena, &problem, &findings);
    list_each (finding, findings.findings)
        if (finding->subject == SLOW && finding->other == PEERS_NONE)
            told.found = 1;
        else
            told.wrong = 1;
    arena_destroy(arena);
    return told;
}

/* Whether it is named often enough. */
static bool try_rounds(unsigned count, uint64_t trials)
{
    struct told all = {0};

    for (uint64_t seed = 1; seed <= trials; seed++) {
        struct told told = try_once(count, seed << 32);

        all.found += told.found;
        all.wrong += told.wrong;
    }
    printf("bench small-loss %u-rounds.named value=%.4g unit=of_runs aim=- met=-\n", count,
           (double)all.found / (double)trials);
    printf(
        "bench small-loss %u-rounds.runs_with_a_wrong_name value=%.4g unit=of_runs aim=- met=- trials=%lu\n",
        count, (double)all.wrong / (double)trials, (unsigned long)trials);
    fflush(stdout);
    if (all.found < power_aim * (double)trials)
        return false;
    printf("bench small-loss rounds value=%u unit=attempts_a_host aim=- met=-\n", count);
    printf("bench small-loss wrong value=%.4g unit=of_runs aim=<=%g met=%s\n",
           (double)all.wrong / (double)trials, wrong_aim,
           all.wrong <= wrong_aim * (double)trials ? "yes" : "no");
    return true;
}

int main(int argc, char **argv)
{
    uint64_t trials = TRIALS;

    if (argc > 1 && (!scan_u64(slice_of(argv[1]), &trials) || trials == 0)) {
        fprintf(stderr, "bench_small_loss: '%s' is not a number of trials\n", argv[1]);
        return 64;
    }
    printf("bench small-loss rounds_where_noise_is_known value=%.0f unit=attempts_a_host aim=- met=-\n",
           pow((quantile_wrong + quantile_power) * noise / loss, 2));
    for (size_t i = 0; i < ARRAY_SIZE(rounds); i++)
        if (try_rounds(rounds[i], trials))
            return 0;
    printf("bench small-loss rounds value=more unit=attempts_a_host aim=<=%u met=no\n",
           rounds[ARRAY_SIZE(rounds) - 1]);
    return 0;
}
