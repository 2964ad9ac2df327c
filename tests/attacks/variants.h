/* SPDX-License-Identifier: Apache-2.0 */
/* Bundles that are not as they were: a good one with some mutations, and every hash that an attacker can make over again. */
#ifndef ASSAY_TESTS_VARIANTS_H
#define ASSAY_TESTS_VARIANTS_H

#include "parties.h"

/* What decides: numbers from a seed, or bytes from a fuzzer; the same give the same variant. */
struct chance {
    uint64_t state;
    struct slice bytes; /* used first */
};

enum mutation_class {
    CLASS_SCHEMA,
    CLASS_ROWS,
    CLASS_REFERENCES,
    CLASS_DIGESTS,
    CLASS_NUMBERS,
    CLASS_BYTES,
    CLASSES
};
extern const char *const mutation_class_names[CLASSES];

struct variant {
    enum mutation_class class; /* of its first mutation */
    struct text bundle;        /* the file */
    char said[600];            /* which mutations it is made of */
};
/* One to three mutations. variant_release it. */
void variant_make(const struct parties *parties, struct chance *chance, struct variant *ret_variant);
/* One of the bases as it was. */
void variant_plain(const struct parties *parties, size_t base, struct variant *ret_variant);
void variant_release(struct variant *variant);

#endif
