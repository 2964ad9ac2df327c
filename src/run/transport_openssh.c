/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ssh program, for what libssh2 cannot do: jump hosts, agents, RSA keys, certificates, the user's own
 * configuration.
 *
 * A session is one master (`ssh -N` with a control socket in a private folder); it says that it is logged in
 * by LocalCommand, and asks for a password by askpass.h. A channel is one `ssh -S SOCKET` process;
 * ProxyCommand=false keeps it from making a connection of its own when the master is gone. When such a process
 * exits 255, its answer is held back a moment: mostly the master has ended too, and that is the news.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "askpass.h"
#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/base/text.h"
#include "assay/reasons/any.h"
#include "assay/reasons/model.h"
#include "assay/reasons/run.h"
#include "hop.h"
#include "identity.h"
#include "process.h"
#include "question.h"
#include "transport.h"

enum {
    SAID_LIMIT = 8192,
    HOLD_MS = 500,
    SSH_FAILED_STATUS = 255,
    PERSON_MS = 120000, /* sshd's own LoginGraceTime */
    QUESTION_BYTES = 200,
};

static const char ready_word[] = "assay-ready";

struct openssh_session {
    struct session base;
    struct transport_context *context;
    const struct remote_target *target;
    struct arena *arena; /* of the reasons for its end */
    struct process *master;
    struct askpass *askpass; /* by which the master is ready, and asks */
    struct text said;        /* its stderr */
    char *socket;
    void (*heard)(void *context, struct slice line); /* of a session to a jump host; NULL: it is to a host */
    size_t told;                                     /* so much of what was said */
    bool *password_wrong;                            /* of the jump host; NULL: it is to a host */
    bool given, answered;                            /* the password; by the person at the terminal */
    struct question question;
    char asked[QUESTION_BYTES]; /* the last question; "": none */
    struct hop_waiter way;
    uint64_t began; /* loop time of the master's start */
    bool ready, failed;
    uv_timer_t wake; /* deadline of the login; later, brings `ready` from the loop */
    unsigned channels;
};

struct openssh_channel {
    struct channel base;
    struct openssh_session *session;
    struct process *process; /* NULL when it has exited */
    struct text said;
    int error; /* of an ssh that could not be started; 0 */
    uv_timer_t hold;
    enum channel_end end;
};

/* ---- command lines ---- */

static void add_option(struct arguments *arguments, char *setting)
{
    arguments_add(arguments, mem_strdup("-o"));
    arguments_add(arguments, setting);
}

static void add_common(struct arguments *arguments, const struct openssh_session *session)
{
    static const char *const settings[] = {"ClearAllForwardings=yes", "ForwardX11=no", "RemoteCommand=none",
                                           "RequestTTY=no"};

    arguments_add(arguments, mem_strdup("ssh"));
    arguments_add(arguments, mem_strdup("-T"));
    for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
        add_option(arguments, mem_strdup(settings[i]));
    add_option(arguments, mem_printf("ControlPath=%s", session->socket));
}

static void add_target(struct arguments *arguments, const struct remote_target *target)
{
    if (target->port != 0) {
        arguments_add(arguments, mem_strdup("-p"));
        arguments_add(arguments, mem_printf("%u", target->port));
    }
    if (target->user != NULL) {
        arguments_add(arguments, mem_strdup("-l"));
        arguments_add(arguments, mem_strdup(target->user));
    }
    arguments_add(arguments, mem_strdup("--"));
    arguments_add(arguments, mem_strdup(target->address != NULL ? target->address : target->name));
}

/* A jump host may be known by the user's own files too, as it is to ssh -J. */
static void add_known_hosts(struct arguments *arguments, const struct openssh_session *session)
{
    const char *target = session->target->known_hosts;
    const char *known_hosts = target != NULL ? target : session->context->options.known_hosts;

    add_option(arguments, mem_printf("StrictHostKeyChecking=%s",
                                     session->context->options.accept_new_host_keys ? "accept-new" : "yes"));
    if (known_hosts == NULL)
        return;
    add_option(arguments, mem_printf("UserKnownHostsFile=\"%s\"%s", known_hosts,
                                     session->heard != NULL ? " ~/.ssh/known_hosts" : ""));
    if (session->heard == NULL)
        add_option(arguments, mem_strdup("GlobalKnownHostsFile=/dev/null"));
}

