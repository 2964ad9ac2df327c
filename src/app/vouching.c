/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/vouching.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "assay/app/campaign.h"
#include "assay/app/proof.h"
#include "assay/app/verification.h"
#include "assay/base/files.h"
#include "assay/base/text.h"

/* Of an acceptance a head has a line for each of its runs. */
enum { HEAD_BYTES = 1 << 20, MOST_REPORTS = 10000 };

struct signed_report {
    const char *path;
    struct manifest manifest; /* its head, as it was found; once it is checked all of it, as it was signed */
    bool checked,
        holds; /* its signature and bytes were looked at, once for all runs of an acceptance; nothing is changed */
    const char *signers; /* who is known; "": nobody */
};

struct vouching {
    struct arena *arena;
    const char *source, *signers;
    LIST_OF(struct signed_report) reports;
};

/* -- The folder -- */

static int only_manifests(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name), end = strlen(".manifest");

    return length > end && strcmp(entry->d_name + length - end, ".manifest") == 0;
}

/* Its head, as many reports may be of other runs. Of what is no manifest nothing is said: it may be anybody's file. */
static void add_report(struct vouching *vouching, const char *manifest)
{
    cleanup_arena struct arena *arena = arena_create();
    cleanup_text struct text bytes = {0};
    struct manifest found = {0};
    struct signed_report *report;
    struct error ignored = {0};

    text_init(&bytes, HEAD_BYTES);
    if (file_read_until(manifest, MANIFEST_HEAD_END, &bytes, &ignored) < 0 ||
        manifest_parse_head(arena, manifest, (struct slice){bytes.bytes, bytes.length}, &found, &ignored) < 0)
        return;
    report = list_push(vouching->arena, &vouching->reports);
    *report = (struct signed_report){.signers = ""};
    report->path = arena_strndup(vouching->arena, manifest, strlen(manifest) - strlen(".manifest"));
    for (size_t i = 0; i < found.head.count; i++)
        manifest_say(vouching->arena, &report->manifest, found.head.items[i].key, found.head.items[i].value);
}

struct vouching *vouching_find(struct arena *arena, const char *source, const char *signers,
                               const struct findings *findings, struct error *err)
{
    struct vouching *vouching = arena_new(arena, struct vouching);
    const char *slash = strrchr(source, '/');
    const char *folder = slash != NULL ? arena_strndup(arena, source, (size_t)(slash - source) + 1) : "";
    struct dirent **entries;
    int count = scandir(*folder != '\0' ? folder : ".", &entries, only_manifests, versionsort);

    vouching->arena = arena;
    vouching->source = source;
    vouching->signers = signers;
    if (count < 0) {
        error_set(err, ERROR_USAGE, "the folder of %s, where signed reports lie, cannot be read", source);
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        if (i < MOST_REPORTS)
            add_report(vouching, arena_printf(arena, "%s%s", folder, entries[i]->d_name));
        free(entries[i]);
    }
    free(entries);
    if (count > MOST_REPORTS)
        findings_tell(
            findings,
            "%s: NOTE: %d manifests of reports lie beside it; the %d that come last by their names are not "
            "looked at",
            proof_line(arena, source), count, count - MOST_REPORTS);
    return vouching;
}

void vouching_reports_of(const struct vouching *vouching, const char *run,
                         struct vouching_reports *ret_reports)
{
    *ret_reports = (struct vouching_reports){0};
    for (size_t i = 0; i < vouching->reports.count; i++)
        if (strcmp(manifest_said(&vouching->reports.items[i].manifest, "run"), run) == 0)
            *list_push(vouching->arena, &ret_reports->items) = vouching->reports.items[i].path;
}

/* -- A report -- */

/* Of a report by which a run is taken, what was found right is of no news; of one that does not do, all that speaks against it. */

static void tell_trouble(void *context, const char *line)
{
    if (strncmp(line, "CHANGED: ", 9) == 0 || strncmp(line, "UNKNOWN KEY: ", 13) == 0)
        findings_tell(context, "%s", line);
}

