/* SPDX-License-Identifier: Apache-2.0 */
/* The words that mpirun and srun are given, and what real Open MPI makes of them, where it is installed. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../arena_test.h"
#include "assay/base/files.h"
#include "wide.h"

static const char *command_of(struct arena *arena, const char *launcher, const char *hcas)
{
    struct check_context context;
    cleanup_text struct text command = {0};

    text_init(&command, 1 << 16);
    wide_context(arena, launcher, hcas, 3, &context);
    context.check->parts[0].command(&context, &command);
    return arena_strdup(arena, command.bytes);
}

static const char *hosts_of(struct arena *arena, const char *launcher)
{
    struct check_context context;
    cleanup_text struct text hosts = {0};

    text_init(&hosts, 1 << 16);
    wide_context(arena, launcher, "", 3, &context);
    context.check->hosts_file(&context, &hosts);
    return arena_strdup(arena, hosts.bytes);
}

#define TEST_WORDS "all_reduce_perf -b 1M -e 16G -f 2 -n 20 -w 5 -g 1"

static void open_mpi_4_is_given_its_words(void **state)
{
    assert_string_equal(
        command_of(*state, "\"mpi\": \"4\"", WIDE_HCAS),
        "mpirun --allow-run-as-root --leave-session-attached --mca plm_rsh_no_tree_spawn 1 --mca "
        "plm_rsh_num_concurrent 3 --mca plm_rsh_agent ssh --mca plm_rsh_args '-o BatchMode=yes -o "
        "ConnectTimeout=30' "
        "--mca orte_launch_agent \"env ASSAY_ATTEMPT=$ASSAY_ATTEMPT timeout -k $ASSAY_GRACE "
        "$((ASSAY_DEADLINE + 3)) "
        "orted\" --hostfile \"$ASSAY_DIR/hosts\" -np 6 --bind-to none --map-by ppr:2:node -x ASSAY_ATTEMPT "
        "-x "
        "CUDA_DEVICE_ORDER -x PATH -x NCCL_DEBUG=INFO -x NCCL_DEBUG_SUBSYS=INIT,NET -x "
        "NCCL_IB_HCA==mlx5_0,mlx5_1 -x SITE ${LD_LIBRARY_PATH:+-x "
        "LD_LIBRARY_PATH} " TEST_WORDS);
    assert_string_equal(hosts_of(*state, "\"mpi\": \"4\""),
                        "10.0.0.1 slots=2 # n1\n10.0.0.2 slots=2 # n2\n10.0.0.3 slots=2 # n3\n");
}

static void open_mpi_5_is_given_its_words(void **state)
{
    assert_string_equal(
        command_of(*state,
                   "\"mpi\": \"5\", \"mpirun\": \"/opt/ompi/bin/mpirun\", \"prefix\": \"/opt/ompi\", "
                   "\"agent\": \"rsh\", "
                   "\"btl_interfaces\": [\"eth0\", \"10.0.0.0/24\"], \"nccl_socket_ifname\": \"eth0\", "
                   "\"topology_file\": \"/etc/topo.xml\", \"bind_to\": \"numa\", \"map_by\": \"ppr:1:numa\", "
                   "\"flags\": [\"--mca\", \"pml\", \"ob1\"], \"environment\": {\"NCCL_IB_HCA\": \"mlx5\", "
                   "\"A\": \"b c\"}",
                   WIDE_HCAS),
        "/opt/ompi/bin/mpirun --prefix /opt/ompi --allow-run-as-root --leave-session-attached --prtemca "
        "plm_ssh_no_tree_spawn 1 --prtemca plm_ssh_num_concurrent 3 --prtemca plm_ssh_agent rsh --prtemca "
        "prte_launch_agent \"env ASSAY_ATTEMPT=$ASSAY_ATTEMPT timeout -k $ASSAY_GRACE $((ASSAY_DEADLINE + "
        "3)) prted\" "
        "--prtemca prte_if_include eth0,10.0.0.0/24 --mca btl_tcp_if_include eth0,10.0.0.0/24 --hostfile "
        "\"$ASSAY_DIR/hosts\" -np 6 --bind-to numa --map-by ppr:1:numa -x ASSAY_ATTEMPT -x CUDA_DEVICE_ORDER "
        "-x PATH -x NCCL_DEBUG=INFO -x NCCL_DEBUG_SUBSYS=INIT,NET -x NCCL_IB_HCA=mlx5 -x "
        "NCCL_SOCKET_IFNAME=eth0 -x NCCL_TOPO_FILE=/etc/topo.xml -x SITE -x A='b c' "
        "${LD_LIBRARY_PATH:+-x LD_LIBRARY_PATH} --mca pml ob1 " TEST_WORDS);
}

static void slurm_is_given_its_words(void **state)
{
    assert_string_equal(
        command_of(*state,
                   "\"kind\": \"srun\", \"hcas\": [\"mlx5_2:1\"], \"flags\": [\"--partition=gpu\"], "
                   "\"environment\": "
                   "{\"A\": \"b,c\"}",
                   WIDE_HCAS),
        "env NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET NCCL_IB_HCA==mlx5_2:1 A=b,c srun "
        "--nodelist=\"$ASSAY_DIR/hosts\" --nodes=3 --ntasks=6 "
        "--ntasks-per-node=2 --mpi=pmix --export=ALL --kill-on-bad-exit=1 --cpu-bind=none "
        "--partition=gpu " TEST_WORDS);
    assert_string_equal(hosts_of(*state, "\"kind\": \"srun\""), "n1\nn2\nn3\n");
}

static void either_list_of_interfaces_stands_for_both(void **state)
{
    const char *command = command_of(*state, "\"mpi\": \"4\", \"oob_interfaces\": [\"eth0\"]", "");

    assert_non_null(strstr(command, " --mca oob_tcp_if_include eth0 --mca btl_tcp_if_include eth0 "));
    assert_null(strstr(command, "NCCL_IB_HCA"));
}

/* --- as a shell and mpirun take it --- */

