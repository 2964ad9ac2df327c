/* SPDX-License-Identifier: Apache-2.0 */
/* lab.json, and what follows from it: the one model of a host that every simulated tool computes from. */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/base/json.h"
#include "assay/base/scan.h"
#include "lab_private.h"

/* Writing and reading lab.json. */

int lab_save(const struct lab *lab, struct error *err)
{
    cleanup_text struct text text = {0};
    cleanup_free char *path = mem_printf("%s/lab.json", lab->directory);
    struct json_writer writer;

    text_init(&text, 16 << 20);
    json_writer_init(&writer, &text, false);
    json_open_object(&writer);
    json_member(&writer, "profile", lab->profile->name);
    json_member(&writer, "user", lab->user);
    json_member(&writer, "fabric", lab->ethernet ? "roce" : "infiniband");
    json_member_integer(&writer, "speed", lab->speed);
    json_member_number(&writer, "oversubscription", lab->oversubscription);
    json_member_integer(&writer, "seed", lab->seed);
    json_member_integer(&writer, "port", lab->port);
    json_member_integer(&writer, "hosts", lab->hosts);
    json_member_array(&writer, "faults");
    for (size_t i = 0; i < lab->fault_count; i++)
        json_put_string(&writer, lab->faults[i].text);
    json_close_array(&writer);
    json_close_object(&writer);
    text_put(&text, "\n");
    return file_write(path, text.bytes, text.length, 0644, err);
}

static int load_faults(struct arena *arena, struct lab *lab, const struct json *list, struct error *err)
{
    size_t count = list != NULL ? list->count : 0;

    lab->faults = arena_array(arena, struct fault, count);
    json_each (item, list) {
        if (item->type != JSON_STRING)
            return json_error(err, item, "a fault is a string");
        if (fault_parse(arena, lab, item->string, &lab->faults[lab->fault_count++], err) < 0)
            return -1;
    }
    return 0;
}

struct lab *lab_load(struct arena *arena, const char *directory, struct error *err)
{
    struct lab *lab = arena_new(arena, struct lab);
    const struct json *json = json_load(arena, arena_printf(arena, "%s/lab.json", directory), err);

    if (json == NULL)
        return NULL;
    lab->directory = arena_strdup(arena, directory);
    lab->profile = lab_profile_find(json_string(json, "profile", ""));
    lab->user = json_string(json, "user", "");
    lab->ethernet = strcmp(json_string(json, "fabric", ""), "roce") == 0;
    lab->speed = (unsigned)json_number(json, "speed", 0);
    lab->oversubscription = json_number(json, "oversubscription", 1);
    lab->seed = (unsigned)json_number(json, "seed", 0);
    lab->port = (unsigned)json_number(json, "port", 0);
    lab->hosts = (unsigned)json_number(json, "hosts", 0);
    if (lab->profile == NULL || lab->speed == 0 || lab->hosts == 0) {
        json_error(err, json, "is not a lab: it needs a known profile, a speed and hosts");
        return NULL;
    }
    return load_faults(arena, lab, json_get(json, "faults"), err) == 0 ? lab : NULL;
}

/* Names, addresses, files. */

unsigned lab_host_number(const struct lab *lab, const char *name)
{
    struct slice rest = slice_of(name);
    uint64_t number, block, last;

    if (scan_text(&rest, "node")) {
        if (!scan_u64(rest, &number) || number < 1 || number > lab->hosts || *rest.bytes == '0')
            return 0;
        return (unsigned)number;
    }
    if (!scan_text(&rest, "127.1.") || !scan_digits(&rest, &block) || !scan_text(&rest, ".") ||
        !scan_u64(rest, &last) || last < 1 || last > 250)
        return 0;
    number = block * 250 + last;
    return number <= lab->hosts ? (unsigned)number : 0;
}

const char *lab_address(unsigned host, char buf[16])
{
    snprintf(buf, 16, "127.1.%u.%u", (host - 1) / 250 % 256, (host - 1) % 250 + 1);
    return buf;
}

char *lab_host_file(struct arena *arena, const struct lab *lab, unsigned host, const char *name)
{
    return arena_printf(arena, "%s/hosts/node%u%s%s", lab->directory, host, *name != '\0' ? "/" : "", name);
}

char *lab_meeting_place(struct arena *arena, const struct lab *lab, unsigned host, const char *name)
{
    return arena_printf(arena, "%s/root/var/tmp/node%u.%s", lab->directory, host, name);
}

char *lab_host_path(struct arena *arena, const struct lab *lab, unsigned host)
{
    if (fault_find(lab, host, FAULT_TOOL_MISSING) != NULL)
        return lab_host_file(arena, lab, host, "bin");
    return arena_printf(arena, "%s/bin:/usr/local/bin:/usr/bin:/bin", lab->directory);
}

/* Noise: FNV-1a over the words, then a finaliser that spreads neighbours. */

