/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any site's own command, without a line of C: a shell command, a PCRE2 pattern whose named groups become facts
 * and measurements, and limits in the suite.
 *
 * The step owes what its limits name, for each subject that is listed: known before anything connects. What
 * the output does not hold is inconclusive, and so is everything when the command ends otherwise than
 * expected. A step that judges nothing is refused, so that it cannot be green.
 */
#include <fnmatch.h>
#include <string.h>

#include "assay/base/pattern.h"
#include "assay/check/check.h"
#include "assay/model/hostfile.h"
#include "assay/reasons/check.h"

#include "part_file.h"
#include "rules.h"

enum { MATCHES_MOST = 20000 };

static const char subject_group[] = "subject", status_name[] = "exit_status";

static const struct json *argument(const struct check_context *context, const char *name)
{
    return json_get(context->step->arguments, name);
}

static void command(const struct check_context *context, struct text *out)
{
    /* A shell of its own: whatever is typed, a comment or an open quote, ends with it. */
    text_put(out, "sh -c ");
    text_shell_quote(out, check_text(context, "command"));
}

static bool wants_root(const struct check_context *context)
{
    return check_flag(context, "as_root");
}

/* "0,1", "any" */
static bool status_expected(const struct check_context *context, unsigned status)
{
    struct slice rest = slice_of(check_text(context, "exit_status"));
    uint64_t number;

    if (slice_equal(rest, "any"))
        return status < 126; /* not there, not executable, died of a signal: never an answer */
    while (scan_digits(&rest, &number)) {
        if (number == status)
            return true;
        if (!scan_text(&rest, ","))
            break;
    }
    return false;
}

static const char *metric_name(const struct check_context *context, const char *group)
{
    return arena_printf(context->arena, "%s.%s", check_text(context, "metric_prefix"), group);
}

/* The pattern was tried when the plan was made. NULL: there is none. */
static struct pattern *make_pattern(const struct check_context *context)
{
    const char *text = check_text(context, "pattern");
    struct error err = {0};
    size_t offset;

    return text != NULL ? pattern_create(text, &offset, &err) : NULL;
}

static bool has_subjects(const struct pattern *pattern)
{
    for (size_t i = 0; pattern != NULL && i < pattern_group_count(pattern); i++)
        if (strcmp(pattern_group(pattern, i), subject_group) == 0)
            return true;
    return false;
}

/* "gpu[0-7]" -> its names; the arguments are valid already. */
static void list_subjects(const struct check_context *context, struct hostlist *ret_subjects)
{
    struct error err = {0};

    *ret_subjects = (struct hostlist){0};
    json_each (item, argument(context, "subjects")) {
        struct hostlist names = {0};

        if (hostlist_expand(context->arena, item->string, &names, &err) == 0)
            for (size_t i = 0; i < names.names.count; i++)
                *list_push(context->arena, &ret_subjects->names) = names.names.items[i];
    }
}

/* What is owed. */

static void add_slot(const struct check_context *context, struct slot_list *slots, const char *metric,
                     const char *subject)
{
    for (size_t i = 0; i < slots->slots.count; i++)
        if (strcmp(slots->slots.items[i].metric, metric) == 0 &&
            strcmp(slots->slots.items[i].subject, subject) == 0)
            return;
    slot_add(context, slots, metric, subject, NULL, rules_duty(context, metric, subject), NULL);
}

static void add_group(const struct check_context *context, struct slot_list *slots, const char *group,
                      const struct hostlist *subjects, bool with_subjects)
{
    const char *metric = metric_name(context, group);

    if (!with_subjects) {
        add_slot(context, slots, metric, "");
        return;
    }
    for (size_t i = 0; i < subjects->names.count; i++)
        add_slot(context, slots, metric, subjects->names.items[i]);
    list_each (limit, context->step->limits)
        if (limit->subject != NULL && strchr(limit->subject, '*') == NULL &&
            fnmatch(limit->metric, metric, 0) == 0)
            add_slot(context, slots, metric, limit->subject);
}

static void slots_of_limits(const struct check_context *context, struct slot_list *slots)
{
    struct pattern *pattern = make_pattern(context);
    bool with_subjects = has_subjects(pattern);
    struct hostlist subjects;

    list_subjects(context, &subjects);
    for (size_t i = 0; pattern != NULL && i < pattern_group_count(pattern); i++)
        if (strcmp(pattern_group(pattern, i), subject_group) != 0)
            add_group(context, slots, pattern_group(pattern, i), &subjects, with_subjects);
    add_slot(context, slots, metric_name(context, status_name), "");
    pattern_destroy(pattern);
}

