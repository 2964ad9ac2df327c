/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/foreign_run.h"

#include "assay/app/read_again.h"
#include "assay/app/sources.h"
#include "assay/plan/plan_asks.h"

/* NULL: it asks all that they do. */
static const char *find_wrong(struct arena *arena, const struct record *record)
{
    struct plan_sources sources;
    struct error err = {0};
    const char *what = NULL;

    if (sources_of_record(arena, record, NULL, &sources, &err) < 0 ||
        plan_find_unasked(arena, record->plan, &sources, &what, &err) < 0)
        return arena_printf(arena, "it cannot be made again from its documents: %s", err.text);
    return what != NULL ? arena_printf(arena, "it is not what this assay makes of its documents: %s", what)
                        : NULL;
}

const char *foreign_run_note(struct arena *arena, const struct record *record)
{
    const char *what = find_wrong(arena, record);

    return what != NULL
               ? arena_printf(arena,
                              "the plan of this run does not hold here, so it is neither judged nor adopted: "
                              "%s. Another version of assay made it (%s), or it was changed",
                              what, record->program)
               : NULL;
}

int foreign_run_check(struct arena *arena, const struct record *record, struct error *err)
{
    const char *note = record->origin != NULL ? foreign_run_note(arena, record) : NULL;

    return note == NULL ? 0 : error_set(err, ERROR_USAGE, "run %lld: %s", record->number, note);
}

int foreign_run_read(struct store *store, struct arena *arena, struct record *record, struct error *err)
{
    struct plan_sources sources;
    size_t kept; /* caveat_of_acceptance counts them */

    if (record->origin == NULL)
        return 0;
    if (sources_of_record(arena, record, NULL, &sources, err) < 0)
        return -1;
    return read_all_again(store, &sources, record, &kept, err);
}
