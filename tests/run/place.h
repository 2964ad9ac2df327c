/* SPDX-License-Identifier: Apache-2.0 */
/* A bench with a real sshd, and a pool that knows its key. */
#ifndef ASSAY_TESTS_RUN_PLACE_H
#define ASSAY_TESTS_RUN_PLACE_H

#include "bench.h"
#include "sshd.h"

struct place {
    struct bench bench;
    struct sshd sshd;
};

#define EACH_TRANSPORT(kind) for (enum transport_kind kind = TRANSPORT_SSH; kind <= TRANSPORT_OPENSSH; kind++)

/* settings: more lines for sshd's configuration. */
void place_start(struct place *place, const char *settings);
void place_end(struct place *place);

/* For cmocka: *state is a place. */
int place_setup(void **state);
int place_teardown(void **state);
#define PLACE_CASE(name) cmocka_unit_test_setup_teardown(name, place_setup, place_teardown)

struct remote_target target_of(const struct place *place, enum transport_kind kind);
struct remote *open_remote(struct place *place, enum transport_kind kind);
/* Ended by itself with this status, and whole. */
void assert_exit(const struct kept *kept, int rc);
/* Ended so, and says why. */
void assert_end(const struct kept *kept, enum remote_end end);
void write_text(const char *path, const char *text);

/* Runs the cases, or says by the TAP plan why none can run here. ASSAY_TEST_FILTER='a_dead*' picks some. */
#define place_main(name, tests)                                                      \
    (cmocka_set_test_filter(getenv("ASSAY_TEST_FILTER")),                            \
     sshd_missing() != NULL ? (print_message("1..0 # SKIP %s\n", sshd_missing()), 0) \
                            : cmocka_run_group_tests_name(name, tests, NULL, NULL))

#endif
