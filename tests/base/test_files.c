/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../unit_test.h"
#include "assay/base/files.h"

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

/* What a stranger put there decides nothing of how much is read. */
static void of_a_large_file_only_its_beginning_is_read(void **state)
{
    char folder[] = "/tmp/assay-files-XXXXXX", path[64];
    cleanup_text struct text text = {0}, whole = {0};
    struct error err = {0};
    FILE *file;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    file = fopen(path, "we");
    assert_non_null(file);
    fputs("head\n\nbody\n", file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(truncate(path, 1 << 30), 0);
    text_init(&text, 1 << 20);
    assert_int_equal(file_read_until(path, "\n\n", &text, &err), 0);
    assert_memory_equal(text.bytes, "head\n\nbody\n", 11);
    assert_true(text.length < 1 << 20);
    text_init(&whole, 1 << 20);
    assert_int_equal(file_read_until(path, "nowhere", &whole, &err), -1);
    assert_int_equal(truncate(path, 11), 0);
    text_reset(&whole);
    assert_int_equal(file_read_until(path, "nowhere", &whole, &err), 0);
    assert_int_equal(whole.length, 11);
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
    assert_int_equal(err.code, ERROR_USAGE);
    assert_string_equal(err.text, "/nowhere/at/all: No such file or directory");
}

struct place {
    char folder[32], file[64], link[64];
};

static void make_place(struct place *place)
{
    snprintf(place->folder, sizeof place->folder, "/tmp/assay-files-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    snprintf(place->file, sizeof place->file, "%s/file", place->folder);
    snprintf(place->link, sizeof place->link, "%s/link", place->folder);
}

static void expect_bytes(const char *path, const char *bytes)
{
    cleanup_text struct text text = {0};
    struct error err;

    text_init(&text, 100);
    assert_int_equal(file_read(path, &text, &err), 0);
    assert_string_equal(text.bytes, bytes);
}

static unsigned mode_of(const char *path)
{
    struct stat status;

    assert_int_equal(lstat(path, &status), 0);
    return status.st_mode & 07777;
}

static void must_write(const char *path, const char *bytes, unsigned mode)
{
    struct error err = {0};

    if (file_write(path, bytes, strlen(bytes), mode, &err) != 0)
        fail_msg("%s", err.text);
}

/* The refusal has these words, and nothing is left beside. */
static void must_refuse(const struct place *place, const char *path, const char *words)
{
    struct error err = {0};
    unsigned before = files_in(place->folder);

    assert_int_equal(file_write(path, "new", 3, 0644, &err), -1);
    if (strstr(err.text, words) == NULL)
        fail_msg("%s", err.text);
    assert_int_equal(files_in(place->folder), before);
}

static void a_link_stays_one_and_what_it_names_is_written(void **state)
{
    struct place place;
    struct stat status;
    char second[64];
    struct error err;

    (void)state;
    make_place(&place);
    must_write(place.file, "old", 0644);
    snprintf(second, sizeof second, "%s/second", place.folder);
    assert_int_equal(symlink("file", place.link), 0);
    assert_int_equal(symlink(place.link, second), 0);
    must_write(second, "new", 0644);
    assert_int_equal(lstat(second, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(lstat(place.link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    expect_bytes(place.file, "new");
    assert_int_equal(files_in(place.folder), 3);
    assert_int_equal(unlink(place.file), 0);
    must_refuse(&place, second, "is a link to");
    assert_int_equal(unlink(place.link), 0);
    assert_int_equal(symlink("link", place.link), 0);
    must_refuse(&place, place.link, "Too many levels");
    assert_int_equal(directory_remove(place.folder, &err), 0);
}

static void a_file_keeps_its_permissions_and_secrets_stay_with_their_owner(void **state)
{
    mode_t mask = umask(022);
    struct place place;
    struct error err;

    (void)state;
    make_place(&place);
    must_write(place.file, "old", 0666);
    assert_int_equal(mode_of(place.file), 0644);
    assert_int_equal(chmod(place.file, 0664), 0);
    must_write(place.file, "new", 0644);
    assert_int_equal(mode_of(place.file), 0664);
    must_write(place.file, "secret", 0600);
    assert_int_equal(mode_of(place.file), 0600);
    umask(mask);
    assert_int_equal(directory_remove(place.folder, &err), 0);
}

static void folders_sockets_and_hard_links_are_refused(void **state)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct place place;
    struct error err;

    (void)state;
    make_place(&place);
    must_refuse(&place, place.folder, "is a folder: name a file in it");
    snprintf(name.sun_path, sizeof name.sun_path, "%s", place.link);
    assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof name), 0);
    must_refuse(&place, place.link, "is a socket");
    close(fd);
    assert_int_equal(unlink(place.link), 0);
    must_write(place.file, "old", 0644);
    assert_int_equal(link(place.file, place.link), 0);
    must_refuse(&place, place.file, "has 2 names (hard links)");
    expect_bytes(place.link, "old");
    assert_int_equal(directory_remove(place.folder, &err), 0);
}

/* /dev/stdout of a program whose output goes to a file is no other file, and loses nothing that stands there. */
static void a_descriptor_goes_on_where_it_stood(void **state)
{
    struct place place;
    char path[64];
    struct error err;
    int fd;

    (void)state;
    make_place(&place);
    fd = open(place.file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, "first, ", 7), 7);
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    must_write(path, "second, ", 0644);
    assert_int_equal(symlink(path, place.link), 0);
    must_write(place.link, "third", 0644);
    expect_bytes(place.file, "first, second, third");
    close(fd);
    assert_int_equal(file_write(path, "x", 1, 0644, &err), -1);
    assert_int_equal(directory_remove(place.folder, &err), 0);
}

/* As in /tmp: who made the name first decides nothing for others. */
static void what_others_made_in_a_folder_of_all_is_neither_followed_nor_replaced(void **state)
{
    struct place place;
    char theirs[64];
    struct error err;

    (void)state;
    if (geteuid() != 0) {
        print_message("only root can make another user's files\n");
        skip();
    }
    make_place(&place);
    snprintf(theirs, sizeof theirs, "%s/theirs", place.folder);
    must_write(place.file, "mine", 0644);
    must_write(theirs, "theirs", 0666);
    assert_int_equal(symlink("file", place.link), 0);
    assert_int_equal(lchown(place.link, 65534, 65534), 0);
    assert_int_equal(chown(theirs, 65534, 65534), 0);
    must_write(place.link, "in a folder of mine a link of others is one", 0644);
    assert_int_equal(chmod(place.folder, 01777), 0);
    must_refuse(&place, place.link, "is another user's");
    must_refuse(&place, theirs, "is another user's");
    must_write(place.file, "still mine", 0644);
    assert_int_equal(directory_remove(place.folder, &err), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pipe_that_is_written_to_stays_one),
        cmocka_unit_test(of_a_large_file_only_its_beginning_is_read),
        cmocka_unit_test(a_file_that_is_written_in_pieces_is_there_whole_or_not_at_all),
        cmocka_unit_test(a_full_disk_and_a_missing_folder_are_named),
        cmocka_unit_test(a_link_stays_one_and_what_it_names_is_written),
        cmocka_unit_test(a_file_keeps_its_permissions_and_secrets_stay_with_their_owner),
        cmocka_unit_test(folders_sockets_and_hard_links_are_refused),
        cmocka_unit_test(a_descriptor_goes_on_where_it_stood),
        cmocka_unit_test(what_others_made_in_a_folder_of_all_is_neither_followed_nor_replaced),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
