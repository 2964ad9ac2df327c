/* SPDX-License-Identifier: Apache-2.0 */
/* Resources of DMTF's DSP0268 by where they lie, and what of each is told. */
#include "redfish.h"

#include <fnmatch.h>
#include <string.h>
#include <strings.h>

#include "assay/base/nearest.h"
#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

enum { DEPTH_MOST = 8 /* of objects in a document in which parts are looked for */ };

void redfish_unread(struct reading *reading, const char *path, const struct reason *why)
{
    reading_fact_said(reading, "redfish.unread", path, why);
}

static void tell_text(struct reading *reading, const char *fact, const char *subject,
                      const struct json *object, const char *key)
{
    const char *text = json_string(object, key, "");

    if (*text != '\0')
        reading_fact(reading, fact, subject, slice_of(text));
}

/* -- Health -- */

static bool is_absent(const struct json *object)
{
    return strcmp(json_string(json_get(object, "Status"), "State", ""), "Absent") == 0;
}

/* "OK", "Warning", "Critical"; null where the part has none. What is no word is unread, and another word is a fault. */
static void tell_health(struct reading *reading, const char *fact, const char *subject,
                        const struct json *object, const char *key)
{
    const struct json *status = json_get(object, "Status"), *health = json_get(status, key);
    const char *word = json_string(status, key, "?");

    if (health == NULL || health->type == JSON_NULL || is_absent(object))
        return;
    if (health->type != JSON_STRING) {
        redfish_unread(reading, subject, REASON(redfish_part_without_health));
        return;
    }
    reading_fact(reading, fact, subject, slice_of(word));
    if (strcmp(word, "OK") != 0)
        reading_finding(reading, SEVERITY_FAULT, fact, subject,
                        reason(reading->arena, noted, reason(reading->arena, about, subject, word),
                               json_string(status, "State", "?")));
}

/* "Chassis/1/Power PSU2" */
static const char *part_of(struct reading *reading, const char *path, const struct json *object)
{
    const char *key = object->key != NULL ? object->key : json_string(object, "MemberId", "?");

    return arena_printf(reading->arena, "%s %s", path, json_string(object, "Name", key));
}

/* All that has a Status, wherever in the document it stands; of what vendors add nobody knows what it means. */
static void tell_parts(struct reading *reading, const char *path, const char *subject,
                       const struct json *value, unsigned depth)
{
    if (value->type == JSON_OBJECT) {
        tell_health(reading, "redfish.health", subject, value, "Health");
        tell_health(reading, "redfish.health_rollup", subject, value, "HealthRollup");
    }
    json_each (item, value)
        if (item->key == NULL || strcmp(item->key, "Oem") != 0) {
            bool part = item->type == JSON_OBJECT && json_get(item, "Status") != NULL;

            if ((item->type == JSON_OBJECT || item->type == JSON_ARRAY) && depth < DEPTH_MOST)
                tell_parts(reading, path, part ? part_of(reading, path, item) : subject, item, depth + 1);
        }
}

/* Of what is at work, or would be. */
static bool is_state_good(const char *state)
{
    static const char *const good[] = {"Enabled",  "StandbySpare", "StandbyOffline", "Quiesced",
                                       "Starting", "Updating",     "InTest",         "Qualified"};

    return word_is_among(state, good, ARRAY_SIZE(good));
}

/* A part may be out of use and call its health OK. */
static void judge_state(struct reading *reading, const char *subject, const struct json *status)
{
    const struct json *state = json_get(status, "State");

    if (state == NULL || state->type == JSON_NULL)
        return;
    if (state->type != JSON_STRING)
        redfish_unread(reading, subject, REASON(redfish_part_without_health));
    else if (!is_state_good(json_string(status, "State", "")))
        reading_finding(reading, SEVERITY_FAULT, "redfish.health", subject,
                        reason(reading->arena, about, subject, json_string(status, "State", "")));
}

