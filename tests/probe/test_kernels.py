# SPDX-License-Identifier: Apache-2.0
"""What nvcc makes of the kernels of assay-probe-gpu; none of them is run.

A kernel that spills registers measures its own memory traffic, and one that says tensor core and is built of other
instructions shows nothing of tensor cores.

usage: test_kernels.py NVCC ROOT ARCHITECTURE...
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

from probe_case import end, ok, same

NVCC, ROOT, *ARCHITECTURES = sys.argv[1:]
# Unit by its number in enum work_unit: the type of its products in PTX, and the instruction of the tensor core in machine code.
TENSOR = {"WORK_TENSOR_BF16": (r"wmma\.mma\S*\.f32\.bf16\.bf16\.f32", r"HMMA\.\S*F32\.BF16"),
          "WORK_TENSOR_FP16": (r"wmma\.mma\S*\.m16n16k16\.f32\.f32", r"HMMA\.\S*F32 "),
          "WORK_TENSOR_INT8": (r"wmma\.mma\S*\.s32\.s8\.s8\.s32", r"IMMA\.\S*S8\.S8")}
OPTIONS = ["-std=c++17", "-O2", "-fmad=false", f"-I{ROOT}/include"]
FOLDER = os.path.join(ROOT, "src/probe/gpu")
SOURCE = os.path.join(FOLDER, "backend_cuda.cu")
OTHERS = {"copies_cuda.cu": 1, "memory_cuda.cu": 6, "gemm_cuda.cu": 6, "training_cuda.cu": 19, "training_exchange_cuda.cu": 3, "training_products_cuda.cu": 1}  # how many kernels each has


def call(*words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, done.stdout + done.stderr


def units():
    with open(os.path.join(ROOT, "src/probe/gpu/work.h"), encoding="utf-8") as file:
        listed = re.search(r"enum work_unit \{(.*?)WORK_UNITS", file.read(), re.S).group(1)
    return re.findall(r"\bWORK_\w+", re.sub(r"/\*.*?\*/", "", listed, flags=re.S))


def by_unit(text, begin):
    """Pieces of text, each from a line that begins a kernel; by the number in work_kernel<N>."""
    pieces = re.split(begin, text)
    return {int(number): body for number, body in zip(pieces[1::2], pieces[2::2])}


UNITS = units()
with tempfile.TemporaryDirectory() as folder:
    objects = os.path.join(folder, "kernels.o")
    targets = [word for one in ARCHITECTURES for word in ("-gencode", f"arch=compute_{one},code=sm_{one}")]
    status, told = call(NVCC, *OPTIONS, *targets, "-Xptxas", "-v", "-c", SOURCE, "-o", objects)
    ok(status == 0, "the kernels compile for each architecture", told)
    spills = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", told)
    same(len(spills), len(UNITS) * len(ARCHITECTURES), "ptxas tells of each unit's kernel on each architecture", told)
    for name, kernels in OTHERS.items():
        status, more = call(NVCC, *OPTIONS, *targets, "-Xptxas", "-v", "-c", os.path.join(FOLDER, name), "-o", os.path.join(folder, name + ".o"))
        found = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", more)
        same((status, len(found)), (0, kernels * len(ARCHITECTURES)), f"ptxas tells of each kernel of {name}", more)
        spills += found
    same(set(spills), {("0", "0", "0")}, "no kernel spills registers, and none has a stack", told)

    ptx = os.path.join(folder, "kernels.ptx")
    status, told = call(NVCC, *OPTIONS, f"-arch=compute_{ARCHITECTURES[0]}", "-ptx", SOURCE, "-o", ptx)
    ok(status == 0, "the kernels compile to PTX", told)
    with open(ptx, encoding="utf-8") as file:
        kernels = by_unit(file.read(), r"\.entry \S*work_kernelILi(\d+)E")
    same(sorted(kernels), list(range(len(UNITS))), "each unit has a kernel")
    for unit, (product, _) in TENSOR.items():
        ok(re.search(product, kernels.get(UNITS.index(unit), "")), f"{unit} multiplies in its own type", product)
    same([unit for number, unit in enumerate(UNITS) if "mma." in kernels.get(number, "")], sorted(TENSOR, key=UNITS.index),
         "no other unit uses tensor cores")

    cuobjdump = shutil.which("cuobjdump", path=os.path.dirname(NVCC)) or shutil.which("cuobjdump")
    for architecture in ARCHITECTURES if cuobjdump else ():
        status, told = call(cuobjdump, "-sass", "-arch", f"sm_{architecture}", objects)
        kernels = by_unit(told, r"Function : \S*work_kernelILi(\d+)E")
        for unit, (_, instruction) in TENSOR.items():
            ok(re.search(instruction, kernels.get(UNITS.index(unit), "")),
               f"sm_{architecture}: {unit} is made of {instruction}", told[:300])
    if not cuobjdump:
        ok(True, "instructions of the tensor cores in machine code # SKIP no cuobjdump beside nvcc or in PATH")
end()
