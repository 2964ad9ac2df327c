/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of the host itself: what they make of outputs that a healthy host does not print. */
#include <stdio.h>
#include <string.h>

#include "../unit_test.h"
#include "assay/check/check.h"
#include "assay/model/hostfile.h"

#define UUID "11111111-1111-4111-8111-111111111111"

/* What a part printed, and how it ended. */
struct printed {
    const char *part, *out, *err;
    int rc;
};

struct own_host {
    struct arena *arena;
    struct suite suite;
    struct suite_step step;
    struct platform platform;
    struct check_context context;
    struct attempt attempt;
};

static void host_begin(struct own_host *host, const char *check)
{
    *host = (struct own_host){.arena = arena_create()};
    host->step = (struct suite_step){.check = check, .name = check, .scope = "host"};
    host->context = (struct check_context){.arena = host->arena,
                                           .suite = &host->suite,
                                           .step = &host->step,
                                           .platform = &host->platform,
                                           .check = check_find(check),
                                           .timescale = 1};
    assert_non_null(host->context.check);
    host->attempt = (struct attempt){
        .uuid = UUID, .state = ATTEMPT_ENDED, .end = ATTEMPT_RAN, .began = 1000, .ended = 1010};
}

static void host_reads(struct own_host *host, const struct printed *printed)
{
    const char *out = "", *err = "";

    for (; printed->part != NULL; printed++) {
        const char *mark = arena_printf(host->arena, "@assay-part " UUID " begin %s\n", printed->part);
        const char *end =
            arena_printf(host->arena, "\n@assay-part " UUID " end %s %d\n", printed->part, printed->rc);

        out = arena_printf(host->arena, "%s%s%s%s", out, mark, printed->out, end);
        err = arena_printf(host->arena, "%s%s%s%s", err, mark, printed->err, end);
    }
    host->attempt.captures[0] = (struct capture){.stream = "stdout", .bytes = slice_of(out)};
    host->attempt.captures[1] = (struct capture){.stream = "stderr", .bytes = slice_of(err)};
    check_read(&host->context, &host->attempt);
}

static const char *fact(const struct own_host *host, const char *name)
{
    const char *value = reading_get_fact(&host->attempt.reading, name, "");

    return value != NULL ? value : "(none)";
}

static double measured(const struct own_host *host, const char *metric)
{
    const struct reading *reading = &host->attempt.reading;

    for (size_t i = 0; i < reading->measurements.count; i++)
        if (strcmp(reading->measurements.items[i].metric, metric) == 0)
            return reading->measurements.items[i].value;
    return -1;
}

static const char *finding(const struct own_host *host, const char *code)
{
    const struct reading *reading = &host->attempt.reading;

    for (size_t i = 0; i < reading->findings.count; i++)
        if (strcmp(reading->findings.items[i].code, code) == 0)
            return reason_english(reading->arena, reading->findings.items[i].what);
    return "(none)";
}

static double skew_when_told(const char *clock)
{
    struct own_host host;
    double skew;

    host_begin(&host, "os");
    host_reads(
        &host,
        (const struct printed[]){
            {"values", arena_printf(host.arena, "os.clock\t\t%s\nkey-value end\n", clock), "", 0}, {0}});
    skew = measured(&host, "os.clock_skew");
    arena_destroy(host.arena);
    return skew;
}

static void a_clock_is_off_by_what_lies_outside_the_attempt(void **state)
{
    (void)state;
    assert_true(skew_when_told("1000.000000000") == 0);
    assert_true(skew_when_told("1009.999999999") == 0);
    assert_true(skew_when_told("1012.500000000") == 2.5);
    assert_true(skew_when_told("990.250000000") == 9.75);
    assert_true(skew_when_told("1005.%N") == -1); /* a date that knows no nanoseconds tells nothing */
}

static void a_clock_is_known_as_well_as_the_attempt_was_short(void **state)
{
    struct own_host host;

    (void)state;
    host_begin(&host, "os");
    host_reads(&host, (const struct printed[]){
                          {"values", "os.clock\t\t1012.500000000\nkey-value end\n", "", 0}, {0}});
    assert_string_equal(fact(&host, "os.clock_offset"), "2.500 to 12.500 s");
    arena_destroy(host.arena);
}

static void a_host_that_tells_no_time_has_no_skew(void **state)
{
    struct own_host host;

    (void)state;
    host_begin(&host, "os");
    host_reads(&host, (const struct printed[]){
                          {"values", "os.clock\t\t\tsh: 1: date: not found\nkey-value end\n", "", 0}, {0}});
    assert_true(measured(&host, "os.clock_skew") < 0);
    assert_string_equal(finding(&host, "os.clock_offset.unread"), "sh: 1: date: not found");
    arena_destroy(host.arena);
}

#define LSPCI                                                                                                \
    "0000:18:00.0 Infiniband controller [0207]: Mellanox Technologies MT2910 Family [ConnectX-7] "           \
    "[15b3:1021]\n0000:1b:00.0 3D controller [0302]: NVIDIA Corporation GH100 [H100 SXM5 80GB] [10de:2330] " \
    "(rev a1)\n0000:3a:00.0 Ethernet controller [0200]: Intel Corporation E810-C [8086:1592] (rev 02)\n"
#define NO_SMI                                                                                          \
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the " \
    "latest NVIDIA driver is installed and running.\n"

static void without_root_the_board_is_unread_and_the_rest_is_not(void **state)
{
    struct own_host host;

    (void)state;
    host_begin(&host, "bom");
    host_reads(&host, (const struct printed[]){
                          {"dmidecode", "# dmidecode 3.3\n/dev/mem: Permission denied\n", "", 1},
                          {"lspci", LSPCI, "", 0},
                          {"nvidia-smi", NO_SMI, "", 9},
                          {"values",
                           "cpu.logical\t\t224\ndisk.read\t\tyes\ndisk.model\tnvme0n1\tFAST\n"
                           "disk.size\tnvme0n1\t100 B\ndisk.model\tnvme1n1\tFAST\ndisk.size\tnvme1n1\t100 B\n"
                           "disk.model\tsda\tSLOW\ndisk.size\tsda\t9 B\nkey-value end\n",
                           "", 0},
                          {0}});
    assert_string_equal(fact(&host, "dimm.kinds"), "(none)");
    assert_string_equal(finding(&host, "dimm.kinds.unread"), "dmidecode: /dev/mem: Permission denied");
    assert_string_equal(fact(&host, "cpu.logical"), "224");
    assert_string_equal(fact(&host, "nvme.kinds"), "2 x FAST 100 B");
    assert_non_null(strstr(fact(&host, "nic.kinds"), "ConnectX-7"));
    assert_non_null(strstr(fact(&host, "nic.kinds"), "E810-C"));
    /* nvidia-smi failed, and so the list of parts is not whole. */
    assert_int_equal(host.attempt.reading.status, READING_FAILED);
    arena_destroy(host.arena);
}

static void disks_that_nobody_listed_are_not_none(void **state)
{
    struct own_host host;

    (void)state;
    host_begin(&host, "bom");
    host_reads(&host, (const struct printed[]){
                          {"dmidecode", "", "", 0},
                          {"lspci", LSPCI, "", 0},
                          {"nvidia-smi", "", "", 0},
                          {"values", "nvme.kinds\t\t\tsh: 1: lsblk: not found\nkey-value end\n", "", 0},
                          {0}});
    assert_string_equal(fact(&host, "nvme.kinds"), "(none)");
    assert_string_equal(finding(&host, "nvme.kinds.unread"), "sh: 1: lsblk: not found");
    arena_destroy(host.arena);
}

static const char *health_of(const char *drives, int rc, const char **ret_finding)
{
    struct own_host host;
    static char kept[2][200];

    host_begin(&host, "bom");
    host_reads(&host, (const struct printed[]){{"dmidecode", "", "", 0},
                                               {"lspci", LSPCI, "", 0},
                                               {"nvidia-smi", "", "", 0},
                                               {"values", "cpu.logical\t\t8\nkey-value end\n", "", 0},
                                               {"drives", drives, "", rc},
                                               {0}});
    snprintf(kept[0], sizeof kept[0], "%s", fact(&host, "nvme.health"));
    snprintf(kept[1], sizeof kept[1], "%s", finding(&host, "nvme.warning"));
    *ret_finding = kept[1];
    arena_destroy(host.arena);
    return kept[0];
}

static void a_drive_that_warns_is_told_and_one_that_was_not_asked_is_not_well(void **state)
{
    const char *said;

    (void)state;
    assert_string_equal(health_of("nvme.warning\tnvme0\t0\nnvme.drives\t\t1\nkey-value end\n", 0, &said),
                        "well");
    assert_string_equal(said, "(none)");
    assert_string_equal(
        health_of("nvme.warning\tnvme0\t0\nnvme.warning\tnvme3\t4\nkey-value end\n", 0, &said),
        "nvme3: critical warning 4");
    assert_string_equal(said, "the drive reports a critical warning (4)");
    assert_string_equal(health_of("nvme.warning\tnvme0\t\tnvme: not found\nkey-value end\n", 0, &said),
                        "not read: nvme0: nvme: not found");
    assert_string_equal(said, "(none)");
    assert_non_null(strstr(health_of("", 0, &said), "not read: "));
    assert_string_equal(health_of("nvme.drives\t\t0\nkey-value end\n", 0, &said), "well"); /* it has none */
}

#define OF_MODULE(bus, uuid)                                                                               \
    "<gpu id=\"0000" bus "\"><product_name>NVIDIA</product_name><serial>1650924000001</serial><uuid>" uuid \
    "</uuid></gpu>\n"

/* What two GPUs of a host that tell one serial number say of their board: "1650924000001, module". */
static const char *boards_of(const char *model, unsigned links)
{
    static char kept[200];
    struct own_host host;

    host_begin(&host, "gpu-inventory");
    host.platform = (struct platform){.gpu_count = 2, .nvlink_links = links, .nvlink_domain_hosts = 1};
    *list_push(host.arena, &host.platform.gpu_models) = model;
    host_reads(
        &host,
        (const struct printed[]){
            {"lspci",
             "0008:01:00.0 3D controller [0302]: NVIDIA Corporation Device [10de:2941] (rev a1)\n"
             "0009:01:00.0 3D controller [0302]: NVIDIA Corporation Device [10de:2941] (rev a1)\n",
             "", 0},
            {"nvidia-smi",
             "<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n<driver_version>570.124.06</driver_version>\n"
             "<attached_gpus>2</attached_gpus>\n" OF_MODULE("0008:01:00.0", "GPU-a")
                 OF_MODULE("0009:01:00.0", "GPU-b") "</nvidia_smi_log>\n",
             "", 0},
            {0}});
    snprintf(kept, sizeof kept, "%s, %s", reading_get_fact(&host.attempt.reading, "gpu.board", "gpu0"),
             reading_get_fact(&host.attempt.reading, "gpu.board", "gpu1"));
    arena_destroy(host.arena);
    return kept;
}

