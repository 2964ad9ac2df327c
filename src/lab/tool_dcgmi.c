/* SPDX-License-Identifier: Apache-2.0 */
/* dcgmi of DCGM 3: diag as text and as JSON, discovery, --version. */
#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/base/json.h"
#include "lab_private.h"

#define COLUMN 45 /* where dcgmi breaks its texts, in mid-word */
#define RULE "+---------------------------+------------------------------------------------+\n"

enum result { PASS, FAIL, WARN, SKIP };

static const char *const result_words[] = {"Pass", "Fail", "Warn", "Skip"};

/* Every test of the diagnostic, with the lowest level that runs it. */
static const struct test {
    const char *category, *name;
    int level;
    bool per_gpu;
} tests[] = {
    {"Deployment", "Denylist", 1, false},
    {"Deployment", "NVML Library", 1, false},
    {"Deployment", "CUDA Main Library", 1, false},
    {"Deployment", "Permissions and OS Blocks", 1, false},
    {"Deployment", "Persistence Mode", 1, false},
    {"Deployment", "Environment Variables", 1, false},
    {"Deployment", "Page Retirement/Row Remap", 1, false},
    {"Deployment", "Graphics Processes", 1, false},
    {"Deployment", "Inforom", 1, false},
    {"Integration", "PCIe", 2, true},
    {"Hardware", "GPU Memory", 2, true},
    {"Hardware", "Diagnostic", 3, true},
    {"Stress", "Targeted Stress", 3, true},
    {"Stress", "Targeted Power", 3, true},
    {"Stress", "Memory Bandwidth", 3, true},
    {"Stress", "EUD Test", 3, true},
    {"Stress", "Memtest", 4, true},
    {"Stress", "Pulse Test", 4, true},
};

#define TESTS (ARRAY_SIZE(tests))

static const double level_seconds[] = {0, 6, 130, 900, 5400};

static const char *const cuinit_failed =
    "Error using CUDA API cuInit Check DCGM and system logs for errors. Reset GPU. Restart DCGM. Rerun "
    "diagnostics. "
    "Unable to initialize CUDA library: 'system not yet initialized'. . Please check if a CUDA sample "
    "program can be "
    "run successfully on this host. Refer to https://github.com/nvidia/cuda-samples";

/* What a fault makes of the test on the GPU. */
static enum result faulty_result(const struct lab_host *host, const struct test *test, int gpu)
{
    static const struct {
        enum fault_kind kind;
        enum result result;
    } rows[] = {{FAULT_DCGM, FAIL}, {FAULT_DCGM_WARN, WARN}, {FAULT_DCGM_SKIP, SKIP}};

    array_each (fault, host->lab->faults, host->lab->fault_count)
        for (size_t k = 0; k < ARRAY_SIZE(rows); k++)
            if (fault->host == host->number && fault->kind == rows[k].kind &&
                fault->gpu == host->gpus[gpu].number && strcmp(fault->word, test->name) == 0)
                return rows[k].result;
    return PASS;
}

static enum result gpu_result(const struct lab_host *host, const struct test *test, int gpu)
{
    if (strcmp(test->name, "EUD Test") == 0)
        return SKIP; /* a package of its own, installed nowhere here */
    if (host->cuda_error != NULL)
        return strcmp(test->name, "GPU Memory") == 0 ? FAIL : SKIP;
    return faulty_result(host, test, gpu);
}

static bool remap_pending(const struct lab_host *host)
{
    for (int i = 0; i < host->gpu_count; i++)
        if (host->gpus[i].remap_pending)
            return true;
    return false;
}

/* -1: none. */
static int corrupt_inforom(const struct lab_host *host)
{
    const struct fault *fault = fault_find(host->lab, host->number, FAULT_DCGM_INFOROM);

    return fault != NULL ? fault->gpu : -1;
}

