/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts behind OpenSSH's own server, over libssh2 and over the ssh program: each case on both. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay/arena.h"
#include "assay/cleanup.h"
#include "assay/files.h"
#include "bench.h"
#include "sshd.h"

struct place {
    struct bench bench;
    struct sshd sshd;
};

static const enum transport_kind kinds[] = {TRANSPORT_SSH, TRANSPORT_OPENSSH};

#define EACH_TRANSPORT(kind) \
    for (size_t each_ = 0, kind = TRANSPORT_SSH; each_ < 2 && ((kind = kinds[each_]), 1); each_++)

static void start_place(struct place *place, const char *settings)
{
    bench_setup(&place->bench, NULL);
    remote_pool_destroy(place->bench.pool);
    sshd_start(&place->sshd, &place->bench, settings);
    place->bench.pool = remote_pool_create(&place->bench.loop,
                                           &(struct remote_options){.known_hosts = place->sshd.known_hosts,
                                                                    .connect_timeout_ms = 5000,
                                                                    .reconnect_for_ms = 10000});
}

static void end_place(struct place *place)
{
    remote_pool_destroy(place->bench.pool);
    place->bench.pool = NULL;
    sshd_stop(&place->sshd);
    bench_teardown(&place->bench);
}

static int setup(void **state)
{
    struct place *place = calloc(1, sizeof *place);

    *state = place;
    start_place(place, "");
    return 0;
}

static int teardown(void **state)
{
    end_place(*state);
    free(*state);
    return 0;
}

static struct remote_target target_of(const struct place *place, enum transport_kind kind)
{
    return (struct remote_target){.name = "node1",
                                  .address = "127.0.0.1",
                                  .port = place->sshd.port,
                                  .user = place->sshd.user,
                                  .identity = place->sshd.key,
                                  .transport = kind};
}

static struct remote *open_remote(struct place *place, enum transport_kind kind)
{
    struct remote_target target = target_of(place, kind);

    return remote_open(place->bench.pool, &target);
}

static void assert_exit(const struct kept *kept, int rc)
{
    if (kept->end != REMOTE_ENDED || kept->why != REMOTE_WHY_EXIT || kept->rc != rc)
        print_error("end %d why %d rc %d text '%s'\n", kept->end, kept->why, kept->rc, kept->text);
    assert_int_equal(kept->end, REMOTE_ENDED);
    assert_int_equal(kept->why, REMOTE_WHY_EXIT);
    assert_int_equal(kept->rc, rc);
    assert_false(kept->cut);
}

static void assert_end(const struct kept *kept, enum remote_end end)
{
    if (kept->end != end)
        print_error("end %d text '%s'\n", kept->end, kept->text);
    assert_int_equal(kept->end, end);
    assert_string_not_equal(kept->text, "");
}

static void a_command_s_streams_and_status_come_back(void **state)
{
    struct place *place = *state;

    EACH_TRANSPORT(kind)
    {
        struct remote *remote = open_remote(place, (enum transport_kind)kind);

        for (int verb = REMOTE_ENSURE; verb <= REMOTE_READ; verb++) {
            struct kept kept = {0};

            bench_do(&place->bench, remote, (enum remote_verb)verb, "echo out; echo err >&2; exit 5", &kept);
            assert_exit(&kept, 5);
            assert_string_equal(kept.out.bytes, "out\n");
            assert_string_equal(kept.err.bytes, "err\n");
            assert_string_equal(kept.boot_id, "boot-one");
            kept_release(&kept);
        }
        remote_close(remote);
    }
}

/* Who reads only stdout hangs here for ever: the window of stderr fills first. */
static void a_flood_on_stderr_first_does_not_stop_stdout(void **state)
{
    struct place *place = *state;

    EACH_TRANSPORT(kind)
    {
        struct remote *remote = open_remote(place, (enum transport_kind)kind);

        for (int verb = REMOTE_ENSURE; verb <= REMOTE_READ; verb++) {
            struct kept kept = {0};

            bench_do(&place->bench, remote, (enum remote_verb)verb,
                     "yes 0123456789abcde | head -c 1000000 >&2; yes fedcba987654321 | head -c 1000000",
                     &kept);
            assert_exit(&kept, 0);
            assert_int_equal(kept.err.length, 1000000);
            assert_int_equal(kept.out.length, 1000000);
            for (size_t at = 0; at + 16 <= kept.out.length; at += 16) {
                assert_memory_equal(kept.err.bytes + at, "0123456789abcde\n", 16);
                assert_memory_equal(kept.out.bytes + at, "fedcba987654321\n", 16);
            }
            kept_release(&kept);
        }
    }
}

