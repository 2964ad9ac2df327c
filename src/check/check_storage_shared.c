/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a mount is one file system for all hosts: what one writes the others read, a new file and a line appended to it are there
 * within a second, a lock keeps all others out, and the mount has the same options everywhere. sh/storage_shared.sh has the turns;
 * twice one host leads, the first and then the last, so that who is wrong is told from who leads.
 *
 *   shared.data        of each member: "same", or whose data is something else there
 *   shared.file, shared.line   s, of each member: from when the leader made the file, or appended the line, to when this host found
 *                      it, both by the first host's clock, in the worse round. A look takes its time: what is told is at least so
 *                      long where it is too long, and at most where it is not; what may be either is undecided
 *   shared.lock        of each member: "exclusive", or how it was not
 *   shared.mount       of each member: "as on the others", or which of its type and options are not
 *
 * Of data: where all others read something else than what a host says that it wrote, that host is wrong, else who reads it. Of
 * locks: a round in which most got the lock that was held speaks against its holder; else those who got it are wrong.
 */
#include <math.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

#include "clients.h"
#include "launcher.h"
#include "rules.h"
#include "script.h"

enum {
    TURNS = 9, /* a lock, a file and a line, twice; writing, reading, the end */
    ROUNDS = 2,
    SUMS_OF_ROW = 32, /* as the script prints them */
    SLOT_S = 10,
    LATE_S = 5,
};
#define SLOT_LEAST_S 4.0
#define VISIBLE_S 1.0

static const char *const kinds[] = {"file", "line"};
enum { KINDS = 2 };

static double slot_s(const struct check_context *context)
{
    return clients_scaled_s(context, SLOT_S, SLOT_LEAST_S);
}

/* Whole MiB, as the script writes it. */
static void command(const struct check_context *context, struct text *out)
{
    clients_put(
        context,
        &(const struct clients_work){
            .title = arena_printf(context->arena, "flock, new files and checksums between hosts in %s",
                                  clients_folder(context)),
            .bytes = check_number(context, "size"),
            .files = 8,
            .slot_s = slot_s(context),
            .turns = TURNS,
            .settings = "",
            .script = script_storage_shared,
        },
        out);
}

/* --- what the hosts said --- */

enum lock { LOCK_UNTOLD, LOCK_GOT, LOCK_REFUSED, LOCK_HELD, LOCK_FAILED };

struct mate {
    enum lock locks[ROUNDS];
    const char *lock_said;            /* of LOCK_FAILED */
    const struct reason *lock_unread; /* why there is none; NULL */
    struct span {
        double from, to; /* by the first host's clock; 0: not told */
    } made[KINDS][ROUNDS],
        seen[KINDS][ROUNDS]; /* before and after; last looked for in vain, and found (INFINITY: never) */
    struct span lock_times[ROUNDS]; /* it was held, or asked for */
    const char *wrote;              /* a sum; NULL */
    double wrote_at, *read_from; /* when it had written, when it began to read, by the first host's clock */
    const char **read;           /* of each member's data, by place; NULL: not told */
};

struct shared {
    struct clients clients;
    struct mate *mates;
};

/* "file.2" -> its numbers. */
static bool read_kind(struct slice name, size_t *ret_kind, size_t *ret_round)
{
    uint64_t round;

    for (*ret_kind = 0; *ret_kind < KINDS; (*ret_kind)++) {
        struct slice rest = name;

        if (!scan_text(&rest, kinds[*ret_kind]) || !scan_text(&rest, ".") || !scan_u64(rest, &round) ||
            round < 1 || round > ROUNDS)
            continue;
        *ret_round = (size_t)round - 1;
        return true;
    }
    return false;
}

static bool read_round(struct slice rest, size_t *ret_round)
{
    uint64_t round;

    if (!scan_u64(rest, &round) || round < 1 || round > ROUNDS)
        return false;
    *ret_round = (size_t)round - 1;
    return true;
}

