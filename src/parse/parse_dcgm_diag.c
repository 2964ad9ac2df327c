/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `dcgmi diag`: text tables of DCGM 1.x to 4.x and the JSON of -j.
 *
 * facts  dcgm.version, driver.version, dcgm.gpu_device_ids      (subject "")
 *        dcgm.SLUG = pass, fail, warn, skip   subject "host": the test as a whole, the worst of all that is
 * said of it; "gpu3", "cpu0", ...: where the tool says it of one device finding dcgm.SLUG          fault for
 * Fail, warning for Warn, info for Skip: for each such device, or for "host" when no device is to blame
 *         dcgm.SLUG.warning, .info, .error   what the tool wrote of the test (warning, info, fault)
 *         dcgm.error         what it wrote outside the tests
 *
 * SLUG is the test's name in lower case with `_` for all else, the same one for the same test in all
 * versions: denylist  nvml_library  cuda_main_library  permissions_and_os_blocks  persistence_mode
 * environment_variables page_retirement_row_remap  graphics_processes  inforom  fabric_manager  software
 * (4.x, for all of these) gpu_memory  memory_bandwidth  memtest  diagnostic  pulse_test  eud_test
 * cpu_eud_test  pcie  nvbandwidth targeted_power  targeted_stress  sm_stress  context_create
 *
 * Complete: a result of every test listed, and the table closed or the JSON document whole.
 */
#include <ctype.h>
#include <string.h>

#include "assay/parse/parser.h"
#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"
#include "dcgm_diag.h"
#include "loose_json.h"
#include "runs.h"

/* Names that versions changed, to the name that we keep. */
static const struct {
    const char *slug, *kept;
} renamed[] = {
    {"blacklist", "denylist"},
    {"cuda_main_libraries", "cuda_main_library"},
    {"permissions_and_os_related_blocks", "permissions_and_os_blocks"},
    {"environmental_variables", "environment_variables"},
    {"page_retirement", "page_retirement_row_remap"},
    {"graphics_processes_check", "graphics_processes"},
    {"memory", "gpu_memory"},
    {"pulse", "pulse_test"},
    {"eud", "eud_test"},
    {"cpu_eud", "cpu_eud_test"},
    {"sm_stress_test", "sm_stress"},
};

static const char *slug_of(struct arena *arena, struct slice name)
{
    char *slug = arena_strndup(arena, name.bytes, name.length);
    size_t length = 0;

    for (size_t i = 0; i < name.length; i++) {
        unsigned char byte = (unsigned char)name.bytes[i];

        if (isalnum(byte))
            slug[length++] = (char)tolower(byte);
        else if (length > 0 && slug[length - 1] != '_')
            slug[length++] = '_';
    }
    while (length > 0 && slug[length - 1] == '_')
        length--;
    slug[length] = '\0';
    for (size_t i = 0; i < ARRAY_SIZE(renamed); i++)
        if (strcmp(slug, renamed[i].slug) == 0)
            return renamed[i].kept;
    return slug;
}

struct diag_test *diag_test(struct diag *diag, struct slice name)
{
    struct arena *arena = diag->reading->arena;
    const char *slug = slug_of(arena, name);
    struct diag_test *test;

    for (size_t i = 0; i < diag->tests.count; i++)
        if (strcmp(diag->tests.items[i].slug, slug) == 0) {
            diag->tests.items[i].closed = false;
            return &diag->tests.items[i];
        }
    test = list_push(arena, &diag->tests);
    test->slug = slug;
    test->name = utf8_clean(arena, name);
    return test;
}

enum diag_result diag_result_of(struct slice word)
{
    static const struct {
        const char *word;
        enum diag_result result;
    } words[] = {
        {"pass", DIAG_PASS},    {"passed", DIAG_PASS},  {"fail", DIAG_FAIL},   {"failed", DIAG_FAIL},
        {"warn", DIAG_WARN},    {"warning", DIAG_WARN}, {"skip", DIAG_SKIP},   {"skipped", DIAG_SKIP},
        {"not run", DIAG_SKIP}, {"not_run", DIAG_SKIP}, {"notrun", DIAG_SKIP},
    };

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (slice_equal_nocase(word, words[i].word))
            return words[i].result;
    return DIAG_UNREAD;
}

void diag_say(struct diag *diag, struct diag_test *test, const char *subject, enum diag_result result)
{
    struct diag_entity *entity = NULL;

    if (result == DIAG_UNREAD)
        diag->unread++;
    if (subject == NULL) {
        test->whole = result > test->whole ? result : test->whole;
        return;
    }
    for (size_t i = 0; i < test->entities.count && entity == NULL; i++)
        if (strcmp(test->entities.items[i].subject, subject) == 0)
            entity = &test->entities.items[i];
    if (entity == NULL) {
        entity = list_push(diag->reading->arena, &test->entities);
        entity->subject = subject;
    }
    entity->result = result > entity->result ? result : entity->result;
}

/* Whatever the case of its letters. */
static bool is_of_inforom(struct slice text)
{
    static const char word[] = "inforom";

    for (size_t i = 0; i + strlen(word) <= text.length; i++)
        if (slice_equal_nocase((struct slice){text.bytes + i, strlen(word)}, word))
            return true;
    return false;
}

