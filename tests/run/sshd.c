/* SPDX-License-Identifier: Apache-2.0 */
#include "sshd.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "assay/base/files.h"

static const char sshd_path[] = "/usr/sbin/sshd";

const char *sshd_missing(void)
{
    if (access(sshd_path, X_OK) != 0)
        return "there is no /usr/sbin/sshd";
    if (access("/usr/bin/ssh-keygen", X_OK) != 0)
        return "there is no /usr/bin/ssh-keygen";
    if (getuid() == 0 && mkdir("/run/sshd", 0755) != 0 && access("/run/sshd", X_OK) != 0)
        return "/run/sshd, which sshd wants, cannot be made";
    return NULL;
}

static pid_t spawn(const char *const argv[])
{
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    int fd = open("/dev/null", O_RDWR);
    dup2(fd, 0);
    dup2(fd, 1);
    dup2(fd, 2);
    execv(argv[0], (char *const *)argv);
    _exit(127);
}

int run_program(const char *const argv[])
{
    int status = -1;
    pid_t pid = spawn(argv);

    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void make_key(const char *path, const char *type)
{
    assert_int_equal(run_program((const char *const[]){"/usr/bin/ssh-keygen", "-q", "-t", type, "-N", "",
                                                       "-f", path, NULL}),
                     0);
}

static unsigned free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &length), 0);
    close(fd);
    return ntohs(address.sin_port);
}

static void write_file(const char *path, const char *text)
{
    struct error err;

    assert_int_equal(file_write(path, text, strlen(text), 0600, &err), 0);
}

char *sshd_known_line(const struct sshd *sshd, const struct bench *bench)
{
    cleanup_text struct text key = {0};
    struct error err;
    char path[128];

    snprintf(path, sizeof path, "%s/host_key.pub", bench->folder);
    text_init(&key, 4096);
    assert_int_equal(file_read(path, &key, &err), 0);
    return mem_printf("[127.0.0.1]:%u %s", sshd->port, key.bytes);
}

static void write_config(const struct sshd *sshd, const struct bench *bench, const char *settings,
                         const char *path)
{
    cleanup_free char *config = mem_printf(
        "Port %u\nListenAddress 127.0.0.1\nHostKey %s/host_key\nPidFile %s/sshd.pid\n"
        "AuthorizedKeysFile %s.pub\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
        "KbdInteractiveAuthentication no\nPermitRootLogin yes\nUseDNS no\nPrintMotd no\nPrintLastLog no\n"
        "MaxStartups 500\nSetEnv HOME=%s ASSAY_SPOOL=%s/spool ASSAY_LAB_BOOT_ID=%s\n%s\n",
        sshd->port, bench->folder, bench->folder, sshd->key, bench->folder, bench->folder, bench->boot_file,
        settings);

    write_file(path, config);
}

static void await_port(unsigned port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)port)};

    for (int i = 0; i < 500; i++) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        int rc = connect(fd, (struct sockaddr *)&address, sizeof address);

        close(fd);
        if (rc == 0)
            return;
        usleep(10000);
    }
    fail_msg("sshd did not come up on port %u", port);
}

void sshd_start(struct sshd *sshd, const struct bench *bench, const char *settings)
{
    char host_key[128], config[128];
    const struct passwd *self = getpwuid(getuid());

    memset(sshd, 0, sizeof *sshd);
    assert_non_null(self);
    snprintf(sshd->user, sizeof sshd->user, "%s", self->pw_name);
    snprintf(sshd->key, sizeof sshd->key, "%s/key", bench->folder);
    snprintf(sshd->wrong_key, sizeof sshd->wrong_key, "%s/wrong_key", bench->folder);
    snprintf(sshd->known_hosts, sizeof sshd->known_hosts, "%s/known_hosts", bench->folder);
    snprintf(host_key, sizeof host_key, "%s/host_key", bench->folder);
    snprintf(config, sizeof config, "%s/sshd_config", bench->folder);
    make_key(host_key, "ed25519");
    make_key(sshd->key, "ed25519");
    make_key(sshd->wrong_key, "ed25519");
    sshd->port = free_port();
    write_config(sshd, bench, settings, config);
    cleanup_free char *line = sshd_known_line(sshd, bench);

    write_file(sshd->known_hosts, line);
    sshd_start_again(sshd, bench);
}

void sshd_start_again(struct sshd *sshd, const struct bench *bench)
{
    char config[128], log[128];

    snprintf(config, sizeof config, "%s/sshd_config", bench->folder);
    snprintf(log, sizeof log, "%s/sshd.log", bench->folder);
    sshd->pid = spawn((const char *const[]){sshd_path, "-D", "-f", config, "-E", log, NULL});
    await_port(sshd->port);
}

void sshd_add_settings(const struct sshd *sshd, const struct bench *bench, const char *settings)
{
    char config[128];

    snprintf(config, sizeof config, "%s/sshd_config", bench->folder);
    write_config(sshd, bench, settings, config);
}

void sshd_stop(struct sshd *sshd)
{
    sshd_kill_connections(sshd);
    kill(sshd->pid, SIGTERM);
    waitpid(sshd->pid, NULL, 0);
}

/* The fourth field of /proc/PID/stat, behind the name in brackets. */
static pid_t parent_of(const char *pid)
{
    char path[64], line[512];
    cleanup_file FILE *file = NULL;
    const char *bracket;

    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    file = fopen(path, "re");
    if (file == NULL || fgets(line, sizeof line, file) == NULL || (bracket = strrchr(line, ')')) == NULL)
        return 0;
    return (pid_t)strtol(bracket + 4, NULL, 10);
}

unsigned sshd_kill_connections(const struct sshd *sshd)
{
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    unsigned count = 0;

    while ((entry = readdir(proc)) != NULL)
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && parent_of(entry->d_name) == sshd->pid) {
            kill((pid_t)strtol(entry->d_name, NULL, 10), SIGKILL);
            count++;
        }
    closedir(proc);
    return count;
}
