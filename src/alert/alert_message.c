/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said, in the forms of the receivers. Sources of the forms and their limits: WeCom, "group robot" (markdown.content
 * at most 4,096 bytes); DingTalk, "custom robot" (a body of at most 20,000 bytes); Slack, "incoming webhooks" (a text of
 * more than 4,000 characters is discouraged). Hosts and tools have a say in the text: what would be a link, a mention or a
 * mark of one of these forms is written otherwise.
 */
#include <stdio.h>
#include <string.h>

#include "alert_private.h"
#include "assay/base/json.h"

enum { PROBLEMS_SHOWN = 5, TAIL_BYTES = 100, BODY_BYTES = 1 << 20 };

static const struct form {
    const char *name;
    size_t most;      /* bytes of the text */
    const char *bold; /* around it */
    const char *line; /* ends one */
} forms[] = {
    [ALERT_JSON] = {.name = "json", .most = 200000},
    [ALERT_WECOM] = {"wecom", 4096, "**", "\n"},
    [ALERT_DINGTALK] = {"dingtalk", 15000, "**", "  \n"},
    [ALERT_SLACK] = {"slack", 4000, "*", "\n"},
};

enum alert_kind alert_kind_named(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
        if (strcmp(forms[i].name, name) == 0)
            return (enum alert_kind)i;
    return ALERT_JSON;
}

static void put_plain(struct text *out, const char *string)
{
    static const char marks[] = "<>[]*`\"\\&";
    static const char *const instead[] = {"\uFF1C", "\uFF1E", "(", ")", "\u2217", "'", "'", "/", "\uFF06"};

    for (const char *at = string; *at != '\0'; at++) {
        const char *mark = strchr(marks, *at);

        if (mark != NULL)
            text_put(out, instead[mark - marks]);
        else
            text_add(out, (unsigned char)*at < ' ' || *at == 0x7F ? " " : at, 1);
    }
}

static const char *time_passed(struct arena *arena, double seconds)
{
    unsigned long minutes = seconds > 0 ? (unsigned long)(seconds / 60) : 0;

    if (minutes < 60)
        return arena_printf(arena, "%lu min", minutes);
    if (minutes < 60 * 24)
        return arena_printf(arena, "%lu h %lu min", minutes / 60, minutes % 60);
    return arena_printf(arena, "%lu d %lu h", minutes / 1440, minutes / 60 % 24);
}

/* ", for 35 min": behind the subject. */
static const char *state_text(struct arena *arena, const struct alert_row *row, double now)
{
    const struct alert *alert = row->alert;

    switch (row->due) {
    case ALERT_OVER:
        if (!alert->over)
            return arena_printf(arena, ", now %s", alert_severity_name(alert->severity));
        return arena_printf(arena, " after %s: %s", time_passed(arena, alert->ended - alert->since),
                            alert->note);
    case ALERT_WORSE:
        return arena_printf(arena, ", worse, for %s", time_passed(arena, now - alert->since));
    case ALERT_REPEATED:
        return arena_printf(arena, ", still, for %s", time_passed(arena, now - alert->since));
    case ALERT_NEW:
    case ALERT_QUIET:
    default:
        return ", new";
    }
}

static void put_row(struct arena *arena, struct text *out, const struct form *form,
                    const struct alert_row *row, double now)
{
    const struct alert *alert = row->alert;
    size_t count = row->due == ALERT_OVER ? 0 : alert->problems.items.count;

    text_printf(out, "%s%s: ", form->bold,
                row->due == ALERT_OVER ? "over" : alert_severity_name(alert->severity));
    put_plain(out, alert->subject);
    text_put(out, form->bold);
    put_plain(out, state_text(arena, row, now));
    text_put(out, " (");
    put_plain(out, alert->suite);
    text_put(out, " on ");
    put_plain(out, alert->hostfile);
    text_printf(out, ", run %lld)%s", alert->run, form->line);
    for (size_t i = 0; i < count && i < PROBLEMS_SHOWN; i++) {
        text_put(out, "- ");
        put_plain(out, alert->problems.items.items[i].text);
        text_put(out, form->line);
    }
    if (count > PROBLEMS_SHOWN)
        text_printf(out, "- and %zu more%s", count - PROBLEMS_SHOWN, form->line);
}

