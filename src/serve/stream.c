/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A channel is a stream that somebody listens to. What it says is made once, as one event, and each of its clients copies it when
 * it has sent what it had: who reads slowly gets fewer events and stops nobody. A client without anything to send is suspended,
 * so that nothing turns while nothing changes.
 */
#include "stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/arena.h"
#include "assay/base/clock.h"

enum { CLIENTS_MOST = 24, EVENT_BYTES = 64 << 20, BLOCK = 8 << 10, NAME_MOST = 64, MS = 1000 };
#define LOOK_S 1.0
#define STILL_S 15.0
/* Of the time, at most this share is spent on looking. */
#define LOOK_SHARE 4

struct channel {
    char name[NAME_MOST];
    struct text event;     /* as it goes out */
    struct text said;      /* what it says */
    unsigned long version; /* of the event; 0: none yet */
    bool over;             /* no other event comes */
    size_t clients;        /* 0: it is free */
};

struct client {
    struct streams *streams;
    struct channel *channel; /* NULL: it is free */
    struct MHD_Connection *connection;
    struct text bytes;
    size_t sent;
    unsigned long version; /* of the last event that it took */
    double since;          /* when it was last given anything */
    bool suspended;
};

struct streams {
    const struct serve_pages *pages;
    struct channel channels[CLIENTS_MOST];
    struct client clients[CLIENTS_MOST];
    double next; /* look, by clock_steady() */
    bool ends;
};

struct streams *streams_create(const struct serve_pages *pages)
{
    struct streams *streams = mem_alloc(sizeof *streams);

    *streams = (struct streams){.pages = pages};
    return streams;
}

static void free_channel(struct channel *channel)
{
    text_release(&channel->event);
    text_release(&channel->said);
    *channel = (struct channel){0};
}

void streams_destroy(struct streams *streams)
{
    if (streams == NULL)
        return;
    for (size_t i = 0; i < CLIENTS_MOST; i++) {
        free_channel(&streams->channels[i]);
        text_release(&streams->clients[i].bytes);
    }
    free(streams);
}

/* -- Events ------------------------------------------------------------------------------------------------------- */

/* Of several lines each is one of data; a carriage return would be another end of line, and is none in what we say. */
static void put_event(struct channel *channel, const char *kind, const char *text)
{
    channel->version++;
    text_release(&channel->event);
    text_init(&channel->event, EVENT_BYTES);
    text_printf(&channel->event, "id: %lu\nevent: %s\n", channel->version, kind);
    for (const char *line = text; *line != '\0';) {
        size_t length = strcspn(line, "\r\n");

        text_put(&channel->event, "data: ");
        text_add(&channel->event, line, length);
        text_put(&channel->event, "\n");
        line += length + (line[length] != '\0' ? 1 : 0);
    }
    text_put(&channel->event, "\n");
}

static int look(struct streams *streams, struct channel *channel, struct error *err)
{
    struct text said = {0};
    bool over = false;
    int found;

    text_init(&said, EVENT_BYTES);
    found = streams->pages->look(streams->pages->context, channel->name, &said, &over, err);
    if (found < 0) {
        text_release(&said);
        text_init(&said, EVENT_BYTES);
        text_put(&said, err->text);
    }
    /* What is gone meanwhile ends as what went wrong does: who asks again is told. */
    channel->over = found <= 0 || over || said.clipped;
    if (channel->version == 0 || channel->over || said.length != channel->said.length ||
        memcmp(said.bytes, channel->said.bytes, said.length) != 0)
        put_event(channel, found <= 0 || said.clipped ? "trouble" : over ? "over" : "board", said.bytes);
    text_release(&channel->said);
    channel->said = said;
    return found;
}

/* -- Clients ------------------------------------------------------------------------------------------------------ */

static bool has_more(const struct client *client)
{
    return client->sent < client->bytes.length || client->version != client->channel->version ||
           client->channel->over || client->streams->ends || clock_steady() - client->since >= STILL_S;
}

/* False: the stream is at its end. */
static bool take_next(struct client *client)
{
    const struct channel *channel = client->channel;

    if (client->streams->ends || (client->version == channel->version && channel->over))
        return false;
    text_release(&client->bytes);
    text_init(&client->bytes, EVENT_BYTES + BLOCK);
    client->sent = 0;
    client->since = clock_steady();
    if (client->version == 0)
        text_put(&client->bytes, "retry: 3000\n\n");
    if (client->version != channel->version)
        text_add(&client->bytes, channel->event.bytes, channel->event.length);
    else
        text_put(&client->bytes, ": still here\n\n");
    client->version = channel->version;
    return true;
}

