/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: bench_bare_ssh HOSTS PORT USER KEY WINDOW COMMAND
 *
 * The least that a libssh2 client can do: at most WINDOW connections at a time in one epoll loop; each is logged in by
 * the key, runs COMMAND, reads its output and ends. HOSTS is a file of addresses, one a line. It checks no host key,
 * keeps no deadline and writes nothing down: scripts/benches/fan-out compares the controller, which does, with it.
 * Ends with 1 when any host gave no output.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <libssh2.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { KEY_BYTES = 16 * 1024, EVENTS = 256 };

enum stage { HANDSHAKE, AUTH, OPEN, EXEC, READ, CLOSE, FREE, OVER };

struct peer {
    struct sockaddr_in address;
    int fd;
    LIBSSH2_SESSION *session;
    LIBSSH2_CHANNEL *channel;
    enum stage stage;
    bool failed;
    size_t got;
};

static struct {
    const char *user, *command;
    char key[KEY_BYTES];
    size_t key_length;
    int epoll;
} given;

static void die(const char *what)
{
    perror(what);
    exit(70);
}

static void wait_for(struct peer *peer, int operation)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = peer};

    if (peer->session == NULL ||
        libssh2_session_block_directions(peer->session) != LIBSSH2_SESSION_BLOCK_INBOUND)
        event.events = EPOLLIN | EPOLLOUT;
    if (epoll_ctl(given.epoll, operation, peer->fd, &event) != 0)
        die("epoll_ctl");
}

static void begin(struct peer *peer)
{
    int on = 1;

    peer->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (peer->fd < 0)
        die("socket");
    setsockopt(peer->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(peer->fd, (struct sockaddr *)&peer->address, sizeof peer->address) != 0 &&
        errno != EINPROGRESS)
        die("connect");
    wait_for(peer, EPOLL_CTL_ADD);
    peer->session = libssh2_session_init();
    libssh2_session_set_blocking(peer->session, 0);
}

/* What libssh2 answers; what it has made counts as 0. */
static long advance(struct peer *peer)
{
    char bytes[4096];

    switch (peer->stage) {
    case HANDSHAKE:
        return libssh2_session_handshake(peer->session, peer->fd);
    case AUTH:
        return libssh2_userauth_publickey_frommemory(peer->session, given.user, strlen(given.user), NULL, 0,
                                                     given.key, given.key_length, NULL);
    case OPEN:
        peer->channel = libssh2_channel_open_session(peer->session);
        return peer->channel != NULL ? 0 : libssh2_session_last_errno(peer->session);
    case EXEC:
        return libssh2_channel_exec(peer->channel, given.command);
    case READ:
        return libssh2_channel_read(peer->channel, bytes, sizeof bytes);
    case CLOSE:
        return libssh2_channel_close(peer->channel);
    case FREE:
    case OVER:
    default:
        return libssh2_channel_free(peer->channel);
    }
}

static void end(struct peer *peer)
{
    libssh2_session_set_blocking(peer->session, 1);
    libssh2_session_disconnect(peer->session, "done");
    libssh2_session_free(peer->session);
    close(peer->fd);
    peer->stage = OVER;
}

/* False: it is over. */
static bool serve(struct peer *peer)
{
    while (peer->stage != OVER) {
        long rc = advance(peer);

        if (rc == LIBSSH2_ERROR_EAGAIN) {
            wait_for(peer, EPOLL_CTL_MOD);
            return true;
        }
        peer->got += peer->stage == READ && rc > 0 ? (size_t)rc : 0;
        peer->failed |= rc < 0;
        if (peer->stage == READ && rc > 0)
            continue;
        if (rc < 0 || ++peer->stage == OVER)
            end(peer);
    }
    return false;
}

static size_t read_peers(const char *path, unsigned port, struct peer **ret_peers)
{
    FILE *file = fopen(path, "re");
    struct peer *peers = NULL;
    size_t count = 0;
    char line[64];

    if (file == NULL)
        die(path);
    while (fgets(line, sizeof line, file) != NULL) {
        peers = realloc(peers, (count + 1) * sizeof *peers);
        if (peers == NULL)
            die("realloc");
        peers[count] = (struct peer){.address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)}};
        line[strcspn(line, "\n")] = '\0';
        if (inet_pton(AF_INET, line, &peers[count++].address.sin_addr) != 1)
            die(line);
    }
    fclose(file);
    *ret_peers = peers;
    return count;
}

static void read_key(const char *path)
{
    FILE *file = fopen(path, "re");

    if (file == NULL)
        die(path);
    given.key_length = fread(given.key, 1, sizeof given.key, file);
    fclose(file);
}

int main(int argc, char **argv)
{
    struct epoll_event events[EVENTS];
    struct peer *peers;
    size_t count, next = 0, open = 0, window, silent = 0;

    if (argc != 7) {
        fprintf(stderr, "usage: bench_bare_ssh HOSTS PORT USER KEY WINDOW COMMAND\n");
        return 64;
    }
    count = read_peers(argv[1], (unsigned)atoi(argv[2]), &peers);
    given.user = argv[3];
    read_key(argv[4]);
    window = (size_t)atoi(argv[5]);
    given.command = argv[6];
    given.epoll = epoll_create1(EPOLL_CLOEXEC);
    while (next < count || open > 0) {
        int ready;

        for (; next < count && open < window; open++)
            begin(&peers[next++]);
        ready = epoll_wait(given.epoll, events, EVENTS, -1);
        for (int i = 0; i < ready; i++)
            open -= !serve(events[i].data.ptr);
    }
    for (size_t i = 0; i < count; i++)
        silent += peers[i].failed || peers[i].got == 0;
    if (silent > 0)
        fprintf(stderr, "%zu of %zu hosts gave no output\n", silent, count);
    return silent > 0;
}
