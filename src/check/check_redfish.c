/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The management controller (BMC) asked over Redfish, with TLS and a login: firmware of all components, health, the event
 * logs, power, boot mode, whether it asks for a login, and whether IPMI over LAN is on. It takes the place of check bmc where
 * the hostfile has the BMC's address.
 *
 * The host itself asks, or whichever machine the hostfile leads to under its name. The login is a file there that curl reads:
 * it is in no argument, and never comes to the controller.
 *
 * What of the documents was not read leaves the items undecided that rest on it, and no others. As in check bmc an event is as
 * old as the BMC's own clock says.
 */
#include <fnmatch.h>
#include <math.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

#include "kinds.h"
#include "rules.h"
#include "script.h"

enum {
    TOLD_MOST = 20, /* faults in one cause: people read it */
    HTTPS = 443,
    PORT_HIGHEST = 65535,
    AHEAD_MOST_S = 3600,    /* a BMC's clock, of the clock of who asks */
    DATED_FROM = 1420070400 /* 2015 */
};

/* -- Asking -- */

/* An IPv6 address stands in brackets, and its zone behind "%25". */
static const char *place_of(const struct check_context *context)
{
    const char *bmc = context->members[0]->bmc, *zone;
    double port = check_number(context, "port");

    if (bmc == NULL) /* of a plan that was loaded, for people */
        return "BMC";
    zone = strchr(bmc, '%');
    if (zone != NULL)
        bmc = arena_printf(context->arena, "%.*s%%25%s", (int)(zone - bmc), bmc, zone + 1);
    if (strchr(bmc, ':') != NULL)
        bmc = arena_printf(context->arena, "[%s]", bmc);
    return port > HTTPS || port < HTTPS ? arena_printf(context->arena, "%s:%.0f", bmc, port) : bmc;
}

static void command_curl(const struct check_context *context, struct text *out)
{
    script_begin(out, "curl --netrc-file FILE https://BMC/redfish/v1/...");
    script_set(out, "at", place_of(context));
    script_set(out, "credentials", check_text(context, "credentials"));
    script_set(out, "ca", check_text(context, "ca"));
    script_set(out, "unverified", check_flag(context, "unverified") ? "--insecure" : NULL);
    script_set(out, "curl", check_tool(context, "curl")->path);
    script_tool(context, out, "curl", "curl");
    text_put(out, "set --");
    json_each (account, json_get(context->step->arguments, "default_passwords"))
        script_word(out, account->string);
    text_put(out, "\n");
    text_put(out, script_redfish);
}

/* "root:0penBmc", of which curl's configuration can be made. */
static bool is_account(const char *text)
{
    for (const char *at = text; *at != '\0'; at++)
        if (*at == '"' || *at == '\\' || (unsigned char)*at < ' ')
            return false;
    return strcspn(text, " :") > 0 && text[strcspn(text, " :")] == ':';
}

static const char *arguments_fault(const struct check_context *context)
{
    static const char *const files[] = {"credentials", "ca"};

    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        const char *file = check_text(context, files[i]);

        if (file != NULL && *file != '\0' && (*file != '/' || strpbrk(file, "\t\n") != NULL))
            return arena_printf(context->arena,
                                "%s is '%s'; expected the path of a file, with '/' at its beginning",
                                files[i], file);
    }
    json_each (account, json_get(context->step->arguments, "default_passwords"))
        if (!is_account(account->string))
            return arena_printf(context->arena,
                                "default password '%s' is not written as \"ACCOUNT:PASSWORD\"",
                                account->string);
    if (check_number(context, "port") > PORT_HIGHEST)
        return "\"port\" is at most 65535";
    if (check_flag(context, "unverified") && json_get(context->step->arguments, "ca") != NULL)
        return "\"ca\" says by whom the certificate is verified, and \"unverified\" that it is not; expected one of them";
    return rules_allowed_fault(context);
}

static int host_valid(const struct check_context *context, const char *hostfile, struct error *err)
{
    const struct host *host = context->members[0];

    if (host->bmc != NULL)
        return 0;
    return error_set(
        err, ERROR_USAGE,
        "%s:%u:%u: host '%s' has no bmc=ADDRESS, which step %s needs; expected it, or \"when\": {\"bmc\": "
        "\"redfish\"} in the step",
        hostfile, host->line, host->column, host->name, context->step->name);
}

