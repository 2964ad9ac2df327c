/* SPDX-License-Identifier: Apache-2.0 */
#include "clients.h"

#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

#include <math.h>
#include <string.h>

#include "launcher.h"
#include "part_file.h"
#include "rules.h"
#include "script.h"
#include "storage.h"

enum {
    HANG_S = 15, /* a mount that has not answered by then does not */
    ASK_S = 45,  /* a login, and what is asked there; ssh itself gives up after 30 */
    LEAD_S = 10, /* from the answers of all to the first second */
    LOGINS_A_SECOND = 10,
    LEAST_S = 6, /* of that where time is scaled, and of the others: a loaded lab is slow */
    HANG_LEAST_S = 20,
    ASK_LEAST_S = 60,
    SCRIPT_BYTES = 32 * 1024,
};
/* A clock that is further off than this does not keep a second that is agreed on. */
#define CLOCK_MOST_S 1.0

double clients_scaled_s(const struct check_context *context, double seconds, double least)
{
    return context->timescale > 1 ? fmax(seconds / context->timescale, least) : seconds;
}

/* What opens takes its time in a lab too. */
static double lead_s(const struct check_context *context, double opening_s)
{
    return opening_s +
           clients_scaled_s(context, LEAD_S + (double)context->member_count / LOGINS_A_SECOND, LEAST_S);
}

double clients_work_s(const struct check_context *context, const struct clients_work *work)
{
    return lead_s(context, work->opening_s) + (double)work->turns * work->slot_s;
}

double clients_all_s(const struct check_context *context, const struct clients_work *work)
{
    return clients_work_s(context, work) + clients_scaled_s(context, ASK_S, ASK_LEAST_S);
}

unsigned clients_expected_s(const struct check_context *context, const struct clients_work *work)
{
    return (unsigned)ceil(clients_all_s(context, work) + ASK_S);
}

static const char *mount_point(const struct check_context *context)
{
    const char *given = check_text(context, "mount");

    return given != NULL ? given : storage_declared(context, 0);
}

const char *clients_folder(const struct check_context *context)
{
    const char *given = check_text(context, "folder");

    return given != NULL ? given : mount_point(context);
}

static bool is_path(const char *path)
{
    return path == NULL || (path[0] == '/' && strpbrk(path, " \t\n\\") == NULL);
}

const char *clients_arguments_fault(const struct check_context *context)
{
    return is_path(check_text(context, "mount")) && is_path(check_text(context, "folder"))
               ? NULL
               : "\"mount\" or \"folder\" does not begin with '/', or has a blank";
}

int clients_host_valid(const struct check_context *context, const char *hostfile, struct error *err)
{
    const struct host *host = context->members[0];

    if (mount_point(context) != NULL)
        return 0;
    return error_set(
        err, ERROR_USAGE,
        "%s:%u:%u: host '%s' declares no mounts, and step '%s' names none; expected mounts=/data "
        "on its line or on a defaults line, or \"mount\" in the step's arguments",
        hostfile, host->line, host->column, host->name, context->step->name);
}

/* --- the command --- */

/* A file of the head's with a script for each host. It runs in a function that has no stdin, for the script comes by that. Where
   answers come behind it they are its descriptor 3, and it ends all, for nothing else does. */
static void put_script(const struct check_context *context, const char *name, const char *settings,
                       const char *script, bool answered, struct text *out)
{
    text_printf(out, "cat >\"$ASSAY_DIR/%s\" <<'END-OF-%s'\n", name, name);
    text_put(out, script_lab_root);
    text_put(out, "main() {\n");
    put_environment(context, out);
    text_put(out, settings);
    text_put(out, script);
    text_printf(out, "}\nmain \"$1\" %s\nEND-OF-%s\n", answered ? "3<&0 </dev/null; exit" : "</dev/null",
                name);
}

/* What scripts of a mount's clients are told. */
static void set_mount(const struct check_context *context, const struct clients_work *work, struct text *out)
{
    script_set(out, "mount", mount_point(context));
    script_set(out, "folder", clients_folder(context));
    script_set_number(out, "bytes", work->bytes, 0);
    script_set_number(out, "files", work->files, 0);
    script_set_number(out, "clients", (double)context->member_count, 0);
    script_set_number(out, "hang_s", ceil(clients_scaled_s(context, HANG_S, HANG_LEAST_S)), 0);
}

