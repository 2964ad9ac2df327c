/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/signature.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/base/program.h"
#include "assay/base/scan.h"

#define NAMESPACE "assay-report"
enum { SIGNATURE_BYTES = 1 << 16, SIGNERS_BYTES = 16 << 20 };

/* One look at one signature: every byte that ssh-keygen reads for it. */
struct look {
    struct arena *arena;
    struct program_inputs inputs; /* the manifest, the signature, the allowed signers */
    const char *allowed;          /* their file, for people; NULL: there is none */
    struct signature *signature;
};

/* Its exit status, or -1. ret_out, ret_complaint: stdout and stderr. A passphrase is asked for on the terminal. */
static int keygen(struct arena *arena, const char *const *words, const struct program_inputs *inputs,
                  const char **ret_out, const char **ret_complaint, struct error *err)
{
    int status = program_run(arena, words, inputs, ret_out, ret_complaint, err);

    return status < 0 ? error_wrap(err, "OpenSSH's client is needed") : status;
}

static const char *first_line(struct arena *arena, const char *text)
{
    return arena_strndup(arena, text, strcspn(text, "\r\n"));
}

/* What ssh-keygen has against it, with the name of the file that was given to it as PROGRAM_INPUT_2. */
static const char *complaint_of(const struct look *look, const char *complaint)
{
    const char *line = first_line(look->arena, complaint), *found = strstr(line, PROGRAM_INPUT_2);

    if (found == NULL || look->allowed == NULL)
        return line;
    return arena_printf(look->arena, "%.*s%s%s", (int)(found - line), line, look->allowed,
                        found + strlen(PROGRAM_INPUT_2));
}

/* "Good "assay-report" signature with ED25519 key SHA256:..." */
static const char *key_of(struct arena *arena, const char *answer)
{
    const char *with = strstr(answer, " with ");

    return with != NULL ? first_line(arena, with + 6) : "";
}

static int ask_signer(const struct look *look, struct error *err)
{
    const char *find[] = {"ssh-keygen",    "-Y", "find-principals", "-s",
                          PROGRAM_INPUT_1, "-f", PROGRAM_INPUT_2,   NULL};
    const char *out, *complaint;
    int status = keygen(look->arena, find, &look->inputs, &out, &complaint, err);

    if (status < 0)
        return -1;
    if (status == 0) {
        const char *signer = first_line(look->arena, out);
        const char *verify[] = {"ssh-keygen",    "-Y", "verify", "-n", NAMESPACE,       "-f",
                                PROGRAM_INPUT_2, "-I", signer,   "-s", PROGRAM_INPUT_1, NULL};

        status = keygen(look->arena, verify, &look->inputs, &out, &complaint, err);
        if (status < 0)
            return -1;
        look->signature->signer = status == 0 ? signer : "";
    }
    if (status == 0)
        look->signature->state = SIGNATURE_GOOD;
    else
        look->signature->why = complaint_of(look, complaint);
    return 0;
}

static int look_at(const struct look *look, struct error *err)
{
    const char *words[] = {"ssh-keygen", "-Y", "check-novalidate", "-n",
                           NAMESPACE,    "-s", PROGRAM_INPUT_1,    NULL};
    struct signature *signature = look->signature;
    const char *out, *complaint;
    int status = keygen(look->arena, words, &look->inputs, &out, &complaint, err);

    if (status < 0)
        return -1;
    signature->state = status == 0 ? SIGNATURE_UNKNOWN : SIGNATURE_BAD;
    signature->key = status == 0 ? key_of(look->arena, out) : "";
    signature->why = status == 0 ? "" : complaint_of(look, complaint);
    return status == 0 && look->allowed != NULL ? ask_signer(look, err) : 0;
}

/* look: all but the signature, whose file signature->path names. */
static int check_one(struct look look, struct signature *signature, struct error *err)
{
    cleanup_text struct text bytes = {0};
    struct error unread;

    signature->key = signature->signer = signature->why = "";
    text_init(&bytes, SIGNATURE_BYTES);
    if (file_read_regular(signature->path, &bytes, &unread) < 0) {
        signature->state = SIGNATURE_BAD;
        signature->why = arena_strdup(look.arena, unread.text);
        return 0;
    }
    look.signature = signature;
    look.inputs.bytes[1] = (struct slice){bytes.bytes, bytes.length};
    return look_at(&look, err);
}

static int only_sig(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);

    return length > 4 && strcmp(entry->d_name + length - 4, ".sig") == 0;
}

