/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suites: the agreed test plan. JSON, schema suites/schemas/suite.schema.json; the manual is
 * suites/README.md. Checks, arguments and metrics that do not exist are found when the plan is made, with
 * file, line and column: each value that the plan may have to complain of keeps its json node.
 */
#ifndef ASSAY_SUITE_H
#define ASSAY_SUITE_H

#include <stdbool.h>

#include "assay/base/arena.h"
#include "assay/base/error.h"
#include "assay/base/json.h"
#include "assay/model/limit.h"

struct suite_variable {
    const char *name, *value;
};

struct suite_tool {
    const char *name;   /* as checks ask for it: "gpu_burn" */
    const char *path;   /* program to run; a plain name is searched in PATH on the host; default: name */
    const char *folder; /* working folder on the host; NULL: the login folder */
    LIST_OF(struct suite_variable) environment;
};

/* How commands go across hosts, with its defaults filled in. Each key is explained in suites/README.md. */
enum launcher_kind { LAUNCHER_MPIRUN, LAUNCHER_SRUN };
enum launcher_mpi { LAUNCHER_MPI_AUTO, LAUNCHER_MPI_4, LAUNCHER_MPI_5 };
struct suite_launcher {
    enum launcher_kind kind;
    enum launcher_mpi mpi; /* words of which Open MPI; auto: mpirun is asked on the head */
    const char *program;   /* mpirun or srun, as the head finds it */
    const char *prefix;    /* NULL: none */
    const char *agent;     /* what mpirun starts its daemons with */
    LIST_OF(const char *) agent_arguments;
    LIST_OF(const char *) oob_interfaces; /* of the launcher's own messages; empty: its choice */
    LIST_OF(const char *) btl_interfaces; /* of MPI's messages over TCP; likewise */
    const char *nccl_socket_ifname;       /* NULL: NCCL's choice */
    LIST_OF(const char *) hcas;           /* for NCCL_IB_HCA; empty: the platform's */
    const char *topology_file;            /* NULL: none */
    const char *bind_to;
    const char *map_by; /* NULL: so many ranks on each host, in the hosts' order */
    LIST_OF(const char *) flags;
    LIST_OF(struct suite_variable) environment;
};

/* One of several ways to run a step, which are compared. */
struct suite_variant {
    const char *name;
    LIST_OF(struct suite_variable) environment; /* outranks all others */
};

/* How far one may lie below the median of its peers on other hosts (peers.h), as a fraction of it. */
struct suite_peers {
    bool off;
    double remark, fail; /* defaults: 0.05, 0.10 */
};

struct suite_step {
    const char *name; /* default: the check's; unique in the suite */
    const char *check;
    const char *scope; /* "host" (default), "pair", "group", "cluster" */
    /* Which hosts come together. Of a pair: "ring" (default), "disjoint"; of a group: "unit", "rack", "leaf",
     * "leaves", "rail", or "size" with by_size. Of the cluster: "leaves", whose hosts take turns; NULL: in the order
     * of the hostfile. NULL of hosts. */
    const char *by;
    unsigned by_size;             /* hosts of each group; 0: by says it otherwise */
    const struct json *arguments; /* object; NULL: all defaults. Each check documents its own */
    const struct json
        *when; /* object: the step is for hosts of which all of it holds (plan_applies.c); NULL: for all */
    LIST_OF(const char *) needs; /* names of earlier steps */
    LIST_OF(const struct json *) needs_at;
    LIST_OF(const char *) gate;   /* metric patterns that are gates here though the check only records them */
    LIST_OF(const char *) record; /* metric patterns that are only recorded here */
    /* Metric patterns whose items are recorded, and the plan says so, where the baseline has only a guess or
     * nothing: */
    LIST_OF(const char *) record_without_limit;
    LIST_OF(struct limit) limits;       /* of this step; outrank the baseline's */
    LIST_OF(const char *) sizes_judged; /* message sizes with limits: "8G"; empty: the check's default */
    unsigned timeout_s;                 /* 0: from the expected time */
    unsigned expected_s;                /* 0: from platform or check */
    unsigned retries;                   /* further attempts after a crash or a hang; default 1 */
    unsigned retests;                   /* further attempts while an item fails or is doubtful; default 0 */
    unsigned repeat;                    /* attempts that must all pass; default 1, with variants 5 */
    unsigned repeat_for_s; /* instead: so many until they have worked that long; 0: repeat says it */
    bool
        isolate; /* a slow test across hosts is followed by parts of it that tell who makes it slow; default true */
    bool last;             /* begins when all other steps of the run have ended, whatever became of them */
    const char *exclusive; /* "none", "host", "leaf", "fabric"; NULL: the check's own */
    /* The step is run under each, one after the other on the same hosts. All of it is recorded: it advises and
     * judges nothing, and no step can need it. Empty, or two or more, of which the others are compared with the
     * first. */
    LIST_OF(struct suite_variant) variants;
    struct suite_peers peers; /* the suite's, as far as the step does not say it */
    const struct json *at;
};

