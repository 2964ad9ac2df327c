/* SPDX-License-Identifier: Apache-2.0 */
/* The links of a fabric: which rounds of flows load all of them, and what flows and counters then prove. Touches no host. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/files.h"
#include "assay/fabric/flows.h"
#include "assay/fabric/rates.h"
#include "links.h"

#define BAD_RATE 1e-12 /* what IBTA allows before correction, and nobody after it */
#define MISS 1e-3

int links_load(struct arena *arena, const char *path, struct slice *ret_text, struct error *err)
{
    cleanup_text struct text bytes = {0};

    text_init(&bytes, LINKS_FILE_BYTES);
    if (file_read(path, &bytes, err) < 0)
        return -1;
    *ret_text = (struct slice){arena_strndup(arena, bytes.bytes, bytes.length), bytes.length};
    return 0;
}

static int load_fabric(struct links_work *work, const char *links, const char *routes)
{
    struct hostlist hosts = {0};
    struct slice text;

    work->fabric = fabric_new(work->arena);
    if (links_load(work->arena, links, &text, work->err) < 0 ||
        fabric_read_links(work->fabric, links, text, work->err) < 0 ||
        links_load(work->arena, routes, &text, work->err) < 0 ||
        fabric_read_routes(work->fabric, routes, text, work->err) < 0)
        return -1;
    if (work->options->hosts != NULL &&
        hostlist_expand(work->arena, work->options->hosts, &hosts, work->err) < 0)
        return -1;
    if (fabric_take_part(work->arena, work->fabric, hosts.names.items, hosts.names.count, &work->question,
                         work->err) < 0)
        return -1;
    work->question.rounds_most = work->options->rounds;
    return 0;
}

static void tell_unrouted(const struct links_work *work)
{
    size_t without = fabric_without_routes(work->fabric);

    if (without > 0)
        cli_print("%zu switches have no forwarding table in what was read: no flow goes through them\n",
                  without);
}

double links_share(size_t part, size_t all)
{
    return all > 0 ? (double)part / (double)all : 0;
}

/* --- the schedule --- */

void links_tell_gaps(const struct links_work *work, const struct fabric_schedule *schedule)
{
    const struct fabric_port *ports = work->fabric->ports.items;

    for (uint32_t way = 0; way < work->fabric->ports.count; way++) {
        uint32_t far = ports[way].far;
        enum fabric_gap gap = schedule->gaps[way];

        if (far == FABRIC_NONE || far < way || gap == FABRIC_UNTESTED)
            continue;
        if (gap == FABRIC_COVERED)
            gap = schedule->gaps[far];
        if (gap != FABRIC_COVERED)
            cli_print("not covered: %s: %s\n", fabric_link_name(work->fabric, way), fabric_gap_word(gap));
    }
}

static double rate_of_hosts(const struct links_work *work)
{
    double rate = 0;

    for (size_t i = 0; i < work->question.count; i++)
        rate = fmax(rate, work->fabric->ports.items[work->question.ports[i]].gbits);
    return rate;
}

static void tell_schedule(const struct links_work *work, const struct fabric_schedule *schedule)
{
    double rate = rate_of_hosts(work);

    tell_unrouted(work);
    cli_print("links: %zu between %zu adapters that take part, and above them\n", schedule->links,
              work->question.count);
    cli_print(
        "covered: %zu of %zu (%.2f%%) carry half of their rate both ways in one of %zu rounds; no schedule "
        "does with fewer than %zu\n",
        schedule->covered, schedule->links, 100 * links_share(schedule->covered, schedule->links),
        schedule->covering, schedule->least);
    cli_print(
        "told apart: %zu rounds in all, %zu flows; %zu links are crossed by the same flows as another one\n",
        schedule->ends.count, schedule->flows.count, schedule->alike);
    if (rate > 0)
        cli_print("a round shows errors at a rate of 1e-12 when its flows run for %.0f s\n",
                  ceil(fabric_bits_to_tell(BAD_RATE, FABRIC_BER_LIMIT, MISS) / (rate * 1e9)));
    links_tell_gaps(work, schedule);
}

int links_write_flows(const struct links_work *work, const struct fabric_schedule *schedule,
                      const char *before)
{
    cleanup_text struct text out = {0};

    if (work->options->output == NULL)
        return 0;
    text_init(&out, LINKS_FILE_BYTES);
    text_printf(&out, "%s", before);
    fabric_write_flows(work->fabric, schedule, &out);
    return file_write(work->options->output, out.bytes, out.length, 0644, work->err);
}

bool links_may_tell(const struct links_work *work)
{
    return work->options->output == NULL || !file_is_stdout(work->options->output);
}

