#!/usr/bin/env python3
"""Runs the kernels that torch.compile made on an H200 on the stand-in for the driver, against that GPU's results: inductor.py LIBRARIES [WORD]

LIBRARIES has libcuda.so.1. inductor/record.py recorded the PTX, and memory before and after each launch (torch 2.11, driver 580.159.04). Where a
kernel has no instruction that only approximates, and its sums have one order, all bytes are equal. Each kernel runs twice, the second time
under the sanitizer, which may report what REPORTED says. With WORD only the kernels of cases, or with names, that have it.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import io
import json
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import numpy as np

from triton import Driver

HERE = Path(__file__).resolve().parent
APPROXIMATE = re.compile(r"\.approx|\.full\.|\b(ex2|lg2|sin|cos|tanh|rsqrt|rcp)\.|mma")
# How far a number may be from the GPU's, as a part of the largest of its kind in memory: some units of the last place.
PARTS = {"fp64": 2.0**-48, "fp32": 2.0**-18, "fp16": 2.0**-9, "bf16": 2.0**-6}
SCALARS = {"i1": ctypes.c_int8, "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32, "i64": ctypes.c_int64, "u32": ctypes.c_uint32, "u64": ctypes.c_uint64,
           "fp32": ctypes.c_float, "fp64": ctypes.c_double}
# In place, with fewer numbers than threads: threads that store nothing read what others may have overwritten.
REPORTED = {"product bf16: triton_ ": "races with a write", "attention by parts: triton_per_fused__softmax": "races with a write"}


def numbers(data, kind):
    """Bytes as numbers; None if the kind is none of PARTS. Conversions to 8 bits have to be equal."""
    if kind in ("fp64", "fp32", "fp16"):
        return data[: data.size // (int(kind[2:]) // 8) * (int(kind[2:]) // 8)].view(f"f{int(kind[2:]) // 8}").astype(np.float64)
    if kind == "bf16":
        return (data[: data.size // 2 * 2].view(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return None


def difference(got, expected, kinds, exact):
    """What is wrong with memory after a launch; an empty text if nothing is."""
    wrong = np.flatnonzero(got != expected)
    if not wrong.size:
        return ""
    if exact:
        return f"{wrong.size} of {got.size} bytes differ, the first at {wrong[0]}, but expected none"
    for kind in kinds:
        x, y = numbers(got, kind), numbers(expected, kind)
        if x is None:
            continue
        finite = np.isfinite(y)
        largest = np.abs(y[finite]).max() if finite.any() else 0
        with np.errstate(invalid="ignore"):
            near = (x == y) | (np.isnan(x) & np.isnan(y)) | (np.abs(x - y) <= PARTS[kind] * largest)
        if not near.all():
            at = np.flatnonzero(~near)[0]
            return f"{(~near).sum()} of {y.size} numbers are far, the first at {at}: {x[at]:.9g}, but expected {y[at]:.9g}"
        return ""
    return f"{wrong.size} of {got.size} bytes differ, the first at {wrong[0]}, in memory without floating-point numbers"


def replay(driver, record):
    """(what is wrong, whether all bytes had to be equal)"""
    said, text = json.loads(str(record["said"])), str(record["ptx"])
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    driver("cuModuleLoadData", ctypes.byref(module), text.encode() + b"\0")
    driver("cuModuleGetFunction", ctypes.byref(function), module, said["kernel"].encode())
    driver("cuFuncSetAttribute", function, 8, said["shared"])  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    before = [record[f"before{i}"] for i in range(sum(name.startswith("before") for name in record))]
    places = [driver.memory(piece) for piece in before]
    values, kinds = [], [[] for _ in before]
    for kind, *what in said["parameters"]:
        if kind.startswith("*"):
            kinds[what[0]].append(kind[1:])
            values.append(ctypes.c_uint64(places[what[0]].value + what[1]))
        else:
            values.append(SCALARS[kind](what[0]))
    values += [ctypes.c_uint64(0), ctypes.c_uint64(0)]  # scratch, which none of these has, and one for Triton's profiler
    pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
    driver("cuLaunchKernel", function, *said["grid"], 32 * said["warps"], 1, 1, said["shared"], None, pointers, None)
    driver("cuCtxSynchronize")
    exact = said["same"] and not APPROXIMATE.search(text)
    for i, piece in enumerate(before):
        if wrong := difference(driver.read(places[i], piece), piece ^ record[f"change{i}"], kinds[i], exact):
            return wrong, exact
    for place in places:
        driver("cuMemFree_v2", place)
    driver("cuModuleUnload", module)
    return "", exact


def run_all(library, word):
    driver, failed, exact, count = Driver(library), 0, 0, 0
    with tarfile.open(HERE / "inductor/records.tar.xz") as archive:
        for entry in archive:
            record = np.load(io.BytesIO(archive.extractfile(entry).read()))
            said = json.loads(str(record["said"]))
            name = f"{said['case']}: {said['kernel']} ({entry.name})"
            if word not in name:
                continue
            print(f"# {name}", file=sys.stderr, flush=True)  # before reports on it
            wrong, bits = replay(driver, record)
            count, exact, failed = count + 1, exact + bits, failed + bool(wrong)
            if wrong:
                print(f"{name}: {wrong}")
    print(f"{count} kernels of torch.compile, {exact} of them bit by bit: {count - failed} are like on the GPU")
    return failed > 0 or not count


def main():
    library = str(Path(sys.argv[1]) / "libcuda.so.1")
    word = sys.argv[2] if len(sys.argv) > 2 else ""
    if os.environ.get("INDUCTOR_RUNS"):
        return run_all(library, word)
    for check in ("", "1"):
        environment = {**os.environ, "TESSERA_GPU": "h200", "INDUCTOR_RUNS": "1", "TESSERA_CHECK": check} if check else {**os.environ, "TESSERA_GPU": "h200", "INDUCTOR_RUNS": "1"}
        done = subprocess.run([sys.executable, __file__, *sys.argv[1:]], env=environment, capture_output=True, text=True)
        print(done.stdout, end="")
        like = re.search(r"^(\d+) kernels .* (\d+) are like", done.stdout, re.MULTILINE)
        failed, name = not like or like[1] != like[2] or done.returncode not in (0, 5), ""  # 5: there are reports
        for line in done.stderr.splitlines():
            if line.startswith("# "):
                name = line[2:]
            elif line.startswith("tessera: ") and " thread (" in line and not any(name.startswith(case) and said in line for case, said in REPORTED.items()):
                print(f"{name}: {line}")
                failed = True
        if failed:
            print(f"exit code {done.returncode}", *done.stderr.splitlines()[-5:], sep="\n")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
