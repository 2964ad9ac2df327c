/* SPDX-License-Identifier: Apache-2.0 */
#include "board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "assay/json.h"
#include "assay/report.h"
#include "cli.h"

enum { NARROWEST = 40, RUNNING_SHOWN = 6 };

struct board {
    enum board_kind kind;
    const struct record *record;
    size_t *running; /* steps under way, oldest first */
    size_t running_count, running_capacity;
    unsigned drawn; /* lines on the screen that the next drawing replaces */
    double started;
    size_t failed; /* steps that were told as not passed */
    bool hushed;
};

bool board_kind_parse(const char *word, enum board_kind *ret_kind)
{
    static const struct {
        const char *word;
        enum board_kind kind;
    } kinds[] = {{"plain", BOARD_PLAIN}, {"json", BOARD_JSON}, {"none", BOARD_NONE}};
    const char *term = getenv("TERM");

    if (strcmp(word, "auto") == 0) {
        bool live = isatty(STDERR_FILENO) && term != NULL && strcmp(term, "dumb") != 0;

        *ret_kind = live ? BOARD_LIVE : BOARD_PLAIN;
        return true;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].word, word) == 0) {
            *ret_kind = kinds[i].kind;
            return true;
        }
    return false;
}

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct board *board_create(enum board_kind kind, const struct record *record)
{
    struct board *board = mem_alloc(sizeof *board);

    board->kind = kind;
    board->record = record;
    board->started = now_s();
    return board;
}

static void erase(struct board *board)
{
    while (board->drawn > 0) {
        fputs("\033[1A\033[2K", stderr);
        board->drawn--;
    }
}

void board_destroy(struct board *board)
{
    if (board == NULL)
        return;
    erase(board);
    free(board->running);
    free(board);
}

void board_hush(struct board *board, bool hush)
{
    if (hush)
        erase(board);
    board->hushed = hush;
}

static void track(struct board *board, enum scheduler_event event, size_t step)
{
    if (event == EVENT_STARTED) {
        if (board->running_count == board->running_capacity) {
            board->running_capacity = board->running_capacity > 0 ? 2 * board->running_capacity : 64;
            board->running = mem_resize(board->running, board->running_capacity * sizeof *board->running);
        }
        board->running[board->running_count++] = step;
        return;
    }
    for (size_t i = 0; i < board->running_count; i++)
        if (board->running[i] == step) {
            memmove(board->running + i, board->running + i + 1,
                    (board->running_count - i - 1) * sizeof *board->running);
            board->running_count--;
            return;
        }
}

static unsigned columns(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= NARROWEST)
        return size.ws_col;
    return 80;
}

static void draw_line(struct board *board, const char *text)
{
    cli_warn("%.*s\n", (int)columns() - 1, text);
    board->drawn++;
}

static void draw(struct board *board, const struct scheduler_counts *counts)
{
    struct arena *arena;
    const struct plan *plan = board->record->plan;

    if (board->hushed)
        return;
    arena = arena_create();
    erase(board);
    draw_line(board,
              arena_printf(arena,
                           "%zu/%zu steps, %zu not passed, %zu skipped | %zu/%zu hosts busy | %s, %s left",
                           counts->ended, counts->steps, counts->failed, counts->skipped, counts->hosts_busy,
                           counts->hosts, duration_text(arena, now_s() - board->started),
                           duration_text(arena, counts->left_s)));
    for (size_t i = 0; i < board->running_count && i < RUNNING_SHOWN; i++) {
        const struct step *step = &plan->steps.items[board->running[i]];

        draw_line(board,
                  arena_printf(arena, "  %-26s %s", step->shape->suite_step, step_target(arena, step)));
    }
    if (board->running_count > RUNNING_SHOWN)
        draw_line(board, arena_printf(arena, "  and %zu more", board->running_count - RUNNING_SHOWN));
    fflush(stderr);
    arena_destroy(arena);
}

/* What did not pass stays on the screen above the live lines. */
static void keep_failure(struct board *board, enum scheduler_event event, size_t step,
                         const struct scheduler_counts *counts)
{
    struct arena *arena;

    if (event != EVENT_STEP_ENDED || counts->failed <= board->failed)
        return;
    board->failed = counts->failed;
    arena = arena_create();
    erase(board);
    cli_warn("not passed: %s on %s\n", board->record->plan->steps.items[step].shape->suite_step,
             step_target(arena, &board->record->plan->steps.items[step]));
    draw(board, counts);
    arena_destroy(arena);
}

