/* SPDX-License-Identifier: Apache-2.0 */
/* The order of the search, and its conclusion; see isolate.h. */
#include "assay/base/robust.h"
#include "assay/reasons/judge.h"

#include "isolate_private.h"

#include <math.h>
#include <string.h>

/* A mean near the middle between healthy and faulty decides nothing: it must be so many of its standard deviations away.
 * To call something slow by mistake misleads the search, so slow needs more of them than fast. */
static const double fast_deviations = 0.5, slow_deviations = 1;
/* By noise, one healthy value in fifty is further below the middle than this. */
static const double noise_deviations = 2;

enum {
    PAIR = 2,
    MEANS = 3, /* iterations, after which the mean of healthy pairs no longer moves */
    FEW = 20,  /* no more than one open test for so many hosts is few */
    MANY = 4,  /* a test of so many hosts is one of the search for a path */
    AGAIN = 2  /* tests of hosts together, where one alone is not trusted */
};

double isolate_share(const struct isolate *isolate, const struct isolate_test *test)
{
    return isnan(test->value) ? 0 : test->value / (test->reference > 0 ? test->reference : isolate->healthy);
}

double isolate_middle(const struct isolate *isolate)
{
    return 1 - isolate->problem->slow / 2;
}

double isolate_deviation(const struct isolate *isolate, unsigned n)
{
    return isolate->problem->noise / sqrt(n);
}

double isolate_doubt(const struct isolate *isolate, double mean, unsigned n, size_t among)
{
    double deviations = (1 - mean) / isolate_deviation(isolate, n);

    return fmin(1, (double)among * erfc(deviations / sqrt(2)) / 2);
}

/* One test counts for no more than this, however far it is from the middle: real noise has longer tails than the normal
 * distribution. A slow test counts for less, because there are more ways to be slow. */
static const double fast_most = 12, slow_most = 6;
/* 10,000 to 1: no wrong suspect comes first, fewer rounds second. */
static const double odds_needed = 9.2;

double isolate_evidence(const struct isolate *isolate, const struct isolate_test *test)
{
    double slow = isolate->problem->slow, noise = fmax(isolate->problem->noise, slow / 100);
    double below = 1 - isolate_share(isolate, test);

    /* The log-likelihood ratio of two normal distributions of the same width, around 1 and 1 - slow. */
    return fmax(-fast_most, fmin(slow_most, slow * (2 * below - slow) / (2 * noise * noise)));
}

double isolate_at_times(double evidence, double share)
{
    return log(share * exp(evidence) + 1 - share);
}

double isolate_sure(size_t among)
{
    return odds_needed + log((double)among);
}

bool isolate_crosses_leaves(const struct isolate *isolate, const size_t *members, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (isolate->problem->hosts[members[i]].leaf != isolate->problem->hosts[members[0]].leaf)
            return true;
    return false;
}

bool isolate_take(struct isolate *isolate, const size_t *members, size_t count)
{
    bool crosses = isolate_crosses_leaves(isolate, members, count);
    size_t *copy;

    for (size_t i = 0; i < count; i++)
        if (isolate->host_taken[members[i]] || isolate->problem->hosts[members[i]].out ||
            (crosses && isolate->leaf_taken[isolate->problem->hosts[members[i]].leaf]))
            return false;
    copy = arena_array(isolate->arena, size_t, count);
    memcpy(copy, members, count * sizeof *copy);
    for (size_t i = 0; i < count; i++) {
        isolate->host_taken[members[i]] = true;
        if (crosses)
            isolate->leaf_taken[isolate->problem->hosts[members[i]].leaf] = true;
    }
    *list_push(isolate->arena, &isolate->next->tests) =
        (struct isolate_test){.round = isolate->round, .members = copy, .count = count};
    return true;
}

static bool same_members(const struct isolate_test *test, const size_t *members, size_t count)
{
    return test->count == count && memcmp(test->members, members, count * sizeof *members) == 0;
}

/* A pair that gave a value, which tells what healthy ones show. */
static bool is_measured_pair(const struct isolate_test *test)
{
    return test->count == PAIR && test->reference <= 0 && !isnan(test->value);
}

static double mean_of_pair(const struct isolate *isolate, const struct isolate_test *pair)
{
    double sum = 0;
    size_t count = 0;

    list_each (test, isolate->so_far->tests) {
        if (is_measured_pair(test) && same_members(test, pair->members, PAIR)) {
            sum += test->value;
            count++;
        }
    }
    return sum / (double)count;
}

