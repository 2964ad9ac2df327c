/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs made by hand: hosts in units, of each host the steps "burn" (two GPUs, a score that must be 10 or more) and
 * "ports" (one HCA with a score, and its firmware, "28.1", that must be the same on all hosts), and of each unit the step "ring". What an attempt says is written down, and the real judge reads
 * it.
 */
#ifndef ASSAY_TESTS_HANDMADE_H
#define ASSAY_TESTS_HANDMADE_H

#include "assay/judge/judge.h"

/* A plan over hosts given as "n1:u1 n2:u1 n3:u2". */
struct plan *handmade_plan(struct arena *arena, const char *hosts);
/* A run of that plan that began at that time; nothing was tried yet. */
struct record *handmade_run(struct arena *arena, const char *hosts, double began);
/* Index of the step of that name that has the host among its members. */
size_t handmade_step(const struct plan *plan, const char *name, const char *host);
/* One more attempt of the step, whole; each of its items has the score. Attempts are a second long, one behind the
   other. */
struct attempt *handmade_try(struct record *record, const char *step, const char *host, double score);
/* The same, with another score for what is measured of one subject. */
struct attempt *handmade_try_subject(struct record *record, const char *step, const char *host, double score,
                                     const char *subject, double other);
/* What the attempt saw on its first member: "nvidia-smi", "gpu.uuid", "gpu0", "GPU-a". */
void handmade_see(struct record *record, struct attempt *attempt, const char *tool, const char *fact,
                  const char *subject, const char *value);
void handmade_judge(struct record *record);

#endif
