/* SPDX-License-Identifier: Apache-2.0 */
/* What a counter of a GPU is compared with where nvidia-smi numbers the GPUs anew between two looks. */
#include "../../src/judge/grown.h"
#include "../unit_test.h"

struct gpu {
    const char *name, *uuid;
    double rows;
};

/* As check_keep leaves it: the value in the reading of all, who the GPUs are in that of the part. */
static struct attempt look(struct arena *arena, const struct gpu *gpus, size_t count, const char *boot)
{
    struct attempt attempt = {.boot_id = boot};
    struct part *part = list_push(arena, &attempt.parts);

    *part = (struct part){.name = "main"};
    reading_init(&part->reading, arena, "nvidia-smi");
    reading_init(&attempt.reading, arena, "ecc");
    for (size_t i = 0; i < count; i++) {
        reading_fact(&part->reading, "gpu.uuid", gpus[i].name, slice_of(gpus[i].uuid));
        reading_measure(&attempt.reading, "rows", gpus[i].name, gpus[i].rows, "");
    }
    return attempt;
}

static enum growth_word word_of(const struct gpu *before, size_t count, const struct gpu *now,
                                const char *boot)
{
    static const struct limit none = {.metric = "rows", .rule = RULE_GROWN},
                              of_boot = {.metric = "rows", .rule = RULE_GROWN, .text = GROWN_OF_BOOT};
    struct arena *arena = arena_create();
    struct attempt first = look(arena, before, count, "a"), last = look(arena, now, 1, boot);
    const struct slot slot = {.metric = "rows", .subject = now->name, .at = ""};
    enum growth_word word =
        grown_between(arena, *boot == 'a' ? &none : &of_boot, &slot, &first, &last, 1, now->rows).word;

    arena_destroy(arena);
    return word;
}

static const struct gpu before[] = {{"gpu0", "GPU-a", 0}, {"gpu1", "GPU-b", 7}};

static void a_gpu_is_compared_with_itself_where_another_has_gone(void **state)
{
    (void)state;
    assert_int_equal(word_of(before, 2, &(struct gpu){"gpu0", "GPU-b", 7}, "a"), GROWN_WITHIN);
    assert_int_equal(word_of(before, 2, &(struct gpu){"gpu0", "GPU-b", 8}, "a"), GROWN_BEYOND);
    assert_int_equal(word_of(before, 2, &(struct gpu){"gpu1", "GPU-a", 1}, "a"), GROWN_BEYOND);
}

static void of_another_gpu_or_a_counter_that_went_back_nobody_knows(void **state)
{
    (void)state;
    assert_int_equal(word_of(before, 2, &(struct gpu){"gpu0", "GPU-c", 0}, "a"), GROWN_UNKNOWN);
    assert_int_equal(word_of(before, 2, &(struct gpu){"gpu1", "GPU-b", 6}, "a"), GROWN_UNKNOWN);
    assert_int_equal(word_of(before, 0, &(struct gpu){"gpu1", "GPU-b", 6}, "a"), GROWN_UNKNOWN);
}

static void what_counts_since_the_boot_begins_again_with_it(void **state)
{
    (void)state;
    assert_int_equal(word_of(before, 2, &(struct gpu){"gpu0", "GPU-a", 1}, "b"), GROWN_ANEW);
}

/* Two hours by the host's uptime, in which 240 may come, whatever the controller's clock was set to in between. */
static void what_came_in_an_hour_is_by_the_hosts_own_uptime(void **state)
{
    static const struct limit limit = {.metric = "rows", .rule = RULE_GROWN, .value = 10, .most = 120};
    static const double set_by[] = {0, -3 * 3600, 1000 * 3600};
    static const struct {
        double rows;
        enum growth_word word;
    } cases[] = {{207, GROWN_WITHIN}, {307, GROWN_BEYOND}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(set_by); i++)
        for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
            struct arena *arena = arena_create();
            const struct gpu gpu = {"gpu1", "GPU-b", cases[k].rows};
            struct attempt first = look(arena, before, 2, "a"), last = look(arena, &gpu, 1, "a");
            const struct slot slot = {.metric = "rows", .subject = gpu.name, .at = ""};

            first.began = 1e9;
            first.up_began = 5000;
            last.began = 1e9 + 7200 + set_by[i];
            last.up_began = 5000 + 7200;
            assert_int_equal(grown_between(arena, &limit, &slot, &first, &last, 1, gpu.rows).word,
                             cases[k].word);
            arena_destroy(arena);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gpu_is_compared_with_itself_where_another_has_gone),
        cmocka_unit_test(of_another_gpu_or_a_counter_that_went_back_nobody_knows),
        cmocka_unit_test(what_counts_since_the_boot_begins_again_with_it),
        cmocka_unit_test(what_came_in_an_hour_is_by_the_hosts_own_uptime),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
