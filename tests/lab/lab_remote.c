/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lab-remote DIRECTORY PORT USER VERB COMMAND HOSTS: the controller's own transport against the hosts 1 to
 * HOSTS of a lab. VERB is read, ensure or root. Prints a line a host: NUMBER END WHY RC CONNECTIONS
 * OUTPUT-OR-TEXT.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "assay/base/arena.h"
#include "assay/base/scan.h"
#include "assay/lab/lab.h"
#include "assay/run/remote.h"

static unsigned left; /* jobs without a result yet */

struct job {
    unsigned number;
    char name[16], address[16], uuid[40];
    struct remote *remote;
    bool spooled;
};

static void forgotten(void *context, const struct remote_result *result)
{
    (void)context;
    (void)result;
    left--;
}

static void print_result(void *context, const struct remote_result *result)
{
    struct job *job = context;
    bool text_only = result->end != REMOTE_ENDED || (result->what != NULL && result->out.length == 0);
    struct arena *arena = arena_create();
    struct slice said = text_only ? slice_of(reason_english(arena, result->what)) : result->out;

    printf("%u %d %d %d %u %.*s", job->number, (int)result->end, (int)result->why, result->rc,
           result->connections, slice_print(said));
    arena_destroy(arena);
    if (text_only || result->out.length == 0 || result->out.bytes[result->out.length - 1] != '\n')
        printf("\n");
    fflush(stdout);
    if (job->spooled && result->end == REMOTE_ENDED)
        remote_start(job->remote, &(struct remote_job){.verb = REMOTE_FORGET, .uuid = job->uuid}, forgotten,
                     job);
    else
        left--;
}

static void start(struct remote_pool *pool, struct arena *arena, char **argv, struct job *job)
{
    const char *verb = argv[4];
    uint64_t port = 0;

    snprintf(job->name, sizeof job->name, "node%u", job->number);
    snprintf(job->address, sizeof job->address, "127.1.%u.%u", (job->number - 1) / 250 % 256,
             (job->number - 1) % 250 + 1);
    snprintf(job->uuid, sizeof job->uuid, "00000000-0000-4000-8000-%04x%08x", job->number & 0xffff,
             (unsigned)uv_os_getpid());
    scan_u64(slice_of(argv[2]), &port);
    job->spooled = strcmp(verb, "ensure") == 0;
    job->remote = remote_open(pool, &(struct remote_target){
                                        .name = job->name,
                                        .address = job->address,
                                        .port = (unsigned)port,
                                        .user = argv[3],
                                        .identity = arena_printf(arena, "%s/id_ed25519", argv[1]),
                                        .transport = TRANSPORT_SSH,
                                        .become_root = true,
                                    });
    remote_start(job->remote,
                 &(struct remote_job){
                     .verb = job->spooled ? REMOTE_ENSURE : REMOTE_READ,
                     .uuid = job->uuid,
                     .command = argv[5],
                     .deadline_s = 20,
                     .grace_s = 1,
                     .as_root = strcmp(verb, "root") == 0,
                 },
                 print_result, job);
}

int main(int argc, char **argv)
{
    struct arena *arena = arena_create();
    struct remote_pool *pool;
    struct job *jobs;
    uint64_t hosts;
    uv_loop_t loop;

    if (argc != 7 || !scan_u64(slice_of(argv[6]), &hosts) || hosts == 0 || hosts > LAB_HOSTS_MAX)
        return 64;
    uv_loop_init(&loop);
    pool = remote_pool_create(&loop, &(struct remote_options){
                                         .known_hosts = arena_printf(arena, "%s/known_hosts", argv[1]),
                                         .connect_timeout_ms = 10000,
                                         .reconnect_for_ms = 10000,
                                     });
    jobs = arena_array(arena, struct job, hosts);
    left = (unsigned)hosts;
    for (unsigned i = 0; i < hosts; i++) {
        jobs[i].number = i + 1;
        start(pool, arena, argv, &jobs[i]);
    }
    while (left > 0 && uv_run(&loop, UV_RUN_ONCE) != 0)
        continue;
    remote_pool_destroy(pool);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    arena_destroy(arena);
    return 0;
}
