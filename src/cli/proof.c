/* SPDX-License-Identifier: Apache-2.0 */
#include "proof.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/report.h"

enum { MOST_NAMED = 50 };

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
                sha256_add(hash, manifest->entries.items[k].sha256, SHA256_HEX_SIZE - 1);
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

int proof_compare(struct arena *arena, struct store *store, long long number, const struct manifest *kept,
                  bool redacted, struct error *err)
{
    struct manifest_difference *differences;
    struct manifest found;
    size_t count;

    if (store_manifest(store, arena, number, kept, &found, err) < 0)
        return -1;
    count = manifest_compare(arena, kept, &found, redacted, &differences);
    for (size_t i = 0; i < count && i < MOST_NAMED; i++)
        printf("CHANGED: %s%s%s%s: %s\n", differences[i].path, differences[i].note[0] != '\0' ? " (" : "",
               strncmp(differences[i].path, "table/", 6) == 0 ? "columns" : differences[i].note,
               differences[i].note[0] != '\0' ? ")" : "", differences[i].what);
    if (count > MOST_NAMED)
        printf("CHANGED: and %zu more\n", count - MOST_NAMED);
    return (int)count;
}
