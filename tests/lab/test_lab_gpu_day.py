# SPDX-License-Identifier: Apache-2.0
"""scripts/gpu-day from one end to the other, on a host of the lab: the driver's tools are the lab's, the probe works on CPU threads, and
what compute-sanitizer is asked is written down.

usage: test_lab_gpu_day.py LAB_ALONE ASSAY_PROBE_GPU SCRIPT
"""

import os
import re
import sys

from lab_case import Lab, Tap

PROBE, SCRIPT = (os.path.abspath(word) for word in sys.argv[2:4])
UNITS = "integer fma32 fma64 special tensor-bf16 tensor-fp16 tensor-int8 shuffle shared memory tensor-fp8 tensor-tf32 tensor-fp64 reduce atomic hbm copy-engine"
TOOLS, TESTS = ("memcheck", "racecheck", "initcheck"), ("memory", "links", "compute", "training", "power")
# As short as it goes, of one GPU; a word of memory that lies where such a small one has none.
HOST_PROBE = f"""#!/bin/sh
test=$1
case $test in
--help) exec {PROBE} --help ;;
sdc) shift; case " $* " in *" --backend "*) set -- "$@" --depth 4 --gpus 2 ;; *) set -- "$@" --sms 18 --depth 4 ;; esac ;;
memory) shift; set -- $(echo "$@" | sed 's/0x40001008/0x1008/') --windows 2 ;;
compute) shift; set -- "$@" --types bf16 --sizes 64 --seconds 1 --warmup 1 ;;
power) shift; set -- "$@" --hz 1 --seconds 1 --ramp 1 ;;
*) shift ;;
esac
{PROBE} "$test" --backend host --gpus 1 "$@" >"$0.out"
status=$?
sed 's/"offset": "0x1008"/"offset": "0x40001008"/' "$0.out"
exit $status
"""
SANITIZER = """#!/bin/sh
echo "$2 $6" >>"$0.asked"
shift 4
"$@"
status=$?
echo "========= ERROR SUMMARY: 0 errors"
exit $status
"""

tap = Tap()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


with Lab(1, (), "--speed", "1000") as lab:
    out, bins = os.path.join(lab.folder, "out"), os.path.join(lab.folder, "bin")
    os.mkdir(bins)
    write(f"{bins}/probe", HOST_PROBE)
    write(f"{bins}/compute-sanitizer", SANITIZER)
    write(f"{bins}/assay", f'#!/bin/sh\n{os.path.abspath(sys.argv[1])} parse "$2" <"$3" | tee "$0.out"\ngrep -q complete "$0.out" || exit 2\n')
    script = f"PATH={bins}:$PATH timeout 100 {SCRIPT} {out} 1"

    done = lab.run(1, f"{script} '' sdx", 200)
    tap.ok(done.returncode == 64 and "no part 'sdx'; there are: forms,answers" in done.stderr, "an unknown part is refused", done)
    done = lab.run(1, f"{script} {bins}/none", 200)
    tap.ok(done.returncode == 69 and "is no program" in done.stdout, "and a probe that is none", done)
    done = lab.run(1, f"{script} {bins}/probe forms,answers,faults,memory-fault,trainings", 200)
    tap.ok(done.returncode == 0 and "WRONG" not in done.stdout, "all that was tried is as it should be",
           [line for line in done.stdout.splitlines() if "WRONG" in line] or done.stdout[-3000:] + done.stderr)
    for name, parser in (("table", "nvidia-smi"), ("list", "nvidia-smi"), ("query", "nvidia-smi"), ("xml", "nvidia-smi"), ("topo", "nvidia-smi-topo"),
                         ("nvlink-status", "nvidia-smi-nvlink"), ("nvlink-errors", "nvidia-smi-nvlink")):
        tap.ok(f"assay parse {parser} of smi/{name}: ended with 0" in done.stdout and os.path.getsize(f"{out}/parsed/{name}.json") > 0,
               f"what the driver's tools print is read: {name}", done.stdout[:3000])
    for unit in UNITS.split():
        tap.ok(f"a fault of unit {unit} is named" in done.stdout, f"a fault of unit {unit} is tried", done.stdout[-3000:])
    tap.ok([unit for unit in UNITS.split() if f"unit {unit} answers as the host computes it" not in done.stdout] == ["special"],
           "each unit but one is held against what the host computes", done.stdout[:6000])
    tap.ok("not tried: unit peer: there is one GPU only" in done.stdout, "what cannot be tried is said", done.stdout[-3000:])
    tap.ok("a fault of memory is named" in done.stdout and "two trainings come to the same digest" in done.stdout, "memory and trainings", done.stdout[-1500:])
    tap.ok("part faults took" in done.stdout, "how long a part took is said")
    done = lab.run(1, f"{script} {bins}/probe speeds,power,waves,memcheck,racecheck,initcheck", 200)
    # The lab's nvbandwidth tells of a GPU, and the probe here copies in this machine's memory.
    tap.ok("WRONG" not in re.sub("WRONG: (the plain loop|nvbandwidth-(up|down): [0-9.]+, less than)", "", done.stdout), "speeds, waves and sanitizers have nothing wrong", done.stdout[-3000:] + done.stderr)
    asked = read(f"{bins}/compute-sanitizer.asked").split("\n")
    tap.ok([line for line in asked if line] == [f"{tool} {test}" for tool in TOOLS for test in ("sdc", *TESTS)], "each test is run by compute-sanitizer", asked)
    tap.ok(all(os.path.exists(f"{out}/{tool}-{test}") for tool in TOOLS for test in TESTS), "and what it said is kept")
    # Two ranks, each with the host that NCCL takes it for; and nvbandwidth's copy beside ours.
    write(f"{bins}/assay-probe-gpu-mpi", """#!/bin/sh\necho "$NCCL_HOSTID $*" >>"$0.asked"\necho '{"end": "ok", "rounds": 4}'\n""")
    write(f"{bins}/mpicc", "#!/bin/sh\n")
    write(f"{bins}/mpirun", """#!/bin/sh
for word in "$@"; do shift; [ "$word" = : ] && break; done
while [ "$1" != env ]; do shift; done
NCCL_HOSTID=first "$3" training
exec "$@"
""")
    done = lab.run(1, f"{script} {bins}/probe ranks,best", 200)
    tap.ok("two ranks on one GPU" in done.stdout and "WRONG: two" not in done.stdout, "two ranks are tried on one GPU", done.stdout + done.stderr)
    asked = [line.split()[0] for line in read(f"{bins}/assay-probe-gpu-mpi.asked").splitlines()]
    tap.ok(asked == ["first", "second"], "each as a host of its own", asked)
    tap.ok("the best of cuBLASLt, see plain_lt.err" in done.stdout or "the best of cuBLASLt ended with" in done.stdout,
           "where there is no GPU the best of cuBLASLt is said not to be compared", done.stdout)
    write(f"{bins}/probe", HOST_PROBE.replace("exit $status", "exit 9"))
    done = lab.run(1, f"{script} {bins}/probe memcheck", 200)
    tap.ok(done.returncode == 1 and "WRONG: compute-sanitizer memcheck of power ended with 9" in done.stdout, "what a sanitizer finds is wrong", done.stdout)
tap.end()