/* Of each host its best pair, and of these the upper quartile. Who is slow is tested again and again, so that most pairs
 * may be slow ones, but most hosts are not. */
static double best_value(const struct isolate *isolate)
{
    size_t hosts = isolate->problem->host_count, count = 0;
    double *best = arena_array(isolate->arena, double, hosts);

    list_each (test, isolate->so_far->tests) {
        double mean = is_measured_pair(test) ? mean_of_pair(isolate, test) : 0;

        for (size_t k = 0; mean > 0 && k < PAIR; k++)
            best[test->members[k]] = fmax(best[test->members[k]], mean);
    }
    for (size_t i = 0; i < hosts; i++)
        if (best[i] > 0)
            best[count++] = best[i];
    robust_sort(best, count);
    return count > 0 ? best[count * 3 / 4] : 1;
}

/* What a pair of healthy hosts shows: the mean of those that are not slow beside the best ones; and again beside that mean,
 * for the best of many are so by noise too. */
static double healthy_value(const struct isolate *isolate)
{
    double value = isolate->problem->healthy;
    double below = fmax(1 - isolate_middle(isolate), noise_deviations * isolate->problem->noise);

    if (value > 0)
        return value;
    value = best_value(isolate);
    for (int time = 0; time < MEANS; time++) {
        double sum = 0, least = value * (1 - below);
        size_t count = 0;

        list_each (test, isolate->so_far->tests) {
            if (is_measured_pair(test) && test->value > least) {
                sum += test->value;
                count++;
            }
        }
        value = count > 0 ? sum / (double)count : value;
    }
    return value;
}

/* Whether all hosts together were slow and fast, as one that is slow at times makes them. Slow when it made somebody
 * ask, or since then by more than noise does. */
static bool were_both(const struct isolate *isolate)
{
    double middle = isolate_middle(isolate), most_slow = middle - slow_deviations * isolate->problem->noise;
    bool slow = false, fast = false;

    list_each (test, isolate->so_far->tests) {
        if (test->count != isolate->problem->host_count)
            continue;
        slow |= isolate_share(isolate, test) < (test->round == 0 ? middle : most_slow);
        fast |= isolate_share(isolate, test) > middle;
    }
    return slow && fast;
}

static void prepare(struct isolate *isolate)
{
    const struct isolate_problem *problem = isolate->problem;
    const struct isolate_tests *so_far = isolate->so_far;

    isolate->round = 1;
    for (size_t i = 0; i < so_far->tests.count; i++)
        if (so_far->tests.items[i].round >= isolate->round)
            isolate->round = so_far->tests.items[i].round + 1;
    for (size_t i = 0; i < problem->host_count; i++) {
        if (problem->hosts[i].leaf >= isolate->leaf_count)
            isolate->leaf_count = problem->hosts[i].leaf + 1;
        isolate->out_count += problem->hosts[i].out;
    }
    isolate->hosts = arena_array(isolate->arena, struct unit, problem->host_count);
    isolate->leaves = arena_array(isolate->arena, struct unit, isolate->leaf_count);
    isolate->excluded = arena_array(isolate->arena, bool, problem->host_count);
    isolate->paths = arena_array(isolate->arena, size_t, problem->host_count);
    isolate->host_taken = arena_array(isolate->arena, bool, problem->host_count);
    isolate->leaf_taken = arena_array(isolate->arena, bool, isolate->leaf_count);
    for (size_t i = 0; i < problem->host_count; i++)
        isolate->excluded[i] = problem->hosts[i].out;
    isolate->healthy = healthy_value(isolate);
    isolate->at_times = were_both(isolate);
}

unsigned isolate_mean(const struct isolate *isolate, const size_t *members, size_t count, double *ret_mean)
{
    unsigned found = 0;
    double sum = 0;

    for (size_t i = 0; i < isolate->so_far->tests.count; i++)
        if (same_members(&isolate->so_far->tests.items[i], members, count)) {
            sum += isolate_share(isolate, &isolate->so_far->tests.items[i]);
            found++;
        }
    *ret_mean = found > 0 ? sum / found : 1;
    return found;
}

enum pace isolate_pace_of(const struct isolate *isolate, const size_t *members, size_t count, unsigned tests)
{
    double mean, middle = isolate_middle(isolate);
    unsigned found = isolate_mean(isolate, members, count, &mean);

