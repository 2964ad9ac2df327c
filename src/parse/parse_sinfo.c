/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm's view of its nodes: sinfo as it is, -l, -N, -N -l, -R, -s, -o and -O with any columns that their
 * header names, without a header where the layout can still be told, `--json`; and `scontrol show node`.
 *
 * subject the node or nodelist as printed ("n[1-4]")
 * facts   slurm.state "idle", "down*", "IDLE+DRAIN": the word as printed, with its flags
 *         slurm.nodes how many, slurm.partition (without the '*' of the default one), slurm.reason, and of
 *         scontrol slurm.gres, slurm.version, slurm.reason_by, slurm.reason_at
 *         slurm.nodes.by_state "12/4/0/16" of -s (subject: the partition); slurm.default_partition
 * finding slurm.node fault: down, fail, error, inval; warning: drained or draining, or not responding ('*')
 */
#include <ctype.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "frame.h"
#include "loose_json.h"

enum { COLUMNS = 32 };

enum column {
    COLUMN_OTHER,
    COLUMN_NODE,
    COLUMN_STATE,
    COLUMN_NODES,
    COLUMN_BY_STATE,
    COLUMN_PARTITION,
    COLUMN_REASON,
};

struct listing {
    struct frame frame;
    enum column columns[COLUMNS];
    size_t column_count; /* 0: no header yet */
    char separator;      /* ' ', ',' or '|' */
    unsigned rows, damaged;
    const char *node; /* of scontrol, whose lines are being read */
    bool is_json;     /* its lines say nothing but failures */
};

struct row {
    struct slice cells[COLUMNS];
    size_t count;
};

/* States. */

static const char *const state_words[] = {
    "alloc",          "allocated",   "allocating", "blocked",       "boot",
    "booting",        "comp",        "completing", "down",          "drain",
    "drained",        "draining",    "drng",       "error",         "fail",
    "failing",        "failg",       "future",     "futr",          "idle",
    "inval",          "maint",       "mix",        "mixed",         "no_respond",
    "not_responding", "npc",         "perfctrs",   "plnd",          "planned",
    "pow_dn",         "pow_up",      "power_down", "power_up",      "powered_down",
    "powering_down",  "powering_up", "reboot",     "reboot_issued", "reboot_requested",
    "resv",           "reserved",    "unk",        "unknown",       "undrain",
};

/* The word without the flags behind it: '*' does not respond, '~' powered down, '#' powering up, ... */
static struct slice base_of(struct slice state)
{
    while (state.length > 0 && strchr("*~#!%$@^-+", state.bytes[state.length - 1]) != NULL)
        state.length--;
    return state;
}

static bool is_word(struct slice word)
{
    for (size_t i = 0; i < ARRAY_SIZE(state_words); i++)
        if (slice_equal_nocase(word, state_words[i]))
            return true;
    return false;
}

/* "idle", "down*", "IDLE+DRAIN" */
static bool is_state(struct slice text)
{
    struct slice rest = base_of(text);

    while (rest.length > 0) {
        size_t plus = slice_find(rest, "+");
        struct slice word = {rest.bytes, plus != (size_t)-1 ? plus : rest.length};

        if (!is_word(base_of(word)))
            return false;
        rest = slice_from(rest, plus != (size_t)-1 ? plus + 1 : rest.length);
    }
    return text.length > 0 && base_of(text).length > 0;
}

static bool has_word(struct slice state, const char *const *words)
{
    struct slice rest = base_of(state);

    while (rest.length > 0) {
        size_t plus = slice_find(rest, "+");
        struct slice word = base_of((struct slice){rest.bytes, plus != (size_t)-1 ? plus : rest.length});

        for (size_t i = 0; words[i] != NULL; i++)
            if (slice_equal_nocase(word, words[i]))
                return true;
        rest = slice_from(rest, plus != (size_t)-1 ? plus + 1 : rest.length);
    }
    return false;
}