/* A jump host may want another key than the hosts: those that ssh would try without -i are tried too. */
static void add_identity(struct arguments *arguments, const struct openssh_session *session)
{
    static const char *const usual[] = {"~/.ssh/id_ed25519", "~/.ssh/id_ecdsa", "~/.ssh/id_rsa"};

    if (session->target->identity == NULL)
        return;
    arguments_add(arguments, mem_strdup("-i"));
    arguments_add(arguments, home_path(session->target->identity));
    if (session->heard == NULL)
        add_option(arguments, mem_strdup("IdentitiesOnly=yes"));
    for (size_t i = 0; session->heard != NULL && i < ARRAY_SIZE(usual); i++) {
        char *path = home_path(usual[i]);

        if (file_exists(path)) {
            arguments_add(arguments, mem_strdup("-i"));
            arguments_add(arguments, mem_strdup(path));
        }
        free(path);
    }
}

static void add_way(struct arguments *arguments, const struct openssh_session *session)
{
    char *words[HOP_RELAY_WORDS + 1];
    cleanup_text struct text command = {0};

    if (session->way.hop == NULL && session->target->jump != NULL)
        add_option(arguments, mem_strdup("ProxyJump=none"));
    if (session->way.hop == NULL)
        return;
    text_init(&command, 4096);
    text_put(&command, "ProxyCommand=");
    hop_relay_words(session->way.hop, "%h", "%p", words);
    for (size_t i = 0; i < HOP_RELAY_WORDS; i++) {
        text_put(&command, i > 0 ? " " : "");
        text_shell_quote(&command, words[i]);
        free(words[i]);
    }
    add_option(arguments, text_detach(&command));
}

static bool is_to_jump_host(const struct openssh_session *session)
{
    return session->heard != NULL;
}

static const struct secret *password_of(const struct openssh_session *session)
{
    const struct remote_options *options = &session->context->options;

    return is_to_jump_host(session) ? options->jump_password : options->password;
}

static bool may_ask_person(const struct openssh_session *session)
{
    return is_to_jump_host(session) && session->context->options.ask_at_terminal;
}

static bool may_be_asked(const struct openssh_session *session)
{
    return askpass_usable() && (password_of(session) != NULL || may_ask_person(session));
}

