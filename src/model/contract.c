/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "assay/model/limit.h"
#include "assay/reasons/any.h"
#include "assay/reasons/model.h"

static const struct reason *origin_of(struct arena *arena, const struct contract *contract,
                                      const struct json *object)
{
    const char *more = json_string(object, "source", "");
    const struct reason *clause =
        reason(arena, clause_of_contract, contract->name, json_string(object, "clause", ""));

    return *more != '\0' ? reason(arena, about, clause, more) : clause;
}

static const struct contract *read_contract(struct arena *arena, const struct json *document,
                                            struct slice bytes, struct error *err)
{
    struct contract *contract = arena_new(arena, struct contract);
    bool sound = true;

    contract->name = json_string(document, "name", "");
    contract->title = json_string(document, "title", "");
    contract->bytes = bytes;
    json_each (object, json_get(document, "limits")) {
        struct limit *limit = list_push(arena, &contract->limits);

        sound &= limit_from_json(arena, object, 0, limit, err) == 0;
        limit->clause = json_string(object, "clause", "");
        limit->platform = json_string(object, "platform", NULL);
        limit->origin = origin_of(arena, contract, object);
        limit->source = reason_english(arena, limit->origin);
        limit->status = LIMIT_CONTRACT;
        *list_push(arena, &contract->at) = object;
    }
    return sound ? contract : NULL;
}

const struct contract *contract_load(struct arena *arena, const char *file, struct error *err)
{
    struct slice bytes;
    const struct json *document = document_load(arena, "contracts", file, "contract", &bytes, err);

    return document != NULL ? read_contract(arena, document, bytes, err) : NULL;
}

const struct contract *contract_parse(struct arena *arena, const char *file, struct slice bytes,
                                      struct error *err)
{
    const struct json *document = document_parse(arena, file, bytes, "contract", err);
    struct slice copy = {arena_strndup(arena, bytes.bytes, bytes.length), bytes.length};

    return document != NULL ? read_contract(arena, document, copy, err) : NULL;
}