/* "FROM [TO]" by the member's own clock. */
static struct span take_span(const struct shared *shared, size_t member, const char *value)
{
    double to = clients_number(value, 1);

    return (struct span){clients_moment(&shared->clients, member, clients_number(value, 0)),
                         isnan(to) ? INFINITY : clients_moment(&shared->clients, member, to)};
}

/* "held FROM TO" */
static void take_lock(const struct shared *shared, size_t member, size_t round, const char *value)
{
    static const char *const words[] = {
        [LOCK_GOT] = "got ", [LOCK_REFUSED] = "refused ", [LOCK_HELD] = "held "};
    struct mate *mate = &shared->mates[member];

    for (enum lock lock = LOCK_GOT; lock <= LOCK_HELD; lock++) {
        struct slice rest = slice_of(value);

        if (!scan_text(&rest, words[lock]))
            continue;
        mate->locks[round] = lock;
        mate->lock_times[round] = take_span(shared, member, rest.bytes);
        return;
    }
    mate->locks[round] = LOCK_FAILED;
    mate->lock_said = value;
}

/* A row has the sums of several places. */
static void take_sums(const struct shared *shared, size_t member, struct slice place, const char *value)
{
    double from = clients_moment(&shared->clients, member, clients_number(value, 0));
    struct mate *mate = &shared->mates[member];
    struct slice rest = slice_of(value), word;
    uint64_t at;

    if (!scan_u64(place, &at))
        return;
    scan_word(&rest, &word);
    for (size_t i = 0; i < SUMS_OF_ROW && at + i < shared->clients.count && scan_word(&rest, &word); i++) {
        mate->read[at + i] = arena_strndup(shared->clients.out->arena, word.bytes, word.length);
        mate->read_from[at + i] = from;
    }
}

/* "SUM WHEN" */
static void take_wrote(const struct shared *shared, size_t member, const char *value)
{
    struct slice rest = slice_of(value), word;

    if (!scan_word(&rest, &word))
        return;
    shared->mates[member].wrote = arena_strndup(shared->clients.out->arena, word.bytes, word.length);
    shared->mates[member].wrote_at = clients_moment(&shared->clients, member, clients_number(value, 1));
}

static void take_fact(void *state, size_t member, const struct fact *fact)
{
    struct shared *shared = state;
    struct mate *mate = &shared->mates[member];
    struct slice name = slice_of(fact->name);
    size_t kind, round;

    if (scan_text(&name, "client.begun."))
        clients_take_begun(&shared->clients, member, fact->value);
    else if (scan_text(&name, "shared.lock.") && read_round(name, &round))
        take_lock(shared, member, round, fact->value);
    else if (scan_text(&name, "shared.made.") && read_kind(name, &kind, &round))
        mate->made[kind][round] = take_span(shared, member, fact->value);
    else if (scan_text(&name, "shared.seen.") && read_kind(name, &kind, &round))
        mate->seen[kind][round] = take_span(shared, member, fact->value);
    else if (scan_text(&name, "shared.unseen.") && read_kind(name, &kind, &round))
        mate->seen[kind][round] = take_span(shared, member, fact->value);
    else if (strcmp(fact->name, "shared.wrote") == 0)
        take_wrote(shared, member, fact->value);
    else if (scan_text(&name, "shared.read."))
        take_sums(shared, member, name, fact->value);
}

static void take_finding(void *state, size_t member, const struct finding *finding)
{
    struct shared *shared = state;
    struct slice code = slice_of(finding->code);

    if (scan_text(&code, "shared.lock."))
        shared->mates[member].lock_unread = finding->what;
}

/* The member that has the place; SIZE_MAX: nobody. */
static size_t member_at(const struct shared *shared, size_t place)
{
    for (size_t i = 0; i < shared->clients.count; i++)
        if (shared->clients.list[i].placed && place-- == 0)
            return i;
    return SIZE_MAX;
}

