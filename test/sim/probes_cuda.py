#!/usr/bin/env python3
"""Kernels of probes.cu, by nvcc with the headers of CUTLASS, on the simulator against numpy: probes_cuda.py TESSERA [PTX].

TESSERA_CUTLASS names CUTLASS (test/cutlass.py); where a PTX file is given it is that of probes.cu, and nvcc is not called. Each kernel
runs plainly, under the sanitizer and with asynchronous work as late as allowed; products are compared with ours as in probes.py.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from probes import Probe, compared, entry

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "blackwell"))
import isa  # noqa: E402: where copies put rows, by the second model

sys.path.insert(0, str(HERE.parent))
import cutlass  # noqa: E402: it serves other rooms too


def numbers(name, code):
    return isa.values(name)[code]


def small(rng, name, shape):
    """Codes of whole numbers up to 4."""
    table = isa.values(name)
    return rng.choice(np.flatnonzero((np.abs(np.nan_to_num(table, nan=9)) <= 4) & (table % 1 == 0)), shape).astype(np.uint8)


def f8(rng, a, b, m, n, k, dtype):
    x, y = small(rng, a, (m, k)), small(rng, b, (n, k))
    return [x, y], (numbers(a, x) @ numbers(b, y).T).astype(dtype)


def sparse(rng, dtype, k, group, out):
    """A with two of four (of 32 bits: one of two) elements of each group, and 4 bits of metadata for it."""
    m, n = 128, 64
    a, b = rng.integers(-4, 5, (m, k)), rng.integers(-4, 5, (n, k))
    if group == 2:
        which = rng.integers(0, 2, (m, k // 2))
        codes, kept = np.where(which, 0b1110, 0b0100), which[..., None]
    else:
        pairs = np.array(isa.PAIRS)[rng.integers(0, len(isa.PAIRS), (m, k // 4))]
        codes, kept = pairs[..., 0] | pairs[..., 1] << 2, pairs
    where = (np.arange(k // group)[:, None] * group + kept).reshape(m, -1)
    stored = np.take_along_axis(a, where, 1)
    dense = np.zeros_like(a)
    np.put_along_axis(dense, where, stored, 1)
    return [stored.astype(dtype), b.astype(dtype), codes.astype(np.uint8)], (dense @ b.T).astype(out)


def halves(rng, m, n, k):
    a, b = rng.integers(-4, 5, (m, k)), rng.integers(-4, 5, (n, k))
    return [a.astype(np.float16), b.astype(np.float16)], (a @ b.T).astype(np.float32)


def scaled(rng, m, n, k):
    a, b = small(rng, "e4m3", (m, k)), small(rng, "e4m3", (n, k))
    powers = [rng.integers(-3, 4, (rows, k // 32)) for rows in (m, n)]
    laid = [(127 + p).astype(np.uint8).reshape(-1, 4, 32, 4).transpose(0, 2, 1, 3).reshape(-1).copy() for p in powers]
    x, y = (numbers("e4m3", c) * np.repeat(2.0**p, 32, 1) for c, p in zip((a, b), powers))
    return [a, b, *laid], (x @ y.T).astype(np.float32)


def copied(rng, shape, rows):
    """Tensor memory after a copy: 16 bytes of a row are four columns."""
    words, cells = rng.integers(0, 1 << 31, 2048, dtype=np.int32), rng.integers(0, 1 << 31, (128, 8), dtype=np.int32)
    after, copy = cells.copy(), isa.COPIES[shape]
    for row in range(copy.rows):
        for c in range(copy.chunks):
            at = isa.copy_byte(isa.Source(0, 16 * rows, 128, "none"), row, c) // 4
            for lane in copy.lanes(row):
                after[lane, 4 * c : 4 * c + 4] = words[at : at + 4]
    return [words, cells], after


def back(rng, columns):
    rows = rng.integers(-(1 << 20), 1 << 20, (128, columns)).astype(np.float32)
    return [rows], rows


# Kernel -> (what makes its arguments and its result, blocks).
CASES = {
    "f8_e4m3_e5m2": (lambda r: f8(r, "e4m3", "e5m2", 128, 64, 128, np.float32), 1),
    "f8_e5m2_half": (lambda r: f8(r, "e5m2", "e4m3", 64, 96, 128, np.float16), 1),
    "sparse_f16": (lambda r: sparse(r, np.float16, 128, 4, np.float32), 1),
    "sparse_tf32": (lambda r: sparse(r, np.float32, 64, 2, np.float32), 1),
    "sparse_i8": (lambda r: sparse(r, np.int8, 256, 4, np.int32), 1),
    "pair_ts128": (lambda r: halves(r, 128, 64, 64), 2),
    "pair_ts256": (lambda r: halves(r, 256, 64, 64), 2),
    "pair_mx8": (lambda r: scaled(r, 256, 128, 128), 2),
    "cp_128x256b": (lambda r: copied(r, "128x256b", 128), 1),
    "cp_4x256b": (lambda r: copied(r, "4x256b", 8), 1),
    "cp_128x128b": (lambda r: copied(r, "128x128b", 128), 1),
    "cp_64x128b_02_13": (lambda r: copied(r, "64x128b.warpx2::02_13", 64), 1),
    "cp_64x128b_01_23": (lambda r: copied(r, "64x128b.warpx2::01_23", 64), 1),
    "cp_32x128b": (lambda r: copied(r, "32x128b.warpx4", 32), 1),
}
for shape, count in re.findall(r"^BACK\((\w+), (\d+)\)$", (HERE / "probes.cu").read_text(), re.M):
    for which in ("st", "ld"):
        CASES[f"{which}_{shape}"] = (lambda r, n=int(count): back(r, n), 1)


# Those that are compared with what ours hands to the tensor core too: see probes.py.
PRODUCTS = {p.name: p for p in (
    Probe("f8_e4m3_e5m2", 128, 64, 128, "f8E4M3FN", other="f8E5M2"), Probe("f8_e5m2_half", 64, 96, 128, "f8E5M2", "f16", other="f8E4M3FN"),
    Probe("pair_ts128", 128, 64, 64, tensor_a=True, blocks=2), Probe("pair_ts256", 256, 64, 64, tensor_a=True, blocks=2),
    Probe("sparse_f16", 128, 64, 128, sparse=True), Probe("sparse_tf32", 128, 64, 64, "tf32", sparse=True),
    Probe("sparse_i8", 128, 64, 256, "i8", "i32", sparse=True),
    Probe("pair_mx8", 256, 128, 128, "f8E4M3FN", blocks=2, factor="f8E8M0FNU", vector=32),
)}


def check(tessera, work, ptx, name, case):
    """What is wrong."""
    make, blocks = case
    arrays, expected = make(np.random.default_rng(7))
    arguments = []
    for i, array in enumerate([*arrays, expected]):
        np.save(f"{work}/{i}.npy", array)
    for i in range(len(arrays)):
        arguments += ["--arg", f"ptr={work}/{i}.npy"]
    dtype = {"float32": "f32", "float16": "f16", "int32": "i32"}[expected.dtype.name]
    arguments += ["--arg", f"ptr=out:{dtype}:{'x'.join(map(str, expected.shape))}"]
    for mode in ([], ["--sanitize"], ["--late"]):
        done = subprocess.run([tessera, "sim", ptx, "--kernel", name, "--grid", str(blocks), "--block", "128", "--smem", "160000", *arguments, "--check",
                               f"{len(arrays)}={work}/{len(arrays)}.npy", "--rtol", "0", "--atol", "0", *mode], capture_output=True, text=True)
        if done.returncode:
            return f"{mode}: {(done.stdout + done.stderr)[-1500:]}"
    return compared(tessera, work, ptx.read_text(), PRODUCTS[name], arguments) if name in PRODUCTS else ""


def main():
    tessera = sys.argv[1]
    with tempfile.TemporaryDirectory() as work:
        made = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(work) / "probes.ptx"
        if len(sys.argv) < 3:
            home = cutlass.checkout(work)
            if not home or not shutil.which("nvcc"):
                print("nvcc is not here, or TESSERA_CUTLASS is not set: nothing to run")
                return 77
            subprocess.run(["nvcc", "-std=c++17", "-arch=sm_100a", "-ptx", "-I", f"{home}/include", "-o", made, HERE / "probes.cu"], check=True)
        module, failed = made.read_text(), 0
        for name, case in CASES.items():
            ptx = Path(work) / "kernel.ptx"
            ptx.write_text(entry(module, name))
            if wrong := check(tessera, work, ptx, name, case):
                failed += 1
                print(f"{name}: {wrong}", flush=True)
    print(f"{len(CASES)} kernels run, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
