/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/collection.h"

#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/base/sha256.h"
#include "assay/report/site.h"
#include "assay/store/tar.h"

enum { FILE_BYTES = 1 << 30, LETTER_BYTES = 16 << 20 };

struct packing {
    struct collection *collection;
    struct tar_writer *tar;
    struct text contents;
};

static int add_file(struct packing *packing, const char *name, const struct text *text, struct error *err)
{
    char sha256[SHA256_HEX_SIZE];

    if (text->clipped)
        return error_set(err, ERROR_INTERNAL, "%s is longer than %d bytes", name, FILE_BYTES);
    sha256_hex(text->bytes, text->length, sha256);
    text_printf(&packing->contents, "%s  %zu  %s\n", sha256, text->length, name);
    packing->collection->files++;
    return tar_add(packing->tar, name, (struct slice){text->bytes, text->length}, err);
}

static int add_letter(struct packing *packing, struct error *err)
{
    const struct collection *collection = packing->collection;
    cleanup_text struct text text = {0};

    text_init(&text, LETTER_BYTES);
    report_letter(collection->arena, collection->record, collection->host, collection->language, &text);
    return add_file(packing, "letter.txt", &text, err);
}

/* Of another party's run any word may be the name of a step: one with ".." in it would leave the folder of who unpacks it.
   In an archive a name has at most 100 bytes. */
static const char *file_name(struct packing *packing, const struct record *record,
                             const struct attempt *attempt)
{
    const struct step *step = &record->plan->steps.items[attempt->step];
    struct arena *arena = packing->collection->arena;

    if (record == packing->collection->collected)
        return arena_printf(arena, "now/%.60s.txt", site_name(arena, step->shape->suite_step));
    return arena_printf(arena, "run-%lld/%zu-%.60s.%u.txt", record->number, attempt->step,
                        site_name(arena, step->shape->suite_step), attempt->n);
}

static int add_attempt(struct packing *packing, const struct record *record, struct attempt *attempt,
                       struct error *err)
{
    cleanup_text struct text text = {0};
    cleanup_arena struct arena *arena = arena_create();
    int result = store_load_evidence(packing->collection->store, arena, record, attempt, err);

    if (result == 0) {
        text_init(&text, FILE_BYTES);
        output_heading(record, attempt, &text);
        output_capture(&attempt->captures[0], &text);
        text_put(&text, "# stderr:\n");
        output_capture(&attempt->captures[1], &text);
        result = add_file(packing, file_name(packing, record, attempt), &text, err);
    }
    return result;
}

static int add_attempts(struct packing *packing, struct record *record, struct error *err)
{
    for (size_t i = 0; record != NULL && i < record->attempts.count; i++) {
        struct attempt *attempt = &record->attempts.items[i];

        if (step_has_host_named(&record->plan->steps.items[attempt->step], packing->collection->host->name) &&
            add_attempt(packing, record, attempt, err) < 0)
            return -1;
    }
    return 0;
}

/* What was asked for and is not there, with the reason: who reads the archive must not take it for empty. */
static void tell_missing(struct packing *packing)
{
    struct collection *collection = packing->collection;
    const struct record *collected = collection->collected;

    if (collected == NULL) {
        text_put(&packing->contents,
                 "\nThe host was not asked for this: these are the outputs of the run.\n");
        return;
    }
    /* One word a step: its other gates say the same. */
    for (size_t i = 0, told = (size_t)-1; i < collected->judgement.outcome_count; i++) {
        const struct outcome *outcome = &collected->judgement.outcomes[i];
        const struct shape *shape = collected->plan->steps.items[outcome->step].shape;

        if (outcome->step == told || shape->slots[outcome->slot].duty != DUTY_GATE ||
            outcome->word == OUTCOME_PASS)
            continue;
        told = outcome->step;
        if (collection->missing++ == 0)
            text_put(&packing->contents, "\nNot collected:\n");
        text_printf(&packing->contents, "%s: %s\n", shape->suite_step,
                    reason_said(collection->arena, collection->language, outcome->cause));
    }
}

static int add_all(struct packing *packing, struct error *err)
{
    struct collection *collection = packing->collection;

    if (add_letter(packing, err) < 0 || add_attempts(packing, collection->collected, err) < 0 ||
        add_attempts(packing, collection->record, err) < 0)
        return -1;
    tell_missing(packing);
    return tar_add(packing->tar, "contents.txt",
                   (struct slice){packing->contents.bytes, packing->contents.length}, err);
}

int collection_write(struct collection *collection, const char *path, struct error *err)
{
    struct packing packing = {.collection = collection, .tar = tar_create(path, err)};
    int result;

    if (packing.tar == NULL)
        return -1;
    text_init(&packing.contents, LETTER_BYTES);
    result = add_all(&packing, err);
    text_release(&packing.contents);
    if (result == 0)
        return tar_finish(packing.tar, err);
    tar_abandon(packing.tar);
    return -1;
}
