/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "assay/base/arena.h"
#include "gpu_output.h"

void line_rate(struct probe_line *line, const char *key, double value)
{
    char text[32];

    (void)snprintf(text, sizeof text, "%.5g", value);
    probe_line_number(line, key, strtod(text, NULL));
}

void line_known(struct probe_line *line, const char *key, const char *value)
{
    if (*value != '\0')
        json_member(&line->writer, key, value);
}

void line_hex(struct probe_line *line, const char *key, uint64_t value, int digits)
{
    char text[24];

    (void)snprintf(text, sizeof text, "0x%0*" PRIx64, digits, value);
    json_member(&line->writer, key, text);
}

void gpu_output_head(const struct gpu_probe *probe)
{
    char program[GPU_NAME_BYTES];
    struct probe_line line;

    (void)snprintf(program, sizeof program, "%s %s", world_program, ASSAY_VERSION);
    probe_line_begin(&line);
    probe_line_number(&line, "assay_probe_gpu", 1);
    json_member(&line.writer, "test", probe->options.test->name);
    json_member(&line.writer, "program", program);
    json_member(&line.writer, "backend", probe->backend->name);
    line_known(&line, "architecture", probe->architecture);
    line_known(&line, "driver", probe->driver);
    line_known(&line, "cuda", probe->runtime);
    if (probe->world.hosts > 1)
        probe_line_number(&line, "hosts", probe->world.hosts);
    probe_line_number(&line, "gpus", probe->device_count);
    probe->options.test->head(probe, &line);
    json_member_boolean(&line.writer, "injected", probe->options.injection.any);
    probe_line_end(&line);
}

void line_begin_gpu(struct probe_line *line, const struct gpu_probe *probe, unsigned gpu)
{
    line_begin_device(line, &probe->devices[gpu], gpu);
}

void line_begin_device(struct probe_line *line, const struct gpu_device *device, unsigned gpu)
{
    probe_line_begin(line);
    probe_line_number(line, "gpu", gpu);
    json_member(&line->writer, "name", device->name);
    line_known(line, "uuid", device->uuid);
    line_known(line, "serial", device->serial);
    line_known(line, "bus", device->bus);
}

void gpu_output_end(const char *how, const char *reason, uint64_t rounds, double seconds)
{
    struct probe_line line;

    probe_line_begin(&line);
    json_member(&line.writer, "end", how);
    line_known(&line, "reason", reason);
    probe_line_number(&line, "rounds", (double)rounds);
    probe_line_number(&line, "seconds", (double)(long)(seconds * 1000) / 1000);
    probe_line_end(&line);
}

int gpu_output_done(bool wrong, uint64_t rounds, double seconds)
{
    const bool stopped = gpu_stop_asked();

    gpu_output_end(wrong     ? "wrong"
                   : stopped ? "stopped"
                             : "ok",
                   stopped && !wrong ? "a signal asked for the end" : "", rounds, seconds);
    return wrong ? GPU_WRONG : stopped ? GPU_BROKEN : GPU_DONE;
}

int gpu_refuse(const struct gpu_probe *probe, int status, const char *reason)
{
    enum { PATIENCE_S = 10 };
    char host[WORLD_NAME_BYTES] = "", text[sizeof((struct error *)NULL)->text + sizeof host];

    gpu_deadline_stop();
    if (probe->world.hosts > 1) {
        gpu_deadline_start(PATIENCE_S, false); /* of MPI, which has to end the others */
        (void)gethostname(host, sizeof host - 1);
    }
    (void)snprintf(text, sizeof text, "%s%s%s", host, *host != '\0' ? ": " : "", reason);
    fprintf(stderr, "%s: %s\n", world_program, text);
    gpu_output_end(status == GPU_UNFIT ? "unfit" : "broken", text, 0, 0);
    world_abort(&probe->world, status);
    return status;
}
