/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTML that cannot be steered by what it shows. The short name escapes; markup takes literals only; numbers
 * come in as numbers. There is no way to write a foreign string unescaped.
 */
#ifndef ASSAY_REPORT_HTML_H
#define ASSAY_REPORT_HTML_H

#include "assay/base/text.h"
#include "assay/model/outcome.h"

/* Any string, escaped for element content and quoted attributes, and made printable. NULL writes nothing. */
void html_text(struct text *out, const char *string);
/* Likewise, of element content alone: a line may break behind each comma of "node[1-2,4,7-10]" and not inside of
   "gpu2->gpu5", and what stands between backticks is code. */
void html_words(struct text *out, const char *string);
void html_textf(struct text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Markup: a string literal and nothing else compiles. */
#define html_markup(out, literal) text_add((out), "" literal "", sizeof(literal) - 1)

/* Markup with a number in the place of each '@', in order: html_shape(out, "<a href=\"#e@\">", 12.0). */
#define html_shape(out, literal, ...)                                \
    html_shape_((out), "" literal "", (const double[]){__VA_ARGS__}, \
                sizeof((const double[]){__VA_ARGS__}) / sizeof(double))
void html_shape_(struct text *out, const char *literal, const double *numbers, size_t count);

/* <p>text</p>, <td>text</td>, <td> of a number, <th scope="row">text</th>, <dt>name</dt><dd>value</dd> */
void html_paragraph(struct text *out, const char *string);
void html_cell(struct text *out, const char *string);
void html_number_cell(struct text *out, const char *string);
void html_row_head(struct text *out, const char *string);
void html_pair(struct text *out, const char *name, const char *value);
/* Monospaced <td>. */
void html_code_cell(struct text *out, const char *string);
/* A long hash or word in <code>, breakable anywhere. */
void html_code(struct text *out, const char *string);

/* " class=\"fail\"" and so on: the colour of a word. Symbol and word always stand beside it. */
void html_word_class(struct text *out, enum outcome_word word);
const char *word_symbol(enum outcome_word word);

#endif
