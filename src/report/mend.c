/* SPDX-License-Identifier: Apache-2.0 */
/* The bad items of a preflight, folded over hosts: by how the host refused us, else by the gate, else by the words. */
#include "assay/report/mend.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "assay/check/check.h"
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"
#include "assay/reasons/model.h"
#include "assay/reasons/report.h"
#include "view.h"

/* In a cause that is folded over hosts. */
#define ANY_HOST "HOST"
#define ANY_ADDRESS "ADDRESS"

enum { CAUSES_SHOWN = 3 };

/* How the host refused us, by the end of the attempt; what stands against a check's items is in the check's own row. */
static const struct refusal {
    const char *end;
    struct remedy remedy;
} refusals[] = {
    {"unreachable",
     {.about = &sentence_connection_refused,
      .problem = "connection refused",
      .on_hosts = true,
      .command = "sudo systemctl enable --now ssh"}},
    {"unreachable",
     {.about = &sentence_ssh_tells_refused,
      .problem = "connection refused",
      .on_hosts = true,
      .command = "sudo systemctl enable --now ssh"}},
    {"unreachable",
     {.about = &sentence_no_answer_during, .problem = "silent", .command = "ping -c 3 {address}"}},
    {"unreachable",
     {.about = &sentence_address_not_known,
      .problem = "address unknown",
      .command = "getent hosts {address}"}},
    {"unreachable", {.problem = "unreachable", .command = "ping -c 3 {address}"}},
    {"host key unknown",
     {.problem = "host key unknown",
      .command = "ssh-keyscan -p {port} {address} >>{known_hosts}  # compare its fingerprint with the host's "
                 "own first"}},
    {"host key changed",
     {.problem = "host key changed",
      .command = "ssh-keygen -R '{known_as}' -f {known_hosts}  # only if the host is known to be new or "
                 "reinstalled"}},
    {"auth refused",
     {.about = &sentence_key_unreadable, .problem = "key file unreadable", .command = "ls -l {identity}"}},
    {"auth refused",
     {.problem = "login refused", .command = "ssh-copy-id -i {identity}.pub -p {port} {user}@{address}"}},
    {"sudo refused",
     {.problem = "sudo refused",
      .on_hosts = true,
      .command = "echo '{user} ALL=(ALL) NOPASSWD: ALL' | sudo tee /etc/sudoers.d/assay"}},
    {"no answer", {.problem = "no answer", .command = "ssh -p {port} {user}@{address} true"}},
    {"jump host failed",
     {.about = &sentence_jump_host_forbids,
      .problem = "forwarding forbidden",
      .command = "scripts/bundle  # then unpack it on the jump host and run assay there"}},
    {"jump host failed",
     {.problem = "jump host", .command = "ssh -p {port} -J {jump} {user}@{address} true"}},
    {"no spool",
     {.problem = "no folder for outputs", .on_hosts = true, .command = "df -h /var/tmp; ls -ld /var/tmp"}},
};

/* One bad item of one host, or of all members of its step. */
struct bad_item {
    const struct step_view *step;
    const struct slot *slot;
    const struct outcome *outcome;
    const struct host *const *hosts;
    size_t host_count;
    const char *refusal; /* how the host refused us; NULL: it did not */
};

struct folding {
    struct arena *arena;
    const struct view *view;
    struct mends *mends;
    LIST_OF(const char *) keys; /* of the mends, by index */
};

/* -- Words -- */

static bool is_word_letter(char letter)
{
    return isalnum((unsigned char)letter) || letter == '-' || letter == '_';
}

/* The text with another word in the place of one. */
static const char *replace_word(struct arena *arena, const char *text, const char *word, const char *with)
{
    size_t length = strlen(word);
    const char *out = "", *rest = text;

    for (const char *at = rest; length > 0 && (at = strstr(at, word)) != NULL; at += length) {
        bool apart = (at == text || !is_word_letter(at[-1])) && !is_word_letter(at[length]) &&
                     !(at[length] == '.' && isdigit((unsigned char)at[length + 1]));

        if (!apart)
            continue;
        out = arena_printf(arena, "%s%.*s%s", out, (int)(at - rest), rest, with);
        rest = at + length;
    }
    return arena_printf(arena, "%s%s", out, rest);
}

struct nameless {
    struct arena *arena;
    const struct host *host;
};

static const char *without_names(void *context, const char *text)
{
    const struct nameless *nameless = context;

    text = replace_word(nameless->arena, text, nameless->host->address, ANY_ADDRESS);
    return replace_word(nameless->arena, text, nameless->host->name, ANY_HOST);
}

