/* SPDX-License-Identifier: Apache-2.0 */
#include "broadcast.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/reasons/any.h"
#include "assay/reasons/run.h"
#include "process.h"
#include "remote_scripts.h"
#include "slurm_program.h"
#include "spool.h"

enum {
    PIECE = 4 << 20,
    SAID_BYTES = 1 << 20,
    JOB_MS = 90000,    /* stage_allocate.sh waits at most 20 s, and salloc 30 */
    STEP_MS = 300000,  /* a site's prolog comes before the first step of a job */
    SEND_MS = 600000,  /* and as much longer as the slowest takes */
    SLOWEST = 1 << 10, /* bytes a millisecond */
};

enum phase { IDLE, ASKING, COPYING, STEPPING, SENDING };

struct broadcast {
    struct arena *arena;
    uv_loop_t *loop;
    const struct toolset *set;
    const struct broadcast_events *events;
    void *context;
    enum phase phase;
    uv_timer_t timer; /* of the phase: its next piece, or its end */
    const char *job;
    struct hostlist nodes;    /* of the job that was asked for; in order once there is one */
    const struct reason *why; /* there is none */
    struct process *allocation, *step, *sbcast;
    struct text out, said; /* of the phase's program */
    size_t taken;          /* of out: lines that were read */
    size_t up;             /* of the step: hosts that are ready */
    int fd;                /* of the file; -1: not yet made */
    uint64_t copied;
    struct hostlist hosts; /* of the broadcast */
    const char *folder, *name;
};

/* -- Programs -- */

static void enter(struct broadcast *broadcast, enum phase phase, uint64_t ms)
{
    broadcast->phase = phase;
    broadcast->taken = broadcast->up = 0;
    text_reset(&broadcast->out);
    text_reset(&broadcast->said);
    uv_timer_start(&broadcast->timer, broadcast->timer.timer_cb, ms, 0);
}

/* *slot stays NULL where nothing can be started, and *ret_error says why. The words are taken over. */
static void run(struct broadcast *broadcast, struct arguments *arguments, int fd,
                const struct process_events *events, struct process **slot, int *ret_error)
{
    char **environment = slurm_environment();

    *slot =
        process_open_with(broadcast->loop, arguments->items, environment, fd, events, broadcast, ret_error);
    free(environment);
    arguments_release(arguments);
}

static void add_script(struct arguments *arguments, const char *script)
{
    arguments_add(arguments, mem_strdup("/bin/sh"));
    arguments_add(arguments, mem_strdup("-c"));
    arguments_add(arguments, mem_strdup(script));
    arguments_add(arguments, mem_strdup("assay-stage"));
}

static void drop(struct process **slot, int signal)
{
    if (*slot != NULL)
        process_drop(*slot, signal);
    *slot = NULL;
}

static void on_bytes(void *context, int stream, const char *bytes, size_t length)
{
    struct broadcast *broadcast = context;

    text_add(stream == 0 ? &broadcast->out : &broadcast->said, bytes, length);
}

/* The next whole line of out. */
static bool take_line(struct broadcast *broadcast, struct slice *ret_line)
{
    struct slice rest =
        slice_from((struct slice){broadcast->out.bytes, broadcast->out.length}, broadcast->taken);
    size_t end = slice_find(rest, "\n");

    if (end == (size_t)-1)
        return false;
    *ret_line = (struct slice){rest.bytes, end};
    broadcast->taken += end + 1;
    return true;
}

/* What the program says is wrong: its first line of an error, else its last line, else how it ended. */
static const struct reason *complaint(struct broadcast *broadcast, const char *program, int status,
                                      int signal)
{
    struct slice rest = {broadcast->said.bytes, broadcast->said.length}, line, last = {0};
    bool error = false;

    while (!error && scan_line(&rest, &line)) {
        error = slice_find(line, "error: ") != (size_t)-1;
        if (error || slice_trim(line).length > 0)
            last = slice_trim(line);
    }
    if (last.length == 0)
        return reason(broadcast->arena, slurm_program_ended, program, status, signal);
    return reason_text(broadcast->arena, arena_strndup(broadcast->arena, last.bytes, last.length));
}

