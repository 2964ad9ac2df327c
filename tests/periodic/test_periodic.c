/* SPDX-License-Identifier: Apache-2.0 */
/* The estimate against arithmetic by hand, and the choice against all choices that there are. */
#include <math.h>
#include <string.h>

#include "../judge/dice.h"
#include "../unit_test.h"
#include "assay/periodic/periodic.h"
#include "periodic_private.h"

enum { GPU = 1 << PERIODIC_GPU, NETWORK = 1 << PERIODIC_NETWORK, ALL = (1 << PERIODIC_CLASSES) - 1 };

static const double hour = 3600;

static int make_arena(void **state)
{
    *state = arena_create();
    return 0;
}

static int drop_arena(void **state)
{
    *state = arena_destroy(*state);
    return 0;
}

static void assert_near(double found, double wanted)
{
    if (!(fabs(found - wanted) <= 1e-4 * fabs(wanted)))
        fail_msg("found %.9g, wanted %.9g", found, wanted);
}

static size_t add_test(struct periodic_fleet *fleet, const char *step, unsigned own, bool loads, double hours,
                       periodic_set needs)
{
    return periodic_add_test(
        fleet,
        &(struct periodic_test){
            .step = step, .check = step, .own = own, .loads = loads, .expected_h = hours, .needs = needs});
}

/* One look of one test on one host: what failed; all else passed. */
static void look(struct periodic_fleet *fleet, double at_h, size_t host, size_t test, unsigned failed)
{
    periodic_take(fleet, at_h * hour, &(struct periodic_look){host, test, failed, ALL & ~failed}, 1);
}

static void public_rates_and_classes(void **state)
{
    static const struct {
        const char *metric;
        enum periodic_class class;
    } rows[] = {
        {"ecc.volatile.uncorrected", PERIODIC_GPU}, {"gpu_burn.errors", PERIODIC_GPU},
        {"nvlink.link.speed", PERIODIC_GPU},        {"window.ecc.uncorrected", PERIODIC_GPU},
        {"window.ports", PERIODIC_NETWORK},         {"ib.state", PERIODIC_NETWORK},
        {"storage.mounted", PERIODIC_DRIVE},        {"host.machine", PERIODIC_HOST},
        {"bmc.sel_faults", PERIODIC_HOST},          {"something.new", PERIODIC_HOST},
    };
    enum periodic_class class;

    (void)state;
    assert_near(periodic_public_rate(PERIODIC_GPU), 268 / 2654208.0);
    assert_near(periodic_public_rate(PERIODIC_DRIVE), 3 / 2654208.0);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        assert_true(periodic_class_of(rows[i].metric, &class));
        if (class != rows[i].class)
            fail_msg("%s is of %s", rows[i].metric, periodic_class_name(class));
    }
    assert_false(periodic_class_of("sound", &class));
}

static void without_a_history_rates_are_public(void **state)
{
    struct periodic_fleet *fleet = periodic_create(*state);
    struct periodic_rates rates;

    add_test(fleet, "ecc", GPU, false, 0.01, 0);
    add_test(fleet, "xid", GPU, false, 0.01, 0);
    add_test(fleet, "burn", GPU, true, 0.5, 0);
    periodic_add_host(fleet, "a", 0, 7);
    periodic_estimate(*state, fleet, 1000 * hour, &rates);
    for (unsigned k = 0; k < PERIODIC_CLASSES; k++)
        assert_near(rates.host[0][k], periodic_public_rate((enum periodic_class)k));
    /* Two that read share 0.4: 1 - sqrt(0.6). */
    assert_near(rates.cover[0][PERIODIC_GPU], 0.2254033);
    assert_near(rates.cover[2][PERIODIC_GPU], 0.8);
    assert_true(rates.cover[2][PERIODIC_NETWORK] == 0);
    assert_near(rates.cost_h[2], 0.5);
}

/* a: looks at hour 0.01, 100 (fails), 124, 1000; b: at 0.01 and 1000. 1 / P = 9903.76 h. Looks are 1000 h apart, but
   for the hundredth: 720 h of each host in the first age, 280 in the second.
     all at first  2 / (9903.76 + 2000) = 1.680142e-4
     g             (10 + 1) / (10 + 1.680142e-4 1440) = 1.074015; 10 / (10 + 1.680142e-4 560) = 0.990679
     all           2 / (9903.76 + 1440 1.074015 + 560 0.990679) = 1.665953e-4
     platform      5 / (4 / all + 2101.362) = 1.914857e-4
     a             2 / (1 / platform + 1050.681) g = 3.158555e-4, b half of it, for one defect tells nothing of b */
