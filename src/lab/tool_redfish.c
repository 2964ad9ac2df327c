/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curl, as far as a host asks its BMC with it: that answers Redfish as a Supermicro board with an HGX baseboard does. URLs come
 * as curl's configuration on standard input, and bodies go out with what --write-out says behind each.
 */
#include <string.h>
#include <time.h>

#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/base/scan.h"
#include "assay/base/text.h"
#include "lab_private.h"

#define ROOT "/redfish/v1"
#define VENDOR "ADMIN:ADMIN"

enum { CLOCK_BEHIND_S = 1800, CONNECT_S = 10, DAY_S = 86400, TIMED_OUT = 28 };

static bool is_bad(const struct lab_host *host, const char *what)
{
    return strcmp(host->bmc_bad, what) == 0;
}

/* The BMC's clock is its own: half an hour behind. */
static const char *time_text(struct arena *arena, time_t seconds_ago)
{
    time_t when = time(NULL) - CLOCK_BEHIND_S - seconds_ago;
    char buf[40];
    struct tm at;

    gmtime_r(&when, &at);
    strftime(buf, sizeof buf, "%Y-%m-%dT%H:%M:%S+00:00", &at);
    return arena_strdup(arena, buf);
}

/* -- Documents -- */

static void put_link(struct text *out, const char *name, const char *path)
{
    text_printf(out, ", \"%s\": {\"@odata.id\": \"" ROOT "/%s\"}", name, path);
}

static void put_members(struct text *out, const char *folder, const char *const *names, size_t count)
{
    text_printf(out, "{\"Members@odata.count\": %zu, \"Members\": [", count);
    for (size_t i = 0; i < count; i++)
        text_printf(out, "%s{\"@odata.id\": \"" ROOT "/%s/%s\"}", i > 0 ? ", " : "", folder, names[i]);
    text_put(out, "]}");
}

static void put_status(struct text *out, const char *health)
{
    text_printf(out, "\"Status\": {\"State\": \"Enabled\", \"Health\": \"%s\"}", health);
}

static void put_root(struct tool *tool, struct text *out)
{
    (void)tool;
    text_put(out, "{\"Id\": \"RootService\", \"RedfishVersion\": \"1.15.0\"");
    put_link(out, "Systems", "Systems");
    put_link(out, "Managers", "Managers");
    put_link(out, "Chassis", "Chassis");
    put_link(out, "UpdateService", "UpdateService");
    text_put(out, "}");
}

static void put_systems(struct tool *tool, struct text *out)
{
    (void)tool;
    put_members(out, "Systems", (const char *const[]){"System_0"}, 1);
}

static void put_system(struct tool *tool, struct text *out)
{
    text_printf(out,
                "{\"Id\": \"System_0\", \"UUID\": \"8f1c2d3e-9b3f-ef11-8000-3cecef%06x\", "
                "\"Model\": \"%s\", \"BiosVersion\": \"%s\", "
                "\"Boot\": {\"BootSourceOverrideMode\": \"%s\"}, ",
                tool->host->number, tool->host->board->product, tool->host->bios_version,
                is_bad(tool->host, "legacy-boot") ? "Legacy" : "UEFI");
    put_status(out, "OK");
    put_link(out, "SecureBoot", "Systems/System_0/SecureBoot");
    put_link(out, "LogServices", "Systems/System_0/LogServices");
    text_put(out, "}");
}

static void put_secure_boot(struct tool *tool, struct text *out)
{
    (void)tool;
    text_put(out, "{\"Id\": \"SecureBoot\", \"SecureBootEnable\": false}");
}

static void put_logs(struct tool *tool, struct text *out)
{
    (void)tool;
    put_members(out, "Systems/System_0/LogServices", (const char *const[]){"Journal", "SEL"}, 2);
}

static void put_log(struct tool *tool, struct text *out)
{
    (void)tool;
    text_put(out, "{\"Id\": \"SEL\"");
    put_link(out, "Entries", "Systems/System_0/LogServices/SEL/Entries");
    text_put(out, "}");
}

