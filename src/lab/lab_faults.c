/* SPDX-License-Identifier: Apache-2.0 */
/* What can be wrong with a host of the lab: one row a kind, and the reading of "HOST:KIND[:ARGUMENT]". */
#include <string.h>

#include "assay/base/scan.h"
#include "lab_private.h"

/* How the argument is built; a part in brackets may be left out. */
enum argument {
    ARGUMENT_NONE,
    ARGUMENT_GPU,            /* 3 */
    ARGUMENT_GPU_OR_ALL,     /* [3] */
    ARGUMENT_GPU_NUMBER,     /* 3=79 */
    ARGUMENT_GPU_NUMBER_OPT, /* 3[=25] */
    ARGUMENT_GPU_TEST,       /* 3[=Diagnostic] */
    ARGUMENT_GPU_WORD,       /* 3=vbios */
    ARGUMENT_GPU_COUNTER,    /* 3=pcie-replays[=500] */
    ARGUMENT_COUNTER,        /* edac-ue[=1] */
    ARGUMENT_HCA_COUNTER,    /* mlx5_3=packet_seq_err[=500] */
    ARGUMENT_HOST_WORD,      /* iommu */
    ARGUMENT_DATA_WORD,      /* read-only */
    ARGUMENT_BMC_WORD,       /* hangs */
    ARGUMENT_LOG_WORD,       /* mce */
    ARGUMENT_PAIR,           /* 0-1 */
    ARGUMENT_PAIR_NUMBER,    /* 0-1=45 */
    ARGUMENT_HCA,            /* mlx5_3 */
    ARGUMENT_HCA_NUMBER,     /* mlx5_3[=12] */
    ARGUMENT_NUMBER_OPT,     /* [8] */
    ARGUMENT_HOST_NUMBER,    /* node7=12 */
    ARGUMENT_VERSION_OPT,    /* [550.54.15] */
    ARGUMENT_TOOL,           /* dcgmi */
    ARGUMENT_MONITOR,        /* dcgm-exporter */
};

