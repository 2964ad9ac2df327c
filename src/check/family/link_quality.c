/* SPDX-License-Identifier: Apache-2.0 */
#include "link_quality.h"

#include <string.h>

#include "assay/reasons/check.h"

/*
 * NVIDIA, InfiniBand Cluster Bring-up Procedure, link quality: after correction 1e-11 is an error and 5e-12 a warning where
 * the correction is of low latency with retransmission (the default of cables below 100 m), 1e-14 and 5e-15 with the
 * standard one; of symbols 1e-14 and 5e-15 with both. Ethernet: IEEE 802.3 expects 1e-12 or better after RS-FEC.
 * The one of low latency is "LL" or "Low" to mlxlink, and to ibdiagnet "LL" or its code, RS(271,257).
 */
static const struct link_quality qualities[] = {
    {"IB-", "LL", "phy.ber.effective", "phy.errors.effective", 5e-12, 1e-11},
    {"IB-", "Low", "phy.ber.effective", "phy.errors.effective", 5e-12, 1e-11},
    {"IB-", "RS_271_257", "phy.ber.effective", "phy.errors.effective", 5e-12, 1e-11},
    {"IB-", NULL, "phy.ber.effective", "phy.errors.effective", 5e-15, 1e-14},
    {NULL, NULL, "phy.ber.effective", "phy.errors.effective", 1e-12, 1e-12},
    {"IB-", NULL, "phy.ber.symbol", "phy.errors.symbol", 5e-15, 1e-14},
};

static bool has_word(const char *text, const char *word)
{
    return word == NULL || (text != NULL && strstr(text, word) != NULL);
}

const struct link_quality *link_quality_of(const char *speed, const char *fec, const char *rate)
{
    for (size_t i = 0; i < ARRAY_SIZE(qualities); i++)
        if (strcmp(qualities[i].rate, rate) == 0 && has_word(speed, qualities[i].speed) &&
            has_word(fec, qualities[i].fec))
            return &qualities[i];
    return NULL;
}

double link_quality_errors(const struct link_quality *quality, double bits_s)
{
    return quality->error * bits_s * LINK_QUALITY_LEAST_S;
}

const struct reason *link_quality_above(struct arena *arena, const struct link_quality *quality, double rate,
                                        double bound)
{
    const char *told = arena_printf(arena, "%.3g", rate);

    return strcmp(quality->rate, "phy.ber.symbol") == 0
               ? reason(arena, symbol_error_rate_high, told, bound)
               : reason(arena, effective_error_rate_high, told, bound);
}

struct limit link_quality_limit(const struct reason *what)
{
    const char *rate = reason_is(what, symbol_error_rate_high)      ? "phy.ber.symbol"
                       : reason_is(what, effective_error_rate_high) ? "phy.ber.effective"
                                                                    : NULL;
    const char *text = rate != NULL ? reason_argument_text(what, 2) : NULL;
    double bound;

    return text != NULL && scan_double(slice_of(text), &bound) ? (struct limit){.metric = rate,
                                                                                .rule = RULE_CEILING,
                                                                                .value = bound,
                                                                                .unit = "",
                                                                                .status = LIMIT_VENDOR,
                                                                                .source = LINK_QUALITY_SOURCE}
                                                               : (struct limit){.metric = NULL};
}
