/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit_test.h"
#include "caveat.h"
#include "turns.h"

#include <string.h>

#include "assay/model/platform.h"
#include "assay/reasons/any.h"
#include "assay/report/report.h"
#include "sample_record.h"

/* The built-in suite with the first of these texts, behind another one, in place of which the second stands. */
struct edit {
    const char *behind, *is, *becomes;
    const char *said; /* each concession, a line each: "step, metric: detail"; "": there is none */
};

static const char *edited(struct arena *arena, struct slice bytes, const struct edit *edit)
{
    const char *text = arena_strndup(arena, bytes.bytes, bytes.length);
    const char *behind = strstr(text, edit->behind), *at;

    assert_non_null(behind);
    at = strstr(behind, edit->is);
    assert_non_null(at);
    return arena_printf(arena, "%.*s%s%s", (int)(at - text), text, edit->becomes, at + strlen(edit->is));
}

static const char *lines_of(struct arena *arena, const struct concessions *found)
{
    const char *lines = "";

    for (size_t i = 0; i < found->items.count; i++) {
        const struct concession *row = &found->items.items[i];

        lines = arena_printf(arena, "%s%s%s, %s: %s", lines, i > 0 ? "\n" : "",
                             row->kind == CONCESSION_PLATFORM ? row->platform : row->step, row->metric,
                             row->kind == CONCESSION_ABSENT ? "absent" : reason_english(arena, row->detail));
    }
    return lines;
}

static const char *said_of_suite(struct arena *arena, const char *text, struct concessions *found)
{
    const struct builtin *builtin = builtin_find("suites", "delivery");
    struct error err = {0};
    const struct suite *whole = suite_parse(arena, "delivery", builtin->bytes, &err);
    const struct suite *own = suite_parse(arena, "own", slice_of(text), &err);
    const struct suite_step **matches;

    if (own == NULL)
        fail_msg("%s", err.text);
    matches = arena_array(arena, const struct suite_step *, own->steps.count + 1);
    *found = (struct concessions){0};
    concessions_of_suite(arena, own, whole, matches, found);
    return lines_of(arena, found);
}

