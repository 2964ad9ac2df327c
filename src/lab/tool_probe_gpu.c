/* SPDX-License-Identifier: Apache-2.0 */
/* assay-probe-gpu sdc, memory, compute, links, training and power: the lines that the probe prints on real GPUs, of this host's. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab_private.h"
#include "nvidia_smi_words.h"

/* Of the rate in bf16 what others are. */
static const struct type {
    const char *name;
    double share;
} types[] = {{"bf16", 1}, {"fp16", 1.01}, {"fp8", 1.9}, {"tf32", 0.52}, {"fp64", 0.08}, {"int8", 1.85}};

static const struct stream {
    const char *name;
    double share; /* of a copy */
} streams[] = {{"copy", 1}, {"read", 1.03}, {"write", 1.01}, {"triad", 1.024}};

/* What an H100 answered in 4096 steps (tests/golden/assay-probe-gpu/real-h100-sdc.out); known: any GPU does, so those that came later
   are what the host computes. */
static const struct unit {
    const char *name, *digest;
    bool known;
} units[] = {{"integer", "0x1958c70d0bcec70f", true},     {"fma32", "0x89db7abfe02c0775", true},
             {"fma64", "0x23bd0c41c67d92e9", true},       {"special", "0x19efc5af1c81889c", false},
             {"tensor-bf16", "0xc6beffedac438c16", true}, {"tensor-fp16", "0x7a28f26b14f29749", true},
             {"tensor-int8", "0xd46681920e82fc70", true}, {"shuffle", "0xc727cc30780fb0ef", true},
             {"shared", "0xb08a73068e95507c", true},      {"memory", "0xffd28eef2b93a6ac", true},
             {"tensor-fp8", "0x48f15345d1b63509", true},  {"tensor-tf32", "0xfec3600b536591c6", true},
             {"tensor-fp64", "0x04407d80dd88658c", true}, {"reduce", "0xaa0de4f24ba0e622", true},
             {"atomic", "0x66f46a81a1e0a3b9", true},      {"hbm", "0x16f7ffb14f88c99b", true},
             {"copy-engine", "0x6fb0336029f0b0d5", true}, {"peer", "0xa797392564366cfa", true}};

static const char *const patterns[] = {"address", "inversions", "random"};

static bool is_named(const char *list, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = list; (at = strstr(at, name)) != NULL; at += length)
        if ((at == list || at[-1] == ',') && (at[length] == '\0' || at[length] == ','))
            return true;
    return false;
}

/* rows 0: this test tells them otherwise. */
static void put_head_of(const struct lab_host *host, size_t hosts, const char *test, unsigned rows,
                        const char *more)
{
    char counted[32] = "", with[32] = "";

    if (rows > 0)
        (void)snprintf(counted, sizeof counted, ", \"rows\": %u", rows);
    if (hosts > 1)
        (void)snprintf(with, sizeof with, "\"hosts\": %zu, ", hosts);
    printf("{\"assay_probe_gpu\": 1, \"test\": \"%s\", \"program\": \"assay-probe-gpu 0.1.0\", \"backend\": "
           "\"cuda\", "
           "\"driver\": \"%s\", \"cuda\": \"13.0\", %s\"gpus\": %d%s%s%s, \"injected\": false}\n",
           test, host->profile->cuda, with, host->gpu_count, counted, *more != '\0' ? ", " : "", more);
}

static void put_head(const struct lab_host *host, const char *test, unsigned rows, const char *more)
{
    put_head_of(host, 1, test, rows, more);
}

static void put_gpu(const struct lab_host *host, int gpu, const char *more)
{
    const struct lab_gpu *g = &host->gpus[gpu];
    char bus[24];

    printf("{\"gpu\": %d, \"name\": \"%s\", \"uuid\": \"%s\", \"serial\": \"%s\", \"bus\": \"%s\"%s%s}\n",
           gpu, host->profile->gpu_name, g->uuid, g->serial, lab_bus_id(g, bus), *more != '\0' ? ", " : "",
           more);
}

static double near(const struct lab_host *host, const char *what, int gpu)
{
    return 1 + 0.004 * lab_noise(host->number, what, (unsigned)host->gpus[gpu].number) +
           lab_jitter(host, what, (unsigned)host->gpus[gpu].number);
}

