/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes behind a lab. One has room for so many hosts, each of which takes a listener, a connection, and three pipes for
 * each command that runs; the hosts of a larger lab are divided among several.
 *
 * They listen before the lab's files are written, so that a port in use is told at once and stays ours, and serve when they are
 * told to, through a pipe of each. The first one has the other ends of those of the others: what comes through the lab's
 * control pipe it passes on, and with it the others end.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "lab_private.h"

enum { HOSTS_OF_ONE = 2500, PORT_TRIES = 20 };

struct servers {
    struct lab *lab;
    unsigned count;
    struct lab_server {
        pid_t pid;
        int orders; /* to it: a byte when it is to serve; then, but to the first, what comes through the control pipe */
        int said; /* from it: each time 0, or what went wrong (errno) */
    } * items;
};

/* -- The lock: each server holds its byte of lab.pid for as long as it lives, so the kernel knows the pids ---------- */

pid_t lab_running_pid(const char *directory)
{
    cleanup_free char *path = mem_printf("%s/lab.pid", directory);
    cleanup_fd int fd = open(path, O_RDWR | O_CLOEXEC);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    if (fd < 0 || fcntl(fd, F_GETLK, &lock) < 0 || lock.l_type == F_UNLCK)
        return 0;
    return lock.l_pid;
}

/* Stays open, and thereby locked, until the process ends. */
static int take_lock(const char *directory, unsigned number)
{
    cleanup_free char *path = mem_printf("%s/lab.pid", directory);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = number, .l_len = 1};

    if (fd < 0 || fcntl(fd, F_SETLK, &lock) < 0)
        return -1;
    if (number > 0)
        return 0;
    return ftruncate(fd, 0) == 0 && dprintf(fd, "%d\n", (int)getpid()) > 0 ? 0 : -1;
}

/* -- One of them ----------------------------------------------------------------------------------------------------- */

static void detach(const struct lab *lab)
{
    cleanup_free char *log = mem_printf("%s/server.log", lab->directory);
    cleanup_fd int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    cleanup_fd int out = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);

    setsid();
    if (null >= 0 && out >= 0) {
        dup2(null, STDIN_FILENO);
        dup2(out, STDOUT_FILENO);
        dup2(out, STDERR_FILENO);
    }
    /* A folder that the lab is started from must stay removable. */
    if (chdir("/") < 0)
        perror("chdir");
}

static bool listen_everywhere(const struct lab *lab, struct lab_share *share)
{
    for (unsigned i = 0; i < share->count; i++) {
        share->listeners[i] = lab_listen(share->first + i, lab->port);
        if (share->listeners[i] < 0)
            return false;
    }
    /* Bound with the others, so that nobody else's port answers in its place, and only then given up. */
    for (unsigned i = 0; i < share->count; i++)
        if (fault_find(lab, share->first + i, FAULT_DOWN) != NULL) {
            close(share->listeners[i]);
            share->listeners[i] = -1;
        }
    return true;
}

static struct lab_share share_of(struct arena *arena, const struct lab *lab, unsigned number)
{
    unsigned first = number * HOSTS_OF_ONE, left = lab->hosts - first;
    struct lab_share share = {.first = first + 1, .count = left < HOSTS_OF_ONE ? left : HOSTS_OF_ONE};

    share.listeners = arena_array(arena, int, share.count);
    return share;
}

static void say(int fd, int what)
{
    if (write(fd, &what, sizeof what) != sizeof what)
        _exit(70);
}

/* orders, said: its own ends. */
static void be_server(const struct servers *servers, unsigned number, int orders, int said)
{
    struct arena *arena = arena_create();
    struct lab_share share = share_of(arena, servers->lab, number);
    char go;

    detach(servers->lab);
    if (!listen_everywhere(servers->lab, &share)) {
        say(said, errno);
        _exit(70);
    }
    say(said, 0);
    if (read(orders, &go, 1) != 1)
        _exit(0);
    if (take_lock(servers->lab->directory, number) < 0) {
        fprintf(stderr, "another server took %s/lab.pid\n", servers->lab->directory);
        _exit(70);
    }
    share.orders = orders;
    if (number == 0) {
        close(orders);
        share.orders = -1;
        share.others = arena_array(arena, int, servers->count);
        for (unsigned i = 1; i < servers->count; i++)
            share.others[share.other_count++] = servers->items[i].orders;
    }
    _exit(lab_serve(servers->lab, &share, said));
}

/* -- All of them ----------------------------------------------------------------------------------------------------- */

static void close_ends(struct lab_server *server)
{
    if (server->pid != 0) {
        close(server->orders);
        close(server->said);
    }
}

