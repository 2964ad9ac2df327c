/* SPDX-License-Identifier: Apache-2.0 */
/* The guard's answer as it may arrive: whole, in pieces, behind noise, cut anywhere, garbled. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../unit_test.h"
#include "assay/reasons/run.h"
#include "guard.h"

#define UUID "0b6c1d0e-8f5a-4b43-9d57-3b6a5c1f2e4d"
#define BEGUN "000102030405060708090a0b0c0d0e0f"
#define ENDED "101112131415161718191a1b1c1d1e1f"

static const struct guard_frame frame = {BEGUN, ENDED};

static const struct remote_job spooled = {
    .verb = REMOTE_ENSURE, .uuid = UUID, .command = "true", .clip_bytes = 1000};
static const struct remote_job light = {
    .verb = REMOTE_READ, .uuid = UUID, .command = "true", .clip_bytes = 1000};

static const char header[] =
    "@assay " ENDED " ended why=exit rc=7 up=12.34,56.78 left= out=5 err=4 clip=0,1 boot=b-1 text=\n";
static const char answer[] =
    "@assay " ENDED " ended why=exit rc=7 up=12.34,56.78 left= out=5 err=4 clip=0,1 boot=b-1 text=\n"
    "outs\nerr\n";
static const char light_out[] =
    "@assay " BEGUN " begun\nouts\n\n@assay " ENDED
    " ended why=signal rc=11 up=1.5,2.5 left=12/D/dd out=0 err=0 clip=0,0 boot=b-1 text=\n";
static const char light_err[] = "@assay " BEGUN " begun\nerr\n\n@assay " ENDED " ended\n";

/* Feeds in pieces of `piece` bytes; gives the result. reply and arena are the caller's to release. */
static struct remote_result feed(struct guard_reply *reply, struct arena **arena,
                                 const struct remote_job *job, const char *out, size_t out_length,
                                 const char *err, size_t err_length, size_t piece)
{
    struct remote_result result;

    *arena = arena_create();
    guard_reply_init(reply, job, &frame);
    for (size_t at = 0; at < out_length; at += piece)
        guard_reply_feed(reply, GUARD_STDOUT, out + at, out_length - at < piece ? out_length - at : piece);
    for (size_t at = 0; at < err_length; at += piece)
        guard_reply_feed(reply, GUARD_STDERR, err + at, err_length - at < piece ? err_length - at : piece);
    guard_reply_result(reply, *arena, &result);
    return result;
}

static void release(struct guard_reply *reply, struct arena **arena)
{
    guard_reply_release(reply);
    *arena = arena_destroy(*arena);
}

static void assert_slice(struct slice slice, const char *expected)
{
    assert_int_equal(slice.length, strlen(expected));
    assert_memory_equal(slice.bytes, expected, slice.length);
}

static void assert_spooled_whole(const struct remote_result *result)
{
    assert_int_equal(result->end, REMOTE_ENDED);
    assert_int_equal(result->why, REMOTE_WHY_EXIT);
    assert_int_equal(result->rc, 7);
    assert_true(result->up_began > 12.33 && result->up_began < 12.35);
    assert_string_equal(result->boot_id, "b-1");
    assert_slice(result->out, "outs\n");
    assert_slice(result->err, "err\n");
    assert_false(result->out_clipped);
    assert_true(result->err_clipped);
    assert_false(result->left);
    assert_false(result->cut);
}

static void assert_light_whole(const struct remote_result *result)
{
    assert_int_equal(result->end, REMOTE_ENDED);
    assert_int_equal(result->why, REMOTE_WHY_SIGNAL);
    assert_int_equal(result->rc, 11);
    assert_true(result->left);
    assert_string_equal(result->left_text, "12/D/dd");
    assert_slice(result->out, "outs\n");
    assert_slice(result->err, "err\n");
    assert_false(result->cut);
}

