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

#include "assay/model/hostfile.h"
#include "redact_private.h"

enum { LONGEST_NAME = 255, FIRST_CAPACITY = 1024 };

static const char *const kinds[REDACT_KINDS] = {
    [REDACT_HOST] = "host", [REDACT_USER] = "user", [REDACT_DOMAIN] = "domain", [REDACT_IPV4] = "ipv4",
    [REDACT_IPV6] = "ipv6", [REDACT_MAC] = "mac",   [REDACT_GUID] = "guid",     [REDACT_NAME] = "name",
};

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
    const char *key = arena_printf(redactor->arena, "%c%s", 1 + (int)kind, name);
    struct known *known = know(redactor, key, strlen(key));

    if (known->n == 0) {
        known->n = ++redactor->last[kind];
        *list_push(redactor->arena, &redactor->pseudonyms.list) =
            (struct pseudonym){kinds[kind], lower(redactor->arena, name, strlen(name)), known->n};
    }
    return known->n;
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
        if (i >= 3 && strspn(name + i, "0123456789") == length - i && !redact_is_field(name, i))
            stem->numbered = true;
    }
}

static void know_one_domain(struct redactor *redactor, const char *name, size_t length)
{
    if (memchr(name, '.', length) != NULL && length <= LONGEST_NAME)
        know(redactor, name, length)->domain = true;
}

/* With the domains that it lies in, and whose it is: of "dc1.acme.example" also "acme.example" and "acme". */
static void know_domain(struct redactor *redactor, const char *name, size_t length)
{
    const char *whole = arena_strndup(redactor->arena, name, length), *owner = redact_owner_of_domain(whole);
    size_t label = strcspn(owner, ".");

    for (const char *at = whole; at != NULL && at <= owner; at = strchr(at, '.')) {
        at += *at == '.';
        know_one_domain(redactor, at, strlen(at));
    }
    if (owner[label] == '.' && label >= 3 && label <= LONGEST_NAME && !redact_is_common(owner, label) &&
        !redact_is_public(owner))
        know(redactor, owner, label)->owner = true;
}

void redactor_know_domain(struct redactor *redactor, const char *name)
{
    know_domain(redactor, name, strlen(name));
}

void redactor_know_host(struct redactor *redactor, const char *name)
{
    size_t length = name != NULL ? strcspn(name, ".") : 0;
    struct known *known;

    if (length == 0 || length > LONGEST_NAME || strncasecmp(name, "localhost", 9) == 0 ||
        strncasecmp(name, "anon-", 5) == 0 || redact_know_address(redactor, name))
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

    if (name == NULL || name[0] == '\0' || strlen(name) > LONGEST_NAME || redact_stays(name, strlen(name)) ||
        strncasecmp(name, "anon-", 5) == 0)
        return;
    known = know(redactor, name, strlen(name));
    known->user = true;
}

/* "Carol Smith": as a whole, and each of its words that is none of a tool. */
void redactor_know_person(struct redactor *redactor, const char *name)
{
    redactor_know_user(redactor, name);
    while (name != NULL && *name != '\0') {
        size_t length = strcspn(name, " ,;()<>\"\t");

        if (length >= 3 && memchr(name, '@', length) == NULL && !redact_is_common(name, length))
            redactor_know_user(redactor, arena_strndup(redactor->arena, name, length));
        name += length + (name[length] != '\0');
    }
}

void redactor_know_word(struct redactor *redactor, const char *word)
{
    size_t length = strlen(word);

    if (length > 0 && length <= LONGEST_NAME)
        know(redactor, word, length)->anywhere = true;
}

void redact_know_name(struct redactor *redactor, const char *name)
{
    if (strlen(name) <= LONGEST_NAME)
        know(redactor, name, strlen(name))->plain = true;
}

struct known *redact_know_alias(struct redactor *redactor, const char *alias, long long n)
{
    struct known *known = know(redactor, alias, strlen(alias));

    known->address = n;
    return known;
}

static void keep_pseudonym(struct redactor *redactor, const struct pseudonym *pseudonym)
{
    for (unsigned kind = 0; kind < ARRAY_SIZE(kinds); kind++)
        if (strcmp(kinds[kind], pseudonym->kind) == 0) {
            const char *key = arena_printf(redactor->arena, "%c%s", 1 + (int)kind, pseudonym->name);

            know(redactor, key, strlen(key))->n = pseudonym->n;
            if (pseudonym->n > redactor->last[kind])
                redactor->last[kind] = pseudonym->n;
            *list_push(redactor->arena, &redactor->pseudonyms.list) = *pseudonym;
        }
}

void redaction_keyed(const char *key, const char *sha256, char ret_hex[SHA256_HEX_SIZE])
{
    sha256_keyed(key, strlen(key), sha256, strlen(sha256), ret_hex);
}

void redactor_keyed(const struct redactor *redactor, const char *sha256, char ret_hex[SHA256_HEX_SIZE])
{
    redaction_keyed(redactor->key, sha256, ret_hex);
}

void redactor_know_hash(struct redactor *redactor, const char *sha256)
{
    enum { SHORT_DIGITS = 16 };
    char hex[SHA256_HEX_SIZE];
    struct known *whole = know(redactor, sha256, strlen(sha256));

    if (whole->hash != NULL || whole->length < SHORT_DIGITS)
        return;
    redactor_keyed(redactor, sha256, hex);
    whole->hash = arena_strdup(redactor->arena, hex);
    know(redactor, sha256, SHORT_DIGITS)->hash = arena_strndup(redactor->arena, hex, SHORT_DIGITS);
}

