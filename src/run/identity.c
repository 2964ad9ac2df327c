/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libssh2 1.10 signs with RSA only by SHA-1, which servers since OpenSSH 8.8 refuse, and it can ask nobody
 * for a passphrase. So the key's own words are read before it is tried: a refusal then says why.
 */
#include "identity.h"

#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/base/scan.h"
#include "assay/base/text.h"
#include "assay/reasons/model.h"
#include "assay/reasons/run.h"

enum { KEY_LIMIT = 65536 };

char *home_path(const char *path)
{
    const char *home = getenv("HOME");
    const struct passwd *user;

    if (strncmp(path, "~/", 2) != 0)
        return mem_strdup(path);
    if (home == NULL && (user = getpwuid(getuid())) != NULL)
        home = user->pw_dir;
    return mem_printf("%s/%s", home != NULL ? home : "", path + 2);
}

static bool take_string(struct slice *rest, struct slice *ret_string)
{
    const unsigned char *bytes = (const unsigned char *)rest->bytes;
    size_t length;

    if (rest->length < 4)
        return false;
    length = (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | bytes[3];
    if (length > rest->length - 4)
        return false;
    *ret_string = (struct slice){rest->bytes + 4, length};
    *rest = slice_from(*rest, 4 + length);
    return true;
}

/* Of a file, with its path as the argument. */
static const struct sentence *fault_of_type(struct slice type)
{
    if (slice_equal(type, "ssh-ed25519") || slice_starts(type, "ecdsa-sha2-"))
        return NULL;
    if (slice_equal(type, "ssh-rsa"))
        return &sentence_key_is_rsa;
    if (slice_starts(type, "sk-"))
        return &sentence_key_needs_security_key;
    return &sentence_key_type_unknown;
}

/* "TYPE BASE64", as a .pub file has it. */
static char *public_line(struct slice type, struct slice key)
{
    cleanup_free char *encoded = mem_alloc(4 * ((key.length + 2) / 3) + 1);

    EVP_EncodeBlock((unsigned char *)encoded, (const unsigned char *)key.bytes, (int)key.length);
    return mem_printf("%.*s %s", slice_print(type), encoded);
}

/* The private section: a number twice, by which OpenSSH sees that it was decrypted well; type, public key, and secret and
 * public key as one (PROTOCOL.key of OpenSSH; of an ed25519 key the secret is RFC 8032's). */
static EVP_PKEY *ed25519_of(struct slice section)
{
    enum { CHECKS = 8, SECRET = 32 };
    struct slice type, public, both;

    if (section.length < CHECKS)
        return NULL;
    section = slice_from(section, CHECKS);
    if (!take_string(&section, &type) || !slice_equal(type, "ssh-ed25519") ||
        !take_string(&section, &public) || !take_string(&section, &both) ||
        both.length != SECRET + public.length)
        return NULL;
    return EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, (const unsigned char *)both.bytes, SECRET);
}

/* The blob of OpenSSH's own format: magic, cipher, kdf, kdf options, count, public key (type first), private section. */
static const struct sentence *fault_of_blob(struct slice blob, struct identity *identity)
{
    static const char magic[] = "openssh-key-v1";
    struct slice cipher, kdf, options, public, rest, type, section;
    const struct sentence *fault;

    if (blob.length < sizeof magic || memcmp(blob.bytes, magic, sizeof magic) != 0)
        return &sentence_key_not_openssh;
    blob = slice_from(blob, sizeof magic);
    if (!take_string(&blob, &cipher) || !take_string(&blob, &kdf) || !take_string(&blob, &options) ||
        blob.length < 4)
        return &sentence_key_damaged;
    if (!slice_equal(cipher, "none"))
        return &sentence_key_encrypted;
    blob = slice_from(blob, 4);
    if (!take_string(&blob, &public) || (rest = public, !take_string(&rest, &type)))
        return &sentence_key_damaged;
    fault = fault_of_type(type);
    if (fault != NULL)
        return fault;
    identity->public = public_line(type, public);
    if (take_string(&blob, &section))
        identity->signer = ed25519_of(section);
    identity->blob = mem_alloc(public.length);
    memcpy(identity->blob, public.bytes, public.length);
    identity->blob_length = public.length;
    return NULL;
}

static const struct sentence *fault_of_openssh(struct slice body, struct identity *identity)
{
    size_t size = body.length + 4;
    cleanup_free unsigned char *blob = mem_alloc(size);
    EVP_ENCODE_CTX *decoder = EVP_ENCODE_CTX_new();
    int length = 0, tail = 0, rc = -1;
    const struct sentence *fault;

    if (decoder != NULL) {
        EVP_DecodeInit(decoder);
        rc = EVP_DecodeUpdate(decoder, blob, &length, (const unsigned char *)body.bytes, (int)body.length);
        if (rc >= 0)
            rc = EVP_DecodeFinal(decoder, blob + length, &tail);
    }
    EVP_ENCODE_CTX_free(decoder);
    fault = rc < 0 ? &sentence_key_damaged
                   : fault_of_blob((struct slice){(const char *)blob, (size_t)(length + tail)}, identity);
    explicit_bzero(blob, size);
    return fault;
}

