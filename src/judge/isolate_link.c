/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A path between two good hosts. Each pair of hosts has a score: the sum, over the tests that had them both, of
 * how much more likely their values are with a slow path than without (logarithm of the likelihood ratio). No
 * single test decides, so that noise in one is mended by the next, and every test since the first counts.
 *
 * The pairs that are still likely make a graph. Each of its connected parts is cut in two, and all halves are
 * measured at once. When one is slow the path lies within; when none is, it lies between halves, and the graph
 * falls apart into twice as many parts, all of them measured at once in the next round. A part of two hosts is a
 * path, and is measured until it is sure.
 *
 * Why it takes some twenty rounds, although the path among 232 hosts is found in ten: a host that is slow every second
 * time, at random, and is in one test of a round at most, shows each series of n outcomes with the chance 2^-n. For each of
 * its N - 1 partners one series names the path to it, after n_p tests; the chance that it shows one of them is the sum of
 * the 2^-n_p. For that to be a at most, the mean of the n_p is log2((N - 1) / a) at least, whatever is tested in which order,
 * and without any noise: 17.8 among 232 hosts for a = 1 in 1,000, 21.1 for 1 in 10,000.
 *
 * Nobody knows how often such a host is slow. If each share is as likely as any other, the chance of a wrong name is
 * 1 in 10,000 here after 20 tests of which 8 to 12 were slow; the first of these is the one that made somebody ask. Of
 * clusters in which a host that is slow in the worst of all shares, 0.37 to 0.47 of its tests, has made somebody ask, 4 to 9 in
 * 10,000 would be given a wrong name then: N - 1 times the chance of these 19 outcomes.
 *
 * The search keeps no state: each call weighs all tests anew.
 */
#include "isolate_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONFIRMING = 3,   /* slow tests of the pair alone that accuse it */
    SMALL = 6,        /* a part of so many hosts is measured pair by pair */
    LARGE = 4,        /* members of a test that is part of this search, and of no earlier step */
    EVERYWHERE = 6,   /* such tests, of which most are slow, that tell that it is no path */
    SPLITS_TRIED = 4, /* ways to cut a part, until one has likely pairs within its halves */
    SHARES = 20,      /* of its tests in which a host may be slow: so many between 0 and 1 */
};

/* A pair is still likely when it lies no further below the best one. */
static const double spread = 3;
/* Below this no path explains that all together are slow. */
static const double given_up = -6;
static const double everywhere_share = 0.75;
static const double sure_deviations = 1.2;

struct search {
    struct isolate *isolate;
    size_t *hosts, count; /* that no accusation explains, ascending */
    size_t *place;        /* of a host among them; count where it is not */
    float *scores;        /* of place a < b: a * count + b */
    float best;
    size_t *part;    /* the connected part of a place, named by one of its places */
    uint64_t *story; /* which large tests a place was in: equal for those that were in the same */
};

static bool has(const struct isolate_test *test, size_t host)
{
    for (size_t i = 0; i < test->count; i++)
        if (test->members[i] == host)
            return true;
    return false;
}

/* Whether nothing that was found before explains it: of the hosts that are not searched it may have one end of a path,
 * without the other. */
static bool speaks(const struct search *search, const struct isolate_test *test)
{
    for (size_t i = 0; i < test->count; i++) {
        size_t path = search->isolate->paths[test->members[i]];

        if (search->place[test->members[i]] == search->count && (path == 0 || has(test, path - 1)))
            return false;
    }
    return test->count > 1;
}

static float *score_of(const struct search *search, size_t a, size_t b)
{
    return &search->scores[a < b ? a * search->count + b : b * search->count + a];
}