static unsigned sms_of(const struct lab_host *host)
{
    static const struct {
        const char *architecture;
        unsigned sms;
    } parts[] = {{"Volta", 80}, {"Ampere", 108}, {"Hopper", 132}, {"Blackwell", 148}};

    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        if (strcmp(parts[i].architecture, host->profile->architecture) == 0)
            return parts[i].sms;
    return 0;
}

static bool has_fp8(const struct lab_host *host)
{
    return strcmp(host->profile->architecture, "Ampere") != 0 &&
           strcmp(host->profile->architecture, "Volta") != 0;
}

static int run_sdc(const struct tool *tool)
{
    enum { ROUNDS_A_SECOND = 100, FIRST_WRONG = 4 };
    const struct lab_host *host = tool->host;
    const double seconds = strtod(tool_option(tool, "--seconds", "60"), NULL);
    const unsigned rounds = (unsigned)(seconds * ROUNDS_A_SECOND), sms = sms_of(host);
    bool wrong = false;

    put_head(host, "sdc", 0,
             arena_printf(tool->arena, "\"units\": %zu, \"seeds\": 16, \"depth\": %s", ARRAY_SIZE(units),
                          tool_option(tool, "--depth", "4096")));
    lab_sleep(tool->lab, seconds);
    for (size_t i = 0; i < ARRAY_SIZE(units); i++)
        if (strcmp(units[i].name, "tensor-fp8") == 0 && !has_fp8(host))
            printf(
                "{\"unit\": \"%s\", \"not_tried\": \"this architecture has no tensor cores for fp8, or the "
                "probe no kernel for them\"}\n",
                units[i].name);
        else
            printf("{\"unit\": \"%s\", \"rounds\": %zu, \"known\": %s, \"digest\": \"%s\"}\n", units[i].name,
                   rounds / ARRAY_SIZE(units), units[i].known ? "true" : "false", units[i].digest);
    for (int gpu = 0; gpu < host->gpu_count; gpu++)
        put_gpu(host, gpu,
                arena_printf(tool->arena, "\"sms\": %u, \"sms_reached\": %u, \"sms_wrong\": %d", sms, sms,
                             host->gpus[gpu].sm_wrong >= 0));
    for (int gpu = 0; gpu < host->gpu_count; gpu++) {
        if (host->gpus[gpu].sm_wrong < 0)
            continue;
        wrong = true;
        printf(
            "{\"wrong_gpu\": %d, \"sm\": %d, \"unit\": \"tensor-bf16\", \"first_round\": %d, \"rounds\": %u, "
            "\"lane\": 5, \"got\": \"0x3c6ef172\", \"expected\": \"0x3c6ee172\", \"bits\": \"0x00001000\"}\n",
            gpu, host->gpus[gpu].sm_wrong, FIRST_WRONG, rounds / (unsigned)ARRAY_SIZE(units));
    }
    printf("{\"end\": \"%s\", \"rounds\": %u, \"seconds\": %.3f}\n", wrong ? "wrong" : "ok", rounds, seconds);
    return wrong;
}

static void put_memory(const struct tool *tool, int gpu, double passes)
{
    const struct lab_host *host = tool->host;
    const struct lab_gpu *g = &host->gpus[gpu];
    const double total = host->profile->memory_mib * 1048576.0, covered = total - 640 * 1048576.0;
    const unsigned wrong = g->memory_wrong;

    for (size_t i = 0; i < ARRAY_SIZE(streams); i++) {
        double rate = host->profile->hbm * streams[i].share * g->hbm * near(host, streams[i].name, gpu);

        printf("{\"stream\": \"%s\", \"gpu\": %d, \"gbps\": %.5g, \"best\": %.5g, \"least\": %.5g, "
               "\"windows\": 20, "
               "\"bytes\": 2147483648}\n",
               streams[i].name, gpu, rate, rate * 1.002, rate * 0.99);
    }
    for (size_t i = 0; i < ARRAY_SIZE(patterns); i++)
        printf("{\"pattern\": \"%s\", \"gpu\": %d, \"compared_bytes\": %.0f, \"wrong_words\": %u}\n",
               patterns[i], gpu, covered * passes * (i == 1 ? 12 : 2), i == 2 ? wrong : 0);
    put_gpu(host, gpu,
            arena_printf(tool->arena, "\"memory_bytes\": %.0f, \"covered_bytes\": %.0f, \"wrong_words\": %u",
                         total, covered, wrong));
    if (wrong > 0)
        printf(
            "{\"wrong_word\": %d, \"pattern\": \"random\", \"offset\": \"0x3fa2c01b8\", \"got\": "
            "\"0x78eeb3fa847e7409\", \"expected\": \"0x78eeb3fa847e7419\", \"bits\": \"0x0000000000000010\", "
            "\"times\": %u}\n",
            gpu, wrong);
}

