/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A site's known_hosts has a line for each host, so that to compare each host with every line would cost the square of
 * their number: lines are dealt out by their names to many places, of which a question sees one. Lines with patterns or
 * negations may speak of any host, and are asked each time; there are few. What a hashed line is called shows only when a
 * name is tried on it, so those are tried once a name and then stand where that name does.
 */
#include "known_hosts.h"

#include <ctype.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/base/scan.h"
#include "identity.h"

enum {
    FILE_LIMIT = 64 << 20,
    DEFAULT_PORT = 22,
    PLACES = 1024,
    LONGEST_NAME = 1022, /* of one pattern; OpenSSH believes no line that has a longer one */
    SHA1_BYTES = 20,
    SHA1_BASE64 = 28,
    SHA1_BLOCK = 64
};

enum line_kind {
    LINE_KEY,
    LINE_REVOKED,   /* without a key: it could not be read, so that each may be the one */
    LINE_AUTHORITY, /* who signs keys: libssh2 asks for no certificate */
    LINE_BEYOND,    /* a key of a type that libssh2 does not ask for */
    LINE_UNREADABLE
};

struct line {
    struct known_host_line at;
    enum line_kind kind;
    const char *names;      /* in small letters; hashed: as they stand */
    struct slice type, key; /* the key decoded */
};

/* A line, by one of its names. */
struct entry {
    const char *name;
    const struct line *line;
};

/* Of the names whose hash is the same. */
struct place {
    LIST_OF(struct entry) entries;
    LIST_OF(const char *) tried; /* names that have been tried on the hashed lines */
};

/* "|1|SALT|HASH" */
struct hashed_line {
    unsigned char salt[SHA1_BYTES], hash[SHA1_BYTES];
    const struct line *line;
};

struct known_hosts {
    struct arena *arena;
    struct place places[PLACES];
    LIST_OF(const struct line *) patterned;
    LIST_OF(struct hashed_line) hashed; /* that no name has fitted yet */
    LIST_OF(const struct line *) revoked;
    EVP_MD *sha1; /* looked up once: that takes longer than to use it */
    EVP_MD_CTX *digest;
    struct known_hosts *next;
    bool standard, system;         /* the user's own and the system's; the system's besides that one */
    char *path;                    /* where new keys go, */
    unsigned lines;                /* which has so many lines */
    struct known_host_line unread; /* a file that is there and could not be read */
};

/* What libssh2 may be asked for, best first. */
static const char *const key_types[] = {"ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384",
                                        "ecdsa-sha2-nistp521"};

enum { KEY_TYPES = ARRAY_SIZE(key_types) };

/* ---- what a name fits ---- */

/* '*' stands for any characters, '?' for one. */
static bool fits(const char *name, struct slice pattern)
{
    const char *again = NULL;
    size_t at = 0, star = 0;

    while (*name != '\0') {
        if (at < pattern.length && pattern.bytes[at] == '*') {
            star = ++at;
            again = name;
        } else if (at < pattern.length && (pattern.bytes[at] == '?' || pattern.bytes[at] == *name)) {
            at++;
            name++;
        } else if (again != NULL) {
            at = star;
            name = ++again;
        } else {
            return false;
        }
    }
    while (at < pattern.length && pattern.bytes[at] == '*')
        at++;
    return at == pattern.length;
}

/* Off the front of a list that commas separate. */
static bool take_name(struct slice *names, struct slice *ret_name)
{
    size_t comma = slice_find(*names, ",");

    if (names->length == 0)
        return false;
    *ret_name = (struct slice){names->bytes, comma < names->length ? comma : names->length};
    *names = slice_from(*names, ret_name->length + 1);
    return true;
}

/* One name that fits behind '!' outweighs all others of the line. */
static bool is_named(const char *name, const char *names)
{
    struct slice rest = slice_of(names), pattern;
    bool named = false;

    while (take_name(&rest, &pattern)) {
        bool negated = scan_text(&pattern, "!");

        if (!fits(name, pattern))
            continue;
        if (negated)
            return false;
        named = true;
    }
    return named;
}

static bool has_too_long_a_name(const char *names)
{
    struct slice rest = slice_of(names), pattern;

    while (take_name(&rest, &pattern))
        if (pattern.length - (slice_starts(pattern, "!") ? 1 : 0) > LONGEST_NAME)
            return true;
    return false;
}

