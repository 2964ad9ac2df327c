/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lspci in its text forms: short, -n, -nn, -D, -v to -vvv, and such output filtered by grep.
 *
 * subject "0000:19:00.0", or "slot 0-6" and "" in filtered text that has no address
 * facts    pci.class   "3D controller" or its number, of every device
 *          pci.name    vendor and device, of every device
 *          pci.driver  "Kernel driver in use", pci.slot "Physical Slot", where they are printed
 *          pci.gpu     "yes" for each NVIDIA device of class 0300 or 0302
 *          pci.nvidia.count, pci.gpu.count   (subject "") how many NVIDIA devices and NVIDIA GPUs are listed.
 *                      Facts and no measurements: lspci has no closing, so of a list cut between two lines
 *                      they would be other numbers
 * metrics  pcie.link.speed, .speed.max GT/s   pcie.link.width, .width.max lanes
 * finding  pci.dead              fault: (rev ff), or an unknown header type: reads of the device return ones
 *          pcie.width_downgraded warning: fewer lanes than device and slot could have
 *          pcie.speed_downgraded info: an idle link slows down to save power
 */
#include <ctype.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "frame.h"
#include "pci_address.h"

struct device {
    const char *subject;
    bool bridge, link_max, dead;
    double speed_max, width_max;
};

struct listing {
    struct frame frame;
    struct device device; /* the one whose lines are being read */
    unsigned devices, nvidia, gpus, links;
    bool orphan;           /* the text begins inside a device */
    bool details;          /* lines below the devices were seen: -v */
    bool blank, separated; /* a blank line ended the last device; devices are parted by blank lines */
};

/* Takes "19:00.0" or "0000:19:00.0" and the blank after it off the front. */
static const char *take_address(struct arena *arena, struct slice *rest)
{
    struct slice word, after = *rest;
    const char *address;

    if (!scan_word(&after, &word) || word.length < 7 || word.bytes[word.length - 2] != '.')
        return NULL;
    address = pci_address(arena, word);
    if (address != NULL)
        *rest = slice_trim(after);
    return address;
}

/* "[10de:2330]" with any device, or the words of a text without numbers. */
static bool is_nvidia(struct slice name)
{
    return slice_contains(name, "[10de:") || slice_starts_one(name, "10de:", "NVIDIA ", "nVidia ");
}

static bool is_display(struct slice class)
{
    return slice_contains(class, "[0300]") || slice_contains(class, "[0302]") ||
           slice_equal_one(class, "0300", "0302", "3D controller", "VGA compatible controller");
}

static void mark_dead(struct listing *listing, const char *sign)
{
    if (listing->device.dead)
        return;
    listing->device.dead = true;
    reading_finding(listing->frame.reading, SEVERITY_FAULT, "pci.dead", listing->device.subject,
                    reason(listing->frame.reading->arena, device_does_not_answer, sign));
}

/* "3D controller [0302]: NVIDIA Corporation Device [10de:2330] (rev a1)", behind the address. */
static bool read_device(struct listing *listing, const char *address, struct slice text)
{
    struct reading *reading = listing->frame.reading;
    size_t colon = slice_find(text, ": ");
    struct slice class, name;

    if (colon == (size_t)-1)
        return false;
    class = (struct slice){text.bytes, colon};
    if (slice_starts(class, "Class "))
        class = slice_from(class, strlen("Class "));
    name = slice_trim(slice_from(text, colon + 2));
    listing->device = (struct device){
        .subject = address, .bridge = slice_contains(class, "bridge") || slice_equal(class, "0604")};
    listing->devices++;
    reading_fact(reading, "pci.class", address, class);
    reading_fact(reading, "pci.name", address, name);
    if (is_nvidia(name)) {
        listing->nvidia++;
        if (is_display(class)) {
            listing->gpus++;
            reading_fact(reading, "pci.gpu", address, slice_of("yes"));
        }
    }
    if (slice_contains(name, "(rev ff)"))
        mark_dead(listing, "rev ff");
    return true;
}

