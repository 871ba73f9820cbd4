#!/usr/bin/env python3
"""tessera tune FILE tries to hold loads back, where that changes a kernel: tune.py TESSERA. TESSERA_CORPUS names the corpus.

hopper_dense_gemm has the ring of buffers that the pass looks for, ampere_elementwise_add has none. Both are tuned on the simulator, for a
parameter that changes nothing that is counted: the ticks that one wait may take, and the constant that it is.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import re
import subprocess
import sys
from pathlib import Path


def tune(tessera, file, *arguments):
    done = subprocess.run([tessera, "tune", file, "--device", "sim", "--no-cache", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    # "instructions of warps" and how many: what a candidate costs is not what this test is about.
    return [re.sub(r"\d+ instructions of warps", "N", line) for line in (done.stderr + done.stdout).splitlines()]


def main():
    if "TESSERA_CORPUS" not in os.environ:
        print("skipped: TESSERA_CORPUS is not set")
        return 77
    corpus = Path(os.environ["TESSERA_CORPUS"])
    gemm, add = (corpus / kernel / "input_pretty.mlir" for kernel in ("hopper_dense_gemm", "ampere_elementwise_add"))
    lines = gemm.read_text().splitlines()
    # The second wait is of who multiplies; to change one of the two loops that load would keep them from being the same.
    wait = [number for number, line in enumerate(lines, 1) if "= arith.constant 10000000 : i32" in line][1]
    name = lines[wait - 1].split()[0]
    parameter = f"{name}@{wait}"
    said = tune(sys.argv[1], gemm, "--arch", "sm_90a", "--arg", "rand:f16:128x640x1", "--arg", "rand:f16:128x640x1", "--arg", "out:f16:128x128x1",
                "--param", f"{parameter}=1000000")
    expected = ["[0/1] as it is: N", "[0/1] as it is, with --hold-back-loads: N", f"[1/1] {parameter}=1000000: N",
                f"[1/1] {parameter}=1000000, with --hold-back-loads: N"]
    assert said[:4] == expected, said
    # Five buffers are filled ahead and not seven, so that fewer instructions run before the loop: that is the best.
    assert len(said) == 5 and said[4].endswith(", with --hold-back-loads: N"), said

    lines = add.read_text().splitlines()
    name = next(re.match(r"\s*(%\w+) = arith.constant 128 : i32", line) for line in lines if "arith.constant 128 : i32" in line)[1]
    said = tune(sys.argv[1], add, "--arch", "sm_80", *(["--arg", "rand:f32:64x256"] * 2), "--arg", "out:f32:64x256", "--param",
                f"{name}@{next(n for n, line in enumerate(lines, 1) if f'{name} = arith.constant 128 : i32' in line)}=128")
    assert len(said) == 3 and not any("hold-back" in line for line in said), said
    print("tune.py: loads are held back where a kernel has a ring")
    return 0


if __name__ == "__main__":
    sys.exit(main())
