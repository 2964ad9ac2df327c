# SPDX-License-Identifier: Apache-2.0
"""The one right outcome of each fault, after the table of outcomes: which step of which host, and which GPU.

A case whose faults sit on the one host "b", and that concerns no other, shares one run with the others of its suite:
each has a host of its own there, and two hosts are healthy. Every other case has a run over three hosts, "a", "b" and
"c". The head of a step across hosts is "a", or a healthy one, so a fault of another than the head is what is seen.
"""

import copy
import os

import delivery

ALL_GPUS = {f"gpu{i}" for i in range(8)}
ALL_HCAS = {f"mlx5_{i}" for i in range(8)}
ALL_PORTS = {f"mlx5_{i}/1" for i in range(8)}
SUITES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "suites")
HOST = {""}  # the host as a whole


RAILS = os.path.join(SUITES, "rails.json")
POWER = os.path.join(SUITES, "power.json")
TRAINING = os.path.join(SUITES, "training.json")
CABLING = os.path.join(SUITES, "cabling.json")
CABLING_FABRIC = os.path.join(SUITES, "cabling-fabric.json")
CABLING_ROCE = os.path.join(SUITES, "cabling-roce.json")


def pairs(*gpus):
    """Both directions of every pair that one of these GPUs is part of."""
    return {f"gpu{a}->gpu{b}" for a in range(8) for b in range(8) if a != b and (a in gpus or b in gpus)}


def copies(*gpus):
    """From the host to these GPUs and back."""
    return {f"cpu0{arrow}gpu{gpu}" for gpu in gpus for arrow in ("->", "<-")}


def joined(*gpus):
    """Every pair that one of these GPUs is part of, as topo -m names it."""
    return {f"gpu{a}-gpu{b}" for a in range(8) for b in range(a + 1, 8) if a in gpus or b in gpus}


class Case:
    """faults: on host "b", or "HOST:FAULT". right: {(host or "all", step): (outcome, subjects, words in the cause)}."""

    def __init__(self, fault, right, *, faults=None, numbers_undecided=False, runs_on=False, remedy=None,
                 remark=None, noted=None, counted=None, suite="delivery", alone=False):
        self.name = fault
        self.faults = faults or [f"b:{fault}"]
        self.right = right
        # What ended the command leaves its other items undecided: they are no second accusation.
        self.numbers_undecided = numbers_undecided
        # Nothing waited for it: no step needs it, or it is known only when all hosts are compared, at the end.
        self.runs_on = runs_on
        self.remedy = remedy
        self.remark = remark  # in every test of GPUs on "b", and in no other's
        self.noted = noted or {}  # remarks on what is only recorded on "b": {(step, subject): words}
        self.counted = counted or {}  # the numbers that some test wrote down: {metric: value}
        self.suite = suite  # a built-in one, or a document
        self.alone = alone  # what it does to its host could meet what runs over all

    @property
    def shares(self):
        return not self.alone and all(fault.startswith("b:") for fault in self.faults) and \
            all(host == "b" for host, _ in self.right)

    def within(self, suite):
        """The same case, tried by another suite."""
        other = copy.copy(self)
        other.suite = suite
        return other

    @property
    def suite_name(self):
        return self.suite if isinstance(self.suite, str) else self.suite["name"]

    @property
    def kind(self):
        return self.faults[0].split(":")[1]

    @property
    def verdict(self):
        words = {word for word, _, _ in self.right.values()}
        return "reject" if "fail" in words else "incomplete" if words else "accept"


def fail(step, subjects, cause="", host="b"):
    return {(host, step): ("fail", subjects, cause)}


def undecided(step, subjects, cause="", host="b"):
    return {(host, step): ("inconclusive", subjects, cause)}


COLLECTIVES = ("nccl-all-reduce-cluster", "nccl-all-gather-cluster", "nccl-alltoall-cluster")


def over_all(outcome):
    """Of each collective over all hosts."""
    return all_with(outcome, "")


def rails(outcome, step, hca, cause=""):
    """Of both pairs next to each other that "b" is part of."""
    return {**outcome(step, {hca}, cause, host="ab"), **outcome(step, {hca}, cause, host="bc")}


def all_with(outcome, cause, pairs=("ab", "bc")):
    """Of each collective over all hosts, and of all_gather over each pair next to each other that has the host."""
    found = {target: what for step in COLLECTIVES for target, what in outcome(step, HOST, cause, host="all").items()}
    for pair in pairs:
        found |= outcome("nccl-all-gather-pairs", HOST, cause, host=pair)
    return found


def over_pairs(outcome, steps, cause, pairs=("ab", "bc")):
    """Of each of these steps over both pairs next to each other that have "b", or over these."""
    return {target: what for step in steps for pair in pairs
            for target, what in outcome(step, HOST, cause, host=pair).items()}


RDMA = ("rdma-pair", "rdma-gpudirect", "rdma-latency")
STUCK = r"node\d+ mlx5_1/1: symbol_error is 65535, its largest possible value"


def inventory(outcome, cause):
    """Before everything, and after it."""
    return outcome("bom", HOST, cause) | outcome("bom-after", HOST, cause)


GPUS = [
    # Of the GPU that is missing nothing is known.
    Case("gpu-missing:3", fail("gpu-inventory", HOST, "7"), numbers_undecided=True),
    Case("gpu-twin:2-5", fail("gpu-inventory", {"gpu2", "gpu5"}, "gpu.uuid is shared with gpu[25]"), remedy="which of them",
         runs_on=True),
    Case("gpu-cloned:3", fail("gpu-inventory", {"gpu3"}, r"gpu.uuid is shared with node\d+ gpu5")
         | fail("gpu-inventory", {"gpu5"}, r"gpu.uuid is shared with node\d+ gpu3", host="c"),
         faults=["b:gpu-cloned:3", "c:gpu-cloned:5"], runs_on=True),
    Case("serial-twice:3", fail("gpu-inventory", {"gpu3"}, r"gpu.board is shared with node\d+ gpu5")
         | fail("gpu-inventory", {"gpu5"}, r"gpu.board is shared with node\d+ gpu3", host="c"),
         faults=["b:serial-twice:3", "c:serial-twice:5"], runs_on=True, remedy="which of them"),
    # Who tells no number is nobody's twin.
    Case("serial-none:3", {}, faults=["b:serial-none:3", "b:serial-none:4", "c:serial-none:5"]),
    *[Case(f"gpu-odd:4={what}", fail("gpu-inventory", {"gpu4"}, cause), runs_on="while" in cause, remedy=remedy) for what, cause, remedy in (
        ("vbios", r"gpu.vbios is 96.00.30.00.01, while most hosts have 96.00.89.00.01", "allowed"),
        ("inforom", "gpu.inforom_image is G520.0200.00.03, while", "allowed"),
        ("gsp", "gpu.gsp is N/A, while most hosts have driver's", "NVreg_EnableGpuFirmware"),
        ("memory", r"gpu.memory_total is 79511 MiB, expected >= 80896", "allowed"),
        ("pcie-generation", "pcie.generation.max is 4, expected >= 5", "BIOS"),
        ("pcie-width", "pcie.width.max is 8, expected >= 16", "BIOS"),
        ("ecc-pending", "gpu.ecc_after_reset is Disabled, expected unchanged", "reset"),
        ("mig-pending", "gpu.mig_after_reset is Enabled, expected unchanged", "reset"))],
    # All GPUs of all hosts alike: no peer shows it, and the platform declares what each must have.
    *[Case(f"gpu-odd {what} everywhere", {(host, step): found for host in "abc" for (_, step), found in
                                          fail("gpu-inventory", ALL_GPUS, cause).items()},
           faults=[f"{host}:gpu-odd:{gpu}={what}" for host in "abc" for gpu in range(8)], remedy=remedy) for what, cause, remedy in (
        ("memory", r"gpu.memory_total is 79511 MiB, expected >= 80896 MiB", "allowed"),
        ("pcie-generation", "pcie.generation.max is 4, expected >= 5", "BIOS"),
        ("pcie-width", "pcie.width.max is 8, expected >= 16", "BIOS"))],
    Case("gpu-odd gsp everywhere", {}, faults=[f"{host}:gpu-odd:{gpu}=gsp" for host in "abc" for gpu in range(8)],
         noted={("gpu-inventory", ""): "advised.gsp is gpu0 runs without it, expected yes"}),
    Case("gpu-odd:4=board-part", {}, noted={("gpu-inventory", "gpu4"): "gpu.part_number is 692-2G520-0200-0A1, while most hosts have 692"}),
    Case("inforom:6", fail("gpu-inventory", {"gpu6"}, "gpu.inforom is corrupted, expected ok"), remedy="replaced"),
    Case("p2p:2-5=45", fail("p2p-bandwidth", {"gpu2->gpu5", "gpu5->gpu2"}, "45")),
    Case("p2p:2-5=3830", undecided("p2p-bandwidth", {"gpu2->gpu5", "gpu5->gpu2"}, "not credible: expected <= (454.5|909) GB/s")),
    Case("nvlink-down:2-5", fail("nvlink", {"gpu2.link0", "gpu5.link0"}, "is 0 GB/s")
         | fail("topology", joined(2, 5), "NV17")),
    Case("persistence-off", fail("gpu-settings", ALL_GPUS, "Disabled")),
    Case("persistence-off:6", fail("gpu-settings", {"gpu6"}, "Disabled")),
    Case("mig-on:1", fail("gpu-settings", {"gpu1"}, "Enabled")),
    Case("ecc-off:4", fail("gpu-settings", {"gpu4"}, "Disabled")),
    Case("remap-pending:7", fail("ecc", {"gpu7"}, "Yes")),
    Case("ecc-uncorrected:4=3", fail("ecc", {"gpu4"}, "is 3, expected <= 0"), remedy="reset the GPU"),
    Case("reset-required:6", fail("health", {"gpu6"}, "gpu.reset_required is Yes"), remedy="--gpu-reset"),
    Case("hot:3=91", fail("health", {"gpu3"}, "is 91 C"), remedy="air flow"),
    # Within its operating range, and a GPU at rest that stays so warm: no test is begun on it.
    Case("hot:3=80", undecided("p2p-bandwidth", HOST | pairs(*range(8)), "gpu3 is at 80 C and did not cool down")
         | undecided("nvbandwidth", HOST | copies(*range(8)), "did not cool down")
         | undecided("dcgm-diag", HOST | ALL_GPUS, "did not cool down")
         | undecided("gpu-burn", HOST | ALL_GPUS, "did not cool down"), remedy="cool down"),
    Case("xid-before:2=79", fail("xid", {"gpu2"}, "79, .*fallen off the bus.*action: restart the host"), remedy="reboot"),
    Case("xid-before:1=31", {}),  # an illegal address in somebody's program: written down
    Case("log-turned", {}),
    Case("log-turned and xid", fail("xid", {"gpu2"}, "79, .*fallen off the bus"),
         faults=["b:log-turned", "b:xid-before:2=79"]),
    Case("log-lost", undecided("xid", HOST | ALL_GPUS, "neither dmesg nor the journal .* goes back"), remedy="reboot"),
    Case("power-limit:3", fail("gpu-settings", {"gpu3"}, "no")),
    Case("power-default:3=500", fail("gpu-settings", {"gpu3"}, "gpu.power_limit_default is 500 W, expected >= 700 W")),
    Case("clocks-locked:5", fail("gpu-settings", {"gpu5"}, "no")),
    Case("monitor:dcgm-exporter", {}, remark=r"dcgm-exporter \(pid 3141\), expected none.*dcgmi profile --pause"),
    Case("gpu-busy:4", undecided("gpu-settings", {"gpu4"}, "1"), remedy="process"),
]

