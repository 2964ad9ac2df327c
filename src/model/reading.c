/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/reading.h"

#include <string.h>

#include "assay/model/plausible.h"
#include "assay/model/reason_json.h"
#include "assay/reasons/any.h"

void reading_init(struct reading *reading, struct arena *arena, const char *tool)
{
    *reading = (struct reading){.arena = arena, .tool = tool, .status = READING_UNRECOGNISED};
}

/* Length of the valid UTF-8 sequence at the front, or 0 (RFC 3629: no overlong forms, no surrogates). */
static size_t utf8_sequence(const unsigned char *bytes, size_t length)
{
    static const struct {
        unsigned char first_low, first_high, second_low, second_high, size;
    } forms[] = {
        {0x01, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };

    for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
        size_t size = forms[i].size;

        if (bytes[0] < forms[i].first_low || bytes[0] > forms[i].first_high || length < size)
            continue;
        if (size > 1 && (bytes[1] < forms[i].second_low || bytes[1] > forms[i].second_high))
            continue;
        for (size_t k = 2; k < size; k++)
            if ((bytes[k] & 0xc0) != 0x80)
                return 0;
        return size;
    }
    return 0;
}

const char *utf8_clean(struct arena *arena, struct slice bytes)
{
    const unsigned char *in = (const unsigned char *)bytes.bytes;
    size_t good = 0, bad = 0, sequence;
    char *clean, *out;

    for (size_t i = 0; i<bytes.length; i += sequence> 0 ? sequence : 1) {
        sequence = utf8_sequence(in + i, bytes.length - i);
        good += sequence;
        bad += sequence == 0;
    }
    clean = out = arena_alloc(arena, good + 3 * bad + 1);
    for (size_t i = 0; i<bytes.length; i += sequence> 0 ? sequence : 1) {
        sequence = utf8_sequence(in + i, bytes.length - i);
        memcpy(out, sequence > 0 ? bytes.bytes + i : "\xef\xbf\xbd", sequence > 0 ? sequence : 3);
        out += sequence > 0 ? sequence : 3;
    }
    return clean;
}

static const char *quoted(void *arena, const char *text)
{
    return strlen(text) <= REASON_QUOTED ? text
                                         : reason_argument_text(reason_quote(arena, slice_of(text)), 1);
}

const struct reason *reading_quoted(const struct reading *reading, const struct reason *reason)
{
    return reason_map(reading->arena, reason, quoted, reading->arena);
}

void reading_set(struct reading *reading, enum reading_status status, const struct reason *reason)
{
    reading->status = status;
    reading->reason = status == READING_COMPLETE ? NULL : reading_quoted(reading, reason);
}

/* The word itself where it is UTF-8: names and subjects can come from a host's output too. */
static const char *clean_word(struct arena *arena, const char *word)
{
    size_t length = strlen(word), sequence;

    for (size_t i = 0; i < length; i += sequence) {
        sequence = utf8_sequence((const unsigned char *)word + i, length - i);
        if (sequence == 0)
            return utf8_clean(arena, (struct slice){word, length});
    }
    return word;
}

void reading_fact(struct reading *reading, const char *name, const char *subject, struct slice value)
{
    struct fact *fact = list_push(reading->arena, &reading->facts);

    fact->name = arena_strdup(reading->arena, clean_word(reading->arena, name));
    fact->subject = arena_strdup(reading->arena, clean_word(reading->arena, subject));
    fact->value = utf8_clean(reading->arena, value);
    fact->said = NULL;
}

void reading_fact_said(struct reading *reading, const char *name, const char *subject,
                       const struct reason *value)
{
    reading_fact(reading, name, subject, slice_of(reason_english(reading->arena, value)));
    reading->facts.items[reading->facts.count - 1].said = value;
}

struct measurement *reading_measure(struct reading *reading, const char *metric, const char *subject,
                                    double value, const char *unit)
{
    struct measurement *measurement = list_push(reading->arena, &reading->measurements);

    measurement->metric = arena_strdup(reading->arena, clean_word(reading->arena, metric));
    measurement->subject = arena_strdup(reading->arena, clean_word(reading->arena, subject));
    measurement->value = value;
    measurement->unit = unit;
    return measurement;
}

void reading_at_text(struct reading *reading, struct measurement *measurement, const char *key,
                     struct slice text)
{
    struct at_field *field = list_push(reading->arena, &measurement->at);

    field->key = key;
    field->text = utf8_clean(reading->arena, text);
}

void reading_at_number(struct reading *reading, struct measurement *measurement, const char *key,
                       double number)
{
    struct at_field *field = list_push(reading->arena, &measurement->at);
    char buffer[32];

    field->key = key;
    field->text = arena_strdup(reading->arena, number_text(number, buffer, sizeof buffer));
    field->is_number = true;
}