static void a_whole_answer_is_read_in_pieces_of_any_size(void **state)
{
    struct guard_reply reply;
    struct arena *arena;

    (void)state;
    for (size_t piece = 1; piece < sizeof answer; piece++) {
        struct remote_result result = feed(&reply, &arena, &spooled, answer, strlen(answer), "", 0, piece);

        assert_true(guard_reply_whole(&reply));
        assert_spooled_whole(&result);
        release(&reply, &arena);
        result =
            feed(&reply, &arena, &light, light_out, strlen(light_out), light_err, strlen(light_err), piece);
        assert_true(guard_reply_whole(&reply));
        assert_light_whole(&result);
        release(&reply, &arena);
    }
}

static void noise_before_the_answer_is_skipped(void **state)
{
    static const char *const noises[] = {
        "Welcome\n",
        "no newline",
        "@assay ",
        "@assay " ENDED,
        "@assay other-uuid ended why=exit rc=0 ",
        "exec /bin/sh -c 'x' assay ensure " UUID " - 1\n",
        "\n\n\n@@@@assay",
    };
    struct guard_reply reply;
    struct arena *arena;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(noises); i++)
        for (size_t repeat = 1; repeat < 5000; repeat = repeat * 7 + 1) {
            struct text all = {0};
            struct remote_result result;

            text_init(&all, 1 << 20);
            for (size_t n = 0; n < repeat; n++)
                text_put(&all, noises[i]);
            text_put(&all, answer);
            result = feed(&reply, &arena, &spooled, all.bytes, all.length, noises[i], strlen(noises[i]), 37);
            assert_spooled_whole(&result);
            release(&reply, &arena);
            text_release(&all);
        }
}

/* The law: cut at any byte, it is no answer, or one that says it is cut; never another result. */
static void a_cut_answer_is_never_another_one(void **state)
{
    struct guard_reply reply;
    struct arena *arena;

    (void)state;
    for (size_t length = 0; length < strlen(answer); length++) {
        struct remote_result result = feed(&reply, &arena, &spooled, answer, length, "", 0, 4096);

        assert_false(guard_reply_whole(&reply));
        if (length < strlen(header))
            assert_int_equal(result.end, REMOTE_NO_ANSWER);
        else
            assert_true(result.end == REMOTE_ENDED && result.cut && result.rc == 7);
        release(&reply, &arena);
    }
    for (size_t out = 0; out <= strlen(light_out); out++)
        for (size_t err = 0; err <= strlen(light_err); err++) {
            struct remote_result result;

            if (out == strlen(light_out) && err == strlen(light_err))
                continue;
            result = feed(&reply, &arena, &light, light_out, out, light_err, err, 4096);
            assert_false(guard_reply_whole(&reply));
            if (out < strlen(light_out))
                assert_int_equal(result.end, REMOTE_NO_ANSWER);
            else
                assert_true(result.cut);
            release(&reply, &arena);
        }
}

static void a_garbled_header_is_no_answer(void **state)
{
    static const char *const lines[] = {
        "why=exit rc=7x up=1,2 left= out=0 err=0 clip=0,0 boot=b text=\n",
        "why=exit rc=-1 up=1,2 left= out=0 err=0 clip=0,0 boot=b text=\n",
        "why=exit rc=999 up=1,2 left= out=0 err=0 clip=0,0 boot=b text=\n",
        "why=exits rc=0 up=1,2 left= out=0 err=0 clip=0,0 boot=b text=\n",
        "why= rc=0 up=1,2 left= out=0 err=0 clip=0,0 boot=b text=\n",
        "rc=0 up=1,2 left= out=0 err=0 clip=0,0 boot=b text=\n",
        "why=exit rc=0 up=1 left= out=0 err=0 clip=0,0 boot=b text=\n",
        "why=exit rc=0 up=nan,2 left= out=0 err=0 clip=0,0 boot=b text=\n",
        "why=exit rc=0 up=1,2 left= out= err=0 clip=0,0 boot=b text=\n",
        "why=exit rc=0 up=1,2 left= out=1001 err=0 clip=0,0 boot=b text=\n",
        "why=exit rc=0 up=1,2 left= out=0 err=18446744073709551616 clip=0,0 boot=b text=\n",
        "why=exit rc=0 up=1,2 left= out=0 err=0 clip=0,0\n",
        "\n",
    };
    struct guard_reply reply;
    struct arena *arena;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        char whole[300];
        struct remote_result result;

        snprintf(whole, sizeof whole, "@assay " ENDED " ended %s", lines[i]);
        result = feed(&reply, &arena, &spooled, whole, strlen(whole), "", 0, 4096);
        if (result.end != REMOTE_NO_ANSWER)
            print_error("taken as an answer: %s", lines[i]);
        assert_int_equal(result.end, REMOTE_NO_ANSWER);
        assert_false(guard_reply_whole(&reply));
        release(&reply, &arena);
    }
}

