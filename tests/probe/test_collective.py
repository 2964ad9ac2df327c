# SPDX-License-Identifier: Apache-2.0
"""usage: test_collective.py assay-probe-collective probe-of-another-version

The probe by mpirun on this machine, over its host backend: what it prints when all is well, and what it says of a
rank that hangs, dies, comes late or sends wrong data. Prints TAP.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

from probe_case import by_mpirun, end, ok

PROBE, OTHER = map(os.path.abspath, sys.argv[1:])
RANKS = 4
MPIRUN = ["mpirun", "--oversubscribe", "--bind-to", "none", "-q", "--mca", "btl", "self,vader,tcp"]
AS_ROOT = ["--allow-run-as-root"] if os.geteuid() == 0 else []
FACTORS = {"all_reduce": 2 * (RANKS - 1) / RANKS, "all_gather": (RANKS - 1) / RANKS,
           "reduce_scatter": (RANKS - 1) / RANKS, "alltoall": (RANKS - 1) / RANKS, "sendrecv": 1}

def run(*words, ranks=RANKS):
    done = by_mpirun([*MPIRUN, *AS_ROOT, "-np", str(ranks), PROBE, "--backend", "host", *words])
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return done, lines


def lines_of(lines, key):
    return [line for line in lines if key in line]


def near(found, wanted):
    return abs(found - wanted) <= 1e-4 * abs(wanted)


def adds_up(line, factor):
    algbw = line["moved_bytes"] / line["time_us"] / 1e3
    return near(line["algbw"], algbw) and near(line["busbw"], algbw * factor)


def measures(name, factor):
    done, lines = run("-c", name, "-b", "1000", "-e", "256000", "-f", "16", "-n", "3", "-w", "1")
    sizes, ranks = lines_of(lines, "size_bytes"), lines_of(lines, "rank")
    ok(done.returncode == 0 and lines and lines[-1] == {"end": "ok"}, f"{name}: ends well", done.stdout + done.stderr)
    ok([line["size_bytes"] for line in sizes] == [1000, 16000, 256000] and all(line["wrong"] == 0 for line in sizes),
       f"{name}: each size is measured and no data is wrong", sizes)
    ok(sizes and all(adds_up(line, factor) for line in sizes), f"{name}: bandwidths are nccl-tests' formulas", sizes)
    ok([line["rank"] for line in ranks] == list(range(RANKS)) and all(line["rounds"] == 9 for line in ranks),
       f"{name}: every rank tells of every round", ranks)
    done, lines = run("-c", name, "-b", "4K", "-n", "2", "-w", "0", "--trouble", "wrong:1")
    wrong = sum(line["wrong"] for line in lines_of(lines, "size_bytes"))
    ok(done.returncode == 1 and lines and lines[-1] == {"end": "wrong"} and wrong > 0,
       f"{name}: wrong data of one rank is counted, and the exit status says so", done.stdout)


def hangs():
    for name in FACTORS:
        done, lines = run("-c", name, "-b", "64K", "-n", "2", "--deadline", "3", "--trouble", "hang:2")
        end = lines[-1] if lines else {}
        ok(done.returncode == 75 and end.get("end") == "late", f"{name}, a rank that hangs: ended at the deadline",
           done.stdout + done.stderr)
        ok([rank["rank"] for rank in end.get("waiting_for", [])] == [2] and "rank 2 on" in done.stderr,
           f"{name}, a rank that hangs: it is named, and no other", done.stdout + done.stderr)


def is_stopped():
    """It cannot even say where it stands."""
    words = [*MPIRUN, *AS_ROOT, "-np", str(RANKS), "sh", "-c",
             '[ "$OMPI_COMM_WORLD_RANK" != 3 ] || { (sleep 4; kill -STOP $$) & }; exec "$@"', "sh", PROBE, "--backend", "host",
             "-b", "64K", "-n", "1000000", "--deadline", "8"]
    done = by_mpirun(words)
    ok(done.returncode == 75 and "did not arrive: rank 3 on" in done.stderr and "(no answer)" in done.stderr and
       done.stderr.count("rank 3 on") == 1 and "rank 2 on" not in done.stderr,
       "a rank whose process is stopped: it is named for giving no answer", done.stdout + done.stderr)


def dies():
    done, lines = run("-b", "64K", "-n", "2", "--trouble", "crash:1")
    ok(done.returncode not in (0, 1) and not lines_of(lines, "end"), "a rank that dies: the output has no end",
       done.stdout + done.stderr)


def comes_late():
    done, lines = run("-b", "4K", "-n", "10", "--trouble", "late:3:100000", "--arrivals")
    called = {line["rank"]: line.get("straggler") for line in lines_of(lines, "rank")}
    rounds = lines_of(lines, "round")
    ok(called == {0: None, 1: None, 2: None, 3: "late"}, "a rank that comes late: it is called a straggler, and no other",
       done.stdout)
    last = [line["arrival_us"].index(max(line["arrival_us"])) for line in rounds]
    ok(len(rounds) == 10 and last.count(3) > 5, "a rank that comes late: --arrivals shows it round by round", rounds)


def leaves_a_witness():
    with tempfile.TemporaryDirectory() as folder:
        witness = os.path.join(folder, "witness")
        done, lines = run("-b", "64K", "-e", "256K", "-f", "4", "-n", "3", "--witness", witness)
        told = dict(word.split("=") for word in os.readlink(witness).split()) if os.path.islink(witness) else {}
        ok(done.returncode == 0 and list(told) == ["ranks", "65536", "262144", "wrong"] and told["ranks"] == str(RANKS),
           "a witness: what the host saw, as the text of a link", f"{told} {done.stderr}")
        ok(told and all(float(told[str(line["size_bytes"])]) >= line["busbw"] * 0.9999 for line in lines_of(lines, "size_bytes")),
           "a witness: no rank measured less than the slowest one's result", f"{told} {done.stdout}")
        done, lines = run("-b", "4K", "-n", "2", "--witness", witness)
        ok(done.returncode == 0 and "no witness at" in done.stderr and "65536=" in os.readlink(witness),
           "a witness: what lies there already stays, and that is said", done.stderr)


def refuses():
    for words, status, said in ((("-b", "8"), 69, "no element for each of 4 ranks"),
                                (("--trouble", "hang:9"), 69, "rank 9 of 4")):
        done, lines = run(*words)
        ok(done.returncode == status and [line["end"] for line in lines] == ["unfit"] and said in done.stderr,
           f"{' '.join(words)}: refused, and why", done.stdout + done.stderr)
    for words, said in ((("-c", "broadcast"), "expected all_reduce"), (("-b", "1T"), "expected a size"),
                        (("-b", "4K", "-e", "1K"), "there is none"), (("-f", "1"), "expected 2 or more"),
                        (("--backend", "gpu"), "expected auto, host or nccl"), (("-w", "-1"), "expected a whole number"),
                        (("--trouble", "hang"), "expected hang:RANK"), (("4K",), "is no option")):
        done = subprocess.run([PROBE, *words], capture_output=True, text=True, timeout=60, check=False)
        ok(done.returncode == 64 and said in done.stderr and not done.stdout, f"{' '.join(words)}: wrong usage, and why",
           done.stdout + done.stderr)
    done = subprocess.run([PROBE, "--help"], capture_output=True, text=True, timeout=60, check=False)
    ok(done.returncode == 0 and "--deadline" in done.stdout, "--help needs no mpirun", done.stderr)


def is_another_version():
    """Of what another version says of itself nothing is taken for ours."""
    done = by_mpirun([*MPIRUN, *AS_ROOT, "-np", "2", PROBE, "--backend", "host", ":", "-np", "1", OTHER, "--backend", "host"])
    ok(done.returncode == 69 and "expected the same program on all hosts" in done.stderr and "rank 2 is" in done.stderr,
       "another version on one rank: refused, and which", done.stdout + done.stderr)


def lacks_nccl():
    done = subprocess.run([OTHER, "--backend", "nccl"], capture_output=True, text=True, timeout=60, check=False)
    ok(done.returncode == 69 and "built without NCCL" in done.stderr and '"end": "unfit"' in done.stdout,
       "built without NCCL: --backend nccl is refused", done.stdout + done.stderr)


def has_no_gpu():
    """Only where there is none can it be seen what is said then."""
    done = subprocess.run([PROBE, "--backend", "nccl"], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode == 0:
        return
    ok(done.returncode == 69 and '"end": "unfit"' in done.stdout and
       ("no GPU" in done.stderr or "built without NCCL" in done.stderr),
       "--backend nccl without a GPU: refused by the name of the host, and not measured on the CPU",
       done.stdout + done.stderr)


if shutil.which("mpirun") is None:
    print("1..0 # SKIP there is no mpirun here (package openmpi-bin)")
    sys.exit(0)
for collective, bus_factor in FACTORS.items():
    measures(collective, bus_factor)
hangs()
is_stopped()
dies()
comes_late()
leaves_a_witness()
refuses()
is_another_version()
lacks_nccl()
has_no_gpu()
end()
