/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/base/program.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "assay/base/files.h"

enum { ANSWER_BYTES = 4 << 20, FIRST_OF_OURS = STDERR_FILENO + PROGRAM_INPUTS };

extern char **environ;

static void close_all(struct program *program)
{
    if (program->out >= 0)
        close(program->out);
    if (program->complaint >= 0)
        close(program->complaint);
    *program = (struct program){0};
}

/* A file in memory with these bytes, at its begin; numbered so high that none of a child's own falls on it. */
static int open_memory(struct slice bytes, struct error *err)
{
    cleanup_fd int fd = memfd_create("assay", MFD_CLOEXEC);
    int high;

    if (fd < 0)
        return error_set(err, ERROR_INTERNAL, "no memory for what a program reads and writes: %s",
                         strerror(errno));
    if (file_put(fd, bytes.bytes, bytes.length, "what a program reads", err) < 0)
        return -1;
    high = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_OF_OURS);
    if (high < 0 || lseek(high, 0, SEEK_SET) < 0)
        return error_set(err, ERROR_INTERNAL, "what a program reads: %s", strerror(errno));
    return high;
}

static int spawn(const char *const *words, const int *inputs, size_t count, const struct program *program,
                 pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    int failure;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, inputs[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, program->out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, program->complaint, STDERR_FILENO);
    for (size_t i = 1; i < count; i++)
        posix_spawn_file_actions_adddup2(&actions, inputs[i], STDERR_FILENO + (int)i);
    failure = posix_spawnp(ret_pid, words[0], &actions, NULL, (char *const *)(uintptr_t)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

int program_start(const char *const *words, const struct program_inputs *inputs, struct program *ret_program,
                  struct error *err)
{
    static const struct program_inputs nothing = {0};
    struct program program = {.out = open_memory((struct slice){0}, err),
                              .complaint = open_memory((struct slice){0}, err)};
    int in[PROGRAM_INPUTS] = {-1, -1, -1}, failure = 0, result = -1;
    size_t opened = 0;

    while (opened < PROGRAM_INPUTS &&
           (in[opened] = open_memory((inputs != NULL ? inputs : &nothing)->bytes[opened], err)) >= 0)
        opened++;
    if (opened == PROGRAM_INPUTS && program.out >= 0 && program.complaint >= 0) {
        failure = spawn(words, in, PROGRAM_INPUTS, &program, &program.pid);
        result = failure == 0
                     ? 0
                     : error_set(err, ERROR_USAGE, "%s cannot be started: %s", words[0], strerror(failure));
    }
    for (size_t i = 0; i < opened; i++)
        close(in[i]);
    if (result == 0)
        *ret_program = program;
    else
        close_all(&program);
    return result;
}

bool program_has_ended(struct program *program)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)program->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid != 0;
}

static const char *contents(struct arena *arena, int fd)
{
    struct stat stat;
    size_t length =
        fstat(fd, &stat) == 0 && stat.st_size < ANSWER_BYTES ? (size_t)stat.st_size : ANSWER_BYTES;
    char *bytes = arena_alloc(arena, length + 1);
    ssize_t got = pread(fd, bytes, length, 0);

    bytes[got > 0 ? got : 0] = '\0';
    return bytes;
}

int program_wait(pid_t child, int otherwise)
{
    int status;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return otherwise;
    return WIFEXITED(status) ? WEXITSTATUS(status) : otherwise;
}

int program_end(struct arena *arena, struct program *program, const char **ret_out,
                const char **ret_complaint)
{
    int status = program_wait(program->pid, 255);

    *ret_out = contents(arena, program->out);
    *ret_complaint = contents(arena, program->complaint);
    close_all(program);
    return status;
}

int program_run(struct arena *arena, const char *const *words, const struct program_inputs *inputs,
                const char **ret_out, const char **ret_complaint, struct error *err)
{
    struct program program;

    if (program_start(words, inputs, &program, err) < 0)
        return -1;
    return program_end(arena, &program, ret_out, ret_complaint);
}
