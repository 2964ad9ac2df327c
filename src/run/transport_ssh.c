/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libssh2 on the loop: one socket, one session, up to four channels (ssh_channel.c).
 *
 * Everything moves in pump(): it takes steps until each would block, then arms the poll for what libssh2
 * waits for. What it taught us (1.10):
 * - channel_eof() stays 0 while unread stderr is queued: both streams are drained, always.
 * - Reading for one channel queues packets of the others, so a round is repeated until nobody moved.
 * - A packet sent in part must be finished by the same call before any other call sends: `sender`.
 * - channel_open keeps its state in the session: one open at a time, `opening`.
 * - channel_close returns before the host has closed: so after it a channel lingers.
 * - close and free may block too, so they are states. And every state has a deadline.
 *
 * Our callbacks may close the session: so after each the state is looked at again. Memory, the socket and
 * libssh2's own session go when the last handle's close callback has come, never earlier.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "assay/base/sanitizer.h"
#include "assay/base/scan.h"
#include "assay/reasons/model.h"
#include "assay/reasons/run.h"
#include "identity.h"
#include "known_hosts.h"
#include "ssh_private.h"

enum {
    TURN_ROUNDS = 8, /* of all channels, per turn of the loop: at most 4 MiB, some 20 ms */
    DEFAULT_PORT = 22,
    RELAY_SAID_LIMIT = 4096,
};

#define CIPHERS "aes128-ctr,aes192-ctr,aes256-ctr,aes256-gcm@openssh.com,aes128-gcm@openssh.com"
#define MACS "hmac-sha2-256,hmac-sha2-512"

static void pump(struct ssh_session *session);
static void on_wake(uv_timer_t *timer);

static unsigned port_of(const struct remote_target *target)
{
    return target->port != 0 ? target->port : DEFAULT_PORT;
}

static const char *address_of(const struct remote_target *target)
{
    return target->address != NULL ? target->address : target->name;
}

/* ---- the end ---- */

/*
 * Where a key exchange ends between the server's answer and NEWKEYS, libssh2 keeps the host's key (session_free looks at
 * it only behind NEWKEYS; 1.10, 1.11): two KiB for each such connection, which nobody can free. The search for leaks is
 * not told of them.
 */
#if SANITIZES_ADDRESS
#include <sanitizer/lsan_interface.h>
#define LIBSSH2_LEAKS_BEGIN() __lsan_disable()
#define LIBSSH2_LEAKS_END() __lsan_enable()
#else
#define LIBSSH2_LEAKS_BEGIN() ((void)0)
#define LIBSSH2_LEAKS_END() ((void)0)
#endif

static void teardown(struct ssh_session *session)
{
    struct ssh_channel *channel;

    /* The socket is shut down, so nothing here can wait for the peer; the bounds are for a libssh2 that
       thinks so. A key exchange that is left in the middle keeps its keys: on the dead socket it ends and
       frees them. */
    LIBSSH2_LEAKS_BEGIN();
    for (int i = 0; session->in_handshake && i < 100; i++)
        session->in_handshake =
            libssh2_session_handshake(session->ssh, session->socket->fd) == LIBSSH2_ERROR_EAGAIN;
    LIBSSH2_LEAKS_END();
    for (int i = 0; session->ssh != NULL && i < 100; i++)
        if (libssh2_session_free(session->ssh) != LIBSSH2_ERROR_EAGAIN)
            session->ssh = NULL;
    while ((channel = TAILQ_FIRST(&session->channels)) != NULL) {
        TAILQ_REMOVE(&session->channels, channel, link);
        ssh_channel_release(channel);
    }
    if (session->socket != NULL) {
        close(session->socket->fd);
        free(session->socket);
    }
    if (session->addresses != NULL)
        freeaddrinfo(session->addresses);
    text_release(&session->relay_said);
    arena_destroy(session->arena);
    free(session);
}

static void handle_closed(struct ssh_session *session)
{
    if (--session->handles == 0)
        teardown(session);
}

static void on_timer_closed(uv_handle_t *handle)
{
    handle_closed(handle->data);
}

static void on_socket_closed(uv_handle_t *handle)
{
    struct ssh_socket *socket = handle->data;

    if (socket->session != NULL) {
        handle_closed(socket->session);
        return;
    }
    close(socket->fd);
    free(socket);
}

