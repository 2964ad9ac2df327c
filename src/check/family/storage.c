/* SPDX-License-Identifier: Apache-2.0 */
#include "storage.h"

#include <string.h>

const char *storage_declared(const struct check_context *context, size_t i)
{
    const char *declared = context->members[0]->mounts;

    while (declared != NULL && i-- > 0)
        declared = strchr(declared, ',') != NULL ? strchr(declared, ',') + 1 : NULL;
    return declared != NULL ? arena_strndup(context->arena, declared, strcspn(declared, ",")) : NULL;
}