/* -- What was not read, and the items that rest on it -- */

enum area {
    EVENTS = 1 << 0,
    FIRMWARE = 1 << 1,
    PROTOCOLS = 1 << 2,
    SECURE_BOOT = 1 << 3,
    POWER = 1 << 4,
    SYSTEMS = 1 << 5,
    SUPPLIES = 1 << 6,
    FANS = 1 << 7,
    MANAGERS = 1 << 8,
    CHASSIS = 1 << 9,
    SENSORS = 1 << 10
};

/* What lies behind a document that was not read is not known either: a system's own logs, a chassis' fans. */
enum { OF_EVENTS = EVENTS | SYSTEMS | MANAGERS, OF_HEALTH = SYSTEMS | SUPPLIES | FANS | MANAGERS | CHASSIS };

/* The first row whose pattern is that of the path; the last one takes the rest. */
static const struct {
    const char *pattern;
    enum area area;
} areas[] = {{"*LogServices*", EVENTS},
             {"UpdateService*", FIRMWARE},
             {"*/NetworkProtocol", PROTOCOLS},
             {"*/SecureBoot", SECURE_BOOT},
             {"*/EnvironmentMetrics", POWER},
             {"Systems*", SYSTEMS},
             {"Chassis/*/Power*", SUPPLIES},
             {"*/ThermalMetrics", SENSORS},
             {"Chassis/*/Thermal*", FANS},
             {"Managers*", MANAGERS},
             {"*", CHASSIS}};

struct teller {
    const struct reading *bmc;
    struct reading *out;
    double before;                                  /* events before it are old; none is: -INFINITY */
    const struct reason *unread[ARRAY_SIZE(areas)]; /* of each row; NULL: all of it was read */
};

/* The path's row. */
static const struct reason **unread_at(struct teller *teller, const char *path)
{
    size_t row = 0;

    while (fnmatch(areas[row].pattern, path, 0) != 0)
        row++;
    return &teller->unread[row];
}

/* Why something of these areas is not known; NULL: it is. */
static const struct reason *unread_of(const struct teller *teller, unsigned rests_on)
{
    for (size_t row = 0; row < ARRAY_SIZE(areas); row++)
        if ((rests_on & areas[row].area) != 0 && teller->unread[row] != NULL)
            return teller->unread[row];
    return NULL;
}

static void find_unread(struct teller *teller)
{
    for (size_t i = 0; i < teller->bmc->facts.count; i++) {
        const struct fact *fact = &teller->bmc->facts.items[i];
        const struct reason **unread;

        if (strcmp(fact->name, "redfish.unread") != 0)
            continue;
        unread = unread_at(teller, fact->subject);
        if (*unread == NULL)
            *unread = reason(teller->out->arena, redfish_path_not_read, fact->subject,
                             fact->said != NULL ? fact->said : reason_text(teller->out->arena, fact->value));
    }
}

static void tell_unread(struct reading *out, const char *metric, const struct reason *why)
{
    reading_finding(out, SEVERITY_INFO, arena_printf(out->arena, "%s.unread", metric), "", why);
}

/* value NULL: the BMC does not tell it. */
static void tell(const struct teller *teller, const char *metric, unsigned rests_on,
                 const struct reason *value)
{
    struct reading *out = teller->out;
    const struct reason *unread = unread_of(teller, rests_on);

    if (unread != NULL)
        tell_unread(out, metric, unread);
    else if (value == NULL)
        tell_unread(out, metric, reason(out->arena, redfish_not_told, metric));
    else
        reading_fact_said(out, metric, "", value);
}

/* What is known to be wrong is told, whatever else was not read. good NULL: the BMC tells nothing of it. */
static void tell_faults(const struct teller *teller, const char *metric, unsigned rests_on,
                        const struct reason *faults, const struct reason *good)
{
    if (faults != NULL)
        reading_fact_said(teller->out, metric, "", faults);
    else
        tell(teller, metric, rests_on, good);
}

/* -- Firmware -- */