LEVEL_4 = {"name": "level-4", "title": "level 4", "purpose": "soak", "steps": [{"check": "dcgm-diag", "arguments": {"level": 4}}]}
LOAD = [
    Case("dcgm:3", fail("dcgm-diag", {"gpu3"}, "fail")),
    Case("dcgm-warn:4", fail("dcgm-diag", {"gpu4"}, "dcgm.diagnostic is warn"), remedy="warning in the evidence"),
    Case("dcgm-skip:5=PCIe", undecided("dcgm-diag", {"gpu5"}, "dcgm.pcie is skip"), remedy="was not run"),
    Case("dcgm-inforom:1", fail("dcgm-diag", HOST, "[Ii]nforom"), remedy="InfoROM"),
    Case("dcgm:6=Targeted Power", fail("dcgm-diag", {"gpu6"}, "fail")),
    Case("burn-faulty:6", fail("gpu-burn", {"gpu6"}, "faulty|137")),
    Case("burn-idle:2", fail("gpu-burn", {"gpu2"}, "no work|0"), numbers_undecided=True),
    Case("all burn slow", fail("gpu-burn", ALL_GPUS, r"gpu_burn.float.gflops is 28\d\d\d GFLOP/s, expected >= 38600"),
         faults=[f"b:burn-slow:{gpu}=45" for gpu in range(8)]),
    # Below every figure, and far from its siblings.
    Case("burn-hot:3=88", {}, noted={("gpu-burn", "gpu3"): r"window.temperature.above_others is [12]\d(\.5)? C, expected <= 18",
                                     ("gpu-burn-tensor", "gpu3"): r"window.temperature.above_others is [12]\d(\.5)? C"}),
    Case("burn-hot:2", fail("gpu-burn", {"gpu2"}, "window.temperature.max is 91 C, expected <= 89"), remedy="air flow"),
    Case("burn-slow:5", fail("gpu-burn", {"gpu5"}, "below .* peers, measured by 1 value of gpu_burn.gflops")),
    Case("burn-boasts:4", undecided("gpu-burn", {"gpu4"}, r"gpu_burn.float.gflops is 10\d\d\d\d GFLOP/s, which is not credible: expected <= 73700 GFLOP/s \(67000 with 10% tolerance\)"), remedy="datasheet"),
    Case("burn-old", undecided("gpu-burn-tensor", HOST | ALL_GPUS, "computed in float, but tensor was requested"), remedy="build a new one"),
    # Too few hosts for the same GPU to have peers on them: the other GPUs of all hosts are. No limit is published.
    Case("tensor-slow:6=20", fail("gpu-burn-tensor", {"gpu6"}, r"below .* \d+ peers, measured by 1 value of gpu_burn.gflops"), alone=True,
         runs_on=True),
    Case("burn-short", fail("gpu-burn", HOST, "gpu_burn.lasted is 1 s, expected >= 1800 s"), remedy="which gpu_burn"),
    Case("burn-short:1700", fail("gpu-burn", HOST, "gpu_burn.lasted is 1700 s, expected >= 1800 s")),
    # Over before anything could be sampled under load.
    Case("burn-hurried", fail("gpu-burn", HOST, r"gpu_burn.lasted is \d+ s, expected >= 1800 s"), numbers_undecided=True),
    Case("pcie-width:5=8", fail("pcie-link", {"gpu5"}, r"width 8 of 16") | fail("nvbandwidth", copies(5), "GB/s")),
    Case("hca-pcie:mlx5_3", fail("pcie-link", {"mlx5_3"}, "width 8 of 16"), remedy="reseat"),
    Case("throttle:1", fail("gpu-burn", {"gpu1"}, "Active")),
    Case("clocks-held:3", fail("gpu-burn", {"gpu3"}, "window.clock.held_down is 1200 of 1980 MHz, expected no"), remedy="nvidia-smi -rgc"),
    Case("power-low:6", {}, noted={("gpu-burn", "gpu6"): r"window.power.of_others is 6\d.* %"}),
    Case("dcgm-short", undecided("dcgm-diag", ALL_GPUS, "no value for it"), remedy="the level that runs"),
    # As a soak asks for; what level 3 has passes, and no GPU is to blame for the rest.
    Case("dcgm-short:3", undecided("dcgm-diag", ALL_GPUS, "no value for it"), remedy="the level that runs", suite=LEVEL_4),
    Case("gpu-slow:4=3", {}),  # within all limits: a matter of peers and of history
    Case("xid:0=79", fail("gpu-burn", {"gpu0"}, "79") | fail("xid-after", {"gpu0"}, "79"), remedy="follow the action of the line"),
    Case("xid:5=48", fail("gpu-burn", {"gpu5"}, "48") | fail("xid-after", {"gpu5"}, "48")),
    Case("xid:0=13", {}),  # an application's error: reported, and no sign against the hardware
    Case("ecc-burn:2=3", fail("gpu-burn", HOST, "gpu2: 3, expected none") | fail("ecc-after", {"gpu2"}, "is 3, expected <= 0"),
          remedy="reset the GPU"),
    Case("remap-burn:3", fail("gpu-burn", HOST, "gpu3: a row remap is waiting for a reset")
         | fail("ecc-after", {"gpu3"}, "remapped_rows.pending is Yes"), remedy="reset the GPU"),
    Case("drain-burn:1", fail("gpu-burn", HOST, "gpu1: a drain and reset is recommended")
         | fail("health-after", {"gpu1"}, "drain_recommended is Yes")),
    Case("gpu-counts:3=pcie-replays", fail("gpu-burn", HOST, "window.hardware is gpu3: 500 PCIe replays"), remedy="riser"),
    *[Case(f"gpu-counts:3={what}", fail("gpu-burn", HOST, f"window.gpu is gpu3: {words}"), remedy="reset the GPU") for what, words in (
        ("sram-corrected", "20000 corrected SRAM errors"),
        ("dram-corrected", "30000000 corrected DRAM errors"), ("sram-corrected-ever", "20000 corrected SRAM errors"),
        ("dram-corrected-ever", "30000000 corrected DRAM errors"))],
    Case("gpu-counts:3=uncorrected-ever", fail("gpu-burn", HOST, "window.gpu is gpu3: 1 uncorrectable memory errors")
         | fail("ecc-after", {"gpu3"}, r"ecc.aggregate.uncorrected is \d+, \d more than the 0 that it was when the run first read it"), remedy="reset the GPU"),
    # Within what the makers and those who run many of them allow: a remark with the rate.
    *[Case(f"gpu-counts:5={what}", {}, noted={("gpu-burn", ""): rf"window.corrected is gpu5: {words}, [\d.e+]+ per hour"}) for what, words in (
        ("pcie-replays=40", "40 PCIe replays"), ("sram-corrected=90", "90 corrected SRAM errors"), ("dram-corrected=900", "900 corrected DRAM errors"),
        ("dram-corrected-ever=900", "900 corrected DRAM errors"), ("rows-corrected", "1 rows remapped for correctable errors"))],
    Case("gpu-counts:6=sram-threshold", fail("gpu-burn", {"gpu6"}, "threshold") | fail("ecc-after", {"gpu6"}, "sram_threshold_exceeded is Yes"),
         remedy="manufacturer allows"),
    Case("gpu-counts:2=needs-reset", fail("gpu-burn", {"gpu2"}, "reset") | fail("health-after", {"gpu2"}, "gpu.reset_required is Yes"),
         remedy="--gpu-reset"),
    Case("gpu-counts:0=rows-failed", fail("gpu-burn", {"gpu0"}, "remap") | fail("ecc-after", {"gpu0"}, "remapped_rows.failure is Yes"),
         remedy="field diagnostic"),
    Case("xid:4=63", fail("gpu-burn", {"gpu4"}, "63")),
    Case("xid:6=92", fail("gpu-burn", {"gpu6"}, "92")),
    Case("aer-burn:mlx5_3", fail("gpu-burn", HOST, r"severity=Uncorrected \(Fatal\)"), remedy="reseat"),
    Case("aer-corrected:mlx5_2", fail("gpu-burn", HOST, r"600 corrected PCIe errors \(AER\)")),
    Case("aer-corrected:mlx5_2=40", {}),  # within what the maker's own test allows: a remark with its rate
    Case("edac-burn", fail("gpu-burn", HOST, "EDAC MC0: 1 UE")),
    Case("log-burn:mce", fail("gpu-burn", HOST, "Uncorrected hardware memory error")),
    Case("log-burn:dpc", fail("gpu-burn", HOST, "DPC: containment event")),
    Case("log-burn:medium", fail("gpu-burn", HOST, "critical medium error, dev nvme1n1")),
    Case("log-burn:sxid-fatal", fail("gpu-burn", HOST, "20034") | fail("xid-after", HOST, "20034")),
    Case("log-burn:sxid", {}),
    Case("log-burn:edac-ce", {}, noted={("gpu-burn", ""): "1 line of corrected hardware errors"}),
    Case("log-burn:mce-corrected", {}, noted={("gpu-burn", ""): "1 line of corrected hardware errors"}),
    *[Case(f"machine-counts:{what}", fail("gpu-burn", HOST, f"window.hardware is {words}") | fail("bom-after", HOST, f"{metric} is 1, .*1 more than the 0"),
           remedy="reseat") for what, metric, words in (
        ("aer-nonfatal", "aer.nonfatal", r"0000:\w\w:00.0: 1 uncorrectable PCIe errors"), ("aer-fatal", "aer.fatal", r"0000:\w\w:00.0: 1 fatal PCIe errors"),
        ("edac-ue", "edac.ue", "mc0: 1 uncorrectable memory errors"))],
    Case("machine-counts:edac-ce", {}, noted={("gpu-burn", ""): r"window.corrected is mc0: 30 corrected memory errors .*, [\d.e+]+ per hour"}),
    # Far beyond what anybody puts up with in half an hour, and what the kernel stops to listen to.
    Case("machine-counts:edac-ce=1000000", fail("gpu-burn", HOST, "window.hardware is mc0: (1000000|1e\\+06) corrected memory errors")
         | fail("bom-after", HOST, "edac.ce is 1000000, mc0: 1000000 more than the 0"), remedy="reseat"),
    Case("machine-counts:nvme-warning", fail("gpu-burn", HOST, "nvme1: the drive warns: .*no longer reliable") | fail("bom-after", HOST, r"nvme1: the drive reports a critical warning \(4\)"),
         remedy="drive"),
    Case("nvme-burn", fail("gpu-burn", HOST, "nvme1: 7 media errors of the drive"), remedy="drive"),
    Case("nvme-gone", fail("gpu-burn", HOST, "nvme7: the drive is missing") | fail("bom-after", HOST, "nvme.kinds is 1 x .*, 6 x SAMSUNG"),
         remedy="drive"),
    Case("tool-missing:nvme", undecided("bom", HOST, "nvme.read is not read: .*, while it is read on node")
         | undecided("bom-after", HOST, "nvme.read is not read"), runs_on=True, remedy="nvme-cli", noted={("gpu-burn", ""): "window.drives is not read: .*, while most hosts have read"}),
    Case("nvlink-recovery:5", fail("gpu-burn", HOST, r"gpu5\.link17: 2 recoveries, expected none")
         | fail("nvlink-after", {"gpu5"}, r"nvlink\.errors\.recovery is 2, 2 more than the 0 that it was when the run first read it"), remedy="Xid 74"),
    Case("nvlink-crc:5=1000000000", fail("gpu-burn", HOST, r"gpu5\.link17: 1000000000 CRC errors, \d+ per second")),
    Case("nvlink-crc:5", {}),  # the link corrects them: written down
    Case("nvlink-counts:5=replay", {}, counted={"window.nvlink.replay": 7}),
    Case("gpu-taken:4", undecided("gpu-burn", HOST, r"python3 \(pid 48217\) on gpu4 after the test"), remedy="process"),
    Case("reboot", fail("gpu-burn", HOST, "reboot"), numbers_undecided=True, alone=True, remedy="find out why it rebooted"),
]

