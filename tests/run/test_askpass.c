/* SPDX-License-Identifier: Apache-2.0 */
/* The program that ssh asks by: this one, started as ssh starts it. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit_test.h"
#include "askpass.h"
#include "assay/run/remote.h"

struct desk {
    uv_loop_t loop;
    struct askpass *askpass;
    const char *answer; /* NULL: none, the line is given up */
    char line[2100];
    unsigned said;
    int end;         /* of the pair, for ssh */
    char told[1100]; /* what came out of the program */
};

static void on_said(void *context, const char *line)
{
    struct desk *desk = context;

    desk->said++;
    snprintf(desk->line, sizeof desk->line, "%s", line);
    if (desk->answer != NULL)
        askpass_answer(desk->askpass, desk->answer);
    else
        askpass_close(desk->askpass);
    uv_stop(&desk->loop);
}

static void open_desk(struct desk *desk, const char *answer)
{
    *desk = (struct desk){.answer = answer};
    assert_int_equal(uv_loop_init(&desk->loop), 0);
    desk->askpass = askpass_open(&desk->loop, on_said, desk, &desk->end);
    assert_non_null(desk->askpass);
}

static void close_desk(struct desk *desk)
{
    if (desk->answer != NULL)
        askpass_close(desk->askpass);
    close(desk->end);
    uv_run(&desk->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&desk->loop), 0);
}

/* The words behind setsid and env. */
static void set_environment(const struct askpass *askpass)
{
    char *words[ASKPASS_WORDS + 1];

    askpass_words(askpass, words);
    for (int i = 2; i < ASKPASS_WORDS; i++)
        putenv(words[i]);
}

static pid_t start(const struct desk *desk, int input, const char *hint, const char *prompt, int output)
{
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    set_environment(desk->askpass);
    if (hint != NULL)
        setenv("SSH_ASKPASS_PROMPT", hint, 1);
    dup2(input, 0);
    dup2(output, 1);
    execl(getenv("SSH_ASKPASS"), "askpass", prompt, (char *)NULL);
    _exit(127);
}

/* Its exit status. */
static int ask(struct desk *desk, int input, const char *hint, const char *prompt)
{
    int ends[2], status;
    size_t length = 0;
    ssize_t got;
    pid_t pid;

    assert_int_equal(pipe(ends), 0);
    pid = start(desk, input, hint, prompt, ends[1]);
    assert_true(pid > 0);
    close(ends[1]);
    if (hint == NULL && input == desk->end)
        uv_run(&desk->loop, UV_RUN_DEFAULT);
    if (desk->answer == NULL)
        uv_run(&desk->loop, UV_RUN_NOWAIT);
    do {
        got = read(ends[0], desk->told + length, sizeof desk->told - 1 - length);
        length += got > 0 ? (size_t)got : 0;
    } while (got > 0);
    desk->told[length] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void the_answer_goes_to_who_asked(void **state)
{
    struct desk desk;

    (void)state;
    open_desk(&desk, "it's $(a) \\n \"secret\"");
    assert_int_equal(ask(&desk, desk.end, NULL, "ops@bastion's password: "), 0);
    assert_string_equal(desk.line, ASKPASS_ASKS "ops@bastion's password: ");
    assert_string_equal(desk.told, "it's $(a) \\n \"secret\"\n");
    close_desk(&desk);
}

static void a_question_is_one_line_and_steers_no_terminal(void **state)
{
    char prompt[3000];
    struct desk desk;

    (void)state;
    open_desk(&desk, "yes");
    assert_int_equal(ask(&desk, desk.end, NULL,
                         "a\nassay-ready\n\033]0;b\a\xc2\x9b"
                         "31m 密码\x7f"),
                     0);
    assert_string_equal(desk.line, ASKPASS_ASKS "a assay-ready  ]0;b   31m 密码 ");
    assert_int_equal(desk.said, 1);
    memset(prompt, 'x', sizeof prompt);
    prompt[sizeof prompt - 1] = '\0';
    assert_int_equal(ask(&desk, desk.end, NULL, prompt), 0);
    assert_in_range(strlen(desk.line), 500, 2000);
    close_desk(&desk);
}

static void no_answer_is_a_no(void **state)
{
    struct desk desk;

    (void)state;
    open_desk(&desk, "");
    assert_int_equal(ask(&desk, desk.end, NULL, "Enter passphrase for key 'a': "), 1);
    assert_string_equal(desk.told, "");
    close_desk(&desk);
    open_desk(&desk, NULL);
    assert_int_equal(ask(&desk, desk.end, NULL, "Password: "), 1);
    assert_string_equal(desk.told, "");
    close_desk(&desk);
}

/* A ssh that a ProxyCommand starts has a standard input that is not ours. */
static void who_is_not_our_ssh_is_told_nothing(void **state)
{
    struct desk desk;
    int ends[2];

    (void)state;
    open_desk(&desk, "secret");
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_int_equal(write(ends[1], "bytes of another\n", 17), 17);
    assert_int_equal(ask(&desk, ends[0], NULL, "Password: "), 1);
    assert_string_equal(desk.told, "");
    assert_int_equal(ask(&desk, desk.end, "confirm", "Allow use of key? "), 1);
    assert_int_equal(ask(&desk, desk.end, "none", "Confirm user presence "), 0);
    assert_string_equal(desk.told, "");
    assert_int_equal(desk.said, 0);
    close(ends[0]);
    close(ends[1]);
    close_desk(&desk);
}

/* By the signal that ended who asked; 0: it went on. */
static int end_of_another(struct desk *desk, int input, const char *prompt)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        pid_t child;

        prctl(PR_SET_NAME, "ssh");
        child = start(desk, input, NULL, prompt, STDERR_FILENO);
        waitpid(child, &status, 0);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* It would send an empty password. */
static void a_ssh_that_gets_no_answer_ends(void **state)
{
    struct desk desk;
    int ends[2];

    (void)state;
    open_desk(&desk, "secret");
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(end_of_another(&desk, ends[0], "ops@other's password: "), SIGTERM);
    assert_int_equal(end_of_another(&desk, ends[0], "Enter passphrase for key 'a': "), 0);
    assert_int_equal(desk.said, 0);
    close(ends[0]);
    close(ends[1]);
    close_desk(&desk);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_answer_goes_to_who_asked),
        cmocka_unit_test(a_question_is_one_line_and_steers_no_terminal),
        cmocka_unit_test(no_answer_is_a_no),
        cmocka_unit_test(who_is_not_our_ssh_is_told_nothing),
        cmocka_unit_test(a_ssh_that_gets_no_answer_ends),
    };
    int asked = remote_askpass(argc, argv);

    return asked >= 0 ? asked : cmocka_run_group_tests_name("askpass", tests, NULL, NULL);
}
