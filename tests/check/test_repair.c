/* SPDX-License-Identifier: Apache-2.0 */
/* Each class of failure finds its page of repair, and each page is found. */
#include <string.h>

#include "../unit_test.h"
#include "assay/check/check.h"
#include "assay/check/repair.h"
#include "assay/model/platform.h"
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"
#include "assay/reasons/judge.h"
#include "assay/reasons/parse.h"

/* Whose remedy is all there is to do: a login, a tool, a suite, a claim of somebody else. The others have a page for each remedy. */
static const char *const without[] = {"reachable", "privilege", "tools", "monitors", "command", "collect"};

static bool is_without(const char *check)
{
    for (size_t i = 0; i < ARRAY_SIZE(without); i++)
        if (strcmp(without[i], check) == 0)
            return true;
    return false;
}

static const char *page_of(const char *check, const char *metric)
{
    const char *page = repair_class(check, metric, NULL);

    if (page != NULL && builtin_find("repair", page) == NULL)
        fail_msg("%s, %s: there is no page %s", check, metric, page);
    return page;
}

/* What is no fault of a part, so that the line of the remedy is all. */
static bool is_told_in_a_line(const char *check, const char *metric)
{
    static const char *const metrics[] = {"sound",          "beside.load", "advisories.tables",
                                          "support.tables", "bmc.clock",   "client.works"};

    for (size_t i = 0; i < ARRAY_SIZE(metrics); i++)
        if (strcmp(metrics[i], metric) == 0)
            return true;
    return strncmp(metric, "window.", 7) == 0 || strcmp(check, "setup") == 0;
}

static void each_remedy_of_a_part_has_a_page(void **state)
{
    size_t count;
    const struct check *const *checks = check_list(&count);
    size_t asked = 0, lacks = 0;

    (void)state;
    for (size_t i = 0; i < count; i++)
        for (const struct remedy *row = checks[i]->remedies; row != NULL && row->metric != NULL; row++) {
            const char *page = page_of(checks[i]->name, row->metric);

            asked++;
            if (page == NULL && strcmp(row->metric, "*") != 0 && !is_without(checks[i]->name) &&
                !is_told_in_a_line(checks[i]->name, row->metric)) {
                print_error("%s, %s: no page of repair\n", checks[i]->name, row->metric);
                lacks++;
            }
        }
    assert_int_equal(lacks, 0);
    assert_true(asked > 150);
}

/* collect is led to by other pages. */
static bool is_found(const char *page)
{
    size_t count;
    const struct check *const *checks = check_list(&count);

    if (strcmp(page, "collect") == 0 || strcmp(page, REPAIR_OF_ISOLATION) == 0)
        return true;
    for (size_t i = 0; i < count; i++) {
        const char *found = repair_class(checks[i]->name, "sound", NULL);

        if (found != NULL && strcmp(found, page) == 0)
            return true;
        for (const struct item *item = checks[i]->items; item != NULL && item->metric != NULL; item++) {
            found = repair_class(checks[i]->name, item->metric, NULL);
            if (found != NULL && strcmp(found, page) == 0)
                return true;
        }
        for (const struct remedy *row = checks[i]->remedies; row != NULL && row->metric != NULL; row++) {
            found = repair_class(checks[i]->name, row->metric, NULL);
            if (found != NULL && strcmp(found, page) == 0)
                return true;
        }
    }
    return false;
}

static void each_page_is_found(void **state)
{
    size_t count, pages = 0, lost = 0;
    const struct builtin *rows = builtin_list(&count);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].kind, "repair") != 0)
            continue;
        pages++;
        assert_memory_equal(rows[i].bytes.bytes, "# ", 2);
        if (!is_found(rows[i].name)) {
            print_error("no failure leads to the page %s\n", rows[i].name);
            lost++;
        }
    }
    assert_int_equal(lost, 0);
    assert_true(pages > 25);
}

