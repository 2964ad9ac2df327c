/* SPDX-License-Identifier: Apache-2.0 */
#include "arguments.h"

#include <stdlib.h>

#include "assay/base/arena.h"

void arguments_add(struct arguments *arguments, char *word)
{
    if (arguments->count + 1 < ARRAY_SIZE(arguments->items))
        arguments->items[arguments->count++] = word;
    else
        free(word);
}

void arguments_release(struct arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++)
        free(arguments->items[i]);
}
