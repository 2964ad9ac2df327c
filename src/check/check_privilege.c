/* SPDX-License-Identifier: Apache-2.0 */
/* Whether what needs root gets it: through sudo -n where the hostfile says become=sudo, or by a root login.
 */
#include "assay/reasons/check.h"

#include "rules.h"

static void read_id(const struct check_context *context, const struct attempt *attempt, struct reading *out)
{
    const struct part *part = attempt_part(attempt, "main");
    struct slice line = {0}, rest;
    uint64_t uid;

    (void)context;
    rest = part != NULL ? part->out : line;
    if (part == NULL || !part->ended || part->rc != 0 || !scan_line(&rest, &line) ||
        !scan_u64(slice_trim(line), &uid)) {
        reading_set(out, READING_FAILED, REASON(id_gave_no_number));
        return;
    }
    reading_fact(out, "host.root", "", slice_of(uid == 0 ? "yes" : "no"));
    reading_set(out, READING_COMPLETE, NULL);
}

/* A right that is missing says nothing about the hardware: undecided, with the remedy. */
static const struct limit root_rules[] = RULES_EQUAL("host.root", "yes", "assay", .inconclusive = true);

const struct check check_privilege = {
    .name = "privilege",
    .title = "Root rights",
    .summary = "what needs root gets it, by sudo -n or a root login",
    .concerns = OF_HOST,
    .passive = true,
    .as_root = true,
    .parts = PARTS({.name = "main", .script = "id -u"}),
    .items = ITEMS({"host.root", PER_TARGET, NULL, DUTY_GATE, root_rules}),
    .remedies = REMEDIES({"host.root", .problem = "sudo", .on_hosts = true,
                          .command = "echo '{user} ALL=(ALL) NOPASSWD: ALL' | sudo tee /etc/sudoers.d/assay"},
                         {"*", REASON(let_it_become_root)}),
    .expected_s = 2,
    .read = read_id,
};
