/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-probe-gpu power: all GPUs of all members between idle and full load at the same moments, as a training makes them go whose
 * steps begin everywhere at once. What is found is what only that shows: power supplies and feeds that do not bear the swing, and
 * with them GPUs and hosts that go away or are told to slow down. The hosts begin together by the first one's clock, which each
 * asks for before and after (family/clients.h, src/probe/gpu/power_clock.h).
 *
 * facts    client.works     of each member: "yes", or what stops it
 *          power.gpus       of each member: all at work to the end, or which GPU went away, or that the host did
 *          power.throttle   of each member: "none", or what the hardware slowed GPUs down for
 *          power.held       of each member: "none", or which GPUs were held below their clocks for their voltage's sake, and how long
 *          probe.backend    of each member
 * metrics  power.phase      ms, of each member: how far an edge of its load may have been from its moment, at most: the latest edge,
 *                           what is not known of its clock, and what that moved during the test
 *          power.host_clock MHz, of each member: at work, of the GPU whose clock was lowest; compared with that of the others
 *          power.swing      W, of each member: at work less idle, of the GPU that swung least: one at work does not stand for eight
 *          power.peak       W, of each member: the highest of the sums of its GPUs' highest samples
 *          power.ramp       W/s, of each member
 *          power.sum.on .off   W, of all members together in the wave "0.2 Hz"; power.sum.peak, power.sum.ramp likewise of all waves
 */
#include <math.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

#include "clients.h"
#include "launcher.h"
#include "probe_gpu.h"
#include "rules.h"
#include "script.h"

/* CLOSING_S: the clock once more, and what was found. A probe that hangs ends before the login to it does, so its host is there. */
enum {
    OPENING_S = 30 /* CUDA on eight GPUs, and the ways to multiply */,
    CLOSING_S = 10,
    SETTINGS_BYTES = 16 * 1024
};
/* As assay-probe-gpu has them. */
enum { WAVES_MOST = 8, LASTS_MOST_S = 300 };
#define PAUSE_S 2.0
#define HZ_LEAST 0.05
#define HZ_MOST 3.0

#define PHASE_MOST_MS 10.0
#define SWING_LEAST_W 20.0 /* of a GPU: a tenth of what the smallest of these swings */

/* --- arguments --- */

/* The i-th frequency; 0: there are no more, NAN: it is none. */
static double wave(const struct check_context *context, size_t i)
{
    struct slice rest = slice_of(check_text(context, "hz"));
    double hz;

    for (;; i--) {
        const size_t comma = slice_find(rest, ",");
        const struct slice word = {rest.bytes, comma != (size_t)-1 ? comma : rest.length};

        if (word.length == 0 && comma == (size_t)-1)
            return 0;
        if (i == 0)
            return scan_double(word, &hz) && hz >= HZ_LEAST && hz <= HZ_MOST ? hz : NAN;
        rest = slice_from(rest, word.length + (comma != (size_t)-1));
    }
}

static const char *wave_subject(struct arena *arena, double hz)
{
    return arena_printf(arena, "%g Hz", hz);
}

/* What the probe makes of it. */
static double lasts_s(const struct check_context *context, double seconds, double ramp_s)
{
    double all = ramp_s, hz;

    for (size_t i = 0; (hz = wave(context, i)) > 0; i++)
        all += ceil(seconds * hz) / hz + PAUSE_S;
    return all;
}

static int waves_valid(const struct check_context *context, struct error *err)
{
    size_t count = 0;

    while (wave(context, count) > 0)
        count++;
    if (count == 0 || count > WAVES_MOST || isnan(wave(context, count)))
        return json_error(err, json_get(context->step->arguments, "hz"),
                          "hz: '%s'; expected 1 to %d frequencies of %g to %g Hz with commas between them",
                          check_text(context, "hz"), WAVES_MOST, HZ_LEAST, HZ_MOST);
    return 0;
}

