/* SPDX-License-Identifier: Apache-2.0 */
#include "question.h"

#include <stdlib.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"

struct questions {
    TAILQ_HEAD(, question) waiting; /* the first one is that on the terminal */
    struct secret_prompt *shown;    /* NULL: none */
    uv_poll_t *poll;
};

static void show_next(struct transport_context *context);

static void on_poll_closed(uv_handle_t *handle)
{
    free(handle);
}

static struct secret *take_answer(struct transport_context *context)
{
    struct questions *questions = context->questions;
    struct error err;

    uv_poll_stop(questions->poll);
    uv_close((uv_handle_t *)steal_pointer(questions->poll), on_poll_closed);
    if (context->options.asking != NULL)
        context->options.asking(context->options.asking_context, false);
    return secret_prompt_close(steal_pointer(questions->shown), &err);
}

static void remove_question(struct questions *questions, struct question *question)
{
    TAILQ_REMOVE(&questions->waiting, question, link);
    free(steal_pointer(question->text));
}

static void on_typed(uv_poll_t *poll, int status, int events)
{
    struct transport_context *context = poll->data;
    struct question *question = TAILQ_FIRST(&context->questions->waiting);
    struct secret *secret = take_answer(context);

    (void)status;
    (void)events;
    remove_question(context->questions, question);
    question->answered(question->context, secret != NULL ? secret_text(secret) : NULL);
    secret_destroy(secret);
    if (context->questions->shown == NULL)
        show_next(context);
}

static void show_next(struct transport_context *context)
{
    struct questions *questions = context->questions;
    struct question *question = TAILQ_FIRST(&questions->waiting);
    struct error err;

    if (question == NULL)
        return;
    if (context->options.asking != NULL)
        context->options.asking(context->options.asking_context, true);
    questions->shown = secret_prompt_open(question->text, &err);
    if (questions->shown == NULL) { /* it is gone: each finds that by its own deadline */
        if (context->options.asking != NULL)
            context->options.asking(context->options.asking_context, false);
        return;
    }
    questions->poll = mem_alloc(sizeof *questions->poll);
    uv_poll_init(context->loop, questions->poll, secret_prompt_descriptor(questions->shown));
    questions->poll->data = context;
    uv_poll_start(questions->poll, UV_READABLE, on_typed);
}

bool question_ask(struct transport_context *context, struct question *question, const char *text)
{
    struct questions *questions = context->questions;

    if (questions == NULL) {
        questions = context->questions = mem_alloc(sizeof *questions);
        TAILQ_INIT(&questions->waiting);
    }
    question->text = mem_strdup(text);
    TAILQ_INSERT_TAIL(&questions->waiting, question, link);
    if (questions->shown == NULL)
        show_next(context);
    if (questions->shown == NULL)
        remove_question(questions, question);
    return questions->shown != NULL;
}

void question_leave(struct transport_context *context, struct question *question)
{
    struct questions *questions = context->questions;
    bool first = questions != NULL && question == TAILQ_FIRST(&questions->waiting);

    if (question->text == NULL)
        return;
    if (first && questions->shown != NULL)
        secret_destroy(take_answer(context));
    remove_question(questions, question);
    if (first)
        show_next(context);
}

void questions_release(struct transport_context *context)
{
    free(steal_pointer(context->questions));
}
