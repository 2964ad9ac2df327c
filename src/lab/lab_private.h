/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model of the simulated cluster, shared by the server and the tools.
 *
 * Faults act here and only here: a tool never asks for a fault of its own accord where a property of the
 * host (what lab_host holds) can say the same, and so all tools agree.
 */
#ifndef ASSAY_LAB_PRIVATE_H
#define ASSAY_LAB_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "assay/base/arena.h"
#include "assay/base/error.h"
#include "assay/base/nearest.h"
#include "assay/base/scan.h"
#include "assay/base/text.h"
#include "assay/lab/lab.h"

#define LAB_GPUS 8
#define LAB_HCAS 8
#define PCIE_LANES 16

enum collective { ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALLTOALL, SENDRECV, COLLECTIVES };

/* How much of the peak bus bandwidth is reached at 2^log2_size bytes, for log2 sizes from 20 to 34. */
#define CURVE_FIRST 20
#define CURVE_POINTS 15

/* What a healthy host of one platform is like. Figures: the middle of what healthy hosts showed in public. */
struct lab_profile {
    const char *name, *gpu_name, *architecture;
    const char *device_id, *subsystem_id; /* "2330", "16c1" */
    bool npus;                            /* no GPU, and none of NVIDIA's tools; 8 x 910B3 instead */
    unsigned gpus, hcas;
    const char *pci_name; /* of the GPU, as lspci has it */
    unsigned memory_mib, reserved_mib;
    const char *driver, *cuda, *vbios, *board_part, *gpu_part, *image;
    const char *inforom_ecc;
    unsigned links;
    unsigned links_per_switch;
    bool mesh;             /* links go from GPU to GPU, see lab_links_between */
    unsigned domain_hosts; /* hosts of one NVLink domain, which is a rack; 0: links end in the host */
    const char *switch_pci, *switch_name; /* NVSwitches that lspci shows; NULL: none */
    const char *link_rate;                /* GB/s, as nvidia-smi prints it */
    bool fabric_state;       /* nvidia-smi reports a fabric state; Fabric Manager is needed either way */
    bool temperature_limits; /* T.Limit margins instead of absolute temperatures */
    unsigned power_limit, power_min, power_idle, power_burn;
    unsigned temperature_idle, temperature_burn, memory_temperature;
    unsigned clock_idle, clock_max, clock_memory;
    unsigned pcie_generation, pcie_device_generation; /* of the slot, of the GPU; 0: the same */
    double copy_up, copy_down;                        /* GB/s of the host's memory to a GPU and back */
    unsigned remap_banks;                             /* 0: no row remapper, it retires pages */
    double p2p_uni, p2p_bi, p2p_off_uni, p2p_off_bi, p2p_local;
    double latency_on, latency_off;
    double gflops_float, gflops_tensor, gflops_double;
    double tflops, hbm;                 /* of products in bf16; GB/s of a copy in the GPU's own memory */
    const char *nccl_version;           /* as a number: 22109 */
    double busbw[COLLECTIVES];          /* one host, GB/s */
    double domain_busbw[COLLECTIVES];   /* several hosts of one NVLink domain */
    double racks_all_reduce;            /* several such racks */
    double curve[CURVE_POINTS];         /* of busbw, one host */
    double curve_cluster[CURVE_POINTS]; /* of busbw, several hosts */
    double nic_gb;                      /* GB/s of one HCA, line rate */
    double all_reduce_two, all_reduce_many, gather_many; /* busbw of 2, of 3 and more, of AG/RS over hosts */
    const char *hca_type, *hca_firmware, *hca_pci, *hca_name;
    unsigned hca_rate; /* Gb/s */
    const char *dcgm;
    unsigned pci_domain[LAB_GPUS], pci_bus[LAB_GPUS];
    unsigned hca_domain[LAB_HCAS], hca_bus[LAB_HCAS]; /* 0: next to the GPU of that number */
    const struct lab_board *board;
};

/* Adapters: what every profile with one says of it. */
#define CONNECTX_6                                                          \
    .hca_rate = 200, .nic_gb = 25, .hca_type = "MT4123", .hca_pci = "101b", \
    .hca_name = "Mellanox Technologies MT28908 Family [ConnectX-6]"
#define CONNECTX_7                                                          \
    .hca_rate = 400, .nic_gb = 50, .hca_type = "MT4129", .hca_pci = "1021", \
    .hca_name = "Mellanox Technologies MT2910 Family [ConnectX-7]"
