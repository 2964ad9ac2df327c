/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What comes out, a line of JSON each, written at once and whole:
 *
 *   {"assay_probe_gpu": 1, "test": "sdc", ..}   the head: what is tested, and how many GPUs and rows will be told of
 *   ...                                         rows of the test: see its file
 *   {"gpu": 0, ..}                              each GPU: who it is, and what the test says of it as a whole
 *   {"end": "ok"}                               how it ended. Without this line the output is cut
 *
 * What a line is follows from its first key. 64 bits do not fit into a JSON number: digests, masks and addresses are texts,
 * "0x...".
 */
#ifndef ASSAY_PROBE_GPU_OUTPUT_H
#define ASSAY_PROBE_GPU_OUTPUT_H

#include "gpu.h"
#include "probe_line.h"

/* Begun as the line of that GPU of this host; or of another, by its number there. */
void line_begin_gpu(struct probe_line *line, const struct gpu_probe *probe, unsigned gpu);
void line_begin_device(struct probe_line *line, const struct gpu_device *device, unsigned gpu);
/* A number with five digits. */
void line_rate(struct probe_line *line, const char *key, double value);
/* Nothing where the value is "". */
void line_known(struct probe_line *line, const char *key, const char *value);
void line_hex(struct probe_line *line, const char *key, uint64_t value, int digits);

void gpu_output_head(const struct gpu_probe *probe);
/* reason: "" for none. rounds: of whatever the test repeats. */
void gpu_output_end(const char *how, const char *reason, uint64_t rounds, double seconds);
/* The end of a test that went its way: "ok", "wrong", or "stopped" where that was asked for. Returns the exit status. */
int gpu_output_done(bool wrong, uint64_t rounds, double seconds);
/* Ends without a test: on stderr and in a last line, and all other hosts with it. Returns the status. */
int gpu_refuse(const struct gpu_probe *probe, int status, const char *reason);

#endif
