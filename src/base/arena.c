/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/base/arena.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/sanitizer.h"

/*
 * Under AddressSanitizer what nobody was given is poisoned, and a gap is left behind each item, so that
 * reading or writing past one is found as it is on the heap.
 */
#if SANITIZES_ADDRESS
#include <sanitizer/asan_interface.h>
#define poison(at, size) ASAN_POISON_MEMORY_REGION((at), (size))
#define unpoison(at, size) ASAN_UNPOISON_MEMORY_REGION((at), (size))
enum { GAP_BYTES = 16 };
#else
#define poison(at, size) ((void)(at), (void)(size))
#define unpoison(at, size) ((void)(at), (void)(size))
enum { GAP_BYTES = 0 };
#endif

/* The first block is small enough for what a controller keeps of each of thousands of hosts, and each is larger than the one
 * before, so that a plan of a thousand hosts is a few hundred blocks. */
enum { FIRST_BYTES = 1024, BLOCK_BYTES = 16 * 1024, LARGER = 4 };

struct block {
    struct block *next;
    size_t used, size;
    alignas(max_align_t) char bytes[];
};

struct arena {
    struct block *blocks;
    struct block
        *spare; /* of BLOCK_BYTES at the most, empty and zeroed: since it was cleared; the smallest first */
    size_t used;
    size_t next; /* bytes of the block to be made next */
};

static void out_of_memory(size_t size)
{
    fprintf(stderr, "assay: out of memory (%zu bytes wanted)\n", size);
    abort();
}

void *mem_alloc(size_t size)
{
    void *pointer = calloc(1, size > 0 ? size : 1);

    if (pointer == NULL)
        out_of_memory(size);
    return pointer;
}

void *mem_resize(void *pointer, size_t size)
{
    void *grown = realloc(pointer, size > 0 ? size : 1);

    if (grown == NULL)
        out_of_memory(size);
    return grown;
}

char *mem_strdup(const char *text)
{
    size_t size = strlen(text) + 1;

    return memcpy(mem_alloc(size), text, size);
}

char *mem_printf(const char *format, ...)
{
    va_list arguments;
    char *text = NULL;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        out_of_memory(0);
    va_end(arguments);
    return text;
}

struct arena *arena_create(void)
{
    struct arena *arena = mem_alloc(sizeof *arena);

    arena->next = FIRST_BYTES;
    return arena;
}

static void free_block(struct block *block)
{
    unpoison(block->bytes, block->size);
    free(block);
}

static void free_blocks(struct block *first)
{
    for (struct block *block = first, *next; block != NULL; block = next) {
        next = block->next;
        free_block(block);
    }
}

struct arena *arena_destroy(struct arena *arena)
{
    if (arena == NULL)
        return NULL;
    free_blocks(arena->blocks);
    free_blocks(arena->spare);
    free(arena);
    return NULL;
}

void arena_clear(struct arena *arena)
{
    for (struct block *block = arena->blocks, *next; block != NULL; block = next) {
        next = block->next;
        if (block->size > BLOCK_BYTES) {
            free_block(block);
            continue;
        }
        unpoison(block->bytes, block->size);
        memset(block->bytes, 0, block->used);
        block->used = 0;
        block->next = arena->spare;
        arena->spare = block;
    }
    arena->blocks = NULL;
    arena->used = 0;
}

/* One that holds so much; too small ones are given back on the way. */
static struct block *take_spare(struct arena *arena, size_t size)
{
    struct block *block;

    while ((block = arena->spare) != NULL) {
        arena->spare = block->next;
        if (block->size >= size)
            return block;
        free_block(block);
    }
    return NULL;
}

static struct block *make_block(struct arena *arena, size_t wanted)
{
    size_t size = wanted;
    struct block *block;

    if (wanted <= BLOCK_BYTES) {
        while (arena->next < wanted)
            arena->next *= LARGER;
        size = arena->next;
        arena->next = size < BLOCK_BYTES ? size * LARGER : BLOCK_BYTES;
    }
    block = mem_alloc(sizeof *block + size);
    block->size = size;
    return block;
}

