/* SPDX-License-Identifier: Apache-2.0 */
/* `assay serve`: the pages of `assay site` straight from the database, on this machine only. It can change nothing. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "assay/app/live_boards.h"
#include "assay/app/site_pages.h"
#include "assay/serve/serve.h"
#include "cli.h"

enum { USUAL_PORT = 8585, PORTS = 65536 };

struct served {
    struct site_pages *pages;
    struct live_boards *boards;
};

static enum serve_type type_of(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot != NULL && strcmp(dot, ".css") == 0   ? SERVE_CSS
           : dot != NULL && strcmp(dot, ".txt") == 0 ? SERVE_TEXT
                                                     : SERVE_HTML;
}

static int make(void *context, const char *name, struct text *out, enum serve_type *ret_type,
                struct error *err)
{
    const struct served *served = context;
    int made;

    if (strcmp(name, "board.js") == 0) {
        *ret_type = SERVE_SCRIPT;
        site_board_script(out);
        return 1;
    }
    *ret_type = SERVE_LIVE;
    made = live_boards_page(served->boards, name, out, err);
    if (made != 0)
        return made;
    if (*name == '\0')
        name = "index.html";
    *ret_type = type_of(name);
    return site_pages_make(served->pages, name, out, err);
}

static int look(void *context, const char *name, struct text *out, bool *ret_over, struct error *err)
{
    const struct served *served = context;

    return live_boards_look(served->boards, name, out, ret_over, err);
}

/* How to come here from elsewhere: the port must be the same at both ends. */
static void tell(unsigned port)
{
    char host[256] = "";

    if (gethostname(host, sizeof host - 1) < 0 || *host == '\0')
        snprintf(host, sizeof host, "HOST");
    cli_print("site: http://127.0.0.1:%u/\n", port);
    cli_print("from another machine: ssh -N -L %u:127.0.0.1:%u %s\n", port, port, host);
    fflush(stdout);
}

static int serve(struct store *store, enum report_language language, unsigned port, struct error *err)
{
    cleanup_arena struct arena *arena = arena_create();
    struct served served = {site_pages_create(store, language), live_boards_create(store, language)};
    struct serve_pages pages = {.context = &served,
                                .policy = site_policy(arena),
                                .live_policy = site_board_policy(),
                                .make = make,
                                .look = look};
    struct serve *serve = serve_open(&pages, port, err);
    int result = -1;

    if (serve != NULL) {
        tell(serve_port(serve));
        result = serve_run(serve, err);
    }
    serve_close(serve);
    site_pages_destroy(served.pages);
    live_boards_destroy(served.boards);
    return result;
}

/* 0 is a port here: a free one. */
static bool read_port(const char *word, unsigned *ret_port)
{
    unsigned port = 0;

    for (const char *at = word; *at != '\0'; at++) {
        if (*at < '0' || *at > '9' || port >= PORTS)
            return false;
        port = port * 10 + (unsigned)(*at - '0');
    }
    *ret_port = port;
    return *word != '\0' && port < PORTS;
}

int command_serve(int argc, char **argv)
{
    const char *db = NULL, *lang = NULL, *port_word = NULL;
    const struct option_row rows[] = {
        {"port", 'p', OPTION_STRING, "N", &port_word, "of 127.0.0.1; default 8585; 0: one that is free"},
        CLI_LANG_ROW(&lang, ""),
        CLI_DB_ROW(&db),
        OPTION_END,
    };
    enum report_language language;
    unsigned port = USUAL_PORT;
    struct error err = {0};
    struct store *store;
    int first, status, result;

    if (!cli_options(rows, "serve", argc, argv, &first, &status))
        return status;
    if (first < argc)
        return cli_unexpected("serve", argv[first]);
    if (!cli_language(lang, &language))
        return cli_unknown_language("serve", lang);
    if (port_word != NULL && !read_port(port_word, &port)) {
        cli_warn("assay: serve: --port: '%s' is not a port; expected 0 to 65535\n", port_word);
        return EXIT_USAGE;
    }
    store = store_open(cli_database(db), true, &err);
    result = store != NULL ? serve(store, language, port, &err) : -1;
    store_close(store);
    return result < 0 ? cli_fail(&err) : EXIT_ACCEPT;
}