static void a_light_flood_keeps_its_beginning_and_its_end(void **state)
{
    struct guard_reply reply;
    struct arena *arena;
    struct text all = {0};
    struct remote_result result;

    (void)state;
    text_init(&all, 1 << 24);
    text_put(&all, "@assay " BEGUN " begun\n");
    for (int i = 0; i < 100000; i++)
        text_put(&all, "0123456789\n");
    text_put(&all, strstr(light_out, "\n\n@assay") + 1);
    result = feed(&reply, &arena, &light, all.bytes, all.length, light_err, strlen(light_err), 4096);
    assert_true(guard_reply_whole(&reply));
    assert_int_equal(result.rc, 11);
    assert_int_equal(result.out.length, 1000);
    assert_memory_equal(result.out.bytes, "0123456789\n0", 12);
    assert_true(result.out_clipped);
    assert_false(result.err_clipped);
    release(&reply, &arena);
    text_release(&all);
}

/* More than memory is used for, in a file that may not grow. */
static void an_output_without_a_place_is_cut_and_says_why(void **state)
{
    static const struct remote_job large = {.verb = REMOTE_ENSURE, .uuid = UUID, .command = "true"};
    struct rlimit before, small;
    struct guard_reply reply;
    struct remote_result result;
    struct arena *arena;
    struct text all = {0};

    (void)state;
    text_init(&all, 1 << 24);
    text_put(&all,
             "@assay " ENDED " ended why=exit rc=0 up=1,2 left= out=4000000 err=0 clip=0,0 boot=b text=\n");
    for (int i = 0; i < 400000; i++)
        text_put(&all, "012345678\n");
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    small = (struct rlimit){2 << 20, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    result = feed(&reply, &arena, &large, all.bytes, all.length, "", 0, 4096);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_true(guard_reply_whole(&reply));
    assert_int_equal(result.end, REMOTE_ENDED);
    assert_true(result.cut);
    assert_true(reason_is(result.what, no_place_for_output));
    release(&reply, &arena);

    result = feed(&reply, &arena, &large, all.bytes, all.length, "", 0, 4096);
    assert_false(result.cut || result.out_clipped);
    assert_null(result.what);
    assert_int_equal(result.out.length, 4000000);
    assert_memory_equal(result.out.bytes + 3999990, "012345678\n", 10);
    release(&reply, &arena);
    text_release(&all);
}

/* A word that we know is a sentence of ours; what an earlier guard has left in a spool is a text. */
static void what_the_guard_says_is_known_by_its_word(void **state)
{
    static const struct {
        const char *said, *form;
    } rows[] = {
        {"", ""},
        {"another-boot", "[\"another_boot_id\"]"},
        {"no-space /var/tmp/assay-0", "[\"no_space_left\",\"/var/tmp/assay-0\"]"},
        {"no-folder /a /b; /a is a directory of root, mode 755; /b is a file of x, mode 0",
         "[\"also\",[\"no_private_folder\",\"/a /b\"],\"/a is a directory of root, mode 755; /b is a file of "
         "x, mode "
         "0\"]"},
        {"the supervisor on the host was killed", "[\"text\",\"the supervisor on the host was killed\"]"},
        {"no-space", "no-space"},
        {"killed by whom", "killed by whom"},
        {"[\"cancelled\"]", "[\"text\",\"[\\\"cancelled\\\"]\"]"},
    };
    struct arena *arena, *forms = arena_create();
    struct guard_reply reply;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *line = arena_printf(
            forms, "@assay " ENDED " ended why=none rc=0 up=1,2 left= out=0 err=0 clip=0,0 boot=b text=%s\n",
            rows[i].said);
        struct remote_result result = feed(&reply, &arena, &spooled, line, strlen(line), "", 0, 4096);

        assert_string_equal(reason_encode(forms, result.what), rows[i].form);
        release(&reply, &arena);
    }
    arena_destroy(forms);
}

