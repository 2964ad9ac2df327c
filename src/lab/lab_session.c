/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One SSH connection: a thread that shakes hands and then moves bytes between up to ten channels and the
 * commands they run.
 *
 * libssh parses and queues packets; the waiting is done here, in one poll over the connection and the pipes
 * of all commands. A pipe is read only as far as the channel's window reaches and only while nothing waits to
 * be sent, so that a client which stops reading one channel holds up that command and nothing else.
 *
 * As in a real sshd a command leads its own session, and when the connection drops its pipes close and that
 * is all: nobody signals it.
 */
#include <errno.h>
#include <fcntl.h>
#include <libssh/callbacks.h>
#include <libssh/server.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab_server_private.h"

#define CHANNELS_MAX 10 /* MaxSessions of sshd */
#define CHUNK 32768
#define STDIN_MAX (256u << 20)
#define STACK_SIZE (1024 * 1024)
#define POLL_FDS (1 + CHANNELS_MAX * 4)

struct channel {
    struct session *session;
    ssh_channel ssh; /* NULL: the slot is free */
    pid_t pid;       /* 0: no command yet */
    int pidfd, in, out, err;
    struct text input; /* from the client, not yet taken by the command */
    size_t input_done;
    bool input_ended, reaped, eof_sent, closed;
    struct ssh_channel_callbacks_struct callbacks;
};

struct session {
    struct server_host *host;
    ssh_session ssh;
    int fd;
    bool authenticated;
    struct channel channels[CHANNELS_MAX];
    struct ssh_server_callbacks_struct callbacks;
    struct session *next, **link;
};

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Commands. */

static char **command_environment(const struct session *session, char *connection, size_t size)
{
    char **base = session->host->environment;
    char client[46] = "127.0.0.1", address[16];
    size_t count = 0;
    char **environment;

    while (base[count] != NULL)
        count++;
    environment = mem_alloc((count + 2) * sizeof *environment);
    memcpy(environment, base, count * sizeof *environment);
    snprintf(connection, size, "SSH_CONNECTION=%s 0 %s %u", client,
             lab_address(session->host->number, address), session->host->server->lab->port);
    environment[count] = connection;
    return environment;
}

