/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over the bytes. At each of them: is it the beginning of an address, of a known name, or of a phrase
 * after which a name stands? redact_address.c knows addresses; here are names.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "assay/hostfile.h"
#include "redact_private.h"

enum { LONGEST_NAME = 255, FIRST_CAPACITY = 1024 };

static bool is_alnum(int c)
{
    return isalnum((unsigned char)c) && (unsigned char)c < 0x80;
}

static bool is_name_byte(int c)
{
    return is_alnum(c) || c == '-' || c == '_';
}

static uint64_t hash_name(const char *name, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)tolower((unsigned char)name[i])) * 0x100000001b3;
    return hash;
}

static size_t find_slot(const struct redactor *redactor, const char *name, size_t length)
{
    size_t slot = hash_name(name, length) & (redactor->capacity - 1);

    while (redactor->slots[slot] != NULL && (redactor->slots[slot]->length != length ||
                                             strncasecmp(redactor->slots[slot]->name, name, length) != 0))
        slot = (slot + 1) & (redactor->capacity - 1);
    return slot;
}

static void grow(struct redactor *redactor)
{
    struct known **old = redactor->slots;
    size_t capacity = redactor->capacity;

    redactor->capacity = capacity > 0 ? capacity * 2 : FIRST_CAPACITY;
    redactor->slots = arena_array(redactor->arena, struct known *, redactor->capacity);
    for (size_t i = 0; i < capacity; i++)
        if (old[i] != NULL)
            redactor->slots[find_slot(redactor, old[i]->name, old[i]->length)] = old[i];
}

static struct known *find_known(const struct redactor *redactor, const char *name, size_t length)
{
    return length <= LONGEST_NAME ? redactor->slots[find_slot(redactor, name, length)] : NULL;
}

static char *lower(struct arena *arena, const char *name, size_t length)
{
    char *text = arena_strndup(arena, name, length);

    for (size_t i = 0; i < length; i++)
        text[i] = (char)tolower((unsigned char)text[i]);
    return text;
}

/* Long, and with a digit or hyphen in it: no word of a language, and so looked for inside of words too. */
static bool is_distinctive(const char *name, size_t length)
{
    bool digit = false, letter = false;

    for (size_t i = 0; i < length; i++) {
        digit |= !isalpha((unsigned char)name[i]);
        letter |= isalpha((unsigned char)name[i]) != 0;
    }
    return length >= 4 && digit && letter;
}

static struct known *know(struct redactor *redactor, const char *name, size_t length)
{
    struct known *known;
    size_t slot;

    if ((redactor->count + 1) * 2 > redactor->capacity)
        grow(redactor);
    slot = find_slot(redactor, name, length);
    known = redactor->slots[slot];
    if (known != NULL)
        return known;
    known = redactor->slots[slot] = arena_new(redactor->arena, struct known);
    known->name = lower(redactor->arena, name, length);
    known->length = length;
    known->distinctive = is_distinctive(name, length);
    redactor->count++;
    redactor->lengths[length] = true;
    redactor->first[(unsigned char)tolower((unsigned char)name[0])] = true;
    return known;
}

long long redact_number(struct redactor *redactor, enum redact_kind kind, const char *name)
{
    static const char *const kinds[] = {"host", "user", "domain", "ipv4", "ipv6", "mac"};
    const char *key = arena_printf(redactor->arena, "%c%s", 1 + (int)kind, name);
    struct known *known = know(redactor, key, strlen(key));

    if (known->n == 0) {
        known->n = ++redactor->last[kind];
        *list_push(redactor->arena, &redactor->pseudonyms.list) =
            (struct pseudonym){kinds[kind], lower(redactor->arena, name, strlen(name)), known->n};
    }
    return known->n;
}

/* Words of the field before a number: "gpu7" is no neighbour of the host "gpu001". */
static bool is_field_word(const char *name, size_t length)
{
    static const char *const words[] = {"gpu",  "npu",  "cpu", "mlx5_", "eth",  "rank", "link", "port",
                                        "numa", "nvme", "dev", "core",  "bond", "cuda", "sm",   "hca"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i]) == length && strncasecmp(words[i], name, length) == 0)
            return true;
    return false;
}

/* What stands before a run of digits begins hostlists; before the last one also the names of neighbours. */
static void know_stems(struct redactor *redactor, const char *name)
{
    size_t length = strlen(name);

    for (size_t i = 1; i < length; i++) {
        struct known *stem;

        if (!isdigit((unsigned char)name[i]) || isdigit((unsigned char)name[i - 1]))
            continue;
        stem = know(redactor, name, i);
        stem->stem = true;
        if (i >= 3 && strspn(name + i, "0123456789") == length - i && !is_field_word(name, i))
            stem->numbered = true;
    }
}