static int run_memory(const struct tool *tool)
{
    const double passes = strtod(tool_option(tool, "--passes", "4"), NULL);
    unsigned wrong = 0;

    put_head(tool->host, "memory", (unsigned)tool->host->gpu_count * 7,
             arena_printf(tool->arena, "\"passes\": %.0f", passes));
    lab_sleep(tool->lab, 5 + 3 * passes);
    for (int gpu = 0; gpu < tool->host->gpu_count; gpu++) {
        put_memory(tool, gpu, passes);
        wrong += tool->host->gpus[gpu].memory_wrong;
    }
    printf("{\"end\": \"%s\", \"rounds\": %.0f, \"seconds\": %.3f}\n", wrong > 0 ? "wrong" : "ok", passes,
           5 + 3 * passes);
    return wrong > 0;
}

/* As the driver tells it meanwhile, by the same clocks, power and temperature as nvidia-smi's. */
static void put_state(const struct lab_host *host, const struct lab_gpu *gpu)
{
    const struct gpu_now now = gpu_at_work(host, gpu);
    const struct reasons why = reasons_of(gpu, &now);

    printf(", \"clock_mhz\": %u, \"power_w\": %.5g, \"temperature_c\": %u, \"reasons\": \"%s\"",
           now.clock_mhz, now.power, now.temperature,
           why.power_cap ? "sw_power_cap"
           : why.thermal ? "hw_thermal_slowdown"
                         : "none");
}

static void put_product(const struct lab_host *host, const struct type *type, unsigned size, int gpu)
{
    const struct lab_gpu *g = &host->gpus[gpu];
    double rate = host->profile->tflops * type->share * g->strength * g->tensor * g->gemm *
                  (1 + lab_jitter(host, type->name, (unsigned)g->number));

    printf("{\"gemm\": \"%s\", \"size\": %u, \"gpu\": %d, ", type->name, size, gpu);
    if (strcmp(type->name, "fp8") == 0 && !has_fp8(host))
        printf("\"not_measured\": \"cuBLASLt has no way to multiply this type here\"");
    else {
        printf("\"tflops\": %.5g, \"p1\": %.5g, \"least\": %.5g, \"best\": %.5g, \"windows\": 20", rate,
               rate * 0.985, rate * 0.985, rate * 1.004);
        put_state(host, g);
    }
    printf("}\n");
}

/* The next of sizes with commas between them; 0: there is none. */
static unsigned next_size(const char **list)
{
    char *end;
    unsigned long size = strtoul(*list, &end, 10);

    *list = *end == ',' ? end + 1 : end;
    return (unsigned)size;
}

static int run_compute(const struct tool *tool)
{
    const struct lab_host *host = tool->host;
    const char *names = tool_option(tool, "--types", "bf16,fp16,fp8,tf32,fp64,int8");
    const char *sizes = tool_option(tool, "--sizes", "8192,16384"), *list = sizes;
    const double seconds = strtod(tool_option(tool, "--seconds", "10"), NULL);
    unsigned rounds = 0, size;

    while (next_size(&list) > 0)
        for (size_t i = 0; i < ARRAY_SIZE(types); i++)
            rounds += is_named(names, types[i].name);
    put_head(host, "compute", rounds * (unsigned)host->gpu_count,
             "\"library\": \"cuBLASLt 13.0.2\", \"data\": \"random\"");
    lab_mark_running(host, LAB_BURNING);
    for (list = sizes; (size = next_size(&list)) > 0;)
        for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
            if (!is_named(names, types[i].name))
                continue;
            /* What is asked for is shorter by the lab's speed already. */
            lab_sleep(tool->lab, seconds);
            lab_mark_update(host);
            for (int gpu = 0; gpu < host->gpu_count; gpu++)
                put_product(host, &types[i], size, gpu);
        }
    for (int gpu = 0; gpu < host->gpu_count; gpu++)
        put_gpu(host, gpu, arena_printf(tool->arena, "\"measured\": %u", rounds));
    printf("{\"end\": \"ok\", \"rounds\": %u, \"seconds\": %.3f}\n", rounds, rounds * (seconds + 3));
    return 0;
}

