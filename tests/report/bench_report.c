/* SPDX-License-Identifier: Apache-2.0 */
/* bench_report FILE [HOSTS]: how long the report of 1,250 hosts (or HOSTS) x 8 GPUs takes to write, in each language, and how long
   it is in English. That goes to FILE. Aims are for 1,250, and in proportion for others. */
#include <stdio.h>
#include <time.h>

#include "assay/base/files.h"
#include "assay/base/scan.h"
#include "assay/report/report.h"
#include "sample_record.h"

enum { TURNS = 5, HOSTS = 1250 };
static const double time_aim_s = 1.0, size_aim_mb = 10.0;

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool print(const char *figure, double value, const char *unit, double aim)
{
    printf("bench report %s value=%.3f unit=%s aim=%g met=%s\n", figure, value, unit, aim,
           value <= aim ? "yes" : "no");
    return value <= aim;
}

/* Of the fastest turn, s. */
static double time_html(const struct record *record, enum report_language language, struct text *out)
{
    double best = 1e9;

    for (int i = 0; i < TURNS; i++) {
        double start = now_s();

        text_reset(out);
        report_format_find("html")->write(record, language, out);
        if (now_s() - start < best)
            best = now_s() - start;
    }
    return best;
}

int main(int argc, char **argv)
{
    struct arena *arena = arena_create();
    uint64_t hosts = HOSTS;
    double times = argc == 3 && scan_u64(slice_of(argv[2]), &hosts) ? (double)hosts / HOSTS : 1;
    const struct record *record = sample_record(
        arena, &(struct sample){.hosts = (unsigned)hosts, .units = (unsigned)hosts / 125, .faults = true});
    struct text out = {0};
    struct error err = {0};
    bool met;

    text_init(&out, (size_t)1 << 30);
    met = print("html_time_zh", time_html(record, LANGUAGE_ZH, &out), "s", time_aim_s * times);
    met &= print("html_time", time_html(record, LANGUAGE_EN, &out), "s", time_aim_s * times);
    met &= print("html_size", (double)out.length / 1e6, "MB", size_aim_mb * times);
    if (argc >= 2 && file_write(argv[1], out.bytes, out.length, 0644, &err) < 0)
        fprintf(stderr, "%s\n", err.text);
    text_release(&out);
    arena_destroy(arena);
    return met ? 0 : 1;
}
