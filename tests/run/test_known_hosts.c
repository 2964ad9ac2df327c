/* SPDX-License-Identifier: Apache-2.0 */
/* Whose host key is whose: plain and hashed names, several on a line, other ports; and files of a whole cluster. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "assay/arena.h"
#include "assay/cleanup.h"
#include "known_hosts.h"

enum { HOSTS = 3000 };

static const char type[] = "ssh-ed25519";

/* Another key for each number; its blob is not looked into. */
static void key_of(unsigned number, char key[16])
{
    snprintf(key, 16, "key%012u", number);
}

static void put_key(struct text *file, unsigned number)
{
    unsigned char encoded[32];
    char key[16];

    key_of(number, key);
    EVP_EncodeBlock(encoded, (const unsigned char *)key, 15);
    text_printf(file, " %s %s\n", type, (const char *)encoded);
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
    known = known_hosts_get(list, path);
    unlink(path);
    return known;
}

static enum known_host ask(struct known_hosts *known, const char *host, unsigned port, unsigned number)
{
    char key[16];

    key_of(number, key);
    return known_hosts_check(known, host, port, type, key, 15);
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

/* With one libssh2 list for all lines each host of the larger cluster would take ten times as long. */
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
        cmocka_unit_test(a_host_of_a_large_cluster_is_found_as_fast_as_one_of_a_small),
    };

    return cmocka_run_group_tests_name("known_hosts", tests, NULL, NULL);
}