static void put_event(struct tool *tool, struct text *out, unsigned number, time_t seconds_ago,
                      const char *message)
{
    text_printf(
        out,
        "%s{\"Id\": \"%u\", \"Created\": \"%s\", \"Severity\": \"Critical\", \"EntryCode\": \"Assert\", "
        "\"Message\": \"%s\"}",
        number > 1 ? ", " : "", number, time_text(tool->arena, seconds_ago), message);
}

/* A supply that was changed at the installation is an old story. */
static void put_events(struct tool *tool, struct text *out)
{
    unsigned lost = tool->host->psu_lost;

    text_put(out, "{\"Members\": [");
    put_event(tool, out, 1, (time_t)30 * DAY_S, "PSU1 AC lost");
    if (lost > 0)
        put_event(tool, out, 2, 600, arena_printf(tool->arena, "PSU%u AC lost", lost));
    if (is_bad(tool->host, "event"))
        put_event(tool, out, 2, 600, "Uncorrectable ECC error of P1-DIMMA1");
    text_put(out, "]}");
}

static void put_managers(struct tool *tool, struct text *out)
{
    (void)tool;
    put_members(out, "Managers", (const char *const[]){"BMC_0"}, 1);
}

static void put_manager(struct tool *tool, struct text *out)
{
    text_printf(out, "{\"Id\": \"BMC_0\", \"FirmwareVersion\": \"%s\", \"DateTime\": \"%s\", ",
                tool->host->bmc_firmware, time_text(tool->arena, 0));
    put_status(out, "OK");
    put_link(out, "NetworkProtocol", "Managers/BMC_0/NetworkProtocol");
    text_put(out, "}");
}

static void put_protocols(struct tool *tool, struct text *out)
{
    text_printf(out, "{\"Id\": \"NetworkProtocol\", \"IPMI\": {\"Port\": 623, \"ProtocolEnabled\": %s}}",
                is_bad(tool->host, "ipmi-on-lan") ? "true" : "false");
}

static void put_chassis_all(struct tool *tool, struct text *out)
{
    (void)tool;
    put_members(out, "Chassis", (const char *const[]){"Chassis_0"}, 1);
}

static void put_chassis(struct tool *tool, struct text *out)
{
    text_printf(out, "{\"Id\": \"Chassis_0\", \"Status\": {\"State\": \"Enabled\", \"HealthRollup\": \"%s\"}",
                is_bad(tool->host, "unwell") ? "Critical" : "OK");
    put_link(out, "Power", "Chassis/Chassis_0/Power");
    put_link(out, "Thermal", "Chassis/Chassis_0/Thermal");
    text_put(out, "}");
}

static void put_power(struct tool *tool, struct text *out)
{
    text_put(
        out,
        "{\"PowerControl\": [{\"MemberId\": \"0\", \"PowerConsumedWatts\": 2150}], \"PowerSupplies\": [");
    for (unsigned i = 1; i <= tool->host->board->psu_count; i++) {
        text_printf(out, "%s{\"MemberId\": \"%u\", \"Name\": \"PSU%u\", ", i > 1 ? ", " : "", i - 1, i);
        put_status(out, tool->host->psu_lost == i ? "Critical" : "OK");
        text_put(out, "}");
    }
    text_put(out, "]}");
}

static void put_thermal(struct tool *tool, struct text *out)
{
    unsigned fans = is_bad(tool->host, "fan-gone") ? 7 : 8;

    text_put(out, "{\"Fans\": [");
    for (unsigned i = 1; i <= fans; i++) {
        text_printf(out, "%s{\"MemberId\": \"%u\", \"Name\": \"FAN%u\", ", i > 1 ? ", " : "", i - 1, i);
        put_status(out, "OK");
        text_put(out, "}");
    }
    text_printf(
        out,
        "], \"Temperatures\": [{\"MemberId\": \"0\", \"Name\": \"Inlet Temp\", \"PhysicalContext\": \"Intake\", "
        "\"ReadingCelsius\": 24, \"UpperThresholdCritical\": 45}, {\"MemberId\": \"1\", \"Name\": \"CPU1 Temp\", "
        "\"PhysicalContext\": \"CPU\", \"ReadingCelsius\": %u, \"UpperThresholdCritical\": 95}]}",
        is_bad(tool->host, "hot") ? 97 : 52);
}