/* The cause as it would be of any host. */
static const struct reason *common_cause(struct arena *arena, const struct bad_item *item)
{
    const struct reason *cause = item->outcome->cause;
    const struct host *host = item->hosts[0];
    const char *named = reason_is(cause, about) ? reason_argument_text(cause, 1) : NULL;

    if (item->host_count > 1)
        return cause;
    if (named != NULL && strcmp(named, host->name) == 0)
        cause = reason_argument(arena, cause, 2);
    return reason_map(arena, cause, without_names, &(struct nameless){arena, host});
}

static const char *fill(struct arena *arena, const char *command, const struct host *host,
                        const char *subject)
{
    unsigned port = host->port != 0 ? host->port : 22;
    const struct {
        const char *name, *value;
    } places[] = {
        {"{name}", host->name},
        {"{address}", host->address},
        {"{port}", arena_printf(arena, "%u", port)},
        {"{known_as}", port == 22 ? host->address : arena_printf(arena, "[%s]:%u", host->address, port)},
        {"{user}", host->user != NULL ? host->user : "$USER"},
        {"{identity}", host->identity != NULL ? host->identity : "~/.ssh/id_ed25519"},
        {"{jump}", host->jump != NULL ? host->jump : "JUMP"},
        {"{known_hosts}", host->known_hosts != NULL ? host->known_hosts : "~/.ssh/known_hosts"},
        {"{subject}", subject}};

    for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
        const char *at;

        while ((at = strstr(command, places[i].name)) != NULL)
            command = arena_printf(arena, "%.*s%s%s", (int)(at - command), command, places[i].value,
                                   at + strlen(places[i].name));
    }
    return command;
}

/* -- Folding -- */

static const struct remedy *find_refusal(const char *end, const struct reason *cause)
{
    for (size_t i = 0; i < ARRAY_SIZE(refusals); i++)
        if (strcmp(refusals[i].end, end) == 0 &&
            (refusals[i].remedy.about == NULL || reason_has_(cause, refusals[i].remedy.about)))
            return &refusals[i].remedy;
    return NULL;
}

static const struct remedy *advise(const struct bad_item *item)
{
    const struct reason *cause = item->outcome->cause;
    const struct check *check = check_find(item->step->step->shape->check);

    if (item->refusal != NULL)
        return find_refusal(item->refusal, cause);
    return check != NULL ? check_problem(check, item->slot->metric, cause) : NULL;
}

/* A member's item is that host's; what is of no member is of all. */
static void find_hosts(struct bad_item *item)
{
    const struct step *step = item->step->step;

    item->hosts = step->members;
    item->host_count = step->member_count;
    for (size_t i = 0; step->member_count > 1 && i < step->member_count; i++)
        if (strcmp(step->members[i]->name, item->slot->subject) == 0) {
            item->hosts = &step->members[i];
            item->host_count = 1;
        }
}

static const char *subject_of(const struct bad_item *item)
{
    return item->step->step->member_count == 1 ? item->slot->subject : "";
}

static bool is_sound(const struct step_view *step)
{
    for (size_t i = 0; i < step->step->shape->slot_count; i++)
        if (strcmp(step->step->shape->slots[i].metric, SOUND_METRIC) == 0)
            return step->items[i]->word == OUTCOME_PASS;
    return true;
}

static bool is_bad_gate(const struct step_view *step, size_t slot)
{
    return step->step->shape->slots[slot].duty == DUTY_GATE &&
           step->items[slot]->word >= OUTCOME_INCONCLUSIVE;
}

/* Of a thing that is not there, or a host that could not be asked, nothing else can be read: that is no problem beside
   it. What comes first is what the rest follows from. */
static bool follows_from_another(const struct bad_item *item)
{
    const struct shape *shape = item->step->step->shape;
    bool earlier = true;

    if (*item->slot->subject == '\0' || item->outcome->measured != NULL)
        return false;
    for (size_t i = 0; i < shape->slot_count; i++) {
        earlier &= &shape->slots[i] != item->slot;
        if (&shape->slots[i] != item->slot && is_bad_gate(item->step, i) &&
            strcmp(shape->slots[i].subject, item->slot->subject) == 0 &&
            (earlier || item->step->items[i]->measured != NULL))
            return true;
    }
    return false;
}