static void hazards_by_hand(void **state)
{
    struct periodic_fleet *fleet = periodic_create(*state);
    struct periodic_rates rates;

    add_test(fleet, "ecc", GPU, false, 0.01, 0);
    periodic_add_host(fleet, "a", 0, 1);
    periodic_add_host(fleet, "b", 0, 1);
    look(fleet, 0.01, 0, 0, 0);
    look(fleet, 0.01, 1, 0, 0);
    look(fleet, 100, 0, 0, GPU);
    look(fleet, 124, 0, 0, 0);
    look(fleet, 1000.01, 0, 0, 0);
    look(fleet, 1000.01, 1, 0, 0);
    periodic_estimate(*state, fleet, 1000.01 * hour, &rates);
    assert_int_equal(rates.found[PERIODIC_GPU], 1);
    assert_near(rates.age[0], 1.074015);
    assert_near(rates.age[1], 0.990679);
    assert_near(rates.all[PERIODIC_GPU], 1.665953e-4);
    assert_true(rates.spread[PERIODIC_GPU] == 1);
    assert_near(rates.host[0][PERIODIC_GPU], 3.158555e-4);
    assert_near(rates.host[1][PERIODIC_GPU], 3.158555e-4 / 2);
    /* What nobody watched is as published. */
    assert_near(rates.all[PERIODIC_NETWORK], periodic_public_rate(PERIODIC_NETWORK));
}

static void what_a_first_look_finds_is_no_rate(void **state)
{
    struct periodic_fleet *fleet = periodic_create(*state);
    struct periodic_rates rates;

    add_test(fleet, "ecc", GPU, false, 0.01, 0);
    periodic_add_host(fleet, "a", 0, 1);
    look(fleet, 1, 0, 0, GPU);
    periodic_estimate(*state, fleet, 2 * hour, &rates);
    assert_int_equal(rates.found[PERIODIC_GPU], 0);
    assert_true(fleet->hosts.items[0].past[PERIODIC_GPU].open);
    assert_int_equal(fleet->tests.items[0].seen[PERIODIC_GPU], 1);
}

/* One defect, three nights, one count: until those that saw it have passed. */
static void coverage_by_hand(void **state)
{
    struct periodic_fleet *fleet = periodic_create(*state);
    struct periodic_rates rates;
    struct periodic_past *past;

    add_test(fleet, "ecc", GPU, false, 0.01, 0);
    add_test(fleet, "burn", GPU, true, 0.5, 0);
    periodic_add_host(fleet, "a", 0, 3);
    past = &fleet->hosts.items[0].past[PERIODIC_GPU];
    periodic_take(fleet, 1 * hour, (struct periodic_look[]){{0, 0, 0, ALL}, {0, 1, 0, ALL}}, 2);
    for (unsigned night = 1; night <= 3; night++)
        periodic_take(fleet, night * 24 * hour,
                      (struct periodic_look[]){{0, 0, 0, ALL}, {0, 1, GPU, ALL & ~GPU}}, 2);
    look(fleet, 96, 0, 0, 0); /* ecc never saw it: that it passes says nothing */
    assert_true(past->open && past->saw == 2);
    look(fleet, 120, 0, 1, 0);
    assert_false(past->open);
    periodic_estimate(*state, fleet, 121 * hour, &rates);
    assert_int_equal(rates.found[PERIODIC_GPU], 1);
    assert_near(rates.cover[0][PERIODIC_GPU], (4 * 0.4 + 0) / 5);
    assert_near(rates.cover[1][PERIODIC_GPU], (4 * 0.8 + 1) / 5);
}

static void doubt_is_no_look(void **state)
{
    struct periodic_fleet *fleet = periodic_create(*state);

    add_test(fleet, "ecc", GPU, false, 0.01, 0);
    periodic_add_host(fleet, "a", 0, 1);
    periodic_take(fleet, hour, &(struct periodic_look){0, 0, 0, NETWORK}, 1);
    assert_true(fleet->hosts.items[0].last[0][PERIODIC_GPU] == 0);
    assert_true(fleet->hosts.items[0].past[PERIODIC_GPU].first == 0);
    assert_true(fleet->hosts.items[0].last[0][PERIODIC_NETWORK] == hour);
}