static int spawn_shell(const struct session *session, const char *command, int pipes[3][2], pid_t *ret_pid)
{
    char *const argv[] = {"sh", "-c", (char *)(uintptr_t)command, NULL};
    char connection[128];
    char **environment = command_environment(session, connection, sizeof connection);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int rc;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipes[0][0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, pipes[1][1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, pipes[2][1], STDERR_FILENO);
    posix_spawn_file_actions_addchdir_np(&actions, session->host->home);
    posix_spawnattr_init(&attributes);
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    rc = posix_spawn(ret_pid, "/bin/sh", &actions, &attributes, argv, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    return rc;
}

static int start_command(struct channel *channel, const char *command)
{
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    int rc = -1;

    if (pipe2(pipes[0], O_CLOEXEC) == 0 && pipe2(pipes[1], O_CLOEXEC) == 0 &&
        pipe2(pipes[2], O_CLOEXEC) == 0 &&
        spawn_shell(channel->session, command, pipes, &channel->pid) == 0) {
        channel->pidfd = pidfd_open(channel->pid, 0);
        channel->in = pipes[0][1];
        channel->out = pipes[1][0];
        channel->err = pipes[2][0];
        fcntl(channel->in, F_SETFL, O_NONBLOCK);
        pipes[0][1] = pipes[1][0] = pipes[2][0] = -1;
        rc = 0;
    }
    for (int i = 0; i < 3; i++) {
        close_fd(&pipes[i][0]);
        close_fd(&pipes[i][1]);
    }
    return rc;
}

/* What libssh calls while it reads packets. */

static int on_exec(ssh_session ssh, ssh_channel ssh_channel_, const char *command, void *context)
{
    struct channel *channel = context;

    (void)ssh;
    (void)ssh_channel_;
    return channel->pid == 0 && start_command(channel, command) == 0 ? 0 : 1;
}

static int on_data(ssh_session ssh, ssh_channel ssh_channel_, void *data, uint32_t length, int is_stderr,
                   void *context)
{
    struct channel *channel = context;

    (void)ssh;
    (void)ssh_channel_;
    if (is_stderr == 0 && channel->in >= 0)
        text_add(&channel->input, data, length);
    /* Input is never shortened unseen: the command that is sent too much is ended. */
    if (channel->input.clipped && !channel->reaped)
        kill(-channel->pid, SIGKILL);
    return (int)length;
}

static void on_eof(ssh_session ssh, ssh_channel ssh_channel_, void *context)
{
    (void)ssh;
    (void)ssh_channel_;
    ((struct channel *)context)->input_ended = true;
}

static void on_close(ssh_session ssh, ssh_channel ssh_channel_, void *context)
{
    (void)ssh;
    (void)ssh_channel_;
    ((struct channel *)context)->closed = true;
}

static void on_signal(ssh_session ssh, ssh_channel ssh_channel_, const char *name, void *context)
{
    static const struct {
        const char *name;
        int number;
    } signals[] = {{"TERM", SIGTERM}, {"INT", SIGINT}, {"HUP", SIGHUP}, {"KILL", SIGKILL}, {"USR1", SIGUSR1}};
    struct channel *channel = context;

    (void)ssh;
    (void)ssh_channel_;
    for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
        if (channel->pid > 0 && !channel->reaped && strcmp(name, signals[i].name) == 0)
            kill(-channel->pid, signals[i].number);
}

static int on_env(ssh_session ssh, ssh_channel channel, const char *name, const char *value, void *context)
{
    (void)ssh;
    (void)channel;
    (void)name;
    (void)value;
    (void)context;
    return 1; /* as a server whose AcceptEnv is empty */
}

static int on_pty(ssh_session ssh, ssh_channel channel, const char *term, int width, int height, int x, int y,
                  void *context)
{
    (void)ssh;
    (void)channel;
    (void)term;
    (void)width;
    (void)height;
    (void)x;
    (void)y;
    (void)context;
    return -1; /* commands only */
}

static int on_shell(ssh_session ssh, ssh_channel channel, void *context)
{
    (void)ssh;
    (void)channel;
    (void)context;
    return 1;
}

static ssh_channel on_open(ssh_session ssh, void *context)
{
    struct session *session = context;
    struct channel *channel = NULL;

    for (int i = 0; i < CHANNELS_MAX && channel == NULL; i++)
        if (session->channels[i].ssh == NULL)
            channel = &session->channels[i];
    if (channel == NULL || !session->authenticated)
        return NULL;
    *channel = (struct channel){
        .session = session, .ssh = ssh_channel_new(ssh), .pidfd = -1, .in = -1, .out = -1, .err = -1};
    if (channel->ssh == NULL)
        return NULL;
    text_init(&channel->input, STDIN_MAX);
    channel->callbacks = (struct ssh_channel_callbacks_struct){
        .userdata = channel,
        .channel_data_function = on_data,
        .channel_eof_function = on_eof,
        .channel_close_function = on_close,
        .channel_signal_function = on_signal,
        .channel_exec_request_function = on_exec,
        .channel_env_request_function = on_env,
        .channel_pty_request_function = on_pty,
        .channel_shell_request_function = on_shell,
    };
    ssh_callbacks_init(&channel->callbacks);
    ssh_set_channel_callbacks(channel->ssh, &channel->callbacks);
    return channel->ssh;
}

/* One write of a line: those of several threads do not mix. */
static void note_login(const struct server_host *host)
{
    char line[32];
    int length = snprintf(line, sizeof line, "node%u\n", host->number);

    if (host->server->logins >= 0 && write(host->server->logins, line, (size_t)length) != length)
        perror("logins");
}

static int on_key(ssh_session ssh, const char *user, struct ssh_key_struct *key, char state, void *context)
{
    struct session *session = context;
    const struct server *server = session->host->server;

    (void)ssh;
    if (session->host->key_refused || strcmp(user, server->lab->user) != 0 ||
        ssh_key_cmp(key, server->user_key, SSH_KEY_CMP_PUBLIC) != 0)
        return SSH_AUTH_DENIED;
    if (state == SSH_PUBLICKEY_STATE_VALID && !session->authenticated) {
        session->authenticated = true;
        note_login(session->host);
    }
    return state == SSH_PUBLICKEY_STATE_VALID || state == SSH_PUBLICKEY_STATE_NONE ? SSH_AUTH_SUCCESS
                                                                                   : SSH_AUTH_DENIED;
}

static int on_none(ssh_session ssh, const char *user, void *context)
{
    (void)user;
    (void)context;
    ssh_set_auth_methods(ssh, SSH_AUTH_METHOD_PUBLICKEY);
    return SSH_AUTH_DENIED;
}

/* Moving bytes. */

static void send_output(struct channel *channel, int *fd, bool is_stderr)
{
    static _Thread_local char buffer[CHUNK];
    uint32_t window = ssh_channel_window_size(channel->ssh);
    ssize_t got = read(*fd, buffer, window < CHUNK ? window : CHUNK);

    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (got <= 0) {
        close_fd(fd);
        return;
    }
    if (is_stderr)
        ssh_channel_write_stderr(channel->ssh, buffer, (uint32_t)got);
    else
        ssh_channel_write(channel->ssh, buffer, (uint32_t)got);
}

static void feed_input(struct channel *channel)
{
    size_t waiting = channel->input.length - channel->input_done;
    ssize_t wrote = waiting > 0 ? write(channel->in, channel->input.bytes + channel->input_done, waiting) : 0;

    if (wrote < 0 && errno != EAGAIN && errno != EINTR) {
        close_fd(&channel->in); /* the command reads no more */
        return;
    }
    if (wrote > 0)
        channel->input_done += (size_t)wrote;
    if (channel->input_done == channel->input.length) {
        text_reset(&channel->input);
        channel->input_done = 0;
        if (channel->input_ended)
            close_fd(&channel->in);
    }
}

static const char *signal_name(int number)
{
    const char *name = sigabbrev_np(number);

    return name != NULL ? name : "KILL";
}

static void reap(struct channel *channel)
{
    int status;

    if (waitpid(channel->pid, &status, WNOHANG) != channel->pid)
        return;
    channel->reaped = true;
    close_fd(&channel->pidfd);
    if (WIFEXITED(status))
        ssh_channel_request_send_exit_status(channel->ssh, WEXITSTATUS(status));
    else
        ssh_channel_request_send_exit_signal(channel->ssh, signal_name(WTERMSIG(status)), 0, "", "");
}

static void leave_to_server(struct server *server, pid_t pid)
{
    pthread_mutex_lock(&server->lock);
    if (server->orphans.count == server->orphans.capacity) {
        server->orphans.capacity = server->orphans.capacity * 2 + 16;
        server->orphans.items =
            mem_resize(server->orphans.items, server->orphans.capacity * sizeof *server->orphans.items);
    }
    server->orphans.items[server->orphans.count++] = pid;
    pthread_mutex_unlock(&server->lock);
}

static void channel_release(struct channel *channel)
{
    if (channel->ssh == NULL)
        return;
    close_fd(&channel->in);
    close_fd(&channel->out);
    close_fd(&channel->err);
    close_fd(&channel->pidfd);
    if (channel->pid > 0 && !channel->reaped)
        leave_to_server(channel->session->host->server, channel->pid);
    ssh_remove_channel_callbacks(channel->ssh, &channel->callbacks);
    ssh_channel_free(channel->ssh);
    text_release(&channel->input);
    *channel = (struct channel){0};
}

/* Ends the channel once the command is reaped and both its outputs are at their end. */
static void settle(struct channel *channel)
{
    if (channel->ssh == NULL)
        return;
    if (channel->closed) {
        channel_release(channel);
        return;
    }
    if (channel->pid > 0 && channel->reaped && channel->out < 0 && channel->err < 0 && !channel->eof_sent) {
        channel->eof_sent = true;
        close_fd(&channel->in);
        ssh_channel_send_eof(channel->ssh);
        ssh_channel_close(channel->ssh);
    }
}

struct watch {
    struct pollfd fds[POLL_FDS];
    struct {
        struct channel *channel;
        enum { WATCH_IN, WATCH_OUT, WATCH_ERR, WATCH_PID } what;
    } owner[POLL_FDS];
    nfds_t count;
};

static void watch_add(struct watch *watch, struct channel *channel, int what, int fd, short events)
{
    watch->fds[watch->count] = (struct pollfd){.fd = fd, .events = events};
    watch->owner[watch->count].channel = channel;
    watch->owner[watch->count].what = what;
    watch->count++;
}

static void watch_fill(struct watch *watch, struct session *session)
{
    bool sending = (ssh_get_poll_flags(session->ssh) & SSH_WRITE_PENDING) != 0;

    watch->count = 0;
    watch_add(watch, NULL, WATCH_IN, session->fd, (short)(POLLIN | (sending ? POLLOUT : 0)));
    for (int i = 0; i < CHANNELS_MAX; i++) {
        struct channel *channel = &session->channels[i];
        bool room = channel->ssh != NULL && !sending && ssh_channel_window_size(channel->ssh) > 0;

        if (channel->ssh == NULL || channel->pid == 0)
            continue;
        if (channel->in >= 0 && (channel->input.length > channel->input_done || channel->input_ended))
            watch_add(watch, channel, WATCH_IN, channel->in, POLLOUT);
        if (channel->out >= 0 && room)
            watch_add(watch, channel, WATCH_OUT, channel->out, POLLIN);
        if (channel->err >= 0 && room)
            watch_add(watch, channel, WATCH_ERR, channel->err, POLLIN);
        if (channel->pidfd >= 0)
            watch_add(watch, channel, WATCH_PID, channel->pidfd, POLLIN);
    }
}

static void watch_serve(struct watch *watch)
{
    for (nfds_t i = 1; i < watch->count; i++) {
        struct channel *channel = watch->owner[i].channel;

        if (watch->fds[i].revents == 0 || channel->ssh == NULL || channel->closed)
            continue;
        switch (watch->owner[i].what) {
        case WATCH_IN:
            feed_input(channel);
            break;
        case WATCH_OUT:
            if (ssh_channel_window_size(channel->ssh) > 0)
                send_output(channel, &channel->out, false);
            break;
        case WATCH_ERR:
            if (ssh_channel_window_size(channel->ssh) > 0)
                send_output(channel, &channel->err, true);
            break;
        case WATCH_PID:
        default:
            reap(channel);
            break;
        }
    }
}

static void session_loop(struct session *session, ssh_event event)
{
    struct watch watch;

    while ((ssh_get_status(session->ssh) & (SSH_CLOSED | SSH_CLOSED_ERROR)) == 0) {
        watch_fill(&watch, session);
        if (poll(watch.fds, watch.count, -1) < 0 && errno != EINTR)
            return;
        if (watch.fds[0].revents != 0 && ssh_event_dopoll(event, 0) == SSH_ERROR)
            return;
        watch_serve(&watch);
        for (int i = 0; i < CHANNELS_MAX; i++)
            settle(&session->channels[i]);
    }
}

static void session_forget(struct session *session)
{
    struct server *server = session->host->server;

    pthread_mutex_lock(&server->lock);
    *session->link = session->next;
    if (session->next != NULL)
        session->next->link = session->link;
    server->session_count--;
    pthread_mutex_unlock(&server->lock);
}

static void *session_main(void *context)
{
    struct session *session = context;
    ssh_event event = NULL;

    if (ssh_handle_key_exchange(session->ssh) == SSH_OK) {
        ssh_set_auth_methods(session->ssh, SSH_AUTH_METHOD_PUBLICKEY);
        ssh_set_blocking(session->ssh, 0);
        event = ssh_event_new();
        ssh_event_add_session(event, session->ssh);
        session_loop(session, event);
        ssh_event_remove_session(event, session->ssh);
        ssh_event_free(event);
    }
    session_forget(session);
    for (int i = 0; i < CHANNELS_MAX; i++)
        channel_release(&session->channels[i]);
    ssh_disconnect(session->ssh);
    ssh_free(session->ssh);
    free(session);
    return NULL;
}

void session_start(struct server_host *host, ssh_session ssh)
{
    struct server *server = host->server;
    struct session *session = mem_alloc(sizeof *session);
    pthread_attr_t attributes;
    pthread_t thread;

    session->host = host;
    session->ssh = ssh;
    session->fd = ssh_get_fd(ssh);
    session->callbacks = (struct ssh_server_callbacks_struct){
        .userdata = session,
        .auth_none_function = on_none,
        .auth_pubkey_function = on_key,
        .channel_open_request_session_function = on_open,
    };
    ssh_callbacks_init(&session->callbacks);
    ssh_set_server_callbacks(ssh, &session->callbacks);

    pthread_mutex_lock(&server->lock);
    session->next = server->sessions;
    session->link = &server->sessions;
    if (session->next != NULL)
        session->next->link = &session->next;
    server->sessions = session;
    server->session_count++;
    pthread_mutex_unlock(&server->lock);

    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    if (pthread_create(&thread, &attributes, session_main, session) != 0) {
        session_forget(session);
        ssh_disconnect(ssh);
        ssh_free(ssh);
        free(session);
    }
    pthread_attr_destroy(&attributes);
}

void sessions_cut(struct server *server, unsigned host)
{
    pthread_mutex_lock(&server->lock);
    for (struct session *session = server->sessions; session != NULL; session = session->next)
        if (session->host->number == host)
            shutdown(session->fd, SHUT_RDWR);
    pthread_mutex_unlock(&server->lock);
}
