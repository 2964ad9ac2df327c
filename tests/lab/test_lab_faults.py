# SPDX-License-Identifier: Apache-2.0
"""Every kind of fault: it shows in the tool where it belongs, on its host, and not on the healthy one."""

import concurrent.futures
import re
import subprocess

from lab_case import Lab, Tap, program, read_output

tap = Tap()

PUT_OBJECT = r"""printf 'url = "http://s/b/n.3"\nupload-file = "/etc/hostname"\n' | curl --config -; """
GET_OBJECT = r"""printf 'url = "http://s/b/n.3"\n' | curl --config - 2>/dev/null | cmp - /etc/hostname"""
BMC_ASKS = r"""echo 'url = "https://bmc/redfish/v1/Systems"' | sudo -n curl --write-out ' %{http_code}' --config -"""

# (kind and argument, command, what its output, error text and status must show on the faulty host only)
CASES = [
    ("gpu-missing:3", "nvidia-smi -L | wc -l", r"^7$"),
    ("gpu-missing:4", "lspci -D -nn -d 10de:", r"^0000:9d:00\.0 .*\(rev ff\)$"),
    ("gpu-missing:5", "all_reduce_perf -b 8 -e 1M -f 2 -g 8", r"'invalid device ordinal'"),
    ("p2p:0-1=45", "p2pBandwidthLatencyTest", r"P2P=Enabled Bandwidth \(P2P Writes\)[^\n]*\n[^\n]*\n +0 25\d\d\.\d\d  4[45]\."),
    ("p2p:0-1=46", "p2pBandwidthLatencyTest", r"Bidirectional P2P=Enabled[^\n]*\n[^\n]*\n +0 25\d\d\.\d\d  9[12]\."),
    ("nvlink-down:2-5", "nvidia-smi nvlink -s", r"GPU 5:[^\n]*\n[^\n]*Link 0: <inactive>"),
    ("nvlink-down:2-6", "p2pBandwidthLatencyTest", r"(Writes)[^\n]*\n([^\n]*\n){3} +2 2[89]\d\.\d\d 2[89]\d\.\d\d 25"),
    ("fabric-manager-dead", "systemctl is-active nvidia-fabricmanager; echo rc $?", r"^failed\nrc 3$"),
    ("fabric-manager-dead", "all_reduce_perf -g 8", r"'system not yet initialized'"),
    ("fabric-manager-dead", "gpu_burn 10", r"No clients are alive!"),
    ("fabric-manager-version", "nv-fabricmanager --version", r": 550\.54\.14$"),
    ("fabric-state:2", "nvidia-smi -q", r"State +: In Progress"),
    ("dcgm:3", "dcgmi diag -r 3", r"^\| Diagnostic +\| Pass - GPUs: 0, 1, 2, 4, 5, 6, 7 +\|\n\| +\| Fail - GPU: 3 "),
    ("dcgm:3=GPU Memory", "dcgmi diag -r 2 -j; echo rc $?", r'"status": "Fail"[^}]*(.|\n)*rc 226'),
    ("dcgm-warn:2", "dcgmi diag -r 3", r"^\| +\| Warn - GPU: 2 +\|\n\| Warning +\| GPU 2 Clocks are being throttled"),
    ("dcgm-skip:2=PCIe", "dcgmi diag -r 2", r"^\| +\| Skip - GPU: 2 "),
    ("dcgm-inforom:5", "dcgmi diag -r 1; echo rc $?", r"^\| Inforom +\| Fail +\|\n\| Error +\| A corrupt InfoROM(.|\n)*rc 226"),
    ("burn-faulty:6", "gpu_burn 30", r"errors: 0 - 0 - 0 - 0 - 0 - 0 - 137  \(WARNING!\)- 0(.|\n)*GPU 6: FAULTY"),
    ("burn-idle:2", "gpu_burn 30", r"- 0 \(0 Gflop/s\) -(.|\n)*GPU 2: OK"),
    ("gpu-slow:1=50", "gpu_burn 60", r"\(5\d{4} Gflop/s\) - \d+ \(2[4-7]\d{3} Gflop/s\) - \d+ \(5\d{4}"),
    ("throttle:1", "gpu_burn 60", r"temps: \d+ C - 88 C -"),
    ("throttle:1=40", "gpu_burn 900 >/dev/null & sleep 0.4; nvidia-smi --query-gpu=clocks_throttle_reasons.hw_thermal_slowdown "
                      "--format=csv,noheader; wait", r"^Active$"),
    ("nic-slow:mlx5_3=12", "mpirun -H node1:8,NODE:8 -np 16 all_gather_perf -b 8G -e 8G -g 1",
     r"^ +8589934592 .* (7\d|8[01])\.\d\d +0 "),
    ("nccl-socket", "mpirun -H node1:8,NODE:8 -np 16 -x NCCL_DEBUG=INFO all_gather_perf -b 8G -e 8G -g 1",
     r"Using network Socket(.|\n)*^ +8589934592 .* [5-9]\.\d\d +0 "),
    ("path-slow:node1=12", "mpirun -H node1:8,NODE:8 -np 16 all_gather_perf -b 8G -e 8G -g 1",
     r"^ +8589934592 .* (7\d|8[01])\.\d\d +0 "),
    ("leaf-slow:10", "mpirun -H node1:8,NODE:8 -np 16 all_gather_perf -b 8G -e 8G -g 1",
     r"^ +8589934592 .* 30\d\.\d\d +0 "),
    ("nic-far:mlx5_2", "nvidia-smi topo -m | grep GPU2", r"^GPU2(\tNV\d+|\t X ){8}\tNODE\tNODE\tNODE\tNODE\tSYS"),
    ("hca-missing:mlx5_5", "nvidia-smi topo -m", r"NIC5: mlx5_6"),
    ("hca-missing:mlx5_3", "lspci -D -n -d 15b3: | wc -l", r"^7$"),
    ("hca-missing:mlx5_0", 'ls "$ASSAY_LAB_ROOT"/sys/class/infiniband/; ibstat mlx5_0', r"^mlx5_1\n(.|\n)*'mlx5_0' IB device can't be found"),
    ("hca-firmware:28.36.1010", 'cat "$ASSAY_LAB_ROOT"/sys/class/infiniband/mlx5_7/fw_ver; ibstat', r"^28\.36\.1010\n(.|\n)*version: 28\.36\.1010$"),
    ("link-down:mlx5_6", 'cat "$ASSAY_LAB_ROOT"/sys/class/infiniband/mlx5_6/ports/1/state; ibstat mlx5_6', r"^1: DOWN\n(.|\n)*State: Down\n.*Polling$"),
    ("link-rate:mlx5_4", 'cat "$ASSAY_LAB_ROOT"/sys/class/infiniband/mlx5_4/ports/1/rate; ibstat mlx5_4', r"^100 Gb/sec \(1X NDR\)\n(.|\n)*Rate: 100$"),
    ("link-rate:mlx5_5=200", "mpirun -H node1:8,NODE:8 -np 16 all_gather_perf -b 8G -e 8G -g 1",
     r"^ +8589934592 .* 1[67]\d\.\d\d +0 "),
    ("hca-pcie:mlx5_3", 'cat "$ASSAY_LAB_ROOT"/sys/class/infiniband/mlx5_3/device/current_link_width', r"^8$"),
    ("hca-pcie:mlx5_2=4", "lspci -vvv -s 4f:00.0", r"LnkSta:\tSpeed 32GT/s \(ok\), Width x4 \(downgraded\)"),
    ("hca-pcie:mlx5_1=8", "mpirun -H node1:8,NODE:8 -np 16 all_gather_perf -b 8G -e 8G -g 1",
     r"^ +8589934592 .* 2[0-4]\d\.\d\d +0 "),
    ("ib-errors:mlx5_1=77", 'cat "$ASSAY_LAB_ROOT"/sys/class/infiniband/mlx5_1/ports/1/counters/symbol_error', r"^77$"),
    ("link-downs:mlx5_6", 'cat "$ASSAY_LAB_ROOT"/sys/class/infiniband/mlx5_[56]/ports/1/counters/link_downed', r"^1\n42$"),
    ("link-ber:mlx5_2=1e-9", "sudo mlxlink -d mlx5_2 -p 1 -m -c", r"Effective Physical BER +: 1E-09\n"),
    ("module-hot:mlx5_4", "sudo mlxlink -d mlx5_4 -p 1 -m -c", r"Temperature \[C\] +: 78 \[-5\.\.75\]\n"),
    ("module-dark:mlx5_5", "sudo mlxlink -d mlx5_5 -p 1 -m -c", r"Rx Power Current \[dBm\] +: 1\.412,-14\.210,"),
    ("cable-odd:mlx5_5", "sudo mlxlink -d mlx5_5 -p 1 -m -c", r"\nTransfer Distance \[m\] +: 100\n"),
    ("module-odd:mlx5_7", "sudo mlxlink -d mlx5_7 -p 1 -m -c", r"\nFW Version +: 46\.120\.0150\n"),
    ("rdma-latency:mlx5_3", "ib_write_lat -d mlx5_3 -s 2 >/dev/null & sleep 0.5; ib_write_lat -d mlx5_3 -s 2 localhost",
     r"^ 2 +\d+ +[89]\.\d\d "),
    ("nvls-off", "all_reduce_perf -b 8G -e 8G -g 8", r"^ +8589934592 .* 3[67]\d\.\d\d +0 "),
    ("kernel-version", "uname -r", r"^5\.15\.0-105-generic$"),
    ("bios-version", "sudo -n dmidecode -t bios", r"Version: 1\.4a$"),
    ("bios-version:3.7", 'cat "$ASSAY_LAB_ROOT"/sys/class/dmi/id/bios_version', r"^3\.7$"),
    ("governor", 'cat "$ASSAY_LAB_ROOT"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor', r"^powersave$"),
    ("memlock", 'cat "$ASSAY_LAB_ROOT"/proc/self/limits', r"^Max locked memory +8388608 +8388608 +bytes"),
    ("clock-skew", "echo $(($(date +%s) - $(/bin/date +%s)))", r"^(39|40|41)$"),
    ("clock-skew:7", "timedatectl show -p NTPSynchronized --value", r"^no$"),
    ("dimm-missing", "sudo -n dmidecode -t memory", r"Size: No Module Installed\n(.*\n){2}\tLocator: P1-DIMMF1$"),
    ("containerd-old", "containerd --version", r" 1\.6\.33 "),
    ("toolkit-old", "nvidia-ctk --version", r" version 1\.14\.3$"),
    ("toolkit-old:1.17.7", "nvidia-container-cli --version", r"^lib-version: 1\.17\.7$"),
    ("sshd-root-login", "sudo -n sshd -T", r"^permitrootlogin yes$"),
    ("open-port:4444", "sudo -n ss -lntup", r'0\.0\.0\.0:4444 .*"nc"'),
    ("open-port:4444", 'cat "$ASSAY_LAB_ROOT"/proc/net/tcp', r"00000000:115C "),
    ("extra-user", 'cat "$ASSAY_LAB_ROOT"/etc/passwd', r"^toor:x:0:"),
    ("extra-key", 'cat "$ASSAY_LAB_ROOT"/home/ubuntu/.ssh/authorized_keys', r"<b>\$\(reboot\)"),
    ("sel-psu", "sudo -n ipmitool sel elist", r"PSU2 Status \| Power Supply AC lost \| Asserted$"),
    ("sel-psu:3", "sudo -n ipmitool sdr type 'Power Supply'", r"^PSU3 .*AC lost$"),
    ("extra-partition", 'cat "$ASSAY_LAB_ROOT"/sys/class/infiniband/mlx5_0/ports/1/pkeys/1', r"^0x8123$"),
    ("subnet-keys", 'cat "$ASSAY_LAB_ROOT"/etc/opensm/opensm.conf', r"^sa_key 0x0000000000000001$"),
    ("subnet-keys", "sudo -n saquery --smkey 1 PKTR 1", r"^PKeyTableRecord dump:$"),
    ("bmc-bad:log-full", "sudo -n ipmitool sel info", r"^Overflow +: true$"),
    ("bmc-bad:clock-ahead", "sudo -n ipmitool sel elist", r"Uncorrectable ECC \| Asserted$"),
    ("bmc-bad:hangs", BMC_ASKS + "; echo rc $?", r"timed out(.|\n)*rc 28$"),
    ("bmc-bad:reachable", "curl --verbose https://$(hostname)-bmc:443/; ping -c 2 $(hostname)-bmc", r"Connected to (.|\n)* 2 received, 0% packet loss"),
    ("bmc-bad:ipmi-reachable", "rmcpping -c 2 $(hostname)-bmc", r"^pong received from "),
    ("bmc-bad:open", BMC_ASKS, r"System_0.* 200$"),
    ("pcie-width:5=8", "nvidia-smi --query-gpu=pcie.link.width.current --format=csv,noheader", r"^8$"),
    ("pcie-width:5=4", "nvbandwidth -t host_to_device_memcpy_ce", r"^ 0 .* 13\.[789]\d "),
    ("pcie-width:5=8", "lspci -vvv -s c3:00.0", r"LnkSta:\tSpeed 2.5GT/s \(downgraded\), Width x8 \(downgraded\)"),
    ("power-default:3=500", "nvidia-smi -q -d POWER", r"Default Power Limit +: 500\.00 W"),
    ("gpu-twin:2-5", "nvidia-smi --query-gpu=uuid --format=csv,noheader | sort | uniq -d | wc -l", r"^1$"),
    ("serial-twice:3", "nvidia-smi --query-gpu=serial --format=csv,noheader | sed -n 4p", r"^1650000000000$"),
    ("serial-none:3", "nvidia-smi -q -i 3 | grep 'Serial Number'", r": N/A$"),
    ("gpu-cloned:3", "nvidia-smi --query-gpu=serial --format=csv,noheader | sed -n 4p", r"^1650000000000$"),
    ("gpu-odd:4=vbios", "nvidia-smi --query-gpu=vbios_version --format=csv,noheader | sort -u", r"^96\.00\.30\.00\.01$"),
    ("inforom:6", "nvidia-smi -q 2>&1 | tail -n 3", r"infoROM is corrupted at gpu 0000:D1:00\.0"),
    ("drive-order", "lsblk -d -n -b -P -o NAME,TYPE,SIZE,MODEL,SERIAL | tail -n 1", r'nvme7n1" TYPE="disk" SIZE="960197124096"'),
    ("burn-short:1", "gpu_burn 600 | head -n 2", r"Burning for 1 seconds\.$"),
    ("burn-hurried", "s=$(date +%s%N); gpu_burn 600 >/dev/null; e=$(date +%s%N); [ $(((e - s) / 1000000)) -ge 1000 ] || echo at once", r"^at once$"),
    ("burn-boasts:2", "gpu_burn 30 | tr '\\r' '\\n' | grep Gflop | tail -n 1", r"(\(5\d{4} Gflop/s\) - \d+ ){2}\(10\d{4} Gflop/s\) - \d+ \(5\d{4}"),
    ("burn-slow:3=30", "gpu_burn 30 | tr '\\r' '\\n' | grep Gflop | tail -n 1", r"(\(\d+ Gflop/s\) - \d+ ){3}\(3\d{4} Gflop/s\)"),
    ("tensor-slow:3=30", "gpu_burn -tc 30 | tr '\\r' '\\n' | grep Gflop | tail -n 1", r"(\(3\d{5} Gflop/s\) - \d+ ){3}\(2\d{5} Gflop/s\)"),
    ("compute-slow:3=50", "assay-probe-gpu compute --types bf16 --sizes 8192 --seconds 1", r'"gpu": 3, "tflops": 3[567]\d'),
    ("step-slow:3=50", "assay-probe-gpu training --steps 5", r'"gpu": 3, .*"tflops": 2[456]\d.*"last_percent": 90'),
    ("power-trip:3", "yes 1800000000 | assay-probe-gpu power --hz 1 --seconds 2", r'"gpu": 3, .*"lost_s": 17\.3(.|\n)*"end": "wrong"'),
    ("power-sag:3=20", "yes 1800000000 | assay-probe-gpu power --hz 1 --seconds 2", r'"gpu": 3, .*"clock_mhz": 1[34]\d\d.*"reliability_ms": 1200'),
    ("power-out-of-phase:25", "yes 1800000000 | assay-probe-gpu power --hz 1 --seconds 2", r'"gpu": 3, .*"edges": 4, "late_ms": 25, '),
    ("pcie-slow:3=50", "assay-probe-gpu links", r'"host_copy": "up", "together": false, "gpu": 3, "gbps": 27\.'),
    ("hbm-slow:3=50", "assay-probe-gpu memory --passes 1", r'"stream": "copy", "gpu": 3, "gbps": 14[45]\d'),
    ("hbm-bit:3=5", "assay-probe-gpu memory --passes 1", r'"wrong_word": 3, .*"times": 5\}'),
    ("sdc:3=42", "assay-probe-gpu sdc --seconds 2", r'"wrong_gpu": 3, "sm": 42, '),
    ("burn-old", "gpu_burn -tc 30 | grep -c 'using FLOATS$'", r"^8$"),
    ("burn-hot:2=92", "gpu_burn 30 | tr '\\r' '\\n' | grep temps: | tail -n 1", r"temps: \d+ C - \d+ C - 9[12] C - "),
    ("power-limit:3=500", "nvidia-smi -q -d POWER", r"Current Power Limit +: 500\.00 W"),
    ("clocks-locked:3", "nvidia-smi --query-gpu=clocks.applications.graphics --format=csv,noheader", r"^1200 MHz$"),
    ("nccl-row", "mpirun -H NODE:8,node1:8 -np 16 all_reduce_perf -b 4M -e 8M -f 2 -g 1 | grep -c '^ *[0-9]'", r"^1$"),
    ("dcgm-short:2", "dcgmi diag -r 3 | grep -c 'Targeted Power'", r"^0$"),
    ("clocks-held:3", "gpu_burn 900 >/dev/null & sleep 0.4; nvidia-smi --query-gpu=clocks.sm,clocks_event_reasons.active "
     "--format=csv,noheader,nounits", r"^1200, 0x0000000000000000$"),
    ("power-low:3", "gpu_burn 900 >/dev/null & sleep 0.4; nvidia-smi --query-gpu=power.draw --format=csv,noheader,nounits",
     r"^450\.00$"),
    ("nccl-short:3", "all_reduce_perf -b 1M -e 8M -f 2 -g 8", r" iters: 3 agg "),
    ("host-odd:iommu", 'cat "$ASSAY_LAB_ROOT"/proc/cmdline', r"intel_iommu=on$"),
    ("host-odd:acs", "lspci -vvv", r"SrcValid\+"),
    ("host-odd:peermem", 'grep -c peermem "$ASSAY_LAB_ROOT"/proc/modules', r"^0$"),
    ("host-odd:numa-balancing", 'cat "$ASSAY_LAB_ROOT"/proc/sys/kernel/numa_balancing', r"^1$"),
    ("host-odd:psid", 'cat "$ASSAY_LAB_ROOT"/sys/class/infiniband/mlx5_2/board_id', r"^MT_0000000970$"),
    ("host-odd:bmc", "sudo -n ipmitool mc info", r"^Firmware Revision +: 1\.07$"),
    ("nccl-wrong:5", "all_reduce_perf -b 1M -e 8M -f 2 -g 8; echo rc $?", r" 5 (.|\n)*values : 8 FAILED(.|\n)*rc 1$"),
    ("persistence-off:0", "nvidia-smi --query-gpu=persistence_mode --format=csv,noheader", r"^Disabled$"),
    ("mig-on:1", "nvidia-smi --query-gpu=mig.mode.current --format=csv,noheader", r"^Enabled$"),
    ("ecc-off:1", "nvidia-smi --query-gpu=ecc.mode.current --format=csv,noheader", r"^Disabled$"),
    ("ecc-uncorrected:4=3", "nvidia-smi --query-gpu=ecc.errors.uncorrected.volatile.total --format=csv,noheader", r"^3$"),
    ("reset-required:6", "nvidia-smi -q", r"Reset Required +: Yes"),
    ("hot:3=91", "nvidia-smi --query-gpu=temperature.gpu --format=csv,noheader", r"^91$"),
    ("remap-pending:7", "nvidia-smi -q -d ROW_REMAPPER", r"Pending +: Yes"),
    ("remap-pending:7", "dcgmi diag -r 1", r"Page Retirement/Row Remap \| Fail(.|\n)*GPU 7 has uncorrectable"),
    ("driver-eol", "nvidia-smi -q", r"^Driver Version +: 535\.309\.01$"),
    ("driver-eol:470.256.02", "nvidia-smi -q", r"^Driver Version +: 470\.256\.02$"),
    ("gds", "cat $ASSAY_LAB_ROOT/proc/driver/nvidia-fs/version", r"^version: 2\.24\.2$"),
    ("gds:2.17.3", "cat $ASSAY_LAB_ROOT/proc/driver/nvidia-fs/stats", r"^NVFS Driver\(version: 2\.17\.3\)$"),
    ("os-eol", "cat $ASSAY_LAB_ROOT/etc/os-release", r"^VERSION_ID=\"20\.04\"$"),
    ("driver-version:535.54.03", "nvidia-smi -q", r"^Driver Version +: 535\.54\.03$"),
    ("gpu-busy:4", "nvidia-smi", r"\|    4   N/A  N/A +\d+ +C +python3 +40210MiB \|"),
    ("gpu-busy:5", "nvidia-smi --query-compute-apps=pid,process_name --format=csv,noheader", r"^\d+, python3$"),
    ("log-turned", "dmesg | head -n 1; journalctl -k -b -o short-monotonic | head -n 1",
     r"^\[ *121\.[0-9]+\] .*\n\[ *0\.000000\] .*Linux version"),
    ("log-lost", "journalctl -k -b -o short-monotonic | head -n 1", r"^\[ *121\."),
    ("xid-before:2=48", "dmesg", r"NVRM: Xid \(PCI:0000:52:00\): 48, "),
    ("xid:0=79", "gpu_burn 30 >/dev/null; dmesg", r"NVRM: Xid \(PCI:0000:1b:00\): 79, .*fallen off the bus"),
    ("ecc-burn:2=3", "gpu_burn 30 >/dev/null; nvidia-smi --query-gpu=ecc.errors.uncorrected.volatile.total "
     "--format=csv,noheader", r"^0\n0\n3\n0$"),
    ("gpu-counts:2=pcie-replays", "r() { nvidia-smi -q | grep -c 'Replays Since Reset *: 500'; }; r; gpu_burn 30 >/dev/null; r", r"^0\n1$"),
    ("gpu-counts:2=sram-corrected", "gpu_burn 30 >/dev/null; nvidia-smi -q -d ECC | grep -c 'SRAM Correctable *: 20000'", r"^2$"),
    ("gpu-counts:2=dram-corrected-ever=7", "gpu_burn 30 >/dev/null; nvidia-smi -q -d ECC | grep -c 'DRAM Correctable *: 7'", r"^1$"),
    ("gpu-counts:2=rows-failed", "gpu_burn 30 >/dev/null; nvidia-smi -q -d ROW_REMAPPER | grep -c 'Failure Occurred *: Yes'", r"^1$"),
    ("gpu-counts:2=needs-reset", "gpu_burn 30 >/dev/null; nvidia-smi -q | grep -c 'Reset Required *: Yes'", r"^1$"),
    ("gpu-odd:2=board-part", "nvidia-smi -q | grep -c 'Board Part Number *: 692-2G520-0200-0A1'", r"^1$"),
    ("machine-counts:aer-fatal", 'c() { cat "$ASSAY_LAB_ROOT"/sys/bus/pci/devices/*/aer_dev_fatal 2>/dev/null | grep -c "FATAL 1"; }; '
     "c; gpu_burn 30 >/dev/null; c", r"^0\n1$"),
    ("machine-counts:edac-ue=3", 'f="$ASSAY_LAB_ROOT"/sys/devices/system/edac/mc/mc0/ue_count; cat "$f"; gpu_burn 30 >/dev/null; cat "$f"', r"^0\n3$"),
    ("machine-counts:nvme-warning", "m() { sudo nvme smart-log /dev/nvme1 | grep critical; }; m; gpu_burn 30 >/dev/null; m", r": 0\n.*: 0x4$"),
    ("nvlink-counts:2=replay", "gpu_burn 30 >/dev/null; nvidia-smi nvlink -e | grep -c 'Replay Errors: 7'", r"^1$"),
    ("port-counts:mlx5_2=packet_seq_err=77", 'f="$ASSAY_LAB_ROOT"/sys/class/infiniband/mlx5_2/ports/1/hw_counters/packet_seq_err; cat "$f"; '
     'mpirun -H node1:8,NODE:8 -np 16 all_reduce_perf -b 1M -e 1M -g 1 >/dev/null; cat "$f"', r"^0\n77$"),
    ("nvlink-recovery:2=5", "nvidia-smi nvlink -e | grep -c 'Recovery Errors: 5'; gpu_burn 30 >/dev/null; "
     "nvidia-smi nvlink -e | grep -c 'Recovery Errors: 5'", r"^0\n1$"),
    ("remap-burn:3", "nvidia-smi -q -d ROW_REMAPPER | grep -c 'Pending *: Yes'; gpu_burn 30 >/dev/null; "
     "nvidia-smi -q -d ROW_REMAPPER | grep -c 'Pending *: Yes'", r"^0\n1$"),
    ("drain-burn:1", "gpu_burn 30 >/dev/null; nvidia-smi -q | grep -c 'Drain and Reset Recommended *: Yes'", r"^1$"),
    ("aer-burn:mlx5_3", "gpu_burn 30 >/dev/null; dmesg", r"mlx5_core 0000:\w\w:00\.0: PCIe Bus Error: severity=Uncorrected \(Fatal\)"),
    ("aer-corrected:mlx5_2=77", 'c() { cat "$ASSAY_LAB_ROOT"/sys/bus/pci/devices/*/aer_dev_correctable | grep -c 77; }; '
     "c; gpu_burn 30 >/dev/null; c", r"^0\n1$"),
    ("nvme-warning:3", "sudo nvme smart-log /dev/nvme3", r"critical_warning\s*: 0x4\n"),
    ("nvme-burn", "m() { sudo nvme smart-log /dev/nvme1 | grep media_errors; }; m; gpu_burn 30 >/dev/null; m",
     r"^media_errors\s*: 0\nmedia_errors\s*: 7$"),
    ("nvme-gone", 'l() { ls "$ASSAY_LAB_ROOT"/sys/class/nvme | tail -n 1; }; l; gpu_burn 30 >/dev/null; l', r"^nvme7\nnvme6$"),
    ("edac-burn", "gpu_burn 30 >/dev/null; dmesg", r"EDAC MC0: 1 UE memory read error"),
    ("log-burn:mce", "gpu_burn 30 >/dev/null; dmesg", r"mce: Uncorrected hardware memory error"),
    ("log-burn:sxid-fatal", "gpu_burn 30 >/dev/null; dmesg", r"SXid \(PCI:0000:05:00.0\): 20034, Fatal"),
    ("ib-burst:mlx5_2=77", 'f="$ASSAY_LAB_ROOT"/sys/class/infiniband/mlx5_2/ports/1/counters/symbol_error; cat "$f"; '
     'mpirun -H node1:8,NODE:8 -np 16 all_reduce_perf -b 1M -e 1M -g 1 >/dev/null; cat "$f"', r"^0\n77$"),
    ("nvlink-crc:3", "gpu_burn 30 >/dev/null; nvidia-smi nvlink -e -i 3", r"Link 17: CRC Errors: 12$"),
    ("gpu-taken:4", "nvidia-smi --query-compute-apps=pid --format=csv,noheader; echo before; gpu_burn 30 >/dev/null; "
     "nvidia-smi --query-compute-apps=process_name --format=csv,noheader", r"(^|\n)before\npython3\s*$"),
    ("xid-cluster:6=79", "mpirun -H node1:8,NODE:8 -np 16 all_reduce_perf -b 1M -e 1M -g 1 >/dev/null; dmesg",
     r"NVRM: Xid \(PCI:0000:d1:00\): 79"),
    ("link-flap:mlx5_2", 'f="$ASSAY_LAB_ROOT"/sys/class/infiniband/mlx5_2/ports/1/counters/link_downed; cat "$f"; '
     'mpirun -H node1:8,NODE:8 -np 16 all_reduce_perf -b 1M -e 1M -g 1 >/dev/null; cat "$f"', r"^1\n2$"),
    ("lying-head", 'mpirun -H NODE:8,node1:8 -np 16 all_gather_perf -b 1G -e 1G -g 1 >/dev/null; '
     'cat "$ASSAY_LAB_ROOT"/sys/class/infiniband/mlx5_2/ports/1/counters/port_xmit_data', r"^[1-9]$"),
    ("mount-missing", "findmnt -rn -o TARGET,SOURCE,FSTYPE,OPTIONS | grep -c '^/data '", r"^0$"),
    ("no-space", "df -Pk /var/tmp", r" 40960 +100% /$"),
    ("inodes-full", "df -l --output=fstype,ipcent,target", r"97% /\n"),
    ("logs-grown:40", "du -D -x -k -0 -s -- /var/log | tr '\\0' '\\n'", r"^44\d{6}\t/var/log$"),
    ("names-unknown", "getent ahosts NODE >/dev/null && getent ahosts node1; echo rc $?", r"^rc 2$"),
    ("md-raid:degraded", 'cat "$ASSAY_LAB_ROOT"/proc/mdstat', r"\[2/1\] \[U_\]"),
    ("md-raid:failed", 'cat "$ASSAY_LAB_ROOT"/proc/mdstat', r"nvme2n1p2\[1\]\(F\)"),
    ("md-raid:inactive", 'cat "$ASSAY_LAB_ROOT"/proc/mdstat', r"^md1 : inactive"),
    ("md-raid:none", 'grep -c "^md1" "$ASSAY_LAB_ROOT"/proc/mdstat', r"^0$"),
    ("md-raid:resync", 'cat "$ASSAY_LAB_ROOT"/proc/mdstat', r"resync = +8\.5%"),
    ("disk-full", "df -P /scratch", r" 0 +100% /scratch$"),
    ("client-slow:50", "fio --name=write.1 --filename=/data/x --size=1G --rw=write --bs=1M --runtime=5 --time_based --output-format=terse "
                       "| cut -d ';' -f 48", r"^5\d{6}$"),
    ("data-bad:read-only", "dd if=/dev/null of=/x/assay-clients-1/x", r"Read-only file system"),
    ("data-bad:full", "dd if=/dev/null of=/x/assay-clients-1/x", r"No space left on device"),
    ("data-bad:stale", "dd if=/dev/null of=/x/assay-clients-1/x", r"Stale file handle"),
    ("data-bad:hangs", "timeout -s KILL 1 dd if=/dev/null of=/x/assay-clients-1/x; echo rc $?", r"rc 137$"),
    ("data-bad:apart", 'cat "$ASSAY_LAB_ROOT"/data/README', r"below a mount point"),
    ("data-bad:corrupts", "dd if=/x/assay-clients-1/0.data 2>/dev/null | wc -c", r"^1$"),
    ("data-bad:lags", 'mkdir -p "$ASSAY_LAB_ROOT"/data/assay-clients-1; echo x >"$ASSAY_LAB_ROOT"/data/assay-clients-1/0.1.new; '
                      'dd if="$ASSAY_LAB_ROOT"/data/assay-clients-1/0.1.new', r"No such file"),
    ("data-bad:locks", 'cd "$ASSAY_LAB_ROOT"/data && flock -n 0.lock true; ls 0.lock.$(hostname) 2>/dev/null', r"^0\.lock\.node"),
    ("data-bad:options", "findmnt -rn -o TARGET,SOURCE,FSTYPE,OPTIONS", r"localflock"),
    ("fio-slow:50", "fio --name=t --filename=/scratch/x --size=4G --rw=read --runtime=5 --time_based --output-format=json",
     r'"bw_bytes" : 13\d{9},'),
    ("fio-short:2", "fio --name=t --filename=/scratch/x --size=4G --rw=read --runtime=5 --time_based --output-format=json",
     r'"runtime" : 2000,'),
    ("monitor:dcgm-exporter", 'cat "$ASSAY_LAB_ROOT"/proc/3141/comm', r"^dcgm-exporter$"),
    ("line-slow", "iperf3 -s -1 -p 5999 & sleep 0.3; iperf3 -c NODE -p 5999 -P 4 -t 2 -J", r'"sum_received":\t{[^}]*"bits_per_second":\t1[34]\d{9}\.'),
    ("line-lossy:10", "ping -n -c 50 NODE", r"^50 packets transmitted, 45 received, 10% packet loss"),
    ("line-stalls:1", "iperf3 -s -1 -p 5998 & sleep 0.3; iperf3 -c NODE -p 5998 -P 4 -t 3 -J",
     r'"start":\t1,[^}]*"bits_per_second":\t0\.000,[^}]*"retransmits"'),
    ("object-slow:90", PUT_OBJECT, r"^ended 200 0\.04"),
    ("object-corrupt", PUT_OBJECT + GET_OBJECT, "differ: "),
    ("object-denied:503", PUT_OBJECT, r"^curl: \(22\) .* 503$"),
    ("line-mtu", "ping -n -M do -c 3 -s 1472 NODE", r"^3 packets transmitted, 0 received, 100% packet loss"),
    ("npu-fault:5", "npu-smi info", r"^\| 5 +910B3 +\| Alarm "),
    ("rail-swap:2-3", "iblinkinfo -l -C mlx5_2 -P 1 -D 0 -n 1", r'mlx5_2".*"MF0;l\d+r3:'),
    ("peer-down", "ssh -o BatchMode=yes NODE hostname", r"connect to host node\d+ port \d+: Connection refused"),
    ("peer-silent", "ssh NODE hostname", r"^Connection timed out during banner exchange$"),
    ("peer-key-refused", "ssh -F none NODE hostname", r"@node\d+: Permission denied \(publickey\)"),
    ("peer-key-unknown", "ssh NODE hostname", r"^Host key verification failed\.$"),
    ("mpi-version", "mpirun --version", r"^mpirun \(Open MPI\) 5\.0\.8$"),
    ("mpi-version:5.0.3", "mpirun -H node1,NODE hostname", r"unable to reliably start one or more daemons"),
    ("nccl-version", 'grep -ao "NCCL version [0-9.]*" "$ASSAY_LAB_ROOT"/usr/lib/x86_64-linux-gnu/libnccl.so.2', r" 2\.17\.1$"),
    ("interface", "ip -o addr show scope global", r"^2: eno1 +inet 10\."),
    ("sudo-refused", "sudo -n true; echo rc $?", r"a password is required(.|\n)*rc 1|rc 1(.|\n)*a password is required"),
    ("tool-missing:gpu_burn", "gpu_burn 10; echo rc $?", r"rc 127"),
    ("tool-missing:mpirun", "command -v mpirun || echo none", r"^none$"),
    ("tool-hang:dcgmi", "timeout -k 0.3 0.5 dcgmi diag -r 1; echo rc $?", r"rc 137"),
    ("tool-crash:nvidia-smi", "nvidia-smi -L; echo rc $?", r"^GPU 3.*(.|\n)*rc 139$"),
    ("tool-crash:all_reduce_perf", "mpirun -H NODE:8 -np 8 all_reduce_perf -g 1; echo rc $?", r"rc 139"),
]
# In a lab on Ethernet.
ROCE_CASES = [
    ("roce-mtu:mlx5_2=1500", 'cat "$ASSAY_LAB_ROOT"/sys/class/net/rdma2/mtu', r"^1500$"),
    ("roce-v1:mlx5_2", 'cat "$ASSAY_LAB_ROOT"/sys/class/infiniband/mlx5_2/ports/1/gid_attrs/types/*', r"^(IB/RoCE v1\n)+$"),
    ("pfc-off:mlx5_4", "mlnx_qos -i rdma4", r"^\tenabled +(0 +){8}$"),
    ("pfc-off:mlx5_5", "dcb pfc show dev rdma5", r" 3:off "),
    ("ecn-off:mlx5_6", 'cat "$ASSAY_LAB_ROOT"/sys/class/net/rdma6/ecn/roce_??/enable/3', r"^0\n0$"),
    ("ib-errors:mlx5_1=77", "ethtool -S rdma1", r"rx_symbol_err_phy: 77$"),
    ("port-counts:mlx5_2=rx_crc_errors_phy=77", "e() { ethtool -S rdma2 | grep rx_crc; }; e; "
     "mpirun -H node1:8,NODE:8 -np 16 all_reduce_perf -b 1M -e 1M -g 1 >/dev/null; e", r"rx_crc_errors_phy: 0\n +rx_crc_errors_phy: 77$"),
]
NVL72_CASES = [
    ("fabric-cluster-uuid-zero:2", "nvidia-smi -q", r"ClusterUUID +: 00000000-0000-0000-0000-000000000000\n"),
    ("fabric-degraded:1", "nvidia-smi -q", r"Bandwidth +: Degraded\n"),
    ("clique-other:7", "nvidia-smi -q", r"CliqueId +: 7\n"),
    ("domain-other", "nvidia-smi -q", r"ClusterUUID +: (?!9b2dd74a|0000)"),
    ("imex-map", "i=$(nvidia-imex-ctl -N | sed -n \"s/^Node #\([0-9]*\) .* $(hostname -I | tr -d ' ') .*/\\1/p\"); nvidia-imex-ctl -N | grep \"^ *$i   \"",
     r"(!M! ){5}"),
    ("imex-alone", "nvidia-imex-ctl -N | grep -c '^Node #'; nvidia-imex-ctl -N | grep Domain", r"^1\n *Domain State: UP"),
    ("imex-unlisted", "nvidia-imex-ctl -N | grep -c -e \"- $(hostname -I | tr -d ' ') \"", r"^0$"),
    ("imex-mute", "systemctl is-active nvidia-imex; nvidia-imex-ctl -N 2>/dev/null; echo rc $?", r"^active\nrc 1$"),
    ("imex-down", "systemctl is-active nvidia-imex; echo rc $?", r"^failed\nrc 3$"),
    ("nvlink-counts:2=symbol=5", "e() { nvidia-smi nvlink -e | grep -c 'Symbol Errors: 5'; }; e; gpu_burn 30 >/dev/null; e", r"^0\n1$"),
]
VOLTA_CASES = [
    ("gpu-counts:2=pages-double", "gpu_burn 30 >/dev/null; nvidia-smi -q -d PAGE_RETIREMENT | grep -c 'Double Bit ECC *: 1'", r"^1$"),
]
# Of a leaf, not of a host: see below.
LEAF_KINDS = {"uplink-slow", "uplink-errors", "uplink-idle", "uplink-ber", "uplink-fec", "uplink-hot", "uplink-odd", "leaf-ber"}
SPELL_KINDS = {"slow-spells", "slow-when-hot", "wrong-when-hot", "burn-spells"}  # of several tests together
# Of the whole lab, so each in one of its own: GB/s that two and three hosts reach.
FABRIC_CASES = [("fabric-slow:20", 340, 272), ("fabric-slow-all:20", 272, 272)]
CONNECTION_KINDS = {"down", "silent", "key-refused", "host-key-changed", "reboot"}  # see test_lab_ssh.py

