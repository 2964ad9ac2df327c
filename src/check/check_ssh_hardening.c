/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How sshd is really configured (`sshd -T`: defaults, includes and all). What is right is the site's to say:
 * all is recorded, with a remark where a login without a key, or root's with a password, is possible; a suite
 * that wants more puts the metrics into "gate".
 */
#include "assay/reasons/check.h"

#include "rules.h"
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

#define KEYS_ONLY "assay: keys only, see sshd_config(5)"

const struct check check_ssh_hardening = {
    .name = "ssh-hardening",
    .title = "SSH server",
    .summary = "how sshd is configured: root, passwords, keys; recorded unless the suite gates it",
    .concerns = OF_HOST,
    .passive = true,
    .as_root = true,
    .parts = PARTS({"values", "key-value", command, NULL}),
    .items =
        ITEMS({"sshd.permitrootlogin", PER_TARGET, NULL, DUTY_RECORD,
               LIMITS RULES_ONE_OF("sshd.permitrootlogin",
                                   "no|prohibit-password|without-password|forced-commands-only", KEYS_ONLY)},
              {"sshd.passwordauthentication", PER_TARGET, NULL, DUTY_RECORD,
               LIMITS RULES_ONE_OF("sshd.passwordauthentication", "no", KEYS_ONLY)},
              {"sshd.permitemptypasswords", PER_TARGET, NULL, DUTY_RECORD,
               LIMITS RULES_ONE_OF("sshd.permitemptypasswords", "no", KEYS_ONLY)},
              {"sshd.pubkeyauthentication", PER_TARGET, NULL, DUTY_RECORD,
               LIMITS RULES_ONE_OF("sshd.pubkeyauthentication", "yes", KEYS_ONLY)},
              {"sshd.kbdinteractiveauthentication", PER_TARGET, NULL, DUTY_RECORD,
               LIMITS RULES_ONE_OF("sshd.kbdinteractiveauthentication", "no", KEYS_ONLY)},
              {"sshd.hostbasedauthentication", PER_TARGET, NULL, DUTY_RECORD,
               LIMITS RULES_ONE_OF("sshd.hostbasedauthentication", "no", KEYS_ONLY)},
              {"sshd.x11forwarding", PER_TARGET, NULL, DUTY_RECORD,
               LIMITS RULES_ONE_OF("sshd.x11forwarding", "no", KEYS_ONLY)},
              {"sshd.maxauthtries", PER_TARGET, NULL, DUTY_RECORD, NULL}),
    .remedies = REMEDIES({"*", REASON(set_sshd_config)}),
    .expected_s = 3,
    .read = read_parts,
};