static void what_a_suite_weakens_is_said_by_step(void **state)
{
    static const struct edit edits[] = {
        {"", "delivery", "own", ""},
        {"\"gpu-burn\"", "1800", "60", "gpu-burn, : seconds 60 instead of 1800"},
        {"\"gpu-burn\"", "1800", "3600", ""},
        {"\"gpu-burn\"", "\"seconds\": 1800", "\"flags\": \"\"", ""},
        {"\"gpu-burn-tensor\"", "\"flags\": \"-tc\"", "\"flags\": \"\"",
         "gpu-burn-tensor, : flags is not given, there it is -tc"},
        {"\"dcgm-diag\"", "\"level\": 3", "\"level\": 1", "dcgm-diag, : level 1 instead of 3"},
        {"\"dcgm-diag\"", "\"level\": 3", "\"level\": 3, \"tests\": [\"memory\"]",
         "dcgm-diag, : tests [\"memory\"], which is not given there"},
        {"\"dcgm-diag\"", "\"level\": 3", "\"level\": 4", ""},
        {"\"nccl-alltoall-cluster\"", "\"iterations\": 20", "\"iterations\": 1",
         "nccl-alltoall-cluster, : iterations 1 instead of 20"},
        {"\"nccl-all-gather-pairs\"", "[\"8G\", \"16G\"]", "[\"1G\"]",
         "nccl-all-gather-pairs, : messages of 8G are not judged here\n"
         "nccl-all-gather-pairs, : messages of 16G are not judged here"},
        /* Without the list the check has its own sizes judged: those that it measures. */
        {"\"nccl-all-reduce-cluster\"",
         "\"factor\": 2, \"iterations\": 20},\n      \"sizes_judged\": [\"8G\", \"16G\"]",
         "\"factor\": 2, \"iterations\": 20}", ""},
        {"\"nccl-all-reduce-cluster\"",
         "\"factor\": 2, \"iterations\": 20},\n      \"sizes_judged\": [\"8G\", \"16G\"]",
         "\"factor\": 3, \"iterations\": 20}",
         "nccl-all-reduce-cluster, : factor 3 instead of 2\n"
         "nccl-all-reduce-cluster, : messages of 8G are not judged here\n"
         "nccl-all-reduce-cluster, : messages of 16G are not judged here"},
        {"\"nccl-all-gather-cluster\"", "\"scope\": \"cluster\"", "\"scope\": \"group\", \"by\": 2",
         "nccl-all-gather-cluster, : over group (2) instead of cluster"},
        {"\"nccl-all-gather-cluster\"", "\"fraction_of_groups\": 0.9", "\"fraction_of_groups\": 0.5",
         "nccl-all-gather-cluster, nccl.all_gather.asymptotic: without the limit >= 90% of the median of its own smaller groups"},
        {"\"nccl-all-gather-cluster\"", "\"gate\": [\"nccl.all_gather.asymptotic*\"],", "",
         "nccl-all-gather-cluster, nccl.all_gather.asymptotic*: judged there, and only recorded here"},
        {"{\"check\": \"ecc\"", "\"needs\"", "\"record\": [\"*\"], \"needs\"",
         "ecc, *: judged there, and only recorded here"},
        {"{\"check\": \"xid\"", "\"needs\"", "\"when\": {\"hosts_min\": 100}, \"needs\"",
         "xid, : asked only where hosts_min is 100"},
        {"\"gpu-burn\"", "\"fail\": 0.07", "\"fail\": 0.5",
         "gpu-burn, : fails from 50% below its peers instead of 7%"},
        {"\"p2p-bandwidth\"", "\"needs\"", "\"peers\": false, \"needs\"",
         "p2p-bandwidth, : not compared with its peers"},
        {"\"ecc-after\"", "\"last\": true, ", "", "ecc-after, : not at the end of the run"},
        {"\"ecc-after\"", "\"ecc\"", "\"health\"", "ecc-after, : absent"},
        /* A first look that comes late has the load's errors in its baseline. */
        {"{\"check\": \"fabric-counters\"", "\"needs\"", "\"last\": true, \"needs\"",
         "fabric-counters, : only at the end of the run"},
        {"{\"check\": \"xid\"", "\"needs\"", "\"last\": true, \"needs\"",
         "xid, : only at the end of the run"},
        {"{\"check\": \"roce\"", "[\"ib-port\"]", "[\"ib-port\", \"topology\"]", ""},
        {"\"check\": \"rdma-pair\"", "\"topology\"", "\"topology\", \"gpu-burn\"", ""},
        {"\"ib-port\"", "\"needs\"", "\"arguments\": {\"hcas\": [\"mlx5_0\"]}, \"needs\"",
         "ib-port, : hcas [\"mlx5_0\"], which is not given there"},
        {"\"nvbandwidth\"", "host_to_device_memcpy_ce device_to_host_memcpy_ce", "host_to_device_memcpy_ce",
         "nvbandwidth, : tests host_to_device_memcpy_ce instead of host_to_device_memcpy_ce device_to_host_memcpy_ce"},
        {"\"nvbandwidth\"", "host_to_device_memcpy_ce device_to_host_memcpy_ce",
         "device_to_host_memcpy_ce host_to_device_memcpy_ce device_to_device_memcpy_read_ce", ""},
        {"\"container-runtime\"", "\"needs\"", "\"arguments\": {\"runtimes\": [\"docker\"]}, \"needs\"", ""},
        /* How it is carried out: what tries a crash, a hang or a doubt away. */
        {"\"gpu-burn\"", "\"needs\"", "\"retries\": 9, \"needs\"", "gpu-burn, : retries 9 instead of 1"},
        {"\"gpu-burn\"", "\"needs\"", "\"retries\": 0, \"needs\"", ""},
        {"\"xid\"", "\"needs\"", "\"retests\": 5, \"needs\"", "xid, : retests 5 instead of 0"},
        {"\"dcgm-diag\"", "\"needs\"", "\"timeout_s\": 864000, \"needs\"",
         "dcgm-diag, : timeout_s 864000, which is not given there"},
        {"\"dcgm-diag\"", "\"needs\"", "\"expected_s\": 864000, \"needs\"",
         "dcgm-diag, : expected_s 864000, which is not given there"},
        {"\"rdma-pair\"", "\"exclusive\": \"host\",", "\"exclusive\": \"fabric\",",
         "rdma-pair, : exclusive fabric instead of host"},
        {"\"rdma-pair\"", "\"exclusive\": \"host\",", "", "rdma-pair, : exclusive fabric instead of host"},
        {"\"pcie-link\"", "\"needs\": [\"gpu-burn\"],", "", "pcie-link, : need not come after gpu-burn"},
        {"\"pcie-link\"", "[\"gpu-burn\"]", "[\"gpu-burn-tensor\"]", ""},
        {"{\"check\": \"ecc\"", ", \"needs\": [\"gpu-settings\"]", "", ""},
        {"", "\"steps\"", "\"cool_down\": {\"below_c\": 50, \"within_s\": 60}, \"steps\"", ""},
    };
    const struct builtin *builtin = builtin_find("suites", "delivery");

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(edits); i++) {
        struct arena *arena = arena_create();
        struct concessions found;

        assert_string_equal(said_of_suite(arena, edited(arena, builtin->bytes, &edits[i]), &found),
                            edits[i].said);
        arena_destroy(arena);
    }
}

