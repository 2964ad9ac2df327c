/* SPDX-License-Identifier: Apache-2.0 */
/* Whole runs, one or several together: every slot of every step gets an outcome, and hosts, units and runs their verdicts.
   What others have is asked of all runs where it is comparable: a value, a part, a rate. What was measured by a run's own
   controller, rack, jump host or fabric is asked of that run alone. */
#include "assay/judge/judge.h"
#include "assay/base/robust.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/base/text.h"
#include "assay/reasons/any.h"
#include "assay/reasons/judge.h"
#include "assay/reasons/words.h"

#include "grown.h"
#include "judge_private.h"
#include "together.h"

struct common {
    const char *value; /* NULL: no majority */
    const char *kinds; /* then what there is: "2 x 550.54.15, 2 x 550.90.07" */
};

/* What the slots of a shape have in common, each asked for when it is first needed; siblings share it. */
struct commons {
    const struct shape *shape;
    const struct common **of_slot;
};

/* By the clock of that run's controller. */
struct common_span {
    const struct judged_part *part;
    const struct shape *shape;
    const struct slot *slot;
    const char *value; /* NULL: there is one host */
};

/* Who has which value of a metric that no two may share, sorted by the value, and then by step, so that each run's come together:
   hosts, and what is in one of them. */
struct owner {
    const char *value, *platform, *host, *rack, *subject;
    const struct judged_part *part;
    size_t step, slot;
};
/* Of one step; see last_whole. */
struct last_whole {
    const struct attempt *attempt;
    bool known;
};

/* What most hosts of a rack have. */
struct rack {
    const struct judged_part *part;
    const char *name, *value, *kinds; /* value: NULL where they do not agree, of which kinds tells */
};
struct owners {
    const char *suite_step, *metric;
    LIST_OF(struct owner) items;
    LIST_OF(struct rack) racks; /* those that were asked for */
    size_t last;                /* of them */
};

/* A jump host, or none (""), and whether anybody behind it answered. */
struct way_in {
    const struct judged_part *part;
    const char *jump;
    bool answers;
};

struct whole_run {
    struct arena *arena;
    struct arena *aside; /* of what is only looked at, cleared again and again; NULL where all of it is */
    struct together together;
    LIST_OF(struct commons) commons;
    size_t last; /* of them */
    LIST_OF(struct common_span) spans;
    LIST_OF(struct owners) owners;
    struct last_whole *whole;  /* of each step; NULL: nobody asked yet */
    const size_t *first_looks; /* likewise */
    size_t *fine;              /* of each shape: its steps with a whole attempt; NULL: nobody asked yet */
    LIST_OF(struct way_in) ways_in;    /* likewise */
    const struct judged_part *lost_of; /* whose hosts `lost` tells of; NULL: nobody asked yet */
    const struct host_places *places;  /* of the plan's hosts, for it */
    bool *lost;
};

size_t shape_number(const struct plan *plan, const struct shape *shape, size_t near)
{
    for (size_t i = near; i < plan->shapes.count; i++)
        if (plan->shapes.items[i] == shape)
            return i;
    for (size_t i = 0; i < near; i++)
        if (plan->shapes.items[i] == shape)
            return i;
    return plan->shapes.count;
}

/* Its last whole attempt; NULL: there is none. Looked for once, in the arena. */
static const struct attempt *last_whole(struct arena *arena, struct whole_run *run, size_t step)
{
    const struct step_attempts *attempts = &run->together.attempts[step];
    size_t i = attempts->count;

    if (run->whole == NULL)
        run->whole = arena_array(run->arena, struct last_whole, run->together.plan->steps.count);
    if (!run->whole[step].known) {
        while (i > 0 && attempt_bearing(arena, attempts->items[i - 1]).kind != KIND_WHOLE)
            i--;
        run->whole[step] = (struct last_whole){i > 0 ? attempts->items[i - 1] : NULL, true};
    }
    return run->whole[step].attempt;
}

/* The value in the last whole attempt of a step; NULL when there is none, or when it does not agree with itself. In the arena, or
   the attempt's. */
static const char *value_of(struct arena *arena, struct whole_run *run, size_t step, const struct slot *slot)
{
    const struct attempt *attempt = last_whole(arena, run, step);
    struct values values = {0};

    if (attempt != NULL)
        slot_values(arena, slot, attempt, &values);
    for (size_t i = 1; i < values.items.count; i++)
        if (strcmp(values.items.items[i].text, values.items.items[0].text) != 0)
            return NULL;
    return values.items.count > 0 ? values.items.items[0].text : NULL;
}

static int compare_texts(const void *a, const void *b)
{
    const char *left = *(const char *const *)a, *right = *(const char *const *)b;

    return left == right ? 0 : strcmp(left, right);
}

/* The value that more than half of the hosts have. */
const char *majority(const char **values, size_t count)
{
    const char *middle;
    size_t same = 0;

    if (count == 0)
        return NULL;
    qsort(values, count, sizeof *values, compare_texts);
    middle = values[count / 2];
    for (size_t i = 0; i < count; i++)
        same += values[i] == middle || strcmp(values[i], middle) == 0;
    return 2 * same > count ? middle : NULL;
}

/* "gpu3" */
static bool is_gpu(const char *subject)
{
    size_t digits = strncmp(subject, "gpu", 3) == 0 ? strspn(subject + 3, "0123456789") : 0;

    return digits > 0 && subject[3 + digits] == '\0';
}

/* GPUs of one platform are bought alike in whatever place they sit, so each is compared with all; what else there are
   several of in a host may differ by place. */
static bool are_siblings(const struct slot *slot, const struct slot *other)
{
    return strcmp(slot->metric, other->metric) == 0 &&
           (slot == other || (is_gpu(slot->subject) && is_gpu(other->subject)));
}

/* The first of them, under which their common value is kept. */
static const struct slot *first_sibling(const struct shape *shape, const struct slot *slot)
{
    for (size_t i = 0; i < shape->slot_count; i++)
        if (are_siblings(slot, &shape->slots[i]))
            return &shape->slots[i];
    return slot;
}

/* The most kinds that are told one by one. */
enum { HASH_SHOWN = 16, KINDS_TOLD = 4 };

