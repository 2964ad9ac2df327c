/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One POST by curl(1): it is on every system that a controller runs on, verifies certificates, knows the proxies of the
 * environment and follows no redirect unless it is asked to. The URL goes through its standard input and the body through
 * a descriptor: what stands on a command line everybody can read.
 */
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "alert_private.h"
#include "assay/base/cleanup.h"
#include "assay/base/json.h"
#include "assay/base/program.h"
#include "assay/base/scan.h"
#include "assay/base/secret.h"
#include "assay/model/reading.h"

enum { ANSWER_BYTES = 64 * 1024, REQUEST_BYTES = 64 * 1024, WORDS_SHOWN = 120, BODY_FD = 3 };

extern char **environ;

const char *alert_sign(struct arena *arena, const char *secret, double now)
{
    const char *stamp = arena_printf(arena, "%.0f", now * 1000);
    const char *signed_text = arena_printf(arena, "%s\n%s", stamp, secret);
    unsigned char digest[EVP_MAX_MD_SIZE], base64[2 * EVP_MAX_MD_SIZE];
    const char *sign = "";
    unsigned length = 0;

    HMAC(EVP_sha256(), secret, (int)strlen(secret), (const unsigned char *)signed_text, strlen(signed_text),
         digest, &length);
    EVP_EncodeBlock(base64, digest, (int)length);
    for (const unsigned char *at = base64; *at != '\0'; at++)
        sign = strchr("+/=", *at) != NULL ? arena_printf(arena, "%s%%%02X", sign, *at)
                                          : arena_printf(arena, "%s%c", sign, *at);
    return arena_printf(arena, "timestamp=%s&sign=%s", stamp, sign);
}

static void put_option(struct text *out, const char *name, const char *value)
{
    text_printf(out, "%s = \"", name);
    for (const char *at = value; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\')
            text_put(out, "\\");
        text_add(out, at, 1);
    }
    text_put(out, "\"\n");
}

/* A configuration of curl; its end is the status on a line of its own. */
static void write_request(struct text *out, const struct alert_receiver *receiver, const char *url)
{
    char seconds[16];

    snprintf(seconds, sizeof seconds, "%u", receiver->timeout_s);
    put_option(out, "url", url);
    /* To this machine in the open, and not by way of a proxy. */
    if (strncmp(url, "https:", 6) != 0)
        put_option(out, "noproxy", "*");
    put_option(out, "proto", strncmp(url, "https:", 6) == 0 ? "=https" : "=http");
    text_put(out, "silent\ngloboff\n");
    put_option(out, "max-time", seconds);
    put_option(out, "header", "Content-Type: application/json; charset=utf-8");
    put_option(out, "header", "Expect:");
    put_option(out, "user-agent", "assay/" ASSAY_VERSION);
    put_option(out, "data-binary", "@/dev/fd/3"); /* BODY_FD; a line of a configuration ends at 100 kB */
    text_put(out, "write-out = \"\\n%{http_code}\"\n");
}

/* No file on a disk ever has it. The number is above those that curl gets: glibc before 2.29 leaves close-on-exec where the
   two are one. */
static int in_memory(const char *bytes, size_t length)
{
    cleanup_fd int made = memfd_create("request", MFD_CLOEXEC);

    if (made < 0 || write(made, bytes, length) != (ssize_t)length || lseek(made, 0, SEEK_SET) != 0)
        return -1;
    return fcntl(made, F_DUPFD_CLOEXEC, BODY_FD + 1);
}

