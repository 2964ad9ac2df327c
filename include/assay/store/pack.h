/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as one zstd frame, a piece at a time: what `zstd -d` unpacks. */
#ifndef ASSAY_STORE_PACK_H
#define ASSAY_STORE_PACK_H

#include <stdbool.h>
#include <stddef.h>

/* Takes what is packed; false: it could not. */
typedef bool pack_take(void *context, const char *bytes, size_t length);

struct packer;

/* NULL: no memory. */
struct packer *packer_create(pack_take *take, void *context);
/* false: take could not, or zstd could not. */
bool packer_add(struct packer *packer, const char *bytes, size_t length);
/* Ends the frame. */
bool packer_finish(struct packer *packer);
void packer_destroy(struct packer *packer); /* NULL is allowed */

#endif
