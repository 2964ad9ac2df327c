/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/evidence.h"

#include <string.h>

#include "assay/base/json.h"
#include "assay/base/text.h"
#include "assay/reasons/model.h"

enum { HOST_LEAST = 64 << 20, RUN_LEAST = 1 << 30 };

void evidence_limits_set(struct evidence_limits *limits, uint64_t run_bytes, size_t hosts)
{
    uint64_t count = hosts > 0 ? hosts : 1, share;

    limits->run_bytes = run_bytes;
    if (run_bytes == 0)
        limits->run_bytes = count * HOST_LEAST > RUN_LEAST ? count * HOST_LEAST : RUN_LEAST;
    share = limits->run_bytes / count;
    limits->host_bytes = share > HOST_LEAST ? share : HOST_LEAST;
}

/* Two readings of eight GPUs are some 400 KiB, and of an output no more than head and tail is kept. */
void evidence_limits_add(struct evidence_limits *limits, size_t hosts, size_t slices)
{
    const uint64_t windows = 1 << 20, output = 2 * (uint64_t)CAPTURE_END_BYTES;

    limits->run_bytes += slices * (hosts * windows + output);
    limits->host_bytes += slices * (windows + output);
}

const char *evidence_limits_text(struct arena *arena, const struct evidence_limits *limits)
{
    struct json_writer writer;
    struct text text;
    const char *copy;

    text_init(&text, 4096);
    json_writer_init(&writer, &text, true);
    json_open_object(&writer);
    json_member_integer(&writer, "run_bytes", limits->run_bytes);
    json_member_integer(&writer, "host_bytes", limits->host_bytes);
    json_member_integer(&writer, "stream_bytes", limits->stream_bytes);
    json_member_integer(&writer, "looking_bytes", limits->looking_bytes);
    json_close_object(&writer);
    copy = arena_printf(arena, "%s\n", text.bytes);
    text_release(&text);
    return copy;
}

static bool read_limits(struct arena *arena, const struct document *document,
                        struct evidence_limits *ret_limits)
{
    struct error err;
    const struct json *json =
        json_parse(arena, document->name, document->bytes.bytes, document->bytes.length, &err);

    if (json == NULL)
        return false;
    *ret_limits = (struct evidence_limits){
        .run_bytes = (uint64_t)json_number(json, "run_bytes", 0),
        .host_bytes = (uint64_t)json_number(json, "host_bytes", 0),
        .stream_bytes = (uint64_t)json_number(json, "stream_bytes", 0),
        .looking_bytes = (uint64_t)json_number(json, "looking_bytes", 0),
    };
    return ret_limits->run_bytes > 0 && ret_limits->host_bytes > 0;
}

bool evidence_limits_of(const struct record *record, struct evidence_limits *ret_limits)
{
    const struct document *document = document_find(&record->documents, EVIDENCE_DOCUMENT);

    return document != NULL && read_limits(record->arena, document, ret_limits);
}

uint64_t evidence_bytes(const struct capture captures[2])
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < 2; i++)
        bytes += captures[i].clipped ? 2 * (uint64_t)CAPTURE_END_BYTES : captures[i].length;
    return bytes;
}

void evidence_drop(struct capture captures[2], const struct reason **what)
{
    for (size_t i = 0; i < 2; i++) {
        captures[i].bytes = captures[i].tail = (struct slice){"", 0};
        captures[i].length = 0;
        captures[i].clipped = captures[i].flooded = false;
        captures[i].cut = true;
        sha256_hex("", 0, captures[i].sha256);
    }
    *what = REASON(evidence_limit_reached);
}

bool evidence_dropped(const struct reason *what)
{
    return reason_is(what, evidence_limit_reached);
}

static void count(const struct capture captures[2], const struct reason *what, struct evidence_sum *sum)
{
    sum->kept_bytes += evidence_bytes(captures);
    sum->flooded += captures[0].flooded || captures[1].flooded;
    sum->dropped += evidence_dropped(what);
}

void evidence_count(const struct record *record, struct evidence_sum *ret_sum)
{
    *ret_sum = (struct evidence_sum){0};
    list_each (attempt, record->attempts) {
        count(attempt->captures, attempt->what, ret_sum);
        for (size_t k = 0; k < attempt->windows.count; k++)
            count(attempt->windows.items[k].captures, attempt->windows.items[k].what, ret_sum);
    }
}