bool measurement_at(const struct measurement *measurement, const char *key, double *ret_number)
{
    for (size_t i = 0; i < measurement->at.count; i++)
        if (measurement->at.items[i].is_number && strcmp(measurement->at.items[i].key, key) == 0)
            return scan_double(slice_of(measurement->at.items[i].text), ret_number);
    return false;
}

static struct finding_tally *tally_of(struct reading *reading, const char *code, const char *subject)
{
    for (size_t i = reading->tallies.count; i > 0; i--) {
        struct finding_tally *tally = &reading->tallies.items[i - 1];

        if (strcmp(tally->code, code) == 0 && strcmp(tally->subject, subject) == 0)
            return tally;
    }
    return NULL;
}

/* The tally of what is to be added; that of all other findings when there are too many kinds of them. */
static struct finding_tally *tally_add(struct reading *reading, const char *code, const char *subject)
{
    struct finding_tally *tally = tally_of(reading, code, subject);

    if (tally == NULL && reading->tallies.count >= FINDINGS_MOST) {
        code = "findings.more";
        subject = "";
        tally = tally_of(reading, code, subject);
    }
    if (tally == NULL) {
        tally = list_push(reading->arena, &reading->tallies);
        tally->code = arena_strdup(reading->arena, code);
        tally->subject = arena_strdup(reading->arena, subject);
    }
    tally->count++;
    return tally;
}

/* Counts a finding that is left out; reading_settle says how many there were. */
static void count_more(struct reading *reading, struct finding_tally *tally, enum severity severity)
{
    struct finding *more;

    if (tally->more == 0) {
        more = list_push(reading->arena, &reading->findings);
        tally->more = reading->findings.count;
        tally->count = 1;
        *more = (struct finding){.code = tally->code,
                                 .subject = tally->subject,
                                 .severity = severity,
                                 .what = reason(reading->arena, more_like_these, tally->count)};
    }
    more = &reading->findings.items[tally->more - 1];
    if (severity > more->severity)
        more->severity = severity;
}

void reading_settle(struct reading *reading)
{
    reading_drop_implausible(reading);
    for (size_t i = 0; i < reading->tallies.count; i++) {
        const struct finding_tally *tally = &reading->tallies.items[i];

        if (tally->more != 0)
            reading->findings.items[tally->more - 1].what =
                reason(reading->arena, more_like_these, tally->count);
    }
}

struct finding *reading_finding_add(struct reading *reading, enum severity severity, const char *code,
                                    const char *subject)
{
    struct finding_tally *tally = tally_add(reading, code, clean_word(reading->arena, subject));
    struct finding *finding;

    if (tally->more != 0 || tally->count > FINDINGS_ALIKE || reading->findings.count >= FINDINGS_MOST) {
        count_more(reading, tally, severity);
        return NULL;
    }
    finding = list_push(reading->arena, &reading->findings);
    *finding = (struct finding){.severity = severity, .code = tally->code, .subject = tally->subject};
    return finding;
}

const struct reason *reading_get_said(const struct reading *reading, const char *name, const char *subject)
{
    for (size_t i = 0; i < reading->facts.count; i++)
        if (strcmp(reading->facts.items[i].name, name) == 0 &&
            strcmp(reading->facts.items[i].subject, subject) == 0)
            return reading->facts.items[i].said != NULL
                       ? reading->facts.items[i].said
                       : reason(reading->arena, text, reading->facts.items[i].value);
    return NULL;
}

struct finding *reading_get_finding(const struct reading *reading, const char *code, const char *subject)
{
    for (size_t i = 0; i < reading->findings.count; i++)
        if (strcmp(reading->findings.items[i].code, code) == 0 &&
            (subject == NULL || strcmp(reading->findings.items[i].subject, subject) == 0))
            return &reading->findings.items[i];
    return NULL;
}

static const char *code_of_unread(const struct reading *reading, const char *metric)
{
    return arena_printf(reading->arena, "%s.unread", metric);
}

void reading_unread(struct reading *reading, const char *metric, const char *subject,
                    const struct reason *why)
{
    reading_finding(reading, SEVERITY_INFO, code_of_unread(reading, metric), subject, why);
}

const struct reason *reading_why_unread(const struct reading *reading, const char *metric,
                                        const char *subject)
{
    const struct finding *finding = reading_get_finding(reading, code_of_unread(reading, metric), subject);

    return finding != NULL ? finding->what : NULL;
}

bool reading_is_unread(const struct reading *reading, const char *metric)
{
    return reading_get_finding(reading, code_of_unread(reading, metric), NULL) != NULL;
}