/* What may be wrong in the suite. */

static const char *unit_of(const struct check_context *context, const char *group)
{
    const char *unit = json_string(argument(context, "units"), group, "");

    return strcmp(unit, "count") == 0 ? "" : unit;
}

static bool has_group(const struct pattern *pattern, const char *name)
{
    for (size_t i = 0; pattern != NULL && i < pattern_group_count(pattern); i++)
        if (strcmp(pattern_group(pattern, i), name) == 0)
            return true;
    return false;
}

static int check_units_valid(const struct check_context *context, const struct pattern *pattern,
                             struct error *err)
{
    static const char *const known[] = {"GB/s",    "Gb/s",    "MiB", "us",   "C",     "W",
                                        "GFLOP/s", "TFLOP/s", "%",   "Mpps", "count", "s"};

    json_each (unit, argument(context, "units")) {
        bool found = false;

        if (!has_group(pattern, unit->key) || strcmp(unit->key, subject_group) == 0)
            return json_error(err, unit, "units: the pattern has no group '%s' that is a value", unit->key);
        for (size_t i = 0; i < ARRAY_SIZE(known) && !found; i++)
            found = strcmp(known[i], unit->string) == 0;
        if (!found)
            return json_error(
                err, unit,
                "units: '%s' is not a unit; expected GB/s, Gb/s, MiB, us, C, W, GFLOP/s, %%, Mpps, "
                "count or s",
                unit->string);
    }
    return 0;
}

static int check_status_valid(const struct check_context *context, struct error *err)
{
    const struct json *value = argument(context, "exit_status");
    struct slice rest = slice_of(check_text(context, "exit_status"));
    uint64_t number;

    if (slice_equal(rest, "any"))
        return 0;
    do {
        if (!scan_digits(&rest, &number) || number > 255)
            return json_error(err, value,
                              "exit_status: '%s'; expected \"any\", or numbers up to 255: \"0,1\"",
                              value->string);
    } while (scan_text(&rest, ","));
    if (rest.length > 0)
        return json_error(err, value, "exit_status: '%s'; expected \"any\", or numbers up to 255: \"0,1\"",
                          value->string);
    return 0;
}

/* One limit: of a metric that there is, in its unit, for subjects that are known beforehand. */
static int check_limit(const struct check_context *context, const struct pattern *pattern,
                       const struct limit *limit, const struct json *at, struct error *err)
{
    bool number = limit_is_number(limit);
    bool found = fnmatch(limit->metric, metric_name(context, status_name), 0) == 0, subjects = false;

    for (size_t i = 0; pattern != NULL && i < pattern_group_count(pattern); i++) {
        const char *group = pattern_group(pattern, i), *unit = unit_of(context, group);

        if (strcmp(group, subject_group) == 0 || fnmatch(limit->metric, metric_name(context, group), 0) != 0)
            continue;
        found = subjects = true;
        if (number && strcmp(strcmp(limit->unit, "count") == 0 ? "" : limit->unit, unit) != 0)
            return json_error(err, at,
                              "the limit for '%s' is in '%s', group '%s' in '%s'; expected the same unit in "
                              "\"units\"",
                              limit->metric, limit->unit, group, *unit != '\0' ? unit : "count");
    }
    if (!found)
        return json_error(err, at,
                          "the limit speaks of '%s', which the step does not have; expected %s and the name "
                          "of a group of the pattern, or %s",
                          limit->metric, metric_name(context, ""), metric_name(context, status_name));
    if (!subjects)
        return 0;
    if (!has_subjects(pattern) && limit->subject != NULL)
        return json_error(err, at, "the limit is for subject '%s', and the pattern has no group 'subject'",
                          limit->subject);
    if (has_subjects(pattern) && argument(context, "subjects") == NULL &&
        (limit->subject == NULL || strchr(limit->subject, '*') != NULL))
        return json_error(err, at,
                          "whose values are required? expected \"subjects\" in the arguments, or a subject "
                          "without '*' in the limit");
    return 0;
}

static int check_limits(const struct check_context *context, const struct pattern *pattern, struct error *err)
{
    const struct suite_step *step = context->step;
    const struct json *at = json_get(step->at, "limits");

    if (step->limits.count == 0 && step->gate.count == 0 && step->record.count == 0)
        return json_error(err, step->at,
                          "step '%s' judges nothing: expected \"limits\", or \"record\": [\"%s*\"] where "
                          "that is what is wanted",
                          step->name, metric_name(context, ""));
    at = at != NULL ? at->items : NULL;
    for (size_t i = 0; i < step->limits.count && at != NULL; i++, at = at->next)
        if (check_limit(context, pattern, &step->limits.items[i], at, err) < 0)
            return -1;
    return 0;
}

