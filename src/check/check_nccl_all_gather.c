/* SPDX-License-Identifier: Apache-2.0 */
/* all_gather: no algorithm can add up inside the fabric here, so its bandwidth is the wire's own. */
#include "launcher.h"
#include "nccl.h"

static const struct part_row parts[] = {{"main", "nccl-tests", nccl_command, NULL}, {0}};

const struct check check_nccl_all_gather = {
    .name = "nccl-all-gather",
    .title = "NCCL all_gather",
    .summary = "all_gather_perf on one host, or by mpirun across hosts: bus bandwidth by message size, no "
               "wrong values",
    .on = ON_GPUS,
    .scopes = SCOPE_HOST | SCOPE_HOSTS | SCOPE_RAIL,
    .as_root = true,
    .exclusive = EXCLUSIVE_HOST,
    .window = true,
    .arguments = nccl_arguments,
    .arguments_fault = nccl_arguments_fault,
    .parts = parts,
    .remedies = nccl_remedies,
    .bandwidth = "nccl.all_gather.*busbw", /* by rail too */
    .at_size = nccl_at_size,
    .more_slots = nccl_slots,
    .expected = nccl_expected_s,
    .read = nccl_read,
    .hosts_file = launcher_hosts_file,
};
