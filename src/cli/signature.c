/* SPDX-License-Identifier: Apache-2.0 */
#include "signature.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay/files.h"
#include "assay/scan.h"
#include "program.h"

#define NAMESPACE "assay-report"
enum { MOST_SIGNATURES = 999, SIGNATURE_BYTES = 1 << 16 };

/* Its exit status, or -1. ret_out, ret_complaint: stdout and stderr. A passphrase is asked for on the terminal. */
static int keygen(struct arena *arena, const char *const *words, const char *input, const char **ret_out,
                  const char **ret_complaint, struct error *err)
{
    int status = program_run(arena, words, input, ret_out, ret_complaint, err);

    return status < 0 ? error_wrap(err, "OpenSSH's client is needed") : status;
}

static const char *first_line(struct arena *arena, const char *text)
{
    return arena_strndup(arena, text, strcspn(text, "\r\n"));
}

/* "Good "assay-report" signature with ED25519 key SHA256:..." */
static const char *key_of(struct arena *arena, const char *answer)
{
    const char *with = strstr(answer, " with ");

    return with != NULL ? first_line(arena, with + 6) : "";
}

static int ask_signer(struct arena *arena, const char *manifest, const char *allowed,
                      struct signature *signature, struct error *err)
{
    const char *find[] = {"ssh-keygen", "-Y", "find-principals", "-s", signature->path, "-f", allowed, NULL};
    const char *out, *complaint;
    int status = keygen(arena, find, manifest, &out, &complaint, err);

    if (status < 0)
        return -1;
    if (status == 0) {
        const char *signer = first_line(arena, out);
        const char *verify[] = {"ssh-keygen", "-Y", "verify", "-n", NAMESPACE,       "-f",
                                allowed,      "-I", signer,   "-s", signature->path, NULL};

        status = keygen(arena, verify, manifest, &out, &complaint, err);
        if (status < 0)
            return -1;
        signature->signer = status == 0 ? signer : "";
    }
    if (status == 0)
        signature->state = SIGNATURE_GOOD;
    else
        signature->why = first_line(arena, complaint);
    return 0;
}

/* ssh-keygen would wait for a pipe for ever. */
static bool is_small_file(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= SIGNATURE_BYTES;
}

static int check_one(struct arena *arena, const char *manifest, const char *allowed,
                     struct signature *signature, struct error *err)
{
    const char *words[] = {"ssh-keygen", "-Y", "check-novalidate", "-n",
                           NAMESPACE,    "-s", signature->path,    NULL};
    const char *out, *complaint;
    int status;

    signature->key = signature->signer = "";
    if (!is_small_file(signature->path)) {
        signature->state = SIGNATURE_BAD;
        signature->why = "it is no regular file, or too large for a signature";
        return 0;
    }
    status = keygen(arena, words, manifest, &out, &complaint, err);
    if (status < 0)
        return -1;
    signature->state = status == 0 ? SIGNATURE_UNKNOWN : SIGNATURE_BAD;
    signature->key = status == 0 ? key_of(arena, out) : "";
    signature->signer = "";
    signature->why = status == 0 ? "" : first_line(arena, complaint);
    return status == 0 && allowed != NULL ? ask_signer(arena, manifest, allowed, signature, err) : 0;
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

int signatures_check(struct arena *arena, const char *manifest, const char *allowed,
                     struct signatures *ret_signatures, struct error *err)
{
    *ret_signatures = (struct signatures){0};
    if (allowed != NULL && !file_exists(allowed))
        return error_set(err, ERROR_USAGE, "there is no file of allowed signers %s", allowed);
    find_all(arena, manifest, ret_signatures);
    for (size_t i = 0; i < ret_signatures->list.count; i++)
        if (check_one(arena, manifest, allowed, &ret_signatures->list.items[i], err) < 0)
            return -1;
    return 0;
}

int signature_add(struct arena *arena, const char *manifest, const char *key, const char **ret_path,
                  struct error *err)
{
    const char *words[] = {"ssh-keygen", "-Y", "sign", "-n", NAMESPACE, "-f", key, NULL}, *out, *complaint;
    struct signature added = {0};
    struct signatures there;
    unsigned number = 1;
    int status;

    if (!file_exists(key))
        return error_set(err, ERROR_USAGE, "there is no key %s", key);
    if (signatures_check(arena, manifest, NULL, &there, err) < 0)
        return -1;
    status = keygen(arena, words, manifest, &out, &complaint, err);
    if (status < 0)
        return -1;
    if (status != 0 || strncmp(out, "-----BEGIN SSH SIGNATURE-----", 29) != 0)
        return error_set(err, ERROR_USAGE, "signing with %s: %s", key, first_line(arena, complaint));
    do
        added.path = arena_printf(arena, "%s.%u.sig", manifest, number);
    while (file_exists(added.path) && ++number < MOST_SIGNATURES);
    if (file_write(added.path, out, strlen(out), 0644, err) < 0 ||
        check_one(arena, manifest, NULL, &added, err) < 0)
        return -1;
    *ret_path = added.path;
    for (size_t i = 0; i < there.list.count; i++)
        if (there.list.items[i].key[0] != '\0' && strcmp(there.list.items[i].key, added.key) == 0)
            *ret_path = NULL;
    if (*ret_path == NULL || added.state == SIGNATURE_BAD)
        unlink(added.path);
    if (added.state == SIGNATURE_BAD)
        return error_set(err, ERROR_INTERNAL, "signing with %s: the signature does not verify: %s", key,
                         added.why);
    return 0;
}
