/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvidia-smi nvlink: -s (status), -e (error counters), -c (capabilities), -p and -R (remote ends).
 *
 * subject gpu0.link3 of a link, gpu0 of a GPU ("link3" where the text begins inside a GPU)
 * facts    gpu.name, gpu.uuid             (gpu0)
 *          nvlink.link.state              active, inactive, or the tool's own words
 *          nvlink.link.remote, .remote_link  the other end's PCI address and link
 *          nvlink.link.capability.NAME    true, false
 *          nvlink.link.NAME               other words that a link has
 * metrics  nvlink.link.speed GB/s
 *          nvlink.link.active             links of the GPU that are up; only of GPUs whose list is known to be
 *                                         whole: another GPU follows, or it has as many links as one before it
 *          nvlink.link.errors.NAME        counters: replay, recovery, crc, ...
 *          nvlink.link.ber.NAME           bit error rates
 * findings nvlink.inactive     warning    the links of a GPU that are not up
 *          nvlink.unsupported  info       the GPU has no NVLink
 *          nvlink.error        fault      a value is an error of the driver
 *
 * There is no closing, so a list cut between two lines cannot be told from a whole one; the numbers that are
 * there are right all the same.
 */
#include <ctype.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "frame.h"
#include "pci_address.h"

enum { MAX_LINKS = 64 };

struct listing {
    struct frame frame;
    const char *gpu; /* NULL before the first */
    uint64_t index;
    size_t gpus, links_read;
    uint64_t states, active; /* of the GPU: a bit for each link that has a state, and that is up */
    uint64_t states_before;  /* of the GPU before it */
    bool orphan, silent;     /* silent: the tool said itself that this GPU has nothing to list */
};

/* "FEC Errors - 0" -> "fec_0", "Replay Errors" -> "replay", "Tx discards" -> "tx_discards" */
static const char *plain_name(struct arena *arena, struct slice name)
{
    char *plain = arena_alloc(arena, name.length + 1), *to = plain;

    for (size_t i = 0; i < name.length; i++) {
        struct slice rest = slice_from(name, i);

        if (slice_starts(rest, "Errors") || slice_starts(rest, "errors")) {
            i += strlen("Errors") - 1;
            continue;
        }
        if (isalnum((unsigned char)name.bytes[i]))
            *to++ = (char)tolower((unsigned char)name.bytes[i]);
        else if (to > plain && to[-1] != '_')
            *to++ = '_';
    }
    while (to > plain && to[-1] == '_')
        to--;
    *to = '\0';
    return plain;
}

static void end_gpu(struct listing *listing, bool last)
{
    struct reading *reading = listing->frame.reading;
    unsigned down = (unsigned)__builtin_popcountll(listing->states & ~listing->active);

    if (listing->gpu == NULL || listing->states == 0)
        return;
    if (!last || listing->states == listing->states_before)
        reading_measure(reading, "nvlink.link.active", listing->gpu, __builtin_popcountll(listing->active),
                        "");
    if (down > 0)
        reading_finding(
            reading, SEVERITY_WARNING, "nvlink.inactive", listing->gpu,
            reason(reading->arena, links_inactive, down, (unsigned)__builtin_popcountll(listing->states)));
    listing->states_before = listing->states;
}

/* What stands behind a GPU's name on the same line or on the next one in place of links. */
static bool take_message(struct listing *listing, struct slice line)
{
    size_t at = slice_find(line, "NVML:");
    struct slice text = at == (size_t)-1 ? line : slice_from(line, at);

    if (listing->gpu == NULL || (at == (size_t)-1 && !slice_starts(line, "Unable to")))
        return false;
    listing->silent = true;
    if (slice_contains(text, "all links are in")) {
        reading_measure(listing->frame.reading, "nvlink.link.active", listing->gpu, 0, "");
        reading_finding(listing->frame.reading, SEVERITY_WARNING, "nvlink.inactive", listing->gpu,
                        reason(listing->frame.reading->arena, text, text));
    } else if (slice_contains(text, "does not have or support")) {
        reading_finding(listing->frame.reading, SEVERITY_INFO, "nvlink.unsupported", listing->gpu,
                        reason(listing->frame.reading->arena, text, text));
    } else {
        reading_finding(listing->frame.reading, SEVERITY_WARNING, "nvlink.unreadable", listing->gpu,
                        reason(listing->frame.reading->arena, text, text));
        reading_lacks(listing->frame.reading, reason(listing->frame.reading->arena, text,
                                                     utf8_clean(listing->frame.reading->arena, text)));
    }
    return true;
}

