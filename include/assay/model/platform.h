/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Platforms: what applies to one kind of host, declared before anything connects. The plan's size follows
 * from the platform; what hosts report is compared with it and never sizes the plan. JSON, schema
 * suites/schemas/platform.schema.json, one file a platform in suites/platforms/.
 */
#ifndef ASSAY_PLATFORM_H
#define ASSAY_PLATFORM_H

#include <stdbool.h>

#include "assay/base/arena.h"
#include "assay/base/error.h"
#include "assay/base/scan.h"

struct platform {
    const char *name;   /* "hgx-h100" */
    const char *title;  /* "NVIDIA HGX H100, 8 x H100 SXM5 80GB" */
    const char *source; /* where the file's facts come from */
    const char *like;   /* the built-in platform whose hosts these are but for what this file says of them
                           otherwise, so that its baseline holds here too; NULL: none */
    unsigned gpu_count; /* 0: a platform of NPUs only; then nothing of GPUs, NVLink or NVSwitch is planned */
    LIST_OF(const char *) gpu_models;  /* nvidia-smi product names, any of which is right */
    LIST_OF(const char *) gpu_pci_ids; /* "10de:2330" */
    double gpu_memory_gib;             /* of one GPU, the least of the models; 0: not declared */
    bool row_remapper;  /* its GPUs remap rows of their memory; before the A100 they retire pages */
    unsigned npu_count; /* Ascend NPUs, each of one chip; 0: none */
    LIST_OF(const char *) npu_models; /* names as npu-smi prints them, any of which is right */
    unsigned nvlink_links;            /* per GPU; 0: none */
    double nvlink_gbs;                /* per link and direction as `nvidia-smi nvlink -s` shows it, GB/s */
    double
        nvlink_ceiling_gbs; /* per GPU and direction by datasheet, GB/s: what no measured copy can exceed */
    unsigned nvlink_domain_hosts;         /* hosts that one fabric of NVLinks reaches; 0: a host's own */
    unsigned pcie_generation, pcie_lanes; /* of a GPU's link to its host; 0: not declared */
    bool nvswitch;                        /* Fabric Manager is needed */
    bool fabric_state;          /* nvidia-smi shows Fabric State/Status (Hopper and later; N/A on A100) */
    const char *driver_minimum; /* "525.60.13"; NULL: none known */
    double power_limit_w;       /* default limit per GPU */
    LIST_OF(const char *) hcas; /* compute HCAs, in rail order; may be empty */
    unsigned hca_count;         /* compute HCAs of a host; of the reference design where they are not named */
    double hca_gbits;           /* rate of each, Gb/s; 0: not declared */
    LIST_OF(struct platform_time {
        const char *check;
        unsigned seconds;
    })
    times;              /* expected duration of a check at its default arguments */
    struct slice bytes; /* the document itself */
};

/* name: a built-in platform or a file (has a '/' or ends in ".json"). NULL with err set: an unknown name
 * lists those there are, and of a file what it is like has to have the same GPUs, links and switches. */
const struct platform *platform_load(struct arena *arena, const char *name, struct error *err)
    __attribute__((warn_unused_result));
/* From a stored document. */
const struct platform *platform_parse(struct arena *arena, const char *file, struct slice bytes,
                                      struct error *err) __attribute__((warn_unused_result));
/* The built-in platform with the same GPUs and NPUs, by number and model, and the same NVLinks and NVSwitches; NULL: there
 * is none, or it is the platform itself. */
const struct platform *platform_twin(struct arena *arena, const struct platform *platform);
/* Bytes of the largest message that a collective finds room for; 0: the platform does not say. */
double platform_message_room(const struct platform *platform);
/* 0 when the platform does not say. */
unsigned platform_time(const struct platform *platform, const char *check);

/*
 * Documents that are built into the program (suites, platforms, baselines, their schemas, pages of repair), so that one file
 * is all that an air-gapped site must carry. kind "suites", "platforms", "baselines", "advisories", "schemas", "repair"; name
 * without ".json" and ".md".
 */
struct builtin {
    const char *kind, *name;
    struct slice bytes;
};
const struct builtin *builtin_find(const char *kind, const char *name);
const struct builtin *builtin_list(size_t *ret_count);
/* The first of a kind (last NULL), and those behind it; NULL: there are no more. */
const struct builtin *builtin_next(const char *kind, const struct builtin *last);
#define builtin_each(row, kind)                                                 \
    for (const struct builtin *row = builtin_next((kind), NULL); (row) != NULL; \
         (row) = builtin_next((kind), (row)))
/* Loads kind/name (built in) or a file, checks it against its schema; *ret_bytes lives in the arena. */
struct json *document_load(struct arena *arena, const char *kind, const char *name, const char *schema,
                           struct slice *ret_bytes, struct error *err) __attribute__((warn_unused_result));
/* The same for bytes that are at hand (a document kept in the store). */
struct json *document_parse(struct arena *arena, const char *file, struct slice bytes, const char *schema,
                            struct error *err) __attribute__((warn_unused_result));

#endif
