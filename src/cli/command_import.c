/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `assay import`: another party's run into a database. It stays theirs: it is told from own runs wherever it is shown, by
 * where it came from and who signed it, its waivers count for nothing until somebody here adopts them, and no own run is
 * compared with it.
 */
#include <stdio.h>
#include <string.h>

#include "assay/app/proof.h"
#include "assay/app/verification.h"
#include "assay/base/clock.h"
#include "assay/base/files.h"
#include "assay/report/report.h"
#include "cli.h"

struct import_options {
    const char *db;
    struct verification verification; /* with --report: that of the report */
};

/* 0, or what it exits with when it is not as it was made or signed, which was printed. */
static int check(struct import_options *options, const struct bundle *bundle, const char *path,
                 struct error *err)
{
    struct verification *verification = &options->verification;

    if ((verification->report != NULL && verification_check_report(verification, err) < 0) ||
        verification_check_bundle(verification, bundle, path, "", err) < 0)
        return -1;
    if (verification->wrong == 0 &&
        (verification->report == NULL || *verification_signers(verification) != '\0'))
        return 0;
    cli_print("imported: nothing%s\n",
              verification->wrong > 0 ? ""
                                      : ": nobody whom --signers FILE names has signed the report; without "
                                        "--report it can be taken as unsigned");
    return verification->wrong > 0 ? EXIT_REJECT : EXIT_INCOMPLETE;
}

/* Whose word the run is: of what was redacted nobody has signed what stands there now. */
static const char *signers_of(const struct verification *verification)
{
    return verification->unproved == 0 ? verification_signers(verification) : "";
}

/* What is there under the UUID is this run, or another that somebody gave it: then it is said, and nothing is taken. */
static int know_again(struct import_options *options, const struct bundle *bundle, struct store *store,
                      long long number, struct error *err)
{
    struct verification *verification = &options->verification;
    const char *uuid = manifest_said(&bundle->manifest, "run"), *signers = signers_of(verification);
    const struct record *there = store_load_judged(store, verification->arena, number, err);
    const struct run_origin *origin = there != NULL ? there->origin : NULL;
    int changed = 0;

    if (there == NULL)
        return -1;
    if (origin == NULL || strcmp(origin->sha256, bundle->sha256) != 0)
        changed = manifest_redacted(&bundle->manifest)
                      ? 1
                      : proof_compare(verification->arena, store, number, &bundle->manifest, false,
                                      &verification->findings, err);
    if (changed != 0) {
        if (changed > 0)
            cli_print(
                "CHANGED: run %lld (%s) has the UUID of this one, %s, and is another or a copy that was "
                "changed since: nothing is imported; import into a database of its own, --db FILE\n",
                number, origin != NULL ? run_origin_text(verification->arena, origin) : "made here", uuid);
        return changed < 0 ? -1 : 1;
    }
    if (origin != NULL && *signers != '\0' && store_set_signers(store, number, signers, err) < 0)
        return -1;
    cli_print("run %s is there already, as number %lld: nothing is imported%s\n", uuid, number,
              origin != NULL && *signers != '\0' ? " but who signed it" : "");
    return 0;
}

static int take(struct import_options *options, const struct bundle *bundle, const char *path,
                struct error *err)
{
    struct arena *arena = options->verification.arena;
    struct run_origin origin = {.imported = clock_now(),
                                .bundle = file_name(path),
                                .redacted = manifest_redacted(&bundle->manifest),
                                .signers = signers_of(&options->verification)};
    struct store *store = store_open(options->db, false, err);
    struct error none = {0};
    long long number;
    int result = -1;

    if (store == NULL)
        return -1;
    memcpy(origin.sha256, bundle->sha256, SHA256_HEX_SIZE);
    number = store_find_run(store, manifest_said(&bundle->manifest, "run"), &none);
    if (number > 0) {
        result = know_again(options, bundle, store, number, err);
    } else if (store_load_run(bundle->store, arena, bundle->number, false, err) != NULL &&
               store_import_run(bundle->store, bundle->number, store, &origin, &number, err) == 0) {
        cli_print("run: %lld%s\norigin: %s\n", number, origin.redacted ? " (redacted)" : "",
                  run_origin_text(arena, &origin));
        result = 0;
    }
    store_close(store);
    return result;
}

static int import_bundle(struct import_options *options, const char *path, struct error *err)
{
    struct bundle bundle;
    int result = bundle_open(path, options->verification.arena, &bundle, err);

    if (result == 0)
        result = check(options, &bundle, path, err);
    if (result == 0)
        result = take(options, &bundle, path, err);
    store_close(bundle.store);
    return result;
}

int command_import(int argc, char **argv)
{
    struct import_options options = {.verification.findings = CLI_FINDINGS};
    const struct option_row rows[] = {
        {"report", 0, OPTION_STRING, "REPORT", &options.verification.report,
         "the signed report of the run: the bundle must be what was signed"},
        {"signers", 0, OPTION_STRING, "FILE", &options.verification.signers,
         "the allowed signers file of those whose signatures count, see ssh-keygen(1)"},
        {"db", 0, OPTION_STRING, "FILE", &options.db,
         "database, made when it is not there; default $ASSAY_DB or assay.db"},
        OPTION_END,
    };
    struct error err = {0};
    int first, status, result;

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
    options.db = cli_database(options.db);
    result = import_bundle(&options, argv[first], &err);
    status = result < 0 ? cli_fail(&err) : result;
    arena_destroy(options.verification.arena);
    return status;
}
