/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The deadline. A collective in which one rank is missing never ends, and the ranks that wait cannot say for
 * whom. So each rank has a thread that sleeps; when time is over it tells rank 0 over a communicator of its own
 * how often this rank had met the others. Rank 0 names those that are behind, and those that do not answer, and
 * ends the program on all.
 *
 * It needs MPI_THREAD_MULTIPLE. Without, each rank says on stderr where it stands, and ends.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "assay/base/text.h"
#include "probe.h"

enum { ANSWER_S = 3, ABORT_S = 10, TAG_PROGRESS = 72, REASON_BYTES = 1 << 16, NAMED_MOST = 16 };

struct progress {
    uint64_t passed;
    uint64_t size;
    char doing[NAME_BYTES];
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    bool over, is_known; /* is_known: ranks are, and the communicator is there */
    const struct probe *probe;
    struct progress progress;
    MPI_Comm control;
} deadline = {.lock = PTHREAD_MUTEX_INITIALIZER, .control = MPI_COMM_NULL};

void deadline_pass(const char *doing, size_t size)
{
    pthread_mutex_lock(&deadline.lock);
    deadline.progress.passed++;
    deadline.progress.size = size;
    snprintf(deadline.progress.doing, sizeof deadline.progress.doing, "%s", doing);
    pthread_mutex_unlock(&deadline.lock);
}

/* What each rank that answered had done; the others keep what is there. */
static void collect(const struct probe *probe, struct progress *all, bool *answered)
{
    double until = clock_now_us() + ANSWER_S * 1e6;
    int missing = probe->ranks - 1;

    while (missing > 0 && clock_now_us() < until) {
        MPI_Status status;
        int there = 0;

        MPI_Iprobe(MPI_ANY_SOURCE, TAG_PROGRESS, deadline.control, &there, &status);
        if (!there) {
            usleep(1000);
            continue;
        }
        MPI_Recv(&all[status.MPI_SOURCE], sizeof *all, MPI_BYTE, status.MPI_SOURCE, TAG_PROGRESS,
                 deadline.control, MPI_STATUS_IGNORE);
        answered[status.MPI_SOURCE] = true;
        missing--;
    }
}

static void put_place(struct text *out, const struct progress *progress)
{
    text_put(out, progress->doing);
    if (progress->size > 0)
        text_printf(out, " of %llu bytes", (unsigned long long)progress->size);
}

static void put_late(const struct probe *probe, int rank, const struct progress *progress,
                     struct text *reason)
{
    text_printf(reason, " rank %d on %s (", rank, rank_host(probe, rank));
    if (progress != NULL)
        put_place(reason, progress);
    else
        text_put(reason, "no answer");
    text_put(reason, ")");
}

/*
 * Those that do not answer; where all do, those that came least far. A rank that hangs holds up its partners
 * before it holds up the others, so ranks that are not the furthest are not all to blame.
 */
static size_t find_late(const struct probe *probe, const struct progress *all, const bool *answered,
                        int *ret_late, struct text *reason)
{
    const struct progress *first = &all[0], *last = &all[0];
    size_t count = 0;
    bool silent = false;

    for (int rank = 0; rank < probe->ranks; rank++) {
        silent |= !answered[rank];
        if (answered[rank] && all[rank].passed > first->passed)
            first = &all[rank];
        if (answered[rank] && all[rank].passed < last->passed)
            last = &all[rank];
    }
    text_printf(reason, "over after %u s, at ", probe->options.deadline_s);
    put_place(reason, first);
    for (int rank = 0; rank < probe->ranks; rank++) {
        if (silent ? answered[rank] : first == last || all[rank].passed > last->passed)
            continue;
        ret_late[count++] = rank;
        if (count <= NAMED_MOST) {
            text_put(reason, count == 1 ? "; did not arrive:" : ",");
            put_late(probe, rank, answered[rank] ? &all[rank] : NULL, reason);
        }
    }
    if (count == 0)
        text_put(reason, "; all ranks had arrived, so it hangs inside");
    return count;
}

static void end_all(const struct probe *probe, const struct progress *mine)
{
    struct progress *all = mem_alloc((size_t)probe->ranks * sizeof *all);
    bool *answered = mem_alloc((size_t)probe->ranks);
    int *late = mem_alloc((size_t)probe->ranks * sizeof *late);
    cleanup_text struct text reason = {0};
    size_t count;

    text_init(&reason, REASON_BYTES);
    all[0] = *mine;
    answered[0] = true;
    collect(probe, all, answered);
    count = find_late(probe, all, answered, late, &reason);
    fprintf(stderr, "assay-probe-collective: %s\n", reason.bytes);
    output_end(probe, "late", reason.bytes, late, count);
    usleep(200000); /* mpirun must have read it before it hears of the end */
    MPI_Abort(MPI_COMM_WORLD, PROBE_LATE);
}

static void end_alone(const struct progress *mine)
{
    char host[NAME_BYTES] = "";

    gethostname(host, sizeof host - 1);
    fprintf(stderr, "assay-probe-collective: %s: the deadline is over, at %s\n", host, mine->doing);
    _exit(PROBE_LATE);
}

static void *watch(void *context)
{
    const struct timespec *until = context;
    struct progress mine;
    bool over, is_known;

    pthread_mutex_lock(&deadline.lock);
    while (!deadline.over && pthread_cond_timedwait(&deadline.changed, &deadline.lock, until) == 0)
        continue;
    over = deadline.over;
    is_known = deadline.is_known;
    mine = deadline.progress;
    pthread_mutex_unlock(&deadline.lock);
    if (over)
        return NULL;
    if (is_known && deadline.probe->rank == 0)
        end_all(deadline.probe, &mine);
    if (is_known) {
        MPI_Send(&mine, sizeof mine, MPI_BYTE, 0, TAG_PROGRESS, deadline.control);
        sleep(ABORT_S);
    }
    end_alone(&mine);
    return NULL;
}

void deadline_start(struct probe *probe)
{
    static struct timespec until;
    pthread_condattr_t monotonic;

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&deadline.changed, &monotonic);
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += probe->options.deadline_s;
    deadline_pass("starting MPI", 0);
    if (pthread_create(&deadline.thread, NULL, watch, &until) != 0) {
        fprintf(stderr, "assay-probe-collective: no thread for the deadline\n");
        exit(PROBE_BROKEN);
    }
}

void deadline_know(const struct probe *probe, bool may_use_threads)
{
    MPI_Comm control;

    MPI_Comm_dup(MPI_COMM_WORLD, &control);
    pthread_mutex_lock(&deadline.lock);
    deadline.probe = probe;
    deadline.control = control;
    deadline.is_known = may_use_threads;
    pthread_mutex_unlock(&deadline.lock);
}

void deadline_stop(void)
{
    pthread_mutex_lock(&deadline.lock);
    deadline.over = true;
    pthread_cond_signal(&deadline.changed);
    pthread_mutex_unlock(&deadline.lock);
    pthread_join(deadline.thread, NULL);
}
