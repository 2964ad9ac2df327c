/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tests keep busy on each of their hosts, so that it is known whether a host was loaded between two looks at it, and
 * with what: errors of a port show when the port carries data, not when the GPUs compute. From the rows of the checks
 * (`loads`, `loads_across`, `slight` of check.h). Pure.
 */
#ifndef ASSAY_CHECK_LOADS_H
#define ASSAY_CHECK_LOADS_H

#include <stdint.h>

#include "assay/check/check.h"

/* Ports that tests go over one by one, by rail or by their argument HCAS_ARGUMENT: the same names have the same numbers. */
struct load_ports {
    LIST_OF(const char *) names;
};

/* A set of loads: GPUs, NVLinks, all ports, single ports, each in earnest or slightly. 0: none. Sets are joined by |. */
typedef uint64_t load_set;

/* Of the context: arena, step, check, member_count, variant. 0: the check has no window. New names are added to ports. */
load_set check_loads(const struct check_context *context, struct load_ports *ports);
/* Of what is planned behind a first look of that check the loads that have to come before its second look: those of what it looks at,
   in earnest if any is; where nothing of that is planned, anything. 0: nothing is planned. */
load_set check_loads_owed(const struct check *look, load_set planned);
/* Those of them that were not there. */
load_set loads_missing(load_set owed, load_set done);
/* The first kind that is missing, for words: enum load_kind; 0: any. */
enum load_kind loads_kind(load_set missing);

/* From which step of the suite on tests may load hosts after that look: behind the last test that it needs itself, of whatever it
   needs. Where it stands among the others says nothing: what only looks waits for no test. */
const struct suite_step *loads_begin(const struct suite *suite, const struct suite_step *look);
/* For `slight`: always. */
bool loads_slightly(const struct check_context *context);

#endif
