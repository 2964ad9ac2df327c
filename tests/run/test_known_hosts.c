/* SPDX-License-Identifier: Apache-2.0 */
/* Whose host key is whose: plain and hashed names, several on a line, other ports; and files of a whole cluster. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "../unit_test.h"
#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "known_hosts.h"

enum { HOSTS = 20000 };

static const char type[] = "ssh-ed25519";

enum { KEY_BYTES = 51, KEY_BASE64 = KEY_BYTES / 3 * 4 + 1 };

/* Another key for each number: its type, and 32 bytes. */
static void key_of(unsigned number, char key[KEY_BYTES + 1])
{
    memcpy(key, "\0\0\0\013ssh-ed25519\0\0\0\040", 19);
    snprintf(key + 19, KEY_BYTES + 1 - 19, "key%029u", number);
}

static void encode_key(unsigned number, char ret_base64[KEY_BASE64])
{
    char key[KEY_BYTES + 1];

    key_of(number, key);
    EVP_EncodeBlock((unsigned char *)ret_base64, (const unsigned char *)key, KEY_BYTES);
}

static void put_key(struct text *file, unsigned number)
{
    char encoded[KEY_BASE64];

    encode_key(number, encoded);
    text_printf(file, " %s %s\n", type, encoded);
}

static void put_hashed(struct text *file, const char *name, unsigned number)
{
    unsigned char salt[20], hash[EVP_MAX_MD_SIZE], salt64[32], hash64[32];

    memset(salt, (int)(number % 251), sizeof salt);
    HMAC(EVP_sha1(), salt, sizeof salt, (const unsigned char *)name, strlen(name), hash, NULL);
    EVP_EncodeBlock(salt64, salt, sizeof salt);
    EVP_EncodeBlock(hash64, hash, 20);
    text_printf(file, "|1|%s|%s", (const char *)salt64, (const char *)hash64);
    put_key(file, number);
}

static struct known_hosts *known_by(struct known_hosts **list, const struct text *file)
{
    char path[] = "/tmp/assay-known-XXXXXX";
    int fd = mkstemp(path);
    struct known_hosts *known;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, file->bytes, file->length), file->length);
    close(fd);
    known = known_hosts_get(list, path, false);
    unlink(path);
    return known;
}

static enum known_host ask(struct known_hosts *known, const char *host, unsigned port, unsigned number)
{
    struct known_host_line line;
    char key[KEY_BYTES + 1];

    key_of(number, key);
    return known_hosts_check(known, host, port, type, key, KEY_BYTES, &line);
}

static void a_host_is_known_by_any_of_its_names(void **state)
{
    cleanup_text struct text file = {0};
    struct known_hosts *list = NULL, *known;

    (void)state;
    text_init(&file, 64 * 1024);
    text_put(&file, "# ours\n\nplain,10.0.0.1,[other]:2222");
    put_key(&file, 1);
    put_hashed(&file, "hashed", 2);
    put_hashed(&file, "[hashed]:2222", 3);
    text_put(&file, "|1|bad|line ssh-ed25519 AAAA\n");
    known = known_by(&list, &file);
    assert_int_equal(ask(known, "plain", 22, 1), KNOWN_HOST_MATCH);
    assert_int_equal(ask(known, "10.0.0.1", 22, 1), KNOWN_HOST_MATCH);
    assert_int_equal(ask(known, "other", 2222, 1), KNOWN_HOST_MATCH);
    assert_int_equal(ask(known, "other", 22, 1), KNOWN_HOST_UNKNOWN);
    assert_int_equal(ask(known, "plain", 22, 9), KNOWN_HOST_CHANGED);
    assert_int_equal(ask(known, "hashed", 22, 2), KNOWN_HOST_MATCH);
    assert_int_equal(ask(known, "hashed", 22, 3), KNOWN_HOST_CHANGED);
    assert_int_equal(ask(known, "hashed", 2222, 3), KNOWN_HOST_MATCH);
    assert_int_equal(ask(known, "hashed", 2222, 9), KNOWN_HOST_CHANGED);
    assert_int_equal(ask(known, "hashed", 2222, 3), KNOWN_HOST_MATCH);
    assert_int_equal(ask(known, "nobody", 22, 1), KNOWN_HOST_UNKNOWN);
    known_hosts_release(list);
}

/* Of the lines below: '$' stands for the key that the host shows, '%' for another one. */
static struct known_hosts *known_by_lines(struct known_hosts **list, const char *lines)
{
    cleanup_text struct text file = {0};
    char shown[KEY_BASE64], other[KEY_BASE64];

    encode_key(1, shown);
    encode_key(2, other);
    text_init(&file, 64 * 1024);
    for (; *lines != '\0'; lines++)
        if (*lines == '$' || *lines == '%')
            text_printf(&file, "%s %s", type, *lines == '$' ? shown : other);
        else
            text_add(&file, lines, 1);
    return known_by(list, &file);
}