/* -- The job -- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool has_node(const struct broadcast *broadcast, const char *name)
{
    const struct hostlist *nodes = &broadcast->nodes;

    return nodes->names.count > 0 &&
           bsearch(&name, nodes->names.items, nodes->names.count, sizeof name, compare_names) != NULL;
}

static void begun(struct broadcast *broadcast, const struct reason *why)
{
    uv_timer_stop(&broadcast->timer);
    broadcast->phase = IDLE;
    broadcast->why = why;
    broadcast->events->begun(broadcast->context);
}

/* "@node NAME" lines, and then "@job NUMBER". */
static void take_job(void *context, int stream, const char *bytes, size_t length)
{
    struct broadcast *broadcast = context;
    struct arena *arena = broadcast->arena;
    struct slice line;

    if (broadcast->phase != ASKING)
        return;
    on_bytes(context, stream, bytes, length);
    while (take_line(broadcast, &line)) {
        if (scan_text(&line, "@node "))
            *list_push(arena, &broadcast->nodes.names) = arena_strndup(arena, line.bytes, line.length);
        else if (broadcast->nodes.names.count > 0 && scan_text(&line, "@job "))
            broadcast->job = arena_strndup(arena, line.bytes, line.length);
    }
    if (broadcast->job == NULL)
        return;
    qsort(broadcast->nodes.names.items, broadcast->nodes.names.count, sizeof(char *), compare_names);
    begun(broadcast, NULL);
}

static void no_job(void *context, int status, int signal)
{
    struct broadcast *broadcast = context;

    broadcast->allocation = NULL;
    if (broadcast->phase == ASKING)
        begun(broadcast, reason(broadcast->arena, slurm_gives_no_common_job,
                                complaint(broadcast, "salloc", status, signal)));
    else
        broadcast_lose_job(broadcast);
}

static const struct process_events allocation_events = {take_job, no_job};

static void ask_for_job(struct broadcast *broadcast)
{
    struct arguments arguments = {0};
    int error;

    add_script(&arguments, script_stage_allocate);
    arguments_add(&arguments, mem_strdup(hostlist_fold(broadcast->arena, broadcast->hosts.names.items,
                                                       broadcast->hosts.names.count)));
    enter(broadcast, ASKING, JOB_MS);
    run(broadcast, &arguments, -1, &allocation_events, &broadcast->allocation, &error);
    if (broadcast->allocation != NULL)
        return;
    broadcast->why = reason(broadcast->arena, slurm_program_not_started, "salloc", uv_strerror(error));
    enter(broadcast, IDLE, 0);
}

/* -- A broadcast -- */

static void sent(struct broadcast *broadcast, const struct reason *why)
{
    struct slice said = {broadcast->said.bytes, broadcast->said.length}, blamed = {"", 0};
    size_t place = slice_find(said, "REQUEST_FILE_BCAST(");

    uv_timer_stop(&broadcast->timer);
    drop(&broadcast->sbcast, SIGKILL);
    broadcast->phase = IDLE;
    if (why != NULL)
        drop(&broadcast->step, 0); /* its stdin ends, and what came is removed */
    if (why != NULL && place != (size_t)-1) {
        blamed = slice_from(said, place + strlen("REQUEST_FILE_BCAST("));
        place = slice_find(blamed, ")");
        blamed.length = place != (size_t)-1 ? place : 0;
    }
    broadcast->events->sent(broadcast->context, broadcast->name, why, blamed);
}

static void on_sbcast_done(void *context, int status, int signal)
{
    struct broadcast *broadcast = context;

    broadcast->sbcast = NULL;
    sent(broadcast, status == 0 && signal == 0 ? NULL : complaint(broadcast, "sbcast", status, signal));
}

static const struct process_events sbcast_events = {on_bytes, on_sbcast_done};

