/* SPDX-License-Identifier: Apache-2.0 */
/* assay lab: a simulated cluster on this machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/base/options.h"
#include "assay/base/scan.h"
#include "assay/lab/lab.h"
#include "cli.h"

/* What `lab up` can be told; for its own help and that of the lab. */
struct up_words {
    struct lab_options options;
    struct option_list faults;
    const char *fabric, *bmc;
};

struct up_rows {
    struct option_row rows[10];
};

static struct up_rows up_rows(struct up_words *words)
{
    return (struct up_rows){{
        {"profile", 0, OPTION_STRING, "NAME", &words->options.profile,
         "the platform, see assay lab profiles (hgx-h100)"},
        {"fabric", 0, OPTION_STRING, "KIND", &words->fabric,
         "what connects the hosts: infiniband or roce (infiniband)"},
        {"bmc", 0, OPTION_STRING, "KIND", &words->bmc, "how the BMCs are asked: ipmi or redfish (ipmi)"},
        {"fault", 0, OPTION_LIST, "HOST:KIND[:ARG]", &words->faults,
         "what is wrong with a host, see assay lab faults"},
        {"oversubscription", 0, OPTION_COUNT, "N", &words->options.oversubscription,
         "the uplinks of a leaf carry an N-th of what its 8 hosts send (1)"},
        {"seed", 0, OPTION_COUNT, "N", &words->options.seed,
         "measurements differ a little from one N to another, as from day to day (they do not)"},
        {"dir", 0, OPTION_STRING, "DIR", &words->options.directory, "the folder of the lab (./assay-lab)"},
        {"port", 0, OPTION_COUNT, "P", &words->options.port, "the SSH port of all hosts (a free one)"},
        {"speed", 0, OPTION_COUNT, "N", &words->options.speed, "simulated seconds in one real second (600)"},
        OPTION_END,
    }};
}

static void help_options(FILE *out)
{
    cleanup_text struct text text = {0};
    struct up_words words = {0};
    const struct up_rows up = up_rows(&words);

    text_init(&text, 64 * 1024);
    options_help(up.rows, &text);
    fprintf(out, "\noptions of up:\n%s", text.bytes);
}

static int help(FILE *out)
{
    fprintf(out, "usage: assay lab up HOSTS [--profile NAME] [--fabric KIND] [--bmc KIND]\n"
                 "                    [--fault HOST:KIND[:ARG]]... [--dir DIR] [--port P]\n"
                 "                    [--speed N] [--oversubscription N] [--seed N]\n"
                 "       assay lab swap HOST gpuN [--dir DIR]    (another GPU in that place)\n"
                 "       assay lab heal HOST[:KIND] [--dir DIR]  (repaired, with the same parts)\n"
                 "       assay lab status|down [--dir DIR]\n"
                 "       assay lab faults|profiles\n\n"
                 "A simulated GPU cluster on this machine: real SSH, simulated tools, faults on\n"
                 "demand. It listens on loopback addresses only and needs no root. `up` prints\n"
                 "where its hostfile lies.\n");
    help_options(out);
    cli_put_examples(out, "lab");
    return out == stdout ? EXIT_ACCEPT : EXIT_USAGE;
}

static bool wants_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

#ifdef ASSAY_WITH_LAB

static int report_error(const struct error *err)
{
    cli_warn("assay lab: %s\n", err->text);
    return err->code != ERROR_NONE ? (int)err->code : ERROR_INTERNAL;
}

/* Returns the index of the first operand, or -1 when all is said and *ret_status is what to exit with. */
static int parse(int argc, char **argv, const struct option_row *rows, const char *usage, int *ret_status)
{
    cleanup_text struct text help = {0};
    struct error err = {0};
    bool wants_help = false;
    int first = -1;

    if (cli_syntax_asked(rows, usage)) {
        *ret_status = 0;
        return -1;
    }
    first = options_parse_once(rows, argc, argv, &wants_help, &err);
    if (wants_help) {
        text_init(&help, 64 * 1024);
        options_help(rows, &help);
        cli_print("usage: assay lab %s\n\n", usage);
        cli_print_lines(help.bytes);
        cli_put_examples(stdout, "lab");
        *ret_status = 0;
        return -1;
    }
    if (first < 0)
        *ret_status = report_error(&err);
    return first;
}

static int usage_error(const char *text)
{
    cli_warn("assay lab: %s; assay lab --help shows how\n", text);
    return ERROR_USAGE;
}

static int read_count(const char *word, unsigned *ret_count)
{
    uint64_t count;

    if (!scan_u64(slice_of(word), &count) || count < 1 || count > LAB_HOSTS_MAX)
        return -1;
    *ret_count = (unsigned)count;
    return 0;
}

/* A second operand is as wrong as none. */
static int wrong_count(int argc, char **argv, int first)
{
    if (first >= argc)
        cli_warn("assay lab up: no number of hosts given");
    else
        cli_warn("assay lab up: '%s' is not a number of hosts", argv[argc - 1]);
    cli_warn("; expected one number from 1 to %d\n", LAB_HOSTS_MAX);
    return ERROR_USAGE;
}

static int start(const struct lab_options *options)
{
    cleanup_text struct text hostfile = {0};
    struct error err = {0};

    text_init(&hostfile, 64 * 1024);
    if (lab_up(options, &hostfile, &err) < 0)
        return report_error(&err);
    cli_print("hostfile: %s\n", hostfile.bytes);
    return 0;
}

