/* SPDX-License-Identifier: Apache-2.0 */
/* Which questions a password answers, and when it is tried no more. */
#include "../unit_test.h"
#include "assay/base/arena.h"
#include "login.h"

static void only_a_question_for_the_password_is_one(void **state)
{
    static const struct {
        const char *prompt;
        enum login_question question;
    } cases[] = {
        {"ops@bastion's password: ", QUESTION_PASSWORD},
        {"(ops@bastion) Password: ", QUESTION_PASSWORD},
        {"Password for ops@bastion:", QUESTION_PASSWORD},
        {"(ops@bastion) 密码：", QUESTION_PASSWORD},
        {"(ops@token-gate) Password: ", QUESTION_PASSWORD},
        {"ops@otp.example's password: ", QUESTION_PASSWORD},
        {"(ops@bastion) Verification code: ", QUESTION_OTHER},
        {"(ops@bastion) One-time password (OATH) for `ops': ", QUESTION_OTHER},
        {"(ops@bastion) 动态口令: ", QUESTION_OTHER},
        {"(ops@password-gate) Response: ", QUESTION_OTHER},
        {"(ops@bastion) Duo two-factor login for ops  Passcode or option (1-2): ", QUESTION_OTHER},
        {"", QUESTION_OTHER},
        {"(", QUESTION_OTHER},
        {"Enter ops@bastion's old password: ", QUESTION_NEW_PASSWORD},
        {"(ops@bastion) New password: ", QUESTION_NEW_PASSWORD},
        {"(ops@bastion) Current password: ", QUESTION_NEW_PASSWORD},
        {"Enter passphrase for key '/root/.ssh/id_rsa': ", QUESTION_OURS},
        {"Enter PIN for ED25519-SK key password: ", QUESTION_OURS},
        {"The authenticity of host 'b (10.0.0.1)' can't be established. Are you sure", QUESTION_OURS},
        {"Accept updated hostkeys? (yes/no): ", QUESTION_OURS},
        {"(ops@bastion) Are you sure you want to continue connecting (yes/no/[fingerprint])? Password: ",
         QUESTION_OURS},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        if (login_question_of(cases[i].prompt) != cases[i].question)
            print_error("%s\n", cases[i].prompt);
        assert_int_equal(login_question_of(cases[i].prompt), cases[i].question);
    }
}

static void a_password_is_tried_at_one_place_at_a_time_until_one_takes_it(void **state)
{
    struct login_tries tries = {0};
    int places[3] = {0};

    (void)state;
    assert_true(login_may_try(&tries, &places[0]));
    assert_true(login_may_try(&tries, &places[0]));
    assert_false(login_may_try(&tries, &places[1]));
    login_left(&tries, &places[1]);
    assert_false(login_may_try(&tries, &places[1]));
    login_left(&tries, &places[0]);
    assert_true(login_may_try(&tries, &places[1]));
    login_taken(&tries);
    assert_true(login_may_try(&tries, &places[0]));
    assert_true(login_may_try(&tries, &places[2]));
}

static void three_refusals_are_the_end_unless_somebody_has_taken_it(void **state)
{
    struct login_tries tries = {0};
    int place = 0;

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_false(login_given_up(&tries));
        assert_true(login_may_try(&tries, &place));
        login_refused(&tries);
    }
    assert_true(login_given_up(&tries));
    login_taken(&tries);
    assert_false(login_given_up(&tries));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_a_question_for_the_password_is_one),
        cmocka_unit_test(a_password_is_tried_at_one_place_at_a_time_until_one_takes_it),
        cmocka_unit_test(three_refusals_are_the_end_unless_somebody_has_taken_it),
    };

    return cmocka_run_group_tests_name("login", tests, NULL, NULL);
}