/* Keys come first whatever the user's configuration says, a password is tried once, and there are no other questions. */
static void add_asking(struct arguments *arguments, const struct openssh_session *session)
{
    static const char *const settings[] = {
        "BatchMode=no", "UpdateHostKeys=no", "AddKeysToAgent=no",
        "PreferredAuthentications=gssapi-with-mic,hostbased,publickey,keyboard-interactive,password"};

    if (!may_be_asked(session)) {
        add_option(arguments, mem_strdup("BatchMode=yes"));
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
        add_option(arguments, mem_strdup(settings[i]));
    add_option(arguments, mem_printf("NumberOfPasswordPrompts=%d", may_ask_person(session) ? 3 : 1));
}

static void add_master(struct arguments *arguments, const struct openssh_session *session)
{
    const struct remote_options *options = &session->context->options;

    if (may_be_asked(session)) {
        askpass_words(session->askpass, arguments->items);
        arguments->count = ASKPASS_WORDS;
    }
    add_common(arguments, session);
    add_asking(arguments, session);
    arguments_add(arguments, mem_strdup("-N"));
    add_option(arguments, mem_strdup("ControlMaster=yes"));
    add_option(arguments, mem_strdup("ControlPersist=no"));
    add_option(arguments, mem_strdup("PermitLocalCommand=yes"));
    add_option(arguments, mem_printf("LocalCommand=echo %s", ready_word));
    add_option(arguments, mem_strdup("ConnectionAttempts=1"));
    add_option(arguments, mem_printf("ConnectTimeout=%u", (options->connect_timeout_ms + 999) / 1000));
    add_option(arguments, mem_strdup("ServerAliveInterval=10"));
    add_option(arguments, mem_strdup("ServerAliveCountMax=2"));
    add_known_hosts(arguments, session);
    add_identity(arguments, session);
    add_way(arguments, session);
    add_target(arguments, session->target);
}

/* ---- the master ---- */

static const struct {
    const char *said;
    enum transport_failure failure;
    const struct reason *why;
} failures[] = {
    {"IDENTIFICATION HAS CHANGED", TRANSPORT_HOST_KEY_CHANGED, REASON(host_key_differs)},
    {"REVOKED HOST KEY", TRANSPORT_HOST_KEY_CHANGED, REASON(host_key_revoked)},
    {"Host key verification failed", TRANSPORT_HOST_KEY_UNKNOWN, REASON(host_key_not_known)},
    {"Permission denied (", TRANSPORT_AUTH_REFUSED, REASON(takes_none_of_our_keys)},
    {"Unable to negotiate with", TRANSPORT_UNREACHABLE, REASON(no_algorithm_in_common)},
    {"Too many authentication failures", TRANSPORT_AUTH_REFUSED, REASON(refused_after_too_many_keys)},
};

/* The last line that ssh said, which is the one with the cause. */
static struct slice last_line(const struct text *said)
{
    struct slice all = slice_trim((struct slice){said->bytes, said->length});
    size_t start;

    while (all.length > 0 && (all.bytes[all.length - 1] == '\n' || all.bytes[all.length - 1] == '\r'))
        all.length--;
    for (start = all.length; start > 0 && all.bytes[start - 1] != '\n'; start--)
        ;
    return slice_from(all, start);
}

static void session_failed(struct openssh_session *session, enum transport_failure failure,
                           const struct reason *why)
{
    session->failed = true;
    uv_timer_stop(&session->wake);
    session->base.events->closed(session->base.context, failure, why);
}

static struct login_tries *tries_of(const struct openssh_session *session)
{
    return is_to_jump_host(session) ? &session->context->jumps : &session->context->hosts;
}

/* The far side is left without an answer: an empty one would be counted there as one more that is wrong. */
static void refuse(struct openssh_session *session, const struct reason *why)
{
    if (session->master != NULL)
        process_drop(steal_pointer(session->master), SIGKILL);
    session_failed(session, TRANSPORT_AUTH_REFUSED, why);
}

static void refuse_wrong(struct openssh_session *session)
{
    login_refused(tries_of(session));
    if (is_to_jump_host(session))
        *session->password_wrong = true;
    if (is_to_jump_host(session))
        refuse(session, REASON(jump_password_refused));
    else
        refuse(session, REASON(password_refused));
}

/* Why the jump host did not let the master through. */
static void on_way_explained(uv_timer_t *timer)
{
    struct openssh_session *session = timer->data;
    const struct remote_target *target = session->target;
    enum transport_failure failure;
    const struct reason *why;

    failure = hop_explain(session->way.hop, target->address != NULL ? target->address : target->name,
                          target->port != 0 ? target->port : 22, session->began, session->arena, &why);
    session_failed(session, failure, why);
}

/* What ssh said that tells more than its last line. */
static bool failed_as_known(struct openssh_session *session)
{
    for (size_t i = 0; i < ARRAY_SIZE(failures); i++)
        if (strstr(session->said.bytes, failures[i].said) != NULL) {
            const struct reason *trouble = failures[i].failure == TRANSPORT_AUTH_REFUSED
                                               ? identity_trouble(&session->context->identities,
                                                                  session->target->identity, session->arena)
                                               : NULL;
            /* What is wrong here comes first: the host is only the one that says so. It was never shown a key that cannot be
               read. */
            bool shown =
                trouble == NULL || session->target->identity == NULL || !reason_has(trouble, key_unreadable);
            const struct reason *why = shown ? failures[i].why : REASON(name_a_readable_key);

            session_failed(session, failures[i].failure,
                           trouble != NULL ? reason_also(session->arena, trouble, why) : why);
            return true;
        }
    return false;
}

/* "ssh: Could not resolve hostname node7: Name or service not known"; NULL: it says something else. */
static const struct reason *unresolved(struct arena *arena, struct slice line)
{
    size_t length;

    if (!scan_text(&line, "ssh: Could not resolve hostname "))
        return NULL;
    length = slice_find(line, ": ");
    return length + 2 <= line.length
               ? reason(arena, address_not_known, arena_strndup(arena, line.bytes, length),
                        slice_from(line, length + 2))
               : NULL;
}

const struct reason *openssh_says(struct arena *arena, struct slice line)
{
    const struct reason *name = unresolved(arena, line);

    if (name != NULL)
        return name;
    return slice_ends(line, "Connection refused") ? reason(arena, ssh_tells_refused, line)
                                                  : reason_quote(arena, line);
}

static void on_master_done(void *context, int status, int signal)
{
    struct openssh_session *session = context;
    bool denied = strstr(session->said.bytes, "Permission denied (") != NULL;
    struct slice line = last_line(&session->said);

    session->master = NULL;
    if (!session->ready && session->way.hop != NULL &&
        strstr(session->said.bytes, HOP_RELAY_FAILED) != NULL) {
        uv_timer_start(&session->wake, on_way_explained, HOP_EXPLAINS_MS, 0);
        return;
    }
    if (!session->ready && session->answered && denied) {
        refuse(session, REASON(typed_answer_refused));
        return;
    }
    if (!session->ready && session->given && denied) {
        refuse_wrong(session);
        return;
    }
    if (!session->ready && failed_as_known(session))
        return;
    session_failed(session, TRANSPORT_UNREACHABLE,
                   line.length == 0 ? reason(session->arena, ssh_ended_with, status, signal)
                                    : openssh_says(session->arena, line));
}

static void on_wake(uv_timer_t *timer)
{
    struct openssh_session *session = timer->data;

    session->base.events->ready(session->base.context);
}

/* The lines that are whole, once each. */
static void tell_lines(struct openssh_session *session)
{
    struct slice rest = slice_from((struct slice){session->said.bytes, session->said.length}, session->told);
    struct slice line;

    while (scan_line(&rest, &line))
        session->heard(session->base.context, line);
    session->told = session->said.length - rest.length;
    if (session->said.length > SAID_LIMIT / 2) {
        memmove(session->said.bytes, session->said.bytes + session->told, rest.length);
        text_reset(&session->said);
        text_add(&session->said, session->said.bytes, rest.length);
        session->told = 0;
    }
}

static void on_master_bytes(void *context, int stream, const char *bytes, size_t length)
{
    struct openssh_session *session = context;

    (void)stream;
    text_add(&session->said, bytes, length);
    if (session->heard != NULL)
        tell_lines(session);
}

static const struct process_events master_events = {on_master_bytes, on_master_done};

static void on_login_late(uv_timer_t *timer)
{
    struct openssh_session *session = timer->data;
    struct slice line = last_line(&session->said);

    session_failed(session, TRANSPORT_UNREACHABLE,
                   line.length > 0 ? reason(session->arena, about, REASON(ssh_login_late),
                                            openssh_says(session->arena, line))
                                   : REASON(ssh_login_late));
}

/* Connection, key exchange and login, each with its time. */
static void await_login(struct openssh_session *session)
{
    uv_timer_start(&session->wake, on_login_late, 3 * (uint64_t)session->context->options.connect_timeout_ms,
                   0);
}

/* ---- what it asks ---- */

static void on_turn(uv_timer_t *timer)
{
    struct openssh_session *session = timer->data;

    if (login_given_up(tries_of(session))) {
        refuse(session, REASON(password_not_tried));
    } else if (!login_may_try(tries_of(session), session)) {
        uv_timer_start(timer, on_turn, LOGIN_WAIT_MS, 0);
    } else {
        session->given = true;
        askpass_answer(session->askpass, secret_text(password_of(session)));
        await_login(session);
    }
}

static void on_unanswered(uv_timer_t *timer)
{
    struct openssh_session *session = timer->data;

    refuse(session, reason(session->arena, question_not_answered, session->asked));
}

static void on_answered(void *context, const char *answer)
{
    struct openssh_session *session = context;

    if (answer == NULL) {
        on_unanswered(&session->wake);
        return;
    }
    session->answered = true;
    askpass_answer(session->askpass, answer);
    await_login(session);
}

static void ask_person(struct openssh_session *session)
{
    cleanup_free char *text = mem_printf("jump host %s asks: %s", session->target->name, session->asked);

    if (question_ask(session->context, &session->question, text))
        uv_timer_start(&session->wake, on_unanswered, PERSON_MS, 0);
    else
        refuse(session, reason(session->arena, no_terminal_for_question, session->asked));
}

static bool is_wrong_there(const struct openssh_session *session)
{
    return is_to_jump_host(session) && *session->password_wrong;
}

/* What the password does not answer. again: it was given before, so that it was wrong. */
static void ask_beyond(struct openssh_session *session, bool again)
{
    if (may_ask_person(session)) {
        if (again && !is_wrong_there(session))
            login_refused(tries_of(session));
        *session->password_wrong |= again;
        ask_person(session);
    } else if (again) {
        refuse_wrong(session);
    } else if (is_to_jump_host(session)) {
        refuse(session, reason(session->arena, jump_asks_for_more, session->asked));
    } else {
        refuse(session, REASON(asks_for_more_than_password));
    }
}

static void on_question(struct openssh_session *session, const char *prompt)
{
    enum login_question question = login_question_of(prompt);
    bool known = password_of(session) != NULL && !is_wrong_there(session);

    snprintf(session->asked, sizeof session->asked, "%s", prompt);
    if (question == QUESTION_OURS)
        askpass_answer(session->askpass, "");
    else if (question == QUESTION_NEW_PASSWORD)
        refuse(session, REASON(password_expired));
    else if (question == QUESTION_PASSWORD && known && !session->given)
        on_turn(&session->wake);
    else
        ask_beyond(session, question == QUESTION_PASSWORD && session->given);
}

static void on_talk(void *context, const char *line)
{
    struct openssh_session *session = context;

    if (session->failed || session->ready)
        return;
    if (strncmp(line, ASKPASS_ASKS, strlen(ASKPASS_ASKS)) == 0) {
        on_question(session, line + strlen(ASKPASS_ASKS));
    } else if (strcmp(line, ready_word) == 0) {
        session->ready = true;
        if (session->given && !is_wrong_there(session))
            login_taken(tries_of(session));
        uv_timer_start(&session->wake, on_wake, 0, 0);
    }
}

static void on_not_started(uv_timer_t *timer)
{
    session_failed(timer->data, TRANSPORT_UNREACHABLE, REASON(ssh_not_usable));
}

static bool control_folder(struct transport_context *context)
{
    char folder[] = "/tmp/assay-ssh-XXXXXX";

    if (context->control_folder == NULL && mkdtemp(folder) != NULL)
        context->control_folder = mem_strdup(folder);
    return context->control_folder != NULL;
}

/* Later than the KILL of the masters by a turn of the loop: one that was ended in the middle of making its
 * socket may still finish that, hence more than one try. */
void openssh_control_remove(struct transport_context *context)
{
    int tries = 10;

    if (context->control_folder == NULL)
        return;
    while (directory_remove(context->control_folder, NULL) != 0 && --tries > 0)
        ;
    free(steal_pointer(context->control_folder));
}

static void start_master(struct openssh_session *session)
{
    struct arguments arguments = {0};
    cleanup_fd int end = -1;
    int error;

    session->socket =
        mem_printf("%s/%u", session->context->control_folder, session->context->control_count++);
    session->askpass = askpass_open(session->context->loop, on_talk, session, &end);
    if (session->askpass == NULL)
        return;
    add_master(&arguments, session);
    session->master =
        process_start_on(session->context->loop, arguments.items, end, &master_events, session, &error);
    arguments_release(&arguments);
}

static void begin(void *context)
{
    struct openssh_session *session = context;

    session->began = uv_now(session->context->loop);
    if (control_folder(session->context))
        start_master(session);
    if (session->master != NULL)
        await_login(session);
    else
        uv_timer_start(&session->wake, on_not_started, 0, 0);
}

static void on_way_failed(void *context, const struct reason *why)
{
    session_failed(context, TRANSPORT_JUMP_FAILED, why);
}

static struct openssh_session *create(struct transport_context *context, const struct remote_target *target,
                                      const struct session_events *events, void *event_context)
{
    struct openssh_session *session = mem_alloc(sizeof *session);

    session->base = (struct session){&transport_openssh, events, event_context};
    session->context = context;
    session->target = target;
    session->arena = arena_create();
    session->way = (struct hop_waiter){.ready = begin, .failed = on_way_failed, .context = session};
    session->question = (struct question){.answered = on_answered, .context = session};
    text_init(&session->said, SAID_LIMIT);
    uv_timer_init(context->loop, &session->wake);
    session->wake.data = session;
    return session;
}

static void start(struct openssh_session *session)
{
    if (hop_needed(session->target))
        hop_wait(session->context, session->target, &session->way);
    else
        begin(session);
}

static struct session *openssh_connect(struct transport_context *context, const struct remote_target *target,
                                       const struct session_events *events, void *event_context)
{
    struct openssh_session *session = create(context, target, events, event_context);

    start(session);
    return &session->base;
}

struct session *openssh_connect_hop(struct transport_context *context, const struct remote_target *target,
                                    const struct session_events *events,
                                    void (*said)(void *context, struct slice line), bool *password_wrong,
                                    void *event_context)
{
    struct openssh_session *session = create(context, target, events, event_context);

    session->heard = said;
    session->password_wrong = password_wrong;
    start(session);
    return &session->base;
}

const char *openssh_socket(const struct session *base)
{
    const struct openssh_session *session = (const struct openssh_session *)base;

    return session->socket;
}

static void on_session_closed(uv_handle_t *handle)
{
    struct openssh_session *session = handle->data;

    text_release(&session->said);
    arena_destroy(session->arena);
    free(session->socket);
    free(session);
}

void openssh_close(struct session *base)
{
    struct openssh_session *session = (struct openssh_session *)base;

    hop_leave(&session->way);
    session->failed = true;
    /* Not TERM: a master that tidies up would do it in a folder that we are removing. */
    if (session->master != NULL)
        process_drop(session->master, SIGKILL);
    askpass_close(steal_pointer(session->askpass));
    question_leave(session->context, &session->question);
    login_left(tries_of(session), session);
    if (session->socket != NULL)
        unlink(session->socket);
    uv_close((uv_handle_t *)&session->wake, on_session_closed);
}

/* ---- channels ---- */

static void on_channel_closed(uv_handle_t *handle)
{
    struct openssh_channel *channel = handle->data;

    text_release(&channel->said);
    free(channel);
}

static void release(struct openssh_channel *channel)
{
    channel->session->channels--;
    if (!channel->session->failed)
        uv_timer_start(&channel->session->wake, on_wake, 0, 0);
    uv_close((uv_handle_t *)&channel->hold, on_channel_closed);
}

static void say_done(uv_timer_t *timer)
{
    struct openssh_channel *channel = timer->data;
    cleanup_arena struct arena *arena = NULL;
    const struct reason *why;

    if (channel->session->failed)
        return; /* the session's end says it all; remote.c drops us */
    arena = arena_create();
    why = reason(arena, ssh_ended,
                 channel->error != 0 ? reason(arena, ssh_not_started, uv_strerror(channel->error))
                                     : reason_quote(arena, last_line(&channel->said)));
    release(channel);
    channel->base.events->done(channel->base.context, channel->end, why);
}

static void on_channel_bytes(void *context, int stream, const char *bytes, size_t length)
{
    struct openssh_channel *channel = context;

    if (stream == 1)
        text_add(&channel->said, bytes, length);
    channel->base.events->bytes(channel->base.context, stream, bytes, length);
}

static void on_channel_done(void *context, int status, int signal)
{
    struct openssh_channel *channel = context;
    bool refused = strstr(channel->said.bytes, "Session open refused by peer") != NULL;

    (void)signal;
    channel->process = NULL;
    channel->end = refused ? CHANNEL_REFUSED : CHANNEL_CLOSED;
    uv_timer_start(&channel->hold, say_done, status == SSH_FAILED_STATUS && !refused ? HOLD_MS : 0, 0);
}

static const struct process_events channel_process_events = {on_channel_bytes, on_channel_done};

static struct process *start_channel(struct openssh_channel *channel, const char *command,
                                     const struct channel_input *input, int *ret_error)
{
    struct openssh_session *session = channel->session;
    struct arguments arguments = {0};
    struct process *process;

    add_common(&arguments, session);
    add_option(&arguments, mem_strdup("BatchMode=yes"));
    add_option(&arguments, mem_strdup("ControlMaster=no"));
    add_option(&arguments, mem_strdup("ProxyCommand=false"));
    add_target(&arguments, session->target);
    arguments_add(&arguments, mem_strdup(command));
    process = process_start(session->context->loop, arguments.items, input, &channel_process_events, channel,
                            ret_error);
    arguments_release(&arguments);
    return process;
}

static struct channel *openssh_exec(struct session *base, const char *command,
                                    const struct channel_input *input, const struct channel_events *events,
                                    void *event_context)
{
    struct openssh_session *session = (struct openssh_session *)base;
    struct openssh_channel *channel;
    int error;

    if (!session->ready || session->failed || session->channels >= CHANNELS_PER_SESSION)
        return NULL;
    channel = mem_alloc(sizeof *channel);
    channel->base = (struct channel){events, event_context};
    channel->session = session;
    text_init(&channel->said, SAID_LIMIT);
    uv_timer_init(session->context->loop, &channel->hold);
    channel->hold.data = channel;
    session->channels++;
    channel->process = start_channel(channel, command, input, &error);
    if (channel->process == NULL) {
        channel->error = error;
        channel->end = CHANNEL_REFUSED;
        uv_timer_start(&channel->hold, say_done, 0, 0);
    }
    return &channel->base;
}

static void openssh_drop(struct session *base, struct channel *channel_base)
{
    struct openssh_channel *channel = (struct openssh_channel *)channel_base;

    (void)base;
    if (channel->process != NULL)
        process_drop(channel->process, SIGTERM);
    release(channel);
}

const struct transport_class transport_openssh = {
    "openssh", 8, openssh_connect, openssh_exec, openssh_drop, openssh_close};