static uint64_t hash(unsigned host, const char *what, unsigned number)
{
    uint64_t value = 0xcbf29ce484222325u ^ ((uint64_t)host << 32 | number);

    for (; *what != '\0'; what++)
        value = (value ^ (unsigned char)*what) * 0x100000001b3u;
    value ^= value >> 30;
    value *= 0xbf58476d1ce4e5b9u;
    value ^= value >> 27;
    value *= 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

double lab_noise(unsigned host, const char *what, unsigned number)
{
    return (double)(hash(host, what, number) >> 11) / (double)(1ull << 52) - 1;
}

double lab_jitter(const struct lab_host *host, const char *what, unsigned number)
{
    return host->lab->seed == 0 ? 0 : 0.005 * lab_noise(host->number + 65536 * host->lab->seed, what, number);
}

/* The host. */

static unsigned vary(unsigned value, double share, unsigned host, const char *what, unsigned number)
{
    return (unsigned)lround(value * (1 + share * lab_noise(host, what, number)));
}

/* How often another GPU was put in that place: a byte each. */
static unsigned times_swapped(const struct lab_host *host, int gpu)
{
    cleanup_free char *path = mem_printf("%s/hosts/%s/swapped-gpu%d", host->lab->directory, host->name, gpu);
    struct stat status;

    return stat(path, &status) == 0 ? (unsigned)status.st_size : 0;
}

static bool has_fault(const struct lab_host *host, enum fault_kind kind, int gpu)
{
    return fault_of_gpu(host->lab, host->number, kind, gpu) != NULL;
}

/*
 * The board's number, which the two GPUs of a module of NVL72 share. Among 160,000 random ones of ten digits two would be equal: the
 * factor has no divisor in common with 10^10, so these never are.
 */
static void gpu_serial(struct lab_gpu *gpu, const struct lab_host *of, unsigned host, unsigned piece)
{
    unsigned board = of->profile->domain_hosts > 0 ? piece / 2 : piece;

    if (has_fault(of, FAULT_SERIAL_TWICE, gpu->number))
        host = board = 0;
    if (has_fault(of, FAULT_SERIAL_NONE, gpu->number))
        snprintf(gpu->serial, sizeof gpu->serial, "N/A");
    else
        snprintf(gpu->serial, sizeof gpu->serial, "165%010llu",
                 (unsigned long long)((uint64_t)host << 10 | board) * 6364136223ull % 10000000000ull);
}

static void gpu_identity(struct lab_gpu *gpu, const struct lab_host *of)
{
    const struct fault *twin = fault_of_gpu(of->lab, of->number, FAULT_GPU_TWIN, gpu->number);
    int as = twin != NULL ? twin->peer : gpu->number;
    bool cloned = has_fault(of, FAULT_GPU_CLONED, gpu->number);
    unsigned host = cloned ? 0 : of->number,
             piece = cloned ? 0 : (unsigned)as + LAB_GPUS * times_swapped(of, as);
    uint64_t a = hash(host, "uuid", piece), b = hash(host, "uuid2", piece);

    snprintf(gpu->uuid, sizeof gpu->uuid, "GPU-%08x-%04x-%04x-%04x-%012llx", (unsigned)(a >> 32),
             (unsigned)(a >> 16) & 0xffff, (unsigned)a & 0xffff, (unsigned)(b >> 48),
             (unsigned long long)(b & 0xffffffffffffull));
    gpu_serial(gpu, of, host, piece);
}

bool lab_struck(const struct lab_host *host)
{
    cleanup_free char *path = mem_printf("%s/hosts/%s/struck", host->lab->directory, host->name);

    return file_exists(path);
}

/* The fault's number, or what it is where nothing is wrong. */
static double number_or(const struct lab_host *host, enum fault_kind kind, int gpu, double healthy)
{
    const struct fault *fault = fault_of_gpu(host->lab, host->number, kind, gpu);

    return fault != NULL ? fault->number : healthy;
}

/* Less power and lower clocks are less work, about in proportion at this end of the curve. */
static void gpu_hold_back(struct lab_gpu *gpu, const struct lab_profile *profile)
{
    if (gpu->power_limit < profile->power_limit) {
        gpu->strength *= sqrt((double)gpu->power_limit / profile->power_limit);
        gpu->power_burn = fmin(gpu->power_burn, gpu->power_limit - 2.0);
    }
    if (gpu->clock_limit < profile->clock_max)
        gpu->strength *= (double)gpu->clock_limit / profile->clock_max;
    if (gpu->clock_held > 0 && gpu->clock_held < profile->clock_max) {
        double share = (double)gpu->clock_held / profile->clock_max;

        gpu->strength *= share;
        gpu->power_burn = profile->power_idle + (gpu->power_burn - profile->power_idle) * share * share;
    }
    if (gpu->throttled) {
        gpu->temperature_burn = 88;
        gpu->power_burn *= gpu->strength;
    }
}

/* What a test leaves behind: nothing before one has struck the host. */
static void gpu_strike(struct lab_gpu *gpu, const struct lab_host *host)
{
    if (!lab_struck(host))
        return;
    gpu->ecc_uncorrected += (unsigned)number_or(host, FAULT_ECC_BURN, gpu->number, 0);
    gpu->remap_pending |= has_fault(host, FAULT_REMAP_BURN, gpu->number);
    gpu->drain_recommended = has_fault(host, FAULT_DRAIN_BURN, gpu->number);
    gpu->reset_required |= lab_counted(host, FAULT_GPU_COUNTS, gpu->number, "needs-reset") > 0;
    gpu->link_recoveries = (unsigned)number_or(host, FAULT_NVLINK_RECOVERY, gpu->number, 0);
    gpu->link_crc = (unsigned)number_or(host, FAULT_NVLINK_CRC, gpu->number, 0);
    gpu->busy |= has_fault(host, FAULT_GPU_TAKEN, gpu->number);
}

static bool is_odd(const struct lab_gpu *gpu, const struct lab_host *host, const char *what)
{
    array_each (fault, host->lab->faults, host->lab->fault_count)
        if (fault->kind == FAULT_GPU_ODD && fault->host == host->number && fault->gpu == gpu->number &&
            strcmp(fault->word, what) == 0)
            return true;
    return false;
}

/* What it tells of itself, and would tell on any host. */
static void gpu_build(struct lab_gpu *gpu, const struct lab_host *host)
{
    const struct lab_profile *profile = host->profile;

    gpu->vbios = is_odd(gpu, host, "vbios") ? "96.00.30.00.01" : profile->vbios;
    gpu->board_part = is_odd(gpu, host, "board-part") ? "692-2G520-0200-0A1" : profile->board_part;
    gpu->image = is_odd(gpu, host, "inforom") ? "G520.0200.00.03" : profile->image;
    gpu->gsp = is_odd(gpu, host, "gsp") ? "N/A" : host->driver;
    gpu->memory_mib = profile->memory_mib - (is_odd(gpu, host, "memory") ? 2048 : 0);
    gpu->generation_max = profile->pcie_generation - is_odd(gpu, host, "pcie-generation");
    gpu->width_max = is_odd(gpu, host, "pcie-width") ? 8 : 16;
    gpu->ecc_pending = gpu->ecc && !is_odd(gpu, host, "ecc-pending");
    gpu->mig_pending = gpu->mig || is_odd(gpu, host, "mig-pending");
    gpu->inforom_bad = has_fault(host, FAULT_INFOROM, gpu->number);
    gpu->power_default = (unsigned)number_or(host, FAULT_POWER_DEFAULT, gpu->number, profile->power_limit);
    if (gpu->power_default < gpu->power_limit)
        gpu->power_limit = gpu->power_default;
}

static unsigned domain_of(const struct lab_host *host, int gpu)
{
    if (host->profile->domain_hosts == 0 || has_fault(host, FAULT_FABRIC_UUID_ZERO, gpu))
        return 0;
    return (unsigned)number_or(host, FAULT_DOMAIN_OTHER, gpu, lab_unit(host->lab, host->number));
}

/* "30" of a fault that takes 30% away: 0.7. */
static double left_by(const struct lab_host *host, enum fault_kind kind, int gpu)
{
    return 1 - number_or(host, kind, gpu, 0) / 100;
}

static void gpu_slow_down(struct lab_gpu *gpu, const struct lab_host *host)
{
    int number = gpu->number;

    gpu->strength = (1 + 0.012 * lab_noise(host->number, "gflops", (unsigned)number)) *
                    left_by(host, FAULT_THROTTLE, number) * left_by(host, FAULT_GPU_SLOW, number) *
                    left_by(host, FAULT_BURN_SLOW, number);
    gpu->tensor = left_by(host, FAULT_TENSOR_SLOW, number);
    gpu->copies = left_by(host, FAULT_GPU_SLOW, number);
    gpu->host_copies = left_by(host, FAULT_PCIE_SLOW, number);
    gpu->gemm = left_by(host, FAULT_COMPUTE_SLOW, number);
    gpu->training = left_by(host, FAULT_STEP_SLOW, number);
    gpu->hbm = left_by(host, FAULT_HBM_SLOW, number);
}

static void gpu_init(struct lab_gpu *gpu, const struct lab_host *host, int number)
{
    const struct lab_profile *profile = host->profile;
    unsigned n = (unsigned)number;

    *gpu = (struct lab_gpu){
        .number = number,
        .pci_domain = profile->pci_domain[number],
        .pci_bus = profile->pci_bus[number],
        .persistence = !has_fault(host, FAULT_PERSISTENCE_OFF, number),
        .mig = has_fault(host, FAULT_MIG_ON, number),
        .ecc = !has_fault(host, FAULT_ECC_OFF, number),
        .remap_pending = has_fault(host, FAULT_REMAP_PENDING, number),
        .reset_required = has_fault(host, FAULT_RESET_REQUIRED, number),
        .pcie_width = (unsigned)number_or(host, FAULT_PCIE_WIDTH, number, 16),
        .ecc_uncorrected = (unsigned)number_or(host, FAULT_ECC_UNCORRECTED, number, 0),
        .domain = domain_of(host, number),
        .clique = (unsigned)number_or(host, FAULT_CLIQUE_OTHER, number, 0),
        .fabric_degraded = has_fault(host, FAULT_FABRIC_DEGRADED, number),
        .fabric_ready = host->fabric_manager_active && !has_fault(host, FAULT_FABRIC_STATE, number),
        .busy = has_fault(host, FAULT_GPU_BUSY, number),
        .idle = has_fault(host, FAULT_BURN_IDLE, number),
        .throttled = has_fault(host, FAULT_THROTTLE, number),
        .memory_wrong = (unsigned)number_or(host, FAULT_HBM_BIT, number, 0),
        .sm_wrong = (int)number_or(host, FAULT_SDC, number, -1),
        .sag = number_or(host, FAULT_POWER_SAG, number, 0) / 100,
        .trips = has_fault(host, FAULT_POWER_TRIP, number),
        .burn_errors = (unsigned)number_or(host, FAULT_BURN_FAULTY, number, 0),
        .temperature_idle = vary(profile->temperature_idle, 0.1, host->number, "cool", n),
        .temperature_burn = vary(profile->temperature_burn, 0.05, host->number, "hot", n),
        .power_idle = profile->power_idle * (1 + 0.05 * lab_noise(host->number, "idle power", n)),
        .power_burn = profile->power_burn * (1 + 0.006 * lab_noise(host->number, "power", n)),
        .power_limit = (unsigned)number_or(host, FAULT_POWER_LIMIT, number, profile->power_limit),
        .clock_limit = (unsigned)number_or(host, FAULT_CLOCKS_LOCKED, number, profile->clock_max),
        .clock_held = (unsigned)number_or(host, FAULT_CLOCKS_HELD, number, 0),
        .links_active = profile->links,
    };
    gpu_slow_down(gpu, host);
    gpu_build(gpu, host);
    gpu_strike(gpu, host);
    gpu_hold_back(gpu, profile);
    gpu->power_burn = number_or(host, FAULT_POWER_LOW, number, gpu->power_burn);
    gpu->temperature_burn = (unsigned)number_or(host, FAULT_BURN_HOT, number, gpu->temperature_burn);
    gpu->temperature_idle = (unsigned)number_or(host, FAULT_HOT, number, gpu->temperature_idle);
    if (has_fault(host, FAULT_HOT, number) && gpu->temperature_burn < gpu->temperature_idle)
        gpu->temperature_burn = gpu->temperature_idle;
    gpu_identity(gpu, host);
}

unsigned lab_hca_bus(const struct lab_profile *profile, unsigned hca)
{
    return profile->hca_bus[hca] > 0 ? profile->hca_bus[hca] : profile->pci_bus[hca] - 3;
}

const char *lab_hca_pci(const struct lab_profile *profile, unsigned hca, char buf[24])
{
    snprintf(buf, 24, "%04x:%02x:00", profile->hca_domain[hca], lab_hca_bus(profile, hca));
    return buf;
}

const char *lab_gpu_pci(const struct lab_profile *profile, int number, char buf[24])
{
    snprintf(buf, 24, "%04x:%02x:00", profile->pci_domain[number], profile->pci_bus[number]);
    return buf;
}

const char *lab_domain_uuid(unsigned domain, char buf[40])
{
    uint64_t a = domain > 0 ? hash(domain, "domain", 0) : 0, b = domain > 0 ? hash(domain, "domain", 1) : 0;

    snprintf(buf, 40, "%08x-%04x-%04x-%04x-%012llx", (unsigned)(a >> 32), (unsigned)(a >> 16) & 0xffff,
             (unsigned)a & 0xffff, (unsigned)(b >> 48), (unsigned long long)(b & 0xffffffffffffull));
    return buf;
}

const char *lab_bus_id(const struct lab_gpu *gpu, char buf[24])
{
    snprintf(buf, 24, "%08X:%02X:00.0", gpu->pci_domain, gpu->pci_bus);
    return buf;
}

const char *lab_netdev(const struct lab *lab, unsigned hca, char buf[16])
{
    snprintf(buf, 16, "%s%u", lab->ethernet ? "rdma" : "ib", hca);
    return buf;
}

unsigned lab_netdev_hca(const struct lab *lab, const char *name)
{
    struct slice rest = slice_of(name);
    uint64_t number;

    if (!scan_text(&rest, lab->ethernet ? "rdma" : "ib") || !scan_u64(rest, &number) || number >= LAB_HCAS)
        return LAB_HCAS;
    return (unsigned)number;
}

unsigned lab_leaf_hosts(const struct lab *lab)
{
    return lab->profile->domain_hosts > 0 ? lab->profile->domain_hosts : 8;
}

unsigned lab_unit(const struct lab *lab, unsigned host)
{
    return (host - 1) / lab_leaf_hosts(lab) + 1;
}

struct lab_place lab_rail(const struct lab *lab, unsigned host, unsigned rail)
{
    struct lab_place place = {.port_number = (host - 1) % lab_leaf_hosts(lab) + 1};

    snprintf(place.switch_name, sizeof place.switch_name, "l%ur%u", lab_unit(lab, host), rail);
    snprintf(place.port, sizeof place.port, "%s%u", lab->ethernet ? "swp" : "", place.port_number);
    return place;
}

static bool has_odd(const struct lab_host *host, const char *what)
{
    array_each (fault, host->lab->faults, host->lab->fault_count)
        if (fault->kind == FAULT_HOST_ODD && fault->host == host->number && strcmp(fault->word, what) == 0)
            return true;
    return false;
}

/* The place that the HCA's cable ends in. */
static unsigned rail_of(const struct lab *lab, unsigned host, int number)
{
    array_each (fault, lab->faults, lab->fault_count) {
        if (fault->host != host || fault->kind != FAULT_RAIL_SWAP)
            continue;
        if (fault->gpu == number || fault->peer == number)
            return (unsigned)(fault->gpu + fault->peer - number);
    }
    return (unsigned)number;
}

/* What a lane of an HCA's slot carries, GB/s: 63/16 at generation 5, half of it at each one before. A ConnectX-8 has
   generation 6, wherever its GPU sits. */
static double lane_gb(const struct lab_profile *profile)
{
    unsigned generation = profile->hca_rate >= 800 ? 6 : profile->pcie_generation;

    return 63.0 / PCIE_LANES * exp2((double)generation - 5);
}

static void hca_init(struct lab_hca *hca, struct lab_host *host, int number)
{
    const struct lab *lab = host->lab;
    const struct fault *firmware = fault_find(lab, host->number, FAULT_HCA_FIRMWARE);
    const struct fault *rate = fault_of_hca(lab, host->number, FAULT_LINK_RATE, number);
    const struct fault *lanes = fault_of_hca(lab, host->number, FAULT_HCA_PCIE, number);
    const struct fault *errors = fault_of_hca(lab, host->number, FAULT_IB_ERRORS, number);
    const struct fault *downs = fault_of_hca(lab, host->number, FAULT_LINK_DOWNS, number);
    const struct fault *mtu = fault_of_hca(lab, host->number, FAULT_ROCE_MTU, number);

    *hca = (struct lab_hca){
        .present = (unsigned)number < host->profile->hcas &&
                   fault_of_hca(lab, host->number, FAULT_HCA_MISSING, number) == NULL,
        .far = fault_of_hca(lab, host->number, FAULT_NIC_FAR, number) != NULL,
        .up = fault_of_hca(lab, host->number, FAULT_LINK_DOWN, number) == NULL,
        .rate = rate != NULL ? (unsigned)rate->number : host->profile->hca_rate,
        .pcie_width = lanes != NULL ? (unsigned)lanes->number : PCIE_LANES,
        .firmware = host->profile->hca_firmware,
        .board = has_odd(host, "psid") ? "MT_0000000970" : "MT_0000000838",
        .rail = rail_of(lab, host->number, number),
        .link_downed = downs != NULL ? (unsigned)downs->number : 1, /* when the cable was plugged in */
        .symbol_errors = errors != NULL ? (unsigned)errors->number : 0,
        .mtu = mtu != NULL     ? (unsigned)mtu->number
               : lab->ethernet ? 9000
                               : 4092,
        .v2 = lab->ethernet && fault_of_hca(lab, host->number, FAULT_ROCE_V1, number) == NULL,
        .pfc = lab->ethernet && fault_of_hca(lab, host->number, FAULT_PFC_OFF, number) == NULL,
        .ecn = lab->ethernet && fault_of_hca(lab, host->number, FAULT_ECN_OFF, number) == NULL,
    };
    if (firmware != NULL)
        hca->firmware = firmware->word != NULL ? firmware->word : "28.36.1010";
    if (!hca->up)
        hca->link_downed++;
    host->rail[number] = fmin(1, (double)hca->rate / host->profile->hca_rate);
    host->rail[number] =
        fmin(host->rail[number], hca->pcie_width * lane_gb(host->profile) / host->profile->nic_gb);
    /* Its GPU shares another's HCA. */
    if ((unsigned)number < host->profile->hcas && (!hca->present || !hca->up))
        host->rail[number] = 0.5;
}

/* A lost link or a slow pair costs NCCL something, but far less than the pair: most traffic goes elsewhere.
 */
static void apply_links(struct lab_host *host)
{
    const struct lab *lab = host->lab;

    host->nccl_factor = 1;
    array_each (fault, lab->faults, lab->fault_count) {
        double ratio = fault->number / host->profile->p2p_uni;

        if (fault->host != host->number)
            continue;
        if (fault->kind == FAULT_P2P && ratio < 1)
            host->nccl_factor *= 1 - 0.03 * (1 - ratio);
        if (fault->kind == FAULT_NIC_SLOW)
            host->rail[fault->hca] = fmin(host->rail[fault->hca], fault->number / host->profile->nic_gb);
        if (fault->kind == FAULT_NIC_FAR)
            host->rail[fault->hca] = fmin(host->rail[fault->hca], 16.0 / 24); /* as nccl#412 has it */
        if (fault->kind != FAULT_NVLINK_DOWN)
            continue;
        host->nccl_factor *= 0.975;
        for (int g = 0; g < host->gpu_count; g++)
            if (host->gpus[g].number == fault->gpu || host->gpus[g].number == fault->peer)
                host->gpus[g].links_active--;
    }
}

static const char *word_or(const struct fault *fault, const char *sound, const char *fallback)
{
    return fault == NULL ? sound : fault->word != NULL ? fault->word : fallback;
}

/* "22304" -> "2.23.4" */
static const char *nccl_text(const char *number, char buf[16])
{
    snprintf(buf, 16, "%c.%d.%d", number[0], (number[1] - '0') * 10 + number[2] - '0',
             (number[3] - '0') * 10 + number[4] - '0');
    return buf;
}

static void system_init(struct lab_host *host)
{
    const struct lab *lab = host->lab;
    unsigned number = host->number;
    const struct fault *memlock = fault_find(lab, number, FAULT_MEMLOCK);
    const struct fault *skew = fault_find(lab, number, FAULT_CLOCK_SKEW);
    const struct fault *dimm = fault_find(lab, number, FAULT_DIMM_MISSING);
    const struct fault *psu = fault_find(lab, number, FAULT_SEL_PSU);
    const struct fault *bmc = fault_find(lab, number, FAULT_BMC_BAD);
    const struct fault *monitor = fault_find(lab, number, FAULT_MONITOR);

    host->board = host->profile->board;
    host->kernel =
        word_or(fault_find(lab, number, FAULT_KERNEL_VERSION), "5.15.0-122-generic", "5.15.0-105-generic");
    host->bios_version =
        word_or(fault_find(lab, number, FAULT_BIOS_VERSION), host->board->bios_version, "1.4a");
    host->boot_options = has_odd(host, "iommu") ? "intel_iommu=on" : "iommu=pt";
    host->numa_balancing = has_odd(host, "numa-balancing");
    host->peermem = !has_odd(host, "peermem");
    host->acs = has_odd(host, "acs");
    host->old_switch = has_odd(host, "nvswitch");
    host->bmc_firmware = has_odd(host, "bmc") ? "1.07" : "1.15";
    host->open_mpi = word_or(fault_find(lab, number, FAULT_MPI_VERSION), "4.1.4", "5.0.8");
    host->nccl = word_or(fault_find(lab, number, FAULT_NCCL_VERSION),
                         nccl_text(host->profile->nccl_version, host->nccl_buffer), "2.17.1");
    host->interface = fault_find(lab, number, FAULT_INTERFACE) != NULL ? "eno1" : "eth0";
    host->governor = fault_find(lab, number, FAULT_GOVERNOR) != NULL ? "powersave" : "performance";
    host->memlock = memlock != NULL ? (unsigned long long)memlock->number : 0;
    host->clock_skew = skew != NULL ? skew->number : 0;
    host->containerd = word_or(fault_find(lab, number, FAULT_CONTAINERD_OLD), "1.7.22", "1.6.33");
    host->extra_user = fault_find(lab, number, FAULT_EXTRA_USER) != NULL;
    host->extra_key = fault_find(lab, number, FAULT_EXTRA_KEY) != NULL;
    host->extra_partition = fault_find(lab, number, FAULT_EXTRA_PARTITION) != NULL;
    host->subnet_keys = fault_find(lab, number, FAULT_SUBNET_KEYS) != NULL;
    host->toolkit = word_or(fault_find(lab, number, FAULT_TOOLKIT_OLD), "1.19.1", "1.14.3");
    host->nvidia_fs = word_or(fault_find(lab, number, FAULT_GDS), NULL, "2.24.2");
    host->os_ended = fault_find(lab, number, FAULT_OS_EOL) != NULL;
    host->root_login = fault_find(lab, number, FAULT_SSHD_ROOT_LOGIN) != NULL;
    host->drives = host->board->nvme_count;
    if (lab_struck(host) && fault_find(lab, host->number, FAULT_NVME_GONE) != NULL)
        host->drives--;
    host->psu_lost = psu != NULL ? (unsigned)psu->number : 0;
    host->bmc_bad = bmc != NULL ? bmc->word : "";
    host->monitor = monitor != NULL ? monitor->word : NULL;
    host->dimm_missing = dimm != NULL ? (unsigned)dimm->number : 0;
}

/* The number of a fault of the host as a whole. */
static double limit_or(const struct lab_host *host, enum fault_kind kind, double healthy)
{
    const struct fault *fault = fault_find(host->lab, host->number, kind);

    return fault != NULL ? fault->number : healthy;
}

static void storage_init(struct lab_host *host)
{
    const struct fault *slow = fault_find(host->lab, host->number, FAULT_FIO_SLOW);
    const struct fault *bad = fault_find(host->lab, host->number, FAULT_DATA_BAD);
    const struct fault *md = fault_find(host->lab, host->number, FAULT_MD_RAID);

    host->open_port = (unsigned)limit_or(host, FAULT_OPEN_PORT, 0);
    host->no_space = fault_find(host->lab, host->number, FAULT_NO_SPACE) != NULL;
    host->inodes_full = fault_find(host->lab, host->number, FAULT_INODES_FULL) != NULL;
    host->logs_grown_gib = (unsigned)limit_or(host, FAULT_LOGS_GROWN, 0);
    host->names_unknown = fault_find(host->lab, host->number, FAULT_NAMES_UNKNOWN) != NULL;
    host->data_mounted = fault_find(host->lab, host->number, FAULT_MOUNT_MISSING) == NULL;
    host->scratch_full = fault_find(host->lab, host->number, FAULT_DISK_FULL) != NULL;
    host->fio_seconds = limit_or(host, FAULT_FIO_SHORT, 0);
    host->scratch_speed = slow != NULL ? 1 - slow->number / 100 : 1;
    host->power_late_ms = limit_or(host, FAULT_POWER_OUT_OF_PHASE, 0.4);
    host->data_speed = 1 - limit_or(host, FAULT_CLIENT_SLOW, 0) / 100;
    host->data_bad = bad != NULL ? bad->word : "";
    host->md_bad = md != NULL ? md->word : "";
}

void lab_host_init(struct lab_host *host, const struct lab *lab, unsigned number)
{
    const struct fault *driver = fault_find(lab, number, FAULT_DRIVER_VERSION);
    const struct fault *eol = fault_find(lab, number, FAULT_DRIVER_EOL);
    const struct fault *manager = fault_find(lab, number, FAULT_FABRIC_MANAGER_VERSION);
    const struct fault *wrong = fault_find(lab, number, FAULT_NCCL_WRONG);

    *host = (struct lab_host){.lab = lab, .profile = lab->profile, .number = number};
    snprintf(host->name, sizeof host->name, "node%u", number);
    system_init(host);
    storage_init(host);
    host->driver = word_or(driver, word_or(eol, lab->profile->driver, "535.309.01"), "550.54.15");
    host->fabric_manager = host->driver;
    if (manager != NULL)
        host->fabric_manager = manager->word != NULL ? manager->word : "550.54.14";
    host->imex_active = lab->profile->domain_hosts > 0 && fault_find(lab, number, FAULT_IMEX_DOWN) == NULL;
    host->imex_apart = fault_find(lab, number, FAULT_IMEX_MAP) != NULL ||
                       fault_find(lab, number, FAULT_IMEX_ALONE) != NULL ||
                       fault_find(lab, number, FAULT_IMEX_UNLISTED) != NULL;
    host->fabric_manager_active = fault_find(lab, number, FAULT_FABRIC_MANAGER_DEAD) == NULL;
    host->nvls = lab->profile->fabric_state && fault_find(lab, number, FAULT_NVLS_OFF) == NULL;
    host->rdma = fault_find(lab, number, FAULT_NCCL_SOCKET) == NULL;
    host->nccl_wrong = wrong != NULL ? (unsigned)wrong->number : 0;
    host->nccl_rounds = (unsigned)limit_or(host, FAULT_NCCL_SHORT, 0);
    host->dcgm_level = (int)limit_or(host, FAULT_DCGM_SHORT, 4);
    for (int i = 0; i < LAB_HCAS; i++)
        hca_init(&host->hcas[i], host, i);
    for (int i = 0; i < (int)lab->profile->gpus; i++)
        if (fault_of_gpu(lab, number, FAULT_GPU_MISSING, i) == NULL)
            gpu_init(&host->gpus[host->gpu_count++], host, i);
    apply_links(host);
    for (int i = 0; i < host->gpu_count; i++)
        if (!host->gpus[i].fabric_ready)
            host->cuda_error = "system not yet initialized";
}

/* Figures. */

#define RAIL_SHARE 0.955 /* of one adapter's line rate, as NCCL reaches it */
#define SOCKET_SHARE \
    0.02                /* of the bandwidth over HCAs, when NCCL goes over TCP on the management network \
                         */
#define RING_SHARE 0.77 /* of NVLS all_reduce, when it runs as a ring: 370 of 480 */

static const struct fault *slow_pair(const struct lab_host *host, int a, int b)
{
    array_each (fault, host->lab->faults, host->lab->fault_count)
        if (fault->host == host->number && fault->kind == FAULT_P2P &&
            ((fault->gpu == a && fault->peer == b) || (fault->gpu == b && fault->peer == a)))
            return fault;
    return NULL;
}

unsigned lab_links_between(const struct lab_profile *profile, int a, int b)
{
    /* The hybrid cube mesh of a DGX-1 with V100: `nvidia-smi topo -m` there. */
    static const unsigned char mesh[LAB_GPUS][LAB_GPUS] = {
        {0, 1, 1, 2, 2, 0, 0, 0}, {1, 0, 2, 1, 0, 2, 0, 0}, {1, 2, 0, 2, 0, 0, 1, 0},
        {2, 1, 2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 1, 1, 2}, {0, 2, 0, 0, 1, 0, 2, 1},
        {0, 0, 1, 0, 1, 2, 0, 2}, {0, 0, 0, 1, 2, 1, 2, 0}};

    return profile->mesh ? mesh[a][b] : profile->links;
}

double lab_p2p(const struct lab_host *host, int from, int to, bool peer, bool bidirectional)
{
    const struct lab_profile *profile = host->profile;
    const struct lab_gpu *a = &host->gpus[from], *b = &host->gpus[to];
    const struct fault *slow = slow_pair(host, a->number, b->number);
    unsigned key = (unsigned)(a->number * 8 + b->number) + (peer ? 64 : 0) + (bidirectional ? 128 : 0);
    double noise = lab_noise(host->number, "p2p", key), share, joined = 1;
    unsigned lost;

    if (from == to)
        return profile->p2p_local * a->copies * (1 + 0.01 * noise);
    if (profile->mesh)
        joined = lab_links_between(profile, a->number, b->number) / 2.0;
    if (!peer || joined == 0)
        return (bidirectional ? profile->p2p_off_bi : profile->p2p_off_uni) * (1 + 0.03 * noise);
    if (slow != NULL)
        return slow->number * (bidirectional ? 2 : 1) * (1 + 0.002 * noise);
    /* Copies are striped evenly over the switches: the one that lost a link holds all of them up. */
    lost = profile->links - (a->links_active < b->links_active ? a->links_active : b->links_active);
    share = fmax(1 - (double)lost / profile->links_per_switch, 0.05);
    share *= fmin(a->copies, b->copies) * (1 + lab_jitter(host, "p2p now", key));
    return (bidirectional ? profile->p2p_bi : profile->p2p_uni) * joined * share * (1 + 0.012 * noise);
}

double lab_latency(const struct lab_host *host, int from, int to, bool peer)
{
    unsigned key = (unsigned)(host->gpus[from].number * 8 + host->gpus[to].number) + (peer ? 64 : 0);
    bool joined = lab_links_between(host->profile, host->gpus[from].number, host->gpus[to].number) > 0;
    double base = peer && joined ? host->profile->latency_on : host->profile->latency_off;

    if (from == to)
        base = 2.2;
    return base * (1 + 0.06 * lab_noise(host->number, "latency", key));
}

/* Between the points of a curve along the logarithm of the size; below it the time stays about the same. */
static double curve_at(const double *curve, double size)
{
    double at = log2(fmax(size, 1)) - CURVE_FIRST;
    int below = (int)floor(at);

    if (at < 0)
        return curve[0] * exp2(at) / (0.55 + 0.45 * exp2(at));
    if (below >= CURVE_POINTS - 1)
        return curve[CURVE_POINTS - 1];
    return curve[below] + (curve[below + 1] - curve[below]) * (at - below);
}

/* Whether NVLinks join the GPUs of the two: one domain, one partition of it, and IMEX on both. */
static bool are_joined(const struct lab_host *a, const struct lab_host *b)
{
    const struct lab_gpu *one = &a->gpus[0], *other = &b->gpus[0];

    return one->fabric_ready && one->domain > 0 && a->imex_active && b->imex_active && !a->imex_apart &&
           !b->imex_apart && other->domain == one->domain && other->clique == one->clique;
}

/* Whether the GPUs of hosts[index] are in the domain and partition of a host before it. */
static bool in_domain_of_earlier(const struct lab_host *hosts, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (are_joined(&hosts[index], &hosts[i]))
            return true;
    return false;
}

/* Of the hosts those in the domain that has the fewest of them. */
static size_t fewest_in_domain(const struct lab_host *hosts, size_t count)
{
    size_t fewest = count;

    for (size_t i = 0; i < count; i++) {
        size_t together = 1;

        for (size_t k = 0; k < count; k++)
            together += k != i && are_joined(&hosts[i], &hosts[k]);
        fewest = together < fewest ? together : fewest;
    }
    return fewest;
}

/* Over hosts: trees lose a little with every doubling; all to all is bound by what leaves the host. */
static double cluster_peak(const struct lab_profile *profile, enum collective collective, size_t hosts,
                           unsigned ranks)
{
    double doublings = log2((double)hosts / 2), inside = (double)ranks / (double)hosts;
    double hca_gb = profile->nic_gb * profile->hcas / profile->gpus; /* of a GPU */

    switch (collective) {
    case ALL_REDUCE:
        return hosts == 2 ? profile->all_reduce_two : profile->all_reduce_many * (1 - 0.012 * doublings);
    case ALL_GATHER:
    case REDUCE_SCATTER:
        return profile->gather_many;
    case ALLTOALL:
        return 0.91 * hca_gb * (ranks - 1) / (ranks - inside);
    case SENDRECV:
    case COLLECTIVES:
    default:
        return RAIL_SHARE * hca_gb;
    }
}

unsigned lab_domains(const struct lab_host *hosts, size_t count)
{
    unsigned domains = 1;

    if (hosts[0].profile->domain_hosts == 0)
        return 0;
    for (size_t i = 1; i < count; i++)
        domains += !in_domain_of_earlier(hosts, i);
    return domains;
}

/*
 * Racks: each carries what crosses its border over all its adapters, as long as its trays are many: 793 to 820 over two
 * racks, 382 to 405 over twenty (coreweave/nccl-tests), in between along the logarithm. What few trays of one reach is
 * bound by the adapters of those. Of what a GPU sends to all others, that to those of its own rack stays there.
 */
static double racks_peak(const struct lab_profile *profile, enum collective collective, size_t hosts,
                         unsigned ranks, unsigned racks, size_t fewest)
{
    double inside = (double)ranks / (double)hosts * (double)fewest;
    double adapters = collective == ALLTOALL
                          ? cluster_peak(profile, collective, hosts, ranks) *
                                (ranks - (double)ranks / (double)hosts) / (ranks - inside)
                          : cluster_peak(profile, collective, hosts, ranks) * (double)fewest;
    double links =
        profile->domain_busbw[collective] * profile->racks_all_reduce / profile->domain_busbw[ALL_REDUCE];

    return fmin(adapters, links * (1 - 0.5 * log2(racks / 2.0) / log2(10)));
}

/*
 * A ring's steps take their time beside what its links carry: each rank more than those of two hosts adds 7 us, so that
 * 340 GB/s at 8G are 330 over 16 hosts and 266 over 128, about as nccl#1229 saw them fall. Messages below 1G go by
 * protocols that take less; their share stays as it is there.
 */
static double with_steps(double busbw, size_t hosts, unsigned ranks, double size_bytes)
{
    static const double step_s = 7e-6, giga = 1e9, largest_other = 1024.0 * 1024 * 1024;
    double more = ranks - 2.0 * ranks / (double)hosts;

    return 1 / (1 / busbw + more * step_s * giga / fmax(size_bytes, largest_other));
}

double lab_busbw(const struct lab_host *hosts, size_t host_count, unsigned ranks, int rail,
                 enum collective collective, double size_bytes, double fabric, bool in_place)
{
    const struct lab_profile *profile = hosts[0].profile;
    bool cluster = host_count > 1;
    unsigned domains = cluster ? lab_domains(hosts, host_count) : 0;
    bool wires = cluster && domains != 1; /* it goes over the adapters */
    double peak = !cluster       ? profile->busbw[collective]
                  : domains == 1 ? profile->domain_busbw[collective]
                  : domains > 1  ? racks_peak(profile, collective, host_count, ranks, domains,
                                              fewest_in_domain(hosts, host_count))
                                 : cluster_peak(profile, collective, host_count, ranks);
    double slowest = cluster ? fabric : 1;
    unsigned key = (unsigned)log2(fmax(size_bytes, 1)) * 2 + (in_place ? 1 : 0);

    if (ranks == 1)
        return 0;
    if (wires && rail >= 0)
        peak = RAIL_SHARE * profile->nic_gb;
    for (size_t h = 0; h < host_count; h++) {
        /* A slow host holds the others up; over hosts only what limits the rails or much inside counts. */
        slowest = fmin(slowest, cluster ? fmin(1, hosts[h].nccl_factor * 1.25) : hosts[h].nccl_factor);
        if (wires && !hosts[h].rdma)
            slowest = fmin(slowest, SOCKET_SHARE);
        if (!cluster && collective == ALL_REDUCE && profile->fabric_state && !hosts[h].nvls)
            slowest = fmin(slowest, RING_SHARE);
        for (int i = 0; wires && i < LAB_HCAS; i++)
            if (rail < 0 || rail == i)
                slowest = fmin(slowest, hosts[h].rail[i]);
    }
    peak *= slowest * curve_at(wires ? profile->curve_cluster : profile->curve, size_bytes);
    if (cluster && (collective == ALL_GATHER || collective == REDUCE_SCATTER))
        peak = with_steps(peak, host_count, ranks, size_bytes);
    return peak * (1 + 0.004 * lab_noise(hosts[0].number, "busbw", key + 1000 * (unsigned)collective));
}

/* What runs now. */

/* Who runs it holds a lock on the file: a stale file says nothing. */
static int runner_of(const struct lab_host *host, const char *name)
{
    cleanup_free char *path = mem_printf("%s/hosts/%s/%s", host->lab->directory, host->name, name);
    cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    if (fd < 0 || fcntl(fd, F_GETLK, &lock) < 0 || lock.l_type == F_UNLCK)
        return 0;
    return lock.l_pid;
}

int lab_burning(const struct lab_host *host)
{
    return runner_of(host, LAB_BURNING);
}

bool lab_carrying(const struct lab_host *host)
{
    return runner_of(host, LAB_CARRYING) != 0;
}

void lab_mark_running(const struct lab_host *host, const char *name)
{
    cleanup_free char *path = mem_printf("%s/hosts/%s/%s", host->lab->directory, host->name, name);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);

    if (fd >= 0)
        fcntl(fd, F_SETLK, &lock);
}

