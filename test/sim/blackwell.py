#!/usr/bin/env python3
"""The kernels that `tessera generate` writes for Blackwell, on the simulator against numpy: blackwell.py TESSERA [WORD].

Each under the sanitizer and, with asynchronous work as late as allowed, without, groups and attention with warps in random orders too, of which a day
has a part (TESSERA_TURN, a number, chooses; TESSERA_LONG has all); and ptxas, if there is one, takes them without notes or spills.
With WORD only those whose options have it.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

from attentions import attend
from formats import rounded, stored
from kernels import run_products
import turn

# What `tessera generate gemm` is asked for, and M, N, K: edges that are not multiples of tiles, more tiles than blocks, one tile of K.
GEMMS = [
    ("--ab bf16 --d bf16", 128, 256, 64),
    ("--ab f16 --d f16 --tile-n 128 --sms 3", 300, 392, 136),
    ("--ab f16 --d f32 --tile-n 64 --stages 2 --sms 2", 320, 192, 320),
    ("--ab bf16 --d bf16 --tile-n 192 --sms 1", 136, 520, 72),
    ("--ab tf32 --d f32 --tile-n 64 --sms 2", 200, 136, 100),
    ("--ab f8E4M3FN --d bf16 --tile-n 128 --sms 2", 264, 136, 400),
    ("--a f8E5M2 --b f8E4M3FN --d f16 --tile-n 64", 136, 80, 144),
    ("--ab i8 --d i32 --tile-n 64", 136, 76, 160),
    ("--ab bf16 --d bf16 --major mk --tile-n 128", 136, 136, 192),
    ("--ab f16 --d bf16 --major mm --tile-n 64", 136, 200, 72),
    ("--ab f8E4M3FN --d f16 --major mm --tile-n 128", 144, 208, 272),
    ("--ab bf16 --d bf16 --alpha --c --bias f32 --activation relu --tile-n 128 --sms 2", 200, 264, 72),
    ("--ab f16 --d f32 --alpha --c --bias f32 --tile-n 64 --sms 2", 136, 132, 72),
    ("--ab f8E4M3FN --d f16 --scales --bias f16 --tile-n 128", 136, 136, 144),
    ("--ab bf16 --d bf16 --pair", 256, 256, 64),
    ("--ab f16 --d f16 --pair --tile-n 128 --sms 4", 600, 264, 136),
    ("--ab f16 --d f16 --pair --major km --tile-n 128", 264, 256, 136),
    ("--ab f8E4M3FN --d bf16 --pair --tile-n 64 --stages 3 --sms 2 --c", 300, 136, 400),
    ("--ab tf32 --d f32 --pair --tile-n 128", 264, 132, 100),
    ("--ab f16 --d f16 --dynamic --tile-n 64", 520, 200, 136),
    ("--ab bf16 --d bf16 --dynamic --pair --tile-n 128", 1000, 392, 136),
    ("--ab f8E4M3FN --d f32 --block-scales --tile-n 128 --sms 2", 300, 264, 400),
    ("--a f8E5M2 --b f8E4M3FN --d bf16 --block-scales --tile-n 128 --alpha --bias f32 --dynamic", 136, 200, 144),
    ("--ab f4E2M1FN --d f32 --block-scales --tile-n 128 --sms 2", 300, 264, 800),
    ("--ab f4E2M1FN --d bf16 --block-scales --tile-n 128 --stages 2 --c", 136, 200, 288),
    ("--ab f4E2M1FN --d f32 --block-scales --factor f8E4M3FN --tile-n 128 --sms 2", 300, 264, 800),
    ("--ab f4E2M1FN --d f16 --block-scales --factor f8E4M3FN --tile-n 128 --alpha --bias f32 --dynamic", 136, 200, 352),
    ("--ab f8E4M3FN --d f32 --block-scales --tile-n 128 --pair --sms 4", 600, 264, 400),
    ("--a f8E5M2 --b f8E4M3FN --d bf16 --block-scales --tile-n 128 --pair --major mk", 272, 136, 144),
    ("--ab f4E2M1FN --d f32 --block-scales --tile-n 128 --pair --sms 2", 300, 264, 800),
    ("--ab f4E2M1FN --d bf16 --block-scales --factor f8E4M3FN --tile-n 128 --pair --dynamic", 520, 200, 608),
]
# As GROUPED of kernels.py: many products in one launch; rows of A in memory, columns of D, K, and rows of each product that count.
TENSOR_GROUPED = [
    ("--groups batches --ab bf16 --d bf16 --tile-n 64", 200, 136, 72, [200] * 3),
    ("--groups batches --ab f16 --d f32 --tile-n 128 --c --sms 2", 136, 200, 136, [136] * 2),
    ("--groups batches --ab f16 --d f16 --tile-n 64 --pair --sms 4", 300, 72, 64, [300] * 4),
    ("--groups batches --ab f16 --d f16 --major mm --tile-n 64", 136, 72, 136, [136] * 2),
    ("--groups masked --ab f16 --d f16 --tile-n 64 --sms 3", 264, 136, 136, [0, 264, 1, 129, 0, 128]),
    ("--groups masked --ab bf16 --d f32 --tile-n 128 --pair", 300, 264, 72, [257, 3]),
    ("--groups contiguous --ab f16 --d f16 --tile-n 64 --sms 3", 520, 136, 136, [0, 130, 1, 129, 0, 256, 4]),
    ("--groups contiguous --ab bf16 --d bf16 --tile-n 128 --pair", 400, 264, 72, [17, 257, 126]),
    ("--groups contiguous --ab f16 --d f32 --tile-n 64 --alpha --bias f32", 200, 200, 72, [65, 135]),
    ("--groups contiguous --ab f8E4M3FN --d bf16 --tile-n 64", 100, 137, 144, [30, 70]),
    ("--groups contiguous --ab f16 --d f16 --tile-n 256 --sms 1", 70, 300, 200, [1] * 70),
    # Rows of D that end within 16 bytes.
    ("--groups batches --ab bf16 --d f32 --tile-n 64 --pair", 130, 71, 64, [130] * 2),
    ("--groups contiguous --ab f16 --d bf16 --tile-n 128", 128, 133, 64, [128]),
]
# As ATTENTIONS and SEQUENCES of kernels.py have them: edges that divide no tile, one query, more keys than queries and fewer, heads that share K and
# V. With a scale of 1 the largest score of a query grows so much that its sums are scaled down on the way.
ATTENTIONS = [
    ("", 1, 130, 200, 2, 1),
    ("--element bf16", 2, 300, 333, 4, 4),
    ("--causal", 2, 200, 333, 2, 2),
    ("--causal --element bf16", 1, 77, 50, 1, 1),
    ("--causal", 1, 1, 300, 2, 2),
    ("--causal", 1, 513, 700, 1, 1),
    ("--head-dim 64", 1, 193, 300, 1, 1),
    ("--head-dim 64 --causal --element bf16", 2, 260, 260, 3, 3),
    ("--head-dim 64 --causal --consumers 1 --tile-n 32 --stages 3", 1, 150, 150, 2, 1),
    ("--head-dim 64 --tile-n 96 --stages 1", 1, 300, 500, 1, 1),
    ("--consumers 1", 1, 1, 1, 1, 1),
    ("--scale:1.0 --tile-n 32 --head-dim 64", 1, 300, 700, 1, 1),
    ("--scale:1.0 --causal --element bf16", 1, 280, 900, 2, 2),
    ("--causal --window:0 --head-dim 64", 1, 70, 90, 1, 1),
    ("--causal --window:37 --head-dim 64 --tile-n 32", 1, 300, 411, 2, 1),
    ("--causal --window:200", 1, 333, 333, 2, 2),
    ("--window:50 --head-dim 64 --element bf16", 1, 500, 301, 1, 1),
    ("--softcap:3 --head-dim 64", 1, 100, 170, 1, 1),
    ("--alibi --head-dim 64", 1, 150, 210, 3, 1),
    ("--causal --window:90 --softcap:1.5 --alibi --tile-n 64", 2, 160, 330, 4, 2),
    ("--head-dim 96", 1, 130, 200, 2, 1),
    ("--head-dim 96 --causal --softcap:20 --element bf16", 1, 77, 190, 2, 2),
    ("--head-dim 192", 1, 140, 270, 1, 1),
    ("--head-dim 192 --causal", 1, 140, 140, 2, 2),
    ("--head-dim 256", 1, 140, 190, 1, 1),
    ("--head-dim 256 --causal --window:60 --element bf16", 1, 150, 170, 1, 1),
    ("--lse --causal --head-dim 64", 2, 150, 99, 2, 2),
    ("--lse --softcap:3 --alibi --element bf16", 1, 130, 200, 2, 1),
]
TENSOR_SEQUENCES = [
    ("--varlen --head-dim 64", [5, 193, 0, 64], [200, 17, 40, 1], 1, 1),
    ("--varlen --causal", [300, 1, 256, 77], [177, 411, 0, 50], 2, 2),
    ("--varlen --causal --window:33 --softcap:2 --alibi --head-dim 64 --tile-n 32", [111, 70, 350], [111, 300, 340], 2, 1),
    ("--varlen --head-dim 256 --element bf16", [3, 130], [90, 81], 1, 1),
    ("--varlen --lse --head-dim 64", [65, 2, 30], [0, 65, 40], 2, 1),
]
MODES = (["--sanitize"], ["--late"], ["--shuffle", "1"], ["--late", "--shuffle", "2"])  # of groups and attention


def modes_of(kernel):
    """All modes with TESSERA_LONG. Else the first and one of the others, in turn by kernel and day; in a build under the sanitizers, where each takes
    many times as long, one of all."""
    today = kernel + turn.number()
    if "TESSERA_LONG" in os.environ:
        return MODES
    if "TESSERA_SANITIZED" in os.environ:
        return MODES[today % len(MODES):][:1]
    return MODES[:1] + MODES[1 + today % (len(MODES) - 1):][:1]


def number(options, name, default):
    words = options.split()
    return words[words.index(name) + 1] if name in words else default


def factor_words(powers, factor):
    """Powers of two as factors, where CUTLASS has those of 128 rows and four blocks of K: row m from byte 16 (m mod 32) + 4 (m div 32) on."""
    rows, blocks = powers.shape
    one, power = {"f8E8M0FNU": (127, 1), "f8E4M3FN": (7 << 3, 1 << 3)}[factor]
    codes = np.full((-(-rows // 128) * 128, -(-blocks // 4) * 4), one, np.uint8)
    codes[:rows, :blocks] = one + power * powers
    tiles = codes.reshape(len(codes) // 128, 4, 32, codes.shape[1] // 4, 4).transpose(0, 3, 2, 1, 4)
    return np.ascontiguousarray(tiles).reshape(len(codes) // 128, -1).view(np.int32)


def fours(values):
    """Numbers of 4 bits, two in a byte, the first in its lower half."""
    codes = np.array([0, 2, 4], np.uint8)[abs(values)] | ((values < 0) << 3).astype(np.uint8)
    return codes[:, ::2] | codes[:, 1::2] << 4


def gemm(tessera, work, options, m, n, k):
    """What is wrong."""
    types = [number(options, f"--{x}", number(options, "--ab", "bf16")) for x in "ab"]
    d_type, majors = number(options, "--d", "bf16"), number(options, "--major", "kk")
    rng = np.random.default_rng(m + n + k)
    a, b = rng.integers(-2, 3, (m, k)), rng.integers(-2, 3, (n, k))
    sums = a @ b.T
    factor = number(options, "--factor", "f8E8M0FNU")
    vector = 32 if factor == "f8E8M0FNU" else 16
    powers = [rng.integers(-1, 2, (len(x), -(-k // vector))) for x in (a, b)]
    if "--block-scales" in options:
        fa, fb = (x * 2.0 ** np.repeat(p, vector, axis=1)[:, :k] for x, p in zip((a, b), powers))
        sums = fa @ fb.T
    arguments = []

    def give(name, values, dtype, order="C"):
        if dtype == "f4E2M1FN":
            np.save(f"{work}/{name}.npy", fours(values))
            return arguments.extend(["--arg", f"u8:{work}/{name}.npy"])
        exact = {"i8": np.int8, "tf32": np.float32, "f32": np.float32}.get(dtype)
        np.save(f"{work}/{name}.npy", np.asarray(stored(values, dtype) if exact is None else values.astype(exact), order=order))
        arguments.extend(["--arg", f"{dtype if exact is None else 'f32' if exact is np.float32 else dtype}:{work}/{name}.npy"])

    for name, x, dtype, major in (("A", a, types[0], majors[0]), ("B", b, types[1], majors[1])):
        give(name, x, dtype, "F" if major == "m" else "C")
    arguments += ["--arg", f"out:{d_type}:{m}x{n}"]
    scalars = []
    if "--scales" in options:
        sums = sums * 8
    if "--alpha" in options:
        sums = sums * 2
        scalars.append("2.0")
    if "--c" in options.split():
        c = rng.integers(-2, 3, (m, n))
        sums = sums + 3 * c
        give("C", c, d_type)
        scalars.append("3.0")
    if bias := number(options, "--bias", ""):
        values = rng.integers(-2, 3, n)
        sums = sums + values
        give("bias", values, bias)
    if "--scales" in options:
        give("scaleA", np.array([4]), "f32")
        give("scaleB", np.array([2]), "f32")
    if "--block-scales" in options:
        for name, p in zip("AB", powers):
            np.save(f"{work}/factors{name}.npy", factor_words(p, factor))
            arguments += ["--arg", f"i32:{work}/factors{name}.npy"]
    for scalar in scalars:
        arguments += ["--arg", scalar]
    if "relu" in options:
        sums = np.maximum(sums, 0)
    np.save(f"{work}/D.npy", sums.astype(np.int32) if d_type == "i32" else rounded(sums.astype(np.float32), d_type))
    file = f"{work}/gemm.mlir"
    subprocess.run([tessera, "generate", "gemm", "--arch", "sm_100a", *options.split(), "-o", file], check=True)
    checks = ["--check", f"2={work}/D.npy", "--rtol", "0", "--atol", "0", "--timeout", "300"]
    for mode in (["--sanitize"], ["--late"]):
        result = subprocess.run([tessera, "run", file, "--device", "sim", "--arch", "sm_100a", *arguments, *checks, *mode],
                                capture_output=True, text=True)
        if result.returncode:
            return f"{mode[0]}: exit code {result.returncode}\n{result.stdout[-2000:]}{result.stderr[-2000:]}"
    return assembled(tessera, work, file)


def refuses_factors(tessera, work):
    """GemmFactors: words of factors for fewer rows than A has are an error before the launch; what is wrong."""
    file = f"{work}/factors.mlir"
    # 128 rows of factors for 200 of A; of blocks of 16, factors of 64 elements for 128 of K.
    for options, a, b, elements in (("--ab f8E4M3FN", "f8E4M3FN:200x128", "f8E4M3FN:128x128", 128),
                                    ("--ab f4E2M1FN --factor f8E4M3FN", "u8:128x64", "u8:128x64", 64)):
        subprocess.run([tessera, "generate", "gemm", "--arch", "sm_100a", *options.split(), "--block-scales", "--tile-n", "128", "-o", file], check=True)
        arguments = [f"zeros:{a}", f"zeros:{b}", f"out:bf16:{a.split(':')[1].split('x')[0]}x128", "zeros:i32:1x128", "zeros:i32:1x128"]
        result = subprocess.run([tessera, "run", file, "--device", "sim", "--arch", "sm_100a", *(w for x in arguments for w in ("--arg", x))],
                                capture_output=True, text=True)
        said = f"expects 128 words of factors for 128 rows and {elements} elements of K, in a row for each 128 rows of A, and of B"
        if result.returncode <= 0 or said not in result.stdout + result.stderr:
            return f"too few factors are taken: {result.stderr}"
    return ""


def assembled(tessera, work, file, stack=0):
    """What ptxas has to say of the kernel besides its registers and so many bytes of stack."""
    if not shutil.which("ptxas"):
        return ""
    for target in ("sm_100a", "sm_103a", "sm_110a"):
        ptx = f"{work}/{target}.ptx"
        made = subprocess.run([tessera, "compile", file, "--arch", target, "--emit", "ptx", "-o", ptx], capture_output=True, text=True)
        if made.returncode:
            if "i8" in made.stderr and target == "sm_103a":
                continue
            return f"{target}: {made.stderr}"
        said = subprocess.run(["ptxas", "-v", f"-arch={target}", "-O3", ptx, "-o", "/dev/null"], capture_output=True, text=True)
        text = said.stdout + said.stderr
        frames = re.findall(r"(\d+) bytes stack frame", text)
        if said.returncode or not frames or re.search(r"\(C\d+\)", text) or max(map(int, frames)) > stack:
            return f"{target}: {text}"
    return ""


def main():
    word = sys.argv[2] if len(sys.argv) > 2 else ""
    failed = ran = 0

    def chosen(cases):
        """Half of them, others each day; with a word those that have it."""
        return [case for case in cases if word in case[0]] if word else turn.share(cases, 2)

    with tempfile.TemporaryDirectory() as work:
        for options, *size in chosen(GEMMS):
            ran += 1
            if wrong := gemm(sys.argv[1], work, options, *size):
                failed += 1
                print(f"{options}, {'x'.join(map(str, size))}: {wrong}", flush=True)
        for options, *sizes in chosen(TENSOR_GROUPED):
            ran += 1
            file = f"{work}/gemm.mlir"
            subprocess.run([sys.argv[1], "generate", "gemm", "--arch", "sm_100a", *options.split(), "-o", file], check=True)
            wrong = run_products(sys.argv[1], work, file, f"--arch sm_100a {options}", *sizes, modes=modes_of(ran))
            if wrong := wrong or assembled(sys.argv[1], work, file):
                failed += 1
                print(f"{options}, {sizes}: {wrong}", flush=True)
        for options, *sizes in chosen(ATTENTIONS + TENSOR_SEQUENCES):
            ran += 1
            wrong = attend(sys.argv[1], work, "attention", f"--arch sm_100a {options}", *sizes, modes=modes_of(ran))
            if wrong := wrong or assembled(sys.argv[1], work, f"{work}/attention.mlir", stack=16):  # values that lie there over a loop
                failed += 1
                print(f"attention {options}, {sizes}: {wrong}", flush=True)
        if word in "--block-scales" and (wrong := refuses_factors(sys.argv[1], work)):
            failed += 1
            print(wrong)
    print(f"{ran} kernels run, {failed} failed")
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