/* Of sorted values. */
static const char *say_kinds(struct arena *arena, const char **values, size_t count)
{
    const char *text = "";
    size_t kinds = 0;

    for (size_t i = 0, end; i < count; i = end, kinds++) {
        for (end = i + 1; end < count && strcmp(values[end], values[i]) == 0; end++)
            ;
        if (kinds < KINDS_TOLD)
            text = arena_printf(arena, "%s%s%zu x %s", text, i > 0 ? ", " : "", end - i, values[i]);
    }
    return kinds > KINDS_TOLD ? arena_printf(arena, "%s, ...", text) : text;
}

struct texts {
    const char **items;
    size_t count, capacity;
};

/* Of a slot and its siblings on all hosts; equal ones that come one after the other are one text. */
static void gather_values(struct arena *arena, struct whole_run *run, const struct shape *shape,
                          const struct slot *slot, struct texts *values)
{
    const struct plan *plan = run->together.plan;
    const struct slot **siblings = arena_array(arena, const struct slot *, shape->slot_count);
    cleanup_arena struct arena *aside = arena_create();
    const char *last = "";
    size_t count = 0;

    for (size_t i = 0; i < shape->slot_count; i++)
        if (are_siblings(slot, &shape->slots[i]))
            siblings[count++] = &shape->slots[i];
    for (size_t i = 0; i < plan->steps.count; i++) {
        if (plan->steps.items[i].shape != shape)
            continue;
        for (size_t k = 0; k < count; k++) {
            const char *value = value_of(aside, run, i, siblings[k]);

            if (value == NULL)
                continue;
            last = strcmp(value, last) == 0 ? last : arena_strdup(arena, value);
            *list_push(arena, values) = last;
        }
        arena_clear(aside);
    }
}

static const struct common *find_common(struct whole_run *run, const struct shape *shape,
                                        const struct slot *slot)
{
    struct common *common = arena_new(run->arena, struct common);
    cleanup_arena struct arena *aside = arena_create();
    struct texts values = {0};

    gather_values(aside, run, shape, slot, &values);
    common->value = majority(values.items, values.count);
    common->kinds = common->value == NULL ? say_kinds(run->arena, values.items, values.count) : "";
    if (common->value != NULL)
        common->value = arena_strdup(run->arena, common->value);
    return common;
}

/* Steps of one shape mostly come one after the other. */
static const struct common **commons_of(struct whole_run *run, const struct shape *shape)
{
    struct commons *commons;

    for (size_t i = 0; i < run->commons.count; i++) {
        size_t place = (run->last + i) % run->commons.count;

        if (run->commons.items[place].shape == shape) {
            run->last = place;
            return run->commons.items[place].of_slot;
        }
    }
    commons = list_push(run->arena, &run->commons);
    commons->shape = shape;
    commons->of_slot = arena_array(run->arena, const struct common *, shape->slot_count);
    return commons->of_slot;
}

static const struct common *common_of(struct whole_run *run, size_t step, const struct slot *slot)
{
    const struct shape *shape = run->together.plan->steps.items[step].shape;
    const struct common **of_slot = commons_of(run, shape), **own = &of_slot[slot - shape->slots], **first;

    if (*own != NULL)
        return *own;
    slot = first_sibling(shape, slot);
    first = &of_slot[slot - shape->slots];
    if (*first == NULL)
        *first = find_common(run, shape, slot);
    *own = *first;
    return *own;
}

static const char *common_value(void *context, size_t step, const struct slot *slot)
{
    return common_of(context, step, slot)->value;
}

static const char *common_kinds(void *context, size_t step, const struct slot *slot)
{
    return common_of(context, step, slot)->kinds;
}

static int compare_owners(const void *a, const void *b)
{
    const struct owner *left = a, *right = b;
    int order = strcmp(left->value, right->value);

    if (order == 0)
        order = (left->step > right->step) - (left->step < right->step);
    return order != 0 ? order : (left->slot > right->slot) - (left->slot < right->slot);
}

/* Of one step what each of its items of that metric has. */
static void add_owners(struct whole_run *run, size_t index, const char *metric, struct owners *owners)
{
    const struct step *step = &run->together.plan->steps.items[index];
    cleanup_arena struct arena *aside = arena_create();

    for (size_t i = 0; i < step->shape->slot_count; i++) {
        const struct slot *slot = &step->shape->slots[i];
        const char *value = strcmp(slot->metric, metric) == 0 ? value_of(aside, run, index, slot) : NULL;

        if (value != NULL)
            *list_push(run->arena, &owners->items) = (struct owner){arena_strdup(run->arena, value),
                                                                    step->shape->platform,
                                                                    step->members[0]->name,
                                                                    step->members[0]->rack,
                                                                    slot->subject,
                                                                    together_part(&run->together, index),
                                                                    index,
                                                                    i};
    }
}

/* Over all platforms: hosts of two may be one machine too. */
static struct owners *owners_of(struct whole_run *run, const char *suite_step, const struct slot *slot)
{
    const struct plan *plan = run->together.plan;
    struct owners *owners;

    for (size_t i = 0; i < run->owners.count; i++) {
        owners = &run->owners.items[i];
        if (strcmp(owners->suite_step, suite_step) == 0 && strcmp(owners->metric, slot->metric) == 0)
            return owners;
    }
    owners = list_push(run->arena, &run->owners);
    *owners = (struct owners){.suite_step = suite_step, .metric = slot->metric};
    for (size_t i = 0; i < plan->steps.count; i++)
        if (strcmp(plan->steps.items[i].shape->suite_step, suite_step) == 0)
            add_owners(run, i, slot->metric, owners);
    if (owners->items.count > 0)
        qsort(owners->items.items, owners->items.count, sizeof *owners->items.items, compare_owners);
    return owners;
}