static void add_state(struct listing *listing, const char *node, struct slice state)
{
    static const char *const bad[] = {"down", "fail", "failing", "failg", "error", "inval", NULL};
    static const char *const warned[] = {"drain",      "drained",        "draining", "drng",
                                         "no_respond", "not_responding", NULL};
    bool silent = state.length > 0 && memchr(state.bytes, '*', state.length) != NULL;

    reading_fact(listing->frame.reading, "slurm.state", node, state);
    if (has_word(state, bad))
        reading_finding(listing->frame.reading, SEVERITY_FAULT, "slurm.node", node,
                        reason(listing->frame.reading->arena, slurm_says, state));
    else if (silent || has_word(state, warned))
        reading_finding(listing->frame.reading, SEVERITY_WARNING, "slurm.node", node,
                        reason(listing->frame.reading->arena, slurm_says, state));
}

/* Rows. */

static void split(struct slice line, char separator, struct row *ret_row)
{
    const char mark[] = {separator, '\0'};

    ret_row->count = 0;
    for (line = slice_trim(line); ret_row->count < COLUMNS && line.length > 0; line = slice_trim(line)) {
        size_t at = 0;

        if (separator != ' ')
            at = slice_find(line, mark);
        else
            while (at < line.length && line.bytes[at] != ' ' && line.bytes[at] != '\t')
                at++;
        if (at == (size_t)-1 || at > line.length)
            at = line.length;
        ret_row->cells[ret_row->count++] = slice_trim((struct slice){line.bytes, at});
        line = slice_from(line, at + 1);
    }
}

static enum column column_of(struct slice word)
{
    static const struct {
        const char *word;
        enum column column;
    } words[] = {
        {"STATE", COLUMN_STATE},         {"STATELONG", COLUMN_STATE},
        {"STATECOMPACT", COLUMN_STATE},  {"STATECOMPLETE", COLUMN_STATE},
        {"NODELIST", COLUMN_NODE},       {"HOSTNAMES", COLUMN_NODE},
        {"NODEHOST", COLUMN_NODE},       {"NODE_NAME", COLUMN_NODE},
        {"NODES", COLUMN_NODES},         {"NODES(A/I/O/T)", COLUMN_BY_STATE},
        {"PARTITION", COLUMN_PARTITION}, {"REASON", COLUMN_REASON},
    };

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (slice_equal(word, words[i].word))
            return words[i].column;
    return COLUMN_OTHER;
}

static size_t find_column(const struct listing *listing, enum column column)
{
    for (size_t i = 0; i < listing->column_count; i++)
        if (listing->columns[i] == column)
            return i;
    return (size_t)-1;
}

static bool read_header(struct listing *listing, struct slice line)
{
    struct listing trial = {.separator = slice_contains(line, "|")   ? '|'
                                         : slice_contains(line, ",") ? ','
                                                                     : ' '};
    struct row row;

    split(line, trial.separator, &row);
    for (size_t i = 0; i < row.count; i++) {
        for (size_t k = 0; k < row.cells[i].length; k++)
            if (islower((unsigned char)row.cells[i].bytes[k]))
                return false;
        trial.columns[trial.column_count++] = column_of(row.cells[i]);
    }
    if (find_column(&trial, COLUMN_BY_STATE) == (size_t)-1 &&
        (find_column(&trial, COLUMN_NODE) == (size_t)-1 ||
         (find_column(&trial, COLUMN_STATE) == (size_t)-1 &&
          find_column(&trial, COLUMN_REASON) == (size_t)-1)))
        return false;
    memcpy(listing->columns, trial.columns, sizeof trial.columns);
    listing->column_count = trial.column_count;
    listing->separator = trial.separator;
    return true;
}

