/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Brings a set of tools to hosts, and tells and removes what was brought before.
 *
 * On a host a version lies at ROOT/VERSION, private to the login user (700). ROOT is the first of /var/tmp/assay-UID/tools
 * and ~/.assay/tools whose file system lets programs run, or the one that is asked for. It is filled under another name,
 * every file is compared with its SHA-256, and only then the folder is renamed: a version that can be seen was whole when
 * it came, and each later staging compares it again. What was interrupted goes on from the blocks whose hash fits.
 *
 * The way there is the guard's (remote.h): blocks of 4 MiB as files of small jobs, sent over a channel like any other
 * command. So it needs nothing of the host but what tests need anyway (no SFTP subsystem, which hardened hosts switch
 * off), goes through jump hosts and a spawned ssh as through libssh2, survives a line that drops, and each block is
 * written once however often it is sent.
 *
 * From the hosts that have it the others take it over ssh inside the cluster (`ssh MPI_ADDRESS`, as mpirun does): see
 * src/run/stage_tree.h for who gives to whom. What arrives is compared with the controller's own manifest, so that a host
 * cannot pass on anything else. Where hosts cannot log in to each other the controller gives it to each, and says so.
 *
 * Hosts that are reached by steps of Slurm get it by sbcast, all of them at once (src/run/broadcast.h); where that does not go, as
 * the others, and it is said why.
 */
#ifndef ASSAY_STAGE_H
#define ASSAY_STAGE_H

#include "assay/model/hostfile.h"
#include "assay/model/toolset.h"
#include "assay/run/remote.h"

enum stage_end {
    STAGE_HAD,       /* it was there, whole */
    STAGE_PUSHED,    /* the controller gave it */
    STAGE_BROADCAST, /* Slurm did, to all hosts of its job at once */
    STAGE_PASSED,    /* another host did */
    STAGE_FAILED,    /* the host cannot take it */
    STAGE_UNREACHED, /* it could not be asked, or was lost on the way */
    STAGE_CANCELLED,
};

struct stage_host {
    const struct host *host;
    enum stage_end end;
    const struct host *by; /* STAGE_PASSED */
    const char *folder;    /* where it lies; "" when it does not */
    const struct reason
        *what;      /* why it failed; else what else happened: another host that could not give it; NULL */
    uint64_t bytes; /* of tools that the controller sent to it */
};

struct stage_options {
    struct remote_options remote;
    const char *root; /* NULL: as above */
    unsigned seeds;   /* hosts that the controller gives it to before others pass it on; 0: 1 */
    unsigned fan_out; /* others that one host gives it to at a time; 0: 3 */
    unsigned pushes;  /* hosts that the controller gives it to at a time, where nobody passes it on; 0: 8 */
    bool direct;      /* the controller gives it to each, by its own session */
    void (*progress)(void *context, const struct stage_host *host); /* a host is done; NULL: nobody asks */
    void *context;
};

/* -1 with err set: our own failure only. *ret_hosts are in the arena, in the order of the hosts. */
int stage_push(struct arena *arena, const struct host *const *hosts, size_t count,
               const struct toolset *toolset, const struct stage_options *options,
               struct stage_host **ret_hosts, struct error *err) __attribute__((warn_unused_result));

enum stage_ask {
    STAGE_LIST,   /* lines "version VERSION KIB FOLDER" and "partial ..." */
    STAGE_REMOVE, /* lines "removed FOLDER" or "absent VERSION"; refused while a command uses it */
};

struct stage_answer {
    const struct host *host;
    enum stage_end end;        /* STAGE_HAD: it answered */
    const char *lines;         /* "" when it did not, */
    const struct reason *what; /* and what stood in the way; else NULL */
};

/* version: of REMOVE, at least TOOLSET_SHORT digits of it. */
int stage_ask(struct arena *arena, const struct host *const *hosts, size_t count, enum stage_ask ask,
              const char *version, const struct stage_options *options, struct stage_answer **ret_answers,
              struct error *err) __attribute__((warn_unused_result));

#endif