/* Below its title, in the words of a report. */
static void each_page_says_who_acts(void **state)
{
    size_t count, lost = 0;
    const struct builtin *rows = builtin_list(&count);
    struct arena *arena = arena_create();

    (void)state;
    for (size_t i = 0; i < count; i++) {
        const struct reason *who;
        const char *line;

        if (strcmp(rows[i].kind, "repair") != 0 || strcmp(rows[i].name, "collect") == 0)
            continue;
        who = repair_hands(arena, &rows[i].name, 1, false);
        line = arena_printf(arena, "\n\nWho acts: %s.\n", reason_english(arena, who));
        if (who == NULL || memmem(rows[i].bytes.bytes, rows[i].bytes.length, line, strlen(line)) == NULL) {
            print_error("%s does not say%s", rows[i].name, line);
            lost++;
        }
    }
    assert_int_equal(lost, 0);
    assert_null(repair_hands(arena, NULL, 0, false));
    assert_string_equal(
        reason_english(arena, repair_hands(arena, (const char *[]){"gpu-memory", "port"}, 2, false)),
        "the administrator (reset, power cycle); if it stays, a technician at the rack "
        "(reseat, clean, cable, exchange); if it stays, the vendor (replacement, support)");
    assert_string_equal(reason_english(arena, repair_hands(arena, (const char *[]){"gpu-slow"}, 1, true)),
                        "administrator, then technician, then vendor");
    arena_destroy(arena);
}

static void failures_find_the_page_that_is_about_them(void **state)
{
    static const struct {
        const char *check, *metric, *page;
    } cases[] = {
        {"ecc", "remapped_rows.pending", "gpu-memory"},
        {"gpu-inventory", "gpu.count", "gpu-missing"},
        {"gpu-burn", "gpu_burn.errors", "gpu-wrong"},
        {"gpu-burn", "gpu_burn.float.gflops", "gpu-slow"},
        {"gpu-burn", "window.ecc.uncorrected", "gpu-memory"},
        {"gpu-burn", "window.temperature.max", "heat"},
        {"nccl-all-reduce", "nccl.all_reduce.busbw", "slow-host"},
        {"nccl-all-reduce", "nccl.all_reduce.wrong", "gpu-wrong"},
        {"fabric-manager", "fabric_manager.matches_driver", "fabric-manager"},
        {"driver", "driver.version", "driver"},
        {"xid", "xid.failing", "xid"},
        {"os", "bios.version", "firmware"},
        {"storage-clients", "client.read", "storage"},
    };
    struct arena *arena = arena_create();

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        assert_string_equal(repair_class(cases[i].check, cases[i].metric, NULL), cases[i].page);
    assert_string_equal(repair_class("gpu-burn", "sound",
                                     reason(arena, xid_line_explained, "Xid 79", "off the bus", "restart")),
                        "xid");
    assert_null(repair_class("gpu-burn", "window.processes", NULL));
    assert_string_equal(repair_class("reachable", "sound", NULL), "host-down");
    /* Two names of one host: an error of the hostfile. */
    assert_null(repair_class("reachable", "host.machine", NULL));
    arena_destroy(arena);
}

