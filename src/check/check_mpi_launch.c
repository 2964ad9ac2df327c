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
 *   launch.mpi, .nccl   "as on the others", or what the host has and most have (launch.mpi_version, ...)
 *   launch.memlock      as os.memlock, in a login from the head
 *   launch.interfaces   "as on the others", or what is wrong with one that the suite names
 *   launch.started      "yes" when the host's rank ran, or what the launch on the head and this host said
 *   launch.hosts        of "4 hosts": "all answered", or how many did
 */
#include "mpi_launch.h"

#include <math.h>
#include <string.h>

#include "command_file.h"
#include "key_value.h"
#include "launcher.h"

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

static void ask_mpi(const struct check_context *context, struct text *out)
{
    const char *program = members_mpirun(context);

    if (context->suite->launcher.kind != LAUNCHER_MPIRUN)
        return;
    /* Once, for it may hang. */
    text_put(out, "told=$(timeout -k 1 5 ");
    text_shell_quote(out, program);
    text_put(
        out,
        " --version 2>&1)\n"
        "version=$(printf '%s\\n' \"$told\" | sed -n 's/^mpirun (\\([^)]*\\)) /\\1 /p' | head -n 1)\n"
        "if [ -n \"$version\" ]; then put launch.mpi_version \"$1\" \"$version\"\n"
        "else lack launch.mpi_version \"$1\" \"$(printf '%s\\n' \"${told:-mpirun --version said nothing}\" "
        "| first)\"; fi\n"
        "take launch.mpi_path \"$1\" command -v ");
    text_shell_quote(out, program);
    text_put(out, "\n");
}

/* What nccl-tests is linked with; a static one holds the library itself. */
static void ask_nccl(const struct check_context *context, struct text *out)
{
    const struct suite_tool *tool = check_tool(context, "all_reduce_perf");

    text_put(out, "nccl_file() {\n"
                  "    if program=$(command -v ");
    text_shell_quote(out, tool->path);
    text_put(
        out,
        "); then\n"
        "        file=$(ldd \"$program\" 2>/dev/null | sed -n 's/.*libnccl\\.so[.0-9]* => \\(\\/[^ "
        "]*\\).*/\\1/p')\n"
        "        echo \"${file:-$program}\"\n"
        "    else ldconfig -p | sed -n 's/.*libnccl\\.so\\.2 .*=> //p' | head -n 1; fi\n"
        "}\n"
        "nccl() {\n"
        "    file=$(nccl_file)\n"
        "    [ -n \"$file\" ] || { echo 'neither nccl-tests nor libnccl.so.2 is there' >&2; return 1; }\n"
        "    grep -aom1 'NCCL version [0-9][0-9.]*' \"$file\" | head -n 1 | sed 's/NCCL version //'\n"
        "}\n"
        "take launch.nccl_version \"$1\" nccl\n"
        "take launch.nccl_path \"$1\" nccl_file\n");
}

static bool has_interfaces(const struct check_context *context)
{
    const struct suite_launcher *launcher = &context->suite->launcher;

    return launcher->oob_interfaces.count > 0 || launcher->btl_interfaces.count > 0;
}

static void put_questions(const struct check_context *context, struct text *out)
{
    text_put(out, "cat >\"$ASSAY_DIR/ask\" <<'END-OF-QUESTIONS'\n"
                  "[ -n \"$ASSAY_LAB_HOST\" ] || unset ASSAY_LAB_ROOT\n");
    key_value_start(out);
    text_put(out, "ask() {\n");
    ask_mpi(context, out);
    put_environment(context, out);
    ask_nccl(context, out);
    key_value_memlock(out);
    text_put(out, "take launch.memlock \"$1\" memlock\n"
                  "take launch.hostname \"$1\" hostname\n");
    if (has_interfaces(context))
        text_put(out, "addresses() { ip -o addr show scope global | awk '{ printf \"%s %s \", $2, $4 }'; }\n"
                      "take launch.addresses \"$1\" addresses\n");
    text_put(out, "put launch.asked \"$1\" yes\n"
                  "}\n"
                  "ask \"$1\" </dev/null\n"
                  "END-OF-QUESTIONS\n");
}

