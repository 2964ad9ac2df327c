/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue of reasons (reason.h): what each sentence is in each language. A sentence without a row in the file of a
   language, and a row without a sentence, does not compile. */
#include "assay/model/reason.h"

#define TEXT(key, string)
#define SENTENCE(code, text) static const char zh_##code[] = text;
#include "assay/languages/zh.def"
#undef TEXT
#undef SENTENCE

#define SENTENCE(code_, count, english)                                   \
    extern const struct sentence sentence_##code_;                        \
    const struct sentence sentence_##code_ = {                            \
        .code = #code_,                                                   \
        .arguments = (count),                                             \
        .texts = {[LANGUAGE_EN] = (english), [LANGUAGE_ZH] = zh_##code_}, \
        .plain = {.sentence = &sentence_##code_, .depth = 1}};
#include "assay/reasons/all.def"
#undef SENTENCE
