#!/usr/bin/env python3
"""The corpus' kernels in every spelling, run on the simulator under its sanitizer, against numpy: corpus.py TESSERA [KERNEL...]

Each row below is a kernel, the arguments of its host function at sizes that divide no tile where the types allow, and what numpy makes of
them. kernels.py has the tcgen05 kernels and the attention of Hopper. TESSERA_CORPUS names the corpus.

Two kernels have findings that are theirs, and run with asynchronous work late and warps in a random order instead:
blackwell_geforce_dense_gemm writes a buffer of its next tile's results while the bulk store of the last may still read it (the warp that
stored waits, the other three do not wait for it), and one lane releases a stage that ldmatrix of other lanes read, without a barrier of the
warp; blackwell_rmsnorm, where a block has a row beyond the last, sums what nobody wrote and does not store it.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import concurrent.futures
import lzma
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import formats
import kernels

rng = np.random.default_rng(0)
SPELLINGS = kernels.SPELLINGS


class Array:
    """A tensor argument: values, or only a shape for what is written; `order` lists its modes, that with stride 1 first."""

    def __init__(self, kind, values=None, shape=None, order=None):
        self.kind, self.values, self.shape = kind, values, shape or values.shape
        self.order = order or range(len(self.shape))[::-1]

    def text(self, path):
        strides, step = [0] * len(self.shape), 1
        for mode in self.order:
            strides[mode], step = step, step * self.shape[mode]
        stride = ":stride=" + ",".join(map(str, strides))
        if self.values is None:
            return f"out:{self.kind}:{'x'.join(map(str, self.shape))}{stride}"
        np.save(path, formats.stored_exactly(self.values.astype(np.float32), self.kind) if self.kind in ("bf16", "f16") else self.values)
        return f"{self.kind}:{path}{stride}"


def whole(*shape):
    """Small whole numbers, of which sums are exact in f32."""
    return rng.integers(-2, 3, shape).astype(np.float32)


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def bf16(values):
    return formats.rounded(values.astype(np.float32), "bf16")


class Row:
    """`expected`: argument number to what it must hold; exact unless a tolerance is given. `entry`: for a file of several host functions.
    `orders`: a spelling whose arguments have other strides. `clean`: whether the sanitizer finds nothing."""

    def __init__(self, kernel, arguments, expected, arch, entry="", tolerance=(0, 0), orders=None, clean=True):
        self.kernel, self.arguments, self.expected, self.arch = kernel, arguments, expected, arch
        self.entry, self.tolerance, self.orders, self.clean = entry, tolerance, orders or {}, clean


def add(kernel, m, n, arch, entry=""):
    a, b = normal(m, n), normal(m, n)
    return Row(kernel, [Array("f32", a), Array("f32", b), Array("f32", shape=(m, n))], {2: a + b}, arch, entry)


def gemm(kernel, m, n, k, batch, arch, orders, entry="", clean=True):
    """(M,K,L), (N,K,L) and (M,N,L)."""
    a, b = whole(m, k, batch), whole(n, k, batch)
    arguments = [Array("f16", a, order=orders[0]), Array("f16", b, order=orders[1]), Array("f16", shape=(m, n, batch), order=orders[2])]
    return Row(kernel, arguments, {2: np.einsum("mkl,nkl->mnl", a, b)}, arch, entry, clean=clean)


def static_gemm():
    a, b = whole(16, 512, 128), whole(16, 256, 128)
    return Row("ampere_call_from_jit", [Array("f16", a), Array("f16", b), Array("f16", shape=(16, 512, 256))], {2: a @ b.transpose(0, 2, 1)}, "sm_80")


def sgemm(columns):
    a, b = whole(256, 64), whole(columns, 64)
    return Row("ampere_sgemm", [Array("f32", a, order=(0, 1)), Array("f32", b), Array("f32", shape=(256, columns))], {2: a @ b.T}, "sm_80")


def attention(batch, queries, keys, heads):
    q, k, v = (bf16(normal(batch, n, heads, 128)) for n in (queries, keys, keys))
    scores = np.einsum("bqhd,bkhd->bhqk", q, k).astype(np.float64) * 128**-0.5
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    expected = np.einsum("bhqk,bkhd->bqhd", powers / powers.sum(-1, keepdims=True), v)
    arguments = [Array("bf16", q), Array("bf16", k), Array("bf16", v), Array("bf16", shape=q.shape), f"f32:{128**-0.5!r}"]
    return Row("ampere_flash_attention_v2", arguments, {3: expected}, "sm_80", tolerance=(1e-2, 4e-3))


def rmsnorm(rows):
    x, w = bf16(normal(rows, 4096)), bf16(normal(4096))
    expected = x / np.sqrt((x.astype(np.float64)**2).mean(1, keepdims=True) + 1e-6) * w
    arguments = [Array("bf16", x), Array("bf16", w), Array("bf16", shape=x.shape), f"i32:{rows}", "f32:1e-6"]
    return Row("blackwell_rmsnorm", arguments, {2: expected}, "sm_100a", tolerance=(8e-3, 1e-6), clean=rows % 2 == 0)


def allocated():
    shapes = (8, 4), (8, 2), (16, 2)
    return Row("ampere_smem_allocator", [Array("f32", shape=s) for s in shapes],
               {i: np.full(s, x, np.float32) for i, (s, x) in enumerate(zip(shapes, (0.5, 1, 2)))}, "sm_80")


def votes():
    """ballot, any, all and uni of lane < 10."""
    arguments = [Array(kind, shape=(32,)) for kind in ("i32", "i8", "i8", "i8")]
    expected = {0: np.full(32, 0x3ff, np.int32), 1: np.ones(32, np.int8), 2: np.zeros(32, np.int8), 3: np.zeros(32, np.int8)}
    return Row("ampere_inline_ptx", arguments, expected, "sm_80", "True")


def widened(*shape):
    a = normal(*shape).astype(np.float16).astype(np.float32)
    arguments = [Array("f16", a, order=(1, 4, 3, 2, 0)), Array("f32", shape=shape, order=(3, 0, 1, 2, 4))]
    return Row("hopper_fmha", arguments, {1: a}, "sm_90a", "_convert")


def narrowed(kernel, kind, values, *shape):
    """To f8 or f4, of numbers that the narrow type has and of such between them, which go to the nearest; ties to even codes."""
    codes = rng.integers(0, len(values), shape)
    up = np.minimum(codes + 1, len(values) - 1)
    part = rng.choice([0, 0.25, 0.75], shape)
    sign = rng.choice([-1, 1], shape).astype(np.float32)
    low, high = values[codes], values[up]
    a = (sign * (low + part * (high - low))).astype(np.float32)
    expected = sign * np.where(part > 0.5, high, low)
    # The dump of 2025 has the strides of the source the other way round.
    source = Array("f32", a, order=(1, 0, 2))
    return Row(kernel, [source, Array(kind, shape=shape, order=(1, 0, 2))], {1: expected}, "sm_100a",
               orders={"input_launch_func.mlir.xz": {0: (2, 1, 0)}})


E4M3 = np.array([c * 2.0**-9 for c in range(8)] + [(8 + c % 8) * 2.0**(c // 8 - 10) for c in range(8, 127)])
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
K_MAJOR, N_MAJOR, M_MAJOR = (1, 0, 2), (1, 0, 2), (0, 1, 2)
ROWS = [
    add("ampere_elementwise_add", 100, 300, "sm_80"),
    add("ampere_elementwise_add", 17, 1, "sm_80"),
    add("blackwell_programmatic_dependent_launch", 37, 130, "sm_100a", "True"),
    gemm("ampere_tensorop_gemm", 200, 136, 72, 2, "sm_80", (M_MAJOR, M_MAJOR, N_MAJOR)),
    gemm("ampere_tensorop_gemm", 8, 264, 31, 1, "sm_80", (M_MAJOR, M_MAJOR, N_MAJOR)),
    gemm("blackwell_geforce_dense_gemm", 128, 128, 64, 1, "sm_120a", (M_MAJOR,) * 3, clean=False),
    gemm("blackwell_geforce_dense_gemm", 200, 136, 200, 2, "sm_120a", (M_MAJOR,) * 3, clean=False),
    gemm("hopper_dense_gemm", 200, 136, 200, 2, "sm_90a", (K_MAJOR, K_MAJOR, N_MAJOR)),
    gemm("hopper_dense_gemm_persistent", 200, 136, 200, 1, "sm_90a", (K_MAJOR, K_MAJOR, N_MAJOR), "__call__"),
    static_gemm(), sgemm(256), sgemm(512),
    attention(1, 77, 50, 1), attention(2, 130, 200, 2),
    rmsnorm(3), rmsnorm(4), allocated(), votes(),
    widened(4, 64, 2, 3, 5), widened(1, 128, 3, 64, 2),
    narrowed("blackwell_mla", "f8E4M3FN", E4M3, 33, 256, 4),
    narrowed("blackwell_dense_blockscaled_gemm_persistent", "f4E2M1FN", E2M1, 33, 256, 4),
]


def entry_of(tessera, file, part):
    """--entry for a file of several host functions."""
    said = subprocess.run([tessera, "run", file, "--device", "sim"], capture_output=True, text=True).stderr
    return ["--entry", part] if "say which host function" in said else []


def wrong(tessera, work, row, spelling):
    """What is wrong, or nothing; None if the corpus lacks the spelling."""
    path = Path(os.environ["TESSERA_CORPUS"]) / row.kernel / spelling
    if not path.exists():
        return None
    work.mkdir()
    file = path
    if path.suffix == ".xz":
        file = work / path.stem
        file.write_bytes(lzma.decompress(path.read_bytes()))
    command = [tessera, "run", file, "--device", "sim", "--arch", row.arch, "--timeout", "300"]
    command += ["--sanitize"] if row.clean else ["--late", "--shuffle", "1"]
    command += entry_of(tessera, file, row.entry) if row.entry else []
    for i, argument in enumerate(row.arguments):
        if isinstance(argument, Array):
            order, argument.order = argument.order, row.orders.get(spelling, {}).get(i, argument.order)
            text, argument.order = argument.text(work / f"{i}.npy"), order
        command += ["--arg", text if isinstance(argument, Array) else argument]
    for i, expected in row.expected.items():
        np.save(work / f"expected{i}.npy", expected if expected.dtype.kind == "i" else expected.astype(np.float32))
        command += ["--check", f"{i}={work}/expected{i}.npy"]
    command += ["--rtol", str(row.tolerance[0]), "--atol", str(row.tolerance[1])]
    done = subprocess.run(command, capture_output=True, text=True)
    return f"exit code {done.returncode}\n{done.stdout[-1500:]}{done.stderr[-1500:]}" if done.returncode else ""


def main():
    tessera, wanted = sys.argv[1], sys.argv[2:]
    if not os.environ.get("TESSERA_CORPUS"):
        print("TESSERA_CORPUS is not set: no kernel of CuTe DSL was run")
        return 77
    failed = ran = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        work = [(i, row, spelling) for i, row in enumerate(ROWS) if not wanted or row.kernel in wanted for spelling in SPELLINGS]
        for (i, row, spelling), said in zip(work, pool.map(lambda w: wrong(tessera, Path(folder) / f"{w[0]}-{w[2]}", w[1], w[2]), work)):
            ran += said is not None
            failed += bool(said)
            if said:
                shapes = ", ".join("x".join(map(str, a.shape)) if isinstance(a, Array) else a for a in row.arguments)
                print(f"{row.kernel}/{spelling}, {shapes}: {said}")
    print(f"{ran} runs of {len({row.kernel for _, row, _ in work})} kernels, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