listed = program("lab", "faults").stdout.splitlines()
kinds = re.findall(r"^  ([a-z][a-z0-9-]*)", "\n".join(listed), re.M)
covered = ({case[0].split(":")[0] for case in CASES + ROCE_CASES + NVL72_CASES + FABRIC_CASES} | CONNECTION_KINDS | LEAF_KINDS |
           SPELL_KINDS)
tap.ok(set(kinds) == covered and len(kinds) == len(set(kinds)), "every kind that is listed is tried here",
       f"{set(kinds) ^ covered}")
told = re.findall(r"^  [a-z].*\n((?:      .*\n)+)", "\n".join(listed) + "\n", re.M)
tap.ok(len(told) == len(kinds) and all(len(words.split()) > 3 and "; " in " ".join(words.split()) for words in told),
       "each kind of the list has a meaning and an outcome", told)
wide = [line for line in listed if len(line) > 80]
tap.ok(not wide, "the list of faults fits into 80 columns", wide)
titles = [line for line in listed if line and not line.startswith(" ")]
tap.ok(len(titles) > 8 and all(title.endswith(":") for title in titles), "the list of faults stands in groups", titles)


def text_of(done):
    return done.stdout + done.stderr


def try_cases(lab, cases, pool):
    """node1 is healthy; each case has a host of its own."""
    def run(number, command):
        try:
            return text_of(lab.run(number, command.replace("NODE", f"node{number if number > 1 else 2}")))
        except subprocess.TimeoutExpired:
            return "timed out"

    faulty = [pool.submit(run, i + 2, case[1]) for i, case in enumerate(cases)]
    healthy = {command: pool.submit(run, 1, command) for command in {case[1] for case in cases}}
    for (fault, command, pattern), output in zip(cases, faulty):
        here = re.search(pattern, output.result(), re.M) is not None
        there = re.search(pattern, healthy[command].result(), re.M) is not None
        tap.ok(here and not there, f"{fault} shows in {command.split()[0]} and on its host only",
               f"shown {here}, on the healthy host {there}\n{output.result()[-1500:]}")
    return run


