/* SPDX-License-Identifier: Apache-2.0 */
/* Mutations of bytes: of the pages of run.db, of the pieces and their order, of the archive, of the file. */
#include <stdio.h>
#include <string.h>

#include "mutation.h"

static size_t below(struct mutant *mutant, size_t count)
{
    return chance_below(mutant->chance, count);
}

static size_t anywhere(struct mutant *mutant, size_t length)
{
    return length > 65536 ? (below(mutant, length / 256 + 1) * 256 + below(mutant, 256)) % length
                          : below(mutant, length);
}

static bool flip(struct mutant *mutant)
{
    size_t times = 1 + below(mutant, 4);

    if (mutant->bytes->length == 0)
        return false;
    for (size_t i = 0; i < times; i++) {
        size_t at = anywhere(mutant, mutant->bytes->length);

        mutant->bytes->bytes[at] ^= (char)(1 << below(mutant, 8));
        mutant_say(mutant, " @%zu", at);
    }
    return true;
}

static bool overwrite(struct mutant *mutant)
{
    static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff, '0', 13, 10, 5, 2};
    size_t at = anywhere(mutant, mutant->bytes->length), length = 1 + below(mutant, 16);

    if (at + length > mutant->bytes->length)
        return false;
    memset(mutant->bytes->bytes + at, values[below(mutant, ARRAY_SIZE(values))], length);
    mutant_say(mutant, " @%zu+%zu", at, length);
    return true;
}

static bool cut(struct mutant *mutant)
{
    size_t at = anywhere(mutant, mutant->bytes->length);

    mutant->bytes->length = at;
    mutant_say(mutant, " to %zu", at);
    return true;
}

static bool move(struct mutant *mutant)
{
    size_t length = 1 + below(mutant, 600), from = anywhere(mutant, mutant->bytes->length),
           to = anywhere(mutant, mutant->bytes->length);

    if (from + length > mutant->bytes->length || to + length > mutant->bytes->length)
        return false;
    memmove(mutant->bytes->bytes + to, mutant->bytes->bytes + from, length);
    mutant_say(mutant, " %zu from %zu to %zu", length, from, to);
    return true;
}

static bool append(struct mutant *mutant)
{
    static const char zeros[1024], text[] = "behind it";
    size_t length = 1 + below(mutant, sizeof zeros);

    if (below(mutant, 2) == 0)
        text_add(mutant->bytes, zeros, length);
    else
        text_add(mutant->bytes, text, sizeof text);
    return true;
}

/* ---- pages of run.db ---- */

/* The header's fields, https://www.sqlite.org/fileformat.html. */
static bool header(struct mutant *mutant)
{
    static const struct {
        unsigned char at, length;
    } fields[] = {{0, 16},  {16, 2}, {18, 1}, {19, 1},  {20, 1},  {21, 1},  {24, 4}, {28, 4}, {32, 4},
                  {36, 4},  {40, 4}, {44, 4}, {48, 4},  {52, 4},  {56, 4},  {60, 4}, {64, 4}, {68, 4},
                  {72, 20}, {92, 4}, {96, 4}, {100, 1}, {101, 2}, {103, 2}, {105, 2}};
    static const unsigned char values[] = {0, 1, 2, 3, 4, 5, 12, 13, 0x10, 0x7f, 0x80, 0xff};
    size_t which = below(mutant, ARRAY_SIZE(fields));

    if (mutant->bytes->length < 108)
        return false;
    if (below(mutant, 2) == 0)
        memset(mutant->bytes->bytes + fields[which].at, 0, fields[which].length);
    mutant->bytes->bytes[fields[which].at + fields[which].length - 1] =
        (char)values[below(mutant, ARRAY_SIZE(values))];
    mutant_say(mutant, " @%d", fields[which].at);
    return true;
}

static size_t any_page(struct mutant *mutant)
{
    return below(mutant, mutant->bytes->length / 4096) * 4096;
}

