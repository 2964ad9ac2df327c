/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test training: so many steps, on all GPUs together, of this host or of all hosts (training.h).
 *
 *   head               the model's shape, as far as there is memory for it, and what multiplies and exchanges
 *   {"step": 0, ..}    each step: loss, its bits, digest of loss and gradients, milliseconds
 *   {"training": ..}   after the warm-up: tokens/s of all, TFLOP/s of a GPU over whole steps; a digest of all steps
 *   {"wrong_gpu": ..}  who had another loss or other gradients than most, or got other sums than all had sent
 *   {"gpu": 0, ..}     its own TFLOP/s until the first exchange of a step, for which it waits for nobody; how late it comes
 *
 * Of more hosts than one the lines of GPUs have "host", whose number the GPU has.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_output.h"
#include "training_run.h"

static void head(const struct gpu_probe *probe, struct probe_line *line)
{
    const struct training_run *run = probe->state;
    const struct training_shape *shape = &run->shape;
    const double tokens = (double)shape->batch * shape->sequence;
    char library[GPU_NAME_BYTES] = "", exchange[GPU_NAME_BYTES] = "";

    run->ops->names(probe, library, exchange);
    probe_line_number(line, "rows", run->steps + 1);
    line_known(line, "library", library);
    line_known(line, "exchange", exchange);
    probe_line_number(line, "layers", shape->layers);
    probe_line_number(line, "hidden", shape->hidden);
    probe_line_number(line, "heads", shape->heads);
    probe_line_number(line, "kv_heads", shape->kv_heads);
    probe_line_number(line, "ffn", shape->ffn);
    probe_line_number(line, "vocab", shape->vocab);
    probe_line_number(line, "sequence", shape->sequence);
    probe_line_number(line, "batch", shape->batch);
    probe_line_number(line, "parameters", (double)training_parameters(shape));
    probe_line_number(line, "operations_per_token", training_operations(shape) / tokens);
    json_member(&line->writer, "operations",
                "6 N + 12 L h s for each token, N without the table of tokens (arXiv:2001.08361; "
                "arXiv:2204.02311, appendix B)");
    probe_line_number(line, "seed", (double)probe->options.seed);
    probe_line_number(line, "warmup_steps", TRAINING_WARMUP);
}

static void put_step(const struct training_run *run, unsigned step)
{
    const struct training_step *result;
    struct probe_line line;
    unsigned gpu = 0;
    const bool agreed = training_agreed(run, step, &gpu);
    uint32_t bits;

    result = &run->results[(size_t)step * run->gpus + gpu];
    memcpy(&bits, &result->loss, sizeof bits);
    probe_line_begin(&line);
    probe_line_number(&line, "step", step);
    json_member_number(&line.writer, "loss", (double)result->loss);
    line_hex(&line, "loss_bits", bits, 8);
    if (agreed)
        line_hex(&line, "digest", training_digest(result), 16);
    line_rate(&line, "ms", 1e3 * run->took[step]);
    probe_line_end(&line);
}

/* Of all steps that were asked for; false: some did not come, or nobody knows what is right. */
static bool digest_all(const struct training_run *run, uint64_t *ret_digest)
{
    unsigned gpu;

    *ret_digest = 0;
    for (unsigned step = 0; step < run->done; step++) {
        if (!training_agreed(run, step, &gpu))
            return false;
        *ret_digest = work_mix(*ret_digest ^ training_digest(&run->results[(size_t)step * run->gpus + gpu]));
    }
    return run->done == run->steps;
}

static void put_rates(struct probe_line *line, const struct gpu_summary *rates)
{
    line_rate(line, "tflops", rates->median);
    line_rate(line, "p1", rates->p1);
    line_rate(line, "least", rates->least);
    line_rate(line, "best", rates->best);
    probe_line_number(line, "windows", rates->windows);
}

static int put_whole(const struct training_run *run, struct error *err)
{
    const struct training_shape *shape = &run->shape;
    const double operations = training_operations(shape) / 1e12;
    const double tokens = (double)shape->batch * shape->sequence * run->gpus;
    struct gpu_summary rates;
    struct probe_line line;
    uint64_t digest;

    if (training_rates(run, &rates, err) < 0)
        return -1;
    probe_line_begin(&line);
    json_member(&line.writer, "training", "bf16");
    if (rates.windows > 0) {
        put_rates(&line, &rates);
        line_rate(&line, "tokens_per_s", tokens * rates.median / operations);
        line_rate(&line, "step_ms", 1e3 * operations / rates.median);
        line_rate(&line, "p99_ms", 1e3 * operations / rates.p1);
        line_rate(&line, "worst_ms", 1e3 * operations / rates.least);
        line_rate(&line, "spread_percent", 100 * (rates.best - rates.least) / rates.median);
    }
    if (digest_all(run, &digest))
        line_hex(&line, "digest", digest, 16);
    probe_line_end(&line);
    return 0;
}

static void put_host(const struct training_run *run, unsigned gpu, struct probe_line *line)
{
    if (run->hosts != NULL)
        json_member(&line->writer, "host", run->hosts[gpu / run->probe->device_count]);
}

