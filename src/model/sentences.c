/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue of reasons (reason.h): what each sentence is in each language. A sentence without a row in the file of a
   language, and a row without a sentence, does not compile. */
#include "assay/model/reason.h"

#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)

#define LANGUAGE(...)
#define TEXT(key, string)
#define SENTENCE(code, text) static const char PASTE(LANGUAGE_FILE, code)[] = text;
#define LANGUAGE_FILES
#include "assay/languages/all.h"
#undef LANGUAGE_FILES
#undef SENTENCE

#define SENTENCE(code, count, english) static const char en_##code[] = english;
#include "assay/reasons/all.def"
#undef SENTENCE

#define IN(code, key, name) [LANGUAGE_##key] = name##_##code,
#define SENTENCE(code_, count, english)                                        \
    extern const struct sentence sentence_##code_;                             \
    const struct sentence sentence_##code_ = {.code = #code_,                  \
                                              .arguments = (count),            \
                                              .texts = {LANGUAGES(IN, code_)}, \
                                              .plain = {.sentence = &sentence_##code_, .depth = 1}};
#include "assay/reasons/all.def"
#undef SENTENCE
