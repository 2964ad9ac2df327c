/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `assay verify`: is this the report that was signed, by whom, and is the evidence what it was then? Offline, with
 * nothing but ssh-keygen. Exit status 1: something is not as it was. 2: nothing speaks against it, and not all
 * that was asked could be known: an unknown key, or evidence that was redacted.
 */
#include <stdio.h>
#include <string.h>

#include "acceptance.h"
#include "assay/files.h"
#include "proof.h"
#include "signature.h"

enum { FILE_BYTES = 1 << 30 };

struct verification {
    struct arena *arena;
    const char *report, *signers, *db, *bundle, *key;
    const char *manifest_path;
    struct manifest manifest;
    size_t wrong, doubts;
};

static void wrong(struct verification *verification, const char *what, const char *why)
{
    printf("CHANGED: %s: %s\n", what, why);
    verification->wrong++;
}

static const struct manifest_entry *report_entry(const struct manifest *manifest)
{
    for (size_t i = 0; i < manifest->entries.count; i++)
        if (strncmp(manifest->entries.items[i].path, "report/", 7) == 0)
            return &manifest->entries.items[i];
    return NULL;
}

static int check_report(struct verification *verification, struct error *err)
{
    const struct manifest_entry *entry = report_entry(&verification->manifest);
    cleanup_text struct text bytes = {0};
    char sha256[SHA256_HEX_SIZE];

    text_init(&bytes, FILE_BYTES);
    if (file_read(verification->report, &bytes, err) < 0)
        return -1;
    sha256_hex(bytes.bytes, bytes.length, sha256);
    if (entry == NULL)
        wrong(verification, verification->manifest_path, "it names no report");
    else if (strcmp(entry->sha256, sha256) != 0)
        wrong(verification, verification->report,
              arena_printf(verification->arena, "it has SHA-256 %s and the manifest %s", sha256,
                           entry->sha256));
    else
        printf("ok: %s is the report of the manifest\n", verification->report);
    return 0;
}

static void judge_signature(struct verification *verification, const struct signature *signature)
{
    switch (signature->state) {
    case SIGNATURE_GOOD:
        printf("ok: %s: signed by %s, %s\n", signature->path, signature->signer, signature->key);
        break;
    case SIGNATURE_UNKNOWN:
        printf("UNKNOWN KEY: %s: the signature is good, by %s, which %s%s%s\n", signature->path,
               signature->key,
               verification->signers != NULL ? "is not good for it by "
                                             : "nobody vouches for: give --signers FILE",
               verification->signers != NULL ? verification->signers : "",
               signature->why[0] != '\0' ? arena_printf(verification->arena, " (%s)", signature->why) : "");
        verification->doubts++;
        break;
    case SIGNATURE_BAD:
    default:
        wrong(verification, signature->path,
              arena_printf(verification->arena, "it is no signature of this manifest: %s", signature->why));
    }
}

static int check_signatures(struct verification *verification, struct error *err)
{
    struct signatures signatures;

    if (signatures_check(verification->arena, verification->manifest_path, verification->signers, &signatures,
                         err) < 0)
        return -1;
    for (size_t i = 0; i < signatures.list.count; i++)
        judge_signature(verification, &signatures.list.items[i]);
    if (signatures.list.count == 0)
        wrong(verification, verification->manifest_path,
              arena_printf(verification->arena, "it is not signed: there is no %s.1.sig",
                           verification->manifest_path));
    return 0;
}

static void count_evidence(const struct manifest *manifest, size_t *ret_bytes, size_t *ret_tables)
{
    *ret_bytes = *ret_tables = 0;
    for (size_t i = 0; i < manifest->entries.count; i++) {
        const char *path = manifest->entries.items[i].path;

        *ret_tables += manifest_is_table(path);
        *ret_bytes += !manifest_is_table(path) && strncmp(path, "report/", 7) != 0;
    }
}

static bool is_acceptance(const struct verification *verification)
{
    return *manifest_said(&verification->manifest, "acceptance") != '\0';
}

/* changed: -1 when it is not known. */
static int count_changes(struct verification *verification, const struct manifest *kept, int changed,
                         const char *where)
{
    size_t bytes, tables;

    if (changed < 0)
        return -1;
    verification->wrong += (size_t)changed;
    count_evidence(kept, &bytes, &tables);
    if (changed == 0)
        printf(
            "ok: %zu documents, commands and outputs and %zu tables of %s have the hashes of the manifest\n",
            bytes, tables, where);
    return 0;
}

/* Against a database or an unpacked bundle. */
static int check_evidence(struct verification *verification, struct store *store, long long number,
                          const struct manifest *kept, bool redacted, const char *where, struct error *err)
{
    return count_changes(verification, kept,
                         proof_compare(verification->arena, store, number, kept, redacted, err), where);
}

