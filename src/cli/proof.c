/* SPDX-License-Identifier: Apache-2.0 */
#include "proof.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/files.h"
#include "assay/report.h"
#include "signature.h"

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

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        for (size_t k = 0; k < manifest->entries.count; k++)
            if (strcmp(manifest->entries.items[k].path, tables[i]) == 0)
                sha256_add(hash, sha256_here(&manifest->entries.items[k]), SHA256_HEX_SIZE - 1);
    sha256_finish(hash, hex);
    return hex;
}

void proof_describe(struct arena *arena, struct manifest *manifest, const struct record *record)
{
    const struct judgement *judgement = &record->judgement;

    if (judgement->verdict_count > 0)
        manifest_say(arena, manifest, "verdict", verdict_name(judgement->verdicts[0].word));
    manifest_say(arena, manifest, "suite", record->suite);
    manifest_say(arena, manifest, "hosts", arena_printf(arena, "%zu", record->plan->hosts.count));
    manifest_say(arena, manifest, "started", time_text(arena, record->started));
    manifest_say(arena, manifest, "program", record->program);
    manifest_say(arena, manifest, "plan", plan_sha256(arena, manifest));
}

const char *proof_folder(struct arena *arena, struct error *err)
{
    const char *place = getenv("TMPDIR");
    char *path = arena_printf(arena, "%s/assay-XXXXXX", place != NULL && *place != '\0' ? place : "/tmp");

    if (mkdtemp(path) != NULL)
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
                       const struct text *report, const char *key, struct error *err)
{
    const char *manifest_path = arena_printf(arena, "%s.manifest", path), *slash = strrchr(path, '/'), *added;
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
    if (signatures_check(arena, manifest_path, NULL, &signatures, err) < 0 ||
        write_once(path, report, signatures.list.count == 0, err) < 0 ||
        write_once(manifest_path, &text, signatures.list.count == 0, err) < 0 ||
        signature_add(arena, manifest_path, key, &added, err) < 0)
        return -1;
    printf("report: %s\nmanifest: %s\nsignature: %s\n", path, manifest_path,
           added != NULL ? added : "there already, by this key");
    return 0;
}

int proof_print_differences(struct arena *arena, const struct manifest *kept, const struct manifest *found,
                            bool redacted)
{
    struct manifest_difference *differences;
    size_t count = manifest_compare(arena, kept, found, redacted, &differences);

    for (size_t i = 0; i < count && i < MOST_NAMED; i++)
        printf("CHANGED: %s%s%s%s: %s\n", differences[i].path, differences[i].note[0] != '\0' ? " (" : "",
               manifest_is_table(differences[i].path) ? "columns" : differences[i].note,
               differences[i].note[0] != '\0' ? ")" : "", differences[i].what);
    if (count > MOST_NAMED)
        printf("CHANGED: and %zu more\n", count - MOST_NAMED);
    return (int)count;
}

int proof_compare(struct arena *arena, struct store *store, long long number, const struct manifest *kept,
                  bool redacted, struct error *err)
{
    struct manifest found;

    if (store_manifest(store, arena, number, kept, &found, err) < 0)
        return -1;
    return proof_print_differences(arena, kept, &found, redacted);
}