/* A component is of the first kind that it has a word of; the last kind takes the rest. */
static const struct firmware {
    const char *metric;
    const char *words[4];
    const char *instead; /* what tells it where the inventory has none; NULL */
    enum area area;      /* where that stands */
} firmwares[] = {
    {"redfish.firmware.erot", {"erot"}, NULL, 0},
    {"redfish.firmware.cpld", {"cpld"}, NULL, 0},
    {"redfish.firmware.retimer", {"retimer"}, NULL, 0},
    {"redfish.firmware.nvswitch", {"nvswitch"}, NULL, 0},
    {"redfish.firmware.psu", {"psu", "powersupply", "power_supply"}, NULL, 0},
    {"redfish.firmware.bios", {"bios", "uefi"}, "redfish.bios", SYSTEMS},
    {"redfish.firmware.nic", {"nic", "connectx", "bluefield", "network"}, NULL, 0},
    {"redfish.firmware.gpu", {"gpu"}, NULL, 0},
    {"redfish.firmware.bmc", {"bmc"}, "redfish.manager", MANAGERS},
    {"redfish.firmware.other", {""}, NULL, 0},
};

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);

    for (; strlen(text) >= length; text++)
        if (strncasecmp(text, word, length) == 0)
            return true;
    return false;
}

static const struct firmware *firmware_of(const char *component)
{
    for (size_t i = 0; i < ARRAY_SIZE(firmwares); i++)
        for (size_t k = 0; k < ARRAY_SIZE(firmwares[i].words) && firmwares[i].words[k] != NULL; k++)
            if (has_word(component, firmwares[i].words[k]))
                return &firmwares[i];
    return NULL;
}

static void count_facts(const struct reading *bmc, const char *name, const struct firmware *firmware,
                        struct kinds *kinds)
{
    for (size_t i = 0; i < bmc->facts.count; i++)
        if (strcmp(bmc->facts.items[i].name, name) == 0 &&
            (firmware == NULL || firmware_of(bmc->facts.items[i].subject) == firmware))
            kinds_count(kinds, bmc->facts.items[i].value);
}

/* NULL: all of its components have one. */
static const char *component_without_version(const struct reading *bmc, const struct firmware *firmware)
{
    for (size_t i = 0; i < bmc->facts.count; i++)
        if (strcmp(bmc->facts.items[i].name, "redfish.firmware.unversioned") == 0 &&
            firmware_of(bmc->facts.items[i].subject) == firmware)
            return bmc->facts.items[i].subject;
    return NULL;
}

static void tell_firmware(const struct teller *teller, const struct firmware *firmware)
{
    struct kinds kinds = {.arena = teller->out->arena};
    const char *unversioned = component_without_version(teller->bmc, firmware);

    if (unread_of(teller, FIRMWARE) == NULL && unversioned != NULL) {
        tell_unread(teller->out, firmware->metric,
                    reason(teller->out->arena, redfish_without_version, unversioned));
        return;
    }
    count_facts(teller->bmc, "redfish.firmware", firmware, &kinds);
    if (kinds.items.count == 0 && firmware->instead != NULL)
        count_facts(teller->bmc, firmware->instead, NULL, &kinds);
    if (unread_of(teller, FIRMWARE) == NULL && kinds.items.count > 0)
        kinds_tell(teller->out, firmware->metric, &kinds);
    else
        tell(teller, firmware->metric, FIRMWARE | firmware->area, REASON(redfish_nothing_listed));
}

static void tell_firmwares(struct teller *teller)
{
    struct kinds all = {.arena = teller->out->arena};

    count_facts(teller->bmc, "redfish.firmware", NULL, &all);
    if (unread_of(teller, FIRMWARE) == NULL && all.items.count == 0)
        *unread_at(teller, "UpdateService") =
            reason(teller->out->arena, redfish_not_told, "redfish.firmware");
    for (size_t i = 0; i < ARRAY_SIZE(firmwares); i++)
        tell_firmware(teller, &firmwares[i]);
}

/* -- Events and health -- */