#define CONNECTX_8                                                           \
    .hca_rate = 800, .nic_gb = 100, .hca_type = "MT4131", .hca_pci = "1023", \
    .hca_name = "Mellanox Technologies CX8 Family [ConnectX-8]"

/* By generation; a row without a name ends each. */
extern const struct lab_profile profiles_volta[], profiles_ampere[], profiles_hopper[], profiles_blackwell[];

const struct lab_profile *lab_profile_find(const char *name);
struct did_you_mean lab_profile_meant(const char *name);

/* The server around the GPUs. */
struct lab_board {
    const char *vendor, *product, *board, *bios_vendor, *bios_version, *bios_date;
    const char *cpu_vendor, *cpu, *cpu_maker;
    unsigned sockets, cores, cpu_mhz_max; /* cores of one socket */
    unsigned dimm_count, dimm_gib, dimm_mts;
    const char *dimm_type, *dimm_maker, *dimm_part;
    unsigned nvme_count;
    unsigned long long nvme_bytes;
    const char *nvme_model;
    unsigned psu_count, psu_watts;
    const char *psu_model;
    bool arm;         /* and not x86_64 */
    unsigned threads; /* of a core */
};
extern const struct lab_board board_broadwell, board_milan, board_sapphire, board_emerald, board_grace;

enum fault_kind {
#define FAULT(kind, ...) FAULT_##kind,
#include "faults.def"
#undef FAULT
    FAULT_KINDS
};

struct fault {
    enum fault_kind kind;
    unsigned host; /* 1 = node1 */
    int gpu, peer; /* -1: none given, which means every GPU */
    int hca;
    unsigned other;   /* host at the other end of a path; 0: none was given */
    double number;    /* the default of the kind when none was given */
    const char *word; /* version, test or tool; NULL when none was given */
    const char *text; /* as the user wrote it */
};

struct lab {
    const char *directory; /* absolute */
    const struct lab_profile *profile;
    const char *user;
    bool ethernet; /* RoCE instead of InfiniBand */
    bool redfish;  /* the hostfile says where BMCs answer over it; not kept */
    unsigned hosts, port, speed;
    unsigned seed;           /* of lab_jitter */
    double oversubscription; /* the uplinks of a leaf carry what its hosts send, divided by this */
    struct fault *faults;
    size_t fault_count;
};

/* Reads "HOST:KIND[:ARGUMENT]" for a lab of that profile and number of hosts; strings live in the arena. */
int fault_parse(struct arena *arena, const struct lab *lab, const char *text, struct fault *ret_fault,
                struct error *err) __attribute__((warn_unused_result));
/* The first fault of that kind on the host, or NULL. */
const struct fault *fault_find(const struct lab *lab, unsigned host, enum fault_kind kind);
/* The same that applies to this GPU (its own number, or none given). */
const struct fault *fault_of_gpu(const struct lab *lab, unsigned host, enum fault_kind kind, int gpu);
/* The same that names this HCA. */
const struct fault *fault_of_hca(const struct lab *lab, unsigned host, enum fault_kind kind, int hca);
/* Of this tool. */
const struct fault *fault_of_tool(const struct lab *lab, unsigned host, enum fault_kind kind,
                                  const char *tool);

/* A counter that grows during a test. */
struct lab_count {
    enum fault_kind kind;
    const char *word;
    double number;     /* by so much, when no number was given */
    const char *where; /* of a port: the folder of its file; of the kernel: the file */
    enum lab_count_of { ON_ANY, WITH_REMAPPER, WITHOUT_REMAPPER, TO_NVLINK4, FROM_NVLINK5 } of;
};
/* NULL: hosts of the profile have no such counter. The word need not end. */
const struct lab_count *lab_count_find(const struct lab_profile *profile, enum fault_kind kind,
                                       const char *word, size_t length);
/* Whether nvidia-smi tells of its NVLinks what it tells of those of the fifth generation. */
bool lab_nvlink5(const struct lab_profile *profile);

/* Everything in the arena. */
struct lab *lab_load(struct arena *arena, const char *directory, struct error *err)
    __attribute__((warn_unused_result));
int lab_save(const struct lab *lab, struct error *err) __attribute__((warn_unused_result));