static int start_curl(int in, int body, int out, pid_t *ret_child)
{
    static const char *const words[] = {"curl", "-q", "-K", "-", NULL}; /* -q: without ~/.curlrc */
    posix_spawn_file_actions_t actions;
    int failure;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, body, BODY_FD);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    failure = posix_spawnp(ret_child, words[0], &actions, NULL, (char *const *)(uintptr_t)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

/* Until its end, or until there is more than an answer can be: then curl finds its output closed. */
static void read_answer(int fd, struct text *out)
{
    char buffer[4096];
    ssize_t got;

    while (!out->clipped && ((got = read(fd, buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR)))
        if (got > 0)
            text_add(out, buffer, (size_t)got);
}

/* Of curl(1), EXIT CODES. Its own words may hold the URL. */
static const char *exit_text(struct arena *arena, int status)
{
    static const struct {
        int status;
        const char *text;
    } rows[] = {
        {5, "the proxy's name is not known"},
        {6, "the name of its host is not known"},
        {7, "nobody answers at its address"},
        {23, "its answer has no end"},
        {28, "it did not answer in time"},
        {35, "TLS was not agreed upon"},
        {52, "it closed the connection without an answer"},
        {56, "the connection broke"},
        {60, "its certificate is not valid here"},
        {127, "curl is not installed"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (rows[i].status == status)
            return rows[i].text;
    return arena_printf(arena, "curl ended with %d", status);
}

/* What it says of why, unless that tells the URL's secret. */
static const char *words_of(struct arena *arena, const struct alert_receiver *receiver, const char *words)
{
    const char *token = receiver->url + strcspn(receiver->url, "?");

    token = *token == '?' ? token + 1 : strrchr(receiver->url, '/') + 1;
    if (strchr(token, '=') != NULL)
        token = strchr(token, '=') + 1;
    if (*words == '\0' || (*token != '\0' && strstr(words, token) != NULL))
        return "";
    words = arena_strndup(arena, words, strcspn(words, "\r\n"));
    return arena_printf(arena, ": %s", utf8_clean(arena, (struct slice){words, strnlen(words, WORDS_SHOWN)}));
}

const char *alert_refusal(struct arena *arena, const struct alert_receiver *receiver, long status,
                          const char *answer)
{
    const struct json *document, *code;

    if (status < 200 || status > 299)
        return arena_printf(arena, "HTTP %ld%s", status,
                            status / 100 == 3 ? ", and redirects are not followed" : "");
    if (receiver->kind != ALERT_WECOM && receiver->kind != ALERT_DINGTALK)
        return NULL;
    /* They say 200 to everything, and in the answer what has become of it. */
    document = json_parse(arena, "the answer", answer, strlen(answer), NULL);
    code = json_get(document, "errcode");
    if (code == NULL || code->type != JSON_NUMBER)
        return "its answer has no errcode";
    if (code->number == 0)
        return NULL;
    return arena_printf(arena, "errcode %.0f%s", code->number,
                        words_of(arena, receiver, json_string(document, "errmsg", "")));
}

/* Takes the status off the end. */
static const char *judge_answer(struct arena *arena, const struct alert_receiver *receiver,
                                struct text *answer)
{
    char *last = strrchr(answer->bytes, '\n');
    double status;

    if (last == NULL || !scan_double(slice_of(last + 1), &status))
        return "curl reported no status";
    *last = '\0';
    return alert_refusal(arena, receiver, (long)status, answer->bytes);
}

int alert_send(struct arena *arena, const struct alert_receiver *receiver, const char *body,
               struct error *err)
{
    cleanup_text struct text request = {0}, answer = {0};
    cleanup_fd int in = -1, data = in_memory(body, strlen(body));
    const char *url = receiver->url, *refusal;
    int out[2], failure;
    pid_t child;

    if (receiver->secret != NULL)
        url = arena_printf(arena, "%s%s%s", url, strchr(url, '?') != NULL ? "&" : "?",
                           alert_sign(arena, receiver->secret, (double)time(NULL)));
    text_init(&request, REQUEST_BYTES);
    text_init(&answer, ANSWER_BYTES);
    write_request(&request, receiver, url);
    in = in_memory(request.bytes, request.length);
    memory_clear(request.bytes, request.length);
    if (request.clipped)
        return error_set(err, ERROR_INTERNAL, "the request is too long for curl");
    if (in < 0 || data < 0 || pipe2(out, O_CLOEXEC) < 0)
        return error_set(err, ERROR_INTERNAL, "no pipe to curl: %s", strerror(errno));
    failure = start_curl(in, data, out[1], &child);
    close(out[1]);
    if (failure == 0)
        read_answer(out[0], &answer);
    close(out[0]);
    if (failure != 0)
        return error_set(err, ERROR_INTERNAL, "curl cannot be started: %s", strerror(failure));
    failure = program_wait(child, 255);
    refusal = failure != 0 ? exit_text(arena, failure) : judge_answer(arena, receiver, &answer);
    return refusal == NULL ? 0 : error_set(err, ERROR_INTERNAL, "%s", refusal);
}
