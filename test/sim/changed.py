#!/usr/bin/env python3
"""A dump of a tcgen05 GEMM that is changed by hand where things are defined, the rest by --cute-reinfer, on the simulator against numpy:
changed.py BIN. BIN has tessera and tessera-opt; TESSERA_CORPUS names the corpus (exit code 77 without it).

A change is what a user of the dump does: other tiles, instructions and elements in ops that define them, and the constants that Python
computed from these. Names of values are those of blackwell_dense_gemm/input_pretty.mlir.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import kernels


def changed(text, changes):
    """Each change: a pattern of lines, what stands there, what comes there instead."""
    lines = text.split("\n")
    for pattern, old, new in changes:
        found = [i for i, line in enumerate(lines) if re.search(pattern, line) and old in line]
        assert found, (pattern, old)
        for i in found:
            lines[i] = lines[i].replace(old, new)
    return "\n".join(lines)


ATOM, SHAPE = r"= cute\.make_atom\(.*sm100\.mma", r"%shape\w* = cute\.make_shape\(\) : \(\) -> "


def load(form, registers):
    """Another tmem_load, and the two shapes of registers beside it."""
    return [(r"%atom = cute\.make_atom\(\) :", "32 DP, 32 bit, x128", form), (r"%shape_(413|448) = ", "((128,1),1,1)", registers)]


def columns(n):
    """N instead of 128, so many columns of tensor memory, bytes of a stage."""
    allocated, times = max(32, 1 << (n - 1).bit_length()), n & -n
    return [(ATOM, "<128x128x8", f"<128x{n}x8"), (SHAPE, "(128,128,8)", f"(128,{n},8)"), (r"%tile_(192|281) = ", "[128:1;32:1]", f"[{n}:1;32:1]"),
            (r"%tile_(199|385|432) = ", "[128:1;128:1]", f"[128:1;{n}:1]"), (r"%tile_337 = ", "128:1", f"{n}:1"), (r"%shape_(298|202) = ", "(128,128)", f"(128,{n})"),
            (r"%shape_(126|180) = ", "(128,32)", f"({n},32)"), (r"%(58|70) = cute\.static", "((128,8),", f"(({n},8),"), (r"%70 = cute\.static", "(0,4096)", f"(0,{32 * n})"),
            (r"%90 = cute\.static", "((128,8),", f"(({n},8),"), (r"%shape_303 = ", "((128,128),1,1)", f"((128,{n}),1,1)"), ("arith.constant 32768 :", "constant 32768", f"constant {(128 + n) * 128}"),
            (r"%c128_i32_522 = arith", "constant 128", f"constant {allocated}"), *load(f"32 DP, 32 bit, x{times}", f"(({times},1),1,{n // times})")]


HALF = [(ATOM, "<128x128x8", "<64x128x8"), (SHAPE, "(128,128,8)", "(64,128,8)"), (r"%tile(_244)? = cute\.make_tile", "[128:1;32:1]", "[64:1;32:1]"),
        (r"%tile_(199|385|432) = ", "[128:1;128:1]", "[64:1;128:1]"), (r"%tile_326 = ", "128:1", "64:1"), (r"%shape_(298|202) = ", "(128,128)", "(64,128)"),
        (r"%shape_(107|158) = ", "(128,32)", "(64,32)"), (r"%(54|66) = cute\.static", "((128,8),", "((64,8),"), (r"%66 = cute\.static", "(0,4096)", "(0,2048)"),
        (r"%81 = cute\.static", "((128,8),", "((64,8),"), (r"%shape_303 = ", "((128,128),1,1)", "((64,128),1,1)"), ("arith.constant 32768 :", "constant 32768", "constant 24576")]
# What is changed, and M, N, K, L.
CHANGES = {
    "32 DP, x16": (load("32 DP, 32 bit, x16", "((16,1),1,8)"), (128, 256, 100, 1)),
    "16 DP, 256 bits": (load("16 DP, 256 bit, x4", "(((2,2,4),1),2,4)"), (256, 128, 36, 2)),
    "N of 48": (columns(48), (128, 96, 100, 1)),
    "M of 64": (HALF + load("16 DP, 64 bit, x16", "((16,1),1,4)"), (192, 128, 68, 1)),
}


def main():
    if "TESSERA_CORPUS" not in os.environ:
        print("TESSERA_CORPUS does not name the corpus")
        return 77
    folder, failed = Path(sys.argv[1]), 0
    text = (Path(os.environ["TESSERA_CORPUS"]) / "blackwell_dense_gemm/input_pretty.mlir").read_text()
    with tempfile.TemporaryDirectory() as work:
        file, follows = Path(work) / "k.mlir", Path(work) / "follows.mlir"

        def reinferred(changes):
            file.write_text(changed(text, changes))
            return subprocess.run([folder / "tessera-opt", "--cute-reinfer", file, "-o", follows], capture_output=True, text=True)
        for name, (changes, size) in CHANGES.items():
            done = reinferred(changes)
            said = done.stderr if done.returncode else kernels.tensor_gemm(folder / "tessera", work, str(follows), "tf32", kernels.MKL, *size)
            if said:
                failed += 1
                print(f"{name}, {size}: {said[:1000]}")
        # Registers that are not changed beside the load: the line that states their shape is named.
        said, line = reinferred(load("32 DP, 32 bit, x16", "((16,1),1,8)")[:1]).stderr, 1 + next(i for i, x in enumerate(text.split("\n")) if "%shape_413 = " in x)
        if f"k.mlir:{line}:" not in said or "change it here" not in said:
            failed += 1
            print(f"expected a note at line {line}, got: {said[:1000]}")
    print(f"{len(CHANGES)} changes of a dump, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
