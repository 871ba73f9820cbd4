#!/usr/bin/env python3
"""Loads of tensor memory that also reduce, as copies with two destinations, on the simulator against numpy: load_reduced.py TESSERA."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

KERNEL = Path(__file__).parent / "kernels/load_reduced.mlir"
# What a load gives of four numbers: PTX ISA 9.0, tcgen05.ld.red, whose .abs takes magnitudes first.
REDUCTIONS = {"max": np.max, "min": np.min, "maxabs": lambda x, axis: np.max(abs(x), axis), "minabs": lambda x, axis: np.min(abs(x), axis)}


def main(tessera):
    x = np.random.default_rng(7).standard_normal((128, 8)).astype(np.float32)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.save(folder / "x.npy", x)
        for reduction, function in REDUCTIONS.items():
            np.save(folder / "most.npy", function(x.reshape(128, 2, 4), axis=2))
            mlir, ptx = folder / "k.mlir", folder / "k.ptx"
            mlir.write_text(KERNEL.read_text().replace("REDUCTION", reduction))
            subprocess.run([tessera, "compile", mlir, "--arch", "sm_103a", "--emit", "ptx", "--no-cache", "-o", ptx], check=True)
            assert ptx.read_text().count(f"tcgen05.ld.red.sync.aligned.32x32b.x4.{reduction[:3]}") == 2
            for extra in ([], ["--sanitize"]):
                subprocess.run([tessera, "sim", ptx, "--kernel", "k", "--grid", "1", "--block", "128", "--smem", "1024", "--arg",
                                f"ptr={folder}/x.npy", "--arg", "ptr=out:f32:128x8", "--arg", "ptr=out:f32:128x2", "--check", f"1={folder}/x.npy",
                                "--check", f"2={folder}/most.npy", *extra], check=True)
    print(f"{len(REDUCTIONS)} reductions are right")


if __name__ == "__main__":
    main(sys.argv[1])
