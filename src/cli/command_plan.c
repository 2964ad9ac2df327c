/* SPDX-License-Identifier: Apache-2.0 */
/* What a run would do, without connecting to anything. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/app/exclusive.h"
#include "assay/app/production.h"
#include "assay/app/question.h"
#include "assay/app/running.h"
#include "assay/base/cleanup.h"
#include "assay/report/report.h"
#include "cli.h"
#include "plan_screen.h"

enum { JSON_BYTES = 64 << 20 };

static int print_checks(void)
{
    size_t count;
    const struct check *const *checks = check_list(&count);

    for (size_t i = 0; i < count; i++) {
        cli_print("%-18s %s\n", checks[i]->name, checks[i]->summary);
        for (const struct argument *row = checks[i]->arguments; row != NULL && row->name != NULL; row++)
            cli_print("    %-14s %s (default %s)\n", row->name, row->help,
                      row->fallback != NULL && *row->fallback != '\0' ? row->fallback : "none");
    }
    return EXIT_ACCEPT;
}

static bool same_row(const struct slot *a, const struct slot *b)
{
    return a->duty == b->duty && strcmp(a->metric, b->metric) == 0 &&
           reason_equal(a->duty_note, b->duty_note);
}

/* The limits of the items of one row, each distinct one once. */
static void print_limits(struct arena *arena, const struct run_limits *limits, const struct shape *shape,
                         size_t first)
{
    LIST_OF(const char *) shown = {0};

    for (size_t i = first; i < shape->slot_count; i++) {
        struct slot_limits of_slot = {0};

        if (same_row(&shape->slots[first], &shape->slots[i]))
            slot_limits_find(arena, limits, shape, &shape->slots[i], &of_slot);
        for (size_t k = 0; k < of_slot.limits.count; k++) {
            const struct limit *limit = of_slot.limits.items[k];
            const char *text =
                arena_printf(arena, "%s (%s: %s)", reason_english(arena, limit_text(arena, limit)),
                             limit_status_name(limit->status), limit->source);
            bool known = false;

            for (size_t m = 0; m < shown.count && !known; m++)
                known = strcmp(shown.items[m], text) == 0;
            if (known)
                continue;
            cli_print("%s%s", shown.count > 0 ? ", " : "  ", text);
            *list_push(arena, &shown) = text;
        }
    }
}

/* A rate without any limit is not free for that: other hosts and GPUs have it too. */
static void print_peers(struct arena *arena, const struct run_limits *limits, const struct shape *shape,
                        const struct slot *slot)
{
    const struct metric *metric = metric_find(slot->metric);
    struct slot_limits of_slot;

    slot_limits_find(arena, limits, shape, slot, &of_slot);
    if (strcmp(shape->scope, "cluster") == 0 || metric == NULL || !metric->peers ||
        metric->better == BETTER_NEITHER || of_slot.peers == NULL)
        return;
    cli_print("  %scompared with its peers: a remark from %.3g%%, a fail from %.3g%%",
              of_slot.limits.count > 0 ? "and " : "", 100 * of_slot.peers->remark, 100 * of_slot.peers->fail);
}

static void print_shape(struct arena *arena, const struct run_limits *limits, const struct shape *shape)
{
    for (size_t i = 0; i < shape->slot_count; i++) {
        const struct slot *slot = &shape->slots[i];
        size_t before = 0, count = 0;

        for (size_t k = 0; k < shape->slot_count; k++) {
            before += k < i && same_row(slot, &shape->slots[k]);
            count += same_row(slot, &shape->slots[k]);
        }
        if (before > 0)
            continue;
        cli_print("      %-6s %-36s %4zu", duty_name(slot->duty), slot->metric, count);
        print_limits(arena, limits, shape, i);
        print_peers(arena, limits, shape, slot);
        cli_print("%s%s\n", slot->duty_note != NULL ? "  " : "", reason_english(arena, slot->duty_note));
    }
}

static const char *targets_text(struct arena *arena, const struct step *first, size_t count)
{
    const struct shape *shape = first->shape;

    if (shape->hosts == 1)
        return arena_printf(arena, "on each host%s%s", *shape->variant != '\0' ? ", " : "", shape->variant);
    if (count == 1)
        return step_target(arena, first);
    return arena_printf(arena, "%s%s%s",
                        shape->hosts == 2 ? "pairs" : arena_printf(arena, "groups of %u hosts", shape->hosts),
                        *shape->variant != '\0' ? ", " : "", shape->variant);
}