static size_t leader_of(const struct shared *shared, size_t round)
{
    return member_at(shared, round == 0 ? 0 : shared->clients.placed - 1);
}

/* A host that took no part has nothing to say, and why is said of it already. */
static const struct reason *why_untold(const struct shared *shared, size_t member)
{
    if (shared->clients.placed < 2)
        return reason(shared->clients.out->arena, only_so_many_work, shared->clients.placed,
                      shared->clients.count);
    return shared->clients.list[member].placed ? REASON(no_result_of_client) : REASON(client_takes_no_part);
}

/* --- data --- */

/* Whether the reader has what the writer, who has that place, wrote; *ret_told: whether both said, and it was there to be read
   by then. */
static bool reads_same(const struct shared *shared, size_t reader, size_t place, bool *ret_told)
{
    const char *read = shared->mates[reader].read[place];
    const struct mate *writer = &shared->mates[member_at(shared, place)];

    *ret_told = read != NULL && strcmp(read, "-") != 0 && writer->wrote != NULL &&
                shared->mates[reader].read_from[place] >= writer->wrote_at;
    return *ret_told && strcmp(read, writer->wrote) == 0;
}

/* All others read something else, and there are others enough to say so. */
static bool wrote_wrong(const struct shared *shared, size_t place)
{
    size_t others = 0, wrong = 0;
    bool told;

    for (size_t i = 0; i < shared->clients.placed; i++) {
        size_t reader = member_at(shared, i);

        if (i == place)
            continue;
        wrong += !reads_same(shared, reader, place, &told) && told;
        others++;
    }
    return others > 1 && wrong == others;
}

static void tell_data(const struct shared *shared, size_t member)
{
    struct reading *out = shared->clients.out;
    const struct client *client = &shared->clients.list[member];
    const struct reason *wrong = NULL;
    bool all = client->placed && shared->clients.placed > 1, told;

    for (size_t place = 0; all && place < shared->clients.placed; place++) {
        size_t writer = member_at(shared, place);
        bool same = reads_same(shared, member, place, &told);

        all = told;
        if (writer == member && wrote_wrong(shared, place))
            wrong = REASON(shared_others_read_other_data);
        else if (told && !same && wrong == NULL && !wrote_wrong(shared, place))
            wrong = reason(out->arena, shared_reads_other_data_of, shared->clients.list[writer].name);
    }
    if (wrong != NULL)
        reading_fact_said(out, "shared.data", client->name, wrong);
    else if (all)
        reading_fact(out, "shared.data", client->name, slice_of("same"));
    else
        reading_unread(shared->clients.out, "shared.data", client->name, why_untold(shared, member));
}

/* --- what is found --- */

/* At least and at most so long after the leader had made it the member found it; false where one of them did not say. */
static bool took_in_round(const struct shared *shared, size_t member, size_t kind, size_t round,
                          double *ret_least, double *ret_most)
{
    const struct span *made = &shared->mates[leader_of(shared, round)].made[kind][round];
    const struct span *seen = &shared->mates[member].seen[kind][round];

    *ret_least = fmax(seen->from - made->to, 0);
    *ret_most = fmax(seen->to - made->from, 0);
    return made->to > 0 && seen->to > 0;
}

/* What is surely too long, or surely not, is told; what neither is is not. */
static void tell_kind(const struct shared *shared, size_t member, size_t kind)
{
    struct reading *out = shared->clients.out;
    const char *metric = arena_printf(out->arena, "shared.%s", kinds[kind]);
    const char *name = shared->clients.list[member].name;
    double least = 0, most = 0, from, to;
    bool told = shared->clients.list[member].placed && shared->clients.placed > 1;

    for (size_t round = 0; told && round < ROUNDS; round++) {
        if (leader_of(shared, round) == member)
            continue;
        told = took_in_round(shared, member, kind, round, &from, &to);
        least = fmax(least, from);
        most = fmax(most, to);
    }
    if (!told)
        reading_unread(shared->clients.out, metric, name, why_untold(shared, member));
    else if (least > VISIBLE_S || most <= VISIBLE_S)
        reading_measure(out, metric, name, most <= VISIBLE_S ? most : least, "s");
    else
        reading_unread(shared->clients.out, metric, name,
                       reason(out->arena, found_between, arena_printf(out->arena, "%.1f", least),
                              arena_printf(out->arena, "%.1f", most)));
}