static const struct kind {
    const char *name, *syntax;
    enum argument argument;
    double fallback, lowest, highest; /* of the number */
    const char *meaning, *outcome;
} kinds[FAULT_KINDS] = {
    [FAULT_GPU_MISSING] = {"gpu-missing", ":GPU", ARGUMENT_GPU, 0, 0, 0, "the GPU has fallen off the bus",
                           "fail of gpu-inventory"},
    [FAULT_GPU_TWIN] = {"gpu-twin", ":A-B", ARGUMENT_PAIR, 0, 0, 0,
                        "GPU A tells UUID and serial number of GPU B of its host",
                        "fail of gpu-inventory, both GPUs"},
    [FAULT_GPU_CLONED] = {"gpu-cloned", ":GPU", ARGUMENT_GPU, 0, 0, 0,
                          "the GPU tells the UUID and serial number that every GPU with this fault tells",
                          "fail of gpu-inventory where there are two"},
    [FAULT_SERIAL_TWICE] =
        {"serial-twice", ":GPU", ARGUMENT_GPU, 0, 0, 0,
         "the GPU tells the serial number that every GPU with this fault tells, and its own UUID",
         "fail of gpu-inventory where there are two"},
    [FAULT_SERIAL_NONE] = {"serial-none", ":GPU", ARGUMENT_GPU, 0, 0, 0, "the GPU tells no serial number",
                           "none: some GPUs have none"},
    [FAULT_GPU_ODD] = {"gpu-odd", ":GPU=WHAT", ARGUMENT_GPU_WORD, 0, 0, 0,
                       "the GPU has another vbios, inforom, gsp, memory, board-part, pcie-generation, "
                       "pcie-width, ecc-pending or mig-pending than all others",
                       "fail of gpu-inventory; a remark for board-part"},
    [FAULT_INFOROM] = {"inforom", ":GPU", ARGUMENT_GPU, 0, 0, 0,
                       "nvidia-smi says that its InfoROM is corrupted", "fail of gpu-inventory"},
    [FAULT_P2P] = {"p2p", ":A-B=GBPS", ARGUMENT_PAIR_NUMBER, 0, 0.01, 10000,
                   "copies between two GPUs run at GBPS one way, twice that both ways",
                   "fail of p2p-bandwidth, that pair"},
    [FAULT_NVLINK_DOWN] = {"nvlink-down", ":A-B", ARGUMENT_PAIR, 0, 0, 0,
                           "one NVLink of each of the two GPUs is inactive",
                           "fail of nvlink, the link of each"},
    [FAULT_FABRIC_MANAGER_DEAD] = {"fabric-manager-dead", "", ARGUMENT_NONE, 0, 0, 0,
                                   "nvidia-fabricmanager has failed: CUDA says 'system not yet initialized'",
                                   "fail of fabric-manager"},
    [FAULT_FABRIC_MANAGER_VERSION] = {"fabric-manager-version", "[:VERSION]", ARGUMENT_VERSION_OPT, 0, 0, 0,
                                      "Fabric Manager is of another version than the driver",
                                      "fail of fabric-manager"},
    [FAULT_FABRIC_STATE] = {"fabric-state", "[:GPU]", ARGUMENT_GPU_OR_ALL, 0, 0, 0,
                            "the NVLink fabric is still 'In Progress' (one GPU, or all)",
                            "fail of fabric-manager"},
    [FAULT_FABRIC_UUID_ZERO] =
        {"fabric-cluster-uuid-zero", ":GPU", ARGUMENT_GPU, 0, 0, 0,
         "NVL72: the GPU tells a ClusterUUID of zeros, so that it is in no NVLink domain",
         "fail of nvlink-domain"},
    [FAULT_FABRIC_DEGRADED] = {"fabric-degraded", ":GPU", ARGUMENT_GPU, 0, 0, 0,
                               "NVL72: the GPU's links to the rack's switches have less than their bandwidth",
                               "fail of nvlink-domain, that GPU"},
    [FAULT_CLIQUE_OTHER] = {"clique-other", "[:CLIQUE]", ARGUMENT_NUMBER_OPT, 1, 1, 1000,
                            "NVL72: the host's GPUs are in partition CLIQUE of their rack, and others in 0",
                            "fail of nvlink-domain, and of the tests with others of the rack"},
    [FAULT_DOMAIN_OTHER] = {"domain-other", "[:RACK]", ARGUMENT_NUMBER_OPT, 99, 1, 9999,
                            "NVL72: the host's GPUs are in the NVLink domain of rack RACK",
                            "fail of nvlink-domain, and of the tests with others of its own rack"},
    [FAULT_IMEX_DOWN] =
        {"imex-down", "", ARGUMENT_NONE, 0, 0, 0,
         "NVL72: nvidia-imex does not run: no GPU of the host can reach memory of another host",
         "fail of nvlink-domain, and of the tests with others of the rack"},
    [FAULT_DCGM] = {"dcgm", ":GPU[=TEST]", ARGUMENT_GPU_TEST, 0, 0, 0,
                    "dcgmi diag fails TEST (Diagnostic) on the GPU", "fail of dcgm-diag"},
    [FAULT_DCGM_WARN] = {"dcgm-warn", ":GPU[=TEST]", ARGUMENT_GPU_TEST, 0, 0, 0,
                         "dcgmi diag warns of TEST (Diagnostic) on the GPU", "fail of dcgm-diag"},
    [FAULT_DCGM_SKIP] = {"dcgm-skip", ":GPU[=TEST]", ARGUMENT_GPU_TEST, 0, 0, 0,
                         "dcgmi diag skips TEST (Diagnostic) on the GPU", "inconclusive in dcgm-diag"},
    [FAULT_DCGM_INFOROM] = {"dcgm-inforom", ":GPU", ARGUMENT_GPU, 0, 0, 0,
                            "dcgmi diag finds the GPU's InfoROM corrupt, and nothing else does",
                            "fail of dcgm-diag"},
    [FAULT_DCGM_SHORT] = {"dcgm-short", "[:LEVEL]", ARGUMENT_NUMBER_OPT, 1, 1, 3,
                          "dcgmi diag runs the tests of LEVEL only, whatever level it is asked for",
                          "inconclusive in dcgm-diag"},
    [FAULT_BURN_FAULTY] = {"burn-faulty", ":GPU[=ERRORS]", ARGUMENT_GPU_NUMBER_OPT, 137, 1, 2e9,
                           "gpu_burn finds wrong results and says FAULTY", "fail of gpu-burn"},
    [FAULT_BURN_IDLE] = {"burn-idle", ":GPU", ARGUMENT_GPU, 0, 0, 0,
                         "gpu_burn gives the GPU no work, shows 0 Gflop/s and says OK all the same",
                         "fail of gpu-burn"},
    [FAULT_BURN_SLOW] = {"burn-slow", ":GPU[=PERCENT]", ARGUMENT_GPU_NUMBER_OPT, 30, 0.1, 99,
                         "the GPU computes PERCENT less, and copies, temperature and power are as ever",
                         "fail of gpu-burn"},
    [FAULT_TENSOR_SLOW] = {"tensor-slow", ":GPU[=PERCENT]", ARGUMENT_GPU_NUMBER_OPT, 30, 0.1, 99,
                           "the GPU's tensor cores compute PERCENT less, and everything else is as ever",
                           "fail of gpu-burn with -tc"},
    [FAULT_BURN_OLD] = {"burn-old", "", ARGUMENT_NONE, 0, 0, 0,
                        "gpu_burn is a build that does not know -tc, and computes in floats",
                        "inconclusive in gpu-burn with -tc"},
    [FAULT_BURN_HOT] = {"burn-hot", ":GPU[=CELSIUS]", ARGUMENT_GPU_NUMBER_OPT, 91, 30, 120,
                        "the GPU is that hot under load, and says nothing of it", "fail of gpu-burn"},
    [FAULT_BURN_SHORT] = {"burn-short", "[:SECONDS]", ARGUMENT_NUMBER_OPT, 1, 1, 1e6,
                          "gpu_burn burns for SECONDS, whatever it is asked for, and says so",
                          "fail of gpu-burn"},
    [FAULT_BURN_HURRIED] = {"burn-hurried", "", ARGUMENT_NONE, 0, 0, 0,
                            "gpu_burn says that it burns as long as it is asked to, and is done at once",
                            "fail of gpu-burn"},
    [FAULT_THROTTLE] = {"throttle", ":GPU[=PERCENT]", ARGUMENT_GPU_NUMBER_OPT, 25, 1, 99,
                        "the GPU runs hot and gives PERCENT less", "fail of gpu-burn"},
    [FAULT_CLOCKS_HELD] =
        {"clocks-held", ":GPU[=MHZ]", ARGUMENT_GPU_NUMBER_OPT, 1200, 200, 3000,
         "the GPU's clock is locked to MHZ (nvidia-smi -lgc), which no setting and no reason "
         "tells",
         "fail of gpu-burn"},
    [FAULT_POWER_LOW] = {"power-low", ":GPU[=WATTS]", ARGUMENT_GPU_NUMBER_OPT, 450, 50, 2000,
                         "the GPU takes WATTS under load, far less than all others", "a remark in gpu-burn"},
    [FAULT_GPU_SLOW] = {"gpu-slow", ":GPU[=PERCENT]", ARGUMENT_GPU_NUMBER_OPT, 4, 0.1, 99,
                        "the GPU computes and copies PERCENT less, at the temperature it always had",
                        "within all limits where it is little; assay history names it"},
    [FAULT_COMPUTE_SLOW] = {"compute-slow", ":GPU[=PERCENT]", ARGUMENT_GPU_NUMBER_OPT, 20, 0.1, 99,
                            "products of matrices are PERCENT slower on the GPU; gpu_burn does not see it",
                            "fail of gpu-compute"},
    [FAULT_HBM_SLOW] = {"hbm-slow", ":GPU[=PERCENT]", ARGUMENT_GPU_NUMBER_OPT, 20, 0.1, 99,
                        "the GPU's own memory is PERCENT slower", "fail of gpu-memory"},
    [FAULT_HBM_BIT] = {"hbm-bit", ":GPU[=COUNT]", ARGUMENT_GPU_NUMBER_OPT, 8, 1, 1e9,
                       "a bit of the GPU's memory is read wrong COUNT times, and ECC says nothing of it",
                       "fail of gpu-memory"},
    [FAULT_SDC] = {"sdc", ":GPU[=SM]", ARGUMENT_GPU_NUMBER_OPT, 17, 0, 79,
                   "the tensor cores of that SM of the GPU answer wrong by one bit, and nothing tells of it",
                   "fail of gpu-sdc"},
    [FAULT_PCIE_SLOW] =
        {"pcie-slow", ":GPU[=PERCENT]", ARGUMENT_GPU_NUMBER_OPT, 40, 0.1, 99,
         "copies between the host and the GPU are PERCENT slower, at the full width of its link",
         "fail of gpu-links, and of nvbandwidth"},
    [FAULT_STEP_SLOW] =
        {"step-slow", ":GPU[=PERCENT]", ARGUMENT_GPU_NUMBER_OPT, 20, 0.1, 99,
         "the GPU is PERCENT slower in the steps of a training, in which all GPUs wait for it, and as ever "
         "in every part alone",
         "fail of training-step"},
    [FAULT_POWER_TRIP] =
        {"power-trip", ":GPU", ARGUMENT_GPU, 0, 0, 0,
         "a power supply trips where all GPUs go from idle to full load at once: the GPU goes away, and the "
         "chassis slows the others down; steady load it bears",
         "fail of gpu-power"},
    [FAULT_POWER_SAG] =
        {"power-sag", ":GPU[=PERCENT]", ARGUMENT_GPU_NUMBER_OPT, 30, 0.1, 99,
         "where all GPUs go from idle to full load at once the GPU's voltage sags: it is held PERCENT below its clock",
         "fail of gpu-power"},
    [FAULT_POWER_OUT_OF_PHASE] = {"power-out-of-phase", "[:MS]", ARGUMENT_NUMBER_OPT, 40, 1, 10000,
                                  "the host loads its GPUs MS after the moments that all hosts agreed on",
                                  "inconclusive in gpu-power"},
    [FAULT_NIC_SLOW] = {"nic-slow", ":HCA[=GBPS]", ARGUMENT_HCA_NUMBER, 12, 0.01, 1000,
                        "one HCA carries GBPS GB/s only; nothing shows inside the host",
                        "fail of nccl-all-reduce-cluster and nccl-all-gather-cluster"},
    [FAULT_PATH_SLOW] =
        {"path-slow", ":HOST[=GBPS]", ARGUMENT_HOST_NUMBER, 30, 0.01, 1000,
         "each HCA carries GBPS GB/s only on its way to that other host, and all of it to others",
         "fail of the tests across hosts, with 4 hosts and more the path is named"},
    [FAULT_LEAF_SLOW] = {"leaf-slow", "[:PERCENT]", ARGUMENT_NUMBER_OPT, 30, 1, 99,
                         "what leaves the host's leaf switches is PERCENT slower",
                         "fail of the tests across hosts, with 4 leaves and more the leaf is named"},
    [FAULT_UPLINK_SLOW] =
        {"uplink-slow", "[:PERCENT]", ARGUMENT_NUMBER_OPT, 75, 1, 99.9,
         "one uplink of the host's leaf, the last that is used, is PERCENT slower: it carries nothing "
         "before all hosts of the leaf send to others",
         "fail of nccl-all-gather-leaves, that leaf with both of its neighbours, and of fabric-links, that "
         "uplink"},
    [FAULT_UPLINK_ERRORS] = {"uplink-errors", "[:COUNT]", ARGUMENT_NUMBER_OPT, 40, 1, 1e9,
                             "over the same uplink COUNT symbols are wrong in each round of flows",
                             "fail of fabric-links, that uplink"},
    [FAULT_UPLINK_IDLE] = {"uplink-idle", "", ARGUMENT_NONE, 0, 0, 0,
                           "the same uplink has not become active, and all routes go around it",
                           "inconclusive in fabric-links, that uplink"},
    [FAULT_FABRIC_SLOW] =
        {"fabric-slow", "[:PERCENT]", ARGUMENT_NUMBER_OPT, 10, 0.1, 99,
         "tests over three hosts and more, with this one, are PERCENT slower, as where routes collide; "
         "pairs are as fast as ever",
         "fail from 10 where a suite has fraction_of_groups, remark from 5"},
    [FAULT_FABRIC_SLOW_ALL] =
        {"fabric-slow-all", "[:PERCENT]", ARGUMENT_NUMBER_OPT, 10, 0.1, 99,
         "whatever goes between this host and others is PERCENT slower, pairs and RDMA too",
         "fail of rdma-pair from 10, and of what has a floor"},
    [FAULT_NIC_FAR] = {"nic-far", ":HCA", ARGUMENT_HCA, 0, 0, 0,
                       "the HCA sits behind the CPU and not behind its GPU's PCIe switch",
                       "fail of topology"},
    [FAULT_SLOW_SPELLS] =
        {"slow-spells", "[:PERCENT]", ARGUMENT_NUMBER_OPT, 15, 0.1, 99,
         "of each 12 NCCL tests across hosts with this one the 5th and 6th are PERCENT slower",
         "fail of a soak from 10, which names when; remark from 5"},
    [FAULT_SLOW_WHEN_HOT] = {"slow-when-hot", "[:PERCENT]", ARGUMENT_NUMBER_OPT, 15, 0.1, 99,
                             "the same, but only while gpu_burn runs on the host too: neither alone shows it",
                             "fail of a soak from 10, which names when; no other suite has both at once"},
    [FAULT_WRONG_WHEN_HOT] =
        {"wrong-when-hot", ":GPU[=ERRORS]", ARGUMENT_GPU_NUMBER_OPT, 137, 1, 2e9,
         "gpu_burn has wrong results on the GPU, but only while a test across hosts runs too",
         "fail of a soak, that host and GPU"},
    [FAULT_BURN_SPELLS] =
        {"burn-spells", ":GPU[=PERCENT]", ARGUMENT_GPU_NUMBER_OPT, 30, 1, 99,
         "beside the 5th and 6th of each 12 NCCL tests across hosts the GPU computes PERCENT less",
         "remark of a soak, that host and when"},
    [FAULT_HCA_MISSING] = {"hca-missing", ":HCA", ARGUMENT_HCA, 0, 0, 0, "the HCA has fallen off the bus",
                           "fail of ib-port"},
    [FAULT_HCA_FIRMWARE] = {"hca-firmware", "[:VERSION]", ARGUMENT_VERSION_OPT, 0, 0, 0,
                            "the HCAs have another firmware than those of other hosts", "fail of ib-port"},
    [FAULT_LINK_DOWN] = {"link-down", ":HCA", ARGUMENT_HCA, 0, 0, 0,
                         "the HCA's port has no link; NCCL shares the other HCAs", "fail of ib-port"},
    [FAULT_LINK_RATE] = {"link-rate", ":HCA[=GBITS]", ARGUMENT_HCA_NUMBER, 100, 10, 1600,
                         "the HCA's link has come up at GBITS Gb/s", "fail of ib-port"},
    [FAULT_HCA_PCIE] = {"hca-pcie", ":HCA[=LANES]", ARGUMENT_HCA_NUMBER, 8, 1, 16,
                        "the HCA's PCIe link has LANES lanes: it carries less than its port could",
                        "fail of pcie-link"},
    [FAULT_IB_ERRORS] = {"ib-errors", ":HCA[=COUNT]", ARGUMENT_HCA_NUMBER, 65535, 1, 65535,
                         "the HCA's port counts COUNT symbol errors; 65535 is where the counter stops",
                         "inconclusive in fabric-counters and across hosts at 65535, else recorded"},
    [FAULT_LINK_DOWNS] = {"link-downs", ":HCA[=COUNT]", ARGUMENT_HCA_NUMBER, 42, 1, 254,
                          "the HCA's link has gone down COUNT times since the host was started",
                          "a remark in fabric-counters beyond 10"},
    [FAULT_LINK_BER] = {"link-ber", ":HCA[=RATE]", ARGUMENT_HCA_NUMBER, 1e-9, 1e-20, 1e-3,
                        "of each bit that the HCA's port receives RATE are wrong after correction",
                        "fail of ib-phy beyond 1e-14, a finding beyond 5e-15"},
    [FAULT_MODULE_HOT] = {"module-hot", ":HCA[=CELSIUS]", ARGUMENT_HCA_NUMBER, 78, 20, 120,
                          "the transceiver of the HCA's port is that hot", "fail of ib-phy above 75"},
    [FAULT_MODULE_DARK] = {"module-dark", ":HCA", ARGUMENT_HCA, 0, 0, 0,
                           "a lane of the HCA's transceiver receives too little light", "fail of ib-phy"},
    [FAULT_MODULE_ODD] = {"module-odd", ":HCA", ARGUMENT_HCA, 0, 0, 0,
                          "the HCA's transceiver has another firmware than on other hosts",
                          "a remark in ib-phy"},
    [FAULT_CABLE_ODD] = {"cable-odd", ":HCA", ARGUMENT_HCA, 0, 0, 0,
                         "the HCA's cable has another length than on other hosts", "a remark in ib-phy"},
    [FAULT_RDMA_LATENCY] = {"rdma-latency", ":HCA[=US]", ARGUMENT_HCA_NUMBER, 4, 0.1, 1000,
                            "messages from and to the HCA take US us longer; its bandwidth is as ever",
                            "fail of rdma-latency, that HCA with both neighbours"},
    [FAULT_RAIL_SWAP] = {"rail-swap", ":A-B", ARGUMENT_PAIR, 0, 0, 0,
                         "the cables of HCA mlx5_A and mlx5_B are swapped; nothing is slower for it",
                         "fail of cabling, both HCAs"},
    [FAULT_ROCE_MTU] = {"roce-mtu", ":HCA[=BYTES]", ARGUMENT_HCA_NUMBER, 1500, 576, 9978,
                        "the network device of the HCA has an MTU of BYTES", "fail of roce"},
    [FAULT_ROCE_V1] = {"roce-v1", ":HCA", ARGUMENT_HCA, 0, 0, 0, "the HCA has no GID of RoCE v2",
                       "fail of roce"},
    [FAULT_PFC_OFF] = {"pfc-off", ":HCA", ARGUMENT_HCA, 0, 0, 0,
                       "priority flow control is off on the HCA's network device", "fail of roce"},
    [FAULT_ECN_OFF] = {"ecn-off", ":HCA", ARGUMENT_HCA, 0, 0, 0,
                       "congestion control by ECN is off on the HCA's network device", "fail of roce"},
    [FAULT_NCCL_SOCKET] = {"nccl-socket", "", ARGUMENT_NONE, 0, 0, 0,
                           "NCCL finds no HCA on the host and goes over TCP; nothing shows inside the host",
                           "fail of nccl-all-reduce-cluster and nccl-all-gather-cluster"},
    [FAULT_NVLS_OFF] = {"nvls-off", "", ARGUMENT_NONE, 0, 0, 0,
                        "NCCL runs without NVSwitch multicast: all_reduce falls to the ring's speed",
                        "fail of nccl-all-reduce"},
    [FAULT_NCCL_WRONG] = {"nccl-wrong", "[:COUNT]", ARGUMENT_NUMBER_OPT, 8, 1, 1e9,
                          "nccl-tests finds COUNT wrong values", "fail of nccl-all-reduce"},
    [FAULT_NCCL_ROW] =
        {"nccl-row", "", ARGUMENT_NONE, 0, 0, 0,
         "an NCCL test across hosts of which it is the first prints no row of the largest size, and ends "
         "as if it had",
         "inconclusive in the tests across hosts; nobody is searched for"},
    [FAULT_NCCL_SHORT] = {"nccl-short", "[:ROUNDS]", ARGUMENT_NUMBER_OPT, 1, 1, 1e6,
                          "nccl-tests times ROUNDS of each size, whatever it is asked for",
                          "inconclusive in nccl-all-reduce"},
    [FAULT_PERSISTENCE_OFF] = {"persistence-off", "[:GPU]", ARGUMENT_GPU_OR_ALL, 0, 0, 0,
                               "persistence mode is off", "fail of gpu-settings"},
    [FAULT_MIG_ON] = {"mig-on", "[:GPU]", ARGUMENT_GPU_OR_ALL, 0, 0, 0, "MIG mode is on",
                      "fail of gpu-settings"},
    [FAULT_ECC_OFF] = {"ecc-off", "[:GPU]", ARGUMENT_GPU_OR_ALL, 0, 0, 0, "ECC is off",
                       "fail of gpu-settings"},
    [FAULT_REMAP_PENDING] = {"remap-pending", ":GPU", ARGUMENT_GPU, 0, 0, 0,
                             "a row remapping waits for a GPU reset", "fail of ecc"},
    [FAULT_ECC_UNCORRECTED] = {"ecc-uncorrected", ":GPU[=COUNT]", ARGUMENT_GPU_NUMBER_OPT, 2, 1, 1e6,
                               "the GPU has seen COUNT uncorrected memory errors", "fail of ecc"},
    [FAULT_RESET_REQUIRED] = {"reset-required", ":GPU", ARGUMENT_GPU, 0, 0, 0,
                              "the driver says that the GPU must be reset", "fail of health"},
    [FAULT_HOT] = {"hot", ":GPU[=CELSIUS]", ARGUMENT_GPU_NUMBER_OPT, 91, 30, 120,
                   "the GPU is that hot at rest already", "fail of health above its operating range"},
    [FAULT_PCIE_WIDTH] = {"pcie-width", ":GPU[=LANES]", ARGUMENT_GPU_NUMBER_OPT, 8, 1, 16,
                          "the GPU's PCIe link has LANES lanes: copies from and to the host are slower",
                          "fail of pcie-link, and of nvbandwidth"},
    [FAULT_POWER_LIMIT] = {"power-limit", ":GPU[=WATTS]", ARGUMENT_GPU_NUMBER_OPT, 300, 100, 2000,
                           "the GPU's power limit is not its default", "fail of gpu-settings"},
    [FAULT_POWER_DEFAULT] = {"power-default", ":GPU[=WATTS]", ARGUMENT_GPU_NUMBER_OPT, 250, 100, 2000,
                             "default and current power limit of the GPU are WATTS, below its kind's",
                             "fail of gpu-settings"},
    [FAULT_CLOCKS_LOCKED] = {"clocks-locked", ":GPU[=MHZ]", ARGUMENT_GPU_NUMBER_OPT, 1200, 200, 3000,
                             "the GPU's applications clock is not its default", "fail of gpu-settings"},
    [FAULT_DRIVER_VERSION] = {"driver-version", "[:VERSION]", ARGUMENT_VERSION_OPT, 0, 0, 0,
                              "the host has another driver", "fail of driver"},
    [FAULT_KERNEL_VERSION] = {"kernel-version", "[:VERSION]", ARGUMENT_VERSION_OPT, 0, 0, 0,
                              "the host has booted another kernel", "fail of os"},
    [FAULT_BIOS_VERSION] = {"bios-version", "[:VERSION]", ARGUMENT_VERSION_OPT, 0, 0, 0,
                            "the host has another BIOS", "fail of os"},
    [FAULT_HOST_ODD] =
        {"host-odd", ":WHAT", ARGUMENT_HOST_WORD, 0, 0, 0,
         "the host has another iommu (kernel's command line), acs, peermem, numa-balancing, psid "
         "(HCAs), bmc or nvswitch (firmware) than all others",
         "fail of topology (iommu, acs, peermem), os, ib-port, bmc, bom (nvswitch)"},
    [FAULT_GOVERNOR] = {"governor", "", ARGUMENT_NONE, 0, 0, 0,
                        "the processors run with the governor powersave", "fail of os"},
    [FAULT_MEMLOCK] = {"memlock", "[:BYTES]", ARGUMENT_NUMBER_OPT, 8388608, 1, 1e15,
                       "a login may lock BYTES of memory only", "fail of os"},
    [FAULT_CLOCK_SKEW] = {"clock-skew", "[:SECONDS]", ARGUMENT_NUMBER_OPT, 40, 1, 1e9,
                          "the clock is SECONDS ahead", "fail of os"},
    [FAULT_DIMM_MISSING] = {"dimm-missing", "[:NUMBER]", ARGUMENT_NUMBER_OPT, 11, 1, 32,
                            "the DIMM of that number (11) is not seen", "fail of bom"},
    [FAULT_DRIVE_ORDER] = {"drive-order", "", ARGUMENT_NONE, 0, 0, 0,
                           "the system's drive is the last one and not the first", "nothing: it is no fault"},
    [FAULT_NVME_WARNING] = {"nvme-warning", "[:NUMBER]", ARGUMENT_NUMBER_OPT, 2, 0, 3,
                            "the NVMe drive of that number (2) warns that it is no longer reliable",
                            "fail of bom"},
    [FAULT_CONTAINERD_OLD] = {"containerd-old", "[:VERSION]", ARGUMENT_VERSION_OPT, 0, 0, 0,
                              "containerd is too old for the toolkit's CDI specifications",
                              "fail of container-runtime where the suite requires containerd"},
    [FAULT_TOOLKIT_OLD] =
        {"toolkit-old", "[:VERSION]", ARGUMENT_VERSION_OPT, 0, 0, 0,
         "NVIDIA's container toolkit is 1.14.3 (VERSION), which lacks the fixes of known advisories",
         "fail of advisories where the suite gates it"},
    [FAULT_SSHD_ROOT_LOGIN] = {"sshd-root-login", "", ARGUMENT_NONE, 0, 0, 0,
                               "sshd lets root log in with a password",
                               "fail of ssh-hardening where the suite gates it"},
    [FAULT_OPEN_PORT] = {"open-port", "[:PORT]", ARGUMENT_NUMBER_OPT, 6666, 1, 65535,
                         "`nc` listens on TCP port PORT (6666)",
                         "fail of posture where the suite lists ports and gates them"},
    [FAULT_EXTRA_USER] = {"extra-user", "", ARGUMENT_NONE, 0, 0, 0,
                          "there is a second account of uid 0, `toor`, without a password",
                          "fail of posture where the suite gates it"},
    [FAULT_EXTRA_KEY] = {"extra-key", "", ARGUMENT_NONE, 0, 0, 0,
                         "a stranger's key may log in as ubuntu, its comment full of shell and HTML",
                         "fail of posture where the suite lists keys and gates them"},
    [FAULT_EXTRA_PARTITION] = {"extra-partition", "", ARGUMENT_NONE, 0, 0, 0,
                               "the HCAs' ports are full members of the partition 0x8123 too",
                               "fail of posture where the suite lists partitions and gates them"},
    [FAULT_SEL_PSU] = {"sel-psu", "[:NUMBER]", ARGUMENT_NUMBER_OPT, 2, 1, 4,
                       "the power supply of that number (2) has lost its mains: in the BMC's log and sensors",
                       "fail of bmc, or of redfish"},
    [FAULT_BMC_BAD] =
        {"bmc-bad", ":WHAT", ARGUMENT_BMC_WORD, 0, 0, 0,
         "over Redfish the BMC hangs, refuses (the login), forgets (one of its components), is unwell (its chassis), has an "
         "event (of today), fan-gone, cpld-odd (firmware), ipmi-on-lan, a default (password), is open (asks for no "
         "login), has legacy-boot, or is reachable from hosts; by ipmitool its clock is three days ahead (clock-ahead), which makes an event of an hour "
         "ago old, or its log is full (log-full)",
         "inconclusive in redfish (hangs, refuses, forgets), else fail of it; of ipmi-on-lan where the suite gates it, of "
         "default where it tries one, of reachable in bmc-network where that is gated; a remark of legacy-boot; fail (clock-ahead) or inconclusive (log-full) of bmc"},
    [FAULT_GPU_BUSY] = {"gpu-busy", ":GPU", ARGUMENT_GPU, 0, 0, 0, "a foreign process computes on the GPU",
                        "inconclusive in gpu-settings"},
    [FAULT_MONITOR] =
        {"monitor", ":PROGRAM", ARGUMENT_MONITOR, 0, 0, 0,
         "dcgm-exporter, nv-hostengine (with its profiling module) or nvidia-smi (a loop) watches the GPUs",
         "a remark in every test of GPUs; assay preflight names it"},
    [FAULT_XID] = {"xid", ":GPU=CODE", ARGUMENT_GPU_NUMBER, 0, 1, 999,
                   "that Xid appears in the kernel log during gpu_burn",
                   "fail of gpu-burn for codes of the failing kind"},
    [FAULT_XID_CLUSTER] = {"xid-cluster", ":GPU=CODE", ARGUMENT_GPU_NUMBER, 0, 1, 999,
                           "that Xid appears in the kernel log while NCCL runs across hosts",
                           "fail of the tests across hosts for codes of the failing kind"},
    [FAULT_ECC_BURN] = {"ecc-burn", ":GPU[=COUNT]", ARGUMENT_GPU_NUMBER_OPT, 2, 1, 1e6,
                        "the GPU sees COUNT uncorrected memory errors during gpu_burn", "fail of gpu-burn"},
    [FAULT_REMAP_BURN] = {"remap-burn", ":GPU", ARGUMENT_GPU, 0, 0, 0,
                          "the GPU remaps a row during gpu_burn, which waits for a reset",
                          "fail of gpu-burn"},
    [FAULT_DRAIN_BURN] = {"drain-burn", ":GPU", ARGUMENT_GPU, 0, 0, 0,
                          "the driver recommends to drain the host and reset the GPU from gpu_burn on",
                          "fail of gpu-burn"},
    [FAULT_GPU_COUNTS] =
        {"gpu-counts", ":GPU=WHAT[=COUNT]", ARGUMENT_GPU_COUNTER, 0, 1, 1e12,
         "during gpu_burn the GPU counts COUNT more pcie-replays, memory errors corrected (sram-corrected, dram-corrected; with "
         "-ever only since it was made, as where the driver was loaded anew) or uncorrected-ever, rows-corrected; reaches "
         "its sram-threshold, needs-reset or has rows-failed (remaps); GPUs before Ampere: pages-single, pages-double, pages-pending",
         "fail of gpu-burn beyond 160 replays (and as many an hour), 10000 of sram-corrected, 2e7 of dram-corrected, and of "
         "uncorrected-ever, sram-threshold, needs-reset, rows-failed, pages-double and pages-pending; else a remark"},
    [FAULT_AER_BURN] = {"aer-burn", ":HCA", ARGUMENT_HCA, 0, 0, 0,
                        "the kernel logs an uncorrectable PCIe error of the HCA during gpu_burn",
                        "fail of gpu-burn"},
    [FAULT_AER_CORRECTED] = {"aer-corrected", ":HCA[=COUNT]", ARGUMENT_HCA_NUMBER, 600, 1, 1e9,
                             "the kernel counts COUNT corrected PCIe errors of the HCA during gpu_burn",
                             "fail of gpu-burn beyond 480, else a remark"},
    [FAULT_EDAC_BURN] = {"edac-burn", "", ARGUMENT_NONE, 0, 0, 0,
                         "the kernel logs an uncorrectable error of a DIMM during gpu_burn",
                         "fail of gpu-burn"},
    [FAULT_MACHINE_COUNTS] =
        {"machine-counts", ":WHAT[=COUNT]", ARGUMENT_COUNTER, 0, 1, 1e12,
         "during gpu_burn the kernel counts COUNT more and logs nothing: aer-nonfatal or aer-fatal (of the first HCA), edac-ce or edac-ue "
         "(of a memory controller); or the drive nvme1 comes to warn (nvme-warning, the bits)",
         "fail of gpu-burn, and of bom-after for nvme-warning; a remark for edac-ce"},
    [FAULT_LOG_BURN] =
        {"log-burn", ":WHAT", ARGUMENT_LOG_WORD, 0, 0, 0,
         "the kernel logs during gpu_burn an uncorrected memory error (mce), a link taken down by its PCIe port (dpc), an "
         "error of an NVSwitch (sxid-fatal, sxid), a sector that cannot be read (medium), or a corrected memory error "
         "(edac-ce, mce-corrected)",
         "fail of gpu-burn; of xid-after for sxid-fatal; a remark for sxid, edac-ce and mce-corrected"},
    [FAULT_NVME_BURN] = {"nvme-burn", "[:NUMBER]", ARGUMENT_NUMBER_OPT, 1, 0, 3,
                         "the NVMe drive of that number (1) counts media errors during gpu_burn",
                         "fail of gpu-burn"},
    [FAULT_NVME_GONE] = {"nvme-gone", "", ARGUMENT_NONE, 0, 0, 0,
                         "the last NVMe drive falls off the bus during gpu_burn", "fail of gpu-burn"},
    [FAULT_IB_BURST] = {"ib-burst", ":HCA[=COUNT]", ARGUMENT_HCA_NUMBER, 30000, 1, 65534,
                        "the HCA's port counts COUNT symbol errors while NCCL runs across hosts",
                        "fail of the tests across hosts beyond 10 and 120 an hour, else a remark"},
    [FAULT_PORT_COUNTS] =
        {"port-counts", ":HCA=COUNTER[=COUNT]", ARGUMENT_HCA_COUNTER, 0, 1, 1e12,
         "that counter of the HCA's port, as the kernel calls it (link_error_recovery, port_rcv_errors, "
         "local_link_integrity_errors, excessive_buffer_overrun_errors, port_xmit_discards, packet_seq_err, "
         "local_ack_timeout_err, out_of_sequence, rnr_nak_retry_err, implied_nak_seq_err, req_transport_retries_exceeded, "
         "np_cnp_sent, rp_cnp_handled, roce_adp_retrans, roce_slow_restart), grows by COUNT while NCCL runs across hosts",
         "fail of the tests across hosts where it has a limit, else a remark; of np_cnp_sent and rp_cnp_handled nothing, as congestion "
         "is no fault"},
    [FAULT_NVLINK_RECOVERY] =
        {"nvlink-recovery", ":GPU[=COUNT]", ARGUMENT_GPU_NUMBER_OPT, 2, 1, 1e6,
         "the last NVLink of the GPU goes down and recovers COUNT times during gpu_burn", "fail of gpu-burn"},
    [FAULT_NVLINK_CRC] = {"nvlink-crc", ":GPU[=COUNT]", ARGUMENT_GPU_NUMBER_OPT, 12, 1, 1e9,
                          "the last NVLink of the GPU counts COUNT CRC errors during gpu_burn",
                          "fail of gpu-burn beyond 100 a second, else written down"},
    [FAULT_NVLINK_COUNTS] =
        {"nvlink-counts", ":GPU=WHAT[=COUNT]", ARGUMENT_GPU_COUNTER, 0, 1, 1e12,
         "the last NVLink of the GPU counts COUNT more during gpu_burn: replay (to NVLink 4); recovery, recovery-failed, malformed, "
         "overrun, rx, rx-remote, integrity, effective, symbol, discards (from NVLink 5 on)",
         "fail of gpu-burn; of replay and discards nothing: written down"},
    [FAULT_GPU_TAKEN] = {"gpu-taken", ":GPU", ARGUMENT_GPU, 0, 0, 0,
                         "a foreign process takes the GPU during gpu_burn and stays",
                         "inconclusive in gpu-burn"},
    [FAULT_LINK_FLAP] = {"link-flap", ":HCA", ARGUMENT_HCA, 0, 0, 0,
                         "the HCA's link goes down for a moment while NCCL runs across hosts",
                         "fail of the tests across hosts"},
    [FAULT_LYING_HEAD] =
        {"lying-head", "", ARGUMENT_NONE, 0, 0, 0,
         "as the first host of an NCCL test across hosts it prints a healthy table, and runs none",
         "inconclusive in the tests across hosts"},
    [FAULT_XID_BEFORE] = {"xid-before", ":GPU=CODE", ARGUMENT_GPU_NUMBER, 0, 1, 999,
                          "that Xid stands in the kernel log since long before any test",
                          "fail of xid for codes of the failing kind"},
    [FAULT_LOG_TURNED] = {"log-turned", "", ARGUMENT_NONE, 0, 0, 0,
                          "dmesg has lost the lines of the boot; the journal has them all",
                          "none: xid reads the journal"},
    [FAULT_LOG_LOST] = {"log-lost", "", ARGUMENT_NONE, 0, 0, 0,
                        "dmesg and the journal have lost the lines of the boot", "inconclusive in xid"},
    [FAULT_REBOOT] = {"reboot", "", ARGUMENT_NONE, 0, 0, 0, "the host reboots during gpu_burn",
                      "fail of gpu-burn"},
    [FAULT_NO_SPACE] = {"no-space", "", ARGUMENT_NONE, 0, 0, 0,
                        "the root file system, with /var/tmp, has 40 MiB left",
                        "fail of setup; assay preflight names it"},
    [FAULT_INODES_FULL] = {"inodes-full", "", ARGUMENT_NONE, 0, 0, 0,
                           "97% of the inodes of the root file system are taken", "fail of space"},
    [FAULT_LOGS_GROWN] = {"logs-grown", "[:GIB]", ARGUMENT_NUMBER_OPT, 40, 1, 800,
                          "/var/log takes GIB more than it did",
                          "none, unless the suite limits folders: assay history tells how fast it grows"},
    [FAULT_NAMES_UNKNOWN] = {"names-unknown", "", ARGUMENT_NONE, 0, 0, 0,
                             "the host resolves no name of another host",
                             "fail of setup; assay preflight names it"},
    [FAULT_MOUNT_MISSING] = {"mount-missing", "", ARGUMENT_NONE, 0, 0, 0, "/data is not mounted",
                             "fail of storage where the suite declares /data"},
    [FAULT_DISK_FULL] = {"disk-full", "", ARGUMENT_NONE, 0, 0, 0, "/scratch has no space left",
                         "fail of storage where the suite asks for free space"},
    [FAULT_FIO_SLOW] = {"fio-slow", "[:PERCENT]", ARGUMENT_NUMBER_OPT, 60, 1, 99,
                        "the drives of /scratch give PERCENT less",
                        "fail of storage where the suite has a limit for fio"},
    [FAULT_FIO_SHORT] = {"fio-short", "[:SECONDS]", ARGUMENT_NUMBER_OPT, 1, 1, 1e6,
                         "fio writes and reads for SECONDS, whatever it is asked for",
                         "inconclusive in storage where the suite runs fio"},
    [FAULT_CLIENT_SLOW] = {"client-slow", "[:PERCENT]", ARGUMENT_NUMBER_OPT, 60, 1, 99,
                           "the host gets PERCENT less from /data than the others beside it",
                           "fail of storage-clients: among six hosts and more, or by a limit"},
    [FAULT_DATA_BAD] =
        {"data-bad", ":WHAT", ARGUMENT_DATA_WORD, 0, 0, 0,
         "/data there is read-only, full, stale (handle), hangs, is apart (another file system), corrupts "
         "(what is read), lags (behind what others wrote), has locks of its own, or other options",
         "fail of storage-clients (read-only, full, stale, hangs) or storage-shared (all others, too)"},
    [FAULT_LINE_SLOW] = {"line-slow", "[:PERCENT]", ARGUMENT_NUMBER_OPT, 40, 1, 99,
                         "the host sends and gets PERCENT less over the network that its address lies in",
                         "fail of line where the suite has a limit for it"},
    [FAULT_LINE_LOSSY] = {"line-lossy", "[:PERCENT]", ARGUMENT_NUMBER_OPT, 4, 1, 99,
                          "PERCENT of the packets from and to the host are lost there",
                          "fail of line where the suite has a limit for it"},
    [FAULT_LINE_MTU] = {"line-mtu", "[:BYTES]", ARGUMENT_NUMBER_OPT, 50, 1, 1400,
                        "packets within BYTES of the largest size vanish on the way to the host and back",
                        "fail of line"},
    [FAULT_LINE_STALLS] =
        {"line-stalls", "[:SECONDS]", ARGUMENT_NUMBER_OPT, 4, 1, 600,
         "of a transfer from or to the host over that network nothing comes through for SECONDS, a third "
         "after its start",
         "remark in line where it has windows, which names when; fail where the suite has a limit"},
    [FAULT_OBJECT_SLOW] =
        {"object-slow", "[:PERCENT]", ARGUMENT_NUMBER_OPT, 60, 1, 99,
         "the host gets and puts PERCENT less of objects, and waits so much longer for small ones",
         "fail of object-store where the suite has a limit for it"},
    [FAULT_OBJECT_CORRUPT] = {"object-corrupt", "", ARGUMENT_NONE, 0, 0, 0,
                              "one object in four comes back to the host with a byte changed",
                              "fail of object-store"},
    [FAULT_OBJECT_DENIED] = {"object-denied", "[:STATUS]", ARGUMENT_NUMBER_OPT, 403, 400, 599,
                             "the object store answers the host with that HTTP status",
                             "inconclusive in object-store"},
    [FAULT_NPU_FAULT] = {"npu-fault", ":NPU", ARGUMENT_GPU, 0, 0, 0, "npu-smi says Alarm of the NPU",
                         "fail of ascend-npu where the suite asks for NPUs"},
    [FAULT_TOOL_MISSING] = {"tool-missing", ":TOOL", ARGUMENT_TOOL, 0, 0, 0, "the tool is not installed",
                            "inconclusive in the check that needs the tool"},
    [FAULT_TOOL_HANG] = {"tool-hang", ":TOOL", ARGUMENT_TOOL, 0, 0, 0,
                         "the tool never ends and ignores SIGTERM",
                         "inconclusive at the first deadline, fail when it repeats on this host alone"},
    [FAULT_TOOL_CRASH] = {"tool-crash", ":TOOL", ARGUMENT_TOOL, 0, 0, 0,
                          "the tool prints half of its output and dies of SIGSEGV",
                          "inconclusive, fail when it repeats on this host alone"},
    [FAULT_SUDO_REFUSED] = {"sudo-refused", "", ARGUMENT_NONE, 0, 0, 0, "sudo wants a password",
                            "inconclusive, the remedy named"},
    [FAULT_KEY_REFUSED] = {"key-refused", "", ARGUMENT_NONE, 0, 0, 0, "the host takes no key of ours",
                           "inconclusive, the remedy named"},
    [FAULT_HOST_KEY_CHANGED] = {"host-key-changed", "", ARGUMENT_NONE, 0, 0, 0,
                                "known_hosts holds another key of the host",
                                "inconclusive, the remedy named"},
    [FAULT_DOWN] = {"down", "", ARGUMENT_NONE, 0, 0, 0, "the host refuses connections",
                    "fail of reachable when another host answers"},
    [FAULT_SILENT] = {"silent", "", ARGUMENT_NONE, 0, 0, 0, "the host accepts connections and never answers",
                      "fail of reachable when another host answers"},
    [FAULT_PEER_DOWN] = {"peer-down", "", ARGUMENT_NONE, 0, 0, 0,
                         "the host refuses connections from other hosts", "fail of mpi-launch, that host"},
    [FAULT_PEER_SILENT] = {"peer-silent", "", ARGUMENT_NONE, 0, 0, 0, "its sshd never answers another host",
                           "fail of mpi-launch, that host"},
    [FAULT_PEER_KEY_REFUSED] = {"peer-key-refused", "", ARGUMENT_NONE, 0, 0, 0,
                                "the host takes no key of other hosts",
                                "inconclusive in mpi-launch, the remedy named"},
    [FAULT_PEER_KEY_UNKNOWN] = {"peer-key-unknown", "", ARGUMENT_NONE, 0, 0, 0,
                                "no other host has its key in known_hosts",
                                "inconclusive in mpi-launch, the remedy named"},
    [FAULT_MPI_VERSION] = {"mpi-version", "[:VERSION]", ARGUMENT_VERSION_OPT, 0, 0, 0,
                           "the host has another Open MPI; of another series it does not start a rank",
                           "fail of mpi-launch, that host"},
    [FAULT_NCCL_VERSION] = {"nccl-version", "[:VERSION]", ARGUMENT_VERSION_OPT, 0, 0, 0,
                            "the host has another NCCL", "fail of mpi-launch, that host"},
    [FAULT_INTERFACE] = {"interface", "", ARGUMENT_NONE, 0, 0, 0,
                         "the interface that others have as eth0 is eno1",
                         "fail of mpi-launch where the suite names eth0"},
};

