# SPDX-License-Identifier: Apache-2.0
"""What nvcc makes of the kernels of assay-probe-gpu; none of them is run.

A kernel that spills registers measures its own memory traffic, and one that says tensor core and is built of other
instructions shows nothing of tensor cores.

usage: test_kernels.py NVCC ROOT ARCHITECTURE...
"""

import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from probe_case import end, ok, same

NVCC, ROOT, *ARCHITECTURES = sys.argv[1:]


class Core:
    """What a unit's products are on some architectures: patterns in PTX, all of which must be there; the instruction of the tensor core in
    machine code as cuobjdump has it, and by its number."""

    def __init__(self, ptx, name, number, majors=(8, 9, 10, 12)):
        self.ptx, self.name, self.number, self.majors = ptx if isinstance(ptx, tuple) else (ptx,), name, number, majors


TENSOR = {"WORK_TENSOR_BF16": [Core(r"wmma\.mma\S*\.f32\.bf16\.bf16\.f32", r"HMMA\.\S*F32\.BF16", 0x23c)],
          "WORK_TENSOR_FP16": [Core(r"wmma\.mma\S*\.m16n16k16\.f32\.f32", r"HMMA\.\S*F32 ", 0x23c)],
          "WORK_TENSOR_INT8": [Core(r"wmma\.mma\S*\.s32\.s8\.s8\.s32", r"IMMA\.\S*S8\.S8", 0x237)],
          "WORK_TENSOR_TF32": [Core(r"wmma\.mma\S*\.m16n16k8\.f32\.tf32\.tf32\.f32", r"HMMA\.\S*F32\.TF32", 0x23c)],
          "WORK_TENSOR_FP64": [Core(r"wmma\.mma\S*\.m8n8k4\S*\.f64\.f64\.f64\.f64", r"DMMA", 0x23f)],
          # Of tcgen05 the types stand in a word that the instruction is given: work_fp8_kind.
          "WORK_TENSOR_FP8": [Core((r"wgmma\.mma_async\S*\.m64n16k32\.f32\.e4m3\.e4m3", r"wgmma\.mma_async\S*\.m64n16k32\.f32\.e5m2\.e5m2"), r"QGMMA\.", 0xdf3, (9,)),
                              Core((r"tcgen05\.mma\.cta_group::1\.kind::f8f6f4", r"\b134479888\b", r"\b134481040\b"), r"UTCQMMA", 0x5ea, (10,)),
                              Core((r"mma\.sync\.aligned\.m16n8k32\S*\.e4m3\.e4m3", r"mma\.sync\.aligned\.m16n8k32\S*\.e5m2\.e5m2"), r"QMMA\.", 0x27a, (12,))]}
# Instructions of any tensor core, so that no unit has another one beside its own.
ANY = {core.number for cores in TENSOR.values() for core in cores} | {0xdf0, 0xdf1}
REDUX = 0x3c4
OPTIONS = ["-std=c++17", "-O2", "-fmad=false", f"-I{ROOT}/include"]
FOLDER = os.path.join(ROOT, "src/probe/gpu")
SOURCE = os.path.join(FOLDER, "backend_cuda.cu")
OTHERS = {"copies_cuda.cu": 1, "engines_cuda.cu": 0, "memory_cuda.cu": 6, "gemm_cuda.cu": 6, "training_cuda.cu": 19, "training_exchange_cuda.cu": 3, "training_products_cuda.cu": 1}  # how many kernels each has


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


def major(architecture):
    return int(architecture.rstrip("af")) // 10


def core_of(unit, architecture):
    """None: there is no instruction for it."""
    return next((core for core in TENSOR[unit] if major(architecture) in core.majors), None)


def instructions(path, kernel=rb"work_kernelILi(\d+)E"):
    """The numbers of all instructions of each kernel's machine code, by the number in work_kernel<N>: it is an ELF, each instruction
    has 16 bytes, and the lowest 12 bits say which one it is."""
    with open(path, "rb") as file:
        elf = file.read()
    begin, = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    sections = [struct.unpack_from("<IIQQQQ", elf, begin + i * size) for i in range(count)]
    found = {}
    for name, _, _, _, offset, length in sections:
        at = sections[names][4] + name
        number = re.fullmatch(rb"\.text\.\S*" + kernel + rb"\S*", elf[at:elf.index(b"\0", at)])
        if number:
            found[int(number[1])] = {struct.unpack_from("<H", elf, i)[0] & 0xfff for i in range(offset, offset + length, 16)}
    return found