/* Whoever has not asked the facility has nobody to name. */
static int agreed_valid(const struct check_context *context, struct error *err)
{
    const char *agreed = check_text(context, "agreed");

    if (agreed != NULL && slice_trim(slice_of(agreed)).length > 0)
        return 0;
    return json_error(err, agreed != NULL ? json_get(context->step->arguments, "agreed") : context->step->at,
                      "gpu-power swings what the whole site draws; expected \"agreed\": who of the facility "
                      "agreed to that, and when, in the step's arguments");
}

static int arguments_valid(const struct check_context *context, struct error *err)
{
    if (agreed_valid(context, err) < 0 || waves_valid(context, err) < 0)
        return -1;
    if (lasts_s(context, check_number(context, "seconds"), check_number(context, "ramp")) > LASTS_MOST_S)
        return json_error(err, context->step->at,
                          "gpu-power: \"hz\", \"seconds\" and \"ramp\" make it last for more than %d s",
                          LASTS_MOST_S);
    return probe_gpu_valid(context, err);
}

/* --- the command --- */

/* Shorter by the lab's speed, as the probe is told. */
static struct clients_work work_of(const struct check_context *context)
{
    return (struct clients_work){
        .title = "assay-probe-gpu power on all hosts at once",
        .opening_s = OPENING_S,
        .slot_s = lasts_s(context, probe_gpu_seconds(context, "seconds"), probe_gpu_seconds(context, "ramp")),
        .turns = 1,
        .ask = script_power_ask,
        .script = script_power_client};
}

static void command(const struct check_context *context, struct text *out)
{
    struct clients_work work = work_of(context);
    cleanup_text struct text settings = {0};

    text_init(&settings, SETTINGS_BYTES);
    script_set(&settings, "hz", check_text(context, "hz"));
    script_set_number(&settings, "seconds", probe_gpu_seconds(context, "seconds"), 0);
    script_set_number(&settings, "ramp", probe_gpu_seconds(context, "ramp"), 0);
    script_set_number(&settings, "deadline_s", ceil(clients_work_s(context, &work)) + CLOSING_S, 0);
    script_set(&settings, "backend", check_text(context, "backend"));
    script_tool(context, &settings, "probe_gpu", "assay-probe-gpu");
    work.settings = settings.bytes;
    clients_put(context, &work, out);
}

/* --- what is required --- */

static const struct limit phase_rules[] =
    RULES(.metric = "power.phase", .rule = RULE_CEILING, .value = PHASE_MOST_MS, .unit = "ms",
          .status = LIMIT_TOOL, .source = "assay: at the same moment; a thirtieth of the shortest period",
          .inconclusive = true);

static const struct limit swing_rules[] =
    RULES(.metric = "power.swing", .rule = RULE_FLOOR, .value = SWING_LEAST_W, .unit = "W",
          .status = LIMIT_TOOL, .source = "assay: what draws no more at work than idle has shown nothing",
          .inconclusive = true);

static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    double hz;

    for (size_t i = 0; (hz = wave(context, i)) > 0; i++) {
        const char *subject = wave_subject(context->arena, hz);

        slot_add(context, slots, "power.sum.on", subject, NULL, DUTY_RECORD, NULL);
        slot_add(context, slots, "power.sum.off", subject, NULL, DUTY_RECORD, NULL);
    }
}

/* --- what the hosts said --- */

enum { PROBE_BYTES = 1 << 20 };

struct host_power {
    struct text said;  /* the probe's lines */
    const char *ended; /* its exit status; NULL: the host has not said so */
    const char *left;  /* the login's, and what was said */
    struct reading probe;
};

struct power {
    struct clients clients;
    struct host_power *hosts;
};

static void take_fact(void *state, size_t member, const struct fact *fact)
{
    const struct power *power = state;
    struct host_power *host = &power->hosts[member];

    if (strcmp(fact->name, "client.power") == 0)
        text_printf(&host->said, "%s\n", fact->value);
    else if (strcmp(fact->name, "client.ended") == 0)
        host->ended = fact->value;
    else if (strcmp(fact->name, "client.left") == 0)
        host->left = fact->value;
}