/* node7 -> 7, 0 when the lab has no such host; also takes its address. */
unsigned lab_host_number(const struct lab *lab, const char *name);
const char *lab_address(unsigned host, char buf[16]);
/* DIRECTORY/hosts/nodeK/NAME; NAME "" for the folder itself. */
char *lab_host_file(struct arena *arena, const struct lab *lab, unsigned host, const char *name);
/* A file by which what runs on that host is found by others, and by what comes later. It lies in the tree that healthy hosts share, where
   any user may write: a host's own tree can take the place of that one at any time. */
char *lab_meeting_place(struct arena *arena, const struct lab *lab, unsigned host, const char *name);
/* What PATH is on the host. */
char *lab_host_path(struct arena *arena, const struct lab *lab, unsigned host);

struct lab_gpu {
    int number; /* its place in the chassis */
    unsigned pci_domain, pci_bus;
    char uuid[48], serial[16];
    const char *vbios, *board_part, *image, *gsp; /* versions; image: of the InfoROM */
    bool inforom_bad, ecc_pending, mig_pending;
    unsigned memory_mib, generation_max, width_max, power_default;
    bool persistence, mig, ecc, remap_pending, fabric_ready, fabric_degraded;
    unsigned domain,
        clique; /* of NVLinks across hosts: the number of its rack, 0: none; its partition of that */
    bool reset_required, drain_recommended;
    unsigned pcie_width;
    unsigned ecc_uncorrected; /* since the driver was loaded */
    bool busy;                /* a foreign process works on it */
    double strength;          /* share of its full compute rate */
    double tensor;            /* of that, what its tensor cores do */
    double copies;            /* share of its full copy bandwidth */
    double host_copies;       /* share of what copies from and to the host would reach */
    double gemm, hbm;         /* share of what its products, and its own memory, would reach */
    double training;          /* the same of a training's steps, of what it does between exchanges */
    unsigned memory_wrong;    /* words of its memory that do not keep what is written */
    int sm_wrong;             /* an SM whose tensor cores answer wrong; -1: none */
    bool throttled, idle;     /* idle: CUDA gives it no work */
    double sag;               /* of its clock at work, where loads swing: this share is lost */
    bool trips;               /* its power supply does not bear a swing between idle and load */
    unsigned burn_errors;     /* in one reporting interval of gpu_burn */
    unsigned temperature_idle, temperature_burn;
    double power_idle, power_burn;
    unsigned power_limit, clock_limit; /* W; MHz of the applications clock */
    unsigned clock_held;   /* MHz that the clock is locked to, as nvidia-smi -lgc does; 0: it is not */
    unsigned links_active; /* the others are down from the lowest on */
    unsigned link_recoveries, link_crc; /* of its last link */
};

struct lab_hca {
    bool present, up;
    bool far;             /* from its GPU: behind the CPU */
    unsigned rate;        /* Gb/s that its link has trained to */
    unsigned pcie_width;  /* lanes */
    const char *firmware; /* version */
    const char *board;    /* its PSID */
    unsigned link_downed, symbol_errors;
    unsigned rail; /* whose place its cable ends in: its own number, unless cables are swapped */
    /* RoCE */
    unsigned mtu; /* bytes, of the network device */
    bool v2, pfc, ecn;
};

/* The network device of an HCA: "ib3", or "rdma3" on Ethernet. */
const char *lab_netdev(const struct lab *lab, unsigned hca, char buf[16]);
/* Its number by that name, or LAB_HCAS. */
unsigned lab_netdev_hca(const struct lab *lab, const char *name);
/* Where the cable of that rail ends: "l1r0", and "7" or, on Ethernet, "swp7". */
struct lab_place {
    char switch_name[16], port[8];
    unsigned port_number;
};
struct lab_place lab_rail(const struct lab *lab, unsigned host, unsigned rail);
/* The scalable unit of a host, from 1: hosts of one share their leaf switches, one switch a rail. A rack whose hosts are
   joined by NVLinks is one. */
unsigned lab_leaf_hosts(const struct lab *lab);
unsigned lab_unit(const struct lab *lab, unsigned host);
/* The priority that RDMA traffic has on an Ethernet fabric. */
#define LAB_PRIORITY 3