/* H = 1e-3, W = 720 h, coverage 0.5. Never looked at: u = 0.72, found 0.36. 72 h after a look: of the older ones half are left, which
   the test does not see; found 1e-3 0.5 720 (1 - exp(-0.1)) = 0.0342585. */
static void what_is_hidden_by_hand(void **state)
{
    struct periodic_fleet *fleet = periodic_create(*state);
    struct periodic_rates rates;
    struct periodic_view view;

    add_test(fleet, "burn", GPU, true, 0.5, 0);
    periodic_add_host(fleet, "a", 0, 1);
    periodic_estimate(*state, fleet, 1000 * hour, &rates);
    memset(rates.host[0], 0, sizeof rates.host[0]);
    rates.host[0][PERIODIC_GPU] = 1e-3;
    rates.cover[0][PERIODIC_GPU] = 0.5;
    periodic_look_at(fleet, &rates, 0, &view);
    assert_near(periodic_hidden(&view), 1 - exp(-0.72));
    assert_near(periodic_value(&view, 1), 1 - exp(-0.36));
    fleet->hosts.items[0].last[0][PERIODIC_GPU] = (1000 - 72) * hour;
    periodic_look_at(fleet, &rates, 0, &view);
    assert_near(periodic_value(&view, 1), 1 - exp(-0.0342585));
    assert_near(periodic_hidden(&view), 1 - exp(-(0.72 * (1 - exp(-0.1)) + 0.36 * exp(-0.1))));
}

/* Ten hosts, of which one has all six defects. */
static void a_lemon_is_found_out(void **state)
{
    struct periodic_fleet *fleet = periodic_create(*state);
    struct periodic_rates rates;
    struct periodic_choice choice;

    add_test(fleet, "burn", GPU, true, 1, 0);
    for (size_t i = 0; i < 10; i++)
        periodic_add_host(fleet, "host", 0, 1);
    for (unsigned day = 0; day < 24; day++)
        for (size_t i = 0; i < 10; i++)
            look(fleet, 1 + 24 * day, i, 0, i == 4 && day % 4 == 2 ? GPU : 0);
    periodic_estimate(*state, fleet, 24 * 24 * hour, &rates);
    assert_int_equal(rates.found[PERIODIC_GPU], 6);
    assert_true(rates.spread[PERIODIC_GPU] < 1);
    assert_true(rates.host[4][PERIODIC_GPU] > 10 * rates.host[5][PERIODIC_GPU]);
    periodic_choose(*state, fleet, &rates, 1.5, 0, &choice);
    assert_int_equal(choice.picks.count, 1);
    assert_int_equal(choice.picks.items[0].host, 4);
}

static void needs_come_before_and_hours_hold(void **state)
{
    struct periodic_fleet *fleet = periodic_create(*state);
    struct periodic_rates rates;
    struct periodic_choice choice;
    size_t first = add_test(fleet, "inventory", 0, false, 0.25, 0), burn;

    burn = add_test(fleet, "burn", GPU, true, 0.5, (periodic_set)1 << first);
    periodic_add_host(fleet, "a", 0, 3);
    periodic_add_host(fleet, "b", 0, 3);
    periodic_estimate(*state, fleet, 1000 * hour, &rates);
    periodic_choose(*state, fleet, &rates, 1.4, 0, &choice);
    assert_int_equal(choice.picks.count, 2);
    assert_int_equal(choice.picks.items[0].test, burn);
    assert_true(choice.of_host[0] == 3 && choice.of_host[1] == 0);
    assert_near(choice.hours, 0.75);
    assert_near(choice.all_hours, 1.5);
    periodic_choose(*state, fleet, &rates, 0.7, 0, &choice);
    assert_int_equal(choice.picks.count, 0);
    periodic_choose(*state, fleet, &rates, 1.5, 0, &choice);
    assert_int_equal(choice.picks.count, 4);
    assert_near(choice.found, choice.all_found);
}