static void put_rates(double rate)
{
    printf("\"gbps\": %.5g, \"least\": %.5g, \"best\": %.5g, \"windows\": 20}\n", rate, rate * 0.99,
           rate * 1.003);
}

static void put_host_copies(const struct lab_host *host, const char *way, double full, bool together)
{
    for (int gpu = 0; gpu < host->gpu_count; gpu++) {
        const struct lab_gpu *g = &host->gpus[gpu];

        printf("{\"host_copy\": \"%s\", \"together\": %s, \"gpu\": %d, ", way, together ? "true" : "false",
               gpu);
        put_rates(full * (together ? 0.97 : 1) * g->pcie_width / PCIE_LANES * g->host_copies *
                  near(host, way, gpu));
    }
}

/* Of all others at once a GPU takes no more than one can give. */
static double all_at_once(const struct lab_host *host, int gpu, bool sends)
{
    const int others = host->gpu_count - 1;
    double sum = 0;

    for (int peer = 0; peer < host->gpu_count; peer++)
        if (peer != gpu)
            sum += fmin(lab_p2p(host, sends ? gpu : peer, sends ? peer : gpu, true, false),
                        host->profile->p2p_uni * 0.98 / others);
    return sum * near(host, sends ? "one to all" : "all to one", gpu);
}

static void put_all_copies(const struct lab_host *host)
{
    static const struct {
        const char *name;
        double share;
        bool sends;
    } ways[] = {{"all-to-one", 1, false}, {"one-to-all", 1, true}, {"all-to-all", 0.97, true}};

    for (size_t i = 0; i < ARRAY_SIZE(ways) && host->gpu_count > 1; i++)
        for (int gpu = 0; gpu < host->gpu_count; gpu++) {
            printf("{\"all_copy\": \"%s\", \"gpu\": %d, ", ways[i].name, gpu);
            put_rates(ways[i].share * all_at_once(host, gpu, ways[i].sends));
        }
}

/* ns. */
static void put_chases(const struct lab_host *host)
{
    enum { OWN_NS = 155, PEER_NS = 690 };

    for (int from = 0; from < host->gpu_count; from++)
        for (int to = 0; to < host->gpu_count; to++) {
            const double wait = (from == to ? OWN_NS : PEER_NS) * near(host, "chase", from);

            printf(
                "{\"chase\": \"%s\", \"from\": %d, \"to\": %d, \"ns\": %.5g, \"least\": %.5g, \"most\": %.5g, "
                "\"windows\": 20}\n",
                from == to ? "own" : "peer", from, to, wait, wait * 0.998, wait * 1.004);
        }
}

static int run_links(const struct tool *tool)
{
    const struct lab_host *host = tool->host;
    const int gpus = host->gpu_count;

    put_head(host, "links",
             (unsigned)(gpus * 4 + gpus * (gpus - 1) * 2 + (gpus > 1 ? gpus * 3 : 0) + gpus * gpus), "");
    lab_sleep(tool->lab, 5 + 5 * gpus);
    for (unsigned i = 0; i < 4; i++)
        put_host_copies(host, i % 2 == 0 ? "up" : "down",
                        i % 2 == 0 ? host->profile->copy_up : host->profile->copy_down, i >= 2);
    for (int from = 0; from < gpus; from++)
        for (int to = 0; to < gpus; to++)
            for (unsigned both = 0; both < 2 && from != to; both++) {
                printf("{\"peer_copy\": \"%s\", \"from\": %d, \"to\": %d, \"direct\": true, ",
                       both ? "both-ways" : "one-way", from, to);
                put_rates(lab_p2p(host, from, to, true, both));
            }
    put_all_copies(host);
    put_chases(host);
    for (int gpu = 0; gpu < gpus; gpu++)
        put_gpu(host, gpu, "");
    printf("{\"end\": \"ok\", \"rounds\": 20, \"seconds\": %d.000}\n", 5 + 5 * gpus);
    return 0;
}

