/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that ask the GPUs again and again, or hold the counters that a test or a profiler wants: they cost a test a
 * little, and are nobody's fault. Only what is one for certain, by its name in the kernel and its words:
 *
 *   dcgm-exporter, nvidia_gpu_exporter, nvtop, nvitop     whatever they do
 *   nv-hostengine                                         with its profiling module loaded, which only root can see
 *   nvidia-smi dmon, pmon, daemon, -l, -lms; dcgmi dmon   loops
 *
 * Those of containers too, for they watch the same GPUs.
 */
#ifndef ASSAY_MONITORS_H
#define ASSAY_MONITORS_H

#include "assay/reasons/check.h"

#include "rules.h"
#include "script.h"

/* sh/monitors.sh prints a line for each, "dcgm-exporter (pid 4711)"; none where there is none. */
#define MONITORS_TYPED "grep of /proc/[0-9]*/comm"

/* The next of them, taken off what the script printed, in the arena; NULL: there are no more. */
const struct reason *monitors_next(struct arena *arena, struct slice *rest);

/* A remark where the metric is other than "none". */
#define MONITORS_RULES(metric_) RULES_EQUAL(metric_, "none", "assay", .note = REASON(stop_monitor_for_tests))

#endif