    if (found < tests || found == 0)
        return PACE_UNSURE;
    if (mean > middle + fast_deviations * isolate_deviation(isolate, found))
        return PACE_FAST;
    return mean < middle - slow_deviations * isolate_deviation(isolate, found) ? PACE_SLOW : PACE_UNSURE;
}

static unsigned fast_pairs_of(const struct isolate *isolate, size_t host)
{
    unsigned found = 0;

    list_each (test, isolate->so_far->tests)
        found += test->count == PAIR && (test->members[0] == host || test->members[1] == host) &&
                 isolate_share(isolate, test) > isolate_middle(isolate);
    return found;
}

/* A leaf of which one host alone was slow is not to blame: the host is, or what it hangs on the leaf by. */
static void accuse_unit(struct isolate *isolate, enum isolate_kind kind, const struct unit *unit,
                        size_t number, size_t among)
{
    unsigned fast = unit->high;

    if (kind == ISOLATE_LEAF && !unit->blamed_hosts) {
        kind = ISOLATE_HOST;
        number = unit->blamed_host - 1;
        fast = fast_pairs_of(isolate, number);
    }
    *list_push(isolate->arena, &isolate->result->accusations) = (struct isolate_accusation){
        .kind = kind,
        .a = number,
        .inside = kind == ISOLATE_HOST && isolate_pace_of(isolate, &number, 1, 1) == PACE_SLOW,
        .intermittent = fast > 0,
        .slow_tests = unit->blamed,
        .fast_tests = fast,
        .doubt = isolate_doubt(isolate, unit->blamed_sum / unit->blamed, unit->blamed, among),
    };
    for (size_t k = 0; k < isolate->problem->host_count; k++)
        if (kind == ISOLATE_HOST ? k == number : isolate->problem->hosts[k].leaf == number)
            isolate->excluded[k] = true;
}

static void accuse_units(struct isolate *isolate, enum isolate_kind kind, const struct unit *units,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (units[i].standing == STANDING_ACCUSED)
            accuse_unit(isolate, kind, &units[i], i, count);
}

/* All hosts that no accusation explains and that did not drop out; false when there are not two left. */
static bool remaining(const struct isolate *isolate, size_t *members, size_t *ret_count)
{
    *ret_count = 0;
    for (size_t i = 0; i < isolate->problem->host_count; i++)
        if (!isolate->excluded[i])
            members[(*ret_count)++] = i;
    return *ret_count >= PAIR;
}

/* Whether all of these are fast together. One slow test of so many is not believed, for a search for a path follows;
 * nor one fast test, where nothing is found that was slow before. */
static enum pace pace_together(const struct isolate *isolate, const size_t *members, size_t count)
{
    enum pace pace = isolate_pace_of(isolate, members, count, 1);
    bool vanished = pace == PACE_FAST && isolate->out_count > 0 && isolate->result->accusations.count == 0;

    return pace == PACE_SLOW || vanished ? isolate_pace_of(isolate, members, count, AGAIN) : pace;
}

/* Whether what remains is fast; PACE_UNSURE: it is being asked for. */
static enum pace ask_remaining(struct isolate *isolate)
{
    size_t *members = arena_array(isolate->arena, size_t, isolate->problem->host_count), count;
    enum pace pace;

    if (!remaining(isolate, members, &count))
        return PACE_FAST;
    pace = pace_together(isolate, members, count);
    if (pace != PACE_UNSURE)
        return pace;
    isolate_take(isolate, members, count);
    for (size_t i = 0; i < isolate->result->accusations.count; i++) {
        const struct isolate_accusation *accusation = &isolate->result->accusations.items[i];

        if (accusation->kind == ISOLATE_HOST)
            isolate_take(isolate, &accusation->a, 1);
    }
    return PACE_UNSURE;
}

/* Between which a path was found to be slow: neither of the two is, with others. */
static bool ends_a_path(const struct isolate *isolate, size_t host)
{
    list_each (accusation, isolate->result->accusations)
        if (accusation->kind == ISOLATE_LINK && (accusation->a == host || accusation->b == host))
            return true;
    return false;
}

/* What remains is fast with it; where that is not asked because too few remain, or of a fault that comes and goes, that clears
 * nobody. */