static int check_subjects(const struct check_context *context, const struct pattern *pattern,
                          struct error *err)
{
    const struct json *given = argument(context, "subjects");

    if (given != NULL && (!has_subjects(pattern) || given->count == 0))
        return json_error(err, given,
                          given->count == 0 ? "subjects: the list is empty"
                                            : "subjects: the pattern has no group 'subject'");
    json_each (item, given) {
        struct hostlist names = {0};
        struct error why = {0};

        if (hostlist_expand(context->arena, item->string, &names, &why) < 0)
            return json_error(err, item, "subjects: %s", why.text);
    }
    return 0;
}

static int check_all(const struct check_context *context, const struct pattern *pattern, struct error *err)
{
    if (pattern != NULL && pattern_group_count(pattern) == (has_subjects(pattern) ? 1 : 0))
        return json_error(err, argument(context, "pattern"),
                          "the pattern takes no value: expected a named group, (?<name>...)");
    if (check_units_valid(context, pattern, err) < 0 || check_status_valid(context, err) < 0 ||
        check_subjects(context, pattern, err) < 0)
        return -1;
    return check_limits(context, pattern, err);
}

static int arguments_valid(const struct check_context *context, struct error *err)
{
    const struct json *text = argument(context, "pattern"), *prefix = argument(context, "metric_prefix");
    struct pattern *pattern = NULL;
    struct error why = {0};
    size_t offset;
    int result;

    if (argument(context, "command") == NULL)
        return json_error(err, context->step->at, "check 'command' needs an argument \"command\"");
    if (prefix != NULL &&
        (*prefix->string == '\0' ||
         strspn(prefix->string, "abcdefghijklmnopqrstuvwxyz0123456789_.") != strlen(prefix->string)))
        return json_error(err, prefix, "metric_prefix: '%s'; expected small letters, digits, '_' and '.'",
                          prefix->string);
    if (text != NULL) {
        pattern = pattern_create(text->string, &offset, &why);
        if (pattern == NULL)
            return json_error(err, text, "the pattern cannot be used: %s", why.text);
    }
    result = check_all(context, pattern, err);
    pattern_destroy(pattern);
    return result;
}

/* Reading. */

struct reader {
    const struct check_context *context;
    struct pattern *pattern;
    struct reading *out;
    struct hostlist subjects;
    size_t subject_index; /* of the group; past the last one when there is none */
    unsigned matches, line;
};

/* A limit that compares texts ("7.20" is a version) leaves the group a text. */
static bool is_compared_as_text(const struct check_context *context, const char *metric)
{
    list_each (limit, context->step->limits)
        if (!limit_is_number(limit) && fnmatch(limit->metric, metric, 0) == 0)
            return true;
    return false;
}

static void take_value(struct reader *reader, const char *group, const char *subject, struct slice text)
{
    struct reading *out = reader->out;
    const char *metric = metric_name(reader->context, group), *unit = unit_of(reader->context, group);
    double value;

    text = slice_trim(text);
    if (scan_double(text, &value) && !is_compared_as_text(reader->context, metric)) {
        reading_measure(out, metric, subject, value, unit);
        return;
    }
    reading_fact(out, metric, subject, text);
    if (*unit != '\0')
        reading_finding(out, SEVERITY_WARNING, "command.no_number", subject,
                        reason(out->arena, value_is_no_number, metric, text));
}

static bool is_listed(const struct reader *reader, const char *subject)
{
    for (size_t i = 0; i < reader->subjects.names.count; i++)
        if (strcmp(reader->subjects.names.items[i], subject) == 0)
            return true;
    return reader->subjects.names.count == 0;
}

static void take_match(struct reader *reader, struct slice line)
{
    struct slice text;
    const char *subject = "";

    if (reader->subject_index < pattern_group_count(reader->pattern) &&
        pattern_take(reader->pattern, line, reader->subject_index, &text)) {
        subject = utf8_clean(reader->out->arena, slice_trim(text));
        if (!is_listed(reader, subject))
            reading_finding(reader->out, SEVERITY_WARNING, "command.subject", subject,
                            reason(reader->out->arena, subject_not_in_suite, subject));
    }
    for (size_t i = 0; i < pattern_group_count(reader->pattern); i++)
        if (i != reader->subject_index && pattern_take(reader->pattern, line, i, &text))
            take_value(reader, arena_strdup(reader->out->arena, pattern_group(reader->pattern, i)), subject,
                       text);
}