ASYMPTOTIC = "nccl.all_gather.asymptotic"
OVER = {"check": "nccl-all-gather", "isolate": False, "arguments": {"begin": "1G", "end": "16G", "iterations": 5}}
# The ring over all hosts against its pairs; and against what the links carry, for a fabric that has no faster part.
ITSELF = {"name": "itself", "title": "itself", "purpose": "delivery", "steps": [
    {"name": "pairs", "scope": "pair", "exclusive": "host", **OVER},
    {"name": "ring", "scope": "cluster", "gate": [ASYMPTOTIC], **OVER, "limits": [
        {"metric": ASYMPTOTIC, "hosts_min": 3, "fraction_of_groups": 0.9, "source": "its pairs", "status": "self"}]}]}
LINKS = {"name": "links", "title": "links", "purpose": "delivery", "steps": [
    {"name": "ring", "scope": "cluster", **OVER, "limits": [
        {"metric": "nccl.all_gather.busbw", "size_min": "8G", "fraction_of_ceiling": 0.8, "source": "site", "status": "contract"}]}]}

# As a soak does it; so many times that the fault has come and gone.
SLICES = {"name": "slices", "title": "slices", "purpose": "soak", "steps": [
    {"name": "slices", "scope": "cluster", **OVER, "repeat": 7, "sizes_judged": ["16G"]}]}

# As a soak has them; alone, as it is quick.
UNDER_LOAD = {"name": "under-load", "title": "under load", "purpose": "soak", "steps": [
    {"name": "under-load", "scope": "cluster", "check": "nccl-all-gather", "isolate": False, "record": ["nccl.*.busbw"],
     "arguments": {"begin": "8G", "end": "8G", "iterations": 500, "beside": "gpu-burn"}, "timeout_s": 3600}]}

FABRIC = [
    Case("fabric-manager-dead", fail("fabric-manager", HOST | ALL_GPUS, "failed")),
    Case("fabric-manager-version", fail("fabric-manager", HOST, "550.54.14")),
    Case("fabric-state", fail("fabric-manager", ALL_GPUS, "In Progress")),
    Case("fabric-state:3", fail("fabric-manager", {"gpu3"}, "In Progress")),
    Case("driver-version", fail("driver", HOST, "550.54.15"), runs_on=True),
    Case("nvls-off", fail("nccl-all-reduce", HOST, "GB/s")),
    Case("nccl-wrong", fail("nccl-all-reduce", HOST, "8")),
    # Nobody is searched for: it speaks against nobody.
    Case("nccl-row", all_with(undecided, "incomplete", pairs=("ab",)), faults=["a:nccl-row"], numbers_undecided=True),
    Case("nccl-short:3", undecided("nccl-all-reduce", HOST, "nccl.rounds is 3, expected >= 20"), remedy="which program"),
    Case("nic-slow:mlx5_3", over_all(fail) | rails(fail, "rdma-pair", "mlx5_3", "Gb/s")
         | rails(fail, "rdma-gpudirect", "mlx5_3", "Gb/s"), numbers_undecided=True),
    # No bandwidth shows it.
    Case("rdma-latency:mlx5_4", rails(fail, "rdma-latency", "mlx5_4", r"is 5\.\d+ us, expected <= 2\.5 us"),
         remedy="C-states"),
    # Both tell the same cables: each host of its own, and one sweep of all.
    Case("rail-swap:2-3", fail("cabling", {"mlx5_2", "mlx5_3"}, "plugged in where")
         | fail("cabling-fabric", {"b mlx5_2", "b mlx5_3"}, "plugged in where", host="all"), runs_on=True),
    Case("fabric-slow:12", fail("ring", HOST, "below the median 3.* of 3 smaller groups; fail from 10%", host="all"), suite=ITSELF),
    Case("slow-spells:20", fail("slices", HOST, "intermittent, 2 of 7 attempts failed: .*busbw is 2", host="all"), suite=SLICES),
    # Neither alone shows it: a delivery has both, one after the other.
    Case("slow-when-hot:20", {}),
    Case("wrong-when-hot:5", {}),
    Case("burn-spells:5=40", {}),
    Case("wrong-when-hot:6", fail("under-load", {"b"}, "gpu6: 137 wrong results in one update", host="all"), suite=UNDER_LOAD,
         remedy="power and cooling"),
    Case("burn-slow:5", {}, suite=UNDER_LOAD, noted={("under-load", "b"): r"beside.of_others is (6[89]|7[0-2])(\.\d)? %"}, alone=True),
    Case("throttle:4", fail("under-load", {"b"}, "gpu4: hw_slowdown, sw_thermal_slowdown, hw_thermal_slowdown", host="all"), suite=UNDER_LOAD,
         remedy="heat sink"),
    Case("fabric-slow-all:10", fail("ring", HOST, "expected >= 320 GB/s", host="all"), suite=LINKS),
    Case("nic-far:mlx5_6", fail("topology", {"mlx5_6"}, "NODE, expected one of PIX.PXB")),
    Case("nccl-socket", all_with(fail, r"nccl.net_transport is NET/Socket on node\d+, expected NET/IB"),
         numbers_undecided=True),
    # On another host than the head, and only its own kernel, or counter, knows of it.
    Case("xid-cluster:6=79", all_with(fail, "node[0-9]+ gpu6: .*79") | fail("xid-after", {"gpu6"}, "79")),
    Case("link-flap:mlx5_2", all_with(fail, "node[0-9]+ mlx5_2/1: 1, expected none")
         | fail("fabric-counters-after", {"mlx5_2/1"}, r"link_downed is \d+, \d more than the 1 that it was when the run first read it")),
    Case("ib-burst:mlx5_5", all_with(fail, "node[0-9]+ mlx5_5/1: 30000 symbol errors")
         | fail("fabric-counters-after", {"mlx5_5/1"}, r"\d+0000 more than the 0 that it was"), remedy="cable"),
    Case("ib-burst:mlx5_5=5", {}),
    # What the head says is healthy; the counters of all members tell that nothing was sent.
    Case("lying-head", all_with(undecided, r"needs [0-9.]+ GB or more .* they counted: (node\d+: [0-9.e-]+ GB(; )?){2,3}", pairs=("ab",)),
         faults=["a:lying-head"], numbers_undecided=True),
]

