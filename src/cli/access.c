/* SPDX-License-Identifier: Apache-2.0 */
#include "access.h"

#include <stddef.h>

static int take(struct secret **secret, unsigned fd, bool ask, const char *what, const char *prompt,
                struct error *err)
{
    if (fd == 0 && !ask)
        return 0;
    *secret = fd != 0 ? secret_read((int)fd, what, err) : secret_ask(prompt, err);
    return *secret != NULL ? 0 : -1;
}

int access_ask(struct access *access, struct error *err)
{
    if (take(&access->password, access->password_fd, access->ask_password, "--password-fd",
             "Password for login on the hosts: ", err) < 0 ||
        take(&access->jump_password, access->jump_password_fd, access->ask_jump_password,
             "--jump-password-fd", "Password for login on the jump hosts: ", err) < 0)
        return -1;
    return take(&access->sudo_password, access->sudo_password_fd, access->ask_sudo_password,
                "--sudo-password-fd", "Password for sudo on the hosts: ", err);
}

void access_forget(struct access *access)
{
    secret_destroy(access->password);
    secret_destroy(access->jump_password);
    secret_destroy(access->sudo_password);
    access->password = access->jump_password = access->sudo_password = NULL;
}

bool access_has_sudo_password(const struct access *access)
{
    return access->ask_sudo_password || access->sudo_password_fd != 0;
}

bool access_has_password(const struct access *access)
{
    return access->ask_password || access->password_fd != 0 || access_has_sudo_password(access);
}

struct remote_options access_remote(const struct access *access)
{
    return (struct remote_options){.accept_new_host_keys = access->accept_new_host_keys,
                                   .connections = access->connections,
                                   .handshakes = access->handshakes,
                                   .password = access->password,
                                   .jump_password = access->jump_password,
                                   .ask_at_terminal = access->ask_jump_code,
                                   .sudo_password = access->sudo_password};
}
