/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

#include <string.h>

/* "title=Iron\ncustomer=Acme\n", as `assay run` writes it (names_document). */
static void read_document(struct arena *arena, struct slice bytes, struct report_names *names)
{
    const struct {
        const char *key;
        const char **value;
    } keys[] = {{"title", &names->title}, {"customer", &names->customer}, {"site", &names->site}};
    struct slice line;

    while (scan_line(&bytes, &line)) {
        size_t equals = slice_find(line, "=");

        for (size_t i = 0; equals != (size_t)-1 && i < ARRAY_SIZE(keys); i++)
            if (slice_equal((struct slice){line.bytes, equals}, keys[i].key))
                *keys[i].value = arena_strndup(arena, line.bytes + equals + 1, line.length - equals - 1);
    }
}

const char *names_file(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

void report_names_of(struct arena *arena, const struct record *record, struct report_names *ret_names)
{
    *ret_names = (struct report_names){.title = NULL, .customer = "", .site = "", .contract = ""};
    list_each (document, record->documents) {
        if (strcmp(document->kind, NAMES_DOCUMENT) == 0)
            read_document(arena, document->bytes, ret_names);
        if (strcmp(document->kind, "contract") == 0)
            ret_names->contract = names_file(document->name);
    }
    read_document(arena, record->names, ret_names);
    ret_names->titled = ret_names->title != NULL;
    if (!ret_names->titled)
        ret_names->title = names_file(record->hostfile);
}

const char *names_said(struct arena *arena, enum report_language language, const struct report_names *names)
{
    const struct {
        const char *name;
        enum text_key text;
    } rows[] = {{names->customer, TEXT_CUSTOMER_NAMED},
                {names->site, TEXT_SITE_NAMED},
                {names->contract, TEXT_CONTRACT_NAMED}};
    const char *text = "";

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (*rows[i].name != '\0')
            text = arena_printf(arena, "%s%s \xc2\xb7 ", text,
                                language_say(arena, language, rows[i].text, rows[i].name));
    return text;
}

const char *acceptance_cluster(struct arena *arena, enum report_language language,
                               const struct acceptance *acceptance)
{
    struct report_names names;

    if (acceptance->runs.count == 0)
        return "";
    report_names_of(arena, acceptance->runs.items[acceptance->runs.count - 1], &names);
    return arena_printf(arena, "%s \xc2\xb7 %s", names.title, names_said(arena, language, &names));
}

const struct reason *document_said(struct arena *arena, const struct document *document)
{
    return strcmp(document->kind, CHANGE_DOCUMENT) == 0 ? reason_decode(arena, document->name)
                                                        : reason_word(arena, document->name);
}
