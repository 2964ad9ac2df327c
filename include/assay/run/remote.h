/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands on hosts, guarded: a job runs once however often it is sent, outlives its connection and the
 * controller, keeps a deadline on the host, and is proven gone before it counts as ended.
 *
 * A remote is one host as the controller reaches it: at most one transport session (libssh2, a spawned ssh,
 * a step of Slurm, or this machine), which serves all jobs of that host and is made again when it breaks. Everything happens
 * on one libuv loop; callbacks come from there, never from inside the call that starts something.
 *
 * What goes wrong with a host is a remote_result, never a struct error.
 *
 * A job that was sent and whose connection broke is sent again, with growing pauses, until
 * reconnect_for_ms have passed: the guard on the host knows it by its uuid. REMOTE_READ has no spool there
 * and is not sent again. A job that was never sent fails with the first connection that cannot be made.
 *
 * Limits of the guard: it finds processes by ASSAY_ATTEMPT in their environment, so what clears its
 * environment and leaves the process group (a container, a job given to another daemon) is not found.
 */
#ifndef ASSAY_REMOTE_H
#define ASSAY_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assay/base/error.h"
#include "assay/base/scan.h"
#include "assay/base/secret.h"
#include "assay/model/reason.h"

struct uv_loop_s;
struct remote_pool;
struct remote;

enum transport_kind {
    TRANSPORT_AUTO,    /* libssh2; a spawned ssh where libssh2 cannot do it (agent-only, RSA keys);
                       said in remote_transport_note */
    TRANSPORT_SSH,     /* libssh2 only */
    TRANSPORT_OPENSSH, /* the ssh program */
    TRANSPORT_LOCAL,   /* no network: /bin/sh on this machine */
    TRANSPORT_SLURM,   /* a step of Slurm; the target's name is the node's */
};

struct remote_options {
    const char *known_hosts;   /* NULL: ~/.ssh/known_hosts and /etc/ssh/ssh_known_hosts */
    bool accept_new_host_keys; /* unknown keys are added to known_hosts; changed ones are refused all the same
                                */
    unsigned
        connections; /* sessions open at a time; 0: as many as there are hosts, so that one session serves all of a
                             host's jobs, if the limit of open files allows: an idle one then gives way */
    unsigned handshakes; /* sessions being made at a time; 0: 64. More overflows listen queues, see README */
    unsigned
        connect_timeout_ms; /* TCP connect, and each of banner+key exchange, auth, channel open; 0: 20000 */
    unsigned reconnect_for_ms; /* how long a host may be out of reach while a job runs on it; 0: 600000 */
    /* For login (password or keyboard-interactive, where the key is not taken), for the same on jump hosts, and for sudo of
       hosts with become_root. They must outlive the pool; NULL: keys only, and sudo -n. Until one host has taken the login
       password it is tried on one host at a time, and after three refusals on no more: a slip must not lock an account
       everywhere. That of jump hosts likewise; one that has not taken it is not given it again. */
    const struct secret *password, *jump_password, *sudo_password;
    /* What else a jump host asks at login (a one-time code, a password of its own) is put to the person at /dev/tty, with the
       jump host's name and without echo. */
    bool ask_at_terminal;
    void (*asking)(void *context,
                   bool asking); /* a question is on the terminal, or no longer; NULL: nobody cares */
    void *asking_context;
    /* Of TRANSPORT_SLURM: the number of the job in which this host's steps run, NULL: none of ours. NULL, or where it gives none:
       steps run in the allocation that assay was started in, or each session asks Slurm for one of its own. Asked again
       where a session finds that job over, after slurm_refused. */
    const char *(*slurm_job)(void *context, const char *host);
    /* Why that job is not to be had (any more), as far as whoever asked for it knows; NULL: nothing is known. */
    const struct reason *(*slurm_refused)(void *context, const char *host);
    void *slurm_context;
    unsigned answer_margin_ms; /* how much later than the host's own deadline an answer may come; 0: 30000 */
};

