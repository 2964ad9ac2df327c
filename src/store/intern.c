/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words by id and ids by word. Words are never deleted, so that an id that was once committed stays good
 * whatever other processes write; after a rollback what was remembered is forgotten.
 */
#include <stdlib.h>
#include <string.h>

#include "store_private.h"

struct entry {
    const char *text;
    uint64_t hash;
    int64_t id;
};

struct intern {
    struct arena *arena;
    struct entry *entries;
    size_t count, capacity; /* capacity: a power of two */
};

enum { FIRST_CAPACITY = 256, KEPT_WORDS = 1 << 18 };

struct intern *intern_create(void)
{
    struct intern *intern = mem_alloc(sizeof *intern);

    intern_forget(intern);
    return intern;
}

void intern_destroy(struct intern *intern)
{
    if (intern == NULL)
        return;
    arena_destroy(intern->arena);
    free(intern->entries);
    free(intern);
}

void intern_forget(struct intern *intern)
{
    arena_destroy(intern->arena);
    free(intern->entries);
    intern->arena = arena_create();
    intern->capacity = FIRST_CAPACITY;
    intern->entries = mem_alloc(intern->capacity * sizeof *intern->entries);
    intern->count = 0;
}

/* FNV-1a. */
static uint64_t hash_bytes(const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    uint64_t hash = 0xcbf29ce484222325;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ at[i]) * 0x100000001b3;
    return hash;
}

static uint64_t hash_text(const char *text)
{
    return hash_bytes(text, strlen(text));
}

/* The word's entry, or the empty one where it belongs. */
static struct entry *find(const struct intern *intern, const char *text, uint64_t hash)
{
    size_t i = hash & (intern->capacity - 1);

    while (intern->entries[i].text != NULL &&
           (intern->entries[i].hash != hash || strcmp(intern->entries[i].text, text) != 0))
        i = (i + 1) & (intern->capacity - 1);
    return &intern->entries[i];
}

static void grow(struct intern *intern)
{
    struct entry *old = intern->entries;
    size_t old_capacity = intern->capacity;

    intern->capacity *= 2;
    intern->entries = mem_alloc(intern->capacity * sizeof *intern->entries);
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i].text != NULL)
            *find(intern, old[i].text, old[i].hash) = old[i];
    free(old);
}

static void remember(struct intern *intern, const char *text, uint64_t hash, int64_t id)
{
    if (intern->count == KEPT_WORDS)
        intern_forget(intern);
    if (intern->count * 2 >= intern->capacity)
        grow(intern);
    *find(intern, text, hash) = (struct entry){arena_strdup(intern->arena, text), hash, id};
    intern->count++;
}

int intern_id(struct store *store, const char *text, int64_t *ret_id, struct error *err)
{
    uint64_t hash = hash_text(text);
    const struct entry *known = find(store->words, text, hash);
    int found;

    if (known->text != NULL) {
        *ret_id = known->id;
        return 0;
    }
    found = store_ask(store, FIND_WORD, ret_id, err, TEXT(text));
    if (found == 0) {
        if (store_exec(store, INSERT_WORD, err, TEXT(text)) < 0)
            return -1;
        *ret_id = sqlite3_last_insert_rowid(store->db);
    }
    if (found < 0)
        return -1;
    remember(store->words, text, hash, *ret_id);
    return 0;
}

/* The other way, while one record is loaded: each word once in its arena, and what it says as a place or as a reason. */
struct name {
    const char *text;
    const struct measurement *place; /* only its at; NULL until it is asked for */
    const struct reason *reason;     /* likewise */
};
struct held_read;

struct names {
    struct store *store;
    struct arena *arena;
    LIST_OF(struct name) items;
    struct repeated *repeated;     /* by hash, REPEATED of them; NULL until one is asked for */
    const char **texts;            /* likewise, TEXTS of them */
    const struct held_read **held; /* likewise, HELD of them */
};

/* A reason that was met lately: of the outcomes of a large run most say what others said. */
struct repeated {
    const char *form;
    const struct reason *reason;
};
enum { REPEATED = 1 << 16, TEXTS = 1 << 14, HELD = 1 << 12 };

struct names *names_create(struct store *store, struct arena *arena)
{
    struct names *names = arena_new(arena, struct names);

    names->store = store;
    names->arena = arena;
    return names;
}

static const char *load_word(struct rows *rows, int64_t id)
{
    struct error err = {0};
    struct rows word;
    const char *text = NULL;

    if (rows_open(rows->store, &word, SELECT_WORD, rows->names->arena, NULL, &err, INTEGER(id)) == 0 &&
        rows_next(&word, &err) > 0) {
        text = take_text(&word);
        rows_close(&word);
    }
    if (text == NULL)
        rows_damage(rows, "word %lld is not there %.80s", (long long)id, err.text);
    return text;
}

