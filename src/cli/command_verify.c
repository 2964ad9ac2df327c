/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `assay verify`: is this the report that was signed, by whom, and is the evidence what it was then? Offline, with
 * nothing but ssh-keygen. Exit status 1: something is not as it was. 2: nothing speaks against it, and not all
 * that was asked could be known: an unknown key, or evidence that was redacted.
 */
#include <stdio.h>
#include <string.h>

#include "assay/app/proof.h"
#include "assay/app/verification.h"
#include "assay/base/files.h"
#include "cli.h"

struct verify_options {
    const char *db, *bundle, *key, *expect_run, *expect_verdict;
};

static int check_database(struct verification *verification, const char *db, struct error *err)
{
    struct store *store = store_open(db, true, err);
    struct error unsound = {0};
    long long number;
    int result = -1;

    if (store == NULL)
        return -1;
    if (store_check(store, &unsound) < 0)
        verification_wrong(verification, db, unsound.text);
    number = verification_of_acceptance(verification)
                 ? 0
                 : store_find_run(store, manifest_said(&verification->manifest, "run"), err);
    if (verification_of_acceptance(verification))
        result = verification_check_acceptance(verification, store, db, err);
    else if (number > 0)
        result =
            verification_check_evidence(verification, store, number, &verification->manifest, false, db, err);
    store_close(store);
    return result;
}

/* "" when no database was given, or nothing was exported redacted from it. */
static int find_key(const char *db, char ret_key[REDACTION_KEY_SIZE], struct error *err)
{
    struct store *store = db != NULL ? store_open(db, true, err) : NULL;
    int result = db == NULL ? 0 : -1;

    ret_key[0] = '\0';
    if (store != NULL)
        result = store_find_redaction_key(store, ret_key, err);
    store_close(store);
    return result;
}

static int check_bundle(struct verification *verification, const char *path, const char *db,
                        struct error *err)
{
    char key[REDACTION_KEY_SIZE];
    struct bundle bundle;
    int result = find_key(db, key, err);

    if (result < 0)
        return -1;
    result = bundle_open(path, verification->arena, &bundle, err);
    if (result == 0 && !verification->readable)
        verification_tell_subject(verification, &bundle.manifest, false);
    if (result == 0)
        result = verification_check_bundle(verification, &bundle, path, key, err);
    store_close(bundle.store);
    if (result < 0 && err->code == ERROR_USAGE && file_exists(path)) {
        verification_wrong(verification, path, err->text);
        result = 0;
    }
    return result;
}

/* What a script knows that it must be. */
static void expect(struct verification *verification, const char *what, const char *wanted)
{
    const char *said = manifest_said(&verification->manifest, what);

    if (wanted == NULL || strcmp(wanted, said) == 0)
        return;
    cli_print("NOT AS EXPECTED: %s is '%s', and --expect-%s says '%s'\n", what,
              proof_line(verification->arena, said), what, wanted);
    verification->wrong++;
}

static int check_all(struct verification *verification, const struct verify_options *options,
                     struct error *err)
{
    size_t captures, tables;

    if (verification_check_report(verification, err) < 0)
        return -1;
    if (!verification->readable)
        return 0;
    if (verification_of_acceptance(verification) && options->bundle != NULL)
        return error_set(err, ERROR_USAGE,
                         "%s is of an acceptance, and a bundle is of one run: give --db FILE",
                         verification->report);
    expect(verification, "run", options->expect_run);
    expect(verification, "verdict", options->expect_verdict);
    if ((options->db != NULL && check_database(verification, options->db, err) < 0) ||
        (options->bundle != NULL && check_bundle(verification, options->bundle, options->db, err) < 0))
        return -1;
    verification_count(&verification->manifest, &captures, &tables);
    if (options->db == NULL && options->bundle == NULL)
        cli_print("not looked at: %zu documents, commands and outputs and %zu tables: give --db FILE%s\n",
                  captures, tables, verification_of_acceptance(verification) ? "" : " or --bundle FILE");
    return 0;
}

static int countersign(struct verification *verification, const char *key, struct error *err)
{
    const char *path;

    if (verification->wrong > 0)
        return error_set(err, ERROR_USAGE, "%s does not verify, so it is not signed", verification->report);
    if (verification->doubts > 0)
        return error_set(
            err, ERROR_USAGE,
            "not all of %s could be verified (see above), so it is not signed: give --signers FILE",
            verification->report);
    if (signature_add(verification->arena, &verification->kept, key, &path, err) < 0)
        return -1;
    cli_print(path != NULL ? "signed: %s\n" : "signed already: by this key%s\n", path != NULL ? path : "");
    return 0;
}

