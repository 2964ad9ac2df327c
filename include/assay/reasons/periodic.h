/* SPDX-License-Identifier: Apache-2.0 */
/* The sentences of periodic.def, for reason() and REASON(). */
#ifndef ASSAY_REASONS_PERIODIC_H
#define ASSAY_REASONS_PERIODIC_H

#include "assay/model/reason.h"

#define SENTENCE(code, arguments, english)   \
    enum { ARGUMENTS_##code = (arguments) }; \
    extern const struct sentence sentence_##code;
#include "assay/reasons/periodic.def"
#undef SENTENCE

#endif
