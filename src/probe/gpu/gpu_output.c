/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What comes out, a line of JSON each, written at once and whole:
 *
 *   {"assay_probe_gpu": 1, "test": "sdc", ..}   the head: what is tested, and how many GPUs and units will be told of
 *   {"unit": "fma32", "digest": ..}             each unit: what the right answers were, the same on every like host
 *   {"gpu": 0, ..}                              each GPU: who it is, how many of its SMs were reached, how many were wrong
 *   {"wrong_gpu": 0, "sm": 17, ..}              each SM and unit that answered wrong
 *   {"end": "ok"}                               how it ended. Without this line the output is cut
 *
 * 64 bits do not fit into a JSON number: digests and masks are texts, "0x...".
 */
#include <inttypes.h>
#include <stdio.h>

#include "assay/arena.h"
#include "assay/json.h"
#include "gpu.h"

enum { LINE_MOST = 1 << 20 };

struct line {
    struct text text;
    struct json_writer writer;
};

static void line_begin(struct line *line)
{
    text_init(&line->text, LINE_MOST);
    json_writer_init(&line->writer, &line->text, true);
    json_open_object(&line->writer);
}

static void line_end(struct line *line)
{
    json_close_object(&line->writer);
    text_put(&line->text, "\n");
    fwrite(line->text.bytes, 1, line->text.length, stdout);
    fflush(stdout);
    text_release(&line->text);
}

static void put_number(struct line *line, const char *key, double value)
{
    json_key(&line->writer, key);
    json_put_number(&line->writer, value);
}

static void put_known(struct line *line, const char *key, const char *value)
{
    if (*value != '\0')
        json_member(&line->writer, key, value);
}

static void put_hex(struct line *line, const char *key, uint64_t value, int digits)
{
    char text[24];

    (void)snprintf(text, sizeof text, "0x%0*" PRIx64, digits, value);
    json_member(&line->writer, key, text);
}

void gpu_output_head(const struct gpu_probe *probe)
{
    struct line line;
    unsigned units = 0;

    for (unsigned unit = 0; unit < WORK_UNITS; unit++)
        units += probe->options.units[unit];
    line_begin(&line);
    put_number(&line, "assay_probe_gpu", 1);
    json_member(&line.writer, "test", "sdc");
    json_member(&line.writer, "program", "assay-probe-gpu " ASSAY_VERSION);
    json_member(&line.writer, "backend", probe->backend->name);
    put_known(&line, "architecture", probe->architecture);
    put_known(&line, "driver", probe->driver);
    put_known(&line, "cuda", probe->runtime);
    put_number(&line, "gpus", probe->device_count);
    put_number(&line, "units", units);
    put_number(&line, "seeds", SDC_SEEDS);
    put_number(&line, "depth", probe->options.depth);
    json_key(&line.writer, "injected");
    json_put_boolean(&line.writer, probe->options.injection.any);
    line_end(&line);
}

static void put_unit(const struct sdc *sdc, enum work_unit unit)
{
    struct line line;
    bool whole = true;

    for (unsigned seed = 0; seed < SDC_SEEDS; seed++)
        whole &= sdc->references[unit][seed].set;
    line_begin(&line);
    json_member(&line.writer, "unit", work_names[unit]);
    put_number(&line, "rounds", (double)sdc->unit_rounds[unit]);
    json_key(&line.writer, "known");
    json_put_boolean(&line.writer, sdc->probe->backend->is_known(unit));
    /* Of inputs that never came nothing can be compared. */
    if (whole)
        put_hex(&line, "digest", sdc_unit_digest(sdc, unit), 16);
    line_end(&line);
}

static void put_gpu(const struct sdc *sdc, unsigned gpu)
{
    const struct gpu_device *device = &sdc->probe->devices[gpu];
    unsigned wrong = 0;
    struct line line;

    for (unsigned sm = 0; sm < GPU_SMS_MOST && sdc->error_count > 0; sm++) {
        bool is_wrong = false;

        for (size_t i = 0; i < sdc->error_count; i++)
            is_wrong |= sdc->errors[i].gpu == gpu && sdc->errors[i].sm == sm;
        wrong += is_wrong;
    }
    line_begin(&line);
    put_number(&line, "gpu", gpu);
    json_member(&line.writer, "name", device->name);
    put_known(&line, "uuid", device->uuid);
    put_known(&line, "serial", device->serial);
    put_known(&line, "bus", device->bus);
    put_number(&line, "sms", device->sms);
    put_number(&line, "sms_reached", sdc_reached(sdc, gpu));
    put_number(&line, "sms_wrong", wrong);
    line_end(&line);
}

static void put_error(const struct sdc_error *error)
{
    struct line line;

    line_begin(&line);
    put_number(&line, "wrong_gpu", error->gpu);
    put_number(&line, "sm", error->sm);
    json_member(&line.writer, "unit", work_names[error->unit]);
    put_number(&line, "first_round", (double)error->first_round);
    put_number(&line, "rounds", (double)error->rounds);
    put_number(&line, "lane", error->word / WORK_LANE_WORDS);
    put_hex(&line, "got", error->got, 8);
    put_hex(&line, "expected", error->expected, 8);
    put_hex(&line, "bits", error->bits, 8);
    line_end(&line);
}

void gpu_output_sdc(const struct sdc *sdc)
{
    for (unsigned unit = 0; unit < WORK_UNITS; unit++)
        if (sdc->probe->options.units[unit])
            put_unit(sdc, (enum work_unit)unit);
    for (unsigned gpu = 0; gpu < sdc->probe->device_count; gpu++)
        put_gpu(sdc, gpu);
    for (size_t i = 0; i < sdc->error_count; i++)
        put_error(&sdc->errors[i]);
}

void gpu_output_end(const char *how, const char *reason, uint64_t rounds, double seconds)
{
    struct line line;

    line_begin(&line);
    json_member(&line.writer, "end", how);
    put_known(&line, "reason", reason);
    put_number(&line, "rounds", (double)rounds);
    put_number(&line, "seconds", (double)(long)(seconds * 1000) / 1000);
    line_end(&line);
}
