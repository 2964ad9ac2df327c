/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 by libcrypto, in the lower-case hex form that reports and the store use. */
#ifndef ASSAY_SHA256_H
#define ASSAY_SHA256_H

#include <stddef.h>

enum { SHA256_HEX_SIZE = 65 }; /* 64 digits and the NUL */

void sha256_hex(const void *bytes, size_t length, char ret_hex[SHA256_HEX_SIZE]);

/* Over several pieces: create, add, finish (which frees it). */
struct sha256;
struct sha256 *sha256_create(void);
void sha256_add(struct sha256 *hash, const void *bytes, size_t length);
void sha256_finish(struct sha256 *hash, char ret_hex[SHA256_HEX_SIZE]);

/* HMAC-SHA256: whoever has not the key can neither make it nor try guesses at what it is of. */
void sha256_keyed(const void *key, size_t key_length, const void *bytes, size_t length,
                  char ret_hex[SHA256_HEX_SIZE]);
void random_bytes(void *bytes, size_t length);

/* A random (version 4) UUID in its usual text form, 36 characters and the NUL. */
enum { UUID_SIZE = 37 };
void uuid_create(char ret_uuid[UUID_SIZE]);

/* A secret: 128 random bits, 32 lower-case hex digits and the NUL. */
enum { TOKEN_SIZE = 33 };
void token_create(char ret_token[TOKEN_SIZE]);

#endif
