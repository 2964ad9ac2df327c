# SPDX-License-Identifier: Apache-2.0
"""assay-probe-gpu-mpi over hosts that are ranks of one real mpirun on this machine, each with a name of its own where the kernel
lets us give one, by the host backend.

usage: test_world.py ASSAY_PROBE_GPU ASSAY_PROBE_GPU_MPI
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from probe_case import by_mpirun, end, ok, same

ALONE, PROGRAM = (os.path.abspath(path) for path in sys.argv[1:3])
TRAIN = ("training", "--backend", "host", "--steps", "8")
NAMED = ["unshare", "--uts"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--uts"]
FOLDER = tempfile.mkdtemp(prefix="assay-world-")
RANK = os.path.join(FOLDER, "rank")
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "btl", "self,vader,tcp", "--mca", "btl_tcp_if_include", "lo",
          "--mca", "btl_vader_single_copy_mechanism", "none", "--mca", "pml", "ob1"]

with open(RANK, "w", encoding="ascii") as file:
    file.write(f"""#!/bin/sh
hostname node$OMPI_COMM_WORLD_RANK
echo $$ >{FOLDER}/pid.$OMPI_COMM_WORLD_RANK
exec "$@"
""")
os.chmod(RANK, 0o755)


def words_of(*groups):
    """groups: how many ranks, and with which words."""
    words = [*MPIRUN]
    for ranks, arguments in groups:
        words += ([":"] if words != MPIRUN else []) + ["-np", str(ranks), *NAMED, RANK, PROGRAM, *arguments]
    return words


def over(*groups):
    done = by_mpirun(words_of(*groups))
    return done, [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def by_key(lines, key):
    return [line for line in lines if next(iter(line)) == key]


def trained(lines):
    return [(line["loss_bits"], line["digest"]) for line in by_key(lines, "step")], by_key(lines, "training")[0].get("digest")


told = subprocess.run([ALONE, *TRAIN, "--gpus", "1"], capture_output=True, text=True, timeout=60, check=True).stdout
right = trained([json.loads(line) for line in told.splitlines()])

done, lines = over((3, (*TRAIN, "--gpus", "2")))
gpus = by_key(lines, "gpu")
same((done.returncode, lines[-1]["end"], lines[0]["hosts"], lines[0]["gpus"]), (0, "ok", 3, 2), "sound hosts train together", done.stderr)
same([(line["host"], line["gpu"], line["steps_wrong"]) for line in gpus], [(f"node{host}", gpu, 0) for host in range(3) for gpu in range(2)],
     "the first host tells of the GPUs of all")
same(trained(lines), right, "three hosts of two GPUs come to the same losses and gradients as one GPU, to the last bit")
ok(all(line["tflops"] > 0 and line["late_percent"] >= 0 for line in gpus), "each GPU has its own rate, and how late it came", gpus)

done, lines = over((3, (*TRAIN, "--gpus", "2", "--inject", "host=1,gpu=1,bits=0x4000,from=3,period=2")))
same([(line["host"], line["wrong_gpu"], line["what"], line["first_step"], line["steps"]) for line in by_key(lines, "wrong_gpu")],
     [("node1", 1, "gradients", 3, 3)], "a gradient with another bit is named by host and GPU, and nobody else", done.stderr)
same((done.returncode != 0, lines[-1]["end"], [line["steps_wrong"] for line in by_key(lines, "gpu")]), (True, "wrong", [0, 0, 0, 3, 0, 0]),
     "it is the exit status, and counted")

done, lines = over((2, (*TRAIN, "--gpus", "2", "--inject", "host=0,gpu=1,slow=97")))
gpus = by_key(lines, "gpu")
ok(done.returncode == 0 and gpus[1]["tflops"] < min(line["tflops"] for line in gpus[:1] + gpus[2:]) / 2 and
   gpus[1]["late_percent"] > max(line["late_percent"] for line in gpus[:1] + gpus[2:]), "a GPU that makes all hosts wait is told as slow and late", gpus)
same(trained(lines), right, "and trains to the same")

done, lines = over((1, (*TRAIN, "--gpus", "2")), (1, (*TRAIN, "--gpus", "3")))
ok(done.returncode == 69 and lines[-1]["end"] == "unfit" and lines[-1]["reason"].startswith("node1: 3 GPUs") and "first host has 2" in lines[-1]["reason"],
   "hosts that do not fit together are refused, by name", (done.returncode, lines[-1:], done.stderr))
done, lines = over((1, TRAIN), (1, ("training", "--backend", "host", "--steps", "9")))
ok(done.returncode == 69 and "9 steps; the first host has" in lines[-1]["reason"], "nor may they be asked for different things", (lines[-1:], done.stderr))
done = by_mpirun([*MPIRUN, "-np", "2", PROGRAM, *TRAIN, "--gpus", "1"])
ok(done.returncode == 70 and '"end": "ok"' not in done.stdout and "two hosts call themselves" in done.stdout, "two hosts of one name are refused", done.stdout + done.stderr)
done, lines = over((2, (*TRAIN, "--gpus", "1", "--inject", "host=1,gpu=0,bits=0x4000,from=3")))
ok(done.returncode == 1 and "step 3: no loss and gradients have the majority" in lines[-1]["reason"] and not by_key(lines, "wrong_gpu"),
   "where nobody can tell which of two hosts is right, nobody is named and nothing passes", (lines[-1:], done.stderr))
done, lines = over((2, ("sdc", "--backend", "host")))
ok(done.returncode == 64 and done.stderr.count("only training goes over several hosts") == 1 and "MPI_ABORT" not in done.stderr,
   "other tests are of one host, which is said once", (done.returncode, done.stderr))
done, lines = over((1, TRAIN), (1, ("sdc", "--backend", "host")))
ok(done.returncode == 64 and not lines and "only training goes over several hosts" in done.stderr, "nor is one of them among hosts that train",
   (done.returncode, lines, done.stderr))
done, lines = over((2, (*TRAIN, "--hz", "2")))
ok(done.returncode == 64 and "--hz" in done.stderr and not lines, "an unknown option is refused", (done.returncode, done.stderr))


def begun(*arguments):
    for name in os.listdir(FOLDER):
        if name.startswith("pid."):
            os.unlink(os.path.join(FOLDER, name))
    running = subprocess.Popen(words_of((2, arguments)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    head = running.stdout.readline() # before the first step
    with open(os.path.join(FOLDER, "pid.1"), encoding="ascii") as pid:
        return running, head, int(pid.read())


running, head, other = begun("training", "--backend", "host", "--steps", "2000", "--gpus", "2", "--deadline", "5")
os.kill(other, signal.SIGSTOP)
out = running.communicate(timeout=60)[0]
same((json.loads(out.splitlines()[-1])["end"], running.returncode), ("late", 75), "a host that hangs ends all at the deadline, and that is told", head + out)
running, head, other = begun("training", "--backend", "host", "--steps", "2000", "--gpus", "2", "--deadline", "120")
began = time.monotonic()
os.kill(other, signal.SIGKILL)
out, complaint = running.communicate(timeout=60)
ok(running.returncode != 0 and '"end": "ok"' not in out and time.monotonic() - began < 60, "one that dies ends all, and nothing passes", out + complaint)
running, head, other = begun("training", "--backend", "host", "--steps", "2000", "--gpus", "2", "--deadline", "120")
os.kill(other, signal.SIGTERM)
out = running.communicate(timeout=60)[0]
same((json.loads(out.splitlines()[-1])["end"], running.returncode), ("stopped", 70), "one that is asked for the end stops all, and that is told", out[-600:])
running, head, other = begun("training", "--backend", "host", "--steps", "2000", "--gpus", "2", "--deadline", "120")
running.terminate()
out = running.communicate(timeout=60)[0]
ok(running.returncode != 0 and '"end": "ok"' not in out, "one that is ended from outside does not pass", out)
shutil.rmtree(FOLDER)
end()
