/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The preflight: a suite of light steps that follows from another one and its plan. It asks each host, at once and
 * without loading anything, for what that suite will need: access, root, clock, space, system, driver, every tool that
 * its steps will start, and, where there are several hosts, names and a launch across them. It is run, judged and stored
 * as any other suite.
 */
#ifndef ASSAY_PREFLIGHT_H
#define ASSAY_PREFLIGHT_H

#include "assay/plan/plan_build.h"

#define PREFLIGHT_SUITE "preflight"

/*
 * The document, in the arena. Its search path, environment, tools and launcher are those of the sources' suite, and what
 * that says of the same light checks (arguments, limits) is kept. So many names that they do not fit into the light
 * path's command are left out, and *ret_note says so; else it is NULL.
 */
const char *preflight_suite(struct arena *arena, const struct plan_sources *sources, const struct plan *plan,
                            const struct reason **ret_note);

#endif
