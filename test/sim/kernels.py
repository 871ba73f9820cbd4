#!/usr/bin/env python3
"""Whole Hopper kernels on the simulator, GEMMs and attention, against numpy: kernels.py TESSERA [EXAMPLE].

EXAMPLE is the program of examples/gemm, which prints IR. TESSERA_CORPUS adds the corpus' GEMM and attention. A third of the cases is run,
another each day (utils/turn.py).
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import lzma
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path += [str(Path(__file__).parents[2] / folder) for folder in ("bench", "utils")]
import majors
import turn
from attentions import ATTENTIONS, DECODES, SEQUENCES, attend, refuses_teams
from formats import rounded, stored, stored_exactly

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
    # Swapped: one row, fewer tiles of K than slices, several tiles in M, M-major operands, the widest tile over its stages.
    ("--ab bf16 --d bf16 --swap --tile-m 8 --tile-n 128 --stages 4", 1, 264, 264),
    ("--ab f16 --d f16 --swap --tile-m 16 --tile-n 64 --split-k 8 --stages 2", 13, 200, 320),
    ("--ab f16 --d bf16 --swap --tile-m 24 --tile-n 128 --split-k 2 --stages 3", 65, 136, 456),
    ("--ab bf16 --d bf16 --swap --tile-m 64 --tile-n 128 --split-k 4 --stages 2 --major mm", 72, 136, 584),
    ("--ab f16 --d f16 --swap --tile-m 48 --tile-n 64 --split-k 2 --stages 2 --major km", 40, 72, 136),
    ("--ab f16 --d f16 --swap --tile-m 256 --tile-n 128 --stages 2 --split-k 2", 300, 136, 192),
    ("--ab f8E4M3FN --d bf16 --swap --tile-m 32 --tile-n 128 --split-k 4 --stages 4", 20, 136, 1040),
    # Columns that fill no box of D, of which some are less than one.
    ("--ab bf16 --d bf16 --tile-n 144 --sms 2", 520, 328, 328),
    ("--ab f16 --d f32 --tile-n 176 --sms 2", 300, 360, 200),
    ("--ab f16 --d f16 --tile-n 112 --split-k 2 --sms 3", 300, 360, 200),
    ("--ab f16 --d f16 --tile-n 48 --sms 2", 300, 200, 200),
    ("--ab f8E4M3FN --d f32 --tile-n 16 --sms 2", 300, 40, 208),
    # Ping-pong: one tile, of which the second consumer has none; an odd and an even number; fewer and more tiles of K than stages; all layouts.
    ("--ab bf16 --d bf16 --schedule pingpong --tile-m 64 --tile-n 64", 64, 64, 64),
    ("--ab bf16 --d bf16 --schedule pingpong --tile-m 64 --tile-n 256 --sms 2", 300, 520, 328),
    ("--ab f16 --d f16 --schedule pingpong --tile-m 128 --tile-n 128 --sms 1", 392, 264, 456),
    ("--ab f16 --d f16 --schedule pingpong --tile-m 64 --tile-n 128 --stages 2 --sms 3", 200, 392, 200),
    ("--ab f16 --d f32 --schedule pingpong --tile-m 64 --tile-n 96 --cluster 2 --sms 4", 300, 200, 584),
    ("--ab f8E4M3FN --d bf16 --schedule pingpong --tile-m 128 --tile-n 160 --stages 3 --sms 2", 400, 336, 784),
    ("--ab f16 --d bf16 --schedule pingpong --tile-m 128 --tile-n 64 --sms 1 --major mm", 264, 136, 136),
    ("--ab f16 --d bf16 --schedule pingpong --tile-m 64 --tile-n 80 --sms 1 --major mk", 264, 200, 136),
    ("--ab f16 --d f16 --schedule pingpong --tile-m 64 --tile-n 128 --sms 1 --major km", 136, 264, 64),
]
# Many products in one launch: rows of A in memory, columns of D, K, and rows of each product that count.
GROUPED = [
    ("--groups batches --ab bf16 --d bf16 --tile-n 64", 200, 136, 72, [200] * 3),
    ("--groups batches --ab f16 --d f32 --tile-n 128 --c --sms 2", 136, 200, 136, [136] * 2),
    ("--groups batches --ab f16 --d f16 --tile-n 64 --cluster 2 --sms 4", 300, 72, 64, [300] * 4),
    ("--groups batches --ab f16 --d f16 --major mm --tile-n 64", 136, 72, 136, [136] * 2),
    ("--groups masked --ab f16 --d f16 --tile-n 64 --sms 3", 264, 136, 136, [0, 264, 1, 129, 0, 128]),
    ("--groups masked --ab bf16 --d f32 --tile-n 128 --cluster 2", 300, 264, 72, [257, 3]),
    ("--groups contiguous --ab f16 --d f16 --tile-n 64 --sms 3", 520, 136, 136, [0, 130, 1, 129, 0, 256, 4]),
    ("--groups contiguous --ab bf16 --d bf16 --tile-n 128 --cluster 2", 400, 264, 72, [17, 257, 126]),
    ("--groups contiguous --ab f16 --d f32 --tile-n 64 --alpha --bias f32", 200, 200, 72, [65, 135]),
    ("--groups contiguous --ab f8E4M3FN --d bf16 --tile-n 64", 100, 137, 144, [30, 70]),
    ("--groups contiguous --ab f16 --d f16 --tile-n 256 --sms 1", 70, 300, 200, [1] * 70),
    ("--groups batches --ab bf16 --d bf16 --schedule pingpong --tile-m 64 --tile-n 80 --sms 2", 200, 136, 72, [200] * 3),
    ("--groups batches --ab f16 --d f32 --schedule pingpong --tile-m 128 --tile-n 128 --c --sms 2", 136, 200, 136, [136] * 2),
    ("--groups masked --ab f16 --d f32 --schedule pingpong --tile-m 64 --tile-n 96 --cluster 2 --sms 4", 300, 264, 72, [257, 3, 0]),
    ("--groups contiguous --ab f16 --d f16 --schedule pingpong --tile-m 128 --tile-n 112 --sms 3 --bias f32", 520, 136, 136, [0, 130, 1, 129, 0, 256, 4]),
    ("--groups contiguous --ab f16 --d f16 --schedule pingpong --tile-m 64 --tile-n 48 --sms 1 --alpha", 70, 104, 200, [1] * 66 + [4]),
    ("--groups contiguous --ab bf16 --d bf16 --tile-n 80 --cluster 2", 400, 264, 72, [17, 257, 126]),
    # Rows of D that end within 16 bytes: in a box, in the columns that fill none, with C in the same place.
    ("--groups batches --ab f16 --d f16 --tile-n 64 --sms 2", 65, 75, 72, [65] * 2),
    ("--groups batches --ab bf16 --d f32 --tile-n 128 --c --sms 1", 130, 203, 64, [130]),
    ("--groups masked --ab f16 --d bf16 --tile-n 80", 70, 71, 64, [70, 3]),
    ("--groups batches --ab f16 --d f16 --schedule pingpong --tile-m 64 --tile-n 64 --sms 1", 190, 61, 64, [190]),
    ("--groups contiguous --ab f16 --d f16 --tile-n 64", 128, 67, 64, [128]),
]
# Factors of blocks, as DeepSeek-V3 has them: tiles that begin in the middle of a block of B, partial blocks of K and of B, slices of K of which
# some have nothing, factors contiguous in M where M is even.
SCALED = [
    ("--block-scales --ab f8E4M3FN --d bf16 --tile-n 128", 200, 136, 400, [200]),
    ("--block-scales --ab f8E4M3FN --d f32 --tile-n 128 --stages 3 --sms 2", 261, 480, 256, [261]),
    ("--block-scales --ab f8E4M3FN --d f32 --tile-n 64 --sms 1", 65, 192, 640, [65]),
    ("--block-scales --ab f8E4M3FN --d f32 --tile-n 128 --stages 2", 129, 264, 16, [129]),
    ("--block-scales --ab f8E5M2 --d f16 --tile-n 64 --cluster 2", 265, 200, 144, [265]),
    ("--block-scales --ab f8E4M3FN --d bf16 --tile-n 128 --alpha --bias f32", 64, 256, 1024, [64]),
    ("--block-scales --ab f8E4M3FN --d bf16 --tile-n 128 --groups batches", 130, 264, 272, [130] * 2),
    ("--block-scales --ab f8E4M3FN --d f32 --tile-n 128 --groups masked --sms 3", 133, 136, 384, [0, 133, 1, 129]),
    ("--block-scales --ab f8E4M3FN --d bf16 --tile-n 64 --groups contiguous", 331, 200, 272, [0, 130, 1, 200]),
    ("--block-scales --ab f8E4M3FN --d bf16 --swap --tile-m 8 --tile-n 128 --stages 4", 1, 264, 528, [1]),
    ("--block-scales --ab f8E4M3FN --d f32 --swap --tile-m 24 --tile-n 64 --stages 3 --split-k 4", 50, 200, 656, [50]),
    ("--block-scales --ab f8E5M2 --d bf16 --swap --tile-m 128 --tile-n 128 --stages 2 --split-k 2", 140, 392, 400, [140]),
    ("--block-scales --ab f8E4M3FN --d f16 --swap --tile-m 64 --tile-n 128 --split-k 8 --stages 2 --alpha", 64, 130, 384, [64]),
]
# The attention kernel that NVIDIA's Hopper example is dumped with, in two versions of CuTe DSL; queries, keys, heads of K, queries' heads
# for each of them, batch. It was traced without a mask, so tiles of keys (128) are whole.
CORPUS_ATTENTIONS = [("input_loc", 200, 256, 2, 2, 1), ("input_loc_433", 129, 384, 1, 1, 2)]
CORPUS = "hopper_dense_gemm", 256, 384, (200, 40, 320, 384, 448, 520, 1000)  # 1 to 16 tiles of K for 7 buffers
# The tcgen05 kernels of the corpus and how they take their operands; M, N, K, L. Epilogues store whole tiles, 128 x 128 or 256 x 256.
MKL, LMK, MK = "A(m,k,l), B(n,k,l)", "A(l,m,k), B(l,k,n)", "A(m,k), B(n,k)"
TENSOR_GEMMS = [
    ("dense_gemm", "tf32", MKL, [(128, 128, 100, 1), (256, 384, 516, 1), (384, 256, 1000, 1)]),
    ("dense_gemm_software_pipeline", "tf32", MKL, [(128, 128, 36, 1), (256, 384, 516, 1), (384, 256, 1000, 1)]),
    ("dense_gemm_persistent", "f32", LMK, [(128, 128, 100, 1), (256, 384, 516, 2), (384, 256, 1000, 1)]),
    ("dense_gemm_persistent_prefetch", "f32", LMK, [(128, 128, 100, 1), (256, 384, 516, 2), (384, 256, 1000, 1)]),
    ("dense_gemm_persistent_dynamic", "tf32", LMK, [(128, 128, 100, 1), (256, 384, 516, 2), (384, 256, 1000, 1)]),
    # Stated for extents that are multiples of 8192; of 256 is as true.
    ("fp16_gemm_0", "f16", MK, [(256, 256, 256, 1), (512, 512, 768, 1), (256, 768, 1024, 1)]),
    ("fp16_gemm_1", "f16", MK, [(256, 256, 256, 1), (512, 512, 768, 1), (256, 768, 1024, 1)]),
]
# Two groups of one tile each: M, N, K.
GROUPS = [((128, 128, 64), (128, 128, 128)), ((128, 128, 192), (100, 104, 200)), ((72, 120, 136), (128, 40, 72))]
# Batch, queries, keys, heads of Q and of K.
TENSOR_ATTENTIONS = [(1, 256, 256, 1, 1), (2, 256, 384, 2, 1), (1, 512, 128, 2, 2)]

def run(tessera, work, file, m, n, k, ab, d, majors, modes=2, watch=("--sanitize",), more=()):
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
    arguments += [x for spec in more for x in ("--arg", spec)]
    checks = [*watch, "--check", f"2={work}/D.npy", "--rtol", "0", "--atol", "0", "--timeout", "300"]
    return subprocess.run(arguments + checks, capture_output=True, text=True)


def blocks_of(x, axis, block=128):
    """What has an element for each block along an axis, with one for each element, which may be more than there are."""
    return np.repeat(x, block, axis=axis)


def run_products(tessera, work, file, options, rows, n, k, counts, modes=(["--sanitize"],), device="sim", keeps=False):
    """As `run`, of any options but --scales and activations: of contiguous groups rows beside them keep what they had, of masked batches they may
    have anything, unless `keeps`."""
    word = lambda name, otherwise=None: (re.findall(rf"--{name} (\S+)", options) or [otherwise])[0]
    ab, d, majors, groups = word("ab"), word("d"), word("major", "kk"), word("groups")
    rng = np.random.default_rng(rows + n + k)
    count, contiguous = len(counts), groups in ("contiguous", None)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    a = rng.integers(-2, 3, (rows, k) if contiguous else (count, rows, k))
    b, c, bias = rng.integers(-2, 3, (count, n, k)), rng.integers(-2, 3, (count, rows, n)), rng.integers(-2, 3, n)
    alpha, beta = (2.0 if "--alpha" in options else 1.0), (3.0 if "--c" in options.split() else 0.0)
    finish = lambda product, c: alpha * product + beta * c + (bias if "--bias" in options else 0)
    pitch = -(-n * (4 if d == "f32" else 2) // 16) * 16 // (4 if d == "f32" else 2)  # rows of D begin at multiples of 16 bytes
    scaled_a, scaled_b, factors = a, b, []
    if "--block-scales" in options:
        of_k, of_n = -(-k // 128), -(-n // 128)
        factors = [2.0 ** rng.integers(-2, 3, (*a.shape[:-1], of_k)), 2.0 ** rng.integers(-2, 3, (count, of_n, of_k))]
        scaled_a = a * blocks_of(factors[0], -1)[..., :k]
        scaled_b = b * blocks_of(blocks_of(factors[1], -1), -2)[:, :n, :k]
    if contiguous:
        expected = np.concatenate([finish(scaled_a[s:t] @ scaled_b[g].T, 0 if groups else c[0]) for g, (s, t) in enumerate(zip(starts, starts[1:]))])
        expected = np.concatenate([expected, np.zeros((rows - len(expected), n))])  # rows of no group, of which more is said below
    else:
        expected = finish(scaled_a @ scaled_b.transpose(0, 2, 1), c)
    if not groups:
        b, factors = b[0], [factors[0], factors[1][0]] if factors else []
    specs = []
    for name, x, major in (("A", a, majors[0]), ("B", b, majors[1])):
        x = stored(x, ab)
        np.save(f"{work}/{name}.npy", x)
        many = f"{x.shape[-2] * x.shape[-1]}," if x.ndim == 3 else ""
        specs.append(f"{ab}:{work}/{name}.npy" + (f":stride={many}1,{x.shape[-2]}" if major == "m" else ""))
    shape, strides = (list(expected.shape), [rows * pitch, pitch, 1][-expected.ndim:])
    specs.append(f"out:{d}:{'x'.join(map(str, shape))}:stride={','.join(map(str, strides))}")
    if beta:
        c = c if groups else c[0]
        np.save(f"{work}/C.npy", stored(c, d) if d != "f32" else c.astype(np.float32))
        specs.append(f"{d}:{work}/C.npy:stride={','.join(map(str, strides))}")
    if "--bias" in options:
        np.save(f"{work}/bias.npy", bias.astype(np.float32))
        specs.append(f"{work}/bias.npy")
    for name, x in zip(("factorsA", "factorsB"), factors):
        np.save(f"{work}/{name}.npy", x.astype(np.float32))
        specs.append(f"{work}/{name}.npy" + (f":stride=1,{x.shape[0]}" if x.ndim == 2 and rows % 2 == 0 else ""))
    specs += [f"f32:{alpha}"] if "--alpha" in options else []
    specs += [f"f32:{beta}"] if beta else []
    if "--split-k" in options and "--swap" not in options:  # a workspace and counters, more than any number of tiles here needs
        specs += ["out:f32:1000000", "zeros:i32:100"]
    if groups in ("masked", "contiguous"):
        np.save(f"{work}/bounds.npy", starts if contiguous else np.array(counts, np.int32))
        specs.append(f"{work}/bounds.npy")
    arguments = [tessera, "run", file, "--device", device, *re.findall(r"--arch|sm_\w+", options), "--timeout", "300", "--save", f"2={work}/D.npy"]
    arguments += [x for spec in specs for x in ("--arg", spec)]
    wanted = stored_exactly(expected.astype(np.float32), d)
    for mode in modes:
        result = subprocess.run(arguments + mode, capture_output=True, text=True)
        if result.returncode:
            return f"{' '.join(mode)}: exit code {result.returncode}\n{result.stdout[-2000:]}{result.stderr[-2000:]}"
        got = np.load(f"{work}/D.npy")
        wrong = got.view(wanted.dtype) != wanted
        bits = {2: np.uint16, 4: np.uint32}[got.itemsize]
        written = got.view(bits) != np.iinfo(bits).max
        if contiguous:
            wrong[starts[-1]:] = written[starts[-1]:]
        if groups == "masked":
            counted = np.arange(rows)[:, None] < np.array(counts)[:, None, None]
            wrong = np.where(counted, wrong, written & keeps)
        if wrong.any():
            return f"{' '.join(mode)}: {wrong.sum()} of {wrong.size} numbers are wrong, the first at {np.argwhere(wrong)[0]}"
    return ""


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


def simulated(tessera, file, arguments, known=()):
    """What is wrong with a run on the simulator, or nothing: under the sanitizer, and with asynchronous work as late as allowed while warps
    run in a random order. The sanitizer has to report what is `known` to be wrong with the program itself, by its rules, and nothing else."""
    command = [tessera, "run", file, "--device", "sim", "--arch", "sm_100a", "--timeout", "300", *arguments]
    for mode in (["--sanitize"] if not known else [], ["--late", "--shuffle", "1"]):
        result = subprocess.run([*command, *mode], capture_output=True, text=True)
        if result.returncode:
            return f"{' '.join(mode)}: exit code {result.returncode}\n{result.stdout[-2000:]}{result.stderr[-2000:]}"
    if known:
        found = f"{file}.json"
        result = subprocess.run([*command, "--sanitize", "--max-reports", "100", "--json", found], capture_output=True, text=True)
        said = json.loads(Path(found).read_text())
        rules = [report["rule"] for launch in said.get("launches", [said]) for report in launch["reports"]]
        if rules != list(known) or not result.returncode:
            return f"expected reports by {list(known)}, got {rules}\n{result.stdout[-2000:]}{result.stderr[-2000:]}"
    return ""


def exactly(number, work, expected):
    np.save(f"{work}/expected.npy", expected)
    return ["--check", f"{number}={work}/expected.npy", "--rtol", "0", "--atol", "0"]


def tensor_gemm(tessera, work, file, element, operands, m, n, k, batch):
    """Integers, so that sums are exact; what is wrong."""
    rng = np.random.default_rng(m + n + k)
    a, b = rng.integers(-2, 3, (batch, m, k)), rng.integers(-2, 3, (batch, n, k))
    out = np.float16 if element == "f16" else np.float32
    d = (a @ b.transpose(0, 2, 1)).astype(out)
    a, b = a.astype(out), b.astype(out)
    if operands == LMK:
        b = b.transpose(0, 2, 1)
        strides, shape = ("", f":stride={n * k},1,{k}"), (batch, m, n)
    elif operands == MKL:
        a, b, d = a.transpose(1, 2, 0), b.transpose(1, 2, 0), d.transpose(1, 2, 0)
        strides, shape = (f":stride={k},1,{m * k}", f":stride={k},1,{n * k}"), (m, n, batch)
    else:
        a, b, d = a[0], b[0], d[0]
        strides, shape = ("", ""), (m, n)
    arguments = []
    for name, x, stride in (("A", a, strides[0]), ("B", b, strides[1])):
        np.save(f"{work}/{name}.npy", x)
        arguments += ["--arg", f"{element}:{work}/{name}.npy{stride}"]
    dtype = "f16" if element == "f16" else "f32"
    arguments += ["--arg", f"out:{dtype}:" + "x".join(map(str, shape))]
    return simulated(tessera, file, arguments + exactly(2, work, d))


def grouped_gemm(tessera, work, file, sizes, known=("BulkPending",)):
    """All groups' operands are rows of one buffer, whose address the simulator gives in the order of the arguments. The sanitizer has one
    report: the program ends while its last stores may still read shared memory."""
    rng = np.random.default_rng(sum(map(sum, sizes)))
    depth, width = max(k for _, _, k in sizes), max(n for _, n, _ in sizes)
    a, b = (rng.integers(-2, 3, (sum(size[i] for size in sizes), depth)).astype(np.float16) for i in (0, 1))
    d = np.zeros((len(a), width), np.float16)
    starts, address = [], 0x700000000
    for array in (a, b, d):
        starts.append(address)
        address = (address + array.nbytes + 511) // 256 * 256
    problems, strides, pointers, row, column = [], [], [], 0, 0
    for m, n, k in sizes:
        problems.append([m, n, k, 1])
        strides.append([[depth, 1], [depth, 1], [width, 1]])
        pointers.append([starts[0] + row * depth * 2, starts[1] + column * depth * 2, starts[2] + row * width * 2])
        d[row:row + m, :n] = a[row:row + m, :k] @ b[column:column + n, :k].T
        row, column = row + m, column + n
    arguments = []
    for name, x in (("A", a[..., None]), ("B", b[..., None]), ("C", np.zeros_like(d)[..., None]), ("problems", np.array(problems, np.int32)),
                    ("strides", np.array(strides, np.int32)), ("pointers", np.array(pointers, np.int64))):
        np.save(f"{work}/{name}.npy", x)
        arguments += ["--arg", f"{work}/{name}.npy"]
    return simulated(tessera, file, arguments + ["--arg", "zeros:i64:1x3x16"] + exactly(2, work, d[..., None]), known)


def tensor_attention(tessera, work, file, batch, queries, keys, heads, shared):
    """As `attend`, of the corpus' kernel: head dimension 128, all keys."""
    dim = 128
    rng = np.random.default_rng(queries + keys)
    q, k, v = (rng.standard_normal((batch, n, h, dim)).astype(np.float16) for n, h in ((queries, heads), (keys, shared), (keys, shared)))
    arguments = []
    for name, x in (("Q", q), ("K", k), ("V", v)):
        np.save(f"{work}/{name}.npy", x)
        arguments += ["--arg", f"{work}/{name}.npy"]
    scale = dim**-0.5
    arguments += ["--arg", f"out:f16:{batch}x{queries}x{heads}x{dim}"]
    for number in (batch, queries, queries, keys, heads, shared, dim):
        arguments += ["--arg", f"i32:{number}"]
    for number in (scale * np.log2(np.e), scale, 1.0):
        arguments += ["--arg", f"f32:{number}"]
    if wrong := simulated(tessera, file, arguments + ["--save", f"3={work}/O.npy"]):
        return wrong
    k, v = (np.repeat(x, heads // shared, axis=2).astype(np.float64) for x in (k, v))
    scores = np.einsum("bqhd,bkhd->bhqk", q.astype(np.float64), k) * scale
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    expected = np.einsum("bhqk,bkhd->bqhd", powers / powers.sum(-1, keepdims=True), v)
    away = np.linalg.norm(np.load(f"{work}/O.npy") - expected, axis=-1)
    wrong = ~(away <= 2e-3 * np.linalg.norm(expected, axis=-1))  # NaN is wrong
    return f"{wrong.sum()} of {wrong.size} queries are wrong" if wrong.any() else ""


# The last two are dumps after the passes CuteDesugar and CuteExpandOps of CuTe DSL, which nine kernels have.
SPELLINGS = ("input.mlir", "input_pretty.mlir", "input_loc.mlir.xz", "input_loc_433.mlir.xz", "input_launch_func.mlir.xz",
             "vendor_desugar.mlir.xz", "vendor_expand.mlir.xz")


def tensor_kernels(tessera, work, corpus):
    """The corpus' tcgen05 kernels: pairs of a name and what is wrong. All sizes of `input.mlir`, one of each other spelling. Version 4.3 of
    dense_gemm looks at a phase that never comes, and goes on when mbarrier.try_wait gives up."""
    def kernel(name, spelling):
        path, file = Path(corpus) / f"blackwell_{name}" / spelling, Path(work) / f"{name}.mlir"
        if not path.exists():
            return None
        text = lzma.open(path, "rt").read() if path.suffix == ".xz" else path.read_text()
        # What fp16_gemm states of its extents; elsewhere 8192 is a divisor of offsets.
        file.write_text(text.replace("div=8192", "div=256") if name.startswith("fp16_gemm") else text)
        return str(file)
    runs = [(name, sizes, lambda file, size, e=element, o=operands: tensor_gemm(tessera, work, file, e, o, *size))
            for name, element, operands, sizes in TENSOR_GEMMS]
    runs += [("grouped_gemm", GROUPS, lambda file, size: grouped_gemm(tessera, work, file, size)),
             ("fmha", TENSOR_ATTENTIONS, lambda file, size: tensor_attention(tessera, work, file, *size))]
    cases = [(spelling, name, size, run) for spelling in SPELLINGS for name, sizes, run in runs
             for size in (sizes if spelling == "input.mlir" else sizes[:1])]
    for spelling, name, size, run in turn.share(cases, 3):
        if file := kernel(name, spelling):
            if spelling == "input_launch_func.mlir.xz" and name == "dense_gemm_persistent":  # whose tensors are tf32
                run = lambda file, size: tensor_gemm(tessera, work, file, "tf32", MKL, *size)
            yield f"{name}/{spelling}, {size}", run(file, size)


def main():
    tessera = sys.argv[1]
    failed = ran = 0
    with tempfile.TemporaryDirectory() as work:
        for options, m, n, k in turn.share(GEMMS, 3):
            file = f"{work}/gemm.mlir"
            words = dict(zip(options.split()[::2], options.split()[1::2]))
            subprocess.run([tessera, "generate", "gemm", *options.split(), "-o", file], check=True)
            major, more = words.get("--major", "kk"), []
            if "--split-k" in options and "--swap" not in options:  # more than any number of tiles here needs
                more = ["out:f32:1000000", "zeros:i32:100"]
            orders = (["--sanitize"], ["--late", "--shuffle", "1"], ["--late", "--shuffle", "2"])
            for watch in orders[: 3 if "--schedule" in options else 1]:
                result = run(tessera, work, file, m, n, k, words["--ab"], words["--d"], major, watch=watch, more=more)
                ran += 1
                if result.returncode:
                    failed += 1
                    print(f"{options}, {m}x{n}x{k}, {watch}: exit code {result.returncode}\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
        for options, *sizes in turn.share(GROUPED + SCALED, 3):
            file = f"{work}/gemm.mlir"
            subprocess.run([tessera, "generate", "gemm", *options.split(), "-o", file], check=True)
            ran += 1
            if wrong := run_products(tessera, work, file, options, *sizes):
                failed += 1
                print(f"{options}, {sizes}: {wrong}")
        for verb, options, *sizes in turn.share([("attention", *a) for a in ATTENTIONS + SEQUENCES] + [("decode", *d) for d in DECODES], 3):
            ran += 1
            if wrong := attend(tessera, work, verb, options, *sizes):
                failed += 1
                print(f"{verb} {options}, {sizes}: {wrong}")
        ran += 1
        if wrong := refuses_teams(tessera, work):
            failed += 1
            print(f"decode --teams: {wrong}")
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
            for major, k in turn.share([("kk", k) for k in ks] + [(major, ks[0]) for major in ("mk", "km", "mm")], 3):
                file = Path(work) / "derived.mlir"
                kernel = Path(corpus) / name / ("input.mlir" if major == "kk" else "input_pretty.mlir")
                file.write_text(kernel.read_text() if major == "kk" else majors.hopper_dense_gemm(kernel.read_text(), major))
                result = run(tessera, work, str(file), m, n, k, "f16", "f16", major, modes=3)
                ran += 1
                if result.returncode:
                    failed += 1
                    print(f"{name} {major}, K = {k}: exit code {result.returncode}\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
            for spelling, *sizes in turn.share(CORPUS_ATTENTIONS, 3):
                file = Path(work) / "dumped.mlir"
                file.write_bytes(lzma.decompress((Path(corpus) / "hopper_fmha" / f"{spelling}.mlir.xz").read_bytes()))
                ran += 1
                if wrong := attend_as_dumped(tessera, work, str(file), *sizes):
                    failed += 1
                    print(f"hopper_fmha {spelling}, {sizes}: {wrong}")
            for name, wrong in tensor_kernels(tessera, work, corpus):
                ran += 1
                if wrong:
                    failed += 1
                    print(f"{name}: {wrong}")
    print(f"{ran} kernels run{'' if corpus else ' (TESSERA_CORPUS is not set)'}, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