static void gpus_of_one_module_of_grace_and_blackwell_share_their_number(void **state)
{
    (void)state;
    assert_string_equal(boards_of("NVIDIA GB200", 18), "1650924000001, module");
    assert_string_equal(boards_of("NVIDIA A10", 0), "1650924000001, module");
    /* Of these each GPU is a module: one number twice is a fault. */
    assert_string_equal(boards_of("NVIDIA A100-SXM4-80GB", 12), "1650924000001, 1650924000001");
    assert_string_equal(boards_of("NVIDIA B200", 18), "1650924000001, 1650924000001");
}

/* What a GPU of that name and memory is said to have; NULL: nothing. */
static const char *memory_of(const char *name, const char *memory)
{
    static char kept[200];
    static char printed[1000];
    const char *said;
    struct own_host host;

    snprintf(printed, sizeof printed,
             "<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n<attached_gpus>1</attached_gpus>\n"
             "<gpu id=\"00000008:01:00.0\"><product_name>%s</product_name><uuid>GPU-a</uuid>"
             "<fb_memory_usage><total>%s</total></fb_memory_usage></gpu>\n</nvidia_smi_log>\n",
             name, memory);
    host_begin(&host, "gpu-inventory");
    host.platform = (struct platform){.gpu_count = 1};
    host_reads(
        &host,
        (const struct printed[]){
            {"lspci", "0008:01:00.0 3D controller [0302]: NVIDIA Corporation Device [10de:20b2] (rev a1)\n",
             "", 0},
            {"nvidia-smi", printed, "", 0},
            {0}});
    said = reading_get_fact(&host.attempt.reading, "gpu.memory_of_model", "gpu0");
    snprintf(kept, sizeof kept, "%s", said != NULL ? said : "");
    arena_destroy(host.arena);
    return said != NULL ? kept : NULL;
}

static void of_models_of_several_sizes_a_gpu_has_what_its_name_says(void **state)
{
    (void)state;
    assert_string_equal(memory_of("NVIDIA A100-SXM4-80GB", "81251 MiB"), "yes");
    assert_string_equal(memory_of("NVIDIA A100-SXM4-80GB", "79872 MiB"), "79872 MiB, and 80 GB by its name");
    assert_string_equal(memory_of("NVIDIA A100-SXM4-40GB", "40536 MiB"), "yes");
    assert_string_equal(memory_of("Tesla V100-SXM2-16GB", "16130 MiB"), "yes");
    assert_string_equal(memory_of("NVIDIA H100 80GB HBM3", "79511 MiB"), "79511 MiB, and 80 GB by its name");
    /* Its name says nothing of it. */
    assert_string_equal(memory_of("NVIDIA GB200", "189471 MiB"), "yes");
    assert_null(memory_of("NVIDIA A100-SXM4-80GB", "N/A"));
}

/* As nvidia-smi -q -x of driver 570 tells it, of which only this is looked at. */
#define IN_FABRIC(uuid, clique, cluster)                                                \
    "<gpu id=\"00000008:01:00.0\"><product_name>NVIDIA GB200</product_name><uuid>" uuid \
    "</uuid><fabric><state>Completed</state><status>Success</status><cliqueId>" clique  \
    "</cliqueId><clusterUuid>" cluster                                                  \
    "</clusterUuid><health><bandwidth>Full</bandwidth></health></fabric></gpu>\n"
#define RACK "5ee1ab0d-7b1c-4cb0-a74c-6a4a1f2b3c4d"
#define NOWHERE "00000000-0000-0000-0000-000000000000"

static const char *domain_by(const char *gpus, const char *imex, const char *ret_fact)
{
    static char kept[200];
    struct own_host host;

    host_begin(&host, "nvlink-domain");
    host.platform = (struct platform){.gpu_count = 2, .nvlink_domain_hosts = 18};
    host_reads(&host,
               (const struct printed[]){
                   {"nvidia-smi",
                    arena_printf(host.arena,
                                 "<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n<driver_version>570.124.06"
                                 "</driver_version>\n<attached_gpus>2</attached_gpus>\n%s</nvidia_smi_log>\n",
                                 gpus),
                    "", 0},
                   {"imex", imex, "", 0},
                   {0}});
    snprintf(kept, sizeof kept, "%s",
             reading_is_unread(&host.attempt.reading, ret_fact) ? "unread" : fact(&host, ret_fact));
    arena_destroy(host.arena);
    return kept;
}

static const char *domain_of(const char *gpus, const char *ret_fact)
{
    return domain_by(gpus, "inactive\n", ret_fact);
}

static const char *imex_of(const char *nodes, const char *rows, const char *state, const char *ret_fact)
{
    static char printed[1000];

    snprintf(printed, sizeof printed,
             "active\n10.0.0.2 fd00::2 \nConnectivity Table Legend:\nC - Connected - Ready for operation\n\n"
             "5/12/2025 06:08:10.580\nNodes:\n%s\n Nodes From\\To  0   1   2\n%s\nDomain State: %s\n",
             nodes, rows, state);
    return domain_by(IN_FABRIC("GPU-a", "7", RACK), printed, ret_fact);
}

#define NODE(number, state) \
    "Node #" number "   - 10.0.0." number "        - " state "                - Version: 570.172\n"
#define THREE NODE("1", "READY") NODE("2", "READY") NODE("3", "READY")

