/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/importing.h"

#include <string.h>

#include "assay/app/foreign_run.h"
#include "assay/app/proof.h"
#include "assay/base/clock.h"
#include "assay/base/files.h"
#include "assay/report/report.h"

/* -- The bundle as it was made and signed ---------------------------------------------------------------------- */

/* Whose word the run is: of what was redacted nobody has signed what stands there now. */
static const char *signers_of(const struct verification *verification)
{
    return verification->unproved == 0 ? verification_signers(verification) : "";
}

/* A report that nobody who is known has signed is anybody's word: what it says otherwise than the bundle is no change. */
static int check(struct importing *importing, const struct bundle *bundle, const char *path,
                 enum import_end *ret_end, struct error *err)
{
    struct verification *verification = &importing->verification;
    bool has_report = verification->report != NULL;

    if (has_report && verification_check_report(verification, err) < 0) {
        *ret_end = IMPORT_UNKNOWN;
        return importing->only_signed
                   ? proof_pass_over(verification->arena, verification->report, &verification->findings, err)
                   : -1;
    }
    if (verification_check_bundle(verification, bundle, path, "", err) < 0)
        return -1;
    if (has_report && *verification_signers(verification) == '\0') {
        *ret_end = IMPORT_UNKNOWN;
        findings_tell(&verification->findings,
                      "imported: nothing: nobody whom --signers FILE names has signed the report; without "
                      "--report it can be taken as unsigned");
    } else if (verification->wrong > 0) {
        *ret_end = IMPORT_CHANGED;
        findings_tell(&verification->findings, "imported: nothing");
    } else if (importing->only_signed && *signers_of(verification) == '\0') {
        *ret_end = IMPORT_UNKNOWN;
        findings_tell(&verification->findings,
                      "imported: nothing: it is redacted, and what stands in it now nobody has signed");
    }
    return 0;
}

/* -- Into the database ----------------------------------------------------------------------------------------- */

/* 1: the run that is there under the UUID is another than that of the bundle, or a copy that was changed since. */
static int compare(const struct importing *importing, const struct bundle *bundle, struct store *store,
                   const struct record *there, struct error *err)
{
    const struct verification *verification = &importing->verification;
    int changed;

    bool last = true;

    if (there->origin != NULL && strcmp(there->origin->sha256, bundle->sha256) == 0)
        return 0;
    if (manifest_redacted(&bundle->manifest))
        return 1;
    /* Else who signed this bundle would stand beside a verdict that somebody else has put behind his. */
    if (there->origin != NULL &&
        store_is_last_of_origin(store, there->number, manifest_said(&bundle->manifest, "judgement"), &last,
                                err) < 0)
        return -1;
    if (!last)
        return 1;
    changed = proof_compare(verification->arena, store, there->number, &bundle->manifest, false,
                            &verification->findings, err);
    return changed > 0 ? 1 : changed;
}

/* What is there under the UUID is this run, or another that somebody gave it: then it is said, and nothing is taken. */
static int know_again(const struct importing *importing, const struct bundle *bundle, struct store *store,
                      long long number, enum import_end *ret_end, struct error *err)
{
    const struct verification *verification = &importing->verification;
    const char *uuid = manifest_said(&bundle->manifest, "run"), *signers = signers_of(verification);
    const struct record *there = store_load_judged(store, verification->arena, number, err);
    const struct run_origin *origin = there != NULL ? there->origin : NULL;
    int changed = there != NULL ? compare(importing, bundle, store, there, err) : -1;

    if (changed > 0) {
        *ret_end = IMPORT_CHANGED;
        findings_tell(
            &verification->findings,
            "CHANGED: run %lld (%s) has the UUID of this one, %s, and is another, or a copy that was "
            "changed or judged since: nothing is imported; import into a database of its own, --db FILE",
            number,
            origin != NULL ? proof_line(verification->arena, run_origin_text(verification->arena, origin))
                           : "made here",
            proof_line(verification->arena, uuid));
    }
    if (changed != 0)
        return changed < 0 ? -1 : 0;
    *ret_end = IMPORT_THERE;
    if (origin != NULL && *signers != '\0' && store_add_signers(store, number, signers, err) < 0)
        return -1;
    findings_tell(&verification->findings, "run %s is there already, as number %lld: nothing is imported%s",
                  proof_line(verification->arena, uuid), number,
                  origin != NULL && *signers != '\0' ? " but who signed it" : "");
    return 0;
}

static int take_new(const struct importing *importing, const struct bundle *bundle, const char *path,
                    struct store *store, struct error *err)
{
    const struct verification *verification = &importing->verification;
    struct arena *arena = verification->arena;
    struct run_origin origin = {.imported = clock_now(),
                                .bundle = file_name(path),
                                .redacted = manifest_ever_redacted(&bundle->manifest),
                                .signers = signers_of(verification)};
    const struct record *record;
    const char *note;
    long long number;

    memcpy(origin.sha256, bundle->sha256, SHA256_HEX_SIZE);
    record = store_load_run(bundle->store, arena, bundle->number, false, err);
    if (record == NULL || store_import_run(bundle->store, bundle->number, store, &origin, &number, err) < 0)
        return -1;
    note = foreign_run_note(arena, record);
    if (note != NULL)
        findings_tell(&verification->findings, "NOTE: %s", proof_line(arena, note));
    findings_tell(&verification->findings, "run: %lld%s", number, origin.redacted ? " (redacted)" : "");
    findings_tell(&verification->findings, "origin: %s", proof_line(arena, run_origin_text(arena, &origin)));
    return 0;
}

static int take(const struct importing *importing, const struct bundle *bundle, const char *path,
                enum import_end *ret_end, struct error *err)
{
    struct store *store = store_open(importing->database, false, err);
    struct error none = {0};
    long long number;
    int result;

    if (store == NULL)
        return -1;
    number = store_find_run(store, manifest_said(&bundle->manifest, "run"), &none);
    result = number > 0 ? know_again(importing, bundle, store, number, ret_end, err)
                        : take_new(importing, bundle, path, store, err);
    store_close(store);
    return result;
}

int import_bundle(struct importing *importing, const char *path, enum import_end *ret_end, struct error *err)
{
    struct bundle bundle;
    int result = bundle_open(path, importing->verification.arena, &bundle, err);

    *ret_end = IMPORT_TAKEN;
    if (result == 0)
        result = check(importing, &bundle, path, ret_end, err);
    if (result == 0 && *ret_end == IMPORT_TAKEN)
        result = take(importing, &bundle, path, ret_end, err);
    store_close(bundle.store);
    return result;
}
