/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "assay/files.h"

/* `assay report -o /dev/null` as root must not leave a file in the place of the device. */
static void a_pipe_that_is_written_to_stays_one(void **state)
{
    char folder[] = "/tmp/assay-files-XXXXXX", path[64], got[8] = "";
    struct stat status;
    struct error err;
    int reader;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(reader >= 0);
    assert_int_equal(file_write(path, "bytes", 5, 0644, &err), 0);
    assert_int_equal(read(reader, got, sizeof got), 5);
    assert_string_equal(got, "bytes");
    close(reader);
    assert_int_equal(stat(path, &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
    assert_int_equal(directory_remove(folder, &err), 0);
}

/* The number of files in it. */
static unsigned files_in(const char *folder)
{
    DIR *listing = opendir(folder);
    unsigned count = 0;

    assert_non_null(listing);
    for (const struct dirent *entry; (entry = readdir(listing)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(listing);
    return count;
}

/* Who reads the file meanwhile has the old one, and a writer that gives up leaves nothing. */
static void a_file_that_is_written_in_pieces_is_there_whole_or_not_at_all(void **state)
{
    char folder[] = "/tmp/assay-files-XXXXXX", path[64];
    cleanup_text struct text text = {0};
    struct file_writing writing;
    struct error err;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    assert_int_equal(file_begin(&writing, path, 0640, &err), 0);
    assert_int_equal(file_add(&writing, "given ", 6, &err), 0);
    assert_false(file_exists(path));
    file_abandon(&writing);
    assert_int_equal(files_in(folder), 0);

    assert_int_equal(file_begin(&writing, path, 0640, &err), 0);
    assert_int_equal(file_add(&writing, "one, ", 5, &err), 0);
    assert_int_equal(file_add(&writing, "two", 3, &err), 0);
    assert_int_equal(file_finish(&writing, &err), 0);
    file_abandon(&writing);
    assert_int_equal(files_in(folder), 1);
    text_init(&text, 100);
    assert_int_equal(file_read(path, &text, &err), 0);
    assert_string_equal(text.bytes, "one, two");
    assert_int_equal(directory_remove(folder, &err), 0);
}

static void a_full_disk_and_a_missing_folder_are_named(void **state)
{
    struct file_writing writing;
    struct error err = {0};

    (void)state;
    assert_int_equal(file_begin(&writing, "/dev/full", 0644, &err), 0);
    assert_int_equal(file_add(&writing, "bytes", 5, &err), -1);
    assert_string_equal(err.text, "/dev/full: No space left on device");
    file_abandon(&writing);
    assert_int_equal(file_begin(&writing, "/nowhere/at/all", 0644, &err), -1);
    assert_string_equal(err.text, "/nowhere/at/all: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pipe_that_is_written_to_stays_one),
        cmocka_unit_test(a_file_that_is_written_in_pieces_is_there_whole_or_not_at_all),
        cmocka_unit_test(a_full_disk_and_a_missing_folder_are_named),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