static void a_host_answers_for_its_own_node_of_the_imex_domain_and_not_for_the_others(void **state)
{
    static const struct {
        const char *nodes, *rows, *domain, *node, *advised;
    } cases[] = {
        {THREE, "0 C C C\n1 C C C\n2 C C C\n", "UP", "READY", "UP"},
        /* Another one is gone, or has another map: it is not this host's to mend. */
        {NODE("1", "UNAVAILABLE") NODE("2", "READY") NODE("3", "READY"), "0 I I I\n1 N C C\n2 N C C\n",
         "DEGRADED", "READY", "DEGRADED: 2 of 3 nodes are ready"},
        {THREE, "0 C !M! !M!\n1 !M! C C\n2 !M! C C\n", "DEGRADED", "READY",
         "DEGRADED: 3 of 3 nodes are ready"},
        {THREE, "0 C !V! C\n1 !V! C !V!\n2 C !V! C\n", "DEGRADED",
         "READY, but connected with 0 of the 2 other nodes that are ready",
         "DEGRADED: 3 of 3 nodes are ready"},
        {NODE("1", "READY") NODE("2", "WAITING_FOR_PEERS") NODE("3", "READY"), "0 C N C\n1 N N N\n2 C N C\n",
         "DEGRADED", "WAITING_FOR_PEERS", "DEGRADED: 2 of 3 nodes are ready"},
        {THREE, "0 C C C\n1 C C C\n2 C C C\n", "DOWN", "READY, but its domain is DOWN",
         "DOWN: 3 of 3 nodes are ready"},
        /* The domain has all that it lists, and this host is none of them. */
        {NODE("7", "READY"), "0 C\n", "UP",
         "not of the domain: none of the 1 addresses of nodes is one of the host's (10.0.0.2 fd00::2)", "UP"},
        {NODE("1", "READY") NODE("3", "READY"), "0 C C\n1 C C\n", "UP",
         "not of the domain: none of the 2 addresses of nodes is one of the host's (10.0.0.2 fd00::2)", "UP"},
        {"Node #0   - fd00:0:0::2      - READY    - Version: 570.172\n", "0 C\n", "UP", "READY", "UP"},
        /* By a name, or an address that `hostname -I` leaves out: it may be this host. */
        {"Node #0   - tray2            - READY    - Version: 570.172\n", "0 C\n", "UP", "not told",
         "not told"},
        {"Node #0   - fe80::2          - READY    - Version: 570.172\n", "0 C\n", "UP", "not told",
         "not told"},
        /* Its command service is off: nobody says how it is. */
        {NODE("1", "READY") NODE("2", "UNAVAILABLE") NODE("3", "READY"), "0 C C C\n1 I I I\n2 C C C\n",
         "DEGRADED", "not told", "not told"},
        {"", "", "", "not told", "not told"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        assert_string_equal(imex_of(cases[i].nodes, cases[i].rows, cases[i].domain, "imex.node"),
                            cases[i].node);
        assert_string_equal(imex_of(cases[i].nodes, cases[i].rows, cases[i].domain, "advised.imex"),
                            cases[i].advised);
    }
    assert_string_equal(domain_of(IN_FABRIC("GPU-a", "7", RACK), "imex.node"), "not told");
}

static void the_nodes_of_an_imex_domain_are_told_as_one_list_of_all(void **state)
{
    (void)state;
    assert_string_equal(imex_of(NODE("2", "READY"), "0 C\n", "UP", "imex.nodes"), "10.0.0.2");
    assert_string_equal(imex_of(THREE, "0 C C C\n1 C C C\n2 C C C\n", "UP", "imex.nodes"),
                        "10.0.0.1, 10.0.0.2, 10.0.0.3");
    assert_string_equal(imex_of(THREE NODE("4", "UNAVAILABLE"), "0 C C C N\n", "DEGRADED", "imex.nodes"),
                        "10.0.0.1 ... 10.0.0.4: 4 nodes (0c3f0cd0)");
    assert_string_equal(imex_of(THREE NODE("5", "READY") NODE("4", "READY"), "0 C\n", "UP", "imex.nodes"),
                        "10.0.0.1 ... 10.0.0.4: 5 nodes (d25231a0)");
    /* Nobody answers, or no longer: each tray may be in a domain of its own. */
    assert_string_equal(imex_of("", "", "", "imex.nodes"), "unread");
    assert_string_equal(imex_of(THREE, "0 C C C\n", "", "imex.nodes"), "unread");
    assert_string_equal(domain_by(IN_FABRIC("GPU-a", "7", RACK), "active\n10.0.0.2\n", "imex.nodes"),
                        "unread");
    assert_string_equal(domain_of(IN_FABRIC("GPU-a", "7", RACK), "imex.nodes"), "none");
}

static void a_gpu_that_the_rack_does_not_have_or_has_elsewhere_is_named(void **state)
{
    (void)state;
    assert_string_equal(
        domain_of(IN_FABRIC("GPU-a", "7", RACK) IN_FABRIC("GPU-b", "7", RACK), "nvlink.domain.one"), "yes");
    assert_string_equal(
        domain_of(IN_FABRIC("GPU-a", "7", RACK) IN_FABRIC("GPU-b", "7", RACK), "nvlink.domain"),
        RACK ", clique 7");
    assert_string_equal(
        domain_of(IN_FABRIC("GPU-a", "7", RACK) IN_FABRIC("GPU-b", "7", RACK), "imex.service"), "inactive");
    assert_string_equal(
        domain_of(IN_FABRIC("GPU-a", "7", RACK) IN_FABRIC("GPU-b", "7", NOWHERE), "nvlink.domain.one"),
        "no: gpu1 is in none");
    assert_string_equal(
        domain_of(IN_FABRIC("GPU-a", "7", RACK) IN_FABRIC("GPU-b", "7", "N/A"), "nvlink.domain.one"),
        "no: gpu1 is in none");
    assert_string_equal(
        domain_of(IN_FABRIC("GPU-a", "7", NOWHERE) IN_FABRIC("GPU-b", "7", NOWHERE), "nvlink.domain.one"),
        "no: gpu0 is in none");
    assert_string_equal(
        domain_of(IN_FABRIC("GPU-a", "7", RACK) IN_FABRIC("GPU-b", "8", RACK), "nvlink.domain.one"),
        "no: gpu1 is in " RACK ", clique 8, gpu0 in " RACK ", clique 7");
    /* Nor is one that is not shown at all. */
    assert_string_equal(domain_of(IN_FABRIC("GPU-a", "7", RACK), "nvlink.domain.one"), "no: gpu1 is in none");
}

#define LINK(speed, fec, minutes, errors, rate, symbol)                                                 \
    "== mlx5_0/1 ==\nOperational Info\n----------------\nState : Active\nSpeed : " speed "\nFEC : " fec \
    "\nTemperature [C] : 54 [-5..75]\nTime Since Last Clear [Min] : " minutes "\nSymbol BER : " symbol  \
    "\nSymbol Errors : 3\nEffective Physical Errors : " errors "\nEffective Physical BER : " rate "\n"

static void a_rate_of_errors_is_judged_by_its_correction_and_when_it_was_counted_long_enough(void **state)
{
    static const char *const hcas[] = {"mlx5_0"};
    static const struct {
        const char *out, *quality, *finding;
    } cases[] = {
        {LINK("IB-NDR", "Standard_RS-FEC - (544,514)", "9000", "0", "15E-255", "15E-255"), "good", ""},
        {LINK("IB-NDR", "Standard_RS-FEC - (544,514)", "9000", "90", "2E-14", "15E-255"),
         "high: effective bit error rate 2e-14, expected <= 1e-14", "phy.ber"},
        {LINK("IB-NDR", "Standard_RS-FEC - (544,514)", "9000", "90", "7E-15", "15E-255"), "good",
         "phy.ber.rising"},
        {LINK("IB-NDR", "Low_Latency_RS-FEC_PLR - (271,257)", "9000", "90", "2E-14", "15E-255"), "good", ""},
        {LINK("IB-NDR", "Standard_LL_RS-FEC - (271,257)", "9000", "90", "2E-11", "15E-255"),
         "high: effective bit error rate 2e-11, expected <= 1e-11", "phy.ber"},
        {LINK("IB-NDR", "Low_Latency_RS-FEC_PLR - (271,257)", "9000", "0", "15E-255", "3E-14"),
         "high: symbol bit error rate 3e-14, expected <= 1e-14", "phy.ber"},
        {LINK("400G", "Standard RS-FEC - RS(544,514)", "9000", "9", "2E-14", "3E-14"), "good", ""},
        {LINK("400G", "Standard RS-FEC - RS(544,514)", "9000", "9", "2E-12", "15E-255"),
         "high: effective bit error rate 2e-12, expected <= 1e-12", "phy.ber"},
        /* 30 errors are what 400 Gb/s may have in 125 minutes. */
        {LINK("IB-NDR", "Standard_RS-FEC - (544,514)", "12", "29", "1E-13", "15E-255"),
         "not known: counted for 12 of 125 minutes", ""},
        {LINK("IB-NDR", "Standard_RS-FEC - (544,514)", "12", "31", "1E-13", "15E-255"),
         "high: effective bit error rate 1e-13, expected <= 1e-14", "phy.ber"},
        {"== mlx5_0/1 ==\nOperational Info\nState : Polling\nEffective Physical BER : N/A\n",
         "not known: no rate is reported", ""},
        {"== mlx5_0/1 not read: -E- Device is not supported\n", NULL, ""},
        {"", NULL, ""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct own_host host;
        const char *quality, *read;

        host_begin(&host, "ib-phy");
        *list_push(host.arena, &host.platform.hcas) = hcas[0];
        host.platform.hca_gbits = 400;
        host_reads(&host, (const struct printed[]){{"mlxlink", cases[i].out, "", 0}, {0}});
        quality = reading_get_fact(&host.attempt.reading, "phy.ber", "mlx5_0/1");
        read = reading_get_fact(&host.attempt.reading, "phy.read", "mlx5_0/1");
        assert_int_equal(host.attempt.reading.status, READING_COMPLETE);
        assert_non_null(read);
        if (cases[i].quality == NULL) {
            assert_null(quality);
            assert_true(strncmp(read, "not read: ", 10) == 0);
        } else {
            assert_non_null(quality);
            assert_string_equal(quality, cases[i].quality);
            assert_string_equal(read, "yes");
        }
        assert_int_equal(host.attempt.reading.findings.count, *cases[i].finding != '\0');
        if (*cases[i].finding != '\0')
            assert_string_equal(host.attempt.reading.findings.items[0].code, cases[i].finding);
        arena_destroy(host.arena);
    }
}

static void a_transceiver_beyond_its_own_bounds_is_named(void **state)
{
    struct own_host host;

    (void)state;
    host_begin(&host, "ib-phy");
    *list_push(host.arena, &host.platform.hcas) = "mlx5_0";
    host_reads(&host,
               (const struct printed[]){{"mlxlink",
                                         LINK("IB-NDR", "Standard_RS-FEC - (544,514)", "9000", "0", "15E-255",
                                              "15E-255") "Rx Power Current [dBm] : 1.4,-40.0 [-10.41..6]\n",
                                         "", 0},
                                        {0}});
    assert_string_equal(finding(&host, "module.bounds"),
                        "the transceiver receives -40 dBm, outside its own limits -10.41 to 6");
    assert_int_equal(host.attempt.reading.findings.count, 1);
    arena_destroy(host.arena);
}

static const char bmc_text[] =
    "03/14/2026 09:30:00\nEntries          : 3\n"
    "   1 | 03/12/2026 | 09:00:00 | Processor CPU0_Status | IERR | Asserted\n"
    "   2 | 03/14/2026 | 09:00:00 | Power Supply PSU3 Status | Power Supply AC lost | Asserted\n"
    "   3 | 03/14/2026 | 09:10:00 | Power Supply PSU3 Status | Power Supply AC lost | Deasserted\n"
    "FAN1             | 41h | ok  | 29.1 | 8400 RPM\n";

static void events_are_as_old_as_the_bmc_says(void **state)
{
    struct own_host host;

    (void)state;
    host_begin(&host, "bmc");
    host_reads(&host, (const struct printed[]){{"ipmitool", bmc_text, "", 0}, {0}});
    assert_int_equal(host.attempt.reading.status, READING_COMPLETE);
    assert_non_null(strstr(fact(&host, "bmc.sel_faults"), "PSU3"));
    assert_null(strstr(fact(&host, "bmc.sel_faults"), "IERR"));
    assert_string_equal(fact(&host, "bmc.sensor_faults"), "none");
    arena_destroy(host.arena);
}

/* The clock was set three days ahead after the power supply failed half an hour ago. */
static void a_clock_that_is_ahead_makes_no_event_old(void **state)
{
    static const char ahead[] =
        "host clock 2026-03-14T09:30:00\n03/17/2026 09:30:00\nEntries          : 2\n"
        "   1 | 03/12/2026 | 09:00:00 | Processor CPU0_Status | IERR | Asserted\n"
        "   2 | 03/14/2026 | 09:00:00 | Power Supply PSU3 Status | Power Supply AC lost | Asserted\n";
    struct own_host host;

    (void)state;
    host_begin(&host, "bmc");
    host_reads(&host, (const struct printed[]){{"ipmitool", ahead, "", 0}, {0}});
    assert_non_null(strstr(fact(&host, "bmc.sel_faults"), "PSU3"));
    assert_null(strstr(fact(&host, "bmc.sel_faults"), "IERR"));
    assert_string_equal(fact(&host, "bmc.clock"), "72 h ahead of the host");
    arena_destroy(host.arena);
}

/* The BMC tells the time of its zone. */
static void a_clock_of_another_zone_is_not_ahead(void **state)
{
    struct own_host host;

    (void)state;
    host_begin(&host, "bmc");
    host_reads(&host,
               (const struct printed[]){
                   {"ipmitool", "host clock 2026-03-14T01:30:00\n03/14/2026 09:30:00\nEntries          : 0\n",
                    "", 0},
                   {0}});
    assert_string_equal(fact(&host, "bmc.clock"), "not ahead");
    assert_string_equal(fact(&host, "bmc.sel_faults"), "none");
    arena_destroy(host.arena);
}

static void a_log_that_has_lost_events_is_not_clean(void **state)
{
    struct own_host host;

    (void)state;
    host_begin(&host, "bmc");
    host_reads(&host, (const struct printed[]){
                          {"ipmitool",
                           "03/14/2026 09:30:00\nEntries          : 0\nFree Space       : 0 bytes \n"
                           "Overflow         : true\n",
                           "", 0},
                          {0}});
    assert_string_equal(fact(&host, "bmc.sel_faults"), "(none)");
    assert_string_equal(finding(&host, "bmc.sel_faults.unread"), "the log is full and has lost events since");
    arena_destroy(host.arena);
    host_begin(&host, "bmc");
    host_reads(&host, (const struct printed[]){
                          {"ipmitool",
                           "03/14/2026 09:30:00\nEntries          : 0\nFree Space       : 0 bytes \n"
                           "Overflow         : false\n",
                           "", 0},
                          {0}});
    assert_string_equal(fact(&host, "bmc.sel_faults"), "none");
    assert_non_null(strstr(fact(&host, "bmc.sel_room"), "full"));
    arena_destroy(host.arena);
}

static void a_log_that_is_not_whole_is_not_clean(void **state)
{
    struct own_host host;

    (void)state;
    host_begin(&host, "bmc");
    host_reads(
        &host,
        (const struct printed[]){
            {"ipmitool", "03/14/2026 09:30:00\nEntries          : 3\nGet SEL Entry command failed\n", "", 0},
            {0}});
    assert_string_equal(fact(&host, "bmc.sel_faults"), "(none)");
    assert_int_equal(host.attempt.reading.status, READING_PARTIAL);
    arena_destroy(host.arena);
}

#define ONE_GPU                                                                             \
    "<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n<attached_gpus>1</attached_gpus>\n"        \
    "<gpu id=\"00000000:19:00.0\"><product_name>T</product_name><uuid>GPU-0</uuid></gpu>\n" \
    "</nvidia_smi_log>\n"

static void xid_reads(struct own_host *host, const char *log)
{
    host_begin(host, "xid");
    host->platform.gpu_count = 1;
    host_reads(host,
               (const struct printed[]){{"since-boot", log, "", 0}, {"nvidia-smi", ONE_GPU, "", 0}, {0}});
    assert_int_equal(host->attempt.reading.status, READING_COMPLETE);
}

static void a_kernel_log_without_its_beginning_has_shown_no_clean_gpu(void **state)
{
    static const char turned_round[] = "[ 3600.000001] eth0: link up\n";
    struct own_host host;

    (void)state;
    xid_reads(&host, "[    0.000000] Linux version 6.1\n[ 3600.000001] eth0: link up\n");
    assert_string_equal(fact(&host, "xid.failing"), "none");
    assert_string_equal(reading_get_fact(&host.attempt.reading, "xid.failing", "gpu0"), "none");
    assert_string_equal(finding(&host, "xid.failing.unread"), "(none)");
    arena_destroy(host.arena);

    xid_reads(&host, turned_round);
    assert_string_equal(fact(&host, "xid.failing"), "(none)");
    assert_null(reading_get_fact(&host.attempt.reading, "xid.failing", "gpu0"));
    assert_non_null(strstr(finding(&host, "xid.failing.unread"), "goes back to the boot"));
    arena_destroy(host.arena);
}

/* Newer journals stamp a line when they have read it, which is seconds behind the kernel. */
static void a_journal_with_the_kernels_first_line_reaches_back_to_the_boot(void **state)
{
    struct own_host host;

    (void)state;
    xid_reads(&host,
              "[    4.310000] node1 kernel: Linux version 6.1\n"
              "[ 3600.000001] node1 kernel: NVRM: Xid (PCI:0000:19:00): 79, pid=1, name=x, GPU has fallen "
              "off the bus.\n");
    assert_non_null(strstr(reading_get_fact(&host.attempt.reading, "xid.failing", "gpu0"), "79"));
    assert_string_equal(fact(&host, "xid.failing"), "none");
    arena_destroy(host.arena);
}

static void an_xid_in_what_is_left_of_the_log_speaks_against_its_gpu(void **state)
{
    struct own_host host;

    (void)state;
    xid_reads(&host,
              "[ 3600.000001] NVRM: Xid (PCI:0000:19:00): 79, pid=1, name=x, GPU has fallen off the bus.\n");
    assert_non_null(strstr(reading_get_fact(&host.attempt.reading, "xid.failing", "gpu0"), "79"));
    assert_string_equal(fact(&host, "xid.failing"), "(none)");
    arena_destroy(host.arena);
}

/* What pcie-link makes of the kernel's words for one HCA; a NULL is a file that is missing. */
static const char *hca_link(const char *speed, const char *width, const char *slot_speed,
                            const char *slot_width)
{
    static char seen[128];
    const char *rows = "", *at_maximum;
    const struct {
        const char *name, *value;
    } files[] = {{"pcie.link_speed", speed},          {"pcie.link_speed_max", "32.0 GT/s PCIe"},
                 {"pcie.slot_speed_max", slot_speed}, {"pcie.link_width", width},
                 {"pcie.link_width_max", "16"},       {"pcie.slot_width_max", slot_width}};
    struct own_host host;

    host_begin(&host, "pcie-link");
    *list_push(host.arena, &host.platform.hcas) = "mlx5_0";
    for (size_t i = 0; i < ARRAY_SIZE(files); i++)
        rows = arena_printf(host.arena, "%s%s\tmlx5_0\t%s%s\n", rows, files[i].name,
                            files[i].value != NULL ? files[i].value : "\t",
                            files[i].value != NULL ? "" : "cat: No such file or directory");
    host_reads(&host, (const struct printed[]){
                          {"hcas", arena_printf(host.arena, "%skey-value end\n", rows), "", 0}, {0}});
    at_maximum = reading_get_fact(&host.attempt.reading, "pcie.at_maximum", "mlx5_0");
    snprintf(seen, sizeof seen, "%s",
             at_maximum != NULL ? at_maximum : finding(&host, "pcie.at_maximum.unread"));
    arena_destroy(host.arena);
    return seen;
}

static void the_link_of_an_hca_is_held_against_adapter_and_slot(void **state)
{
    (void)state;
    assert_string_equal(hca_link("32.0 GT/s PCIe", "16", "32.0 GT/s PCIe", "16"), "yes");
    assert_string_equal(hca_link("16.0 GT/s PCIe", "16", "16.0 GT/s PCIe", "16"), "yes"); /* an older host */
    assert_string_equal(hca_link("32 GT/s", "16", NULL, NULL), "yes"); /* nothing above it */
    assert_string_equal(hca_link("16.0 GT/s PCIe", "16", "32.0 GT/s PCIe", "16"),
                        "no (generation 4 of 5, width 16 of 16)");
    assert_string_equal(hca_link("32.0 GT/s PCIe", "8", NULL, NULL), "no (generation 5 of 5, width 8 of 16)");
}

static void the_link_of_an_hca_that_the_kernel_does_not_tell_is_unread(void **state)
{
    (void)state;
    assert_string_equal(hca_link("Unknown", "16", NULL, NULL), "the kernel does not report its PCIe link");
    assert_string_equal(hca_link("32.0 GT/s PCIe", "0", NULL, NULL),
                        "the kernel does not report its PCIe link");
    assert_string_equal(hca_link("32.0 GT/s PCIe", "255", NULL, NULL),
                        "the kernel does not report its PCIe link");
    assert_string_equal(hca_link(NULL, NULL, NULL, NULL), "cat: No such file or directory");
}

static void samples_become_a_course_of_few_points_that_keeps_the_worst(void **state)
{
    struct own_host host;
    const char *lines = "";
    struct slice rest, word;
    size_t points = 0;

    (void)state;
    host_begin(&host, "gpu-burn");
    host.platform.gpu_count = 1;
    for (unsigned i = 0; i < 100; i++)
        lines = arena_printf(host.arena, "%s2026/01/01 00:00:%02u.000, 0, %u, 60, 690.00, %u, 5, %u, 0x0\n",
                             lines, i % 60, i == 51 ? 91 : 70, i < 4 ? 345 : 1980, i < 4 ? 0 : 100);
    host_reads(
        &host,
        (const struct printed[]){
            {"samples", arena_printf(host.arena, "%s2026/01/01 00:00:40.000, 0, 99", lines), "", 0}, {0}});
    rest = slice_of(reading_get_fact(&host.attempt.reading, "window.course.temperature", "gpu0"));
    assert_true(scan_text(&rest, "every 20 s: ")); /* 1800 s: a sample in 5 s, 4 of them a point */
    while (scan_word(&rest, &word)) {
        assert_true(slice_equal(word, ++points == 13 ? "91" : "70"));
    }
    assert_int_equal(points, 25);
    /* At rest a clock is low, and that says nothing. */
    assert_true(slice_starts(slice_of(reading_get_fact(&host.attempt.reading, "window.course.clock", "gpu0")),
                             "every 20 s: - 1980 1980"));
    arena_destroy(host.arena);
}

/* The one member, with so many slots in the hostfile. */
static void be_member(struct own_host *host, unsigned slots)
{
    struct host *member = arena_new(host->arena, struct host);
    const struct host **members = arena_array(host->arena, const struct host *, 1);

    *member = (struct host){.name = "n1", .address = "n1", .mpi_address = "n1", .slots = slots};
    members[0] = member;
    host->context.members = members;
    host->context.member_count = 1;
}

static const char *slots_of(unsigned declared, const char *gpus)
{
    struct own_host host;
    static char told[100];

    host_begin(&host, "setup");
    be_member(&host, declared);
    host.platform = (struct platform){.name = "hgx-h100", .gpu_count = 8};
    host_reads(&host,
               (const struct printed[]){
                   {"values",
                    arena_printf(
                        host.arena,
                        "setup.free\t/var/tmp\t875\nsetup.open_files\t\tunlimited\n%skey-value end\n", gpus),
                    "", 0},
                   {0}});
    assert_true(measured(&host, "setup.free_space") == 875);
    assert_true(measured(&host, "setup.file_limit") == -1); /* no number is no number */
    assert_string_equal(finding(&host, "setup.file_limit.unread"), "'unlimited' is not a number");
    snprintf(told, sizeof told, "%s", fact(&host, "setup.slots"));
    arena_destroy(host.arena);
    return told;
}

static void space_that_was_not_read_says_why(void **state)
{
    struct own_host host;

    (void)state;
    host_begin(&host, "setup");
    be_member(&host, 0);
    host_reads(&host,
               (const struct printed[]){
                   {"values", "setup.free\t/var/tmp\t\tsh: 1: df: not found\nkey-value end\n", "", 0}, {0}});
    assert_true(measured(&host, "setup.free_space") == -1);
    assert_string_equal(finding(&host, "setup.free_space.unread"), "sh: 1: df: not found");
    arena_destroy(host.arena);
}

/* Which file systems are too full, and what takes most; where df could not read one of them the others are no answer. */
static void what_is_full_and_what_takes_most_is_told(void **state)
{
    struct own_host host;

    (void)state;
    host_begin(&host, "space");
    host_reads(
        &host,
        (const struct printed[]){
            {"values",
             "space.used\t/\t91\nspace.used\t/boot/old disk\t90\nspace.used\t/scratch\t100\n"
             "space.inodes_used\t/\t5\nspace.inodes_full\t\t\tdf: /x: Stale file handle\n"
             "space.folder\t/home/*\t3145728\nspace.entry\t/home/*\t2097152 alice smith\n"
             "space.entry\t/home/*\t1048576 bob\nspace.free\t/home/*\t1048576\nspace.fills\t/home/*\t91\n"
             "space.folder\t/tmp\t0\nspace.size\t/var/log\t\ttime_for_folders_over\t120\nkey-value end\n",
             "", 0},
            {0}});
    assert_string_equal(fact(&host, "space.full"), "/ 91 %; /scratch 100 %");
    assert_true(measured(&host, "space.used_most") == 100);
    assert_string_equal(fact(&host, "space.inodes_full"), "(none)");
    assert_string_equal(finding(&host, "space.inodes_full.unread"), "df: /x: Stale file handle");
    assert_true(reading_get(&host.attempt.reading, "space.size", "/home/*")->value == 3072);
    assert_true(reading_get(&host.attempt.reading, "space.left", "/home/*")->value == 1024);
    assert_true(reading_get(&host.attempt.reading, "space.filled", "/home/*")->value == 91);
    assert_true(reading_get(&host.attempt.reading, "space.largest", "/home/*")->value == 2048);
    assert_string_equal(reading_get_fact(&host.attempt.reading, "space.largest_are", "/home/*"),
                        "alice smith 2.0 GiB, bob 1.0 GiB");
    assert_true(reading_get(&host.attempt.reading, "space.size", "/tmp")->value == 0);
    assert_null(reading_get(&host.attempt.reading, "space.size", "/var/log"));
    assert_non_null(strstr(finding(&host, "space.size.unread"), "longer than 120 s"));
    arena_destroy(host.arena);
}

static void posture_reads(struct own_host *host, const char *arguments, const char *rows)
{
    host_begin(host, "posture");
    host->step.arguments = json_parse(host->arena, "suite", arguments, strlen(arguments), &(struct error){0});
    assert_non_null(host->step.arguments);
    host_reads(host, (const struct printed[]){
                         {"values", arena_printf(host->arena, "%skey-value end\n", rows), "", 0}, {0}});
}

#define ROWS                                                                                                 \
    "posture.port\t22/tcp\tsshd\nposture.port\t6666/tcp\tnc\nposture.port\t40001/udp\t?\n"                   \
    "posture.ports_read\t\tss\nposture.any_port_from\t\t32768\nposture.user\troot\tuid 0\n"                  \
    "posture.user\t$(reboot)\tuid 0\nposture.users_read\t\tyes\nposture.root\troot\tuid 0\n"                 \
    "posture.root\t$(reboot)\tuid 0\nposture.uid_0_read\t\tyes\nposture.passwordless_read\t\tyes\n"          \
    "posture.key\troot\tSHA256:abc ops@login\nposture.key\troot\tSHA256:x <b>\nposture.key\tbob\tSHA256:x\n" \
    "posture.keys_read\t\tyes\n"

/* Without lists all is recorded, and a second account of uid 0 differs from what is right. */
static void accounts_and_doors_are_recorded(void **state)
{
    struct own_host host;

    (void)state;
    posture_reads(&host, "{}", ROWS);
    assert_string_equal(fact(&host, "posture.ports"), "22/tcp (sshd), 6666/tcp (nc), 40001/udp");
    assert_string_equal(fact(&host, "posture.ports_fixed"), "22/tcp (sshd), 6666/tcp (nc)");
    assert_string_equal(fact(&host, "posture.users"), "root (uid 0), $(reboot) (uid 0)");
    assert_string_equal(fact(&host, "posture.uid_0"), "root, $(reboot)");
    assert_string_equal(fact(&host, "posture.passwordless"), "none");
    assert_string_equal(fact(&host, "posture.key_counts"), "root 2, bob 1");
    assert_string_equal(fact(&host, "posture.keys"),
                        "SHA256:abc ops@login (root), SHA256:x <b> (root), SHA256:x (bob)");
    assert_string_equal(fact(&host, "posture.ports_agreed"), "(none)");
    assert_string_equal(fact(&host, "posture.sudoers"), "(none)");
    arena_destroy(host.arena);
}

static void what_is_beyond_the_agreed_is_named(void **state)
{
    struct own_host host;

    (void)state;
    posture_reads(&host,
                  "{\"ports\": [\"22/tcp\", \"40000-40010/udp\"], \"users\": [\"root\", \"alice\"], "
                  "\"keys\": [\"SHA256:abc\", \"SHA256:x\"], \"sudoers\": []}",
                  ROWS "posture.sudoers_read\t\tyes\n");
    assert_string_equal(fact(&host, "posture.ports_agreed"), "not agreed: 6666/tcp (nc)");
    assert_string_equal(fact(&host, "posture.users_agreed"),
                        "not agreed: $(reboot) (uid 0); agreed but missing: alice");
    assert_string_equal(fact(&host, "posture.keys_agreed"), "as agreed");
    assert_string_equal(fact(&host, "posture.sudoers_agreed"), "as agreed");
    arena_destroy(host.arena);
}

/* What could not be read is never "none" or "as agreed"; what was seen beyond the list is told all the same. */
static void doors_that_were_not_read_are_not_none(void **state)
{
    struct own_host host;

    (void)state;
    posture_reads(&host, "{\"keys\": [\"SHA256:abc\"], \"sudoers\": [\"alice\"], \"users\": [\"root\"]}",
                  "posture.passwordless\t\t\tfile_not_readable\t/etc/shadow\nposture.open_account\tbob\tyes\n"
                  "posture.sudoers\t\t\tsudo_rules_elsewhere\t/etc/other\nposture.sudoer\talice\t%sudo\n"
                  "posture.sudoers_read\t\tyes\nposture.key\tbob\tSHA256:x\n"
                  "posture.keys\t\t\tkeys_not_told\t/root/k\nposture.keys_read\t\tyes\n");
    assert_string_equal(fact(&host, "posture.passwordless"), "(none)");
    assert_string_equal(finding(&host, "posture.passwordless.unread"), "/etc/shadow cannot be read");
    assert_string_equal(fact(&host, "posture.sudoers"), "(none)");
    assert_string_equal(fact(&host, "posture.sudoers_agreed"), "(none)");
    assert_string_equal(fact(&host, "posture.users_agreed"), "(none)");
    assert_string_equal(fact(&host, "posture.keys"), "(none)");
    assert_string_equal(fact(&host, "posture.keys_agreed"), "not agreed: SHA256:x (bob)");
    arena_destroy(host.arena);
}

#define IPERF3(flags, seconds)                                                                                             \
    "{\"start\":{\"connected\":[{\"socket\":5}],\"version\":\"iperf 3.12\",\"system_info\":\"Linux\",\"test_start\":"      \
    "{\"protocol\":\"TCP\",\"num_streams\":1,\"duration\":10," flags                                                       \
    "}},\n\"intervals\":[{\"sum\":{\"bits_per_second\":9e9}},"                                                             \
    "{\"sum\":{\"bits_per_second\":8e9,\"omitted\":true}}],\n\"end\":{\"sum_sent\":{\"retransmits\":3},\"sum_received\":{" \
    "\"seconds\":" seconds ",\"bits_per_second\":9.5e9}}}\n"

/* From one host to an end elsewhere. */
static void line_begin(struct own_host *host, const char *arguments)
{
    host_begin(host, "line");
    host->step.arguments = json_parse(host->arena, "suite", arguments, strlen(arguments), &(struct error){0});
    assert_non_null(host->step.arguments);
}

/* Of times the middle, of which one late packet says nothing; what iperf3 did not send for as long as asked is not whole. */
static void what_a_line_carries_and_loses_is_told(void **state)
{
    struct own_host host;

    (void)state;
    line_begin(&host, "{\"endpoint\":\"192.0.2.7\",\"streams\":1}");
    host_reads(&host,
               (const struct printed[]){{"pings",
                                         "line.pings\t\t50 49\nline.times\t\t0.10 0.20 0.10 9.00 0.20 \n"
                                         "line.mtu\t\t9000\nline.whole\t\tlost\nkey-value end\n",
                                         "", 0},
                                        {"there", IPERF3("\"reverse\":0", "10.1"), "", 0},
                                        {"back", IPERF3("\"reverse\":1", "10"), "", 0},
                                        {0}});
    assert_int_equal(host.attempt.reading.status, READING_COMPLETE);
    assert_true(measured(&host, "line.loss") == 2);
    assert_true(measured(&host, "line.latency") == 200);
    assert_true(measured(&host, "line.jitter") > 99 && measured(&host, "line.jitter") < 5000);
    assert_true(measured(&host, "line.bandwidth") == 9.5);
    assert_string_equal(fact(&host, "line.whole"), "lost");
    arena_destroy(host.arena);

    line_begin(&host, "{\"endpoint\":\"192.0.2.7\",\"streams\":1}");
    host_reads(&host, (const struct printed[]){
                          {"pings", "line.pings\t\t\tping_ended_with\t2\tno route\nkey-value end\n", "", 0},
                          {"there", IPERF3("\"reverse\":0", "3"), "", 0},
                          {"back", IPERF3("\"reverse\":1", "10"), "", 0},
                          {0}});
    assert_int_equal(host.attempt.reading.status, READING_PARTIAL);
    assert_true(measured(&host, "line.loss") == -1);
    assert_non_null(strstr(finding(&host, "line.pings.unread"), "no route"));
    arena_destroy(host.arena);
}

/* Seconds of 9 Gb/s, of which three in the middle stall. */
static const char *iperf3_seconds(struct arena *arena, unsigned reverse, const char *began,
                                  unsigned stalls_at)
{
    const char *intervals = "";

    for (unsigned i = 0; i < 24; i++)
        intervals =
            arena_printf(arena, "%s%s{\"sum\":{\"end\":%u,\"bits_per_second\":%s}}", intervals,
                         i > 0 ? "," : "", i + 1, i >= stalls_at && i < stalls_at + 3 ? "1e6" : "9e9");
    return arena_printf(
        arena,
        "{\"start\":{\"connected\":[{\"socket\":5}],\"version\":\"iperf 3.12\",\"system_info\":"
        "\"Linux\",%s\"test_start\":{\"protocol\":\"TCP\",\"num_streams\":1,\"duration\":24,"
        "\"reverse\":%u}},\n\"intervals\":[%s],\n\"end\":{\"sum_sent\":{\"retransmits\":0},"
        "\"sum_received\":{\"seconds\":24,\"bits_per_second\":9e9}}}\n",
        began, reverse, intervals);
}

static void line_in_windows(struct own_host *host, const char *began, unsigned stalls_at)
{
    line_begin(host, "{\"endpoint\":\"192.0.2.7\",\"streams\":1,\"seconds\":24,\"window\":3}");
    host_reads(host, (const struct printed[]){
                         {"pings",
                          "line.pings\t\t2 2\nline.times\t\t0.1 0.2 \nline.mtu\t\t9000\nline.whole\t\tyes\n"
                          "key-value end\n",
                          "", 0},
                         {"there", iperf3_seconds(host->arena, 0, began, stalls_at), "", 0},
                         {"back", iperf3_seconds(host->arena, 1, began, 24), "", 0},
                         {0}});
}

static void the_slowest_window_of_a_line_is_told_with_its_time(void **state)
{
    const char *began = "\"timestamp\":{\"timesecs\":1795792815},";
    struct own_host host;
    const struct measurement *slowest;
    double at = 0;

    (void)state;
    line_in_windows(&host, began, 24);
    assert_string_equal(fact(&host, "line.steady"), "yes");
    assert_true(measured(&host, "line.window") == 9);
    arena_destroy(host.arena);

    line_in_windows(&host, began, 9); /* the fourth window, whole */
    slowest = reading_get(&host.attempt.reading, "line.window", "");
    assert_true(slowest->value == 0.001);
    assert_true(measurement_at(slowest, AT_BEGAN, &at) && at == 1795792815 + 9);
    assert_true(measurement_at(slowest, AT_LASTS, &at) && at == 3);
    assert_string_equal(
        fact(&host, "line.steady"),
        "forward: slow from 2026-11-27 15:20:24 to 15:20:27 UTC (1 of 8 windows in all): up to "
        "100.0% worse than the test's median 9 Gb/s");
    arena_destroy(host.arena);

    line_in_windows(&host, began, 10); /* a third of one, two thirds of the next */
    assert_true(measured(&host, "line.window") > 3 && measured(&host, "line.window") < 3.01);
    arena_destroy(host.arena);
}

/* When it was nobody knows: neither slow nor steady. */
static void a_line_without_times_has_no_windows(void **state)
{
    struct own_host host;

    (void)state;
    line_in_windows(&host, "", 9);
    assert_true(measured(&host, "line.window") == -1);
    assert_string_equal(fact(&host, "line.steady"), "(none)");
    assert_non_null(strstr(finding(&host, "line.steady.unread"), "each second"));
    arena_destroy(host.arena);
}

/* Whole by itself, and less than the step asks for: neither a shorter test nor one of fewer streams stands for it. */
static void a_line_that_was_tested_for_less_is_not_whole(void **state)
{
    static const char *const more[] = {"{\"endpoint\":\"192.0.2.7\",\"streams\":2}",
                                       "{\"endpoint\":\"192.0.2.7\",\"streams\":1,\"seconds\":11}"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(more); i++) {
        struct own_host host;

        line_begin(&host, more[i]);
        host_reads(&host, (const struct printed[]){{"pings",
                                                    "line.pings\t\t2 2\nline.times\t\t0.1 0.2 \n"
                                                    "line.mtu\t\t9000\nline.whole\t\tyes\nkey-value end\n",
                                                    "", 0},
                                                   {"there", IPERF3("\"reverse\":0", "10"), "", 0},
                                                   {"back", IPERF3("\"reverse\":1", "10"), "", 0},
                                                   {0}});
        assert_int_equal(host.attempt.reading.status, READING_PARTIAL);
        arena_destroy(host.arena);
    }
}

static void slots_are_held_against_the_gpus_that_are_there(void **state)
{
    (void)state;
    assert_string_equal(slots_of(8, "setup.gpus\t\t8\n"), "as declared");
    assert_string_equal(slots_of(0, "setup.gpus\t\t8\n"), "as declared");
    assert_string_equal(slots_of(8, "setup.gpus\t\t7\n"), "7 GPUs, but the hostfile says slots=8");
    assert_string_equal(slots_of(0, "setup.gpus\t\t7\n"), "7 GPUs, but hgx-h100 has 8");
    assert_string_equal(slots_of(8, ""), "(none)");
}

/* The guard's light path gives a command no folder: "$ASSAY_DIR/x" would be a file at the root. */
static void passive_checks_keep_no_files(void **state)
{
    static const char *const passive[] = {"os",    "bom",     "container-runtime", "ssh-hardening", "setup",
                                          "space", "posture", "advisories",        "support"};
    struct own_host host;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(passive); i++) {
        cleanup_text struct text command = {0};

        host_begin(&host, passive[i]);
        be_member(&host, 0);
        assert_true(host.context.check->passive);
        text_init(&command, 1 << 20);
        for (const struct part_row *row = host.context.check->parts; row->name != NULL; row++)
            check_part_command(&host.context, row, &command);
        assert_non_null(strstr(command.bytes, "key-value end"));
        assert_null(strstr(command.bytes, "ASSAY_DIR"));
        arena_destroy(host.arena);
    }
}

/* B is the word of all beginnings, 1 that of the first end. */
#define BEGIN "\n@assay-part B begin nvidia-smi\n"
#define END(rc) "\n@assay-part 1 end nvidia-smi " rc "\n"

/* With the words of the attempt in the place of B and 1. */
static const char *worded(struct own_host *host, const char *text)
{
    struct slice words = slice_of(check_words(&host->context, &host->attempt)), begin, end;
    const char *out = "";

    assert_true(scan_word(&words, &begin) && scan_word(&words, &end));
    for (const char *at; (at = strstr(text, "@assay-part ")) != NULL; text = at + 13) {
        struct slice word = at[12] == 'B' ? begin : at[12] == '1' ? end : (struct slice){at + 12, 1};

        out = arena_printf(host->arena, "%s%.*s%.*s", out, (int)(at + 12 - text), text, slice_print(word));
    }
    return arena_printf(host->arena, "%s%s", out, text);
}

/* Whose part is marked so on stdout, and as it should be on stderr: what shows that a mark is forged; "" where nothing does. */
static const char *forged(const char *frame, const char *out, bool *ret_ended)
{
    static char found[400];
    struct own_host host;
    const char *fact;

    host_begin(&host, "driver");
    host.attempt.frame = frame;
    host.attempt.captures[0] = (struct capture){.stream = "stdout", .bytes = slice_of(worded(&host, out))};
    host.attempt.captures[1] =
        (struct capture){.stream = "stderr", .bytes = slice_of(worded(&host, BEGIN END("0")))};
    check_read(&host.context, &host.attempt);
    fact = reading_get_fact(&host.attempt.reading, OUTPUT_FORGED, "");
    snprintf(found, sizeof found, "%s", fact != NULL ? fact : "");
    *ret_ended = host.attempt.parts.items[0].ended;
    arena_destroy(host.arena);
    return found;
}

static void marks_that_are_not_ours_are_found_and_text_about_them_is_not(void **state)
{
    static const struct {
        const char *out, *said;
        bool ended;
    } rows[] = {
        {BEGIN "x" END("0"), "", true},
        {"noise" BEGIN END("0") "late", "", true},
        {BEGIN "assay_mark() { echo \"@assay-part $*\"; @assay is a program" END("0"), "", true},
        {BEGIN "printf '@assay %s begun' @assay-part" END("0"), "", true},
        {BEGIN "x", "", false},
        {BEGIN "x\n@assay-part 1 end nvidia-smi 0", "", false}, /* cut */
        {BEGIN "x\n@assay-part other end nvidia-smi 0\n" END("0"), "what looks like one of assay", true},
        {BEGIN "x@assay-part 2-2 begin y\n" END("0"), "what looks like one of assay", true},
        {BEGIN "@assay 2-2 ended why=exit rc=0" END("0"), "what looks like one of assay", true},
        {"@assay-part 2-2 end z 1\n" BEGIN END("0"), "what looks like one of assay", true},
        {BEGIN END("0") END("0"), "nvidia-smi ends twice", true},
        {BEGIN END("0") BEGIN END("0"), "nvidia-smi starts twice", true},
        {BEGIN "x" BEGIN END("0"), "in the middle of another part", true},
        {END("0") BEGIN END("0"), "ends without a start", true},
        {BEGIN END("1"), "different exit statuses", true},
        {BEGIN END("x") END("0"), "a mark is damaged", true},
    };
    /* Attempts of earlier versions have one word, their uuid. */
    static const char *const frames[] = {"0123456789abcdef0123456789abcdef", NULL};

    (void)state;
    for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
        bool ended;
        const char *said = forged(frames[i % 2], rows[i / 2].out, &ended);

        if ((*rows[i / 2].said == '\0') != (*said == '\0') || strstr(said, rows[i / 2].said) == NULL ||
            ended != rows[i / 2].ended)
            fail_msg("row %zu: '%s', ended %d", i, said, ended);
    }
}

