/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hosts that work on one shared mount at the same time: what the checks storage-clients and storage-shared have in common;
 * and, of GPUs that are loaded at the same time, gpu-power.
 *
 * The first host logs in to all (launcher.h) and asks whether they can work there, and for their clocks. Those that can get
 * a place, in the order of the hosts, and a second at which the first turn begins; from then on each goes by its own clock, turn by
 * turn. Its word of when it began one gets the first host's clock (sh/clients.sh), and by the word that came fastest all of
 * its times are compared with that. What they write lies in a folder of the
 * attempt's own below the step's.
 *
 * facts    client.works   of each member: "yes", or what stops it
 *          client.mount   recorded: "TARGET SOURCE TYPE OPTIONS", as findmnt has it
 * metrics  client.clock   s, of each member: how far its clock is off that of the first host, at least
 *          client.late    s, of each member: the largest time between a second that was agreed on and its start, by the first
 *                         host's clock; what the fastest of its words needed from there is in it
 */
#ifndef ASSAY_CHECK_CLIENTS_H
#define ASSAY_CHECK_CLIENTS_H

#include "assay/check/check.h"

/* ---- asking ---- */

#define CLIENTS_ARGUMENT_ROWS                                                                               \
    {"mount", ARGUMENT_TEXT, NULL, "the shared mount point; default: the first of the hostfile's mounts="}, \
    {                                                                                                       \
        "folder", ARGUMENT_TEXT, NULL,                                                                      \
            "a folder on it where the login user may write; default: the mount point"                       \
    }
/* For arguments_fault: what is wrong with these; NULL: nothing. */
const char *clients_arguments_fault(const struct check_context *context);
int clients_host_valid(const struct check_context *context, const char *hostfile, struct error *err);
const char *clients_folder(const struct check_context *context);

/* What a check's hosts do. */
struct clients_work {
    const char *title;   /* of the command */
    double bytes, files; /* that each of them leaves there at most */
    double opening_s;    /* that work needs on a host before it can begin, real seconds */
    double slot_s;       /* from one turn to the next, real seconds */
    size_t turns;
    const char *settings; /* further lines of the script, before its text */
    const char *script;
    /* Of work that is on no mount: the script that asks a host whether it can, with the same settings. Such work is answered what
       time it is on the first host (sh/clients.sh). NULL: storage_ask.sh */
    const char *ask;
};
void clients_put(const struct check_context *context, const struct clients_work *work, struct text *out);
/* From the start of the work, which is before its first turn, to the end of its last one. */
double clients_work_s(const struct check_context *context, const struct clients_work *work);
/* From the first login to the last client's end. */
double clients_all_s(const struct check_context *context, const struct clients_work *work);
/* Of an attempt at timescale 1. */
unsigned clients_expected_s(const struct check_context *context, const struct clients_work *work);
/* Seconds of the timescale, but as many as a loaded lab needs. */
double clients_scaled_s(const struct check_context *context, double seconds, double least);

/* client.works, client.clock and client.late as gates, client.mount recorded; late_s: how late is too late. */
void clients_slots(const struct check_context *context, struct slot_list *slots, double late_s);

/* ---- reading ---- */

struct client {
    const char *name;
    bool logged_in, placed;
    double sent;        /* when it was asked, by the first host's clock */
    double least, most; /* how far its clock is ahead of that, between these; by least its times are moved */
    double late;        /* the largest, of either sign; NAN: it never began */
    double sees;        /* files of so many others; NAN */
    const struct reason *works, *unread; /* the fact, or why there is none */
    const char *silent;                  /* "124 what it said" */
    const char *mount;                   /* NULL: not told */
    const struct reason *fault;          /* what its storage said in the midst of its work; NULL */
};

struct clients {
    const struct check_context *context;
    struct reading *out;
    double begin; /* of the first turn, by the first host's clock */
    struct client *list;
    size_t count, placed;
};

/* False where the command did not end, or its rows are not whole: the reading says so. */
bool clients_init(struct clients *clients, const struct check_context *context, const struct attempt *attempt,
                  struct reading *out);
/* All rows, those of both checks first, then by take_fact and take_finding, which get the member of the row. */
void clients_read_rows(struct clients *clients, const struct attempt *attempt,
                       void (*take_fact)(void *state, size_t member, const struct fact *fact),
                       void (*take_finding)(void *state, size_t member, const struct finding *finding),
                       void *state);
/* A time of the member's own clock by that of the first host. */
double clients_moment(const struct clients *clients, size_t member, double own);
/* How late the word "SINCE NOW STAMP" says that the member began, which is kept; NAN. */
double clients_take_begun(struct clients *clients, size_t member, const char *value);
/* The i-th number of the words; NAN. */
double clients_number(const char *words, size_t i);
/* client.works, client.clock and client.late of all. */
void clients_tell(struct clients *clients);

#endif