enum { TRAINING_TOKENS = 8192 /* of a GPU in a step */, TRAINING_WARMUP = 3 };
static const double STEP_TFLOP = 395.3; /* of a GPU in a step: 32 layers of Llama 3 8B, sequences of 2048 */

/* The same of all hosts with such GPUs. */
static uint64_t hash_of(const char *name, unsigned number)
{
    uint64_t hash = 0xcbf29ce484222325u + number;

    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    return hash;
}

/* TFLOP/s of the GPU by itself. What slows single products is not looked at here: see compute-slow. */
static double training_rate(const struct lab_host *host, int gpu)
{
    const struct lab_gpu *g = &host->gpus[gpu];

    return host->profile->tflops * 0.7 * g->strength * g->tensor * g->training * near(host, "training", gpu);
}

static void put_step(const struct lab_host *host, unsigned step, double seconds)
{
    const float loss = 11.77f - 0.08f * (float)step / (1 + 0.02f * (float)step);
    const uint64_t digest = hash_of(host->profile->gpu_name, step);
    uint32_t bits;

    memcpy(&bits, &loss, sizeof bits);
    printf(
        "{\"step\": %u, \"loss\": %.9g, \"loss_bits\": \"0x%08x\", \"digest\": \"0x%016llx\", \"ms\": %.5g}\n",
        step, (double)loss, bits, (unsigned long long)digest,
        seconds * 1e3 * (step < TRAINING_WARMUP ? 1.4 : 1 + 0.002 * (step % 5)));
}

static void put_whole(const struct lab_host *host, unsigned gpus, unsigned steps, double seconds)
{
    const double rate = STEP_TFLOP / seconds;

    printf(
        "{\"training\": \"bf16\", \"tflops\": %.5g, \"p1\": %.5g, \"least\": %.5g, \"best\": %.5g, \"windows\": %u, "
        "\"tokens_per_s\": %.5g, \"step_ms\": %.5g, \"p99_ms\": %.5g, \"worst_ms\": %.5g, \"spread_percent\": 0.8, "
        "\"digest\": \"0x%016llx\"}\n",
        rate, rate * 0.996, rate * 0.996, rate * 1.004, steps - TRAINING_WARMUP,
        TRAINING_TOKENS * gpus / seconds, seconds * 1e3, seconds * 1.004e3, seconds * 1.004e3,
        (unsigned long long)hash_of(host->profile->gpu_name, steps + 1));
}

/* Of the GPUs of all hosts; their slowest decides how long a step takes. */
struct trained {
    unsigned steps;
    double slowest, fastest;
    bool over_hosts;
};

/* A third of a step lies before the first exchange, and that far the fastest is ahead of the others. */
static void put_trained(const struct trained *trained, struct arena *arena, const struct lab_host *host,
                        int gpu)
{
    const double rate = training_rate(host, gpu);

    put_gpu(host, gpu,
            arena_printf(arena,
                         "%s%s%s\"steps_wrong\": 0, \"tflops\": %.5g, \"p1\": %.5g, \"least\": %.5g, "
                         "\"best\": %.5g, \"windows\": %u, \"late_percent\": %.3g, \"last_percent\": %d",
                         trained->over_hosts ? "\"host\": \"" : "", trained->over_hosts ? host->name : "",
                         trained->over_hosts ? "\", " : "", rate, rate * 0.99, rate * 0.99, rate * 1.003,
                         trained->steps - TRAINING_WARMUP,
                         100 / 3.0 * trained->slowest * (1 / rate - 1 / trained->fastest),
                         rate <= trained->slowest ? 90 : 1));
}