/* "MANIFEST.12.sig" */
static bool is_signature_of(const char *name, const char *manifest)
{
    struct slice rest = slice_of(name);
    uint64_t number;

    return scan_text(&rest, manifest) && scan_text(&rest, ".") && scan_digits(&rest, &number) &&
           slice_equal(rest, ".sig");
}

static void find_all(struct arena *arena, const char *manifest, struct signatures *signatures)
{
    const char *slash = strrchr(manifest, '/'), *name = slash != NULL ? slash + 1 : manifest;
    const char *folder = slash != NULL ? arena_strndup(arena, manifest, (size_t)(slash - manifest) + 1) : ".";
    struct dirent **entries;
    int count = scandir(folder, &entries, only_sig, versionsort);

    for (int i = 0; i < count; i++) {
        if (is_signature_of(entries[i]->d_name, name))
            list_push(arena, &signatures->list)->path =
                arena_printf(arena, "%s%s", slash != NULL ? folder : "", entries[i]->d_name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

static int check_all(const struct look *look, struct signatures *signatures, struct error *err)
{
    for (size_t i = 0; i < signatures->list.count; i++)
        if (check_one(*look, &signatures->list.items[i], err) < 0)
            return -1;
    return 0;
}

int signatures_check(struct arena *arena, const struct signed_manifest *manifest, const char *allowed,
                     struct signatures *ret_signatures, struct error *err)
{
    struct look look = {.arena = arena, .inputs.bytes = {manifest->bytes}, .allowed = allowed};
    cleanup_text struct text signers = {0};

    *ret_signatures = (struct signatures){0};
    text_init(&signers, SIGNERS_BYTES);
    if (allowed != NULL && !file_exists(allowed))
        return error_set(
            err, ERROR_USAGE,
            "the file of allowed signers %s does not exist; it has a line for each signer: NAME KEYTYPE KEY",
            allowed);
    if (allowed != NULL && file_read(allowed, &signers, err) < 0)
        return error_wrap(err, "allowed signers");
    look.inputs.bytes[2] = (struct slice){signers.bytes, signers.length};
    find_all(arena, manifest->path, ret_signatures);
    if (ret_signatures->list.count > MOST_SIGNATURES)
        return error_set(err, ERROR_USAGE, "%s has %zu signatures, and more than %d are not looked at",
                         manifest->path, ret_signatures->list.count, MOST_SIGNATURES);
    return check_all(&look, ret_signatures, err);
}

/* The first name that no file has. */
static const char *free_name(struct arena *arena, const char *manifest)
{
    for (unsigned number = 1; number <= MOST_SIGNATURES; number++) {
        const char *path = arena_printf(arena, "%s.%u.sig", manifest, number);

        if (!file_exists(path))
            return path;
    }
    return NULL;
}

/* Whether one of them is by this key too. */
static bool is_by(const struct signatures *signatures, const char *key)
{
    for (size_t i = 0; i < signatures->list.count; i++)
        if (signatures->list.items[i].key[0] != '\0' && strcmp(signatures->list.items[i].key, key) == 0)
            return true;
    return false;
}

int signature_add(struct arena *arena, const struct signed_manifest *manifest, const char *key,
                  const char **ret_path, struct error *err)
{
    const char *words[] = {"ssh-keygen", "-Y", "sign", "-n", NAMESPACE, "-f", key, NULL}, *out, *complaint;
    struct signature added = {.path = free_name(arena, manifest->path), .key = "", .signer = "", .why = ""};
    struct look look = {.arena = arena, .inputs.bytes = {manifest->bytes}, .signature = &added};
    struct signatures there;
    int status;

    if (!file_exists(key))
        return error_set(err, ERROR_USAGE, "the key %s does not exist", key);
    if (added.path == NULL)
        return error_set(err, ERROR_USAGE, "%s has %d signatures already", manifest->path, MOST_SIGNATURES);
    if (signatures_check(arena, manifest, NULL, &there, err) < 0)
        return -1;
    status = keygen(arena, words, &look.inputs, &out, &complaint, err);
    if (status < 0)
        return -1;
    if (status != 0 || strncmp(out, "-----BEGIN SSH SIGNATURE-----", 29) != 0)
        return error_set(err, ERROR_USAGE, "signing with %s: %s", key, first_line(arena, complaint));
    look.inputs.bytes[1] = slice_of(out);
    if (look_at(&look, err) < 0)
        return -1;
    if (added.state == SIGNATURE_BAD)
        return error_set(err, ERROR_INTERNAL, "signing with %s: the signature does not verify: %s", key,
                         added.why);
    *ret_path = is_by(&there, added.key) ? NULL : added.path;
    return *ret_path != NULL ? file_write(*ret_path, out, strlen(out), 0644, err) : 0;
}
