/* SPDX-License-Identifier: Apache-2.0 */
/* "variants" of a step: named sets of variables, and what does not stand beside them. */
#include <string.h>

#include "suite_private.h"

const struct suite_variant *suite_variant_find(const struct suite_step *step, const char *name)
{
    for (size_t i = 0; name != NULL && i < step->variants.count; i++)
        if (strcmp(step->variants.items[i].name, name) == 0)
            return &step->variants.items[i];
    return NULL;
}

/* Keys that judge, and one that names what it is run over as variants are named. */
static int check_others(const struct json *object, const struct suite_step *step, struct error *err)
{
    static const char *const judging[] = {"gate", "sizes_judged"};

    for (size_t i = 0; i < ARRAY_SIZE(judging); i++)
        if (json_get(object, judging[i]) != NULL)
            return json_error_add(
                err, json_get(object, judging[i]),
                "step \"%s\" has variants, which only advise and judge nothing; expected no \"%s\"",
                step->name, judging[i]);
    if (step->by != NULL && (strcmp(step->by, "rail") == 0 || strcmp(step->by, "line") == 0))
        return json_error_add(err, json_get(object, "by"),
                              "step \"%s\" has variants and goes by %s; expected one of the two", step->name,
                              step->by);
    if (step->exclusive != NULL && strcmp(step->exclusive, "none") == 0)
        return json_error_add(
            err, json_get(object, "exclusive"),
            "step \"%s\" has variants, which are compared and so never run at the same time; "
            "expected \"host\", \"leaf\" or \"fabric\"",
            step->name);
    return 0;
}

int suite_variants_read(struct arena *arena, const struct json *object, struct suite_step *step,
                        struct error *err)
{
    const struct json *variants = json_get(object, "variants");

    if (variants == NULL)
        return 0;
    if (variants->count < 2)
        return json_error_add(
            err, variants,
            "step \"%s\" has %zu variant%s; expected two or more, for the others are compared "
            "with the first",
            step->name, variants->count, variants->count == 1 ? "" : "s");
    json_each (environment, variants) {
        struct suite_variant *variant = list_push(arena, &step->variants);

        variant->name = environment->key;
        read_variables(arena, environment, &variant->environment);
    }
    return check_others(object, step, err);
}
