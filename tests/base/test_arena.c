/* SPDX-License-Identifier: Apache-2.0 */
/* Lists in an arena: what was put in stays, what is new is zero, and little is left behind where they grow. */
#include <string.h>

#include "../unit_test.h"
#include "assay/base/arena.h"

struct item {
    unsigned number, zero[5];
};

struct items {
    LIST_OF(struct item)
    list;
};

static void assert_numbered(const struct items *items, unsigned count)
{
    assert_int_equal(items->list.count, count);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(items->list.items[i].number, i);
}

static void push(struct arena *arena, struct items *items)
{
    static const struct item zero;
    struct item *item = list_push(arena, &items->list);

    assert_memory_equal(item, &zero, sizeof zero);
    item->number = (unsigned)items->list.count - 1;
}

static void a_list_that_grows_alone_stays_where_it_is_while_its_block_has_room(void **state)
{
    struct arena *arena = arena_create();
    struct items items = {0};
    const struct item *first;
    size_t before;

    (void)state;
    (void)arena_alloc(arena, 6000); /* so that the block is one of the large ones */
    before = arena_used(arena);
    push(arena, &items);
    first = items.list.items;
    while (items.list.count < 256)
        push(arena, &items);
    assert_numbered(&items, 256);
    assert_ptr_equal(items.list.items, first);
    assert_true(arena_used(arena) - before <= 256 * sizeof(struct item) + 64);
    arena_destroy(arena);
}

static void lists_that_grow_in_turn_keep_what_is_theirs(void **state)
{
    struct arena *arena = arena_create();
    struct items items[3] = {0};
    char *text;

    (void)state;
    for (unsigned i = 0; i < 3000; i++) {
        push(arena, &items[0]);
        if (i % 3 == 0)
            push(arena, &items[1]);
        text = arena_strdup(arena, "between");
        if (i % 7 == 0)
            push(arena, &items[2]);
        assert_string_equal(text, "between");
    }
    assert_numbered(&items[0], 3000);
    assert_numbered(&items[1], 1000);
    assert_numbered(&items[2], 429);
    arena_destroy(arena);
}

/* Of all sizes, small blocks first. */
static void what_was_cleared_is_taken_again_and_zero(void **state)
{
    static const size_t sizes[] = {10, 900, 2000, 5000, 100, 16000, 40000, 30};
    struct arena *arena = arena_create();

    (void)state;
    for (unsigned turn = 0; turn < 3; turn++) {
        char *items[ARRAY_SIZE(sizes)];

        for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
            items[i] = arena_alloc(arena, sizes[i]);
            for (size_t k = 0; k < sizes[i]; k++)
                assert_int_equal(items[i][k], 0);
            memset(items[i], (int)i + 1, sizes[i]);
        }
        for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
            assert_true(items[i][0] == (char)(i + 1) && items[i][sizes[i] - 1] == (char)(i + 1));
        arena_clear(arena);
        assert_int_equal(arena_used(arena), 0);
    }
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_that_grows_alone_stays_where_it_is_while_its_block_has_room),
        cmocka_unit_test(what_was_cleared_is_taken_again_and_zero),
        cmocka_unit_test(lists_that_grow_in_turn_keep_what_is_theirs),
    };

    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
