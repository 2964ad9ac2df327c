/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a spawned ssh asks us. It asks by SSH_ASKPASS, which is this program again (remote_askpass, in assay/run/remote.h).
 * Question and answer go through the ssh's own standard input, one end of a pair of sockets that only it and what it
 * starts have: no name that others could find, and nothing secret in a command line, an environment or a file. What ssh
 * starts with another standard input (a ProxyCommand's ssh, whose login is somebody else's) is no part of that: its login
 * ends.
 *
 * The standard output of ssh is the same socket: what LocalCommand says comes by it too.
 */
#ifndef ASSAY_RUN_ASKPASS_H
#define ASSAY_RUN_ASKPASS_H

#include <stdbool.h>
#include <uv.h>

struct askpass;

/* What stands before a question in what is said. */
#define ASKPASS_ASKS "assay-asks "

/* Whether there is a program that can be asked by: main has called remote_askpass. */
bool askpass_usable(void);
/*
 * NULL with errno. Each line that is said comes from the loop; bytes that steer a terminal are blanks. *ret_end is what ssh
 * has as standard input and output; the caller closes it when ssh has been started.
 */
struct askpass *askpass_open(uv_loop_t *loop, void (*said)(void *context, const char *line), void *context,
                             int *ret_end);
/* What stands before the words of ssh so that it asks: ASKPASS_WORDS of them and NULL. free() each. Without a terminal of its
 * own an ssh before 8.4 asks this way too. */
enum { ASKPASS_WORDS = 6 };
void askpass_words(const struct askpass *askpass, char *ret_words[ASKPASS_WORDS + 1]);
/* "": no. ssh goes on then as if nothing had been typed, which may send that to the far side. */
void askpass_answer(struct askpass *askpass, const char *answer);
/* NULL is fine. */
void askpass_close(struct askpass *askpass);

#endif
