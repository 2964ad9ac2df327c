/* SPDX-License-Identifier: Apache-2.0 */
/* What the cluster of a run is worth: for people, and the same numbers for programs. */
#include <math.h>

#include "assay/base/printable.h"
#include "assay/report/report.h"
#include "language.h"

enum { NAME_COLUMNS = 34 };

struct writer {
    struct arena *arena;
    enum report_language language;
    struct text *out;
};

static void put_lines(struct writer *writer, enum text_key title, const struct worth_lines *lines)
{
    text_printf(writer->out, "\n%s\n", say(writer, title));
    list_each (line, lines->items) {
        const char *name = said(writer, line->name);
        size_t width = printable_width(name);

        text_put(writer->out, "  ");
        printable_put(writer->out, name);
        text_printf(writer->out, "%*s", width < NAME_COLUMNS ? (int)(NAME_COLUMNS - width) : 2, "");
        printable_put(writer->out, said(writer, line->value));
        text_put(writer->out, "\n");
        if (line->origin == NULL)
            continue;
        text_printf(writer->out, "  %*s", NAME_COLUMNS, "");
        printable_put(writer->out, sayf(writer, TEXT_L_WORTH_FROM, said(writer, line->origin)));
        text_put(writer->out, "\n");
    }
}

void report_worth_text(struct arena *arena, const struct record *record,
                       const struct worth_measured *measured, const struct worth_answer *answer,
                       enum report_language language, struct text *out)
{
    struct writer writer = {arena, language, out};
    enum verdict_word verdict = report_verdict(record);
    struct worth_lines lines;

    printable_put(out,
                  language_say(arena, language, TEXT_WORTH_TITLE, arena_printf(arena, "%lld", record->number),
                               arena_printf(arena, "%u", measured->hosts),
                               arena_printf(arena, "%u", measured->gpus)));
    text_put(out, "\n");
    if (verdict != VERDICT_ACCEPT)
        text_printf(
            out, "%s\n",
            language_say(arena, language, TEXT_WORTH_NOT_PASSED,
                         reason_said(arena, language,
                                     reason_word(arena, standing_verdict(&record->standing, verdict)))));
    worth_say_inputs(arena, measured, answer->inputs, answer->question->type, &lines);
    put_lines(&writer, TEXT_WORTH_MEASURED, &lines);
    worth_say_step(arena, answer, &lines);
    put_lines(&writer, TEXT_WORTH_STEP, &lines);
    worth_say_answer(arena, answer, &lines);
    put_lines(&writer, TEXT_WORTH_ANSWER, &lines);
}

/* -- JSON: null is what was not measured -------------------------------------------------------------------- */

static void put_range(struct json_writer *json, const char *key, struct worth_range range)
{
    json_member_object(json, key);
    json_member_number(json, "low", range.low);
    json_member_number(json, "high", range.high);
    json_close_object(json);
}

static void put_value(struct json_writer *json, const char *key, struct worth_value value)
{
    json_member_object(json, key);
    json_member_number(json, "value", value.value);
    json_member(json, "origin", worth_origin_name(value.origin));
    json_close_object(json);
}

static void put_inputs(struct json_writer *json, struct arena *arena, const struct worth_answer *answer)
{
    json_member_object(json, "inputs");
    for (size_t i = 0; i < WORTH_QUANTITIES; i++) {
        const struct worth_input *input = &answer->inputs[i];

        json_key(json, worth_quantity_key((enum worth_quantity)i));
        json_open_object(json);
        json_member_number(json, "value", input->value);
        json_member(json, "unit", worth_quantity_unit((enum worth_quantity)i));
        json_member(json, "origin", worth_origin_name(input->origin));
        json_member(json, "metric", input->metric);
        json_member_number(json, "median", input->median);
        json_member_number(json, "gpus", input->origin == WORTH_MEASURED ? (double)input->gpus : (double)NAN);
        json_member_number(json, "size_bytes", input->size_bytes > 0 ? input->size_bytes : (double)NAN);
        json_member(json, "caution", input->caution != NULL ? reason_english(arena, input->caution) : NULL);
        if (input->origin == WORTH_NOT_MEASURED)
            json_member(json, "measured_by", worth_quantity_remedy((enum worth_quantity)i));
        json_close_object(json);
    }
    json_close_object(json);
}