/* "2026-11-28T07:00:00+01:00" in seconds; without a zone it is taken for UTC, as the clock beside it is. */
static bool seconds_of(const char *text, double *ret_seconds)
{
    struct tm time = {0};
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &time);
    uint64_t hours, minutes;
    struct slice zone;

    if (rest == NULL)
        return false;
    *ret_seconds = (double)timegm(&time);
    if (*rest == '.')
        rest += 1 + strspn(rest + 1, "0123456789");
    if (*rest == '\0' || strcmp(rest, "Z") == 0)
        return true;
    zone = slice_of(rest + 1);
    if ((*rest != '+' && *rest != '-') || !scan_digits(&zone, &hours) || !scan_text(&zone, ":") ||
        !scan_digits(&zone, &minutes) || zone.length > 0 || hours > 14 || minutes > 59)
        return false;
    *ret_seconds -= (*rest == '-' ? -60.0 : 60.0) * (double)(hours * 60 + minutes);
    return true;
}

/* By the slowest of its clocks, which makes events young. False: it tells none. */
static bool clock_of(const struct reading *bmc, double *ret_now)
{
    double now;

    *ret_now = INFINITY;
    for (size_t i = 0; i < bmc->facts.count; i++)
        if (strcmp(bmc->facts.items[i].name, "redfish.clock") == 0 &&
            seconds_of(bmc->facts.items[i].value, &now))
            *ret_now = fmin(*ret_now, now);
    return isfinite(*ret_now);
}

/* A clock that is ahead makes young events old. */
static bool is_ahead(const struct reading *bmc, double now)
{
    const char *asker = reading_get_fact(bmc, "redfish.asker", "");
    struct slice word = slice_of(asker != NULL ? asker : "");
    double true_now;

    return scan_double(word, &true_now) && now - true_now > AHEAD_MOST_S;
}

/* Of several events of one Id all are. Before it is told the time a BMC counts from 1970 or the day it was built. */
static bool is_old(const struct reading *out, const char *subject, double before)
{
    bool old = false;
    double then;

    for (size_t i = 0; i < out->facts.count; i++) {
        const struct fact *fact = &out->facts.items[i];

        if (strcmp(fact->name, "redfish.event.time") != 0 || strcmp(fact->subject, subject) != 0)
            continue;
        if (!seconds_of(fact->value, &then) || then < DATED_FROM || then >= before)
            return false;
        old = true;
    }
    return old;
}

/* Events are young unless the BMC's own clock says otherwise. */
static double old_before(const struct reading *bmc, double since_s)
{
    double now;

    return clock_of(bmc, &now) && !is_ahead(bmc, now) ? now - since_s : -INFINITY;
}

/* The gates tell of a fault; its finding shall not tell it a second time. */
static void weigh_findings(struct reading *out, double before)
{
    for (size_t i = 0; i < out->findings.count; i++) {
        struct finding *finding = &out->findings.items[i];

        if (strcmp(finding->code, "redfish.event") == 0 && is_old(out, finding->subject, before))
            finding->severity = SEVERITY_INFO;
        else if (finding->severity == SEVERITY_FAULT)
            finding->severity = SEVERITY_WARNING;
    }
}

/* A young event of no severity that we know may be a failure. Boards of some vendors tell none of any event. */
static void find_unweighed(struct teller *teller)
{
    struct reading *out = teller->out;

    for (size_t i = 0; i < teller->bmc->facts.count; i++) {
        const struct fact *fact = &teller->bmc->facts.items[i];
        const struct reason **unread = unread_at(teller, fact->subject);

        if (strcmp(fact->name, "redfish.event.unweighed") == 0 && *unread == NULL &&
            !is_old(out, fact->subject, teller->before))
            *unread = reason(out->arena, redfish_path_not_read, fact->subject, fact->said);
    }
}

/* Of one code: NULL where there are none. */
static const struct reason *faults_of(const struct reading *out, const char *code)
{
    const struct reason *faults = NULL;
    size_t count = 0;

    for (size_t i = 0; i < out->findings.count; i++) {
        const struct finding *finding = &out->findings.items[i];

        if (strcmp(finding->code, code) == 0 && finding->severity != SEVERITY_INFO && count++ < TOLD_MOST)
            faults = reason_also(out->arena, faults, finding->what);
    }
    return count > TOLD_MOST ? reason(out->arena, and_more, faults, count - TOLD_MOST) : faults;
}