def lab_of(cases, *options):
    return Lab(len(cases) + 1, [f"node{i + 2}:{case[0]}" for i, case in enumerate(cases)], *options)


# A ring in the order of the hosts crosses the border of a leaf once; where hosts of both take turns, all send there.
with Lab(16, ["node9:uplink-slow"]) as lab:
    in_order = list(range(1, 17))
    in_turns = [host for pair in zip(range(1, 9), range(9, 17)) for host in pair]
    for hosts, pattern, words in ((in_order, r"^ +8589934592 .* 3\d\d\.\d\d +0 ", "carries nothing while one host sends"),
                                  (in_turns, r"^ +8589934592 .* 8\d\.\d\d +0 ", "shows when all hosts of its leaf send")):
        names = ",".join(f"node{host}:8" for host in hosts)
        output = text_of(lab.run(1, f"mpirun -H {names} -np 128 all_gather_perf -b 8G -e 8G -g 1"))
        tap.ok(re.search(pattern, output, re.M), f"uplink-slow {words}", output[-1500:])


# Both show in what ibdiagnet and assay-probe-links write; errors only where flows cross that uplink.
with Lab(16, ["node1:uplink-errors:77", "node9:uplink-idle"]) as lab:
    hosts = ",".join(f"node{host}:8" for host in range(1, 17))
    output = text_of(lab.run(1, "d=$(mktemp -d) && sudo ibdiagnet -i mlx5_0 -p 1 -o $d --skip pm >/dev/null && cat $d/ibdiagnet2.lst && "
                                f"mpirun -H {hosts} -np 128 assay-probe-links --links $d/ibdiagnet2.lst --routes $d/ibdiagnet2.fdbs "
                                "--flows $d/flows --counters $d/counters --hcas mlx5_0,mlx5_1,mlx5_2,mlx5_3,mlx5_4,mlx5_5,mlx5_6,mlx5_7 "
                                "--seconds 1 --rounds 9 && sed 's/^/counted /' $d/counters"))
    idle = re.findall(r"{MF0;(\w+):\S+ LID:\w+ PN:\w+ } PHY=4x LOG=INI", output)
    tap.ok(idle == ["s16"], "uplink-idle shows in ibdiagnet2.lst", f"{idle} {output[-500:]}")
    errors = {int(line.split()[-1]) for line in output.splitlines() if re.match(r"counted \d", line)}
    tap.ok(len(errors) > 1 and all(count % 77 == 0 for count in errors), "uplink-errors shows in counters, in each round by as much",
           f"{errors} {output[-500:]}")