static void take_nothing(void *state, size_t member, const struct finding *finding)
{
    (void)state;
    (void)member;
    (void)finding;
}

static double number(const struct host_power *host, const char *metric, const char *subject)
{
    const struct measurement *measurement = reading_get(&host->probe, metric, subject);

    return measurement != NULL ? measurement->value : NAN;
}

/* The facts and findings of GPUs that went away, one after the other; NULL: none did. */
static const struct reason *lost(const struct host_power *host, struct arena *arena)
{
    const struct reason *all = NULL;

    for (size_t i = 0; i < host->probe.findings.count; i++) {
        const struct finding *finding = &host->probe.findings.items[i];

        if (strcmp(finding->code, "power.lost") == 0)
            all = reason_also(arena, all, reason(arena, about, finding->subject, finding->what));
    }
    return all;
}

/* That were at work to the end. */
static unsigned gpus_told(const struct host_power *host, struct arena *arena, unsigned gpus)
{
    unsigned told = 0;

    for (unsigned gpu = 0; gpu < gpus; gpu++)
        told += reading_get_fact(&host->probe, "power.state", arena_printf(arena, "gpu%u", gpu)) != NULL;
    return told;
}

/* Of who has come to the end without a fault. */
static void tell_all_at_work(const struct power *power, size_t member, unsigned gpus)
{
    struct reading *out = power->clients.out;
    const char *name = power->clients.list[member].name;
    const unsigned told = gpus_told(&power->hosts[member], out->arena, gpus);

    if (told == gpus)
        reading_fact_said(out, "power.gpus", name, REASON(power_all_at_work));
    else
        reading_unread(power->clients.out, "power.gpus", name,
                       reason(out->arena, power_gpus_fewer, told, gpus));
}

static void tell_gpus(const struct power *power, size_t member, unsigned gpus)
{
    struct reading *out = power->clients.out;
    const struct client *client = &power->clients.list[member];
    const struct host_power *host = &power->hosts[member];
    const bool began = reading_get(&host->probe, "power.uncertain", "before") != NULL;
    const struct reason *gone = lost(host, out->arena);
    const char *left = host->left != NULL ? host->left : "?";
    /* A login that ends well with nothing said of the probe is a host that is there. */
    const bool is_there = host->ended != NULL || clients_number(left, 0) == 0;

    if (gone != NULL)
        reading_fact_said(out, "power.gpus", client->name, gone);
    else if (began && !is_there)
        reading_fact_said(out, "power.gpus", client->name, reason(out->arena, power_host_went_away, left));
    else if (host->probe.status == READING_COMPLETE)
        tell_all_at_work(power, member, gpus);
    else if (began)
        reading_unread(power->clients.out, "power.gpus", client->name,
                       reason(out->arena, power_probe_broke_off, host->ended != NULL ? host->ended : "?"));
    else if (host->probe.reason != NULL)
        reading_unread(power->clients.out, "power.gpus", client->name,
                       reason(out->arena, power_host_did_not_begin, host->probe.reason));
}

/* "gpu0, gpu3": those that were slowed down for it; NULL: none. */
static const char *slowed_for(const struct host_power *host, struct arena *arena, const char *why,
                              unsigned gpus)
{
    const char *all = NULL;

    for (unsigned gpu = 0; gpu < gpus; gpu++) {
        const char *subject = arena_printf(arena, "gpu%u", gpu);
        const char *text = reading_get_fact(&host->probe, "power.reasons", subject);

        if (text != NULL && strstr(text, why) != NULL)
            all = all == NULL ? subject : arena_printf(arena, "%s, %s", all, subject);
    }
    return all;
}

static bool reasons_told(const struct host_power *host, struct arena *arena, unsigned gpus)
{
    for (unsigned gpu = 0; gpu < gpus; gpu++)
        if (reading_get_fact(&host->probe, "power.reasons", arena_printf(arena, "gpu%u", gpu)) == NULL)
            return false;
    return host->probe.status == READING_COMPLETE;
}

