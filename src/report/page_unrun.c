/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was not tested, for paper: all of it, in as many rows as there are causes. Tests across hosts stand first, for
 * nothing else says that no two hosts were ever tested together; then the tests of each host. On the screen each has a row of
 * its own, with its gates.
 */
#include <string.h>

#include "page.h"

/* What did not run for one cause. */
struct unrun {
    bool across;
    size_t cause;                     /* number in the causes, from 1; 0: several of them */
    const struct report_entry *first; /* of a cause of its own, the entry that says it */
    LIST_OF(const char *) steps;      /* of the suite, each once */
    bool *hosts;                      /* by index in plan->hosts */
    size_t gates;
};
struct unruns {
    LIST_OF(struct unrun) items;
};

static struct unrun *unrun_for(struct page *page, struct unruns *unruns, size_t entry,
                               const struct outcome *outcome)
{
    size_t cause = cause_of_unrun(&page->causes, entry, outcome);
    bool across = page->view->steps[outcome->step].step->member_count > 1;
    struct unrun *unrun;

    for (size_t i = 0; i < unruns->items.count; i++)
        if (unruns->items.items[i].across == across && unruns->items.items[i].cause == cause)
            return &unruns->items.items[i];
    unrun = list_push(page->arena, &unruns->items);
    *unrun =
        (struct unrun){.across = across,
                       .cause = cause,
                       .first = &page->entries[entry],
                       .hosts = arena_array(page->arena, bool, page->view->record->plan->hosts.count + 1)};
    return unrun;
}

static void add_step(struct page *page, struct unrun *unrun, const char *step)
{
    for (size_t i = unrun->steps.count; i > 0; i--)
        if (strcmp(unrun->steps.items[i - 1], step) == 0)
            return;
    *list_push(page->arena, &unrun->steps) = step;
}

static void add_hosts(struct page *page, struct unrun *unrun, const struct step *step)
{
    for (size_t i = 0; i < step->member_count; i++) {
        size_t host = view_host(page->view, step->members[i]);

        if (host != (size_t)-1)
            unrun->hosts[host] = true;
    }
}

/* All of a step waits for the same; an entry of many steps has as many causes as the cards say. */
static void take_entry(struct page *page, struct unruns *unruns, size_t index)
{
    const struct report_entry *entry = &page->entries[index];
    struct unrun *unrun = NULL;

    for (size_t i = 0; i < entry->items; i++) {
        const struct step *step = page->view->steps[entry->outcomes[i]->step].step;

        if (i == 0 || entry->outcomes[i]->step != entry->outcomes[i - 1]->step) {
            unrun = unrun_for(page, unruns, index, entry->outcomes[i]);
            add_step(page, unrun, step->shape->suite_step);
            add_hosts(page, unrun, step);
        }
        unrun->gates++;
    }
}

static const struct reason *hosts_said(struct page *page, const struct unrun *unrun)
{
    const struct plan *plan = page->view->record->plan;
    LIST_OF(const struct host *) hosts = {0};
    struct step joined;

    for (size_t i = 0; i < plan->hosts.count; i++)
        if (unrun->hosts[i])
            *list_push(page->arena, &hosts) = plan->hosts.items[i];
    joined = (struct step){.members = hosts.items, .member_count = hosts.count};
    return step_target_said(page->arena, &joined);
}

static void write_steps(struct page *page, const struct unrun *unrun)
{
    html_markup(page->out, "<td>");
    for (size_t i = 0; i < unrun->steps.count; i++) {
        html_words(page->out, i > 0 ? language_between(page->language, ", ") : "");
        html_words(page->out, unrun->steps.items[i]);
    }
    html_markup(page->out, "</td>");
}

/* "fault 1, node5: connection refused" */
static void write_because(struct page *page, const struct unrun *unrun)
{
    const struct report_cause *cause = unrun->cause > 0 ? &page->causes.items.items[unrun->cause - 1] : NULL;

    html_markup(page->out, "<td>");
    if (cause == NULL)
        html_words(page->out, say(page, TEXT_BECAUSE_OF_SEVERAL));
    else if (cause->word == OUTCOME_NOT_RUN)
        page_said(page, unrun->first->cause);
    else
        html_words(page->out,
                   sayf(page, cause->word == OUTCOME_FAIL ? TEXT_BECAUSE_OF_FAULT : TEXT_BECAUSE_OF_POINT,
                        number(page, unrun->cause), said(page, cause->target),
                        cause_problem(page->arena, page->language, page->view, page->entries, cause)));
    html_markup(page->out, "</td>");
}

static void write_unruns(struct page *page, const struct unruns *unruns, bool across)
{
    for (size_t i = 0; i < unruns->items.count; i++) {
        const struct unrun *unrun = &unruns->items.items[i];

        if (unrun->across != across)
            continue;
        html_markup(page->out, "<tr>");
        html_row_head(page->out, say(page, across ? TEXT_ACROSS_HOSTS : TEXT_ON_EACH_HOST));
        page_said_cell(page, hosts_said(page, unrun));
        write_steps(page, unrun);
        write_because(page, unrun);
        html_number_cell(page->out, number(page, unrun->gates));
        html_markup(page->out, "</tr>\n");
    }
}

void page_unrun(struct page *page)
{
    struct unruns unruns = {0};

    for (size_t i = 0; i < page->entry_count; i++)
        if (page->entries[i].word == OUTCOME_NOT_RUN)
            take_entry(page, &unruns, i);
    if (unruns.items.count == 0)
        return;
    html_markup(page->out, "<div class=\"on-paper\">\n");
    page_heading(page, TEXT_NOT_TESTED);
    page_table(page, "compact unrun", COLUMN(TESTS), COLUMN(HOSTS), COLUMN(STEPS), COLUMN(BECAUSE),
               NUMBERS(GATES));
    html_markup(page->out, "<tbody>\n");
    write_unruns(page, &unruns, true);
    write_unruns(page, &unruns, false);
    html_markup(page->out, "</tbody></table>\n</div>\n");
}
