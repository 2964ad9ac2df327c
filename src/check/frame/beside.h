/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_burn on all GPUs of each member while a test's own program runs: the argument "beside"; see beside.c. */
#ifndef ASSAY_CHECK_BESIDE_H
#define ASSAY_CHECK_BESIDE_H

#include "assay/check/check.h"

#define BESIDE_ARGUMENT_ROW                                                                              \
    {                                                                                                    \
        BESIDE_ARGUMENT, ARGUMENT_TEXT, "",                                                              \
            "\"" BESIDE_GPU_BURN "\": gpu_burn loads all GPUs of the hosts for as long as the test runs" \
    }

/* For arguments_fault: what is wrong with the argument; NULL: nothing. */
const char *beside_fault(const struct check_context *context);
/* The shell that runs "$@" beside gpu_burn (sh/beside.sh): its first argument is for how many seconds at most, the program
   and its words follow. For a rank's own shell: nothing of the command file's has to be there. */
void beside_script(const struct check_context *context, struct text *out);
/* That number of seconds, as a word of the command file's shell. */
void beside_seconds(const struct check_context *context, struct text *out);
/* Whether each host was loaded, and what gpu_burn found. */
void beside_slots(const struct check_context *context, struct slot_list *slots);
void beside_read(const struct check_context *context, const struct attempt *attempt, struct reading *out);

#endif