struct lab_host {
    const struct lab *lab;
    const struct lab_profile *profile;
    unsigned number;
    char name[16];
    const struct lab_board *board;
    const char *kernel, *bios_version, *governor;
    const char *boot_options, *bmc_firmware;
    bool numa_balancing, peermem, acs; /* acs: of all its devices */
    bool old_switch;                   /* the firmware of its first NVSwitch */
    const char *open_mpi, *nccl;       /* versions */
    char nccl_buffer[16];
    const char *interface;               /* by which hosts reach one another */
    unsigned long long memlock;          /* bytes; 0: unlimited */
    double clock_skew;                   /* seconds ahead of the true time */
    unsigned dimm_missing;               /* its number from 1; 0: all are there */
    const char *containerd;              /* version */
    const char *nvidia_fs;               /* version of GPUDirect Storage's module; NULL: it is not loaded */
    bool os_ended;                       /* Ubuntu 20.04 */
    const char *toolkit;                 /* version of NVIDIA's container toolkit and its library */
    const char *monitor;                 /* a program that watches the GPUs; NULL: none */
    bool root_login;                     /* sshd lets root in with a password */
    unsigned open_port;                  /* a TCP port that listens on the others alone; 0: none */
    bool extra_user, extra_key;          /* a second account of uid 0; a key of a stranger */
    bool extra_partition;                /* of InfiniBand */
    bool subnet_keys;                    /* a subnet manager, with the keys that it comes with */
    unsigned drives;                     /* NVMe, as many as are seen */
    unsigned psu_lost;                   /* the power supply without mains; 0: none */
    const char *bmc_bad;                 /* over Redfish, a word of the fault; "" */
    const char *driver, *fabric_manager; /* versions */
    bool fabric_manager_active, imex_active, imex_apart;
    const char *cuda_error; /* NULL, or why no CUDA program can start */
    struct lab_gpu gpus[LAB_GPUS];
    int gpu_count;
    struct lab_hca hcas[LAB_HCAS];
    double nccl_factor;    /* share of the healthy bus bandwidth inside the host */
    double rail[LAB_HCAS]; /* share of the line rate */
    bool nvls, rdma;       /* whether NCCL uses NVSwitch multicast, and the HCAs */
    unsigned nccl_wrong;
    unsigned nccl_rounds;            /* timed rounds at most; 0: as many as asked for */
    int dcgm_level;                  /* highest level whose tests run */
    double fio_seconds;              /* longest job of fio; 0: as long as asked for */
    bool no_space, inodes_full;      /* the root file system is full */
    unsigned logs_grown_gib;         /* what /var/log takes beyond a healthy host's */
    bool names_unknown;              /* it resolves no name of another host */
    bool data_mounted, scratch_full; /* /data is there; /scratch has no space left */
    double scratch_speed;            /* share of what its drives can do */
    double power_late_ms;            /* how far its load is from the moments agreed on */
    double data_speed;               /* share of what one client of /data can do */
    const char *data_bad;            /* what is wrong with its /data, a word of the fault; "" */
    const char *md_bad;              /* the same of its mirror md1 */
};

/* The ClusterUUID of a domain; of 0 all zeros. */
const char *lab_domain_uuid(unsigned domain, char buf[40]);
/* "0000:1b:00", where the kernel has a GPU by its place in the chassis, or an HCA; "00000000:1B:00.0", as nvidia-smi has
   it. */
const char *lab_gpu_pci(const struct lab_profile *profile, int number, char buf[24]);
const char *lab_hca_pci(const struct lab_profile *profile, unsigned hca, char buf[24]);
const char *lab_bus_id(const struct lab_gpu *gpu, char buf[24]);
/* Bus and function 0 of an HCA alone. */
unsigned lab_hca_bus(const struct lab_profile *profile, unsigned hca);
/* Where the kernel counts an HCA's corrected PCIe errors: of lab_hca_pci. */
#define LAB_AER "sys/bus/pci/devices/%s.0/aer_dev_correctable"
#define LAB_EDAC "sys/devices/system/edac/mc/mc0/"
/* What a GPU has counted of that word since a test has struck its host. */
unsigned long long lab_counted(const struct lab_host *host, enum fault_kind kind, int gpu, const char *word);
/* Likewise of an HCA's network device, as ethtool tells it: what NCCL across hosts has made of it. */
#define LAB_ETHTOOL "ethtool"
uint64_t lab_device_counted(struct arena *arena, const struct lab_host *host, int hca, const char *counter);
void lab_device_count(struct arena *arena, const struct lab_host *host, int hca, const char *counter,
                      uint64_t more);
