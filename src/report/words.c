/* SPDX-License-Identifier: Apache-2.0 */
/* Times and durations as all formats and the end of a run write them. */
#include <math.h>
#include <time.h>

#include "assay/reasons/any.h"
#include "assay/reasons/report.h"
#include "assay/report/report.h"
#include "language.h"

const char *duration_text(struct arena *arena, double seconds)
{
    long long whole;

    if (!isfinite(seconds) || seconds < 0 || seconds > 1e9)
        return "unknown";
    if (seconds < 59.95)
        return arena_printf(arena, "%.1f s", seconds);
    whole = llround(seconds);
    if (whole < 3600)
        return arena_printf(arena, "%lldm %02llds", whole / 60, whole % 60);
    if (whole < 86400)
        return arena_printf(arena, "%lldh %02lldm %02llds", whole / 3600, whole / 60 % 60, whole % 60);
    return arena_printf(arena, "%lldd %02lldh %02lldm", whole / 86400, whole / 3600 % 24, whole / 60 % 60);
}

static const char *one_line(struct arena *arena, const char *lines)
{
    char *line = arena_strdup(arena, lines);

    for (char *at = line; *at != '\0'; at++)
        if (*at == '\n')
            *at = ';';
    return line;
}

static const struct reason *bundle_said(struct arena *arena, const struct run_origin *origin)
{
    return origin->redacted ? reason(arena, bundle_redacted, origin->bundle)
                            : reason(arena, text, origin->bundle);
}

const struct reason *run_origin_said(struct arena *arena, const struct run_origin *origin)
{
    const char *when = time_text(arena, origin->imported);
    const struct reason *bundle = bundle_said(arena, origin);

    return *origin->signers != '\0'
               ? reason(arena, run_imported_signed, when, bundle, one_line(arena, origin->signers))
               : reason(arena, run_imported_unsigned, when, bundle);
}

const char *run_origin_text(struct arena *arena, const struct run_origin *origin)
{
    return reason_english(arena, run_origin_said(arena, origin));
}

const char *origin_came(struct arena *arena, enum report_language language, const struct run_origin *origin)
{
    const char *when = time_text(arena, origin->imported),
               *bundle = reason_said(arena, language, bundle_said(arena, origin));

    return *origin->signers != '\0' ? language_say(arena, language, TEXT_ORIGIN_SIGNED, when, bundle,
                                                   one_line(arena, origin->signers))
                                    : language_say(arena, language, TEXT_ORIGIN_UNSIGNED, when, bundle);
}

const char *origin_note(struct arena *arena, enum report_language language, const struct record *record)
{
    const char *came = origin_came(arena, language, record->origin);

    return record->origin->judged_here || record->judgement.verdict_count == 0 ||
                   record->judgement.verdicts[0].word != report_verdict(record)
               ? came
               : language_say(arena, language, TEXT_ORIGIN_THEIRS, came, record->controller,
                              arena_printf(arena, "%lld", record->number));
}

const char *time_text(struct arena *arena, double unix_time)
{
    enum { ENOUGH = 64 };
    char *text = arena_alloc(arena, ENOUGH);
    struct tm parts;
    time_t when;

    /* 0 is how a record says that it has not happened; 4102444800 is the year 2100. */
    if (!isfinite(unix_time) || unix_time <= 0 || unix_time > 4102444800.0)
        return "unknown";
    when = (time_t)unix_time;
    if (gmtime_r(&when, &parts) == NULL || strftime(text, ENOUGH, "%Y-%m-%d %H:%M:%S UTC", &parts) == 0)
        return "unknown";
    return text;
}
