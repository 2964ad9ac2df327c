/* SPDX-License-Identifier: Apache-2.0 */
#include "store_private.h"

#define VOCABULARY(name, title, ...)                                  \
    static const char *const name##_words[] = {__VA_ARGS__};          \
    const struct vocabulary vocabulary_##name = {title, name##_words, \
                                                 sizeof name##_words / sizeof name##_words[0]}

VOCABULARY(run, "run state", "running", "ended", "interrupted", "cancelled");
VOCABULARY(role, "host role", "compute", "spare");
VOCABULARY(exclusivity, "exclusivity", "none", "host", "leaf", "fabric");
VOCABULARY(duty, "duty", "record", "gate");
VOCABULARY(rule, "limit rule", "floor", "ceiling", "equal", "one of", "minimum version", "same", "plausible",
           "fraction of ceiling", "range", "distinct", "near", "fraction of groups", "rack", "series", "read",
           "machine", "grown");
_Static_assert(sizeof rule_words / sizeof rule_words[0] == LIMIT_RULES,
               "a word for each rule, in the order of enum limit_rule");
VOCABULARY(limit, "limit status", "contract", "datasheet", "vendor", "field", "provisional", "guess", "tool",
           "computed", "self");
VOCABULARY(origin, "step origin", "suite", "substitute", "left out", "isolate");
VOCABULARY(attempt, "attempt state", "sent", "ended");
VOCABULARY(ending, "end of an attempt", "ran", "killed", "deadline", "rebooted", "lost", "unreachable",
           "auth refused", "host key unknown", "host key changed", "sudo refused", "no answer", "no spool",
           "cancelled", "not ready", "in use", "jump host failed", "owner unknown");
VOCABULARY(window, "role of a window", "before", "after");
VOCABULARY(reading, "reading status", "unrecognised", "failed", "partial", "complete");
VOCABULARY(severity, "severity", "info", "warning", "fault");
VOCABULARY(outcome, "outcome", "recorded", "pass", "not run", "inconclusive", "fail");
VOCABULARY(item, "kind of an item", "gpu", "hca", "chassis", "driver", "gpu firmware", "hca firmware",
           "bios");
VOCABULARY(event, "kind of an event", "repair", "swap", "spare", "note", "withdrawal", "settings", "cable",
           "firmware", "reseat");
VOCABULARY(accused, "what is accused", "host", "leaf", "link");
VOCABULARY(place, "place of a fault", "unknown", "inside", "fabric");
VOCABULARY(verdict, "verdict", "accept", "accept with exceptions", "incomplete", "reject");

const char *vocabulary_word(const struct vocabulary *vocabulary, unsigned value)
{
    return value < vocabulary->count ? vocabulary->words[value] : NULL;
}
