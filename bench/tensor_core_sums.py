#!/usr/bin/env python3
"""How small an addend the tensor cores of this machine's GPU keep beside a 1, for each type: bench/tensor_core_sums.py TESSERA [DEVICE]

D = A * B with A, B that are 0 except for powers of two, by the GEMMs of `tessera generate`: 1 + 2^-k within one instruction, 1 - 2^-k, 1 + n * 2^-k from n addends of
2^-k, and 1 + 2^-k where the 1 comes from an earlier instruction. The table has the largest k for which the result differs from 1; f32 itself keeps 23 (24 below 1). DEVICE is gpu or sim.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import subprocess, sys, tempfile
from pathlib import Path

import numpy as np

tessera, device = Path(sys.argv[1]).resolve(), sys.argv[2] if len(sys.argv) > 2 else "gpu"
M, N, K = 128, 128, 128
# Type, elements of K of one instruction, the largest exponents that powers of two have here.
TYPES = [("f8E4M3FN", 32, 9), ("f8E5M2", 32, 14), ("f16", 16, 14), ("bf16", 16, 14), ("tf32", 8, 14)]


def stored(a, kind):
    """Powers of two, zeros, and these with a sign: their codes, and what `tessera run` calls these."""
    if kind in ("f16", "tf32"):
        return a.astype(np.float16 if kind == "f16" else np.float32), "f16" if kind == "f16" else "f32"
    if kind == "bf16":
        return (a.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16), kind
    mantissa, bias = (3, 7) if kind == "f8E4M3FN" else (2, 15)
    e = np.round(np.log2(np.maximum(np.abs(a), 1e-30))).astype(int) + bias
    normal = np.maximum(e, 0) << mantissa
    code = np.where(a == 0, 0, np.where(e > 0, normal, 1 << np.maximum(mantissa - 1 + e, 0)))
    return (code | (a < 0).astype(int) << 7).astype(np.uint8), kind


def largest(kind, reach, where, signs, folder):
    """The largest k for which addends at places of K show beside a 1 at place 0."""
    a, b = np.zeros((M, K)), np.zeros((N, K))
    i, j = np.arange(M) % (reach + 1), np.arange(N) % (reach + 1)
    a[:, 0] = b[:, 0] = 1
    for place in where:
        a[:, place], b[:, place] = signs * 2.0 ** -i, 2.0 ** -j
    command = [tessera, "run", folder / f"{kind}.mlir", "--device", device]
    for name, operand in (("a", a), ("b", b)):
        codes, storage = stored(operand, kind)
        np.save(folder / f"{name}.npy", codes)
        command += ["--arg", f"{storage}:{folder}/{name}.npy"]
    command += ["--arg", f"out:f32:{M}x{N}", "--save", f"2={folder}/d.npy"]
    subprocess.run(command, check=True, capture_output=True, text=True)
    d = np.load(folder / "d.npy")
    k = i[:, None] + j[None, :]
    kept = k[(d != 1) & (k > 0)]
    return int(kept.max()) if kept.size else 0


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    print("| type | 1 + 2^-k | 1 - 2^-k | 1 + n * 2^-k, n | from an earlier instruction |\n|---|---|---|---|---|")
    for kind, step, reach in TYPES:
        subprocess.run([tessera, "generate", "gemm", "--ab", kind, "--d", "f32", "-o", folder / f"{kind}.mlir"], check=True, capture_output=True)
        many = step // 2
        cells = [largest(kind, reach, [1], 1, folder), largest(kind, reach, [1], -1, folder),
                 f"{largest(kind, reach, range(1, many + 1), 1, folder)}, {many}", largest(kind, reach, [step], 1, folder)]
        print(f"| {kind} | " + " | ".join(map(str, cells)) + " |", flush=True)
