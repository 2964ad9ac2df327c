# SPDX-License-Identifier: Apache-2.0
"""Healthy hosts: each simulated tool prints what the parsers read as whole, with figures of a healthy host."""

import concurrent.futures
import os
import re

from lab_case import Lab, Tap, program, read_output

tap = Tap()

FIELDS = ("index,uuid,serial,pci.bus_id,name,driver_version,memory.total,temperature.gpu,power.draw,power.limit,"
          "persistence_mode,mig.mode.current,ecc.mode.current,pcie.link.gen.current,pcie.link.width.current,"
          "clocks_event_reasons.active,remapped_rows.pending,utilization.gpu")
COMMANDS = [
    ("nvidia-smi", "nvidia-smi"),
    ("nvidia-smi", "nvidia-smi -L"),
    ("nvidia-smi", "nvidia-smi -q"),
    ("nvidia-smi", "nvidia-smi -q -x"),
    ("nvidia-smi", f"nvidia-smi --query-gpu={FIELDS} --format=csv"),
    ("nvidia-smi-topo", "nvidia-smi topo -m"),
    ("nvidia-smi-nvlink", "nvidia-smi nvlink -s"),
    ("nvidia-smi-nvlink", "nvidia-smi nvlink -e"),
    ("lspci", "lspci -D -nn -d 10de:"),
    ("lspci", "lspci -vvv"),
    ("fabric-manager", "systemctl status nvidia-fabricmanager"),
    ("fabric-manager", "systemctl is-active nvidia-fabricmanager"),
    ("fabric-manager", "nv-fabricmanager --version"),
    ("dmidecode", "sudo -n dmidecode"),
    ("dmidecode", "sudo -n dmidecode -t 4,16,17"),
    ("ipmitool", "sudo -n ipmitool sdr type 'Power Supply'"),
    ("ipmitool", "sudo -n ipmitool sel time get"),
    ("xid", "dmesg"),
    ("xid", "dmesg -T"),
    ("xid", "journalctl -k --no-pager"),
    ("ibstat", "ibstat"),
    ("ethtool", "ethtool -S ib0"),
    ("ethtool", "ethtool -i ib7"),
    ("dcgm-diag", "dcgmi diag -r 1"),
    ("dcgm-diag", "dcgmi diag -r 3"),
    ("dcgm-diag", "dcgmi diag -r 3 -j"),
    ("gpu-burn", "gpu_burn 120"),
    ("gpu-burn", "gpu_burn -tc 60"),
    ("p2p-bandwidth-latency", "p2pBandwidthLatencyTest"),
    ("nvbandwidth", "nvbandwidth"),
    ("assay-probe-gpu", "assay-probe-gpu memory"),
    ("assay-probe-gpu", "assay-probe-gpu links"),
    ("assay-probe-gpu", "assay-probe-gpu training --steps 6"),
    ("assay-probe-gpu", "yes 1800000000 | assay-probe-gpu power --seconds 3 --ramp 2"),
    ("assay-probe-gpu", "assay-probe-gpu compute --types bf16,fp8"),
    ("nvbandwidth", "nvbandwidth -t device_to_host_memcpy_ce device_to_device_memcpy_read_ce"),
    ("nccl-tests", "all_reduce_perf -b 8 -e 16G -f 2 -g 8"),
    ("nccl-tests", "all_gather_perf -b 1M -e 8G -f 2 -g 8 -n 20 -w 5"),
    ("nccl-tests", "reduce_scatter_perf -b 1M -e 8G -f 2 -g 8"),
    ("nccl-tests", "alltoall_perf -b 1M -e 8G -f 2 -g 8"),
    ("nccl-tests", "sendrecv_perf -b 1M -e 8G -f 2 -g 8"),
    ("nccl-tests", "mpirun -np 16 --hostfile ../../../hosts.txt --map-by ppr:8:node --bind-to none -x NCCL_DEBUG=INFO "
                   "--mca btl tcp,self all_reduce_perf -b 8 -e 16G -f 2 -g 1"),
    ("elbencho", "(mpirun -np 2 -H node1:1,node2:1 elbencho --service &) ; elbencho --hosts node1:1611,node2:1611 -w -r -t 8 -s 1073741824 "
     "-b 1048576 /data/x; elbencho --hosts node1:1611 --quit"),
    ("ior", "mpirun -np 16 -H node1:8,node2:8 ior -F -C -r -R -t 1048576 -b 1073741824 -o /data/x"),
    ("mdtest", "mpirun -np 16 -H node1:8,node2:8 mdtest -F -n 100 -d /data/x"),
    ("nccl-tests", "mpirun -np 16 -H node1:8,node2:8 --tag-output all_gather_perf -b 8 -e 16G -f 2 -g 1"),
]
# The floors that the baselines ask for; a healthy lab lies above each.
FLOORS = {
    "hgx-h100": {"p2p.unidirectional.enabled": 345, "p2p.bidirectional.enabled": 700, "all_reduce": 455,
                 "all_gather": 330, "reduce_scatter": 330, "alltoall": 325, "cluster": 300},
    "hgx-h200": {"p2p.unidirectional.enabled": 345, "p2p.bidirectional.enabled": 700, "all_reduce": 455,
                 "all_gather": 330, "reduce_scatter": 330, "alltoall": 325, "cluster": 300},
    "hgx-a100": {"p2p.unidirectional.enabled": 250, "p2p.bidirectional.enabled": 390, "all_reduce": 220,
                 "all_gather": 215, "reduce_scatter": 215, "alltoall": 190, "cluster": 168},
    # Of these nobody has published all: what there is no floor for is not asked.
    "hgx-a800": {"all_reduce": 150},
    "hgx-h800": {"p2p.unidirectional.enabled": 150, "all_reduce": 200},
    "hgx-h20": {"p2p.unidirectional.enabled": 330, "all_reduce": 440, "cluster": 300},
    "hgx-b200": {"p2p.unidirectional.enabled": 700, "all_reduce": 795, "cluster": 330},
    "hgx-b300": {"all_reduce": 800},
    "gb200-nvl72": {"p2p.unidirectional.enabled": 700, "all_reduce": 645, "cluster": 580},
    "gb300-nvl72": {"all_reduce": 645, "cluster": 580},
    "v100-sxm2": {"all_reduce": 110},
}
GPUS = {"gb200-nvl72": 4, "gb300-nvl72": 4}