/* Of a b-tree page: its kind, free blocks, number of cells, where they begin, where they are. */
static bool page_head(struct mutant *mutant)
{
    size_t page = mutant->bytes->length >= 4096 ? any_page(mutant) : 0, at = page + (page == 0 ? 100 : 0);

    if (mutant->bytes->length < 4096)
        return false;
    at += below(mutant, 40);
    mutant->bytes->bytes[at] = (char)below(mutant, 256);
    mutant_say(mutant, " @%zu", at);
    return true;
}

static bool page_swap(struct mutant *mutant)
{
    char page[4096];
    size_t from, to;

    if (mutant->bytes->length < 2 * sizeof page)
        return false;
    from = any_page(mutant);
    to = any_page(mutant);
    memcpy(page, mutant->bytes->bytes + to, sizeof page);
    memcpy(mutant->bytes->bytes + to, mutant->bytes->bytes + from, sizeof page);
    if (below(mutant, 2) == 0)
        memcpy(mutant->bytes->bytes + from, page, sizeof page);
    mutant_say(mutant, " %zu %zu", from / sizeof page, to / sizeof page);
    return from != to;
}

/* A double that is none: SQLite does not write NaN, but nobody keeps it out of a file. */
static bool no_number(struct mutant *mutant)
{
    static const unsigned char nan[8] = {0x7f, 0xf8, 0, 0, 0, 0, 0, 1}, infinite[8] = {0x7f, 0xf0};
    size_t start = anywhere(mutant, mutant->bytes->length);

    /* Times of these runs begin with these bytes. */
    for (size_t i = 0; i + 8 < mutant->bytes->length; i++) {
        size_t at = (start + i) % (mutant->bytes->length - 8);
        unsigned char *bytes = (unsigned char *)mutant->bytes->bytes + at;

        if (bytes[0] == 0x41 && bytes[1] == 0xda) {
            memcpy(bytes, below(mutant, 2) == 0 ? nan : infinite, 8);
            mutant_say(mutant, " @%zu", at);
            return true;
        }
    }
    return false;
}

/* The text of the schema, letter by letter. */
static bool schema_letter(struct mutant *mutant)
{
    static const char *const words[] = {"NOT NULL", "REFERENCES", "CREATE", "UNIQUE",
                                        "CHECK",    "INTEGER",    "TEXT"};
    const char *word = words[below(mutant, ARRAY_SIZE(words))];
    size_t start = anywhere(mutant, mutant->bytes->length), length = strlen(word);

    for (size_t i = 0; i + length < mutant->bytes->length; i++) {
        size_t at = (start + i) % (mutant->bytes->length - length);

        if (memcmp(mutant->bytes->bytes + at, word, length) == 0) {
            mutant->bytes->bytes[at + below(mutant, length)] = " xX,)(-/"[below(mutant, 8)];
            mutant_say(mutant, " %s @%zu", word, at);
            return true;
        }
    }
    return false;
}

/* ---- pieces ---- */

static struct piece *any_piece(struct mutant *mutant)
{
    return &mutant->pieces.items[below(mutant, mutant->pieces.count)];
}

static bool piece_renamed(struct mutant *mutant)
{
    static const char *const names[] = {
        "manifest",   "report.json",    "run.db",    "../../../tmp/evil", "/etc/passwd", "",
        "run.db-wal", "run.db-journal", "capture/3", "capture/\x1b[2J",   "a/../b"};
    struct piece *piece = any_piece(mutant);

    mutant_say(mutant, " %s", piece->name);
    piece->name = names[below(mutant, ARRAY_SIZE(names))];
    return true;
}

static bool piece_moved(struct mutant *mutant)
{
    struct piece *a = any_piece(mutant), *b = any_piece(mutant), kept = *a;

    *a = *b;
    if (below(mutant, 3) > 0)
        *b = kept;
    mutant_say(mutant, " %s %s", kept.name, a->name);
    return a != b;
}