static const char *const dcgm_tests[] = {"PCIe",           "GPU Memory",      "Diagnostic", "Targeted Stress",
                                         "Targeted Power", "Memory Bandwidth"};

void lab_faults(struct text *out)
{
    for (size_t i = 0; i < FAULT_KINDS; i++)
        text_printf(out, "%-22s %-14s %s; %s\n", kinds[i].name, kinds[i].syntax, kinds[i].meaning,
                    kinds[i].outcome);
}

/* The text and where in it we stand; an error names the column, counted from 1. */
struct cursor {
    struct arena *arena;
    const char *text, *at;
    const struct kind *kind;
    struct error *err;
};

static int wrong(const struct cursor *cursor, const char *word, const char *why)
{
    return error_set(cursor->err, ERROR_USAGE, "fault %s, column %zu: '%s' %s%s%s%s", cursor->text,
                     (size_t)(cursor->at - cursor->text) + 1, word, why,
                     cursor->kind != NULL ? " (expected HOST:" : "",
                     cursor->kind != NULL ? cursor->kind->name : "",
                     cursor->kind != NULL ? arena_printf(cursor->arena, "%s)", cursor->kind->syntax) : "");
}

/* The word up to one of the delimiters, which stays. */
static const char *word_at(struct cursor *cursor, const char *delimiters)
{
    return arena_strndup(cursor->arena, cursor->at, strcspn(cursor->at, delimiters));
}

