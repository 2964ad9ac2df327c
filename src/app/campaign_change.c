/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/campaign_change.h"

#include <string.h>

#include "assay/app/foreign_run.h"
#include "assay/base/cleanup.h"
#include "assay/base/clock.h"
#include "assay/base/nearest.h"
#include "assay/reasons/any.h"
#include "assay/report/report.h"

/* -- Beginning ----------------------------------------------------------------------------------------------- */

/* Runs behind it are of the acceptance, whatever the clock said when they were made. */
static int note_newest(struct arena *arena, struct store *store, struct acceptance *acceptance,
                       struct error *err)
{
    struct run_summary *runs;
    const char *number;
    size_t count;

    if (store_list_runs(store, arena, 1, &runs, &count, err) < 0)
        return -1;
    number = arena_printf(arena, "%lld", count > 0 ? runs[0].number : 0);
    document_add(arena, &acceptance->documents, CAMPAIGN_NEWEST_DOCUMENT, number, slice_of(number));
    return 0;
}

struct acceptance *campaign_draft(struct arena *arena, struct question *question, const char *name, int argc,
                                  char **argv, struct error *err)
{
    struct acceptance *acceptance = arena_new(arena, struct acceptance);
    struct record documents = {.arena = arena};
    char uuid[UUID_SIZE];

    uuid_create(uuid);
    if (question_make(arena, question, uuid, err) < 0 ||
        campaign_check_suite(question->sources.suite, err) < 0)
        return NULL;
    question_documents(arena, question, argc, argv, &documents);
    *acceptance = (struct acceptance){
        .arena = arena, .uuid = arena_strdup(arena, uuid), .name = name, .made = clock_now()};
    for (size_t i = 0; i < documents.documents.count; i++)
        *list_push(arena, &acceptance->documents) = documents.documents.items[i];
    if (question->baseline != NULL)
        document_add(arena, &acceptance->documents, "baseline option", question->baseline,
                     slice_of(question->baseline));
    return acceptance;
}

int campaign_create(struct store *store, struct acceptance *draft, struct error *err)
{
    return note_newest(draft->arena, store, draft, err) < 0 ? -1 : store_put_acceptance(store, draft, err);
}

/* -- Adding runs --------------------------------------------------------------------------------------------- */

/* Another party's run counts only where somebody here takes it in by name and with a reason, and that is told for ever. */
static int tell_adoption(struct arena *arena, const struct record *record, const char *who, const char *why,
                         struct acceptance_event *ret_event, struct error *err)
{
    const char *origin = run_origin_text(arena, record->origin);
    double now = clock_now();
    char uuid[UUID_SIZE];

    if (who == NULL || *who == '\0' || *why == '\0')
        return error_set(
            err, ERROR_USAGE,
            "run %lld was made by another party (%s); who adopts it, and why? --adopt WHO --note TEXT",
            record->number, origin);
    uuid_create(uuid);
    *ret_event = (struct acceptance_event){
        .uuid = arena_strdup(arena, uuid),
        .kind = EVENT_NOTE,
        .host = arena_printf(arena, "run %lld", record->number),
        .item = "",
        .spare = "",
        .note = arena_printf(arena, "adopted by %s: %s (%s)", who, why, origin),
        .at = now,
        .made = now,
    };
    return 0;
}

/* Its outputs are read again for the acceptance, and a word that was replaced may be the one that tells of a fault. */
static int refuse_redacted(const struct record *record, struct error *err)
{
    if (record->origin == NULL || !record->origin->redacted)
        return 0;
    return error_set(
        err, ERROR_USAGE,
        "run %lld is redacted, so that what tells of a fault may be lost in its outputs: it is not "
        "adopted. Ask whoever made it for a bundle that was exported without --redact",
        record->number);
}

int campaign_add(struct store *store, const struct campaign *campaign, const char *run, const char *who,
                 const char *why, struct error *err)
{
    struct arena *arena = campaign->kept->arena;
    long long number = store_find_run(store, run, err);
    struct record *record = number > 0 ? store_load_lean(store, arena, number, sighting_rests_on, err) : NULL;
    struct acceptance_event adoption;

    if (record == NULL || refuse_redacted(record, err) < 0 || campaign_check_run(campaign, record, err) < 0 ||
        foreign_run_check(arena, record, err) < 0 ||
        (record->origin != NULL && tell_adoption(arena, record, who, why, &adoption, err) < 0))
        return -1;
    return store_add_acceptance_run(store, campaign->kept, number, clock_now(),
                                    record->origin != NULL ? &adoption : NULL, err);
}

/* -- Events -------------------------------------------------------------------------------------------------- */

static bool is_hca(const struct host *host, const struct platform *platform, const char *word)
{
    for (size_t i = 0; i < host->rails.count; i++)
        if (strcmp(host->rails.items[i].hca, word) == 0)
            return true;
    for (size_t i = 0; platform != NULL && i < platform->hcas.count; i++)
        if (strcmp(platform->hcas.items[i], word) == 0)
            return true;
    return false;
}

/* "gpu3" of a platform with four of them and more. */
static bool is_gpu(const struct platform *platform, const char *word)
{
    struct slice rest = slice_of(word);
    uint64_t number;

    return platform != NULL && scan_text(&rest, "gpu") && scan_digits(&rest, &number) && rest.length == 0 &&
           number < platform->gpu_count;
}

static int check_item(const struct campaign *campaign, const struct host *host, const char *item,
                      struct error *err)
{
    const struct platform *platform = host_platform(&campaign->sources, host);

