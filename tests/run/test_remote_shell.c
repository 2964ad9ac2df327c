/* SPDX-License-Identifier: Apache-2.0 */
/* What stands between sshd and the guard: login shells, profiles that talk, sudo. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "place.h"

/* Login shells that are not sh, and profiles that talk: on both streams, with and without a newline. */
static void run_with_login_shell(const char *settings)
{
    struct place place;
    struct kept kept = {0}, read = {0};
    struct remote *remote;

    place_start(&place, settings);
    remote = open_remote(&place, TRANSPORT_SSH);
    bench_do(&place.bench, remote, REMOTE_ENSURE, "echo \"it's\" out; echo err >&2; exit 3", &kept);
    assert_exit(&kept, 3);
    assert_string_equal(kept.out.bytes, "it's out\n");
    assert_string_equal(kept.err.bytes, "err\n");
    bench_do(&place.bench, remote, REMOTE_READ, "echo \"it's\" out; echo err >&2; exit 3", &read);
    assert_exit(&read, 3);
    assert_string_equal(read.out.bytes, "it's out\n");
    assert_string_equal(read.err.bytes, "err\n");
    kept_release(&kept);
    kept_release(&read);
    place_end(&place);
}

static void login_shells_of_other_kinds_work(void **state)
{
    static const char *const shells[] = {"/bin/dash", "/bin/bash", "/usr/bin/tcsh", "/usr/bin/fish",
                                         "/usr/bin/busybox"};
    unsigned tried = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(shells); i++) {
        char settings[200];

        if (access(shells[i], X_OK) != 0) {
            print_message("not tried: there is no %s\n", shells[i]);
            continue;
        }
        snprintf(settings, sizeof settings, "ForceCommand exec %s %s -c \"$SSH_ORIGINAL_COMMAND\"", shells[i],
                 strstr(shells[i], "busybox") != NULL ? "sh" : "");
        run_with_login_shell(settings);
        tried++;
    }
    assert_true(tried >= 1);
}

static void a_profile_that_talks_is_skipped(void **state)
{
    (void)state;
    run_with_login_shell("ForceCommand echo Welcome; printf 'no newline' ; yes noise | head -c 100000; "
                         "yes noise | head -c 100000 >&2; eval \"$SSH_ORIGINAL_COMMAND\"");
}

static void a_shell_that_is_none_gives_no_answer(void **state)
{
    struct place place;
    struct remote *remote;

    (void)state;
    place_start(&place, "ForceCommand echo This account is not available; exit 1");
    remote = open_remote(&place, TRANSPORT_SSH);
    for (int verb = REMOTE_ENSURE; verb <= REMOTE_READ; verb++) {
        struct kept kept = {0};

        bench_do(&place.bench, remote, (enum remote_verb)verb, "true", &kept);
        assert_end(&kept, REMOTE_NO_ANSWER);
        assert_non_null(strstr(kept.text, "This account is not available"));
        kept_release(&kept);
    }
    place_end(&place);
}

/* Over both transports: what the host says instead of an answer is told, and clears no terminal. */
static void what_a_host_says_steers_no_terminal(void **state)
{
    static const enum transport_kind ways[] = {TRANSPORT_SSH, TRANSPORT_OPENSSH};
    struct place place;

    (void)state;
    place_start(&place, "ForceCommand printf '\\033[2Jall is well\\r\\n' >&2; exit 255");
    for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
        struct remote *remote = open_remote(&place, ways[i]);
        struct kept kept = {0};

        bench_do(&place.bench, remote, REMOTE_READ, "true", &kept);
        assert_non_null(strstr(kept.text, " [2Jall is well"));
        for (const char *byte = kept.text; *byte != '\0'; byte++)
            assert_true((unsigned char)*byte >= 0x20);
        kept_release(&kept);
    }
    place_end(&place);
}

/* sudo is replaced by a program of that name, first in PATH. */
static void run_with_sudo(const char *script, enum remote_end end)
{
    struct place place;
    char path[150], settings[400];
    struct remote_target target;
    struct remote *remote;

    place_start(&place, "");
    snprintf(path, sizeof path, "%s/bin", place.bench.folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(settings, sizeof settings, "ForceCommand PATH=%s:$PATH; eval \"$SSH_ORIGINAL_COMMAND\"", path);
    strcat(path, "/sudo");
    write_text(path, script);
    assert_int_equal(chmod(path, 0700), 0);
    sshd_stop(&place.sshd);
    sshd_add_settings(&place.sshd, &place.bench, settings);
    sshd_start_again(&place.sshd, &place.bench);
    target = target_of(&place, TRANSPORT_SSH);
    target.become_root = true;
    remote = remote_open(place.bench.pool, &target);
    for (int verb = REMOTE_ENSURE; verb <= REMOTE_READ; verb++) {
        struct kept kept = {0};

        bench_start(
            remote,
            (struct remote_job){.verb = (enum remote_verb)verb, .command = "echo $VIA", .as_root = true},
            &kept);
        bench_wait(&place.bench, &kept);
        assert_int_equal(kept.end, end);
        if (end == REMOTE_ENDED)
            assert_string_equal(kept.out.bytes, "sudo\n");
        else
            assert_non_null(strstr(kept.text, "NOPASSWD"));
        kept_release(&kept);
    }
    place_end(&place);
}

static void sudo_that_refuses_is_named_with_its_remedy(void **state)
{
    (void)state;
    run_with_sudo("#!/bin/sh\necho 'sudo: a password is required' >&2\nexit 1\n", REMOTE_SUDO_REFUSED);
}

static void jobs_as_root_go_through_sudo(void **state)
{
    (void)state;
    run_with_sudo("#!/bin/sh\n[ \"$1\" = -n ] || exit 9\nshift\nVIA=sudo exec \"$@\"\n", REMOTE_ENDED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(login_shells_of_other_kinds_work),
        cmocka_unit_test(a_profile_that_talks_is_skipped),
        cmocka_unit_test(a_shell_that_is_none_gives_no_answer),
        cmocka_unit_test(what_a_host_says_steers_no_terminal),
        cmocka_unit_test(sudo_that_refuses_is_named_with_its_remedy),
        cmocka_unit_test(jobs_as_root_go_through_sudo),
    };

    return place_main("remote_shell", tests);
}