static int read_gpu(struct cursor *cursor, const struct lab *lab, const char *delimiters, int *ret_gpu)
{
    const char *word = word_at(cursor, delimiters);
    uint64_t gpu;

    if (!scan_u64(slice_of(word), &gpu) || gpu >= lab->profile->gpus)
        return wrong(cursor, word,
                     arena_printf(cursor->arena, "is not a GPU from 0 to %u", lab->profile->gpus - 1));
    *ret_gpu = (int)gpu;
    cursor->at += strlen(word);
    return 0;
}

static int read_pair(struct cursor *cursor, const struct lab *lab, struct fault *fault)
{
    if (read_gpu(cursor, lab, "-=", &fault->gpu) < 0)
        return -1;
    if (*cursor->at != '-')
        return wrong(cursor, cursor->at, "stands where '-' and the second GPU should");
    cursor->at++;
    if (read_gpu(cursor, lab, "=", &fault->peer) < 0)
        return -1;
    if (fault->gpu == fault->peer)
        return wrong(cursor, "", "follows a pair of one and the same GPU");
    return 0;
}

static int read_number(struct cursor *cursor, struct fault *fault)
{
    if (!scan_double(slice_of(cursor->at), &fault->number) || fault->number < cursor->kind->lowest ||
        fault->number > cursor->kind->highest)
        return wrong(cursor, cursor->at,
                     arena_printf(cursor->arena, "is not a number from %g to %g", cursor->kind->lowest,
                                  cursor->kind->highest));
    cursor->at += strlen(cursor->at);
    return 0;
}

