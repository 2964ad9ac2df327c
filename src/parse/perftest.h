/* SPDX-License-Identifier: Apache-2.0 */
/* perftest's results, whatever form they are printed in: parse_perftest.c reads text, perftest_json.c JSON. */
#ifndef ASSAY_PERFTEST_H
#define ASSAY_PERFTEST_H

#include "assay/model/reading.h"

/* One run of a test: what all its numbers share. */
struct perftest_run {
    struct reading *reading;
    const char *verb;          /* "write"; "unknown" where nothing names the test */
    const char *direction;     /* "unidirectional", "bidirectional"; NULL where the title is missing */
    const struct reason *lack; /* the first thing that keeps the run from being complete, or NULL */
};

enum perftest_kind { PERFTEST_BANDWIDTH, PERFTEST_MESSAGE_RATE, PERFTEST_LATENCY, PERFTEST_TRANSACTIONS };

enum { PERFTEST_NO_SERVICE_LEVEL = -1 };

/* Takes verb and direction from "RDMA_Write Bidirectional BW Test" or JSON's "RDMA_Write_BW_Test". */
bool perftest_title(struct perftest_run *run, struct slice title);

/*
 * Factor from the unit in a header, "MB/sec", to Gb/s; 0 when it is none. What the tool calls MB is 2^20 bytes
 * in all versions; newer ones say MiB.
 */
double perftest_bandwidth_factor(struct slice unit);

/*
 * rdma.VERB.bandwidth Gb/s at stat=NAME, .message_rate Mpps, .latency.NAME us, .transactions 1/s; all at
 * size_bytes. A peak of 0 was not measured (-D, --noPeak, a server's row) and is left out.
 */
void perftest_measure(const struct perftest_run *run, enum perftest_kind kind, const char *name,
                      double size_bytes, int service_level, double value);

/* Reads the objects that --out_json writes; false when the text has none. */
bool perftest_read_json(struct reading *reading, struct slice text);

#endif
