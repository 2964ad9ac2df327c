/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What src/check/sh/redfish.sh was told by a BMC over Redfish (DMTF DSP0266, DSP0268), a line a document:
 *
 *   redfish asker 1795852800            the clock of who asks, in seconds
 *   redfish 200 /redfish/v1/Managers/BMC {"Id": "BMC", ...}
 *   redfish 000 /redfish/v1/Chassis/1 curl: (28) Operation timed out
 *   redfish exit 0
 *   redfish open 401                    asked without a login
 *   redfish default root 401            and with a vendor's published password
 *   redfish left /redfish/v1/Managers/BMC/LogServices/Journal     seen and not asked for
 *   redfish trouble no_credentials<TAB>FILE                       why no more was asked
 *   redfish end
 *
 * Subjects are paths behind "/redfish/v1/", with a part's name behind them where it stands in a document of several.
 *
 * facts    redfish.asker, .open, .default (account)   as answered
 *          redfish.firmware (component), .firmware.unversioned   of which the inventory has no version
 *          redfish.manager, .clock, .bios, .boot_mode, .secure_boot, .ipmi ("on", "off"), .uuid, .serial
 *          redfish.health, .health_rollup, .power_supply, .fan
 *          redfish.event.time of an event that is Critical, or of no severity that we know; "none"
 *          redfish.event.unweighed   of the latter
 *          redfish.power_supplies_listed, .fans_listed   a list of them, with how many members
 *          redfish.unread   what is not known, and why
 * findings redfish.health, .health_rollup   fault: not OK, or a supply or fan in a state of no use
 *          redfish.event   fault: Critical
 * metric   redfish.chassis_power W
 *
 * Complete when the end was seen, curl brought all that it was asked for, and each member and link of a document that we
 * follow was asked for: a BMC that tells of 96 components and answers for 95 has one that is unread.
 */
#include <fnmatch.h>
#include <string.h>

#include "assay/model/script_reason.h"
#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "frame.h"
#include "redfish.h"
#include "shell_words.h"

#define ROOT "/redfish/v1"

struct document {
    const char *path, *shorter; /* as asked for; behind ROOT, without a query */
    const struct json *body;    /* NULL: it was not brought, or left out */
};

struct walk {
    struct frame frame;
    LIST_OF(struct document) documents;
    bool said, ended; /* any line of ours; the last one */
};

/* "Systems/1" of "/redfish/v1/Systems/1/?$skip=50". */
static const char *shorten(struct arena *arena, const char *path)
{
    size_t length;

    if (strncmp(path, ROOT, strlen(ROOT)) == 0)
        path += strlen(ROOT);
    path += strspn(path, "/");
    length = strcspn(path, "?");
    while (length > 0 && path[length - 1] == '/')
        length--;
    return arena_strndup(arena, path, length);
}

/* -- Lines -- */

static bool scan_status(struct slice word, uint64_t *ret_status)
{
    return word.length == 3 && scan_u64(word, ret_status);
}

/* words: curl's, or of an answer whose status says enough. */
static const struct reason *why_not_brought(struct arena *arena, uint64_t status, struct slice words)
{
    if (status != 0)
        return reason(arena, redfish_answered, status);
    return words.length > 0 ? reason_quote(arena, words) : REASON(redfish_not_brought);
}

static void read_document(struct walk *walk, uint64_t status, struct slice rest)
{
    struct reading *reading = walk->frame.reading;
    struct slice path = {0};
    struct document *document;
    struct error err = {0};

    if (!scan_word(&rest, &path))
        return;
    document = list_push(reading->arena, &walk->documents);
    *document = (struct document){.path = utf8_clean(reading->arena, path)};
    document->shorter = shorten(reading->arena, document->path);
    rest = slice_trim(rest);
    if (status != 200) {
        redfish_unread(reading, document->shorter, why_not_brought(reading->arena, status, rest));
        return;
    }
    document->body = json_parse(reading->arena, "redfish", rest.bytes, rest.length, &err);
    if (document->body == NULL)
        redfish_unread(reading, document->shorter, reason(reading->arena, not_json, err.text));
    else if (document->body->type != JSON_OBJECT)
        redfish_unread(reading, document->shorter, reason(reading->arena, not_json, "?"));
    else
        redfish_tell(reading, document->shorter, document->body);
}

