#!/usr/bin/env python3
"""Whole Hopper kernels on the simulator, GEMMs and attention, against numpy: kernels.py TESSERA [EXAMPLE].

EXAMPLE is the program of examples/gemm, which prints IR. TESSERA_CORPUS adds the corpus' GEMM and attention.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import lzma
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[2] / "bench"))
import majors

# What `tessera generate gemm` is asked for, and M, N, K: edges that are not multiples of tiles, several tiles a block.
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
# What `tessera generate attention` is asked for; batch, queries, keys, heads of Q, and how many of them share one of K.
ATTENTIONS = [
    ("", 1, 130, 200, 2, 1),
    ("--causal", 2, 200, 333, 2, 2),
    ("--causal", 1, 77, 50, 1, 1),
    ("--head-dim 64", 1, 193, 300, 1, 1),
    ("--head-dim 64 --causal --consumers 2 --tile-n 48 --stages 3", 1, 150, 150, 2, 1),
]
# The attention kernel that NVIDIA's Hopper example is dumped with, in two versions of CuTe DSL; queries, keys, heads of K, queries' heads
# for each of them, batch. It was traced without a mask, so tiles of keys (128) are whole.
CORPUS_ATTENTIONS = [("input_loc", 200, 256, 2, 2, 1), ("input_loc_433", 129, 384, 1, 1, 2)]
CORPUS = "hopper_dense_gemm", 256, 384, (200, 40, 320, 384, 448, 520, 1000)  # 1 to 16 tiles of K for 7 buffers

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
    """f32 as the nearest f16, or bf16 with ties to even, as f32; f32 itself."""
    if dtype == "f32":
        return values
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


def attend(tessera, work, options, batch, queries, keys, heads, share):
    """Each query's result may be 2e-3 of its norm away from f64, as f16 is rounded three times on the way; returns what is wrong."""
    dim = 64 if "--head-dim 64" in options else 128
    rng = np.random.default_rng(queries + keys)
    q, k, v = (rng.standard_normal((batch, n, h, dim)).astype(np.float16)
               for n, h in ((queries, heads), (keys, heads // share), (keys, heads // share)))
    arguments = []
    for name, x in (("Q", q), ("K", k), ("V", v)):
        np.save(f"{work}/{name}.npy", x)
        arguments += ["--arg", f"{work}/{name}.npy"]
    scale = dim**-0.5
    file = f"{work}/attention.mlir"
    subprocess.run([tessera, "generate", "attention", "--element", "f16", *options.split(), "-o", file], check=True)
    result = subprocess.run([tessera, "run", file, "--device", "sim", "--sanitize", *arguments, "--arg",
                             f"out:f16:{batch}x{queries}x{heads}x{dim}", "--arg", f"f32:{scale}", "--save", f"3={work}/O.npy",
                             "--timeout", "300"], capture_output=True, text=True)
    if result.returncode:
        return f"exit code {result.returncode}\n{result.stdout[-2000:]}{result.stderr[-2000:]}"
    k, v = (np.repeat(x, share, axis=2).astype(np.float64) for x in (k, v))
    scores = np.einsum("bqhd,bkhd->bhqk", q.astype(np.float64), k) * scale
    if "--causal" in options:  # the last query sees all keys
        scores = np.where(np.arange(keys) <= np.arange(queries)[:, None] + keys - queries, scores, -np.inf)
    most = scores.max(-1, keepdims=True)
    powers = np.exp(scores - np.where(np.isfinite(most), most, 0))
    total = powers.sum(-1, keepdims=True)
    expected = np.einsum("bhqk,bkhd->bqhd", powers / np.where(total == 0, 1, total), v)
    away = np.linalg.norm(np.load(f"{work}/O.npy") - expected, axis=-1)
    wrong = ~(away <= 2e-3 * np.linalg.norm(expected, axis=-1))  # NaN is wrong
    return f"{wrong.sum()} of {wrong.size} queries are wrong" if wrong.any() else ""


def attend_as_dumped(tessera, work, file, queries, keys, heads, share, batch, dim=128):
    """The same of hopper_fmha, whose tensors are (sequence, head dim, share, head, batch); also log-sum-exp, in f32."""
    groups = heads * share
    query = f"{queries}x{dim}x{share}x{heads}x{batch}"
    own = f"stride={groups * dim},1,{dim},{share * dim},{queries * groups * dim}"
    key = f"{keys}x{dim}x1x{heads}x{batch}"
    each = f"stride={heads * dim},1,{dim},{dim},{keys * heads * dim}"
    scale = dim**-0.5
    arguments = [f"rand:f16:{query}:seed=1:{own}", f"rand:f16:{key}:seed=2:{each}", f"rand:f16:{key}:seed=3:{each}", f"out:f16:{query}:{own}",
                 f"out:f32:{queries}x1x{share}x{heads}x{batch}:stride=1,1,{queries},{share * queries},{groups * queries}",
                 scale * np.log2(np.e), scale, 1.0]
    command = [tessera, "run", file, "--entry", "HopperFused", "--device", "sim", "--arch", "sm_90a", "--timeout", "300"]
    for i, argument in enumerate(arguments):
        command += ["--arg", str(argument)] + (["--save", f"{i}={work}/{i}.npy"] if i < 5 else [])
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        return f"exit code {result.returncode}\n{result.stdout[-2000:]}{result.stderr[-2000:]}"
    q, k, v, o, lse = (np.load(f"{work}/{i}.npy").astype(np.float64) for i in range(5))
    scores = np.einsum("idrhb,jdhb->rhbij", q, k[:, :, 0]) * scale
    most = scores.max(-1, keepdims=True)
    powers = np.exp(scores - most)
    total = powers.sum(-1, keepdims=True)
    expected = np.einsum("rhbij,jdhb->idrhb", powers / total, v[:, :, 0])
    wrong = ~(np.linalg.norm(o - expected, axis=1) <= 2e-3 * np.linalg.norm(expected, axis=1))
    sums = (most + np.log(total))[..., 0].transpose(3, 0, 1, 2)
    wrong |= ~(np.abs(lse[:, 0] - sums) <= 1e-5 * np.abs(sums) + 1e-5)
    return f"{wrong.sum()} of {wrong.size} queries are wrong" if wrong.any() else ""


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
        for options, *sizes in ATTENTIONS:
            ran += 1
            if wrong := attend(tessera, work, options, *sizes):
                failed += 1
                print(f"attention {options}, {sizes}: {wrong}")
        for example in sys.argv[2:]:
            file = Path(work) / "example.mlir"
            file.write_text(subprocess.run([example], check=True, capture_output=True, text=True).stdout)
            result = run(tessera, work, str(file), 128, 256, 200, "f16", "f32", "kk")
            ran += 1
            if result.returncode:
                failed += 1
                print(f"{example}: exit code {result.returncode}\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
        corpus = os.environ.get("TESSERA_CORPUS")
        if corpus:
            name, m, n, ks = CORPUS
            # as it is, and as bench/majors.py derives it
            for major, k in [("kk", k) for k in ks] + [(major, ks[0]) for major in ("mk", "km", "mm")]:
                file = Path(work) / "derived.mlir"
                kernel = Path(corpus) / name / ("input.mlir" if major == "kk" else "input_pretty.mlir")
                file.write_text(kernel.read_text() if major == "kk" else majors.hopper_dense_gemm(kernel.read_text(), major))
                result = run(tessera, work, str(file), m, n, k, "f16", "f16", major, modes=3)
                ran += 1
                if result.returncode:
                    failed += 1
                    print(f"{name} {major}, K = {k}: exit code {result.returncode}\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
            for spelling, *sizes in CORPUS_ATTENTIONS:
                file = Path(work) / "dumped.mlir"
                file.write_bytes(lzma.decompress((Path(corpus) / "hopper_fmha" / f"{spelling}.mlir.xz").read_bytes()))
                ran += 1
                if wrong := attend_as_dumped(tessera, work, str(file), *sizes):
                    failed += 1
                    print(f"hopper_fmha {spelling}, {sizes}: {wrong}")
    print(f"{ran} kernels run{'' if corpus else ' (TESSERA_CORPUS is not set)'}, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
