/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/base/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include "assay/base/arena.h"

enum { SECRET_BYTES = 4096, LONGEST = 1000 /* sudo and PAM take 255 to 512 */, INTERRUPT = 3 /* Ctrl-C */ };

struct secret {
    char text[SECRET_BYTES];
};

struct secret_prompt {
    int terminal;
    struct termios echoing;
};

void memory_clear(void *bytes, size_t length)
{
    if (bytes != NULL)
        explicit_bzero(bytes, length);
}

static struct secret *secret_create(struct error *err)
{
    void *page =
        mmap(NULL, sizeof(struct secret), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (page == MAP_FAILED) {
        error_set(err, ERROR_INTERNAL, "no memory for a password: %s", strerror(errno));
        return NULL;
    }
    /* What the system does not allow does not hinder: then it is memory as any other. */
    (void)!mlock(page, sizeof(struct secret));
    (void)!madvise(page, sizeof(struct secret), MADV_DONTDUMP);
    (void)!madvise(page, sizeof(struct secret), MADV_DONTFORK); /* a child's would not be locked */
    return page;
}

void secret_destroy(struct secret *secret)
{
    if (secret == NULL)
        return;
    memory_clear(secret, sizeof *secret);
    munmap(secret, sizeof *secret);
}

const char *secret_text(const struct secret *secret)
{
    return secret->text;
}

/* One line, byte by byte, so that nothing behind it is taken. It ends at INTERRUPT too, which is kept, if `typed`. -1: errno;
 * -2: too long. */
static int read_line(int fd, bool typed, char *text)
{
    size_t length = 0;
    ssize_t got;

    for (;;) {
        got = read(fd, text + length, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0 || text[length] == '\n')
            break;
        if (++length > LONGEST)
            return -2;
        if (typed && text[length - 1] == INTERRUPT)
            break;
    }
    text[length] = '\0';
    if (length > 0 && text[length - 1] == '\r')
        text[length - 1] = '\0';
    return 0;
}

static struct secret *take_line(int fd, bool typed, const char *what, struct error *err)
{
    struct secret *secret = secret_create(err);
    int result;

    if (secret == NULL)
        return NULL;
    result = read_line(fd, typed, secret->text);
    if (result == 0 && *secret->text != '\0')
        return secret;
    if (result == -1)
        error_set(err, ERROR_USAGE, "%s cannot be read: %s", what, strerror(errno));
    else
        error_set(err, ERROR_USAGE, "%s: %s", what, result == -2 ? "it is too long" : "it is empty");
    secret_destroy(secret);
    return NULL;
}

struct secret *secret_read(int fd, const char *what, struct error *err)
{
    struct secret *secret = take_line(fd, false, what, err);

    close(fd);
    return secret;
}

/* Where what is typed comes to us: who is in the background reads nothing. */
static int open_terminal(struct termios *ret_echoing)
{
    int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

    if (terminal >= 0 && tcgetpgrp(terminal) == getpgrp() && tcgetattr(terminal, ret_echoing) == 0)
        return terminal;
    if (terminal >= 0)
        close(terminal);
    return -1;
}

struct secret_prompt *secret_prompt_open(const char *prompt, struct error *err)
{
    struct secret_prompt *asked;
    struct termios echoing, silent;
    int terminal = open_terminal(&echoing);

    if (terminal < 0) {
        error_set(err, ERROR_USAGE,
                  "a password is needed, but there is no terminal: give it by a descriptor");
        return NULL;
    }
    asked = mem_alloc(sizeof *asked);
    asked->terminal = terminal;
    asked->echoing = silent = echoing;
    silent.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ISIG);
    silent.c_cc[VEOL] = INTERRUPT;
    tcsetattr(terminal, TCSAFLUSH, &silent);
    (void)!write(terminal, prompt, strlen(prompt));
    return asked;
}

int secret_prompt_descriptor(const struct secret_prompt *asked)
{
    return asked->terminal;
}

struct secret *secret_prompt_close(struct secret_prompt *asked, struct error *err)
{
    struct secret *secret = take_line(asked->terminal, true, "the password", err);
    bool interrupted = secret != NULL && strchr(secret->text, INTERRUPT) != NULL;

    (void)!write(asked->terminal, "\n", 1);
    tcsetattr(asked->terminal, TCSAFLUSH, &asked->echoing);
    close(asked->terminal);
    free(asked);
    if (!interrupted)
        return secret;
    secret_destroy(secret);
    error_set(err, ERROR_USAGE, "the password: interrupted");
    raise(SIGINT);
    return NULL;
}

struct secret *secret_ask(const char *prompt, struct error *err)
{
    struct secret_prompt *asked;
    struct secret *secret = NULL;
    sigset_t blocked, before;

    /* An interrupt comes when the terminal echoes again. */
    sigfillset(&blocked);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    asked = secret_prompt_open(prompt, err);
    if (asked != NULL) {
        struct pollfd line = {asked->terminal, POLLIN, 0};

        (void)poll(&line, 1, -1);
        secret = secret_prompt_close(asked, err);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return secret;
}