/* --- locks --- */

/* It was asked for while the leader held it. */
static bool asked_in_time(const struct shared *shared, size_t member, size_t round)
{
    const struct mate *leader = &shared->mates[leader_of(shared, round)], *mate = &shared->mates[member];

    return leader->locks[round] == LOCK_HELD &&
           (mate->locks[round] == LOCK_GOT || mate->locks[round] == LOCK_REFUSED) &&
           mate->lock_times[round].from >= leader->lock_times[round].from &&
           mate->lock_times[round].to <= leader->lock_times[round].to;
}

static bool most_got(const struct shared *shared, size_t round)
{
    size_t got = 0, asked = 0;

    for (size_t i = 0; i < shared->clients.count; i++) {
        bool in_time = asked_in_time(shared, i, round);

        got += in_time && shared->mates[i].locks[round] == LOCK_GOT;
        asked += in_time;
    }
    return asked > 0 && got * 2 > asked;
}

/* What the round says against the member; NULL: nothing. */
static const struct reason *lock_fault(const struct shared *shared, size_t member, size_t round)
{
    const struct mate *mate = &shared->mates[member];
    size_t leader = leader_of(shared, round);
    bool all_rounds = most_got(shared, 0) && most_got(shared, 1);

    if (mate->locks[round] == LOCK_FAILED)
        return reason_text(shared->clients.out->arena, mate->lock_said);
    if (member == leader)
        return most_got(shared, round) ? REASON(shared_lock_kept_nobody_out) : NULL;
    if (mate->locks[round] == LOCK_GOT && asked_in_time(shared, member, round) &&
        (!most_got(shared, round) || all_rounds))
        return reason(shared->clients.out->arena, shared_lock_got_too, shared->clients.list[leader].name);
    return NULL;
}

static bool lock_told(const struct shared *shared, size_t member, size_t round)
{
    return member == leader_of(shared, round) ? shared->mates[member].locks[round] == LOCK_HELD
                                              : asked_in_time(shared, member, round);
}

static void tell_lock(const struct shared *shared, size_t member)
{
    const char *name = shared->clients.list[member].name;
    const struct reason *fault = NULL;
    bool told = shared->clients.list[member].placed && shared->clients.placed > 1;

    for (size_t round = 0; round < ROUNDS && shared->clients.placed > 1; round++) {
        if (fault == NULL)
            fault = lock_fault(shared, member, round);
        told = told && lock_told(shared, member, round);
    }
    if (fault != NULL)
        reading_fact_said(shared->clients.out, "shared.lock", name, fault);
    else if (told)
        reading_fact(shared->clients.out, "shared.lock", name, slice_of("exclusive"));
    else
        reading_unread(shared->clients.out, "shared.lock", name,
                       shared->mates[member].lock_unread != NULL ? shared->mates[member].lock_unread
                                                                 : why_untold(shared, member));
}

/* --- the mount --- */

/* The options that are a host's own, or say where it went. */
static bool is_own(struct slice option)
{
    static const char *const own[] = {
        "clientaddr=", "addr=", "mountaddr=", "port=", "mountport=", "fd=", "inode64"};

    for (size_t i = 0; i < ARRAY_SIZE(own); i++)
        if (slice_starts(option, own[i]))
            return true;
    return false;
}

