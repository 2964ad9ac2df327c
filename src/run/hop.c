/* SPDX-License-Identifier: Apache-2.0 */
#include "hop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "assay/base/scan.h"
#include "assay/reasons/model.h"
#include "assay/reasons/run.h"

enum {
    REFUSALS = 6,
    PAUSE_MS = 2000, /* for so long after a failure nobody knocks there again */
};

enum hop_state { HOP_APART, HOP_CONNECTING, HOP_READY };

/* Why the jump host did not open a connection, in ssh's words, and when it said so last. */
struct refusal {
    char text[100];
    uint64_t at;
};

struct hop {
    struct hop *next;
    struct transport_context *context;
    char *jump, *identity, *known_hosts; /* what it is known by: copies, for it outlives the remotes */
    char *words, *before;                /* the last hop of jump, cut up, and those before it; NULL: none */
    struct remote_target target;
    enum hop_state state;
    struct session *session;
    TAILQ_HEAD(, hop_waiter) waiters;
    uv_timer_t wake;
    const struct reason *failure; /* the last one, in an arena of its own; NULL: none */
    struct arena *failure_arena;
    uint64_t failed_at; /* loop time; 0: what was lost had been made */
    bool refused;       /* a login, or a host key: not tried again, for that might lock an account */
    bool password_wrong;
    struct refusal refusals[REFUSALS];
};

/* ---- which ---- */

static bool same_text(const char *one, const char *other)
{
    return one == NULL || other == NULL ? one == other : strcmp(one, other) == 0;
}

static char *copy_of(const char *text)
{
    return text != NULL ? mem_strdup(text) : NULL;
}

/* "[user@]host[:port]" or "[user@][address]:port", cut up in place. */
static void parse_words(struct hop *hop)
{
    char *at = strrchr(hop->words, '@'), *host = at != NULL ? at + 1 : hop->words,
         *colon = strrchr(host, ':');

    if (at != NULL) {
        *at = '\0';
        hop->target.user = hop->words;
    }
    if (host[0] == '[' && strchr(host, ']') != NULL) {
        char *bracket = strchr(host, ']');

        colon = bracket[1] == ':' ? bracket + 1 : NULL;
        *bracket = '\0';
        host++;
    } else if (colon != NULL && strchr(host, ':') != colon) {
        colon = NULL; /* an IPv6 address */
    }
    if (colon != NULL) {
        *colon = '\0';
        hop->target.port = (unsigned)strtoul(colon + 1, NULL, 10);
    }
    hop->target.name = hop->target.address = host;
}

static struct hop *hop_of(struct transport_context *context, const struct remote_target *target)
{
    const char *comma = strrchr(target->jump, ',');
    struct hop *hop;

    for (hop = context->hops; hop != NULL; hop = hop->next)
        if (same_text(hop->jump, target->jump) && same_text(hop->identity, target->jump_identity) &&
            same_text(hop->known_hosts, target->jump_known_hosts))
            return hop;
    hop = mem_alloc(sizeof *hop);
    hop->context = context;
    hop->jump = copy_of(target->jump);
    hop->identity = copy_of(target->jump_identity);
    hop->known_hosts = copy_of(target->jump_known_hosts);
    hop->words = mem_strdup(comma != NULL ? comma + 1 : target->jump);
    hop->before = comma != NULL ? mem_printf("%.*s", (int)(comma - target->jump), target->jump) : NULL;
    hop->target.jump = hop->before;
    hop->target.identity = hop->target.jump_identity = hop->identity;
    hop->target.known_hosts = hop->target.jump_known_hosts = hop->known_hosts;
    parse_words(hop);
    TAILQ_INIT(&hop->waiters);
    uv_timer_init(context->loop, &hop->wake);
    hop->wake.data = hop;
    hop->next = context->hops;
    context->hops = hop;
    return hop;
}

/* ---- its connection ---- */

/* To all who wait now. A callback may let another one leave, or end its own session. */
static void on_wake(uv_timer_t *timer)
{
    struct hop *hop = timer->data;
    struct hop_waiter *waiter;

    while (hop->state != HOP_CONNECTING && (waiter = TAILQ_FIRST(&hop->waiters)) != NULL) {
        TAILQ_REMOVE(&hop->waiters, waiter, link);
        waiter->waiting = false;
        if (hop->state == HOP_READY)
            waiter->ready(waiter->context);
        else
            waiter->failed(waiter->context, hop->failure);
    }
}

static void wake(struct hop *hop)
{
    uv_timer_start(&hop->wake, on_wake, 0, 0);
}

static void on_ready(void *context)
{
    struct hop *hop = context;

    hop->state = HOP_READY;
    wake(hop);
}

/* That of a hop before it names that one. */
static void keep_failure(struct hop *hop, enum transport_failure failure, const struct reason *why)
{
    struct arena *arena = arena_create();

    why = reason_copy(arena, why);
    if (failure != TRANSPORT_JUMP_FAILED)
        why = hop->before != NULL ? reason(arena, jump_host_behind_failed, hop->target.name, hop->before, why)
                                  : reason(arena, jump_host_failed, hop->target.name, why);
    arena_destroy(hop->failure_arena);
    hop->failure_arena = arena;
    hop->failure = why;
}

static void on_closed(void *context, enum transport_failure failure, const struct reason *why)
{
    struct hop *hop = context;
    bool was_ready = hop->state == HOP_READY;

    keep_failure(hop, failure, why);
    openssh_close(steal_pointer(hop->session));
    hop->state = HOP_APART;
    hop->failed_at = was_ready ? 0 : uv_now(hop->context->loop);
    hop->refused =
        !was_ready && (failure == TRANSPORT_AUTH_REFUSED || failure == TRANSPORT_HOST_KEY_UNKNOWN ||
                       failure == TRANSPORT_HOST_KEY_CHANGED);
    wake(hop);
}

