#!/usr/bin/env python3
"""The kernels of rows against numpy in f64: rows.py TESSERA [--only PATTERN] [--device sim|gpu].

On the simulator under its sanitizer. PATTERN leaves only the cases whose text has it.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[2] / "bench"))
from row_references import Case

# Kernel and its options; rows, columns; how much longer than a row the way to the next one is. Row lengths that a vector does not divide,
# strides that are none, rows that share a warp, have a warp, a block, a cluster; rows shorter than what the kernel was made for,
# and longer where it takes them piece by piece.
CASES = [
    ("rmsnorm --columns 64", 37, 64, 0),
    ("rmsnorm --columns 1024 --element f16", 5, 1024, 8),
    ("rmsnorm --columns 4096", 3, 4096, 0),
    ("rmsnorm --columns 4096", 3, 2777, 3),
    ("rmsnorm --columns 3000 --element f32 --result bf16", 2, 3000, 0),
    ("rmsnorm --columns 33000", 2, 33000, 0),
    ("rmsnorm --columns 1", 9, 1, 0),
    ("layernorm --columns 96 --element f32", 21, 96, 0),
    ("layernorm --columns 1000", 4, 999, 1),
    ("layernorm --columns 5120 --element f16 --vectors 2", 3, 5120, 0),
    ("layernorm --columns 17000 --element f32", 2, 16998, 0),
    ("rmsnorm-backward --columns 64", 21, 64, 0),
    ("rmsnorm-backward --columns 4096 --element f16", 3, 4096, 8),
    ("rmsnorm-backward --columns 1000 --element f32", 3, 999, 1),
    ("rmsnorm-backward --columns 20000", 2, 20000, 0),
    ("layernorm-backward --columns 96 --element f32", 21, 96, 0),
    ("layernorm-backward --columns 5120", 3, 5111, 0),
    ("layernorm-backward --columns 1024 --element f16 --result f32", 4, 1024, 0),
    ("layernorm-backward --columns 17000 --element f32 --vectors 4", 2, 16998, 0),
    ("rmsnorm-weights-backward", 300, 100, 0),
    ("rmsnorm-weights-backward --element f32", 1, 33, 3),
    ("rmsnorm-weights-backward --element f16 --result f32", 129, 64, 1),
    ("layernorm-weights-backward", 127, 200, 0),
    ("layernorm-weights-backward --element f32", 333, 31, 5),
    # Blocks have 32, 64 and 128 bytes of a row.
    ("rmsnorm-weights-backward --columns 40", 600, 136, 0),
    ("layernorm-weights-backward --element f32 --columns 2000", 140, 88, 4),
    ("layernorm-weights-backward --columns 9000", 130, 264, 0),
    # Blocks of a cluster share the rows: of few columns four, of more two, of columns for which it was not made.
    ("rmsnorm-weights-backward --overlap --columns 64", 300, 64, 0),
    ("rmsnorm-weights-backward --overlap", 70, 1001, 1),
    ("layernorm-weights-backward --overlap --columns 300 --element f16", 520, 300, 4),
    ("layernorm-weights-backward --overlap --columns 5000 --element f32", 40, 200, 0),
    ("softmax --columns 128", 11, 128, 0),
    ("softmax --columns 128 --element f32", 11, 77, 0),
    ("softmax --columns 8192 --element f16", 2, 8192, 0),
    ("softmax --columns 131072", 1, 128256, 0),
    ("softmax --columns 20000", 2, 19999, 1),
    ("softmax --columns 9000 --element f32 --result f16", 2, 70000, 0),
    ("softmax --columns 2048 --result f32", 3, 2047, 2),
    ("softmax-backward --columns 1024", 4, 1024, 0),
    ("softmax-backward --columns 1024 --element f32", 3, 1021, 0),
    ("cross-entropy --columns 32000", 6, 32000, 0),
    ("cross-entropy --columns 512 --element f32", 7, 500, 1),
    ("cross-entropy --columns 20", 33, 20, 0),
    ("cross-entropy --columns 4096", 2, 70001, 3),
    ("cross-entropy-backward --columns 32000", 6, 32000, 0),
    ("cross-entropy-backward --columns 100 --element f16", 7, 99, 0),
    ("rope --columns 128", 5, 128, 0),
    ("rope --columns 64 --element f16", 9, 64, 8),
    ("rope --columns 96 --element f32", 3, 90, 1),
    ("rope-backward --columns 128", 5, 128, 0),
    ("act-mul --columns 14336", 2, 14336, 0),
    ("act-mul --columns 500 --activation gelu --element f16", 5, 499, 0),
    ("act-mul --columns 512 --activation relu --element f32", 3, 512, 4),
    ("quantize --columns 4096", 5, 4096, 0),
    ("quantize --columns 4096 --result i8", 5, 4095, 0),
    ("quantize --columns 512 --result f8E5M2 --element f32", 5, 512, 0),
    ("quantize --columns 512 --result f8E5M2", 3, 510, 0),
    ("quantize --columns 1024 --segment 128", 5, 1024, 0),
    ("quantize --columns 1024 --segment 64 --result i8 --element f16", 4, 1000, 0),
    ("quantize --columns 1024 --segment 32", 3, 333, 0),
    ("transpose", 256, 256, 0),
    ("transpose", 200, 131, 5),
    ("transpose --element f32", 68, 100, 0),
    ("transpose --element f16", 1, 300, 0),
]


def option(text, name, otherwise):
    parts = text.split()
    return parts[parts.index(name) + 1] if name in parts else otherwise


def run(tessera, case, device="sim"):
    """What is wrong with a case like those above."""
    text, rows, columns, more = case
    kernel, element = text.split()[0], option(text, "--element", "bf16")
    result = option(text, "--result", "f8E4M3FN" if kernel == "quantize" else element)
    call = Case(kernel, rows, columns, element, result, np.random.default_rng(rows + columns), option(text, "--activation", "silu"),
                int(option(text, "--segment", 0)))
    with tempfile.TemporaryDirectory(prefix="tessera-test.") as work:
        file = f"{work}/kernel.mlir"
        made = subprocess.run([tessera, "generate", *text.split(), "-o", file], capture_output=True, text=True)
        if made.returncode:
            return f"generate: {made.stderr}"
        command = [tessera, "run", file, "--device", device, "--timeout", "300"]
        command += ["--arch", "sm_90a", "--sanitize"] if device == "sim" else []
        for place, argument in enumerate(call.arguments):
            if isinstance(argument, float):
                command += ["--arg", f"f32:{argument!r}"]
                continue
            way, what, kind = argument
            shape = what.shape if way == "in" else what
            strides = [1]
            for extent in shape[:0:-1]:
                strides.insert(0, strides[0] * extent + more)
            layout = ":stride=" + ",".join(map(str, strides)) if more and len(shape) > 1 else ""
            if way == "in":
                np.save(f"{work}/{place}.npy", what)
                command += ["--arg", f"{kind}:{work}/{place}.npy{layout}"]
            else:
                command += ["--arg", f"out:{kind}:{'x'.join(map(str, shape))}{layout}", "--save", f"{place}={work}/{place}.npy"]
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode:
            return f"exit code {ran.returncode}\n{ran.stdout[-1500:]}{ran.stderr[-1500:]}"
        for place in call.expected:
            wrong = call.wrong(place, np.load(f"{work}/{place}.npy"))
            if wrong.any():
                return f"{wrong.sum()} of {wrong.size} elements of argument {place} are wrong, the first at {np.argwhere(wrong)[0]}"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tessera")
    parser.add_argument("--only", default="")
    parser.add_argument("--device", default="sim", choices=("sim", "gpu"))
    options = parser.parse_args()
    chosen = [c for c in CASES if re.search(options.only, c[0])]
    with ThreadPoolExecutor(2 if options.device == "sim" else 6) as pool:
        failures = 0
        for case, wrong in zip(chosen, pool.map(lambda case: run(options.tessera, case, options.device), chosen)):
            failures += bool(wrong)
            print(f"{'WRONG' if wrong else 'right'}  {case[0]}, {case[1]} x {case[2]}" + (f", {case[3]} between rows" if case[3] else "") +
                  (f": {wrong}" if wrong else ""), flush=True)
    print(f"{len(chosen)} cases, {failures} wrong")
    return failures > 0 or not chosen


if __name__ == "__main__":
    sys.exit(main())