static void know_domain(struct redactor *redactor, const char *name, size_t length)
{
    struct known *known;

    if (memchr(name, '.', length) == NULL || length > LONGEST_NAME)
        return;
    known = know(redactor, name, length);
    known->domain = true;
}

void redactor_know_host(struct redactor *redactor, const char *name)
{
    size_t length = name != NULL ? strcspn(name, ".") : 0;
    struct known *known;

    if (length == 0 || length > LONGEST_NAME || strncasecmp(name, "localhost", 9) == 0 ||
        redact_know_address(redactor, name))
        return;
    if (name[length] == '.' && strlen(name + length + 1) > 0)
        know_domain(redactor, name + length + 1, strlen(name + length + 1));
    known = know(redactor, name, length);
    if (known->host)
        return;
    known->host = true;
    redact_number(redactor, REDACT_HOST, known->name);
    know_stems(redactor, known->name);
}

void redactor_know_user(struct redactor *redactor, const char *name)
{
    struct known *known;

    if (name == NULL || name[0] == '\0' || strlen(name) > LONGEST_NAME || strcmp(name, "root") == 0)
        return;
    known = know(redactor, name, strlen(name));
    known->user = true;
}

struct known *redact_know_alias(struct redactor *redactor, const char *alias, long long n)
{
    struct known *known = know(redactor, alias, strlen(alias));

    known->address = n;
    return known;
}

static void keep_pseudonym(struct redactor *redactor, const struct pseudonym *pseudonym)
{
    static const char *const kinds[] = {"host", "user", "domain", "ipv4", "ipv6", "mac"};

    for (unsigned kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++)
        if (strcmp(kinds[kind], pseudonym->kind) == 0) {
            const char *key = arena_printf(redactor->arena, "%c%s", 1 + (int)kind, pseudonym->name);

            know(redactor, key, strlen(key))->n = pseudonym->n;
            if (pseudonym->n > redactor->last[kind])
                redactor->last[kind] = pseudonym->n;
            *list_push(redactor->arena, &redactor->pseudonyms.list) = *pseudonym;
        }
}

struct redactor *redactor_create(struct arena *arena, const struct pseudonyms *kept)
{
    struct redactor *redactor = arena_new(arena, struct redactor);

    redactor->arena = arena;
    grow(redactor);
    for (size_t i = 0; kept != NULL && i < kept->list.count; i++)
        keep_pseudonym(redactor, &kept->list.items[i]);
    return redactor;
}

const struct pseudonyms *redactor_pseudonyms(const struct redactor *redactor)
{
    return &redactor->pseudonyms;
}

void redact_replace(struct pass *pass, size_t taken, const char *by)
{
    if (pass->edits != NULL)
        *list_push(pass->arena, &pass->edits->list) = (struct redact_edit){pass->at, taken, strlen(by)};
    text_put(pass->out, by);
    pass->at += taken;
}

/* "\n" of a quoted text, the end of a colour, "%2F": the letter before is not one of the name's word. */
static bool is_escape_before(const char *bytes, size_t at)
{
    size_t i = at - 1;

    if (at >= 2 && bytes[at - 2] == '\\')
        return true;
    if (at >= 3 && bytes[at - 3] == '%' && isxdigit((unsigned char)bytes[at - 2]) &&
        isxdigit((unsigned char)bytes[at - 1]))
        return true;
    if (!isalpha((unsigned char)bytes[i]))
        return false;
    while (i > 0 && (isdigit((unsigned char)bytes[i - 1]) || bytes[i - 1] == ';'))
        i--;
    return i > 0 && bytes[i - 1] == '[';
}

bool redact_begins(const struct pass *pass, size_t at)
{
    return at == 0 || !is_alnum(pass->in.bytes[at - 1]) || is_escape_before(pass->in.bytes, at);
}

static int byte_at(const struct pass *pass, size_t at)
{
    return at < pass->in.length ? (unsigned char)pass->in.bytes[at] : '\0';
}

static bool stands_alone(const struct pass *pass, const struct known *known)
{
    size_t end = pass->at + known->length;
    int last = byte_at(pass, end - 1), next = byte_at(pass, end);

    if (!known->distinctive)
        return redact_begins(pass, pass->at) && !is_alnum(next);
    return isdigit(last) ? !isdigit(next) : !is_alnum(next);
}