/* What all members do together waits for those of which something is to be mended. */
static bool waits_for_members(const struct bad_item *item)
{
    const struct step *step = item->step->step;

    if (item->host_count == 1 || !is_sound(item->step))
        return false;
    for (size_t i = 0; i < step->shape->slot_count; i++)
        for (size_t k = 0; is_bad_gate(item->step, i) && k < step->member_count; k++)
            if (strcmp(step->members[k]->name, step->shape->slots[i].subject) == 0)
                return true;
    return false;
}

/* Which of a sentence's arguments, counted from 1, is another number on each host: that of a program, or of a file's
   line. 0: none. */
static size_t number_of_host(const struct sentence *sentence)
{
    static const struct {
        const struct sentence *sentence;
        size_t argument;
    } rows[] = {
        {&sentence_process_on_gpu, 2},      {&sentence_dcgm_exporter_runs, 1},
        {&sentence_hostengine_profiles, 1}, {&sentence_smi_loop_runs, 1},
        {&sentence_host_key_of_differs, 4}, {&sentence_known_hosts_line_unreadable, 4},
        {&sentence_host_key_of_revoked, 4},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (rows[i].sentence == sentence)
            return rows[i].argument;
    return 0;
}

/* The same of all hosts that say it but for such numbers. */
static const struct reason *numberless(struct arena *arena, const struct reason *reason)
{
    struct reason_value *values;
    size_t number;

    if (reason == NULL || reason->count == 0)
        return reason;
    values = arena_array(arena, struct reason_value, reason->count);
    number = number_of_host(reason->sentence);
    for (size_t i = 0; i < reason->count; i++)
        if (i + 1 == number)
            values[i] = reason_value_text("");
        else if (reason->arguments[i].text != NULL)
            values[i] = reason_value_text(reason->arguments[i].text);
        else
            values[i] = reason_value_reason(numberless(arena, reason->arguments[i].reason));
    return reason_make(arena, reason->sentence, values, reason->count);
}

static const char *key_of(struct folding *folding, const struct bad_item *item, const struct reason *cause)
{
    const struct outcome *outcome = item->outcome;
    const char *step = item->step->step->shape->suite_step;

    if (item->refusal != NULL)
        return arena_printf(folding->arena, "refused\x1f%s\x1f%s", item->refusal,
                            reason_encode(folding->arena, numberless(folding->arena, cause)));
    if (outcome->held->gate != NULL && outcome->measured != NULL)
        return arena_printf(folding->arena, "gate\x1f%d\x1f%s\x1f%s\x1f%s\x1f%s\x1f%s", (int)outcome->word,
                            step, item->slot->metric, subject_of(item),
                            reason_encode(folding->arena, outcome->held->gate),
                            isnan(outcome->value)
                                ? reason_encode(folding->arena, numberless(folding->arena, outcome->measured))
                                : ""); /* texts that differ are apart */
    /* What ended the step as a whole is one problem, whatever was owed. */
    return arena_printf(folding->arena, "words\x1f%d\x1f%s\x1f%s\x1f%s\x1f%s", (int)outcome->word, step,
                        reason_encode(folding->arena, cause), is_sound(item->step) ? item->slot->metric : "",
                        is_sound(item->step) ? subject_of(item) : "");
}

static struct mend *find_mend(struct folding *folding, const struct bad_item *item,
                              const struct reason *cause)
{
    const char *key = key_of(folding, item, cause);
    const struct remedy *row = advise(item);
    struct mend *mend;

    for (size_t i = 0; i < folding->keys.count; i++)
        if (strcmp(folding->keys.items[i], key) == 0)
            return &folding->mends->items.items[i];
    *list_push(folding->arena, &folding->keys) = key;
    mend = list_push(folding->arena, &folding->mends->items);
    *mend = (struct mend){
        .word = item->outcome->word,
        .problem = row != NULL ? row->problem : item->step->step->shape->suite_step,
        .check = item->step->step->shape->suite_step,
        .metric = item->slot->metric,
        .subject = subject_of(item),
        .members = arena_array(folding->arena, const struct host *, folding->view->record->plan->hosts.count),
        .remedy = item->outcome->remedy,
        .on_hosts = row != NULL && row->on_hosts};
    if (row != NULL && row->command != NULL)
        *list_push(folding->arena, &mend->commands) = row->command; /* a pattern until all hosts are known */
    return mend;
}

/* Of reasons one after the other (reason_also) whether this is one; counts them. */
static bool has_cause(struct arena *arena, const struct reason *causes, const struct reason *cause,
                      unsigned *count)
{
    if (reason_equal(causes, cause))
        return true;
    if (reason_is(causes, also))
        return has_cause(arena, reason_argument(arena, causes, 1), cause, count) ||
               has_cause(arena, reason_argument(arena, causes, 2), cause, count);
    *count += causes != NULL;
    return false;
}

static void add_cause(struct arena *arena, struct mend *mend, const struct reason *cause)
{
    unsigned count = 0;

    if (!has_cause(arena, mend->cause, cause, &count) && count < CAUSES_SHOWN)
        mend->cause = reason_also(arena, mend->cause, cause);
}

static void add_item(struct folding *folding, const struct bad_item *item)
{
    const struct reason *cause = common_cause(folding->arena, item);
    struct mend *mend = find_mend(folding, item, cause);

    for (size_t i = 0; i < item->host_count; i++) {
        size_t known = 0;

        while (known < mend->count && mend->members[known] != item->hosts[i])
            known++;
        if (known == mend->count)
            mend->members[mend->count++] = item->hosts[i];
    }
    add_cause(folding->arena, mend, cause);
}

static void fold_word(struct folding *folding, enum outcome_word word)
{
    for (size_t i = 0; i < folding->view->step_count; i++) {
        const struct step_view *step = &folding->view->steps[i];

        for (size_t k = 0; k < step->step->shape->slot_count; k++) {
            struct bad_item item = {
                step, &step->step->shape->slots[k], step->items[k], NULL, 0, view_refusal(step)};

            if (item.outcome->word != word ||
                (word == OUTCOME_RECORDED ? !item.outcome->remark : item.slot->duty != DUTY_GATE))
                continue;
            find_hosts(&item);
            if (!follows_from_another(&item) && !waits_for_members(&item))
                add_item(folding, &item);
        }
    }
}

static const char *fold_hosts(struct arena *arena, const struct host *const *hosts, size_t count)
{
    const char **names = arena_array(arena, const char *, count);

    for (size_t i = 0; i < count; i++)
        names[i] = hosts[i]->name;
    return hostlist_fold(arena, names, count);
}

struct named {
    struct arena *arena;
    const char *hosts, *addresses;
};

static const char *with_names(void *context, const char *text)
{
    const struct named *named = context;

    text = replace_word(named->arena, text, ANY_ADDRESS, named->addresses);
    return replace_word(named->arena, text, ANY_HOST, named->hosts);
}

/* In the place of the word that stood for any of them while they were folded: a reader knows no such host. */
static void name_hosts(struct arena *arena, struct mend *mend)
{
    enum { READABLE = 60 };
    const char *hosts = strlen(mend->hosts) <= READABLE
                            ? mend->hosts
                            : arena_printf(arena, "%s, ...", mend->members[0]->name);

    /* Of one host its address as it is: that may be what is wrong. */
    const char *addresses = mend->count == 1 ? mend->members[0]->address : hosts;

    if (mend->cause != NULL)
        mend->cause = reason_map(arena, mend->cause, with_names, &(struct named){arena, hosts, addresses});
}

/* On the hosts one command serves all; from here each has its own. */
static void fill_commands(struct arena *arena, struct mend *mend)
{
    const char *pattern = mend->commands.count > 0 ? mend->commands.items[0] : NULL;

    mend->hosts = fold_hosts(arena, mend->members, mend->count);
    name_hosts(arena, mend);
    mend->commands.count = 0;
    for (size_t i = 0; pattern != NULL && i < (mend->on_hosts ? 1 : mend->count); i++) {
        const char *command = fill(arena, pattern, mend->members[i], mend->subject);

        /* A file of this machine is one, whichever hosts it is for. */
        if (i == 0 || strcmp(command, mend->commands.items[mend->commands.count - 1]) != 0)
            *list_push(arena, &mend->commands) = command;
    }
}

/* -- What could not be asked, and who is clean -- */

static bool has_substitute(const struct view *view, const struct step *step)
{
    for (size_t i = 0; i < view->step_count; i++)
        if (view->steps[i].step->origin == ORIGIN_SUBSTITUTE &&
            strcmp(view->steps[i].step->shape->suite_step, step->shape->suite_step) == 0)
            return true;
    return false;
}

/* The steps that did not run on the host, not even to fail; one over several hosts that others ran in its place is theirs. */
static const char *unasked_of(struct arena *arena, const struct view *view, const struct host *host)
{
    const char *steps = "";

    for (size_t i = 0; i < view->step_count; i++) {
        const struct step *step = view->steps[i].step;
        const struct coverage *coverage = &view->steps[i].coverage;

        if (step_has_host(step, host) && coverage->not_run > 0 &&
            coverage->fail + coverage->inconclusive == 0 &&
            (step->member_count == 1 || !has_substitute(view, step)))
            steps = arena_add_word_once(arena, steps, step->shape->suite_step);
    }
    return steps;
}

/* Tests of several hosts that wait for what is to be mended on some of them. */
static void find_waiting(struct folding *folding)
{
    for (size_t i = 0; i < folding->view->step_count; i++) {
        const struct step_view *step = &folding->view->steps[i];
        bool waits = false;

        for (size_t k = 0; step->step->member_count > 1 && k < step->step->shape->slot_count; k++) {
            struct bad_item item = {step, &step->step->shape->slots[k], step->items[k], NULL, 0, NULL};

            find_hosts(&item);
            waits |= is_bad_gate(step, k) && waits_for_members(&item);
        }
        if (waits)
            *list_push(folding->arena, &folding->mends->unasked) =
                (struct unasked){fold_hosts(folding->arena, step->step->members, step->step->member_count),
                                 reason(folding->arena, over_all_of_them, step->step->shape->suite_step)};
    }
}

static void find_unasked(struct folding *folding)
{
    const struct plan *plan = folding->view->record->plan;
    const char **steps = arena_array(folding->arena, const char *, plan->hosts.count);
    const char **names = arena_array(folding->arena, const char *, plan->hosts.count);

    for (size_t i = 0; i < plan->hosts.count; i++)
        steps[i] = unasked_of(folding->arena, folding->view, plan->hosts.items[i]);
    for (size_t i = 0; i < plan->hosts.count; i++) {
        const char *mine = steps[i];
        size_t count = 0;

        if (mine == NULL || *mine == '\0')
            continue;
        for (size_t k = i; k < plan->hosts.count; k++)
            if (steps[k] != NULL && strcmp(steps[k], mine) == 0) {
                names[count++] = plan->hosts.items[k]->name;
                steps[k] = NULL;
            }
        *list_push(folding->arena, &folding->mends->unasked) =
            (struct unasked){hostlist_fold(folding->arena, names, count), reason_text(folding->arena, mine)};
    }
}

static bool is_clean(struct folding *folding, const struct host *host)
{
    list_each (mend, folding->mends->items)
        for (size_t k = 0; mend->word != OUTCOME_RECORDED && k < mend->count; k++)
            if (mend->members[k] == host)
                return false;
    return *unasked_of(folding->arena, folding->view, host) == '\0';
}

static void find_clean(struct folding *folding)
{
    const struct plan *plan = folding->view->record->plan;
    const struct host **hosts = arena_array(folding->arena, const struct host *, plan->hosts.count);
    size_t count = 0;

    for (size_t i = 0; i < plan->hosts.count; i++)
        if (is_clean(folding, plan->hosts.items[i]))
            hosts[count++] = plan->hosts.items[i];
    folding->mends->clean = count > 0 ? fold_hosts(folding->arena, hosts, count) : "";
    folding->mends->clean_count = count;
}

/* On the same hosts, a remark on what is to be mended anyway, or what the same command mends. */
static bool is_repeated(const struct mend *mend, const struct mend *before)
{
    if (strcmp(before->problem, mend->problem) != 0 || strcmp(before->hosts, mend->hosts) != 0)
        return false;
    return mend->word == OUTCOME_RECORDED ||
           (mend->commands.count > 0 && before->commands.count > 0 &&
            strcmp(mend->commands.items[0], before->commands.items[0]) == 0);
}

static void drop_repeated(struct mends *mends)
{
    size_t kept = 0;

    for (size_t i = 0; i < mends->items.count; i++) {
        bool repeated = false;

        for (size_t k = 0; k < kept; k++)
            repeated |= is_repeated(&mends->items.items[i], &mends->items.items[k]);
        if (!repeated)
            mends->items.items[kept++] = mends->items.items[i];
    }
    mends->items.count = kept;
}

void report_mends(struct arena *arena, const struct record *record, struct mends *ret_mends)
{
    static const enum outcome_word words[] = {OUTCOME_FAIL, OUTCOME_INCONCLUSIVE, OUTCOME_RECORDED};
    struct folding folding = {.arena = arena, .view = view_create(arena, record), .mends = ret_mends};

    *ret_mends = (struct mends){0};
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        fold_word(&folding, words[i]);
    for (size_t i = 0; i < ret_mends->items.count; i++)
        fill_commands(arena, &ret_mends->items.items[i]);
    drop_repeated(ret_mends);
    find_unasked(&folding);
    find_waiting(&folding);
    find_clean(&folding);
}