/* Only what the hardware does; what software does to keep a limit is what it is for. */
static void tell_throttle(const struct power *power, size_t member, unsigned gpus)
{
    static const char *const hard[] = {"hw_power_brake_slowdown", "hw_thermal_slowdown", "hw_slowdown"};
    struct reading *out = power->clients.out;
    const struct host_power *host = &power->hosts[member];
    const char *name = power->clients.list[member].name, *slowed;
    const struct reason *all = NULL;

    for (size_t i = 0; i < ARRAY_SIZE(hard); i++)
        if ((slowed = slowed_for(host, out->arena, hard[i], gpus)) != NULL)
            all = reason_also(out->arena, all, reason(out->arena, about, hard[i], slowed));
    if (all != NULL)
        reading_fact_said(out, "power.throttle", name, all);
    else if (reasons_told(host, out->arena, gpus))
        reading_fact(out, "power.throttle", name, slice_of("none"));
    else
        reading_unread(power->clients.out, "power.throttle", name, REASON(power_not_told));
}

/* Less is a rounding of the counters. */
#define HELD_LEAST_MS 1.0

/* NULL: it was not, or nobody counts it. */
static const struct reason *gpu_held(const struct host_power *host, struct arena *arena, const char *subject)
{
    const double reliability = number(host, "power.held.reliability", subject),
                 board = number(host, "power.held.board", subject);

    if (!(reliability >= HELD_LEAST_MS) && !(board >= HELD_LEAST_MS))
        return NULL;
    return reason(arena, about, subject,
                  reason(arena, power_gpu_held, arena_printf(arena, "%.0f", reliability),
                         arena_printf(arena, "%.0f", board)));
}

/* What nobody has published how much of is healthy: a remark, and no verdict. */
static void tell_held(const struct power *power, size_t member, unsigned gpus)
{
    struct reading *out = power->clients.out;
    const struct host_power *host = &power->hosts[member];
    const char *name = power->clients.list[member].name;
    const struct reason *all = NULL;
    bool known = true;

    for (unsigned gpu = 0; gpu < gpus; gpu++) {
        const char *subject = arena_printf(out->arena, "gpu%u", gpu);
        const struct reason *held = gpu_held(host, out->arena, subject);

        known = known && !isnan(number(host, "power.held.reliability", subject));
        if (held != NULL)
            all = reason_also(out->arena, all, held);
    }
    if (all != NULL) {
        reading_fact_said(out, "power.held", name, all);
        reading_finding(out, SEVERITY_WARNING, "power.held", name, all);
    } else if (known) {
        reading_fact(out, "power.held", name, slice_of("none"));
    }
}

/* NAN where one is not known. */
static double lowest_clock(const struct host_power *host, struct arena *arena, unsigned gpus)
{
    double least = INFINITY;

    for (unsigned gpu = 0; gpu < gpus; gpu++) {
        const double clock = number(host, "power.clock", arena_printf(arena, "gpu%u", gpu));

        if (isnan(clock))
            return NAN;
        least = fmin(least, clock);
    }
    return gpus > 0 ? least : NAN;
}

/* The latest edge of its GPUs. */
static double latest(const struct host_power *host, struct arena *arena, unsigned gpus)
{
    double most = 0;

    for (unsigned gpu = 0; gpu < gpus; gpu++) {
        const double late = number(host, "power.edge", arena_printf(arena, "gpu%u", gpu));

        if (isnan(late))
            return NAN;
        most = fmax(most, late);
    }
    return most;
}

/* In hundredths. NAN where it has not come to the end of it, for then not all is known. */
static double phase(const struct host_power *host, struct arena *arena, unsigned gpus)
{
    const double before = number(host, "power.uncertain", "before"),
                 after = number(host, "power.uncertain", "after");

    if (host->probe.status != READING_COMPLETE || isnan(before) || isnan(after))
        return NAN;
    return ceil(100 *
                (latest(host, arena, gpus) + number(host, "power.moved", "after") + fmax(before, after))) /
           100;
}