static void ssh_close(struct session *base)
{
    struct ssh_session *session = (struct ssh_session *)base;

    session->state = SSH_CLOSED;
    login_left(&session->context->hosts, session);
    uv_cancel((uv_req_t *)&session->resolve);
    hop_leave(&session->way);
    if (session->relay != NULL)
        process_drop(steal_pointer(session->relay), SIGTERM);
    if (session->socket != NULL) {
        shutdown(session->socket->fd, SHUT_RDWR);
        session->handles++;
        uv_close((uv_handle_t *)&session->socket->poll, on_socket_closed);
    }
    uv_close((uv_handle_t *)&session->deadline, on_timer_closed);
    uv_close((uv_handle_t *)&session->wake, on_timer_closed);
}

enum step ssh_fail(struct ssh_session *session, enum transport_failure failure, const struct reason *why)
{
    session->state = SSH_FAILED;
    uv_timer_stop(&session->deadline);
    uv_timer_stop(&session->wake);
    if (session->socket != NULL)
        uv_poll_stop(&session->socket->poll);
    session->base.events->closed(session->base.context, failure, why);
    return STEP_BLOCKED;
}

const struct reason *ssh_error(struct ssh_session *session)
{
    char *text = NULL;

    libssh2_session_last_error(session->ssh, &text, NULL, 0);
    return text != NULL && *text != '\0' ? reason_quote(session->arena, slice_of(text))
                                         : REASON(unknown_error);
}

/* ---- deadlines ---- */

static const struct reason *state_words(enum ssh_state state)
{
    switch (state) {
    case SSH_WAY:
        return REASON(way_through_jump_hosts);
    case SSH_RESOLVE:
        return REASON(address_lookup);
    case SSH_CONNECT:
        return REASON(tcp_connection);
    case SSH_HANDSHAKE:
        return REASON(banner_and_key_exchange);
    case SSH_AUTH:
        return REASON(authentication);
    case SSH_READY:
        return REASON(channel_opening);
    case SSH_FAILED:
    case SSH_CLOSED:
    default:
        return REASON(the_session);
    }
}

static struct addrinfo *next_address(struct ssh_session *session)
{
    return session->address != NULL ? session->address->ai_next : NULL;
}

static void give_up_socket(struct ssh_session *session);
static enum step start_connect(struct ssh_session *session);

/* Of the present state: by our deadline, or because the kernel gives up before it (net.ipv4.tcp_syn_retries). */
static enum step no_answer(struct ssh_session *session, uint64_t after_ms)
{
    return ssh_fail(session, TRANSPORT_UNREACHABLE,
                    reason(session->arena, no_answer_during, address_of(session->target),
                           port_of(session->target), arena_printf(session->arena, "%.1f", after_ms / 1e3),
                           state_words(session->state)));
}

static void on_deadline(uv_timer_t *timer)
{
    struct ssh_session *session = timer->data;

    if (session->state == SSH_CONNECT && next_address(session) != NULL) {
        give_up_socket(session);
        session->address = next_address(session);
        start_connect(session);
        return;
    }
    no_answer(session, session->context->options.connect_timeout_ms);
}

static void enter(struct ssh_session *session, enum ssh_state state)
{
    session->state = state;
    session->entered = uv_now(session->context->loop);
    if (state == SSH_READY || state == SSH_WAY) /* the way has deadlines of its own */
        uv_timer_stop(&session->deadline);
    else
        uv_timer_start(&session->deadline, on_deadline, session->context->options.connect_timeout_ms, 0);
}

/* In SSH_READY the deadline is that of the channel that is due first. */
static void arm_channel_deadline(struct ssh_session *session)
{
    uint64_t due = ssh_channels_due(session), now = uv_now(session->context->loop);

    if (due == 0)
        uv_timer_stop(&session->deadline);
    else
        uv_timer_start(&session->deadline, on_deadline, due > now ? due - now : 0, 0);
}

/* ---- resolve and connect ---- */

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct ssh_socket *socket = poll->data;

    /* An error shows itself in the next read or write, with its cause. */
    (void)status;
    (void)events;
    if (socket->session != NULL)
        pump(socket->session);
}

static void give_up_socket(struct ssh_session *session)
{
    struct ssh_socket *socket = steal_pointer(session->socket);

    if (socket == NULL)
        return;
    socket->session = NULL;
    uv_close((uv_handle_t *)&socket->poll, on_socket_closed);
}

static void set_option(int fd, int level, int option, int value)
{
    setsockopt(fd, level, option, &value, sizeof value);
}

/*
 * Half-open TCP is found within 20 to 26 s: 10 s idle and 3 probes 5 s apart, or 20 s of unacknowledged data. For a
 * connected socket only: while it connects, TCP_USER_TIMEOUT would end it before a longer deadline of ours.
 */
static void set_connected_options(int fd)
{
    set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, 10);
    set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, 5);
    set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
    set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, 20000);
    set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
}