/* How many come before those that have the value from this step on. */
static size_t owners_before(const struct owners *owners, const char *value, size_t step)
{
    const struct owner wanted = {.value = value, .step = step};
    size_t low = 0, high = owners->items.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare_owners(&owners->items.items[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first of those that have the value, and how many; NULL: nobody. */
static const struct owner *owners_with(const struct owners *owners, const char *value, size_t *ret_count)
{
    size_t first = owners_before(owners, value, 0);

    *ret_count = owners_before(owners, value, SIZE_MAX) - first;
    return *ret_count > 0 ? &owners->items.items[first] : NULL;
}

/* Of how many others of its own run it is told that they have the value too: each that has it says so of the others. */
enum { OWNERS_TOLD = 16 };

/* "node[2-3]"; of what is in hosts "node2 gpu3, node4 gpu1", the own host's without its name. */
static const char *say_names(struct arena *arena, const char *const *names, size_t count, const char *subject)
{
    cleanup_text struct text text = {0};

    if (*subject == '\0')
        return hostlist_fold(arena, names, count);
    text_init(&text, 64 * 1024);
    for (size_t i = 0; i < count; i++)
        text_printf(&text, "%s%s", i > 0 ? ", " : "", names[i]);
    return arena_strndup(arena, text.bytes, text.length);
}

/* Of `count` of its own run those but the item itself, which is one of them where `among` says so; NULL: there are none. */
static const struct reason *say_own(struct arena *arena, const struct owner *first, size_t count,
                                    const struct owner *self, bool among)
{
    const char *names[OWNERS_TOLD];
    const struct reason *said;
    size_t others = 0;

    for (size_t i = 0; i < count && others < OWNERS_TOLD; i++) {
        bool own = strcmp(first[i].host, self->host) == 0;

        if (own && strcmp(first[i].subject, self->subject) == 0)
            continue;
        names[others++] = *first[i].subject == '\0' ? first[i].host
                          : own                     ? first[i].subject
                                : arena_printf(arena, "%s %s", first[i].host, first[i].subject);
    }
    if (others == 0)
        return NULL;
    said = reason_text(arena, say_names(arena, names, others, self->subject));
    count -= among ? 1 : 0;
    return others == OWNERS_TOLD && count > others ? reason(arena, and_more, said, count - others) : said;
}

/* "gpu1 on node4 of run 5" */
static const struct reason *say_foreign(struct arena *arena, const struct owner *owner)
{
    const struct reason *host = reason(arena, host_of_run, owner->host, owner->part->record->number);

    return *owner->subject == '\0' ? host : reason(arena, part_on_target, owner->subject, host);
}

/* A few of those that have the value in other runs, behind what is said of its own: NULL, where nobody has it there. */
static const struct reason *say_owners(struct arena *arena, const struct owners *owners,
                                       const struct owner *self, const struct reason *own)
{
    const struct judged_part *part = self->part;
    size_t first = owners_before(owners, self->value, 0), end = owners_before(owners, self->value, SIZE_MAX),
           from = owners_before(owners, self->value, part->first_step),
           to = owners_before(owners, self->value, part->first_step + part->step_count),
           foreign = (from - first) + (end - to);
    const struct reason *said = own;

    for (size_t i = 0; i < foreign && i < KINDS_TOLD; i++) {
        size_t place = first + i < from ? first + i : to + (i - (from - first));
        const struct reason *one = say_foreign(arena, &owners->items.items[place]);

        said = said == NULL ? one : reason(arena, clause, said, one);
    }
    return foreign > KINDS_TOLD ? reason(arena, and_more, said, foreign - KINDS_TOLD) : said;
}

static const struct reason *others_with(void *context, size_t index, const struct slot *slot,
                                        const char *value)
{
    struct whole_run *run = context;
    const struct step *step = &run->together.plan->steps.items[index];
    const struct owners *owners = owners_of(run, step->shape->suite_step, slot);
    const struct judged_part *part = together_part(&run->together, index);
    const struct owner self = {.value = value,
                               .host = step->members[0]->name,
                               .subject = slot->subject,
                               .part = part,
                               .step = index,
                               .slot = (size_t)(slot - step->shape->slots)};
    size_t from = owners_before(owners, value, part->first_step),
           to = owners_before(owners, value, part->first_step + part->step_count);
    const struct owner *first = from < to ? &owners->items.items[from] : NULL;
    bool among = first != NULL && bsearch(&self, first, to - from, sizeof *first, compare_owners) != NULL;

    return say_owners(run->arena, owners, &self, say_own(run->arena, first, to - from, &self, among));
}

static const char *machine_of(void *context, size_t index, const char *host)
{
    static const struct slot machine = {.metric = "host.machine", .subject = "", .at = ""};
    struct whole_run *run = context;
    const struct plan *plan = run->together.plan;
    const struct judged_part *part = together_part(&run->together, index);
    const struct owners *owners = NULL;

    for (size_t i = 0; i < plan->steps.count && owners == NULL; i++)
        if (strcmp(plan->steps.items[i].shape->check, "reachable") == 0)
            owners = owners_of(run, plan->steps.items[i].shape->suite_step, &machine);
    for (size_t i = 0; owners != NULL && i < owners->items.count; i++)
        if (owners->items.items[i].part == part && strcmp(owners->items.items[i].host, host) == 0)
            return owners->items.items[i].value;
    return NULL;
}

/* The first of them by the text: one is enough to show that it can be read. Of a GPU only one of its platform shows it: what a GPU
   tells goes by its kind, and which tools a host has does not. */
static const struct reason *read_on(void *context, size_t index, const struct slot *slot, const char *texts)
{
    struct whole_run *run = context;
    const struct step *step = &run->together.plan->steps.items[index];
    const char *read = arena_strndup(run->arena, texts, strcspn(texts, "|"));
    size_t count, i = 0;
    const struct owner *found = owners_with(owners_of(run, step->shape->suite_step, slot), read, &count);

    while (i < count && is_gpu(slot->subject) && strcmp(found[i].platform, step->shape->platform) != 0)
        i++;
    if (found == NULL || i == count)
        return NULL;
    found += i;
    if (found->part != together_part(&run->together, index))
        return say_foreign(run->arena, found);
    /* A test across hosts has it of each of them by name. */
    return reason_text(run->arena, run->together.plan->steps.items[found->step].member_count > 1
                                       ? found->subject
                                       : found->host);
}

static struct grown grown_since(void *context, size_t index, const struct slot *slot, double value,
                                const struct limit *limit)
{
    struct whole_run *run = context;
    const struct step *step = &run->together.plan->steps.items[index];
    const struct attempt *before, *now = last_whole(run->arena, run, index);

    if (run->first_looks == NULL)
        run->first_looks = first_looks(run->arena, &run->together);
    if (run->first_looks[index] == index)
        return (struct grown){GROWN_FIRST, NULL};
    before = last_whole(run->arena, run, run->first_looks[index]);
    if (before == NULL || now == NULL)
        return (struct grown){GROWN_UNKNOWN, REASON(not_when_first_read)};
    return grown_between(run->arena, limit, slot, before, now, step->members[0]->timescale, value);
}

static struct rack find_rack(struct whole_run *run, const struct owners *owners,
                             const struct judged_part *part, const char *name)
{
    cleanup_free const char **values = mem_alloc((owners->items.count + 1) * sizeof *values);
    struct rack rack = {.part = part, .name = name};
    size_t count = 0;

    for (size_t i = 0; i < owners->items.count; i++)
        if (owners->items.items[i].part == part && strcmp(owners->items.items[i].rack, name) == 0 &&
            strcmp(owners->items.items[i].value, "none") != 0)
            values[count++] = owners->items.items[i].value;
    rack.value = majority(values, count);
    rack.kinds = rack.value == NULL ? say_kinds(run->arena, values, count) : "";
    return rack;
}

/* Hosts of one rack mostly come one after the other. */
static struct rack rack_of(struct whole_run *run, struct owners *owners, const struct judged_part *part,
                           const char *name)
{
    for (size_t i = 0; i < owners->racks.count; i++) {
        size_t place = (owners->last + i) % owners->racks.count;
        const struct rack *rack = &owners->racks.items[place];

        if (rack->part == part && strcmp(rack->name, name) == 0) {
            owners->last = place;
            return *rack;
        }
    }
    owners->last = owners->racks.count;
    *list_push(run->arena, &owners->racks) = find_rack(run, owners, part, name);
    return owners->racks.items[owners->last];
}

static const struct reason *name_of_rack(struct arena *arena, const char *rack)
{
    return *rack != '\0' ? reason(arena, text, rack) : REASON(without_a_name);
}

/* Who has none is told by another item. Where two racks have one value, a host that is odd in its own is not what
   joins them. */
static const struct reason *odd_in_rack(void *context, size_t index, const struct slot *slot,
                                        const char *value)
{
    struct whole_run *run = context;
    const struct step *step = &run->together.plan->steps.items[index];
    struct owners *owners = owners_of(run, step->shape->suite_step, slot);
    const struct judged_part *part = together_part(&run->together, index);
    const char *name_of_own = step->members[0]->rack;
    const struct rack rack = rack_of(run, owners, part, name_of_own);
    const struct reason *name = name_of_rack(run->arena, name_of_own);
    const struct owner *others;
    size_t count;

    if (strcmp(value, "none") == 0)
        return NULL;
    if (rack.value == NULL)
        return reason(run->arena, rack_does_not_agree, name, rack.kinds);
    if (strcmp(rack.value, value) != 0)
        return reason(run->arena, while_most_of_rack_have, name, rack.value);
    others = owners_with(owners, value, &count);
    array_each (other, others, count) {
        const char *most;

        if (other->part == part && strcmp(other->rack, name_of_own) == 0)
            continue;
        most = rack_of(run, owners, other->part, other->rack).value;
        name = name_of_rack(run->arena, other->rack);
        if (most != NULL && strcmp(most, value) == 0)
            return reason(run->arena, which_most_of_rack_have_too,
                          other->part == part
                              ? name
                              : reason(run->arena, rack_of_run, name, other->part->record->number));
    }
    return NULL;
}

/*
 * Of one run: another's are by the clock of another controller. The median of spans lies between that of where they begin and that of where they end. The controller, which is at 0,
 * is one more where the hosts are an even number, so that the median is always somebody's. false: there is one host.
 */
static bool middle_of_spans(struct arena *arena, const struct owners *owners, const struct judged_part *part,
                            struct span *ret_middle)
{
    double *from = arena_array(arena, double, owners->items.count + 1),
           *to = arena_array(arena, double, owners->items.count + 1);
    size_t count = 0;

    for (size_t i = 0; i < owners->items.count; i++) {
        struct span span;

        if (owners->items.items[i].part != part || !span_parse(owners->items.items[i].value, &span))
            continue;
        from[count] = span.from;
        to[count++] = span.to;
    }
    if (count < 2)
        return false;
    count += count % 2 == 0;
    robust_sort(from, count);
    robust_sort(to, count);
    *ret_middle = (struct span){from[count / 2], to[count / 2]};
    return true;
}

static const char *common_span(void *context, size_t step, const struct slot *slot)
{
    struct whole_run *run = context;
    const struct judged_part *part = together_part(&run->together, step);
    const struct shape *shape = run->together.plan->steps.items[step].shape;
    struct common_span *common;
    struct span middle;

    for (size_t i = 0; i < run->spans.count; i++)
        if (run->spans.items[i].part == part && run->spans.items[i].shape == shape &&
            run->spans.items[i].slot == slot)
            return run->spans.items[i].value;
    common = list_push(run->arena, &run->spans);
    *common = (struct common_span){.part = part, .shape = shape, .slot = slot};
    if (middle_of_spans(run->arena, owners_of(run, shape->suite_step, slot), part, &middle))
        common->value = arena_printf(run->arena, "%.3f to %.3f s", middle.from, middle.to);
    return common->value;
}

/* Beyond the limit of a passed item that is measured by the controller's count, the controller is off; else 0, s. */
static double controller_off(struct whole_run *run, const struct outcome *outcome)
{
    const struct slot *slot = &run->together.plan->steps.items[outcome->step].shape->slots[outcome->slot];
    const char *common = NULL;
    struct span hosts;

    if (outcome->word == OUTCOME_PASS && slot->own_count > 0 && slot->own[0].rule == RULE_NEAR)
        common = common_span(run, outcome->step, slot);
    if (common == NULL || !span_parse(common, &hosts))
        return 0;
    if (hosts.from > slot->own[0].value)
        return hosts.from;
    return hosts.to < -slot->own[0].value ? hosts.to : 0;
}

/* Where the hosts of a run agree, and not with its controller, it is the controller: one remark, at the first of them. */
static void remark_controllers(struct whole_run *run, struct judgement *judgement)
{
    const struct judged_part *told = NULL;

    for (size_t i = 0; i < judgement->outcome_count; i++) {
        struct outcome *outcome = &judgement->outcomes[i];
        const struct judged_part *part = together_part(&run->together, outcome->step);
        double off = part != told ? controller_off(run, outcome) : 0;

        if (fabs(off) > 0) {
            outcome->remark = true;
            outcome->cause = reason(
                run->arena, remark,
                off > 0
                    ? reason(run->arena, controllers_clock_behind, arena_printf(run->arena, "%.1f", off))
                    : reason(run->arena, controllers_clock_ahead, arena_printf(run->arena, "%.1f", -off)));
            told = part;
        }
    }
}

/* The mean over its whole attempts; NAN where there is none. */
static double mean_of(struct whole_run *run, size_t step, const struct slot *slot)
{
    const struct step_attempts *attempts = &run->together.attempts[step];
    double sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < attempts->count; i++) {
        struct values values;

        if (attempt_bearing(run->arena, attempts->items[i]).kind != KIND_WHOLE)
            continue;
        slot_values(run->arena, slot, attempts->items[i], &values);
        for (size_t k = 0; k < values.items.count; k++, count++)
            sum += values.items.items[k].number;
    }
    return count > 0 ? sum / (double)count : NAN;
}

/* How much of the noise of what was measured goes into it, where the check says so: METRIC.noise. 0: it does not. */
static double noise_of(struct whole_run *run, size_t step, const struct slot *slot)
{
    struct slot noise = *slot;
    double mean;

    noise.metric = arena_printf(run->arena, "%s.noise", slot->metric);
    mean = mean_of(run, step, &noise);
    return isnan(mean) ? 0 : mean;
}

static const struct slot *same_slot(const struct shape *shape, const struct slot *slot)
{
    for (size_t i = 0; i < shape->slot_count; i++)
        if (strcmp(shape->slots[i].metric, slot->metric) == 0 &&
            strcmp(shape->slots[i].subject, slot->subject) == 0 && strcmp(shape->slots[i].at, slot->at) == 0)
            return &shape->slots[i];
    return NULL;
}

/* Smaller groups of the suite's own, in the same run, whose fabric it is: parts of a search are of hosts that are suspected, variants are set otherwise. */
static bool is_smaller_group(const struct step *step, const struct step *than)
{
    return step->member_count > 1 && step->member_count < than->member_count &&
           step->origin != ORIGIN_ISOLATE && *step->shape->variant == '\0' &&
           strcmp(step->shape->platform, than->shape->platform) == 0;
}

static struct own_standing beside_groups(void *context, size_t index, const struct slot *slot, double value,
                                         double fraction, struct own_groups *ret_groups)
{
    struct whole_run *run = context;
    const struct plan *plan = run->together.plan;
    const struct judged_part *part = together_part(&run->together, index);
    struct own_value *values = arena_array(run->arena, struct own_value, part->step_count);
    size_t count = 0;

    for (size_t i = part->first_step; i < part->first_step + part->step_count; i++) {
        const struct step *step = &plan->steps.items[i];
        const struct slot *same =
            is_smaller_group(step, &plan->steps.items[index]) ? same_slot(step->shape, slot) : NULL;
        double mean = same != NULL ? mean_of(run, i, same) : NAN;

        if (!isnan(mean))
            values[count++] = (struct own_value){mean, noise_of(run, i, same)};
    }
    *ret_groups = own_groups_of(run->arena, values, count);
    return own_groups_judge(ret_groups, (struct own_value){value, noise_of(run, index, slot)}, fraction);
}

static bool has_whole(struct whole_run *run, size_t step)
{
    return last_whole(run->arena, run, step) != NULL;
}

static void count_fine(struct whole_run *run)
{
    const struct plan *plan = run->together.plan;
    size_t number = 0;

    run->fine = arena_array(run->arena, size_t, plan->shapes.count + 1);
    for (size_t i = 0; i < plan->steps.count; i++) {
        number = shape_number(plan, plan->steps.items[i].shape, number);
        run->fine[number] += has_whole(run, i);
    }
}

static bool fine_elsewhere(void *context, size_t step)
{
    struct whole_run *run = context;
    const struct plan *plan = run->together.plan;

    if (run->fine == NULL)
        count_fine(run);
    return run->fine[shape_number(plan, plan->steps.items[step].shape, 0)] > has_whole(run, step);
}

static bool anything_ran(const struct step_attempts *attempts)
{
    for (size_t i = 0; i < attempts->count; i++)
        if (attempts->items[i]->state == ATTEMPT_ENDED && attempts->items[i]->end == ATTEMPT_RAN)
            return true;
    return false;
}

static struct way_in *way_in_of(struct whole_run *run, size_t step)
{
    const struct judged_part *part = together_part(&run->together, step);
    const struct host *host = run->together.plan->steps.items[step].members[0];
    const char *jump = host->jump != NULL ? host->jump : "";
    struct way_in *way;

    for (size_t i = 0; i < run->ways_in.count; i++)
        if (run->ways_in.items[i].part == part && strcmp(run->ways_in.items[i].jump, jump) == 0)
            return &run->ways_in.items[i];
    way = list_push(run->arena, &run->ways_in);
    way->part = part;
    way->jump = jump;
    return way;
}

static bool neighbour_answers(void *context, size_t step)
{
    struct whole_run *run = context;
    const struct plan *plan = run->together.plan;

    for (size_t i = 0; run->ways_in.count == 0 && i < plan->steps.count; i++)
        if (anything_ran(&run->together.attempts[i]))
            way_in_of(run, i)->answers = true;
    return way_in_of(run, step)->answers;
}

/* The worst gate of a step decides whether what needs it may run. */
static enum outcome_word worst_gate(const struct outcome *outcomes, size_t count)
{
    enum outcome_word worst = OUTCOME_RECORDED;

    for (size_t i = 0; i < count; i++)
        if (outcomes[i].word > worst)
            worst = outcomes[i].word;
    return worst;
}

static const struct reason *need_unmet(struct whole_run *run, const struct step *need, enum outcome_word word)
{
    const char *step = need->shape->suite_step, *target = step_target(run->arena, need);

    if (word == OUTCOME_FAIL)
        return reason(run->arena, needs_what_failed, step, target);
    return word == OUTCOME_NOT_RUN ? reason(run->arena, needs_what_did_not_run, step, target)
                                   : reason(run->arena, needs_what_is_inconclusive, step, target);
}

static void mark_lost(struct whole_run *run, const struct host *host)
{
    size_t place = host_place(run->places, host);

    if (place != (size_t)-1)
        run->lost[place] = true;
}

/* Of each host of the plan, whether it could no longer be asked after one of the steps of this part. */
static const bool *hosts_lost(struct whole_run *run, const struct judged_part *part)
{
    const struct step *steps = run->together.plan->steps.items;

    if (run->lost_of == part)
        return run->lost;
    run->lost_of = part;
    run->places = host_places_create(run->arena, run->together.plan);
    run->lost = arena_array(run->arena, bool, run->together.plan->hosts.count + 1);
    for (size_t i = part->first_step; i < part->first_step + part->step_count; i++) {
        const struct step_attempts *attempts = &run->together.attempts[i];
        const struct attempt *last = attempts->count > 0 ? attempts->items[attempts->count - 1] : NULL;
        size_t windows = last != NULL ? last->windows.count : 0;

        if (last != NULL && last->state == ATTEMPT_ENDED && attempt_end_loses_host(last->end))
            mark_lost(run, steps[i].members[0]);
        for (size_t k = 0; k < windows; k++)
            if (attempt_end_loses_host(last->windows.items[k].end))
                mark_lost(run, steps[i].members[k % steps[i].member_count]);
    }
    return run->lost;
}

/* All that it needs passed and the run came to its end: hosts of it could no longer be asked. */
static const struct reason *lost_before_it(struct whole_run *run, const struct judged_part *part,
                                           const struct step *step)
{
    const bool *lost = run->together.attempts != NULL ? hosts_lost(run, part) : NULL;
    const char **names = arena_array(run->arena, const char *, step->member_count);
    size_t count = 0;

    for (size_t i = 0; lost != NULL && i < step->member_count; i++) {
        size_t place = host_place(run->places, step->members[i]);

        if (place != (size_t)-1 && lost[place])
            names[count++] = step->members[i]->name;
    }
    return count > 0 ? reason(run->arena, hosts_lost_before_it, hostlist_fold(run->arena, names, count))
                     : REASON(host_not_free_before_it);
}

/* The first need that was not met; alone: of those of one host, which say more of the host than a test of many does. NULL: none. */
static const struct reason *first_unmet(struct whole_run *run, size_t index, const enum outcome_word *worst,
                                        bool alone)
{
    const struct judged_part *part = together_part(&run->together, index);
    const struct step *step = &run->together.plan->steps.items[index];

    for (size_t i = 0; i < step->need_count; i++) {
        const struct step *need = &part->record->plan->steps.items[step->needs[i]];
        enum outcome_word word = worst[part->first_step + step->needs[i]];

        if (word > OUTCOME_PASS && (!alone || need->member_count == 1))
            return need_unmet(run, need, word);
    }
    return NULL;
}

static const struct reason *why_not_run(struct whole_run *run, size_t index, const enum outcome_word *worst)
{
    const struct judged_part *part = together_part(&run->together, index);
    const struct step *step = &run->together.plan->steps.items[index];
    const struct reason *unmet;

    if (step->origin == ORIGIN_LEFT_OUT)
        return step->origin_note;
    unmet = first_unmet(run, index, worst, true);
    if (unmet == NULL)
        unmet = first_unmet(run, index, worst, false);
    if (unmet != NULL)
        return unmet;
    if (part->record->state == RUN_CANCELLED)
        return REASON(cancelled_before_it);
    return part->record->state == RUN_ENDED ? lost_before_it(run, part, step) : REASON(interrupted_before_it);
}

static void judge_one(struct whole_run *run, const struct peers *peers, size_t step_index,
                      const struct step_attempts *attempts, const enum outcome_word *worst,
                      struct outcome *outcomes)
{
    const struct step *step = &run->together.plan->steps.items[step_index];
    const struct reason *not_run = attempts->count == 0 ? why_not_run(run, step_index, worst) : NULL;
    struct limits_book *book = &together_part(&run->together, step_index)->book;
    const struct step_attempts tried = attempts_tried(run->arena, attempts);

    for (size_t i = 0; i < step->shape->slot_count; i++) {
        const struct slot_limits *of_slot = limits_book_find(book, step->shape, i);
        struct slot_limits own = *of_slot;

        if (not_run == NULL && step->origin == ORIGIN_ISOLATE) {
            slot_limits_own(run->arena, &step->shape->slots[i], &own);
            of_slot = &own;
        }
        if (not_run == NULL) {
            slot_outcome(run->arena, step, step_index, i, of_slot, &tried, peers, &outcomes[i]);
            continue;
        }
        outcomes[i] = (struct outcome){
            .step = step_index,
            .slot = i,
            .word = step->shape->slots[i].duty == DUTY_GATE ? OUTCOME_NOT_RUN : OUTCOME_RECORDED,
            .cause = not_run,
            .value = NAN,
            .status = "",
        };
    }
}

static const struct reason *keep(struct arena *arena, const struct reason *reason,
                                 const struct reason *before)
{
    return reason_equal(reason, before) ? before : reason_copy(arena, reason);
}

/* Judging an item leaves several times of what is kept of it behind; and most hosts are told the same as the one
   before them. The words of limits are in a book that stays, except of what has only its own. */
static void judge_aside(const struct whole_run *run, const struct peers *peers, size_t step_index,
                        const enum outcome_word *worst, struct outcome *outcomes)
{
    static const struct outcome nothing;
    const struct step *step = &run->together.plan->steps.items[step_index];
    size_t slots = step->shape->slot_count;
    bool again = step_index > 0 && step[-1].shape == step->shape;
    struct whole_run aside = *run;

    aside.arena = run->aside;
    judge_one(&aside, peers, step_index, &run->together.attempts[step_index], worst, outcomes);
    for (size_t i = 0; i < slots; i++) {
        struct outcome *outcome = &outcomes[i];
        const struct outcome *before = again ? outcome - slots : i > 0 ? outcome - 1 : &nothing;

        outcome->cause = keep(run->arena, outcome->cause, before->cause);
        outcome->remedy = keep(run->arena, outcome->remedy, before->remedy);
        outcome->measured = keep(run->arena, outcome->measured, before->measured);
        if (step->origin != ORIGIN_ISOLATE)
            continue;
        outcome->limit = keep(run->arena, outcome->limit, before->limit);
        outcome->gate = keep(run->arena, outcome->gate, before->gate);
        outcome->source = keep(run->arena, outcome->source, before->source);
    }
    arena_clear(run->aside);
}

/* NULL where there is none. */
static const struct reason *baseline_names(struct arena *arena, const struct run_limits *limits)
{
    const struct reason *names = NULL;

    for (size_t i = 0; i < limits->baselines.count; i++) {
        const struct baseline *baseline = limits->baselines.items[i].baseline;
        const struct reason *name;
        char hash[SHA256_HEX_SIZE];

        if (baseline == NULL)
            continue;
        sha256_hex(baseline->bytes.bytes, baseline->bytes.length, hash);
        hash[HASH_SHOWN] = '\0';
        name = reason(arena, baseline_for, baseline->name, limits->baselines.items[i].platform->name, hash);
        names = names == NULL ? name : reason(arena, clause, names, name);
    }
    return names;
}

/* What it was judged against, and which clauses nothing here measured. */
static const struct reason *judged_against(struct arena *arena, const struct run_limits *limits,
                                           const struct plan *plan)
{
    const struct reason *names = baseline_names(arena, limits), *contract;
    char hash[SHA256_HEX_SIZE];
    const char *idle;

    if (names == NULL)
        names = REASON(word_none);
    if (limits->contract == NULL)
        return names;
    sha256_hex(limits->contract->bytes.bytes, limits->contract->bytes.length, hash);
    hash[HASH_SHOWN] = '\0';
    contract = reason(arena, contract_of, limits->contract->name, hash);
    idle = contract_idle_text(arena, limits, plan);
    if (*idle != '\0')
        contract = reason(arena, contract_with_idle_clauses, contract, idle);
    return reason(arena, clause, contract, names);
}

/* "run 5 (UUID), run 6 (UUID)": all but one. */
static const struct reason *name_runs(struct arena *arena, const struct judged_run *runs, size_t count,
                                      const struct judged_run *but)
{
    const struct reason *first, *second;

    if (count == 1)
        return runs == but ? NULL : reason(arena, run_and_uuid, runs->record->number, runs->record->uuid);
    first = name_runs(arena, runs, count / 2, but);
    second = name_runs(arena, runs + count / 2, count - count / 2, but);
    if (first == NULL || second == NULL)
        return first == NULL ? second : first;
    return reason(arena, clause, first, second);
}

static const struct reason *judged_beside(const struct judged_run *runs, size_t count, size_t index)
{
    const struct record *record = runs[index].record;
    const struct reason *against = judged_against(record->arena, runs[index].limits, record->plan),
                        *others = name_runs(record->arena, runs, count, &runs[index]);

    return others == NULL ? against : reason(record->arena, judged_as_one_with, against, others);
}

/* Of all steps of all runs, in their order; each run's are a piece of it. */
static struct judgement outcomes_of_all(struct whole_run *run, const struct peers *peers)
{
    const struct plan *plan = run->together.plan;
    enum outcome_word *worst = arena_array(run->arena, enum outcome_word, plan->steps.count);
    struct judgement judgement = {0};

    for (size_t i = 0; i < plan->steps.count; i++)
        judgement.outcome_count += plan->steps.items[i].shape->slot_count;
    judgement.outcomes = arena_array(run->arena, struct outcome, judgement.outcome_count);
    for (size_t i = 0, at = 0; i < plan->steps.count; i++) {
        size_t slots = plan->steps.items[i].shape->slot_count;

        judge_aside(run, peers, i, worst, judgement.outcomes + at);
        worst[i] = worst_gate(judgement.outcomes + at, slots);
        at += slots;
    }
    return judgement;
}

/* The piece of one run, by its own plan's steps; what is behind it is left of *all. */
static void take_own(const struct judged_part *part, struct judgement *all, struct judgement *own)
{
    own->outcomes = all->outcomes;
    while (own->outcome_count < all->outcome_count &&
           own->outcomes[own->outcome_count].step < part->first_step + part->step_count)
        own->outcomes[own->outcome_count++].step -= part->first_step;
    all->outcomes += own->outcome_count;
    all->outcome_count -= own->outcome_count;
}

/* What is told of a run by its outcomes alone. */
static void judge_by_outcomes(const struct judged_run *runs, size_t count, size_t index,
                              struct judged_part *part, const struct step_attempts *attempts)
{
    struct record *record = runs[index].record;
    struct judgement *judgement = &record->judgement;
    struct findings_so_far found;

    judge_leaves(record, judgement);
    judge_searches(record->arena, record, &part->book, attempts, &found);
    judgement->searches = found.searches.items;
    judgement->search_count = found.searches.count;
    judgement->accusations = found.accusations.items;
    judgement->accusation_count = found.accusations.count;
    judge_waivers(record, attempts);
    judge_verdicts(record);
    judge_inputs(runs, count, index);
}

void judge_together(const struct judged_run *runs, size_t count)
{
    cleanup_arena struct arena *arena = arena_create();
    struct whole_run run = {.arena = runs[0].record->arena,
                            .aside = arena_create(),
                            .together = bring_together(arena, runs[0].record->arena, runs, count)};
    struct peers peers = {common_value,  common_kinds,   others_with,       machine_of,
                          read_on,       grown_since,    odd_in_rack,       common_span,
                          beside_groups, fine_elsewhere, neighbour_answers, &run};
    struct judgement all = outcomes_of_all(&run, &peers);

    remark_controllers(&run, &all);
    judge_peers(run.arena, &run.together, runs[0].limits->suite, &all);
    for (size_t i = 0; i < count; i++) {
        struct judged_part *part = &run.together.parts[i];
        struct judgement *judgement = &runs[i].record->judgement;

        *judgement = (struct judgement){.uuid = arena_strdup(run.arena, runs[i].uuid),
                                        .baselines = judged_beside(runs, count, i)};
        take_own(part, &all, judgement);
        judge_by_outcomes(runs, count, i, part, run.together.attempts + part->first_step);
    }
    arena_destroy(run.aside);
}

void judge_run(struct record *record, const struct run_limits *limits, const char *uuid)
{
    judge_together(&(struct judged_run){record, limits, uuid}, 1);
}

/* Attempts that end in no time would make as many as there is time for; so many are two weeks of five minutes. */
enum { SLICES_MOST = 5000 };

/* A crash, a hang or, of what changes nothing, a broken connection is tried again as often as the suite allows, and a
   good attempt as often as it owes. */
static bool is_due_again(struct arena *arena, const struct step *step, const struct step_attempts *attempts)
{
    const struct shape *shape = step->shape;
    unsigned whole = 0, broken = 0;
    enum attempt_kind last = KIND_NOT_RUN;

    for (size_t i = 0; i < attempts->count; i++) {
        last = attempt_bearing(arena, attempts->items[i]).kind;
        whole += last == KIND_WHOLE;
        broken += last == KIND_CRASH || last == KIND_HANG || last == KIND_CUT_OFF;
    }
    if (last == KIND_CRASH || last == KIND_HANG || (last == KIND_CUT_OFF && shape->passive))
        return broken <= shape->retries;
    if (last == KIND_WHOLE && shape->repeat_for_s > 0)
        return whole < SLICES_MOST && slices_worked_s(arena, attempts) < step_repeat_for_s(step);
    return last == KIND_WHOLE && whole < shape->repeat;
}

/* An item that fails or is doubtful is tested again, so that an intermittent fault is told from a steady one and a doubt
   is settled. Not what broke off: that has retries; nor what never came to the host. */
static bool is_due_for_retest(struct arena *arena, const struct shape *shape,
                              const struct step_attempts *attempts)
{
    unsigned tests = 0;
    bool last = false;

    for (size_t i = 0; i < attempts->count; i++) {
        enum attempt_kind kind = attempt_bearing(arena, attempts->items[i]).kind;
        enum attempt_end end = attempts->items[i]->end;

        last = kind == KIND_WHOLE ||
               (kind == KIND_UNDECIDED && (end == ATTEMPT_RAN || end == ATTEMPT_NOT_READY));
        tests += last;
    }
    return last && tests < shape->repeat + shape->retests;
}

static struct step_attempts attempts_of(struct arena *arena, const struct record *record, size_t step)
{
    LIST_OF(const struct attempt *) found = {0};

    for (size_t i = 0; i < record->attempts.count; i++)
        if (record->attempts.items[i].step == step)
            *list_push(arena, &found) = &record->attempts.items[i];
    return (struct step_attempts){.items = found.items, .count = found.count};
}

enum step_state judge_step(const struct record *record, const struct run_limits *limits, size_t step_index)
{
    cleanup_arena struct arena *arena = arena_create();
    const struct shape *shape = record->plan->steps.items[step_index].shape;
    struct judged_part part = part_alone(arena, record, limits);
    struct whole_run run = {.arena = arena, .together = {record->plan, &part, 1, NULL}};
    struct outcome *outcomes = arena_array(arena, struct outcome, shape->slot_count);
    struct step_attempts attempts = attempts_of(arena, record, step_index);
    enum step_state state = STEP_FAILED;

    if (is_due_again(arena, &record->plan->steps.items[step_index], &attempts)) {
        state = STEP_AGAIN;
    } else if (attempts.count > 0) {
        judge_one(&run, NULL, step_index, &attempts, NULL, outcomes);
        if (worst_gate(outcomes, shape->slot_count) <= OUTCOME_PASS)
            state = STEP_PASSED;
        else if (shape->retests > 0 && is_due_for_retest(arena, shape, &attempts))
            state = STEP_AGAIN;
    }
    return state;
}

struct outcome judge_step_worst(struct arena *arena, const struct record *record,
                                const struct run_limits *limits, size_t step_index, size_t *ret_count)
{
    size_t slots = record->plan->steps.items[step_index].shape->slot_count;
    struct judged_part part = part_alone(arena, record, limits);
    struct whole_run run = {.arena = arena, .together = {record->plan, &part, 1, NULL}};
    struct outcome *outcomes = arena_array(arena, struct outcome, slots);
    struct step_attempts attempts = attempts_of(arena, record, step_index);
    struct outcome worst = {.step = step_index, .word = OUTCOME_NOT_RUN, .value = NAN, .status = ""};
    size_t count = 0;

    if (attempts.count > 0)
        judge_one(&run, NULL, step_index, &attempts, NULL, outcomes);
    for (size_t i = 0; attempts.count > 0 && i < slots; i++) {
        if (count == 0 || outcomes[i].word > worst.word) {
            worst = outcomes[i];
            count = 0;
        }
        count += outcomes[i].word == worst.word;
    }
    *ret_count = count;
    return worst;
}

void judge_step_culprits(struct arena *arena, const struct record *record, const struct run_limits *limits,
                         size_t step_index, struct blamed_list *ret_blamed)
{
    const struct step *step = &record->plan->steps.items[step_index];
    struct judged_part part = part_alone(arena, record, limits);
    struct whole_run run = {.arena = arena, .together = {record->plan, &part, 1, NULL}};
    struct outcome *outcomes = arena_array(arena, struct outcome, step->shape->slot_count);
    struct step_attempts attempts = attempts_of(arena, record, step_index);

    if (attempts.count == 0)
        return;
    judge_one(&run, NULL, step_index, &attempts, NULL, outcomes);
    for (size_t i = 0; i < step->shape->slot_count; i++) {
        struct blamed_list blamed = {0};

        if (outcomes[i].word >= OUTCOME_INCONCLUSIVE)
            blame_find(arena, step, &outcomes[i], &blamed);
        for (size_t k = 0; k < blamed.items.count; k++)
            *list_push(arena, &ret_blamed->items) = blamed.items.items[k];
    }
}
