/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of tools: its version is of every byte and mode in it, and what has no place on a host is refused by name. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../unit_test.h"
#include "assay/base/files.h"
#include "assay/model/toolset.h"

struct place {
    struct arena *arena;
    char folder[64];
};

static void put(const struct place *place, const char *path, const char *bytes, unsigned mode)
{
    const char *whole = arena_printf(place->arena, "%s/%s", place->folder, path);
    struct error err;

    assert_int_equal(file_write(whole, bytes, strlen(bytes), mode, &err), 0);
}

static int set_up(void **state)
{
    static struct place place;
    struct error err;

    place = (struct place){.arena = arena_create(), .folder = "/tmp/assay-toolset-XXXXXX"};
    assert_non_null(mkdtemp(place.folder));
    assert_int_equal(directory_create(arena_printf(place.arena, "%s/bin", place.folder), 0755, &err), 0);
    assert_int_equal(directory_create(arena_printf(place.arena, "%s/lib/deep", place.folder), 0755, &err), 0);
    put(&place, "bin/gpu_burn", "program", 0755);
    put(&place, "bin/compare.ptx", "kernel", 0644);
    put(&place, "lib/deep/libx.so.2", "library", 0640);
    *state = &place;
    return 0;
}

static int tear_down(void **state)
{
    struct place *place = *state;
    struct error err;

    assert_int_equal(directory_remove(place->folder, &err), 0);
    arena_destroy(place->arena);
    return 0;
}

static const struct toolset *load(const struct place *place)
{
    struct error err = {0};
    const struct toolset *set = toolset_load(place->arena, place->folder, &err);

    if (set == NULL)
        fail_msg("%s", err.text);
    return set;
}

static void the_manifest_names_every_file_in_order(void **state)
{
    const struct toolset *set = load(*state);

    assert_string_equal(
        set->manifest.bytes,
        "assay-tools 1\n"
        "600 6 6923dd1bc0460082c5d55a831908c24a282860b7f1cd6c2b79cf1bc8857c639c bin/compare.ptx\n"
        "700 7 1310ca2c8932dbd118668bd97442558a3e1f546b5e15c69699dfbd6024f548d8 bin/gpu_burn\n"
        "600 7 b718f1354f7247312eca086d9a024afe5fa717ddea5adeddd6f12bcf945b2e8c lib/deep/libx.so.2\n");
    assert_int_equal(set->files.count, 3);
    assert_string_equal(set->files.items[0].path, "bin/compare.ptx");
    assert_int_equal(set->files.items[0].mode, 0600);
    assert_string_equal(set->files.items[1].path, "bin/gpu_burn");
    assert_int_equal(set->files.items[1].mode, 0700);
    assert_string_equal(set->files.items[2].path, "lib/deep/libx.so.2");
    assert_int_equal(set->bytes, 20);
    assert_ptr_equal(toolset_program(set, "gpu_burn"), &set->files.items[1]);
    assert_null(toolset_program(set, "gpu"));
    assert_true(toolset_has_folder(set, "lib"));
    assert_false(toolset_has_folder(set, "li"));
}

static void the_version_follows_content_and_executability_not_time_or_other_modes(void **state)
{
    struct place *place = *state;
    const char *burn = arena_printf(place->arena, "%s/bin/gpu_burn", place->folder);
    const struct toolset *first = load(place);

    assert_int_equal(chmod(burn, 0700), 0);
    put(place, "lib/deep/libx.so.2", "library", 0600);
    assert_string_equal(load(place)->version, first->version);
    assert_int_equal(chmod(burn, 0600), 0);
    assert_string_not_equal(load(place)->version, first->version);
    assert_int_equal(chmod(burn, 0755), 0);
    put(place, "bin/gpu_burn", "Program", 0755);
    assert_string_not_equal(load(place)->version, first->version);
}

static void a_manifest_that_was_kept_is_the_same_set(void **state)
{
    struct place *place = *state;
    const struct toolset *set = load(place), *again;
    struct error err = {0};

    again = toolset_parse(place->arena, "kept", set->manifest, &err);
    assert_non_null(again);
    assert_string_equal(again->version, set->version);
    assert_int_equal(again->bytes, set->bytes);
    /* Cut anywhere but at a line's end, it is none. */
    for (size_t i = 0; i + 1 < set->manifest.length; i++)
        if (set->manifest.bytes[i] != '\n')
            assert_null(
                toolset_parse(place->arena, "kept", (struct slice){set->manifest.bytes, i + 1}, &err));
}