static void await_line(struct place *place, const char *path)
{
    for (int i = 0; i < 500 && lines_in(path) == 0; i++)
        bench_run_for(&place->bench, 10);
    assert_int_equal(lines_in(path), 1);
}

static void a_connection_killed_under_a_command_brings_its_own_result_later(void **state)
{
    struct place *place = *state;

    EACH_TRANSPORT(kind)
    {
        struct remote *remote = open_remote(place, (enum transport_kind)kind);
        struct kept kept = {0};
        char count[100], command[300];

        snprintf(count, sizeof count, "%s/count%zu", place->bench.folder, kind);
        snprintf(command, sizeof command, "echo ran >>%s; sleep 1; yes whole | head -c 600000", count);
        bench_start(remote, (struct remote_job){.verb = REMOTE_ENSURE, .command = command}, &kept);
        await_line(place, count);
        assert_true(sshd_kill_connections(&place->sshd) > 0);
        bench_wait(&place->bench, &kept);
        assert_exit(&kept, 0);
        assert_int_equal(kept.out.length, 600000);
        assert_int_equal(lines_in(count), 1);
        assert_int_equal(kept.connections, 2);
        kept_release(&kept);
        remote_close(remote);
        bench_run_for(&place->bench, 50);
    }
}

static void a_connection_killed_under_a_read_is_not_read_again(void **state)
{
    struct place *place = *state;

    EACH_TRANSPORT(kind)
    {
        struct remote *remote = open_remote(place, (enum transport_kind)kind);
        struct kept kept = {0};
        char count[100], command[300];

        snprintf(count, sizeof count, "%s/read%zu", place->bench.folder, kind);
        snprintf(command, sizeof command, "echo ran >>%s; echo half; sleep 2; echo rest", count);
        bench_start(remote, (struct remote_job){.verb = REMOTE_READ, .command = command}, &kept);
        await_line(place, count);
        sshd_kill_connections(&place->sshd);
        bench_wait(&place->bench, &kept);
        assert_end(&kept, REMOTE_UNREACHABLE);
        assert_int_equal(kept.out.length, 0);
        assert_int_equal(lines_in(count), 1);
        kept_release(&kept);
        remote_close(remote);
        bench_run_for(&place->bench, 50);
    }
}

static void a_server_that_stays_away_is_given_up_in_time(void **state)
{
    struct place *place = *state;
    struct remote_pool *pool = remote_pool_create(
        &place->bench.loop,
        &(struct remote_options){.known_hosts = place->sshd.known_hosts, .reconnect_for_ms = 500});
    struct remote_target target = target_of(place, TRANSPORT_SSH);
    struct remote *remote = remote_open(pool, &target);
    struct kept kept = {0}, cancel = {0};
    char count[100], command[300];

    snprintf(count, sizeof count, "%s/count", place->bench.folder);
    snprintf(command, sizeof command, "echo ran >>%s; sleep 30", count);
    bench_start(remote, (struct remote_job){.verb = REMOTE_ENSURE, .command = command}, &kept);
    await_line(place, count);
    sshd_stop(&place->sshd);
    bench_wait(&place->bench, &kept);
    assert_end(&kept, REMOTE_UNREACHABLE);
    assert_non_null(strstr(kept.text, "not found again"));
    remote_pool_destroy(pool);
    /* What it left running is ended here, over another way to the same host. */
    remote = remote_open(place->bench.pool, &(struct remote_target){.transport = TRANSPORT_LOCAL});
    memmove(cancel.uuid, kept.uuid, UUID_SIZE);
    bench_do(&place->bench, remote, REMOTE_CANCEL, NULL, &cancel);
    assert_int_equal(cancel.end, REMOTE_ENDED);
    assert_false(carried_by_any(kept.uuid));
    kept_release(&kept);
    kept_release(&cancel);
    sshd_start_again(&place->sshd, &place->bench);
}

