/* SPDX-License-Identifier: Apache-2.0 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "assay/lab/lab.h"
#include "assay/run/remote.h"
#include "cli.h"
#include "complete.h"

static const struct command commands[] = {
    {"preflight", "HOSTFILE", "everything to fix on all hosts at once; changes nothing", command_preflight},
    {"hosts", "HOSTFILE", NULL, command_preflight},
    {"inventory", "slurm|kubernetes [FILE...]", "a hostfile from what Slurm or Kubernetes knows of its nodes",
     command_inventory},
    {"stage", "-H HOSTFILE DIR", "copies a set of tools to the hosts, which pass it on", command_stage},
    {"plan", "-H HOSTFILE -s SUITE", "what will run, how long and with which limits; connects to nothing",
     command_plan},
    {"platform", "list | derive", "kinds of hosts: lists them, and makes one from a good host",
     command_platform},
    {"baseline", "list | show | derive | check",
     "limits of platforms: lists them, makes new ones from accepted runs", command_baseline},
    {"contract", "init | show", "a contract to start from: our figure for each gate of a plan",
     command_contract},
    {"run", "-H HOSTFILE -s SUITE", "tests the hosts, judges and reports", command_run},
    {"attach", "[RUN]", "follows a run of another process to its end", command_attach},
    {"cancel", "RUN", "ends a run, also on the hosts and when its controller is dead", command_cancel},
    {"list", "", "the runs in the database", command_list},
    {"show", "RUN", "the verdict, what to fix, how each host fared; --full: all as text", command_show},
    {"report", "RUN", "the delivery report: html, text, json, csv, junit or prometheus", command_report},
    {"logs", "[RUN [HOST [STEP]]]", "what hosts printed: a list, one output, or --grep in all", command_logs},
    {"repair", "[CLASS]", "what to do about a class of failure, step by step", command_repair},
    {"collect", "RUN HOST", "what a vendor asks for before a part is exchanged, as one archive",
     command_collect},
    {"judge", "RUN [RUN...]", "judges stored runs again, or several as one; touches no host", command_judge},
    {"acceptance", "create | add | event | status | report | list",
     "over many runs: what is required, repairs, what is still missing", command_acceptance},
    {"waive", "RUN --host HOST --check STEP ...", "records that a failure is accepted: who, why, until when",
     command_waive},
    {"verify", "REPORT", "is it the report that was signed, and its evidence unchanged?", command_verify},
    {"site", "DIR", "a folder of pages about all runs, for a web server or file share", command_site},
    {"serve", "", "the same pages from the database, for a browser on this machine", command_serve},
    {"compare", "RUN RUN", "what is better, worse or different in the second of two runs", command_compare},
    {"history", "[HOST|IDENTITY]", "what gets worse from run to run; one host or part over all runs",
     command_history},
    {"periodic", "plan -H HOSTFILE", "which tests to repeat tonight, on which hosts and why",
     command_periodic},
    {"alert", "[RUN] --to FILE", "reports by webhook what got worse, and when it is over", command_alert},
    {"worth", "RUN --params N --tokens D",
     "how long a training takes on the measured cluster, and its energy", command_worth},
    {"links", "LINKS ROUTES | CABLING", "which flows load every link of a fabric; bad links", command_links},
    {"export", "RUN", "a run with all its evidence as one file; --redact hides names", command_export},
    {"import", "BUNDLE", "reads an exported run into the database", command_import},
    {"merge", "SOURCE...", "joins the runs of other controllers' databases", command_merge},
    {"prune", "--keep N", "forgets old runs that nothing rests on", command_prune},
    {"lab", "up N | swap | heal | status | down | faults | profiles", "a simulated cluster on this machine",
     command_lab},
    {"parse", "TOOL [FILE]", "reads a saved output of a tool and prints it as JSON", command_parse},
};

/* What the list of commands is divided by: before which of them, and what is said there. */
static const struct {
    const char *first, *title;
} groups[] = {
    {"preflight", "before a run"}, {"run", "run"},
    {"show", "what a run found"},  {"acceptance", "acceptance"},
    {"site", "sites and history"}, {"lab", "to try it, and to look inside"},
};

static void list_command(FILE *out, const struct command *command)
{
    for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
        if (strcmp(groups[i].first, command->name) == 0)
            fprintf(out, "\n%s:\n", groups[i].title);
    if (command->summary != NULL)
        fprintf(out, "  %-11s %s\n", command->name, command->summary);
}

