/* SPDX-License-Identifier: Apache-2.0 */
/* What the subcommands share. Only this folder prints. */
#ifndef ASSAY_CLI_H
#define ASSAY_CLI_H

#include "assay/error.h"
#include "assay/history.h"
#include "assay/hostfile.h"
#include "assay/options.h"
#include "assay/plan_build.h"
#include "assay/record.h"
#include "assay/report.h"
#include "assay/store.h"

enum exit_status {
    EXIT_ACCEPT = 0,
    EXIT_REJECT = 1,
    EXIT_INCOMPLETE = 2,
    EXIT_EXCEPTIONS = 3,
    EXIT_USAGE = 64,
    EXIT_INTERNAL = 70,
    EXIT_CANCELLED = 130,
};

struct command {
    const char *name;
    const char *usage;   /* after "assay NAME" */
    const char *summary; /* one line */
    int (*run)(int argc, char **argv);
};

int command_attach(int argc, char **argv);
int command_cancel(int argc, char **argv);
int command_export(int argc, char **argv);
int command_import(int argc, char **argv);
int command_acceptance(int argc, char **argv);
int command_alert(int argc, char **argv);
int command_baseline(int argc, char **argv);
int command_contract(int argc, char **argv);
int command_platform(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_history(int argc, char **argv);
int command_inventory(int argc, char **argv);
int command_lab(int argc, char **argv);
int command_list(int argc, char **argv);
int command_logs(int argc, char **argv);
int command_parse(int argc, char **argv);
int command_plan(int argc, char **argv);
int command_preflight(int argc, char **argv);
int command_prune(int argc, char **argv);
int command_report(int argc, char **argv);
int command_judge(int argc, char **argv);
int command_run(int argc, char **argv);
int command_stage(int argc, char **argv);
int command_waive(int argc, char **argv);
int command_show(int argc, char **argv);
int command_site(int argc, char **argv);
int command_verify(int argc, char **argv);

/* Prints the error and returns its exit status. */
int cli_fail(const struct error *err);
/* The word behind a command that is none of its verbs, with the one that was meant. */
void cli_refuse_verb(const char *command, const char *word, const char *const *verbs, size_t count);
/*
 * Reads the options. Returns true when the command may go on, with *ret_first the index of the first operand;
 * otherwise *ret_status is what it must return (help was printed, or the error).
 */
bool cli_options(const struct option_row *rows, const char *name, int argc, char **argv, int *ret_first,
                 int *ret_status);
/* To standard output, and to standard error. Whatever stands in it, a name of a file, a word of a database, a line of a
   host: no control character but line breaks and tabs reaches the terminal (printable.h), and only the line breaks of the
   format begin a line at its edge. */
void cli_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What was put together in lines already. */
void cli_print_lines(const char *lines);
/* --lang, or without it (NULL) the language of the locale, English where there is no report in that. false: --lang names
   none, and nothing was said. */
bool cli_language(const char *option, enum report_language *ret_language);
/* Unix time, s. */
double cli_now(void);
/* "2026-03-01", then *ret_day and the time is its beginning, or "2026-03-01T12:00[:30]"; UTC. */
int cli_time(const char *word, double *ret_time, bool *ret_day, struct error *err)
    __attribute__((warn_unused_result));
/* --db, else ASSAY_DB, else assay.db. */
const char *cli_database(const char *option);
/* That database for reading and writing, which must be there: what is asked of a stored run makes no new one. */
struct store *cli_stored(const char *option, struct error *err) __attribute__((warn_unused_result));

/* The name of the document of tools that lie where `assay stage` puts them by itself; else it is their place. */
#define TOOLS_STAGED "staged"

/* Hostfile, suite, platforms, baselines and plan, from the options that `plan` and `run` share. */
struct cli_plan {
    const char *hostfile, *suite, *baseline, *contract, *hosts, *steps; /* options */
    const char *tools, *tools_root; /* options of those that ask the hosts */
    const char *exclusive;          /* exclusive_document; NULL */
    const char *max_evidence;       /* "8G"; NULL: the default */
    const char *duration;           /* "24h"; NULL: the suite's */
    struct hostfile_names names;    /* options; NULL: as the hostfile says */
    struct plan_sources sources;
    struct plan *plan;
    struct plan_notes notes;
};
/* Rows of options that commands which only plan have in common. */
#define CLI_HOSTFILE_ROW(plan)                                                 \
    {                                                                          \
        "hostfile", 'H', OPTION_STRING, "FILE", &(plan)->hostfile, "the hosts" \
    }
#define CLI_SUITE_ROW(plan)                                                                        \
    {                                                                                              \
        "suite", 's', OPTION_STRING, "SUITE", &(plan)->suite,                                      \
            "a suite file, or the name of a built-in one: delivery, periodic, smoke, soak, tuning" \
    }
/* Beside --hosts, for hands that know Ansible. */
#define CLI_LIMIT_ROW(target)                                              \
    {                                                                      \
        "limit", 'l', OPTION_STRING, "LIST", target, "the same as --hosts" \
    }
#define CLI_BASELINE_ROW(plan)                                                   \
    {                                                                            \
        "baseline", 'b', OPTION_STRING, "NAME", &(plan)->baseline,               \
            "baseline file or built-in name for all hosts; default: by platform" \
    }
/* What the report calls the cluster: --title, --customer, --site. */
#define CLI_NAMES_ROWS(names)                                                                            \
    {"title",                                                                                            \
     0,                                                                                                  \
     OPTION_STRING,                                                                                      \
     "NAME",                                                                                             \
     &(names)->title,                                                                                    \
     "what the report calls the cluster; default: `report title=` of the hostfile, else the hostfile's " \
     "name"},                                                                                            \
        {"customer",                                                                                     \
         0,                                                                                              \
         OPTION_STRING,                                                                                  \
         "NAME",                                                                                         \
         &(names)->customer,                                                                             \
         "whose cluster it is, for the report; default: `report customer=` of the hostfile"},            \
    {                                                                                                    \
        "site", 0, OPTION_STRING, "NAME", &(names)->site,                                                \
            "where it stands, for the report; default: `report site=` of the hostfile"                   \
    }
/* The lines of a NAMES_DOCUMENT: of both, the first wins. "": nobody says anything. */
const char *cli_names_text(struct arena *arena, const struct hostfile_names *first,
                           const struct hostfile_names *second);
#define CLI_DURATION_ROW(plan)                                                          \
    {                                                                                   \
        "duration", 0, OPTION_STRING, "TIME", &(plan)->duration,                        \
            "how long a soak works: 24h, 90m; in the place of the suite's repeat_for_s" \
    }
int cli_make_plan(struct arena *arena, struct cli_plan *cli, const char *run_uuid, struct error *err)
    __attribute__((warn_unused_result));
/* The first half of it: hostfile, suite, platforms and limits. */
int cli_load_sources(struct arena *arena, struct cli_plan *cli, struct error *err)
    __attribute__((warn_unused_result));
/* The second: the plan of the sources, for the hosts and steps that the options name. */
int cli_build_plan(struct arena *arena, struct cli_plan *cli, const char *run_uuid, struct error *err)
    __attribute__((warn_unused_result));
/* The same from the documents that a stored run was made from; the plan is the record's. baseline: in the
 * place of the stored ones of the platforms that it names; NULL: those. */
int cli_sources_of_record(struct arena *arena, const struct record *record, const char *baseline,
                          struct plan_sources *ret_sources, struct error *err)
    __attribute__((warn_unused_result));
/* The sources as the record was last judged: with the documents of its judgement in the place of its own. */
int cli_sources_as_judged(struct arena *arena, const struct record *record, struct plan_sources *sources,
                          struct error *err) __attribute__((warn_unused_result));
/* Keeps with the record's judgement what it was judged by and is none of the record's own documents. */
void cli_judged_by(struct record *record, const struct plan_sources *sources);
/* earlier.c. What the report compares the record with: run `word` of the same database; NULL: the last accepted one before
   it of the same hosts and suite, and if there is none record->earlier says so. */
int cli_add_earlier(struct store *store, struct arena *arena, struct record *record, const char *word,
                    struct error *err) __attribute__((warn_unused_result));
/* report_file.c. Where a report goes by default: what is no acceptance says so by its name. From the heap. */
char *cli_report_name(const struct standing *standing, long long number, const char *extension);
/* The run as a report of this form shows it: with what it is compared with (against: cli_add_earlier), and its preflight. */
struct record *cli_load_report(struct store *store, struct arena *arena, long long number, const char *format,
                               const char *against, struct error *err) __attribute__((warn_unused_result));
/* Into the file, or to standard output ("-"), while it is made. */
int cli_write_report(const struct record *record, const char *format, enum report_language language,
                     const char *path, struct error *err) __attribute__((warn_unused_result));
/* isolation.c. When all else is done: adds the next round of tests that tell who made a test across hosts slow. */
void cli_isolate(const struct record *record, const struct plan_sources *sources);
/* Where nobody could be told apart; whom the judgement names is an entry (report.h). */
void cli_print_isolation(const struct record *record);

/* command_attach.c. Of a run that is no acceptance: what it is, and what it found. Nothing of an acceptance. */
void cli_print_standing(const struct record *record, enum verdict_word word);
/* A run's recap and last two lines, and its exit status. */
int cli_print_verdict(struct store *store, long long number, int *ret_status, struct error *err)
    __attribute__((warn_unused_result));

/* read_again.c. What an ended attempt's stored evidence says by today's parsers, in place of what was read of it; of that
   the record keeps what the judge goes by. put: it is stored too. Not of one whose output was clipped. */
int cli_read_again(struct store *store, const struct plan_sources *sources, struct record *record,
                   struct attempt *attempt, bool put, struct error *err) __attribute__((warn_unused_result));
/* preflights.c. Finds the record's preflight, if there is one, and puts it into the record. */
int cli_attach_preflight(struct store *store, struct record *record, struct error *err)
    __attribute__((warn_unused_result));

/* Puts the contract of that file in the place of the run's; of NULL nothing. */
int cli_take_contract(struct arena *arena, const char *file, struct plan_sources *sources, struct error *err)
    __attribute__((warn_unused_result));

/* alert_news.c. What a stored run, with what it is compared with in record->earlier, says of each host and of each test
   over several hosts, for whom it may concern; in the arena. */
struct alert_news;
int cli_alert_news(struct arena *arena, const struct record *record, struct alert_news *ret_news,
                   struct error *err) __attribute__((warn_unused_result));

/* histories.c: the next run of a history, with what it saw of GPUs and HCAs. */
int cli_add_history(struct store *store, struct arena *arena, struct history *history,
                    const struct record *record, struct error *err) __attribute__((warn_unused_result));
/* All runs that were judged, or the newest `last` of them (0: all), without those of other parties unless these are asked
   for. */
int cli_collect_history(struct store *store, struct arena *arena, size_t last, bool imported,
                        struct history *history, struct error *err) __attribute__((warn_unused_result));

/* production.c. Which hosts in production which steps of the plan load, in words; NULL: none. */
const char *cli_production(struct arena *arena, const struct plan *plan);
/* -1 where a step of the plan that is not passive has a host in production. */
int cli_check_production(struct arena *arena, const struct plan *plan, struct error *err)
    __attribute__((warn_unused_result));

/* The documents to be kept with a run. */
/* Adds to the record's documents the limits of what is kept of outputs. ERROR_USAGE for a size that is none. */
int cli_evidence_limits(struct arena *arena, const struct cli_plan *cli, struct record *record,
                        struct error *err) __attribute__((warn_unused_result));
void cli_documents(struct arena *arena, const struct cli_plan *cli, int argc, char **argv,
                   struct record *record);

/* Another one. */
void cli_add_document(struct arena *arena, struct documents *documents, const char *kind, const char *name,
                      struct slice bytes);

#endif
