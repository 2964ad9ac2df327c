/* SPDX-License-Identifier: Apache-2.0 */
/* Names of files in a site. A host, a step or another party chooses words; where they lead is ours to say. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "assay/base/printable.h"
#include "assay/base/sha256.h"
#include "assay/report/site.h"
#include "view.h"

/* No name may be longer than file systems (255 bytes) and people can take. */
enum { MOST_STAYS = 80, HASH_DIGITS = 16 };

static bool is_letter_or_digit(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9');
}

/* What Windows takes for a device, whatever stands behind a dot. */
static bool is_device(const char *word)
{
    static const char *const names[] = {"con", "prn", "aux", "nul"};
    size_t length = strcspn(word, ".");

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (length == strlen(names[i]) && strncasecmp(word, names[i], length) == 0)
            return true;
    return length == 4 && (strncasecmp(word, "com", 3) == 0 || strncasecmp(word, "lpt", 3) == 0);
}

static bool is_plain_name(const char *word)
{
    size_t length = strlen(word);

    if (length == 0 || length > MOST_STAYS || !is_letter_or_digit(word[0]) || word[length - 1] == '.' ||
        is_device(word))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!is_letter_or_digit(word[i]) && strchr("-_.", word[i]) == NULL)
            return false;
    return true;
}

const char *site_name(struct arena *arena, const char *word)
{
    char stays[MOST_STAYS + 1], hash[SHA256_HEX_SIZE];
    size_t length = 0;

    if (is_plain_name(word))
        return arena_strdup(arena, word);
    for (const char *at = word; *at != '\0' && length < MOST_STAYS; at++) {
        char byte = *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at;

        if (is_letter_or_digit(byte))
            stays[length++] = byte;
        else if (length > 0 && stays[length - 1] != '-')
            stays[length++] = '-';
    }
    stays[length] = '\0';
    sha256_hex(word, strlen(word), hash);
    return arena_printf(arena, "%s=%.*s", length > 0 ? stays : "x", HASH_DIGITS, hash);
}

/* -- Outputs of a run ------------------------------------------------------------------------------------------- */

struct step_file {
    size_t step;
    const char *folder, *name;
};

static int compare_files(const void *a, const void *b)
{
    const struct step_file *left = a, *right = b;
    int order = strcmp(left->folder, right->folder);

    if (order == 0)
        order = strcmp(left->name, right->name);
    return order != 0 ? order : (left->step > right->step) - (left->step < right->step);
}

/* What is read around a test is more than the test prints, and asked for where it did not pass. */
static bool *find_not_passed(struct arena *arena, const struct record *record)
{
    bool *found = arena_array(arena, bool, record->plan->steps.count + 1);

    for (size_t i = 0; i < record->judgement.outcome_count; i++) {
        const struct outcome *outcome = &record->judgement.outcomes[i];

        found[outcome->step] |= outcome->word == OUTCOME_FAIL || outcome->word == OUTCOME_INCONCLUSIVE;
    }
    return found;
}

static bool has_windows(const struct attempt *attempt)
{
    for (size_t i = 0; i < attempt->windows.count; i++)
        if (attempt->windows.items[i].captures[0].length > 0 ||
            attempt->windows.items[i].captures[1].length > 0)
            return true;
    return false;
}

static void name_outputs(struct arena *arena, const struct record *record, const char *const *bases,
                         struct site_place *place)
{
    static const char *const names[] = {
        [SITE_STDOUT] = "stdout", [SITE_STDERR] = "stderr", [SITE_WINDOWS] = "windows"};
    const bool *not_passed = find_not_passed(arena, record);

    for (size_t i = 0; i < record->attempts.count; i++) {
        const struct attempt *attempt = &record->attempts.items[i];

        for (enum site_output k = 0; k < SITE_OUTPUTS; k++)
            if (k == SITE_WINDOWS ? not_passed[attempt->step] && has_windows(attempt)
                                  : attempt->captures[k].length > 0)
                place->outputs[k][i] =
                    arena_printf(arena, "outputs/%s-%u.%s.txt", bases[attempt->step], attempt->n, names[k]);
    }
}

/* The same step may come again on the same hosts, as a search does it: the second is "gpu-burn=2". */
void site_place_of(struct arena *arena, const struct record *record, struct site_place *ret_place)
{
    size_t count = record->plan->steps.count, again = 1;
    struct step_file *files = arena_array(arena, struct step_file, count + 1);
    const char **bases = arena_array(arena, const char *, count + 1);

    *ret_place = (struct site_place){.index = "../../index.html"};
    for (size_t k = 0; k < SITE_OUTPUTS; k++)
        ret_place->outputs[k] = arena_array(arena, const char *, record->attempts.count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct step *step = &record->plan->steps.items[i];

        files[i] = (struct step_file){i, site_name(arena, step_target(arena, step)),
                                      site_name(arena, step->shape->suite_step)};
    }
    qsort(files, count, sizeof *files, compare_files);
    for (size_t i = 0; i < count; i++) {
        again = i > 0 && strcmp(files[i].folder, files[i - 1].folder) == 0 &&
                        strcmp(files[i].name, files[i - 1].name) == 0
                    ? again + 1
                    : 1;
        bases[files[i].step] = again == 1
                                   ? arena_printf(arena, "%s/%s", files[i].folder, files[i].name)
                                   : arena_printf(arena, "%s/%s=%zu", files[i].folder, files[i].name, again);
    }
    name_outputs(arena, record, bases, ret_place);
}

/* "# stdout, 1543 bytes, SHA-256 cdec..." */
static void put_capture(const char *name, const struct capture *capture, struct text *out)
{
    text_printf(out, "# %s, %llu bytes, SHA-256 %s\n", name, (unsigned long long)capture->length,
                capture->sha256);
    output_capture(capture, out);
}

static void put_windows(const struct record *record, const struct attempt *attempt, struct text *out)
{
    const struct step *step = &record->plan->steps.items[attempt->step];

    for (size_t i = 0; i < attempt->windows.count; i++) {
        const struct window *window = &attempt->windows.items[i];

        text_put(out, window->role == WINDOW_BEFORE ? "\n# before the test on " : "\n# after the test on ");
        printable_line(out, step->members[window->member]->name);
        text_put(out, "\n");
        put_capture("stdout", &window->captures[0], out);
        if (window->captures[1].length > 0)
            put_capture("stderr", &window->captures[1], out);
    }
}

void site_output_text(const struct record *record, const struct attempt *attempt, enum site_output output,
                      struct text *out)
{
    output_heading(record, attempt, out);
    if (output == SITE_WINDOWS)
        put_windows(record, attempt, out);
    else
        put_capture(output == SITE_STDOUT ? "stdout" : "stderr", &attempt->captures[output], out);
}
