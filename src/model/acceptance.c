/* SPDX-License-Identifier: Apache-2.0 */
/* The words of acceptance, and the hosts that it is about. */
#include "assay/model/acceptance.h"

#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/reasons/any.h"
#include "assay/reasons/model.h"
#include "assay/reasons/words.h"

static const struct {
    const char *name, *what;                  /* what: as --what names it; NULL: it does not */
    const struct sentence *of_host, *of_part; /* what was done; NULL: it is no work */
} kinds[EVENT_KINDS] = {
    [EVENT_REPAIR] = {"repair", NULL, &sentence_repair_of_host, &sentence_repair_of_part},
    [EVENT_SWAP] = {"swap", "part", &sentence_swap_of_host, &sentence_swap_of_part},
    [EVENT_SPARE] = {"spare", NULL, NULL, NULL},
    [EVENT_NOTE] = {"note", NULL, NULL, NULL},
    [EVENT_WITHDRAWAL] = {"withdrawal", NULL, NULL, NULL},
    [EVENT_SETTINGS] = {"settings", "settings", &sentence_settings_of_host, &sentence_settings_of_part},
    [EVENT_CABLE] = {"cable", "cable", &sentence_recabling_of_host, &sentence_recabling_of_part},
    [EVENT_FIRMWARE] = {"firmware", "firmware", &sentence_firmware_of_host, &sentence_firmware_of_part},
    [EVENT_RESEAT] = {"reseat", "reseat", &sentence_reseating_of_host, &sentence_reseating_of_part},
};
static const char *const states[] = {"passed", "waived", "missing", "to be retested", "failed"};

const char *event_kind_name(enum event_kind kind)
{
    return kinds[kind].name;
}

bool event_kind_parse(const char *word, enum event_kind *ret_kind)
{
    for (unsigned i = 0; i < EVENT_KINDS; i++)
        if (strcmp(kinds[i].name, word) == 0) {
            *ret_kind = (enum event_kind)i;
            return true;
        }
    return false;
}

bool event_what_parse(const char *word, enum event_kind *ret_kind)
{
    for (unsigned i = 0; i < EVENT_KINDS; i++)
        if (kinds[i].what != NULL && strcmp(kinds[i].what, word) == 0) {
            *ret_kind = (enum event_kind)i;
            return true;
        }
    return false;
}

void events_withdraw(struct acceptance_event *events, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        events[i].withdrawn = false;
        for (size_t k = 0; k < count && !events[i].withdrawn; k++)
            events[i].withdrawn =
                events[k].kind == EVENT_WITHDRAWAL && strcmp(events[k].item, events[i].uuid) == 0;
    }
}

static bool is_overtaken(const struct record *record, const struct record *other)
{
    return other->origin == NULL && other->number > record->number && other->started < record->started;
}

double acceptance_timescale(const struct acceptance *acceptance)
{
    double most = plan_timescale(acceptance->plan);

    list_each (run, acceptance->runs)
        most = plan_timescale((*run)->plan) > most ? plan_timescale((*run)->plan) : most;
    return most;
}

bool acceptance_was_ahead(const struct acceptance *acceptance, const struct record *record)
{
    bool ahead = record->started > acceptance->now || record->ended > acceptance->now;

    if (record->origin != NULL)
        return ahead;
    for (size_t i = 0; i < acceptance->runs.count && !ahead; i++)
        ahead = is_overtaken(record, acceptance->runs.items[i]);
    for (size_t i = 0; i < acceptance->left_out.count && !ahead; i++)
        ahead = is_overtaken(record, acceptance->left_out.items[i]);
    return ahead;
}

bool event_is_work(const struct acceptance_event *event)
{
    return !event->withdrawn && kinds[event->kind].of_host != NULL;
}

const char *requirement_state_name(enum requirement_state state)
{
    return states[state];
}

const struct reason *event_note(struct arena *arena, const struct acceptance_event *event)
{
    return event->kind == EVENT_WITHDRAWAL ? reason_decode(arena, event->note)
                                           : reason_text(arena, event->note);
}

static const struct reason *event_done(struct arena *arena, const struct acceptance_event *event)
{
    if (event->kind == EVENT_SPARE)
        return reason(arena, spare_takes_place, event->spare, event->host);
    if (event->kind == EVENT_NOTE)
        return reason(arena, note_on_host, event->host);
    if (event->kind == EVENT_WITHDRAWAL)
        return REASON(event_withdrawn);
    if (*event->item == '\0')
        return reason_make(arena, kinds[event->kind].of_host,
                           (const struct reason_value[]){REASON_VALUE(event->host)}, 1);
    return reason_make(arena, kinds[event->kind].of_part,
                       (const struct reason_value[]){REASON_VALUE(event->item), REASON_VALUE(event->host)},
                       2);
}

const struct reason *event_text(struct arena *arena, const struct acceptance_event *event)
{
    const struct reason *done = event_done(arena, event), *note = event_note(arena, event);

    return note != NULL ? reason(arena, about, done, note) : done;
}

