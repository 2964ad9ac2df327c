/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks: one row in checks.def and one file each, in which everything known of it stands: what to run (its shell is in
 * src/check/sh), which parsers read it, what it requires and by which rules of its own its items are judged
 * (src/check/frame/rules.h), what fixes them, what it concerns, how long it takes. It is data and pure functions; it runs
 * nothing.
 *
 * A check's command file is a list of parts, each a shell command whose two streams are marked off with a
 * secret of the attempt, so that one guarded command can carry the test and samples taken under load, and each is
 * read by the parser that knows it.
 *
 * A check with a window loads the hosts. Right before and right after it, on every member, the same light
 * command is read: error counters, the kernel's log, who uses the GPUs, how warm they are. What has changed
 * in between is judged with the test: src/check/frame/window.c.
 */
#ifndef ASSAY_CHECK_H
#define ASSAY_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "assay/base/text.h"
#include "assay/model/advisory.h"
#include "assay/model/attempt.h"
#include "assay/model/plan.h"
#include "assay/model/platform.h"
#include "assay/model/suite.h"
#include "assay/model/toolset.h"
#include "assay/parse/parser.h"

enum scope {
    SCOPE_HOST = 1,
    SCOPE_PAIR = 2,
    SCOPE_GROUP = 4,
    SCOPE_CLUSTER = 8,
    SCOPE_RAIL = 16, /* a group by rail: one GPU and one HCA of each host */
    SCOPE_LINE = 32, /* a host by line: each line that the hostfile declares of it */
    SCOPE_HOSTS = SCOPE_PAIR | SCOPE_GROUP | SCOPE_CLUSTER
};

/* What an argument may be, and what it is when the suite does not say. */
enum argument_type {
    ARGUMENT_COUNT /* whole number > 0 */,
    ARGUMENT_SIZE /* "8G" */,
    ARGUMENT_TEXT,
    ARGUMENT_LIST /* of texts */,
    ARGUMENT_MAP /* {"name": "text"} */,
    ARGUMENT_FLAG /* true or false */
};
/* What another value means for how much is asked of a host: who signs must see where a suite asks for less. */
enum argument_weight {
    ANY_IS_OTHER, /* nobody can say that it is not less */
    MORE_IS_MORE,
    LESS_IS_MORE,
    GIVEN_IS_MORE,  /* without it there is less to look at, whatever it says */
    WORDS_ARE_MORE, /* words with blanks between them */
};
struct argument {
    const char *name;
    enum argument_type type;
    const char *fallback; /* NULL: empty */
    const char *help;
    enum argument_weight weight;
    /* What is not tested where a step has no such argument, though its check could: a pattern of metrics, and in words. NULL: all is. */
    const char *metrics;
    const struct reason *untested;
};

/* Over what an item of the table is repeated, as far as the platform says that there is such a thing. */
enum per {
    PER_TARGET,     /* "" */
    PER_GPU,        /* "gpu0" */
    PER_GPU_PAIR,   /* "gpu0->gpu1", ordered, i != j */
    PER_REMAPPER,   /* "gpu0", where GPUs remap rows of their memory */
    PER_RETIRER,    /* "gpu0", where they retire pages in place of it */
    PER_GPU_LINK,   /* "gpu0.link3" */
    PER_HCA,        /* "mlx5_0", of check_hca: what belongs to the adapter (its firmware) */
    PER_HCA_PORT,   /* "mlx5_0/1": what belongs to its port (state, rate, counters) */
    PER_MEMBER,     /* "node3": the step's members by name; such a check has a shape for each set of them */
    PER_MEMBER_HCA, /* "node3 mlx5_0", of check_hca: the same */
};

/* One row of what a check requires. */
struct item {
    const char *metric;
    enum per per;
    const char *at; /* NULL: any */
    enum duty duty;
    const struct limit *rules; /* ends with a NULL metric; NULL: only the baseline's limits */
};

/*
 * What to do when an item is not met; printed, never run. The first row of the metric that has a text is the remedy, and
 * the first that has a problem is how a preflight (`assay preflight`) names it and which command fixes it.
 */
