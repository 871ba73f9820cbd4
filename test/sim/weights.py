#!/usr/bin/env python3
"""Products whose B has 4 or 8 bits and scales of groups, against numpy: weights.py TESSERA [--device gpu] [--only TEXT].

A number of B times its scale is rounded to A's type, as whoever widens B beforehand does; numbers are such that the sums of f32 are exact, so that
every number of D has to be right. On the simulator the kernels run under the sanitizer, and once more with asynchronous work as late as allowed.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import subprocess
import sys
import tempfile

import numpy as np

# Options, M, N, K: one row, rows and columns that no tile divides, K of less than a tile, K that ends within a group, an odd K, slices without work.
CASES = [
    ("--a f16 --b i4 --group-scales 128 --tile-m 8 --tile-n 64 --stages 3", 1, 128, 256),
    ("--a bf16 --b i4 --group-scales 128 --tile-m 16 --tile-n 128 --stages 4", 13, 264, 392),
    ("--a f16 --b i4 --group-scales 32 --tile-m 24 --tile-n 128 --stages 2 --split-k 2", 50, 130, 304),
    ("--a bf16 --b i4 --group-scales 64 --tile-m 64 --tile-n 64 --stages 3 --split-k 4", 64, 72, 200),
    ("--a f16 --b i4 --group-scales 64 --tile-m 128 --tile-n 128 --stages 2", 140, 200, 136),
    ("--a bf16 --b i4 --group-scales 128 --tile-m 8 --tile-n 64 --stages 2 --split-k 8", 3, 64, 40),
    ("--a f16 --b i4 --group-scales 32 --tile-m 16 --tile-n 64 --stages 2", 9, 65, 333),
    ("--a f16 --b f8E4M3FN --group-scales 128 --tile-m 16 --tile-n 128 --stages 3", 16, 200, 264),
    ("--a bf16 --b f8E4M3FN --group-scales 32 --tile-m 32 --tile-n 64 --stages 2 --split-k 2", 33, 136, 176),
    ("--a f16 --b f8E5M2 --group-scales 64 --tile-m 8 --tile-n 128 --stages 4", 5, 128, 300),
    ("--a bf16 --b f8E5M2 --group-scales 128 --tile-m 128 --tile-n 128 --stages 2", 128, 128, 128),
    ("--a bf16 --b i4 --group-scales 128 --tile-m 16 --tile-n 64 --stages 2 --alpha --bias f32 --activation relu", 11, 96, 256),
]
# Where warps multiply: B of 4 bits on every target, of 8 from sm_89 on.
CASES += [
    ("--arch sm_80 --a f16 --b i4 --group-scales 128 --tile-m 32 --tile-n 64 --stages 3", 1, 128, 256),
    ("--arch sm_80 --a bf16 --b i4 --group-scales 32 --tile-m 64 --tile-n 128 --stages 4", 13, 264, 392),
    ("--arch sm_86 --a f16 --b i4 --group-scales 64 --tile-m 128 --tile-n 128 --stages 2 --alpha --bias f32 --activation relu", 140, 200, 136),
    ("--arch sm_75 --a f16 --b i4 --group-scales 32 --tile-m 32 --tile-n 128 --stages 2", 9, 65, 333),
    ("--arch sm_75 --a f16 --b i4 --group-scales 128 --tile-m 128 --tile-n 64 --stages 2", 130, 72, 200),
    ("--arch sm_89 --a f16 --b f8E4M3FN --group-scales 128 --tile-m 32 --tile-n 128 --stages 3", 16, 200, 264),
    ("--arch sm_89 --a bf16 --b f8E5M2 --group-scales 32 --tile-m 64 --tile-n 64 --stages 2", 33, 136, 177),
    ("--arch sm_120a --a bf16 --b f8E4M3FN --group-scales 64 --tile-m 128 --tile-n 128 --stages 3", 128, 128, 300),
    ("--arch sm_120a --a bf16 --b i4 --group-scales 128 --tile-m 64 --tile-n 64 --stages 3", 11, 96, 40),
    ("--arch sm_87 --a f16 --b i4 --group-scales 64", 70, 150, 72),
]
# Every code of B, each picked by a row of A that has a single 1.
CODES = [(f"--a {a} --b {b} --group-scales 64 --tile-m 64 --tile-n 64 --stages 2", 256, 16) for a in ("f16", "bf16") for b in ("i4", "f8E4M3FN", "f8E5M2")]
CODES += [(f"--arch sm_89 {options}", *sizes) for options, *sizes in CODES]


def rounded(values, dtype):
    """The nearest f16, or bf16 with ties to even, as f64."""
    if dtype == "f16":
        with np.errstate(over="ignore"):
            return values.astype(np.float16).astype(np.float64)
    bits = values.astype(np.float32).view(np.uint32).astype(np.uint64)  # exact: products have fewer bits
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32).astype(np.float64)


def stored(values, dtype):
    """As tessera reads it from a .npy, where bf16 is the upper half of f32."""
    return values.astype(np.float16) if dtype == "f16" else (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def decoded(codes, dtype):
    """The numbers of codes: of i4 in two's complement, of f8 by the OCP's specification."""
    if dtype == "i4":
        return np.where(codes < 8, codes, codes - 16.0)
    bits, bias = (3, 7) if dtype == "f8E4M3FN" else (2, 15)
    exponent, fraction = (codes & 127) >> bits, (codes & ((1 << bits) - 1)) / 2**bits
    size = np.where(exponent == 0, fraction * 2.0 ** (1 - bias), (1 + fraction) * 2.0 ** (exponent.astype(np.int64) - bias))
    special = codes & 127
    if dtype == "f8E4M3FN":
        size = np.where(special == 127, np.nan, size)
    else:
        size = np.where(special == 124, np.inf, np.where(special > 124, np.nan, size))
    return np.where(codes & 128, -size, size)


def packed(codes, dtype):
    """In bytes, of i4 the first of two in the lower half."""
    if dtype != "i4":
        return codes.astype(np.uint8)
    even = np.pad(codes, ((0, 0), (0, codes.shape[1] % 2)), constant_values=9)  # what nobody may see
    return (even[:, ::2] | even[:, 1::2] << 4).astype(np.uint8)


def pitch(columns, bytes):
    """Elements from a row to the next: multiples of 16 bytes."""
    return -(-columns * bytes // 16) * 16 // bytes


def multiply(tessera, work, device, modes, options, a, codes, scales):
    """D in f64, or a text that says what went wrong. The arguments are matrices of numbers, of codes and of numbers."""
    words = options.split()
    word = lambda name: words[words.index(name) + 1]
    type_a, type_b, (m, k), n = word("--a"), word("--b"), a.shape, len(codes)
    file, b = f"{work}/weights.mlir", packed(codes, type_b)
    made = subprocess.run([tessera, "generate", "gemm", *words, "--d", "f32", "-o", file], capture_output=True, text=True)
    if made.returncode:
        return made.stderr
    np.save(f"{work}/A.npy", stored(a, type_a)), np.save(f"{work}/B.npy", b), np.save(f"{work}/scales.npy", stored(scales, type_a))
    given = [f"{type_a}:{work}/A.npy:stride={pitch(k, 2)},1", f"{'u8' if type_b == 'i4' else type_b}:{work}/B.npy:stride={pitch(b.shape[1], 1)},1",
             f"out:f32:{m}x{n}:stride={pitch(n, 4)},1"]
    if "--bias" in words:
        np.save(f"{work}/bias.npy", np.arange(n, dtype=np.float32) - n // 2)
        given.append(f"{work}/bias.npy")
    given.append(f"{type_a}:{work}/scales.npy" + (f":stride=1,{n}" if m % 2 else ""))
    given += ["f32:2"] if "--alpha" in words else []
    command = [tessera, "run", file, "--device", device, "--timeout", "300", "--save", f"2={work}/D.npy", *modes]
    command += ["--arch", word("--arch")] if "--arch" in words else []
    for argument in given:
        command += ["--arg", argument]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return f"exit code {done.returncode}\n{done.stdout[-1500:]}{done.stderr[-1500:]}"
    return np.load(f"{work}/D.npy").astype(np.float64)


def difference(found, expected):
    if isinstance(found, str):
        return found
    wrong = ~((found == expected) | (np.isnan(found) & np.isnan(expected)))
    return f"{wrong.sum()} of {wrong.size} numbers are wrong, the first at {np.argwhere(wrong)[0]}" if wrong.any() else ""


def case(tessera, work, device, modes, options, m, n, k):
    words = options.split()
    word = lambda name: words[words.index(name) + 1]
    type_a, type_b, group = word("--a"), word("--b"), int(word("--group-scales"))
    rng = np.random.default_rng(m + n + k + group)
    a = rng.integers(-1, 2, (m, k)).astype(np.float64)
    all_codes = np.arange(16 if type_b == "i4" else 256)
    sizes = np.abs(decoded(all_codes, type_b))
    codes = rng.choice(all_codes if type_b == "i4" else all_codes[(sizes >= 0.5) & (sizes < 8)], (n, k))
    scales = rounded(rng.uniform(1, 2, (n, -(-k // group))), type_a)
    weights = rounded(decoded(codes, type_b) * np.repeat(scales, group, axis=1)[:, :k], type_a)
    expected = a @ weights.T
    if "--alpha" in words:
        expected = np.maximum(2 * expected + (np.arange(n) - n // 2), 0)
    return difference(multiply(tessera, work, device, modes, options, a, codes, scales), expected)


def every_code(tessera, work, device, options, k, n):
    words = options.split()
    type_a, type_b = words[words.index("--a") + 1], words[words.index("--b") + 1]
    codes = (np.arange(k)[None] + np.arange(n)[:, None] * 5) % (16 if type_b == "i4" else 256)
    numbers = decoded(codes, type_b)
    finite = np.isfinite(numbers)
    codes, numbers = np.where(finite, codes, 0), np.where(finite, numbers, 0)  # one that is not would spoil its row of sums
    scales = np.ones((n, k // 64))
    return difference(multiply(tessera, work, device, ["--sanitize"] if device == "sim" else [], options, np.eye(k), codes, scales), numbers.T)


# What of a call is not as it should be, by its argument: A is 4 x 64, B 16 x 32 bytes, D 4 x 16, the scales 16 x 2.
WRONG = [
    (1, "u8:16x16", "expects A of M x K, B of N x K and D (and C) of M x N"),
    (3, "f16:16x1", "expects a scale for each row of B and each 32 elements of K, rounded up"),  # GemmWeightsExtents
    (3, "f16:15x2", "expects a scale for each row of B and each 32 elements of K, rounded up"),
]


def refuses(tessera, work):
    file, wrong = f"{work}/wrong.mlir", []
    subprocess.run([tessera, "generate", "gemm", *"--a f16 --b i4 --group-scales 32 --tile-m 8 --tile-n 64 --d f32".split(), "-o", file], check=True)
    right = ["f16:4x64", "u8:16x32", "f32:4x16", "f16:16x2"]
    for at, what, sentence in [(None, "", ""), *WRONG]:
        words = [word for i, of in enumerate(right) for word in ("--arg", f"zeros:{what if i == at else of}")]
        done = subprocess.run([tessera, "run", file, "--device", "sim", *words], capture_output=True, text=True)
        if done.returncode < 0 or bool(done.returncode) != bool(sentence) or sentence not in done.stdout + done.stderr:
            wrong.append(f"argument {at} of {what}: exit code {done.returncode}, {done.stderr[-600:]}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tessera")
    parser.add_argument("--device", default="sim")
    parser.add_argument("--only", default="", help="only the cases with this text in their options")
    options = parser.parse_args()
    tessera, device = options.tessera, options.device
    failed = ran = 0
    with tempfile.TemporaryDirectory() as work:
        runs = [(f"{words}, {sizes} {' '.join(modes)}", lambda w=words, s=sizes, modes=modes: case(tessera, work, device, modes, w, *s))
                for words, *sizes in CASES for modes in ([["--sanitize"], ["--late", "--shuffle", "1"]] if device == "sim" else [[]])]
        runs += [(f"{words}, all codes", lambda w=words, s=sizes: every_code(tessera, work, device, w, *s)) for words, *sizes in CODES]
        for name, run in runs:
            if options.only in name:
                ran += 1
                if wrong := run():
                    failed += 1
                    print(f"{name}: {wrong}", flush=True)
        for wrong in refuses(tessera, work) if device == "sim" and not options.only else []:
            failed += 1
            print(wrong)
    print(f"weights: {ran} cases, {failed} wrong")
    return 1 if failed or not ran else 0


sys.exit(main())