void lab_host_init(struct lab_host *host, const struct lab *lab, unsigned number);
/* GB/s between two GPUs by their index on the host, as the platform's copy test shows them. */
double lab_p2p(const struct lab_host *host, int from, int to, bool peer, bool bidirectional);
/* How many NVLinks join two GPUs of a host, by their place in the chassis: those of each, or what a mesh has. */
unsigned lab_links_between(const struct lab_profile *profile, int a, int b);
double lab_latency(const struct lab_host *host, int from, int to, bool peer);
/* Bus bandwidth GB/s of one size over these hosts; ranks spread evenly. rail: over this HCA only; -1: over all.
 * fabric: lab_fabric_share. in_place only varies the noise. */
double lab_busbw(const struct lab_host *hosts, size_t host_count, unsigned ranks, int rail,
                 enum collective collective, double size_bytes, double fabric, bool in_place);
/* How many NVLink domains the hosts are of; 0: their platform has none. */
unsigned lab_domains(const struct lab_host *hosts, size_t count);
/* From now on these hosts send to each other, until the descriptor is closed; -1 where they do not leave their
 * leaf. */
int lab_send(const struct lab_host *hosts, size_t count, enum collective collective);
/* What a fabric that is slow as a whole leaves of these hosts' bandwidth. */
double lab_spine_share(const struct lab_host *hosts, size_t count);
/* What paths, uplinks and that leave of these hosts' bandwidth, beside what else is sent now. fd: of lab_send, or -1. */
double lab_fabric_share(const struct lab_host *hosts, size_t count, enum collective collective, int fd);
/* -1 to 1, always the same for the same arguments. */
double lab_noise(unsigned host, const char *what, unsigned number);
/* What a measurement differs by from one day to another: within 0.5%, by the lab's seed; 0 without one. */
double lab_jitter(const struct lab_host *host, const char *what, unsigned number);

/* The pid of gpu_burn that runs on the host, or 0. */
int lab_burning(const struct lab_host *host);
/* How many tests across hosts were begun there, as far as somebody asks for it (FAULT_SLOW_SPELLS and its like); one more, and
   the how-manieth it is, from 0; and whether that one is within a spell. */
uint64_t lab_tests(const struct lab_host *host);
uint64_t lab_count_test(const struct lab_host *host);
bool lab_in_spell(uint64_t test);
/* Whether a test across hosts runs there, likewise (FAULT_WRONG_WHEN_HOT, FAULT_BURN_SPELLS). */
bool lab_carrying(const struct lab_host *host);
/* Held until the program ends, however it ends. */
#define LAB_BURNING "burning"
#define LAB_CARRYING "carrying"
void lab_mark_running(const struct lab_host *host, const char *name);
/* gpu_burn has printed an update. */
void lab_mark_update(const struct lab_host *host);
/* Where gpu_burn runs: waits until it has printed an update that it began after this call, at most 10 s. On a machine that is
 * busy a whole test can lie between two of them. */
void lab_await_update(const struct lab_host *host);

/* Waits what takes that long on a real host. */
void lab_sleep(const struct lab *lab, double simulated_s);

/* Ends every process that carries this lab's mark (and this host's, unless host is 0). Returns how many
 * remain after five seconds. */
unsigned lab_sweep(const char *directory, unsigned host);

/* What one of a lab's processes answers for. */
struct lab_share {
    unsigned first, count; /* hosts */
    int *listeners;        /* of each; -1: it is down */
    int orders;            /* what the first process passes on comes here; -1: this is the first */
    int *others;           /* of the first: where it passes orders on */
    size_t other_count;
};

/* Serves them until SIGTERM, or until the first process is gone; writes an int of 0 to said_fd when it begins. Returns the exit
 * status of the process. */
int lab_serve(const struct lab *lab, struct lab_share *share, int said_fd);

/* All processes of a lab. */
struct servers;
/* They listen, at the port or, for 0, at a free one, which the lab has then; NULL with an error. */
struct servers *servers_listen(struct arena *arena, struct lab *lab, unsigned wanted, struct error *err);
int servers_start(struct servers *servers, struct error *err) __attribute__((warn_unused_result));
/* Those that were started go on without us. */
void servers_release(struct servers *servers);
/* Ends those of the lab in the directory; whether there were any. */
int servers_end(const char *directory, bool *ret_running, struct error *err)
    __attribute__((warn_unused_result));