static int train(const struct tool *tool, const struct lab_host *hosts, size_t count)
{
    struct trained trained = {(unsigned)strtoul(tool_option(tool, "--steps", "30"), NULL, 10), INFINITY, 0,
                              count > 1};
    unsigned gpus = 0;
    double seconds;

    for (size_t i = 0; i < count; i++)
        for (int gpu = 0; gpu < hosts[i].gpu_count; gpu++, gpus++) {
            trained.slowest = fmin(trained.slowest, training_rate(&hosts[i], gpu));
            trained.fastest = fmax(trained.fastest, training_rate(&hosts[i], gpu));
        }
    /* The exchange that nothing hides. */
    seconds = STEP_TFLOP / trained.slowest * 1.04;
    put_head_of(
        hosts, count, "training", trained.steps + 1,
        arena_printf(
            tool->arena,
            "\"library\": \"cuBLASLt 13.0.2\", \"exchange\": \"%s\", \"layers\": 32, \"hidden\": 4096, "
            "\"heads\": 32, \"kv_heads\": 8, \"ffn\": 14336, \"vocab\": 128256, \"sequence\": 2048, "
            "\"batch\": 4, \"parameters\": 8030261248, \"seed\": 1, \"warmup_steps\": 3",
            gpus > 1 ? "NCCL 2.27.3" : "none: one GPU"));
    lab_sleep(tool->lab, 10 + trained.steps * seconds);
    for (unsigned step = 0; step < trained.steps; step++)
        put_step(hosts, step, seconds);
    put_whole(hosts, gpus, trained.steps, seconds);
    for (size_t i = 0; i < count; i++)
        for (int gpu = 0; gpu < hosts[i].gpu_count; gpu++)
            put_trained(&trained, tool->arena, &hosts[i], gpu);
    printf("{\"end\": \"ok\", \"rounds\": %u, \"seconds\": %.3f}\n", trained.steps,
           10 + trained.steps * seconds);
    return 0;
}

static int run_training(const struct tool *tool)
{
    return train(tool, tool->host, 1);
}

static int unfit(const char *host, const char *error)
{
    printf("{\"end\": \"unfit\", \"reason\": \"%sno GPU can be used: %s\", \"rounds\": 0, \"seconds\": 0}\n",
           host, error);
    return 69;
}

int tool_probe_training_over(struct tool *tool, struct lab_host *hosts, size_t host_count, unsigned processes)
{
    (void)processes;
    if (tool->argc < 2 || strcmp(tool->argv[1], "training") != 0) {
        fprintf(stderr, "assay-probe-gpu-mpi: of all tests only training goes over several hosts\n");
        return 64;
    }
    for (size_t i = 0; i < host_count; i++) {
        if (hosts[i].cuda_error != NULL)
            return unfit(arena_printf(tool->arena, "%s: ", hosts[i].name), hosts[i].cuda_error);
        if (hosts[i].gpu_count != hosts[0].gpu_count) {
            printf("{\"end\": \"unfit\", \"reason\": \"%s: %d GPUs; the first host has %d\", \"rounds\": 0, "
                   "\"seconds\": 0}\n",
                   hosts[i].name, hosts[i].gpu_count, hosts[0].gpu_count);
            return 69;
        }
    }
    return train(tool, hosts, host_count);
}

/* Whoever started it is asked what time it is, as the probe does. */
static bool ask_clock(void)
{
    char answer[64];

    for (unsigned i = 0; i < 3; i++) {
        printf("{\"ping\": %u}\n", i);
        fflush(stdout);
        if (fgets(answer, sizeof answer, stdin) == NULL || !(strtod(answer, NULL) > 1e9))
            return false;
    }
    return true;
}

static void put_clock(const char *when, double moved_ms)
{
    printf("{\"clock\": \"%s\", \"uncertain_ms\": 0.9, \"moved_ms\": %.5g}\n", when, moved_ms);
    fflush(stdout);
}

/* hz 0: the ramp. */
static void put_swing(const struct lab_host *host, unsigned number, double hz, double seconds)
{
    double on = 0, off = 0;

    for (int gpu = 0; gpu < host->gpu_count; gpu++) {
        on += host->gpus[gpu].power_burn;
        off += host->gpus[gpu].power_idle;
    }
    printf("{\"segment\": %u, \"hz\": %g, \"on_w\": %.5g, \"off_w\": %.5g, \"peak_w\": %.5g", number, hz, on,
           off, on * 1.03);
    if (hz > 0)
        printf("}\n");
    else
        printf(", \"ramp_w_per_s\": %.5g}\n", (on - off) / seconds);
}