/* Its runs need not be judged for this, nor read. */
static int load_runs(struct verification *verification, struct store *store, struct acceptance *kept,
                     struct error *err)
{
    for (size_t i = 0; i < kept->run_numbers.count; i++) {
        const struct record *record =
            store_load_judged(store, verification->arena, kept->run_numbers.items[i], err);

        if (record == NULL)
            return -1;
        *list_push(verification->arena, &kept->runs) = record;
    }
    return 0;
}

static int check_acceptance(struct verification *verification, struct store *store, struct error *err)
{
    struct acceptance *kept = store_load_acceptance(
        store, verification->arena, manifest_said(&verification->manifest, "acceptance"), err);
    struct manifest found;

    if (kept == NULL || load_runs(verification, store, kept, err) < 0 ||
        acceptance_manifest(verification->arena, store, kept, &verification->manifest, &found, err) < 0)
        return -1;
    return count_changes(verification, &verification->manifest,
                         proof_print_differences(verification->arena, &verification->manifest, &found, false),
                         verification->db);
}

static int check_database(struct verification *verification, struct error *err)
{
    struct store *store = store_open(verification->db, true, err);
    struct error unsound = {0};
    long long number;
    int result = -1;

    if (store == NULL)
        return -1;
    if (store_check(store, &unsound) < 0)
        wrong(verification, verification->db, unsound.text);
    number = is_acceptance(verification)
                 ? 0
                 : store_find_run(store, manifest_said(&verification->manifest, "run"), err);
    if (is_acceptance(verification))
        result = check_acceptance(verification, store, err);
    else if (number > 0)
        result = check_evidence(verification, store, number, &verification->manifest, false, verification->db,
                                err);
    store_close(store);
    return result;
}

/* "" when no database was given, or nothing was exported redacted from it. */
static int find_key(struct verification *verification, char ret_key[REDACTION_KEY_SIZE], struct error *err)
{
    struct store *store = verification->db != NULL ? store_open(verification->db, true, err) : NULL;
    int result = verification->db == NULL ? 0 : -1;

    ret_key[0] = '\0';
    if (store != NULL)
        result = store_find_redaction_key(store, ret_key, err);
    store_close(store);
    return result;
}

/* What the bundle says the originals were: this is what was signed, though they are not here. */
static int check_claims(struct verification *verification, const struct bundle *bundle, struct error *err)
{
    struct manifest_difference *differences;
    char key[REDACTION_KEY_SIZE];
    size_t count, unknown;

    if (find_key(verification, key, err) < 0)
        return -1;
    count = proof_compare_claims(verification->arena, &verification->manifest, &bundle->manifest, key,
                                 &differences, &unknown);
    for (size_t i = 0; i < count; i++)
        wrong(verification,
              arena_printf(verification->arena, "%s: %s", verification->bundle, differences[i].path),
              differences[i].what);
    if (count == 0 && unknown == 0)
        printf("ok: %s names the originals that were signed\n", verification->bundle);
    else if (unknown > 0)
        printf("NOT CHECKED: whether %zu pieces of %s are of the signed run: their originals' hashes are "
               "keyed, and "
               "the key is in the database that it was exported from: give its --db FILE\n",
               unknown, verification->bundle);
    printf("NOT CHECKED: %s is redacted: its outputs are not the originals\n", verification->bundle);
    verification->doubts++;
    return 0;
}

static int check_unpacked(struct verification *verification, const struct bundle *bundle, const char *path,
                          const struct manifest *signed_one, struct error *err)
{
    const struct manifest_entry *entry = report_entry(&bundle->manifest);
    bool redacted = manifest_redacted(&bundle->manifest);
    char sha256[SHA256_HEX_SIZE];
    const char *wanted;

    if (bundle->unsealed != NULL)
        wrong(verification, path, bundle->unsealed);
    sha256_hex(bundle->report.bytes, bundle->report.length, sha256);
    wanted = entry == NULL ? "" : entry->sha256;
    if (strcmp(wanted, sha256) != 0)
        wrong(verification, arena_printf(verification->arena, "%s: report.json", path),
              "it is not that of the bundle's manifest");
    if (check_evidence(verification, bundle->store, bundle->number, &bundle->manifest, redacted, path, err) <
        0)
        return -1;
    if (signed_one == NULL)
        return 0;
    if (redacted)
        return check_claims(verification, bundle, err);
    return check_evidence(verification, bundle->store, bundle->number, signed_one, false,
                          "the bundle, as it was signed,", err);
}

