/* SPDX-License-Identifier: Apache-2.0 */
/* What can be wrong with a host of the lab: one row a kind, and the reading of "HOST:KIND[:ARGUMENT]". */
#include <string.h>

#include "assay/base/options.h"
#include "assay/base/scan.h"
#include "lab_private.h"

/* How the argument is built; a part in brackets may be left out. */
enum argument {
    ARGUMENT_NONE,
    ARGUMENT_GPU,            /* 3 */
    ARGUMENT_GPU_OR_ALL,     /* [3] */
    ARGUMENT_GPU_NUMBER,     /* 3=79 */
    ARGUMENT_GPU_NUMBER_OPT, /* 3[=25] */
    ARGUMENT_GPU_TEST,       /* 3[=Diagnostic] */
    ARGUMENT_GPU_WORD,       /* 3=vbios */
    ARGUMENT_GPU_COUNTER,    /* 3=pcie-replays[=500] */
    ARGUMENT_COUNTER,        /* edac-ue[=1] */
    ARGUMENT_HCA_COUNTER,    /* mlx5_3=packet_seq_err[=500] */
    ARGUMENT_HOST_WORD,      /* iommu */
    ARGUMENT_DATA_WORD,      /* read-only */
    ARGUMENT_BMC_WORD,       /* hangs */
    ARGUMENT_LOG_WORD,       /* mce */
    ARGUMENT_MD_WORD,        /* degraded */
    ARGUMENT_PAIR,           /* 0-1 */
    ARGUMENT_PAIR_NUMBER,    /* 0-1=45 */
    ARGUMENT_HCA,            /* mlx5_3 */
    ARGUMENT_HCA_NUMBER,     /* mlx5_3[=12] */
    ARGUMENT_NUMBER_OPT,     /* [8] */
    ARGUMENT_HOST_NUMBER,    /* node7=12 */
    ARGUMENT_VERSION_OPT,    /* [550.54.15] */
    ARGUMENT_TOOL,           /* dcgmi */
    ARGUMENT_MONITOR,        /* dcgm-exporter */
};

static const struct kind {
    const char *name, *syntax;
    enum argument argument;
    double fallback, lowest, highest; /* of the number */
    const char *meaning, *outcome;
} kinds[FAULT_KINDS] = {
#define FAULT(kind, ...) [FAULT_##kind] = {__VA_ARGS__},
#include "faults.def"
#undef FAULT
};

static const char *const dcgm_tests[] = {"PCIe",           "GPU Memory",      "Diagnostic", "Targeted Stress",
                                         "Targeted Power", "Memory Bandwidth"};

/* What the list is divided by: the kind that each part begins with. */
static const struct {
    enum fault_kind first;
    const char *title;
} groups[] = {
    {FAULT_GPU_MISSING, "GPUs, NVLink, Fabric Manager"},
    {FAULT_DCGM, "what tests of GPUs find"},
    {FAULT_NIC_SLOW, "slow between hosts"},
    {FAULT_HCA_MISSING, "HCAs, ports, cables, RoCE"},
    {FAULT_NCCL_SOCKET, "NCCL"},
    {FAULT_PERSISTENCE_OFF, "settings and state of GPUs"},
    {FAULT_KERNEL_VERSION, "the host: versions, settings, parts, accounts, BMC"},
    {FAULT_XID, "what happens during a test"},
    {FAULT_XID_BEFORE, "the kernel log, and a reboot"},
    {FAULT_NO_SPACE, "disks, mounts, names, storage, the network of the host"},
    {FAULT_NPU_FAULT, "NPUs"},
    {FAULT_TOOL_MISSING, "tools, logins, connections, launch of MPI"},
};

static void put_fault(struct text *out, const struct kind *kind)
{
    enum { INDENT = 6 };
    cleanup_text struct text words = {0};

    text_init(&words, 4096);
    text_printf(&words, "%s; %s", kind->meaning, kind->outcome);
    text_printf(out, "  %s%s\n%*s", kind->name, kind->syntax, INDENT, "");
    options_wrap(out, words.bytes, INDENT);
}

void lab_faults(struct text *out)
{
    for (size_t i = 0; i < FAULT_KINDS; i++) {
        for (size_t k = 0; k < ARRAY_SIZE(groups); k++)
            if (groups[k].first == i)
                text_printf(out, "%s%s:\n", i > 0 ? "\n" : "", groups[k].title);
        put_fault(out, &kinds[i]);
    }
}

