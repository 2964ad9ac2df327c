/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test sdc: what it does of the program's options, and its rows.
 *
 *   {"unit": "fma32", "digest": ..}   each unit: what the right answers were, the same on every like host; or why it was not tried
 *   {"gpu": 0, ..}                    each GPU: how many of its SMs were reached, how many were wrong
 *   {"wrong_gpu": 0, "sm": 17, ..}    each SM and unit that answered wrong; of what is copied no SM, and of copies to a peer that
 */
#include <stdio.h>
#include <string.h>

#include "gpu_output.h"
#include "sdc.h"

static void head_sdc(const struct gpu_probe *probe, struct probe_line *line)
{
    unsigned units = 0;

    for (unsigned unit = 0; unit < WORK_UNITS; unit++)
        units += probe->options.units[unit];
    probe_line_number(line, "units", units);
    probe_line_number(line, "seeds", SDC_SEEDS);
    probe_line_number(line, "depth", probe->options.depth);
}

static void put_lacking(const struct sdc *sdc, enum work_unit unit)
{
    struct probe_line line;

    probe_line_begin(&line);
    json_member(&line.writer, "unit", work_names[unit]);
    json_member(&line.writer, "not_tried", sdc->probe->backend->lacks(sdc->probe, unit));
    probe_line_end(&line);
}

static void put_unit(const struct sdc *sdc, enum work_unit unit)
{
    struct probe_line line;
    bool whole = true;

    for (unsigned seed = 0; seed < SDC_SEEDS; seed++)
        whole &= sdc->references[unit][seed].set;
    probe_line_begin(&line);
    json_member(&line.writer, "unit", work_names[unit]);
    probe_line_number(&line, "rounds", (double)sdc->unit_rounds[unit]);
    json_member_boolean(&line.writer, "known", sdc->probe->backend->is_known(unit));
    /* Of inputs that never came nothing can be compared. */
    if (whole)
        line_hex(&line, "digest", sdc_unit_digest(sdc, unit), 16);
    probe_line_end(&line);
}

static void put_gpu(const struct sdc *sdc, unsigned gpu)
{
    unsigned wrong = 0, copies = 0;
    struct probe_line line;

    for (size_t i = 0; i < sdc->error_count; i++)
        copies += sdc->errors[i].gpu == gpu && sdc->errors[i].sm == GPU_NO_SM;
    for (unsigned sm = 0; sm < GPU_SMS_MOST && sdc->error_count > 0; sm++) {
        bool is_wrong = false;

        for (size_t i = 0; i < sdc->error_count; i++)
            is_wrong |= sdc->errors[i].gpu == gpu && sdc->errors[i].sm == sm;
        wrong += is_wrong;
    }
    line_begin_gpu(&line, sdc->probe, gpu);
    probe_line_number(&line, "sms", sdc->probe->devices[gpu].sms);
    probe_line_number(&line, "sms_reached", sdc_reached(sdc, gpu));
    probe_line_number(&line, "sms_wrong", wrong);
    if (copies > 0)
        probe_line_number(&line, "copies_wrong", copies);
    probe_line_end(&line);
}

static void put_error(const struct sdc *sdc, const struct sdc_error *error)
{
    const struct gpu_device *device = &sdc->probe->devices[error->gpu];
    struct probe_line line;

    probe_line_begin(&line);
    probe_line_number(&line, "wrong_gpu", error->gpu);
    line_known(&line, "uuid", device->uuid);
    line_known(&line, "serial", device->serial);
    if (error->sm != GPU_NO_SM)
        probe_line_number(&line, "sm", error->sm);
    if (error->peer != GPU_MOST)
        probe_line_number(&line, "peer", error->peer);
    json_member(&line.writer, "unit", work_names[error->unit]);
    probe_line_number(&line, "first_round", (double)error->first_round);
    probe_line_number(&line, "rounds", (double)error->rounds);
    probe_line_number(&line, "lane", error->word / WORK_LANE_WORDS);
    line_hex(&line, "got", error->got, 8);
    line_hex(&line, "expected", error->expected, 8);
    line_hex(&line, "bits", error->bits, 8);
    probe_line_end(&line);
}

static void output_sdc(const struct sdc *sdc)
{
    for (unsigned unit = 0; unit < WORK_UNITS; unit++)
        if (sdc->units[unit])
            put_unit(sdc, (enum work_unit)unit);
        else if (sdc->probe->options.units[unit])
            put_lacking(sdc, (enum work_unit)unit);
    for (unsigned gpu = 0; gpu < sdc->probe->device_count; gpu++)
        put_gpu(sdc, gpu);
    for (size_t i = 0; i < sdc->error_count; i++)
        put_error(sdc, &sdc->errors[i]);
}

/* How it ended: each SM has to have been reached, or nothing was shown of it. */
static int tell(const struct sdc *sdc, double seconds)
{
    const char *how = "ok", *reason = "";
    char text[160];

    for (unsigned gpu = 0; gpu < sdc->probe->device_count; gpu++)
        if (sdc_reached(sdc, gpu) < sdc->probe->devices[gpu].sms && *reason == '\0') {
            how = "incomplete";
            (void)snprintf(text, sizeof text, "%u of %u SMs of GPU %u were reached by every unit",
                           sdc_reached(sdc, gpu), sdc->probe->devices[gpu].sms, gpu);
            reason = text;
        }
    if (gpu_stop_asked()) {
        how = "stopped";
        reason = "a signal asked for the end";
    }
    if (sdc->disagreed > 0) {
        how = "wrong";
        (void)snprintf(text, sizeof text, "%s: no answer has the majority of the SMs in %llu rounds",
                       work_names[sdc->disagreed_unit], (unsigned long long)sdc->disagreed);
        reason = text;
    }
    if (sdc->error_count > 0)
        how = "wrong";
    gpu_output_end(how, reason, sdc->rounds, seconds);
    return strcmp(how, "ok") == 0 ? GPU_DONE : strcmp(how, "wrong") == 0 ? GPU_WRONG : GPU_BROKEN;
}

static int run_sdc(struct gpu_probe *probe)
{
    struct sdc *sdc = sdc_create(probe);
    double began = gpu_now_s();
    struct error err = {0};
    int status;

    if (sdc == NULL)
        return gpu_refuse(probe, GPU_BROKEN, "no memory");
    gpu_output_head(probe);
    status = sdc_run(sdc, &err);
    gpu_deadline_stop();
    /* What it found before something broke counts too. */
    output_sdc(sdc);
    status = status < 0 ? gpu_refuse(probe, GPU_BROKEN, err.text) : tell(sdc, gpu_now_s() - began);
    sdc_free(sdc);
    return status;
}

const struct gpu_test gpu_test_sdc = {
    .name = "sdc",
    .summary = "Gives every SM of every GPU the same work, and looks whether all give the same\n"
               "  answer: silent data corruption.",
    .head = head_sdc,
    .run = run_sdc,
};