/* The command that takes the questions to $address ($name) over its stdin. A login shell of any kind knows exec. */
static void put_agent(const struct check_context *context, struct text *out)
{
    const struct suite_launcher *launcher = &context->suite->launcher;

    text_printf(out, "timeout -k 2 %.0f ", seconds(context, LOGIN_S));
    if (launcher->kind == LAUNCHER_SRUN) {
        text_shell_quote(out, launcher->program);
        for (size_t i = 0; i < launcher->flags.count; i++) {
            text_put(out, " ");
            text_shell_quote(out, launcher->flags.items[i]);
        }
        text_put(out, " --nodelist=\"$address\" --nodes=1 --ntasks=1 /bin/sh -s \"$name\"");
        return;
    }
    text_shell_quote(out, launcher->agent);
    for (size_t i = 0; i < launcher->agent_arguments.count; i++) {
        text_put(out, " ");
        text_shell_quote(out, launcher->agent_arguments.items[i]);
    }
    text_put(out, " \"$address\" \"exec /bin/sh -s '$name'\"");
}

/* Asks all at once, the head without a login: mpirun needs none for it. Then $ASSAY_DIR/fit has the others that
   answered, "address name", behind it. */
static void put_logins(const struct check_context *context, struct text *out)
{
    text_put(
        out,
        "said() { sed 's/[\\t\\r]/ /g; /^ *$/d' \"$1\" | tail -n 3 | paste -s -d ';' - | cut -c 1-240; }\n"
        "n=0\n"
        "while read -r address _ _ name; do\n"
        "    n=$((n + 1)) name=${name:-$address}\n"
        "    if [ $n = 1 ]; then sh \"$ASSAY_DIR/ask\" \"$name\" >\"$ASSAY_DIR/1.out\" "
        "2>\"$ASSAY_DIR/1.err\"\n"
        "    else (");
    put_agent(context, out);
    text_printf(out,
                " <\"$ASSAY_DIR/ask\" >\"$ASSAY_DIR/$n.out\" 2>\"$ASSAY_DIR/$n.err\"; "
                "echo $? >\"$ASSAY_DIR/$n.rc\") & fi\n"
                "    [ $((n %% %d)) != 0 ] || wait\n"
                "done <\"$ASSAY_DIR/hosts\"\n"
                "wait\n"
                "n=0\n"
                "while read -r address _ _ name; do\n"
                "    n=$((n + 1)) name=${name:-$address}\n"
                "    if grep -q '^launch\\.asked' \"$ASSAY_DIR/$n.out\"; then\n"
                "        put launch.ssh \"$name\" ok; echo \"$address $name\"  >>\"$ASSAY_DIR/fit\"\n"
                "        grep '^launch\\.' \"$ASSAY_DIR/$n.out\"\n"
                "    else put launch.ssh \"$name\" \"$(cat \"$ASSAY_DIR/$n.rc\") $(said "
                "\"$ASSAY_DIR/$n.err\")\"; fi\n"
                "done <\"$ASSAY_DIR/hosts\"\n",
                AT_ONCE);
}

/* --- the launches --- */

static void put_start(const struct check_context *context, struct text *out)
{
    static const struct launch launch = {.ranks_per_host = 1, .hosts = "\"$2\"", .count = "\"$3\""};

    text_printf(out, "ASSAY_DEADLINE=%.0f\n", seconds(context, LAUNCH_S));
    text_put(out, "start() {\n"
                  "    timeout -k 5 $ASSAY_DEADLINE ");
    launcher_put(context, &launch, out);
    text_put(out,
             "sh -c 'echo \"launched on $(hostname)\"' >\"$ASSAY_DIR/$1.out\" 2>\"$ASSAY_DIR/$1.err\"\n"
             "    rc=$? answers=$(sed -n 's/^.*launched on //p' \"$ASSAY_DIR/$1.out\" | tr '\\n' ' ')\n"
             "    put launch.answers \"$1\" \"answers: $answers\"\n"
             "    if [ $rc = 0 ] && [ \"$(printf '%s\\n' $answers | sort -u | grep -c .)\" = \"$3\" ]; then "
             "return; fi\n"
             "    put launch.trouble \"$1\" \"$rc $(sed '/^-*$/d' \"$ASSAY_DIR/$1.err\" | head -n 3 | said "
             "/dev/stdin)\"\n"
             "    return 1\n"
             "}\n");
}

