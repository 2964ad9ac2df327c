/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the host can be logged in to and runs a command: what everything else on it needs. Its gate is
 * "sound". */
#include "assay/check.h"

static void command(const struct check_context *context, struct text *out)
{
    (void)context;
    text_put(out, "hostname; uname -srm; id -un");
}

static void read_answer(const struct check_context *context, const struct attempt *attempt,
                        struct reading *out)
{
    static const char *const names[] = {"host.hostname", "host.kernel", "host.login"};
    const struct part *part = attempt_part(attempt, "main");
    struct slice rest, line;

    (void)context;
    if (part == NULL || !part->ended || part->rc != 0) {
        reading_set(out, READING_FAILED, "the login works, but a plain command does not");
        return;
    }
    rest = part->out;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && scan_line(&rest, &line); i++)
        reading_fact(out, names[i], "", slice_trim(line));
    reading_set(out, READING_COMPLETE, "%s", "");
}

static const struct item items[] = {
    {"host.hostname", PER_TARGET, NULL, DUTY_RECORD, NULL},
    {"host.kernel", PER_TARGET, NULL, DUTY_RECORD, NULL},
    {"host.login", PER_TARGET, NULL, DUTY_RECORD, NULL},
    {0},
};

static const struct part_row parts[] = {{"main", NULL, command, NULL}, {0}};

static unsigned expected_s(const struct check_context *context)
{
    (void)context;
    return 2;
}

const struct check check_reachable = {
    .name = "reachable",
    .title = "Reachable",
    .summary = "the host answers over ssh and runs a command",
    .scopes = SCOPE_HOST,
    .passive = true,
    .parts = parts,
    .items = items,
    .expected_s = expected_s,
    .read = read_answer,
};