static bool piece_twice(struct mutant *mutant)
{
    struct piece piece = *any_piece(mutant);

    *list_push(mutant->arena, &mutant->pieces) = piece;
    mutant_say(mutant, " %s", piece.name);
    return true;
}

static bool piece_gone(struct mutant *mutant)
{
    struct piece *piece = any_piece(mutant);

    mutant_say(mutant, " %s", piece->name);
    *piece = mutant->pieces.items[--mutant->pieces.count];
    return true;
}

static bool piece_size(struct mutant *mutant)
{
    static const long long sizes[] = {
        0, 1, 511, 512, 1 << 20, 8LL << 30, (8LL << 30) - 1, 07777777777LL, 511LL << 20};
    struct piece *piece = any_piece(mutant);

    piece->said = sizes[below(mutant, ARRAY_SIZE(sizes))];
    mutant_say(mutant, " %s %lld", piece->name, piece->said);
    return true;
}

static bool piece_bytes(struct mutant *mutant)
{
    struct piece *piece = any_piece(mutant);
    char *bytes = arena_strndup(mutant->arena, piece->bytes.bytes, piece->bytes.length);

    if (piece->bytes.length == 0)
        return false;
    bytes[anywhere(mutant, piece->bytes.length)] ^= (char)(1 + below(mutant, 255));
    piece->bytes.bytes = bytes;
    mutant_say(mutant, " %s", piece->name);
    return true;
}

#define EMPTY_SHA256 "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

/* A line of the manifest twice, gone, or another. */
static bool manifest_line(struct mutant *mutant)
{
    static const char *const lines[] = {"run: 0001f6c4-52f7-4d0e-9a5e-2f6f6c1f7e10\n",
                                        "run.db bytes: 99999999999999999999\n",
                                        "verdict: accept\n",
                                        "\n",
                                        EMPTY_SHA256 "  capture/x\n",
                                        "run.db bytes: -1\n",
                                        EMPTY_SHA256 " " EMPTY_SHA256 "  capture/y  note\n",
                                        "assay manifest 1\n",
                                        "acceptance: x\n",
                                        "x",
                                        "judgement: \\x1b[2J\n"};
    struct piece *piece = &mutant->pieces.items[0];
    const char *line = lines[below(mutant, ARRAY_SIZE(lines))];
    struct slice bytes = piece->bytes;
    size_t at = anywhere(mutant, bytes.length + 1), end;
    struct text text;

    if (bytes.length == 0)
        return false;
    while (at > 0 && bytes.bytes[at - 1] != '\n')
        at--;
    for (end = at; end < bytes.length && bytes.bytes[end] != '\n';)
        end++;
    end = below(mutant, 2) == 0 && end < bytes.length ? end + 1 : at;
    text_init(&text, (size_t)1 << 28);
    text_add(&text, bytes.bytes, at);
    if (below(mutant, 4) > 0)
        text_put(&text, line);
    text_add(&text, bytes.bytes + end, bytes.length - end);
    piece->bytes = (struct slice){arena_strndup(mutant->arena, text.bytes, text.length), text.length};
    text_release(&text);
    mutant_say(mutant, " @%zu %.40s", at, line);
    return true;
}

/* ---- the archive and the file ---- */

