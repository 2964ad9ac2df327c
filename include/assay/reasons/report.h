/* SPDX-License-Identifier: Apache-2.0 */
/* The sentences of report.def, for reason() and REASON(). */
#ifndef ASSAY_REASONS_REPORT_H
#define ASSAY_REASONS_REPORT_H

#include "assay/model/reason.h"

#define SENTENCE(code, arguments, english)   \
    enum { ARGUMENTS_##code = (arguments) }; \
    extern const struct sentence sentence_##code;
#include "assay/reasons/report.def"
#undef SENTENCE

#endif
