/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/verification.h"

#include <string.h>

#include "assay/app/campaign.h"
#include "assay/app/proof.h"
#include "assay/base/files.h"

enum { FILE_BYTES = 1 << 30 };

void verification_wrong(struct verification *verification, const char *what, const char *why)
{
    findings_tell(&verification->findings, "CHANGED: %s: %s", proof_line(verification->arena, what),
                  proof_line(verification->arena, why));
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
        verification_wrong(verification, verification->kept.path, "it names no report");
    else if (strcmp(entry->sha256, sha256) != 0)
        verification_wrong(
            verification, verification->report,
            arena_printf(verification->arena,
                         "this is not the file that was signed (cut, edited, or another): it has "
                         "SHA-256 %s, and the manifest says %s; ask for it again",
                         sha256, entry->sha256));
    else
        findings_tell(&verification->findings, "ok: %s is the report of the manifest",
                      proof_line(verification->arena, verification->report));
    if (entry != NULL && strcmp(entry->path + 7, file_name(verification->report)) != 0)
        findings_tell(
            &verification->findings,
            "NOTE: its name was %s when it was signed; rely on what was signed, below, not on names",
            proof_line(verification->arena, entry->path + 7));
    return 0;
}

static void judge_signature(struct verification *verification, const struct signature *signature)
{
    switch (signature->state) {
    case SIGNATURE_GOOD:
        findings_tell(&verification->findings, "ok: %s: signed by %s, %s",
                      proof_line(verification->arena, signature->path), signature->signer, signature->key);
        break;
    case SIGNATURE_UNKNOWN:
        if (verification->signers == NULL)
            findings_tell(
                &verification->findings,
                "UNKNOWN KEY: %s: the signature is valid, by %s; but nobody says whose key that is: give "
                "--signers FILE",
                proof_line(verification->arena, signature->path), signature->key);
        else
            findings_tell(
                &verification->findings,
                "UNKNOWN KEY: %s: the signature is whole, and its key %s is not listed in %s%s%s%s: do not "
                "rely on this report; ask the signer by another way for his key's fingerprint",
                proof_line(verification->arena, signature->path), signature->key, verification->signers,
                signature->why[0] != '\0' ? " (" : "", signature->why, signature->why[0] != '\0' ? ")" : "");
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
    if (signatures_check(verification->arena, &verification->kept, verification->signers,
                         &verification->signatures, err) < 0)
        return -1;
    for (size_t i = 0; i < verification->signatures.list.count; i++)
        judge_signature(verification, &verification->signatures.list.items[i]);
    if (verification->signatures.list.count == 0)
        verification_wrong(verification, verification->kept.path,
                           arena_printf(verification->arena, "it is not signed: there is no %s.1.sig",
                                        verification->kept.path));
    return 0;
}

const char *verification_signers(const struct verification *verification)
{
    const char *all = "";

    list_each (signature, verification->signatures.list)
        if (signature->state == SIGNATURE_GOOD)
            all = arena_printf(verification->arena, "%s%s%s, %s", all, *all != '\0' ? "\n" : "",
                               proof_line(verification->arena, signature->signer), signature->key);
    return all;
}

/* What the manifest is of. The words of an unsigned one are anybody's, and stand under a line that says so. */
void verification_tell_subject(const struct verification *verification, const struct manifest *manifest,
                               bool is_signed)
{
    static const struct {
        const char *key, *label;
    } lines[] = {
        {"simulated", "simulated"},   {"verdict", "verdict"}, {"kind", "kind"},     {"run", "run"},
        {"acceptance", "acceptance"}, {"name", "name"},       {"as of", "as of"},   {"suite", "suite"},
        {"hosts", "hosts"},           {"names", "names"},     {"started", "begun"}, {"ended", "ended"},
        {"program", "made by"},       {"made on", "made on"}, {"origin", "origin"}};

    if (!is_signed)
        findings_tell(&verification->findings, "UNSIGNED, anyone could have written this:");
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        const char *said = manifest_said(manifest, lines[i].key);

        if (*said != '\0')
            findings_tell(&verification->findings, "%s%s: %s", is_signed ? "signed: " : "    ",
                          lines[i].label, proof_line(verification->arena, said));
    }
}