/* --force: hosts may share the folder, and all but the first find the file there. */
static void start_sbcast(struct broadcast *broadcast, const char *step)
{
    struct arguments arguments = {0};
    int error;

    arguments_add(&arguments, mem_strdup("sbcast"));
    arguments_add(&arguments, mem_strdup("--force"));
    arguments_add(&arguments, mem_printf("--jobid=%s", step));
    arguments_add(&arguments, mem_strdup("/proc/self/fd/3"));
    arguments_add(&arguments, mem_printf("%s/%s", broadcast->folder, broadcast->name));
    enter(broadcast, SENDING, SEND_MS + broadcast->set->bytes / SLOWEST);
    run(broadcast, &arguments, broadcast->fd, &sbcast_events, &broadcast->sbcast, &error);
    if (broadcast->sbcast == NULL)
        sent(broadcast, reason(broadcast->arena, slurm_program_not_started, "sbcast", uv_strerror(error)));
}

/* A line "@step JOB.STEP" from each host, which is then ready to remove what comes. Of another job than ours it is a lie. */
static void take_step(void *context, int stream, const char *bytes, size_t length)
{
    struct broadcast *broadcast = context;
    const char *job = broadcast->job != NULL ? broadcast->job : getenv("SLURM_JOB_ID");
    struct slice line, rest;

    if (broadcast->phase != STEPPING)
        return;
    on_bytes(context, stream, bytes, length);
    while (broadcast->phase == STEPPING && take_line(broadcast, &line)) {
        if (!scan_text(&line, "@step "))
            continue;
        rest = line;
        if (job == NULL || !scan_text(&rest, job) || !slice_starts(rest, "."))
            continue;
        if (++broadcast->up == broadcast->hosts.names.count)
            start_sbcast(broadcast, arena_strndup(broadcast->arena, line.bytes, line.length));
    }
}

static void on_step_done(void *context, int status, int signal)
{
    struct broadcast *broadcast = context;

    broadcast->step = NULL;
    if (broadcast->phase == STEPPING || broadcast->phase == SENDING)
        sent(broadcast, broadcast->phase == STEPPING
                            ? complaint(broadcast, "srun", status, signal)
                            : reason(broadcast->arena, srun_ended_with, status, signal));
}

static const struct process_events step_events = {take_step, on_step_done};

static void start_step(struct broadcast *broadcast)
{
    const struct hostlist *hosts = &broadcast->hosts;
    struct arguments arguments = {0};
    int error;

    slurm_step_words(&arguments, broadcast->job,
                     hostlist_fold(broadcast->arena, hosts->names.items, hosts->names.count),
                     hosts->names.count);
    add_script(&arguments, script_stage_hold);
    arguments_add(&arguments, mem_printf("%s/%s", broadcast->folder, broadcast->name));
    enter(broadcast, STEPPING, STEP_MS);
    run(broadcast, &arguments, -1, &step_events, &broadcast->step, &error);
    if (broadcast->step == NULL)
        sent(broadcast, reason(broadcast->arena, slurm_program_not_started, "srun", uv_strerror(error)));
}

static void forget_file(struct broadcast *broadcast)
{
    if (broadcast->fd >= 0)
        close(broadcast->fd);
    broadcast->fd = -1;
    broadcast->copied = 0;
}

/* 0, or an errno; -1 with err set where the tools are not as they were. */
static int add_piece(struct broadcast *broadcast, size_t length, struct error *err)
{
    cleanup_free char *bytes = mem_alloc(length + 1);

    if (broadcast->fd < 0)
        broadcast->fd = spool_open_unnamed();
    if (broadcast->fd < 0)
        return errno;
    if (toolset_read(broadcast->set, broadcast->copied, bytes, length, err) < 0)
        return -1;
    if (file_write_all(broadcast->fd, bytes, length) != 0)
        return errno;
    broadcast->copied += length;
    return 0;
}

