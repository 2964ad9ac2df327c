/* SPDX-License-Identifier: Apache-2.0 */
/* The sentences of words.def, for reason() and REASON(). */
#ifndef ASSAY_REASONS_WORDS_H
#define ASSAY_REASONS_WORDS_H

#include "assay/model/reason.h"

#define SENTENCE(code, arguments, english)   \
    enum { ARGUMENTS_##code = (arguments) }; \
    extern const struct sentence sentence_##code;
#include "assay/reasons/words.def"
#undef SENTENCE

#endif
