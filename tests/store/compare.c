/* SPDX-License-Identifier: Apache-2.0 */
/* Two records, field by field. */
#include <math.h>
#include <string.h>

#include "../unit_test.h"
#include "sample.h"

#define SAME(field)                                       \
    do {                                                  \
        if (left->field != right->field)                  \
            fail_msg("%s: " #field " differs", __func__); \
    } while (0)
#define SAME_TEXT(field)                                                                    \
    do {                                                                                    \
        if ((left->field == NULL) != (right->field == NULL) ||                              \
            (left->field != NULL && strcmp(left->field, right->field) != 0))                \
            fail_msg("%s: " #field ": '%s' and '%s'", __func__, left->field, right->field); \
    } while (0)
#define SAME_REASON(field)                                                                          \
    do {                                                                                            \
        if (!reason_equal(left->field, right->field))                                               \
            fail_msg("%s: " #field ": %s and %s", __func__, form(left->field), form(right->field)); \
    } while (0)
#define SAME_REAL(field)                                                                      \
    do {                                                                                      \
        if (!(left->field == right->field) && !(isnan(left->field) && isnan(right->field)))   \
            fail_msg("%s: " #field ": %.17g and %.17g", __func__, left->field, right->field); \
    } while (0)
#define SAME_SLICE(field)                                                             \
    do {                                                                              \
        if (left->field.length != right->field.length ||                              \
            (left->field.length > 0 &&                                                \
             memcmp(left->field.bytes, right->field.bytes, left->field.length) != 0)) \
            fail_msg("%s: " #field " has other bytes", __func__);                     \
    } while (0)
#define EACH(list, compare)                                         \
    do {                                                            \
        SAME(list.count);                                           \
        for (size_t i_ = 0; i_ < left->list.count; i_++)            \
            compare(&left->list.items[i_], &right->list.items[i_]); \
    } while (0)

static const char *form(const struct reason *reason)
{
    static struct arena *arena;

    if (arena == NULL)
        arena = arena_create();
    return reason_encode(arena, reason);
}

static void same_label(const struct host_label *left, const struct host_label *right)
{
    SAME_TEXT(key);
    SAME_TEXT(value);
}

static void same_line(const struct host_line *left, const struct host_line *right)
{
    SAME_TEXT(name);
    SAME_TEXT(address);
    SAME(port);
}

static void same_rail(const struct host_rail *left, const struct host_rail *right)
{
    SAME_TEXT(hca);
    SAME_TEXT(switch_name);
    SAME_TEXT(port);
}

static void same_host(const struct host *const *left_item, const struct host *const *right_item)
{
    const struct host *left = *left_item, *right = *right_item;

    SAME_TEXT(name);
    SAME_TEXT(address);
    SAME_TEXT(mpi_address);
    SAME_TEXT(user);
    SAME_TEXT(identity);
    SAME_TEXT(jump);
    SAME_TEXT(known_hosts);
    SAME_TEXT(platform);
    SAME_TEXT(unit);
    SAME_TEXT(rack);
    SAME_TEXT(leaf);
    SAME_TEXT(transport);
    SAME(slots);
    SAME(port);
    SAME(role);
    SAME(scheduler);
    SAME(become_root);
    SAME_REAL(timescale);
    EACH(labels, same_label);
    EACH(rails, same_rail);
    EACH(lines, same_line);
    SAME(line);
    SAME(column);
}

static void same_limit(const struct limit *left, const struct limit *right)
{
    SAME_TEXT(metric);
    SAME_TEXT(subject);
    SAME_TEXT(scope);
    SAME(hosts_min);
    SAME(hosts_max);
    SAME_REAL(size_min);
    SAME_REAL(size_max);
    SAME(rule);
    SAME_REAL(value);
    SAME_TEXT(text);
    SAME_REAL(tolerance);
    SAME_REAL(most);
    SAME_TEXT(unit);
    SAME_TEXT(source);
    SAME_REASON(origin);
    SAME(status);
    SAME_REASON(note);
    SAME(inconclusive);
}

static void same_slot(const struct slot *left, const struct slot *right)
{
    SAME_TEXT(metric);
    SAME_TEXT(subject);
    SAME_TEXT(at);
    SAME_REAL(size_bytes);
    SAME(duty);
    SAME_REASON(duty_note);
    SAME(own_count);
    for (size_t i = 0; i < left->own_count; i++)
        same_limit(&left->own[i], &right->own[i]);
}

static void same_shape(const struct shape *const *left_item, const struct shape *const *right_item)
{
    const struct shape *left = *left_item, *right = *right_item;

    SAME_TEXT(sha256);
    SAME_TEXT(check);
    SAME_TEXT(suite_step);
    SAME_TEXT(scope);
    SAME_TEXT(variant);
    SAME_TEXT(platform);
    SAME_TEXT(arguments);
    SAME(hosts);
    SAME(slot_count);
    for (size_t i = 0; i < left->slot_count; i++)
        same_slot(&left->slots[i], &right->slots[i]);
    SAME(expected_s);
    SAME(timeout_s);
    SAME(retries);
    SAME(retests);
    SAME(repeat);
    SAME(repeat_for_s);
    SAME(exclusive);
    SAME(as_root);
    SAME(passive);
}

static size_t place_of(const void *wanted, const void *const *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (items[i] == wanted)
            return i;
    fail_msg("a step points out of its plan");
    return count;
}

#define PLACE(plan, list, pointer) \
    place_of(pointer, (const void *const *)(plan)->list.items, (plan)->list.count)

/* Shapes and hosts are the same objects: the same place in their own plan's lists. */
static void same_step(const struct plan *left_plan, const struct plan *right_plan, size_t n)
{
    const struct step *left = &left_plan->steps.items[n], *right = &right_plan->steps.items[n];

    SAME_TEXT(key);
    SAME(origin);
    SAME_REASON(origin_note);
    SAME(parent);
    SAME(round);
    SAME(member_count);
    SAME(need_count);
    assert_int_equal(PLACE(left_plan, shapes, left->shape), PLACE(right_plan, shapes, right->shape));
    for (size_t i = 0; i < left->member_count; i++)
        assert_int_equal(PLACE(left_plan, hosts, left->members[i]),
                         PLACE(right_plan, hosts, right->members[i]));
    for (size_t i = 0; i < left->need_count; i++)
        SAME(needs[i]);
}

static void same_plan(const struct plan *left, const struct plan *right)
{
    SAME_TEXT(run_uuid);
    EACH(hosts, same_host);
    EACH(shapes, same_shape);
    SAME(steps.count);
    for (size_t i = 0; i < left->steps.count; i++)
        same_step(left, right, i);
    SAME(gate_count);
    SAME(record_count);
}

static void same_fact(const struct fact *left, const struct fact *right)
{
    SAME_TEXT(name);
    SAME_TEXT(subject);
    SAME_TEXT(value);
    SAME_REASON(said);
}

static void same_at(const struct at_field *left, const struct at_field *right)
{
    SAME_TEXT(key);
    SAME_TEXT(text);
    SAME(is_number);
}

static void same_measurement(const struct measurement *left, const struct measurement *right)
{
    SAME_TEXT(metric);
    SAME_TEXT(subject);
    EACH(at, same_at);
    SAME_REAL(value);
    SAME_TEXT(unit);
}

static void same_finding(const struct finding *left, const struct finding *right)
{
    SAME_TEXT(code);
    SAME_TEXT(subject);
    SAME(severity);
    SAME_REASON(what);
}

static void same_reading(const struct reading *left, const struct reading *right)
{
    SAME_TEXT(tool);
    SAME(status);
    SAME_REASON(reason);
    EACH(facts, same_fact);
    EACH(measurements, same_measurement);
    EACH(findings, same_finding);
    EACH(runs, same_reading);
}

static void same_part(const struct part *left, const struct part *right)
{
    SAME_TEXT(name);
    SAME_TEXT(command);
    SAME(began);
    SAME(ended);
    SAME(rc);
    SAME(aside);
    SAME(window);
    same_reading(&left->reading, &right->reading);
}

static void same_part_bytes(const struct part *left, const struct part *right)
{
    SAME_SLICE(out);
    SAME_SLICE(err);
}

static void same_capture(const struct capture *left, const struct capture *right)
{
    SAME_TEXT(stream);
    SAME(length);
    SAME(clipped);
    SAME(flooded);
    SAME(cut);
    assert_string_equal(left->sha256, right->sha256);
}

static void same_window(const struct window *left, const struct window *right)
{
    SAME(member);
    SAME(role);
    SAME(end);
    SAME(rc);
    SAME_REASON(what);
    SAME_TEXT(boot_id);
    SAME_REAL(began);
    SAME_REAL(ended);
    SAME_REAL(up_began);
    SAME_REAL(up_ended);
    for (size_t i = 0; i < 2; i++)
        same_capture(&left->captures[i], &right->captures[i]);
}

static void same_window_bytes(const struct window *left, const struct window *right)
{
    SAME_SLICE(captures[0].bytes);
    SAME_SLICE(captures[1].bytes);
}

static void same_attempt(const struct attempt *left, const struct attempt *right, bool evidence)
{
    SAME(step);
    SAME(n);
    SAME_TEXT(uuid);
    SAME_TEXT(frame);
    SAME(state);
    SAME(end);
    SAME(rc);
    SAME_REASON(what);
    SAME_REAL(sent);
    SAME_REAL(began);
    SAME_REAL(ended);
    SAME_TEXT(boot_id);
    SAME_REAL(up_began);
    SAME_REAL(up_ended);
    SAME_TEXT(command);
    SAME_REASON(transport);
    SAME(connections);
    for (size_t i = 0; i < 2; i++) {
        same_capture(&left->captures[i], &right->captures[i]);
        if (evidence)
            SAME_SLICE(captures[i].bytes);
    }
    EACH(windows, same_window);
    if (evidence || left->state == ATTEMPT_SENT)
        EACH(windows, same_window_bytes);
    EACH(parts, same_part);
    if (evidence)
        EACH(parts, same_part_bytes);
    same_reading(&left->reading, &right->reading);
}

static void same_outcome(const struct outcome *left, const struct outcome *right)
{
    SAME(step);
    SAME(slot);
    SAME(word);
    SAME_REASON(cause);
    SAME_REASON(remedy);
    SAME_REASON(measured);
    SAME_REAL(value);
    SAME_REASON(held->limit);
    SAME_REASON(held->gate);
    SAME_REASON(held->source);
    SAME_TEXT(held->status);
    SAME(remark);
    assert_int_equal(left->waiver == NULL, right->waiver == NULL);
    if (left->waiver != NULL)
        assert_string_equal(left->waiver->uuid, right->waiver->uuid);
}

static void same_waived_item(const struct waived_item *left, const struct waived_item *right)
{
    SAME_TEXT(metric);
    SAME_TEXT(subject);
    SAME_TEXT(at);
    SAME_TEXT(hardware);
}

static void same_waiver(const struct waiver *left, const struct waiver *right)
{
    SAME_TEXT(uuid);
    SAME_TEXT(step_key);
    SAME_TEXT(attempt);
    SAME_TEXT(who);
    SAME_TEXT(why);
    SAME_REAL(made);
    SAME_REAL(until);
    SAME_TEXT(withdrawn.uuid);
    SAME_TEXT(withdrawn.who);
    SAME_TEXT(withdrawn.why);
    SAME_REAL(withdrawn.made);
    EACH(items, same_waived_item);
}

static void same_verdict(const struct verdict *left, const struct verdict *right)
{
    SAME_TEXT(scope);
    SAME_TEXT(name);
    SAME(word);
    SAME(pass);
    SAME(fail);
    SAME(inconclusive);
    SAME(not_run);
    SAME(recorded);
    SAME(accused);
    SAME(waived);
}

static void same_search(const struct search *left, const struct search *right)
{
    SAME(step);
    SAME_TEXT(metric);
    SAME_REAL(size_bytes);
    SAME_REASON(conclusion);
    SAME_REASON(candidates);
}

static void same_accusation(const struct accusation *left, const struct accusation *right)
{
    SAME(step);
    SAME(kind);
    SAME_TEXT(subject);
    SAME(place);
    SAME(intermittent);
    SAME(slow_tests);
    SAME(fast_tests);
    SAME_REAL(doubt);
    SAME(step_count);
    for (size_t i = 0; i < left->step_count; i++)
        SAME(steps[i]);
}

static void same_document(const struct document *left, const struct document *right)
{
    SAME_TEXT(kind);
    SAME_TEXT(name);
    assert_string_equal(left->sha256, right->sha256);
    SAME_SLICE(bytes);
}

static void same_judgement(const struct judgement *left, const struct judgement *right)
{
    SAME_TEXT(uuid);
    SAME_REASON(baselines);
    SAME_REAL(now);
    SAME_TEXT(inputs);
    EACH(documents, same_document);
    SAME(outcome_count);
    for (size_t i = 0; i < left->outcome_count; i++)
        same_outcome(&left->outcomes[i], &right->outcomes[i]);
    SAME(verdict_count);
    for (size_t i = 0; i < left->verdict_count; i++)
        same_verdict(&left->verdicts[i], &right->verdicts[i]);
    SAME(search_count);
    for (size_t i = 0; i < left->search_count; i++)
        same_search(&left->searches[i], &right->searches[i]);
    SAME(accusation_count);
    for (size_t i = 0; i < left->accusation_count; i++)
        same_accusation(&left->accusations[i], &right->accusations[i]);
}

void expect_equal_records(const struct record *left, const struct record *right, bool evidence)
{
    SAME(number);
    SAME_TEXT(uuid);
    SAME(state);
    SAME_REAL(started);
    SAME_REAL(ended);
    SAME_TEXT(suite);
    SAME_TEXT(suite_title);
    SAME_TEXT(hostfile);
    SAME_TEXT(program);
    EACH(documents, same_document);
    same_plan(left->plan, right->plan);
    SAME(attempts.count);
    for (size_t i = 0; i < left->attempts.count; i++)
        same_attempt(&left->attempts.items[i], &right->attempts.items[i], evidence);
    EACH(waivers, same_waiver);
    same_judgement(&left->judgement, &right->judgement);
}