/* Once for all broadcasts; a piece at a time, so that the loop is never held up for long. */
static void copy_piece(struct broadcast *broadcast)
{
    uint64_t left = broadcast->set->bytes - broadcast->copied;
    struct error err = {0};
    int failure;

    if (broadcast->why != NULL) {
        sent(broadcast, broadcast->why);
        return;
    }
    if (left == 0) {
        start_step(broadcast);
        return;
    }
    failure = add_piece(broadcast, left < PIECE ? (size_t)left : PIECE, &err);
    if (failure == 0) {
        uv_timer_start(&broadcast->timer, broadcast->timer.timer_cb, 0, 0);
        return;
    }
    forget_file(broadcast);
    sent(broadcast, failure < 0 ? reason_text(broadcast->arena, err.text)
                                : reason(broadcast->arena, no_place_for_output, strerror(failure)));
}

static void on_timer(uv_timer_t *timer)
{
    struct broadcast *broadcast = timer->data;

    switch (broadcast->phase) {
    case ASKING:
        drop(&broadcast->allocation, SIGTERM);
        begun(broadcast, REASON(slurm_gives_no_job_in_time));
        break;
    case COPYING:
        copy_piece(broadcast);
        break;
    case STEPPING:
        sent(broadcast, REASON(slurm_step_late));
        break;
    case SENDING:
        sent(broadcast, REASON(sbcast_late));
        break;
    case IDLE:
    default: /* of broadcast_create: inside an allocation, or without salloc */
        begun(broadcast, broadcast->why);
    }
}

/* -- For who stages -- */

struct broadcast *broadcast_create(struct arena *arena, uv_loop_t *loop, const struct host *const *hosts,
                                   size_t count, const struct toolset *toolset,
                                   const struct broadcast_events *events, void *context)
{
    struct broadcast *broadcast = arena_new(arena, struct broadcast);

    for (size_t i = 0; i < count; i++)
        if (host_is_over_slurm(hosts[i]))
            *list_push(arena, &broadcast->hosts.names) = hosts[i]->name;
    if (broadcast->hosts.names.count == 0)
        return NULL;
    broadcast->arena = arena;
    broadcast->loop = loop;
    broadcast->set = toolset;
    broadcast->events = events;
    broadcast->context = context;
    broadcast->fd = -1;
    text_init(&broadcast->out, SAID_BYTES);
    text_init(&broadcast->said, SAID_BYTES);
    uv_timer_init(loop, &broadcast->timer);
    broadcast->timer.data = broadcast;
    broadcast->timer.timer_cb = on_timer;
    if (getenv("SLURM_JOB_ID") != NULL)
        enter(broadcast, IDLE, 0);
    else
        ask_for_job(broadcast);
    return broadcast;
}

const char *broadcast_own_job(const struct broadcast *broadcast, const char *host)
{
    return broadcast != NULL && has_node(broadcast, host) ? broadcast->job : NULL;
}

void broadcast_lose_job(struct broadcast *broadcast)
{
    broadcast->job = NULL;
    broadcast->why = REASON(slurm_job_is_over);
}

const struct reason *broadcast_fault(const struct broadcast *broadcast, const struct host *host)
{
    if (broadcast->why != NULL)
        return broadcast->why;
    return getenv("SLURM_JOB_ID") != NULL || has_node(broadcast, host->name)
               ? NULL
               : REASON(slurm_host_was_not_idle);
}

void broadcast_send(struct broadcast *broadcast, const struct hostlist *hosts, const char *folder,
                    const char *name)
{
    broadcast->hosts = *hosts;
    broadcast->folder = folder;
    broadcast->name = name;
    enter(broadcast, COPYING, 0);
}

void broadcast_settle(struct broadcast *broadcast)
{
    struct text line;

    if (broadcast->step == NULL)
        return;
    text_init(&line, 16);
    text_put(&line, "sent\n");
    process_send(broadcast->step, &line);
    drop(&broadcast->step, 0);
}

void broadcast_end(struct broadcast *broadcast)
{
    if (broadcast == NULL)
        return;
    drop(&broadcast->sbcast, SIGKILL);
    drop(&broadcast->step, 0);
    drop(&broadcast->allocation, broadcast->job != NULL ? 0 : SIGTERM);
    uv_close((uv_handle_t *)&broadcast->timer, NULL);
    text_release(&broadcast->out);
    text_release(&broadcast->said);
    forget_file(broadcast);
}