/* A power supply or a fan that is there has a health. */
static void tell_part(struct reading *reading, const char *fact, const char *subject,
                      const struct json *object)
{
    const struct json *status = json_get(object, "Status");
    const struct json *health = json_get(status, "Health");

    if (is_absent(object))
        return;
    reading_fact(reading, fact, subject, slice_of(json_string(status, "State", "?")));
    if (health == NULL || health->type != JSON_STRING)
        redfish_unread(reading, subject, REASON(redfish_part_without_health));
    else if (strcmp(json_string(status, "Health", ""), "OK") == 0) /* else its finding says the state too */
        judge_state(reading, subject, status);
}

/* That there is a list: without one nobody knows how many parts there are. */
static void tell_list(struct reading *reading, const char *fact, const char *path, const struct json *parts)
{
    if (parts != NULL && parts->type == JSON_ARRAY)
        reading_fact(reading, fact, path, slice_of(arena_printf(reading->arena, "%zu", parts->count)));
}

static void tell_all(struct reading *reading, const char *fact, const char *path, const struct json *parts)
{
    json_each (part, parts)
        if (part->type == JSON_OBJECT)
            tell_part(reading, fact, part_of(reading, path, part), part);
}

/* -- Power and fans, in the older form and in that of 2020.4 -- */

static void tell_watts(struct reading *reading, const char *path, const struct json *watts)
{
    if (watts != NULL && watts->type == JSON_NUMBER && watts->number >= 0)
        reading_measure(reading, "redfish.chassis_power", path, watts->number, "W");
}

static void tell_power(struct reading *reading, const char *path, const struct json *document)
{
    const struct json *controls = json_get(document, "PowerControl");

    tell_list(reading, "redfish.power_supplies_listed", path, json_get(document, "PowerSupplies"));
    tell_all(reading, "redfish.power_supply", path, json_get(document, "PowerSupplies"));
    tell_watts(reading, path, json_get(controls != NULL ? controls->items : NULL, "PowerConsumedWatts"));
}

/* "Chassis/1/Thermal CPU1 Temp"; what is as hot as its own board calls critical is a part that is not well. */
static void tell_temperature(struct reading *reading, const char *subject, const struct json *sensor,
                             const struct json *celsius, const struct json *critical)
{
    if (celsius == NULL || celsius->type != JSON_NUMBER || is_absent(sensor))
        return;
    reading_measure(reading, "redfish.sensor", subject, celsius->number, "C");
    if (strcmp(json_string(sensor, "PhysicalContext", ""), "Intake") == 0)
        reading_measure(reading, "redfish.intake", subject, celsius->number, "C");
    if (critical != NULL && critical->type == JSON_NUMBER && critical->number > 0 &&
        celsius->number >= critical->number)
        reading_finding(reading, SEVERITY_FAULT, "redfish.health", subject,
                        reason(reading->arena, redfish_hot, subject,
                               arena_printf(reading->arena, "%g", celsius->number),
                               arena_printf(reading->arena, "%g", critical->number)));
}

static void tell_thermal(struct reading *reading, const char *path, const struct json *document)
{
    json_each (sensor, json_get(document, "Temperatures"))
        tell_temperature(reading, part_of(reading, path, sensor), sensor, json_get(sensor, "ReadingCelsius"),
                         json_get(sensor, "UpperThresholdCritical"));
    tell_list(reading, "redfish.fans_listed", path, json_get(document, "Fans"));
    tell_all(reading, "redfish.fan", path, json_get(document, "Fans"));
}

static void tell_supply_list(struct reading *reading, const char *path, const struct json *document)
{
    tell_list(reading, "redfish.power_supplies_listed", path, json_get(document, "Members"));
}

static void tell_fan_list(struct reading *reading, const char *path, const struct json *document)
{
    tell_list(reading, "redfish.fans_listed", path, json_get(document, "Members"));
}

