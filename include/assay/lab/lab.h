/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lab: a simulated GPU cluster on this machine, to try a suite on and to test the controller with.
 *
 * A few processes answer SSH as many hosts, each at its own loopback address; on them lie simulated versions of
 * the field's tools that all compute from one model of the host, so their numbers agree with each other, and
 * a fault put into the model shows in every tool where it would show on a real host.
 *
 * Everything a lab has lies in its directory: lab.json (profile, hosts, faults), hostfile, id_ed25519,
 * known_hosts, bin/ (the tools), opt/gpu-burn/, root/, hosts/NAME/ (boot_id, home, kernel.log, root,
 * swapped-gpuN after a swap),
 * logins (the host of each login, one a line), server.log and lab.pid, on which the running servers hold locks. No
 * root is needed.
 *
 * A command on a host finds in its environment ASSAY_LAB_DIR, ASSAY_LAB_HOST, ASSAY_LAB_BOOT_ID (a file) and
 * ASSAY_LAB_ROOT: the folder with the host's own /sys, /proc and /etc, hosts/NAME/root. Healthy hosts share
 * one tree, root/, by a link; a host whose faults show in its files has a tree of its own. What differs from
 * one healthy host to the next (GUIDs, serial numbers) is told by tools, never by these files.
 */
#ifndef ASSAY_LAB_H
#define ASSAY_LAB_H

#include <stdbool.h>
#include <stddef.h>

#include "assay/base/error.h"
#include "assay/base/text.h"

#define LAB_HOSTS_MAX 20000
#define LAB_DEFAULT_DIRECTORY "assay-lab"
#define LAB_DEFAULT_PROFILE "hgx-h100"
#define LAB_DEFAULT_SPEED 600 /* simulated seconds in one real second: a burn of 1800 s takes 3 s */

struct lab_options {
    const char *directory;     /* created when it is not there */
    unsigned hosts;            /* 1 to LAB_HOSTS_MAX, named node1 and up */
    const char *profile;       /* one of lab_profiles */
    bool ethernet;             /* the fabric is RoCE over Ethernet instead of InfiniBand */
    bool redfish;              /* the hostfile says where the BMCs answer over Redfish */
    unsigned port;             /* 0: a free one */
    unsigned speed;            /* 1 or more */
    unsigned oversubscription; /* uplinks of a leaf carry what its 8 hosts send, divided by this; 0: by 1 */
    unsigned
        seed; /* measurements differ a little from one seed to another, as from one run to the next; 0: not at all */
    const char *const *faults; /* HOST:KIND[:ARGUMENT], see lab_faults */
    size_t fault_count;
};

/*
 * Starts the server in the background and returns when it answers, with the absolute path of the hostfile in
 * ret_hostfile. A wrong profile or fault, or a lab already running in the directory, is ERROR_USAGE.
 */
int lab_up(const struct lab_options *options, struct text *ret_hostfile, struct error *err)
    __attribute__((warn_unused_result));

/*
 * Ends the server that runs in the directory and every process that carries the lab's mark in its
 * environment, and waits until none is left. *ret_running says whether a server was running.
 */
int lab_down(const char *directory, bool *ret_running, struct error *err) __attribute__((warn_unused_result));

/* Lines for people: the server, each host and its faults. *ret_running as above. */
int lab_status(const char *directory, struct text *out, bool *ret_running, struct error *err)
    __attribute__((warn_unused_result));

/* Puts another GPU, with another UUID and serial number, in the place of gpu ("gpu3") of a host; what was wrong with the
   old one alone goes with it. The lab may be running. */
int lab_swap(const char *directory, const char *host, const char *gpu, struct error *err)
    __attribute__((warn_unused_result));

/* Mends "node2" as a whole, "node2:p2p" what is wrong of that kind, or one fault as lab_up was given it: the same parts stay
   in their places. The lab may be running. ERROR_USAGE where nothing of that is wrong, or only a new server forgets it. */
int lab_heal(const char *directory, const char *meant, struct error *err) __attribute__((warn_unused_result));

/* In groups and 80 columns: a line "  KIND:ARGUMENT", and below it, deeper, the meaning and the one right outcome. */
void lab_faults(struct text *out);
/* One line each, name first. */
void lab_profiles(struct text *out);

/* How the file of a simulated tool calls the program: PROGRAM lab-tool FILE ARGUMENT... It is one word, as the kernel hands
   on what stands behind the program in the file's first line. */
#define LAB_TOOL_WORD "lab-tool"
/*
 * Runs a simulated tool on the host that ASSAY_LAB_DIR and ASSAY_LAB_HOST name; argv[0] is its file as it was called, whose
 * name is the tool's. Prints as the tool would, and returns its exit status.
 */
int lab_tool(int argc, char **argv);

#endif