/* Without a header: what each word is, where it can be told. */
static bool guess_columns(struct listing *listing, struct slice line)
{
    static const struct {
        size_t count, state; /* words in all, 0: any number from state on; where the state stands */
        size_t node, nodes, partition;
    } layouts[] = {
        {6, 4, 5, 3, 0},  /* -h: PARTITION AVAIL TIMELIMIT NODES STATE NODELIST */
        {4, 3, 0, 1, 2},  /* -h -N: NODELIST NODES PARTITION STATE */
        {11, 3, 0, 1, 2}, /* -h -N -l */
        {2, 1, 0, 9, 9},  /* -h -o "%n %T" */
        {2, 0, 1, 9, 9},
    };
    struct row row;

    listing->separator = slice_contains(line, "|") ? '|' : slice_contains(line, " ") ? ' ' : ',';
    split(line, listing->separator, &row);
    for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
        uint64_t nodes;

        if (row.count != layouts[i].count || !is_state(row.cells[layouts[i].state]) ||
            (layouts[i].nodes < row.count && !scan_u64(row.cells[layouts[i].nodes], &nodes)))
            continue;
        memset(listing->columns, 0, sizeof listing->columns);
        listing->column_count = row.count;
        listing->columns[layouts[i].state] = COLUMN_STATE;
        listing->columns[layouts[i].node] = COLUMN_NODE;
        if (layouts[i].nodes < row.count)
            listing->columns[layouts[i].nodes] = COLUMN_NODES;
        if (layouts[i].partition < row.count)
            listing->columns[layouts[i].partition] = COLUMN_PARTITION;
        if (row.count == 11)
            listing->columns[10] = COLUMN_REASON;
        return true;
    }
    listing->column_count = 0;
    return false;
}

/* More words than columns: the reason is the only text with blanks, at either end; a list may hold the
 * separator. False when it cannot be told what is what. */
static bool fit(const struct listing *listing, struct slice line, struct row *row)
{
    size_t columns = listing->column_count, more = row->count - columns, long_one = columns;

    if (row->count == columns)
        return true;
    if (row->count < columns || row->count > COLUMNS)
        return false;
    if (listing->separator == ' ')
        long_one = find_column(listing, COLUMN_REASON);
    else if (listing->columns[columns - 1] == COLUMN_NODE || listing->columns[columns - 1] == COLUMN_REASON)
        long_one = columns - 1;
    if (long_one != 0 && long_one != columns - 1)
        return false;
    if (long_one == 0) {
        row->cells[0].length =
            (size_t)(row->cells[more].bytes + row->cells[more].length - row->cells[0].bytes);
        memmove(&row->cells[1], &row->cells[more + 1], (columns - 1) * sizeof row->cells[0]);
    } else {
        row->cells[columns - 1].length = (size_t)(line.bytes + line.length - row->cells[columns - 1].bytes);
    }
    row->count = columns;
    return true;
}

static const char *partition_name(struct listing *listing, struct slice cell)
{
    if (slice_ends(cell, "*")) {
        cell.length--;
        if (reading_get_fact(listing->frame.reading, "slurm.default_partition", "") == NULL)
            reading_fact(listing->frame.reading, "slurm.default_partition", "", cell);
    }
    return utf8_clean(listing->frame.reading->arena, cell);
}

static struct slice cell_of(const struct listing *listing, const struct row *row, enum column column)
{
    size_t at = find_column(listing, column);

    return at != (size_t)-1 && at < row->count ? row->cells[at] : (struct slice){"", 0};
}

static void add_row(struct listing *listing, const struct row *row)
{
    struct reading *reading = listing->frame.reading;
    struct slice node = cell_of(listing, row, COLUMN_NODE), state = cell_of(listing, row, COLUMN_STATE);
    struct slice nodes = cell_of(listing, row, COLUMN_NODES), reason = cell_of(listing, row, COLUMN_REASON);
    struct slice by_state = cell_of(listing, row, COLUMN_BY_STATE);
    struct slice partition = cell_of(listing, row, COLUMN_PARTITION);
    const char *name = partition.length > 0 ? partition_name(listing, partition) : "";
    const char *subject = utf8_clean(reading->arena, node);

    listing->rows++;
    if (by_state.length > 0)
        reading_fact(reading, "slurm.nodes.by_state", name, by_state);
    if (node.length == 0 || slice_equal(node, "n/a"))
        return; /* a partition without nodes */
    if (state.length > 0)
        add_state(listing, subject, state);
    if (nodes.length > 0)
        reading_fact(reading, "slurm.nodes", subject, nodes);
    if (*name != '\0' && by_state.length == 0)
        reading_fact(reading, "slurm.partition", subject, slice_of(name));
    if (reason.length > 0 && !slice_equal(reason, "none"))
        reading_fact(reading, "slurm.reason", subject, reason);
}