const struct reason *change_text(struct arena *arena, const struct acceptance *acceptance,
                                 const struct change *change)
{
    const struct reason *part = item_at(arena, change->kind, change->position),
                        *was = change->was != NULL ? change->was : REASON(word_none);
    long long before = acceptance->runs.items[change->before]->number,
              since = acceptance->runs.items[change->since]->number;

    if (!item_kind_is_hardware(change->kind))
        return reason(arena, version_changed, part, change->host, was, before, change->is, since);
    if (change->recorded)
        return reason(arena, recorded_swap, part, change->host, was, before, change->is, since);
    return reason(arena, unrecorded_swap, part, change->host, was, before, change->is, since);
}

/* -- Hosts --------------------------------------------------------------------------------------------------- */

static struct host *find_host(struct hostfile *hostfile, const char *name)
{
    for (size_t i = 0; i < hostfile->hosts.count; i++)
        if (strcmp(hostfile->hosts.items[i].name, name) == 0)
            return &hostfile->hosts.items[i];
    return NULL;
}

static int put_spare(struct hostfile *hostfile, const struct acceptance_event *event, struct error *err)
{
    struct host *host = find_host(hostfile, event->host), *spare = find_host(hostfile, event->spare);
    struct host in_place;

    if (host == NULL || host->role == ROLE_SPARE)
        return error_set(err, ERROR_USAGE, "%s is not among the hosts that are to be accepted", event->host);
    if (spare == NULL || spare->role != ROLE_SPARE)
        return error_set(err, ERROR_USAGE, "%s is not a free spare of the hostfile (role=spare)",
                         event->spare);
    in_place = *spare;
    in_place.role = ROLE_COMPUTE;
    in_place.unit = host->unit;
    *host = in_place;
    for (struct host *end = hostfile->hosts.items + --hostfile->hosts.count; spare < end; spare++)
        *spare = spare[1];
    return 0;
}

struct hostfile *hostfile_with_spares(struct arena *arena, const struct hostfile *hostfile,
                                      const struct acceptance_event *events, size_t count, struct error *err)
{
    struct hostfile *copy = arena_new(arena, struct hostfile);

    copy->path = hostfile->path;
    copy->bytes = hostfile->bytes;
    for (size_t i = 0; i < hostfile->hosts.count; i++)
        *list_push(arena, &copy->hosts) = hostfile->hosts.items[i];
    for (size_t i = 0; i < count; i++)
        if (events[i].kind == EVENT_SPARE && !events[i].withdrawn && put_spare(copy, &events[i], err) < 0)
            return NULL;
    return copy;
}

static void put_key(struct text *out, const char *key, const char *value)
{
    if (value != NULL && *value != '\0')
        text_printf(out, " %s=%s", key, value);
}

static void put_count(struct text *out, const char *key, unsigned value)
{
    if (value > 0)
        text_printf(out, " %s=%u", key, value);
}

static void write_host(const struct host *host, struct text *out)
{
    text_put(out, host->name);
    put_key(out, "address", host->address);
    put_key(out, "mpi_address", host->mpi_address);
    put_count(out, "slots", host->slots);
    put_count(out, "port", host->port);
    put_key(out, "user", host->user);
    put_key(out, "identity", host->identity);
    put_key(out, "jump", host->jump);
    put_key(out, "known_hosts", host->known_hosts);
    put_key(out, "platform", host->platform);
    put_key(out, "unit", host->unit);
    put_key(out, "rack", host->rack);
    put_key(out, "leaf", host->leaf);
    put_key(out, "fabric", host->fabric);
    put_key(out, "mounts", host->mounts);
    put_key(out, "object_store", host->object_store);
    put_key(out, "uplinks", host->uplinks);
    put_key(out, "switch_counters", host->switch_counters);
    put_key(out, "probe", host->probe);
    put_key(out, "bmc", host->without_bmc ? "none" : host->bmc);
    if (host->transport != NULL && strcmp(host->transport, "auto") != 0)
        put_key(out, "transport", host->transport);
    if (host->become_root)
        put_key(out, "become", "sudo");
    if (host->role == ROLE_SPARE)
        put_key(out, "role", "spare");
    if (host->timescale > 1 || host->timescale < 1)
        text_printf(out, " timescale=%.17g", host->timescale);
    for (size_t i = 0; i < host->labels.count; i++)
        text_printf(out, " label.%s=%s", host->labels.items[i].key, host->labels.items[i].value);
    for (size_t i = 0; i < host->rails.count; i++)
        text_printf(out, " rail.%s=%s%s%s", host->rails.items[i].hca, host->rails.items[i].switch_name,
                    *host->rails.items[i].port != '\0' ? ":" : "", host->rails.items[i].port);
    list_each (line, host->lines) {
        cleanup_free char *end = host_line_text(line);

        text_printf(out, " line.%s=%s", line->name, end);
    }
    text_put(out, "\n");
}

void hostfile_write(const struct hostfile *hostfile, const struct hostlist *names, struct text *out)
{
    for (size_t i = 0; i < hostfile->hosts.count; i++) {
        bool wanted = names == NULL;

        for (size_t k = 0; !wanted && k < names->names.count; k++)
            wanted = strcmp(names->names.items[k], hostfile->hosts.items[i].name) == 0;
        if (wanted)
            write_host(&hostfile->hosts.items[i], out);
    }
}