# Of the uplink and of a leaf's port: each in its row of the tables of ports, and in no other.
with Lab(16, ["node1:uplink-ber:3e-13", "node1:uplink-hot:81", "node9:uplink-fec", "node9:uplink-odd", "node3:leaf-ber:mlx5_1=2e-12"]) as lab:
    output = text_of(lab.run(1, "d=$(mktemp -d) && sudo ibdiagnet -i mlx5_0 -p 1 -o $d --get_phy_info >/dev/null && "
                                "sed 's/^/port /' $d/ibdiagnet2.net_dump_ext && sed 's/^/module /' $d/ibdiagnet2.db_csv"))
    # The GUIDs of leaf l1r0, l2r0 and l1r1.
    for fault, kind, pattern, where in (("uplink-ber", "port", r": 1.5e-254 +: 3e-13 +: 8\d+ +:", [("0x9c63c20300010000", 16)]),
                                        ("uplink-fec", "port", "RS_271_257", [("0x9c63c20300020000", 16), (None, 1)]),
                                        ("leaf-ber", "port", r": 2e-12 +: 1.5e-254 +: 0 +: 5\d+ +:", [("0x9c63c20300010100", 3)]),
                                        ("uplink-hot", "module", '"81C"', [("0x9c63c20300010000", 16)]),
                                        ("uplink-odd", "module", "MCP4Y10", [("0x9c63c20300020000", 16), (None, 1)])):
        rows = [line for line in output.splitlines() if line.startswith(f"{kind} ") and re.search(pattern, line)]
        cells = [[cell.strip() for cell in re.split(" :|,", row)] for row in rows]
        found = [(row[3], int(row[2])) if kind == "port" else (row[0].split()[1], int(row[2])) for row in cells]
        tap.ok(len(found) == len(where) and all(port == at[1] and guid in (at[0] or guid) for (guid, port), at in zip(found, where)),
               f"{fault} shows in what ibdiagnet tells of ports", f"{found} {output[-800:]}")


