/* SPDX-License-Identifier: Apache-2.0 */
/* What the subcommands share. Only this folder prints; what is done is done in src/app. */
#ifndef ASSAY_CLI_H
#define ASSAY_CLI_H

#include <stdio.h>

#include "assay/app/findings.h"
#include "assay/app/proof.h"
#include "assay/base/error.h"
#include "assay/base/options.h"
#include "assay/model/history.h"
#include "assay/model/hostfile.h"
#include "assay/model/record.h"
#include "assay/plan/plan_build.h"
#include "assay/report/report.h"
#include "assay/store/store.h"

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
    const char *summary; /* one line of a list; NULL: an older name, which no list has */
    int (*run)(int argc, char **argv);
};

int command_attach(int argc, char **argv);
int command_cancel(int argc, char **argv);
int command_collect(int argc, char **argv);
int command_repair(int argc, char **argv);
int command_export(int argc, char **argv);
int command_import(int argc, char **argv);
int command_merge(int argc, char **argv);
int command_acceptance(int argc, char **argv);
int command_alert(int argc, char **argv);
int command_baseline(int argc, char **argv);
int command_contract(int argc, char **argv);
int command_platform(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_history(int argc, char **argv);
int command_inventory(int argc, char **argv);
int command_lab(int argc, char **argv);
int command_lab_tool(int argc, char **argv); /* how the tools of simulated hosts are started, by no person */
int command_links(int argc, char **argv);
int command_list(int argc, char **argv);
int command_logs(int argc, char **argv);
int command_parse(int argc, char **argv);
int command_periodic(int argc, char **argv);
int command_plan(int argc, char **argv);
int command_preflight(int argc, char **argv);
int command_prune(int argc, char **argv);
int command_report(int argc, char **argv);
int command_judge(int argc, char **argv);
int command_run(int argc, char **argv);
int command_serve(int argc, char **argv);
int command_stage(int argc, char **argv);
int command_waive(int argc, char **argv);
int command_show(int argc, char **argv);
int command_site(int argc, char **argv);
int command_verify(int argc, char **argv);
int command_worth(int argc, char **argv);

/* Prints the error and returns its exit status. */
int cli_fail(const struct error *err);
/* A command of a command: assay baseline list. */
struct cli_verb {
    const char *name, *operands, *summary;
    int (*run)(int argc, char **argv); /* argv[0] is the verb */
};
/* Does what argv[1] says. Where it asks for help, or is none of the verbs, that is said and help is called. */
int cli_verbs(const char *command, const struct cli_verb *verbs, size_t count, int (*help)(FILE *out),
              int argc, char **argv);
/*
 * Reads the options. Returns true when the command may go on, with *ret_first the index of the first operand;
 * otherwise *ret_status is what it must return (help was printed, or the error). What --output names is none of the
 * files that other options and operands name, nor the database.
 */
bool cli_options(const struct option_row *rows, const char *name, int argc, char **argv, int *ret_first,
                 int *ret_status);
/* Whether both names are those of one regular file that is there. */
bool cli_same_file(const char *one, const char *other);
/* Behind the help of what `usage` begins with, "run -H HOSTFILE": what is typed most often; nothing where there is no
   example of that command. */
void cli_put_examples(FILE *out, const char *usage);
/* What a command takes, for completion (complete.h). */
struct cli_syntax {
    char usage[256];
    struct option_row rows[64]; /* their targets are gone */
    size_t row_count;
    const char *verbs[16];
    size_t verb_count;
};
/* From now on commands fill this in and return before they do anything; NULL: they do as they are told again. */
void cli_tell_syntax(struct cli_syntax *syntax);
/* For a command that reads its options without cli_options: whether it was asked for its syntax only, which is told now. */
bool cli_syntax_asked(const struct option_row *rows, const char *usage);
/* To standard output, and to standard error. Whatever stands in it, a name of a file, a word of a database, a line of a
   host: no control character but line breaks and tabs reaches the terminal (printable.h), and only the line breaks of the
   format begin a line at its edge. */
void cli_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same of sentences: on a terminal they are broken between words, and nowhere inside of `a command`. */
void cli_print_sentence(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What was put together in lines already. */
void cli_print_lines(const char *lines);
/* findings.h: to standard output. */
#define CLI_FINDINGS ((struct findings){.tell = cli_tell})
void cli_tell(void *context, const char *line);
/* To standard error, behind "assay: ". */
#define CLI_NOTES ((struct findings){.tell = cli_tell_note})
void cli_tell_note(void *context, const char *line);
/* Where a signed report and what belongs to it lie. */
void cli_print_signed(const struct proof_files *files);
/* --lang, or without it (NULL) the language of the locale, English where there is no report in that. false: --lang names
   none, and nothing was said. */
bool cli_language(const char *option, enum report_language *ret_language);
/* "2026-03-01", then *ret_day and the time is its beginning, or "2026-03-01T12:00[:30]"; UTC. */
int cli_time(const char *word, double *ret_time, bool *ret_day, struct error *err)
    __attribute__((warn_unused_result));
/* What a command line cannot hold, said in the same words by every command ("periodic plan"). Each returns EXIT_USAGE. */
int cli_unexpected(const char *command, const char *word);
int cli_unknown_format(const char *command, const char *format, const char *expected);
int cli_unknown_language(const char *command, const char *language);
/* --db, else ASSAY_DB, else assay.db. */
const char *cli_database(const char *option);
/* What a command that is told to people has to end with to mean the same database: " --db 'my runs.db'"; "" without the option. */
const char *cli_database_words(struct arena *arena, const char *option);
/* That database for reading and writing, which must be there: what is asked of a stored run makes no new one. */
struct store *cli_stored(const char *option, struct error *err) __attribute__((warn_unused_result));

/* The run that the word names; 0, which is the last one, where it is NULL. -1: there is none, or no store, and err says why. */
long long cli_find_run(struct store *store, const char *word, struct error *err)
    __attribute__((warn_unused_result));
/* That run by store_load_lean. NULL: err says why. */
struct record *cli_load_lean(struct store *store, struct arena *arena, const char *word,
                             store_part_fact *wanted, struct error *err) __attribute__((warn_unused_result));
/* For that: no facts of parts are wanted. */
bool cli_no_facts(const char *tool, const char *fact);
/* Whether it was judged; else err says how it is. */
bool cli_is_judged(const struct record *record, struct error *err) __attribute__((warn_unused_result));

#define CLI_DB_ROW(target)                                                                \
    {                                                                                     \
        "db", 0, OPTION_STRING, "FILE", target, "database; default $ASSAY_DB or assay.db" \
    }

#define CLI_OUTPUT_ROW(target)                                                                \
    {                                                                                         \
        "output", 'o', OPTION_STRING, "FILE", target, "output file; default: standard output" \
    }
/* of: what it is the language of, ", of text". */
#define CLI_LANG_ROW(target, of)                                                   \
    {                                                                              \
        "lang", 'l', OPTION_STRING, "LANGUAGE", target,                            \
            LANGUAGES_SAID of "; default: by LC_ALL, LC_MESSAGES or LANG, else en" \
    }
#define CLI_REDACT_WORDS_ROW(target)                                                                           \
    {                                                                                                          \
        "redact-words", 0, OPTION_STRING, "FILE", target,                                                      \
            "with --redact: a file of words that no rule can know, such as customers: one per line, replaced " \
            "everywhere"                                                                                       \
    }
#define CLI_PROGRESS_ROW(target)                                                                          \
    {                                                                                                     \
        "progress", 0, OPTION_STRING, "HOW", target,                                                      \
            "auto (a board on a terminal, else plain), plain (a log), json (one object per line) or none" \
    }

/* Rows of options that commands which plan have in common. */
#define CLI_HOSTFILE_ROW(plan)                                                 \
    {                                                                          \
        "hostfile", 'H', OPTION_STRING, "FILE", &(plan)->hostfile, "the hosts" \
    }
#define CLI_SUITE_ROW(plan)                                                                                            \
    {                                                                                                                  \
        "suite", 's', OPTION_STRING, "SUITE", &(plan)->suite,                                                          \
            "a suite file, or the name of a built-in one: collect, delivery, gpu, periodic, site, smoke, soak, tuning" \
    }
/* Beside --hosts, for hands that know Ansible. */
#define CLI_LIMIT_ROW(target)                                              \
    {                                                                      \
        "limit", 'l', OPTION_STRING, "LIST", target, "the same as --hosts" \
    }
#define CLI_HOSTS_ROW(plan)                                     \
    {                                                           \
        "hosts", 0, OPTION_STRING, "LIST", &(plan)->hosts,      \
            "only these hosts of the hostfile: node[1-4],node7" \
    }
#define CLI_CONTRACT_ROW(plan)                                     \
    {                                                              \
        "contract", 0, OPTION_STRING, "FILE", &(plan)->contract,   \
            "limits agreed in a contract; they outrank all others" \
    }
#define CLI_TOOLS_ROW(plan)                                                                                 \
    {                                                                                                       \
        "tools", 0, OPTION_STRING, "DIR", &(plan)->tools,                                                   \
            "run the tools that `assay stage` copied from DIR (or their manifest), and no others of their " \
            "names"                                                                                         \
    }
#define CLI_TOOLS_ROOT_ROW(plan)                                         \
    {                                                                    \
        "tools-root", 0, OPTION_STRING, "FOLDER", &(plan)->tools_root,   \
            "their folder on the hosts, if they were staged with --root" \
    }
#define CLI_BASELINE_ROW(plan)                                                   \
    {                                                                            \
        "baseline", 'b', OPTION_STRING, "NAME", &(plan)->baseline,               \
            "baseline file or built-in name for all hosts; default: by platform" \
    }
/* What the report calls the cluster: --title, --customer, --site. */
#define CLI_NAMES_ROWS(names)                                                                                \
    {"title",                                                                                                \
     0,                                                                                                      \
     OPTION_STRING,                                                                                          \
     "NAME",                                                                                                 \
     &(names)->title,                                                                                        \
     "the name of the cluster in the report; default: `report title=` of the hostfile, else the hostfile's " \
     "name"},                                                                                                \
        {"customer",         0,                                                                              \
         OPTION_STRING,      "NAME",                                                                         \
         &(names)->customer, "the customer, for the report; default: `report customer=` of the hostfile"},   \
    {                                                                                                        \
        "site", 0, OPTION_STRING, "NAME", &(names)->site,                                                    \
            "its site, for the report; default: `report site=` of the hostfile"                              \
    }
#define CLI_DURATION_ROW(plan)                                                    \
    {                                                                             \
        "duration", 0, OPTION_STRING, "TIME", &(plan)->duration,                  \
            "how long a soak runs: 24h, 90m; instead of the suite's repeat_for_s" \
    }

/* command_attach.c. Of a run that is no acceptance: what it is, and what it found. Nothing of an acceptance. */
void cli_print_standing(const struct record *record, enum verdict_word word);
/* A run's recap and last two lines, and its exit status. */
int cli_print_verdict(struct store *store, long long number, int *ret_status, struct error *err)
    __attribute__((warn_unused_result));

#endif