/* "=NUMBER", which may be missing only where the kind has a fallback. */
static int read_equals(struct cursor *cursor, struct fault *fault)
{
    if (*cursor->at == '\0' && cursor->kind->fallback > 0)
        return 0;
    if (*cursor->at != '=')
        return wrong(cursor, cursor->at, "stands where '=' and a number should");
    cursor->at++;
    return read_number(cursor, fault);
}

static int read_test(struct cursor *cursor, struct fault *fault)
{
    fault->word = "Diagnostic";
    if (*cursor->at == '\0')
        return 0;
    if (*cursor->at != '=')
        return wrong(cursor, cursor->at, "stands where '=' and a test should");
    cursor->at++;
    for (size_t i = 0; i < ARRAY_SIZE(dcgm_tests); i++)
        if (strcasecmp(cursor->at, dcgm_tests[i]) == 0) {
            fault->word = dcgm_tests[i];
            cursor->at += strlen(cursor->at);
            return 0;
        }
    return wrong(
        cursor, cursor->at,
        "is none of PCIe, GPU Memory, Diagnostic, Targeted Stress, Targeted Power, Memory Bandwidth");
}

static int read_word_of(struct cursor *cursor, const char *const *words, size_t count, const char *why,
                        struct fault *fault)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(cursor->at, words[i]) == 0) {
            fault->word = words[i];
            cursor->at += strlen(cursor->at);
            return 0;
        }
    return wrong(cursor, cursor->at, why);
}

