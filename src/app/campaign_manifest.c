/* SPDX-License-Identifier: Apache-2.0 */
/* The manifest of an acceptance: all that each of its runs consists of, its documents and its events. */
#include <stdio.h>
#include <string.h>

#include "assay/app/campaign.h"
#include "assay/report/report.h"

static const char *run_prefix(struct arena *arena, const char *uuid)
{
    return arena_printf(arena, "run/%s", uuid);
}

const struct manifest *acceptance_manifest_of_run(struct arena *arena, const struct manifest *cited,
                                                  const char *uuid)
{
    const char *prefix = run_prefix(arena, uuid);
    size_t length = strlen(prefix);
    struct manifest *of_run;

    if (cited == NULL)
        return NULL;
    of_run = arena_new(arena, struct manifest);
    manifest_say(arena, of_run, "judgement", manifest_said(cited, prefix));
    list_each (entry, cited->entries)
        if (strncmp(entry->path, prefix, length) == 0 && entry->path[length] == '/')
            manifest_add(arena, of_run, entry->path + length + 1, entry->note, entry->sha256);
    return of_run;
}

static int add_run(struct arena *arena, struct store *store, const struct record *record,
                   const struct manifest *cited, struct manifest *manifest, struct error *err)
{
    const char *prefix = run_prefix(arena, record->uuid);
    struct manifest of_run;

    if (store_manifest(store, arena, record->number, acceptance_manifest_of_run(arena, cited, record->uuid),
                       &of_run, err) < 0)
        return -1;
    manifest_say(arena, manifest, prefix, manifest_said(&of_run, "judgement"));
    list_each (entry, of_run.entries)
        manifest_add(arena, manifest, arena_printf(arena, "%s/%s", prefix, entry->path), entry->note,
                     entry->sha256)
            ->damage = entry->damage;
    return 0;
}

static void add_text(struct arena *arena, struct manifest *manifest, const char *path, const char *note,
                     const char *text)
{
    char sha256[SHA256_HEX_SIZE];

    sha256_hex(text, strlen(text), sha256);
    manifest_add(arena, manifest, path, note, sha256);
}

/* All that an event says, a line each. */
static void add_event(struct arena *arena, const struct acceptance_event *event, struct manifest *manifest)
{
    add_text(arena, manifest, arena_printf(arena, "event/%s", event->uuid),
             reason_english(arena, event_text(arena, event)),
             arena_printf(arena, "%s\n%s\n%s\n%s\n%s\n%.17g\n%.17g\n", event_kind_name(event->kind),
                          event->host, event->item, event->spare, event->note, event->at, event->made));
}

int acceptance_manifest(struct arena *arena, struct store *store, const struct acceptance *kept,
                        const struct manifest *cited, struct manifest *ret_manifest, struct error *err)
{
    *ret_manifest = (struct manifest){0};
    manifest_say(arena, ret_manifest, "acceptance", kept->uuid);
    for (size_t i = 0; i < kept->documents.count; i++) {
        const struct document *document = &kept->documents.items[i];
        char sha256[SHA256_HEX_SIZE];

        sha256_hex(document->bytes.bytes, document->bytes.length, sha256);
        manifest_add(arena, ret_manifest, arena_printf(arena, "document/%zu", i),
                     arena_printf(arena, "%s %s", document->kind, document->name), sha256);
    }
    for (size_t i = 0; i < kept->events.count; i++)
        if (cited == NULL ||
            manifest_find(cited, arena_printf(arena, "event/%s", kept->events.items[i].uuid)) != NULL)
            add_event(arena, &kept->events.items[i], ret_manifest);
    for (size_t i = 0; i < kept->runs.count; i++) {
        const struct record *record = kept->runs.items[i];

        if ((cited == NULL || *manifest_said(cited, run_prefix(arena, record->uuid)) != '\0') &&
            add_run(arena, store, record, cited, ret_manifest, err) < 0)
            return -1;
    }
    return 0;
}

int acceptance_sign(struct store *store, const struct campaign *campaign, const struct acceptance *acceptance,
                    const char *path, const struct text *report, const char *key,
                    struct proof_files *ret_files, struct error *err)
{
    struct arena *arena = acceptance->arena;
    struct manifest manifest;

    if (acceptance_manifest(arena, store, campaign->kept, NULL, &manifest, err) < 0)
        return -1;
    manifest_say(arena, &manifest, "name", acceptance->name);
    manifest_say(arena, &manifest, "verdict",
                 reason_english(arena, acceptance_verdict_text(arena, acceptance)));
    if (acceptance_timescale(acceptance) > 1)
        manifest_say(arena, &manifest, "simulated",
                     reason_english(arena, simulated_sentence(arena, acceptance_timescale(acceptance))));
    manifest_say(arena, &manifest, "as of", time_text(arena, acceptance->now));
    return proof_write_signed(arena, &manifest, path, report, key, ret_files, err);
}
