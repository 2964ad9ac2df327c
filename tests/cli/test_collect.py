# SPDX-License-Identifier: Apache-2.0
"""What a vendor asks for of one host: collected there, packed with what the run has of it, and with a letter.

usage: test_collect.py ASSAY
"""

import hashlib
import os
import re

from cluster import FOLDER, Lab, Tap, assay
from unpacking import unpacked_bytes

DATABASE = os.path.join(FOLDER, "runs.db")
tap = Tap()


def collect(*words):
    return assay("collect", *words, "--db", DATABASE, "--progress", "none")


def files_of(path):
    with open(path, "rb") as file:
        return {name: data.decode() for name, data in unpacked_bytes(file.read()).items()}


def runs():
    return assay("list", "--db", DATABASE).stdout


def archive(name):
    return os.path.join(FOLDER, name)


with Lab("collect", 2, ["node2:burn-faulty:4", "node2:tool-missing:ipmitool", "node2:tool-hang:nvidia-bug-report.sh"]) as lab:
    done = assay("run", "-H", lab.hostfile, "-s", "delivery", "--db", DATABASE, "--progress", "none",
                 "--steps", "reachable,gpu-inventory,bom,gpu-burn", "-o", archive("report.html"))
    tap.ok("run: 1" in done.stdout, "a run finds a GPU that computes wrong", done.stdout, done.stderr)

    told = assay("show", "1", "--db", DATABASE)
    tap.same(set(re.findall(r"`assay repair\s+([a-z-]+)`", told.stdout)), {"gpu-wrong"}, "what to fix names the page that is about it, and no other", told.stdout)
    tap.same(assay("repair", "gpu-wrong").stdout.split("\n")[0], "# A GPU computes wrong, or its diagnosis fails", "which the program has")

    done = collect("1", "node1", "-o", archive("healthy.tar.zst"))
    tap.same((done.returncode, "run: 2\n" in done.stdout, "not collected" in done.stdout), (0, True, False),
             "a healthy host gives everything", done.stdout, done.stderr)
    files = files_of(archive("healthy.tar.zst"))
    tap.ok("Nothing that failed" in files["letter.txt"] and "1. " not in files["letter.txt"], "its letter accuses nobody", files["letter.txt"])
    tap.same(sorted(name for name in files if name.startswith("now/")),
             [f"now/{name}.txt" for name in ("bmc-log", "dcgm", "fabric-manager-log", "fabric", "kernel-log", "nvidia-bug-report",
                                             "nvidia-smi", "pci", "reachable", "system")], "a file for each kind")
    told = {"nvidia-bug-report": r"Start of NVIDIA bug report[^$]*GPU-[^$]*End of NVIDIA bug report", "nvidia-smi": r"\$ nvidia-smi nvlink -e\n.*GPU 0",
            "kernel-log": r"\$ dmesg -T\n\[", "pci": r"\$ lspci -vvv\n\d", "bmc-log": r"\$ ipmitool sel elist\n +1 ", "system": r"\$ dmidecode\n# dmidecode",
            "dcgm": "8 GPUs found", "fabric-manager-log": "Started NVIDIA fabric manager", "fabric": r"\$ ibdiagnet"}
    tap.same([name for name, words in told.items() if not re.search(words, files[f"now/{name}.txt"])], [], "with what its tools say, each after its command", files)
    tap.ok(any(name.startswith("run-1/") and "gpu-burn" in name for name in files), "and with what the run has of the host", sorted(files))
    listed = re.findall(r"^(\w{64})  (\d+)  (\S+)$", files["contents.txt"], re.M)
    tap.same(sorted((name, hashlib.sha256(data.encode()).hexdigest()) for name, data in files.items() if name != "contents.txt"),
             sorted((name, digest) for digest, _, name in listed), "contents.txt has the SHA-256 of each")

    done = collect("1", "node2", "-o", archive("sick.tar.zst"))
    files = files_of(archive("sick.tar.zst"))
    tap.same((done.returncode, "not collected: 2 of what was asked" in done.stdout), (0, True), "a tool that is missing and one that hangs are told",
             done.stdout, done.stderr, files["contents.txt"])
    tap.ok(re.search("Not collected:(.*\n)+bmc-log: .*`ipmitool sel elist`|bmc-log: .*`ipmitool`", files["contents.txt"]) and "\nnvidia-bug-report: " in files["contents.txt"],
           "by name, and why", files["contents.txt"])
    tap.ok("GPU-" in files["now/nvidia-smi.txt"], "and take nothing from the rest")
    letter = files["letter.txt"]
    serial = re.search(r"GPU gpu4: GPU-\S+, serial (\d+)", letter)
    tap.ok(serial and re.search(r"1\. GPU 4: .*137 errors in gpu_burn", letter) and "expected <= 0" in letter and "node1" not in letter and
           re.search(r"^Server: \S.*, serial \S+$", letter, re.MULTILINE),
           "the letter names the GPU, its serial number, what was measured and what was required", letter)

    shown = assay("show", "--db", DATABASE).stdout
    tap.ok("(delivery)" in " ".join(shown.split()), "`assay show` still shows the run that tested", shown[:400])
    before = runs()
    done = collect("1", "node2", "--stored", "-o", archive("stored.tar.zst"), "--lang", "zh")
    files = files_of(archive("stored.tar.zst"))
    tap.same((done.returncode, runs(), [name for name in files if name.startswith("now/")], "was not asked" in files["contents.txt"]),
             (0, before, [], True), "--stored asks nobody, and says so", done.stderr)
    tap.ok("维修或更换申请" in files["letter.txt"] and "序列号" in files["letter.txt"], "a letter in Chinese", files["letter.txt"])

    written = [re.search(r"^bundle: (.*)$", collect("1", "node2", "--stored").stdout, re.M)[1] for _ in range(3)]
    tap.same(written, [f"assay-collect-1-node2{n}.tar.zst" for n in ("", "-2", "-3")], "what is there already is not replaced unless -o says so")
    tap.same([name for name in written if not os.path.exists(archive(name))], [], "all of them are there")

    done = collect("1", "node1", "--redact", "-o", archive("redacted.tar.zst"))
    files = files_of(archive("redacted.tar.zst"))
    tap.same((done.returncode, [name for name, data in files.items() if "node1" in data + name]), (0, []), "--redact: the host's name is nowhere", done.stderr)
    tap.ok(any("serial 16" in data for data in files.values()), "and serial numbers stay", files["letter.txt"])

    done = collect("1", "nod1")
    tap.ok(done.returncode == 64 and "run 1 has no host 'nod1'; did you mean 'node1'" in done.stderr, "a mistyped host is told", done.stderr)
    done = collect("1")
    tap.ok(done.returncode == 64 and "expected assay collect RUN HOST" in done.stderr, "a missing word too", done.stderr)

    bundle = archive("run.tar.zst")
    assay("export", "1", "--db", DATABASE, "-o", bundle)
    other = os.path.join(FOLDER, "other.db")
    assay("import", bundle, "--db", other)
    done = assay("collect", "1", "node1", "--db", other, "--progress", "none", "-o", archive("theirs.tar.zst"))
    tap.ok(done.returncode == 64 and "another party's" in done.stderr and not os.path.exists(archive("theirs.tar.zst")),
           "another party's run says not where assay connects to", done.stdout, done.stderr)
    done = assay("collect", "1", "node1", "--db", other, "--stored", "-o", archive("theirs.tar.zst"))
    tap.ok(done.returncode == 0 and os.path.exists(archive("theirs.tar.zst")), "what it has can be packed", done.stderr)

done = collect("1", "node1", "-o", archive("gone.tar.zst"))
files = files_of(archive("gone.tar.zst")) if os.path.exists(archive("gone.tar.zst")) else {}
tap.ok(done.returncode == 0 and "not collected: 10" in done.stdout and "\nreachable: " in files.get("contents.txt", "") and any(name.startswith("run-1/") for name in files),
       "of a host that is gone there is what the run has, and why there is no more", done.stdout, done.stderr, files.get("contents.txt"))
tap.end()
