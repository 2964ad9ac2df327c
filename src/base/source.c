/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/base/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay/base/arena.h"

static ssize_t pull_file(void *context, char *buffer, size_t size)
{
    const struct source *source = context;
    ssize_t got;

    do
        got = read(source->fd, buffer, size);
    while (got < 0 && errno == EINTR);
    return got;
}

void source_of_slice(struct source *source, struct slice bytes)
{
    *source = (struct source){
        .bytes = bytes.length > 0 ? bytes.bytes : "", .length = bytes.length, .ended = true, .fd = -1};
}

void source_of_file(struct source *source, int fd)
{
    source_of_pull(source, pull_file, NULL, 0);
    source->fd = fd;
}

void source_of_pull(struct source *source, source_pull_cb *pull, void *context, size_t refill)
{
    *source = (struct source){
        .bytes = "",
        .pull = pull,
        .context = context,
        .fd = -1,
        .refill = refill > 0 ? refill : SOURCE_REFILL_BYTES,
    };
}

void source_release(struct source *source)
{
    free(source->buffer);
    source_of_slice(source, (struct slice){"", 0});
}

/* Room for one refill behind the window, which moves to the front of the buffer. */
static void make_room(struct source *source)
{
    if (source->length > 0 && source->bytes != source->buffer)
        memmove(source->buffer, source->bytes, source->length);
    if (source->capacity - source->length < source->refill) {
        source->capacity = 2 * source->capacity > source->length + source->refill
                               ? 2 * source->capacity
                               : source->length + source->refill;
        source->buffer = mem_resize(source->buffer, source->capacity);
    }
    source->bytes = source->buffer;
}

bool source_more(struct source *source)
{
    void *context = source->pull == pull_file ? source : source->context;
    ssize_t got;

    if (source->ended)
        return false;
    make_room(source);
    got = source->pull(context, source->buffer + source->length, source->refill);
    if (got <= 0) {
        source->ended = true;
        source->failure = got < 0 ? errno : 0;
        return false;
    }
    source->length += (size_t)got;
    return true;
}

struct slice source_peek(struct source *source, size_t length)
{
    while (source->length < length && source_more(source))
        continue;
    return (struct slice){source->bytes, source->length};
}
