/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a command goes across the members of a step: mpirun of Open MPI 4 or 5 (HPC-X counts by its Open MPI), or
 * srun, as "launcher" of the suite says, and always srun between hosts with transport=slurm. For the command file of any check with a scope above host.
 *
 * A launch that hangs leaves nothing behind: every process of it carries the attempt's mark, so that the sweep on
 * each member finds it; mpirun's daemons stay in the session of their ssh, under a timeout of their own.
 */
#ifndef ASSAY_CHECK_LAUNCHER_H
#define ASSAY_CHECK_LAUNCHER_H

#include "assay/check/check.h"

struct launch {
    unsigned ranks_per_host;
    /* Some of the members, one rank on each: a shell word with their names (launcher_name), commas between,
     * and one with their number; NULL: all of them, by $ASSAY_DIR/hosts. */
    const char *hosts, *count;
    /* Of this launch: they outrank all others of these names. */
    const struct suite_variable *variables;
    size_t variable_count;
    /* What runs the tool on each rank: shell words before it, as they stand in the command file; NULL: the launcher itself. */
    const char *under;
};

/* Whether the step's command goes across hosts at all. */
bool launcher_is_wide(const struct check_context *context);

bool launcher_is_srun(const struct check_context *context);

/* What must stand before the first launch of a part: asks which Open MPI it is where the suite does not say. It
 * ends the part's subshell where that is not known. */
void launcher_begin(const struct check_context *context, struct text *out);
/* The launcher and its words; the program follows. */
void launcher_put(const struct check_context *context, const struct launch *launch, struct text *out);
/* Both, and the tool as the suite has it, its folder and environment included: on every rank. */
void launcher_tool(const struct check_context *context, const struct launch *launch, const char *tool,
                   struct text *out);

/*
 * A function `log_in ADDRESS WORDS`, ended after so many seconds: the shell on a member that the launcher reaches by that name
 * (launcher_name) runs the script on its stdin, with WORDS, in which there is no quote, as its first argument. As the launcher
 * gets there, but without what it needs on the member; and with the attempt's mark, so that the sweep finds it.
 */
void launcher_put_log_in(const struct check_context *context, double deadline_s, struct text *out);

/* The argument "ranks_per_host", else one for each GPU. */
unsigned launcher_ranks_per_host(const struct check_context *context);

/* By which name the launcher knows the member: mpirun its mpi_address, Slurm the host's own. */
const char *launcher_name(const struct check_context *context, size_t member);
/* For struct check: the members, a line each, as the launcher reads them: "ADDRESS slots=8 # NAME", or "NAME". */
void launcher_hosts_file(const struct check_context *context, struct text *out);

#endif