static enum result deployment_result(const struct lab_host *host, const struct test *test)
{
    if (strcmp(test->name, "Inforom") == 0)
        return corrupt_inforom(host) >= 0 ? FAIL : PASS;
    return strcmp(test->name, "Page Retirement/Row Remap") == 0 && remap_pending(host) ? FAIL : PASS;
}

/* What dcgmi says beside a result that is neither pass nor skip. */
static const char *warning_of(struct tool *tool, const struct test *test, int gpu)
{
    if (gpu_result(tool->host, test, gpu) == WARN)
        return arena_printf(
            tool->arena,
            "Clocks are being throttled for GPU %d because of clock throttling starting at 12.0 "
            "seconds after the test began.",
            gpu);
    if (tool->host->cuda_error != NULL)
        return cuinit_failed;
    if (strcmp(test->name, "GPU Memory") == 0)
        return "Memory allocated by the test was found to be corrupted. Run a field diagnostic on the GPU.";
    if (strcmp(test->name, "PCIe") == 0)
        return "Bandwidth of GPU in direction device to host did not meet the minimum required bandwidth. "
               "Check the "
               "PCIe link of the GPU.";
    return arena_printf(
        tool->arena,
        "There was a failure in the %s: the GPU stayed below the minimum, or gave a wrong result. Run "
        "a field diagnostic on GPU %d.",
        test->name, gpu);
}

/* Text. */

static void print_wrapped(const char *label, const char *text)
{
    for (size_t length = strlen(text); length > 0;) {
        size_t part = length < COLUMN ? length : COLUMN;

        printf("| %-25s | %-46.*s |\n", label, (int)part, text);
        label = "";
        text += part;
        length -= part;
    }
}

static int count_results(const struct lab_host *host, const struct test *test, enum result wanted)
{
    int count = 0;

    for (int i = 0; i < host->gpu_count; i++)
        if (gpu_result(host, test, i) == wanted)
            count++;
    return count;
}

static void print_gpu_test(struct tool *tool, const struct test *test)
{
    const char *label = test->name;

    for (int result = PASS; result <= SKIP; result++) {
        int count = count_results(tool->host, test, (enum result)result);
        const char *separator = count > 1 ? "GPUs: " : "GPU: ";
        char *list = arena_strdup(tool->arena, "");

        if (count == 0)
            continue;
        for (int i = 0; i < tool->host->gpu_count; i++)
            if (gpu_result(tool->host, test, i) == (enum result)result) {
                list = arena_printf(tool->arena, "%s%s%d", list, separator, i);
                separator = ", ";
            }
        if (count == tool->host->gpu_count)
            list = arena_strdup(tool->arena, "All");
        printf("| %-25s | %-46s |\n", label,
               arena_printf(tool->arena, "%s - %s", result_words[result], list));
        label = "";
    }
    for (int i = 0; i < tool->host->gpu_count; i++)
        if (gpu_result(tool->host, test, i) == FAIL || gpu_result(tool->host, test, i) == WARN)
            print_wrapped("Warning", arena_printf(tool->arena, "GPU %d %s", i, warning_of(tool, test, i)));
}

static const char *inforom_text(struct tool *tool)
{
    return arena_printf(tool->arena,
                        "A corrupt InfoROM has been detected in GPU %d. Flash the InfoROM to clear this "
                        "corruption.",
                        corrupt_inforom(tool->host));
}

