/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may grow in a window beside what has items of its own: counters, states and lines of the kernel, each a row of a
 * table with its weight and, where it fails by a number, that number's source.
 *
 * facts    window.gpu = none | WHO: WHAT        a GPU came to wait for a reset, or remapped a row for an uncorrectable error
 *          window.hardware = none | ...         the kernel told of uncorrectable errors: AER, EDAC, MCE, drives
 *          window.drives = read | not read: WHO: WHY   whether all NVMe drives told of themselves: recorded, and remarked
 *                                              where most hosts are otherwise
 *          window.ports = none | ...            ports of compute HCAs counted more errors than is allowed
 *          window.corrected = none | ...        what was corrected, with its rate: a remark
 * metrics  window.NAME, subject ""              the largest growth of one GPU, link, device or port: what a contract names
 *          window.ib.NAME.rate                  likewise, of each bit that the port received, or sent where the counter is of
 *                                               that; at least one error is taken, so that it bounds the rate from above
 */
#ifndef ASSAY_WINDOW_GROWTH_H
#define ASSAY_WINDOW_GROWTH_H

#include "assay/check/check.h"
#include "window_tell.h"

/* The largest growth that anybody told of; a metric is one string of the tables, and is found by its address. */
struct grown_most {
    const char *metric;
    double most;
};

struct growth {
    const struct check_context *context;
    struct reading *out;
    double seconds; /* between the two readings of the member that is looked at */
    struct against gpu, hardware, ports, corrected;
    bool gpu_unknown, hardware_unknown, ports_unknown;
    bool over_fabric;      /* the test goes over the ports: what they cannot count leaves it undecided */
    struct against drives; /* NVMe drives that nobody could ask */
    struct against stuck;  /* counters of ports that stood at their largest value before the test */
    LIST_OF(struct grown_most) most;
};

/* Of a port's counter that is read before all tests and after them, "ib.counter.link_downed": by how much it may have grown
   (RULE_GROWN), as in a window. One of those that have a limit there. */
const struct limit *growth_since_begin(const struct check_context *context, const char *metric);
/* The kernel's own counters likewise: slots of their names, and for these the largest of all devices, with a fact for each device that
   counted something: so each is compared with itself; and how many devices count at all, of which fewer than before decide nothing.
   part: of window_hardware.sh. */
void growth_kernel_slots(const struct check_context *context, struct slot_list *slots);
void growth_kernel_largest(const struct reading *part, struct reading *out);
/* Those of a port's network device on Ethernet ("eth.counter.rx_crc_errors_phy"), that have one there too. NULL: there are no more. */
const char *growth_device_counter(size_t number);

void growth_slots(const struct check_context *context, struct slot_list *slots);
void growth_begin(struct growth *growth, const struct check_context *context, struct reading *out);

/* Of one member, with what it is called: "gpu3" is `later` after the test, `of` says whose it is ("node2 gpu3"). */
void growth_gpu(struct growth *growth, const char *of, const struct reading *before, const char *gpu,
                const struct reading *after, const char *later);
/* "mlx5_3/1", a port of a compute HCA. */
void growth_port(struct growth *growth, const char *of, const struct reading *before,
                 const struct reading *after, const char *port);
/* It grew by so much on one of them; NAN: nobody told. metric: of window_read.c's own tables, which has a slot for it. */
void growth_most(struct growth *growth, const char *metric, double more);
/* The kernel's own counters, as facts of key-value. label: "node2", or "". */
void growth_kernel(struct growth *growth, const char *label, const struct reading *before,
                   const struct reading *after);
/* What the NVMe drives say of themselves. NULL: nobody asked, or why says why nobody knows. */
void growth_drives(struct growth *growth, const char *label, const struct reading *before,
                   const struct reading *after, const struct reason *why);
/* How much an Xid or SXid weighs that was logged in the window. */
enum severity growth_xid(const struct finding *finding);
/* The lines that the kernel has logged in the window. */
void growth_log(struct growth *growth, const char *label, struct slice log);

/* Adds what all members told to the reading. */
void growth_conclude(struct growth *growth);

#endif
