/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/findings.h"

#include <stdarg.h>

#include "assay/base/text.h"

enum { LINE_BYTES = 1 << 20 };

void findings_tell(const struct findings *findings, const char *format, ...)
{
    cleanup_text struct text line = {0};
    va_list arguments;

    text_init(&line, LINE_BYTES);
    va_start(arguments, format);
    text_vprintf(&line, format, arguments);
    va_end(arguments);
    findings->tell(findings->context, line.bytes);
}
