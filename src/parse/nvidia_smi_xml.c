/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `nvidia-smi -q -x`. A small walker over elements: it knows tags and text, skips declarations and comments,
 * and stops at what is not well formed. A GPU is told only when its element is closed, so a cut document
 * gives whole GPUs only.
 */
#include <string.h>

#include "assay/reasons/parse.h"

#include "nvidia_smi.h"

enum { DEPTH_MOST = 24 };

enum token_kind { TOKEN_OPEN, TOKEN_CLOSE, TOKEN_EMPTY, TOKEN_TEXT };

struct token {
    enum token_kind kind;
    struct slice name; /* of the element */
    struct slice text; /* its attributes, or the text */
};

struct pair {
    const char *path;
    struct slice value;
};

struct document {
    struct smi *smi;
    struct slice stack[DEPTH_MOST];
    unsigned depth;
    bool leaf;         /* nothing but text since the last opening tag */
    struct slice text; /* of the leaf */
    struct slice address;
    LIST_OF(struct pair) pairs; /* of the GPU that is open */
    unsigned gpus;
    uint64_t attached;
    bool closed, damaged;
};

static struct slice trim(struct slice text)
{
    static const char blanks[] = " \t\r\n";

    while (text.length > 0 && memchr(blanks, text.bytes[0], 4) != NULL)
        text = slice_from(text, 1);
    while (text.length > 0 && memchr(blanks, text.bytes[text.length - 1], 4) != NULL)
        text.length--;
    return text;
}

/* Passes over "<?...?>", "<!...>" and comments. False when the end of it is missing. */
static bool skip_declaration(struct slice *rest)
{
    const char *end = slice_starts(*rest, "<!--") ? "-->" : ">";
    size_t at = slice_find(*rest, end);

    if (at == (size_t)-1)
        return false;
    *rest = slice_from(*rest, at + strlen(end));
    return true;
}

static void read_tag(struct slice tag, struct token *token)
{
    size_t length = 0;

    token->kind = TOKEN_OPEN;
    if (slice_starts(tag, "/")) {
        token->kind = TOKEN_CLOSE;
        tag = slice_from(tag, 1);
    } else if (slice_ends(tag, "/")) {
        token->kind = TOKEN_EMPTY;
        tag.length--;
    }
    while (length < tag.length && strchr(" \t\r\n", tag.bytes[length]) == NULL)
        length++;
    token->name = (struct slice){tag.bytes, length};
    token->text = trim(slice_from(tag, length));
}

/* Takes the next token off the front; false at the end or where the text is cut. */
static bool next_token(struct slice *rest, struct token *token)
{
    size_t end;

    while (slice_starts(*rest, "<?") || slice_starts(*rest, "<!"))
        if (!skip_declaration(rest))
            return false;
    if (slice_starts(*rest, "<")) {
        end = slice_find(*rest, ">");
        if (end == (size_t)-1)
            return false;
        read_tag((struct slice){rest->bytes + 1, end - 1}, token);
        *rest = slice_from(*rest, end + 1);
        return true;
    }
    end = slice_find(*rest, "<");
    if (end == (size_t)-1)
        return false;
    token->kind = TOKEN_TEXT;
    token->text = trim((struct slice){rest->bytes, end});
    *rest = slice_from(*rest, end);
    return true;
}

