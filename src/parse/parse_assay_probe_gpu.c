/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our own probe of GPUs, assay-probe-gpu: lines of JSON. What the tests' own rows mean is in probe_gpu_TEST.c; here is what
 * all of them share (probe_gpu.h). The head says how many rows and GPUs will come, and the end that all was done.
 *
 * facts    probe.program .backend .architecture .cuda .driver .test   PREFIX.uuid (gpu0)
 *          probe.hosts, where several did the test together: then a GPU is "node1/gpu0"
 */
#include "probe_gpu.h"

#include <math.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "loose_json.h"
#include "probe_lines.h"

static const struct probe_gpu_test *const tests[] = {&probe_gpu_sdc,      &probe_gpu_memory,
                                                     &probe_gpu_compute,  &probe_gpu_links,
                                                     &probe_gpu_training, &probe_gpu_power};

bool probe_gpu_number(struct probe_gpu *probe, const struct json *line, const char *key, double most,
                      double *ret_number)
{
    double number;

    if (!loose_number(line, key, &number) || !(number >= 0 && number <= most)) {
        probe->damage = reason(probe->frame.reading->arena, number_cannot_be_true, key);
        return false;
    }
    *ret_number = number;
    return true;
}

void probe_gpu_measure(struct probe_gpu *probe, const struct json *line, const struct probe_gpu_metric *rows,
                       const char *subject)
{
    static const double most = 1e12; /* of any unit: tokens/s of a large cluster are 1e8 */
    double value;

    if (json_get(line, rows->key) == NULL)
        return;
    for (; rows->key != NULL; rows++)
        if (probe_gpu_number(probe, line, rows->key, most, &value))
            reading_measure(probe->frame.reading, rows->name, subject,
                            value / (rows->per > 0 ? rows->per : 1), rows->unit);
}

bool probe_gpu_count(struct probe_gpu *probe, const struct json *line, const char *key, double most,
                     double *ret_number)
{
    if (!probe_gpu_number(probe, line, key, most, ret_number))
        return false;
    if (*ret_number == floor(*ret_number))
        return true;
    probe->damage = reason(probe->frame.reading->arena, number_cannot_be_true, key);
    return false;
}

const char *probe_gpu_one_of(struct probe_gpu *probe, const struct json *line, const char *key,
                             const char *const *names)
{
    const char *text = json_string(line, key, "");

    for (; *names != NULL; names++)
        if (strcmp(*names, text) == 0)
            return *names;
    probe->damage = REASON(other_probe_version_or_test);
    return NULL;
}

/* Lines of a host mostly follow each other. false: there are more than were announced. */
static bool find_host(struct probe_gpu *probe, const char *name)
{
    if (probe->hosts_told > 0 && strcmp(probe->host_names[probe->host], name) == 0)
        return true;
    for (probe->host = 0; probe->host < probe->hosts_told; probe->host++)
        if (strcmp(probe->host_names[probe->host], name) == 0)
            return true;
    if (probe->hosts_told >= probe->hosts) {
        probe->host = 0;
        return false;
    }
    probe->host_names[probe->hosts_told++] = name;
    return true;
}

const char *probe_gpu_subject(struct probe_gpu *probe, const struct json *line, const char *key,
                              unsigned *ret_place)
{
    const char *host = json_string(line, "host", NULL);
    struct probe_gpu_place *place;
    double gpu;

    if (!probe_gpu_count(probe, line, key, PROBE_GPUS_MOST - 1, &gpu))
        return NULL;
    if (gpu >= probe->gpus || (host != NULL) != (probe->hosts > 1) ||
        (host != NULL && !find_host(probe, host))) {
        probe->damage = REASON(gpu_not_expected);
        return NULL;
    }
    *ret_place = probe->host * (unsigned)probe->gpus + (unsigned)gpu;
    place = &probe->places[*ret_place];
    if (place->subject == NULL)
        place->subject = arena_printf(probe->frame.reading->arena, "%s%sgpu%.0f", host != NULL ? host : "",
                                      host != NULL ? "/" : "", gpu);
    return place->subject;
}

void probe_gpu_wrong(struct probe_gpu *probe, unsigned place, const struct reason *brief, const char *code,
                     const struct reason *what)
{
    probe->wrong_lines++;
    if (probe->places[place].wrong++ == 0)
        probe->places[place].first = brief;
    reading_finding(probe->frame.reading, SEVERITY_FAULT, code, probe->places[place].subject, what);
}

static size_t place_count(const struct probe_gpu *probe)
{
    return probe->places != NULL ? (size_t)(probe->hosts * probe->gpus) : 0;
}

