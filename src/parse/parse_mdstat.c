/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc/mdstat: the kernel's arrays of drives (software RAID), as drivers/md/md.c prints them.
 *
 * subject "md0", of a member "md0 sdb1"
 * facts   md.state    "active", "inactive", "broken" (Linux 6.13 and later)
 *         md.read_only  "read-only", "auto-read-only": until the first write
 *         md.level    "raid1"; of an inactive array the kernel knows none
 *         md.members  how many it was made for; of a level without redundancy how many it has
 *         md.working  how many of these work; not of a level without redundancy
 *         md.format   "external:imsm" and the like: who keeps the description of the array, where md itself does not
 *         md.sync     "recovery 8.5%", "resync DELAYED": what brings its members in step now, or waits to
 * finding md.array_degraded    fault: fewer members work than the array was made for
 *         md.member_failed     fault: a member that md has thrown out
 *         md.array_not_active  fault: an array that is inactive or broken; but not the container of a firmware's format
 *                              (external:imsm, external:ddf), which is never active itself
 */
#include <string.h>

#include "assay/reasons/parse.h"

#include "frame.h"
#include "shell_words.h"

struct array {
    const char *name; /* NULL: none is being read */
    struct slice state, level;
    size_t members;
    bool external, counted;
};

struct mdstat {
    struct frame frame;
    struct array array;
    bool began, ended;
};

/* -- An array is over -- */

static bool has_redundancy(struct slice level)
{
    return !slice_equal_one(level, "raid0", "linear", "faulty", "container");
}

/* What the next line could still change is said only now: a cut tells nothing that the whole does not. */
static void end_array(struct mdstat *mdstat)
{
    struct reading *reading = mdstat->frame.reading;
    struct array *array = &mdstat->array;

    if (array->name == NULL)
        return;
    if (!slice_equal(array->state, "active")) {
        if (!array->external || slice_equal(array->state, "broken"))
            reading_finding(reading, SEVERITY_FAULT, "md.array_not_active", array->name,
                            reason(reading->arena, array_is_not_active, array->name, array->state));
    } else if (!array->counted && has_redundancy(array->level)) {
        reading_lacks(reading, reason(reading->arena, array_without_count, array->name));
    } else if (!array->counted) {
        reading_fact(reading, "md.members", array->name,
                     slice_of(arena_printf(reading->arena, "%zu", array->members)));
    }
    *array = (struct array){0};
}

/* -- Its lines -- */

/* "nvme0n1p2[0]", "sdb1[1](F)", "sdc1[2](W)(S)" */
static bool take_member(struct mdstat *mdstat, struct slice word)
{
    struct reading *reading = mdstat->frame.reading;
    size_t open = slice_find(word, "[");
    const char *drive;

    if (open == 0 || open == (size_t)-1)
        return false;
    drive = utf8_clean(reading->arena, (struct slice){word.bytes, open});
    if (!slice_contains(word, "(S)"))
        mdstat->array.members++;
    if (slice_contains(word, "(F)"))
        reading_finding(reading, SEVERITY_FAULT, "md.member_failed",
                        arena_printf(reading->arena, "%s %s", mdstat->array.name, drive),
                        reason(reading->arena, array_member_failed, mdstat->array.name, drive));
    return true;
}

/* "md0 : active (auto-read-only) raid1 sdb2[0] sdc2[1]" */
static bool take_head(struct mdstat *mdstat, struct slice line)
{
    struct reading *reading = mdstat->frame.reading;
    struct slice name, colon, state, word;

    if (!slice_starts(line, "md") || !scan_word(&line, &name) || !scan_word(&line, &colon) ||
        !slice_equal(colon, ":") || !scan_word(&line, &state) ||
        !slice_equal_one(state, "active", "inactive", "broken"))
        return false;
    end_array(mdstat);
    mdstat->array = (struct array){.name = utf8_clean(reading->arena, name), .state = state};
    reading_fact(reading, "md.state", mdstat->array.name, state);
    while (scan_word(&line, &word)) {
        if (slice_starts(word, "(") && slice_ends(word, ")"))
            reading_fact(reading, "md.read_only", mdstat->array.name,
                         (struct slice){word.bytes + 1, word.length - 2});
        else if (!take_member(mdstat, word) && mdstat->array.level.length == 0) {
            mdstat->array.level = word;
            reading_fact(reading, "md.level", mdstat->array.name, word);
        }
    }
    return true;
}

