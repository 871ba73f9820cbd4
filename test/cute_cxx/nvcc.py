#!/usr/bin/env python3
"""Compares the three GEMMs of examples/cute_cpp with what nvcc makes of CUTLASS's tutorials for the same tiles and products.

nvcc.py CUTLASS BIN        CUTLASS: a checkout; BIN: the folder of the built examples (cute-cpp-sgemm, ...)

Prints instructions in PTX and registers by ptxas as a table of docs/cute-cpp.md. The tutorials take the products of our examples: f32 sums of f16.
First it compares what CuTe C++ prints with Printed.def and PrintedAtoms.def, and exits with 1 where they differ.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Example, its program, the tutorial, the architecture, what is replaced in the tutorial, which of its kernels (by their order in PTX).
ROWS = [
    ("sgemm", "sgemm", "sgemm_2.cu", "sm_80", [], 0),
    ("ampere_gemm", "gemm", "sgemm_sm80.cu", "sm_80", [("SM80_16x8x16_F16F16F16F16_TN", "SM80_16x8x16_F32F16F16F32_TN")], 0),
    ("hopper_gemm", "hopper_gemm", "hopper/wgmma_tma_sm90.cu", "sm_90a",
     [("SM90_64x64x16_F16F16F16_SS", "SM90_64x128x16_F32F16F16_SS"), ("using TC = cute::half_t", "using TC = float"),
      ("using TI = cute::half_t", "using TI = float")], 1),
]
COUNTS = {"product": r"mma\.sync|wgmma\.mma_async", "ldmatrix": r"ldmatrix", "cp.async": r"cp\.async\.c[ag]",
          "TMA": r"cp\.async\.bulk\.tensor", "shared load": r"ld\.shared"}


def kernels(ptx):
    """The kernels with products, by the text of each; fma counts as one where there is nothing else."""
    parts = re.split(r"(?m)(?=^\s*(?:\.visible |\.weak )?\.entry )", ptx)[1:]
    return [p for p in parts if len(re.findall(r"mma|fma\.rn", p)) > 8]


def registers(ptx, arch, kernel):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "k.ptx"
        path.write_text(ptx)
        done = subprocess.run(["ptxas", "-v", f"-arch={arch}", str(path), "-o", "/dev/null"], capture_output=True, text=True, check=True)
    name = re.search(r"\.entry\s+(\w+)", kernel)[1]
    return int(re.search(rf"Compiling entry function '{name}'.*?Used (\d+) registers", done.stderr, re.S)[1])


def row(ptx, arch, index):
    kernel = kernels(ptx)[index]
    counts = {what: len(re.findall(pattern, kernel)) for what, pattern in COUNTS.items()}
    if not counts["product"]:  # fma: those of the products, not those of the scaling at the end
        counts["product"] = len(re.findall(r"fma\.rn", kernel)) // 512 * 512
    return {**counts, "registers": registers(ptx, arch, kernel)}


def printed(cutlass):
    """How many rows of Printed.def and PrintedAtoms.def CuTe C++ prints otherwise."""
    folder = Path(__file__).resolve().parent
    program = f"""#include <cute/tensor.hpp>
#include <cstdio>
using namespace cute;
#define PRINTED(EXPRESSION, OUTPUT) print(EXPRESSION); std::printf("\\037%s\\037%s\\036", OUTPUT, #EXPRESSION);
int main() {{
#include "{folder}/Printed.def"
#include "{folder}/PrintedAtoms.def"
}}
"""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "printed.cu"
        source.write_text(program)
        subprocess.run(["nvcc", "-std=c++17", "-arch=sm_90a", f"-I{cutlass}/include", "-o", folder + "/printed", str(source)], check=True)
        text = subprocess.run([folder + "/printed"], check=True, capture_output=True, text=True).stdout
        rows = [row.split("\x1f") for row in text.split("\x1e")[:-1]]
    wrong = [row for row in rows if row[0] != row[1]]
    for got, wanted, expression in wrong:
        print(f"{expression}: CuTe C++ prints {got}, the table has {wanted}")
    print(f"{len(rows)} rows of what is printed, {len(wrong)} differ\n")
    return len(wrong)


def main():
    if printed(Path(sys.argv[1])):
        sys.exit(1)
    cutlass, programs = Path(sys.argv[1]), Path(sys.argv[2])
    print(f"| GEMM | by | {' | '.join(list(COUNTS) + ['registers'])} |\n|---|---|{'---|' * (len(COUNTS) + 1)}")
    for example, program, tutorial, arch, changes, index in ROWS:
        with tempfile.TemporaryDirectory() as folder:
            text = (cutlass / "examples/cute/tutorial" / tutorial).read_text()
            for old, new in changes:
                text = text.replace(old, new)
            source = Path(folder) / "tutorial.cu"
            source.write_text(text)
            out = Path(folder) / "tutorial.ptx"
            subprocess.run(["nvcc", "-std=c++17", f"-arch={arch}", f"-I{cutlass}/include", f"-I{cutlass}/tools/util/include",
                            f"-I{cutlass}/examples/common", "--expt-relaxed-constexpr", "-ptx", "-o", str(out), str(source)], check=True)
            theirs = row(out.read_text(), arch, index)
            subprocess.run([str(programs / f"cute-cpp-{example}")], env={**os.environ, "TESSERA_CUTE_KEEP": folder}, check=True,
                           stdout=subprocess.DEVNULL)
            ours = row((Path(folder) / f"{program}.ptx").read_text(), arch, 0)
        for who, numbers in (("Tessera", ours), ("nvcc", theirs)):
            print(f"| {example} | {who} | {' | '.join(str(n) for n in numbers.values())} |", flush=True)


if __name__ == "__main__":
    main()
