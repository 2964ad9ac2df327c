/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operating system and what lies beneath it: versions that must be the same on all hosts, and settings
 * that a login without a terminal really has. It runs as the login user, because mpirun's ranks do.
 *
 * The moment that the host's clock told lies between the begin and the end of the attempt by the controller's clock: so
 * os.clock_offset is a span. It is held against that of the other hosts, for the controller's clock may be wrong itself;
 * os.clock_skew, which is written down, is what it is off the controller's for sure.
 */
#include <math.h>
#include <string.h>

#include "assay/reasons/check.h"

#include "boot_options.h"
#include "rules.h"
#include "script.h"

/* As the items of the same name; judged by what is right, whatever all hosts have. */
static void advise(struct reading *out, const char *fact, const char *advised)
{
    const char *value = reading_get_fact(out, fact, "");

    if (value != NULL)
        reading_fact(out, advised, "", slice_of(value));
}

static void read_values(const struct check_context *context, const struct attempt *attempt,
                        struct reading *out)
{
    const char *told;
    double clock, skew = 0;

    read_parts(context, attempt, out);
    advise(out, "os.governor", "advised.governor");
    advise(out, "os.numa_balancing", "advised.numa_balancing");
    told = reading_get_fact(out, "os.command_line", "");
    if (told != NULL)
        reading_fact(out, "os.boot_options", "",
                     slice_of(boot_options(out->arena, slice_of(told), boot_option_is_shared)));
    told = reading_get_fact(out, "os.clock", "");
    if (told == NULL || !scan_double(slice_of(told), &clock) || attempt->began <= 0 ||
        attempt->ended < attempt->began) {
        const struct finding *unread = reading_get_finding(out, "os.clock.unread", NULL);

        reading_unread(out, "os.clock_offset", "",
                       told != NULL     ? reason_quote(out->arena, slice_of(told))
                       : unread != NULL ? unread->what
                                        : REASON(date_told_no_time));
        return;
    }
    if (clock < attempt->began)
        skew = attempt->began - clock;
    if (clock > attempt->ended)
        skew = clock - attempt->ended;
    reading_measure(out, "os.clock_skew", "", floor(skew * 1000) / 1000, "s");
    reading_fact(
        out, "os.clock_offset", "",
        slice_of(arena_printf(out->arena, "%.3f to %.3f s", clock - attempt->ended, clock - attempt->began)));
}

static const struct limit memlock_rules[] = {
    {.metric = "os.memlock",
     .rule = RULE_ONE_OF,
     .text = MEMLOCK_WORDS,
     .source = "Red Hat Enterprise Linux 9, Configuring InfiniBand and RDMA networks, chapter 5",
     .status = LIMIT_VENDOR,
     .note = REASON(verbs_lock_memory)},
    {0}};

static const struct limit synchronized_rules[] = RULES_EQUAL("os.clock_synchronized", "yes", "timedatectl");

#define ALIKE "assay: hosts of one platform are set up alike"

#define GUIDE \
    "NVIDIA, Grace CPU Benchmarking Guide, platform configuration: performance governor, numa_balancing=disable"

static const struct limit governor_advice[] = RULES_ONE_OF("advised.governor", "performance|none", GUIDE);
static const struct limit balancing_advice[] = RULES_ONE_OF("advised.numa_balancing", "0|none", GUIDE);

static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    const struct limit *skew =
        rules_new(context, LIMITS RULES(.metric = "os.clock_offset", .rule = RULE_NEAR,
                                        .value = check_number(context, "clock_skew_s"), .unit = "s",
                                        .source = "assay: argument clock_skew_s", .status = LIMIT_TOOL));

    slot_add(context, slots, "os.clock_offset", "", NULL, DUTY_GATE, skew);
    rules_advise(context, slots, "os.governor", governor_advice);
    rules_advise(context, slots, "os.numa_balancing", balancing_advice);
}

