/* SPDX-License-Identifier: Apache-2.0 */
/* bench_report FILE [HOSTS]: what the reports of 1,250 hosts (or HOSTS) x 8 GPUs cost: for each form, and the HTML in each
   language, the processor time, the memory beside the record that is reported, and the bytes. Each is written by a process of its
   own. The HTML in English goes to FILE. Up to 1,250 hosts have
   the aims of those, more those of 20,000. */
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "assay/base/files.h"
#include "assay/base/scan.h"
#include "assay/report/report.h"
#include "sample_record.h"

enum { TURNS = 5, HOSTS = 1250, MANY = 20000 };

/* Aims of HOSTS and of MANY; NAN: none. */
static const struct bench {
    const char *name, *format;
    enum report_language language;
    double time_s[2], memory_mb[2], size_mb[2];
} benches[] = {
    {"html", "html", LANGUAGE_EN, {1, 5}, {150, 500}, {10, 10}},
    {"html_zh", "html", LANGUAGE_ZH, {1, 5}, {150, 500}, {10, 10}},
    {"text", "text", LANGUAGE_EN, {1, 5}, {150, 500}, {1, 1}},
    {"json", "json", LANGUAGE_EN, {NAN, NAN}, {NAN, NAN}, {NAN, NAN}},
    {"csv", "csv", LANGUAGE_EN, {NAN, NAN}, {NAN, NAN}, {NAN, NAN}},
    {"junit", "junit", LANGUAGE_EN, {NAN, NAN}, {NAN, NAN}, {NAN, NAN}},
    {"prometheus", "prometheus", LANGUAGE_EN, {NAN, NAN}, {NAN, NAN}, {NAN, NAN}},
};

struct cost {
    double time_s, memory_mb, size_mb;
};

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The most that the process has held so far, MB. */
static double peak_mb(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

struct sink {
    FILE *file;
    double bytes;
};

static bool take(void *context, const char *bytes, size_t length)
{
    struct sink *sink = context;

    sink->bytes += (double)length;
    return sink->file == NULL || fwrite(bytes, 1, length, sink->file) == length;
}

static struct cost write_once(const struct record *record, const struct bench *bench, const char *path)
{
    struct sink sink = {.file = path != NULL ? fopen(path, "w") : NULL};
    struct text out = {0};
    double before = peak_mb(), start = now_s();

    text_init_draining(&out, take, &sink);
    report_format_find(bench->format)->write(record, bench->language, &out);
    text_drain(&out);
    text_release(&out);
    if (sink.file != NULL)
        fclose(sink.file);
    return (struct cost){now_s() - start, peak_mb() - before, sink.bytes / 1e6};
}

static bool print(const char *name, const char *figure, double value, const char *unit, double aim)
{
    bool met = isnan(aim) || value <= aim;

    if (isnan(aim))
        printf("bench report %s_%s value=%.3f unit=%s aim=- met=-\n", name, figure, value, unit);
    else
        printf("bench report %s_%s value=%.3f unit=%s aim=<=%g met=%s\n", name, figure, value, unit, aim,
               met ? "yes" : "no");
    return met;
}

/* In a process of its own: its memory is what it takes beside the record. */
static bool measure(const struct record *record, const struct bench *bench, bool many, const char *path)
{
    pid_t child = fork();
    int status = 1;

    if (child == 0) {
        struct cost cost = write_once(record, bench, path);
        bool met;

        /* The fastest of several turns, where they are short; memory is that of the first. */
        for (int i = 1; i < TURNS && !many; i++)
            cost.time_s = fmin(cost.time_s, write_once(record, bench, NULL).time_s);
        met = print(bench->name, "time", cost.time_s, "s", bench->time_s[many]);

        met &= print(bench->name, "memory", cost.memory_mb, "MB", bench->memory_mb[many]);
        met &= print(bench->name, "size", cost.size_mb, "MB", bench->size_mb[many]);
        fflush(stdout);
        _exit(met ? 0 : 1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int main(int argc, char **argv)
{
    struct arena *arena = arena_create();
    uint64_t hosts = HOSTS;
    const struct record *record;
    bool met = true;

    if (argc == 3 && (!scan_u64(slice_of(argv[2]), &hosts) || hosts < 125 || hosts > MANY))
        return 64;
    record = sample_record(
        arena, &(struct sample){.hosts = (unsigned)hosts, .units = (unsigned)hosts / 125, .faults = true});
    for (size_t i = 0; i < ARRAY_SIZE(benches); i++)
        met &= measure(record, &benches[i], hosts > HOSTS, i == 0 && argc >= 2 ? argv[1] : NULL);
    arena_destroy(arena);
    return met ? 0 : 1;
}