/* The excerpts of sensors that DSP0268 has from 2020.4 on: they name no thresholds, of which the sensor's own health tells. */
static void tell_thermal_metrics(struct reading *reading, const char *path, const struct json *document)
{
    json_each (sensor, json_get(document, "TemperatureReadingsCelsius"))
        tell_temperature(reading,
                         arena_printf(reading->arena, "%s %s", path, json_string(sensor, "DeviceName", "?")),
                         sensor, json_get(sensor, "Reading"), NULL);
}

static void tell_environment(struct reading *reading, const char *path, const struct json *document)
{
    tell_watts(reading, path, json_get(json_get(document, "PowerWatts"), "Reading"));
}

static void tell_power_supply(struct reading *reading, const char *path, const struct json *document)
{
    tell_part(reading, "redfish.power_supply", path, document);
}

static void tell_fan(struct reading *reading, const char *path, const struct json *document)
{
    tell_part(reading, "redfish.fan", path, document);
}

/* -- The machine and its BMC -- */

static void tell_system(struct reading *reading, const char *path, const struct json *document)
{
    tell_text(reading, "redfish.uuid", path, document, "UUID");
    tell_text(reading, "redfish.serial", path, document, "SerialNumber");
    tell_text(reading, "redfish.bios", path, document, "BiosVersion");
    tell_text(reading, "redfish.boot_mode", path, json_get(document, "Boot"), "BootSourceOverrideMode");
}

static void tell_secure_boot(struct reading *reading, const char *path, const struct json *document)
{
    const struct json *enabled = json_get(document, "SecureBootEnable");
    const char *current = json_string(document, "SecureBootCurrentBoot", "");

    /* What is enabled may be so from the next boot on only. */
    if (strcmp(current, "Enabled") == 0 || strcmp(current, "Disabled") == 0)
        reading_fact(reading, "redfish.secure_boot", path,
                     slice_of(strcmp(current, "Enabled") == 0 ? "on" : "off"));
    else if (enabled != NULL && enabled->type == JSON_BOOL)
        reading_fact(reading, "redfish.secure_boot", path, slice_of(enabled->boolean ? "on" : "off"));
}

static void tell_manager(struct reading *reading, const char *path, const struct json *document)
{
    tell_text(reading, "redfish.manager", path, document, "FirmwareVersion");
    tell_text(reading, "redfish.clock", path, document, "DateTime");
}

static void tell_protocols(struct reading *reading, const char *path, const struct json *document)
{
    const struct json *ipmi = json_get(json_get(document, "IPMI"), "ProtocolEnabled");

    if (ipmi != NULL && ipmi->type == JSON_BOOL)
        reading_fact(reading, "redfish.ipmi", path, slice_of(ipmi->boolean ? "on" : "off"));
    else if (json_get(document, "IPMI") != NULL)
        redfish_unread(reading, path, reason(reading->arena, redfish_not_told, "IPMI.ProtocolEnabled"));
}

/* -- Collections whose members may stand in them -- */

/* Images that Dell's iDRAC keeps beside those that run. */
static bool is_elsewhen(const char *id)
{
    return strncmp(id, "Previous-", strlen("Previous-")) == 0 ||
           strncmp(id, "Available-", strlen("Available-")) == 0;
}

static void tell_one_firmware(struct reading *reading, const struct json *component)
{
    const char *id = json_string(component, "Id", "");
    const char *version = json_string(component, "Version", "");

    if (*id == '\0' || is_elsewhen(id))
        return;
    if (*version != '\0')
        reading_fact(reading, "redfish.firmware", id, slice_of(version));
    else
        reading_fact(reading, "redfish.firmware.unversioned", id, slice_of("?"));
}

static void tell_firmware(struct reading *reading, const char *path, const struct json *document)
{
    (void)path;
    if (json_get(document, "Members") == NULL)
        tell_one_firmware(reading, document);
    json_each (member, json_get(document, "Members"))
        if (json_get(member, "Version") != NULL) /* else it is asked for */
            tell_one_firmware(reading, member);
}