/* The text and where in it we stand; an error names the column, counted from 1. */
struct cursor {
    struct arena *arena;
    const char *text, *at;
    const struct kind *kind;
    struct error *err;
};

static int wrong(const struct cursor *cursor, const char *word, const char *why)
{
    return error_set(cursor->err, ERROR_USAGE, "fault %s, column %zu: '%s' %s%s%s%s", cursor->text,
                     (size_t)(cursor->at - cursor->text) + 1, word, why,
                     cursor->kind != NULL ? " (expected HOST:" : "",
                     cursor->kind != NULL ? cursor->kind->name : "",
                     cursor->kind != NULL ? arena_printf(cursor->arena, "%s)", cursor->kind->syntax) : "");
}

/* The word up to one of the delimiters, which stays. */
static const char *word_at(struct cursor *cursor, const char *delimiters)
{
    return arena_strndup(cursor->arena, cursor->at, strcspn(cursor->at, delimiters));
}

static int read_gpu(struct cursor *cursor, const struct lab *lab, const char *delimiters, int *ret_gpu)
{
    const char *word = word_at(cursor, delimiters);
    uint64_t gpu;

    if (!scan_u64(slice_of(word), &gpu) || gpu >= lab->profile->gpus)
        return wrong(cursor, word,
                     arena_printf(cursor->arena, "is not a GPU from 0 to %u", lab->profile->gpus - 1));
    *ret_gpu = (int)gpu;
    cursor->at += strlen(word);
    return 0;
}

static int read_pair(struct cursor *cursor, const struct lab *lab, struct fault *fault)
{
    if (read_gpu(cursor, lab, "-=", &fault->gpu) < 0)
        return -1;
    if (*cursor->at != '-')
        return wrong(cursor, cursor->at, "stands where '-' and the second GPU should");
    cursor->at++;
    if (read_gpu(cursor, lab, "=", &fault->peer) < 0)
        return -1;
    if (fault->gpu == fault->peer)
        return wrong(cursor, "", "follows a pair of one and the same GPU");
    return 0;
}

static int read_number(struct cursor *cursor, struct fault *fault)
{
    if (!scan_double(slice_of(cursor->at), &fault->number) || fault->number < cursor->kind->lowest ||
        fault->number > cursor->kind->highest)
        return wrong(cursor, cursor->at,
                     arena_printf(cursor->arena, "is not a number from %g to %g", cursor->kind->lowest,
                                  cursor->kind->highest));
    cursor->at += strlen(cursor->at);
    return 0;
}

/* "=NUMBER", which may be missing only where the kind has a fallback. */
static int read_equals(struct cursor *cursor, struct fault *fault)
{
    if (*cursor->at == '\0' && cursor->kind->fallback > 0)
        return 0;
    if (*cursor->at != '=')
        return wrong(cursor, cursor->at, "stands where '=' and a number should");
    cursor->at++;
    return read_number(cursor, fault);
}

/* Refuses the word, and names those that are right. */
static int wrong_word(struct cursor *cursor, const char *const *words, size_t count)
{
    const char *why = "is none of";

    for (size_t i = 0; i < count; i++)
        why = arena_printf(cursor->arena, "%s%s %s", why, i > 0 ? "," : "", words[i]);
    return wrong(cursor, cursor->at, why);
}

static int read_test(struct cursor *cursor, struct fault *fault)
{
    fault->word = "Diagnostic";
    if (*cursor->at == '\0')
        return 0;
    if (*cursor->at != '=')
        return wrong(cursor, cursor->at, "stands where '=' and a test should");
    cursor->at++;
    for (size_t i = 0; i < ARRAY_SIZE(dcgm_tests); i++)
        if (strcasecmp(cursor->at, dcgm_tests[i]) == 0) {
            fault->word = dcgm_tests[i];
            cursor->at += strlen(cursor->at);
            return 0;
        }
    return wrong_word(cursor, dcgm_tests, ARRAY_SIZE(dcgm_tests));
}

