/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CLI_PLAN_SCREEN_H
#define ASSAY_CLI_PLAN_SCREEN_H

#include "assay/app/question.h"

/* The steps of a plan, their times, and what is required, in about forty lines for any number of hosts. */
void plan_screen(struct arena *arena, const struct question *question);

#endif