static void put_updates(struct tool *tool, struct text *out)
{
    (void)tool;
    text_put(out, "{\"Id\": \"UpdateService\"");
    put_link(out, "FirmwareInventory", "UpdateService/FirmwareInventory");
    text_put(out, "}");
}

static const char *const components[] = {"BMC",
                                         "BIOS",
                                         "MB_CPLD_0",
                                         "HGX_FW_CPLD_0",
                                         "HGX_FW_NVSwitch_0",
                                         "HGX_FW_NVSwitch_1",
                                         "HGX_FW_PCIeRetimer_0",
                                         "HGX_FW_PCIeRetimer_1",
                                         "HGX_FW_GPU_SXM_1",
                                         "PSU_1",
                                         "NIC_0",
                                         "HGX_FW_ERoT_FPGA_0",
                                         "HGX_FW_FPGA_0"};

static void put_inventory(struct tool *tool, struct text *out)
{
    (void)tool;
    put_members(out, "UpdateService/FirmwareInventory", components, ARRAY_SIZE(components));
}

static const char *version_of(const struct lab_host *host, const char *component)
{
    if (strcmp(component, "BMC") == 0)
        return host->bmc_firmware;
    if (strcmp(component, "BIOS") == 0)
        return host->bios_version;
    return is_bad(host, "cpld-odd") && strcmp(component, "MB_CPLD_0") == 0 ? "F1.00.02" : "F1.00.04";
}

static bool put_component(struct tool *tool, const char *path, struct text *out)
{
    struct slice rest = slice_of(path);

    if (!scan_text(&rest, ROOT "/UpdateService/FirmwareInventory/"))
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(components); i++)
        if (slice_equal(rest, components[i]) &&
            !(is_bad(tool->host, "forgets") && strcmp(components[i], "PSU_1") == 0)) {
            text_printf(out, "{\"Id\": \"%s\", \"Version\": \"%s\"}", components[i],
                        version_of(tool->host, components[i]));
            return true;
        }
    return false;
}

static const struct resource {
    const char *path;
    void (*put)(struct tool *tool, struct text *out);
} resources[] = {
    {ROOT "/", put_root},
    {ROOT "/Systems", put_systems},
    {ROOT "/Systems/System_0", put_system},
    {ROOT "/Systems/System_0/SecureBoot", put_secure_boot},
    {ROOT "/Systems/System_0/LogServices", put_logs},
    {ROOT "/Systems/System_0/LogServices/SEL", put_log},
    {ROOT "/Systems/System_0/LogServices/SEL/Entries", put_events},
    {ROOT "/Managers", put_managers},
    {ROOT "/Managers/BMC_0", put_manager},
    {ROOT "/Managers/BMC_0/NetworkProtocol", put_protocols},
    {ROOT "/Chassis", put_chassis_all},
    {ROOT "/Chassis/Chassis_0", put_chassis},
    {ROOT "/Chassis/Chassis_0/Power", put_power},
    {ROOT "/Chassis/Chassis_0/Thermal", put_thermal},
    {ROOT "/UpdateService", put_updates},
    {ROOT "/UpdateService/FirmwareInventory", put_inventory},
};

/* -- Answers -- */

struct request {
    struct tool *tool;
    bool login, tried; /* one that the BMC takes; another one, too */
};

static unsigned answer(const struct request *request, const char *path, struct text *body)
{
    const struct lab_host *host = request->tool->host;

    if (strcmp(path, ROOT "/") != 0 && !request->login && (request->tried || !is_bad(host, "open")))
        return 401;
    for (size_t i = 0; i < ARRAY_SIZE(resources); i++)
        if (strcmp(resources[i].path, path) == 0) {
            resources[i].put(request->tool, body);
            return 200;
        }
    return put_component(request->tool, path, body) ? 200 : 404;
}

