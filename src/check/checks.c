/* SPDX-License-Identifier: Apache-2.0 */
/* The table of checks, and what a step of one owes. */
#include <fnmatch.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/check.h"
#include "assay/reasons/parse.h"
#include "rules.h"
#include "window_read.h"

#define CHECK_OF(file, name) CHECK(name)
#define CHECK(name) extern const struct check check_##name;
#include "checks.def"
#undef CHECK

static const struct check *const checks[] = {
#define CHECK(name) &check_##name,
#include "checks.def"
#undef CHECK
#undef CHECK_OF
};

enum { CHECK_COUNT = ARRAY_SIZE(checks) };

const struct check *check_find(const char *name)
{
    for (size_t i = 0; i < CHECK_COUNT; i++)
        if (strcmp(checks[i]->name, name) == 0)
            return checks[i];
    return NULL;
}

const struct check *const *check_list(size_t *ret_count)
{
    *ret_count = CHECK_COUNT;
    return checks;
}

bool check_applies(const struct check *check, const struct suite_step *step, const struct platform *platform)
{
    if (check->on == ON_GPUS && platform->gpu_count == 0)
        return false;
    if (check->on == ON_HCAS && platform->hcas.count == 0)
        return false;
    if (check->on == ON_NPUS && platform->npu_count == 0 && json_get(step->arguments, NPUS_ARGUMENT) == NULL)
        return false;
    return check->applies == NULL || check->applies(platform);
}

static bool is_for(const struct remedy *row, const char *metric, const struct reason *cause)
{
    return fnmatch(row->metric, metric, 0) == 0 && (row->about == NULL || reason_has_(cause, row->about));
}

static const struct reason *find_remedy(const struct remedy *rows, const char *metric,
                                        const struct reason *cause)
{
    for (const struct remedy *row = rows; row != NULL && row->metric != NULL; row++)
        if (row->text != NULL && is_for(row, metric, cause))
            return row->text;
    return NULL;
}

const struct remedy *check_problem(const struct check *check, const char *metric, const struct reason *cause)
{
    for (const struct remedy *row = check->remedies; row != NULL && row->metric != NULL; row++)
        if (row->problem != NULL && is_for(row, metric, cause))
            return row;
    return NULL;
}

bool check_is_result(const struct check *check, const char *metric)
{
    for (const char *const *row = check->results; row != NULL && *row != NULL; row++)
        if (fnmatch(*row, metric, 0) == 0)
            return true;
    return false;
}

/* What the kernel said while a test loaded the hosts has its action with it, and what a GPU came to say of itself is mended as such,
   whatever the test is of: to run that again mends nothing. */
static const struct remedy load_remedies[] = {
    {"*", REASON(do_xid_action), .about = &sentence_xid_line_explained},
    {"*", REASON(see_xid_lines_of_gpu), .about = &sentence_gpu_gone_after_test},
    {"*", REASON(reset_gpu_number_test_again), .about = &sentence_gpu_must_be_reset},
    {"*", REASON(run_field_diagnostic), .about = &sentence_row_not_remapped},
    {"*", REASON(run_field_diagnostic), .about = &sentence_memory_unrepairable},
    {"*", REASON(more_than_maker_allows), .about = &sentence_sram_errors_beyond_allowed},
    {0},
};

const struct reason *check_remedy(const struct check *check, const char *metric, const struct reason *cause)
{
    const struct reason *text = check->window ? find_remedy(load_remedies, metric, cause) : NULL;

    if (text == NULL)
        text = find_remedy(check->remedies, metric, cause);
    return text == NULL && check->window ? find_remedy(window_remedies, metric, cause) : text;
}

const struct reason *check_remedy_without_value(const struct check *check, const char *metric,
                                                const struct reason *cause)
{
    for (const struct remedy *row = check->remedies; row != NULL && row->metric != NULL; row++)
        if (row->about == &sentence_no_value_in_whole_output && is_for(row, metric, cause))
            return row->text;
    return NULL;
}

/* Of what every test that loads the hosts sees beside itself. */
static const struct plain_words window_plain[] = {
    {"window.temperature*", PLAIN(part_is_hot, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)},
    {0},
};

static const struct plain_words *find_plain(const struct plain_words *rows, const char *metric, size_t *rank)
{
    for (const struct plain_words *row = rows; row != NULL && row->metric != NULL; row++, ++*rank)
        if (fnmatch(row->metric, metric, 0) == 0)
            return row;
    return NULL;
}

