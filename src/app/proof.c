/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/proof.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay/app/signature.h"
#include "assay/base/cleanup.h"
#include "assay/base/clock.h"
#include "assay/base/files.h"
#include "assay/report/report.h"

#define FOLDER_PREFIX "assay-export-"
enum { MOST_NAMED = 50, REPORT_BYTES = 1024 * 1024 * 1024 };

/* Of its bytes as they are here: a hash of the original would tell it to who guesses. */
static const char *sha256_here(const struct manifest_entry *entry)
{
    return entry->redacted[0] != '\0' ? entry->redacted : entry->sha256;
}

/* One hash for what was to be done: of the lines of the tables that hold the plan. */
static const char *plan_sha256(struct arena *arena, const struct manifest *manifest)
{
    static const char *const tables[] = {"table/member", "table/need",       "table/run_shape", "table/shape",
                                         "table/slot",   "table/slot_limit", "table/step"};
    char *hex = arena_alloc(arena, SHA256_HEX_SIZE);
    struct sha256 *hash = sha256_create();

    for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
        for (size_t k = 0; k < manifest->entries.count; k++)
            if (strcmp(manifest->entries.items[k].path, tables[i]) == 0)
                sha256_add(hash, sha256_here(&manifest->entries.items[k]), SHA256_HEX_SIZE - 1);
    sha256_finish(hash, hex);
    return hex;
}

/* "node[1-8]" */
static const char *host_names(struct arena *arena, const struct plan *plan)
{
    const char **names = arena_array(arena, const char *, plan->hosts.count);

    for (size_t i = 0; i < plan->hosts.count; i++)
        names[i] = plan->hosts.items[i]->name;
    return hostlist_fold(arena, names, plan->hosts.count);
}

/* "acceptance"; "part of a delivery and not an acceptance, 2 of 8 hosts" */
static const char *kind_text(struct arena *arena, const struct standing *standing)
{
    const struct reason *share = standing_share(arena, standing);

    return arena_printf(arena, "%s%s%s%s", run_kind_title(standing->kind),
                        standing_is_acceptance(standing) ? "" : " and not an acceptance",
                        share != NULL ? ", " : "", reason_english(arena, share));
}

static const char *simulated_text(struct arena *arena, double timescale)
{
    return reason_english(arena, simulated_sentence(arena, timescale));
}

void proof_describe(struct arena *arena, struct manifest *manifest, const struct record *record)
{
    const struct judgement *judgement = &record->judgement;

    if (judgement->verdict_count > 0)
        manifest_say(arena, manifest, "verdict",
                     standing_verdict(&record->standing, judgement->verdicts[0].word));
    manifest_say(arena, manifest, "kind", kind_text(arena, &record->standing));
    if (plan_timescale(record->plan) > 1)
        manifest_say(arena, manifest, "simulated", simulated_text(arena, plan_timescale(record->plan)));
    manifest_say(arena, manifest, "suite", record->suite);
    manifest_say(arena, manifest, "hosts", arena_printf(arena, "%zu", record->plan->hosts.count));
    manifest_say(arena, manifest, "names", host_names(arena, record->plan));
    manifest_say(arena, manifest, "started", time_text(arena, record->started));
    manifest_say(arena, manifest, "ended", time_text(arena, record->ended));
    manifest_say(arena, manifest, "program", record->program);
    manifest_say(arena, manifest, "made on", record->controller);
    if (record->origin != NULL)
        manifest_say(arena, manifest, "origin", run_origin_text(arena, record->origin));
    manifest_say(arena, manifest, "plan", plan_sha256(arena, manifest));
}

/* What a killed one left: a folder of ours that nobody holds. A new one is held a moment after it is made. */
static void remove_left_ones(struct arena *arena, const char *place)
{
    enum { NEW_S = 60 };
    DIR *entries = opendir(place);
    const struct dirent *entry;

    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        const char *path = arena_printf(arena, "%s/%s", place, entry->d_name);
        cleanup_fd int fd = -1;
        struct stat status;

        if (strncmp(entry->d_name, FOLDER_PREFIX, strlen(FOLDER_PREFIX)) != 0)
            continue;
        fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0 && fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
            (double)status.st_mtime + NEW_S < clock_now() && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
            directory_remove(path, NULL) < 0)
            continue; /* it stays behind, for the next time */
    }
    if (entries != NULL)
        closedir(entries);
}