/* By name: whoever closes a file that it has locked loses the lock. */
void lab_mark_update(const struct lab_host *host)
{
    cleanup_free char *path = mem_printf("%s/hosts/%s/" LAB_BURNING, host->lab->directory, host->name);
    struct timespec times[2];

    clock_gettime(CLOCK_REALTIME, &times[0]); /* finer than UTIME_NOW */
    times[1] = times[0];
    (void)utimensat(AT_FDCWD, path, times, 0);
}

void lab_await_update(const struct lab_host *host)
{
    enum { PAUSE_MS = 10, PAUSES = 1000 };
    cleanup_free char *path = mem_printf("%s/hosts/%s/" LAB_BURNING, host->lab->directory, host->name);
    struct timespec seen = {0};
    int changes = -1; /* the first is what was there; the one after it may have been begun before */

    for (int i = 0; i < PAUSES && changes < 2 && lab_burning(host) != 0; i++) {
        struct stat status;

        if (stat(path, &status) == 0 &&
            (status.st_mtim.tv_sec != seen.tv_sec || status.st_mtim.tv_nsec != seen.tv_nsec)) {
            seen = status.st_mtim;
            changes++;
        }
        usleep(PAUSE_MS * 1000);
    }
}

static struct gpu_now gpu_while(const struct lab_host *host, const struct lab_gpu *gpu, bool burning)
{
    bool loaded = burning || gpu->busy;

