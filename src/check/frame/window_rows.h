/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a window, and what they ask. */
#ifndef ASSAY_CHECK_WINDOW_ROWS_H
#define ASSAY_CHECK_WINDOW_ROWS_H

#include "assay/check/check.h"

/* Names of the parts of a window that are read. */
#define WINDOW_OWNERS "owners"
#define WINDOW_MONITORS "monitors"
#define WINDOW_GPUS "gpus"
#define WINDOW_NVLINK "nvlink"
#define WINDOW_FABRIC "fabric"
#define WINDOW_HARDWARE "hardware"
#define WINDOW_DRIVES "drives"
#define WINDOW_LOG_START "log-start"
#define WINDOW_LOG "kernel-log"
#define WINDOW_WITNESS "witness"
#define WINDOW_BESIDE "beside"

/* The rows end with a NULL name. */
const struct part_row *window_parts(enum window_role role);
/* Whether members of this platform are asked for it: whose the host is before and after every test that is not
   light, the rest where the check has a window. */
bool window_part_applies(const struct check_context *context, const struct part_row *row);
/* Whether each host leaves what it saw of the test (witness.h): the check's tool does, and there is more than one host. */
bool window_asks_witness(const struct check_context *context);
/* How long is waited for GPUs to be idle, and how long the rest may take, at timescale 1. */
enum { IDLE_WAIT_S = 15, READ_S = 90 };

#endif