/* One of them; 0: none is running. */
pid_t lab_running_pid(const char *directory);

/* A listening socket at the host's address; -1 with errno. */
int lab_listen(unsigned host, unsigned port);

/*
 * The hosts' own files. A writer puts down what one subsystem shows of a host, from the model; a new one is a
 * function and a row in lab_tree.c. It writes the same for every healthy host (see lab.h).
 */
struct tree;
typedef void tree_writer(struct tree *tree, const struct lab_host *host);
tree_writer tree_gpu, tree_infiniband, tree_system, tree_network, tree_storage, tree_accounts;

/* What the BMCs of the lab take, as curl's file has it: below root/. */
#define LAB_BMC_LOGIN_FILE "etc/assay/redfish.netrc"
#define LAB_BMC_LOGIN "default login assay password of-the-lab\n"

/* path without a leading '/': "sys/class/infiniband". The text is the whole file. */
void tree_file(struct tree *tree, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, that nobody else may read. */
void tree_secret(struct tree *tree, const char *path, const char *text);
void tree_link(struct tree *tree, const char *path, const char *target);
/* The host has a tree of its own though nothing differs yet: something will write in it. */
void tree_private(struct tree *tree);
/* "sys/class/infiniband/mlx5_0", formatted; lives as long as the tree is made. */
const char *tree_path(struct tree *tree, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Makes root/ and every hosts/NAME/root. */
/* From now on the host has a tree of its own, in which may be written. */
int lab_tree_own(const struct lab *lab, unsigned host, struct error *err) __attribute__((warn_unused_result));
/* As it is with the faults that the host still has: whatever it had written in a tree of its own is gone. */
int lab_tree_renew(const struct lab *lab, unsigned host, struct error *err)
    __attribute__((warn_unused_result));
int lab_trees(struct arena *arena, const struct lab *lab, struct error *err)
    __attribute__((warn_unused_result));

/* NVSwitches that are devices of a host, where the platform has such, and the PCI bus of each. */
enum { LAB_SWITCHES = 4 };
unsigned lab_switch_bus(const struct lab_profile *profile, unsigned number);

/* The tools. */
struct tool {
    struct arena *arena;
    const struct lab *lab;
    struct lab_host *host;
    const char *name;
    int argc;
    char **argv;
};

typedef int tool_main(struct tool *tool);
tool_main tool_nvidia_smi, tool_nvidia_bug_report, tool_nvbandwidth, tool_probe_gpu, tool_probe_links,
    tool_lspci, tool_systemctl, tool_imex, tool_fabric_manager, tool_dcgmi, tool_gpu_burn, tool_p2p,
    tool_nccl, tool_mpirun, tool_dmesg, tool_journalctl, tool_sudo, tool_ibstat, tool_iblinkinfo,
    tool_ibdiagnet, tool_lldpctl, tool_mlnx_qos, tool_dcb, tool_ib_bw, tool_ethtool, tool_hostname, tool_id,
    tool_uname, tool_date, tool_timedatectl, tool_dmidecode, tool_lscpu, tool_lsblk, tool_docker, tool_ssh,
    tool_ip, tool_ldd, tool_ldconfig, tool_containerd, tool_nvidia_ctk, tool_nvidia_container_cli, tool_sshd,
    tool_ipmitool, tool_curl, tool_findmnt, tool_nvme, tool_mlxlink, tool_df, tool_du, tool_getent, tool_fio,
    tool_dd, tool_flock, tool_npu_smi, tool_iperf3, tool_ping, tool_rmcpping, tool_ss, tool_ior, tool_mdtest,
    tool_elbencho, tool_smpquery, tool_saquery;

/* curl that asks a BMC: these are its settings. */
int curl_redfish(struct tool *tool, struct slice settings);
/* Whether "node3-bmc" lets hosts in; false too of a name of nobody's. */
bool lab_bmc_answers(const struct lab *lab, const char *name);
/* Likewise by RMCP, 623/udp. */
bool lab_bmc_answers_rmcp(const struct lab *lab, const char *name);

/* A test has struck the host: see tool_strike. */
bool lab_struck(const struct lab_host *host);

/* The word behind that one; otherwise the other. */
const char *tool_option(const struct tool *tool, const char *name, const char *other);
bool tool_has(const struct tool *tool, const char *name);
/* How ssh from the tool's host fails to log in to another, by name or address; NULL: it does. */
const char *lab_login_trouble(const struct tool *tool, const char *name);
/* From now on the process is one of that host. */
void lab_enter_host(const struct tool *tool, unsigned host);

/* Whether the tool runs as root: under sudo, or by a root login. */
bool lab_is_root(void);

/* Up to so many hosts there is a fabric above the leaves. */
enum { LAB_FABRIC_HOSTS_MOST = 64 };
/* Of Ethernet, in the lab's folder: the plan of the cables between switches, what their ports count, and a program that prints it. */
#define LAB_UPLINKS "uplinks.csv"
#define LAB_SWITCH_COUNTERS "switch-counters"
/* Between the files of ibdiagnet. The uplink that faults of the host's leaf are about: the last one of its first rail, as a way of
   the leaf. */
struct fabric;
struct fabric *lab_grow(struct arena *arena, const struct lab *lab);
int lab_write_uplinks(struct arena *arena, const struct lab *lab, const char *path);
uint32_t lab_last_uplink(const struct lab *lab, const struct fabric *fabric, unsigned host);
unsigned lab_switch_lid(const struct fabric *fabric, uint32_t node);
FILE *lab_open_in(const char *folder, const char *name);
/* fabric NULL: only links of hosts. -1: errno says why. */
int lab_write_ports(const struct lab *lab, const struct fabric *fabric, const char *folder);

/* Runs the tool of that name on the host: faults of the tool itself (missing, hanging, crashing) included. */
int tool_run(struct arena *arena, const struct lab *lab, unsigned host, const char *name, int argc,
             char **argv);
const char *const *tool_names(size_t *ret_count);
/* From now on the host has what faults bring in the middle of a load: see lab_host_init. */
void tool_strike(const struct lab_host *host);
/* Appends a line with the stamp of now to the host's kernel log. */
void tool_kernel_log(const struct lab_host *host, const char *line);
/* What the driver writes behind an Xid's number. */
const char *tool_xid_text(int code);
/* One run of a nccl test over these hosts with one rank a GPU. */
int tool_nccl_over(struct tool *tool, struct lab_host *hosts, size_t host_count, unsigned processes);
/* The same of assay-probe-gpu-mpi, with a rank for each host, of assay-probe-links, with one for each adapter, and of programs
   that work on the shared /data. */
int tool_probe_training_over(struct tool *tool, struct lab_host *hosts, size_t host_count,
                             unsigned processes);
int tool_probe_links_over(struct tool *tool, struct lab_host *hosts, size_t host_count, unsigned processes);
int tool_ior_over(struct tool *tool, struct lab_host *hosts, size_t host_count, unsigned processes);
int tool_mdtest_over(struct tool *tool, struct lab_host *hosts, size_t host_count, unsigned processes);
int tool_elbencho_over(struct tool *tool, struct lab_host *hosts, size_t host_count, unsigned processes);
/* Why the host cannot write there: an errno; 0: it can. One whose mount hangs never says. */
int lab_data_trouble(const struct lab_host *host);
/* What one of so many clients of /data gets of it, GB/s; direction: "write", "read". block: bytes of a request. */
double lab_data_rate(const char *direction, unsigned clients, double block);

/* The process table of nvidia-smi: what computes on the GPU now. */
struct gpu_process {
    int pid;
    const char *name;
    unsigned memory_mib;
};
bool gpu_process(const struct lab_host *host, const struct lab_gpu *gpu, struct gpu_process *ret_process);

/* How a GPU looks now, at rest or under load. */
struct gpu_now {
    unsigned temperature, power_w, utilization, memory_used_mib, clock_mhz;
    double power;
    bool loaded;
};
struct gpu_now gpu_now(const struct lab_host *host, const struct lab_gpu *gpu);
/* As whoever works on it sees it: nobody's own mark is seen by lab_burning. */
struct gpu_now gpu_at_work(const struct lab_host *host, const struct lab_gpu *gpu);

/* nvidia-smi -q, as text or XML; display is the list given to -d, or NULL; only is one GPU's index or -1. */
int nvidia_smi_query(struct tool *tool, bool xml, const char *display, int only);
int nvidia_smi_query_csv(struct tool *tool, const char *fields, const char *format, int only);

#endif
