/* SPDX-License-Identifier: Apache-2.0 */
#include "askpass.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/base/text.h"
#include "assay/run/remote.h"
#include "login.h"

enum { LINE_LIMIT = 2048, CHUNK = 512 };

static const char variable[] = "ASSAY_ASKPASS"; /* the inode of the socket by which is asked */
static bool usable;

/* ---- the program that ssh starts ---- */

static bool is_asked_by(int fd, const char *inode)
{
    struct stat status;
    char text[32];

    if (fstat(fd, &status) != 0 || !S_ISSOCK(status.st_mode))
        return false;
    snprintf(text, sizeof text, "%llu", (unsigned long long)status.st_ino);
    return strcmp(text, inode) == 0;
}

static bool put(int fd, const char *text)
{
    return file_write_all(fd, text, strlen(text)) == 0;
}

/* One line, whatever is in it. */
static bool put_question(const char *prompt)
{
    cleanup_text struct text line = {0};

    text_init(&line, LINE_LIMIT / 2);
    text_printf(&line, "%s%s", ASKPASS_ASKS, prompt);
    text_make_plain(&line, 0);
    return put(STDIN_FILENO, line.bytes) && put(STDIN_FILENO, "\n");
}

/* No answer. ssh would send an empty one all the same, to be counted as one more wrong password: so its login ends, unless
 * what it asks is nothing to be sent. */
static int decline(const char *prompt)
{
    pid_t asker = getppid();
    char path[32], name[8] = "";
    cleanup_fd int fd = -1;

    snprintf(path, sizeof path, "/proc/%ld/comm", (long)asker);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (login_question_of(prompt) != QUESTION_OURS && fd >= 0 && read(fd, name, sizeof name - 1) > 0 &&
        strcmp(name, "ssh\n") == 0)
        kill(asker, SIGTERM);
    return 1;
}

int remote_askpass(int argc, char **argv)
{
    const char *inode = getenv(variable), *hint = getenv("SSH_ASKPASS_PROMPT");
    struct secret *secret;
    struct error err;
    bool told;

    if (inode == NULL) {
        usable = true;
        return -1;
    }
    if (hint != NULL) /* to confirm something, or to look at something: no question that has an answer */
        return strcmp(hint, "none") == 0 ? 0 : 1;
    if (argc != 2)
        return 1;
    if (!is_asked_by(STDIN_FILENO, inode) || !put_question(argv[1]))
        return decline(argv[1]);
    secret = secret_read(STDIN_FILENO, "the answer", &err);
    if (secret == NULL)
        return decline(argv[1]);
    told = put(STDOUT_FILENO, secret_text(secret)) && put(STDOUT_FILENO, "\n");
    secret_destroy(secret);
    return told ? 0 : 1;
}

/* ---- the one that is asked ---- */

struct askpass {
    uv_pipe_t pipe;
    void (*said)(void *context, const char *line);
    void *context;
    struct text line;
    unsigned long long inode; /* of ssh's end */
    char chunk[CHUNK];
};

bool askpass_usable(void)
{
    return usable;
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_buffer)
{
    struct askpass *askpass = handle->data;

    (void)suggested;
    *ret_buffer = uv_buf_init(askpass->chunk, CHUNK);
}

/* Whom it tells may close it. */
static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer)
{
    struct askpass *askpass = stream->data;

    if (length < 0)
        uv_read_stop(stream);
    for (ssize_t i = 0; i < length && !uv_is_closing((uv_handle_t *)stream); i++) {
        if (buffer->base[i] != '\n') {
            text_add(&askpass->line, buffer->base + i, 1);
            continue;
        }
        text_make_plain(&askpass->line, 0);
        askpass->said(askpass->context, askpass->line.bytes);
        text_reset(&askpass->line);
    }
}

struct askpass *askpass_open(uv_loop_t *loop, void (*said)(void *context, const char *line), void *context,
                             int *ret_end)
{
    struct askpass *askpass;
    struct stat status;
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return NULL;
    askpass = mem_alloc(sizeof *askpass);
    askpass->said = said;
    askpass->context = context;
    text_init(&askpass->line, LINE_LIMIT);
    if (fstat(ends[1], &status) == 0)
        askpass->inode = status.st_ino;
    uv_pipe_init(loop, &askpass->pipe, 0);
    askpass->pipe.data = askpass;
    uv_pipe_open(&askpass->pipe, ends[0]);
    uv_read_start((uv_stream_t *)&askpass->pipe, on_alloc, on_read);
    *ret_end = ends[1];
    return askpass;
}

/* Where the loader stands in the program's place, who started it knows how to start it again (scripts/bundle). */
static char *own_program(void)
{
    const char *program = getenv("ASSAY_PROGRAM");

    return program != NULL ? mem_strdup(program) : mem_printf("/proc/%ld/exe", (long)getpid());
}

void askpass_words(const struct askpass *askpass, char *ret_words[ASKPASS_WORDS + 1])
{
    const char *display = getenv("DISPLAY");
    cleanup_free char *program = own_program();
    char *words[] = {mem_strdup("setsid"),
                     mem_strdup("env"),
                     mem_printf("SSH_ASKPASS=%s", program),
                     mem_strdup("SSH_ASKPASS_REQUIRE=force"),
                     mem_printf("%s=%llu", variable, askpass->inode),
                     mem_printf("DISPLAY=%s", display != NULL ? display : "none")};

    _Static_assert(ARRAY_SIZE(words) == ASKPASS_WORDS, "as many as the header says");
    memcpy(ret_words, words, sizeof words);
    ret_words[ASKPASS_WORDS] = NULL;
}

void askpass_answer(struct askpass *askpass, const char *answer)
{
    uv_buf_t parts[] = {uv_buf_init((char *)answer, (unsigned)strlen(answer)),
                        uv_buf_init((char[]){"\n"}, 1)};

    /* Far less than an empty socket takes. Where ssh has ended, its end says that. */
    (void)uv_try_write((uv_stream_t *)&askpass->pipe, parts, 2);
}

static void on_closed(uv_handle_t *handle)
{
    struct askpass *askpass = handle->data;

    text_release(&askpass->line);
    free(askpass);
}

void askpass_close(struct askpass *askpass)
{
    if (askpass != NULL)
        uv_close((uv_handle_t *)&askpass->pipe, on_closed);
}