/* Steps that are not for everybody: each was taken in or left out, and says why. */
static void print_choices(struct arena *arena, const struct plan_notes *notes)
{
    if (notes->choices.count > 0)
        cli_print("\nwhat applies here:\n");
    list_each (choice, notes->choices)
        cli_print("  %-9s %s (%s, %s): %s\n", choice->taken ? "taken in" : "left out", choice->step,
                  choice->check, choice->platform, reason_english(arena, choice->why));
}

/* What the steps that last for a time ask of whoever pays for the power. */
struct soak {
    size_t steps;
    double kwh;                    /* of GPUs at their limit of power, and nothing else of a host */
    LIST_OF(const char *) unknown; /* platforms that have no such limit */
};

static void add_unknown(struct arena *arena, struct soak *soak, const char *platform)
{
    for (size_t i = 0; i < soak->unknown.count; i++)
        if (strcmp(soak->unknown.items[i], platform) == 0)
            return;
    *list_push(arena, &soak->unknown) = platform;
}

static struct soak soak_of(struct arena *arena, const struct question *question)
{
    struct soak soak = {0};

    list_each (step, question->plan->steps) {
        const struct platform *platform = host_platform(&question->sources, step->members[0]);

        if (step->shape->repeat_for_s == 0 || step->origin == ORIGIN_LEFT_OUT)
            continue;
        soak.steps++;
        if (platform->power_limit_w > 0)
            soak.kwh += plan_step_s(step) / 3600 * (double)step->member_count * platform->gpu_count *
                        platform->power_limit_w / 1000;
        else
            add_unknown(arena, &soak, platform->name);
    }
    return soak;
}

static void print_soak(struct arena *arena, const struct question *question)
{
    struct soak soak = soak_of(arena, question);
    const char *unknown = "";

    for (size_t i = 0; i < soak.unknown.count; i++)
        unknown = arena_printf(arena, "%s%s%s", unknown, i > 0 ? ", " : "", soak.unknown.items[i]);
    if (soak.steps > 0 && soak.kwh > 0)
        cli_print("energy of timed steps: at most %.4g kWh, GPUs alone, each at the power limit of "
                  "its platform\n",
                  soak.kwh);
    if (soak.unknown.count > 0)
        cli_print("energy of timed steps on %s: unknown, the platform has no power limit "
                  "(power_limit_w)\n",
                  unknown);
}

/* How long the whole takes. hosts_at_once: as in `assay run`; 0: all. */
static double whole_s(struct arena *arena, const struct plan *plan, size_t hosts_at_once)
{
    size_t turns = hosts_at_once > 0 ? (plan->hosts.count + hosts_at_once - 1) / hosts_at_once : 1;
    const struct shape_steps *steps = plan_steps_by_shape(arena, plan);
    double host_s = 0, wide_s = 0;

    for (size_t i = 0; i < plan->shapes.count; i++) {
        const struct shape *shape = plan->shapes.items[i];
        const struct step *first = steps[i].items[0];

        if (first->origin == ORIGIN_LEFT_OUT)
            continue;
        if (shape->hosts == 1)
            host_s += plan_step_s(first);
        else
            wide_s += plan_step_s(first) * (double)plan_longest_queue(arena, shape, &steps[i]);
    }
    return host_s * (double)turns + wide_s;
}

/* What runs beside the tests of a shape; NULL: nothing. */
static const char *beside_of(const struct question *question, const struct shape *shape)
{
    const struct suite_step *step = suite_step_find(question->sources.suite, shape->suite_step);

    return step != NULL ? check_beside(step) : NULL;
}