struct remedy {
    const char *metric; /* '*' stands for any characters */
    const struct reason *text;
    const char *problem;          /* what a person calls it: "clock" */
    const struct sentence *about; /* the row is for causes that have this; NULL: for all */
    bool on_hosts; /* it is fixed on the hosts; else on the controller, with each host in its place */
    /* NULL: none, the text says it in words. {name}, {address}, {port}, {user}, {identity}, {jump} and {known_hosts} are
       the host's, {subject} the item's. */
    const char *command;
};

/*
 * Tools that `assay stage` has brought to the hosts. Their bin/ is the first folder of PATH in every command, their lib/
 * of LD_LIBRARY_PATH. A part that runs one of them by its plain name first compares it, on the host that the command is
 * started on, with its SHA-256; where it is another, or the version is not there, the part ends as if the tool were
 * missing: nothing else of that name is run in its place.
 */
struct staged {
    const struct toolset *toolset;
    const char *root; /* NULL: where `assay stage` puts them by itself */
};

/* A host that assay has asked its scheduler for. */
struct check_claim {
    const char *host;             /* by its name */
    const char *job;              /* of Slurm, which is ours; "" */
    const struct reason *refused; /* why the host is not ours: nothing that loads it begins there; NULL */
};
struct check_claims {
    LIST_OF(struct check_claim) items;
};

/* How a host calls itself, as the check reachable measured it in this run: a hostfile may have other names. */
struct check_own_name {
    const char *host; /* by its name in the hostfile */
    const char *own;
};
struct check_own_names {
    LIST_OF(struct check_own_name) items;
};

/* Who tests, so that what is theirs is told from what is somebody else's. */
struct check_run {
    const char *uuid;                  /* the run's */
    const char *who;                   /* "ops@login1", told to others that find its lock */
    const char *jobs;                  /* jobs of Slurm that the controller runs in, "12,13"; NULL: none */
    const struct check_claims *claims; /* NULL: no host was asked for */
};

/* What everything about one step of a suite is computed from. */
struct check_context {
    struct arena *arena;
    const struct suite *suite;
    const struct suite_step *step;
    const struct platform *platform;
    const struct check *check;
    const struct host *const *members;
    size_t member_count;
    const char *variant;                      /* the shape's */
    bool as_root;                             /* the command file runs as root */
    double timescale;                         /* see struct host */
    unsigned deadline_s;                      /* of the attempt on the host */
    const struct check_run *run;              /* NULL: nobody, so all jobs are somebody else's */
    const struct staged *staged;              /* NULL: the hosts' own tools */
    const struct advisory_tables *advisories; /* of a check that goes by them; NULL: none */
    const struct check_own_names
        *own_names; /* of all hosts, for a check that finds them by these, once it is read; NULL: not known */
    struct tool_list *tools; /* check_tool adds what it is asked for; NULL: nobody wants to know */
};

/* Tools by the names that the checks have for them, each once; in the context's arena. */
struct tool_list {
    LIST_OF(const char *) names;
};

struct part_row {
    const char *name;
    const char *parser; /* NULL: nobody reads it but the check */
    /* Writes one shell command, as a person would type it. */
    void (*command)(const struct check_context *context, struct text *out);
    /* The part runs beside the one before it, once, after this many seconds (already divided by the
       timescale); NULL: it runs after the one before it has ended. */
    double (*sample_after_s)(const struct check_context *context);
    bool aside; /* it has items of its own: without it the test is what it is. Samples always are */
    /* Instead of `command`, where the command takes nothing of the step: its text; and of a script what a person would
       type to the same end. */
    const char *script, *typed;
};

/* Slots while a shape is being made; all in the context's arena. */
struct slot_list {
    LIST_OF(struct slot) slots;
};

/* What a check is about: where the platform has no such thing, it is not planned. */
enum check_on { ON_HOST, ON_GPUS, ON_NPUS, ON_HCAS };

/* Of what a check on one host tells, or-ed: a change of that makes what it found void. */
enum concern { OF_ALL = 0 /* a new one is never left out */, OF_HOST = 1, OF_GPU = 2, OF_NETWORK = 4 };

