/* SPDX-License-Identifier: Apache-2.0 */
/* What was stored, read by today's parsers: one attempt after the other, so that no more than one is in memory. */
#include "assay/app/read_again.h"

#include "assay/app/own_names.h"
#include "assay/check/check.h"

int read_again(struct store *store, const struct plan_sources *sources, struct record *record,
               struct attempt *attempt, bool put, struct error *err)
{
    const struct step *step = &record->plan->steps.items[attempt->step];
    cleanup_arena struct arena *scratch = arena_create();
    int result = store_load_evidence(store, scratch, record, attempt, err);
    struct check_context context;

    if (result == 0) {
        context_to_read(scratch, sources, record, step, &context);
        check_read(&context, attempt);
        if (put)
            result = store_put_readings(store, record, attempt, err);
    }
    check_keep(record->arena, scratch, step, attempt);
    return result;
}

int read_all_again(struct store *store, const struct plan_sources *sources, struct record *record,
                   size_t *ret_kept, struct error *err)
{
    *ret_kept = 0;
    for (size_t i = 0; i < record->attempts.count; i++) {
        struct attempt *attempt = &record->attempts.items[i];

        if (attempt->state != ATTEMPT_ENDED)
            continue;
        if (attempt_is_clipped(attempt))
            ++*ret_kept;
        else if (read_again(store, sources, record, attempt, false, err) < 0)
            return -1;
    }
    return 0;
}