/* Tries one command with changed target and options; both must live on. */
static void try_with(struct place *place, const struct remote_options *options,
                     const struct remote_target *target, struct kept *kept)
{
    struct remote_pool *pool = remote_pool_create(&place->bench.loop, options);
    struct remote *remote = remote_open(pool, target);

    kept->uuid[0] = '\0';
    bench_do(&place->bench, remote, REMOTE_READ, "echo reached", kept);
    remote_pool_destroy(pool);
    bench_run_for(&place->bench, 20);
}

static void write_text(const char *path, const char *text)
{
    struct error err;

    assert_int_equal(file_write(path, text, strlen(text), 0600, &err), 0);
}

static void an_unknown_host_key_is_refused_unless_new_ones_are_accepted(void **state)
{
    struct place *place = *state;

    EACH_TRANSPORT(kind)
    {
        struct remote_target target = target_of(place, (enum transport_kind)kind);
        char empty[100];
        struct remote_options options = {.known_hosts = empty, .connect_timeout_ms = 5000};
        struct kept kept = {0};

        snprintf(empty, sizeof empty, "%s/empty%zu", place->bench.folder, kind);
        try_with(place, &options, &target, &kept);
        assert_end(&kept, REMOTE_HOST_KEY_UNKNOWN);
        assert_int_equal(lines_in(empty), 0);
        /* Ours mends a last line without its newline; OpenSSH's own program does not. */
        write_text(empty, kind == TRANSPORT_SSH ? "# a comment" : "# a comment\n");
        options.accept_new_host_keys = true;
        try_with(place, &options, &target, &kept);
        assert_exit(&kept, 0);
        options.accept_new_host_keys = false;
        try_with(place, &options, &target, &kept);
        assert_exit(&kept, 0);
        assert_int_equal(lines_in(empty), 2);
        kept_release(&kept);
    }
}

static void a_changed_host_key_is_refused_whatever_is_accepted(void **state)
{
    struct place *place = *state;
    cleanup_text struct text wrong = {0};
    cleanup_free char *line = NULL;
    char path[160];
    struct error err;

    text_init(&wrong, 4096);
    snprintf(path, sizeof path, "%s.pub", place->sshd.wrong_key);
    assert_int_equal(file_read(path, &wrong, &err), 0);
    line = mem_printf("[127.0.0.1]:%u %s", place->sshd.port, wrong.bytes);
    snprintf(path, sizeof path, "%s/changed", place->bench.folder);
    write_text(path, line);
    EACH_TRANSPORT(kind)
    {
        struct remote_target target = target_of(place, (enum transport_kind)kind);
        struct remote_options options = {.known_hosts = path, .accept_new_host_keys = true};
        struct kept kept = {0};

        try_with(place, &options, &target, &kept);
        assert_end(&kept, REMOTE_HOST_KEY_CHANGED);
        kept_release(&kept);
    }
    assert_int_equal(lines_in(path), 1);
}

static void hashed_names_and_revoked_keys_are_heeded(void **state)
{
    struct place *place = *state;
    cleanup_free char *line = sshd_known_line(&place->sshd, &place->bench);
    cleanup_free char *revoked = mem_printf("@revoked * %s%s", strchr(line, ' ') + 1, line);
    char hashed[100], marked[100], backup[110];
    struct kept kept = {0};

    snprintf(hashed, sizeof hashed, "%s/hashed", place->bench.folder);
    snprintf(backup, sizeof backup, "%s.old", hashed);
    snprintf(marked, sizeof marked, "%s/marked", place->bench.folder);
    write_text(hashed, line);
    write_text(marked, revoked);
    assert_int_equal(run_program((const char *const[]){"/usr/bin/ssh-keygen", "-H", "-f", hashed, NULL}), 0);
    EACH_TRANSPORT(kind)
    {
        struct remote_target target = target_of(place, (enum transport_kind)kind);

        try_with(place, &(struct remote_options){.known_hosts = hashed}, &target, &kept);
        assert_exit(&kept, 0);
        try_with(place, &(struct remote_options){.known_hosts = marked}, &target, &kept);
        assert_end(&kept, REMOTE_HOST_KEY_CHANGED);
    }
    kept_release(&kept);
}