static void put_gpu(const struct training_run *run, const struct training_verdict *verdict, unsigned gpu,
                    const struct training_pace *pace)
{
    struct probe_line line;

    line_begin_device(&line, &run->devices[gpu], gpu % run->probe->device_count);
    put_host(run, gpu, &line);
    probe_line_number(&line, "steps_wrong", verdict->steps_wrong[gpu]);
    if (pace->forward.windows > 0) {
        put_rates(&line, &pace->forward);
        line_rate(&line, "late_percent", pace->late_percent);
        line_rate(&line, "last_percent", pace->last_percent);
    }
    probe_line_end(&line);
}

static void put_wrong(const struct training_run *run, const struct training_verdict *verdict, unsigned gpu,
                      enum training_wrong what)
{
    static const char *const names[TRAINING_WRONGS] = {"loss", "gradients", "exchange"};
    const struct training_errors *errors = &verdict->errors[gpu][what];
    struct probe_line line;

    if (errors->steps == 0)
        return;
    probe_line_begin(&line);
    probe_line_number(&line, "wrong_gpu", gpu % run->probe->device_count);
    put_host(run, gpu, &line);
    json_member(&line.writer, "what", names[what]);
    probe_line_number(&line, "first_step", errors->first);
    probe_line_number(&line, "steps", errors->steps);
    line_hex(&line, "got", errors->got, 16);
    line_hex(&line, "expected", errors->expected, 16);
    probe_line_end(&line);
}

static int put_all(const struct training_run *run, const struct training_verdict *verdict, struct error *err)
{
    struct training_pace *paces = calloc(run->gpus, sizeof *paces);
    int status;

    for (unsigned step = 0; step < run->done; step++)
        put_step(run, step);
    if (paces == NULL)
        return error_set(err, ERROR_INTERNAL, "no memory");
    status = put_whole(run, err) < 0 || training_paces(run, paces, err) < 0 ? -1 : 0;
    for (unsigned gpu = 0; status == 0 && gpu < run->gpus; gpu++)
        for (unsigned what = 0; what < TRAINING_WRONGS; what++)
            put_wrong(run, verdict, gpu, (enum training_wrong)what);
    for (unsigned gpu = 0; status == 0 && gpu < run->gpus; gpu++)
        put_gpu(run, verdict, gpu, &paces[gpu]);
    free(paces);
    return status;
}

static int end(const struct training_run *run, const struct training_verdict *verdict, double seconds)
{
    char text[120];

    /* Another host may have been asked for the end. */
    if (!verdict->disagreed && !verdict->wrong && run->done < run->steps) {
        gpu_output_end("stopped", "a signal asked for the end", run->done, seconds);
        return GPU_BROKEN;
    }
    if (!verdict->disagreed)
        return gpu_output_done(verdict->wrong, run->done, seconds);
    (void)snprintf(text, sizeof text, "step %u: no loss and gradients have the majority of the GPUs",
                   verdict->disagreed_step);
    gpu_output_end("wrong", text, run->done, seconds);
    return GPU_WRONG;
}

/* What was found before something broke counts too; over several hosts it is lost, for a host that fails ends all. */
static int tell(const struct training_run *run, int status, double began, const struct error *why)
{
    struct training_verdict verdict;
    struct error err = {0};

    if (training_judge(run, &verdict, &err) == 0 && put_all(run, &verdict, &err) == 0 && status == 0)
        status = end(run, &verdict, gpu_now_s() - began);
    else
        status = gpu_refuse(run->probe, GPU_BROKEN, status < 0 ? why->text : err.text);
    training_verdict_free(&verdict);
    return status;
}

static int run_opened(struct training_run *run, struct gpu_probe *probe)
{
    const double began = gpu_now_s();
    struct error err = {0};
    int status;

    if (probe->world.host == 0)
        gpu_output_head(probe);
    status = training_run_steps(run, probe, &err);
    if (status == 0)
        status = training_run_gather(run, &err);
    gpu_deadline_stop();
    if (probe->world.host == 0)
        status = tell(run, status, began, &err);
    else if (status < 0)
        status = gpu_refuse(probe, GPU_BROKEN, err.text);
    /* What others have to say at their end, of NCCL for one, comes after it. */
    (void)world_least(&probe->world, 0);
    return status;
}

static int run_training(struct gpu_probe *probe)
{
    struct training_run *run = calloc(1, sizeof *run);
    struct error err = {0};
    int status;

    if (run == NULL)
        return gpu_refuse(probe, GPU_BROKEN, "no memory");
    probe->state = run;
    status = training_run_open(run, probe, &err) < 0 ? gpu_refuse(probe, GPU_UNFIT, err.text)
                                                     : run_opened(run, probe);
    training_run_close(run);
    probe->state = NULL;
    free(run);
    return status;
}

const struct gpu_test gpu_test_training = {
    .name = "training",
    .summary = "Steps of a transformer with the shapes of Llama 3 8B, as many layers as there is\n"
               "  memory for, on all GPUs together: speed, losses to the last bit, who comes late.",
    .head = head,
    .run = run_training,
};