static int read_word_of(struct cursor *cursor, const char *const *words, size_t count, struct fault *fault)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(cursor->at, words[i]) == 0) {
            fault->word = words[i];
            cursor->at += strlen(cursor->at);
            return 0;
        }
    return wrong_word(cursor, words, count);
}

/* Of what there is one of each GPU, and which may be another. */
static const char *const gpu_words[] = {"vbios",       "inforom",         "gsp",
                                        "memory",      "pcie-generation", "pcie-width",
                                        "ecc-pending", "mig-pending",     "board-part"};

static int read_gpu_word(struct cursor *cursor, struct fault *fault)
{
    if (*cursor->at != '=')
        return wrong(cursor, cursor->at, "stands where '=' and a word should");
    cursor->at++;
    return read_word_of(cursor, gpu_words, ARRAY_SIZE(gpu_words), fault);
}

/* Of what hosts of one platform have alike. */
static const char *const host_words[] = {"iommu", "acs", "peermem", "numa-balancing",
                                         "psid",  "bmc", "nvswitch"};

/* What may be wrong with a BMC that is asked over Redfish; the last two, by ipmitool. */
static const char *const bmc_words[] = {"hangs",          "refuses",  "forgets",     "unwell",
                                        "event",          "fan-gone", "cpld-odd",    "ipmi-on-lan",
                                        "default",        "open",     "legacy-boot", "reachable",
                                        "ipmi-reachable", "hot",      "clock-ahead", "log-full"};

static const char *const log_words[] = {"mce",    "dpc",     "sxid-fatal",   "sxid",
                                        "medium", "edac-ce", "mce-corrected"};

static const char *const md_words[] = {"degraded", "failed", "inactive", "none", "resync"};

/* What a shared mount may suffer from on one host. */
static const char *const data_words[] = {"read-only", "full", "stale", "hangs",  "apart",
                                         "corrupts",  "lags", "locks", "options"};

/* "WHAT[=COUNT]" */
static int read_counted(struct cursor *cursor, const struct lab *lab, struct fault *fault)
{
    const char *word = word_at(cursor, "=");
    const struct lab_count *count = lab_count_find(lab->profile, fault->kind, word, strlen(word));

    if (count == NULL)
        return wrong(cursor, word,
                     arena_printf(cursor->arena, "is no counter of hosts of %s", lab->profile->name));
    fault->word = count->word;
    fault->number = count->number;
    cursor->at += strlen(word);
    if (*cursor->at == '\0')
        return 0;
    cursor->at++;
    return read_number(cursor, fault);
}

static int read_counter(struct cursor *cursor, const struct lab *lab, struct fault *fault)
{
    if (*cursor->at != '=')
        return wrong(cursor, cursor->at, "stands where '=' and a counter should");
    cursor->at++;
    return read_counted(cursor, lab, fault);
}

static int read_hca(struct cursor *cursor, const struct lab *lab, struct fault *fault)
{
    const char *word = word_at(cursor, "=");
    uint64_t number;

    if (strncmp(word, "mlx5_", 5) != 0 || !scan_u64(slice_of(word + 5), &number) ||
        number >= lab->profile->hcas)
        return wrong(
            cursor, word,
            arena_printf(cursor->arena, "is not an HCA from mlx5_0 to mlx5_%u", lab->profile->hcas - 1));
    fault->hca = (int)number;
    cursor->at += strlen(word);
    if (cursor->kind->argument == ARGUMENT_HCA_COUNTER)
        return read_counter(cursor, lab, fault);
    return cursor->kind->argument == ARGUMENT_HCA ? 0 : read_equals(cursor, fault);
}

static int read_other_host(struct cursor *cursor, const struct lab *lab, struct fault *fault)
{
    const char *word = word_at(cursor, "=");

    fault->other = lab_host_number(lab, word);
    if (fault->other == 0 || fault->other == fault->host)
        return wrong(cursor, word, "is not another host of this lab");
    cursor->at += strlen(word);
    return read_equals(cursor, fault);
}

static int read_tool(struct cursor *cursor, struct fault *fault)
{
    size_t count;
    const char *const *names = tool_names(&count);

    for (size_t i = 0; i < count; i++)
        if (strcmp(cursor->at, names[i]) == 0) {
            fault->word = names[i];
            cursor->at += strlen(cursor->at);
            return 0;
        }
    return wrong(cursor, cursor->at, "is not a tool of the lab");
}