static void read_row(struct listing *listing, struct slice line)
{
    size_t state = find_column(listing, COLUMN_STATE);
    struct row row;

    split(line, listing->separator, &row);
    /* A partition without nodes has an empty list at its end. */
    if (row.count + 1 == listing->column_count && listing->columns[listing->column_count - 1] == COLUMN_NODE)
        row.cells[row.count++] = (struct slice){"n/a", 3};
    if (!fit(listing, line, &row)) {
        listing->damaged++;
        return;
    }
    if (state != (size_t)-1 && !is_state(row.cells[state]) && !slice_equal(row.cells[state], "n/a")) {
        listing->damaged++;
        return;
    }
    add_row(listing, &row);
}

/* scontrol show node, also one node a line (-o). */

static bool value_of(struct slice line, const char *key, struct slice *ret_value)
{
    size_t at = slice_find(line, key), length = 0;

    if (at == (size_t)-1 || (at > 0 && line.bytes[at - 1] != ' '))
        return false;
    *ret_value = slice_from(line, at + strlen(key));
    while (length < ret_value->length && ret_value->bytes[length] != ' ')
        length++;
    ret_value->length = length;
    return true;
}

/* "Reason=Not responding [slurm@2021-10-19T12:56:19]" */
static void read_reason(struct listing *listing, struct slice line)
{
    size_t at = slice_find(line, "Reason="), open, close, by;
    struct slice rest;

    if (at == (size_t)-1)
        return;
    rest = slice_from(line, at + strlen("Reason="));
    open = slice_find(rest, " [");
    if (open == (size_t)-1) {
        reading_fact(listing->frame.reading, "slurm.reason", listing->node, rest);
        return;
    }
    reading_fact(listing->frame.reading, "slurm.reason", listing->node, (struct slice){rest.bytes, open});
    rest = slice_from(rest, open + 2);
    close = slice_find(rest, "]");
    by = slice_find(rest, "@");
    if (close == (size_t)-1 || by == (size_t)-1 || by > close)
        return;
    reading_fact(listing->frame.reading, "slurm.reason_by", listing->node, (struct slice){rest.bytes, by});
    reading_fact(listing->frame.reading, "slurm.reason_at", listing->node,
                 (struct slice){rest.bytes + by + 1, close - by - 1});
}

static bool read_scontrol(struct listing *listing, struct slice line)
{
    struct slice value;

    if (slice_starts(line, "NodeName=") && value_of(line, "NodeName=", &value))
        listing->node = utf8_clean(listing->frame.reading->arena, value);
    else if (listing->node == NULL)
        return false;
    if (value_of(line, "State=", &value)) {
        listing->rows++;
        add_state(listing, listing->node, value);
    }
    if (value_of(line, "Gres=", &value) && !slice_equal(value, "(null)"))
        reading_fact(listing->frame.reading, "slurm.gres", listing->node, value);
    if (value_of(line, "Version=", &value))
        reading_fact(listing->frame.reading, "slurm.version", listing->node, value);
    read_reason(listing, line);
    return true;
}

/* JSON: "nodes" of sinfo 21.08, 22.05 and scontrol, "sinfo" of later ones. */

static struct slice joined_state(struct arena *arena, const struct json *state, const struct json *flags)
{
    const char *joined = state != NULL && state->type == JSON_STRING ? state->string : NULL;

    if (state != NULL && state->type == JSON_ARRAY)
        json_each (word, state)
            if (word->type == JSON_STRING)
                joined = joined == NULL ? word->string : arena_printf(arena, "%s+%s", joined, word->string);
    json_each (flag, flags)
        if (flag->type == JSON_STRING && joined != NULL)
            joined = arena_printf(arena, "%s+%s", joined, flag->string);
    return slice_of(joined != NULL ? joined : "");
}