static int read_manifest(struct verification *verification, struct error *err)
{
    struct arena *arena = verification->arena;
    const char *path = arena_printf(arena, "%s.manifest", verification->report);
    cleanup_text struct text bytes = {0};

    text_init(&bytes, FILE_BYTES);
    verification->kept.path = path;
    if (!file_exists(verification->report))
        return error_set(err, ERROR_USAGE, "the report %s does not exist", verification->report);
    if (!file_exists(path))
        return error_set(
            err, ERROR_USAGE,
            "%s has no manifest next to it: `assay report --sign` wrote %s and %s.1.sig; keep the three "
            "in one folder",
            verification->report, path, path);
    if (file_read_regular(path, &bytes, err) < 0)
        return -1;
    verification->kept.bytes = (struct slice){arena_strndup(arena, bytes.bytes, bytes.length), bytes.length};
    verification->readable =
        manifest_parse(arena, path, verification->kept.bytes, &verification->manifest, err) == 0;
    if (!verification->readable)
        verification_wrong(verification, path, err->text);
    return 0;
}

int verification_check_report(struct verification *verification, struct error *err)
{
    if (read_manifest(verification, err) < 0 || check_signatures(verification, err) < 0)
        return -1;
    if (!verification->readable)
        return 0;
    if (check_bytes(verification, err) < 0)
        return -1;
    verification_tell_subject(verification, &verification->manifest,
                              *verification_signers(verification) != '\0');
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

static void count_changed(struct verification *verification, const struct manifest *kept, const char *where,
                          int changed)
{
    size_t bytes, tables;

    verification->wrong += (size_t)changed;
    verification_count(kept, &bytes, &tables);
    if (changed == 0)
        findings_tell(&verification->findings,
                      "ok: %zu documents, commands and outputs and %zu tables of %s have the hashes of the "
                      "manifest",
                      bytes, tables, where);
}

int verification_check_evidence(struct verification *verification, struct store *store, long long number,
                                const struct manifest *kept, bool redacted, const char *where,
                                struct error *err)
{
    int changed =
        proof_compare(verification->arena, store, number, kept, redacted, &verification->findings, err);

    if (changed < 0)
        return -1;
    count_changed(verification, kept, where, changed);
    return 0;
}

bool verification_of_acceptance(const struct verification *verification)
{
    return *manifest_said(&verification->manifest, "acceptance") != '\0';
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

int verification_check_acceptance(struct verification *verification, struct store *store, const char *where,
                                  struct error *err)
{
    struct acceptance *kept = store_load_acceptance(
        store, verification->arena, manifest_said(&verification->manifest, "acceptance"), err);
    struct manifest found;
    int changed;

    if (kept == NULL || load_runs(verification, store, kept, err) < 0 ||
        acceptance_manifest(verification->arena, store, kept, &verification->manifest, &found, err) < 0)
        return -1;
    changed = proof_tell_differences(verification->arena, &verification->manifest, &found, false,
                                     &verification->findings);
    count_changed(verification, &verification->manifest, where, changed);
    return 0;
}

static size_t count_redacted(const struct manifest *manifest)
{
    size_t count = 0;

    for (size_t i = 0; i < manifest->entries.count; i++)
        count += manifest->entries.items[i].redacted[0] != '\0';
    return count;
}

/* What the bundle says the originals were: this is what was signed, though they are not here. What it has in their place
   nobody signed: whoever redacts can put in what he likes. */
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
    verification->unproved += count_redacted(&bundle->manifest);
    path = proof_line(verification->arena, path);
    if (count == 0 && unknown == 0)
        findings_tell(&verification->findings, "ok: %s names the originals that were signed", path);
    else if (unknown > 0)
        findings_tell(
            &verification->findings,
            "NOT CHECKED: whether %zu pieces of %s are of the signed run: their originals' hashes are "
            "keyed, and the key stays with who exported it: he can check it by assay verify REPORT --bundle "
            "BUNDLE --db HIS-DATABASE",
            unknown, path);
    findings_tell(
        &verification->findings,
        "NOT CHECKED: %s is redacted: %zu tables, documents and outputs of it are not those that were "
        "signed",
        path, verification->unproved);
    verification->doubts++;
}

/* Whatever is keyed or replaced in it, a bundle says of itself what was signed, or it is another. */
static void check_same_subject(struct verification *verification, const struct bundle *bundle,
                               const char *path)
{
    static const char *const keys[] = {"run", "judgement", "verdict", "kind", "started", "ended", "hosts"};

    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        const char *said = manifest_said(&verification->manifest, keys[i]),
                   *theirs = manifest_said(&bundle->manifest, keys[i]);

        if (*said != '\0' && strcmp(said, theirs) != 0)
            verification_wrong(verification, path,
                               arena_printf(verification->arena, "it is of %s '%s', and the report of '%s'",
                                            keys[i], theirs, said));
    }
}

int verification_check_bundle(struct verification *verification, const struct bundle *bundle,
                              const char *path, const char *key, struct error *err)
{
    bool redacted = manifest_redacted(&bundle->manifest);
    size_t wrong = verification->wrong;

    if (verification->readable)
        check_same_subject(verification, bundle, path);
    if (verification->wrong > wrong)
        return 0;
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
