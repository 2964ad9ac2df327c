/* SPDX-License-Identifier: Apache-2.0 */
/* Who is told what is found, a line at a time and as it is found: to look at all of a large run takes minutes. */
#ifndef ASSAY_APP_FINDINGS_H
#define ASSAY_APP_FINDINGS_H

struct findings {
    void *context;
    void (*tell)(void *context, const char *line);
};

/* Whatever stands in it, one line: words of others go through proof_line first. */
void findings_tell(const struct findings *findings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
