/* SPDX-License-Identifier: Apache-2.0 */
/* The sentences of app.def, for reason() and REASON(). */
#ifndef ASSAY_REASONS_APP_H
#define ASSAY_REASONS_APP_H

#include "assay/model/reason.h"

#define SENTENCE(code, arguments, english)   \
    enum { ARGUMENTS_##code = (arguments) }; \
    extern const struct sentence sentence_##code;
#include "assay/reasons/app.def"
#undef SENTENCE

#endif