static void what_was_said_instead_of_an_answer_is_named(void **state)
{
    static const struct {
        const char *out, *err;
        enum remote_end end;
        const char *named;
    } rows[] = {
        {"", "sudo: a password is required\n", REMOTE_SUDO_REFUSED, "a password is required"},
        {"", "sudo: unable to resolve host n7: Name or service not known\nsudo: a password is required\n",
         REMOTE_SUDO_REFUSED, "a password is required"},
        {"", "Last login\nsudo: sorry, you must have a tty\n", REMOTE_SUDO_REFUSED, "NOPASSWD"},
        {"", "sh: 1: exec: sudo: not found\n", REMOTE_SUDO_REFUSED, "sudo: not found"},
        {"This account is currently not available.\n", "", REMOTE_NO_ANSWER, "not available"},
        {"", "head: command not found\n", REMOTE_NO_ANSWER, "head: command not found"},
        {"\x1b[31mred\x07\n", "", REMOTE_NO_ANSWER, " [31mred "},
    };
    struct guard_reply reply;
    struct arena *arena;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        for (int verb = 0; verb < 2; verb++) {
            struct remote_result result = feed(&reply, &arena, verb == 0 ? &spooled : &light, rows[i].out,
                                               strlen(rows[i].out), rows[i].err, strlen(rows[i].err), 4096);

            assert_int_equal(result.end, rows[i].end);
            assert_non_null(strstr(reason_english(arena, result.what), rows[i].named));
            release(&reply, &arena);
        }
}

static void the_exec_line_is_short_and_plain(void **state)
{
    static const struct remote_file files[] = {{"hosts", "n1\n", 3}};
    struct remote_job job = spooled;
    struct text exec, input;
    const char *number;
    long guard_length;

    (void)state;
    job.files = files;
    job.file_count = 1;
    job.boot_id = "not a boot id; rm -rf";
    job.secret = "s3";
    text_init(&exec, 65536);
    text_init(&input, 1 << 20);
    guard_exec(&job, GUARD_SUDO, &exec);
    guard_input(&job, &frame, &input);
    assert_true(exec.length < 400);
    assert_memory_equal(exec.bytes, "exec sudo -n /bin/sh -c 'g=$(head -c ", 37);
    assert_non_null(strstr(exec.bytes, " assay ensure " UUID " - 60 10 1000 10 4 hosts 3"));
    assert_null(strpbrk(exec.bytes, "!`\n\\;<>|*?~{}[]#"));
    assert_null(strstr(exec.bytes, ENDED));
    assert_null(strstr(exec.bytes, job.secret));
    /* What follows the guard's text is what frames the answer, the secret, the command and the files, to the byte. */
    number = strstr(exec.bytes, "head -c ") + 8;
    guard_length = strtol(number, NULL, 10);
    assert_int_equal(input.length, (size_t)guard_length + strlen(ENDED "\ns3\ntruen1\n"));
    assert_string_equal(input.bytes + guard_length, ENDED "\ns3\ntruen1\n");
    text_release(&exec);
    text_release(&input);
}

/* Runs the light guard on these bytes of its input; whether it ran the command, and whether it says how that ended. */
static void run_light(const char *shell, const char *bytes, size_t length, bool *ret_ran, bool *ret_answered)
{
    char line[400], said[4096];
    FILE *file = fopen("input", "w");
    size_t got;

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    (void)unlink("ran");
    snprintf(line, sizeof line, "%s -s read " UUID " - 5 1 1 <input 2>/dev/null", shell);
    file = popen(line, "r");
    assert_non_null(file);
    got = fread(said, 1, sizeof said - 1, file);
    said[got] = '\0';
    (void)pclose(file);
    *ret_ran = access("ran", F_OK) == 0;
    *ret_answered = strstr(said, "@assay " ENDED " ended") != NULL;
}