LOADS = ("gpu-burn", "assay-probe-gpu")  # these tools keep all GPUs of the host busy


def lowest(reading, metric, pairs_only=False, size=None):
    values = [m["value"] for m in reading["measurements"] if m["metric"] == metric
              and (not pairs_only or len(set(m["subject"].split("->"))) == 2)
              and (size is None or m["at"].get("size_bytes", 0) >= size)]
    return min(values) if values else None


def check_figures(profile, command, reading):
    floors = FLOORS[profile]
    for metric in ("p2p.unidirectional.enabled", "p2p.bidirectional.enabled"):
        if command.startswith("p2p") and metric in floors:
            value = lowest(reading, metric, True)
            tap.ok(value is not None and value >= floors[metric], f"{profile}: {metric} is healthy", value)
    warm = [m["value"] for m in reading["measurements"] if m.get("unit") == "C"]
    if warm and command.startswith("nvidia-smi"):
        tap.ok(all(-20 < value < 150 for value in warm), f"{profile}: {command[:40]}: no temperature is what no GPU has", sorted(warm)[-1])
    collective = re.search(r"(\w+)_perf", command)
    if collective is not None and collective[1] != "sendrecv":
        floor = floors.get("cluster" if command.startswith("mpirun") else collective[1], 0.1)
        value = lowest(reading, f"nccl.{collective[1]}.busbw", False, 8 << 30)
        tap.ok(value is not None and value >= floor, f"{profile}: {command.split()[0]} {collective[1]} is healthy", value)


