/* SPDX-License-Identifier: Apache-2.0 */
/* What a redactor leaves alone, and that what it puts in is in the form of what it took; tests/attacks has what it finds. */
#include <stdio.h>
#include <string.h>

#include "../unit_test.h"
#include "assay/model/platform.h"
#include "assay/model/redact.h"

static const char key[REDACTION_KEY_SIZE] =
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

/* As an export does it: twice, and the second is kept. In the arena. */
static const char *redacted(struct arena *arena, struct redactor *redactor, const char *bytes)
{
    const char *made = "";

    for (int i = 0; i < 2; i++) {
        cleanup_text struct text text = {0};

        text_init(&text, 16 << 20);
        redact(redactor, slice_of(bytes), &text, arena, NULL);
        made = arena_strndup(arena, text.bytes, text.length);
    }
    return made;
}

static void expect(const char *bytes, const char *wanted)
{
    struct arena *arena = arena_create();
    struct redactor *redactor = redactor_create(arena, NULL, key);

    assert_string_equal(redacted(arena, redactor, bytes), wanted);
    arena_destroy(arena);
}

/* Else a redacted run would be judged by other documents than it was planned with. */
static void documents_of_the_program_hold_nobodys_name(void **state)
{
    struct arena *arena = arena_create();
    struct redactor *redactor = redactor_create(arena, NULL, key);
    size_t count;
    const struct builtin *list = builtin_list(&count);

    (void)state;
    assert_true(count > 10);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].kind, "schemas") != 0) /* these have addresses as examples, and are in no run */
            assert_string_equal(redacted(arena, redactor, list[i].bytes.bytes), list[i].bytes.bytes);
    assert_int_equal(redactor_pseudonyms(redactor)->list.count, 0);
    arena_destroy(arena);
}

