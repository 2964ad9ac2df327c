/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "../arena_test.h"
#include "assay/parse/inventory.h"

static const char nodes[] =
    "NodeName=gpu001 Arch=x86_64 CoresPerSocket=48 Gres=gpu:h100:8(S:0-1),mps:800 NodeAddr=10.0.0.11 "
    "NodeHostName=gpu001 Version=23.02.6 OS=Linux 5.15.0-91-generic #101-Ubuntu SMP Tue Nov 14 13:30:08 UTC "
    "2023 RealMemory=2000000 State=IDLE ThreadsPerCore=2 Partitions=batch,all "
    "BootTime=2026-01-01T00:00:00\n"
    "NodeName=gpu002 Gres=gpu:h100:8(S:0,1) NodeAddr=10.0.0.12 State=MIXED Partitions=batch,all\n"
    "NodeName=gpu003 Gres=gpu:h100:8(S:0-1) NodeAddr=10.0.0.13 State=DOWN*+DRAIN Partitions=batch,all "
    "Reason=fans are broken [ops@2026-01-02T03:04:05]\n"
    "NodeName=gpu004 Gres=gpu:nvidia_h100_80gb_hbm3:8 NodeAddr=10.0.0.44 State=ALLOCATED "
    "Partitions=batch,all\n"
    "NodeName=login1 Gres=(null) NodeAddr=10.0.0.1 State=IDLE Partitions=login\n"
    "NodeName=gpu005 Gres=gpu:h100:8 State=FUTURE\n";
static const char topology[] = "SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=gpu[001-002]\n"
                               "SwitchName=leaf2 Level=0 LinkSpeed=1 Nodes=gpu[003-004]\n"
                               "SwitchName=spine Level=1 LinkSpeed=1 Nodes=gpu[001-004] Switches=leaf[1-2]\n";

/* The hostfile of the texts. */
static const char *made_of(struct arena *arena, const char *unit, const char *const *texts)
{
    struct inventory inventory = {.keys = {.unit = unit, .rack = "example.com/rack"}};
    cleanup_text struct text out = {0};
    struct error err = {0};

    for (size_t i = 0; texts[i] != NULL; i++)
        if (inventory_read(arena, &inventory, "saved", slice_of(texts[i]), &err) < 0)
            fail_msg("%s", err.text);
    text_init(&out, 1 << 20);
    if (inventory_write(arena, &inventory, &out, &err) < 0)
        fail_msg("%s", err.text);
    return arena_strdup(arena, out.bytes);
}

#define MADE_OF(...) made_of(*state, NULL, (const char *const[]){__VA_ARGS__, NULL})

static const char *refusal_of(struct arena *arena, const char *text, enum host_scheduler scheduler)
{
    struct inventory inventory = {.scheduler = scheduler};
    cleanup_text struct text out = {0};
    struct error err = {0};

    text_init(&out, 1 << 20);
    if (inventory_read(arena, &inventory, "saved", slice_of(text), &err) == 0 &&
        inventory_write(arena, &inventory, &out, &err) == 0)
        fail_msg("taken: %s", out.bytes);
    return arena_strdup(arena, err.text);
}

static void slurm_nodes_and_topology_are_a_hostfile(void **state)
{
    assert_string_equal(
        MADE_OF(topology, nodes),
        "# 4 of 6 nodes, as Slurm reports them. Check this file before a run; nothing was guessed.\n"
        "# listed, and to be looked at:\n"
        "#   gpu[001-003]: no one built-in platform has 8 GPUs h100: add platform=\n"
        "#   gpu003: DOWN*+DRAIN: fans are broken [ops@2026-01-02T03:04:05]\n"
        "# left out:\n"
        "#   login1: has no GPU, and others have\n"
        "#   gpu005: does not exist yet (FUTURE)\n"
        "defaults scheduler=slurm\n"
        "gpu[001-002] address=10.0.0.[11-12] slots=8 leaf=leaf1 label.partition=batch,all "
        "label.product=h100\n"
        "gpu003 address=10.0.0.13 slots=8 leaf=leaf2 label.partition=batch,all label.product=h100\n"
        "gpu004 address=10.0.0.44 slots=8 platform=hgx-h100 leaf=leaf2 label.partition=batch,all "
        "label.product=nvidia_h100_80gb_hbm3\n");
}