NETWORK = [
    # An HCA that is missing has no port either: what would be read of it is undecided.
    Case("hca-missing:mlx5_2", fail("ib-port", {"mlx5_2"}, "no") | undecided("fabric-counters", {"mlx5_2/1"}, "is missing")
         | undecided("topology", {"mlx5_2"}) | undecided("pcie-link", {"mlx5_2"}, "mlx5_2/device/current_link_speed cannot be read"),
         numbers_undecided=True),
    Case("hca-firmware", fail("ib-port", ALL_HCAS, "28.36.1010, while most hosts have")
         | fail("ib-port-after", ALL_HCAS, "28.36.1010"), runs_on=True),
    Case("link-down:mlx5_3", fail("ib-port", {"mlx5_3/1"}, "Down"), numbers_undecided=True, remedy="cable"),
    Case("host-odd:psid", fail("ib-port", ALL_HCAS, "ib.board is MT_0000000970, while most hosts have MT_0000000838")
         | fail("ib-port-after", ALL_HCAS, "MT_0000000970"), runs_on=True, remedy="PSID"),
    Case("link-rate:mlx5_4", fail("ib-port", {"mlx5_4/1"}, "100 Gb/s, expected 400")),
    # It can count no further: what a test over it added, nobody knows.
    Case("ib-errors:mlx5_1", undecided("fabric-counters", {"mlx5_1/1"}, "symbol_error is 65535")
         | all_with(undecided, STUCK) | over_pairs(undecided, RDMA, STUCK), runs_on=True,
         remedy="perfquery -R"),
    Case("link-downs:mlx5_6", {}, noted={("fabric-counters", "mlx5_6/1"): "advised.link_downed is 42, expected <= 10",
                                         ("fabric-counters-after", "mlx5_6/1"): "link_downed is 42"}),
    Case("link-downs:mlx5_7=9", {}),
    Case("ib-errors:mlx5_1=12", {}),  # since when, nobody knows: written down
    # Below the counters; where no host can tell it, that stands beside the verdict (test_caveats.py).
    Case("link-ber:mlx5_2", fail("ib-phy", {"mlx5_2/1"}, r"effective bit error rate 1e-09, expected <= 1e-14"), remedy="transceiver"),
    Case("link-ber:mlx5_2=7e-15", {}),
    Case("module-hot:mlx5_4", fail("ib-phy", {"mlx5_4/1"}, r"at 78 C, outside its own limits -5 to 75"), remedy="air flow"),
    Case("module-dark:mlx5_5", fail("ib-phy", {"mlx5_5/1"}, r"receives -14.21 dBm"), remedy="clean or replace"),
    Case("cable-odd:mlx5_5", {}, noted={("ib-phy", "mlx5_5/1"): "module.length is 100, while most hosts have 30"}),
    Case("module-odd:mlx5_7", {}, noted={("ib-phy", "mlx5_7/1"): "module.firmware is 46.120.0150, while most hosts have 46.120.0242"}),
    Case("tool-missing:mlxlink", undecided("ib-phy", ALL_PORTS, "phy.read is not read: .*, while it is read on node"), remedy="mlxlink",
         runs_on=True),
    # Nothing shows inside the adapter; both of its neighbours are slow to talk to.
    Case("nic-slow:mlx5_3", fail("rdma-neighbour", {"mlx5_2->mlx5_3", "mlx5_3->mlx5_4"}, "rdma.write.bandwidth is 9"),
         suite=RAILS, remedy="cable"),
    Case("rail-swap:2-3", fail("cabling", {"mlx5_2", "mlx5_3"}, r"plugged in where mlx5_3 belongs \(MF0;l\d+r3"), suite=CABLING,
         remedy="plug the cable"),
    # Nothing is seen at the end of a cable that carries nothing: where it is plugged, nobody knows.
    Case("link-down:mlx5_5", undecided("cabling", {"mlx5_5"}, "no neighbour: the link is Down"), suite=CABLING),
    Case("hca-missing:mlx5_1", undecided("cabling", {"mlx5_1"}, "Failed to open mlx5_1"), suite=CABLING),
    Case("link-rate:mlx5_4", fail("cabling", {"mlx5_4"}, "slower than mlx5_0: 1X 106.25 Gbps compared with 4X"), suite=CABLING),
    Case("tool-missing:iblinkinfo", undecided("cabling", HOST | ALL_HCAS, "tool missing: .*iblinkinfo"), suite=CABLING),
    # One sweep by the head, which names the HCA's host as well.
    Case("rail-swap:4-6", fail("cabling-fabric", {"b mlx5_4", "b mlx5_6"}, r"plugged in where mlx5_6 belongs \(MF0;l\d+r6",
                               host="all"), suite=CABLING_FABRIC, remedy="plug the cable"),
    Case("tool-missing:ibdiagnet", undecided("cabling-fabric", HOST | {f"{host} {hca}" for host in "abc" for hca in ALL_HCAS},
                                             "tool missing: .*ibdiagnet", host="all"),
         faults=["a:tool-missing:ibdiagnet"], suite=CABLING_FABRIC),
    Case("tool-missing:ib_write_bw", undecided("rdma-loopback", HOST | ALL_HCAS, "tool missing"), suite=RAILS),
]

LAUNCH_SUITE = os.path.join(SUITES, "launch.json")
BIG, SMALL = "3 hosts", "2 hosts"  # the subjects of launches
EVERY_LAUNCH = HOST | {"a", "b", "c", SMALL, BIG}


def launch(outcome, subjects, cause=""):
    return outcome("mpi-launch", subjects, cause, host="all")


# "b" is the second of the three hosts, so the launch on two fails with it, and on three is not tried.
LAUNCH = [
    Case("peer-down", launch(fail, {"b"}, "launch.login is ssh: connect to host .* refused, expected ok"), remedy="sshd"),
    Case("peer-silent", launch(fail, {"b"}, "timed out during banner exchange"), remedy="sshd"),
    Case("peer-key-refused", launch(undecided, {"b", BIG}, "Permission denied"), remedy="authorized_keys"),
    Case("peer-key-unknown", launch(undecided, {"b", BIG}, "Host key verification failed"), remedy="known_hosts"),
    Case("memlock:65536", launch(fail, {"b"}, "launch.memlock is 65536 bytes"), remedy="memlock unlimited"),
    Case("nccl-version:2.18.3", launch(fail, {"b"}, r"2\.18\.3, while most hosts have 2\.2\d\.\d"), remedy="same NCCL"),
    Case("mpi-version", launch(fail, {"b", SMALL}, r"Open MPI 5\.0\.8, while most hosts have Open MPI 4\.1\.4"),
         remedy="same Open MPI"),
    # Of one series they understand each other; it is not what was ordered all the same.
    Case("mpi-version:4.1.7", launch(fail, {"b"}, r"Open MPI 4\.1\.7, while most hosts have Open MPI 4\.1\.4")),
    Case("interface", launch(fail, {"b", SMALL}, "no interface eth0 with an address"),
         remedy="oob_interfaces"),
    # The third host is new in the launch on three: with the head alone it fails as well.
    Case("mpi-version", launch(fail, {"c", BIG}, "with the head alone: .*unable to reliably start"),
         faults=["c:mpi-version"]),
    Case("tool-missing:mpirun", launch(undecided, EVERY_LAUNCH, "mpirun.* not found"),
         faults=["a:tool-missing:mpirun"], runs_on=True),
    Case("tool-hang:mpirun", launch(undecided, {"b"}, "mpirun --version said nothing"), runs_on=True),
    Case("tool-missing:ssh", launch(undecided, {"b", "c", SMALL, BIG}, "failed to run command 'ssh'"), faults=["a:tool-missing:ssh"], runs_on=True),
]
WIDE = os.path.join(SUITES, "wide.json")
for case in LAUNCH:
    case.suite = LAUNCH_SUITE
# A number alone does not tell why; NCCL's own lines do.
LAUNCH += [
    Case("link-down:mlx5_3", fail("nccl-all-gather", HOST, r"nccl.net_hcas is node\d+ lacks mlx5_3, expected all", host="all"),
         suite=WIDE, remedy="not all rails"),
    Case("nccl-socket", fail("nccl-all-gather", HOST, r"nccl.net_transport is NET/Socket on node\d+", host="all"), suite=WIDE),
]
for case in LAUNCH:
    case.runs_on = True  # nothing needs it there
    case.numbers_undecided = True

# What needs a site's word, or tools that not every host has.
SITE = {
    "name": "site", "title": "What this site asks for beside", "purpose": "delivery", "search_path": [],
    "steps": [
        {"check": "reachable"},
        {"check": "privilege", "needs": ["reachable"]},
        {"check": "container-runtime", "needs": ["privilege"], "arguments": {"runtimes": ["docker", "containerd"]}},
        {"check": "ssh-hardening", "needs": ["privilege"], "gate": ["sshd.permitrootlogin", "sshd.passwordauthentication"]},
        {"check": "advisories", "needs": ["privilege"], "gate": ["advisories.nvidia_container_toolkit", "advisories.libnvidia_container"]},
        {"check": "bmc", "needs": ["privilege"]},
        {"check": "space", "needs": ["privilege"], "arguments": {"folder_most_gib": 30}},
        {"check": "posture", "needs": ["privilege"], "gate": ["posture.*_agreed", "posture.passwordless"],
         "arguments": {"ports": ["22/tcp", "9100/tcp", "39000-39999/udp"], "users": ["root", "ubuntu"], "sudoers": ["ubuntu"],
                       "partitions": ["0xffff"], "keys": ["SHA256:Oms2A6JNtrCncTLTcvR6EgcI6Menh0u08X2BRV9ydBM"]}},
    ],
}

# A site whose subnet has keys of its own.
KEYS = {
    "name": "keys", "title": "Keys of the subnet", "purpose": "delivery", "search_path": [],
    "steps": [
        {"check": "reachable"},
        {"check": "privilege", "needs": ["reachable"]},
        {"check": "posture", "needs": ["privilege"], "arguments": {"try_sa_key": True}, "gate": ["posture.sa_key_tried"],
         "limits": [{"metric": "posture.vs_key", "equal": "enabled, protection 1", "source": "site rules, 7", "status": "contract"}]},
    ],
}

# Until when makers support what hosts run.
SUPPORT = {
    "name": "support", "title": "Supported by the makers", "purpose": "delivery", "search_path": [],
    "advisories": ["support", os.path.join(SUITES, "support_550.json")],
    "steps": [
        {"check": "reachable"},
        {"check": "support", "needs": ["reachable"], "gate": ["support.nvidia_driver", "support.os", "support.kernel"]},
    ],
}

