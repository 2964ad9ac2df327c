/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hosts: Open MPI's hostfile syntax as it is, plus bracket ranges, a `defaults` line and more keys.
 *
 *   # comment
 *   defaults user=ops become=sudo platform=hgx-h100 slots=8
 *   report title="Iron" customer="Acme" site="Oslo, hall 2"
 *   gpu[001-128] address=10.0.0.[1-128] mpi_address=gpu[001-128]-ib unit=su1 rack=r1 leaf=l3
 *   gpu[129-160] rail.mlx5_0=leaf1:[1-32] rail.mlx5_1=leaf2:[1-32]
 *
 * A value's range must be as long as the name's (or there is none: then all share the value). Unknown keys,
 * a name, an address or a switch's port given twice, an empty file: errors with file, line, column and word.
 */
#ifndef ASSAY_HOSTFILE_H
#define ASSAY_HOSTFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "assay/base/arena.h"
#include "assay/base/error.h"
#include "assay/base/scan.h"

enum host_role {
    ROLE_COMPUTE,
    ROLE_SPARE
}; /* role=compute|spare: a spare is in no step until it takes a host's place */

/* scheduler=slurm|kubernetes|none: who gives the host to jobs, under the host's own name. So far it decides which
   command of it is printed where a host is to be taken out of use; none of them is ever run. */
enum host_scheduler { SCHEDULER_NONE, SCHEDULER_SLURM, SCHEDULER_KUBERNETES };

struct host_label {
    const char *key, *value; /* label.row=A */
};

/* rail.mlx5_0=leaf1:12: where the cable of an HCA must end. */
struct host_rail {
    const char *hca;
    const char *switch_name; /* as the fabric knows it, or its GUID: "0x9c63c00300d1e2f0" */
    const char *port;        /* "" when any port of the switch is right */
    unsigned line, column;   /* 0 in a plan that was loaded */
};

/* An end of a line that nobody logs in to: where `iperf3 -s` runs. */
struct host_line {
    const char *name;    /* "archive" */
    const char *address; /* or name */
    unsigned port;       /* 0: the step's */
};

struct host {
    const char *name;
    const char *address;     /* how the controller reaches it; default: name */
    const char *mpi_address; /* how hosts reach each other; default: address, or name when there is none */
    const char *user;        /* NULL: as ssh would take */
    const char *identity;    /* private key file, ~ expanded; NULL: default */
    const char *jump;        /* [user@]host[:port][,...], or none; NULL: as the ssh configuration says */
    const char *known_hosts; /* NULL: default */
    const char *platform;    /* name of a platform; NULL: the suite's */
    const char *unit, *rack, *leaf; /* "" when not declared */
    const char *fabric;       /* "infiniband", "ethernet": what the compute HCAs are on; NULL: nobody says */
    const char *mounts;       /* "/data,/scratch": storage that it must have; NULL: none is declared */
    const char *object_store; /* URL of an object store that it must reach; NULL: none is declared */
    const char *uplinks;      /* file on the host with the cables between switches; NULL: none is declared */
    const char *switch_counters; /* program on the host that prints the switches' counters; NULL: likewise */
    const char *probe;           /* "gpu": assay-probe-gpu is on it; NULL: nobody says */
    bool without_bmc;            /* bmc=none: a virtual machine, or nobody may ask it */
    const char *bmc;             /* name or address that answers over Redfish; NULL: bmc=none or bmc=ipmi */
    const char *transport;       /* "auto", "ssh", "openssh", "local", "slurm"; default "auto" */
    unsigned slots; /* GPUs as mpirun counts them; 0: not declared (also max_slots/max-slots is read and
                       ignored, as Open MPI's) */
    unsigned port;  /* 0: 22 */
    enum host_role role;
    enum host_scheduler scheduler;
    bool become_root; /* become=sudo */
    bool production;  /* use=production: tests that load the host run only where a person has said so */
    /* Simulated hosts run faster than real ones: expected times and deadlines of steps are divided by this
       (never below 10 s). 1 for real hosts. */
    double timescale;
    LIST_OF(struct host_label) labels;
    LIST_OF(struct host_rail) rails;
    LIST_OF(struct host_line) lines;
    unsigned line, column; /* where the name stands */
};

/* What a report of these hosts calls them: `report title="Iron" customer="Acme" site="Oslo"`. NULL: nobody says. */
struct hostfile_names {
    const char *title, *customer, *site;
};

struct hostfile {
    struct hostfile_names names;
    const char *path;           /* as given, for messages */
    struct slice bytes;         /* the document itself, kept with the run */
    LIST_OF(struct host) hosts; /* in file order */
};

/* Everything lives in the arena. NULL with err set. */
struct hostfile *hostfile_parse(struct arena *arena, const char *path, struct slice bytes, struct error *err)
    __attribute__((warn_unused_result));
struct hostfile *hostfile_load(struct arena *arena, const char *path, struct error *err)
    __attribute__((warn_unused_result));

/* Whether steps of Slurm reach it, and no login does. */
bool host_is_over_slurm(const struct host *host);
/* How many racks the hosts stand in; those without rack= stand in one together. */
unsigned host_racks(const struct host *const *hosts, size_t count);
/* How many of them stand in the rack that has the fewest of them. */
unsigned host_racks_fewest(const struct host *const *hosts, size_t count);
/* "slurm"; "none". */
const char *host_scheduler_name(enum host_scheduler scheduler);
/* False where there is no such word. */
bool host_scheduler_find(const char *word, enum host_scheduler *ret_scheduler);

/* By which way its BMC is asked: "ipmi", "redfish"; "none". */
const char *host_bmc_kind(const struct host *host);

/* NULL where there is none of that name. */
const struct host *hostfile_find(const struct hostfile *hostfile, const char *name);

/* Adds the rail that SWITCH[:PORT] says. NULL, or what was expected instead. */
const char *host_add_rail(struct arena *arena, struct host *host, const char *hca, const char *value);

/* Whether it may stand on command lines of hosts as the other end of a line: a name or an address, and no option. */
bool host_is_line_end(const char *text);
/* Likewise the line that ADDRESS[:PORT] says. */
const char *host_add_line(struct arena *arena, struct host *host, const char *name, const char *value);
/* "archive.example:5202", as the hostfile has it. free() it. */
char *host_line_text(const struct host_line *line);

/*
 * Hostlists: "gpu[001-128,130],head" <-> names. At most 100,000 names, each of at most 4096 bytes; between brackets
 * stands what it takes, so that all that hostlist_fold writes can be read. Commas outside brackets separate.
 * Errors give the column (from 1) in the text and the word.
 */
struct hostlist {
    LIST_OF(const char *) names;
};
int hostlist_expand(struct arena *arena, const char *text, struct hostlist *ret_list, struct error *err)
    __attribute__((warn_unused_result));
bool hostlist_has(const struct hostlist *list, const char *name);
/* The shortest usual form, names of equal shape folded: "node[1-3,7],head". */
const char *hostlist_fold(struct arena *arena, const char *const *names, size_t count);

/* Whether it is a URL as object_store= has it: HTTP or HTTPS with a path, without a user, a query or what a shell or curl's options
   would read otherwise, and no '/' at its end. */
#define HOST_OBJECT_STORE_FORM \
    "a URL as \"https://store.example/bucket/assay\": no user, no query, no '/' at its end"
bool host_is_object_store(const char *url);

/* Whether it is a file as uplinks= and switch_counters= have it. */
#define HOST_FILE_FORM \
    "a file on the host, with '/' at its beginning and without blanks or what a shell reads otherwise"
bool host_is_file(const char *path);

#endif