static void a_key_that_the_host_does_not_take_is_auth_refused(void **state)
{
    struct place *place = *state;

    EACH_TRANSPORT(kind)
    {
        struct remote_target target = target_of(place, (enum transport_kind)kind);
        struct kept kept = {0};

        target.identity = place->sshd.wrong_key;
        try_with(place, &(struct remote_options){.known_hosts = place->sshd.known_hosts}, &target, &kept);
        assert_end(&kept, REMOTE_AUTH_REFUSED);
        target.identity = "/nonexistent/key";
        try_with(place, &(struct remote_options){.known_hosts = place->sshd.known_hosts}, &target, &kept);
        assert_end(&kept, REMOTE_AUTH_REFUSED);
        kept_release(&kept);
    }
}

static void an_rsa_key_goes_by_the_ssh_program_and_says_so(void **state)
{
    struct place *place = *state;
    struct remote_target target = target_of(place, TRANSPORT_AUTO);
    struct remote *remote;
    char key[100], public[140];
    cleanup_text struct text text = {0};
    struct error err;
    struct kept kept = {0};

    snprintf(key, sizeof key, "%s/rsa", place->bench.folder);
    snprintf(public, sizeof public, "%s.pub", key);
    assert_int_equal(run_program((const char *const[]){"/usr/bin/ssh-keygen", "-q", "-t", "rsa", "-b", "2048",
                                                       "-N", "", "-f", key, NULL}),
                     0);
    text_init(&text, 8192);
    assert_int_equal(file_read(public, &text, &err), 0);
    snprintf(public, sizeof public, "%s.pub", place->sshd.key); /* its authorized_keys */
    write_text(public, text.bytes);
    target.identity = key;
    remote = remote_open(place->bench.pool, &target);
    assert_non_null(strstr(remote_transport_note(remote), "openssh"));
    assert_non_null(strstr(remote_transport_note(remote), "RSA"));
    bench_do(&place->bench, remote, REMOTE_READ, "echo reached", &kept);
    assert_exit(&kept, 0);
    target.transport = TRANSPORT_SSH;
    kept.uuid[0] = '\0';
    remote = remote_open(place->bench.pool, &target);
    bench_do(&place->bench, remote, REMOTE_READ, "echo reached", &kept);
    assert_end(&kept, REMOTE_AUTH_REFUSED);
    assert_non_null(strstr(kept.text, "RSA"));
    kept_release(&kept);
}

static void the_note_names_the_transport_and_why(void **state)
{
    struct place *place = *state;
    struct remote_target target = target_of(place, TRANSPORT_AUTO);
    char key[100];

    assert_memory_equal(remote_transport_note(remote_open(place->bench.pool, &target)), "ssh (libssh2 ", 13);
    target.jump = "bastion";
    assert_non_null(strstr(remote_transport_note(remote_open(place->bench.pool, &target)), "jump host"));
    target.jump = NULL;
    snprintf(key, sizeof key, "%s/locked", place->bench.folder);
    assert_int_equal(run_program((const char *const[]){"/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N",
                                                       "secret words", "-f", key, NULL}),
                     0);
    target.identity = key;
    assert_non_null(strstr(remote_transport_note(remote_open(place->bench.pool, &target)), "encrypted"));
}

/* A port that nobody listens on, or that listens and never speaks. */
static unsigned silent_port(int *ret_fd, bool listening)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;

    *ret_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(*ret_fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(getsockname(*ret_fd, (struct sockaddr *)&address, &length), 0);
    if (listening)
        assert_int_equal(listen(*ret_fd, 8), 0);
    return ntohs(address.sin_port);
}

static void a_dead_port_and_a_silent_server_are_unreachable_in_time(void **state)
{
    struct place *place = *state;

    for (int silent = 0; silent < 2; silent++)
        EACH_TRANSPORT(kind)
        {
            struct remote_target target = target_of(place, (enum transport_kind)kind);
            struct kept kept = {0};
            uint64_t began = uv_hrtime();
            int fd;

            target.port = silent_port(&fd, silent);
            try_with(
                place,
                &(struct remote_options){.known_hosts = place->sshd.known_hosts, .connect_timeout_ms = 1000},
                &target, &kept);
            close(fd);
            assert_end(&kept, REMOTE_UNREACHABLE);
            assert_true(uv_hrtime() - began < 8000000000u);
            kept_release(&kept);
        }
}