/* What a test keeps busy on a host; see loads.h. */
enum load_kind {
    LOAD_GPUS = 1,
    LOAD_NVLINKS = 2,
    LOAD_PORTS = 4 /* of the fabric: all, or those that the step names */
};

/* A line of the asset list: a part is there where its first fact is, and the words after it describe it, as far as they
   are known. */
enum { ASSET_WORDS = 6 };
struct check_asset {
    const char *part; /* "memory" */
    struct asset_word {
        const char *fact;
        const char *behind; /* what stands behind it: " cores"; NULL: nothing */
        bool bytes;         /* "3840755982336 B", said as people say it */
    } words[ASSET_WORDS];   /* ends with a NULL fact, or when it is full */
    const char *serial;     /* the fact; NULL: it has none */
};

/* What the windows of all checks tell of each GPU over the time of a test; see src/check/frame/samples.c. */
struct check_course {
    const char *fact; /* "window.course.power" = "every 4 s: 45 61 - 62" */
    const char *title, *unit;
    bool lowest; /* the lowest point is the one that matters */
};
const struct check_course *check_courses(size_t *ret_count);

/*
 * How a report says that an item is not met, to somebody who has never seen assay: the first row of the metric. A metric without
 * one is told by its name. Of several outcomes of one fault the earliest row speaks.
 */
enum plain_value {
    PLAIN_NOTHING, /* behind the last one */
    PLAIN_PART,    /* the item's subject: "GPU 3" */
    PLAIN_MEASURED,
    PLAIN_REQUIRED,
    PLAIN_METRIC,
    PLAIN_TEST, /* the suite's name of the step */
};
enum { PLAIN_VALUES = 4 };
struct plain_words {
    const char *metric; /* '*' stands for any characters */
    const struct sentence *words;
    enum plain_value values[PLAIN_VALUES + 1]; /* of the sentence, in its order */
    bool last; /* speaks only where the fault has no other item: they say why */
};
/* PLAIN(gpu_is_hot, PLAIN_PART, PLAIN_MEASURED): as many values as the sentence of reasons/check.def takes. */
#define PLAIN(code, ...)                                                \
    &sentence_##code + REASON_CHECKED(code, REASON_COUNT(__VA_ARGS__)), \
    {                                                                   \
        __VA_ARGS__                                                     \
    }

/* A fact that reports list: of each host beside those of the others, of what the host is built of, or of each GPU. The columns
   come in the order of the checks. */
enum listed { LISTED_HOSTS, LISTED_BOARDS, LISTED_GPUS };
struct listed_fact {
    enum listed list;
    const char *fact;
    const struct reason *title;
    bool per_gpu; /* in a list of hosts: a fact of each GPU, which is folded to "8 x NAME" */
    bool names;   /* in the list of GPUs: one without any of these is not listed */
};

/* What is drawn of each GPU of a host side by side: a row a host. */
struct gpu_numbers {
    const char *items;                       /* '*' as above: whose outcome counts for the GPU */
    const char *value, *temperature, *power; /* metrics; the lowest value, and the highest of the others */
};

/* A metric of every two GPUs of a host that reports draw as a map, one metric a row. */
struct pair_metric {
    const char *metric, *unit;
    const char *beside; /* what another check calls the same, and reports divide it by; NULL: none does */
};

/* The tables of a check, with the row of zeros that ends each. */
#define ARGUMENTS(...) ((const struct argument[]){__VA_ARGS__, {0}})
#define PARTS(...) ((const struct part_row[]){__VA_ARGS__, {0}})
#define ITEMS(...) ((const struct item[]){__VA_ARGS__, {0}})
#define REMEDIES(...) ((const struct remedy[]){__VA_ARGS__, {0}})
#define PLAIN_WORDS(...) ((const struct plain_words[]){__VA_ARGS__, {0}})
#define RESULTS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define LISTED(...) ((const struct listed_fact[]){__VA_ARGS__, {0}})
#define PAIR_METRICS(...) ((const struct pair_metric[]){__VA_ARGS__, {0}})