/* What a chassis sums up is told where none of its parts says more. Where nothing says how it is, nothing is known. */
static void tell_health(const struct teller *teller)
{
    const struct reason *faults = faults_of(teller->out, "redfish.health");
    struct kinds kinds = {.arena = teller->out->arena};

    count_facts(teller->bmc, "redfish.health", NULL, &kinds);
    count_facts(teller->bmc, "redfish.health_rollup", NULL, &kinds);
    if (faults == NULL)
        faults = faults_of(teller->out, "redfish.health_rollup");
    tell_faults(teller, "redfish.health_faults", OF_HEALTH, faults,
                kinds.items.count > 0 ? reason_text(teller->out->arena, "none") : NULL);
}

/* -- Single values -- */

/* What all say, or the different ones in their order; NULL: nobody says any. */
static const struct reason *value_of(const struct teller *teller, const char *fact)
{
    struct kinds kinds = {.arena = teller->out->arena};
    const char *text = NULL;

    count_facts(teller->bmc, fact, NULL, &kinds);
    for (size_t i = 0; i < kinds.items.count; i++)
        text = text == NULL ? kinds.items.items[i].text
                            : arena_printf(teller->out->arena, "%s, %s", text, kinds.items.items[i].text);
    return text != NULL ? reason_text(teller->out->arena, text) : NULL;
}

/* A chassis may list its supplies and fans in the older form and in that of 2020.4 at once: "Chassis/1/Power PSU2" is then one of
   "Chassis/1/PowerSubsystem/PowerSupplies". */
static bool is_told_anew(const struct reading *bmc, const char *listed, const char *list, const char *subject)
{
    const char *newer =
        arena_printf(bmc->arena, "%.*sSubsystem/%s", (int)strcspn(subject, " "), subject, list);
    const char *count = reading_get_fact(bmc, listed, newer);

    return count != NULL && strcmp(count, "0") != 0;
}

static const struct part_kind {
    const char *metric, *fact, *listed, *list;
    enum area area;
} part_kinds[] = {
    {"redfish.power_supplies", "redfish.power_supply", "redfish.power_supplies_listed", "PowerSupplies",
     SUPPLIES},
    {"redfish.fans", "redfish.fan", "redfish.fans_listed", "Fans", FANS},
};

/* Where the BMC lists none anywhere, they are not 0: nobody knows. */
static void tell_count(const struct teller *teller, const struct part_kind *kind)
{
    const struct reading *bmc = teller->bmc;
    struct arena *arena = teller->out->arena;
    bool any = false;
    unsigned count = 0;

    for (size_t i = 0; i < bmc->facts.count; i++) {
        const struct fact *fact = &bmc->facts.items[i];

        any |= strcmp(fact->name, kind->listed) == 0;
        count += strcmp(fact->name, kind->fact) == 0 &&
                 !is_told_anew(bmc, kind->listed, kind->list, fact->subject);
    }
    tell(teller, kind->metric, kind->area | CHASSIS,
         any ? reason_text(arena, arena_printf(arena, "%u", count)) : NULL);
}

/* What boards are sold with that were given no identity. */
static bool is_placeholder(const char *text)
{
    static const char *const words[] = {"03000200-0400-0500-0006-000700080009",
                                        "To be filled by O.E.M.",
                                        "Default string",
                                        "System Serial Number",
                                        "Not Specified",
                                        "0123456789",
                                        "123456789",
                                        "None",
                                        "N/A"};

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    return text[strspn(text, "0-")] == '\0' || text[strspn(text, "fF-")] == '\0';
}

/* "UUID SERIAL ..." of all its systems, as far as they are told: vendors give one of them to many boards. */
static void tell_machine(const struct teller *teller)
{
    static const char *const names[] = {"redfish.uuid", "redfish.serial"};
    const char *text = NULL;

    for (size_t i = 0; i < teller->bmc->facts.count; i++) {
        const struct fact *fact = &teller->bmc->facts.items[i];

        for (size_t k = 0; k < ARRAY_SIZE(names); k++)
            if (strcmp(fact->name, names[k]) == 0 && !is_placeholder(fact->value))
                text =
                    text == NULL ? fact->value : arena_printf(teller->out->arena, "%s %s", text, fact->value);
    }
    tell(teller, "redfish.machine", SYSTEMS, text != NULL ? reason_text(teller->out->arena, text) : NULL);
}