static void every_line_that_names_a_host_is_heard(void **state)
{
    static const struct {
        const char *lines, *host;
        unsigned port;
        enum known_host answer;
    } cases[] = {
        /* patterns, and another key under one */
        {"*.example $\n", "node1.example", 22, KNOWN_HOST_MATCH},
        {"*.example %\n", "node1.example", 22, KNOWN_HOST_CHANGED},
        {"*.example %\n", "node1.elsewhere", 22, KNOWN_HOST_UNKNOWN},
        {"node? %\n", "node1", 22, KNOWN_HOST_CHANGED},
        {"node? %\n", "node12", 22, KNOWN_HOST_UNKNOWN},
        {"node?? %\n", "node1", 22, KNOWN_HOST_UNKNOWN},
        {"10.0.*.7 %\n", "10.0.33.7", 22, KNOWN_HOST_CHANGED},
        {"*a*b*c* %\n", "xxacbzz", 22, KNOWN_HOST_UNKNOWN},
        {"*a*b*c* %\n", "xxaybaczzbzcz", 22, KNOWN_HOST_CHANGED},
        {"* %\nnode1 $\n", "node1", 22, KNOWN_HOST_MATCH},
        {"node1 $\n* %\n", "node1", 22, KNOWN_HOST_MATCH},
        {"[node1] %\n", "n", 22, KNOWN_HOST_UNKNOWN},
        /* a negation outweighs the rest of its line, and of no other */
        {"node*,!node1 %\n", "node1", 22, KNOWN_HOST_UNKNOWN},
        {"!node1,node* %\n", "node1", 22, KNOWN_HOST_UNKNOWN},
        {"!node1,node* %\n", "node2", 22, KNOWN_HOST_CHANGED},
        {"!node2 %\n", "node1", 22, KNOWN_HOST_UNKNOWN},
        {"!node1,* $\nnode1 %\n", "node1", 22, KNOWN_HOST_CHANGED},
        /* ports */
        {"* %\n", "node1", 2222, KNOWN_HOST_CHANGED},
        {"node* %\n", "node1", 2222, KNOWN_HOST_UNKNOWN},
        {"[node*]:2222 %\n", "node1", 2222, KNOWN_HOST_CHANGED},
        {"[node1]:* %\n", "node1", 2222, KNOWN_HOST_CHANGED},
        {"[node1]:22 %\n", "node1", 22, KNOWN_HOST_UNKNOWN},
        {"node* $\n", "node1", 2222, KNOWN_HOST_MATCH},
        {"node* $\n[node1]:2222 %\n", "node1", 2222, KNOWN_HOST_CHANGED},
        {"node1 $\n[node1]:2222 ssh-rsa AAAA\n", "node1", 2222, KNOWN_HOST_BEYOND},
        /* letters */
        {"NODE1 %\n", "node1", 22, KNOWN_HOST_CHANGED},
        {"node1 %\n", "Node1", 22, KNOWN_HOST_CHANGED},
        {"NODE* $\n", "node1", 22, KNOWN_HOST_MATCH},
        /* lists, blanks, the ends of lines, comments */
        {"a,node1,b %\n", "node1", 22, KNOWN_HOST_CHANGED},
        {" \t node1\t%  a comment\n", "node1", 22, KNOWN_HOST_CHANGED},
        {"node1 $\r\n", "node1", 22, KNOWN_HOST_MATCH},
        {"node1 $ comment\r\n", "node1", 22, KNOWN_HOST_MATCH},
        {"# node1 %\n", "node1", 22, KNOWN_HOST_UNKNOWN},
        {"node1 %", "node1", 22, KNOWN_HOST_CHANGED},
        /* markers */
        {"@revoked node1 $\nnode1 $\n", "node1", 22, KNOWN_HOST_REVOKED},
        {"@revoked other $\nnode1 $\n", "node1", 22, KNOWN_HOST_REVOKED},
        {"@revoked node1 %\nnode1 $\n", "node1", 22, KNOWN_HOST_MATCH},
        {"@revoked node1 %\n", "node1", 22, KNOWN_HOST_UNKNOWN},
        {"@revoked * ssh-ed25519 AAA\nnode1 $\n", "node1", 22, KNOWN_HOST_REVOKED},
        {"@cert-authority *.example %\n", "node1.example", 22, KNOWN_HOST_BEYOND},
        {"@cert-authority *.example $\n", "node1.example", 22, KNOWN_HOST_BEYOND},
        {"@cert-authority *.example %\n", "node1.elsewhere", 22, KNOWN_HOST_UNKNOWN},
        {"@cert-authority *,!node1 %\n", "node1", 22, KNOWN_HOST_UNKNOWN},
        {"@cert-authority * %\nnode1 $\n", "node1", 22, KNOWN_HOST_MATCH},
        {"@cert-authority node1 %\n", "node1", 2222, KNOWN_HOST_BEYOND},
        {"@revoke node1 %\n", "node1", 22, KNOWN_HOST_UNREADABLE},
        {"@revoked @cert-authority node1 %\n", "node1", 22, KNOWN_HOST_UNREADABLE},
        /* other types */
        {"node1 ssh-rsa AAAA\n", "node1", 22, KNOWN_HOST_BEYOND},
        {"node1 ssh-rsa AAAA\nnode1 $\n", "node1", 22, KNOWN_HOST_MATCH},
        {"node1 ssh-rsa AAAA\nnode1 %\n", "node1", 22, KNOWN_HOST_CHANGED},
        {"node1 ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYA\n", "node1", 22, KNOWN_HOST_CHANGED},
        /* what cannot be read */
        {"node1\n", "node1", 22, KNOWN_HOST_UNREADABLE},
        {"node1 ssh-ed25519\n", "node1", 22, KNOWN_HOST_UNREADABLE},
        {"node* ssh-ed25519 AAAAC3Nz\n", "node1", 22, KNOWN_HOST_UNREADABLE},
        {"node1 ssh-ed25519 AAAA-\n", "node1", 22, KNOWN_HOST_UNREADABLE},
        {"node1 ssh-ed25519 AAAA\nnode1 $\n", "node1", 22, KNOWN_HOST_MATCH},
        {"other ssh-ed25519 AAAA\n", "node1", 22, KNOWN_HOST_UNKNOWN},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct known_hosts *list = NULL;
        enum known_host answer = ask(known_by_lines(&list, cases[i].lines), cases[i].host, cases[i].port, 1);

        if (answer != cases[i].answer)
            fail_msg("case %zu: %s port %u, %s: %d, not %d", i, cases[i].host, cases[i].port, cases[i].lines,
                     (int)answer, (int)cases[i].answer);
        known_hosts_release(list);
    }
}

