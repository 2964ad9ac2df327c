/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libssh2 compares a name with every line of its list, and does so for each question. A site's known_hosts has a line
 * for each host, so that all hosts together would cost the square of their number: the lines are dealt out by name to
 * many lists, of which a question sees one. What a hashed line is called shows only when a name is tried on it, so
 * those are tried once a name and then join the others.
 */
#include "known_hosts.h"

#include <fcntl.h>
#include <libssh2.h>
#include <openssl/evp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay/arena.h"
#include "assay/cleanup.h"
#include "assay/files.h"
#include "assay/log.h"
#include "assay/scan.h"
#include "identity.h"

enum {
    FILE_LIMIT = 64 << 20,
    DEFAULT_PORT = 22,
    PLACES = 1024,
    SHA1_BYTES = 20,
    SHA1_BASE64 = 28,
    SHA1_BLOCK = 64
};

/* Of the names whose hash is the same. */
struct place {
    LIBSSH2_KNOWNHOSTS *list; /* NULL: none */
    struct text tried;        /* names that have been tried on the hashed lines, one a line */
};

/* "|1|SALT|HASH TYPE KEY" */
struct hashed_line {
    unsigned char salt[SHA1_BYTES], hash[SHA1_BYTES];
    char *rest; /* "TYPE KEY" */
};

struct known_hosts {
    LIBSSH2_SESSION *session; /* never connected: libssh2 wants one to hold the lists */
    struct place places[PLACES];
    struct hashed_line *hashed; /* that no name has fitted yet */
    size_t hashed_count, hashed_capacity;
    EVP_MD *sha1; /* looked up once: that takes longer than to use it */
    EVP_MD_CTX *digest;
    struct known_hosts *next;
    bool standard;       /* the user's own and the system's */
    char *path;          /* where new keys go */
    struct text revoked; /* base64 keys, one a line */
    bool authority;      /* a @cert-authority line was seen */
};

static const struct {
    const char *name;
    int mask;
} key_types[] = {
    {"ssh-ed25519", LIBSSH2_KNOWNHOST_KEY_ED25519},
    {"ecdsa-sha2-nistp256", LIBSSH2_KNOWNHOST_KEY_ECDSA_256},
    {"ecdsa-sha2-nistp384", LIBSSH2_KNOWNHOST_KEY_ECDSA_384},
    {"ecdsa-sha2-nistp521", LIBSSH2_KNOWNHOST_KEY_ECDSA_521},
};

enum { KEY_TYPES = sizeof key_types / sizeof key_types[0] };

static int mask_of(const char *type)
{
    for (size_t i = 0; i < KEY_TYPES; i++)
        if (strcmp(key_types[i].name, type) == 0)
            return key_types[i].mask;
    return LIBSSH2_KNOWNHOST_KEY_UNKNOWN;
}

/* "@revoked HOSTS TYPE KEY": kept whatever the hosts are, so that such a key is refused everywhere. */
static void note_marker(struct known_hosts *known, struct slice line)
{
    struct slice word, key;

    known->authority |= slice_starts(line, "@cert-authority");
    if (scan_word(&line, &word) && slice_equal(word, "@revoked") && scan_word(&line, &word) &&
        scan_word(&line, &word) && scan_word(&line, &key)) {
        text_add(&known->revoked, key.bytes, key.length);
        text_put(&known->revoked, "\n");
    }
}

/* FNV-1a */
static struct place *place_of(struct known_hosts *known, struct slice name)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < name.length; i++)
        hash = (hash ^ (unsigned char)name.bytes[i]) * 16777619u;
    return &known->places[hash % PLACES];
}

/*
 * Line by line: libssh2_knownhost_readfile stops at the first line that it does not like. And each as a
 * string of its own: libssh2 1.10 looks one byte past the length, and where that is a newline it takes the
 * last byte off the key.
 */