/* "nfs4 rw vers=4.2 proto=tcp nconnect=16" of findmnt's "TARGET SOURCE TYPE OPTIONS"; NULL: it is no such row. */
static const char *options_of(struct arena *arena, const char *mount)
{
    struct slice rest = slice_of(mount != NULL ? mount : ""), target, source, type, options;
    const char *text;

    if (!scan_word(&rest, &target) || !scan_word(&rest, &source) || !scan_word(&rest, &type) ||
        !scan_word(&rest, &options))
        return NULL;
    text = arena_strndup(arena, type.bytes, type.length);
    while (options.length > 0) {
        size_t comma = slice_find(options, ",");
        struct slice option = {options.bytes, comma != (size_t)-1 ? comma : options.length};

        if (!is_own(option))
            text = arena_printf(arena, "%s %.*s", text, slice_print(option));
        options = slice_from(options, option.length + (comma != (size_t)-1));
    }
    return text;
}

static bool has_word(const char *words, struct slice word)
{
    struct slice rest = slice_of(words), next;

    while (scan_word(&rest, &next))
        if (next.length == word.length && memcmp(next.bytes, word.bytes, word.length) == 0)
            return true;
    return false;
}

/* The words of the one that the other has not; "nothing of it" is said by whoever shows it. */
static const char *words_without(struct arena *arena, const char *words, const char *others)
{
    struct slice rest = slice_of(words), word;
    const char *text = "";

    while (scan_word(&rest, &word))
        if (!has_word(others, word))
            text = arena_printf(arena, "%s%s%.*s", text, *text != '\0' ? " " : "", slice_print(word));
    return *text != '\0' ? text : "-";
}

/* What most have; of two as often the first one's. */
static const char *common_options(const struct shared *shared, const char *const *options)
{
    const char *common = NULL;
    size_t most = 0;

    for (size_t i = 0; i < shared->clients.count; i++) {
        size_t alike = 0;

        for (size_t k = 0; options[i] != NULL && k < shared->clients.count; k++)
            alike += options[k] != NULL && strcmp(options[k], options[i]) == 0;
        if (alike > most) {
            most = alike;
            common = options[i];
        }
    }
    return common;
}

static void tell_mounts(const struct shared *shared)
{
    struct reading *out = shared->clients.out;
    const char **options = arena_array(out->arena, const char *, shared->clients.count), *common;

    for (size_t i = 0; i < shared->clients.count; i++)
        options[i] = options_of(out->arena, shared->clients.list[i].mount);
    common = common_options(shared, options);
    for (size_t i = 0; i < shared->clients.count; i++) {
        const char *name = shared->clients.list[i].name;

        if (options[i] == NULL)
            reading_unread(shared->clients.out, "shared.mount", name, REASON(client_takes_no_part));
        else if (strcmp(options[i], common) == 0)
            reading_fact_said(out, "shared.mount", name, REASON(as_on_the_others));
        else
            reading_fact_said(out, "shared.mount", name,
                              reason(out->arena, while_most_hosts_have,
                                     words_without(out->arena, options[i], common),
                                     words_without(out->arena, common, options[i])));
    }
}

static void read_shared(const struct check_context *context, const struct attempt *attempt,
                        struct reading *out)
{
    struct shared shared = {0};

    if (!clients_init(&shared.clients, context, attempt, out))
        return;
    shared.mates = arena_array(out->arena, struct mate, shared.clients.count);
    for (size_t i = 0; i < shared.clients.count; i++) {
        shared.mates[i].read = arena_array(out->arena, const char *, shared.clients.count);
        shared.mates[i].read_from = arena_array(out->arena, double, shared.clients.count);
    }
    clients_read_rows(&shared.clients, attempt, take_fact, take_finding, &shared);
    clients_tell(&shared.clients);
    tell_mounts(&shared);
    for (size_t i = 0; i < shared.clients.count; i++) {
        tell_data(&shared, i);
        tell_lock(&shared, i);
        for (size_t kind = 0; kind < KINDS; kind++)
            tell_kind(&shared, i, kind);
    }
}