/* NAN where that of a wave or of the ramp is not known: it may have been the highest. */
static double peak(const struct power *power, const struct host_power *host)
{
    struct arena *arena = power->clients.out->arena;
    double most = number(host, "power.peak", "ramp"), hz;

    for (size_t i = 0; !isnan(most) && (hz = wave(power->clients.context, i)) > 0; i++) {
        const double one = number(host, "power.peak", wave_subject(arena, hz));

        most = isnan(one) ? NAN : fmax(most, one);
    }
    return most;
}

/* NAN where one is not known. */
static double swing(const struct host_power *host, struct arena *arena, unsigned gpus)
{
    double least = INFINITY;

    for (unsigned gpu = 0; gpu < gpus; gpu++) {
        const char *subject = arena_printf(arena, "gpu%u", gpu);
        const double swings = number(host, "power.on", subject) - number(host, "power.off", subject);

        if (isnan(swings))
            return NAN;
        least = fmin(least, swings);
    }
    return gpus > 0 ? least : NAN;
}

static void tell_number(const struct power *power, const char *metric, const char *subject, double value,
                        const char *unit)
{
    if (!isnan(value))
        reading_measure(power->clients.out, metric, subject, value, unit);
}

static void tell_host(const struct power *power, size_t member)
{
    const char *name = power->clients.list[member].name;
    const struct host_power *host = &power->hosts[member];
    const unsigned gpus = power->clients.context->platform->gpu_count;
    struct reading *out = power->clients.out;
    const char *backend = reading_get_fact(&host->probe, "probe.backend", "");

    tell_gpus(power, member, gpus);
    if (backend != NULL)
        reading_fact(out, "probe.backend", name, slice_of(backend));
    tell_throttle(power, member, gpus);
    tell_held(power, member, gpus);
    tell_number(power, "power.host_clock", name, lowest_clock(host, out->arena, gpus), "MHz");
    tell_number(power, "power.phase", name, phase(host, out->arena, gpus), "ms");
    tell_number(power, "power.swing", name, swing(host, out->arena, gpus), "W");
    tell_number(power, "power.peak", name, peak(power, host), "W");
    tell_number(power, "power.ramp", name, number(host, "power.ramp", ""), "W/s");
}

/* --- all of them together --- */

static void tell_sum(const struct power *power, const char *metric, const char *subject, const char *of_host,
                     const char *unit)
{
    double sum = 0;

    for (size_t i = 0; i < power->clients.count; i++)
        sum += strcmp(of_host, "power.peak") == 0 ? peak(power, &power->hosts[i])
                                                  : number(&power->hosts[i], of_host, subject);
    if (isnan(sum))
        reading_unread(power->clients.out, metric, subject, REASON(power_not_of_all_hosts));
    else
        reading_measure(power->clients.out, metric, subject, sum, unit);
}

static void tell_sums(const struct power *power)
{
    double hz;

    for (size_t i = 0; (hz = wave(power->clients.context, i)) > 0; i++) {
        const char *subject = wave_subject(power->clients.out->arena, hz);

        tell_sum(power, "power.sum.on", subject, "power.on", "W");
        tell_sum(power, "power.sum.off", subject, "power.off", "W");
    }
    tell_sum(power, "power.sum.peak", "", "power.peak", "W");
    tell_sum(power, "power.sum.ramp", "", "power.ramp", "W/s");
}

static void read_hosts(struct power *power, const struct attempt *attempt)
{
    struct arena *arena = power->clients.out->arena;

    for (size_t i = 0; i < power->clients.count; i++)
        text_init(&power->hosts[i].said, PROBE_BYTES);
    clients_read_rows(&power->clients, attempt, take_fact, take_nothing, power);
    for (size_t i = 0; i < power->clients.count; i++) {
        struct host_power *host = &power->hosts[i];

        parser_run(parser_find("assay-probe-gpu"), slice_of(arena_strdup(arena, host->said.bytes)), arena,
                   &host->probe);
        text_release(&host->said);
    }
}

static void read_power(const struct check_context *context, const struct attempt *attempt,
                       struct reading *out)
{
    struct power power = {0};

