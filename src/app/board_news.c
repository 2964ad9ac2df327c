/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/board_news.h"

#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/report.h"

/* Of more than one item the first, and how many more. */
static const char *subject_of(struct arena *arena, enum report_language language, const struct step *step,
                              const struct outcome *worst, size_t alike)
{
    const char *subject = step->shape->slot_count > 0 ? step->shape->slots[worst->slot].subject : "";

    if (*subject == '\0' || alike < 2)
        return subject;
    return reason_said(arena, language, reason(arena, and_so_many_more, subject, alike - 1));
}

/* Without the host's own name in front, which stands there anyway; so the same on several hosts is one line. */
static const char *reason_of(struct arena *arena, enum report_language language, const struct step *step,
                             const struct reason *cause)
{
    const char *named = reason_is(cause, about) ? reason_argument_text(cause, 1) : NULL;

    if (named != NULL && strcmp(named, step->members[0]->name) == 0)
        cause = reason_argument(arena, cause, 2);
    return reason_said(arena, language, cause);
}

static bool is_news(enum scheduler_event event, enum board_event *ret_event)
{
    static const struct {
        enum scheduler_event event;
        enum board_event news;
    } kinds[] = {{EVENT_STARTED, BOARD_STARTED},
                 {EVENT_ATTEMPT_ENDED, BOARD_AGAIN},
                 {EVENT_STEP_ENDED, BOARD_ENDED},
                 {EVENT_STEP_SKIPPED, BOARD_ENDED},
                 {EVENT_TAKEN_UP, BOARD_TAKEN_UP}};

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (kinds[i].event == event) {
            *ret_event = kinds[i].news;
            return true;
        }
    return false;
}

void board_news_take(struct board_state *state, enum report_language language, double at,
                     enum scheduler_event event, size_t step, const struct scheduler_counts *counts,
                     const struct outcome *worst, size_t alike)
{
    struct board_news news = {
        .step = step, .state = counts->state, .word = OUTCOME_INCONCLUSIVE, .subject = "", .reason = ""};
    cleanup_arena struct arena *arena = NULL;

    state->cancelling |= event == EVENT_CANCELLING;
    if (!is_news(event, &news.event))
        return;
    arena = arena_create();
    if (worst != NULL) {
        news.word = worst->word;
        const struct step *of = &state->plan->steps.items[step];

        news.subject = subject_of(arena, language, of, worst, alike);
        news.reason = reason_of(arena, language, of, worst->cause);
    }
    board_state_note(state, &news, at);
}
