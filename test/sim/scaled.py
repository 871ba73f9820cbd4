#!/usr/bin/env python3
"""Block-scaled products by atoms on the simulator against numpy: scaled.py TESSERA."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

KERNEL = Path(__file__).parent / "kernels/block_scaled.mlir"
# Codes of f8E4M3FN.
CODES = {0: 0x00, 1: 0x38, 2: 0x40, 3: 0x44, 4: 0x48}


def core_matrices(codes):
    """Rows of 32 bytes as core matrices: 8 rows of 16 bytes, the second 16 bytes of a row 128 bytes further, the next 8 rows 256."""
    rows = codes.reshape(16, 8, 2, 16)
    return rows.transpose(0, 2, 1, 3).reshape(-1)


def factors(scales):
    """Four factors for each of 128 rows, as CUTLASS lays them out: row m begins at byte 16 (m mod 32) + 4 (m div 32)."""
    rows = np.zeros((128, 4), np.uint8)
    rows[:, 0] = scales
    return rows.reshape(4, 32, 4).transpose(1, 0, 2).reshape(-1)


def main(tessera):
    random = np.random.default_rng(5)
    a, b = random.integers(-4, 5, (2, 128, 32))
    sa, sb = random.integers(124, 131, (2, 128))
    code = np.vectorize(lambda v: CODES[abs(v)] | (0x80 if v < 0 else 0))
    words = np.concatenate([core_matrices(code(a).astype(np.uint8)), core_matrices(code(b).astype(np.uint8)), factors(sa), factors(sb)])
    expected = (a * 2.0 ** (sa - 127.0)[:, None]) @ (b * 2.0 ** (sb - 127.0)[:, None]).T
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        np.save(folder / "in.npy", words.view(np.int32))
        np.save(folder / "d.npy", expected.astype(np.float32))
        ptx = folder / "k.ptx"
        subprocess.run([tessera, "compile", KERNEL, "--arch", "sm_100a", "--emit", "ptx", "--no-cache", "-o", ptx], check=True)
        for extra in ([], ["--sanitize"], ["--late"]):
            subprocess.run([tessera, "sim", ptx, "--kernel", "k", "--grid", "1", "--block", "128", "--smem", "10240", "--arg",
                            f"ptr={folder}/in.npy", "--arg", "ptr=out:f32:128x128", "--check", f"1={folder}/d.npy", *extra], check=True)


if __name__ == "__main__":
    main(sys.argv[1])