static struct ssh_socket *socket_create(struct ssh_session *session, int fd)
{
    struct ssh_socket *socket = mem_alloc(sizeof *socket);

    socket->fd = fd;
    socket->session = session;
    uv_poll_init(session->context->loop, &socket->poll, fd);
    socket->poll.data = socket;
    return socket;
}

static enum step connect_failed(struct ssh_session *session, int error)
{
    give_up_socket(session);
    if (next_address(session) != NULL) {
        session->address = next_address(session);
        return start_connect(session);
    }
    if (error == ETIMEDOUT)
        return no_answer(session, uv_now(session->context->loop) - session->entered);
    return ssh_fail(session, TRANSPORT_UNREACHABLE,
                    error == ECONNREFUSED
                        ? reason(session->arena, connection_refused, address_of(session->target),
                                 port_of(session->target))
                        : reason(session->arena, connect_failed, address_of(session->target),
                                 port_of(session->target), strerror(error)));
}

static enum step start_connect(struct ssh_session *session)
{
    const struct addrinfo *address = session->address;
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    enter(session, SSH_CONNECT);
    if (fd < 0)
        return connect_failed(session, errno);
    session->socket = socket_create(session, fd);
    if (connect(fd, address->ai_addr, address->ai_addrlen) != 0 && errno != EINPROGRESS)
        return connect_failed(session, errno);
    uv_poll_start(&session->socket->poll, UV_WRITABLE, on_poll);
    return STEP_BLOCKED;
}

static void on_resolved(uv_getaddrinfo_t *resolve, int status, struct addrinfo *addresses)
{
    struct ssh_session *session = resolve->data;

    session->addresses = session->address = addresses;
    if (session->state == SSH_RESOLVE) {
        if (status != 0)
            ssh_fail(
                session, TRANSPORT_UNREACHABLE,
                reason(session->arena, address_not_known, address_of(session->target), uv_strerror(status)));
        else
            start_connect(session);
    }
    handle_closed(session);
}

/* ---- through jump hosts ---- */

static void on_relay_bytes(void *context, int stream, const char *bytes, size_t length)
{
    struct ssh_session *session = context;

    (void)stream;
    text_add(&session->relay_said, bytes, length);
}

/* The jump host has had its time to say why. */
static void on_relay_explained(uv_timer_t *timer)
{
    struct ssh_session *session = timer->data;
    const char *host = address_of(session->target);
    unsigned port = port_of(session->target);
    enum transport_failure failure = TRANSPORT_UNREACHABLE;
    const struct reason *why;

    if (strstr(session->relay_said.bytes, HOP_RELAY_FAILED) != NULL)
        failure = hop_explain(session->way.hop, host, port, session->relay_began, session->arena, &why);
    else
        why = reason(session->arena, ended_before_ssh_behind_jump, host, port, session->target->jump);
    ssh_fail(session, failure, why);
}

/* Once the session is there, its socket tells that it has ended. */
static void on_relay_done(void *context, int status, int signal)
{
    struct ssh_session *session = context;

    (void)status;
    (void)signal;
    session->relay = NULL;
    if (session->state != SSH_CONNECT && session->state != SSH_HANDSHAKE)
        return;
    session->relay_broke = true;
    uv_poll_stop(&session->socket->poll);
    uv_timer_start(&session->deadline, on_relay_explained, HOP_EXPLAINS_MS, 0);
}

static const struct process_events relay_events = {on_relay_bytes, on_relay_done};

static void start_relay(void *context)
{
    struct ssh_session *session = context;
    char port[16], *words[HOP_RELAY_WORDS + 1];
    int ends[2], error = 0;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        ssh_fail(session, TRANSPORT_UNREACHABLE, reason(session->arena, no_socket, strerror(errno)));
        return;
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    snprintf(port, sizeof port, "%u", port_of(session->target));
    hop_relay_words(session->way.hop, address_of(session->target), port, words);
    session->relay_began = uv_now(session->context->loop);
    session->relay = process_start_on(session->context->loop, words, ends[1], &relay_events, session, &error);
    for (size_t i = 0; i < HOP_RELAY_WORDS; i++)
        free(words[i]);
    close(ends[1]);
    session->socket = socket_create(session, ends[0]);
    if (session->relay == NULL) {
        ssh_fail(session, TRANSPORT_UNREACHABLE, reason(session->arena, ssh_not_started, uv_strerror(error)));
        return;
    }
    enter(session, SSH_CONNECT);
    pump(session);
}