static void add_json_node(struct listing *listing, const char *node, struct slice state, const char *reason)
{
    listing->rows++;
    if (*node == '\0' || state.length == 0) {
        listing->damaged++;
        return;
    }
    add_state(listing, node, state);
    if (*reason != '\0' && strcmp(reason, "none") != 0)
        reading_fact(listing->frame.reading, "slurm.reason", node, slice_of(reason));
}

static void read_document(struct listing *listing, const struct json *document)
{
    struct arena *arena = listing->frame.reading->arena;

    json_each (node, json_get(document, "nodes"))
        add_json_node(listing, json_string(node, "name", ""),
                      joined_state(arena, json_get(node, "state"), json_get(node, "state_flags")),
                      json_string(node, "reason", ""));
    json_each (entry, json_get(document, "sinfo")) {
        const struct json *nodes = json_get(json_get(entry, "nodes"), "nodes");
        const struct json *reason = json_get(json_get(entry, "reason"), "description");
        struct slice state = joined_state(arena, json_get(json_get(entry, "node"), "state"), NULL);

        json_each (node, nodes)
            add_json_node(listing, node->type == JSON_STRING ? node->string : "", state,
                          reason != NULL && reason->type == JSON_STRING ? reason->string : "");
    }
    json_each (error, json_get(document, "errors"))
        reading_finding(listing->frame.reading, SEVERITY_WARNING, "slurm.error", "",
                        reason(listing->frame.reading->arena, text,
                               json_string(error, "description", json_string(error, "error", "an error"))));
}

static void find_document(struct listing *listing)
{
    struct arena *arena = listing->frame.reading->arena;
    struct slice joined = lines_join(arena, &listing->frame.lines);
    struct loose_objects objects = {0};

    loose_objects_find(arena, joined, &objects);
    for (size_t i = 0; i < objects.list.count; i++) {
        struct slice object = {joined.bytes + objects.list.items[i].start, objects.list.items[i].length};
        const struct json *document;

        if (!slice_contains(object, "\"meta\"") ||
            (!slice_contains(object, "\"sinfo\"") && !slice_contains(object, "\"nodes\"")))
            continue;
        document = loose_json_read(listing->frame.reading, "sinfo", object);
        if (document != NULL)
            read_document(listing, document);
        listing->is_json = true;
        return;
    }
}

/* Failures stand in lines around it. */
static bool read_json(void *state, struct slice bytes)
{
    (void)bytes;
    find_document(state);
    return false;
}

static bool is_failure(struct slice line)
{
    return slice_starts_one(line, "slurm_load", "sinfo: error", "sinfo: fatal", "sinfo: unrecognized",
                            "sinfo: invalid") ||
           slice_contains(line, "sinfo: command not found") || slice_ends(line, "sinfo: not found");
}

/* Of a line before any header: the date of -l, a prompt, a headerless row. */
static void read_row_or_header(struct listing *listing, struct slice line)
{
    if (read_scontrol(listing, line) || read_header(listing, line))
        return;
    if (listing->column_count > 0 || guess_columns(listing, line))
        read_row(listing, line);
}

static void read_line(void *state, struct slice line)
{
    struct listing *listing = state;

    if (is_failure(line))
        frame_fail(&listing->frame, line);
    else if (!listing->is_json)
        read_row_or_header(listing, line);
}

static void end(void *state)
{
    struct listing *listing = state;
    struct reading *reading = listing->frame.reading;

    if (listing->rows == 0 && listing->damaged == 0 && listing->column_count == 0 &&
        reading->status == READING_COMPLETE)
        frame_strange(&listing->frame);
    if (!listing->is_json)
        frame_lacks_end(&listing->frame);
    if (listing->damaged > 0)
        reading_lacks(reading, reason(reading->arena, lines_not_as_header_says, listing->damaged));
    if (listing->rows == 0)
        reading_lacks(reading, REASON(no_node_listed));
}

const struct parser parse_sinfo = {
    .name = "sinfo",
    .version = 1,
    .summary = "Slurm's nodes and their states: sinfo in its forms, scontrol show node",
    .grammar =
        GRAMMAR(.state_bytes = sizeof(struct listing), .document = read_json, .line = read_line, .end = end),
};
