#!/usr/bin/env python3
"""Whole Hopper kernels on the simulator, against numpy: kernels.py TESSERA. TESSERA_CORPUS adds the corpus' GEMM."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

# What `tessera generate gemm` is asked for, and M, N, K: edges that are no multiples of tiles, several tiles a block.
GEMMS = [
    ("--ab bf16 --d bf16", 128, 256, 64),
    ("--ab f16 --d f16 --tile-n 128", 200, 264, 136),
    ("--ab f16 --d f16 --tile-n 64 --stages 2 --sms 2", 320, 192, 320),
    ("--ab bf16 --d bf16 --cluster 2", 512, 320, 128),
    ("--ab f16 --d f16 --cluster 4 --tile-n 64", 1000, 72, 128),
    ("--ab bf16 --d bf16 --major mk --tile-n 128", 256, 136, 192),
    ("--ab f16 --d f16 --major km --tile-n 128 --cluster 2", 264, 256, 136),
    ("--ab f16 --d bf16 --major mm --tile-n 64", 136, 200, 72),
    ("--ab f8E4M3FN --d bf16 --tile-n 128", 128, 136, 256),
    ("--ab f8E5M2 --d f16 --cluster 2 --tile-n 64", 272, 80, 144),
]
CORPUS = ("hopper_dense_gemm/input.mlir", 256, 384, 200)

# Codes of -2 ... 2 in the 8-bit formats: sign, exponent (bias 7 or 15), mantissa.
NARROW = {"f8E4M3FN": [0xC0, 0xB8, 0x00, 0x38, 0x40], "f8E5M2": [0xC0, 0xBC, 0x00, 0x3C, 0x40]}


def stored(values, dtype):
    """The numbers as tessera reads them from a .npy: bf16 is the upper half of f32, 8-bit formats are codes."""
    if dtype in NARROW:
        return np.array(NARROW[dtype], np.uint8)[values + 2]
    if dtype == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return values.astype(np.float16)


def rounded(values, dtype):
    """f32 as the nearest f16, or bf16 with ties to even, as f32."""
    if dtype == "f16":
        return values.astype(np.float16)
    bits = values.view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).view(np.float32)


def run(tessera, work, file, m, n, k, ab, d, majors, modes=2):
    rng = np.random.default_rng(m + n + k)
    a, b = rng.integers(-2, 3, (m, k)), rng.integers(-2, 3, (n, k))
    tail = (1,) * (modes - 2)
    specs = []
    for name, x, major in (("A", a, majors[0]), ("B", b, majors[1])):
        x = stored(x, ab).reshape(x.shape + tail)
        order = "F" if major == "m" else "C"
        np.save(f"{work}/{name}.npy", np.asarray(x, order=order))
        specs.append(f"{ab}:{work}/{name}.npy")
    np.save(f"{work}/D.npy", rounded((a @ b.T).astype(np.float32), d).reshape((m, n) + tail))
    shape = "x".join(map(str, (m, n) + tail))
    arguments = [tessera, "run", file, "--device", "sim", "--arg", specs[0], "--arg", specs[1], "--arg", f"out:{d}:{shape}"]
    checks = ["--sanitize", "--check", f"2={work}/D.npy", "--rtol", "0", "--atol", "0", "--timeout", "300"]
    return subprocess.run(arguments + checks, capture_output=True, text=True)


def main():
    tessera = sys.argv[1]
    failed = ran = 0
    with tempfile.TemporaryDirectory() as work:
        for options, m, n, k in GEMMS:
            file = f"{work}/gemm.mlir"
            words = dict(zip(options.split()[::2], options.split()[1::2]))
            subprocess.run([tessera, "generate", "gemm", *options.split(), "-o", file], check=True)
            result = run(tessera, work, file, m, n, k, words["--ab"], words["--d"], words.get("--major", "kk"))
            ran += 1
            if result.returncode:
                failed += 1
                print(f"{options}, {m}x{n}x{k}: exit code {result.returncode}\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
        corpus = os.environ.get("TESSERA_CORPUS")
        if corpus:
            file, m, n, k = CORPUS
            result = run(tessera, work, str(Path(corpus) / file), m, n, k, "f16", "f16", "kk", modes=3)
            ran += 1
            if result.returncode:
                failed += 1
                print(f"{file}: exit code {result.returncode}\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
    print(f"{ran} kernels run{'' if corpus else ' (TESSERA_CORPUS is not set)'}, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
