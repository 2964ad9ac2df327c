/* SPDX-License-Identifier: Apache-2.0 */
/* What the plots of a report draw, by the values that they stand for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../unit_test.h"
#include "assay/base/scan.h"
#include "assay/report/report.h"
#include "sample_earlier.h"
#include "sample_record.h"

enum { REPORT_BYTES = 16 << 20 };
static const struct sample faulty = {.hosts = 8, .units = 2, .faults = true};
static const struct sample clean = {.hosts = 8, .units = 2};

static const char *html_of(struct arena *arena, const struct record *record)
{
    cleanup_text struct text out = {0};

    text_init(&out, REPORT_BYTES);
    report_format_find("html")->write(record, LANGUAGE_EN, &out);
    assert_false(out.clipped);
    return arena_strndup(arena, out.bytes, out.length);
}

/* The first plot whose title starts so. */
static const char *plot_of(struct arena *arena, const char *html, const char *title)
{
    const char *start = strstr(html, arena_printf(arena, "<title>%s", title)), *end;

    if (start == NULL)
        fail_msg("there is no plot %s", title);
    end = strstr(start, "</svg>");
    assert_non_null(end);
    return arena_strndup(arena, start, (size_t)(end - start));
}

static size_t count_of(const char *text, const char *needle)
{
    size_t count = 0;

    for (; (text = strstr(text, needle)) != NULL; text++)
        count++;
    return count;
}

/* Where the axis has this number: the y of its label. */
static double tick_y(struct arena *arena, const char *plot, const char *number)
{
    const char *end = strstr(plot, arena_printf(arena, ">%s</text>", number)), *at;

    if (end == NULL)
        fail_msg("the axis has no %s", number);
    at = end;
    while (strncmp(at, " y=\"", 4) != 0)
        at--;
    return strtod(at + 4, NULL) - 4;
}

/* The y of the path with this class: d="MX YhW". */
static double path_y(struct arena *arena, const char *plot, const char *class)
{
    const char *at = strstr(plot, arena_printf(arena, "class=\"%s\" d=\"M", class));

    if (at == NULL)
        fail_msg("nothing is drawn as %s", class);
    at = strchr(strstr(at, " d=\"M") + 5, ' ');
    return strtod(at + 1, NULL);
}

static double expected_y(struct arena *arena, const char *plot, double value)
{
    double at_100 = tick_y(arena, plot, "100"), at_200 = tick_y(arena, plot, "200");

    return at_100 + (at_200 - at_100) * log(value / 100) / log(2);
}

static void an_equal_factor_is_an_equal_distance_and_a_gate_stands_at_its_value(void **state)
{
    struct arena *arena = arena_create();
    const char *plot = plot_of(arena, html_of(arena, sample_record(arena, &faulty)),
                               "nccl.all_reduce.busbw by message size");
    double octave = tick_y(arena, plot, "100") - tick_y(arena, plot, "200");

    (void)state;
    assert_true(octave > 10);
    assert_float_equal(tick_y(arena, plot, "10") - tick_y(arena, plot, "20"), octave, 0.2);
    assert_float_equal(tick_y(arena, plot, "50") - tick_y(arena, plot, "100"), octave, 0.2);
    assert_non_null(strstr(plot, ">gate 460</text>"));
    assert_float_equal(path_y(arena, plot, "plot-gate"), expected_y(arena, plot, 460), 0.2);
    assert_int_equal(count_of(plot, "class=\"plot-bad\""), 1);
    assert_non_null(strstr(plot, "class=\"plot-bad-name\""));
    arena_destroy(arena);
}

/* Of a curve of several hosts their names stand at its end, and not how many they are. */
static void a_curve_of_a_pair_is_named_by_its_hosts(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &faulty);
    const char *plot;

    (void)state;
    for (size_t i = 0; i < record->plan->steps.count; i++) {
        struct step *step = &record->plan->steps.items[i];

        if (strcmp(step->shape->suite_step, "nccl-all-reduce") != 0 ||
            strcmp(step->members[0]->name, "node7") != 0)
            continue;
        step->members = (const struct host **)&record->plan->hosts.items[6];
        step->member_count = 2;
    }
    plot = plot_of(arena, html_of(arena, record), "nccl.all_reduce.busbw by message size");
    assert_non_null(strstr(strstr(plot, "class=\"plot-bad-name\""), ">node[7-8]</text>"));
    arena_destroy(arena);
}

