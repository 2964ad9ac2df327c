/* SPDX-License-Identifier: Apache-2.0 */
#include "verification.h"

#include <string.h>

#include "assay/files.h"
#include "proof.h"

enum { FILE_BYTES = 1 << 30 };

void verification_wrong(struct verification *verification, const char *what, const char *why)
{
    cli_print("CHANGED: %s: %s\n", what, why);
    verification->wrong++;
}

static const struct manifest_entry *report_entry(const struct manifest *manifest)
{
    for (size_t i = 0; i < manifest->entries.count; i++)
        if (strncmp(manifest->entries.items[i].path, "report/", 7) == 0)
            return &manifest->entries.items[i];
    return NULL;
}

static int check_bytes(struct verification *verification, struct error *err)
{
    const struct manifest_entry *entry = report_entry(&verification->manifest);
    cleanup_text struct text bytes = {0};
    char sha256[SHA256_HEX_SIZE];

    text_init(&bytes, FILE_BYTES);
    if (file_read_regular(verification->report, &bytes, err) < 0)
        return -1;
    sha256_hex(bytes.bytes, bytes.length, sha256);
    if (entry == NULL)
        verification_wrong(verification, verification->manifest_path, "it names no report");
    else if (strcmp(entry->sha256, sha256) != 0)
        verification_wrong(verification, verification->report,
                           arena_printf(verification->arena, "it has SHA-256 %s and the manifest %s", sha256,
                                        entry->sha256));
    else
        cli_print("ok: %s is the report of the manifest\n", verification->report);
    if (entry != NULL && strcmp(entry->path + 7, file_name(verification->report)) != 0)
        cli_print("NOTE: it was signed under the name %s: what it is of stands below, not in its name\n",
                  entry->path + 7);
    return 0;
}

static void judge_signature(struct verification *verification, const struct signature *signature)
{
    switch (signature->state) {
    case SIGNATURE_GOOD:
        cli_print("ok: %s: signed by %s, %s\n", signature->path, signature->signer, signature->key);
        break;
    case SIGNATURE_UNKNOWN:
        cli_print(
            "UNKNOWN KEY: %s: the signature is good, by %s, which %s%s%s\n", signature->path, signature->key,
            verification->signers != NULL ? "is not good for it by "
                                          : "nobody vouches for: give --signers FILE",
            verification->signers != NULL ? verification->signers : "",
            signature->why[0] != '\0' ? arena_printf(verification->arena, " (%s)", signature->why) : "");
        verification->doubts++;
        break;
    case SIGNATURE_BAD:
    default:
        verification_wrong(
            verification, signature->path,
            arena_printf(verification->arena, "it is no signature of this manifest: %s", signature->why));
    }
}

static int check_signatures(struct verification *verification, struct error *err)
{
    if (signatures_check(verification->arena, verification->manifest_path, verification->signers,
                         &verification->signatures, err) < 0)
        return -1;
    for (size_t i = 0; i < verification->signatures.list.count; i++)
        judge_signature(verification, &verification->signatures.list.items[i]);
    if (verification->signatures.list.count == 0)
        verification_wrong(verification, verification->manifest_path,
                           arena_printf(verification->arena, "it is not signed: there is no %s.1.sig",
                                        verification->manifest_path));
    return 0;
}

const char *verification_signers(const struct verification *verification)
{
    const char *all = "";

    for (size_t i = 0; i < verification->signatures.list.count; i++) {
        const struct signature *signature = &verification->signatures.list.items[i];

        if (signature->state == SIGNATURE_GOOD)
            all = arena_printf(verification->arena, "%s%s%s, %s", all, *all != '\0' ? "\n" : "",
                               signature->signer, signature->key);
    }
    return all;
}