def gathered(lab, hosts):
    over = ",".join(f"node{i + 1}:8" for i in range(hosts))
    done = lab.run(1, f"mpirun -H {over} -np {8 * hosts} all_gather_perf -b 8G -e 8G -g 1")
    row = re.search(r"^ +85899\d+ +\d+ +float +none +-1 +[\d.]+ +[\d.]+ +([\d.]+)", done.stdout, re.M)
    return float(row[1]) if row is not None else 0


for fault, two, three in FABRIC_CASES:
    with Lab(3, [f"node1:{fault}"]) as lab:
        shown = gathered(lab, 2), gathered(lab, 3)
        tap.ok(all(abs(is_ - should) < 5 for is_, should in zip(shown, (two, three))),
               f"{fault} shows over the hosts that it speaks of", shown)
with Lab(6) as lab:
    over = ",".join(f"node{host}:8" for host in range(1, 7))
    done = lab.run(1, f"mpirun -H {over} -np 48 sh -c 'shift; exec \"$@\"' load 1 all_gather_perf -b 8G -e 8G -g 1")
    tap.ok(re.search(r"^ +85899\d+ ", done.stdout, re.M), "a test that has a load beside it on each of six hosts comes to its end", text_of(done)[-2000:])
with Lab(2, ["node2:slow-spells:20"]) as lab:
    shown = [gathered(lab, 2) for _ in range(7)]
    tap.ok(all(abs(is_ - (272 if number in (4, 5) else 340)) < 5 for number, is_ in enumerate(shown)),
           "slow-spells shows in the 5th and 6th test and in no other", shown)
