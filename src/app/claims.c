/* SPDX-License-Identifier: Apache-2.0 */
/* What a redacted bundle says of the originals, held against the manifest that was signed. */
#include "assay/app/proof.h"

#include <string.h>

/* Whether the keyed hash is that of the signed piece. */
static bool is_of(const char *key, const struct manifest_entry *claimed,
                  const struct manifest_entry *signed_one)
{
    char keyed[SHA256_HEX_SIZE];

    redaction_keyed(key, signed_one->sha256, keyed);
    return strcmp(keyed, claimed->sha256) == 0;
}

/* The claims in the signed manifest's own words; what no key opens is taken for what is signed, and counted. */
static struct manifest open_claims(struct arena *arena, const struct manifest *signed_one,
                                   const struct manifest *bundle, const char *key, size_t *ret_unknown)
{
    struct manifest opened = *bundle;

    opened.entries.items = arena_array(arena, struct manifest_entry, bundle->entries.count + 1);
    *ret_unknown = 0;
    for (size_t i = 0; i < bundle->entries.count; i++) {
        struct manifest_entry *claimed = &opened.entries.items[i];
        const struct manifest_entry *wanted;

        *claimed = bundle->entries.items[i];
        wanted = claimed->keyed ? manifest_find(signed_one, claimed->path) : NULL;
        if (wanted == NULL)
            continue;
        *ret_unknown += *key == '\0';
        if (*key == '\0' || is_of(key, claimed, wanted))
            memcpy(claimed->sha256, wanted->sha256, SHA256_HEX_SIZE);
    }
    return opened;
}

size_t proof_compare_claims(struct arena *arena, const struct manifest *signed_one,
                            const struct manifest *bundle, const char *key,
                            struct manifest_difference **ret_differences, size_t *ret_unknown)
{
    struct manifest opened = open_claims(arena, signed_one, bundle, key, ret_unknown);

    return manifest_compare(arena, signed_one, &opened, false, ret_differences);
}
