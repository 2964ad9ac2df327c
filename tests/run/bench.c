/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/base/scan.h"
#include "assay/reasons/model.h"

void bench_set_boot(struct bench *bench, const char *boot_id)
{
    char line[80];
    struct error err;

    snprintf(line, sizeof line, "%s\n", boot_id);
    assert_int_equal(file_write(bench->boot_file, line, strlen(line), 0600, &err), 0);
}

void bench_setup(struct bench *bench, const struct remote_options *options)
{
    char spool[96];

    memset(bench, 0, sizeof *bench);
    strcpy(bench->folder, "/tmp/assay-test-run-XXXXXX");
    assert_non_null(mkdtemp(bench->folder));
    snprintf(spool, sizeof spool, "%s/spool", bench->folder);
    snprintf(bench->boot_file, sizeof bench->boot_file, "%s/boot", bench->folder);
    setenv("ASSAY_SPOOL", spool, 1);
    setenv("ASSAY_LAB_BOOT_ID", bench->boot_file, 1);
    bench_set_boot(bench, "boot-one");
    assert_int_equal(uv_loop_init(&bench->loop), 0);
    bench->pool = remote_pool_create(&bench->loop, options);
}

void bench_teardown(struct bench *bench)
{
    struct error err;

    remote_pool_destroy(bench->pool);
    uv_run(&bench->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&bench->loop), 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left, not even as a zombie */
    /* A guard whose connection was cut may still be tidying up in there. */
    for (int i = 0; i < 100 && directory_remove(bench->folder, &err) != 0; i++)
        usleep(20000);
    assert_false(file_exists(bench->folder));
}

static void put_english(const struct reason *reason, char *ret_text, size_t size)
{
    struct arena *arena = arena_create();

    snprintf(ret_text, size, "%s", reason_english(arena, reason));
    arena_destroy(arena);
}

const char *transport_of(const struct remote *remote)
{
    static char text[600];

    put_english(remote_transport_note(remote), text, sizeof text);
    return text;
}

static void keep(void *context, const struct remote_result *result)
{
    struct kept *kept = context;

    kept->times++;
    kept->over = true;
    kept->end = result->end;
    kept->why = result->why;
    kept->rc = result->rc;
    put_english(result->what, kept->text, sizeof kept->text);
    kept->refused =
        reason_has(result->what, connection_refused) || reason_has(result->what, ssh_tells_refused);
    snprintf(kept->boot_id, sizeof kept->boot_id, "%s", result->boot_id);
    snprintf(kept->left_text, sizeof kept->left_text, "%s", result->left_text);
    kept->left = result->left;
    kept->out_clipped = result->out_clipped;
    kept->err_clipped = result->err_clipped;
    kept->cut = result->cut;
    kept->up_began = result->up_began;
    kept->up_ended = result->up_ended;
    kept->connections = result->connections;
    text_reset(&kept->out);
    text_reset(&kept->err);
    text_add(&kept->out, result->out.bytes, result->out.length);
    text_add(&kept->err, result->err.bytes, result->err.length);
}

void bench_start(struct remote *remote, struct remote_job job, struct kept *kept)
{
    kept->over = false;
    kept->times = 0;
    if (kept->out.bytes == NULL) {
        text_init(&kept->out, 64 << 20);
        text_init(&kept->err, 64 << 20);
    }
    if (kept->uuid[0] == '\0')
        uuid_create(kept->uuid);
    job.uuid = kept->uuid;
    if (job.deadline_s == 0)
        job.deadline_s = 20;
    if (job.grace_s == 0)
        job.grace_s = 1;
    remote_start(remote, &job, keep, kept);
}

void kept_release(struct kept *kept)
{
    text_release(&kept->out);
    text_release(&kept->err);
}

static void on_time(uv_timer_t *timer)
{
    *(bool *)timer->data = true;
}

static void run_until(struct bench *bench, const bool *over, unsigned ms, bool *ret_timed_out)
{
    uv_timer_t timer;

    *ret_timed_out = false;
    uv_timer_init(&bench->loop, &timer);
    timer.data = ret_timed_out;
    uv_update_time(&bench->loop);
    uv_timer_start(&timer, on_time, ms, 0);
    while (!*over && !*ret_timed_out)
        uv_run(&bench->loop, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(&bench->loop, UV_RUN_NOWAIT);
}

void bench_wait(struct bench *bench, struct kept *kept)
{
    bool timed_out;

    run_until(bench, &kept->over, 30000, &timed_out);
    if (!kept->over)
        fail_msg("no result within 30 s for %s", kept->uuid);
    assert_int_equal(kept->times, 1);
}

void bench_run_for(struct bench *bench, unsigned ms)
{
    bool never = false, timed_out;

    run_until(bench, &never, ms, &timed_out);
}

void bench_do(struct bench *bench, struct remote *remote, enum remote_verb verb, const char *command,
              struct kept *kept)
{
    bench_start(remote, (struct remote_job){.verb = verb, .command = command}, kept);
    bench_wait(bench, kept);
}

unsigned lines_in(const char *path)
{
    cleanup_text struct text text = {0};
    struct slice rest, line;
    unsigned count = 0;
    struct error err;

    text_init(&text, 1 << 20);
    if (!file_exists(path) || file_read(path, &text, &err) != 0)
        return 0;
    rest = (struct slice){text.bytes, text.length};
    while (scan_line(&rest, &line))
        count++;
    return count;
}

int number_in(const char *path)
{
    cleanup_text struct text text = {0};
    struct slice rest;
    uint64_t number;
    struct error err;

    text_init(&text, 1 << 20);
    if (!file_exists(path) || file_read(path, &text, &err) != 0)
        return 0;
    rest = (struct slice){text.bytes, text.length};
    return scan_digits(&rest, &number) ? (int)number : 0;
}

bool carried_by_any(const char *uuid)
{
    char path[64], mark[64];
    cleanup_text struct text text = {0};
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    bool found = false;
    struct error err;

    snprintf(mark, sizeof mark, "ASSAY_ATTEMPT=%s", uuid);
    text_init(&text, 1 << 20);
    while (!found && (entry = readdir(proc)) != NULL) {
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
            continue;
        snprintf(path, sizeof path, "/proc/%.20s/environ", entry->d_name);
        text_reset(&text);
        if (file_read(path, &text, &err) == 0)
            found = memmem(text.bytes, text.length, mark, strlen(mark)) != NULL;
    }
    closedir(proc);
    return found;
}
