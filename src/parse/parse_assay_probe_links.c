/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-probe-links: how many adapters, rounds and flows there were, and that all rounds were run. What the flows reached and
 * what the ports counted it leaves in files (assay/fabric/flows.h).
 *
 * facts   links.program, .ranks, .hosts, .links, .rounds, .flows, .seconds (of a round), as the head has them;
 *         links.counters: "fabric" where all ports told theirs after each round, else "hosts"
 */
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "probe_lines.h"

struct links_run {
    struct frame frame;
    double rounds, flows; /* as announced */
    double rounds_seen, flows_seen;
    const struct reason *damage; /* why the text cannot be whole */
    bool seen, began, ended;
    bool only_hosts; /* of some round only the hosts told their counters */
};

static bool take_number(struct links_run *run, const struct json *line, const char *key, double *ret_number)
{
    return probe_line_number(run->frame.reading, line, key, 0, ret_number, &run->damage);
}

static void take_head(struct links_run *run, const struct json *head)
{
    static const char *const numbers[] = {"ranks", "hosts", "links", "rounds", "flows", "seconds"};
    struct reading *reading = run->frame.reading;
    double number;

    if (run->began)
        run->damage = REASON(more_than_one_run);
    run->began = true;
    if (json_number(head, "assay_probe_links", 0) != 1)
        run->damage = REASON(other_probe_version);
    reading_fact(reading, "links.program", "", slice_of(json_string(head, "program", "unknown")));
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
        if (take_number(run, head, numbers[i], &number))
            reading_fact(reading, arena_printf(reading->arena, "links.%s", numbers[i]), "",
                         slice_of(arena_printf(reading->arena, "%.15g", number)));
    run->rounds = json_number(head, "rounds", 0);
    run->flows = json_number(head, "flows", 0);
}

static void take_round(struct links_run *run, const struct json *line)
{
    double round, flows;

    if (!take_number(run, line, "round", &round) || !take_number(run, line, "flows", &flows))
        return;
    if (round != run->rounds_seen + 1)
        run->damage = REASON(rounds_not_in_order);
    run->rounds_seen++;
    run->flows_seen += flows;
    run->only_hosts |= strcmp(json_string(line, "counters", ""), "fabric") != 0;
}

static void take_end(struct links_run *run, const struct json *line)
{
    const char *how = json_string(line, "end", "");

    run->ended = true;
    if (strcmp(how, "ok") != 0)
        frame_fail(&run->frame, slice_of(json_string(line, "reason", how)));
}

static void take_line(struct links_run *run, struct slice text)
{
    const struct json *line = probe_line_read(run->frame.reading, text, run->ended, &run->damage);

    run->seen = true;
    if (line == NULL)
        return;
    if (json_get(line, "end") != NULL)
        take_end(run, line);
    else if (json_get(line, "assay_probe_links") != NULL)
        take_head(run, line);
    else if (!run->began)
        run->damage = REASON(beginning_missing);
    else
        take_round(run, line);
}

static void read_line(void *state, struct slice line)
{
    if (slice_starts_one(line, "{\"assay_probe_links\": ", "{\"round\": ", "{\"end\": "))
        take_line(state, line);
}

static void end(void *state)
{
    struct links_run *run = state;
    struct reading *reading = run->frame.reading;

    probe_lines_end(reading, run->seen, run->ended, run->damage, REASON(no_probe_links_output));
    if (!run->began || run->rounds_seen != run->rounds || run->flows_seen != run->flows)
        reading_lacks(reading, reason(reading->arena, rounds_or_flows_missing,
                                      arena_printf(reading->arena, "%.0f", run->rounds_seen),
                                      arena_printf(reading->arena, "%.0f", run->rounds),
                                      arena_printf(reading->arena, "%.0f", run->flows_seen),
                                      arena_printf(reading->arena, "%.0f", run->flows)));
    if (run->began && run->ended && run->rounds_seen == run->rounds)
        reading_fact(reading, "links.counters", "", slice_of(run->only_hosts ? "hosts" : "fabric"));
}

const struct parser parse_assay_probe_links = {
    .name = "assay-probe-links",
    .version = 1,
    .summary = "assay-probe-links: rounds of flows over every link of a fabric",
    .grammar = GRAMMAR(.state_bytes = sizeof(struct links_run), .flags = FRAME_STREAM, .line = read_line,
                       .end = end),
};
