/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

enum { SECRET_BYTES = 4096, LONGEST = 1000 }; /* sudo and PAM take 255 to 512 */

struct secret {
    char text[SECRET_BYTES];
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

/* One line, byte by byte, so that nothing behind it is taken. -1: errno; -2: too long. */
static int read_line(int fd, char *text)
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
    }
    text[length] = '\0';
    if (length > 0 && text[length - 1] == '\r')
        text[length - 1] = '\0';
    return 0;
}

static struct secret *take_line(int fd, const char *what, struct error *err)
{
    struct secret *secret = secret_create(err);
    int result;

    if (secret == NULL)
        return NULL;
    result = read_line(fd, secret->text);
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
    struct secret *secret = take_line(fd, what, err);

    close(fd);
    return secret;
}

struct secret *secret_ask(const char *prompt, struct error *err)
{
    int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    sigset_t blocked, before;
    struct termios echoing, silent;
    struct secret *secret;

    if (terminal < 0 || tcgetattr(terminal, &echoing) != 0) {
        if (terminal >= 0)
            close(terminal);
        error_set(err, ERROR_USAGE,
                  "a password is asked for, and there is no terminal: give it by a descriptor");
        return NULL;
    }
    /* An interrupt comes when the terminal echoes again. */
    sigfillset(&blocked);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    silent = echoing;
    silent.c_lflag &= ~(tcflag_t)(ECHO | ECHONL);
    tcsetattr(terminal, TCSAFLUSH, &silent);
    (void)!write(terminal, prompt, strlen(prompt));
    secret = take_line(terminal, "the password", err);
    (void)!write(terminal, "\n", 1);
    tcsetattr(terminal, TCSAFLUSH, &echoing);
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(terminal);
    return secret;
}