static ssize_t give(void *context, uint64_t at, char *bytes, size_t most)
{
    struct client *client = context;
    size_t left;

    (void)at;
    if (!has_more(client)) {
        client->suspended = true;
        MHD_suspend_connection(client->connection);
        return 0;
    }
    if (client->sent == client->bytes.length && !take_next(client))
        return MHD_CONTENT_READER_END_OF_STREAM;
    left = client->bytes.length - client->sent;
    left = left < most ? left : most;
    memcpy(bytes, client->bytes.bytes + client->sent, left);
    client->sent += left;
    return (ssize_t)left;
}

static void leave(void *context)
{
    struct client *client = context;

    if (--client->channel->clients == 0)
        free_channel(client->channel);
    text_release(&client->bytes);
    *client = (struct client){0};
}

static void wake(struct client *client)
{
    if (client->channel == NULL || !client->suspended)
        return;
    client->suspended = false;
    MHD_resume_connection(client->connection);
}

/* -- Who comes ------------------------------------------------------------------------------------------------------ */

/* There is one for each client that there may be. */
static struct channel *find_channel(struct streams *streams, const char *name)
{
    struct channel *unused = NULL;

    for (size_t i = 0; i < CLIENTS_MOST; i++) {
        struct channel *channel = &streams->channels[i];

        /* One that is over says so to who has it; it may go on for who comes now. */
        if (channel->clients > 0 && !channel->over && strcmp(channel->name, name) == 0)
            return channel;
        if (channel->clients == 0)
            unused = channel;
    }
    snprintf(unused->name, sizeof unused->name, "%s", name);
    return unused;
}

static unsigned begin(struct streams *streams, struct client *client, const char *name, struct error *err)
{
    struct channel *channel = find_channel(streams, name);
    int found = channel->clients == 0 ? look(streams, channel, err) : 1;

    if (found <= 0) {
        free_channel(channel);
        return found == 0 ? MHD_HTTP_NOT_FOUND : MHD_HTTP_INTERNAL_SERVER_ERROR;
    }
    channel->clients++;
    *client = (struct client){.streams = streams, .channel = channel, .since = clock_steady()};
    return MHD_HTTP_OK;
}

struct MHD_Response *streams_open(struct streams *streams, struct MHD_Connection *connection,
                                  const char *name, unsigned *ret_status, struct error *err)
{
    struct client *client = NULL;
    struct MHD_Response *response;

    for (size_t i = 0; i < CLIENTS_MOST && client == NULL; i++)
        if (streams->clients[i].channel == NULL)
            client = &streams->clients[i];
    *ret_status = MHD_HTTP_NOT_FOUND;
    if (strlen(name) >= NAME_MOST)
        return NULL;
    *ret_status = MHD_HTTP_SERVICE_UNAVAILABLE;
    if (client == NULL)
        return NULL;
    *ret_status = begin(streams, client, name, err);
    if (*ret_status != MHD_HTTP_OK)
        return NULL;
    client->connection = connection;
    response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, give, client, leave);
    if (response == NULL) {
        leave(client);
        *ret_status = MHD_HTTP_INTERNAL_SERVER_ERROR;
    }
    return response;
}

/* -- Time goes on ---------------------------------------------------------------------------------------------------- */

int streams_turn(struct streams *streams)
{
    double now = clock_steady();
    bool listened = false;

    for (size_t i = 0; i < CLIENTS_MOST; i++)
        listened |= streams->clients[i].channel != NULL;
    if (!listened)
        return -1;
    if (now >= streams->next) {
        struct error told = {0}; /* to who listens */
        double took_s;

        for (size_t i = 0; i < CLIENTS_MOST; i++)
            if (streams->channels[i].clients > 0 && !streams->channels[i].over)
                (void)look(streams, &streams->channels[i], &told);
        took_s = clock_steady() - now;
        now += took_s;
        streams->next = now + (took_s * LOOK_SHARE > LOOK_S ? took_s * LOOK_SHARE : LOOK_S);
        for (size_t i = 0; i < CLIENTS_MOST; i++)
            if (streams->clients[i].suspended && has_more(&streams->clients[i]))
                wake(&streams->clients[i]);
    }
    return (int)((streams->next - now) * MS) + 1;
}

void streams_end(struct streams *streams)
{
    streams->ends = true;
    for (size_t i = 0; i < CLIENTS_MOST; i++)
        wake(&streams->clients[i]);
}
