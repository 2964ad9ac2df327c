/* SPDX-License-Identifier: Apache-2.0 */
/* What assay-probe-links takes of what ranks of other hosts say of themselves. */
#include <string.h>

#include "../unit_test.h"
#include "links.h"

enum { RANK = 7, PORT = 18607 };

static const char *taken(const char *address, int port)
{
    static struct links_place place;

    memset(&place, 'x', sizeof place);
    for (size_t i = 0; i < sizeof place.address && (i == 0 || address[i - 1] != '\0'); i++)
        place.address[i] = address[i];
    place.port = port;
    links_place_take(&place, RANK);
    return place.address;
}

static void addresses_are_taken(void **state)
{
    (void)state;
    assert_string_equal(taken("10.0.0.7", PORT), "10.0.0.7");
    assert_string_equal(taken("2001:db8::7", PORT), "2001:db8::7");
    assert_string_equal(taken("", PORT), "");
}

static void what_is_no_address_is_none(void **state)
{
    (void)state;
    assert_string_equal(taken("--out_json_file=/etc/cron.d/x", PORT), "");
    assert_string_equal(taken("node7", PORT), "");
    assert_string_equal(taken("10.0.0.7 -x", PORT), "");
    assert_string_equal(taken("10.0.0.7", 22), "");
}

static void a_text_without_an_end_gets_one(void **state)
{
    char endless[128];

    (void)state;
    memset(endless, '1', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    assert_string_equal(taken(endless, PORT), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_taken),
        cmocka_unit_test(what_is_no_address_is_none),
        cmocka_unit_test(a_text_without_an_end_gets_one),
    };

    return cmocka_run_group_tests_name("links place", tests, NULL, NULL);
}