static uint64_t mixed(uint64_t z)
{
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void weigh_test(struct search *search, size_t number)
{
    const struct isolate_test *test = &search->isolate->so_far->tests.items[number];
    float says = (float)isolate_evidence(search->isolate, test);

    for (size_t i = 0; i < test->count; i++) {
        size_t a = search->place[test->members[i]];

        if (a < search->count && test->count >= LARGE)
            search->story[a] = mixed(search->story[a] ^ (number + 1));
        for (size_t k = i + 1; a < search->count && k < test->count; k++)
            if (search->place[test->members[k]] < search->count)
                search->scores[a * search->count + search->place[test->members[k]]] += says;
    }
}

static void weigh(struct search *search)
{
    for (size_t i = 0; i < search->isolate->so_far->tests.count; i++)
        if (speaks(search, &search->isolate->so_far->tests.items[i]))
            weigh_test(search, i);
    search->best = -INFINITY;
    for (size_t a = 0; a < search->count; a++)
        for (size_t b = a + 1; b < search->count; b++)
            search->best = fmaxf(search->best, search->scores[a * search->count + b]);
}

static bool is_likely(const struct search *search, size_t a, size_t b)
{
    return *score_of(search, a, b) >= search->best - (float)spread;
}

static size_t root_of(struct search *search, size_t place)
{
    while (search->part[place] != place)
        place = search->part[place] = search->part[search->part[place]];
    return place;
}

static void connect_likely(struct search *search)
{
    for (size_t a = 0; a < search->count; a++)
        search->part[a] = a;
    for (size_t a = 0; a < search->count; a++)
        for (size_t b = a + 1; b < search->count; b++)
            if (is_likely(search, a, b))
                search->part[root_of(search, b)] = root_of(search, a);
    for (size_t a = 0; a < search->count; a++)
        search->part[a] = root_of(search, a);
}

struct place {
    size_t place;
    uint64_t story, order;
    unsigned leaf;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *left = a, *right = b;

    if (left->story != right->story)
        return left->story < right->story ? -1 : 1;
    if (left->leaf != right->leaf)
        return left->leaf < right->leaf ? -1 : 1;
    return left->order < right->order ? -1 : left->order > right->order;
}

/* Those with one story are cut in the middle, between two leaves where they are of several: halves of whole leaves
 * can be measured at once. */
static size_t middle_of(const struct place *places, size_t count, bool odd)
{
    size_t middle = (count + odd) / 2;

    /* One that is alone with its story is all of one half. */
    for (size_t off = 0; off < middle && count > 1; off++) {
        if (places[middle - off].leaf != places[middle - off - 1].leaf)
            return middle - off;
        if (middle + off < count && places[middle + off].leaf != places[middle + off - 1].leaf)
            return middle + off;
    }
    return middle;
}

/* Cuts a part in two; false: no likely pair would be within a half, so that nothing would be asked. */
static bool cut(const struct search *search, struct place *places, size_t count, uint64_t seed,
                bool *ret_second)
{
    bool odd = mixed(seed) % 2;

    for (size_t i = 0; i < count; i++) {
        places[i].order = mixed(seed ^ mixed(places[i].place));
        places[i].story = mixed(seed ^ search->story[places[i].place]);
    }
    qsort(places, count, sizeof *places, compare_places);
    for (size_t i = 0, end; i < count; i = end) {
        size_t middle;

        for (end = i + 1; end < count && places[end].story == places[i].story;)
            end++;
        middle = i + middle_of(places + i, end - i, odd);
        odd ^= (end - i) % 2;
        for (size_t k = i; k < end; k++)
            ret_second[k] = k >= middle;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++)
            if (ret_second[i] == ret_second[k] && is_likely(search, places[i].place, places[k].place))
                return true;
    return false;
}

static int compare_numbers(const void *a, const void *b)
{
    size_t left = *(const size_t *)a, right = *(const size_t *)b;

    return left < right ? -1 : left > right;
}

/* Those that no other test of the round has. */
static void ask_half(const struct search *search, const struct place *places, size_t count,
                     const bool *second, bool which)
{
    size_t *members = arena_array(search->isolate->arena, size_t, count), found = 0;

    for (size_t i = 0; i < count; i++)
        if (second[i] == which && !search->isolate->host_taken[search->hosts[places[i].place]])
            members[found++] = search->hosts[places[i].place];
    qsort(members, found, sizeof *members, compare_numbers);
    if (found > 1)
        isolate_take(search->isolate, members, found);
}

/* The best pair first, then what can be measured beside it. */
static void ask_pairs(const struct search *search, const struct place *places, size_t count)
{
    bool taken[SMALL] = {false};

    while (true) {
        size_t a = count, b = count;

        for (size_t i = 0; i < count; i++)
            for (size_t k = i + 1; k < count && !taken[i]; k++)
                if (!taken[k] && is_likely(search, places[i].place, places[k].place) &&
                    (a == count || *score_of(search, places[i].place, places[k].place) >
                                       *score_of(search, places[a].place, places[b].place))) {
                    a = i;
                    b = k;
                }
        if (a == count)
            return;
        taken[a] = taken[b] = true;
        isolate_take(search->isolate,
                     (size_t[]){search->hosts[places[a].place], search->hosts[places[b].place]}, 2);
    }
}

static void ask_part(struct search *search, size_t part)
{
    struct isolate *isolate = search->isolate;
    struct place *places = arena_array(isolate->arena, struct place, search->count);
    bool *second = arena_array(isolate->arena, bool, search->count);
    size_t count = 0;

    for (size_t i = 0; i < search->count; i++)
        if (search->part[i] == part)
            places[count++] = (struct place){.place = i,
                                             .story = search->story[i],
                                             .leaf = isolate->problem->hosts[search->hosts[i]].leaf};
    if (count <= SMALL) {
        ask_pairs(search, places, count);
        return;
    }
    for (uint64_t try = 0; try < SPLITS_TRIED; try++)
        if (cut(search, places, count, isolate->problem->seed + isolate->round * SPLITS_TRIED + try, second))
            break;
    ask_half(search, places, count, second, false);
    ask_half(search, places, count, second, true);
}

/* Whether the same two were slow by themselves in an earlier test. */
static bool were_slow(const struct search *search, const struct isolate_test *pair, size_t tests)
{
    for (size_t i = 0; i < tests; i++) {
        const struct isolate_test *test = &search->isolate->so_far->tests.items[i];

        if (test->count == 2 && pair->count == 2 && test->members[0] == pair->members[0] &&
            test->members[1] == pair->members[1] && isolate_evidence(search->isolate, test) > 0)
            return true;
    }
    return false;
}

/* What the tests of a host say of it, as logarithms of likelihood ratios. */
struct told {
    double path;             /* for a slow path to the other */
    double always;           /* that it is slow each time */
    double at_times[SHARES]; /* that it is slow in such a share of its tests, at random */
};

static void tell(struct told *told, double says, bool with_other)
{
    told->path += with_other ? says : 0;
    told->always += says;
    for (int i = 0; i < SHARES; i++)
        told->at_times[i] += isolate_at_times(says, (i + 0.5) / SHARES);
}

/* That it is slow at times: how often nobody knows, so that each share is as likely as any other. */
static double slow_at_times(const struct told *told)
{
    double most = -INFINITY, sum = 0;

    array_each (share, told->at_times, SHARES)
        most = fmax(most, *share);
    array_each (share, told->at_times, SHARES)
        sum += exp(*share - most);
    return most + log(sum / SHARES);
}

/* How likely the next test of it is slow, if it is slow at times. */
static double share_likely(const struct told *told)
{
    double all = slow_at_times(told), sum = 0;

    for (int i = 0; i < SHARES; i++)
        sum += (i + 0.5) / SHARES * exp(told->at_times[i] - all) / SHARES;
    return sum;
}

/*
 * How much better a slow path to the other explains the tests of the host than that the host itself is slow, each time or
 * at times. A large test that was slow without the other may be so by a second fault, and all of them by the
 * same: it counts once. So does a second path of the same host, however often it was measured. *ret_slow: how likely
 * the next test of the host is slow if it is the host.
 */
static double path_rather_than_host(const struct search *search, size_t host, size_t other, double *ret_slow)
{
    struct told told = {0};
    double second_fault = 0;

    for (size_t i = 0; i < search->isolate->so_far->tests.count; i++) {
        const struct isolate_test *test = &search->isolate->so_far->tests.items[i];
        bool with = has(test, other);
        double says;

        if (!speaks(search, test) || !has(test, host))
            continue;
        says = isolate_evidence(search->isolate, test);
        if (test->count >= LARGE && says > 0 && !with)
            second_fault = fmax(second_fault, says);
        else if (says < 0 || with || !were_slow(search, test, i))
            tell(&told, says, with);
    }
    if (second_fault > 0)
        tell(&told, second_fault, false);
    *ret_slow = told.always > slow_at_times(&told) ? 1 : share_likely(&told);
    return told.path - fmax(told.always, slow_at_times(&told));
}

/* Rather than either of the two; *ret_slow is for the one that it is less sure of. */
static double path_rather_than_hosts(const struct search *search, const size_t pair[2], double *ret_slow)
{
    double slow[2], rather[2];

    for (int end = 0; end < 2; end++)
        rather[end] = path_rather_than_host(search, pair[end], pair[!end], &slow[end]);
    *ret_slow = rather[0] < rather[1] ? slow[0] : slow[1];
    return fmin(rather[0], rather[1]);
}

/* A pair of the host with somebody else, another one each round. */
static void ask_elsewhere(const struct search *search, size_t host, size_t other)
{
    for (size_t i = 0; i < search->count; i++) {
        size_t partner = search->hosts[(host + search->isolate->round + i) % search->count];
        size_t pair[2] = {partner < host ? partner : host, partner < host ? host : partner};

        if (partner != host && partner != other && isolate_take(search->isolate, pair, 2))
            return;
    }
}

/* Each test of a host that may be the end of a path tells whether it is slow at times: none of them stays idle. */
static void ask_idle(const struct search *search)
{
    for (size_t a = 0; a < search->count; a++)
        for (size_t b = 0; b < search->count; b++)
            if (a != b && is_likely(search, a, b)) {
                if (!search->isolate->host_taken[search->hosts[a]])
                    ask_elsewhere(search, search->hosts[a], search->hosts[b]);
                break;
            }
}

/* The path is to blame when the pair is slow each time, and neither of the two is with others: they are measured
 * together or apart, whichever would surprise more of a host that is slow at times. */
static enum link_search confirm(const struct search *search, size_t a, size_t b,
                                struct isolate_accusation *ret_link)
{
    const struct isolate *isolate = search->isolate;
    size_t pair[2] = {search->hosts[a], search->hosts[b]};
    double mean, needed = isolate_sure(search->count);
    unsigned tests = isolate_mean(isolate, pair, 2, &mean);
    bool slow = tests >= CONFIRMING &&
                mean < isolate_middle(isolate) - sure_deviations * isolate_deviation(isolate, tests);
    double next_slow, rather = path_rather_than_hosts(search, pair, &next_slow);

    if (slow && rather > needed) {
        *ret_link = (struct isolate_accusation){
            .kind = ISOLATE_LINK,
            .a = pair[0],
            .b = pair[1],
            .slow_tests = tests,
            .doubt = fmax(isolate_doubt(isolate, mean, tests, 1), (double)search->count * exp(-rather))};
        return LINK_FOUND;
    }
    if (isolate->round % 2 == 0 && (!slow || next_slow < 0.5)) {
        isolate_take(search->isolate, pair, 2);
    } else { /* in turn: of one leaf, only one of them can be measured out of it at a time */
        size_t first = isolate->round / 2 % 2;

        ask_elsewhere(search, pair[first], pair[!first]);
        ask_elsewhere(search, pair[!first], pair[first]);
    }
    return LINK_ASKING;
}

/* More at once than the fabric carries, or a healthy value that is set too high, make every part slow. */
static bool is_everywhere(const struct search *search)
{
    unsigned slow = 0, all = 0;

    list_each (test, search->isolate->so_far->tests) {
        if (test->count < LARGE || test->count >= search->count || !speaks(search, test))
            continue;
        all++;
        slow += isolate_share(search->isolate, test) < isolate_middle(search->isolate);
    }
    return all >= EVERYWHERE && slow > everywhere_share * all;
}

/* The pair of the part that is the most likely one; returns the number of its members. */
static size_t best_of(const struct search *search, size_t part, size_t *ret_a, size_t *ret_b)
{
    size_t members = 0;
    float best = -INFINITY;

    for (size_t a = 0; a < search->count; a++) {
        members += search->part[a] == part;
        for (size_t b = a + 1; b < search->count && search->part[a] == part; b++)
            if (search->part[b] == part && *score_of(search, a, b) > best) {
                best = *score_of(search, a, b);
                *ret_a = a;
                *ret_b = b;
            }
    }
    return members;
}

/* Two of a few that were measured again and again are as good as alone: two paths may have one end in common. */
static enum link_search search_part(struct search *search, size_t part, struct isolate_accusation *ret_link)
{
    size_t a = part, b = part, members = best_of(search, part, &a, &b);
    double mean;
    unsigned tests;

    if (members < 2)
        return LINK_ASKING;
    tests = isolate_mean(search->isolate, (size_t[]){search->hosts[a], search->hosts[b]}, 2, &mean);
    if ((members == 2 && tests > 0) ||
        (members <= SMALL && tests >= CONFIRMING && mean < isolate_middle(search->isolate)))
        return confirm(search, a, b, ret_link);
    ask_part(search, part);
    return LINK_ASKING;
}

static enum link_search search_on(struct search *search, struct isolate_accusation *ret_link)
{
    enum link_search answer = LINK_ASKING;

    weigh(search);
    if (is_everywhere(search))
        return LINK_EVERYWHERE;
    if (search->best < given_up)
        return LINK_NOT_FOUND;
    connect_likely(search);
    for (size_t i = 0; i < search->count && answer == LINK_ASKING; i++)
        if (search->part[i] == i)
            answer = search_part(search, i, ret_link);
    if (answer == LINK_ASKING)
        ask_idle(search);
    return answer;
}

enum link_search isolate_search_link(struct isolate *isolate, struct isolate_accusation *ret_link)
{
    size_t all = isolate->problem->host_count;
    struct search search = {.isolate = isolate, .hosts = arena_array(isolate->arena, size_t, all)};
    enum link_search answer;

    for (size_t i = 0; i < all; i++)
        if (!isolate->excluded[i])
            search.hosts[search.count++] = i;
    search.place = arena_array(isolate->arena, size_t, all);
    for (size_t i = 0; i < all; i++)
        search.place[i] = search.count;
    for (size_t i = 0; i < search.count; i++)
        search.place[search.hosts[i]] = i;
    search.part = arena_array(isolate->arena, size_t, search.count);
    search.story = arena_array(isolate->arena, uint64_t, search.count);
    search.scores = mem_alloc(search.count * search.count * sizeof *search.scores);
    answer = search_on(&search, ret_link);
    free(search.scores);
    return answer;
}