/* FNV-1a */
static struct place *place_of(struct known_hosts *known, const char *name)
{
    uint32_t hash = 2166136261u;

    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return &known->places[hash % PLACES];
}

/* ---- reading ---- */

static void add_name(struct known_hosts *known, const char *name, const struct line *line)
{
    *list_push(known->arena, &place_of(known, name)->entries) = (struct entry){name, line};
}

static bool take_sha1(struct slice *names, unsigned char *ret_bytes)
{
    unsigned char bytes[SHA1_BYTES + 1]; /* 28 characters stand for 21 bytes, of which one is padding */

    if (names->length < SHA1_BASE64 ||
        EVP_DecodeBlock(bytes, (const unsigned char *)names->bytes, SHA1_BASE64) != (int)sizeof bytes)
        return false;
    memcpy(ret_bytes, bytes, SHA1_BYTES);
    *names = slice_from(*names, SHA1_BASE64);
    return true;
}

/* A line of another form is not read. */
static void add_hashed(struct known_hosts *known, const struct line *line)
{
    struct slice names = slice_of(line->names);
    struct hashed_line hashed = {.line = line};

    if (!scan_text(&names, "|1|") || !take_sha1(&names, hashed.salt) || !scan_text(&names, "|") ||
        !take_sha1(&names, hashed.hash) || names.length > 0)
        return;
    *list_push(known->arena, &known->hashed) = hashed;
}

static void add_line(struct known_hosts *known, const struct line *line)
{
    struct slice rest = slice_of(line->names), name;

    if (line->kind == LINE_REVOKED && line->key.length > 0)
        *list_push(known->arena, &known->revoked) = line;
    else if (line->names[0] == '|')
        add_hashed(known, line);
    else if (has_too_long_a_name(line->names))
        return;
    else if (strpbrk(line->names, "*?!") != NULL)
        *list_push(known->arena, &known->patterned) = line;
    else
        while (take_name(&rest, &name))
            add_name(known, arena_strndup(known->arena, name.bytes, name.length), line);
}

static char *lower(struct arena *arena, struct slice text)
{
    char *copy = arena_strndup(arena, text.bytes, text.length);

    for (char *at = copy; *at != '\0'; at++)
        *at = (char)tolower((unsigned char)*at);
    return copy;
}

/* The key's blob begins with its type. */
static bool is_of_type(struct slice key, struct slice type)
{
    const unsigned char *length = (const unsigned char *)key.bytes;

    return key.length > 4 + type.length && length[0] == 0 && length[1] == 0 &&
           (size_t)length[2] << 8 == (type.length & 0xff00) && length[3] == (type.length & 0xff) &&
           memcmp(key.bytes + 4, type.bytes, type.length) == 0;
}

/* Whole groups of four, the last one with at most two '=': nothing that two readers may read differently. */
static bool decode(struct arena *arena, struct slice text, struct slice *ret_bytes)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t padding = slice_ends(text, "==") ? 2 : slice_ends(text, "=") ? 1 : 0;
    char *copy = arena_strndup(arena, text.bytes, text.length);
    unsigned char *bytes = arena_alloc(arena, text.length / 4 * 3 + 1);

    if (text.length == 0 || text.length % 4 != 0 || strspn(copy, alphabet) != text.length - padding ||
        EVP_DecodeBlock(bytes, (const unsigned char *)copy, (int)text.length) < 0)
        return false;
    *ret_bytes = (struct slice){(const char *)bytes, text.length / 4 * 3 - padding};
    return true;
}

static bool is_usable(struct slice type)
{
    for (size_t i = 0; i < KEY_TYPES; i++)
        if (slice_equal(type, key_types[i]))
            return true;
    return false;
}

/* "TYPE KEY COMMENT" */
static enum line_kind take_key(struct arena *arena, struct slice rest, struct line *line)
{
    struct slice type, word;

    if (!scan_word(&rest, &type) || !scan_word(&rest, &word))
        return LINE_UNREADABLE;
    line->type = slice_of(arena_strndup(arena, type.bytes, type.length));
    if (!decode(arena, word, &line->key) || !is_of_type(line->key, type)) {
        line->key = (struct slice){"", 0};
        return is_usable(type) ? LINE_UNREADABLE : LINE_BEYOND;
    }
    return is_usable(type) ? LINE_KEY : LINE_BEYOND;
}