/* What a load leaves behind is seen as growth since the first look. */
static void a_first_look_that_waits_for_a_load_is_said(void **state)
{
    static const struct edit without = {"", "{\"check\": \"fabric-counters\", \"needs\": [\"reachable\"]},",
                                        "", ""};
    static const struct {
        const char *needs, *said;
    } cases[] = {
        {"reachable", ""},
        {"topology", ""},
        {"mpi-launch", ""},
        {"nccl-alltoall-cluster", "fabric-counters, : first looked at after nccl-alltoall-cluster"},
        /* By way of another step that is none itself. */
        {"looked", "fabric-counters, : first looked at after gpu-burn"},
    };
    const struct builtin *builtin = builtin_find("suites", "delivery");

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct arena *arena = arena_create();
        const char *moved =
            arena_printf(arena,
                         "{\"name\": \"looked\", \"check\": \"os\", \"needs\": [\"gpu-burn\"]},"
                         "{\"check\": \"fabric-counters\", \"needs\": [\"%s\"]},"
                         "{\"name\": \"health-after\"",
                         cases[i].needs);
        const struct edit behind = {"", "{\"name\": \"health-after\"", moved, ""};
        struct concessions found;

        assert_string_equal(
            said_of_suite(arena, edited(arena, slice_of(edited(arena, builtin->bytes, &without)), &behind),
                          &found),
            cases[i].said);
        assert_int_equal(found.changed, *cases[i].said != '\0');
        arena_destroy(arena);
    }
}

/* A GPU that does not get cool between tests is sick, and each test that loads it would say so. */
static void a_suite_that_lets_tests_begin_on_hot_gpus_says_so_of_each(void **state)
{
    static const struct edit edit = {"", "\"steps\"",
                                     "\"cool_down\": {\"below_c\": 95, \"within_s\": 900}, \"steps\"", ""};
    const struct builtin *builtin = builtin_find("suites", "delivery");
    struct arena *arena = arena_create();
    struct concessions found;
    const char *said;

    (void)state;
    said = said_of_suite(arena, edited(arena, builtin->bytes, &edit), &found);
    assert_non_null(strstr(said, "gpu-burn, : cool_down.below_c 95 instead of 60\n"
                                 "gpu-burn, : cool_down.within_s 900 instead of 600"));
    assert_null(strstr(said, "xid, "));
    assert_int_equal(found.changed, found.items.count / 2);
    arena_destroy(arena);
}

/* A test under variants judges nothing, so that it stands for none. */
static void a_step_that_only_compares_variants_stands_for_no_test(void **state)
{
    static const char suite[] =
        "{\"name\": \"own\", \"title\": \"own\", \"purpose\": \"delivery\", \"steps\": ["
        "{\"name\": \"nccl-alltoall-cluster\", \"check\": \"nccl-alltoall\", \"scope\": \"cluster\","
        " \"variants\": {\"a\": {}, \"b\": {\"NCCL_ALGO\": \"Ring\"}}}]}";
    struct arena *arena = arena_create();
    struct concessions found;

    (void)state;
    assert_non_null(strstr(said_of_suite(arena, suite, &found), "nccl-alltoall-cluster, : absent"));
    assert_int_equal(found.absent, found.tests);
    arena_destroy(arena);
}