/* Strings must outlive the remote. NULL or 0 means what the user's ssh configuration says (`ssh -G`), else the default
   that ssh would take. */
struct remote_target {
    const char *name;    /* for messages */
    const char *address; /* host name or address */
    unsigned port;
    const char *user;
    const char *identity; /* private key file; NULL: ~/.ssh/id_ed25519, id_ecdsa, then TRANSPORT_AUTO falls
                                back to ssh */
    const char
        *jump; /* [user@]host[:port][,...] as ssh -J, or none: all with the same, and the same next two, share
                         one connection */
    const char *jump_identity, *jump_known_hosts; /* for the jump hosts, besides what ssh itself would take */
    const char *known_hosts;                      /* of this host; NULL: that of the options */
    bool known_hosts_and_system; /* besides that file the system's, as where ssh's configuration names one */
    enum transport_kind transport;
    bool become_root; /* jobs with as_root run through `sudo -n`; otherwise as_root jobs run as the login user
                       */
};

/*
 * A spawned ssh is given a password, and puts a question, by starting this very program ($ASSAY_PROGRAM, else
 * /proc/PID/exe) as its SSH_ASKPASS. So main calls this before anything else: it returns -1, or else the exit status, and
 * then there is nothing else to do. Where it was not called, the ssh program gets no password.
 */
int remote_askpass(int argc, char **argv);

/* SIGPIPE is ignored in the whole process from here on: a peer that closes early is a result, not a signal.
 */
struct remote_pool *remote_pool_create(struct uv_loop_s *loop, const struct remote_options *options);
/* Ends all sessions; the memory goes when the loop has run the close callbacks, so run the loop once more.
   Jobs still open get REMOTE_CANCELLED before this returns; what runs on the hosts is left running (see
   REMOTE_CANCEL). All its remotes are dead after the call. NULL is fine. */
void remote_pool_destroy(struct remote_pool *pool);

/* Connects when the first job is started. */
struct remote *remote_open(struct remote_pool *pool, const struct remote_target *target);
/* Ends the session once the jobs in hand are done. The pointer is dead after the call. */
void remote_close(struct remote *remote);
/* Which transport serves this host and why, for the report: "ssh (libssh2 1.10.0)". Valid until
   remote_pool_destroy. */
const struct reason *remote_transport_note(const struct remote *remote);

enum remote_verb {
    REMOTE_ENSURE, /* starts the command, or attaches to it, or fetches its result: idempotent by uuid */
    REMOTE_READ,   /* the light path for passive commands: deadline kept, no spool; sending it again runs it
                      again */
    REMOTE_CANCEL, /* ends the job's process group and everything that carries its uuid; succeeds when nothing
                      is left */
    REMOTE_GONE,   /* only the sweep: on other hosts that the job had started processes on */
    REMOTE_FORGET, /* removes the spool; to be sent only after the result has been committed to the store. A
                      command that still runs is not forgotten: rc is 1 then */
    REMOTE_LIST, /* out: "UUID running|ended|lost|cut", one a line, of all spools of this user; running: or its
                      sender is about to fetch the end; cut: nothing of it has run */
};

struct remote_file {
    const char *name; /* letters, digits, '.', '_', '-', and begins with none of the last three; lies in
                         $ASSAY_DIR when the command runs */
    const char *bytes;
    size_t length;
};

/*
 * The flood limits: what a command writes beyond them to one stream is counted on the host and not kept. That
 * of a spooled command holds a burn of 72 h: 259,200 updates, one a second, of at most 517 bytes for 8 GPUs
 * (12 of the percentage; 30 of work and rate, 22 of errors with their warning and 8 of temperature a GPU; 25 of
 * captions) are 128 MiB, and as much again is room for what else it says.
 */
#define REMOTE_FLOOD_BYTES ((uint64_t)256 << 20)
#define REMOTE_READ_BYTES ((uint64_t)64 << 20)