/* Of a fault that a reading tells; each NULL where nothing is known. In the arena. */
struct check_fault {
    const char
        *item; /* metric of the gate of its subject that it fails: "gpu.count"; else the subject's first */
    const struct limit *missed;  /* what the value of its subject, of the metric in it, does not meet */
    const struct reason *remedy; /* what to do, where that is more than the check's own remedy says */
};

struct check {
    const char *name;
    const char *title;   /* for tables: "GPU burn-in" */
    const char *summary; /* one line for --help and README */
    const struct reason
        *warning;    /* what it does to a site, said by plans and before a run; NULL: no more than others */
    unsigned scopes; /* enum scope, or-ed; 0: SCOPE_HOST */
    enum check_on on;
    unsigned concerns; /* enum concern, or-ed */
    bool passive;      /* changes nothing and disturbs nobody: the guard's light path */
    bool window;       /* it loads the GPUs or the fabric: see above */
    /* enum load_kind, or-ed. With a window: what the test keeps busy on each member, and over several members besides; 0: nothing that a
       look is about. Of one that only looks at hosts: what must have been busy for a second look to tell more; 0: all. */
    unsigned loads, loads_across;
    bool (*slight)(const struct check_context *context); /* briefly, or with little; NULL: never */
    bool window_drives; /* its window asks the NVMe drives too: it heats the whole host, for long */
    bool witness;       /* its tool leaves on each host what that saw: see src/check/frame/witness.c */
    bool own_names;     /* it finds the members by how they call themselves: the context's */
    bool advisories;    /* it goes by tables of advisories: the context's */
    bool (*root_asked)(
        const struct check_context *context); /* as_root where the step's arguments say so; NULL */
    bool as_root; /* needs root where there is a way to it (become=sudo, or a root login) */
    enum exclusivity exclusive;
    bool (*applies)(const struct platform *platform); /* NULL: to all that have what it is on */
    const struct argument *arguments;                 /* ARGUMENTS(...); NULL: none */
    /* What is wrong with valid arguments taken together; NULL: nothing. Of the context it has arena, step and check. */
    const char *(*arguments_fault)(const struct check_context *context);
    /* The same where a fault has a place of its own in the suite: -1 with err set by json_error; NULL: none.
     * Of the context it has arena, step and check. */
    int (*arguments_valid)(const struct check_context *context, struct error *err);
    /* What is wrong with the one member, as the hostfile has it: -1 with err set; NULL: none. Of the context it
     * has arena, suite, step, platform, check and members. */
    int (*host_valid)(const struct check_context *context, const char *hostfile, struct error *err);
    const struct part_row *parts;        /* PARTS(...) */
    const struct item *items;            /* ITEMS(...); NULL: none */
    const struct remedy *remedies;       /* REMEDIES(...); NULL: none */
    const struct plain_words *plain;     /* PLAIN_WORDS(...); NULL: reports tell its items by their names */
    const struct listed_fact *listed;    /* LISTED(...); NULL: reports list nothing of it */
    const struct pair_metric *pairs;     /* PAIR_METRICS(...); NULL: none is drawn as a map */
    const char *curves;                  /* metrics that are drawn by message size, with '*'; NULL: none */
    const struct gpu_numbers *gpu_table; /* NULL: none */
    /* RESULTS(...), with '*': results that were wrong, which nobody's slowness or errors explain; NULL: none. */
    const char *const *results;
    /* The bandwidth, by message size, that is as low as the slowest member or path makes it: where a test across
     * hosts fails by it, tests of parts of them tell who that is. '*' stands for any characters, where an argument
     * says which it is. NULL: there is no such thing. */
    const char *bandwidth;
    /* The arguments, a JSON object, with which only this size is measured. Goes with bandwidth. */
    const char *(*at_size)(struct arena *arena, double size_bytes);
    /* Further slots that depend on arguments (message sizes, DCGM tests); NULL: none. */
    void (*more_slots)(const struct check_context *context, struct slot_list *slots);
    unsigned expected_s;                                       /* of an attempt, at timescale 1 */
    unsigned (*expected)(const struct check_context *context); /* where that depends on the step; NULL */
    /* Of simulated hosts: seconds that an attempt's turns take there, which no timescale makes shorter than a loaded lab needs;
     * its deadline leaves room for them. NULL: there are none. */
    double (*turns_s)(const struct check_context *context);
    /* Makes the check's reading from its parts, which are already parsed; read_parts is the usual one. */
    void (*read)(const struct check_context *context, const struct attempt *attempt, struct reading *out);
    /* What more is known of a fault, by what is stored of it; NULL: nothing. */
    struct check_fault (*fault)(struct arena *arena, const struct finding *finding);
    const struct check_asset *assets; /* ends with a NULL part; NULL: the asset list takes nothing from it */
    /* Bytes of a generated file ($ASSAY_DIR/hosts); NULL: none. */
    void (*hosts_file)(const struct check_context *context, struct text *out);
};

