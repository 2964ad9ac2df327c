/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/fabric/flows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/parse/parser.h"

/* --- who takes part --- */

struct named {
    const char *name;
    uint32_t port;
};
struct names {
    LIST_OF(struct named) items;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static bool is_hosts(const struct fabric_node *node)
{
    struct slice rest = slice_of(node->name), host, adapter;

    return node->kind == FABRIC_ADAPTER && strstr(node->name, "Aggregation Node") == NULL &&
           strpbrk(node->name, "#:>") == NULL && scan_word(&rest, &host) && scan_word(&rest, &adapter) &&
           slice_trim(rest).length == 0;
}

static void list_names(struct arena *arena, const struct fabric *fabric, struct names *ret_names)
{
    for (uint32_t port = 0; port < fabric->ports.count; port++)
        if (fabric->ports.items[port].lid != 0 && fabric->ports.items[port].far != FABRIC_NONE &&
            is_hosts(&fabric->nodes.items[fabric->ports.items[port].node]))
            *list_push(arena, &ret_names->items) = (struct named){fabric_port_name(fabric, port), port};
    if (ret_names->items.count > 0)
        qsort(ret_names->items.items, ret_names->items.count, sizeof *ret_names->items.items, by_name);
}

static size_t host_length(const char *name)
{
    return strcspn(name, " ");
}

/* The number of the host among those that were asked for, or of its first port where all are. */
static bool number_of_host(const char *name, const char *const *hosts, size_t count, uint32_t *ret_number)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(hosts[i]) == host_length(name) && strncmp(hosts[i], name, host_length(name)) == 0) {
            *ret_number = (uint32_t)i;
            return true;
        }
    return count == 0;
}

int fabric_take_part(struct arena *arena, const struct fabric *fabric, const char *const *hosts, size_t count,
                     struct fabric_question *ret_question, struct error *err)
{
    struct names names = {0};
    bool *seen = arena_array(arena, bool, count);
    uint32_t *ports, *of, number = 0, first = 0;

    list_names(arena, fabric, &names);
    ports = arena_array(arena, uint32_t, names.items.count);
    of = arena_array(arena, uint32_t, names.items.count);
    *ret_question = (struct fabric_question){.ports = ports, .hosts = of};
    for (size_t i = 0; i < names.items.count; i++) {
        const char *name = names.items.items[i].name, *last = i > 0 ? names.items.items[i - 1].name : "";

        if (strcmp(name, last) == 0)
            return error_set(err, ERROR_USAGE,
                             "two adapters call themselves '%s'; expected a name of its own for each", name);
        if (count == 0 &&
            (host_length(last) != host_length(name) || strncmp(last, name, host_length(name)) != 0))
            number = (uint32_t)i;
        if (!number_of_host(name, hosts, count, &number))
            continue;
        if (count > 0)
            seen[number] = true;
        of[ret_question->count] = number;
        ports[ret_question->count++] = names.items.items[i].port;
    }
    for (size_t i = 0; i < count; i++)
        if (!seen[i])
            return error_set(err, ERROR_USAGE,
                             "host '%s': no adapter of the fabric calls itself '%s ADAPTER'", hosts[i],
                             hosts[i]);
    first = ret_question->count > 0 ? of[0] : 0;
    for (size_t i = 0; i < ret_question->count; i++)
        if (of[i] != first)
            return 0;
    return error_set(err, ERROR_USAGE,
                     "flows need the adapters of two hosts or more, each called 'HOST ADAPTER'");
}

/* --- flows --- */

void fabric_write_flows(const struct fabric *fabric, const struct fabric_schedule *schedule, struct text *out)
{
    size_t at = 0;

    for (size_t round = 0; round < schedule->ends.count; round++) {
        text_printf(out, "# round %zu\n", round + 1);
        for (; at < schedule->ends.items[round]; at++)
            text_printf(out, "%s > %s\n", fabric_port_name(fabric, schedule->flows.items[at].from),
                        fabric_port_name(fabric, schedule->flows.items[at].to));
    }
}

