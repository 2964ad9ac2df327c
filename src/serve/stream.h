/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of events (serve.h) and who listens to them. */
#ifndef ASSAY_SERVE_STREAM_H
#define ASSAY_SERVE_STREAM_H

#include <microhttpd.h>

#include "assay/serve/serve.h"

struct streams;
/* pages must outlive it. */
struct streams *streams_create(const struct serve_pages *pages);
/* Accepts NULL. Behind streams_end and the end of the daemon. */
void streams_destroy(struct streams *streams);

/* A response that goes on, to that client; NULL with ret_status: MHD_HTTP_NOT_FOUND there is no such stream,
   MHD_HTTP_SERVICE_UNAVAILABLE there are too many clients, MHD_HTTP_INTERNAL_SERVER_ERROR err. */
struct MHD_Response *streams_open(struct streams *streams, struct MHD_Connection *connection,
                                  const char *name, unsigned *ret_status, struct error *err);
/* Looks where somebody listens and it is time. Returns in how many milliseconds it is again; -1: nobody listens. */
int streams_turn(struct streams *streams);
/* Nobody is held any more. */
void streams_end(struct streams *streams);

#endif