/* Of what there is one of each GPU, and which may be another. */
static const char *const gpu_words[] = {"vbios",       "inforom",         "gsp",
                                        "memory",      "pcie-generation", "pcie-width",
                                        "ecc-pending", "mig-pending",     "board-part"};

static int read_gpu_word(struct cursor *cursor, struct fault *fault)
{
    if (*cursor->at != '=')
        return wrong(cursor, cursor->at, "stands where '=' and a word should");
    cursor->at++;
    return read_word_of(cursor, gpu_words, ARRAY_SIZE(gpu_words), "is nothing that a GPU has", fault);
}

/* Of what hosts of one platform have alike. */
static const char *const host_words[] = {"iommu", "acs", "peermem", "numa-balancing",
                                         "psid",  "bmc", "nvswitch"};

/* What may be wrong with a BMC that is asked over Redfish; the last two, by ipmitool. */
static const char *const bmc_words[] = {"hangs",       "refuses",   "forgets",     "unwell",  "event",
                                        "fan-gone",    "cpld-odd",  "ipmi-on-lan", "default", "open",
                                        "legacy-boot", "reachable", "clock-ahead", "log-full"};

static const char *const log_words[] = {"mce",    "dpc",     "sxid-fatal",   "sxid",
                                        "medium", "edac-ce", "mce-corrected"};