static int show_schedule(const struct links_work *work, const struct fabric_schedule *schedule)
{
    if (links_write_flows(work, schedule, "") < 0)
        return -1;
    if (links_may_tell(work))
        tell_schedule(work, schedule);
    return links_share(schedule->covered, schedule->links) >= FABRIC_ENOUGH ? EXIT_ACCEPT : EXIT_INCOMPLETE;
}

/* --- what came of it --- */

/* A file for each reading; or one with all of them. */
static int read_counters(const struct links_work *work, struct fabric_counted_rounds *ret_counted)
{
    const struct option_list *files = &work->options->counters;

    *ret_counted = (struct fabric_counted_rounds){0};
    for (size_t i = 0; i < files->count; i++) {
        struct slice text;

        if (links_load(work->arena, files->items[i], &text, work->err) < 0)
            return -1;
        if (files->count == 1 && slice_starts(text, "# counters 0"))
            return fabric_read_counter_rows(work->arena, work->fabric, files->items[i], text, ret_counted,
                                            work->err);
        if (fabric_read_counters(work->arena, work->fabric, files->items[i], text,
                                 list_push(work->arena, &ret_counted->readings), work->err) < 0)
            return -1;
    }
    return 0;
}

int links_refuse_readings(const struct links_work *work, size_t readings, size_t rounds)
{
    return error_set(work->err, ERROR_USAGE,
                     "--counters: found %zu readings for %zu rounds; expected one from before the first "
                     "round and one from after each",
                     readings, rounds);
}

/* *ret_differing: on how many ways counters contradict the flows. */
static int load_counters(const struct links_work *work, const struct fabric_measured *measured,
                         double seconds, const struct fabric_schedule *schedule,
                         struct fabric_proven *ret_proven, size_t *ret_differing)
{
    struct fabric_counted_rounds counted;
    size_t rounds = measured->ends.count;

    if (read_counters(work, &counted) < 0)
        return -1;
    if (counted.readings.count != rounds + 1)
        return links_refuse_readings(work, counted.readings.count, rounds);
    fabric_prove(work->arena, work->fabric, counted.readings.items, rounds, seconds, schedule->gaps,
                 ret_proven);
    *ret_differing = fabric_contradict(work->arena, work->fabric, measured, counted.readings.items, seconds,
                                       arena_array(work->arena, bool, work->fabric->ports.count));
    return 0;
}

static void tell_unproven(const struct links_work *work, const struct fabric_proven *proven, uint32_t way)
{
    uint32_t far = work->fabric->ports.items[way].far;

    if (!work->ethernet)
        cli_print("not proven: %s\n", fabric_link_name(work->fabric, way));
    else if (isnan(proven->most[way]) || isnan(proven->most[far]))
        cli_print("not proven: %s: its octets were not told both ways\n",
                  fabric_link_name(work->fabric, way));
    else
        cli_print("not proven: %s: at most %.1f%% of its rate one way and %.1f%% the other in one round\n",
                  fabric_link_name(work->fabric, way), 100 * proven->most[way], 100 * proven->most[far]);
}

static size_t count_untold(const struct links_work *work, const struct fabric_proven *proven,
                           const struct fabric_schedule *schedule)
{
    const struct fabric_port *ports = work->fabric->ports.items;
    size_t untold = 0;

    for (uint32_t way = 0; way < work->fabric->ports.count; way++)
        untold += ports[way].far != FABRIC_NONE && ports[way].far > way &&
                  schedule->gaps[way] != FABRIC_UNTESTED &&
                  !(proven->told[way] && proven->told[ports[way].far]);
    return untold;
}

size_t links_tell_proof(const struct links_work *work, const struct fabric_proven *proven,
                        const struct fabric_schedule *schedule, size_t *ret_untold)
{
    const struct fabric_port *ports = work->fabric->ports.items;
    double limit = work->ethernet ? FABRIC_BER_ETHERNET : FABRIC_BER_LIMIT;
    size_t erring = 0;

    *ret_untold = count_untold(work, proven, schedule);
    cli_print(
        "proven: by the counters %zu of %zu links (%.2f%%) carried half of their rate both ways in one round\n",
        proven->covered, proven->links, 100 * links_share(proven->covered, proven->links));
    if (*ret_untold == proven->links && *ret_untold > 0)
        cli_print("errors not told: of any link in the first and the last reading at both of its ends\n");
    for (uint32_t way = 0; way < work->fabric->ports.count; way++) {
        uint32_t far = ports[way].far;

        if (far == FABRIC_NONE || schedule->gaps[way] == FABRIC_UNTESTED)
            continue;
        if (far > way && !(proven->ways[way] && proven->ways[far]))
            tell_unproven(work, proven, way);
        if (far > way && !(proven->told[way] && proven->told[far]) && *ret_untold < proven->links)
            cli_print(
                "errors not told: %s: its ports do not tell them in the first and the last file, or they went "
                "back\n",
                fabric_link_name(work->fabric, way));
        if (!fabric_errors_tell(proven->errors[way], proven->bits[way], limit))
            continue;
        erring++;
        cli_print("errors: %s: %.0f in %.3g bits from %s; %g is too much for a link\n",
                  fabric_link_name(work->fabric, way), proven->errors[way], proven->bits[way],
                  fabric_port_name(work->fabric, way), limit);
    }
    return erring;
}