/* A process that a command leaves behind goes on printing: that is told, and nobody fails by it. */
static void what_belongs_to_no_part_is_told(void **state)
{
    static const char *const told = "output.outside";
    struct own_host host;

    (void)state;
    host_begin(&host, "driver");
    host.attempt.captures[0] = (struct capture){
        .stream = "stdout", .bytes = slice_of(worded(&host, "early" BEGIN "x" END("0") "late\n\n"))};
    host.attempt.captures[1] =
        (struct capture){.stream = "stderr", .bytes = slice_of(worded(&host, BEGIN END("0")))};
    check_read(&host.context, &host.attempt);
    assert_string_equal(finding(&host, told), "11 bytes of stdout belong to no command: early");
    for (size_t i = 0; i < host.attempt.reading.findings.count; i++)
        assert_int_not_equal(host.attempt.reading.findings.items[i].severity, SEVERITY_FAULT);
    assert_null(reading_get_fact(&host.attempt.reading, OUTPUT_FORGED, ""));
    host.attempt.captures[0].bytes = slice_of(worded(&host, BEGIN "x" END("0") "\n\n"));
    check_read(&host.context, &host.attempt);
    assert_string_equal(finding(&host, told), "(none)");
    /* Earlier versions wrote no newline before a beginning. */
    host.attempt.captures[0].bytes =
        slice_of(worded(&host, BEGIN "x" END("0") "@assay-part B begin more\n\n@assay-part 1 end more 0\n"));
    check_read(&host.context, &host.attempt);
    assert_string_equal(finding(&host, told), "(none)");
    arena_destroy(host.arena);
}

