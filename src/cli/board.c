/* SPDX-License-Identifier: Apache-2.0 */
#include "board.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "assay/app/board_news.h"
#include "assay/base/cleanup.h"
#include "assay/base/clock.h"
#include "assay/base/json.h"
#include "board_plain.h"
#include "board_terminal.h"
#include "cli.h"

enum { NEWS_BYTES = 16 << 20 };

struct board {
    enum board_kind kind;
    const struct record *record;
    struct board_state *state; /* of the kinds for people */
    struct board_terminal terminal;
    struct board_plain plain;
    bool hushed;
};

bool board_kind_parse(const char *word, enum board_kind *ret_kind)
{
    static const struct {
        const char *word;
        enum board_kind kind;
    } kinds[] = {{"plain", BOARD_PLAIN}, {"json", BOARD_JSON}, {"none", BOARD_NONE}};

    if (strcmp(word, "auto") == 0) {
        *ret_kind = board_terminal_there() ? BOARD_LIVE : BOARD_PLAIN;
        return true;
    }
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (strcmp(kinds[i].word, word) == 0) {
            *ret_kind = kinds[i].kind;
            return true;
        }
    return false;
}

struct board *board_create(enum board_kind kind, const struct record *record, size_t hosts_at_once,
                           double began)
{
    struct board *board = mem_alloc(sizeof *board);
    size_t hosts = record->plan->hosts.count;
    cleanup_free char *title =
        mem_printf("run %lld: %s, %zu host%s", record->number, record->suite, hosts, hosts == 1 ? "" : "s");

    board->kind = kind;
    board->record = record;
    if (kind == BOARD_LIVE || kind == BOARD_PLAIN)
        board->state = board_state_create(record->plan, title, hosts_at_once, began);
    if (kind == BOARD_LIVE)
        board_terminal_begin(&board->terminal);
    return board;
}

static void print_news(struct board *board)
{
    cleanup_text struct text news = {0};
    char *line, *rest = NULL;

    text_init(&news, NEWS_BYTES);
    board_plain_news(&board->plain, board->state, clock_now(), &news);
    for (line = news.bytes; line != NULL && *line != '\0'; line = rest) {
        rest = strchr(line, '\n');
        if (rest != NULL)
            *rest++ = '\0';
        cli_warn("%s\n", line);
    }
}

void board_destroy(struct board *board)
{
    if (board == NULL)
        return;
    if (board->kind == BOARD_PLAIN)
        print_news(board);
    board_terminal_erase(&board->terminal);
    board_state_destroy(board->state);
    free(board);
}

static void hush(void *context, bool hushed)
{
    struct board *board = context;

    if (hushed)
        board_terminal_erase(&board->terminal);
    board->hushed = hushed;
}

static void draw(struct board *board)
{
    cleanup_arena struct arena *arena = NULL;
    struct board_picture picture;

    if (board->hushed)
        return;
    arena = arena_create();
    board_terminal_look(&board->terminal);
    board_draw(arena, board->state, &board->terminal.look, clock_now(), &picture);
    board_terminal_draw(&board->terminal, &picture);
}

/* -- Events -- */

static const char *event_word(enum scheduler_event event)
{
    static const char *const words[] = {"started", "again",      "ended",   "skipped",
                                        "tick",    "cancelling", "taken up"};

    return words[event];
}

static void print_json(struct board *board, enum scheduler_event event, size_t step,
                       const struct scheduler_counts *counts)
{
    cleanup_arena struct arena *arena = arena_create();
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
    json_member_count(&writer, "steps", counts->steps);
    json_member_count(&writer, "ended", counts->ended);
    json_member_count(&writer, "not_passed", counts->failed);
    json_member_count(&writer, "skipped", counts->skipped);
    json_member_count(&writer, "hosts_busy", counts->hosts_busy);
    json_member_number(&writer, "left_s", counts->left_s);
    json_close_object(&writer);
    cli_warn("%s\n", line.bytes);
}

static void note(void *context, const char *text)
{
    struct board *board = context;
    cleanup_text struct text line = {0};
    struct json_writer writer;

    switch (board->kind) {
    case BOARD_LIVE:
        board_terminal_erase(&board->terminal);
        cli_warn("%s\n", text);
        draw(board);
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

static void take_event(void *context, double at, enum scheduler_event event, size_t step,
                       const struct scheduler_counts *counts, const struct outcome *worst, size_t alike)
{
    struct board *board = context;
    bool look = event == EVENT_TICK || event == EVENT_CANCELLING;

    if (board->state != NULL)
        board_news_take(board->state, LANGUAGE_EN, at, event, step, counts, worst, alike);
    switch (board->kind) {
    case BOARD_LIVE:
        if (look)
            draw(board);
        break;
    case BOARD_PLAIN:
        if (look)
            print_news(board);
        if (event == EVENT_CANCELLING)
            cli_warn("cancelling: ending what runs on the hosts; press again to stop at once\n");
        break;
    case BOARD_JSON:
        if (event != EVENT_TAKEN_UP)
            print_json(board, event, step, counts);
        break;
    case BOARD_NONE:
    default:
        break;
    }
}

struct watcher board_watcher(struct board *board)
{
    return (struct watcher){board, take_event, note, hush};
}