static bool is_fast_with_the_others(const struct isolate *isolate, size_t host)
{
    size_t *members = arena_array(isolate->arena, size_t, isolate->problem->host_count), count;

    return !isolate->excluded[host] && !isolate->at_times && remaining(isolate, members, &count);
}

/* One that dropped out is named as that; it is a candidate where nobody else explains what was slow. */
static bool is_candidate(const struct isolate *isolate, size_t host, bool explained)
{
    enum standing standing = isolate->hosts[host].standing;

    if (!explained && !isolate->excluded[host])
        return true;
    if (isolate->problem->hosts[host].out && (explained || standing != STANDING_OPEN))
        return standing != STANDING_ACCUSED && isolate->result->accusations.count == 0;
    return standing == STANDING_OPEN && !ends_a_path(isolate, host) &&
           !(explained && is_fast_with_the_others(isolate, host));
}

static bool conclude(struct isolate *isolate, bool explained, const struct reason *conclusion)
{
    struct isolation *result = isolate->result;

    isolate->next->tests.count = 0;
    for (size_t i = 0; i < isolate->problem->host_count; i++)
        if (is_candidate(isolate, i, explained))
            *list_push(isolate->arena, &result->candidates) = i;
    result->conclusion = explained && result->accusations.count > 0 && result->candidates.count > 0
                             ? REASON(found_explains_it_candidates_open)
                             : conclusion;
    return false;
}

/* Each host again, until it is seen that it is slow at no time. */
static bool ask_for_times(struct isolate *isolate)
{
    isolate->at_times = true;
    memset(isolate->hosts, 0, isolate->problem->host_count * sizeof *isolate->hosts);
    isolate_weigh_hosts(isolate);
    return isolate_ask_hosts(isolate);
}

/* Step 4, again after each link that was found, without one of its ends. */
static bool search_links(struct isolate *isolate)
{
    while (true) {
        struct isolate_accusation link = {.kind = ISOLATE_LINK};
        enum pace pace;

        switch (isolate_search_link(isolate, &link)) {
        case LINK_ASKING:
            return true;
        case LINK_NOT_FOUND:
            if (ask_for_times(isolate))
                return true;
            return conclude(isolate, false, REASON(nobody_alone_explains_it));
        case LINK_EVERYWHERE:
            return conclude(isolate, false, REASON(every_part_slow));
        case LINK_FOUND:
        default:
            break;
        }
        *list_push(isolate->arena, &isolate->result->accusations) = link;
        isolate->excluded[link.b] = true;
        isolate->paths[link.b] = link.a + 1;
        pace = ask_remaining(isolate);
        if (pace == PACE_UNSURE)
            return true;
        if (pace == PACE_FAST)
            return conclude(isolate, true, REASON(found_explains_it));
    }
}

static const struct reason *what_is_fast(const struct isolate *isolate)
{
    if (isolate->result->accusations.count > 0)
        return REASON(found_explains_it);
    if (isolate->out_count + PAIR > isolate->problem->host_count)
        return REASON(too_few_hosts_left);
    return isolate->out_count > 0 ? REASON(all_fast_without_dropped) : REASON(all_hosts_fast);
}

static bool is_open(const struct isolate *isolate, size_t host)
{
    return !isolate->excluded[host] && isolate->hosts[host].standing == STANDING_OPEN;
}

/* Tests of many of the hosts, but not of all. */
static bool was_in_half(const struct isolate *isolate, size_t host)
{
    list_each (test, isolate->so_far->tests)
        if (test->count >= MANY && test->count < isolate->problem->host_count)
            for (size_t k = 0; k < test->count; k++)
                if (test->members[k] == host)
                    return true;
    return false;
}

static bool only_ends_are_open(const struct isolate *isolate, const struct isolate_accusation *link)
{
    for (size_t i = 0; i < isolate->problem->host_count; i++)
        if (is_open(isolate, i) && i != link->a && i != link->b)
            return false;
    return true;
}

/*
 * A few hosts that are not sure yet need not keep the others waiting, among which there may be a slow path: it is searched
 * beside their tests, and without those that it has not come to yet. True: one was found, and only its ends are not
 * sure, which it explains.
 */
static bool search_beside(struct isolate *isolate)
{
    size_t hosts = isolate->problem->host_count;
    bool *kept = isolate->excluded;
    struct isolate_accusation link = {.kind = ISOLATE_LINK};
    enum link_search answer;

    isolate->excluded = arena_array(isolate->arena, bool, hosts);
    for (size_t i = 0; i < hosts; i++)
        isolate->excluded[i] = kept[i] || (is_open(isolate, i) && !was_in_half(isolate, i));
    answer = isolate_search_link(isolate, &link);
    isolate->excluded = kept;
    return answer == LINK_FOUND && only_ends_are_open(isolate, &link);
}