/* What the spool shows while a part runs is the word of the beginnings: no end is made of it. */
static void the_word_of_a_beginning_makes_no_end(void **state)
{
    bool ended;

    (void)state;
    assert_non_null(
        strstr(forged("0123456789abcdef0123456789abcdef", BEGIN "\n@assay-part B end nvidia-smi 0\n", &ended),
               "what looks like one of assay"));
    assert_false(ended);
}

/* One that another command line says the same: order and a host's own disks mean nothing. */
static void kernels_with_the_same_options_are_alike(void **state)
{
    static const char *const lines[] = {
        "BOOT_IMAGE=/vmlinuz-5.15 root=UUID=6d1f ro iommu=pt pci=realloc=off",
        "BOOT_IMAGE=/vmlinuz-5.15 pci=realloc=off root=UUID=77aa iommu=pt ro ro"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct own_host host;

        host_begin(&host, "os");
        host_reads(&host,
                   (const struct printed[]){
                       {"values",
                        arena_printf(host.arena, "os.command_line\t\t%s\nkey-value end\n", lines[i]), "", 0},
                       {0}});
        assert_string_equal(fact(&host, "os.boot_options"), "iommu=pt pci=realloc=off ro");
        arena_destroy(host.arena);
    }
}

static void read_topology(struct own_host *host, const char *lspci, const char *cmdline)
{
    host_begin(host, "topology");
    host_reads(host, (const struct printed[]){
                         {"topo",
                          "\tGPU0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \t0-3\t0\n\nLegend:\n\n"
                          "  X    = Self\n"
                          "  NV#  = Connection traversing a bonded set of # NVLinks\n",
                          "", 0},
                         {"acs", lspci, "", 0},
                         {"cmdline", cmdline, "", 0},
                         {"modules", "nvidia 1 0 - Live 0x0\n", "", 0},
                         {"driver", "NVRM version: NVIDIA UNIX Open Kernel Module\n", "", 0},
                         {0}});
}