/* A header's field, with the sum made over again or not. */
static bool tar_header(struct mutant *mutant)
{
    static const unsigned short fields[] = {0,   1,   99,  100, 108, 116, 124, 125, 135, 136,
                                            148, 156, 157, 257, 263, 265, 297, 329, 345};
    static const char values[] = "\0\0011257LKxgS/.\xff ";
    size_t at = 0, skip = below(mutant, 12);
    unsigned char *bytes = (unsigned char *)mutant->bytes->bytes;

    for (; skip > 0 && skip < mutant->pieces.count; skip--) {
        size_t length = mutant->pieces.items[skip - 1].bytes.length;

        at += TAR_BLOCK + (length + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
    }
    if (at + TAR_BLOCK > mutant->bytes->length)
        return false;
    bytes[at + fields[below(mutant, ARRAY_SIZE(fields))]] =
        (unsigned char)values[below(mutant, sizeof values - 1)];
    if (below(mutant, 3) > 0)
        pack_checksum(bytes + at);
    mutant_say(mutant, " @%zu", at);
    return true;
}

static bool frame_twice(struct mutant *mutant)
{
    struct text text;

    text_init(&text, (size_t)1 << 28);
    text_add(&text, mutant->bytes->bytes, mutant->bytes->length);
    text_add(mutant->bytes, text.bytes, text.length);
    text_release(&text);
    return true;
}

static bool frame_skipped(struct mutant *mutant)
{
    static const unsigned char skippable[] = {0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 'e', 'v', 'i', 'l'};
    struct text text;

    text_init(&text, (size_t)1 << 28);
    if (below(mutant, 2) == 0)
        text_add(&text, skippable, sizeof skippable);
    text_add(&text, mutant->bytes->bytes, mutant->bytes->length);
    text_add(&text, skippable, sizeof skippable);
    text_reset(mutant->bytes);
    text_add(mutant->bytes, text.bytes, text.length);
    text_release(&text);
    return true;
}

static bool unsealed(struct mutant *mutant)
{
    mutant->unsealed = true;
    if (below(mutant, 2) == 0) {
        pack_seal(mutant->bytes);
        mutant->bytes->bytes[mutant->bytes->length - 1 - below(mutant, 72)] ^= 1;
    }
    return true;
}

const struct mutation byte_mutations[] = {
    {CLASS_SCHEMA, STAGE_PAGES, "a field of the header of run.db", header},
    {CLASS_SCHEMA, STAGE_PAGES, "a letter of the schema", schema_letter},
    {CLASS_NUMBERS, STAGE_PAGES, "no number", no_number},
    {CLASS_BYTES, STAGE_PAGES, "bits of run.db", flip},
    {CLASS_BYTES, STAGE_PAGES, "bytes of run.db", overwrite},
    {CLASS_BYTES, STAGE_PAGES, "run.db cut", cut},
    {CLASS_BYTES, STAGE_PAGES, "bytes of run.db moved", move},
    {CLASS_BYTES, STAGE_PAGES, "behind run.db", append},
    {CLASS_BYTES, STAGE_PAGES, "the head of a page", page_head},
    {CLASS_BYTES, STAGE_PAGES, "pages swapped", page_swap},
    {CLASS_BYTES, STAGE_PIECES, "a piece renamed", piece_renamed},
    {CLASS_BYTES, STAGE_PIECES, "pieces moved", piece_moved},
    {CLASS_BYTES, STAGE_PIECES, "a piece twice", piece_twice},
    {CLASS_BYTES, STAGE_PIECES, "a piece gone", piece_gone},
    {CLASS_BYTES, STAGE_PIECES, "the size of a piece", piece_size},
    {CLASS_BYTES, STAGE_PIECES, "a byte of a piece", piece_bytes},
    {CLASS_BYTES, STAGE_PIECES, "a line of the manifest", manifest_line},
    {CLASS_BYTES, STAGE_TAR, "a header of the archive", tar_header},
    {CLASS_BYTES, STAGE_TAR, "bits of the archive", flip},
    {CLASS_BYTES, STAGE_TAR, "the archive cut", cut},
    {CLASS_BYTES, STAGE_TAR, "behind the archive", append},
    {CLASS_BYTES, STAGE_FILE, "bits of the file", flip},
    {CLASS_BYTES, STAGE_FILE, "bytes of the file", overwrite},
    {CLASS_BYTES, STAGE_FILE, "the file cut", cut},
    {CLASS_BYTES, STAGE_FILE, "behind the frame", append},
    {CLASS_BYTES, STAGE_FILE, "the frame twice", frame_twice},
    {CLASS_BYTES, STAGE_FILE, "another frame", frame_skipped},
    {CLASS_BYTES, STAGE_FILE, "no seal", unsealed},
};
const size_t byte_mutation_count = ARRAY_SIZE(byte_mutations);
