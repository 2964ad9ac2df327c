/* SPDX-License-Identifier: Apache-2.0 */
/* A child process with three pipes on the loop: input is written, both outputs are drained. */
#ifndef ASSAY_RUN_PROCESS_H
#define ASSAY_RUN_PROCESS_H

#include <stddef.h>
#include <uv.h>

struct channel_input;
struct process;
struct text;

struct process_events {
    void (*bytes)(void *context, int stream, const char *bytes, size_t length); /* 0 stdout, 1 stderr */
    /* After the exit and the end of both outputs; the process is freed after the call. signal is 0 unless it
     * was killed. */
    void (*done)(void *context, int status, int signal);
};

/*
 * argv[0] is searched in PATH. input is not copied: its bytes must live until done or process_drop; NULL: nothing. NULL
 * with *ret_error (a libuv error) when nothing could be started.
 */
struct process *process_start(uv_loop_t *loop, char *const argv[], const struct channel_input *input,
                              const struct process_events *events, void *context, int *ret_error);
/* The same with fd as its standard input and output; the caller closes its own copy. Only stderr comes as bytes (1). */
struct process *process_start_on(uv_loop_t *loop, char *const argv[], int fd,
                                 const struct process_events *events, void *context, int *ret_error);
/*
 * The same with an input that stays open until process_drop, which ends it, and in a session of its own: a Ctrl-C at the
 * terminal does not reach it. environment: NULL: ours.
 */
struct process *process_open(uv_loop_t *loop, char *const argv[], char **environment,
                             const struct process_events *events, void *context, int *ret_error);
/* The same with fd, which the caller closes, as its descriptor 3. */
struct process *process_open_with(uv_loop_t *loop, char *const argv[], char **environment, int fd,
                                  const struct process_events *events, void *context, int *ret_error);
/* To one that was opened: takes the text over, and clears it when it is written, for secrets may stand in it. */
void process_send(struct process *process, struct text *text);
/* Forgets the child: no callback after this. signal is sent to it if it still runs; the loop stays alive
 * until it has ended, so send one that ends it. */
void process_drop(struct process *process, int signal);

#endif
