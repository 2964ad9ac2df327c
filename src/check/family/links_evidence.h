/* SPDX-License-Identifier: Apache-2.0 */
/* What fabric_links.c and ethernet_links.c share. */
#ifndef ASSAY_CHECK_LINKS_EVIDENCE_H
#define ASSAY_CHECK_LINKS_EVIDENCE_H

#include "assay/fabric/ecmp.h"
#include "assay/fabric/flows.h"
#include "assay/fabric/rates.h"

#include "fabric_evidence.h"

struct evidence {
    const struct check_context *context;
    struct reading *out;
    struct fabric *fabric;
    struct fabric_measured measured;
    struct fabric_counted_rounds counted;
    struct fabric_suspects suspects;
    struct fabric_proven proven;
    enum fabric_gap *gaps; /* of each way */
    double seconds;
    uint32_t *ports;    /* of each member's HCAs, as check_member_hca has them */
    const char **names; /* likewise */
    size_t count;
    /* Of each way: counters contradict what flows say, or on Ethernet those of its two ends differ. */
    bool *differing;
    size_t differing_count;
    bool *reached;                   /* of each way: a flow over it was measured, */
    bool *fast;                      /* and one that was not slow */
    bool *doubted;                   /* of each link: one of several that are suspected */
    const struct reason **host_slow; /* of each link, by its lower port: what flows over it say against it, */
    const struct reason **host_faults; /* and what does not rest on the ways of flows */
    const struct fabric_peers **peers; /* of each link */

    const struct fabric_ecmp_plan *plan; /* of Ethernet; NULL: InfiniBand */
    struct fabric_question question;     /* of Ethernet, as what follows */
    size_t untied;                       /* links of which nobody knows of what time their counters are */
};

/* fabric_links.c: false with the reading's reason set. */
bool links_lack(struct reading *out, const struct error *err);
bool links_take_results(struct evidence *evidence, const struct attempt *attempt, struct slice *ret_flows,
                        struct slice *ret_counters);
/* Likewise where files do not have as much as the program announced. */
bool links_add_up(struct evidence *evidence);
void links_find_members(struct evidence *evidence);
void links_make_room(struct evidence *evidence);
/* Whether counters prove both of its ways. */
bool links_is_proven(const struct evidence *evidence, uint32_t way);

/* One of several things of equal kind, that are to have the same. */
struct links_peer {
    uint64_t kind;
    double value, usual;
    uint32_t number; /* of a node or way */
};
/* Sets what most of each kind have; where as many have one as the other, the higher. Puts them in order. */
void links_find_usual(struct links_peer *peers, size_t count);

/* ethernet_links.c: what is told otherwise there. */
bool ethernet_read_files(struct evidence *evidence, const struct attempt *attempt);
void ethernet_work_out(struct evidence *evidence);
void ethernet_tell_slow(struct evidence *evidence);
void ethernet_tell_agreement(struct evidence *evidence);
/* The leaves that no declared link leads away from, where there are others; that sent more than their declared links did; or of which
   no round was told whole, so that nobody knows. NULL: none. */
const struct reason *ethernet_undeclared(const struct evidence *evidence);
/* Links that are declared with another rate than most of their switch to switches as near to the hosts as that one: nobody else tells their rate. */
void ethernet_remark_rates(const struct evidence *evidence, struct fabric_list *list);
const struct reason *ethernet_why_unproven(const struct evidence *evidence, uint32_t way);

#endif