/* Takes markers off the front. One that nobody knows, or more than one, makes the line unreadable. */
static enum line_kind take_markers(struct slice *rest)
{
    enum line_kind kind = LINE_KEY;
    struct slice after = *rest, word;

    while (scan_word(&after, &word) && slice_starts(word, "@")) {
        *rest = after;
        if (kind != LINE_KEY)
            kind = LINE_UNREADABLE;
        else
            kind = slice_equal(word, "@revoked")          ? LINE_REVOKED
                   : slice_equal(word, "@cert-authority") ? LINE_AUTHORITY
                                                          : LINE_UNREADABLE;
    }
    return kind;
}

static void read_line(struct known_hosts *known, struct slice rest, const struct known_host_line *at)
{
    enum line_kind kind = take_markers(&rest), key;
    struct line *line;
    struct slice names;

    if (!scan_word(&rest, &names))
        return;
    line = arena_new(known->arena, struct line);
    line->at = *at;
    line->names = names.bytes[0] == '|' ? arena_strndup(known->arena, names.bytes, names.length)
                                        : lower(known->arena, names);
    key = take_key(known->arena, rest, line);
    line->kind = kind == LINE_KEY || (kind == LINE_AUTHORITY && key == LINE_UNREADABLE) ? key : kind;
    add_line(known, line);
}

/* How many there are. */
static unsigned read_lines(struct known_hosts *known, struct slice rest, const char *path)
{
    struct known_host_line at = {path, 0};
    struct slice line;

    while (scan_line(&rest, &line)) {
        const char *end = memchr(line.bytes, '\0', line.length);

        at.number++;
        if (end != NULL)
            line.length = (size_t)(end - line.bytes);
        line = slice_trim(line);
        if (line.length > 0 && line.bytes[0] != '#')
            read_line(known, line, &at);
    }
    return at.number;
}

static unsigned read_file(struct known_hosts *known, const char *given)
{
    cleanup_free char *full = home_path(given);
    const char *path = arena_strdup(known->arena, full);
    cleanup_text struct text text = {0};
    struct error err;

    text_init(&text, FILE_LIMIT);
    if (!file_exists(path))
        return 0;
    if (file_read(path, &text, &err) != 0) {
        known->unread.path = path;
        return 0;
    }
    if (text.length > 0 && text.bytes[text.length - 1] != '\n')
        text_put(&text, "\n");
    return read_lines(known, (struct slice){text.bytes, text.length}, path);
}

static struct known_hosts *create(const char *path, bool system)
{
    struct known_hosts *known = mem_alloc(sizeof *known);

    known->arena = arena_create();
    known->standard = path == NULL;
    known->system = system;
    known->path = home_path(path != NULL ? path : "~/.ssh/known_hosts");
    known->sha1 = EVP_MD_fetch(NULL, "SHA1", NULL);
    known->digest = EVP_MD_CTX_new();
    known->lines = read_file(known, known->path);
    if (known->standard)
        read_file(known, "~/.ssh/known_hosts2");
    if (known->standard || known->system) {
        read_file(known, "/etc/ssh/ssh_known_hosts");
        read_file(known, "/etc/ssh/ssh_known_hosts2");
    }
    return known;
}

struct known_hosts *known_hosts_get(struct known_hosts **list, const char *path, bool system)
{
    cleanup_free char *full = path != NULL ? home_path(path) : NULL;
    struct known_hosts *known;

    for (known = *list; known != NULL; known = known->next)
        if (path == NULL ? known->standard
                         : !known->standard && known->system == system && strcmp(known->path, full) == 0)
            return known;
    known = create(path, system);
    known->next = *list;
    *list = known;
    return known;
}

void known_hosts_release(struct known_hosts *list)
{
    struct known_hosts *next;

    for (; list != NULL; list = next) {
        next = list->next;
        EVP_MD_CTX_free(list->digest);
        EVP_MD_free(list->sha1);
        arena_destroy(list->arena);
        free(list->path);
        free(list);
    }
}

/* ---- whose lines ---- */

static bool digest(struct known_hosts *known, const unsigned char *block, struct slice text,
                   unsigned char *ret_hash)
{
    return EVP_DigestInit_ex(known->digest, known->sha1, NULL) == 1 &&
           EVP_DigestUpdate(known->digest, block, SHA1_BLOCK) == 1 &&
           EVP_DigestUpdate(known->digest, text.bytes, text.length) == 1 &&
           EVP_DigestFinal_ex(known->digest, ret_hash, NULL) == 1;
}