static void a_name_that_is_not_known_is_unreachable(void **state)
{
    struct place *place = *state;
    struct remote_target target = target_of(place, TRANSPORT_SSH);
    struct kept kept = {0};

    target.address = "no-such-host.invalid";
    try_with(place, &(struct remote_options){.known_hosts = place->sshd.known_hosts}, &target, &kept);
    assert_end(&kept, REMOTE_UNREACHABLE);
    assert_non_null(strstr(kept.text, "no-such-host.invalid"));
    kept_release(&kept);
}

static void run_many(struct place *place, enum transport_kind kind, unsigned count)
{
    struct remote *remote = open_remote(place, kind);
    struct kept *kept = calloc(count, sizeof *kept);

    for (unsigned i = 0; i < count; i++)
        bench_start(remote, (struct remote_job){.verb = REMOTE_READ, .command = "echo $ASSAY_ATTEMPT"},
                    &kept[i]);
    for (unsigned i = 0; i < count; i++) {
        bench_wait(&place->bench, &kept[i]);
        assert_exit(&kept[i], 0);
        assert_int_equal(kept[i].out.length, UUID_SIZE);
        assert_memory_equal(kept[i].out.bytes, kept[i].uuid, UUID_SIZE - 1);
        assert_int_equal(kept[i].connections, 1);
        kept_release(&kept[i]);
    }
    free(kept);
    remote_close(remote);
}

static unsigned connections_logged(const struct place *place)
{
    char path[100];
    cleanup_text struct text log = {0};
    struct slice rest, line;
    struct error err;
    unsigned count = 0;

    snprintf(path, sizeof path, "%s/sshd.log", place->bench.folder);
    text_init(&log, 16 << 20);
    assert_int_equal(file_read(path, &log, &err), 0);
    rest = (struct slice){log.bytes, log.length};
    while (scan_line(&rest, &line))
        count += slice_starts(line, "Accepted publickey");
    return count;
}

static void two_hundred_jobs_share_one_session(void **state)
{
    struct place *place = *state;

    run_many(place, TRANSPORT_SSH, 200);
    assert_int_equal(connections_logged(place), 1);
}

static void a_server_that_allows_fewer_channels_is_used_with_fewer(void **state)
{
    struct place *place = *state;

    EACH_TRANSPORT(kind)
    run_many(place, (enum transport_kind)kind, 12);
    assert_int_equal(connections_logged(place), 2);
}

static int setup_two_channels(void **state)
{
    struct place *place = calloc(1, sizeof *place);

    *state = place;
    start_place(place, "MaxSessions 2");
    return 0;
}

static void hosts_wait_for_a_place_in_the_pool(void **state)
{
    struct place *place = *state;
    struct remote_pool *pool = remote_pool_create(
        &place->bench.loop,
        &(struct remote_options){.known_hosts = place->sshd.known_hosts, .connections = 2, .handshakes = 1});
    struct remote_target target = target_of(place, TRANSPORT_SSH);
    struct kept kept[8] = {0};

    for (int i = 0; i < 8; i++)
        bench_start(remote_open(pool, &target),
                    (struct remote_job){.verb = REMOTE_READ, .command = "echo reached"}, &kept[i]);
    for (int i = 0; i < 8; i++) {
        bench_wait(&place->bench, &kept[i]);
        assert_exit(&kept[i], 0);
        kept_release(&kept[i]);
    }
    remote_pool_destroy(pool);
    bench_run_for(&place->bench, 20);
}

