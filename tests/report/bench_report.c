/* SPDX-License-Identifier: Apache-2.0 */
/* bench_report FILE [HOSTS]: what the reports of 1,250 hosts (or HOSTS) x 8 GPUs cost: for each form, and the HTML in each
   language, the processor time, the memory beside the record that is reported, and the bytes. Each is written by a process of its
   own. The HTML in English goes to FILE. Aims of time and memory are for 1,250 and 20,000 hosts, in proportion between. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "assay/base/files.h"
#include "assay/base/scan.h"
#include "assay/report/report.h"
#include "sample_record.h"

enum { TURNS = 5, HOSTS = 1250, MANY = 20000 };

/* For HOSTS and for MANY; 0: none. */
static const struct bench {
    const char *name, *format;
    enum report_language language;
    double time_s[2], memory_mb[2], size_mb[2];
} benches[] = {
    {"html", "html", LANGUAGE_EN, {1, 5}, {150, 500}, {10, 20}},
    {"html_zh", "html", LANGUAGE_ZH, {1, 5}, {150, 500}, {10, 20}},
    {"text", "text", LANGUAGE_EN, {0.5, 5}, {100, 500}, {0.1, 1}},
    {"json", "json", LANGUAGE_EN, {0, 0}, {0, 0}, {0, 0}},
    {"csv", "csv", LANGUAGE_EN, {0, 0}, {0, 0}, {0, 0}},
    {"junit", "junit", LANGUAGE_EN, {0, 0}, {0, 0}, {0, 0}},
    {"prometheus", "prometheus", LANGUAGE_EN, {0, 0}, {0, 0}, {0, 0}},
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

static bool count_bytes(void *context, const char *bytes, size_t length)
{
    FILE *file = context;

    return file == NULL || fwrite(bytes, 1, length, file) == length;
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
    return count_bytes(sink->file, bytes, length);
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

int main(int argc, char **argv)
{
    struct arena *arena = arena_create();
    uint64_t hosts = HOSTS;
    const struct record *record;
    if (argc == 3)
        scan_u64(slice_of(argv[2]), &hosts);
    double s = now_s();
    record = sample_record(
        arena, &(struct sample){.hosts = (unsigned)hosts, .units = (unsigned)hosts / 125, .faults = true});
    printf("record %.1f s %.0f MB outcomes %zu attempts %zu\n", now_s() - s, peak_mb(),
           record->judgement.outcome_count, record->attempts.count);
    fflush(stdout);
    for (size_t i = 0; i < ARRAY_SIZE(benches); i++) {
        pid_t pid = fork();
        if (pid == 0) {
            struct cost c = write_once(record, &benches[i], i == 0 ? argv[1] : NULL);
            printf("%s %.2f s %.0f MB mem %.2f MB\n", benches[i].name, c.time_s, c.memory_mb, c.size_mb);
            fflush(stdout);
            _exit(0);
        }
        waitpid(pid, NULL, 0);
    }
    return 0;
}