static void print_steps(struct arena *arena, const struct question *question)
{
    const struct plan *plan = question->plan;
    const struct shape_steps *steps = plan_steps_by_shape(arena, plan);

    for (size_t i = 0; i < plan->shapes.count; i++) {
        const struct shape *shape = plan->shapes.items[i];
        const struct step *first = steps[i].items[0];
        size_t count = steps[i].count;

        if (first->origin == ORIGIN_LEFT_OUT) {
            cli_print("%3zu. %s (%s, %s): not run, %s\n", i + 1, shape->suite_step, shape->check,
                      shape->platform, reason_english(arena, first->origin_note));
            continue;
        }
        cli_print("%3zu. %s (%s, %s), %s: %zu step%s, each about %s, deadline %s, exclusive: %s%s%s\n", i + 1,
                  shape->suite_step, shape->check, shape->platform, targets_text(arena, first, count), count,
                  count == 1 ? "" : "s", duration_text(arena, step_expected_s(first)),
                  duration_text(arena, step_deadline_s(first)), exclusivity_name(shape->exclusive),
                  shape->as_root ? ", as root where become=sudo" : "",
                  shape->repeat > 1 ? arena_printf(arena, ", %u times", shape->repeat) : "");
        if (beside_of(question, shape) != NULL)
            cli_print("      under load: gpu_burn on all GPUs of its hosts for as long as it runs\n");
        if (shape->repeat_for_s > 0)
            cli_print("      one after the other until they have worked for %s\n",
                      duration_text(arena, step_repeat_for_s(first)));
        if (shape->retests > 0)
            cli_print("      what fails or is in doubt is tested again, up to %u time%s\n", shape->retests,
                      shape->retests == 1 ? "" : "s");
        print_shape(arena, &question->sources.limits, shape);
    }
}

static void print_conceded(const struct record *record)
{
    cleanup_arena struct arena *arena = arena_create();
    struct not_judged *rows;
    size_t count = report_not_judged(arena, record, LANGUAGE_EN, &rows);
    bool any = false;

    for (size_t i = 0; i < count; i++) {
        if (!rows[i].conceded)
            continue;
        if (!any)
            cli_print("\nNot judged, or by less than what is built in:\n");
        cli_print("    %s\n", rows[i].line);
        any = true;
    }
}

/* What will stand beside the verdict, whoever passes: better known before the tests than after them. All documents are read
   for it, so each part has its own arena. */
static void print_caveat(const struct record *record)
{
    struct arena *arena = arena_create();
    const struct reason *caveat = caveat_of_run(arena, record);
    bool any = caveat != NULL;

    if (any)
        cli_print("\nnote: beside the verdict the report will say: %s\n", reason_english(arena, caveat));
    arena_destroy(arena);
    if (any)
        print_conceded(record);
}

/* Without what --steps leaves out: the run owes it all the same, and will say that it did not run. */
struct owed {
    size_t tests, gates, records;
};

static void count_owed(const struct plan *plan, struct owed *ret_owed)
{
    *ret_owed = (struct owed){0};
    list_each (step, plan->steps) {
        if (step->origin == ORIGIN_LEFT_OUT)
            continue;
        ret_owed->tests++;
        for (size_t k = 0; k < step->shape->slot_count; k++)
            if (step->shape->slots[k].duty == DUTY_GATE)
                ret_owed->gates++;
            else
                ret_owed->records++;
    }
}

/* Of hosts that are reached by steps of Slurm, who allocates them. */
static void print_slurm(const struct plan *plan)
{
    size_t count = 0;

    for (size_t i = 0; i < plan->hosts.count; i++)
        count += host_is_over_slurm(plan->hosts.items[i]);
    if (count > 0)
        cli_print("transport: slurm, %zu of %zu hosts, %s; srun launches across hosts\n", count,
                  plan->hosts.count,
                  getenv("SLURM_JOB_ID") != NULL ? "in the allocation that this shell is in"
                                                 : "in one job that Slurm is asked for");
}

/* Beside tests of hours what surrounds them is little; beside seconds it is most of a run. */
static bool is_hastened(const struct plan *plan)
{
    for (size_t i = 0; i < plan->hosts.count; i++)
        if (plan->hosts.items[i]->timescale > 1)
            return true;
    return false;
}