static void print_deployment(struct tool *tool, const struct test *test)
{
    const struct lab_host *host = tool->host;
    char *info = NULL;

    printf("| %-25s | %-46s |\n", test->name, result_words[deployment_result(host, test)]);
    if (deployment_result(host, test) == FAIL && strcmp(test->name, "Inforom") == 0)
        print_wrapped("Error", inforom_text(tool));
    for (int i = 0; i < host->gpu_count; i++) {
        if (strcmp(test->name, "Page Retirement/Row Remap") == 0 && host->gpus[i].remap_pending)
            print_wrapped(
                "Error",
                arena_printf(tool->arena,
                             "GPU %d has uncorrectable memory errors and row remappings are pending", i));
        if (strcmp(test->name, "Persistence Mode") == 0 && !host->gpus[i].persistence)
            info = arena_printf(
                tool->arena,
                "%s%sPersistence mode for GPU %d is disabled. Enable persistence mode by running "
                "\"nvidia-smi -i <gpuId> -pm 1 \" as root.",
                info != NULL ? info : "", info != NULL ? "," : "", i);
    }
    if (info != NULL)
        print_wrapped("Info", info);
}

static char *device_ids(struct tool *tool, const char *separator)
{
    char *list = arena_strdup(tool->arena, "");

    for (int i = 0; i < tool->host->gpu_count; i++)
        list =
            arena_printf(tool->arena, "%s%s%s", list, i > 0 ? separator : "", tool->host->profile->device_id);
    return list;
}

static void print_category(const char *category, bool first)
{
    char edge = first ? '|' : '+';

    printf("%c-----  %s  ", edge, category);
    for (size_t i = strlen(category); i < 18; i++)
        putchar('-');
    printf("+------------------------------------------------%c\n", edge);
}

static void print_text(struct tool *tool, int level)
{
    const char *category = "";

    printf("Successfully ran diagnostic for group.\n" RULE
           "| Diagnostic                | Result                                         |\n"
           "+===========================+================================================+\n");
    print_category("Metadata", true);
    printf("| DCGM Version              | %-46s |\n| Driver Version Detected   | %-46s |\n"
           "| GPU Device IDs Detected   | %-46s |\n",
           tool->host->profile->dcgm, tool->host->driver, device_ids(tool, ","));
    for (size_t i = 0; i < TESTS; i++) {
        if (tests[i].level > level)
            continue;
        if (strcmp(category, tests[i].category) != 0) {
            category = tests[i].category;
            print_category(category, !tests[i].per_gpu);
        }
        if (tests[i].per_gpu)
            print_gpu_test(tool, &tests[i]);
        else
            print_deployment(tool, &tests[i]);
    }
    printf(RULE);
}

/* JSON. */

static void write_results(struct tool *tool, struct json_writer *writer, const struct test *test)
{
    const struct lab_host *host = tool->host;

    json_member_array(writer, "results");
    for (int i = 0; i < (test->per_gpu ? host->gpu_count : 1); i++) {
        enum result result = test->per_gpu ? gpu_result(host, test, i) : deployment_result(host, test);

        json_open_object(writer);
        if (test->per_gpu)
            json_member(writer, "gpu_ids", arena_printf(tool->arena, "%d", i));
        json_member(writer, "status", result_words[result]);
        if (result == FAIL || result == WARN)
            json_member(writer, "warnings",
                        test->per_gpu ? arena_printf(tool->arena, "GPU %d %s", i, warning_of(tool, test, i))
                        : strcmp(test->name, "Inforom") == 0
                            ? inforom_text(tool)
                            : "GPU has uncorrectable memory errors and row remappings are pending");
        json_close_object(writer);
    }
    json_close_array(writer);
}

static void write_tests(struct tool *tool, struct json_writer *writer, int level)
{
    const char *category = NULL;

    for (size_t i = 0; i < TESTS; i++) {
        if (tests[i].level > level)
            continue;
        if (category == NULL || strcmp(category, tests[i].category) != 0) {
            if (category != NULL) {
                json_close_array(writer);
                json_close_object(writer);
            }
            category = tests[i].category;
            json_open_object(writer);
            json_member(writer, "category", category);
            json_member_array(writer, "tests");
        }
        json_open_object(writer);
        json_member(writer, "name", tests[i].name);
        write_results(tool, writer, &tests[i]);
        json_close_object(writer);
    }
    json_close_array(writer);
    json_close_object(writer);
}

