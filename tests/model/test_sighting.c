/* SPDX-License-Identifier: Apache-2.0 */
/* Which hardware a run has seen where: from readings alone, each thing once, and what cannot be is said. */
#include <string.h>

#include "../unit_test.h"
#include "assay/model/sighting.h"

static struct record *make_record(struct arena *arena)
{
    struct record *record = arena_new(arena, struct record);

    record->arena = arena;
    record->plan = arena_new(arena, struct plan);
    for (size_t i = 0; i < 2; i++) {
        struct host *host = arena_new(arena, struct host);
        struct step *step = list_push(arena, &record->plan->steps);

        host->name = i == 0 ? "node1" : "node2";
        *list_push(arena, &record->plan->hosts) = host;
        step->members = arena_array(arena, const struct host *, 1);
        step->members[0] = host;
        step->member_count = 1;
    }
    return record;
}

static struct reading *add_part(struct record *record, size_t step, const char *tool)
{
    struct attempt *attempt = list_push(record->arena, &record->attempts);
    struct part *part = list_push(record->arena, &attempt->parts);

    attempt->step = step;
    reading_init(&part->reading, record->arena, tool);
    reading_set(&part->reading, READING_COMPLETE, NULL);
    return &part->reading;
}

static void add_gpu(struct record *record, size_t step, const char *position, const char *uuid,
                    const char *serial)
{
    struct reading *reading = add_part(record, step, "nvidia-smi");

    reading_fact(reading, "gpu.uuid", position, slice_of(uuid));
    reading_fact(reading, "gpu.serial", position, slice_of(serial));
}

static const struct sighting *only(const struct sightings *sightings)
{
    assert_int_equal(sightings->items.count, 1);
    return &sightings->items.items[0];
}

static void a_thing_is_seen_once_however_often_it_was_looked_at(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = make_record(arena);
    struct sightings sightings;

    (void)state;
    add_gpu(record, 1, "gpu3", "GPU-a", "[N/A]");
    add_gpu(record, 1, "gpu3", "GPU-a", "1650001");
    sightings_of_record(arena, record, &sightings);
    assert_int_equal(only(&sightings)->host, 1);
    assert_string_equal(only(&sightings)->position, "gpu3");
    assert_string_equal(only(&sightings)->identity, "GPU-a");
    assert_string_equal(only(&sightings)->serial, "1650001");
    assert_int_equal(only(&sightings)->attempt, 0);
    arena_destroy(arena);
}

static void a_window_tells_of_its_own_member(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = make_record(arena);
    struct step *step = &record->plan->steps.items[0];
    struct sightings sightings;

    (void)state;
    step->members = arena_array(arena, const struct host *, 2);
    step->members[0] = record->plan->hosts.items[0];
    step->members[1] = record->plan->hosts.items[1];
    step->member_count = 2;
    add_gpu(record, 0, "gpu0", "GPU-b", "");
    list_push(arena, &record->attempts.items[0].windows)->member = 1;
    record->attempts.items[0].parts.items[0].window = 1;
    sightings_of_record(arena, record, &sightings);
    assert_int_equal(only(&sightings)->host, 1);
    arena_destroy(arena);
}

static void a_placeholder_and_a_reading_that_is_not_whole_tell_nothing(void **state)
{
    static const char *const nothings[] = {"[N/A]", "0000:0000:0000:0000", "", "0", "None"};
    struct arena *arena = arena_create();
    struct record *record = make_record(arena);
    struct sightings sightings;
    struct reading *reading;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(nothings); i++)
        add_gpu(record, 0, "gpu0", nothings[i], "");
    reading = add_part(record, 0, "nvidia-smi");
    reading_fact(reading, "gpu.uuid", "gpu0", slice_of("GPU-a"));
    reading_set(reading, READING_PARTIAL, reason_text(arena, "cut"));
    reading = add_part(record, 0, "gpu-burn");
    reading_fact(reading, "gpu.uuid", "gpu0", slice_of("GPU-a"));
    sightings_of_record(arena, record, &sightings);
    assert_int_equal(sightings.items.count, 0);
    arena_destroy(arena);
}