/* full: every value with its limit and source; else one screen. */
static void print_plan(struct arena *arena, const struct question *question, const struct record *record,
                       size_t hosts_at_once, bool full)
{
    const struct plan *plan = question->plan;
    struct owed owed;

    cli_print("suite %s: %s\nhosts: %zu\n", question->sources.suite->name, question->sources.suite->title,
              plan->hosts.count);
    print_slurm(question->plan);
    if (question->sources.limits.contract != NULL)
        cli_print("contract %s: %s\n", question->sources.limits.contract->name,
                  question->sources.limits.contract->title);
    if (full) {
        cli_print("\n");
        print_steps(arena, question);
        print_choices(arena, &question->notes);
    } else {
        plan_screen(arena, question);
    }
    for (size_t i = 0; i < question->notes.notes.count; i++)
        cli_print("\nnote: %s\n", reason_english(arena, question->notes.notes.items[i].what));
    print_caveat(record);
    if (production_concerned(arena, plan) != NULL)
        cli_print("\nnote: %s; without --allow-active `assay run` refuses them\n",
                  production_concerned(arena, plan));
    if (!full)
        cli_print("\n`assay plan --full` lists every value with its limit and source\n");
    count_owed(plan, &owed);
    cli_print("\n%zu tests require %zu measurements: %zu gates and %zu records; about %s%s\n", owed.tests,
              owed.gates + owed.records, owed.gates, owed.records,
              duration_text(arena, whole_s(arena, plan, hosts_at_once)),
              is_hastened(plan) ? ", and what connecting and starting programs takes, which timescale= does "
                                  "not divide"
                                : "");
    print_soak(arena, question);
}

/* -- As JSON -- */

static void put_items(struct json_writer *json, struct arena *arena, const struct shape *shape)
{
    json_member_array(json, "items");
    for (size_t i = 0; i < shape->slot_count; i++) {
        json_open_object(json);
        json_member(json, "metric", shape->slots[i].metric);
        json_member(json, "subject", shape->slots[i].subject);
        json_member(json, "at", shape->slots[i].at);
        json_member(json, "duty", duty_name(shape->slots[i].duty));
        json_member(json, "note", reason_english(arena, shape->slots[i].duty_note));
        json_close_object(json);
    }
    json_close_array(json);
}

/* What each step of it owes stands once: all steps of one shape owe the same. */
static void put_shape(struct json_writer *json, struct arena *arena, const struct shape *shape,
                      const struct shape_steps *steps)
{
    const struct step *first = steps->items[0];

    json_open_object(json);
    json_member(json, "step", shape->suite_step);
    json_member(json, "check", shape->check);
    json_member(json, "platform", shape->platform);
    json_member(json, "scope", shape->scope);
    json_member(json, "variant", shape->variant);
    json_member_integer(json, "hosts", shape->hosts);
    json_member_count(json, "steps", steps->count);
    json_member_boolean(json, "runs", first->origin != ORIGIN_LEFT_OUT);
    json_member(json, "note", reason_english(arena, first->origin_note));
    json_member_number(json, "expected_s", step_expected_s(first));
    json_member_integer(json, "deadline_s", step_deadline_s(first));
    if (shape->repeat_for_s > 0) {
        json_member_number(json, "repeat_for_s", step_repeat_for_s(first));
        json_member_number(json, "whole_s", plan_step_s(first));
    }
    json_member(json, "alone", exclusivity_name(shape->exclusive));
    put_items(json, arena, shape);
    json_close_object(json);
}

static void put_choice(struct json_writer *json, struct arena *arena, const struct plan_choice *choice)
{
    json_open_object(json);
    json_member(json, "step", choice->step);
    json_member(json, "check", choice->check);
    json_member(json, "platform", choice->platform);
    json_member_boolean(json, "taken", choice->taken);
    json_member_boolean(json, "assumed", choice->assumed != NULL);
    json_member(json, "reason", reason_english(arena, choice->why));
    json_close_object(json);
}

static void put_energy(struct json_writer *json, struct arena *arena, const struct question *question)
{
    struct soak soak = soak_of(arena, question);

    if (soak.steps == 0)
        return;
    json_key(json, "gpu_kwh_at_most");
    if (soak.unknown.count > 0)
        json_put_null(json);
    else
        json_put_number(json, soak.kwh);
}

/* As in the JSON of a report. */
static void put_not_judged(struct json_writer *json, struct arena *arena, const struct record *record)
{
    struct not_judged *rows;
    size_t count = report_not_judged(arena, record, LANGUAGE_EN, &rows);

    json_member_array(json, "not_judged");
    for (size_t i = 0; i < count; i++) {
        json_open_object(json);
        json_member(json, "kind", rows[i].kind);
        json_member(json, "step", rows[i].step);
        json_member(json, "metric", rows[i].metric);
        json_member(json, "platform", rows[i].platform);
        json_member(json, "detail", reason_english(arena, rows[i].detail));
        json_close_object(json);
    }
    json_close_array(json);
}