/* What a shared mount may suffer from on one host. */
static const char *const data_words[] = {"read-only", "full", "stale", "hangs",  "apart",
                                         "corrupts",  "lags", "locks", "options"};

/* "WHAT[=COUNT]" */
static int read_counted(struct cursor *cursor, const struct lab *lab, struct fault *fault)
{
    const char *word = word_at(cursor, "=");
    const struct lab_count *count = lab_count_find(lab->profile, fault->kind, word, strlen(word));

    if (count == NULL)
        return wrong(cursor, word,
                     arena_printf(cursor->arena, "is no counter of hosts of %s", lab->profile->name));
    fault->word = count->word;
    fault->number = count->number;
    cursor->at += strlen(word);
    if (*cursor->at == '\0')
        return 0;
    cursor->at++;
    return read_number(cursor, fault);
}

static int read_counter(struct cursor *cursor, const struct lab *lab, struct fault *fault)
{
    if (*cursor->at != '=')
        return wrong(cursor, cursor->at, "stands where '=' and a counter should");
    cursor->at++;
    return read_counted(cursor, lab, fault);
}

static int read_hca(struct cursor *cursor, const struct lab *lab, struct fault *fault)
{
    const char *word = word_at(cursor, "=");
    uint64_t number;

    if (strncmp(word, "mlx5_", 5) != 0 || !scan_u64(slice_of(word + 5), &number) ||
        number >= lab->profile->hcas)
        return wrong(
            cursor, word,
            arena_printf(cursor->arena, "is not an HCA from mlx5_0 to mlx5_%u", lab->profile->hcas - 1));
    fault->hca = (int)number;
    cursor->at += strlen(word);
    if (cursor->kind->argument == ARGUMENT_HCA_COUNTER)
        return read_counter(cursor, lab, fault);
    return cursor->kind->argument == ARGUMENT_HCA ? 0 : read_equals(cursor, fault);
}

static int read_other_host(struct cursor *cursor, const struct lab *lab, struct fault *fault)
{
    const char *word = word_at(cursor, "=");

    fault->other = lab_host_number(lab, word);
    if (fault->other == 0 || fault->other == fault->host)
        return wrong(cursor, word, "is not another host of this lab");
    cursor->at += strlen(word);
    return read_equals(cursor, fault);
}

static int read_tool(struct cursor *cursor, struct fault *fault)
{
    size_t count;
    const char *const *names = tool_names(&count);

    for (size_t i = 0; i < count; i++)
        if (strcmp(cursor->at, names[i]) == 0) {
            fault->word = names[i];
            cursor->at += strlen(cursor->at);
            return 0;
        }
    return wrong(cursor, cursor->at, "is not a tool of the lab");
}

static int read_monitor(struct cursor *cursor, struct fault *fault)
{
    static const char *const programs[] = {"dcgm-exporter", "nv-hostengine", "nvidia-smi"};

    for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
        if (strcmp(cursor->at, programs[i]) == 0) {
            fault->word = programs[i];
            cursor->at += strlen(cursor->at);
            return 0;
        }
    return wrong(cursor, cursor->at, "is none of dcgm-exporter, nv-hostengine, nvidia-smi");
}

