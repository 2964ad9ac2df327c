# SPDX-License-Identifier: Apache-2.0
"""What hosts do on a shared mount that some of them cannot use, that is full without saying so, or that shows what is gone.

usage: test_storage_scripts.py SOURCE
"""

import os
import subprocess
import sys
import tempfile
import time

SOURCE = sys.argv[1]
sys.path.insert(0, os.path.join(SOURCE, "tests", "scripts"))
import tap  # noqa: E402

SCRIPTS = os.path.join(SOURCE, "src", "check", "sh")
ATTEMPT = "0"
ROOM = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
# A file system that has one word for all that fails, as sftp has.
NO_ROOM = {"dd": """for word; do case $word in of=*) : >"${word#of=}"; echo "dd: error writing '${word#of=}': Input/output error" >&2 ;; esac; done
exit 1
""", "df": "printf 'Filesystem 1024-blocks Used Available Capacity Mounted\\nx 9 9 0 100%% /\\n'\n"}
# It is gone already, and still shown.
GONE = {"rm": "echo \"rm: cannot remove '$3': Is a directory\" >&2\nexit 1\n", "sleep": "exit 0\n"}


def start(script, words, programs, **settings):
    """With programs of these texts before all others."""
    tools = tempfile.mkdtemp(dir=ROOM.name)
    for name, text in programs.items():
        with open(os.path.join(tools, name), "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{text}")
        os.chmod(os.path.join(tools, name), 0o755)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "ASSAY_LAB_ROOT": "", "ASSAY_ATTEMPT": ATTEMPT, **settings}
    return subprocess.Popen(["sh", os.path.join(SCRIPTS, script), words], env=environment, text=True, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def rows(child, name):
    return [line.split("\t")[1:] for line in child.communicate(timeout=60)[0].splitlines() if line.startswith(f"{name}\t")]


def full():
    folder = tempfile.mkdtemp(dir=ROOM.name)
    told = [rows(start("storage_ask.sh", host, NO_ROOM, mount="/", folder=folder), "client.works") for host in ("n1", "n2")]
    said = f"dd: error writing '{folder}/assay-clients-{ATTEMPT}/probe': Input/output error (df: 0 KiB free)"
    tap.same(told, [[[host, "folder_not_usable", folder, said]] for host in ("n1", "n2")])
    tap.same(os.listdir(folder), [])


# As NVIDIA documents its output.
GDSCHECK = """cat <<'END'
 GDS release version: 1.14.0.30
 nvidia_fs version:  2.24 libcufile version: 2.12
 Platform: x86_64
 ============
 ENVIRONMENT:
 ============
 =====================
 DRIVER CONFIGURATION:
 =====================
 NVMe P2PDMA        : Unsupported
 NVMe               : Supported
 NVMeOF             : Unsupported
 NFS                : Supported
 --Mellanox PeerDirect : Enabled
 =========
 GPU INFO:
 =========
 GPU index 0 NVIDIA H100 80GB HBM3 bar:1 bar size (MiB):131072 supports GDS, IOMMU State: Disabled
END
"""


def gds():
    def told(programs, **files):
        root = tempfile.mkdtemp(dir=ROOM.name)
        os.makedirs(os.path.join(root, "proc/driver/nvidia-fs") if files else root, exist_ok=True)
        for name, text in files.items():
            with open(os.path.join(root, "proc/driver/nvidia-fs", name), "w", encoding="utf-8") as file:
                file.write(text)
        out = start("storage_gds.sh", "", programs, ASSAY_LAB_ROOT=root).communicate(timeout=60)[0]
        return {line.split("\t")[0].split(".")[-1]: line.split("\t")[2:] for line in out.splitlines() if "\t" in line}
    stats = "GDS Version: 1.0.0.71\nNVFS statistics(ver: 4.0)\nNVFS Driver(version: 2:7:47)\nMellanox PeerDirect Supported: False\n"
    tap.same(told({}), {"driver": ["not loaded"], "rdma": ["not loaded"], "supported": ["not installed"]})
    tap.same(told({"gdscheck": GDSCHECK}, version="version: 2.24\n", stats=stats),
             {"driver": ["2.24"], "rdma": ["PeerDirect: False"], "supported": ["NVMe, NFS"]})
    tap.same(told({"gdscheck": GDSCHECK.replace(": Supported", ": Unsupported")}, stats=stats),
             {"driver": ["2:7:47"], "rdma": ["PeerDirect: False"], "supported": ["none"]})
    tap.same(told({"gdscheck": "echo cuFile is broken >&2; exit 3"})["supported"], ["", "cuFile is broken"])
    tap.same(told({"gdscheck": "echo nothing of it"})["supported"], ["", "gdscheck -p lists no storage"])


def without_a_turn():
    folder = tempfile.mkdtemp(dir=ROOM.name)
    here = os.path.join(folder, f"assay-clients-{ATTEMPT}")
    os.mkdir(here)
    for place in range(3):
        open(os.path.join(here, f"n{place}.here"), "x", encoding="utf-8").close()
    begin, children = int(time.time()) + 5, {}
    for place in (0, 2, 1):  # of three hosts the last has no turn of 1, 2 and 4; the second is late to count
        time.sleep(1.5 if place == 1 else 0)
        children[place] = start("storage_client.sh", f"n{place} {place} 3 {begin}", {}, folder=folder, levels="1 2 4", jobs="create",
                                slot_s="2", job_s="1", files="2")
    tap.same({place: rows(child, "client.sees") for place, child in children.items()},
             {place: [[f"n{place}", "3 of 3"]] for place in range(3)})
    tap.same(os.listdir(folder), [])


def gone():
    folder = tempfile.mkdtemp(dir=ROOM.name)
    for name, text in (("hosts", "10.0.0.1 slots=1 # n1\n"), ("ask", "printf 'client.works\\tn1\\tyes\\n'\n"), ("work", "exit 0\n")):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    child = start("clients.sh", "", GONE, ASSAY_DIR=folder, folder=folder, lead_s="0")
    told = child.communicate(timeout=60)[0]
    tap.same((told.splitlines()[-1], child.returncode), ("key-value end", 0))


tap.run([("a full mount that does not say so is told by df, alike by all hosts, and nothing is left on it", full),
         ("a host without a turn is there until all have counted who is", without_a_turn),
         ("of GPUDirect Storage it is told what the module and gdscheck say, or that there is none", gds),
         ("what is gone already when it is removed makes no result doubtful", gone)])
