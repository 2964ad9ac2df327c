/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh_config.h"

#include <glob.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/base/scan.h"
#include "assay/base/text.h"
#include "assay/reasons/run.h"
#include "process.h"

enum { AT_A_TIME = 2, FILE_LIMIT = 1 << 20, ANSWER_LIMIT = 1 << 16, INCLUDE_DEPTH = 8 };

/* How much of what the files say depends on the host. */
enum scope { SCOPE_UNREAD, SCOPE_NOTHING, SCOPE_ALL_HOSTS, SCOPE_EACH_HOST };

struct ssh_question {
    TAILQ_ENTRY(ssh_question) link;
    struct ssh_configs *configs;
    char *key; /* "user@host:port"; "" where one answer is good for all */
    char *host, *user;
    unsigned port;
    struct process *process;
    struct text out;
    uv_timer_t deadline;
    bool answered, given_up;
    struct ssh_config config;
    char *parts[6]; /* what config points to */
    size_t part_count;
    TAILQ_HEAD(, ssh_config_waiter) waiters;
};

struct ssh_configs {
    struct transport_context *context;
    struct arena *arena; /* of what is beyond libssh2 */
    enum scope scope;
    unsigned asking;
    TAILQ_HEAD(, ssh_question) questions; /* in the order in which they came */
};

/* ---- whether to ask ---- */

static void widen(enum scope *scope, enum scope by)
{
    if (by > *scope)
        *scope = by;
}

static void look_into(const char *path, const char *folder, unsigned depth, enum scope *scope);

/* Relative names are looked for beside the file that includes them. */
static void look_into_included(struct slice rest, const char *folder, unsigned depth, enum scope *scope)
{
    struct slice word;

    while (scan_word(&rest, &word)) {
        bool absolute = word.bytes[0] == '/' || word.bytes[0] == '~';
        cleanup_free char *pattern =
            mem_printf("%s%s%.*s", absolute ? "" : folder, absolute ? "" : "/", slice_print(word));
        glob_t found;

        if (depth >= INCLUDE_DEPTH || slice_contains(word, "\"") || slice_contains(word, "$")) {
            widen(scope, SCOPE_EACH_HOST);
            continue;
        }
        if (glob(pattern, GLOB_TILDE, NULL, &found) == 0) {
            for (size_t i = 0; i < found.gl_pathc; i++)
                look_into(found.gl_pathv[i], folder, depth + 1, scope);
            globfree(&found);
        }
    }
}

/* What a line makes of the scope. */
static void look_at(struct slice line, const char *folder, unsigned depth, enum scope *scope)
{
    static const char *const heard[] = {"port",
                                        "user",
                                        "identityfile",
                                        "certificatefile",
                                        "proxyjump",
                                        "proxycommand",
                                        "userknownhostsfile",
                                        "globalknownhostsfile",
                                        "identityagent",
                                        "bindaddress",
                                        "bindinterface",
                                        "pkcs11provider",
                                        "knownhostscommand",
                                        "revokedhostkeys"};
    struct slice word;

    if (!scan_word(&line, &word) || word.bytes[0] == '#')
        return;
    for (size_t i = 0; i < word.length; i++)
        if (word.bytes[i] == '=') {
            line =
                (struct slice){word.bytes + i + 1, (size_t)(line.bytes + line.length - word.bytes) - i - 1};
            word.length = i;
        }
    line = slice_trim(line);
    if (slice_equal_nocase(word, "include"))
        look_into_included(line, folder, depth, scope);
    else if (slice_equal_nocase(word, "host"))
        widen(scope, slice_equal(line, "*") ? SCOPE_NOTHING : SCOPE_EACH_HOST);
    else if (slice_equal_nocase(word, "match"))
        widen(scope, slice_equal_nocase(line, "all") ? SCOPE_NOTHING : SCOPE_EACH_HOST);
    else if (slice_equal_nocase(word, "hostname") || slice_equal_nocase(word, "hostkeyalias"))
        widen(scope, SCOPE_EACH_HOST);
    for (size_t i = 0; i < ARRAY_SIZE(heard); i++)
        if (slice_equal_nocase(word, heard[i]))
            widen(scope, SCOPE_ALL_HOSTS);
}

static void look_into(const char *path, const char *folder, unsigned depth, enum scope *scope)
{
    cleanup_text struct text text = {0};
    struct slice rest, line;
    struct error err;

    text_init(&text, FILE_LIMIT);
    if (!file_exists(path))
        return;
    if (file_read(path, &text, &err) != 0 || text.clipped) {
        widen(scope, SCOPE_EACH_HOST); /* ssh may be able to */
        return;
    }
    text_put(&text, "\n");
    rest = (struct slice){text.bytes, text.length};
    while (scan_line(&rest, &line))
        look_at(line, folder, depth, scope);
}

/* ssh goes by the account's home folder, not by $HOME. */
static enum scope scope_of_files(void)
{
    const struct passwd *self = getpwuid(getuid());
    enum scope scope = SCOPE_NOTHING;