static void what_hosts_have_in_common_for_gpudirect_is_told_or_not_known(void **state)
{
    struct own_host host;

    (void)state;
    read_topology(&host, "00:01.0 PCI bridge\n\t\tACSCtl:\tSrcValid+ TransBlk-\n", "iommu=pt quiet\n");
    assert_string_equal(fact(&host, "pci.acs"), "on");
    assert_string_equal(fact(&host, "kernel.iommu"), "iommu=pt");
    assert_string_equal(fact(&host, "gpudirect.rdma"), "dma-buf (open kernel modules)");
    arena_destroy(host.arena);
    /* A login that may not see capabilities sees no ACS, and neither whether it is off. */
    read_topology(&host, "00:01.0 PCI bridge\n\tCapabilities: <access denied>\n", "quiet\n");
    assert_string_equal(fact(&host, "pci.acs"), "(none)");
    assert_string_equal(finding(&host, "pci.acs.unread"), "lspci may not read the capabilities of 1 devices");
    assert_string_equal(fact(&host, "kernel.iommu"), "kernel's default");
    arena_destroy(host.arena);
    read_topology(&host, "00:01.0 PCI bridge\n\tCapabilities: [40] Power Management\n", "quiet\n");
    assert_string_equal(fact(&host, "pci.acs"), "off");
    arena_destroy(host.arena);
}

