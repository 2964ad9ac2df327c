/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A password, asked for once. It lies in one page of memory that is kept out of swap and core dumps as far as the system
 * allows, and is cleared when it is destroyed. It is never written anywhere but to who checks it, and from that page: a
 * copy would lie in memory as any other. A child after fork() does not have it; who goes on in a child asks there.
 */
#ifndef ASSAY_SECRET_H
#define ASSAY_SECRET_H

#include <stddef.h>

#include "assay/base/error.h"

struct secret;

/* From the terminal, without echo; the prompt goes there too. NULL with err set: there is no terminal, nothing was typed,
 * or it is too long. */
struct secret *secret_ask(const char *prompt, struct error *err) __attribute__((warn_unused_result));
/* The same in two steps, for who has other things to do meanwhile: descriptor is readable once a line was typed, and close
 * takes that and gives the terminal back, with what was typed or without (NULL with err set). Ctrl-C ends the line too:
 * then close sends us SIGINT. */
struct secret_prompt;
struct secret_prompt *secret_prompt_open(const char *prompt, struct error *err)
    __attribute__((warn_unused_result));
int secret_prompt_descriptor(const struct secret_prompt *asked);
struct secret *secret_prompt_close(struct secret_prompt *asked, struct error *err)
    __attribute__((warn_unused_result));
/* The first line of this descriptor, which is closed. `what` is for the error. */
struct secret *secret_read(int fd, const char *what, struct error *err) __attribute__((warn_unused_result));
/* The text, without a newline; at least one character. */
const char *secret_text(const struct secret *secret);
/* NULL is fine. */
void secret_destroy(struct secret *secret);

/* Overwrites what the compiler may not leave out. NULL is fine. */
void memory_clear(void *bytes, size_t length);

#endif
