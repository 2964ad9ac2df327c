/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every fabric tool says of an InfiniBand or RoCE port, in one vocabulary, so that ibstat, sysfs, verbs
 * and iproute2 agree on a port in the same state.
 *
 * ib.state           Down, Initializing, Armed, Active, ActiveDefer, NoStateChange
 * ib.physical_state  Sleep, Polling, Disabled, PortConfigurationTraining, LinkUp, LinkErrorRecovery, PhyTest,
 *                    NoStateChange
 * ib.link_layer      InfiniBand, Ethernet
 * A word that is in none of these lists stays as the tool wrote it.
 */
#ifndef ASSAY_IB_PORT_H
#define ASSAY_IB_PORT_H

#include "assay/model/reading.h"

/* "4: ACTIVE", "PORT_ACTIVE (4)", "ACTIVE" and "Active" are "Active". */
struct slice ib_state_word(struct slice text);
/* "5: LinkUp", "LINK_UP (5)" and "LINK_UP" are "LinkUp". */
struct slice ib_physical_word(struct slice text);
/* "IB" and "InfiniBand" are "InfiniBand". */
struct slice ib_link_layer_word(struct slice text);

/* "a088:c203:00ad:eab8" is "0xa088c20300adeab8"; what is no GUID stays. */
struct slice ib_guid(struct arena *arena, struct slice text);
/* "0x155" is "341", as most tools write a LID; what is no number of that form stays. */
struct slice ib_lid(struct arena *arena, struct slice text);

/* "mlx5_0", 1 -> "mlx5_0/1" */
const char *ib_subject(struct arena *arena, struct slice device, struct slice port);
/* Whether the text can be a device's name: letters, digits, '_', '-' and '.', at most 64. */
bool ib_is_device(struct slice text);

/*
 * Adds ib.rate in Gb/s of "400", "40 (FDR10)", "200 Gb/sec (4X HDR)" or "2.5 Gb/sec (1X SDR)"; false when it
 * is none of these. The measurement is at state=STATE: the rate that a port shows while it is down is not
 * that of a link, and who asks for one at state=Active does not get it.
 */
bool ib_rate(struct reading *reading, const char *subject, struct slice text, struct slice state);
/* Info, for a port that is not Active; physical may be empty. */
void ib_port_finding(struct reading *reading, const char *subject, struct slice state, struct slice physical);

/*
 * Adds the fact, its value in the shared form where it has one: .state, .physical_state, .link_layer, GUIDs and
 * LIDs. Nothing when the value is empty.
 */
void ib_fact(struct reading *reading, const char *name, const char *subject, struct slice value);

/*
 * Adds the counter PREFIX NAME as a measurement. Measurements are doubles, which hold integers up to 2^53;
 * of a larger one the measurement is the nearest double and the fact PREFIX NAME ".exact" has all digits.
 * False when the value is no decimal number of at most 64 bits.
 */
bool ib_counter(struct reading *reading, const char *prefix, struct slice name, const char *subject,
                struct slice value);
/*
 * Warns of an error counter of 4, 8 or 16 bits (by its name, as sysfs or perfquery write it) that stands at the
 * largest value that it can have: it counts no more, so that a difference of 0 says nothing.
 */
void ib_saturation(struct reading *reading, struct slice name, const char *subject, struct slice value);

#endif
