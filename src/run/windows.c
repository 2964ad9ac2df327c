/* SPDX-License-Identifier: Apache-2.0 */
#include "windows.h"

#include <string.h>

#include "assay/base/clock.h"
#include "assay/reasons/run.h"

enum { COMMAND_BYTES = 64 * 1024, TRIES = 2 /* a light command is not sent again by itself */ };

struct reader {
    struct set *set;
    struct remote *remote;
    struct remote_job job;
    unsigned tries;
    struct window *window;
};

struct set {
    struct arena *arena;
    struct reader *readers;
    struct window *windows;
    size_t count, open;
    bool plainly; /* the test needs no root: who refuses sudo is asked as the login user */
    windows_done_cb *done;
    void *context;
};

enum attempt_end attempt_end_of(const struct remote_result *result)
{
    static const enum attempt_end by_why[] = {
        [REMOTE_WHY_NONE] = ATTEMPT_NO_ANSWER,      [REMOTE_WHY_EXIT] = ATTEMPT_RAN,
        [REMOTE_WHY_SIGNAL] = ATTEMPT_KILLED,       [REMOTE_WHY_DEADLINE] = ATTEMPT_DEADLINE,
        [REMOTE_WHY_CANCELLED] = ATTEMPT_CANCELLED, [REMOTE_WHY_REBOOTED] = ATTEMPT_REBOOTED,
        [REMOTE_WHY_LOST] = ATTEMPT_LOST,           [REMOTE_WHY_SPOOL] = ATTEMPT_NO_SPOOL,
    };
    static const enum attempt_end by_end[] = {
        [REMOTE_ENDED] = ATTEMPT_RAN,
        [REMOTE_UNREACHABLE] = ATTEMPT_UNREACHABLE,
        [REMOTE_AUTH_REFUSED] = ATTEMPT_AUTH_REFUSED,
        [REMOTE_HOST_KEY_UNKNOWN] = ATTEMPT_HOST_KEY_UNKNOWN,
        [REMOTE_HOST_KEY_CHANGED] = ATTEMPT_HOST_KEY_CHANGED,
        [REMOTE_SUDO_REFUSED] = ATTEMPT_SUDO_REFUSED,
        [REMOTE_JUMP_FAILED] = ATTEMPT_JUMP_FAILED,
        [REMOTE_NO_ANSWER] = ATTEMPT_NO_ANSWER,
        [REMOTE_CANCELLED] = ATTEMPT_CANCELLED,
    };

    return result->end == REMOTE_ENDED ? by_why[result->why] : by_end[result->end];
}

void take_capture(struct capture *capture, const char *stream, struct slice bytes, bool flooded, bool cut)
{
    *capture = (struct capture){
        .stream = stream, .length = bytes.length, .flooded = flooded, .cut = cut, .bytes = bytes};
    sha256_hex(bytes.bytes, bytes.length, capture->sha256);
}

static struct slice keep(struct arena *arena, struct slice bytes)
{
    return (struct slice){bytes.length > 0 ? arena_strndup(arena, bytes.bytes, bytes.length) : "",
                          bytes.length};
}

static void take_window(struct reader *reader, const struct remote_result *result)
{
    struct arena *arena = reader->set->arena;
    struct window *window = reader->window;

    window->end = attempt_end_of(result);
    /* Half an answer is none, whatever its command's end. */
    window->what = result->cut || result->out_clipped || result->err_clipped
                       ? REASON(answer_came_cut)
                       : reason_copy(arena, result->what);
    if (window->end == ATTEMPT_RAN && window->what != NULL)
        window->end = ATTEMPT_NO_ANSWER;
    window->rc = result->rc;
    window->boot_id = arena_strdup(arena, result->boot_id);
    window->ended = clock_steady();
    window->up_began = result->up_began;
    window->up_ended = result->up_ended;
    take_capture(&window->captures[0], "stdout", keep(arena, result->out), result->out_clipped, result->cut);
    take_capture(&window->captures[1], "stderr", keep(arena, result->err), result->err_clipped, result->cut);
}

static void answered(void *context, const struct remote_result *result)
{
    struct reader *reader = context;
    struct set *set = reader->set;

    if ((result->end == REMOTE_UNREACHABLE || result->end == REMOTE_JUMP_FAILED) && ++reader->tries < TRIES) {
        remote_start(reader->remote, &reader->job, answered, reader);
        return;
    }
    if (result->end == REMOTE_SUDO_REFUSED && reader->set->plainly && reader->job.as_root) {
        reader->job.as_root = false;
        remote_start(reader->remote, &reader->job, answered, reader);
        return;
    }
    take_window(reader, result);
    if (--set->open == 0)
        set->done(set->context, set->windows, set->count);
}

static const char *command_of(const struct windows_question *question, size_t member)
{
    cleanup_text struct text command = {0};

    text_init(&command, COMMAND_BYTES);
    check_window_file(question->check, question->role, question->attempt, member, &command);
    return arena_strdup(question->arena, command.bytes);
}

/* What ends a test ends whatever carries its mark. */
static const char *mark_of(const struct windows_question *question)
{
    char *fresh;

    if (question->role != WINDOW_RELEASE)
        return question->attempt->uuid;
    fresh = arena_array(question->arena, char, UUID_SIZE);
    uuid_create(fresh);
    return fresh;
}

void windows_read(const struct windows_question *question, windows_done_cb *done, void *context)
{
    size_t count = question->check->member_count;
    struct set *set = arena_new(question->arena, struct set);
    const char *mark = mark_of(question);

    *set = (struct set){.arena = question->arena,
                        .readers = arena_array(question->arena, struct reader, count),
                        .windows = arena_array(question->arena, struct window, count),
                        .count = count,
                        .open = count,
                        .plainly = !question->check->check->window && !question->check->as_root,
                        .done = done,
                        .context = context};
    for (size_t i = 0; i < count; i++) {
        set->windows[i] =
            (struct window){.member = i, .role = question->role, .boot_id = "", .began = clock_steady()};
        set->readers[i] = (struct reader){
            .set = set,
            .remote = question->remotes[i],
            .window = &set->windows[i],
            .job = {.verb = REMOTE_READ,
                    .uuid = mark,
                    .boot_id = *question->boot_ids[i] != '\0' ? question->boot_ids[i] : NULL,
                    .command = command_of(question, i),
                    .secret = check_window_words(question->check, question->attempt, question->role, i),
                    .deadline_s = check_window_deadline_s(question->check, question->role),
                    .grace_s = question->grace_s,
                    .as_root = true}};
    }
    for (size_t i = 0; i < count; i++)
        remote_start(set->readers[i].remote, &set->readers[i].job, answered, &set->readers[i]);
}