/* "assay: 2 critical, 1 over" */
static const char *title_of(struct arena *arena, const struct alert_rows *rows)
{
    static const char *const words[] = {"critical", "warning", "info", "over"};
    size_t counts[4] = {0};
    const char *title = "assay:";
    bool first = true;

    for (size_t i = 0; i < rows->items.count; i++)
        counts[rows->items.items[i].due == ALERT_OVER
                   ? 3
                   : ALERT_CRITICAL - rows->items.items[i].alert->severity]++;
    for (size_t i = 0; i < 4; i++)
        if (counts[i] > 0) {
            title = arena_printf(arena, "%s%s %zu %s", title, first ? "" : ",", counts[i], words[i]);
            first = false;
        }
    return title;
}

/* As many rows as it takes; the others are counted. */
static const char *text_of(struct arena *arena, const struct form *form, const struct alert_rows *rows,
                           const char *title, double now)
{
    cleanup_text struct text out = {0}, block = {0};
    size_t i = 0;

    text_init(&out, form->most);
    text_init(&block, form->most);
    text_printf(&out, "%s%s%s%s", form->bold, title, form->bold, form->line);
    for (; i < rows->items.count; i++) {
        text_reset(&block);
        put_row(arena, &block, form, &rows->items.items[i], now);
        if (block.clipped || out.length + block.length + TAIL_BYTES > form->most)
            break;
        text_add(&out, block.bytes, block.length);
    }
    if (i < rows->items.count)
        text_printf(&out, "and %zu more: assay show%s", rows->items.count - i, form->line);
    return arena_strndup(arena, out.bytes, out.length);
}

static void put_chat(struct json_writer *json, enum alert_kind kind, const char *title, const char *text)
{
    json_open_object(json);
    if (kind == ALERT_SLACK) {
        json_member(json, "text", text);
    } else {
        json_member(json, "msgtype", "markdown");
        json_member_object(json, "markdown");
        if (kind == ALERT_DINGTALK)
            json_member(json, "title", title);
        json_member(json, kind == ALERT_DINGTALK ? "text" : "content", text);
        json_close_object(json);
    }
    json_close_object(json);
}

static void put_problems(struct json_writer *json, const struct alert_row *row)
{
    const struct alert_problems *problems = &row->alert->problems;

    json_member_array(json, "problems");
    for (size_t i = 0; row->due != ALERT_OVER && i < problems->items.count; i++) {
        json_open_object(json);
        json_member(json, "severity", alert_severity_name(problems->items.items[i].severity));
        json_member(json, "key", problems->items.items[i].key);
        json_member(json, "text", problems->items.items[i].text);
        json_close_object(json);
    }
    json_close_array(json);
}

static void put_alert(struct json_writer *json, const struct alert_row *row)
{
    static const char *const states[] = {"", "new", "worse", "repeated", "over"};
    const struct alert *alert = row->alert;

    json_open_object(json);
    json_member(json, "subject", alert->subject);
    json_member(json, "state", states[row->due]);
    json_member(json, "severity", alert_severity_name(alert->severity));
    json_member(json, "suite", alert->suite);
    json_member(json, "hostfile", alert->hostfile);
    json_member_number(json, "run", (double)alert->run);
    json_member_number(json, "since", alert->since);
    if (alert->over) {
        json_member_number(json, "ended", alert->ended);
        json_member(json, "note", alert->note);
    }
    put_problems(json, row);
    json_close_object(json);
}

static void put_document(struct json_writer *json, const struct alert_rows *rows, double now)
{
    size_t i = 0;

    json_open_object(json);
    json_member_number(json, "schema", 1);
    json_member(json, "program", "assay " ASSAY_VERSION);
    json_member_number(json, "time", now);
    json_member_array(json, "alerts");
    while (i < rows->items.count && json->out->length < forms[ALERT_JSON].most)
        put_alert(json, &rows->items.items[i++]);
    json_close_array(json);
    json_member_number(json, "left_out", (double)(rows->items.count - i));
    json_close_object(json);
}

static const char *body_of(struct arena *arena, enum alert_kind kind, const struct alert_rows *rows,
                           const char *title, double now)
{
    cleanup_text struct text out = {0};
    struct json_writer json;

    text_init(&out, BODY_BYTES);
    json_writer_init(&json, &out, true);
    if (kind == ALERT_JSON)
        put_document(&json, rows, now);
    else
        put_chat(&json, kind, title, text_of(arena, &forms[kind], rows, title, now));
    return arena_strndup(arena, out.bytes, out.length);
}

const char *alert_body(struct arena *arena, enum alert_kind kind, const struct alert_rows *rows, double now)
{
    return body_of(arena, kind, rows, title_of(arena, rows), now);
}

const char *alert_trial(struct arena *arena, enum alert_kind kind, double now)
{
    return body_of(arena, kind, &(struct alert_rows){0},
                   "assay: a message to try the way; it speaks of no host", now);
}