static void the_order_of_texts_and_lines_does_not_matter(void **state)
{
    assert_string_equal(MADE_OF(nodes, topology), MADE_OF(topology, nodes));
    assert_string_equal(MADE_OF("NodeName=n1 Arch=x86_64\n   Gres=gpu:4\n   NodeAddr=n1 NodeHostName=n1\n"
                                "   State=IDLE ThreadsPerCore=1\n   Partitions=all\n\n"),
                        MADE_OF("NodeName=n1 Gres=gpu:4 NodeAddr=n1 State=IDLE Partitions=all\n"));
}

static void partitions_are_units_only_where_asked(void **state)
{
    static const char node[] = "NodeName=n1 Gres=gpu:8 State=IDLE Partitions=su1\n";
    const char *const texts[] = {node, NULL};

    assert_null(strstr(MADE_OF(node), "unit="));
    assert_non_null(strstr(made_of(*state, "partition", texts), " unit=su1 "));
}

static void a_node_of_two_leaves_has_none(void **state)
{
    const char *made = MADE_OF("SwitchName=a Nodes=n1\nSwitchName=b Nodes=n[1-2]\nSwitchName=c Nodes=n1\n"
                               "SwitchName=top Switches=[a-c]\n",
                               "NodeName=n1 State=IDLE\nNodeName=n2 State=IDLE\n");

    assert_non_null(strstr(made, "\nn1\n"));
    assert_non_null(strstr(made, "\nn2 leaf=b\n"));
    assert_non_null(strstr(made, "#   n1: is connected to several leaf switches: none is given\n"));
}

static void several_kinds_are_counted_and_told(void **state)
{
    const char *made = MADE_OF("NodeName=n1 Gres=gpu:a100:4(S:0,1),gpu:nvidia_h100_80gb_hbm3:4 State=IDLE\n"
                               "NodeName=n2 Gres=npu:16 State=IDLE\n");

    assert_non_null(strstr(made, "\nn1 slots=8 label.product="));
    assert_non_null(strstr(made, "\nn2 slots=16\n"));
    assert_non_null(strstr(made, "n1: has accelerators of several kinds"));
    assert_null(strstr(made, "platform=hgx"));
}

static void addresses_that_do_not_run_with_the_names_stand_one_by_one(void **state)
{
    assert_non_null(strstr(MADE_OF("NodeName=n1 NodeAddr=10.0.0.9 State=IDLE\n"
                                   "NodeName=n2 NodeAddr=10.0.0.3 State=IDLE\n"),
                           "\nn1 address=10.0.0.9\nn2 address=10.0.0.3\n"));
}

static void sinfo_gives_names_and_says_what_it_does_not_tell(void **state)
{
    const char *made = MADE_OF("PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\n"
                               "train*       up   infinite      1  down* gpu3\n"
                               "train*       up   infinite      2   idle gpu[1-2]\n");

    assert_non_null(strstr(made, "\ngpu[1-3] label.partition=train\n"));
    assert_non_null(strstr(made, "gpu3: down*\n"));
    assert_non_null(strstr(made, "add slots="));
}

#define KUBERNETES_NODE(name, address, more, labels, spec, capacity, ready)                     \
    "{\"kind\": \"Node\", \"metadata\": {\"name\": \"" name "\", \"labels\": {" labels          \
    "}}, \"spec\": {" spec "}, \"status\": {\"addresses\": [{\"type\": \"Hostname\", "          \
    "\"address\": \"" name "\"}, {\"type\": \"InternalIP\", \"address\": \"" address "\"}" more \
    "], \"capacity\": {\"cpu\": \"192\"" capacity "}, \"conditions\": [{\"type\": \"Ready\", "  \
    "\"status\": " ready "}]}}"
#define H100 "\"nvidia.com/gpu.product\": \"NVIDIA-H100-80GB-HBM3\", "
#define PLACE                                                                         \
    "\"example.com/rack\": \"r1\", \"network.topology.nvidia.com/leaf\": \"leaf1\", " \
    "\"topology.kubernetes.io/zone\": \"z1\""