/* "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-...)", without UUID in old versions */
static bool scan_gpu(struct slice line, uint64_t *ret_index, struct slice *ret_name)
{
    if (!scan_text(&line, "GPU ") || !scan_digits(&line, ret_index) || !scan_text(&line, ":"))
        return false;
    *ret_name = slice_trim(line);
    return true;
}

static void begin_gpu(struct listing *listing, uint64_t index, struct slice name)
{
    struct reading *reading = listing->frame.reading;
    size_t uuid = slice_find(name, "(UUID: "), message = slice_find(name, "NVML:");

    end_gpu(listing, false);
    listing->gpu = arena_printf(reading->arena, "gpu%llu", (unsigned long long)index);
    listing->index = index;
    listing->gpus++;
    listing->states = listing->active = 0;
    listing->silent = false;
    if (uuid != (size_t)-1) {
        struct slice text = slice_from(name, uuid + strlen("(UUID: "));
        size_t close = slice_find(text, ")");

        if (close != (size_t)-1)
            reading_fact(reading, "gpu.uuid", listing->gpu, (struct slice){text.bytes, close});
    }
    if (message != (size_t)-1)
        take_message(listing, slice_from(name, message));
    name.length = uuid < message ? uuid : message < name.length ? message : name.length;
    reading_fact(reading, "gpu.name", listing->gpu, slice_trim(name));
}

static void set_state(struct listing *listing, const char *subject, uint64_t link, const char *state)
{
    listing->states |= (uint64_t)1 << link;
    if (strcmp(state, "active") == 0)
        listing->active |= (uint64_t)1 << link;
    reading_fact(listing->frame.reading, "nvlink.link.state", subject, slice_of(state));
}

static bool take_speed(struct listing *listing, const char *subject, uint64_t link, struct slice value)
{
    double speed;
    struct slice number = value;

    if (!slice_ends(value, " GB/s"))
        return false;
    number.length -= strlen(" GB/s");
    if (!scan_double(slice_trim(number), &speed) || speed < 0)
        return false;
    set_state(listing, subject, link, speed > 0 ? "active" : "inactive");
    reading_measure(listing->frame.reading, "nvlink.link.speed", subject, speed, "GB/s");
    return true;
}

/* The other end: "00000000:CD:00.0" (-p) or "Remote Device 00000000:CD:00.0: Link 25" (-R). */
static bool take_remote(struct listing *listing, const char *subject, struct slice value)
{
    struct arena *arena = listing->frame.reading->arena;
    size_t link = slice_find(value, ": Link ");
    const char *address;

    scan_text(&value, "Remote Device ");
    link = slice_find(value, ": Link ");
    address = pci_address(arena, link != (size_t)-1 ? (struct slice){value.bytes, link} : value);
    if (address == NULL)
        return false;
    reading_fact(listing->frame.reading, "nvlink.link.remote", subject, slice_of(address));
    if (link != (size_t)-1)
        reading_fact(listing->frame.reading, "nvlink.link.remote_link", subject,
                     slice_from(value, link + strlen(": Link ")));
    return true;
}

static bool take_error_word(struct listing *listing, const char *subject, struct slice value)
{
    if (!slice_contains_one(value, "Unknown Error", "ERR!", "GPU is lost", "Requires Reset"))
        return false;
    reading_finding(listing->frame.reading, SEVERITY_FAULT, "nvlink.error", subject,
                    reason(listing->frame.reading->arena, text, value));
    return true;
}

/* "Replay Errors: 0", "Effective BER: 15e-255", "Data Tx: 12 KiB" */
static void take_named(struct listing *listing, const char *subject, struct slice name, struct slice value)
{
    struct arena *arena = listing->frame.reading->arena;
    const char *plain = plain_name(arena, name);
    double number;

    if (take_error_word(listing, subject, value))
        return;
    if (slice_ends(name, " BER") && scan_double(value, &number))
        reading_measure(listing->frame.reading,
                        arena_printf(arena, "nvlink.link.ber.%.*s", (int)strlen(plain) - 4, plain), subject,
                        number, "");
    else if (scan_double(value, &number))
        reading_measure(listing->frame.reading, arena_printf(arena, "nvlink.link.errors.%s", plain), subject,
                        number, "");
    else
        reading_fact(listing->frame.reading, arena_printf(arena, "nvlink.link.%s", plain), subject, value);
}

/* "P2P is supported: true" */
static void take_capability(struct listing *listing, const char *subject, struct slice text)
{
    struct arena *arena = listing->frame.reading->arena;
    struct slice name, value;

    if (!slice_part(text, ": ", &name, &value))
        return;
    if (slice_ends(name, " is supported"))
        name.length -= strlen(" is supported");
    else if (slice_ends(name, " supported"))
        name.length -= strlen(" supported");
    reading_fact(listing->frame.reading,
                 arena_printf(arena, "nvlink.link.capability.%s", plain_name(arena, name)), subject, value);
}