static void on_way_failed(void *context, const struct reason *why)
{
    ssh_fail(context, TRANSPORT_JUMP_FAILED, why);
}

static enum step step_way(struct ssh_session *session)
{
    if (!hop_needed(session->target)) {
        enter(session, SSH_RESOLVE);
        return STEP_MOVED;
    }
    if (session->way.hop == NULL)
        hop_wait(session->context, session->target, &session->way);
    return STEP_BLOCKED;
}

/* Numeric addresses need no thread of the pool; names do. */
static enum step step_resolve(struct ssh_session *session)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST};
    const char *address = address_of(session->target);
    char port[16];
    int error;

    snprintf(port, sizeof port, "%u", port_of(session->target));
    if (getaddrinfo(address, port, &hints, &session->addresses) == 0) {
        session->address = session->addresses;
        return start_connect(session);
    }
    hints.ai_flags = AI_ADDRCONFIG;
    session->resolve.data = session;
    session->handles++;
    error = uv_getaddrinfo(session->context->loop, &session->resolve, on_resolved, address, port, &hints);
    if (error == 0)
        return STEP_BLOCKED;
    session->handles--;
    return ssh_fail(session, TRANSPORT_UNREACHABLE,
                    reason(session->arena, address_not_looked_up, address, uv_strerror(error)));
}

static struct known_hosts *known_hosts_of(struct ssh_session *session)
{
    struct transport_context *context = session->context;
    const char *path = session->target->known_hosts;

    return known_hosts_get(&context->known_hosts, path != NULL ? path : context->options.known_hosts,
                           session->target->known_hosts_and_system);
}

/*
 * What OpenSSH's own client offers, of what libssh2 has, in libssh2's order: nothing with SHA-1, MD5, CBC or RC4. Every
 * sshd since OpenSSH 6.5 has something of each row. chacha20-poly1305 and the -etm MACs, which a later libssh2 has too, stay
 * out: without strict key exchange the beginning of a session can be cut off unseen (CVE-2023-48795).
 */
static const struct {
    int method;
    const char *names;
} offers[] = {
    {LIBSSH2_METHOD_KEX,
     "curve25519-sha256,curve25519-sha256@libssh.org,ecdh-sha2-nistp256,ecdh-sha2-nistp384,"
     "ecdh-sha2-nistp521,diffie-hellman-group-exchange-sha256,diffie-hellman-group16-sha512,"
     "diffie-hellman-group18-sha512,diffie-hellman-group14-sha256"},
    {LIBSSH2_METHOD_CRYPT_CS, CIPHERS},
    {LIBSSH2_METHOD_CRYPT_SC, CIPHERS},
    {LIBSSH2_METHOD_MAC_CS, MACS},
    {LIBSSH2_METHOD_MAC_SC, MACS},
};

/* False: this libssh2 has nothing of a row. */
static bool set_offers(struct ssh_session *session)
{
    cleanup_text struct text order = {0};

    text_init(&order, 1024);
    known_hosts_order(known_hosts_of(session), address_of(session->target), port_of(session->target), &order);
    for (size_t i = 0; i < ARRAY_SIZE(offers); i++)
        if (libssh2_session_method_pref(session->ssh, offers[i].method, offers[i].names) != 0)
            return false;
    return libssh2_session_method_pref(session->ssh, LIBSSH2_METHOD_HOSTKEY, order.bytes) == 0;
}

/* As libssh2's own, which answers -errno; and counts. */
static LIBSSH2_RECV_FUNC(receive)
{
    struct ssh_session *session = *abstract;
    ssize_t got = recv(socket, buffer, length, flags);

    if (got < 0)
        return errno == EINTR || errno == EWOULDBLOCK ? -EAGAIN : -errno;
    session->received += (uint64_t)got;
    return got;
}

static LIBSSH2_ALLOC_FUNC(take_memory)
{
    (void)abstract;
    return malloc(count);
}

static LIBSSH2_FREE_FUNC(clear_memory)
{
    (void)abstract;
    if (ptr != NULL)
        memory_clear(ptr, malloc_usable_size(ptr));
    free(ptr);
}

static LIBSSH2_REALLOC_FUNC(change_memory)
{
    size_t had = ptr != NULL ? malloc_usable_size(ptr) : 0;
    void *other = malloc(count);

    if (other != NULL && ptr != NULL) {
        memcpy(other, ptr, had < count ? had : count);
        clear_memory(ptr, abstract);
    }
    return other;
}

static enum step step_connect(struct ssh_session *session)
{
    int error = 0;
    socklen_t length = sizeof error;