static void put_notes(struct json_writer *json, struct arena *arena, const struct plan_notes *notes,
                      const struct reason *caveat)
{
    json_member_array(json, "notes");
    for (size_t i = 0; i < notes->notes.count; i++)
        json_put_string(json, reason_english(arena, notes->notes.items[i].what));
    if (caveat != NULL)
        json_put_string(json, arena_printf(arena, "beside the verdict the report will say: %s",
                                           reason_english(arena, caveat)));
    json_close_array(json);
    json_member(json, "caveat", reason_english(arena, caveat));
}

static void print_json(struct arena *arena, const struct question *question, const struct record *record)
{
    const struct shape_steps *steps = plan_steps_by_shape(arena, question->plan);
    cleanup_text struct text out = {0};
    struct json_writer json;

    text_init(&out, JSON_BYTES);
    json_open_document(&json, &out, 1);
    json_member(&json, "suite", question->sources.suite->name);
    json_member_count(&json, "hosts", question->plan->hosts.count);
    json_member_count(&json, "gates", question->plan->gate_count);
    json_member_count(&json, "records", question->plan->record_count);
    put_energy(&json, arena, question);
    json_member_array(&json, "plan");
    for (size_t i = 0; i < question->plan->shapes.count; i++)
        put_shape(&json, arena, question->plan->shapes.items[i], &steps[i]);
    json_close_array(&json);
    json_member_array(&json, "applies");
    for (size_t i = 0; i < question->notes.choices.count; i++)
        put_choice(&json, arena, &question->notes.choices.items[i]);
    json_close_array(&json);
    put_notes(&json, arena, &question->notes, caveat_of_run(arena, record));
    put_not_judged(&json, arena, record);
    json_close_object(&json);
    cli_print_lines(out.bytes);
}

static int show_plan(struct question *cli, int argc, char **argv, bool json, unsigned hosts_at_once,
                     bool full)
{
    cleanup_arena struct arena *arena = arena_create();
    const struct record *record;
    struct error err = {0};

    if (question_make(arena, cli, "00000000-0000-0000-0000-000000000000", &err) < 0 ||
        exclusive_check_plan(cli->plan, &err) < 0)
        return cli_fail(&err);
    record = running_new_record(arena, cli, argc, argv);
    if (json)
        print_json(arena, cli, record);
    else
        print_plan(arena, cli, record, hosts_at_once, full);
    return EXIT_ACCEPT;
}

int command_plan(int argc, char **argv)
{
    struct question cli = {0};
    const char *format = "text";
    unsigned hosts_at_once = 0;
    bool checks = false, full = false;
    const struct option_row rows[] = {
        OPTION_HEADING("Which hosts"),
        CLI_HOSTFILE_ROW(&cli),
        {"hosts", 0, OPTION_STRING, "LIST", &cli.hosts, "only these hosts of the hostfile"},
        CLI_LIMIT_ROW(&cli.hosts),
        OPTION_HEADING("What would be run"),
        CLI_SUITE_ROW(&cli),
        {"steps", 0, OPTION_STRING, "LIST", &cli.steps,
         "only these steps of the suite; the others count as not run"},
        CLI_BASELINE_ROW(&cli),
        CLI_CONTRACT_ROW(&cli),
        CLI_DURATION_ROW(&cli),
        {"hosts-at-once", 0, OPTION_COUNT, "N", &hosts_at_once,
         "as in assay run, while it runs; default all"},
        OPTION_HEADING("Output"),
        {"format", 'f', OPTION_STRING, "HOW", &format, "text (default) or json"},
        {"full", 0, OPTION_FLAG, NULL, &full,
         "every value that is required, with its limit and the source of that; default: one screen"},
        {"checks", 0, OPTION_FLAG, NULL, &checks,
         "list the checks that suites may name, with their arguments"},
        OPTION_END,
    };
    int first, status;

    if (!cli_options(rows, "plan -H HOSTFILE -s SUITE", argc, argv, &first, &status))
        return status;
    if (first < argc)
        return cli_unexpected("plan", argv[first]);
    if (strcmp(format, "text") != 0 && strcmp(format, "json") != 0) {
        cli_warn("assay: plan: --format '%s'; expected text or json\n", format);
        return EXIT_USAGE;
    }
    if (checks)
        return print_checks();
    return show_plan(&cli, argc, argv, strcmp(format, "json") == 0, hosts_at_once, full);
}