/* What follows from it, and what does not: the signature is a person's word, and no more than that. */
static void print_meaning(const struct verification *verification, const struct verify_options *options)
{
    const char *signers = verification_signers(verification);
    bool evidence = (options->db != NULL || options->bundle != NULL) && verification->unproved == 0;

    if (verification->wrong > 0 || *signers == '\0')
        return;
    cli_print("proved: the report%s as signed by %s\n", evidence ? " and the evidence are" : " is",
              proof_joined(verification->arena, signers, " and by "));
    cli_print(
        "not proved: %sthat the verdict follows from the evidence: `assay import BUNDLE` and `assay judge` "
        "read and judge it again; that hosts and controller told the truth when the run was made: the "
        "signer vouches for that\n",
        verification->unproved > 0 ? "that the evidence is of this run; " : "");
}

/* A bundle by itself says what it is of, and nobody has signed that. */
static void print_bundle(struct verification *verification)
{
    cli_print("NOT CHECKED: a bundle alone proves only that it is complete; who signed its run is for\n"
              "  assay verify REPORT --bundle %s\n",
              proof_line(verification->arena, verification->report));
    verification->doubts++;
}

/* Each asks for something of a signed report. */
static int check_options(const struct verification *verification, const struct verify_options *options,
                         struct error *err)
{
    if (verification->signers == NULL && options->db == NULL && options->bundle == NULL &&
        options->key == NULL && options->expect_run == NULL && options->expect_verdict == NULL)
        return 0;
    return error_set(err, ERROR_USAGE,
                     "verify: a bundle is not signed: give the signed REPORT, and this as --bundle %s",
                     verification->report);
}

static int verify_one(struct verification *verification, const struct verify_options *options, bool is_bundle,
                      struct error *err)
{
    int result;

    if (is_bundle)
        return check_options(verification, options, err) < 0
                   ? -1
                   : check_bundle(verification, verification->report, NULL, err);
    result = check_all(verification, options, err);
    return result == 0 && options->key != NULL ? countersign(verification, options->key, err) : result;
}

static int verify(struct verification *verification, const struct verify_options *options)
{
    size_t length = strlen(verification->report);
    bool is_bundle = length > 8 && strcmp(verification->report + length - 8, ".tar.zst") == 0;
    struct error err = {0};
    int result = verify_one(verification, options, is_bundle, &err);
    bool unread = options->db == NULL && options->bundle == NULL;

    if (result < 0)
        cli_fail(&err);
    if (is_bundle && verification->wrong == 0 && result == 0)
        print_bundle(verification);
    if (result == 0)
        print_meaning(verification, options);
    cli_print("verified: %s\n", verification->wrong > 0 || result < 0 ? "no"
                                : verification->doubts > 0            ? "in part"
                                : unread ? "yes, and the evidence was not looked at"
                                         : "yes");
    if (verification->wrong > 0)
        return EXIT_REJECT;
    if (result < 0)
        return (int)err.code;
    return verification->doubts > 0 ? EXIT_INCOMPLETE : EXIT_ACCEPT;
}

int command_verify(int argc, char **argv)
{
    struct verification verification = {.findings = CLI_FINDINGS};
    struct verify_options options = {0};
    const struct option_row rows[] = {
        {"signers", 0, OPTION_STRING, "FILE", &verification.signers,
         "the allowed signers file of those whose signatures count, see ssh-keygen(1)"},
        {"db", 0, OPTION_STRING, "FILE", &options.db,
         "checks the evidence in this database too; of a redacted --bundle, by its key, that it is of this "
         "run"},
        {"bundle", 0, OPTION_STRING, "FILE", &options.bundle, "checks the evidence in this bundle too"},
        {"expect-run", 0, OPTION_STRING, "UUID", &options.expect_run,
         "fails unless the report is of this run"},
        {"expect-verdict", 0, OPTION_STRING, "WORDS", &options.expect_verdict,
         "fails unless this is its verdict, as 'accept'"},
        {"countersign", 0, OPTION_STRING, "KEY", &options.key,
         "when nothing is changed, adds a signature by KEY"},
        OPTION_END,
    };
    int first, status;

    if (!cli_options(rows, "verify REPORT | BUNDLE.tar.zst", argc, argv, &first, &status))
        return status;
    if (first + 1 != argc) {
        cli_warn("assay: verify: expected one REPORT, as `assay report --sign` wrote it\n");
        return EXIT_USAGE;
    }
    verification.report = argv[first];
    if (!file_exists(verification.report)) {
        cli_warn("assay: verify: %s: there is no such file, so nothing was verified\n", verification.report);
        return EXIT_USAGE;
    }
    verification.arena = arena_create();
    status = verify(&verification, &options);
    arena_destroy(verification.arena);
    return status;
}