struct folder {
    char path[64];
};

static void put(struct arena *arena, const struct folder *folder, const char *name, const char *text)
{
    struct error err = {0};

    if (file_write(arena_printf(arena, "%s/%s", folder->path, name), text, strlen(text), 0755, &err) < 0)
        fail_msg("%s", err.text);
}

/* Runs the part of the step on one host, which is this machine; its exit status. */
static int carry_out(struct arena *arena, const struct folder *folder, const char *launcher,
                     const char **ret_out)
{
    struct check_context context;
    struct error err = {0};
    cleanup_text struct text command = {0}, out = {0};
    int status;

    text_init(&command, 1 << 16);
    text_init(&out, 1 << 16);
    wide_context(arena, launcher, WIDE_HCAS, 1, &context);
    context.check->parts[0].command(&context, &command);
    put(arena, folder, "hosts", "localhost slots=2 # n1\n");
    put(arena, folder, "command", arena_printf(arena, "( %s )\n", command.bytes));
    status = system(arena_printf(arena,
                                 "cd '%s' && PATH=\"$PWD/bin:$PATH\" SITE=1 CUDA_DEVICE_ORDER=PCI_BUS_ID "
                                 "ASSAY_ATTEMPT=u-1 ASSAY_DEADLINE=60 ASSAY_GRACE=1 ASSAY_DIR=\"$PWD\" "
                                 "/bin/sh command >out 2>&1",
                                 folder->path));
    if (file_read(arena_printf(arena, "%s/out", folder->path), &out, &err) < 0)
        fail_msg("%s", err.text);
    *ret_out = arena_strdup(arena, out.bytes);
    return status;
}

static void folder_begin(struct arena *arena, struct folder *folder)
{
    *folder = (struct folder){"/tmp/assay-launcher-XXXXXX"};
    if (mkdtemp(folder->path) == NULL)
        fail_msg("no temporary folder");
    assert_int_equal(mkdir(arena_printf(arena, "%s/bin", folder->path), 0700), 0);
    put(arena, folder, "bin/all_reduce_perf",
        "#!/bin/sh\nprintf '%s\\n' \"mark $ASSAY_ATTEMPT $NCCL_IB_HCA $SITE $A $*\"\n");
}

static void folder_end(const struct folder *folder)
{
    struct error err = {0};

    assert_int_equal(directory_remove(folder->path, &err), 0);
}

static void an_mpirun_of_an_unknown_kind_is_refused_in_words(void **state)
{
    struct folder folder;
    const char *out;

    folder_begin(*state, &folder);
    put(*state, &folder, "bin/mpirun", "#!/bin/sh\necho 'HYDRA build details: Version 4.1'\n");
    assert_int_not_equal(carry_out(*state, &folder, "", &out), 0);
    assert_string_equal(out, "mpirun_of_unknown_kind\tHYDRA build details: Version 4.1\n");
    folder_end(&folder);
}

static void each_open_mpi_is_asked_for_its_version_and_given_its_words(void **state)
{
    static const char *const cases[][2] = {
        {"mpirun (Open MPI) 4.1.7rc1", "--mca orte_launch_agent env ASSAY_ATTEMPT=u-1 timeout -k 1 63 orted"},
        {"mpirun (Open MPI) 5.0.8",
         "--prtemca prte_launch_agent env ASSAY_ATTEMPT=u-1 timeout -k 1 63 prted"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct folder folder;
        const char *out;

        folder_begin(*state, &folder);
        put(*state, &folder, "bin/mpirun",
            arena_printf(*state, "#!/bin/sh\n[ \"$1\" != --version ] || { echo '%s'; exit; }\necho \"$*\"\n",
                         cases[i][0]));
        assert_int_equal(carry_out(*state, &folder, "", &out), 0);
        assert_non_null(strstr(out, cases[i][1]));
        folder_end(&folder);
    }
}

static void real_open_mpi_takes_our_words_and_starts_every_rank(void **state)
{
    static const char line[] = "mark u-1 =mlx5_0,mlx5_1 1 b c -b 1M -e 16G -f 2 -n 20 -w 5 -g 1\n";
    struct folder folder;
    const char *out;

    if (system("mpirun --version 2>/dev/null | grep -q 'Open MPI'") != 0)
        skip();
    folder_begin(*state, &folder);
    if (carry_out(*state, &folder,
                  "\"environment\": {\"A\": \"b c\"}, \"btl_interfaces\": [\"lo\"], \"flags\": "
                  "[\"--oversubscribe\"]",
                  &out) != 0)
        fail_msg("%s", out);
    out = strstr(out, "mark ");
    assert_non_null(out);
    assert_string_equal(out, arena_printf(*state, "%s%s", line, line));
    folder_end(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(open_mpi_4_is_given_its_words),
        ARENA_TEST(open_mpi_5_is_given_its_words),
        ARENA_TEST(slurm_is_given_its_words),
        ARENA_TEST(either_list_of_interfaces_stands_for_both),
        ARENA_TEST(an_mpirun_of_an_unknown_kind_is_refused_in_words),
        ARENA_TEST(each_open_mpi_is_asked_for_its_version_and_given_its_words),
        ARENA_TEST(real_open_mpi_takes_our_words_and_starts_every_rank),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
