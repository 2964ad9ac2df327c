/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process behind a running lab: it listens at the own loopback address of each of its hosts, hands each connection to
 * a thread, reaps what ended connections left behind, and reboots hosts.
 *
 * Addresses of 127.0.0.0/8 only: no other machine can reach a lab. A host that is down has no listener, so
 * the kernel itself refuses; a silent host's listener is never accepted from, so the kernel alone answers.
 *
 * Commands come through the named pipe DIRECTORY/control, one a line: "reboot K", and "cut K", which breaks
 * the connections of host K and leaves what runs there alone.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <libssh/callbacks.h>
#include <libssh/server.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "assay/base/scan.h"
#include "lab_server_private.h"

#define REBOOT_S 3.0
#define TICK_MS 200

static volatile sig_atomic_t stopping;

static void on_stop(int number)
{
    (void)number;
    stopping = 1;
}

static double monotonic(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int lab_listen(unsigned host, unsigned port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    char text[16];
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1, saved;

    inet_pton(AF_INET, lab_address(host, text), &address.sin_addr);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 128) == 0)
        return fd;
    saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

/* What a command on the host sees; only what sanitizers and loaders need is taken from our own environment.
 */
static char **host_environment(struct arena *arena, const struct lab *lab, unsigned host)
{
    static const char *const kept[] = {"ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "LD_LIBRARY_PATH",
                                       "TZ"};
    char **environment = arena_array(arena, char *, 20);
    size_t count = 0;

    environment[count++] = arena_printf(arena, "PATH=%s", lab_host_path(arena, lab, host));
    environment[count++] = arena_printf(arena, "HOME=%s", lab_host_file(arena, lab, host, "home"));
    environment[count++] = arena_printf(arena, "ASSAY_STAGE=%s", lab_host_file(arena, lab, host, "tools"));
    environment[count++] = arena_printf(arena, "USER=%s", lab->user);
    environment[count++] = arena_printf(arena, "LOGNAME=%s", lab->user);
    environment[count++] = arena_strdup(arena, "SHELL=/bin/sh");
    environment[count++] = arena_printf(arena, "ASSAY_LAB_DIR=%s", lab->directory);
    environment[count++] = arena_printf(arena, "ASSAY_LAB_HOST=node%u", host);
    environment[count++] =
        arena_printf(arena, "ASSAY_LAB_BOOT_ID=%s", lab_host_file(arena, lab, host, "boot_id"));
    environment[count++] = arena_printf(arena, "ASSAY_LAB_ROOT=%s", lab_host_file(arena, lab, host, "root"));
    for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
        if (getenv(kept[i]) != NULL)
            environment[count++] = arena_printf(arena, "%s=%s", kept[i], getenv(kept[i]));
    return environment;
}