    return (struct gpu_now){
        .loaded = loaded,
        .temperature = loaded ? gpu->temperature_burn : gpu->temperature_idle,
        .power = loaded ? gpu->power_burn : gpu->power_idle,
        .power_w = (unsigned)lround(loaded ? gpu->power_burn : gpu->power_idle),
        .utilization = loaded ? 100 : 0,
        .memory_used_mib = burning     ? host->profile->memory_mib * 9 / 10
                           : gpu->busy ? 40210
                                       : 1,
        .clock_mhz = !loaded               ? host->profile->clock_idle
                     : gpu->clock_held > 0 ? gpu->clock_held
                     : gpu->throttled      ? (unsigned)(host->profile->clock_max * gpu->strength)
                                           : host->profile->clock_max * 9 / 10,
    };
}

struct gpu_now gpu_now(const struct lab_host *host, const struct lab_gpu *gpu)
{
    return gpu_while(host, gpu, lab_burning(host) != 0 && !gpu->idle);
}

struct gpu_now gpu_at_work(const struct lab_host *host, const struct lab_gpu *gpu)
{
    return gpu_while(host, gpu, true);
}

bool gpu_process(const struct lab_host *host, const struct lab_gpu *gpu, struct gpu_process *ret_process)
{
    int burning = gpu->idle ? 0 : lab_burning(host);

    if (burning == 0 && !gpu->busy)
        return false;
    *ret_process = burning != 0
                       ? (struct gpu_process){burning, "./gpu_burn", host->profile->memory_mib * 9 / 10}
                       : (struct gpu_process){48213 + gpu->number, "python3", 40210};
    return true;
}

void lab_sleep(const struct lab *lab, double simulated_s)
{
    double real = simulated_s / lab->speed;
    struct timespec time = {.tv_sec = (time_t)real, .tv_nsec = (long)((real - floor(real)) * 1e9)};

    while (time.tv_sec + time.tv_nsec > 0 && nanosleep(&time, &time) < 0)
        continue;
}