static void kubernetes_nodes_are_a_hostfile(void **state)
{
    static const char list[] = "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [" KUBERNETES_NODE(
        "gpu-1", "10.1.0.1", ", {\"type\": \"InternalIP\", \"address\": \"fd00::1\"}",
        H100 "\"nvidia.com/gpu.count\": \"8\", " PLACE, "", ", \"nvidia.com/gpu\": \"8\"",
        "\"True\"") "," KUBERNETES_NODE("gpu-2", "10.1.0.2", "", H100 PLACE, "\"unschedulable\": true",
                                        ", \"nvidia.com/gpu\": \"8\"",
                                        "\"Unknown\", \"reason\": \"NodeStatusUnknown\"") "," KUBERNETES_NODE("gpu-3",
                                                                                                              "10.1.0.3",
                                                                                                              "",
                                                                                                              "\"nvidia.com/gpu.product\": \"NVIDIA-H100-80GB-HBM3-SHARED\", "
                                                                                                              "\"nvidia.com/gpu.count\": \"8\"",
                                                                                                              "",
                                                                                                              ", \"nvidia.com/gpu\": \"32\"",
                                                                                                              "\"True\"") "," KUBERNETES_NODE("control",
                                                                                                                                              "10.1.0.9",
                                                                                                                                              "",
                                                                                                                                              "\"node-role.kubernetes.io/control-plane\": \"\"",
                                                                                                                                              "",
                                                                                                                                              "",
                                                                                                                                              "\"True\"") "]}";

    assert_string_equal(
        MADE_OF(list),
        "# 3 of 4 nodes, as Kubernetes reports them. Check this file before a run; nothing was guessed.\n"
        "# listed, and to be looked at:\n"
        "#   gpu-2: cordoned, not Ready: NodeStatusUnknown\n"
        "#   gpu-3: no one built-in platform has 8 GPUs NVIDIA-H100-80GB-HBM3-SHARED: add platform=\n"
        "# left out:\n"
        "#   control: has no GPU, and others have\n"
        "defaults scheduler=kubernetes\n"
        "gpu-[1-2] address=10.1.0.[1-2] slots=8 platform=hgx-h100 rack=r1 leaf=leaf1 label.zone=z1 "
        "label.product=NVIDIA-H100-80GB-HBM3\n"
        "gpu-3 address=10.1.0.3 slots=8 label.product=NVIDIA-H100-80GB-HBM3-SHARED\n");
}

static void what_is_no_inventory_is_refused(void **state)
{
    assert_non_null(
        strstr(refusal_of(*state, "node1 slots=8\n", SCHEDULER_SLURM), "is not the output of one of"));
    assert_non_null(strstr(refusal_of(*state, "", SCHEDULER_SLURM), "is not the output of one of"));
    assert_non_null(
        strstr(refusal_of(*state, "{\"kind\": \"List\", \"items\": []}", SCHEDULER_KUBERNETES), "no node"));
    assert_non_null(
        strstr(refusal_of(*state, "{\"kind\": \"List\", \"items\": [", SCHEDULER_KUBERNETES), "saved:1:"));
    assert_non_null(strstr(refusal_of(*state, nodes, SCHEDULER_KUBERNETES), "is of slurm"));
    assert_non_null(strstr(refusal_of(*state, topology, SCHEDULER_SLURM), "no node is left"));
    assert_non_null(
        strstr(refusal_of(*state, "NodeName=n1 State=FUTURE\n", SCHEDULER_SLURM), "no node is left"));
}

static void a_name_that_no_hostfile_may_hold_is_refused(void **state)
{
    assert_non_null(strstr(refusal_of(*state, "NodeName=-oProxyCommand=x State=IDLE\n", SCHEDULER_SLURM),
                           "is not a host name"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(slurm_nodes_and_topology_are_a_hostfile),
        ARENA_TEST(the_order_of_texts_and_lines_does_not_matter),
        ARENA_TEST(partitions_are_units_only_where_asked),
        ARENA_TEST(a_node_of_two_leaves_has_none),
        ARENA_TEST(several_kinds_are_counted_and_told),
        ARENA_TEST(addresses_that_do_not_run_with_the_names_stand_one_by_one),
        ARENA_TEST(sinfo_gives_names_and_says_what_it_does_not_tell),
        ARENA_TEST(kubernetes_nodes_are_a_hostfile),
        ARENA_TEST(what_is_no_inventory_is_refused),
        ARENA_TEST(a_name_that_no_hostfile_may_hold_is_refused),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("inventory", tests, NULL, NULL);
}
