/* SPDX-License-Identifier: Apache-2.0 */
#include "board_terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "assay/base/text.h"

enum { WIDTH_LEAST = 40, HEIGHT_LEAST = 4, WIDTH_USUAL = 80, HEIGHT_USUAL = 24, SCREEN_BYTES = 4 << 20 };

bool board_terminal_there(void)
{
    const char *term = getenv("TERM");

    return isatty(STDERR_FILENO) && term != NULL && strcmp(term, "dumb") != 0;
}

/* As setlocale would find it: the first of the three that is set. */
static bool is_utf8_locale(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        const char *value = getenv(names[i]), *set;

        if (value == NULL || *value == '\0')
            continue;
        set = strchr(value, '.');
        return set != NULL && (strncasecmp(set, ".utf-8", 6) == 0 || strncasecmp(set, ".utf8", 5) == 0);
    }
    return false;
}

static bool find_size(unsigned *ret_width, unsigned *ret_height)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0 || size.ws_row == 0) {
        *ret_width = WIDTH_USUAL;
        *ret_height = HEIGHT_USUAL;
        return false;
    }
    *ret_width = size.ws_col;
    *ret_height = size.ws_row;
    return true;
}

void board_terminal_begin(struct board_terminal *terminal)
{
    const char *no_colour = getenv("NO_COLOR");

    *terminal = (struct board_terminal){.colour = no_colour == NULL || *no_colour == '\0'};
    terminal->look.utf8 = is_utf8_locale();
    find_size(&terminal->look.width, &terminal->look.height);
}

void board_terminal_look(struct board_terminal *terminal)
{
    unsigned width, height;

    if (!find_size(&width, &height) || (width == terminal->look.width && height == terminal->look.height))
        return;
    if (terminal->drawn > 0)
        fputs("\033[H\033[J", stderr);
    terminal->drawn = 0;
    terminal->look.width = width;
    terminal->look.height = height;
}

static void put_up(struct text *out, unsigned lines)
{
    if (lines > 0)
        text_printf(out, "\033[%uA", lines);
    text_put(out, "\r");
}

static void put_line(const struct board_terminal *terminal, const struct board_line *line, struct text *out)
{
    static const char *const codes[] = {[BOARD_USUAL] = "",  [BOARD_BOLD] = "1", [BOARD_DIM] = "2",
                                        [BOARD_GOOD] = "32", [BOARD_BAD] = "31", [BOARD_DOUBT] = "33"};

    list_each (span, line->spans) {
        bool coloured = terminal->colour && *codes[span->style] != '\0';

        if (coloured)
            text_printf(out, "\033[%sm", codes[span->style]);
        text_put(out, span->text);
        if (coloured)
            text_put(out, "\033[0m");
    }
}

/* In one piece, so that no half of it is seen. */
void board_terminal_draw(struct board_terminal *terminal, const struct board_picture *picture)
{
    cleanup_text struct text out = {0};

    if (terminal->look.width < WIDTH_LEAST || terminal->look.height < HEIGHT_LEAST)
        return;
    text_init(&out, SCREEN_BYTES);
    put_up(&out, terminal->drawn);
    for (size_t i = 0; i < picture->lines.count; i++) {
        put_line(terminal, &picture->lines.items[i], &out);
        text_put(&out, "\033[K\n");
    }
    text_put(&out, "\033[J");
    terminal->drawn = (unsigned)picture->lines.count;
    fwrite(out.bytes, 1, out.length, stderr);
    fflush(stderr);
}

void board_terminal_erase(struct board_terminal *terminal)
{
    cleanup_text struct text out = {0};

    if (terminal->drawn == 0)
        return;
    text_init(&out, SCREEN_BYTES);
    put_up(&out, terminal->drawn);
    text_put(&out, "\033[J");
    terminal->drawn = 0;
    fwrite(out.bytes, 1, out.length, stderr);
    fflush(stderr);
}