void probe_gpu_tell_wrong(struct probe_gpu *probe, const char *fact, const struct reason *right)
{
    struct reading *reading = probe->frame.reading;

    /* Where no answer has the majority, nobody knows whose is right. */
    for (size_t i = 0; i < place_count(probe) && !probe->disagreed; i++) {
        const struct probe_gpu_place *place = &probe->places[i];
        const struct reason *said = place->first;

        if (!place->seen)
            continue;
        if (place->wrong > 1)
            said = reason(reading->arena, and_more, said, place->wrong - 1);
        reading_fact_said(reading, fact, place->subject, said != NULL ? said : right);
    }
}

static const struct probe_gpu_test *find_test(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        if (strcmp(tests[i]->name, name) == 0)
            return tests[i];
    return NULL;
}

/* How many GPUs on how many hosts, one where nothing is said of them, and a place for each. */
static bool take_places(struct probe_gpu *probe, const struct json *head)
{
    struct reading *reading = probe->frame.reading;
    double hosts = 1, gpus;

    if (!probe_gpu_count(probe, head, "gpus", PROBE_GPUS_MOST, &gpus) ||
        (json_get(head, "hosts") != NULL && !probe_gpu_count(probe, head, "hosts", PROBE_HOSTS_MOST, &hosts)))
        return false;
    if (hosts < 1) {
        probe->damage = reason(reading->arena, number_cannot_be_true, "hosts");
        return false;
    }
    probe->hosts = hosts;
    probe->gpus = gpus;
    probe->places = arena_array(reading->arena, struct probe_gpu_place, (size_t)(hosts * gpus));
    probe->host_names = arena_array(reading->arena, const char *, (size_t)hosts);
    if (hosts > 1)
        reading_fact(reading, "probe.hosts", "", slice_of(arena_printf(reading->arena, "%.0f", hosts)));
    return true;
}

static void take_head(struct probe_gpu *probe, const struct json *head)
{
    static const char *const facts[] = {"program", "backend", "architecture", "cuda",
                                        "driver",  "test",    "library"};
    const struct probe_gpu_test *test = find_test(json_string(head, "test", ""));
    struct reading *reading = probe->frame.reading;
    double version;

    /* What came first decides how many there are: nothing of another is taken. */
    if (probe->began) {
        probe->damage = REASON(more_than_one_run);
        return;
    }
    probe->began = true;
    if (!probe_gpu_count(probe, head, "assay_probe_gpu", 1e9, &version) || !take_places(probe, head))
        return;
    if (version != 1 || test == NULL) {
        probe->damage = REASON(other_probe_version_or_test);
        return;
    }
    if (!probe_gpu_count(probe, head, test->announced, PROBE_ROWS_MOST, &probe->rows))
        return;
    probe->test = test;
    for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
        if (json_string(head, facts[i], NULL) != NULL)
            reading_fact(reading, arena_printf(reading->arena, "probe.%s", facts[i]), "",
                         slice_of(json_string(head, facts[i], "")));
    if (test->head != NULL)
        test->head(probe, head);
    if (json_boolean(head, "injected", false))
        reading_finding(reading, SEVERITY_WARNING, arena_printf(reading->arena, "%s.injected", test->prefix),
                        "", REASON(answers_wrong_on_purpose));
}

static void take_gpu(struct probe_gpu *probe, const struct json *line)
{
    struct reading *reading = probe->frame.reading;
    static const char *const known[] = {"uuid", "serial"};
    const char *subject;
    unsigned place;

    subject = probe_gpu_subject(probe, line, "gpu", &place);
    if (subject == NULL)
        return;
    if (probe->places[place].seen) {
        probe->damage = REASON(gpu_not_expected);
        return;
    }
    probe->places[place].seen = true;
    probe->gpus_seen++;
    if (probe->test->gpu != NULL)
        probe->test->gpu(probe, line, place, subject);
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        if (json_string(line, known[i], NULL) != NULL)
            reading_fact(reading, arena_printf(reading->arena, "%s.%s", probe->test->prefix, known[i]),
                         subject, slice_of(json_string(line, known[i], "")));
}

static void take_end(struct probe_gpu *probe, const struct json *line)
{
    const char *how = json_string(line, "end", ""), *reason = json_string(line, "reason", NULL);

    probe->ended = true;
    probe->ended_wrong = strcmp(how, "wrong") == 0;
    probe->disagreed = probe->ended_wrong && reason != NULL;
    if (probe->disagreed)
        reading_finding(probe->frame.reading, SEVERITY_FAULT,
                        arena_printf(probe->frame.reading->arena, "%s.disagree",
                                     probe->test != NULL ? probe->test->prefix : "probe"),
                        "", reason(probe->frame.reading->arena, text, reason));
    else if (strcmp(how, "stopped") == 0)
        reading_lacks(probe->frame.reading,
                      reason(probe->frame.reading->arena, text, reason != NULL ? reason : how));
    else if (!probe->ended_wrong && strcmp(how, "ok") != 0 && strcmp(how, "incomplete") != 0)
        frame_fail(&probe->frame, slice_of(reason != NULL ? reason : how));
}