/*
 * From so many hosts on this bus bandwidth ("nccl.all_reduce.busbw", "probe.all_reduce.busbw", by rail too) is what the
 * fabric carries; on fewer it is judged only where one that is stands beside it in the suite. 0: it never tells what
 * the fabric carries, or is no bus bandwidth of a collective.
 */
unsigned check_wire_hosts(const char *metric);

/*
 * What the platform's parts can reach at most of such a rate over so many hosts: no healthy item exceeds it, and so no
 * floor may. By datasheet: NVLink and adapters as the platform declares them, PCIe 15.75 GB/s for 16 lanes of
 * generation 3 and twice that of each further one; of collectives with what switches may add (ceiling.h); of gpu_burn and
 * gpu-compute the peak of the GPU (part.h), of several models the highest. metric may be the pattern of a limit. NULL: it
 * is not declared or not known, or it is of something else (memory, storage). In the arena.
 */
struct capacity {
    double most;
    const char *unit; /* "GB/s" */
    const char *text; /* "450 GB/s: rate of a GPU's NVLinks" */
};
const struct capacity *check_capacity(struct arena *arena, const struct platform *platform,
                                      const char *metric, unsigned hosts);
/* Of a copy between two GPUs, a transfer between two adapters or arithmetic, as a RULE_PLAUSIBLE limit, which slot_add adds
 * to the check's own: what is beyond it was not measured in that unit, or not of that part. NULL as above. */
const struct limit *check_capacity_limit(const struct check_context *context, const char *metric);

struct slot *slot_add(const struct check_context *context, struct slot_list *slots, const char *metric,
                      const char *subject, const char *at, enum duty duty, const struct limit *rules);

const struct check *check_find(const char *name);
const struct check *const *check_list(size_t *ret_count);
/* Whether the platform has what the check is about. NPUs may also be the step's own word: the argument NPUS_ARGUMENT. */
#define NPUS_ARGUMENT "npus"
bool check_applies(const struct check *check, const struct suite_step *step, const struct platform *platform);
/* GPUs, or NPUs where there are none: how many ranks of a launch a host takes. */
unsigned check_accelerators(const struct platform *platform);
unsigned check_expected_s(const struct check_context *context);
/* The check's remedy for this metric, by what its cause says; NULL when nobody knows. */
const struct reason *check_remedy(const struct check *check, const char *metric, const struct reason *cause);
/* Of a metric that a whole output has no value for: only a row that is about just that. NULL: there is none. */
const struct reason *check_remedy_without_value(const struct check *check, const char *metric,
                                                const struct reason *cause);
/* The plain words for this metric, of the check or else of whoever knows it, as a metric means the same in all checks; NULL when
   there are none. *ret_rank: the lower, the sooner its item speaks for the others. */
const struct plain_words *check_plain(const struct check *check, const char *metric, size_t *ret_rank);
enum { PLAIN_RANK_LAST = 100000 }; /* of all that have no words, or let others speak */
/* The facts of this list, in the order of the checks; the i-th, or NULL when there are no more. */
const struct listed_fact *check_listed(enum listed list, size_t i);
/* Whether reports list the fact, in any list. */
bool check_lists(const char *fact);
/* Whether the metric is drawn by message size; and the table of GPUs that its item stands in, or NULL. */
bool check_draws_curve(const char *metric);
const struct gpu_numbers *check_gpu_table(const char *metric);
/* Whether the metric tells of results that were wrong (struct check's results). */
bool check_is_result(const struct check *check, const char *metric);
/* The row that names the problem in a preflight; NULL when there is none. */
const struct remedy *check_problem(const struct check *check, const char *metric, const struct reason *cause);