static int check_bundle(struct verification *verification, const char *path,
                        const struct manifest *signed_one, struct error *err)
{
    const char *folder = proof_folder(verification->arena, err);
    struct bundle bundle;
    int result;

    if (folder == NULL)
        return -1;
    result = bundle_open(path, folder, verification->arena, &bundle, err);
    if (result == 0) {
        result = check_unpacked(verification, &bundle, path, signed_one, err);
        store_close(bundle.store);
    } else if (err->code == ERROR_USAGE && file_exists(path)) {
        wrong(verification, path, err->text);
        result = 0;
    }
    if (directory_remove(folder, NULL) < 0)
        fprintf(stderr, "assay: %s stays behind\n", folder);
    return result;
}

static int read_manifest(struct verification *verification, struct text *bytes, struct error *err)
{
    verification->manifest_path = arena_printf(verification->arena, "%s.manifest", verification->report);
    text_init(bytes, FILE_BYTES);
    if (file_read(verification->manifest_path, bytes, err) < 0)
        return -1;
    if (manifest_parse(verification->arena, verification->manifest_path,
                       (struct slice){bytes->bytes, bytes->length}, &verification->manifest, err) == 0)
        return 0;
    wrong(verification, verification->manifest_path, err->text);
    return 1;
}

static int check_all(struct verification *verification, struct error *err)
{
    cleanup_text struct text bytes = {0};
    size_t captures, tables;
    int unreadable = read_manifest(verification, &bytes, err);

    if (unreadable < 0 || check_signatures(verification, err) < 0)
        return -1;
    if (unreadable > 0)
        return 0;
    if (is_acceptance(verification) && verification->bundle != NULL)
        return error_set(err, ERROR_USAGE,
                         "%s is of an acceptance, and a bundle is of one run: give --db FILE",
                         verification->report);
    if (check_report(verification, err) < 0 ||
        (verification->db != NULL && check_database(verification, err) < 0) ||
        (verification->bundle != NULL &&
         check_bundle(verification, verification->bundle, &verification->manifest, err) < 0))
        return -1;
    count_evidence(&verification->manifest, &captures, &tables);
    if (verification->db == NULL && verification->bundle == NULL)
        printf("not looked at: %zu documents, commands and outputs and %zu tables: give --db FILE%s\n",
               captures, tables, is_acceptance(verification) ? "" : " or --bundle FILE");
    return 0;
}

static int countersign(struct verification *verification, struct error *err)
{
    const char *path;

    if (verification->wrong > 0)
        return error_set(err, ERROR_USAGE, "%s does not verify, so it is not signed", verification->report);
    if (signature_add(verification->arena, verification->manifest_path, verification->key, &path, err) < 0)
        return -1;
    printf(path != NULL ? "signed: %s\n" : "signed already: by this key%s\n", path != NULL ? path : "");
    return 0;
}

static int verify(struct verification *verification)
{
    size_t length = strlen(verification->report);
    bool is_bundle = length > 8 && strcmp(verification->report + length - 8, ".tar.zst") == 0;
    struct error err = {0};
    int result = is_bundle ? check_bundle(verification, verification->report, NULL, &err)
                           : check_all(verification, &err);

    if (result == 0 && verification->key != NULL && !is_bundle)
        result = countersign(verification, &err);
    if (result < 0)
        cli_fail(&err);
    if (is_bundle && verification->wrong == 0 && result == 0) {
        printf("NOT CHECKED: a bundle alone proves only that it is whole; who signed its run is for\n"
               "  assay verify REPORT --bundle %s\n",
               verification->report);
        verification->doubts++;
    }
    printf("verified: %s\n", verification->wrong > 0 || result < 0 ? "no"
                             : verification->doubts > 0            ? "in part"
                                                                   : "yes");
    if (verification->wrong > 0)
        return EXIT_REJECT;
    if (result < 0)
        return (int)err.code;
    return verification->doubts > 0 ? EXIT_INCOMPLETE : EXIT_ACCEPT;
}

int command_verify(int argc, char **argv)
{
    struct verification verification = {0};
    const struct option_row rows[] = {
        {"signers", 0, OPTION_STRING, "FILE", &verification.signers,
         "whose signatures count: an allowed signers file, see ssh-keygen(1)"},
        {"db", 0, OPTION_STRING, "FILE", &verification.db,
         "checks the evidence in this database too; of a redacted --bundle, by its key, that it is of this "
         "run"},
        {"bundle", 0, OPTION_STRING, "FILE", &verification.bundle, "checks the evidence in this bundle too"},
        {"countersign", 0, OPTION_STRING, "KEY", &verification.key,
         "when nothing is changed, adds a signature by KEY"},
        OPTION_END,
    };
    int first, status;

    if (!cli_options(rows, "verify REPORT | BUNDLE.tar.zst", argc, argv, &first, &status))
        return status;
    if (first + 1 != argc) {
        fprintf(stderr, "assay: verify: expected one REPORT, as `assay report --sign` wrote it\n");
        return EXIT_USAGE;
    }
    verification.report = argv[first];
    verification.arena = arena_create();
    status = verify(&verification);
    arena_destroy(verification.arena);
    return status;
}