static void write_boot_id(struct arena *arena, const struct lab *lab, unsigned host)
{
    char *path = lab_host_file(arena, lab, host, "boot_id");
    char *temporary = arena_printf(arena, "%s.new", path);
    unsigned char bytes[16];
    cleanup_file FILE *file = fopen(temporary, "we");

    if (file == NULL || getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return;
    for (size_t i = 0; i < sizeof bytes; i++)
        fprintf(file, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
    fputs("\n", file);
    fclose(steal_pointer(file));
    rename(temporary, path);
}

static void reboot(struct server *server, struct server_host *host)
{
    struct arena *arena = arena_create();

    if (host->fd >= 0) {
        close(host->fd);
        host->fd = -1;
        host->back_at = monotonic() + REBOOT_S;
        write_boot_id(arena, server->lab, host->number);
        unlink(lab_host_file(arena, server->lab, host->number, "kernel.log"));
        sessions_cut(server, host->number);
        lab_sweep(server->lab->directory, host->number);
    }
    arena_destroy(arena);
}

static void obey_line(struct server *server, struct slice line)
{
    const struct lab_share *share = server->share;
    bool cut = scan_text(&line, "cut ");
    uint64_t number;

    if ((!cut && !scan_text(&line, "reboot ")) || !scan_u64(line, &number) || number < share->first ||
        number >= share->first + share->count)
        return;
    if (cut)
        sessions_cut(server, (unsigned)number);
    else
        reboot(server, &server->hosts[number - share->first]);
}

/* What the first process is told, the others hear too: each knows its own hosts. */
static void obey(struct server *server, int control)
{
    char buffer[512];
    ssize_t got = read(control, buffer, sizeof buffer);
    struct slice rest = {buffer, got > 0 ? (size_t)got : 0}, line;

    if (got == 0)
        stopping = 1; /* the first process is gone */
    for (size_t i = 0; i < server->share->other_count && got > 0; i++)
        if (write(server->share->others[i], buffer, (size_t)got) != got)
            fprintf(stderr, "an order did not reach another process of the lab: %s\n", strerror(errno));
    while (scan_line(&rest, &line))
        obey_line(server, line);
}

static void take_connection(struct server_host *host, ssh_bind bind_)
{
    int fd = accept4(host->fd, NULL, NULL, SOCK_CLOEXEC), on = 1;
    ssh_session ssh;

    if (fd < 0)
        return;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ssh = ssh_new();
    if (ssh == NULL || ssh_bind_accept_fd(bind_, ssh, fd) != SSH_OK) {
        ssh_free(ssh);
        close(fd);
        return;
    }
    session_start(host, ssh);
}

static void reap_orphans(struct server *server)
{
    pthread_mutex_lock(&server->lock);
    for (size_t i = 0; i < server->orphans.count;) {
        if (waitpid(server->orphans.items[i], NULL, WNOHANG) != 0)
            server->orphans.items[i] = server->orphans.items[--server->orphans.count];
        else
            i++;
    }
    pthread_mutex_unlock(&server->lock);
}

static void wake_rebooted(struct server *server)
{
    for (unsigned i = 0; i < server->share->count; i++) {
        struct server_host *host = &server->hosts[i];

        if (host->back_at > 0 && monotonic() >= host->back_at) {
            host->fd = lab_listen(host->number, server->lab->port);
            host->back_at = host->fd >= 0 ? 0 : monotonic() + REBOOT_S;
        }
    }
}

static void accept_loop(struct server *server, ssh_bind bind_, int control)
{
    unsigned count = server->share->count;
    cleanup_free struct pollfd *fds = mem_alloc((count + 1) * sizeof *fds);
    sigset_t wait_mask;

    sigemptyset(&wait_mask);
    while (!stopping) {
        struct timespec tick = {.tv_nsec = TICK_MS * 1000000L};

        for (unsigned i = 0; i < count; i++)
            fds[i] =
                (struct pollfd){.fd = server->hosts[i].silent ? -1 : server->hosts[i].fd, .events = POLLIN};
        fds[count] = (struct pollfd){.fd = control, .events = POLLIN};
        if (ppoll(fds, count + 1, &tick, &wait_mask) < 0 && errno != EINTR)
            return;
        for (unsigned i = 0; i < count && !stopping; i++)
            if ((fds[i].revents & POLLIN) != 0)
                take_connection(&server->hosts[i], bind_);
        if (fds[count].revents != 0)
            obey(server, control);
        wake_rebooted(server);
        reap_orphans(server);
    }
}

static int load_keys(struct server *server, struct arena *arena, ssh_bind bind_)
{
    bool no = false;

    ssh_bind_options_set(bind_, SSH_BIND_OPTIONS_PROCESS_CONFIG, &no);
    if (ssh_bind_options_set(bind_, SSH_BIND_OPTIONS_HOSTKEY,
                             arena_printf(arena, "%s/host_key", server->lab->directory)) < 0)
        return -1;
    return ssh_pki_import_pubkey_file(arena_printf(arena, "%s/id_ed25519.pub", server->lab->directory),
                                      &server->user_key) == SSH_OK
               ? 0
               : -1;
}

static void prepare_hosts(struct server *server, struct arena *arena)
{
    const struct lab *lab = server->lab;
    const struct lab_share *share = server->share;

    server->hosts = arena_array(arena, struct server_host, share->count);
    for (unsigned i = 0; i < share->count; i++) {
        unsigned number = share->first + i;

        server->hosts[i] = (struct server_host){
            .server = server,
            .number = number,
            .fd = share->listeners[i],
            .silent = fault_find(lab, number, FAULT_SILENT) != NULL,
            .key_refused = fault_find(lab, number, FAULT_KEY_REFUSED) != NULL,
            .environment = host_environment(arena, lab, number),
            .home = lab_host_file(arena, lab, number, "home"),
        };
        write_boot_id(arena, lab, number);
    }
}

static void catch_signals(void)
{
    struct sigaction stop = {.sa_handler = on_stop};
    sigset_t blocked;

    sigaction(SIGTERM, &stop, NULL);
    sigaction(SIGINT, &stop, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    /* Blocked except while the accepting thread waits, so that no session's thread takes the signal. */
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGINT);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
}

static int open_orders(struct arena *arena, const struct server *server)
{
    if (server->share->orders >= 0)
        return server->share->orders;
    /* Read and write, so that it never ends when a writer closes. */
    return open(arena_printf(arena, "%s/control", server->lab->directory), O_RDWR | O_CLOEXEC | O_NONBLOCK);
}

int lab_serve(const struct lab *lab, struct lab_share *share, int said_fd)
{
    struct arena *arena = arena_create();
    struct server *server = arena_new(arena, struct server);
    const int begun = 0;
    ssh_bind bind_;
    int orders;

    catch_signals();
    ssh_init();
    server->lab = lab;
    server->share = share;
    pthread_mutex_init(&server->lock, NULL);
    prepare_hosts(server, arena);
    server->logins = open(arena_printf(arena, "%s/logins", lab->directory),
                          O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
    bind_ = ssh_bind_new();
    orders = open_orders(arena, server);
    if (bind_ == NULL || load_keys(server, arena, bind_) < 0 || orders < 0) {
        fprintf(stderr, "the lab's keys or its control pipe cannot be opened in %s\n", lab->directory);
        return 70;
    }
    if (write(said_fd, &begun, sizeof begun) != sizeof begun)
        return 70;
    close(said_fd);
    accept_loop(server, bind_, orders);
    /* Threads may be in libssh still: the process ends without tearing it down beneath them. */
    _exit(0);
}