static bool add_name(struct known_hosts *known, struct slice name, struct slice rest)
{
    cleanup_free char *line = mem_printf("%.*s %.*s", slice_print(name), slice_print(rest));
    struct place *place = place_of(known, name);

    if (place->list == NULL)
        place->list = libssh2_knownhost_init(known->session);
    return place->list != NULL &&
           libssh2_knownhost_readline(place->list, line, strlen(line), LIBSSH2_KNOWNHOST_FILE_OPENSSH) == 0;
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

static bool add_hashed(struct known_hosts *known, struct slice names, struct slice rest)
{
    struct hashed_line line;

    if (!scan_text(&names, "|1|") || !take_sha1(&names, line.salt) || !scan_text(&names, "|") ||
        !take_sha1(&names, line.hash) || names.length > 0)
        return false;
    if (known->hashed_count == known->hashed_capacity) {
        known->hashed_capacity = 2 * known->hashed_capacity + 64;
        known->hashed = mem_resize(known->hashed, known->hashed_capacity * sizeof *known->hashed);
    }
    line.rest = mem_printf("%.*s", slice_print(rest));
    known->hashed[known->hashed_count++] = line;
    return true;
}

static bool add_line(struct known_hosts *known, struct slice line)
{
    struct slice rest = line, names;
    bool added = true;

    if (!scan_word(&rest, &names))
        return false;
    if (slice_starts(names, "|"))
        return add_hashed(known, names, rest);
    while (names.length > 0) {
        size_t comma = slice_find(names, ",");
        struct slice name = {names.bytes, comma < names.length ? comma : names.length};

        added = add_name(known, name, rest) && added;
        names = slice_from(names, name.length + 1);
    }
    return added;
}

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
    struct slice rest = {place->tried.bytes, place->tried.length}, tried;

    while (scan_line(&rest, &tried))
        if (slice_equal(tried, name))
            return true;
    return false;
}

/* The place of the name, with the hashed lines that are its own. */
static struct place *open_place(struct known_hosts *known, const char *name)
{
    struct place *place = place_of(known, slice_of(name));

    if (known->hashed_count == 0 || was_tried(place, name))
        return place;
    text_printf(&place->tried, "%s\n", name);
    for (size_t i = 0; i < known->hashed_count;) {
        struct hashed_line *line = &known->hashed[i];

        if (!is_called(known, line, name)) {
            i++;
            continue;
        }
        if (!add_name(known, slice_of(name), slice_of(line->rest)))
            log_debug("known_hosts: the hashed line of %s is not read", name);
        free(line->rest);
        *line = known->hashed[--known->hashed_count];
    }
    return place;
}

static void read_lines(struct known_hosts *known, struct slice rest)
{
    struct slice line;

    while (scan_line(&rest, &line)) {
        line = slice_trim(line);
        if (line.length == 0 || line.bytes[0] == '#')
            continue;
        if (line.bytes[0] == '@')
            note_marker(known, line);
        else if (!add_line(known, line))
            log_debug("known_hosts: not read: %.*s", slice_print(line));
    }
}

static void read_file(struct known_hosts *known, const char *path)
{
    cleanup_text struct text text = {0};
    struct error err;

    text_init(&text, FILE_LIMIT);
    if (!file_exists(path))
        return;
    if (file_read(path, &text, &err) != 0) {
        log_debug("%s", err.text);
        return;
    }
    text_put(&text, "\n");
    read_lines(known, (struct slice){text.bytes, text.length});
}

static struct known_hosts *create(const char *path)
{
    struct known_hosts *known = mem_alloc(sizeof *known);

    known->session = libssh2_session_init();
    known->standard = path == NULL;
    known->path = home_path(path != NULL ? path : "~/.ssh/known_hosts");
    text_init(&known->revoked, FILE_LIMIT);
    for (size_t i = 0; i < PLACES; i++)
        text_init(&known->places[i].tried, FILE_LIMIT);
    known->sha1 = EVP_MD_fetch(NULL, "SHA1", NULL);
    known->digest = EVP_MD_CTX_new();
    if (known->session == NULL)
        return known;
    read_file(known, known->path);
    if (path == NULL)
        read_file(known, "/etc/ssh/ssh_known_hosts");
    return known;
}

struct known_hosts *known_hosts_get(struct known_hosts **list, const char *path)
{
    cleanup_free char *full = path != NULL ? home_path(path) : NULL;
    struct known_hosts *known;

    for (known = *list; known != NULL; known = known->next)
        if (path == NULL ? known->standard : !known->standard && strcmp(known->path, full) == 0)
            return known;
    known = create(path);
    known->next = *list;
    *list = known;
    return known;
}