def check(profile, tool, command, done):
    reading = read_output(tool, done.stdout)
    name = f"{profile}: {command[:70]}"
    if reading is None:
        tap.skip(name, f"this build has no parser {tool}")
        return
    faults = [f for f in reading["findings"] if f["severity"] == "fault"]
    tap.ok(done.returncode == 0 and reading["reading"] == "complete" and faults == [], name,
           f"{done.returncode} {reading['reading']} {reading.get('reason')} {faults} {done.stderr}")
    if reading["reading"] == "complete":
        check_figures(profile, command, reading)


def a_killed_collective(tap):
    """Its end adds to counters that until then all hosts share."""
    collective = "mpirun -H node1:8,node2:8 -np 16 all_gather_perf -b 1G -e 1G -g 1"
    counter = "root/sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data"
    with Lab(2, [], "--speed", "1000") as lab:
        for wait in range(1, 13):
            lab.run(1, f"timeout -s KILL {wait * 0.02} {collective}")
        done = lab.run(1, collective)
        counts = []
        for path in (lab.path(counter), lab.path("hosts", "node1", counter), lab.path("hosts", "node2", counter)):
            with open(path, encoding="ascii") as file:
                counts.append(int(file.read()))
        tap.ok(done.returncode == 0 and counts[0] == 0 and min(counts[1:]) > 0,
               "a collective counts on its own hosts, however often it was killed before", f"{counts} {done}")


def services_and_a_collective(tap):
    """The host's tree becomes its own while services wait for who measures."""
    with Lab(2, [], "--speed", "1000") as lab:
        done = lab.run(1, "(mpirun -np 2 -H node1:1,node2:1 elbencho --service &) ; sleep 1; mpirun -H node1:8,node2:8 -np 16 all_gather_perf -b 1G -e 1G -g 1; "
                          "elbencho --hosts node1:1611,node2:1611 -w -t 8 -s 1048576 -b 1048576 /data/x && elbencho --hosts node1:1611 --quit")
        tap.ok(done.returncode == 0 and "WRITE" in done.stdout, "services are found after a collective has run", done)