with Lab(2, ["node2:slow-when-hot:20", "node2:wrong-when-hot:5=99"]) as lab:
    shown = [gathered(lab, 2) for _ in range(7)]
    errors = text_of(lab.run(2, "gpu_burn 10"))
    tap.ok(min(shown) > 335 and "WARNING" not in errors, "what is wrong under both loads shows under neither alone", shown)
    output = text_of(lab.run(2, "gpu_burn 3000 >burn.out & sleep 1; mpirun -H node1:8,node2:8 -np 16 all_gather_perf -b 8G -e 8G -n 2000 -g 1; "
                                "kill $!; tr '\\r' '\\n' <burn.out"))
    rate = re.search(r"^ +85899\d+ +\d+ +float +none +-1 +[\d.]+ +[\d.]+ +([\d.]+)", output, re.M)
    tap.ok(rate and abs(float(rate[1]) - 85) < 2 and re.search(r"errors: 0 - 0 - 0 - 0 - 0 - 99 +\(WARNING!\)", output),
           "beside gpu_burn a test across hosts has a quarter of its bandwidth, and the burn its errors", output[-3000:])
with Lab(2, ["node2:burn-spells:3=40"]) as lab:
    shown = [gathered(lab, 2) for _ in range(4)]
    at_rest = text_of(lab.run(2, "gpu_burn 10"))
    lab.run(1, "mpirun -H node1:8,node2:8 -np 16 all_gather_perf -b 8G -e 8G -g 1 >/dev/null")
    spell = text_of(lab.run(2, "gpu_burn 10"))
    burned = [re.findall(r"proc'd: (.*?)  errors", output.replace("\r", "\n"))[-1] for output in (at_rest, spell)]
    rates = [[float(rate) for rate in re.findall(r"[(](\d+) Gflop", line)] for line in burned]
    tap.ok(min(shown) > 335 and all(len(of) == 8 for of in rates) and 0.55 < rates[0][3] / rates[0][2] < 0.65 and 0.55 < rates[1][3] / rates[1][2] < 0.65,
           "burn-spells shows in gpu_burn before the 5th and 6th test, and not in the tests", rates)
    for _ in range(2):
        gathered(lab, 2)
    after = re.findall(r"proc'd: (.*?)  errors", text_of(lab.run(2, "gpu_burn 10")).replace("\r", "\n"))[-1]
    rates = [float(rate) for rate in re.findall(r"[(](\d+) Gflop", after)]
    tap.ok(len(rates) == 8 and min(rates) / max(rates) > 0.97, "and is over behind them", rates)