/* Nothing of the next round. */
static void take_none(struct isolate *isolate)
{
    isolate->next->tests.count = 0;
    memset(isolate->host_taken, 0, isolate->problem->host_count * sizeof *isolate->host_taken);
    memset(isolate->leaf_taken, 0, isolate->leaf_count * sizeof *isolate->leaf_taken);
}

/* Step 3. *ret_pace: of what remains then; *ret_over: what is slow is not told apart, and that is concluded. True: it is asking. */
static bool search_leaves(struct isolate *isolate, enum pace *ret_pace, bool *ret_over)
{
    enum two_leaves answer;

    isolate_weigh_leaves(isolate);
    if (isolate_ask_leaves(isolate))
        return true;
    accuse_units(isolate, ISOLATE_LEAF, isolate->leaves, isolate->leaf_count);
    *ret_pace = ask_remaining(isolate);
    if (*ret_pace != PACE_SLOW)
        return *ret_pace == PACE_UNSURE;
    answer = isolate_two_leaves(isolate);
    if (answer == TWO_LEAVES_SLOW) {
        conclude(isolate, false, REASON(all_between_leaves_slow));
        *ret_over = true;
    }
    if (answer == TWO_LEAVES_FOUND)
        *ret_pace = ask_remaining(isolate);
    return answer == TWO_LEAVES_ASKING || *ret_pace == PACE_UNSURE;
}

/* True: the search goes on. */
static bool search_hosts(struct isolate *isolate, bool *ret_all_fast)
{
    enum pace pace;
    bool asking, over = false;

    *ret_all_fast = false;

    isolate_weigh_hosts(isolate);
    asking = isolate_ask_hosts(isolate);
    if (asking && isolate->next->tests.count > isolate->problem->host_count / FEW)
        return true;
    accuse_units(isolate, ISOLATE_HOST, isolate->hosts, isolate->problem->host_count);
    pace = ask_remaining(isolate);
    if (asking && pace != PACE_FAST && isolate->leaf_count == 1 && search_beside(isolate)) {
        take_none(isolate);
        return search_links(isolate);
    }
    if (asking || pace == PACE_UNSURE)
        return true;
    if (pace == PACE_SLOW && isolate->leaf_count > 1 && search_leaves(isolate, &pace, &over))
        return true;
    if (over)
        return false;
    if (pace == PACE_SLOW)
        return search_links(isolate);
    *ret_all_fast = isolate->result->accusations.count == 0;
    return conclude(isolate, true, what_is_fast(isolate));
}

/* With another healthy value. */
static void begin_again(struct isolate *isolate)
{
    const struct isolate_problem *problem = isolate->problem;

    *isolate->result = (struct isolation){0};
    memset(isolate->hosts, 0, problem->host_count * sizeof *isolate->hosts);
    take_none(isolate);
    isolate->at_times = were_both(isolate);
}

static bool search(struct isolate *isolate)
{
    bool all_fast;

    if (search_hosts(isolate, &all_fast))
        return true;
    if (!all_fast)
        return false;
    switch (isolate_ask_few(isolate)) {
    case FEW_ASKING:
        *isolate->result = (struct isolation){0};
        return true;
    case FEW_ARE_SLOWER:
        begin_again(isolate);
        return search_hosts(isolate, &all_fast);
    case FEW_ARE_FAST:
    default:
        return false;
    }
}

bool isolate_next(struct arena *arena, const struct isolate_problem *problem,
                  const struct isolate_tests *so_far, struct isolate_tests *ret_next,
                  struct isolation *ret_isolation)
{
    struct isolate isolate = {
        .arena = arena, .problem = problem, .so_far = so_far, .next = ret_next, .result = ret_isolation};

    *ret_next = (struct isolate_tests){0};
    *ret_isolation = (struct isolation){0};
    prepare(&isolate);
    if (!search(&isolate))
        return false;
    if (ret_next->tests.count == 0)
        return conclude(&isolate, false, REASON(no_further_test));
    if (isolate.round <= problem->rounds_most)
        return true;
    return conclude(&isolate, false, REASON(rounds_used_up));
}