/* What was asked for and not done is no matter of the part that it was to be done on. */
static void who_did_less_than_asked_for_is_a_program(void **state)
{
    static const struct {
        const char *check, *metric;
    } cases[] = {{"gpu-burn", "gpu_burn.lasted"},
                 {"nccl-all-reduce", "nccl.rounds"},
                 {"storage", "storage.read.runtime"}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        assert_string_equal(repair_class(cases[i].check, cases[i].metric, NULL), "program");
}

static void an_event_of_a_bmc_finds_the_page_of_its_part(void **state)
{
    static const struct {
        const char *check, *metric, *said, *page;
    } cases[] = {
        {"bmc", "bmc.sel_faults", "Memory P1-DIMMA1 | Uncorrectable ECC | Asserted", "host-memory"},
        {"bmc", "bmc.sel_faults", "Processor #0x40 | IERR | Asserted", "host-memory"},
        {"bmc", "bmc.sel_faults", "Critical Interrupt #0x77 | Bus Uncorrectable Error | Asserted", "pcie"},
        {"bmc", "bmc.sel_faults", "Critical Interrupt #0x77 | PCI SERR | Asserted", "pcie"},
        {"bmc", "bmc.sel_faults", "Temperature Inlet | Upper Critical going high | Asserted", "heat"},
        {"bmc", "bmc.sel_faults", "Processor #0x40 | Thermal Trip | Asserted", "heat"},
        {"bmc", "bmc.sel_faults", "Temperature P1-DIMMA1 Temp | Upper Critical going high", "heat"},
        {"bmc", "bmc.sel_faults", "Drive Slot / Bay #0x10 | Drive Fault | Asserted", "drive"},
        {"bmc", "bmc.sel_faults", "Power Supply PS2 Status | Power Supply AC lost | Asserted", "power"},
        {"bmc", "bmc.sel_faults", "Voltage P12V | Lower Critical going low | Asserted", "power"},
        {"bmc", "bmc.sensor_faults", "FAN3: cr, 0 RPM", "heat"},
        {"bmc", "bmc.sensor_faults", "PSU1 Status: ok, Presence detected, Failure detected", "power"},
        {"redfish", "redfish.health_faults", "Systems/1/Memory/DIMM_A1: Critical", "host-memory"},
        {"redfish", "redfish.health_faults", "Systems/1/Storage/1/Drives/2: Critical", "drive"},
        {"redfish", "redfish.health_faults", "Chassis/1/Thermal#/Fans/1: Critical", "heat"},
        {"redfish", "redfish.health_faults", "Chassis/1/Power#/PowerSupplies/1: Critical", "power"},
        {"redfish", "redfish.health_faults", "Systems/1/PCIeDevices/3: Critical", "pcie"},
        {"redfish", "redfish.health_faults", "Systems/HGX_Baseboard_0/Processors/GPU_SXM_1: Critical", "xid"},
        {"redfish", "redfish.event_faults", "Uncorrectable ECC error of P1-DIMMA1", "host-memory"},
        {"redfish", "redfish.event_faults", "SystemFan2 has failed", "heat"},
        {"redfish", "redfish.event_faults", "an attempt to log in has failed", "power"},
    };
    struct arena *arena = arena_create();

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct reason *cause =
            reason(arena, expected, reason(arena, value_is, cases[i].metric, cases[i].said), "= none");

        assert_string_equal(repair_class(cases[i].check, cases[i].metric, cause), cases[i].page);
    }
    arena_destroy(arena);
}

/* Whatever item of it stands first, and whatever that is mended by. */
static void a_gpu_that_went_away_under_a_test_is_looked_for(void **state)
{
    struct arena *arena = arena_create();
    const struct reason *cause = reason(arena, gpu_gone_after_test, "GPU-a");

    (void)state;
    assert_true(check_remedy(check_find("pcie-link"), "pcie.under_load", cause) ==
                check_remedy(check_find("pcie-link"), "pcie.width", cause));
    assert_non_null(strstr(
        reason_english(arena, check_remedy(check_find("pcie-link"), "pcie.under_load", cause)), "Xid"));
    arena_destroy(arena);
}

/* What a slow or failing host does not explain (verdicts.c). */
static void wrong_results_are_told_by_their_checks(void **state)
{
    static const struct {
        const char *check, *metric;
        bool is;
    } cases[] = {
        {"nccl-all-reduce", "nccl.all_reduce.wrong", true},
        {"nccl-alltoall", "nccl.out_of_bounds", true},
        {"nccl-all-reduce", "beside.results", true},
        {"nccl-all-reduce", "nccl.all_reduce.busbw", false},
        {"nccl-all-reduce", "window.ecc", false},
        {"probe-collective", "probe.alltoall.wrong", true},
        {"storage-ior", "ior.wrong", true},
        {"storage-elbencho", "elbencho.wrong", true},
        {"mpi-launch", "launch.login", false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        assert_int_equal(check_is_result(check_find(cases[i].check), cases[i].metric), cases[i].is);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_remedy_of_a_part_has_a_page),
        cmocka_unit_test(each_page_is_found),
        cmocka_unit_test(each_page_says_who_acts),
        cmocka_unit_test(failures_find_the_page_that_is_about_them),
        cmocka_unit_test(who_did_less_than_asked_for_is_a_program),
        cmocka_unit_test(an_event_of_a_bmc_finds_the_page_of_its_part),
        cmocka_unit_test(wrong_results_are_told_by_their_checks),
        cmocka_unit_test(a_gpu_that_went_away_under_a_test_is_looked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