    if (*item == '\0' || is_gpu(platform, item) || is_hca(host, platform, item))
        return 0;
    return error_set(err, ERROR_USAGE,
                     "--item '%s' is neither a GPU (gpu0 to gpu%u) nor an HCA of %s, which is a %s", item,
                     platform != NULL && platform->gpu_count > 0 ? platform->gpu_count - 1 : 0, host->name,
                     platform != NULL ? platform->name : "host of no known platform");
}

static int refuse_host(const struct campaign *campaign, const char *host, struct error *err)
{
    const struct hostfile *hostfile = campaign->sources.hostfile;
    size_t count = hostfile->hosts.count;
    cleanup_free const char **names = mem_alloc((count + 1) * sizeof *names);

    for (size_t i = 0; i < count; i++)
        names[i] = hostfile->hosts.items[i].name;
    return error_set(err, ERROR_USAGE, "'%s' is not a host of acceptance %s%s", host, campaign->kept->name,
                     did_you_mean_host(host, names, count).text);
}

/* A slip here would leave a fail unmended, or mend another: each word must name something. */
static int check_event(const struct campaign *campaign, const struct acceptance_event *event,
                       struct error *err)
{
    struct acceptance *kept = campaign->kept;
    const struct hostfile *effective = hostfile_with_spares(kept->arena, campaign->sources.hostfile,
                                                            kept->events.items, kept->events.count, err);
    const struct host *host = hostfile_find(campaign->sources.hostfile, event->host);

    if (effective == NULL)
        return -1;
    if (host == NULL)
        return refuse_host(campaign, event->host, err);
    if (check_item(campaign, host, event->item, err) < 0)
        return -1;
    if ((event->kind == EVENT_SPARE) != (*event->spare != '\0'))
        return error_set(err, ERROR_USAGE,
                         event->kind == EVENT_SPARE ? "which spare replaces it? --by SPARE"
                                                    : "--by SPARE belongs to the event spare");
    if (event->at > event->made)
        return error_set(err, ERROR_USAGE,
                         "--when lies in the future; an event is recorded when it has happened");
    return event->kind == EVENT_SPARE && hostfile_with_spares(kept->arena, effective, event, 1, err) == NULL
               ? -1
               : 0;
}

int campaign_record(struct store *store, const struct campaign *campaign, const struct hostlist *hosts,
                    const struct acceptance_event *like, const struct acceptance_event **ret_events,
                    struct error *err)
{
    struct arena *arena = campaign->kept->arena;
    size_t count = hosts->names.count;
    struct acceptance_event *events = arena_array(arena, struct acceptance_event, count);

    if (like->kind == EVENT_SPARE && count > 1)
        return error_set(err, ERROR_USAGE, "a spare replaces one host");
    for (size_t i = 0; i < count; i++) {
        char uuid[UUID_SIZE];

        uuid_create(uuid);
        events[i] = *like;
        events[i].uuid = arena_strdup(arena, uuid);
        events[i].host = hosts->names.items[i];
        if (check_event(campaign, &events[i], err) < 0)
            return -1;
    }
    *ret_events = events;
    return store_put_events(store, campaign->kept, events, count, err);
}

/* -- Withdrawing --------------------------------------------------------------------------------------------- */

static struct acceptance_event *find_event(const struct campaign *campaign, const char *uuid,
                                           struct error *err)
{
    const struct acceptance *kept = campaign->kept;
    const char *names = "";

    for (size_t i = 0; i < kept->events.count; i++) {
        struct acceptance_event *event = &kept->events.items[i];

        if (event->kind == EVENT_WITHDRAWAL || event->withdrawn)
            continue;
        if (strcmp(event->uuid, uuid) == 0)
            return event;
        names = arena_printf(kept->arena, "%s\n  %s %s", names, event->uuid,
                             reason_english(kept->arena, event_text(kept->arena, event)));
    }
    error_set(err, ERROR_USAGE, "'%s' is not a valid event of acceptance %s%s%s", uuid, kept->name,
              *names != '\0' ? "; there are:" : ", and there is none", names);
    return NULL;
}

/* Without it the rest must still be possible: its spare may stand for another host by now. */
static int check_rest(const struct campaign *campaign, struct acceptance_event *event, struct error *err)
{
    const struct acceptance *kept = campaign->kept;

    event->withdrawn = true;
    return hostfile_with_spares(kept->arena, campaign->sources.hostfile, kept->events.items,
                                kept->events.count, err) != NULL
               ? 0
               : -1;
}

int campaign_withdraw(struct store *store, const struct campaign *campaign, const char *uuid, const char *why,
                      struct acceptance_event *ret_withdrawal, struct error *err)
{
    struct arena *arena = campaign->kept->arena;
    struct acceptance_event *event = find_event(campaign, uuid, err);
    double now = clock_now();
    char own[UUID_SIZE];

    if (event == NULL || check_rest(campaign, event, err) < 0)
        return -1;
    uuid_create(own);
    *ret_withdrawal = (struct acceptance_event){
        .uuid = arena_strdup(arena, own),
        .kind = EVENT_WITHDRAWAL,
        .host = event->host,
        .item = event->uuid,
        .spare = "",
        .note = reason_encode(arena, reason(arena, noted, event_text(arena, event), why)),
        .at = now,
        .made = now,
    };
    return store_put_event(store, campaign->kept, ret_withdrawal, err);
}
