/* SPDX-License-Identifier: Apache-2.0 */
/* `assay links` of Ethernet: what to expect of a hash, and what counters prove. Touches no host. */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "assay/base/files.h"
#include "assay/fabric/ecmp.h"
#include "links.h"

enum { STREAMS = 16, STREAMS_LEAST = 4 };

/* --- what is read --- */

/* Reads the files of a folder in the order of their names, hidden ones left out. */
typedef int (*reader)(struct links_work *work, void *context, const char *path, const char *name,
                      struct slice text);

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int read_entries(struct links_work *work, const char *folder, struct dirent **entries, int count,
                        reader read, void *context)
{
    for (int i = 0; i < count; i++) {
        const char *path = arena_printf(work->arena, "%s/%s", folder, entries[i]->d_name);
        struct slice text;

        if (links_load(work->arena, path, &text, work->err) < 0 ||
            read(work, context, path, entries[i]->d_name, text) < 0)
            return -1;
    }
    return 0;
}

static int read_folder(struct links_work *work, const char *folder, reader read, void *context)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_shown, versionsort), result;

    if (count <= 0) {
        free(entries);
        return error_set(work->err, ERROR_USAGE, "%s: no file is in the folder", folder);
    }
    result = read_entries(work, folder, entries, count, read, context);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return result;
}

