/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ascend NPUs, as npu-smi shows them: those that the platform has, or the suite names, are there and no others, each
 * says that it is healthy, one driver on all hosts. There is no built-in figure for temperature or memory: they are judged
 * where the suite has a limit, else recorded.
 */
#include <string.h>

#include "assay/model/hostfile.h"
#include "assay/reasons/check.h"
#include "rules.h"

static int arguments_valid(const struct check_context *context, struct error *err)
{
    const struct json *npus = json_get(context->step->arguments, NPUS_ARGUMENT);

    if (npus != NULL && npus->count == 0)
        return json_error(err, npus,
                          "\"npus\" is empty; expected names as npu-smi numbers them: [\"npu[0-7]\"]");
    json_each (item, npus) {
        struct hostlist names = {0};
        struct error why = {0};

        if (hostlist_expand(context->arena, item->string, &names, &why) < 0)
            return json_error(err, item, "npus: %s", why.text);
    }
    return 0;
}

static void command(const struct check_context *context, struct text *out)
{
    command_tool(context, out, "npu-smi");
    text_put(out, " info");
}

static const struct limit *rule(const struct check_context *context, const char *metric, enum limit_rule kind,
                                const char *text)
{
    return rules_new(context,
                     LIMITS RULES(.metric = metric, .rule = kind, .text = text,
                                  .source = text != NULL
                                                ? "what suite and platform declare, and what npu-smi reports"
                                                : "assay: the same on all hosts",
                                  .status = LIMIT_TOOL));
}

/* "910B3|910B4"; NULL when neither the suite nor the platform names any. */
static const char *models_of(const struct check_context *context)
{
    const char *joined = NULL;

    json_each (model, json_get(context->step->arguments, "models"))
        joined =
            joined == NULL ? model->string : arena_printf(context->arena, "%s|%s", joined, model->string);
    for (size_t i = 0;
         json_get(context->step->arguments, "models") == NULL && i < context->platform->npu_models.count; i++)
        joined = arena_printf(context->arena, "%s%s%s", joined != NULL ? joined : "",
                              joined != NULL ? "|" : "", context->platform->npu_models.items[i]);
    return joined;
}

static void add_recorded(const struct check_context *context, struct slot_list *slots, const char *subject)
{
    static const char *const metrics[] = {"npu.temperature", "npu.power", "npu.utilization", "npu.hbm_total",
                                          "npu.hbm_used"};

    for (size_t i = 0; i < ARRAY_SIZE(metrics); i++) {
        enum duty duty = DUTY_RECORD;

        for (size_t k = 0; k < context->step->limits.count; k++)
            if (limit_applies(&context->step->limits.items[k], metrics[i], subject, context->step->scope,
                              (unsigned)context->member_count, 0))
                duty = DUTY_GATE;
        slot_add(context, slots, metrics[i], subject, NULL, duty, NULL);
    }
}

static void slots_of_npus(const struct check_context *context, struct slot_list *slots)
{
    const char *models = models_of(context);
    struct hostlist npus = {0};
    struct error err = {0};

    for (unsigned i = 0;
         json_get(context->step->arguments, NPUS_ARGUMENT) == NULL && i < context->platform->npu_count; i++)
        *list_push(context->arena, &npus.names) = arena_printf(context->arena, "npu%u", i);
    json_each (item, json_get(context->step->arguments, NPUS_ARGUMENT)) {
        struct hostlist names = {0};

        if (hostlist_expand(context->arena, item->string, &names, &err) == 0)
            for (size_t i = 0; i < names.names.count; i++)
                *list_push(context->arena, &npus.names) = names.names.items[i];
    }
    slot_add(
        context, slots, "npu.chip.count", "", NULL, DUTY_GATE,
        rule(context, "npu.chip.count", RULE_EQUAL, arena_printf(context->arena, "%zu", npus.names.count)));
    slot_add(context, slots, "npu.driver.version", "", NULL, DUTY_GATE,
             rule(context, "npu.driver.version", RULE_SAME, NULL));
    for (size_t i = 0; i < npus.names.count; i++) {
        const char *subject = npus.names.items[i];

        slot_add(context, slots, "npu.health", subject, NULL, DUTY_GATE,
                 rule(context, "npu.health", RULE_EQUAL, "OK"));
        slot_add(context, slots, "npu.name", subject, NULL, DUTY_GATE,
                 rule(context, "npu.name", models != NULL ? RULE_ONE_OF : RULE_SAME, models));
        add_recorded(context, slots, subject);
    }
}

const struct check check_ascend_npu = {
    .name = "ascend-npu",
    .title = "Ascend NPUs",
    .summary = "npu-smi lists the NPUs of the platform, or those that the suite names, each of them healthy; "
               "one driver on all hosts",
    .on = ON_NPUS,
    .passive = true,
    .as_root = true,
    .arguments = ARGUMENTS(
        {NPUS_ARGUMENT, ARGUMENT_LIST, NULL,
         "the NPUs of each host as npu-smi numbers them: [\"npu[0-7]\"], a second chip is \"npu0.chip1\"; "
         "default: the "
         "platform's"},
        {"models", ARGUMENT_LIST, NULL,
         "names that are right: [\"910B3\"]; default: the platform's, else the same name on all hosts"}),
    .arguments_valid = arguments_valid,
    .parts = PARTS({"npu-smi", "npu-smi", command, NULL}),
    .remedies =
        REMEDIES({"npu.chip.count", REASON(find_missing_npu)}, {"npu.health", REASON(see_npu_error_code)},
                 {"npu.driver.version", REASON(install_same_driver_and_firmware)},
                 {"npu.temperature", REASON(check_npu_cooling)}, {"sound", REASON(let_login_ask_npu_smi)}),
    .more_slots = slots_of_npus,
    .expected_s = 10,
    .read = read_parts,
};