static const struct probe_gpu_kind common[] = {
    {"assay_probe_gpu", take_head}, {"gpu", take_gpu}, {"end", take_end}, {0}};

static const struct probe_gpu_kind *find_kind(const struct probe_gpu_kind *kinds, struct slice line)
{
    for (; kinds->key != NULL; kinds++)
        if (probe_line_has(line, kinds->key))
            return kinds;
    return NULL;
}

/* By its first key. Of a test whose head is not there any that has such rows. */
static const struct probe_gpu_kind *kind_of(const struct probe_gpu *probe, struct slice line)
{
    const struct probe_gpu_kind *kind = find_kind(common, line);

    if (kind == NULL && probe->test != NULL)
        return find_kind(probe->test->kinds, line);
    for (size_t i = 0; kind == NULL && i < ARRAY_SIZE(tests); i++)
        kind = find_kind(tests[i]->kinds, line);
    return kind;
}

static void take_line(struct probe_gpu *probe, struct slice text, const struct probe_gpu_kind *kind)
{
    const struct json *line = probe_line_read(probe->frame.reading, text, probe->ended, &probe->damage);

    probe->seen = true;
    if (line == NULL)
        return;
    if (kind->take == take_head || kind->take == take_end || probe->test != NULL)
        kind->take(probe, line);
    else if (!probe->began)
        probe->damage = REASON(beginning_missing);
}

static void read_line(void *state, struct slice line)
{
    const struct probe_gpu_kind *kind = kind_of(state, line);

    if (kind != NULL)
        take_line(state, line, kind);
}

static void end(void *state)
{
    struct probe_gpu *probe = state;
    struct reading *reading = probe->frame.reading;

    /* Of what is cut nobody knows whether more was wrong. */
    if (probe->ended && probe->test != NULL && probe->test->tell != NULL)
        probe->test->tell(probe);
    probe_lines_end(reading, probe->seen, probe->ended, probe->damage, REASON(no_probe_gpu_output));
    if (probe->test == NULL || probe->gpus_seen != place_count(probe) || probe->rows_seen != probe->rows)
        reading_lacks(reading, reason(reading->arena, gpus_or_rows_missing, probe->gpus_seen,
                                      arena_printf(reading->arena, "%.0f", probe->hosts * probe->gpus),
                                      probe->rows_seen, arena_printf(reading->arena, "%.0f", probe->rows)));
    if ((probe->wrong_told > 0) != (probe->wrong_lines > 0) ||
        (probe->wrong_lines > 0 && !probe->ended_wrong))
        reading_lacks(reading, REASON(end_and_gpus_differ));
}

