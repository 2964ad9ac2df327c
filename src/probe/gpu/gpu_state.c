/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvml.h"

enum { PROCESSES_ROOM = 64 };

struct state {
    char uuid[NVML_TEXT_BYTES], serial[NVML_TEXT_BYTES], bus[NVML_TEXT_BYTES]; /* "": not told */
    bool mig;
    int mode;
    unsigned process; /* the first that is not this one; 0: there is none */
    char process_name[NVML_TEXT_BYTES];
};

struct gpu_states {
    struct nvml nvml;
    char driver[NVML_TEXT_BYTES];
    unsigned count;
    struct state gpus[GPU_MOST];
};

/* The first that is not this one; 0: there is none, or nobody tells. A GPU with more of them than there is room for is no idle one: it
   is asked again. */
static unsigned other_process(const struct nvml *nvml, nvml_device device)
{
    unsigned room = PROCESSES_ROOM, count = room, other = 0;
    struct nvml_process *processes = calloc(room, sizeof *processes);
    int status = NVML_NO_ROOM;

    for (unsigned i = 0; processes != NULL && status == NVML_NO_ROOM && i < 4; i++) {
        count = room;
        status = nvml->processes(device, &count, processes);
        if (status == NVML_NO_ROOM) {
            room = count + PROCESSES_ROOM;
            free(processes);
            processes = calloc(room, sizeof *processes);
        }
    }
    for (unsigned i = 0; status == NVML_DONE && i < count && i < room && other == 0; i++)
        other = processes[i].pid != (unsigned)getpid() ? processes[i].pid : 0;
    free(processes);
    return other;
}

static void take_processes(const struct nvml *nvml, nvml_device device, struct state *state)
{
    if (nvml->processes != NULL)
        state->process = other_process(nvml, device);
    if (state->process != 0 &&
        (nvml->process_name == NULL ||
         nvml->process_name(state->process, state->process_name, sizeof state->process_name) != NVML_DONE))
        state->process_name[0] = '\0';
}

static void take_text(int (*ask)(nvml_device, char *, unsigned), nvml_device device,
                      char ret_text[NVML_TEXT_BYTES])
{
    if (ask == NULL || ask(device, ret_text, NVML_TEXT_BYTES) != NVML_DONE)
        ret_text[0] = '\0';
}

static void take(const struct nvml *nvml, nvml_device device, struct state *state)
{
    unsigned now = 0, pending = 0;
    struct nvml_pci pci;

    take_text(nvml->uuid, device, state->uuid);
    take_text(nvml->serial, device, state->serial);
    if (nvml->pci != NULL && nvml->pci(device, &pci) == NVML_DONE)
        (void)snprintf(state->bus, sizeof state->bus, "%08x:%02x:%02x.0", pci.domain, pci.bus, pci.device);
    state->mig = nvml->mig != NULL && nvml->mig(device, &now, &pending) == NVML_DONE && now != 0;
    if (nvml->mode == NULL || nvml->mode(device, &state->mode) != NVML_DONE)
        state->mode = 0;
    take_processes(nvml, device, state);
}

struct gpu_states *gpu_states_ask(void)
{
    struct gpu_states *states = calloc(1, sizeof *states);
    nvml_device device;

    if (states == NULL || !nvml_open(&states->nvml)) {
        free(states);
        return NULL;
    }
    if (states->nvml.driver == NULL ||
        states->nvml.driver(states->driver, sizeof states->driver) != NVML_DONE)
        states->driver[0] = '\0';
    if (states->nvml.count == NULL || states->nvml.at == NULL ||
        states->nvml.count(&states->count) != NVML_DONE)
        states->count = 0;
    if (states->count > GPU_MOST)
        states->count = GPU_MOST;
    for (unsigned i = 0; i < states->count; i++)
        if (states->nvml.at(i, &device) == NVML_DONE)
            take(&states->nvml, device, &states->gpus[i]);
    nvml_close(&states->nvml);
    return states;
}

/* Of an instance of a GPU the UUID is another. */
static const struct state *state_of(const struct gpu_states *states, const struct gpu_device *device)
{
    for (unsigned i = 0; states != NULL && i < states->count; i++) {
        const struct state *state = &states->gpus[i];

        if ((*state->uuid != '\0' && strcmp(state->uuid, device->uuid) == 0) ||
            (*state->bus != '\0' && strcmp(state->bus, device->bus) == 0))
            return state;
    }
    return NULL;
}

/* Ranks that train together stand for hosts, and may share a GPU: each of them is another's process. */
static bool is_foreign(const struct state *state, const struct gpu_probe *probe)
{
    const char *slash = strrchr(state->process_name, '/');
    const char *name = slash != NULL ? slash + 1 : state->process_name;

    return state->process != 0 && !(probe->world.hosts > 1 && strcmp(name, world_program) == 0);
}

static int fit(const struct state *state, struct gpu_device *device, unsigned gpu,
               const struct gpu_probe *probe, struct error *err)
{
    if (state->mig)
        return error_set(err, ERROR_INTERNAL,
                         "GPU %u (%s): MIG is on, so it is cut into instances; the probe tests whole GPUs "
                         "(nvidia-smi -mig 0)",
                         gpu, *device->bus != '\0' ? device->bus : device->uuid);
    if (state->mode == NVML_MODE_PROHIBITED)
        return error_set(err, ERROR_INTERNAL,
                         "GPU %u (%s): its compute mode is prohibited: nobody may use it (nvidia-smi -c 0)",
                         gpu, device->uuid);
    if (is_foreign(state, probe))
        return error_set(err, ERROR_INTERNAL,
                         "GPU %u (%s): process %u%s%s%s works on it: what it leaves says nothing of the GPU",
                         gpu, device->uuid, state->process, *state->process_name != '\0' ? " (" : "",
                         state->process_name, *state->process_name != '\0' ? ")" : "");
    if (*device->serial == '\0')
        (void)snprintf(device->serial, sizeof device->serial, "%s", state->serial);
    return 0;
}

int gpu_states_fit(const struct gpu_states *states, struct gpu_probe *probe, struct error *err)
{
    for (unsigned gpu = 0; gpu < probe->device_count; gpu++) {
        const struct state *state = state_of(states, &probe->devices[gpu]);

        if (state != NULL && fit(state, &probe->devices[gpu], gpu, probe, err) < 0)
            return -1;
    }
    return 0;
}

void gpu_states_explain(const struct gpu_states *states, struct error *err)
{
    char why[sizeof err->text] = "";
    size_t at = 0;

    if (states == NULL)
        return;
    if (*states->driver != '\0')
        at += (size_t)snprintf(why, sizeof why, "; driver %.40s", states->driver);
    for (unsigned i = 0; i < states->count && at + 160 < sizeof why; i++) {
        const struct state *state = &states->gpus[i];

        if (state->mig)
            at += (size_t)snprintf(why + at, sizeof why - at, "; GPU %u: MIG is on", i);
        if (state->mode != 0)
            at += (size_t)snprintf(why + at, sizeof why - at, "; GPU %u: its compute mode is %s", i,
                                   state->mode == NVML_MODE_PROHIBITED ? "prohibited" : "exclusive");
        if (state->process != 0)
            at += (size_t)snprintf(why + at, sizeof why - at, "; GPU %u: process %u (%.40s) works on it", i,
                                   state->process, state->process_name);
    }
    (void)snprintf(err->text + strlen(err->text), sizeof err->text - strlen(err->text), "%s", why);
}

void gpu_states_free(struct gpu_states *states)
{
    free(states);
}