/* The largest of what has that name: a chassis that holds others draws what they do, and of sensors the hottest counts. */
static void tell_most(const struct teller *teller, const char *metric, const char *name, unsigned rests_on,
                      const char *unit)
{
    double most = -INFINITY;

    for (size_t i = 0; i < teller->bmc->measurements.count; i++) {
        const struct measurement *measurement = &teller->bmc->measurements.items[i];

        if (strcmp(measurement->metric, name) == 0)
            most = fmax(most, measurement->value);
    }
    if (!isinf(most))
        reading_measure(teller->out, metric, "", most, unit);
    else
        tell(teller, metric, rests_on, NULL);
}

/* Of several managers one that has it on is enough. One that has no such protocol, as a baseboard's behind the host's, tells nothing. */
static void tell_ipmi(const struct teller *teller)
{
    const struct reason *on = NULL, *off = NULL;

    for (size_t i = 0; i < teller->bmc->facts.count; i++) {
        const struct fact *fact = &teller->bmc->facts.items[i];

        if (strcmp(fact->name, "redfish.ipmi") != 0)
            continue;
        if (strcmp(fact->value, "on") == 0)
            on = reason_also(teller->out->arena, on,
                             reason(teller->out->arena, noted, fact->value, fact->subject));
        else
            off = reason_text(teller->out->arena, fact->value);
    }
    tell_faults(teller, "redfish.ipmi_over_lan", PROTOCOLS | MANAGERS, on, off);
}

static bool is_refusal(const char *status)
{
    return strcmp(status, "401") == 0 || strcmp(status, "403") == 0;
}

static void tell_doors(const struct check_context *context, const struct reading *bmc, struct reading *out)
{
    const char *open = reading_get_fact(bmc, "redfish.open", "");

    reading_fact(out, "redfish.certificate", "",
                 slice_of(check_flag(context, "unverified") ? "not verified" : "verified"));
    if (open != NULL && (is_refusal(open) || strcmp(open, "200") == 0))
        reading_fact(out, "redfish.login_required", "", slice_of(is_refusal(open) ? "yes" : "no"));
}

/* One account may have several published passwords. 403 is the answer to a right one that has to be changed first. */
static void tell_default_passwords(const struct check_context *context, const struct reading *bmc,
                                   struct reading *out)
{
    const struct json *accounts = json_get(context->step->arguments, "default_passwords");
    const struct reason *accepted = NULL, *unread = NULL;
    size_t refused = 0;

    for (size_t i = 0; i < bmc->facts.count; i++) {
        const struct fact *fact = &bmc->facts.items[i];

        if (strcmp(fact->name, "redfish.default") != 0)
            continue;
        if (strcmp(fact->value, "200") == 0)
            accepted = reason_also(out->arena, accepted,
                                   reason(out->arena, redfish_default_accepted, fact->subject));
        else if (strcmp(fact->value, "401") == 0)
            refused++;
        else
            unread = reason(out->arena, redfish_answered_account, fact->subject, fact->value);
    }
    if (accepted != NULL)
        reading_fact_said(out, "redfish.default_password", "", accepted);
    else if (unread != NULL)
        tell_unread(out, "redfish.default_password", unread);
    else if (accounts != NULL && refused == accounts->count)
        reading_fact_said(out, "redfish.default_password", "", REASON(redfish_refused_all));
}

/* -- What is owed -- */

#define ALIKE "assay: hosts of one platform are built alike"
#define HEALTH "DMTF DSP0268: Status.Health"

static const struct limit machine_rules[] =
    RULES(.metric = "redfish.machine", .rule = RULE_DISTINCT,
          .source = "assay: one line of the hostfile, one BMC", .status = LIMIT_TOOL);

