/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes on their way: the same in memory and in a file, within their limit, as long as somebody holds them. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../unit_test.h"
#include "assay/base/arena.h"
#include "spool.h"

enum { PIECE = 5000 };

/* The byte at that place. */
static char byte_at(size_t at)
{
    return (char)('a' + at % 23);
}

static void fill(struct spool *spool, size_t length)
{
    char piece[PIECE];

    for (size_t at = 0; at < length;) {
        size_t size = length - at < PIECE ? length - at : PIECE;

        for (size_t i = 0; i < size; i++)
            piece[i] = byte_at(at + i);
        spool_add(spool, piece, size);
        at += size;
    }
}

static void assert_holds(struct spool *spool, size_t length)
{
    struct slice bytes = spool_bytes(spool);

    assert_int_equal(bytes.length, length);
    for (size_t i = 0; i < length; i++)
        if (bytes.bytes[i] != byte_at(i))
            fail_msg("byte %zu of %zu is another one", i, length);
    assert_int_equal(bytes.bytes[length], '\0');
}

static void what_comes_in_is_what_is_there(void **state)
{
    static const size_t lengths[] = {0,
                                     1,
                                     SPOOL_MEMORY_BYTES - 1,
                                     SPOOL_MEMORY_BYTES,
                                     SPOOL_MEMORY_BYTES + 1,
                                     2 * SPOOL_MEMORY_BYTES,
                                     5 * SPOOL_MEMORY_BYTES + 123};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
        struct spool *spool = spool_create((uint64_t)1 << 40);

        fill(spool, lengths[i]);
        assert_holds(spool, lengths[i]);
        assert_int_equal(spool_failure(spool), 0);
        assert_false(spool_overflowed(spool));
        spool_release(spool);
    }
}

static void more_may_come_after_a_look(void **state)
{
    struct spool *spool = spool_create((uint64_t)1 << 40);
    size_t length = 3 * SPOOL_MEMORY_BYTES;
    char piece[PIECE];

    (void)state;
    fill(spool, length);
    assert_holds(spool, length);
    for (size_t i = 0; i < PIECE; i++)
        piece[i] = byte_at(length + i);
    spool_add(spool, piece, PIECE);
    assert_holds(spool, length + PIECE);
    spool_release(spool);
}

static void no_more_is_kept_than_the_limit(void **state)
{
    static const size_t limits[] = {0, 1000, SPOOL_MEMORY_BYTES, 2 * SPOOL_MEMORY_BYTES + 77};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
        struct spool *spool = spool_create(limits[i]);

        fill(spool, limits[i]);
        assert_false(spool_overflowed(spool));
        spool_add(spool, "x", 1);
        fill(spool, 3 * SPOOL_MEMORY_BYTES);
        assert_true(spool_overflowed(spool));
        assert_int_equal(spool_offered(spool), limits[i] + 1 + 3 * SPOOL_MEMORY_BYTES);
        assert_holds(spool, limits[i]);
        spool_release(spool);
    }
}

static size_t count_files(const char *folder)
{
    DIR *opened = opendir(folder);
    size_t count = 0;

    assert_non_null(opened);
    while (readdir(opened) != NULL)
        count++;
    closedir(opened);
    return count - 2;
}

static void the_last_holder_ends_it_and_no_file_is_seen(void **state)
{
    char folder[] = "/tmp/assay-spool-XXXXXX";
    struct spool *spool = spool_create((uint64_t)1 << 40);

    (void)state;
    assert_non_null(mkdtemp(folder));
    setenv("TMPDIR", folder, 1);
    fill(spool, 3 * SPOOL_MEMORY_BYTES);
    unsetenv("TMPDIR");
    assert_int_equal(count_files(folder), 0);
    assert_ptr_equal(spool_hold(spool), spool);
    spool_release(spool);
    assert_holds(spool, 3 * SPOOL_MEMORY_BYTES);
    spool_release(spool);
    spool_release(NULL);
    assert_null(spool_hold(NULL));
    rmdir(folder);
}

static void a_file_that_cannot_grow_is_told(void **state)
{
    struct rlimit before, small;

    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    for (int i = 0; i < 2; i++) {
        struct spool *spool = spool_create((uint64_t)1 << 40);
        size_t held;

        small = (struct rlimit){i == 0 ? 1000 : 2 * SPOOL_MEMORY_BYTES, before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
        fill(spool, 4 * SPOOL_MEMORY_BYTES);
        setrlimit(RLIMIT_FSIZE, &before);
        assert_int_equal(spool_failure(spool), EFBIG);
        assert_int_equal(spool_offered(spool), 4 * SPOOL_MEMORY_BYTES);
        held = spool_bytes(spool).length;
        assert_true(held > 0 && held <= (size_t)(i + 1) * SPOOL_MEMORY_BYTES);
        assert_holds(spool, held);
        spool_release(spool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_in_is_what_is_there),
        cmocka_unit_test(more_may_come_after_a_look),
        cmocka_unit_test(no_more_is_kept_than_the_limit),
        cmocka_unit_test(the_last_holder_ends_it_and_no_file_is_seen),
        cmocka_unit_test(a_file_that_cannot_grow_is_told),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("spool", tests, NULL, NULL);
}