static bool is_folder(const char *path)
{
    struct stat found;

    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

/* "leaf1.dc1.json" is of leaf1.dc1. */
static const char *node_of_file(struct arena *arena, const char *name)
{
    static const char *const endings[] = {".json", ".keyvalue", ".txt", ".out", ".lldp", ".ethtool"};
    size_t length = strlen(name);

    for (size_t i = 0; i < ARRAY_SIZE(endings); i++)
        if (slice_ends(slice_of(name), endings[i]) && length > strlen(endings[i]))
            return arena_strndup(arena, name, length - strlen(endings[i]));
    return name;
}

static int read_neighbours(struct links_work *work, void *context, const char *path, const char *name,
                           struct slice text)
{
    struct fabric_cabling *cabling = context;

    return fabric_cabling_read_lldp(cabling, path, node_of_file(work->arena, name), text, work->err);
}

static int read_cabling(struct links_work *work, struct fabric_cabling *cabling, const char *path)
{
    struct slice text;

    if (is_folder(path))
        return read_folder(work, path, read_neighbours, cabling);
    return links_load(work->arena, path, &text, work->err) < 0
               ? -1
               : fabric_cabling_read_plan(cabling, path, text, work->err);
}

static int expand(const struct links_work *work, const char *list, struct fabric_names *ret_names)
{
    struct hostlist names = {0};

    if (list != NULL && hostlist_expand(work->arena, list, &names, work->err) < 0)
        return -1;
    *ret_names = (struct fabric_names){names.names.items, names.names.count};
    return 0;
}

/* "400", "400:800" */
static int read_rates(const struct links_work *work, struct fabric_cabling_options *options)
{
    const char *word = work->options->gbits;
    struct slice hosts, switches;

    if (word == NULL)
        return 0;
    if (!slice_part(slice_of(word), ":", &hosts, &switches))
        hosts = switches = slice_of(word);
    if (scan_double(hosts, &options->host_gbits) && scan_double(switches, &options->switch_gbits) &&
        options->host_gbits > 0 && options->switch_gbits > 0)
        return 0;
    return error_set(work->err, ERROR_USAGE,
                     "--gbits: found '%s'; expected HOSTS[:SWITCHES] in Gb/s, such as 400 or 400:800", word);
}

static void tell_remarks(const struct links_work *work, const struct fabric_remarks *remarks)
{
    list_each (remark, remarks->items)
        if (links_may_tell(work))
            cli_print("remark: %s\n", *remark);
}

static int load_cabling(struct links_work *work, struct fabric_cabling *cabling, const char *path)
{
    struct fabric_cabling_options options = {.host_gbits = 0};
    struct fabric_remarks remarks;

    work->fabric = fabric_new(work->arena);
    if (expand(work, work->options->switches, &options.switches) < 0 ||
        expand(work, work->options->hosts, &options.hosts) < 0 ||
        expand(work, work->options->without, &options.without) < 0 || read_rates(work, &options) < 0 ||
        read_cabling(work, cabling, path) < 0 ||
        fabric_cabling_build(cabling, &options, work->fabric, &remarks, work->err) < 0 ||
        fabric_take_part(work->arena, work->fabric, options.hosts.items, options.hosts.count, &work->question,
                         work->err) < 0)
        return -1;
    tell_remarks(work, &remarks);
    work->left_out = remarks.left_out;
    work->question.rounds_most = work->options->rounds;
    return 0;
}

/* --- what to expect --- */

static void tell_fabric(const struct links_work *work)
{
    const struct fabric_ecmp *ecmp = fabric_ecmp_new(work->arena, work->fabric, &work->question);
    size_t flat = fabric_ecmp_level_links(ecmp);

    cli_print("fabric: %zu ports of hosts that take part, on %zu leaves; %u levels of switches\n",
              work->question.count, fabric_ecmp_leaves(ecmp), fabric_ecmp_levels(ecmp));
    if (flat > 0)
        cli_print(
            "remark: %zu links join two switches of one level, which a tree has not: links between a pair of leaves, "
            "or a host that was taken for a switch, or a switch for a host\n",
            flat);
}

static unsigned streams_of(const struct links_work *work)
{
    return work->options->streams > 0 ? work->options->streams : STREAMS;
}

static double expected_of(const struct fabric_ecmp_plan *plan)
{
    size_t rounds = plan->schedule->ends.count;

    return rounds > 0 ? plan->expected[rounds - 1] : 0;
}

static void tell_expected(const struct links_work *work, const struct fabric_ecmp_plan *plan)
{
    cli_print("links: %zu; %zu rounds, %zu flows of %u streams each\n", plan->schedule->links,
              plan->schedule->ends.count, plan->schedule->flows.count, streams_of(work));
    cli_print(
        "expected, not proven: %.2f%% of the links carry half of their rate both ways in one of the rounds, where the "
        "hash of each switch takes all ways of equal cost alike and each stream of each round has a UDP source port of its "
        "own\n",
        100 * expected_of(plan));
    for (size_t i = 0; i < plan->schedule->ends.count; i++)
        cli_print("    after round %zu: %.2f%%\n", i + 1, 100 * plan->expected[i]);
    links_tell_gaps(work, plan->schedule);
}

static int show_plan(const struct links_work *work, const struct fabric_ecmp_plan *plan)
{
    const char *before =
        arena_printf(work->arena, "# each flow as %u streams, in each round with other UDP source ports\n",
                     streams_of(work));

    if (links_write_flows(work, plan->schedule, before) < 0)
        return -1;
    if (links_may_tell(work)) {
        tell_fabric(work);
        tell_expected(work, plan);
    }
    return expected_of(plan) >= FABRIC_ENOUGH ? EXIT_ACCEPT : EXIT_INCOMPLETE;
}

/* --- what came of it --- */

struct reading_at {
    const struct fabric_cabling *cabling;
    struct fabric_counters *counters;
    int told;
};

static int read_counted(struct links_work *work, void *context, const char *path, const char *name,
                        struct slice text)
{
    struct reading_at *reading = context;
    int told = slice_ends(slice_of(name), ".csv")
                   ? fabric_read_counter_csv(reading->cabling, path, text, reading->counters, work->err)
                   : fabric_read_ethtool(reading->cabling, path, node_of_file(work->arena, name), text,
                                         reading->counters, work->err);

    reading->told += told > 0 ? told : 0;
    return told < 0 ? -1 : 0;
}

/* A file of all ports; or a folder of such (.csv), and of ethtool -S by the names of hosts. */
static int read_reading(struct links_work *work, const struct fabric_cabling *cabling, const char *path,
                        struct fabric_counters *counters)
{
    struct reading_at reading = {cabling, counters, 0};
    struct slice text;

    fabric_no_counters(work->arena, work->fabric, counters);
    if (is_folder(path)) {
        if (read_folder(work, path, read_counted, &reading) < 0)
            return -1;
    } else {
        if (links_load(work->arena, path, &text, work->err) < 0)
            return -1;
        reading.told = fabric_read_counter_csv(cabling, path, text, counters, work->err);
        if (reading.told < 0)
            return -1;
    }
    return reading.told > 0 ? 0
                            : error_set(work->err, ERROR_USAGE,
                                        "%s: none of the ports in it is one of the fabric's", path);
}

/* Returns how many links may be slow: none is named where many are, and all that are not proven may where none is compared. */
static size_t tell_siblings(const struct links_work *work, const struct fabric_proven *proven, size_t rounds)
{
    const struct fabric_ecmp *ecmp = fabric_ecmp_new(work->arena, work->fabric, &work->question);
    double *carried = arena_array(work->arena, double, work->fabric->ports.count);
    struct fabric_siblings siblings;

    if (rounds < FABRIC_ROUNDS_LEAST || fabric_ecmp_leaves(ecmp) < FABRIC_LEAVES_LEAST) {
        cli_print("siblings: not compared: that takes %d rounds and %d leaves\n", FABRIC_ROUNDS_LEAST,
                  FABRIC_LEAVES_LEAST);
        return proven->links - proven->covered;
    }
    for (size_t way = 0; way < work->fabric->ports.count; way++)
        carried[way] = isnan(proven->most[way]) ? NAN : proven->bits[way];
    fabric_compare_siblings(work->arena, ecmp, carried, proven->ways, &siblings);
    cli_print("siblings: %zu links between switches were compared with those beside them\n",
              siblings.compared);
    if (siblings.uneven)
        cli_print(
            "uneven: %zu links carried far less than their siblings, too many for faults: a hash does not take all "
            "ways alike, and no link is named for it\n",
            siblings.items.count);
    for (size_t i = 0; i < siblings.items.count && !siblings.uneven; i++)
        cli_print(
            "slow beside its siblings: %s: it carried %.1f%% and %.1f%% of what they did, less than an even "
            "hash explains\n",
            fabric_link_name(work->fabric, siblings.items.items[i].link), 100 * siblings.items.items[i].up,
            100 * siblings.items.items[i].down);
    return siblings.items.count;
}

static int judge_counters(struct links_work *work, const struct fabric_cabling *cabling,
                          const struct fabric_ecmp_plan *plan, double seconds, size_t rounds_run)
{
    const struct option_list *files = &work->options->counters;
    struct fabric_counters *readings = arena_array(work->arena, struct fabric_counters, files->count);
    struct fabric_proven proven;
    size_t erring, untold, slow;

    if (files->count < 2 || (rounds_run > 0 && files->count != rounds_run + 1))
        return links_refuse_readings(work, files->count, rounds_run > 0 ? rounds_run : files->count);
    for (size_t i = 0; i < files->count; i++)
        if (read_reading(work, cabling, files->items[i], &readings[i]) < 0)
            return -1;
    fabric_prove(work->arena, work->fabric, readings, files->count - 1, seconds, plan->schedule->gaps,
                 &proven);
    erring = links_tell_proof(work, &proven, plan->schedule, &untold);
    slow = tell_siblings(work, &proven, files->count - 1);
    if (erring > 0)
        return EXIT_REJECT;
    return untold + slow + work->left_out > 0 || links_share(proven.covered, proven.links) < FABRIC_ENOUGH
               ? EXIT_INCOMPLETE
               : EXIT_ACCEPT;
}

/* A flow crosses both of its hosts' links, whatever the hash does. */
static void mark_flows(const struct links_work *work, const struct fabric_measured *measured, bool *carried)
{
    const struct fabric_port *ports = work->fabric->ports.items;

    list_each (seen, measured->flows) {
        double gbits = seen->share * fabric_flow_gbits(work->fabric, seen->flow);

        carried[seen->flow.from] |= gbits >= FABRIC_SHARE * ports[seen->flow.from].gbits;
        carried[ports[seen->flow.to].far] |= gbits >= FABRIC_SHARE * ports[seen->flow.to].gbits;
    }
}

static void tell_flows(const struct links_work *work, const struct fabric_measured *measured)
{
    bool *carried = arena_array(work->arena, bool, work->fabric->ports.count);
    const struct fabric_port *ports = work->fabric->ports.items;
    size_t covered = 0;

    mark_flows(work, measured, carried);
    for (size_t i = 0; i < work->question.count; i++)
        covered += carried[work->question.ports[i]] && carried[ports[work->question.ports[i]].far];
    cli_print(
        "measured: by the flows %zu of %zu links of hosts carried half of their rate both ways; which links between "
        "switches a flow crossed nobody knows, and a slow one names none: flows that a hash puts on one link are slow "
        "without a fault\n",
        covered, work->question.count);
    for (size_t i = 0; i < work->question.count; i++) {
        uint32_t port = work->question.ports[i];

        if (!(carried[port] && carried[ports[port].far]))
            cli_print("not measured: %s\n", fabric_link_name(work->fabric, port));
    }
}

static int show_judgement(struct links_work *work, const struct fabric_cabling *cabling,
                          const struct fabric_ecmp_plan *plan)
{
    struct fabric_measured measured = {.flows = {.count = 0}};
    struct slice text;
    double seconds;

    if (links_seconds(work, &seconds) < 0)
        return -1;
    if (work->options->flows != NULL) {
        if (links_load(work->arena, work->options->flows, &text, work->err) < 0 ||
            fabric_read_flows(work->arena, work->fabric, work->options->flows, text, &measured, work->err) <
                0)
            return -1;
        tell_flows(work, &measured);
    }
    if (seconds > 0)
        return judge_counters(work, cabling, plan, seconds, measured.ends.count);
    cli_print("proven: nothing, without --counters\n");
    return EXIT_INCOMPLETE;
}

int links_show_ethernet(struct links_work *work, const char *path)
{
    struct fabric_cabling *cabling = fabric_cabling_new(work->arena);
    const struct fabric_ecmp_plan *plan;

    work->ethernet = true;
    if (work->options->streams != 0 &&
        (work->options->streams < STREAMS_LEAST || work->options->streams > FABRIC_STREAMS_MOST))
        return error_set(
            work->err, ERROR_USAGE,
            "--streams: found %u; expected %d to %d, for what to expect of fewer is not known well enough",
            work->options->streams, STREAMS_LEAST, FABRIC_STREAMS_MOST);
    if (load_cabling(work, cabling, path) < 0)
        return -1;
    plan = fabric_ecmp_plan(work->arena, work->fabric, &work->question, streams_of(work));
    return work->options->flows != NULL || work->options->counters.count > 0
               ? show_judgement(work, cabling, plan)
               : show_plan(work, plan);
}

/* --- without files --- */

enum { MOST_PARTS = 65536 };

/* "32:16": adapters below a leaf, and its uplinks. */
static bool scan_spread(const char *word, uint64_t *ret_adapters, uint64_t *ret_uplinks)
{
    struct slice adapters, uplinks;

    return slice_part(slice_of(word), ":", &adapters, &uplinks) && scan_u64(adapters, ret_adapters) &&
           scan_u64(uplinks, ret_uplinks) && *ret_adapters > 0 && *ret_uplinks > 0 &&
           *ret_adapters <= MOST_PARTS && *ret_uplinks <= MOST_PARTS;
}

/* Rounds with new ports of their own are independent of each other. */
int links_show_spread(const struct links_options *options, struct error *err)
{
    unsigned streams = options->streams > 0 ? options->streams : 1;
    uint64_t adapters, uplinks;
    double chance;

    if (!scan_spread(options->spread, &adapters, &uplinks) || streams > MOST_PARTS)
        return error_set(
            err, ERROR_USAGE,
            "--spread: found '%s' with %u streams; expected ADAPTERS:UPLINKS of a leaf, such as 32:32, "
            "all up to %d",
            options->spread, streams, MOST_PARTS);
    chance = fabric_spread_chance((unsigned)uplinks, (unsigned)adapters, streams, FABRIC_SHARE);
    cli_print(
        "expected, not proven: of %u uplinks that a hash chooses by, %.2f%% carry half of their rate when %u "
        "adapters send %u streams each\n",
        (unsigned)uplinks, 100 * chance, (unsigned)adapters, streams);
    for (unsigned rounds = 2; chance > 0 && rounds <= 8; rounds *= 2)
        cli_print("in one of %u rounds, with other UDP source ports in each: %.2f%%\n", rounds,
                  100 * (1 - pow(1 - chance, rounds)));
    return EXIT_ACCEPT;
}