/* False when reading cannot go on. */
static bool read_line(struct reader *reader, struct slice line)
{
    enum pattern_result result = PATTERN_FOUND;

    reader->line++;
    for (size_t offset = 0; result == PATTERN_FOUND;) {
        result = pattern_next(reader->pattern, line, &offset);
        if (result == PATTERN_EXHAUSTED) {
            reading_set(reader->out, READING_FAILED,
                        reason(reader->out->arena, pattern_takes_too_many_steps, reader->line));
            return false;
        }
        if (result == PATTERN_FOUND && ++reader->matches > MATCHES_MOST) {
            reading_set(reader->out, READING_FAILED,
                        reason(reader->out->arena, too_many_matches, MATCHES_MOST));
            return false;
        }
        if (result == PATTERN_FOUND)
            take_match(reader, line);
    }
    return true;
}

static void read_lines(struct reader *reader, struct slice bytes)
{
    struct slice line;

    reader->subject_index = 0;
    while (reader->subject_index < pattern_group_count(reader->pattern) &&
           strcmp(pattern_group(reader->pattern, reader->subject_index), subject_group) != 0)
        reader->subject_index++;
    list_subjects(reader->context, &reader->subjects);
    while (scan_line(&bytes, &line))
        if (!read_line(reader, slice_trim(line)))
            return;
    /* The command came to its end, so its last line is whole also without an end of line. */
    if (bytes.length > 0 && !read_line(reader, slice_trim(bytes)))
        return;
    if (reader->matches == 0)
        reading_set(reader->out, READING_UNRECOGNISED, REASON(no_line_matches));
    else
        reading_set(reader->out, READING_COMPLETE, NULL);
}

static void read_command(const struct check_context *context, const struct attempt *attempt,
                         struct reading *out)
{
    const struct part *part = attempt_part(attempt, "main");
    struct reader reader = {.context = context, .out = out};

    if (part == NULL || !part->ended) {
        reading_set(out, READING_PARTIAL, REASON(command_not_ended));
        return;
    }
    reading_measure(out, metric_name(context, status_name), "", part->rc, "");
    if (!status_expected(context, (unsigned)part->rc)) {
        reading_set(out, READING_FAILED,
                    part_with_complaint(
                        out->arena, part,
                        reason(out->arena, other_exit_status, part->rc, check_text(context, "exit_status"))));
        return;
    }
    reader.pattern = make_pattern(context);
    if (reader.pattern != NULL)
        read_lines(&reader, part->out);
    else
        reading_set(out, READING_COMPLETE, NULL);
    if (out->status != READING_COMPLETE)
        reading_set(out, out->status, part_with_complaint(out->arena, part, out->reason));
    pattern_destroy(reader.pattern);
}

const struct check check_command = {
    .name = "command",
    .title = "Site's own command",
    .summary = "any command of the site: a pattern reads its output, limits of the suite judge it",
    .exclusive = EXCLUSIVE_HOST,
    .root_asked = wants_root,
    .arguments = ARGUMENTS(
        {"command", ARGUMENT_TEXT, NULL, "the shell command, as typed on the host; required"},
        {"pattern", ARGUMENT_TEXT, NULL,
         "PCRE2, looked for in each line of its output, also several times: (?<name>...) becomes PREFIX.name, "
         "(?<subject>...) says whose value it is"},
        {"subjects", ARGUMENT_LIST, NULL,
         "whose values are required, [\"gpu[0-7]\"]; needed if the pattern names subjects and a limit does not"},
        {"units", ARGUMENT_MAP, NULL, "units of the groups that are numbers: {\"temperature\": \"C\"}"},
        {"metric_prefix", ARGUMENT_TEXT, "command", "the prefix of the groups' names"},
        {"exit_status", ARGUMENT_TEXT, "0", "how the command may end: \"0\", \"0,1\" or \"any\""},
        {"as_root", ARGUMENT_FLAG, NULL, "true: run it as root, where the hostfile has a way to it"}),
    .arguments_valid = arguments_valid,
    .parts = PARTS({"main", NULL, command, NULL}),
    .remedies = REMEDIES({"sound", REASON(run_command_by_hand)}, {"*", REASON(see_step_and_evidence)}),
    .more_slots = slots_of_limits,
    .expected_s = 30,
    .read = read_command,
};