static void tell_suspect(const struct links_work *work, const struct fabric_suspect *suspect)
{
    if (suspect->count == 1) {
        cli_print("slow: %s: %zu flows at %.1f%% of their rate\n",
                  fabric_link_name(work->fabric, suspect->links[0]), suspect->flows, 100 * suspect->share);
        return;
    }
    cli_print(
        "slow: one of %zu links, which these flows do not tell apart: %zu flows at %.1f%% of their rate\n",
        suspect->count, suspect->flows, 100 * suspect->share);
    for (size_t i = 0; i < suspect->count; i++)
        cli_print("    %s\n", fabric_link_name(work->fabric, suspect->links[i]));
}

/* Where all are slow, none stands out. */
static bool is_fast(const struct fabric_suspects *suspects)
{
    return suspects->typical >= FABRIC_SLOW;
}

/* Returns how many links trained slower than most that are like them; *ret_unlike: slower than some. */
static size_t tell_rates(const struct links_work *work, const struct fabric_schedule *schedule,
                         size_t *ret_unlike)
{
    const struct fabric_peers **peers = fabric_find_peers(work->arena, work->fabric, schedule->gaps);
    size_t slow = 0;

    *ret_unlike = 0;
    for (uint32_t link = 0; link < work->fabric->ports.count; link++) {
        enum fabric_trained trained = fabric_trained(work->fabric, peers, link);

        if (trained == FABRIC_TRAINED_LIKE_PEERS || schedule->gaps[link] == FABRIC_NO_FLOW)
            continue;
        slow += trained == FABRIC_TRAINED_SLOW;
        *ret_unlike += trained == FABRIC_TRAINED_UNLIKE;
        cli_print("%s: %s: it runs at %g Gb/s, %zu of %zu links like it at %g\n",
                  trained == FABRIC_TRAINED_SLOW ? "below its peers" : "unlike its peers",
                  fabric_link_name(work->fabric, link), work->fabric->ports.items[link].gbits,
                  peers[link]->full, peers[link]->links, peers[link]->gbits);
    }
    return slow;
}

/* differing: ways on which flows were not where the tables say; then no link is named for them. */
static void tell_slow(const struct links_work *work, const struct fabric_suspects *suspects, size_t flows,
                      size_t differing)
{
    if (suspects->measured == 0) {
        cli_print("flows: none of %zu has a figure: nothing was measured\n", flows);
        return;
    }
    cli_print(
        "flows: %zu of %zu measured, their median is %.1f%% of the rate; %zu are slow, below %.0f%% of that\n",
        suspects->measured, flows, 100 * suspects->typical, suspects->slow, 100 * FABRIC_SLOW);
    if (!is_fast(suspects))
        cli_print(
            "slow alike: the median itself is below %.0f%% of the rate, and no flow is a measure for the others\n",
            100 * FABRIC_SLOW);
    for (size_t i = 0; i < suspects->items.count && differing == 0; i++)
        tell_suspect(work, &suspects->items.items[i]);
    if (differing > 0)
        cli_print(
            "other ways: on %zu ways of links counters show less than half of what the flows report: routes "
            "adapt, or a figure is wrong, and no link is named for a slow flow\n",
            differing);
    if (suspects->unexplained > 0 && differing == 0)
        cli_print(
            "not explained: %zu flows are slow over links that carried other flows fast: run them again\n",
            suspects->unexplained);
}

/* What was found, in numbers. */
struct found {
    size_t named, trained, erring;                             /* bad links */
    size_t unmeasured, untold, unlike, differing, unexplained; /* why others are not known to be good */
};

static int status_of(const struct found *found, bool enough)
{
    if (found->named + found->trained + found->erring > 0)
        return EXIT_REJECT;
    return found->unmeasured + found->untold + found->unlike + found->differing + found->unexplained > 0 ||
                   !enough
               ? EXIT_INCOMPLETE
               : EXIT_ACCEPT;
}

int links_seconds(const struct links_work *work, double *ret_seconds)
{
    *ret_seconds = 0;
    if (work->options->counters.count == 0 ||
        (work->options->seconds != NULL && scan_double(slice_of(work->options->seconds), ret_seconds) &&
         *ret_seconds > 0))
        return 0;
    return error_set(work->err, ERROR_USAGE,
                     "--counters goes with --seconds S, for which each round was under load");
}

