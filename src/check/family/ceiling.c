/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/reasons/check.h"

#include "ceiling.h"

#include <math.h>
#include <string.h>

/* NVLS: a little more than was seen, 480 to 483 of 450 GB/s. */
static const double nvls_gain = 0.1;
static const double bits_per_byte = 8;

/* All GPUs of one host: GB/s per GPU and direction; 0: not known. Where nvidia-smi shows a fabric the switches may stand
   in trays of their own. */
static double of_links(const struct check_context *context)
{
    const struct platform *platform = context->platform;

    return platform->nvswitch || platform->fabric_state ? platform->nvlink_ceiling_gbs : 0;
}

/* The share of each of the GPUs that take part in the adapters that they use, in GB/s. */
static double of_adapters(const struct check_context *context, unsigned gpus_per_host)
{
    const struct platform *platform = context->platform;
    double all = platform->hca_gbits / bits_per_byte * platform->hca_count;

    return platform->gpu_count > 0 && gpus_per_host > 0 ? all / platform->gpu_count : 0;
}

/* n GPUs in all, k of one host, b GB/s of adapters for each: what leaves the hosts sets the pace. */
static double ring(double n __attribute__((unused)), double k, double b)
{
    return b * k;
}

/* Of what a GPU sends, (n - k) / (n - 1) leaves its host. */
static double each_to_each(double n, double k, double b)
{
    return b * (n - 1) / (n - k);
}

static const struct formula {
    const char *collective;
    double (*across)(double n, double k, double b); /* NULL: nobody knows a bound */
    bool switches_add;
    unsigned wire_hosts; /* see check_wire_hosts */
    const char *text;
} formulas[] = {
    /* On two hosts trees carry less over the network than is counted. */
    {"all_reduce", ring, true, 3, "rate of a host's adapters"},
    {"all_gather", ring, false, 2, "rate of a host's adapters"},
    {"reduce_scatter", ring, false, 2, "rate of a host's adapters"},
    {"alltoall", each_to_each, false, 2, "rate of a GPU's adapters * (n - 1) / (n - k), n GPUs, k of a host"},
    {"sendrecv", NULL, false, 0, ""},
};

unsigned check_wire_hosts(const char *metric)
{
    const char *collective = strchr(metric, '.');
    size_t length = collective != NULL ? strcspn(++collective, ".") : 0;

    /* Of GPUs that compute beside it, it is not what the fabric carries. */
    if (length == 0 || !slice_ends(slice_of(metric), "busbw") ||
        slice_ends(slice_of(metric), ".loaded.busbw"))
        return 0;
    for (size_t i = 0; i < ARRAY_SIZE(formulas); i++)
        if (strncmp(formulas[i].collective, collective, length) == 0 &&
            formulas[i].collective[length] == '\0')
            return formulas[i].wire_hosts;
    return 0;
}

static const struct limit *plausible(const struct check_context *context, const char *collective,
                                     double value, double most, const char *formula)
{
    struct arena *arena = context->arena;
    const struct reason *origin =
        reason(arena, computed_from_platform, context->platform->name, reason_word(arena, formula));
    struct limit *limits = arena_array(arena, struct limit, 2);

    *limits = (struct limit){
        .metric = arena_printf(arena, "nccl.%s.busbw", collective),
        .rule = RULE_PLAUSIBLE,
        .value = value,
        .tolerance = most / value - 1,
        .unit = "GB/s",
        .source = reason_english(arena, origin),
        .origin = origin,
        .status = LIMIT_TOOL,
        .note = reason(arena, more_than_the_links_carry, "GB/s"),
    };
    return limits;
}

static const struct formula *formula_of(const char *collective)
{
    for (size_t i = 0; i < ARRAY_SIZE(formulas); i++)
        if (strcmp(formulas[i].collective, collective) == 0)
            return &formulas[i];
    return NULL;
}

bool ceiling_in_domain(const struct check_context *context)
{
    /* Without members it is asked for so many hosts: the best case, in one rack. */
    return context->member_count <= context->platform->nvlink_domain_hosts &&
           (context->members == NULL || host_racks(context->members, context->member_count) == 1);
}

struct ceiling ceiling_of_links(const struct check_context *context)
{
    return (struct ceiling){of_links(context), "rate of a GPU's NVLinks"};
}

struct ceiling ceiling_of_adapters(const struct check_context *context, const char *collective,
                                   unsigned gpus_per_host)
{
    const struct formula *formula = formula_of(collective);
    double adapters = of_adapters(context, gpus_per_host);

    if (formula == NULL || formula->across == NULL || adapters <= 0)
        return (struct ceiling){0, ""};
    return (struct ceiling){
        formula->across((double)context->member_count * gpus_per_host, gpus_per_host, adapters),
        formula->text};
}

/*
 * Of racks, all the adapters of a rack carry what the links between its hosts bring them, and the rack with the fewest of the
 * hosts holds up all. Whatever the algorithm, of S bytes that all n GPUs get the (n - g) / n that are not of its own g GPUs
 * come into it once; a sum goes out of it once and comes in once. So with A, the rate of its adapters, busbw is at most
 * A (n - 1) / (n - g), of all_reduce 2 A (n - 1) / n. A ring crosses each border with all of it, and reaches A.
 */
static const struct limit *across_racks(const struct check_context *context, const char *collective,
                                        unsigned gpus_per_host, double inside)
{
    double links = of_links(context), value = links, most = inside;
    double host = of_adapters(context, gpus_per_host) * gpus_per_host;
    double fewest = context->members != NULL ? host_racks_fewest(context->members, context->member_count)
                                             : context->platform->nvlink_domain_hosts;
    double n = (double)context->member_count * gpus_per_host, g = fewest * gpus_per_host;

    if (links <= 0)
        return NULL;
    if (host > 0 && g < n) {
        bool to_each = formula_of(collective)->across == each_to_each,
             sums = formula_of(collective)->switches_add;
        double bound = to_each ? host / gpus_per_host * (n - 1) / (n - g)
                       : sums  ? 2 * fewest * host * (n - 1) / n
                               : fewest * host * (n - 1) / (n - g);

        most = fmin(most, bound);
        value = fmin(fmin(value, to_each ? bound : fewest * host), most);
    }
    return plausible(context, collective, value, most,
                     most < inside ? "rate of the adapters in the rack with the fewest hosts"
                                   : "rate of a GPU's NVLinks");
}

const struct limit *ceiling_of_collective(const struct check_context *context, const char *collective,
                                          unsigned gpus_per_host)
{
    const struct formula *formula = formula_of(collective);
    struct ceiling across = ceiling_of_adapters(context, collective, gpus_per_host);
    double links = of_links(context), value = across.rate, most, inside;

    /* The pattern of a limit may stand for several collectives. */
    if (formula == NULL)
        return NULL;
    inside = links * (formula->switches_add && context->platform->fabric_state ? 1 + nvls_gain : 1);
    if (context->member_count < 2 || ceiling_in_domain(context))
        return links > 0 ? plausible(context, collective, links, inside, "rate of a GPU's NVLinks") : NULL;
    if (value <= 0)
        return NULL;
    if (context->platform->nvlink_domain_hosts > 1 && gpus_per_host > 1)
        return across_racks(context, collective, gpus_per_host, inside);
    most = formula->switches_add ? 2 * value : value;
    /* With several GPUs of a host, what comes for each of them goes over its links within the host too. */
    if (links > 0 && gpus_per_host > 1) {
        value = fmin(value, links);
        most = fmin(most, inside);
    }
    return plausible(context, collective, value, most, formula->text);
}