# The BMC over Redfish, in place of check bmc.
REDFISH = {
    "name": "redfish", "title": "BMCs", "purpose": "delivery", "search_path": [],
    "steps": [
        {"check": "reachable"},
        {"check": "privilege", "needs": ["reachable"]},
        {"check": "bmc", "needs": ["privilege"], "when": {"bmc": "ipmi"}},
        {"check": "redfish", "needs": ["privilege"], "when": {"bmc": "redfish"}, "gate": ["redfish.ipmi_over_lan"],
         "arguments": {"default_passwords": ["root:0penBmc", "ADMIN:ADMIN"]}},
        {"check": "bmc-network", "needs": ["privilege"], "when": {"bmc": "redfish"}, "gate": ["bmc_network.answers"]},
    ],
}

BMC = [
    Case("bmc-bad:hangs", undecided("redfish", HOST, r"curl: \(28\) Connection timed out"), remedy="install curl"),
    Case("bmc-bad:refuses", undecided("redfish", HOST, "the BMC answered with HTTP status 401"), remedy="netrc"),
    Case("bmc-bad:forgets", undecided("redfish", HOST, "UpdateService/FirmwareInventory/PSU_1 was not read: .* HTTP status 404")),
    Case("bmc-bad:unwell", fail("redfish", HOST, r"Chassis/Chassis_0: Critical \(Enabled\)"), remedy="reseat"),
    Case("bmc-bad:event", fail("redfish", HOST, "Uncorrectable ECC error of P1-DIMMA1"), remedy="manual"),
    Case("bmc-bad:hot", fail("redfish", HOST, "CPU1 Temp: 97 degrees, critical from 95"), remedy="reseat"),
    Case("bmc-bad:fan-gone", fail("redfish", HOST, "redfish.fans is 7, while most hosts have 8"), remedy="reseat"),
    Case("bmc-bad:cpld-odd", fail("redfish", HOST, r"firmware.cpld is 1 x F1.00.02, 1 x F1.00.04, while most hosts have 2 x F1.00.04"),
         remedy="flash"),
    Case("bmc-bad:ipmi-on-lan", fail("redfish", HOST, "redfish.ipmi_over_lan is on"), remedy="ProtocolEnabled"),
    Case("bmc-bad:default", fail("redfish", HOST, "the published password of ADMIN is accepted"), remedy="password of its own"),
    Case("bmc-bad:open", fail("redfish", HOST, "redfish.login_required is no"), remedy="anonymous"),
    Case("bmc-bad:legacy-boot", {}, noted={("redfish", ""): "redfish.boot_mode is Legacy"}),
    Case("bmc-bad:reachable", fail("bmc-network", HOST, r"bmc_network.answers is \S+-bmc \(443/tcp, 623/udp, ping\)"), remedy="VLAN"),
    Case("bmc-bad:ipmi-reachable", fail("bmc-network", HOST, r"bmc_network.answers is \S+-bmc \(623/udp\)"), remedy="VLAN"),
    Case("sel-psu:2", fail("redfish", HOST, "PSU2")),
    Case("host-odd:bmc", fail("redfish", HOST, "redfish.firmware.bmc is 1 x 1.07, while most hosts have 1 x 1.15"), remedy="flash"),
    Case("tool-missing:ipmitool", {}),  # nobody asks it
    Case("tool-missing:curl", undecided("redfish", HOST, "curl: not found") | undecided("bmc-network", HOST, "curl.*not found"),
         remedy="install curl"),
]
for case in BMC:
    case.suite = REDFISH
    case.runs_on = True

SYSTEM = [
    Case("kernel-version", fail("os", HOST, "5.15.0-105"), runs_on=True),
    Case("bios-version:1.9", fail("os", HOST, "bios.version is 1.9"), runs_on=True),
    Case("host-odd:iommu", fail("topology", HOST, "kernel.iommu is intel_iommu=on, while most hosts have iommu=pt"),
         runs_on=True, remedy="/proc/cmdline", noted={("os", ""): "os.boot_options is intel_iommu=on ro",
                                                          ("topology", ""): "advised.iommu is intel_iommu=on, expected translates nothing"}),
    Case("host-odd:acs", fail("topology", HOST, "pci.acs is on, while most hosts have off"), runs_on=True, remedy="ACSCtl",
         noted={("topology", ""): "advised.acs is on, expected off"}),
    Case("host-odd:peermem", fail("topology", HOST, "gpudirect.rdma is neither .* while most hosts have nvidia_peermem"),
         runs_on=True, remedy="modprobe", noted={("topology", ""): "advised.gpudirect is neither nvidia_peermem nor open"}),
    Case("host-odd:numa-balancing", fail("os", HOST, "os.numa_balancing is 1, while most hosts have 0"), runs_on=True,
         remedy="sysctl", noted={("os", ""): "advised.numa_balancing is 1, expected one of 0.none"}),
    # No host differs: what is right by the makers' guides is remarked on.
    Case("all set up alike", {}, faults=[f"{host}:{fault}" for host in "abc" for fault in (
        "host-odd:iommu", "host-odd:acs", "host-odd:peermem", "host-odd:numa-balancing", "governor", "dimm-missing:11")],
         noted={("topology", ""): "advised.acs is on, expected off", ("os", ""): "advised.governor is powersave",
                ("bom", ""): "advised.memory is 31 modules on 2 processors"}),
    Case("host-odd:bmc", fail("bmc", HOST, r"bmc.firmware is 1.07 \(00 00 00 00\), while most hosts have 1.15"),
         runs_on=True, remedy="mc info", noted={("os", ""): "bmc.firmware is 1.07"}),
    Case("host-odd:nvswitch", fail("bom", HOST, r"nvswitch.kinds is 1 x 96.10.55.00.01, 3 x 96.10.6d.00.01, while most hosts have 4 x")
         | fail("bom-after", HOST, "nvswitch.kinds is 1 x"), runs_on=True, remedy="baseboard"),
    Case("governor", fail("os", HOST, "powersave"), runs_on=True, noted={("os", ""): "advised.governor is powersave"}),
    # In a login from the controller, and in one from another host.
    Case("memlock:65536", fail("os", HOST, "65536 bytes") | launch(fail, {"b"}, "65536 bytes"), remedy="memlock unlimited",
         runs_on=True),
    Case("clock-skew:90", fail("os", HOST, r"os.clock_offset is [5-9]\d.* while the median of the hosts is"), remedy="chrony",
         runs_on=True),
    # The hosts agree: it is the controller's.
    Case("all clock-skew", {}, faults=[f"{host}:clock-skew:90" for host in "abc"]),
    Case("dimm-missing:11", inventory(fail, "dimm.empty is P1-DIMMF1"), remedy="slot", runs_on=True,
         noted={("bom", ""): "advised.memory is 31 modules on 2 processors"}),
    # What the delivery takes in because the hostfile declares it, or does not deny it.
    Case("sel-psu:2", fail("bmc", HOST, "PSU2 Status . Power Supply AC lost"), runs_on=True),
    Case("bmc-bad:clock-ahead", fail("bmc", HOST, "Memory P1-DIMMA1 . Uncorrectable ECC"), runs_on=True,
         noted={("bmc", ""): "bmc.clock is 7[123] h ahead of the host"}),
    Case("bmc-bad:log-full", undecided("bmc", HOST, "the log is full and has lost events"), remedy="ipmitool sel clear", runs_on=True,
         noted={("bmc", ""): "bmc.sel_room is the log is full"}),
    Case("mount-missing", fail("storage", {"/data"}, "no"), numbers_undecided=True, runs_on=True),
    Case("tool-missing:ipmitool", undecided("bmc", HOST, "ipmitool: not found"), runs_on=True),
    Case("tool-missing:findmnt", undecided("storage", HOST | {"/data", "/scratch"}, "findmnt.* not found"), runs_on=True),
    Case("gds", {}, noted={("storage", ""): "storage.gds.driver is 2.24.2, while most hosts have not loaded"}, remedy="gdscheck -p"),
    Case("gds on all hosts", {}, faults=[f"{host}:gds" for host in "abc"]),
    Case("drive-order", {}),  # the same drives, numbered in another order
    Case("containerd-old", fail("container-runtime", HOST, "1.6.33; toolkit 1.19.1 needs 1.7.16"), runs_on=True, suite=SITE),
    Case("toolkit-old", fail("container-runtime", HOST, "toolkit.version is 1.14.3, while most hosts have 1.19.1")
         | fail("advisories", HOST, r"toolkit is 1\.14\.3: CVE-2024-0132, fixed in 1\.16\.2 \(critical"), remedy="all hosts", runs_on=True,
         suite=SITE),
    Case("driver-eol", fail("support", HOST, r"nvidia_driver is 535\.309\.01, supported until 2026-06 \(status vendor\)"), remedy="run a delivery again",
         runs_on=True, suite=SUPPORT),
    Case("os-eol", fail("support", HOST, r"support.os is ubuntu-20\.04, supported until 2025-05-29|support.kernel is ubuntu-20\.04-generic-5"),
         remedy="run a delivery again", runs_on=True, suite=SUPPORT),
    Case("sshd-root-login", fail("ssh-hardening", HOST, "sshd.permitrootlogin is yes"), runs_on=True, suite=SITE),
    Case("open-port", fail("posture", HOST, r"posture.ports_agreed is not agreed: 6666/tcp \(nc\)"), runs_on=True, suite=SITE,
         remedy="ss -lntup", noted={("posture", ""): "posture.ports_fixed is 22/tcp"}),
    Case("open-port:31337", fail("posture", HOST, r"not agreed: 31337/tcp"), runs_on=True, suite=SITE,
         faults=["b:open-port:31337", "b:tool-missing:ss"], noted={("posture", ""): "posture.ports_fixed is 22/tcp"}),
    Case("extra-user", fail("posture", HOST, r"not agreed: toor \(uid 0\)|posture.passwordless is toor"), runs_on=True, suite=SITE,
         remedy="passwd -l", noted={("posture", ""): "posture.uid_0 is root, toor"}),
    Case("extra-key", fail("posture", HOST, r"not agreed: .*<b>\$\(reboot\)</b>.posture.root.`reboot` \(ubuntu\)"), runs_on=True,
         suite=SITE, remedy="ssh-keygen -lf", noted={("posture", ""): "posture.key_counts is ubuntu 2"}),
    Case("subnet-keys", fail("posture", HOST, r"posture.sa_key_tried is the usual one is trusted"), runs_on=True, suite=KEYS,
         remedy="sa_key", noted={("posture", ""): "posture.vs_key is not set"}),
    Case("extra-partition", fail("posture", HOST, r"posture.partitions_agreed is not agreed: 0x8123 \(\d+\)"), runs_on=True, suite=SITE,
         remedy="partitions.conf", noted={("posture", ""): r"posture.partitions is 0x8123 \(\d+\), 0xffff"}),
    Case("sel-psu:3", fail("bmc", HOST, "PSU3 Status . Power Supply AC lost"), remedy="power supply", runs_on=True, suite=SITE),
    Case("tool-missing:docker", undecided("container-runtime", HOST, "docker"), runs_on=True, suite=SITE),
    Case("tool-missing:nvidia-ctk", undecided("container-runtime", HOST, "nvidia-ctk"), runs_on=True, suite=SITE),
    Case("tool-missing:ipmitool", undecided("bmc", HOST, "ipmitool: not found"), remedy="ipmi_devintf", runs_on=True,
         suite=SITE),
    Case("disk-full", fail("space", HOST, r"space.full is /scratch 100 %"), remedy="make room", runs_on=True, suite=SITE),
    Case("md-raid:degraded", fail("md-raid", HOST, r"md.degraded is md1: only 1 of 2 members work"), remedy="mdadm", runs_on=True),
    Case("md-raid:failed", fail("md-raid", HOST, r"md.failed_members is md1: nvme2n1p2 has failed"), remedy="mdadm", runs_on=True),
    Case("md-raid:inactive", fail("md-raid", HOST, r"md.not_active is md1 is inactive|md.layout is raid0 of 7, while most hosts"),
         remedy="assemble", runs_on=True),
    Case("md-raid:none", fail("md-raid", HOST, r"md.layout is raid0 of 7, while most hosts"), remedy="made differently", runs_on=True),
    Case("md-raid:resync", {}, noted={("md-raid", ""): r"md.syncing is md1 resync 8\.5%"}),
    Case("inodes-full", fail("space", HOST, r"space.inodes_full is / 97 %"), remedy="small files", runs_on=True, suite=SITE),
    Case("logs-grown:40", fail("space", {"/var/log"}, r"space.size is 4\d+.* MiB, expected <= 30720"), remedy="du -xh", runs_on=True,
         suite=SITE),
    Case("tool-missing:du", undecided("space", {"/home/*", "/root", "/usr", "/var/lib", "/var/log", "/var/tmp"}, "command .du.: No such file"),
         runs_on=True, suite=SITE),
    # Where nobody asks for them they are written down, and make no host worse.
    Case("tool-missing:docker", {}),
    Case("tool-missing:date", undecided("os", HOST, "date.* not found"), runs_on=True),
    Case("nvme-warning", fail("bom", HOST, "nvme2: the drive reports a critical warning"), remedy="replaced"),
    Case("tool-missing:lsblk", undecided("bom", HOST, "lsblk.* not found"), runs_on=True),
    Case("tool-missing:dmidecode", undecided("bom", HOST, "dmidecode.* not found"), runs_on=True),
]