    if (self != NULL) {
        cleanup_free char *folder = mem_printf("%s/.ssh", self->pw_dir);
        cleanup_free char *path = mem_printf("%s/config", folder);

        look_into(path, folder, 0, &scope);
    }
    look_into("/etc/ssh/ssh_config", "/etc/ssh", 0, &scope);
    return scope;
}

/* ---- the answer ---- */

static const char *keep(struct ssh_question *question, struct slice value)
{
    char *copy = mem_printf("%.*s", slice_print(value));

    question->parts[question->part_count++] = copy;
    return copy;
}

/* The value of a keyword in what ssh -G printed, and how often it is there. */
static size_t find_value(const struct ssh_question *question, const char *keyword, struct slice *ret_first)
{
    struct slice rest = {question->out.bytes, question->out.length}, line, word;
    size_t count = 0;

    while (scan_line(&rest, &line))
        if (scan_word(&line, &word) && slice_equal_nocase(word, keyword) && count++ == 0)
            *ret_first = slice_trim(line);
    return count;
}

/* What only the ssh program can do; the value is what it has when it is not set. */
static const struct {
    const char *keyword, *unset;
} beyond[] = {
    {"ProxyCommand", "none"},
    {"CertificateFile", "none"},
    {"HostKeyAlias", "none"},
    {"BindAddress", "none"},
    {"BindInterface", "none"},
    {"PKCS11Provider", "none"},
    {"KnownHostsCommand", "none"},
    {"RevokedHostKeys", "none"},
    {"IdentityAgent", "SSH_AUTH_SOCK"},
    {"GlobalKnownHostsFile", "/etc/ssh/ssh_known_hosts /etc/ssh/ssh_known_hosts2"},
};

static void look_beyond(struct ssh_question *question)
{
    struct slice value;

    for (size_t i = 0; i < ARRAY_SIZE(beyond) && question->config.beyond == NULL; i++)
        if (find_value(question, beyond[i].keyword, &value) > 0 && !slice_equal(value, "none") &&
            !slice_equal(value, beyond[i].unset))
            question->config.beyond = reason(question->configs->arena, ssh_config_sets, beyond[i].keyword);
}

/* Without one in the configuration ssh names all that it tries, RSA first. */
static void take_identity(struct ssh_question *question)
{
    struct slice first;
    size_t count = find_value(question, "identityfile", &first);

    if (count == 1 && !slice_contains(first, "%") && !slice_equal(first, "none"))
        question->config.identity = keep(question, first);
    else if (count > 0 && !(count > 1 && slice_equal(first, "~/.ssh/id_rsa")) &&
             question->config.beyond == NULL)
        question->config.beyond = REASON(ssh_config_several_keys);
}

/* By default two files in ~/.ssh. */
static void take_known_hosts(struct ssh_question *question)
{
    struct slice value, one;

    if (find_value(question, "userknownhostsfile", &value) == 0 || slice_ends(value, "/.ssh/known_hosts2"))
        return;
    if (scan_word(&value, &one) && slice_trim(value).length == 0 && !slice_contains(one, "%"))
        question->config.known_hosts = keep(question, slice_equal(one, "none") ? slice_of("/dev/null") : one);
    else if (question->config.beyond == NULL)
        question->config.beyond = REASON(ssh_config_several_known_hosts);
}

static void take_answer(struct ssh_question *question)
{
    struct slice value;

    if (find_value(question, "hostname", &value) > 0 && *question->key != '\0' &&
        !slice_equal(value, question->host))
        question->config.address = keep(question, value);
    if (find_value(question, "user", &value) > 0)
        question->config.user = keep(question, value);
    if (find_value(question, "port", &value) > 0)
        question->config.port = (unsigned)strtoul(value.bytes, NULL, 10);
    if (find_value(question, "proxyjump", &value) > 0 && !slice_equal(value, "none"))
        question->config.jump = keep(question, value);
    look_beyond(question);
    take_identity(question);
    take_known_hosts(question);
}

/* ---- asking ---- */

static void ask_next(struct ssh_configs *configs);

static void tell(struct ssh_question *question)
{
    struct ssh_config_waiter *waiter;

    question->answered = true;
    question->configs->asking--;
    uv_timer_stop(&question->deadline);
    ask_next(question->configs);
    while ((waiter = TAILQ_FIRST(&question->waiters)) != NULL) {
        TAILQ_REMOVE(&question->waiters, waiter, link);
        waiter->waiting = false;
        waiter->known(waiter->context, question->given_up ? NULL : &question->config);
    }
}

static void on_bytes(void *context, int stream, const char *bytes, size_t length)
{
    struct ssh_question *question = context;

    if (stream == 0)
        text_add(&question->out, bytes, length);
}

/* Where ssh cannot read its configuration, it will say so itself. */
static void on_done(void *context, int status, int signal)
{
    struct ssh_question *question = context;

    question->process = NULL;
    if (status == 0 && signal == 0)
        take_answer(question);
    else
        question->config.beyond = REASON(ssh_config_not_read);
    tell(question);
}