static void print_json(struct tool *tool, int level)
{
    cleanup_text struct text out = {0};
    struct json_writer writer;

    text_init(&out, 4 << 20);
    json_writer_init(&writer, &out, false);
    json_open_object(&writer);
    json_member_object(&writer, "DCGM GPU Diagnostic");
    json_member_array(&writer, "test_categories");
    write_tests(tool, &writer, level);
    json_close_array(&writer);
    json_close_object(&writer);
    json_member_array(&writer, "GPU Device IDs");
    for (int i = 0; i < tool->host->gpu_count; i++)
        json_put_string(&writer, tool->host->profile->device_id);
    json_close_array(&writer);
    json_member(&writer, "Driver Version Detected", tool->host->driver);
    json_member(&writer, "version", tool->host->profile->dcgm);
    json_close_object(&writer);
    printf("%s\n", out.bytes);
}

static bool any_failure(const struct lab_host *host, int level)
{
    for (size_t i = 0; i < TESTS; i++)
        if (tests[i].level <= level && (tests[i].per_gpu ? count_results(host, &tests[i], FAIL) > 0
                                                         : deployment_result(host, &tests[i]) == FAIL))
            return true;
    return false;
}

static int level_of(const char *word)
{
    static const char *const names[] = {"", "short", "medium", "long", "xlong"};

    for (int i = 1; i <= 4; i++)
        if (strcmp(word, names[i]) == 0 || (word[0] == '0' + i && word[1] == '\0'))
            return i;
    return 0;
}

static int diag(struct tool *tool)
{
    bool json = false;
    int level = 0;

    for (int i = 2; i < tool->argc; i++) {
        const char *word = tool->argv[i];

        if ((strcmp(word, "-r") == 0 || strcmp(word, "--run") == 0) && i + 1 < tool->argc)
            level = level_of(tool->argv[++i]);
        else if (strcmp(word, "-j") == 0 || strcmp(word, "--json") == 0)
            json = true;
        else if (strcmp(word, "-i") == 0 || strcmp(word, "-p") == 0 || strcmp(word, "--host") == 0 ||
                 strcmp(word, "-g") == 0)
            i++;
    }
    if (level == 0) {
        fprintf(stderr, "PARSE ERROR: Argument: -r (--run)\n             the level is 1, 2, 3 or 4\n");
        return 1;
    }
    if (level > tool->host->dcgm_level)
        level = tool->host->dcgm_level;
    lab_sleep(tool->lab, level_seconds[level]);
    if (json)
        print_json(tool, level);
    else
        print_text(tool, level);
    return any_failure(tool->host, level) ? 226 : 0;
}

static int discovery(const struct lab_host *host)
{
    char bus[24];

    printf(
        "%d GPUs found.\n+--------+----------------------------------------------------------------------+\n"
        "| GPU ID | Device Information                                                   |\n"
        "+--------+----------------------------------------------------------------------+\n",
        host->gpu_count);
    for (int i = 0; i < host->gpu_count; i++)
        printf("| %-6d | Name: %-62s |\n|        | PCI Bus ID: %s%-38s |\n"
               "|        | Device UUID: %-55s |\n"
               "+--------+----------------------------------------------------------------------+\n",
               i, host->profile->gpu_name, lab_bus_id(&host->gpus[i], bus), "", host->gpus[i].uuid);
    return 0;
}

int tool_dcgmi(struct tool *tool)
{
    const char *command = tool->argc > 1 ? tool->argv[1] : "";

    if (strcmp(command, "--version") == 0 || strcmp(command, "-v") == 0) {
        printf("\ndcgmi  version: %s\n", tool->host->profile->dcgm);
        return 0;
    }
    if (strcmp(command, "diag") == 0)
        return diag(tool);
    if (strcmp(command, "discovery") == 0)
        return discovery(tool->host);
    fprintf(stderr, "ERROR: '%s' is not a subsystem\n", command);
    return 1;
}
