/* SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "assay/cleanup.h"
#include "assay/files.h"

enum { ANSWER_BYTES = 4 << 20 };

extern char **environ;

int program_start(const char *const *words, const char *input, struct program *ret_program, struct error *err)
{
    cleanup_fd int in = open(input != NULL ? input : "/dev/null", O_RDONLY | O_CLOEXEC);
    cleanup_fd int out = memfd_create("out", MFD_CLOEXEC), complaint = memfd_create("complaint", MFD_CLOEXEC);
    struct program program = {0};
    posix_spawn_file_actions_t actions;
    int failure;

    if (in < 0 || out < 0 || complaint < 0)
        return error_set(err, ERROR_USAGE, "cannot read %s: %s", input != NULL ? input : "/dev/null",
                         strerror(errno));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, complaint, STDERR_FILENO);
    failure = posix_spawnp(&program.pid, words[0], &actions, NULL, (char *const *)(uintptr_t)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0)
        return error_set(err, ERROR_USAGE, "%s cannot be started: %s", words[0], strerror(failure));
    program.out = out;
    program.complaint = complaint;
    out = complaint = -1;
    *ret_program = program;
    return 0;
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

static int wait_for(pid_t child)
{
    int status;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 255;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

int program_end(struct arena *arena, struct program *program, const char **ret_out,
                const char **ret_complaint)
{
    int status = wait_for(program->pid);

    *ret_out = contents(arena, program->out);
    *ret_complaint = contents(arena, program->complaint);
    close(program->out);
    close(program->complaint);
    *program = (struct program){0};
    return status;
}

int program_run(struct arena *arena, const char *const *words, const char *input, const char **ret_out,
                const char **ret_complaint, struct error *err)
{
    struct program program;

    if (program_start(words, input, &program, err) < 0)
        return -1;
    return program_end(arena, &program, ret_out, ret_complaint);
}
