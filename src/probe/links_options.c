/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "assay/base/options.h"
#include "assay/base/scan.h"
#include "links.h"

static const char usage[] =
    "usage: mpirun ... assay-probe-links --links FILE --routes FILE --flows FILE --counters FILE --hcas LIST [OPTION]...\n"
    "       mpirun ... assay-probe-links --cables FILE --flows FILE --counters FILE --hcas LIST [OPTION]...\n\n"
    "One rank for each adapter of each host. Sends, in rounds of flows that run at once, over every link of the fabric, as\n"
    "`assay links` plans it, and writes down what each flow reached and what the ports counted.\n\n";

static const char more[] =
    "\nExit status: 0 done, 64 wrong usage, 69 the fabric and the ranks do not fit together, 70 MPI failed or a file could\n"
    "not be written, 75 the deadline was over.\n";

/* As the command line has them. */
struct words {
    const char *hcas, *seconds, *size, *streams;
};

enum { ROWS = 18, STREAMS_LEAST = 4 };
static void fill_rows(struct links_options *options, struct words *words, struct option_row *rows)
{
    const struct option_row all[ROWS] = {
        {"links", 0, OPTION_STRING, "FILE", &options->links, "links of the fabric: ibdiagnet2.lst"},
        {"routes", 0, OPTION_STRING, "FILE", &options->routes, "its routes: ibdiagnet2.fdbs, dump_fts"},
        {"flows", 0, OPTION_STRING, "FILE", &options->flows, "written: each flow and its Gb/s"},
        {"counters", 0, OPTION_STRING, "FILE", &options->counters,
         "written: what ports counted before the first round and after each"},
        {"ask", 0, OPTION_STRING, "COMMAND", &options->ask,
         "prints LID PORT SENT RECEIVED ERRORS of each LID PORT on its stdin; without it hosts tell of their own ports"},
        {"hcas", 0, OPTION_STRING, "LIST", &words->hcas, "adapters of each host: mlx5_0,mlx5_1"},
        {"host", 0, OPTION_STRING, "NAME", &options->host,
         "as the fabric calls this host (default: its own name)"},
        {"sys", 0, OPTION_STRING, "FOLDER", &options->sys, "what the kernel tells (default /sys)"},
        {"seconds", 0, OPTION_STRING, "S", &words->seconds, "of each round (default 10)"},
        {"size", 0, OPTION_STRING, "BYTES", &words->size, "of a message (default 1048576)"},
        {"rounds", 0, OPTION_COUNT, "N", &options->rounds_most,
         "at most so many (default: as many as it takes)"},
        {"deadline", 0, OPTION_COUNT, "SECONDS", &options->deadline_s,
         "end it all after so long, and say who waits for whom (default 3600)"},
        OPTION_HEADING("on Ethernet"),
        {"cables", 0, OPTION_STRING, "FILE", &options->cables,
         "in place of links and routes: node,port,node,port,GBITS, hosts' ports as adapters: node1,mlx5_0,leaf1,swp1,400"},
        {"streams", 0, OPTION_STRING, "N", &words->streams, "queue pairs of each flow (default 16)"},
        {"flow", 0, OPTION_STRING, "WORDS", &options->flow,
         "what runs a flow, with its first options (default ib_write_bw)"},
        OPTION_END,
    };

    memcpy(rows, all, sizeof all);
}

static void print_help(const struct option_row *rows)
{
    cleanup_text struct text out = {0};

    text_init(&out, 1 << 16);
    text_put(&out, usage);
    options_help(rows, &out);
    text_put(&out, more);
    fputs(out.bytes, stdout);
}

/* The local-th of "mlx5_0,mlx5_1"; more ranks than adapters begin again, and are refused as twins by rank 0. */
static const char *hca_of(const char *list, unsigned local)
{
    size_t count = 1;
    const char *at = list;

    for (const char *c = list; *c != '\0'; c++)
        count += *c == ',';
    for (size_t skip = local % count; skip > 0; skip--)
        at += strcspn(at, ",") + 1;
    return mem_printf("%.*s", (int)strcspn(at, ","), at);
}

static int read_words(struct links_options *options, const struct words *words, unsigned local,
                      struct error *err)
{
    uint64_t bytes, streams;

    if ((options->cables == NULL) == (options->links == NULL || options->routes == NULL) ||
        options->flows == NULL || options->counters == NULL || words->hcas == NULL || *words->hcas == '\0')
        return error_set(err, ERROR_USAGE,
                         "expected --links and --routes, or --cables; --flows, --counters and --hcas");
    if (!scan_u64(slice_of(words->streams), &streams) || streams < STREAMS_LEAST || streams > UINT16_MAX)
        return error_set(err, ERROR_USAGE, "--streams is '%s'; expected a number from %d to %d",
                         words->streams, STREAMS_LEAST, UINT16_MAX);
    options->streams = (unsigned)streams;
    if (!scan_double(slice_of(words->seconds), &options->seconds) || options->seconds <= 0 ||
        options->seconds > 3600)
        return error_set(err, ERROR_USAGE, "--seconds is '%s'; expected a number above 0, up to 3600",
                         words->seconds);
    if (!scan_u64(slice_of(words->size), &bytes) || bytes == 0 || bytes > 1 << 30)
        return error_set(err, ERROR_USAGE, "--size is '%s'; expected bytes from 1 to 1073741824",
                         words->size);
    options->bytes = bytes;
    options->hca = hca_of(words->hcas, local);
    return 0;
}

int links_options_read(struct links_options *options, int argc, char **argv, unsigned local,
                       struct error *err)
{
    struct words words = {.seconds = "10", .size = "1048576", .streams = "16"};
    struct option_row rows[ROWS];
    bool help = false;
    int first;

    *options = (struct links_options){.deadline_s = 3600, .flow = "ib_write_bw", .sys = "/sys"};
    fill_rows(options, &words, rows);
    first = options_parse(rows, argc, argv, &help, err);
    if (first < 0)
        return -1;
    if (help) {
        print_help(rows);
        return 1;
    }
    if (first < argc)
        return error_set(err, ERROR_USAGE, "'%s' is no option", argv[first]);
    return read_words(options, &words, local, err);
}