/* Arguments as the suite gives them, checked; defaults otherwise. check_arguments_valid is called first,
 * once. */
int check_arguments_valid(const struct check *check, const struct suite_step *step, struct error *err)
    __attribute__((warn_unused_result));
const char *check_text(const struct check_context *context, const char *argument);
double check_number(const struct check_context *context, const char *argument); /* COUNT and SIZE */
bool check_flag(const struct check_context *context, const char *argument);     /* FLAG; false by default */

/*
 * The rail that the step goes over, by its place in the platform's HCAs, which is that of the GPU that goes with it;
 * -1: it goes over all of them.
 */
int check_rail(const struct check_context *context);

/*
 * What loads the GPUs of all members while the step's test runs, by its argument BESIDE_ARGUMENT: "gpu-burn"; NULL: nothing.
 * Such a step has items of each member by name. src/check/frame/beside.c.
 */
#define BESIDE_ARGUMENT "beside"
#define BESIDE_GPU_BURN "gpu-burn"
const char *check_beside(const struct suite_step *step);

/* The variant of the suite's step that this one is; NULL: the step has none. Its variables outrank all others. */
const struct suite_variant *check_variant(const struct check_context *context);

/*
 * The compute HCAs of the step in rail order: those of its argument HCAS_ARGUMENT where the check has one and
 * the suite gives it, else the platform's. NULL when there are no more.
 */
#define HCAS_ARGUMENT "hcas"
#define HCAS_ARGUMENT_ROW                                                                             \
    {                                                                                                 \
        HCAS_ARGUMENT, ARGUMENT_LIST, NULL, "the compute HCAs in rail order; default: the platform's" \
    }
const char *check_hca(const struct check_context *context, size_t i);
/* "node3 mlx5_0": those of all members, one member after the other. NULL when there are no more. */
const char *check_member_hca(const struct check_context *context, size_t i);
/* What a member's adapters may be called by, the best name first: how the host calls itself, then its name in the hostfile. Neither
   is one that another host goes by. Returns how many: 0 to 2. */
enum { CHECK_NAMES_MOST = 2 };
size_t check_names_of_member(const struct check_context *context, size_t member,
                             const char *ret_names[CHECK_NAMES_MOST]);
/* Whose "node3/rank5" or "node3.domain/gpu2" is: by its name in the hostfile, or as the host calls itself, with a domain or
   without; the whole name goes first. near: looked at before all, as what a tool says of one host mostly comes together.
   member_count: nobody's. */
size_t check_member_of(const struct check_context *context, const char *subject, size_t near);
/* For arguments_fault: what is wrong with the argument; NULL: nothing. */
const char *check_hcas_fault(const struct check_context *context);

/* All that a step of this context requires: the item table over the platform's GPUs, more_slots, and "sound". */
void check_slots(const struct check_context *context, struct slot_list *slots);

/*
 * The item that every step owes beside its own: the command ended as it should, its output was whole, and
 * what the tool complained of belongs to an item (such an item fails by it) or to nobody (then this one
 * does).
 */
#define SOUND_METRIC "sound"

/*
 * The POSIX-sh command file for an attempt of a step. A part that reads the host's own files writes
 * `"$ASSAY_LAB_ROOT"/sys/...`: nothing on a real host, and the simulated host's own tree in the lab (lab.h).
 * The file begins by unsetting the variable wherever ASSAY_LAB_HOST is not set too, so that one which a user
 * happens to have means nothing.
 */
void check_command_file(const struct check_context *context, struct text *out);
/* What one of its parts runs, as a person would type it. */
void check_part_command(const struct check_context *context, const struct part_row *row, struct text *out);
/*
 * The words that mark the parts of an attempt or of a window, which are the first line of its command file's stdin. In the
 * context's arena.
 */
const char *check_words(const struct check_context *context, const struct attempt *attempt);
const char *check_window_words(const struct check_context *context, const struct attempt *attempt,
                               enum window_role role, size_t member);
