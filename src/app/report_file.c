/* SPDX-License-Identifier: Apache-2.0 */
/* A report goes to its file while it is made: of 1,250 hosts JSON and CSV are two gigabytes. */
#include "assay/app/report_file.h"

#include <stdlib.h>
#include <string.h>

#include "assay/app/earlier.h"
#include "assay/app/preflights.h"
#include "assay/base/files.h"
#include "assay/base/scan.h"
#include "assay/store/pack.h"

/* Runs of each database begin with 1: a file of that name can be another run's report. */
static bool is_of_another(const char *path, const char *uuid)
{
    cleanup_text struct text text = {0};
    struct error err = {0};

    if (!file_exists(path))
        return false;
    text_init(&text, (size_t)4 << 30);
    return file_read(path, &text, &err) < 0 || memmem(text.bytes, text.length, uuid, strlen(uuid)) == NULL;
}

char *report_file_name(const struct standing *standing, enum run_state state, long long number,
                       const char *uuid, const char *extension)
{
    const char *kind = !standing_is_acceptance(standing) ? run_kind_name(standing->kind)
                       : state == RUN_CANCELLED          ? "cancelled"
                                                         : "report";
    char *path = mem_printf("assay-%s-%lld%s", kind, number, extension);

    if (!is_of_another(path, uuid))
        return path;
    free(path);
    return mem_printf("assay-%s-%lld-%.8s%s", kind, number, uuid, extension);
}

/* The forms that show an earlier run beside their own, or what it says of theirs. */
static bool compares(const char *format)
{
    return strcmp(format, "html") == 0 || strcmp(format, "text") == 0 || strcmp(format, "json") == 0 ||
           strcmp(format, "prometheus") == 0 || strcmp(format, "junit") == 0;
}

struct record *report_file_load(struct store *store, struct arena *arena, long long number,
                                const char *format, const char *against, struct error *err)
{
    struct record *record = store_load_lean(store, arena, number, report_rests_on, err);

    if (record == NULL || (compares(format) && record->judgement.verdict_count > 0 &&
                           earlier_attach(store, arena, record, against, err) < 0))
        return NULL;
    return strcmp(format, "html") != 0 || preflight_attach(store, record, err) == 0 ? record : NULL;
}

bool report_file_is_packed(const char *path)
{
    return slice_ends(slice_of(path), ".zst");
}

struct output {
    struct file_writing file;
    struct packer *packer; /* NULL: it is written as it is */
    struct error *err;
};

static bool write_bytes(void *context, const char *bytes, size_t length)
{
    struct output *output = context;

    return file_add(&output->file, bytes, length, output->err) == 0;
}

static bool write_piece(void *context, const char *bytes, size_t length)
{
    struct output *output = context;

    return output->packer != NULL ? packer_add(output->packer, bytes, length)
                                  : write_bytes(context, bytes, length);
}

static int make(struct output *output, const struct record *record, const char *format,
                enum report_language language)
{
    cleanup_text struct text text = {0};

    text_init_draining(&text, write_piece, output);
    report_format_find(format)->write(record, language, &text);
    text_drain(&text);
    if (text.clipped)
        return -1;
    if (output->packer != NULL && !packer_finish(output->packer))
        return -1;
    return file_finish(&output->file, output->err);
}

int report_file_write(const struct record *record, const char *format, enum report_language language,
                      const char *path, struct error *err)
{
    struct output output = {.err = err};
    int result = -1;

    if (file_begin(&output.file, path, 0644, err) < 0)
        return -1;
    if (report_file_is_packed(path))
        output.packer = packer_create(write_bytes, &output);
    if (!report_file_is_packed(path) || output.packer != NULL)
        result = make(&output, record, format, language);
    packer_destroy(output.packer);
    file_abandon(&output.file);
    if (result < 0 && err->text[0] == '\0')
        return error_set(err, ERROR_INTERNAL, "%s: it could not be compressed", path);
    return result;
}