a_killed_collective(tap)
services_and_a_collective(tap)
for profile in FLOORS:
    gpus = GPUS.get(profile, 8)
    with Lab(2, [], "--profile", profile) as lab, concurrent.futures.ThreadPoolExecutor(3) as pool:
        if lab.up.returncode != 0:
            tap.ok(False, f"{profile}: the lab starts", lab.up.stderr)
            continue
        with open(lab.path("hosts.txt"), "w") as file:
            file.write(f"# two hosts\nnode1 slots={gpus}\n127.1.0.2 slots={gpus}\n")
        commands = COMMANDS if profile == "hgx-h100" else [c for c in COMMANDS if c[0] in
                                                          ("nvidia-smi", "p2p-bandwidth-latency", "nccl-tests")]
        commands = [(tool, command.replace("-g 8", f"-g {gpus}").replace(":8", f":{gpus}").replace("-np 16", f"-np {2 * gpus}"))
                    for tool, command in commands]
        # What burns slows what sends: first the one, then the other.
        turns = [[row for row in commands if row[0] == tool] for tool in LOADS] + [[row for row in commands if row[0] not in LOADS]]
        results = [done for rows in turns for done in pool.map(lambda row: lab.run(1, row[1]), rows)]
        for (tool, command), done in zip(sum(turns, []), results):
            check(profile, tool, command, done)
        if profile != "hgx-h100":
            continue

        done = lab.run(1, "mpirun -H node1:2,node2:2 -np 4 hostname")
        tap.ok(done.stdout.split() == ["node1", "node1", "node2", "node2"], "mpirun runs a command once a rank", done)
        done = lab.run(1, "mpirun -H node1,node9 hostname")
        tap.ok(done.returncode == 1 and "ORTE was unable to reliably start" in done.stderr,
               "mpirun to a host that is missing fails as Open MPI does", done)
        done = lab.run(1, "mpirun -np 99 -H node1:8 hostname")
        tap.ok(done.returncode == 1 and "not enough slots" in done.stderr, "mpirun refuses more ranks than slots", done)
        done = lab.run(1, lab.path("opt", "gpu-burn", "gpu_burn") + " -i 3 60")
        tap.ok("Tested 1 GPUs:\n\tGPU 0: OK\n" in done.stdout, "gpu_burn runs by its path, and on one GPU", done.stdout)
        done = lab.run(1, "gpu_burn -c elsewhere.ptx 60")
        tap.ok(done.returncode != 0 and "couldn't find compare kernel: elsewhere.ptx" in done.stderr,
               "gpu_burn misses its kernel as the real one does", done)
        done = lab.run(1, "gpu_burn 1200 >/dev/null & sleep 0.5; nvidia-smi --query-gpu=utilization.gpu,temperature.gpu,"
                          "clocks_event_reasons.sw_power_cap --format=csv,noheader; nvidia-smi | grep gpu_burn; wait")
        tap.ok(re.search(r"^100 %, 6\d, Active$", done.stdout, re.M) is not None and done.stdout.count("gpu_burn") == 8,
               "nvidia-smi shows the load while gpu_burn runs", done.stdout)
        done = lab.run(1, "sudo -n id -u; sudo -n -- sh -c 'echo $ASSAY_LAB_HOST'")
        tap.ok(done.stdout == "0\nnode1\n", "sudo -n gives root's id", done)
        done = lab.run(1, "nvidia-smi --query-gpu=no.such.field --format=csv")
        tap.ok(done.returncode != 0 and "is not a valid field" in done.stdout, "nvidia-smi refuses unknown fields", done)
        done = lab.run(1, "systemctl is-active no-such-unit; echo $?; systemctl status no-such-unit; echo $?")
        tap.ok(done.stdout == "inactive\n3\n4\n", "systemctl knows no other unit", done)

# A fault is mended while the lab runs, where no GPU is to be swapped: in what tools compute, and which of them are there.
def pairs_over_nvlink(lab):
    text = lab.run(1, "p2pBandwidthLatencyTest").stdout
    return text.split("Unidirectional P2P=Enabled Bandwidth", 1)[1].split("Bidirectional", 1)[0]


SLOW = r"\b1[12]\.\d\d\b"
with Lab(2, ["node1:fabric-manager-version", "node1:p2p:2-5=12", "node1:tool-missing:ibstat", "node2:persistence-off", "node2:key-refused"]) as lab:
    before = (re.search(SLOW, pairs_over_nvlink(lab)) is not None, lab.run(1, "command -v ibstat").returncode)
    for fault in ("node1:p2p:2-5=12", "node1"):
        done = program("lab", "heal", fault, "--dir", lab.directory)
        tap.ok((done.returncode, done.stdout) == (0, f"healed: {fault}\n"), f"{fault} is mended, and that is said", done.stderr)
    after = (re.search(SLOW, pairs_over_nvlink(lab)) is not None, lab.run(1, "command -v ibstat").returncode)
    tap.ok(before == (True, 127) and after == (False, 0), "the slow pair is gone from what its tool prints, and the missing tool is there", (before, after))
    done = program("lab", "status", "--dir", lab.directory)
    tap.ok("node1" in done.stdout and "p2p" not in done.stdout and "persistence-off" in done.stdout, "the status tells what is still wrong", done.stdout)
    for fault, why in (("node1:p2p", "nothing of 'node1:p2p' is wrong"), ("node9", "node9 is not a host"), ("node2:key-refused", "`assay lab down`")):
        done = program("lab", "heal", fault, "--dir", lab.directory)
        tap.ok(done.returncode == 64 and why in done.stderr, f"refused: {fault}", done.stderr)
tap.end()