/* Two tests of one check are two tests. */
static void one_burn_does_not_stand_for_two(void **state)
{
    static const char suite[] =
        "{\"name\": \"own\", \"title\": \"own\", \"purpose\": \"delivery\", \"steps\": ["
        "{\"check\": \"reachable\"},"
        "{\"name\": \"heat\", \"check\": \"gpu-burn\", \"needs\": [\"reachable\"],"
        " \"arguments\": {\"seconds\": 600, \"flags\": \"-tc\"},"
        " \"gate\": [\"gpu_burn.tensor.gflops\", \"window.temperature.max\"], \"peers\": {\"remark\": 0.05, \"fail\": 0.07}}]}";
    struct arena *arena = arena_create();
    struct concessions found;
    const char *said;

    (void)state;
    said = said_of_suite(arena, suite, &found);
    assert_non_null(strstr(said, "gpu-burn, : absent"));
    assert_null(strstr(said, "gpu-burn-tensor"));
    assert_int_equal(found.absent, found.tests - 2);
    assert_int_equal(found.changed, 0);
    assert_string_equal(
        reason_english(arena, caveat_of_concessions(arena, &found)),
        arena_printf(arena,
                     "By a suite of its own, which leaves out %zu of the %zu tests of the built-in "
                     "delivery: see Not judged.",
                     found.absent, found.tests));
    arena_destroy(arena);
}

static const char *said_of_programs(struct arena *arena, const char *more)
{
    const struct builtin *builtin = builtin_find("suites", "delivery");
    struct error err = {0};
    const struct suite *whole = suite_parse(arena, "delivery", builtin->bytes, &err);
    const char *text = arena_printf(arena,
                                    "{\"name\": \"own\", \"title\": \"own\", \"purpose\": \"delivery\", %s"
                                    "\"steps\": [{\"check\": \"reachable\"}]}",
                                    more);
    const struct suite *own = suite_parse(arena, "own", slice_of(text), &err);
    struct concessions found = {0};
    const struct reason *caveat;

    if (own == NULL)
        fail_msg("%s", err.text);
    concessions_of_programs(arena, own, whole, &found);
    caveat = caveat_of_concessions(arena, &found);
    return caveat != NULL ? reason_english(arena, caveat) : "";
}

/* A program that prints what is asked for is not what was to be run. */
static void who_says_which_programs_are_run_is_told(void **state)
{
    static const char begin[] = "The suite itself says which programs are run, or with which variables: ";
    struct arena *arena = arena_create();

    (void)state;
    assert_string_equal(said_of_programs(arena, "\"search_path\": [\"/opt/gpu-burn\"],"
                                                "\"tools\": {\"gpu_burn\": {\"path\": \"gpu_burn\"}},"),
                        "");
    assert_string_equal(
        said_of_programs(arena, "\"search_path\": [\"/home/vendor/bin\", \"/opt/gpu-burn\"],"),
        arena_printf(arena, "%ssearch_path /home/vendor/bin.", begin));
    assert_string_equal(
        said_of_programs(arena,
                         "\"tools\": {\"gpu_burn\": {\"path\": \"./gpu_burn\", \"folder\": \"/opt/vendor\"},"
                         "\"all_reduce_perf\": {\"environment\": {\"LD_PRELOAD\": \"/tmp/x.so\"}}},"
                         "\"launcher\": {\"mpirun\": \"/opt/vendor/mpirun\"},"),
        arena_printf(arena, "%stools gpu_burn, environment LD_PRELOAD, launcher /opt/vendor/mpirun.", begin));
    assert_string_equal(
        said_of_programs(arena, "\"launcher\": {\"flags\": [\"-x\", \"LD_PRELOAD=/tmp/x.so\"], "
                                "\"agent\": \"/tmp/ssh\", \"prefix\": \"/opt/mpi\"},"),
        arena_printf(arena,
                     "%slauncher.prefix /opt/mpi, launcher.agent /tmp/ssh, launcher.flags -x, "
                     "launcher.flags LD_PRELOAD=/tmp/x.so.",
                     begin));
    arena_destroy(arena);
}

static const char *said_of_platform(struct arena *arena, const char *text)
{
    struct error err = {0};
    const struct platform *platform = platform_parse(arena, "own", slice_of(text), &err);
    struct concessions found = {0};

    if (platform == NULL)
        fail_msg("%s", err.text);
    concessions_of_platform(arena, platform, &found);
    return lines_of(arena, &found);
}