const char *proof_folder(struct arena *arena, struct error *err)
{
    const char *place = getenv("TMPDIR");
    char *path;
    int fd;

    place = place != NULL && *place != '\0' ? place : "/tmp";
    remove_left_ones(arena, place);
    path = arena_printf(arena, "%s/" FOLDER_PREFIX "XXXXXX", place);
    fd = mkdtemp(path) != NULL ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    /* Held, by a descriptor that stays open, as long as the process lives. */
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
        return path;
    error_set(err, ERROR_INTERNAL, "cannot make a folder %s: %s; TMPDIR names another place", path,
              strerror(errno));
    return NULL;
}

/* Signed already, by whomever: then only these very bytes may be signed again. */
static int write_once(const char *path, const struct text *bytes, bool may_differ, struct error *err)
{
    cleanup_text struct text there = {0};

    text_init(&there, REPORT_BYTES);
    if (!may_differ) {
        if (file_read(path, &there, err) < 0)
            return -1;
        if (there.length == bytes->length && memcmp(there.bytes, bytes->bytes, bytes->length) == 0)
            return 0;
        return error_set(
            err, ERROR_USAGE,
            "%s is signed, and would be written with other bytes now; give another -o FILE, or sign it "
            "as it is: assay verify REPORT --countersign KEY",
            path);
    }
    return file_write(path, bytes->bytes, bytes->length, 0644, err);
}

int proof_write_signed(struct arena *arena, struct manifest *manifest, const char *path,
                       const struct text *report, const char *key, struct proof_files *ret_files,
                       struct error *err)
{
    struct signed_manifest signing = {.path = arena_printf(arena, "%s.manifest", path)};
    const char *slash = strrchr(path, '/'), *added;
    cleanup_text struct text text = {0};
    struct signatures signatures;
    char sha256[SHA256_HEX_SIZE];

    if (file_is_special(path))
        return error_set(err, ERROR_USAGE,
                         "what is signed needs a file, beside which its signature lies: -o FILE");
    for (size_t i = 0; i < manifest->entries.count; i++)
        if (manifest->entries.items[i].damage != NULL)
            return error_set(err, ERROR_INTERNAL, "%s", manifest->entries.items[i].damage);
    sha256_hex(report->bytes, report->length, sha256);
    manifest_add(arena, manifest, arena_printf(arena, "report/%s", slash != NULL ? slash + 1 : path), "",
                 sha256);
    text_init(&text, REPORT_BYTES);
    manifest_write(manifest, &text);
    signing.bytes = (struct slice){text.bytes, text.length};
    if (signatures_check(arena, &signing, NULL, &signatures, err) < 0 ||
        write_once(path, report, signatures.list.count == 0, err) < 0 ||
        write_once(signing.path, &text, signatures.list.count == 0, err) < 0 ||
        signature_add(arena, &signing, key, &added, err) < 0)
        return -1;
    *ret_files = (struct proof_files){path, signing.path, added};
    return 0;
}

/* Foreign words in one line that looks like one: no line breaks, and no run of blanks that makes it look like several. */
const char *proof_line(struct arena *arena, const char *words)
{
    char *line = arena_strdup(arena, words), *to = line;

    for (const char *from = line; *from != '\0'; from++)
        if (*from != ' ' && *from != '\n' && *from != '\t' && *from != '\r')
            *to++ = *from;
        else if (to > line && to[-1] != ' ')
            *to++ = ' ';
    *to = '\0';
    return line;
}

int proof_tell_differences(struct arena *arena, const struct manifest *kept, const struct manifest *found,
                           bool redacted, const struct findings *findings)
{
    struct manifest_difference *differences;
    size_t count = manifest_compare(arena, kept, found, redacted, &differences);

    for (size_t i = 0; i < count && i < MOST_NAMED; i++)
        findings_tell(findings, "CHANGED: %s%s%s%s: %s", proof_line(arena, differences[i].path),
                      differences[i].note[0] != '\0' ? " (" : "",
                      manifest_is_table(differences[i].path) ? "columns"
                                                             : proof_line(arena, differences[i].note),
                      differences[i].note[0] != '\0' ? ")" : "", proof_line(arena, differences[i].what));
    if (count > MOST_NAMED)
        findings_tell(findings, "CHANGED: and %zu more", count - MOST_NAMED);
    return (int)count;
}