static const struct item items[] = {
    {"redfish.machine", PER_TARGET, NULL, DUTY_GATE, machine_rules},
    {"redfish.health_faults", PER_TARGET, NULL, DUTY_GATE,
     LIMITS RULES_EQUAL("redfish.health_faults", "none", HEALTH)},
    {"redfish.event_faults", PER_TARGET, NULL, DUTY_GATE,
     LIMITS RULES_EQUAL("redfish.event_faults", "none", "DMTF DSP0268: LogEntry.Severity")},
    {"redfish.power_supplies", PER_TARGET, NULL, DUTY_GATE,
     LIMITS RULES_SAME("redfish.power_supplies", ALIKE)},
    {"redfish.fans", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_SAME("redfish.fans", ALIKE)},
    {"redfish.firmware.bmc", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_SAME("redfish.firmware.bmc", ALIKE)},
    {"redfish.firmware.bios", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_SAME("redfish.firmware.bios", ALIKE)},
    {"redfish.firmware.cpld", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_SAME("redfish.firmware.cpld", ALIKE)},
    {"redfish.firmware.erot", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_SAME("redfish.firmware.erot", ALIKE)},
    {"redfish.firmware.gpu", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_SAME("redfish.firmware.gpu", ALIKE)},
    {"redfish.firmware.nvswitch", PER_TARGET, NULL, DUTY_GATE,
     LIMITS RULES_SAME("redfish.firmware.nvswitch", ALIKE)},
    {"redfish.firmware.retimer", PER_TARGET, NULL, DUTY_GATE,
     LIMITS RULES_SAME("redfish.firmware.retimer", ALIKE)},
    {"redfish.firmware.psu", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_SAME("redfish.firmware.psu", ALIKE)},
    {"redfish.firmware.nic", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_SAME("redfish.firmware.nic", ALIKE)},
    {"redfish.firmware.other", PER_TARGET, NULL, DUTY_GATE,
     LIMITS RULES_SAME("redfish.firmware.other", ALIKE)},
    {"redfish.login_required", PER_TARGET, NULL, DUTY_GATE,
     LIMITS RULES_EQUAL("redfish.login_required", "yes", "DMTF DSP0266: authentication")},
    {"redfish.available", PER_TARGET, NULL, DUTY_RECORD, NULL},
    {"redfish.certificate", PER_TARGET, NULL, DUTY_RECORD,
     LIMITS RULES_EQUAL("redfish.certificate", "verified", "assay: argument ca")},
    {"redfish.boot_mode", PER_TARGET, NULL, DUTY_RECORD, LIMITS RULES_SAME("redfish.boot_mode", ALIKE)},
    {"redfish.secure_boot", PER_TARGET, NULL, DUTY_RECORD, LIMITS RULES_SAME("redfish.secure_boot", ALIKE)},
    {"redfish.ipmi_over_lan", PER_TARGET, NULL, DUTY_RECORD,
     LIMITS RULES_EQUAL("redfish.ipmi_over_lan", "off",
                        "assay: IPMI's login gives away hashes of passwords")},
    {"redfish.power", PER_TARGET, NULL, DUTY_RECORD, NULL},
    {"redfish.temperature", PER_TARGET, NULL, DUTY_RECORD, NULL},
    {"redfish.intake_temperature", PER_TARGET, NULL, DUTY_RECORD, NULL},
    {0},
};

/* Nothing could be asked: each item has the same cause. */
static void tell_nothing(struct reading *out, const struct reason *why)
{
    reading_fact_said(out, "redfish.available", "", reason(out->arena, no_because, why));
    for (const struct item *item = items; item->metric != NULL; item++)
        if (reading_get_fact(out, item->metric, "") == NULL)
            tell_unread(out, item->metric, why);
    reading_set(out, READING_COMPLETE, NULL);
}

static void tell_all(struct teller *teller)
{
    struct arena *arena = teller->out->arena;

    tell_faults(teller, "redfish.event_faults", OF_EVENTS, faults_of(teller->out, "redfish.event"),
                reason_text(arena, "none"));
    tell_health(teller);
    tell_machine(teller);
    for (size_t i = 0; i < ARRAY_SIZE(part_kinds); i++)
        tell_count(teller, &part_kinds[i]);
    tell_firmwares(teller);
    tell(teller, "redfish.boot_mode", SYSTEMS, value_of(teller, "redfish.boot_mode"));
    tell(teller, "redfish.secure_boot", SECURE_BOOT | SYSTEMS, value_of(teller, "redfish.secure_boot"));
    tell_ipmi(teller);
    tell_most(teller, "redfish.power", "redfish.chassis_power", POWER | SUPPLIES | CHASSIS, "W");
    tell_most(teller, "redfish.temperature", "redfish.sensor", SENSORS | FANS | CHASSIS, "C");
    tell_most(teller, "redfish.intake_temperature", "redfish.intake", SENSORS | FANS | CHASSIS, "C");
}

