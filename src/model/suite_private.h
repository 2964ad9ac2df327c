/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that read suites share. */
#ifndef ASSAY_SUITE_PRIVATE_H
#define ASSAY_SUITE_PRIVATE_H

#include "assay/model/suite.h"

#define read_strings(arena, list, ret_list)                  \
    do {                                                     \
        json_each (item_, (list))                            \
            *list_push((arena), (ret_list)) = item_->string; \
    } while (0)

#define read_variables(arena, object, ret_list)                                                   \
    do {                                                                                          \
        json_each (item_, (object))                                                               \
            *list_push((arena), (ret_list)) = (struct suite_variable){item_->key, item_->string}; \
    } while (0)

/* object: "launcher" of the suite, already checked against the schema; NULL: all defaults. */
int suite_launcher_read(struct arena *arena, const struct json *object, struct suite_launcher *ret_launcher,
                        struct error *err) __attribute__((warn_unused_result));

/* object: the step, whose other keys are read. */
int suite_variants_read(struct arena *arena, const struct json *object, struct suite_step *step,
                        struct error *err) __attribute__((warn_unused_result));

#endif