/* The number behind mark, up to unit: "Speed 16GT/s" -> 16. */
static bool number_after(struct slice line, const char *mark, const char *unit, double *ret_value)
{
    struct slice rest = line;
    size_t length = 0;

    if (!scan_past(&rest, mark))
        return false;
    while (length < rest.length && (isdigit((unsigned char)rest.bytes[length]) || rest.bytes[length] == '.'))
        length++;
    return slice_starts(slice_from(rest, length), unit) &&
           scan_double((struct slice){rest.bytes, length}, ret_value);
}

/* What stands in parentheses right behind the value at mark: "Width x4 (downgraded)" -> "downgraded". */
static struct slice remark_after(struct slice line, const char *mark)
{
    size_t open, comma, close;
    struct slice rest = line;

    if (!scan_past(&rest, mark))
        return slice_of("");
    open = slice_find(rest, " (");
    comma = slice_find(rest, ",");
    close = slice_find(rest, ")");
    if (open == (size_t)-1 || close == (size_t)-1 || open > comma || close < open)
        return slice_of("");
    return (struct slice){rest.bytes + open + 2, close - open - 2};
}

static void read_capability(struct listing *listing, struct slice line)
{
    struct device *device = &listing->device;

    device->speed_max = device->width_max = 0;
    if (number_after(line, "Speed ", "GT/s", &device->speed_max))
        reading_measure(listing->frame.reading, "pcie.link.speed.max", device->subject, device->speed_max,
                        "GT/s");
    if (number_after(line, "Width x", "", &device->width_max))
        reading_measure(listing->frame.reading, "pcie.link.width.max", device->subject, device->width_max,
                        "");
    device->link_max = true;
}

static void judge_link(struct listing *listing, double speed, double width, struct slice line)
{
    const struct device *device = &listing->device;
    bool narrow = slice_equal(remark_after(line, "Width x"), "downgraded") ||
                  (device->width_max > 0 && width > 0 && width < device->width_max);
    bool slow = slice_equal(remark_after(line, "Speed "), "downgraded") ||
                (device->speed_max > 0 && speed > 0 && speed < device->speed_max);

    /* A bridge with no lanes in use has an empty slot behind it, a virtual function has no link of its own. */
    if (width == 0 && (device->bridge || speed == 0))
        return;
    if (narrow)
        reading_finding(listing->frame.reading, SEVERITY_WARNING, "pcie.width_downgraded", device->subject,
                        reason(listing->frame.reading->arena, text, line));
    if (slow)
        reading_finding(listing->frame.reading, SEVERITY_INFO, "pcie.speed_downgraded", device->subject,
                        reason(listing->frame.reading->arena, idle_link_slows_down, line));
}

static void read_link(struct listing *listing, struct slice line)
{
    double speed = 0, width = 0;

    listing->links++;
    if (number_after(line, "Speed ", "GT/s", &speed))
        reading_measure(listing->frame.reading, "pcie.link.speed", listing->device.subject, speed, "GT/s");
    if (number_after(line, "Width x", "", &width))
        reading_measure(listing->frame.reading, "pcie.link.width", listing->device.subject, width, "");
    judge_link(listing, speed, width, line);
}

static void read_detail(struct listing *listing, struct slice line)
{
    const char *subject = listing->device.subject;
    struct slice value = line;

    if (scan_text(&value, "LnkCap:"))
        read_capability(listing, slice_trim(value));
    else if (scan_text(&value, "LnkSta:"))
        read_link(listing, slice_trim(value));
    else if (scan_text(&value, "Kernel driver in use:"))
        reading_fact(listing->frame.reading, "pci.driver", subject, slice_trim(value));
    else if (slice_starts(line, "!!! Unknown header type"))
        mark_dead(listing, "unknown header type");
    else if (scan_text(&value, "Physical Slot:")) {
        value = slice_trim(value);
        if (listing->devices == 0)
            listing->device.subject = arena_printf(listing->frame.reading->arena, "slot %s",
                                                   utf8_clean(listing->frame.reading->arena, value));
        reading_fact(listing->frame.reading, "pci.slot", listing->device.subject, value);
    }
}