const char *proof_joined(struct arena *arena, const char *lines, const char *between)
{
    const char *joined = "";

    while (*lines != '\0') {
        size_t length = strcspn(lines, "\n");

        joined = arena_printf(arena, "%s%s%.*s", joined, *joined != '\0' ? between : "", (int)length, lines);
        lines += length + (lines[length] == '\n');
    }
    return joined;
}

int proof_pass_over(struct arena *arena, const char *path, const struct findings *findings, struct error *err)
{
    if (err->code != ERROR_USAGE)
        return -1;
    findings_tell(findings, "%s: %s", proof_line(arena, path), proof_line(arena, err->text));
    *err = (struct error){0};
    return 0;
}

/* What a manifest says of its run, and who is told where it is not so. */
struct heading {
    struct arena *arena;
    const struct manifest *kept;
    const struct findings *findings;
};

static int head_differs(const struct heading *heading, const char *key, const char *found)
{
    const char *said = manifest_said(heading->kept, key);

    if (*said == '\0' || strcmp(said, found) == 0)
        return 0;
    findings_tell(heading->findings, "CHANGED: the manifest says of the run '%s: %s', and it is '%s'", key,
                  proof_line(heading->arena, said), proof_line(heading->arena, found));
    return 1;
}

/* What a person reads at the head of a manifest must be what its entries say. */
static int compare_head(const struct heading *heading, struct store *store, long long number,
                        struct error *err)
{
    struct arena *arena = heading->arena;
    const struct manifest *kept = heading->kept;
    const struct record *record = store_load_judged(store, arena, number, err);
    const char *judgement = manifest_said(kept, "judgement");
    enum verdict_word verdict;
    int changed = 0;

    if (record == NULL)
        return -1;
    if (store_find_verdict(store, number, judgement, &verdict, err) < 0) {
        if (err->code != ERROR_USAGE)
            return -1;
        findings_tell(heading->findings,
                      "CHANGED: the manifest is of judgement '%s', which this run does not have", judgement);
        return 1;
    }
    changed += head_differs(heading, "verdict", standing_verdict(&record->standing, verdict));
    changed += head_differs(heading, "kind", kind_text(arena, &record->standing));
    if (record->judgement.uuid != NULL && strcmp(record->judgement.uuid, judgement) == 0 &&
        report_verdict(record) != verdict) {
        findings_tell(heading->findings, "CONTRADICTED: the verdict is '%s', and its own outcomes give '%s'",
                      standing_verdict(&record->standing, verdict),
                      standing_verdict(&record->standing, report_verdict(record)));
        changed++;
    }
    if (*manifest_said(kept, "simulated") != '\0') /* manifests of earlier versions do not say it */
        changed += head_differs(heading, "simulated", simulated_text(arena, plan_timescale(record->plan)));
    changed += head_differs(heading, "suite", record->suite);
    changed += head_differs(heading, "hosts", arena_printf(arena, "%zu", record->plan->hosts.count));
    changed += head_differs(heading, "names", host_names(arena, record->plan));
    changed += head_differs(heading, "started", time_text(arena, record->started));
    changed += head_differs(heading, "ended", time_text(arena, record->ended));
    changed += head_differs(heading, "program", record->program);
    changed += head_differs(heading, "made on", record->controller);
    return changed + head_differs(heading, "plan", plan_sha256(arena, kept));
}

int proof_compare(struct arena *arena, struct store *store, long long number, const struct manifest *kept,
                  bool redacted, const struct findings *findings, struct error *err)
{
    const struct heading heading = {arena, kept, findings};
    struct manifest found;
    int head = compare_head(&heading, store, number, err);

    if (head < 0)
        return -1;
    /* Of another judgement there is nothing to compare with. */
    if (head > 0 && store_manifest(store, arena, number, kept, &found, err) < 0)
        return err->code == ERROR_USAGE ? head : -1;
    if (head == 0 && store_manifest(store, arena, number, kept, &found, err) < 0)
        return -1;
    return head + proof_tell_differences(arena, kept, &found, redacted, findings);
}