/* HMAC-SHA1 of the name, keyed with the salt (RFC 2104). */
static bool is_called(struct known_hosts *known, const struct hashed_line *line, const char *name)
{
    unsigned char inner[SHA1_BLOCK], outer[SHA1_BLOCK], hash[SHA1_BYTES];

    memset(inner, 0x36, sizeof inner);
    memset(outer, 0x5c, sizeof outer);
    for (size_t i = 0; i < SHA1_BYTES; i++) {
        inner[i] ^= line->salt[i];
        outer[i] ^= line->salt[i];
    }
    return digest(known, inner, slice_of(name), hash) &&
           digest(known, outer, (struct slice){(const char *)hash, sizeof hash}, hash) &&
           memcmp(hash, line->hash, sizeof hash) == 0;
}

static bool was_tried(const struct place *place, const char *name)
{
    for (size_t i = 0; i < place->tried.count; i++)
        if (strcmp(place->tried.items[i], name) == 0)
            return true;
    return false;
}

/* The place of the name, with the hashed lines that are its own. */
static struct place *open_place(struct known_hosts *known, const char *name)
{
    struct place *place = place_of(known, name);

    if (known->hashed.count == 0 || was_tried(place, name))
        return place;
    name = arena_strdup(known->arena, name);
    *list_push(known->arena, &place->tried) = name;
    for (size_t i = 0; i < known->hashed.count;) {
        struct hashed_line *hashed = &known->hashed.items[i];

        if (!is_called(known, hashed, name)) {
            i++;
            continue;
        }
        add_name(known, name, hashed->line);
        *hashed = known->hashed.items[--known->hashed.count];
    }
    return place;
}

/* A key that is asked about; type NULL: none is. */
struct shown {
    const char *type;
    struct slice key;
};

/* What the lines that name a host say: the first of each kind, and which types they know. */
struct opinion {
    const struct line *vouching, *contradicting, *beyond, *authority, *unreadable, *revoking;
    bool knows[KEY_TYPES];
};

static bool is_key(const struct line *line, const struct shown *shown)
{
    return shown->type != NULL && slice_equal(line->type, shown->type) &&
           line->key.length == shown->key.length &&
           memcmp(line->key.bytes, shown->key.bytes, shown->key.length) == 0;
}

static void keep_first(const struct line **kept, const struct line *line)
{
    if (*kept == NULL)
        *kept = line;
}

static void hear_line(struct opinion *opinion, const struct line *line, const struct shown *shown)
{
    switch (line->kind) {
    case LINE_KEY:
        keep_first(is_key(line, shown) ? &opinion->vouching : &opinion->contradicting, line);
        for (size_t i = 0; i < KEY_TYPES; i++)
            opinion->knows[i] |= slice_equal(line->type, key_types[i]);
        break;
    case LINE_REVOKED:
        keep_first(&opinion->revoking, line);
        break;
    case LINE_AUTHORITY:
        keep_first(&opinion->authority, line);
        break;
    case LINE_BEYOND:
        keep_first(&opinion->beyond, line);
        break;
    case LINE_UNREADABLE:
    default:
        keep_first(&opinion->unreadable, line);
        break;
    }
}

static struct opinion hear(struct known_hosts *known, const char *name, const struct shown *shown)
{
    const struct place *place = open_place(known, name);
    struct opinion opinion = {0};

    for (size_t i = 0; i < place->entries.count; i++)
        if (strcmp(place->entries.items[i].name, name) == 0)
            hear_line(&opinion, place->entries.items[i].line, shown);
    for (size_t i = 0; i < known->patterned.count; i++)
        if (is_named(name, known->patterned.items[i]->names))
            hear_line(&opinion, known->patterned.items[i], shown);
    return opinion;
}

/* ---- the questions ---- */

char *known_hosts_name(const char *host, unsigned port)
{
    char *name = port == DEFAULT_PORT ? mem_strdup(host) : mem_printf("[%s]:%u", host, port);

    for (char *at = name; *at != '\0'; at++)
        *at = (char)tolower((unsigned char)*at);
    return name;
}

static const struct line *find_revoked(const struct known_hosts *known, struct slice key)
{
    for (size_t i = 0; i < known->revoked.count; i++) {
        const struct line *line = known->revoked.items[i];

        if (line->key.length == key.length && memcmp(line->key.bytes, key.bytes, key.length) == 0)
            return line;
    }
    return NULL;
}

