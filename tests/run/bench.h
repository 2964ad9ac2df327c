/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of remote hosts share: a private folder, a loop, jobs whose results are kept. */
#ifndef ASSAY_TESTS_RUN_BENCH_H
#define ASSAY_TESTS_RUN_BENCH_H

#include <stdio.h>
#include <uv.h>

#include "../unit_test.h"
#include "assay/base/sha256.h"
#include "assay/base/text.h"
#include "assay/run/remote.h"

struct bench {
    char folder[64];    /* made by bench_setup, removed by bench_teardown */
    char boot_file[96]; /* the simulated boot id */
    uv_loop_t loop;
    struct remote_pool *pool;
};

/* One job and what became of it. */
struct kept {
    bool over, refused; /* the reason has that the host refuses to be connected to, whose remedy is another */
    unsigned times;
    enum remote_end end;
    enum remote_why why;
    int rc;
    char text[600], boot_id[64], left_text[200];
    bool left, out_clipped, err_clipped, cut;
    double up_began, up_ended;
    struct text out, err;
    unsigned connections;
    char uuid[UUID_SIZE];
};

/* ASSAY_SPOOL and ASSAY_LAB_BOOT_ID are set for this process: the local transport's commands inherit them. */
void bench_setup(struct bench *bench, const struct remote_options *options);
/* Destroys the pool (if any) and shows that the loop has nothing left; removes the folder. */
void bench_teardown(struct bench *bench);
void bench_set_boot(struct bench *bench, const char *boot_id);

/* Starts without waiting; the uuid in kept is used, or made when it is empty. */
void bench_start(struct remote *remote, struct remote_job job, struct kept *kept);
/* Runs the loop until kept is over; fails the test after 30 s. */
void bench_wait(struct bench *bench, struct kept *kept);
/* Runs the loop for so long. */
void bench_run_for(struct bench *bench, unsigned ms);
void kept_release(struct kept *kept);
/* start, wait, in one; for verbs and commands with a deadline of 20 s. */
void bench_do(struct bench *bench, struct remote *remote, enum remote_verb verb, const char *command,
              struct kept *kept);

/* What remote_transport_note says; until the next call. */
const char *transport_of(const struct remote *remote);

/* How many lines the file has; 0 when it is missing. */
unsigned lines_in(const char *path);
/* The number in the file, or 0. */
int number_in(const char *path);
/* Whether any process carries ASSAY_ATTEMPT=uuid. */
bool carried_by_any(const char *uuid);

#endif
