/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What runs containers with GPUs: docker, containerd, podman, cri-o, and NVIDIA's toolkit. Everything is
 * recorded; the runtimes that the argument `runtimes` names are gated: there, the same on all hosts, and new
 * enough for the toolkit.
 *
 * What is founded of "new enough": the CDI specifications that toolkit 1.19 writes are read by containerd
 * 1.7.16, docker 26.1.0, podman 5.1 and cri-o 1.30 and later. Older toolkits ask for nothing: N/A.
 */
#include <string.h>

#include "assay/reasons/check.h"

#include "rules.h"
#include "script.h"

#define SOURCE "NVIDIA/cloud-native-docs container-toolkit/release-notes.md"
#define TOOLKIT_WITH_CDI "1.19"

static const struct runtime {
    const char *name, *program, *version, *cdi; /* words of the suite, of the host, and metrics */
    const char *least;                          /* for TOOLKIT_WITH_CDI and later */
} runtimes[] = {
    {"docker", "docker", "docker.version", "docker.cdi", "26.1.0"},
    {"containerd", "containerd", "containerd.version", "containerd.cdi", "1.7.16"},
    {"podman", "podman", "podman.version", "podman.cdi", "5.1"},
    {"cri-o", "crio", "crio.version", "crio.cdi", "1.30"},
};
enum { RUNTIMES = ARRAY_SIZE(runtimes) };

static void command(const struct check_context *context, struct text *out)
{
    (void)context;
    script_begin(
        out,
        "docker --version; containerd --version; podman --version; crio --version; nvidia-ctk --version");
    text_put(out, "set --");
    for (size_t i = 0; i < RUNTIMES; i++) {
        script_word(out, runtimes[i].version);
        script_word(out, runtimes[i].program);
    }
    text_put(out, " toolkit.version nvidia-ctk\n");
    text_put(out, script_container_runtime);
}

static void judge_cdi(struct reading *out, const struct runtime *runtime, const char *toolkit)
{
    const char *version = reading_get_fact(out, runtime->version, "");

    if (version == NULL || toolkit == NULL) {
        reading_finding(
            out, SEVERITY_INFO, arena_printf(out->arena, "%s.unread", runtime->cdi), "",
            reason(out->arena, no_version_told, version == NULL ? runtime->program : "nvidia-ctk"));
        return;
    }
    if (version_reaches(toolkit, TOOLKIT_WITH_CDI) != VERSION_REACHED)
        reading_fact(out, runtime->cdi, "", slice_of("N/A"));
    else if (version_reaches(version, runtime->least) == VERSION_REACHED)
        reading_fact(out, runtime->cdi, "", slice_of("yes"));
    else
        reading_fact_said(
            out, runtime->cdi, "",
            reason(out->arena, no_toolkit_needs_newer, runtime->program, version, toolkit, runtime->least));
}

static void read_versions(const struct check_context *context, const struct attempt *attempt,
                          struct reading *out)
{
    const char *driver;

    read_parts(context, attempt, out);
    for (size_t i = 0; i < RUNTIMES; i++)
        judge_cdi(out, &runtimes[i], reading_get_fact(out, "toolkit.version", ""));
    driver = reading_get_fact(out, "docker.cgroup_driver", "");
    if (driver != NULL && strcmp(driver, "systemd") == 0)
        reading_finding(out, SEVERITY_INFO, "docker.cgroup_systemd", "", REASON(cgroup_systemd_loses_gpus));
}

static bool is_required(const struct check_context *context, const char *name)
{
    json_each (word, json_get(context->step->arguments, "runtimes")) {
        if (strcmp(word->string, name) == 0)
            return true;
    }
    return false;
}

static const char *unknown_runtime(const struct check_context *context)
{
    json_each (word, json_get(context->step->arguments, "runtimes")) {
        bool known = false;

        for (size_t i = 0; i < RUNTIMES; i++)
            known |= strcmp(word->string, runtimes[i].name) == 0;
        if (!known)
            return "\"runtimes\" may name docker, containerd, podman and cri-o";
    }
    return NULL;
}

static const struct limit *same(const struct check_context *context, const char *metric)
{
    return rules_new(context, LIMITS RULES_SAME(metric, "assay: hosts of one platform are set up alike"));
}

static void slots_of_runtimes(const struct check_context *context, struct slot_list *slots)
{
    bool any = false;

    for (size_t i = 0; i < RUNTIMES; i++) {
        bool required = is_required(context, runtimes[i].name);
        const struct limit *cdi =
            rules_new(context, LIMITS RULES(.metric = runtimes[i].cdi, .rule = RULE_ONE_OF, .text = "yes|N/A",
                                            .source = SOURCE, .status = LIMIT_VENDOR));

        any |= required;
        slot_add(context, slots, runtimes[i].version, "", NULL, required ? DUTY_GATE : DUTY_RECORD,
                 same(context, runtimes[i].version));
        slot_add(context, slots, runtimes[i].cdi, "", NULL, required ? DUTY_GATE : DUTY_RECORD, cdi);
    }
    slot_add(context, slots, "toolkit.version", "", NULL, any ? DUTY_GATE : DUTY_RECORD,
             same(context, "toolkit.version"));
    slot_add(context, slots, "docker.cgroup_driver", "", NULL, DUTY_RECORD,
             same(context, "docker.cgroup_driver"));
    slot_add(context, slots, "docker.default_runtime", "", NULL, DUTY_RECORD, NULL);
}

const struct check check_container_runtime = {
    .name = "container-runtime",
    .title = "Container runtime",
    .summary =
        "docker, containerd, podman, cri-o and NVIDIA's toolkit; those that the suite names must be there",
    .concerns = OF_GPU,
    .passive = true,
    .as_root = true,
    .arguments = ARGUMENTS({"runtimes", ARGUMENT_LIST, NULL,
                            "which must be there: docker, containerd, podman, cri-o", GIVEN_IS_MORE}),
    .arguments_fault = unknown_runtime,
    .parts = PARTS({"values", "key-value", command, NULL}),
    .remedies = REMEDIES({"*.cdi", REASON(update_container_runtime)},
                         {"toolkit.version", REASON(install_container_toolkit)},
                         {"*.version", REASON(install_same_runtime)}),
    .more_slots = slots_of_runtimes,
    .expected_s = 5,
    .read = read_versions,
};
