/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of NVIDIA Fabric Manager: `systemctl status`, `is-active`, `is-enabled`, `show -p ...`,
 * `nv-fabricmanager --version`, its log file and its journal.
 *
 * facts  fabric_manager.state           active, failed, inactive, activating, ..., not-found (systemd's
 * word). From a log only `failed`, when its last unit event is a failure: a log never proves that the service
 * is active now fabric_manager.sub             running, dead, exited, ... or the words in parentheses
 *        fabric_manager.enabled         enabled, disabled, static, masked, ...
 *        fabric_manager.version         "550.90.07"
 *        fabric_manager.driver_version  the driver's, where it does not match
 * finding fabric_manager.version_mismatch, .failed, .not_found, .cuda_802, .error, .warning, and
 *        fabric_manager.sxid.N (subject: PCI address of the NVSwitch) for errors that carry a switch's number
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "frame.h"
#include "pci_address.h"

struct service {
    struct frame frame;
    bool status;     /* systemd's own answer was read */
    bool log;        /* lines of the service's log were read */
    bool version;    /* its version was printed */
    bool log_failed; /* the last unit event in the log is a failure */
    bool cuda_802;
};

static struct slice until(struct slice text, const char *stops)
{
    size_t length = 0;

    while (length < text.length && strchr(stops, text.bytes[length]) == NULL)
        length++;
    return (struct slice){text.bytes, length};
}

/* The version at the front: digits and points, not ended by a point. */
static struct slice version_at(struct slice text)
{
    struct slice version = slice_trim(text);
    size_t length = 0;

    while (length < version.length &&
           (isdigit((unsigned char)version.bytes[length]) || version.bytes[length] == '.'))
        length++;
    while (length > 0 && version.bytes[length - 1] == '.')
        length--;
    return (struct slice){version.bytes, length};
}

static void set_state(struct service *service, struct slice state)
{
    reading_fact_once(service->frame.reading, "fabric_manager.state", state);
    service->status = true;
    if (slice_equal(state, "failed"))
        reading_finding(service->frame.reading, SEVERITY_FAULT, "fabric_manager.failed", "",
                        REASON(fabric_manager_failed));
}

/* "active (running) since Tue 2025-03-25 02:10:15 UTC; 2h 37min ago" */
static void read_active(struct service *service, struct slice value)
{
    size_t open = slice_find(value, "(");

    if (open != (size_t)-1)
        reading_fact_once(service->frame.reading, "fabric_manager.sub",
                          until(slice_from(value, open + 1), ")"));
    set_state(service, until(value, " ("));
}

/* "loaded (/usr/lib/systemd/system/nvidia-fabricmanager.service; enabled; preset: disabled)" */
static void read_loaded(struct service *service, struct slice value)
{
    size_t semicolon = slice_find(value, ";");

    if (semicolon != (size_t)-1)
        reading_fact_once(service->frame.reading, "fabric_manager.enabled",
                          slice_trim(until(slice_from(value, semicolon + 1), ";)")));
    else if (slice_starts(value, "masked"))
        reading_fact_once(service->frame.reading, "fabric_manager.enabled", slice_of("masked"));
}

static void not_found(struct service *service)
{
    reading_fact_once(service->frame.reading, "fabric_manager.state", slice_of("not-found"));
    service->status = true;
    reading_finding(service->frame.reading, SEVERITY_FAULT, "fabric_manager.not_found", "",
                    REASON(no_fabric_manager_service));
}

/* Lines of `systemctl show -p ActiveState -p SubState ...`. */
static bool read_show(struct service *service, struct slice line)
{
    if (scan_text(&line, "ActiveState="))
        set_state(service, line);
    else if (scan_text(&line, "SubState="))
        reading_fact_once(service->frame.reading, "fabric_manager.sub", line);
    else if (scan_text(&line, "UnitFileState="))
        reading_fact_once(service->frame.reading, "fabric_manager.enabled", line);
    else if (scan_text(&line, "LoadState=") && slice_equal(line, "not-found"))
        not_found(service);
    else
        return false;
    return true;
}