# Why only sm_120 has mma.sync in fp8: of others' the compiler makes products in fp16.
BY_WARP = """__global__ void by_warp(float *sums, const unsigned *sides)
{
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                 : "r"(sides[0]), "r"(sides[1]), "r"(sides[2]), "r"(sides[3]), "r"(sides[4]), "r"(sides[5]));
}
"""
UNITS = units()
OF_SMS = UNITS[:UNITS.index("WORK_COPY")]
with tempfile.TemporaryDirectory() as folder:
    spills, told, made = [], "", {}
    for architecture in ARCHITECTURES:
        made[architecture] = os.path.join(folder, f"{architecture}.cubin")
        status, more = call(NVCC, *OPTIONS, f"-arch=sm_{architecture}", "-Xptxas", "-v", "-cubin", SOURCE, "-o", made[architecture])
        ok(status == 0, f"the kernels compile for sm_{architecture}", more)
        told += more
    spills = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", told)
    same(len(spills), len(OF_SMS) * len(ARCHITECTURES), "ptxas tells of each unit's kernel on each architecture", told)
    targets = [word for one in ARCHITECTURES for word in ("-gencode", f"arch=compute_{one},code=sm_{one}")]
    for name, kernels in OTHERS.items():
        status, more = call(NVCC, *OPTIONS, *targets, "-Xptxas", "-v", "-c", os.path.join(FOLDER, name), "-o", os.path.join(folder, name + ".o"))
        found = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", more)
        same((status, len(found)), (0, kernels * len(ARCHITECTURES)), f"ptxas tells of each kernel of {name}", more)
        spills += found
    same(set(spills), {("0", "0", "0")}, "no kernel spills registers, and none has a stack", told)

    for architecture in ARCHITECTURES:
        has = {unit: core_of(unit, architecture) for unit in TENSOR if core_of(unit, architecture)}
        ptx = os.path.join(folder, "kernels.ptx")
        status, told = call(NVCC, *OPTIONS, f"-arch=compute_{architecture}", "-ptx", SOURCE, "-o", ptx)
        ok(status == 0, f"the kernels compile to PTX for compute_{architecture}", told)
        with open(ptx, encoding="utf-8") as file:
            kernels = by_unit(file.read(), r"\.entry \S*work_kernelILi(\d+)E")
        same(sorted(kernels), list(range(len(OF_SMS))), "each unit has a kernel")
        for unit, core in has.items():
            ok(all(re.search(product, kernels.get(UNITS.index(unit), "")) for product in core.ptx), f"{unit} multiplies in its own type", core.ptx)
        same([unit for number, unit in enumerate(UNITS) if re.search("mma[._]", kernels.get(number, ""))], sorted(has, key=UNITS.index),
             "no other unit uses tensor cores")
        ok(all(f"redux.sync.{what}" in kernels[UNITS.index("WORK_REDUCE")] for what in ("add", "xor", "max")), "WORK_REDUCE has the instructions for it")
        ok(all(f"atom.{where}.{what}" in kernels[UNITS.index("WORK_ATOMIC")] for where in ("shared", "global") for what in ("add.u32", "xor.b32")),
           "WORK_ATOMIC has atomics of shared memory and of the GPU's")

    by_warp = os.path.join(folder, "by_warp.cu")
    with open(by_warp, "w", encoding="utf-8") as file:
        file.write(BY_WARP)
    for architecture in ARCHITECTURES:
        if major(architecture) < 9:
            continue
        status, told = call(NVCC, f"-arch=sm_{architecture}", "-cubin", by_warp, "-o", by_warp + "bin")
        found = instructions(by_warp + "bin", rb"(7)by_warp")[7] if status == 0 else set()
        ok((0x27a in found, 0x23c in found) == ((True, False) if major(architecture) == 12 else (False, True)),
           f"sm_{architecture}: mma.sync in fp8 is {'itself' if major(architecture) == 12 else 'made of fp16'}", told or sorted(map(hex, found)))

    # Machine code, by itself and, where there is a cuobjdump, by name.
    cuobjdump = shutil.which("cuobjdump", path=os.path.dirname(NVCC)) or shutil.which("cuobjdump")
    for architecture in ARCHITECTURES:
        found = instructions(made[architecture])
        same(sorted(found), list(range(len(OF_SMS))), f"sm_{architecture}: each unit has machine code")
        for unit in OF_SMS:
            core = core_of(unit, architecture) if unit in TENSOR else None
            same(found[UNITS.index(unit)] & ANY, {core.number} if core else set(), f"sm_{architecture}: {unit} has its tensor core's instruction and no other's",
                 sorted(map(hex, found[UNITS.index(unit)])))
        ok(REDUX in found[UNITS.index("WORK_REDUCE")], f"sm_{architecture}: WORK_REDUCE has REDUX")
        if not cuobjdump:
            continue
        status, told = call(cuobjdump, "-sass", made[architecture])
        kernels = by_unit(told, r"Function : \S*work_kernelILi(\d+)E")
        for unit in TENSOR:
            core = core_of(unit, architecture)
            ok(core is None or re.search(core.name, kernels.get(UNITS.index(unit), "")), f"sm_{architecture}: {unit} is made of {core and core.name}", told[:300])
    if not cuobjdump:
        ok(True, "names of instructions in machine code # SKIP no cuobjdump beside nvcc or in PATH")
end()