/* Below a device stand indented lines; those that matter are known without their blanks too. */
static bool is_detail(const struct listing *listing, struct slice line, struct slice text)
{
    return slice_starts_one(text, "Subsystem:", "LnkCap:", "LnkSta:", "Kernel driver in use:",
                            "Kernel modules:", "Physical Slot:", "!!! Unknown header type") ||
           (line.bytes != text.bytes && listing->devices > 0);
}

static void begin(void *state)
{
    struct listing *listing = state;

    listing->device.subject = "";
}

/* A device that stands again begins another listing. A filtered text begins where the filter began, but at no indented
 * line of -v. */
static void read_line(void *state, struct slice line)
{
    struct listing *listing = state;
    struct slice text = slice_trim(line), rest = text;
    const char *address = take_address(listing->frame.reading->arena, &rest);

    if (address != NULL && slice_contains(rest, ": ") &&
        reading_get_fact(listing->frame.reading, "pci.class", address) != NULL)
        frame_next_run(listing);
    if (text.bytes == listing->frame.first.bytes)
        listing->orphan = address == NULL && text.bytes != line.bytes;
    if (address != NULL && read_device(listing, address, rest)) {
        listing->separated = listing->separated || (listing->blank && listing->details);
        listing->blank = false;
    } else if (text.length == 0) {
        listing->blank = true;
    } else if (is_detail(listing, line, text)) {
        listing->details = true;
        listing->blank = false;
        read_detail(listing, text);
    }
}

/* A line of a short listing is whole without its newline when it closes itself: "... (rev a1)"; -v goes on.
 */
static bool is_whole(void *state, struct slice tail)
{
    const struct listing *listing = state;
    size_t at = slice_find(tail, "(rev ");

    return at != (size_t)-1 && listing->devices > 1 && !listing->details &&
           tail.length == at + strlen("(rev a1)") && tail.bytes[tail.length - 1] == ')';
}

static void end(void *state)
{
    struct listing *listing = state;
    struct reading *reading = listing->frame.reading;
    struct slice first = listing->frame.first;

    if (listing->devices == 0 && listing->links == 0) {
        if (slice_starts(first, "lspci:") || slice_starts(first, "pcilib:"))
            frame_fail(&listing->frame, first);
        frame_strange(&listing->frame);
    }
    frame_lacks_end(&listing->frame);
    if (listing->orphan)
        reading_lacks(reading, REASON(begins_inside_device));
    if (listing->separated && !listing->blank)
        reading_lacks(reading, REASON(last_device_not_ended));
    if (frame_is_complete(&listing->frame) && listing->devices > 0) {
        reading_count(reading, "pci.nvidia.count", listing->nvidia);
        reading_count(reading, "pci.gpu.count", listing->gpus);
    }
}

const struct parser parse_lspci = {
    .name = "lspci",
    .version = 3,
    .summary = "lspci in its text forms: devices, GPUs off the bus, PCIe link speed and width",
    .metrics = METRICS(
        {"pcie.link.speed", "GT/s", BETTER_HIGHER, "speed of the link as it is now; idle links slow down"},
        {"pcie.link.speed.max", "GT/s", BETTER_HIGHER, "speed that the device is capable of"},
        {"pcie.link.width", "", BETTER_HIGHER, "lanes in use"},
        {"pcie.link.width.max", "", BETTER_HIGHER, "lanes that the device is capable of"}),
    .grammar = GRAMMAR(.state_bytes = sizeof(struct listing), .flags = FRAME_RAW | FRAME_RUNS, .begin = begin,
                       .line = read_line, .is_whole = is_whole, .end = end),
};
