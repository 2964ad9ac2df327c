/* SPDX-License-Identifier: Apache-2.0 */
/* OpenSSH's own server for the length of a test: free port, own folder and keys, ends with the test. */
#ifndef ASSAY_TESTS_RUN_SSHD_H
#define ASSAY_TESTS_RUN_SSHD_H

#include <sys/types.h>

#include "bench.h"

struct sshd {
    unsigned port;
    pid_t pid;
    char key[128];         /* one that it takes */
    char wrong_key[128];   /* one that it does not */
    char known_hosts[128]; /* names its host key */
    char user[64];
};

/* Why no server can be run here, or NULL. */
const char *sshd_missing(void);
/* settings: more lines for its configuration. The folder is the bench's. */
void sshd_start(struct sshd *sshd, const struct bench *bench, const char *settings);
/* The same server once more, after sshd_stop. */
void sshd_start_again(struct sshd *sshd, const struct bench *bench);
/* Other settings, for its next start. */
void sshd_add_settings(const struct sshd *sshd, const struct bench *bench, const char *settings);
void sshd_stop(struct sshd *sshd);
/* Kills the server's processes of the connections that are open now; gives how many there were. */
unsigned sshd_kill_connections(const struct sshd *sshd);
/* Runs a program and waits: its status. Output goes nowhere. */
int run_program(const char *const argv[]);
/* "[127.0.0.1]:PORT TYPE KEY" with the key of the server. free() it. */
char *sshd_known_line(const struct sshd *sshd, const struct bench *bench);

#endif
