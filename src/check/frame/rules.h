/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a check's own items must meet, as one writes it in a table at file scope:
 *
 *     static const struct limit rules[] = RULES_EQUAL("host.root", "yes", "assay", .inconclusive = true);
 *     static const struct item items[] = {
 *         {"gpu.mig", PER_GPU, NULL, DUTY_GATE, LIMITS RULES_ONE_OF("gpu.mig", "Disabled|N/A", "assay")},
 *
 * Last stands the source, and behind it further members of struct limit. All of them say what a tool's word means
 * (LIMIT_TOOL); a limit of another status is written out by RULES.
 */
#ifndef ASSAY_CHECK_RULES_H
#define ASSAY_CHECK_RULES_H

#include "assay/check/check.h"

#define LIMITS (const struct limit[])

#define RULES(...)     \
    {                  \
        {__VA_ARGS__}, \
        {              \
            0          \
        }              \
    }

#define RULES_EQUAL(metric_, text_, ...) \
    RULES(.metric = metric_, .rule = RULE_EQUAL, .text = text_, .status = LIMIT_TOOL, .source = __VA_ARGS__)
#define RULES_ONE_OF(metric_, texts_, ...) \
    RULES(.metric = metric_, .rule = RULE_ONE_OF, .text = texts_, .status = LIMIT_TOOL, .source = __VA_ARGS__)
#define RULES_SAME(metric_, ...) \
    RULES(.metric = metric_, .rule = RULE_SAME, .status = LIMIT_TOOL, .source = __VA_ARGS__)
/* "yes", and "not read: WHY" where it was not: then undecided if another host says yes, and else by its name beside the verdict:
   REASON(health_of_drives). */
#define RULES_READ(metric_, name_, ...)                                                   \
    RULES(.metric = metric_, .rule = RULE_READ, .text = "yes|none", .status = LIMIT_TOOL, \
          .inconclusive = true, .note = name_, .source = __VA_ARGS__)
/* Of a count that does not grow between the run's looks at a host. */
#define RULE_NOT_GROWN(metric_)                                              \
    .metric = metric_, .rule = RULE_GROWN, .unit = "", .status = LIMIT_TOOL, \
    .source = "assay: this counter must not grow during the run"
/* Of a number without a unit. */
#define RULES_MOST(metric_, value_, ...)                                                              \
    RULES(.metric = metric_, .rule = RULE_CEILING, .value = value_, .unit = "", .status = LIMIT_TOOL, \
          .source = __VA_ARGS__)
#define RULES_LEAST(metric_, value_, ...)                                                           \
    RULES(.metric = metric_, .rule = RULE_FLOOR, .value = value_, .unit = "", .status = LIMIT_TOOL, \
          .source = __VA_ARGS__)

/* Of a step, copied into its arena: what stands behind LIMITS in a function is gone when that returns. */
const struct limit *rules_new(const struct check_context *context, const struct limit *rules);
/* The same on all hosts, and what the suite states where it states something (NULL: it does not). */
const struct limit *rules_alike(const struct check_context *context, const char *metric, const char *stated,
                                const char *stated_source, const char *alike_source);
/*
 * Of what is alike on all hosts the values that a site has right instead: an argument of the check. rules_or_allowed is
 * what the metric is judged by; items of the check's table with RULES_SAME ask for it by themselves.
 * rules_allowed_fault is for arguments_fault: what is wrong with the argument where the table has all that is alike.
 */
#define ALLOWED_ARGUMENT "allowed"
#define ALLOWED_ARGUMENT_ROW(example_)                                                                     \
    {                                                                                                      \
        ALLOWED_ARGUMENT, ARGUMENT_MAP, NULL, "instead of alike on all, which values are right: " example_ \
    }
const struct limit *rules_or_allowed(const struct check_context *context, const char *metric,
                                     const struct limit *rules);
const char *rules_allowed_fault(const struct check_context *context);
/*
 * Beside what RULES_SAME judges: what is right is known, and hosts may have it wrong all alike. An item of its own, advised.*,
 * which is only recorded, so that what does not meet the rules is remarked on. None where the suite says which values of
 * the metric are allowed.
 */
void rules_advise(const struct check_context *context, struct slot_list *slots, const char *metric,
                  const struct limit *advice);
/* Whether an earlier step of the suite is of the same check: only then RULE_GROWN has something to compare with. */
bool rules_look_again(const struct check_context *context);
/* A gate where the suite has a limit for it, else recorded: for what no figure fits all sites. */
enum duty rules_duty(const struct check_context *context, const char *metric, const char *subject);
/* "platform hgx-h100": the source of what the platform declares. */
const char *rules_platform(const struct check_context *context);
const struct reason *rules_platform_said(const struct check_context *context);
/* In the place of a source. */
#define RULES_OF_PLATFORM(context) rules_platform(context), .origin = rules_platform_said(context)

/* What sh/memlock.sh says of locked memory where it will do, and, for a preflight, what makes it so. */
#define MEMLOCK_WORDS "unlimited|unlimited (CAP_IPC_LOCK)"
#define MEMLOCK_COMMAND                                                  \
    "printf '* soft memlock unlimited\\n* hard memlock unlimited\\n' | " \
    "sudo tee /etc/security/limits.d/assay.conf"

#endif