/* Of those after it, which were made before it, only the first one keeps the ends. */
static void start_one(struct servers *servers, unsigned number, const int orders[2], const int said[2])
{
    struct lab_server *server = &servers->items[number];

    fflush(NULL);
    server->pid = fork();
    if (server->pid == 0) {
        for (unsigned i = number + 1; i < servers->count && number > 0; i++)
            close_ends(&servers->items[i]);
        close(orders[1]);
        close(said[0]);
        be_server(servers, number, orders[0], said[1]);
    }
    close(orders[0]);
    close(said[1]);
    server->orders = orders[1];
    server->said = said[0];
}

/* What it says went wrong; one that is gone says EPIPE. */
static int hear(const struct lab_server *server)
{
    int what;

    return server->pid > 0 && read(server->said, &what, sizeof what) == sizeof what ? what : EPIPE;
}

/* They end, as nobody tells them to serve. */
static void give_up(struct servers *servers)
{
    for (unsigned i = 0; i < servers->count; i++)
        close_ends(&servers->items[i]);
    for (unsigned i = 0; i < servers->count; i++)
        if (servers->items[i].pid > 0)
            waitpid(servers->items[i].pid, NULL, 0);
}

/* On the lab's port; 0, or what went wrong (errno). */
static int start_all(struct servers *servers)
{
    int went = 0;

    for (unsigned i = 0; i < servers->count; i++)
        servers->items[i] = (struct lab_server){0};
    for (unsigned i = servers->count; i-- > 0 && went == 0;) {
        int orders[2], said[2];

        if (pipe2(orders, O_CLOEXEC) < 0)
            went = errno;
        else if (pipe2(said, O_CLOEXEC) < 0) {
            went = errno;
            close(orders[0]);
            close(orders[1]);
        } else
            start_one(servers, i, orders, said);
    }
    for (unsigned i = 0; i < servers->count && went == 0; i++)
        went = hear(&servers->items[i]);
    if (went != 0)
        give_up(servers);
    return went;
}

static unsigned free_port(void)
{
    int fd = lab_listen(1, 0);
    struct sockaddr_in address = {0};
    socklen_t length = sizeof address;
    unsigned port;

    if (fd < 0)
        return 0;
    port = getsockname(fd, (struct sockaddr *)&address, &length) == 0 ? ntohs(address.sin_port) : 0;
    close(fd);
    return port;
}

static void raise_descriptor_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

struct servers *servers_listen(struct arena *arena, struct lab *lab, unsigned wanted, struct error *err)
{
    struct servers *servers = arena_new(arena, struct servers);
    int went = EADDRINUSE;

    raise_descriptor_limit();
    servers->lab = lab;
    servers->count = (lab->hosts + HOSTS_OF_ONE - 1) / HOSTS_OF_ONE;
    servers->items = arena_array(arena, struct lab_server, servers->count);
    for (int tries = 0; tries < (wanted != 0 ? 1 : PORT_TRIES); tries++) {
        lab->port = wanted != 0 ? wanted : free_port();
        went = lab->port != 0 ? start_all(servers) : errno;
        if (went == 0)
            return servers;
    }
    error_set(err, went == EADDRINUSE ? ERROR_USAGE : ERROR_INTERNAL,
              "port %u of 127.1.0.0/16 cannot be opened for %u hosts: %s", lab->port, lab->hosts,
              strerror(went));
    return NULL;
}

int servers_start(struct servers *servers, struct error *err)
{
    bool all = true;

    for (unsigned i = 0; i < servers->count; i++)
        all &= write(servers->items[i].orders, "\n", 1) == 1;
    for (unsigned i = 0; i < servers->count && all; i++)
        all &= hear(&servers->items[i]) == 0;
    if (all)
        return 0;
    return error_set(err, ERROR_INTERNAL, "the lab's server did not start; %s/server.log says why",
                     servers->lab->directory);
}

/* Those that serve go on; the others end, as nobody is left who could tell them to. */
void servers_release(struct servers *servers)
{
    for (unsigned i = 0; i < servers->count; i++)
        close_ends(&servers->items[i]);
}

static bool wait_for_end(const char *directory, pid_t pid)
{
    for (int tries = 0; tries < 250; tries++) {
        struct timespec pause = {.tv_nsec = 20 * 1000000L};

        /* The lock goes before the process does; a zombie that nobody reaps has none either. */
        if (lab_running_pid(directory) != pid && (kill(pid, 0) < 0 || tries > 5))
            return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

int servers_end(const char *directory, bool *ret_running, struct error *err)
{
    *ret_running = false;
    for (pid_t pid; (pid = lab_running_pid(directory)) != 0;) {
        *ret_running = true;
        if (kill(pid, SIGTERM) == 0 && wait_for_end(directory, pid))
            continue;
        kill(pid, SIGKILL);
        if (!wait_for_end(directory, pid))
            return error_set(err, ERROR_INTERNAL, "the lab's server, pid %d, cannot be ended", (int)pid);
    }
    return 0;
}