static int help(FILE *out)
{
    fprintf(out, "usage: assay COMMAND [OPTIONS]\n\n"
                 "assay decides, with evidence, whether a GPU cluster can be accepted.\n");
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        list_command(out, &commands[i]);
    fprintf(out, "\n`assay help COMMAND` explains a command; `assay --version` prints the version.\n"
                 "exit status: 0 accept, 1 reject, 2 incomplete, 3 accept with exceptions,\n"
                 "64 usage or bad input, 70 our own failure, 130 cancelled\n");
    return out == stdout ? EXIT_ACCEPT : EXIT_USAGE;
}

/* What other programs call it. */
static const struct {
    const char *word, *instead;
} other_words[] = {
    {"status",
     "`assay list` has the runs, `assay attach` follows one, `assay acceptance status NAME` is of an acceptance"},
    {"board", "`assay attach` shows the board of a run, `assay serve` the same for a browser"},
    {"watch", "`assay attach` shows the board of a run, `assay serve` the same for a browser"},
    {"check", "`assay preflight HOSTFILE` looks at what must be fixed first, `assay run` tests"},
    {"test", "`assay run -H HOSTFILE -s SUITE` tests"},
    {"explain", "`assay repair CLASS` says what to do about a failure, `assay show` what a run found, "
                "`assay plan --checks` what each check looks at"},
};

static int unknown_command(const char *word)
{
    enum { COUNT = ARRAY_SIZE(commands) };
    const char *names[COUNT + 4] = {"help", "version", "--help", "--version"};

    for (size_t i = 0; i < COUNT; i++)
        names[i + 4] = commands[i].name;
    for (size_t i = 0; i < ARRAY_SIZE(other_words); i++)
        if (strcmp(word, other_words[i].word) == 0) {
            cli_warn("assay: unknown command '%s'; %s\n", word, other_words[i].instead);
            return EXIT_USAGE;
        }
    cli_warn("assay: unknown command '%s'; `assay --help` lists them%s\n", word,
             did_you_mean(word, names, COUNT + 4).text);
    return EXIT_USAGE;
}

static int run_command(int argc, char **argv)
{
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        if (strcmp(argv[0], commands[i].name) == 0)
            return commands[i].run(argc, argv);
    return unknown_command(argv[0]);
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

/* `assay help acceptance create` is `assay acceptance create --help`, however many words it has. */
static int help_of(int argc, char **argv)
{
    cleanup_free char **words = mem_alloc(((size_t)argc + 2) * sizeof *words);

    memcpy(words, argv, (size_t)argc * sizeof *words);
    words[argc] = "--help";
    words[argc + 1] = NULL;
    return run_command(argc + 1, words);
}

static int dispatch(int argc, char **argv)
{
    int first = 1;

    if (argc < 2)
        return help(stderr);
    if (strcmp(argv[1], "complete") == 0) /* for shells, and no command of people */
        return complete(commands, ARRAY_SIZE(commands), argc - 1, argv + 1);
    if (strcmp(argv[1], LAB_TOOL_WORD) == 0)
        return command_lab_tool(argc - 1, argv + 1);
    while (first < argc && is_one_of(argv[first], "--help", "-h", "help"))
        first++;
    if (first < argc && is_one_of(argv[first], "--version", "-V", "version")) {
        cli_print("assay %s\n", ASSAY_VERSION);
        return EXIT_ACCEPT;
    }
    if (first == 1)
        return run_command(argc - 1, argv + 1);
    return first < argc ? help_of(argc - first, argv + first) : help(stdout);
}

/* A reader that went away has what it wanted; poll tells it from a disk that took no more. */
static bool reader_went_away(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};

    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

/* Who reads half of what was said must not take it for all. */
static int output_kept(int status)
{
    if ((fflush(stdout) == 0 && !ferror(stdout)) || reader_went_away())
        return status;
    cli_warn("assay: standard output took not all of it, as where a disk is full; ask again, and send it "
             "elsewhere\n");
    return EXIT_INTERNAL;
}

int main(int argc, char **argv)
{
    int asked;

    /* A reader that closes early, as `assay list | head`, ends the output and nothing else. */
    signal(SIGPIPE, SIG_IGN);
    asked = remote_askpass(argc, argv);
    return asked >= 0 ? asked : output_kept(dispatch(argc, argv));
}