static void assert_not_run(const char *shell, const char *bytes, size_t length)
{
    bool ran, answered;

    run_light(shell, bytes, length, &ran, &answered);
    assert_false(ran || answered);
}

/* With the argument "every": eight times as many cuts as the others, which differ from shell to shell. */
static size_t coarse = 8;

/* Cut at its end by a line that broke, at its beginning by a profile that reads. */
static void assert_only_whole_is_run(const char *shell, size_t nth, const struct text *input)
{
    static const char start[] = "light \"$@\"";
    const char *begin = strstr(input->bytes, start), *end = input->bytes + input->length;
    size_t last = (size_t)(begin - input->bytes) + strlen(start), line = 0;
    bool ran, answered;

    run_light(shell, input->bytes, input->length, &ran, &answered);
    assert_true(ran && answered);
    for (size_t cut = coarse > 1 ? nth * 41 : 0; cut < last;
         cut += cut + 90 < last ? 41 * coarse : coarse / 2 + 1)
        assert_not_run(shell, input->bytes, cut);
    assert_not_run(shell, input->bytes, last - 1);
    for (const char *from = input->bytes + 1 + nth; from < begin; from += 41 * coarse)
        assert_not_run(shell, from, (size_t)(end - from));
    for (const char *from = strchr(input->bytes, '\n') + 1; from < begin; from = strchr(from, '\n') + 1)
        if (line++ % coarse == nth % coarse)
            assert_not_run(shell, from, (size_t)(end - from));
}