with lab_of(ROCE_CASES, "--fabric", "roce") as lab, concurrent.futures.ThreadPoolExecutor(3) as pool:
    try_cases(lab, ROCE_CASES, pool)
with lab_of(NVL72_CASES, "--profile", "gb200-nvl72") as lab, concurrent.futures.ThreadPoolExecutor(3) as pool:
    try_cases(lab, NVL72_CASES, pool)
with lab_of(VOLTA_CASES, "--profile", "v100-sxm2") as lab, concurrent.futures.ThreadPoolExecutor(3) as pool:
    try_cases(lab, VOLTA_CASES, pool)
with lab_of(CASES) as lab, concurrent.futures.ThreadPoolExecutor(3) as pool:
    tap.ok(lab.up.returncode == 0, "a lab with every kind of fault starts", lab.up.stderr)
    run = try_cases(lab, CASES, pool)

    # A fault that the tool itself tells is a complete reading with a finding; a crash is not complete.
    crash = CASES.index(next(case for case in CASES if case[0] == "tool-crash:nvidia-smi")) + 2
    reading = read_output("nvidia-smi", lab.run(crash, "nvidia-smi -q").stdout)
    tap.ok(reading["reading"] != "complete", "the half output of a crashed tool is never a whole reading", reading["reading"])
    burn = CASES.index(next(case for case in CASES if case[0].startswith("burn-faulty"))) + 2
    reading = read_output("gpu-burn", lab.run(burn, "gpu_burn 30").stdout)
    if reading is None:
        tap.skip("a FAULTY GPU is a finding of a complete reading", "this build has no parser gpu-burn")
    else:
        tap.ok(reading["reading"] == "complete" and
               {f["subject"] for f in reading["findings"] if f["severity"] == "fault"} == {"gpu6"},
               "a FAULTY GPU is a finding of a complete reading", reading["findings"])
    # A slow pair costs the collective something, and little.
    slow = re.search(r"values(.|\n)*bandwidth +: ([\d.]+)", run(5, "all_reduce_perf -b 8G -e 8G -g 8"))
    well = re.search(r"values(.|\n)*bandwidth +: ([\d.]+)", run(1, "all_reduce_perf -b 8G -e 8G -g 8"))
    tap.ok(0.9 * float(well[2]) < float(slow[2]) < 0.99 * float(well[2]), "a slow pair slows NCCL a little",
           f"{slow[2]} {well[2]}")