static void put_launches(struct text *out)
{
    text_printf(out,
                "fit=$(grep -c . \"$ASSAY_DIR/fit\")\n"
                "hosts_of() { head -n \"$1\" \"$ASSAY_DIR/fit\" | cut -d ' ' -f 1 | paste -s -d , -; }\n"
                "pairs() {\n"
                "    n=0\n"
                "    sed -n \"$(($1 + 1)),$2p\" \"$ASSAY_DIR/fit\" | {\n"
                "        while read -r address name; do\n"
                "        n=$((n + 1))\n"
                "        start \"pair.$name\" \"$(hosts_of 1),$address\" 2 </dev/null &\n"
                "        [ $((n %% %d)) != 0 ] || wait\n"
                "        done\n"
                "        wait\n"
                "    }\n"
                "}\n"
                "size=1 before=0\n"
                "while start $size \"$(hosts_of $size)\" $size && [ $size -lt $fit ]; do\n"
                "    before=$size size=$((size * 2))\n"
                "    [ $size -le $fit ] || size=$fit\n"
                "done\n"
                "[ $rc = 0 ] && [ $size = $fit ] || [ $size -le 2 ] || pairs $before $size\n",
                PAIRS_AT_ONCE);
}

static void command(const struct check_context *context, struct text *out)
{
    launcher_begin(context, out);
    text_put(out, "\n");
    key_value_start(out);
    put_questions(context, out);
    put_logins(context, out);
    put_start(context, out);
    put_launches(out);
    key_value_end(out);
}

static const struct part_row parts[] = {{"launch", "key-value", command, NULL}, {0}};

/* --- what is owed --- */

#define LAUNCH_RULE(name_, ...) \
    static const struct limit name_[] = {{__VA_ARGS__, .source = "assay", .status = LIMIT_TOOL}, {0}}

LAUNCH_RULE(login_rules, .metric = "launch.login", .rule = RULE_EQUAL, .text = "ok");
LAUNCH_RULE(started_rules, .metric = "launch.started", .rule = RULE_EQUAL, .text = "yes");
LAUNCH_RULE(hosts_rules, .metric = "launch.hosts", .rule = RULE_EQUAL, .text = MPI_LAUNCH_ALL);
LAUNCH_RULE(alike_rules, .metric = "launch.*", .rule = RULE_EQUAL, .text = MPI_LAUNCH_ALIKE);
LAUNCH_RULE(memlock_rules, .metric = "launch.memlock", .rule = RULE_ONE_OF, .text = MEMLOCK_WORDS,
            .note = "verbs and NCCL register, that is lock, the memory that they send from");

static const struct item items[] = {
    {"launch.login", PER_MEMBER, NULL, DUTY_GATE, login_rules},
    {"launch.nccl", PER_MEMBER, NULL, DUTY_GATE, alike_rules},
    {"launch.nccl_version", PER_MEMBER, NULL, DUTY_RECORD, NULL},
    {"launch.started", PER_MEMBER, NULL, DUTY_GATE, started_rules},
    {0},
};

static void slots_of_members(const struct check_context *context, struct slot_list *slots, const char *metric,
                             enum duty duty, const struct limit *rules)
{
    for (size_t i = 0; i < context->member_count; i++)
        slot_add(context, slots, metric, context->members[i]->name, NULL, duty, rules);
}

static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    size_t all = context->member_count;

    if (context->suite->launcher.kind == LAUNCHER_MPIRUN) {
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

static const struct remedy remedies[] = {
    {"launch.login",
     "on the head, as the login user: ssh to the host's mpi_address by hand; is its key in known_hosts "
     "(ssh-keyscan) "
     "and the user's key in its authorized_keys, does sshd answer and listen on that network?"},
    {"launch.mpi",
     "install the same Open MPI on all hosts, or name it by \"prefix\" of the suite's launcher; a login "
     "without a "
     "terminal must find it (PATH in ~/.bashrc stands before the test for an interactive shell)"},
    {"launch.nccl", "install the same NCCL on all hosts, and nccl-tests that is linked with it: ranks of two "
                    "versions hang or fail"},
    {"launch.memlock", "`* - memlock unlimited` in /etc/security/limits.d, `LimitMEMLOCK=infinity` for "
                       "ssh.service, then log in anew"},
    {"launch.interfaces", "name interfaces or a network that every host has in oob_interfaces and "
                          "btl_interfaces of the suite's launcher"},
    {"launch.*",
     "try the launch by hand as in the evidence; a firewall between the hosts, several networks of which one "
     "leads "
     "nowhere (oob_interfaces), a hostname that resolves to 127.0.1.1, another Open MPI on one host?"},
    {"sound",
     "see both streams in the evidence: is mpirun installed on the head, and in search_path or PATH?"},
    {0},
};

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
    .parts = parts,
    .items = items,
    .remedies = remedies,
    .more_slots = more_slots,
    .expected_s = expected_s,
    .read = mpi_launch_read,
    .hosts_file = launcher_hosts_file,
};
