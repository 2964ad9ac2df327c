/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether every cable ends where the hostfile says (rail.mlx5_0=leaf1:12). A swapped pair works, at full speed,
 * and breaks what is built on rails: traffic that should stay on one leaf crosses the spine.
 *
 *   via ib     iblinkinfo for each HCA: its own port and the one at the other end. "-D 0 -n 1" looks one hop far;
 *              without it every host would ask the whole fabric. Needs root: /dev/infiniband/umad*.
 *   via lldp   lldpctl: what the switches tell of themselves. Needs lldpd on the host, and root for its socket.
 *   ibdiagnet is another check, cabling-fabric, for it asks the whole fabric, once.
 *
 *   cabling.rail       "as declared", "plugged where mlx5_3 belongs (leaf4 port 12)", "plugged into leaf9 port 7"
 *   cabling.neighbour  "leaf4 port 12"
 *   cabling.speed      "like the others", or which of the host's links is faster
 *   cabling.link       "4X 106.25 Gbps", "400000 Mb/s": the same on all hosts
 *
 * Of a cable whose other end was not seen nothing is known: finding METRIC.unread, with the reason.
 */
#include <string.h>

#include "assay/base/nearest.h"
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

#include "rails.h"
#include "rules.h"
#include "script.h"

static bool is_ib(const struct check_context *context)
{
    return strcmp(check_text(context, "via"), "ib") == 0;
}

static void command(const struct check_context *context, struct text *out)
{
    script_begin(out, is_ib(context) ? "iblinkinfo -l -C HCA -P 1 -D 0 -n 1 of each HCA" : "lldpctl");
    script_set_hcas(context, out);
    if (is_ib(context)) {
        script_tool(context, out, "iblinkinfo", "iblinkinfo");
        text_put(out, script_cabling_ib);
        return;
    }
    script_tool(context, out, "lldpctl", "lldpctl");
    text_put(out, script_cabling_lldp);
}

/* --- what was seen --- */

/* What stands under "== mlx5_0 WORDS ==", up to the next heading. */
struct section {
    struct slice name, words, body;
};

static bool read_heading(struct slice line, struct section *ret_section)
{
    struct slice rest = line;

    if (!scan_text(&rest, "== ") || !slice_ends(rest, "=="))
        return false;
    rest.length -= 2;
    *ret_section = (struct section){{"", 0}, {"", 0}, {"", 0}};
    if (!scan_word(&rest, &ret_section->name))
        return false;
    ret_section->words = rest;
    return true;
}

/* The section of that name; false when it is not there or does not end with another heading. */
static bool find_section(struct slice text, const char *name, struct section *ret_section)
{
    struct slice rest = text, line;
    bool found = false;

    while (scan_line(&rest, &line)) {
        struct section section;

        if (!read_heading(slice_trim(line), &section))
            continue;
        if (found) {
            ret_section->body.length = (size_t)(line.bytes - ret_section->body.bytes);
            return true;
        }
        found = slice_equal(section.name, name);
        if (found) {
            *ret_section = section;
            ret_section->body = rest;
        }
    }
    return false;
}

/* The one subject of that fact which ends so; NULL when there is none, or several. */
static const char *only_subject(const struct reading *reading, const char *fact, const char *ending)
{
    const char *subject = NULL;

    list_each (row, reading->facts) {
        if (strcmp(row->name, fact) != 0 || !slice_ends(slice_of(row->subject), ending))
            continue;
        if (subject != NULL && strcmp(subject, row->subject) != 0)
            return NULL;
        subject = row->subject;
    }
    return subject;
}

static void look_ib(const struct section *section, struct reading *out, struct neighbour *neighbour)
{
    struct reading reading;
    const char *port;

    parser_run(parser_find("iblinkinfo"), section->body, out->arena, &reading);
    if (reading.status == READING_UNRECOGNISED && slice_trim(section->body).length > 0)
        reading_set(out, READING_UNRECOGNISED, reason(out->arena, about, "iblinkinfo", reading.reason));
    if (reading.status != READING_COMPLETE) {
        neighbour->unread = reason(out->arena, about, "iblinkinfo", reading.reason);
        return;
    }
    /* The state is told of every port, also of one without a link. */
    port = only_subject(&reading, "ib.link.state", "/1");
    if (port == NULL) {
        neighbour->unread = REASON(iblinkinfo_shows_no_port);
        return;
    }
    neighbour->name = reading_get_fact(&reading, "ib.link.remote", port);
    neighbour->guid = reading_get_fact(&reading, "ib.link.remote_guid", port);
    neighbour->port = reading_get_fact(&reading, "ib.link.remote_port", port);
    rails_read_link(out->arena, reading_get_fact(&reading, "ib.link.width", port),
                    reading_get_fact(&reading, "ib.link.speed", port), neighbour);
    if (neighbour->name == NULL)
        neighbour->unread =
            reason(out->arena, no_neighbour_link_state, reading_get_fact(&reading, "ib.link.state", port));
    for (size_t i = 0; i < reading.findings.count; i++)
        if (strcmp(reading.findings.items[i].code, "ib.link_below") == 0)
            reading_finding(out, SEVERITY_WARNING, "cabling.link_below",
                            arena_strndup(out->arena, section->name.bytes, section->name.length),
                            reading.findings.items[i].what);
}