static int read_monitor(struct cursor *cursor, struct fault *fault)
{
    static const char *const programs[] = {"dcgm-exporter", "nv-hostengine", "nvidia-smi"};

    return read_word_of(cursor, programs, ARRAY_SIZE(programs), fault);
}

static int read_version(struct cursor *cursor, struct fault *fault)
{
    size_t length = strspn(cursor->at, "0123456789.");

    if (length == 0 || cursor->at[length] != '\0')
        return wrong(cursor, cursor->at, "is not a version such as 550.54.15");
    fault->word = arena_strdup(cursor->arena, cursor->at);
    cursor->at += length;
    return 0;
}

static int read_argument(struct cursor *cursor, const struct lab *lab, struct fault *fault)
{
    switch (cursor->kind->argument) {
    case ARGUMENT_HOST_NUMBER:
        return read_other_host(cursor, lab, fault);
    case ARGUMENT_GPU:
    case ARGUMENT_GPU_OR_ALL:
        return read_gpu(cursor, lab, "", &fault->gpu);
    case ARGUMENT_GPU_NUMBER:
    case ARGUMENT_GPU_NUMBER_OPT:
        return read_gpu(cursor, lab, "=", &fault->gpu) < 0 ? -1 : read_equals(cursor, fault);
    case ARGUMENT_COUNTER:
        return read_counted(cursor, lab, fault);
    case ARGUMENT_GPU_COUNTER:
        return read_gpu(cursor, lab, "=", &fault->gpu) < 0 ? -1 : read_counter(cursor, lab, fault);
    case ARGUMENT_GPU_TEST:
        return read_gpu(cursor, lab, "=", &fault->gpu) < 0 ? -1 : read_test(cursor, fault);
    case ARGUMENT_GPU_WORD:
        return read_gpu(cursor, lab, "=", &fault->gpu) < 0 ? -1 : read_gpu_word(cursor, fault);
    case ARGUMENT_HOST_WORD:
        return read_word_of(cursor, host_words, ARRAY_SIZE(host_words), fault);
    case ARGUMENT_DATA_WORD:
        return read_word_of(cursor, data_words, ARRAY_SIZE(data_words), fault);
    case ARGUMENT_BMC_WORD:
        return read_word_of(cursor, bmc_words, ARRAY_SIZE(bmc_words), fault);
    case ARGUMENT_LOG_WORD:
        return read_word_of(cursor, log_words, ARRAY_SIZE(log_words), fault);
    case ARGUMENT_MD_WORD:
        return read_word_of(cursor, md_words, ARRAY_SIZE(md_words), fault);
    case ARGUMENT_PAIR:
        return read_pair(cursor, lab, fault);
    case ARGUMENT_PAIR_NUMBER:
        return read_pair(cursor, lab, fault) < 0 ? -1 : read_equals(cursor, fault);
    case ARGUMENT_HCA:
    case ARGUMENT_HCA_NUMBER:
    case ARGUMENT_HCA_COUNTER:
        return read_hca(cursor, lab, fault);
    case ARGUMENT_NUMBER_OPT:
        return read_number(cursor, fault);
    case ARGUMENT_VERSION_OPT:
        return read_version(cursor, fault);
    case ARGUMENT_TOOL:
        return read_tool(cursor, fault);
    case ARGUMENT_MONITOR:
        return read_monitor(cursor, fault);
    case ARGUMENT_NONE:
    default:
        return wrong(cursor, cursor->at, "is too much: this kind takes no argument");
    }
}

static bool argument_may_be_missing(enum argument argument)
{
    return argument == ARGUMENT_NONE || argument == ARGUMENT_GPU_OR_ALL || argument == ARGUMENT_NUMBER_OPT ||
           argument == ARGUMENT_VERSION_OPT;
}

static int unknown_kind(struct cursor *cursor, const char *word)
{
    const char *names[FAULT_KINDS];

    for (size_t i = 0; i < FAULT_KINDS; i++)
        names[i] = kinds[i].name;
    return wrong(cursor, word,
                 arena_printf(cursor->arena, "is not a kind of fault; `assay lab faults` lists them%s",
                              did_you_mean(word, names, FAULT_KINDS).text));
}