/* A level that did not run what every level runs first. */
static void a_diagnostic_without_its_first_tests_is_not_done(void **state)
{
    struct own_host host;

    (void)state;
    host_begin(&host, "dcgm-diag");
    host_reads(
        &host,
        (const struct printed[]){
            {"main",
             "{\"DCGM GPU Diagnostic\": {\"test_categories\": [{\"category\": \"Deployment\", \"tests\": ["
             "{\"name\": \"Denylist\", \"results\": [{\"status\": \"Pass\"}]}]}], \"version\": \"3.3.8\"}}\n",
             "", 0},
            {0}});
    assert_non_null(strstr(fact(&host, "dcgm.deployment"), "without nvml_library, cuda_main_library"));
    arena_destroy(host.arena);
}

/* What the built-in table says of a driver, on a day of the run (0: in 1970). */
static void read_driver(struct own_host *host, const char *version, double began)
{
    static struct advisory_tables tables;
    struct error err = {0};

    host_begin(host, "advisories");
    tables = (struct advisory_tables){0};
    *list_push(host->arena, &tables.items) = advisories_load(host->arena, "nvidia", &err);
    assert_non_null(tables.items.items[0]);
    host->context.advisories = &tables;
    host->attempt.began = began;
    host_reads(host, (const struct printed[]){
                         {"values",
                          arena_printf(host->arena,
                                       "advisories.nvidia_driver.version\t\t%s\n"
                                       "advisories.nvidia_container_toolkit.version\t\tnot installed\n"
                                       "advisories.libnvidia_container.version\t\t\tno_package_manager\n"
                                       "advisories.dcgm.version\t\t4.4.1\nkey-value end\n",
                                       version),
                          "", 0},
                         {0}});
}

static const char *driver(const char *version)
{
    static char text[4096];
    struct own_host host;
    const char *value;

    read_driver(&host, version, 0);
    value = reading_get_fact(&host.attempt.reading, "advisories.nvidia_driver", "");
    snprintf(text, sizeof text, "%s",
             value != NULL ? value : finding(&host, "advisories.nvidia_driver.unread"));
    arena_destroy(host.arena);
    return text;
}

static void a_version_is_well_only_where_the_table_knows_its_branch(void **state)
{
    (void)state;
    assert_string_equal(driver("580.178.04"), "none known");
    assert_non_null(
        strstr(driver("580.178.03"),
               "580.178.03: CVE-2026-47587, CVE-2026-47595, CVE-2026-47599, CVE-2026-47601, fixed in "
               "580.178.04 (high, published 2026-09-30, status vendor): https://"));
    assert_null(strstr(driver("580.178.03"), "CVE-2025-"));
    assert_non_null(strstr(driver("580.82.07"), "CVE-2025-23280"));
    /* What is older than a fix is so in a branch too that gets no more of them; the rest of that nobody knows. */
    assert_non_null(strstr(driver("550.90.07"), "fixed in 550.163.01"));
    assert_non_null(
        strstr(driver("550.163.01"), "the branch of version 550.163.01 is not in the table nvidia of"));
    assert_non_null(
        strstr(driver("999.1"), "is not in the table nvidia of 2026-09-30, which is complete for 580, 595"));
    assert_non_null(strstr(driver("580.200~rc.1"), "release candidate"));
    assert_string_equal(driver("not installed"), "not installed");
    assert_string_equal(driver(""), "nvidia-driver reports no version");
}

static void an_old_table_is_told_and_what_was_not_asked_is_not_well(void **state)
{
    const double may_2027 = 1809129600, november_2027 = 1826000000;
    struct own_host host;

    (void)state;
    read_driver(&host, "580.178.04", may_2027);
    assert_string_equal(fact(&host, "advisories.tables"), "current");
    assert_string_equal(fact(&host, "advisories.nvidia_container_toolkit"), "not installed");
    assert_string_equal(fact(&host, "advisories.libnvidia_container"), "(none)");
    assert_string_equal(finding(&host, "advisories.libnvidia_container.unread"),
                        "libnvidia-container reports no version");
    assert_string_equal(fact(&host, "advisories.dcgm"), "none known");
    arena_destroy(host.arena);
    read_driver(&host, "580.178.04", november_2027);
    assert_string_equal(fact(&host, "advisories.tables"),
                        "nvidia was reviewed on 2026-09-30, more than a year before this run");
    host.context.advisories = NULL;
    arena_destroy(host.arena);
}

/* What the built-in table says of a host on a day: the fact, or why there is none. */
static const char *supported(const char *metric, const char *rows, double began)
{
    static struct advisory_tables tables;
    static char text[4096];
    struct own_host host;
    struct error err = {0};
    const char *value;

    host_begin(&host, "support");
    tables = (struct advisory_tables){0};
    *list_push(host.arena, &tables.items) = advisories_load(host.arena, "support", &err);
    assert_non_null(tables.items.items[0]);
    host.context.advisories = &tables;
    host.attempt.began = began;
    host_reads(&host, (const struct printed[]){
                          {"values", arena_printf(host.arena, "%skey-value end\n", rows), "", 0}, {0}});
    value = reading_get_fact(&host.attempt.reading, metric, "");
    snprintf(text, sizeof text, "%s",
             value != NULL ? value : finding(&host, arena_printf(host.arena, "%s.unread", metric)));
    host.context.advisories = NULL;
    arena_destroy(host.arena);
    return text;
}

#define DRIVER(version) "support.nvidia_driver.version\t\t" version "\n"
#define OS(version) "support.os.version\t\t" version "\n"
#define KERNEL(version, maker) "support.kernel.version\t\t" version "\nsupport.kernel.maker\t\t" maker "\n"

enum { JULY_1_2024 = 1719792000, JUNE_30_2026 = 1782820800, JULY_1_2026 = 1782864000 };

static void a_branch_is_supported_to_the_end_of_its_last_month(void **state)
{
    (void)state;
    assert_string_equal(supported("support.nvidia_driver", DRIVER("535.309.01"), JUNE_30_2026), "supported");
    assert_string_equal(supported("support.nvidia_driver", DRIVER("535.309.01"), JULY_1_2026),
                        "535.309.01, supported until 2026-06 (status vendor): "
                        "https://docs.nvidia.com/datacenter/tesla/drivers/615/"
                        "supported-drivers-and-cuda-toolkit-versions.html");
    assert_string_equal(supported("support.nvidia_driver.until", DRIVER("535.309.01"), JULY_1_2026),
                        "2026-06");
    /* Of what is known to have ended, but not when. */
    assert_non_null(strstr(supported("support.nvidia_driver", DRIVER("550.90.07"), JULY_1_2026),
                           "550.90.07, no longer supported, as known since 2025-08 (status vendor)"));
    assert_string_equal(supported("support.nvidia_driver", DRIVER("550.90.07"), JULY_1_2024), "(none)");
    assert_string_equal(supported("support.nvidia_driver", DRIVER("590.48.01"), JULY_1_2026),
                        "no table of support dates speaks of 590.48.01");
    assert_string_equal(supported("support.nvidia_driver", DRIVER("not installed"), JULY_1_2026),
                        "not installed");
    assert_string_equal(supported("support.nvidia_driver", "", JULY_1_2026),
                        "nvidia-driver reports no version");
}

static void a_system_is_supported_as_it_says_itself_or_as_the_table_says(void **state)
{
    (void)state;
    assert_string_equal(supported("support.os", OS("ubuntu-22.04"), JULY_1_2026), "supported");
    assert_non_null(strstr(supported("support.os", OS("ubuntu-20.04"), JULY_1_2026),
                           "ubuntu-20.04, supported until 2025-05-29"));
    assert_string_equal(supported("support.os", OS("rocky-9.4"), JULY_1_2026),
                        "no table of support dates speaks of rocky-9.4");
    assert_string_equal(
        supported("support.os", OS("rocky-9.4") "support.os.end\t\t2032-05-31\n", JULY_1_2026), "supported");
    assert_string_equal(supported("support.os", OS("amzn-2") "support.os.end\t\t2026-06-30\n", JUNE_30_2026),
                        "supported");
    assert_string_equal(supported("support.os", OS("amzn-2") "support.os.end\t\t2026-06-30\n", JULY_1_2026),
                        "amzn-2, supported until 2026-06-30 (status vendor): SUPPORT_END, /etc/os-release");
    assert_string_equal(supported("support.os", OS("nixos-23.11") "support.os.end\t\tsoon\n", JULY_1_2026),
                        "no table of support dates speaks of nixos-23.11");
}