/* "[8/7]" and "[UUU_UUUU]": how many there have to be, how many work, and which. */
static bool scan_counts(struct slice line, uint64_t *ret_members, uint64_t *ret_working)
{
    struct slice word;
    uint64_t marks = 0;

    do {
        if (!scan_word(&line, &word))
            return false;
    } while (!scan_text(&word, "[") || !scan_digits(&word, ret_members) || !scan_text(&word, "/") ||
             !scan_digits(&word, ret_working) || !slice_equal(word, "]"));
    if (!scan_word(&line, &word) || !scan_text(&word, "[") || !slice_ends(word, "]") ||
        word.length != *ret_members + 1)
        return false;
    for (size_t i = 0; i < *ret_members; i++)
        marks += word.bytes[i] == 'U' ? 1 : 0;
    return marks == *ret_working;
}

/* "1046528 blocks super 1.2 [2/1] [U_]" */
static bool take_blocks(struct mdstat *mdstat, struct slice line)
{
    struct reading *reading = mdstat->frame.reading;
    const char *name = mdstat->array.name;
    struct slice rest = line, word;
    uint64_t blocks, members, working;

    if (!scan_digits(&rest, &blocks) || !scan_text(&rest, " blocks"))
        return false;
    while (scan_word(&rest, &word))
        if (slice_starts(word, "external:")) {
            mdstat->array.external = true;
            reading_fact(reading, "md.format", name, word);
        }
    if (slice_equal(mdstat->array.state, "inactive") || !slice_contains(line, "/") ||
        !scan_counts(line, &members, &working))
        return true;
    mdstat->array.counted = true;
    reading_fact(reading, "md.members", name,
                 slice_of(arena_printf(reading->arena, "%u", (unsigned)members)));
    reading_fact(reading, "md.working", name,
                 slice_of(arena_printf(reading->arena, "%u", (unsigned)working)));
    if (working < members)
        reading_finding(
            reading, SEVERITY_FAULT, "md.array_degraded", name,
            reason(reading->arena, array_is_degraded, name, (unsigned)working, (unsigned)members));
    return true;
}

/* "[=>...................]  recovery =  8.5% (16775552/195310144) finish=17.0min speed=259783K/sec", "resync=DELAYED" */
static bool take_sync(struct mdstat *mdstat, struct slice line)
{
    static const char *const actions[] = {"recovery", "resync", "reshape", "check", "repair"};
    struct slice rest = line, word;
    size_t close = slice_starts(line, "[") ? slice_find(line, "]") : (size_t)-1;

    if (close != (size_t)-1)
        rest = slice_trim(slice_from(line, close + 1));
    for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
        struct slice value = rest;

        if (!scan_text(&value, actions[i]))
            continue;
        value = slice_trim(value);
        if (!scan_text(&value, "=") || !scan_word(&value, &word))
            return false;
        reading_fact(
            mdstat->frame.reading, "md.sync", mdstat->array.name,
            slice_of(arena_printf(mdstat->frame.reading->arena, "%s %.*s", actions[i], slice_print(word))));
        return true;
    }
    return false;
}

static void read_line(void *state, struct slice line)
{
    struct mdstat *mdstat = state;

    if (slice_starts(line, "Personalities :")) {
        if (mdstat->began)
            frame_next_run(mdstat);
        mdstat->began = true;
    } else if (is_shell_trouble(line)) {
        frame_fail(&mdstat->frame, line);
    } else if (slice_starts(line, "unused devices:")) {
        end_array(mdstat);
        mdstat->ended = mdstat->began;
    } else if (mdstat->began && !take_head(mdstat, line) && mdstat->array.name != NULL &&
               !take_blocks(mdstat, line)) {
        take_sync(mdstat, line);
    }
}

static bool is_whole(void *state, struct slice tail)
{
    (void)state;
    return slice_equal(tail, "unused devices: <none>");
}

static void end(void *state)
{
    struct mdstat *mdstat = state;

    if (!mdstat->began)
        frame_strange(&mdstat->frame);
    if (!mdstat->ended)
        reading_lacks(mdstat->frame.reading, REASON(closing_line_missing));
}

const struct parser parse_mdstat = {
    .name = "mdstat",
    .version = 1,
    .summary = "/proc/mdstat: arrays of drives (software RAID), their members and what they lack",
    .grammar = GRAMMAR(.state_bytes = sizeof(struct mdstat), .flags = FRAME_RUNS, .line = read_line,
                       .is_whole = is_whole, .end = end),
};