static int read_kind(struct cursor *cursor, struct fault *fault)
{
    const char *word = word_at(cursor, ":");

    for (size_t i = 0; i < FAULT_KINDS; i++)
        if (strcmp(word, kinds[i].name) == 0) {
            fault->kind = (enum fault_kind)i;
            fault->number = kinds[i].fallback;
            cursor->kind = &kinds[i];
            cursor->at += strlen(word);
            return 0;
        }
    return unknown_kind(cursor, word);
}

static int read_host(struct cursor *cursor, const struct lab *lab, struct fault *fault)
{
    const char *word = word_at(cursor, ":");

    fault->host = lab_host_number(lab, word);
    if (fault->host == 0)
        return wrong(
            cursor, word,
            arena_printf(cursor->arena, "is not a host of this lab, which has node1 to node%u", lab->hosts));
    cursor->at += strlen(word);
    if (*cursor->at != ':')
        return wrong(cursor, cursor->text,
                     "has no ':' and a kind behind the host, as node1:down; `assay lab faults` lists them");
    cursor->at++;
    return 0;
}

int fault_parse(struct arena *arena, const struct lab *lab, const char *text, struct fault *ret_fault,
                struct error *err)
{
    struct cursor cursor = {.arena = arena, .text = text, .at = text, .err = err};
    struct fault fault = {.gpu = -1, .peer = -1, .hca = -1, .text = arena_strdup(arena, text)};

    if (read_host(&cursor, lab, &fault) < 0 || read_kind(&cursor, &fault) < 0)
        return -1;
    if (fault.kind == FAULT_FABRIC_STATE && !lab->profile->fabric_state)
        return wrong(&cursor, lab->profile->name, "has no fabric state: its GPUs report N/A");
    if (fault.kind >= FAULT_FABRIC_UUID_ZERO && fault.kind <= FAULT_IMEX_DOWN &&
        lab->profile->domain_hosts == 0)
        return wrong(&cursor, lab->profile->name, "has no NVLinks between hosts, as gb200-nvl72 has");
    if (fault.kind == FAULT_NVLINK_CRC && lab_nvlink5(lab->profile))
        return wrong(&cursor, lab->profile->name, "has NVLinks that count no CRC errors: see nvlink-counts");
    if (fault.kind == FAULT_NVLS_OFF && !lab->profile->fabric_state)
        return wrong(&cursor, lab->profile->name, "has no NVSwitch multicast that could be off");
    if (fault.kind >= FAULT_ROCE_MTU && fault.kind <= FAULT_ECN_OFF && !lab->ethernet)
        return wrong(&cursor, "", "needs a lab on Ethernet: --fabric roce");
    if (*cursor.at == '\0') {
        if (!argument_may_be_missing(cursor.kind->argument))
            return wrong(&cursor, "", "ends the fault, which needs an argument");
    } else {
        cursor.at++;
        if (read_argument(&cursor, lab, &fault) < 0)
            return -1;
        if (*cursor.at != '\0')
            return wrong(&cursor, cursor.at, "is too much");
    }
    *ret_fault = fault;
    return 0;
}

const struct fault *fault_find(const struct lab *lab, unsigned host, enum fault_kind kind)
{
    for (size_t i = 0; i < lab->fault_count; i++)
        if (lab->faults[i].host == host && lab->faults[i].kind == kind)
            return &lab->faults[i];
    return NULL;
}

const struct fault *fault_of_gpu(const struct lab *lab, unsigned host, enum fault_kind kind, int gpu)
{
    array_each (fault, lab->faults, lab->fault_count)
        if (fault->host == host && fault->kind == kind && (fault->gpu < 0 || fault->gpu == gpu))
            return fault;
    return NULL;
}

const struct fault *fault_of_hca(const struct lab *lab, unsigned host, enum fault_kind kind, int hca)
{
    array_each (fault, lab->faults, lab->fault_count)
        if (fault->host == host && fault->kind == kind && fault->hca == hca)
            return fault;
    return NULL;
}

const struct fault *fault_of_tool(const struct lab *lab, unsigned host, enum fault_kind kind,
                                  const char *tool)
{
    array_each (fault, lab->faults, lab->fault_count)
        if (fault->host == host && fault->kind == kind && strcmp(fault->word, tool) == 0)
            return fault;
    return NULL;
}