/* --- what is owed --- */

#define VISIBLE "NVIDIA/ai-cloud-validation: visible on other nodes within a second"

static const struct limit data_rules[] =
    RULES_EQUAL("shared.data", "same", "assay: what was written is what is read");
static const struct limit file_rules[] =
    RULES(.metric = "shared.file", .rule = RULE_CEILING, .value = VISIBLE_S, .unit = "s",
          .status = LIMIT_VENDOR, .source = VISIBLE);
static const struct limit line_rules[] =
    RULES(.metric = "shared.line", .rule = RULE_CEILING, .value = VISIBLE_S, .unit = "s",
          .status = LIMIT_VENDOR, .source = VISIBLE);
static const struct limit lock_rules[] =
    RULES_EQUAL("shared.lock", "exclusive", "NVIDIA/ai-cloud-validation: flock across nodes");
static const struct limit mount_rules[] =
    RULES_EQUAL("shared.mount", "as on the others", "assay: mounted alike on all hosts");

static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    clients_slots(context, slots, LATE_S);
}

static double turns_s(const struct check_context *context)
{
    return clients_work_s(context, &(const struct clients_work){.slot_s = slot_s(context), .turns = TURNS});
}

static unsigned expected_s(const struct check_context *context)
{
    return clients_expected_s(context, &(const struct clients_work){.slot_s = SLOT_S, .turns = TURNS});
}

const struct check check_storage_shared = {
    .name = "storage-shared",
    .title = "One storage for all hosts",
    .summary =
        "what one host writes on a shared mount all others read, at once; locks between hosts; mount options alike",
    .concerns = OF_HOST,
    .scopes = SCOPE_PAIR | SCOPE_GROUP | SCOPE_CLUSTER,
    .exclusive = EXCLUSIVE_HOST,
    .arguments = ARGUMENTS(CLIENTS_ARGUMENT_ROWS,
                           {"size", ARGUMENT_SIZE, "16M", "of what each host writes, and every other reads"}),
    .arguments_fault = clients_arguments_fault,
    .host_valid = clients_host_valid,
    .parts = PARTS({"clients", "key-value", command, NULL}),
    .items = ITEMS({"shared.mount", PER_MEMBER, NULL, DUTY_GATE, mount_rules},
                   {"shared.data", PER_MEMBER, NULL, DUTY_GATE, data_rules},
                   {"shared.file", PER_MEMBER, NULL, DUTY_GATE, file_rules},
                   {"shared.line", PER_MEMBER, NULL, DUTY_GATE, line_rules},
                   {"shared.lock", PER_MEMBER, NULL, DUTY_GATE, lock_rules}),
    .remedies =
        REMEDIES({"client.works", REASON(let_client_use_mount)}, {"client.clock", REASON(run_time_service)},
                 {"client.late", REASON(see_why_client_is_late)},
                 {"shared.*", REASON(mend_hosts_that_cannot_work), .about = &sentence_client_takes_no_part},
                 {"shared.*", REASON(mend_hosts_that_cannot_work), .about = &sentence_only_so_many_work},
                 {"shared.*", REASON(share_less), .about = &sentence_no_result_of_client},
                 {"shared.mount", REASON(mount_alike)}, {"shared.data", REASON(trust_no_such_storage)},
                 {"shared.lock", REASON(mount_with_locks)},
                 {"shared.*", REASON(share_when_hosts_are_idle), .about = &sentence_found_between},
                 {"shared.*", REASON(shorten_caches_of_mount)}, {"sound", REASON(see_streams_of_clients)}),
    .more_slots = more_slots,
    .expected = expected_s,
    .turns_s = turns_s,
    .read = read_shared,
    .hosts_file = launcher_hosts_file,
};