    getsockopt(session->socket->fd, SOL_SOCKET, SO_ERROR, &error, &length);
    if (error != 0)
        return connect_failed(session, error);
    set_connected_options(session->socket->fd);
    /* libssh2 copies a password into packets of its own. */
    session->ssh = session->context->options.password != NULL
                       ? libssh2_session_init_ex(take_memory, clear_memory, change_memory, session)
                       : libssh2_session_init_ex(NULL, NULL, NULL, session);
    if (session->ssh == NULL)
        return ssh_fail(session, TRANSPORT_UNREACHABLE, REASON(no_libssh2_session));
    libssh2_session_callback_set(session->ssh, LIBSSH2_CALLBACK_RECV, __extension__(void *) receive);
    libssh2_session_set_blocking(session->ssh, 0);
    if (!set_offers(session))
        return ssh_fail(session, TRANSPORT_INCAPABLE,
                        reason(session->arena, no_algorithms_to_offer, ssh_error(session)));
    enter(session, SSH_HANDSHAKE);
    return STEP_MOVED;
}

/* ---- host key and authentication ---- */

/* The key's type is the first string in its blob. */
static void host_key_type(const char *key, size_t length, char *ret_type, size_t size)
{
    size_t named = length >= 4 ? (size_t)(unsigned char)key[2] << 8 | (unsigned char)key[3] : 0;

    if (length < 4 + named || named >= size)
        named = 0;
    memcpy(ret_type, key + 4, named);
    ret_type[named] = '\0';
}

static enum step accept_new_key(struct ssh_session *session, const char *type, const char *key, size_t length)
{
    const char *host = address_of(session->target);
    unsigned port = port_of(session->target);

    if (!session->context->options.accept_new_host_keys)
        return ssh_fail(session, TRANSPORT_HOST_KEY_UNKNOWN,
                        reason(session->arena, host_key_of_unknown, host, port, port, host));
    if (!known_hosts_add(known_hosts_of(session), host, port, type, key, length))
        return ssh_fail(session, TRANSPORT_HOST_KEY_UNKNOWN,
                        reason(session->arena, host_key_not_written, host, port));
    enter(session, SSH_AUTH);
    return STEP_MOVED;
}

static enum step host_key_changed(struct ssh_session *session, const struct known_host_line *line)
{
    const char *host = address_of(session->target);
    unsigned port = port_of(session->target);
    cleanup_free char *name = known_hosts_name(host, port);

    return ssh_fail(session, TRANSPORT_HOST_KEY_CHANGED,
                    reason(session->arena, host_key_of_differs, host, port, line->path, line->number, name));
}

static enum step known_hosts_unreadable(struct ssh_session *session, const struct known_host_line *line)
{
    if (line->number == 0)
        return ssh_fail(session, TRANSPORT_HOST_KEY_UNKNOWN,
                        reason(session->arena, known_hosts_unreadable, line->path));
    return ssh_fail(session, TRANSPORT_HOST_KEY_UNKNOWN,
                    reason(session->arena, known_hosts_line_unreadable, address_of(session->target),
                           port_of(session->target), line->path, line->number));
}

static enum step host_key_unsure(struct ssh_session *session, enum known_host answer,
                                 const struct known_host_line *line)
{
    const char *host = address_of(session->target);
    unsigned port = port_of(session->target);

    switch (answer) {
    case KNOWN_HOST_REVOKED:
        return ssh_fail(session, TRANSPORT_HOST_KEY_CHANGED,
                        reason(session->arena, host_key_of_revoked, host, port, line->path, line->number));
    case KNOWN_HOST_BEYOND:
        return ssh_fail(session, TRANSPORT_INCAPABLE,
                        reason(session->arena, known_hosts_beyond_libssh2, host, port));
    case KNOWN_HOST_UNREADABLE:
        return known_hosts_unreadable(session, line);
    case KNOWN_HOST_CHANGED:
    case KNOWN_HOST_UNKNOWN:
    case KNOWN_HOST_MATCH:
    default:
        return host_key_changed(session, line);
    }
}

static enum step check_host_key(struct ssh_session *session)
{
    size_t length = 0;
    int number;
    char type[64];
    const char *key = libssh2_session_hostkey(session->ssh, &length, &number);
    struct known_host_line line;
    enum known_host answer;

    if (key == NULL)
        return ssh_fail(
            session, TRANSPORT_UNREACHABLE,
            reason(session->arena, no_host_key_shown, address_of(session->target), port_of(session->target)));
    host_key_type(key, length, type, sizeof type);
    answer = known_hosts_check(known_hosts_of(session), address_of(session->target), port_of(session->target),
                               type, key, length, &line);
    if (answer == KNOWN_HOST_UNKNOWN)
        return accept_new_key(session, type, key, length);
    if (answer != KNOWN_HOST_MATCH)
        return host_key_unsure(session, answer, &line);
    enter(session, SSH_AUTH);
    return STEP_MOVED;
}

