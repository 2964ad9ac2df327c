/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sendrecv: each rank to the next one. Between hosts that is one adapter in each direction, so it says nothing of
 * the others. In a part of the hosts, in their order, who were neighbours still are: the search for a slow path works.
 */
#include "launcher.h"
#include "nccl.h"

static const struct part_row parts[] = {{"main", "nccl-tests", nccl_command, NULL}, {0}};

const struct check check_nccl_sendrecv = {
    .name = "nccl-sendrecv",
    .title = "NCCL sendrecv",
    .summary = "sendrecv_perf on one host, or by mpirun across hosts: bus bandwidth by message size, no "
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
    .bandwidth = "nccl.sendrecv.*busbw", /* by rail too */
    .at_size = nccl_at_size,
    .more_slots = nccl_slots,
    .expected = nccl_expected_s,
    .read = nccl_read,
    .hosts_file = launcher_hosts_file,
};