const struct reason *diag_words(struct arena *arena, struct slice text)
{
    return is_of_inforom(text) ? reason(arena, says_of_inforom, text) : reason_quote(arena, text);
}

void diag_note(struct diag *diag, const struct diag_test *test, const char *kind, const char *subject,
               struct slice text)
{
    enum severity severity = strcmp(kind, "error") == 0     ? SEVERITY_FAULT
                             : strcmp(kind, "warning") == 0 ? SEVERITY_WARNING
                                                            : SEVERITY_INFO;
    const char *code = test == NULL ? arena_printf(diag->reading->arena, "dcgm.%s", kind)
                                    : arena_printf(diag->reading->arena, "dcgm.%s.%s", test->slug, kind);

    reading_finding(diag->reading, severity, code, subject,
                    diag_words(diag->reading->arena, slice_trim(text)));
}

/* What was not done, and what is no fail yet, has remedies of its own. */
static const struct reason *result_of(struct arena *arena, enum diag_result result)
{
    switch (result) {
    case DIAG_SKIP:
        return REASON(test_skipped);
    case DIAG_WARN:
        return REASON(test_warned);
    case DIAG_PASS:
        return reason_text(arena, "pass");
    case DIAG_FAIL:
        return reason_text(arena, "fail");
    case DIAG_UNREAD:
    default:
        return NULL;
    }
}

static void tell_result(struct reading *reading, const char *fact, const char *subject,
                        enum diag_result result)
{
    reading_fact_said(reading, fact, subject, result_of(reading->arena, result));
}

static void report_result(struct diag *diag, const struct diag_test *test, const char *subject,
                          enum diag_result result)
{
    static const enum severity severities[] = {
        [DIAG_SKIP] = SEVERITY_INFO, [DIAG_WARN] = SEVERITY_WARNING, [DIAG_FAIL] = SEVERITY_FAULT};

    const struct reason *what = result_of(diag->reading->arena, result);

    reading_finding(diag->reading, severities[result],
                    arena_printf(diag->reading->arena, "dcgm.%s", test->slug), subject,
                    is_of_inforom(slice_of(test->name))
                        ? reason(diag->reading->arena, inforom_test_says, test->name, what)
                        : reason(diag->reading->arena, about, test->name, what));
}

/* A skipped device was not tested, so it counts against a pass; a CPU or switch that has no such test does
 * not. */
static bool counts_for_whole(const struct diag_test *test, const struct diag_entity *entity)
{
    return entity->result != DIAG_SKIP || test->whole != DIAG_PASS || strncmp(entity->subject, "gpu", 3) == 0;
}

static void report_test(struct diag *diag, const struct diag_test *test)
{
    const char *name = arena_printf(diag->reading->arena, "dcgm.%s", test->slug);
    enum diag_result worst = test->whole, blamed = DIAG_UNREAD;

    list_each (entity, test->entities) {
        if (entity->result == DIAG_UNREAD)
            continue;
        if (entity->result > worst && counts_for_whole(test, entity))
            worst = entity->result;
        blamed = entity->result > blamed ? entity->result : blamed;
        tell_result(diag->reading, name, entity->subject, entity->result);
        if (entity->result > DIAG_PASS)
            report_result(diag, test, entity->subject, entity->result);
    }
    /* Of a test that is cut off a good word for some devices is no word for the whole. */
    if (worst == DIAG_UNREAD || (!test->closed && worst != DIAG_FAIL && test->whole == DIAG_UNREAD))
        return;
    tell_result(diag->reading, name, "host", worst);
    if (worst > DIAG_PASS && worst > blamed)
        report_result(diag, test, "host", worst);
}

void diag_report(struct diag *diag)
{
    for (size_t i = 0; i < diag->tests.count; i++)
        report_test(diag, &diag->tests.items[i]);
}

/* JSON when a line begins with a brace and the words of the document follow. */
static bool is_json(struct slice bytes)
{
    struct slice rest = bytes;

    if (!slice_contains(bytes, "\"test_categories\"") && !slice_contains(bytes, "\"results\"") &&
        !slice_contains(bytes, "\"DCGM "))
        return false;
    while (rest.length > 0) {
        size_t newline = slice_find(rest, "\n");
        struct slice line = {rest.bytes, newline == (size_t)-1 ? rest.length : newline};

        if (slice_starts(slice_trim(line), "{"))
            return true;
        rest = slice_from(rest, line.length + 1);
    }
    return false;
}

static void parse(struct slice bytes, struct reading *reading)
{
    struct lines lines;
    struct slice text;

    lines_read(reading->arena, bytes, 0, &lines);
    text = lines_join(reading->arena, &lines);
    if (is_json(text))
        dcgm_read_json(reading, text);
    else
        dcgm_read_text(reading, &lines);
    runs_finish(reading);
}

const struct parser parse_dcgm_diag = {
    .name = "dcgm-diag",
    .version = 2,
    .summary = "dcgmi diag: its table and its JSON, DCGM 1.x to 4.x",
    .parse = parse,
};
