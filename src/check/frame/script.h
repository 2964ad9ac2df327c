/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shell of src/check/sh as it goes into a command file: first its parameters and the tools that it names, then its text,
 * script_NAME. All in the subshell of a part, so that `exit` ends the part, nothing is exported, and nothing travels as an
 * argument that may be too long for the host.
 *
 *     script_begin(out, "dmesg");
 *     script_set(out, "since", "12.5");
 *     script_tool(context, out, "nvidia_smi", "nvidia-smi");
 *     text_put(out, script_window_log);
 */
#ifndef ASSAY_CHECK_SCRIPT_H
#define ASSAY_CHECK_SCRIPT_H

#include "assay/check/check.h"
#include "scripts.h"

/*
 * The first line, a comment: what a person would type to the same end. By that the command is named where it could not be
 * started or died. No newline in it.
 */
void script_begin(struct text *out, const char *title);
/* A line NAME='VALUE'; NULL is empty. */
void script_set(struct text *out, const char *name, const char *value);
void script_set_number(struct text *out, const char *name, double value, int decimals);
/* NAME='VALUE' without a line's end: before the words of a command. */
void script_assign(struct text *out, const char *name, const char *value);
/* " 'WORD'" */
void script_word(struct text *out, const char *word);
/* " 'WORD' 'WORD'" of the words between blanks. */
void script_words(const struct check_context *context, struct text *out, const char *words);

/* The script's arguments are the compute HCAs of the step. */
void script_set_hcas(const struct check_context *context, struct text *out);

/*
 * A function NAME for the tool as the suite has it, its folder and environment included. `under`: words before the
 * program ("timeout 5"), or "". The second one's replaces the shell it is called in, so that what is ended is the tool.
 */
void script_tool(const struct check_context *context, struct text *out, const char *name, const char *tool);
void script_tool_under(const struct check_context *context, struct text *out, const char *name,
                       const char *tool, const char *under);
void script_tool_exec(const struct check_context *context, struct text *out, const char *name,
                      const char *tool);

#endif