const struct plain_words *check_plain(const struct check *check, const char *metric, size_t *ret_rank)
{
    const struct plain_words *row;
    size_t rank = 0;

    row = find_plain(check != NULL ? check->plain : NULL, metric, &rank);
    if (row == NULL)
        row = find_plain(window_plain, metric, &rank);
    for (size_t i = 0; i < CHECK_COUNT && row == NULL; i++)
        row = find_plain(checks[i]->plain, metric, &rank);
    *ret_rank = row == NULL || row->last ? PLAIN_RANK_LAST : rank;
    return row;
}

/* Checks that share a table have it once; they stand together. */
static const struct listed_fact *listed_of(size_t check)
{
    return check > 0 && checks[check - 1]->listed == checks[check]->listed ? NULL : checks[check]->listed;
}

const struct listed_fact *check_listed(enum listed list, size_t i)
{
    for (size_t k = 0; k < CHECK_COUNT; k++)
        for (const struct listed_fact *row = listed_of(k); row != NULL && row->fact != NULL; row++)
            if (row->list == list && i-- == 0)
                return row;
    return NULL;
}

bool check_lists(const char *fact)
{
    for (size_t i = 0; i < CHECK_COUNT; i++)
        for (const struct listed_fact *row = checks[i]->listed; row != NULL && row->fact != NULL; row++)
            if (strcmp(row->fact, fact) == 0)
                return true;
    return false;
}

bool check_draws_curve(const char *metric)
{
    for (size_t i = 0; i < CHECK_COUNT; i++)
        if (checks[i]->curves != NULL && fnmatch(checks[i]->curves, metric, 0) == 0)
            return true;
    return false;
}

const struct gpu_numbers *check_gpu_table(const char *metric)
{
    for (size_t i = 0; i < CHECK_COUNT; i++)
        if (checks[i]->gpu_table != NULL && fnmatch(checks[i]->gpu_table->items, metric, 0) == 0)
            return checks[i]->gpu_table;
    return NULL;
}

/* The i-th subject of an item, in the order of tables; NULL when there are no more. */
static const char *nth_subject(const struct check_context *context, enum per per, size_t i)
{
    const struct platform *platform = context->platform;
    size_t gpus = platform->gpu_count, links = platform->nvlink_links;

    switch (per) {
    case PER_GPU:
        return i < gpus ? arena_printf(context->arena, "gpu%zu", i) : NULL;
    case PER_REMAPPER:
        return i < gpus && platform->row_remapper ? arena_printf(context->arena, "gpu%zu", i) : NULL;
    case PER_RETIRER:
        return i < gpus && !platform->row_remapper ? arena_printf(context->arena, "gpu%zu", i) : NULL;
    case PER_GPU_PAIR:
        if (gpus < 2 || i >= gpus * (gpus - 1))
            return NULL;
        return arena_printf(context->arena, "gpu%zu->gpu%zu", i / (gpus - 1),
                            i % (gpus - 1) + (i % (gpus - 1) >= i / (gpus - 1) ? 1 : 0));
    case PER_GPU_LINK:
        return i < gpus * links ? arena_printf(context->arena, "gpu%zu.link%zu", i / links, i % links) : NULL;
    case PER_HCA:
        return check_hca(context, i);
    case PER_HCA_PORT:
        return check_hca(context, i) != NULL ? arena_printf(context->arena, "%s/1", check_hca(context, i))
                                             : NULL;
    case PER_MEMBER:
        return i < context->member_count ? context->members[i]->name : NULL;
    case PER_MEMBER_HCA:
        return check_member_hca(context, i);
    case PER_TARGET:
    default:
        return i == 0 ? "" : NULL;
    }
}

static void add_item(const struct check_context *context, struct slot_list *slots, const struct item *item)
{
    const struct limit *rules = item->rules;
    const char *subject;

    if (rules != NULL && rules->rule == RULE_SAME)
        rules = rules_or_allowed(context, item->metric, rules);
    for (size_t i = 0; (subject = nth_subject(context, item->per, i)) != NULL; i++)
        slot_add(context, slots, item->metric, subject, item->at, item->duty, rules);
}

void check_slots(const struct check_context *context, struct slot_list *slots)
{
    static const struct limit sound_rules[] = RULES_EQUAL(SOUND_METRIC, "yes", "assay");

    slot_add(context, slots, SOUND_METRIC, "", NULL, DUTY_GATE, sound_rules);
    for (const struct item *item = context->check->items; item != NULL && item->metric != NULL; item++)
        add_item(context, slots, item);
    if (context->check->more_slots != NULL)
        context->check->more_slots(context, slots);
    if (context->check->window)
        window_slots(context, slots);
}
