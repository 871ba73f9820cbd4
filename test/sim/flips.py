#!/usr/bin/env python3
"""What each bit of the operands of tcgen05.mma does: flips.py TESSERA [--all].

Of seven kernels that are right every bit of both descriptors of shared memory, of the instruction descriptor, of D's address and of those of
factors is flipped, one at a time, in all products alike. Each flip has to change the result or be refused, or is one of IGNORED, which says why. Without --all every
seventh bit. TESSERA_LONG in the environment means --all.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from blackwell import factor_words, fours
from formats import stored

# Options of `tessera generate gemm`, and M, N, K: one tile of D, more than one tile of K.
KERNELS = [
    ("--ab f16 --d f32 --tile-n 64", 128, 64, 128),
    ("--ab bf16 --d f32 --tile-n 128 --major mm", 128, 128, 128),
    ("--ab tf32 --d f32 --tile-n 64", 128, 64, 64),
    ("--ab f8E4M3FN --d f32 --tile-n 64", 128, 64, 256),
    ("--ab f16 --d f32 --tile-n 128 --pair", 256, 128, 128),
    ("--ab f8E4M3FN --d f32 --block-scales --tile-n 128", 128, 128, 256),
    ("--ab f4E2M1FN --d f32 --block-scales --factor f8E4M3FN --tile-n 128 --pair", 256, 128, 512),
]
PRODUCT = re.compile(r"(tcgen05\.mma\.\S+) \[(%\w+)\], (%\w+), (%\w+), (%\w+),(?: \[(%\w+)\], \[(%\w+)\],)? (%\w+);")
OPERANDS = {"D": 32, "A": 64, "B": 64, "word": 32, "scaleA": 32, "scaleB": 32}  # and their bits
# Kernel, operands, bits (first and last), and why nothing comes of a flip. PTX ISA 9.7.16.4.1 and 9.7.16.4.2.
IGNORED = [
    ("^(?!.*mm)", "A B", (16, 29), "the leading offset counts where K of a product is more than the swizzle permutes"),
    ("^(?!.*pair)", "word", (17, 20), "a larger N: sums of columns that nobody reads"),
    ("block-scales", "scaleA scaleB", (30, 31), "the byte, which CUTLASS leaves there and PTX does not read"),
]


def flipped(ptx, operand, bit):
    """All products with one bit of an operand flipped."""
    def change(match):
        name, *operands, counts = match.groups()
        at, bits = list(OPERANDS).index(operand), OPERANDS[operand]
        before = f".reg .b{bits} %flipped; xor.b{bits} %flipped, {operands[at]}, {1 << bit};"
        operands[at] = "%flipped"
        d, a, b, word, *scales = operands
        scales = "".join(f" [{x}]," for x in scales if x)
        return f"{before} {name} [{d}], {a}, {b}, {word},{scales} {counts};"
    text, count = PRODUCT.subn(change, ptx)
    assert count
    return text


def why_ignored(options, operand, bit):
    return next((why for kernel, which, (first, last), why in IGNORED
                 if re.search(kernel, options) and operand in which.split() and first <= bit <= last), None)


def examine(tessera, work, kernel, step, pool):
    """Returns how many flips there were, and prints those of which nothing comes without a reason."""
    options, m, n, k = kernel
    ab, majors = options.split()[1], (options.split("--major ")[1:] or ["kk"])[0][:2]
    rng = np.random.default_rng(m + n + k)
    a, b = rng.integers(-2, 3, (m, k)), rng.integers(-2, 3, (n, k))
    command = [tessera, "run", f"{work}/k.mlir", "--device", "sim", "--arch", "sm_100a", "--timeout", "60", "--max-instructions", "1000000"]
    memory = {"tf32": "f32", "f4E2M1FN": "u8"}.get(ab, ab)
    for name, x, major in (("A", a, majors[0]), ("B", b, majors[1])):
        codes = x.astype(np.float32) if ab == "tf32" else fours(x) if ab == "f4E2M1FN" else stored(x, ab)
        np.save(f"{work}/{name}.npy", np.asarray(codes, order="F" if major == "m" else "C"))
        command += ["--arg", f"{memory}:{work}/{name}.npy"]
    command += ["--arg", f"out:f32:{m}x{n}"]
    if "--block-scales" in options:
        factor, vector = ("f8E4M3FN", 16) if "--factor" in options else ("f8E8M0FNU", 32)
        powers = [rng.integers(-1, 2, (len(x), k // vector)) for x in (a, b)]
        for name, p in zip("AB", powers):
            np.save(f"{work}/factors{name}.npy", factor_words(p, factor))
            command += ["--arg", f"i32:{work}/factors{name}.npy"]
        a, b = (x * np.repeat(2.0**p, vector, 1) for x, p in zip((a, b), powers))
    np.save(f"{work}/D.npy", (a @ b.T).astype(np.float32))
    command += ["--check", f"2={work}/D.npy", "--rtol", "0", "--atol", "0", "--ptx"]
    subprocess.run([tessera, "generate", "gemm", "--arch", "sm_100a", *options.split(), "-o", f"{work}/k.mlir"], check=True)
    subprocess.run([tessera, "compile", f"{work}/k.mlir", "--arch", "sm_100a", "--emit", "ptx", "--no-cache", "-o", f"{work}/k.ptx"], check=True)
    ptx = Path(f"{work}/k.ptx").read_text()

    def run(which):
        operand, bit = which
        file = Path(f"{work}/{operand}{bit}.ptx")
        file.write_text(ptx if operand is None else flipped(ptx, operand, bit))
        return subprocess.run([*command, str(file)], capture_output=True, text=True).returncode

    if code := run((None, 0)):
        print(f"{options}: the original ends with {code}")
        return 0, 1
    operands = [x for x in OPERANDS if "scale" not in x or "--block-scales" in options]
    flips = [(operand, bit) for operand in operands for bit in range(OPERANDS[operand])][::step]
    faults = 0
    for (operand, bit), code in zip(flips, pool.map(run, flips)):
        why = why_ignored(options, operand, bit)
        if code not in (1, 5) and not (code == 0 and why):
            faults += 1
            print(f"{options}: bit {bit} of {operand}: exit code {code}", flush=True)
    return len(flips), faults


def main():
    step = 1 if "--all" in sys.argv or os.environ.get("TESSERA_LONG") else 7
    total = faults = 0
    with ThreadPoolExecutor(2) as pool:
        for kernel in KERNELS:
            with tempfile.TemporaryDirectory() as work:
                count, wrong = examine(sys.argv[1], work, kernel, step, pool)
                total, faults = total + count, faults + wrong
    print(f"{total} flips, {faults} without an effect or a reason")
    return 1 if faults or not total else 0


if __name__ == "__main__":
    sys.exit(main())