static const struct session_events hop_events = {on_ready, on_closed};

/* "channel 2: open failed: administratively prohibited: open failed" */
static void on_said(void *context, struct slice line)
{
    static const char mark[] = ": open failed: ";
    struct hop *hop = context;
    size_t at = slice_find(line, mark), oldest = 0;
    char text[sizeof hop->refusals[0].text];

    if (at == (size_t)-1)
        return;
    line = slice_from(line, at + strlen(mark));
    if (slice_starts(line, "connect failed: "))
        line = slice_from(line, strlen("connect failed: "));
    snprintf(text, sizeof text, "%.*s", slice_print(slice_trim(line)));
    for (size_t i = 0; i < REFUSALS; i++) {
        if (strcmp(hop->refusals[i].text, text) == 0) {
            oldest = i;
            break;
        }
        if (hop->refusals[i].at < hop->refusals[oldest].at)
            oldest = i;
    }
    snprintf(hop->refusals[oldest].text, sizeof text, "%s", text);
    hop->refusals[oldest].at = uv_now(hop->context->loop);
}

static bool is_given_up(const struct hop *hop)
{
    return hop->failed_at != 0 && (hop->refused || uv_now(hop->context->loop) - hop->failed_at < PAUSE_MS);
}

bool hop_needed(const struct remote_target *target)
{
    return target->jump != NULL && strcmp(target->jump, "none") != 0;
}

void hop_wait(struct transport_context *context, const struct remote_target *target,
              struct hop_waiter *waiter)
{
    struct hop *hop = hop_of(context, target);

    waiter->hop = hop;
    waiter->waiting = true;
    TAILQ_INSERT_TAIL(&hop->waiters, waiter, link);
    if (hop->state == HOP_APART && !is_given_up(hop)) {
        hop->state = HOP_CONNECTING;
        hop->session =
            openssh_connect_hop(context, &hop->target, &hop_events, on_said, &hop->password_wrong, hop);
    } else if (hop->state != HOP_CONNECTING) {
        wake(hop);
    }
}

void hop_leave(struct hop_waiter *waiter)
{
    if (waiter->waiting)
        TAILQ_REMOVE(&waiter->hop->waiters, waiter, link);
    waiter->waiting = false;
}

/* ---- what goes through it ---- */

void hop_relay_words(const struct hop *hop, const char *host, const char *port,
                     char *ret_words[HOP_RELAY_WORDS + 1])
{
    const char *socket = hop->session != NULL ? openssh_socket(hop->session) : "none";
    bool bare = strchr(host, ':') == NULL && strcmp(host, "%h") != 0;
    /* ProxyCommand=false: without the shared connection it makes none of its own. */
    char *words[] = {mem_strdup("ssh"),
                     mem_strdup("-F"),
                     mem_strdup("none"),
                     mem_strdup("-o"),
                     mem_strdup("ProxyCommand=false"),
                     mem_strdup("-S"),
                     mem_strdup(socket),
                     mem_strdup("-W"),
                     bare ? mem_printf("%s:%s", host, port) : mem_printf("[%s]:%s", host, port),
                     mem_strdup(hop->target.name)};

    _Static_assert(ARRAY_SIZE(words) == HOP_RELAY_WORDS, "as many as the header says");
    memcpy(ret_words, words, sizeof words);
    ret_words[HOP_RELAY_WORDS] = NULL;
}

static bool forbids(const char *refusal)
{
    return strstr(refusal, "prohibited") != NULL || strstr(refusal, "unknown channel type") != NULL;
}

/* NULL: it said nothing. */
static const struct refusal *last_refusal(const struct hop *hop, uint64_t since)
{
    const struct refusal *last = NULL;

    array_each (refusal, hop->refusals, REFUSALS) {
        if (refusal->at < since || refusal->at == 0)
            continue;
        /* Where it told several hosts several things, the one that accuses nobody. */
        if (last == NULL || forbids(refusal->text) || (!forbids(last->text) && refusal->at > last->at))
            last = refusal;
    }
    return last;
}

enum transport_failure hop_explain(const struct hop *hop, const char *host, unsigned port, uint64_t since,
                                   struct arena *arena, const struct reason **ret_why)
{
    const struct refusal *last = last_refusal(hop, since);

    if (hop->state != HOP_READY) {
        *ret_why = hop->failure != NULL ? reason_copy(arena, hop->failure) : REASON(jump_host_lost);
        return TRANSPORT_JUMP_FAILED;
    }
    if (last == NULL || forbids(last->text)) {
        *ret_why = reason(arena, jump_host_forbids, hop->target.name, host, port,
                          last != NULL ? reason_text(arena, last->text) : REASON(no_reason_given));
        return TRANSPORT_JUMP_FAILED;
    }
    *ret_why = reason(arena, jump_host_cannot_connect, hop->target.name, host, port,
                      openssh_says(arena, slice_of(last->text)));
    return TRANSPORT_UNREACHABLE;
}

static void on_hop_closed(uv_handle_t *handle)
{
    struct hop *hop = handle->data;

    free(hop->jump);
    free(hop->identity);
    free(hop->known_hosts);
    free(hop->words);
    free(hop->before);
    arena_destroy(hop->failure_arena);
    free(hop);
}

void hops_release(struct transport_context *context)
{
    struct hop *hop, *next;

    /* Those made later go through those made earlier, and stand first. */
    for (hop = steal_pointer(context->hops); hop != NULL; hop = next) {
        next = hop->next;
        if (hop->session != NULL)
            openssh_close(steal_pointer(hop->session));
        uv_close((uv_handle_t *)&hop->wake, on_hop_closed);
    }
}