struct remote_job {
    enum remote_verb verb;
    const char *uuid;    /* of the attempt (of the request, for LIST): letters, digits and dashes */
    const char *boot_id; /* the host's boot as last seen: another one now means `rebooted`. NULL: only the
                            spool can tell, and where a reboot clears that too the command runs again */
    const char *command; /* POSIX sh; ENSURE and READ only. Runs with ASSAY_ATTEMPT=uuid.
                            ENSURE: current folder and ASSAY_DIR are a private one, which FORGET removes;
                            ASSAY_DEADLINE and ASSAY_GRACE are the two below, for what it starts elsewhere.
                            READ: current folder is the login's; at most 100 KiB */
    const char *
        secret; /* the first line of the command's stdin, which is empty else, and nowhere else on the host: in no
                            argument, environment or file. Letters, digits, dashes and blanks, at most 4096. NULL: none */
    const struct remote_file *files; /* ENSURE only */
    size_t file_count;
    unsigned deadline_s; /* kept on the host; the controller allows a margin more; 0: 60 */
    unsigned grace_s;    /* between TERM and KILL; 0: 10 */
    uint64_t clip_bytes; /* most that is kept of each stream on the host; 0: REMOTE_FLOOD_BYTES or, of a READ,
                            REMOTE_READ_BYTES */
    bool as_root;
};

enum remote_end {
    REMOTE_ENDED,            /* the guard answered; see why */
    REMOTE_UNREACHABLE,      /* no address, refused, timed out, or lost and not found again in time */
    REMOTE_AUTH_REFUSED,     /* the host takes none of our keys, nor the password */
    REMOTE_HOST_KEY_UNKNOWN, /* not in known_hosts */
    REMOTE_HOST_KEY_CHANGED,
    REMOTE_SUDO_REFUSED, /* sudo -n wants a password or does not allow it */
    REMOTE_NO_ANSWER,    /* the session works but the guard's answer did not come in time, or is not one */
    REMOTE_CANCELLED,    /* the pool was destroyed */
    REMOTE_JUMP_FAILED, /* no way through the jump host, or it forbids forwarding, or Slurm gives no step: says nothing of
                           the host */
};

enum remote_why {
    REMOTE_WHY_NONE,      /* CANCEL, GONE, FORGET, LIST: they deliver no command's end */
    REMOTE_WHY_EXIT,      /* rc is the exit status */
    REMOTE_WHY_SIGNAL,    /* rc is the signal */
    REMOTE_WHY_DEADLINE,  /* ended by the host's own deadline */
    REMOTE_WHY_CANCELLED, /* ended by REMOTE_CANCEL */
    REMOTE_WHY_REBOOTED,  /* the boot id is another one: what ran is lost, with its output up to then */
    REMOTE_WHY_LOST,      /* the supervisor was killed; whatever was left is swept */
    REMOTE_WHY_SPOOL,     /* no private folder could be made on the host; what says why */
};

struct spool;

struct remote_result {
    enum remote_end end;
    enum remote_why why;
    int rc;
    const struct reason *what; /* what happened and, where there is one, the remedy; NULL when all is well */
    const char *boot_id;       /* "" when unknown */
    double up_began, up_ended; /* the host's uptime in seconds at start and end; 0 when unknown */
    bool left; /* something could not be ended (a process in D state): start nothing on this host until
                  REMOTE_GONE succeeds */
    const char *left_text; /* the pids and names */
    struct slice out, err;
    bool out_clipped, err_clipped; /* the host kept only clip_bytes */
    bool cut; /* fewer bytes arrived than the guard announced, or this machine has no place for them */
    struct spool
        *held[2];         /* what out and err lie in (see src/run/spool.h): who holds them, keeps the bytes */
    unsigned connections; /* sessions that it took; 1 = undisturbed */
};

/* The result and all in it are valid during the call only. */
typedef void remote_done_cb(void *context, const struct remote_result *result);

/* Everything in the job is copied. Exactly one callback for each call. A host runs up to four jobs at a time,
   in their order; CANCEL and GONE go first. */
void remote_start(struct remote *remote, const struct remote_job *job, remote_done_cb *done, void *context);

#endif