static struct block *take_block(struct arena *arena, size_t size)
{
    struct block *block = size <= BLOCK_BYTES ? take_spare(arena, size) : NULL;

    if (block == NULL)
        block = make_block(arena, size);
    poison(block->bytes, block->size);
    return block;
}

/* What an item of that size takes up. */
static size_t bytes_for(size_t size)
{
    const size_t align = alignof(max_align_t);

    return (size + GAP_BYTES + align - 1) / align * align;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    struct block *block = arena->blocks;
    size_t wanted;
    void *pointer;

    if (size > (size_t)-1 / 2)
        out_of_memory(size);
    wanted = bytes_for(size);
    if (block == NULL || block->size - block->used < wanted) {
        block = take_block(arena, wanted);
        /* A block made for one large item goes behind the current one, which may still have room. */
        if (arena->blocks != NULL && wanted > BLOCK_BYTES) {
            block->next = arena->blocks->next;
            arena->blocks->next = block;
        } else {
            block->next = arena->blocks;
            arena->blocks = block;
        }
    }
    pointer = block->bytes + block->used;
    block->used += wanted;
    arena->used += wanted;
    unpoison(pointer, size);
    return pointer;
}

void *arena_alloc_array(struct arena *arena, size_t count, size_t item_size)
{
    size_t size;

    if (__builtin_mul_overflow(count, item_size, &size))
        out_of_memory((size_t)-1);
    return arena_alloc(arena, size);
}

char *arena_strndup(struct arena *arena, const char *bytes, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);

    if (length > 0)
        memcpy(copy, bytes, length);
    return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
    return arena_strndup(arena, text, strlen(text));
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    char *formatted = NULL, *text;
    int length;

    va_start(arguments, format);
    length = vasprintf(&formatted, format, arguments);
    va_end(arguments);
    if (length < 0)
        out_of_memory(0);
    text = arena_strndup(arena, formatted, (size_t)length);
    free(formatted);
    return text;
}

const char *arena_add_word(struct arena *arena, const char *list, const char *word)
{
    return arena_printf(arena, "%s%s%s", list, *list != '\0' ? ", " : "", word);
}

const char *arena_add_word_once(struct arena *arena, const char *list, const char *word)
{
    size_t length = strlen(word);

    if (length == 0)
        return list;
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ',' || at[length] == '\0'))
            return list;
    return arena_add_word(arena, list, word);
}

size_t arena_used(const struct arena *arena)
{
    return arena->used;
}

/* Where nothing has been given since, the items stay where they are. */
static bool grow_in_place(struct arena *arena, void *items, size_t had, size_t wanted)
{
    struct block *block = arena->blocks;

    if (items == NULL || (char *)items + had != block->bytes + block->used ||
        block->size - block->used < wanted - had)
        return false;
    block->used += wanted - had;
    arena->used += wanted - had;
    return true;
}

/* Most lists are short, and a run of many hosts has millions of them. */
void *list_grow_(struct arena *arena, void **items, size_t *count, size_t *capacity, size_t item_size)
{
    enum { FIRST = 4 };

    if (*count == *capacity) {
        size_t grown = *capacity > 0 ? *capacity * 2 : FIRST;

        if (grow_in_place(arena, *items, bytes_for(*capacity * item_size), bytes_for(grown * item_size))) {
            unpoison(*items, grown * item_size);
        } else {
            void *copy = arena_alloc_array(arena, grown, item_size);

            if (*count > 0)
                memcpy(copy, *items, *count * item_size);
            *items = copy;
        }
        *capacity = grown;
    }
    return (char *)*items + (*count)++ * item_size;
}

void *list_settle_(struct arena *arena, const void *items, size_t count, size_t *capacity, size_t item_size)
{
    *capacity = count;
    return count > 0 ? memcpy(arena_alloc_array(arena, count, item_size), items, count * item_size) : NULL;
}