/* The five entities that XML knows, where a value has any. */
static struct slice decoded(struct arena *arena, struct slice value)
{
    static const struct {
        const char *entity;
        char byte;
    } entities[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    char *plain;
    size_t length = 0;

    if (!slice_contains(value, "&"))
        return value;
    plain = arena_alloc(arena, value.length);
    while (value.length > 0) {
        size_t used = 1;

        plain[length] = value.bytes[0];
        for (size_t i = 0; i < ARRAY_SIZE(entities); i++)
            if (slice_starts(value, entities[i].entity)) {
                plain[length] = entities[i].byte;
                used = strlen(entities[i].entity);
            }
        length++;
        value = slice_from(value, used);
    }
    return (struct slice){plain, length};
}

/* Path below the GPU: "fb_memory_usage/total". A log has a thousand of them. */
static const char *path_of(struct document *document)
{
    size_t length = 0;
    char *path, *end;

    for (unsigned i = 2; i < document->depth; i++)
        length += document->stack[i].length + 1;
    path = end = arena_alloc(document->smi->reading->arena, length + 1);
    for (unsigned i = 2; i < document->depth; i++) {
        if (i > 2)
            *end++ = '/';
        memcpy(end, document->stack[i].bytes, document->stack[i].length);
        end += document->stack[i].length;
    }
    return path;
}

static bool in_gpu(const struct document *document)
{
    return document->depth >= 2 && slice_equal(document->stack[1], "gpu");
}

/* Long lists that nothing is read from. */
static bool is_skipped(const struct document *document)
{
    return document->depth > 2 &&
           (slice_equal_one(document->stack[2], "supported_clocks", "mig_devices", "accounted_processes"));
}

static void read_host(struct document *document, struct slice name, struct slice value)
{
    if (slice_equal(name, "driver_version"))
        smi_host_fact(document->smi, "driver.version", value);
    else if (slice_equal(name, "cuda_version"))
        smi_host_fact(document->smi, "cuda.version", value);
    else if (slice_equal(name, "attached_gpus") && scan_u64(value, &document->attached))
        reading_measure(document->smi->reading, "gpu.attached", "", (double)document->attached, "");
}

static void tell_gpu(struct document *document)
{
    smi_begin_gpu(document->smi);
    smi_address(document->smi, document->address);
    for (size_t i = 0; i < document->pairs.count; i++)
        smi_field(document->smi, document->pairs.items[i].path, document->pairs.items[i].value, slice_of(""));
    smi_end_gpu(document->smi, true);
    document->pairs.count = 0;
    document->gpus++;
}

static void end_leaf(struct document *document)
{
    struct arena *arena = document->smi->reading->arena;
    struct slice value = decoded(arena, document->text);

    if (in_gpu(document) && document->depth > 2 && !is_skipped(document))
        *list_push(arena, &document->pairs) = (struct pair){path_of(document), value};
    else if (document->depth == 2 && !in_gpu(document))
        read_host(document, document->stack[1], value);
}

/* id="00000000:01:00.0" */
static struct slice id_of(struct slice attributes)
{
    size_t at = slice_find(attributes, "id=\""), end;
    struct slice id;

    if (at == (size_t)-1)
        return slice_of("");
    id = slice_from(attributes, at + strlen("id=\""));
    end = slice_find(id, "\"");
    return (struct slice){id.bytes, end == (size_t)-1 ? 0 : end};
}

static void open_element(struct document *document, const struct token *token)
{
    if (document->depth == DEPTH_MOST ||
        (document->depth == 0 && !slice_equal(token->name, "nvidia_smi_log"))) {
        document->damaged = true;
        return;
    }
    document->stack[document->depth++] = token->name;
    document->leaf = true;
    document->text = slice_of("");
    if (document->depth == 2 && in_gpu(document)) {
        document->address = id_of(token->text);
        document->pairs.count = 0;
    }
}

static void close_element(struct document *document, struct slice name)
{
    struct slice top;

    if (document->depth == 0) {
        document->damaged = true;
        return;
    }
    top = document->stack[document->depth - 1];
    if (top.length != name.length || memcmp(top.bytes, name.bytes, name.length) != 0) {
        document->damaged = true;
        return;
    }
    if (document->leaf)
        end_leaf(document);
    if (document->depth == 2 && in_gpu(document))
        tell_gpu(document);
    document->leaf = false;
    document->depth--;
    document->closed = document->depth == 0;
}

static void read_elements(struct document *document, struct slice *rest)
{
    struct token token;

    while (!document->closed && !document->damaged && next_token(rest, &token)) {
        switch (token.kind) {
        case TOKEN_OPEN:
            open_element(document, &token);
            break;
        case TOKEN_EMPTY:
            open_element(document, &token);
            if (!document->damaged)
                close_element(document, token.name);
            break;
        case TOKEN_CLOSE:
            close_element(document, token.name);
            break;
        case TOKEN_TEXT:
        default:
            if (token.text.length > 0)
                document->text = token.text;
            break;
        }
    }
}

static void read_errors(struct smi *smi, struct slice text)
{
    struct slice line;

    while (scan_line(&text, &line))
        smi_error_line(smi, slice_trim(line));
}

void smi_read_xml(struct smi *smi, struct slice bytes)
{
    struct document document = {.smi = smi};
    size_t start = slice_find(bytes, "<nvidia_smi_log");
    struct slice rest = slice_from(bytes, start);

    smi->notation = SMI_XML;
    read_errors(smi, (struct slice){bytes.bytes, start});
    read_elements(&document, &rest);
    if (document.closed)
        read_errors(smi, rest);
    if (document.damaged)
        reading_lacks(smi->reading, reason(smi->reading->arena, xml_damaged_after_gpu, document.gpus));
    if (!document.closed) {
        reading_lacks(smi->reading, reason(smi->reading->arena, xml_cut_after_gpu, document.gpus));
        return;
    }
    smi_count(smi, document.gpus, true);
    if (document.attached > document.gpus)
        reading_finding(
            smi->reading, SEVERITY_WARNING, "gpu.not_reported", "",
            reason(smi->reading->arena, reported_gpus_differ, (unsigned)document.attached, document.gpus));
}
