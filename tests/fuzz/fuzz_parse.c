/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every parser reads the same bytes; nothing may crash. With clang and -fsanitize=fuzzer it is a libFuzzer
 * target; built with a main of its own it replays files: fuzz_parse FILE...
 */
#include "assay/files.h"
#include "assay/parser.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    size_t count;
    const struct parser *const *parsers = parser_list(&count);

    for (size_t i = 0; i < count; i++) {
        struct arena *arena = arena_create();
        struct reading reading;

        parser_run(parsers[i], (struct slice){(const char *)bytes, length}, arena, &reading);
        arena_destroy(arena);
    }
    return 0;
}

#ifdef FUZZ_REPLAY
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        cleanup_text struct text input;
        struct error err = {0};

        text_init(&input, 16 << 20);
        if (file_read(argv[i], &input, &err) < 0) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        LLVMFuzzerTestOneInput((const uint8_t *)input.bytes, input.length);
    }
    return 0;
}
#endif