const char *reading_get_fact(const struct reading *reading, const char *name, const char *subject)
{
    for (size_t i = 0; i < reading->facts.count; i++)
        if (strcmp(reading->facts.items[i].name, name) == 0 &&
            strcmp(reading->facts.items[i].subject, subject) == 0)
            return reading->facts.items[i].value;
    return NULL;
}

const struct measurement *reading_get(const struct reading *reading, const char *metric, const char *subject)
{
    for (size_t i = 0; i < reading->measurements.count; i++)
        if (strcmp(reading->measurements.items[i].metric, metric) == 0 &&
            strcmp(reading->measurements.items[i].subject, subject) == 0)
            return &reading->measurements.items[i];
    return NULL;
}

const char *at_text(struct arena *arena, const struct measurement *measurement)
{
    const char *text = "";

    for (size_t i = 0; i < measurement->at.count; i++)
        text = arena_printf(arena, "%s%s%s=%s", text, i > 0 ? " " : "", measurement->at.items[i].key,
                            measurement->at.items[i].text);
    return text;
}

const char *reading_status_name(enum reading_status status)
{
    static const char *const names[] = {"unrecognised", "failed", "partial", "complete"};

    return names[status];
}

const char *severity_name(enum severity severity)
{
    static const char *const names[] = {"info", "warning", "fault"};

    return names[severity];
}

static void write_at(const struct measurement *measurement, struct json_writer *writer)
{
    json_member_object(writer, "at");
    list_each (field, measurement->at) {
        double number;

        if (field->is_number && scan_double(slice_of(field->text), &number)) {
            json_member_number(writer, field->key, number);
        } else {
            json_member(writer, field->key, field->text);
        }
    }
    json_close_object(writer);
}

/* What is written, and how. */
struct form {
    struct json_writer *writer;
    struct arena *arena; /* of what is made for it */
    bool coded;
};

static void put_reason(const struct form *form, const char *key, const struct reason *reason)
{
    if (form->coded)
        reason_write(form->arena, form->writer, key, reason);
    else
        json_member(form->writer, key, reason_english(form->arena, reason));
}

static void write_measurements(const struct form *form, const struct reading *reading)
{
    json_member_array(form->writer, "measurements");
    list_each (measurement, reading->measurements) {
        json_open_object(form->writer);
        json_member(form->writer, "metric", measurement->metric);
        json_member(form->writer, "subject", measurement->subject);
        write_at(measurement, form->writer);
        json_member_number(form->writer, "value", measurement->value);
        json_member(form->writer, "unit", measurement->unit);
        json_close_object(form->writer);
    }
    json_close_array(form->writer);
}

static void write_content(const struct form *form, const struct reading *reading)
{
    struct json_writer *writer = form->writer;

    json_member(writer, "tool", reading->tool);
    json_member(writer, "reading", reading_status_name(reading->status));
    put_reason(form, "reason", reading->reason);
    json_member_array(writer, "facts");
    for (size_t i = 0; i < reading->facts.count; i++) {
        json_open_object(writer);
        json_member(writer, "name", reading->facts.items[i].name);
        json_member(writer, "subject", reading->facts.items[i].subject);
        json_member(writer, "value", reading->facts.items[i].value);
        json_close_object(writer);
    }
    json_close_array(writer);
    write_measurements(form, reading);
    json_member_array(writer, "findings");
    for (size_t i = 0; i < reading->findings.count; i++) {
        json_open_object(writer);
        json_member(writer, "code", reading->findings.items[i].code);
        json_member(writer, "subject", reading->findings.items[i].subject);
        json_member(writer, "severity", severity_name(reading->findings.items[i].severity));
        put_reason(form, "text", reading->findings.items[i].what);
        json_close_object(writer);
    }
    json_close_array(writer);
}

static void write_reading(const struct form *form, const struct reading *reading)
{
    struct json_writer *writer = form->writer;

    json_open_object(writer);
    json_member_integer(writer, "schema", 1);
    write_content(form, reading);
    json_member_array(writer, "runs");
    for (size_t i = 0; i < reading->runs.count; i++) {
        json_open_object(writer);
        write_content(form, &reading->runs.items[i]);
        json_close_object(writer);
    }
    json_close_array(writer);
    json_close_object(writer);
}

void reading_write(const struct reading *reading, struct json_writer *writer)
{
    write_reading(&(struct form){.writer = writer, .arena = reading->arena}, reading);
}

void reading_write_coded(struct arena *arena, const struct reading *reading, struct json_writer *writer)
{
    write_reading(&(struct form){.writer = writer, .arena = arena, .coded = true}, reading);
}
