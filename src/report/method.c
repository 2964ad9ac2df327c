/* SPDX-License-Identifier: Apache-2.0 */
#include "method.h"

#include <string.h>

#include "assay/model/limit.h"

/* Highest authority first. */
static const struct {
    const char *status;
    enum text_key text;
} kinds[] = {
    {"contract", TEXT_KIND_CONTRACT},
    {"datasheet", TEXT_KIND_DATASHEET},
    {"vendor", TEXT_KIND_VENDOR},
    {"field", TEXT_KIND_FIELD},
    {"provisional", TEXT_KIND_PROVISIONAL},
    {"computed", TEXT_KIND_COMPUTED},
    {"self", TEXT_KIND_SELF},
    {"peers", TEXT_KIND_PEERS},
    {"tool", TEXT_KIND_TOOL},
    {"guess", TEXT_KIND_GUESS},
};
enum { KIND_COUNT = ARRAY_SIZE(kinds) };

enum text_key method_kind_text(const char *status)
{
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (strcmp(kinds[i].status, status) == 0)
            return kinds[i].text;
    return TEXT_KIND_NONE;
}

static size_t authority(const char *status)
{
    size_t i = 0;

    while (i < KIND_COUNT && strcmp(kinds[i].status, status) != 0)
        i++;
    return i;
}

/* In the order of authority. */
static struct method_kind *kind_for(struct arena *arena, struct method_kinds *list, const char *status)
{
    size_t at = 0;

    for (size_t i = 0; i < list->items.count;
         i++) /* of millions of gates nearly all name theirs by the same text */
        if (list->items.items[i].status == status)
            return &list->items.items[i];
    while (at < list->items.count && authority(list->items.items[at].status) < authority(status))
        at++;
    if (at < list->items.count && authority(list->items.items[at].status) == authority(status))
        return &list->items.items[at];
    list_push(arena, &list->items);
    memmove(&list->items.items[at + 1], &list->items.items[at],
            (list->items.count - at - 1) * sizeof *list->items.items);
    list->items.items[at] = (struct method_kind){.status = status};
    return &list->items.items[at];
}

static void count_kinds(struct arena *arena, const struct step_view *view, struct method_step *step,
                        struct method_kinds *all)
{
    for (size_t i = 0; i < view->step->shape->slot_count; i++) {
        const struct outcome *outcome = view->items[i];
        struct method_kinds *both[] = {&step->kinds, all};

        if (view->step->shape->slots[i].duty == DUTY_RECORD) {
            step->recorded++;
            if (outcome->held->gate != NULL)
                kind_for(arena, all, outcome->held->status)->recorded++;
            continue;
        }
        for (size_t k = 0; k < 2; k++) {
            struct method_kind *kind =
                kind_for(arena, both[k], outcome->held->status != NULL ? outcome->held->status : "");

            kind->gates++;
            kind->not_passed += outcome->word >= OUTCOME_NOT_RUN;
        }
    }
}

/* Before which byte to cut: the last blank up to there, or in a word that is longer than all of it between characters. */
static size_t cut_before(const char *line, size_t at)
{
    size_t blank = at;

    while (blank > 0 && line[blank] != ' ')
        blank--;
    if (blank > 0)
        return blank;
    while (at > 0 && ((unsigned char)line[at] & 0xc0) == 0x80)
        at--;
    return at;
}

/* Of "${NAME:+-x NAME} all_reduce_perf" that was cut inside of the braces what follows them. */
static const char *after_braces(const char *tail)
{
    size_t end = strcspn(tail, "{}");

    return tail[end] == '}' ? tail + end + 1 : tail;
}

/* Of a shell script its own comment says what it is: it is the first line. Of a long line the last command, and of that the
   ends: "mpirun ... all_reduce_perf -b 8 -e 16G". */
static const char *first_line(struct arena *arena, const char *command)
{
    enum { MOST = 96, HEAD = 24, TAIL = 64 };
    const char *line, *last, *found, *tail;

    while (*command == '#' || *command == ' ' || *command == '\n')
        command++;
    line = last = arena_strndup(arena, command, strcspn(command, "\n"));
    if (strlen(line) <= MOST)
        return line;
    while ((found = strstr(last, "; ")) != NULL && found[2] != '\0')
        last = found + 2;
    if (strlen(last) <= MOST)
        return arena_printf(arena, "... %s", last);
    tail = after_braces(last + cut_before(last, strlen(last) - TAIL));
    return arena_printf(arena, "%s%.*s ... %s", last > line ? "... " : "", (int)cut_before(last, HEAD), last,
                        *tail == ' ' ? tail + 1 : tail);
}