static void put_swung(const struct tool *tool, int gpu, unsigned edges, bool brakes)
{
    const struct lab_host *host = tool->host;
    const struct lab_gpu *g = &host->gpus[gpu];
    const bool lost = g->trips;
    enum { CLOCK_MHZ = 1750, CLOCK_LEAST_MHZ = 1600 };

    put_gpu(
        host, gpu,
        arena_printf(
            tool->arena,
            "\"edges\": %u, \"late_ms\": %.5g, \"late_p99_ms\": %.5g, \"power\": \"instant\", "
            "\"on_w\": %.5g, \"off_w\": %.5g, \"peak_w\": %.5g, \"clock_mhz\": %.5g, "
            "\"clock_least_mhz\": %.5g, \"reliability_ms\": %d, \"board_limit_ms\": 0, \"below_base_ms\": 0, \"temperature_c\": %u, \"reasons\": \"gpu_idle, sw_power_cap%s\"%s",
            lost ? edges / 2 : edges, host->power_late_ms, host->power_late_ms * 0.8, g->power_burn,
            g->power_idle, g->power_burn * 1.03, CLOCK_MHZ * (1 - g->sag) * near(host, "clock", gpu),
            CLOCK_LEAST_MHZ * (1 - g->sag), g->sag > 0 ? 1200 : 0, g->temperature_burn,
            brakes ? ", hw_power_brake_slowdown" : "",
            lost ? ", \"lost_s\": 17.3, \"why\": \"NVML: GPU is lost\"" : ""));
}

static int run_power(const struct tool *tool)
{
    const struct lab_host *host = tool->host;
    const double seconds = strtod(tool_option(tool, "--seconds", "10"), NULL);
    const double ramp = strtod(tool_option(tool, "--ramp", "30"), NULL);
    const char *at = tool_option(tool, "--hz", "0.2,0.5,1,2,3");
    double hz[16];
    unsigned waves = 0, edges = 0;
    bool trips = false;
    char *end;

    while (waves < ARRAY_SIZE(hz) && (hz[waves] = strtod(at, &end)) > 0) {
        edges += 2 * (unsigned)ceil(seconds * hz[waves++]);
        at = *end == ',' ? end + 1 : end;
    }
    put_head(host, "power", waves + 3,
             arena_printf(tool->arena, "\"edges\": %u, \"clock_by\": \"stdin\"", edges));
    if (!ask_clock()) {
        printf(
            "{\"end\": \"unfit\", \"reason\": \"nobody told what time it is\", \"rounds\": 0, \"seconds\": 0}\n");
        return 69;
    }
    put_clock("before", 0);
    lab_sleep(tool->lab, seconds * waves + ramp);
    put_clock("after", ask_clock() ? 0.05 : 1e6);
    for (unsigned i = 0; i <= waves; i++)
        put_swing(host, i, i < waves ? hz[i] : 0, ramp);
    for (int gpu = 0; gpu < host->gpu_count; gpu++)
        trips = trips || host->gpus[gpu].trips;
    for (int gpu = 0; gpu < host->gpu_count; gpu++)
        put_swung(tool, gpu, edges, trips && !host->gpus[gpu].trips);
    printf("{\"end\": \"%s\", \"rounds\": %u, \"seconds\": %.3f}\n", trips ? "wrong" : "ok", edges,
           seconds * waves + ramp);
    return trips;
}

int tool_probe_gpu(struct tool *tool)
{
    static const struct {
        const char *name;
        int (*run)(const struct tool *tool);
    } tests[] = {{"sdc", run_sdc},     {"memory", run_memory},     {"compute", run_compute},
                 {"links", run_links}, {"training", run_training}, {"power", run_power}};

    if (tool->argc == 2 && strcmp(tool->argv[1], "--help") == 0) {
        printf("usage: assay-probe-gpu TEST [OPTION]...\n");
        return 0;
    }
    for (size_t i = 0; i < ARRAY_SIZE(tests) && tool->argc > 1; i++) {
        if (strcmp(tests[i].name, tool->argv[1]) != 0)
            continue;
        if (tool->host->cuda_error == NULL)
            return tests[i].run(tool);
        return unfit("", tool->host->cuda_error);
    }
    fprintf(stderr,
            "assay-probe-gpu: the lab has the tests sdc, memory, compute, links, training and power\n");
    return 64;
}
