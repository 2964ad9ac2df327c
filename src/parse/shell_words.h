/* SPDX-License-Identifier: Apache-2.0 */
/* What a shell says around the output of a tool: prompts, and why it could not run the tool. */
#ifndef ASSAY_SHELL_WORDS_H
#define ASSAY_SHELL_WORDS_H

#include "assay/base/scan.h"

/* "[root@node ~]#", "user@node:~$", "node:~ #", "bash-5.1$", "$", "#": nothing stands behind its mark. */
bool is_prompt(struct slice line);
/* The command behind a prompt or a trace mark: "root@node:~# ethtool -S eth0", "+ ethtool -S eth0", "$ ls". */
bool prompt_command(struct slice line, struct slice *ret_command);
/* "bash: ibstat: command not found", "sh: 1: ibstat: not found", "sudo: a password is required", ... */
bool is_shell_trouble(struct slice line);

#endif
