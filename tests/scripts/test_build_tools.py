# SPDX-License-Identifier: Apache-2.0
"""scripts/build-tools: what it makes and names, with a toolkit and sources that are played by files."""
import os
import subprocess
import sys
import tempfile

import tap

SCRIPT = os.path.join(sys.argv[1], "scripts", "build-tools")


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


class Place:
    """nvcc writes what it is asked for; gpu_burn is made by a Makefile of its own, if it is not broken."""

    def __init__(self, folder, makefile="all:\n\techo burn >gpu_burn; chmod 755 gpu_burn; echo kernel >compare.fatbin\n"):
        self.folder, self.out = folder, os.path.join(folder, "made/tools")
        write(f"{folder}/cuda/bin/nvcc", '#!/bin/sh\n[ "$1" = --version ] && { echo "Cuda compilation tools, release 12.8, V12.8.93"; exit; }\n'
              f'echo "$*" >>"{folder}/asked"\nwhile [ "$1" != -o ]; do shift; done; echo p2p >"$2"; chmod 755 "$2"\n', 0o755)
        write(f"{folder}/sources/cuda-samples/Samples/5_Domain_Specific/p2pBandwidthLatencyTest/p2pBandwidthLatencyTest.cu", "")
        write(f"{folder}/sources/gpu-burn/Makefile", makefile)

    def build(self, *words):
        done = subprocess.run([SCRIPT, "--cuda", f"{self.folder}/cuda", "--sources", f"{self.folder}/sources", *words],
                              capture_output=True, text=True, check=False, env={**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}"})
        return done.returncode, done.stderr

    def made(self):
        return sorted(os.path.relpath(os.path.join(path, name), self.out)
                      for path, _, names in os.walk(self.out) for name in names)


def makes_what_assay_stage_takes():
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder)
        code, told = place.build("--only", "p2p,gpu-burn", place.out)
        tap.same((code, place.made()), (0, ["bin/compare.fatbin", "bin/gpu_burn", "bin/p2pBandwidthLatencyTest"]))
        tap.same("next: assay stage -H HOSTFILE" in told, True)
        with open(f"{folder}/asked", encoding="utf-8") as file:
            tap.same("code=sm_100" in file.read(), True)


def names_what_was_not_built():
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder, "all:\n\t@echo no compiler; exit 1\n")
        write(f"{place.out}/bin/older", "")
        code, told = place.build("--only", "p2p,gpu-burn,perftest", place.out)
        tap.same((code, place.made()), (1, ["bin/older"]))
        tap.same([words in told for words in ("not made: gpu-burn perftest", "no compiler", "there is no")], [True] * 3)


def replaces_an_earlier_folder():
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder)
        write(f"{place.out}/bin/older", "")
        tap.same((place.build("--only", "p2p", place.out)[0], place.made()), (0, ["bin/p2pBandwidthLatencyTest"]))
        tap.same(os.listdir(f"{folder}/made"), ["tools"])


def probes_have_the_nccl_that_is_named():
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder)
        write(f"{folder}/bin/meson", f'#!/bin/sh\necho "$CPATH $LIBRARY_PATH $*" >"{folder}/meson"\n', 0o755)
        write(f"{folder}/bin/ninja", '#!/bin/sh\nmkdir -p "$2/src/probe"; echo "#!/bin/sh" >"$2/$3"\n', 0o755)
        tap.same(place.build("--only", "probes", "--nccl", f"{folder}/nccl", place.out)[0], 0)
        with open(f"{folder}/meson", encoding="utf-8") as file:
            asked = file.read()
        tap.same([words in asked for words in (f"{folder}/nccl/include", f"{folder}/nccl/lib:", "-Dnccl=enabled", f"-Dpath_to_cuda={folder}/cuda")], [True] * 4)
        tap.same(place.build("--only", "probes", place.out)[0], 0)
        with open(f"{folder}/meson", encoding="utf-8") as file:
            asked = file.read()
        tap.same(["nccl" in asked, "bin/assay-probe-gpu-mpi" in place.made()], [False, True])


def refuses_what_it_does_not_know():
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder)
        for words, status in [((), 64), (("--only", "p3p", place.out), 64), (("--fast", place.out), 64), (("--only",), 64),
                              (("--cuda", f"{folder}/none", place.out), 69)]:
            tap.same((words, place.build(*words)[0]), (words, status))
        tap.same(os.path.exists(place.out), False)


CASES = [
    ("makes the folder that assay stage takes", makes_what_assay_stage_takes),
    ("names what was not built, and leaves an earlier folder as it is", names_what_was_not_built),
    ("replaces an earlier folder", replaces_an_earlier_folder),
    ("probes are built with the NCCL that is named", probes_have_the_nccl_that_is_named),
    ("refuses what it does not know", refuses_what_it_does_not_know),
]

tap.run(CASES)
