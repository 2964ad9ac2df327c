/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words go from pinned memory of the host to a GPU, from there to other memory of it (WORK_COPY) or of another GPU (WORK_PEER), and
 * back to the host, which looks at them: no SM has a part in it. What was there before is of another unit or another input, so a
 * copy that was never made is found too. Which GPU is to blame where a copy to a peer is wrong, nobody can tell: both are named.
 */
#include <cstdlib>

#include "cuda_try.h"

extern "C" {
#include "engines.h"
}

namespace
{

const size_t BYTES = (size_t)GPU_COPIED_BLOCKS * WORK_WORDS * sizeof(uint32_t);

struct engine {
    uint32_t *first, *second; /* of the GPU */
    uint32_t *out, *back;     /* of the host, pinned */
    cudaStream_t stream;
};

} /* namespace */

struct engines {
    unsigned count;
    engine gpus[GPU_MOST];
};

namespace
{

/* So that copies take the direct way, where there is one; else they go through the host. */
void reach_all(unsigned gpu, unsigned count)
{
    for (unsigned peer = 0; peer < count; peer++) {
        int can = 0;

        if (peer != gpu && cudaDeviceCanAccessPeer(&can, (int)gpu, (int)peer) == cudaSuccess && can)
            (void)cudaDeviceEnablePeerAccess((int)peer, 0);
        (void)cudaGetLastError();
    }
}

int open_engine(engine *own, unsigned gpu, unsigned count, struct error *err)
{
    TRY(cudaSetDevice((int)gpu), "it cannot be used");
    reach_all(gpu, count);
    TRY(cudaStreamCreateWithFlags(&own->stream, cudaStreamNonBlocking), "no stream");
    TRY(cudaMalloc((void **)&own->first, BYTES), "no memory");
    TRY(cudaMalloc((void **)&own->second, BYTES), "no memory");
    TRY(cudaMallocHost((void **)&own->out, BYTES), "no memory of the host");
    TRY(cudaMallocHost((void **)&own->back, BYTES), "no memory of the host");
    return 0;
}

int bring(const struct engines *engines, unsigned gpu, unsigned peer, struct error *err)
{
    const engine *own = &engines->gpus[gpu], *there = &engines->gpus[peer];

    TRY(cudaSetDevice((int)gpu), "it cannot be used");
    TRY(cudaMemcpyAsync(own->first, own->out, BYTES, cudaMemcpyHostToDevice, own->stream), "a copy cannot be started");
    if (peer == gpu)
        TRY(cudaMemcpyAsync(own->second, own->first, BYTES, cudaMemcpyDeviceToDevice, own->stream), "a copy cannot be started");
    else
        TRY(cudaMemcpyPeerAsync(there->second, (int)peer, own->first, (int)gpu, BYTES, own->stream), "a copy cannot be started");
    return 0;
}

/* From where it lies now, by that GPU's own engines. */
int fetch(const struct engines *engines, unsigned gpu, unsigned peer, struct error *err)
{
    const engine *there = &engines->gpus[peer];

    TRY(cudaSetDevice((int)peer), "it cannot be used");
    TRY(cudaMemcpyAsync(engines->gpus[gpu].back, there->second, BYTES, cudaMemcpyDeviceToHost, there->stream),
        "a copy cannot be started");
    return 0;
}

int wait_for(const struct engines *engines, unsigned gpu, struct error *err)
{
    TRY(cudaSetDevice((int)gpu), "it cannot be used");
    TRY(cudaStreamSynchronize(engines->gpus[gpu].stream), "a copy broke off");
    return 0;
}

int wait_for_all(const struct engines *engines, struct error *err)
{
    for (unsigned gpu = 0; gpu < engines->count; gpu++)
        if (wait_for(engines, gpu, err) < 0)
            return -1;
    return 0;
}

/* Bits that are turned over on purpose are those of the block with the SM's number. */
void answer(const struct gpu_probe *probe, engine *own, unsigned gpu, enum work_unit unit, uint64_t round,
            struct gpu_answers *ret_answers)
{
    work_take(GPU_COPIED_BLOCKS, own->back);
    for (unsigned block = 0; block < GPU_COPIED_BLOCKS; block++) {
        uint32_t *words = own->back + (size_t)block * WORK_WORDS;

        for (unsigned place = 0; place < WORK_WORDS && probe->options.injection.any; place++)
            words[place] ^=
                injection_bits(&probe->options.injection, gpu, block, unit, place / WORK_LANE_WORDS, round);
        ret_answers->digests[gpu][block] = work_digest(words);
        ret_answers->sms[gpu][block] = GPU_NO_SM;
    }
    ret_answers->blocks[gpu] = GPU_COPIED_BLOCKS;
}

} /* namespace */

extern "C" struct engines *engines_open(const struct gpu_probe *probe, struct error *err)
{
    struct engines *engines = (struct engines *)calloc(1, sizeof *engines);

    if (engines == NULL) {
        (void)error_set(err, ERROR_INTERNAL, "no memory");
        return NULL;
    }
    engines->count = probe->device_count;
    for (unsigned gpu = 0; gpu < engines->count; gpu++)
        if (open_engine(&engines->gpus[gpu], gpu, engines->count, err) < 0) {
            engines_close(engines);
            return NULL;
        }
    return engines;
}

extern "C" int engines_work(struct engines *engines, const struct gpu_probe *probe, enum work_unit unit, uint64_t seed,
                            uint64_t round, struct gpu_answers *ret_answers, struct error *err)
{
    for (unsigned gpu = 0; gpu < engines->count; gpu++) {
        const unsigned peer = unit == WORK_PEER ? work_peer(gpu, engines->count, seed, round) : gpu;

        ret_answers->peers[gpu] = peer == gpu ? (unsigned)GPU_MOST : peer;
        work_give(unit, seed, GPU_COPIED_BLOCKS, engines->gpus[gpu].out);
        if (bring(engines, gpu, peer, err) < 0)
            return -1;
    }
    if (wait_for_all(engines, err) < 0)
        return -1;
    for (unsigned gpu = 0; gpu < engines->count; gpu++)
        if (fetch(engines, gpu, ret_answers->peers[gpu] == GPU_MOST ? gpu : ret_answers->peers[gpu], err) < 0)
            return -1;
    if (wait_for_all(engines, err) < 0)
        return -1;
    for (unsigned gpu = 0; gpu < engines->count; gpu++)
        answer(probe, &engines->gpus[gpu], gpu, unit, round, ret_answers);
    return 0;
}

extern "C" const uint32_t *engines_words(const struct engines *engines, unsigned gpu, unsigned block)
{
    return engines->gpus[gpu].back + (size_t)block * WORK_WORDS;
}

extern "C" void engines_close(struct engines *engines)
{
    for (unsigned gpu = 0; engines != NULL && gpu < engines->count; gpu++) {
        engine *own = &engines->gpus[gpu];

        if (cudaSetDevice((int)gpu) != cudaSuccess)
            continue;
        (void)cudaFree(own->first);
        (void)cudaFree(own->second);
        (void)cudaFreeHost(own->out);
        (void)cudaFreeHost(own->back);
        if (own->stream != NULL)
            (void)cudaStreamDestroy(own->stream);
    }
    free(engines);
}