/* Bytes of ".cluster.example" that follow a name; 0: none. A label of digits alone is no domain's. */
static size_t domain_length(const struct pass *pass, size_t at)
{
    size_t end = at;

    while (byte_at(pass, end) == '.' && isalpha(byte_at(pass, end + 1))) {
        end++;
        while (is_alnum(byte_at(pass, end)) ||
               (byte_at(pass, end) == '-' && is_alnum(byte_at(pass, end + 1))))
            end++;
    }
    return end - at;
}

static const char *domain_text(struct pass *pass, size_t at, size_t length)
{
    const char *name = lower(pass->redactor->arena, pass->in.bytes + at, length);

    know_domain(pass->redactor, name, length);
    return arena_printf(pass->redactor->arena, "anon-domain%lld",
                        redact_number(pass->redactor, REDACT_DOMAIN, name));
}

static void replace_host(struct pass *pass, size_t length, const char *by)
{
    size_t suffix = domain_length(pass, pass->at + length);

    if (suffix > 0)
        by = arena_printf(pass->redactor->arena, "%s.%s", by,
                          domain_text(pass, pass->at + length + 1, suffix - 1));
    redact_replace(pass, length + suffix, by);
}

static const char *host_text(struct redactor *redactor, const char *name, size_t length)
{
    return arena_printf(redactor->arena, "anon-host%lld",
                        redact_number(redactor, REDACT_HOST, lower(redactor->arena, name, length)));
}

/* The end of a hostlist's brackets from `at` on, and of the name bytes behind; 0: there are none. */
static size_t brackets_end(const struct pass *pass, size_t at, bool with_rest)
{
    size_t end = 0;

    while (is_name_byte(byte_at(pass, at)) || byte_at(pass, at) == '[') {
        if (byte_at(pass, at) == '[') {
            at++;
            while (isdigit(byte_at(pass, at)) || byte_at(pass, at) == ',' || byte_at(pass, at) == '-')
                at++;
            if (byte_at(pass, at) != ']')
                return end;
            end = at + 1;
        }
        at++;
    }
    return end > 0 && with_rest ? at : end;
}

const char *redact_fold(struct pass *pass, size_t length,
                        const char *(*name)(struct redactor *, const char *),
                        bool (*is_wanted)(struct redactor *, const char *))
{
    struct redactor *redactor = pass->redactor;
    struct arena *arena = redactor->arena;
    struct hostlist list = {0};
    struct error ignored;
    bool wanted = false;
    const char **names;

    if (hostlist_expand(arena, arena_strndup(arena, pass->in.bytes + pass->at, length), &list, &ignored) < 0)
        return NULL;
    for (size_t i = 0; i < list.names.count; i++)
        wanted |= is_wanted(redactor, list.names.items[i]);
    if (!wanted)
        return NULL;
    names = arena_array(arena, const char *, list.names.count);
    for (size_t i = 0; i < list.names.count; i++)
        names[i] = name(redactor, list.names.items[i]);
    return hostlist_fold(arena, names, list.names.count);
}

static const char *name_of_list(struct redactor *redactor, const char *name)
{
    return host_text(redactor, name, strlen(name));
}

static bool is_known_host(struct redactor *redactor, const char *name)
{
    const struct known *known = find_known(redactor, name, strlen(name));

    return known != NULL && known->host;
}

/* "node[09-12]" beside node[1-8]. */
static bool is_any(struct redactor *redactor, const char *name)
{
    (void)redactor;
    return name[0] != '\0';
}

static bool take_list(struct pass *pass, const struct known *stem)
{
    for (int with_rest = 1; with_rest >= 0; with_rest--) {
        size_t end = brackets_end(pass, pass->at, with_rest != 0);
        const char *by;

        if (end == 0 || !stem->stem)
            return false;
        by = redact_fold(pass, end - pass->at, name_of_list, stem->numbered ? is_any : is_known_host);
        if (by != NULL) {
            replace_host(pass, end - pass->at, by);
            return true;
        }
    }
    return false;
}

/* "node9" beside node[1-8]. */
static bool take_neighbour(struct pass *pass, const struct known *stem)
{
    size_t end = pass->at + stem->length;

    if (!stem->numbered || !isdigit(byte_at(pass, end)) || !redact_begins(pass, pass->at))
        return false;
    while (isdigit(byte_at(pass, end)))
        end++;
    if (isalpha(byte_at(pass, end)))
        return false;
    replace_host(pass, end - pass->at, host_text(pass->redactor, pass->in.bytes + pass->at, end - pass->at));
    return true;
}