static void a_line_with_a_name_longer_than_openssh_reads_names_nobody(void **state)
{
    cleanup_text struct text lines = {0};
    struct known_hosts *list = NULL;

    (void)state;
    text_init(&lines, 4096);
    text_printf(&lines, "node1,%01023d $\n", 0);
    assert_int_equal(ask(known_by_lines(&list, lines.bytes), "node1", 22, 1), KNOWN_HOST_UNKNOWN);
    known_hosts_release(list);
}

static void a_file_that_cannot_be_read_is_not_an_empty_one(void **state)
{
    struct known_hosts *list = NULL;
    struct known_hosts *known = known_hosts_get(&list, "/tmp", false);

    (void)state;
    assert_int_equal(ask(known, "node1", 22, 1), KNOWN_HOST_UNREADABLE);
    known_hosts_release(list);
}

static void the_line_that_decides_is_told(void **state)
{
    struct known_hosts *list = NULL;
    struct known_hosts *known = known_by_lines(&list, "# ours\nother $\n\nnode* %\n");
    struct known_host_line line;
    char key[KEY_BYTES + 1];

    (void)state;
    key_of(1, key);
    assert_int_equal(known_hosts_check(known, "node1", 22, type, key, KEY_BYTES, &line), KNOWN_HOST_CHANGED);
    assert_int_equal(line.number, 4);
    assert_memory_equal(line.path, "/tmp/assay-known-", 17);
    known_hosts_release(list);
}

/* Processor time to look up each of so many hosts in a file that has them all; by plain names, for a hashed one has to be
   compared with every other. */
static double seconds_to_find(unsigned hosts)
{
    cleanup_text struct text file = {0};
    struct known_hosts *list = NULL, *known;
    clock_t before;
    char name[32];
    double taken;

    text_init(&file, 4 << 20);
    for (unsigned i = 0; i < hosts; i++) {
        snprintf(name, sizeof name, "node%u", i);
        text_put(&file, name);
        put_key(&file, i);
    }
    known = known_by(&list, &file);
    before = clock();
    for (unsigned i = 0; i < hosts; i++) {
        cleanup_text struct text order = {0};

        snprintf(name, sizeof name, "node%u", i);
        text_init(&order, 1024);
        known_hosts_order(known, name, 22, &order);
        assert_memory_equal(order.bytes, type, strlen(type));
        assert_int_equal(ask(known, name, 22, i), KNOWN_HOST_MATCH);
        assert_int_equal(ask(known, name, 22, i + 1), KNOWN_HOST_CHANGED);
    }
    taken = (double)(clock() - before) / CLOCKS_PER_SEC;
    known_hosts_release(list);
    return taken;
}

/* With one list for all lines each host of the larger cluster would take ten times as long. */
static void a_host_of_a_large_cluster_is_found_as_fast_as_one_of_a_small(void **state)
{
    double few = seconds_to_find(HOSTS / 10), many = seconds_to_find(HOSTS);

    (void)state;
    print_message("# CPU: %d hosts %.3f s, %d hosts %.3f s\n", HOSTS / 10, few, HOSTS, many);
    assert_true(many < 10 * few * 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_is_known_by_any_of_its_names),
        cmocka_unit_test(every_line_that_names_a_host_is_heard),
        cmocka_unit_test(a_line_with_a_name_longer_than_openssh_reads_names_nobody),
        cmocka_unit_test(a_file_that_cannot_be_read_is_not_an_empty_one),
        cmocka_unit_test(the_line_that_decides_is_told),
        cmocka_unit_test(a_host_of_a_large_cluster_is_found_as_fast_as_one_of_a_small),
    };

    return cmocka_run_group_tests_name("known_hosts", tests, NULL, NULL);
}
