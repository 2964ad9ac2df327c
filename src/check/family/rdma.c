/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/reasons/check.h"

#include "rdma.h"

#include <string.h>

#include "rules.h"
#include "script.h"

unsigned rdma_hca_count(const struct check_context *context)
{
    unsigned count = 0;

    while (check_hca(context, count) != NULL)
        count++;
    return count;
}

void rdma_put_run(const struct check_context *context, unsigned first_port, double size,
                  const char *more_flags, struct text *out)
{
    script_set_number(out, "first_port", first_port, 0);
    text_printf(out, "flags='-s %.0f -n %.0f -F%s'\n", size, check_number(context, "iterations"), more_flags);
}

static void add_way(struct arena *arena, struct measurement *measurement, const char *way)
{
    struct at_field *fields = arena_array(arena, struct at_field, measurement->at.count + 1);

    if (measurement->at.count > 0)
        memcpy(fields, measurement->at.items, measurement->at.count * sizeof *fields);
    fields[measurement->at.count] = (struct at_field){.key = "way", .text = way};
    measurement->at.items = fields;
    measurement->at.count++;
}

/* Where the tool tells it: the sum of both directions must not pass for one, nor one for the sum. */
static bool is_otherwise(const struct measurement *measurement, bool bidirectional)
{
    for (size_t i = 0; i < measurement->at.count; i++)
        if (strcmp(measurement->at.items[i].key, "direction") == 0)
            return bidirectional != (strcmp(measurement->at.items[i].text, "bidirectional") == 0);
    return bidirectional;
}

/* The sender names its device. */
static void take_run(const struct check_context *context, const struct reading *run,
                     const struct rdma_names *names, struct reading *out)
{
    const char *device = reading_get_fact(run, "perftest.device", "");
    size_t i = 0;

    if (device == NULL)
        return;
    while (check_hca(context, i) != NULL && strcmp(check_hca(context, i), device) != 0)
        i++;
    for (size_t k = 0; check_hca(context, i) != NULL && k < run->measurements.count; k++) {
        struct measurement *measurement;
        const char *end;

        if (is_otherwise(&run->measurements.items[k], names->bidirectional))
            continue;
        measurement = list_push(out->arena, &out->measurements);
        *measurement = run->measurements.items[k];
        measurement->subject = names->subject(context, i);
        end = strrchr(measurement->metric, '.');
        if (names->metric != NULL && end != NULL && strcmp(end, ".bandwidth") == 0)
            measurement->metric = names->metric;
        if (names->way != NULL)
            add_way(out->arena, measurement, names->way);
    }
}

void rdma_read_part(const struct check_context *context, const struct part *part,
                    const struct rdma_names *names, struct reading *out)
{
    const struct reading *reading = part != NULL ? &part->reading : NULL;

    if (reading == NULL) {
        reading_set(out, READING_PARTIAL, REASON(command_not_ended));
        return;
    }
    if (reading->status < out->status)
        reading_set(out, reading->status, reading->reason);
    list_each (run, reading->runs) {
        if (run->status < out->status)
            reading_set(out, run->status, run->reason);
        take_run(context, run, names, out);
    }
    if (reading->runs.count == 0)
        take_run(context, reading, names, out);
    for (size_t i = 0; i < reading->findings.count; i++)
        *list_push(out->arena, &out->findings) = reading->findings.items[i];
}

/* Of the declared rate, which is there. */
static struct limit share_of_rate(const struct check_context *context, const char *metric, double share,
                                  enum limit_status status, const char *source)
{
    return (struct limit){.metric = metric,
                          .rule = RULE_FLOOR,
                          .value = share * context->platform->hca_gbits,
                          .unit = "Gb/s",
                          .source = source,
                          .status = status};
}

static struct limit least_share(const struct check_context *context, const char *metric, unsigned directions)
{
    return share_of_rate(context, metric, 0.9 * directions, LIMIT_VENDOR,
                         "Mellanox/ngc_multinode_perf common.sh: 90% of the port's rate, twice that in both "
                         "directions");
}

const struct limit *rdma_share_of_rate(const struct check_context *context, const char *metric,
                                       unsigned directions)
{
    if (context->platform->hca_gbits <= 0)
        return NULL;
    return rules_new(context, LIMITS{least_share(context, metric, directions), {0}});
}

const struct limit *rdma_shares_of_path(const struct check_context *context, const char *metric)
{
    if (context->platform->hca_gbits <= 0)
        return NULL;
    return rules_new(
        context,
        LIMITS{least_share(context, metric, 1),
               share_of_rate(context, metric, 0.95, LIMIT_GUESS,
                             "a twentieth below the port's rate, which no healthy port exceeds; limits of "
                             "clouds are 0.95 and 0.96 of it (Azure/azurehpc-health-checks conf, "
                             "oracle-quickstart/oci-hpc healthchecks)"),
               {0}});
}
