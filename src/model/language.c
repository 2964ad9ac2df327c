/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/languages/all.h"

#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)

/* The first row of each language's file. */
#define SENTENCE(code, text)
#define TEXT(key, string)
#define LANGUAGE(...) static const struct language PASTE(LANGUAGE_FILE, itself) = {__VA_ARGS__};
#define LANGUAGE_FILE en
#include "assay/languages/en.def"
#undef LANGUAGE_FILE
#define LANGUAGE_FILES
#include "assay/languages/all.h"
#undef LANGUAGE_FILES

static const struct language *const languages[] = {
#define ROW(of, key, name) [LANGUAGE_##key] = &name##_itself,
    LANGUAGES(ROW, )
#undef ROW
};

const struct language *language_of(enum report_language language)
{
    return languages[language];
}

static const char *const names[] = {
#define ROW(of, key, name) [LANGUAGE_##key] = #name,
    LANGUAGES(ROW, )
#undef ROW
};

const char *language_name(enum report_language language)
{
    return names[language];
}
