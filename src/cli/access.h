/* SPDX-License-Identifier: Apache-2.0 */
/* How the hosts are logged in to: the options that `run` and `preflight` share, and the passwords that are asked for once. */
#ifndef ASSAY_ACCESS_H
#define ASSAY_ACCESS_H

#include <stdbool.h>

#include "assay/base/options.h"
#include "assay/run/remote.h"

struct access {
    bool accept_new_host_keys, ask_password, ask_jump_password, ask_jump_code, ask_sudo_password;
    unsigned connections, handshakes;
    unsigned password_fd, jump_password_fd, sudo_password_fd; /* 0: none */
    struct secret *password, *jump_password, *sudo_password;
};

/* Rows of an option table, for a struct access. */
#define ACCESS_OPTIONS(access_)                                                                            \
    OPTION_HEADING("Connection"),                                                                          \
        {"connections",                                                                                    \
         0,                                                                                                \
         OPTION_COUNT,                                                                                     \
         "N",                                                                                              \
         &(access_)->connections,                                                                          \
         "ssh sessions open at a time; default one for each host, if the limit of open files allows"},     \
        {"handshakes",           0,                                                                        \
         OPTION_COUNT,           "N",                                                                      \
         &(access_)->handshakes, "ssh sessions being made at a time; default 64"},                         \
        {"accept-new-host-keys",                                                                           \
         0,                                                                                                \
         OPTION_FLAG,                                                                                      \
         NULL,                                                                                             \
         &(access_)->accept_new_host_keys,                                                                 \
         "trust host keys seen for the first time, and keep them in known_hosts; changed ones are always " \
         "refused"},                                                                                       \
        {"ask-password",                                                                                   \
         0,                                                                                                \
         OPTION_FLAG,                                                                                      \
         NULL,                                                                                             \
         &(access_)->ask_password,                                                                         \
         "ask once for the password (or the keyboard-interactive answer) of hosts that do not take the "   \
         "key; "                                                                                           \
         "it is never stored"},                                                                            \
        {"ask-jump-password",                                                                              \
         0,                                                                                                \
         OPTION_FLAG,                                                                                      \
         NULL,                                                                                             \
         &(access_)->ask_jump_password,                                                                    \
         "ask once for the password of jump hosts that do not accept the key; it is never stored"},        \
        {"ask-jump-code",                                                                                  \
         0,                                                                                                \
         OPTION_FLAG,                                                                                      \
         NULL,                                                                                             \
         &(access_)->ask_jump_code,                                                                        \
         "show you other questions of a jump host at login (a one-time code, its own password) at the "    \
         "terminal, with its name, when it asks"},                                                         \
        {"ask-sudo-password",                                                                              \
         0,                                                                                                \
         OPTION_FLAG,                                                                                      \
         NULL,                                                                                             \
         &(access_)->ask_sudo_password,                                                                    \
         "ask once for the password that sudo needs on hosts with become=sudo; it is never stored"},       \
        {"password-fd",                                                                                    \
         0,                                                                                                \
         OPTION_COUNT,                                                                                     \
         "N",                                                                                              \
         &(access_)->password_fd,                                                                          \
         "read the login password from descriptor N instead: its first line"},                             \
        {"jump-password-fd",                                                                               \
         0,                                                                                                \
         OPTION_COUNT,                                                                                     \
         "N",                                                                                              \
         &(access_)->jump_password_fd,                                                                     \
         "read the password of jump hosts from descriptor N instead"},                                     \
    {                                                                                                      \
        "sudo-password-fd", 0, OPTION_COUNT, "N", &(access_)->sudo_password_fd,                            \
            "read sudo's password from descriptor N instead"                                               \
    }

/* Asks for what the options say, before anything is connected to. access_forget clears it, also after a failure. */
int access_ask(struct access *access, struct error *err) __attribute__((warn_unused_result));
void access_forget(struct access *access);
/* Whether the options have any for the hosts themselves; one for sudo there. */
bool access_has_password(const struct access *access);
bool access_has_sudo_password(const struct access *access);
struct remote_options access_remote(const struct access *access);

#endif