static uint32_t find_port(struct arena *arena, const struct names *names, struct slice name)
{
    struct named key = {.name = arena_strndup(arena, name.bytes, name.length)};
    const struct named *found =
        names->items.count == 0 ? NULL
                                : bsearch(&key, names->items.items, names->items.count, sizeof key, by_name);

    return found != NULL ? found->port : FABRIC_NONE;
}

/* "node1 mlx5_0 > node33 mlx5_0: 392.4" */
static bool read_flow(struct arena *arena, const struct fabric *fabric, const struct names *names,
                      struct slice line, struct fabric_seen *ret_seen)
{
    struct slice from, to, figure;
    double gbits = NAN, from_rate, to_rate;
    bool measured;

    if (!slice_part(line, " > ", &from, &to))
        return false;
    measured = slice_part(to, ": ", &to, &figure);
    if (measured && (!scan_double(figure, &gbits) || gbits < 0))
        return false;
    ret_seen->flow = (struct fabric_flow){find_port(arena, names, from), find_port(arena, names, to)};
    if (ret_seen->flow.from == FABRIC_NONE || ret_seen->flow.to == FABRIC_NONE)
        return false;
    from_rate = fabric->ports.items[ret_seen->flow.from].gbits;
    to_rate = fabric->ports.items[ret_seen->flow.to].gbits;
    ret_seen->share = from_rate > 0 && to_rate > 0 ? gbits / fmin(from_rate, to_rate) : NAN;
    return true;
}

int fabric_read_flows(struct arena *arena, const struct fabric *fabric, const char *file, struct slice text,
                      struct fabric_measured *ret_measured, struct error *err)
{
    struct names names = {0};
    struct slice line;
    unsigned number = 0;

    *ret_measured = (struct fabric_measured){0};
    list_names(arena, fabric, &names);
    while (scan_line(&text, &line)) {
        struct fabric_seen seen;

        number++;
        line = slice_trim(line);
        if (slice_starts(line, "# round ") && ret_measured->flows.count > 0)
            *list_push(arena, &ret_measured->ends) = ret_measured->flows.count;
        if (line.length == 0 || slice_starts(line, "#"))
            continue;
        if (!read_flow(arena, fabric, &names, line, &seen))
            return error_set(
                err, ERROR_USAGE,
                "%s:%u: '%.*s': expected 'HOST ADAPTER > HOST ADAPTER: GBITS' of two adapters of the fabric",
                file, number, (int)(line.length < 120 ? line.length : 120), line.bytes);
        *list_push(arena, &ret_measured->flows) = seen;
    }
    if (slice_trim(text).length > 0 || ret_measured->flows.count == 0)
        return error_set(err, ERROR_USAGE, "%s: %s", file,
                         ret_measured->flows.count == 0 ? "no flow is in it" : "its last line breaks off");
    *list_push(arena, &ret_measured->ends) = ret_measured->flows.count;
    return 0;
}

/* --- counters --- */

enum { PIECE_BYTES = PARSER_DOCUMENT_BYTES / 2 };

static const struct counted {
    const char *metric;
    size_t offset;
    double unit;
} counted[] = {
    {"ib.counter.PortXmitData", offsetof(struct fabric_counters, sent), 32},
    {"ib.counter.PortRcvData", offsetof(struct fabric_counters, received), 32},
    {"ib.counter.SymbolErrorCounter", offsetof(struct fabric_counters, errors), 1},
};

/* "lid2052/1": the port that the fabric has there. */
static uint32_t port_of_subject(const struct fabric *fabric, const char *subject)
{
    struct slice rest = slice_of(subject);
    uint64_t lid, number;
    uint32_t node;

    if (!scan_text(&rest, "lid") || !scan_digits(&rest, &lid) || !scan_text(&rest, "/") ||
        !scan_u64(rest, &number) || lid > FABRIC_LID_MAX)
        return FABRIC_NONE;
    if (fabric->by_lid[lid] != FABRIC_NONE)
        return fabric->ports.items[fabric->by_lid[lid]].number == number ? fabric->by_lid[lid] : FABRIC_NONE;
    node = fabric->switch_by_lid[lid];
    return node != FABRIC_NONE && number < fabric->nodes.items[node].port_count
               ? fabric->nodes.items[node].ports[number]
               : FABRIC_NONE;
}