static int show_judgement(const struct links_work *work, const struct fabric_schedule *schedule)
{
    struct fabric_measured measured;
    struct fabric_suspects suspects;
    struct fabric_proven proven = {0};
    struct found found = {0};
    struct slice text;
    double seconds = 0;

    if (links_seconds(work, &seconds) < 0 ||
        links_load(work->arena, work->options->flows, &text, work->err) < 0 ||
        fabric_read_flows(work->arena, work->fabric, work->options->flows, text, &measured, work->err) < 0 ||
        (seconds > 0 && load_counters(work, &measured, seconds, schedule, &proven, &found.differing) < 0))
        return -1;
    fabric_suspect_slow(work->arena, work->fabric, measured.flows.items, measured.flows.count, FABRIC_SLOW,
                        &suspects);
    tell_slow(work, &suspects, measured.flows.count, found.differing);
    found.trained = tell_rates(work, schedule, &found.unlike);
    if (seconds > 0)
        found.erring = links_tell_proof(work, &proven, schedule, &found.untold);
    else
        cli_print(
            "proven: nothing, without --counters: ways are those of the tables only, and nobody knows whether "
            "flows took them\n");
    found.named = found.differing > 0 ? 0 : suspects.items.count;
    found.unmeasured = measured.flows.count - suspects.measured;
    found.unexplained = suspects.unexplained;
    return status_of(&found,
                     is_fast(&suspects) && links_share(proven.covered, proven.links) >= FABRIC_ENOUGH);
}

static int show_links(struct links_work *work, const char *links, const char *routes)
{
    const struct fabric_schedule *schedule;

    if (load_fabric(work, links, routes) < 0)
        return -1;
    schedule = fabric_plan(work->arena, work->fabric, &work->question);
    return work->options->flows != NULL ? show_judgement(work, schedule) : show_schedule(work, schedule);
}

int command_links(int argc, char **argv)
{
    struct links_options options = {0};
    const struct option_row rows[] = {
        {"hosts", 0, OPTION_STRING, "LIST", &options.hosts,
         "only the adapters of these: node[1-32]; default: of all"},
        {"rounds", 0, OPTION_COUNT, "N", &options.rounds,
         "at most so many; default: as many as bring something"},
        {"output", 'o', OPTION_STRING, "FILE", &options.output,
         "the flows of each round; - is standard output"},
        OPTION_HEADING(
            "of Ethernet: CABLING is a folder with what lldpctl prints on each node, or a plan as CSV"),
        {"streams", 0, OPTION_COUNT, "N", &options.streams,
         "queue pairs of each flow, each with a UDP source port of its own; default 16, with --spread 1"},
        {"gbits", 0, OPTION_STRING, "H[:S]", &options.gbits,
         "the rate of links of hosts, and of those between switches, Gb/s: LLDP does not tell it"},
        {"switches", 0, OPTION_STRING, "LIST", &options.switches,
         "all switches; default: who bridges or routes by LLDP, or stands second in a line of the plan"},
        {"without", 0, OPTION_STRING, "LIST", &options.without,
         "nodes that do not belong to the fabric: switches of management"},
        OPTION_HEADING("what came of the flows"),
        {"flows", 0, OPTION_STRING, "FILE", &options.flows, "the same file with Gb/s behind each flow"},
        {"counters", 0, OPTION_LIST, "FILE", &options.counters,
         "perfquery -x of all ports: before the first round, and once more after each; or all that assay-probe-links wrote. Of Ethernet: node,port,out_octets,in_octets[,errors]"},
        {"seconds", 0, OPTION_STRING, "S", &options.seconds, "that each round was under load"},
        OPTION_HEADING("where routes are not fixed and there are no files: ECMP, adaptive routing"),
        {"spread", 0, OPTION_STRING, "N:M", &options.spread,
         "what to expect of a leaf with N adapters and M uplinks when all of them send to other leaves"},
        OPTION_END,
    };
    struct error err = {0};
    struct links_work work = {.arena = NULL, .options = &options, .err = &err};
    int first, status;

    if (!cli_options(rows, "links LINKS ROUTES | CABLING", argc, argv, &first, &status))
        return status;
    if (argc - first > 2 || (argc == first) != (options.spread != NULL)) {
        cli_warn(
            "assay: links: expected two files, links (ibdiagnet2.lst) and routes (ibdiagnet2.fdbs, dump_fts); or "
            "the cabling of Ethernet, a folder of what lldpctl prints or a plan as CSV; or --spread and none\n");
        free(options.counters.items);
        return EXIT_USAGE;
    }
    work.arena = arena_create();
    status = options.spread != NULL ? links_show_spread(&options, &err)
             : argc - first == 1    ? links_show_ethernet(&work, argv[first])
                                    : show_links(&work, argv[first], argv[first + 1]);
    if (status < 0)
        status = cli_fail(&err);
    arena_destroy(work.arena);
    free(options.counters.items);
    return status;
}