void clients_put(const struct check_context *context, const struct clients_work *work, struct text *out)
{
    const bool mounted = work->ask == NULL;
    cleanup_text struct text settings = {0};

    text_init(&settings, SCRIPT_BYTES);
    script_begin(out, work->title);
    if (mounted)
        set_mount(context, work, &settings);
    else
        text_put(&settings, work->settings);
    put_script(context, "ask", settings.bytes, mounted ? script_storage_ask : work->ask, false, out);
    if (mounted)
        text_printf(&settings, "slot_s=%.3f\n%s", work->slot_s, work->settings);
    put_script(context, "work", settings.bytes, work->script, !mounted, out);
    launcher_put_log_in(context, clients_all_s(context, work), out);
    script_set(out, "folder", mounted ? clients_folder(context) : "");
    script_set(out, "answers", mounted ? "" : "yes");
    script_set_number(out, "lead_s", ceil(lead_s(context, work->opening_s)), 0);
    script_set_number(out, "ask_s", ceil(clients_scaled_s(context, ASK_S, ASK_LEAST_S)), 0);
    script_set_number(out, "clock_s", CLOCK_MOST_S, 1);
    text_put(out, script_clients);
}

/* --- what is owed --- */

static const struct limit works_rules[] =
    RULES_EQUAL("client.works", "yes", "assay: every host can write where its users do");
static const struct limit clock_rules[] =
    RULES(.metric = "client.clock", .rule = RULE_CEILING, .value = CLOCK_MOST_S, .unit = "s",
          .status = LIMIT_TOOL, .source = "assay: hosts begin by their clocks");

void clients_slots(const struct check_context *context, struct slot_list *slots, double late_s)
{
    const struct limit *late_rules =
        rules_new(context, LIMITS RULES(.metric = "client.late", .rule = RULE_CEILING, .value = late_s,
                                        .unit = "s", .status = LIMIT_TOOL,
                                        .source = "assay: at the same time", .inconclusive = true));

    for (size_t i = 0; i < context->member_count; i++) {
        const char *name = context->members[i]->name;

        slot_add(context, slots, "client.works", name, NULL, DUTY_GATE, works_rules);
        slot_add(context, slots, "client.clock", name, NULL, DUTY_GATE, clock_rules);
        slot_add(context, slots, "client.late", name, NULL, DUTY_GATE, late_rules);
        slot_add(context, slots, "client.mount", name, NULL, DUTY_RECORD, NULL);
    }
}

/* --- what the hosts said --- */

double clients_number(const char *words, size_t i)
{
    struct slice rest = slice_of(words), word;
    double value;

    do
        if (!scan_word(&rest, &word))
            return NAN;
    while (i-- > 0);
    return scan_double(word, &value) ? value : NAN;
}

bool clients_init(struct clients *clients, const struct check_context *context, const struct attempt *attempt,
                  struct reading *out)
{
    const struct part *part = attempt_part(attempt, "clients");

    *clients = (struct clients){.context = context, .out = out, .begin = NAN, .count = context->member_count};
    if (part == NULL || !part->ended) {
        reading_set(out, READING_PARTIAL, REASON(command_not_ended));
        return false;
    }
    reading_set(out, part->reading.status, part->reading.reason);
    clients->list = arena_array(out->arena, struct client, clients->count);
    for (size_t i = 0; i < clients->count; i++)
        clients->list[i] = (struct client){.name = context->members[i]->name,
                                           .sent = NAN,
                                           .least = -INFINITY,
                                           .most = INFINITY,
                                           .late = NAN,
                                           .sees = NAN};
    return out->status == READING_COMPLETE;
}

static bool find_member(const struct clients *clients, const char *name, size_t *ret_member)
{
    for (*ret_member = 0; *ret_member < clients->count; (*ret_member)++)
        if (strcmp(clients->list[*ret_member].name, name) == 0)
            return true;
    return false;
}

/* Bounds of how far its clock is ahead: it read it after it was asked, and before its word came. */
static void take_clock(struct client *client, const char *value)
{
    double own = clients_number(value, 0), came = clients_number(value, 1);

    client->least = fmax(client->least, own - came);
    client->most = fmin(client->most, own - client->sent);
}

double clients_moment(const struct clients *clients, size_t member, double own)
{
    return own - clients->list[member].least;
}

double clients_take_begun(struct clients *clients, size_t member, const char *value)
{
    double late = clients_moment(clients, member, clients_number(value, 1)) -
                  (clients->begin + clients_number(value, 0));
    struct client *client = &clients->list[member];

    if (!isnan(late) && (isnan(client->late) || fabs(late) > fabs(client->late)))
        client->late = late;
    return late;
}

/* From all words that got the first host's clock, before any of them is looked at: the fastest one counts. */
static void compare_clocks(struct clients *clients, const struct reading *rows)
{
    size_t member;

    list_each (fact, rows->facts) {
        double own, came;

        if (strncmp(fact->name, "client.begun.", strlen("client.begun.")) != 0 ||
            !find_member(clients, fact->subject, &member))
            continue;
        own = clients_number(fact->value, 1);
        came = clients_number(fact->value, 2);
        clients->list[member].least = fmax(clients->list[member].least, own - came);
    }
}