/* At another port, what the host's plain name may say: for a key, but not against it. */
static enum known_host check_plain(struct known_hosts *known, const char *host, const struct shown *shown,
                                   const struct line **ret_line)
{
    cleanup_free char *name = known_hosts_name(host, DEFAULT_PORT);
    struct opinion plain = hear(known, name, shown);

    if ((*ret_line = plain.revoking) != NULL)
        return KNOWN_HOST_REVOKED;
    if ((*ret_line = plain.vouching) != NULL)
        return KNOWN_HOST_MATCH;
    if ((*ret_line = plain.authority) != NULL)
        return KNOWN_HOST_BEYOND;
    return KNOWN_HOST_UNKNOWN;
}

/* The first that applies. */
static enum known_host check(struct known_hosts *known, const char *host, unsigned port,
                             const struct shown *shown, const struct line **ret_line)
{
    cleanup_free char *name = known_hosts_name(host, port);
    struct opinion own = hear(known, name, shown);

    if ((*ret_line = find_revoked(known, shown->key)) != NULL || (*ret_line = own.revoking) != NULL)
        return KNOWN_HOST_REVOKED;
    if ((*ret_line = own.vouching) != NULL)
        return KNOWN_HOST_MATCH;
    if ((*ret_line = own.authority) != NULL)
        return KNOWN_HOST_BEYOND;
    if ((*ret_line = own.contradicting) != NULL)
        return KNOWN_HOST_CHANGED;
    if ((*ret_line = own.beyond) != NULL)
        return KNOWN_HOST_BEYOND;
    if ((*ret_line = own.unreadable) != NULL)
        return KNOWN_HOST_UNREADABLE;
    return port != DEFAULT_PORT ? check_plain(known, host, shown, ret_line) : KNOWN_HOST_UNKNOWN;
}

enum known_host known_hosts_check(struct known_hosts *known, const char *host, unsigned port,
                                  const char *type, const void *key, size_t length,
                                  struct known_host_line *ret_line)
{
    struct shown shown = {type, {key, length}};
    const struct line *line;
    enum known_host answer = check(known, host, port, &shown, &line);

    *ret_line = line != NULL ? line->at : (struct known_host_line){0};
    if (answer != KNOWN_HOST_UNKNOWN || known->unread.path == NULL)
        return answer;
    *ret_line = known->unread;
    return KNOWN_HOST_UNREADABLE;
}

void known_hosts_order(struct known_hosts *known, const char *host, unsigned port, struct text *out)
{
    cleanup_free char *name = known_hosts_name(host, port);
    cleanup_free char *plain_name = known_hosts_name(host, DEFAULT_PORT);
    struct opinion own = hear(known, name, &(struct shown){0});
    struct opinion plain = hear(known, plain_name, &(struct shown){0});

    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < KEY_TYPES; i++)
            if ((own.knows[i] || plain.knows[i]) == (round == 0))
                text_printf(out, "%s%s", out->length > 0 ? "," : "", key_types[i]);
}

static bool append(const char *path, const char *line)
{
    cleanup_free char *folder = mem_strdup(path);
    char *slash = strrchr(folder, '/'), last = '\n';
    cleanup_fd int fd = -1;

    if (slash != NULL && slash != folder) {
        *slash = '\0';
        if (!file_exists(folder) && directory_create(folder, 0700, NULL) != 0)
            return false;
    }
    fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    /* A last line without its newline would swallow ours. */
    if (lseek(fd, -1, SEEK_END) >= 0 && read(fd, &last, 1) == 1 && last != '\n' && write(fd, "\n", 1) != 1)
        return false;
    return write(fd, line, strlen(line)) == (ssize_t)strlen(line);
}

bool known_hosts_add(struct known_hosts *known, const char *host, unsigned port, const char *type,
                     const void *key, size_t length)
{
    cleanup_free char *name = known_hosts_name(host, port);
    cleanup_free char *encoded = mem_alloc(4 * ((length + 2) / 3) + 1);
    cleanup_free char *line = NULL;

    EVP_EncodeBlock((unsigned char *)encoded, key, (int)length);
    line = mem_printf("%s %s %s\n", name, type, encoded);
    read_line(known, (struct slice){line, strlen(line) - 1},
              &(struct known_host_line){known->path, ++known->lines});
    return append(known->path, line);
}