static void put_question(struct json_writer *json, const struct worth_question *question)
{
    json_member_object(json, "training");
    json_member_number(json, "parameters", question->parameters);
    json_member_number(json, "activated",
                       question->activated > 0 ? question->activated : question->parameters);
    json_member_number(json, "tokens", question->tokens);
    json_member(json, "type", worth_type_name(question->type));
    json_close_object(json);
}

static void put_assumed(struct json_writer *json, const struct worth_answer *answer)
{
    put_value(json, "batch_tokens", answer->batch_tokens);
    put_value(json, "gpus", answer->gpus);
    put_value(json, "model_parallel", answer->model_parallel);
    put_value(json, "peak_tflops", answer->peak);
    put_value(json, "gpu_mtbf_hours", answer->gpu_mtbf_h);
    put_value(json, "checkpoint_s", answer->checkpoint_s);
    put_value(json, "restart_s", answer->restart_s);
    put_value(json, "pue", answer->pue);
    put_value(json, "host_watts", answer->host_watts);
    put_range(json, "efficiency", answer->efficiency);
    json_member(json, "efficiency_origin", worth_origin_name(answer->efficiency_from));
}

static void put_step(struct json_writer *json, const struct worth_answer *answer)
{
    json_member_object(json, "step");
    json_member_number(json, "steps", answer->steps);
    json_member_number(json, "compute_s", answer->compute_s);
    json_member_number(json, "exchange_s", answer->exchange_s);
    json_member_number(json, "exposed_s", answer->exposed_s);
    json_member_number(json, "optimizer_s", answer->optimizer_s);
    json_member_boolean(json, "exchange_beyond_measured", answer->beyond_measured);
    json_close_object(json);
}

void report_worth_json(struct arena *arena, const struct record *record,
                       const struct worth_measured *measured, const struct worth_answer *answer,
                       struct text *out)
{
    struct json_writer json;

    json_open_document(&json, out, 1);
    json_member_number(&json, "run", (double)record->number);
    json_member(&json, "uuid", record->uuid);
    json_member(&json, "verdict", standing_verdict(&record->standing, report_verdict(record)));
    json_member_number(&json, "hosts", measured->hosts);
    json_member_number(&json, "gpus_of_run", measured->gpus);
    json_member(&json, "model", measured->model);
    put_question(&json, answer->question);
    put_inputs(&json, arena, answer);
    put_assumed(&json, answer);
    put_step(&json, answer);
    json_member_number(&json, "flop_total", answer->flop_total);
    json_member_number(&json, "flop_token", answer->flop_token);
    json_member_number(&json, "ceiling_tflops", answer->ceiling_tflops);
    json_member_number(&json, "mfu_ceiling", answer->mfu_ceiling);
    json_member_number(&json, "slowest_costs", answer->slowest_costs);
    put_range(&json, "achieved_tflops", answer->achieved_tflops);
    put_range(&json, "mfu", answer->mfu);
    put_range(&json, "days", answer->days);
    put_range(&json, "gpu_hours", answer->gpu_hours);
    put_range(&json, "energy_mwh", answer->energy_mwh);
    json_member_number(&json, "interruptions_in_30_days", answer->interruptions_month);
    json_member_number(&json, "job_mtbf_hours", answer->job_mtbf_h);
    json_member_number(&json, "checkpoint_every_s", answer->checkpoint_every_s);
    json_member_number(&json, "goodput", answer->goodput);
    if (answer->question->days > 0)
        put_range(&json, "gpus_needed", answer->gpus_needed);
    json_close_object(&json);
    text_put(out, "\n");
}
