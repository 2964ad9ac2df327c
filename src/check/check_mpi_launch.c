/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a command gets across the hosts at all, before any bandwidth: what stops a launch is told of the host
 * that stops it, and not found by bisecting a hanging mpirun.
 *
 *   1  The head logs in to every member by its mpi_address, as mpirun would, and asks there for what all must have
 *      alike: Open MPI, NCCL's library, the limit on locked memory, the launcher's interfaces.
 *   2  The launcher starts one rank on the head, then on 2, 4, 8 ... of the hosts that were reached, each with a
 *      deadline of its own. Where a size fails that the one before did not, the head is tried with each of the
 *      hosts that were new in it.
 *
 *   launch.login        "ok", or how it failed; of a key that is refused or unknown nothing is known of the host
 *   launch.machine      which machine answers there: it has to be the one that the run logged in to under that name
 *   launch.mpi, .nccl   "as on the others", or what the host has and most have (launch.mpi_version, ...)
 *   launch.memlock      as os.memlock, in a login from the head
 *   launch.interfaces   "as on the others", or what is wrong with one that the suite names
 *   launch.started      "yes" when the host's rank ran, or what the launch on the head and this host said
 *   launch.hosts        of "4 hosts": "all answered", or how many did
 */
#include "assay/reasons/check.h"

#include "mpi_launch.h"
#include "rules.h"

#include <math.h>
#include <string.h>

#include "launcher.h"
#include "part_file.h"
#include "script.h"

enum {
    LOGIN_S = 40,  /* of one login and what is asked there; ssh itself gives up after 30 */
    LAUNCH_S = 60, /* of one launch */
    LEAST_S = 15,  /* of either where time is scaled */
    AT_ONCE = 32,  /* logins */
    PAIRS_AT_ONCE = 8,
};

static double seconds(const struct check_context *context, double real)
{
    return fmax(real / context->timescale, LEAST_S);
}

/* --- what is asked on each host --- */

/* A plain name is looked for where a login of mpirun finds it, not in the suite's search path. */
static const char *members_mpirun(const struct check_context *context)
{
    const struct suite_launcher *launcher = &context->suite->launcher;

    return launcher->prefix != NULL ? arena_printf(context->arena, "%s/bin/mpirun", launcher->prefix)
                                    : launcher->program;
}

static bool has_interfaces(const struct check_context *context)
{
    const struct suite_launcher *launcher = &context->suite->launcher;

    return launcher->oob_interfaces.count > 0 || launcher->btl_interfaces.count > 0;
}

/* Asked within a function that has no stdin, for the questions themselves come by that. */
static void put_questions(const struct check_context *context, struct text *out)
{
    text_put(out, "cat >\"$ASSAY_DIR/ask\" <<'END-OF-QUESTIONS'\n");
    text_put(out, script_lab_root);
    text_put(out, "ask() {\n");
    if (!launcher_is_srun(context)) {
        script_set(out, "mpirun", members_mpirun(context));
        text_put(out, script_launch_ask_mpi);
    }
    put_environment(context, out);
    script_set(out, "nccl_program", check_tool(context, "all_reduce_perf")->path);
    script_set(out, "interfaces", has_interfaces(context) ? "yes" : "");
    text_put(out, script_launch_ask);
    text_put(out, "}\n"
                  "ask \"$1\" </dev/null\n"
                  "END-OF-QUESTIONS\n");
}

static void put_launch(const struct check_context *context, struct text *out)
{
    static const struct launch launch = {.ranks_per_host = 1, .hosts = "\"$of\"", .count = "\"$ranks\""};

    text_printf(out, "ASSAY_DEADLINE=%.0f\n", seconds(context, LAUNCH_S));
    text_put(out, "launch() { of=$1 ranks=$2; shift 2; timeout -k 5 $ASSAY_DEADLINE ");
    launcher_put(context, &launch, out);
    text_put(out, "\"$@\"; }\n");
}

static void command(const struct check_context *context, struct text *out)
{
    script_begin(out, "ssh to each host; mpirun on 2, 4, 8 ... of them");
    launcher_begin(context, out);
    text_put(out, "\n");
    put_questions(context, out);
    launcher_put_log_in(context, seconds(context, LOGIN_S), out);
    put_launch(context, out);
    script_set_number(out, "logins_at_once", AT_ONCE, 0);
    script_set_number(out, "pairs_at_once", PAIRS_AT_ONCE, 0);
    text_put(out, script_launch);
}