static bool is_broken(int rc)
{
    return rc == LIBSSH2_ERROR_SOCKET_DISCONNECT || rc == LIBSSH2_ERROR_SOCKET_RECV ||
           rc == LIBSSH2_ERROR_SOCKET_SEND;
}

static enum step step_handshake(struct ssh_session *session)
{
    const char *host = address_of(session->target);
    unsigned port = port_of(session->target);
    int rc = libssh2_session_handshake(session->ssh, session->socket->fd);

    session->in_handshake = rc == LIBSSH2_ERROR_EAGAIN;
    if (session->relay != NULL && is_broken(rc)) {
        session->relay_broke = true;
        return STEP_BLOCKED;
    }
    switch (rc) {
    case 0:
        return check_host_key(session);
    case LIBSSH2_ERROR_EAGAIN:
        return STEP_BLOCKED;
    case LIBSSH2_ERROR_KEX_FAILURE:
    case LIBSSH2_ERROR_KEY_EXCHANGE_FAILURE:
    case LIBSSH2_ERROR_METHOD_NONE:
    case LIBSSH2_ERROR_METHOD_NOT_SUPPORTED:
        return ssh_fail(session, TRANSPORT_INCAPABLE,
                        reason(session->arena, no_key_exchange, host, port, ssh_error(session)));
    case LIBSSH2_ERROR_BANNER_RECV:
        return ssh_fail(session, TRANSPORT_UNREACHABLE, reason(session->arena, speaks_no_ssh, host, port));
    case LIBSSH2_ERROR_SOCKET_DISCONNECT:
    case LIBSSH2_ERROR_SOCKET_RECV:
    case LIBSSH2_ERROR_SOCKET_SEND:
        return ssh_fail(session, TRANSPORT_UNREACHABLE,
                        reason(session->arena, ended_before_ssh_session, host, port));
    default:
        return ssh_fail(session, TRANSPORT_UNREACHABLE,
                        reason(session->arena, no_ssh_session, host, port, ssh_error(session)));
    }
}

static const char *user_of(const struct remote_target *target)
{
    const struct passwd *self = target->user == NULL ? getpwuid(getuid()) : NULL;

    return target->user != NULL ? target->user : self != NULL ? self->pw_name : "root";
}

static enum step logged_in(struct ssh_session *session)
{
    enter(session, SSH_READY);
    session->base.events->ready(session->base.context);
    return STEP_MOVED;
}

static enum step auth_broke(struct ssh_session *session)
{
    return ssh_fail(session, TRANSPORT_UNREACHABLE,
                    reason(session->arena, broke_during_authentication, address_of(session->target)));
}

/* Without a password that is the end; with one it is the next thing to try. */
static enum step key_refused(struct ssh_session *session, const struct reason *why)
{
    session->key_refused = why;
    if (session->context->options.password == NULL)
        return ssh_fail(session, TRANSPORT_AUTH_REFUSED, why);
    session->login = LOGIN_ASKS;
    return STEP_MOVED;
}

static LIBSSH2_USERAUTH_PUBLICKEY_SIGN_FUNC(sign)
{
    const struct identity *identity = *abstract;

    (void)session;
    *sig = malloc(IDENTITY_SIGNATURE);
    if (*sig == NULL || !identity_sign(identity, data, data_len, *sig)) {
        free(*sig);
        *sig = NULL;
        return -1;
    }
    *sig_len = IDENTITY_SIGNATURE;
    return 0;
}

static int show_key(struct ssh_session *session, const struct identity *identity, const char *user)
{
    if (identity->signer != NULL) {
        void *signer = (void *)identity;

        return libssh2_userauth_publickey(session->ssh, user, (const unsigned char *)identity->blob,
                                          identity->blob_length, sign, &signer);
    }
    return libssh2_userauth_publickey_frommemory(session->ssh, user, strlen(user), identity->public,
                                                 identity->public != NULL ? strlen(identity->public) : 0,
                                                 identity->bytes, identity->length, NULL);
}

static enum step login_by_key(struct ssh_session *session)
{
    const struct remote_target *target = session->target;
    const struct identity *identity = identity_get(&session->context->identities, target->identity);
    const char *user = user_of(target);
    int rc;