static void destroy(struct known_hosts *known)
{
    for (size_t i = 0; i < PLACES; i++) {
        if (known->places[i].list != NULL)
            libssh2_knownhost_free(known->places[i].list);
        text_release(&known->places[i].tried);
    }
    for (size_t i = 0; i < known->hashed_count; i++)
        free(known->hashed[i].rest);
    free(known->hashed);
    EVP_MD_CTX_free(known->digest);
    EVP_MD_free(known->sha1);
    if (known->session != NULL)
        libssh2_session_free(known->session);
    text_release(&known->revoked);
    free(known->path);
    free(known);
}

void known_hosts_release(struct known_hosts *list)
{
    struct known_hosts *next;

    for (; list != NULL; list = next) {
        next = list->next;
        destroy(list);
    }
}

static char *name_of(const char *host, unsigned port)
{
    return port == DEFAULT_PORT ? mem_strdup(host) : mem_printf("[%s]:%u", host, port);
}

static int check(struct known_hosts *known, const char *name, const char *key, size_t length, int mask)
{
    LIBSSH2_KNOWNHOSTS *list = open_place(known, name)->list;
    struct libssh2_knownhost *found;

    if (list == NULL)
        return LIBSSH2_KNOWNHOST_CHECK_NOTFOUND;
    return libssh2_knownhost_check(
        list, name, key, length, LIBSSH2_KNOWNHOST_TYPE_PLAIN | LIBSSH2_KNOWNHOST_KEYENC_RAW | mask, &found);
}

/* Whether the files name this host with a key of that type: any other key then is a mismatch. */
static bool has_type(struct known_hosts *known, const char *name, int mask)
{
    return check(known, name, "-", 1, mask) == LIBSSH2_KNOWNHOST_CHECK_MISMATCH;
}

static char *base64(const void *key, size_t length)
{
    char *encoded = mem_alloc(4 * ((length + 2) / 3) + 1);

    EVP_EncodeBlock((unsigned char *)encoded, key, (int)length);
    return encoded;
}

static bool is_revoked(const struct known_hosts *known, const void *key, size_t length)
{
    cleanup_free char *encoded = base64(key, length);
    struct slice rest = {known->revoked.bytes, known->revoked.length}, line;

    while (scan_line(&rest, &line))
        if (slice_equal(line, encoded))
            return true;
    return false;
}

enum known_host known_hosts_check(struct known_hosts *known, const char *host, unsigned port,
                                  const char *type, const void *key, size_t length)
{
    cleanup_free char *name = name_of(host, port);
    int mask = mask_of(type);

    if (known->session == NULL || mask == LIBSSH2_KNOWNHOST_KEY_UNKNOWN)
        return KNOWN_HOST_UNKNOWN;
    if (is_revoked(known, key, length))
        return KNOWN_HOST_REVOKED;
    if (check(known, name, key, length, mask) == LIBSSH2_KNOWNHOST_CHECK_MATCH)
        return KNOWN_HOST_MATCH;
    for (size_t i = 0; i < KEY_TYPES; i++)
        if (has_type(known, name, key_types[i].mask))
            return KNOWN_HOST_CHANGED;
    /* As OpenSSH does: at another port, the host's plain name may vouch for the key, but not against it. */
    if (port != DEFAULT_PORT && check(known, host, key, length, mask) == LIBSSH2_KNOWNHOST_CHECK_MATCH)
        return KNOWN_HOST_MATCH;
    if (known->authority || has_type(known, name, LIBSSH2_KNOWNHOST_KEY_SSHRSA))
        return KNOWN_HOST_BEYOND;
    return KNOWN_HOST_UNKNOWN;
}

void known_hosts_order(struct known_hosts *known, const char *host, unsigned port, struct text *out)
{
    cleanup_free char *name = name_of(host, port);

    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < KEY_TYPES; i++) {
            bool has = known->session != NULL &&
                       (has_type(known, name, key_types[i].mask) ||
                        (port != DEFAULT_PORT && has_type(known, host, key_types[i].mask)));

            if (has == (round == 0))
                text_printf(out, "%s%s", out->length > 0 ? "," : "", key_types[i].name);
        }
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
    cleanup_free char *name = name_of(host, port);
    cleanup_free char *encoded = base64(key, length);
    cleanup_free char *line = mem_printf("%s %s %s\n", name, type, encoded);

    return known->session != NULL && add_line(known, (struct slice){line, strlen(line) - 1}) &&
           append(known->path, line);
}