/* The judgement of the run that the manifest names; "": none. */
static const char *judgement_in(struct arena *arena, const struct manifest *manifest, const char *run)
{
    if (strcmp(manifest_said(manifest, "run"), run) == 0)
        return manifest_said(manifest, "judgement");
    return manifest_said(manifest, arena_printf(arena, "run/%s", run));
}

static int check_signature(const struct vouching *vouching, struct signed_report *report,
                           const struct findings *findings, struct error *err)
{
    struct verification verification = {.arena = vouching->arena,
                                        .report = report->path,
                                        .findings = {(void *)findings, tell_trouble},
                                        .signers = vouching->signers};
    int result = verification_check_report(&verification, err);

    report->checked = true;
    report->manifest = verification.manifest;
    report->holds = result == 0 && verification.readable && verification.wrong == 0;
    report->signers = result == 0 && verification.readable ? verification_signers(&verification) : "";
    return result < 0 ? proof_pass_over(vouching->arena, report->path, findings, err) : 0;
}

/* Whether the run in the store is what was signed, to the last row and byte. */
static int check_evidence(const struct vouching *vouching, const struct signed_report *report,
                          struct store *store, const struct record *record, const struct findings *findings,
                          bool *ret_holds, struct error *err)
{
    struct verification verification = {.arena = vouching->arena,
                                        .findings = {(void *)findings, tell_trouble}};
    bool own = strcmp(manifest_said(&report->manifest, "run"), record->uuid) == 0;
    const struct manifest *kept =
        own ? &report->manifest
            : acceptance_manifest_of_run(vouching->arena, &report->manifest, record->uuid);
    int result =
        verification_check_evidence(&verification, store, record->number, kept, false, vouching->source, err);

    *ret_holds = result == 0 && verification.wrong == 0;
    return result < 0 ? proof_pass_over(vouching->arena, report->path, findings, err) : 0;
}

/* With another judgement behind it, somebody else's word would stand under the signature. */
static bool is_last(const struct vouching *vouching, const struct signed_report *report,
                    const struct record *record, const struct findings *findings)
{
    const char *last = record->judgement.uuid;

    if (last != NULL && strcmp(judgement_in(vouching->arena, &report->manifest, record->uuid), last) == 0)
        return true;
    findings_tell(findings, "CHANGED: run %lld: it has been judged again behind what %s says", record->number,
                  proof_line(vouching->arena, report->path));
    return false;
}

static int check_run(const struct vouching *vouching, struct signed_report *report, struct store *store,
                     const struct record *record, const struct findings *findings, enum vouch *ret_vouch,
                     struct error *err)
{
    bool holds = false;

    *ret_vouch = VOUCH_NONE;
    if (!report->checked && check_signature(vouching, report, findings, err) < 0)
        return -1;
    if (*report->signers == '\0')
        return 0;
    if (report->holds && is_last(vouching, report, record, findings) &&
        check_evidence(vouching, report, store, record, findings, &holds, err) < 0)
        return -1;
    *ret_vouch = holds ? VOUCH_GOOD : VOUCH_CHANGED;
    return 0;
}

int vouching_of_run(struct vouching *vouching, struct store *store, const struct record *record,
                    const struct findings *findings, enum vouch *ret_vouch, const char **ret_signers,
                    struct error *err)
{
    *ret_vouch = VOUCH_NONE;
    *ret_signers = "";
    for (size_t i = 0; i < vouching->reports.count && *ret_vouch != VOUCH_GOOD; i++) {
        struct signed_report *report = &vouching->reports.items[i];
        enum vouch vouch;

        if (*judgement_in(vouching->arena, &report->manifest, record->uuid) == '\0')
            continue;
        if (check_run(vouching, report, store, record, findings, &vouch, err) < 0)
            return -1;
        if (vouch != VOUCH_NONE)
            *ret_vouch = vouch;
        *ret_signers = vouch == VOUCH_GOOD ? report->signers : "";
    }
    return 0;
}