static void take_counters(const struct fabric *fabric, const struct reading *reading,
                          struct fabric_counters *counters)
{
    for (size_t i = 0; i < reading->measurements.count; i++) {
        const struct measurement *measurement = &reading->measurements.items[i];

        for (size_t k = 0; k < ARRAY_SIZE(counted); k++) {
            double **values = (double **)(void *)((char *)counters + counted[k].offset);
            uint32_t port;

            if (strcmp(measurement->metric, counted[k].metric) != 0)
                continue;
            port = port_of_subject(fabric, measurement->subject);
            if (port != FABRIC_NONE)
                (*values)[port] = measurement->value * counted[k].unit;
        }
    }
}

/* Up to where a piece goes: ports are not cut. */
static size_t piece_of(struct slice text)
{
    size_t end = PIECE_BYTES;

    if (text.length <= PIECE_BYTES)
        return text.length;
    while (end > 0 && !(text.bytes[end - 1] == '\n' && slice_starts(slice_from(text, end), "# Port")))
        end--;
    return end > 0 ? end : text.length;
}

int fabric_read_counters(struct arena *arena, const struct fabric *fabric, const char *file,
                         struct slice text, struct fabric_counters *ret_counters, struct error *err)
{
    size_t ways = fabric->ports.count;

    for (size_t k = 0; k < ARRAY_SIZE(counted); k++) {
        double **values = (double **)(void *)((char *)ret_counters + counted[k].offset);

        *values = arena_array(arena, double, ways);
        for (size_t i = 0; i < ways; i++)
            (*values)[i] = NAN;
    }
    do {
        struct arena *scratch = arena_create();
        struct reading reading;
        size_t piece = piece_of(text);

        parser_run(parser_find("perfquery"), (struct slice){text.bytes, piece}, scratch, &reading);
        if (reading.status == READING_COMPLETE)
            take_counters(fabric, &reading, ret_counters);
        else
            error_set(err, ERROR_USAGE, "%s: not all of it is what perfquery -x prints of ports: %s", file,
                      reason_english(scratch, reading.reason));
        arena_destroy(scratch);
        if (reading.status != READING_COMPLETE)
            return -1;
        text = slice_from(text, piece);
    } while (text.length > 0);
    return 0;
}

/* --- proof --- */

/* NAN where it went back or was not told both times. */
static double growth(const double *before, const double *after, size_t at)
{
    return after[at] >= before[at] ? after[at] - before[at] : NAN;
}

static void add_round(const struct fabric *fabric, const struct fabric_counters counters[2], double seconds,
                      struct fabric_counted *round, struct fabric_proven *proven)
{
    for (size_t way = 0; way < fabric->ports.count; way++) {
        uint32_t far = fabric->ports.items[way].far;
        double errors = far == FABRIC_NONE ? NAN : growth(counters[0].errors, counters[1].errors, far);

        round[way].sent_bits = growth(counters[0].sent, counters[1].sent, way);
        round[way].received_bits =
            far == FABRIC_NONE ? NAN : growth(counters[0].received, counters[1].received, far);
        proven->bits[way] += fmax(round[way].sent_bits, round[way].received_bits);
        proven->errors[way] += errors;
    }
    fabric_proof(fabric, round, seconds, proven->ways);
}

void fabric_prove(struct arena *arena, const struct fabric *fabric, const struct fabric_counters *counters,
                  size_t rounds, double seconds, const enum fabric_gap *gaps,
                  struct fabric_proven *ret_proven)
{
    size_t ways = fabric->ports.count;
    struct fabric_counted *round = arena_array(arena, struct fabric_counted, ways);

    *ret_proven = (struct fabric_proven){.ways = arena_array(arena, bool, ways),
                                         .bits = arena_array(arena, double, ways),
                                         .errors = arena_array(arena, double, ways)};
    for (size_t i = 0; i < rounds; i++)
        add_round(fabric, &counters[i], seconds, round, ret_proven);
    for (uint32_t way = 0; way < ways; way++) {
        uint32_t far = fabric->ports.items[way].far;

        if (far == FABRIC_NONE || far < way || gaps[way] == FABRIC_UNTESTED)
            continue;
        ret_proven->links++;
        ret_proven->covered += ret_proven->ways[way] && ret_proven->ways[far];
    }
}