const struct check check_os = {
    .name = "os",
    .title = "Operating system",
    .summary =
        "kernel, release, BIOS and governor the same on all hosts; locked memory unlimited; clock in step",
    .concerns = OF_HOST,
    .passive = true,
    .arguments = ARGUMENTS({"clock_skew_s", ARGUMENT_COUNT, "2",
                            "seconds that a host's clock may be off the median of the hosts", LESS_IS_MORE},
                           ALLOWED_ARGUMENT_ROW("{\"bios.version\": \"2.3.6|2.3.8\"}")),
    .arguments_fault = rules_allowed_fault,
    .parts = PARTS({.name = "values",
                    .parser = "key-value",
                    .script = script_os,
                    .typed = "cat of settings below /proc and /sys"}),
    .items = ITEMS(
        {"os.kernel", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_SAME("os.kernel", ALIKE)},
        {"os.release", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_SAME("os.release", ALIKE)},
        {"bios.version", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_SAME("bios.version", ALIKE)},
        {"bios.date", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_SAME("bios.date", ALIKE)},
        {"os.governor", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_SAME("os.governor", ALIKE)},
        {"os.numa_balancing", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_SAME("os.numa_balancing", ALIKE)},
        {"os.memlock", PER_TARGET, NULL, DUTY_GATE, memlock_rules},
        {"os.clock_skew", PER_TARGET, NULL, DUTY_RECORD, NULL},
        /* Recorded: a host that differs from the others is remarked on. */
        {"os.clock_synchronized", PER_TARGET, NULL, DUTY_RECORD, synchronized_rules},
        {"os.architecture", PER_TARGET, NULL, DUTY_RECORD, LIMITS RULES_SAME("os.architecture", ALIKE)},
        {"os.open_files", PER_TARGET, NULL, DUTY_RECORD, LIMITS RULES_SAME("os.open_files", ALIKE)},
        {"os.transparent_hugepages", PER_TARGET, NULL, DUTY_RECORD,
         LIMITS RULES_SAME("os.transparent_hugepages", ALIKE)},
        {"os.hugepages", PER_TARGET, NULL, DUTY_RECORD, LIMITS RULES_SAME("os.hugepages", ALIKE)},
        {"os.swap", PER_TARGET, NULL, DUTY_RECORD, LIMITS RULES_SAME("os.swap", ALIKE)},
        {"os.boot_options", PER_TARGET, NULL, DUTY_RECORD, LIMITS RULES_SAME("os.boot_options", ALIKE)},
        {"os.command_line", PER_TARGET, NULL, DUTY_RECORD, NULL},
        /* Where its driver is loaded the kernel tells it; check bmc asks the BMC itself, and judges it. */
        {"bmc.firmware", PER_TARGET, NULL, DUTY_RECORD, LIMITS RULES_SAME("bmc.firmware", ALIKE)}),
    .remedies =
        REMEDIES({"*", REASON(let_host_tell), .about = &sentence_value_not_read},
                 {"os.kernel", REASON(boot_same_kernel)}, {"os.release", REASON(install_same_release)},
                 {"bios.*", REASON(flash_same_bios), .problem = "firmware", .on_hosts = true},
                 {"os.governor", REASON(set_governor), .problem = "governor", .on_hosts = true,
                  .command = "sudo cpupower frequency-set -g performance"},
                 {"os.numa_balancing", REASON(set_numa_balancing), .problem = "NUMA balancing",
                  .on_hosts = true, .command = "sudo sysctl -w kernel.numa_balancing=0"},
                 {"advised.governor", REASON(set_governor), .problem = "governor", .on_hosts = true,
                  .command = "sudo cpupower frequency-set -g performance"},
                 {"advised.numa_balancing", REASON(set_numa_balancing), .problem = "NUMA balancing",
                  .on_hosts = true, .command = "sudo sysctl -w kernel.numa_balancing=0"},
                 {"os.memlock", REASON(raise_memlock), .problem = "locked memory", .on_hosts = true,
                  .command = MEMLOCK_COMMAND},
                 {"os.clock*", REASON(run_time_service), .problem = "clock", .on_hosts = true,
                  .command = "sudo systemctl enable --now chrony && sudo chronyc makestep"},
                 {"os.*", .problem = "operating system", .on_hosts = true}),
    .more_slots = more_slots,
    .expected_s = 3,
    .read = read_values,
};
