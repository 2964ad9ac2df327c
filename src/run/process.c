/* SPDX-License-Identifier: Apache-2.0 */
#include "process.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/arena.h"
#include "assay/base/secret.h"
#include "assay/base/text.h"
#include "transport.h"

enum { HANDLES = 4, CHUNK = 65536 };

struct process {
    uv_process_t child;
    uv_pipe_t input;
    uv_pipe_t outputs[2];
    uv_write_t write;
    uv_shutdown_t shutdown;
    const struct process_events *events; /* NULL once dropped */
    void *context;
    unsigned open;    /* handles whose close callback is still owed */
    unsigned running; /* the child and the two outputs: done comes when all are over */
    int status, signal;
    char chunk[CHUNK];
};

static void on_handle_closed(uv_handle_t *handle)
{
    struct process *process = handle->data;

    if (--process->open == 0)
        free(process);
}

static void close_handle(void *handle)
{
    if (!uv_is_closing(handle))
        uv_close(handle, on_handle_closed);
}

static void part_over(struct process *process)
{
    if (--process->running > 0)
        return;
    close_handle(&process->input);
    close_handle(&process->child);
    process->events->done(process->context, process->status, process->signal);
}

static void on_child_exit(uv_process_t *child, int64_t status, int signal)
{
    struct process *process = child->data;

    process->status = (int)status;
    process->signal = signal;
    if (process->events == NULL)
        close_handle(child);
    else
        part_over(process);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_buffer)
{
    struct process *process = handle->data;

    (void)suggested;
    *ret_buffer = uv_buf_init(process->chunk, CHUNK);
}

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer)
{
    struct process *process = stream->data;

    if (length > 0)
        process->events->bytes(process->context, (uv_pipe_t *)stream == &process->outputs[1], buffer->base,
                               (size_t)length);
    if (length >= 0 || uv_is_closing((uv_handle_t *)stream)) /* the callback may have dropped us */
        return;
    close_handle(stream);
    part_over(process);
}

/* The child may end without having read all its input; that is its answer's matter, not an error here. */
static void on_written(uv_write_t *write, int status)
{
    struct process *process = write->data;

    (void)status;
    close_handle(&process->input);
}

static void init_handles(struct process *process, uv_loop_t *loop)
{
    uv_pipe_init(loop, &process->input, 0);
    uv_pipe_init(loop, &process->outputs[0], 0);
    uv_pipe_init(loop, &process->outputs[1], 0);
    process->input.data = process->outputs[0].data = process->outputs[1].data = process;
    process->child.data = process->write.data = process;
    process->open = HANDLES;
    process->running = 3;
}

static void start_reading(struct process *process)
{
    for (int i = 0; i < 2; i++)
        if (!uv_is_closing((uv_handle_t *)&process->outputs[i]))
            uv_read_start((uv_stream_t *)&process->outputs[i], on_alloc, on_read);
}

/* Before anything was read or written. */
static void leave_out(struct process *process, uv_pipe_t *pipe)
{
    close_handle(pipe);
    process->running -= pipe != &process->input;
}

/* Both parts from where they lie: libuv keeps no copy. */
static void start_pipes(struct process *process, const struct channel_input *input)
{
    char *secret = input->secret != NULL ? (char *)secret_text(input->secret) : (char[]){""};
    uv_buf_t parts[] = {uv_buf_init(secret, (unsigned)strlen(secret)),
                        uv_buf_init((char *)input->bytes, (unsigned)input->length)};

    if (uv_write(&process->write, (uv_stream_t *)&process->input, parts, 2, on_written) != 0)
        close_handle(&process->input);
    start_reading(process);
}