static const struct sentence *fault_of_key(struct slice text, struct identity *identity)
{
    static const char begin[] = "-----BEGIN OPENSSH PRIVATE KEY-----\n";
    size_t at = slice_find(text, begin), end;

    if (at != (size_t)-1) {
        text = slice_from(text, at + strlen(begin));
        end = slice_find(text, "-----END");
        if (end == (size_t)-1)
            return &sentence_key_damaged;
        return fault_of_openssh((struct slice){text.bytes, end}, identity);
    }
    if (slice_contains(text, "ENCRYPTED"))
        return &sentence_key_encrypted;
    if (slice_contains(text, "-----BEGIN EC PRIVATE KEY-----"))
        return NULL;
    if (slice_contains(text, "-----BEGIN RSA PRIVATE KEY-----"))
        return fault_of_type(slice_of("ssh-rsa"));
    return &sentence_key_not_usable;
}

/* libssh2 reads lines of at most 127 bytes, and some programs write the whole key in one. */
static void wrap_lines(struct text *text)
{
    enum { LINE_BYTES = 64 };
    struct slice rest = {text->bytes, text->length}, line;
    cleanup_text struct text wrapped = {0};

    text_init(&wrapped, KEY_LIMIT);
    while (scan_line(&rest, &line))
        do {
            struct slice piece = {line.bytes, line.length < LINE_BYTES ? line.length : LINE_BYTES};

            text_add(&wrapped, piece.bytes, piece.length);
            text_put(&wrapped, "\n");
            line = slice_from(line, piece.length);
        } while (line.length > 0);
    text_add(&wrapped, rest.bytes, rest.length);
    text_reset(text);
    text_add(text, wrapped.bytes, wrapped.length);
}

static bool has_certificate(const char *path)
{
    cleanup_free char *certificate = mem_printf("%s-cert.pub", path);

    return file_exists(certificate);
}

static struct identity *load(char *path)
{
    struct identity *identity = mem_alloc(sizeof *identity);
    cleanup_text struct text text = {0};
    struct error err;
    const struct sentence *fault;

    identity->path = path;
    identity->arena = arena_create();
    text_init(&text, KEY_LIMIT);
    if (file_read(path, &text, &err) != 0) {
        identity->fault = reason(identity->arena, key_unreadable, err.text);
        return identity;
    }
    fault = fault_of_key((struct slice){text.bytes, text.length}, identity);
    if (fault != NULL)
        identity->fault = reason_make(identity->arena, fault, (struct reason_value[]){REASON_VALUE(path)}, 1);
    else if (has_certificate(path))
        identity->fault = reason(identity->arena, key_has_certificate, path);
    wrap_lines(&text);
    identity->length = text.length;
    identity->bytes = text_detach(&text);
    text_release(&text);
    return identity;
}

/* Takes path. */
static const struct identity *get(struct identity **list, char *path)
{
    struct identity *identity;

    for (identity = *list; identity != NULL; identity = identity->next)
        if (strcmp(identity->path, path) == 0) {
            free(path);
            return identity;
        }
    identity = load(path);
    identity->next = *list;
    *list = identity;
    return identity;
}

const struct identity *identity_get(struct identity **list, const char *path)
{
    static const char *const defaults[] = {"~/.ssh/id_ed25519", "~/.ssh/id_ecdsa"};

    if (path != NULL)
        return get(list, home_path(path));
    for (size_t i = 0; i < ARRAY_SIZE(defaults); i++) {
        char *candidate = home_path(defaults[i]);

        if (file_exists(candidate))
            return get(list, candidate);
        free(candidate);
    }
    return NULL;
}

bool identity_sign(const struct identity *identity, const unsigned char *data, size_t length,
                   unsigned char signature[IDENTITY_SIGNATURE])
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t size = IDENTITY_SIGNATURE;
    bool ok = context != NULL && EVP_DigestSignInit(context, NULL, NULL, NULL, identity->signer) == 1 &&
              EVP_DigestSign(context, signature, &size, data, length) == 1 && size == IDENTITY_SIGNATURE;

    EVP_MD_CTX_free(context);
    return ok;
}

static bool agent_answers(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    cleanup_fd int agent = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    return agent >= 0 && connect(agent, (const struct sockaddr *)&address, sizeof address) == 0;
}

const struct reason *identity_trouble(struct identity **list, const char *path, struct arena *arena)
{
    const struct identity *identity = identity_get(list, path);
    const char *agent = getenv("SSH_AUTH_SOCK");
    bool unread = identity != NULL && identity->bytes == NULL;
    bool gone = agent != NULL && *agent != '\0' && !agent_answers(agent);

    return reason_also(arena, unread ? identity->fault : NULL,
                       gone ? reason(arena, no_agent_answers, agent) : NULL);
}

void identities_release(struct identity *list)
{
    struct identity *next;

    for (; list != NULL; list = next) {
        next = list->next;
        if (list->bytes != NULL)
            explicit_bzero(list->bytes, list->length);
        EVP_PKEY_free(list->signer);
        free(list->bytes);
        free(list->path);
        free(list->public);
        free(list->blob);
        arena_destroy(list->arena);
        free(list);
    }
}