static void a_kernel_is_supported_with_its_distribution_or_by_its_own_row(void **state)
{
    (void)state;
    assert_string_equal(supported("support.kernel",
                                  OS("ubuntu-22.04")
                                      KERNEL("ubuntu-22.04-generic-5.15.0-122-generic", "distribution"),
                                  JULY_1_2026),
                        "supported");
    assert_non_null(
        strstr(supported("support.kernel",
                         OS("ubuntu-22.04") KERNEL("ubuntu-22.04-generic-6.5.0-41-generic", "distribution"),
                         JULY_1_2026),
               "ubuntu-22.04-generic-6.5.0-41-generic, supported until 2024-08 (status vendor)"));
    /* Another flavour of it has dates of its own. */
    assert_string_equal(supported("support.kernel",
                                  OS("ubuntu-22.04")
                                      KERNEL("ubuntu-22.04-nvidia-6.5.0-1019-nvidia", "distribution"),
                                  JULY_1_2026),
                        "supported");
    assert_string_equal(supported("support.kernel",
                                  OS("rocky-9.4") "support.os.end\t\t2032-05-31\n" KERNEL(
                                      "rocky-9.4-6.9.1-1.el9.elrepo.x86_64", "another"),
                                  JULY_1_2026),
                        "no table of support dates speaks of rocky-9.4-6.9.1-1.el9.elrepo.x86_64");
}

/* What md-raid makes of /proc/mdstat, which is as a host without md has none where it is NULL. */
static const char *md_raid(const char *mdstat, const char *item)
{
    static char seen[256];
    struct own_host host;

    host_begin(&host, "md-raid");
    host_reads(&host, (const struct printed[]){{"driver",
                                                mdstat != NULL ? "md.driver\t\tloaded\nkey-value end\n"
                                                               : "md.driver\t\tnone\nkey-value end\n",
                                                "", 0},
                                               {"mdstat", mdstat != NULL ? mdstat : "", "", 0},
                                               {0}});
    snprintf(seen, sizeof seen, "%s", fact(&host, item));
    if (strcmp(item, "status") == 0)
        snprintf(seen, sizeof seen, "%s", reading_status_name(host.attempt.reading.status));
    for (size_t i = 0; i < host.attempt.reading.findings.count; i++)
        assert_int_not_equal(host.attempt.reading.findings.items[i].severity, SEVERITY_FAULT);
    arena_destroy(host.arena);
    return seen;
}

#define MDSTAT(arrays) "Personalities : [raid1] [raid0] \n" arrays "unused devices: <none>\n"
#define ARRAY_OF(name, counts) \
    name " : active raid1 sdb1[1] sda1[0]\n      1000 blocks super 1.2 " counts "\n      \n"
#define STRIPE "md9 : active raid0 sdd[1] sdc[0]\n      1000 blocks super 1.2 512k chunks\n      \n"

static void arrays_that_work_or_that_a_host_does_not_have_are_well(void **state)
{
    static const char *const items[] = {"md.degraded", "md.failed_members", "md.not_active", "md.syncing"};
    static const char well[] =
        MDSTAT(ARRAY_OF("md0", "[2/2] [UU]") STRIPE ARRAY_OF("md127", "[2/2] [UU]\n      \tresync=PENDING"));

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(items); i++) {
        assert_string_equal(md_raid(NULL, items[i]), "none");
        assert_string_equal(md_raid(MDSTAT(""), items[i]), "none");
        assert_string_equal(md_raid(well, items[i]), "none");
    }
    assert_string_equal(md_raid(NULL, "status"), "complete");
    assert_string_equal(md_raid(NULL, "md.layout"), "none");
    assert_string_equal(md_raid(MDSTAT(""), "md.layout"), "none");
    assert_string_equal(md_raid(well, "md.layout"), "raid0 of 2, 2 x raid1 of 2");
}

static void an_array_that_lacks_a_drive_is_named(void **state)
{
    static const char two[] = MDSTAT(ARRAY_OF("md0", "[2/1] [U_]") ARRAY_OF("md1", "[3/1] [_U_]"));

    (void)state;
    assert_string_equal(md_raid(two, "md.degraded"),
                        "md0: only 1 of 2 members work; md1: only 1 of 3 members work");
    assert_string_equal(md_raid(two, "md.failed_members"), "none");
    assert_string_equal(md_raid(two, "md.layout"), "raid1 of 2, raid1 of 3");
    assert_string_equal(md_raid(MDSTAT("md1 : active raid1 sdc1[2] sdb1[1](F) sda1[0]\n"
                                       "      1000 blocks [2/2] [UU]\n"),
                                "md.failed_members"),
                        "md1: sdb1 has failed");
    assert_string_equal(
        md_raid(MDSTAT("md1 : inactive sda1[0](S)\n      1000 blocks super 1.2\n"), "md.not_active"),
        "md1 is inactive");
    assert_string_equal(
        md_raid(MDSTAT(ARRAY_OF("md1", "[2/2] [UU]\n      [>....]  resync =  0.4% (4/1000)")), "md.syncing"),
        "md1 resync 0.4%");
}

static void arrays_that_were_not_read_whole_are_not_well(void **state)
{
    (void)state;
    assert_string_equal(md_raid("", "md.degraded"), "(none)");
    assert_string_equal(md_raid("Personalities : [raid1] \n", "md.degraded"), "(none)");
    assert_string_equal(md_raid(MDSTAT(ARRAY_OF("md0", "[2/2] [U")), "md.degraded"), "(none)");
    assert_string_equal(md_raid(MDSTAT(ARRAY_OF("md0", "[2/2] [U_]")), "md.degraded"), "(none)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpus_of_one_module_of_grace_and_blackwell_share_their_number),
        cmocka_unit_test(a_branch_is_supported_to_the_end_of_its_last_month),
        cmocka_unit_test(a_system_is_supported_as_it_says_itself_or_as_the_table_says),
        cmocka_unit_test(a_kernel_is_supported_with_its_distribution_or_by_its_own_row),
        cmocka_unit_test(a_version_is_well_only_where_the_table_knows_its_branch),
        cmocka_unit_test(an_old_table_is_told_and_what_was_not_asked_is_not_well),
        cmocka_unit_test(marks_that_are_not_ours_are_found_and_text_about_them_is_not),
        cmocka_unit_test(the_word_of_a_beginning_makes_no_end),
        cmocka_unit_test(what_belongs_to_no_part_is_told),
        cmocka_unit_test(a_clock_is_off_by_what_lies_outside_the_attempt),
        cmocka_unit_test(a_clock_is_known_as_well_as_the_attempt_was_short),
        cmocka_unit_test(a_host_that_tells_no_time_has_no_skew),
        cmocka_unit_test(kernels_with_the_same_options_are_alike),
        cmocka_unit_test(what_hosts_have_in_common_for_gpudirect_is_told_or_not_known),
        cmocka_unit_test(a_diagnostic_without_its_first_tests_is_not_done),
        cmocka_unit_test(without_root_the_board_is_unread_and_the_rest_is_not),
        cmocka_unit_test(events_are_as_old_as_the_bmc_says),
        cmocka_unit_test(a_clock_that_is_ahead_makes_no_event_old),
        cmocka_unit_test(a_clock_of_another_zone_is_not_ahead),
        cmocka_unit_test(a_log_that_has_lost_events_is_not_clean),
        cmocka_unit_test(a_log_that_is_not_whole_is_not_clean),
        cmocka_unit_test(a_kernel_log_without_its_beginning_has_shown_no_clean_gpu),
        cmocka_unit_test(a_journal_with_the_kernels_first_line_reaches_back_to_the_boot),
        cmocka_unit_test(an_xid_in_what_is_left_of_the_log_speaks_against_its_gpu),
        cmocka_unit_test(the_link_of_an_hca_is_held_against_adapter_and_slot),
        cmocka_unit_test(the_link_of_an_hca_that_the_kernel_does_not_tell_is_unread),
        cmocka_unit_test(samples_become_a_course_of_few_points_that_keeps_the_worst),
        cmocka_unit_test(accounts_and_doors_are_recorded),
        cmocka_unit_test(what_is_beyond_the_agreed_is_named),
        cmocka_unit_test(doors_that_were_not_read_are_not_none),
        cmocka_unit_test(space_that_was_not_read_says_why),
        cmocka_unit_test(what_is_full_and_what_takes_most_is_told),
        cmocka_unit_test(what_a_line_carries_and_loses_is_told),
        cmocka_unit_test(a_line_that_was_tested_for_less_is_not_whole),
        cmocka_unit_test(the_slowest_window_of_a_line_is_told_with_its_time),
        cmocka_unit_test(a_line_without_times_has_no_windows),
        cmocka_unit_test(slots_are_held_against_the_gpus_that_are_there),
        cmocka_unit_test(passive_checks_keep_no_files),
        cmocka_unit_test(disks_that_nobody_listed_are_not_none),
        cmocka_unit_test(arrays_that_work_or_that_a_host_does_not_have_are_well),
        cmocka_unit_test(an_array_that_lacks_a_drive_is_named),
        cmocka_unit_test(arrays_that_were_not_read_whole_are_not_well),
        cmocka_unit_test(a_drive_that_warns_is_told_and_one_that_was_not_asked_is_not_well),
        cmocka_unit_test(a_gpu_that_the_rack_does_not_have_or_has_elsewhere_is_named),
        cmocka_unit_test(of_models_of_several_sizes_a_gpu_has_what_its_name_says),
        cmocka_unit_test(a_host_answers_for_its_own_node_of_the_imex_domain_and_not_for_the_others),
        cmocka_unit_test(the_nodes_of_an_imex_domain_are_told_as_one_list_of_all),
        cmocka_unit_test(a_rate_of_errors_is_judged_by_its_correction_and_when_it_was_counted_long_enough),
        cmocka_unit_test(a_transceiver_beyond_its_own_bounds_is_named),
    };

    return cmocka_run_group_tests_name("system", tests, NULL, NULL);
}