ROCE = [
    Case("roce-mtu:mlx5_2", fail("roce", {"mlx5_2/1"}, "roce.mtu is 1500, expected 9000"), remedy="ip link set"),
    Case("roce-v1:mlx5_5", fail("roce", {"mlx5_5/1"}, "roce.v2 is no"), numbers_undecided=True),
    Case("pfc-off:mlx5_0", fail("roce", {"mlx5_0/1"}, "roce.pfc is none, expected 3"), remedy="mlnx_qos"),
    Case("ecn-off:mlx5_7", fail("roce", {"mlx5_7/1"}, "roce.ecn is none, while most hosts have 3")),
    Case("ib-errors:mlx5_1=12", fail("fabric-counters", {"mlx5_1/1"}, "symbol_error is 12")),
    Case("link-rate:mlx5_4=200", fail("ib-port", {"mlx5_4/1"}, "200 Gb/s, expected 400")),
    Case("tool-missing:mlnx_qos", {}),  # dcb tells the same
    Case("pfc-off:mlx5_3", fail("roce", {"mlx5_3/1"}, "roce.pfc is none, expected 3"),
         faults=["b:pfc-off:mlx5_3", "b:tool-missing:mlnx_qos"]),
    Case("tool-missing:ethtool", undecided("fabric-counters", HOST | ALL_PORTS, "ethtool.* not found")),
]
for case in ROCE:
    case.suite = os.path.join(SUITES, "roce.json")
ROCE += [
    Case("rail-swap:6-7", fail("cabling", {"mlx5_6", "mlx5_7"}, r"plugged in where mlx5_7 belongs \(l\d+r7 port swp"),
         suite=CABLING_ROCE),
    Case("link-down:mlx5_5", undecided("cabling", {"mlx5_5"}, "no neighbour on rdma5"), suite=CABLING_ROCE),
    Case("link-rate:mlx5_4=200", fail("cabling", {"mlx5_4"}, "slower than mlx5_0: 200000 Mb/s"), suite=CABLING_ROCE),
    Case("tool-missing:lldpctl", undecided("cabling", HOST | ALL_HCAS, "tool missing: .*lldpctl"), suite=CABLING_ROCE),
]

TOOLS = [
    Case("tool-missing:nvidia-smi", undecided("gpu-inventory", HOST | ALL_GPUS, "nvidia-smi.* not found")),
    Case("tool-missing:dcgmi", undecided("dcgm-diag", HOST | ALL_GPUS, "dcgmi.* not found")),
    Case("tool-missing:gpu_burn", undecided("gpu-burn", HOST | ALL_GPUS, "gpu_burn.* not found")),
    Case("tool-missing:p2pBandwidthLatencyTest", undecided("p2p-bandwidth", HOST | pairs(*range(8)), "not found")),
    Case("tool-missing:nvbandwidth", undecided("nvbandwidth", HOST | copies(*range(8)), "nvbandwidth.* not found"),
         runs_on=True),
    Case("tool-missing:all_reduce_perf", undecided("nccl-all-reduce", HOST, "all_reduce_perf.* not found")),
    Case("tool-missing:mpirun", launch(undecided, EVERY_LAUNCH, "mpirun.* not found"), faults=["a:tool-missing:mpirun"]),
    # Without the kernel's log nobody knows whether an Xid lies in the window of these.
    Case("tool-missing:dmesg",
         undecided("xid", HOST | ALL_GPUS, "dmesg.* not found")
         | undecided("p2p-bandwidth", HOST) | undecided("nvbandwidth", HOST) | undecided("dcgm-diag", HOST) | undecided("gpu-burn", HOST)),
    Case("tool-missing:sudo", undecided("privilege", HOST, "sudo"), remedy="NOPASSWD"),
    Case("tool-crash:gpu_burn", fail("gpu-burn", HOST, "2 times .*Segmentation fault"), numbers_undecided=True),
    Case("tool-crash:nvidia-smi", fail("gpu-inventory", HOST, "2 times .*Segmentation fault"), numbers_undecided=True),
    # Every host's tool crashes alike: that says nothing against any of them.
    Case("tool-crash:dcgmi", {(host, "dcgm-diag"): ("inconclusive", HOST | ALL_GPUS, "Segmentation fault")
                              for host in "abc"}, faults=[f"{host}:tool-crash:dcgmi" for host in "abc"]),
    Case("tool-crash:mpirun", launch(undecided, EVERY_LAUNCH), faults=["a:tool-crash:mpirun"]),
    # Of a pair it is started on both.
    Case("tool-crash:all_gather_perf", undecided("nccl-all-gather-cluster", HOST, host="all")
         | over_pairs(undecided, ["nccl-all-gather-pairs"], "", pairs=("ab", "ac")),
         faults=["a:tool-crash:all_gather_perf"]),
]

# These take their time: deadlines of ten seconds, twice, and a login that is waited for.
SLOW = [
    Case("tool-hang:dcgmi", fail("dcgm-diag", HOST, "2 times .*hang"), numbers_undecided=True),
    Case("tool-hang:nvidia-smi", fail("gpu-inventory", HOST, "2 times .*hang"), numbers_undecided=True),
    Case("tool-hang:mpirun", launch(undecided, EVERY_LAUNCH, "hang"), faults=["a:tool-hang:mpirun"]),
    Case("silent", fail("reachable", HOST, "no answer"), numbers_undecided=True),
    # The host stands before it wherever it is shown.
    Case("down", fail("reachable", HOST, "^connect to .* refused"), numbers_undecided=True),
    Case("every host down", {(host, "reachable"): ("inconclusive", HOST, "refused") for host in "abc"},
         faults=[f"{host}:down" for host in "abc"]),
    Case("sudo-refused", undecided("privilege", HOST, "sudo"), remedy="NOPASSWD"),
    Case("key-refused", undecided("reachable", HOST, "^(?!b:).*authorized_keys")),
    Case("host-key-changed", undecided("reachable", HOST, "ssh-keygen -R")),
]

# What a site asks for beyond the delivery suite; no step waits for these.
STORAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "storage.json")
MOUNTS = {"/data", "/scratch"}
STORED = [
    Case("mount-missing", fail("storage", {"/data"}, "no"), numbers_undecided=True, runs_on=True, suite=STORAGE),
    Case("disk-full", fail("storage", {"/scratch"}, "MiB"), numbers_undecided=True, runs_on=True, suite=STORAGE),
    Case("no-space", fail("setup", {"/var/tmp"}, "40 MiB"), runs_on=True, suite=STORAGE),
    Case("names-unknown", fail("setup", HOST, r"not node\d+"), runs_on=True, suite=STORAGE),
    Case("fio-slow", fail("storage", HOST, "GB/s"), runs_on=True, suite=STORAGE),
    Case("fio-short", undecided("storage", HOST, "storage.write.runtime is 1 s, expected >= 29.7 s"), runs_on=True,
         remedy="fio_flags", suite=STORAGE),
    Case("fio-slow:5", {}, suite=STORAGE),  # within what the suite asks for
    Case("tool-missing:fio", undecided("storage", HOST | MOUNTS, "fio.* not found"), runs_on=True, suite=STORAGE),
    Case("tool-missing:df", undecided("storage", HOST | MOUNTS, "df.* not found")
         | undecided("setup", {"/var/tmp"}, "df.* not found"), runs_on=True, suite=STORAGE),
    Case("npu-fault:5", fail("ascend-npu", {"npu5"}, "Alarm"), runs_on=True, suite=STORAGE),
    Case("tool-missing:npu-smi", undecided("ascend-npu", HOST | {f"npu{i}" for i in range(8)}, "npu-smi.* not found"),
         runs_on=True, suite=STORAGE),
    Case("tool-missing:findmnt", undecided("storage", HOST | MOUNTS, "findmnt.* not found"), runs_on=True, suite=STORAGE),
]

