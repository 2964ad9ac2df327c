/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the host can be logged in to and runs a command: what everything else on it needs; and whether it is one host,
 * or another one of the run under a second name, which would be delivered twice. */
#include <string.h>

#include "assay/base/arena.h"
#include "assay/reasons/check.h"
#include "rules.h"

/* Its boot and its network: containers of one machine are hosts of their own. */
static void put_machine(const struct attempt *attempt, struct slice network, struct reading *out)
{
    const char *boot = attempt->boot_id != NULL ? attempt->boot_id : "", *machine;

    if (network.length == 0 || *boot == '\0' || strcmp(boot, "unknown") == 0)
        return;
    machine = arena_printf(out->arena, "%s %.*s", boot, (int)network.length, network.bytes);
    reading_fact(out, "host.machine", "", slice_of(machine));
}

static void read_answer(const struct check_context *context, const struct attempt *attempt,
                        struct reading *out)
{
    static const char *const names[] = {"host.hostname", "host.kernel", "host.login"};
    const struct part *part = attempt_part(attempt, "main");
    struct slice rest, line;

    (void)context;
    if (part == NULL || !part->ended || part->rc != 0) {
        reading_set(out, READING_FAILED, REASON(login_runs_no_command));
        return;
    }
    rest = part->out;
    for (size_t i = 0; i < ARRAY_SIZE(names) && scan_line(&rest, &line); i++)
        reading_fact(out, names[i], "", slice_trim(line));
    if (scan_line(&rest, &line))
        put_machine(attempt, slice_trim(line), out);
    reading_set(out, READING_COMPLETE, NULL);
}

static const struct limit machine_rules[] =
    RULES(.metric = "host.machine", .rule = RULE_DISTINCT,
          .source = "assay: one line of the hostfile, one host", .status = LIMIT_TOOL);

const struct check check_reachable = {
    .name = "reachable",
    .title = "Reachable",
    .summary =
        "the host answers over ssh, runs a command, and is not another host of the run under a second name",
    .concerns = OF_HOST,
    .passive = true,
    .parts = PARTS(
        {.name = "main",
         .script = "hostname; uname -srm; id -un; readlink /proc/self/ns/net || echo no network namespaces"}),
    .items = ITEMS({"host.machine", PER_TARGET, NULL, DUTY_GATE, machine_rules},
                   {"host.hostname", PER_TARGET, NULL, DUTY_RECORD, NULL},
                   {"host.kernel", PER_TARGET, NULL, DUTY_RECORD, NULL},
                   {"host.login", PER_TARGET, NULL, DUTY_RECORD, NULL}),
    .remedies = REMEDIES({"host.machine", REASON(one_machine_twice), .problem = "two names for one host"}),
    .expected_s = 2,
    .read = read_answer,
};