/* "exit 28 curl: (28) Operation timed out" */
static void read_exit(struct walk *walk, struct slice rest)
{
    struct reading *reading = walk->frame.reading;
    struct slice status = {0};

    if (!scan_word(&rest, &status) || slice_equal(status, "0"))
        return;
    rest = slice_trim(rest);
    if (rest.length == 0)
        reading_lacks(reading, reason(reading->arena, redfish_curl_ended, status));
    else if (walk->documents.count <= 1)
        reading_failed(reading, reason_quote(reading->arena, rest));
    else
        reading_lacks(reading, reason_quote(reading->arena, rest));
}

static void read_left(struct walk *walk, struct slice rest)
{
    struct arena *arena = walk->frame.reading->arena;
    const char *path = utf8_clean(arena, slice_trim(rest));

    *list_push(arena, &walk->documents) = (struct document){.path = path, .shorter = shorten(arena, path)};
}

static void read_default(struct walk *walk, struct slice rest)
{
    struct slice account, status;

    if (scan_word(&rest, &account) && scan_word(&rest, &status))
        reading_fact(walk->frame.reading, "redfish.default", utf8_clean(walk->frame.reading->arena, account),
                     status);
}

static void read_asker(struct walk *walk, struct slice rest)
{
    reading_fact_once(walk->frame.reading, "redfish.asker", slice_trim(rest));
}

static void read_open(struct walk *walk, struct slice rest)
{
    reading_fact_once(walk->frame.reading, "redfish.open", slice_trim(rest));
}

static void read_trouble(struct walk *walk, struct slice rest)
{
    struct arena *arena = walk->frame.reading->arena;

    (void)scan_text(&rest, " ");
    reading_failed(walk->frame.reading, script_reason(arena, rest, script_sentences));
}

static void read_end(struct walk *walk, struct slice rest)
{
    (void)rest;
    walk->ended = true;
}

static const struct row {
    const char *word;
    void (*read)(struct walk *walk, struct slice rest);
} rows[] = {{"exit", read_exit},       {"left", read_left}, {"default", read_default}, {"open", read_open},
            {"trouble", read_trouble}, {"end", read_end},   {"asker", read_asker}};

static void read_line(void *state, struct slice line)
{
    struct walk *walk = state;
    struct slice rest = line, word;
    uint64_t status;

    if (!scan_text(&rest, "redfish ") || !scan_word(&rest, &word)) {
        if (slice_equal(line, "curl: not found") || is_shell_trouble(line))
            frame_fail(&walk->frame, line);
        return;
    }
    walk->said = true;
    if (walk->ended)
        reading_lacks(walk->frame.reading, REASON(more_after_the_end));
    if (scan_status(word, &status))
        read_document(walk, status, rest);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (slice_equal(word, rows[i].word))
            rows[i].read(walk, rest);
}

/* -- Whether all was asked for -- */

/* What in a document leads to another one that has to be there. */
static const char *const links[] = {
    "Systems",       "Managers", "Chassis",           "UpdateService", "SecureBoot",
    "LogServices",   "Entries",  "FirmwareInventory", "Power",         "PowerSubsystem",
    "PowerSupplies", "Thermal",  "ThermalSubsystem",  "Fans",          "NetworkProtocol",
    "ThermalMetrics"};

static bool was_asked(const struct walk *walk, const char *path)
{
    const char *shorter = shorten(walk->frame.reading->arena, path);

    for (size_t i = 0; i < walk->documents.count; i++)
        if (strchr(path, '?') != NULL ? strcmp(walk->documents.items[i].path, path) == 0
                                      : strcmp(walk->documents.items[i].shorter, shorter) == 0)
            return true;
    return false;
}

/* What is not known belongs to the place where it would lie, and where that is elsewhere to the document too that leads to it. */
static void hold_against(const struct walk *walk, const struct document *document, const char *path)
{
    struct reading *reading = walk->frame.reading;
    const char *shorter = shorten(reading->arena, path);

    if (was_asked(walk, path))
        return;
    redfish_unread(reading, shorter, REASON(redfish_not_asked));
    if (strncmp(shorter, document->shorter, strlen(document->shorter)) != 0)
        redfish_unread(reading, document->shorter, REASON(redfish_not_asked));
}

static bool is_collection(const char *path)
{
    static const char *const patterns[] = {"Systems",   "Managers",        "Chassis", "*/LogServices",
                                           "*/Entries", "*/PowerSupplies", "*/Fans",  "*/FirmwareInventory"};

    for (size_t i = 0; i < ARRAY_SIZE(patterns); i++)
        if (fnmatch(patterns[i], path, 0) == 0)
            return true;
    return false;
}