static int verb_up(int argc, char **argv)
{
    struct up_words words = {.options = {.directory = LAB_DEFAULT_DIRECTORY,
                                         .profile = LAB_DEFAULT_PROFILE,
                                         .speed = LAB_DEFAULT_SPEED},
                             .fabric = "infiniband",
                             .bmc = "ipmi"};
    struct lab_options *options = &words.options;
    const struct up_rows up = up_rows(&words);
    int status = 0, first = parse(argc, argv, up.rows, "up HOSTS [options]", &status);

    if (first >= 0) {
        options->faults = words.faults.items;
        options->fault_count = words.faults.count;
        options->ethernet = strcmp(words.fabric, "roce") == 0;
        options->redfish = strcmp(words.bmc, "redfish") == 0;
        if (!options->ethernet && strcmp(words.fabric, "infiniband") != 0)
            status = usage_error("--fabric is infiniband or roce");
        else if (!options->redfish && strcmp(words.bmc, "ipmi") != 0)
            status = usage_error("--bmc is ipmi or redfish");
        else
            status = first != argc - 1 || read_count(argv[first], &options->hosts) < 0
                         ? wrong_count(argc, argv, first)
                         : start(options);
    }
    free(words.faults.items);
    return status;
}

static int with_directory(int argc, char **argv, const char *verb)
{
    const char *directory = LAB_DEFAULT_DIRECTORY;
    const struct option_row rows[] = {
        {"dir", 0, OPTION_STRING, "DIR", &directory, "the folder of the lab (./assay-lab)"},
        OPTION_END,
    };
    cleanup_text struct text out = {0};
    struct error err = {0};
    bool running = false, down = strcmp(verb, "down") == 0;
    int status = 0, first, rc;

    text_init(&out, 4 << 20);
    first = parse(argc, argv, rows, down ? "down [--dir DIR]" : "status [--dir DIR]", &status);
    if (first < 0)
        return status;
    if (first != argc)
        return usage_error("too many words");
    rc = down ? lab_down(directory, &running, &err) : lab_status(directory, &out, &running, &err);
    if (rc < 0)
        return report_error(&err);
    if (down)
        cli_print(running ? "the lab in %s is down\n" : "no lab was running in %s\n", directory);
    else
        cli_print_lines(out.bytes);
    return down || running ? 0 : 1;
}

static int verb_swap(int argc, char **argv)
{
    const char *directory = LAB_DEFAULT_DIRECTORY;
    const struct option_row rows[] = {
        {"dir", 0, OPTION_STRING, "DIR", &directory, "the folder of the lab (./assay-lab)"},
        OPTION_END,
    };
    struct error err = {0};
    int status = 0, first = parse(argc, argv, rows, "swap HOST gpuN [--dir DIR]", &status);

    if (first < 0)
        return status;
    if (first != argc - 2)
        return usage_error("swap needs a host and a GPU: node2 gpu3");
    if (lab_swap(directory, argv[first], argv[first + 1], &err) < 0)
        return report_error(&err);
    cli_print("another GPU is %s of %s\n", argv[first + 1], argv[first]);
    return 0;
}

static int verb_heal(int argc, char **argv)
{
    const char *directory = LAB_DEFAULT_DIRECTORY;
    const struct option_row rows[] = {
        {"dir", 0, OPTION_STRING, "DIR", &directory, "the folder of the lab (./assay-lab)"},
        OPTION_END,
    };
    struct error err = {0};
    int status = 0, first = parse(argc, argv, rows, "heal HOST[:KIND] [--dir DIR]", &status);

    if (first < 0)
        return status;
    if (first != argc - 1)
        return usage_error("heal needs a host, or one of its faults: node2, node2:fabric-manager");
    if (lab_heal(directory, argv[first], &err) < 0)
        return report_error(&err);
    cli_print("healed: %s\n", argv[first]);
    return 0;
}

static int list(void (*write)(struct text *out))
{
    cleanup_text struct text out = {0};

    text_init(&out, 1 << 20);
    write(&out);
    cli_print_lines(out.bytes);
    return 0;
}

static int verb_status(int argc, char **argv)
{
    return with_directory(argc, argv, "status");
}

static int verb_down(int argc, char **argv)
{
    return with_directory(argc, argv, "down");
}

static int verb_faults(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return list(lab_faults);
}

static int verb_profiles(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return list(lab_profiles);
}

int command_lab(int argc, char **argv)
{
    static const struct cli_verb verbs[] = {
        {.name = "up", .run = verb_up},
        {.name = "swap", .run = verb_swap},
        {.name = "heal", .run = verb_heal},
        {.name = "status", .run = verb_status},
        {.name = "down", .run = verb_down},
        {.name = "faults", .run = verb_faults},
        {.name = "profiles", .run = verb_profiles},
    };

    if (argc > 1 && wants_help(argv[1]))
        return help(stdout);
    return cli_verbs("lab", verbs, ARRAY_SIZE(verbs), help, argc, argv);
}

int command_lab_tool(int argc, char **argv)
{
    return argc > 1 ? lab_tool(argc - 1, argv + 1) : help(stderr);
}

#else

int command_lab(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (wants_help(argv[i]))
            return help(stdout);
    cli_warn("assay lab: this build has no lab, since libssh was not there: install the package libssh-dev "
             "(Debian, Ubuntu) or libssh-devel, and build again\n");
    return ERROR_INTERNAL;
}

int command_lab_tool(int argc, char **argv)
{
    return command_lab(argc, argv);
}

#endif
