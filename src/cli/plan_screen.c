/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan on one screen: what loads hosts or crosses the fabric has a line for each step of the suite, what only looks at
 * each host shares one. The sizes of the cluster change the numbers and no line.
 */
#include "plan_screen.h"

#include <string.h>

#include "assay/reasons/any.h"
#include "assay/report/report.h"
#include "cli.h"

enum {
    COLUMNS = 80,
    NAMES_SHOWN = 12 /* metrics without a limit that are named */
};

/* A step of the suite: all shapes that it has, by platform, round of pairs, or group. */
struct line {
    const char *name, *scope;
    size_t steps, required, recorded;
    double each_s;
    unsigned hosts; /* of its largest shape */
    bool looks;     /* it changes nothing and disturbs nobody */
    bool loaded;    /* gpu_burn runs beside it */
};

struct screen {
    struct arena *arena;
    const struct question *question;
    LIST_OF(struct line) lines;
    LIST_OF(const char *) unlimited; /* metrics that are only recorded since nobody has a limit */
};

static struct line *line_of(struct screen *screen, const struct shape *shape)
{
    const struct suite_step *step = suite_step_find(screen->question->sources.suite, shape->suite_step);

    for (size_t i = 0; i < screen->lines.count; i++)
        if (strcmp(screen->lines.items[i].name, shape->suite_step) == 0)
            return &screen->lines.items[i];
    *list_push(screen->arena, &screen->lines) =
        (struct line){.name = shape->suite_step,
                      .scope = shape->scope,
                      .looks = shape->passive,
                      .loaded = step != NULL && check_beside(step) != NULL};
    return &screen->lines.items[screen->lines.count - 1];
}

static void add_unlimited(struct screen *screen, const char *metric)
{
    for (size_t i = 0; i < screen->unlimited.count; i++)
        if (strcmp(screen->unlimited.items[i], metric) == 0)
            return;
    *list_push(screen->arena, &screen->unlimited) = metric;
}

/* What one step of the shape owes. */
static void add_shape(struct screen *screen, const struct shape *shape, const struct step *step)
{
    struct line *line = line_of(screen, shape);
    bool first = line->steps == 0;

    array_each (slot, shape->slots, shape->slot_count) {
        if (first) {
            line->required += slot->duty == DUTY_GATE;
            line->recorded += slot->duty != DUTY_GATE;
        }
        if (reason_is(slot->duty_note, recorded_without_limit))
            add_unlimited(screen, slot->metric);
    }
    if (plan_step_s(step) > line->each_s)
        line->each_s = plan_step_s(step);
    if (shape->hosts > line->hosts)
        line->hosts = shape->hosts;
}

static bool is_quick(const struct line *line)
{
    return line->hosts == 1 && line->looks;
}

/* Words with ", " between, in lines of COLUMNS that begin with blanks. */
static void print_words(const char *const *words, size_t count, const char *last)
{
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(words[i]) + (i + 1 < count);

        if (i > 0 && used + 1 + length > COLUMNS)
            used = 0;
        if (used == 0)
            cli_print(i > 0 ? "\n    " : "    ");
        else
            cli_print(" ");
        used += (used == 0 ? 4 : 1) + length;
        cli_print("%s%s", words[i], i + 1 < count ? "," : "");
    }
    cli_print("%s\n", last);
}

static void print_quick(struct screen *screen)
{
    LIST_OF(const char *) names = {0};
    size_t required = 0, recorded = 0;
    double all_s = 0;

    for (size_t i = 0; i < screen->lines.count; i++) {
        const struct line *line = &screen->lines.items[i];

        if (!is_quick(line))
            continue;
        *list_push(screen->arena, &names) = line->name;
        required += line->required;
        recorded += line->recorded;
        all_s += line->each_s;
    }
    if (names.count == 0)
        return;
    cli_print(
        "\n%zu step%s that only look%s at a host, about %s: %zu values required of each, %zu recorded\n",
        names.count, names.count == 1 ? "" : "s", names.count == 1 ? "s" : "",
        duration_text(screen->arena, all_s), required, recorded);
    print_words(names.items, names.count, "");
}

static const char *over(struct screen *screen, const struct line *line)
{
    if (line->hosts == 1)
        return "each host";
    if (strcmp(line->scope, "cluster") == 0)
        return arena_printf(screen->arena, "all %u hosts", line->hosts);
    if (line->hosts == 2)
        return "pairs";
    return arena_printf(screen->arena, "groups of %u", line->hosts);
}

static void print_long(struct screen *screen)
{
    bool any = false;

    for (size_t i = 0; i < screen->lines.count; i++) {
        const struct line *line = &screen->lines.items[i];

        if (is_quick(line))
            continue;
        if (!any)
            cli_print("\n  %-26s %-16s %6s %12s %9s %9s\n", "steps that load", "over", "tests", "each about",
                      "required", "recorded");
        any = true;
        cli_print("  %-26s %-16s %6zu %12s %9zu %9zu\n", line->name, over(screen, line), line->steps,
                  duration_text(screen->arena, line->each_s), line->required, line->recorded);
        if (line->loaded)
            cli_print("    under load: gpu_burn runs beside it on all GPUs of its hosts\n");
    }
}

static void print_unlimited(struct screen *screen)
{
    size_t count = screen->unlimited.count;
    size_t shown = count > NAMES_SHOWN ? NAMES_SHOWN : count;

    if (count == 0)
        return;
    cli_print("\nnobody has published a limit of these, so they are recorded and not required:\n");
    print_words(screen->unlimited.items, shown,
                count > shown ? arena_printf(screen->arena, " and %zu more", count - shown) : "");
    cli_print(
        "rates are compared with those of their peers all the same, GPUs with each other: --full says from where\n"
        "they fail\n");
}

/* Steps of the suite that are not for these hosts, by the reason. */
static void print_left_out(struct screen *screen)
{
    const struct plan_notes *notes = &screen->question->notes;
    bool any = false;

    for (size_t i = 0; i < notes->choices.count; i++) {
        const struct plan_choice *choice = &notes->choices.items[i];
        bool told = false;

        for (size_t k = 0; k < i; k++)
            told |= !notes->choices.items[k].taken && strcmp(notes->choices.items[k].step, choice->step) == 0;
        if (choice->taken || told)
            continue;
        if (!any)
            cli_print("\nnot for these hosts:\n");
        any = true;
        cli_print("    %s: %s\n", choice->step, reason_english(screen->arena, choice->why));
    }
}

void plan_screen(struct arena *arena, const struct question *question)
{
    struct screen screen = {.arena = arena, .question = question};
    const struct plan *plan = question->plan;
    const struct shape *last = NULL;

    list_each (step, plan->steps) {
        if (step->origin == ORIGIN_LEFT_OUT)
            continue;
        if (step->shape != last)
            add_shape(&screen, step->shape, step);
        last = step->shape;
        line_of(&screen, step->shape)->steps++;
    }
    print_quick(&screen);
    print_long(&screen);
    print_unlimited(&screen);
    print_left_out(&screen);
}