/* The value, where all neighbours of the interface agree on it. */
static const char *one_value(const struct reading *lldp, const char *fact, const char *interface,
                             size_t *ret_different)
{
    enum { SEEN_MOST = 8 };
    const char *seen[SEEN_MOST];

    *ret_different = 0;
    for (size_t i = 0; i < lldp->facts.count && *ret_different < SEEN_MOST; i++)
        if (strcmp(lldp->facts.items[i].name, fact) == 0 &&
            strcmp(lldp->facts.items[i].subject, interface) == 0 &&
            !word_is_among(lldp->facts.items[i].value, seen, *ret_different))
            seen[(*ret_different)++] = lldp->facts.items[i].value;
    return *ret_different == 1 ? seen[0] : NULL;
}

static void look_lldp(const struct section *section, const struct reading *lldp, struct reading *out,
                      struct neighbour *neighbour)
{
    struct slice rest = section->words, word;
    const char *interface;
    size_t names, ports, ignored;

    if (!scan_word(&rest, &word)) {
        neighbour->unread = REASON(hca_without_network_device);
        return;
    }
    interface = arena_strndup(out->arena, word.bytes, word.length);
    if (scan_word(&rest, &word) && scan_double(word, &neighbour->rate) && neighbour->rate > 0)
        neighbour->link = arena_printf(out->arena, "%.*s Mb/s", slice_print(word));
    else
        neighbour->rate = 0;
    neighbour->name = one_value(lldp, "lldp.chassis", interface, &names);
    if (names == 0)
        neighbour->name = one_value(lldp, "lldp.chassis_id", interface, &names);
    neighbour->port = one_value(lldp, "lldp.port", interface, &ports);
    neighbour->port_alias = one_value(lldp, "lldp.port_description", interface, &ignored);
    if (names > 1 || ports > 1)
        neighbour->unread = reason(out->arena, several_neighbours, interface);
    else if (lldp->status != READING_COMPLETE)
        neighbour->unread = reason(out->arena, about, "lldpctl", lldp->reason);
    else if (names == 0)
        neighbour->unread = reason(out->arena, no_neighbour, interface);
}

static void read_cabling(const struct check_context *context, const struct attempt *attempt,
                         struct reading *out)
{
    const struct part *part = attempt_part(attempt, "neighbours");
    struct section section = {{"", 0}, {"", 0}, {"", 0}};
    struct reading lldp;
    size_t count = 0, fastest = 0;
    struct neighbour *all;

    if (part == NULL || !part->ended) {
        reading_set(out, READING_PARTIAL, REASON(command_not_ended));
        return;
    }
    out->status = READING_COMPLETE;
    reading_init(&lldp, out->arena, "lldp");
    if (!is_ib(context) && find_section(part->out, "lldpctl", &section)) {
        parser_run(parser_find("lldp"), section.body, out->arena, &lldp);
        if (lldp.status == READING_UNRECOGNISED && slice_trim(section.body).length > 0)
            reading_set(out, READING_UNRECOGNISED, reason(out->arena, about, "lldpctl", lldp.reason));
    }
    while (check_hca(context, count) != NULL)
        count++;
    all = arena_array(out->arena, struct neighbour, count);
    for (size_t i = 0; i < count; i++) {
        all[i] = (struct neighbour){0};
        if (!find_section(part->out, check_hca(context, i), &section))
            all[i].unread = REASON(command_did_not_reach_it);
        else if (is_ib(context))
            look_ib(&section, out, &all[i]);
        else
            look_lldp(&section, &lldp, out, &all[i]);
        if (all[i].rate > all[fastest].rate)
            fastest = i;
    }
    for (size_t i = 0; i < count; i++) {
        const char *hca = check_hca(context, i);

        rails_tell(context->members[0], hca, hca, &all[i], out);
        rails_tell_link(hca, &all[i], check_hca(context, fastest), &all[fastest], out);
    }
}

/* --- what is owed --- */

static const struct limit link_rules[] = RULES_SAME("cabling.link", "assay: links alike on all hosts");

static const char *arguments_fault(const struct check_context *context)
{
    if (!is_ib(context) && strcmp(check_text(context, "via"), "lldp") != 0)
        return "via is neither ib nor lldp";
    return check_hcas_fault(context);
}

static unsigned expected_s(const struct check_context *context)
{
    return is_ib(context) ? 15 : 5;
}

const struct check check_cabling = {
    .name = "cabling",
    .title = "Cabling",
    .summary = "every cable ends at the switch and port that the hostfile declares for its rail",
    .on = ON_HCAS,
    .concerns = OF_NETWORK,
    .passive = true,
    .as_root = true,
    .arguments = ARGUMENTS(HCAS_ARGUMENT_ROW,
                           {"via", ARGUMENT_TEXT, "ib", "ib: by iblinkinfo; lldp: by lldpctl, on Ethernet"}),
    .arguments_fault = arguments_fault,
    .host_valid = rails_host_valid,
    .parts = PARTS({"neighbours", NULL, command, NULL}),
    .items = ITEMS({"cabling.rail", PER_HCA, NULL, DUTY_GATE, rails_rules},
                   {"cabling.speed", PER_HCA, NULL, DUTY_GATE, rails_speed_rules},
                   {"cabling.link", PER_HCA, NULL, DUTY_GATE, link_rules},
                   {"cabling.neighbour", PER_HCA, NULL, DUTY_RECORD, NULL}),
    .remedies = REMEDIES({"cabling.rail", REASON(compare_neighbours_with_rails)},
                         {"cabling.*", REASON(clean_cable_see_switch_port)},
                         {"sound", REASON(install_iblinkinfo_or_lldpd)}),
    .expected = expected_s,
    .read = read_cabling,
};