static bool take_known(struct pass *pass, const struct known *known)
{
    struct redactor *redactor = pass->redactor;

    if (known->stem && byte_at(pass, pass->at + known->length) == '[' && take_list(pass, known))
        return true;
    if ((known->host || known->address != 0) && stands_alone(pass, known)) {
        replace_host(pass, known->length,
                     known->host ? host_text(redactor, known->name, known->length)
                                 : arena_printf(redactor->arena, "anon-address%lld", known->address));
        return true;
    }
    if (known->user && redact_begins(pass, pass->at) && !is_alnum(byte_at(pass, pass->at + known->length))) {
        redact_replace(pass, known->length,
                       arena_printf(redactor->arena, "anon-user%lld",
                                    redact_number(redactor, REDACT_USER, known->name)));
        return true;
    }
    if (known->domain && redact_begins(pass, pass->at) &&
        !is_name_byte(byte_at(pass, pass->at + known->length))) {
        redact_replace(pass, known->length, domain_text(pass, pass->at, known->length));
        return true;
    }
    return take_neighbour(pass, known);
}

static bool take_name(struct pass *pass)
{
    struct redactor *redactor = pass->redactor;
    size_t left = pass->in.length - pass->at;

    if (!redactor->first[(unsigned char)tolower(byte_at(pass, pass->at))])
        return false;
    for (size_t length = left < LONGEST_NAME ? left : LONGEST_NAME; length > 0; length--) {
        const struct known *known =
            redactor->lengths[length] ? find_known(redactor, pass->in.bytes + pass->at, length) : NULL;

        if (known != NULL && take_known(pass, known))
            return true;
    }
    return false;
}

/* "ntp.cluster.example" where cluster.example is known: its first part is a host's name too. */
static bool take_of_domain(struct pass *pass)
{
    size_t first = pass->at, end;

    if (!is_alnum(byte_at(pass, pass->at)) || !redact_begins(pass, pass->at))
        return false;
    while (is_name_byte(byte_at(pass, first)))
        first++;
    end = first + domain_length(pass, first);
    for (size_t at = first; at < end; at++) {
        const struct known *known = byte_at(pass, at) == '.'
                                        ? find_known(pass->redactor, pass->in.bytes + at + 1, end - at - 1)
                                        : NULL;

        if (known != NULL && known->domain) {
            const char *host = host_text(pass->redactor, pass->in.bytes + pass->at, at - pass->at);

            redact_replace(
                pass, end - pass->at,
                arena_printf(pass->redactor->arena, "%s.%s", host, domain_text(pass, at + 1, end - at - 1)));
            return true;
        }
    }
    return false;
}

/* What follows tells a user. */
static const char *const before_users[] = {
    "/home/",        "/Users/", "for user ", "invalid user ", "publickey for ",
    "password for ", "user=",   "LOGNAME=",  "SUDO_USER=",    "\"user\": \"",
    "\"user\":\"",   "User ",   "lusers/",   "--user ",       "RUSER=",
};
/* What follows tells a host. */
static const char *const before_hosts[] = {"HOSTNAME=",         "Hostname: ",       "hostname: ",
                                           "Static hostname: ", "\"hostname\": \"", "\"hostname\":\"",
                                           "SLURMD_NODENAME=",  "Node name: "};

static size_t phrase_length(const struct pass *pass, const char *const *phrases, size_t count)
{
    struct slice rest = slice_from(pass->in, pass->at);

    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(phrases[i]);

        if (rest.length > length && strncasecmp(rest.bytes, phrases[i], length) == 0)
            return length;
    }
    return 0;
}

static bool is_word_of_logs(const char *name)
{
    static const char *const words[] = {"root", "localhost", "none", "unknown", "the", "and",
                                        "name", "is",        "not",  "n",       "a",   "from",
                                        "to",   "in",        "of",   "null",    "yes", "no"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(words[i], name) == 0)
            return true;
    return false;
}

/* The name that stands at `at`, learnt. */
static void learn(struct pass *pass, size_t at, bool user)
{
    size_t end = at;
    const char *name;

    while (is_name_byte(byte_at(pass, end)) ||
           (byte_at(pass, end) == '.' && (user || is_alnum(byte_at(pass, end + 1))) &&
            is_alnum(byte_at(pass, end + 1))))
        end++;
    name = arena_strndup(pass->redactor->arena, pass->in.bytes + at, end - at);
    if (end == at || end - at > 64 || is_word_of_logs(name) || strspn(name, "0123456789.") == strlen(name))
        return;
    if (user)
        redactor_know_user(pass->redactor, name);
    else
        redactor_know_host(pass->redactor, name);
}

