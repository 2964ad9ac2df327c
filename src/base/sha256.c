/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/base/sha256.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct sha256 {
    EVP_MD_CTX *context;
};

/* libcrypto fails here only without memory or without a random source: nothing that a caller could mend. */
static void require(int done)
{
    if (done != 1) {
        fprintf(stderr, "assay: libcrypto failed\n");
        abort();
    }
}

/* Fetched once: looking for it costs more than hashing a few words does, and every step of a plan has a hash. */
static const EVP_MD *algorithm;
static pthread_once_t fetched = PTHREAD_ONCE_INIT;

static void fetch(void)
{
    algorithm = EVP_MD_fetch(NULL, "SHA256", NULL);
    require(algorithm != NULL);
}

struct sha256 *sha256_create(void)
{
    struct sha256 *hash = calloc(1, sizeof *hash);

    require(pthread_once(&fetched, fetch) == 0);

    require(hash != NULL);
    hash->context = EVP_MD_CTX_new();
    require(hash->context != NULL);
    require(EVP_DigestInit_ex(hash->context, algorithm, NULL));
    return hash;
}

void sha256_add(struct sha256 *hash, const void *bytes, size_t length)
{
    require(EVP_DigestUpdate(hash->context, bytes, length));
}

/* Every step of a plan has a hash: printf would take a fifth of the time that a plan takes. */
static void put_hex(const unsigned char *bytes, size_t length, char *ret_hex)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < length; i++) {
        ret_hex[2 * i] = digits[bytes[i] >> 4];
        ret_hex[2 * i + 1] = digits[bytes[i] & 0x0f];
    }
    ret_hex[2 * length] = '\0';
}

void sha256_finish(struct sha256 *hash, char ret_hex[SHA256_HEX_SIZE])
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;

    require(EVP_DigestFinal_ex(hash->context, digest, &length));
    put_hex(digest, length, ret_hex);
    EVP_MD_CTX_free(hash->context);
    free(hash);
}

void sha256_hex(const void *bytes, size_t length, char ret_hex[SHA256_HEX_SIZE])
{
    struct sha256 *hash = sha256_create();

    sha256_add(hash, bytes, length);
    sha256_finish(hash, ret_hex);
}

void sha256_keyed(const void *key, size_t key_length, const void *bytes, size_t length,
                  char ret_hex[SHA256_HEX_SIZE])
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned got = 0;

    require(HMAC(EVP_sha256(), key, (int)key_length, bytes, length, digest, &got) != NULL);
    put_hex(digest, got, ret_hex);
}

void random_bytes(void *bytes, size_t length)
{
    require(RAND_bytes(bytes, (int)length));
}

void uuid_create(char ret_uuid[UUID_SIZE])
{
    unsigned char b[16];

    require(RAND_bytes(b, sizeof b));
    b[6] = (unsigned char)((b[6] & 0x0f) | 0x40); /* RFC 9562: version 4 */
    b[8] = (unsigned char)((b[8] & 0x3f) | 0x80); /* and its variant */
    snprintf(ret_uuid, UUID_SIZE, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
             b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
             b[15]);
}

void token_create(char ret_token[TOKEN_SIZE])
{
    unsigned char b[16];

    require(RAND_bytes(b, sizeof b));
    put_hex(b, sizeof b, ret_token);
}
