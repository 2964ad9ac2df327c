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

enum duty storage_duty(const struct check_context *context, const char *metric, const char *subject)
{
    for (size_t i = 0; i < context->step->limits.count; i++)
        if (limit_applies(&context->step->limits.items[i], metric, subject, context->step->scope,
                          (unsigned)context->member_count, 0))
            return DUTY_GATE;
    return DUTY_RECORD;
}