static void without_a_chassis_serial_the_systems_counts(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = make_record(arena);
    struct reading *reading = add_part(record, 0, "dmidecode");
    struct sightings sightings;

    (void)state;
    reading_fact(reading, "chassis.serial", "", slice_of("C81"));
    reading_fact(reading, "system.serial", "", slice_of("A2"));
    sightings_of_record(arena, record, &sightings);
    assert_string_equal(only(&sightings)->identity, "C81");

    record = make_record(arena);
    reading = add_part(record, 0, "dmidecode");
    reading_fact(reading, "chassis.serial", "", slice_of("0123456789"));
    reading_fact(reading, "system.serial", "", slice_of("A2"));
    sightings_of_record(arena, record, &sightings);
    assert_int_equal(only(&sightings)->kind, ITEM_CHASSIS);
    assert_string_equal(only(&sightings)->identity, "A2");
    arena_destroy(arena);
}

static void versions_and_hcas_are_seen_too(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = make_record(arena);
    struct reading *reading = add_part(record, 0, "ib-sysfs");
    struct sightings sightings;

    (void)state;
    reading_fact(reading, "ib.node_guid", "mlx5_0", slice_of("0x9c63c00300d1e2f0"));
    reading_fact(reading, "ib.firmware", "mlx5_0", slice_of("28.39.1002"));
    reading_fact(add_part(record, 0, "nvidia-smi"), "driver.version", "", slice_of("535.129.03"));
    sightings_of_record(arena, record, &sightings);
    assert_int_equal(sightings.items.count, 3);
    assert_int_equal(sightings.items.items[0].kind, ITEM_HCA);
    assert_int_equal(sightings.items.items[1].kind, ITEM_DRIVER);
    assert_string_equal(sightings.items.items[2].identity, "28.39.1002");
    arena_destroy(arena);
}

static void a_gpu_that_became_another_one_is_said(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = make_record(arena);
    struct sighting_conflicts conflicts;
    struct sightings sightings;

    (void)state;
    add_gpu(record, 0, "gpu3", "GPU-z", "");
    add_gpu(record, 0, "gpu4", "GPU-c", "");
    add_gpu(record, 0, "gpu3", "GPU-b", "");
    sightings_of_record(arena, record, &sightings);
    assert_int_equal(sightings.items.count, 3);
    assert_string_equal(sightings.items.items[0].identity, "GPU-z");
    assert_string_equal(sightings.items.items[1].identity, "GPU-b");
    sightings_check(arena, record->plan, &sightings, &conflicts);
    assert_int_equal(conflicts.items.count, 1);
    assert_string_equal(reason_english(arena, conflicts.items.items[0].text),
                        "the GPU gpu3 of node1 was GPU-z and became GPU-b during the run");
    arena_destroy(arena);
}

static void one_gpu_on_two_hosts_is_said_of_both(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = make_record(arena);
    struct sighting_conflicts conflicts;
    struct sightings sightings;

    (void)state;
    add_gpu(record, 0, "gpu0", "GPU-a", "");
    add_gpu(record, 1, "gpu0", "GPU-a", "");
    add_gpu(record, 1, "gpu1", "GPU-b", "");
    sightings_of_record(arena, record, &sightings);
    sightings_check(arena, record->plan, &sightings, &conflicts);
    assert_int_equal(conflicts.items.count, 2);
    assert_int_equal(conflicts.items.items[0].host, 0);
    assert_int_equal(conflicts.items.items[1].host, 1);
    assert_non_null(strstr(reason_english(arena, conflicts.items.items[0].text),
                           "node1 and node2 both show the GPU GPU-a"));
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thing_is_seen_once_however_often_it_was_looked_at),
        cmocka_unit_test(a_window_tells_of_its_own_member),
        cmocka_unit_test(a_placeholder_and_a_reading_that_is_not_whole_tell_nothing),
        cmocka_unit_test(without_a_chassis_serial_the_systems_counts),
        cmocka_unit_test(versions_and_hcas_are_seen_too),
        cmocka_unit_test(a_gpu_that_became_another_one_is_said),
        cmocka_unit_test(one_gpu_on_two_hosts_is_said_of_both),
    };

    return cmocka_run_group_tests_name("sightings", tests, NULL, NULL);
}
