/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/serve/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "assay/base/arena.h"
#include "stream.h"

/* One person with some tabs needs six connections a tab; what comes beyond is closed at once. */
enum { CONNECTIONS = 64, IDLE_S = 30, REQUEST_BYTES = 16 << 10, PAGE_BYTES = 1 << 30, BACKLOG = 16 };
enum { HTTP_PORT = 80 }; /* which browsers leave out of the name */

struct serve {
    struct serve_pages pages;
    struct streams *streams;
    struct MHD_Daemon *daemon;
    int socket, signals;
    unsigned port;
    sigset_t mask; /* as it was */
};

/* -- Answers ------------------------------------------------------------------------------------------------------ */

struct header {
    const char *name, *value;
};

/* Of every answer: nothing of it is kept, guessed at, framed or read by pages of elsewhere. */
static const struct header headers[] = {
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Referrer-Policy", "no-referrer"},
    {"Cache-Control", "no-store"},
};

static const char *const types[] = {
    [SERVE_HTML] = "text/html; charset=utf-8",  [SERVE_LIVE] = "text/html; charset=utf-8",
    [SERVE_CSS] = "text/css; charset=utf-8",    [SERVE_SCRIPT] = "text/javascript; charset=utf-8",
    [SERVE_TEXT] = "text/plain; charset=utf-8",
};

static const char *policy_of(const struct serve *serve, enum serve_type type)
{
    if (type == SERVE_HTML)
        return serve->pages.policy;
    return type == SERVE_LIVE ? serve->pages.live_policy
                              : "default-src 'none'; frame-ancestors 'none'; sandbox";
}

static enum MHD_Result send_response(struct MHD_Connection *connection, unsigned status, const char *type,
                                     const char *policy, struct MHD_Response *response)
{
    enum MHD_Result result;

    MHD_add_response_header(response, "Content-Type", type);
    for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
        MHD_add_response_header(response, headers[i].name, headers[i].value);
    MHD_add_response_header(response, "Content-Security-Policy", policy);
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, "Allow", "GET, HEAD");
    result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

/* The bytes of out are the answer's from here on. */
static enum MHD_Result answer(const struct serve *serve, struct MHD_Connection *connection, unsigned status,
                              enum serve_type type, struct text *out)
{
    size_t length = out->length;
    struct MHD_Response *response =
        MHD_create_response_from_buffer(length, text_detach(out), MHD_RESPMEM_MUST_FREE);

    return response != NULL ? send_response(connection, status, types[type], policy_of(serve, type), response)
                            : MHD_NO;
}

static enum MHD_Result refuse(const struct serve *serve, struct MHD_Connection *connection, unsigned status,
                              const char *why)
{
    cleanup_text struct text out = {0};

    text_init(&out, REQUEST_BYTES);
    text_printf(&out, "%s\n", why);
    return answer(serve, connection, status, SERVE_TEXT, &out);
}

/* A name of elsewhere may lead to 127.0.0.1; it is not ours. */
static bool is_our_host(const struct serve *serve, const char *host)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    char ours[32];

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        snprintf(ours, sizeof ours, "%s:%u", names[i], serve->port);
        if (host != NULL &&
            (strcmp(host, ours) == 0 || (serve->port == HTTP_PORT && strcmp(host, names[i]) == 0)))
            return true;
    }
    return false;
}

static enum MHD_Result send_page(const struct serve *serve, struct MHD_Connection *connection,
                                 const char *name)
{
    enum serve_type type = SERVE_HTML;
    struct error err = {0};
    enum MHD_Result result;
    cleanup_text struct text out = {0};
    int made;

    text_init(&out, PAGE_BYTES);
    made = serve->pages.make(serve->pages.context, name, &out, &type, &err);
    if (made > 0 && !out.clipped)
        result = answer(serve, connection, MHD_HTTP_OK, type, &out);
    else if (made == 0)
        result = refuse(serve, connection, MHD_HTTP_NOT_FOUND, "There is no such page; / leads to all.");
    else
        result = refuse(serve, connection, MHD_HTTP_INTERNAL_SERVER_ERROR,
                        made < 0 ? err.text : "The page is larger than 1 GiB.");
    return result;
}

static enum MHD_Result send_stream_or_page(const struct serve *serve, struct MHD_Connection *connection,
                                           const char *name)
{
    struct error err = {0};
    unsigned status;
    struct MHD_Response *response = streams_open(serve->streams, connection, name, &status, &err);

    if (response != NULL)
        return send_response(connection, status, "text/event-stream", policy_of(serve, SERVE_TEXT), response);
    if (status == MHD_HTTP_NOT_FOUND)
        return send_page(serve, connection, name);
    return refuse(serve, connection, status,
                  status == MHD_HTTP_SERVICE_UNAVAILABLE
                      ? "As many as can be look at live boards already: close one, or load the page again."
                      : err.text);
}