static void words_of_tools_stay(void **state)
{
    static const char *const texts[] = {
        "PATH=/usr/bin:/bin:/opt/x std::fixed libfoo.so.1 compare.ptx a.out torch.int 2.18.5+cuda12.2\n",
        "0000:10:00.0 3D controller: NVIDIA\n10de:2330:10de:16c1 0xffff888100000000 0x0000000000000001\n",
        "memcpy@GLIBC_2.14 getty@tty1.service openmpi@4.1.5 on host memory to host engine user space\n",
        "https://docs.nvidia.com/deploy https://github.com/NVIDIA/nccl-tests nvcr.io/nvidia/pytorch:24.01\n",
        "-rw-r--r-- 1 root video 0 Mar  1 12:00 x\nroot 1 0.0 0.1 167744 11520 ? Ss Mar01 0:07 init\n",
        "ff:ff:ff:ff:ff:ff 00:00:00:00:00:00 version 2.1.1.9b8a3f0 job 7 of 9 Linux version 5.15.0\n",
        "uuid,name,temp\nGPU-6b0c5e3a, 0, 45, 300, 1\n0000:1b:00.0,mlx5_0,12,34\n/dev/sda,x,1,2,3\n3,4,5,6,7\n",
        "A100-SXM4-40GB, 470.82, P0, 45, 300\nGPU-6b0c5e3a, P0, 45, 300\n{Quantum Mellanox Technologies} LID:000C\n",
        "# counters 0\n43009 12 7 7 0\n# counters 1\nnode,port,out,in\nno counters\nSXM4,470.82,x,y\n",
        "[root@localhost ~]# ~5% of it daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\nuser: N/A\n",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        expect(texts[i], texts[i]);
}

static void hardware_keeps_its_form_and_is_the_same_in_each(void **state)
{
    (void)state;
    expect("node guid 0x506b4b0300cafe01, 506b:4b03:00ca:fe01, 506b4b0300cafe01, 50:6b:4b:03:00:ca:fe:01\n",
           "node guid 0x020000fffe000001, 0200:00ff:fe00:0001, 020000fffe000001, 02:00:00:ff:fe:00:00:01\n");
    expect("link/ether 50:6B:4B:ca:fe:01 506b4bcafe01 enx506b4bcafe01 50-6b-4b-ca-fe-01\n",
           "link/ether 02:00:00:00:00:01 020000000001 enx020000000001 02-00-00-00-00-01\n");
}

/* A common word is replaced where it must be a name, and nowhere else. */
static void a_user_who_is_called_as_a_tool_takes_no_word_away(void **state)
{
    (void)state;
    expect("-rw-r--r-- 1 nccl gpu 4096 Mar  1 12:00 x\nnccl on gpu 3\n",
           "-rw-r--r-- 1 anon-user1 anon-user2 4096 Mar  1 12:00 x\nnccl on gpu 3\n");
    expect("session opened for user erika\nErika's job\n",
           "session opened for user anon-user1\nanon-user1's job\n");
}

/* As posture.sh tells them, and as the check says it later. */
static void accounts_of_a_host_are_known_by_its_rows(void **state)
{
    (void)state;
    expect("posture.user\tzelda\tuid 1001\nposture.key\tquux\tSHA256:x zelda@login\n"
           "zelda (uid 1001) is not agreed; SHA256:x (quux)\nposture.user\troot\tuid 0\n",
           "posture.user\tanon-user1\tuid 1001\nposture.key\tanon-user2\tSHA256:x anon-user1@anon-host1\n"
           "anon-user1 (uid 1001) is not agreed; SHA256:x (anon-user2)\nposture.user\troot\tuid 0\n");
}

/* Nothing but the reading that they are of tells that a name comes first, however a site's program writes it. */
static void switches_that_were_counted_are_known(void **state)
{
    (void)state;
    expect(
        "# counters 0\nquux1 , swp1 , 12 , 34\n\"quux2\", \"swp1\", \"12\", \"34\"\n# counters 1\n quuy1,swp2,1x,-\nQUUX2\n",
        "# counters 0\nanon-host1 , swp1 , 12 , 34\n\"anon-host2\", \"swp1\", \"12\", \"34\"\n# counters 1\n anon-host3,swp2,1x,-\nanon-host2\n");
}

static void switches_of_a_sweep_are_known(void **state)
{
    (void)state;
    expect(
        "Rev:000000A0 {quux1} LID:000C PN:01 }\n\"quuy-a\", Mellanox, 0x1, LID 12\n 13    1[  ] \"quuz1\" ( )\n",
        "Rev:000000A0 {anon-host1} LID:000C PN:01 }\n\"anon-host2\", Mellanox, 0x1, LID 12\n 13    1[  ] \"anon-host3\" ( )\n");
}

static void a_list_of_hosts_goes_on_behind_blanks(void **state)
{
    (void)state;
    expect("on nodes quux1, quuy2 , \"quuz3\" and then, as ever, stops\n",
           "on nodes anon-host1, anon-host2 , \"anon-host3\" and then, as ever, stops\n");
}

static void a_table_ends_where_its_rows_do(void **state)
{
    (void)state;
    expect("USER    PID %CPU\nbertha   12  0.1\nTotal time 12\nbertha\n",
           "USER    PID %CPU\nanon-user1   12  0.1\nTotal time 12\nanon-user1\n");
}

static void a_hash_of_what_was_changed_is_keyed_wherever_it_stands(void **state)
{
    static const char sha256[] = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    struct arena *arena = arena_create();
    struct redactor *redactor = redactor_create(arena, NULL, key),
                    *other = redactor_create(arena, NULL, NULL);
    char keyed[SHA256_HEX_SIZE], again[SHA256_HEX_SIZE];
    const char *text = arena_printf(arena, "SHA-256 %s, in short %.16s, not %.15s", sha256, sha256, sha256);

    (void)state;
    assert_string_equal(redacted(arena, redactor, text), text);
    redactor_know_hash(redactor, sha256);
    redaction_keyed(key, sha256, keyed);
    assert_string_equal(redacted(arena, redactor, text),
                        arena_printf(arena, "SHA-256 %s, in short %.16s, not %.15s", keyed, keyed, sha256));
    redactor_keyed(other, sha256, again);
    assert_string_not_equal(keyed, again);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_of_the_program_hold_nobodys_name),
        cmocka_unit_test(words_of_tools_stay),
        cmocka_unit_test(hardware_keeps_its_form_and_is_the_same_in_each),
        cmocka_unit_test(a_user_who_is_called_as_a_tool_takes_no_word_away),
        cmocka_unit_test(accounts_of_a_host_are_known_by_its_rows),
        cmocka_unit_test(switches_that_were_counted_are_known),
        cmocka_unit_test(switches_of_a_sweep_are_known),
        cmocka_unit_test(a_list_of_hosts_goes_on_behind_blanks),
        cmocka_unit_test(a_table_ends_where_its_rows_do),
        cmocka_unit_test(a_hash_of_what_was_changed_is_keyed_wherever_it_stands),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("redact", tests, NULL, NULL);
}