static void what_a_platform_declares_less_is_said(void **state)
{
    static const struct edit edits[] = {
        {"", "hgx-h100", "site", ""},
        {"\"power_limit_w\"", "700", "500", "hgx-h100, : gpus.power_limit_w 500; hgx-h100 has 700"},
        {"\"names\"", ", \"mlx5_7\"", "", "hgx-h100, : hcas.count 7; hgx-h100 has 8"},
        {"\"gbits\"", "400", "200", "hgx-h100, : hcas.gbits 200; hgx-h100 has 400"},
        {"\"gbits\"", "400", "800", ""},
        {"\"count\"", "8", "7", "hgx-h100, : gpus.count 7; hgx-h100 has 8"},
        {"\"driver_minimum\"", "525.60.13", "450.80.02",
         "hgx-h100, : driver_minimum 450.80.02; hgx-h100 has 525.60.13"},
        {"\"driver_minimum\"", "525.60.13", "535.10", ""},
        {"\"models\"", "[\"NVIDIA H100 80GB HBM3\"]", "[\"NVIDIA H100 80GB HBM3\", \"NVIDIA H800\"]",
         "hgx-h100, : also takes NVIDIA H800, which hgx-h100 does not"},
        {"\"nvlink\"", "\"links\": 18", "\"links\": 16", "hgx-h100, : nvlink.links 16; hgx-h100 has 18"},
        /* Limits are shares of it, and a rate beyond it is not believed. */
        {"\"ceiling_gbs\"", "450", "400", "hgx-h100, : nvlink.ceiling_gbs 400; hgx-h100 has 450"},
        {"\"ceiling_gbs\"", "450", "4500", "hgx-h100, : nvlink.ceiling_gbs 4500; hgx-h100 has 450"},
        {"\"pcie\"", "\"generation\": 5", "\"generation\": 4",
         "hgx-h100, : pcie.generation 4; hgx-h100 has 5"},
        {"\"nvlink\"", "\"ceiling_gbs\": 450", "\"ceiling_gbs\": 450, \"domain_hosts\": 9",
         "hgx-h100, : nvlink.domain_hosts 9; hgx-h100 has 0"},
        {"\"gpus\"", "\"memory_gib\": 79", "\"memory_gib\": 77",
         "hgx-h100, : gpus.memory_gib 77; hgx-h100 has 79"},
        {"\"gpus\"", "\"memory_gib\": 79,", "", "hgx-h100, : gpus.memory_gib 0; hgx-h100 has 79"},
        {"\"gpus\"", "\"count\": 8", "\"count\": 8, \"row_remapper\": false",
         "hgx-h100, : gpus.row_remapper false; hgx-h100 has true"},
        {"\"pci_ids\"", "\"10de:2330\"", "\"10de:2330\", \"10de:2324\"",
         "hgx-h100, : also takes 10de:2324, which hgx-h100 does not"},
        {"\"driver_minimum\"", "\"525.60.13\"", "\"525.60.13\", \"times_s\": {\"gpu-burn\": 360000}",
         "hgx-h100, : times_s gives gpu-burn 360000 s, and a hang is seen by the deadline that follows from "
         "that; hgx-h100 has what the check itself expects"},
    };
    const struct builtin *builtin = builtin_find("platforms", "hgx-h100");

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(edits); i++) {
        struct arena *arena = arena_create();

        assert_string_equal(said_of_platform(arena, edited(arena, builtin->bytes, &edits[i])), edits[i].said);
        arena_destroy(arena);
    }
}