# Between hosts over the network that their addresses lie in: each pair next to each other, of which the slow host is in two.
LINE = {"name": "line", "title": "lines", "purpose": "delivery", "steps": [
    {"check": "reachable"},
    {"check": "line", "scope": "pair", "needs": ["reachable"], "retries": 0, "arguments": {"seconds": 3, "pings": 100}, "limits": [
        {"metric": "line.bandwidth", "floor": 20, "unit": "Gb/s", "source": "clause 4", "status": "contract"},
        {"metric": "line.loss", "ceiling": 0.1, "unit": "%", "source": "clause 5", "status": "contract"}]}]}
LINES = [
    Case("line-slow", over_pairs(fail, ["line"], r"line.bandwidth is 1[34]\.\d+ Gb/s, expected >= 20"), remedy="ethtool"),
    Case("line-lossy", over_pairs(fail, ["line"], "line.loss is 4 %, expected <= 0.1"), remedy="mtr"),
    Case("line-mtu", over_pairs(fail, ["line"], "line.whole is lost, expected yes"), remedy="tracepath"),
    Case("line-slow:5", {}),
    Case("tool-missing:iperf3", over_pairs(undecided, ["line"], "iperf3.*(not found|No such file)")),
    # Of a pair the first host asks.
    Case("tool-missing:ping", over_pairs(undecided, ["line"], "ping.*not found", pairs=("bc",)), remedy="stage"),
]
for case in LINES:
    case.suite = LINE
# The mean of both ways meets the limit: what stalls for some seconds of a minute is seen in windows of time only.
WINDOWS = {"name": "windows", "title": "lines, in windows of time", "purpose": "delivery", "steps": [
    {"check": "reachable"},
    {"check": "line", "scope": "pair", "needs": ["reachable"], "retries": 0, "arguments": {"seconds": 60, "window": 3, "pings": 20},
     "gate": ["line.steady"], "limits": [
         {"metric": "line.window", "floor": 20, "unit": "Gb/s", "source": "clause 6", "status": "contract"}]}]}
WHEN = r"from \d{4}-\d\d-\d\d \d\d:\d\d:\d\d to ([\d-]+ )?\d\d:\d\d:\d\d UTC"
LINES += [
    Case("line-stalls:6", over_pairs(fail, ["line"], rf"line.window is 0 Gb/s, {WHEN}, expected >= 20"), remedy="at that time", suite=WINDOWS),
    Case("line-stalls:1", over_pairs(fail, ["line"], rf"line.steady is forward: slow {WHEN} \(1 of 20 windows"), suite=WINDOWS),
]

OBJECT = {"name": "object", "title": "an object store", "purpose": "delivery", "steps": [
    {"check": "reachable"},
    {"check": "object-store", "needs": ["reachable"], "retries": 0,
     "arguments": {"endpoint": "https://store.example/bucket/assay", "streams": 4, "size": "1M", "gets": 4}, "limits": [
         {"metric": "object.bandwidth", "floor": 0.5, "unit": "GB/s", "source": "clause 8", "status": "contract"}]}]}
OBJECTS = [
    Case("object-slow", fail("object-store", HOST, r"object.bandwidth is 0.3\d* GB/s, expected >= 0.5"), remedy="curl -v", runs_on=True, suite=OBJECT),
    Case("object-slow:5", {}, suite=OBJECT),
    Case("object-corrupt", fail("object-store", HOST, "1 of 4 objects came back different"), numbers_undecided=True, remedy="do not use",
         runs_on=True, suite=OBJECT),
    Case("object-denied", undecided("object-store", HOST, r"denies access \(HTTP 403\)"), runs_on=True, remedy="keys", suite=OBJECT),
    Case("object-denied:404", undecided("object-store", HOST, r"no such bucket, path or object \(HTTP 404\)"), runs_on=True, suite=OBJECT),
    Case("tool-missing:curl", undecided("object-store", HOST, "curl is missing"), runs_on=True, suite=OBJECT),
]
# Hosts that NVLinks join: who is not of their domain goes by the network, with both of its neighbours and with all.
APART = all_with(fail, "expected >= ")
NVL72 = [
    Case("fabric-cluster-uuid-zero:2", fail("nvlink-domain", HOST, "nvlink.domain.one is no: gpu2 is in none"), remedy="NMX"),
    Case("fabric-degraded:1", fail("nvlink-domain", {"gpu1"}, "fabric.bandwidth is Degraded"), remedy="NMX"),
    Case("fabric-state:3", fail("nvlink-domain", {"gpu3", ""}, "fabric.state is In Progress"), numbers_undecided=True),
    Case("clique-other", fail("nvlink-domain", HOST, r"clique 1, while most hosts of rack r\d+ have .*, clique 0") | APART, numbers_undecided=True,
         runs_on=True),
    Case("domain-other", fail("nvlink-domain", HOST, r"clique 0, while most hosts of rack r\d+ have .*, clique 0") | APART, numbers_undecided=True,
         runs_on=True),
    Case("imex-down", fail("nvlink-domain", HOST, "imex.service is failed, expected active"), remedy="nodes_config.cfg"),
    # On no host at all: each is alike, and each has it.
    Case("imex-down everywhere", {(host, step): what for host in "abc" for (_, step), what in
                                  fail("nvlink-domain", HOST, "imex.service is failed, expected active").items()},
         faults=[f"{host}:imex-down" for host in "abc"]),
    Case("imex-map", fail("nvlink-domain", HOST, r"imex.node is READY, but connected with 0 of the \d+ other nodes that are ready"),
         remedy="nvidia-imex-ctl -N",
         noted={("nvlink-domain", ""): r"advised.imex is DEGRADED: \d+ of \d+ nodes are ready, expected UP"}),
    Case("imex-alone", fail("nvlink-domain", HOST, r"imex.nodes is 127\.1\.\S+, while most hosts of rack r\d+ have 127\.1\.") | APART,
         numbers_undecided=True, runs_on=True),
    # Of its service alone nobody knows who is in its domain.
    Case("imex-mute", undecided("nvlink-domain", HOST, r"`nvidia-imex-ctl -N` did not show the nodes"), remedy="IMEX_CMD_ENABLED=1",
         noted={("nvlink-domain", ""): "advised.imex is not told, expected UP"}),
    # Each host's domain is UP, and of nobody else.
    Case("imex-alone everywhere", {(host, step): what for host in "abc" for (_, step), what in fail(
        "nvlink-domain", HOST, r"imex.nodes is 127\.1\.\S+, and the hosts of rack r\d+ do not agree").items()}
         | all_with(fail, "expected >= ", pairs=("ab", "ac", "bc")), faults=[f"{host}:imex-alone" for host in "abc"], runs_on=True),
    Case("imex-unlisted", fail("nvlink-domain", HOST, r"imex.node is not of the domain: none of the \d+ addresses of nodes is one of the host's"),
         remedy="nodes_config.cfg"),
    Case("gpu-missing:3", fail("gpu-inventory", HOST, "3"), numbers_undecided=True),
    Case("serial-twice:2", fail("gpu-inventory", {"gpu2"}, r"gpu.board is shared with node\d+ gpu0")
         | fail("gpu-inventory", {"gpu0"}, r"gpu.board is shared with node\d+ gpu2", host="c"),
         faults=["b:serial-twice:2", "c:serial-twice:0"], runs_on=True),
    # No figure is declared for this platform: the GPU's own margin.
    Case("burn-hot:2", fail("gpu-burn", {"gpu2"}, "window.temperature.slowdown is T.Limit of -4 C reached, slowdown at -2 C, expected .*not reached"),
         remedy="air flow"),
]

# What assay's own probe finds, and nobody else looks for.
PROBE = [
    Case("compute-slow:3", fail("gpu-compute", {"gpu3"}, r"below .* \d+ peers, measured by 1 value of gpu_compute\.|gpu_compute.* expected >="),
         remedy="under load", runs_on=True, suite="gpu"),
    Case("hbm-slow:6", fail("gpu-memory", {"gpu6"}, r"below .* \d+ peers, measured by 1 value of gpu_memory\.|gpu_memory.* expected >="),
         remedy="ROW_REMAPPER", runs_on=True, suite="gpu"),
    # All alike, so that nobody is slower than the others: the platform's floors.
    Case("all GPUs slow", {target: what for host in "abc" for target, what in (
         fail("gpu-compute", ALL_GPUS, r"bf16.8192.random.warm is (4|5)\d\d.* TFLOP/s, expected >= 606", host=host)
         | fail("gpu-memory", ALL_GPUS, r"gpu_memory.copy is 20\d\d.* GB/s, expected >= 2610", host=host)).items()},
         faults=[f"{host}:{kind}:{gpu}=30" for host in "abc" for kind in ("compute-slow", "hbm-slow") for gpu in range(8)], runs_on=True,
         suite="gpu"),
    Case("pcie-slow:5", fail("gpu-links", {"gpu5"}, r"gpu_links\.(up|down).* expected >= 48|below .* peers"), remedy="BIOS", runs_on=True,
         suite="gpu"),
    Case("p2p:2-5=45", fail("gpu-links", {"gpu2->gpu5", "gpu5->gpu2"}, "gpu_links.one_way is 4[45].* expected >= 345"), runs_on=True, suite="gpu"),
    # The GPU by itself; three hosts are too few for the host, all of whose GPUs wait for it. Of a training over hosts: test_training_hosts.py.
    Case("step-slow:6", fail("training-step", {"gpu6"}, r"below .* \d+ peers, measured by 1 value of training\."), remedy="under load", runs_on=True,
         suite=TRAINING),
    Case("compute-slow:3=1", {}, suite="gpu"),  # as healthy ones may differ
    Case("hbm-bit:2", fail("gpu-memory", {"gpu2"}, "gpu_memory.wrong_words is 8, expected <= 0"), remedy="do not accept", runs_on=True,
         suite="gpu"),
    Case("sdc:4", fail("gpu-sdc", {"gpu4"}, "SM 17: tensor-bf16 from round 4 on"), remedy="do not accept", runs_on=True,
         suite="gpu"),
    Case("power-trip:3", fail("gpu-power", {"b"}, r"power\.gpus is gpu3: GPU GPU-[0-9a-f-]+ went away 17\.3 s into the test", host="all"),
         remedy="power supplies", suite=POWER),
    Case("power-sag:3", {}, suite=POWER),  # three hosts are too few to tell one from the others: test_gpu_power.py
    Case("power-out-of-phase", undecided("gpu-power", {"b"}, "power.phase is 4[01].* expected <= 10 ms", host="all"), remedy="same moments",
         suite=POWER),
    Case("power-out-of-phase:2", {}, suite=POWER),
    # Of whoever is not at work nothing is known, and the sums are those of the others to nobody.
    Case("tool-missing:assay-probe-gpu", undecided("gpu-power", {"b"}, "assay-probe-gpu does not start, exit status 127", host="all"),
         suite=POWER),
    Case("tool-missing:assay-probe-gpu", undecided("gpu-memory", HOST | ALL_GPUS, "assay-probe-gpu.* not found")
         | undecided("gpu-compute", HOST | ALL_GPUS, "assay-probe-gpu.* not found")
         | undecided("training-step", HOST | ALL_GPUS, "assay-probe-gpu.* not found")
         | undecided("gpu-sdc", HOST | ALL_GPUS | {"special", "tensor-tf32", "tensor-fp64", "reduce", "atomic", "hbm", "tensor-fp8"}, "assay-probe-gpu.* not found")
         | undecided("gpu-links", HOST | ALL_GPUS | pairs(*range(8)), "assay-probe-gpu.* not found"), runs_on=True, suite="gpu"),
]

