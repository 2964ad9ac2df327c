/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who gives the tools to whom. The controller's line may be thin, so it carries them to `seeds` hosts; a host that has
 * them passes them on, to `fan_out` others at a time, to those of its own leaf and unit first: the number of hosts that
 * have them grows by that factor each round. Pure: it knows no host and no clock, and its caller says what happened.
 *
 * A host is given them by the controller all the same when two others could not, and when nothing else moves. Hosts that
 * failed three others and helped none are not asked any more; after six failures and no success nobody is.
 */
#ifndef ASSAY_RUN_STAGE_TREE_H
#define ASSAY_RUN_STAGE_TREE_H

#include <stdbool.h>
#include <stddef.h>

enum tree_state { TREE_OUT, TREE_WANTS, TREE_TAKING, TREE_HAS };

struct tree_host {
    const char *leaf, *unit; /* "" when not known */
    enum tree_state state;
    size_t from;            /* TREE_TAKING: who gives; TREE_CONTROLLER: we do */
    unsigned giving;        /* to so many at this moment */
    unsigned gave, misgave; /* how often it worked, and did not */
    unsigned refused;       /* so many others could not give it to this one, */
    size_t refused_by;      /* the last of them */
};

struct stage_tree {
    struct tree_host *hosts;
    size_t count;
    unsigned seeds, fan_out; /* at least 1 */
    unsigned pushes;         /* from the controller at a time, where hosts cannot pass them on; at least 1 */
    bool direct;             /* hosts pass nothing on */
    bool waits;              /* for the answers of hosts that may have them already: nothing is pushed yet */
    unsigned has, pushing, taking, gave, misgave;
};

#define TREE_CONTROLLER ((size_t)-1)

enum tree_order { TREE_NOTHING, TREE_PUSH, TREE_PASS };

/* The next transfer to be started, which counts as begun. TREE_NOTHING: none until something ends. */
enum tree_order tree_next(struct stage_tree *tree, size_t *ret_target, size_t *ret_source);
/* What a host answered: TREE_WANTS, TREE_HAS or TREE_OUT. Of a host that takes: how it ended (TREE_WANTS: it failed,
   and may be tried again). */
void tree_set(struct stage_tree *tree, size_t host, enum tree_state state);

#endif