/* fd: its descriptor 3; -1: it has none. NULL with *ret_error when it could not be started. */
static struct process *spawn_piped(uv_loop_t *loop, char *const argv[], char **environment, unsigned flags,
                                   int fd, const struct process_events *events, void *context, int *ret_error)
{
    struct process *process = mem_alloc(sizeof *process);
    uv_stdio_container_t stdio[4] = {[3] = {.flags = UV_INHERIT_FD, .data.fd = fd}};
    uv_process_options_t options = {.file = argv[0],
                                    .args = (char **)argv,
                                    .env = environment,
                                    .flags = flags,
                                    .exit_cb = on_child_exit,
                                    .stdio = stdio,
                                    .stdio_count = fd < 0 ? 3 : 4};

    process->events = events;
    process->context = context;
    init_handles(process, loop);
    stdio[0] = (uv_stdio_container_t){.flags = UV_CREATE_PIPE | UV_READABLE_PIPE,
                                      .data.stream = (uv_stream_t *)&process->input};
    for (int i = 0; i < 2; i++)
        stdio[i + 1] = (uv_stdio_container_t){.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE,
                                              .data.stream = (uv_stream_t *)&process->outputs[i]};
    *ret_error = uv_spawn(loop, &process->child, &options);
    if (*ret_error == 0)
        return process;
    process_drop(process, 0);
    return NULL;
}

struct process *process_start(uv_loop_t *loop, char *const argv[], const struct channel_input *input,
                              const struct process_events *events, void *context, int *ret_error)
{
    struct process *process = spawn_piped(loop, argv, NULL, 0, -1, events, context, ret_error);

    if (process != NULL)
        start_pipes(process, input != NULL ? input : &(struct channel_input){.bytes = ""});
    return process;
}

struct process *process_open(uv_loop_t *loop, char *const argv[], char **environment,
                             const struct process_events *events, void *context, int *ret_error)
{
    return process_open_with(loop, argv, environment, -1, events, context, ret_error);
}

struct process *process_open_with(uv_loop_t *loop, char *const argv[], char **environment, int fd,
                                  const struct process_events *events, void *context, int *ret_error)
{
    struct process *process =
        spawn_piped(loop, argv, environment, UV_PROCESS_DETACHED, fd, events, context, ret_error);

    if (process != NULL)
        start_reading(process);
    return process;
}

struct sending {
    uv_write_t write;
    char *bytes;
    size_t length;
};

static void on_sent(uv_write_t *write, int status)
{
    struct sending *sending = write->data;

    (void)status; /* a child that takes no more will end, and that is told */
    memory_clear(sending->bytes, sending->length);
    free(sending->bytes);
    free(sending);
}

void process_send(struct process *process, struct text *text)
{
    struct sending *sending = mem_alloc(sizeof *sending);
    uv_buf_t buffer;

    sending->length = text->length;
    sending->bytes = text_detach(text);
    text_release(text);
    sending->write.data = sending;
    buffer = uv_buf_init(sending->bytes, (unsigned)sending->length);
    if (uv_is_closing((uv_handle_t *)&process->input) ||
        uv_write(&sending->write, (uv_stream_t *)&process->input, &buffer, 1, on_sent) != 0)
        on_sent(&sending->write, UV_EPIPE);
}

struct process *process_start_on(uv_loop_t *loop, char *const argv[], int fd,
                                 const struct process_events *events, void *context, int *ret_error)
{
    struct process *process = mem_alloc(sizeof *process);
    uv_stdio_container_t stdio[3] = {
        {.flags = UV_INHERIT_FD, .data.fd = fd},
        {.flags = UV_INHERIT_FD, .data.fd = fd},
        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&process->outputs[1]}};
    uv_process_options_t options = {
        .file = argv[0], .args = (char **)argv, .exit_cb = on_child_exit, .stdio = stdio, .stdio_count = 3};

    process->events = events;
    process->context = context;
    init_handles(process, loop);
    leave_out(process, &process->input);
    leave_out(process, &process->outputs[0]);
    *ret_error = uv_spawn(loop, &process->child, &options);
    if (*ret_error != 0) {
        process_drop(process, 0);
        return NULL;
    }
    start_reading(process);
    return process;
}

void process_drop(struct process *process, int signal)
{
    process->events = NULL;
    /* The handle of a child that still runs stays until its exit, or it would be left a zombie. The signal comes first: it
       shall not act on the end of its pipes. */
    if (uv_is_active((uv_handle_t *)&process->child))
        uv_process_kill(&process->child, signal);
    else
        close_handle(&process->child);
    close_handle(&process->input);
    close_handle(&process->outputs[0]);
    close_handle(&process->outputs[1]);
}