static void what_a_hostfile_keeps_out_is_said(void **state)
{
    static const struct {
        const char *hostfile, *tests, *spares;
    } cases[] = {
        {"a\nb\n",
         "storage (mounts=), cabling (rail.HCA=), gpu-sdc (probe=gpu), cabling-fabric (rail.HCA=), nccl-all-gather-leaves (leaf=)",
         NULL},
        {"a\n", "storage (mounts=), cabling (rail.HCA=), gpu-sdc (probe=gpu)", NULL},
        {"defaults mounts=/\na\n", "storage (mounts=), cabling (rail.HCA=), gpu-sdc (probe=gpu)", NULL},
        {"defaults mounts=/,//,/.\na\n", "storage (mounts=), cabling (rail.HCA=), gpu-sdc (probe=gpu)", NULL},
        {"defaults mounts=/,/data\na\n", "cabling (rail.HCA=), gpu-sdc (probe=gpu)", NULL},
        {"defaults fabric=ethernet mounts=/data\na leaf=l1\nb leaf=l1\n",
         "cabling-lldp (rail.HCA=), gpu-sdc (probe=gpu)", NULL},
        {"defaults bmc=none probe=gpu mounts=/data\na leaf=l1 rail.mlx5_0=s:1\nb leaf=l2 rail.mlx5_0=s:2\n",
         "bmc (bmc=), redfish (bmc=)", NULL},
        {"defaults mounts=/data probe=gpu\na leaf=l1 rail.mlx5_0=s:1\nb leaf=l1 rail.mlx5_0=s:2\nc role=spare\nd role=spare\n",
         NULL, "c,d"},
    };
    const struct builtin *builtin = builtin_find("suites", "delivery");

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct arena *arena = arena_create();
        struct error err = {0};
        const struct suite *suite = suite_parse(arena, "delivery", builtin->bytes, &err);
        const struct hostfile *hostfile = hostfile_parse(arena, "hosts", slice_of(cases[i].hostfile), &err);
        const struct plan plan = {.arena = arena};
        struct concessions found = {0};

        if (hostfile == NULL)
            fail_msg("%s", err.text);
        concessions_of_hostfile(arena, &plan, hostfile, suite, &found);
        assert_string_equal(found.undeclared != NULL ? found.undeclared : "",
                            cases[i].tests != NULL ? cases[i].tests : "");
        assert_string_equal(found.spare_names != NULL ? found.spare_names : "",
                            cases[i].spares != NULL ? cases[i].spares : "");
        arena_destroy(arena);
    }
}

/* With a wrong leaf= the tests between leaves cross no uplink, or are not planned. */
static void leaves_that_are_not_those_of_the_cables_are_named(void **state)
{
    static const struct {
        const char *hostfile, *leaves;
    } cases[] = {
        {"a leaf=l1 rail.x=s1:1\nb leaf=l1 rail.x=s1:2\nc leaf=l2 rail.x=s2:1\nd leaf=l2\n", ""},
        /* A swapped cable is none of it. */
        {"a leaf=l1 rail.x=s1:1 rail.y=s2:1\nb leaf=l1 rail.x=s2:2 rail.y=s3:2\n", ""},
        {"a leaf=l1 rail.x=s1:1\nb leaf=l1 rail.x=s1:2\nc leaf=l1 rail.x=s2:1\nd leaf=l1 rail.x=s2:2\n",
         "l1"},
        {"a leaf=l1 rail.x=s1:1\nb leaf=l2 rail.x=s1:2\nc leaf=l3 rail.x=s3:1\n", "l1, l2"},
        {"a leaf=l1 rail.x=s1:1\nb leaf=l2 rail.x=s2:1\nc leaf=l1 rail.x=s2:2\nd leaf=l2 rail.x=s1:2\n",
         "l1, l2"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct arena *arena = arena_create();
        struct error err = {0};
        const struct hostfile *hostfile = hostfile_parse(arena, "hosts", slice_of(cases[i].hostfile), &err);
        struct concessions found = {0};
        const struct reason *caveat;

        if (hostfile == NULL)
            fail_msg("%s", err.text);
        concessions_of_rails(arena, hostfile, &found);
        caveat = caveat_of_concessions(arena, &found);
        assert_string_equal(
            caveat != NULL ? reason_english(arena, caveat) : "",
            *cases[i].leaves != '\0'
                ? arena_printf(
                      arena,
                      "Hosts of one leaf= are declared at different switches, or those of two at one switch: %s.",
                      cases[i].leaves)
                : "");
        arena_destroy(arena);
    }
}

static void one_host_has_no_tests_between_hosts(void **state)
{
    struct arena *arena = arena_create();

    (void)state;
    assert_string_equal(
        reason_english(arena, caveat_of_concessions(arena, &(struct concessions){.alone = true})),
        "No test between hosts was made: there is one host.");
    arena_destroy(arena);
}

/* A remark far down hides what makes a program crash four times out of five. */
static void what_passed_only_when_tried_again_is_told(void **state)
{
    static const struct sample clean = {.hosts = 4, .units = 1};
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &clean);
    struct judgement *judgement = &record->judgement;
    size_t told = 0;

    (void)state;
    record->standing = (struct standing){.kind = RUN_ACCEPTANCE};
    assert_null(strstr(reason_english(arena, caveat_of_run(arena, record)), "tried again"));
    for (size_t i = 0; i < judgement->outcome_count; i++)
        if (judgement->outcomes[i].word == OUTCOME_PASS && judgement->outcomes[i].step < 5) {
            judgement->outcomes[i].remark = true;
            judgement->outcomes[i].cause =
                reason(arena, passed_after_broken_attempts, 4, reason_text(arena, "signal 11"));
            told += i == 0 || judgement->outcomes[i - 1].step != judgement->outcomes[i].step;
        }
    assert_int_equal(told, 5);
    assert_non_null(strstr(
        reason_english(arena, caveat_of_run(arena, record)),
        "5 tests passed only when tried again, after a program had crashed, been cut off or decided nothing: "));
    assert_non_null(strstr(reason_english(arena, caveat_of_run(arena, record)), "and 1 more"));
    arena_destroy(arena);
}

