/* SPDX-License-Identifier: Apache-2.0 */
/* What `assay links` does alike for InfiniBand and Ethernet. */
#ifndef ASSAY_CLI_LINKS_H
#define ASSAY_CLI_LINKS_H

#include "assay/fabric/ethernet.h"
#include "cli.h"

#define LINKS_FILE_BYTES ((size_t)1 << 30)

struct links_options {
    const char *hosts, *flows, *seconds, *output, *spread;
    const char *gbits, *switches, *without;
    unsigned rounds, streams;
    struct option_list counters;
};

struct links_work {
    struct arena *arena;
    const struct links_options *options;
    struct fabric *fabric;
    struct fabric_question question;
    bool ethernet;
    size_t left_out; /* links of Ethernet of which nobody knows where they lead */
    struct error *err;
};

int links_load(struct arena *arena, const char *path, struct slice *ret_text, struct error *err);
double links_share(size_t part, size_t all);
/* The links that the schedule does not cover, and why. */
void links_tell_gaps(const struct links_work *work, const struct fabric_schedule *schedule);
/* Where --output says; before: what stands above the first round. */
int links_write_flows(const struct links_work *work, const struct fabric_schedule *schedule,
                      const char *before);
/* Standard output is not taken by the flows. */
bool links_may_tell(const struct links_work *work);
/* --seconds; 0 where there are no counters. */
int links_seconds(const struct links_work *work, double *ret_seconds);
int links_refuse_readings(const struct links_work *work, size_t readings, size_t rounds);
/* Returns how many links have too many errors; *ret_untold: of how many nobody knows. */
size_t links_tell_proof(const struct links_work *work, const struct fabric_proven *proven,
                        const struct fabric_schedule *schedule, size_t *ret_untold);

int links_show_ethernet(struct links_work *work, const char *cabling);
int links_show_spread(const struct links_options *options, struct error *err);

#endif