static enum MHD_Result take_request(void *context, struct MHD_Connection *connection, const char *url,
                                    const char *method, const char *version, const char *data, size_t *size,
                                    void **state)
{
    const struct serve *serve = context;

    (void)version, (void)data, (void)size;
    if (!is_our_host(serve, MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host")))
        return refuse(serve, connection, MHD_HTTP_MISDIRECTED_REQUEST,
                      "This is no name of ours: ask for 127.0.0.1 or localhost, with the port that "
                      "`assay serve` has, also at this end of a tunnel.");
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return refuse(serve, connection, MHD_HTTP_METHOD_NOT_ALLOWED,
                      "Nothing can be changed here: GET and HEAD only.");
    /* Answered at once, a connection would end with its answer; what is sent along is not looked at. */
    if (*state == NULL || *size > 0) {
        *state = context;
        *size = 0;
        return MHD_YES;
    }
    return send_stream_or_page(serve, connection, *url == '/' ? url + 1 : url);
}

/* -- Listening ---------------------------------------------------------------------------------------------------- */

static int listen_here(struct serve *serve, unsigned port, struct error *err)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    const int on = 1;

    serve->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (serve->socket < 0)
        return error_set(err, ERROR_INTERNAL, "no socket: %s", strerror(errno));
    setsockopt(serve->socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(serve->socket, (struct sockaddr *)&address, length) < 0 || listen(serve->socket, BACKLOG) < 0) {
        if (errno == EADDRINUSE)
            return error_set(
                err, ERROR_USAGE,
                "port %u is in use: name another one with --port, or take a free one with --port 0", port);
        if (errno == EACCES)
            return error_set(err, ERROR_USAGE,
                             "port %u is not for every user: name one above 1023 with --port", port);
        return error_set(err, ERROR_INTERNAL, "port %u of 127.0.0.1: %s", port, strerror(errno));
    }
    if (getsockname(serve->socket, (struct sockaddr *)&address, &length) < 0)
        return error_set(err, ERROR_INTERNAL, "port %u of 127.0.0.1: %s", port, strerror(errno));
    serve->port = ntohs(address.sin_port);
    return 0;
}

static int hold_signals(struct serve *serve, struct error *err)
{
    sigset_t ends;

    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    if (sigprocmask(SIG_BLOCK, &ends, &serve->mask) < 0 ||
        (serve->signals = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK)) < 0)
        return error_set(err, ERROR_INTERNAL, "signals: %s", strerror(errno));
    return 0;
}

static int start(struct serve *serve, unsigned port, struct error *err)
{
    if (listen_here(serve, port, err) < 0 || hold_signals(serve, err) < 0)
        return -1;
    serve->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, take_request, serve,
        MHD_OPTION_LISTEN_SOCKET, serve->socket, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)REQUEST_BYTES, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    if (serve->daemon == NULL)
        return error_set(err, ERROR_INTERNAL, "libmicrohttpd does not begin");
    serve->socket = -1; /* the daemon's */
    return 0;
}

struct serve *serve_open(const struct serve_pages *pages, unsigned port, struct error *err)
{
    struct serve *serve = mem_alloc(sizeof *serve);

    *serve = (struct serve){.pages = *pages, .socket = -1, .signals = -1};
    serve->streams = streams_create(&serve->pages);
    if (start(serve, port, err) == 0)
        return serve;
    serve_close(serve);
    return NULL;
}

unsigned serve_port(const struct serve *serve)
{
    return serve->port;
}

/* When the daemon has to be run at the latest; -1: never. */
static int daemon_ms(const struct serve *serve)
{
    enum { MOST_MS = 1000 };
    MHD_UNSIGNED_LONG_LONG left_ms = 0;

    if (MHD_get_timeout(serve->daemon, &left_ms) != MHD_YES)
        return -1;
    return left_ms < MOST_MS ? (int)left_ms : MOST_MS;
}

static int sooner(int a_ms, int b_ms)
{
    return a_ms < 0 ? b_ms : b_ms < 0 || a_ms < b_ms ? a_ms : b_ms;
}

int serve_run(struct serve *serve, struct error *err)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(serve->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    struct pollfd watched[] = {{.fd = serve->signals, .events = POLLIN},
                               {.fd = info != NULL ? info->epoll_fd : -1, .events = POLLIN}};

    if (info == NULL)
        return error_set(err, ERROR_INTERNAL, "libmicrohttpd has no epoll");
    while ((watched[0].revents & POLLIN) == 0) {
        int next_ms;

        if (MHD_run(serve->daemon) != MHD_YES)
            return error_set(err, ERROR_INTERNAL, "libmicrohttpd does not go on");
        next_ms = streams_turn(serve->streams); /* also for who came just now */
        if (poll(watched, 2, sooner(next_ms, daemon_ms(serve))) < 0 && errno != EINTR)
            return error_set(err, ERROR_INTERNAL, "poll: %s", strerror(errno));
    }
    return 0;
}

void serve_close(struct serve *serve)
{
    if (serve == NULL)
        return;
    streams_end(serve->streams);
    if (serve->daemon != NULL) {
        MHD_run(serve->daemon); /* so that who listened is told the end */
        MHD_stop_daemon(serve->daemon);
    }
    streams_destroy(serve->streams);
    if (serve->socket >= 0)
        close(serve->socket);
    if (serve->signals >= 0) {
        struct signalfd_siginfo taken; /* it has done what it was for, and must not end us now */

        while (read(serve->signals, &taken, sizeof taken) == sizeof taken)
            ;
        close(serve->signals);
        sigprocmask(SIG_SETMASK, &serve->mask, NULL);
    }
    free(serve);
}
