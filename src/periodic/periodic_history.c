/* SPDX-License-Identifier: Apache-2.0 */
/* From the looks of runs to counts: when each test last looked at a host, how many defects were found, who saw them. */
#include "assay/periodic/periodic.h"
#include "periodic_private.h"

static const double age_ends_h[PERIODIC_AGES] = {30 * 24.0, 180 * 24.0, 1e9};

unsigned periodic_age(double hours)
{
    unsigned age = 0;

    while (age + 1 < PERIODIC_AGES && hours >= age_ends_h[age])
        age++;
    return age;
}

double periodic_age_hours(unsigned age, double from_h, double to_h)
{
    double begin = age > 0 ? age_ends_h[age - 1] : 0;
    double low = from_h > begin ? from_h : begin, high = to_h < age_ends_h[age] ? to_h : age_ends_h[age];

    return high > low ? high - low : 0;
}

periodic_set periodic_again(const struct periodic_host *host)
{
    periodic_set again = 0;

    for (unsigned k = 0; k < PERIODIC_CLASSES; k++)
        if (host->past[k].open)
            again |= host->past[k].saw;
    return again & host->applies;
}

struct periodic_fleet *periodic_create(struct arena *arena)
{
    struct periodic_fleet *fleet = arena_new(arena, struct periodic_fleet);

    fleet->arena = arena;
    return fleet;
}

size_t periodic_add_test(struct periodic_fleet *fleet, const struct periodic_test *test)
{
    *list_push(fleet->arena, &fleet->tests) = *test;
    return fleet->tests.count - 1;
}

size_t periodic_add_host(struct periodic_fleet *fleet, const char *name, size_t platform,
                         periodic_set applies)
{
    struct periodic_host *host = list_push(fleet->arena, &fleet->hosts);

    host->name = name;
    host->platform = platform;
    host->applies = applies;
    host->last = arena_alloc_array(fleet->arena, fleet->tests.count, sizeof *host->last);
    if (platform >= fleet->platforms)
        fleet->platforms = platform + 1;
    return fleet->hosts.count - 1;
}

void periodic_take_time(struct periodic_fleet *fleet, size_t test, double hours)
{
    fleet->tests.items[test].measured++;
    fleet->tests.items[test].measured_h += hours;
}

/* Who looked at one host, and who saw something, of one class. */
struct session {
    periodic_set saw, passed;
    bool watched; /* by one that is made for the class, or that found something */
};

static struct session gather(const struct periodic_fleet *fleet, const struct periodic_look *looks,
                             size_t count, enum periodic_class class)
{
    struct session session = {0};
    unsigned bit = 1u << class;

    for (size_t i = 0; i < count; i++) {
        periodic_set test = (periodic_set)1 << looks[i].test;

        if (looks[i].failed & bit)
            session.saw |= test;
        else if (looks[i].passed & bit)
            session.passed |= test;
        if ((looks[i].failed & bit) || (looks[i].passed & fleet->tests.items[looks[i].test].own & bit))
            session.watched = true;
    }
    return session;
}

/* Each test counts once a defect, whenever it looked while that was there. */
static void count_cover(struct periodic_fleet *fleet, struct periodic_past *past,
                        const struct session *session, enum periodic_class class)
{
    periodic_set looked = (session->saw | session->passed) & ~past->looked, saw = session->saw & ~past->saw;

    for (size_t i = 0; i < fleet->tests.count; i++) {
        fleet->tests.items[i].looked[class] += (looked >> i) & 1;
        fleet->tests.items[i].seen[class] += (saw >> i) & 1;
    }
    past->looked |= looked;
    past->saw |= saw;
}

static void take_class(struct periodic_fleet *fleet, struct periodic_host *host, double at,
                       const struct session *session, enum periodic_class class)
{
    struct periodic_past *past = &host->past[class];

    if (past->open && session->saw == 0 && (past->saw & session->passed) == past->saw)
        *past = (struct periodic_past){.first = past->first,
                                       .last = past->last,
                                       .found = {past->found[0], past->found[1], past->found[2]}};
    if (session->saw != 0 && !past->open) {
        past->open = true;
        past->since = at;
        if (past->first > 0) /* else nobody knows since when it was there */
            past->found[periodic_age((at - host->first) / 3600)]++;
    }
    if (past->open)
        count_cover(fleet, past, session, class);
    if (session->watched) {
        past->first = past->first > 0 ? past->first : at;
        past->last = at;
    }
}

static void take_host(struct periodic_fleet *fleet, double at, const struct periodic_look *looks,
                      size_t count)
{
    struct periodic_host *host = &fleet->hosts.items[looks[0].host];

    if (host->first <= 0)
        host->first = at;
    for (unsigned k = 0; k < PERIODIC_CLASSES; k++) {
        struct session session = gather(fleet, looks, count, (enum periodic_class)k);

        take_class(fleet, host, at, &session, (enum periodic_class)k);
        for (size_t i = 0; i < count; i++)
            if ((looks[i].failed | looks[i].passed) & (1u << k))
                host->last[looks[i].test][k] = at;
    }
}

void periodic_take(struct periodic_fleet *fleet, double at, const struct periodic_look *looks, size_t count)
{
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && looks[next].host == looks[i].host; next++)
            ;
        take_host(fleet, at, &looks[i], next - i);
    }
    if (count == 0)
        return;
    fleet->runs++;
    fleet->first = fleet->runs == 1 || at < fleet->first ? at : fleet->first;
    fleet->last = at > fleet->last ? at : fleet->last;
}