/* At every stage of a session: nothing leaks, every job is told, whatever the moment. */
static void the_pool_may_be_destroyed_at_any_moment(void **state)
{
    struct place *place = *state;
    static const unsigned moments_ms[] = {0, 1, 3, 6, 10, 20, 40, 80, 160};

    EACH_TRANSPORT(kind)
    for (size_t i = 0; i < sizeof moments_ms / sizeof moments_ms[0]; i++) {
        struct remote_pool *pool = remote_pool_create(
            &place->bench.loop, &(struct remote_options){.known_hosts = place->sshd.known_hosts});
        struct remote_target target = target_of(place, (enum transport_kind)kind);
        struct remote *remote = remote_open(pool, &target);
        struct kept kept[6] = {0};

        for (int job = 0; job < 6; job++)
            bench_start(
                remote,
                (struct remote_job){.verb = REMOTE_READ, .command = "head -c 300000 /dev/zero; sleep 0.1"},
                &kept[job]);
        bench_run_for(&place->bench, moments_ms[i]);
        remote_pool_destroy(pool);
        for (int job = 0; job < 6; job++) {
            assert_int_equal(kept[job].times, 1);
            kept_release(&kept[job]);
        }
        bench_run_for(&place->bench, 5);
    }
}

/* Login shells that are not sh, and profiles that talk: on both streams, with and without a newline. */
static void run_with_login_shell(const char *settings)
{
    struct place place;
    struct kept kept = {0}, read = {0};
    struct remote *remote;

    start_place(&place, settings);
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
    end_place(&place);
}

static void login_shells_of_other_kinds_work(void **state)
{
    static const char *const shells[] = {"/bin/dash", "/bin/bash", "/usr/bin/tcsh", "/usr/bin/fish",
                                         "/usr/bin/busybox"};
    unsigned tried = 0;

    (void)state;
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
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
    start_place(&place, "ForceCommand echo This account is not available; exit 1");
    remote = open_remote(&place, TRANSPORT_SSH);
    for (int verb = REMOTE_ENSURE; verb <= REMOTE_READ; verb++) {
        struct kept kept = {0};

        bench_do(&place.bench, remote, (enum remote_verb)verb, "true", &kept);
        assert_end(&kept, REMOTE_NO_ANSWER);
        assert_non_null(strstr(kept.text, "This account is not available"));
        kept_release(&kept);
    }
    end_place(&place);
}

/* sudo is replaced by a program of that name, first in PATH. */
static void run_with_sudo(const char *script, enum remote_end end)
{
    struct place place;
    char path[150], settings[400];
    struct remote_target target;
    struct remote *remote;

    start_place(&place, "");
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
    end_place(&place);
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
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(a_command_s_streams_and_status_come_back),
        CASE(a_flood_on_stderr_first_does_not_stop_stdout),
        CASE(a_connection_killed_under_a_command_brings_its_own_result_later),
        CASE(a_connection_killed_under_a_read_is_not_read_again),
        CASE(a_server_that_stays_away_is_given_up_in_time),
        CASE(an_unknown_host_key_is_refused_unless_new_ones_are_accepted),
        CASE(a_changed_host_key_is_refused_whatever_is_accepted),
        CASE(hashed_names_and_revoked_keys_are_heeded),
        CASE(a_key_that_the_host_does_not_take_is_auth_refused),
        CASE(an_rsa_key_goes_by_the_ssh_program_and_says_so),
        CASE(the_note_names_the_transport_and_why),
        CASE(a_dead_port_and_a_silent_server_are_unreachable_in_time),
        CASE(a_name_that_is_not_known_is_unreachable),
        CASE(two_hundred_jobs_share_one_session),
        cmocka_unit_test_setup_teardown(a_server_that_allows_fewer_channels_is_used_with_fewer,
                                        setup_two_channels, teardown),
        CASE(hosts_wait_for_a_place_in_the_pool),
        CASE(the_pool_may_be_destroyed_at_any_moment),
        cmocka_unit_test(login_shells_of_other_kinds_work),
        cmocka_unit_test(a_profile_that_talks_is_skipped),
        cmocka_unit_test(a_shell_that_is_none_gives_no_answer),
        cmocka_unit_test(sudo_that_refuses_is_named_with_its_remedy),
        cmocka_unit_test(jobs_as_root_go_through_sudo),
    };

    if (sshd_missing() != NULL) {
        print_message("1..0 # SKIP %s\n", sshd_missing());
        return 0;
    }
    /* One case alone, for whoever looks for a fault: ASSAY_TEST_FILTER='a_dead*'. */
    cmocka_set_test_filter(getenv("ASSAY_TEST_FILTER"));
    return cmocka_run_group_tests_name("remote_ssh", tests, NULL, NULL);
}