static bool take_common(struct clients *clients, struct client *client, const struct fact *fact)
{
    if (strcmp(fact->name, "client.asked") == 0)
        client->sent = clients_number(fact->value, 0);
    else if (strcmp(fact->name, "client.login") == 0)
        client->logged_in = true;
    else if (strcmp(fact->name, "client.clock") == 0)
        take_clock(client, fact->value);
    else if (strcmp(fact->name, "client.works") == 0)
        client->works = fact->said != NULL ? fact->said : reason_text(clients->out->arena, fact->value);
    else if (strcmp(fact->name, "client.silent") == 0)
        client->silent = fact->value;
    else if (strcmp(fact->name, "client.sees") == 0)
        client->sees = clients_number(fact->value, 0);
    else if (strcmp(fact->name, "client.mount") == 0)
        client->mount = fact->value;
    else if (strcmp(fact->name, "client.place") == 0) {
        client->placed = true;
        clients->placed++;
    } else
        return false;
    return true;
}

void clients_read_rows(struct clients *clients, const struct attempt *attempt,
                       void (*take_fact)(void *state, size_t member, const struct fact *fact),
                       void (*take_finding)(void *state, size_t member, const struct finding *finding),
                       void *state)
{
    const struct reading *rows = &attempt_part(attempt, "clients")->reading;
    size_t member;

    compare_clocks(clients, rows);
    list_each (fact, rows->facts) {
        if (strcmp(fact->name, "clients.begin") == 0)
            clients->begin = clients_number(fact->value, 0);
        if (find_member(clients, fact->subject, &member) &&
            !take_common(clients, &clients->list[member], fact))
            take_fact(state, member, fact);
    }
    list_each (finding, rows->findings) {
        if (!find_member(clients, finding->subject, &member))
            continue;
        if (strcmp(finding->code, "client.works.unread") == 0)
            clients->list[member].unread = finding->what;
        else
            take_finding(state, member, finding);
    }
}

/* --- who works --- */

/* Of how many files most of them know. */
static double commonly_seen(const struct clients *clients)
{
    double common = 0;
    size_t most = 0;

    for (size_t i = 0; i < clients->count; i++) {
        size_t alike = 0;

        for (size_t k = 0; k < clients->count; k++)
            alike += clients->list[k].sees == clients->list[i].sees;
        if (alike > most) {
            most = alike;
            common = clients->list[i].sees;
        }
    }
    return common;
}

/* Where most see too few, somebody came too late, and nobody knows more. */
static void judge_sight(const struct clients *clients, struct client *client, double common)
{
    const struct reason *sees;

    if (isnan(client->sees) || client->sees >= (double)clients->placed || client->works == NULL)
        return;
    sees = reason(clients->out->arena, sees_files_of_hosts, client->sees, clients->placed);
    if (client->sees < common) {
        client->works = sees;
    } else {
        client->works = NULL;
        client->unread = sees;
    }
}

/* A login that is refused says nothing of the storage; a mount that hangs does so once somebody has logged in. */
static void judge_silence(const struct clients *clients, struct client *client)
{
    struct slice said = slice_of(client->silent != NULL ? client->silent : "");
    uint64_t status;

    if (client->works != NULL || client->unread != NULL)
        return;
    if (client->logged_in)
        client->works = REASON(no_answer_in_time);
    else if (scan_digits(&said, &status) && slice_trim(said).length > 0)
        client->unread = reason(clients->out->arena, text, slice_trim(said));
    else
        client->unread = REASON(no_answer_in_time);
}

static void tell_client(const struct clients *clients, const struct client *client)
{
    double off = client->least > 0 ? client->least : client->most < 0 ? client->most : 0;
    const struct reason *works = client->fault != NULL ? client->fault : client->works;

    if (works != NULL)
        reading_fact_said(clients->out, "client.works", client->name, works);
    else
        reading_unread(clients->out, "client.works", client->name, client->unread);
    if (client->mount != NULL)
        reading_fact(clients->out, "client.mount", client->name, slice_of(client->mount));
    if (isfinite(client->least))
        reading_measure(clients->out, "client.clock", client->name, fabs(off), "s");
    if (!isnan(client->late))
        reading_measure(clients->out, "client.late", client->name, fabs(client->late), "s");
}

void clients_tell(struct clients *clients)
{
    double common = commonly_seen(clients);

    for (size_t i = 0; i < clients->count; i++) {
        judge_silence(clients, &clients->list[i]);
        judge_sight(clients, &clients->list[i], common);
        tell_client(clients, &clients->list[i]);
    }
}