static void a_manifest_that_leads_elsewhere_or_repeats_is_refused(void **state)
{
    struct place *place = *state;
#define HASH "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    static const char *const wrong[] = {
        "",
        "assay-tools 1\n",
        "assay-tools 2\n600 0 " HASH " bin/a\n",
        "assay-tools 1\n644 0 " HASH " bin/a\n",
        "assay-tools 1\n600 -1 " HASH " bin/a\n",
        "assay-tools 1\n600 0 " HASH "0 bin/a\n",
        "assay-tools 1\n600 0 " HASH " bin/$(a)\n",
        "assay-tools 1\n600 0 " HASH " ../a\n",
        "assay-tools 1\n600 0 " HASH " bin/../../a\n",
        "assay-tools 1\n600 0 " HASH " /etc/passwd\n",
        "assay-tools 1\n600 0 " HASH " bin/-rf\n",
        "assay-tools 1\n600 0 " HASH " .assay-manifest\n",
        "assay-tools 1\n600 0 " HASH " bin/a\n600 0 " HASH " bin/a\n",
        "assay-tools 1\n600 0 " HASH " bin/b\n600 0 " HASH " bin/a\n",
    };

    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        struct error err = {0};

        if (toolset_parse(place->arena, "kept", slice_of(wrong[i]), &err) != NULL)
            fail_msg("taken: %s", wrong[i]);
        assert_int_equal(err.code, ERROR_USAGE);
    }
}

static void the_stream_is_the_files_one_behind_the_other(void **state)
{
    struct place *place = *state;
    const struct toolset *set = load(place);
    struct error err = {0};
    char bytes[21] = "";

    for (size_t from = 0; from <= 20; from++)
        for (size_t length = 0; from + length <= 20; length++) {
            assert_int_equal(toolset_read(set, from, bytes, length, &err), 0);
            assert_memory_equal(bytes, &"kernelprogramlibrary"[from], length);
        }
    assert_int_equal(toolset_read(set, 15, bytes, 6, &err), -1);
    put(place, "bin/compare.ptx", "k", 0644);
    assert_int_equal(toolset_read(set, 0, bytes, 6, &err), -1);
    assert_non_null(strstr(err.text, "compare.ptx"));
}

static void refused(const struct place *place, const char *word)
{
    struct error err = {0};

    assert_null(toolset_load(place->arena, place->folder, &err));
    assert_int_equal(err.code, ERROR_USAGE);
    if (strstr(err.text, word) == NULL)
        fail_msg("'%s' does not name %s", err.text, word);
}

static void what_has_no_place_on_a_host_is_refused_by_name(void **state)
{
    struct place *place = *state;
    const char *odd = arena_printf(place->arena, "%s/lib/a b", place->folder);
    const char *pipe = arena_printf(place->arena, "%s/lib/pipe", place->folder);
    const char *link = arena_printf(place->arena, "%s/lib/there", place->folder);

    put(place, "lib/a b", "", 0644);
    refused(place, "a b");
    unlink(odd);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    refused(place, "pipe");
    unlink(pipe);
    assert_int_equal(symlink("deep", link), 0);
    refused(place, "there");
    unlink(link);
    assert_int_equal(symlink("deep/libx.so.2", link), 0);
    assert_int_equal(load(place)->files.count, 4);
    unlink(arena_printf(place->arena, "%s/bin/gpu_burn", place->folder));
    unlink(arena_printf(place->arena, "%s/bin/compare.ptx", place->folder));
    refused(place, "bin/");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(the_manifest_names_every_file_in_order),
        CASE(the_version_follows_content_and_executability_not_time_or_other_modes),
        CASE(a_manifest_that_was_kept_is_the_same_set),
        CASE(a_manifest_that_leads_elsewhere_or_repeats_is_refused),
        CASE(the_stream_is_the_files_one_behind_the_other),
        CASE(what_has_no_place_on_a_host_is_refused_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