    if (!clients_init(&power.clients, context, attempt, out))
        return;
    power.hosts = arena_array(out->arena, struct host_power, power.clients.count);
    read_hosts(&power, attempt);
    clients_tell(&power.clients);
    for (size_t i = 0; i < power.clients.count; i++)
        tell_host(&power, i);
    tell_sums(&power);
}

static double turns_s(const struct check_context *context)
{
    const struct clients_work work = work_of(context);

    return clients_work_s(context, &work);
}

static unsigned expected_s(const struct check_context *context)
{
    const struct clients_work work = work_of(context);

    return clients_expected_s(context, &work);
}

const struct check check_gpu_power = {
    .name = "gpu-power",
    .title = "Power swings of all GPUs at once",
    .summary =
        "assay-probe-gpu: GPUs of all hosts between idle and full load at the same moments: who goes away, who is slowed down",
    .warning = REASON(power_warns_site),
    .on = ON_GPUS,
    .concerns = OF_GPU,
    .scopes = SCOPE_HOSTS,
    .exclusive = EXCLUSIVE_FABRIC,
    .window = true,
    .loads = LOAD_GPUS,
    .arguments = ARGUMENTS(
        {"agreed", ARGUMENT_TEXT, NULL, "who of the facility agreed to it, and when; required"},
        {"hz", ARGUMENT_TEXT, "0.2,0.5,1,2,3", "frequencies of the waves, with commas between them"},
        {"seconds", ARGUMENT_COUNT, "10", "how long each wave lasts", MORE_IS_MORE},
        {"ramp", ARGUMENT_COUNT, "30", "seconds of the ramp behind them", ANY_IS_OTHER},
        PROBE_GPU_BACKEND_ROW),
    .arguments_valid = arguments_valid,
    .parts = PARTS({"clients", "key-value", command, NULL}),
    .items = ITEMS(
        {"client.works", PER_MEMBER, NULL, DUTY_GATE,
         LIMITS RULES_EQUAL("client.works", "yes", "assay: a host that is not at work swings nothing",
                            .inconclusive = true)},
        {"power.gpus", PER_MEMBER, NULL, DUTY_GATE,
         LIMITS RULES_EQUAL("power.gpus", "all at work to the end", "assay-probe-gpu: CUDA and NVML")},
        {"power.throttle", PER_MEMBER, NULL, DUTY_GATE,
         LIMITS RULES_EQUAL("power.throttle", "none", "NVML: nvmlClocksEventReasons, those of the hardware")},
        {"power.phase", PER_MEMBER, NULL, DUTY_GATE, phase_rules},
        {"power.swing", PER_MEMBER, NULL, DUTY_GATE, swing_rules},
        {"probe.backend", PER_MEMBER, NULL, DUTY_GATE, PROBE_GPU_ON_CUDA},
        {"power.host_clock", PER_MEMBER, NULL, DUTY_RECORD, NULL},
        {"power.held", PER_MEMBER, NULL, DUTY_RECORD, NULL},
        {"power.peak", PER_MEMBER, NULL, DUTY_RECORD, NULL},
        {"power.ramp", PER_MEMBER, NULL, DUTY_RECORD, NULL},
        {"power.sum.peak", PER_TARGET, NULL, DUTY_RECORD, NULL},
        {"power.sum.ramp", PER_TARGET, NULL, DUTY_RECORD, NULL}),
    .more_slots = more_slots,
    .remedies = REMEDIES(
        {"client.works", REASON(see_probe_gpu_starts)}, {"power.gpus", REASON(look_at_power_supply)},
        {"power.throttle", REASON(look_at_power_brake)}, {"power.host_clock", REASON(look_at_low_clock)},
        {"power.phase", REASON(see_why_out_of_phase)}, {"power.swing", REASON(see_why_nothing_swings)},
        {"sound", REASON(see_streams_of_clients)}),
    .expected = expected_s,
    .turns_s = turns_s,
    .read = read_power,
    .hosts_file = launcher_hosts_file,
};
