/* SPDX-License-Identifier: Apache-2.0 */
/* assay merge: reads the options; what it does is in src/app/merging.c. */
#include "assay/app/merging.h"
#include "cli.h"

static void tell_tally(const struct merge_tally *tally, const char *database, bool only_signed)
{
    cli_print("%s: %zu taken, %zu there already, %zu changed, ", database, tally->taken, tally->there,
              tally->changed);
    if (only_signed)
        cli_print("%zu not signed, ", tally->not_signed);
    cli_print("%zu not ended, %zu refused\n", tally->later, tally->refused);
}

static int status_of(const struct merge_tally *tally)
{
    if (tally->refused > 0)
        return EXIT_USAGE;
    if (tally->changed > 0)
        return EXIT_REJECT;
    return tally->later + tally->not_signed > 0 ? EXIT_INCOMPLETE : EXIT_ACCEPT;
}

int command_merge(int argc, char **argv)
{
    struct merging merging = {.findings = CLI_FINDINGS};
    const char *db = NULL;
    const struct option_row rows[] = {
        {"signers", 0, OPTION_STRING, "FILE", &merging.signers,
         "takes only signed runs: their signed reports lie beside the source, and FILE lists who may sign, a line each: NAME KEYTYPE "
         "KEY (OpenSSH's allowed signers file, see ssh-keygen(1))"},
        {"db", 0, OPTION_STRING, "FILE", &db,
         "database that the runs go to, made when it is not there; default $ASSAY_DB or assay.db"},
        OPTION_END,
    };
    struct merge_tally tally;
    struct error err = {0};
    int first, status;

    if (!cli_options(rows, "merge SOURCE...        (databases of other controllers, or bundles)", argc, argv,
                     &first, &status))
        return status;
    if (first == argc) {
        cli_warn(
            "assay: merge: expected at least one SOURCE: a database of another controller, or a bundle\n");
        return EXIT_USAGE;
    }
    merging.database = cli_database(db);
    merging.sources = (const char *const *)argv + first;
    merging.count = (size_t)(argc - first);
    status = merge_all(&merging, &tally, &err) < 0 ? cli_fail(&err) : status_of(&tally);
    if (status != EXIT_USAGE || tally.refused > 0)
        tell_tally(&tally, merging.database, merging.signers != NULL);
    return status;
}