/* NULL for a NULL, and with the rows damaged. */
static struct name *take_name(struct rows *rows)
{
    enum { WORD_LIMIT = 1 << 28 };
    struct names *names = rows->names;
    const char *text;
    int64_t id;

    if (take_null(rows))
        return NULL;
    id = take_integer(rows);
    if (id < 0 || id >= WORD_LIMIT) {
        rows_damage(rows, "word %lld cannot be", (long long)id);
        return NULL;
    }
    if ((size_t)id < names->items.count && names->items.items[id].text != NULL)
        return &names->items.items[id];
    text = load_word(rows, id);
    if (text == NULL)
        return NULL;
    while (names->items.count <= (size_t)id)
        (void)list_push(names->arena, &names->items);
    names->items.items[id].text = text;
    return &names->items.items[id];
}

const char *take_optional_word(struct rows *rows)
{
    const struct name *name = take_name(rows);

    return name != NULL ? name->text : NULL;
}

const char *take_word(struct rows *rows)
{
    const char *text = take_optional_word(rows);

    if (text == NULL)
        rows_damage(rows, "a word is not there");
    return text != NULL ? text : "";
}

static const struct reason *reason_of(struct rows *rows, struct name *name)
{
    if (name->reason == NULL && *name->text != '\0')
        name->reason = reason_decode(rows->names->arena, name->text);
    return name->reason;
}

const struct reason *take_optional_reason_word(struct rows *rows)
{
    struct name *name = take_name(rows);

    return name != NULL ? reason_of(rows, name) : NULL;
}

const struct reason *take_reason_word(struct rows *rows)
{
    struct name *name = take_name(rows);

    if (name == NULL)
        rows_damage(rows, "a word is not there");
    return name != NULL ? reason_of(rows, name) : NULL;
}

const struct reason *take_repeated_reason(struct rows *rows)
{
    struct names *names = rows->names;
    const char *form = take_raw_text(rows);
    struct repeated *repeated;

    if (form == NULL || *form == '\0')
        return NULL;
    if (names->repeated == NULL)
        names->repeated = arena_array(names->arena, struct repeated, REPEATED);
    repeated = &names->repeated[hash_text(form) & (REPEATED - 1)];
    if (repeated->form == NULL || strcmp(repeated->form, form) != 0)
        *repeated = (struct repeated){arena_strdup(names->arena, form), reason_decode(names->arena, form)};
    return repeated->reason;
}

/* As it is stored, and as it is read: what was told in words became data. */
struct held_read {
    struct held_to stored, read;
};

static struct held_read *read_held(struct arena *arena, const struct held_to *stored)
{
    struct held_read *held = arena_new(arena, struct held_read);

    held->stored = held->read = *stored;
    held->read.gate = limit_gate_of_record(arena, stored->gate);
    return held;
}

/* Words are there once, so what they were made into says whether they are the same. */
const struct held_to *take_held_to(struct rows *rows)
{
    struct names *names = rows->names;
    const struct reason *limit = take_reason_word(rows), *gate = take_reason_word(rows),
                        *source = take_reason_word(rows);
    const struct held_to held = {limit, gate, source, take_word(rows)};
    const struct held_read **known;
    uint64_t hash = hash_bytes(&held, sizeof held);

    if (names->held == NULL)
        names->held = arena_array(names->arena, const struct held_read *, HELD);
    known = &names->held[hash & (HELD - 1)];
    if (*known == NULL || memcmp(&(*known)->stored, &held, sizeof held) != 0)
        *known = read_held(names->arena, &held);
    return &(*known)->read;
}

const char *take_repeated_text(struct rows *rows)
{
    struct names *names = rows->names;
    const char *text = take_raw_text(rows), **known;

    if (text == NULL)
        return "";
    if (names->texts == NULL)
        names->texts = arena_array(names->arena, const char *, TEXTS);
    known = &names->texts[hash_text(text) & (TEXTS - 1)];
    if (*known == NULL || strcmp(*known, text) != 0)
        *known = arena_strdup(names->arena, text);
    return *known;
}

/* Many measurements were taken at the same few places: they share the fields. */
void take_place(struct rows *rows, struct measurement *measurement)
{
    struct name *name = take_name(rows);

    if (name != NULL && name->place == NULL) {
        struct measurement *place = arena_new(rows->names->arena, struct measurement);

        if (at_decode(rows->names->arena, name->text, place))
            name->place = place;
    }
    if (name == NULL || name->place == NULL) {
        rows_damage(rows, "'%.80s' is not a place of a measurement", name != NULL ? name->text : "NULL");
        return;
    }
    measurement->at.items = name->place->at.items;
    measurement->at.count = measurement->at.capacity = name->place->at.count;
}
