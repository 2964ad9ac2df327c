/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to the person at the terminal while the loop goes on: one at a time, in their order, without echo. */
#ifndef ASSAY_RUN_QUESTION_H
#define ASSAY_RUN_QUESTION_H

#include <sys/queue.h>

#include "transport.h"

/* Who embeds it fills in the first two. */
struct question {
    void (*answered)(void *context, const char *answer); /* NULL: nothing was typed; gone after the call */
    void *context;
    char *text; /* NULL: it is not being asked */
    TAILQ_ENTRY(question) link;
};

/* text is shown as it is, and so has nothing in it that steers a terminal. false: there is no terminal. The answer comes from
 * the loop, unless question_leave is called before. */
bool question_ask(struct transport_context *context, struct question *question, const char *text);
/* Also for one that has its answer, or never was asked. */
void question_leave(struct transport_context *context, struct question *question);
/* No question is left. */
void questions_release(struct transport_context *context);

#endif