# Counters of ports that grow while all hosts are tested: of one host, whose port is named.
PORTS = {"name": "ports", "title": "ports", "purpose": "delivery", "steps": [
    {"check": "reachable"},
    {"name": "ring", "check": "nccl-all-gather", "scope": "cluster", "isolate": False, "retries": 0, "arguments": {"begin": "8G", "end": "8G"},
     "sizes_judged": ["8G"]}]}


def at_port(counter, words, **keywords):
    """It has a limit, and fails the test by it."""
    return Case(f"port-counts:mlx5_5={counter}", fail("ring", HOST, rf"node\d+ mlx5_5/1: {words}", host="all"), suite=PORTS, remedy="cable", **keywords)


def noted_at_port(counter, words):
    """Nobody has said how many are too many: a remark with the rate."""
    name, count = counter.split("=")
    return Case(f"port-counts:mlx5_5={counter}", {}, suite=PORTS, counted={f"window.ib.{name}": int(count)},
                noted={("ring", ""): rf"node\d+ mlx5_5/1: {words}, [\d.e+]+ per hour"})


COUNTED = [
    at_port("link_error_recovery", "400 link recoveries"),
    at_port("port_rcv_errors", "100000 receive errors"),
    at_port("local_link_integrity_errors", "1 link integrity errors"),
    at_port("excessive_buffer_overrun_errors", "1 buffer overruns"),
    at_port("port_xmit_discards", "1000000 discarded packets"),
    at_port("local_ack_timeout_err", "10000 timeouts of acknowledgements"),
    noted_at_port("link_error_recovery=3", "3 link recoveries"),
    noted_at_port("port_rcv_errors=4", "4 receive errors"),
    noted_at_port("local_ack_timeout_err=5", "5 timeouts of acknowledgements"),
    noted_at_port("packet_seq_err=500", "500 sequence errors"),
    noted_at_port("out_of_sequence=600", "600 packets out of sequence"),
    noted_at_port("rnr_nak_retry_err=700", "700 RNR NAKs"),
    noted_at_port("implied_nak_seq_err=80", "80 implied NAKs"),
    noted_at_port("req_transport_retries_exceeded=1", "1 transports that used up their retries"),
]
# On Ethernet the network device tells what went wrong with its port; the last look sees how much that grew in the run.
TWICE = {**PORTS, "name": "ports-twice", "steps": [
    PORTS["steps"][0], {"check": "fabric-counters", "needs": ["reachable"]}, PORTS["steps"][1],
    {"name": "fabric-counters-after", "check": "fabric-counters", "last": True, "needs": ["fabric-counters"]}]}
ROCE += [
    Case(f"port-counts:mlx5_5={counter}={count}", fail("fabric-counters-after", {"mlx5_5/1"}, rf"eth\.counter\.{counter} is {count}, {count} more than the 0 that it was"),
         suite=TWICE, remedy=remedy)
    for counter, count, remedy in (("rx_crc_errors_phy", 1000000, "traffic"), ("rx_symbol_err_phy", 30000, "traffic"), ("rx_discards_phy", 10000000, "mlnx_qos"),
                                   ("tx_discards_phy", 10000000, "mlnx_qos"))]
ROCE += [
    Case("port-counts:mlx5_5=rx_crc_errors_phy=10", {}, suite=TWICE),
    at_port("roce_slow_restart", "100000 slow restarts"),
    noted_at_port("roce_adp_retrans=500", "500 adaptive retransmissions"),
    # Congestion is told, and is no fault.
    Case("port-counts:mlx5_5=np_cnp_sent", {}, suite=PORTS, counted={"window.ib.np_cnp_sent": 90000}),
    Case("port-counts:mlx5_5=rp_cnp_handled", {}, suite=PORTS, counted={"window.ib.rp_cnp_handled": 90000}),
]

# Other generations count otherwise: pages that are retired before Ampere, and links from NVLink 5 on.
UNDER_BURN = delivery.part("under-burn", "gpu-burn", "ecc-after", "health-after")
LINKS_AGAIN = delivery.part("links-again", "gpu-burn", "nvlink-after")
VOLTA = [
    Case("gpu-counts:2=pages-double", fail("gpu-burn", HOST, "gpu2: 1 pages retired for uncorrectable errors"), suite=UNDER_BURN),
    Case("gpu-counts:2=pages-pending", fail("gpu-burn", HOST, "gpu2: a page retirement is waiting for a reset")
         | fail("ecc-after", {"gpu2"}, "retired_pages.pending is Yes"), suite=UNDER_BURN),
    Case("gpu-counts:2=pages-single", {}, suite=UNDER_BURN,
         noted={("gpu-burn", ""): r"window.corrected is gpu2: 1 pages retired for correctable errors, [\d.e+]+ per hour"}),
    Case("gpu-counts:3=pcie-replays", fail("gpu-burn", HOST, "gpu3: 500 PCIe replays"), suite=UNDER_BURN),
    Case("nvlink-recovery:3", fail("gpu-burn", HOST, r"gpu3\.link5: 2 recoveries"), suite=UNDER_BURN),
    Case("nvlink-counts:3=replay", {}, suite=UNDER_BURN, counted={"window.nvlink.replay": 7}),
]
RECOVERED = fail("nvlink-after", {"gpu3"}, r"nvlink\.errors\.recovery is 2, 2 more than the 0 that it was")
NVLINK5 = [
    Case("nvlink-counts:3=recovery", fail("gpu-burn", HOST, r"gpu3\.link17: 2 recoveries") | RECOVERED, suite=LINKS_AGAIN),
    Case("nvlink-counts:3=discards", {}, suite=LINKS_AGAIN),
    *[Case(f"nvlink-counts:3={what}", fail("gpu-burn", HOST, rf"gpu3\.link17: {words}, expected none"), remedy="reset all GPUs", suite=UNDER_BURN)
      for what, words in (
          ("recovery", "2 recoveries"), ("recovery-failed", "1 failed recoveries"), ("malformed", "3 malformed packets"),
          ("overrun", "3 buffer overruns"), ("rx", "3 receive errors"), ("rx-remote", "3 receive errors of the other end"),
          ("integrity", "3 link integrity errors"), ("effective", "3 errors after correction"), ("symbol", "3 symbol errors"))],
    Case("nvlink-recovery:3", fail("gpu-burn", HOST, r"gpu3\.link17: 2 recoveries"), suite=UNDER_BURN),
    Case("nvlink-counts:3=discards", {}, suite=UNDER_BURN, counted={"window.nvlink.tx_discards": 3}),
]

GROUPS = {
    "gpus": GPUS,
    "load": LOAD,
    "fabric": FABRIC,
    "network": NETWORK,
    "roce": ROCE,
    "system": SYSTEM,
    "tools": TOOLS,
    "launch": LAUNCH,
    "slow": SLOW,
    "storage": STORED,
    "line": LINES,
    "object": OBJECTS,
    "nvl72": NVL72,
    "probe": PROBE,
    "bmc": BMC,
    "ports": COUNTED,
    "volta": VOLTA,
    "nvlink5": NVLINK5,
}


class Slow:
    """What makes a test over so many hosts slow, hosts counted from 1: it is accused, and nobody else (test_isolation.py)."""

    def __init__(self, hosts, fault, kind, subject, place=""):
        self.hosts = hosts
        self.fault = fault  # with {N} for the N-th host
        self.kind, self.subject, self.place = kind, subject, place

    @property
    def name(self):
        return self.fault.split(":")[1]


# Each kind of search among 64 hosts is a unit test (tests/judge/test_isolate.c); here each goes through the whole program.
ISOLATED = [
    Slow(32, "{21}:nic-slow:mlx5_2=30", "host", "{21}", "on its way into the fabric"),
    Slow(24, "{21}:leaf-slow", "leaf", "leaf of {21}"),
    Slow(10, "{5}:path-slow:{10}", "link", "{5} - {10}"),
]
# Options of the lab, for groups whose own suites accept healthy hosts of every platform.
LAB_OPTIONS = {"network": (), "roce": ("--fabric", "roce"), "nvl72": ("--profile", "gb200-nvl72"), "bmc": ("--bmc", "redfish"),
               "volta": ("--profile", "v100-sxm2"), "nvlink5": ("--profile", "hgx-b200")}
