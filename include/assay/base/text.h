/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing string that knows its limit.
 *
 * Invariants after text_init: bytes is never NULL, bytes[length] is 0, length <= limit. What would pass the
 * limit is dropped and `clipped` is set: the caller decides whether that is an error. Bytes may include NUL.
 */
#ifndef ASSAY_TEXT_H
#define ASSAY_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Takes bytes of a text that drains; false: it could not, and wants no more. */
typedef bool text_drain_cb(void *context, const char *bytes, size_t length);

struct text {
    char *bytes;
    size_t length, capacity, limit;
    bool clipped;
    text_drain_cb *drain; /* NULL: it holds all */
    void *context;
};

#define cleanup_text __attribute__((cleanup(text_release)))

void text_init(struct text *text, size_t limit);
/* Frees the storage and leaves an empty text with the same limit. Accepts a zeroed struct. */
void text_release(struct text *text);
/* Empties, keeps the storage. */
void text_reset(struct text *text);
/* The bytes are the caller's to free(); the text is empty again. */
char *text_detach(struct text *text) __attribute__((returns_nonnull));

/*
 * A text without a limit, which is handed on piece by piece and holds the last piece only: its writer can look back
 * TEXT_HELD bytes at least, and no further. `clipped`: the drain could not take a piece, and what followed is dropped.
 */
enum { TEXT_HELD = 4096 };
void text_init_draining(struct text *text, text_drain_cb *drain, void *context);
/* Hands on what is still held: the end. */
void text_drain(struct text *text);

void text_add(struct text *text, const void *bytes, size_t length);
void text_put(struct text *text, const char *string);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* Control characters from `from` on become blanks: what a host says is one line, and steers no terminal. */
void text_make_plain(struct text *text, size_t from);

/* One shell word, quoted for POSIX sh so that it stands for exactly these bytes. */
void text_shell_quote(struct text *text, const char *word);

/* Of strings (const char *), for qsort and bsearch. */
int text_compare(const void *a, const void *b);

#endif