static const char *caveat_text(struct arena *arena, const struct record *record)
{
    const struct reason *caveat = caveat_of_run(arena, record);

    return caveat != NULL ? reason_english(arena, caveat) : "";
}

/* A breaker that trips, or a file system that stalls, under the load of all hosts is not met by one after the other. */
static void hosts_that_took_turns_are_told(void **state)
{
    static const struct sample clean = {.hosts = 4, .units = 1};
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &clean);

    (void)state;
    record->standing = (struct standing){.kind = RUN_ACCEPTANCE};
    document_add(arena, &record->documents, TURNS_DOCUMENT, "hosts at once", slice_of("4\n"));
    assert_null(strstr(caveat_text(arena, record), "at a time"));
    document_add(arena, &record->documents, TURNS_DOCUMENT, "hosts at once", slice_of("2\n"));
    document_add(arena, &record->documents, TURNS_DOCUMENT, "hosts at once", slice_of("3\n"));
    assert_non_null(strstr(caveat_text(arena, record),
                           "only 2 of the 4 hosts were at work at a time (--hosts-at-once): the power, "
                           "cooling and storage that they share were not loaded by all."));
    arena_destroy(arena);
}

/* Whoever runs half of the hosts, and then the other half, has loaded half. One run over all of them takes it away. */
static void an_acceptance_of_parts_tells_how_many_hosts_were_loaded_at_a_time(void **state)
{
    static const struct sample all = {.hosts = 4, .units = 1}, part = {.hosts = 3, .units = 1};
    struct arena *arena = arena_create();
    struct record *whole = sample_record(arena, &all), *half = sample_record(arena, &part);
    struct acceptance acceptance = {.arena = arena, .plan = whole->plan};

    (void)state;
    *list_push(arena, &acceptance.runs) = half;
    *list_push(arena, &acceptance.runs) = half;
    assert_string_equal(
        reason_english(arena, turns_of_acceptance(arena, &acceptance)),
        "In tests of single hosts never more than 3 of the 4 hosts were at work at a time, in any run: "
        "the power, cooling and storage that they share were not loaded by all.");
    *list_push(arena, &acceptance.runs) = whole;
    assert_null(turns_of_acceptance(arena, &acceptance));
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_suite_weakens_is_said_by_step),
        cmocka_unit_test(a_first_look_that_waits_for_a_load_is_said),
        cmocka_unit_test(a_suite_that_lets_tests_begin_on_hot_gpus_says_so_of_each),
        cmocka_unit_test(a_step_that_only_compares_variants_stands_for_no_test),
        cmocka_unit_test(one_burn_does_not_stand_for_two),
        cmocka_unit_test(who_says_which_programs_are_run_is_told),
        cmocka_unit_test(what_a_platform_declares_less_is_said),
        cmocka_unit_test(what_a_hostfile_keeps_out_is_said),
        cmocka_unit_test(leaves_that_are_not_those_of_the_cables_are_named),
        cmocka_unit_test(one_host_has_no_tests_between_hosts),
        cmocka_unit_test(what_passed_only_when_tried_again_is_told),
        cmocka_unit_test(hosts_that_took_turns_are_told),
        cmocka_unit_test(an_acceptance_of_parts_tells_how_many_hosts_were_loaded_at_a_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