/* Nobody knows that it was repaired until what failed has passed: however few the hours. */
static void what_failed_is_repeated_first(void **state)
{
    struct periodic_fleet *fleet = periodic_create(*state);
    struct periodic_rates rates;
    struct periodic_choice choice;

    add_test(fleet, "ecc", GPU, false, 0.01, 0);
    add_test(fleet, "burn", GPU, true, 0.5, 0);
    for (size_t i = 0; i < 3; i++)
        periodic_add_host(fleet, "host", 0, 3);
    for (size_t i = 0; i < 3; i++)
        look(fleet, 1, i, 1, 0);
    look(fleet, 24, 2, 1, GPU);
    periodic_estimate(*state, fleet, 25 * hour, &rates);
    periodic_choose(*state, fleet, &rates, 0.505, 0, &choice);
    assert_int_equal(choice.picks.count, 1);
    assert_true(choice.picks.items[0].host == 2 && choice.picks.items[0].test == 1 &&
                choice.picks.items[0].is_again);
}

/* -- Against every choice that there is --------------------------------------------------------------------- */

enum { HOSTS = 3, TESTS = 4 };

static struct periodic_fleet *roll_fleet(struct arena *arena, uint64_t *dice)
{
    struct periodic_fleet *fleet = periodic_create(arena);

    for (size_t i = 0; i < TESTS; i++)
        add_test(fleet, "test", 1 + (unsigned)(dice_uniform(dice) * ALL), dice_uniform(dice) < 0.5,
                 0.05 + 0.2 * dice_uniform(dice), 0);
    for (size_t i = 0; i < HOSTS; i++) {
        periodic_add_host(fleet, "host", 0, (1 << TESTS) - 1);
        for (size_t test = 0; test < TESTS; test++)
            for (unsigned k = 0; k < PERIODIC_CLASSES; k++)
                fleet->hosts.items[i].last[test][k] = (1000 - 500 * dice_uniform(dice)) * hour;
    }
    return fleet;
}

/* The most that fits. */
static double best_of(const struct periodic_fleet *fleet, const struct periodic_rates *rates, double hours)
{
    struct periodic_view views[HOSTS];
    double best = 0;

    for (size_t host = 0; host < HOSTS; host++)
        periodic_look_at(fleet, rates, host, &views[host]);
    for (periodic_set all = 0; all < 1 << (HOSTS * TESTS); all++) {
        double value = 0, cost = 0;

        for (size_t i = 0; i < HOSTS * TESTS; i++)
            cost += all >> i & 1 ? rates->cost_h[i % TESTS] : 0;
        for (size_t host = 0; cost <= hours && host < HOSTS; host++)
            value += periodic_value(&views[host], all >> (host * TESTS) & ((1 << TESTS) - 1));
        best = fmax(best, value);
    }
    return best;
}

static void the_choice_is_nearly_the_best(void **state)
{
    uint64_t dice = 7;
    double sum = 0;
    enum { TRIALS = 40 };

    for (unsigned trial = 0; trial < TRIALS; trial++) {
        struct periodic_fleet *fleet = roll_fleet(*state, &dice);
        struct periodic_rates rates;
        struct periodic_choice choice;
        double best;

        periodic_estimate(*state, fleet, 1000 * hour, &rates);
        for (size_t i = 0; i < HOSTS; i++)
            for (unsigned k = 0; k < PERIODIC_CLASSES; k++)
                rates.host[i][k] = 1e-4 * exp(2 * dice_normal(&dice));
        periodic_choose(*state, fleet, &rates, 0.8, 0, &choice);
        best = best_of(fleet, &rates, 0.8);
        assert_true(choice.hours <= 0.8 && choice.found <= best * (1 + 1e-9));
        /* Single tests take up to a third of these hours: the bound for short ones need not hold, but half of the best does. */
        assert_true(choice.found >= 0.5 * best);
        sum += choice.found / best;
    }
    assert_true(sum / TRIALS > 0.93);
}

static unsigned different_sets(const struct periodic_choice *choice)
{
    unsigned sets = 0;

    for (size_t i = 0; i < HOSTS; i++) {
        bool is_new = choice->of_host[i] != 0;

        for (size_t before = 0; before < i; before++)
            is_new = is_new && choice->of_host[before] != choice->of_host[i];
        sets += is_new;
    }
    return sets;
}