/* --- what is owed --- */

static const struct limit login_rules[] = RULES_EQUAL("launch.login", "ok", "assay");
static const struct limit machine_rules[] =
    RULES(.metric = "launch.machine", .rule = RULE_MACHINE,
          .source = "assay: what is tested between hosts are these hosts", .status = LIMIT_TOOL);
static const struct limit started_rules[] = RULES_EQUAL("launch.started", "yes", "assay");
static const struct limit hosts_rules[] = RULES_EQUAL("launch.hosts", MPI_LAUNCH_ALL, "assay");
static const struct limit alike_rules[] = RULES_EQUAL("launch.*", MPI_LAUNCH_ALIKE, "assay");
static const struct limit memlock_rules[] =
    RULES_ONE_OF("launch.memlock", MEMLOCK_WORDS, "assay", .note = REASON(verbs_lock_memory));

static void slots_of_members(const struct check_context *context, struct slot_list *slots, const char *metric,
                             enum duty duty, const struct limit *rules)
{
    for (size_t i = 0; i < context->member_count; i++)
        slot_add(context, slots, metric, context->members[i]->name, NULL, duty, rules);
}

static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    size_t all = context->member_count;

    if (!launcher_is_srun(context)) {
        slots_of_members(context, slots, "launch.mpi", DUTY_GATE, alike_rules);
        slots_of_members(context, slots, "launch.mpi_version", DUTY_RECORD, NULL);
    }
    if (context->platform->hcas.count > 0)
        slots_of_members(context, slots, "launch.memlock", DUTY_GATE, memlock_rules);
    if (has_interfaces(context))
        slots_of_members(context, slots, "launch.interfaces", DUTY_GATE, alike_rules);
    for (size_t size = 2; size < all; size *= 2)
        slot_add(context, slots, "launch.hosts", mpi_launch_size(context->arena, size), NULL, DUTY_GATE,
                 hosts_rules);
    slot_add(context, slots, "launch.hosts", mpi_launch_size(context->arena, all), NULL, DUTY_GATE,
             hosts_rules);
}

static unsigned expected_s(const struct check_context *context)
{
    return 60 + 4 * (unsigned)context->member_count;
}

const struct check check_mpi_launch = {
    .name = "mpi-launch",
    .title = "Launch across hosts",
    .summary = "logins from the head, Open MPI, NCCL, memlock and interfaces alike on all hosts, and mpirun "
               "on 2, 4, 8 "
               "... of them",
    .scopes = SCOPE_PAIR | SCOPE_GROUP | SCOPE_CLUSTER,
    .exclusive = EXCLUSIVE_NONE,
    .parts = PARTS({"launch", "key-value", command, NULL}),
    .items = ITEMS({"launch.login", PER_MEMBER, NULL, DUTY_GATE, login_rules},
                   {"launch.machine", PER_MEMBER, NULL, DUTY_GATE, machine_rules},
                   {"launch.nccl", PER_MEMBER, NULL, DUTY_GATE, alike_rules},
                   {"launch.nccl_version", PER_MEMBER, NULL, DUTY_RECORD, NULL},
                   {"launch.started", PER_MEMBER, NULL, DUTY_GATE, started_rules}),
    .remedies = REMEDIES(
        {"launch.login", REASON(log_in_from_the_head), .problem = "ssh between hosts"},
        {"launch.machine", REASON(mend_mpi_address), .problem = "another machine at mpi_address"},
        {"launch.mpi", REASON(install_one_open_mpi), .problem = "MPI", .on_hosts = true},
        {"launch.nccl", REASON(install_one_nccl), .problem = "NCCL", .on_hosts = true},
        {"launch.memlock", REASON(unlimit_locked_memory_for_launches), .problem = "locked memory",
         .on_hosts = true, .command = MEMLOCK_COMMAND},
        {"launch.interfaces", REASON(name_interfaces_all_have)},
        {"launch.*", REASON(try_the_launch_by_hand), .problem = "launch across hosts", .on_hosts = true},
        {"sound", REASON(is_mpirun_on_the_head)}),
    .more_slots = more_slots,
    .expected = expected_s,
    .read = mpi_launch_read,
    .hosts_file = launcher_hosts_file,
};