static const struct attempt *last_attempt(const struct record *record, size_t step)
{
    for (size_t i = record->attempts.count; i-- > 0;)
        if (record->attempts.items[i].step == step)
            return &record->attempts.items[i];
    return NULL;
}

static const char *event_word(enum scheduler_event event)
{
    static const char *const words[] = {"started", "again", "ended", "skipped", "tick", "cancelling"};

    return words[event];
}

/* How the attempt ended, where that is worth a word. */
static const char *how(struct arena *arena, const struct attempt *attempt)
{
    if (attempt == NULL || attempt->state != ATTEMPT_ENDED)
        return "";
    if (attempt->end != ATTEMPT_RAN)
        return arena_printf(arena, ": %s%s%s", attempt_end_name(attempt->end),
                            *attempt->text != '\0' ? ", " : "", attempt->text);
    return arena_printf(arena, " after %s", duration_text(arena, attempt->ended - attempt->sent));
}

static void print_plain(struct board *board, enum scheduler_event event, size_t step,
                        const struct scheduler_counts *counts)
{
    struct arena *arena;
    const struct step *of;

    if (event == EVENT_TICK)
        return;
    if (event == EVENT_CANCELLING) {
        fputs("cancelling: ending what runs on the hosts; once more to stop at once\n", stderr);
        return;
    }
    arena = arena_create();
    of = &board->record->plan->steps.items[step];
    cli_warn("[%zu/%zu] %s %s on %s%s\n", counts->ended, counts->steps, event_word(event),
             of->shape->suite_step, step_target(arena, of),
             event == EVENT_STARTED || event == EVENT_STEP_SKIPPED
                 ? ""
                 : how(arena, last_attempt(board->record, step)));
    arena_destroy(arena);
}

static void print_json(struct board *board, enum scheduler_event event, size_t step,
                       const struct scheduler_counts *counts)
{
    struct arena *arena = arena_create();
    cleanup_text struct text line = {0};
    struct json_writer writer;

    text_init(&line, 64 * 1024);
    json_writer_init(&writer, &line, true);
    json_open_object(&writer);
    json_member(&writer, "event", event_word(event));
    if (step != (size_t)-1) {
        const struct step *of = &board->record->plan->steps.items[step];

        json_member(&writer, "step", of->shape->suite_step);
        json_member(&writer, "target", step_target(arena, of));
    }
    json_key(&writer, "steps");
    json_put_integer(&writer, (int64_t)counts->steps);
    json_key(&writer, "ended");
    json_put_integer(&writer, (int64_t)counts->ended);
    json_key(&writer, "not_passed");
    json_put_integer(&writer, (int64_t)counts->failed);
    json_key(&writer, "skipped");
    json_put_integer(&writer, (int64_t)counts->skipped);
    json_key(&writer, "hosts_busy");
    json_put_integer(&writer, (int64_t)counts->hosts_busy);
    json_key(&writer, "left_s");
    json_put_number(&writer, counts->left_s);
    json_close_object(&writer);
    cli_warn("%s\n", line.bytes);
    arena_destroy(arena);
}

void board_note(struct board *board, const char *text, const struct scheduler_counts *counts)
{
    cleanup_text struct text line = {0};
    struct json_writer writer;

    switch (board->kind) {
    case BOARD_LIVE:
        erase(board);
        cli_warn("%s\n", text);
        draw(board, counts);
        break;
    case BOARD_PLAIN:
        cli_warn("%s\n", text);
        break;
    case BOARD_JSON:
        text_init(&line, 64 * 1024);
        json_writer_init(&writer, &line, true);
        json_open_object(&writer);
        json_member(&writer, "event", "note");
        json_member(&writer, "text", text);
        json_close_object(&writer);
        cli_warn("%s\n", line.bytes);
        break;
    case BOARD_NONE:
    default:
        break;
    }
}

void board_event(struct board *board, enum scheduler_event event, size_t step,
                 const struct scheduler_counts *counts)
{
    track(board, event, step);
    switch (board->kind) {
    case BOARD_LIVE:
        keep_failure(board, event, step, counts);
        if (event == EVENT_TICK || event == EVENT_CANCELLING)
            draw(board, counts);
        break;
    case BOARD_PLAIN:
        print_plain(board, event, step, counts);
        break;
    case BOARD_JSON:
        print_json(board, event, step, counts);
        break;
    case BOARD_NONE:
    default:
        break;
    }
}
