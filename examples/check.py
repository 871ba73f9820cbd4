#!/usr/bin/env python3
"""Runs the examples on the GPU and compares them with numpy.

  python3 examples/check.py                       all cases, with build/release or build/dev
  python3 examples/check.py --only gemm           only the cases of gemm.mlir
  python3 examples/check.py --write /tmp/cases    only write A.npy, B.npy, C.npy and print the commands

numpy makes the inputs and the references; `tessera run` compiles, runs and compares. Exit code: 0 all right,
1 a case differs, 2 a case could not be run, 3 no GPU.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import os
import shlex
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)

# M, N, K, and by how many elements rows of C are further apart than N.
GEMM = [
    (128, 128, 32, 0),     # one block, one tile of K
    (128, 128, 64, 0),
    (256, 384, 512, 0),    # whole tiles
    (1, 1, 8, 0),          # smaller than anything
    (5, 7, 8, 0),
    (129, 257, 40, 0),     # one more than whole tiles; C element by element
    (100, 200, 72, 0),     # no whole tile; C in chunks
    (1000, 777, 2040, 0),
    (777, 1000, 96, 24),   # rows of C apart, still in chunks
    (64, 64, 128, 3),      # rows of C apart, no longer on 16 bytes
    (2048, 2048, 2048, 0),
]
# M, N, and by how much rows of C are further apart.
ADD = [(16, 128, 0), (1, 1, 0), (17, 129, 0), (1000, 777, 0), (513, 1030, 6), (4096, 4096, 0)]


def gemm_case(m, n, k, pad, rng, exact):
    """Integers give sums that f16 holds, so results must be exact; sums of normal numbers are rounded to f16 once."""
    def draw(*shape):
        return (rng.integers(-2, 3, shape) if exact else rng.standard_normal(shape)).astype(np.float16)
    a, b = draw(m, k), draw(n, k)
    tolerance = ["--rtol", "0", "--atol", "0"] if exact else ["--rtol", "1e-3", "--atol", "1e-2"]
    name = f"gemm {m}x{n}x{k}" + (f" pitch {n + pad}" if pad else "") + (" exact" if exact else "")
    return name, "gemm.mlir", a, b, a.astype(np.float32) @ b.astype(np.float32).T, out("f16", m, n, pad), tolerance


def add_case(m, n, pad, rng):
    a, b = rng.standard_normal((m, n), np.float32), rng.standard_normal((m, n), np.float32)
    name = f"add {m}x{n}" + (f" pitch {n + pad}" if pad else "")
    return name, "add.mlir", a, b, a + b, out("f32", m, n, pad), ["--rtol", "0", "--atol", "0"]


def out(dtype, m, n, pad):
    return f"out:{dtype}:{m}x{n}" + (f":stride={n + pad},1" if pad else "")


def cases(only):
    rng = np.random.default_rng(1)
    if only in (None, "add"):
        for size in ADD:
            yield add_case(*size, rng)
    if only in (None, "gemm"):
        for size in GEMM:
            yield gemm_case(*size, rng, exact=True)
            yield gemm_case(*size, rng, exact=False)


def find_tessera():
    for preset in ("release", "dev"):
        path = os.path.join(ROOT, "build", preset, "bin", "tessera")
        if os.access(path, os.X_OK):
            return path
    sys.exit("check: no build/release/bin/tessera and no build/dev/bin/tessera; build one or give --tessera PATH")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tessera", metavar="PATH", help="the program to run")
    parser.add_argument("--only", choices=["add", "gemm"], help="the cases of one example")
    parser.add_argument("--write", metavar="DIR", help="write the cases there and print their commands; run nothing")
    options = parser.parse_args()
    tessera = options.tessera or find_tessera()

    worst = total = right = 0
    with tempfile.TemporaryDirectory(prefix="tessera-check.") as scratch:
        for name, example, a, b, c, destination, tolerance in cases(options.only):
            folder = os.path.join(options.write or scratch, name.replace(" ", "-"))
            os.makedirs(folder, exist_ok=True)
            files = {key: os.path.join(folder, f"{key}.npy") for key in "ABC"}
            for key, array in zip("ABC", (a, b, c)):
                np.save(files[key], array)
            command = [tessera, "run", os.path.join(HERE, example), "--arg", files["A"], "--arg", files["B"],
                       "--arg", destination, "--check", f"2={files['C']}", *tolerance]
            if options.write:
                print(shlex.join(command))
                continue
            result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if result.returncode == 3:
                print(result.stdout, end="")
                print("check: no GPU here, nothing was run")
                return 3
            total += 1
            right += result.returncode == 0
            print(f"{'ok  ' if result.returncode == 0 else 'FAIL'}  {name}", flush=True)
            if result.returncode != 0:
                print(f"      {shlex.join(command)}\n      " + result.stdout.strip().replace("\n", "\n      "))
                worst = max(worst, 1 if result.returncode == 1 else 2)
            for path in files.values():
                os.remove(path)
    if not options.write:
        print(f"check: {right} of {total} right")
    return worst


if __name__ == "__main__":
    sys.exit(main())