/* What the manifest is of. Whether it is signed stands before each line: the words of an unsigned one are anybody's. */
static void print_subject(struct verification *verification)
{
    static const struct {
        const char *key, *label;
    } lines[] = {{"verdict", "verdict"}, {"run", "run"},         {"acceptance", "acceptance"},
                 {"name", "name"},       {"as of", "as of"},     {"suite", "suite"},
                 {"hosts", "hosts"},     {"names", "names"},     {"started", "begun"},
                 {"ended", "ended"},     {"program", "made by"}, {"made on", "made on"},
                 {"origin", "origin"}};
    const char *signers = verification_signers(verification);

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const char *said = manifest_said(&verification->manifest, lines[i].key);

        if (*said != '\0')
            cli_print("%s %s: %s\n",
                      *signers != '\0' ? "signed:" : "said, by nobody we know:", lines[i].label, said);
    }
}

static int read_manifest(struct verification *verification, struct text *bytes, struct error *err)
{
    verification->manifest_path = arena_printf(verification->arena, "%s.manifest", verification->report);
    text_init(bytes, FILE_BYTES);
    if (file_read_regular(verification->manifest_path, bytes, err) < 0)
        return -1;
    verification->readable =
        manifest_parse(verification->arena, verification->manifest_path,
                       (struct slice){bytes->bytes, bytes->length}, &verification->manifest, err) == 0;
    if (!verification->readable)
        verification_wrong(verification, verification->manifest_path, err->text);
    return 0;
}

int verification_check_report(struct verification *verification, struct error *err)
{
    cleanup_text struct text bytes = {0};

    if (read_manifest(verification, &bytes, err) < 0 || check_signatures(verification, err) < 0)
        return -1;
    if (!verification->readable)
        return 0;
    if (check_bytes(verification, err) < 0)
        return -1;
    print_subject(verification);
    return 0;
}

void verification_count(const struct manifest *manifest, size_t *ret_bytes, size_t *ret_tables)
{
    *ret_bytes = *ret_tables = 0;
    for (size_t i = 0; i < manifest->entries.count; i++) {
        const char *path = manifest->entries.items[i].path;

        *ret_tables += manifest_is_table(path);
        *ret_bytes += !manifest_is_table(path) && strncmp(path, "report/", 7) != 0;
    }
}

int verification_check_evidence(struct verification *verification, struct store *store, long long number,
                                const struct manifest *kept, bool redacted, const char *where,
                                struct error *err)
{
    int changed = proof_compare(verification->arena, store, number, kept, redacted, err);
    size_t bytes, tables;

    if (changed < 0)
        return -1;
    verification->wrong += (size_t)changed;
    verification_count(kept, &bytes, &tables);
    if (changed == 0)
        cli_print("ok: %zu documents, commands and outputs and %zu tables of %s have the hashes of the "
                  "manifest\n",
                  bytes, tables, where);
    return 0;
}

/* What the bundle says the originals were: this is what was signed, though they are not here. */
static void check_claims(struct verification *verification, const struct bundle *bundle, const char *path,
                         const char *key)
{
    struct manifest_difference *differences;
    size_t unknown, count = proof_compare_claims(verification->arena, &verification->manifest,
                                                 &bundle->manifest, key, &differences, &unknown);

    for (size_t i = 0; i < count; i++)
        verification_wrong(verification,
                           arena_printf(verification->arena, "%s: %s", path, differences[i].path),
                           differences[i].what);
    if (count == 0 && unknown == 0)
        cli_print("ok: %s names the originals that were signed\n", path);
    else if (unknown > 0)
        cli_print("NOT CHECKED: whether %zu pieces of %s are of the signed run: their originals' hashes are "
                  "keyed, and the key is in the database that it was exported from: give its --db FILE\n",
                  unknown, path);
    cli_print("NOT CHECKED: %s is redacted: its outputs are not the originals\n", path);
    verification->doubts++;
}

int verification_check_bundle(struct verification *verification, const struct bundle *bundle,
                              const char *path, const char *key, struct error *err)
{
    bool redacted = manifest_redacted(&bundle->manifest);

    if (verification_check_evidence(verification, bundle->store, bundle->number, &bundle->manifest, redacted,
                                    path, err) < 0)
        return -1;
    if (!verification->readable)
        return 0;
    if (redacted) {
        check_claims(verification, bundle, path, key);
        return 0;
    }
    return verification_check_evidence(verification, bundle->store, bundle->number, &verification->manifest,
                                       false, "the bundle, as it was signed,", err);
}
