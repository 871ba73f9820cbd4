#!/usr/bin/env python3
"""GEMMs of warps (mma.sync) on the simulator, against numpy: warp_gemms.py TESSERA [WORD].

Numbers are small integers, of which every sum is exact, so that all forms have to be equal to the last bit, except where gelu and silu are
approximated. Rows begin at multiples of 16 bytes, and extents divide neither tiles nor pieces of 16 bytes. Each kernel runs under the
sanitizer, and with copies as late as allowed while warps run in a random order; ptxas must take it without spills. A third of the cases is run,
another each day (utils/turn.py); with WORD those that have it.

At the end one product is made by mma.sync, wgmma and tcgen05: the bytes of D are the same.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path += [str(Path(__file__).parents[2] / folder) for folder in ("bench", "utils")]
import turn
from formats import NARROW, stored_exactly
from gemm_forms import ACTIVATIONS, BITS
from kernels import blocks_of, run_products

TINY, ODD, WIDE = (1, 1, 8), (17, 33, 40), (300, 200, 77)
# Target, options and sizes M, N, K.
CASES = [(target, "--ab f16 --d f16", *sizes) for target in ("sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_120a", "sm_121a") for sizes in ((200, 264, 136), ODD)]
CASES += [("sm_80", f"--ab f16 --d {d}", *sizes) for d in ("f16", "bf16", "f32") for sizes in (TINY, ODD, WIDE, (129, 65, 1), (64, 64, 0))]
CASES += [(target, f"--ab {ab} --d {d}", *sizes)
          for target, ab, d in (("sm_80", "bf16", "bf16"), ("sm_86", "bf16", "f32"), ("sm_80", "tf32", "f32"), ("sm_87", "tf32", "bf16"), ("sm_80", "i8", "i32"),
                                ("sm_86", "u8", "i32"), ("sm_89", "f8E4M3FN", "f16"), ("sm_89", "f8E5M2", "f32"), ("sm_120a", "f8E4M3FN", "bf16"), ("sm_75", "i8", "i32"),
                                ("sm_75", "u8", "i32"), ("sm_75", "f16", "f32")) for sizes in (TINY, ODD, WIDE)]
CASES += [("sm_89", "--a f8E4M3FN --b f8E5M2 --d f32", *ODD), ("sm_80", "--a i8 --b u8 --d i32", *ODD), ("sm_75", "--a u8 --b i8 --d i32", *ODD)]
TILES = ["32x64", "32x128", "64x64", "64x128", "128x64", "128x128", "64x256", "256x64", "128x256", "256x128"]
CASES += [("sm_80", f"--ab f16 --d f16 --major {major} --tile-m {tile.split('x')[0]} --tile-n {tile.split('x')[1]} --stages {stages}", 300, 332, 201)
          for tile, major, stages in zip(TILES, ("kk", "mm", "km", "mk", "mm", "mm", "mm", "mm", "mm", "kk"), (2, 3, 4, 2, 3, 4, 2, 3, 3, 3))]
CASES += [("sm_75", f"--ab f16 --d f32 --major {major} --tile-m {tile.split('x')[0]} --tile-n {tile.split('x')[1]}", 300, 332, 201)
          for tile, major in zip(TILES[:6], ("mm", "km", "mk", "mm", "kk", "mm"))]
CASES += [("sm_80", f"--ab bf16 --d bf16 --major {major}", *sizes) for major in ("mk", "km", "mm") for sizes in (TINY, ODD)]
EPILOGUES = ["--alpha", "--c", "--alpha --c", "--bias f32", "--bias {d}", "--activation relu", "--activation gelu", "--activation silu", "--scales", "--scales --alpha --c --bias f32",
             "--alpha --c --bias f32 --activation relu"]
CASES += [(target, f"--ab f16 --d {d} {epilogue.format(d=d)}", *sizes)
          for epilogue in EPILOGUES for target, d, sizes in (("sm_80", "f16", ODD), ("sm_75", "f32", ODD), ("sm_86", "bf16", (130, 136, 64)))]
CASES += [("sm_80", "--ab f16 --d f16 --group 1 --tile-m 32 --tile-n 64", 100, 200, 64), ("sm_80", "--ab f16 --d f16 --group 3 --tile-m 32 --tile-n 64", 200, 200, 64)]
BATCHES = [("sm_80", "--ab f16 --d f32 --groups batches", *ODD, 3), ("sm_75", "--ab f16 --d f16 --groups batches --c --bias f32", *ODD, 2),
           ("sm_86", "--ab bf16 --d bf16 --groups batches --major mm", *WIDE, 2)]
# Factors of blocks: of rows, columns and a K that divide none, and with all else that there is.
CASES += [("sm_89", "--ab f8E4M3FN --block-scales --d f32", *sizes) for sizes in (TINY, ODD, (300, 200, 333))]
CASES += [("sm_89", "--ab f8E4M3FN --block-scales --d bf16 --tile-m 128 --tile-n 128", 130, 264, 384), ("sm_89", "--ab f8E5M2 --block-scales --d f16 --tile-m 32 --tile-n 64 --stages 4", *WIDE),
          ("sm_120a", "--a f8E4M3FN --b f8E5M2 --block-scales --d bf16 --alpha --c --bias f32 --activation relu", 129, 264, 272),
          ("sm_100a", "--ab f8E4M3FN --block-scales --factor f32 --d f32", *ODD),
          ("sm_121a", "--ab f8E4M3FN --block-scales --d f32 --tile-m 64 --tile-n 128 --stages 2", 200, 136, 144)]
# K in slices: of fewer tiles of K than slices, of a K of which they take unequal parts, and of none.
SPLIT = [("sm_80", "--ab f16 --d f16 --split-k 2", *ODD), ("sm_80", "--ab f16 --d f32 --split-k 3 --tile-m 64 --tile-n 64 --c --bias f32 --activation relu", 130, 136, 333),
         ("sm_86", "--ab bf16 --d bf16 --split-k 4 --tile-m 32 --tile-n 128 --major mm", 70, 200, 260), ("sm_75", "--ab f16 --d f16 --split-k 5 --tile-m 32 --tile-n 64", 40, 130, 297),
         ("sm_75", "--ab i8 --d i32 --split-k 2", 33, 70, 272), ("sm_80", "--ab i8 --d i32 --split-k 16 --tile-m 64 --tile-n 64", 65, 70, 1040),
         ("sm_89", "--ab f8E4M3FN --d bf16 --split-k 3 --scales", *WIDE), ("sm_89", "--ab f8E4M3FN --block-scales --d f32 --split-k 3", 65, 136, 530), ("sm_120a", "--ab f16 --d f16 --split-k 8 --tile-m 32 --tile-n 64", 17, 72, 520),
         ("sm_80", "--ab tf32 --d f32 --split-k 2 --tile-m 128 --tile-n 256 --stages 3", 130, 300, 77), ("sm_80", "--ab f16 --d f32 --split-k 4", 65, 70, 0)]
# Many products: rows, N, K, and batches of which so many rows count, or groups of so many rows.
GROUPS = [("sm_80", "--groups masked --ab f16 --d f16 --tile-m 64 --tile-n 64", 264, 136, 136, [0, 264, 1, 129, 0, 128]), ("sm_75", "--groups masked --ab f16 --d f32 --c --bias f32", *ODD, [17, 3]),
          ("sm_86", "--groups masked --ab bf16 --d bf16 --major mm", 304, 200, 77, [257, 3]), ("sm_121a", "--groups masked --ab bf16 --d f32", 70, 71, 64, [70, 3]),
          ("sm_80", "--groups contiguous --ab f16 --d f16 --tile-m 64 --tile-n 64", 520, 136, 136, [0, 130, 1, 129, 0, 256, 4]),
          ("sm_80", "--groups contiguous --ab bf16 --d bf16 --major km", 400, 264, 72, [17, 257, 126]), ("sm_75", "--groups contiguous --ab f16 --d f32 --alpha --bias f32", 200, 200, 72, [65, 135]),
          ("sm_89", "--groups contiguous --ab f8E4M3FN --d bf16", 100, 137, 144, [30, 70]), ("sm_89", "--groups contiguous --ab f8E4M3FN --d bf16 --block-scales", 200, 137, 272, [30, 1, 169]),
          ("sm_120a", "--groups masked --ab f8E4M3FN --d bf16 --block-scales", 130, 137, 272, [30, 130, 0]), ("sm_87", "--groups contiguous --ab f16 --d f16", 20, 67, 64, [0, 0]),
          ("sm_120a", "--groups contiguous --ab f16 --d f16 --tile-m 32 --tile-n 64 --group 1", 72, 100, 200, [1] * 66 + [4])]
# The same product by each way to multiply: types, M, N, K, epilogue.
SAME = [("--ab f16 --d f16", 200, 136, 200), ("--ab bf16 --d f32 --alpha --c --bias f32 --activation relu", *ODD), ("--ab i8 --d i32", 129, 264, 144),
        ("--ab tf32 --d f32", 130, 68, 100), ("--ab f8E4M3FN --d bf16", 65, 136, 272)]


def pitched(array, bits, rows_along=None):
    """Strides in elements of a matrix, or many, whose rows begin at multiples of 16 bytes."""
    unit = 128 // bits
    pitch = -(-max(array.shape[-1], 1) // unit) * unit
    return [array.shape[-2] * pitch, pitch, 1][-array.ndim:]


def scaled(a, b, rng):
    """The sums of a product where 128 elements of a row of A share a factor, and 128 x 128 of B, and these factors: powers of two, of which every
    sum is exact."""
    m, n, k = a.shape[-2], b.shape[-2], a.shape[-1]
    of_k, of_n = -(-k // 128), -(-n // 128)
    of_a, of_b = (2.0 ** rng.integers(-2, 3, (rows, of_k)) for rows in (m, of_n))
    b = b * blocks_of(blocks_of(of_b, -1), -2)[:n, :k]
    return (a * blocks_of(of_a, -1)[:, :k]) @ b.T, (of_a, of_b)


class Product:
    """Operands and result of a product; `word` reads an option."""

    def __init__(self, work, options, m, n, k, count=0):
        word = lambda name, otherwise: (re.findall(rf"--{name} (\S+)", options) or [otherwise])[0]
        ab, flags = word("ab", "bf16"), options.split()
        types = {"A": word("a", ab), "B": word("b", ab), "D": word("d", "bf16")}
        rng = np.random.default_rng(m + n + k)
        many = (count,) if count else ()
        low = 0 if "u8" in types.values() else -2
        a, b = rng.integers(low, 3, (*many, m, k)), rng.integers(low, 3, (*many, n, k))
        sums = (a @ np.swapaxes(b, -1, -2)).astype(np.float64)
        self.work, self.arguments = work, []
        majors = word("major", "kk")
        for name, x, major in (("A", a, majors[0]), ("B", b, majors[1])):
            self.give(name, x, types[name], major == "m")
        if factors := "--block-scales" in flags:
            sums, factors = scaled(a, b, rng)
        d = types["D"]
        strides = pitched(sums, BITS[d])
        self.arguments.append(f"out:{d}:{'x'.join(map(str, sums.shape))}:stride={','.join(map(str, strides))}")
        scalars = []
        alpha, beta = (2.0 if "--alpha" in flags else 1.0), 3.0
        sums *= alpha
        if "--scales" in flags:
            sums *= 4 * 0.5
        if "--alpha" in flags:
            scalars.append(f"f32:{alpha}")
        if "--c" in flags:
            c = rng.integers(-2, 3, sums.shape)
            self.give("C", c, d)
            sums += beta * c
            scalars.append(f"f32:{beta}")
        if (kind := word("bias", "none")) != "none":
            bias = rng.integers(-2, 3, n)
            self.give("bias", bias, kind, plain=True)
            sums += bias
        if "--scales" in flags:
            self.give("scaleA", np.array([4]), "f32", plain=True)
            np.save(f"{work}/scaleB.npy", np.array([0.5], np.float32))
            self.arguments.append(f"{work}/scaleB.npy")
        for name, x in zip(("factorsA", "factorsB"), factors or ()):
            self.give(name, x, "f32", plain=True)
        self.arguments += scalars
        self.checks = [f"2={work}/D.npy"]
        if "--split-k" in flags:  # a workspace, more than is needed here, and counters, which are 0 again after the call
            np.save(f"{work}/counters.npy", np.zeros(100, np.int32))
            self.arguments += [f"out:{'i32' if d == 'i32' else 'f32'}:1000000", "zeros:i32:100"]
            self.checks.append(f"{len(self.arguments) - 1}={work}/counters.npy")
        activation = word("activation", "none")
        self.exact = activation not in ("gelu", "silu")
        result = ACTIVATIONS[activation](sums)
        if d == "i32":
            np.save(f"{work}/D.npy", result.astype(np.int32))
        else:
            values = stored_exactly(result.astype(np.float32), d)
            np.save(f"{work}/D.npy", (values.astype(np.uint32) << 16).view(np.float32) if d == "bf16" else values)
        # One rounding of D, and 2 units of f32 in the approximation.
        self.rtol = 0 if self.exact else {"f16": 2.0**-10, "bf16": 2.0**-7, "f32": 1e-6}[d]

    def give(self, name, x, kind, transposed=False, plain=False):
        """Rows that begin at multiples of 16 bytes, or columns; `plain` is compact."""
        if kind in NARROW:
            x = np.array(NARROW[kind], np.uint8)[x + 2]
        elif kind == "bf16":
            x = (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        else:
            x = x.astype({"f16": np.float16, "i8": np.int8, "u8": np.uint8}.get(kind, np.float32))
        np.save(f"{self.work}/{name}.npy", x)
        spec = f"{kind}:{self.work}/{name}.npy" if kind in ("bf16", *NARROW) else f"{self.work}/{name}.npy"
        if not plain:
            strides = pitched(np.swapaxes(x, -1, -2) if transposed else x, BITS[kind])
            strides[-2:] = strides[-2:][::-1] if transposed else strides[-2:]
            spec += f":stride={','.join(map(str, strides))}"
        self.arguments.append(spec)

    def run(self, tessera, file, arch, mode, save=None):
        command = [tessera, "run", file, "--device", "sim", "--arch", arch, "--timeout", "300",
                   "--rtol", str(self.rtol), "--atol", "0" if self.exact else "1e-5", *mode]
        command += [x for spec in self.arguments for x in ("--arg", spec)] + [x for check in self.checks for x in ("--check", check)]
        done = subprocess.run(command + (["--save", f"2={save}"] if save else []), capture_output=True, text=True)
        return f"{' '.join(mode)}: exit code {done.returncode}\n{done.stdout[-1500:]}{done.stderr[-1500:]}" if done.returncode else ""


def generate(tessera, file, arch, options):
    subprocess.run([tessera, "generate", "gemm", "--arch", arch, *options.split(), "-o", file], check=True)


def assembled(tessera, work, file, arch):
    """What ptxas has to say besides its registers: notes, stack, spills."""
    if not shutil.which("ptxas"):
        return ""
    subprocess.run([tessera, "compile", file, "--arch", arch, "--emit", "ptx", "-o", f"{work}/gemm.ptx"], check=True)
    done = subprocess.run(["ptxas", "-v", f"-arch={arch}", "-O3", f"{work}/gemm.ptx", "-o", "/dev/null"], capture_output=True, text=True)
    said = done.stdout + done.stderr
    used = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", said)
    wrong = done.returncode or not used or any(int(x) for row in used for x in row) or re.search(r"\(C\d+\)", said)
    return f"ptxas: {said}" if wrong else ""


def same(tessera, work, options, m, n, k):
    """Whether all three ways make the same bytes; each is also compared with numpy."""
    product, results = Product(work, options, m, n, k), []
    for arch, tile in (("sm_80", ""), ("sm_90a", "--tile-n 128"), ("sm_100a", "--tile-n 128")):
        if "f8" in options and arch == "sm_80":
            arch = "sm_89"
        generate(tessera, f"{work}/gemm.mlir", arch, f"{options} {tile}")
        if wrong := product.run(tessera, f"{work}/gemm.mlir", arch, [], f"{work}/{arch}.npy"):
            return f"{arch}: {wrong}"
        results.append(np.load(f"{work}/{arch}.npy").tobytes())
    return "" if results[0] == results[1] == results[2] else "the bytes of D differ"


def main():
    tessera, word = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    failed = ran = 0
    every = [(*case, 0) for case in CASES + SPLIT] + BATCHES + GROUPS
    chosen = [c for c in every if word in " ".join(map(str, c))] if word else turn.share(every, 3)
    with tempfile.TemporaryDirectory() as work:
        file = f"{work}/gemm.mlir"
        for arch, options, *sizes in chosen:
            ran += 1
            generate(tessera, file, arch, options)
            modes = ["--sanitize"], ["--late", "--shuffle", str(ran)]
            if isinstance(sizes[-1], list):
                wrong = run_products(tessera, work, file, f"{options} --arch {arch}", *sizes, modes=modes, keeps=True)
            else:
                product = Product(work, options, *sizes)
                wrong = next(filter(None, (product.run(tessera, file, arch, mode) for mode in modes)), "")
            if wrong := wrong or assembled(tessera, work, file, arch):
                failed += 1
                print(f"{arch} {options}, {sizes}: {wrong}", flush=True)
        for options, *sizes in SAME if not word or word == "same" else []:
            ran += 1
            if wrong := same(tessera, work, options, *sizes):
                failed += 1
                print(f"same {options}, {sizes}: {wrong}", flush=True)
    print(f"{ran} products, {failed} failed")
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