/* "uid=1000(bob)" */
static void learn_identity(struct pass *pass)
{
    struct slice rest = slice_from(pass->in, pass->at + 4);
    uint64_t number;

    if ((byte_at(pass, pass->at) == 'u' || byte_at(pass, pass->at) == 'g') &&
        slice_starts(slice_from(pass->in, pass->at + 1), "id=") && scan_digits(&rest, &number) &&
        scan_text(&rest, "("))
        learn(pass, (size_t)(rest.bytes - pass->in.bytes), true);
}

/* "12:00:00 node7 kernel:", "12:00:00 node7 sshd[12]:": a line of a journal. */
static void learn_journal(struct pass *pass)
{
    static const char shape[] = "00:00:00";
    size_t at = pass->at, end;

    for (size_t i = 0; i < sizeof shape - 1; i++)
        if (shape[i] == '0' ? !isdigit(byte_at(pass, at + i)) : byte_at(pass, at + i) != shape[i])
            return;
    at += sizeof shape - 1;
    while (byte_at(pass, at) != '\0' && strchr(".0123456789+:Z", byte_at(pass, at)) != NULL)
        at++;
    if (byte_at(pass, at) != ' ' || !is_alnum(byte_at(pass, at + 1)))
        return;
    end = ++at;
    while (is_name_byte(byte_at(pass, end)) || byte_at(pass, end) == '.')
        end++;
    if (byte_at(pass, end) != ' ')
        return;
    end++;
    if (slice_starts(slice_from(pass->in, end), "kernel:")) {
        learn(pass, at, false);
        return;
    }
    while (is_name_byte(byte_at(pass, end)) || byte_at(pass, end) == '.' || byte_at(pass, end) == '/')
        end++;
    if (byte_at(pass, end) == '[' && isdigit(byte_at(pass, end + 1)))
        learn(pass, at, false);
}

/* "Pid 4711 on node7 device 0", as nccl-tests prints its ranks. */
static void learn_rank(struct pass *pass)
{
    struct slice rest = slice_from(pass->in, pass->at), word;
    uint64_t number;

    if (!scan_text(&rest, "Pid ") || !scan_word(&rest, &word) || !scan_u64(word, &number) ||
        !scan_word(&rest, &word) || !slice_equal(word, "on") || !scan_word(&rest, &word))
        return;
    learn(pass, (size_t)(word.bytes - pass->in.bytes), false);
}

/* "bob@node1": a user if what follows is no unit of systemd or version of a package. */
static void learn_login(struct pass *pass)
{
    static const char *const units[] = {".service", ".socket", ".target", ".mount",
                                        ".slice",   ".timer",  ".device"};
    size_t begin = pass->at, end = pass->at + 1;
    struct slice host;

    while (begin > 0 && (is_name_byte(pass->in.bytes[begin - 1]) || pass->in.bytes[begin - 1] == '.'))
        begin--;
    while (is_name_byte(byte_at(pass, end)) || byte_at(pass, end) == '.')
        end++;
    host = (struct slice){pass->in.bytes + pass->at + 1, end - pass->at - 1};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (slice_ends(host, units[i]))
            return;
    if (begin == pass->at || host.length == 0 || !isalpha((unsigned char)host.bytes[0]))
        return;
    /* Of a word glued on by an escape only the part behind it is the user's. */
    if (begin > 0 && pass->in.bytes[begin - 1] == '\\')
        begin++;
    learn(pass, begin, true);
    if (memchr(host.bytes, '.', host.length) != NULL)
        learn(pass, pass->at + 1, false);
}

static void learn_here(struct pass *pass)
{
    int byte = byte_at(pass, pass->at);
    size_t length;

    if (byte == '@')
        learn_login(pass);
    else if (isdigit(byte))
        learn_journal(pass);
    else if (byte == 'P')
        learn_rank(pass);
    learn_identity(pass);
    if (byte == '/' || byte == '"' || redact_begins(pass, pass->at)) {
        length = phrase_length(pass, before_users, sizeof before_users / sizeof before_users[0]);
        if (length > 0)
            learn(pass, pass->at + length, true);
        length = phrase_length(pass, before_hosts, sizeof before_hosts / sizeof before_hosts[0]);
        if (length > 0)
            learn(pass, pass->at + length, false);
    }
}

void redact(struct redactor *redactor, struct slice bytes, struct text *out, struct arena *arena,
            struct redact_edits *edits)
{
    struct pass pass = {.redactor = redactor, .in = bytes, .out = out, .arena = arena, .edits = edits};

    while (pass.at < bytes.length) {
        learn_here(&pass);
        if (!redact_address(&pass) && !take_name(&pass) && !take_of_domain(&pass))
            text_add(out, bytes.bytes + pass.at++, 1);
    }
}