static int read_version(struct cursor *cursor, struct fault *fault)
{
    size_t length = strspn(cursor->at, "0123456789.");

    if (length == 0 || cursor->at[length] != '\0')
        return wrong(cursor, cursor->at, "is not a version such as 550.54.15");
    fault->word = arena_strdup(cursor->arena, cursor->at);
    cursor->at += length;
    return 0;
}

static int read_argument(struct cursor *cursor, const struct lab *lab, struct fault *fault)
{
    switch (cursor->kind->argument) {
    case ARGUMENT_HOST_NUMBER:
        return read_other_host(cursor, lab, fault);
    case ARGUMENT_GPU:
    case ARGUMENT_GPU_OR_ALL:
        return read_gpu(cursor, lab, "", &fault->gpu);
    case ARGUMENT_GPU_NUMBER:
    case ARGUMENT_GPU_NUMBER_OPT:
        return read_gpu(cursor, lab, "=", &fault->gpu) < 0 ? -1 : read_equals(cursor, fault);
    case ARGUMENT_COUNTER:
        return read_counted(cursor, lab, fault);
    case ARGUMENT_GPU_COUNTER:
        return read_gpu(cursor, lab, "=", &fault->gpu) < 0 ? -1 : read_counter(cursor, lab, fault);
    case ARGUMENT_GPU_TEST:
        return read_gpu(cursor, lab, "=", &fault->gpu) < 0 ? -1 : read_test(cursor, fault);
    case ARGUMENT_GPU_WORD:
        return read_gpu(cursor, lab, "=", &fault->gpu) < 0 ? -1 : read_gpu_word(cursor, fault);
    case ARGUMENT_HOST_WORD:
        return read_word_of(cursor, host_words, ARRAY_SIZE(host_words), "is nothing that hosts have alike",
                            fault);
    case ARGUMENT_DATA_WORD:
        return read_word_of(cursor, data_words, ARRAY_SIZE(data_words),
                            "is nothing that a mount suffers from", fault);
    case ARGUMENT_BMC_WORD:
        return read_word_of(cursor, bmc_words, ARRAY_SIZE(bmc_words), "is nothing that a BMC suffers from",
                            fault);
    case ARGUMENT_LOG_WORD:
        return read_word_of(cursor, log_words, ARRAY_SIZE(log_words), "is nothing that a kernel logs here",
                            fault);
    case ARGUMENT_PAIR:
        return read_pair(cursor, lab, fault);
    case ARGUMENT_PAIR_NUMBER:
        return read_pair(cursor, lab, fault) < 0 ? -1 : read_equals(cursor, fault);
    case ARGUMENT_HCA:
    case ARGUMENT_HCA_NUMBER:
    case ARGUMENT_HCA_COUNTER:
        return read_hca(cursor, lab, fault);
    case ARGUMENT_NUMBER_OPT:
        return read_number(cursor, fault);
    case ARGUMENT_VERSION_OPT:
        return read_version(cursor, fault);
    case ARGUMENT_TOOL:
        return read_tool(cursor, fault);
    case ARGUMENT_MONITOR:
        return read_monitor(cursor, fault);
    case ARGUMENT_NONE:
    default:
        return wrong(cursor, cursor->at, "is too much: this kind takes no argument");
    }
}

static bool argument_may_be_missing(enum argument argument)
{
    return argument == ARGUMENT_NONE || argument == ARGUMENT_GPU_OR_ALL || argument == ARGUMENT_NUMBER_OPT ||
           argument == ARGUMENT_VERSION_OPT;
}

static int unknown_kind(struct cursor *cursor, const char *word)
{
    const char *names[FAULT_KINDS];

    for (size_t i = 0; i < FAULT_KINDS; i++)
        names[i] = kinds[i].name;
    return wrong(cursor, word,
                 arena_printf(cursor->arena, "is not a kind of fault; assay lab faults lists them%s",
                              did_you_mean(word, names, FAULT_KINDS).text));
}

static int read_kind(struct cursor *cursor, struct fault *fault)
{
    const char *word = word_at(cursor, ":");

    for (size_t i = 0; i < FAULT_KINDS; i++)
        if (strcmp(word, kinds[i].name) == 0) {
            fault->kind = (enum fault_kind)i;
            fault->number = kinds[i].fallback;
            cursor->kind = &kinds[i];
            cursor->at += strlen(word);
            return 0;
        }
    return unknown_kind(cursor, word);
}

static int read_host(struct cursor *cursor, const struct lab *lab, struct fault *fault)
{
    const char *word = word_at(cursor, ":");

    fault->host = lab_host_number(lab, word);
    if (fault->host == 0)
        return wrong(
            cursor, word,
            arena_printf(cursor->arena, "is not a host of this lab, which has node1 to node%u", lab->hosts));
    cursor->at += strlen(word);
    if (*cursor->at != ':')
        return wrong(cursor, "", "ends the fault where ':' and a kind should follow");
    cursor->at++;
    return 0;
}

int fault_parse(struct arena *arena, const struct lab *lab, const char *text, struct fault *ret_fault,
                struct error *err)
{
    struct cursor cursor = {.arena = arena, .text = text, .at = text, .err = err};
    struct fault fault = {.gpu = -1, .peer = -1, .hca = -1, .text = arena_strdup(arena, text)};

    if (read_host(&cursor, lab, &fault) < 0 || read_kind(&cursor, &fault) < 0)
        return -1;
    if (fault.kind == FAULT_FABRIC_STATE && !lab->profile->fabric_state)
        return wrong(&cursor, lab->profile->name, "has no fabric state: its GPUs report N/A");
    if (fault.kind >= FAULT_FABRIC_UUID_ZERO && fault.kind <= FAULT_IMEX_DOWN &&
        lab->profile->domain_hosts == 0)
        return wrong(&cursor, lab->profile->name, "has no NVLinks between hosts, as gb200-nvl72 has");
    if (fault.kind == FAULT_NVLINK_CRC && lab_nvlink5(lab->profile))
        return wrong(&cursor, lab->profile->name, "has NVLinks that count no CRC errors: see nvlink-counts");
    if (fault.kind == FAULT_NVLS_OFF && !lab->profile->fabric_state)
        return wrong(&cursor, lab->profile->name, "has no NVSwitch multicast that could be off");
    if (fault.kind >= FAULT_ROCE_MTU && fault.kind <= FAULT_ECN_OFF && !lab->ethernet)
        return wrong(&cursor, "", "needs a lab on Ethernet: --fabric roce");
    if (*cursor.at == '\0') {
        if (!argument_may_be_missing(cursor.kind->argument))
            return wrong(&cursor, "", "ends the fault, which needs an argument");
    } else {
        cursor.at++;
        if (read_argument(&cursor, lab, &fault) < 0)
            return -1;
        if (*cursor.at != '\0')
            return wrong(&cursor, cursor.at, "is too much");
    }
    *ret_fault = fault;
    return 0;
}

const struct fault *fault_find(const struct lab *lab, unsigned host, enum fault_kind kind)
{
    for (size_t i = 0; i < lab->fault_count; i++)
        if (lab->faults[i].host == host && lab->faults[i].kind == kind)
            return &lab->faults[i];
    return NULL;
}

const struct fault *fault_of_gpu(const struct lab *lab, unsigned host, enum fault_kind kind, int gpu)
{
    for (size_t i = 0; i < lab->fault_count; i++) {
        const struct fault *fault = &lab->faults[i];

        if (fault->host == host && fault->kind == kind && (fault->gpu < 0 || fault->gpu == gpu))
            return fault;
    }
    return NULL;
}

const struct fault *fault_of_hca(const struct lab *lab, unsigned host, enum fault_kind kind, int hca)
{
    for (size_t i = 0; i < lab->fault_count; i++) {
        const struct fault *fault = &lab->faults[i];

        if (fault->host == host && fault->kind == kind && fault->hca == hca)
            return fault;
    }
    return NULL;
}

const struct fault *fault_of_tool(const struct lab *lab, unsigned host, enum fault_kind kind,
                                  const char *tool)
{
    for (size_t i = 0; i < lab->fault_count; i++) {
        const struct fault *fault = &lab->faults[i];

        if (fault->host == host && fault->kind == kind && strcmp(fault->word, tool) == 0)
            return fault;
    }
    return NULL;
}
