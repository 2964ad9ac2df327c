/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How sshd is really configured (`sshd -T`: defaults, includes and all). What is right is the site's to say:
 * all is recorded, with a remark where a login without a key, or root's with a password, is possible; a suite
 * that wants more puts the metrics into "gate".
 */
#include "script.h"

#define KEYS                                                                            \
    "permitrootlogin passwordauthentication permitemptypasswords pubkeyauthentication " \
    "kbdinteractiveauthentication hostbasedauthentication x11forwarding maxauthtries"

static void command(const struct check_context *context, struct text *out)
{
    (void)context;
    script_begin(out, "sshd -T");
    text_put(out, "set -- " KEYS "\n");
    text_put(out, script_ssh_hardening);
}

static const struct part_row parts[] = {{"values", "key-value", command, NULL}, {0}};

#define WORD(metric_, text_)                               \
    (const struct limit[])                                 \
    {                                                      \
        {.metric = metric_,                                \
         .rule = RULE_ONE_OF,                              \
         .text = text_,                                    \
         .source = "assay: keys only, see sshd_config(5)", \
         .status = LIMIT_TOOL},                            \
        {                                                  \
            0                                              \
        }                                                  \
    }

static const struct item items[] = {
    {"sshd.permitrootlogin", PER_TARGET, NULL, DUTY_RECORD,
     WORD("sshd.permitrootlogin", "no|prohibit-password|without-password|forced-commands-only")},
    {"sshd.passwordauthentication", PER_TARGET, NULL, DUTY_RECORD, WORD("sshd.passwordauthentication", "no")},
    {"sshd.permitemptypasswords", PER_TARGET, NULL, DUTY_RECORD, WORD("sshd.permitemptypasswords", "no")},
    {"sshd.pubkeyauthentication", PER_TARGET, NULL, DUTY_RECORD, WORD("sshd.pubkeyauthentication", "yes")},
    {"sshd.kbdinteractiveauthentication", PER_TARGET, NULL, DUTY_RECORD,
     WORD("sshd.kbdinteractiveauthentication", "no")},
    {"sshd.hostbasedauthentication", PER_TARGET, NULL, DUTY_RECORD,
     WORD("sshd.hostbasedauthentication", "no")},
    {"sshd.x11forwarding", PER_TARGET, NULL, DUTY_RECORD, WORD("sshd.x11forwarding", "no")},
    {"sshd.maxauthtries", PER_TARGET, NULL, DUTY_RECORD, NULL},
    {0},
};

static const struct remedy remedies[] = {
    {"*", "set it in /etc/ssh/sshd_config or a file of sshd_config.d, then systemctl reload ssh (or sshd); "
          "`sshd -T` "
          "as root shows what is in force"},
    {0},
};

const struct check check_ssh_hardening = {
    .name = "ssh-hardening",
    .title = "SSH server",
    .summary = "how sshd is configured: root, passwords, keys; recorded unless the suite gates it",
    .concerns = OF_HOST,
    .scopes = SCOPE_HOST,
    .passive = true,
    .as_root = true,
    .parts = parts,
    .items = items,
    .remedies = remedies,
    .expected_s = 3,
    .read = read_parts,
};
