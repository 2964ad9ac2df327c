/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MPI programs that work in one folder of a shared mount from all members of a step at once: what the checks storage-ior and
 * storage-mdtest have in common.
 *
 * The first host makes a folder of the attempt's own below the step's, starts the program over all hosts by the launcher (launcher.h),
 * and removes the folder when it has ended (sh/storage_parallel.sh). Ranks are laid host by host, unless the suite maps them.
 *
 * metrics  TOOL.nodes, TOOL.tasks, TOOL.* as the program itself counted them: gates, all members and all their ranks
 */
#ifndef ASSAY_CHECK_PARALLEL_IO_H
#define ASSAY_CHECK_PARALLEL_IO_H

#include "assay/check/check.h"
#include "clients.h"

#define PARALLEL_IO_ARGUMENT_ROWS                                                               \
    CLIENTS_ARGUMENT_ROWS,                                                                      \
    {                                                                                           \
        "ranks_per_host", ARGUMENT_COUNT, NULL,                                                 \
            "ranks on each host, at most as many as it has GPUs; one for each GPU unless given" \
    }

/*
 * A command that runs the script, in which TOOL is a function that starts the tool on all ranks. bytes: what is written in all.
 * settings: further lines of the script, before its text. The words of the argument "flags" are the script's own.
 */
struct parallel_io_work {
    const char *title, *tool;
    double bytes;
    const char *settings, *script;
};
void parallel_io_put(const struct check_context *context, const struct parallel_io_work *work,
                     struct text *out);

/* The gates TOOL.nodes and TOOL.tasks. */
void parallel_io_slots(const struct check_context *context, struct slot_list *slots, const char *tool);
/* The parts; more runs of the tool than were started are a doubt, and of fewer the reading is not whole. */
void parallel_io_read(const struct check_context *context, const struct attempt *attempt, size_t runs,
                      struct reading *out);
/* The name of the host that has the rank; NULL: it is not known. */
const char *parallel_io_host(const struct check_context *context, uint64_t rank);

#endif