/* The step's own commands, not the readings beside and around them; what reads the same once. */
static const char *command_in_short(struct arena *arena, const struct attempt *attempt)
{
    enum { PARTS_SHOWN = 3 };
    const char *lines[PARTS_SHOWN], *text = "";
    size_t shown = 0;

    for (size_t i = 0; i < attempt->parts.count && shown < PARTS_SHOWN; i++) {
        const struct part *part = &attempt->parts.items[i];
        size_t known = 0;

        if (part->window > 0 || part->aside || part->command == NULL || *part->command == '\0')
            continue;
        lines[shown] = first_line(arena, part->command);
        while (strcmp(lines[known], lines[shown]) != 0)
            known++;
        if (known < shown)
            continue;
        text = arena_printf(arena, "%s%s%s", text, shown > 0 ? "; " : "", lines[shown]);
        shown++;
    }
    return text;
}

static struct method_step *step_for(struct arena *arena, struct method *method, const struct step *step)
{
    struct method_step *row;

    for (size_t i = method->steps.count; i > 0; i--)
        if (strcmp(method->steps.items[i - 1].suite_step, step->shape->suite_step) == 0)
            return &method->steps.items[i - 1];
    row = list_push(arena, &method->steps);
    *row = (struct method_step){
        .suite_step = step->shape->suite_step, .command = "", .hosts_least = step->member_count};
    return row;
}

static void take_hosts(struct method_step *row, const struct step *step)
{
    if (step->member_count < row->hosts_least)
        row->hosts_least = step->member_count;
    if (step->member_count > row->hosts_most)
        row->hosts_most = step->member_count;
    row->prominent |= step->shape->exclusive != EXCLUSIVE_NONE;
}

void method_of_run(const struct view *view, enum report_language language, struct method *ret_method)
{
    *ret_method = (struct method){0};
    array_each (step, view->steps, view->step_count) {
        struct method_step *row;

        if (step->step->origin == ORIGIN_ISOLATE)
            continue;
        row = step_for(view->arena, ret_method, step->step);
        take_hosts(row, step->step);
        row->steps += step->step->origin != ORIGIN_LEFT_OUT;
        row->attempts += step->attempts.count;
        if (*row->command == '\0' && step->attempts.count > 0)
            row->command = command_in_short(view->arena, step->attempts.items[0]);
        count_kinds(view->arena, step, row, &ret_method->kinds);
    }
    for (size_t i = 0; i < ret_method->steps.count; i++) {
        struct method_step *row = &ret_method->steps.items[i];

        row->hosts = method_noise_between_hosts(view, row->suite_step);
        row->itself = method_noise_of_repeats(view, row->suite_step);
        row->prominent = row->hosts.rates + row->itself.rates > 0 || row->hosts_most > 1 || row->prominent;
    }
    method_points_of_run(view, language, ret_method);
}

const char *method_targets(struct arena *arena, enum report_language language, const struct method_step *step)
{
    const char *hosts = count_text(arena, step->hosts_most);

    if (step->hosts_least < step->hosts_most)
        hosts = language_say(arena, language, TEXT_FROM_TO, count_text(arena, step->hosts_least), hosts);
    return language_say(arena, language, TEXT_METHOD_TARGETS, count_text(arena, step->steps), hosts,
                        count_text(arena, step->attempts));
}

const char *method_noise_text(struct arena *arena, enum report_language language,
                              const struct method_noise *noise)
{
    const char *low = arena_printf(arena, "%.2g%%", noise->low * 100),
               *high = arena_printf(arena, "%.2g%%", noise->high * 100);

    if (noise->rates == 0)
        return "";
    return strcmp(low, high) == 0 ? low : language_say(arena, language, TEXT_FROM_TO, low, high);
}

const char *method_kinds_text(struct arena *arena, enum report_language language,
                              const struct method_step *step)
{
    const char *text = "";

    for (size_t i = 0; i < step->kinds.items.count; i++) {
        const struct method_kind *kind = &step->kinds.items.items[i];

        text = arena_printf(arena, "%s%s%s %s", text, i > 0 ? ", " : "",
                            *kind->status != '\0'
                                ? reason_said(arena, language, reason_word(arena, kind->status))
                                : language_text(language, TEXT_NO_KIND),
                            count_text(arena, kind->gates));
    }
    if (step->recorded == 0)
        return text;
    return arena_printf(arena, "%s%s%s %s", text, *text != '\0' ? ", " : "",
                        reason_said(arena, language, reason_word(arena, "recorded")),
                        count_text(arena, step->recorded));
}
