/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages by HTTP to who is on this machine, or comes through a tunnel to it: 127.0.0.1 and no other address. GET and HEAD only,
 * for a Host header that names this machine and port, so that a page of elsewhere cannot make a browser ask here under a name
 * of its own. What there is is the caller's closed set of names; no name becomes a path of the file system. One loop and no
 * threads: a page is made as a whole, then goes out at the pace of who asked, while others are served.
 *
 * A stream is text/event-stream: the event "board" with the whole of what there is, whenever that has changed, to each client as
 * fast as it reads, and to a slow one only the newest; "trouble" with a sentence where it cannot be told; "over" with the last, behind
 * which the stream ends. A line of comment says now and then that the server is there. So many clients and no more.
 */
#ifndef ASSAY_SERVE_H
#define ASSAY_SERVE_H

#include <stdbool.h>

#include "assay/base/error.h"
#include "assay/base/text.h"

/* SERVE_LIVE: HTML that brings itself up to date by a stream. */
enum serve_type { SERVE_HTML, SERVE_LIVE, SERVE_CSS, SERVE_SCRIPT, SERVE_TEXT };

struct serve_pages {
    void *context;
    const char *policy;      /* Content-Security-Policy of pages of HTML */
    const char *live_policy; /* and of those that bring themselves up to date */
    /* The page of that name ("runs/6/index.html"; "" is the first), into out. 1; 0: there is none; -1 with err set. */
    int (*make)(void *context, const char *name, struct text *out, enum serve_type *ret_type,
                struct error *err);
    /* What the stream of that name ("runs/6/events") has to say now, as a whole, into out; over: it is the last. As above. It is
       asked once for all who listen, about every second. */
    int (*look)(void *context, const char *name, struct text *out, bool *ret_over, struct error *err);
};

struct serve;
/* port 0: one that is free. The pages' context must outlive it. SIGINT and SIGTERM are held back from here on. */
struct serve *serve_open(const struct serve_pages *pages, unsigned port, struct error *err)
    __attribute__((warn_unused_result));
unsigned serve_port(const struct serve *serve);
/* Until SIGINT or SIGTERM. */
int serve_run(struct serve *serve, struct error *err) __attribute__((warn_unused_result));
/* Accepts NULL. */
void serve_close(struct serve *serve);

#endif