static void take_value(struct listing *listing, const char *subject, uint64_t link, struct slice value)
{
    struct slice name, rest;

    if (slice_equal_nocase(value, "<inactive>") || slice_equal_nocase(value, "inactive"))
        set_state(listing, subject, link, "inactive");
    else if (take_speed(listing, subject, link, value) || take_remote(listing, subject, value))
        return;
    else if (slice_part(value, ": ", &name, &rest))
        take_named(listing, subject, name, rest);
    else if (value.length > 0) {
        take_error_word(listing, subject, value);
        set_state(listing, subject, link, utf8_clean(listing->frame.reading->arena, value));
    }
}

static bool take_link(struct listing *listing, struct slice line)
{
    struct arena *arena = listing->frame.reading->arena;
    const char *subject;
    uint64_t link;

    if (!scan_text(&line, "Link ") || !scan_digits(&line, &link) || link >= MAX_LINKS || line.length == 0 ||
        (line.bytes[0] != ':' && line.bytes[0] != ','))
        return false;
    listing->orphan |= listing->gpu == NULL;
    listing->links_read++;
    subject = listing->gpu != NULL
                  ? arena_printf(arena, "%s.link%llu", listing->gpu, (unsigned long long)link)
                  : arena_printf(arena, "link%llu", (unsigned long long)link);
    if (line.bytes[0] == ',')
        take_capability(listing, subject, slice_trim(slice_from(line, 1)));
    else
        take_value(listing, subject, link, slice_trim(slice_from(line, 1)));
    return true;
}

static void take_failure(struct listing *listing, struct slice line)
{
    if (slice_contains_one(line, "NVIDIA-SMI has failed", "Failed to initialize NVML", "command not found",
                           ": not found", "No devices were found", "ERROR: Option", "Segmentation fault",
                           "Unable to determine the"))
        frame_fail(&listing->frame, slice_of(utf8_clean(listing->frame.reading->arena, line)));
}

/* The same GPU again, or one before it: another option's list. */
static bool begins_run(const struct listing *listing, struct slice line)
{
    struct slice name;
    uint64_t index;

    return listing->gpu != NULL && scan_gpu(line, &index, &name) && index <= listing->index;
}

static void read_line(void *state, struct slice line)
{
    struct listing *listing = state;
    struct slice name;
    uint64_t index;

    if (begins_run(listing, line))
        frame_next_run(listing);
    if (scan_gpu(line, &index, &name))
        begin_gpu(listing, index, name);
    else if (!take_link(listing, line) && !take_message(listing, line))
        take_failure(listing, line);
}

/* A last line that lost its newline is whole where a unit or a bracket closes it. */
static bool is_whole(void *state, struct slice tail)
{
    (void)state;
    return slice_starts(tail, "Link ") && (slice_ends(tail, " GB/s") || slice_ends(tail, "<inactive>"));
}

static void end(void *state)
{
    struct listing *listing = state;
    struct reading *reading = listing->frame.reading;

    end_gpu(listing, true);
    if (listing->gpus == 0 && listing->links_read == 0)
        reading_strange(reading, listing->frame.first.length == 0
                                     ? REASON(prints_no_link)
                                     : reason(reading->arena, no_gpu_and_no_link, listing->frame.first));
    frame_lacks_end(&listing->frame);
    if (listing->orphan)
        reading_lacks(reading, REASON(begins_inside_gpu));
    if (listing->links_read == 0 && !listing->silent)
        reading_lacks(reading, REASON(no_gpu_with_links));
}

const struct parser parse_nvidia_smi_nvlink = {
    .name = "nvidia-smi-nvlink",
    .version = 1,
    .summary = "nvidia-smi nvlink -s, -e, -c, -p, -R: state, speed, counters and far ends of NVLinks",
    .metrics = METRICS({"nvlink.link.speed", "GB/s", BETTER_HIGHER, "speed of the link, one way"},
                       {"nvlink.link.active", "", BETTER_HIGHER, "links of the GPU that are up"},
                       {"nvlink.link.errors.*", "", BETTER_LOWER, "error counter of the link"},
                       {"nvlink.link.ber.*", "", BETTER_LOWER, "bit error rate of the link"}),
    .grammar = GRAMMAR(.state_bytes = sizeof(struct listing), .flags = FRAME_RUNS, .line = read_line,
                       .is_whole = is_whole, .end = end),
};
