/* SPDX-License-Identifier: Apache-2.0 */
/* write_runs DATABASE KIND...: runs of the same 8 hosts, an hour apart, as a cluster that is looked at again and again
   leaves them: clean, faulty, undecided, stopped, part, which is clean and of two hosts only, or running, which goes on until
   standard input is closed, and in which whoever could chose hostile words; hostile: of two hosts, with the same words. */
#include <stdio.h>
#include <string.h>

#include "../report/sample_record.h"
#include "assay/store/store.h"

static const char hostfile[] = "node[1-8] platform=hgx-h100\nspare1 platform=hgx-h100 role=spare\n";

static const char suite[] =
    "{\"name\": \"words\", \"purpose\": \"trial\", \"steps\": [{\"check\": \"reachable\"}]}";

/* What is read again of a run that goes on. */
static void add_sources(struct arena *arena, struct record *record)
{
    document_add(arena, &record->documents, "hostfile", "hostile.hosts", slice_of(hostfile));
    document_add(arena, &record->documents, "suite", "hostile", slice_of(suite));
}

static void give_documents(struct record *record)
{
    for (size_t i = 0; i < record->documents.count; i++) {
        struct document *document = &record->documents.items[i];

        if (strcmp(document->kind, "hostfile") == 0)
            document->bytes = slice_of(hostfile);
        sha256_hex(document->bytes.bytes, document->bytes.length, document->sha256);
    }
}

static const char *new_uuid(struct arena *arena)
{
    char uuid[UUID_SIZE];

    uuid_create(uuid);
    return arena_strdup(arena, uuid);
}

static void decide_nothing(struct judgement *judgement)
{
    for (size_t i = 0; i < judgement->outcome_count; i++)
        if (judgement->outcomes[i].word != OUTCOME_RECORDED)
            judgement->outcomes[i].word = OUTCOME_NOT_RUN;
    for (size_t i = 0; i < judgement->verdict_count; i++)
        judgement->verdicts[i].word = VERDICT_INCOMPLETE;
}

static struct record *make(struct arena *arena, const char *kind, unsigned number)
{
    bool faulty = strcmp(kind, "faulty") == 0,
         few = strcmp(kind, "part") == 0 || strcmp(kind, "hostile") == 0,
         hostile = strcmp(kind, "running") == 0 || strcmp(kind, "hostile") == 0;
    struct record *record = sample_record(
        arena, &(struct sample){.hosts = few ? 2 : 8, .units = 1, .faults = faulty, .hostile = hostile});

    record->uuid = record->plan->run_uuid = new_uuid(arena);
    record->judgement.uuid = new_uuid(arena);
    record->started += 3600.0 * number;
    record->ended += 3600.0 * number;
    record->attempts.count = 0;
    record->waivers.count = 0;
    give_documents(record);
    if (hostile)
        add_sources(arena, record);
    if (strcmp(kind, "undecided") == 0)
        decide_nothing(&record->judgement);
    return record;
}

static int keep(struct store *store, struct record *record, const char *kind, struct error *err)
{
    bool stopped = strcmp(kind, "stopped") == 0;
    double ended = record->ended;

    if (strcmp(kind, "running") == 0) {
        if (store_begin_run(store, record, err) < 0)
            return -1;
        puts("running");
        fflush(stdout);
        while (getchar() != EOF)
            ;
        return 0;
    }
    if (store_begin_run(store, record, err) < 0 || (!stopped && store_put_judgement(store, record, err) < 0))
        return -1;
    return store_end_run(store, record, stopped ? RUN_CANCELLED : RUN_ENDED, ended, err);
}

int main(int argc, char **argv)
{
    struct arena *arena = arena_create();
    struct error err = {0};
    struct store *store = argc > 2 ? store_open(argv[1], false, &err) : NULL;
    int result = store != NULL ? 0 : -1;

    for (int i = 2; result == 0 && i < argc; i++)
        result = keep(store, make(arena, argv[i], (unsigned)i), argv[i], &err);
    if (result < 0)
        fprintf(stderr, "write_runs DATABASE KIND...: %s\n", err.text);
    store_close(store);
    arena_destroy(arena);
    return result < 0 ? 64 : 0;
}
