/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric_evidence.h"

#include "assay/fabric/flows.h"
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

enum { NAMED_MOST = 8 }; /* in one sentence; findings have all */

/* --- files --- */

bool fabric_take(const struct attempt *attempt, const char *name, struct reading *out, struct slice *ret_text)
{
    const struct part *part = attempt_part(attempt, name);

    if (part != NULL && part->ended && part->rc == 0) {
        *ret_text = part->out;
        return true;
    }
    reading_set(out, READING_PARTIAL, reason(out->arena, about, name, REASON(command_not_ended)));
    return false;
}

bool fabric_take_sweep(const struct attempt *attempt, struct reading *out)
{
    const struct part *part = attempt_part(attempt, "sweep");

    if (part != NULL && part->ended && part->reading.status == READING_COMPLETE)
        return true;
    reading_set(out, READING_PARTIAL,
                part != NULL && part->ended ? reason(out->arena, the_sweep_said, part->reading.reason)
                                            : REASON(sweep_not_ended));
    return false;
}

/* --- members --- */

static void name_members(const struct check_context *context, struct arena *arena, size_t hcas, size_t k,
                         const char **wanted)
{
    for (size_t member = 0; member < context->member_count; member++) {
        const char *names[CHECK_NAMES_MOST];
        bool named = check_names_of_member(context, member, names) > k;

        for (size_t i = 0; i < hcas; i++)
            wanted[member * hcas + i] =
                named ? arena_printf(arena, "%s %s", names[k], check_hca(context, i)) : "";
    }
}

/* By the best name of each member first, then by its next. */
uint32_t *fabric_find_members(const struct check_context *context, const struct fabric *fabric,
                              struct arena *arena, size_t *ret_count)
{
    size_t hcas = 0, count;
    const char **wanted;
    uint32_t *found, *ports;

    while (check_hca(context, hcas) != NULL)
        hcas++;
    count = *ret_count = hcas * context->member_count;
    wanted = arena_array(arena, const char *, count);
    found = arena_array(arena, uint32_t, count);
    ports = arena_array(arena, uint32_t, count);
    for (size_t i = 0; i < count; i++)
        ports[i] = FABRIC_NONE;
    for (size_t k = 0; k < CHECK_NAMES_MOST; k++) {
        name_members(context, arena, hcas, k, wanted);
        fabric_find_adapters(arena, fabric, wanted, count, found);
        for (size_t i = 0; i < count; i++)
            if (ports[i] == FABRIC_NONE)
                ports[i] = found[i];
    }
    return ports;
}

/* --- words --- */

void fabric_list_name(struct arena *arena, struct fabric_list *list, const struct reason *what)
{
    if (list->count++ < NAMED_MOST)
        list->said = reason_also(arena, list->said, what);
}

void fabric_list_add(struct reading *out, const struct fabric *fabric, struct fabric_list *list,
                     const char *code, uint32_t link, const struct reason *what)
{
    fabric_list_name(out->arena, list, what);
    reading_finding(out, SEVERITY_WARNING, code, fabric_link_name(fabric, link), what);
}

const struct reason *fabric_list_said(struct arena *arena, const struct fabric_list *list)
{
    return list->count > NAMED_MOST ? reason(arena, and_more, list->said, list->count - NAMED_MOST)
                                    : list->said;
}

void fabric_tell(struct reading *out, const char *metric, const struct reason *what, const char *good)
{
    if (what != NULL)
        reading_fact_said(out, metric, "", what);
    else
        reading_fact(out, metric, "", slice_of(good));
}
