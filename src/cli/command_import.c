/* SPDX-License-Identifier: Apache-2.0 */
/* assay import: reads the options; what it does is in src/app/importing.c. */
#include "assay/app/importing.h"
#include "cli.h"

int command_import(int argc, char **argv)
{
    const char *db = NULL;
    struct importing options = {.verification.findings = CLI_FINDINGS};
    const struct option_row rows[] = {
        {"report", 0, OPTION_STRING, "REPORT", &options.verification.report,
         "the signed report of the run: the bundle must be what was signed"},
        {"signers", 0, OPTION_STRING, "FILE", &options.verification.signers,
         "the allowed signers file of those whose signatures count, see ssh-keygen(1)"},
        {"db", 0, OPTION_STRING, "FILE", &db,
         "database, made when it is not there; default $ASSAY_DB or assay.db"},
        OPTION_END,
    };
    static const int exits[] = {[IMPORT_TAKEN] = EXIT_ACCEPT,
                                [IMPORT_THERE] = EXIT_ACCEPT,
                                [IMPORT_CHANGED] = EXIT_REJECT,
                                [IMPORT_UNKNOWN] = EXIT_INCOMPLETE};
    struct error err = {0};
    enum import_end end;
    int first, status;

    if (!cli_options(rows, "import BUNDLE", argc, argv, &first, &status))
        return status;
    if (first + 1 != argc) {
        cli_warn("assay: import: expected one BUNDLE, as `assay export` wrote it\n");
        return EXIT_USAGE;
    }
    if (options.verification.signers != NULL && options.verification.report == NULL) {
        cli_warn("assay: import: --signers names those whose signature on a report counts: give --report "
                 "REPORT too\n");
        return EXIT_USAGE;
    }
    options.verification.arena = arena_create();
    options.database = cli_database(db);
    status = import_bundle(&options, argv[first], &end, &err) < 0 ? cli_fail(&err) : exits[end];
    arena_destroy(options.verification.arena);
    return status;
}