static void a_light_command_that_did_not_come_whole_is_not_run(void **state)
{
    static const struct {
        const char *program, *shell;
    } rows[] = {{"/bin/sh", "/bin/sh"},
                {"/bin/dash", "/bin/dash"},
                {"/bin/bash", "/bin/bash --posix"},
                {"/bin/busybox", "/bin/busybox sh"}};
    char folder[] = "/tmp/assay-guard-XXXXXX";
    struct remote_job job = light;
    struct text input;

    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    job.command = "echo 'it is' >ran";
    text_init(&input, 1 << 20);
    guard_input(&job, &frame, &input);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (access(rows[i].program, X_OK) == 0)
            assert_only_whole_is_run(rows[i].shell, i, &input);
        else
            print_message("not tried: there is no %s\n", rows[i].program);
    text_release(&input);
    assert_int_equal(unlink("input"), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

static const char *read_seen(const char *name)
{
    static char seen[1 << 16];
    FILE *file = fopen(name, "r");
    size_t got;

    assert_non_null(file);
    got = fread(seen, 1, sizeof seen - 1, file);
    seen[got] = '\0';
    assert_int_equal(fclose(file), 0);
    assert_int_equal(unlink(name), 0);
    return seen;
}

/* Also where the environment has variables of these names, and the shell is told to export all. */
static void a_light_command_gets_its_secret_by_stdin_and_sees_neither_elsewhere(void **state)
{
    static const struct {
        const char *program, *shell;
    } rows[] = {{"/bin/sh", "/bin/sh"},
                {"/bin/dash", "/bin/dash"},
                {"/bin/bash", "/bin/bash --posix"},
                {"/bin/busybox", "/bin/busybox sh"}};
    char folder[] = "/tmp/assay-guard-XXXXXX", shell[200];
    struct remote_job job = light;
    struct text input;
    const char *seen;
    bool ran, answered;

    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    job.secret = "5ec4e7 5ec4e8";
    job.command = ": >ran; cat >stdin; (for p in $$ $PPID; do tr '\\0' '\\n' </proc/$p/environ; "
                  "tr '\\0' '\\n' </proc/$p/cmdline; done; set; timeout 1 cat /proc/$PPID/fd/0) >seen";
    text_init(&input, 1 << 20);
    guard_input(&job, &frame, &input);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (access(rows[i].program, X_OK) != 0) {
            print_message("not tried: there is no %s\n", rows[i].program);
            continue;
        }
        snprintf(shell, sizeof shell, "begun=x ended=x secret=x SHELLOPTS=allexport %s", rows[i].shell);
        run_light(shell, input.bytes, input.length, &ran, &answered);
        assert_true(ran && answered);
        assert_string_equal(read_seen("stdin"), "5ec4e7 5ec4e8\n");
        seen = read_seen("seen");
        assert_non_null(strstr(seen, "ASSAY_ATTEMPT=" UUID));
        assert_null(strstr(seen, "5ec4e"));
        assert_null(strstr(seen, BEGUN));
        assert_null(strstr(seen, ENDED));
    }
    text_release(&input);
    (void)unlink("ran");
    assert_int_equal(unlink("input"), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* The password is in neither: it goes before the input, to the login user's own shell. */
static void sudo_with_a_password_is_a_line_that_every_login_shell_takes(void **state)
{
    static const struct {
        const struct remote_job *job;
        const char *end;
    } rows[] = {{&spooled, "' assay ensure " UUID}, {&light, ";exec /bin/sh -s \"$@\"' assay read " UUID}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct text exec;

        text_init(&exec, 65536);
        guard_exec(rows[i].job, GUARD_SUDO_PASSWORD, &exec);
        assert_true(exec.length < 800);
        assert_memory_equal(exec.bytes, "exec /bin/sh -c '", 17);
        assert_null(strpbrk(exec.bytes, "!`\n"));
        assert_null(strstr(exec.bytes, "%%"));
        assert_null(strstr(exec.bytes, "\\\\")); /* fish would make one of two */
        assert_non_null(strstr(exec.bytes, "|sudo -k -S -p \"\" /bin/sh -c \"$0\" \"$@\"' 'until "));
        assert_non_null(strstr(exec.bytes, rows[i].end));
        text_release(&exec);
    }
}

static void jobs_that_cannot_be_sent_are_told(void **state)
{
    struct remote_job job = light;
    static const struct remote_file dotted[] = {{".hidden", "", 0}};
    static const struct remote_file plain[] = {{"a-b_c.d", "", 0}};

    (void)state;
    assert_null(guard_job_fault(&light));
    job.files = plain;
    job.file_count = 1;
    assert_non_null(guard_job_fault(&job));
    job.verb = REMOTE_ENSURE;
    assert_null(guard_job_fault(&job));
    job.files = dotted;
    assert_non_null(guard_job_fault(&job));
    job = spooled;
    job.uuid = "a b";
    assert_non_null(guard_job_fault(&job));
    job.uuid = "";
    assert_non_null(guard_job_fault(&job));
    job.uuid = UUID;
    job.command = NULL;
    assert_non_null(guard_job_fault(&job));
    job.verb = REMOTE_GONE;
    assert_null(guard_job_fault(&job));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sudo_with_a_password_is_a_line_that_every_login_shell_takes),
        cmocka_unit_test(a_whole_answer_is_read_in_pieces_of_any_size),
        cmocka_unit_test(noise_before_the_answer_is_skipped),
        cmocka_unit_test(a_cut_answer_is_never_another_one),
        cmocka_unit_test(a_garbled_header_is_no_answer),
        cmocka_unit_test(a_light_flood_keeps_its_beginning_and_its_end),
        cmocka_unit_test(an_output_without_a_place_is_cut_and_says_why),
        cmocka_unit_test(what_the_guard_says_is_known_by_its_word),
        cmocka_unit_test(what_was_said_instead_of_an_answer_is_named),
        cmocka_unit_test(the_exec_line_is_short_and_plain),
        cmocka_unit_test(a_light_command_that_did_not_come_whole_is_not_run),
        cmocka_unit_test(a_light_command_gets_its_secret_by_stdin_and_sees_neither_elsewhere),
        cmocka_unit_test(jobs_that_cannot_be_sent_are_told),
    };

    if (argc > 1 && strcmp(argv[1], "every") == 0)
        coarse = 1;
    return cmocka_run_group_tests_name("guard", tests, NULL, NULL);
}