/* Whether that matters goes by when it was. */
static void tell_unweighed(struct reading *reading, const char *subject, const char *severity)
{
    reading_fact_said(reading, "redfish.event.unweighed", subject,
                      *severity == '\0' ? REASON(redfish_event_without_severity)
                                        : reason(reading->arena, redfish_severity_unknown, severity));
}

static bool is_severity(const char *severity)
{
    return strcasecmp(severity, "OK") == 0 || strcasecmp(severity, "Warning") == 0 ||
           strcasecmp(severity, "Critical") == 0;
}

/* iLO's log has places for events that never were, with a date of zeros and of no word. */
static bool is_empty_place(const struct json *entry)
{
    return strncmp(json_string(entry, "Created", ""), "0000-00-00", 10) == 0 &&
           json_get(entry, "Severity") == NULL && json_get(entry, "Message") == NULL &&
           json_get(entry, "MessageId") == NULL;
}

/* An event that is over ("Deassert") is told with the one that it ends. Ids may come twice, so each tells its time. */
static void tell_event(struct reading *reading, const char *path, const struct json *entry)
{
    const char *severity = json_string(entry, "Severity", "");
    const char *created = json_string(entry, "Created", "");
    const char *message = json_string(entry, "Message", "?");
    const char *subject = arena_printf(reading->arena, "%s %s", path, json_string(entry, "Id", "?"));

    if (is_empty_place(entry))
        return;
    if (is_severity(severity) && (strcasecmp(severity, "Critical") != 0 ||
                                  strcmp(json_string(entry, "EntryCode", ""), "Deassert") == 0))
        return;
    reading_fact(reading, "redfish.event.time", subject, slice_of(*created != '\0' ? created : "none"));
    if (!is_severity(severity)) {
        tell_unweighed(reading, subject, severity);
        return;
    }
    reading_finding(reading, SEVERITY_FAULT, "redfish.event", subject,
                    *created != '\0'
                        ? reason_text(reading->arena, arena_printf(reading->arena, "%s %s", created, message))
                        : reason_text(reading->arena, message));
}

static void tell_events(struct reading *reading, const char *path, const struct json *document)
{
    if (json_get(document, "Members") == NULL)
        tell_event(reading, path, document);
    json_each (member, json_get(document, "Members"))
        if (json_get(member, "Severity") != NULL || json_get(member, "Created") != NULL)
            tell_event(reading, path, member);
}

/* The first row whose pattern is that of the path. '*' stands for '/' too. */
static const struct resource {
    const char *pattern;
    void (*tell)(struct reading *reading, const char *path, const struct json *document); /* NULL: nothing */
    bool parts; /* what has a Status in it is a part of the machine */
} resources[] = {
    {"*/LogServices/*/Entries*", tell_events, false},
    {"*/LogServices*", NULL, false},
    {"UpdateService/FirmwareInventory*", tell_firmware, false},
    {"*/SecureBoot", tell_secure_boot, false},
    {"*/NetworkProtocol", tell_protocols, false},
    {"*/Power", tell_power, true},
    {"*/Thermal", tell_thermal, true},
    {"*/ThermalMetrics", tell_thermal_metrics, false},
    {"*/EnvironmentMetrics", tell_environment, false},
    {"*/PowerSupplies", tell_supply_list, true},
    {"*/Fans", tell_fan_list, true},
    {"*/PowerSupplies/*", tell_power_supply, true},
    {"*/Fans/*", tell_fan, true},
    {"Systems/*", tell_system, true},
    {"Managers/*", tell_manager, true},
    {"Chassis/*", NULL, true},
};

void redfish_tell(struct reading *reading, const char *path, const struct json *document)
{
    for (size_t i = 0; i < ARRAY_SIZE(resources); i++) {
        if (fnmatch(resources[i].pattern, path, 0) != 0)
            continue;
        if (resources[i].tell != NULL)
            resources[i].tell(reading, path, document);
        if (resources[i].parts)
            tell_parts(reading, path, path, document, 0);
        return;
    }
}
