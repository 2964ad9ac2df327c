/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The value of a fact as it is kept: in words of ours their form (reason.h), else the text as it is, byte by byte. What a
 * tool printed and would be read as a form is put into one, as a text: no tool writes words of ours.
 */
#include <string.h>

#include "assay/reasons/any.h"
#include "store_private.h"

bool may_be_form(const char *text)
{
    static const char beginning[] = "[\"";

    if (strncmp(text, beginning, strlen(beginning)) != 0)
        return false;
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < 0x20)
            return false;
    return true;
}

/* The text that the reason is; NULL where it is in words of ours. */
static const char *mere_text(const struct reason *reason)
{
    return reason_is(reason, text) ? reason_argument_text(reason, 1) : NULL;
}

const char *fact_encode(struct arena *arena, const struct fact *fact)
{
    const char *read_back;

    if (fact->said != NULL)
        return reason_encode(arena, fact->said);
    if (fact->value == NULL || !may_be_form(fact->value))
        return fact->value;
    read_back = mere_text(reason_decode(arena, fact->value));
    return read_back != NULL && strcmp(read_back, fact->value) == 0
               ? fact->value
               : reason_encode(arena, reason_text(arena, fact->value));
}

void fact_decode(struct arena *arena, const char *text, struct fact *fact)
{
    const struct reason *said = may_be_form(text) ? reason_decode(arena, text) : NULL;

    fact->value = text;
    if (said == NULL)
        return;
    fact->value = mere_text(said);
    if (fact->value != NULL)
        return;
    fact->said = said;
    fact->value = reason_english(arena, said);
}