/* The fact of an attempt whose output was marked by somebody else too: what shows it. Nothing of it is believed. */
#define OUTPUT_FORGED "output.forged"
/* The fact of an attempt whose output is whole, and does not fit what else is known of the test: why. What fails by it
 * fails, and nothing passes. */
#define OUTPUT_DOUBTED "output.doubted"
void reading_doubt(struct reading *reading, const struct reason *why);
/* The tools that the command file runs, its window included, are added to the list. */
void check_tools_named(const struct check_context *context, struct tool_list *tools);
/* Splits the captures into parts, parses each, and makes the check's reading; everything in attempt's context
 * arena. */
void check_read(const struct check_context *context, struct attempt *attempt);
/*
 * Of an attempt that was read and is stored: copies what the judge and sightings go by while the run goes on into
 * `arena`, and lets go of the rest and of its bytes; nothing of it points into the context's arena any more, which may
 * be `scratch`. That is: how it ended, findings, values of metrics that the step requires, and which hardware was seen.
 */
void check_keep(struct arena *arena, struct arena *scratch, const struct step *step, struct attempt *attempt);

/*
 * The window of a check that is not passive; of one without `window` it is only whose the host is. Before the test it
 * takes the run's lock on the member, and after it gives it back: the symbolic link /var/tmp/assay-locks-UID/RUN.ATTEMPT.BOOT,
 * which leads to no file but says "RUN ATTEMPT FRESH UNTIL SINCE WHO", FRESH and UNTIL in s since boot. UID is that of
 * the user on the host, who alone can write in that folder; those of all users are read. Where /var/tmp does not take it, it
 * lies in /tmp or /dev/shm. $ASSAY_LOCKS of the host names other places: "PATH-WITHOUT-UID ...".
 * check_window_file writes what one member is asked before or after the attempt; the attempt's windows `before` must be
 * there when `after` is asked.
 * check_not_ready: ATTEMPT_RAN where the test may begin, with *ret_why NULL; else the end of an attempt that is not begun,
 * and why (in the arena): a job has one of the hosts (ATTEMPT_IN_USE), or whose it is was not answered
 * (ATTEMPT_UNANSWERED, or how the host could not be reached), a foreign process, GPUs that did not cool down
 * (ATTEMPT_NOT_READY). What else could not be read is left to the judge.
 */
void check_window_file(const struct check_context *context, enum window_role role,
                       const struct attempt *attempt, size_t member, struct text *out);
unsigned check_window_deadline_s(const struct check_context *context, enum window_role role);
enum attempt_end check_not_ready(const struct check_context *context, const struct attempt *attempt,
                                 const struct reason **ret_why) __attribute__((warn_unused_result));
/* Facts of an attempt of a check without `window`: the job that had a host before or after it, and why that is not
   known. */
#define WINDOW_OWNED "window.owned"
#define WINDOW_UNANSWERED "window.unanswered"

/* Building blocks shared by checks: src/check/frame/parts.c. */
/* The suite's row for a tool that the check is about to name: each check asks here, so what a suite needs is known. */
const struct suite_tool *check_tool(const struct check_context *context, const char *tool);
void command_tool(const struct check_context *context, struct text *out,
                  const char *tool); /* [cd FOLDER &&] VAR=.. PATH */
/* Of our own probes: their deadline is a little before the attempt's, so that they can tell what they have found. */
void command_probe_deadline(struct text *out);
void command_nvidia_smi_query(const struct check_context *context, struct text *out); /* nvidia-smi -q -x */
/* For as long as the argument "seconds" says, with flags between blanks (sh/gpu_burn.sh). */
void command_gpu_burn(const struct check_context *context, struct text *out, const char *flags);
/* The check's own part by name; NULL when its first mark was not seen. */
const struct part *attempt_part(const struct attempt *attempt, const char *name);
/* Adds facts, measurements and findings of from to out; of several runs in one output those of each. */
void reading_merge(struct reading *out, const struct reading *from);
/* The usual check->read: the check's own parts, one after the other. Status: the worst of those that have a
   parser and are not aside. */
void read_parts(const struct check_context *context, const struct attempt *attempt, struct reading *out);

#endif