struct suite {
    const char *path, *name, *title;
    bool delivery;                     /* "purpose": "delivery": every gate must have an enforceable limit */
    const char *platform;              /* for hosts that declare none; NULL */
    LIST_OF(const char *) advisories;  /* tables that the check advisories goes by; empty: the built-in one */
    LIST_OF(const char *) search_path; /* put before PATH on the hosts */
    LIST_OF(struct suite_variable) environment; /* CUDA_DEVICE_ORDER=PCI_BUS_ID is always there */
    LIST_OF(struct suite_tool) tools;
    struct suite_launcher launcher;
    double cool_below_c;    /* no GPU is warmer than this when a test begins: default 60 */
    unsigned cool_within_s; /* so long it is waited for that: default 600 */
    struct suite_peers peers;
    LIST_OF(struct suite_step) steps;
    struct slice bytes;
};

/* name: a built-in suite or a file. NULL with err set. */
const struct suite *suite_load(struct arena *arena, const char *name, struct error *err)
    __attribute__((warn_unused_result));
const struct suite *suite_parse(struct arena *arena, const char *file, struct slice bytes, struct error *err)
    __attribute__((warn_unused_result));
/* The same suite with these seconds wherever it says repeat_for_s, in its bytes too: what is kept of it is what is done.
 * ERROR_USAGE: it says so nowhere, or never so long. */
const struct suite *suite_with_duration(struct arena *arena, const struct suite *suite, unsigned seconds,
                                        struct error *err) __attribute__((warn_unused_result));
/* "24h", "90m", "1h30m", "45s", "2d": whole seconds, at least one. false: no such time. */
bool seconds_parse(const char *text, unsigned *ret_seconds);
/* The tool's row, or a default one (path = name) in the arena. */
const struct suite_tool *suite_tool(struct arena *arena, const struct suite *suite, const char *name);

/* The step of that name; NULL: there is none, as of a step that was made beside the suite's. */
const struct suite_step *suite_step_find(const struct suite *suite, const char *name);
/* Whether a step over several hosts needs the step of that name. */
bool suite_step_is_needed(const struct suite *suite, const char *name);
/* Of two steps of one suite whether the one comes first in a run as far as it was written: those that are last come after all others.
   Needs may turn it round between the others. */
bool suite_step_before(const struct suite_step *one, const struct suite_step *other);

/* NULL: the step has no variant of that name; name may be NULL. */
const struct suite_variant *suite_variant_find(const struct suite_step *step, const char *name);

/* "8G" -> 8589934592, as nccl-tests reads it (K, M, G are 2^10, 2^20, 2^30). false: not a size. */
bool size_parse(const char *text, double *ret_bytes);
/* 8589934592 -> "8G": exact, else plain bytes. */
const char *size_text(struct arena *arena, double bytes);
/* What a folder takes, as people say it: "412 MiB", "40.2 GiB". */
const char *room_text(struct arena *arena, double mib);

#endif