/* `is-active` and `is-enabled` print one word. */
static bool read_word(struct service *service, struct slice line)
{
    if (slice_equal_one(line, "active", "inactive", "failed", "activating", "deactivating", "reloading",
                        "maintenance")) {
        set_state(service, line);
        return true;
    }
    if (!slice_equal_one(line, "enabled", "enabled-runtime", "disabled", "static", "masked", "masked-runtime",
                         "indirect", "linked", "alias", "generated"))
        return false;
    reading_fact_once(service->frame.reading, "fabric_manager.enabled", line);
    service->status = true;
    return true;
}

static bool read_status(struct service *service, struct slice line)
{
    if (scan_text(&line, "Active: "))
        read_active(service, line);
    else if (scan_text(&line, "Loaded: "))
        read_loaded(service, line);
    else if (slice_starts(line, "Unit ") && slice_contains(line, "could not be found"))
        not_found(service);
    else
        return false;
    return true;
}

static bool read_version(struct service *service, struct slice line)
{
    static const char *const marks[] = {
        "Fabric Manager version is :", "Fabric Manager version is:", "Fabric Manager version "};

    for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
        struct slice rest = line, version;

        if (!scan_past(&rest, marks[i]))
            continue;
        version = version_at(rest);
        if (version.length == 0)
            continue;
        reading_fact_once(service->frame.reading, "fabric_manager.version", version);
        service->version = true;
        return true;
    }
    return false;
}

/* "fabric manager NVIDIA GPU driver interface version 550.127.05 don't match with driver version 550.120." */
static bool read_mismatch(struct service *service, struct slice line)
{
    struct slice own = line, driver = line;

    if (!scan_past(&own, "interface version ") || !scan_past(&driver, "match with driver version "))
        return false;
    reading_fact_once(service->frame.reading, "fabric_manager.version", version_at(own));
    reading_fact_once(service->frame.reading, "fabric_manager.driver_version", version_at(driver));
    reading_finding(service->frame.reading, SEVERITY_FAULT, "fabric_manager.version_mismatch", "",
                    reason(service->frame.reading->arena, text, line));
    service->log = true;
    return true;
}

/* "detected NVSwitch non-fatal error 12028 on fid 0 on NVSwitch pci bus id 00000000:86:00.0 physical id 3
 * port 61" */
static bool read_switch_error(struct service *service, struct slice line)
{
    char subject[PCI_ADDRESS_BYTES] = "", code[40];
    struct slice rest = line, bus = line, word;
    uint64_t number;
    bool harmless;

    if (!scan_past(&rest, "fatal error ") || !slice_contains(line, "NVSwitch") ||
        !scan_digits(&rest, &number) || number > 999999)
        return false;
    if (scan_past(&bus, "pci bus id ") && scan_word(&bus, &word))
        pci_address_put(subject, sizeof subject, word);
    snprintf(code, sizeof code, "fabric_manager.sxid.%u", (unsigned)number);
    harmless = slice_contains(line, "non-fatal");
    reading_finding(service->frame.reading, harmless ? SEVERITY_WARNING : SEVERITY_FAULT, code, subject,
                    reason(service->frame.reading->arena, text, line));
    return true;
}

/* "[Feb 27 2025 15:10:02] [ERROR] [tid 12727] text" */
static bool read_log_line(struct service *service, struct slice line)
{
    bool error = slice_contains(line, "[ERROR]") || slice_contains(line, "[CRITICAL]") ||
                 slice_contains(line, "[FATAL]");
    bool warning = slice_contains(line, "[WARNING]") || slice_contains(line, "[WARN]");

    if (!error && !warning && !slice_contains(line, "[INFO]") && !slice_contains(line, "[NOTICE]") &&
        !slice_contains(line, "[DEBUG]"))
        return false;
    service->log = true;
    if (read_mismatch(service, line) || ((error || warning) && read_switch_error(service, line)))
        return true;
    if (error || warning)
        reading_finding(service->frame.reading, error ? SEVERITY_FAULT : SEVERITY_WARNING,
                        error ? "fabric_manager.error" : "fabric_manager.warning", "",
                        reason(service->frame.reading->arena, text, line));
    return true;
}