static void on_late(uv_timer_t *timer)
{
    struct ssh_question *question = timer->data;

    process_drop(steal_pointer(question->process), SIGKILL);
    question->config.beyond = REASON(ssh_config_not_answered);
    tell(question);
}

/* No ssh program: then there is no configuration of it. */
static void on_no_program(uv_timer_t *timer)
{
    struct ssh_question *question = timer->data;

    question->given_up = true;
    tell(question);
}

static const struct process_events events = {on_bytes, on_done};

static void ask(struct ssh_question *question)
{
    const struct transport_context *context = question->configs->context;
    /* Not within the blocks below: what is made there ends with them. */
    char of_port[] = "-p", of_user[] = "-l";
    char port[16], *words[12] = {(char[]){"ssh"}, (char[]){"-G"}, (char[]){"-T"}};
    size_t count = 3;
    int error;

    snprintf(port, sizeof port, "%u", question->port);
    if (question->port != 0) {
        words[count++] = of_port;
        words[count++] = port;
    }
    if (question->user != NULL) {
        words[count++] = of_user;
        words[count++] = question->user;
    }
    words[count++] = (char[]){"--"};
    words[count] = question->host;
    question->configs->asking++;
    question->process = process_start(context->loop, words, NULL, &events, question, &error);
    uv_timer_start(&question->deadline, question->process != NULL ? on_late : on_no_program,
                   question->process != NULL ? context->options.connect_timeout_ms : 0, 0);
}

static void ask_next(struct ssh_configs *configs)
{
    struct ssh_question *question;

    TAILQ_FOREACH(question, &configs->questions, link)
    {
        if (configs->asking >= AT_A_TIME)
            return;
        if (!question->answered && !uv_is_active((uv_handle_t *)&question->deadline))
            ask(question);
    }
}

static struct ssh_question *question_of(struct ssh_configs *configs, const struct remote_target *target)
{
    const char *host = target->address != NULL ? target->address : target->name;
    bool each = configs->scope == SCOPE_EACH_HOST;
    char *key = each ? mem_printf("%s@%s:%u", target->user != NULL ? target->user : "", host, target->port)
                     : mem_strdup("");
    struct ssh_question *question;

    TAILQ_FOREACH(question, &configs->questions, link)
    if (strcmp(question->key, key) == 0) {
        free(key);
        return question;
    }
    question = mem_alloc(sizeof *question);
    question->configs = configs;
    question->key = key;
    question->host = mem_strdup(host);
    question->user = each && target->user != NULL ? mem_strdup(target->user) : NULL;
    question->port = each ? target->port : 0;
    text_init(&question->out, ANSWER_LIMIT);
    uv_timer_init(configs->context->loop, &question->deadline);
    question->deadline.data = question;
    TAILQ_INIT(&question->waiters);
    TAILQ_INSERT_TAIL(&configs->questions, question, link);
    return question;
}

bool ssh_config_ask(struct transport_context *context, const struct remote_target *target,
                    struct ssh_config_waiter *waiter, const struct ssh_config **ret_config)
{
    struct ssh_configs *configs = context->configs;

    if (configs == NULL) {
        configs = context->configs = mem_alloc(sizeof *configs);
        configs->context = context;
        configs->arena = arena_create();
        configs->scope = scope_of_files();
        TAILQ_INIT(&configs->questions);
    }
    *ret_config = NULL;
    if (configs->scope == SCOPE_NOTHING)
        return true;
    waiter->question = question_of(configs, target);
    if (waiter->question->answered) {
        *ret_config = waiter->question->given_up ? NULL : &waiter->question->config;
        return true;
    }
    waiter->waiting = true;
    TAILQ_INSERT_TAIL(&waiter->question->waiters, waiter, link);
    ask_next(configs);
    return false;
}

void ssh_config_leave(struct ssh_config_waiter *waiter)
{
    if (waiter->waiting)
        TAILQ_REMOVE(&waiter->question->waiters, waiter, link);
    waiter->waiting = false;
}

static void on_question_closed(uv_handle_t *handle)
{
    struct ssh_question *question = handle->data;

    for (size_t i = 0; i < question->part_count; i++)
        free(question->parts[i]);
    text_release(&question->out);
    free(question->key);
    free(question->host);
    free(question->user);
    free(question);
}

void ssh_configs_release(struct transport_context *context)
{
    struct ssh_configs *configs = steal_pointer(context->configs);
    struct ssh_question *question;

    if (configs == NULL)
        return;
    while ((question = TAILQ_FIRST(&configs->questions)) != NULL) {
        TAILQ_REMOVE(&configs->questions, question, link);
        if (question->process != NULL)
            process_drop(question->process, SIGKILL);
        uv_close((uv_handle_t *)&question->deadline, on_question_closed);
    }
    arena_destroy(configs->arena);
    free(configs);
}