/* A key that nobody has afterwards. */
static void make_key(char ret_key[REDACTION_KEY_SIZE])
{
    unsigned char bytes[(REDACTION_KEY_SIZE - 1) / 2];

    random_bytes(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(ret_key + 2 * i, 3, "%02x", bytes[i]);
}

struct redactor *redactor_create(struct arena *arena, const struct pseudonyms *kept, const char *key)
{
    struct redactor *redactor = arena_new(arena, struct redactor);

    redactor->arena = arena;
    if (key != NULL)
        snprintf(redactor->key, sizeof redactor->key, "%s", key);
    else
        make_key(redactor->key);
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

/* As itself, or the last of "\u001b", "\x1b", "\033", "\e". */
static bool is_end_of_escape(char byte)
{
    return byte == '\x1b' || byte == 'b' || byte == 'B' || byte == '3' || byte == 'e';
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
    return i > 1 && bytes[i - 1] == '[' && is_end_of_escape(bytes[i - 2]);
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

/* A hash of an original, its beginning, or an address of hardware in another form. */
static bool take_digits(struct pass *pass, const struct known *known)
{
    if (!redact_begins(pass, pass->at) || is_alnum(byte_at(pass, pass->at + known->length)))
        return false;
    redact_replace(pass, known->length, known->hash);
    return true;
}

static const char *numbered(struct redactor *redactor, enum redact_kind kind, const char *name)
{
    return arena_printf(redactor->arena, "anon-%s%lld", kinds[kind], redact_number(redactor, kind, name));
}

/* Names without parts. */
static bool take_plain(struct pass *pass, const struct known *known)
{
    bool alone = redact_begins(pass, pass->at) && !is_alnum(byte_at(pass, pass->at + known->length));

    if (known->user && alone)
        redact_replace(pass, known->length, numbered(pass->redactor, REDACT_USER, known->name));
    else if (known->owner && alone)
        redact_replace(pass, known->length, numbered(pass->redactor, REDACT_DOMAIN, known->name));
    else if (known->anywhere || (known->plain && alone))
        redact_replace(pass, known->length, numbered(pass->redactor, REDACT_NAME, known->name));
    else
        return false;
    return true;
}

static bool take_known(struct pass *pass, const struct known *known)
{
    struct redactor *redactor = pass->redactor;

    if (known->hash != NULL && take_digits(pass, known))
        return true;
    if (known->stem && byte_at(pass, pass->at + known->length) == '[' && take_list(pass, known))
        return true;
    if ((known->host || known->address != 0) && stands_alone(pass, known)) {
        replace_host(pass, known->length,
                     known->host ? host_text(redactor, known->name, known->length)
                                 : arena_printf(redactor->arena, "anon-address%lld", known->address));
        return true;
    }
    if (known->domain && redact_begins(pass, pass->at) &&
        !is_name_byte(byte_at(pass, pass->at + known->length))) {
        redact_replace(pass, known->length, domain_text(pass, pass->at, known->length));
        return true;
    }
    return take_plain(pass, known) || take_neighbour(pass, known);
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

/* Keeps marks in the order of their places. */
void redact_mark(struct pass *pass, size_t at, size_t end, enum redact_kind kind)
{
    size_t i = pass->marks.count;

    if (end <= at || at < pass->at)
        return;
    list_push(pass->arena, &pass->marks);
    for (; i > pass->next_mark && pass->marks.items[i - 1].at > at; i--)
        pass->marks.items[i] = pass->marks.items[i - 1];
    pass->marks.items[i] = (struct redact_mark){at, end, kind};
}

/* A name where only a name stands, whatever word it is. */
static bool take_marked(struct pass *pass)
{
    struct redactor *redactor = pass->redactor;
    const struct redact_mark *mark;
    size_t label;

    while (pass->next_mark < pass->marks.count && pass->marks.items[pass->next_mark].at < pass->at)
        pass->next_mark++;
    if (pass->next_mark == pass->marks.count || pass->marks.items[pass->next_mark].at != pass->at)
        return false;
    mark = &pass->marks.items[pass->next_mark++];
    if (mark->kind == REDACT_HOST) {
        label = slice_find((struct slice){pass->in.bytes + mark->at, mark->end - mark->at}, ".");
        label = label == (size_t)-1 ? mark->end - mark->at : label;
        replace_host(pass, label, host_text(redactor, pass->in.bytes + mark->at, label));
    } else {
        redact_replace(pass, mark->end - mark->at,
                       numbered(redactor, mark->kind,
                                lower(redactor->arena, pass->in.bytes + mark->at, mark->end - mark->at)));
    }
    return true;
}

void redact(struct redactor *redactor, struct slice bytes, struct text *out, struct arena *arena,
            struct redact_edits *edits)
{
    struct pass pass = {.redactor = redactor, .in = bytes, .out = out, .arena = arena, .edits = edits};

    while (pass.at < bytes.length) {
        redact_learn(&pass);
        if (!take_marked(&pass) && !redact_address(&pass) && !take_name(&pass) && !take_of_domain(&pass))
            text_add(out, bytes.bytes + pass.at++, 1);
    }
}
