/* SPDX-License-Identifier: Apache-2.0 */
#include "wide.h"
#include "../unit_test.h"

static const char platform_text[] = "{\"name\": \"duo\", \"title\": \"two GPUs\", \"source\": \"test\", "
                                    "\"gpus\": {\"count\": 2, \"models\": [\"T\"], "
                                    "\"pci_ids\": [\"10de:2330\"]}, \"nvlink\": {\"links\": 0}, "
                                    "\"nvswitch\": false, \"fabric_state\": false, "
                                    "\"driver_minimum\": \"525.60.13\"%s}";

void wide_context(struct arena *arena, const char *launcher, const char *hcas, size_t count,
                  struct check_context *ret_context)
{
    static const char hosts[] = "n1 mpi_address=10.0.0.1 platform=duo\nn2 mpi_address=10.0.0.2 platform=duo\n"
                                "n3 mpi_address=10.0.0.3 platform=duo\n";
    struct error err = {0};
    const struct hostfile *hostfile = hostfile_parse(arena, "hosts", slice_of(hosts), &err);
    const struct suite *suite = suite_parse(
        arena, "suite",
        slice_of(arena_printf(arena,
                              "{\"name\": \"s\", \"launcher\": {%s}, \"environment\": {\"SITE\": \"1\"}, "
                              "\"steps\": [{\"check\": \"nccl-all-reduce\", \"scope\": \"cluster\"}]}",
                              launcher)),
        &err);
    const struct platform *platform =
        platform_parse(arena, "platform", slice_of(arena_printf(arena, platform_text, hcas)), &err);
    const struct host **members = arena_array(arena, const struct host *, count);

    if (hostfile == NULL || suite == NULL || platform == NULL)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < count; i++)
        members[i] = &hostfile->hosts.items[i];
    *ret_context = (struct check_context){.arena = arena,
                                          .suite = suite,
                                          .step = &suite->steps.items[0],
                                          .platform = platform,
                                          .check = check_find("nccl-all-reduce"),
                                          .members = members,
                                          .member_count = count,
                                          .timescale = 1};
}