    if (identity == NULL)
        return key_refused(session, REASON(no_key_to_log_in));
    if (identity->fault != NULL)
        return key_refused(session, reason(session->arena, use_another_key, identity->fault));
    rc = show_key(session, identity, user);
    if (rc == LIBSSH2_ERROR_EAGAIN)
        return STEP_BLOCKED;
    if (is_broken(rc))
        return auth_broke(session);
    if (rc != 0)
        return key_refused(session, reason(session->arena, key_refused, user, address_of(target),
                                           port_of(target), identity->path, ssh_error(session)));
    return logged_in(session);
}

static enum step password_untried(struct ssh_session *session, const struct reason *why)
{
    const char *user = user_of(session->target), *host = address_of(session->target);
    unsigned port = port_of(session->target);

    return ssh_fail(
        session, TRANSPORT_AUTH_REFUSED,
        session->key_refused != NULL
            ? reason(session->arena, login_refused_after, user, host, port, why, session->key_refused)
            : reason(session->arena, login_refused, user, host, port, why));
}

static enum step password_refused(struct ssh_session *session, const struct reason *why)
{
    login_refused(&session->context->hosts);
    return password_untried(session, why);
}

/* Which ways the host has besides the key. */
static enum step login_asks(struct ssh_session *session)
{
    const char *user = user_of(session->target);
    const char *ways;

    if (login_given_up(&session->context->hosts))
        return password_untried(session, REASON(password_not_tried));
    session->waiting = !login_may_try(&session->context->hosts, session);
    if (session->waiting) {
        enter(session, SSH_AUTH); /* it is we who wait, not the host */
        uv_timer_start(&session->wake, on_wake, LOGIN_WAIT_MS, 0);
        return STEP_BLOCKED;
    }
    ways = libssh2_userauth_list(session->ssh, user, (unsigned)strlen(user));
    if (ways == NULL && libssh2_session_last_errno(session->ssh) == LIBSSH2_ERROR_EAGAIN)
        return STEP_BLOCKED;
    if (ways == NULL && libssh2_userauth_authenticated(session->ssh))
        return logged_in(session);
    if (ways == NULL)
        return is_broken(libssh2_session_last_errno(session->ssh))
                   ? auth_broke(session)
                   : password_refused(session, ssh_error(session));
    if (strstr(ways, "password") != NULL)
        session->login = LOGIN_BY_PASSWORD;
    else if (strstr(ways, "keyboard-interactive") != NULL)
        session->login = LOGIN_BY_QUESTIONS;
    else
        return password_refused(session, REASON(takes_keys_only));
    return STEP_MOVED;
}

/* The first question without echo is the one for the password; further ones (a code of the hour) nobody can answer. */
static LIBSSH2_USERAUTH_KBDINT_RESPONSE_FUNC(answer_questions)
{
    struct ssh_session *session = *abstract;

    (void)name;
    (void)name_len;
    (void)instruction;
    (void)instruction_len;
    for (int i = 0; i < num_prompts; i++) {
        bool asked = !prompts[i].echo && session->questions++ == 0;

        responses[i].text = mem_strdup(asked ? secret_text(session->context->options.password) : "");
        responses[i].length = (unsigned)strlen(responses[i].text);
    }
}

static enum step login_by_password(struct ssh_session *session)
{
    const char *user = user_of(session->target), *password = secret_text(session->context->options.password);
    int rc = session->login == LOGIN_BY_PASSWORD
                 ? libssh2_userauth_password_ex(session->ssh, user, (unsigned)strlen(user), password,
                                                (unsigned)strlen(password), NULL)
                 : libssh2_userauth_keyboard_interactive_ex(session->ssh, user, (unsigned)strlen(user),
                                                            answer_questions);

    if (rc == LIBSSH2_ERROR_EAGAIN)
        return STEP_BLOCKED;
    if (is_broken(rc))
        return auth_broke(session);
    if (rc == LIBSSH2_ERROR_PASSWORD_EXPIRED)
        return password_refused(session, REASON(password_expired));
    if (rc != 0)
        return password_refused(session, session->questions > 1 ? REASON(asks_for_more_than_password)
                                                                : REASON(password_refused));
    login_taken(&session->context->hosts);
    return logged_in(session);
}

static enum step step_auth(struct ssh_session *session)
{
    switch (session->login) {
    case LOGIN_BY_KEY:
        return login_by_key(session);
    case LOGIN_ASKS:
        return login_asks(session);
    case LOGIN_BY_PASSWORD:
    case LOGIN_BY_QUESTIONS:
    default:
        return login_by_password(session);
    }
}

/* ---- the pump ---- */

/*
 * Without a channel libssh2 has no call that reads. An idle host that says something (a keepalive request, or
 * the end) would wake us for ever, so the session is ended; the next job makes another.
 */
