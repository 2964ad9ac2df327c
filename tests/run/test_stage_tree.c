/* SPDX-License-Identifier: Apache-2.0 */
/* Who gives the tools to whom: the controller little, each host as often as it may, and nobody is left behind. */
#include <string.h>

#include "../unit_test.h"
#include "assay/base/arena.h"
#include "stage_tree.h"

struct transfer {
    enum tree_order order;
    size_t target, source;
};

struct play {
    struct arena *arena;
    struct stage_tree tree;
    unsigned rounds, pushes, passes, most_at_once, far;
    bool (*works)(const struct transfer *transfer);
};

static void play_init(struct play *play, size_t hosts)
{
    *play = (struct play){.arena = arena_create()};
    play->tree = (struct stage_tree){.hosts = arena_array(play->arena, struct tree_host, hosts),
                                     .count = hosts,
                                     .seeds = 1,
                                     .fan_out = 3,
                                     .pushes = 4};
    for (size_t i = 0; i < hosts; i++) {
        play->tree.hosts[i] =
            (struct tree_host){.leaf = arena_printf(play->arena, "l%zu", i / 16), .unit = ""};
        tree_set(&play->tree, i, TREE_WANTS);
    }
}

/* Transfers take a round each; all of a round end before the next. */
static void play_all(struct play *play)
{
    struct stage_tree *tree = &play->tree;
    struct transfer *going = arena_array(play->arena, struct transfer, tree->count);

    for (;; play->rounds++) {
        unsigned count = 0, pushing = 0;
        struct transfer next;

        while ((next.order = tree_next(tree, &next.target, &next.source)) != TREE_NOTHING) {
            assert_int_equal(tree->hosts[next.target].state, TREE_TAKING);
            assert_int_equal(next.order == TREE_PUSH, next.source == TREE_CONTROLLER);
            if (next.order == TREE_PASS)
                assert_int_equal(tree->hosts[next.source].state, TREE_HAS);
            pushing += next.order == TREE_PUSH;
            going[count++] = next;
        }
        if (pushing > play->most_at_once)
            play->most_at_once = pushing;
        if (count == 0)
            break;
        for (size_t i = 0; i < tree->count; i++)
            assert_true(tree->hosts[i].giving <= tree->fan_out);
        for (unsigned i = 0; i < count; i++) {
            bool well = play->works == NULL || play->works(&going[i]);

            play->pushes += going[i].order == TREE_PUSH;
            play->passes += going[i].order == TREE_PASS;
            play->far += going[i].order == TREE_PASS &&
                         strcmp(tree->hosts[going[i].source].leaf, tree->hosts[going[i].target].leaf) != 0;
            tree_set(tree, going[i].target, well ? TREE_HAS : TREE_WANTS);
        }
        assert_true(play->rounds < 10000);
    }
}

static void all_have_it(const struct play *play)
{
    for (size_t i = 0; i < play->tree.count; i++)
        assert_int_equal(play->tree.hosts[i].state, TREE_HAS);
}

static void one_copy_reaches_1250_hosts_in_seven_rounds(void **state)
{
    struct play play;

    (void)state;
    play_init(&play, 1250);
    play_all(&play);
    all_have_it(&play);
    assert_int_equal(play.pushes, 1);
    assert_int_equal(play.passes, 1249);
    assert_int_equal(play.rounds, 7); /* the seed's own, then 4, 16, 64, 256, 1024 hosts, then all */
    assert_true(play.far < 1250 / 2); /* the others take it within their leaf */
    arena_destroy(play.arena);
}

static void hosts_that_have_it_already_spare_the_controller_its_copy(void **state)
{
    struct play play;

    (void)state;
    play_init(&play, 20);
    tree_set(&play.tree, 7, TREE_HAS);
    play_all(&play);
    all_have_it(&play);
    assert_int_equal(play.pushes, 0);
    arena_destroy(play.arena);
}

static void nothing_is_pushed_while_hosts_may_still_say_that_they_have_it(void **state)
{
    struct play play;
    size_t target, source;

    (void)state;
    play_init(&play, 3);
    play.tree.waits = true;
    assert_int_equal(tree_next(&play.tree, &target, &source), TREE_NOTHING);
    tree_set(&play.tree, 2, TREE_HAS);
    assert_int_equal(tree_next(&play.tree, &target, &source), TREE_PASS);
    assert_int_equal(source, 2);
    arena_destroy(play.arena);
}

static bool no_login_between_hosts(const struct transfer *transfer)
{
    return transfer->order == TREE_PUSH;
}

static void where_hosts_cannot_log_in_to_each_other_the_controller_gives_it_to_all_a_few_at_a_time(
    void **state)
{
    struct play play;

    (void)state;
    play_init(&play, 64);
    play.works = no_login_between_hosts;
    play_all(&play);
    all_have_it(&play);
    assert_int_equal(play.pushes, 64);
    assert_true(play.passes <= 12); /* soon nobody is asked any more */
    assert_int_equal(play.most_at_once, 4);
    arena_destroy(play.arena);
}

static bool host_3_gives_nothing(const struct transfer *transfer)
{
    return transfer->source != 3;
}

static void a_host_that_gives_nothing_holds_nobody_up(void **state)
{
    struct play play;

    (void)state;
    play_init(&play, 64);
    play.works = host_3_gives_nothing;
    play_all(&play);
    all_have_it(&play);
    assert_int_equal(play.pushes, 1);
    assert_true(play.tree.hosts[3].misgave <= 3 + 3);
    arena_destroy(play.arena);
}

static bool host_5_takes_from_the_controller_only(const struct transfer *transfer)
{
    return transfer->target != 5 || transfer->order == TREE_PUSH;
}

static void a_host_that_others_cannot_reach_is_given_it_by_the_controller(void **state)
{
    struct play play;

    (void)state;
    play_init(&play, 64);
    play.works = host_5_takes_from_the_controller_only;
    play_all(&play);
    all_have_it(&play);
    assert_int_equal(play.pushes, 2);
    assert_int_equal(play.tree.hosts[5].refused, 2);
    arena_destroy(play.arena);
}

static void directly_means_from_the_controller_only(void **state)
{
    struct play play;

    (void)state;
    play_init(&play, 10);
    play.tree.direct = true;
    play_all(&play);
    all_have_it(&play);
    assert_int_equal(play.passes, 0);
    assert_int_equal(play.most_at_once, 4);
    arena_destroy(play.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_copy_reaches_1250_hosts_in_seven_rounds),
        cmocka_unit_test(hosts_that_have_it_already_spare_the_controller_its_copy),
        cmocka_unit_test(nothing_is_pushed_while_hosts_may_still_say_that_they_have_it),
        cmocka_unit_test(
            where_hosts_cannot_log_in_to_each_other_the_controller_gives_it_to_all_a_few_at_a_time),
        cmocka_unit_test(a_host_that_gives_nothing_holds_nobody_up),
        cmocka_unit_test(a_host_that_others_cannot_reach_is_given_it_by_the_controller),
        cmocka_unit_test(directly_means_from_the_controller_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