const struct parser parse_assay_probe_gpu = {
    .name = "assay-probe-gpu",
    .version = 1,
    .summary = "assay-probe-gpu: what GPUs answer, how fast they compute, and what their memory keeps",
    .metrics = METRICS(
        {"sdc.sms_wrong", "", BETTER_LOWER, "SMs of the GPU that gave a wrong answer"},
        {"sdc.sms_unreached", "", BETTER_LOWER, "SMs of the GPU that no work ran on"},
        {"sdc.rounds", "", BETTER_NEITHER, "rounds that were compared"},
        {"gpu_memory.wrong_words", "", BETTER_LOWER,
         "64-bit words of the GPU's memory that did not keep what was written"},
        {"gpu_memory.covered", "%", BETTER_HIGHER, "of the GPU's memory that was written and compared"},
        {"gpu_memory.*.compared", "MiB", BETTER_NEITHER,
         "of memory that was compared with the pattern, in all passes"},
        {"gpu_memory.*.best", "GB/s", BETTER_HIGHER, "the same, the fastest window"},
        {"gpu_memory.*.least", "GB/s", BETTER_HIGHER, "the same, the slowest window"},
        {"gpu_memory.*", "GB/s", BETTER_HIGHER, "of the GPU's own memory: copy, read, write, triad", true,
         true},
        {"gpu_links.direct", "", BETTER_HIGHER, "1 where the GPU reaches the other's memory by itself"},
        {"gpu_links.up*", "GB/s", BETTER_HIGHER,
         "copies from the host to the GPU; .together: to all GPUs at once", true},
        {"gpu_links.down*", "GB/s", BETTER_HIGHER,
         "copies from the GPU to the host; .together: from all GPUs at once", true},
        {"gpu_links.one_way", "GB/s", BETTER_HIGHER, "copies from one GPU to another, several pairs at once",
         true},
        {"gpu_links.both_ways", "GB/s", BETTER_HIGHER, "the same to and from it at once, the sum", true},
        {"gpu_links.all_to_one", "GB/s", BETTER_HIGHER,
         "copies from all other GPUs to this one at once, the sum", true},
        {"gpu_links.one_to_all", "GB/s", BETTER_HIGHER, "copies from this GPU to all others in turn, alone",
         true},
        {"gpu_links.all_to_all", "GB/s", BETTER_HIGHER, "the same while all GPUs do", true},
        /* Compared with nobody's until a GPU has run it: who knows how far healthy ones lie apart? */
        {"gpu_links.chase.own", "ns", BETTER_LOWER,
         "until a GPU has a word of its own memory, from the second cache; one read after the other"},
        {"gpu_links.chase", "ns", BETTER_LOWER, "the same of another GPU's memory"},
        {"gpu_compute.*.random.warm", "TFLOP/s", BETTER_HIGHER,
         "products of matrices of that type and size: random numbers, after a warm-up", true, true},
        {"gpu_compute.*.clock", "MHz", BETTER_HIGHER, "of the SMs meanwhile, the mean"},
        {"gpu_compute.*.power", "W", BETTER_NEITHER, "that the GPU drew meanwhile, the mean"},
        {"gpu_compute.*.temperature", "C", BETTER_LOWER, "of the GPU meanwhile, the highest"},
        {"gpu_compute.*", "TFLOP/s", BETTER_HIGHER, "the same: .p1, .least and .best of its windows"},
        {"training.forward", "TFLOP/s", BETTER_HIGHER,
         "of a GPU in steps of a training, until it waits for others: the forward pass and the head's backward",
         true, true},
        {"training.host_forward", "TFLOP/s", BETTER_HIGHER,
         "the same of a host's slowest GPU, in a training over hosts", true, false, true},
        {"training.host_late", "%", BETTER_LOWER, "likewise, as training.late: of its GPU that comes latest"},
        {"training.host_last", "%", BETTER_NEITHER, "of exchanges to which one of its GPUs came last"},
        {"training.forward.*", "TFLOP/s", BETTER_HIGHER, "the same: .p1, .least and .best of the steps"},
        {"training.late", "%", BETTER_LOWER, "of a step: how long after the first GPU it comes to exchanges"},
        {"training.last", "%", BETTER_NEITHER, "of exchanges to which the GPU came last"},
        {"training.tflops", "TFLOP/s", BETTER_HIGHER,
         "of each GPU in steps of a training, exchanges included: operations of the model", true},
        {"training.tflops.*", "TFLOP/s", BETTER_HIGHER, "the same: .p1, .least and .best of the steps"},
        {"training.mfu", "%", BETTER_HIGHER, "of the part's dense peak in bf16 by its datasheet"},
        {"training.tokens", "tokens/s", BETTER_HIGHER, "of all GPUs together"},
        {"training.step*", "s", BETTER_LOWER, "a step; .p99 and .worst: the slow ones"},
        {"training.spread", "%", BETTER_LOWER, "between the slowest and the fastest step"},
        {"training.loss.*", "", BETTER_NEITHER, "of the first and of the last step"},
        {"power.edge*", "ms", BETTER_LOWER,
         "of a GPU between idle and load: how far its latest edge was from the moment planned; .p99: of 99 in a hundred"},
        {"power.uncertain", "ms", BETTER_LOWER, "how well the host's clock is known beside the first host's"},
        {"power.moved", "ms", BETTER_LOWER, "how far the one moved against the other during the test"},
        {"power.clock*", "MHz", BETTER_HIGHER, "of the SMs at work, the mean; .least: the lowest sample"},
        {"power.held.*", "ms", BETTER_LOWER,
         "that the driver held a GPU below its clocks: .reliability for its voltage's sake, .board for a limit of its board; .base: below its base clock"},
        {"power.temperature", "C", BETTER_LOWER, "of the GPU, the highest"},
        {"power.on", "W", BETTER_NEITHER, "at work: of a GPU, or of all of a host in one wave"},
        {"power.off", "W", BETTER_NEITHER, "idle between, likewise"},
        {"power.peak", "W", BETTER_NEITHER,
         "the highest sample, likewise; of a host those of its GPUs added up"},
        {"power.ramp", "W/s", BETTER_NEITHER, "of all GPUs of a host from idle to full load"}),
    .grammar = GRAMMAR(.state_bytes = sizeof(struct probe_gpu), .line = read_line, .end = end),
};