/* What systemd writes of the unit, in order: the last one tells how it went. */
static void read_unit_event(struct service *service, struct slice line)
{
    static const struct {
        const char *text;
        bool failed;
    } events[] = {
        {"Started ", false},
        {"Finished ", false},
        {"Control process exited, code=exited", true},
        {"Failed to start ", true},
        {"Failed with result", true},
        {"entered failed state", true},
        {"Main process exited", true},
        {"Deactivated successfully", false},
    };

    if (!slice_contains(line, "systemd"))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(events); i++)
        if (slice_contains(line, events[i].text)) {
            service->log = true;
            service->log_failed = events[i].failed && !slice_contains(line, "status=0/");
            return;
        }
    if (slice_contains(line, "NVIDIA fabric manager service") || slice_contains(line, "nvidia-fabricmanager"))
        service->log = true;
}

/* Journal lines of nv-fabricmanager itself carry no level; these are its failures. */
static void read_journal_line(struct service *service, struct slice line)
{
    if (!slice_contains(line, "nv-fabricmanager["))
        return;
    service->log = true;
    if (read_switch_error(service, line))
        return;
    if (slice_contains_one(line, "failed to", "Failed to", "error occurred", "fatal error", "request failed",
                           "is not supported", "unable to", "Unable to"))
        reading_finding(service->frame.reading, SEVERITY_FAULT, "fabric_manager.error", "",
                        reason(service->frame.reading->arena, text, line));
}

static bool read_cuda_802(struct service *service, struct slice line)
{
    if (!slice_contains(line, "system not yet initialized") &&
        !slice_contains(line, "cudaErrorSystemNotReady") &&
        !slice_contains(line, "CUDA_ERROR_SYSTEM_NOT_READY"))
        return false;
    service->cuda_802 = true;
    reading_finding(service->frame.reading, SEVERITY_FAULT, "fabric_manager.cuda_802", "",
                    reason(service->frame.reading->arena, cuda_waits_for_fabric, line));
    return true;
}

static bool is_trouble(struct slice line)
{
    return slice_starts(line, "System has not been booted with systemd") ||
           slice_starts(line, "Failed to connect to bus") || slice_contains(line, "command not found") ||
           slice_starts(line, "Failed to get properties") ||
           slice_starts(line, "Failed to get unit file state") || slice_contains(line, ": not found");
}

static void read_line(void *state, struct slice line)
{
    struct service *service = state;

    if (read_show(service, line) || read_word(service, line) || read_status(service, line) ||
        read_cuda_802(service, line))
        return;
    if (is_trouble(line)) {
        frame_fail(&service->frame, line);
        return;
    }
    read_version(service, line);
    if (read_log_line(service, line) || read_mismatch(service, line))
        return;
    read_unit_event(service, line);
    read_journal_line(service, line);
}

static void end(void *state)
{
    struct service *service = state;

    if (!service->status && service->log_failed)
        set_state(service, slice_of("failed"));
    if (service->status || service->log || service->version)
        service->frame.failure.length = 0; /* others could answer */
    else if (service->cuda_802)
        reading_lacks(service->frame.reading, REASON(cuda_error_tells_no_state));
    else
        frame_strange(&service->frame);
    frame_lacks_end(&service->frame);
}

const struct parser parse_fabric_manager = {
    .name = "fabric-manager",
    .version = 2,
    .summary = "NVIDIA Fabric Manager: systemctl, its version, log and journal",
    .grammar =
        GRAMMAR(.state_bytes = sizeof(struct service),
                .flags = FRAME_STREAM | LINES_KEEP_TIME | LINES_KEEP_LABEL, .line = read_line, .end = end),
};