/* Fewer runs find a little less, never more, and take no more hours. */
static void groups_are_no_more_than_asked_for(void **state)
{
    uint64_t dice = 5;
    unsigned held = 0;

    for (unsigned trial = 0; trial < 40; trial++) {
        struct periodic_fleet *fleet = roll_fleet(*state, &dice);
        struct periodic_rates rates;
        struct periodic_choice free, one;

        periodic_estimate(*state, fleet, 1000 * hour, &rates);
        periodic_choose(*state, fleet, &rates, 0.8, 0, &free);
        periodic_choose(*state, fleet, &rates, 0.8, 1, &one);
        held += different_sets(&free) > 1;
        assert_int_equal(different_sets(&one), 1);
        assert_true(one.hours <= 0.8 && one.found > 0);
        if (different_sets(&free) == 1)
            assert_true(memcmp(one.of_host, free.of_host, HOSTS * sizeof *one.of_host) == 0);
    }
    assert_true(held > 10);
}

/* More tests find no less, and the more there are the less one more adds. */
static void values_are_submodular(void **state)
{
    uint64_t dice = 11;

    for (unsigned trial = 0; trial < 20; trial++) {
        struct periodic_fleet *fleet = roll_fleet(*state, &dice);
        struct periodic_rates rates;
        struct periodic_view view;

        periodic_estimate(*state, fleet, 1000 * hour, &rates);
        periodic_look_at(fleet, &rates, 0, &view);
        for (periodic_set few = 0; few < 1 << TESTS; few++)
            for (size_t more = 0; more < TESTS; more++)
                for (size_t one = 0; one < TESTS; one++) {
                    periodic_set many = few | (periodic_set)1 << more, bit = (periodic_set)1 << one;

                    assert_true(periodic_value(&view, many) >= periodic_value(&view, few) - 1e-12);
                    assert_true(periodic_value(&view, few | bit) - periodic_value(&view, few) >=
                                periodic_value(&view, many | bit) - periodic_value(&view, many) - 1e-12);
                }
    }
}

/* -- Words -------------------------------------------------------------------------------------------------- */

static bool says(const struct periodic_tonight *tonight, struct arena *arena, const char *words)
{
    for (size_t i = 0; i < tonight->notes.count; i++)
        if (strstr(reason_english(arena, tonight->notes.items[i]), words) != NULL)
            return true;
    return false;
}

static void hosts_with_the_same_tests_are_one_group(void **state)
{
    struct periodic_fleet *fleet = periodic_create(*state);
    struct periodic_rates rates;
    struct periodic_choice choice;
    struct periodic_tonight tonight;

    add_test(fleet, "ecc", GPU, false, 0.01, 0);
    add_test(fleet, "burn", GPU, true, 0.5, 0);
    periodic_add_host(fleet, "a", 0, 3);
    periodic_add_host(fleet, "b", 0, 3);
    periodic_add_host(fleet, "c", 0, 3);
    periodic_estimate(*state, fleet, 1000 * hour, &rates);
    periodic_choose(*state, fleet, &rates, 0.6, 0, &choice);
    periodic_say(*state, fleet, &rates, &choice, &tonight);
    assert_int_equal(tonight.groups.count, 2);
    assert_int_equal(tonight.groups.items[0].hosts.count, 2);
    assert_int_equal(tonight.groups.items[0].tests, 1);
    assert_int_equal(tonight.groups.items[1].tests, 3);
    assert_int_equal(tonight.rows.count, 2);
    assert_string_equal(fleet->tests.items[tonight.rows.items[0].test].step, "ecc");
    assert_true(says(&tonight, *state, "rests on public rates alone"));
    assert_true(says(&tonight, *state, "says of no host that it is healthy"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(public_rates_and_classes),
        cmocka_unit_test_setup_teardown(without_a_history_rates_are_public, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(hazards_by_hand, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(what_a_first_look_finds_is_no_rate, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(coverage_by_hand, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(doubt_is_no_look, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(what_is_hidden_by_hand, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(a_lemon_is_found_out, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(needs_come_before_and_hours_hold, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(what_failed_is_repeated_first, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(the_choice_is_nearly_the_best, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(groups_are_no_more_than_asked_for, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(values_are_submodular, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(hosts_with_the_same_tests_are_one_group, make_arena, drop_arena),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