/* On all pages of the collection that the document is a page of. */
static double count_members(const struct walk *walk, const struct document *document)
{
    double count = 0;

    for (size_t i = 0; i < walk->documents.count; i++) {
        const struct document *page = &walk->documents.items[i];
        const struct json *members = json_get(page->body, "Members");

        if (members != NULL && members->type == JSON_ARRAY && strcmp(page->shorter, document->shorter) == 0)
            count += (double)members->count;
    }
    return count;
}

/* A collection has a list of members, and with its other pages as many as it says. */
static bool is_whole(const struct walk *walk, const struct document *document)
{
    const struct json *members = json_get(document->body, "Members");
    bool paged =
        json_get(document->body, "Members@odata.nextLink") != NULL || strchr(document->path, '?') != NULL;

    if (members == NULL || members->type != JSON_ARRAY)
        return false;
    return json_number(document->body, "Members@odata.count", 0) <=
           (paged ? count_members(walk, document) : (double)members->count);
}

/* A member that stands in its collection, with what is judged of it, need not be asked for. */
static bool stands_whole(const struct document *document, const struct json *member)
{
    if (json_get(member, "Id") == NULL)
        return false;
    if (fnmatch("*/Entries", document->shorter, 0) == 0)
        return json_get(member, "Severity") != NULL || json_get(member, "Created") != NULL;
    return fnmatch("*/FirmwareInventory", document->shorter, 0) == 0 && json_get(member, "Version") != NULL;
}

static void check_members(const struct walk *walk, const struct document *document)
{
    const char *next = json_string(document->body, "Members@odata.nextLink", "");

    if (!is_whole(walk, document))
        redfish_unread(walk->frame.reading, document->shorter, REASON(redfish_not_asked));
    json_each (member, json_get(document->body, "Members"))
        if (!stands_whole(document, member))
            hold_against(walk, document, json_string(member, "@odata.id", "?"));
    if (*next != '\0')
        hold_against(walk, document, next);
}

static void check_links(const struct walk *walk, const struct document *document)
{
    for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
        const struct json *link = json_get(document->body, links[i]);

        if (link != NULL && link->type == JSON_OBJECT)
            hold_against(walk, document, json_string(link, "@odata.id", "?"));
    }
}

/* What every machine has: without it nothing of its kind was read. */
static const char *const required[] = {"Systems/*", "Managers/*", "Chassis/*",
                                       "UpdateService/FirmwareInventory", "*/LogServices/*/Entries"};

static void check_required(const struct walk *walk)
{
    struct reading *reading = walk->frame.reading;

    for (size_t i = 0; i < ARRAY_SIZE(required); i++) {
        bool there = false;

        for (size_t k = 0; k < walk->documents.count; k++)
            there |= walk->documents.items[k].body != NULL &&
                     fnmatch(required[i], walk->documents.items[k].shorter, 0) == 0;
        if (!there)
            redfish_unread(reading, required[i], REASON(redfish_none_there));
    }
}

static bool is_refused(const struct walk *walk)
{
    return walk->documents.count == 2 && walk->documents.items[1].body == NULL;
}

static void end(void *state)
{
    struct walk *walk = state;
    struct reading *reading = walk->frame.reading;

    if (!walk->said)
        frame_strange(&walk->frame);
    else if (!walk->ended)
        reading_lacks(reading, REASON(redfish_end_missing));
    else if (is_refused(walk))
        reading_failed(reading,
                       reading_get_said(reading, "redfish.unread", walk->documents.items[1].shorter));
    if (!frame_is_complete(&walk->frame))
        return;
    for (size_t i = 0; i < walk->documents.count; i++) {
        if (walk->documents.items[i].body == NULL)
            continue;
        if (is_collection(walk->documents.items[i].shorter))
            check_members(walk, &walk->documents.items[i]);
        check_links(walk, &walk->documents.items[i]);
    }
    check_required(walk);
}

const struct parser parse_redfish = {
    .name = "redfish",
    .version = 2,
    .summary = "what a BMC tells over Redfish: firmware, health, events, power, boot, IPMI",
    .metrics = METRICS(
        {.name = "redfish.chassis_power", .unit = "W", .help = "what the BMC says that a chassis draws"}),
    .grammar = GRAMMAR(.state_bytes = sizeof(struct walk), .flags = LINES_KEEP_TIME | LINES_KEEP_LABEL,
                       .line = read_line, .end = end),
};