static void read_redfish(const struct check_context *context, const struct attempt *attempt,
                         struct reading *out)
{
    const struct reading *bmc = &attempt->parts.items[0].reading;
    struct teller teller = {.bmc = bmc, .out = out};

    reading_merge(out, bmc);
    teller.before = old_before(out, check_number(context, "since_s"));
    weigh_findings(out, teller.before);
    tell_doors(context, bmc, out);
    tell_default_passwords(context, bmc, out);
    if (bmc->status == READING_FAILED) {
        tell_nothing(out, bmc->reason);
        return;
    }
    reading_set(out, bmc->status, bmc->reason);
    if (bmc->status != READING_COMPLETE)
        return;
    reading_fact(out, "redfish.available", "", slice_of("yes"));
    find_unread(&teller);
    find_unweighed(&teller);
    tell_all(&teller);
}

static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    if (json_get(context->step->arguments, "default_passwords") != NULL)
        slot_add(context, slots, "redfish.default_password", "", NULL, DUTY_GATE,
                 rules_new(context, LIMITS RULES_EQUAL("redfish.default_password", "refused",
                                                       "assay: argument default_passwords")));
}

const struct check check_redfish = {
    .name = "redfish",
    .title = "BMC over Redfish",
    .summary =
        "the BMC over Redfish: firmware alike, parts well, no Critical event of the last day, doors closed",
    .concerns = OF_HOST,
    .scopes = SCOPE_HOST,
    .passive = true,
    .as_root = true,
    .arguments = ARGUMENTS(
        {"credentials", ARGUMENT_TEXT, "/etc/assay/redfish.netrc",
         "the login for the BMC, in netrc form, a file of mode 600 on the host that asks", ANY_IS_OTHER},
        {"ca", ARGUMENT_TEXT, NULL,
         "who signed the BMC's certificate: a PEM file there; default: those that the host trusts",
         ANY_IS_OTHER},
        {"unverified", ARGUMENT_FLAG, NULL, "true: takes any certificate, which is remarked on",
         ANY_IS_OTHER},
        {"port", ARGUMENT_COUNT, "443", "the BMC's HTTPS port", ANY_IS_OTHER},
        {"since_s", ARGUMENT_COUNT, "86400",
         "seconds back from the BMC's own time: older events are not judged", MORE_IS_MORE},
        {"default_passwords", ARGUMENT_LIST, NULL,
         "published logins that the BMC must refuse, each tried once: \"root:0penBmc\"; without the list none is tried",
         GIVEN_IS_MORE},
        ALLOWED_ARGUMENT_ROW("{\"redfish.firmware.bmc\": \"2 x 1.15|2 x 1.16\"}")),
    .arguments_fault = arguments_fault,
    .host_valid = host_valid,
    .parts = PARTS({"redfish", "redfish", command_curl, NULL}),
    .items = items,
    .remedies = REMEDIES({"redfish.*", REASON(redfish_let_curl_ask), .about = &sentence_value_not_read},
                         {"redfish.machine", REASON(one_machine_twice)},
                         {"redfish.health_faults", REASON(redfish_replace_part)},
                         {"redfish.power_supplies", REASON(redfish_replace_part)},
                         {"redfish.fans", REASON(redfish_replace_part)},
                         {"redfish.event_faults", REASON(redfish_look_up_event)},
                         {"redfish.firmware.*", REASON(redfish_flash_one_firmware)},
                         {"redfish.default_password", REASON(redfish_change_default)},
                         {"redfish.login_required", REASON(redfish_ask_for_login)},
                         {"redfish.ipmi_over_lan", REASON(redfish_switch_ipmi_off)},
                         {"redfish.boot_mode", REASON(redfish_set_boot_alike)},
                         {"redfish.secure_boot", REASON(redfish_set_boot_alike)},
                         {"redfish.certificate", REASON(redfish_verify_certificate)}),
    .more_slots = more_slots,
    .expected_s = 60,
    .read = read_redfish,
};