REFUSED = [
    ("node9:down", r"column 1: 'node9' is not a host of this lab, which has node1 to node2"),
    ("node1", r"column 6: .*':' and a kind"),
    ("node1:burn", r"column 7: 'burn' is not a kind of fault"),
    ("node1:p2p:0-8=45", r"column 13: '8' is not a GPU from 0 to 7"),
    ("node1:p2p:0-1", r"column 14: .*'=' and a number"),
    ("node1:p2p:0-1=fast", r"column 15: 'fast' is not a number.*expected HOST:p2p:A-B=GBPS"),
    ("node1:p2p:3-3=5", r"one and the same GPU"),
    ("node1:gpu-missing", r"needs an argument"),
    ("node1:host-odd:nic", r"column 16: 'nic' is none of iommu, acs, peermem, numa-balancing, psid, bmc, nvswitch"),
    ("node1:md-raid:broken", r"column 15: 'broken' is none of degraded, failed, inactive, none, resync"),
    ("node1:down:now", r"column 12: 'now' is too much"),
    ("node1:nic-slow:eth0", r"'eth0' is not an HCA from mlx5_0 to mlx5_7"),
    ("node1:path-slow:node1", r"'node1' is not another host of this lab"),
    ("node1:tool-missing:netperf", r"'netperf' is not a tool of the lab"),
    ("node1:dcgm:3=Nothing", r"'Nothing' is none of PCIe"),
    ("node1:driver-version:new", r"'new' is not a version"),
    ("node1:pfc-off:mlx5_0", r"needs a lab on Ethernet"),
    ("node1:gpu-counts:0=pages-double", r"column 20: 'pages-double' is no counter of hosts of hgx-h100"),
    ("node1:nvlink-counts:0=symbol", r"'symbol' is no counter of hosts of hgx-h100"),
    ("node1:port-counts:mlx5_0", r"'=' and a counter"),
    ("node1:port-counts:mlx5_0=packet_seq_err=0", r"'0' is not a number from 1"),
    ("node1:xid:0=0", r"'0' is not a number from 1 to 999"),
]
for fault, pattern in REFUSED:
    with Lab(2, [fault]) as lab:
        tap.ok(lab.up.returncode == 64 and re.search(pattern, lab.up.stderr) is not None and lab.up.stdout == "",
               f"--fault {fault} is refused with word, column and what was expected", lab.up.stderr)
with Lab(1, ["node1:nvls-off"], "--profile", "hgx-a100") as lab:
    tap.ok(lab.up.returncode == 64 and "no NVSwitch multicast" in lab.up.stderr, "A100 has no NVLS to lose", lab.up.stderr)
with Lab(1, ["node1:imex-down"]) as lab:
    tap.ok(lab.up.returncode == 64 and "has no NVLinks between hosts" in lab.up.stderr, "an H100 has no domain of several hosts", lab.up)
with Lab(1, ["node1:fabric-state"], "--profile", "hgx-a100") as lab:
    tap.ok(lab.up.returncode == 64 and "no fabric state" in lab.up.stderr, "A100 has no fabric state to spoil",
           lab.up.stderr)
for words, pattern in [(["0"], "number of hosts"), (["20001"], "number of hosts"), ([], "number of hosts"),
                       (["2", "--profile", "dgx"], "'dgx' is not a profile"), (["2", "--port", "x"], "port"),
                       (["2", "--fabric", "token-ring"], "infiniband or roce")]:
    done = program("lab", "up", *words, "--dir", "/nonexistent/lab")
    tap.ok(done.returncode == 64 and pattern in done.stderr, f"up {' '.join(words)} is refused", done.stderr)

tap.end()