/* "\n" and "%{...}" of curl's --write-out. */
static void print_closing(const char *format, unsigned status, struct slice url)
{
    struct slice rest = slice_of(format);

    while (rest.length > 0)
        if (scan_text(&rest, "\\n")) {
            printf("\n");
        } else if (scan_text(&rest, "%{http_code}")) {
            printf("%03u", status);
        } else if (scan_text(&rest, "%{url_effective}")) {
            printf("%.*s", slice_print(url));
        } else {
            printf("%c", *rest.bytes);
            rest = slice_from(rest, 1);
        }
}

static void print_answer(const struct request *request, struct slice url)
{
    cleanup_text struct text body = {0};
    struct slice rest = url;
    size_t at;
    unsigned status;

    text_init(&body, 1 << 20);
    (void)scan_text(&rest, "https://");
    at = slice_find(rest, "/");
    status = answer(request, arena_strndup(request->tool->arena, rest.bytes + at, rest.length - at), &body);
    printf("%.*s", (int)body.length, body.bytes != NULL ? body.bytes : "");
    print_closing(tool_option(request->tool, "--write-out", ""), status, url);
}

/* What the lab has put into the host's file. */
static bool has_login(const struct tool *tool)
{
    const char *file = tool_option(tool, "--netrc-file", "");
    cleanup_text struct text text = {0};
    struct error err = {0};

    text_init(&text, 4096);
    return *file != '\0' && !is_bad(tool->host, "refuses") && file_read(file, &text, &err) == 0 &&
           strcmp(text.bytes, LAB_BMC_LOGIN) == 0;
}

/* `url = "https://node3-bmc/redfish/v1/"`: what stands in quotes. */
static bool scan_setting(struct slice line, const char *name, struct slice *ret_value)
{
    if (!scan_text(&line, name) || !scan_text(&line, " = \"") || line.length == 0)
        return false;
    *ret_value = (struct slice){line.bytes, line.length - 1};
    return true;
}

static int time_out(const struct request *request)
{
    lab_sleep(request->tool->lab, CONNECT_S);
    printf("curl: (28) Connection timed out after %u ms", CONNECT_S * 1000);
    print_closing(tool_option(request->tool, "--write-out", ""), 0, slice_of("https://bmc" ROOT "/"));
    return TIMED_OUT;
}

/* The fault of the BMC "node3-bmc"; "": it has none. */
static const char *bmc_fault(const struct lab *lab, const char *name)
{
    const char *end = strstr(name, "-bmc");
    char host[16];
    const struct fault *fault;

    if (end == NULL || end - name >= (ptrdiff_t)sizeof host)
        return "";
    snprintf(host, sizeof host, "%.*s", (int)(end - name), name);
    fault = fault_find(lab, lab_host_number(lab, host), FAULT_BMC_BAD);
    return fault != NULL ? fault->word : "";
}

bool lab_bmc_answers(const struct lab *lab, const char *name)
{
    return strcmp(bmc_fault(lab, name), "reachable") == 0;
}

bool lab_bmc_answers_rmcp(const struct lab *lab, const char *name)
{
    return lab_bmc_answers(lab, name) || strcmp(bmc_fault(lab, name), "ipmi-reachable") == 0;
}

int curl_redfish(struct tool *tool, struct slice settings)
{
    struct request request = {tool, has_login(tool), *tool_option(tool, "--netrc-file", "") != '\0'};
    struct slice line, value;

    if (is_bad(tool->host, "hangs"))
        return time_out(&request);
    while (scan_line(&settings, &line)) {
        if (scan_setting(line, "user", &value)) {
            request.tried = true;
            request.login = is_bad(tool->host, "default") && slice_equal(value, VENDOR);
        }
        if (scan_setting(line, "url", &value))
            print_answer(&request, value);
    }
    return 0;
}