static void the_run_before_is_drawn_beside_this_one_and_named(void **state)
{
    struct arena *arena = arena_create();
    const char *alone = html_of(arena, sample_record(arena, &faulty));
    const char *beside =
        html_of(arena, sample_beside(arena, sample_record(arena, &clean), sample_record(arena, &faulty)));
    const char *plot = plot_of(arena, beside, "nccl.all_reduce.busbw by message size");

    (void)state;
    assert_int_equal(count_of(alone, "class=\"plot-earlier"), 0);
    assert_int_equal(count_of(plot, "class=\"plot-earlier\""), 1);
    assert_int_equal(count_of(plot, "class=\"plot-earlier-mark\""), 2);
    assert_non_null(strstr(plot, ">run 7, before</text>"));
    arena_destroy(arena);
}

/* What the links can carry at most is a rule of the item's own; the sample's host tests have none. */
static void a_ceiling_is_drawn_at_its_value(void **state)
{
    static const struct limit ceiling = {.rule = RULE_PLAUSIBLE, .value = 900, .unit = "GB/s"};
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &faulty);
    const char *plot;

    (void)state;
    for (size_t i = 0; i < record->plan->steps.count; i++) {
        struct shape *shape = (struct shape *)record->plan->steps.items[i].shape;

        for (size_t k = 0; strcmp(shape->suite_step, "nccl-all-reduce") == 0 && k < shape->slot_count; k++) {
            struct slot *slot = (struct slot *)&shape->slots[k];

            slot->own = &ceiling;
            slot->own_count = 1;
        }
    }
    plot = plot_of(arena, html_of(arena, record), "nccl.all_reduce.busbw by message size");
    assert_non_null(strstr(plot, ">ceiling 900</text>"));
    assert_float_equal(path_y(arena, plot, "plot-ceiling"), expected_y(arena, plot, 900), 0.2);
    arena_destroy(arena);
}

static void a_part_that_passed_alone_is_dashed_and_one_that_failed_is_not_among_them(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &faulty);
    const char *plot;
    size_t parts = 0;

    (void)state;
    for (size_t i = 0; i < record->plan->steps.count; i++) {
        struct step *step = &record->plan->steps.items[i];

        if (strcmp(step->shape->suite_step, "nccl-all-reduce") == 0 && parts < 7) {
            step->origin = parts > 0 ? ORIGIN_ISOLATE : step->origin;
            parts++;
        }
    }
    assert_int_equal(parts, 7);
    plot = plot_of(arena, html_of(arena, record), "nccl.all_reduce.busbw by message size");
    /* Of node2 to node7: node3 and node5 did not run it, and node7 is slow. */
    assert_int_equal(count_of(plot, "class=\"plot-subset\""), 3);
    assert_non_null(strstr(plot, ">healthy parts alone</text>"));
    arena_destroy(arena);
}

static void each_gpu_is_a_dot_in_the_strip_and_one_that_failed_is_crossed_and_named(void **state)
{
    struct arena *arena = arena_create();
    const char *good = plot_of(arena, html_of(arena, sample_record(arena, &clean)), "GFLOP/s of each GPU");
    const char *bad = plot_of(arena, html_of(arena, sample_record(arena, &faulty)), "GFLOP/s of each GPU");

    (void)state;
    assert_int_equal(count_of(good, "h0"), 64);
    assert_int_equal(count_of(good, "plot-bad"), 0);
    assert_int_equal(count_of(bad, "class=\"plot-bad\""), 1);
    assert_int_equal(count_of(bad, "h0"), 55); /* node5 did not burn */
    assert_non_null(strstr(bad, "node6 gpu4: "));
    arena_destroy(arena);
}

/* A colour of its own is one that no scheme changes: white in the dark. */
static void plots_have_no_colours_but_those_of_the_page(void **state)
{
    struct arena *arena = arena_create();
    const char *html =
        html_of(arena, sample_beside(arena, sample_record(arena, &clean), sample_record(arena, &faulty)));
    static const char *const own[] = {"fill=\"#", "stroke=\"#", "fill=\"rgb", "fill=\"white", "figure:not("};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(own); i++)
        assert_null(strstr(html, own[i]));
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_equal_factor_is_an_equal_distance_and_a_gate_stands_at_its_value),
        cmocka_unit_test(a_curve_of_a_pair_is_named_by_its_hosts),
        cmocka_unit_test(the_run_before_is_drawn_beside_this_one_and_named),
        cmocka_unit_test(a_ceiling_is_drawn_at_its_value),
        cmocka_unit_test(a_part_that_passed_alone_is_dashed_and_one_that_failed_is_not_among_them),
        cmocka_unit_test(each_gpu_is_a_dot_in_the_strip_and_one_that_failed_is_crossed_and_named),
        cmocka_unit_test(plots_have_no_colours_but_those_of_the_page),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("report-plots", tests, NULL, NULL);
}