static enum step listen_idle(struct ssh_session *session)
{
    char byte;
    ssize_t got;

    got = recv(session->socket->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (got >= 0 || (errno != EAGAIN && errno != EINTR))
        return ssh_fail(session, TRANSPORT_UNREACHABLE, REASON(idle_connection_ended));
    return STEP_BLOCKED;
}

/*
 * A call for one channel takes in what came for all of them and may say EAGAIN all the same; the others have been
 * asked before. So as long as something came they are asked again: the socket will not tell of it a second time.
 */
static enum step step_ready(struct ssh_session *session)
{
    uint64_t before = session->received;
    enum step moved;

    if (TAILQ_EMPTY(&session->channels))
        return listen_idle(session);
    moved = ssh_step_channels(session);
    return session->received != before ? STEP_MOVED : moved;
}

static enum step step(struct ssh_session *session)
{
    if (session->relay_broke)
        return STEP_BLOCKED;
    switch (session->state) {
    case SSH_WAY:
        return step_way(session);
    case SSH_RESOLVE:
        return step_resolve(session);
    case SSH_CONNECT:
        return step_connect(session);
    case SSH_HANDSHAKE:
        return step_handshake(session);
    case SSH_AUTH:
        return step_auth(session);
    case SSH_READY:
        return step_ready(session);
    case SSH_FAILED:
    case SSH_CLOSED:
    default:
        return STEP_BLOCKED;
    }
}

static int wanted_events(struct ssh_session *session)
{
    int directions = libssh2_session_block_directions(session->ssh), events = 0;

    if (session->state == SSH_READY)
        return UV_READABLE | (session->sender != NULL ? UV_WRITABLE : 0);
    if (directions & LIBSSH2_SESSION_BLOCK_INBOUND)
        events |= UV_READABLE;
    if (directions & LIBSSH2_SESSION_BLOCK_OUTBOUND)
        events |= UV_WRITABLE;
    return events != 0 ? events : UV_WRITABLE; /* libssh2 may say neither; then it waits to write */
}

static void arm(struct ssh_session *session, bool more)
{
    if (session->socket != NULL &&
        (session->relay_broke || (session->state == SSH_AUTH && session->waiting))) {
        uv_poll_stop(&session->socket->poll);
        return;
    }
    if (session->state == SSH_HANDSHAKE || session->state == SSH_AUTH || session->state == SSH_READY)
        uv_poll_start(&session->socket->poll, wanted_events(session), on_poll);
    if (session->state == SSH_READY)
        arm_channel_deadline(session);
    if (more && session->state == SSH_READY)
        ssh_wake(session);
}

static void pump(struct ssh_session *session)
{
    int turns = TURN_ROUNDS;

    if (session->pumping)
        return;
    session->pumping = true;
    while (turns-- > 0 && step(session) == STEP_MOVED)
        ;
    session->pumping = false;
    arm(session, turns < 0);
}

static void on_wake(uv_timer_t *timer)
{
    pump(timer->data);
}

void ssh_wake(struct ssh_session *session)
{
    uv_timer_start(&session->wake, on_wake, 0, 0);
}

/* ---- the vtable ---- */

static struct session *ssh_connect(struct transport_context *context, const struct remote_target *target,
                                   const struct session_events *events, void *event_context)
{
    struct ssh_session *session = mem_alloc(sizeof *session);

    session->base = (struct session){&transport_ssh, events, event_context};
    session->context = context;
    session->target = target;
    session->arena = arena_create();
    TAILQ_INIT(&session->channels);
    uv_timer_init(context->loop, &session->deadline);
    uv_timer_init(context->loop, &session->wake);
    session->deadline.data = session->wake.data = session;
    session->handles = 2;
    session->way = (struct hop_waiter){.ready = start_relay, .failed = on_way_failed, .context = session};
    text_init(&session->relay_said, RELAY_SAID_LIMIT);
    enter(session, SSH_WAY);
    ssh_wake(session);
    return &session->base;
}

const struct transport_class transport_ssh = {"ssh", 3, ssh_connect, ssh_exec, ssh_drop, ssh_close};

const struct reason *transport_ssh_fault(struct transport_context *context,
                                         const struct remote_target *target)
{
    const struct identity *identity;

    if (context->options.password != NULL)
        return NULL; /* whatever key there is or is not */
    identity = identity_get(&context->identities, target->identity);
    if (identity == NULL)
        return REASON(no_key_file);
    return identity->fault;
}

const char *transport_ssh_version(void)
{
    return libssh2_version(0);
}
